"""tf.linalg: matrices, which are the last two axes; whatever is in front of them is a batch. Each op is a NumPy
expression, and above it its derivatives.

In the rules `x.mT.conj()` is the adjoint: of real matrices the transpose, and no copy is made. The derivatives of the
decompositions are those of Giles, "Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic
Differentiation" (2008), unless another source is named.
"""

import collections
import re

import numpy as np

from . import arrays, dtypes, errors, math
from . import attributes as tidy
from .arrays import convert_to_tensor
from .conversion import as_value
from .math import global_norm, l2_normalize  # noqa: F401 - they are tf.linalg's too
from .op import convert, of_complex, op
from .operands import convert_all
from .shape import bracketed
from .tensor import Tensor

NUMERIC = "iufc"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # for the axes of an einsum


def invalid(message, kernel=None):
    return errors.InvalidArgumentError(None, kernel, message)


# ---- products ------------------------------------------------------------------------------------------------------


def times(a, b):
    """a @ b; of two single matrices NumPy's `dot` gives the same, and begins a tenth of a small product sooner."""
    return a.dot(b) if a.__class__ is b.__class__ is np.ndarray and a.ndim == b.ndim == 2 else a @ b


@op("MatMul", "iuf", da=lambda dz, b: times(dz, b.mT), db=lambda dz, a: times(a.mT, dz))
def product(a, b):
    """The matrix product, as `a @ b` writes it; `matmul` is this with TensorFlow's switches.

    Args:
        a: of shape `(..., n, m)`.
        b: of shape `(..., m, k)`; the axes in front are broadcast.

    Raises:
        InvalidArgumentError: one of them is no matrix, or they do not fit.

    >>> import minigrad as mg
    >>> print((mg.constant([[1.0, 2.0]]) @ [[3.0], [4.0]]).numpy())
    [[11.]]
    >>> print((mg.constant([[[1.0, 2.0]], [[0.5, 3.0]]]) @ [[3.0], [4.0]]).numpy().ravel())
    [11.  13.5]
    """
    if a.ndim < 2 or b.ndim < 2:
        raise misfit(a, b)
    try:
        return times(a, b)
    except ValueError:
        raise misfit(a, b) from None


product.others = {"c": of_complex(product)}


def misfit(a, b):
    """Why these two cannot be multiplied."""
    batched = a.ndim > 2 or b.ndim > 2
    kernel = "BatchMatMulV2" if batched else "MatMul"
    for k, x in enumerate((a, b)):
        if x.ndim < 2 and batched:
            return invalid(f"In[{k}] ndims must be >= 2: {x.ndim}", kernel)
    if a.ndim != b.ndim and not batched:
        return invalid(f"In[0] and In[1] has different ndims: {bracketed(a.shape)} vs. {bracketed(b.shape)}", kernel)
    if a.ndim < 2:
        return invalid(f"In[0] and In[1] ndims must be == 2: {a.ndim}", kernel)
    if a.shape[-1] != b.shape[-2]:
        return invalid(f"Matrix size-incompatible: In[0]: {bracketed(a.shape)}, In[1]: {bracketed(b.shape)}", kernel)
    return invalid(f"In[0] and In[1] must have compatible batch dimensions: {bracketed(a.shape)} vs. {bracketed(b.shape)}", kernel)


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False,
           b_is_sparse=False, output_type=None, grad_a=False, grad_b=False, name=None) -> Tensor:  # fmt: skip
    """The matrix product. What is no Tensor in the second place takes the dtype of the first, but not the other way round.

    Args:
        a: of shape `(..., n, m)`.
        b: of shape `(..., m, k)`; the axes in front are broadcast.
        transpose_a, transpose_b: swap the last two axes first.
        adjoint_a, adjoint_b: the same, and conjugate complex numbers.
        output_type: the dtype to multiply in, if not that of the inputs.
        a_is_sparse, b_is_sparse, grad_a, grad_b, name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: one of them is no matrix, or they do not fit.
        ValueError: a matrix is to be transposed and adjoint at once.

    >>> import minigrad as mg
    >>> print(mg.matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True).numpy())
    [[11.]]
    """
    if not hasattr(a, "__tf_tensor__"):
        a = convert(a)
    if not hasattr(b, "__tf_tensor__"):
        b = convert_to_tensor(b, dtype_hint=a.dtype)
    if transpose_a or adjoint_a:
        a = turned("a", a, transpose_a, adjoint_a)
    if transpose_b or adjoint_b:
        b = turned("b", b, transpose_b, adjoint_b)
    if output_type is not None:
        a, b = arrays.cast(a, output_type), arrays.cast(b, output_type)
    return product(a, b)


def turned(which, x, transpose, adjoint):
    """A factor of `matmul` whose last two axes are to be swapped. (Without them `product` will complain.)"""
    if transpose and adjoint:
        raise ValueError(
            f"Only one of `transpose_{which}` and `adjoint_{which}` can be True."
            f" Received `transpose_{which}`={transpose}, `adjoint_{which}`={adjoint}."
        )
    x = convert_to_tensor(x)
    return matrix_transpose(x, conjugate=adjoint) if x.ndim > 1 else x


