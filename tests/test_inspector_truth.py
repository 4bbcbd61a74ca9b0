"""The film: what it says of calls, iterations, formulas and errors is true of the program."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from test_inspector import asked_of, columns, inspected, measured_bytes, no_trace_is_left_on, run  # noqa: F401

import minigrad as mg
from minigrad.inspector.still import CRIMSON, FLAT, Canvas
from minigrad.inspector.text import clipped

# ---- calls of layers ---------------------------------------------------------------------------------------------------

SHARED = """
twice, first, last = [mg.keras.layers.Dense(3, "gelu", name=name) for name in ("twice", "first", "last")]
x = mg.Variable(mg.ones((2, 3)))
"""


@pytest.mark.parametrize(("lines", "units"), [
    ("y = last(twice(twice(first(x))))", "first twice twice last"),
    ("y = last(twice(x) + twice(x) * first(x))", "twice twice first add last"),
    ("y = first(x)\nfor _ in range(3): y = twice(y)\ny = last(y)", "first twice twice twice last"),
])  # fmt: skip
def test_two_calls_of_one_layer_are_two_units(lines, units):
    fold = inspected(asked_of(lines, SHARED)).plain["fold"]
    assert (fold["kind"], fold["labels"]) == ("layers", units.split())


def test_the_ops_of_a_layer_are_those_that_its_strip_shows():
    made = (
        "layers = [mg.keras.layers.Dense(3) for _ in range(6)]\ninner = mg.keras.Sequential(layers[:4])\nx = mg.Variable(mg.ones((2, 3)))"
    )
    view = inspected(asked_of("y = layers[5](layers[4](inner(x) * 2.0))", made)).plain
    fold, strips = view["fold"], view["strips"]
    assert fold["kind"] == "layers" and view["hidden"] == 6 * 3
    for k, ops in enumerate(fold["ops"]):
        assert len(strips[str(k)]["cols"]) - strips[str(k)]["outside"] == ops


# ---- formulas ----------------------------------------------------------------------------------------------------------

GUARDED = {  # the line, x, z, and the end of the line of mathematics for each input of its first op
    "y = mg.sqrt(x) * z": ("[0.0, 4.0]", "[0.0, 1.0]", ["nan"]),
    "y = mg.sqrt(x * z)": ("[1.0, 4.0]", "[1.0, 1.0]", ["", ""]),
    "y = mg.math.divide_no_nan(x, z)": ("[1.0, 2.0]", "[0.0, 2.0]", ["inf", "inf"]),
    "y = mg.math.divide_no_nan(x[0], z)": ("[1.0]", "[0.0, 2.0]", ["inf, summed over axis 0", "inf"]),
    "y = mg.math.multiply_no_nan(x, z) * 0.0": ("[float('inf'), 1.0]", "[0.0, 2.0]", ["", "nan"]),
    "y = x ** z": ("[0.0, 2.0, -1.0]", "[2.0, 3.0, 2.0]", ["", "nan"]),
    "y = mg.math.xlogy(x, z)": ("[0.0, 2.0]", "[0.0, 2.0]", ["nan", "nan"]),
    "y = mg.math.xlog1py(x, z)": ("[0.0, 2.0]", "[-1.0, 2.0]", ["nan", "nan"]),
    "y = mg.math.xdivy(x, z)": ("[0.0, 2.0]", "[0.0, 2.0]", ["nan", "nan"]),
    "y = x ** z + mg.sqrt(x) / z": ("2.0", "3.0", ["", ""]),
    "y = mg.sqrt(x)": ("[0.0, 1.0]", "0.0", [""]),
}  # fmt: skip


@pytest.mark.parametrize("line", GUARDED)
def test_a_formula_says_where_its_rule_takes_0_instead(line):
    x, z, ends = GUARDED[line]
    film = inspected(asked_of(line, f"x, z = mg.Variable({x}), mg.Variable({z})", "y, [x, z]"))
    first = next(col for col in columns(film.plain) if col["kind"] == "op" and col["op"] != "getitem")
    assert [one["text"].partition(", but 0 where that is ")[2] for one in first["math"]] == ends


CHANGED = {  # what came back -> how the formula of the product calls it
    "a = x.numpy()\ny = x * a": "upstream * a",
    "a = x.numpy()\ny = x * np.tanh(a)": "upstream * (a ...)",
    "a = mg.ones(400) * x\nb = a.numpy()\ny = a * b": "upstream * b",
    "a = mg.ones(400) * x\nb = a.numpy()\ny = a * np.tanh(b)": "upstream * (b ...)",
    "a = float(x)\ny = x * a": "upstream * a",
    "a = float(x)\ny = x * (a * 2)": "upstream * 6.0",
    "y = x * np.tanh(x)": "upstream * (np.tanh ...)",
}


@pytest.mark.parametrize("lines", CHANGED)
def test_a_formula_has_a_name_only_for_what_came_back_as_it_had_left(lines):
    view = inspected(asked_of(lines, "x = mg.Variable(3.0)")).plain
    assert [one["text"] for col in columns(view, "op") if col["name"] == "y" for one in col["math"]] == [CHANGED[lines]]


def test_a_formula_has_the_names_of_the_columns_and_takes_no_word_of_its_text_for_one():
    made = "net = mg.keras.Sequential([mg.keras.layers.Embedding(9, 2), mg.keras.layers.Dense(2)], name='net')\nids = mg.constant([1, 2])"
    view = inspected(asked_of("y = net(ids)", made, "y, net.trainable_variables")).plain
    formulas = {one["name"]: one["text"] for col in columns(view, "op") for one in col["math"]}
    names = {col["name"] for col in columns(view, "source")}
    assert names <= formulas.keys() and not any("net/" in text for text in formulas.values())
    assert formulas["embedding/embeddings"] == "upstream, added up at the indices"


@pytest.mark.parametrize(
    ("line", "count"), [("y = mg.reduce_mean(x)", 6), ("y = mg.reduce_mean(x * x, 1)", 3), ("y = mg.reduce_mean(x, 0, True)", 2)]
)
def test_a_mean_says_by_how_many_it_divides(line, count):
    view = inspected(asked_of(line, "x = mg.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])")).plain
    assert columns(view, "op")[-1]["math"][0]["text"] == f"upstream / {count}, to each"


# ---- the table and the names -------------------------------------------------------------------------------------------


def test_an_op_that_sends_twice_to_the_same_op_has_both_in_the_table():
    film = inspected(asked_of("y = mg.sin(x)\ny = y * y + mg.sin(mg.square(x))"))
    assert "sends [0.8415 0.9093] to sin 2 times" in str(film)
    assert "sends [1.0 1.0] to sin, [1.0 1.0] to multiply" in str(film)


@pytest.mark.parametrize(("line", "name"), [
    ("y = mg.gather(x, [1, 0])", "indices"), ("y = mg.where([True, False], x, 2.0)", "condition"),
    ("y = mg.nn.sparse_softmax_cross_entropy_with_logits(1, x)", "labels"), ("y = x * [2.0, 3.0]", "constant"),
    ("y = x * mg.cast(x > [1.0, 1.0], mg.float32)", "constant"),
])  # fmt: skip
def test_an_input_without_a_name_and_without_a_derivative_is_called_as_its_op_calls_it(line, name):
    view = inspected(asked_of(line)).plain
    assert [col["name"] for col in columns(view) if col["kind"] == "data"] == [name]
    assert name in [one["text"] for col in columns(view) for one in col.get("args", ())]


def test_a_sign_is_not_rounded_to_another_number():
    film = inspected(asked_of("y = x * 1.0001 + x ** 2.00005 - 0.99995"))
    assert [col["signs"][0] for col in columns(film.plain, "op")] == ["\u00d7 1.0001", "x^2.00005", "+", "\u2212 0.99995"]


def test_a_picture_tells_weights_apart():
    made = "net = mg.keras.Sequential([mg.keras.layers.Conv2D(2, 2), mg.keras.layers.Flatten(), mg.keras.layers.Dense(2), mg.keras.layers.Dense(2)])"
    film = inspected(asked_of("y = net(mg.ones((1, 3, 3, 1)))", made, "y, net.trainable_variables"))
    texts = [text.text for text in ElementTree.fromstring(film.to_svg()).iter("{http://www.w3.org/2000/svg}text")]
    assert all(sum(text in col["signs"] for text in texts) == 1 for col in columns(film.plain, "source"))


def test_a_picture_cuts_no_number_and_shows_the_sign_of_an_op_without_it():
    svg = inspected(asked_of("y = x\nfor k in range(6): y = mg.sin(y * 0.123456 + 12.75)\ny = y ** 2.125")).to_svg()
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    signs = [text.text for text in texts if text.get("font-weight") == "600" and float(text.get("font-size")) > 8]
    assert {"\u00d7", "+", "xⁿ"} <= {*signs} and not any("…" in sign for sign in signs), signs
    canvas = Canvas()
    for text in ("iteration 12345", "1234567.75", "12345.75 +", "step 12345 of"):
        canvas.text(0.0, 0.0, text, 12, room=45)
    assert [mark[3] for mark in canvas.marks] == ["iteratio…", "…", "…", "step…"]


# ---- what raised -------------------------------------------------------------------------------------------------------

REFUSED = {  # what raises, its name, and the two shapes with what does not fit of each in brackets
    "mg.concat([x[:, :2], mg.ones((3, 2)), x[:, :2]], 1)": ("concat", "([2], 2)", "([3], 2)"),
    "mg.concat([x, mg.ones((2, 4))], 0)": ("concat", "(2, [3])", "(2, [4])"),
    "mg.concat([x, mg.ones((2, 4)), mg.ones((3, 5))], 0)": ("concat", "(2, [3])", "(2, [4])"),
    "mg.concat([x, x, mg.ones((4, 5)), mg.ones((2, 6))], 0)": ("concat", "(2, [3])", "(4, [5])"),
    "mg.concat([x, x[0]], 0)": ("concat", "([2, 3])", "([3],)"),
    "mg.add_n([x, mg.ones((4, 3)), mg.ones((5, 3))])": ("add_n", "([2], 3)", "([4], 3)"),
    "mg.stack([x, x, mg.ones((3, 2))])": ("stack", "([2], [3])", "([3], [2])"),
    "mg.einsum('ij,jk->ik', x, mg.ones((2, 5)))": ("einsum", "(2, [3])", "([2], 5)"),
    "mg.einsum('ij,jk,kl->il', x, mg.ones((3, 5)), mg.ones((4, 2)))": ("einsum", "(3, [5])", "([4], 2)"),
    "mg.reshape(x, (4, 2))": ("reshape", "([2, 3])", "([4, 2])"),
    "mg.reshape(x, (4, -1))": ("reshape", "([2, 3])", "([4, -1])"),
    "mg.reshape(x, (-1, -1))": ("reshape", "(2, 3)", "(-1, -1)"),
    "mg.broadcast_to(x, (4, 3))": ("broadcast_to", "([2], 3)", "([4], 3)"),
    "mg.where(x > 0, x, mg.ones((4, 3)))": ("where", "([2], 3)", "([4], 3)"),
    "mg.where(x[:, :1] > 0, x, mg.ones((2, 4)))": ("where", "(2, [3])", "(2, [4])"),
    "mg.add_n([x, x, mg.ones((3, 3))])": ("add_n", "([2], 3)", "([3], 3)"),
    "mg.nn.conv2d(mg.ones((1, 4, 4, 3)), mg.ones((2, 2, 2, 5)), 1, 'SAME')": ("conv2d", "(1, 4, 4, [3])", "(2, 2, [2], 5)"),
    "mg.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], x)": ("sparse_softmax_cross_entropy_with_logits", "([3],)", "([2], 3)"),
    "x @ x": ("matmul", "(2, [3])", "([2], 3)"),
    "mg.gather(x, [5])": ("gather", "(2, 3)", "(1,)"),
    "dense(x)": ("dense", "(2, [3])", "(None, [5])"),
    "dense(mg.ones((4, 2, 3)))": ("dense", "(4, 2, [3])", "(None, None, [5])"),
    "conv(x)": ("conv", "([2, 3])", "([None, None, None, None])"),
    "conv(mg.ones((1, 4, 4, 3)))": ("conv", "(1, 4, 4, [3])", "(None, None, None, [2])"),
    "join([x, mg.ones((4, 5))])": ("join", "([2], None)", "([4], 5)"),
    "join([x, x, mg.ones((2, 3, 1))])": ("join", "([2, None])", "([2, 3, 1])"),
    "add([x, x[:, :1], mg.ones((2, 5))])": ("add", "(None, [3])", "(2, [5])"),
    "add([x, mg.ones((4, 3))])": ("add", "([2], None)", "([4], 3)"),
    "x.assign(mg.ones((3, 3)))": ("assign", "([2], 3)", "([3], 3)"),
    "x.assign([1.0])": ("assign", "([2, 3])", "([1],)"),
    "x.assign_add(mg.ones((2, 4)))": ("assign_add", "(2, [3])", "(2, [4])"),
    "x.assign_sub(mg.ones((2, 4)))": ("assign_sub", "(2, [3])", "(2, [4])"),
}  # fmt: skip
BUILT = """
x = mg.Variable(mg.ones((2, 3)))
dense, conv = mg.keras.layers.Dense(2, name="dense"), mg.keras.layers.Conv2D(2, 2, name="conv")
built = dense(mg.ones((1, 5))), conv(mg.ones((1, 4, 4, 2)))
add, join = mg.keras.layers.Add(name="add"), mg.keras.layers.Concatenate(name="join")
"""


def ringed(col, k):
    """One of the shapes that an op did not accept, with what does not fit in brackets."""
    texts = [str(length) for length in col["given"][k]]
    for first, end in (pair[k] for pair in col["misfit"]):
        texts[first] = f"[{texts[first]}"
        texts[end - 1] += "]"
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"


@pytest.mark.parametrize("what", REFUSED)
def test_whatever_refuses_a_shape_is_the_last_frame_with_what_does_not_fit(what):
    film = inspected(f"{BUILT}with mg.GradientTape() as tape:\n    z = x * 2.0\n    try: y = {what}\n    except Exception: pass")
    last = columns(film.plain)[-1]
    assert (last["kind"], last["op"], ringed(last, 0), ringed(last, 1)) == ("crash", *REFUSED[what])
    assert film.plain["verdict"]["say"].startswith(f"{last['op']} raised ")
    texts = [text.text for text in ElementTree.fromstring(film.to_svg()).iter("{http://www.w3.org/2000/svg}text")]
    assert (last["unequal"] or "raised") in texts
    assert sorted(rings_of(film)) == pytest.approx(sorted(one for k in (0, 1) for one in ends_of(film, ringed(last, k))), abs=11)


def rings_of(film):
    """The left and right ends of the rings in a still picture."""
    paths = [*ElementTree.fromstring(film.to_svg()).iter("{http://www.w3.org/2000/svg}path")]
    ways = [one.get("d") for one in paths if one.get("fill") == "none" and one.get("stroke") == CRIMSON and "C" in one.get("d")]
    points = [[float(x) for x in re.findall(r"([\d.]+),", way)] for way in ways]
    return [end for some in points for end in (min(some), max(some))]


def ends_of(film, brackets):
    """Where what stands in brackets begins and ends in the picture, by the place and the size of its text."""
    bare, found = re.sub(r"[\[\]]", "", brackets), []
    texts = ElementTree.fromstring(film.to_svg()).iter("{http://www.w3.org/2000/svg}text")
    text = next(one for one in texts if one.text == bare and one.get("font-weight") == "600")
    left, letter = float(text.get("x")) - len(bare) * float(text.get("font-size")) * FLAT / 2, float(text.get("font-size")) * FLAT
    for n, one in enumerate(re.finditer(r"\[[^\]]*\]", brackets)):
        found += [left + (one.start() - 2 * n) * letter, left + (one.end() - 2 * n - 2) * letter]
    return found


def test_what_fits_one_by_one_and_not_together_is_told_as_numbers_of_elements():
    lengths = {
        what: columns(inspected(f"{BUILT}with mg.GradientTape() as tape:\n    try: {what}\n    except Exception: pass").plain)[-1]
        for what in REFUSED
    }
    some = "mg.reshape(x, (4, 2))", "mg.reshape(x, (4, -1))", "conv(x)", "mg.concat([x, x[0]], 0)", "dense(x)"
    assert [lengths[what]["unequal"] for what in some] == ["6 ≠ 8", "6 ≠ 4·n", "2 ≠ 4 axes", "2 ≠ 1 axes", "3 ≠ 5"]


# ---- what is lost ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lines", "numbers"), [
    ("y = x * x.numpy()", ["3.0 lost"]),
    ("y = x * x.numpy() + x.numpy() * x", ["3.0 lost", "3.0 lost"]),
    ("y = mg.reduce_sum(x * x.numpy() * [1.0, 2.0])", ["9.0 lost"]),
    ("y = x\nfor _ in range(19): y = y + 1.0\ny = y * y.numpy()", []),
])  # fmt: skip
def test_a_picture_has_what_is_lost_on_its_arc_where_there_is_room(lines, numbers):
    film = inspected(asked_of(lines, "x = mg.Variable(3.0)"))
    texts = [one for one in ElementTree.fromstring(film.to_svg()).iter("{http://www.w3.org/2000/svg}text") if one.text.endswith(" lost")]
    assert [one.text for one in texts] == numbers and "Lost: " in film.to_svg()
    places = [(float(one.get("x")), float(one.get("y"))) for one in texts]
    assert all(abs(x - a) > 60 or abs(y - b) > 11 for k, (x, y) in enumerate(places) for a, b in places[:k])


def test_only_towards_the_sources_is_anything_lost():
    film = inspected(asked_of("scale = float(mg.reduce_max(x))\ny = mg.reduce_sum(mg.square(mg.constant([0.1, 0.2]) * scale))")).plain
    lost = {(wire["from"], wire["to"]): film["arrays"][wire["lost"]]["text"] for wire in film["wires"].values() if "lost" in wire}
    assert {end for end in lost if end[0][0] == "d"} == set(), "a constant would get nothing in any case"
    slope = 2 * 2.0 * (0.1**2 + 0.2**2)  # of y by scale
    assert float(lost["f1", "f2"]) == pytest.approx(slope) and lost["s0", "f0"] == "[0.0 0.2]"


WEIGHTED = {  # the block, the seeds of a and b, the gradient at x = 2 and what of it is lost
    "a, b = x * x, mg.sin(x)": ("[3.0, -1.0]", 3 * 4.0 - math.cos(2), None),
    "a, b = x * float(x), mg.sin(x)": ("[3.0, -1.0]", 3 * 2.0 - math.cos(2), 3 * 2.0),
    "a = mg.sin(x) * float(x)\nb = a * x": ("[3.0, -1.0]", (3 - 2) * 2 * math.cos(2) - 2 * math.sin(2), (3 - 2) * math.sin(2)),
}


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("block", WEIGHTED)
def test_of_a_gradient_with_weights_the_film_tells_what_was_asked(block, persistent):
    weights, live, lost = WEIGHTED[block]
    program = asked_of(block, "x = mg.Variable(2.0)", f"[a, b], x, [mg.constant(one) for one in {weights}]")
    told = inspected(program.replace("Tape()", f"Tape(persistent={persistent})")).plain["verdict"]
    assert "derivative of their sum" not in told["say"] and float(told["answer"]) == pytest.approx(live, rel=1e-3)
    if lost is not None:
        assert [float(told["lost"]), float(told["full"])] == pytest.approx([lost, live + lost], rel=1e-3)


ASSIGNED = {  # the block, the gradient at x = 3 and w = 2, what of it is lost, and the wires with scissors
    "w.assign(x * 2.0)\ny = w * w": (None, 24.0, ["f0 f1"]),
    "w.assign(x * 2.0)\nw.assign_add(1.0)\ny = w * w": (None, 28.0, ["f0 f1"]),
    "w.assign_sub(x * 2.0)\nw.assign_sub(1.0)\ny = w * w": (None, 20.0, ["f0 f1"]),
    "w.assign_add(x * 2.0)\nw.assign_add(x * 3.0)\ny = w * w": (None, 170.0, ["f0 f1", "f2 f3"]),
    "w.assign(4.0)\nw.assign_add(x)\ny = w * w": (None, 14.0, ["s0 f1"]),
    "w.assign(float(x))\ny = w * w": (None, 6.0, ["s0 f0"]),
    "w.assign(x * 2.0)\ny = w * w * x": (36.0, 72.0, ["f0 f1"]),
}


@pytest.mark.parametrize("block", ASSIGNED)
def test_what_is_lost_by_an_assignment_is_on_the_wire_to_it(block):
    live, lost, scissors = ASSIGNED[block]
    film = inspected(asked_of(block, "x, w = mg.Variable(3.0), mg.Variable(2.0)")).plain
    cut = [wire for wire in film["wires"].values() if wire["state"] == "cut"]
    told = film["verdict"]
    assert ([f"{wire['from']} {wire['to']}" for wire in cut], told["answer"]) == (scissors, str(live))
    assert [float(told["lost"]), float(told["full"])] == [lost, lost + (live or 0.0)]
    say = next(one["say"] for one in film["cuts"] if one["edge"] == [cut[0]["from"], cut[0]["to"]])
    assert film["cols"][cut[0]["to"]]["text"].partition("(")[0] in say


def test_of_several_sources_the_head_says_how_much_was_measured_to_be_lost():
    lines = "w.assign(x * 2.0)\ny = w * w * x + v"
    told = inspected(asked_of(lines, "x, w, v = mg.Variable(3.0), mg.Variable(2.0), mg.Variable(1.0)", "y, [x, v]")).plain["verdict"]
    assert told["lost"] is None and told["say"].endswith("Measured: 72 of 108 is lost.")


def test_where_it_is_not_known_what_is_lost_on_an_arc_the_head_says_what_was_measured():
    told = inspected(asked_of("a = x * x\ny = a * np.tanh(a.numpy() / 10)", "x = mg.Variable(3.0)")).plain["verdict"]
    full = 2 * 3.0 * (math.tanh(0.9) + 0.9 / math.cosh(0.9) ** 2)
    live = 2 * 3.0 * math.tanh(0.9)
    assert told["lost"] is None and told["say"].endswith(f"Measured: {full - live:.3g} of {full:.3g} is lost.")


def test_the_head_names_all_places_at_which_a_path_is_stopped():
    block = "y = mg.square(x)\nz = y * mg.stop_gradient(y * 2.0)\nwith tape.stop_recording(): z2 = mg.sqrt(y)\ny = z + z2"
    film = inspected(asked_of(block, "x = mg.Variable(3.0)"))
    said = film.plain["verdict"]["say"]
    assert "sqrt ran inside stop_recording()." in said and "stop_gradient cuts the way here, on purpose." in said
    assert f"Stopped: {2 * 9 * 6 + 1:.1f} of " in film.to_svg() and "Lost" not in film.to_svg()


def test_a_gradient_of_an_empty_array_blames_no_op():
    film = inspected(
        asked_of("y = mg.reduce_sum(x @ w)", "x, w = mg.Variable(mg.zeros((0, 3))), mg.Variable(mg.ones((3, 2)))", "y, [x, w]")
    )
    assert film.plain["verdict"]["say"] == "w: Zero. The slope is 0 here."


@pytest.mark.parametrize(("block", "asked", "code"), [
    ("y = x - x", "y, x", None), ("y = x * mg.cast(n, mg.float32)", "y, [x, n]", None),
    ("y = x * mg.sqrt(x.numpy())", "y, x", "y = x * mg.sqrt(x)"),
])  # fmt: skip
def test_only_code_is_offered_as_the_code_of_a_fix(block, asked, code):
    told = inspected(asked_of(block, "x, n = mg.Variable(2.0), mg.Variable(3)", asked)).plain["verdict"]
    assert told["fix"]["text"] and told["fix"]["code"] == code


# ---- what a function of one's own keeps --------------------------------------------------------------------------------

OWN = """
@mg.custom_gradient
def own(x):
    factor = np.sin(x.numpy())
    return mg.identity(x), lambda dy: dy * factor
