"""The exercises of lesson 11, Train a network."""

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, contains, pause, says, stops
from ..witness import asked


def two_steps(step, start, shift, rate):
    """What two steps return, and where they lead."""
    a, b = mg.Variable(start), mg.Variable(shift)
    losses = [step([a, b], lambda: mg.reduce_sum((a - b) ** 2) + b * b, rate) for _ in range(2)]
    return {"losses": losses, "weights": [a, b]}


def stepped(direction=-1.0, after=False, told=True, sums=False):
    """The same by hand, perhaps with a mistake."""

    def step(start, shift, rate):
        a, b, losses = np.array(start), shift, []
        for _ in range(2):
            before = np.sum((a - b) ** 2) + b * b
            by_a, by_b = 2.0 * (a - b), -2.0 * np.sum(a - b) + 2.0 * b
            a, b = a + direction * (1.0 if sums else rate) * by_a, b + direction * (1.0 if sums else rate) * by_b
            losses.append((np.sum((a - b) ** 2) + b * b if after else before) if told else None)
        return {"losses": losses, "weights": [a, b]}

    return step


STEP = """
def step(weights, loss_of, rate):
    with mg.GradientTape() as tape:
        loss = loss_of()
    gradients = tape.gradient(loss, weights)
    for weight, gradient in zip(weights, gradients):
        weight.assign_sub(rate * gradient)
    return loss
"""

ONE_BY_ONE = """
def step(weights, loss_of, rate):
    for weight in weights:
        with mg.GradientTape() as tape:
            loss = loss_of()
        weight.assign_sub(rate * tape.gradient(loss, weight))
    return loss
"""


def one_by_one(start, shift, rate):
    """Each weight moved before the slope of the next is taken."""
    a, b, losses = np.array(start), shift, []
    for _ in range(2):
        a = a - rate * 2.0 * (a - b)
        losses.append(np.sum((a - b) ** 2) + b * b)
        b = b - rate * (2.0 * b - 2.0 * np.sum(a - b))
    return {"losses": losses, "weights": [a, b]}


step = Card(
    points=(([1.0, 4.0], 0.5, 0.1), ([2.0, -1.0, 3.0], -0.5, 0.05)),
    ask=two_steps,
    right=stepped(),
    yes="The same step trains a network of three numbers or of three million.",
    options=("same", "less", "rise"),
    came_out="it fell by less, 5.3 after 14.5.",
    miss="From {0} and {1} with rate {2}, two steps gave {seen}.",
    hints=(
        "Which of the five lines of the table are missing, and which of them belong inside the with block?",
        "Only the loss is computed in the block. One question for the whole list; then a loop that moves each weight.",
        "gradients = tape.gradient(loss, weights). For weight, gradient in zip(...): weight.assign_sub(rate * gradient). Last, the loss.",
    ),
    solution=STEP,
    replies=(
        Reply(STEP.replace("assign_sub", "assign_add"), stepped(direction=1.0),
              "The loss rises: this walks uphill. The slope points up, so it is subtracted."),
        Reply(STEP.replace("weight.assign_sub(rate * gradient)", "weight = weight - rate * gradient"), stepped(direction=0.0),
              "The weights have not moved. Is each changed in place? `weight = ...` gives the name to something else, and the Variable keeps its value."),
        Reply(STEP.replace("rate * gradient", "gradient"), stepped(sums=True),
              "The direction is right, but the step is too long: rate is not used yet."),
        Reply(STEP.replace("return loss", "return loss_of()"), stepped(after=True),
              "The weights are right. You returned the loss after the move; the task asks for the one before."),
        Reply(STEP.replace("    return loss\n", ""), stepped(told=False),
              "The weights are right. Return the loss, too."),
        Reply(STEP.replace("        loss = loss_of()", "        pass").replace("    gradients =", "    loss = loss_of()\n    gradients ="),
              lambda *point: stops((TypeError, ValueError, AttributeError), "None"),
              "A gradient is None, and None cannot be multiplied. Was the loss computed while the tape was recording?"),
        Reply(ONE_BY_ONE, one_by_one,
              "One weight moves before the slope of the next is known, so the losses belong to different weights. One tape, one question."),
    ),
    ways=(
        Way(
            """
def step(weights, loss_of, rate, h=0.01):
    before, slopes = loss_of(), []
    for weight in weights:
        at, slope = weight.numpy(), np.zeros(weight.shape)
        for k in np.ndindex(*at.shape):
            nudge = np.zeros(at.shape, at.dtype)
            nudge[k] = h
            weight.assign(at + nudge)
            up = loss_of()
            weight.assign(at - nudge)
            slope[k] = float(up - loss_of()) / (2 * h)
            weight.assign(at)
        slopes.append(slope)
    for weight, slope in zip(weights, slopes):
        weight.assign_sub(rate * mg.constant(slope, weight.dtype))
    return before
""",
            asked,
            "The weights and the loss are right, but no tape was asked: nudges cost two runs for each number. One question gives all slopes.",
        ),
    ),
)  # fmt: skip