def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None) -> Tensor:
    """A matrix times a vector.

    Args:
        a: of shape `(..., n, m)`.
        b: of shape `(..., m)`.
        transpose_a, adjoint_a, a_is_sparse, b_is_sparse: as for `matmul`.

    >>> import minigrad as mg
    >>> print(mg.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]).numpy())
    [21. 43.]
    """
    b = convert_to_tensor(b)
    column = arrays.reshape(b, (*b.value.shape, 1))
    z = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return arrays.reshape(z, z.value.shape[:-1])


def tensordot(a, b, axes, name=None) -> Tensor:
    """The sum of the products of `a` and `b` along some axes: a matrix product, with any number of axes.

    Args:
        a, b: of any shapes.
        axes: a number n for the last n axes of `a` and the first n of `b`, or two lists: the axes of `a`, and those of
            `b` in the same order.

    Raises:
        ValueError: the axes do not pair up.
        InvalidArgumentError: paired axes differ in length.

    >>> import minigrad as mg
    >>> print(mg.tensordot([[1.0, 2.0], [3.0, 4.0]], [[1.0, 1.0]], [[1], [1]]).numpy().ravel())
    [3. 7.]
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    over_a, over_b = paired_axes(a, b, axes)
    over_a, over_b = [k % a.ndim for k in over_a], [k % b.ndim for k in over_b]
    free_a = [k for k in range(a.ndim) if k not in over_a]
    free_b = [k for k in range(b.ndim) if k not in over_b]
    z = product(as_matrix(a, free_a, over_a), as_matrix(b, over_b, free_b))
    return arrays.reshape(z, (*[a.value.shape[k] for k in free_a], *[b.value.shape[k] for k in free_b]))


def paired_axes(a, b, axes):
    """What `tensordot` sums over: axes of `a`, and axes of `b`."""
    if hasattr(axes, "__array__"):
        axes = np.asarray(axes).tolist()
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        for x in (a, b):
            if axes > x.ndim:
                raise ValueError(
                    f"`axes` must not be larger than the number of dimensions of tensor {x.value}."
                    f"  Received {axes}, vs tensor dimensions {x.ndim}."
                )
        return list(range(a.ndim - axes, a.ndim)), list(range(axes))
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    over_a, over_b = [[one] if isinstance(one, int) else list(one) for one in axes]
    if len(over_a) != len(over_b):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(over_a)} != {len(over_b)}.")
    for x, over in (a, over_a), (b, over_b):
        if not all(-x.ndim <= k < x.ndim for k in over):
            raise IndexError(f"list index out of range: axes {over} of a tensor with {x.ndim} dimension(s)")
    return over_a, over_b


def as_matrix(x, rows, columns):
    """The axes `rows` as the first axis of a matrix, the axes `columns` as the second."""
    if [*rows, *columns] != list(range(x.ndim)):
        x = arrays.transpose(x, (*rows, *columns))
    lengths = x.value.shape
    return arrays.reshape(x, (int(np.prod(lengths[: len(rows)])), int(np.prod(lengths[len(rows) :]))))


def einsum(equation, *inputs, name=None, optimize="greedy") -> Tensor:
    """Products of Tensors, summed over axes, as an equation says it: `"ij,jk->ik"` is the matrix product.

    Args:
        equation: a letter for each axis of each input; letters missing after the `->` are summed over. `...` stands for
            any axes, which are broadcast. Without `->` the result has the letters that occur once, by the alphabet.
        *inputs: Tensors of one dtype.
        name, optimize: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: the equation is no equation, or not for so many inputs.
        InvalidArgumentError: the shapes do not fit it.

    >>> import minigrad as mg
    >>> print(mg.einsum("ij,j->i", mg.constant([[1.0, 2.0], [3.0, 4.0]]), mg.constant([1.0, 10.0])).numpy())
    [21. 43.]
    """
    tensors = convert_all(inputs, contraction)
    return contraction(tensors, plain_equation(equation, [x.value.shape for x in tensors]))


def contraction_grad(dz, k, inputs, equation):
    """The gradient is a contraction too: of what arrives with the other inputs.

    An axis of the input that neither knows was summed over: there the gradient is the same all along, as if times ones.
    An axis named before made a diagonal: elsewhere the gradient is zero, as if times the identity matrix.
    """
    terms, output = parsed(equation)
    free = (letter for letter in LETTERS if letter not in equation)
    operands = [dz, *[x.conj() for i, x in enumerate(inputs) if i != k]]
    subscripts = [output, *terms[:k], *terms[k + 1 :]]
    wanted = ""
    for letter, length in zip(terms[k], inputs[k].shape, strict=True):
        if letter in wanted:
            operands.append(np.eye(length, dtype=dz.dtype))
            subscripts.append(letter + next(free))
            letter = subscripts[-1][1]
        elif not any(letter in term for term in subscripts):
            operands.append(np.ones(length, dz.dtype))
            subscripts.append(letter)
        wanted += letter
    return contraction.np(operands, f"{','.join(subscripts)}->{wanted}")


@op("Einsum", NUMERIC, dinputs=lambda dz, k, inputs, equation: contraction_grad(dz, k, inputs, equation))
def contraction(inputs: list, equation):
    """What `einsum` computes, for an equation that names every axis.

    >>> import minigrad as mg
    >>> x, y = mg.constant([[1.0, 2.0, 0.5], [3.0, 4.0, 1.5]]), mg.constant([[1.0, 3.0], [2.0, 5.0]])
    >>> print(mg.einsum("ij,ik->k", x, y).numpy())
    [20.5 53. ]
    >>> print(mg.einsum("ii->i", y).numpy(), mg.einsum("...,...->...", y[0], y[1]).numpy())
    [1. 5.] [ 2. 15.]
    """
    lengths = {}
    for term, x in zip(parsed(equation)[0], inputs, strict=True):
        for axis, (letter, n) in enumerate(zip(term, x.shape, strict=True)):
            if lengths.setdefault(letter, n) != n:
                raise invalid(
                    f"Expected dimension {lengths[letter]} at axis {axis} of the input shaped {bracketed(x.shape)} but got dimension {n}"
                )
    work = np.prod(list(lengths.values()), dtype=float)
    return np.einsum(equation, *inputs, optimize=len(inputs) > 2 or bool(work > 10_000))


def parsed(equation):
    """The letters of each input, and those of the output."""
    terms, output = equation.split("->")
    return terms.split(","), output


def plain_equation(equation, shapes):
    """The equation without blanks, with its right side, and with letters in place of `...`."""
    text = equation.replace(" ", "").replace("...", "0")
    if not re.fullmatch(r"[a-zA-Z0,]*(->[a-zA-Z0]*)?", text) or "0" in equation:
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    left, arrow, output = text.partition("->")
    counts = collections.Counter(left.replace(",", ""))
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ValueError(f'Got {len(shapes)} inputs for equation "{equation}", expecting {len(terms)}')
    if not arrow:
        output = "".join([letter for letter in sorted(counts) if counts[letter] == 1])
    if len(set(output)) < len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for letter in output:
        if letter not in counts and letter != "0":
            raise ValueError(f"Output subscripts contain the label {letter} not present in the input subscripts.")
    for k, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        named = len(term.replace("0", ""))
        if term.count("0") > 1 or named > len(shape) or ("0" not in term and named < len(shape)):
            least = "at least " if "0" in term else ""
            raise invalid(f"Expected input {k} to have rank {least}{named} but got: {len(shape)} [Op:Einsum] name: ")
    return with_letters(terms, output, shapes)


def with_letters(terms, output, shapes):
    """The equation with a letter for each axis that `...` stands for, counted from the last.

    An axis of length 1 that is to be broadcast gets a letter of its own: it is summed away.
    """
    hidden = [hidden_lengths(term, shape) for term, shape in zip(terms, shapes, strict=True)]
    free = (letter for letter in LETTERS if letter not in "".join(terms))
    padded = [(1,) * (max(map(len, hidden)) - len(lengths)) + lengths for lengths in hidden]
    widest = [next((n for n in lengths if n != 1), 1) for lengths in zip(*padded, strict=True)]
    if widest and "0" not in output:
        raise invalid(
            f"Output contains {len(widest)} broadcasting dimension(s) but no ellipsis (...) was found in the output"
            " subscripts. [Op:Einsum] name: "
        )
    letters = "".join([next(free) for _ in widest])
    for k, lengths in enumerate(hidden):
        tail = zip(letters[len(letters) - len(lengths) :], lengths, widest[len(widest) - len(lengths) :], strict=True)
        named = "".join([next(free) if n == 1 != most else letter for letter, n, most in tail])
        terms[k] = terms[k].replace("0", named)
    return f"{','.join(terms)}->{output.replace('0', letters)}"


def hidden_lengths(term, shape):
    """The lengths of the axes that `...` stands for."""
    start = term.find("0")
    return shape[start : start + len(shape) - len(term) + 1] if start >= 0 else ()


@op("Cross", "iuf", da=lambda dz, b: cross.np(b, dz), db=lambda dz, a: cross.np(dz, a))
def cross(a, b):
    """The cross product of vectors in space.

    Args:
        a, b: of shape `(..., 3)`, both the same.

    Raises:
        InvalidArgumentError: the shapes differ.
        FailedPreconditionError: the vectors have not 3 elements.

    >>> import minigrad as mg
    >>> print(mg.linalg.cross([1.0, 2.0, 3.0], [3.0, 1.0, 2.0]).numpy())
    [ 1.  7. -5.]
    """
    if a.shape != b.shape:
        raise invalid(f"Both inputs must be of same shape: {bracketed(a.shape)} vs. {bracketed(b.shape)}")
    if not a.ndim:
        raise invalid(f"Input must be at least 1D{bracketed(a.shape)}")
    if a.shape[-1] != 3:
        raise errors.FailedPreconditionError(None, None, "Cross-products are only defined for 3-element vectors.")
    return np.cross(a, b)


# ---- diagonals and other parts -------------------------------------------------------------------------------------


def matrix_transpose(a, name="matrix_transpose", conjugate=False) -> Tensor:
    """The matrix with rows and columns swapped.

    Args:
        a: of shape `(..., n, m)`.
        name: accepted as in TensorFlow, without effect.
        conjugate: conjugate complex numbers too.

    Raises:
        ValueError: it has fewer than two axes.

    >>> import minigrad as mg
    >>> print(mg.linalg.matrix_transpose([[1.0, 2.0]]).numpy())
    [[1.]
     [2.]]
    """
    a = convert_to_tensor(a)
    n = a.ndim
    if n < 2:
        raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a.value} with shape: {a.value.shape}")
    return arrays.transpose(a, (*range(n - 2), n - 1, n - 2), conjugate)


def adjoint(matrix, name=None) -> Tensor:
    """The matrix with rows and columns swapped, and its numbers conjugated.

    >>> import minigrad as mg
    >>> print(mg.linalg.adjoint([[1.0, 2.0]]).numpy().shape)
    (2, 1)
    """
    return matrix_transpose(matrix, conjugate=True)


def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None) -> Tensor:
    """The identity matrix: ones on the diagonal, elsewhere zeros.

    Args:
        num_rows: how many rows.
        num_columns: how many columns, if not as many.
        batch_shape: the axes in front, along which it is repeated.
        dtype: of the elements.

    Raises:
        TypeError: the numbers are not whole.

    >>> import minigrad as mg
    >>> print(mg.eye(2).numpy())
    [[1. 0.]
     [0. 1.]]
    """
    rows, columns = [n if n is None or not hasattr(n, "__index__") else n.__index__() for n in (num_rows, num_columns)]
    columns = rows if columns is None else columns
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise TypeError(
            f"Arguments `num_rows` and `num_columns` must be positive integer values. Received: num_rows={num_rows}, num_columns={columns}"
        )
    if min(rows, columns) < 0:
        raise invalid(f"Dimension {min(rows, columns)} must be >= 0 [Op:Fill] name: ")
    matrix = np.eye(rows, columns, dtype=as_value(1, dtype).dtype)  # strings have no 1
    batch = () if batch_shape is None else tidy.lengths(batch_shape)
    return Tensor.of(np.broadcast_to(matrix, (*batch, rows, columns)))


ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")  # of the diagonals above the main one, and of those below


def needs_matrix(x, name):
    if x.ndim < 2:
        raise invalid(f"{name} must be at least 2-dim, received shape: {bracketed(x.shape)}")


def from_to(k):
    """The first and the last of the diagonals that `k` means; 0 is the main one, above it they are positive."""
    ends = k if isinstance(k, tuple) else (k,)
    if not 1 <= len(ends) <= 2:
        raise invalid(f"diag_index must have only one or two elements, received {len(ends)} elements.")
    if ends[0] > ends[-1]:
        raise invalid(f"lower_diag_index must not be larger than upper_diag_index: {ends[0]} > {ends[-1]}")
    return ends[0], ends[-1]


def longest(lower, upper, rows, columns):
    """The length of the longest of these diagonals."""
    for name, k in ("lower", lower), ("upper", upper):
        if not (-rows < k < columns or k == 0):
            raise invalid(f"{name}_diag_index is out of bound: {k}. It must be between {-rows} and {columns}")
    return min(rows + min(upper, 0), columns - max(lower, 0))


def places(k, rows, columns, align):
    """Where the elements of the diagonals `k` are: the key in the matrix, and the key in the array of diagonals.

    One diagonal is a row of its own; several are stacked from the uppermost to the lowest, and the shorter ones are
    padded on the side that `align` leaves.
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
        left = (diagonal >= 0 and above == "LEFT") or (diagonal <= 0 and below == "LEFT")
        step = np.arange(n)
        keys.append((step - min(diagonal, 0), step + max(diagonal, 0), np.full(n, i), step + (0 if left else length - n)))
    row, column, band, place = [np.concatenate(parts) for parts in zip(*keys, strict=True)]
    return (..., row, column), (..., place) if lower == upper else (..., band, place)


