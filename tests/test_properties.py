"""Laws that hold for every function and every value: hypothesis looks for one where they do not."""

import collections

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import minigrad as mg

settings.register_profile(
    "steady", deadline=None, derandomize=True, max_examples=40, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

SMOOTH = [
    mg.sin, mg.cos, mg.tanh, mg.sigmoid, mg.square, mg.nn.softplus, mg.nn.gelu, mg.math.erf, mg.math.asinh, mg.exp, mg.identity,
    mg.negative, lambda x: x * x * x, lambda x: 2.0 / (x * x + 1.0), lambda x: mg.math.log1p(x * x), lambda x: mg.sqrt(x * x + 1.0),
]  # fmt: skip
MIXING = [
    mg.nn.softmax, mg.cumsum, lambda x: mg.reverse(x, [0]), lambda x: mg.reduce_sum(x) * x, lambda x: mg.gather(x, [0, 0]),
    lambda x: mg.reshape(x, [-1]), lambda x: mg.concat([x, x * x], 0), lambda x: mg.pad(x, [[1, 0]]), lambda x: x[::-1],
    lambda x: mg.reduce_mean(x, keepdims=True), lambda x: mg.stack([x, mg.sin(x)]), lambda x: mg.tensordot(x, x, 1),
]  # fmt: skip
BINARY = [
    mg.add, mg.subtract, mg.multiply, mg.divide, mg.maximum, mg.minimum, mg.pow, mg.atan2, mg.math.squared_difference,
    mg.math.divide_no_nan, mg.math.multiply_no_nan, mg.math.floormod, mg.math.xlogy, mg.math.xdivy, mg.math.xlog1py,
]  # fmt: skip

numbers = st.floats(-2.0, 2.0, width=16).map(lambda x: round(x, 3))
vectors = hnp.arrays(np.float64, st.integers(1, 4), elements=numbers)
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
functions = st.lists(st.sampled_from(SMOOTH + MIXING), min_size=1, max_size=4)


def chain(functions):
    """One function after the other; what has lost its axis gets one, so that each can follow each."""

    def whole(x):
        for f in functions:
            x = f(x if x.shape.rank == 1 else mg.reshape(x, [-1]))
        return x

    return whole


def summed(f):
    return lambda x: mg.reduce_sum(f(x))


def slope(f, *xs, seed=None, **options):
    """The gradient of a function at a point."""
    xs = [mg.constant(x) for x in xs]
    with mg.GradientTape(**options) as tape:
        tape.watch(xs)
        y = f(*xs)
    found = tape.gradient(y, xs, output_gradients=seed)
    return [None if dx is None else mg.convert_to_tensor(dx).numpy() for dx in found]


def agree(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


# ---- calculus ------------------------------------------------------------------------------------------------------


@given(functions, vectors, numbers, numbers)
def test_the_gradient_is_linear_in_what_arrives(functions, x, a, b):
    f = chain(functions)
    shape = tuple(f(mg.constant(x)).shape)
    assume(np.all(np.isfinite(f(mg.constant(x)).numpy())))
    one, other = np.cos(np.arange(np.prod(shape, dtype=int))).reshape(shape), np.linspace(-1, 1, int(np.prod(shape))).reshape(shape)
    both = slope(f, x, seed=a * one + b * other)[0]
    agree(both, a * slope(f, x, seed=one)[0] + b * slope(f, x, seed=other)[0])


@given(functions, functions, vectors, numbers)
def test_the_gradient_of_a_sum_is_the_sum_of_the_gradients(fs, gs, x, a):
    f, g = summed(chain(fs)), summed(chain(gs))
    agree(slope(lambda x: a * f(x) + g(x), x)[0], a * slope(f, x)[0] + slope(g, x)[0])


@given(functions, functions, vectors)
def test_the_chain_rule(fs, gs, x):
    f, g = chain(fs), chain(gs)
    inside = f(mg.constant(x)).numpy()
    outer = slope(g, inside)[0]
    agree(slope(lambda x: g(f(x)), x)[0], slope(f, x, seed=outer)[0])


@given(functions, functions, vectors)
def test_the_product_rule(fs, gs, x):
    f, g = summed(chain(fs)), summed(chain(gs))
    fx, gx = f(mg.constant(x)).numpy(), g(mg.constant(x)).numpy()
    agree(slope(lambda x: f(x) * g(x), x)[0], slope(f, x)[0] * gx + fx * slope(g, x)[0])


@given(functions, vectors)
def test_the_tape_agrees_with_finite_differences_of_any_chain(functions, x):
    f = chain(functions)
    assume(np.max(np.abs(f(mg.constant(x)).numpy())) < 1e3)
    mg.test.check_gradients(f, x, order=1, rtol=1e-3, atol=1e-4)


# ---- what comes back -----------------------------------------------------------------------------------------------

Pair = collections.namedtuple("Pair", "left right")
nests = st.recursive(
    st.just("leaf"),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=2).map(collections.OrderedDict),
        st.tuples(inner, inner).map(lambda both: Pair(*both)),
    ),
    max_leaves=6,
)