GRADIENTS = (
    [mg.constant([[3.0, 0.0], [0.0, 4.0]]), mg.constant([12.0]), None, None, mg.constant([[2.0], [-1.0]]), mg.constant([-2.0])],
    [mg.constant([[1.0, -2.0, 2.0]]), mg.constant([0.0, 6.0, 2.0]), mg.constant([[8.0]]), mg.constant([6.0])],
)


def lengths_by(length, none=None):
    """For each layer, a length of its weights and bias."""

    def come_out(gradients):
        pairs = zip(gradients[::2], gradients[1::2], strict=True)
        return [none if w is None else length(w.numpy().ravel(), b.numpy().ravel()) for w, b in pairs]

    return come_out


def together(w, b):
    return np.linalg.norm(np.concatenate([w, b]))


def crash_at_none(gradients):
    return stops(Exception, "None") if any(one is None for one in gradients) else lengths_by(together)(gradients)


LENGTHS = """
def lengths(gradients):
    found = []
    for w, b in zip(gradients[::2], gradients[1::2]):
        found.append(None if w is None else mg.sqrt(mg.reduce_sum(w ** 2) + mg.reduce_sum(b ** 2)))
    return found
"""
BOTH = "mg.sqrt(mg.reduce_sum(w ** 2) + mg.reduce_sum(b ** 2))"

lengths = Card(
    points=tuple((one,) for one in GRADIENTS),
    right=lengths_by(together),
    yes="Lengths add like the sides of a right angle: 5 and 12 make 13. None stays None, so a cut is not mistaken for a 0.",
    options=("1", "2", "3"),
    came_out="layer 2 had the longest, 5.63.",
    miss="It gave {seen}.",
    hints=(
        "Two gradients belong to one layer. Which slices of the list are the weights, and which the biases?",
        "zip(gradients[::2], gradients[1::2]) gives the pairs. Add the squares of both before you take the root.",
        "For each pair: None if w is None, else mg.sqrt(mg.reduce_sum(w ** 2) + mg.reduce_sum(b ** 2)).",
    ),
    solution=LENGTHS,
    replies=(
        Reply(LENGTHS.replace(BOTH, "mg.norm(w)"), lengths_by(lambda w, b: np.linalg.norm(w)),
              "These are the lengths of the weights alone. The bias belongs to the layer, too."),
        Reply(LENGTHS.replace(BOTH, "mg.norm(w) + mg.norm(b)"), lengths_by(lambda w, b: np.linalg.norm(w) + np.linalg.norm(b)),
              "The two lengths are added: 5 and 12 gave 17. Add the squares, then take one root."),
        Reply(LENGTHS.replace(BOTH, BOTH[len("mg.sqrt(") : -1]), lengths_by(lambda w, b: together(w, b) ** 2),
              "These are the squares of the lengths. The root is missing."),
        Reply(LENGTHS.replace("None if", "0.0 if"), lengths_by(together, none=0.0),
              "The lengths are right. But a layer without a gradient got 0.0, which would mean: connected, and flat. Keep None."),
        Reply(LENGTHS.replace("None if w is None else ", ""), crash_at_none,
              "It stops where a layer has None. Ask `w is None` before you compute with it."),
    ),
)  # fmt: skip


