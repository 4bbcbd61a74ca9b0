"""The exercises of lesson 08, Not None, but wrong."""

import math

import minigrad as mg

from ..card import Card, Reply, Way, anything, contains, pause, says, stops
from ..witness import by_tape


def value_and_slope(f, x, kind):
    """What f gives at x, and the tape's slope of it."""
    x = {"Variable": mg.Variable, "constant": mg.constant}[kind](x)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, tape.gradient(y, x)]


def growing(slope):
    """Gives the value of exp(x) * x, and this slope."""
    return lambda x, kind: [math.exp(x) * x, slope(x)]


growth = Card(
    points=((2.0, "Variable"), (0.5, "constant"), (-1.5, "Variable")),
    ask=value_and_slope,
    right=growing(lambda x: (x + 1.0) * math.exp(x)),
    yes="Two paths, both on the tape: 14.8 + 7.4 = 22.2.",
    options=("6", "3", "0", "None"),
    came_out="for x * x.numpy() the tape said 3.0.",
    miss="At x = {0}, a {1}, value and slope came out as {seen}. That is not exp(x) * x with its slope.",
    hints=(
        "Two factors depend on x. Which of them still knows x when multiply receives it?",
        "math.exp returns a Python float. Which exp returns a tensor?",
        "Use mg.exp on x itself, and multiply by x itself. No math, no float, no .numpy().",
    ),
    solution="""
def growth(x):
    return mg.exp(x) * x
""",
    replies=(
        Reply(
            "def growth(x): return math.exp(x) * x",
            growing(math.exp),
            "At x = 2 the tape has 7.4 of 22.2. The path through exp is lost. Is exp given x as a tensor, and does it give one back?",
        ),
        Reply(
            "def growth(x): return mg.exp(x) * float(x)",
            growing(lambda x: x * math.exp(x)),
            "14.8 of 22.2. The path through exp is there; the one through the other factor is lost. Look at what multiplies exp.",
        ),
        Reply(
            "def growth(x): return mg.exp(x)",
            lambda x, kind: [math.exp(x), math.exp(x)],
            "This gradient is complete, but it is that of exp(x) alone. The factor x is missing from the value too.",
        ),
        Reply(
            "def growth(x): return mg.exp(x) * x + mg.exp(x)",
            lambda x, kind: [(x + 1.0) * math.exp(x), (x + 2.0) * math.exp(x)],
            "This is the slope on paper. Write the function exp(x) * x itself, and let the tape find its slope.",
        ),
        Reply(
            "def growth(x): return mg.constant(math.exp(x) * float(x))",
            growing(lambda x: None),
            "The value is right and the gradient is None. Both paths are lost now. Keep x a tensor from end to end.",
        ),
        Reply(
            "def growth(x): return math.exp(x) * float(x)",
            lambda x, kind: stops(AttributeError, "'float' object"),
            "The function returned a Python float. A tape can answer only for tensors.",
        ),
    ),
)  # fmt: skip


FUNCTIONS = {"x * x": lambda x: x * x, "abs(x)": abs, "x * x.numpy()": lambda x: x * x.numpy(), "x ** 3": lambda x: x**3}
PLAIN = {**FUNCTIONS, "x * x.numpy()": FUNCTIONS["x * x"]}


def rise(name, x, h):
    return PLAIN[name](x + h) - PLAIN[name](x - h)


def by(name, *gives):
    """What each function gives, in the order of the points."""
    return dict(zip(FUNCTIONS, gives, strict=True))[name]


SLOPE = """
def slope(f, x, h=0.01):
    rise = f(mg.constant(x + h)) - f(mg.constant(x - h))
    return float(rise) {}
"""

