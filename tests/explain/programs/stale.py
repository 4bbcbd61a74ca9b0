"""The source was assigned after the tape had read it."""

import minigrad as mg

from . import program


@program(
    "complete",
    "",
    "STALE",
    "is the slope at x = 3.0; x is 2.4 now",
    "x.assign_sub(0.1 * first)",
    "version 0",
    "version 1",
    plain=("untried", "", "STALE"),
)
def _old_tape():
    """A persistent tape asked again after a step: both lines and both versions must be shown, since 6.0 is old."""
    x = mg.Variable(3.0, name="x")
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
    first = tape.gradient(y, x)
    x.assign_sub(0.1 * first)
    tape.gradient(y, x)
    return tape.explain(y, x)


@program("complete", "", "STALE")
def _tape_outside_the_loop():
    """A tape opened once above a training loop: after its steps the slope is old, and must not pass for the present one."""
    x = mg.Variable(3.0)
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
    for _ in range(2):
        x.assign_sub(0.1 * tape.gradient(y, x))
    tape.gradient(y, x)
    return tape.explain(y, x)


@program("complete", "", "STALE", plain=("untried", "", "STALE"))
def _assigned_before_the_question():
    """A Variable assigned between block and question: the slope must be called old, although nobody has asked before."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    x.assign(5.0)
    return tape.explain(y, x)
