"""The exercises of lesson 16, From None to a model that trains."""

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, contains, pause, says, stops
from ..witness import asked, by_tape

# ---- 16.1: the loss inside the block ---------------------------------------------------------------------------------

XS, YS = np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.0, 2.0])
NETWORKS = {
    "line": (lambda w, b: w * XS + b, lambda answers: mg.reduce_mean((answers - YS) ** 2)),
    "growth": (mg.exp, lambda answers: 0.5 * mg.reduce_sum(answers**2)),
}


def ask_slopes(slopes_of, name, *start):
    return slopes_of(*NETWORKS[name], [mg.Variable(x) for x in start])


def slopes_on_paper(name, *start):
    if name == "growth":
        return [np.exp(2.0 * np.array(start[0]))]
    errors = start[0] * XS + start[1] - YS
    return [np.mean(2.0 * errors * XS), np.mean(2.0 * errors)]


def of_answers(name, *start):
    """The slopes of the sum of the answers."""
    return [np.exp(np.array(start[0]))] if name == "growth" else [np.sum(XS), 3.0]


def loss_there(name, *start):
    return 0.5 * np.sum(np.exp(2.0 * np.array(start[0]))) if name == "growth" else np.mean((start[0] * XS + start[1] - YS) ** 2)


SLOPES = """
def slopes_of(network, loss_of, weights):
    with mg.GradientTape() as tape:
        loss = loss_of(network(*weights))
    return tape.gradient(loss, weights)
"""

recorded = Card(
    points=(("line", 0.5, -1.0), ("line", -2.0, 3.0), ("growth", [0.0, 1.0, -0.5])),
    ask=ask_slopes,
    right=slopes_on_paper,
    yes="From the weights to the last op of the loss, everything is in the block.",
    options=("falls", "flat", "nan"),
    came_out="the curve was flat.",
    miss="For the network {0} it gave {seen}.",
    hints=(
        "Which op makes the number that you ask about, and does it run while the tape records?",
        "Two calls belong in the block, network(*weights) and loss_of(...). The question comes after it.",
        "In the block: loss = loss_of(network(*weights)). Below it: return tape.gradient(...), of what by what?",
    ),
    solution=SLOPES,
    replies=(
        Reply(SLOPES.replace("loss = loss_of(network(*weights))", "answers = network(*weights)").replace(
            "    return", "    loss = loss_of(answers)\n    return"),
              lambda name, *start: [None] * len(start),
              "Every gradient is None. Are the answers and the loss both computed inside the block?"),
        Reply(SLOPES.replace("loss_of(network(*weights))", "network(*weights)"), of_answers,
              "These are the slopes of the answers, added up. The task asks for those of their loss."),
        Reply(SLOPES.replace("return tape.gradient(loss, weights)", "return loss"), loss_there,
              "This is the loss. Ask the tape for its slopes, one for each weight."),
        Reply(SLOPES.replace("gradient(loss, weights)", "gradient(loss, weights[0])"),
              lambda name, *start: slopes_on_paper(name, *start)[0],
              "This is the slope by the first weight. Hand the whole list to the tape."),
    ),
    ways=(
        Way("""
def slopes_of(network, loss_of, weights, h=0.01):
    slopes = []
    for weight in weights:
        at, slope = weight.numpy(), np.zeros(weight.shape)
        for k in np.ndindex(*at.shape):
            nudge = np.zeros(at.shape, at.dtype)
            nudge[k] = h
            weight.assign(at + nudge)
            up = loss_of(network(*weights))
            weight.assign(at - nudge)
            slope[k] = float(up - loss_of(network(*weights))) / (2 * h)
            weight.assign(at)
        slopes.append(slope)
    return slopes
""", by_tape, "The slopes are right, but not from a tape. Record the loss, and ask a tape once."),
    ),
)  # fmt: skip


# ---- 16.2: a loss with missing readings ------------------------------------------------------------------------------

NAN = float("nan")


def ask_loss(loss_of, answers, measured):
    """The loss, and its slope by each answer."""
    answers = mg.Variable(answers)
    with mg.GradientTape() as tape:
        loss = loss_of(answers, mg.constant(measured))
    slopes = tape.gradient(loss, answers)
    return {"loss": loss, "slopes": None if slopes is None else mg.convert_to_tensor(slopes)}