@op("MatrixDiagV3", ddiagonal=lambda dz, k, align: diag_part.np(dz, None, k, 0, align))
def diag(diagonal, name=None, k: tidy.axes = 0, num_rows: tidy.integer = -1, num_cols: tidy.integer = -1, padding_value=0,
         align="RIGHT_LEFT"):  # fmt: skip
    """A matrix with this diagonal.

    Args:
        diagonal: of shape `(..., n)`; of shape `(..., number of diagonals, n)` if `k` is a pair.
        k: which diagonal: 0 is the main one, above it they are positive. A pair means all from the first to the second.
        num_rows, num_cols: the size of the matrix; -1 for the smallest that has room.
        padding_value: what is elsewhere.
        align: on which side diagonals that are shorter are kept: first word for those above the main one.

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
        raise invalid("The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range.")
    rows, columns = size_around(diagonal.shape[-1], lower, upper, num_rows, num_cols)
    matrix = np.full((*diagonal.shape[:-axes], rows, columns), as_value(padding_value, diagonal.dtype))
    inside, outside = places(k, rows, columns, align)
    matrix[inside] = diagonal[outside]
    return matrix


def size_around(length, lower, upper, rows, columns):
    """The size of a matrix around diagonals, of which the longest has this length."""
    least_rows, least_columns = length - min(upper, 0), length + max(lower, 0)
    if rows == columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows == -1 else rows, least_columns if columns == -1 else columns
    if rows < least_rows:
        raise invalid("The number of rows is too small.")
    if columns < least_columns:
        raise invalid("The number of columns is too small.")
    if rows != least_rows and columns != least_columns:
        raise invalid("The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.")
    return rows, columns


@op("MatrixDiagPartV3", dinput=lambda dz, input_shape, k, align: diag.np(dz, None, k, *input_shape[-2:], 0, align))
def diag_part(input, name=None, k: tidy.axes = 0, padding_value=0, align="RIGHT_LEFT"):
    """The diagonal of a matrix.

    Args:
        input: of shape `(..., n, m)`.
        k: which diagonal: 0 is the main one, above it they are positive. A pair means all from the first to the second,
            which are stacked from the uppermost to the lowest.
        padding_value: what fills up the shorter ones of several diagonals.
        align: on which side the shorter ones are kept: first word for those above the main one.

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
    needs_matrix(input, "input")
    lower, upper = from_to(k)
    inside, outside = places(k, *input.shape[-2:], align)
    padding = as_value(padding_value, input.dtype)
    if lower == upper:
        return input[inside]
    length = longest(lower, upper, *input.shape[-2:])
    diagonals = np.full((*input.shape[:-2], upper - lower + 1, length), padding)
    diagonals[outside] = input[inside]
    return diagonals


