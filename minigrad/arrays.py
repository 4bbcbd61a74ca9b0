"""tf's array ops: shapes, joining, cutting, picking. Each op is a NumPy expression, and above it its derivatives."""

import builtins
import collections
import functools
import itertools

import numpy as np

from . import attributes as tidy
from . import dtypes, errors
from .arguments import BATCHED_TWINS, Batched, keeps_rows, later
from .conversion import as_value, unsupported
from .custom import unregistered
from .listening import unrecorded, warn
from .op import convert, op, tensor_of
from .operands import cast as cast_silently
from .operands import first_tensor
from .shape import TensorShape, bracketed
from .slices import IndexedSlices, Rows
from .tensor import Tensor
from .variable import Variable, read_value


def invalid(message, kernel=None):
    """The error of an op that cannot use what it was given. (TensorFlow's may be that of another kernel inside.)"""
    return errors.InvalidArgumentError(None, kernel, message)


# ---- values --------------------------------------------------------------------------------------------------------


def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) -> Tensor:
    """The value as a Tensor. A Tensor stays as it is, and a Variable is read: both stay connected.

    Args:
        value: a Tensor, a Variable, or what `mg.constant` takes; lists may hold Tensors, and stay connected too.
        dtype: what the elements shall be; None takes the natural dtype.
        dtype_hint: used in place of `dtype` where it fits the value.
        name: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: a Tensor has another dtype: nothing is cast in silence.
        TypeError: the value does not fit the dtype.

    >>> import minigrad as mg
    >>> v = mg.Variable(3.0)
    >>> print(mg.convert_to_tensor([v, 1.0]))
    mg.Tensor([3. 1.], shape=(2,), dtype=float32)
    """
    if dtype is None and dtype_hint is not None:
        try:
            return convert_to_tensor(value, dtype_hint)
        except (TypeError, ValueError):
            return convert_to_tensor(value)
    if not hasattr(value, "__tf_tensor__"):
        tensor = tensor_of(value, dtype)
        return tensor if tensor.id else Tensor.of(tensor.value)  # one that can be watched
    tensor = value.__tf_tensor__(dtype, name)
    return read_value(value) if isinstance(value, Variable) else tensor


def is_tensor(x) -> bool:
    """Is `x` a Tensor, a Variable or IndexedSlices?

    >>> import minigrad as mg
    >>> mg.is_tensor(mg.constant(1.0)), mg.is_tensor(1.0)
    (True, False)
    """
    return hasattr(x, "__tf_tensor__")


@op("Identity", dinput=keeps_rows(lambda dy: dy))
def identity(input):
    """The same value, as a Tensor of its own.

    >>> import minigrad as mg
    >>> print(mg.identity(3.0))
    mg.Tensor(3.0, shape=(), dtype=float32)
    """
    return input


@op("IdentityN", dinput=lambda dys, k: dys[k])
def identity_n(input: tuple) -> list:
    """The same values, as Tensors of their own.

    >>> import minigrad as mg
    >>> x, n = mg.identity_n([1.5, 2])
    >>> print(x.numpy(), n.numpy())
    1.5 2
    """
    return list(input)


@op("StopGradient", dinput=None)
def stopped(input):
    """What `stop_gradient` computes.

    >>> import minigrad as mg
    >>> print(mg.stop_gradient(3.0).numpy())
    3.0
    """
    return input


def stop_gradient(input, name=None) -> Tensor:
    """The same value as a constant: no gradient passes.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.GradientTape() as tape:
    ...     y = x * mg.stop_gradient(x)
    >>> print(tape.gradient(y, x).numpy())
    3.0
    """
    with unrecorded():
        return stopped(input)


# ---- dtypes --------------------------------------------------------------------------------------------------------


@op("Cast", dx=keeps_rows(lambda dy, x_dtype: dy.astype(x_dtype)))
def cast_smoothly(x, dtype: tidy.dtype):
    """`cast` between float and complex dtypes, which has a derivative.

    >>> import minigrad as mg
    >>> print(mg.cast([1.5, 2.5], mg.float64))
    mg.Tensor([1.5 2.5], shape=(2,), dtype=float64)
    """
    return (x.real if x.dtype.kind == "c" != dtype.kind else x).astype(dtype)


@op("Cast", dx=None)
def cast_coarsely(x, dtype: tidy.dtype):
    """`cast` from or to integers and booleans, which has no derivative.

    >>> import minigrad as mg
    >>> print(mg.cast([1.7, -1.7], mg.int32))
    mg.Tensor([ 1 -1], shape=(2,), dtype=int32)
    """
    if (x.dtype.kind == "O") != (dtype.kind == "O"):
        source, target = dtypes.BY_NUMPY[x.dtype].kernel_name, dtypes.BY_NUMPY[dtype].kernel_name
        raise errors.UnimplementedError(None, None, f"Cast {source} to {target} is not supported")
    return (x.real if x.dtype.kind == "c" else x).astype(dtype)


def cast(x, dtype, name=None) -> Tensor:
    """The same numbers in another dtype.

    Between float and complex dtypes it has a derivative; from or to integers and booleans it has none.

    Args:
        x: numbers of any dtype, or IndexedSlices of them. Toward an integer they are cut off, toward bool everything
            but 0 is True, and of a complex number that becomes real the real part is taken.
        dtype: the dtype wanted.
        name: accepted as in TensorFlow, without effect.

    Raises:
        UnimplementedError: from or to strings.

    >>> import minigrad as mg
    >>> print(mg.cast([0.0, 2.7], mg.int32), mg.cast([0.0, 2.7], mg.bool))
    mg.Tensor([0 2], shape=(2,), dtype=int32) mg.Tensor([False  True], shape=(2,), dtype=bool)
    """
    dtype = dtypes.to_numpy(dtype)
    if x.__class__ is not Tensor:
        if hasattr(x, "assign") and x.dtype == dtype:
            return x
        if isinstance(x, IndexedSlices):
            return x.with_values(cast(x.values, dtype))
        x = convert(x)
    given = x.value.dtype
    if given == dtype:
        return x
    warn_of_real_parts(given, dtype)
    return cast_silently(x, dtype)


def warn_of_real_parts(given, dtype):
    """Complex numbers are made real: it is said, as often as it happens."""
    if given.kind == "c" and dtype.kind == "f":
        warn(
            "You are casting an input of type %s to an incompatible dtype %s.  This will discard the imaginary part and may not be "
            "what you intended.", given, dtype,
        )  # fmt: skip


def saturate_cast(value, dtype, name=None) -> Tensor:
    """`cast`, where a number beyond the limits of the new dtype becomes the limit.

    >>> import minigrad as mg
    >>> print(mg.saturate_cast([300.0, -1.0, 5.0], mg.uint8))
    mg.Tensor([255   0   5], shape=(3,), dtype=uint8)
    """
    value, dtype = convert_to_tensor(value), dtypes.as_dtype(dtype)
    given = value.dtype
    if dtype.is_complex:
        return cast(value, dtype)
    if given.is_complex:
        warn("Casting complex to real discards imaginary part.")
        return saturate_cast(cast_silently(value, value.value.real.dtype), dtype)
    if given.min < dtype.min:
        value = where(value < within(given, dtype.min, 0), within(given, dtype.min, 0), value)
    if given.max > dtype.max:
        value = where(value > within(given, dtype.max, 0), within(given, dtype.max, 0), value)
    return cast(value, dtype)


def within(dtype, limit, inward):
    """The limit in another dtype; where that has no such number, the next one inward."""
    number = dtype.as_numpy_dtype(limit)
    return Tensor.of(number if abs(int(number)) <= abs(int(limit)) else np.nextafter(number, number.dtype.type(inward)))


@op("Bitcast", **unregistered("Bitcast", "output", "input"))
def bitcast(input, type: tidy.dtype):
    """The same bits, read as another dtype. A larger dtype takes up the last axis, a smaller one makes a new one.

    >>> import minigrad as mg
    >>> print(mg.bitcast([1.0, -2.0], mg.uint32))
    mg.Tensor([1065353216 3221225472], shape=(2,), dtype=uint32)
    """
    old, new = input.dtype.itemsize, type.itemsize
    if old < new and (not input.ndim or input.shape[-1] * old != new):
        raise invalid(f"Cannot bitcast from {new // old} to {input.shape[-1] if input.ndim else 0}")
    bits = np.ascontiguousarray(input).reshape(input.shape)
    return bits.view(type) if old == new else bits[..., None].view(type) if old > new else bits.view(type)[..., 0]


# ---- constants -----------------------------------------------------------------------------------------------------


def zeros(shape, dtype=dtypes.float32, name=None, layout=None) -> Tensor:
    """Zeros of this shape (among strings: empty ones).

    >>> import minigrad as mg
    >>> print(mg.zeros(2))
    mg.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    return Tensor.of(full(tidy.lengths(shape, None), *nothing(dtypes.to_numpy(dtype))))


def ones(shape, dtype=dtypes.float32, name=None, layout=None) -> Tensor:
    """Ones of this shape.

    >>> import minigrad as mg
    >>> print(mg.ones([1, 2], mg.int32))
    mg.Tensor([[1 1]], shape=(1, 2), dtype=int32)
    """
    dtype = dtypes.to_numpy(dtype)
    if dtype.kind == "O":
        raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
    return Tensor.of(full(tidy.lengths(shape, None), 1, dtype))


def nothing(dtype):
    """What stands where there is nothing, 0 or an empty string, and its dtype."""
    return b"" if dtype.kind == "O" else 0, dtype


def full(shape, value, dtype):
    """An array with one value everywhere."""
    if min(shape, default=0) < 0:
        raise invalid(f"Dimension {min(shape)} must be >= 0 [Op:Fill] name: ")
    array = np.full(shape, value, dtype)
    return array if dtype.kind == "O" else array[()]


@op("Fill", ddims=None, dvalue=lambda dy: dy)
def fill(dims, value):
    """One value in every place of this shape.

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
    """A shape that was given as a Tensor."""
    if dims.ndim > 1:
        raise invalid(f"dims must represent a vector, got shape {bracketed(dims.shape)}")
    shape = tuple(dims.ravel().tolist())
    if min(shape, default=0) < 0:
        raise invalid(f"Dimension {min(shape)} must be >= 0")
    return shape


