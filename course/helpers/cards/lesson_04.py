"""The exercises of lesson 04, Intermediates and persistence."""

from ..card import Card, Reply, Way, pause, says, stops
from ..witness import asked_once, by_tape

SPENT = stops(RuntimeError, "non-persistent")

BY_PRESSURE = """
def by_pressure(wind):
    wind = mg.Variable(float(wind))
    with mg.GradientTape() as tape:
        pressure = wind * wind
        damage = pressure * pressure
    return tape.gradient(damage, pressure)
"""

by_pressure = Card(
    points=((2.0,), (5.0,), (1.5,)),
    right=lambda wind: 2.0 * wind**2,
    yes="Pressure need not be watched by name: what comes from something watched is on the tape.",
    options=("18.0", "108.0", "12.0", "None"),
    came_out="the tape gave 18.0.",
    miss="At wind {0} it gave {seen}.",
    hints=(
        "Which of the three values is the target here, and which is the source?",
        "Make wind a Variable, compute both lines in the block, and use the pressure from the block as the source.",
        "Below the block: return tape.gradient(damage, pressure).",
    ),
    solution=BY_PRESSURE,
    replies=(
        Reply(
            BY_PRESSURE.replace("(damage, pressure)", "(damage, wind)"),
            lambda wind: 4.0 * wind**3,
            "This is damage by wind, one line too far. Stop at pressure.",
        ),
        Reply(
            BY_PRESSURE.replace("(damage, pressure)", "(pressure, wind)"),
            lambda wind: 2.0 * wind,
            "This is pressure by wind, the other half of the way.",
        ),
        Reply(
            BY_PRESSURE.replace("(damage, pressure)", "(damage, wind * wind)"),
            lambda wind: None,
            "None. Is the source the very pressure from the block? And was wind watched there?",
        ),
        Reply(
            BY_PRESSURE.replace("tape.gradient(damage, pressure)", "damage"),
            lambda wind: wind**4,
            "This is the damage itself, and it is right. Ask the tape for the slope.",
        ),
        Reply(
            BY_PRESSURE.replace("mg.Variable(float(wind))", "float(wind)"),
            lambda wind: stops(AttributeError, "'float' object"),
            "With a Python number all the results are Python numbers, and a tape cannot see those. Make wind a Variable.",
        ),
    ),
    ways=(
        Way(
            "def by_pressure(wind): return 2.0 * wind ** 2",
            by_tape,
            "The right number, but not from a tape. Ask one: tape.gradient(damage, pressure).",
        ),
    ),
)


REPORT = """
def report(wind, gust):
    wind, gust = mg.Variable(float(wind)), mg.Variable(float(gust))
    with mg.GradientTape() as tape:
        pressure = wind * wind * gust
        damage = pressure * pressure
    return tape.gradient(damage, {"pressure": pressure, "wind": wind, "gust": gust})
"""


def slopes_of_damage(wind, gust):
    upstream = 2.0 * wind**2 * gust
    return {"pressure": upstream, "wind": upstream * 2.0 * wind * gust, "gust": upstream * wind**2}


