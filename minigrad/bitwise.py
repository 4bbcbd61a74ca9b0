"""tf.bitwise: ops on the bits of integers, element by element. They are not differentiable (the gradient is None)."""

import numpy as np

from .engine.op import op

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]
__dir__ = __all__.copy  # what Tab offers

INTEGERS = "iu"


@op("BitwiseAnd", INTEGERS, dx=None, dy=None)
def bitwise_and(x, y):
    """Bitwise AND: the bits that are set in x and in y.

    >>> import minigrad as mg
    >>> print(mg.bitwise.bitwise_and([5, 6], 3).numpy())
    [1 2]
    """
    return x & y


@op("BitwiseOr", INTEGERS, dx=None, dy=None)
def bitwise_or(x, y):
    """Bitwise OR: the bits that are set in x, in y, or in both.

    >>> import minigrad as mg
    >>> print(mg.bitwise.bitwise_or([5, 6], 3).numpy())
    [7 7]
    """
    return x | y


@op("BitwiseXor", INTEGERS, dx=None, dy=None)
def bitwise_xor(x, y):
    """Bitwise XOR: the bits that are set in x or in y, but not in both.

    >>> import minigrad as mg
    >>> print(mg.bitwise.bitwise_xor([5, 6], 3).numpy())
    [6 5]
    """
    return x ^ y


@op("Invert", INTEGERS, dx=None)
def invert(x):
    """Bitwise NOT: all bits flipped.

    >>> import minigrad as mg
    >>> print(mg.bitwise.invert([5, -6]).numpy())
    [-6  5]
    """
    return ~x


@op("LeftShift", INTEGERS, dx=None, dy=None)
def left_shift(x, y):
    """Shift the bits of x left by y places: x * 2 ** y, without the bits that overflow.

    A y out of range counts as the nearest in range: from 0 to the number of bits minus 1.

    >>> import minigrad as mg
    >>> print(mg.bitwise.left_shift([5, -6], 2).numpy())
    [ 20 -24]
    """
    return x << places(y, x.dtype)


@op("RightShift", INTEGERS, dx=None, dy=None)
def right_shift(x, y):
    """Shift the bits of x right by y places: x // 2 ** y.

    A y out of range counts as the nearest in range: from 0 to the number of bits minus 1.

    >>> import minigrad as mg
    >>> print(mg.bitwise.right_shift([5, -6], 1).numpy())
    [ 2 -3]
    """
    return x >> places(y, x.dtype)


def places(y, dtype):
    """The number of places to shift by, clipped to the range from 0 to the number of bits minus 1."""
    return np.minimum(np.maximum(y, 0), 8 * dtype.itemsize - 1).astype(dtype)