@mg.recompute_grad
def again(x):
    return mg.sin(x) * mg.cos(x)
x = mg.Variable(mg.ones((100, 100)))
"""


@pytest.mark.parametrize("line", ["own(x)", "again(x * 2.0)", "again(mg.exp(x))"])
def test_what_the_gradient_of_a_function_refers_to_is_in_the_memory(line):
    block = f"with mg.GradientTape(True, False) as tape:\n    tape.watch(x)\n    h = {line}\ngrads = tape.gradient(h, x)"
    memory = inspected(OWN + block).plain["memory"]
    assert memory["peak"] == pytest.approx(measured_bytes(OWN + block), abs=8000), "each array has 40,000"
    gone = inspected(OWN + block.replace("True", "False")).plain["memory"]
    assert gone["why"] == "without what a custom gradient refers to", "the step that held the function is gone"


@pytest.mark.parametrize("lines", ["p = [float(v) for v in h.numpy()]", "p = []\nfor v in h.numpy(): p.append(float(v))"])
def test_what_a_loop_goes_through_has_not_the_name_of_its_items(lines):
    film = inspected(asked_of(f"h = x * x\n{lines}\ny = x * sum(p)", "x = mg.Variable([3.0, 4.0])"))
    assert [(frame.op, film.models[0].frame_name(k)) for k, frame in enumerate(film.models[0].film.frames)][1] == ("numpy ...", None)
    assert "v" not in [block["name"] for block in film.plain["memory"]["blocks"]]


def test_a_picture_has_the_colours_of_the_film_on_its_wires():
    lines = "a = x * 2.0\nacc.assign_add(a)\ny = mg.stop_gradient(a) * acc * mg.constant([1.0, 2.0])"
    film = inspected(asked_of(lines, "x, acc = mg.Variable([3.0, 4.0]), mg.Variable([1.0, 1.0])"))
    wires = film.plain["wires"].values()
    ways = re.findall(r'fill="none" stroke="(#0b57a4|#565d66)" stroke-width="1.3"( stroke-dasharray)?', film.to_svg())
    live, data = (sum(wire["state"] == state for wire in wires) for state in ("live", "data"))
    assert data and {wire["state"] for wire in wires} >= {"live", "data", "same", "cut", "stop"}
    assert [ways.count(way) for way in (("#0b57a4", ""), ("#565d66", ""))] == [live, data] and len(ways) == len(wires)


# ---- what a tape has forgotten -----------------------------------------------------------------------------------------


def test_what_a_reset_made_a_tape_forget_is_stopped_on_purpose():
    film = inspected(asked_of("a = x * 3.0\ntape.reset()\nb = x**2\ny = b * a", "x = mg.Variable(2.0)"))
    view = film.plain
    assert (view["kept"], view["ghosts"]) == (2, 1) and "ghost: stopped" in str(film)
    assert [view["wires"][key]["state"] for key in ("f0.0", "f1.0", "f2.0", "f2.1")] == ["stop", "live", "live", "dead"]
    assert (view["verdict"]["answer"], view["verdict"]["lost"], view["verdict"]["full"]) == ("24.0", "12.0", "36.0"), (
        "3 x^2 is lost of 9 x^2"
    )
    assert "dx = a * 2.0 * x" in film.written, "a is a number for the tape"


def test_what_a_reset_freed_is_not_in_the_memory():
    made = "x = mg.Variable(np.ones(10_000, np.float32))"
    program = f"{made}\nwith mg.GradientTape() as tape:\n    h = mg.sin(mg.exp(x))\n    tape.reset()\n    h = mg.reduce_sum(x**2 * h)\ngrads = tape.gradient(h, x)"
    assert inspected(program).plain["memory"]["peak"] == pytest.approx(measured_bytes(program) + 40_000, abs=4000), "x lives anyway"


# ---- iterations --------------------------------------------------------------------------------------------------------

COUNTED = {  # the lines after `h = x`, and how many iterations there are said to be
    "for k in range(60): h = mg.sin(h)": "60",
    "for k in range(60):\n    if k % 2: h = mg.sin(h)": "30 with ops",
    "for k in range(60):\n    if k % 2: h = mg.sin(h)\n    else: h = mg.cos(h)": "60",
    "for k in range(60):\n    if k % 3 == 2: continue\n    h = mg.sin(h)": "40 with ops",
    "k = 0\nwhile k < 60:\n    k += 1\n    if k > 4: h = mg.sin(h)": "56 with ops",
    "k = 0\nwhile k < 60:\n    k += 1\n    h = mg.sin(h)\n    if k > 4: h = h * 0.5": "60",
    "for k in range(60):\n    try:\n        if k % 2: raise ValueError\n        h = mg.sin(h)\n    except ValueError: pass": "30 with ops",
    "h = mg.add_n([mg.sin(h) for k in range(60) if k % 2])": "30 with ops",
    "h = mg.add_n([mg.sin(h) for k in range(60)])": "60",
}  # fmt: skip


@pytest.mark.parametrize("lines", COUNTED)
def test_where_an_iteration_may_have_run_no_op_those_with_ops_are_counted(lines):
    labels = inspected(asked_of(f"h = x\n{lines}\ny = h * 1.0", "x = mg.Variable(0.9)")).plain["fold"]["labels"]
    count = COUNTED[lines]
    assert [label for label in labels if "iteration" in label] == [f"iteration {n} of {count}" for n in range(1, int(count.split()[0]) + 1)]


@pytest.mark.parametrize(("inner", "labels"), [
    ("        h = mg.sin(h)", [f"iteration {n} of 40 in all" for n in range(1, 41)]),  # where the inner loop begins anew is not seen
    ("        h = mg.sin(h)\n    h = h * 0.5", [f"iteration {n} of 8" for n in range(1, 9)]),
])  # fmt: skip
def test_iterations_of_an_inner_loop_alone_are_counted_in_all(inner, labels):
    lines = f"h = x\nfor a in range(8):\n    for b in range(5):\n{inner}\ny = h * 1.0"
    found = inspected(asked_of(lines, "x = mg.Variable(0.9)")).plain["fold"]["labels"]
    assert [label for label in found if "iteration" in label] == labels


@pytest.mark.parametrize(("end", "name"), [("p ** 2", "p"), ("q * 1.0", "q"), ("q + p", "q"), ("last[-1]", "q")])
def test_the_curve_of_a_loop_shows_one_array_in_all_iterations(end, name):
    """What is used after the loop need not be the array that is computed last in each iteration."""
    loop = "p, q, last = x * 1.0, x - 0.5, []\nfor k in range(12):\n    p = p + 0.5 * q\n    q = q - 0.25 * p\n    last.append(q)"
    fold = inspected(asked_of(f"{loop}\ny = {end}", "x = mg.Variable(1.0)")).plain["fold"]
    p, q, numbers = 1.0, 0.5, []
    for _ in range(12):
        p += 0.5 * q
        q -= 0.25 * p
        numbers.append({"p": p, "q": q}[name])
    found = [one for one, label in zip(fold["above"]["numbers"], fold["labels"]) if "iteration" in label]
    assert (fold["above"]["name"], fold["below"]["name"]) == (name, f"d/d{name}") and found == pytest.approx(numbers, rel=1e-3)


def test_a_way_through_another_thread_is_cut_where_it_comes_back():
    lines = "box = []\nthread = threading.Thread(target=lambda: box.append(x * x))\nthread.start(); thread.join()\ny = x * box[0]"
    view = inspected(asked_of(lines, "import threading\nx = mg.Variable(3.0)")).plain
    (cut,) = [wire for wire in view["wires"].values() if wire["state"] == "cut"]
    assert view["cols"][cut["from"]]["name"] == "box[0]" and view["cols"][cut["to"]]["name"] == "y"
    assert [one["code"] for one in view["cuts"]] == ["OUTSIDE_TAPE"]


def test_the_curve_of_calls_has_no_truth_values():
    made = "def small(v): return v < 100.0\ndef half(v): return v * 0.5\nx = mg.Variable(1.0)"
    fold = inspected(asked_of("y = x" + "\nsmall(y)\ny = half(y)" * 12, made)).plain["fold"]
    assert fold["kind"] == "calls" and {*fold["above"]["numbers"][:24:2], *fold["below"]["numbers"][:24:2]} == {None}
    assert fold["above"]["numbers"][1:24:2] == pytest.approx([0.5**k for k in range(1, 13)], rel=1e-3)
    assert fold["below"]["numbers"][1:24:2] == pytest.approx([0.5**k for k in range(12)][::-1], rel=1e-3)


def test_the_overview_shows_which_iterations_are_not_finite():
    film = inspected(asked_of("h = x\nfor k in range(12):\n    h = h * h\n    h = h + 1.0\ny = h * 1.0", "x = mg.Variable(1.0)"))
    fold, h, values = film.plain["fold"], np.float32(1), []
    with np.errstate(over="ignore"):
        for _ in range(12):
            h = h * h + np.float32(1)
            values.append(h)
    assert fold["above"]["bad"] == [k for k, one in enumerate(values) if not np.isfinite(one)]
    assert fold["below"]["bad"] == [*range(11)], "1 comes to the last iteration, and inf from it"
    assert film.to_svg().count('stroke="#b3003c" stroke-width="16.0"') == 2


INNER = """x = mg.Variable(0.9)
def inner(h):
    for b in range(5):
        h = mg.sin(h)
        h = h * 0.9
    return h
