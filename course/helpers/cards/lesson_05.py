"""The exercises of lesson 05, More than one number."""

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, pause, says, stops
from ..witness import asked, by_tape

ONCE = stops(RuntimeError, "non-persistent")


CURVES = {  # of one number, with the slope of each entry
    "x * [5., 2., -1.]": (lambda x: x * mg.constant([5.0, 2.0, -1.0], x.dtype), lambda x: [5.0, 2.0, -1.0]),
    "stack([x ** 3, sin(x)])": (lambda x: mg.stack([x**3, mg.sin(x)]), lambda x: [3.0 * x * x, np.cos(x)]),
}
FIRST = """
def slope_of_first(f, x):
    with mg.GradientTape() as tape:
        y = f(x)[0]
    return tape.gradient(y, x)
"""

slope_of_first = Card(
    points=(("x * [5., 2., -1.]", 2.0), ("stack([x ** 3, sin(x)])", 0.5), ("stack([x ** 3, sin(x)])", -2.0)),
    ask=lambda slope_of_first, f, x: slope_of_first(CURVES[f][0], mg.Variable(x, name="x")),
    right=lambda f, x: CURVES[f][1](x)[0],
    yes="The other entries did not count.",
    options=("3", "7", "[3, 4]", "an error"),
    came_out="the tape added 3 and 4.",
    miss="For f = {0} at {1} it gave {seen}.",
    hints=(
        "The tape adds up all entries of the target. What must the target be, so that there is nothing to add?",
        "f(x)[0] is a tensor too. When must it be made, so that the tape knows it?",
        "Inside the block: y = f(x)[0]. Below it: return tape.gradient(y, x).",
    ),
    solution=FIRST,
    replies=(
        Reply(
            FIRST.replace("f(x)[0]", "f(x)"),
            lambda f, x: sum(CURVES[f][1](x)),
            "This is the slope of all entries together. Make the target the first one alone.",
        ),
        Reply(
            FIRST.replace("f(x)[0]", "f(x)").replace("tape.gradient(y, x)", "tape.gradient(y[0], x)"),
            lambda f, x: None,
            "None. If [0] is below the block, it ran when the tape was closed. Take the entry inside the block.",
        ),
        Reply(
            FIRST.replace("f(x)[0]", "f(x)").replace("tape.gradient(y, x)", "tape.gradient(y, x)[0]"),
            lambda f, x: stops(mg.errors.InvalidArgumentError, "scalar"),
            "The gradient is one number, so it has no entry 0: the adding is over by then. Choose the entry of the target.",
        ),
        Reply(
            FIRST.replace("f(x)[0]", "mg.reduce_mean(f(x))"),
            lambda f, x: np.mean(CURVES[f][1](x)),
            "This is the slope of the mean of all entries. Which single entry was asked for?",
        ),
        Reply(
            FIRST.replace("f(x)[0]", "f(x)").replace("tape.gradient(y, x)", "tape.jacobian(y, x)"),
            lambda f, x: CURVES[f][1](x),
            "These are the slopes of all entries, each by itself. The task asks for the first.",
        ),
    ),
    ways=(
        Way(
            """
def slope_of_first(f, x, h=0.01):
    at = float(x)
    return float(f(mg.constant(at + h, mg.float64))[0] - f(mg.constant(at - h, mg.float64))[0]) / (2 * h)
""",
            by_tape,
            "The right number, but not from a tape. Make entry 0 the target of one.",
        ),
    ),
)


TABLES = {  # of a vector of two, with the slopes of each entry
    "stack([a * a, a * b, 3. * b])": (
        lambda x: mg.stack([x[0] * x[0], x[0] * x[1], 3.0 * x[1]]),
        lambda a, b: [[2.0 * a, 0.0], [b, a], [0.0, 3.0]],
    ),
    "stack([a - b, a * a * b])": (
        lambda x: mg.stack([x[0] - x[1], x[0] * x[0] * x[1]]),
        lambda a, b: [[1.0, -1.0], [2.0 * a * b, a * a]],
    ),
}
ROWS = """
def rows(f, x):
    with mg.GradientTape(persistent=True) as tape:
        y = f(x)
    n = y.shape[0]
    return [tape.gradient(y, x, output_gradients=mg.one_hot(i, n)) for i in range(n)]
"""


