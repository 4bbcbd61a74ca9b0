"""Numbers at the edges of what floats can hold: where TensorFlow does not overflow or cancel, neither does minigrad."""

import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg

nan, inf = np.nan, np.inf
ROUNDING = {"float16": (4e-3, 1e-3), "float32": (3e-5, 1e-7), "float64": (1e-7, 1e-12)}

RECORDED = json.loads(Path(__file__).with_name("numerics.json").read_text("utf-8"))  # function, dtype, x, TensorFlow's value and gradient


def close(found, expected, dtype):
    rtol, atol = ROUNDING[dtype]
    expected = np.asarray(expected, np.float64)
    size = np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)
    floor = 0.0 if expected.ndim == 0 or dtype == "float64" else atol * size
    np.testing.assert_allclose(np.asarray(found, np.float64), expected, rtol, max(floor, 2e-38))


def value_and_gradient(text, dtype, x, tf):
    x = tf.constant(x, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = eval(text, {"mg": tf, "x": x})
    return y, tape.gradient(y, x)


@pytest.mark.parametrize(("text", "dtype", "x", "value", "gradient"), RECORDED, ids=lambda one: str(one)[:40])
def test_it_is_as_exact_as_tensorflow(text, dtype, x, value, gradient):
    y, dx = value_and_gradient(text, dtype, x, mg)
    assert y.dtype == dx.dtype == dtype
    close(y, value, dtype)
    close(dx, gradient, dtype)


@pytest.mark.skipif(not importlib.util.find_spec("tensorflow"), reason="TensorFlow is not installed")
def test_tensorflow_is_as_exact_as_it_was():
    import tensorflow

    for text, dtype, x, value, gradient in RECORDED:
        y, dx = value_and_gradient(text, dtype, x, tensorflow)
        close(y, value, dtype)
        close(dx, gradient, dtype)


# ---- arrays of every make ------------------------------------------------------------------------------------------


def strided(a):
    return np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3]


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


MAKES = {
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "column by column": np.asfortranarray,
    "strided": strided,
    "read-only": read_only,
    "byte-swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "misaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    "of a subclass": lambda a: a.view(np.matrix),
    "memory-mapped": lambda a: a.view(np.memmap),
}
FUNCTIONS = {
    "arithmetic": lambda x: mg.reduce_sum(x * x - 2.0 * x / (x + 3.0)),
    "matrices": lambda x: mg.reduce_sum(mg.matmul(x, x, transpose_b=True) ** 2),
    "reductions": lambda x: mg.reduce_sum(mg.reduce_max(x, 0)) + mg.reduce_logsumexp(x) + mg.reduce_prod(x),
    "softmax": lambda x: mg.reduce_sum(mg.nn.softmax(x) * x),
    "shapes": lambda x: mg.reduce_sum(mg.concat([mg.transpose(x)[:2, :1], mg.reshape(x, [-1, 1])[::2]], 0) ** 2),
    "sorting": lambda x: mg.reduce_sum(mg.sort(x) * [1.0, 2.0, 3.0]),
    "rows": lambda x: mg.reduce_sum(mg.gather(x, [1, 0, 1]) ** 2),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_how_an_array_lies_in_memory_does_not_matter(make, function):
    plain = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])
    array = MAKES[make](plain)
    plain = np.array(array, np.float64)
    before = plain.tobytes()
    results = []
    for given in (plain, array, mg.Tensor.of(np.asarray(array)) if array.dtype.isnative else array):
        x = mg.convert_to_tensor(given)
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = FUNCTIONS[function](x)
        results.append([np.asarray(y), np.asarray(mg.convert_to_tensor(tape.gradient(y, x)))])
    for y, dx in results[1:]:
        np.testing.assert_allclose(y, results[0][0], rtol=1e-14)
        np.testing.assert_allclose(dx, results[0][1], rtol=1e-14, atol=1e-14)
    assert np.array(array, np.float64).tobytes() == before  # nothing writes into what it was given


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "i4", "i8", "u4", "c8", "c16"])
def test_byte_swapped_arrays_are_taken_in_the_machines_order(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    for x in (mg.constant(array.astype(array.dtype.newbyteorder())), mg.Variable(array.astype(array.dtype.newbyteorder()))):
        assert x.numpy().dtype == array.dtype and x.numpy().dtype.isnative
        assert np.array_equal(x.numpy(), array)


@pytest.mark.parametrize("make", [mg.constant, mg.convert_to_tensor, mg.Variable, mg.identity, lambda a: mg.Variable([0.0, 0.0]).assign(a)])
def test_an_array_that_the_caller_changes_afterwards_changes_nothing_here(make):
    array = np.array([1.0, 2.0], np.float32)
    x = make(array)
    array[:] = 99.0
    assert np.asarray(x).tolist() == [1.0, 2.0]


def test_an_array_that_met_a_tensor_may_be_changed_before_the_gradient_is_asked():
    array, x = np.array([3.0, 4.0], np.float32), mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x * array + array[np.newaxis] @ mg.reshape(x, [2, 1]))
    array[:] = 99.0
    assert tape.gradient(y, x).numpy().tolist() == [9.0, 12.0]  # 3 + 2 * 3: the product of matrices counts twice