def guarded_by_hand(divisor=lambda known: len(known), missing=0.0, filled=None):
    """The loss on paper: divided by what, which slope a missing day has, and which reading, if one is made up for it."""

    def both(answers, measured):
        answers, measured = np.array(answers), np.array(measured)
        known = ~np.isnan(measured)
        errors = np.where(known, answers - measured, 0.0 if filled is None else answers - filled)
        slopes = np.where(known | (filled is not None), 2.0 * errors / divisor(known), missing)
        return {"loss": np.sum(errors**2) / divisor(known), "slopes": slopes}

    return both


GUARDED = """
def guarded_loss(answers, measured):
    missing = mg.math.is_nan(measured)
    errors = (answers - mg.where(missing, 0.0, measured)) ** 2
    return mg.reduce_mean(mg.where(missing, 0.0, errors))
"""

guarded = Card(
    points=(([1.0, 2.0, 4.0], [NAN, 0.0, 6.0]), ([0.5, -1.0], [2.0, NAN]), ([3.0, 1.0, 0.0, -2.0], [NAN, 1.5, NAN, -4.0])),
    ask=ask_loss,
    right=guarded_by_hand(),
    yes="For the slope, what goes into the subtraction is guarded. For the value, the error of a missing day is taken out.",
    options=("lower", "higher", "zero"),
    came_out="the loss was zero.",
    miss="For the answers {0} and the readings {1} it gave {seen}.",
    hints=(
        "Which number must never reach the subtraction, although its result is thrown away?",
        "Two times mg.where: one for the readings before the subtraction, one for the errors after it.",
        "missing = mg.math.is_nan(measured). Subtract mg.where(missing, 0.0, measured). Then the second where, and the mean.",
    ),
    solution=GUARDED,
    replies=(
        Reply(GUARDED.replace("mg.where(missing, 0.0, measured)", "measured"), guarded_by_hand(missing=NAN),
              "The loss is right, but the slope at a missing day is nan. What goes into the subtraction there?"),
        Reply(GUARDED.replace("mg.where(missing, 0.0, errors)", "errors"), guarded_by_hand(filled=0.0),
              "A missing day counts as a reading of 0 degrees here. Its error has to be taken out as well."),
        Reply(GUARDED.replace("reduce_mean", "reduce_sum"), guarded_by_hand(divisor=lambda known: 1),
              "This is the sum of the squared errors. Divide it by the number of days."),
        Reply("def guarded_loss(answers, measured): return mg.reduce_mean((answers - measured) ** 2)",
              lambda *point: {"loss": NAN, "slopes": lambda seen: True},
              "The loss itself is nan. Every missing reading needs a guard before the subtraction."),
        Reply(GUARDED.replace("mg.reduce_mean(mg.where(missing, 0.0, errors))",
                              "mg.reduce_sum(mg.where(missing, 0.0, errors)) / mg.reduce_sum(mg.cast(~missing, mg.float32))"),
              guarded_by_hand(divisor=lambda known: known.sum()),
              "This is the mean over the days that have a reading, and its slopes are finite. "
              "That is a better loss than the program's, and its curves lie a little higher.", done=True),
    ),
)  # fmt: skip


# ---- 16.3: the Variable itself ---------------------------------------------------------------------------------------


def still_like(**changed):
    return f"still = {dict(A=False, B=True, C=False, D=True, E=False) | changed}\n"


def entry(**values):
    return lambda: values


still = Card(
    right=lambda: {"A": False, "B": True, "C": False, "D": True, "E": False},
    yes="Only assign, assign_add and assign_sub change a Variable in place. A line that begins with v = gives the name to something else.",
    options=("falls to the end", "falls once", "flat"),
    came_out="the curve fell once.",
    hints=(
        "Which of the five lines begin with v and an equals sign, and what does Python do with a name there?",
        "A Variable has three methods that change it in place. A Tensor has none, and `=` changes nothing but a name.",
        "Two of the five are True. Both call a method whose name begins with assign.",
    ),
    solution=still_like(),
    replies=(
        Reply(still_like(A=True), entry(A=True), ": A. The right-hand side is a Tensor, and from now on v is the name of that Tensor."),
        Reply(still_like(B=False), entry(B=False), ": B. assign_sub writes into the Variable. The name and the Variable stay together, so the tape still knows it."),
        Reply(still_like(C=True), entry(C=True), ": C. mg.identity returns a Tensor with the same value, and from now on v is the name of that Tensor."),
        Reply(still_like(D=False), entry(D=False), ": D. The Tensor v - 0.1 * s is computed first, and then written into the Variable."),
        Reply(still_like(E=True), entry(E=True), ": E. This is a Variable, but a new one. The tape has recorded the other."),
    ),
)  # fmt: skip


