"""The target does not depend on the source: None is right."""

import minigrad as mg

from . import program


@program("none", "broken", "STOPPED", "uses w without being given it", plain=("none", "independent", "UNUSED"))
def _what_a_function_with_its_own_gradient_may_have_used():
    """A custom gradient whose function takes w from outside: w moves the target, and must not be called unused."""
    x, w = mg.Variable(3.0), mg.constant(2.0)

    @mg.custom_gradient
    def scaled(v):
        return v * w, lambda dy: dy * w

    with mg.GradientTape() as tape:
        tape.watch(w)
        y = scaled(x)
    return tape.explain(y, w)


@program("none", "independent", "UNUSED", "not used since the tape was opened", plain=("none", "independent", "UNUSED"))
def _unused():
    """A Variable that no line reads: None must be called right, and no path be claimed lost."""
    x, w = mg.Variable(2.0), mg.Variable(5.0)
    with mg.GradientTape() as tape:
        y = x * x
    return tape.explain(y, w)


@program("none", "independent", "UNUSED", "hidden = b * 2.0", plain=("none", "independent", "UNUSED"))
def _dead_end():
    """A Variable used for a result that nobody uses: the line that uses it must be shown, and no path be claimed lost."""
    w, b = mg.Variable(2.0), mg.Variable(1.0)
    with mg.GradientTape() as tape:
        hidden = b * 2.0
        loss = w * w
    assert hidden is not None
    return tape.explain(loss, b)


@program("none", "independent", "UNUSED")
def _unused_layer():
    """A layer that is called only before the tape: its kernel must be called unused, and that call be no lost path."""
    used, unused = mg.keras.layers.Dense(2), mg.keras.layers.Dense(2)
    x = mg.constant([[1.0, 2.0]])
    unused(x)
    with mg.GradientTape() as tape:
        loss = mg.reduce_mean(used(x) ** 2)
    return tape.explain(loss, unused.kernel)


@program("none", "independent", "UNUSED", plain=("none", "independent", "UNUSED"))
def _two_networks_trained_together():
    """a once shaped b by training: the last block does not use a, and the earlier steps must not count as a path."""
    a, b = mg.Variable(1.0), mg.Variable(2.0)
    for _ in range(3):
        with mg.GradientTape() as tape:
            both = a * b
        da, db = tape.gradient(both, [a, b])
        a.assign_sub(0.1 * da)
        b.assign_sub(0.1 * db)
    with mg.GradientTape() as tape:
        alone = b * b
    return tape.explain(alone, a)


@program("none", "independent", "UNUSED", "ZERO shows this None as 0.0", plain=("none", "independent", "UNUSED"))
def _unused_shown_as_zero():
    """The 0.0 of unconnected_gradients="zero": it stands for None, and must not be called a flat slope."""
    x, w = mg.Variable(2.0), mg.Variable(5.0)
    with mg.GradientTape() as tape:
        y = x * x
    tape.gradient(y, w, unconnected_gradients="zero")
    return tape.explain(y, w, unconnected_gradients=mg.UnconnectedGradients.ZERO)


@program("none", "independent", "UNUSED", "UNUSED (tried)")
def _printed_after_the_target():
    """w printed after the target was computed: too late to matter, so unused must stay proved."""
    x, w = mg.Variable(2.0), mg.Variable(5.0)
    with mg.GradientTape() as tape:
        y = x * x
        float(w)
    return tape.explain(y, w)


@program("none", "independent", "UNUSED", plain=("none", "broken", "UNWATCHED"))
def _a_copy_of_what_is_not_used():
    """A tensor copied from an unused Variable: it must not be told to ask for the Variable, which would give None too."""
    x, w = mg.Variable([1.0, 2.0]), mg.Variable(3.0)
    copy = mg.convert_to_tensor(x)
    with mg.GradientTape() as tape:
        y = w * w
    return tape.explain(y, copy)


@program("none", "independent", "UNUSED")
def _variables_made_on_one_line():
    """Variables made by one line in a loop: the third must not be called a replacement of the first two."""
    ws = []
    for k in range(3):
        w = mg.Variable(float(k + 1))
        ws.append(w)
    with mg.GradientTape() as tape:
        y = ws[0] * ws[1]
    return tape.explain(y, ws[2])


@program("none", "independent", "UNUSED")
def _variables_of_a_factory():
    """Two Variables from one function: b must not be taken for a newer a, although the same line made both."""

    def make():
        w = mg.Variable(1.0)
        return w  # noqa: RET504 - this is how people write it

    a, b = make(), make()
    with mg.GradientTape() as tape:
        y = a * a
    return tape.explain(y, b)


@program("none", "independent", "UNUSED")
def _variables_of_a_class():
    """Attributes of two objects made by one __init__: b.w must not be taken for a renewed a.w."""

    class Part:
        def __init__(self):
            w = mg.Variable(1.0)
            self.w = w

    a, b = Part(), Part()
    with mg.GradientTape() as tape:
        y = a.w * a.w
    return tape.explain(y, b.w)
