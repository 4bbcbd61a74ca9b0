"""Matrix decompositions: eigenvalues, singular values (SVD) and QR."""

import collections
from typing import Any

import numpy as np

from ..engine import Tensor, invalid, op, tell_help
from ..math.complex_numbers import real_part
from .diagonals import band_part, diag, diag_part
from .solving import lapack, lower_half, needs_rank, needs_square, solve, triangular_solve

__all__ = ["eig", "eigh", "eigvals", "eigvalsh", "qr", "svd"]

Qr = collections.namedtuple("Qr", ["q", "r"])


def reciprocal_gaps(x):
    """1 / (x_j - x_i) at `[..., i, j]`, and 0 where i = j: shape `(..., n)` to `(..., n, n)`."""
    one = np.eye(x.shape[-1], dtype=x.dtype)
    return reciprocal_or_zero(x[..., None, :] - x[..., :, None] + one) - one


def reciprocal_or_zero(x):
    """1 / x, and 0 where x is 0: as in TensorFlow, x / (x * x + 1e-20)."""
    return x / (x * x + 1e-20)


def eigh_grad(dz, z):
    """VJP of `eigh`."""
    (de, dv), (e, v) = dz, z
    de, e = de.astype(v.dtype), e.astype(v.dtype)
    inner = diag.np(de) + reciprocal_gaps(e) * (v.mT.conj() @ dv)
    return onto_lower_triangle(v @ inner @ v.mT.conj())


def onto_lower_triangle(x):
    """The gradient of a matrix of which only the lower triangle is read: the upper triangle is added to it."""
    return lower_half(x + x.mT.conj())


def eigen(function, x):
    """Call one of NumPy's eigenvalue functions. Raise InvalidArgumentError unless the matrix is square and finite."""
    needs_square(x)
    if not np.isfinite(x).all():
        kind = "Eigen" if function in (np.linalg.eig, np.linalg.eigvals) else "Self-adjoint eigen"
        raise invalid(f"{kind} decomposition was not successful. The input might not be valid.")
    return lapack(function, x)


@op("SelfAdjointEigV2", "fc", dtensor=eigh_grad,
    math="v @ (diag(de) + v^T @ dv / gaps in e) @ v^T, in the lower triangle; upstream: de, dv; z: e, v")  # fmt: skip
def eigenpairs(tensor) -> list:
    """Op behind `mg.linalg.eigh`.

    >>> import minigrad as mg
    >>> e, v = mg.linalg.eigh([[2.0, 1.0], [1.0, 4.0]])
    >>> print(e.numpy().round(3), abs(v.numpy()).round(3).ravel())
    [1.586 4.414] [0.924 0.383 0.383 0.924]
    """
    e, v = eigen(np.linalg.eigh, tensor)
    return [e.astype(tensor.dtype), v]


@op("SelfAdjointEigV2", "fc", dtensor=lambda dy, tensor: eigvalsh_grad(dy, eigenpairs.np(tensor)[1]),
    math="v @ diag(upstream) @ v^T, in the lower triangle; v: the eigenvectors")  # fmt: skip
def eigvalsh(tensor):
    """Eigenvalues of a symmetric (or Hermitian) matrix, in ascending order. Only its lower triangle is read.

    Args:
        tensor: shape `(..., n, n)`; the result has shape `(..., n)`.

    Raises:
        InvalidArgumentError: the matrix is not square, or not finite.

    >>> import minigrad as mg
    >>> print(mg.linalg.eigvalsh([[2.0, 1.0], [1.0, 4.0]]).numpy().round(3))
    [1.586 4.414]
    """
    return eigen(np.linalg.eigvalsh, tensor).astype(tensor.dtype)


def eigvalsh_grad(dy, v):
    """VJP of `eigvalsh`."""
    return onto_lower_triangle(v @ diag.np(dy) @ v.mT.conj())


