"""The exercises of lesson 13, Inside the engine."""

from dataclasses import dataclass

import numpy as np

from ..card import Card, Reply, contains, pause, says, stops

TRIPLES = (
    (np.array([10.0, 1.0]), np.array([3.0, -2.0]), np.array([5.0, 0.5])),
    (np.array([[2.0, -1.0]]), np.array([[4.0, 7.0]]), np.array([[0.25, -3.0]])),
)

MULTIPLY = """
def multiply_rule(dy, x, y):
    return [dy * y, dy * x]
"""

multiply = Card(
    points=TRIPLES,
    right=lambda dy, x, y: [dy * y, dy * x],
    yes="Each factor gets the other one, times what came from above.",
    options=("5", "10", "50"),
    came_out="the tape said 50.",
    miss="For dy {0}, x {1} and y {2} it gave {seen}.",
    hints=(
        "If x moves a little, how many times as much does x * y move?",
        "By y times as much. And the end moves dy times as much as that.",
        "The list has two entries: dy times the one, and dy times the other.",
    ),
    solution=MULTIPLY,
    replies=(
        Reply(MULTIPLY.replace("[dy * y, dy * x]", "[dy * x, dy * y]"), lambda dy, x, y: [dy * x, dy * y],
              "The two have changed places: the slope by x is the other factor."),
        Reply(MULTIPLY.replace("[dy * y, dy * x]", "[y, x]"), lambda dy, x, y: [y, x],
              "These are the local slopes, and they are right. dy, what came from above, has to multiply them."),
        Reply(MULTIPLY.replace("[dy * y, dy * x]", "[dy, dy]"), lambda dy, x, y: [dy, dy],
              "This is the VJP of a sum: there each input gets dy as it is."),
        Reply(MULTIPLY.replace("[dy * y, dy * x]", "dy * x * y"), lambda dy, x, y: dy * x * y,
              "One array came back. Two inputs get two slopes, in a list."),
    ),
)  # fmt: skip

SUM = """
def sum_rule(dy, x, axis):
    return np.broadcast_to(np.expand_dims(dy, axis), x.shape)
"""
TABLE = np.arange(6.0).reshape(2, 3)
CUBE = np.arange(24.0).reshape(2, 3, 4)


def copied(dy, x, axis):
    return np.broadcast_to(np.expand_dims(dy, axis), x.shape)


added = Card(
    points=(
        (np.array([10.0, 20.0]), TABLE, 1),
        (np.array([1.0, -2.0, 5.0]), TABLE, 0),
        (np.arange(8.0).reshape(2, 4), CUBE, 1),
        (np.array([3.0, -1.0]), TABLE, -1),
        (np.arange(6.0).reshape(2, 3), CUBE, 2),
        (np.array(5.0), np.array([1.0, 2.0]), 0),
    ),
    right=copied,
    yes="The values of x play no part, only its shape. A tape need not keep x for this.",
    options=("[10 10 10]", "[10 20 10]", "[3.3 3.3 3.3]"),
    came_out="each number of the row got 10.",
    miss="For dy {0} along axis {2} it gave {seen}.",
    hints=(
        "dy has one axis less than x. Where does it belong?",
        "np.expand_dims(dy, axis) puts an axis of length 1 there.",
        "Then copy: np.broadcast_to(..., x.shape), or multiply by np.ones_like(x).",
    ),
    solution=SUM,
    replies=(
        Reply(SUM.replace("np.expand_dims(dy, axis)", "dy"),
              lambda dy, x, axis: stops(ValueError) if axis else copied(dy, x, axis),
              "Right along axis 0. Along axis 1 the shapes do not fit: the missing axis has to be put back at its place."),
        Reply(SUM.replace("x.shape)", "x.shape) / x.shape[axis]"), lambda dy, x, axis: copied(dy, x, axis) / x.shape[axis],
              "This is the VJP of a mean. In a sum nothing is divided."),
        Reply(SUM.replace("x.shape)", "x.shape) * x"), lambda dy, x, axis: copied(dy, x, axis) * x,
              "The values of x were used. The slope of a sum by each of its parts is 1."),
        Reply(SUM.replace("np.broadcast_to(np.expand_dims(dy, axis), x.shape)", "np.expand_dims(dy, axis)"),
              lambda dy, x, axis: np.expand_dims(dy, axis),
              "The axis is back, with length 1. Copy it to the length that x has."),
    ),
)  # fmt: skip

UNBROADCAST = """
def unbroadcast(dx, shape):
    while dx.ndim > len(shape):
        dx = dx.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            dx = dx.sum(axis=axis, keepdims=True)
    return dx
"""


