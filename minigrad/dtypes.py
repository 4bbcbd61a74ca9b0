"""tf.dtypes: the dtypes, and conversions between them."""

from .engine import dtypes
from .engine.dtypes import *
from .math.complex_numbers import complex
from .math.elementwise import saturate_cast
from .ops.creation import cast

__all__ = sorted([*dtypes.__all__, "cast", "complex", "saturate_cast"])
__dir__ = __all__.copy  # what Tab offers