def eigh(tensor, name=None) -> tuple:
    """Eigenvalues and eigenvectors of a symmetric (or Hermitian) matrix. Only its lower triangle is read.

    The sign of an eigenvector is arbitrary: LAPACK chooses it, and not always as TensorFlow does.

    Args:
        tensor: shape `(..., n, n)`.

    Returns:
        `(e, v)`: the eigenvalues in ascending order, shape `(..., n)`, and the eigenvectors, which are the columns of
        v, shape `(..., n, n)`.

    Raises:
        InvalidArgumentError: the matrix is not square, or not finite.

    >>> import minigrad as mg
    >>> e, v = mg.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> print(e.numpy(), abs(v.numpy()).ravel())
    [1. 2.] [0. 1. 1. 0.]
    """
    return tuple(eigenpairs(tensor))


def eig_grad(dz, z, tensor_dtype):
    """VJP of `eig`, for eigenvectors of norm 1.

    Boeddeker et al., "On the Computation of Complex-valued Gradients with Application to Statistically Optimum
    Beamforming" (2017).
    """
    (de, dv), (e, v) = dz, z
    adjoint = v.mT.conj()
    turned = adjoint @ dv
    along = (adjoint @ v) * real_part(diag_part.np(turned)).astype(v.dtype)[..., None, :]  # changes only the norms
    inner = diag.np(de) + reciprocal_gaps(e).conj() * (turned - along)
    whole = solve.np(adjoint, inner @ adjoint)
    return whole if tensor_dtype.kind == "c" else real_part(whole)


@op("Eig", "fc", dtensor=eig_grad,
    math="inv(v)^T @ (diag(de) + v^T @ dv / gaps in e) @ v^T, norms kept; upstream: de, dv; z: e, v")  # fmt: skip
def general_eigenpairs(tensor) -> list:
    """Op behind `mg.linalg.eig`.

    >>> import minigrad as mg
    >>> print(mg.linalg.eig([[2.0, 1.0], [0.5, 4.0]])[0].numpy().round(3))
    [1.775+0.j 4.225+0.j]
    """
    wide = np.result_type(tensor.dtype, np.complex64)
    return [part.astype(wide) for part in eigen(np.linalg.eig, tensor)]


def eig(tensor, name=None) -> tuple:
    """Eigenvalues and eigenvectors of any square matrix. They are complex, and in no particular order.

    Args:
        tensor: shape `(..., n, n)`.

    Returns:
        `(e, v)`: the eigenvalues, shape `(..., n)`, and the eigenvectors, which are the columns of v, shape
        `(..., n, n)`.

    Raises:
        InvalidArgumentError: the matrix is not square, or not finite.

    >>> import minigrad as mg
    >>> print(mg.linalg.eig(mg.constant([[0.0, 1.0], [-1.0, 0.0]]))[0].numpy())
    [0.+1.j 0.-1.j]
    """
    return tuple(general_eigenpairs(tensor))


def eigvals(tensor, name=None) -> Tensor:
    """Eigenvalues of any square matrix, as in `eig`: shape `(..., n, n)` to `(..., n)`.

    Raises:
        InvalidArgumentError: the matrix is not square, or not finite.

    >>> import minigrad as mg
    >>> print(mg.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]]).numpy().real)
    [2. 1.]
    """
    return general_eigenpairs(tensor)[0]


