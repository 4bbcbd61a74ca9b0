"""minigrad does in every scenario what TensorFlow did, and where TensorFlow is installed, so does TensorFlow.

Two texts agree if they are equal once the names are minigrad's, or differ in numbers alone, by a few units of the last
digit of a float32. Two errors agree if their classes do, and TensorFlow's key phrase stands in ours.
"""

import importlib.util
import json

import pytest
from agreement import ACCEPTED, agree, differences, told
from agreement import in_our_names as in_our_names
from scenarios import GOLDEN, SCENARIOS, run

import minigrad

golden = json.loads(GOLDEN.read_text())


@pytest.mark.parametrize("name", SCENARIOS)
def test_minigrad_does_what_tensorflow_did(name, monkeypatch):
    if name.endswith(".plot"):
        pytest.importorskip("matplotlib")
    monkeypatch.setattr(minigrad.engine.custom, "GRADIENTS", {**minigrad.engine.custom.GRADIENTS})
    differing = differences(run(name, minigrad), golden[name])
    accepted = {what for scenario, what in ACCEPTED if scenario == name}
    unexpected = {what: pair for what, pair in differing.items() if what not in accepted}
    assert not unexpected, told(unexpected)
    assert accepted <= differing.keys(), f"no longer different: {accepted - differing.keys()}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SCENARIOS if importlib.util.find_spec("tensorflow") else [])
def test_tensorflow_does_what_it_did(name):
    import tensorflow

    differing = differences(run(name, tensorflow), golden[name])
    assert not differing, told(differing)


def test_every_scenario_has_its_record_and_every_record_its_scenario():
    assert list(SCENARIOS) == list(golden)
    assert not {scenario for scenario, _ in ACCEPTED} - golden.keys()


def test_a_corner_of_many_parts_raises_in_none_of_them():
    """Else nothing would hold what the other parts give."""
    corners = [one for name in golden if name.startswith("corners.") for one in golden[name]["values"].items()]
    assert len(corners) > 1000 and [text for text, answer in corners if text.startswith("([") and answer.startswith("raises")] == []


@pytest.mark.parametrize(
    ("here", "there", "same"),
    [
        ("mg.Tensor(6.0, shape=(), dtype=float32)", "tf.Tensor(6.0, shape=(), dtype=float32)", True),
        ("array([1.0000001, 2.])", "array([1., 2.])", True),
        ("array([1.0001, 2.])", "array([1., 2.])", False),
        ("array([1.,  2.])", "array([1., 2.])", False),
        ("shape=(2, 3)", "shape=(3, 2)", False),
        ("nan", "0.0", False),
        ("None", "0.0", False),
        ("raises KeyError: boom, and more", "raises KeyError: boom", True),
        ("raises ValueError: boom", "raises KeyError: boom", False),
        ("raises KeyError: bang", "raises KeyError: boom", False),
        ("boom", "raises KeyError: boom", False),
        ("raises E: no Sum here [Op:Mul]", "raises E: {{node x}} no Sum here [Op:Sum] name: ", False),
    ],
)
def test_agreement_is_neither_blind_nor_fussy(here, there, same):
    assert agree(here, there) is same
