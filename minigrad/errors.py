"""The errors that ops raise, under TensorFlow's names (`mg.errors`).

An op that is given something it cannot use raises one of these. The message says what happened
and ends with the op's name in TensorFlow, as in `[Op:MatMul]`.
"""


class OpError(Exception):
    """The base class: an op could not do its work.

    >>> import minigrad as mg
    >>> try:
    ...     mg.constant([1.0, 2.0]) + mg.constant([1.0, 2.0, 3.0])
    ... except mg.errors.OpError as error:
    ...     print(error.message)
    Incompatible shapes: [2] vs. [3] [Op:AddV2] name:
    """

    def __init__(self, node_def: object, op: object, message: str):
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message.rstrip()


class InvalidArgumentError(OpError):
    """An argument has a shape, a dtype or a value that the op cannot use."""


class CancelledError(OpError):
    """What the op works on was closed."""


class FailedPreconditionError(OpError):
    """The state that the op needs is not there."""


class InternalError(OpError):
    """The engine met a state that it should never meet."""


class NotFoundError(OpError):
    """Something that was named does not exist."""


class OutOfRangeError(OpError):
    """An iteration went past the end."""


class ResourceExhaustedError(OpError):
    """Something is used up, or full."""


class UnimplementedError(OpError):
    """TensorFlow knows this, and minigrad (or this dtype) does not."""


def from_python(error):
    """Mark an error that TensorFlow's Python raises, not its kernel: it leaves the op as it is, without `[Op:...]`."""
    error.from_python = True
    return error
