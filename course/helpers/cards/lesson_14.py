"""The exercises of lesson 14, Gradient detective: each report has a code, a line, and a function that was fixed."""

import numpy as np

import minigrad as mg

from ..card import Card, Reply, alike, contains, pause, says
from ..witness import trial


def fixed(ask, expected, points, by_tape=None):
    """Wanted: a function for which `ask(function, *point)` gives what is expected, at each point.

    With `by_tape` also: that tapes gave it, or that they did not.
    """

    def right(f):
        trials = [trial(ask, f, *point) for point in points]
        if not all(alike(seen, expected(*point)) for (seen, _), point in zip(trials, points, strict=True)):
            return False
        return by_tape in (None, all(witness.gave(seen[0] if isinstance(seen, list) else seen) for seen, witness in trials))

    return lambda f: callable(f) and right(f)


def coded(code):
    """Wanted: this code, in letters of any size, with _, - or a space between its words."""
    return says(code.lower().replace("_", " "))


def naming(line):
    """Wanted: a copy of this line, or a part of it that is long enough to find it. Spaces do not count."""

    def named(seen):
        if not isinstance(seen, str) or "\n" in seen.strip():
            return False
        seen, whole = "".join(seen.split()), "".join(line.split())
        return whole in seen or (len(seen) >= ENOUGH and seen in whole)

    return named


ENOUGH = 9  # letters: `2.0*x+3.0` names a line, `gradient` does not


def case(code, line, ask, expected, points, others, yes, options, came_out, hints, solution, other, codes, lines):
    """A report with its known mistakes.

    Args:
        code, line: the right ones; see `naming` for what counts as the line.
        ask, expected, points: how to ask, what to expect, and of what, as for `fixed`.
        others: mistakes in the function: what stands in it, what it gives instead, and the reply.
        other: a function that gives the right numbers and asks no tape for them.
        codes, lines: other codes and lines, each with a reply.
    """

    def report(code, line):
        return f'report = {{"code": "{code}", "line": "{line}", "fixed": fixed}}\n'

    return Card(
        right=lambda: {"code": coded(code), "line": naming(line), "fixed": fixed(ask, expected, points, by_tape=True)},
        yes=yes,
        options=options,
        came_out=came_out,
        hints=hints,
        solution=solution + report(code, line),
        replies=tuple(
            [Reply(wrong + report(code, line), lambda gives=gives: {"fixed": fixed(ask, gives, points)}, f": fixed. {text}")
             for wrong, gives, text in others]
            + [Reply(other + report(code, line), lambda: {"fixed": fixed(ask, expected, points, by_tape=False)},
                     ": fixed. Its numbers are right, but not from a tape. Repair the program that was posted.")]
            + [Reply(solution + report(other, line), lambda other=other: {"code": contains(other.lower())}, f": code. {text}")
               for other, text in codes]
            + [Reply(solution + report(code, other), lambda other=other: {"line": contains(other)}, f": line. {text}")
               for other, text in lines]
            + [Reply(f'{solution}report = {{"code": "{code}", "line": 4, "fixed": fixed}}\n', lambda: {"line": number}, NUMBERED)]
        ),
    )  # fmt: skip


def number(seen):
    """Wanted: a number."""
    return isinstance(seen, int) and seen != 0


NUMBERED = ": line. A number says little to a stranger. Copy the line itself, in quotes, or the part of it that matters."


def nothing(*point):
    return None


# ---- case 1: the mean was taken after the block ----------------------------------------------------------------------


def slopes_of_price(x):
    return np.where(np.array(x) > 2.0, 3.0, 2.0 * np.array(x))


MEAN = """
def fixed(x):
    with mg.GradientTape() as tape:
        price = mg.where(x > 2.0, 3.0 * x, x ** 2)
        mean = mg.reduce_mean(price)
    return tape.gradient(mean, x)

"""

