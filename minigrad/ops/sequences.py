"""tf's top-level ops that make Tensors by a pattern: fill, range, linspace, meshgrid, one_hot, sequence_mask."""

import builtins
from typing import Any

import numpy as np

from ..engine import Tensor, as_value, bracketed, convert, dtypes, invalid, op, tidy
from ..engine.operands import TensorLike
from ..errors import visible, visible_lines
from .creation import cast, convert_to_tensor, ones, wrong_kind
from .shaping import broadcast_to, concat, expand_dims, reshape

__all__ = ["fill", "linspace", "meshgrid", "one_hot", "range", "sequence_mask"]


@op("Fill", ddims=None, dvalue=lambda dy: dy, math="sum(upstream)")
def fill(dims, value):
    """Tensor of shape `dims`, filled with one value.

    Raises:
        InvalidArgumentError: a length is negative or not an integer, or the value is not a scalar.

    >>> import minigrad as mg
    >>> print(mg.fill([1, 2], 7.0))
    mg.Tensor([[7. 7.]], shape=(1, 2), dtype=float32)
    """
    if value.ndim > 1 or value.size != 1:
        raise invalid(f"value must represent a scalar, got shape {bracketed(value.shape)}")
    if dims.dtype.kind not in "iu" and dims.size:
        raise wrong_kind("index_type", dims)
    return broadcast_to.np(value.reshape(()), lengths_in(dims))


def lengths_in(dims):
    """A shape given as a Tensor, converted to a tuple."""
    if dims.ndim > 1:
        raise invalid(f"dims must represent a vector, got shape {bracketed(dims.shape)}")
    shape = tuple(dims.ravel().tolist())
    if any(n < 0 for n in shape):
        raise invalid(f"Dimension {min(shape)} must be >= 0")
    return shape


NUMBERS = [np.dtype(code) for code in ("i4", "i8", "f2", "f4", "f8")]  # the dtypes of a range, the widest last


