"""Measures a slope by calling a function twice, and shows it beside the slope from a tape."""

import minigrad as mg

from .trying import Stopped, never_raises, outcome


@never_raises
def audit(f, x, h=0.01):
    """Print the slope of f at x from a tape, and the slope measured with steps of length h.

    Args:
        f: takes a scalar Tensor and returns one.
        x: the point, a float.
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
    """The slope of f at x from a tape, and the measured one."""
    here = mg.constant(x, mg.float32)
    if here.shape.rank:
        raise ValueError(f"audit needs one number to stand at, as in audit(f, 2.0), and was given {here.shape.num_elements()}")
    with mg.GradientTape() as tape:
        tape.watch(here)
        y = f(here)
    rise = float(f(mg.constant(x + h, mg.float32))) - float(f(mg.constant(x - h, mg.float32)))
    return tape.gradient(y, here), rise / (2.0 * h)
