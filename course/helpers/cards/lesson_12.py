"""The exercises of lesson 12, Higher order."""

import math

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, contains, pause, says, stops
from ..witness import by_tape

CURVES = {"x ** 3": lambda x: x**3, "sin(x)": lambda x: mg.sin(x), "exp(2 * x)": lambda x: mg.exp(x + x)}
ORDERS = {
    "x ** 3": (lambda x: x**3, lambda x: 3.0 * x**2, lambda x: 6.0 * x),
    "sin(x)": (math.sin, math.cos, lambda x: -math.sin(x)),
    "exp(2 * x)": (lambda x: math.exp(2.0 * x), lambda x: 2.0 * math.exp(2.0 * x), lambda x: 4.0 * math.exp(2.0 * x)),
}


def order(k):
    """Gives the value, the first or the second derivative."""
    return lambda name, x: ORDERS[name][k](x)


BEND = """
def bend(f, x):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = f(x)
        slope = inner.gradient(y, x)
    return {}
"""
LATE = """
def bend(f, x):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = f(x)
    slope = inner.gradient(y, x)
    return outer.gradient(slope, x)
"""

bend = Card(
    points=(("x ** 3", 2.0), ("sin(x)", 0.7), ("exp(2 * x)", -0.5)),
    ask=lambda bend, name, x: bend(CURVES[name], mg.Variable(x)),
    right=order(2),
    yes="The second tape has seen the slope being made, so it can say how that changes.",
    options=("6", "3", "0", "None"),
    came_out="it was 6.",
    miss="For f = {0} at {1} it gave {seen}.",
    hints=(
        "Two tapes are needed. Which of them is asked first, and where must that line be?",
        "inner.gradient(y, x) belongs inside the block of outer and outside that of inner.",
        "In the outer block: the inner block with y = f(x), then slope = inner.gradient(y, x). Below both: outer.gradient(slope, x).",
    ),
    solution=BEND.format("outer.gradient(slope, x)"),
    replies=(
        Reply(
            LATE,
            lambda name, x: None,
            "None came back. Was the outer tape still open when the inner slope was made, and is the answer returned?",
        ),
        Reply(
            BEND.format("outer.gradient(y, x)"),
            order(1),
            "This is the first slope, and it is right. Ask the outer tape about that slope, not about y.",
        ),
        Reply(
            BEND.format("slope * slope"),
            lambda name, x: ORDERS[name][1](x) ** 2,
            "This is the slope squared. Second order is the slope of the slope.",
        ),
        Reply(
            """
def bend(f, x):
    with mg.GradientTape() as tape:
        y = f(x)
    slope = tape.gradient(y, x)
    return tape.gradient(slope, x)
""",
            lambda name, x: stops(RuntimeError, "non-persistent"),
            "A tape was asked twice, and the first question used it up. Two tapes are needed, one around the other, each asked once.",
        ),
        Reply(BEND.format("y"), order(0), "This is the value of f. You still have to ask two questions."),
    ),
    ways=(
        Way(
            """
def bend(f, x, h=0.001):
    def slope(at):
        at = mg.Variable(at, dtype=mg.float64)
        with mg.GradientTape() as tape:
            y = f(at)
        return float(tape.gradient(y, at))
    return (slope(float(x) + h) - slope(float(x) - h)) / (2 * h)
""",
            by_tape,
            "The right number, but not from a tape. The slope of the slope comes from a tape, too: one around the other.",
        ),
    ),
)


LANDSCAPES = {
    "sum(x) ** 2": lambda x: mg.reduce_sum(x) ** 2,
    "sum(x ** 3)": lambda x: mg.reduce_sum(x**3),
    "each entry times the next": lambda x: mg.reduce_sum(mg.reshape(x, [-1])[:-1] * mg.reshape(x, [-1])[1:]),
}


def slope_of(name, x):
    x = np.array(x)
    if name == "each entry times the next":
        return (hessian_of(name, x) @ x.ravel()).reshape(x.shape)
    return np.full(x.shape, 2.0 * x.sum()) if name == "sum(x) ** 2" else 3.0 * x**2


def hessian_of(name, x):
    x = np.ravel(x)
    if name == "each entry times the next":
        return np.eye(x.size, k=1) + np.eye(x.size, k=-1)
    return np.full((x.size, x.size), 2.0) if name == "sum(x) ** 2" else np.diag(6.0 * x)


