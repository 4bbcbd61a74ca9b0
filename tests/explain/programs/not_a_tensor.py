"""The target or the source is no tensor."""

import numpy as np

import minigrad as mg

from . import program


@program("none", "undefined", "NOT_A_TENSOR", "of type float", plain=("none", "undefined", "NOT_A_TENSOR"))
def _float_as_target():
    """float(x * x) as the target: the type must be named, and explain must not raise."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = float(x * x)
    return tape.explain(y, x)


@program("none", "undefined", "NOT_A_TENSOR", "None", plain=("none", "undefined", "NOT_A_TENSOR"))
def _none_as_target():
    """None as the target, as from a line whose result was not kept: it must be named, and no path be sought."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        x * x
    return tape.explain(None, x)


@program("none", "undefined", "NOT_A_TENSOR", plain=("none", "undefined", "NOT_A_TENSOR"))
def _array_as_source():
    """An array as the source: it must be told apart from a source that is not used."""
    x = np.array([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x)
    return tape.explain(y, x)