slope = Card(
    points=(("x * x", -3.0, 0.01), ("abs(x)", 0.0, 0.01), ("x * x.numpy()", 3.0, 0.01), ("x ** 3", 2.0, 0.5)),
    ask=lambda slope, name, x, h: slope(FUNCTIONS[name], x, h),
    right=lambda name, x, h: rise(name, x, h) / (2.0 * h),
    yes="Your slope was tried on four functions that it had not seen. In your own tests, mg.test.check_gradients(f, x) does this for "
    "every input and order.",
    options=("0", "2", "4", "8"),
    came_out="two real steps found 4.000.",
    miss="For f = {0} at {1}, with h = {2}, it gave {seen}.",
    hints=(
        "Slope is rise over run. How long is the run from x - h to x + h?",
        "f expects a tensor: mg.constant(x + h).",
        "rise = float(f(mg.constant(x + h)) - f(mg.constant(x - h))). One division is left.",
    ),
    solution=SLOPE.format("/ (2 * h)"),
    replies=(
        Reply(SLOPE.format(""), rise, "0.12 at 3 for x * x is the rise. Divide it by the run."),
        Reply(
            SLOPE.format("/ h"),
            lambda name, x, h: rise(name, x, h) / h,
            "Twice too steep. From x - h to x + h the run is 2h.",
        ),
        Reply(
            SLOPE.format("/ 2 * h"),
            lambda name, x, h: rise(name, x, h) / 2.0 * h,
            "Python reads / 2 * h from the left: divide by 2, then multiply by h. Write / (2 * h).",
        ),
        Reply(
            SLOPE.format("/ (-2 * h)"),
            lambda name, x, h: -rise(name, x, h) / (2.0 * h),
            "Uphill reads as downhill. f(x + h) comes first.",
        ),
        Reply(
            """
def slope(f, x, h=0.01):
    return float(f(mg.constant(x + h)) - f(mg.constant(x))) / h
""",
            lambda name, x, h: (PLAIN[name](x + h) - PLAIN[name](x)) / h,
            "Right for straight lines. At the corner of abs you gave 1.0; two-sided it is 0.0. Step to both sides.",
        ),
        Reply(
            """
def slope(f, x, h=0.01):
    x = mg.Variable(x)
    with mg.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)
""",
            lambda name, x, h: by(name, -6.0, 0.0, 3.0, 12.0),
            "You asked the tape: 3.0 for x * x.numpy(). But the tape is what you want to test here.",
        ),
        Reply(
            """
def slope(f, x, h=0.01):
    return float(f(x + h) - f(x - h)) / (2 * h)
""",
            lambda name, x, h: by(name, -6.0, 0.0, stops(AttributeError, "numpy"), 12.25),
            "f was given a Python float. Wrap the point: mg.constant(x + h).",
        ),
        Reply(
            SLOPE.replace("rise =", "h = 0.01\n    rise =").format("/ (2 * h)"),
            lambda name, x, h: by(name, -6.0, 0.0, 6.0, 12.0),
            "With h = 0.5 a central difference of x ** 3 at 2 is 12.25. Yours did not change with h.",
        ),
    ),
)


LATE = """
def slope_of_square_plus_self(c):
    with mg.GradientTape() as tape:
        square = c * c
        tape.watch(c)
        y = square + c
    return tape.gradient(y, c)
"""

watched = Card(
    points=((3.0,), (2.0,), (-4.5,)),
    ask=lambda slope_of_square_plus_self, c: slope_of_square_plus_self(mg.constant(c)),
    right=lambda c: 2.0 * c + 1.0,
    yes="Followed first, computed second.",
    options=("7", "6", "1", "None"),
    came_out="the late watch gave 1.0.",
    miss="At c = {0} it gave {seen}.",
    hints=(
        "From which line on does the tape see c?",
        "Both uses of c must come after the watch.",
        "Inside the block: tape.watch(c), then y = c * c + c. After it: return tape.gradient(y, c).",
    ),
    solution="""
def slope_of_square_plus_self(c):
    with mg.GradientTape() as tape:
        tape.watch(c)
        y = c * c + c
    return tape.gradient(y, c)
""",
    replies=(
        Reply(LATE, lambda c: 1.0, "The slope is 1.0 for every c, that of `+ c` alone. Does c * c run before the watch?"),
        Reply(
            """
def slope_of_square_plus_self(c):
    with mg.GradientTape() as tape:
        tape.watch(c)
        y = c * c
    return tape.gradient(y, c)
""",
            lambda c: 2.0 * c,
            "2c is the slope of c * c alone. Which part of y is missing from the target?",
        ),
        Reply(
            LATE.replace("tape.watch(c)", "pass"),
            lambda c: None,
            "None came back. Either no tape watches c, which is a constant, or the function returns nothing.",
        ),
        Reply(
            "def slope_of_square_plus_self(c): return mg.constant(7.0)",
            lambda c: 7.0,
            "Right at c = 3 and nowhere else. Let the tape do the work.",
        ),
        Reply(
            """
def slope_of_square_plus_self(c):
    tape = mg.GradientTape()
    tape.watch(c)
    with tape:
        y = c * c + c
    return tape.gradient(y, c)
""",
            lambda c: stops(AttributeError, "not running"),
            "The tape was not running when watch was called. Inside the block it runs.",
        ),
    ),
    ways=(
        Way(
            """def slope_of_square_plus_self(c): return 2.0 * c + 1.0""",
            by_tape,
            "The right number, but not from a tape. The task asks for the slope from a tape.",
        ),
    ),
)  # fmt: skip


