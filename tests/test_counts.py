"""What an op and a gradient cost, in counts that no other load on the machine can change: steps, calls, bytes, allocations.

A figure that grows means that the engine has become slower or larger; one that shrinks may be written here.
"""

import collections
import gc
import platform
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg

PACKAGE = str(Path(mg.__file__).parent)
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}  # functions only in older versions of Python


def calls_of(action):
    """How often each function is called while this runs: those of minigrad by name, NumPy's and C's under one name each."""
    action()  # ops are written out when they are first used
    calls = collections.Counter()

    def hear(frame, event, function):
        file = frame.f_code.co_filename
        if event == "c_call":
            calls["C"] += 1
        elif event == "call" and frame.f_code.co_name not in COMPREHENSIONS:
            calls[frame.f_code.co_name if file.startswith((PACKAGE, "<op ")) else "others"] += 1

    sys.setprofile(hear)
    try:
        action()
    finally:
        sys.setprofile(None)
    calls["C"] -= 1  # setprofile itself
    calls["others"] -= 1  # the action
    return calls


def ours(calls):
    return sum(calls.values()) - calls["C"] - calls["others"]


def chain(n):
    x = mg.Variable(0.7)
    with mg.GradientTape() as tape:
        y = x
        for _ in range(n):
            y = mg.sin(y * 1.01 + 0.1)
    return tape, y, x


def network(batch=4):
    """A small network: three layers, six Variables."""
    random = np.random.default_rng(0)
    x, labels = mg.constant(random.standard_normal((batch, 5)).astype(np.float32)), mg.constant(np.arange(batch) % 3)
    parameters = [mg.Variable(random.standard_normal(shape).astype(np.float32)) for shape in ((5, 6), (6, 6), (6, 3), (6,), (6,), (3,))]

    def loss():
        h = x
        for w, b in zip(parameters[:2], parameters[3:5]):
            h = mg.nn.relu(h @ w + b)
        each = mg.nn.sparse_softmax_cross_entropy_with_logits(labels, h @ parameters[2] + parameters[5])
        return mg.reduce_mean(each)

    return loss, parameters


