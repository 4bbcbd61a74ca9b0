"""Transposes, diagonals and bands of matrices."""

import numpy as np

from .. import math
from ..engine import Tensor, as_value, bracketed, dtypes, invalid, op, tidy, twin
from ..engine.rules import filled
from ..errors import visible
from ..math.arithmetic import ARITHMETIC
from ..ops import convert_to_tensor, shaping

__all__ = ["adjoint", "band_part", "diag", "diag_part", "eye", "matrix_transpose", "set_diag", "tensor_diag",
           "tensor_diag_part", "trace"]  # fmt: skip


# ---- transposes, diagonals and bands -------------------------------------------------------------------------------


@twin(np.matrix_transpose)
def matrix_transpose(a, name="matrix_transpose", conjugate=False) -> Tensor:
    """Transpose of matrices: rows and columns are swapped, shape `(..., n, m)` to `(..., m, n)`.

    Args:
        a: shape `(..., n, m)`.
        conjugate: conjugate complex numbers too.

    Raises:
        ValueError: there are fewer than two axes.

    >>> import minigrad as mg
    >>> print(mg.linalg.matrix_transpose([[1.0, 2.0]]).numpy())
    [[1.]
     [2.]]
    """
    a = convert_to_tensor(a)
    n = a.ndim
    if n < 2:
        problem = "Argument `a` should be a (batch) matrix with rank >= 2."
        raise ValueError(f"{problem}  Received `a` = {a.value} with shape: {a.value.shape}")
    return shaping.transpose(a, (*range(n - 2), n - 1, n - 2), conjugate)


def adjoint(matrix, name=None) -> Tensor:
    """Adjoint (conjugate transpose) of matrices: shape `(..., n, m)` to `(..., m, n)`.

    Raises:
        ValueError: there are fewer than two axes.

    >>> import minigrad as mg
    >>> print(mg.linalg.adjoint([[1.0, 2.0]]).numpy().shape)
    (2, 1)
    """
    return matrix_transpose(matrix, conjugate=True)


def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None) -> Tensor:
    """Identity matrix: ones on the main diagonal, zeros elsewhere.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; None takes the number of rows.
        batch_shape: the shape of a batch of such matrices.
        dtype: of the elements.

    Returns:
        Shape `(*batch_shape, num_rows, num_columns)`.

    Raises:
        TypeError: a number of rows or columns is not an integer.
        InvalidArgumentError: a number of rows or columns is negative.

    >>> import minigrad as mg
    >>> print(mg.eye(2).numpy())
    [[1. 0.]
     [0. 1.]]
    """
    rows, columns = [n if n is None or not hasattr(n, "__index__") else n.__index__() for n in (num_rows, num_columns)]
    columns = rows if columns is None else columns
    if not isinstance(rows, int) or not isinstance(columns, int):
        problem = "Arguments `num_rows` and `num_columns` must be positive integer values."
        raise TypeError(f"{problem} Received: num_rows={visible(num_rows)}, num_columns={visible(columns)}")
    if min(rows, columns) < 0:
        raise invalid(f"Dimension {min(rows, columns)} must be >= 0 [Op:Fill] name: ")
    matrix = np.eye(rows, columns, dtype=as_value(1, dtype).dtype)  # strings have no 1
    batch = () if batch_shape is None else tidy.lengths(batch_shape)
    return Tensor.of(np.broadcast_to(matrix, (*batch, rows, columns)))


ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")  # above the main diagonal, and below


def needs_matrix(x):
    """Raise InvalidArgumentError for fewer than two axes."""
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {bracketed(x.shape)}")


def from_to(k):
    """The lowest and the highest diagonal that `k` means: 0 is the main one, those above it are positive."""
    ends = k if isinstance(k, tuple) else (k,)
    if not 1 <= len(ends) <= 2:
        raise invalid(f"diag_index must have only one or two elements, received {len(ends)} elements.")
    if ends[0] > ends[-1]:
        raise invalid(f"lower_diag_index must not be larger than upper_diag_index: {ends[0]} > {ends[-1]}")
    return ends[0], ends[-1]


