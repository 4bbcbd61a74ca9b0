"""The source is another object than the one that was used, often under the same name."""

import minigrad as mg

from . import program


@program("none", "broken", "REBOUND", "x = x + 1.0")
def _rebound():
    """x = x + 1.0 above the block: the answer must point to that line, and not only propose tape.watch."""
    x = mg.Variable(2.0)
    x = x + 1.0
    with mg.GradientTape() as tape:
        y = x * x
    return tape.explain(y, x)


@program("none", "broken", "REBOUND", "x = x + 1")
def _rebound_in_a_loop():
    """x = x + 1 at the end of a turn: from the second turn on x is a tensor, and that line must be named."""
    x = mg.Variable(2.0)
    for _epoch in range(2):
        with mg.GradientTape() as tape:
            y = x + 1
        found = tape.explain(y, x)
        x = x + 1
    return found


@program("none", "broken", "REBOUND")
def _step_without_assign():
    """A training step written w = w - ...: that line must be named, and not only that w is no longer watched."""
    w = mg.Variable(2.0)
    for _ in range(2):
        with mg.GradientTape() as tape:
            loss = w * w
        found = tape.explain(loss, w)
        slope = tape.gradient(loss, w)
        w = w - 0.1 * (slope if slope is not None else 0.0)
    return found


@program("none", "broken", "REBOUND", "ask for x itself", plain=("none", "broken", "UNWATCHED"))
def _a_copy_that_is_not_used():
    """A copy of x as the source, when x itself was used: the answer must say to ask for x, and not to watch the copy."""
    x = mg.Variable([1.0, 2.0])
    copy = mg.convert_to_tensor(x)
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x**2)
    return tape.explain(y, copy)


@program("none", "broken", "REBOUND", "ask for x itself")
def _a_part_of_a_part():
    """x[0][1] in the question: through two indices the answer must find that x was used."""
    x = mg.Variable([[1.0, 2.0]])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x**2)
    return tape.explain(y, x[0][1])


@program("none", "broken", "REBOUND", "x.assign_add(...), or ask for the Variable itself")
def _rebound_after_the_tape():
    """x = x + 1.0 below the block: the old x was used, and the new one must not be called unused."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x * x
    x = x + 1.0
    return tape.explain(y, x)


@program("none", "broken", "REBOUND", "= None", "ask for x itself", plain=("none", "broken", "REBOUND"))
def _part_as_a_source_of_a_tape_that_was_asked():
    """x[0] in both questions: each makes a new tensor, so the tape must not be called used up by another source."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x * x)
    assert tape.gradient(y, x[0]) is None
    return tape.explain(y, x[0])


@program("none", "broken", "REBOUND", plain=("none", "broken", "REBOUND"))
def _part_as_a_source():
    """x[0] in the question: it is made after the target, so it must not be proposed to watch it."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x * x)
    return tape.explain(y, x[0])


@program("none", "broken", "REBOUND", "(likely)")
def _made_anew_after_the_tape():
    """A new Variable under the old name: it must not be called unused, and can only be likely."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    x = mg.Variable(3.0)
    return tape.explain(y, x)
