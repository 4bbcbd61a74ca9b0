"""The inputs of ops: how they become Tensors of one dtype, and the errors for those that cannot be used."""

import functools
import warnings
from typing import Protocol

import numpy as np

from .. import errors
from ..errors import invalid
from . import dtypes
from .conversion import KINDS, another_dtype, as_value, not_among
from .listening import coming, failing
from .shape import TensorShape, bracketed
from .tensor import Tensor


class TensorLike(Protocol):
    """What an op accepts as a Tensor: a Tensor, a Variable, a number, a string, a NumPy array, or lists of these."""


OPS = {}  # every op by its Python name (op.py puts it here), for the tests, the documentation and the inspector


def tensor_of(x, dtype=None):
    """Convert a value to a Tensor, of this dtype or of its default one."""
    if x.__class__ is TensorShape:
        return constant_of(list(known_lengths(x, dtype)), dtype or np.int32)
    if x.__class__ is range and not x:
        return constant_of(x, dtype or np.int32)
    like = first_tensor(x) if isinstance(x, (list, tuple)) else None
    if like is None:
        return constant_of(x, dtype)
    return stacked_list(x, None if dtype is None or like.dtype == dtype else dtypes.to_numpy(dtype))


def known_lengths(shape, dtype):
    """The lengths of a shape that is to become a Tensor of this dtype."""
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    if dtype is not None and dtypes.to_numpy(dtype) not in (np.int32, np.int64):
        wanted = dtypes.as_dtype(dtype)
        given = f"Allowed dtypes are tf.int32 and tf.int64. Write mg.cast(x.shape, {wanted!r})."
        raise TypeError(f"Cannot convert TensorShape {shape} to dtype {wanted!r}. {given}")
    return shape


def constant_of(x, dtype):
    """A value of Python or NumPy as a Tensor."""
    return coming(x, Tensor.of(as_value(x, dtype)))


def first_tensor(x):
    """The first Tensor or Variable in a list, or in the lists that it holds; None if there is none."""
    if KINDS.keys() >= {*map(type, x)}:  # numbers and strings alone
        return None
    for y in x:
        one = first_tensor(y) if isinstance(y, (list, tuple)) else y
        if hasattr(one, "__tf_tensor__"):
            return one
    return None


def stacked_list(x, dtype):
    """A list that holds Tensors, as one Tensor: each stays connected, and is cast if a dtype is given."""

    def part(y):
        if isinstance(y, (list, tuple)) and first_tensor(y) is not None:
            return stacked_list(y, dtype)
        if dtype is None:
            return y
        return cast_silently(y.__tf_tensor__(), dtype) if hasattr(y, "__tf_tensor__") else constant_of(y, dtype)

    return OPS["stack"]([part(y) for y in x])


CONVERTERS = []  # all that `converter` has made: a replay must know of the numbers that enter through them


def converter(attempt):
    """A function that converts inputs to Tensors; `attempt` runs the conversion, and decides what to do if it fails."""

    @functools.lru_cache(maxsize=1000, typed=True)
    def number(x, dtype, text=""):
        """A Python number as a Tensor. (Zeros are cached with their text: 0.0 and -0.0 are equal as keys.)"""
        tensor = Tensor()
        tensor.value, tensor.id = attempt(as_value, x, dtype), 0
        return tensor

    def convert(x, *others):
        """Convert an input to a Tensor. Python and NumPy values take the dtype of the first Tensor among `others`."""
        kind = x.__class__
        if kind is not float and kind is not int and hasattr(x, "__tf_tensor__"):
            return x.__tf_tensor__()
        dtype = None
        for other in others:
            if other.__class__ is Tensor or hasattr(other, "__tf_tensor__"):
                dtype = other.value.dtype if other.__class__ is Tensor else dtypes.to_numpy(other.dtype)
                break
        if dtype and (kind is float or kind is int):
            return number(x, dtype) if x else number(x, dtype, str(x))
        return attempt(tensor_of, x, dtype)

    CONVERTERS.append(convert)
    return convert


def or_keep(make, x, dtype):
    """A value that does not fit the dtype keeps its own, and the op refuses the two."""
    try:
        return make(x, dtype)
    except (TypeError, ValueError):
        return make(x, None)


convert, convert_or_keep = converter(lambda make, x, dtype: make(x, dtype)), converter(or_keep)


def cast_silently(x, dtype):
    """A Tensor in another dtype, without the warning that `mg.cast` gives where imaginary parts are lost."""
    smoothly = x.value.dtype.kind in "fc" and dtype.kind in "fc"
    return x if x.value.dtype == dtype else OPS["cast_smoothly" if smoothly else "cast_coarsely"](x, dtype)