def table(f, x):
    return TABLES[f][1](*x)


rows = Card(
    points=(("stack([a * a, a * b, 3. * b])", [3.0, 5.0]), ("stack([a - b, a * a * b])", [2.0, -3.0])),
    ask=lambda rows, f, x: rows(TABLES[f][0], mg.Variable(x, name="x")),
    right=lambda f, x: lambda seen: np.shape(seen) == np.shape(table(f, x)) and np.allclose(seen, table(f, x), rtol=1e-3),
    yes="One row for each entry of f(x), each by itself.",
    options=("[2, 0, 1]", "[0, 3, 1]", "[0, 3, 0]", "[2, 3, 2]"),
    came_out="[0, 1] lights the second row, [0, 3, 1].",
    miss="For f = {0} at {1} it gave {seen}.",
    hints=(
        "Which numbers, handed over as output_gradients, leave entry i alone?",
        "A 1 at place i and zeros elsewhere: mg.one_hot(i, n). The tape is asked n times.",
        "persistent=True; then for each i in range(n): tape.gradient(y, x, output_gradients=mg.one_hot(i, n)).",
    ),
    solution=ROWS,
    replies=(
        Reply(
            ROWS.replace("persistent=True", ""),
            lambda f, x: ONCE,
            "The first question used the tape up. You ask n times: persistent=True.",
        ),
        Reply(
            ROWS.replace("output_gradients=mg.one_hot(i, n)", ""),
            lambda f, x: [np.sum(table(f, x), 0)] * len(table(f, x)),
            "Each of your rows is the sum of all rows. Without output_gradients every entry counts 1.",
        ),
        Reply(
            """
def rows(f, x):
    with mg.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)
""",
            lambda f, x: np.sum(table(f, x), 0),
            "This is the sum of all rows. Ask once for each entry of f(x), and let output_gradients leave that entry alone.",
        ),
        Reply(
            ROWS.replace("mg.one_hot(i, n)", "[float(i == k) for k in range(n)]"),
            lambda f, x: [np.sum(table(f, x), 0), *[np.zeros(2)] * (len(table(f, x)) - 1)],
            "The first row is the sum of all, the rest are 0: a bare list was taken for a list of targets, and its first number "
            "was spread over all entries. Make it a tensor: mg.constant([...]).",
        ),
        Reply(
            """
def rows(f, x):
    with mg.GradientTape(persistent=True) as tape:
        y = f(x)
    return [tape.gradient(y[i], x) for i in range(y.shape[0])]
""",
            lambda f, x: [None] * len(table(f, x)),
            "None for each. y[i] ran below the block, where the tape no longer records. output_gradients needs no such line.",
        ),
        Reply(
            """
def rows(f, x):
    with mg.GradientTape() as tape:
        y = f(x)
    return mg.transpose(tape.jacobian(y, x))
""",
            lambda f, x: lambda seen: np.shape(seen) == np.shape(table(f, x))[::-1] and np.allclose(seen, np.transpose(table(f, x))),
            "These are the columns: what one source entry does to all. A row belongs to one entry of f(x).",
        ),
    ),
    ways=(
        Way(
            """
def rows(f, x, h=0.01):
    at, found = x.numpy(), []
    for k in range(len(at)):
        step = np.eye(len(at))[k] * h
        found.append((f(mg.constant(at + step)) - f(mg.constant(at - step))).numpy() / (2 * h))
    return list(np.transpose(found))
""",
            by_tape,
            "The right numbers, but not from a tape. Ask one for each row: tape.gradient with output_gradients.",
        ),
    ),
)


BENCHES = {  # element-wise, with their slopes
    "x ** 3 - 12. * x": (lambda x: x**3 - 12.0 * x, lambda x: 3.0 * x * x - 12.0),
    "-x ** 2": (lambda x: -(x**2), lambda x: -2.0 * x),
}


