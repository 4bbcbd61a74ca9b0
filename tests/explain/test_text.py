"""The text of an answer, its other forms, the names in it, and the form of several answers."""

import json

import pytest
from programs import PROGRAMS

import minigrad as mg


def partial_answer():
    x = mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * x.numpy()
    return tape.explain(y, x, check=lambda x: x * x)


def test_the_text_is_the_one_of_the_lesson():
    assert str(partial_answer()).splitlines() == [
        "PARTIAL  dy/dx = 3.0 leaves out 1 of 2 paths",
        "  live   x -> multiply -> y                carries 3.0",
        "  lost   x -> x.numpy() -> multiply -> y   carries nothing",
        "  line   y = x * x.numpy()",
        "  cause  LEFT_ENGINE (proved): x.numpy() is a plain number; multiply was given the number 3.0, not x",
        "  fix    keep x a tensor: y = x * x",
        "  note   measured: 3 of 6 is lost",
        "  note   returned 3.0, measured 6.0: they differ",
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