# ---- calls ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "inputs"),
    [(mg.multiply, 2), (mg.add, 2), (mg.sin, 1), (mg.nn.relu, 1), (mg.exp, 1), (mg.tanh, 1), (mg.square, 1), (mg.negative, 1)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_op_on_tensors_is_two_of_our_functions_taped_or_not(op, inputs):
    given = [mg.constant([1.0, 2.0])] * inputs
    assert ours(calls_of(lambda: op(*given))) == 2  # what is written out, and the NumPy function
    with mg.GradientTape() as tape:
        tape.watch(given)
        assert ours(calls_of(lambda: op(*given))) == 2


def test_reading_a_variable_is_two_calls_more_once_the_tape_has_heard_of_it():
    x, c = mg.Variable(2.0), mg.constant(3.0)
    with mg.GradientTape():
        assert ours(calls_of(lambda: c * x)) == 2 + 2  # convert, the Variable


def test_a_python_number_is_one_call_more_once_it_is_known():
    c = mg.constant(3.0)
    assert ours(calls_of(lambda: c * 2.5)) == 2 + 1


@pytest.mark.parametrize("n", [1, 10, 100])
def test_each_op_of_a_chain_adds_the_same_number_of_calls_to_a_gradient(n):
    def gradient():
        tape, y, x = chain(n)
        return lambda: tape.gradient(y, x)

    asked = iter([gradient(), gradient()])
    calls = calls_of(lambda: next(asked)())
    assert ours(calls) <= 3 + 3 * n + 2, calls  # gradient, _ask, backward; of each op two VJPs at most


def test_a_step_of_training_takes_no_more_calls_than_it_did():
    loss, parameters = network()

    def step():
        with mg.GradientTape() as tape:
            value = loss()
        return tape.gradient(value, parameters)

    calls = calls_of(step)
    assert ours(calls) <= 82, calls
    assert calls["others"] <= 2, calls  # functions of NumPy that are written in Python
    assert calls["C"] <= 122, calls  # among them a look at what the tape has heard of, for each Variable that is read


def test_without_a_tape_a_network_runs_no_code_of_the_tape():
    loss, _ = network()
    calls = calls_of(loss)
    assert not {"backward", "gradient", "hear", "read", "start"} & set(calls), calls
    assert ours(calls) <= 35, calls


def test_a_tape_costs_a_fixed_number_of_calls():
    def block():
        with mg.GradientTape():
            pass

    assert ours(calls_of(block)) <= 6


# ---- steps ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "steps", "f"),
    [
        ("both inputs watched", 2, lambda x, c: x * x),
        ("a constant input", 1, lambda x, c: x * c),
        ("a Python number", 1, lambda x, c: x * 2.0),
        ("nothing watched", 0, lambda x, c: c * c),
        ("behind stop_gradient", 0, lambda x, c: mg.stop_gradient(x) * c),
        ("an op without derivative", 0, lambda x, c: mg.floor(x)),
        ("a list of three, one constant", 2, lambda x, c: mg.stack([x, x, c])),
        ("many outputs", 1, lambda x, c: mg.unstack(x)),
        ("a loss with its softmax", 1, lambda x, c: mg.nn.sparse_softmax_cross_entropy_with_logits([0], x[None])),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_tape_keeps_one_step_for_each_edge_that_matters(what, steps, f):
    x, c = mg.Variable([1.0, 2.0]), mg.constant([3.0, 4.0])
    with mg.GradientTape() as tape:
        before = len(tape.steps)
        f(x, c)
    indexing = what == "a loss with its softmax"  # x[None] is an op too
    assert len(tape.steps) - before == steps + indexing


def test_a_network_keeps_fifteen_steps():
    loss, _ = network()
    with mg.GradientTape() as tape:
        loss()
    products, sums, relus, loss_and_mean = 1 + 2 + 2, 3 * 2, 2, 2  # of the first product one input is a constant
    assert len(tape.steps) == products + sums + relus + loss_and_mean


# ---- bytes and allocations -----------------------------------------------------------------------------------------


def kept_by(make):
    """How many bytes the result of a function keeps."""
    make()
    gc.collect()
    tracemalloc.start()
    try:
        result = make()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] if result else 0
    finally:
        tracemalloc.stop()


def allocations_of(make):
    """How many blocks of memory the result of a function keeps."""
    make()
    gc.collect()
    before = sys.getallocatedblocks()
    result = make()
    gc.collect()
    return sys.getallocatedblocks() - before if result else 0


def test_an_op_costs_the_tape_so_many_bytes():
    assert (kept_by(lambda: chain(1000)) - kept_by(lambda: chain(500))) / 1500 <= 375


def test_an_op_costs_the_tape_so_many_allocations():
    assert (allocations_of(lambda: chain(1000)) - allocations_of(lambda: chain(500))) / 1500 <= 5


def test_bytes_grow_with_ops_and_not_with_their_square():
    assert kept_by(lambda: chain(2000)) <= 5 * kept_by(lambda: chain(500))


@pytest.mark.parametrize(
    ("name", "arrays", "f"),
    [
        ("add", 0, lambda x: x + x),
        ("multiply", 0, lambda x: x * x),  # x is kept, and was there
        ("sin", 0, lambda x: mg.sin(x)),
        ("exp", 1, lambda x: mg.exp(x)),
        ("relu", 1, lambda x: mg.nn.relu(x)),
        ("reduce_sum", 0, lambda x: mg.reduce_sum(x)),
        ("reduce_mean", 0, lambda x: mg.reduce_mean(x)),
        ("sum of exp", 1, lambda x: mg.reduce_sum(mg.exp(x))),
        ("relu of a sum", 1, lambda x: mg.nn.relu(x + 1.0)),
        ("a scaled square", 1, lambda x: mg.square(x * 3.0)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_tape_keeps_only_the_arrays_that_vjps_ask_for(name, arrays, f):
    x, n = mg.constant(np.linspace(0.5, 1.0, 2**16, dtype=np.float32)), 2**18

    def tape_alone():  # what it computed is not kept beside it
        with mg.GradientTape() as tape:
            tape.watch(x)
            f(x)
        return tape

    assert round(kept_by(tape_alone) / n) == arrays


def test_memory_falls_during_the_backward_pass():
    x, n, layers = mg.constant(np.linspace(0.5, 1.0, 2**16, dtype=np.float32)), 2**18, 12
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(layers):
                y = mg.exp(y * 0.1)
        tape.gradient(y, x)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak / n < layers + 5  # one array for each layer, and a few that come and go


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc's heap")
def test_large_arrays_are_taken_from_memory_that_is_there():
    import resource  # Unix has it

    x = mg.Variable(np.linspace(-1.0, 1.0, 10**6, dtype=np.float32))

    def step():
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(x * (1 / (1 + mg.exp(-x))))
        return tape.gradient(y, x)

    for _ in range(3):
        step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        step()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 5000  # 24,000 if each page is asked for each time