def entry(key):
    """The entry of xs at which this is largest."""
    return lambda f, xs: xs[int(np.argmax(key(f, np.array(xs))))]


STEEPEST = """
def steepest(f, xs):
    with mg.GradientTape() as tape:
        tape.watch(xs)
        y = f(xs)
    slopes = tape.gradient(y, xs)
    return xs[int(mg.argmax(slopes))]
"""

steepest = Card(
    points=(
        ("x ** 3 - 12. * x", [-1.9, 0.0, 2.3, 1.0]),
        ("-x ** 2", [1.5, 0.5, -3.0]),
        ("x ** 3 - 12. * x", [0.25, 1.75, -0.5, 1.0]),
        ("-x ** 2", [-0.5, 0.75, 4.0, 2.0]),
        ("-x ** 2", [7.0]),
    ),
    ask=lambda steepest, f, xs: steepest(BENCHES[f][0], mg.constant(xs)),
    right=entry(lambda f, x: BENCHES[f][1](x)),
    yes="Rising counts, falling does not, however steep.",
    options=("()", "(201,)", "(201, 201)"),
    came_out="it is (201,).",
    miss="For f = {0} on {1} it gave {seen}.",
    hints=(
        "f is element-wise. What then is in the gradient of f(xs) with respect to xs?",
        "One reading gives every slope. mg.argmax(slopes) is the place of the largest.",
        "Watch xs, compute f(xs), take the gradient, and return xs[int(mg.argmax(slopes))].",
    ),
    solution=STEEPEST,
    replies=(
        Reply(
            STEEPEST.replace("        tape.watch(xs)\n", ""),
            lambda f, xs: stops((ValueError, TypeError), "None"),
            "The gradient was None: xs is a constant. Watch it, in the block, before f.",
        ),
        Reply(
            STEEPEST.replace("return xs[int(mg.argmax(slopes))]", "return mg.reduce_max(slopes)"),
            lambda f, xs: np.max(BENCHES[f][1](np.array(xs))),
            "This is the largest slope. To which entry of xs does it belong?",
        ),
        Reply(
            STEEPEST.replace("return xs[int(mg.argmax(slopes))]", "return mg.argmax(slopes)"),
            lambda f, xs: int(np.argmax(BENCHES[f][1](np.array(xs)))),
            "The right place, counted from 0. Return the entry at that place: xs[...].",
        ),
        Reply(
            STEEPEST.replace("argmax(slopes)", "argmax(y)"),
            entry(lambda f, x: BENCHES[f][0](x)),
            "There f is highest. Where it rises fastest, its slope is highest.",
        ),
        Reply(
            STEEPEST.replace("argmax(slopes)", "argmax(abs(slopes))"),
            entry(lambda f, x: abs(BENCHES[f][1](x))),
            "There f is steepest, and it falls. Rising means a slope above 0: mind the sign.",
        ),
    ),
    ways=(
        Way(
            """
def steepest(f, xs, h=0.01):
    return xs[int(mg.argmax(f(xs + h) - f(xs - h)))]
""",
            asked,
            "The right entry, but no tape was asked. One question gives every slope: tape.gradient(f(xs), xs).",
        ),
    ),
)