def test_what_numpy_gets_is_its_own():
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = x * x
    for array in (x.numpy(), y.numpy(), np.array(y), np.array(x), tape.gradient(y, x).numpy()):
        array[:] = 99.0
    assert x.numpy().tolist() == [1.0, 2.0] and y.numpy().tolist() == [1.0, 4.0]
    for view in (np.asarray(y), np.asarray(mg.constant([1.0]))):
        with pytest.raises(ValueError, match="read-only"):
            view[:] = 99.0


def test_a_gradient_shares_no_memory_that_can_be_written():
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape(persistent=True) as tape:
        y = x + 0.0
    seed = np.array([1.0, 1.0], np.float32)
    dx = tape.gradient(y, x, output_gradients=seed)
    seed[:] = 99.0
    assert dx.numpy().tolist() == [1.0, 1.0]
    x.assign(dx)
    x.assign_add([1.0, 1.0])
    assert dx.numpy().tolist() == [1.0, 1.0]


# ---- empty arrays and numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * x, lambda x: mg.sin(x) + 1.0, mg.reduce_sum, mg.reduce_mean, mg.reduce_prod, mg.nn.relu, mg.square,
        lambda x: mg.reduce_sum(x, 0), lambda x: mg.reduce_sum(x, -1, keepdims=True), mg.transpose,
        lambda x: mg.reshape(x, [-1, 5]) if x.shape.num_elements() else x, lambda x: mg.concat([x, x], 0), lambda x: x[:0],
        lambda x: mg.cumsum(x, -1), lambda x: mg.stack([x, x]), mg.nn.softmax, lambda x: mg.broadcast_to(x, [2, *x.shape]),
        lambda x: mg.cast(x, mg.float64), lambda x: mg.where(x > 0.0, x, -x), lambda x: mg.pad(x, [[1, 1]] * x.shape.rank),
    ],
)  # fmt: skip
def test_empty_arrays_have_empty_gradients(shape, f):
    x = mg.constant(np.zeros(shape, np.float32))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    dx = tape.gradient(y, x)
    assert dx.shape == shape and dx.dtype == mg.float32


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_numbers_stay_numbers_of_their_dtype(dtype):
    x = mg.constant(2.0, dtype)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x + x / 2.0 - 1.0
        dy = tape.gradient(y, x)
    for one in (y, dy, tape.gradient(dy, x), tape.jacobian(y, x)):
        assert one.dtype == dtype and one.shape == ()
    assert [complex(one).real for one in (y, dy, tape.gradient(dy, x))] == [8.0, 12.5, 12.0]


# ---- inf, nan and denormals ----------------------------------------------------------------------------------------


def slope(f, x):
    x = mg.constant(x)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy().tolist()


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: 1.0 / x, [0.0, inf, -inf], [-inf, 0.0, 0.0]),
        (mg.sqrt, [0.0, -1.0, inf], [inf, nan, 0.0]),
        (mg.math.log, [0.0, inf], [inf, 0.0]),
        (lambda x: x * 0.0, [inf, nan], [0.0, 0.0]),
        (mg.nn.relu, [nan, inf, -inf, -0.0], [0.0, 1.0, 0.0, 0.0]),
        (lambda x: mg.where(x > 0.0, mg.math.log(x), 0.0), [0.0, 1.0], [nan, 1.0]),
        (mg.reduce_max, [nan, 1.0], [nan, nan]),
        (lambda x: mg.clip_by_value(x, -1.0, 1.0), [inf, nan, 1.0, -1.0], [0.0, 0.0, 1.0, 1.0]),
        (lambda x: x**2, [inf, nan], [inf, nan]),
        (mg.exp, [1e4, -1e4], [inf, 0.0]),
    ],
)
def test_what_is_not_finite_passes_as_in_tensorflow(f, x, expected):
    np.testing.assert_array_equal(slope(f, x), expected)


def test_nothing_is_printed_or_warned_of_however_strict_numpy_is():
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        x = mg.constant([0.0, -1.0, inf, nan, 1e-42, 3e38])
        with mg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            ys = [f(x) for f in (mg.sqrt, mg.math.log, mg.exp, mg.square, mg.tanh, mg.nn.softmax, lambda x: 1.0 / x, mg.acos)]
        assert all(y.shape == (6,) for y in ys)
        assert all(mg.nn.softplus(mg.constant(v)).dtype == mg.float32 for v in (-1e4, 1e4))


def test_denormal_numbers_are_numbers():
    tiny = np.float64(5e-324)
    assert slope(lambda x: x * 2.0, [tiny]) == [2.0]
    assert (mg.constant(tiny) * 2.0).numpy() == 1e-323