where = case(
    code="OUTSIDE_TAPE",
    line="mean = mg.reduce_mean(price)",
    ask=lambda f, x: f(mg.Variable(x)),
    expected=lambda x: slopes_of_price(x) / len(x),
    points=(([1.0, 3.0, -2.0],), ([4.0, 0.5],)),
    yes="For the program as posted the fixed gradient is [0.667, 1, -1.333], and where takes part in it.",
    options=("where", "pow", "reduce_mean"),
    came_out="the witness named reduce_mean.",
    hints=(
        "Which line of the program is not inside the block?",
        'The witness is tape.explain(mean, x). Its word in capitals after "cause" is the code.',
        "Copy the program into the function, and indent the line with reduce_mean. Return tape.gradient(mean, x).",
    ),
    solution=MEAN,
    other="def fixed(x):\n    return mg.where(x > 2.0, 3.0, 2.0 * x) / len(x.numpy())\n\n",
    others=(
        (MEAN.replace("        mean =", "    mean ="), nothing,
         "It still gives None. Which line has to move into the block?"),
        (MEAN.replace("gradient(mean", "gradient(price"), slopes_of_price,
         "These are the slopes of the sum of the prices: a tape adds up a target with many entries. The task asks for the mean."),
        (MEAN.replace("mg.where(x > 2.0, 3.0 * x, x ** 2)", "x ** 2"), lambda x: 2.0 * np.array(x) / len(x),
         "The where is gone, and with it the price above 2. It was innocent; put it back."),
    ),
    codes=(
        ("NO_DERIVATIVE", "where has a derivative: it passes each slope to the branch that was picked. Read the witness's line *cause*."),
        ("LEFT_ENGINE", "No value left: there is no NumPy in this program. Read the line *cause* of the witness."),
    ),
    lines=(("price = mg.where", "That is the accused, and it is on the tape. What comes after it?"),),
)  # fmt: skip


# ---- case 2: the first gradient was not recorded ---------------------------------------------------------------------


MIXED = """
def fixed(y, v):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            w = y * y * v
        slope = inner.gradient(w, y)
    return outer.gradient(slope, v)

"""

second = case(
    code="FIRST_ORDER_ONLY",
    line="slope = inner.gradient(w, y)",
    ask=lambda f, y, v: f(mg.Variable(y), mg.Variable(v)),
    expected=lambda y, v: 2.0 * y,
    points=((2.0, 3.0), (-1.5, 2.0)),
    yes="4 for the program as posted. The line belongs below the inner block, but inside the outer one.",
    options=("w", "slope", "print"),
    came_out="the line of slope is outside both blocks.",
    hints=(
        "Which of the two tapes gave None? What would it have needed to see?",
        "The witness is outer.explain(slope, v). The line that it names has the right words, but needs another indentation.",
        "In the function: slope = inner.gradient(w, y) is indented as far as the inner `with`. Return outer.gradient(slope, v).",
    ),
    solution=MIXED,
    other="def fixed(y, v):\n    return 2.0 * y\n\n",
    others=(
        (MIXED.replace("        slope =", "    slope ="), nothing,
         "It still gives None. The outer tape has to be recording while inner.gradient runs."),
        (MIXED.replace("return outer.gradient(slope, v)", "return slope"), lambda y, v: 2.0 * y * v,
         "This is the first slope, 2yv. The task asks how fast that changes with v."),
        (MIXED.replace("gradient(slope, v)", "gradient(slope, y)"), lambda y, v: 2.0 * v,
         "This is how fast the slope changes with y. The task asks about v."),
        (MIXED.replace("gradient(slope, v)", "gradient(w, v)"), lambda y, v: y * y,
         "This is the slope of w by v. The task asks for the slope of `slope` by v."),
    ),
    codes=(
        ("OUTSIDE_TAPE", "Close: the line is outside. A gradient that was not recorded has its own code; ask outer about slope and v."),
        ("SPENT_TAPE", "inner was asked once, and so was outer: no tape was used up."),
    ),
    lines=(("w = y * y * v", "That line is on both tapes. What happens to w after it?"),),
)  # fmt: skip


# ---- case 3: the branch that where discards --------------------------------------------------------------------------


GUARDED = """
def fixed(alpha, x):
    with mg.GradientTape() as tape:
        safe = mg.where(x > 0.0, x, 1.0)
        s = mg.where(x > 0.0, alpha * mg.math.log(safe), 0.0)
    return tape.gradient(s, alpha)

"""


def logs(x):
    return sum(np.log(one) for one in x if one > 0)


