"""An op on the path runs before the tape's block, after it, or where no tape records it."""

import minigrad as mg

from . import program
from .shared import reversed_gradient, squared_error


@program("none", "broken", "OUTSIDE_TAPE")
def _used_before_the_tape_of_a_function_with_its_own_gradient():
    """w used before the block, then a custom gradient: the line before the block must be blamed, and not the custom gradient."""
    w = mg.Variable(2.0)
    z = w * 3.0
    with mg.GradientTape() as tape:
        tape.watch(z)
        y = reversed_gradient(z)
    return tape.explain(y, w)


@program(
    "none", "broken", "OUTSIDE_TAPE", "reduce_sum ran after the tape's block had ended", "tape.explain(mg.reduce_sum(y), x)",
    plain=("none", "broken", "OUTSIDE_TAPE"),
)  # fmt: skip
def _thread_115116():
    """The sum stands in the question itself, after the block: that op alone must be named, and not the where inside the block."""
    x = mg.constant([-1.0, 2.0, -3.0])
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.where(x > 0.0, x**2, 2.0 * x) + mg.where(x < 0.0, -x, x)
    return tape.explain(mg.reduce_sum(y), x)


@program("none", "broken", "OUTSIDE_TAPE", "loss = mg.reduce_mean(y)", plain=("none", "broken", "OUTSIDE_TAPE"))
def _loss_after_the_block():
    """A loss computed after the block, the tape asked in vain: the answer must not stop at the tape being used up."""
    w = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = w * w
    loss = mg.reduce_mean(y)
    tape.gradient(loss, w)
    return tape.explain(loss, w)


@program("none", "broken", "OUTSIDE_TAPE", "before the tape's block began")
def _input_before_the_block():
    """A square computed before the block: x does matter, so it must not be called unused."""
    x = mg.Variable(3.0)
    h = x * x
    with mg.GradientTape() as tape:
        y = h * 2.0
    return tape.explain(y, x)


@program("none", "broken", "OUTSIDE_TAPE", plain=("none", "broken", "OUTSIDE_TAPE"))
def _slice_after_the_block():
    """y[0] taken after the block: a mere index is an op too, and must be named as what the tape has not recorded."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = x * x
    return tape.explain(y[0], x)


@program("none", "broken", "OUTSIDE_TAPE", "never entered", plain=("none", "broken", "OUTSIDE_TAPE"))
def _never_entered():
    """A tape that was made and never entered: the answer must say so, and not look for a line to indent."""
    x = mg.Variable(3.0)
    return mg.GradientTape().explain(x * x, x)


@program("complete", "", "", "computed from x before the tape: square = x * x", plain=("untried", "", ""))
def _half_before_the_block():
    """A square from before the block plus x inside it: it is a constant to the tape, which is no fault and worth a hint."""
    x = mg.Variable(3.0)
    square = x * x
    with mg.GradientTape() as tape:
        y = square + x
    return tape.explain(y, x)


@program("none", "broken", "OUTSIDE_TAPE", "move the call of squared_error into the `with` block")
def _a_helper_before_the_block():
    """A helper called before the block: the call must be what is to be moved, and not a line inside the helper."""
    w = mg.Variable([0.5, 1.5])
    loss = squared_error(w)
    with mg.GradientTape() as tape:
        y = loss * 2.0
    return tape.explain(y, w)


@program("none", "broken", "OUTSIDE_TAPE", "line   y = mg.reduce_mean((w2 - 1.0) ** 2)", "indent this line into the `with` block")
def _a_line_below_the_block_of_a_helper():
    """A tape opened in a helper, and a line after its return: that line must be moved, and not the call of a function."""

    def forward(w):
        with mg.GradientTape() as tape:
            w2 = w * 2.0
        return tape, w2

    w = mg.Variable([0.5, 1.5])
    tape, w2 = forward(w)
    y = mg.reduce_mean((w2 - 1.0) ** 2)
    return tape.explain(y, w)


@program("none", "broken", "OUTSIDE_TAPE SPENT_TAPE", "dz/dx raises RuntimeError", "line   z = -y", plain=("none", "broken", "SPENT_TAPE"))
def _question_about_what_came_after_the_first():
    """An op after the block and after a first question: both faults must be named, the op before the used-up tape."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    z = -y
    return tape.explain(z, x)
