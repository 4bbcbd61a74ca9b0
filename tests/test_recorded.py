"""Every call of the examples, at every point, beside what TensorFlow answered when it was asked (conformance/record.py)."""

import functools
import logging
import warnings

import numpy as np
import pytest
from conformance import examples
from conformance.compare import disagreement
from conformance.record import plain, recorded, restored

import minigrad as mg

answers = functools.cache(recorded)  # only who compares them has them in memory
OURS = ("tf.arrays.", "tf.test.", "tf.trace(", "tf.explain.", "tf.inspect(")  # where TensorFlow has no such name
CALLS = [call for call in examples.calls(mg) if not call.text.startswith(OURS)]


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.text[3:60])
def test_value_gradient_and_second_derivative_are_tensorflows(call):
    variants = [variant for variant in examples.variants(call) if str(variant) in answers()]
    assert variants, f"nothing is recorded of {call}: python -m tests.conformance.record, where TensorFlow is"
    found = [disagreement(variant, examples.run(variant, mg), answers()[str(variant)]) for variant in variants]
    assert not any(found), "\n".join(filter(None, found))


def test_all_that_tensorflow_has_is_recorded():
    asked = [str(variant) for call in CALLS for variant in examples.variants(call)]
    assert len(asked) > 5000
    assert [one for one in asked if one not in answers()] == []


def test_a_wrong_answer_would_be_seen():
    call = next(call for call in CALLS if call.text.startswith("tf.tanh"))
    (value, numbers), *_ = answers()[str(call)]
    wrong = [(value, [numbers[0] + np.float32(0.001)])]
    assert "TensorFlow" in disagreement(call, examples.run(call, mg), wrong)


@pytest.mark.parametrize("answer", [None, np.float32(0.1), np.array([[1 + 2j]]), np.array([b"\xff", b""], object), np.zeros((0, 2), bool)])
def test_what_is_kept_comes_back(answer):
    back = restored(plain([answer]))[0]
    assert back is None if answer is None else (back.dtype, back.shape, back.tolist()) == (answer.dtype, answer.shape, answer.tolist())


def test_errors_and_rows_come_back():
    assert type(restored(plain(ValueError("no")))).__name__ == "ValueError"
    rows = mg.IndexedSlices(mg.constant([[1.0]]), mg.constant([2]))
    back = restored(plain(rows))
    assert (back.values.tolist(), back.indices.tolist()) == ([[1.0]], [2])