def positions(start, steps, rate):
    """Where descent on x * x comes to, the start included."""
    return [start * (1.0 - 2.0 * rate) ** k for k in range(steps)]


def slopes(start, steps, rate):
    return [2.0 * x for x in positions(start, steps, rate)]


DESCEND = """
def descend(start, steps, rate=0.1):
    x = mg.Variable(start)
    slopes = []
    for _ in range(steps):
        with mg.GradientTape() as tape:
            y = x * x
        g = tape.gradient(y, x)
        slopes.append(g)
        x.assign_sub(rate * g)
    return slopes
"""

descend = Card(
    points=((3.0, 3, 0.1), (-2.0, 4, 0.25), (5.0, 5, 0.05)),
    ask=lambda descend, start, steps, rate: descend(start, steps, rate),
    right=slopes,
    yes="From 3.0 the slopes are 6.0, 4.8, 3.84: each one 0.8 of the last.",
    options=("4.8", "6.0", "None", "an error"),
    came_out="the old tape said 6.0 again.",
    miss="From {0}, {1} steps at rate {2}, it gave {seen}.",
    hints=(
        "Each slope belongs to one value of x. Which tape read that value?",
        "The with line goes inside the for loop.",
        "In the loop, in order: tape, y = x * x, gradient, append, x.assign_sub(rate * g).",
    ),
    solution=DESCEND.replace("append(g)", "append(float(g))"),
    replies=(
        Reply(
            """
def descend(start, steps, rate=0.1):
    x = mg.Variable(start)
    slopes = []
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
    for _ in range(steps):
        slopes.append(tape.gradient(y, x))
        x.assign_sub(rate * slopes[-1])
    return slopes
""",
            lambda start, steps, rate: [2.0 * start] * steps,
            "All slopes equal the first. Print x. If it moves, the tape is old. If it rests, the assignment is missing.",
        ),
        Reply(
            DESCEND.replace("return slopes", "return g"),
            lambda start, steps, rate: slopes(start, steps, rate)[-1],
            "This is the last slope, and it is right. Return the list of all, one for each step.",
        ),
        Reply(
            DESCEND.replace("assign_sub", "assign_add"),
            lambda start, steps, rate: slopes(start, steps, -rate),
            "The slopes grow: you are walking uphill. Subtract.",
        ),
        Reply(
            DESCEND.replace("x.assign_sub(rate * g)", "x = x - rate * g"),
            lambda start, steps, rate: stops(TypeError, "NoneType"),
            "At step 2 the name x refers to a new tensor that no tape watches. Change the Variable in place: x.assign_sub(...).",
        ),
        Reply(
            DESCEND.replace("append(g)", "append(float(x))"),
            positions,
            "These are the positions, and they are right. Return the slopes.",
        ),
        Reply(
            DESCEND.replace("range(steps)", "range(steps + 1)"),
            lambda start, steps, rate: slopes(start, steps + 1, rate),
            "The slopes are right, but there is one too many. One slope for each step.",
        ),
    ),
    ways=(
        Way(
            "def descend(start, steps, rate=0.1): return [2.0 * start * (1.0 - 2.0 * rate) ** k for k in range(steps)]",
            by_tape,
            "The right numbers, but not from a tape. Open a tape for each step, and put its gradient into the list.",
        ),
    ),
)  # fmt: skip


