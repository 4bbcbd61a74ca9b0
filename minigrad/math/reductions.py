"""Reductions along axes, argmax and argmin, top-k, and cumulative sums and products."""

import collections

import numpy as np

from .. import errors
from ..engine import Tensor, bracketed, convert, invalid, not_among, op, tidy, unsupported
from ..errors import visible
from ..ops import broadcast_to, cast, reshape, stop_gradient
from ..ops.gathering import scatter_rows, where
from .arithmetic import ARITHMETIC, divide, sqrt, square, subtract
from .comparison import is_finite, less, less_equal, not_equal
from .complex_numbers import conj, real
from .elementwise import exp, log

__all__ = ["argmax", "argmin", "count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp", "in_top_k",
           "invert_permutation", "is_non_decreasing", "is_strictly_increasing", "reduce_all", "reduce_any",
           "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
           "reduce_std", "reduce_sum", "reduce_variance", "top_k", "zero_fraction"]  # fmt: skip


def is_non_decreasing(x, name=None) -> Tensor:
    """Whether no element of the flattened x is smaller than the one before it. Returns one bool.

    >>> import minigrad as mg
    >>> print(mg.math.is_non_decreasing([1.0, 1.0, 2.0]).numpy())
    True
    """
    return reduce_all(less_equal(*neighbours(x)))


def is_strictly_increasing(x, name=None) -> Tensor:
    """Whether each element of the flattened x is greater than the one before it. Returns one bool.

    >>> import minigrad as mg
    >>> print(mg.math.is_strictly_increasing([1.0, 1.0, 2.0]).numpy())
    False
    """
    return reduce_all(less(*neighbours(x)))


def neighbours(x):
    """All elements of the flattened x but the last, and all but the first: pairs of neighbours."""
    x = convert(x)
    if x.value.dtype.kind not in ARITHMETIC:
        raise TypeError(f"Expected x to be numeric, instead found: {x!s}")
    flat = reshape(x, (-1,))
    return flat[:-1], flat[1:]


# ---- reductions ----------------------------------------------------------------------------------------------------


def spread(dy, input_tensor_shape, axis):
    """Broadcast `dy` back along the axes that a reduction removed."""
    return broadcast_to.np(kept(dy, input_tensor_shape, axis), input_tensor_shape)


def kept(y, shape, axis):
    """The result of a reduction with the removed axes restored, each of length 1."""
    if not y.ndim or axis is None:
        return y
    gone = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return y.reshape(tuple([1 if i in gone else n for i, n in enumerate(shape)]))


