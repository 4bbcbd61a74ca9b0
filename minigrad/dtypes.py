"""tf.dtypes: what kind of number an element is, and how one becomes another."""

from .engine import dtypes
from .engine.dtypes import *
from .math.complex_numbers import complex
from .math.elementwise import saturate_cast
from .ops.creation import cast

__all__ = sorted([*dtypes.__all__, "cast", "complex", "saturate_cast"])
