"""The exercises of lesson 07, Why None?"""

import functools
import math

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, anything, contains, pause, says, stops
from ..trying import plain
from ..witness import by_tape, numbers

CURVES = {
    "a rising curve": lambda x: 20.0 + 4.0 * x**0.5,
    "a falling line": lambda x: 7.0 - 2.0 * x,
    "stairs": lambda x: 3.0 * math.floor(x),
    "falling stairs": lambda x: -2.0 * math.floor(x),
    "a flat line": lambda x: 34.0,
    "a gentle slope": lambda x: 5.0 + 0.001 * x,
}
NONES = dict(zip(CURVES, ("broken", "broken", "undefined", "undefined", "independent", "broken"), strict=True))


def each(**other):
    """Gives the right word at each curve, or another one."""
    return lambda name, x: other.get(name.replace(" ", "_"), NONES[name])


WHICH = """
def which_none(f, x):
    small, large = f(x + 0.01) - f(x), f(x + 1.0) - f(x)
    if {}:
        return "broken"
    return "undefined" if {} else "independent"
"""

which_none = Card(
    points=(("a rising curve", 4.0), ("stairs", 2.6), ("a flat line", 5.0), ("a falling line", 1.0), ("falling stairs", 0.3), ("a gentle slope", -2.0)),
    ask=lambda which_none, name, x: which_none(CURVES[name], x),
    right=each(),
    yes="You told them apart without a tape. You can do the same whenever you do not trust a tape.",
    options=("0", "1", "2", "3"),
    came_out="two of the three knobs moved the warmth.",
    miss="For {0}, at {1}, it gave {seen}.",
    hints=(
        "Which of the three kinds moves at a small nudge? Which only at a large one?",
        "Compare f(x + 0.01) with f(x), and f(x + 1.0) with f(x).",
        "If the small nudge moves it, broken; else if the large one does, undefined; else independent.",
    ),
    solution=WHICH.format("small != 0.0", "large != 0.0"),
    replies=(
        Reply(
            WHICH.format("small != 0.0", "small != 0.0"),
            each(stairs="independent", falling_stairs="independent"),
            "Stairs came out as independent. A nudge of 0.01 stays on the step. The nudge of 1 tells.",
        ),
        Reply(
            WHICH.format("large != 0.0", "large != 0.0"),
            each(stairs="broken", falling_stairs="broken"),
            "Stairs came out as broken. They move at the nudge of 1 alone; broken moves at 0.01 already.",
        ),
        Reply(
            WHICH.format("small > 0.0", "large > 0.0"),
            each(a_falling_line="independent", falling_stairs="independent"),
            "What rises is right. What falls moves too: ask whether the value differs, not whether it grows.",
        ),
        Reply(
            WHICH.format("small != 0.0", "large == 0.0"),
            each(stairs="independent", falling_stairs="independent", a_flat_line="undefined"),
            "Two words have changed places. What never moves is independent; what only jumps is undefined.",
        ),
        Reply(
            """
def which_none(f, x):
    if f(x + 0.01) != f(x):
        return "Broken"
    return "Undefined" if f(x + 1.0) != f(x) else "Independent"
""",
            lambda name, x: NONES[name].capitalize(),
            "Right each time. Write the three words in small letters.",
        ),
    ),
)  # fmt: skip


def value_and_slope(f, source, *given):
    """What f gives for a Variable, and the tape's slope of it."""
    source = mg.Variable(source)
    with mg.GradientTape() as tape:
        y = f(source, *given)
    return [y, tape.gradient(y, source)]


def losses(w, xs):
    """Of each x, and its slope."""
    errors = w * np.array(xs) - 1.0
    return errors**2, 2.0 * np.array(xs) * errors


MEAN_LOSS = """
def mean_loss(w, xs):
    losses = []
    for x in xs:
        losses.append({})
    return {}
"""

