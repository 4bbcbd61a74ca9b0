"""Reductions along axes, the positions of the extremes, and cumulative sums and products."""

import collections

import numpy as np

from .. import errors
from ..engine import attributes as tidy
from ..engine.conversion import unsupported
from ..engine.op import convert, op
from ..engine.shape import bracketed
from ..engine.tensor import Tensor
from ..errors import invalid
from ..ops.creation import cast
from ..ops.gathering import scatter_rows
from ..ops.shaping import broadcast_to, reshape
from .arithmetic import ARITHMETIC, divide, not_among, sqrt, square
from .comparison import less, less_equal, not_equal
from .complex_numbers import conj, real
from .elementwise import exp, log
from .special import lgamma


def is_non_decreasing(x, name=None) -> Tensor:
    """Is no element smaller than the one before it, all axes read as one?

    >>> import minigrad as mg
    >>> print(mg.math.is_non_decreasing([1.0, 1.0, 2.0]).numpy())
    True
    """
    return reduce_all(less_equal(*neighbours(x)))


def is_strictly_increasing(x, name=None) -> Tensor:
    """Is every element greater than the one before it, all axes read as one?

    >>> import minigrad as mg
    >>> print(mg.math.is_strictly_increasing([1.0, 1.0, 2.0]).numpy())
    False
    """
    return reduce_all(less(*neighbours(x)))


def neighbours(x):
    """All elements but the last, and beside each the one that follows."""
    x = convert(x)
    if x.value.dtype.kind not in ARITHMETIC:
        raise TypeError(f"Expected x to be numeric, instead found: {x!s}")
    flat = reshape(x, (-1,))
    return flat[:-1], flat[1:]


# ---- reductions ----------------------------------------------------------------------------------------------------


@op(
    "Sum",
    ARITHMETIC,
    twin=np.add.reduce,
    axis=tidy.axes,
    dinput_tensor=lambda dy, input_tensor_shape, axis: spread(dy, input_tensor_shape, axis),
)
def reduce_sum(input_tensor, axis=None, keepdims=False):
    """The sum of the elements along one axis, or several, or all.

    Args:
        input_tensor: of any shape.
        axis: an int or a list of ints, negative ones counted from the end; None means all; [] means none.
        keepdims: keep these axes, with a length of 1.

    Raises:
        InvalidArgumentError: there is no such axis, or it is named twice.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]]
    >>> print(mg.reduce_sum(x).numpy(), mg.reduce_sum(x, axis=0).numpy())
    21.5 [5.5 7.  9. ]
    >>> print(mg.reduce_sum(x, axis=1, keepdims=True).numpy())
    [[ 6.5]
     [15. ]]
    """
    if axis is not None and not input_tensor.ndim:
        refuse_axis(axis)
    return np.add.reduce(input_tensor, axis, input_tensor.dtype, None, keepdims)


def refuse_axis(axis):
    """A single number has no axes. (NumPy allows 0 and -1.)"""
    if axis != ():
        axis = axis if isinstance(axis, int) else axis[0]
        raise invalid(f"Invalid reduction dimension ({axis} for input with 0 dimension(s)")


