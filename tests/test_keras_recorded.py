"""Losses, metrics, layers, schedules, optimizers beside what Keras answered when it was asked (conformance/keras_calls.py)."""

import numpy as np
import pytest
from conformance.keras_calls import answer, recorded, texts

import minigrad as mg

ANSWERS = recorded()


@pytest.mark.parametrize("text", ANSWERS)
def test_it_answers_as_keras(text):
    for found, expected in zip(answer(text, mg), ANSWERS[text], strict=True):
        assert (found is None) == (expected is None)
        if expected is not None:
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_nearly_all_questions_have_an_answer():
    assert 970 < len(ANSWERS) <= len([*texts()])
