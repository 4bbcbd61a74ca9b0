"""The exercises of lesson 10, Your own gradient."""

from types import SimpleNamespace

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, contains, pause, says, stops
from ..witness import inside

ONE = [[[0.1, 0.9], [0.5, 0.3]], [[0.7, 0.2], [0.2, 0.6]]]  # 2 by 2 pixels, 2 colours
BATCH = [ONE, [[[0.8, 0.0], [0.4, 1.0]], [[0.6, 0.3], [0.0, 0.1]]]]


def ask_contrast(contrast, image, factor):
    """The image, and the slopes of a sum over it for the factor and for the first pixels."""
    image, factor = mg.Variable(image, name="image"), mg.Variable(factor, name="factor")
    with mg.GradientTape() as tape:
        out = contrast(image, factor)
        y = out * out * RISING
    return [out, *tape.gradient(y, [factor, image])]


RISING = np.arange(1.0, 9.0, dtype=np.float32).reshape(2, 2, 2)


def contrasts(image, factor, axis=(-3, -2), keepdims=True, add=1.0):
    """The same, for a mean over these axes."""

    def out(image, factor):
        mean = image.mean(axis, keepdims=keepdims)
        return (image - mean) * factor + add * mean

    def by(move, h=1e-5):
        up, down = (np.sum(out(*move(step)) ** 2 * RISING) for step in (h, -h))
        return (up - down) / (2.0 * h)

    image = np.array(image)
    pixels = [by(lambda h, one=one: (image + h * one.reshape(image.shape), factor)) for one in np.eye(image.size)]
    return [out(image, factor), by(lambda h: (image, factor + h)), np.reshape(pixels, image.shape)]


CONTRAST = """
def contrast(image, factor):
    mean = mg.reduce_mean(image, axis=[-3, -2], keepdims=True)
    return (image - mean) * factor + mean
"""

contrast = Card(
    points=((ONE, 0.5), (BATCH, 3.0)),
    ask=ask_contrast,
    right=contrasts,
    yes="For one image or a batch, you have the slopes for the factor and for the image.",
    options=("zeros", "None", "an error", "the slopes"),
    came_out="it was a LookupError.",
    miss="With factor {1}, the image and its slopes, for factor and image, came out as {seen}.",
    hints=(
        "Which axes hold the pixels of one colour of one image, if there may be one more axis in front?",
        "Counted from the end: colours are axis -1, width is -2, height is -3.",
        "mean = mg.reduce_mean(image, axis=[-3, -2], keepdims=True); spread around it as in the cell above.",
    ),
    solution=CONTRAST,
    replies=(
        Reply(
            CONTRAST.replace("[-3, -2]", "[0, 1]"),
            lambda image, factor: contrasts(image, factor, axis=(0, 1)),
            "One image is right. In a batch axis 0 counts the images, so their pixels were mixed. Count the axes from the end.",
        ),
        Reply(
            CONTRAST.replace(", axis=[-3, -2], keepdims=True", ""),
            lambda image, factor: contrasts(image, factor, axis=None),
            "This is one mean for all colours. Each colour has a mean of its own.",
        ),
        Reply(
            CONTRAST.replace(" + mean", ""),
            lambda image, factor: contrasts(image, factor, add=0.0),
            "The spread is right, but the mean is gone from the picture. Add it back.",
        ),
        Reply(
            CONTRAST.replace(", keepdims=True", ""),
            lambda image, factor: contrasts(image, factor, keepdims=False),
            "One image is right. In a batch the mean has lost its axes, and meets the pixels of the other image: keepdims=True keeps them.",
        ),
        Reply(
            """
def contrast(image, factor):
    return mg.image.adjust_contrast(image, factor)
""",
            lambda image, factor: lambda seen: stops(LookupError, "AdjustContrastv2")(seen) or np.shape(seen) == (3,),
            "That is the op itself. Write what it does with reduce_mean, -, * and +.",
        ),
    ),
    ways=(
        Way(
            """
def contrast(image, factor):
    mean = mg.reduce_mean(image, axis=[-3, -2], keepdims=True)
    by_hand = (image - mean) * factor + mean
    return by_hand + mg.stop_gradient(mg.image.adjust_contrast(image, factor) - by_hand)
""",
            lambda witness, *rest: "contrast" not in witness.ops,
            "The right numbers, with the op itself in them. Write what it does with reduce_mean, -, * and +.",
        ),
    ),
)


BLENDS = (
    ([[1.0, 4.0]], [[3.0, -2.0]], 0.25, [[1.0, 10.0]]),
    ([2.0, 0.0, 5.0], [1.0, 1.0, 1.0], 0.9, [0.5, -1.0, 2.0]),
)