@op("MatrixSetDiagV3", ddiagonal=lambda dz, k, align: diag_part.np(dz, None, k, 0, align),
    dinput=lambda dz, diagonal_shape, k, align: set_diag.np(dz, np.zeros(diagonal_shape, dz.dtype), None, k, align))  # fmt: skip
def set_diag(input, diagonal, name=None, k: tidy.axes = 0, align="RIGHT_LEFT"):
    """The matrix with another diagonal.

    Args:
        input: of shape `(..., n, m)`.
        diagonal: what the diagonal shall be; of the shape that `diag_part(input, k)` has.
        k, align: as for `diag_part`.

    Raises:
        InvalidArgumentError: there is no such diagonal, or it has another shape.

    >>> import minigrad as mg
    >>> print(mg.linalg.set_diag([[1.0, 2.0], [3.0, 4.0]], [7.0, 8.0]).numpy())
    [[7. 2.]
     [3. 8.]]
    """
    needs_matrix(input, "input")
    lower, upper = from_to(k)
    expected = (*input.shape[:-2], *([upper - lower + 1] if lower < upper else []), longest(lower, upper, *input.shape[-2:]))
    if diagonal.shape != expected:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to the longests"
            f" diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: {bracketed(input.shape)}\n"
            f"Diagonal shape: {bracketed(diagonal.shape)}\nExpected diagonal shape: {bracketed(expected)}"
        )
    matrix = input.copy()
    inside, outside = places(k, *input.shape[-2:], align)
    matrix[inside] = diagonal[outside]
    return matrix