mean_loss = Card(
    points=((2.0, [1.0, 2.0, 3.0]), (-0.5, [0.5, 4.0])),
    ask=value_and_slope,
    right=lambda w, xs: [np.mean(part) for part in losses(w, xs)],
    yes="What stays a tensor remembers w.",
    options=("x ** 2", "np.mean", "mg.reduce_mean"),
    came_out="it broke at np.mean.",
    miss="For w = {0} and xs = {1}, value and slope came out as {seen}.",
    hints=(
        "What is appended: a tensor, or a number that was one?",
        "The squared error is a tensor already. Which word turns it into a plain number?",
        "losses.append((w * x - 1.0) ** 2), and the rest as it stands.",
    ),
    solution=MEAN_LOSS.format("(w * x - 1.0) ** 2", "mg.reduce_mean(losses)"),
    replies=(
        Reply(
            MEAN_LOSS.format("float((w * x - 1.0) ** 2)", "mg.reduce_mean(losses)"),
            lambda w, xs: [np.mean(losses(w, xs)[0]), None],
            "The value is right and the gradient is None. Something in there turns a tensor into a plain number: float, .numpy() or NumPy.",
        ),
        Reply(
            MEAN_LOSS.format("(w * x - 1.0) ** 2", "np.mean(losses)"),
            lambda w, xs: stops(AttributeError, "float32"),
            "The list is right. But at the end the value left the engine: np.mean gives a NumPy number.",
        ),
        Reply(
            MEAN_LOSS.format("float((w * x - 1.0) ** 2)", "sum(losses) / len(losses)"),
            lambda w, xs: stops(AttributeError, "'float' object"),
            "What came back is a Python float. A tape can answer only for tensors.",
        ),
        Reply(
            MEAN_LOSS.format("(w * x - 1.0) ** 2", "mg.reduce_sum(losses)"),
            lambda w, xs: [np.sum(part) for part in losses(w, xs)],
            "The path is whole. Value and slope are those of the sum; the task asks for the mean.",
        ),
        Reply(
            MEAN_LOSS.format("(w * x - 1.0) ** 2", "losses[-1]"),
            lambda w, xs: [part[-1] for part in losses(w, xs)],
            "The path is whole, for the last x alone. What about the others?",
        ),
        Reply(
            MEAN_LOSS.format("(w * x - 1.0) ** 2", "losses"),
            lambda w, xs: [losses(w, xs)[0], np.sum(losses(w, xs)[1])],
            "The whole list came back, and the tape gave the slope of its sum. The task asks for one mean: mg.reduce_mean(losses).",
        ),
    ),
)


FUNCTIONS = {"where(x > 0, x, x ** 2)": lambda x: mg.where(x > 0.0, x, x**2), "x ** 3": lambda x: x**3}
VALUES = {"where(x > 0, x, x ** 2)": lambda x: np.where(x > 0.0, x, x**2), "x ** 3": lambda x: x**3}
SLOPES = {"where(x > 0, x, x ** 2)": lambda x: np.where(x > 0.0, 1.0, 2.0 * x), "x ** 3": lambda x: 3.0 * x**2}

TOTAL = """
def slope_of_total(f, x):
    with mg.GradientTape() as tape:
        y = f(x)
        total = mg.{}(y)
    return {}
"""

