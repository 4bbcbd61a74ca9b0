"""tf.debugging: assertions on values, dtypes and shapes, and checks for NaN."""

import numpy as np

from . import math
from .engine import Tensor, dtypes, invalid, named, op, tell_help
from .engine.listening import Listener, listening
from .engine.operands import one_by_one
from .errors import visible_lines
from .ops import convert_to_tensor

__all__ = ["Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer",
           "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative",
           "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank",
           "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_shapes",
           "assert_type", "check_numerics", "disable_check_numerics", "enable_check_numerics",
           "is_numeric_tensor"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers


def opening(message):
    """The beginning of an error with the user's message."""
    return f"{visible_lines(message)}.  " if message else ""


def refuse(text):
    """Raise InvalidArgumentError, unless these are only the zeros of a rehearsal."""
    if not any([listener.rehearsing for listener in listening.now]):
        raise invalid(text)


# ---- comparisons ---------------------------------------------------------------------------------------------------


def comparison(name, symbol, compare, what, example):
    """Make the assertion that `compare(x, y)` holds for all elements."""

    def check(x, y, message=None, summarize=None, name=None) -> None:
        """Raise unless {what}, element by element.

        Args:
            x, y: Tensors of one dtype, which are broadcast.
            message: the beginning of the error.
            summarize: how many elements the error shows.

        Raises:
            InvalidArgumentError: the assertion does not hold for some element.

        >>> import minigrad as mg
        >>> mg.debugging.{name}({example})
        """
        x, y = convert_to_tensor(x), convert_to_tensor(y)
        holds = np.asarray(compare(x, y).value)
        if not holds.all():
            most = 3 if summarize is None else summarize
            refuse(told(message, symbol, x.value, y.value, holds, most))

    return named(check, name, what=what, example=example)


def told(message, symbol, x, y, holds, most):
    """The text of the error: where the condition does not hold, and the elements of x and y there."""
    condition = f"Condition x {symbol} y did not hold."
    lines = [condition] if message is None else [message, condition]
    if holds.ndim:
        bad = np.argwhere(~holds)[:most]
        lines += [f"Indices of first {len(bad)} different values:", str(bad)]
        for word, value in (("x", x), ("y", y)):
            lines += [f"Corresponding {word} values:", str(np.broadcast_to(value, holds.shape)[tuple(bad.T)])]
    for word, value in (("x", x), ("y", y)):
        first = np.ravel(value)[:most]
        lines += [f"First {len(first)} elements of {word}:", str(first)]
    return "\n".join(lines)


assert_equal = comparison("assert_equal", "==", math.equal, "x equals y", "[1, 2], [1, 2]")
differ = comparison("assert_none_equal", "!=", math.not_equal, "x differs from y", "[1, 2], [2, 1]")
assert_less = comparison("assert_less", "<", math.less, "x is smaller than y", "[1, 2], 3")
assert_less_equal = comparison("assert_less_equal", "<=", math.less_equal, "x is not larger than y", "[1, 2], 2")
assert_greater = comparison("assert_greater", ">", math.greater, "x is larger than y", "[1, 2], 0")
assert_greater_equal = comparison("assert_greater_equal", ">=", math.greater_equal, "x is at least y", "[1, 2], 1")


def assert_none_equal(x, y, summarize=None, message=None, name=None) -> None:
    differ(x, y, message, summarize)


assert_none_equal.__doc__ = differ.__doc__  # the same, but for TensorFlow's order of the arguments


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None) -> None:
    """Raise unless x and y differ by less than `atol + rtol * abs(y)`, element by element.

    Args:
        x, y: float Tensors of one dtype, which are broadcast.
        rtol, atol: the relative and the absolute tolerance; None means ten times the machine epsilon of the dtype.
        message: the beginning of the error.
        summarize: how many elements the error shows.

    Raises:
        InvalidArgumentError: elements differ by as much or more.

    >>> import minigrad as mg
    >>> mg.debugging.assert_near(1.0, 1.0 + 1e-8)
    """
    x = convert_to_tensor(x)
    x, y = x.value, convert_to_tensor(y, x.dtype).value
    step = 10 * np.finfo(x.dtype).eps
    rtol, atol = [step if one is None else x.dtype.type(one) for one in (rtol, atol)]
    if not np.all(np.abs(x - y) < atol + rtol * np.abs(y)):
        head = f"{opening(message)}\nx and y not equal to tolerance rtol = {rtol}, atol = {atol}"
        pairs = ("x", x), ("y", y)
        shown = [f"{word} (shape={one.shape} dtype={one.dtype}) = \n{listed(one, summarize)}" for word, one in pairs]
        refuse("\n".join([head, *shown]))


