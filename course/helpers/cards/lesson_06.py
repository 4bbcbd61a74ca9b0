"""The exercises of lesson 06, Control flow."""

import math

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, pause, says, stops
from ..witness import by_tape


def value_and_slope(f, x):
    """What f gives at x, and the tape's slope there."""
    x = mg.Variable(x)
    with mg.GradientTape() as tape:
        y = f(x)
    return {"value": y, "slope": tape.gradient(y, x)}


def pieces(inner, outer, inside=lambda x: -1.0 <= x <= 1.0):
    """Value and slope of one formula inside and another outside."""
    return lambda x: dict(zip(("value", "slope"), inner(x) if inside(x) else outer(x), strict=True))


def bend(x):
    return x**2, 2.0 * x


def straight(x):
    return 2.0 * abs(x) - 1.0, 2.0 * np.sign(x)


SPRING = """
def spring(x):
    if mg.abs(x) <= 1.0:
        return x ** 2
    return 2.0 * mg.abs(x) - 1.0
"""

spring = Card(
    points=((0.5,), (3.0,), (-2.0,), (-0.25,), (0.95,), (-0.95,), (1.05,), (-1.05,), (1.0,), (-1.0,), (0.0,)),
    ask=value_and_slope,
    right=pieces(bend, straight),
    yes="Two formulas that meet at 1 with the same value and the same slope, so the corner is no corner.",
    options=("1.0", "0.0", "None"),
    came_out="the tape gave None for x.",
    miss="At x = {0} it gave {seen}.",
    hints=(
        "There are three stretches: below -1, between, above 1. Which two of them have one formula?",
        "mg.abs(x) <= 1.0 is the question. x ** 2 is one answer, 2.0 * mg.abs(x) - 1.0 the other.",
        "if mg.abs(x) <= 1.0: return the square. Below it: return the straight part, with mg.abs.",
    ),
    solution=SPRING,
    replies=(
        Reply(
            SPRING.replace("mg.abs(x) <=", "x <="),
            pieces(bend, straight, lambda x: x <= 1.0),
            "Right for positive x. At x = -2 the question `x <= 1` says yes as well. Ask about |x|.",
        ),
        Reply(
            SPRING.replace("2.0 * mg.abs(x)", "2.0 * x"),
            pieces(bend, lambda x: (2.0 * x - 1.0, 2.0)),
            "Right from -1 on. To the left of that the straight part has to rise again: it needs |x|, not x.",
        ),
        Reply(
            SPRING.replace("<=", ">"),
            pieces(bend, straight, lambda x: abs(x) > 1.0),
            "Both formulas are right, but they have changed places.",
        ),
        Reply(
            SPRING.replace("x ** 2", "x ** 2 + 0.0").replace("- 1.0", ""),
            pieces(bend, lambda x: (2.0 * abs(x), 2.0 * np.sign(x))),
            "The slopes are right. The straight part lies too high by 1: at 1 the two have to meet.",
        ),
        Reply(
            SPRING.replace("def spring(x):", "def spring(x):\n    x = mg.constant(float(x))"),
            lambda x: {"value": pieces(bend, straight)(x)["value"], "slope": None},
            "The values are right, and the slope is None: the x that you compute with is no longer the one that is watched. "
            "float(x) is fine in the question, not in the formula.",
        ),
        Reply(
            SPRING.replace("def spring(x):", "def spring(x):\n    x = float(x)").replace("mg.abs", "abs"),
            lambda x: stops(AttributeError, "'float' object"),
            "The function returned a Python number, which no tape can follow. float(x) is fine in the question, not in the formula.",
        ),
    ),
    ways=(
        Way(
            """
def spring(x):
    return mg.where(mg.abs(x) <= 1.0, x ** 2, 2.0 * mg.abs(x) - 1.0)
""",
            lambda witness, *rest: not any(op == "select" for op in witness.ops),
            "The right values and slopes, by mg.where, which needs both formulas. The task asks for an `if`, which runs one.",
        ),
    ),
)