def svd_grad(dz, z, tensor_shape, full_matrices):
    """VJP of `svd`: Townsend, "Differentiating the Singular Value Decomposition" (2016).

    For complex numbers a term for the phases of u and v is added.
    """
    (ds, du, dv), (s, u, v) = dz, z
    rows, columns = tensor_shape[-2:]
    k = min(rows, columns)
    if full_matrices and abs(rows - columns) > 1:
        problem = "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. Received:"
        raise NotImplementedError(f"{problem} m={rows} and n={columns} from an input of shape {tensor_shape}.")
    u, du, u2, du2 = u[..., :k], du[..., :k], u[..., k:], du[..., k:]
    v, dv, v2, dv2 = v[..., :k], dv[..., :k], v[..., k:], dv[..., k:]
    s, ds = s.astype(u.dtype), ds.astype(u.dtype)
    f, inverse = reciprocal_gaps(s * s), reciprocal_or_zero(s)[..., None, :]
    left, right = u.mT.conj() @ du, v.mT.conj() @ dv
    fl, fr = f * left, f * right
    core = diag.np(ds) + (fl + fl.mT.conj()) * s[..., None, :] + s[..., :, None] * (fr + fr.mT.conj())
    if right.dtype.kind == "c":
        phases = np.eye(k, dtype=right.dtype) * right
        core = core + (phases.mT.conj() - phases) * inverse.mT / 2
    dinput = u @ core @ v.mT.conj()
    if rows > k:
        dinput = dinput + ((du - u @ left - u2 @ (du2.mT.conj() @ u)) * inverse) @ v.mT.conj()
    if columns > k:
        dinput = dinput + (u * inverse) @ (dv - v @ right - v2 @ (dv2.mT.conj() @ v)).mT.conj()
    return dinput


@op("Svd", "fc", dtensor=svd_grad, math="u @ (diag(ds) + what turns u and v) @ v^T; upstream: ds, du, dv; z: s, u, v")
def singular_triplets(tensor, full_matrices=False) -> list:
    """Op behind `mg.linalg.svd`.

    >>> import minigrad as mg
    >>> s, u, v = mg.linalg.svd([[2.0, 1.0], [0.4, 3.0], [1.0, 0.3]])
    >>> print(s.numpy().round(3), (u @ mg.linalg.diag(s) @ mg.linalg.adjoint(v)).numpy().round(3)[0])
    [3.45  1.829] [2. 1.]
    >>> print(mg.linalg.svd([[2.0, 1.0, 0.5], [0.3, 3.0, 1.0]], full_matrices=True)[2].shape)
    (3, 3)
    """
    needs_rank(tensor)
    bad = has_inf_or_nan(tensor)
    u, s, vh = lapack(lambda x: np.linalg.svd(x, full_matrices), np.where(bad, 0, tensor))
    return [np.where(bad[..., 0], np.nan, s), np.where(bad, np.nan, u), np.where(bad, np.nan, vh.mT.conj())]


def has_inf_or_nan(x):
    """Whether each matrix holds inf or NaN, for which LAPACK's results vary: shape `(..., n, m)` to `(..., 1, 1)`."""
    return ~np.isfinite(x).all((-2, -1), keepdims=True)


def singular_values_grad(dy, z):
    """VJP of `singular_values`."""
    _, u, v = z
    return (u * dy.astype(u.dtype)[..., None, :]) @ v.mT.conj()


@op("Svd", "fc", dtensor=lambda dy, tensor: singular_values_grad(dy, singular_triplets.np(tensor)),
    math="u @ diag(upstream) @ v^T; u, v: the singular vectors")  # fmt: skip
def singular_values(tensor):
    """Op behind `mg.linalg.svd` with `compute_uv=False`.

    >>> import minigrad as mg
    >>> print(mg.linalg.svd([[2.0, 1.0], [0.4, 3.0], [1.0, 0.3]], compute_uv=False).numpy().round(3))
    [3.45  1.829]
    """
    needs_rank(tensor)
    bad = has_inf_or_nan(tensor)
    return np.where(bad[..., 0], np.nan, lapack(np.linalg.svdvals, np.where(bad, 0, tensor)))