@op("Mean", ARITHMETIC, axis=tidy.axes, dinput_tensor=lambda dy, input_tensor_shape, input_tensor_size, axis:
    spread(dy / (input_tensor_size // (dy.size or 1)), input_tensor_shape, axis))  # fmt: skip
def reduce_mean(input_tensor, axis=None, keepdims=False):
    """The mean of the elements along one axis, or several, or all; see `reduce_sum`. That of integers is cut to an integer.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]]
    >>> print(mg.reduce_mean(x, axis=1).numpy().round(4), mg.reduce_mean(x, keepdims=True).numpy().round(4), mg.reduce_mean([3, 4]).numpy())
    [2.1667 5.    ] [[3.5833]] 3
    """
    if input_tensor.dtype.kind in "iu":
        return mean_of_integers(input_tensor, axis, keepdims)
    if axis is not None and not input_tensor.ndim:
        refuse_axis(axis)
    total = np.add.reduce(input_tensor, axis, input_tensor.dtype, None, keepdims)
    return total / (input_tensor.size // (total.size or 1))


def mean_of_integers(x, axis, keepdims):
    """The mean, cut toward 0."""
    total = np.add.reduce(x, axis, np.uint64 if x.dtype.kind == "u" else np.int64, None, keepdims)
    count = x.size // (total.size or 1) or 1
    return (np.sign(total) * (np.abs(total) // total.dtype.type(count))).astype(x.dtype)


def spread(dy, shape, axis):
    """Copies of `dy` along the axes that a reduction took away."""
    return broadcast_to.np(kept(dy, shape, axis), shape)


def kept(y, shape, axis):
    """What a reduction gave, with the axes that it took away, each of length 1."""
    if not y.ndim or axis is None:
        return y
    gone = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return y.reshape(tuple([1 if i in gone else n for i, n in enumerate(shape)]))


@op(
    "Max",
    "iuf",
    axis=tidy.axes,
    dinput_tensor=lambda dy, y, input_tensor, axis: winners(input_tensor, y, axis) * kept(dy, input_tensor.shape, axis),
)
def reduce_max(input_tensor, axis=None, keepdims=False):
    """The greatest element along one axis, or several, or all; see `reduce_sum`. Equal ones share the gradient.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 6.0, 5.0]]
    >>> print(mg.reduce_max(x, axis=1).numpy(), mg.reduce_max(x).numpy())
    [3. 6.] 6.0
    """
    return extreme(np.maximum, input_tensor, axis, keepdims)


@op(
    "Min",
    "iuf",
    axis=tidy.axes,
    dinput_tensor=lambda dy, y, input_tensor, axis: winners(input_tensor, y, axis) * kept(dy, input_tensor.shape, axis),
)
def reduce_min(input_tensor, axis=None, keepdims=False):
    """The smallest element along one axis, or several, or all; see `reduce_sum`. Equal ones share the gradient.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [6.0, 4.0, 5.0]]
    >>> print(mg.reduce_min(x, axis=1).numpy(), mg.reduce_min(x).numpy())
    [1.5 4. ] 1.5
    """
    return extreme(np.minimum, input_tensor, axis, keepdims)


def extreme(ufunc, x, axis, keepdims):
    """The greatest or smallest element; that of none is the dtype's own limit."""
    if axis is not None and not x.ndim:
        refuse_axis(axis)
    if x.size:
        return ufunc.reduce(x, axis, None, None, keepdims)
    return ufunc.reduce(x, axis, None, None, keepdims, limit_of(ufunc, x.dtype))


def limit_of(ufunc, dtype):
    """The number that no other loses to."""
    if dtype.kind == "f":
        return -np.inf if ufunc is np.maximum else np.inf
    return np.iinfo(dtype).min if ufunc is np.maximum else np.iinfo(dtype).max


def winners(x, y, axis):
    """1 where x holds the extreme y; several equal ones get equal shares of it."""
    hit = (x == kept(y, x.shape, axis)).astype(x.dtype)
    return hit / np.add.reduce(hit, axis=axis, keepdims=True)


@op("Prod", ARITHMETIC, axis=tidy.axes, dinput_tensor=lambda dy, input_tensor, axis:
    spread(dy, input_tensor.shape, axis) * others(input_tensor, axis).conj())  # fmt: skip
def reduce_prod(input_tensor, axis=None, keepdims=False):
    """The product of the elements along one axis, or several, or all; see `reduce_sum`. Its gradient is exact at zeros too.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 0.0, 6.0]]
    >>> print(mg.reduce_prod(x, axis=0).numpy(), mg.reduce_prod(x, axis=1).numpy())
    [ 6.  0. 18.] [9. 0.]
    """
    if axis is not None and not input_tensor.ndim:
        refuse_axis(axis)
    return np.multiply.reduce(input_tensor, axis, input_tensor.dtype, None, keepdims)


def others(x, axis):
    """For each element the product of all others: of those before it and those after it."""
    gone = range(x.ndim) if axis is None else [a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))]
    order = (*gone, *(a for a in range(x.ndim) if a not in gone))
    turned = np.transpose(x, order)
    rows = turned.reshape((int(np.prod([x.shape[a] for a in gone])), -1)) if x.size else turned
    product = cumprod.np(rows, 0, True, False) * cumprod.np(rows, 0, True, True)
    return np.transpose(product.reshape(turned.shape), tuple(np.argsort(order).tolist()))


@op("Any", "b", axis=tidy.axes, dinput_tensor=None)
def reduce_any(input_tensor, axis=None, keepdims=False):
    """Is any element True, along one axis, or several, or all?

    >>> import minigrad as mg
    >>> print(mg.reduce_any([[True, False], [False, False]], axis=1).numpy())
    [ True False]
    """
    return np.logical_or.reduce(input_tensor, axis, None, None, keepdims)


@op("All", "b", axis=tidy.axes, dinput_tensor=None)
def reduce_all(input_tensor, axis=None, keepdims=False):
    """Are all elements True, along one axis, or several, or all?

    >>> import minigrad as mg
    >>> print(mg.reduce_all([[True, True], [True, False]], axis=1).numpy())
    [ True False]
    """
    return np.logical_and.reduce(input_tensor, axis, None, None, keepdims)


@op("EuclideanNorm", ARITHMETIC, axis=tidy.axes, dinput_tensor=lambda dy, y, input_tensor, axis:
    input_tensor / (kept(y, input_tensor.shape, axis) / kept(dy, input_tensor.shape, axis)))  # fmt: skip
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False):
    """The root of the sum of squares along one axis, or several, or all. At 0 its gradient is nan.

    >>> import minigrad as mg
    >>> print(mg.math.reduce_euclidean_norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy())
    [ 5. 10.]
    """
    x = input_tensor
    if axis is not None and not x.ndim:
        refuse_axis(axis)
    return np.sqrt(np.add.reduce(x * x.conj(), axis, x.dtype, None, keepdims)).astype(x.dtype)


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """log(sum(exp(x))) along one axis, or several, or all; safe for numbers of any size.

    >>> import minigrad as mg
    >>> print(mg.reduce_logsumexp([[1.0, 2.0], [1000.0, 1000.0]], axis=1).numpy().round(4))
    [   2.3133 1000.6932]
    """
    x = convert(input_tensor)
    top = reduce_max(x, axis, True).value
    top = Tensor.of(np.where(np.isfinite(top), top, top.dtype.type(0))[()])  # a constant: no gradient flows along it
    total = log(reduce_sum(exp(x - top), axis, keepdims))
    return total + (top if keepdims else reshape(top, total.value.shape))


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """The mean squared distance from the mean, along one axis, or several, or all.

    Raises:
        TypeError: the elements are integers.

    >>> import minigrad as mg
    >>> print(mg.math.reduce_variance([[1.0, 3.0], [2.0, 6.0]], axis=1).numpy())
    [1. 4.]
    """
    x = convert(input_tensor)
    if x.value.dtype.kind in "iu":
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
    distance = x - reduce_mean(x, axis, True)
    if x.value.dtype.kind == "c":
        return reduce_mean(real(distance * conj(distance)), axis, keepdims)
    return reduce_mean(square(distance), axis, keepdims)


def reduce_std(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """The standard deviation, the root of `reduce_variance`. Where it is 0, its gradient is nan.

    >>> import minigrad as mg
    >>> print(mg.math.reduce_std([[1.0, 3.0], [2.0, 6.0]], axis=1).numpy())
    [1. 2.]
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def count_nonzero(input, axis=None, keepdims=None, dtype=np.int64, name=None) -> Tensor:
    """How many elements are not 0 (or of strings, not empty), along one axis, or several, or all.

    >>> import minigrad as mg
    >>> print(mg.math.count_nonzero([[0.0, 1.0], [2.0, 3.0]], axis=1).numpy())
    [1 2]
    """
    input = convert(input)
    zero = Tensor.of(np.array(b"", object) if input.value.dtype.kind == "O" else input.value.dtype.type(0))
    return cast(reduce_sum(cast(not_equal(input, zero), np.int64), axis, bool(keepdims)), dtype)


def zero_fraction(value, name=None) -> Tensor:
    """What part of the elements is 0: a float32 between 0 and 1, and nan if there are none.

    >>> import minigrad as mg
    >>> print(mg.math.zero_fraction([0.0, 1.0, 2.0, 0.0]).numpy())
    0.5
    """
    value = convert(value)
    zeros = value.value.size - int(count_nonzero(value))
    return divide(Tensor.of(np.float32(zeros)), Tensor.of(np.float32(value.value.size)))


# ---- where the extremes are ----------------------------------------------------------------------------------------


def argmax(input, axis=None, output_type=np.int64, name=None) -> Tensor:
    """The place of the greatest element along an axis, of several equal ones the first. It has no derivative.

    Args:
        input: a Tensor of at least one axis.
        axis: the axis to search; None means the first.
        output_type: int16, uint16, int32 or int64.
        name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: there is no such axis, or it is empty.

    >>> import minigrad as mg
    >>> print(mg.argmax([[1.0, 3.0], [4.0, 2.0]]).numpy(), mg.argmax([[1.0, 3.0], [4.0, 2.0]], axis=1).numpy())
    [1 0] [1 0]
    """
    return greatest_at(input, axis_of(axis), output_type)


def argmin(input, axis=None, output_type=np.int64, name=None) -> Tensor:
    """The place of the smallest element along an axis, of several equal ones the first. See `argmax`; here it is int32 or int64.

    >>> import minigrad as mg
    >>> print(mg.argmin([[1.0, 3.0], [4.0, 2.0]], axis=1).numpy())
    [0 1]
    """
    return smallest_at(input, axis_of(axis), output_type)


@op("ArgMax", "biuf", axis=tidy.integer, output_type=tidy.dtype, dinput=None)
def greatest_at(input, axis, output_type):
    """What `mg.argmax` calls.

    >>> import minigrad as mg
    >>> print(mg.argmax([1.0, 3.0, 2.0]).numpy())
    1
    """
    return place(np.argmax, input, axis, output_type, -np.inf, ("int16", "uint16", "int32", "int64"))


@op("ArgMin", "biuf", axis=tidy.integer, output_type=tidy.dtype, dinput=None)
def smallest_at(input, axis, output_type):
    """What `mg.argmin` calls.

    >>> import minigrad as mg
    >>> print(mg.argmin([3.0, 1.0, 2.0]).numpy())
    1
    """
    return place(np.argmin, input, axis, output_type, np.inf, ("int32", "int64"))


def axis_of(axis):
    """An axis for `argmax`: a single one."""
    if isinstance(axis, (list, tuple)):
        raise TypeError("axis must be int or Tensor with integer datatype")
    return 0 if axis is None else axis


def place(search, x, axis, output_type, worst, allowed):
    """Where NumPy finds the extreme, with nan never chosen before a number."""
    if output_type.name not in allowed:
        raise invalid(not_among("output_type", output_type, ", ".join(allowed)))
    check_axis(axis, x.ndim, "Expected dimension in the range")
    if not x.shape[axis]:
        shape = bracketed(x.shape)
        raise invalid(f"Reduction axis {axis} is empty in shape {shape}")
    if x.dtype.kind == "f" and np.isnan(x).any():
        x = np.where(np.isnan(x), x.dtype.type(worst), x)
    return search(x, axis).astype(output_type)


def check_axis(axis, ndim, words):
    """Raise, in the op's own words, unless there is such an axis."""
    if not -ndim <= axis < ndim:
        raise invalid(f"{words} [{-ndim}, {ndim}), but got {axis}")


TopKV2 = collections.namedtuple("TopKV2", ["values", "indices"])


def top_k(input, k=1, sorted=True, index_type=np.int32, name=None) -> TopKV2:
    """The k greatest elements along the last axis, the greatest first, and their places.

    Args:
        input: a Tensor of at least one axis.
        k: how many.
        sorted: accepted as in TensorFlow; here they are always in order.
        index_type: the dtype of the places.
        name: accepted as in TensorFlow, without effect.

    Returns:
        A pair `(values, indices)`.

    Raises:
        InvalidArgumentError: there are fewer than k.

    >>> import minigrad as mg
    >>> values, indices = mg.math.top_k([[1.0, 5.0, 3.0], [9.0, 7.0, 8.0]], k=2)
    >>> print(values.numpy().tolist(), indices.numpy().tolist())
    [[5.0, 3.0], [9.0, 8.0]] [[1, 2], [0, 2]]
    """
    return TopKV2(*greatest(input, k, index_type))


@op("TopKV2", "iuf", k=tidy.axes, index_type=tidy.dtype, dinput=lambda dz, z, input_shape: put_back(dz[0], np.asarray(z[1]), input_shape))
def greatest(input, k, index_type) -> list:
    """The k greatest elements and their places: what `mg.math.top_k` calls.

    >>> import minigrad as mg
    >>> values, indices = mg.math.top_k([[1.0, 5.0, 3.0], [9.0, 7.0, 8.0]], k=2)
    >>> print(values.numpy().tolist())
    [[5.0, 3.0], [9.0, 8.0]]
    """
    if not input.ndim:
        raise invalid("input must be >= 1-D, got shape []")
    if k.__class__ is tuple:
        raise invalid(f"k must be scalar, got shape [{len(k)}]")
    if k < 0:
        raise invalid(f"Need k >= 0, got {k}")
    if k > input.shape[-1]:
        raise invalid(f"input must have at least k columns. Had {input.shape[-1]}, needed {k}")
    falling = -input if input.dtype.kind == "f" else ~input  # ~ turns the order of integers round, and cannot overflow
    indices = np.argsort(falling, axis=-1, kind="stable")[..., :k]
    return [np.take_along_axis(input, indices, -1), indices.astype(index_type)]


def put_back(values, indices, shape):
    """Zeros, but the values at their places along the last axis."""
    rows = np.arange(int(np.prod(shape[:-1]))).reshape((*shape[:-1], 1))
    places = (rows * shape[-1] + indices).ravel()
    return scatter_rows.np(values.reshape((-1,)), places, (int(np.prod(shape)),)).reshape(shape)


def in_top_k(targets, predictions, k, name=None) -> Tensor:
    """Is the prediction for the target among the k greatest of its row?

    Args:
        targets: the right class of each example, shape `(batch,)`.
        predictions: a float32 for each class, shape `(batch, classes)`.
        k: how many may be as great or greater; equal ones all count as in.
        name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> print(mg.math.in_top_k([0, 2], [[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]], k=2).numpy())
    [False  True]
    """
    return among_greatest(convert(predictions, Tensor.of(np.float32(0))), convert(targets).value, k)


@op("InTopKV2", "f", k=tidy.integer, dpredictions=None)
def among_greatest(predictions, targets: np.ndarray, k):
    """What `mg.math.in_top_k` calls.

    >>> import minigrad as mg
    >>> print(mg.math.in_top_k([0], [[0.1, 0.7, 0.2]], k=2).numpy())
    [False]
    """
    if predictions.ndim != 2 or targets.ndim != 1:
        name, ndim = ("predictions", 2) if predictions.ndim != 2 else ("targets", 1)
        raise invalid(f"{name} must be {ndim}-dimensional")
    if len(targets) != len(predictions):
        raise invalid(f"First dimension of predictions {len(predictions)} must match length of targets {len(targets)}")
    known = (targets >= 0) & (targets < predictions.shape[1])
    chosen = predictions[np.arange(len(targets)), np.where(known, targets, 0)]
    greater = np.add.reduce(predictions > chosen[:, None], 1)
    return known & np.isfinite(predictions).all(1) & (greater < k)


# ---- cumulative sums and products ----------------------------------------------------------------------------------


@op("Cumsum", ARITHMETIC, axis=tidy.axes, dx=lambda dy, axis, exclusive, reverse: cumsum.np(dy, axis, exclusive, not reverse))
def cumsum(x, axis=0, exclusive=False, reverse=False):
    """The sum of each element and all before it, along an axis.

    Args:
        x: a Tensor of at least one axis.
        axis: the axis.
        exclusive: leave the element itself out.
        reverse: the elements after it, instead of those before it.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.cumsum([1.5, 2.0, 4.0]).numpy(), mg.cumsum([1.5, 2.0, 4.0], exclusive=True).numpy())
    [1.5 3.5 7.5] [0.  1.5 3.5]
    >>> print(mg.cumsum([[1.5, 2.0, 4.0]], axis=-1, reverse=True).numpy())
    [[7.5 6.  4. ]]
    """
    return scan(np.add, x, axis, exclusive, reverse, 0)


@op(
    "Cumprod",
    ARITHMETIC,
    axis=tidy.axes,
    dx=lambda dy, x, y, axis, exclusive, reverse: slope_of_cumprod(dy, x, y, axis, exclusive, reverse),
)
def cumprod(x, axis=0, exclusive=False, reverse=False):
    """The product of each element and all before it, along an axis; see `cumsum`.

    The gradient is exact where there are zeros; TensorFlow, which divides by the element, gives 0 there.

    >>> import minigrad as mg
    >>> print(mg.math.cumprod([1.5, 2.0, 4.0]).numpy(), mg.math.cumprod([1.5, 0.0, 4.0], exclusive=True).numpy())
    [ 1.5  3.  12. ] [1.  1.5 0. ]
    >>> print(mg.math.cumprod([[1.5, 0.0, 4.0]], axis=1, reverse=True).numpy())
    [[0. 0. 4.]]
    """
    return scan(np.multiply, x, axis, exclusive, reverse, 1)


def slope_of_cumprod(dy, x, y, axis, exclusive, reverse):
    """The gradient of `cumprod`: what arrives at each product that x is in, times the others in that product."""
    if np.all(np.asarray(x)):
        return cumsum.np(y * dy, axis, exclusive, not reverse) / x
    # in row k of a square, x[k] is replaced by 1, and so is not in the products that stand there
    order = list(range(x.ndim))
    order[axis], order[-1] = order[-1], order[axis]
    x, dy = np.transpose(x, tuple(order)), np.transpose(dy, tuple(order))
    one = np.eye(x.shape[-1], dtype=x.dtype)
    without = cumprod.np(x[..., None, :] * (1 - one) + one, -1, exclusive, reverse)
    concerned = cumsum.np(one, -1, exclusive, reverse)
    return np.transpose(np.add.reduce(without * concerned * dy[..., None, :], axis=-1), tuple(order))


@op("CumulativeLogsumexp", "f", axis=tidy.axes, dx=lambda dy, x, y, axis, exclusive, reverse:
    flow(dy, x, y, axis, exclusive, reverse) - flow(-dy, x, y, axis, exclusive, reverse))  # fmt: skip
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False):
    """log(sum(exp(...))) of each element and all before it, along an axis; see `cumsum`.

    >>> import minigrad as mg
    >>> print(mg.math.cumulative_logsumexp([1.0, 2.0, 0.5]).numpy().round(4))
    [1.     2.3133 2.4644]
    >>> print(mg.math.cumulative_logsumexp([[1.0, 2.0, 0.5]], axis=1, reverse=True).numpy().round(4))
    [[2.4644 2.2014 0.5   ]]
    """
    return scan(np.logaddexp, x, axis, exclusive, reverse, -np.inf)


def flow(dy, x, y, axis, exclusive, reverse):
    """The gradient of `cumulative_logsumexp` from the positive part of dy, by way of its logarithm: nothing overflows."""
    positive = dy > 0
    log_dy = np.where(positive, np.log(np.where(positive, dy, 1)), np.finfo(dy.dtype).min)
    return np.exp(cumulative_logsumexp.np(log_dy - y, axis, exclusive, not reverse) + x)


def scan(ufunc, x, axis, exclusive, reverse, start):
    """What a ufunc accumulates along an axis, from one end or the other, with the element itself or without."""
    if axis is None:
        raise errors.from_python(unsupported(axis))
    if axis.__class__ is tuple:
        raise invalid(f"ScanOp: axis must be a scalar, not [{len(axis)}]")
    for word, flag in (("exclusive", exclusive), ("reverse", reverse)):
        if flag is not None and flag.__class__ is not bool:
            raise TypeError(f"Expected bool for argument {word!r} not {flag!r}.")
    check_axis(axis, x.ndim, "ScanOp: Expected scan axis in the range")
    turn = [slice(None)] * x.ndim
    turn[axis] = slice(None, None, -1)
    x = x[tuple(turn)] if reverse else x
    y = ufunc.accumulate(x, axis, x.dtype)
    if exclusive and x.shape[axis]:
        first, later, earlier = list(turn), list(turn), list(turn)
        first[axis], later[axis], earlier[axis] = slice(0, 1), slice(1, None), slice(None, -1)
        shifted = np.empty_like(y)
        shifted[tuple(first)] = start
        shifted[tuple(later)] = y[tuple(earlier)]
        y = shifted
    return y[tuple(turn)] if reverse else y


@op("InvertPermutation", dx=None)
def invert_permutation(x):
    """The order that undoes the order x: `y[x[i]] == i`.

    Raises:
        InvalidArgumentError: x does not hold each of 0, 1, 2 ... once.

    >>> import minigrad as mg
    >>> print(mg.math.invert_permutation([2, 0, 1]).numpy())
    [1 2 0]
    """
    if x.ndim != 1:
        raise invalid("invert_permutation expects a 1D vector.")
    if not x.size:
        return np.zeros(0, np.int32)
    if x.dtype not in (np.int32, np.int64):
        raise invalid(not_among("T", x.dtype, "int32, int64"))
    inverse = np.full(len(x), -1, x.dtype)
    for place, number in enumerate(x.tolist()):
        if not 0 <= number < len(x):
            raise invalid(f"{number} is not between 0 and {len(x)}")
        if inverse[number] >= 0:
            raise invalid(f"{number} is duplicated in the input.")
        inverse[number] = place
    return inverse


def lbeta(x, name=None):
    """log(abs(beta(x))) along the last axis: the sum of the `lgamma`s less the `lgamma` of the sum.

    >>> import minigrad as mg
    >>> print(mg.math.lbeta([1.0, 2.0]).numpy().round(4))
    -0.6931
    """
    x = convert(x)
    return reduce_sum(lgamma(x), axis=-1) - lgamma(reduce_sum(x, axis=-1))