slope_of_total = Card(
    points=(("where(x > 0, x, x ** 2)", [-1.0, 0.5, -3.0]), ("x ** 3", [2.0, -1.5])),
    ask=lambda slope_of_total, name, x: slope_of_total(FUNCTIONS[name], mg.Variable(x)),
    right=lambda name, x: SLOPES[name](np.array(x)),
    yes="You would have closed that thread with one line.",
    options=("where", "pow", "reduce_sum"),
    came_out="it was reduce_sum, by its place.",
    miss="For f = {0} at {1} it gave {seen}.",
    hints=(
        "Which lines must be in the block so that the tape knows the total?",
        "y = f(x) and total = mg.reduce_sum(y), both indented under with.",
        "Below the block: return tape.gradient(total, x).",
    ),
    solution=TOTAL.format("reduce_sum", "tape.gradient(total, x)"),
    replies=(
        Reply(
            """
def slope_of_total(f, x):
    with mg.GradientTape() as tape:
        y = f(x)
    return tape.gradient(mg.reduce_sum(y), x)
""",
            lambda name, x: None,
            "None came back. Is every line up to the total inside the block, and is the gradient returned?",
        ),
        Reply(
            TOTAL.format("reduce_sum", "total"),
            lambda name, x: np.sum(VALUES[name](np.array(x))),
            "This is the total itself, and it is right. Now ask the tape for its slope.",
        ),
        Reply(
            TOTAL.format("reduce_mean", "tape.gradient(total, x)"),
            lambda name, x: SLOPES[name](np.array(x)) / len(x),
            "Each slope is divided by the number of entries: that is the mean. The task asks for the sum.",
        ),
        Reply(
            TOTAL.format("reduce_sum", "tape.jacobian(y, x)"),
            lambda name, x: np.diag(SLOPES[name](np.array(x))),
            "A table came back, with the right numbers on its diagonal. A gradient has the shape of its source.",
        ),
        Reply(
            TOTAL.format("reduce_sum", "mg.reduce_sum(tape.gradient(total, x))"),
            lambda name, x: np.sum(SLOPES[name](np.array(x))),
            "You added the slopes at the end. Add the values before: x has one slope for each entry.",
        ),
    ),
    ways=(
        Way(
            "def slope_of_total(f, x): return mg.where(x > 0.0, 1.0, 2.0 * x) if x.shape[0] == 3 else 3.0 * x ** 2",
            by_tape,
            "The right numbers, but not from a tape. The task asks for the gradient of the total, from a tape.",
        ),
    ),
)


BILL = """
def bill(rate, prices):
    total = {}
    for price in prices:
        {}
    return total + 0.0
"""

bill = Card(
    points=((0.2, [5.0, 10.0]), (1.5, [1.0, 2.0, 4.5])),
    ask=value_and_slope,
    right=lambda rate, prices: [rate * sum(prices), sum(prices)],
    yes="A tensor from beginning to end, and the tape knows where it came from.",
    options=("6.0", "0.0", "None"),
    came_out="the slope by x0 was None.",
    miss="For rate {0} and prices {1}, value and slope came out as {seen}.",
    hints=(
        "Which line puts a number into a box that keeps no history?",
        "total need not be a Variable: it can begin as 0.0.",
        "In the loop: total = total + rate * price.",
    ),
    solution=BILL.format("0.0", "total = total + rate * price"),
    replies=(
        Reply(
            BILL.format("mg.Variable(0.0)", "total.assign(total + rate * price)"),
            lambda rate, prices: [rate * sum(prices), None],
            "The value is right and the gradient is None. The total still goes through a box that forgets: a Variable, or a plain number.",
        ),
        Reply(
            BILL.format("mg.constant(0.0)", "total = total + price"),
            lambda rate, prices: [sum(prices), None],
            "The prices are added, and the rate plays no part any more. So this None is right: independent.",
        ),
        Reply(
            BILL.format("0.0", "total = rate * price"),
            lambda rate, prices: [rate * prices[-1], prices[-1]],
            "The path is whole, for the last price alone. What happened to the total so far?",
        ),
        Reply(
            BILL.format("0.0", "total = (total + price) * rate"),
            lambda rate, prices: [functools.reduce(lambda total, price: (total + price) * rate, prices, 0.0), anything],
            "The path is whole, but the value is off. The rate belongs to each price, once, and not to the total so far.",
        ),
        Reply(
            "def bill(rate, prices): return float(rate) * sum(prices)",
            lambda rate, prices: stops(AttributeError, "'float' object"),
            "A Python float came back. A tape can answer only for tensors.",
        ),
    ),
)


def valley(x):
    return (x - 3.0) ** 2


def moved(descend, start, steps, rate):
    """Where a Variable stands after the descent."""
    x = mg.Variable(start)
    descend(x, valley, steps, rate)
    return x


def arrived(start, steps, rate):
    return 3.0 + (start - 3.0) * (1.0 - 2.0 * rate) ** steps


def only_steps(start, steps, rate):
    """Where x comes to if each step takes the place of x."""
    for _ in range(steps):
        start = 2.0 * rate * (start - 3.0)
    return start


