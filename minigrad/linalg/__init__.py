"""tf.linalg: matrices are the last two axes of a Tensor; the axes before them are a batch.

In the VJPs `x.mT.conj()` is the adjoint: of real matrices the transpose, and no copy is made. The gradients of the
decompositions are those of Giles, "Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic
Differentiation" (2008), unless another source is named.
"""

from ..math.normalizing import global_norm, l2_normalize
from . import decompositions, diagonals, norms, products, solving
from .decompositions import *
from .diagonals import *
from .norms import *
from .products import *
from .solving import *

parts = decompositions, diagonals, norms, products, solving
__all__ = sorted(["global_norm", "l2_normalize", *(name for part in parts for name in part.__all__)])
