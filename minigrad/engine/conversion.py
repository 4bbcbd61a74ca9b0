"""Conversion of what a user may write for a value to an array: `as_value`. This module knows nothing of Tensors."""

import math as python_math

import numpy as np

from ..errors import unwarned, visible_lines
from . import dtypes


def as_value(value, dtype=None):
    """The value as the engine keeps it: a new array or, without axes, a NumPy scalar, which is faster.

    Args:
        value: numbers, strings, lists of these, NumPy arrays, or whatever has an `__array__`.
        dtype: anything that names a dtype; if None, it is inferred.
    """
    wanted = None if dtype is None else dtypes.to_numpy(dtype)
    plain = value.__class__ in PLAIN or not hasattr(value, "__array__")
    array = from_python(value, wanted) if plain else from_numpy(np.asarray(value), wanted)
    return array if array.dtype.kind == "O" else array[()]


def from_numpy(array, wanted):
    """A copy in native byte order, cast to the requested dtype even if that loses information."""
    if wanted is None and array.dtype in dtypes.BY_NUMPY:
        wanted = array.dtype
    elif wanted is None:
        try:
            wanted = dtypes.to_numpy(array.dtype)
        except TypeError:
            name = array.dtype.type.__name__.rstrip("64").upper()
            problem = "Failed to convert a NumPy array to a Tensor (Unsupported numpy type:"
            raise ValueError(f"{problem} NPY_{name}).") from None
    if wanted.kind != "O":
        return unwarned(np.array, array, wanted)
    leaves = array.ravel().tolist()
    for leaf in leaves:
        if not isinstance(leaf, (str, bytes)):
            kind = type(leaf).__name__
            raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {kind}).")
    return strings(leaves, array.shape)


def strings(leaves, shape):
    """An array of bytes objects, which is how TensorFlow keeps strings."""
    array = np.empty(len(leaves), object)
    array[:] = [leaf.encode() if isinstance(leaf, str) else bytes(leaf) for leaf in leaves]
    return array.reshape(shape)


PLAIN = {bool, int, float, complex, str, bytes, list, tuple}
MOST_AXES = 64  # of NumPy's arrays
# The kind of a Python value, in NumPy's letters. "?" is Python's bool, which also counts as an int.
KINDS = {bool: "?", np.bool_: "b", int: "i", np.integer: "i", float: "f", np.floating: "f", complex: "c",
         np.complexfloating: "c", str: "O", bytes: "O"}  # fmt: skip
# For each kind: the kinds that a list of it may hold, those it may be cast to, and its widest dtype.
HOLDS = {"b": {*"b?"}, "i": {*"i?"}, "u": {*"i?"}, "f": {*"fi?"}, "c": {*"cfi?"}, "O": {*"O"}}
BECOMES = {"b": "b", "i": "iufc", "f": "fc", "c": "c", "O": "O"}
WIDEST = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64, "c": np.complex128}
DIRECT = {np.dtype(code) for code in ("e", "f", "d", "i4", "i8", "u8", "D", "?", "O")}  # the others need a cast


def from_python(value, wanted):
    """Convert Python numbers and strings in nested lists. The first one sets the kind; the others must match it."""
    shape, first = (), value
    while is_sequence(first):
        shape += (len(first),)
        if not shape[-1]:
            return np.zeros(shape, np.float32 if wanted is None else wanted)
        if len(shape) > MOST_AXES:
            problem = f"Can't convert a Python sequence of more than {MOST_AXES} axes to Tensor."
            raise ValueError(f"{problem} Does the list hold itself?")
        try:
            first = next(iter(first))
        except NotImplementedError as problem:  # a memoryview of several axes
            kind = type(first).__name__
            raise ValueError(f"Cannot infer dtype of a {kind} object: NotImplementedError: {problem}") from None
    first = first[()] if isinstance(first, np.ndarray) else first
    kind = kind_of(type(first))
    if kind is None:
        raise unsupported(first)
    leaves, kinds = leaves_of(value, shape) if shape else ([first], {kind})
    if wanted in DIRECT and kinds <= HOLDS[wanted.kind]:
        kind = wanted.kind
    else:
        if kind == "?":
            kind = "b"
        elif kind == "i" and "f" in kinds:
            kind = "f"
        if not kinds <= HOLDS[kind]:
            raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
        if wanted is not None and wanted.kind not in BECOMES[kind]:
            raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {kernel_name(wanted)}")
    if kind == "O":
        return strings(leaves, shape)
    if wanted is None:
        return numbers(leaves, kind, natural(leaves, kind, first), overflow="raise").reshape(shape)
    return numbers(leaves, kind, wanted).reshape(shape)