@op("Diag", NUMERIC, ddiagonal=lambda dz: tensor_diag_part.np(dz))
def tensor_diag(diagonal):
    """A Tensor of twice as many axes with these elements on its diagonal: element `[i, j]` goes to `[i, j, i, j]`.

    Raises:
        InvalidArgumentError: there is no axis.

    >>> import minigrad as mg
    >>> print(mg.linalg.tensor_diag([1.0, 2.0]).numpy())
    [[1. 0.]
     [0. 2.]]
    """
    if not diagonal.ndim:
        raise invalid("Input must be at least rank 1, got 0")
    return np.diagflat(diagonal).reshape(diagonal.shape * 2)


@op("DiagPart", NUMERIC, dinput=lambda dz: tensor_diag.np(dz))
def tensor_diag_part(input):
    """The diagonal that `tensor_diag` made: element `[i, j]` is taken from `[i, j, i, j]`.

    Raises:
        InvalidArgumentError: the second half of the shape is not as the first.

    >>> import minigrad as mg
    >>> print(mg.linalg.tensor_diag_part([[1.0, 2.0], [3.0, 4.0]]).numpy())
    [1. 4.]
    """
    half = input.ndim // 2
    if input.ndim % 2:
        raise invalid(f"The rank of the tensor should be even and positive, got shape {bracketed(input.shape)}")
    for i in range(half):
        if input.shape[i] != input.shape[i + half]:
            raise invalid(f"Invalid shape {bracketed(input.shape)}: dimensions {i} and {i + half} do not match.")
    shape = input.shape[:half]
    size = int(np.prod(shape))
    return np.diagonal(input.reshape((size, size))).reshape(shape)


def trace(x, name=None) -> Tensor:
    """The sum of the main diagonal.

    >>> import minigrad as mg
    >>> print(mg.linalg.trace([[1.0, 2.0], [3.0, 4.0]]).numpy())
    5.0
    """
    return math.reduce_sum(diag_part(x), -1)


@op("MatrixBandPart", dinput=lambda dz, num_lower, num_upper: band_part.np(dz, num_lower, num_upper))
def band_part(input, num_lower: tidy.integer, num_upper: tidy.integer):
    """The matrix around its main diagonal, with zeros elsewhere: `band_part(x, -1, 0)` is the lower triangle.

    Args:
        input: of shape `(..., n, m)`.
        num_lower, num_upper: how many diagonals to keep below and above the main one; -1 keeps all.

    Raises:
        InvalidArgumentError: there are not so many diagonals.

    >>> import minigrad as mg
    >>> print(mg.linalg.band_part([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], -1, 1).numpy())
    [[1. 2. 0.]
     [4. 5. 6.]]
    """
    needs_matrix(input, "input")
    rows, columns = input.shape[-2:]
    if num_lower > rows:
        raise invalid(f"num_lower must be negative or less or equal to number of rows ({rows}) got: {num_lower}")
    if num_upper > columns:
        raise invalid(f"num_upper must be negative or less or equal to number of columns ({columns}) got: {num_upper}")
    below = np.arange(rows)[:, None] - np.arange(columns)
    kept = ((num_lower < 0) | (below <= num_lower)) & ((num_upper < 0) | (-below <= num_upper))
    return np.where(kept, input, input.dtype.type(0))


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
Qr = collections.namedtuple("Qr", ["q", "r"])


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


