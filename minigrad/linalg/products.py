"""Products of matrices and of Tensors with more axes: matmul, tensordot, einsum, cross."""

import collections
import math as python_math
import re

import numpy as np

from .. import errors
from ..engine import Tensor, bracketed, convert, invalid, op
from ..engine.operands import convert_all
from ..errors import visible
from ..math.arithmetic import ARITHMETIC
from ..ops import convert_to_tensor, creation, shaping
from .diagonals import matrix_transpose

__all__ = ["cross", "einsum", "matmul", "matvec", "tensordot"]

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # names of axes in an einsum


# ---- products ------------------------------------------------------------------------------------------------------


def times(a, b):
    """a @ b. For two arrays of two axes NumPy's `dot` gives the same with less overhead."""
    return a.dot(b) if a.__class__ is b.__class__ is np.ndarray and a.ndim == b.ndim == 2 else a @ b


@op("MatMul", "iuf", twin=np.matmul, holomorphic=True,
    da=lambda dz, b: times(dz, b.mT), db=lambda dz, a: times(a.mT, dz))  # fmt: skip
def product(a, b):
    """Matrix product `a @ b`. `mg.matmul` is the same with TensorFlow's options.

    Args:
        a: shape `(..., n, m)`.
        b: shape `(..., m, k)`; the batch axes are broadcast.

    Returns:
        Shape `(..., n, k)`.

    Raises:
        InvalidArgumentError: one of them has fewer than two axes, or the shapes do not fit.

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


def misfit(a, b):
    """The error that says why a and b cannot be multiplied."""
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
    problem = "In[0] and In[1] must have compatible batch dimensions:"
    return invalid(f"{problem} {bracketed(a.shape)} vs. {bracketed(b.shape)}", kernel)


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False,
           b_is_sparse=False, output_type=None, grad_a=False, grad_b=False, name=None) -> Tensor:  # fmt: skip
    """Matrix product.

    If `b` is not a Tensor, it takes the dtype of `a`; if `a` is not a Tensor, it does not take the dtype of `b`.

    Args:
        a: shape `(..., n, m)`.
        b: shape `(..., m, k)`; the batch axes are broadcast.
        transpose_a, transpose_b: transpose that matrix first: swap its last two axes.
        adjoint_a, adjoint_b: take the adjoint (conjugate transpose) of that matrix first.
        output_type: the dtype to which both are cast first.
        a_is_sparse, b_is_sparse, grad_a, grad_b, name: accepted as in TensorFlow, without effect.

    Returns:
        Shape `(..., n, k)`.

    Raises:
        InvalidArgumentError: one of them has fewer than two axes, or the shapes do not fit.
        ValueError: both the transpose and the adjoint of one matrix are requested.

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
        a, b = creation.cast(a, output_type), creation.cast(b, output_type)
    return product(a, b)


def turned(which, x, transpose, adjoint):
    """The transpose or adjoint of a factor of `matmul`. (If it has fewer than two axes, `product` will raise.)"""
    if transpose and adjoint:
        given = f"Received `transpose_{which}`={visible(transpose)}, `adjoint_{which}`={visible(adjoint)}."
        raise ValueError(f"Only one of `transpose_{which}` and `adjoint_{which}` can be True. {given}")
    x = convert_to_tensor(x)
    return matrix_transpose(x, conjugate=adjoint) if x.ndim > 1 else x


def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None) -> Tensor:
    """Matrix-vector product.

    Args:
        a: shape `(..., n, m)`.
        b: shape `(..., m)`; the batch axes are broadcast.
        transpose_a, adjoint_a, a_is_sparse, b_is_sparse, name: as for `matmul`.

    Returns:
        Shape `(..., n)`.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]).numpy())
    [21. 43.]
    """
    b = convert_to_tensor(b)
    column = shaping.reshape(b, (*b.value.shape, 1))
    z = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return shaping.reshape(z, z.value.shape[:-1])


