"""Gradients written by the user: `custom_gradient`, `RegisterGradient`, and ops whose gradient users register."""

import functools
import inspect
from collections.abc import Callable, Sequence

from .. import nest
from ..later import load_all
from .listening import Exit, Listener, end, listening
from .op import KERNELS, op
from .operands import OPS, convert
from .rules import Batched, NoBatch, Recorded, as_recorded, no_unbroadcast
from .tensor import Tensor

# ---- a function with a gradient of its own -------------------------------------------------------------------------


def custom_gradient(f=None) -> Callable:
    """Decorate a function that defines its own gradient.

    Args:
        f: returns a pair `(y, grad)`. `grad(dy)` receives the upstream gradient of y (one argument for each Tensor in
            y, if y is a nest) and returns the gradient for each argument of f: a Tensor, or None. Keyword arguments of
            f are settings, without a gradient. If f reads Variables that are not its arguments, `grad` needs a keyword
            argument `variables`, and returns a pair: the gradients for the arguments, and a list of those for the
            Variables.

    Returns:
        A function that returns y alone. `grad` is recorded by outer tapes, so higher derivatives work too.

    Raises:
        TypeError: f reads Variables and `grad` takes no `variables`.
        ValueError: (in `tape.gradient`) `grad` returned too few gradients, or too many.

    >>> import minigrad as mg
    >>> @mg.custom_gradient
    ... def clipped(x):
    ...     return x, lambda dy: mg.clip_by_value(dy, -1.0, 1.0)
    >>> x = mg.Variable(2.0)
    >>> with mg.GradientTape() as tape:
    ...     y = clipped(x) * 10.0
    >>> print(tape.gradient(y, x).numpy())
    1.0
    """
    return custom_gradient if f is None else Decorated(f)


class Decorated:
    """A function that defines its own gradient. In a class it becomes a method, as other functions do."""

    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f

    def __get__(self, instance, owner=None):
        return self if instance is None else type(self)(self.f.__get__(instance, owner))

    def __call__(self, *args, **kwargs):
        with Reads() as reads:
            y, grad = self.f(*args, **kwargs)
        if not callable(grad):
            problem = "unsupported callable: a custom gradient returns `(y, grad)`,"
            raise TypeError(f"{problem} and this `grad` is {grad!r}, no function.")
        leaves, named = nest.flatten(args), nest.flatten(kwargs) if kwargs else []
        variables = [v for v in reads.variables if not any([v is leaf for leaf in [*leaves, *named]])]
        if variables and not accepts_variables(grad):
            problem = "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses"
            advice = "Write `def grad(dy, variables=None)` and return `(dx, [dv for each variable])`."
            raise TypeError(f"{problem} variables: {variables}. {advice}")
        backward = UserGradient(grad, len(leaves), variables)
        inputs, results = [convert(x) for x in leaves] + variables, [convert(result) for result in nest.flatten(y)]
        if follows(results) and not follows(inputs):  # then a tape knows the result only by the ops inside
            return nest.pack_sequence_as(y, [OPS["identity"](result) for result in results])
        return nest.pack_sequence_as(y, with_gradient(inputs, results, backward))


def follows(tensors) -> bool:
    """Does a tape follow one of these?"""
    return any([x.id in tape.tracked_ids for tape in listening.now if tape.tracked_ids is not None for x in tensors])


def accepts_variables(function) -> bool:
    """Does the function have a parameter `variables`, or accept any keyword?"""
    parameters = inspect.signature(function).parameters
    return "variables" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


class Reads(Listener):
    """Listens for the Variables that a function reads or assigns."""

    def __init__(self):
        self.variables = []

    def __enter__(self):
        self.start()
        return self

    @Exit
    def __exit__(self, here, *error):
        end(here, self)
        here["blocks"].pop(self, None)

    def read(self, variable):
        if variable.trainable and not any([variable is other for other in self.variables]):
            self.variables.append(variable)

    def wrote(self, variable, given, how):
        if how != "Variable":
            self.read(variable)


class UserGradient:
    """The user's `grad`, called once for all inputs, although the backward pass asks for one input at a time."""

    def __init__(self, grad, arguments, variables):
        self.grad, self.arguments, self.variables = grad, arguments, variables
        self.dys, self.gradients = None, None

    def __call__(self, dys, k):
        if self.dys is not dys:
            self.dys, self.gradients = dys, on_tensors(self.all_gradients, dys)
        return self.gradients[k]

    def all_gradients(self, *dys):
        if self.variables:
            inputs, variables = self.grad(*dys, variables=self.variables)
        else:
            inputs, variables = self.grad(*dys), []
        inputs = [inputs] if isinstance(inputs, Tensor) or inputs is None else nest.flatten(inputs)
        if len(inputs) != self.arguments:
            problem = f"custom_gradient function expected to return {self.arguments} gradients,"
            raise ValueError(f"{problem} but returned {len(inputs)} instead.")
        if len(variables) != len(self.variables):
            problem = "Must return gradient for each variable from @custom_gradient grad_fn:"
            raise ValueError(f"{problem} there are {len(self.variables)}, and {len(variables)} came back.")
        return [*inputs, *variables]