ROWS = (
    (mg.constant([[1.0, 2.0], [-1.0, 3.0], [0.5, 1.0]]), mg.constant([[1.0, -1.0, -2.0, 0.0], [0.0, -1.0, 1.0, 0.0]]),
     mg.constant([-0.25, 0.0, -9.0, -1.0])),
    (mg.constant([[1.0], [-2.0]]), mg.constant([[0.0, 2.0]]), mg.constant([0.0, 0.0])),
    (mg.constant([[1.0, 0.0]]), mg.constant([[1.0], [0.0]]), mg.constant([2.0])),
    (mg.constant([[1.0], [-2.0], [4.0], [3.0]]), mg.constant([[1.0, -1.0, 0.5]]), mg.constant([-5.0, 0.5, 0.0])),
    (mg.constant([[0.001], [-1.0]]), mg.constant([[1.0, 0.0]]), mg.constant([0.0, -0.001])),
)  # fmt: skip


def units(count):
    """A count of what relu gives."""
    return lambda x, w, b: count(np.maximum(x.numpy() @ w.numpy() + b.numpy(), 0.0))


DEAD = """
def dead_units(x, w, b):
    h = mg.nn.relu(x @ w + b)
    return mg.reduce_sum(mg.cast(mg.reduce_all(h == 0.0, axis=0), mg.int32))
"""

dead_units = Card(
    points=ROWS,
    right=units(lambda h: np.sum(np.all(h == 0, axis=0))),
    yes="Print this number beside the loss. A few dead units are common and harmless; a whole layer of them ends the training.",
    options=("small", "zero", "nan"),
    came_out="all three lengths were exactly 0.",
    miss="It counted {seen}.",
    hints=(
        "h = mg.nn.relu(x @ w + b) has a row for each point. What is a unit: a row of h, or a column?",
        "Ask h == 0.0, and then whether all rows of a column say yes: reduce_all along which axis?",
        "mg.reduce_all(h == 0.0, axis=0) is True for each dead unit. Cast it to mg.int32 and add up.",
    ),
    solution=DEAD,
    replies=(
        Reply(DEAD.replace("mg.reduce_all(h == 0.0, axis=0)", "h == 0.0"), units(lambda h: np.sum(h == 0)),
              "This counts all zeros. A unit that is off for some rows and on for others is healthy."),
        Reply(DEAD.replace("axis=0", "axis=1"), units(lambda h: np.sum(np.all(h == 0, axis=1))),
              "This counts rows: points for which every unit is off. Units are the columns."),
        Reply(DEAD.replace("reduce_all", "reduce_any"), units(lambda h: np.sum(np.any(h == 0, axis=0))),
              "This counts units that are off for at least one row. Dead means: for every row."),
        Reply(DEAD.replace("mg.reduce_all(h == 0.0, axis=0)", "mg.reduce_any(h > 0.0, axis=0)"),
              units(lambda h: np.sum(np.any(h > 0, axis=0))),
              "These are the living ones. Count the others."),
        Reply(DEAD.replace("    return mg.reduce_sum(mg.cast(", "    return mg.cast(").replace("mg.int32))", "mg.int32)"),
              lambda x, w, b: units(lambda h: np.all(h == 0, axis=0).astype(int))(x, w, b).tolist(),
              "One answer for each unit, and they are right. The task asks how many: add them up."),
        Reply("""
def dead_units(x, w, b):
    return int(np.sum(np.all(w.numpy() < 0.0, axis=0)))
""", lambda x, w, b: np.sum(np.all(w.numpy() < 0.0, axis=0)),
              "This looks at the weights. A negative weight times a negative input is alive; look at what relu gives."),
    ),
)  # fmt: skip


def ask_scaled(scaled, h, c):
    """What it gives, and the slope of a mixture of it."""
    h = mg.Variable(h)
    with mg.GradientTape() as tape:
        y = scaled(h)
        total = mg.reduce_sum(y * c)
    return {"value": y, "slope": tape.gradient(total, h)}