def svd(tensor, full_matrices=False, compute_uv=True, name=None) -> Any:
    """Singular value decomposition: s, u and v for which the input is `u @ diag(s) @ adjoint(v)`.

    The sign of a pair of columns of u and v is arbitrary: LAPACK chooses it, and not always as TensorFlow does.

    Args:
        tensor: shape `(..., n, m)`.
        full_matrices: make u and v square.
        compute_uv: if False, return only the singular values.

    Returns:
        `(s, u, v)`, where k = min(n, m): the singular values in descending order, shape `(..., k)`, and the singular
        vectors as the columns of u, shape `(..., n, k)`, and v, shape `(..., m, k)`. With `full_matrices` u has n
        columns and v has m.

    Raises:
        InvalidArgumentError: there are fewer than two axes.
        NotImplementedError: (in `tape.gradient`) `full_matrices` is set, and n and m differ by more than 1.

    >>> import minigrad as mg
    >>> s, u, v = mg.linalg.svd([[0.0, 3.0], [2.0, 0.0]])
    >>> print(s.numpy(), abs(u.numpy()).ravel())
    [3. 2.] [1. 0. 0. 1.]
    """
    return tuple(singular_triplets(tensor, full_matrices)) if compute_uv else singular_values(tensor)


def over(x, r):
    """`x @ inv(adjoint(r))` for an upper triangular r."""
    return triangular_solve.np(r, x.mT.conj(), False).mT.conj()


def qr_grad(dz, z, input):
    """VJP of `qr`.

    Roberts and Roberts, "QR and LQ Decomposition Matrix Backpropagation Algorithms for Square, Wide, and Deep Matrices"
    (2020).
    """
    (dq, dr), (q, r) = dz, z
    rows, columns = r.shape[-2:]
    if rows > columns:
        problem = "QrGrad not implemented when nrows > ncols and full_matrices is true."
        raise NotImplementedError(f"{problem} Received r.shape={r.shape} with nrows={rows}and ncols={columns}.")
    if rows == columns:
        return deep_qr_grad(dq, dr, q, r)
    rest = dr[..., rows:]
    first = deep_qr_grad(dq + input[..., rows:] @ rest.mT.conj(), dr[..., :rows], q, r[..., :rows])
    return np.concatenate([first, q @ rest], -1)


def deep_qr_grad(dq, dr, q, r):
    """VJP of `qr` for a square r."""
    qdq, rdr = q.mT.conj() @ dq, r @ dr.mT.conj()
    lower = band_part.np(qdq - qdq.mT.conj() + rdr - rdr.mT.conj(), -1, 0)
    dinput = q @ (dr + over(lower, r)) + over(dq - q @ qdq, r)
    if q.dtype.kind == "c":
        phases = np.eye(q.shape[-1], dtype=q.dtype) * (rdr - qdq.mT.conj())
        dinput = dinput + over(q @ (phases.mT.conj() - phases), r) / 2
    return dinput


@op("Qr", "fc", dinput=qr_grad, math="z[0] @ upstream[1] and what turns z[0], times inv(z[1])^T")
def qr(input, full_matrices=False) -> Qr:
    """QR decomposition: q, with orthonormal columns, and an upper triangular r, for which the input is `q @ r`.

    Args:
        input: shape `(..., n, m)`.
        full_matrices: make q square.

    Returns:
        `(q, r)` of the shapes `(..., n, k)` and `(..., k, m)`, where k = min(n, m), or k = n with `full_matrices`.

    Raises:
        InvalidArgumentError: there are fewer than two axes.
        NotImplementedError: (in `tape.gradient`) `full_matrices` is set, and n is greater than m.

    >>> import minigrad as mg
    >>> print(abs(mg.linalg.qr([[3.0, 1.0], [4.0, 2.0]]).r.numpy()).round(3))
    [[5.  2.2]
     [0.  0.4]]
    >>> q, r = mg.linalg.qr([[1.0, 2.0], [3.0, 4.0], [0.5, 1.0]])
    >>> print((q @ r).numpy().round(3)[1], abs(r.numpy()).round(3).ravel())
    [3. 4.] [3.202 4.529 0.    0.698]
    >>> print(mg.linalg.qr([[1.0, 2.0, 0.5], [3.0, 4.0, 1.5]]).r.shape)
    (2, 3)
    """
    needs_rank(input)
    return Qr(*lapack(lambda x: np.linalg.qr(x, "complete" if full_matrices else "reduced"), input))


tell_help(__name__)