@op("Sum", ARITHMETIC, twin=(np.add.reduce, np.sum), axis=tidy.axes, dinput_tensor=spread, math="upstream, to each")
def reduce_sum(input_tensor, axis=None, keepdims=False):
    """Sum of the elements along one axis, several axes, or all.

    Args:
        input_tensor: of any shape.
        axis: an int or a list of ints, negative ones counted from the end. None means all axes, [] means none.
        keepdims: keep the reduced axes, with length 1; otherwise they are removed.

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
    """Raise InvalidArgumentError: a scalar has no axes. (NumPy allows 0 and -1.)"""
    if axis != ():
        axis = axis if isinstance(axis, int) else axis[0]
        raise invalid(f"Invalid reduction dimension ({axis} for input with 0 dimension(s)")


@op("Mean", ARITHMETIC, twin=np.mean, axis=tidy.axes, math="upstream / count, to each",
    dinput_tensor=lambda dy, input_tensor_shape, input_tensor_size, axis:
        spread(dy / (input_tensor_size // (dy.size or 1)), input_tensor_shape, axis))  # fmt: skip
def reduce_mean(input_tensor, axis=None, keepdims=False):
    """Mean of the elements along one axis, several, or all; see `reduce_sum`. The mean of integers is truncated.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]]
    >>> y = mg.reduce_mean(x, axis=1), mg.reduce_mean(x, keepdims=True), mg.reduce_mean([3, 4])
    >>> print(y[0].numpy().round(4), y[1].numpy().round(4), y[2].numpy())
    [2.1667 5.    ] [[3.5833]] 3
    """
    if axis is not None and not input_tensor.ndim:
        refuse_axis(axis)
    if input_tensor.dtype.kind in "iu":
        return mean_of_integers(input_tensor, axis, keepdims)
    total = np.add.reduce(input_tensor, axis, input_tensor.dtype, None, keepdims)
    return total / (input_tensor.size // (total.size or 1))


def mean_of_integers(x, axis, keepdims):
    """Mean of integers, rounded toward 0."""
    total = np.add.reduce(x, axis, np.uint64 if x.dtype.kind == "u" else np.int64, None, keepdims)
    count = x.size // (total.size or 1) or 1
    return (np.sign(total) * (np.abs(total) // total.dtype.type(count))).astype(x.dtype)


def extreme_grad(dy, y, input_tensor, axis):
    """The VJP of an extreme: `dy`, shared evenly among the elements equal to the extreme."""
    hit = (input_tensor == kept(y, input_tensor.shape, axis)).astype(input_tensor.dtype)
    return hit / np.add.reduce(hit, axis=axis, keepdims=True) * kept(dy, input_tensor.shape, axis)


@op("Max", "iuf", twin=np.max, axis=tidy.axes, dinput_tensor=extreme_grad,
    math="upstream * [input_tensor == y] / sum([input_tensor == y], axis)")  # fmt: skip
def reduce_max(input_tensor, axis=None, keepdims=False):
    """Maximum along one axis, several, or all; see `reduce_sum`. Equal maxima share the gradient evenly.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 6.0, 5.0]]
    >>> print(mg.reduce_max(x, axis=1).numpy(), mg.reduce_max(x).numpy())
    [3. 6.] 6.0
    """
    return extreme(np.maximum, input_tensor, axis, keepdims)


@op("Min", "iuf", twin=np.min, axis=tidy.axes, dinput_tensor=extreme_grad,
    math="upstream * [input_tensor == y] / sum([input_tensor == y], axis)")  # fmt: skip
def reduce_min(input_tensor, axis=None, keepdims=False):
    """Minimum along one axis, several, or all; see `reduce_sum`. Equal minima share the gradient evenly.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [6.0, 4.0, 5.0]]
    >>> print(mg.reduce_min(x, axis=1).numpy(), mg.reduce_min(x).numpy())
    [1.5 4. ] 1.5
    """
    return extreme(np.minimum, input_tensor, axis, keepdims)


def extreme(ufunc, x, axis, keepdims):
    """Maximum, minimum, any or all along axes; without elements, the limit of the dtype, or False or True."""
    if axis is not None and not x.ndim:
        refuse_axis(axis)
    if x.size or ufunc.identity is not None:
        return ufunc.reduce(x, axis, None, None, keepdims)
    return ufunc.reduce(x, axis, None, None, keepdims, limit_of(ufunc, x.dtype))


def limit_of(ufunc, dtype):
    """The initial value of a maximum or minimum: no number of the dtype is smaller (or larger)."""
    least, most = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return least if ufunc is np.maximum else most


@op("Prod", ARITHMETIC, twin=np.prod, axis=tidy.axes, dinput_tensor=lambda dy, input_tensor, axis:
    spread(dy, input_tensor.shape, axis) * others(input_tensor, axis).conj(),
    math="upstream * the product of the others")  # fmt: skip
def reduce_prod(input_tensor, axis=None, keepdims=False):
    """Product of the elements along one axis, several, or all; see `reduce_sum`. The gradient is exact at zeros too.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 0.0, 6.0]]
    >>> print(mg.reduce_prod(x, axis=0).numpy(), mg.reduce_prod(x, axis=1).numpy())
    [ 6.  0. 18.] [9. 0.]
    """
    if axis is not None and not input_tensor.ndim:
        refuse_axis(axis)
    return np.multiply.reduce(input_tensor, axis, input_tensor.dtype, None, keepdims)


def others(x, axis):
    """For each element the product of all other elements along the axes: of those before it times those after it."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    gone = range(x.ndim) if axis is None else [a % x.ndim for a in axes]
    order = (*gone, *(a for a in range(x.ndim) if a not in gone))
    turned = np.transpose(x, order)
    rows = turned.reshape((int(np.prod([x.shape[a] for a in gone])), -1)) if x.size else turned
    product = cumprod.np(rows, 0, True, False) * cumprod.np(rows, 0, True, True)
    return np.transpose(product.reshape(turned.shape), tuple(np.argsort(order).tolist()))


