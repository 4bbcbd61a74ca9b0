"""The errors that ops raise, under TensorFlow's names (`mg.errors`).

An op that is given something it cannot use raises one of these. The message says what happened
and ends with the op's name in TensorFlow, as in `[Op:MatMul]`.
"""

__all__ = [
    "ABORTED", "ALREADY_EXISTS", "CANCELLED", "DATA_LOSS", "DEADLINE_EXCEEDED", "FAILED_PRECONDITION", "INTERNAL",
    "INVALID_ARGUMENT", "NOT_FOUND", "OK", "OUT_OF_RANGE", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "UNAUTHENTICATED",
    "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN", "CancelledError", "DataLossError", "FailedPreconditionError",
    "InternalError", "InvalidArgumentError", "NotFoundError", "OpError", "OutOfRangeError", "ResourceExhaustedError",
    "UnimplementedError", "UnknownError",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers

# TensorFlow's numbers for what can happen: the `error_code` of an error.
OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED = range(8)
RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = range(8, 15)
DATA_LOSS, UNAUTHENTICATED = 15, 16


class OpError(Exception):
    """The base class: an op could not do its work.

    Args:
        node_def, op: kept, as in TensorFlow.
        message: what happened; `str(error)` is the same.
        error_code: one of the numbers of `mg.errors`. The classes below know theirs, and do not take it.
        *payloads: if there are any, the first is kept as `experimental_payloads`.

    >>> import minigrad as mg
    >>> try:
    ...     mg.constant([1.0, 2.0]) + mg.constant([1.0, 2.0, 3.0])
    ... except mg.errors.OpError as error:
    ...     print(error.message, error.error_code == mg.errors.INVALID_ARGUMENT)
    Incompatible shapes: [2] vs. [3] [Op:AddV2] name:  True
    """

    def __init__(self, node_def: object, op: object, message: str, error_code: int, *payloads: object):
        super().__init__()
        self.node_def = node_def
        self.op = op
        self.message = message
        self.error_code = error_code
        self.experimental_payloads = payloads[0] if payloads else {}

    def __str__(self):
        return self.message

    def __reduce__(self):  # Exception's own would make it anew from `args`, which are empty, as in TensorFlow
        return self.__class__.__new__, (self.__class__,), {**vars(self), "op": None}  # an op cannot leave its process


class Numbered(OpError):
    """An error whose class knows its number."""

    number: int

    def __init__(self, node_def: object, op: object, message: str, *payloads: object):
        super().__init__(node_def, op, message, self.number, *payloads)


class InvalidArgumentError(Numbered):
    """An argument has a shape, a dtype or a value that the op cannot use."""

    number = INVALID_ARGUMENT


class CancelledError(Numbered):
    """What the op works on was closed."""

    number = CANCELLED


class DataLossError(Numbered):
    """Something would be lost, such as the end of a row."""

    number = DATA_LOSS


class FailedPreconditionError(Numbered):
    """The state that the op needs is not there."""

    number = FAILED_PRECONDITION


class InternalError(Numbered):
    """The engine met a state that it should never meet."""

    number = INTERNAL


class NotFoundError(Numbered):
    """Something that was named does not exist."""

    number = NOT_FOUND


class OutOfRangeError(Numbered):
    """An iteration went past the end."""

    number = OUT_OF_RANGE


class ResourceExhaustedError(Numbered):
    """Something is used up, or full."""

    number = RESOURCE_EXHAUSTED


class UnimplementedError(Numbered):
    """TensorFlow knows this, and minigrad (or this dtype) does not."""

    number = UNIMPLEMENTED


class UnknownError(Numbered):
    """A function of the user raised an error of its own."""

    number = UNKNOWN


def from_python(error):
    """Mark an error that TensorFlow's Python raises, not its kernel: it leaves the op as it is, without `[Op:...]`."""
    error.from_python = True
    return error


def invalid(message, op=None):
    """The error of an op that cannot use what it was given; `op`, if there is one, is kept in it."""
    return InvalidArgumentError(None, op, message)
