"""Normalizes what users may pass as attributes of ops: an axis, a shape, a dtype. Each function tidies one kind."""

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from ..errors import invalid
from . import dtypes
from .conversion import as_value, not_among
from .shape import TensorShape, bracketed


def axes(axis: int | Sequence[int] | None):
    """An axis, or several: an int or a tuple of ints, negative ones as they are."""
    if axis.__class__ is int:
        return axis
    value = integers(axis)
    return int(value) if value.ndim == 0 else tuple(value.ravel().tolist())


def integer(number: int) -> int:
    """An integer, such as one axis or a depth."""
    if number.__class__ is int:
        return number
    value = integers(number)
    if value.size != 1:
        raise invalid(f"must be a tensor with a single value, not {value}")
    return value.item()


def depth(number: int) -> int:
    """An integer that must not be in a list."""
    if np.ndim(number):
        raise invalid(f"depth must be a scalar, but got: {bracketed(np.shape(number))} [Op:OneHot] name: ")
    return integer(number)


def is_tuple_of_ints(numbers) -> TypeGuard[tuple]:
    """Is it a tuple of ints already, as it is nearly always?"""
    return numbers.__class__ is tuple and all([n.__class__ is int for n in numbers])


def lengths(shape: Sequence[int] | int, attr="Tshape") -> tuple:
    """A shape as a tuple of ints. A single number is a shape with one axis."""
    if is_tuple_of_ints(shape):
        return shape
    value = integers(shape, attr)
    if value.ndim > 1:
        raise invalid(f"sizes input must be 1-D, not {bracketed(value.shape)}")
    return tuple(value.ravel().tolist())


def vector(numbers: Sequence[int] | int) -> tuple:
    """A vector of integers, one for each axis or for some of them."""
    if is_tuple_of_ints(numbers):
        return numbers
    value = integers(numbers, "Tidx")
    if value.ndim != 1:
        raise invalid(f"Expected numbers to be 1-D, but got shape {bracketed(value.shape)}")
    return tuple(value.tolist())


order = vector  # of the axes


def pairs(paddings: Sequence[Sequence[int]]) -> tuple:
    """Two integers for each axis."""
    value = integers(paddings, "Tpaddings")
    if value.ndim != 2 or value.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {bracketed(value.shape)}")
    return tuple(map(tuple, value.tolist()))


def integers(value: Any, attr=None):
    """An array of ints.

    Raises:
        TypeError: the numbers are not integers; if `attr` names a TensorFlow attribute, InvalidArgumentError.
    """
    if isinstance(value, (list, tuple, TensorShape)):
        value = [n if n.__class__ is int else without_tensors(n) for n in value]
        if not value:
            return np.empty(0, np.int32)
    array = as_value(value)
    if array.dtype not in (np.int32, np.int64) if attr else array.dtype.kind not in "iu":
        if attr is None:
            raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32")
        raise invalid(not_among(attr, array.dtype, "int32, int64"))
    return array


def without_tensors(n):
    """Replace Tensors, alone or in lists, by their numbers."""
    if isinstance(n, (list, tuple)):
        return [without_tensors(one) for one in n]
    if hasattr(n, "numpy"):
        number = n.numpy()
        return number if isinstance(number, (np.ndarray, np.generic)) else number.item()  # a stand-in: it is a decision
    return n.__index__() if hasattr(n, "__index__") and not np.ndim(n) else n


dtype = dtypes.to_numpy