@op("Any", "b", axis=tidy.axes, dinput_tensor=None)
def reduce_any(input_tensor, axis=None, keepdims=False):
    """Logical OR along one axis, several, or all; see `reduce_sum`.

    >>> import minigrad as mg
    >>> print(mg.reduce_any([[True, False], [False, False]], axis=1).numpy())
    [ True False]
    """
    return extreme(np.logical_or, input_tensor, axis, keepdims)


@op("All", "b", axis=tidy.axes, dinput_tensor=None)
def reduce_all(input_tensor, axis=None, keepdims=False):
    """Logical AND along one axis, several, or all; see `reduce_sum`.

    >>> import minigrad as mg
    >>> print(mg.reduce_all([[True, True], [True, False]], axis=1).numpy())
    [ True False]
    """
    return extreme(np.logical_and, input_tensor, axis, keepdims)


@op("EuclideanNorm", ARITHMETIC, axis=tidy.axes, dinput_tensor=lambda dy, y, input_tensor, axis:
    input_tensor / (kept(y, input_tensor.shape, axis) / kept(dy, input_tensor.shape, axis)),
    math="upstream * input_tensor / y")  # fmt: skip
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False):
    """L2 (Euclidean) norm along one axis, several, or all; see `reduce_sum`. At 0 the gradient is NaN.

    >>> import minigrad as mg
    >>> print(mg.math.reduce_euclidean_norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy())
    [ 5. 10.]
    """
    x = input_tensor
    if axis is not None and not x.ndim:
        refuse_axis(axis)
    return np.sqrt(np.add.reduce(x * x.conj(), axis, x.dtype, None, keepdims)).astype(x.dtype)


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Log-sum-exp: log(sum(exp(x))) along one axis, several, or all; see `reduce_sum`. Large numbers do not overflow.

    >>> import minigrad as mg
    >>> print(mg.reduce_logsumexp([[1.0, 2.0], [1000.0, 1000.0]], axis=1).numpy().round(4))
    [   2.3133 1000.6932]
    """
    top = stop_gradient(reduce_max(input_tensor, axis, True))
    top = where(is_finite(top), top, top.dtype.as_numpy_dtype(0))
    total = log(reduce_sum(exp(subtract(input_tensor, top)), axis, keepdims))
    return total + (top if keepdims else reshape(top, total.value.shape))


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Variance, the mean squared deviation from the mean, along one axis, several, or all; see `reduce_sum`.

    The sum of squares of n elements is divided by n, not by n - 1.

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
    """Standard deviation, the square root of `reduce_variance`. Where it is 0, the gradient is NaN.

    Raises:
        TypeError: the elements are integers.

    >>> import minigrad as mg
    >>> print(mg.math.reduce_std([[1.0, 3.0], [2.0, 6.0]], axis=1).numpy())
    [1. 2.]
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def count_nonzero(input, axis=None, keepdims=None, dtype=np.int64, name=None) -> Tensor:
    """Number of elements that are not 0 (of strings: not empty), along one axis, several, or all; see `reduce_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.count_nonzero([[0.0, 1.0], [2.0, 3.0]], axis=1).numpy())
    [1 2]
    """
    input = convert(input)
    zero = Tensor.of(np.array(b"", object) if input.value.dtype.kind == "O" else input.value.dtype.type(0))
    return cast(reduce_sum(cast(not_equal(input, zero), np.int64), axis, bool(keepdims)), dtype)


