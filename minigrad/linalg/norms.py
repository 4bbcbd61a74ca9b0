"""Norms, the matrix exponential, rank and pseudo-inverse."""

import numpy as np

from .. import math
from ..engine import Tensor, dtypes
from ..errors import visible
from ..ops import convert_to_tensor, creation, gathering, shaping
from .decompositions import svd
from .diagonals import eye
from .products import matmul
from .solving import solve

__all__ = ["expm", "matrix_rank", "norm", "normalize", "pinv"]

# ---- norms, exponential, rank and pseudo-inverse -------------------------------------------------------------------


def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None) -> Tensor:
    """Norm of vectors or matrices. Where an L2 norm is 0, its gradient is NaN.

    Args:
        tensor: of any shape.
        ord: `"euclidean"` (the L2 norm, or Frobenius norm of matrices), 1, 2, `np.inf`, or for vectors any p > 0.
            Matrices also have `"fro"`, which is `"euclidean"`; their 2-norm is the largest singular value.
        axis: None takes all elements as one vector, an int is the axis of vectors, and a pair is the two axes of
            matrices.
        keepdims: keep the reduced axes, with length 1; otherwise they are removed.

    Raises:
        ValueError: there is no such norm, or `axis` is of another form.
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.norm([3.0, 4.0]).numpy(), mg.norm([[3.0, -4.0], [1.0, 0.0]], ord=1, axis=1).numpy())
    5.0 [7. 1.]
    """
    matrices = isinstance(axis, (tuple, list)) and len(axis) == 2
    check_norm(ord, axis, matrices)
    x = convert_to_tensor(tensor)
    axis = tuple(axis) if matrices else axis
    keepdims = bool(keepdims)
    if matrices and ord == 2:
        return largest_singular_value(x, axis, keepdims)
    if ord in ("fro", "euclidean", 2):
        return math.sqrt(math.reduce_sum(x * math.conj(x) if x.value.dtype.kind == "c" else x * x, axis, keepdims))
    x = math.abs(x)
    if matrices and ord == 1:
        return reduced_twice(x, math.reduce_sum, axis[0], math.reduce_max, axis[1], keepdims)
    if matrices:
        return reduced_twice(x, math.reduce_sum, axis[1], math.reduce_max, axis[0], keepdims)
    if ord == 1:
        return math.reduce_sum(x, axis, keepdims)
    if ord == np.inf:
        return math.reduce_max(x, axis, keepdims)
    return math.pow(math.reduce_sum(math.pow(x, ord), axis, keepdims), 1.0 / ord)