def reciprocal_gaps(x):
    """1 / (x_j - x_i) for all pairs, and 0 for i = j."""
    one = np.eye(x.shape[-1], dtype=x.dtype)
    return reciprocal(x[..., None, :] - x[..., :, None] + one) - one


def reciprocal(x):
    """1 / x, but 0 for 0, as in TensorFlow."""
    return x / (x * x + 1e-20)


def eigh_grad(dz, z):
    (de, dv), (e, v) = dz, z
    de, e = de.astype(v.dtype), e.astype(v.dtype)
    inner = diag.np(de) + reciprocal_gaps(e) * (v.mT.conj() @ dv)
    return folded(v @ inner @ v.mT.conj())


def folded(x):
    """The gradient for the lower triangle alone, when the upper one is its mirror."""
    return lower_half(x + x.mT.conj())


def eigen(function, x):
    square(x)
    if not np.isfinite(x).all():
        kind = "Eigen" if function in (np.linalg.eig, np.linalg.eigvals) else "Self-adjoint eigen"
        raise invalid(f"{kind} decomposition was not successful. The input might not be valid.")
    return lapack(function, x)


@op("SelfAdjointEigV2", "fc", dtensor=lambda dz, z: eigh_grad(dz, z))
def eigenpairs(tensor) -> list:
    """What `eigh` computes.

    >>> import minigrad as mg
    >>> e, v = mg.linalg.eigh([[2.0, 1.0], [1.0, 4.0]])
    >>> print(e.numpy().round(3), abs(v.numpy()).round(3).ravel())
    [1.586 4.414] [0.924 0.383 0.383 0.924]
    """
    e, v = eigen(np.linalg.eigh, tensor)
    return [e.astype(tensor.dtype), v]


@op("SelfAdjointEigV2", "fc", dtensor=lambda dy, tensor: eigvalsh_grad(dy, eigenpairs.np(tensor)[1]))
def eigvalsh(tensor):
    """The eigenvalues of a symmetric matrix, from the smallest to the largest; only its lower triangle is looked at.

    Raises:
        InvalidArgumentError: the matrix is not square, or not finite.

    >>> import minigrad as mg
    >>> print(mg.linalg.eigvalsh([[2.0, 1.0], [1.0, 4.0]]).numpy().round(3))
    [1.586 4.414]
    """
    return eigen(np.linalg.eigvalsh, tensor).astype(tensor.dtype)


def eigvalsh_grad(dy, v):
    return folded(v @ diag.np(dy) @ v.mT.conj())


def eigh(tensor, name=None) -> tuple:
    """The eigenvalues and eigenvectors of a symmetric (or Hermitian) matrix.

    Only the lower triangle is looked at. An eigenvector may come with either sign: that is up to LAPACK, and not
    always as in TensorFlow.

    Args:
        tensor: of shape `(..., n, n)`.

    Returns:
        The eigenvalues, from the smallest to the largest, and the eigenvectors, which are the columns.

    Raises:
        InvalidArgumentError: the matrix is not square, or not finite.

    >>> import minigrad as mg
    >>> e, v = mg.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> print(e.numpy(), abs(v.numpy()).ravel())
    [1. 2.] [0. 1. 1. 0.]
    """
    return tuple(eigenpairs(tensor))


def eig_grad(dz, z, dtype):
    """Boeddeker et al., "On the Computation of Complex-valued Gradients with Application to Statistically Optimum Beamforming"
    (2017), for eigenvectors of length 1."""
    (de, dv), (e, v) = dz, z
    adjoint = v.mT.conj()
    turned = adjoint @ dv
    along = (adjoint @ v) * math.to_real(diag_part.np(turned)).astype(v.dtype)[..., None, :]  # would only change the lengths
    inner = diag.np(de) + reciprocal_gaps(e).conj() * (turned - along)
    whole = solve.np(adjoint, inner @ adjoint)
    return whole if dtype.kind == "c" else math.to_real(whole)


@op("Eig", "fc", dtensor=lambda dz, z, tensor_dtype: eig_grad(dz, z, tensor_dtype))
def general_eigenpairs(tensor) -> list:
    """What `eig` computes.

    >>> import minigrad as mg
    >>> print(mg.linalg.eig([[2.0, 1.0], [0.5, 4.0]])[0].numpy().round(3))
    [1.775+0.j 4.225+0.j]
    """
    wide = np.result_type(tensor.dtype, np.complex64)
    return [part.astype(wide) for part in eigen(np.linalg.eig, tensor)]


def eig(tensor, name=None) -> tuple:
    """The eigenvalues and eigenvectors of any square matrix: complex, and in no particular order.

    Raises:
        InvalidArgumentError: the matrix is not square, or not finite.

    >>> import minigrad as mg
    >>> print(mg.linalg.eig(mg.constant([[0.0, 1.0], [-1.0, 0.0]]))[0].numpy())
    [0.+1.j 0.-1.j]
    """
    return tuple(general_eigenpairs(tensor))


