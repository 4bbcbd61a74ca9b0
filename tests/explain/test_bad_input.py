"""What is asked about is no tensor, or what explain reads cannot be read: there is an answer all the same."""

import contextlib

import numpy as np
import pytest
from programs import told

import minigrad as mg


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("target", [None, 3.0, "y", [], {}, [None], np.ones(2), object(), [1, [None]]])
def test_targets_that_are_no_tensors(target, traced):
    x = mg.Variable(3.0)
    with mg.trace() if traced else contextlib.nullcontext(), mg.GradientTape() as tape:
        x * x
    assert tape.explain(target, [x])[0].codes == ("NOT_A_TENSOR",)


@pytest.mark.parametrize("source", [None, 3.0, "x", np.ones(2), object(), np.float32(1.0)])
def test_sources_that_are_no_tensors(source):
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    assert tape.explain(y, source).codes == ("NOT_A_TENSOR",)


def test_source_that_cannot_be_read():
    space = {"mg": mg, "np": np}
    text = "x = mg.Variable([1.1, 2.2])\nwith mg.trace(), mg.GradientTape() as tape:\n    y = x * np.exp(x)\nanswer = tape.explain(y, x)\n"
    exec(compile(text, "<nowhere>", "exec"), space)
    assert space["answer"].status in ("partial", "complete")
    exec(compile(text.replace("np.exp(x)", "x.numpy()"), "<nowhere>", "exec"), space)
    assert space["answer"].codes == ("LEFT_ENGINE",)
    assert "line" not in str(space["answer"])
    exec(compile(text.replace("x * np.exp(x)", "mg.constant(np.exp(x))"), "<nowhere>", "exec"), space)
    assert told(space["answer"]) == ("none", "broken", "LEFT_ENGINE")
    assert "(tried)" in str(space["answer"])


def test_a_log_that_cannot_be_read_is_no_reason_to_fail(monkeypatch):
    x = mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * x
    monkeypatch.setattr(mg.explain.search.History, "cheapest", None)
    assert "UNTRIED  dy/dx = 6.0" in str(tape.explain(y, x))
    assert "the log could not be read (TypeError" in str(tape.explain(y, x))


def test_objects_that_refuse_to_be_asked_are_no_reason_to_fail():
    class Refuses:
        @property
        def __class__(self):
            raise RuntimeError("ask me nothing")

    kept, x = [Refuses()], mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * mg.constant(float(x))
    assert tape.explain(y, x).status == "partial"
    assert kept


def test_a_question_that_raised_before_a_trace_is_likely_to_raise_again():
    x = mg.Variable([2.0])
    with mg.GradientTape() as tape:
        y = mg.random.poisson([], x) * 2.0
    with pytest.raises(LookupError):
        tape.gradient(y, x)
    assert str(tape.explain(y, x)).splitlines() == [
        "NONE  dy/dx raises RuntimeError: the gradient cannot be computed",
        "  cause  NOT_REGISTERED (likely): the backward pass ended with an error when the tape was asked before",
        "  fix    register or fix the gradient function that the error names",
        "  note   mg.trace(True) before the forward pass would tell which line it is",
    ]