def convert_all(values, op):
    """A list of Tensors of one dtype, for an op that takes a list."""
    if not isinstance(values, (list, tuple)):
        values = list(values) if hasattr(values, "__iter__") else [values]
    values = list(values)
    for k, x in enumerate(values):
        if x.__class__ is not Tensor:
            values[k] = convert(x, *(values[:1] if k else values))
    for x in values[1:]:
        if x.value.dtype != values[0].value.dtype:
            refuse_mixed(op, tuple(values), values[0], x)
    return values


def refuse_mixed(op, inputs, x, y):
    """Refuse two dtypes in one op: there is no type promotion."""
    wanted, given = x.value.dtype, y.value.dtype
    if op.for_strings and wanted.kind == "O":  # which raises, with the name that `+` has for strings
        op.for_strings(inputs)
    if op.keep_misfit and op.kernel in ("RealDiv", "DivNoNan"):  # TensorFlow checks these in Python, before any kernel
        names = [f"tf.{dtypes.BY_NUMPY[one].name}" for one in (wanted, given)]
        raise TypeError(f"`x` and `y` must have the same dtype, got {names[0]} != {names[1]}.")
    if op.kinds and wanted.kind not in [*op.kinds, *op.by_kind, "O" * bool(op.for_strings)]:
        refuse_dtype(op, (x,))
    place = next(k for k, one in enumerate(inputs) if one is y)
    raise failing(op, invalid(f"{another_dtype(op.kernel, place, wanted, given)} [Op:{op.kernel}] name: ", op))


def refuse_dtype(op, inputs):
    """Run the op's variant for this dtype, or refuse it if there is none. (`+` joins strings, as in TensorFlow.)"""
    dtype = dtypes.BY_NUMPY[inputs[0].value.dtype]
    if op.for_strings and dtype is dtypes.string:
        return op.for_strings(inputs)
    if dtype.dtype.kind in op.by_kind:
        return op.by_kind[dtype.dtype.kind](*inputs)
    if op.kinds in ("b", "O"):
        refuse_mixed(op, inputs, Tensor.of(np.empty((), np.bool_ if op.kinds == "b" else object)), inputs[0])
    allowed = ", ".join(d.kernel_name for d in dtypes.ALL if d.dtype.kind in (*op.kinds, *op.by_kind))
    raise failing(op, invalid(f"{not_among('T', dtype.dtype, allowed)} [Op:{op.kernel}] name: ", op))


def one_by_one(inputs):
    """The inputs of an op, those in lists included."""
    return [y for x in inputs for y in (x if isinstance(x, (list, tuple)) else (x,))]


def retry_unchecked(op, problem, forward, *arguments):
    """Run a forward function again if NumPy's floating-point checks stopped it, else raise TensorFlow's error."""
    if isinstance(problem, (FloatingPointError, RuntimeWarning)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return errors.unwarned(forward, *arguments)
    stand_in = next((x for x in one_by_one(arguments) if hasattr(x, "as_one_call")), None)
    if stand_in is not None:  # it was asked for its numbers, say
        try:
            return stand_in.as_one_call(forward, *arguments)
        except Exception as with_numbers:
            problem = with_numbers
    ours = hasattr(problem, "by_python") or not isinstance(problem, (ValueError, IndexError, errors.OpError))
    if ours or isinstance(problem, UnicodeError):
        raise failing(op, problem)
    error = type(problem) if isinstance(problem, errors.OpError) else errors.InvalidArgumentError
    kernel = getattr(problem, "op", None) or op.kernel  # an op that is several kernels in TensorFlow may name one
    raise failing(op, error(None, op, f"{in_our_words(problem, arguments)} [Op:{kernel}] name: ")) from None


def in_our_words(problem, arguments):
    """NumPy's message about arrays that do not fit, in TensorFlow's words."""
    text = str(problem)
    if isinstance(problem, errors.OpError):
        return text
    if "broadcast" in text:
        shapes = [bracketed(x.shape) for x in arguments if hasattr(x, "shape")]
        return f"Incompatible shapes: {' vs. '.join(shapes[-2:])}"
    if isinstance(problem, np.exceptions.AxisError) and "out of bounds" in text:
        return f"Invalid reduction dimension ({problem.axis} for input with {problem.ndim} dimension(s)"
    if text == "duplicate value in 'axis'":
        x, axes = arguments[:2]
        axes = [axis % x.ndim for axis in axes]
        return f"Invalid reduction arguments: Axes contains duplicate dimension: {max(axes, key=axes.count)}"
    return text