def zero_fraction(value, name=None) -> Tensor:
    """Fraction of the elements that are 0, as a float32; NaN if there are no elements.

    >>> import minigrad as mg
    >>> print(mg.math.zero_fraction([0.0, 1.0, 2.0, 0.0]).numpy())
    0.5
    """
    value = convert(value)
    zeros = value.value.size - int(count_nonzero(value))
    return divide(Tensor.of(np.float32(zeros)), Tensor.of(np.float32(value.value.size)))


# ---- argmax, argmin and top-k --------------------------------------------------------------------------------------


def axis_of(axis: int):
    """The axis of `argmax` or `argmin`. Raise TypeError for a list."""
    if isinstance(axis, (list, tuple)):
        raise TypeError("axis must be int or Tensor with integer datatype")
    return tidy.integer(axis)


@op("ArgMax", "biuf", axis=axis_of, output_type=tidy.dtype, dinput=None)
def argmax(input, axis=None, output_type=np.int64):
    """Index of the largest element along an axis; the first of equal ones.

    It is not differentiable (the gradient is None).

    Args:
        input: a Tensor of at least one axis.
        axis: the axis to search, which is removed; None means the first.
        output_type: the dtype of the result: int16, uint16, int32 or int64.

    Raises:
        InvalidArgumentError: there is no such axis, or it is empty.

    >>> import minigrad as mg
    >>> print(mg.argmax([[1.0, 3.0], [4.0, 2.0]]).numpy(), mg.argmax([[1.0, 3.0], [4.0, 2.0]], axis=1).numpy())
    [1 0] [1 0]
    """
    return index_of_extreme(np.argmax, input, axis, output_type, -np.inf, ("int16", "uint16", "int32", "int64"))


@op("ArgMin", "biuf", axis=axis_of, output_type=tidy.dtype, dinput=None)
def argmin(input, axis=None, output_type=np.int64):
    """Index of the smallest element along an axis; see `argmax`. Here `output_type` is int32 or int64.

    >>> import minigrad as mg
    >>> print(mg.argmin([[1.0, 3.0], [4.0, 2.0]], axis=1).numpy())
    [0 1]
    """
    return index_of_extreme(np.argmin, input, axis, output_type, np.inf, ("int32", "int64"))


def index_of_extreme(search, x, axis, output_type, worst, allowed):
    """Index of the extreme, found by `np.argmax` or `np.argmin`. NaN is replaced by the worst number first."""
    if output_type.name not in allowed:
        raise invalid(not_among("output_type", output_type, ", ".join(allowed)))
    axis = axis or 0
    check_axis(axis, x.ndim, "Expected dimension in the range")
    if not x.shape[axis]:
        raise invalid(f"Reduction axis {axis} is empty in shape {bracketed(x.shape)}")
    if x.dtype.kind == "f" and np.isnan(x).any():
        x = np.where(np.isnan(x), x.dtype.type(worst), x)
    return search(x, axis).astype(output_type)


def check_axis(axis, ndim, words):
    """Raise InvalidArgumentError, in the words of the op, unless the axis exists."""
    if not -ndim <= axis < ndim:
        raise invalid(f"{words} [{-ndim}, {ndim}), but got {axis}")


TopKV2 = collections.namedtuple("TopKV2", ["values", "indices"])


@op("TopKV2", "iuf", k=tidy.axes, index_type=tidy.dtype,
    dinput=lambda dz, z, input_shape: top_k_grad(dz[0], np.asarray(z[1]), input_shape),
    math="upstream[0], put back at the indices z[1]")  # fmt: skip
