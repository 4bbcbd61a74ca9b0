"""The arrays that a compiled function writes into again and again are seen by nobody else."""

import gc
import random
import signal

import numpy as np
import pytest

import minigrad as mg
from minigrad import nest
from minigrad.graph.buffers import Plan
from minigrad.graph.tracer import Graph, Tracer

pytestmark = pytest.mark.filterwarnings("ignore")
MANY = 20_000  # numbers: a Variable of these has two arrays in turn


def buffers_of(function, *args):
    """The buffers of the program for these arguments."""
    function(*args)
    ((program,),) = function._traces.paths.values()
    return program.buffers


def returned_views(x):
    y = mg.exp(x)
    return mg.transpose(y), y[::2], mg.reshape(y, [-1]), y


def a_view_outlives_its_array(x):
    rows = mg.transpose(mg.exp(x))
    z = mg.exp(x) * 2.0
    return rows + mg.transpose(mg.tanh(z) * z)


def one_operand_twice(x):
    y = mg.sin(x)
    y = y * y
    return y + y


def reversed_into_itself(x):
    y = mg.sin(x)
    return y[::-1] * y + mg.exp(y)


def broadcast(x):
    y = mg.reduce_sum(mg.exp(x), 0)
    return (y + mg.cos(x)) * y + y


@mg.custom_gradient
def remembering(x):
    seen = []

    def gradient(dy):
        seen.append(dy)
        return dy * seen[0] + x

    return x * 2.0, gradient