def divided(spread=np.std, slope_of_spread=lambda h: (h - h.mean()) / (h.size * h.std()), middle=0.0):
    """Value and slope, for a spread and its own slope."""

    def come_out(h, c):
        h, c = np.array(h), np.array(c)
        s = spread(h)
        shifted = h - middle * h.mean()
        slope = c / s - np.sum(c * shifted) / s**2 * slope_of_spread(h) - middle * np.mean(c) / s
        return {"value": shifted / s, "slope": slope}

    return come_out


SCALED = """
def scaled(h):
    return h / mg.math.reduce_std(h)
"""

scaled = Card(
    points=(([1.0, 4.0, -2.0], [1.0, 0.0, 0.0]), ([0.5, 2.0, 3.0, 7.0], [1.0, -2.0, 0.0, 3.0])),
    ask=ask_scaled,
    right=divided(),
    yes="Both paths are there: each number acts directly, and through the spread.",
    options=("0.5", "0.8", "1.0"),
    came_out="0.98 were right, with a layer that never learned.",
    miss="For {0} it gave {seen}.",
    hints=(
        "How many ways lead from h to the result? Which of them goes through np?",
        "The spread has to be computed by minigrad: mg.math has a reduce_std.",
        "h divided by mg.math.reduce_std(h), and nothing else.",
    ),
    solution=SCALED,
    replies=(
        Reply(SCALED.replace("mg.math.reduce_std(h)", "np.std(h)"), divided(slope_of_spread=lambda h: 0.0),
              "The value is right, but the slope takes the spread for a constant. One of two paths left through NumPy, or was stopped."),
        Reply(SCALED.replace("h / mg.math.reduce_std(h)", "h.numpy() / np.std(h)"),
              lambda h, c: {"value": divided()(h, c)["value"], "slope": None},
              "The value is right, and the slope is None: both paths left the engine. Let mg compute the spread, and leave h as it is."),
        Reply(SCALED.replace("reduce_std", "reduce_variance"), divided(np.var, lambda h: 2.0 * (h - h.mean()) / h.size),
              "This divides by the variance. The spread np.std is the root of it."),
        Reply(SCALED.replace("h / ", "(h - mg.reduce_mean(h)) / "), divided(middle=1.0),
              "This also takes away the mean. That is a useful function, but another one: the colleague only divides."),
        Reply(SCALED.replace("mg.math.reduce_std(h)", "mg.norm(h)"), divided(np.linalg.norm, lambda h: h / np.linalg.norm(h)),
              "mg.norm is the length, measured from 0. The spread is measured from the mean."),
    ),
)  # fmt: skip


LINE = """
class Line(mg.Module):
    def __init__(self):
        super().__init__()
        self.weight = mg.Variable(0.0)
        self.bias = mg.Variable(0.0)

    def __call__(self, x):
        return self.weight * x + self.bias

def line():
    return Line()
"""


def ask_line(line, x):
    """What a new Module gives, what it lists, and where one step uphill leads."""
    module = line()
    with mg.GradientTape() as tape:
        y = module(mg.constant(x))
    variables = module.trainable_variables
    used = [(variable, slope) for variable, slope in zip(variables, tape.gradient(y, list(variables))) if slope is not None]
    for variable, slope in used:
        variable.assign_add(slope)
    return {"start": y, "slopes": sorted(float(slope) for _, slope in used), "moved": module(mg.constant(x))}


def lines(start=lambda x: 0.0, slopes=lambda x: [1.0, x]):
    """The same by hand, perhaps with a mistake."""
    return lambda x: {"start": start(x), "slopes": sorted(slopes(x)), "moved": start(x) + sum(slope**2 for slope in slopes(x))}


