"""Comparisons, logic, and the elementwise maximum and minimum. Comparisons return bools, and have no gradient."""

import numpy as np

from ..engine import Tensor, op

__all__ = ["equal", "greater", "greater_equal", "is_finite", "is_inf", "is_nan", "less", "less_equal", "logical_and",
           "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "not_equal"]  # fmt: skip

# ---- comparisons and logic -----------------------------------------------------------------------------------------


@op("Equal", dx=None, dy=None)
def equal(x, y):
    """x == y, element by element.

    >>> import minigrad as mg
    >>> print(mg.equal([1, 2], 2).numpy())
    [False  True]
    """
    return x == y


@op("NotEqual", dx=None, dy=None)
def not_equal(x, y):
    """x != y, element by element.

    >>> import minigrad as mg
    >>> print(mg.not_equal([1, 2], 2).numpy())
    [ True False]
    """
    return x != y


@op("Greater", "iuf", dx=None, dy=None)
def greater(x, y):
    """x > y, element by element.

    >>> import minigrad as mg
    >>> print(mg.greater([1, 2, 3], 2).numpy())
    [False False  True]
    """
    return x > y


@op("GreaterEqual", "iuf", dx=None, dy=None)
def greater_equal(x, y):
    """x >= y, element by element.

    >>> import minigrad as mg
    >>> print(mg.greater_equal([1, 2, 3], 2).numpy())
    [False  True  True]
    """
    return x >= y


@op("Less", "iuf", dx=None, dy=None)
def less(x, y):
    """x < y, element by element.

    >>> import minigrad as mg
    >>> print(mg.less([1, 2, 3], 2).numpy())
    [ True False False]
    """
    return x < y


@op("LessEqual", "iuf", dx=None, dy=None)
def less_equal(x, y):
    """x <= y, element by element.

    >>> import minigrad as mg
    >>> print(mg.less_equal([1, 2, 3], 2).numpy())
    [ True  True False]
    """
    return x <= y


@op("LogicalAnd", "b", dx=None, dy=None)
def logical_and(x, y):
    """Logical AND of bools, element by element.

    >>> import minigrad as mg
    >>> print(mg.logical_and([True, False], True).numpy())
    [ True False]
    """
    return x & y


@op("LogicalOr", "b", dx=None, dy=None)
def logical_or(x, y):
    """Logical OR of bools, element by element.

    >>> import minigrad as mg
    >>> print(mg.logical_or([True, False], False).numpy())
    [ True False]
    """
    return x | y


@op("LogicalNot", "b", dx=None)
def logical_not(x):
    """Logical NOT of bools, element by element.

    >>> import minigrad as mg
    >>> print(mg.logical_not([True, False]).numpy())
    [False  True]
    """
    return ~x


def logical_xor(x, y, name="LogicalXor") -> Tensor:
    """Logical XOR of bools, element by element: True where exactly one of them is True.

    >>> import minigrad as mg
    >>> print(mg.math.logical_xor([True, False], True).numpy())
    [False  True]
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)))


@op("IsNan", "f", dx=None)
def is_nan(x):
    """Whether each element is NaN (not a number), such as the result of 0 / 0.

    >>> import minigrad as mg
    >>> print(mg.math.is_nan([1.0, float("nan")]).numpy())
    [False  True]
    """
    return np.isnan(x)


@op("IsInf", "f", dx=None)
def is_inf(x):
    """Whether each element is inf or -inf.

    >>> import minigrad as mg
    >>> print(mg.math.is_inf([1.0, float("inf")]).numpy())
    [False  True]
    """
    return np.isinf(x)


@op("IsFinite", "f", dx=None)
def is_finite(x):
    """Whether each element is finite: neither infinite nor NaN.

    >>> import minigrad as mg
    >>> print(mg.math.is_finite([1.0, float("inf")]).numpy())
    [ True False]
    """
    return np.isfinite(x)


# ---- maximum and minimum -------------------------------------------------------------------------------------------


@op("Maximum", "iuf", twin=np.maximum, math={"y": "upstream * [x < y]"},
    dx=lambda dz, x, y: np.where(x >= y, dz, 0), dy=lambda dz, x, y: np.where(x >= y, 0, dz))  # fmt: skip
def maximum(x, y):
    """The larger of x and y, element by element. Where they are equal, the whole gradient goes to x.

    >>> import minigrad as mg
    >>> print(mg.maximum([1.5, 2.5], 2.0).numpy())
    [2.  2.5]
    """
    return np.maximum(x, y)


@op("Minimum", "iuf", twin=np.minimum, math={"y": "upstream * [x > y]"},
    dx=lambda dz, x, y: np.where(x <= y, dz, 0), dy=lambda dz, x, y: np.where(x <= y, 0, dz))  # fmt: skip
def minimum(x, y):
    """The smaller of x and y, element by element. Where they are equal, the whole gradient goes to x.

    >>> import minigrad as mg
    >>> print(mg.minimum([1.5, 2.5], 2.0).numpy())
    [1.5 2. ]
    """
    return np.minimum(x, y)