branch = case(
    code="NOT_FINITE",
    line="s = mg.where(x > 0.0, alpha * mg.math.log(x), 0.0)",
    ask=lambda f, alpha, x: f(mg.Variable(alpha), mg.constant(x)),
    expected=lambda alpha, x: logs(x),
    points=((0.5, [-2.0, 1.0, 4.0]), (2.0, [3.0, 0.0, -0.5]), (-1.0, [0.5, 0.001, -1e-6, 2.0])),
    yes="1.386 for the program as posted: the logarithms of 1 and 4. The inner where guards what log is given, the outer one picks from what it returns.",
    options=("0.0", "1.386", "nan"),
    came_out="fixed, it is 1.386.",
    hints=(
        "Which number must never reach log, although its result is thrown away?",
        "The witness prints a fix that can be pasted: a where inside the log.",
        "safe = mg.where(x > 0.0, x, 1.0), then the line as posted with log(safe). Return tape.gradient(s, alpha).",
    ),
    solution=GUARDED,
    other="def fixed(alpha, x):\n    return sum(math.log(one) for one in x.numpy() if one > 0.0)\n\n",
    others=(
        (GUARDED.replace("log(safe)", "log(x)"), lambda alpha, x: np.nan,
         "It still gives nan. The guard belongs between x and log."),
        (GUARDED.replace("mg.where(x > 0.0, x, 1.0)", "mg.abs(x) + mg.cast(x == 0.0, mg.float32)").replace(
            "mg.where(x > 0.0, alpha * mg.math.log(safe), 0.0)", "alpha * mg.math.log(safe)"),
         lambda alpha, x: sum(np.log(abs(one)) for one in x if one),
         "Finite, but the negative numbers are in it. The outer where is still needed."),
        (GUARDED.replace("    return tape.gradient(s, alpha)", "    g = tape.gradient(s, alpha)\n    return mg.where(g == g, g, 0.0)")
         .replace("log(safe)", "log(x)"), lambda alpha, x: 0.0,
         "The nan has become 0, and the true slope is lost as well. Change the line in which the nan begins."),
        (GUARDED.replace("alpha * mg.math.log(safe)", "mg.math.log(safe)"), nothing,
         "None: alpha is no longer in the formula. It multiplies the log."),
    ),
    codes=(
        ("NO_DERIVATIVE", "where and log both have derivatives. One of them is not a number here: see the first word of the witness."),
        ("LEFT_ENGINE", "No value left the engine. What does the first word of the witness say about the number?"),
    ),
    lines=(("x = mg.constant", "Negative numbers are allowed: the values are right. Which line sends them where they should not go?"),),
)  # fmt: skip


# ---- case 4: the Variable moved after it was read --------------------------------------------------------------------


ASIDE = """
def fixed(w, aside):
    w.assign_add(aside)
    with mg.GradientTape() as tape:
        loss = w * w
    slope = tape.gradient(loss, w)
    w.assign_sub(aside)
    return slope

"""


def ask_aside(f, start, aside):
    """The slope, and where w is afterwards."""
    w = mg.Variable(start)
    return [f(w, aside), w]


late = case(
    code="STALE",
    line="w.assign_add(0.5)",
    ask=ask_aside,
    expected=lambda w, aside: [2.0 * (w + aside), w],
    points=((3.0, 0.5), (-1.0, 0.25)),
    yes="7, at 3.5, and w is back at 3. Aside, record, ask, back: in this order.",
    options=("6", "6.5", "7"),
    came_out="it was 6, as without the step aside.",
    hints=(
        "Read the scene aloud: what was w when the tape read it?",
        "The witness has a line *changed*. That line comes too late; where does it belong?",
        "Four moves: w.assign_add(aside), then the block, then the question, then w.assign_sub(aside).",
    ),
    solution=ASIDE,
    other="def fixed(w, aside):\n    return 2.0 * (w + aside)\n\n",
    others=(
        (ASIDE.replace("    w.assign_add(aside)\n", "").replace("    slope =", "    w.assign_add(aside)\n    slope ="),
         lambda w, aside: [2.0 * w, w],
         "The slope at the old place: w moves after the tape has read it. Step aside before the block."),
        (ASIDE.replace("    w.assign_sub(aside)\n", ""), lambda w, aside: [2.0 * (w + aside), w + aside],
         "The slope is right, but w was not moved back. Step back at the end."),
        (ASIDE.replace("assign_add", "assign_SUB").replace("assign_sub", "assign_add").replace("SUB", "sub"),
         lambda w, aside: [2.0 * (w - aside), w],
         "This steps in the other direction: the slope belongs to w - aside."),
        (ASIDE.replace("    return slope", "    return loss"), lambda w, aside: [(w + aside) ** 2, w],
         "This is the loss at w + aside. The task asks for its slope there."),
    ),
    codes=(
        ("PARTIAL", "PARTIAL is a state, for a missing path. Here every path is there; the witness says that the value is an old one."),
        ("STATE", "Nothing was written into a Variable inside the block. Read the first line of the witness once more."),
    ),
    lines=(
        ("loss = w * w", "There w is read, and that is fine. Which line moves it afterwards?"),
        ("assign_sub", "By then the slope has been asked for. Which change came between reading and asking?"),
    ),
)  # fmt: skip


# ---- case 5: nobody followed the constant ----------------------------------------------------------------------------


WATCHED = """
def fixed(f, x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)

"""

