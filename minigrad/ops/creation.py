"""tf's top-level ops on a Tensor as a whole: conversion, casts, constants and shape queries."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..engine import IndexedSlices, Tensor, TensorShape, accepts_sparse, bracketed, dtypes, invalid, not_among, tidy
from ..engine.custom import unregistered
from ..engine.listening import warn, without_tapes
from ..engine.op import op
from ..engine.operands import cast_silently, convert, tensor_of
from ..engine.rules import twin
from ..engine.variable import Variable, read_value

__all__ = ["bitcast", "cast", "convert_to_tensor", "ensure_shape", "identity", "identity_n", "is_tensor", "ones",
           "ones_like", "rank", "shape", "shape_n", "size", "stop_gradient", "zeros", "zeros_like"]  # fmt: skip

# ---- conversion and identity ---------------------------------------------------------------------------------------


def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) -> Tensor:
    """Convert a value to a Tensor. A Tensor is returned as it is, a Variable is read: gradients flow through both.

    Args:
        value: a Tensor, a Variable, or what `mg.constant` accepts; gradients flow through Tensors in lists too.
        dtype: the dtype of the result; if None, it is inferred.
        dtype_hint: used in place of `dtype` if the value fits it.

    Raises:
        ValueError: a Tensor has another dtype: it is not cast.
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
        return tensor if tensor.id else Tensor.of(tensor.value)  # with an id, so that it can be watched
    tensor = value.__tf_tensor__(dtype, name)
    return read_value(value) if isinstance(value, Variable) else tensor


def is_tensor(x) -> bool:
    """Whether `x` is a Tensor, a Variable or IndexedSlices.

    >>> import minigrad as mg
    >>> mg.is_tensor(mg.constant(1.0)), mg.is_tensor(1.0)
    (True, False)
    """
    return hasattr(x, "__tf_tensor__")


@op("Identity", twin=np.positive, dinput=accepts_sparse(lambda dy: dy))
def identity(input):
    """The same value, as a new Tensor. The gradient passes unchanged.

    >>> import minigrad as mg
    >>> print(mg.identity(3.0))
    mg.Tensor(3.0, shape=(), dtype=float32)
    """
    return input


@op("IdentityN", dinput=lambda dys, k: dys[k])
def identity_n(input: tuple) -> list:
    """The same values, as a list of new Tensors. The gradients pass unchanged.

    >>> import minigrad as mg
    >>> x, n = mg.identity_n([1.5, 2])
    >>> print(x.numpy(), n.numpy())
    1.5 2
    """
    return list(input)


@op("StopGradient", dinput=None)
def stopped(input):
    """Op behind `mg.stop_gradient`.

    >>> import minigrad as mg
    >>> print(mg.stop_gradient(3.0).numpy())
    3.0
    """
    return input


def stop_gradient(input, name=None) -> Tensor:
    """The same value as a constant: no gradient flows through it.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.GradientTape() as tape:
    ...     y = x * mg.stop_gradient(x)
    >>> print(tape.gradient(y, x).numpy())
    3.0
    """
    with without_tapes():
        return stopped(input)


# ---- dtypes --------------------------------------------------------------------------------------------------------


@op("Cast", dtype=tidy.dtype, dx=accepts_sparse(lambda dy, x_dtype: dy.astype(x_dtype)))
def cast_smoothly(x, dtype):
    """Op behind `mg.cast` between float and complex dtypes, which is differentiable.

    >>> import minigrad as mg
    >>> print(mg.cast([1.5, 2.5], mg.float64))
    mg.Tensor([1.5 2.5], shape=(2,), dtype=float64)
    """
    return (x.real if x.dtype.kind == "c" != dtype.kind else x).astype(dtype)