# ---- 16.4: a tape for each step --------------------------------------------------------------------------------------


def ask_descent(descend, start, shift, rate, steps):
    """The losses, and where the weights are in the end."""
    a, b = mg.Variable(start), mg.Variable(shift)
    losses = descend([a, b], lambda: mg.reduce_sum((a - b) ** 2) + b * b, rate, steps)
    return {"losses": losses, "weights": [a, b]}


def descended(direction=-1.0, old=False, frozen=False, after=False, told=True):
    """The same by hand: perhaps with the slope of the start, or with losses that are not looked at again."""

    def both(start, shift, rate, steps):
        a, b, losses, slopes = np.array(start), shift, [], None
        for _ in range(steps):
            before = np.sum((a - b) ** 2) + b * b
            slopes = slopes if old and slopes else (2.0 * (a - b), -2.0 * np.sum(a - b) + 2.0 * b)
            a, b = a + direction * rate * slopes[0], b + direction * rate * slopes[1]
            losses.append(np.sum((a - b) ** 2) + b * b if after else losses[0] if frozen and losses else before)
        return {"losses": losses if told else None, "weights": [a, b]}

    return both


DESCEND = """
def descend(weights, loss_of, rate, steps):
    losses = []
    for step in range(steps):
        with mg.GradientTape() as tape:
            loss = loss_of()
        losses.append(float(loss))
        for v, slope in zip(weights, tape.gradient(loss, weights)):
            v.assign_sub(rate * slope)
    return losses
"""
ONCE = """
def descend(weights, loss_of, rate, steps):
    losses = []
    with mg.GradientTape(persistent=True) as tape:
        loss = loss_of()
    for step in range(steps):
        losses.append(float(loss_of()))
        for v, slope in zip(weights, tape.gradient(loss, weights)):
            v.assign_sub(rate * slope)
    return losses
"""

descend = Card(
    points=(([1.0, 4.0], 0.5, 0.1, 4), ([2.0, -1.0, 3.0], -0.5, 0.05, 3)),
    ask=ask_descent,
    right=descended(),
    yes="Each step read the present weights. This loop can train the greenhouse as it is.",
    options=("below 10", "about 73", "above 100"),
    came_out="the loss at the end was 235.57.",
    miss="From {0} and {1}, with rate {2} and {3} steps, it gave {seen}.",
    hints=(
        "How often does the tape have to read the weights, once or once for each step?",
        "The with block goes inside the for loop. It holds one line.",
        "for step in range(steps): a new tape, loss = loss_of(), losses.append(float(loss)), then a loop with assign_sub.",
    ),
    solution=DESCEND,
    replies=(
        Reply(ONCE, descended(old=True),
              "The losses are computed anew, but the slope is that of the start at every step. Where is the tape opened?"),
        Reply(ONCE.replace("float(loss_of())", "float(loss)"), descended(old=True, frozen=True),
              "The weights keep moving with the slope of the start, and the list repeats the first loss. Where is the tape opened?"),
        Reply(DESCEND.replace("assign_sub", "assign_add"), descended(direction=1.0),
              "The losses rise from step to step: this goes uphill."),
        Reply(DESCEND.replace("v.assign_sub(rate * slope)", "v = v - rate * slope"), descended(direction=0.0),
              "The weights have not moved. Is each of them changed in place?"),
        Reply(DESCEND.replace("        losses.append(float(loss))\n", "").replace(
            "    return", "        losses.append(float(loss_of()))\n    return"), descended(after=True),
              "The weights are right. The losses are those after each step; the task asks for those before it."),
        Reply(DESCEND.replace("    return losses\n", ""), descended(told=False),
              "The weights are right. Return the list of losses, too."),
    ),
    ways=(
        Way("""
def descend(weights, loss_of, rate, steps, h=0.01):
    losses = []
    for step in range(steps):
        losses.append(float(loss_of()))
        slopes = []
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
    return losses
""", asked, "The losses are right, but no tape was asked: nudges cost two runs for each number. Open a tape for each step."),
    ),
)  # fmt: skip