def top_k(input, k: int = 1, sorted=True, index_type=np.int32) -> TopKV2:
    """The k largest elements along the last axis, in descending order, and their indices.

    Args:
        input: shape `(..., n)`.
        k: the number of elements, at most n.
        sorted: accepted as in TensorFlow; here the result is always sorted.
        index_type: the dtype of the indices.

    Returns:
        `(values, indices)`, both of shape `(..., k)`. Of equal elements the one with the lower index comes first.

    Raises:
        InvalidArgumentError: k is negative or greater than n.

    >>> import minigrad as mg
    >>> values, indices = mg.math.top_k([[1.0, 5.0, 3.0], [9.0, 7.0, 8.0]], k=2)
    >>> print(values.numpy().tolist(), indices.numpy().tolist())
    [[5.0, 3.0], [9.0, 8.0]] [[1, 2], [0, 2]]
    """
    if not input.ndim:
        raise invalid("input must be >= 1-D, got shape []")
    if k.__class__ is tuple:
        raise invalid(f"k must be scalar, got shape [{len(k)}]")
    if k < 0:
        raise invalid(f"Need k >= 0, got {k}")
    if k > input.shape[-1]:
        raise invalid(f"input must have at least k columns. Had {input.shape[-1]}, needed {k}")
    falling = -input if input.dtype.kind == "f" else ~input  # ~ reverses the order of integers, and cannot overflow
    indices = np.argsort(falling, axis=-1, kind="stable")[..., :k]
    return TopKV2(np.take_along_axis(input, indices, -1), indices.astype(index_type))


def top_k_grad(values, indices, shape):
    """VJP of `top_k`: zeros of this shape, with the values at these indices along the last axis."""
    rows = np.arange(int(np.prod(shape[:-1]))).reshape((*shape[:-1], 1))
    places = (rows * shape[-1] + indices).ravel()
    return scatter_rows.np(values.reshape((-1,)), places, (int(np.prod(shape)),)).reshape(shape)


def in_top_k(targets, predictions, k, name=None) -> Tensor:
    """Whether the prediction for the target class is among the k largest predictions of its row.

    Args:
        targets: the class of each example, shape `(batch,)`.
        predictions: float32, shape `(batch, classes)`.
        k: fewer than k predictions of the row may be larger; equal ones do not count.

    Returns:
        Bools of shape `(batch,)`. False if the target is not a class, or if a prediction of the row is not finite.

    Raises:
        InvalidArgumentError: the shapes do not match these.

    >>> import minigrad as mg
    >>> print(mg.math.in_top_k([0, 2], [[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]], k=2).numpy())
    [False  True]
    """
    return among_greatest(convert(predictions, Tensor.of(np.float32(0))), convert(targets).value, k)


