"""Inverses, determinants, Cholesky factors, and systems of linear equations."""

import collections

import numpy as np

from .. import math
from ..engine import Tensor, bracketed, convert, invalid, op, tell_help
from ..engine.rules import filled
from ..errors import unwarned
from ..ops import convert_to_tensor
from .diagonals import band_part, diag_part, eye
from .products import matmul

__all__ = ["cholesky", "cholesky_solve", "det", "inv", "logdet", "lstsq", "slogdet", "solve", "triangular_solve"]

# ---- inverses, determinants and linear systems ---------------------------------------------------------------------


def needs_rank(x):
    """Raise InvalidArgumentError for fewer than two axes."""
    if x.ndim < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {x.ndim}")


def needs_square(x, message="Input matrix must be square."):
    """Raise InvalidArgumentError unless the matrices are square."""
    needs_rank(x)
    if x.shape[-1] != x.shape[-2]:
        raise invalid(message)


def lapack(function, *arrays):
    """Call one of NumPy's linear algebra functions, without warnings, and in float32 for float16, which they lack."""
    if arrays[0].dtype != np.float16:
        return unwarned(function, *arrays)
    result = unwarned(function, *[x.astype(np.float32) for x in arrays])
    if isinstance(result, tuple):
        return type(result)(*[x.astype(np.float16) for x in result])
    return result.astype(np.float16)


def regular(function, message, *matrices):
    """`lapack`, but raise InvalidArgumentError if the first matrix is singular or holds NaN."""
    try:
        if not np.isnan(matrices[0]).any():
            return lapack(function, *matrices)
    except np.linalg.LinAlgError:
        pass
    raise invalid(message)


def scaled_matrices(number, matrix):
    """Multiply each matrix of a batch by its number: shapes `(...)` and `(..., n, n)`."""
    return number.reshape((*number.shape, 1, 1)) * matrix


def inv_grad(dy, y, adjoint):
    """VJP of `inv`."""
    inverse = y if adjoint else y.mT.conj()
    return -inverse @ (dy.mT.conj() if adjoint else dy) @ inverse


@op("MatrixInverse", "fc", dinput=inv_grad, math="-y @ upstream^T @ y if adjoint else -y^T @ upstream @ y^T")
def inv(input, adjoint=False):
    """Inverse of square matrices, or of their adjoints.

    Args:
        input: shape `(..., n, n)`.
        adjoint: return the inverse of the adjoint.

    Raises:
        InvalidArgumentError: the matrix is not square, or is singular.

    >>> import minigrad as mg
    >>> print(mg.linalg.inv([[2.0, 1.0], [1.0, 3.0]]).numpy().round(3))
    [[ 0.6 -0.2]
     [-0.2  0.4]]
    >>> print(mg.linalg.inv([[2.0, 1.0], [4.0, 4.0]], adjoint=True).numpy().round(3))
    [[ 1.   -1.  ]
     [-0.25  0.5 ]]
    """
    needs_square(input)
    inverse = regular(np.linalg.inv, "Input is not invertible.", input)
    return inverse.mT.conj() if adjoint else inverse


@op("MatrixDeterminant", "fc", dinput=lambda dy, y, input: scaled_matrices(dy * y.conj(), inv.np(input, True)),
    math="upstream * y * inv(input)^T")  # fmt: skip
def det(input):
    """Determinant of square matrices: shape `(..., n, n)` to `(...)`. Its gradient needs an invertible matrix.

    Raises:
        InvalidArgumentError: the matrix is not square; or, in `tape.gradient`, it is singular.

    >>> import minigrad as mg
    >>> print(mg.linalg.det([[2.0, 1.0], [1.0, 4.0]]).numpy().round(3))
    7.0
    """
    needs_square(input)
    return lapack(np.linalg.det, input)


LogMatrixDeterminant = collections.namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])


@op("LogMatrixDeterminant", "fc", dinput=lambda dz, input: scaled_matrices(dz[1], inv.np(input, True)),
    math="upstream[1] * inv(input)^T")  # fmt: skip