def fitted(dx, shape):
    dx = dx.sum(axis=tuple(range(dx.ndim - len(shape))))
    return dx.sum(axis=tuple(k for k, n in enumerate(shape) if n == 1), keepdims=True)


unbroadcast = Card(
    points=((TABLE, [3]), (TABLE, [2, 1]), (CUBE, [3, 1]), (TABLE, [2, 3]), (TABLE, []), (TABLE, [1, 3]), (CUBE, [1, 1])),
    ask=lambda f, dx, shape: f(dx, tuple(shape)),
    right=fitted,
    yes="It is written once, so no VJP of the engine has to deal with broadcasting.",
    options=("[1 1]", "[3 3]", "[6 6]"),
    came_out="the tape said [3 3].",
    miss="Shape {1} was asked, and it gave {seen}.",
    hints=(
        "Two things may have happened to the smaller array: axes were put in front, and axes of length 1 were stretched.",
        "First, as long as dx has too many axes, add up axis 0. Then add up each axis where shape says 1.",
        "For the second part: dx.sum(axis=axis, keepdims=True), so that the axis stays with length 1.",
    ),
    solution=UNBROADCAST,
    replies=(
        Reply("""
def unbroadcast(dx, shape):
    while dx.ndim > len(shape):
        dx = dx.sum(axis=0)
    return dx
""", lambda dx, shape: dx.sum(axis=tuple(range(dx.ndim - len(shape)))),
              "The axes in front are done. An axis of length 1 was stretched, too, and has to be added up."),
        Reply("""
def unbroadcast(dx, shape):
    return np.resize(dx, shape)
""", lambda dx, shape: np.resize(dx, tuple(shape)),
              "The shape is right, but numbers were thrown away. The slopes of all copies count: add them up."),
        Reply(UNBROADCAST.replace("dx.sum", "dx.mean"), lambda dx, shape: fitted(dx, shape) * (np.prod(shape) / dx.size),
              "These are means. Each copy counts in full, so add."),
        Reply(UNBROADCAST.replace("dx.sum(axis=0)", "dx.sum(axis=-1)"),
              lambda dx, shape: lambda seen: isinstance(seen, np.ndarray) and seen.shape == (2,) if shape == [3] else True,
              "For (2, 3) to (3,) it gave the shape (2,). Missing axes are missing in front: add up axis 0."),
    ),
)  # fmt: skip

MATMUL = """
def matmul_rule(dy, x, y):
    return [dy @ y.T, x.T @ dy]
"""

matmul = Card(
    points=(
        (np.arange(8.0).reshape(2, 4), TABLE, np.arange(12.0).reshape(3, 4) - 5.0),
        (np.array([[1.0, -2.0], [3.0, 0.5]]), np.array([[1.0, 2.0], [0.0, -1.0]]), np.array([[2.0, 5.0], [-3.0, 1.0]])),
    ),
    right=lambda dy, x, y: [dy @ y.T, x.T @ dy],
    yes="The VJP of multiply once more: each factor gets the other one, transposed.",
    options=("dy @ y", "dy @ y.T", "y.T @ dy"),
    came_out="dy @ y.T fits.",
    miss="It gave {seen}.",
    hints=(
        "The slope by y has shape (3, 4). Which product of dy, (2, 4), and x, (2, 3), has it?",
        "x has to be transposed: x.T is (3, 2).",
        "The list holds dy @ y.T and x.T @ dy.",
    ),
    solution=MATMUL,
    replies=(
        Reply(MATMUL.replace("[dy @ y.T, x.T @ dy]", "[dy @ y, x @ dy]"), lambda dy, x, y: stops(ValueError)
              if dy.shape == (2, 4) else [dy @ y, x @ dy],
              "The shapes do not fit. One of the two in each product has to be transposed: .T does it."),
        Reply(MATMUL.replace("[dy @ y.T, x.T @ dy]", "[dy @ y.T, (dy.T @ x)]"), lambda dy, x, y: [dy @ y.T, dy.T @ x],
              "The first is right. The second came out transposed, (4, 3) in place of (3, 4)."),
        Reply(MATMUL.replace("[dy @ y.T, x.T @ dy]", "[x.T @ dy, dy @ y.T]"), lambda dy, x, y: [x.T @ dy, dy @ y.T],
              "Both products are right, but they have changed places. First the slope by x."),
        Reply(MATMUL.replace("[dy @ y.T, x.T @ dy]", "[dy @ y.T]"), lambda dy, x, y: [dy @ y.T],
              "The slope by x is right. The slope by y is still missing from the list."),
    ),
)  # fmt: skip


