"""tf.types: `experimental.TraceType` is how an object tells `mg.function` which objects can share its trace."""

from types import SimpleNamespace

__all__ = ["experimental"]


class TraceType:
    """A kind of object: `mg.function` traces once for all objects whose `__tf_tracing_type__` returns an equal one.

    A subclass defines `__eq__` and `__hash__`; TensorFlow also requires `is_subtype_of` and two more methods.

    >>> import minigrad as mg
    >>> class ByScale(mg.types.experimental.TraceType):
    ...     def __init__(self, scale):
    ...         self.scale = scale
    ...     def __eq__(self, other):
    ...         return self.scale == other.scale
    ...     def __hash__(self):
    ...         return hash(self.scale)
    >>> class Unit:
    ...     scale = 1000.0
    ...     def __tf_tracing_type__(self, context):
    ...         return ByScale(self.scale)
    >>> converted = mg.function(lambda x, unit: x * unit.scale)
    >>> [float(converted(mg.constant(2.0), Unit())) for _ in range(3)], converted.experimental_get_tracing_count()
    ([2000.0, 2000.0, 2000.0], 1)
    """


experimental = SimpleNamespace(TraceType=TraceType)