def sign_check(name, symbol, compare, what, example):
    """Make the assertion that `compare(x, 0)` holds for all elements."""

    def check(x, message=None, summarize=None, name=None) -> None:
        """Raise unless every element is {what}.

        Args:
            x: a Tensor of numbers.
            message: the beginning of the error.
            summarize: how many elements the error shows.

        Raises:
            InvalidArgumentError: some element is not.

        >>> import minigrad as mg
        >>> mg.debugging.{name}([{example}])
        """
        value = convert_to_tensor(x).value
        if not compare(value, 0).all():
            head = f"{opening(message)}\nCondition x {symbol} 0 did not hold element-wise:"
            elements = first_of(value, summarize) if value.ndim else value
            refuse(f"{head}\nx (shape={value.shape} dtype={value.dtype}) = \n{elements}")

    return named(check, name, what=what, example=example)


assert_positive = sign_check("assert_positive", ">", np.greater, "larger than 0", "1, 2")
assert_negative = sign_check("assert_negative", "<", np.less, "smaller than 0", "-1, -2")
assert_non_negative = sign_check("assert_non_negative", ">=", np.greater_equal, "0 or larger", "0, 2")
assert_non_positive = sign_check("assert_non_positive", "<=", np.less_equal, "0 or smaller", "0, -2")


def Assert(condition, data, summarize=None, name=None) -> None:
    """Raise unless the condition is True.

    Args:
        condition: a bool.
        data: a list of values that the error shows.
        summarize: how many elements of each value the error shows.

    Raises:
        InvalidArgumentError: the condition is False.

    >>> import minigrad as mg
    >>> mg.debugging.Assert(mg.constant(2.0) > 1.0, ["2 is small"])
    """
    if not condition:
        shown = "\n".join([listed(convert_to_tensor(one).value, summarize) for one in data])
        refuse(f"Expected '{condition!s}' to be true. Summarized data: {shown}")


def first_of(value, most):
    """The first elements as strings, three of them by default."""
    elements = [str(one) for one in np.ravel(value)]
    most = 3 if most is None else most
    most = len(elements) if most < 0 else most
    return elements[:most] + ["..."] * (len(elements) > most)


def listed(value, most):
    """The first elements in one string."""
    return ", ".join(first_of(value, most))


# ---- numbers -------------------------------------------------------------------------------------------------------


@op("CheckNumerics", "f", dtensor=lambda dy: dy)
def check_numerics(tensor, message: str):
    """Return the Tensor if all its elements are finite, and raise otherwise.

    Args:
        tensor: of a float dtype.
        message: the beginning of the error.

    Raises:
        InvalidArgumentError: an element is infinite or NaN.

    >>> import minigrad as mg
    >>> print(mg.debugging.check_numerics([1.0, 2.0], "the loss"))
    mg.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    if not np.isfinite(tensor).all():
        found = [word for word, test in (("Inf", np.isinf), ("NaN", np.isnan)) if test(tensor).any()]
        refuse(f"{message} : Tensor had {' and '.join(found)} values")
    return tensor


def assert_all_finite(x, message, name=None) -> Tensor:
    """Return the Tensor if all its elements are finite, and raise otherwise, like `check_numerics`.

    Raises:
        InvalidArgumentError: an element is infinite or NaN.

    >>> import minigrad as mg
    >>> print(mg.debugging.assert_all_finite([1.0, 2.0], "the loss"))
    mg.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    return check_numerics(x, message)


UNCHECKED = {  # ops that only move numbers
    "Concat", "ConcatV2", "ExpandDims", "Fill", "Gather", "Identity", "IdentityN", "Maximum", "Minimum", "Reshape",
    "Slice", "Squeeze", "Stack", "StridedSlice", "Transpose", "Unpack",
}  # fmt: skip


class NumericsCheck(Listener):
    """Listens to ops and to backward passes, and raises at the first number that is infinite or NaN."""

    def hear(self, op, inputs, output, attributes):
        outputs = output if isinstance(output, list) else [output]
        for place, one in enumerate(outputs):
            if one.value.dtype.kind == "f" and op.kernel not in UNCHECKED and not np.isfinite(one.value).all():
                where = f'output {place} of eagerly-executing op "{op.kernel}" (# of outputs: {len(outputs)})'
                raise not_finite(where, one.value, listed_inputs(one_by_one(inputs)))

    def stepped_back(self, step, dy, dx):
        dx = getattr(dx, "values", dx)  # of sparse rows
        value = np.asarray(getattr(dx, "value", dx))
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise not_finite("a gradient", value, f"  Gradient that arrived: {dy}\n")