def longest(lower, upper, rows, columns):
    """The length of the longest diagonal from `lower` to `upper`. Raise InvalidArgumentError if one does not exist."""
    for name, k in ("lower", lower), ("upper", upper):
        if not (-rows < k < columns or k == 0):
            raise invalid(f"{name}_diag_index is out of bound: {k}. It must be between {-rows} and {columns}")
    return min(rows + min(upper, 0), columns - max(lower, 0))


def places(k, rows, columns, align):
    """The positions of the diagonals `k`, as a key for the matrix, and a key for the array of diagonals.

    A single diagonal is held as a row. Several are stacked, the highest first, and shorter ones are aligned as `align`
    says.
    """
    if align not in ALIGNMENTS:
        allowed = ", ".join(f'"{one}"' for one in ALIGNMENTS)
        raise invalid(f"Value for attr 'align' of \"{align}\" is not in the list of allowed values: {allowed}")
    lower, upper = from_to(k)
    length = longest(lower, upper, rows, columns)
    above, below = align.split("_")
    keys = []
    for i, diagonal in enumerate(range(upper, lower - 1, -1)):
        n = min(rows + min(diagonal, 0), columns - max(diagonal, 0))
        left = (above if diagonal > 0 else below) == "LEFT"
        step = np.arange(n)
        place = step if left else step + length - n
        keys.append((step - min(diagonal, 0), step + max(diagonal, 0), np.full(n, i), place))
    row, column, band, place = [np.concatenate(parts) for parts in zip(*keys, strict=True)]
    return (..., row, column), (..., place) if lower == upper else (..., band, place)


@op("MatrixDiagV3", k=tidy.axes, num_rows=tidy.integer, num_cols=tidy.integer,
    ddiagonal=lambda dz, k, align: diag_part.np(dz, None, k, 0, align), math="the diagonals of upstream")  # fmt: skip