INVERSE = [0.0, 0.0, 0.0, 2.0, 0.5]
ITS_SLOPE = [0.0, 0.0, 0.0, -4.0, -0.25]
NAN = float("nan")
HOLES = [0.0, 0.000001, -0.000001, 1e-9, -1e-9, 0.001, 0.25, 1.0, -1.0, 3.0]
HOLES_INVERSE = [1.0 / z if z > 0.0 else 0.0 for z in HOLES]
HOLES_SLOPE = [-1.0 / z**2 if z > 0.0 else 0.0 for z in HOLES]


def inverse(z, kind):
    """1 / z above 0, and 0 elsewhere, with its slope."""
    return [INVERSE, ITS_SLOPE] if kind == "Variable" else [HOLES_INVERSE, HOLES_SLOPE]


def first(*gives):
    """What comes out on the first five numbers, whatever does on the others."""
    return lambda z, kind: list(gives) if kind == "Variable" else anything


safe_inverse = Card(
    points=(([0.0, -0.000001, -2.0, 0.5, 2.0], "Variable"), (HOLES, "constant")),
    ask=value_and_slope,
    right=inverse,
    yes="Finite at 0 and right below it, exact elsewhere.",
    options=("[0, 0.5]", "[nan, 0.5]", "[inf, 0.5]"),
    came_out="the gradient was [nan 0.5].",
    miss="At z = {0}, value and gradient came out as {seen}.",
    hints=(
        "Which number must never reach 1 / z?",
        "Guard the input before dividing. Guard the result after.",
        "safe = mg.where(z > 0.0, z, 1.0), then divide by safe. Then one more where.",
    ),
    solution="""
def safe_inverse(z):
    safe = mg.where(z > 0.0, z, 1.0)
    return mg.where(z > 0.0, 1.0 / safe, 0.0)
""",
    replies=(
        Reply(
            "def safe_inverse(z): return mg.where(z > 0.0, 1.0 / z, 0.0)",
            first(INVERSE, [NAN, *ITS_SLOPE[1:]]),
            "The value is right and the gradient at 0 is nan: where discards 1/0, yet 1/0 is still asked for its slope.",
        ),
        Reply(
            "def safe_inverse(z): return mg.where(z > 0.0, 1.0 / (z + 1e-6), 0.0)",
            first(INVERSE, [0.0, NAN, *ITS_SLOPE[2:]]),
            "The trouble has only moved: 1/0.5 is now 1.999996, and z = -0.000001 gives nan.",
        ),
        Reply(
            "def safe_inverse(z): return 1.0 / mg.where(z > 0.0, z, 1.0)",
            first([1.0, 1.0, 1.0, 2.0, 0.5], ITS_SLOPE),
            "The gradient is finite everywhere. The value at z = -2 is 1.0; it should be 0. Guard the result too.",
        ),
        Reply(
            "def safe_inverse(z): return mg.cast(z > 0.0, mg.float32) * (1.0 / z)",
            first([NAN, 0.0, 0.0, 2.0, 0.5], anything),
            "0 times inf is nan, in the value and on the way back. where selects; a product does not.",
        ),
        Reply(
            """
def safe_inverse(z):
    z = z.numpy()
    return mg.constant(np.where(z > 0.0, 1.0 / np.maximum(z, 0.1), 0.0))
""",
            first(INVERSE, None),
            "The value is right and the gradient is None: no path leads back to z. mg.where keeps it on the tape.",
        ),
    ),
)  # fmt: skip


SAME = {
    "right": ("right", "correct"),
    "lost path": ("lost path", "lost", "path lost", "partial"),
    "old value": ("old value", "old", "stale"),
}
RIGHT = {"A": "right", "B": "right", "C": "right", "D": "lost path", "E": "old value"}


def other_than(words):
    """Wanted: a verdict without these words."""
    return lambda seen: isinstance(seen, str) and words not in seen.lower()


def verdicts_with(**changed):
    return f"verdicts = {RIGHT | changed}"


