"""tf.keras.constraints: functions that an optimizer applies to a weight after each step to keep it in bounds.

A constraint is given to a layer, as `kernel_constraint`, or to `add_weight`.
"""

from .. import math
from ..math.elementwise import clip_by_value
from .losses import EPSILON
from .utils import found, snake_case

__all__ = ["Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm", "get", "max_norm", "non_neg", "unit_norm"]


class Constraint:
    """The base class: a subclass defines `__call__(self, w)`, which returns the new value of the weight w.

    >>> import minigrad as mg
    >>> class Halved(mg.keras.constraints.Constraint):
    ...     def __call__(self, w):
    ...         return 0.5 * w
    >>> layer = mg.keras.layers.Dense(1, kernel_initializer="ones", kernel_constraint=Halved())
    >>> layer.build([1, 1])
    >>> _ = mg.keras.optimizers.SGD().apply_gradients([(mg.zeros([1, 1]), layer.kernel)])
    >>> print(layer.kernel.numpy())
    [[0.5]]
    """

    def __call__(self, w):
        return w


class NonNeg(Constraint):
    """max(w, 0), element by element.

    >>> import minigrad as mg
    >>> print(mg.keras.constraints.NonNeg()(mg.constant([-1.0, 2.0])).numpy())
    [0. 2.]
    """

    def __call__(self, w):
        return math.maximum(w, 0)


class MinMaxNorm(Constraint):
    """w, scaled so that its L2 norm along an axis is in [min_value, max_value].

    Args:
        min_value, max_value: the limits of the norm.
        rate: how much of the way to its limit the norm moves in a step; 1.0 is all of it.
        axis: the axis, or axes, of a vector: 0 for the weights that lead to one unit of a Dense layer.

    >>> import minigrad as mg
    >>> print(mg.keras.constraints.MinMaxNorm(1.0, 2.5)(mg.constant([3.0, 4.0])).numpy())
    [1.5 2. ]
    """

    def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w):
        norm = norm_along(w, self.axis)
        wanted = self.rate * clip_by_value(norm, self.min_value, self.max_value) + (1 - self.rate) * norm
        return w * (wanted / (EPSILON + norm))


class MaxNorm(MinMaxNorm):
    """w, scaled so that its L2 norm along an axis is at most `max_value`.

    >>> import minigrad as mg
    >>> print(mg.keras.constraints.MaxNorm(2.5)(mg.constant([3.0, 4.0])).numpy())
    [1.5 2. ]
    """

    def __init__(self, max_value=2, axis=0):
        super().__init__(0, max_value, 1, axis)


class UnitNorm(Constraint):
    """w, scaled so that its L2 norm along an axis is 1.

    >>> import minigrad as mg
    >>> print(mg.keras.constraints.UnitNorm()(mg.constant([3.0, 4.0])).numpy())
    [0.6 0.8]
    """

    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        return w / (EPSILON + norm_along(w, self.axis))


def norm_along(w, axis):
    """The L2 norm along an axis, which is kept with length 1."""
    return math.sqrt(math.reduce_sum(math.square(w), axis, True))


max_norm, non_neg, unit_norm = MaxNorm, NonNeg, UnitNorm
CLASSES = (Constraint, MaxNorm, MinMaxNorm, NonNeg, UnitNorm)
BY_NAME = {name: one for one in CLASSES for name in (one.__name__, snake_case(one.__name__))}


def get(identifier):
    """The constraint of a name, a class, or a dict {"class_name": name, "config": settings}; others are returned.

    >>> import minigrad as mg
    >>> print(mg.keras.constraints.get("non_neg")(mg.constant([-1.0, 2.0])).numpy())
    [0. 2.]
    """
    return found(identifier, "constraint", BY_NAME, f". Known are {', '.join(BY_NAME)}.")
