"""tf's array ops: shapes, joining, cutting, picking. Each op is a NumPy expression, and above it its derivatives."""

import builtins

import numpy as np

from . import attributes as tidy
from . import dtypes, errors
from .arguments import BATCHED_TWINS, Batched
from .op import convert, op
from .slices import IndexedSlices
from .tensor import Tensor, same_dtype
from .variable import read_value

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
    if hasattr(value, "assign"):
        return same_dtype(read_value(value), dtype)
    return same_dtype(convert(value), dtype) if holds_tensors(value) else Tensor(value, dtype)


def holds_tensors(value):
    """Is this, or something in this list, a Tensor or a Variable?"""
    return any(map(holds_tensors, value)) if isinstance(value, (list, tuple)) else hasattr(value, "__tf_tensor__")


def is_tensor(x) -> bool:
    """Is `x` a Tensor, a Variable or IndexedSlices?

    >>> import minigrad as mg
    >>> mg.is_tensor(mg.constant(1.0)), mg.is_tensor(1.0)
    (True, False)
    """
    return hasattr(x, "__tf_tensor__")


@op("Identity", dinput=lambda dy: dy)
def identity(input):
    """The same value, as a Tensor of its own.

    >>> import minigrad as mg
    >>> print(mg.identity(3.0))
    mg.Tensor(3.0, shape=(), dtype=float32)
    """
    return input


@op("Cast", dx=lambda dy, x_dtype: dy.astype(x_dtype))
def cast_smoothly(x, dtype: tidy.dtype):
    """`cast` between float and complex dtypes, which has a derivative.

    >>> import minigrad as mg
    >>> print(mg.cast([1.5, 2.5], mg.float64))
    mg.Tensor([1.5 2.5], shape=(2,), dtype=float64)
    """
    return as_dtype(x, dtype)


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
    return as_dtype(x, dtype)


def as_dtype(x, dtype):
    """The array in another dtype; of complex numbers that become real the real part."""
    return (x.real if x.dtype.kind == "c" != dtype.kind else x).astype(dtype)


def cast(x, dtype, name=None) -> Tensor:
    """The same numbers in another dtype.

    Between float and complex dtypes it has a derivative; from or to integers and booleans it has none.

    Args:
        x: numbers of any dtype. Toward an integer they are cut off, toward bool everything but 0 is True, and of a
            complex number that becomes real the real part is taken.
        dtype: the dtype wanted.
        name: accepted as in TensorFlow, without effect.

    Raises:
        UnimplementedError: from or to strings.

    >>> import minigrad as mg
    >>> print(mg.cast([0.0, 2.7], mg.int32), mg.cast([0.0, 2.7], mg.bool))
    mg.Tensor([0 2], shape=(2,), dtype=int32) mg.Tensor([False  True], shape=(2,), dtype=bool)
    """
    x, dtype = convert(x) if x.__class__ is not Tensor else x, dtypes.to_numpy(dtype)
    if x.value.dtype == dtype:
        return x
    return (cast_smoothly if x.value.dtype.kind in "fc" and dtype.kind in "fc" else cast_coarsely)(x, dtype)


def zeros(shape, dtype=dtypes.float32, name=None) -> Tensor:
    """Zeros of this shape.

    >>> import minigrad as mg
    >>> print(mg.zeros(2))
    mg.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    return Tensor.of(filled(tidy.lengths(shape), dtypes.to_numpy(dtype), 0))


def ones(shape, dtype=dtypes.float32, name=None) -> Tensor:
    """Ones of this shape.

    >>> import minigrad as mg
    >>> print(mg.ones([1, 2], mg.int32))
    mg.Tensor([[1 1]], shape=(1, 2), dtype=int32)
    """
    return Tensor.of(filled(tidy.lengths(shape), dtypes.to_numpy(dtype), 1))


def filled(shape, dtype, number):
    """An array of zeros or ones; among strings, zeros are empty."""
    return np.full(shape, number if dtype.kind != "O" else b"", dtype)[()] if dtype.kind != "O" else np.full(shape, b"", object)


@op("ZerosLike", dinput=None)
def zeros_like(input, dtype: tidy.dtype = None):
    """Zeros in the shape of `input`. They do not depend on it: nothing flows.

    >>> import minigrad as mg
    >>> print(mg.zeros_like([1.0, 2.0]))
    mg.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    return filled(input.shape, input.dtype if dtype is None else dtype, 0)


@op("OnesLike", dinput=None)
def ones_like(input, dtype: tidy.dtype = None):
    """Ones in the shape of `input`. They do not depend on it: nothing flows.

    >>> import minigrad as mg
    >>> print(mg.ones_like([1.0, 2.0]))
    mg.Tensor([1. 1.], shape=(2,), dtype=float32)
    """
    return filled(input.shape, input.dtype if dtype is None else dtype, 1)


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
    return tensor.reshape(shape)


@op("BroadcastTo", dinput=lambda dy: dy)
def broadcast_to(input, shape: tidy.lengths):
    """Copies of `input`, so that it has the shape `shape`.

    >>> import minigrad as mg
    >>> print(mg.broadcast_to([1.0, 2.0], (2, 2)))
    mg.Tensor(
    [[1. 2.]
     [1. 2.]], shape=(2, 2), dtype=float32)
    """
    if input.ndim == 0 and input.dtype.kind != "O":
        return np.ndarray(shape, input.dtype, input, strides=(0,) * len(shape))  # the same, six times faster
    return np.broadcast_to(input, shape)


