"""A first derivative that this tape has not recorded, or that does not depend on the source any more."""

import minigrad as mg

from . import program


@program("none", "broken", "FIRST_ORDER_ONLY", "slope = inner.gradient(y, x)")
def _slope_outside_the_outer_tape():
    """The inner gradient taken below both blocks: the fix must be to move that line, since x does matter."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as outer, mg.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)
    return outer.explain(slope, x)


@program("none", "independent", "FIRST_ORDER_ONLY", "linear")
def _second_derivative_of_a_line():
    """The second derivative of a straight line: the None is right, and nothing must be told to move."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = x * 4.0
        slope = inner.gradient(y, x)
    return outer.explain(slope, x)