def ask_blend(vjp, a, b, t, dy):
    """What the VJP gives for a, b and t."""
    op = SimpleNamespace(type="Blend", inputs=[mg.constant(x) for x in (a, b, t)], outputs=[mg.constant(np.add(a, t * np.subtract(b, a)))])
    return list(vjp(op, mg.constant(dy)))


def blended(a, b, t, dy, summed=True, at_a=None):
    a, b, dy = map(np.array, (a, b, dy))
    by_t = dy * (b - a)
    return [dy * (1.0 - t) if at_a is None else at_a * dy, dy * t, by_t.sum() if summed else by_t]


BLEND = """
def blend_rule(op, dy):
    a, b, t = op.inputs
    return [dy * (1.0 - t), dy * t, mg.reduce_sum(dy * (b - a))]
"""

blend_rule = Card(
    points=BLENDS,
    ask=ask_blend,
    right=blended,
    yes="Upstream times local, three times, and added up for the one t that serves all pixels.",
    options=("0", "0.1", "1", "None"),
    came_out="it is 0.",
    miss="For t = {2} and dy = {3} it gave {seen}.",
    hints=(
        "If a pixel of a grows by 1, by how much does y grow there? And if a pixel of b does? And how many pixels does t reach?",
        "The local derivatives are 1 - t, t and b - a. Each is multiplied by dy.",
        "Return [dy * (1.0 - t), ..., mg.reduce_sum(...)]: for t, add up over all pixels.",
    ),
    solution=BLEND,
    replies=(
        Reply(
            BLEND.replace("mg.reduce_sum(dy * (b - a))", "dy * (b - a)"),
            lambda a, b, t, dy: blended(a, b, t, dy, summed=False),
            "The first two are right. The third has one number for each pixel, and t is a single number: add them up.",
        ),
        Reply(
            BLEND.replace("dy * (1.0 - t), dy * t, mg.reduce_sum(dy * (b - a))", "1.0 - t, t, mg.reduce_sum(b - a)"),
            lambda a, b, t, dy: [1.0 - t, t, np.sum(np.subtract(b, a))],
            "These are the local derivatives. Where is dy, which arrives from behind?",
        ),
        Reply(
            BLEND.replace("dy * (1.0 - t)", "dy"),
            lambda a, b, t, dy: blended(a, b, t, dy, at_a=1.0),
            "The first is off: a is in the formula twice, once as a and once as -t * a.",
        ),
        Reply(
            BLEND.replace("dy * (1.0 - t), dy * t,", "dy * t, dy * (1.0 - t),"),
            lambda a, b, t, dy: [*reversed(blended(a, b, t, dy)[:2]), blended(a, b, t, dy)[2]],
            "a and b have changed places. At t = 0 the blend is all a.",
        ),
        Reply(
            BLEND.replace("b - a", "a - b"),
            lambda a, b, t, dy: [*blended(a, b, t, dy)[:2], -blended(a, b, t, dy)[2]],
            "The first two are right, but the third has the opposite sign. With more t there is more b.",
        ),
        Reply(
            BLEND.replace(", mg.reduce_sum(dy * (b - a))", ""),
            lambda a, b, t, dy: blended(a, b, t, dy)[:2],
            "The first two are right. One gradient for each input: t is the third.",
        ),
    ),
    ways=(
        Way(
            """
def blend_rule(op, dy):
    a, b, t = (one.numpy() for one in op.inputs)
    dy = dy.numpy()
    return [dy * (1.0 - t), dy * t, np.sum(dy * (b - a))]
""",
            inside,
            "The right numbers, but values have left for NumPy on the way. Such a VJP has no second derivative: use dy, op.inputs and mg.",
        ),
    ),
)


def ask_distance(distance, x, y):
    """The value, and the slopes with an upstream of 3."""
    x, y = mg.Variable(x, name="x"), mg.Variable(y, name="y")
    with mg.GradientTape() as tape:
        d = distance(x, y)
        target = 3.0 * d
    return [d, *tape.gradient(target, [x, y])]


def distances(x, y, upstream=3.0, swapped=False, at_zero=0.0):
    d = np.hypot(x, y)
    slopes = [upstream * x / d, upstream * y / d] if d else [at_zero, at_zero]
    return [d, *(reversed(slopes) if swapped else slopes)]


DISTANCE = """
@mg.custom_gradient
def distance(x, y):
    d = mg.sqrt(x * x + y * y)
    def grad(dy):
        return mg.math.divide_no_nan(dy * x, d), mg.math.divide_no_nan(dy * y, d)
    return d, grad
"""