def listed_inputs(given):
    """The inputs of an op, line by line."""
    if len(given) == 1:
        return f"  Input tensor: {given[0]!s}\n"
    return "".join([f"  Input tensors ({len(given)}):\n", *[f"         {k}: {x!s}\n" for k, x in enumerate(given)]])


def not_finite(where, value, given):
    """The error that says how many elements are infinite or NaN."""
    counts = {"-Inf": np.sum(value == -np.inf), "+Inf": np.sum(value == np.inf), "NaN": np.sum(np.isnan(value))}
    counts = {kind: count for kind, count in counts.items() if count}
    lines = "".join(f"  # of {'+' * (kind == 'NaN')}{kind} elements: {count}\n" for kind, count in counts.items())
    kinds = " and ".join(counts).replace("-Inf and +Inf and", "-Inf, +Inf, and")
    dtype = dtypes.BY_NUMPY[value.dtype]
    problem = f"\n\n!!! Detected Infinity or NaN in {where} !!!\n  dtype: {dtype}\n  shape: {value.shape}\n{lines}"
    return invalid(f"{problem}\n{given}\n : Tensor had {kinds} values [Op:CheckNumericsV2] name: ")


numerics_check = NumericsCheck()


def enable_check_numerics(stack_height_limit=30, path_length_limit=50) -> None:
    """From now on, raise InvalidArgumentError as soon as an op or a VJP computes a number that is infinite or NaN.

    Args:
        stack_height_limit, path_length_limit: accepted as in TensorFlow, without effect: Python's traceback shows the
            line.

    >>> import minigrad as mg
    >>> debugging, x = mg.debugging, mg.constant(3.0)
    >>> debugging.enable_check_numerics()
    >>> try:
    ...     x / 0.0
    ... except mg.errors.InvalidArgumentError as error:
    ...     print(str(error).splitlines()[2])
    ... finally:
    ...     debugging.disable_check_numerics()
    !!! Detected Infinity or NaN in output 0 of eagerly-executing op "RealDiv" (# of outputs: 1) !!!
    """
    if numerics_check not in listening.now:
        numerics_check.start()


def disable_check_numerics() -> None:
    """End `enable_check_numerics`: infinite numbers and NaN raise no error.

    >>> import minigrad as mg
    >>> mg.debugging.enable_check_numerics()
    >>> mg.debugging.disable_check_numerics()
    >>> print((mg.constant(1.0) / 0.0).numpy())
    inf
    """
    if numerics_check in listening.now:
        numerics_check.stop()


# ---- dtypes and shapes ---------------------------------------------------------------------------------------------


def assert_type(tensor, tf_type, message=None, name=None) -> None:
    """Raise unless the Tensor has this dtype.

    Raises:
        TypeError: it has another dtype.

    >>> import minigrad as mg
    >>> mg.debugging.assert_type(mg.constant(1.0), mg.float32)
    """
    tensor = convert_to_tensor(tensor)
    if tensor.dtype != tf_type:
        raise TypeError(f"{opening(message)}tensor must be of type {dtypes.as_dtype(tf_type)!r}; got {tensor.dtype!r}")


def assert_integer(x, message=None, name=None) -> None:
    """Raise unless the Tensor has an integer dtype.

    Raises:
        TypeError: it has another dtype.

    >>> import minigrad as mg
    >>> mg.debugging.assert_integer(mg.constant(1))
    """
    dtype = convert_to_tensor(x).dtype
    if not dtype.is_integer:
        raise TypeError(f'{opening(message)}Expected "x" to be integer type.  Found: tensor of dtype {dtype}')


def is_numeric_tensor(tensor) -> bool:
    """Whether `tensor` is a Tensor of numbers. Variables are not.

    >>> import minigrad as mg
    >>> mg.debugging.is_numeric_tensor(mg.constant(1.0)), mg.debugging.is_numeric_tensor(mg.constant("one"))
    (True, False)
    """
    return isinstance(tensor, Tensor) and tensor.dtype.dtype.kind in "iufc"


def check_rank(x, fits, what, message):
    """Raise ValueError unless the rank of x fits."""
    x = convert_to_tensor(x)
    if not fits(x.ndim):
        raise ValueError(f"{opening(message)}Tensor  must have rank {what}.  Received rank {x.ndim}, shape {x.shape}")


