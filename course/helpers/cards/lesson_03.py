"""The exercises of lesson 03, Watching."""

from functools import partial

import minigrad as mg

from ..card import Card, Reply, Way, contains, pause, says, stops
from ..witness import by_tape

MADE = """mg.Variable(2.0)
mg.Variable(0.0)
mg.Variable([1.0, 2.0], trainable=False)
mg.Variable([[1.0], [2.0]])
mg.Variable(2.0) * 1.0
mg.constant([1.0, 2.0])
2.0
mg.Variable(2.0).numpy()
mg.Variable([3.0])"""
THINGS = {line: partial(eval, line, {"mg": mg}) for line in MADE.splitlines()}


def watched(thing):
    """Does a tape watch it without being told?"""
    return thing.startswith("mg.Variable") and not thing.endswith(("trainable=False)", "* 1.0", "numpy()"))


will_watch = Card(
    points=tuple((thing,) for thing in THINGS),
    ask=lambda will_watch, thing: will_watch(THINGS[thing]()),
    right=watched,
    yes="A Variable, and trainable: both, and nothing else. The value it holds plays no part.",
    options=("1", "2", "3", "4"),
    came_out="1 of the 4 has a gradient.",
    miss="For {0} it said {seen}.",
    hints=(
        "Go down the table: in which two columns does a thing need a yes?",
        "isinstance(thing, mg.Variable) asks the first question. A Variable keeps the second answer as thing.trainable.",
        "Join the two with `and`, the isinstance first: only a Variable has a trainable.",
    ),
    solution="""
def will_watch(thing):
    return isinstance(thing, mg.Variable) and thing.trainable
""",
    replies=(
        Reply(
            """
def will_watch(thing):
    return isinstance(thing, mg.Variable)
""",
            lambda thing: watched(thing) or "trainable" in thing,
            "Right for everything but one: the frozen Variable. What was said when it was made?",
        ),
        Reply(
            """
def will_watch(thing):
    return thing.trainable
""",
            lambda thing: watched(thing) if watched(thing) or "trainable" in thing else stops(AttributeError),
            "Right for Variables. Tensors and numbers have no trainable: ask first whether the thing is a Variable.",
        ),
        Reply(
            """
def will_watch(thing):
    return mg.is_tensor(thing)
""",
            lambda thing: thing != "2.0" and "numpy" not in thing,
            "mg.is_tensor says yes to Variables and to Tensors. A tape watches only one of the two by itself.",
        ),
        Reply(
            """
def will_watch(thing):
    return not isinstance(thing, mg.Variable)
""",
            lambda thing: not thing.startswith("mg.Variable") or thing.endswith(("* 1.0", "numpy()")),
            "The other way round: Variables are what a tape watches without being told.",
        ),
    ),
)


FUNCTIONS = {  # each with its slope
    "x * x * x": (lambda x: x * x * x, lambda x: 3.0 * x * x),
    "5.0 - 2.0 * x": (lambda x: 5.0 - 2.0 * x, lambda x: -2.0),
}
SLOPES = """
def slopes(f, numbers):
    found = []
    for number in numbers:
        c = mg.constant(number)
        with mg.GradientTape() as tape:
            tape.watch(c)
            y = f(c)
        found.append(tape.gradient(y, c))
    return found
"""

