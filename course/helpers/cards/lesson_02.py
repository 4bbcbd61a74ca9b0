"""The exercises of lesson 02, The tape."""

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, anything, contains, pause, says, stops
from ..witness import asked, by_hand, by_tape

TWICE = stops(RuntimeError, "non-persistent")


def slope(radius):
    """Of height = sqrt(2 * radius ** 3)."""
    return 1.5 * (2.0 * radius) ** 0.5


steepness = Card(
    points=((0.5,), (8.0,), (4.5,)),
    ask=lambda steepness, radius: steepness(mg.Variable(radius, name="radius")),
    right=slope,
    yes="The tape has the whole way from radius to height, so it answers at every radius: 3 at radius 2, 6 at radius 8.",
    options=("1", "2", "3", "4"),
    came_out="the tape knew 1 line of 4.",
    miss="At radius {0} it gave {seen}, and that is not the slope there.",
    hints=(
        "Which of the lines from radius to height must run while the tape is open?",
        "Ask how the last value depends on the first: tape.gradient(target, source).",
        "Open the tape, compute volume, lift and height inside the block, and below it return tape.gradient(height, radius).",
    ),
    solution="""
def steepness(radius):
    with mg.GradientTape() as tape:
        volume = radius ** 3
        lift = 2.0 * volume
        height = mg.sqrt(lift)
    return tape.gradient(height, radius)
""",
    replies=(
        Reply(
            """
def steepness(radius):
    with mg.GradientTape() as tape:
        volume = radius ** 3
        lift = 2.0 * volume
    height = mg.sqrt(lift)
    return tape.gradient(height, radius)
""",
            lambda radius: None,
            "What came back is None. Does each line from radius to height run inside the block? Is it gradient(height, radius), "
            "in this order? And does the function return it?",
        ),
        Reply(
            """
def steepness(radius):
    with mg.GradientTape() as tape:
        height = mg.sqrt(2.0 * radius ** 3)
    return height
""",
            lambda radius: (2.0 * radius**3) ** 0.5,
            "This is the height, and it is right. Now ask the tape for its slope.",
        ),
        Reply(
            """
def steepness(radius):
    with mg.GradientTape() as tape:
        volume = radius ** 3
        height = mg.sqrt(2.0 * volume)
    return tape.gradient(volume, radius)
""",
            lambda radius: 3.0 * radius**2,
            "This is the slope of volume. Which value is the target?",
        ),
        Reply(
            """
def steepness(radius):
    with mg.GradientTape() as tape:
        lift = 2.0 * radius ** 3
    return tape.gradient(lift, radius)
""",
            lambda radius: 6.0 * radius**2,
            "This is the slope of lift. One line is missing between lift and height.",
        ),
        Reply(
            """
import math

def steepness(radius):
    with mg.GradientTape() as tape:
        height = math.sqrt(2.0 * radius ** 3)
    return tape.gradient(height, radius)
""",
            lambda radius: stops(AttributeError, "'float' object"),
            "The target is a plain Python number: math.sqrt gave it, or float. mg.sqrt takes a tensor and gives one back.",
        ),
        Reply(
            """
def steepness(radius):
    def height(r):
        return mg.sqrt(2.0 * r ** 3)
    return (height(radius + 0.01) - height(radius)) / 0.01
""",
            lambda radius: ((2.0 * (radius + 0.01) ** 3) ** 0.5 - (2.0 * radius**3) ** 0.5) / 0.01,
            "This is what a nudge of 0.01 measures, and it is near. A tape needs one run and no nudge: ask tape.gradient.",
        ),
    ),
    ways=(
        Way(
            "def steepness(radius): return 1.5 * mg.sqrt(2.0 * radius)",
            by_tape,
            "The right number, but not from a tape. The task asks for the slope from a tape: tape.gradient(height, radius).",
        ),
    ),
)


def locals_at(radius):
    """The local derivatives of the three lines, in the order of writing."""
    return 3.0 * radius**2, 2.0, 0.5 / (2.0 * radius**3) ** 0.5


def products(*factors):
    """Each running product."""
    return list(np.cumprod(factors))


def exact(witness, seen, radius):
    """To all digits."""
    return bool(np.allclose(seen, products(*reversed(locals_at(radius))), rtol=1e-12, atol=0.0))