def form_of(value):
    """The nest without its leaves."""
    if isinstance(value, dict):
        return type(value).__name__, [(key, form_of(one)) for key, one in value.items()]
    return (type(value).__name__, [form_of(one) for one in value]) if isinstance(value, (list, tuple)) else "leaf"


@given(nests)
def test_gradients_come_in_the_form_of_the_sources(nest):
    sources = mg.nest.map_structure(lambda _: mg.Variable(2.0), nest)
    with mg.GradientTape() as tape:
        y = mg.add_n([v * v for v in mg.nest.flatten(sources)] or [mg.constant(0.0)])
    gradients = tape.gradient(y, sources)
    assert form_of(gradients) == form_of(sources)
    assert all(float(dx) == 4.0 for dx in mg.nest.flatten(gradients))


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3, min_side=0), st.sampled_from(BINARY))
def test_a_gradient_has_the_shape_of_its_source_however_it_was_broadcast(both, op):
    x, y = (np.linspace(0.5, 1.7, int(np.prod(shape))).reshape(shape) for shape in both.input_shapes)
    dx, dy = slope(op, x, y + 0.13)
    assert dx.shape == x.shape and dy.shape == y.shape and dx.dtype == dy.dtype == np.float64
    whole = np.broadcast_to(x, both.result_shape), np.broadcast_to(y + 0.13, both.result_shape)
    for found, shape, full in zip((dx, dy), both.input_shapes, slope(op, *whole)):
        lead = full.ndim - len(shape)
        axes = tuple(i for i in range(full.ndim) if i < lead or shape[i - lead] == 1 != full.shape[i])
        agree(found, full.sum(axes).reshape(shape))


@given(functions, vectors, vectors)
def test_a_persistent_tape_answers_as_one_shot_tapes_do(functions, x, y):
    f = chain(functions)
    xs = mg.constant(x), mg.constant(y)

    def record(**options):
        with mg.GradientTape(**options) as tape:
            tape.watch(xs)
            z = [f(xs[0]) * 2.0, mg.reduce_sum(f(xs[1]))]
        return tape, z

    lasting, targets = record(persistent=True)
    for k in (0, 1, 0, 1):
        once, fresh = record()
        for a, b in zip(lasting.gradient(targets[k], xs), once.gradient(fresh[k], xs)):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_array_equal(mg.convert_to_tensor(a), mg.convert_to_tensor(b))


@given(st.permutations(range(4)), functions, vectors)
def test_the_order_of_the_sources_does_not_matter(order, functions, x):
    f = chain(functions)
    xs = [mg.constant(x * (k + 1) / 4) for k in range(4)]
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(xs)
        y = mg.add_n([mg.reduce_sum(f(x) * (k + 1.0)) for k, x in enumerate(xs)])
    straight = tape.gradient(y, xs)
    for k, dx in zip(order, tape.gradient(y, [xs[k] for k in order])):
        np.testing.assert_array_equal(mg.convert_to_tensor(dx), mg.convert_to_tensor(straight[k]))


