"""The path is cut on purpose, or by a function that has its own gradient."""

import minigrad as mg

from . import program
from .shared import squared_error


@program("none", "broken", "STOPPED", "uses w without being given it", "give w to mg.py_function")
def _a_weight_that_a_function_of_python_was_not_given():
    """A py_function that takes w from outside: w must not be called unused, but as not given to it."""
    x, w = mg.Variable(3.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.py_function(lambda v: v * w, [x], mg.float32)
    return tape.explain(y, w)


@program("none", "broken", "STOPPED", "move the call of squared_error out of stop_recording()")
def _a_helper_that_was_not_recorded():
    """A helper called inside stop_recording(): the call must be what is to be moved, and not a line in the helper."""
    w = mg.Variable([0.5, 1.5])
    with mg.GradientTape() as tape:
        with tape.stop_recording():
            loss = squared_error(w)
        y = loss * 2.0
    return tape.explain(y, w)


@program("none", "broken", "STOPPED", "stop_gradient")
def _stop_gradient():
    """mg.stop_gradient on the only path: it must be named as the cause, and as done on purpose."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = mg.stop_gradient(x * x)
    return tape.explain(y, x)


@program("complete", "", "STOPPED", "COMPLETE, but STOPPED")
def _stop_gradient_beside_a_live_path():
    """mg.stop_gradient beside a live path: it is meant, so the derivative must not be called partial."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = mg.stop_gradient(x) * x
    return tape.explain(y, x)


@program("none", "broken", "STOPPED", "stop_recording()")
def _stop_recording():
    """A product inside stop_recording(): it must not be described as an op after the block."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            z = y * y
    return tape.explain(z, x)


@program("none", "broken", "STOPPED", "reset")
def _reset():
    """A tape that was reset: the op that it has forgotten must be named, and y must not be called unused."""
    x, y = mg.Variable(2.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y_sq = y**2
        tape.reset()
        z = x**2 + y_sq
    return tape.explain(z, y)


@program("partial", "", "STOPPED", "tape.reset()")
def _reset_midway():
    """A reset between two uses of x: the half that was forgotten must be counted as lost."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
        tape.reset()
        z = y + x
    return tape.explain(z, x)


@program("none", "broken", "STOPPED", "returned None")
def _custom_gradient_of_none():
    """A custom gradient that returns None: its function must be named, and x must not be called unused."""

    @mg.custom_gradient
    def silent(x):
        return x * 2.0, lambda dy: None

    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = silent(x)
    return tape.explain(y, x)