def diag(diagonal, name=None, k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrix with the given diagonal, or diagonals, and `padding_value` elsewhere.

    Args:
        diagonal: shape `(..., n)`, or `(..., number of diagonals, n)` if `k` is a pair: stacked, the highest first.
        k: which diagonal: 0 is the main one, those above it are positive. A pair means all diagonals from the first to
            the second.
        num_rows, num_cols: the size of the matrix; -1 for the smallest that fits.
        padding_value: the elements outside of the diagonals.
        align: the end of the row to which a shorter diagonal is aligned: the first word is for those above the main
            one, the second for those below it.

    Returns:
        Shape `(..., num_rows, num_cols)`.

    Raises:
        InvalidArgumentError: the sizes do not fit.

    >>> import minigrad as mg
    >>> print(mg.linalg.diag([1.0, 2.0], k=1).numpy())
    [[0. 1. 0.]
     [0. 0. 2.]
     [0. 0. 0.]]
    >>> print(mg.linalg.diag([[3.0, 4.0], [5.0, 0.0]], k=(-1, 0)).numpy())
    [[3. 0.]
     [5. 4.]]
    """
    lower, upper = from_to(k)
    axes = 1 + (lower < upper)
    if diagonal.ndim < axes:
        raise invalid(f"diagonal must be at least {axes}-dim, received shape: {bracketed(diagonal.shape)}")
    if lower < upper and diagonal.shape[-2] != upper - lower + 1:
        problem = "The number of diagonals provided in the input does not"
        raise invalid(f"{problem} match the lower_diag_index and upper_diag_index range.")
    rows, columns = size_around(diagonal.shape[-1], lower, upper, num_rows, num_cols)
    matrix = filled(diagonal, (*diagonal.shape[:-axes], rows, columns), as_value(padding_value, diagonal.dtype))
    inside, outside = places(k, rows, columns, align)
    matrix[inside] = diagonal[outside]
    return matrix


def size_around(length, lower, upper, rows, columns):
    """The size of a matrix with these diagonals, the longest of which has this length. -1 means the smallest size."""
    least_rows, least_columns = length - min(upper, 0), length + max(lower, 0)
    if rows == columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows == -1 else rows, least_columns if columns == -1 else columns
    if rows < least_rows:
        raise invalid("The number of rows is too small.")
    if columns < least_columns:
        raise invalid("The number of columns is too small.")
    if rows != least_rows and columns != least_columns:
        problem = "The number of rows or columns is not consistent"
        raise invalid(f"{problem} with the specified d_lower, d_upper, and diagonal.")
    return rows, columns


@op("MatrixDiagPartV3", k=tidy.axes, math="upstream, put back on the diagonals",
    dinput=lambda dz, input_shape, k, align: diag.np(dz, None, k, *input_shape[-2:], 0, align))  # fmt: skip
def diag_part(input, name=None, k=0, padding_value=0, align="RIGHT_LEFT"):
    """Diagonal, or diagonals, of a matrix.

    Args:
        input: shape `(..., n, m)`.
        k: which diagonal: 0 is the main one, those above it are positive. A pair means all diagonals from the first to
            the second.
        padding_value: the value that pads shorter diagonals.
        align: the end of the row to which a shorter diagonal is aligned: the first word is for those above the main
            one, the second for those below it.

    Returns:
        Shape `(..., length)`, or `(..., number of diagonals, longest length)` if `k` is a pair: stacked, the highest
        first.

    Raises:
        InvalidArgumentError: there is no such diagonal.

    >>> import minigrad as mg
    >>> x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    >>> print(mg.linalg.diag_part(x).numpy(), mg.linalg.diag_part(x, k=1).numpy())
    [1. 5.] [2. 6.]
    >>> print(mg.linalg.diag_part(x, k=(-1, 0)).numpy())
    [[1. 5.]
     [4. 0.]]
    """
    needs_matrix(input)
    lower, upper = from_to(k)
    inside, outside = places(k, *input.shape[-2:], align)
    padding = as_value(padding_value, input.dtype)
    if lower == upper:
        return input[inside]
    length = longest(lower, upper, *input.shape[-2:])
    diagonals = np.full((*input.shape[:-2], upper - lower + 1, length), padding)
    diagonals[outside] = input[inside]
    return diagonals


@op("MatrixSetDiagV3", k=tidy.axes, ddiagonal=lambda dz, k, align: diag_part.np(dz, None, k, 0, align),
    dinput=lambda dz, diagonal_shape, k, align: set_diag.np(dz, np.zeros(diagonal_shape, dz.dtype), None, k, align),
    math={"diagonal": "the diagonals of upstream", "input": "upstream, but 0 on the diagonals"})  # fmt: skip
def set_diag(input, diagonal, name=None, k=0, align="RIGHT_LEFT"):
    """Copy of a matrix with another diagonal, or other diagonals.

    Args:
        input: shape `(..., n, m)`.
        diagonal: the new diagonal, or diagonals, of the shape that `diag_part(input, k=k)` has.
        k, align: as for `diag_part`.

    Raises:
        InvalidArgumentError: there is no such diagonal, or it has another shape.

    >>> import minigrad as mg
    >>> print(mg.linalg.set_diag([[1.0, 2.0], [3.0, 4.0]], [7.0, 8.0]).numpy())
    [[7. 2.]
     [3. 8.]]
    """
    needs_matrix(input)
    lower, upper = from_to(k)
    bands = [upper - lower + 1] if lower < upper else []
    expected = (*input.shape[:-2], *bands, longest(lower, upper, *input.shape[-2:]))
    if diagonal.shape != expected:
        first = "Either first dimensions of diagonal don't match input.shape[:-2],"
        problem = f"{first} or diagonal.shape[:-1] is not equal to the longests diagonal"
        shapes = {"Input shape": input.shape, "Diagonal shape": diagonal.shape, "Expected diagonal shape": expected}
        listed = "\n".join([f"{what}: {bracketed(shape)}" for what, shape in shapes.items()])
        raise invalid(f"{problem} in range [lower_diag_index:upper_diag_index].\n{listed}")
    matrix = input.copy()
    inside, outside = places(k, *input.shape[-2:], align)
    matrix[inside] = diagonal[outside]
    return matrix


@op("Diag", ARITHMETIC, ddiagonal=lambda dz: tensor_diag_part.np(dz))
def tensor_diag(diagonal):
    """Diagonal Tensor: the shape `s` becomes `s + s`, element `[i, j]` goes to `[i, j, i, j]`, and the rest is 0.

    Raises:
        InvalidArgumentError: the input is a scalar.

    >>> import minigrad as mg
    >>> print(mg.linalg.tensor_diag([1.0, 2.0]).numpy())
    [[1. 0.]
     [0. 2.]]
    """
    if not diagonal.ndim:
        raise invalid("Input must be at least rank 1, got 0")
    return np.diagflat(diagonal).reshape(diagonal.shape * 2)


@op("DiagPart", ARITHMETIC, dinput=lambda dz: tensor_diag.np(dz))
def tensor_diag_part(input):
    """Diagonal as `tensor_diag` makes it: the shape `s + s` becomes `s`, and element `[i, j, i, j]` goes to `[i, j]`.

    Raises:
        InvalidArgumentError: the shape is not of the form `s + s`.

    >>> import minigrad as mg
    >>> print(mg.linalg.tensor_diag_part([[1.0, 2.0], [3.0, 4.0]]).numpy())
    [1. 4.]
    """
    half = input.ndim // 2
    if input.ndim % 2:
        raise invalid(f"The rank of the tensor should be even and positive, got shape {bracketed(input.shape)}")
    for i, (n, m) in enumerate(zip(input.shape, input.shape[half:])):
        if n != m:
            raise invalid(f"Invalid shape {bracketed(input.shape)}: dimensions {i} and {i + half} do not match.")
    shape = input.shape[:half]
    size = int(np.prod(shape))
    return np.diagonal(input.reshape((size, size))).reshape(shape)


def trace(x, name=None) -> Tensor:
    """Trace of matrices, the sum of the main diagonal: shape `(..., n, m)` to `(...)`.

    >>> import minigrad as mg
    >>> print(mg.linalg.trace([[1.0, 2.0], [3.0, 4.0]]).numpy())
    5.0
    """
    return math.reduce_sum(diag_part(x), -1)


@op("MatrixBandPart", num_lower=tidy.integer, num_upper=tidy.integer,
    dinput=lambda dz, num_lower, num_upper: band_part.np(dz, num_lower, num_upper))  # fmt: skip
def band_part(input, num_lower, num_upper):
    """Keep a band of diagonals around the main one, and set the rest to 0: `band_part(x, -1, 0)` is the lower triangle.

    Args:
        input: shape `(..., n, m)`.
        num_lower, num_upper: how many diagonals to keep below and above the main one; -1 keeps all.

    Raises:
        InvalidArgumentError: there are fewer diagonals.

    >>> import minigrad as mg
    >>> print(mg.linalg.band_part([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], -1, 1).numpy())
    [[1. 2. 0.]
     [4. 5. 6.]]
    """
    needs_matrix(input)
    rows, columns = input.shape[-2:]
    if num_lower > rows:
        raise invalid(f"num_lower must be negative or less or equal to number of rows ({rows}) got: {num_lower}")
    if num_upper > columns:
        raise invalid(f"num_upper must be negative or less or equal to number of columns ({columns}) got: {num_upper}")
    below = np.arange(rows)[:, None] - np.arange(columns)
    kept = ((num_lower < 0) | (below <= num_lower)) & ((num_upper < 0) | (-below <= num_upper))
    return np.where(kept, input, input.dtype.type(0))
