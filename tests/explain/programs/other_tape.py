"""An op on the path was recorded by another tape."""

import minigrad as mg

from . import program
from .shared import reversed_gradient


@program("none", "broken", "OTHER_TAPE")
def _used_on_the_tape_before_that_of_a_function_with_its_own_gradient():
    """w used on an earlier tape, then a custom gradient: the other tape must be blamed, and not the custom gradient."""
    w = mg.Variable(2.0)
    with mg.GradientTape():
        z = w * 3.0
    with mg.GradientTape() as tape:
        tape.watch(z)
        y = reversed_gradient(z)
    return tape.explain(y, w)


@program("none", "broken", "OTHER_TAPE", "recorded by another tape")
def _other_tape():
    """A target that another tape recorded: it must be told apart from one that no tape has heard."""
    x = mg.Variable(3.0)
    with mg.GradientTape():
        y = x * x
    with mg.GradientTape() as second:
        x * 2.0
    return second.explain(y, x)


@program("complete", "", "", "computed from w before the tape: u = mg.sin(w * t)", plain=("untried", "", ""))
def _a_tape_beside_the_inner_one():
    """Two tapes one after the other, instead of nested: what was computed before the outer one opened must be a hint."""
    w, t = mg.Variable(0.5), mg.constant([0.1, 0.5])
    with mg.GradientTape() as inner:
        inner.watch(t)
        u = mg.sin(w * t)
    with mg.GradientTape() as outer:
        slope = inner.gradient(u, t)
        loss = mg.reduce_mean((slope + w * 1.0) ** 2)
    return outer.explain(loss, w)


@program("none", "broken", "OTHER_TAPE", "w was read while another tape was open, and this one was not")
def _a_value_that_only_the_inner_tape_read():
    """An inner slope that holds the value of w: w is a Variable, so the cause must not be a missing watch."""
    w, t = mg.Variable(0.5), mg.constant([0.1, 0.5])
    with mg.GradientTape() as inner:
        inner.watch(t)
        u = w * t
    with mg.GradientTape() as outer:
        slope = inner.gradient(u, t)
    return outer.explain(slope, w)


@program("complete", "", "", "computed from x before the tape: y = y * x", plain=("untried", "", ""))
def _a_tape_for_each_turn():
    """A product that grows over iterations with a tape each: those before the last are constants to the last tape."""
    x, y = mg.Variable(2.0), mg.constant(1.0)
    for _ in range(2):
        with mg.GradientTape() as tape:
            y = y * x
    return tape.explain(y, x)