def range(start, limit=None, delta=1, dtype=None, name="range") -> Tensor:
    """Numbers from `start` up to `limit`, which is left out, in steps of `delta`.

    Args:
        start: the first number; without `limit` it is the limit, and the first number is 0.
        limit: where to stop.
        delta: the step, positive or negative.
        dtype: of the result; None takes the widest dtype of the three.

    Raises:
        InvalidArgumentError: `delta` is 0 or leads away from `limit`, or one of the three is not a scalar.
        AssertionError: `dtype` is None, and one of the three is neither int32, int64, float16, float32 nor float64.

    >>> import minigrad as mg
    >>> print(mg.range(2, 8, 3), mg.range(1.0, 2.0, 0.5))
    mg.Tensor([2 5], shape=(2,), dtype=int32) mg.Tensor([1.  1.5], shape=(2,), dtype=float32)
    """
    start, limit = (0, start) if limit is None else (start, limit)
    given = [x.value if isinstance(x, Tensor) else as_value(x, dtype) for x in (start, limit, delta)]
    if dtype is None:
        assert all(x.dtype in NUMBERS for x in given), "a range is made of int32, int64, float16, float32 or float64"
        wanted = max([x.dtype for x in given], key=NUMBERS.index)
    else:
        wanted = dtypes.to_numpy(dtype)
    for word, x in zip(("start", "limit", "delta"), given):
        if x.size != 1 or x.ndim > 1:
            raise invalid(f"{word} must be a scalar, not shape {bracketed(x.shape)} [Op:Range] name: ")
    start, limit, delta = [x.reshape(()).astype(wanted)[()] for x in given]
    if delta == 0:
        raise invalid(f"Requires delta != 0: {delta} [Op:Range] name: ")
    if not (limit >= start if delta > 0 else limit <= start):
        how = "start <= limit when delta > 0" if delta > 0 else "start >= limit when delta < 0"
        raise invalid(f"Requires {how}: {start:g}/{limit:g} [Op:Range] name: ")
    exact = wanted.kind in "iu"
    steps = -((int(start) - int(limit)) // int(delta)) if exact else np.ceil(np.abs((limit - start) / delta))
    if not float(steps) < 2**63:
        raise invalid(f"Requires ((limit - start) / delta) <= {2**63 - 1} [Op:Range] name: ")
    return Tensor.of(start + np.arange(int(steps)).astype(wanted) * delta)


def linspace(start, stop, num, name=None, axis=0) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
        start, stop: numbers, or Tensors, which are broadcast.
        num: an int.
        axis: the index of the new axis, of length `num`, along which the numbers lie.

    Raises:
        TypeError: `num` is not an integer.
        InvalidArgumentError: `num` is negative.

    >>> import minigrad as mg
    >>> print(mg.linspace(0.0, 1.0, 5))
    mg.Tensor([0.   0.25 0.5  0.75 1.  ], shape=(5,), dtype=float32)
    """
    start = convert_to_tensor(start)
    stop = convert_to_tensor(stop, start.dtype)
    num, axis = whole_num(num), tidy.integer(axis)
    both = np.broadcast_shapes(start.shape, stop.shape)
    start, stop = [expand_dims(broadcast_to(x, both), axis) for x in (start, stop)]
    step = (stop - start) / cast(max(num - 1, 1), start.dtype)
    start, stop = cast(start, step.dtype), cast(stop, step.dtype)
    shape = [1] * start.ndim
    shape[axis] = -1
    inner = reshape(cast(range(1, max(num - 1, 1)), step.dtype), shape)
    whole = concat([start, start + step * inner, stop], axis)
    key = [builtins.slice(None)] * start.ndim
    key[axis] = builtins.slice(num)
    return whole[tuple(key)]


def whole_num(num):
    """The `num` of `linspace` as an int."""
    if convert(num).value.dtype.kind not in "iu":
        given = convert(num)
        problem = "Argument `tensor` (name: num) must be of type integer."
        raise TypeError(f"{problem} Received `tensor` = {visible_lines(num)} of dtype: {given.dtype}")
    num = tidy.integer(num)
    if num < 0:
        raise invalid("Requires start <= limit when delta > 0: 1/-1 [Op:Range] name: ")
    return num


def meshgrid(*args, indexing="xy", name="meshgrid") -> list:
    """Coordinates of all points of a grid, from the coordinates along each axis.

    Args:
        *args: vectors, one for each axis.
        indexing: "ij" gives the results the shape `(len(args[0]), len(args[1]), ...)`; "xy" swaps the first two axes,
            as is usual for images.

    Returns:
        A list with a Tensor for each axis, all of the shape of the grid: the coordinate of each point along that axis.

    Raises:
        ValueError: there is no such indexing.

    >>> import minigrad as mg
    >>> across, up = mg.meshgrid([1.0, 2.0, 3.0], [10.0, 20.0])
    >>> print(across.numpy(), up.numpy())
    [[1. 2. 3.]
     [1. 2. 3.]] [[10. 10. 10.]
     [20. 20. 20.]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got {visible(repr(indexing))}")
    tensors = [convert_to_tensor(x) for x in args]
    axes = list(builtins.range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        axes[:2] = 1, 0
    lengths = [tensors[axis].value.size for axis in axes]
    grid = ones(lengths, tensors[0].dtype) if tensors else None
    shapes = [[-1 if i == axis else 1 for i in builtins.range(len(tensors))] for axis in axes]
    return [reshape(x, shape) * grid for x, shape in zip(tensors, shapes)]


@op("OneHot", depth=tidy.depth, axis=tidy.integer, dindices=None)
def one_hot(indices, depth, on_value: TensorLike | None = None, off_value: TensorLike | None = None, axis=None,
            dtype: Any = None):  # fmt: skip
    """One-hot vectors: for each index a vector of length `depth`, with 1 at that index and 0 elsewhere.

    Args:
        indices: integers of any shape; an index that is not in 0 ... depth - 1 gives only zeros.
        depth: the length of the new axis.
        on_value, off_value: in place of 1 and 0.
        axis: the index of the new axis in the result; None means -1, the last.
        dtype: of the result; None takes that of the values, or float32.

    Raises:
        TypeError: the values do not have one dtype.
        InvalidArgumentError: `depth` is negative, there is no such axis, or the indices are not integers.

    >>> import minigrad as mg
    >>> print(mg.one_hot([0, 2], 3).numpy())
    [[1. 0. 0.]
     [0. 0. 1.]]
    """
    on, off = one_hot_values(on_value, off_value, dtype)
    axis = -1 if axis is None else axis
    if indices.dtype.kind not in "iu" and indices.size:
        raise wrong_kind("TI", indices)
    if depth < 0:
        raise invalid(f"depth must be non-negative, got: {depth}")
    if not -1 <= axis <= indices.ndim:
        raise invalid(f"Expected axis to be -1 or between [0, {indices.ndim + 1}).  But received: {axis}")
    hot = np.asarray(indices)[..., None] == np.arange(depth)
    return np.moveaxis(np.where(hot, on, off), -1, axis)


def one_hot_values(on, off, dtype):
    """The two values of `one_hot`, in their common dtype."""
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    given = {word: convert_to_tensor(x, dtype_hint=wanted) for word, x in (("on", on), ("off", off)) if x is not None}
    for word, x in given.items():
        if wanted is not None and x.dtype != wanted:
            raise TypeError(f"dtype {x.dtype} of {word}_value does not match dtype parameter {wanted}")
    if len(given) == 2 and given["on"].dtype != given["off"].dtype:
        raise TypeError(f"dtype {given['on'].dtype} of on_value does not match dtype {given['off'].dtype} of off_value")
    wanted = next((x.dtype for x in given.values()), wanted or dtypes.float32)
    default = {"on": 1, "off": 0}
    return [given[word].value if word in given else as_value(default[word], wanted) for word in default]


def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None) -> Tensor:
    """Mask of sequences: one row for each length, True before that index and False from there on.

    Args:
        lengths: integers of any shape.
        maxlen: the length of the rows; None takes the largest of `lengths`.
        dtype: of the result.

    Returns:
        Shape `lengths.shape + (maxlen,)`.

    Raises:
        ValueError: `maxlen` is not a scalar.

    >>> import minigrad as mg
    >>> print(mg.sequence_mask([1, 3], 4).numpy())
    [[ True False False False]
     [ True  True  True False]]
    """
    lengths = convert(lengths).value
    maxlen = np.maximum.reduce(lengths, None, initial=0) if maxlen is None else convert(maxlen).value
    if maxlen.ndim:
        given = f"received `maxlen` = {maxlen} with shape '{maxlen.shape}' instead"
        raise ValueError(f"Argument `maxlen` must be scalar for sequence_mask, {given}")
    return cast(np.arange(maxlen) < lengths.astype(maxlen.dtype)[..., None], dtype)
