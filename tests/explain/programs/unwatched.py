"""The source is not watched by the tape, or only after its first use."""

import minigrad as mg

from . import program
from .shared import squared_error


@program("none", "broken", "UNWATCHED", "add tape.watch(w) above the call of squared_error")
def _a_constant_that_is_given_to_a_helper():
    """A constant given to a helper: tape.watch must be put above the call, and not inside the helper."""
    w = mg.constant([0.5, 1.5])
    with mg.GradientTape() as tape:
        y = squared_error(w)
    return tape.explain(y, w)


@program("none", "broken", "UNWATCHED", "tape.watch(x) above y = x * x", plain=("none", "broken", "UNWATCHED"))
def _constant():
    """A constant as the source: x is used, so it must not be called unused, and the line for tape.watch must be named."""
    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    return tape.explain(y, x)


@program("partial", "", "UNWATCHED", "leaves out 1 of 2 paths", "move tape.watch(c) above square = c * c", "c -> multiply -> add -> y")
def _late_watch():
    """A constant watched after its first use: the half before the watch must be named, with the watch to be moved up."""
    c = mg.constant(3.0)
    with mg.GradientTape() as tape:
        square = c * c
        tape.watch(c)
        y = square + c
    return tape.explain(y, c)


@program("none", "broken", "UNWATCHED", "not trainable", plain=("none", "broken", "UNWATCHED"))
def _not_trainable():
    """A Variable with trainable=False: the answer must say why the tape ignores it, and not call it a Tensor."""
    x = mg.Variable(3.0, trainable=False)
    with mg.GradientTape() as tape:
        y = x * x
    return tape.explain(y, x)


@program("none", "broken", "UNWATCHED", "this tape does not watch Variables by itself", plain=("none", "broken", "UNWATCHED"))
def _watching_switched_off():
    """A tape with watch_accessed_variables=False: the tape must be named as the reason, and not the Variable."""
    x = mg.Variable(3.0)
    with mg.GradientTape(watch_accessed_variables=False) as tape:
        y = x * x
    return tape.explain(y, x)


@program("none", "broken", "UNWATCHED", plain=("none", "broken", "UNWATCHED"))
def _input_of_a_layer():
    """The input of a Keras layer: only its weights are watched by themselves, and the input must not be called unused."""
    layer = mg.keras.layers.Dense(1)
    x = mg.constant([[1.0, 2.0]])
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum(layer(x))
    return tape.explain(loss, x)


@program("none", "broken", "UNWATCHED")
def _watched_by_an_earlier_tape():
    """A constant that only the tape before this one watched: that watch must not count for this tape."""
    x = mg.constant(3.0)
    for _ in range(2):
        with mg.GradientTape() as tape:
            if _ == 0:
                tape.watch(x)
            y = x * x
    return tape.explain(y, x)
