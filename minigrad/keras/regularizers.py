"""tf.keras.regularizers: what large weights cost."""

import math as python_math

from .. import math
from ..engine.op import convert
from ..ops.creation import cast
from .utils import newly_made

__all__ = ["L1", "L1L2", "L2", "Regularizer", "get", "l1", "l1_l2", "l2"]
__dir__ = __all__.copy  # what Tab offers


class Regularizer:
    """What large weights cost: one of your own writes `__call__(self, x)`."""

    def __call__(self, x):
        return 0.0


class L1L2(Regularizer):
    """l1 * sum(|w|) + l2 * sum(w * w).

    Raises:
        ValueError: a strength is not a number from 0 up.

    >>> import minigrad as mg
    >>> print(mg.keras.regularizers.L2(0.5)(mg.constant([1.0, 2.0])).numpy())
    2.5
    """

    def __init__(self, l1=0.0, l2=0.0):
        self.l1, self.l2 = strength(l1 or 0.0, "l1"), strength(l2 or 0.0, "l2")

    def __call__(self, x):
        x = convert(x)
        cost = cast(0.0, x.dtype)
        if self.l1:
            cost += cast(self.l1, x.dtype) * math.reduce_sum(math.abs(x))
        if self.l2:
            cost += cast(self.l2, x.dtype) * math.reduce_sum(math.square(x))
        return cost


class L1(L1L2):
    """l1 * sum(|w|)."""

    def __init__(self, l1=0.01):
        super().__init__(l1=0.01 if l1 is None else l1)


class L2(L1L2):
    """l2 * sum(w * w)."""

    def __init__(self, l2=0.01):
        super().__init__(l2=0.01 if l2 is None else l2)


def strength(value, name):
    """The value as a float, if it can be a strength."""
    if not isinstance(value, (float, int)) or not 0 <= value < python_math.inf:
        raise ValueError(f"Invalid value for argument {name}: expected a non-negative float. Received: {name}={value}")
    return float(value)


l1, l2, l1_l2 = L1, L2, L1L2
BY_NAME = {"l1": L1, "L1": L1, "l2": L2, "L2": L2, "l1l2": L1L2, "L1L2": L1L2}


def get(identifier):
    """The regularizer of this name, with its default strength; a function is returned as it is.

    Args:
        identifier: a name, a class, a function, None, or a dict: the name under "class_name", and settings under "config".

    Raises:
        ValueError: there is none of this name.
    """
    made = newly_made(identifier, BY_NAME, Regularizer)
    if made is not None:
        return made
    if identifier is None or (callable(identifier) and not isinstance(identifier, type)):
        return identifier
    raise ValueError(f"Could not interpret regularizer identifier: {identifier}. Known are {', '.join(BY_NAME)}.")
