"""tf.linalg: matrices are the last two axes of a Tensor; the axes before them are a batch.

In the VJPs `x.mT.conj()` is the adjoint: of real matrices the transpose, and no copy is made. The gradients of the
decompositions are those of Giles, "Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic
Differentiation" (2008), unless another source is named.
"""

# fmt: off
from ..math.normalizing import global_norm, l2_normalize
from .decompositions import (
    eig, eigh, eigvals, eigvalsh, qr, svd,
)
from .diagonals import (
    adjoint, band_part, diag, diag_part, eye, matrix_transpose, set_diag, tensor_diag, tensor_diag_part, trace,
)
from .norms import (
    expm, matrix_rank, norm, normalize, pinv,
)
from .products import (
    cross, einsum, matmul, matvec, tensordot,
)
from .solving import (
    cholesky, cholesky_solve, det, inv, logdet, lstsq, slogdet, solve, triangular_solve,
)

__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh", "eigvals",
    "eigvalsh", "einsum", "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet", "lstsq", "matmul",
    "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet", "solve",
    "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers
