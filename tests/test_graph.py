"""Functions of many kinds, as they are written out and compiled: the texts are stored in graph.txt, as they were read.

After a change of these texts, `python tests/test_graph.py` stores them anew: read what differs.
"""

import linecache
import pathlib
import re
import threading
import time

import numpy as np
import pytest

import minigrad as mg
from minigrad import nest
from minigrad.graph.tidy import key, key_of
from minigrad.graph.tracer import Graph, Node, mapped, value_of

STORED = pathlib.Path(__file__).with_name("graph.txt")
ROW, MATRIX = [1.0, 2.0, -3.0], [[1.0, 2.0], [3.0, 5.0]]


def operators(x, y):
    a = (x + y) * (x - y) / y - x**2 + x**3.0 - 2.0**x
    return -a, x // y, x % y, x > y, x < 1.0, x >= y, x <= y, x == y, x != y, abs(x), 3.0 - x, 1.0 / x


def matrices(x, y):
    return (
        x @ y,
        mg.transpose(x) @ y,
        mg.linalg.matvec(x, y[0]),
        mg.linalg.trace(x),
        mg.linalg.inv(x),
        mg.linalg.det(y),
        mg.tensordot(x, y, 1),
    )


def bits(i, flag):
    j = mg.bitwise.bitwise_or(i, 6)
    return (
        mg.bitwise.bitwise_xor(j, i),
        mg.bitwise.bitwise_and(i, 3),
        mg.bitwise.left_shift(i, 1),
        flag & (i > 1),
        flag | True,
        ~flag,
        i // 2,
        -i,
    )


def reductions(x):
    some = mg.reduce_sum(x, 0), mg.reduce_max(x, 1, keepdims=True), mg.reduce_min(x), mg.reduce_prod(x, [0, 1]), mg.reduce_mean(x, -1)
    return (
        *some,
        mg.reduce_all(x > 0.0),
        mg.reduce_any(x > 2.0, 0),
        mg.reduce_sum(mg.cast(x, mg.float16)),
        mg.reduce_logsumexp(x),
        mg.argmax(x, 1),
    )


def parts(x):
    return (
        x[0],
        x[:, 1],
        x[::-1, 1:],
        x[..., None],
        x[0, 1],
        x[0:1, -1:],
        mg.gather(x, [1, 0, 1]),
        mg.gather(x, [1], axis=1),
        mg.boolean_mask(x, [True, False]),
    )


def shapes(x):
    a = mg.reshape(x, [-1])
    b = mg.reshape(x, [4, 1]) + mg.expand_dims(a, 0)
    return (
        a,
        b,
        mg.tile(x, [1, 2]),
        mg.concat([x, x], 1),
        mg.stack([x[0], x[1]], 1),
        mg.reverse(x, [0]),
        mg.pad(x, [[1, 0], [0, 2]]),
        mg.roll(x, 1, 0),
        mg.squeeze(b[:, :1]),
    )


def dtypes(x):
    i = mg.cast(x, mg.int32)
    return (
        i,
        mg.cast(i, mg.float64) * 2.0,
        mg.cast(x, mg.complex64) * 1j,
        mg.cast(x > 1.0, mg.int8),
        mg.cast(i, mg.bool),
        mg.constant(2, mg.int64) + mg.cast(i, mg.int64),
    )


def constants(x):
    zeros, ones, full, row, count = mg.zeros([3]), mg.ones([2, 3]), mg.fill([3], 2.5), mg.constant([1.5, 2.0, np.inf]), mg.range(3)
    gains = (
        x + row,
        x * full,
        x / ones,
        zeros - x,
        mg.eye(3) @ x[:, None],
        mg.cast(count, mg.float32) * x,
        x * mg.constant([True, False, True], mg.bool).value,
    )
    return (
        *gains,
        mg.where(x > 1.0, np.float32("nan"), x),
        mg.maximum(x, -np.inf),
        x + mg.constant([[0.0, 1.0, 4.0]]),
        mg.constant([1, 2, 4]),
        mg.zeros([0, 2]),
    )


def wide_constant(x):
    table = mg.constant(np.arange(12.0, dtype="f").reshape(3, 4) % 5)
    return x @ table, table, mg.sin(x @ table + table[0])


