"""The exercises of lesson 01, First derivative."""

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, contains, pause, says, stops
from ..witness import by_hand as without_tape
from ..witness import by_tape

CURVES = {
    "t * t": lambda t: t * t,
    "t ** 3": lambda t: t**3,
    "7 - 4 * t": lambda t: 7 - 4 * t,
    "abs(t)": abs,
}


def two_sided(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


def for_curve(rule):
    """The same rule, for a curve given by its text."""
    return lambda f, x, h: rule(CURVES[f], x, h)


SLOPE = """
def slope(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)
"""

slope = Card(
    points=(("t * t", 5.0, 0.01), ("t ** 3", 2.0, 0.5), ("7 - 4 * t", 1.5, 0.1), ("abs(t)", 0.0, 0.1)),
    ask=lambda slope, f, x, h: slope(CURVES[f], x, h),
    right=for_curve(two_sided),
    yes="It was tried on four curves, with large nudges too, and at the corner of abs, where the two sides balance to 0.",
    options=("3", "6", "6.1", "7"),
    came_out="the average from 3 to 3.1 is 6.1.",
    miss="For {0} at {1} with h = {2} it gave {seen}.",
    hints=(
        "A slope is a rise divided by a run. How long is the run from x - h to x + h?",
        "The rise is f(x + h) - f(x - h). The run is 2 * h.",
        "Put the rise in one pair of parentheses and 2 * h in another, with / between them, and return that.",
    ),
    solution=SLOPE,
    replies=(
        Reply(
            SLOPE.replace(" / (2 * h)", ""),
            for_curve(lambda f, x, h: f(x + h) - f(x - h)),
            "This is the rise, and it is right. Divide it by the run.",
        ),
        Reply(
            SLOPE.replace("(2 * h)", "h"),
            for_curve(lambda f, x, h: (f(x + h) - f(x - h)) / h),
            "Twice too steep. From x - h to x + h the run is 2h.",
        ),
        Reply(
            SLOPE.replace("(2 * h)", "2 * h"),
            for_curve(lambda f, x, h: (f(x + h) - f(x - h)) / 2 * h),
            "Python reads `/ 2 * h` from the left: it divides by 2, then multiplies by h. Write `/ (2 * h)`.",
        ),
        Reply(
            SLOPE.replace("f(x + h) - f(x - h)", "f(x - h) - f(x + h)"),
            for_curve(lambda f, x, h: -two_sided(f, x, h)),
            "Right size, opposite sign: uphill reads as downhill. f(x + h) comes first.",
        ),
        Reply(
            """
def slope(f, x, h):
    return (f(x + h) - f(x)) / h
""",
            for_curve(lambda f, x, h: (f(x + h) - f(x)) / h),
            "This is the one-sided slope, as in the cell above. For straight lines it is as good. Now step to both sides of x.",
        ),
        Reply(
            SLOPE.replace("(2 * h)", "2"),
            for_curve(lambda f, x, h: (f(x + h) - f(x - h)) / 2),
            "You divided by 2, but not by h. The run is 2 * h.",
        ),
    ),
)


BY_HAND = """
def by_hand(x):
    return [{}, {}, {}]
"""
RIGHT = ("10 * x", "3 * x ** 2 - 4", "-1 / x ** 2")


def formulas(*texts):
    """The values of three formulas at a point."""
    return lambda x: [eval(text, {"x": x}) for text in texts]


def hand(first, second, third, text):
    """A reply to three formulas."""
    return Reply(BY_HAND.format(first, second, third), formulas(first, second, third), text)


def exact(witness, seen, x):
    """To all digits."""
    return bool(np.allclose(seen, formulas(*RIGHT)(x), rtol=1e-12, atol=0.0))


by_hand = Card(
    points=((2.0,), (-0.5,), (3.0,)),
    right=formulas(*RIGHT),
    yes="Three formulas, each good for every x but 0. The slope of 1/x is negative everywhere: it falls on both sides of 0.",
    options=("6", "8", "12"),
    came_out="the slope is 12.",
    miss="At x = {0} you gave {seen}. Compare each entry with a measured slope.",
    hints=(
        "Which of the three rules does each function need? One needs two of them.",
        "x ** -1 is a power like any other: the -1 comes down, and the new power is -2.",
        "5x²: 5 times 2x. x³ - 4x: 3x² for the one, a constant for the other. 1/x: -1 * x ** -2.",
    ),
    solution=BY_HAND.format(*RIGHT),
    replies=(
        hand("5 * x ** 2", "x ** 3 - 4 * x", "1 / x", "These are the values of the functions. The task asks for their slopes."),
        hand(RIGHT[0], RIGHT[1], "1 / x ** 2", "Two are right. 1/x falls as x grows: what sign has its slope?"),
        hand(RIGHT[0], RIGHT[1], "1", "Two are right. The slope of 1/x is not 1 over the slope of x. Use the power rule, with n = -1."),
        hand("2 * x", RIGHT[1], RIGHT[2], "Two are right. In the first, the factor 5 stays."),
        hand(RIGHT[0], "3 * x ** 2 - 4 * x", RIGHT[2], "Two are right. In the second, what is the slope of the straight line 4x?"),
        hand(RIGHT[0], "3 * x ** 2", RIGHT[2], "Two are right. In the second, -4x has a slope too, the same everywhere."),
    ),
    ways=(
        Way(
            """
def by_hand(x):
    def slope(f, h=1e-4):
        return (f(x + h) - f(x - h)) / (2 * h)
    return [slope(lambda t: 5 * t ** 2), slope(lambda t: t ** 3 - 4 * t), slope(lambda t: 1 / t)]
""",
            exact,
            "Right to a few digits, like a measured slope or a tape's. A formula in x gives all of them.",
        ),
        Way(
            """
def by_hand(x):
    x = mg.Variable(x, dtype=mg.float64)
    with mg.GradientTape() as tape:
        results = mg.stack([5 * x ** 2, x ** 3 - 4 * x, 1 / x])
    return tape.jacobian(results, x).numpy()
""",
            without_tape,
            "The right numbers, but a tape gave them. Write each slope as a formula in x.",
        ),
    ),
)


FUNCTIONS = {  # each with its slope
    "x ** 2": (lambda x: x**2, lambda x: 2.0 * x),
    "1 / x": (lambda x: 1.0 / x, lambda x: -1.0 / x**2),
    "sigmoid": (lambda x: mg.nn.sigmoid(x), lambda x: float(slope_of_sigmoid(x))),
}


def slope_of_sigmoid(x):
    y = mg.nn.sigmoid(mg.constant(x))
    return y * (1.0 - y)


TAPE_SLOPE = """
def tape_slope(f, x):
    x = mg.Variable(x)
    with mg.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)
"""

tape_slope = Card(
    points=(("x ** 2", 5.0), ("sigmoid", 1.0), ("1 / x", -2.0), ("x ** 2", 0.0), ("x ** 2", 0.375)),
    ask=lambda tape_slope, f, x: tape_slope(FUNCTIONS[f][0], x),
    right=lambda f, x: FUNCTIONS[f][1](x),
    yes="It works for any f that is made of mg's operations, and needs no nudge.",
    options=("6.0", "6.001", "2 * x"),
    came_out="the tape gave 6.0.",
    miss="For {0} at {1} it gave {seen}.",
    hints=(
        "Take the cell at the top of this section. Which two things in it change?",
        "x becomes mg.Variable(x), before the block. x ** 2 becomes f(x).",
        "In order: x = mg.Variable(x); with mg.GradientTape() as tape: y = f(x); below the block, return tape.gradient(y, x).",
    ),
    solution=TAPE_SLOPE,
    replies=(
        Reply(
            TAPE_SLOPE.replace("tape.gradient(y, x)", "y"),
            lambda f, x: float(FUNCTIONS[f][0](mg.constant(x))),
            "These are the values of f, and they are right. Ask the tape for the slope: tape.gradient(y, x).",
        ),
        Reply(
            TAPE_SLOPE.replace("mg.Variable(x)", "mg.constant(x)"),
            lambda f, x: None,
            "None. Is x an mg.Variable, does f(x) run inside the block, and is it gradient(y, x), in this order? Is it returned?",
        ),
        Reply(
            TAPE_SLOPE.replace("    x = mg.Variable(x)\n", ""),
            lambda f, x: stops(AttributeError, "'float' object"),
            "The tape was handed a plain Python number. Begin with x = mg.Variable(x).",
        ),
        Reply(
            TAPE_SLOPE.replace("f(x)", "x ** 2"),
            lambda f, x: 2.0 * x,
            "Right for x ** 2 and for nothing else. Run the function that was passed in: f(x).",
        ),
    ),
    ways=(
        Way(
            """
def tape_slope(f, x, h=0.01):
    return float(f(mg.constant(x + h)) - f(mg.constant(x - h))) / (2 * h)
""",
            by_tape,
            "The right number, but not from a tape. The task asks for the slope from a tape: tape.gradient(y, x).",
        ),
    ),
)


NUDGES = {"six nudges": [1.0, 0.1, 0.01, 1e-3, 1e-5, 1e-8], "three nudges": [1e-7, 0.25, 1e-6], "three large nudges": [5.0, 3.0, 0.5]}
HILLS = {  # each with its slope
    "x * x": (lambda x: x * x, lambda x: 2.0 * x),
    "5 - x * x": (lambda x: 5.0 - x * x, lambda x: -2.0 * x),
    "x ** 3": (lambda x: x**3, lambda x: 3.0 * x**2),
}


def errors(f, x, nudges):
    """How far off each nudge is, with its sign."""
    f, truth = HILLS[f]
    slopes = {h: float((f(mg.constant(x + h)) - f(mg.constant(x))) / h) for h in NUDGES[nudges]}
    return {h: slope - truth(x) for h, slope in slopes.items()}


def chosen(by):
    """The nudge whose error is least, seen in some way."""

    def nudge(f, x, nudges):
        found = errors(f, x, nudges)
        return min(found, key=lambda h: by(found[h], h))

    return nudge


BEST = """
def best(f, x, truth, nudges):
    def error(h):
        slope = float(f(mg.constant(x + h)) - f(mg.constant(x))) / h
        return abs(slope - truth)
    return min(nudges, key=error)
"""

best = Card(
    points=(
        ("x * x", 3.0, "six nudges"),
        ("5 - x * x", 4.0, "six nudges"),
        ("x * x", 3.0, "three nudges"),
        ("x ** 3", -1.0, "three large nudges"),  # to the other side another one is best
    ),
    ask=lambda best, f, x, nudges: best(HILLS[f][0], x, HILLS[f][1](x), NUDGES[nudges]),
    right=chosen(lambda error, h: abs(error)),
    yes="The best nudge need not be the smallest or the largest: it depends on the curve and on the digits.",
    options=("6.0", "6.1", "0.0", "an error"),
    came_out="the measured slope was 0.0.",
    miss="For {0} at {1} and {2} it chose {seen}.",
    hints=(
        "For one nudge: what is its slope, and how far is that from truth? An error counts as much below as above.",
        "abs(slope - truth) is the error of one nudge. min(nudges, key=error) picks the nudge with the least.",
        "Define error(h) inside: slope = float(f(mg.constant(x + h)) - f(mg.constant(x))) / h; return abs(slope - truth).",
    ),
    solution=BEST,
    replies=(
        Reply(
            "best = lambda f, x, truth, nudges: min(nudges)",
            chosen(lambda error, h: h),
            "This is the smallest nudge each time. Is it chosen by its error? And is f given mg.constant(x + h), so that the digits are those of f?",
        ),
        Reply(
            "best = lambda f, x, truth, nudges: max(nudges)",
            chosen(lambda error, h: -h),
            "This is the largest nudge each time, which misses the bend. Is it chosen by its error, of the one-sided slope?",
        ),
        Reply(
            BEST.replace("abs(slope - truth)", "slope - truth"),
            chosen(lambda error, h: error),
            "A slope far below truth has a very negative error, and min picked that. Take abs(slope - truth).",
        ),
        Reply(
            BEST.replace("min(nudges, key=error)", "min(error(h) for h in nudges)"),
            lambda f, x, nudges: lambda seen: abs(seen - min(map(abs, errors(f, x, nudges).values()))) < 1e-4,
            "This is the least error. The task asks for the nudge that has it: min(nudges, key=error).",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 21.0, "3": says("secant", "secants", "secant line")},
    yes="Both. For item 1, any sentence that tells rules from nudges.",
    hints=(
        "Item 2: two powers, term by term. Item 3: the picture above has three of them.",
        "Item 2: the slope is 3x² - 2x. Item 3: it is not the line that touches.",
        "Item 2: 27 - 6. Item 3: it begins with s.",
    ),
    solution="""
ticket = {"2": 21.0, "3": "secant"}
""",
    replies=(
        Reply('ticket = {"2": 18, "3": "secant"}', lambda: {"2": 18.0},
              ": 2. 18 is the value, 27 - 9. What is the slope?"),
        Reply('ticket = {"2": 27, "3": "secant"}', lambda: {"2": 27.0},
              ": 2. 27 belongs to x³ alone. What does -x² add at 3?"),
        Reply('ticket = {"2": 33, "3": "secant"}', lambda: {"2": 33.0},
              ": 2. Both terms are there. Mind the minus between them."),
        Reply('ticket = {"2": 21, "3": "tangent"}', lambda: {"3": contains("tangent")},
              ": 3. A tangent touches at one point. The line with two points has another name."),
    ),
)  # fmt: skip

pause1 = pause(
    20.0,
    yes="The factor stays, the power gives 2x, and the 7 never moves.",
    hints=(
        "Take the sum term by term. What is the slope of a plain number?",
        "The slope of x² is 2x, and the factor 2 stays in front.",
        "It is 4x, at 5.",
    ),
    mistakes={
        27.0: "The 7 never changes, so it adds nothing to the slope.",
        10.0: "That is the slope of x². The factor 2 stays in front.",
        57.0: "That is the value at 5. What is the slope there?",
    },
)


CARDS = {
    "01.1": slope,
    "01.2": by_hand,
    "01.pause1": pause1,
    "01.3": tape_slope,
    "01.4": best,
    "01.exit": ticket,
}