distance = Card(
    points=((3.0, 4.0), (-5.0, 12.0), (0.0, 0.0), (3e-7, 4e-7), (-3e-15, 4e-15), (0.0, -2.0)),
    ask=ask_distance,
    right=distances,
    yes="Tried with an upstream of 3, and at the origin: finite everywhere.",
    options=("1.0", "0.0", "inf", "nan"),
    came_out="it was nan.",
    miss="At x = {0}, y = {1}, with an upstream of 3, value and slopes came out as {seen}.",
    hints=(
        "grad(dy) returns two gradients. What arrives, and what is it multiplied by? What becomes of 0 / 0?",
        "dy * x / d and dy * y / d; mg.math.divide_no_nan(a, b) gives 0 where b is 0.",
        "d = mg.sqrt(x * x + y * y); in grad return two mg.math.divide_no_nan(dy * ..., d); then return d, grad.",
    ),
    solution=DISTANCE,
    replies=(
        Reply(
            DISTANCE.replace("mg.math.divide_no_nan(dy * x, d), mg.math.divide_no_nan(dy * y, d)", "dy * x / d, dy * y / d"),
            lambda x, y: distances(x, y, at_zero=np.nan),
            "Right everywhere but at (0, 0), where 0 / 0 is nan. Write a grad that gives 0 there.",
        ),
        Reply(
            DISTANCE.replace("dy * x", "x").replace("dy * y", "y"),
            lambda x, y: distances(x, y, upstream=1.0),
            "These are the local slopes. An upstream of 3 arrived, and dy was left out.",
        ),
        Reply(
            DISTANCE.replace("dy * x", "dy * q").replace("dy * y", "dy * x").replace("dy * q", "dy * y"),
            lambda x, y: distances(x, y, swapped=True),
            "The two have changed places: the first gradient is for x.",
        ),
        Reply(
            DISTANCE.replace(", mg.math.divide_no_nan(dy * y, d)", ""),
            lambda x, y: stops(ValueError, "expected to return 2 gradients"),
            "grad returned one gradient. distance has two arguments: return two, with a comma between.",
        ),
        Reply(
            """
@mg.custom_gradient
def distance(x, y):
    return mg.sqrt(x * x + y * y)
""",
            lambda x, y: stops(TypeError, "scalar"),
            "custom_gradient wants a pair, the value and a function: return d, grad.",
        ),
    ),
)


verdicts = Card(
    right=lambda: {"A": True, "B": False, "C": False, "D": True},
    yes="B divides by the input instead of the output, and C has its two gradients exchanged. B looks fine at 1, and C where both inputs are equal.",
    options=("60", "12", "17", "None"),
    came_out="it was 12: the VJP had forgotten dy.",
    hints=(
        "Measure each: verdict(A, 0.7), and so on. Which points hide a mistake, and which have a corner?",
        "Take points away from 0 and 1, and two different numbers for C.",
        "verdict(B, 0.7), verdict(C, 0.7, 2.0), verdict(D, -0.7): what agrees is True.",
    ),
    solution="""
verdicts = {"A": True, "B": False, "C": False, "D": True}
""",
    replies=(
        Reply('verdicts = {"A": True, "B": True, "C": True, "D": True}', lambda: {"A": True, "B": True, "C": True, "D": True},
              ": B and C. You may have measured at 1, or with two equal numbers, where both look fine."),
        Reply('verdicts = {"A": True, "B": True, "C": False, "D": True}', lambda: {"B": True},
              ": B. At 1 it looks right, because there the input equals its root. Measure it at 0.7."),
        Reply('verdicts = {"A": True, "B": False, "C": True, "D": True}', lambda: {"C": True},
              ": C. With two equal inputs it looks right. Measure with two different ones."),
        Reply('verdicts = {"A": True, "B": False, "C": False, "D": False}', lambda: {"D": False},
              ": D. At 0 there is a corner, where a measurement has no single answer. Measure it at 0.7 and at -0.7."),
        Reply('verdicts = {"A": False, "B": False, "C": False, "D": True}', lambda: {"A": False},
              ": A. The slope of exp is exp itself, times what arrives."),
    ),
)  # fmt: skip


SWITCHED = ([-2.0, -0.5, 0.25, 1.5], [1.0, 2.0, -3.0, 4.0])


def ask_switch(switch, x, weights):
    """The values, and the slopes with these upstream."""
    x = mg.Variable(x, name="x")
    with mg.GradientTape() as tape:
        y = switch(x)
        target = mg.reduce_sum(y * weights)
    return [y, tape.gradient(target, x)]


def switched(x, weights, back=lambda x, dy: dy * (abs(x) <= 1.0)):
    x, dy = np.array(x), np.array(weights)
    return [1.0 * (x > 0.0), back(x, dy)]