def complex_numbers(z):
    return (
        mg.math.real(z),
        mg.math.conj(z) * z,
        mg.abs(z),
        mg.math.angle(z),
        z + complex(0.0, np.inf),
        mg.math.conj(mg.math.real(z)),
        z * (1 + 2j),
    )


def texts(s):
    return mg.strings.join([s, "!"]), mg.strings.length(s), s + s, mg.strings.upper(s)


def nothing_new(x):
    same = (
        mg.reshape(x, [3]) * 1.0,
        mg.cast(x, mg.float32) / 1.0,
        mg.identity(x) ** 1.0,
        mg.broadcast_to(x, [3]),
        1.0 * mg.squeeze(x),
        x * mg.ones([3]),
    )
    return (
        same,
        mg.add_n([mg.exp(x), mg.exp(x), mg.sin(x) * mg.zeros([3])]),
        x * mg.broadcast_to(mg.constant(2.0), [3]),
        mg.exp(-0.0 * x) + mg.exp(0.0 * x),
    )


def spread(x, y):
    big = mg.broadcast_to(x, [2, 3])
    return big + mg.ones([2, 3]), big * big, mg.where(big > 0.0, big, mg.zeros([2, 3])), big * y, mg.broadcast_to(y[:, :1], [2, 3]) - x


def nests(x, pair, table):
    low, high = pair
    return {"b": [x + low, None], "a": (table["k"] * high, [low, x])}, (high,), [], x


def named(first, second=2.0, *rest, scale, **others):
    class_ = first * scale
    total = class_ + second
    for one in rest:
        total = total + one
    return total * others["b"] - others["a"], class_


def one_of_each(x):
    values, places = mg.math.top_k(x, 2)
    low, high = mg.split(x, [1, 2])
    left, right = mg.unstack(values)
    return values, places, low * high, mg.sort(x), mg.argsort(x), mg.cumsum(x), mg.math.cumulative_logsumexp(x), left - right


