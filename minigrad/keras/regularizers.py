"""tf.keras.regularizers: penalties on large weights, which a layer adds to its `losses`."""

import math as python_math

from .. import linalg, math, nn
from ..engine import convert
from ..errors import received, visible
from ..ops import cast
from .utils import found

__all__ = ["L1", "L1L2", "L2", "OrthogonalRegularizer", "Regularizer", "get", "l1", "l1_l2", "l2",
           "orthogonal_regularizer"]  # fmt: skip


class Regularizer:
    """The base class: a subclass defines `__call__(self, x)`, which returns the penalty for the weight x, a scalar.

    >>> import minigrad as mg
    >>> class Odd(mg.keras.regularizers.Regularizer):
    ...     def __call__(self, x):
    ...         return mg.reduce_sum(mg.abs(x % 2.0))
    >>> layer = mg.keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer=Odd())
    >>> layer.build([1, 3])
    >>> print(layer.losses[0].numpy())
    3.0
    """

    def __call__(self, x):
        return 0.0


class L1L2(Regularizer):
    """The penalty l1 * sum(|w|) + l2 * sum(w * w) for a weight w of any shape: a scalar of its dtype.

    Args:
        l1, l2: non-negative numbers; None is 0.

    Raises:
        ValueError: a factor is negative, not finite or not a number.

    >>> import minigrad as mg
    >>> print(mg.keras.regularizers.L2(0.5)(mg.constant([1.0, 2.0])).numpy())
    2.5
    """

    def __init__(self, l1=0.0, l2=0.0):
        self.l1, self.l2 = checked_factor(l1 or 0.0, "l1"), checked_factor(l2 or 0.0, "l2")

    def __call__(self, x):
        x = convert(x)
        penalty = cast(0.0, x.dtype)
        if self.l1:
            penalty += cast(self.l1, x.dtype) * math.reduce_sum(math.abs(x))
        if self.l2:
            penalty += cast(self.l2, x.dtype) * math.reduce_sum(math.square(x))
        return penalty


class L1(L1L2):
    """The penalty l1 * sum(|w|); `l1=None` is the default.

    >>> import minigrad as mg
    >>> print(mg.keras.regularizers.L1(0.5)([1.0, -3.0]).numpy())
    2.0
    """

    def __init__(self, l1=0.01):
        super().__init__(l1=0.01 if l1 is None else l1)


class L2(L1L2):
    """The penalty l2 * sum(w * w); `l2=None` is the default.

    >>> import minigrad as mg
    >>> print(mg.keras.regularizers.L2(0.5)([1.0, 3.0]).numpy())
    5.0
    """

    def __init__(self, l2=0.01):
        super().__init__(l2=0.01 if l2 is None else l2)


class OrthogonalRegularizer(Regularizer):
    """The penalty factor * (the mean of |a . b| over all pairs of normalized rows): 0 if the rows are orthogonal.

    Args:
        factor: a non-negative number.
        mode: "rows" or "columns": which of them to compare.

    Raises:
        ValueError: the factor is negative, there is no such mode, or (in a call) the weight is not a matrix.

    >>> import minigrad as mg
    >>> print(mg.keras.regularizers.OrthogonalRegularizer(0.5)(mg.constant([[2.0, 0.0], [3.0, 4.0]])).numpy().round(4))
    0.3
    """

    def __init__(self, factor=0.01, mode="rows"):
        self.factor = checked_factor(factor, "factor")
        if mode not in ("rows", "columns"):
            raise received('Invalid value for argument `mode`. Expected one of {"rows", "columns"}.', mode=mode)
        self.mode = mode

    def __call__(self, x):
        if len(x.shape) != 2:
            problem = "Inputs to OrthogonalRegularizer must have rank 2."
            raise ValueError(f"{problem} Received: inputs.shape={tuple(x.shape)}")
        rows = nn.l2_normalize(x if self.mode == "rows" else linalg.matrix_transpose(x), 1)
        size = rows.shape[0]
        products = linalg.matmul(rows, rows, transpose_b=True) * (1.0 - linalg.eye(size, dtype=x.dtype))
        return self.factor * 0.5 * math.reduce_sum(math.abs(products)) / (size * (size - 1.0) / 2.0)


def checked_factor(value, name):
    """Check the factor of a penalty, and return it as a float.

    Raises:
        ValueError: it is negative, not finite or not a number.
    """
    if not isinstance(value, (float, int)) or not 0 <= value < python_math.inf:
        problem = f"Invalid value for argument {name}: expected a non-negative float."
        raise ValueError(f"{problem} Received: {name}={visible(value)}")
    return float(value)


l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer
BY_NAME = {"l1": L1, "L1": L1, "l2": L2, "L2": L2, "l1l2": L1L2, "L1L2": L1L2,
           "OrthogonalRegularizer": OrthogonalRegularizer, "orthogonal_regularizer": OrthogonalRegularizer}  # fmt: skip


def get(identifier):
    """The regularizer of a name, a class, or a dict {"class_name": name, "config": settings}; others are returned.

    >>> import minigrad as mg
    >>> print(mg.keras.regularizers.get({"class_name": "L1", "config": {"l1": 0.5}})([1.0, -3.0]).numpy())
    2.0
    """
    return found(identifier, "regularizer", BY_NAME, f". Known are {', '.join(BY_NAME)}.")
