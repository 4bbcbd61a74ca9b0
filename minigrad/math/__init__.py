"""tf.math: each op is a NumPy function, with its VJPs in the decorator above it. Each file lists what is public."""

from . import arithmetic, comparison, complex_numbers, elementwise, normalizing, reductions, segments, special
from .arithmetic import *
from .comparison import *
from .complex_numbers import *
from .elementwise import *
from .normalizing import *
from .reductions import *
from .segments import *
from .special import *

parts = arithmetic, comparison, complex_numbers, elementwise, normalizing, reductions, segments, special
__all__ = sorted(name for part in parts for name in part.__all__)