held = Card(
    points=((3.0,), (-0.5,)),
    ask=ask_line,
    right=lines(),
    yes="Your loop of 11.1 can train it, and needs nothing but its list.",
    options=("2", "3", "4"),
    came_out="3 were trainable.",
    miss="With x = {0} it gave {seen}.",
    hints=(
        "When are the two Variables made: once for each Module, or once for each call?",
        "A class derived from mg.Module. In __init__, after super().__init__(), two Variables become attributes of self.",
        "__call__(self, x) returns self.weight * x + self.bias, and line() returns Line().",
    ),
    solution=LINE,
    replies=(
        Reply(LINE.replace("self.weight * x + self.bias", "mg.Variable(0.0) * x + mg.Variable(0.0)"), lines(slopes=lambda x: []),
              "The value is right, and nothing can be trained. Two usual reasons: the two are made anew in each call, or they are "
              "no Variables."),
        Reply(LINE.replace("self.bias = mg.Variable(0.0)", "self.bias = mg.Variable(0.0, trainable=False)"), lines(slopes=lambda x: [x]),
              "Only the weight can be trained. Is there a bias too, a Variable that is not frozen?"),
        Reply(LINE.replace("mg.Variable(0.0)", "mg.Variable(1.0)"), lines(start=lambda x: x + 1.0),
              "The form is right. But both have to start at 0.0."),
        Reply(LINE.replace("(mg.Module)", ""), lambda x: stops(AttributeError, "trainable_variables"),
              "This object cannot list its Variables. Derive its class from mg.Module."),
        Reply(LINE.replace("return Line()", "return Line"), lambda x: stops(TypeError),
              "It stopped with a TypeError. Two usual reasons: line() returns the class and not a Module, or the Module has no __call__ "
              "that takes x."),
    ),
)  # fmt: skip


ticket = Card(
    right=lambda: {"2": 4.0, "3": says("flat")},
    yes="Both. For item 1, any sentence that says: the other layers can learn around one that gets no slope.",
    hints=(
        "Item 2: the bias settles where its own slope is 0. Which number is nearest to half zeros and half fours?",
        "Item 2: at 2, every point is off by 2. Item 3: section 3 shows the code.",
        "Item 2: 2 squared. Item 3: it has four letters.",
    ),
    solution="""
ticket = {"2": 4.0, "3": "FLAT"}
""",
    replies=(
        Reply('ticket = {"2": 8.0, "3": "FLAT"}', lambda: {"2": 8.0},
              ": 2. 8 is the loss of answering 0, or 4. The bias is alive and moves to the best constant."),
        Reply('ticket = {"2": 2.0, "3": "FLAT"}', lambda: {"2": 2.0},
              ": 2. 2 is the constant it settles at, and how far each point is off. The loss squares that."),
        Reply('ticket = {"2": 1.0, "3": "FLAT"}', lambda: {"2": 1.0},
              ": 2. 1 belongs to the moons, with -1 and +1. Here the labels are 4 apart."),
        Reply('ticket = {"2": 4.0, "3": "NO_DERIVATIVE"}', lambda: {"3": contains("deriv")},
              ": 3. That code is for functions without a slope anywhere, such as argmax. relu has one, and here it is 0."),
        Reply('ticket = {"2": 4.0, "3": "ZERO"}', lambda: {"3": contains("zero")},
              ": 3. ZERO is the state of the gradient, the first word. The question asks for the code of the cause."),
    ),
)  # fmt: skip

pause1 = pause(
    9.0,
    yes="The root of 1 + 16 + 64.",
    hints=("Square all entries, add, take the root.", "1, 16 and 64.", "The root of 81."),
    mistakes={
        13.0: "That is the sum of the entries. Square them first.",
        81.0: "Now take the root.",
        17**0.5 + 8.0: "Two lengths are not added. Square all entries of both, and then add.",
    },
)


pause2 = pause(
    4,
    yes="Both layers before the cut, with their biases. The third learns, and the loss falls.",
    hints=(
        "Which layers come before the cut?",
        "The first and the second. Each has weights and a bias.",
        "Two layers, two gradients each.",
    ),
    mistakes={
        2: "The first layer is before the cut as well. Or did you leave out the biases?",
        3: "A layer is cut off as a whole, weights and bias.",
        6: "The third layer is behind the cut, and its path is whole.",
    },
)


CARDS = {
    "11.1": step,
    "11.2": lengths,
    "11.pause1": pause1,
    "11.3": dead_units,
    "11.4": scaled,
    "11.pause2": pause2,
    "11.5": held,
    "11.exit": ticket,
}