slopes = Card(
    points=(("x * x * x", [1.0, -2.0, 5.0]), ("5.0 - 2.0 * x", [0.5, 3.0]), ("x * x * x", [0.25, -1.5])),
    ask=lambda slopes, f, numbers: slopes(FUNCTIONS[f][0], numbers),
    right=lambda f, numbers: [FUNCTIONS[f][1](number) for number in numbers],
    yes="Each number was followed by a tape before f ran, and each slope comes from a tape.",
    options=("6.0", "0.0", "None", "an error"),
    came_out="the second tape gave None.",
    miss="For f = {0} at {1} it gave {seen}.",
    hints=(
        "A number is no tensor yet, and a constant is not watched yet. Where does each of the two change?",
        "For each number: mg.constant(number), a tape, tape.watch(c) as the first line of the block.",
        "In the loop, in order: c = mg.constant(number), with ... as tape, tape.watch(c), y = f(c); below the block, append the gradient.",
    ),
    solution=SLOPES,
    replies=(
        Reply(
            SLOPES.replace("            tape.watch(c)\n", ""),
            lambda f, numbers: [None] * len(numbers),
            "Every gradient is None. Is each constant watched, on its own tape, before f runs? And is it the constant that you ask about?",
        ),
        Reply(
            """
def slopes(f, numbers):
    found = []
    for number in numbers:
        c = mg.constant(number)
        tape = mg.GradientTape()
        tape.watch(c)
        with tape:
            y = f(c)
        found.append(tape.gradient(y, c))
    return found
""",
            lambda f, numbers: stops(AttributeError, "not running"),
            "The tape was not running when it was called. Inside the block it runs: begin with tape.watch there, and ask below.",
        ),
        Reply(
            SLOPES.replace("tape.watch(c)", "tape.watch(number)"),
            lambda f, numbers: stops(ValueError, "Passed in object"),
            "A Python number cannot be watched. Make it a tensor first: mg.constant(number).",
        ),
        Reply(
            """
def slopes(f, numbers):
    constants = [mg.constant(number) for number in numbers]
    with mg.GradientTape() as tape:
        tape.watch(constants)
        values = [f(c) for c in constants]
    return [tape.gradient(y, c) for y, c in zip(values, constants)]
""",
            lambda f, numbers: stops(RuntimeError, "non-persistent"),
            "A tape was asked more than once: the first question used it up. Open a tape for each number, and ask it once.",
        ),
        Reply(
            SLOPES.replace("tape.gradient(y, c)", "y"),
            lambda f, numbers: [FUNCTIONS[f][0](number) for number in numbers],
            "These are the values of f, and they are right. Ask the tape for the slopes.",
        ),
    ),
    ways=(
        Way(
            """
def slopes(f, numbers, h=0.01):
    return [float(f(mg.constant(n + h, mg.float64)) - f(mg.constant(n - h, mg.float64))) / (2 * h) for n in numbers]
""",
            by_tape,
            "The right numbers, but not from a tape. Each number needs a tape, a watch, and tape.gradient.",
        ),
    ),
)


def ask_about_chosen(about_chosen, a, b, chosen):
    """The gradients of a * a * b + a, where the two Variables may be equal in value."""
    a, b = mg.Variable(a, name="a"), mg.Variable(b, name="b")
    chosen = [v for v, name in ((a, "a"), (b, "b")) if name in chosen]
    return about_chosen(lambda: a * a * b + a, [a, b], chosen)


def slopes_of_chosen(a, b, chosen):
    return [2.0 * a * b + 1.0 if "a" in chosen else None, a * a if "b" in chosen else None]


CHOSEN = """
def about_chosen(f, variables, chosen):
    with mg.GradientTape(watch_accessed_variables=False) as choosy:
        choosy.watch(chosen)
        y = f()
    return choosy.gradient(y, variables)
"""


def chosen_alone(witness, seen, a, b, chosen):
    """No tape watched another."""
    return {v.name[0] for tape in witness.tapes for v in tape.watched_variables()} <= set(chosen)


