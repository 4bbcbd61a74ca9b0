"""Inverses, determinants, Cholesky factors, and systems of linear equations."""

import collections

import numpy as np

from .. import math
from ..engine.op import convert, op
from ..engine.shape import bracketed
from ..engine.tensor import Tensor
from ..errors import invalid
from ..ops.creation import convert_to_tensor
from .diagonals import band_part, diag_part, eye
from .products import matmul

# ---- equations and determinants ------------------------------------------------------------------------------------


def needs_rank(x):
    if x.ndim < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {x.ndim}")


def square(x, message="Input matrix must be square."):
    """Refuse what is no square matrix."""
    needs_rank(x)
    if x.shape[-1] != x.shape[-2]:
        raise invalid(message)


def lapack(function, *arrays):
    """What one of NumPy's functions of matrices gives. They do not know float16, which is computed in float32, and warn of nan."""
    with np.errstate(all="ignore"):
        if arrays[0].dtype != np.float16:
            return function(*arrays)
        result = function(*[x.astype(np.float32) for x in arrays])
    return type(result)(*[x.astype(np.float16) for x in result]) if isinstance(result, tuple) else result.astype(np.float16)


def regular(function, message, *matrices):
    """The same; an error if the first matrix has no inverse."""
    try:
        if not np.isnan(matrices[0]).any():
            return lapack(function, *matrices)
    except np.linalg.LinAlgError:
        pass
    raise invalid(message)


def each(number, matrix):
    """One number for each matrix of a batch, in a shape to multiply them with."""
    return number.reshape((*number.shape, 1, 1)) * matrix


def inv_grad(dy, y, adjoint):
    inverse = y if adjoint else y.mT.conj()
    return -inverse @ (dy.mT.conj() if adjoint else dy) @ inverse


@op("MatrixInverse", "fc", dinput=lambda dy, y, adjoint: inv_grad(dy, y, adjoint))
def inv(input, adjoint=False):
    """The inverse of a square matrix, or of its adjoint.

    Raises:
        InvalidArgumentError: the matrix is not square, or has no inverse.

    >>> import minigrad as mg
    >>> print(mg.linalg.inv([[2.0, 1.0], [1.0, 3.0]]).numpy().round(3))
    [[ 0.6 -0.2]
     [-0.2  0.4]]
    >>> print(mg.linalg.inv([[2.0, 1.0], [4.0, 4.0]], adjoint=True).numpy().round(3))
    [[ 1.   -1.  ]
     [-0.25  0.5 ]]
    """
    square(input)
    inverse = regular(np.linalg.inv, "Input is not invertible.", input)
    return inverse.mT.conj() if adjoint else inverse


@op("MatrixDeterminant", "fc", dinput=lambda dy, y, input: each(dy * y.conj(), inv.np(input, True)))
def det(input):
    """The determinant of a square matrix. Its gradient needs a matrix that can be inverted.

    Raises:
        InvalidArgumentError: the matrix is not square.

    >>> import minigrad as mg
    >>> print(mg.linalg.det([[2.0, 1.0], [1.0, 4.0]]).numpy().round(3))
    7.0
    """
    square(input)
    return lapack(np.linalg.det, input)


@op("LogMatrixDeterminant", "fc", dinput=lambda dz, input: each(dz[1], inv.np(input, True)))
def sign_and_log_det(input) -> list:
    """What `slogdet` computes.

    >>> import minigrad as mg
    >>> print([y.numpy().round(3) for y in mg.linalg.slogdet([[2.0, 1.0], [5.0, 1.0]])])
    [np.float32(-1.0), np.float32(1.099)]
    """
    square(input)
    sign, logarithm = lapack(np.linalg.slogdet, input)
    return [np.where(np.isnan(logarithm), logarithm, sign)[()], logarithm.astype(input.dtype)]


LogMatrixDeterminant = collections.namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])