"""


@pytest.mark.parametrize(("lines", "count"), [
    ("for a in range(8): h = inner(h)", "40 in all"), ("h = inner(inner(inner(inner(h))))", "5"), ("for a in range(8): h = inner(h) * 0.5", "8"),
])  # fmt: skip
@pytest.mark.parametrize("around", ["", "for step in range(2):"])
def test_iterations_of_a_loop_in_a_function_are_counted_in_all_where_a_loop_calls_it(lines, count, around):
    block = asked_of(f"h = x\n{lines}\ny = h * 1.0", INNER).partition("with")
    indented = "with" + block[2].replace("\n", "\n    ")
    found = inspected(block[0] + (f"{around}\n    {indented}" if around else "with" + block[2])).plain["fold"]["labels"]
    assert {label.partition(" of ")[2] for label in found if "iteration" in label} == {count}


@pytest.mark.parametrize(
    ("turns", "limit", "count"), [(100, 1000, "100"), (100, 90, "the last 44"), (1500, 1000, "the last 499"), (1500, 4000, "1500")]
)
def test_iterations_are_counted_from_what_the_log_still_has_and_it_says_so(turns, limit, count):
    block = f"y = x\nfor k in range({turns}):\n    y = mg.sin(y)\n    y = y * 0.99"
    lines = "".join(f"        {line}\n" for line in asked_of(block, "x = mg.Variable(0.9)").split("\n"))
    fold = inspected(f"mg.trace(False)\nif True:\n    with mg.trace(limit={limit}):\n{lines}").plain["fold"]
    told = [label.partition(" of ")[2] for label in fold["labels"]] if fold["labels"] else [end for _, end in fold["loops"]]
    assert {*told} == {count}


REPEATING = [
    "h = mg.foldl(lambda a, t: mg.sin(a), mg.ones(3), h)",
    "h = mg.foldr(lambda a, t: mg.sin(a * t), mg.ones(3), h)",
    "h = mg.scan(lambda a, t: mg.sin(a), mg.ones(3), h)[-1]",
    "h = mg.reduce_sum(mg.map_fn(lambda t: mg.sin(t) * 0.5, mg.stack([h, h])))",
    "h = mg.reduce_sum(mg.map_fn(mg.sin, mg.stack([h, h])))",
    "h = mg.reduce_sum(mg.vectorized_map(lambda t: mg.sin(t) * 0.5, mg.stack([h, h])))",
    "h = h * 0.9\nh = mg.while_loop(lambda n, h: n < k % 3, lambda n, h: (n + 1, mg.sin(h)), [0, h])[1]",
    "h = mg.foldl(lambda a, t: mg.foldl(lambda b, u: mg.sin(b), mg.ones(2), a), mg.ones(3), h)",
]


@pytest.mark.parametrize("line", REPEATING)
def test_a_library_that_calls_back_again_and_again_hides_no_iteration_of_the_user(line):
    body = "".join(f"    {one}\n" for one in line.split("\n"))
    fold = inspected(asked_of(f"h = x\nfor k in range(12):\n{body}y = h * 1.0", "x = mg.Variable(0.9)")).plain["fold"]
    assert fold["labels"] == [*(f"iteration {n} of 12" for n in range(1, 13)), "y"]


@pytest.mark.parametrize("before", range(40))
def test_the_table_cuts_no_number(before):
    numbers = "[0.123456 -0.234567 3.456e-07 1.5e+08]"
    cell = clipped(f"{'sent ' * (before // 5)}{'y' * (before % 5)} {numbers} to sin, {numbers} to cos", "backward")
    assert cell.endswith("...") and len(cell) <= 64
    assert {*re.findall(r"-?[\d.]+e?[-+]?\d*", cell.removesuffix("..."))} <= {*numbers[1:-1].split()}, cell


@pytest.mark.parametrize("value", ['float("{:.4f}".format(mg.identity(x)))', "mg.strings.to_number(mg.strings.as_string(x))"])
def test_what_leaves_as_text_is_tried_before_a_film_is_called_complete(value):
    told = inspected(f"x = mg.Variable(2.5)\nwith mg.GradientTape() as tape:\n    y = x * {value}\ng = tape.gradient(y, x)").plain[
        "verdict"
    ]
    assert (told["status"], told["answer"]) == ("partial", "2.5"), "y is the square of x: its slope is 5"


def test_each_use_of_what_was_not_watched_is_cut_and_the_fix_stands_above_the_first():
    program = "p = mg.constant(3.0)\nwith mg.GradientTape() as tape:\n    a = p * p\n    y = a + 5.0 * p\ng = tape.gradient(y, p)"
    view = inspected(program).plain
    states = [wire["state"] for wire in view["wires"].values() if wire["from"] == "s0"]
    assert states == ["cut"] * 3 and view["verdict"]["fix"]["text"] == "add tape.watch(p) above a = p * p"
    with mg.GradientTape() as tape:
        p = mg.constant(3.0)
        tape.watch(p)
        y = p * p + 5.0 * p
    assert tape.gradient(y, p) == 11.0, "what comes with that fix"


def test_a_row_of_a_table_is_not_said_to_be_summed():
    block = "    y = mg.tensor_scatter_nd_update(rows, [[1]], new)\n    z = mg.reduce_sum(y * y)\ng = tape.gradient(z, [rows, new])"
    view = inspected(f"rows, new = mg.Variable(mg.ones((3, 2))), mg.Variable([[7.0, 8.0]])\nwith mg.GradientTape() as tape:\n{block}").plain
    texts = [line["text"] for line in view["cols"]["f0"]["math"]]
    assert texts[1] == "gather_nd(upstream, indices)"


def test_an_axis_of_iterations_has_their_numbers():
    loop = "    for k in range(12):\n        y = mg.sin(y) + 0.1\n        y = y * 1.5\n"
    program = f"x = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    y = x * 2.0\n{loop}g = tape.gradient(y, x)"
    film = inspected(program)
    shown = re.findall(r'text-anchor="middle">(\d+)<', film.to_svg().split("below:")[0])
    labels = film.plain["fold"]["labels"]
    assert shown and all(f"iteration {n} of 12" in labels for n in shown) and "13" not in shown


# ---- what the overview and the units say -------------------------------------------------------------------------------

TRAINED = """
mg.random.set_seed(3)
model = mg.keras.Sequential([mg.keras.layers.Dense(4, activation="tanh"), mg.keras.layers.Dense(1)])
X, optimizer = mg.random.normal((32, 2)), mg.keras.optimizers.Adam(0.05)
with mg.GradientTape() as tape:
    for step in range(3):
        with mg.GradientTape() as inner:
            loss = mg.reduce_mean(mg.square(model(X)))
        optimizer.apply_gradients(zip(inner.gradient(loss, model.trainable_variables), model.trainable_variables))