def walked(witness, seen, start, steps, rate):
    """Step by step, by what tapes gave."""
    return len(witness.answers) == steps and bool(np.isclose(start - rate * numbers(plain(witness.answers)).sum(), seen, rtol=1e-3))


WALK = """
def descend(x, f, steps, rate):
    for _ in range(steps):
        with mg.GradientTape() as tape:
            y = f(x)
        {}
"""

descend = Card(
    points=((5.0, 3, 0.1), (-1.0, 4, 0.25)),
    ask=moved,
    right=arrived,
    yes="The name stayed, the Variable moved.",
    options=("1.0", "2.0", "None"),
    came_out="the second gradient was None.",
    miss="From {0}, {1} steps at rate {2}, x came to {seen}.",
    hints=(
        "Which object has to be somewhere else when the function is done?",
        "x.assign_sub(...) changes the Variable that was handed in.",
        "In each iteration: a tape, y = f(x), then x.assign_sub(rate * tape.gradient(y, x)).",
    ),
    solution=WALK.format("x.assign_sub(rate * tape.gradient(y, x))"),
    replies=(
        Reply(
            WALK.format("x = x - rate * tape.gradient(y, x)"),
            lambda start, steps, rate: stops(TypeError, "NoneType"),
            "In the second iteration the gradient was None: x = ... gave the name to a new tensor. Change the Variable in place.",
        ),
        Reply(
            WALK.format("x = mg.Variable(x - rate * tape.gradient(y, x))"),
            lambda start, steps, rate: start,
            "The Variable that was handed in has not moved. Did the name x go to a new one, or is the step missing?",
        ),
        Reply(
            WALK.format("x.assign_add(rate * tape.gradient(y, x))"),
            lambda start, steps, rate: arrived(start, steps, -rate),
            "It moved, but uphill. Subtract.",
        ),
        Reply(
            WALK.format("x.assign(rate * tape.gradient(y, x))"),
            only_steps,
            "assign replaces the value by the step. assign_sub takes the step from it.",
        ),
        Reply(
            """
def descend(x, f, steps, rate):
    with mg.GradientTape() as tape:
        y = f(x)
    for _ in range(steps):
        x.assign_sub(rate * tape.gradient(y, x))
""",
            lambda start, steps, rate: stops(RuntimeError, "non-persistent"),
            "A tape was asked twice. Each iteration needs a tape of its own, because x has moved, and that tape is asked once.",
        ),
        Reply(
            """
def descend(x, f, steps, rate):
    with mg.GradientTape(persistent=True) as tape:
        y = f(x)
    for _ in range(steps):
        x.assign_sub(rate * tape.gradient(y, x))
""",
            lambda start, steps, rate: start - steps * rate * 2.0 * (start - 3.0),
            "One tape for all iterations: it gives the slope at the first place again and again. Each iteration needs a tape of its own.",
        ),
        Reply(
            WALK.replace("range(steps)", "range(1)").format("x.assign_sub(rate * tape.gradient(y, x))"),
            lambda start, steps, rate: arrived(start, 1, rate),
            "One step, in the right direction. The others are missing.",
        ),
    ),
    ways=(
        Way(
            """
def descend(x, f, steps, rate):
    for _ in range(steps):
        x.assign_sub(rate * 2.0 * (x - 3.0))
""",
            walked,
            "x is where it should be, but the steps did not come from tapes. For each one a new tape, and x.assign_sub(rate * tape.gradient(y, x)).",
        ),
    ),
)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def soft(scores, limit, k):
    """The count and its slopes."""
    share = sigmoid(k * (np.array(scores) - limit))
    return [np.sum(share), k * share * (1.0 - share)]


COUNT = """
def soft_count(scores, limit, k):
    return mg.reduce_sum({})
"""