about_chosen = Card(
    points=((3.0, 3.0, "b"), (2.0, 5.0, "a"), (-1.5, 4.0, "ab")),
    ask=ask_about_chosen,
    right=slopes_of_chosen,
    yes="None for each of the others: they were read, but the tape watched only the chosen ones.",
    options=("1.0", "0.0", "None"),
    came_out="dy/dx0 is None.",
    miss="With only {2} chosen it gave {seen}.",
    hints=(
        "How do you tell a tape not to watch by itself? And then, who tells it what to watch?",
        "mg.GradientTape(watch_accessed_variables=False), and tape.watch in the block. It takes a list as well.",
        "First line of the block: tape.watch(chosen). Second: y = f(). Below it: return tape.gradient(y, variables).",
    ),
    solution=CHOSEN,
    replies=(
        Reply(
            CHOSEN.replace("watch_accessed_variables=False", ""),
            lambda a, b, chosen: slopes_of_chosen(a, b, "ab"),
            "All gradients are there, also those of the Variables that were not chosen. This tape still watches whatever it reads.",
        ),
        Reply(
            CHOSEN.replace("        choosy.watch(chosen)\n", ""),
            lambda a, b, chosen: [None, None],
            "Everything is None: nothing was watched when f ran. The chosen ones need a watch, and f() must run after it, in the block.",
        ),
        Reply(
            CHOSEN.replace("gradient(y, variables)", "gradient(y, chosen)"),
            lambda a, b, chosen: [slope for slope in slopes_of_chosen(a, b, chosen) if slope is not None],
            "The right numbers, but only for the chosen ones. Ask about all the variables; the tape fills in None by itself.",
        ),
        Reply(
            """
def about_chosen(f, variables, chosen):
    tape = mg.GradientTape(watch_accessed_variables=False)
    tape.watch(chosen)
    with tape:
        y = f()
    return tape.gradient(y, variables)
""",
            lambda a, b, chosen: stops(AttributeError, "not running"),
            "The tape was not running when it was called. Inside the block it runs: begin with tape.watch there, and ask below.",
        ),
        Reply(
            """
def about_chosen(f, variables, chosen):
    with mg.GradientTape() as tape:
        y = f()
    gradients = tape.gradient(y, variables)
    return [g if v in chosen else None for v, g in zip(variables, gradients)]
""",
            lambda a, b, chosen: slopes_of_chosen(a, b, "ab" if a == b else chosen),
            "Right, except where two variables hold equal values: `v in chosen` compares values. "
            "And this tape has recorded everything; watch_accessed_variables=False keeps it from that.",
        ),
    ),
    ways=(
        Way(
            """
def about_chosen(f, variables, chosen):
    with mg.GradientTape() as tape:
        y = f()
    gradients = tape.gradient(y, variables)
    return [g if any(v is one for one in chosen) else None for v, g in zip(variables, gradients)]
""",
            chosen_alone,
            "The right answers, but a tape has watched a Variable that was not chosen. watch_accessed_variables=False keeps it from that.",
        ),
        Way(
            """
def about_chosen(f, variables, chosen):
    found, h = [], 0.125
    for v in variables:
        at = v.numpy()
        v.assign(at + h)
        up = f()
        v.assign(at - h)
        slope = (up - f()) / (2.0 * h)
        v.assign(at)
        found.append(slope if any(v is one for one in chosen) else None)
    return found
""",
            by_tape,
            "The right answers, but not from a tape.",
        ),
    ),
)


NAMES = "late off used spare"


def named(*places):
    """Wanted: the names of these of the four, in any order."""
    return lambda size, gate, names=NAMES, made="0123": (
        lambda seen: isinstance(seen, (list, set)) and sorted(map(str, seen)) == sorted(names.split()[k] + ":0" for k in places)
    )


def ask_idle(idle, size, gate, names=NAMES, made="0123"):
    """A tape that has watched four Variables: two used, one of them times 0, and two that lead nowhere. In which order they are made
    tells nothing."""
    four = {k: mg.Variable(size, name=names.split()[int(k)]) for k in made}
    late, off, used, spare = (four[k] for k in sorted(four))
    with mg.GradientTape() as tape:
        _ = spare * 2.0
        target = used * used + gate * off
        _ = late + spare
    return idle(tape, target)


IDLE = """
def idle(tape, target):
    variables = tape.watched_variables()
    gradients = tape.gradient(target, variables)
    return [v.name for v, g in zip(variables, gradients) if g is None]
"""

idle = Card(
    points=((3.0, 0.0), (-1.0, 0.0), (2.0, 0.0, "b d a c", "2031")),
    ask=ask_idle,
    right=named(0, 3),
    yes="Four Variables were read; two of them lead nowhere. A 0 stayed off the list: that one is connected.",
    options=("first", "second", "third"),
    came_out="the list began with first, the one made first.",
    miss="It gave {seen}. There are two names to find.",
    hints=(
        "A Variable that was read and leads nowhere: what does the tape answer about it?",
        "Ask once about all of tape.watched_variables(), then pair them with zip.",
        "Keep v.name for each pair in which `g is None`.",
    ),
    solution=IDLE,
    replies=(
        Reply(
            IDLE.replace("if g is None", "if g is None or g == 0"),
            named(0, 1, 3),
            "One name too many: one of these has a gradient, and it is 0. A 0 says connected and flat; None says not connected.",
        ),
        Reply(
            IDLE.replace("is None", "is not None"),
            named(1, 2),
            "These are the two Variables that do have a gradient. Turn the test round.",
        ),
        Reply(
            """
def idle(tape, target):
    return [v.name for v in tape.watched_variables() if tape.gradient(target, v) is None]
""",
            lambda *point: stops(RuntimeError, "non-persistent"),
            "The first question used the tape up. Ask once, for the whole tuple.",
        ),
        Reply(
            IDLE.replace("v.name for", "v for"),
            lambda size, *rest: [size, size],
            "These are the two Variables. Return their names: v.name.",
        ),
    ),
)