def tensordot(a, b, axes, name=None) -> Tensor:
    """Tensor contraction: the sum of the products of `a` and `b` over pairs of axes.

    Args:
        a, b: of any shapes.
        axes: a number n pairs the last n axes of `a` with the first n of `b`; or two lists, the axes of `a` and those
            of `b` in the same order.

    Returns:
        A Tensor with the other axes of `a`, followed by the other axes of `b`.

    Raises:
        ValueError: the axes do not pair up.
        IndexError: there is no such axis.
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
    return shaping.reshape(z, (*[a.value.shape[k] for k in free_a], *[b.value.shape[k] for k in free_b]))


def paired_axes(a, b, axes):
    """The axes over which `tensordot` sums: those of `a`, and those of `b`."""
    if hasattr(axes, "__array__"):
        axes = np.asarray(axes).tolist()
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        for x in (a, b):
            if axes > x.ndim:
                problem = f"`axes` must not be larger than the number of dimensions of tensor {x.value}."
                raise ValueError(f"{problem}  Received {axes}, vs tensor dimensions {x.ndim}.")
        return list(range(a.ndim - axes, a.ndim)), list(range(axes))
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {visible(axes)}.")
    over_a, over_b = [[one] if isinstance(one, int) else list(one) for one in axes]
    if len(over_a) != len(over_b):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(over_a)} != {len(over_b)}.")
    for x, over in (a, over_a), (b, over_b):
        if not all(-x.ndim <= k < x.ndim for k in over):
            raise IndexError(f"list index out of range: axes {over} of a tensor with {x.ndim} dimension(s)")
    return over_a, over_b


def as_matrix(x, rows, columns):
    """Reshape to a matrix: the axes `rows` become its first axis, the axes `columns` its second."""
    if [*rows, *columns] != list(range(x.ndim)):
        x = shaping.transpose(x, (*rows, *columns))
    lengths = x.value.shape
    return shaping.reshape(x, (int(np.prod(lengths[: len(rows)])), int(np.prod(lengths[len(rows) :]))))


def einsum(equation, *inputs, name=None, optimize="greedy") -> Tensor:
    """Einstein summation: multiply Tensors and sum over axes, as an equation says. `"ij,jk->ik"` is the matrix product.

    Args:
        equation: a letter for each axis of each input; letters that are missing after `->` are summed over. `...`
            stands for any number of axes, which are broadcast. Without `->` the result has the letters that occur once,
            in the order of the alphabet.
        *inputs: Tensors of one dtype.
        name, optimize: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: the equation is malformed, or does not match the number of inputs.
        InvalidArgumentError: the shapes do not fit the equation.

    >>> import minigrad as mg
    >>> print(mg.einsum("ij,j->i", mg.constant([[1.0, 2.0], [3.0, 4.0]]), mg.constant([1.0, 10.0])).numpy())
    [21. 43.]
    """
    tensors = convert_all(inputs, contraction)
    return contraction(tensors, plain_equation(equation, [x.value.shape for x in tensors]))


def contraction_grad(dz, k, inputs, equation):
    """VJP of `contraction`: a contraction too, of the upstream gradient with the other inputs.

    An axis of input k that none of them has was summed over: its gradient is constant, so ones are multiplied in.

    A letter that input k repeats took a diagonal: off the diagonal the gradient is 0, so an identity matrix is
    multiplied in.
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


@op("Einsum", ARITHMETIC, dinputs=contraction_grad,
    math="einsum of upstream with the other inputs, to the axes of inputs[k]")  # fmt: skip
def contraction(inputs: list, equation: str):
    """Op behind `mg.einsum`, for an equation with `->` and without `...`.

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
                problem = f"Expected dimension {lengths[letter]} at axis {axis} of the input"
                raise invalid(f"{problem} shaped {bracketed(x.shape)} but got dimension {n}")
    work = python_math.prod(lengths.values())
    return np.einsum(equation, *inputs, optimize=len(inputs) > 2 or work > 10_000)


def parsed(equation):
    """The terms of an equation: a list of the inputs' letters, and the output's letters."""
    terms, output = equation.split("->")
    return terms.split(","), output


def plain_equation(equation, shapes):
    """The equation without blanks, with a right side, and with letters in place of `...`."""
    text = equation.replace(" ", "").replace("...", "0")
    if not re.fullmatch(r"[a-zA-Z0,]*(->[a-zA-Z0]*)?", text) or "0" in equation:
        raise ValueError(f"Subscripts have incorrect format: {visible(equation)}")
    left, arrow, output = text.partition("->")
    counts = collections.Counter(left.replace(",", ""))
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ValueError(f'Got {len(shapes)} inputs for equation "{visible(equation)}", expecting {len(terms)}')
    if not arrow:
        output = "".join([letter for letter in sorted(counts) if counts[letter] == 1])
    if len(set(output)) < len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {visible(equation)}")
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
    """The equation with a letter for each axis that `...` stands for, aligned at the last one.

    An axis of length 1 that is broadcast gets a letter of its own, which is summed over.
    """
    hidden = [hidden_lengths(term, shape) for term, shape in zip(terms, shapes, strict=True)]
    free = (letter for letter in LETTERS if letter not in "".join(terms))
    padded = [(1,) * (max(map(len, hidden)) - len(lengths)) + lengths for lengths in hidden]
    widest = [next((n for n in lengths if n != 1), 1) for lengths in zip(*padded, strict=True)]
    if widest and "0" not in output:
        problem = f"Output contains {len(widest)} broadcasting dimension(s) but no ellipsis"
        raise invalid(f"{problem} (...) was found in the output subscripts. [Op:Einsum] name: ")
    letters = "".join([next(free) for _ in widest])
    for k, lengths in enumerate(hidden):
        tail = zip(letters[len(letters) - len(lengths) :], lengths, widest[len(widest) - len(lengths) :], strict=True)
        named = "".join([next(free) if n == 1 != most else letter for letter, n, most in tail])
        terms[k] = terms[k].replace("0", named)
    return f"{','.join(terms)}->{output.replace('0', letters)}"


def hidden_lengths(term, shape):
    """The lengths of the axes that `...` stands for in a term."""
    start = term.find("0")
    return shape[start : start + len(shape) - len(term) + 1] if start >= 0 else ()


@op("Cross", "iuf", da=lambda dz, b: cross.np(b, dz), db=lambda dz, a: cross.np(dz, a))
def cross(a, b):
    """Cross product of vectors of length 3.

    Args:
        a, b: both of the same shape `(..., 3)`.

    Raises:
        InvalidArgumentError: the shapes differ.
        FailedPreconditionError: the vectors do not have 3 elements.

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