soft_count = Card(
    points=(([0.2, 0.6, 0.9], 0.5, 10.0), ([1.5, -0.5, 0.25, 2.0], 1.0, 4.0)),
    ask=value_and_slope,
    right=soft,
    yes="A count with a slope. With k = 10 it is 1.76 where the hard count is 2; a larger k comes closer, and has a slope in a narrower range.",
    options=("0", "1", "2", "4"),
    came_out="only sign returned numbers, and they are zeros.",
    miss="For scores {0}, limit {1} and k {2}, value and slope came out as {seen}.",
    hints=(
        "Which function rises smoothly from 0 to 1 where the comparison would jump?",
        "mg.sigmoid(k * (x - y)), with the limit for y.",
        "Add up mg.sigmoid(k * (scores - limit)) with mg.reduce_sum.",
    ),
    solution=COUNT.format("mg.sigmoid(k * (scores - limit))"),
    replies=(
        Reply(
            COUNT.format("mg.cast(scores > limit, mg.float32)"),
            lambda scores, limit, k: [np.sum(np.array(scores) > limit), None],
            "This is the hard count, and its gradient is None. A comparison jumps; take the sigmoid in its place.",
        ),
        Reply(
            COUNT.format("mg.sigmoid(scores - limit)"),
            lambda scores, limit, k: soft(scores, limit, 1.0),
            "It has a slope everywhere, but it hardly counts. Use k, which makes it steep.",
        ),
        Reply(
            COUNT.format("mg.sigmoid(k * (limit - scores))"),
            lambda scores, limit, k: soft(scores, limit, -k),
            "You counted those below the limit. Which of scores and limit comes first?",
        ),
        Reply(
            COUNT.format("mg.sigmoid(k * (scores - limit))").replace("sum", "mean"),
            lambda scores, limit, k: [part / len(scores) for part in soft(scores, limit, k)],
            "This is the share, between 0 and 1. To count, add.",
        ),
        Reply(
            COUNT.format("mg.sigmoid(k * (scores - limit))").replace("mg.reduce_sum", ""),
            lambda scores, limit, k: [sigmoid(k * (np.array(scores) - limit)), soft(scores, limit, k)[1]],
            "One share for each score, and each is right. To count, add them up.",
        ),
        Reply(
            COUNT.format("1.0 / (1.0 + np.exp(-k * (scores.numpy() - limit)))"),
            lambda scores, limit, k: [soft(scores, limit, k)[0], None],
            "The count is right and the gradient is None. The scores left through NumPy: that is the None of section 2.",
        ),
    ),
)


def length(numbers):
    return np.sqrt(np.sum(np.square(numbers)))


LENGTH = """
def slope_of_length(numbers):
    v = mg.Variable({})
    with mg.GradientTape() as tape:
        length = mg.sqrt({})
    return {}
"""

slope_of_length = Card(
    points=(([3, 4],), ([2, -3, 6],), ([0, 5],)),
    ask=lambda slope_of_length, numbers: slope_of_length(numbers),
    right=lambda numbers: np.array(numbers) / length(numbers),
    yes="Two breaks, and each alone leaves None.",
    options=("ones", "twos", "None"),
    came_out="it is None, with the cast and without.",
    miss="For {0} it gave {seen}.",
    hints=(
        "What kind of numbers does v hold? And where do the squares go?",
        "One line makes an integer Variable. Another hands its argument to NumPy.",
        "mg.Variable(numbers, dtype=mg.float32) for the one, mg.reduce_sum for the other.",
    ),
    solution=LENGTH.format("numbers, dtype=mg.float32", "mg.reduce_sum(v ** 2)", "tape.gradient(length, v)"),
    replies=(
        Reply(
            LENGTH.format("numbers", "mg.reduce_sum(mg.cast(v, mg.float32) ** 2)", "tape.gradient(length, v)"),
            lambda numbers: None,
            "Still None. At least one of the two breaks is still there, or nothing is returned. "
            "Put print(tape.explain(length, v)) before the return.",
        ),
        Reply(
            LENGTH.format("numbers, dtype=mg.float32", "mg.reduce_sum(v ** 2)", "length"),
            length,
            "This is the length. The task asks for its slope.",
        ),
        Reply(
            LENGTH.replace("mg.sqrt", "").format("numbers, dtype=mg.float32", "mg.reduce_sum(v ** 2)", "tape.gradient(length, v)"),
            lambda numbers: 2.0 * np.array(numbers),
            "Both breaks are fixed. This is the slope of the sum of squares: the square root is missing.",
        ),
        Reply(
            "def slope_of_length(numbers): return [0.6, 0.8]",
            lambda numbers: [0.6, 0.8],
            "Right for [3, 4] and nothing else. Let the tape do the work.",
        ),
        Reply(
            LENGTH.format("numbers, dtype=mg.float32", "mg.reduce_sum(v) ** 2", "tape.gradient(length, v)"),
            lambda numbers: np.full(len(numbers), np.sign(sum(numbers))),
            "Both breaks are fixed. You added first and squared after; square each number, then add.",
        ),
    ),
    ways=(
        Way(
            """
def slope_of_length(numbers):
    return np.array(numbers) / np.sqrt(np.sum(np.square(numbers)))
""",
            by_tape,
            "The right numbers, but not from a tape. Fix both breaks, and let the tape answer.",
        ),
    ),
)  # fmt: skip