def slogdet(input) -> LogMatrixDeterminant:
    """Sign of the determinant, and logarithm of its absolute value, which does not overflow.

    Args:
        input: shape `(..., n, n)`.

    Returns:
        `(sign, log_abs_determinant)`, both of shape `(...)`.

    Raises:
        InvalidArgumentError: the matrix is not square.

    >>> import minigrad as mg
    >>> print(mg.linalg.slogdet([[2.0, 0.0], [0.0, -0.5]]).sign.numpy())
    -1.0
    >>> print([y.numpy().round(3) for y in mg.linalg.slogdet([[2.0, 1.0], [5.0, 1.0]])])
    [np.float32(-1.0), np.float32(1.099)]
    """
    needs_square(input)
    sign, logarithm = lapack(np.linalg.slogdet, input)
    sign = np.where(np.isnan(logarithm), logarithm, sign)[()]
    return LogMatrixDeterminant(sign, logarithm.astype(input.dtype))


def logdet(matrix, name=None) -> Tensor:
    """Log-determinant of positive definite matrices: shape `(..., n, n)` to `(...)`. NaN for others.

    Raises:
        InvalidArgumentError: the matrix is not square.

    >>> import minigrad as mg
    >>> print(mg.linalg.logdet([[2.0, 1.0], [1.0, 3.0]]).numpy().round(3))
    1.609
    """
    diagonal = math.real(diag_part(cholesky(matrix)))
    return 2.0 * math.reduce_sum(math.log(diagonal), -1)


def solve_grad(dy, matrix, y, adjoint):
    """VJP of `solve` with respect to the matrix."""
    drhs = solve.np(matrix, dy, not adjoint)
    return -y @ drhs.mT.conj() if adjoint else -drhs @ y.mT.conj()


@op("MatrixSolve", "fc", dmatrix=solve_grad, drhs=lambda dy, matrix, adjoint: solve.np(matrix, dy, not adjoint),
    math={"matrix": "-y @ solve(matrix, upstream)^T if adjoint else -solve(matrix, upstream, True) @ y^T",
          "rhs": "solve(matrix, upstream, not adjoint)"})  # fmt: skip
def solve(matrix, rhs, adjoint=False):
    """Solve a system of linear equations: the x for which `matrix @ x` is `rhs`.

    Args:
        matrix: shape `(..., n, n)`.
        rhs: the right-hand sides, as columns: shape `(..., n, k)`. The batch axes are those of `matrix`.
        adjoint: solve with the adjoint of the matrix.

    Returns:
        The solutions, as columns: shape `(..., n, k)`.

    Raises:
        InvalidArgumentError: the matrix is singular, or the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.linalg.solve([[2.0, 1.0], [1.0, 3.0]], [[1.0], [5.0]]).numpy().round(3).ravel())
    [-0.4  1.8]
    >>> print(mg.linalg.solve([[2.0, 1.0], [4.0, 3.0]], [[1.0], [5.0]], adjoint=True).numpy().round(3).ravel())
    [-8.5  4.5]
    """
    if matrix.ndim != rhs.ndim:
        raise invalid("All input tensors must have the same rank.")
    needs_square(matrix, "First input (lhs) must be a square matrix.")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")
    if matrix.shape[-1] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    return regular(np.linalg.solve, "Input matrix is not invertible.", matrix.mT.conj() if adjoint else matrix, rhs)


def triangular_solve_grad(dy, matrix, y, lower, adjoint):
    """VJP of `triangular_solve` with respect to the matrix; the triangle that is not read gets 0."""
    drhs = triangular_solve.np(matrix, dy, lower, not adjoint)
    whole = -y @ drhs.mT.conj() if adjoint else -drhs @ y.mT.conj()
    return band_part.np(whole, -1, 0) if lower else band_part.np(whole, 0, -1)