@given(functions, vectors)
def test_sources_that_are_asked_for_alone_get_what_they_get_together(functions, x):
    f, x = chain(functions), mg.constant(x)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        middle = mg.sin(x)
        y = mg.reduce_sum(f(middle) * 3.0) + mg.reduce_sum(x * x)
    together = tape.gradient(y, [x, middle, y])
    for source, dx in zip([x, middle, y], together):
        agree(mg.convert_to_tensor(tape.gradient(y, source)), mg.convert_to_tensor(dx))


# ---- jacobians and hessians ----------------------------------------------------------------------------------------


@given(functions, vectors)
def test_the_rows_of_a_jacobian_are_gradients(functions, x):
    f, x = chain(functions), mg.constant(x)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = mg.reshape(f(x), [-1])
        elements = mg.unstack(y)
    jacobian = tape.jacobian(y, x).numpy()
    assert jacobian.shape == (len(elements), *x.shape)
    for row, element in zip(jacobian, elements):
        agree(row, mg.convert_to_tensor(tape.gradient(element, x)))
    agree(jacobian.sum(0), mg.convert_to_tensor(tape.gradient(y, x)))


@given(functions, vectors)
def test_a_hessian_is_symmetric(functions, x):
    f, x = chain(functions), mg.constant(x)
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = mg.reduce_sum(f(x))
        dx = mg.convert_to_tensor(inner.gradient(y, x))
    hessian = outer.jacobian(dx, x, unconnected_gradients="zero").numpy()
    assume(np.max(np.abs(hessian)) < 1e8)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-8, atol=1e-8)


@given(st.integers(1, 3), functions)
def test_a_batch_jacobian_is_the_jacobian_of_each_example(batch, functions):
    f = chain(functions)
    x = mg.constant(np.linspace(-1, 1, batch * 3).reshape(batch, 3))
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = mg.stack([mg.reshape(f(x[i]), [-1]) for i in range(batch)])
    whole = tape.jacobian(y, x).numpy()
    each = tape.batch_jacobian(y, x).numpy()
    agree(each, np.stack([whole[i, :, i] for i in range(batch)]))


# ---- the trace, and NumPy ------------------------------------------------------------------------------------------


@given(functions, vectors)
def test_a_trace_changes_nothing(functions, x):
    f = chain(functions)
    plain = slope(lambda x: mg.reduce_sum(f(x)), x)
    with mg.trace():
        traced = slope(lambda x: mg.reduce_sum(f(x)), x)
    np.testing.assert_array_equal(plain[0], traced[0])


KINDS = [np.float16, np.float32, np.float64, np.int8, np.int32, np.int64, np.uint8, np.uint64, np.bool_, np.complex64, np.complex128]


@given(st.sampled_from(KINDS).flatmap(lambda dtype: hnp.arrays(dtype, shapes)))
def test_an_array_comes_back_from_a_tensor_bit_by_bit(array):
    for made in (mg.constant(array), mg.convert_to_tensor(array), mg.Variable(array)):
        back = made.numpy()
        assert back.dtype == array.dtype and np.shape(back) == array.shape == tuple(made.shape)
        assert np.asarray(back).tobytes() == array.tobytes()
        assert np.asarray(made).tobytes() == array.tobytes()


@given(st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=1, max_size=3))
def test_lists_come_back_from_a_tensor(rows):
    assert mg.constant(rows, mg.float64).numpy().tolist() == rows


@given(st.lists(st.binary(max_size=5), max_size=3))
def test_strings_come_back_from_a_tensor(words):
    assert mg.constant(words, mg.string).numpy().tolist() == words


@pytest.mark.parametrize("kind", ["f4", "f8", "i4"])
@given(shape=hnp.array_shapes(min_dims=1, max_dims=3, max_side=4), data=st.data())
def test_indexing_is_numpys(kind, shape, data):
    array = np.arange(np.prod(shape), dtype=kind).reshape(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    np.testing.assert_array_equal(mg.constant(array)[key], array[key])