def fall(keep, loss):
    """The heights of the second ball, one after the other."""
    heights = [10.0]
    while heights[-1] > 1.0:
        heights.append(keep * heights[-1] - loss)
    return heights


def slopes_of_fall(keep, loss):
    by_keep = by_loss = 0.0
    for height in fall(keep, loss)[:-1]:
        by_keep, by_loss = height + keep * by_keep, keep * by_loss - 1.0
    return [by_keep, by_loss]


SLOPES = """
def slopes(keep, loss):
    keep, loss = mg.Variable(keep), mg.Variable(loss)
    with mg.GradientTape() as tape:
        height = 10.0
        while height > 1.0:
            height = keep * height - loss
    return tape.gradient(height, [keep, loss])
"""

slopes = Card(
    points=((0.5, 0.5), (0.75, 0.25), (0.6, 1.0), (0.5, 4.0)),
    right=slopes_of_fall,
    yes="Each iteration has its share in both. More loss, less height: that slope is negative, and with several iterations below -1.",
    options=("5.12", "20.48", "None"),
    came_out="the slope is 20.48.",
    miss="For keep {0} and loss {1} it gave {seen}.",
    hints=(
        "Which lines have to run while the tape records: the last iteration, or all of them?",
        "Two Variables. Inside the block: height = 10.0 and the whole while loop. The question comes below the block.",
        "Last line: return tape.gradient(height, [keep, loss]). The while goes inside the with, not the other way round.",
    ),
    solution=SLOPES,
    replies=(
        Reply(
            """
def slopes(keep, loss):
    keep, loss = mg.Variable(keep), mg.Variable(loss)
    height = 10.0
    while height > 1.0:
        with mg.GradientTape() as tape:
            height = keep * height - loss
    return tape.gradient(height, [keep, loss])
""",
            lambda keep, loss: [fall(keep, loss)[-2], -1.0],
            "These are the slopes of the last iteration alone. Is one tape open around the whole loop, and does height stay a tensor?",
        ),
        Reply(
            SLOPES.replace("mg.Variable(keep), mg.Variable(loss)", "mg.constant(keep), mg.constant(loss)"),
            lambda keep, loss: [None, None],
            "None for both. Are keep and loss Variables, or else watched? And does the loop run inside the block?",
        ),
        Reply(
            SLOPES.replace("tape.gradient(height, [keep, loss])", "height"),
            lambda keep, loss: fall(keep, loss)[-1],
            "This is the last height, and it is right. Ask the tape for its two slopes.",
        ),
        Reply(
            SLOPES.replace("[keep, loss])", "keep)"),
            lambda keep, loss: slopes_of_fall(keep, loss)[0],
            "This is the slope by keep. Ask for both in one list: [keep, loss].",
        ),
        Reply(
            SLOPES.replace("height = keep * height - loss", "height = float(keep * height - loss)"),
            lambda keep, loss: stops(AttributeError, "'float' object"),
            "The target is a Python number: float(...) or .numpy() made it one. Keep height a tensor.",
            mark=lambda witness: "float()" in witness.exits or "numpy()" in witness.exits,
        ),
        Reply(
            SLOPES.replace("keep, loss = mg.Variable(keep), mg.Variable(loss)\n", "by = mg.Variable(keep), mg.Variable(loss)\n").replace(
                "[keep, loss])", "by)"
            ),
            lambda keep, loss: stops(AttributeError, "'float' object"),
            "The target is a Python number. Is height computed from the two Variables themselves?",
        ),
        Reply(
            SLOPES.replace(" - loss\n", "\n"),
            lambda keep, loss: lambda seen: isinstance(seen, list) and len(seen) == 2 and seen[1] is None and seen[0] is not None,
            "None for loss: it takes no part in the loop yet. Each iteration is keep * height - loss.",
        ),
    ),
    ways=(
        Way(
            """
def slopes(keep, loss):
    height, by_keep, by_loss = 10.0, 0.0, 0.0
    while height > 1.0:
        height, by_keep, by_loss = keep * height - loss, height + keep * by_keep, keep * by_loss - 1.0
    return [by_keep, by_loss]
""",
            by_tape,
            "The right numbers, but not from a tape. Let one follow the whole loop, and ask it.",
        ),
    ),
)