SOURCES = {
    "knobs": {"live": 2.0, "left": 4.0, "idle": 5.0, "jumps": 2.6},
    "pairs": {"live": [1.0, 3.0], "left": [4.0, 9.0], "idle": [5.0, 6.0], "jumps": [2.6, 1.4]},
}


def honestly(honest_zeros, name, order="0123", names="live left idle jumps"):
    """The answer for four sources: one with a gradient, and one for each None. Names and order tell nothing."""
    source = {key: mg.Variable(value, name=called) for (key, value), called in zip(SOURCES[name].items(), names.split(), strict=True)}
    with mg.trace(), mg.GradientTape() as tape:
        _ = 2.0 * source["idle"]  # so that it is watched as the others are
        target = mg.reduce_sum(source["live"] ** 2 + np.sqrt(source["left"]) + mg.floor(source["jumps"]))
        answer = plain(honest_zeros(tape, target, [list(source.values())[int(k)] for k in order]))
    fits = isinstance(answer, list) and len(answer) == len(order)
    return [answer[order.index(k)] for k in sorted(order)] if fits else answer


def gradients(left, idle, jumps):
    """Gives these for the three Nones: None stays, 0 means zeros in the shape of the source."""

    def given(name, *mixed):
        live, *others = (np.array(value) for value in SOURCES[name].values())
        return [2.0 * live, *[None if what is None else np.zeros(one.shape) for one, what in zip(others, (left, idle, jumps), strict=True)]]

    return given


HONEST = """
def honest_zeros(tape, target, sources):
    gradients = tape.gradient(target, sources)
    return [{} if g is None and {} else g for s, g in zip(sources, gradients)]
"""

