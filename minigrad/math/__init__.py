"""tf.math: each op is a NumPy function, with its VJPs in the decorator above it. Each file lists what is public."""

from typing import TYPE_CHECKING

from .. import later
from . import arithmetic, comparison, complex_numbers, elementwise, normalizing, reductions, segments
from .arithmetic import *
from .comparison import *
from .complex_numbers import *
from .elementwise import *
from .normalizing import *
from .reductions import *
from .segments import *

if TYPE_CHECKING:
    from . import special
    from .special import *

LATER = {  # what is loaded when it is first used
    "": ["special"],
    "special": ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc", "digamma", "erf", "erfc", "erfcinv",
                "erfinv", "igamma", "igammac", "lbeta", "lgamma", "ndtri", "polygamma", "zeta"],
}  # fmt: skip
__getattr__ = later.loads(__name__, LATER)
parts = arithmetic, comparison, complex_numbers, elementwise, normalizing, reductions, segments
__all__ = sorted([*(name for part in parts for name in part.__all__), *LATER["special"]])
__dir__ = __all__.copy  # what Tab offers