@op("Cast", dtype=tidy.dtype, dx=None)
def cast_coarsely(x, dtype):
    """Op behind `mg.cast` from or to integers and bools, which is not differentiable.

    >>> import minigrad as mg
    >>> print(mg.cast([1.7, -1.7], mg.int32))
    mg.Tensor([ 1 -1], shape=(2,), dtype=int32)
    """
    if (x.dtype.kind == "O") != (dtype.kind == "O"):
        source, target = dtypes.BY_NUMPY[x.dtype].kernel_name, dtypes.BY_NUMPY[dtype].kernel_name
        raise errors.UnimplementedError(None, None, f"Cast {source} to {target} is not supported")
    return (x.real if x.dtype.kind == "c" else x).astype(dtype)


@twin(np.astype)
def cast_in_vjp(x, dtype):
    """`np.astype` in a recorded VJP: complex numbers become real without a warning."""
    return cast_silently(x, np.dtype(dtype))


def cast(x, dtype, name=None) -> Any:
    """Cast: the same numbers in another dtype.

    It is differentiable between float and complex dtypes; from or to integers and bools the gradient is None.

    Args:
        x: numbers of any dtype, or IndexedSlices of them. Floats are rounded toward 0 to become integers, any number
            but 0 is True, and complex numbers lose their imaginary part, with a warning.
        dtype: the dtype of the result.

    Raises:
        UnimplementedError: the cast is from or to strings.

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
    """Warn, every time, if a cast drops imaginary parts."""
    if given.kind == "c" and dtype.kind == "f":
        problem = "You are casting an input of type %s to an incompatible dtype %s."
        warn(f"{problem}  This will discard the imaginary part and may not be what you intended.", given, dtype)


@op("Bitcast", type=tidy.dtype, **unregistered("Bitcast", "output", "input"))
def bitcast(input, type):
    """Reinterpret the bits as another dtype.

    Args:
        input: of any shape.
        type: the other dtype. If it is k times as large, the last axis must have length k, and is removed; if it is k
            times smaller, a last axis of length k is added.

    Raises:
        InvalidArgumentError: the last axis has another length.
        LookupError: (in `tape.gradient`) no gradient is registered for it, as in TensorFlow.

    >>> import minigrad as mg
    >>> print(mg.bitcast([1.0, -2.0], mg.uint32))
    mg.Tensor([1065353216 3221225472], shape=(2,), dtype=uint32)
    """
    old, new = input.dtype.itemsize, type.itemsize
    if old < new and (not input.ndim or input.shape[-1] * old != new):
        last = f"an axis of {new // old}" + (f", not of {input.shape[-1]}" if input.ndim else ", and there is no axis")
        raise invalid(f"Cannot bitcast from {input.dtype.name} to {type.name}: this takes {last}")
    bits = np.ascontiguousarray(input).reshape(input.shape)
    if old == new:
        return bits.view(type)
    return bits[..., None].view(type) if old > new else bits.view(type)[..., 0]


# ---- constants -----------------------------------------------------------------------------------------------------


def zeros(shape, dtype=dtypes.float32, name=None, layout=None) -> Tensor:
    """Tensor of zeros (of strings: empty strings).

    Raises:
        InvalidArgumentError: a length is negative.

    >>> import minigrad as mg
    >>> print(mg.zeros(2))
    mg.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    dtype = dtypes.to_numpy(dtype)
    return Tensor.of(full(tidy.lengths(shape, None), zero_of(dtype), dtype))


def ones(shape, dtype=dtypes.float32, name=None, layout=None) -> Tensor:
    """Tensor of ones.

    Raises:
        InvalidArgumentError: a length is negative.
        TypeError: the dtype is string.

    >>> import minigrad as mg
    >>> print(mg.ones([1, 2], mg.int32))
    mg.Tensor([[1 1]], shape=(1, 2), dtype=int32)
    """
    dtype = dtypes.to_numpy(dtype)
    if dtype.kind == "O":
        raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
    return Tensor.of(full(tidy.lengths(shape, None), 1, dtype))


def zero_of(dtype):
    """The zero of a NumPy dtype: 0, or an empty string."""
    return b"" if dtype.kind == "O" else 0


