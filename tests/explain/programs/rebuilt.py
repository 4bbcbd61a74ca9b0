"""A new Variable is made of a tensor."""

import minigrad as mg

from . import program


@program("none", "broken", "REBUILT", "x * x", "(proved)")
def _variable_of_a_tensor():
    """A new Variable made of a tensor inside the block: it must be named as rebuilt, and not as an assignment."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        v = mg.Variable(x * x)
        y = v * 2.0
    return tape.explain(y, x)


@program("partial", "", "REBUILT")
def _variable_of_a_variable():
    """A Variable made of another one, beside a live path: its share of the derivative must be named as missing."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        copy = mg.Variable(x)
        y = copy * x
    return tape.explain(y, x)