def slogdet(input, name=None) -> LogMatrixDeterminant:
    """The sign of the determinant, and the logarithm of its absolute value, which does not overflow.

    Raises:
        InvalidArgumentError: the matrix is not square.

    >>> import minigrad as mg
    >>> print(mg.linalg.slogdet([[2.0, 0.0], [0.0, -0.5]]).sign.numpy())
    -1.0
    """
    return LogMatrixDeterminant(*sign_and_log_det(input))


def logdet(matrix, name=None) -> Tensor:
    """The logarithm of the determinant of a positive definite matrix.

    >>> import minigrad as mg
    >>> print(mg.linalg.logdet([[2.0, 1.0], [1.0, 3.0]]).numpy().round(3))
    1.609
    """
    diagonal = math.real(diag_part(cholesky(matrix)))
    return 2.0 * math.reduce_sum(math.log(diagonal), -1)


def solution_part(dy, matrix, y, adjoint):
    """The gradient of `solve` with respect to the matrix."""
    drhs = solve.np(matrix, dy, not adjoint)
    return -y @ drhs.mT.conj() if adjoint else -drhs @ y.mT.conj()


@op("MatrixSolve", "fc", drhs=lambda dy, matrix, adjoint: solve.np(matrix, dy, not adjoint),
    dmatrix=lambda dy, matrix, y, adjoint: solution_part(dy, matrix, y, adjoint))  # fmt: skip
def solve(matrix, rhs, adjoint=False):
    """The x for which `matrix @ x` is `rhs`.

    Args:
        matrix: of shape `(..., n, n)`.
        rhs: the right-hand sides, as columns: of shape `(..., n, k)`; the axes in front are those of `matrix`.
        adjoint: solve with the adjoint of the matrix.

    Raises:
        InvalidArgumentError: the matrix has no inverse, or the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.linalg.solve([[2.0, 1.0], [1.0, 3.0]], [[1.0], [5.0]]).numpy().round(3).ravel())
    [-0.4  1.8]
    >>> print(mg.linalg.solve([[2.0, 1.0], [4.0, 3.0]], [[1.0], [5.0]], adjoint=True).numpy().round(3).ravel())
    [-8.5  4.5]
    """
    if matrix.ndim != rhs.ndim:
        raise invalid("All input tensors must have the same rank.")
    square(matrix, "First input (lhs) must be a square matrix.")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")
    if matrix.shape[-1] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    return regular(np.linalg.solve, "Input matrix is not invertible.", matrix.mT.conj() if adjoint else matrix, rhs)


def triangular_part(dy, matrix, y, lower, adjoint):
    """The gradient of `triangular_solve` with respect to the matrix: nothing flows to the other triangle."""
    drhs = triangular_solve.np(matrix, dy, lower, not adjoint)
    whole = -y @ drhs.mT.conj() if adjoint else -drhs @ y.mT.conj()
    return band_part.np(whole, -1, 0) if lower else band_part.np(whole, 0, -1)


@op("MatrixTriangularSolve", "fc", drhs=lambda dy, matrix, lower, adjoint: triangular_solve.np(matrix, dy, lower, not adjoint),
    dmatrix=lambda dy, matrix, y, lower, adjoint: triangular_part(dy, matrix, y, lower, adjoint))  # fmt: skip
