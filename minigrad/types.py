"""tf.types: `experimental.TraceType` is what an object tells `mg.function` of itself."""

from types import SimpleNamespace

__all__ = ["experimental"]


class TraceType:
    """A kind of objects: `mg.function` traces once for all whose `__tf_tracing_type__` gives an equal one.

    A subclass defines `__eq__` and `__hash__`; TensorFlow asks for `is_subtype_of` and two methods more.

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