g = tape.gradient(loss, model.trainable_variables)
"""


def test_training_within_a_tape_has_units_of_its_calls_and_a_gradient_for_each_layer():
    space = run(TRAINED + "film = mg.inspect(tape)")
    fold, largest = space["film"].plain["fold"], max(float(mg.norm(dx)) for dx in space["g"])
    assert {*fold["labels"]} == {"sequential", "apply_gradients"} and fold["below"]["name"] == "|grad W|"
    of_layers = [one for label, one in zip(fold["labels"], fold["below"]["numbers"]) if label == "sequential"]
    assert of_layers == [pytest.approx(largest, rel=1e-3)] * 3


STRETCHES = "x = mg.Variable(1.0)\nv = mg.Variable(2.0)\nwith mg.GradientTape() as tape:\n    y = x * 1.0\n"


def test_ops_are_counted_as_in_the_table_where_variables_are_assigned_in_between():
    block = "".join(f"    v.assign({k}.0)\n    y{k} = mg.sin(x) if {k % 2} else mg.cos(x)\n" for k in range(24))
    film = inspected(f"{STRETCHES}{block}tape.gradient(y23, x)")
    fold, table = film.plain["fold"], str(film)
    assert (fold["kind"], sum(fold["ops"])) == ("ops", 25) and fold["labels"][-1].endswith(" to 25")
    assert re.search(r"^ *25  sin", table, re.MULTILINE)


def test_a_unit_says_what_goes_on_and_what_comes_back():
    loop = "y, other = x, x\n    for k in range(12):\n        y = y * 1.5\n        other = other + y\n        a = y > 0.0"
    view = inspected(f"x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    {loop}\n    z = other * 2.0\ntape.gradient(y, x)").plain
    units = [view["strips"][key]["onward"] for key in sorted(view["strips"], key=int)]
    assert units[0] == [True, True] and units[-2] == [True, False] and units[-1] == [False, False]


def test_of_a_long_film_the_units_around_the_open_one_are_sent():
    program = "x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = x\n    for k in range(900):\n        y = y * 1.0\n        y = y + 0.0\n"
    view = inspected(f"{program}tape.gradient(y, x)").plain
    sent, opened = sorted(map(int, view["strips"])), view["fold"]["open"]
    near = [k for k in sent if 0 < k < len(view["fold"]["first"]) - 1]
    assert {0, opened, len(view["fold"]["first"]) - 1} <= {*sent} and len(near) > 20
    assert near == [*range(near[0], near[-1] + 1)] and abs((near[0] + near[-1]) / 2 - opened) <= 1


def test_what_comes_back_is_that_of_the_gradient_that_is_shown():
    block = (
        "for k in range(12):\n        with mg.GradientTape() as inner: loss = w * w\n        w.assign_sub(0.1 * inner.gradient(loss, w))"
    )
    made = "w, c = mg.Variable(1.0, name='w'), mg.Variable(0.3, name='c')"
    film = inspected(f"{made}\nwith mg.GradientTape() as tape:\n    {block}\n    y = w * w * c\ntape.gradient(y, c)")
    units = [film.plain["strips"][str(k)]["onward"] for k in range(12)]
    assert units == [[True, False]] * 12
    shown, left = re.search(r"more ops", str(film)), re.search(r"\.\.\. (\d+) more ops", str(film))[1]
    numbers = [int(one) for one in re.findall(r"^ *(\d+)  ", str(film), re.MULTILINE)]
    assert shown and len(numbers) + int(left) == numbers[-1]


def test_a_stretch_that_ends_with_an_assignment_ends_with_the_op_before_it():
    ops = "a = mg.sin(x)\n" + "".join(f"    a = a * {k}.5\n" for k in range(20)) + "    s.assign(1.0)\n    a = a * s\n    a = mg.exp(a)\n"
    fold = inspected(f"x, s = mg.Variable(0.3), mg.Variable(0.0)\nwith mg.GradientTape() as tape:\n    {ops}tape.gradient(a, x)").plain[
        "fold"
    ]
    assert (fold["labels"], fold["ops"]) == (["ops 1 to 21", "ops 22 to 23"], [21, 2])


def test_weights_of_one_path_have_names_of_their_own():
    model = "mg.keras.Sequential([mg.keras.layers.Dense(1, name='dense')], name='net')"
    text = f"A, B = [{model} for _ in range(2)]\nX = mg.constant([[1.0, 2.0]])\nA(X), B(X)\nwith mg.GradientTape() as tape:\n    y = A(X) * B(X)"
    view = inspected(f"{text}\ntape.gradient(y, A.trainable_variables + B.trainable_variables)").plain
    assert len({one["name"] for one in view["verdict"]["each"]}) == 4


SECOND = """
rows = []
@mg.custom_gradient
def bad(a):
    def grad(upstream):
        rows.append(upstream)
        if len(rows) == 2: raise ValueError("the second row")
        return upstream * 2.0
    return a * 2.0, grad