INDICES = "hilq"  # int16, int32 and int64, as NumPy's letters


def wrong_kind(attr, indices):
    """The error for numbers that should be whole, and are not."""
    kind = dtypes.BY_NUMPY[indices.dtype].kernel_name
    return invalid(f"Value for attr '{attr}' of {kind} is not in the list of allowed values: int16, int32, int64")


@op("ZerosLike", dinput=None)
def zeros_like(input, dtype: tidy.dtype = None):
    """Zeros in the shape of `input`. They do not depend on it: nothing flows.

    >>> import minigrad as mg
    >>> print(mg.zeros_like([1.0, 2.0]))
    mg.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    return full(input.shape, *nothing(input.dtype if dtype is None else dtype))


@op("OnesLike", dinput=None)
def ones_like(input, dtype: tidy.dtype = None):
    """Ones in the shape of `input`. They do not depend on it: nothing flows.

    >>> import minigrad as mg
    >>> print(mg.ones_like([1.0, 2.0]))
    mg.Tensor([1. 1.], shape=(2,), dtype=float32)
    """
    dtype = input.dtype if dtype is None else dtype
    if dtype.kind == "O":
        raise invalid("Value for attr 'T' of string is not in the list of allowed values: those of numbers and truth values")
    return full(input.shape, 1, dtype)


NUMBERS = [np.dtype(code) for code in ("i4", "i8", "f2", "f4", "f8")]  # what a range can be made of, the widest last


def range(start, limit=None, delta=1, dtype=None, name="range") -> Tensor:
    """The numbers from `start` up to, but without, `limit`, in steps of `delta`.

    Args:
        start: the first number; if there is no `limit`, it is the limit, and 0 is the first.
        limit: where to stop.
        delta: the step.
        dtype: of the result; by default the widest of the three.
        name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: `delta` is 0 or leads away from `limit`, or one of the three is no single number.

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
    steps = -((start - limit) // delta) if wanted.kind in "iu" else np.ceil(np.abs((limit - start) / delta))
    if not steps <= 2**63 - 1:
        raise invalid(f"Requires ((limit - start) / delta) <= {2**63 - 1} [Op:Range] name: ")
    return Tensor.of(start + np.arange(int(steps)).astype(wanted) * delta)


def linspace(start, stop, num, name=None, axis=0) -> Tensor:
    """`num` numbers at equal distances, from `start` to `stop`, both included.

    Args:
        start, stop: numbers or Tensors; the numbers lie along a new axis.
        num: how many.
        name: accepted as in TensorFlow, without effect.
        axis: the place of the new axis.

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
    if convert(num).value.dtype.kind not in "iu":
        given = convert(num)
        raise TypeError(f"Argument `tensor` (name: num) must be of type integer. Received `tensor` = {num} of dtype: {given.dtype}")
    num = tidy.integer(num)
    if num < 0:
        raise invalid("Requires start <= limit when delta > 0: 1/-1 [Op:Range] name: ")
    return num


def meshgrid(*args, indexing="xy", name="meshgrid") -> list:
    """The coordinates of every point of a grid, from those along its axes: one Tensor for each axis.

    Args:
        *args: vectors, one for each axis.
        indexing: "xy" gives the first two results the shape (y, x), as pictures have it; "ij" keeps the order.
        name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> across, up = mg.meshgrid([1.0, 2.0, 3.0], [10.0, 20.0])
    >>> print(across.numpy(), up.numpy())
    [[1. 2. 3.]
     [1. 2. 3.]] [[10. 10. 10.]
     [20. 20. 20.]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got {indexing!r}")
    args = [convert_to_tensor(x) for x in args]
    places = list(builtins.range(len(args)))
    if indexing == "xy" and len(args) > 1:
        places[:2] = 1, 0
    lengths = [1] * len(args)
    for x, place in zip(args, places):
        lengths[place] = x.value.size
    grid = ones(lengths, args[0].dtype) if args else None
    return [reshape(x, [-1 if i == place else 1 for i in builtins.range(len(args))]) * grid for x, place in zip(args, places)]


@op("OneHot", dindices=None)
def one_hot(indices, depth: tidy.depth, on_value=None, off_value=None, axis: tidy.integer = None, dtype=None):
    """For each index a vector of length `depth`, with 1 at that place and 0 elsewhere.

    Args:
        indices: whole numbers; what is outside of 0 .. depth-1 gives zeros.
        depth: the length of the new axis.
        on_value, off_value: in place of 1 and 0.
        axis: where the new axis goes: -1 (last) by default.
        dtype: of the result; float32, or that of `on_value`, by default.

    Raises:
        TypeError: the values do not have one dtype.
        InvalidArgumentError: `depth` is negative, or there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.one_hot([0, 2], 3).numpy())
    [[1. 0. 0.]
     [0. 0. 1.]]
    """
    on, off, axis = *one_hot_values(on_value, off_value, dtype), -1 if axis is None else axis
    if indices.dtype.kind not in "iu" and indices.size:
        raise wrong_kind("TI", indices)
    if depth < 0:
        raise invalid(f"depth must be non-negative, got: {depth}")
    if not -1 <= axis <= indices.ndim:
        raise invalid(f"Expected axis to be -1 or between [0, {indices.ndim + 1}).  But received: {axis}")
    hot = np.asarray(indices)[..., None] == np.arange(depth)
    return np.moveaxis(np.where(hot, on, off), -1, axis)


def one_hot_values(on, off, dtype):
    """What `one_hot` writes, with the dtype that both have."""
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    given = {word: convert_to_tensor(x, dtype_hint=wanted) for word, x in (("on", on), ("off", off)) if x is not None}
    for word, x in given.items():
        if wanted is not None and x.dtype != wanted:
            raise TypeError(f"dtype {x.dtype} of {word}_value does not match dtype parameter {wanted}")
    if len(given) == 2 and given["on"].dtype != given["off"].dtype:
        raise TypeError(f"dtype {given['on'].dtype} of on_value does not match dtype {given['off'].dtype} of off_value")
    wanted = next((x.dtype for x in given.values()), wanted or dtypes.float32)
    return [given[word].value if word in given else as_value(default, wanted) for word, default in (("on", 1), ("off", 0))]


def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None) -> Tensor:
    """For each length a row that is True up to there and False after.

    >>> import minigrad as mg
    >>> print(mg.sequence_mask([1, 3], 4).numpy())
    [[ True False False False]
     [ True  True  True False]]
    """
    lengths = convert(lengths).value
    maxlen = np.maximum.reduce(lengths, None, initial=0) if maxlen is None else convert(maxlen).value
    if maxlen.ndim:
        raise ValueError(
            f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} with shape '{maxlen.shape}' instead"
        )
    return cast(Tensor.of(np.arange(np.ceil(maxlen)) < lengths.astype(maxlen.dtype)[..., None]), dtype)


# ---- asking --------------------------------------------------------------------------------------------------------


@op("Shape", dinput=None)
def shape(input, out_type: tidy.dtype = None):
    """The length of each axis, as a Tensor.

    >>> import minigrad as mg
    >>> print(mg.shape([[1.0, 2.0, 3.0]]))
    mg.Tensor([1 3], shape=(2,), dtype=int32)
    """
    return np.array(input.shape, out_type or np.int32)


def shape_n(input, out_type=dtypes.int32, name=None) -> list:
    """The shape of each Tensor of a list.

    >>> import minigrad as mg
    >>> print(*mg.shape_n([[1.0, 2.0], 5.0]))
    mg.Tensor([2], shape=(1,), dtype=int32) mg.Tensor([], shape=(0,), dtype=int32)
    """
    return [shape(x, out_type) for x in input]


@op("Size", dinput=None)
def size(input, out_type: tidy.dtype = None):
    """How many elements there are, as a Tensor.

    >>> import minigrad as mg
    >>> print(mg.size([[1.0, 2.0, 3.0]]))
    mg.Tensor(3, shape=(), dtype=int32)
    """
    return (out_type or np.dtype(np.int32)).type(input.size)


@op("Rank", dinput=None)
def rank(input):
    """How many axes there are, as a Tensor.

    >>> import minigrad as mg
    >>> print(mg.rank([[1.0, 2.0, 3.0]]))
    mg.Tensor(2, shape=(), dtype=int32)
    """
    return np.int32(input.ndim)