@op("InTopKV2", "f", k=tidy.integer, dpredictions=None)
def among_greatest(predictions, targets: np.ndarray, k):
    """Op behind `mg.math.in_top_k`.

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


@op("Cumsum", ARITHMETIC, axis=tidy.axes, math="cumsum(upstream, axis, exclusive, not reverse)",
    dx=lambda dy, axis, exclusive, reverse: cumsum.np(dy, axis, exclusive, not reverse))  # fmt: skip
def cumsum(x, axis: int = 0, exclusive=False, reverse=False):
    """Cumulative sum along an axis: each element plus all elements before it, in the same shape.

    Args:
        x: a Tensor of at least one axis.
        axis: the axis.
        exclusive: leave out the element itself, so that the first sum is 0.
        reverse: sum the elements after it instead of those before it.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.cumsum([1.5, 2.0, 4.0]).numpy(), mg.cumsum([1.5, 2.0, 4.0], exclusive=True).numpy())
    [1.5 3.5 7.5] [0.  1.5 3.5]
    >>> print(mg.cumsum([[1.5, 2.0, 4.0]], axis=-1, reverse=True).numpy())
    [[7.5 6.  4. ]]
    """
    return accumulate_along(np.add, x, axis, exclusive, reverse, 0)


def cumprod_grad(dy, x, y, axis, exclusive, reverse):
    """VJP of `cumprod`: for each element, the sum over the products that contain it of dy times the other factors."""
    if np.all(np.asarray(x)):
        return cumsum.np(y * dy, axis, exclusive, not reverse) / x
    # row k of a square matrix is x with x[k] replaced by 1: its products leave x[k] out
    order = list(range(x.ndim))
    order[axis], order[-1] = order[-1], order[axis]
    x, dy = np.transpose(x, tuple(order)), np.transpose(dy, tuple(order))
    one = np.eye(x.shape[-1], dtype=x.dtype)
    without = cumprod.np(x[..., None, :] * (1 - one) + one, -1, exclusive, reverse)
    concerned = cumsum.np(one, -1, exclusive, reverse)
    return np.transpose(np.add.reduce(without * concerned * dy[..., None, :], axis=-1), tuple(order))


@op("Cumprod", ARITHMETIC, axis=tidy.axes, dx=cumprod_grad,
    math="sum of upstream * the product of the others, over the products with this element")  # fmt: skip
def cumprod(x, axis: int = 0, exclusive=False, reverse=False):
    """Cumulative product along an axis: each element times all elements before it; see `cumsum`.

    The gradient is exact where elements are 0; TensorFlow, which divides by each element, returns 0 there.

    >>> import minigrad as mg
    >>> print(mg.math.cumprod([1.5, 2.0, 4.0]).numpy(), mg.math.cumprod([1.5, 0.0, 4.0], exclusive=True).numpy())
    [ 1.5  3.  12. ] [1.  1.5 0. ]
    >>> print(mg.math.cumprod([[1.5, 0.0, 4.0]], axis=1, reverse=True).numpy())
    [[0. 0. 4.]]
    """
    return accumulate_along(np.multiply, x, axis, exclusive, reverse, 1)


@op("CumulativeLogsumexp", "f", axis=tidy.axes, dx=lambda dy, x, y, axis, exclusive, reverse:
    grad_of_positive(dy, x, y, axis, exclusive, reverse) - grad_of_positive(-dy, x, y, axis, exclusive, reverse),
    math="exp(x) * cumsum(upstream * exp(-y), axis, exclusive, not reverse)")  # fmt: skip
def cumulative_logsumexp(x, axis: int = 0, exclusive=False, reverse=False):
    """Cumulative log-sum-exp along an axis: log(sum(exp(x))) of each element and all elements before it; see `cumsum`.

    >>> import minigrad as mg
    >>> print(mg.math.cumulative_logsumexp([1.0, 2.0, 0.5]).numpy().round(4))
    [1.     2.3133 2.4644]
    >>> print(mg.math.cumulative_logsumexp([[1.0, 2.0, 0.5]], axis=1, reverse=True).numpy().round(4))
    [[2.4644 2.2014 0.5   ]]
    """
    return accumulate_along(np.logaddexp, x, axis, exclusive, reverse, -np.inf)


def grad_of_positive(dy, x, y, axis, exclusive, reverse):
    """VJP of `cumulative_logsumexp` for the positive part of dy, computed from log(dy) so that nothing overflows."""
    positive = dy > 0
    log_dy = np.where(positive, np.log(np.where(positive, dy, 1)), np.finfo(dy.dtype).min)
    return np.exp(cumulative_logsumexp.np(log_dy - y, axis, exclusive, not reverse) + x)


def accumulate_along(ufunc, x, axis, exclusive, reverse, start):
    """Accumulate a ufunc along an axis, as `cumsum` does with np.add. An exclusive scan begins with `start`."""
    if axis is None:
        raise errors.by_python(unsupported(axis))
    if axis.__class__ is tuple:
        raise invalid(f"ScanOp: axis must be a scalar, not [{len(axis)}]")
    for word, flag in (("exclusive", exclusive), ("reverse", reverse)):
        if flag is not None and flag.__class__ is not bool:
            raise TypeError(f"Expected bool for argument {word!r} not {visible(repr(flag))}.")
    check_axis(axis, x.ndim, "ScanOp: Expected scan axis in the range")
    x = np.flip(x, axis) if reverse else x
    y = ufunc.accumulate(x, axis, x.dtype)
    if exclusive and x.shape[axis]:
        y = np.roll(y, 1, axis)
        np.moveaxis(y, axis, 0)[0] = start
    return np.flip(y, axis) if reverse else y


@op("InvertPermutation", dx=None)
def invert_permutation(x):
    """Inverse permutation y of a permutation x: `y[x[i]] == i`.

    Args:
        x: int32 or int64, shape `(n,)`: each of 0, 1, ..., n - 1 once.

    Raises:
        InvalidArgumentError: x is not such a permutation.

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