SLOPE_AT = """
def slope_at(n):
    c = mg.constant(float(n))
    with mg.GradientTape() as tape:
        tape.watch(c)
        square = c * c
        y = square + c
    return tape.gradient(y, c)
"""

slope_at = Card(
    points=((5,), (-2,), (10,)),
    right=lambda n: 2.0 * n + 1.0,
    yes="A float, and followed before its first use.",
    options=("7", "6", "1", "None"),
    came_out="the tape gave 1.0.",
    miss="At n = {0} it gave {seen}.",
    hints=(
        "Two things stand between n and its gradient: what kind of number it is, and when the watching begins.",
        "mg.constant(float(n)) is a float32. The watch is the first line of the block.",
        "Copy the cell above, make n a float, and move tape.watch(c) up by one line.",
    ),
    solution=SLOPE_AT,
    replies=(
        Reply(
            SLOPE_AT.replace("float(n)", "n"),
            lambda n: None,
            "None. Two usual reasons: mg.constant(n) of an integer is an int32, along which nothing flows; or no tape watched it.",
        ),
        Reply(
            SLOPE_AT.replace("        tape.watch(c)\n        square = c * c\n", "        square = c * c\n        tape.watch(c)\n"),
            lambda n: 1.0,
            "1 at every n. Does c * c run before the watch? And is it c that you ask about?",
        ),
        Reply(
            SLOPE_AT.replace("tape.watch(c)", "tape.watch(n)"),
            lambda n: stops(ValueError, "Passed in object"),
            "A Python number cannot be watched. Watch the tensor that you made from it.",
        ),
        Reply(
            SLOPE_AT.replace("tape.gradient(y, c)", "tape.gradient(square, c)"),
            lambda n: 2.0 * n,
            "This is the slope of the square alone. The target is y.",
        ),
    ),
    ways=(
        Way(
            "def slope_at(n): return 2.0 * n + 1.0",
            by_tape,
            "The right number, but not from a tape. The task asks for the slope from a tape.",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 12.0, "3": says("trainable", "trainable false", "trainable set to false")},
    yes="Both. For item 1, any sentence that tells seeing from using.",
    hints=(
        "Item 2: which of the two computations ran while the tape watched `c`?",
        "Item 2: to the tape, a is a plain 12. Item 3: the table of section 1 has the word.",
        "Item 2: the slope of 12 * c. Item 3: it can be True or False.",
    ),
    solution="""
ticket = {"2": 12.0, "3": "trainable"}
""",
    replies=(
        Reply('ticket = {"2": 24.0, "3": "trainable"}', lambda: {"2": 24.0},
              ": 2. 24 is the slope of 3c², the truth. This tape missed the first line."),
        Reply('ticket = {"2": 3.0, "3": "trainable"}', lambda: {"2": 3.0},
              ": 2. 3 is the slope of the first line, which ran before the watch. The second line is the recorded one."),
        Reply('ticket = {"2": None, "3": "trainable"}', lambda: {"2": None},
              ": 2. Not None: after the watch, c is used once more."),
        Reply('ticket = {"2": 12.0, "3": "watch_accessed_variables"}', lambda: {"3": contains("watch_accessed")},
              ": 3. That one is given to a tape. The word is given to a Variable."),
    ),
)  # fmt: skip

pause1 = pause(
    5.0,
    yes="c is watched by hand, and the slope of c * v by c is v. Asked for v, the tape would say None.",
    hints=("Which of the two does this tape watch?", "c is watched, because you said so. What is the slope of c * v by c?", "It is v."),
    mistakes={
        3.0: "That is the slope by v.",
        15.0: "That is y itself.",
        None: "Nobody watches v. c was named to the tape.",
    },
)


pause2 = pause(
    3,
    yes="The three that are trainable. A constant is never on this list.",
    hints=(
        "What does a tape watch unasked?",
        "A frozen Variable is not watched unasked, and the list names Variables alone.",
        "Four Variables, less the frozen one.",
    ),
    mistakes={
        4: "A frozen Variable is watched only if you name it. Or did you count the constant?",
        5: "Neither the constant nor the frozen Variable is listed.",
        2: "All trainable Variables that were read are listed.",
    },
)


CARDS = {
    "03.1": will_watch,
    "03.2": slopes,
    "03.pause1": pause1,
    "03.3": about_chosen,
    "03.4": idle,
    "03.pause2": pause2,
    "03.5": slope_at,
    "03.exit": ticket,
}