shapes = Card(
    right=lambda: {"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (2, 5, 3, 2)},
    yes="The target's shape first, then the source's. The last one has 60 slopes, one for each pair of entries.",
    options=("(3,)", "(2, 3)", "(3, 2)", "(6,)"),
    came_out="it is (2, 3), lamps by sliders.",
    hints=(
        "How many slopes are there for each entry of the target?",
        "Write the target's shape, then append the source's.",
        "(4,) and (3,) make (4, 3). A scalar's shape () adds nothing.",
    ),
    solution="""
shapes = {"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (2, 5, 3, 2)}
""",
    replies=(
        Reply(
            'shapes = {"y (4,) by x (3,)": (3, 4), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (3, 2, 2, 5)}',
            lambda: {"y (4,) by x (3,)": (3, 4)},
            ": y by x. A row belongs to an entry of y, and there are 4 of these. The target comes first.",
        ),
        Reply(
            'shapes = {"y (4,) by x (3,)": (3,), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (3, 2)}',
            lambda: {"y (4,) by x (3,)": lambda shape: shape in (3, [3])},
            ": y by x. That is the shape of the gradient, after the adding. A Jacobian keeps one such row for each entry of y.",
        ),
        Reply(
            'shapes = {"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (1, 3, 2), "h (2, 5) by w (3, 2)": (2, 5, 3, 2)}',
            lambda: {"loss () by w (3, 2)": (1, 3, 2)},
            ": loss by w. The shape of one number is (), with no entry in it: nothing is put in front.",
        ),
        Reply(
            'shapes = {"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (10, 6)}',
            lambda: {"h (2, 5) by w (3, 2)": (10, 6)},
            ": h by w. 60 slopes is right. Nothing is flattened: all four lengths stay.",
        ),
        Reply(
            'shapes = {"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (2, 3, 2)}',
            lambda: {"h (2, 5) by w (3, 2)": lambda shape: shape in ([2, 3, 2], [2, 5, 2], [2, 5])},
            ": h by w. A length is missing. Here w is shared by both rows of h, and jacobian keeps every pair of entries.",
        ),
    ),
)


BATCHES = {  # does one example reach another?
    "x * x": (lambda x: x * x, False),
    "x - mean over the batch": (lambda x: x - mg.reduce_mean(x, axis=0), True),
    "x - mean of each example": (lambda x: x - mg.reduce_mean(x, axis=1, keepdims=True), False),
    "x times its neighbour in the batch": (lambda x: x * mg.roll(x, 1, axis=0), True),
    "a running total down the batch": (lambda x: mg.cumsum(x, axis=0), True),
    "x with its last example's first entry added to the first one's": (
        lambda x: x + mg.constant([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]) * x[2],
        True,
    ),
    "x with its first example's last entry added to the second one's": (
        lambda x: x + mg.constant([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]) * x[0],
        True,
    ),
    "x with its second example added to the first one": (lambda x: x + mg.constant([[1.0], [0.0], [0.0]]) * x[1], True),
    "x with its first example added to the last one's first entry": (
        lambda x: x + mg.constant([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]) * x[0],
        True,
    ),
    "x with its second example added to the last one": (lambda x: x + mg.constant([[0.0], [0.0], [1.0]]) * x[1], True),
    "x with its second example subtracted from the last one and added to the first one": (
        lambda x: x + mg.constant([[1.0], [0.0], [-1.0]]) * x[1],
        True,
    ),
    "x with the difference of its last two examples added to the first one": (
        lambda x: x + mg.constant([[1.0], [0.0], [0.0]]) * (x[1] - x[2]),
        True,
    ),
    "x with the difference of its last example's entries added to the first one": (
        lambda x: x + mg.constant([[1.0], [0.0], [0.0]]) * (x[2, 0] - x[2, 1]),
        True,
    ),
    "x @ w": (lambda x: x @ mg.constant([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]]), False),
}
TO_LATER = [name for name in BATCHES if "running" in name or name.endswith(("second one's", "last one", "last one's first entry"))]
EXAMPLES = [[1.0, 2.0], [3.0, 5.0], [-1.0, 0.5]]
MIXES = """
def mixes(f, x):
    batch = mg.Variable(x)
    with mg.GradientTape() as tape:
        out = f(batch)
    whole = tape.jacobian(out, batch)
    n = len(x)
    return any(mg.reduce_any(whole[i, :, j, :] != 0).numpy() for i in range(n) for j in range(n) if i != j)
"""