def assert_rank(x, rank, message=None, name=None) -> None:
    """Raise unless the Tensor has this rank (number of axes).

    Raises:
        ValueError: it has another rank.

    >>> import minigrad as mg
    >>> mg.debugging.assert_rank(mg.constant([1.0]), 1)
    """
    check_rank(x, lambda ndim: ndim == int(rank), int(rank), message)


def assert_rank_at_least(x, rank, message=None, name=None) -> None:
    """Raise unless the Tensor has at least this rank (number of axes).

    Raises:
        ValueError: its rank is lower.

    >>> import minigrad as mg
    >>> mg.debugging.assert_rank_at_least(mg.constant([1.0]), 1)
    """
    check_rank(x, lambda ndim: ndim >= int(rank), f"at least {int(rank)}", message)


def assert_rank_in(x, ranks, message=None, name=None) -> None:
    """Raise unless the rank (number of axes) of the Tensor is one of these.

    Raises:
        ValueError: it has another rank.

    >>> import minigrad as mg
    >>> mg.debugging.assert_rank_in(mg.constant([1.0]), (0, 1))
    """
    ranks = tuple([int(rank) for rank in ranks])
    check_rank(x, lambda ndim: ndim in ranks, f"in {ranks}", message)


def assert_scalar(tensor, message=None, name=None) -> None:
    """Raise unless the Tensor is a scalar: it has no axes.

    Raises:
        ValueError: it has axes.

    >>> import minigrad as mg
    >>> mg.debugging.assert_scalar(mg.constant(2.0))
    """
    tensor = convert_to_tensor(tensor)
    if tensor.ndim:
        raise ValueError(f"{opening(message)}Expected scalar shape, saw shape: {tensor.shape}.")


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None) -> None:
    """Raise unless all Tensors have the shapes given for them.

    Args:
        shapes: a list of pairs of a Tensor and its shape. Each length in a shape is an int, None (any length), or a
            string: the lengths that have the same string must be equal.
        data, summarize, name: accepted as in TensorFlow, without effect.
        message: the beginning of the error.

    Raises:
        ValueError: a Tensor has another shape.

    >>> import minigrad as mg
    >>> x, w = mg.zeros([5, 3]), mg.zeros([3, 2])
    >>> mg.debugging.assert_shapes([(x, ("examples", "features")), (w, ("features", 2))])
    """
    lengths = {}
    for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        x = convert_to_tensor(x)
        told = f"Tensor shape={x.shape} dtype={x.dtype.name}"
        if not hasattr(wanted, "__iter__"):
            given = f" An iterable has the attribute `__iter__` or `__getitem__`.  Received specified shape: {wanted}"
            raise ValueError(f"{told}.  Specified shape must be an iterable. {given}")
        assert_rank(x, len(wanted), message)
        for axis, (length, symbol) in enumerate(zip(x.shape, wanted)):
            if symbol is None or symbol == ".":
                continue
            known, why = lengths.setdefault(symbol, (length, f"Specified by t{told[1:]} dimension {axis}"))
            if isinstance(symbol, int):
                known, why = symbol, "Specified explicitly"
            if length != known:
                sizes = f"must have size {known}.  Received size {length}, shape {x.shape}"
                raise ValueError(f"{opening(message)}{why}.  {told} dimension {axis} {sizes}")


def assert_proper_iterable(values) -> None:
    """Raise unless `values` is an iterable, such as a list, and not a Tensor, string or array.

    Raises:
        TypeError: it is not.

    >>> import minigrad as mg
    >>> mg.debugging.assert_proper_iterable([mg.constant(1.0)])
    """
    if isinstance(values, (Tensor, str, bytes, np.ndarray)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def assert_same_float_dtype(tensors=None, dtype=None) -> dtypes.DType:
    """The float dtype that all Tensors of a list have.

    Args:
        tensors: a list of Tensors.
        dtype: the dtype that they must have; None takes that of the first, or float32 if there are none.

    Raises:
        ValueError: the dtypes differ, or are not float.

    >>> import minigrad as mg
    >>> mg.debugging.assert_same_float_dtype([mg.constant(1.0), mg.constant([2.0])])
    mg.float32
    """
    tensors = [convert_to_tensor(x) for x in tensors or []]
    natural = tensors[0].dtype if tensors else dtypes.float32
    wanted = natural if dtype is None else dtypes.as_dtype(dtype)
    for x in tensors:
        if x.dtype != wanted:
            other = f" as {tensors[0]!s}" if dtype is None else ""
            raise ValueError(f"{x!s}, type={x.dtype}, must be of the same type ({wanted}){other}.")
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


tell_help(__name__)
