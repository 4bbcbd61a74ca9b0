"""The source decides what is computed, and its value goes into nothing."""

import minigrad as mg

from . import program


@program("none", "independent", "ONLY_DECIDES", "if x > 0.0")
def _if():
    """An if on x: reading x to decide must not count as a lost path, and the line of the if must be shown."""
    x, w = mg.Variable(1.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = w * 1.0
        if x > 0.0:
            y = y * 3.0
    return tape.explain(y, x)


@program("none", "independent", "ONLY_DECIDES")
def _float_in_a_condition():
    """float(x) in a conditional expression: it decides, so it must not be called a number that left."""
    x, w = mg.Variable(1.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = w * 3.0 if float(x) > 0.5 else w * 5.0
    return tape.explain(y, x)


@program("none", "independent", "ONLY_DECIDES")
def _number_of_turns():
    """range(int(n)): how often a loop runs depends on n by jumps, and must not be called broken or unused."""
    n, w = mg.Variable(3.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = w * 1.0
        for _ in range(int(n)):
            y = y * w
    return tape.explain(y, n)


@program("none", "independent", "ONLY_DECIDES", "height = float(x) * height")
def _number_of_turns_until_a_float_is_small():
    """A float that is computed with before it decides: small nudges change nothing, and x must not be called unused."""
    x, w, height = mg.Variable(0.8), mg.Variable(2.0), 1.0
    with mg.GradientTape() as tape:
        y = w * 1.0
        while height > 0.05:
            height = float(x) * height
            y = y + w
    return tape.explain(y, x)


@program("none", "independent", "ONLY_DECIDES NO_DERIVATIVE")
def _where_chooses():
    """mg.where with x only in its condition: the choice must be named first, and the comparison after it."""
    x, a, b = mg.Variable(1.0), mg.Variable(2.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = mg.where(x > 0.0, a, b)
    return tape.explain(y, x)


@program("none", "independent", "ONLY_DECIDES")
def _cond():
    """mg.cond on x: a decision inside a call of the library must count like an if."""
    x, w = mg.Variable(1.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.cond(x > 0.0, lambda: w * 3.0, lambda: w * 5.0)
    return tape.explain(y, x)


@program("none", "independent", "UNUSED")
def _a_whole_number_and_a_truth_that_decide_nothing():
    """int(x) and bool(x > 1) that nobody asks again: nothing has shown that they decide anything."""
    x, w = mg.Variable(3.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        _ = int(x), bool(x > 1.0)
        y = w * 2.0
    return tape.explain(y, x)


@program("none", "independent", "ONLY_DECIDES", "n left through int here")
def _integer_of_a_tensor():
    """int(n) that becomes a float again: the target moves with n, by jumps, and n must not be called unused."""
    n, w = mg.Variable(3.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        k = int(n)
        y = w * float(k)
    return tape.explain(y, n)


@program("none", "independent", "ONLY_DECIDES", "x left through int here", "by jumps alone")
def _a_whole_number_that_is_cast_back():
    """int(x), made a float later: a staircase."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = mg.cast(mg.constant(int(x)), mg.float32) * 2.0
    return tape.explain(y, x)