def eigvals(tensor, name=None) -> Tensor:
    """The eigenvalues of any square matrix, as in `eig`.

    >>> import minigrad as mg
    >>> print(mg.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]]).numpy().real)
    [2. 1.]
    """
    return general_eigenpairs(tensor)[0]


def svd_grad(dz, z, input_shape, full_matrices):
    """Townsend, "Differentiating the Singular Value Decomposition" (2016); for complex numbers with the term of the phases."""
    (ds, du, dv), (s, u, v) = dz, z
    rows, columns = input_shape[-2:]
    k = min(rows, columns)
    if full_matrices and abs(rows - columns) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True."
            f" Received: m={rows} and n={columns} from an input of shape {input_shape}."
        )
    u, du, u2, du2 = u[..., :k], du[..., :k], u[..., k:], du[..., k:]
    v, dv, v2, dv2 = v[..., :k], dv[..., :k], v[..., k:], dv[..., k:]
    s, ds = s.astype(u.dtype), ds.astype(u.dtype)
    f, inverse = reciprocal_gaps(s * s), reciprocal(s)[..., None, :]
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


@op("Svd", "fc", dtensor=lambda dz, z, tensor_shape, full_matrices: svd_grad(dz, z, tensor_shape, full_matrices))
def singular_triplets(tensor, full_matrices=False) -> list:
    """What `svd` computes.

    >>> import minigrad as mg
    >>> s, u, v = mg.linalg.svd([[2.0, 1.0], [0.4, 3.0], [1.0, 0.3]])
    >>> print(s.numpy().round(3), (u @ mg.linalg.diag(s) @ mg.linalg.adjoint(v)).numpy().round(3)[0])
    [3.45  1.829] [2. 1.]
    >>> print(mg.linalg.svd([[2.0, 1.0, 0.5], [0.3, 3.0, 1.0]], full_matrices=True)[2].shape)
    (3, 3)
    """
    needs_rank(tensor)
    bad = not_finite(tensor)
    u, s, vh = lapack(lambda x: np.linalg.svd(x, full_matrices), np.where(bad, 0, tensor))
    return [np.where(bad[..., 0], np.nan, s), np.where(bad, np.nan, u), np.where(bad, np.nan, vh.mT.conj())]


def not_finite(x):
    """For each matrix whether it holds inf or nan, with axes to broadcast with it. (Of these LAPACK makes this or that.)"""
    return ~np.isfinite(x).all((-2, -1), keepdims=True)


def singular_values_grad(dy, z):
    _, u, v = z
    return (u * dy.astype(u.dtype)[..., None, :]) @ v.mT.conj()