@op("EnsureShape", dx=keeps_rows(lambda dy: dy))
def ensure_shape(x, shape: TensorShape):
    """The same value, if it has this shape; None in the shape stands for any length.

    Raises:
        InvalidArgumentError: it has another shape.

    >>> import minigrad as mg
    >>> print(mg.ensure_shape([1.0, 2.0], [None]))
    mg.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    if not TensorShape(shape).is_compatible_with(x.shape):
        wanted = bracketed("?" if n is None else n for n in shape)
        raise invalid(f"Shape of tensor input {bracketed(x.shape)} is not compatible with expected shape {wanted}.")
    return x


# ---- shapes --------------------------------------------------------------------------------------------------------


@op("Reshape", dtensor=lambda dy, tensor_shape: dy.reshape(tensor_shape))
def reshape(tensor, shape: tidy.lengths):
    """The same elements in a new shape.

    Args:
        tensor: of any shape and dtype.
        shape: the lengths; one of them may be -1, which is worked out from the others.

    Raises:
        InvalidArgumentError: the shape has another number of elements.

    >>> import minigrad as mg
    >>> print(mg.reshape([1.0, 2.0, 3.0, 4.0], (2, -1)))
    mg.Tensor(
    [[1. 2.]
     [3. 4.]], shape=(2, 2), dtype=float32)
    """
    try:
        if min(shape, default=0) >= -1:
            return tensor.reshape(shape)
    except ValueError:
        pass
    except TypeError:
        raise errors.from_python(unsupported(shape)) from None
    return tensor.reshape(fitted_lengths(tensor, shape))


def fitted_lengths(tensor, shape):
    """NumPy refused this shape: the error that says why. (Of no elements it cannot tell what -1 is; TensorFlow can.)"""
    unknown = [i for i, n in enumerate(shape) if n == -1]
    known = [n for n in shape if n != -1]
    product, values = count([n for n in known if n]), f"Input to reshape is a tensor with {tensor.size} values, but the requested shape"
    if min(known, default=0) < 0:
        raise invalid(f"Size {shape.index(min(known))} must be non-negative, not {min(known)}")
    if len(unknown) > 1:
        raise invalid(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    if not unknown:
        raise invalid(f"{values} has {count(known)}")
    if tensor.size % product:
        raise invalid(f"{values} requires a multiple of {product}")
    elements = count([n for n in tensor.shape if n or 0 not in known])
    return (*shape[: unknown[0]], elements // product, *shape[unknown[0] + 1 :])


@op("ExpandDims", dinput=lambda dy, input_shape: dy.reshape(input_shape))
def expand_dims(input, axis: tidy.integer):
    """A new axis of length 1, at this place of the new shape.

    >>> import minigrad as mg
    >>> print(mg.expand_dims([1.0, 2.0], -1).shape)
    (2, 1)
    """
    if axis is None:
        raise errors.from_python(unsupported(axis))
    if not -input.ndim - 1 <= axis <= input.ndim:
        raise invalid(f"Tried to expand dim index {axis} for tensor with {input.ndim} dimensions.")
    at = axis % (input.ndim + 1)
    return input.reshape((*input.shape[:at], 1, *input.shape[at:]))


@op("Squeeze", dinput=lambda dy, input_shape: dy.reshape(input_shape))
def squeeze(input, axis: tidy.axes = None):
    """The same elements without the axes of length 1, or without those named.

    >>> import minigrad as mg
    >>> print(mg.squeeze([[[1.0], [2.0]]]).shape, mg.squeeze([[[1.0], [2.0]]], axis=0).shape)
    (2,) (2, 1)
    """
    axes = () if axis is None else axis if axis.__class__ is tuple else (axis,)
    for a in axes:
        if not -input.ndim <= a < input.ndim:
            raise invalid(f"Tried to squeeze dim index {a} for tensor with {input.ndim} dimensions.")
        if input.shape[a] != 1:
            raise invalid(f"Can not squeeze dim[{a % input.ndim}], expected a dimension of 1, got {input.shape[a]}")
    return np.squeeze(input, tuple({a % input.ndim for a in axes}) or None)


@op("Transpose", da=lambda dy, perm, conjugate: transpose.np(dy, undone(perm), conjugate))
def transpose(a, perm: tidy.order = None, conjugate=False):
    """The axes in another order: axis i of the result is axis `perm[i]` of `a`. Without `perm` they are reversed.

    >>> import minigrad as mg
    >>> print(mg.transpose([[1.0, 2.0], [3.0, 4.0]]).numpy())
    [[1. 3.]
     [2. 4.]]
    """
    if perm is not None:
        check_order(perm, a.ndim)
    turned = a.transpose(perm) if a.ndim else a
    return turned.conj() if conjugate else turned


def check_order(perm, ndim):
    if len(perm) != ndim:
        raise invalid(f"transpose expects a vector of size {ndim}. But input(1) is a vector of size {len(perm)}")
    for place in perm:
        if not -ndim <= place < ndim:
            raise invalid(f"{place} is out of range [0 .. {ndim})")
    missing = set(builtins.range(ndim)) - {place % ndim for place in perm}
    if missing:
        raise invalid(f"{min(missing)} is missing from {{{','.join(map(str, perm))}}}.")


def undone(perm):
    """The order that undoes this one."""
    return None if perm is None else tuple(np.argsort([place % len(perm) for place in perm]).tolist())


@op("BroadcastTo", dinput=lambda dy: dy)
def broadcast_to(input, shape: tidy.vector):
    """Copies of `input`, so that it has the shape `shape`.

    >>> import minigrad as mg
    >>> print(mg.broadcast_to([1.0, 2.0], (2, 2)))
    mg.Tensor(
    [[1. 2.]
     [1. 2.]], shape=(2, 2), dtype=float32)
    """
    try:
        if input.ndim == 0 and input.dtype.kind != "O" and -1 not in shape:  # which np.ndarray takes for any length
            return np.ndarray(shape, input.dtype, input, 0, (0,) * len(shape))  # the same, six times faster
        return np.broadcast_to(input, shape)
    except ValueError:
        if min(shape, default=0) < 0:
            raise invalid(f"Dimension {min(shape)} must be >= 0") from None
        if input.ndim > len(shape):
            text = f"Rank of input ({input.ndim}) must be no greater than rank of output shape ({len(shape)})."
            raise invalid(text) from None
        raise invalid(f"Incompatible shapes: {bracketed(input.shape)} vs. {bracketed(shape)}") from None


def broadcast_static_shape(shape_x, shape_y) -> TensorShape:
    """The shape that two shapes have in common when one operator joins them.

    Raises:
        ValueError: they do not fit.

    >>> import minigrad as mg
    >>> print(mg.broadcast_static_shape(mg.TensorShape([2, 1]), mg.TensorShape([3])))
    (2, 3)
    """
    pairs = itertools.zip_longest(reversed(shape_x), reversed(shape_y), fillvalue=1)
    lengths = [n if m == 1 or (m is None and n != 1) else m for m, n in pairs]
    if not all(one in (1, None, n) for x in (shape_x, shape_y) for one, n in zip(reversed(x), lengths)):
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are either equal or "
            f"one of them is 1. Received: {shape_x} and {shape_y}."
        )
    return TensorShape(lengths[::-1])


@op("BroadcastArgs", dshape_x=None, dshape_y=None)
def broadcast_dynamic_shape(shape_x, shape_y):
    """As `broadcast_static_shape`, for shapes that are Tensors.

    >>> import minigrad as mg
    >>> print(mg.broadcast_dynamic_shape([2, 1], [3]))
    mg.Tensor([2 3], shape=(2,), dtype=int32)
    """
    try:
        return np.array(np.broadcast_shapes(tuple(shape_x.tolist()), tuple(shape_y.tolist())), shape_x.dtype)
    except ValueError:
        raise invalid(f"Incompatible shapes: {bracketed(shape_x)} vs. {bracketed(shape_y)}") from None


# ---- joining and cutting -------------------------------------------------------------------------------------------


def concat(values, axis, name="concat") -> Tensor:
    """Tensors one after the other along an axis that they have.

    Args:
        values: a list of Tensors of one dtype; their shapes differ along `axis` alone.
        axis: a number; negative ones count from the end.
        name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: the shapes do not fit, or there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.concat([[[1.0], [2.0]], [[3.0, 5.0], [4.0, 6.0]]], axis=-1).numpy())
    [[1. 3. 5.]
     [2. 4. 6.]]
    """
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    if axis is None:
        raise unsupported(axis)
    if len(values) != 1:
        return join(values, axis)
    convert_to_tensor(axis, dtypes.int32).shape.assert_has_rank(0)
    return identity(values[0])


@op("ConcatV2", dvalues=lambda dz, k, values_shape, axis: dz[part(k, values_shape, axis)])
def join(values: list, axis: tidy.integer):
    """`concat` of two Tensors or more.

    >>> import minigrad as mg
    >>> print(mg.concat([[[1.0], [2.0]], [[3.0, 5.0], [4.0, 6.0]]], axis=1).numpy())
    [[1. 3. 5.]
     [2. 4. 6.]]
    """
    try:
        return np.concatenate(values, axis)
    except ValueError:
        raise unjoinable([x.shape for x in values], axis) from None


def part(k, shapes, axis):
    """The key of the k-th part of what was joined."""
    axis %= len(shapes[0])
    start = sum([shape[axis] for shape in shapes[:k]])
    return (builtins.slice(None),) * axis + (builtins.slice(start, start + shapes[k][axis]),)


def unjoinable(shapes, axis):
    """NumPy could not join these: the error that says why."""
    if not shapes:
        return invalid("OpKernel 'ConcatV2' has constraint on attr 'T' not in NodeDef '[N=0, Tidx=DT_INT32]'")
    first, ndim = shapes[0], len(shapes[0])
    if () in shapes:
        return invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -ndim <= axis < ndim:
        return invalid(f"ConcatOp : Expected concatenating dimensions in the range [{-ndim}, {ndim}), but got {axis}")
    outer = [other[: axis % ndim] + other[axis % ndim + 1 :] for other in shapes]
    k = next(k for k, other in enumerate(outer) if other != outer[0])
    both = f"shape[0] = {bracketed(first)} vs. shape[{k}] = {bracketed(shapes[k])}"
    if len(shapes[k]) != ndim:
        return invalid(f"ConcatOp : Ranks of all input tensors should match: {both}")
    differ = next(i for i in builtins.range(ndim) if i != axis % ndim and first[i] != shapes[k][i])
    return invalid(f"ConcatOp : Dimension {differ} in both shapes must be equal: {both}")


def constants_at_once(pack):
    """The op, but what holds no Tensor becomes one as a whole: its dtype is that of all elements, and not of the first."""

    @functools.wraps(pack)
    def stack(values, axis=0, name=None):
        connected = isinstance(values, (list, tuple)) and first_tensor(values) is not None
        if axis.__class__ is int and axis == 0 and not connected:
            try:
                return convert_to_tensor(values)
            except (TypeError, ValueError):
                pass  # rows of different lengths: the op says so
        return pack(values, axis)

    return stack


@constants_at_once
@op("Pack", dvalues=lambda dz, k, axis: dz[at(k, axis)])
def stack(values: list, axis: tidy.integer = 0):
    """Tensors of one shape, side by side along a new axis.

    Raises:
        InvalidArgumentError: the shapes differ.
        ValueError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.stack([[1.0, 2.0], [3.0, 4.0]], axis=1))
    mg.Tensor(
    [[1. 3.]
     [2. 4.]], shape=(2, 2), dtype=float32)
    """
    if not values:
        return np.zeros(0, np.float32)
    try:
        return np.stack(values, axis)
    except ValueError:
        first, ndim = values[0].shape, values[0].ndim + 1
        for k, x in enumerate(values):
            if x.shape != first:
                text = f"values[0].shape = {bracketed(first)} != values[{k}].shape = {bracketed(x.shape)}"
                raise invalid(f"Shapes of all inputs must match: {text}") from None
        raise no_axis(axis, ndim) from None


def at(k, axis):
    """The key of place k along an axis."""
    all = (builtins.slice(None),)
    return all * axis + (k,) if axis >= 0 else (Ellipsis, k) + all * (-axis - 1)


def no_axis(axis, ndim):
    return errors.from_python(ValueError(f"Argument `axis` = {axis} not in range [{-ndim}, {ndim})"))


@op("Unpack", dvalue=lambda dys, axis: np.stack(dys, axis))
def unstack(value, num=None, axis: tidy.integer = 0) -> list:
    """The parts of a Tensor along an axis, as a list.

    Args:
        value: has at least one axis.
        num: how many parts there are, as a check.
        axis: a number.

    >>> import minigrad as mg
    >>> x, y = mg.unstack([[1.5, 2.0], [3.0, 4.0]], axis=1)
    >>> print(x.numpy(), y.numpy())
    [1.5 3. ] [2. 4.]
    """
    if not -value.ndim <= axis < value.ndim:
        raise no_axis(axis, value.ndim)
    if num is not None and num != value.shape[axis]:
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {bracketed(value.shape)}")
    rows = np.moveaxis(value, axis, 0)
    return list(rows) if value.dtype.kind != "O" else [np.asarray(row, object) for row in rows]


def split(value, num_or_size_splits, axis=0, num=None, name="split") -> list:
    """A Tensor cut along an axis, as a list of Tensors.

    Args:
        value: what to cut.
        num_or_size_splits: into how many equal parts, or a list with the length of each; one of them may be -1 (the rest).
        axis: along which axis.
        num, name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: the lengths do not add up, or there is no such axis.

    >>> import minigrad as mg
    >>> a, b = mg.split([1.0, 2.0, 3.0], [1, -1])
    >>> print(a.numpy(), b.numpy())
    [1.] [2. 3.]
    """
    if isinstance(num_or_size_splits, (int, np.integer)):
        return split_evenly(value, num_or_size_splits, axis)
    if not np.ndim(num_or_size_splits):
        raise ValueError(
            f"Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: {num_or_size_splits}"
        )
    return split_by_size(value, num_or_size_splits, axis)


@op("Split", dvalue=lambda dys, axis: np.concatenate(dys, axis))
def split_evenly(value, num_split: tidy.integer, axis: tidy.integer) -> list:
    """`split` into equal parts.

    >>> import minigrad as mg
    >>> a, b = mg.split([[1.5, 2.5, 3.5, 4.5]], 2, axis=1)
    >>> print(a.numpy(), b.numpy())
    [[1.5 2.5]] [[3.5 4.5]]
    """
    if num_split < 1:
        raise invalid(f"Value for attr 'num_split' of {num_split} must be at least minimum 1")
    length = cut_length(value, axis)
    if length % num_split:
        raise invalid(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{axis % value.ndim} (size = {length}) and num_split {num_split}"
        )
    return cut(value, [length // num_split] * num_split, axis)


@op("SplitV", dvalue=lambda dys, axis: np.concatenate(dys, axis))
def split_by_size(value, size_splits: tidy.lengths, axis: tidy.integer) -> list:
    """`split` into parts of these lengths.

    >>> import minigrad as mg
    >>> a, b = mg.split([[1.5, 2.5, 3.5]], [1, 2], axis=-1)
    >>> print(a.numpy(), b.numpy())
    [[1.5]] [[2.5 3.5]]
    """
    length = cut_length(value, axis)
    known = sum([n for n in size_splits if n != -1])
    if len(size_splits) == 1 and known != length:
        raise invalid(
            f"If there is only one output, it must have the same size as the input. Input size: {length} output size: {size_splits[0]}"
        )
    if size_splits.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    if known > length or (known < length and -1 not in size_splits):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of "
            f"the input along split_dim if not fully specified.  Got: {known}"
        )
    return cut(value, [length - known if n == -1 else n for n in size_splits], axis)


def cut_length(value, axis):
    """How long the axis is that is to be cut."""
    if not -value.ndim <= axis < value.ndim:
        raise invalid(f"-input rank(-{value.ndim}) <= split_dim < input rank ({value.ndim}), but got {axis}")
    return value.shape[axis]


def cut(value, lengths, axis):
    ends = np.cumsum(lengths).tolist()
    return [value[at(builtins.slice(end - n, end), axis)] for n, end in zip(lengths, ends)]


@op("Tile", dinput=lambda dy, input_shape, multiples: untiled(dy, input_shape, multiples))
def tile(input, multiples: tidy.vector):
    """`multiples[i]` copies of the Tensor along axis i, one after the other.

    >>> import minigrad as mg
    >>> print(mg.tile([[1.0, 2.0]], [2, 2]).numpy())
    [[1. 2. 1. 2.]
     [1. 2. 1. 2.]]
    """
    if len(multiples) != input.ndim:
        raise invalid(f"Expected multiples argument to be a vector of length {input.ndim} but got length {len(multiples)}")
    for i, n in enumerate(multiples):
        if n < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {n}")
    return np.tile(input, multiples)


def untiled(dy, shape, multiples):
    """The sum of all copies."""
    pairs = [length for pair in zip(multiples, shape) for length in pair]
    return np.add.reduce(dy.reshape(tuple(pairs)), axis=tuple(builtins.range(0, len(pairs), 2)))


def repeat(input, repeats, axis=None, name=None) -> Tensor:
    """Each element along an axis, repeated in its place.

    Args:
        input: what to repeat.
        repeats: how often: one number for all, or one for each place along the axis.
        axis: along which; None repeats the elements of the whole, made flat.
        name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> print(mg.repeat([1.0, 2.0], [1, 3]))
    mg.Tensor([1. 2. 2. 2.], shape=(4,), dtype=float32)
    """
    data, repeats = convert_to_tensor(input), tidy.integers(repeats)
    if axis is None:
        data, axis = reshape(data, (-1,)), 0
    if not data.ndim:
        data = reshape(data, (1,))
    if not -data.ndim <= axis < data.ndim:
        raise ValueError(f"axis={axis} out of bounds: expected {-data.ndim}<=axis<{data.ndim}")
    axis %= data.ndim
    if repeats.ndim > 1:
        raise ValueError(f"Shape {repeats.shape} must have rank at most 1")
    length = data.shape[axis]
    if repeats.size not in (1, length):
        raise ValueError(f"Dimensions {length} and {repeats.size} are not compatible")
    most = int(np.maximum.reduce(repeats, None)) if repeats.size else 0
    copies = tile(expand_dims(data, axis + 1), [most if i == axis + 1 else 1 for i in builtins.range(data.ndim + 1)])
    if repeats.size == 1:
        return reshape(copies, (*data.shape[:axis], -1 if data.value.size else most * length, *data.shape[axis + 1 :]))
    return boolean_mask(copies, np.arange(most) < repeats[:, None], axis)


# ---- edges ---------------------------------------------------------------------------------------------------------


def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None) -> Tensor:
    """A Tensor with more elements at its edges.

    Args:
        tensor: any.
        paddings: for each axis a pair: how many elements before, and after.
        mode: "CONSTANT" writes `constant_values`; "REFLECT" mirrors without the edge itself, "SYMMETRIC" with it.
        constant_values: of the dtype of the tensor. No gradient flows to it.
        name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: there is not one pair for each axis, or not enough to mirror.
        ValueError: there is no such mode.

    >>> import minigrad as mg
    >>> print(mg.pad([1.0, 2.0, 3.0], [[1, 2]]), mg.pad([1.0, 2.0, 3.0], [[1, 2]], "REFLECT"))
    mg.Tensor([0. 1. 2. 3. 0. 0.], shape=(6,), dtype=float32) mg.Tensor([2. 1. 2. 3. 2. 1.], shape=(6,), dtype=float32)
    """
    mode = mode.upper()
    if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(f'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". Received `mode` = {mode}')
    if mode != "CONSTANT":
        return mirror_pad(tensor, paddings, mode)
    tensor = convert(tensor, constant_values)
    plain_zero = isinstance(constant_values, (int, float)) and constant_values == 0
    constant = zeros((), tensor.dtype) if plain_zero else convert(constant_values, tensor)
    if constant.dtype != tensor.dtype:
        kinds = f"expected to be a {tensor.dtype.kernel_name} tensor but is a {constant.dtype.kernel_name} tensor"
        raise invalid(f"cannot compute PadV2 as input #2(zero-based) was {kinds} [Op:PadV2] name: ")
    return pad_constant(tensor, constant, paddings)


@op("Pad", dtensor=lambda dy, tensor_shape, paddings: dy[inside(paddings, tensor_shape)], dconstant_values=None)
def pad_constant(tensor, constant_values, paddings: tidy.pairs):
    """`pad` with a constant.

    >>> import minigrad as mg
    >>> print(mg.pad([[1.5, 2.5]], [[0, 1], [2, 0]]).numpy())
    [[0.  0.  1.5 2.5]
     [0.  0.  0.  0. ]]
    """
    check_paddings(paddings, tensor)
    whole = np.full([n + sum(pair) for n, pair in zip(tensor.shape, paddings)], constant_values, tensor.dtype)
    whole[inside(paddings, tensor.shape)] = tensor
    return whole


@op("MirrorPad", dtensor=lambda dy, tensor_shape, paddings, mode: mirror_pad_grad.np(dy, paddings, mode))
def mirror_pad(tensor, paddings: tidy.pairs, mode):
    """`pad` with the mirror image of the Tensor.

    >>> import minigrad as mg
    >>> print(mg.pad([[1.5, 2.5, 3.5]], [[1, 0], [2, 1]], "SYMMETRIC").numpy())
    [[2.5 1.5 1.5 2.5 3.5 3.5]
     [2.5 1.5 1.5 2.5 3.5 3.5]]
    """
    check_paddings(paddings, tensor)
    for pair, n in zip(paddings, tensor.shape):
        if max(pair) > n - (mode == "REFLECT"):
            how = "less than" if mode == "REFLECT" else "no greater than"
            what = "not less than" if mode == "REFLECT" else "greater than"
            raise invalid(f"paddings must be {how} the dimension size: {pair[0]}, {pair[1]} {what} {n}")
    return np.pad(tensor, paddings, mode.lower())


@op("MirrorPadGrad", ddy=lambda dz, paddings, mode: mirror_pad.np(dz, paddings, mode))
def mirror_pad_grad(dy, paddings, mode):
    """The gradient of `mirror_pad`: what the edges mirror is added to where it came from.

    >>> import minigrad as mg
    >>> print(mg.arrays.mirror_pad_grad([1.0, 2.0, 3.0, 4.0], ((1, 0),), "REFLECT"))
    mg.Tensor([2. 4. 4.], shape=(3,), dtype=float32)
    """
    shift = mode == "REFLECT"
    for axis, (before, after) in enumerate(paddings):
        dy = np.moveaxis(dy, axis, 0)
        whole = dy[before : len(dy) - after].copy()
        whole[shift : shift + before] += dy[:before][::-1]
        whole[len(whole) - shift - after : len(whole) - shift] += dy[len(dy) - after :][::-1]
        dy = np.moveaxis(whole, 0, axis)
    return dy


def inside(paddings, shape):
    """The key of what was there before padding."""
    return tuple([builtins.slice(before, before + n) for (before, _), n in zip(paddings, shape)])


def check_paddings(paddings, tensor):
    if len(paddings) != tensor.ndim:
        raise invalid(f"The first dimension of paddings must be the rank of inputs[{len(paddings)},2] {bracketed(tensor.shape)}")
    for before, after in paddings:
        if min(before, after) < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")


# ---- moving --------------------------------------------------------------------------------------------------------


def shifts(shift):
    """By how many places each axis is moved: a whole number, or a tuple of them."""
    return tidy.axes(tidy.integers(shift, "Tshift"))


def shifted_axes(axis):
    return tidy.axes(tidy.integers(axis, "Taxis"))


@op("Roll", dinput=lambda dy, shift, axis: roll.np(dy, opposite(shift), axis))
def roll(input, shift: shifts, axis: shifted_axes):
    """All elements moved by `shift` places along an axis; what leaves at one end enters at the other.

    >>> import minigrad as mg
    >>> print(mg.roll([1.0, 2.0, 3.0], shift=1, axis=0))
    mg.Tensor([3. 1. 2.], shape=(3,), dtype=float32)
    """
    shifts, axes = np.atleast_1d(shift), np.atleast_1d(axis)
    if not input.ndim:
        raise invalid("input must be 1-D or higher")
    if shifts.shape != axes.shape:
        raise invalid("shift and axis must have the same size")
    for a in axes:
        if not -input.ndim <= a < input.ndim:
            raise invalid(f"axis {a} is out of range")
    return np.roll(input, shift, axis)


def opposite(shift):
    return tuple([-n for n in shift]) if shift.__class__ is tuple else -shift


@op("ReverseV2", dtensor=lambda dy, axis: reverse.np(dy, axis))
def reverse(tensor, axis: tidy.vector):
    """The elements in the opposite order, along each axis of a list.

    >>> import minigrad as mg
    >>> print(mg.reverse([[1.0, 2.0], [3.0, 4.0]], axis=[1]).numpy())
    [[2. 1.]
     [4. 3.]]
    """
    if not tensor.ndim:
        return tensor
    seen = set()
    for i, a in enumerate(axis):
        if not -tensor.ndim <= a < tensor.ndim:
            raise invalid(f"'axis'[{i}] = {a} is out of valid range [0, {tensor.ndim - 1}")
        if a % tensor.ndim in seen:
            raise invalid(f"axis {a % tensor.ndim} specified more than once.")
        seen.add(a % tensor.ndim)
    return np.flip(tensor, axis)


@op("ReverseSequence", dseq_lengths=None,
    dinput=lambda dy, seq_lengths, seq_axis, batch_axis: reverse_sequence.np(dy, seq_lengths, seq_axis, batch_axis))  # fmt: skip
def reverse_sequence(input, seq_lengths, seq_axis: tidy.integer = None, batch_axis: tidy.integer = None):
    """Of each example of a batch the first `seq_lengths[i]` elements in the opposite order.

    >>> import minigrad as mg
    >>> print(mg.reverse_sequence([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [3, 2], seq_axis=1).numpy())
    [[3. 2. 1.]
     [5. 4. 6.]]
    """
    seq, batch = seq_axis or 0, batch_axis or 0
    length, examples = input.shape[seq], input.shape[batch]
    if seq_lengths.shape != (examples,):
        raise invalid(f"Length of seq_lengths != input.dims({batch}), ({len(seq_lengths)} vs. {examples})")
    if seq_lengths.size and np.maximum.reduce(seq_lengths) > length:
        raise invalid(f"seq_lens({int(np.argmax(seq_lengths))}) > input.dims({seq})")
    steps, ends = np.arange(length), seq_lengths[:, None]
    order = np.where(steps < ends, ends - 1 - steps, steps)  # (example, step)
    others = [i for i in builtins.range(input.ndim) if i not in (seq, batch)]
    order = np.expand_dims(order if batch < seq else order.T, tuple(others))
    return np.take_along_axis(input, order, seq)


# ---- picking -------------------------------------------------------------------------------------------------------


@op("GatherV2", dindices=None,
    dparams=lambda dy, params_shape, indices, axis, batch_dims: ungathered(dy, params_shape, indices, axis, batch_dims))  # fmt: skip
def gather(params, indices, validate_indices=None, axis: tidy.integer = None, batch_dims: tidy.integer = 0):
    """The slices of `params` that have these numbers along an axis.

    Its gradient along the axis 0 is an `mg.IndexedSlices`.

    Args:
        params: what to pick from.
        indices: whole numbers in 0 .. length-1, in any shape; it takes the place of the axis.
        validate_indices: accepted as in TensorFlow, without effect.
        axis: along which; by default `batch_dims`, both counted in `params`.
        batch_dims: so many of the first axes belong together in `params` and `indices`.

    Raises:
        InvalidArgumentError: an index is out of range, or there is no such axis.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]])
    >>> print(mg.gather(x, [1, 0, 1], axis=1).numpy())
    [[2.5 1.5 2.5]
     [5.5 4.5 5.5]]
    >>> print(mg.gather(x, [[2, 2], [0, 1]], batch_dims=1).numpy())
    [[3.5 3.5]
     [4.5 5.5]]
    """
    if indices.dtype.char not in INDICES:
        raise wrong_kind("Tindices", indices)
    axis, batch = gather_place(axis, batch_dims, params.ndim, indices.ndim)
    length = params.shape[axis]
    if indices.size and (np.minimum.reduce(indices, None) < 0 or np.maximum.reduce(indices, None) >= length):
        bad = (indices < 0) | (indices >= length)
        place = bracketed(np.argwhere(bad)[0]) if indices.ndim else ""
        raise invalid(f"indices{place} = {indices[bad][0]} is not in [0, {length})")
    if not batch:
        taken = np.take(params, indices, axis)
        return taken if params.dtype.kind != "O" else np.asarray(taken, object)
    if params.shape[:batch] != indices.shape[:batch]:
        i = next(i for i in builtins.range(batch) if params.shape[i] != indices.shape[i])
        raise invalid(f"params.shape[{i}]: {params.shape[i]} should be equal to indices.shape[{i}]: {indices.shape[i]}")
    before, after = params.shape[batch:axis], params.shape[axis + 1 :]
    lead = params.shape[:batch]
    rows = params.reshape((*lead, count(before), length, count(after)))
    taken = np.take_along_axis(rows, indices.reshape((*lead, 1, count(indices.shape[batch:]), 1)), batch + 1)
    return taken.reshape((*lead, *before, *indices.shape[batch:], *after))


def gather_place(axis, batch_dims, ndim, indices_ndim):
    """The axis to gather along, and how many axes before it are the batch: both counted from 0."""
    axis = batch_dims if axis is None else axis
    batch = batch_dims + indices_ndim * (batch_dims < 0)
    if not ndim:
        raise invalid("params must be at least 1 dimensional")
    if not -ndim <= axis < ndim:
        raise invalid(f"Shape must be at least rank {axis + 1 if axis >= 0 else -axis} but is rank {ndim}")
    if not -indices_ndim <= batch_dims <= indices_ndim:
        raise invalid(f"Expected batch_dims in the range [{-indices_ndim}, {indices_ndim}], but got {batch_dims}")
    place = axis % ndim
    if axis and place < batch:  # where 0 is written, TensorFlow leaves the batch away
        raise invalid(f"batch_dims ({batch}) must be less than or equal to axis ({place}).")
    return place, min(batch, place)


def count(lengths):
    """How many elements an array of this shape has."""
    return int(np.prod(lengths, dtype=np.int64))


def ungathered(dy, shape, indices, axis, batch_dims):
    """The gradient of `gather`: what arrives for a slice is added where it was taken from."""
    indices = np.asarray(indices)
    slices = (batch_dims if axis is None else axis) == 0  # as it is written: of a place counted from the end TensorFlow makes the whole
    axis, batch = gather_place(axis, batch_dims, len(shape), indices.ndim)
    if slices:
        rows, numbers = dy.reshape((indices.size, *shape[1:])), indices.ravel()
        return scatter_rows.np(rows, numbers, shape) if isinstance(dy, Batched) else Rows(rows, numbers, shape)
    lead, length, rest = shape[:batch], shape[axis], (*shape[batch:axis], *shape[axis + 1 :])
    picked = tuple(builtins.range(axis, axis + indices.ndim - batch))  # the axes of dy that the indices made
    front = (*builtins.range(batch), *picked)
    rows = np.transpose(dy, front + tuple([i for i in builtins.range(dy.ndim) if i not in front]))
    group = np.arange(count(lead)).reshape(lead + (1,) * len(picked)) * length  # each example has rows of its own
    total = scatter_rows.np(rows.reshape((indices.size, *rest)), (indices + group).ravel(), (count(lead) * length, *rest))
    axes = list(builtins.range(len(shape)))
    axes.insert(axis, axes.pop(batch))
    return np.transpose(total.reshape((*lead, length, *rest)), tuple(axes))


@op("UnsortedSegmentSum", dvalues=lambda dz, indices: gather.np(dz, indices), dindices=None)
def scatter_rows(values, indices, shape: tidy.lengths):
    """Zeros of this shape, to which row `values[i]` is added at `indices[i]`.

    >>> import minigrad as mg
    >>> print(mg.arrays.scatter_rows([1.0, 2.0, 4.0], [2, 0, 2], (3,)))
    mg.Tensor([2. 0. 5.], shape=(3,), dtype=float32)
    """
    whole = np.zeros(shape, values.dtype)
    np.add.at(whole, indices, values)
    return whole


@op("GatherNd", dindices=None, dparams=lambda dy, params_shape, indices: ungathered_nd(dy, params_shape, indices))
def gather_points(params, indices):
    """`gather_nd` without a batch.

    >>> import minigrad as mg
    >>> print(mg.gather_nd([[1.5, 2.5], [3.5, 4.5]], [[0, 1], [1, 0]]))
    mg.Tensor([2.5 3.5], shape=(2,), dtype=float32)
    """
    if not indices.ndim:
        raise invalid("indices must be at least a vector")
    if indices.shape[-1] > params.ndim:
        raise invalid(f"index innermost dimension length must be <= params rank; saw: {indices.shape[-1]} vs. {params.ndim}")
    check_points(indices, params.shape, f"param shape {bracketed(params.shape)}, node name: GatherNd")
    taken = params[None][points(indices)]
    return taken if params.dtype.kind != "O" else np.asarray(taken, object)


def points(indices):
    """Rows of indices as a key for `array[None]`: one array for each axis, and one even where the rows are empty."""
    return (np.zeros(indices.shape[:-1], int), *np.moveaxis(indices, -1, 0), Ellipsis)


def outside(indices, shape):
    """For each row of indices whether it is no place in this shape."""
    return np.logical_or.reduce((indices < 0) | (indices >= np.array(shape[: indices.shape[-1]], int)), axis=-1)


def without(bad, rows):
    """The rows, but 0 in place of the bad ones."""
    return where(bad.reshape(bad.shape + (1,) * (rows.ndim - bad.ndim)), zeros_like(rows), rows)


def check_points(indices, shape, where):
    """Refuse indices outside of this shape."""
    if indices.dtype.char not in INDICES:
        raise wrong_kind("Tindices", indices)
    bad = outside(indices, shape)
    if np.logical_or.reduce(bad, axis=None):
        place = np.argwhere(bad)[0]
        number = bracketed(place) if len(place) else ""
        raise invalid(f"indices{number} = [{', '.join(map(str, indices[tuple(place)]))}] does not index into {where}")


def ungathered_nd(dy, shape, indices):
    """The gradient of `gather_nd`; where whole rows were picked by number it is an IndexedSlices, as that of `gather`."""
    if indices.ndim == 2 and indices.shape[1] == 1 and not isinstance(dy, Batched):
        return Rows(dy, np.asarray(indices)[:, 0], shape)
    return added_at.np(dy, indices, shape)


@op("ScatterNd", dupdates=lambda dz, indices: gather_points.np(dz, indices), dindices=None)
def added_at(updates, indices, shape: tidy.lengths):
    """Zeros of this shape, to which the updates are added where the indices say.

    >>> import minigrad as mg
    >>> print(mg.scatter_nd([[2], [0], [2]], [1.0, 2.0, 4.0], [3]))
    mg.Tensor([2. 0. 5.], shape=(3,), dtype=float32)
    """
    whole = full(shape, *nothing(updates.dtype))
    np.add.at(whole[None], points(indices), updates)
    return whole


def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy="") -> Tensor:
    """The elements, or slices, of `params` at these places: each row of `indices` is one place.

    Args:
        params: what to pick from.
        indices: the last axis goes over the axes of `params`; the others are the shape of the result.
        batch_dims: so many of the first axes belong together in `params` and `indices`.
        name: accepted as in TensorFlow, without effect.
        bad_indices_policy: "IGNORE" gives 0 for a place outside of `params`.

    Raises:
        InvalidArgumentError: a place is outside of `params`.

    >>> import minigrad as mg
    >>> print(mg.gather_nd([[1.5, 2.5], [3.5, 4.5]], [[0, 1], [1, 0]]))
    mg.Tensor([2.5 3.5], shape=(2,), dtype=float32)
    """
    batch_dims = tidy.integer(batch_dims)
    params, indices = convert(params), convert(indices)
    if batch_dims:
        if batch_dims >= indices.ndim:
            raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`indices`) = {indices.ndim}")
        lead = [bracketed(one.value.shape[:batch_dims]) for one in (params, indices)]
        if lead[0] != lead[1]:
            raise invalid(f"the batches differ: {lead[0]} in `params` and {lead[1]} in `indices` [Op:Reshape] name: ")
        indices = in_batch(indices.value, batch_dims)
    if bad_indices_policy != "IGNORE":
        return gather_points(params, indices)
    bad = outside(indices.value, params.shape)
    return without(bad, gather_points(params, without(bad, indices)))


def in_batch(indices, batch_dims):
    """The indices, with the place in the batch in front of each row."""
    lead = np.indices(indices.shape[:batch_dims]).reshape((batch_dims, *indices.shape[:batch_dims], *[1] * (indices.ndim - batch_dims)))
    lead = [np.broadcast_to(one, (*indices.shape[:-1], 1)) for one in lead]
    return Tensor.of(np.concatenate([*lead, indices], -1).astype(indices.dtype))


def boolean_mask(tensor, mask, axis=None, name="boolean_mask") -> Tensor:
    """The elements, or slices, where the mask is True.

    Args:
        tensor: what to pick from.
        mask: truth values, in the shape of `tensor` or of some of its axes.
        axis: the first of those axes.
        name: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: the shapes do not fit, or the mask is a single value.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> print(mg.boolean_mask(x, [False, True]).numpy(), mg.boolean_mask(x, x > 1.5))
    [[3. 4.]] mg.Tensor([2. 3. 4.], shape=(3,), dtype=float32)
    """
    tensor, mask, axis = convert(tensor), convert(mask).value, 0 if axis is None else tidy.integer(axis)
    if not mask.ndim:
        raise ValueError("mask cannot be scalar.")
    shape, end = tensor.shape, axis + mask.ndim
    if shape[axis:end] != mask.shape:
        raise ValueError(f"Shapes {shape[axis:end]} and {mask.shape} are incompatible")
    flat = reshape(tensor, (*shape[:axis], mask.size, *shape[end:]))
    return gather(flat, np.flatnonzero(mask), axis=axis)


@op("SelectV2", dcondition=None, dx=lambda dz, condition: np.where(condition, dz, 0), dy=lambda dz, condition: np.where(condition, 0, dz))
def select(condition, x, y):
    """`where` with three arguments.

    >>> import minigrad as mg
    >>> print(mg.where([True, False], [1.0, 2.0], [[3.0], [4.0]]).numpy())
    [[1. 3.]
     [1. 4.]]
    """
    if condition.dtype.kind != "b":
        kind = dtypes.BY_NUMPY[condition.dtype].kernel_name
        raise invalid(f"cannot compute SelectV2 as input #0(zero-based) was expected to be a bool tensor but is a {kind} tensor")
    try:
        return np.where(condition, x, y)[()]
    except ValueError:
        shapes = [bracketed(one.shape) for one in (condition, x, y)]
        raise invalid(f"condition {shapes[0]}, then {shapes[1]}, and else {shapes[2]} must be broadcastable") from None


@op("Where", "biufc", dcondition=None)
def where_true(condition):
    """The places of the elements that are not zero: a row of indices for each.

    >>> import minigrad as mg
    >>> print(mg.where([[True, False], [True, True]]).numpy())
    [[0 0]
     [1 0]
     [1 1]]
    """
    if not condition.ndim:
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    return np.argwhere(condition)


def where(condition, x=None, y=None, name=None) -> Tensor:
    """`x` where the condition holds, elsewhere `y`; with the condition alone, the places where it holds.

    Args:
        condition: truth values; for the second use any numbers.
        x, y: of one dtype; all three are broadcast to one shape.
        name: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: only one of x and y is given.
        InvalidArgumentError: the condition is a Tensor that is not bool, or the shapes do not fit.
        TypeError: the condition is a list or a number, and is not bool.

    Note:
        The gradient of what was not chosen is 0, but 0 times an infinite slope is nan: in `where(x > 0, log(x), 0)` make x
        positive *before* the log.

    >>> import minigrad as mg
    >>> print(mg.where([True, False], 1.0, 2.0), mg.where([False, True]).numpy())
    mg.Tensor([1. 2.], shape=(2,), dtype=float32) [[1]]
    """
    if x is None and y is None:
        return where_true(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select(condition if hasattr(condition, "__tf_tensor__") else convert_to_tensor(condition, dtypes.bool), x, y)


# ---- placing -------------------------------------------------------------------------------------------------------


def scatter_nd(indices, updates, shape, bad_indices_policy="", name=None) -> Tensor:
    """Zeros of this shape, to which the updates are added at these places.

    Args:
        indices: each row is one place, as in `gather_nd`.
        updates: a number, or a slice, for each place.
        shape: of the result.
        bad_indices_policy: "IGNORE" leaves out the updates whose place is outside.
        name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: a place is outside, or the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.scatter_nd([[2], [0], [2]], [1.0, 2.0, 4.0], [3]))
    mg.Tensor([2. 0. 5.], shape=(3,), dtype=float32)
    """
    indices, shape = convert(indices), tidy.lengths(shape)
    places, given = indices.value, np.shape(updates)
    tag, outer = "[Op:ScatterNd] name: ", places.shape[:-1]
    if not given:
        raise invalid(f"Updates shape must have rank at least one. Found:[] {tag}")
    dims = f"Dimensions [0,{len(outer)}) of indices[shape={bracketed(places.shape)}]"
    if given[: len(outer)] != outer:
        raise invalid(f"{dims} must match dimensions [0,{len(outer)}) of updates[shape={bracketed(given)}] {tag}")
    depth = places.shape[-1]
    if given[len(outer) :] != shape[depth:] or depth > len(shape):
        target = f"Dimensions [{depth},{len(shape)}) of input[shape={bracketed(shape)}]"
        raise invalid(f"{target} must match dimensions [{len(outer)},{len(given)}) of updates[shape={bracketed(given)}] {tag}")
    if bad_indices_policy == "IGNORE":
        bad = outside(places, shape)
        return added_at(without(bad, convert(updates)), without(bad, indices), shape)
    try:
        check_points(places, shape, f"shape {bracketed(shape)}")
    except errors.InvalidArgumentError as error:
        raise invalid(f"{error} {tag}") from None
    return added_at(updates, indices, shape)


def place(tensor, indices, updates, put):
    """A copy of the Tensor, changed by `put` at these places."""
    if not updates.ndim:
        raise invalid("Updates shape must have rank at least one. Found:[]")
    if updates.shape[: indices.ndim - 1] != indices.shape[:-1]:
        shapes = f"Indices shape: {bracketed(indices.shape)}, updates shape:{bracketed(updates.shape)}"
        raise invalid(f"Outer dimensions of indices and update must match. {shapes}")
    if updates.shape[indices.ndim - 1 :] != tensor.shape[indices.shape[-1] :]:
        shapes = f"Output: {bracketed(tensor.shape)} updates: {bracketed(updates.shape)}"
        raise invalid(f"Inner dimensions of output shape must match inner dimensions of updates shape. {shapes}")
    check_points(indices, tensor.shape, f"shape {bracketed(tensor.shape)}")
    whole = np.array(tensor)
    put(whole[None], points(indices), updates)
    return whole


@op("TensorScatterAdd", dtensor=lambda dz: dz, dindices=None, dupdates=lambda dz, indices: gather_points.np(dz, indices))
def tensor_scatter_nd_add(tensor, indices, updates):
    """The Tensor, with the updates added at these places.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_add([1.0, 2.0, 3.0], [[2], [0], [2]], [10.0, 20.0, 30.0]))
    mg.Tensor([21.  2. 43.], shape=(3,), dtype=float32)
    """
    return place(tensor, indices, updates, np.add.at)


@op("TensorScatterSub", dtensor=lambda dz: dz, dindices=None, dupdates=lambda dz, indices: -gather_points.np(dz, indices))
def tensor_scatter_nd_sub(tensor, indices, updates):
    """The Tensor, with the updates subtracted at these places.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_sub([1.0, 2.0, 3.0], [[2], [0]], [10.0, 20.0]))
    mg.Tensor([-19.   2.  -7.], shape=(3,), dtype=float32)
    """
    return place(tensor, indices, updates, np.subtract.at)


@op("TensorScatterUpdate", dindices=None, dupdates=lambda dz, indices: gather_points.np(dz, indices),
    dtensor=lambda dz, indices, updates_shape: tensor_scatter_nd_update.np(dz, indices, np.zeros(updates_shape, dz.dtype)))  # fmt: skip
def tensor_scatter_nd_update(tensor, indices, updates):
    """The Tensor, with the updates in these places.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_update([[1.5, 2.5], [3.5, 4.5]], [[1, 0], [0, 1]], [10.0, 20.0]).numpy())
    [[ 1.5 20. ]
     [10.   4.5]]
    """
    return place(tensor, indices, updates, lambda whole, key, updates: whole.__setitem__(key, updates))


def largest_share(dz, z, tensor, indices, updates):
    """What the Tensor gets of the gradient that arrives at a largest (or smallest) value: all that have it share it evenly."""
    return dz / holders(z, tensor, indices, updates) * (tensor == z).astype(dz.dtype)


def update_share(dz, z, tensor, indices, updates):
    """What the updates get of it."""
    dz, winners = dz / holders(z, tensor, indices, updates), updates == gather_points.np(z, indices)
    return gather_points.np(dz, indices) * winners.astype(dz.dtype)


def holders(z, tensor, indices, updates):
    """How many have the largest value, at each place."""
    winners = (updates == gather_points.np(z, indices)).astype(z.dtype)
    return (tensor == z).astype(z.dtype) + added_at.np(winners, indices, z.shape)


@op("TensorScatterMax", dindices=None, dtensor=largest_share, dupdates=update_share)
def tensor_scatter_nd_max(tensor, indices, updates):
    """The Tensor, with the updates in these places where they are larger. Equal values share the gradient.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_max([1.0, 2.0, 3.0], [[2], [0]], [2.5, 20.0]))
    mg.Tensor([20.  2.  3.], shape=(3,), dtype=float32)
    """
    return place(tensor, indices, updates, np.maximum.at)


@op("TensorScatterMin", dindices=None, dtensor=largest_share, dupdates=update_share)
def tensor_scatter_nd_min(tensor, indices, updates):
    """The Tensor, with the updates in these places where they are smaller. Equal values share the gradient.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_min([1.0, 2.0, 3.0], [[2], [0]], [2.5, 20.0]))
    mg.Tensor([1.  2.  2.5], shape=(3,), dtype=float32)
    """
    return place(tensor, indices, updates, np.minimum.at)


@op("DynamicPartition", dpartitions=None,
    ddata=lambda dys, data_shape, partitions: unparted(dys, data_shape, partitions))  # fmt: skip
def dynamic_partition(data, partitions, num_partitions: tidy.integer) -> list:
    """The rows of `data`, dealt out: row i goes to the Tensor number `partitions[i]` of a list.

    >>> import minigrad as mg
    >>> even, odd = mg.dynamic_partition([1.5, 2.5, 3.5], [0, 1, 0], 2)
    >>> print(even.numpy(), odd.numpy())
    [1.5 3.5] [2.5]
    """
    if num_partitions < 1:
        raise invalid(f"Value for attr 'num_partitions' of {num_partitions} must be at least minimum 1")
    if data.shape[: partitions.ndim] != partitions.shape:
        shapes = f"got data.shape = {bracketed(data.shape)}, partitions.shape = {bracketed(partitions.shape)}"
        raise invalid(f"data.shape must start with partitions.shape, {shapes}")
    bad = (partitions < 0) | (partitions >= num_partitions)
    if np.logical_or.reduce(bad, axis=None):
        number = np.argwhere(bad)[0]
        raise invalid(f"partitions{bracketed(number)} = {partitions[tuple(number)]} is not in [0, {num_partitions})")
    return [data[partitions == k] for k in builtins.range(num_partitions)]


def unparted(dys, shape, partitions):
    """The rows back in the order that they had before they were dealt out."""
    places = np.argsort(np.argsort(np.asarray(partitions).ravel(), kind="stable"))
    return gather.np(np.concatenate(dys, 0), places).reshape(shape)


@op("DynamicStitch", dindices=None, ddata=lambda dz, indices, k: gather.np(dz, indices[k]))
def dynamic_stitch(indices: list, data: list):
    """Tensors laid together: row j of `data[i]` becomes row `indices[i][j]` of the result. Of two for one place the later stays.

    >>> import minigrad as mg
    >>> print(mg.dynamic_stitch([[0, 2], [1]], [[1.5, 2.5], [3.5]]))
    mg.Tensor([1.5 3.5 2.5], shape=(3,), dtype=float32)
    """
    length = 1 + max([int(np.maximum.reduce(places, None)) for places in indices if places.size], default=-1)
    for places, rows in zip(indices, data):
        if rows.shape[: places.ndim] != places.shape:
            raise invalid(f"data[0].shape = {bracketed(rows.shape)} does not start with indices[0].shape = {bracketed(places.shape)}")
    whole = full((length, *data[0].shape[indices[0].ndim :]), *nothing(data[0].dtype))
    for places, rows in zip(indices, data):
        whole[places] = rows
    return whole


# ---- order ---------------------------------------------------------------------------------------------------------


def sort(values, axis=-1, direction="ASCENDING", name=None) -> Tensor:
    """The elements in order along an axis. The gradient of each goes back to where it came from.

    Args:
        values: numbers.
        axis: along which.
        direction: "ASCENDING" or "DESCENDING".
        name: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: there is no such direction.
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.sort([2.0, 3.0, 1.0]), mg.sort([2.0, 3.0, 1.0], direction="DESCENDING"))
    mg.Tensor([1. 2. 3.], shape=(3,), dtype=float32) mg.Tensor([3. 2. 1.], shape=(3,), dtype=float32)
    """
    values, axis = convert(values), tidy.integer(axis)
    return in_order(values, argsort(values, axis, direction), axis)


@op("TopKV2", "iuf", dvalues=None)
def argsort(values, axis: tidy.integer = -1, direction="ASCENDING", stable=False):
    """The places of the elements in order along an axis. Equal elements stay in the order in which they stand.

    >>> import minigrad as mg
    >>> print(mg.argsort([2.0, 3.0, 1.0]))
    mg.Tensor([2 0 1], shape=(3,), dtype=int32)
    """
    if direction not in ("ASCENDING", "DESCENDING"):
        text = f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        raise errors.from_python(ValueError(text))
    if axis is None:
        raise errors.from_python(unsupported(axis))
    if not -values.ndim <= axis < values.ndim:
        raise invalid(f"slice index {axis} of dimension 0 out of bounds.", "StridedSlice")
    if direction == "ASCENDING":
        return np.argsort(values, axis, kind="stable").astype(np.int32)
    backward = np.flip(np.argsort(np.flip(values, axis), axis, kind="stable"), axis)  # so that equal ones keep their order
    return (values.shape[axis] - 1 - backward).astype(np.int32)


@op("TopKV2", dorder=None, dvalues=lambda dy, order, axis: in_order.np(dy, argsort.np(order, axis), axis))
def in_order(values, order, axis):
    """The elements along an axis in a given order, each once.

    >>> import minigrad as mg
    >>> print(mg.sort([[2.5, 3.5, 1.5]]).numpy())
    [[1.5 2.5 3.5]]
    """
    return np.take_along_axis(values, order, axis)


@op("LowerBound", dsorted_sequence=None, dvalues=None)
def searchsorted(sorted_sequence, values, side="left", out_type: tidy.dtype = "int32"):
    """Where each value would go in a sequence that is in order, along the last axis.

    Args:
        sorted_sequence: one sequence, or a batch of them.
        values: for each sequence the values to look for.
        side: "left" puts a value before its equals, "right" after them.
        out_type: int32 or int64.

    Raises:
        ValueError: there is no such side.

    >>> import minigrad as mg
    >>> print(mg.searchsorted([1.0, 3.0, 5.0], [0.0, 3.0, 9.0]))
    mg.Tensor([0 1 3], shape=(3,), dtype=int32)
    """
    if side not in ("left", "right"):
        raise errors.from_python(ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."))
    if not values.ndim or not sorted_sequence.ndim:
        raise invalid("slice index -1 of dimension 0 out of bounds.", "StridedSlice")
    sequences, wanted = [x.reshape((int(np.prod(x.shape[:-1])), x.shape[-1])) for x in (sorted_sequence, values)]
    if len(sequences) != len(wanted):
        raise invalid("Leading dim_size of both tensors must match.")
    places = [np.searchsorted(one, these, side) for one, these in zip(sequences, wanted)]
    return np.array(places, out_type).reshape(values.shape)


Unique = collections.namedtuple("Unique", "y idx")
UniqueWithCounts = collections.namedtuple("UniqueWithCounts", "y idx count")


def unique(x, out_idx=dtypes.int32, name=None) -> Unique:
    """The different elements of a vector, in the order in which they first appear, and for each element which of them it is.

    >>> import minigrad as mg
    >>> y, idx = mg.unique([5, 3, 5])
    >>> print(y.numpy(), idx.numpy())
    [5 3] [0 1 0]
    """
    return Unique(*distinct(x, out_idx)[:2])


def unique_with_counts(x, out_idx=dtypes.int32, name=None) -> UniqueWithCounts:
    """As `unique`, and how often each of them appears.

    >>> import minigrad as mg
    >>> print(mg.unique_with_counts([5, 3, 5]).count.numpy())
    [2 1]
    """
    return UniqueWithCounts(*distinct(x, out_idx))


@op("Unique", **unregistered("Unique", "output", "x"))
def distinct(x, out_idx: tidy.dtype) -> list:
    """What `unique_with_counts` gives.

    >>> import minigrad as mg
    >>> print(mg.unique([5.0, 3.0, 5.0]).y)
    mg.Tensor([5. 3.], shape=(2,), dtype=float32)
    """
    if x.ndim != 1:
        raise invalid("unique expects a 1D vector.")
    _, first, which, counts = np.unique(x, True, True, True, equal_nan=False)
    order = np.argsort(first)
    return [x[first[order]], np.argsort(order)[which].astype(out_idx), counts[order].astype(out_idx)]


# ---- whole numbers -------------------------------------------------------------------------------------------------


@op("UnravelIndex", dindices=None, ddims=None)
def unravel_index(indices, dims):
    """The places in an array of shape `dims` of elements that were counted one by one: a column of coordinates for each.

    >>> import minigrad as mg
    >>> print(mg.unravel_index([3, 5], [2, 3]).numpy())
    [[1 1]
     [0 2]]
    """
    try:
        return np.array(np.unravel_index(indices, tuple(dims)), indices.dtype)
    except ValueError:
        raise invalid("index is out of bound as with dims") from None


# ---- the same for each row of a stack, so that Jacobians take one pass ---------------------------------------------


def rows_added(values, key, shape):
    """Zeros for each row of a stack, to which its values are added at `[key]`."""
    whole = np.zeros((len(values.value), *shape), values.dtype)
    np.add.at(whole, key, values.value)
    return whole


def rows_updated(stack, indices, updates):
    whole = stack.value.copy()
    whole[in_rows(indices)] = updates
    return whole


def in_rows(indices):
    """`points`, as a key for a stack."""
    return (builtins.slice(None), *points(indices)[1:])


BATCHED_TWINS.update(
    {
        transpose.__wrapped__: lambda a, perm, conjugate: np.transpose(a, perm).value,
        roll.__wrapped__: lambda x, shift, axis: np.roll(x.value, shift, later(axis, x.ndim)),
        reverse.__wrapped__: lambda x, axis: np.flip(x.value, later(axis, x.ndim)),
        in_order.__wrapped__: lambda x, order, axis: np.take_along_axis(x.value, order[None], later(axis, x.ndim)[0]),
        mirror_pad_grad.__wrapped__: lambda dy, paddings, mode: mirror_pad_grad.np(dy.value, ((0, 0), *paddings), mode),
        gather.__wrapped__: lambda params, indices: np.take(params.value, indices, 1),
        gather_points.__wrapped__: lambda params, indices: params.value[in_rows(indices)],
        scatter_rows.__wrapped__: lambda values, indices, shape: rows_added(values, (builtins.slice(None), indices), shape),
        added_at.__wrapped__: lambda updates, indices, shape: rows_added(updates, in_rows(indices), shape),
        tensor_scatter_nd_update.__wrapped__: rows_updated,
    }
)