def triangular_solve(matrix, rhs, lower=True, adjoint=False):
    """The x for which `matrix @ x` is `rhs`, where the matrix is triangular: row by row.

    Args:
        matrix: of shape `(..., n, n)`. Its other triangle is not looked at.
        rhs: the right-hand sides, as columns: of shape `(..., n, k)`; the axes in front are broadcast.
        lower: is it the lower triangle?
        adjoint: solve with the adjoint of the matrix.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.linalg.triangular_solve([[2.0, 9.0], [1.0, 4.0]], [[1.0], [5.0]]).numpy().ravel())
    [0.5   1.125]
    >>> print(mg.linalg.triangular_solve([[2.0, 3.0], [9.0, 4.0]], [[1.0], [5.0]], lower=False, adjoint=True).numpy().ravel())
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
        raise invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {bracketed(matrix.shape)} vs. {bracketed(rhs.shape)}"
        ) from None
    matrix, lower = (matrix.mT.conj(), not lower) if adjoint else (matrix, lower)
    x = np.empty((*batch, *rhs.shape[-2:]), rhs.dtype)
    for i in range(n) if lower else reversed(range(n)):
        known = slice(0, i) if lower else slice(i + 1, n)
        rest = rhs[..., i, :] - (matrix[..., i : i + 1, known] @ x[..., known, :])[..., 0, :]
        x[..., i, :] = rest / matrix[..., i, i, None]
    return x


def cholesky_solve(chol, rhs, name=None) -> Tensor:
    """The x for which `a @ x` is `rhs`, where `chol` is `cholesky(a)`.

    >>> import minigrad as mg
    >>> a = mg.constant([[2.0, 1.0], [1.0, 3.0]])
    >>> print(mg.linalg.cholesky_solve(mg.linalg.cholesky(a), [[1.0], [5.0]]).numpy().round(3).ravel())
    [-0.4  1.8]
    """
    chol = convert(chol, rhs)
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def no_slope(dx):
    raise ValueError("Gradient not defined for fast=False")


@op("MatrixSolveLs", "fc", dmatrix=no_slope, drhs=no_slope)
def robust_lstsq(matrix, rhs):
    """What `lstsq` computes with `fast=False`: it bears matrices of less than full rank, but has no gradient.

    >>> import minigrad as mg
    >>> print(mg.linalg.lstsq([[1.0, 2.0], [2.0, 4.0]], [[1.0], [2.0]], fast=False).numpy().round(3).ravel())
    [0.2 0.4]
    """
    return lapack(np.linalg.pinv, matrix) @ rhs


def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None) -> Tensor:
    """The x for which `matrix @ x` comes nearest to `rhs`; of several the shortest.

    Args:
        matrix: of shape `(..., n, m)`.
        rhs: of shape `(..., n, k)`.
        l2_regularizer: how much the square of x is to count.
        fast: solve the normal equations, which needs a matrix of full rank; if False, by singular values, without
            `l2_regularizer`, and without a gradient: to ask for one is a ValueError.

    Raises:
        InvalidArgumentError: the shapes do not fit.

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


# ---- decompositions ------------------------------------------------------------------------------------------------


def lower_half(x):
    """The lower triangle, with half of the diagonal."""
    n = x.shape[-1]
    return band_part.np(x, -1, 0) * (1 - np.eye(n, dtype=x.dtype) / 2)


def cholesky_grad(dy, y):
    middle = lower_half(y.mT.conj() @ dy)
    half = triangular_solve.np(y, middle.mT.conj(), True, True).mT.conj()  # middle @ inv(y)
    whole = triangular_solve.np(y, half, True, True)
    return (whole + whole.mT.conj()) / 2


@op("Cholesky", "fc", dinput=lambda dy, y: cholesky_grad(dy, y))
def lower_factor(input):
    """What `cholesky` computes. Its gradient is symmetric, although only one triangle is looked at, as in TensorFlow.

    >>> import minigrad as mg
    >>> print(mg.linalg.cholesky([[[4.0]], [[2.25]]]).numpy().ravel())
    [2.  1.5]
    """
    square(input)
    try:
        factor = lapack(np.linalg.cholesky, input)
    except np.linalg.LinAlgError:
        if input.ndim > 2:
            return np.stack([lower_factor.__wrapped__(one) for one in input])
        factor = np.full(input.shape, np.nan, input.dtype)
    return np.where(np.isnan(factor).any((-2, -1), keepdims=True), np.tril(np.full_like(factor, np.nan)), factor)


def cholesky(input, name=None) -> Tensor:
    """The lower triangular L for which `L @ adjoint(L)` is the matrix, which must be positive definite.

    Only the lower triangle of the input is looked at. Where the matrix is not positive definite, L is nan.

    Raises:
        InvalidArgumentError: the matrix is not square.

    >>> import minigrad as mg
    >>> print(mg.linalg.cholesky([[4.0, 2.0], [2.0, 3.0]]).numpy().round(3))
    [[2.    0.   ]
     [1.    1.414]]
    """
    return lower_factor(input)