verdicts = Card(
    right=lambda: {case: says(*SAME[verdict]) for case, verdict in RIGHT.items()},
    yes="All five. D is the dangerous one: the lost path changed the sign, so a step from x = 2 would have gone uphill.",
    options=("same", "different"),
    came_out="they differ: relu says 0, maximum says 1.",
    hints=(
        "Start with those whose two numbers agree.",
        "One target has two entries. One function has a corner.",
        "Two reports are faults: one has float(...) in it, one has a loop.",
    ),
    solution=verdicts_with(),
    replies=(
        Reply(verdicts_with(A="lost path"), lambda: {"A": other_than("right")},
              ": A. Both numbers are 0.0. At -2 relu is flat; a zero can be a fact."),
        Reply(verdicts_with(B="lost path"), lambda: {"B": other_than("right")},
              ": B. y has two entries. The tape gives the slope of their sum: 3 + 4 = 7. For each entry ask jacobian."),
        Reply(verdicts_with(C="lost path"), lambda: {"C": other_than("right")},
              ": C. A corner. Measured on each side alone, the slopes are 0 and 1, and the tape's 1.0 is in that range."),
        Reply(verdicts_with(D="right"), lambda: {"D": other_than("lost")},
              ": D. The numbers differ, 2 is no corner of sin(x) * x, and float(x) is in the line."),
        Reply(verdicts_with(E="lost path"), lambda: {"E": contains("lost")},
              ": E. No path is missing: 6.0 is right, for the x of one step ago."),
        Reply(verdicts_with(E="right"), lambda: {"E": contains("right")},
              ": E. Right for the old x. It has moved to 2.4, where the slope is 4.8."),
    ),
)  # fmt: skip


ticket = Card(
    right=lambda: {"2": lambda seen: abs(float(seen) - 0.909) < 0.005, "3": says("stale", "complete but stale")},
    yes="Both. The lost path carried sin(2). For item 1, any sentence that separates falling from arriving.",
    hints=(
        "Item 2: live + lost = true. Item 3: section 4 has the word, in capitals.",
        "Item 2: lost = 0.077 minus the live part, and the live part is negative.",
        "Item 2: 0.077 + 0.832. Item 3: it means no longer fresh.",
    ),
    solution='ticket = {"2": 0.909, "3": "STALE"}',
    replies=(
        Reply('ticket = {"2": 0.755, "3": "STALE"}', lambda: {"2": lambda seen: abs(abs(float(seen)) - 0.755) < 0.002},
              ": 2. You subtracted the sizes, 0.832 - 0.077. Mind the signs: from -0.832 up to 0.077."),
        Reply('ticket = {"2": -0.909, "3": "STALE"}', lambda: {"2": lambda seen: abs(float(seen) + 0.909) < 0.005},
              ": 2. Right size. Live + lost = true, so lost = true - live."),
        Reply('ticket = {"2": 0.909, "3": "PARTIAL"}', lambda: {"3": contains("partial")},
              ": 3. PARTIAL is for a missing path. Here every path is there, for an older x."),
    ),
)  # fmt: skip


pause1 = pause(
    6.0,
    yes="0.12, divided by the 0.02 between the two places.",
    hints=(
        "Divide the difference of the values by the distance between the places.",
        "The values differ by 0.12. How far apart are the places?",
        "0.12 divided by 0.02.",
    ),
    mistakes={
        12.0: "The places are 0.02 apart, not 0.01.",
        0.12: "That is the difference of the values.",
        3.0: "Two small steps, and what the values do between them: see the formula of section 2.",
    },
)


pause2 = pause(
    12.0,
    yes="3x² at the value that was read, 2. explain would call it STALE.",
    hints=("Which value did the tape read?", "It keeps 2. The assignment came later.", "3 times 4."),
    mistakes={
        75.0: "That would be the slope at 5. The tape read x before.",
        8.0: "That is y.",
        None: "No path is lost. The slope is right for an older value.",
    },
)


CARDS = {
    "08.1": growth,
    "08.2": slope,
    "08.pause1": pause1,
    "08.3": watched,
    "08.4": descend,
    "08.pause2": pause2,
    "08.5": safe_inverse,
    "08.6": verdicts,
    "08.exit": ticket,
}