report = Card(
    points=((2.0, 3.0), (1.5, -2.0), (3.0, 0.5)),
    right=slopes_of_damage,
    yes="Three slopes from one question. The slopes by wind and gust were computed from the one by pressure.",
    options=("12.0", "16.0", "None", "an error"),
    came_out="the second question raised a RuntimeError.",
    miss="At wind {0} and gust {1} it gave {seen}.",
    hints=(
        "How many questions may you ask this tape? And how many sources fit into one?",
        'The sources go into a dict: {"pressure": pressure, "wind": wind, "gust": gust}. The answer has the same form.',
        "Two Variables, both lines in the block, and below it: return tape.gradient(damage, that dict).",
    ),
    solution=REPORT,
    replies=(
        Reply(
            """
def report(wind, gust):
    wind, gust = mg.Variable(float(wind)), mg.Variable(float(gust))
    with mg.GradientTape() as tape:
        pressure = wind * wind * gust
        damage = pressure * pressure
    sources = {"pressure": pressure, "wind": wind, "gust": gust}
    return {name: tape.gradient(damage, source) for name, source in sources.items()}
""",
            lambda wind, gust: SPENT,
            "The tape was asked more than once, and the first question used it up. Pass the whole dict, in a single call.",
        ),
        Reply(
            REPORT.replace('{"pressure": pressure, "wind": wind, "gust": gust}', "[pressure, wind, gust]"),
            lambda wind, gust: list(slopes_of_damage(wind, gust).values()),
            "The right numbers, in a list. Put the sources into a dict, and the answer will be one.",
        ),
        Reply(
            REPORT.replace("wind * wind * gust", "wind * gust"),
            lambda wind, gust: {"pressure": 2 * wind * gust, "wind": 2 * wind * gust**2, "gust": 2 * wind**2 * gust},
            "These are the slopes for wind * gust, as in the cell above. Here the pressure is wind * wind * gust.",
        ),
        Reply(
            REPORT.replace("mg.Variable(float(wind)), mg.Variable(float(gust))", "mg.constant(wind), mg.constant(gust)"),
            lambda wind, gust: {"pressure": None, "wind": None, "gust": None},
            "None for all three. What makes a tape watch wind and gust? A Variable needs nothing more; a constant needs tape.watch.",
        ),
        Reply(
            REPORT.replace('"pressure": pressure', '"pressure": wind * wind * gust'),
            lambda wind, gust: {**slopes_of_damage(wind, gust), "pressure": None},
            "None for pressure alone. The source has to be the pressure that was computed in the block, not one like it.",
        ),
        Reply(
            REPORT.replace("gradient(damage,", "gradient(pressure,"),
            lambda wind, gust: {"pressure": 1.0, "wind": 2.0 * wind * gust, "gust": wind**2},
            "These are the slopes of pressure. The target is damage.",
        ),
    ),
    ways=(
        Way(
            """
def report(wind, gust):
    upstream = 2.0 * wind ** 2 * gust
    return {"pressure": upstream, "wind": upstream * 2.0 * wind * gust, "gust": upstream * wind ** 2}
""",
            by_tape,
            "The right numbers, but not from a tape. Ask one, with a dict of sources.",
        ),
        Way(
            """
def report(wind, gust):
    wind, gust = mg.Variable(float(wind)), mg.Variable(float(gust))
    with mg.GradientTape(persistent=True) as tape:
        pressure = wind * wind * gust
        damage = pressure * pressure
    sources = {"pressure": pressure, "wind": wind, "gust": gust}
    return {name: tape.gradient(damage, source) for name, source in sources.items()}
""",
            asked_once,
            "The right numbers, from more than one question. One is enough, and then the tape need not be persistent: hand over the dict.",
        ),
        Way(
            """
def report(wind, gust):
    wind, gust = mg.Variable(float(wind)), mg.Variable(float(gust))
    with mg.GradientTape(persistent=True) as tape:
        pressure = wind * wind * gust
        damage = pressure * pressure
    return tape.gradient(damage, {"pressure": pressure, "wind": wind, "gust": gust})
""",
            lambda witness, *rest: not any(tape.persistent for tape in witness.tapes),
            "The right numbers, from one question, but from a persistent tape. For one question it need not be persistent.",
        ),
    ),
)


SHARED = {"s * s": (lambda s: s * s, lambda s: 2.0 * s), "3 * s": (lambda s: 3.0 * s, lambda s: 3.0)}
ENDS = {
    "m * m": (lambda m: m * m, lambda m: 2.0 * m),
    "1 - m": (lambda m: 1.0 - m, lambda m: -1.0),
    "5 * m": (lambda m: 5.0 * m, lambda m: 5.0),
}


def ask_each_end(each_end, shared, ends, x):
    """The slopes, and how often the shared part ran."""
    runs = []

    def counted(s):
        runs.append(s)
        return SHARED[shared][0](s)

    slopes = each_end(counted, [ENDS[end][0] for end in ends], x)
    return {"slopes": list(slopes) if isinstance(slopes, tuple) else slopes, "shared ran": len(runs)}


def ends_by_middle(shared, ends, x):
    return [ENDS[end][1](float(SHARED[shared][0](x))) for end in ends]


def ends_by_x(shared, ends, x):
    return [slope * SHARED[shared][1](x) for slope in ends_by_middle(shared, ends, x)]


def comes(slopes, runs=1):
    """What comes out, if these are the slopes."""
    return lambda shared, ends, x: {"slopes": slopes(shared, ends, x), "shared ran": runs}


EACH_END = """
def each_end(shared, ends, x):
    x = mg.Variable(x)
    with mg.GradientTape(persistent=True) as tape:
        middle = shared(x)
        targets = [end(middle) for end in ends]
    return [tape.gradient(target, x) for target in targets]
"""

