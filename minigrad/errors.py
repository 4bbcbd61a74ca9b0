"""tf.errors: the errors that ops raise.

The message says what is wrong, and ends with the op's name in TensorFlow, as in `[Op:MatMul]`. Text that comes from
data enters it, and every other text of minigrad, through `visible`.
"""

import contextvars

import numpy as np

__all__ = ["ABORTED", "ALREADY_EXISTS", "CANCELLED", "DATA_LOSS", "DEADLINE_EXCEEDED", "FAILED_PRECONDITION",
           "INTERNAL", "INVALID_ARGUMENT", "NOT_FOUND", "OK", "OUT_OF_RANGE", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
           "UNAUTHENTICATED", "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN", "CancelledError", "DataLossError",
           "FailedPreconditionError", "InternalError", "InvalidArgumentError", "NotFoundError", "OpError",
           "OutOfRangeError", "ResourceExhaustedError", "UnimplementedError", "UnknownError"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers

# TensorFlow's error codes: the `error_code` of an error.
OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED = range(8)
RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = range(8, 15)
DATA_LOSS, UNAUTHENTICATED = 15, 16


class OpError(Exception):
    """The base class of the errors of ops.

    Args:
        node_def, op: stored as attributes, as in TensorFlow.
        message: what is wrong; `str(error)` is the same.
        error_code: one of the codes of `mg.errors`; subclasses have a fixed one and do not take this argument.
        *payloads: the first one is stored as `experimental_payloads`.

    >>> import minigrad as mg
    >>> try:
    ...     mg.constant([1.0, 2.0]) + mg.constant([1.0, 2.0, 3.0])
    ... except mg.errors.OpError as error:
    ...     print(error.message, error.error_code == mg.errors.INVALID_ARGUMENT)
    Incompatible shapes: [2] vs. [3] [Op:AddV2] name:  True
    """

    def __init__(self, node_def: object, op: object, message: str, error_code: int, *payloads: object):
        super().__init__()
        self.node_def, self.op, self.error_code = node_def, op, error_code
        self.message = visible_lines(message) if isinstance(message, str) else message
        self.experimental_payloads = payloads[0] if payloads else {}

    def __str__(self):
        return self.message

    def __reduce__(self):  # Exception's own would pass `args`, which are empty, as in TensorFlow
        return self.__class__.__new__, (self.__class__,), {**vars(self), "op": None}  # an op cannot be pickled


class OpErrorWithCode(OpError):
    """An error whose class has a fixed error code, `number`."""

    number: int

    def __init_subclass__(cls, number: int | None = None):
        cls.number = cls.number if number is None else number

    def __init__(self, node_def: object, op: object, message: str, *payloads: object):
        super().__init__(node_def, op, message, self.number, *payloads)


class InvalidArgumentError(OpErrorWithCode, number=INVALID_ARGUMENT):
    """An argument has a shape, a dtype or a value that the op cannot use.

    >>> import minigrad as mg
    >>> mg.reshape([1.0, 2.0], [3])
    Traceback (most recent call last):
    minigrad.errors.InvalidArgumentError: Input to reshape is a tensor with 2 values, ...
    """


class CancelledError(OpErrorWithCode, number=CANCELLED):
    """The queue that the op uses is closed.

    >>> import minigrad as mg
    >>> queue = mg.queue.FIFOQueue(1, mg.float32)
    >>> queue.close()
    >>> queue.enqueue(1.0)
    Traceback (most recent call last):
    minigrad.errors.CancelledError: FIFOQueue 'fifo_queue' is closed. [Op:QueueEnqueueV2] name:
    """


class DataLossError(OpErrorWithCode, number=DATA_LOSS):
    """Data would be lost, such as the end of a row that is longer than its padded shape.

    >>> import minigrad as mg
    >>> rows = mg.data.Dataset.from_tensors([1, 2, 3]).padded_batch(1, padded_shapes=[2])
    >>> next(iter(rows))
    Traceback (most recent call last):
    minigrad.errors.DataLossError: Attempted to pad to a smaller size than the input element. ...
    """


class FailedPreconditionError(OpErrorWithCode, number=FAILED_PRECONDITION):
    """An object is not in the state that the op needs.

    >>> import minigrad as mg
    >>> mg.linalg.cross([1.0, 2.0], [3.0, 4.0])
    Traceback (most recent call last):
    minigrad.errors.FailedPreconditionError: Cross-products are only defined for 3-element vectors. ...
    """


class InternalError(OpErrorWithCode, number=INTERNAL):
    """The engine is in a state that should not occur.

    >>> import minigrad as mg
    >>> mg.truncatediv(1, 0)
    Traceback (most recent call last):
    minigrad.errors.InternalError: Unexpected error in binary operator ...
    """


class NotFoundError(OpErrorWithCode, number=NOT_FOUND):
    """Something named, such as a file, does not exist.

    >>> import minigrad as mg
    >>> mg.print("x", output_stream="file:///no/such/folder/file")
    Traceback (most recent call last):
    minigrad.errors.NotFoundError: /no/such/folder/file; No such file or directory [Op:PrintV2] name:
    """


class OutOfRangeError(OpErrorWithCode, number=OUT_OF_RANGE):
    """An index or an iteration is beyond the end.

    >>> import minigrad as mg
    >>> mg.TensorArray(mg.float32, size=1).read(1)
    Traceback (most recent call last):
    minigrad.errors.OutOfRangeError: Tried to read from index 1 but array size is: 1
    """


class ResourceExhaustedError(OpErrorWithCode, number=RESOURCE_EXHAUSTED):
    """A resource is used up, such as the capacity of a queue.

    >>> import minigrad as mg
    >>> queue = mg.queue.FIFOQueue(1, mg.float32)
    >>> queue.enqueue(1.0)
    >>> queue.enqueue(2.0)
    Traceback (most recent call last):
    minigrad.errors.ResourceExhaustedError: FIFOQueue 'fifo_queue' is full (capacity 1). ...
    """


class UnimplementedError(OpErrorWithCode, number=UNIMPLEMENTED):
    """TensorFlow supports this, but minigrad does not, or not for this dtype.

    >>> import minigrad as mg
    >>> mg.cast("one", mg.int32)
    Traceback (most recent call last):
    minigrad.errors.UnimplementedError: Cast string to int32 is not supported [Op:Cast] name:
    """


class UnknownError(OpErrorWithCode, number=UNKNOWN):
    """A function of the user raised an error.

    >>> import minigrad as mg
    >>> mg.py_function(lambda x: {}["key"], [1.0], mg.float32)
    Traceback (most recent call last):
    minigrad.errors.UnknownError: KeyError: 'key'
    """


def unwarned(function, *arguments, over="ignore"):
    """Call a function without NumPy's warnings of floating-point errors; `over` sets the treatment of overflow.

    It runs in a context of its own, which ends even if interrupted. (An interrupt inside `np.errstate` may leave the
    program without warnings for good, or with errors in their place.)
    """
    return contextvars.copy_context().run(without_warnings, over, function, arguments)


def without_warnings(over, function, arguments):
    """Call a function; NumPy stays silent in this context from here on."""
    np.seterr(all="ignore", over=over)
    return function(*arguments)


def visible(thing, most: "int | None" = 200) -> str:
    """Anything that comes from data (a name, a value, a line of code, an error) as text that is safe to show.

    Invisible characters, such as control characters, lone surrogates, and those that change the text direction, are
    escaped as in a repr. Safe text is unchanged, so this may be done twice.

    Args:
        thing: the object to show. If its `str` fails, its type is shown.
        most: the maximal number of characters to show; None for all.

    >>> print(visible("a\\x1b[31m"), visible("3.0"), visible("y" * 100, 8))
    a\\x1b[31m 3.0 yyyyy...
    """
    try:
        text = str.__str__(str(thing))  # a plain str, even from a subclass
    except Exception:
        text = object.__repr__(thing).partition(" at ")[0] + ">"
    if most is not None and len(text) > most:
        text = text[: most - 3] + "..."
    if not text.isprintable():
        text = text.translate(Escaped())
    return text


class Escaped(dict):
    """The code of a character -> the character; escaped as in a repr if it is invisible."""

    def __missing__(self, code):
        one = chr(code)
        self[code] = one = one if one.isprintable() else one.encode("unicode_escape").decode()
        return one


def visible_lines(text) -> str:
    """Like `visible`, for text of several lines, which stay lines."""
    return "\n".join(visible(line, None) for line in str(text).split("\n"))


def by_python(error):
    """Mark an error raised by TensorFlow's Python code, not by a kernel, so that the op does not append `[Op:...]`."""
    error.by_python = True
    return error


def from_python(error):
    """The error that TensorFlow raises for one in a Python function that it calls."""
    kinds = {
        (TypeError, ValueError): InvalidArgumentError,
        StopIteration: OutOfRangeError,
        MemoryError: ResourceExhaustedError,
        NotImplementedError: UnimplementedError,
    }
    kind = next((kind for known, kind in kinds.items() if isinstance(error, known)), UnknownError)
    made = kind(None, None, f"{type(error).__name__}: {visible(error, None)}")
    made.__cause__ = error
    return made


def invalid(message, op=None):
    """An InvalidArgumentError with this message; `op` is stored in it."""
    return InvalidArgumentError(None, op, message)


def by_kernel(kernel, message, kind=InvalidArgumentError):
    """An error raised by a TensorFlow kernel, whose name ends the message. (In an `@op`, the op appends its own.)"""
    return kind(None, None, f"{message} [Op:{kernel}] name: ")


def received(problem, kind=ValueError, /, **given):
    """An error that ends with the arguments received, like those of Keras: `Received: rate=2`."""
    values = ", ".join([f"{name}={visible(one)}" for name, one in given.items()])
    return kind(f"{problem} Received: {values}")
