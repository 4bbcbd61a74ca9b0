"""The text of an answer, its other forms, the names in it, and the form of several answers."""

import html
import json
import pickle
import re

import pytest
from programs import PROGRAMS

import minigrad as mg


def partial_answer():
    x = mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * x.numpy()
    return tape.explain(y, x)


def test_the_text_is_the_one_of_the_lesson():
    assert str(partial_answer()).splitlines() == [
        "PARTIAL  dy/dx = 3.0 leaves out 1 of 2 paths",
        "  live   x -> multiply -> y                carries 3.0",
        "  lost   x -> x.numpy() -> multiply -> y   carries nothing",
        "  line   y = x * x.numpy()",
        "  cause  LEFT_ENGINE (proved): x.numpy() is a plain number; multiply was given the number 3.0, not x",
        "  fix    keep x a tensor: y = x * x",
        "  note   measured: 3 of 6 is lost",
    ]


@pytest.mark.parametrize("name", [*PROGRAMS][::7])
def test_the_text_is_stable(name):
    texts = []
    for _ in range(2):
        mg.keras.utils.set_random_seed(1)
        with mg.trace():
            texts.append(str(PROGRAMS[name][0]()))
    assert texts[0] == texts[1]


def test_an_answer_is_plain_data_html_and_one_line_in_a_list():
    answer = partial_answer()
    data = json.loads(json.dumps(answer.to_dict()))
    assert data["status"] == "partial"
    assert data["causes"][0]["code"] == "LEFT_ENGINE"
    assert repr([answer]) == "[<PARTIAL dy/dx = 3.0 leaves out 1 of 2 paths  LEFT_ENGINE>]"
    assert "x -&gt; multiply" in answer._repr_html_()
    assert answer._repr_html_().count("<") == 4


def test_html_escapes_what_the_user_wrote():
    x = mg.Variable(3.0, name="<b>&")
    things = [x]
    with mg.trace(), mg.GradientTape() as tape:
        y = things[0] * float(things[0])
    del x
    html = tape.explain(y, things.pop())._repr_html_()
    assert "&lt;b&gt;&amp;" in html
    assert "<b>" not in html


def test_names_are_those_of_the_user():
    class Layer:
        def __init__(self):
            self.w = mg.Variable(2.0)

    layer, params, named = Layer(), {"b": mg.Variable(1.0)}, [mg.Variable(1.0, name="bias")]
    with mg.trace(), mg.GradientTape() as tape:
        loss = layer.w * params["b"] * named[0]
    heads = [answer.headline for answer in tape.explain(loss, [layer.w, params["b"], named[0]])]
    assert heads == ["COMPLETE  dloss/d(layer.w) = 1.0", "COMPLETE  dloss/d(params['b']) = 2.0", "COMPLETE  dloss/dbias = 2.0"]


def test_the_answer_has_the_form_of_the_sources():
    a, b = mg.Variable(1.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = a * 3.0
    answers = tape.explain(y, {"a": a, "rest": [b, None]})
    assert answers["a"].status == "untried"
    assert [one.codes for one in answers["rest"]] == [("UNUSED",), ("NOT_A_TENSOR",)]
    assert tape.explain(y, []) == []


def several(ask):
    x, z, u = mg.Variable(3.0, name="x"), mg.Variable(2.0, name="z"), mg.Variable(1.0, name="u")
    with mg.trace(), mg.GradientTape() as tape:
        y = x * x.numpy() + mg.sin(float(z)) + u * u
    return tape.explain(y, ask(x, z, u))


TABLE = [
    "3 gradients: 1 partial, 1 none, 1 complete",
    "PARTIAL  dy/dx = 3.0 leaves out 1 of 2 paths",
    "  line   y = x * x.numpy() + mg.sin(float(z)) + u * u",
    "  cause  LEFT_ENGINE (proved): x.numpy() is a plain number; multiply was given the number 3.0, not x",
    "  fix    keep x a tensor: y = x * x + mg.sin(z) + u * u",
    "NONE  dy/dz = None: z matters, and the way to it is broken",
    "  line   y = x * x.numpy() + mg.sin(float(z)) + u * u",
    "  cause  LEFT_ENGINE (proved): float(z) is a plain number; sin was given the number 2.0, not z",
    "  fix    keep z a tensor: y = x * x + mg.sin(z) + u * u",
    "COMPLETE  dy/du = 2.0",
]


@pytest.mark.parametrize(
    "ask", [lambda *xs: [*xs], lambda *xs: xs, lambda x, z, u: {"a": x, "b": z, "c": u}, lambda x, z, u: [x, {"in": (z, u)}]]
)
def test_several_answers_are_one_table(ask):
    answers = several(ask)
    assert str(answers).splitlines() == TABLE
    assert isinstance(answers, type(ask(0, 0, 0))) and mg.nest.flatten(answers)[1].status == "none"
    assert str(pickle.loads(pickle.dumps(answers))).splitlines() == TABLE


def test_the_table_is_one_in_a_notebook_too():
    page = several(lambda *xs: [*xs])._repr_html_()
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    assert rows[0] == ["gradient", "line", "cause", "fix"]
    assert rows[2] == [TABLE[5], *[html.escape(line[9:]) for line in TABLE[6:9]]]
    assert rows[3] == [TABLE[9], "", "", ""]


def test_a_table_tells_why_an_answer_is_untried():
    x = mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * float(str(float(x)))
    answers, why = tape.explain(y, [x], seconds=0), "no replay: it was not asked for"
    assert str(answers).splitlines()[1].startswith("UNTRIED")
    assert str(answers).splitlines()[2:] == [f"  note   {why}"]
    assert f">{why}</td>" in answers._repr_html_()


def test_a_table_of_one_and_of_none():
    assert str(several(lambda x, z, u: [u])).splitlines() == ["1 gradient: 1 complete", TABLE[9]]
    assert str(several(lambda *xs: [])).splitlines() == ["0 gradients"]


def test_names_lead_through_what_holds_what():
    class Block:
        def __init__(self):
            self.parts = {"scale": mg.Variable(2.0)}

    class Model:
        def __init__(self):
            self.blocks = [Block(), Block()]

    model, pairs, found = Model(), [(mg.Variable(3.0),)], []
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        found.append((model.blocks[1].parts["scale"] * pairs[0][0],))
    first, second = tape.explain(found[0][0], [model.blocks[1].parts["scale"], pairs[0][0]])
    assert first.headline == "COMPLETE  d(found[0][0])/d(model.blocks[1].parts['scale']) = 3.0"
    assert second.headline == "COMPLETE  d(found[0][0])/d(pairs[0][0]) = 2.0"