@op("MatrixTriangularSolve", "fc", dmatrix=triangular_solve_grad,
    drhs=lambda dy, matrix, lower, adjoint: triangular_solve.np(matrix, dy, lower, not adjoint),
    math={"matrix": "as of solve, but 0 in the triangle that is not read",
          "rhs": "triangular_solve(matrix, upstream, lower, not adjoint)"})  # fmt: skip
def triangular_solve(matrix, rhs, lower=True, adjoint=False):
    """Solve a triangular system of linear equations, `matrix @ x = rhs`, by forward or back substitution.

    Args:
        matrix: shape `(..., n, n)`. Only one triangle is read.
        rhs: the right-hand sides, as columns: shape `(..., n, k)`. The batch axes are broadcast.
        lower: read the lower triangle; otherwise the upper one.
        adjoint: solve with the adjoint of the matrix.

    Returns:
        The solutions, as columns: shape `(..., n, k)`.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.linalg.triangular_solve([[2.0, 9.0], [1.0, 4.0]], [[1.0], [5.0]]).numpy().ravel())
    [0.5   1.125]
    >>> x = mg.linalg.triangular_solve([[2.0, 3.0], [9.0, 4.0]], [[1.0], [5.0]], lower=False, adjoint=True)
    >>> print(x.numpy().ravel())
    [0.5   0.875]
    """
    for k, x in enumerate((matrix, rhs)):
        if x.ndim < 2:
            raise invalid(f"In[{k}] ndims must be >= 2: {x.ndim}")
    n = matrix.shape[-1]
    if matrix.shape[-2] != n:
        raise invalid(f"In[0] matrices in the last dimensions must be square ({n} =/= {matrix.shape[-2]})")
    if rhs.shape[-2] != n:
        given = f"{bracketed(matrix.shape)} {bracketed(rhs.shape)} {int(lower)} {int(adjoint)}"
        raise invalid(f"In[0] mismatch In[1] shape: {n} vs. {rhs.shape[-2]}: {given}")
    try:
        batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        problem = "In[0] and In[1] must have compatible batch dimensions:"
        raise invalid(f"{problem} {bracketed(matrix.shape)} vs. {bracketed(rhs.shape)}") from None
    matrix, lower = (matrix.mT.conj(), not lower) if adjoint else (matrix, lower)
    x = filled(rhs, (*batch, *rhs.shape[-2:]))
    for i in range(n) if lower else reversed(range(n)):
        known = slice(0, i) if lower else slice(i + 1, n)
        rest = rhs[..., i, :] - (matrix[..., i : i + 1, known] @ x[..., known, :])[..., 0, :]
        x[..., i, :] = rest / matrix[..., i, i, None]
    return x


def cholesky_solve(chol, rhs, name=None) -> Tensor:
    """Solve `a @ x = rhs` with the Cholesky factor of a.

    Args:
        chol: `cholesky(a)`, shape `(..., n, n)`.
        rhs: the right-hand sides, as columns: shape `(..., n, k)`. The batch axes are broadcast.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import minigrad as mg
    >>> a = mg.constant([[2.0, 1.0], [1.0, 3.0]])
    >>> print(mg.linalg.cholesky_solve(mg.linalg.cholesky(a), [[1.0], [5.0]]).numpy().round(3).ravel())
    [-0.4  1.8]
    """
    chol = convert(chol, rhs)
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def robust_lstsq_grad(dx):
    """VJP of `robust_lstsq`: raise ValueError, as in TensorFlow."""
    raise ValueError("Gradient not defined for fast=False")


@op("MatrixSolveLs", "fc", dmatrix=robust_lstsq_grad, drhs=robust_lstsq_grad,
    math="none: the backward pass raises ValueError")  # fmt: skip
def robust_lstsq(matrix, rhs):
    """Op behind `mg.linalg.lstsq` with `fast=False`: the matrix may have less than full rank, but there is no gradient.

    >>> import minigrad as mg
    >>> print(mg.linalg.lstsq([[1.0, 2.0], [2.0, 4.0]], [[1.0], [2.0]], fast=False).numpy().round(3).ravel())
    [0.2 0.4]
    """
    return lapack(np.linalg.pinv, matrix) @ rhs