def times(*factors):
    """A VJP that sends dy times each of these."""
    return lambda dy: [factor * dy for factor in factors]


TAPES = (
    ([("y", ["x", "x"], times(3.0, 3.0)), ("z", ["y", "x"], times(1.0, 1.0))], "z", "x"),
    ([("a", ["x"], times(2.0)), ("b", ["a"], times(5.0)), ("c", ["a", "b"], times(1.0, 4.0))], "c", "x"),
    ([("a", ["x"], times(2.0)), ("b", ["v"], times(5.0))], "b", "x"),
    ([("a", ["x"], times(2.0)), ("b", ["a"], times(7.0))], "a", "x"),
    ([("a", ["x"], times(2.0)), ("b", ["a", "a"], times(7.0, 1.0)), ("c", ["b"], times(3.0))], "c", "a"),
    ([("a", ["x"], times(2.0)), ("b", ["a"], times(0.0))], "b", "x"),
    ([("a", ["x"], times(2.0))], "a", "a"),
)


def slopes(lookup):
    """These slopes, one for each tape."""
    return lambda steps, target, source: lookup[next(n for n, tape in enumerate(TAPES) if tape[0] is steps)]


ARRIVES = [7.0, 42.0, None, 2.0, 24.0, 0.0, 1.0]

BACKWARD = """
def backward(steps, target, source):
    arrived = {target: 1.0}
    for out, inputs, vjp in reversed(steps):
        if out in arrived:
            for name, sent in zip(inputs, vjp(arrived[out])):
                arrived[name] = arrived.get(name, 0.0) + sent
    return arrived.get(source)
"""

backward = Card(
    points=TAPES,
    right=slopes(ARRIVES),
    yes="That is the heart of every engine of this kind, for any program and any op.",
    options=("3", "6", "7"),
    came_out="7 had arrived.",
    miss="From {1} to {2} it gave {seen}.",
    hints=(
        "Keep a dict of what has arrived where. What is in it at the beginning?",
        "{target: 1.0}. For each entry, from the last to the first: if its output is in the dict, ask the VJP.",
        "arrived[name] = arrived.get(name, 0.0) + sent, for each name in inputs. At the end arrived.get(source).",
    ),
    solution=BACKWARD,
    replies=(
        Reply(BACKWARD.replace("arrived.get(name, 0.0) + sent", "sent"), slopes([3.0, 40.0, None, 2.0, 3.0, 0.0, 1.0]),
              "Something is overwritten: x of the first tape has 3 in place of 7. Add to what has arrived before."),
        Reply(BACKWARD.replace("reversed(steps)", "steps"), slopes([1.0, None, None, 2.0, None, None, 1.0]),
              "This goes forward. At the first entry nothing has arrived yet; begin at the end."),
        Reply(BACKWARD.replace("arrived.get(source)", "arrived.get(source, 0.0)"), slopes([7.0, 42.0, 0.0, 2.0, 24.0, 0.0, 1.0]),
              "Right, except where nothing arrives: there it gave 0.0. The answer is None."),
        Reply(BACKWARD.replace("arrived.get(source)", "arrived[source]"),
              lambda steps, *names: stops(KeyError) if steps is TAPES[2][0] else slopes(ARRIVES)(steps, *names),
              "Right, except where nothing arrives: there it stops with a KeyError. Answer None."),
        Reply(BACKWARD.replace("if out in arrived:", "if True:").replace("vjp(arrived[out])", "vjp(arrived.get(out, 1.0))"),
              slopes([7.0, 42.0, 2.0, 16.0, 24.0, 0.0, 1.0]),
              "An entry whose output got nothing has nothing to send, but here it sent something. Skip it."),
    ),
)  # fmt: skip

TANH = """
def tanh(x):
    t = np.tanh(x.array)
    return t, [x], lambda dy: [dy * (1.0 - t ** 2)]
"""


@dataclass(eq=False)
class Value:
    """What stands in for a value of the learner's engine."""

    array: np.ndarray


def ask_tanh(tanh, array, dy):
    """The new value, whether it was made from x alone, and what its VJP sends there."""
    x = Value(np.array(array))
    value, inputs, vjp = tanh(x)
    return {"array": value, "inputs": [one is x for one in inputs], "sent": vjp(np.array(dy))}


def tanhs(local=lambda t, x: 1.0 - t**2, form=lambda sent: [sent], upstream=True):
    """The same, perhaps with a mistake."""

    def made(array, dy):
        t = np.tanh(array)
        sent = local(t, np.array(array)) * (np.array(dy) if upstream else 1.0)
        return {"array": t, "inputs": [True], "sent": form(sent)}

    return made