x = mg.Variable([1.0, 2.0, 3.0])
with mg.GradientTape(persistent=True) as tape:
    y = mg.sin(bad(x))
try: tape.jacobian(y, x, experimental_use_pfor=False)
except ValueError: pass
"""


def test_of_a_jacobian_that_raised_the_pass_that_did_is_shown():
    view = inspected(SECOND).plain
    (sin,) = [key for key, col in view["cols"].items() if col.get("op") == "sin"]
    (sent,) = [view["arrays"][k]["picture"]["v"] for _, _, k, _ in view["wires"][f"{sin}.0"]["sent"]]
    assert sent == [0.0, pytest.approx(math.cos(4.0), rel=1e-4), 0.0]
    assert view["readings"][0]["raised"] in view["cols"] and view["verdict"]["status"] == "none"


def test_a_question_that_was_refused_is_not_complete():
    made = "x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape(persistent=True) as tape:\n    y = mg.reduce_sum(x * x)"
    told = inspected(f"{made}\ntry: tape.gradient(y, x, output_gradients=mg.ones(3))\nexcept Exception: pass").plain["verdict"]
    assert (told["status"], told["each"][0]["status"]) == ("none", "none") and told["say"].startswith("The question raised Invalid")


def test_the_curve_of_a_loop_whose_last_iteration_is_not_used_shows_what_the_others_hand_on():
    loop = "outs, h = [], x\nfor k in range(30):\n    h = mg.sin(h) * 0.3\n    outs.append(h)\n    ok = h > 0.1\ny = outs[25] * 3.0"
    view = inspected(asked_of(loop, "x = mg.Variable(3.0)")).plain
    assert (view["fold"]["above"]["name"], view["fold"]["below"]["name"]) == ("h", "d/dh")
    assert "vanishing: the |gradient| goes from 3.0 in iteration 26 of 30 to " in view["verdict"]["say"]


def test_a_weight_that_is_assigned_has_the_name_of_the_source():
    film = run(TRAINED + "film = mg.inspect(tape, loss, model.trainable_variables)")["film"].models[0]
    names = {film.frame_name(k) for k, frame in enumerate(film.film.frames) if frame.kind == "assign"}
    assert {one["name"] for one in film.data["verdict"]["each"]} <= names
