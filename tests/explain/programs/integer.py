"""The path leads through integers, truth values or strings."""

import minigrad as mg

from . import program


@program("none", "undefined", "INTEGER", "int32", "10.0", plain=("none", "undefined", "INTEGER"))
def _integer_variable():
    """A Variable made of the int 10: its dtype must be named, and not x be called unused or unwatched."""
    x = mg.Variable(10)
    with mg.GradientTape() as tape:
        y = x * x
    return tape.explain(y, x)


@program("none", "undefined", "INTEGER", "multiply met truth values", "mg.cast(..., x.dtype)")
def _times_truth_values():
    """A float times truth values becomes integers: the product must be blamed, and not x, which is a float."""
    x = mg.Variable([3.0, 0.4])
    with mg.GradientTape() as tape:
        y = x * (x > 0)
    return tape.explain(y, x)


@program("none", "undefined", "INTEGER", plain=("none", "undefined", "INTEGER"))
def _integer_constant():
    """A watched integer that is cast to float later: the cast comes too late, and must not make the answer look past the dtype."""
    x = mg.constant([1, 2])
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.cast(x, mg.float32) * 2.0
    return tape.explain(y, x)


@program("none", "undefined", "INTEGER", "leave out this cast")
def _cast_midway():
    """A float cast to int32 and back: the first cast must be blamed, and the second not be seen as a repair."""
    x = mg.Variable(2.5)
    with mg.GradientTape() as tape:
        n = mg.cast(x, mg.int32)
        y = mg.cast(n, mg.float32) * 3.0
    return tape.explain(y, x)


@program("none", "undefined", "INTEGER", plain=("none", "undefined", "INTEGER"))
def _string_source():
    """A string as the source, which is not even used: that strings carry no gradient must be said first."""
    x = mg.constant("hello")
    with mg.GradientTape() as tape:
        y = mg.Variable(1.0) * 2.0
    return tape.explain(y, x)