READ_BACK = """
import math

def read_back(radius):
    volume = radius ** 3
    lift = 2.0 * volume
    height = math.sqrt(lift)

    at_height = 1.0
    at_lift = {}
    at_volume = {}
    at_radius = {}
    return [at_lift, at_volume, at_radius]
"""

read_back = Card(
    points=((0.5,), (8.0,), (4.5,)),
    right=lambda radius: products(*reversed(locals_at(radius))),
    yes="You have been the tape, at three radii that the check chose. The newest line comes first, and each number is made from the one before.",
    options=("12", "2", "0.125"),
    came_out="it begins with 0.125, at the newest line.",
    miss="At radius {0} you gave {seen}. At least one product is off.",
    hints=(
        "At radius 2 the three numbers are 0.125, 0.25 and 3. Which two numbers made the 0.125?",
        "Each line is the line above it times one local derivative: 1 / (2 * height), then 2, then 3 * radius ** 2.",
        "at_lift = at_height * 1 / (2 * height). Write at_volume from at_lift, and at_radius from at_volume, in the same way.",
    ),
    solution=READ_BACK.format("at_height * 1 / (2 * height)", "at_lift * 2", "at_volume * 3 * radius ** 2"),
    replies=(
        Reply(
            READ_BACK.format("1 / (2 * height)", "2", "3 * radius ** 2"),
            lambda radius: list(reversed(locals_at(radius))),
            "These are the three local derivatives, all correct. Each has to be multiplied by what arrives: the number of the line above.",
        ),
        Reply(
            READ_BACK.format("3 * radius ** 2 * 2 / (2 * height)", "3 * radius ** 2 * 2", "3 * radius ** 2"),
            lambda radius: list(reversed(products(*locals_at(radius)))),
            "You multiplied from the radius upward. Those products say how each line reacts to radius; "
            "the tape needs how height reacts to each line. Begin at height.",
        ),
        Reply(
            READ_BACK.format("3 * radius ** 2", "at_lift * 2", "at_volume / (2 * height)"),
            lambda radius: products(*locals_at(radius)),
            "The last number is right, but not the way there: you began at radius. The newest line is read first.",
        ),
        Reply(
            READ_BACK.format("at_height + 1 / (2 * height)", "at_lift + 2", "at_volume + 3 * radius ** 2"),
            lambda radius: list(np.cumsum([1.0, *reversed(locals_at(radius))])[1:]),
            "You added. Along one path slopes multiply: twice as steep after twice as steep is four times.",
        ),
        Reply(
            READ_BACK.format("at_height * 1 / (2 * lift)", "at_lift * 2", "at_volume * 3 * radius ** 2"),
            lambda radius: products(0.25 / radius**3, 2.0, 3.0 * radius**2),
            "The products are in order. The local derivative of sqrt is off: it divides by 2 * height, the output, not the input.",
        ),
        Reply(
            READ_BACK.format("at_height * 1 / (2 * height)", "at_lift * 2", "at_volume * 2 * radius"),
            lambda radius: products(locals_at(radius)[2], 2.0, 2.0 * radius),
            "The first two are right. The local derivative of radius ** 3 is off: the 3 comes down as a factor, and a square stays.",
        ),
        Reply(
            READ_BACK.format("0.125", "0.25", "3.0"),
            lambda radius: [0.125, 0.25, 3.0],
            "These are the numbers at radius 2. The check takes other radii: write each with the names, such as height.",
        ),
    ),
    ways=(
        Way(
            """
def read_back(radius):
    radius = mg.Variable(radius, dtype=mg.float64)
    with mg.GradientTape() as tape:
        volume = radius ** 3
        lift = 2.0 * volume
        height = mg.sqrt(lift)
    return tape.gradient(height, [lift, volume, radius])
""",
            by_hand,
            "The right numbers, and a tape gave them. Here you are the tape: write the three products.",
        ),
        Way(
            """
def read_back(radius):
    def slope(f, x, h=1e-4):
        return (f(x + h) - f(x - h)) / (2 * h)
    volume = radius ** 3
    return [slope(lambda t: t ** 0.5, 2 * volume), slope(lambda t: (2 * t) ** 0.5, volume), slope(lambda t: (2 * t ** 3) ** 0.5, radius)]
""",
            exact,
            "Right to a few digits, like a measured slope. Products of local derivatives give all of them.",
        ),
    ),
)