def full(shape, value, dtype):
    """An array of this shape, filled with one value."""
    if any(n < 0 for n in shape):
        raise invalid(f"Dimension {min(shape)} must be >= 0 [Op:Fill] name: ")
    array = np.full(shape, value, dtype)
    return array if dtype.kind == "O" else array[()]


INDICES = "hilq"  # int16, int32 and int64, as NumPy's letters


def wrong_kind(attr, indices):
    """The error for indices that are not integers."""
    return invalid(not_among(attr, indices.dtype, "int16, int32, int64"))


@op("ZerosLike", twin=np.zeros_like, dtype=tidy.dtype, dinput=None)
def zeros_like(input, dtype=None):
    """Zeros with the shape of `input`. They are constants: no gradient flows to `input`.

    >>> import minigrad as mg
    >>> print(mg.zeros_like([1.0, 2.0]))
    mg.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    dtype = input.dtype if dtype is None else dtype
    return full(input.shape, zero_of(dtype), dtype)


@op("OnesLike", twin=np.ones_like, dtype=tidy.dtype, dinput=None)
def ones_like(input, dtype=None):
    """Ones with the shape of `input`. They are constants: no gradient flows to `input`.

    >>> import minigrad as mg
    >>> print(mg.ones_like([1.0, 2.0]))
    mg.Tensor([1. 1.], shape=(2,), dtype=float32)
    """
    dtype = input.dtype if dtype is None else dtype
    if dtype.kind == "O":
        problem = "Value for attr 'T' of string is not in the list of allowed values:"
        raise invalid(f"{problem} those of numbers and truth values")
    return full(input.shape, 1, dtype)


# ---- shape queries -------------------------------------------------------------------------------------------------


@op("Shape", out_type=tidy.dtype, dinput=None)
def shape(input, out_type=None):
    """Shape: the length of each axis, as a Tensor of shape `(rank,)`.

    >>> import minigrad as mg
    >>> print(mg.shape([[1.0, 2.0, 3.0]]))
    mg.Tensor([1 3], shape=(2,), dtype=int32)
    """
    return np.array(input.shape, out_type or np.int32)


def shape_n(input, out_type=dtypes.int32, name=None) -> list:
    """Shape of each Tensor in a list; see `shape`.

    >>> import minigrad as mg
    >>> print(*mg.shape_n([[1.0, 2.0], 5.0]))
    mg.Tensor([2], shape=(1,), dtype=int32) mg.Tensor([], shape=(0,), dtype=int32)
    """
    return [shape(x, out_type) for x in input]


@op("Size", out_type=tidy.dtype, dinput=None)
def size(input, out_type=None):
    """Number of elements, as a scalar Tensor.

    >>> import minigrad as mg
    >>> print(mg.size([[1.0, 2.0, 3.0]]))
    mg.Tensor(3, shape=(), dtype=int32)
    """
    return (out_type or np.dtype(np.int32)).type(input.size)


@op("Rank", dinput=None)
def rank(input):
    """Rank: the number of axes, as a scalar Tensor.

    >>> import minigrad as mg
    >>> print(mg.rank([[1.0, 2.0, 3.0]]))
    mg.Tensor(2, shape=(), dtype=int32)
    """
    return np.int32(input.ndim)


@op("EnsureShape", shape=TensorShape, dx=accepts_sparse(lambda dy: dy))
def ensure_shape(x, shape: TensorShape | Sequence[int | None]):
    """Check the shape and return the same value; None in `shape` stands for any length.

    Raises:
        InvalidArgumentError: the Tensor has another shape.

    >>> import minigrad as mg
    >>> print(mg.ensure_shape([1.0, 2.0], [None]))
    mg.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    if not TensorShape(shape).is_compatible_with(x.shape):
        wanted = bracketed("?" if n is None else n for n in shape)
        raise invalid(f"Shape of tensor input {bracketed(x.shape)} is not compatible with expected shape {wanted}.")
    return x