mixes = Card(
    points=tuple((name,) for name in BATCHES),
    ask=lambda mixes, f: mixes(BATCHES[f][0], mg.constant(EXAMPLES)),
    right=lambda f: BATCHES[f][1],
    yes="batch_jacobian does not show this. A running total, where examples act only on later ones, was recognised as well.",
    options=("(3, 2)", "(2, 3, 2)", "(2, 3, 2, 2)", "(6, 4)"),
    came_out="it is (2, 3, 2).",
    miss="For f = {0} it said {seen}.",
    hints=(
        "Which entries of the full Jacobian tell what example 1 does to example 0?",
        "whole = tape.jacobian(y, x) has shape (batch, m, batch, n). whole[i, :, j, :] is what example j does to example i.",
        "Return True if any whole[i, :, j, :], where i and j differ, has a number other than 0.",
    ),
    solution=MIXES,
    replies=(
        Reply(
            """
def mixes(f, x):
    return False
""",
            lambda f: False,
            "You said False to all, but some do mix. Look at the entries of the Jacobian that run from one example to another.",
        ),
        Reply(
            """
def mixes(f, x):
    return True
""",
            lambda f: True,
            "You said True to all. The Jacobian also holds each example's effect on itself: look only where i and j differ.",
        ),
        Reply(
            MIXES.replace("return any", "return not any"),
            lambda f: not BATCHES[f][1],
            "All are turned round.",
        ),
        Reply(
            MIXES.replace("if i != j", "if i == 0 and j > 0"),
            lambda f: BATCHES[f][1] and f not in TO_LATER,
            "Right, except where an example reaches later ones only. Look from every example to every other.",
        ),
        Reply(
            MIXES.replace("batch = mg.Variable(x)", "batch = x"),
            lambda f: stops(TypeError, "NoneType"),
            "The Jacobian was None: x is a constant. Watch it, in the block, before f; or make a Variable of it.",
        ),
    ),
)


NETWORKS = {  # of three numbers, with the slopes of each entry
    "stack([a * b, 5. * c - a, -4. * b])": (
        lambda x: mg.stack([x[0] * x[1], 5.0 * x[2] - x[0], -4.0 * x[1]]),
        lambda a, b, c: [[b, a, 0.0], [-1.0, 0.0, 5.0], [0.0, -4.0, 0.0]],
    ),
    "stack([a * b * c, 3. * b - a])": (
        lambda x: mg.stack([x[0] * x[1] * x[2], 3.0 * x[1] - x[0]]),
        lambda a, b, c: [[b * c, a * c, a * b], [-1.0, 3.0, 0.0]],
    ),
    "stack([2. * a - 3. * c, b * b + c])": (
        lambda x: mg.stack([2.0 * x[0] - 3.0 * x[2], x[1] * x[1] + x[2]]),
        lambda a, b, c: [[2.0, 0.0, -3.0], [0.0, 2.0 * b, 1.0]],
    ),
}


def places(key, axis=1):
    return lambda f, x: lambda seen: np.array_equal(np.asarray(seen), np.argmax(key(np.array(NETWORKS[f][1](*x))), axis))


STRONGEST = """
def strongest(f, x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return mg.argmax(abs(tape.jacobian(y, x)), axis=1)
"""