# ---- 16.5: two shapes ------------------------------------------------------------------------------------------------


REFUSALS = (ValueError, mg.errors.InvalidArgumentError)  # mg.ensure_shape raises the second


def mean_squared(answers, measured):
    """On paper, of any shapes that fit each other."""
    answers, measured = np.broadcast_arrays(answers, measured)
    return np.mean((np.array(answers) - np.array(measured)) ** 2)


def strict_on_paper(answers, measured):
    answers, measured = np.array(answers), np.array(measured)
    if answers.shape != measured.shape:
        return stops(REFUSALS)
    return {"loss": mean_squared(answers, measured), "slopes": 2.0 * (answers - measured) / answers.size}


def let_through(alike):
    """With a guard that stops at nothing, or only where `alike` of the two is False."""

    def both(answers, measured):
        if not alike(np.array(answers), np.array(measured)):
            return stops(ValueError)
        return {"loss": mean_squared(answers, measured), "slopes": lambda seen: True}

    return both


STRICT = """
def strict_loss(answers, measured):
    if answers.shape != measured.shape:
        raise ValueError(f"answers {answers.shape} and readings {measured.shape} differ in shape")
    return mg.reduce_mean((answers - measured) ** 2)
"""

strict = Card(
    points=(
        ([1.0, 2.0, 4.0], [1.0, 0.0, 7.0]),
        ([[1.0], [2.0]], [3.0, 5.0]),
        ([[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [1.0, 9.0]]),
        ([1.0, 2.0, 3.0], [2.0]),
        ([[1.0, 2.0, 5.0]], [3.0, 1.0, 2.0]),
        ([1.0, 2.0], 4.0),
    ),
    ask=ask_loss,
    right=strict_on_paper,
    yes="The square of this section can no longer come back unnoticed.",
    options=("below 10", "about 20", "about 65"),
    came_out="the loss at the end was 65.84.",
    miss="For answers {0} and readings {1} it gave {seen}.",
    hints=(
        "Which two things have to be equal before the subtraction may happen?",
        "Every Tensor has a .shape, and == compares two shapes.",
        "An `if` whose condition is that answers.shape and measured.shape differ, and in it raise ValueError(...). Then the line with the mean.",
    ),
    solution=STRICT,
    replies=(
        Reply("def strict_loss(answers, measured): return mg.reduce_mean((answers - measured) ** 2)", let_through(lambda a, m: True),
              "This computes a loss for any two shapes that can be stretched to fit. Compare the shapes first."),
        Reply(STRICT.replace("answers.shape != measured.shape", "len(answers.shape) != len(measured.shape)"),
              let_through(lambda a, m: a.ndim == m.ndim),
              "It lets (3,) and (1,) through: the same number of axes, but another length. Compare the whole shapes."),
        Reply(STRICT.replace("answers.shape != measured.shape", "mg.size(answers) != mg.size(measured)"),
              let_through(lambda a, m: a.size == m.size),
              "It lets (2, 1) and (2,) through: the same number of entries, but another shape. Compare the shapes."),
        Reply(STRICT.replace("    if answers.shape != measured.shape:\n        raise ValueError", "    assert answers.shape == measured.shape, "),
              lambda a, m: stops(AssertionError) if np.shape(a) != np.shape(m) else strict_on_paper(a, m),
              "It stops at the right pairs, with an AssertionError. Python can be started so that every assert is left out; raise a ValueError."),
        Reply(STRICT.replace("!=", "=="), lambda a, m: stops(ValueError) if np.shape(a) == np.shape(m) else let_through(lambda a, m: True)(a, m),
              "It stops where the shapes are equal, and computes where they differ. Turn the comparison round."),
    ),
)  # fmt: skip


# ---- 16.6: a guard for silent weights --------------------------------------------------------------------------------

INF = float("inf")
STATES = (
    (("w", "b", "warm"), (None, None, [1.0, -2.0])),
    (("w", "b"), ([NAN, 1.0], [0.0, 0.0])),
    (("first", "second", "third"), ([[1.0], [2.0]], [3.0, -INF], None)),
    (("w", "b", "scale"), ([0.0], [-1.0, 1.0], 0.0)),
    (("w", "b"), ([INF, 2.0], NAN)),
)


def ask_silent(silent, names, slopes):
    return silent(list(names), [None if slope is None else mg.constant(slope) for slope in slopes])


def silent_if(bad):
    return lambda names, slopes: [name for name, slope in zip(names, slopes, strict=True) if bad(slope)]


def broken(slope):
    return slope is None or not np.all(np.isfinite(slope))


SILENT = """
def silent(names, slopes):
    bad = lambda slope: slope is None or not mg.reduce_all(mg.math.is_finite(slope))
    return [name for name, slope in zip(names, slopes) if bad(slope)]
"""

quiet = Card(
    points=STATES,
    ask=ask_silent,
    right=silent_if(broken),
    yes="Call it after the first step, and raise an error if the list is not empty.",
    options=("1", "2", "3"),
    came_out="1 weight moved: warm.",
    miss="For {0} with the slopes {1} it gave {seen}.",
    hints=(
        "Two different things make a weight silent. Which of them has no numbers in it at all?",
        "`slope is None` for the first; for the second mg.math.is_finite, which is False for nan and for inf.",
        "A loop over zip(names, slopes). A name is kept if slope is None, or if not mg.reduce_all(mg.math.is_finite(slope)).",
    ),
    solution=SILENT,
    replies=(
        Reply(SILENT.replace(" or not mg.reduce_all(mg.math.is_finite(slope))", ""), silent_if(lambda slope: slope is None),
              "Every None is found. But a slope with a nan or an inf in it is missing from the list."),
        Reply(SILENT.replace("not mg.reduce_all(mg.math.is_finite(slope))", "mg.reduce_any(mg.math.is_nan(slope))"),
              silent_if(lambda slope: slope is None or np.any(np.isnan(slope))),
              "None and nan are found. But an infinite entry is as bad as they are."),
        Reply(SILENT.replace("not mg.reduce_all(mg.math.is_finite(slope))", "not mg.reduce_any(mg.math.is_finite(slope))"),
              silent_if(lambda slope: slope is None or not np.any(np.isfinite(slope))),
              "Here a slope is listed only if all of its entries are bad. One is enough."),
        Reply(SILENT.replace("is None or not", "is None or not mg.reduce_any(slope != 0.0) or not"),
              silent_if(lambda slope: broken(slope) or not np.any(slope)),
              "A slope of 0 is on this list too. It may be right: nothing is broken there."),
        Reply(SILENT.replace("if bad(slope)", "if not bad(slope)"), silent_if(lambda slope: not broken(slope)),
              "These are the names of the weights whose slopes are fine. The task asks for the others."),
    ),
)  # fmt: skip


# ---- 16.7: shares, with every way on the tape ------------------------------------------------------------------------

WORTH = np.array([1.0, -2.0, 4.0, 0.5])


def ask_shares(shares_of, z):
    """The shares, and the slopes of what they are worth together."""
    z = mg.Variable(z)
    with mg.GradientTape() as tape:
        shares = shares_of(z)
        worth = mg.reduce_sum(shares * WORTH[: z.shape[1]])
    return {"shares": shares, "slopes": tape.gradient(worth, z)}


def shares_by_hand(axis=1, part=False, lost=False):
    """On paper: summed along which axis, perhaps with the way through the sum left out, or with every way."""

    def both(z):
        e = np.exp(np.array(z))
        shares, worth = e / e.sum(axis=axis, keepdims=True), WORTH[: e.shape[1]]
        together = np.sum(shares * worth, axis=axis, keepdims=True)
        return {"shares": shares, "slopes": None if lost else shares * (worth - (0.0 if part else together))}

    return both


SHARES = """
def shares_of(z):
    strengths = mg.exp(z)
    return strengths / mg.reduce_sum(strengths, axis=1, keepdims=True)
"""

shares = Card(
    points=(([[0.0, 1.0, -1.0], [2.0, 0.5, 0.0]],), ([[1.0, 0.0], [-0.5, 0.25], [3.0, 1.0]],), ([[0.2, 0.4, -0.6, 1.0]],)),
    ask=ask_shares,
    right=shares_by_hand(),
    yes="Both paths are on the tape. mg.nn.softmax is the same function, and works for large numbers too.",
    options=("falls to the end", "stands still", "ends early"),
    came_out="the curve ended early, at step 9.",
    miss="For z = {0} it gave {seen}.",
    hints=(
        "Along which axis are the shares of one day, and where must their sum not be kept?",
        "mg.reduce_sum has axis= and keepdims=. The sum stays a tensor, under a name of its own.",
        "strengths = mg.exp(z). Then strengths, divided by mg.reduce_sum(strengths, axis=1, keepdims=True).",
    ),
    solution=SHARES,
    replies=(
        Reply(SHARES.replace("mg.reduce_sum(strengths, axis=1, keepdims=True)", "mg.Variable(mg.reduce_sum(strengths, axis=1, keepdims=True))"),
              shares_by_hand(part=True),
              "The shares are right, but the path through the sum carries no slope. In which form does the sum reach the division?"),
        Reply(SHARES.replace("mg.exp(z)", "np.exp(z)"), shares_by_hand(lost=True),
              "The shares are right, but their slope by z is None. Somewhere between z and the shares every path is cut."),
        Reply(SHARES.replace("axis=1", "axis=0"), shares_by_hand(axis=0),
              "Here each column adds up to 1. A day is a row; which axis runs along it?"),
        Reply(SHARES.replace("axis=1, ", ""), shares_by_hand(axis=(0, 1)),
              "Here all days together add up to 1. Each day has a sum of its own."),
    ),
)  # fmt: skip


# ---- 16.8: residual connections --------------------------------------------------------------------------------------

LAYERS = {"half": lambda h: 0.5 * h, "square": lambda h: h * h, "tanh": lambda h: mg.tanh(h) if hasattr(h, "numpy") else np.tanh(h)}


def ask_through(through, start, *names):
    """Where it ends, and the slope of its sum."""
    h = mg.Variable(start)
    with mg.GradientTape() as tape:
        end = through(h, [LAYERS[name] for name in names])
    return {"end": end, "slope": tape.gradient(end, h)}


def ended(way):
    """The same on paper, for a way through plain functions."""

    def both(start, *names):
        h, layers, nudge = np.array(start), [LAYERS[name] for name in names], 1e-5
        slope = (way(h + nudge, layers) - way(h - nudge, layers)) / (2.0 * nudge)
        return {"end": way(h, layers), "slope": slope}

    return both


def residual(h, layers):
    for layer in layers:
        h = h + layer(h)
    return h


def plain(h, layers):
    for layer in layers:
        h = layer(h)
    return h


def from_the_start(h, layers):
    start = h
    for layer in layers:
        h = start + layer(h)
    return h


THROUGH = """
def through(h, layers):
    for layer in layers:
        h = h + layer(h)
    return h
"""

through = Card(
    points=(([1.0, -0.5], "half", "square", "tanh"), ([0.2, 2.0, -1.0], "tanh", "half"), ([0.5], "square", "square", "half", "tanh")),
    ask=ask_through,
    right=ended(residual),
    yes="One plus sign. On the way back, each layer multiplies by 1 plus its slope.",
    options=("0.1", "0.001", "0.00001"),
    came_out="the gradient in layer 1 was 0.000033 long.",
    miss="From {0}, first through {1}, it gave {seen}.",
    hints=(
        "What does the film of the thirty layers show between two of them that the first film does not?",
        "In the loop, what comes in is added to what the layer makes of it.",
        "for layer in layers: h = ... + layer(h). What belongs in place of the dots?",
    ),
    solution=THROUGH,
    replies=(
        Reply(THROUGH.replace("h + layer(h)", "layer(h)"), ended(plain),
              "This is the plain way. What comes into a layer has to be added to what comes out of it."),
        Reply(THROUGH.replace("    for", "    start = h\n    for").replace("h = h + layer(h)", "h = layer(h)").replace("return h", "return start + h"),
              ended(lambda h, layers: h + plain(h, layers)),
              "This is one connection around all layers together. The task asks for one around each."),
        Reply(THROUGH.replace("    for", "    start = h\n    for").replace("h + layer(h)", "start + layer(h)"), ended(from_the_start),
              "Each layer adds to the very first h. It has to add to what came into it."),
        Reply("def through(h, layers): return h + sum(layer(h) for layer in layers)",
              ended(lambda h, layers: h + sum(layer(h) for layer in layers)),
              "Every layer gets the first h. Each should get what the layer before it returned."),
    ),
)  # fmt: skip


# ---- the ticket ------------------------------------------------------------------------------------------------------


def near(number, share=0.03):
    return lambda seen: abs(float(seen) - number) <= share * number


ticket = Card(
    right=lambda: {"2": near(1.0 / 1024.0), "3": says("stale")},
    yes="Both. For item 1, for example what a constant answer costs, and by how much each weight has moved.",
    hints=(
        "Item 2: after one layer a half is left, after two layers a quarter. Item 3: which curve did that?",
        "Item 2: a half, multiplied by itself ten times. Item 3: section 4.",
        "Item 2: 1 divided by 1024. Item 3: the slope is no longer fresh.",
    ),
    solution="""
ticket = {"2": 0.5 ** 10, "3": "STALE"}
""",
    replies=(
        Reply('ticket = {"2": 5.0, "3": "STALE"}', lambda: {"2": 5.0}, ": 2. 5 is ten times a half. Each layer multiplies what is left."),
        Reply('ticket = {"2": 0.05, "3": "STALE"}', lambda: {"2": 0.05},
              ": 2. 0.05 is a half, divided by ten. Each layer halves what is left."),
        Reply('ticket = {"2": 0.00195, "3": "STALE"}', lambda: {"2": near(0.5**9)}, ": 2. These are nine halvings. It goes through ten layers."),
        Reply('ticket = {"2": 0.5 ** 10, "3": "REBOUND"}', lambda: {"3": contains("rebound")},
              ": 3. REBOUND gave one step and then a level line. This curve moves at every step."),
        Reply('ticket = {"2": 0.5 ** 10, "3": "STATE"}', lambda: {"3": contains("state")},
              ": 3. STATE was the curve that jumped and ended. This one goes on."),
    ),
)  # fmt: skip

pause1 = pause(
    0.0,
    yes="One weight that moves is enough to move the loss.",
    hints=("What would the loss do if a weight moved?", "It would be another number.", "It is 18 after each of them."),
    mistakes={40.0: "Then there would be forty different losses.", 1.0: "That one would have changed the loss."},
)


pause2 = pause(
    6.0,
    yes="It is the slope at 3, which the tape read. At 5, where the Variable is now, it would be 10.",
    hints=("The slope of w * w is 2w. At which w?", "A tape keeps what it has read.", "2 times 3."),
    mistakes={
        10.0: "That is the slope at the new value, and the tape has not seen it.",
        3.0: "Each of the two factors brings one.",
        9.0: "That is the value of y.",
    },
)


pause3 = pause(
    16.0,
    yes="Each answer is compared with each reading.",
    hints=("Which shape does the difference have?", "(4,) is used as (1, 4), and then both grow.", "4 rows, 4 columns."),
    mistakes={
        4.0: "So it is if both have the same shape.",
        8.0: "The shapes are not added up.",
        1.0: "That is their mean. The difference comes before it.",
    },
)


pause4 = pause(
    3.0,
    yes="The tape adds the paths that it has. explain says that the other one is missing: PARTIAL.",
    hints=("What does a Variable keep, when it is assigned?", "The value, and not where it came from.", "One path is left."),
    mistakes={
        7.0: "So it should be. One of the two is lost.",
        4.0: "That is the one that is lost.",
        0.0: "One of the two is whole.",
    },
)


CARDS = {
    "16.1": recorded,
    "16.2": guarded,
    "16.pause1": pause1,
    "16.3": still,
    "16.4": descend,
    "16.pause2": pause2,
    "16.5": strict,
    "16.6": quiet,
    "16.pause3": pause3,
    "16.7": shares,
    "16.pause4": pause4,
    "16.8": through,
    "16.exit": ticket,
}
