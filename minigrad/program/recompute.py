"""tf.recompute_grad: a function that the backward pass runs again, so that the tape need not store its steps."""

import functools

from .. import nest
from ..engine import without_tapes
from ..engine.custom import Decorated, custom_gradient
from ..engine.operands import OPS
from ..engine.tape import GradientTape, UnconnectedGradients


def recompute_grad(f) -> "Recomputed":
    """Decorate a function so that tapes store none of its steps: the backward pass runs it again (Chen et al., 2016).

    This saves the memory for its intermediate results at the cost of another run.

    Args:
        f: a function of Tensors, in any nest; keyword arguments have no gradient. The Variables that it reads do.

    Returns:
        A function with the same results and the same first derivatives.

    Raises:
        NotImplementedError: (in `tape.gradient`) for a second derivative.

    >>> import minigrad as mg
    >>> @mg.recompute_grad
    ... def block(x):
    ...     for _ in range(100):
    ...         x = mg.sin(x)
    ...     return x
    >>> x = mg.Variable(1.5)
    >>> with mg.GradientTape() as tape:
    ...     y = block(x)
    >>> print(tape.gradient(y, x).numpy().round(6))
    0.000268
    """
    return Recomputed(f)


class Recomputed(Decorated):
    """A function decorated by `recompute_grad`."""

    def recompute_grad(self, *args, **kwargs):
        return Decorated(functools.partial(recomputed, self.f))(*args, **kwargs)

    __call__ = recompute_grad  # so that a trace finds the library function that was called by this name


def recomputed(f, *args, **kwargs):
    """The result of a function run without tapes, and a gradient function that reruns it on a tape."""
    with without_tapes():
        result = f(*args, **kwargs)

    def grad(*dys, variables=()):
        @custom_gradient
        def rerun(*dys_and_inputs):
            with GradientTape() as tape:
                copies = nest.map_structure(OPS["identity"], args)
                leaves = nest.flatten(copies)
                tape.watch([x for x in leaves if x.value.dtype.kind in "fc"])
                y = f(*copies, **kwargs)
            sources, upstream = [*leaves, *variables], nest.pack_sequence_as(y, dys)
            return tape.gradient(y, sources, upstream, UnconnectedGradients.ZERO), no_second_derivative

        def no_second_derivative(*_, **__):
            problem = f"recompute_grad tried to transpose grad of {getattr(f, '__name__', f)}."
            advice = "Consider not using recompute_grad in forward mode autodiff; it has no second derivative."
            raise NotImplementedError(f"{problem} {advice}")

        inputs = args if variables else ()  # so that a tape that records this also tracks them
        found = rerun(*dys, *inputs)
        count = len(found) - len(variables)
        return (found[:count], found[count:]) if variables else found

    return result, grad