def is_sequence(x) -> bool:
    """Does it hold elements, rather than being one?"""
    kind = x.__class__
    if kind in PLAIN:
        return kind is list or kind is tuple
    if isinstance(x, np.ndarray):
        return x.ndim > 0
    one = isinstance(x, (dict, np.generic)) or hasattr(kind, "__tf_tensor__") or kind_of(kind)
    return not one and hasattr(kind, "__getitem__") and hasattr(kind, "__len__")


def kind_of(kind):
    """The kind of the values of a Python type; None if they are neither numbers nor strings."""
    return KINDS.get(kind) or next((KINDS[base] for base in kind.__mro__ if base in KINDS), None)


def leaves_of(value, shape):
    """The elements of nested lists of this shape, from left to right, and their kinds."""
    leaves = value if value.__class__ is list else list(value)
    for length in shape[1:]:
        if not all(is_sequence(row) and len(row) == length for row in leaves):
            raise not_rectangular()
        leaves = [leaf for row in leaves for leaf in row]
    if len(leaves) != python_math.prod(shape):  # a sequence of another length than it says
        raise not_rectangular()
    types = set(map(type, leaves))
    if np.ndarray in types:  # arrays without axes
        leaves = [leaf[()] if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
        types = set(map(type, leaves))
    return leaves, set(map(kind_of, types))


def natural(leaves, kind, first):
    """The default dtype of numbers: float32 for Python floats, and int32 for ints if they fit."""
    if kind == "f":
        return first.dtype if isinstance(first, (np.float16, np.float64)) else np.float32
    return np.int32 if kind == "i" and -(2**31) <= min(leaves) <= max(leaves) < 2**31 else WIDEST[kind]


def numbers(leaves, kind, dtype, overflow="ignore"):
    """A flat array of numbers."""
    try:
        if kind in "iu":  # too large ones wrap around
            return np.array(leaves, WIDEST[kind]).astype(dtype, copy=False)
        return unwarned(np.array, leaves, dtype, over=overflow)
    except (OverflowError, FloatingPointError):
        whole = all(isinstance(leaf, int) for leaf in leaves)
        range = "out-of-range integer to Tensor." if whole else "a value out of range for a double-precision float."
        raise ValueError(f"Can't convert Python sequence with {range}") from None


def not_rectangular():
    """The error for lists whose rows differ in length."""
    return ValueError("Can't convert non-rectangular Python sequence to Tensor.")


def unsupported(value):
    """The error for what is neither a number nor a string, nor a list of these."""
    if hasattr(value, "__tf_tensor__"):
        problem = "TypeError: Scalar tensor has no `len()`. `mg.constant` takes no lists of Tensors:"
        return ValueError(f"{problem} to join them write mg.stack([...]), which keeps them connected.")
    shown = visible_lines(repr(value))
    return ValueError(f"Attempt to convert a value ({shown}) with an unsupported type ({type(value)}) to a Tensor.")


def not_among(attribute, dtype, allowed):
    """A kernel's error message for a dtype that one of its attributes must not have."""
    return f"Value for attr {attribute!r} of {kernel_name(dtype)} is not in the list of allowed values: {allowed}"


def another_dtype(kernel, place, wanted, given):
    """A kernel's error message for an input whose dtype is not the expected one."""
    expected = f"was expected to be a {kernel_name(wanted)} tensor but is a {kernel_name(given)} tensor"
    return f"cannot compute {kernel} as input #{place}(zero-based) {expected}"


def kernel_name(dtype) -> str:
    """The word for a dtype in error messages: 'float' for float32."""
    return dtypes.BY_NUMPY[dtype].kernel_name
