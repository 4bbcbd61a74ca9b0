"""A function that runs again when its gradient is asked for has the same gradients, and a tape keeps none of its steps."""

import numpy as np
import pytest

import minigrad as mg

x, w = mg.Variable(2.0), mg.Variable(3.0)


def slopes(function, sources=(x, w)):
    with mg.GradientTape() as tape:
        y = function()
    return [None if dx is None else float(dx) for dx in tape.gradient(y, list(sources))]


def grown(a, power=1.0):
    return mg.exp(a) * w**power


@pytest.mark.parametrize("call", [lambda f: f(x), lambda f: f(x * w), lambda f: f(x, power=2.0) * x, lambda f: f(2.0)])
def test_values_and_gradients_are_the_same(call):
    again = mg.recompute_grad(grown)
    assert float(call(again)) == float(call(grown))
    assert slopes(lambda: call(again)) == [dx and pytest.approx(dx, rel=1e-6) for dx in slopes(lambda: call(grown))]


def test_it_runs_again_once_for_all_gradients_and_a_tape_keeps_no_step_of_it():
    runs = []

    @mg.recompute_grad
    def block(a):
        runs.append(a)
        for _ in range(100):
            a = mg.sin(a * w)
        return a

    with mg.GradientTape() as tape:
        y = block(x)
    assert (len(runs), len(tape.steps)) == (1, 2)
    tape.gradient(y, [x, w])
    assert len(runs) == 2


def test_arguments_and_results_may_be_nests():
    @mg.recompute_grad
    def both(pair, scale=1.0):
        return {"product": pair[0] * pair[1] * scale, "rest": [pair[0] - pair[1]]}

    with mg.GradientTape(persistent=True) as tape:
        found = both([x, w], scale=5.0)
    assert [float(dx) for dx in tape.gradient(found["product"], [x, w])] == [15.0, 10.0]
    assert [float(dx) for dx in tape.gradient(found["rest"], [x, w])] == [1.0, -1.0]
    assert [float(dx) for dx in tape.gradient(found, [x, w])] == [16.0, 9.0]


def test_an_argument_that_is_not_used_has_zeros_and_one_of_integers_none():
    first = mg.recompute_grad(lambda a, b: a * 2.0)
    assert slopes(lambda: first(x, w)) == [2.0, 0.0]
    number = mg.constant(4)
    with mg.GradientTape() as tape:
        y = first(x, number)
    assert tape.gradient(y, number) is None


def test_a_jacobian_takes_one_run_for_each_row():
    with mg.GradientTape() as tape:
        y = mg.recompute_grad(mg.exp)(mg.stack([x, w]))
    rows = tape.jacobian(y, [x, w])
    np.testing.assert_allclose([row.numpy() for row in rows], np.diag(np.exp([2.0, 3.0])), rtol=1e-6)


def test_a_method_reads_the_variables_of_its_object():
    class Layer:
        def __init__(self):
            self.scale = mg.Variable(4.0)

        @mg.recompute_grad
        def run(self, a):
            return a * self.scale

    layer = Layer()
    assert slopes(lambda: layer.run(x), [x, layer.scale]) == [4.0, 2.0]


@pytest.mark.parametrize("source", [x, w])
@pytest.mark.parametrize("argument", [lambda: x, lambda: x * 1.0])
def test_the_second_derivative_is_refused(argument, source):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = mg.recompute_grad(grown)(argument())
        dx = inner.gradient(y, x)
    with pytest.raises(NotImplementedError, match="recompute_grad tried to transpose grad of grown"):
        outer.gradient(dx, source)


def test_without_variables_an_outer_tape_hears_the_second_run():
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = mg.recompute_grad(lambda a: a**3)(x * 1.0)
        dx = inner.gradient(y, x)
    assert (float(dx), float(outer.gradient(dx, x))) == (12.0, 12.0)