shapes = Card(
    right=lambda: {"loss by w": (4, 3), "loss by b": (3,), "y by x": (1, 4)},
    yes="Each gradient can be subtracted from its source, entry by entry. That is what they are for.",
    options=("()", "(1, 2)", "(3, 2)", "(2, 3)"),
    came_out="it is (3, 2), the shape of w.",
    hints=(
        "For each pair: which of the two is the source, the thing that you could nudge?",
        "One number for each entry of the source. The target's shape plays no part.",
        "Copy the shapes of w, b and x from the table, in this order.",
    ),
    solution="""
shapes = {"loss by w": (4, 3), "loss by b": (3,), "y by x": (1, 4)}
""",
    replies=(
        Reply(
            'shapes = {"loss by w": (), "loss by b": (), "y by x": (1, 3)}',
            lambda: {"loss by w": (), "loss by b": (), "y by x": (1, 3)},
            "These are the shapes of the targets. One number for each entry of the source: how many does w have?",
        ),
        Reply(
            'shapes = {"loss by w": (3, 4), "loss by b": (3,), "y by x": (1, 4)}',
            lambda: {"loss by w": (3, 4)},
            ": loss by w. Nothing is transposed: entry [i, j] of the gradient belongs to entry [i, j] of w.",
        ),
        Reply(
            'shapes = {"loss by w": (4, 3), "loss by b": (1, 3), "y by x": (1, 4)}',
            lambda: {"loss by b": (1, 3)},
            ": loss by b. In y = x @ w + b, b was spread over a row. Its gradient comes back in b's own shape.",
        ),
        Reply(
            'shapes = {"loss by w": (4, 3), "loss by b": (3), "y by x": (1, 4)}',
            lambda: {"loss by b": 3},
            ": loss by b. To Python (3) is the number 3. A shape with a single entry is written (3,), with a comma.",
        ),
        Reply(
            'shapes = {"loss by w": (4, 3), "loss by b": (3,), "y by x": (1, 3, 1, 4)}',
            lambda: {"y by x": lambda shape: shape in ([1, 3, 1, 4], [3, 4], [1, 3, 4])},
            ": y by x. That would be every slope of every entry, a Jacobian. The tape adds the three entries of y first.",
        ),
        Reply(
            'shapes = {"loss by w": (4, 3), "loss by b": (3,), "y by x": (1, 3)}',
            lambda: {"y by x": (1, 3)},
            ": y by x. (1, 3) is the shape of y, the target. Nudge x: how many entries does it have?",
        ),
    ),
)


def ask_by_name(by_name, p, q, names):
    """The gradients of p * sum(q * q), asked by name."""
    p, q = mg.Variable(p, name=names[0]), mg.Variable(q, name=names[1])
    with mg.GradientTape() as tape:
        target = p * mg.reduce_sum(q * q)
    return by_name(tape, target, [p, q])


def slopes_by_name(p, q, names):
    return {f"{names[0]}:0": np.sum(np.square(q)), f"{names[1]}:0": 2.0 * p * np.array(q)}