SWITCH = """
@mg.custom_gradient
def switch(x):
    def grad(dy):
        return mg.where(abs(x) <= 1.0, dy, 0.0)
    return mg.cast(x > 0.0, mg.float32), grad
"""

switch = Card(
    points=(SWITCHED, ([0.75, -3.0], [-5.0, 2.0]), ([0.0, 0.95, -0.95, 1.05, -1.05], [1.0, 2.0, 3.0, 4.0, 5.0])),
    ask=ask_switch,
    right=switched,
    yes="A hard step forward, a short straight line on the way back. Networks with on-off neurons are trained with this VJP.",
    options=("10", "2", "1", "None"),
    came_out="the tape gave 2.",
    miss="At x = {0}, with {1} arriving, value and slope came out as {seen}.",
    hints=(
        "What is returned forward does not decide what goes back. What goes back where |x| is below 1, and elsewhere?",
        "Forward: mg.cast(x > 0.0, mg.float32). Back: dy or 0, chosen by mg.where.",
        "def grad(dy): return mg.where(abs(x) <= 1.0, dy, 0.0), and then return the value and grad.",
    ),
    solution=SWITCH,
    replies=(
        Reply(
            SWITCH.replace("mg.where(abs(x) <= 1.0, dy, 0.0)", "dy"),
            lambda x, weights: switched(x, weights, lambda x, dy: dy),
            "Straight-through everywhere. Beyond -1 and 1 nothing should pass.",
        ),
        Reply(
            SWITCH.replace("abs(x) <= 1.0", "x > 0.0"),
            lambda x, weights: switched(x, weights, lambda x, dy: dy * (x > 0.0)),
            "This passes where the switch is on, as relu does. It should pass near the step, on both sides of it.",
        ),
        Reply(
            SWITCH.replace("abs(x) <= 1.0, dy, 0.0", "abs(x) <= 1.0, 1.0, 0.0"),
            lambda x, weights: switched(x, weights, lambda x, dy: 1.0 * (abs(x) <= 1.0)),
            "The right places, but a 1 where dy should be: pass on what arrives.",
        ),
        Reply(
            SWITCH.replace("mg.where(abs(x) <= 1.0, dy, 0.0)", "mg.clip_by_value(dy, -1.0, 1.0)"),
            lambda x, weights: switched(x, weights, lambda x, dy: np.clip(dy, -1.0, 1.0)),
            "You clipped dy. The bounds are for x: where x lies between -1 and 1, all of dy passes.",
        ),
        Reply(
            """
def switch(x):
    return mg.cast(x > 0.0, mg.float32)
""",
            lambda x, weights: [switched(x, weights)[0], None],
            "The values are right, but the gradient is None: a comparison has no slope. Supply one, with @mg.custom_gradient.",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 15.0, "3": says("lookuperror", "lookup error")},
    yes="Both. For item 1, any sentence that asks for other points, another upstream, or a measurement.",
    hints=(
        "Item 2: the tape believes grad, not the value.",
        "Item 2: 3.0 arrives as dy. Item 3: section 1.",
        "Item 2: 3 * 5. Item 3: it begins with Lookup.",
    ),
    solution="""
ticket = {"2": 15.0, "3": "LookupError"}
""",
    replies=(
        Reply('ticket = {"2": 30.0, "3": "LookupError"}', lambda: {"2": 30.0},
              ": 2. 30 is the truth, 3 * 2 * 5. The tape says what grad says, and grad has no 2 in it."),
        Reply('ticket = {"2": 5.0, "3": "LookupError"}', lambda: {"2": 5.0},
              ": 2. 5 is x. What arrives as dy?"),
        Reply('ticket = {"2": 10.0, "3": "LookupError"}', lambda: {"2": 10.0},
              ": 2. 10 is the slope of x squared alone, from school. grad says something else, and 3.0 arrives."),
        Reply('ticket = {"2": 15.0, "3": "KeyError"}', lambda: {"3": contains("key")},
              ": 3. That one comes when an op gets a second VJP."),
    ),
)  # fmt: skip

pause1 = pause(
    60.0,
    yes="10, times 3a.",
    hints=("Upstream times local.", "How fast does y grow with b? 3 times a.", "10 times 6."),
    mistakes={
        6.0: "That is the local slope. Multiply it by what arrived.",
        150.0: "That is for a.",
        300.0: "That is upstream times y.",
    },
)


CARDS = {
    "10.1": contrast,
    "10.2": blend_rule,
    "10.3": distance,
    "10.pause1": pause1,
    "10.4": verdicts,
    "10.5": switch,
    "10.exit": ticket,
}
