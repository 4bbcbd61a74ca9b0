"""An op on the path has jumps and is flat between them."""

import minigrad as mg

from . import program


@program("none", "undefined", "NO_DERIVATIVE", "argmax", "softmax", plain=("none", "undefined", "INTEGER"))
def _argmax():
    """argmax as the target: with a trace the jump must be named, and not only that its result is an integer."""
    x = mg.Variable([1.0, 3.0])
    with mg.GradientTape() as tape:
        y = mg.argmax(x)
    return tape.explain(y, x)


@program("none", "undefined", "NO_DERIVATIVE", "fix    use mg.nn.softmax, a smooth choice", plain=("none", "undefined", "INTEGER"))
def _argmax_of_a_softmax():
    """argmax of a softmax: the advice must be the smooth choice."""
    x = mg.Variable([1.0, 3.0])
    with mg.GradientTape() as tape:
        p = mg.nn.softmax(x)
        y = mg.argmax(p)
    return tape.explain(y, x)


@program("none", "undefined", "NO_DERIVATIVE", "round")
def _round():
    """round on the path: x matters by jumps only, which must be called undefined, and neither broken nor unused."""
    x = mg.Variable([1.0, 3.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.round(x * 0.4))
    return tape.explain(y, x)


@program("none", "undefined", "NO_DERIVATIVE", "greater")
def _accuracy_as_loss():
    """An accuracy used as the loss: the comparison must be blamed, and not the cast of its truth values."""
    w = mg.Variable([0.2, 0.7])
    with mg.GradientTape() as tape:
        right = mg.cast(w > 0.5, mg.float32)
        loss = 1.0 - mg.reduce_mean(right)
    return tape.explain(loss, w)


@program("none", "undefined", "NO_DERIVATIVE", "one_hot", "argmax")
def _one_hot_of_argmax():
    """one_hot of argmax: of two such ops the first must be named, and the integers between them not as a cause of their own."""
    x = mg.Variable([[1.0, 3.0]])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.one_hot(mg.argmax(x, axis=1), 2))
    return tape.explain(y, x)


@program("none", "undefined", "NO_DERIVATIVE", "floordiv")
def _floor_division():
    """A floor division: it must not pass for a division, and / be proposed for //."""
    x = mg.Variable(7.0)
    with mg.GradientTape() as tape:
        y = x // 2.0
    return tape.explain(y, x)


@program("none", "undefined", "NO_DERIVATIVE", "searchsorted")
def _a_place_in_a_table():
    """Which row of a Variable is taken: the integers that say so lead to the target, and w must not be called unused."""
    w, table = mg.Variable([0.3, 2.0]), mg.Variable([1.0, 2.0, 3.0])
    with mg.GradientTape() as tape:
        place = mg.searchsorted([0.0, 1.0], w)
        y = mg.reduce_sum(mg.gather(table, place))
    return tape.explain(y, w)
