"""Memory for time: a function that runs again when its gradient is asked for, instead of being kept by the tape."""

import functools

from .. import nest
from ..engine.custom import Decorated, custom_gradient
from ..engine.listening import without_tapes
from ..engine.op import OPS
from ..engine.tape import GradientTape, UnconnectedGradients


def recompute_grad(f):
    """Decorate a function so that tapes keep no step of it: it runs again when its gradient is asked for.

    It saves the memory of what lies between its arguments and its result, and takes the time of another run.

    Args:
        f: a function of Tensors in any nest; what is given by name is a setting. Variables it reads have gradients too.

    Returns:
        A function with the same results and the same first gradients.

    Raises:
        NotImplementedError: (in `tape.gradient`) it is differentiated twice.

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
    """A function that runs again for its gradient."""

    def __call__(self, *args, **kwargs):
        return Decorated(functools.partial(with_second_run, self.f))(*args, **kwargs)


def with_second_run(f, *args, **kwargs):
    """The result of a function that no tape hears, and the gradient that comes from a second run of it."""
    with without_tapes():
        result = f(*args, **kwargs)

    def grad(*dys, variables=()):
        @custom_gradient
        def second_run(*dys_and_inputs):
            with GradientTape() as tape:
                copies = nest.map_structure(OPS["identity"], args)
                leaves = nest.flatten(copies)
                tape.watch([x for x in leaves if x.value.dtype.kind in "fc"])
                y = f(*copies, **kwargs)
            seeds = nest.pack_sequence_as(y, dys)
            return tape.gradient(y, [*leaves, *variables], seeds, UnconnectedGradients.ZERO), third_run

        def third_run(*_, **__):
            raise NotImplementedError(
                f"recompute_grad tried to transpose grad of {getattr(f, '__name__', f)}. Consider not using recompute_grad in forward "
                "mode autodiff; it has no second derivative."
            )

        inputs = nest.flatten(args) if variables else []  # else a tape that hears this would follow the Variables alone
        found = second_run(*dys, *inputs)
        count = len(found) - len(variables)
        return (found[:count], found[count:]) if variables else found

    return result, grad
