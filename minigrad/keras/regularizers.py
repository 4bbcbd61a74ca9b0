"""tf.keras.regularizers: what large weights cost."""

from .. import math


class L1L2:
    """l1 * sum(|w|) + l2 * sum(w * w).

    >>> import minigrad as mg
    >>> print(mg.keras.regularizers.L2(0.5)(mg.constant([1.0, 2.0])).numpy())
    2.5
    """

    def __init__(self, l1=0.0, l2=0.0):
        self.l1, self.l2 = l1, l2

    def __call__(self, x):
        cost = self.l1 * math.reduce_sum(math.abs(x)) if self.l1 else 0.0
        return cost + self.l2 * math.reduce_sum(math.square(x)) if self.l2 else cost


class L1(L1L2):
    """l1 * sum(|w|)."""

    def __init__(self, l1=0.01):
        super().__init__(l1=l1)


class L2(L1L2):
    """l2 * sum(w * w)."""

    def __init__(self, l2=0.01):
        super().__init__(l2=l2)


l1, l2 = L1, L2


def get(identifier):
    """The regularizer of this name, with its default strength; a function is returned as it is."""
    named = {"l1": L1, "L1": L1, "l2": L2, "L2": L2, "l1_l2": L1L2}
    if identifier is None or (callable(identifier) and not isinstance(identifier, type)):
        return identifier
    if identifier not in named:
        raise ValueError(f"Could not interpret regularizer identifier: {identifier}")
    return named[identifier]()