def sums_of(name, x):
    return hessian_of(name, x).sum(1).reshape(np.shape(x))


HESSIAN = """
def hessian_matrix(f, x):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = f(x)
        slope = inner.gradient(y, x)
    {}
"""

hessian_matrix = Card(
    points=(
        ("sum(x) ** 2", [[1.0, -2.0], [0.5, 3.0]]),
        ("sum(x ** 3)", [1.0, 2.0, -0.5]),
        ("each entry times the next", [[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]),
        ("sum(x ** 3)", [2.0]),
    ),
    ask=lambda hessian_matrix, name, x: hessian_matrix(LANDSCAPES[name], mg.Variable(x)),
    right=hessian_of,
    yes="Any shape in, a square matrix out.",
    options=("(2, 3)", "(6, 6)", "(2, 3, 2, 3)"),
    came_out="it was (2, 3, 2, 3).",
    miss="For f = {0} at {1} it gave {seen}.",
    hints=(
        "The slope is a tensor in the shape of x. Which question gives all slopes of all its entries?",
        "outer.jacobian(slope, x) has the shape of x twice.",
        "n = slope.numpy().size, then mg.reshape(outer.jacobian(slope, x), (n, n)).",
    ),
    solution=HESSIAN.format("n = slope.numpy().size\n    return mg.reshape(outer.jacobian(slope, x), (n, n))"),
    replies=(
        Reply(
            HESSIAN.format("return outer.gradient(slope, x)"),
            sums_of,
            "These are the sums of the rows: gradient of a vector adds. Ask for the jacobian of the slope.",
        ),
        Reply(
            HESSIAN.format("return outer.jacobian(slope, x)"),
            lambda name, x: hessian_of(name, x).reshape(2 * np.shape(x)),
            "All the numbers are there, in the shape of x twice. Lay them out as n times n.",
        ),
        Reply(HESSIAN.format("return slope"), slope_of, "This is the gradient. The Hessian is its Jacobian."),
        Reply(
            HESSIAN.format("n = slope.numpy().size\n    return mg.linalg.diag(mg.reshape(outer.gradient(slope, x), (n,)))"),
            lambda name, x: np.diag(np.ravel(sums_of(name, x))),
            "The sums of the rows are on the diagonal. That is the Hessian only where no entry acts on the slope of another.",
        ),
    ),
)


def multiplied(hessian_times, name, x, v):
    """The product, and how many Jacobians were made for it."""
    made, jacobian = [], mg.GradientTape.jacobian

    def counted(*given, **how):
        made.append(how)
        return jacobian(*given, **how)

    mg.GradientTape.jacobian = counted
    try:
        return [hessian_times(LANDSCAPES[name], mg.Variable(x), mg.constant(v)), len(made)]
    finally:
        mg.GradientTape.jacobian = jacobian


def product(name, x, v):
    return (hessian_of(name, x) @ np.ravel(v)).reshape(np.shape(x))


TIMES = """
def hessian_times(f, x, v):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = f(x)
        slope = inner.gradient(y, x)
    return {}
"""

hessian_times = Card(
    points=(
        ("sum(x) ** 2", [[1.0, -2.0], [0.5, 3.0]], [[1.0, 0.0], [-3.0, 0.5]]),
        ("sum(x ** 3)", [1.0, 2.0, -0.5], [0.5, 0.0, 4.0]),
        ("each entry times the next", [[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]], [[1.0, 2.0, -4.0], [0.5, 3.0, 7.0]]),
    ),
    ask=multiplied,
    right=lambda name, x, v: [product(name, x, v), 0],
    yes="Two questions, however many weights there are: with a million this still works.",
    options=("8", "15", "40"),
    came_out="15 lines were read.",
    miss="For f = {0}, x = {1}, v = {2}, the product and the number of Jacobians came out as {seen}.",
    hints=(
        "The outer tape is asked about the slope. How does v come in before the entries are added up?",
        "gradient(..., output_gradients=v) starts the reading with v.",
        "As in check 12.1, with outer.gradient(slope, x, output_gradients=v) at the end.",
    ),
    solution=TIMES.format("outer.gradient(slope, x, output_gradients=v)"),
    replies=(
        Reply(
            TIMES.format("mg.tensordot(outer.jacobian(slope, x), v, v.numpy().ndim)"),
            lambda name, x, v: [product(name, x, v), 1],
            "The product is right, but a whole Hessian was computed for it. The reading can start with v.",
        ),
        Reply(
            TIMES.format("outer.gradient(slope, x)"),
            lambda name, x, v: [sums_of(name, x), 0],
            "This is the Hessian times ones. Where does v come in?",
        ),
        Reply(
            TIMES.format("v * outer.gradient(slope, x)"),
            lambda name, x, v: [np.array(v) * sums_of(name, x), 0],
            "v came in too late: the entries were added up already. The reading has to start with it.",
        ),
        Reply(
            TIMES.format("slope * v"),
            lambda name, x, v: [slope_of(name, x) * np.array(v), 0],
            "This is the gradient times v, entry by entry. The outer tape has not been asked.",
        ),
        Reply(
            TIMES.replace("        slope =", "    slope =").format("outer.gradient(slope, x, output_gradients=v)"),
            lambda name, x, v: [None, 0],
            "None came back. Was the outer tape open when the slope was made, and is the product returned?",
        ),
    ),
    ways=(
        Way(
            TIMES.replace("as outer", "as outer, mg.GradientTape(persistent=True) as rows").format(
                "mg.reshape(mg.stack([mg.reduce_sum(v * rows.gradient(slope, x, output_gradients=mg.reshape(mg.one_hot(k, v.numpy().size), "
                "v.shape))) for k in range(v.numpy().size)]), v.shape)"
            ),
            lambda witness, seen, name, x, v: len(witness.answers) <= np.size(v),
            "The product is right, from a question for each entry: that is the whole Hessian, row by row. The reading can start with v.",
        ),
        Way(
            """
def hessian_times(f, x, v, h=0.01):
    def slope(at):
        at = mg.Variable(at, dtype=mg.float64)
        with mg.GradientTape() as tape:
            y = f(at)
        return tape.gradient(y, at)
    x, v = mg.cast(x, mg.float64), mg.cast(v, mg.float64)
    return (slope(x + h * v) - slope(x - h * v)) / (2.0 * h)
""",
            lambda witness, seen, *point: witness.gave(seen[0]),
            "The product is right, but not from a tape. Ask one about the slope, and let the reading start with v.",
        ),
    ),
)


def bowl(x):
    return (x[0] - 3.0) ** 2 + (x[0] - 3.0) * (x[1] + 1.0) + 2.0 * (x[1] + 1.0) ** 2


PLACES = {"a bowl": bowl, "sum(x ** 4) + x[0] * x[1]": lambda x: mg.reduce_sum(x**4) + x[0] * x[1]}


def calculus(name, x):
    """Gradient and Hessian at x."""
    a, b = x
    if name == "a bowl":
        return np.array([2.0 * (a - 3.0) + b + 1.0, a - 3.0 + 4.0 * (b + 1.0)]), np.array([[2.0, 1.0], [1.0, 4.0]])
    return np.array([4.0 * a**3 + b, 4.0 * b**3 + a]), np.array([[12.0 * a * a, 1.0], [1.0, 12.0 * b * b]])


def step_of(name, x):
    slope, hessian = calculus(name, x)
    return np.linalg.solve(hessian, slope)


def stepped(newton_step, name, x):
    """Where the step leads, and where x is then."""
    x = mg.Variable(x)
    return [newton_step(PLACES[name], x), x]


def leads(to):
    """Gives this place, and x as it was."""
    return lambda name, x: [to(name, np.array(x)), x]


SOLVE = "mg.linalg.solve(outer.jacobian(slope, x), slope[:, None])[:, 0]"
NEWTON = f"""
def newton_step(f, x):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = f(x)
        slope = inner.gradient(y, x)
    step = {SOLVE}
    {{}}
"""

newton_step = Card(
    points=(("a bowl", [0.0, 2.0]), ("sum(x ** 4) + x[0] * x[1]", [1.0, 2.0]), ("a bowl", [-4.0, 0.5])),
    ask=stepped,
    right=leads(lambda name, x: x - step_of(name, x)),
    yes="On a parabola one step is enough, wherever you start. Elsewhere a step is as good as the parabola that fits there.",
    options=("1", "3", "9"),
    came_out="one step was enough.",
    miss="On {0}, from {1}, the new place and x came out as {seen}.",
    hints=(
        "Three things are needed: the gradient, the Hessian, and a linear system of the two.",
        "mg.linalg.solve wants a column: slope[:, None]. Its answer is a column too: [:, 0] makes a vector of it.",
        "step = mg.linalg.solve(outer.jacobian(slope, x), slope[:, None])[:, 0], and return x - step.",
    ),
    solution=NEWTON.format("return x - step"),
    replies=(
        Reply(
            NEWTON.format("return x + step"),
            leads(lambda name, x: x + step_of(name, x)),
            "The right length, the other way. Subtract the step.",
        ),
        Reply(NEWTON.format("return step"), leads(step_of), "This is the step itself. Where does it lead from x?"),
        Reply(
            NEWTON.format("return x - slope"),
            leads(lambda name, x: x - calculus(name, x)[0]),
            "A step of descent with rate 1: the right direction, but a guessed length. The Hessian has not been used.",
        ),
        Reply(
            NEWTON.replace(SOLVE, "slope / outer.gradient(slope, x)").format("return x - step"),
            leads(lambda name, x: x - calculus(name, x)[0] / calculus(name, x)[1].sum(1)),
            "The slope was divided by the sums of the rows. Entries that feel each other need the whole Hessian: jacobian and solve.",
        ),
        Reply(
            NEWTON.replace("[:, 0]", "").format("return x - step"),
            leads(lambda name, x: x - step_of(name, x)[:, None]),
            "A table of 2 by 2 came back: a column was subtracted from a vector. Make a vector of the step first, with [:, 0].",
        ),
        Reply(
            NEWTON.format("x.assign_sub(step)\n    return x"),
            lambda name, x: [np.array(x) - step_of(name, x)] * 2,
            "The place is right, but x has been moved to it. Return x - step, and leave x where it is.",
        ),
    ),
    ways=(
        Way(
            """
def newton_step(f, x, h=0.01):
    x, one = mg.cast(x, mg.float64), np.eye(2) * h
    slope = [float(f(x + d) - f(x - d)) / (2 * h) for d in one]
    bend = [[float(f(x + d + e) - f(x + d - e) - f(x - d + e) + f(x - d - e)) / (4 * h * h) for e in one] for d in one]
    return x - np.linalg.solve(bend, slope)
""",
            lambda witness, *rest: len(witness.answers) > 1,
            "The right place, but gradient and Hessian did not come from tapes. Ask two, one around the other.",
        ),
    ),
)


MODELS = {"w * x ** 2": lambda x, w: w * x**2, "sum(w * x) ** 2": lambda x, w: mg.reduce_sum(w * x) ** 2}


def squared(name, x, w):
    """The gradient by w of the sum of the squared slopes by x."""
    x, w = np.array(x), np.array(w)
    if name == "w * x ** 2":
        return 8.0 * w * x**2
    at = np.sum(w * x)
    return 8.0 * at * np.sum(w * w) * x + 8.0 * at**2 * w


def unsquared(name, x, w):
    x, w = np.array(x), np.array(w)
    return 2.0 * x if name == "w * x ** 2" else 2.0 * (x * np.sum(w) + np.sum(w * x))


def by_weights(name, x, w):
    x, w = np.array(x), np.array(w)
    return x**2 if name == "w * x ** 2" else 2.0 * np.sum(w * x) * x


def length_of_slope(name, x, w):
    x, w = np.array(x), np.array(w)
    slope = 2.0 * w * x if name == "w * x ** 2" else 2.0 * np.sum(w * x) * w
    return np.sum(slope**2)


CALM = """
def calm(f, x, w):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = f(x, w)
        slope = inner.gradient(y, x)
        swing = mg.reduce_sum(slope{})
    return {}
"""

calm = Card(
    points=(("w * x ** 2", 1.5, -2.0), ("sum(w * x) ** 2", [1.0, 2.0], [0.5, -1.5])),
    ask=lambda calm, name, x, w: calm(MODELS[name], mg.constant(x), mg.Variable(w)),
    right=squared,
    yes="How much f changes with x depends on w, and this says how.",
    options=("None", "zeros", "other numbers"),
    came_out="it was [1.059 1.201].",
    miss="For f = {0}, x = {1}, w = {2}, it gave {seen}.",
    hints=(
        "x is a constant. Which tape is asked about it, and does that tape know?",
        "In the outer block: inner.watch(x), y, the slope by x, then mg.reduce_sum(slope ** 2).",
        "The last line is outer.gradient(swing, w), below both blocks.",
    ),
    solution=CALM.format(" ** 2", "outer.gradient(swing, w)"),
    replies=(
        Reply(
            CALM.replace("inner.watch(x)", "pass").format(" ** 2", "outer.gradient(swing, w)"),
            lambda name, x, w: stops(TypeError, "NoneType"),
            "The slope by x was None, and None has no square: x is a constant, and the inner tape was not told to watch it.",
        ),
        Reply(
            CALM.format("", "outer.gradient(swing, w)"),
            unsquared,
            "These are the slopes of the sum of slopes. Square each slope before you add.",
        ),
        Reply(
            CALM.format(" ** 2", "outer.gradient(y, w)"),
            by_weights,
            "This is the slope of f by w. The swing is the target.",
        ),
        Reply(CALM.format(" ** 2", "swing"), length_of_slope, "This is the swing itself, and it is right. How do the weights change it?"),
        Reply(
            CALM.replace("        swing =", "    swing =").format(" ** 2", "outer.gradient(swing, w)"),
            lambda name, x, w: None,
            "None came back. The target of the outer tape must be computed inside its block, down to the last op, and the answer returned.",
        ),
    ),
    ways=(
        Way(
            """
def calm(f, x, w):
    return 8.0 * w * x ** 2 if x.shape.rank == 0 else 8.0 * mg.reduce_sum(w * x) * (mg.reduce_sum(w * w) * x + mg.reduce_sum(w * x) * w)
""",
            by_tape,
            "The right numbers, but not from a tape. One tape for the slope by x, and one around it for w.",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 3.0, "3": says("first order only")},
    yes="Both. For item 1, any sentence that says: it gave the sums of the rows, and the Hessian is the jacobian.",
    hints=(
        "Item 2: the length of the step is slope divided by bend. Item 3: section 1 has the code.",
        "Item 2: 12 / 4. Item 3: three words, joined by underscores.",
        "Item 3: it says that you can have the first slope and no further one.",
    ),
    solution='ticket = {"2": 3.0, "3": "FIRST_ORDER_ONLY"}',
    replies=(
        Reply('ticket = {"2": 48.0, "3": "FIRST_ORDER_ONLY"}', lambda: {"2": 48.0},
              ": 2. You multiplied. A sharper bend means a shorter way."),
        Reply('ticket = {"2": -3.0, "3": "FIRST_ORDER_ONLY"}', lambda: {"2": -3.0},
              ": 2. The right size. The question asks by how much x is lowered."),
        Reply('ticket = {"2": 12.0, "3": "FIRST_ORDER_ONLY"}', lambda: {"2": 12.0},
              ": 2. That is descent with rate 1. Divide by the bend."),
        Reply('ticket = {"2": 3.0, "3": "OUTSIDE_TAPE"}', lambda: {"3": contains("outside")},
              ": 3. A good description. For a slope that was not recorded there is a code of its own."),
    ),
)  # fmt: skip


pause1 = pause(
    6.0,
    yes="The slope by x[0] is 2 · x[0] · x[1], and its slope by x[1] is 2 · x[0].",
    hints=("First the slope by x[0], then the slope of that by x[1].", "The slope by x[0] is 2 · x[0] · x[1].", "2 times 3."),
    mistakes={
        10.0: "That is in row 0, column 0.",
        30.0: "That is the first slope, by x[0].",
        9.0: "That is the first slope, by x[1].",
    },
)


pause2 = pause(
    2.0,
    yes="4 less 6 / 3.",
    hints=(
        "Slope divided by bend is how far, and it goes downhill.",
        "6 divided by 3 is 2. That is the step.",
        "Old place less the step: 4 less 2.",
    ),
    mistakes={
        6.0: "The step is taken away from the old place.",
        -2.0: "The slope is divided by the second slope first.",
        3.5: "Slope divided by bend, not bend by slope.",
        -14.0: "Divide by the second slope; do not multiply.",
    },
)


CARDS = {
    "12.1": bend,
    "12.2": hessian_matrix,
    "12.pause1": pause1,
    "12.3": hessian_times,
    "12.4": newton_step,
    "12.pause2": pause2,
    "12.5": calm,
    "12.exit": ticket,
}