@op("Svd", "fc", dtensor=lambda dy, tensor: singular_values_grad(dy, singular_triplets.np(tensor)))
def singular_values(tensor):
    """What `svd` computes with `compute_uv=False`.

    >>> import minigrad as mg
    >>> print(mg.linalg.svd([[2.0, 1.0], [0.4, 3.0], [1.0, 0.3]], compute_uv=False).numpy().round(3))
    [3.45  1.829]
    """
    needs_rank(tensor)
    bad = not_finite(tensor)
    return np.where(bad[..., 0], np.nan, lapack(np.linalg.svdvals, np.where(bad, 0, tensor)))


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """The singular values s and the matrices u, v for which the input is `u @ diag(s) @ adjoint(v)`.

    A pair of columns of u and v may come with either sign: that is up to LAPACK, and not always as in TensorFlow.

    Args:
        tensor: of shape `(..., n, m)`.
        full_matrices: make u and v square.
        compute_uv: if False, give the singular values alone.

    Returns:
        s from the largest to the smallest, of shape `(..., min(n, m))`, then u and v, whose columns are the singular
        vectors.

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
    """Roberts and Roberts, "QR and LQ Decomposition Matrix Backpropagation Algorithms for Square, Wide, and Deep Matrices" (2020)."""
    (dq, dr), (q, r) = dz, z
    rows, columns = r.shape[-2:]
    if rows > columns:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. "
            f"Received r.shape={r.shape} with nrows={rows}and ncols={columns}."
        )
    if rows == columns:
        return deep_qr_grad(dq, dr, q, r)
    rest = dr[..., rows:]
    first = deep_qr_grad(dq + input[..., rows:] @ rest.mT.conj(), dr[..., :rows], q, r[..., :rows])
    return np.concatenate([first, q @ rest], -1)


def deep_qr_grad(dq, dr, q, r):
    qdq, rdr = q.mT.conj() @ dq, r @ dr.mT.conj()
    lower = band_part.np(qdq - qdq.mT.conj() + rdr - rdr.mT.conj(), -1, 0)
    dinput = q @ (dr + over(lower, r)) + over(dq - q @ qdq, r)
    if q.dtype.kind == "c":
        phases = np.eye(q.shape[-1], dtype=q.dtype) * (rdr - qdq.mT.conj())
        dinput = dinput + over(q @ (phases.mT.conj() - phases), r) / 2
    return dinput


@op("Qr", "fc", dinput=lambda dz, z, input: qr_grad(dz, z, input))
def orthogonal_triangular(input, full_matrices=False) -> list:
    """What `qr` computes.

    >>> import minigrad as mg
    >>> q, r = mg.linalg.qr([[1.0, 2.0], [3.0, 4.0], [0.5, 1.0]])
    >>> print((q @ r).numpy().round(3)[1], abs(r.numpy()).round(3).ravel())
    [3. 4.] [3.202 4.529 0.    0.698]
    >>> print(mg.linalg.qr([[1.0, 2.0, 0.5], [3.0, 4.0, 1.5]]).r.shape)
    (2, 3)
    """
    needs_rank(input)
    return list(lapack(lambda x: np.linalg.qr(x, "complete" if full_matrices else "reduced"), input))


def qr(input, full_matrices=False, name=None) -> Qr:
    """The matrices q, with orthonormal columns, and r, upper triangular, for which the input is `q @ r`.

    Args:
        input: of shape `(..., n, m)`.
        full_matrices: make q square.

    >>> import minigrad as mg
    >>> print(abs(mg.linalg.qr([[3.0, 1.0], [4.0, 2.0]]).r.numpy()).round(3))
    [[5.  2.2]
     [0.  0.4]]
    """
    return Qr(*orthogonal_triangular(input, full_matrices))


# ---- what is made of these -----------------------------------------------------------------------------------------


def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None) -> Tensor:
    """The length of vectors, or a norm of matrices. At 0 its gradient is nan.

    Args:
        tensor: of any shape.
        ord: `"euclidean"`, 1, 2, `np.inf`, or a positive number p; for matrices `"fro"` too, which is `"euclidean"`.
        axis: None takes the whole as one vector; a number is the axis along which vectors lie, and a pair those of
            matrices.
        keepdims: keep these axes, with length 1.

    Raises:
        ValueError: there is no such norm or axis.

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
    """Refuse norms and axes that there are not."""
    if matrices:
        axis = tuple(axis)
        if not all(isinstance(k, int) for k in axis) or axis[0] == axis[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        supported = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in supported:
            raise ValueError(f"'ord' must be a supported matrix norm in {supported}, got {ord}")
    elif not (axis is None or isinstance(axis, int)):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    elif ord != "euclidean" and (isinstance(ord, str) or not ord > 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")


def reduced_twice(x, first, axis, second, other, keepdims):
    """Two reductions along two axes, one after the other."""
    y = second(first(x, axis, True), other, True)
    return y if keepdims else math.reduce_sum(y, tuple([k % x.ndim for k in (axis, other)]))


def largest_singular_value(x, axis, keepdims):
    """The 2-norm of matrices whose rows and columns lie along these axes."""
    rows, columns = [k % (x.ndim or 1) for k in axis]
    rest = [k for k in range(x.ndim) if k not in (rows, columns)]
    largest = math.reduce_max(math.abs(svd(arrays.transpose(x, (*rest, rows, columns)), compute_uv=False)), -1)
    if not keepdims:
        return largest
    return arrays.reshape(largest, [1 if k in (rows, columns) else n for k, n in enumerate(x.value.shape)])


def normalize(tensor, ord="euclidean", axis=None, name=None) -> tuple:
    """The Tensor divided by its norm, and the norm, whose axes are kept.

    >>> import minigrad as mg
    >>> print(mg.linalg.normalize([3.0, 4.0])[0].numpy())
    [0.6 0.8]
    """
    tensor = convert_to_tensor(tensor)
    length = norm(tensor, ord, axis, keepdims=True)
    if axis is None:
        length = arrays.reshape(length, (1,) * tensor.ndim)
    length = arrays.cast(length, tensor.dtype)
    return tensor / length, length


def expm(input, name=None) -> Tensor:
    """The exponential of a square matrix, 1 + x + x @ x / 2 + ...: by a Padé approximation, which is squared as often as needed.

    Degrees and limits are those of Higham, "The Scaling and Squaring Method for the Matrix Exponential Revisited" (2005).

    Raises:
        ValueError: it is of no float or complex dtype.
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
        y = arrays.where(i < times, y @ y, y)
    return y


def pade_halves(x, degree):
    """The even and the odd part of the numerator of the Padé approximation of e^x."""
    weights = [1.0]
    for j in range(degree):
        weights.append(weights[-1] * (degree - j) / ((2 * degree - j) * (j + 1)))
    one = eye(x.value.shape[-1], dtype=x.dtype)
    x2 = x @ x
    even, odd = weights[degree - 1] * one, weights[degree] * one
    for j in range(degree - 3, -1, -2):
        even, odd = even @ x2 + weights[j] * one, odd @ x2 + weights[j + 1] * one
    return even, x @ odd


def needs_float_matrix(a):
    if a.value.dtype.kind != "f":
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.ndim}).")


def matrix_rank(a, tol=None, validate_args=False, name=None) -> Tensor:
    """How many singular values are not nearly zero.

    Args:
        a: of shape `(..., n, m)`.
        tol: what counts as nearly zero; None takes the largest singular value times the length of the longer side times
            the precision of the dtype.
        validate_args: accepted as in TensorFlow, without effect.

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
    """The Moore-Penrose inverse, which every matrix has.

    Args:
        a: of shape `(..., n, m)`.
        rcond: singular values below this part of the largest count as zero; None takes ten times the length of the
            longer side times the precision of the dtype.
        validate_args: accepted as in TensorFlow, without effect.

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
    s = arrays.where(zero, np.inf, s)
    return matmul(v / arrays.reshape(s, (*s.value.shape[:-1], 1, s.value.shape[-1])), u, adjoint_b=True)