new_op = Card(
    points=(([0.5, -2.0], [1.0, 3.0]), ([1.0, 0.25], [-2.0, 0.5])),
    ask=ask_tanh,
    right=tanhs(),
    yes="The backward pass, the sums and fit work for it as they are.",
    options=("1", "3", "an error"),
    came_out="1 came back.",
    miss="For the array {0} and dy {1} it gave {seen}.",
    hints=(
        "Look at __mul__: what are the three things that it hands to Value.made?",
        "First t = np.tanh(x.array). The inputs are [x], and the VJP is a function of dy that returns a list of one.",
        "return t, [x], lambda dy: [...], with dy times (1 - t squared) in the brackets.",
    ),
    solution=TANH,
    replies=(
        Reply(TANH.replace("dy * (1.0 - t ** 2)", "1.0 - t ** 2"), tanhs(upstream=False),
              "The local slope is right. The VJP is handed dy, what arrives; it has to multiply."),
        Reply(TANH.replace("1.0 - t ** 2", "1.0 - x.array ** 2"), tanhs(lambda t, x: 1.0 - x**2),
              "Square the value, tanh of x; here x itself is squared."),
        Reply(TANH.replace("t ** 2", "t"), tanhs(lambda t, x: 1.0 - t), "Nearly: 1 minus the *square* of the value."),
        Reply(TANH.replace("[dy * (1.0 - t ** 2)]", "dy * (1.0 - t ** 2)"), tanhs(form=lambda sent: sent),
              "The numbers are right. A VJP returns a list with one entry for each input, but here the array came without a list."),
        Reply("def tanh(x):\n    return np.tanh(x.array)", lambda array, dy: stops(ValueError, "unpack"),
              "The engine wants three things back: the value, the list of inputs it was made from, and the VJP."),
    ),
)  # fmt: skip

ticket = Card(
    right=lambda: {"2": -4.0, "3": says("add", "added", "adds", "adding", "sum", "sums", "summed", "summing", "addition")},
    yes="Both. For item 1: where nothing is used twice, nothing arrives twice.",
    hints=(
        "Item 2: if y grows by 1, what does z do?",
        "Item 2: it falls by 1. So the local slope is -1. Item 3: see the bold line of section 3.",
        "Item 2: -1 times 4. Item 3: three rows, and each of them counts.",
    ),
    solution="""
ticket = {"2": -4.0, "3": "added"}
""",
    replies=(
        Reply('ticket = {"2": 4.0, "3": "added"}', lambda: {"2": 4.0},
              ": 2. 4 goes to x. y is subtracted."),
        Reply('ticket = {"2": -1.0, "3": "added"}', lambda: {"2": -1.0},
              ": 2. -1 is the local slope. It is multiplied by what arrived."),
        Reply('ticket = {"2": -4.0, "3": "copied"}', lambda: {"3": contains("cop")},
              ": 3. To copy is the way back of a sum. Here it is the other way round."),
        Reply('ticket = {"2": -4.0, "3": "divided"}', lambda: {"3": contains("div")},
              ": 3. Nothing is divided: every copy counts in full."),
    ),
)  # fmt: skip

pause1 = pause(
    2.0,
    yes="A mean divides on the way forward, so it divides on the way back.",
    hints=("How far does the mean move if one of the four moves by 1?", "By a quarter.", "8 divided by 4."),
    mistakes={
        8.0: "So it is for a sum.",
        32.0: "Four numbers share the 8.",
        0.25: "That is the local slope. Multiply it by what arrived.",
    },
)


pause2 = pause(
    10.0,
    yes="It is in all ten places.",
    hints=("In how many places of the table is the bias added?", "5 rows, 2 columns.", "Ten ones, added up."),
    mistakes={
        5.0: "So it would be with a bias of shape (2,).",
        2.0: "It was copied onto five rows as well.",
        1.0: "It was copied, and what was copied is added up.",
    },
)


pause3 = pause(
    12.0,
    yes="4 from z, and 4 + 4 from y. It is 3x².",
    hints=(
        "What does z send to x, and what does it send to y?",
        "z sends y, which is 4, to x, and 2 to y. Then y sends 2 times 2, twice.",
        "4, 4 and 4.",
    ),
    mistakes={
        4.0: "That is what z sends directly to x. y sends something too.",
        8.0: "That comes through y. z has sent something directly to x.",
    },
)


CARDS = {
    "13.1": multiply,
    "13.2": added,
    "13.pause1": pause1,
    "13.3": unbroadcast,
    "13.pause2": pause2,
    "13.4": matmul,
    "13.5": backward,
    "13.pause3": pause3,
    "13.6": new_op,
    "13.exit": ticket,
}
