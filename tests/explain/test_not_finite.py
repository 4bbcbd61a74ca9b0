"""Where inf and nan come from when the log does not know it all: without a trace, in large values, in inputs without a name."""

import numpy as np
import pytest

import minigrad as mg


def test_a_nan_without_a_trace():
    X, w = mg.constant([1.0, float("nan")]), mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum((X * w) ** 2)
    assert "is not finite already" in str(tape.explain(y, w))


def test_large_values_are_known_in_part():
    x = mg.Variable(mg.zeros([300]))
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        taken = mg.reduce_sum(mg.where(x >= 0.0, mg.sqrt(x), 0.0))
        discarded = mg.reduce_sum(mg.where(x > 0.0, mg.sqrt(x) / x, 0.0))
    assert "sqrt is where the gradient stops being finite" in str(tape.explain(taken, x))
    assert "where discards this branch, yet divide" in str(tape.explain(discarded, x))


@pytest.mark.parametrize(("place", "sure"), [(0, "proved"), (200, "likely")])
def test_that_where_discards_it_is_proved_only_where_it_was_seen(place, sure):
    x = mg.Variable(mg.one_hot(place, 300, on_value=0.0, off_value=1.0))
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.where(x > 0.0, mg.math.log(x), 0.0))
    assert f"NOT_FINITE ({sure}): where discards this branch" in str(tape.explain(y, x))


def test_a_plain_number_that_is_not_finite():
    x = mg.Variable([1.0, 0.0])
    with mg.trace(), mg.GradientTape() as tape:
        masked = x * float("-inf")
        y = mg.reduce_sum(mg.exp(masked))
    text = str(tape.explain(y, x))
    assert "an input holds -inf already" in text
    assert 'line   masked = x * float("-inf")' in text


def test_an_input_without_a_name():
    x = mg.Variable([1.0, 2.0])
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.nn.softmax(x + mg.constant([-np.inf, -np.inf])))
    assert "an input holds -inf already" in str(tape.explain(y, x))


def test_what_the_log_does_not_know_is_likely():
    def hidden(value):
        return lambda: value

    find, w = hidden(mg.constant(float("nan"))), mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = (w * find()) ** 2
    assert "NOT_FINITE (likely)" in str(tape.explain(y, w))