by_name = Card(
    points=((2.0, [1.0, 3.0], "pq"), (-0.5, [2.0, 5.0, 7.0], ("slope", "level"))),
    ask=ask_by_name,
    right=slopes_by_name,
    yes="Every number has its name.",
    options=("a dict of two", "one tensor", "an error"),
    came_out="one tensor came back, for the sum of the two.",
    miss="For the variables {2} it gave {seen}.",
    hints=(
        "How often may this tape be asked? How many sources may one question have?",
        "A dict of sources comes back as a dict of gradients. Its keys can be v.name.",
        "Build {v.name: v for v in variables} and hand it to tape.gradient as the sources.",
    ),
    solution="""
def by_name(tape, target, variables):
    return tape.gradient(target, {v.name: v for v in variables})
""",
    replies=(
        Reply(
            """
def by_name(tape, target, variables):
    return {v.name: tape.gradient(target, v) for v in variables}
""",
            lambda p, q, names: TWICE,
            "The first question used the tape up, so nothing was left for the second. Ask once, for all of them.",
        ),
        Reply(
            """
def by_name(tape, target, variables):
    return tape.gradient(target, {v.name: mg.Variable(v, name=v.name) for v in variables})
""",
            lambda p, q, names: {f"{names[0]}:0": None, f"{names[1]}:0": None},
            "The names are right and the gradients are None. Those variables are copies: the tape has never seen them.",
        ),
        Reply(
            """
def by_name(tape, target, variables):
    return tape.gradient(target, variables)
""",
            lambda p, q, names: list(slopes_by_name(p, q, names).values()),
            "The numbers are right, in a list. Give each its name: zip(variables, gradients) pairs them.",
        ),
        Reply(
            """
def by_name(tape, target, variables):
    return dict(zip(variables, tape.gradient(target, variables)))
""",
            lambda p, q, names: stops(TypeError, "Variable is unhashable"),
            "A Variable cannot be a key of a dict. Its name can: v.name.",
        ),
        Reply(
            """
def by_name(tape, target, variables):
    return tape.gradient(target, {v.name[:-2]: v for v in variables})
""",
            lambda p, q, names: {names[0]: anything, names[1]: anything},
            "Almost: the keys should be v.name as it stands, with its ending :0.",
        ),
    ),
    ways=(
        Way(
            """
def by_name(tape, target, variables):
    p, q = variables
    return {p.name: mg.reduce_sum(q * q), q.name: 2.0 * p * q}
""",
            by_tape,
            "The right numbers, but the tape was not asked for them. Call tape.gradient(target, ...) with a dict of sources.",
        ),
    ),
)


def after_step(train_step, kernel, bias, x, rate):
    """The weights of a linear layer after one step."""
    layer = mg.keras.layers.Dense(len(bias))
    layer(mg.constant(x))
    layer.kernel.assign(kernel)
    layer.bias.assign(bias)
    train_step(layer, mg.constant(x), rate)
    return [layer.kernel, layer.bias]


def step(kernel, bias, x, rate):
    """rate * gradient of mean(layer(x) ** 2), for kernel and bias."""
    x = np.array(x)
    y = x @ kernel + bias
    dy = rate * 2.0 * y / y.size
    return [x.T @ dy, dy.sum(0)]


def moved(kernel, bias, x, rate):
    """The weights after a step downhill."""
    return [np.array(weight) - by for weight, by in zip([kernel, bias], step(kernel, bias, x, rate), strict=True)]


STEP = """
def train_step(layer, x, rate):
    with mg.GradientTape() as tape:
        loss = mg.reduce_mean(layer(x) ** 2)
    gradients = tape.gradient(loss, layer.trainable_variables)
    for v, g in zip(layer.trainable_variables, gradients):
        {}
"""

