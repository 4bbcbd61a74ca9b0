"""Measures a slope by two calls of a function, and sets it beside the tape's."""

import minigrad as mg

from .trying import Stopped, never_raises, outcome


@never_raises
def audit(f, x, h=0.01):
    """Print the slope of f at x that a tape gives, and the one that two steps of length h measure.

    Args:
        f: takes a scalar Tensor and returns one.
        x: where, a float.
        h: how far to step to each side.
    """
    seen = outcome(slopes, f, x, h)
    if isinstance(seen, Stopped):
        print(f"audit: the function {seen}")
        return
    tape, measured = seen
    if tape is None:
        print(f"tape None   measured {measured:.3f}")
        return
    apart = abs(tape - measured)
    agree = apart <= 1e-3 * max(1.0, abs(measured))
    print(f"tape {tape:.3f}   measured {measured:.3f}   {'agree' if agree else f'differ by {apart:.3f}'}")


def slopes(f, x, h):
    """The tape's slope of f at x, and the measured one."""
    here = mg.constant(x, mg.float32)
    if here.shape.rank:
        raise ValueError(f"audit needs one number to stand at, as in audit(f, 2.0), and was given {here.shape.num_elements()}")
    with mg.GradientTape() as tape:
        tape.watch(here)
        y = f(here)
    rise = float(f(mg.constant(x + h, mg.float32))) - float(f(mg.constant(x - h, mg.float32)))
    return tape.gradient(y, here), rise / (2.0 * h)
