"""The target has several elements, and the gradient is that of their sum."""

import minigrad as mg

from . import program


@program("complete", "", "SUMMED", "y has 2 elements", "tape.jacobian(y, x)", plain=("untried", "", "SUMMED"))
def _vector_target():
    """A target with two elements and a single source: the 7.0 is a sum, and must not pass for a derivative of one."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x * [3.0, 4.0]
    return tape.explain(y, x)


@program("complete", "", "SUMMED", "2 targets", plain=("untried", "", "SUMMED"))
def _list_of_targets():
    """Two targets in a list: their slopes are added, and the answer must say of how many."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        a, b = x * x, 1.0 / x
    return tape.explain([a, b], x)


@program("complete", "", "SUMMED")
def _matrix_times_vector():
    """A matrix product whose result has the shape of x: equal shapes must not hide that each element is a sum."""
    m = mg.constant([[1.0, 2.0], [3.0, 4.0]])
    x = mg.Variable([[1.0], [2.0]])
    with mg.GradientTape() as tape:
        y = m @ x
    return tape.explain(y, x)