def slope(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.sin(x) * x
        z = mg.reduce_sum(y * y + mg.exp(-x))
    return tape.gradient(z, x)


def two_slopes(x):
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = x**3.0 / (1.0 + x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    after = second * 2.0
    return first, second, after - x


def slopes_of_parts(x, w):
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        h = mg.concat([x[:1], x[1:] * w], 0)
        picked = mg.gather(h, [0, 2, 2])
        loss = mg.reduce_max(picked) + mg.reduce_mean(mg.nn.relu(h)) + mg.reduce_prod(h)
    return tape.gradient(loss, [x, w]), tape.gradient(picked, w), tape.jacobian(picked, w)


def own_slope(x):
    @mg.custom_gradient
    def clipped(a):
        return a * 2.0, lambda dy: mg.clip_by_value(dy * a, -1.0, 1.0)

    with mg.GradientTape() as tape:
        tape.watch(x)
        y = clipped(x) * 3.0
    return y, tape.gradient(y, x)


def decisions(x):
    total = x * 0.5
    if x > 1.0:
        total = total + 10.0
    while total < 13.0:
        total += 1.0
    return total * int(x) + float(x) if bool(x) else total


def loops(x):
    y = x
    for k in range(1, 9, 2):
        y = mg.sin(y) + float(k)
    for _ in range(4):
        x = x * y
    return x, y


def in_place(x):
    a = mg.tensor_scatter_nd_update(x, [[1]], [9.0])
    b = mg.tensor_scatter_nd_add(a, [[0], [0]], [1.0, 2.0])
    return (
        mg.math.segment_sum(b, [0, 0, 1]),
        mg.math.unsorted_segment_mean(x, [1, 0, 1], 2),
        mg.nn.softmax(b),
        mg.nn.log_softmax(x),
        mg.linalg.set_diag(mg.eye(3), x),
    )


def long_lines(x):
    numerator_of_the_fraction = mg.sin(x) * mg.cos(x) + mg.tanh(x) * mg.exp(x) - mg.sqrt(mg.abs(x)) + mg.square(x) + 1.0
    denominator_of_the_fraction = numerator_of_the_fraction * numerator_of_the_fraction + 1.0
    return numerator_of_the_fraction / denominator_of_the_fraction + denominator_of_the_fraction, [
        mg.sigmoid(denominator_of_the_fraction)
    ] * 3


def twice(x_with_a_long_name_that_stands_first, y_with_a_long_name_that_stands_second, z_with_a_long_name=3.0):
    return x_with_a_long_name_that_stands_first + y_with_a_long_name_that_stands_second * z_with_a_long_name


def dense(x, w, b):
    with mg.GradientTape() as tape:
        tape.watch([x, w, b])
        y = mg.reduce_sum((x @ w + b) ** 2 + mg.gather(x, [0, 0], axis=1) ** 2)
    return tape.gradient(y, [w, b, x])


def two_layers_of_one_input(x, w):
    with mg.GradientTape() as tape:
        tape.watch(w)
        y = mg.reduce_sum((x @ w) ** 2) + mg.reduce_sum(mg.sin(x @ w[::-1]))
    return tape.gradient(y, w)


def lengths_by_value(x, i):
    found = (
        mg.where(x > 0.0),
        mg.boolean_mask(x, x > 0.0),
        mg.unique(i),
        mg.math.bincount(i),
        mg.dynamic_partition(x, i % 2, 2),
    )
    return *found, mg.linalg.qr(x[:, None] * x)[0], mg.math.segment_max(x, mg.sort(i))


def repeated(x, i):
    return mg.repeat(x, i)


def chosen(x, y):
    return (
        mg.where(True, x, y),
        mg.where(False, x, y),
        mg.where([True, False, True], x, y),
        mg.where(x > 0.0, x, x),
        mg.where(True, x, y[0]),
    )


def drawn(x):
    mg.random.normal([3])
    return x


def convolved(x, kernel):
    y = mg.nn.conv2d(x[None, :, :, None], kernel[:, :, None, None], 1, "SAME")
    return y[0, :, :, 0], mg.nn.max_pool2d(y, 2, 2, "VALID")


def looped(x):
    return (
        mg.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [mg.constant(0), x])[1],
        mg.cond(x > 1.0, lambda: x, lambda: -x),
        mg.map_fn(mg.sin, x[None]),
    )


def only_numbers():
    return 1, 2.5, [True], mg.constant([7.0]) * 2.0


def at_the_end(x):
    mg.print("x is", x)
    mg.debugging.assert_positive(x)
    return x + 1.0


def variables():
    """Functions that read and assign Variables: name -> (function, arguments)."""
    w, b, n = mg.Variable([1.0, 2.0], name="w"), mg.Variable(0.5, name="layer/bias"), mg.Variable(3, name="count")
    big, grows = mg.Variable(mg.zeros([100, 100]), name="big"), mg.Variable([1.0], shape=[None], name="grows")
    layers = [mg.Variable([[0.5, 0.25], [1.0, 2.0]], name="model/layer/kernel") for _ in range(3)]

    def step(x):
        with mg.GradientTape() as tape:
            loss = mg.reduce_sum((x * w + b) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(db)
        n.assign_add(1)
        return loss

    def assigned(x):
        w.assign([x, x * 2.0])
        b.assign(3.0)
        return w, b + x

    def growing(x):
        grows.assign(mg.concat([grows, x], 0))
        return mg.reduce_mean(grows)

    def summed(x):
        big.assign(mg.tanh(big + x) * 2.0)
        big.assign_add(mg.exp(big))

    def stacked(x):
        h = x
        for one in layers:
            h = mg.nn.relu(h @ one)
        return h

    def in_parts(x):
        w.scatter_add(mg.IndexedSlices(mg.reshape(x, [1]), mg.constant([1])))
        return mg.gather(w, [1, 0])

    def in_one_part(x):
        return w[0].assign(x)

    def exchanged(x):
        before = w * 1.0
        w.assign(before + x)
        b.assign(mg.reduce_sum(before))
        return before

    def unchanged(x):
        b.assign(x * 1.0)

    def given(v, x):
        v.assign_add(x)
        return v * 1.0

    x = mg.constant(2.0)
    ones = {one: (one, [x]) for one in (step, assigned, summed, in_parts, in_one_part, exchanged, unchanged)}
    ones |= {growing: (growing, [mg.constant([2.0])]), stacked: (stacked, [mg.ones([2, 2])]), given: (given, [mg.Variable(1.0), x])}
    return {one.__name__: pair for one, pair in ones.items()}


def tensors(*args):
    return nest.map_structure(lambda x: mg.constant(x) if isinstance(x, (float, list)) else x, list(args))


def programs():
    """name -> (function, arguments, keyword arguments)."""
    x, row, matrix, i = mg.constant(2.0), mg.constant(ROW), mg.constant(MATRIX), mg.constant([1, 2, 5])
    calls = [
        (operators, row, mg.constant([2.0, 2.0, 0.5])), (matrices, matrix, matrix), (bits, i, mg.constant([True, False, True])),
        (reductions, matrix), (parts, matrix), (shapes, matrix), (dtypes, row), (constants, row), (wide_constant, mg.ones([2, 3])),
        (complex_numbers, mg.constant([1 + 2j, -1j], mg.complex64)), (texts, mg.constant(["a", "bc"])), (nothing_new, row),
        (spread, row, mg.ones([2, 3])), (nests, x, (x, x), {"k": x}), (one_of_each, row), (slope, row), (two_slopes, row),
        (slopes_of_parts, row, mg.constant([2.0, 0.5])), (own_slope, row), (decisions, x), (loops, x), (in_place, row), (long_lines, row),
        (twice, x, row), (convolved, mg.reshape(mg.range(16.0), [4, 4]), matrix), (looped, x), (only_numbers,), (at_the_end, x), (dense, mg.ones([3, 2]), matrix, row[:2]), (drawn, row), (two_layers_of_one_input, matrix, matrix), (lengths_by_value, row, i), (repeated, row, i), (chosen, row, row * 2.0),
    ]  # fmt: skip
    found = {function.__name__: (function, args, {}) for function, *args in calls}
    found["named"] = named, [x, 4.0, x, x], {"scale": np.float32([2.0, 3.0]), "a": x, "b": 7.0}
    return found | {name: (function, args, {}) for name, (function, args) in variables().items()}


def shown(x):
    """What a name in a program stands for."""
    if isinstance(x, (np.ndarray, np.generic)):
        return f"{x.dtype} {x.tolist()}{' in an array' * isinstance(x, np.ndarray)}"
    owner = getattr(getattr(x, "__self__", None), "__name__", "")
    return f"{owner}.{x.__name__}".lstrip(".") if hasattr(x, "__name__") else getattr(x, "name", type(x).__name__)


def compiled(function, args, kwargs):
    """The text of the program that runs for these arguments, and what its names stand for; None if it runs as Python."""
    function(*args, **kwargs)
    (program,) = function._traces.latest_paths
    if program is None:
        return "runs as Python\n"
    lines = linecache.getlines(program.run.__code__.co_filename)
    names = [f"{name}: {shown(x)}" for name, x in program.run.__globals__.items() if re.fullmatch(r"c\d+", name)]
    buffers = [f"buffer {shape} {dtype} {order}" for shape, dtype, order in program.buffers.layouts]
    return "".join(f"{line.rstrip()}\n" for line in [*lines, *names, *buffers])


def written(function, args, kwargs):
    """How a function is written, and what its text needs beside its arguments."""
    try:
        found = mg.written(function, *args, **kwargs)
    except NotImplementedError as problem:
        return f"{problem}\n"
    needs = {**found.variables, **found.constants, **found.functions}
    return found.source + "".join(f"{name}: {shown(x)}\n" for name, x in needs.items())


def all_texts(name):
    """How a function is written, how it is compiled, and what is said of it."""
    function, args, kwargs = programs()[name]
    traced = mg.function(function)
    texts = written(function, args, kwargs), compiled(traced, args, kwargs), f"{traced.pretty_printed_concrete_signatures()}\n"
    return "----\n".join(re.sub(r"\d+: TensorSpec", "a Variable: TensorSpec", text) for text in texts)


NAMES = [*programs()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_written_and_compiled_as_it_is_stored(name, capsys):
    stored = dict(re.findall(r"(?ms)^==== (\w+)\n(.*?)(?=^====|\Z)", STORED.read_text("utf-8")))
    assert sorted(stored) == sorted(NAMES)
    assert all_texts(name) == stored[name]


# ---- the calls of one run ------------------------------------------------------------------------------------------


def written_over(x):
    z = np.exp(x)
    np.add(z, 1.0, out=z)
    z *= 2.0
    np.sqrt(z, z)
    z[0] = 7.0
    z[1:] -= 0.5
    np.add.at(z, [0, 0], 1.0)
    return z


def one_after_another(x):
    z = x.sum()
    z /= 2
    return z


CALLS = {  # on arrays: what is asked of x, and how many calls are recorded for it
    "operators": (lambda x: 2.0 ** x + x**2.0 - 1.0 / x, 5), "written over": (written_over, 9), "a scalar": (one_after_another, 2),
    "dot": (lambda x: x.dot(x), 1), "dot of matrices": (lambda x: x[:, None].dot(x[None]), 3), "turned": (lambda x: x[None].T, 2),
    "turned, a stack": (lambda x: x[None, None].mT, 2), "turned, a matrix": (lambda x: x[None].mT, 2), "turned, a vector": (lambda x: x.T, 0),
    "reshaped": (lambda x: x.reshape(3, 1).reshape((1, 3)), 2), "not reshaped": (lambda x: x.reshape(3), 1), "by keyword": (lambda x: x.reshape((3, 1), order="F"), 1),
    "converted": (lambda x: x.astype(np.int32).astype("int32"), 1), "conjugated": (lambda x: x.conj(), 0), "complex": (lambda x: (x * 1j).conj(), 2),
    "copied": (lambda x: x.copy(), 1), "parts": (lambda x: [y * 2.0 for y in x], 6), "several": (lambda x: np.unique(x, return_inverse=True), 3),
    "named": (lambda x: np.linalg.slogdet(x[:, None] @ x[None])[0], 6), "its length": (lambda x: len(x) + np.ndim(x) + np.size(x) + np.shape(x)[0], 0),
    "a method": (lambda x: x.sum(axis=0, keepdims=True), 1), "an attribute": (lambda x: (x * 1j).imag, 2), "a decision": (lambda x: np.array_equal(x, x), 1),
    "counted": (lambda x: np.count_nonzero(x > 0.0) + 1, 3), "numbers": (lambda x: [x.item(0), int(x[1]), float(x[2]), complex(x[0]), bool(x[1])], 6),
    "an index": (lambda x: [5, 6, 7, 8][x.astype(np.int32)[1]], 2), "any axis": (lambda x: np.add.reduce(x), 1), "outer": (lambda x: np.multiply.outer(x, x), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_what_is_recorded_of_a_call_gives_what_arrays_give(name):
    (call, count), numbers = CALLS[name], np.array(ROW)
    graph = Graph()
    x = graph.input(numbers.copy(), "x")
    found, wanted = mapped(value_of, call(x)), call(numbers)
    assert nest.map_structure(np.shape, [*found] if isinstance(found, tuple) else found) == nest.map_structure(
        np.shape, [*wanted] if isinstance(wanted, tuple) else wanted
    )
    for one, other in zip(nest.flatten(found), nest.flatten(wanted), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(graph.nodes) == 1 + count
    assert all(node.writes is None or node.value is None for node in graph.nodes)


@pytest.mark.parametrize(
    ("name", "decisions"),  # of each, the calls after the one that it is about, and its outcome
    [
        ("a decision", [(0, True)]),
        ("an index", [(1, 2)]),
        ("numbers", [(1, 1.0), (1, 2), (1, -3.0), (1, 1.0), (1, True)]),
        ("its length", []),
    ],
)
def test_a_decision_knows_its_place_and_its_outcome(name, decisions):
    graph = Graph()
    CALLS[name][0](graph.input(np.array(ROW), "x"))
    assert [(k - graph.nodes.index(node), outcome) for k, node, outcome in graph.guards] == decisions


@pytest.mark.parametrize(
    "ask", [np.asarray, lambda x: x.tolist(), lambda x: np.exp(x, out=np.zeros(3)), lambda x: x.never, lambda x: x.__never__]
)
def test_a_stand_in_has_no_numbers_and_no_names_but_those_of_arrays(ask):
    with pytest.raises((AttributeError, NotImplementedError), match=r"never|Cannot convert a symbolic"):
        ask(Graph().input(np.array(ROW), "x"))


LIKE = [  # what is a call's argument like? each is like itself alone
    0.0, -0.0, 1, 1.0, True, 1j, np.float32(0.0), np.float32(-0.0), np.float64(0.0), "a", b"a", None, ..., (1, 2), [1, 2], (1.0, 2),
    slice(1, 2), slice(1, 2.0), slice(1, 2, 1), np.zeros(2), -np.zeros(2), np.zeros(2, "f"), np.zeros((1, 2)), np.array(["a"], object), {1: 2},
    slice(True, 2), slice(1, 2, True),
]  # fmt: skip


def test_arguments_are_alike_where_calls_give_the_same():
    keys = [key(x) for x in LIKE]
    assert [[k for k, one in enumerate(keys) if one == other] for other in keys] == [[k] for k in range(len(LIKE))]
    assert [key(one) == other for one, other in zip([0.0, (1, 2), slice(1, 2), np.zeros(2)], [keys[0], keys[13], keys[16], keys[19]])] == [
        True
    ] * 4
    assert key(float("nan")) == key(float("nan"))
    one, other = {1}, {1}  # a set may change
    assert len({key(one), key(other), key(one)}) == 2


def test_calls_are_alike_where_all_their_arguments_are():
    graph, calls = Graph(), [{}, {"initial": 0.0}, {"initial": -0.0}, {"axis": 0}, {"axis": 0, "initial": 0.0}, {"axis": [0]}]
    x = graph.input(np.array(ROW), "x").node
    keys = [key_of(Node(np.sum, (x,), kwargs, 0.0)) for kwargs in calls]
    assert len({*keys}) == len(calls)
    assert keys[4] == key_of(Node(np.sum, (x,), {"initial": 0.0, "axis": 0}, 0.0)) != key_of(Node(np.max, (x,), calls[4], 0.0))


# ---- calls, again and again ----------------------------------------------------------------------------------------


def test_a_function_that_takes_too_many_ways_runs_as_python_from_then_on():
    seen = []

    @mg.function
    def scaled(x):
        seen.append(x)
        return x * int(x)

    found = [float(scaled(mg.constant(float(k)))) for k in range(10)]
    assert found == [k * k for k in range(10)] and scaled.experimental_get_tracing_count() == 8
    assert float(scaled(mg.constant(3.0))) == 9.0 and len(seen) == 10, "the ways that were traced still hold"


def test_numbers_that_numpy_refuses_are_refused_as_in_python():
    v = mg.Variable(0.0)

    @mg.function
    def inverse(x):
        v.assign_add(1.0)
        return mg.linalg.inv(x) + v

    inverse(mg.eye(2))
    with pytest.raises(mg.errors.InvalidArgumentError, match="not invertible"):
        inverse(mg.zeros([2, 2]))
    assert float(inverse(mg.eye(2))[0, 0]) == 1.0 + float(v)


@pytest.mark.parametrize("first", [True, False])
def test_a_variable_is_made_in_the_first_call_alone(first):
    kept = []

    @mg.function
    def scaled(x):
        v = mg.Variable(2.0)
        kept.append(v)
        return (kept[0] if first else v) * x

    with pytest.raises(ValueError, match="only supports singleton"):
        scaled(mg.constant(1.0))


def test_the_reduced_rows_are_bitwise_those_of_python():
    x = mg.constant(np.random.default_rng(0).normal(size=(1000, 3)).astype("f"))

    def slope(x):
        b = mg.zeros([3])
        with mg.GradientTape() as tape:
            tape.watch(b)
            y = mg.reduce_sum(mg.sin(x + b))
        return tape.gradient(y, b)

    np.testing.assert_array_equal(mg.function(slope)(x), slope(x))


def test_a_function_that_is_traced_again_and_again_warns(capsys, caplog):
    doubled = mg.function(lambda x: x * 2.0)
    for k in range(6):
        doubled(k)
    said = capsys.readouterr().err + caplog.text
    assert (
        said.count("triggered tf.function retracing") == 2
        and "5 out of the last 5 calls to <function" in said
        and "6 out of the last 6" in said
    )


@pytest.mark.parametrize(
    ("calls", "told"),  # by TensorFlow
    [
        ([*range(8)], [(5, 5), (6, 6)]),
        ([0, 0, 0, 1, 2, 3, 4], [(5, 7)]),
        ([0] * 12 + [1, 2, 3, 4], [(5, 16)]),
        ([0] + [1] * 12 + [*range(2, 8)], [(5, 16), (6, 17)]),
        ([0, 1, 2, 3] + [3] * 8 + [4], []),
        ([0, 1, 2, 3] + [3] * 7 + [4], []),
        ([0, 1, 2, 3] + [3] * 6 + [4], [(5, 11)]),
        ([0, 1, 2, 3] + [3] * 5 + [4, 5, 6, 7], [(5, 10), (6, 11)]),
    ],
)
def test_two_warnings_at_most_tell_of_the_traces_that_are_not_long_ago(calls, told, caplog):
    traced = mg.function(lambda x: x * 2.0)
    for k in calls:
        traced(k)
    found = re.findall(r"(\d+) out of the last (\d+) calls", caplog.text)
    assert [(int(traces), int(count)) for traces, count in found] == told


def test_a_call_like_the_one_before_is_not_looked_at_again(monkeypatch):
    summed = mg.function(lambda x, y: x + y)
    x, y = mg.constant(ROW), mg.constant(2.0)
    summed(x, y)
    for owner, name in (type(summed), "_converted"), (type(summed._traces), "known"):
        monkeypatch.delattr(owner, name)
    assert summed(x * 2.0, y).numpy().tolist() == [4.0, 6.0, -4.0]
    for other in (x,), (x, y, y), (y, y), (x, 2.0):
        with pytest.raises(AttributeError):
            summed(*other)


def test_a_thread_waits_for_a_program_that_runs(monkeypatch):
    monkeypatch.setitem(mg.graph.Function.__init__.__globals__, "PATIENCE", 0.01)
    seen, held, x = [], threading.Event(), mg.constant(2.0)
    doubled = mg.function(lambda x: seen.append(x) or x * 2.0)

    def hold():
        with doubled._traces.lock:
            held.set()
            time.sleep(0.1)

    for _ in range(2):
        thread = threading.Thread(target=hold, daemon=True)
        thread.start()
        held.wait(20)
        assert float(doubled(x)) == 4.0 and len(seen) == 1
        thread.join(20)
        held.clear()


def test_a_concrete_function_that_runs_as_python_or_is_open_knows_no_results():
    spec = "TensorSpec(shape=(3,), dtype=mg.float32, name=None)"
    by_chance = mg.function(drawn).get_concrete_function(mg.TensorSpec([3]))
    assert by_chance.structured_outputs is None and repr(by_chance) == f"<ConcreteFunction (x: {spec})>"
    assert "Output" not in str(by_chance) and by_chance(mg.constant(ROW)).numpy().tolist() == ROW
    square = mg.function(lambda x: x * x)
    opened = square.get_concrete_function(mg.TensorSpec([None]))
    assert repr(opened) == f"<ConcreteFunction (x: {spec.replace('3,', 'None,')})>" and square.experimental_get_tracing_count() == 0
    assert repr(square.get_concrete_function(mg.TensorSpec([3]))) == f"<ConcreteFunction (x: {spec}) -> {spec}>"
    assert square.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("ask", ["a call", "a concrete function"])
def test_a_thread_that_is_waited_for_does_not_wait_for_the_trace(ask, monkeypatch):
    monkeypatch.setitem(mg.graph.Function.__init__.__globals__, "PATIENCE", 0.05)
    found, x = [], mg.constant(2.0)

    @mg.function
    def outer(x, waits):
        if waits:
            call = (
                (lambda: outer(mg.constant(5.0), False))
                if ask == "a call"
                else lambda: outer.get_concrete_function(mg.TensorSpec([]), False)
            )
            thread = threading.Thread(target=lambda: found.append(call()), daemon=True)
            thread.start()
            thread.join(20)
        return x * 3.0

    assert float(outer(x, True)) == 6.0 and len(found) == 1
    assert float(found[0]) == 15.0 if ask == "a call" else found[0].structured_outputs is None


def test_a_written_function_is_shown_as_code():
    function = mg.written(lambda x: x + 1.0, mg.constant(1.0))
    assert function._repr_markdown_() == f"```python\n{function.source}```" and repr(function) == str(function) == function.source


if __name__ == "__main__":
    STORED.write_text("".join(f"==== {name}\n" + all_texts(name) for name in NAMES), "utf-8")