book = case(
    code="UNWATCHED",
    line="y = 2.0 * x + 3.0",
    ask=lambda f, which, x: f((lambda t: 2.0 * t + 3.0, lambda t: t * t * t + t * t)[which], mg.constant(x)),
    expected=lambda which, x: 3.0 * x * x + 2.0 * x if which else 2.0,
    points=((0, 0.0), (1, 2.0), (1, -0.5)),
    yes="2 for the line in the book, and right for any curve.",
    options=("x", "tape", "y"),
    came_out="the line of x makes a constant; the witness names the line where it is first used.",
    hints=(
        "mg.zeros makes a Tensor. What does a tape have to be told about a Tensor?",
        "tape.watch(x) is the line that is missing. On which side of y does it belong, and inside or outside the block?",
        "In the block: tape.watch(x), then y = f(x). Below it: return tape.gradient(y, x).",
    ),
    solution=WATCHED,
    other="def fixed(f, x):\n    return (f(x + 0.125) - f(x - 0.125)) / 0.25 - 0.015625 * (float(f(x + 1.0) + f(x - 1.0) - 2.0 * f(x)) != 0.0 or float(x) != 0.0)\n\n",
    others=(
        (WATCHED.replace("        tape.watch(x)\n", ""), nothing,
         "It still gives None. Is the tape told to follow x, and before f is called?"),
        (WATCHED.replace("y = f(x)", "y = 2.0 * x + 3.0"), lambda which, x: 2.0,
         "2 for every curve. Use the function f, not the line of the post."),
        (WATCHED.replace("return tape.gradient(y, x)", "return y"), lambda which, x: x**3 + x**2 if which else 2.0 * x + 3.0,
         "These are the values. Ask the tape for the slope."),
    ),
    codes=(
        ("UNUSED", "x is used, in the line of y. But no tape watched it then."),
        ("INTEGER", "zeros makes floats, unless it is told otherwise. Read the line *cause* of the witness."),
    ),
    lines=(("x = mg.zeros", "A constant may be made anywhere. The witness names the line where it is first used while no tape watches it."),),
)  # fmt: skip

ticket = Card(
    right=lambda: {"2": 4, "3": says("stale")},
    yes="Both. For item 1, any two questions about what was watched and where the last op ran.",
    hints=(
        "Item 2: what did each of the five scenes print? Four of them show that there is a fault.",
        "Item 2: one scene printed a plausible number. Item 3: its witness has a line *read* and a line *changed*.",
        "Item 2: the step that came too late. Item 3: what is no longer fresh?",
    ),
    solution="""
ticket = {"2": 4, "3": "STALE"}
""",
    replies=(
        Reply('ticket = {"2": 3, "3": "STALE"}', lambda: {"2": 3},
              ": 2. Case 3 printed nan, and that is seen at once. Which scene printed a number that looks right?"),
        Reply('ticket = {"2": 2, "3": "STALE"}', lambda: {"2": 2},
              ": 2. Case 2 gave a right number first, and None for the second question. None is seen."),
        Reply('ticket = {"2": 4, "3": "PARTIAL"}', lambda: {"3": contains("part")},
              ": 3. PARTIAL is a state, and here no path is missing. The slope is complete, but it belongs to an earlier value."),
        Reply('ticket = {"2": 4, "3": "STATE"}', lambda: {"3": contains("state")},
              ": 3. STATE is for a value that went through a Variable inside the block. Here the Variable moved after it was read."),
    ),
)  # fmt: skip

pause1 = pause(
    ("outside tape", "outside_tape", "outside"),
    yes="The minus is an op, and it ran below the block.",
    hints=("How many ops are in these two lines?", "The minus is an op too. When did it run?", "As in case 1."),
    mistakes={
        ("first order only", "first_order_only"): "Nobody asked for the slope of a slope.",
        ("left engine", "left_engine", "left"): "-y is a tensor. Look at when it was made.",
    },
)


pause2 = pause(
    ("nan",),
    yes="0 from where, times the endless slope of 1 / x at 0.",
    hints=(
        "Which of the cases is this one like?",
        "where sends 0 to the branch that was not taken. What is the slope of 1 / x at 0?",
        "0 times inf.",
    ),
    mistakes={
        ("zero", "0"): "where sends a 0, and 1 / x multiplies it by something that is not finite.",
        ("none",): "The paths are there, both of them.",
    },
)


CARDS = {
    "14.1": where,
    "14.2": second,
    "14.pause1": pause1,
    "14.3": branch,
    "14.4": late,
    "14.pause2": pause2,
    "14.5": book,
    "14.exit": ticket,
}