@op("Pack", dvalues=lambda dz, k, axis: dz[(slice(None),) * axis + (k,)])
def stack(values: list, axis=0):
    """Tensors of one shape, side by side along a new axis.

    >>> import minigrad as mg
    >>> print(mg.stack([[1.0, 2.0], [3.0, 4.0]], axis=1))
    mg.Tensor(
    [[1. 3.]
     [2. 4.]], shape=(2, 2), dtype=float32)
    """
    return np.stack(values, axis)


@op("ConcatV2", dvalues=lambda dz, k, values_shape, axis: dz[part(k, values_shape, axis)])
def concat(values: list, axis: tidy.integer):
    """Tensors one after the other along an axis that they have.

    >>> import minigrad as mg
    >>> print(mg.concat([[[1.0], [2.0]], [[3.0, 5.0], [4.0, 6.0]]], axis=-1).numpy())
    [[1. 3. 5.]
     [2. 4. 6.]]
    """
    return np.concatenate(values, axis)


def part(k, shapes, axis):
    """The key of the k-th part of what `concat` has joined."""
    axis %= len(shapes[0])
    start = sum([shape[axis] for shape in shapes[:k]])
    return (slice(None),) * axis + (slice(start, start + shapes[k][axis]),)


@op("Transpose", da=lambda dy, perm: np.transpose(dy, inverse(perm)))
def transpose(a, perm: tidy.perm = None, conjugate=False):
    """The axes in another order: axis i of the result is axis `perm[i]` of `a`. Without `perm` they are reversed.

    >>> import minigrad as mg
    >>> print(mg.transpose([[1.0, 2.0], [3.0, 4.0]]).numpy())
    [[1. 3.]
     [2. 4.]]
    """
    turned = a.transpose(perm)
    return turned.conj() if conjugate else turned


def inverse(perm):
    """The permutation that undoes this one."""
    return None if perm is None else tuple(np.argsort(perm).tolist())


# ---- picking -------------------------------------------------------------------------------------------------------


@op("StridedSlice", dinput=lambda dy, input_shape, key: strided_slice_grad.np(dy, key, input_shape))
def getitem(input, key):
    """`input[key]`, where the key is made of whole numbers, slices, `...` and `mg.newaxis`.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> print(x[1, ::2], x[..., 0])
    mg.Tensor([4. 6.], shape=(2,), dtype=float32) mg.Tensor([1. 4.], shape=(2,), dtype=float32)
    """
    return input[key]


@op("StridedSliceGrad", ddy=lambda dz, key: dz[key])
def strided_slice_grad(dy, key, shape):
    """Zeros of this shape, with `dy` at the place of `[key]`.

    >>> import minigrad as mg
    >>> print(mg.arrays.strided_slice_grad([7.0, 8.0], slice(0, 3, 2), (3,)))
    mg.Tensor([7. 0. 8.], shape=(3,), dtype=float32)
    """
    whole = np.zeros(shape, dy.dtype)
    whole[key] = dy
    return whole


def gather_grad(dy, shape, indices, axis, batch_dims):
    """The gradient of `gather`: the rows of `dy`, added up at the places where they were taken."""
    if not axis and not batch_dims and not isinstance(dy, Batched):
        return IndexedSlices(dy.reshape((indices.size, *shape[1:])), indices.reshape((indices.size,)), shape)
    if not axis and not batch_dims:
        return scatter_rows.np(dy.reshape((indices.size, *shape[1:])), indices.reshape((indices.size,)), shape)
    raise NotImplementedError


@op("GatherV2", dindices=None,
    dparams=lambda dy, params_shape, indices, axis, batch_dims: gather_grad(dy, params_shape, indices, axis, batch_dims))  # fmt: skip
def gather(params, indices, validate_indices=None, axis: tidy.integer = None, batch_dims: tidy.integer = 0):
    """The slices of `params` with these numbers along `axis`.

    >>> import minigrad as mg
    >>> print(mg.gather([1.5, 2.5, 3.5], [2, 0, 2]))
    mg.Tensor([3.5 1.5 3.5], shape=(3,), dtype=float32)
    """
    return np.take(params, indices, axis or 0)


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


@op("SelectV2", dcondition=None, dx=lambda dz, condition: np.where(condition, dz, 0), dy=lambda dz, condition: np.where(condition, 0, dz))
def select(condition, x, y):
    """x where the condition holds, elsewhere y.

    >>> import minigrad as mg
    >>> print(mg.where([True, False], [1.0, 2.0], [[3.0], [4.0]]).numpy())
    [[1. 3.]
     [1. 4.]]
    """
    return np.where(condition, x, y)


@op("Where", dcondition=None)
def where_true(condition):
    """The places of the elements that are not zero: a row of indices for each.

    >>> import minigrad as mg
    >>> print(mg.where([[True, False], [True, True]]).numpy())
    [[0 0]
     [1 0]
     [1 1]]
    """
    return np.argwhere(condition)


def where(condition, x=None, y=None, name=None) -> Tensor:
    """`x` where the condition holds, elsewhere `y`; with the condition alone, the indices of where it holds.

    >>> import minigrad as mg
    >>> print(mg.where([True, False], 1.0, 2.0), mg.where([False, True]).numpy())
    mg.Tensor([1. 2.], shape=(2,), dtype=float32) [[1]]
    """
    if x is None and y is None:
        return where_true(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select(condition, x, y)


BATCHED_TWINS.update(
    {
        scatter_rows.__wrapped__: lambda values, indices, shape: scattered_stack(values.value, indices, shape),
        strided_slice_grad.__wrapped__: lambda dy, key, shape: strided_slice_grad.__wrapped__(
            dy.value, (slice(None), *key), (len(dy.value), *shape)
        ),
    }
)


def scattered_stack(values, indices, shape):
    whole = np.zeros((len(values), *shape), values.dtype)
    np.add.at(whole, (slice(None), indices), values)
    return whole
