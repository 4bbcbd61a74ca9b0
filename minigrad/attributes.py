"""What the user may write for an attribute of an op: an axis, a shape, a dtype. Each function tidies one kind."""

import numpy as np

from . import dtypes
from .tensor import as_value


def axes(axis):
    """An axis, or several: an int or a tuple of ints, negative ones as they are."""
    if axis.__class__ is int:
        return axis
    value = integers(axis)
    return int(value) if value.ndim == 0 else tuple(value.ravel().tolist())


def integer(number) -> int:
    """A whole number, such as one axis or a depth."""
    return number if number.__class__ is int else int(integers(number))


def lengths(shape) -> tuple:
    """A shape: a tuple of ints. A number alone is a shape of one axis."""
    if shape.__class__ is tuple and all([n.__class__ is int for n in shape]):
        return shape
    value = integers(shape)
    return tuple(value.tolist()) if value.ndim else (int(value),)


def perm(axes) -> tuple:
    """An order of the axes: a tuple of ints."""
    return tuple(integers(axes).ravel().tolist())


def integers(value):
    """An array of ints.

    Raises:
        TypeError: there is a fraction in it.
    """
    if isinstance(value, (list, tuple)):
        value = [n.__index__() if hasattr(n, "__index__") else n for n in value]
        if not value:
            return np.empty(0, np.int32)
    array = as_value(value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32")
    return array


dtype = dtypes.to_numpy