ANSWERS = {"p": 30.0, "q": 20.0, "r": None, "s": None, "t": None}


def entry(letter, answer, text):
    """A reply to one entry."""
    return Reply(f"answers = {ANSWERS | {letter: answer}}", lambda: {letter: answer}, f": {letter}. {text}")


answers = Card(
    right=lambda: ANSWERS,
    yes="p decides and is also computed with, so it has a slope. r and t only decide. s is in a branch that did not run.",
    options=("24.0", "0.0", "None"),
    came_out="the second tape gave None.",
    hints=(
        "Which of the two branches runs in each line? Write down the two lines that are left.",
        "r is 1, so a = p * q. p is 2 and t is 1, so b = 10 * a. Which of the five are not in these two lines?",
        "b = 10 · p · q, at p = 2 and q = 3. For those that are not in it: None.",
    ),
    solution=f"""
answers = {ANSWERS}
""",
    replies=(
        Reply(f"answers = {dict(ANSWERS, p=36.0, q=24.0)}", lambda: {"p": 36.0, "q": 24.0},
              ": p and q. These are the slopes of a · a. Is p < t, with 2 and 1?"),
        Reply(f"answers = {dict(ANSWERS, p=3.0, q=2.0)}", lambda: {"p": 3.0, "q": 2.0},
              ": p and q. These are the slopes of a. b is 10 times a."),
        Reply(f"answers = {dict(ANSWERS, r=0.0, s=0.0, t=0.0)}", lambda: {"r": 0.0, "s": 0.0, "t": 0.0},
              ": r, s and t. 0 says connected and flat. From these three no chain of numbers leads to b at all."),
        entry("p", None, "It decides, and it counts as well: it is a factor of a."),
        entry("r", 0.0, "0 says connected and flat. r was compared, and no number led on from there."),
        entry("s", 10.0, "s is in the branch that did not run."),
        entry("t", 0.0, "0 says connected and flat. t was compared, and no number led on from there."),
        entry("s", 0.0, "0 says connected and flat. The line with s never ran."),
    ),
)  # fmt: skip


def ask_blend(blend, x, gate, below, above, k):
    """The value, and the slope by the gate."""
    gate = mg.Variable(gate)
    with mg.GradientTape() as tape:
        y = blend(mg.constant(x), gate, below, above, k)
    return {"value": y, "by gate": tape.gradient(y, gate)}


def share(x, gate, k):
    """The sigmoid at the point, and its slope by the gate."""
    s = 1.0 / (1.0 + math.exp(-k * (x - gate)))
    return s, -k * s * (1.0 - s)


def blends(mix):
    """What comes out, if value and slope are mixed like this: from a share, and from below and above."""

    def come_out(x, gate, below, above, k):
        s, slope = share(x, gate, k)
        return {"value": mix(s, below, above), "by gate": slope * (mix(1.0, below, above) - mix(0.0, below, above))}

    return come_out


BLEND = """
def blend(x, gate, below, above, k):
    share = mg.sigmoid(k * (x - gate))
    return below + (above - below) * share
"""