def check_norm(ord, axis, matrices):
    """Raise ValueError for a norm that does not exist, or an axis of another form."""
    if matrices:
        axis = tuple(axis)
        if not all(isinstance(k, int) for k in axis) or axis[0] == axis[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {visible(axis)}")
        supported = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in supported:
            raise ValueError(f"'ord' must be a supported matrix norm in {supported}, got {visible(ord)}")
    elif not (axis is None or isinstance(axis, int)):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {visible(axis)}")
    elif ord != "euclidean" and (isinstance(ord, str) or not ord > 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {visible(ord)}")


def reduced_twice(x, first, axis, second, other, keepdims):
    """Reduce along `axis` with the first function, then along `other` with the second."""
    y = second(first(x, axis, True), other, True)
    return y if keepdims else math.reduce_sum(y, tuple([k % x.ndim for k in (axis, other)]))


def largest_singular_value(x, axis, keepdims):
    """The 2-norm of matrices: their largest singular value. `axis` is the pair of axes of the rows and the columns."""
    rows, columns = [k % (x.ndim or 1) for k in axis]
    rest = [k for k in range(x.ndim) if k not in (rows, columns)]
    largest = math.reduce_max(math.abs(svd(shaping.transpose(x, (*rest, rows, columns)), compute_uv=False)), -1)
    if not keepdims:
        return largest
    return shaping.reshape(largest, [1 if k in (rows, columns) else n for k, n in enumerate(x.value.shape)])


def normalize(tensor, ord="euclidean", axis=None, name=None) -> tuple:
    """Divide a Tensor by its norm; see `norm` for the arguments.

    Returns:
        `(normalized, norm)`: the norm keeps the reduced axes, with length 1.

    >>> import minigrad as mg
    >>> print(mg.linalg.normalize([3.0, 4.0])[0].numpy())
    [0.6 0.8]
    """
    tensor = convert_to_tensor(tensor)
    length = norm(tensor, ord, axis, keepdims=True)
    length = creation.cast(length, tensor.dtype)
    return tensor / length, length


def expm(input, name=None) -> Tensor:
    """Matrix exponential, 1 + x + x @ x / 2 + ..., of square matrices: scaling and squaring of a Padé approximation.

    The degrees and limits are those of Higham, "The Scaling and Squaring Method for the Matrix Exponential Revisited"
    (2005).

    Args:
        input: shape `(..., n, n)`, of a float or complex dtype.

    Raises:
        ValueError: the dtype is neither float nor complex.
        InvalidArgumentError: the matrix is not square.

    >>> import minigrad as mg
    >>> print(mg.linalg.expm([[0.0, 1.0], [-1.0, 0.0]]).numpy().round(3))
    [[ 0.54   0.841]
     [-0.841  0.54 ]]
    """
    x = convert_to_tensor(input)
    value = x.value
    if value.dtype.kind not in "fc":
        raise ValueError(f"tf.linalg.expm does not support matrices of type {x.dtype}")
    if not value.size:
        return x
    degree, limit = (13, 5.371920351148152) if value.dtype.char in "dD" else (7, 3.92572478313866)
    size = np.maximum.reduce(np.add.reduce(abs(value), -2), -1) if value.ndim > 1 else value
    times = np.maximum(0, np.ceil(np.log2(size / limit)))
    times = np.where(np.isfinite(times), times, 0)[..., None, None]
    x = x * (0.5**times).astype(value.dtype)
    even, odd = pade_halves(x, degree)
    y = solve(even - odd, even + odd) if np.isfinite(size).all() else x * np.nan
    for i in range(int(times.max())):
        y = gathering.where(i < times, y @ y, y)
    return y


def pade_halves(x, degree):
    """The terms of even and of odd degree of the numerator of the Padé approximation of exp(x)."""
    weights = [1.0]
    for j in range(degree):
        weights.append(weights[-1] * (degree - j) / ((2 * degree - j) * (j + 1)))
    one = eye(x.value.shape[-1], dtype=x.dtype)
    x2 = x @ x
    even, odd = weights[degree - 1] * one, weights[degree] * one
    for of_even, of_odd in zip(weights[degree - 3 :: -2], weights[degree - 2 :: -2]):
        even, odd = even @ x2 + of_even * one, odd @ x2 + of_odd * one
    return even, x @ odd


def needs_float_matrix(a):
    """Raise TypeError for a dtype that is not float, and ValueError for fewer than two axes."""
    if a.value.dtype.kind != "f":
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.ndim}).")


def matrix_rank(a, tol=None, validate_args=False, name=None) -> Tensor:
    """Rank of matrices: the number of singular values above `tol`.

    Args:
        a: shape `(..., n, m)`; the result is int32, of shape `(...)`.
        tol: None takes max(n, m) times the largest singular value times the machine epsilon of the dtype.
        validate_args, name: accepted as in TensorFlow, without effect.

    Raises:
        TypeError: the dtype is not float.
        ValueError: there are fewer than two axes.

    >>> import minigrad as mg
    >>> print(mg.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy())
    1
    """
    a = convert_to_tensor(a, dtype_hint=dtypes.float32)
    needs_float_matrix(a)
    s = svd(a, compute_uv=False).value
    if tol is None:
        tol = np.finfo(s.dtype).eps * max(a.value.shape[-2:]) * s.max(-1, keepdims=True, initial=0)
    return Tensor.of(np.add.reduce(s > np.asarray(tol), -1, dtype=np.int32))


def pinv(a, rcond=None, validate_args=False, name=None) -> Tensor:
    """Moore-Penrose pseudo-inverse of matrices: shape `(..., n, m)` to `(..., m, n)`.

    Args:
        a: shape `(..., n, m)`.
        rcond: singular values up to `rcond` times the largest are taken as 0. None takes 10 * max(n, m) times the
            machine epsilon of the dtype.
        validate_args, name: accepted as in TensorFlow, without effect.

    Raises:
        TypeError: the dtype is not float.
        ValueError: there are fewer than two axes.

    >>> import minigrad as mg
    >>> print(mg.linalg.pinv([[1.0, 2.0], [2.0, 4.0]]).numpy().round(3))
    [[0.04 0.08]
     [0.08 0.16]]
    """
    a = convert_to_tensor(a)
    needs_float_matrix(a)
    if rcond is None:
        rcond = 10.0 * max(a.value.shape[-2:]) * np.finfo(a.value.dtype).eps
    s, u, v = svd(a)
    zero = s.value <= np.asarray(rcond)[..., None] * s.value.max(-1, keepdims=True, initial=0)
    s = gathering.where(zero, np.inf, s)
    return matmul(v / shaping.reshape(s, (*s.value.shape[:-1], 1, s.value.shape[-1])), u, adjoint_b=True)