def custom(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = remembering(mg.sin(x)) * mg.cos(x)
    return tape.gradient(y, x), y


def gathered(x):
    y = mg.tensor_scatter_nd_update(mg.exp(x), [[0]], [x[1]])
    z = mg.exp(-x)
    return y * z, mg.sort(z, 0), mg.where(y > 2.0, z, y)


def of_floats_and_counts(x):
    y = mg.cast(mg.floor(x * 4.0), mg.int32)
    return mg.cast(y * y, mg.float32) / 2.0 + x, y // 2, mg.cast(y, mg.bool)


PROGRAMS = [returned_views, a_view_outlives_its_array, one_operand_twice, reversed_into_itself, broadcast, custom,
            gathered, of_floats_and_counts]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("order", ["C", "F"])
def test_results_are_right_and_stay_what_they_were(function, order):
    traced, draw = mg.function(function), np.random.default_rng(0)
    inputs = [mg.constant(np.asarray(draw.normal(size=(4, 4)), np.float32, order=order)) for _ in range(4)]
    results = [nest.flatten(traced(x)) for x in inputs]
    for x, found in zip(inputs, results, strict=True):
        for one, expected in zip(found, nest.flatten(function(x)), strict=True):
            np.testing.assert_allclose(one.numpy(), expected.numpy(), rtol=1e-6)


UNARY = [mg.sin, mg.exp, mg.tanh, mg.square, mg.negative, mg.transpose, lambda x: x[::-1], lambda x: x * 2.0,
         lambda x: mg.reduce_sum(x, 0, keepdims=True) + x, lambda x: mg.reshape(x, [3, 3]), mg.nn.softmax, mg.nn.relu,
         lambda x: mg.concat([x[:1], x[1:]], 0), lambda x: x[:, ::-1], lambda x: mg.clip_by_value(x, -0.5, 0.5)]  # fmt: skip
BINARY = [mg.add, mg.subtract, mg.multiply, mg.maximum, mg.matmul, lambda x, y: mg.where(x > y, x, y), mg.atan2]


def drawn(seed):
    """A function that keeps what it has computed, and computes with it, at random."""
    steps = random.Random(seed)
    plan = [(steps.choice(UNARY + BINARY), steps.random(), steps.random()) for _ in range(25)]
    returned = [steps.random() for _ in range(3)]

    def function(x):
        known = [x, x * 0.5]
        for step, a, b in plan:
            operands = [known[int(place * len(known))] for place in (a, b)]
            value = step(*operands) if step in BINARY else step(operands[0])
            known.append(mg.tanh(value) if step in (mg.exp, mg.square, mg.matmul) else value)
        return [known[int(place * len(known))] for place in returned] + [known[-1]]

    return function


@pytest.mark.parametrize("seed", range(40))
def test_programs_drawn_at_random_give_what_python_gives(seed):
    function, draw = drawn(seed), np.random.default_rng(seed)
    traced = mg.function(function)
    inputs = [mg.constant(draw.normal(size=(3, 3)).astype(np.float32)) for _ in range(3)]
    results = [traced(x) for x in inputs]
    assert buffers_of(traced, inputs[0]).layouts
    for x, found in zip(inputs, results, strict=True):
        for one, expected in zip(found, function(x), strict=True):
            np.testing.assert_allclose(one.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_buffers_are_used_again():
    """A chain of twenty ops needs one, and what it returns is new."""

    @mg.function
    def chain(x):
        for _ in range(20):
            x = mg.sin(x) + 1.0
        return x

    x = mg.ones([100])
    assert len(buffers_of(chain, x).layouts) == 1
    assert chain(x).value is not chain(x).value


def test_a_large_variable_has_two_arrays_in_turn():
    v, arrays = mg.Variable(np.zeros(MANY, np.float32)), []

    @mg.function
    def count():
        v.assign_add(mg.ones(MANY))

    for _ in range(6):
        count()
        arrays.append(v._now.value.ctypes.data)
    assert len(set(arrays)) == 2 and v.numpy().tolist() == [6.0] * MANY


@pytest.mark.parametrize("hold", [lambda v: v.read_value(), lambda v: v[:5], lambda v: mg.reshape(v, [2, -1]),
                                  lambda v: v._now.value, lambda v: memoryview(v._now.value)])  # fmt: skip
def test_what_somebody_holds_of_a_variable_is_not_written_over(hold):
    v = mg.Variable(np.zeros(MANY, np.float32))

    @mg.function
    def count():
        v.assign_add(mg.ones(MANY))

    held = []
    for k in range(6):
        held.append((k, hold(v)))
        count()
    for k, one in held:
        assert set(np.asarray(one).ravel()) == {float(k)}


def test_a_returned_variable_keeps_its_value():
    v = mg.Variable(np.zeros(MANY, np.float32))

    @mg.function
    def count():
        before = v.read_value()
        return before, v.assign_add(mg.ones(MANY)).read_value()

    found = [count() for _ in range(5)]
    for k, (before, after) in enumerate(found):
        assert before.numpy()[-1] == k and after.numpy()[-1] == k + 1


def test_one_array_in_two_variables_is_not_written_over():
    v, w = (mg.Variable(np.zeros(MANY, np.float32)) for _ in range(2))

    @mg.function
    def both(x):
        y = v + x
        v.assign(y)
        w.assign(y)

    @mg.function
    def other(x):
        v.assign(v + x)

    for k in range(4):
        both(mg.constant(1.0))
        other(mg.constant(10.0))
        other(mg.constant(10.0))
        assert (v.numpy()[0], w.numpy()[0]) == (21.0 * (k + 1), 21.0 * (k + 1) - 20.0)


def test_what_a_variable_was_given_is_not_written_over():
    """`reshape` copies nothing: the Variable's array is a view of another one."""
    given = mg.constant(np.zeros((2, MANY // 2), np.float32))
    v = mg.Variable(np.zeros(MANY, np.float32))

    @mg.function
    def count():
        v.assign_add(mg.ones(MANY))

    for _ in range(3):
        v.assign(mg.reshape(given, [-1]))
        count()
        count()
    assert v.numpy().tolist() == [2.0] * MANY and not given.numpy().any()


LONG = np.arange(MANY, dtype=np.float32).reshape(2, -1)
ASSIGNED = {
    "a constant": lambda v: LONG * 2.0,
    "itself": lambda v: v,
    "what is no ufunc": lambda v: mg.concat([v[1:], v[:1]], 0),
    "another order in memory": lambda v: mg.transpose(mg.transpose(v) + np.ones((MANY // 2, 2), np.float32)),
    "a view": lambda v: mg.sin(v)[::-1],
    "a sum": lambda v: v + mg.sin(v),
}


@pytest.mark.parametrize("name", ASSIGNED)
def test_a_large_variable_takes_whatever_it_is_assigned(name):
    found = []
    for wrap in (mg.function, lambda function: function):
        v = mg.Variable(LONG)

        def step(v=v):
            v.assign(ASSIGNED[name](v))
            return mg.reduce_sum(v)

        step = wrap(step)
        found.append([*[step().numpy() for _ in range(5)], v.numpy()])
    for traced, python in zip(*found, strict=True):
        np.testing.assert_allclose(traced, python, rtol=1e-6)


def test_a_run_that_is_left_half_way_leaves_no_trace():
    """One whose decision falls otherwise, and one that fails."""
    v = mg.Variable(np.ones(MANY, np.float32))

    @mg.function
    def stepping(x):
        y = mg.sin(x) * 2.0
        if mg.reduce_sum(y) > 0.0:
            y = -y
        v.assign_add(y * mg.ones(MANY))
        return y

    expected = 1.0
    for x in (1.0, -1.0, 2.0, -2.0, 1.0):
        y = stepping(mg.constant([x]))
        expected -= abs(2 * np.sin(x))
        np.testing.assert_allclose([y.numpy()[0], v.numpy()[7]], [-abs(2 * np.sin(x)), expected], rtol=1e-5)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer of signals here")
def test_a_function_that_is_called_in_the_middle_of_itself_has_buffers_of_its_own():
    @mg.function
    def slow(x):
        y = x
        for _ in range(200):
            y = mg.sin(y) + x
        return y

    xs = [mg.constant(np.full(30_000, k, np.float32)) for k in (0.1, 0.7)]
    expected = [slow(x).numpy() for x in xs]
    inner = []
    before = signal.signal(signal.SIGALRM, lambda *_: inner.append(slow(xs[1]).numpy()))
    try:
        for _ in range(20):
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            np.testing.assert_array_equal(slow(xs[0]).numpy(), expected[0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert inner
    for one in inner:
        np.testing.assert_array_equal(one, expected[1])


def test_what_a_function_of_ours_is_given_is_not_written_over():
    """It may keep it, or give it back at times, which only a function of NumPy's is known not to do."""
    graph = Graph()
    x = graph.input(np.ones(3), "x").node
    y = graph.call(np.sin, (Tracer(x, graph),), {})
    kept = graph.call(lambda y: y + 0.0, (y,), {})
    z = graph.call(np.cos, (kept,), {})
    plan = Plan(graph.nodes, [], [])
    assert y.node not in plan.of and kept.node not in plan.of and z.node in plan.of


VIEWS = {  # a view of what was computed before, or of a part of it
    "of what was unchanged": lambda x: mg.reshape(mg.sin(x) * 1.0, [16]),
    "a row of it": lambda x: (mg.sin(x) * 1.0)[0],
    "of what was computed twice": lambda x: (mg.reduce_sum(mg.sin(x)), mg.transpose(mg.sin(x))),
    "of a part": lambda x: [mg.exp(one) + mg.sin(x)[:2] for one in mg.split(mg.tanh(x) * x, 2)],
    "of a part, later": lambda x: (lambda parts: (mg.exp(mg.sin(x)), parts[0] * 2.0))(mg.split(mg.tanh(x) * x, 2)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_outlives_what_it_is_of(name):
    traced, xs = mg.function(VIEWS[name]), [mg.constant(np.full((4, 4), k, np.float32)) for k in (0.3, 0.9, 2.0)]
    found = [traced(x) for x in xs]
    for x, one in zip(xs, found, strict=True):
        for given, right in zip(nest.flatten(one), nest.flatten(VIEWS[name](x)), strict=True):
            np.testing.assert_allclose(given.numpy(), right.numpy(), rtol=1e-6)


def test_parts_share_memory_with_what_they_are_parts_of():
    graph = Graph()
    x, y = (Tracer(graph.input(np.ones((2, n)), name).node, graph) for name, n in (("x", 1), ("y", 3)))
    first, second = np.broadcast_arrays(x, y)
    assert (first.node.root, second.node.root) == (x.node, y.node)
    assert [one.node.root for one in np.split(y, 2)] == [y.node, y.node]


def test_of_many_shapes_the_last_one_keeps_its_buffers():
    function = mg.function(lambda x: mg.sin(x) * 2.0 + mg.cos(x))
    for n in (10, 20, 30):
        function(mg.ones([n]))
        function(mg.ones([n]))
    kept = [len(program.buffers.spare) for (program,) in function._traces.paths.values()]
    assert kept == [0, 0, 1]


def test_buffers_go_with_their_function():
    x, function = mg.ones([100_000]), mg.function(lambda x: mg.sin(x) + mg.cos(x))
    buffers = buffers_of(function, x).spare[0]
    del function
    gc.collect()
    assert len(gc.get_referrers(buffers)) <= 1