strongest = Card(
    points=(
        ("stack([a * b, 5. * c - a, -4. * b])", [3.0, 2.0, 1.0]),
        ("stack([2. * a - 3. * c, b * b + c])", [1.0, 4.0, 2.0]),
        ("stack([2. * a - 3. * c, b * b + c])", [5.0, 0.25, -9.0]),
        ("stack([a * b * c, 3. * b - a])", [0.5, -3.0, 2.0]),
    ),
    ask=lambda strongest, f, x: strongest(NETWORKS[f][0], mg.constant(x)),
    right=places(abs),
    yes="Row by row, the largest in size. A slope of -3 moves more than a slope of 2.",
    options=("0", "3", "6", "12"),
    came_out="6 of the 12 were 0.",
    miss="For f = {0} at {1} it gave {seen}.",
    hints=(
        "Which table has a row for each entry of f(x)? And which entry of a row moves it most, if down counts as well?",
        "tape.jacobian, then the size of each slope, then mg.argmax along the right axis.",
        "mg.argmax(abs(table), axis=1): along each row.",
    ),
    solution=STRONGEST,
    replies=(
        Reply(
            STRONGEST.replace("abs(tape.jacobian(y, x))", "tape.jacobian(y, x)"),
            places(lambda table: table),
            "Upward only. A large slope downward moves the entry as much: compare sizes, abs(...).",
        ),
        Reply(
            STRONGEST.replace("axis=1", "axis=0"),
            places(abs, axis=0),
            "You went down the columns: for each source the target that it moves most. The task asks for the other way, along each row.",
        ),
        Reply(
            STRONGEST.replace("mg.argmax(abs(tape.jacobian(y, x)), axis=1)", "mg.reduce_max(abs(tape.jacobian(y, x)), axis=1)"),
            lambda f, x: np.max(np.abs(NETWORKS[f][1](*x)), 1),
            "These are the largest sizes. At which place in the row is each?",
        ),
        Reply(
            STRONGEST.replace("        tape.watch(x)\n", ""),
            lambda f, x: stops((ValueError, TypeError), "NoneType"),
            "The Jacobian was None: x is a constant. Watch it, in the block, before f; or make a Variable of it.",
        ),
        Reply(
            STRONGEST.replace("tape.jacobian", "tape.gradient").replace(", axis=1", ""),
            lambda f, x: int(np.argmax(np.abs(np.sum(NETWORKS[f][1](*x), 0)))),
            "One answer for the sum of all entries. Each entry of f(x) has a row of its own: tape.jacobian.",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 16.0, "3": says("batch jacobian")},
    yes="Both. For item 1, any sentence that says: the entries of a softmax add up to 1, and the tape gave the slope of that sum.",
    hints=(
        "Item 2: each entry has a slope of its own, and a weight.",
        "Item 2: the slopes are 2 * x and 5. Item 3: section 5.",
        "Item 2: 1 * 6 + 2 * 5. Item 3: two words with an underscore between.",
    ),
    solution="""
ticket = {"2": 16.0, "3": "batch_jacobian"}
""",
    replies=(
        Reply('ticket = {"2": 11.0, "3": "batch_jacobian"}', lambda: {"2": 11.0},
              ": 2. 6 + 5: both entries counted once. The second weight is 2."),
        Reply('ticket = {"2": [6.0, 10.0], "3": "batch_jacobian"}', lambda: {"2": [6.0, 10.0]},
              ": 2. The two terms are right. x is one number, so they are added."),
        Reply('ticket = {"2": 39.0, "3": "batch_jacobian"}', lambda: {"2": 39.0},
              ": 2. 1 * 9 + 2 * 15 weighs the values. Weigh the slopes."),
        Reply('ticket = {"2": 16.0, "3": "jacobian"}', lambda: {"3": "jacobian"},
              ": 3. jacobian keeps everything, also what runs from example to example. Another method leaves that out."),
    ),
)  # fmt: skip

pause1 = pause(
    25.0,
    yes="10 times 2, and once 5.",
    hints=(
        "Each slope is multiplied by the number of its entry, and all are added.",
        "The slope 2 counts ten times.",
        "20 and 5, added up.",
    ),
    mistakes={
        7.0: "Without weights it would be 7. The first entry counts ten times here.",
        52.0: "The 10 belongs to the first entry, with the slope 2.",
        77.0: "The second entry counts once.",
    },
)


pause2 = pause(
    6,
    yes="One for each entry of the target: a row each.",
    hints=(
        "What does one reading find: a row, a column or an entry?",
        "A row: the slopes of one target entry by all sources.",
        "Count the entries of the target.",
    ),
    mistakes={
        4: "That is how many columns there are. One reading finds a row.",
        24: "That is how many slopes there are. One reading finds a row of them.",
        10: "The entries of the target alone count.",
    },
)


pause3 = pause(
    120,
    yes="8 tables of 3 by 5. The full Jacobian has 960.",
    hints=("What shape has the table of one example?", "One example has 3 by 5 slopes.", "8 times 15."),
    mistakes={
        960: "That is the full Jacobian: it also asks what one example does to the others.",
        15: "That is the table of one example.",
        24: "Each result has a slope by each of its 5 inputs.",
        40: "Those are the inputs.",
    },
)


CARDS = {
    "05.1": slope_of_first,
    "05.2": rows,
    "05.pause1": pause1,
    "05.3": steepest,
    "05.4": shapes,
    "05.pause2": pause2,
    "05.5": mixes,
    "05.pause3": pause3,
    "05.6": strongest,
    "05.exit": ticket,
}