honest_zeros = Card(
    points=(("knobs",), ("pairs",), ("pairs", "2310", "idle a b c")),
    ask=honestly,
    right=gradients(None, 0, None),
    yes="The independent one is zeros now, and the faults still show.",
    options=("1.0", "0.0", "None", "an error"),
    came_out="it was 0.0, like the other two.",
    miss="For the four sources of the {0} it gave {seen}.",
    hints=(
        "For a source whose gradient is None: which word tells whether 0 would be true?",
        "tape.explain(target, source).meaning is independent, broken, undefined, or empty.",
        'Ask the tape once for all. Then, for each pair: mg.zeros_like(s) if g is None and its meaning == "independent", else g.',
    ),
    solution=HONEST.format("mg.zeros_like(s)", 'tape.explain(target, s).meaning == "independent"'),
    replies=(
        Reply(
            'def honest_zeros(tape, target, sources): return tape.gradient(target, sources, unconnected_gradients="zero")',
            gradients(0, 0, 0),
            "Every None has become zeros, the broken one too. Ask explain first.",
        ),
        Reply(
            "def honest_zeros(tape, target, sources): return tape.gradient(target, sources)",
            gradients(None, None, None),
            "Every None is still there. One of them is independent, and zeros are right for it.",
        ),
        Reply(
            HONEST.format("mg.zeros_like(s)", 'tape.explain(target, s).meaning != "broken"'),
            gradients(None, 0, 0),
            "The broken one is still None, as it should be. The undefined one has become zeros too: it has no slope that could be 0.",
        ),
        Reply(
            HONEST.format("mg.zeros_like(s)", 'tape.explain(target, s).meaning == "broken"'),
            gradients(0, None, None),
            "The other way round: the broken one has become zeros, and the independent one is still None.",
        ),
        Reply(
            HONEST.format("0.0", 'tape.explain(target, s).meaning == "independent"'),
            lambda *point: [anything, None, 0.0, None],
            "The right one has become zero, but as one number, 0.0. Zeros in the shape of the source: mg.zeros_like(s).",
        ),
        Reply(
            """
def honest_zeros(tape, target, sources):
    return [tape.gradient(target, s) for s in sources]
""",
            lambda *point: stops(RuntimeError, "non-persistent"),
            "The first question used the tape up. Ask once, for the whole list; explain can be asked afterwards.",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 0.5, "3": says("outside tape", "outside")},
    yes="Both. For item 1, any sentence in which None can also be a lost path or no slope at all.",
    hints=(
        "Item 2: the slope of 4 times the square root of x is 2 divided by that root. Item 3: look at the table of codes.",
        "Item 2: the root of 16 is 4. Item 3: an op ran after the block.",
        "Item 2: 2 / 4. Item 3: it begins with OUT.",
    ),
    solution='ticket = {"2": 0.5, "3": "OUTSIDE_TAPE"}',
    replies=(
        Reply('ticket = {"2": 0.0, "3": "OUTSIDE_TAPE"}', lambda: {"2": 0.0},
              ": 2. That is what filling in zeros would print. A nudge of hot moves the root, so the slope is not 0."),
        Reply('ticket = {"2": 16.0, "3": "OUTSIDE_TAPE"}', lambda: {"2": 16.0},
              ": 2. 16 is the value of y. How fast does it grow with hot?"),
        Reply('ticket = {"2": 0.125, "3": "OUTSIDE_TAPE"}', lambda: {"2": 0.125},
              ": 2. 0.125 is the slope of the root alone. What is the root multiplied by?"),
        Reply('ticket = {"2": 0.5, "3": "LEFT_ENGINE"}', lambda: {"3": contains("left")},
              ": 3. Nothing left for NumPy here. The division ran below the block."),
    ),
)  # fmt: skip


pause1 = pause(
    ("undefined",),
    yes="Flat, and then a jump.",
    hints=("Which of the three knobs did so?", "It was the notch of the heater.", "Flat, then a jump: there is no useful slope."),
    mistakes={
        ("broken",): "A broken path moves with a small nudge too.",
        ("independent",): "Then a nudge of 1 would move nothing.",
    },
)


pause2 = pause(
    ("left engine", "left_engine"),
    yes="float made a plain number of it, so for the tape sqrt begins with a constant.",
    hints=(
        "Does every line run inside the block? Is every value a tensor?",
        "float gives a plain number of Python.",
        "The value left the engine.",
    ),
    mistakes={
        ("outside tape", "outside_tape", "outside"): "Both lines are in the block.",
        ("undefined",): "Ask for the code: it says what happened to the value.",
    },
)


pause3 = pause(
    ("rebound",),
    yes="The name w means a Tensor now. w.assign_sub(0.1 * slope) would have kept the Variable.",
    hints=(
        "What kind of thing is w in the second iteration?",
        "= does not change a Variable. It gives the name to another thing.",
        "The name is bound to another object: look at the code in section 5.",
    ),
    mistakes={
        ("state",): "Nothing was written into a Variable here. That would have been right.",
        ("no derivative", "no_derivative"): "A subtraction has a slope. Look at what the name w means.",
    },
)


CARDS = {
    "07.1": which_none,
    "07.pause1": pause1,
    "07.2": mean_loss,
    "07.3": slope_of_total,
    "07.pause2": pause2,
    "07.4": bill,
    "07.5": descend,
    "07.6": soft_count,
    "07.pause3": pause3,
    "07.7": slope_of_length,
    "07.8": honest_zeros,
    "07.exit": ticket,
}