@op("CustomGradient", dinputs=no_unbroadcast(lambda dys, k, backward: backward(dys, k)),
    math="what its own gradient function returns")  # fmt: skip
def with_gradient(inputs: tuple, results: Sequence, backward: Callable) -> list:
    """The `results` of a decorated function, with its own gradient in place of theirs.

    >>> import minigrad as mg
    >>> double = mg.custom_gradient(lambda x: (2.0 * x, lambda dy: 2.0 * dy))
    >>> print(double(mg.constant(3.0)).numpy())
    6.0
    """
    return [result.value for result in results]


def on_tensors(function, arguments):
    """Call a function written in ops from inside a VJP: it receives Tensors, and its results are unwrapped."""
    if any(isinstance(one, Batched) for one in arguments):
        raise NoBatch(function.__name__)
    recorded = any(isinstance(one, Recorded) for one in arguments)
    results = function(*[one.public() if isinstance(one, Recorded) else Tensor.of(one) for one in arguments])
    return [for_vjp(result, recorded) for result in results]


def for_vjp(result, recorded):
    """The result of a function of ops, as a VJP returns it."""
    if result is None:
        return None
    tensor = convert(result)
    return as_recorded(tensor) if recorded else tensor.value


def grad_pass_through(f) -> Callable:
    """Decorate a function so that its derivative is taken to be 1: the upstream gradient passes through unchanged.

    >>> import minigrad as mg
    >>> x = mg.Variable(2.6)
    >>> with mg.GradientTape() as tape:
    ...     y = mg.grad_pass_through(mg.round)(x) * 2.0
    >>> print(y.numpy(), tape.gradient(y, x).numpy())
    6.0 2.0
    """

    @custom_gradient
    @functools.wraps(f)
    def decorated(*args, **kwargs):
        def grad(*dys, variables=None):
            gradients = list(dys) if len(dys) > 1 else dys[0]
            return (gradients, [None] * len(variables)) if variables else gradients

        return f(*args, **kwargs), grad

    return decorated


# ---- ops whose gradient is to be registered ------------------------------------------------------------------------

GRADIENTS = {}  # TensorFlow's name of an op -> the function that the user registered
UNREGISTERED = set()  # the names of the ops that have no gradient until then


class RegisterGradient:
    """Decorate a function to register it as the gradient of an op that has none.

    Args:
        op_type: the op's name in TensorFlow, such as "AdjustContrastv2"; the LookupError names it.

    The function takes `(op, *dys)`: `op.inputs` and `op.outputs` are lists of Tensors, and there is one dy for each
    output. It returns one gradient for each input: a Tensor, or None.

    Raises:
        TypeError: `op_type` is not a string.
        KeyError: the op already has a gradient.

    >>> import minigrad as mg
    >>> @mg.RegisterGradient("Sin")
    ... def slope(op, dy):
    ...     return dy * mg.cos(op.inputs[0])
    Traceback (most recent call last):
    KeyError: "Registering two gradient with name 'Sin'! (Previous registration was in minigrad.math.elementwise)"
    """

    def __init__(self, op_type: str):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f):
        if self._op_type not in KERNELS:
            load_all()
        known = self._op_type in KERNELS and self._op_type not in UNREGISTERED
        if known or self._op_type in GRADIENTS:
            where = (GRADIENTS.get(self._op_type) or KERNELS.get(self._op_type)).__module__
            problem = f"Registering two gradient with name {self._op_type!r}!"
            raise KeyError(f"{problem} (Previous registration was in {where})")
        GRADIENTS[self._op_type] = f
        return f


class Operation:
    """The op that ran, as a registered gradient receives it."""

    def __init__(self, type, inputs, outputs):
        self.type, self.inputs, self.outputs = type, inputs, outputs
        self.name = type


def unregistered(kernel, output, *inputs):
    """The VJPs (and `math`) of an op without a gradient: they call the one that the user has registered by then."""
    UNREGISTERED.add(kernel)
    place = "lambda d{y}, {xs}, {y}: registered({kernel!r}, d{y}, ({xs},), {y}, {k})"
    return {
        f"d{x}": eval(place.format(y=output, xs=", ".join(inputs), kernel=kernel, k=k), {"registered": registered})
        for k, x in enumerate(inputs)
    } | {"math": "what the function registered by mg.RegisterGradient returns, or LookupError"}


def registered(kernel, dy, inputs, output, k):
    """The gradient for input k, by the function that the user registered.

    Raises:
        LookupError: no gradient is registered.
    """
    if kernel not in GRADIENTS:
        raise LookupError(f"gradient registry has no entry for: {kernel}")

    def function(dy, output, *inputs):
        gradients = GRADIENTS[kernel](Operation(kernel, list(inputs), [output]), dy)
        return list(gradients) if isinstance(gradients, (list, tuple)) else [gradients]

    return on_tensors(function, [dy, output, *inputs])[k]
