"""What every op promises, read from the table of ops: documentation, an example that runs, and right derivatives."""

import doctest

import numpy as np
import pytest

import minigrad as mg
from minigrad import nest
from minigrad.engine.custom import UNREGISTERED
from minigrad.engine.listening import Listener
from minigrad.engine.operands import OPS


class Log(Listener):
    """Hears every call of an op, as a trace does."""

    def __init__(self):
        self.heard = []

    def hear(self, op, inputs, output, attributes):
        self.heard.append((op, inputs, output, attributes))


def calls_in_the_example(op):
    """Run the example in the op's docstring, and return how it called the op."""
    log = Log()
    example = doctest.DocTestParser().get_doctest(op.__doc__, {"mg": mg, "np": np}, op.__name__, None, 0)
    log.start()
    try:
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        report = []
        runner.run(example, out=report.append)
    finally:
        log.stop()
    assert not runner.failures, "".join(report)
    return [(inputs, attributes) for heard, inputs, _, attributes in log.heard if heard is op]


def as_function(op, inputs, attributes):
    """The op as a function of its differentiable inputs alone, and those inputs."""
    names = [key[1:] for key in op.vjps if key[0] == "d" and key[1:] in op.__wrapped__.__code__.co_varnames]
    free = [k for k, name in enumerate(op.__wrapped__.__code__.co_varnames[: len(inputs)]) if op.vjps.get(f"d{name}")]
    assert len(names) == len(inputs)
    if isinstance(inputs[0], list):
        return lambda *xs: op(list(xs), *inputs[1:], *attributes), list(inputs[0])

    def function(*xs):
        given = list(inputs)
        for k, x in zip(free, xs):
            given[k] = x
        return op(*given, *attributes)

    function.__name__ = op.__name__
    return function, [inputs[k] for k in free]


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_has_an_example_that_calls_it(name):
    assert OPS[name].__doc__, f"{name} has no docstring"
    assert calls_in_the_example(OPS[name]), f"the docstring of {name} has no example that calls it"


def has_derivative(op):
    """Has it a VJP of its own? (Those of custom_gradient are the user's, and that of MatrixSolveLs is an error.)"""
    return any(vjp and key[0] == "d" for key, vjp in op.vjps.items()) and op.kernel not in {
        *UNREGISTERED,
        "CustomGradient",
        "MatrixSolveLs",
    }


differentiable = sorted(name for name, op in OPS.items() if has_derivative(op))


@pytest.mark.parametrize("name", [name for name in differentiable if name != "gamma_numbers"])  # drawn by trial: no slope of its own
def test_the_tape_agrees_with_finite_differences_to_second_order(name):
    op = OPS[name]
    for inputs, attributes in calls_in_the_example(op):
        function, points = as_function(op, inputs, attributes)
        if any(x.value.dtype.kind == "f" for x in points):
            mg.test.check_gradients(function, *points, order=2)


@pytest.mark.parametrize("name", differentiable)
def test_the_rows_of_a_jacobian_are_the_gradients_of_the_elements(name):
    op = OPS[name]
    for inputs, attributes in calls_in_the_example(op):
        function, points = as_function(op, inputs, attributes)
        points = [mg.constant(x.value.astype(np.float64) if x.value.dtype.kind == "f" else x.value) for x in points]
        with mg.GradientTape(persistent=True) as tape:
            tape.watch([x for x in points if x.value.dtype.kind in "fc"])
            outputs = function(*points)
            elements = [[y[k] for k in np.ndindex(*y.shape)] for y in nest.flatten(outputs)]
        for y, parts in zip(nest.flatten(outputs), elements):
            if y.dtype.is_floating:
                rows = [tape.gradient(one, points, unconnected_gradients="zero") for one in parts]
                for k, whole in enumerate(tape.jacobian(y, points, unconnected_gradients="zero")):
                    stacked = np.array([np.asarray(mg.convert_to_tensor(row[k])) for row in rows])
                    np.testing.assert_allclose(whole, stacked.reshape(whole.shape), rtol=1e-12, atol=1e-12, err_msg=name)


def test_a_jacobian_through_products_and_layers_takes_one_backward_pass(monkeypatch):
    passes = []
    backward = mg.engine.backward.backward
    monkeypatch.setattr(mg.engine.backward, "backward", lambda *given: passes.append(1) or backward(*given))
    x, w = mg.Variable([[1.0, 2.0], [3.0, 4.0]]), mg.Variable([[0.5, 1.0, 0.0], [1.0, -1.0, 2.0]])
    with mg.GradientTape() as tape:
        y = mg.nn.softmax(mg.tanh(x @ w) @ mg.transpose(w)) @ x
    dx, dw = tape.jacobian(y, [x, w])
    assert (len(passes), dx.shape, dw.shape) == (1, (2, 2, 2, 2), (2, 2, 2, 3))


@pytest.mark.parametrize("name", differentiable)
def test_a_backward_pass_that_is_recorded_gives_the_same_numbers(name):
    op = OPS[name]
    for inputs, attributes in calls_in_the_example(op):
        function, points = as_function(op, inputs, attributes)
        points = [mg.constant(x.value) for x in points]
        with mg.GradientTape() as outer:
            outer.watch([x for x in points if x.value.dtype.kind in "fc"])
            with mg.GradientTape(persistent=True) as tape:
                tape.watch([x for x in points if x.value.dtype.kind in "fc"])
                y = function(*points)
            recorded = tape.gradient(y, points, unconnected_gradients="zero")
        plain = tape.gradient(y, points, unconnected_gradients="zero")
        for one, other in zip(map(mg.convert_to_tensor, recorded), map(mg.convert_to_tensor, plain)):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", differentiable)
def test_gradients_keep_the_dtype_and_shape_of_their_source(name):
    op = OPS[name]
    for inputs, attributes in calls_in_the_example(op):
        function, points = as_function(op, inputs, attributes)
        points = [mg.constant(x.value) for x in points]  # each with an id of its own, which constants of an example lack
        with mg.GradientTape() as tape:
            tape.watch([x for x in points if x.value.dtype.kind == "f"])
            y = function(*points)
        for x, dx in zip(points, tape.gradient(y, points)):
            if dx is not None:
                dx = mg.convert_to_tensor(dx)
                assert dx.dtype == x.dtype and dx.shape == x.shape, f"{name}: {dx.dtype} {dx.shape} for {x.dtype} {x.shape}"