train_step = Card(
    points=(
        ([[1.0, -2.0], [0.5, 1.0]], [0.5, -1.0], [[1.0, 3.0]], 0.1),
        ([[2.0], [1.0], [-1.0]], [3.0], [[1.0, 2.0, 0.5], [0.0, 1.0, 1.0]], 0.01),
    ),
    ask=after_step,
    right=moved,
    yes="Your step was right on two layers that it had not seen before. A large network takes it in the same way.",
    options=("1", "2", "6", "8"),
    came_out="2 tensors came back: one for kernel, one for bias, with 8 numbers in them.",
    miss="With rate {3} the weights became {seen}. That is not one step downhill.",
    hints=(
        "Three things happen: compute the loss on a tape, ask for the gradients, move each weight. Which of them changes a Variable?",
        "layer.trainable_variables is the list of sources, and zip pairs it with the list that comes back.",
        "In the loop: v.assign_sub(rate * g).",
    ),
    solution=STEP.format("v.assign_sub(rate * g)"),
    replies=(
        Reply(
            STEP.format("v = v - rate * g"),
            lambda kernel, bias, x, rate: [kernel, bias],
            "The layer is as it was. Is each Variable changed in place? v = v - ... gives the name v to a new tensor; v.assign_sub(...) changes the Variable.",
        ),
        Reply(
            STEP.replace("mg.reduce_mean(layer(x) ** 2)", "layer(x) ** 2").format("v.assign_sub(rate * g)"),
            lambda kernel, bias, x, rate: moved(kernel, bias, x, rate * len(x) * len(bias)),
            "The right direction, but too long a step: the entries of layer(x) ** 2 were added up. The task asks for their mean.",
        ),
        Reply(
            STEP.format("v.assign_add(rate * g)"),
            lambda kernel, bias, x, rate: moved(kernel, bias, x, -rate),
            "The right length, but uphill. A gradient points to where the loss grows.",
        ),
        Reply(
            STEP.format("v.assign_sub(g)"),
            lambda kernel, bias, x, rate: moved(kernel, bias, x, 1.0),
            "The direction is right, and the step is the whole gradient. Where does the rate come in?",
        ),
        Reply(
            STEP.format("v.assign(rate * g)"),
            lambda kernel, bias, x, rate: step(kernel, bias, x, rate),
            "The weights are now the step itself. assign replaces a value; assign_sub subtracts from it.",
        ),
        Reply(
            STEP.format("v.assign_sub(rate * g)").replace("layer.trainable_variables", "[layer.kernel]"),
            lambda kernel, bias, x, rate: [moved(kernel, bias, x, rate)[0], bias],
            "The kernel took its step, but the bias stayed. layer.trainable_variables has both.",
        ),
        Reply(
            """
def train_step(layer, x, rate):
    with mg.GradientTape() as tape:
        loss = mg.reduce_mean(layer(x) ** 2)
    for v in layer.trainable_variables:
        v.assign_sub(rate * tape.gradient(loss, v))
""",
            lambda kernel, bias, x, rate: TWICE,
            "The first question used the tape up. Ask once, for the whole list.",
        ),
    ),
    ways=(
        Way(
            """
def train_step(layer, x, rate):
    y = layer(x)
    dy = rate * 2.0 * y / y.numpy().size
    layer.kernel.assign_sub(mg.transpose(x) @ dy)
    layer.bias.assign_sub(mg.reduce_sum(dy, axis=0))
""",
            asked,
            "The weights are right, but no tape was asked: you did its work for this one layer. Let tape.gradient do it for any.",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 3.0, "3": says("upstream")},
    yes="Both. For item 1, any sentence that names what was written and when it is read.",
    hints=(
        "Item 2: two lines were written, so two local derivatives are multiplied.",
        "Item 2: the local derivatives are 2 * side and 0.25. Item 3: section 2 has the word.",
        "Item 2: 1 * 0.25 * 12. Item 3: it begins with up.",
    ),
    solution="""
ticket = {"2": 3.0, "3": "upstream"}
""",
    replies=(
        Reply('ticket = {"2": 9.0, "3": "upstream"}', lambda: {"2": 9.0},
              ": 2. 9 is the paint itself. How fast does it grow with the side?"),
        Reply('ticket = {"2": 12.0, "3": "upstream"}', lambda: {"2": 12.0}, ": 2. 12 is area by side. One more local derivative is missing."),
        Reply('ticket = {"2": 3.0, "3": "local derivative"}', lambda: {"3": contains("local")},
              ": 3. Local is the op's own slope. The word is for the number that arrives."),
    ),
)  # fmt: skip

pause1 = pause(
    2,
    yes="The lines of a and c: x flows into both, into c through a.",
    hints=(
        "For each line, ask: does a Variable flow into it?",
        "a is made from x, and c is made from a.",
        "b is made from a constant alone, so the tape keeps nothing for it.",
    ),
    mistakes={
        3: "No Variable flows into the line of b, although it is in the block.",
        1: "a flows into c, and x into a. So x flows into c as well.",
    },
)


pause2 = pause(
    30.0,
    yes="Upstream 5, times local 6.",
    hints=("Upstream times local.", "Upstream is 5. The local derivative of x ** 2 is 2x.", "5 times 6."),
    mistakes={
        6.0: "That is the local derivative. It has to be multiplied by what arrived at y.",
        5.0: "That is what arrived. The line multiplies it by its local derivative.",
        11.0: "These two are multiplied, not added.",
        45.0: "9 is the value of y. Which number says how y reacts to x?",
    },
)


CARDS = {
    "02.1": steepness,
    "02.pause1": pause1,
    "02.2": read_back,
    "02.3": shapes,
    "02.pause2": pause2,
    "02.4": by_name,
    "02.5": train_step,
    "02.exit": ticket,
}
