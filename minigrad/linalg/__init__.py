"""tf.linalg: matrices are the last two axes of a Tensor; the axes before them are a batch.

In the VJPs `x.mT.conj()` is the adjoint: of real matrices the transpose, and no copy is made. The gradients of the
decompositions are those of Giles, "Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic
Differentiation" (2008), unless another source is named.
"""

from typing import TYPE_CHECKING

from .. import later
from ..math.normalizing import global_norm, l2_normalize
from . import diagonals, products
from .diagonals import *
from .products import *

if TYPE_CHECKING:
    from .decompositions import *
    from .norms import *
    from .solving import *

LATER = {  # what is loaded when it is first used
    "decompositions": ["eig", "eigh", "eigvals", "eigvalsh", "qr", "svd"],
    "norms": ["expm", "matrix_rank", "norm", "normalize", "pinv"],
    "solving": ["cholesky", "cholesky_solve", "det", "inv", "logdet", "lstsq", "slogdet", "solve", "triangular_solve"],
}
__getattr__ = later.loads(__name__, LATER)
__all__ = ["global_norm", "l2_normalize", *diagonals.__all__, *products.__all__]
__all__ = sorted([*__all__, *(name for names in LATER.values() for name in names)])
__dir__ = __all__.copy  # what Tab offers