each_end = Card(
    points=(("s * s", ("m * m", "1 - m", "5 * m"), 2.0), ("3 * s", ("1 - m", "m * m"), -1.5)),
    ask=ask_each_end,
    right=comes(ends_by_x),
    yes="The slow part ran once, and each end has its own slope.",
    options=("[2, 6]", "[6, 114]", "an error"),
    came_out="the second answer was [2, 6].",
    miss="For shared = {0}, ends = {1} and x = {2} it gave {seen}.",
    hints=(
        "One run, several targets, each by itself: which kind of tape is that a job for?",
        "In the block: middle = shared(x) once, then a list with end(middle) for each end. The questions come below the block.",
        "x = mg.Variable(x); persistent=True; and last: return [tape.gradient(target, x) for target in targets].",
    ),
    solution=EACH_END,
    replies=(
        Reply(
            EACH_END.replace("persistent=True", ""),
            lambda shared, ends, x: SPENT,
            "The first question used the tape up, and you ask several. This is a job for persistent=True.",
        ),
        Reply(
            """
def each_end(shared, ends, x):
    x = mg.Variable(x)
    slopes = []
    for end in ends:
        with mg.GradientTape() as tape:
            target = end(shared(x))
        slopes.append(tape.gradient(target, x))
    return slopes
""",
            lambda shared, ends, x: {"slopes": ends_by_x(shared, ends, x), "shared ran": len(ends)},
            "The slopes are right. But shared ran once for each end, and it is the slow part. Run it once, on one tape that keeps.",
        ),
        Reply(
            EACH_END.replace("[tape.gradient(target, x) for target in targets]", "tape.gradient(targets, x)"),
            comes(lambda shared, ends, x: sum(ends_by_x(shared, ends, x))),
            "One number: a list of targets is added up. Ask for each target by itself.",
        ),
        Reply(
            EACH_END.replace("gradient(target, x)", "gradient(target, middle)"),
            comes(ends_by_middle),
            "These are the slopes by middle, each right. The task asks for the slopes by x, one line further back.",
        ),
        Reply(
            EACH_END.replace("        targets =", "    targets ="),
            comes(lambda shared, ends, x: [None] * len(ends)),
            "None for each. Do the ends run inside the block, and is x a Variable?",
        ),
    ),
    ways=(
        Way(
            """
def each_end(shared, ends, x, h=0.01):
    with mg.GradientTape() as tape:
        x = mg.Variable(x)
        middle = shared(x)
    by_x, m = float(tape.gradient(middle, x)), float(middle)
    return [by_x * float(end(mg.constant(m + h, mg.float64)) - end(mg.constant(m - h, mg.float64))) / (2 * h) for end in ends]
""",
            lambda witness, seen, *point: witness.gave(seen["slopes"], chained=True),
            "The right slopes, but not everything in them came from a tape. One persistent tape can be asked for each end.",
        ),
    ),
)


JOBS = {"A": "once", "B": "persistent", "C": "once", "D": "once", "E": "once"}


def job(letter, answer, text):
    """A reply to one entry."""
    return Reply(f"jobs = {JOBS | {letter: answer}}", lambda: {letter: answer}, f": {letter}. {text}")


jobs = Card(
    right=lambda: JOBS,
    yes="Four of five need one question. Only several targets, each one separately, need a persistent tape.",
    options=("1", "2", "9", "16"),
    came_out="the persistent tape held 9.",
    hints=(
        "For each job count the questions, not the slopes. How many targets are there?",
        "Many sources: one question. A sum of targets: one target. Two targets, each by itself: two questions.",
        "Only one of the five asks one run more than once.",
    ),
    solution=f"""
jobs = {JOBS}
""",
    replies=(
        job("A", "persistent", "Fifty slopes, one target. A list of fifty sources is one question."),
        job("B", "once", "In one question the two losses would be added up, and the slopes of each could not be told apart."),
        job("C", "persistent", "A result in the middle is a source like any other. It goes into the same list as the weights."),
        job("D", "persistent", "The sum of two losses is one target. And a list of two targets is added up as well: again one question."),
        job("E", "persistent", "Each iteration has a tape of its own, and that one is asked once."),
    ),
)


ticket = Card(
    right=lambda: {"2": 40.0, "3": says("del tape")},
    yes="Both. For item 1, any sentence that names the memory, and that one question may hold many sources.",
    hints=(
        "Item 2: how large is area, and what is the slope of 5 · area²?",
        "Item 2: the slope is 10 · area. Item 3: the last line of the first cell of section 3.",
        "Item 2: area is 4. Item 3: it begins with del.",
    ),
    solution="""
ticket = {"2": 40.0, "3": "del tape"}
""",
    replies=(
        Reply('ticket = {"2": 160.0, "3": "del tape"}', lambda: {"2": 160.0},
              ": 2. 160 is the slope by side, one line further back. The question is about area."),
        Reply('ticket = {"2": 80.0, "3": "del tape"}', lambda: {"2": 80.0},
              ": 2. 80 is the price itself. What is its slope by area?"),
        Reply('ticket = {"2": 20.0, "3": "del tape"}', lambda: {"2": 20.0},
              ": 2. The area at side 2 is 4. With 2 in its place you get 20. Or did you count only one of the two factors area?"),
        Reply('ticket = {"2": None, "3": "del tape"}', lambda: {"2": None},
              ": 2. Not None: area was computed from something watched, so it is on the tape."),
    ),
)  # fmt: skip

pause1 = pause(
    12.0,
    yes="3 at y, and 3 times 2x at x.",
    hints=("Read it back from z: what arrives at y?", "3 arrives at y. The local derivative of x * x is 2x.", "3 times 4."),
    mistakes={
        3.0: 'That stands under "y".',
        4.0: "That is y by x. z grows three times as fast.",
        24.0: "x * x has the slope 2x: 4, and that is all of it.",
    },
)


CARDS = {
    "04.1": by_pressure,
    "04.2": report,
    "04.pause1": pause1,
    "04.3": each_end,
    "04.4": jobs,
    "04.exit": ticket,
}