blend = Card(
    points=((2.0, 1.5, 0.0, 10.0, 5.0), (0.5, 1.0, 4.0, 1.0, 2.0), (3.0, 3.0, -2.0, 6.0, 1.0)),
    ask=ask_blend,
    right=blends(lambda s, below, above: below + (above - below) * s),
    yes="Smooth in the gate, whichever of the two ends lies higher.",
    options=("3.51", "-3.51", "None"),
    came_out="the slope is -3.51.",
    miss="At x = {0}, gate {1}, from {2} to {3} with k = {4}, it gave {seen}.",
    hints=(
        "The sigmoid runs from 0 to 1. Which mixture of below and above is `below` at 0 and `above` at 1?",
        "share = mg.sigmoid(k * (x - gate)). The distance to cover is above - below.",
        "Return below plus share times the distance.",
    ),
    solution=BLEND,
    replies=(
        Reply(
            BLEND.replace("(x - gate)", "(gate - x)"),
            blends(lambda s, below, above: above + (below - above) * s),
            "The two ends have changed places. Above the gate, x - gate is positive, and the sigmoid near 1.",
        ),
        Reply(
            BLEND.replace("below + (above - below) * share", "above * share"),
            blends(lambda s, below, above: above * s),
            "Right as long as below is 0, as it was with the lamp. For other ends, start at below.",
        ),
        Reply(
            BLEND.replace("(above - below) * share", "above * share"),
            blends(lambda s, below, above: below + above * s),
            "At share 1 this gives below + above. The distance to cover is above - below.",
        ),
        Reply(
            """
def blend(x, gate, below, above, k):
    return mg.where(x > gate, above, below)
""",
            lambda x, gate, below, above, k: {"value": above if x > gate else below, "by gate": None},
            "A hard choice: the slope by the gate is None. Use the sigmoid as the share of each end.",
        ),
        Reply(
            BLEND.replace("k * (x - gate)", "x - gate"),
            lambda x, gate, below, above, k: blends(lambda s, low, high: low + (high - low) * s)(x, gate, below, above, 1.0),
            "Right for k = 1. k multiplies the distance from the gate, inside the sigmoid.",
        ),
        Reply(
            BLEND.replace("mg.sigmoid(k * (x - gate))", "1 / (1 + np.exp(-k * (x.numpy() - gate.numpy())))"),
            lambda x, gate, below, above, k: stops(AttributeError, "'float"),
            "The result is a plain number, which no tape can follow. mg.sigmoid takes tensors and gives one back.",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 32.0, "3": says("unroll", "unrolled", "unrolling", "unrolls")},
    yes="Both. For item 1, any sentence that says: it decides, and is not computed with.",
    hints=(
        "Item 2: write the loop out. How many factors x does y have at the end?",
        "Item 2: y is x⁴. Item 3: section 2 has it in its title.",
        "Item 2: 4 · 2³. Item 3: it begins with un.",
    ),
    solution="""
ticket = {"2": 32.0, "3": "unrolled"}
""",
    replies=(
        Reply('ticket = {"2": 12.0, "3": "unrolled"}', lambda: {"2": 12.0},
              ": 2. 12 belongs to x³. The first line, y = x, brings a factor before the loop begins."),
        Reply('ticket = {"2": 16.0, "3": "unrolled"}', lambda: {"2": 16.0},
              ": 2. 16 is the value of y at 2. What is the slope?"),
        Reply('ticket = {"2": 8.0, "3": "unrolled"}', lambda: {"2": 8.0},
              ": 2. 8 is what one iteration sends. How many factors send as much?"),
        Reply('ticket = {"2": 24.0, "3": "unrolled"}', lambda: {"2": 24.0},
              ": 2. 24 is what the three iterations send, as x. The y they begin with is x, too."),
    ),
)  # fmt: skip

pause1 = pause(
    1.5,
    yes="2k³ has the slope 6k². Each of three iterations sends 0.5.",
    hints=("Write the three iterations as one formula.", "y is 2 times k³ at the end.", "The slope is 6k², at 0.5."),
    mistakes={
        0.5: "That is what one iteration sends. There are three.",
        0.25: "That is the last y.",
        3.0: "2 times 3 is 6, and 6 times k² is less.",
    },
)


CARDS = {
    "06.1": spring,
    "06.2": slopes,
    "06.pause1": pause1,
    "06.3": answers,
    "06.4": blend,
    "06.exit": ticket,
}