def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None) -> Tensor:
    """Linear least squares: the x, the shortest of several, that minimizes the L2 norm of `matrix @ x - rhs`.

    Args:
        matrix: shape `(..., n, m)`.
        rhs: the right-hand sides, as columns: shape `(..., n, k)`.
        l2_regularizer: if not 0, minimize the squared norm plus this number times the squared norm of x.
        fast: solve the normal equations, which needs a matrix of full rank. If False, use the singular values: for any
            rank, but without `l2_regularizer` and without a gradient.

    Returns:
        The solutions, as columns: shape `(..., m, k)`.

    Raises:
        InvalidArgumentError: the shapes do not fit.
        ValueError: (in `tape.gradient`) `fast` is False.

    >>> import minigrad as mg
    >>> a, b = mg.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), mg.constant([[1.0], [2.0], [4.0]])
    >>> print(mg.linalg.lstsq(a, b).numpy().round(3).ravel())
    [0.071 0.5  ]
    """
    matrix = convert_to_tensor(matrix)
    if not fast:
        return robust_lstsq(matrix, rhs)
    rows, columns = matrix.value.shape[-2:]
    tall = rows >= columns
    gram = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if hasattr(l2_regularizer, "id") or l2_regularizer:
        gram = gram + l2_regularizer * eye(min(rows, columns), dtype=matrix.dtype)
    chol = cholesky(gram)
    if tall:
        return cholesky_solve(chol, matmul(matrix, rhs, adjoint_a=True))
    return matmul(matrix, cholesky_solve(chol, rhs), adjoint_a=True)


# ---- Cholesky factors ----------------------------------------------------------------------------------------------


def lower_half(x):
    """The lower triangle, with half of the diagonal."""
    n = x.shape[-1]
    return band_part.np(x, -1, 0) * (1 - np.eye(n, dtype=x.dtype) / 2)


def cholesky_grad(dy, y):
    """VJP of `cholesky`."""
    middle = lower_half(y.mT.conj() @ dy)
    half = triangular_solve.np(y, middle.mT.conj(), True, True).mT.conj()  # middle @ inv(y)
    whole = triangular_solve.np(y, half, True, True)
    return (whole + whole.mT.conj()) / 2


@op("Cholesky", "fc", dinput=cholesky_grad, math="inv(y)^T @ the lower half of y^T @ upstream @ inv(y), made symmetric")
def lower_factor(input):
    """Op behind `mg.linalg.cholesky`. As in TensorFlow its gradient is symmetric, although only one triangle is read.

    >>> import minigrad as mg
    >>> print(mg.linalg.cholesky([[[4.0]], [[2.25]]]).numpy().ravel())
    [2.  1.5]
    """
    needs_square(input)
    try:
        factor = lapack(np.linalg.cholesky, input)
    except np.linalg.LinAlgError:
        if input.ndim > 2:
            return np.stack([lower_factor.__wrapped__(one) for one in input])
        factor = np.full(input.shape, np.nan, input.dtype)
    return np.where(np.isnan(factor).any((-2, -1), keepdims=True), np.tril(np.full_like(factor, np.nan)), factor)


def cholesky(input, name=None) -> Tensor:
    """Cholesky factor of a positive definite matrix: the lower triangular L for which `L @ adjoint(L)` is the matrix.

    Only the lower triangle of the matrix is read. If the matrix is not positive definite, L is NaN.

    Args:
        input: shape `(..., n, n)`.

    Raises:
        InvalidArgumentError: the matrix is not square.

    >>> import minigrad as mg
    >>> print(mg.linalg.cholesky([[4.0, 2.0], [2.0, 3.0]]).numpy().round(3))
    [[2.    0.   ]
     [1.    1.414]]
    """
    return lower_factor(input)


tell_help(__name__)
