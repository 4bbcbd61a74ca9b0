"""tf.bitwise: what works on the single bits of integers. None of it has a derivative."""

import numpy as np

from .engine.op import op

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]
__dir__ = __all__.copy  # what Tab offers

INTEGERS = "iu"


@op("BitwiseAnd", INTEGERS, dx=None, dy=None)
def bitwise_and(x, y):
    """The bits that are set in x and in y.

    >>> import minigrad as mg
    >>> print(mg.bitwise.bitwise_and([5, 6], 3).numpy())
    [1 2]
    """
    return x & y


@op("BitwiseOr", INTEGERS, dx=None, dy=None)
def bitwise_or(x, y):
    """The bits that are set in x or in y.

    >>> import minigrad as mg
    >>> print(mg.bitwise.bitwise_or([5, 6], 3).numpy())
    [7 7]
    """
    return x | y


@op("BitwiseXor", INTEGERS, dx=None, dy=None)
def bitwise_xor(x, y):
    """The bits that are set in x or in y, but not in both.

    >>> import minigrad as mg
    >>> print(mg.bitwise.bitwise_xor([5, 6], 3).numpy())
    [6 5]
    """
    return x ^ y


@op("Invert", INTEGERS, dx=None)
def invert(x):
    """Every bit turned round.

    >>> import minigrad as mg
    >>> print(mg.bitwise.invert([5, -6]).numpy())
    [-6  5]
    """
    return ~x


@op("LeftShift", INTEGERS, dx=None, dy=None)
def left_shift(x, y):
    """The bits moved y places up: x times 2 ** y. A y out of range counts as the nearest that is in it.

    >>> import minigrad as mg
    >>> print(mg.bitwise.left_shift([5, -6], 2).numpy())
    [ 20 -24]
    """
    return x << places(y, x.dtype)


@op("RightShift", INTEGERS, dx=None, dy=None)
def right_shift(x, y):
    """The bits moved y places down: x divided by 2 ** y and rounded down. A y out of range counts as the nearest in it.

    >>> import minigrad as mg
    >>> print(mg.bitwise.right_shift([5, -6], 1).numpy())
    [ 2 -3]
    """
    return x >> places(y, x.dtype)


def places(y, dtype):
    """How far bits can move: less than there are."""
    return np.minimum(np.maximum(y, 0), 8 * dtype.itemsize - 1).astype(dtype)
