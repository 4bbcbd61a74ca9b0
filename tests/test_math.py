"""tf.math: values, gradients and errors as TensorFlow 2.21 gives them. Every number in the tables comes from there."""

import numpy as np
import pytest

import minigrad as mg

INF, NAN = float("inf"), float("nan")


def slopes(f, *xs):
    """The gradients of f at these points."""
    xs = [mg.constant(x) for x in xs]
    with mg.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return [None if dx is None else mg.convert_to_tensor(dx).numpy() for dx in tape.gradient(y, xs)]


def close(found, wanted, rtol=2e-6):
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-30)


# ---- slopes at edges -----------------------------------------------------------------------------------------------

EDGES = [
    ("x ** 0 is nan at 0", lambda x: x**0.0, [0.0, 1.0], [NAN, 0.0]),
    ("x ** 1", lambda x: x**1.0, [0.0, 1.0], [1.0, 1.0]),
    ("x ** 0.5", lambda x: x**0.5, [0.0, 4.0], [INF, 0.25]),
    ("x ** -1", lambda x: x**-1.0, [0.0, 2.0], [-INF, -0.25]),
    ("a gradient of 0 at 1 / 0", lambda x: mg.math.reciprocal(x) * 0.0, [0.0, 2.0], [0.0, 0.0]),
    ("a gradient of 0 at 1 / sqrt(0)", lambda x: mg.math.rsqrt(x) * x, [0.0, 4.0], [INF, 0.25]),
    ("digamma beside its pole", mg.math.digamma, [-1e-15, 1.0], [1e30, 1.6449340581893921]),
    ("x ** 3", lambda x: x**3, [0.0, -2.0], [0.0, 12.0]),
    ("sqrt", mg.sqrt, [0.0, -1.0, 4.0], [INF, NAN, 0.25]),
    ("sqrt where nothing arrives", lambda x: mg.where(x > 0.0, mg.sqrt(x), 0.0), [0.0, -1.0, 4.0], [0.0, 0.0, 0.25]),
    ("log where nothing arrives", lambda x: mg.where(x > 0.0, mg.math.log(x), 0.0), [0.0, 2.0], [NAN, 0.5]),
    ("abs", mg.abs, [0.0, -2.0], [0.0, -1.0]),
    ("sign", mg.sign, [0.0, -2.0], [0.0, 0.0]),
    ("rsqrt", mg.math.rsqrt, [0.0, 4.0], [-INF, -0.0625]),
    ("reciprocal", mg.math.reciprocal, [0.0, 2.0], [-INF, -0.25]),
    ("reciprocal_no_nan", mg.math.reciprocal_no_nan, [0.0, 2.0], [0.0, -0.25]),
    ("asin", mg.asin, [1.0, 0.0], [INF, 1.0]),
    ("sigmoid far out", mg.sigmoid, [-20.0, 100.0], [2.0611537e-09, 0.0]),
    ("softplus far out", mg.math.softplus, [-20.0, 0.0, 100.0], [2.0611537e-09, 0.5, 1.0]),
    ("maximum, tied, gives to the first", lambda x: mg.maximum(x, 0.0), [0.0, NAN, 1.0], [1.0, 0.0, 1.0]),
    ("maximum hides an infinite slope", lambda x: mg.math.log(mg.maximum(x, 0.0)), [-1.0, 2.0], [0.0, 0.5]),
    ("clip_by_value at its bounds", lambda x: mg.clip_by_value(x, -1.0, 1.0), [-2.0, -1.0, 0.0, 1.0, 2.0], [0, 1, 1, 1, 0]),
    ("reduce_max, tied, shares", mg.reduce_max, [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    ("reduce_prod with a zero", mg.reduce_prod, [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
    ("reduce_prod with two", mg.reduce_prod, [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    ("reduce_std of equals", mg.math.reduce_std, [1.0, 1.0], [NAN, NAN]),
    ("norm of zeros", mg.math.reduce_euclidean_norm, [0.0, 0.0], [NAN, NAN]),
    ("l2_normalize of zeros", mg.math.l2_normalize, [0.0, 0.0], [1e6, 1e6]),
    ("clip_by_norm of zeros", lambda x: mg.clip_by_norm(x, 1.0), [0.0, 0.0], [1.0, 1.0]),
    ("logsumexp of large numbers", mg.reduce_logsumexp, [1000.0, 1001.0], [0.26894143, 0.7310586]),
]


def test_zeta_at_its_poles_is_infinite_for_even_orders_alone():
    np.testing.assert_array_equal(mg.math.zeta([2.0, 3.0, 2.5, 4.0], [0.0, 0.0, -1.0, -1.0]).numpy(), [INF, NAN, NAN, INF])


@pytest.mark.parametrize("f", [mg.math.log, mg.math.log1p, mg.asin, mg.acos, mg.atanh], ids=lambda f: f.__name__)
def test_a_second_derivative_is_0_where_nothing_arrived(f):
    x = mg.constant(1.0 if f in (mg.asin, mg.acos, mg.atanh) else -1.0 if f is mg.math.log1p else 0.0)
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = f(x) * 0.0
        slope = inner.gradient(y, x)
    assert outer.gradient(slope, x).numpy() == 0.0


@pytest.mark.parametrize(("f", "x", "wanted"), [edge[1:] for edge in EDGES], ids=[edge[0] for edge in EDGES])
def test_slopes_at_edges(f, x, wanted):
    (dx,) = slopes(f, x)
    close(dx, wanted)
    assert dx.dtype == np.float32


PAIRS = [
    ("power: no nan from the logarithm", mg.pow, [0.0, -2.0, -2.0], [2.0, 2.0, 3.0], [0.0, -4.0, 12.0], [0.0, 0.0, 0.0]),
    ("maximum", mg.maximum, [1.0, 2.0], [1.0, 3.0], [1.0, 0.0], [0.0, 1.0]),
    ("minimum", mg.minimum, [1.0, 2.0], [1.0, 3.0], [1.0, 1.0], [0.0, 0.0]),
    ("divide_no_nan", mg.math.divide_no_nan, [1.0, 2.0], [0.0, 4.0], [0.0, 0.25], [0.0, -0.125]),
    ("multiply_no_nan", mg.math.multiply_no_nan, [INF, 2.0], [0.0, 3.0], [0.0, 3.0], [INF, 2.0]),
    ("xlogy", mg.math.xlogy, [0.0, 1.0], [0.0, 2.0], [0.0, 0.6931472], [0.0, 0.5]),
    ("floormod", lambda x, y: x % y, [7.0, -7.0], [3.0, 3.0], [1.0, 1.0], [-2.0, 3.0]),
    ("atan2 at the origin", mg.atan2, [0.0, 1.0], [0.0, 0.0], [NAN, 0.0], [NAN, -1.0]),
]


@pytest.mark.parametrize(("f", "x", "y", "dx", "dy"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_slopes_of_two_inputs_at_edges(f, x, y, dx, dy):
    found = slopes(f, x, y)
    close(found[0], dx)
    close(found[1], dy)


def test_rounding_and_comparing_have_no_gradient():
    for f in (mg.floor, mg.math.ceil, mg.round, mg.math.rint, mg.argmax, mg.math.count_nonzero, mg.math.is_nan, lambda x: x // 2.0):
        assert slopes(f, [1.5, 2.5]) == [None]


def test_cumprod_is_right_at_zeros_to_second_order():
    close(slopes(mg.math.cumprod, [2.0, 0.0, 3.0])[0], [1.0, 8.0, 0.0])  # TensorFlow: [1, 0, 0]
    for exclusive in (False, True):
        for reverse in (False, True):
            mg.test.check_gradients(lambda x, e=exclusive, r=reverse: mg.math.cumprod(x, 1, e, r), [[2.0, 0.0, 3.0], [0.0, 0.0, 1.5]])


def test_reduce_prod_is_right_at_zeros_to_second_order():
    for axis in (None, 0, 1, -1, (0, 1), ()):
        mg.test.check_gradients(lambda x, a=axis: mg.reduce_prod(x, a), [[2.0, 0.0, 3.0], [0.0, 0.0, 1.5]])


# ---- complex numbers -----------------------------------------------------------------------------------------------

COMPLEX = [
    ("multiply", mg.multiply, 0.5 + 1j, 1 - 2j),
    ("divide", mg.divide, 0.4 - 0.8j, 1.76 - 0.32j),
    ("pow", mg.pow, -1.7645286 + 1.4157069j, 4.7716084 - 3.9473274j),
    ("square", lambda x, y: mg.square(x), 2 - 4j, None),
    ("exp", lambda x, y: mg.exp(x), -1.1312044 - 2.4717267j, None),
    ("tanh", lambda x, y: mg.tanh(x), -0.30200148 - 0.568103j, None),
    ("sqrt", lambda x, y: mg.sqrt(x), 0.28443223 + 0.17578879j, None),
    ("abs", lambda x, y: mg.abs(x), 0.4472136 + 0.8944272j, None),
    ("sign", lambda x, y: mg.sign(x), 0.35777086 - 0.17888543j, None),
    ("imag", lambda x, y: mg.math.imag(x), 1j, None),
    ("angle", lambda x, y: mg.math.angle(x), -0.4 + 0.2j, None),
]


@pytest.mark.parametrize(("f", "dx", "dy"), [case[1:] for case in COMPLEX], ids=[case[0] for case in COMPLEX])
def test_of_complex_functions_the_conjugate_of_the_derivative_is_used(f, dx, dy):
    found = slopes(f, np.complex64(1 + 2j), np.complex64(0.5 - 1j))
    np.testing.assert_allclose(found[0], dx, rtol=1e-5)
    assert (dy is None and found[1] is None) or np.allclose(found[1], dy, rtol=1e-5)


# ---- dtypes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("int8", "float32"), ("int16", "float32"), ("uint8", "float32"), ("int32", "float64"), ("int64", "float64"), ("float16", "float16")],
)
def test_division_makes_floats_of_integers(given, wanted):
    x = mg.constant([3, -4], given) if given[0] != "u" else mg.constant([3, 4], given)
    y = x / mg.constant([2, 2], given)
    assert y.dtype == wanted
    assert y.numpy().tolist() == [1.5, x.numpy()[1] / 2]


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize(
    "f",
    [mg.sigmoid, mg.sqrt, mg.reduce_mean, mg.math.reduce_std, mg.math.softplus, mg.math.erf, mg.math.lgamma, mg.math.digamma,
     mg.reduce_logsumexp, mg.math.l2_normalize, lambda x: x**3, lambda x: mg.maximum(x, 0.5), mg.math.log_sigmoid, mg.reduce_prod],
)  # fmt: skip
def test_values_and_gradients_keep_their_dtype(f, dtype):
    x = mg.constant([0.25, 1.5], dtype)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert y.dtype == tape.gradient(y, x).dtype == dtype


def test_reductions_of_small_integers_keep_their_dtype():
    x = mg.constant([100, 100, 100], mg.int8)
    assert mg.reduce_sum(x).numpy() == 44  # 300 - 256
    assert mg.reduce_mean(x).numpy() == 100
    assert mg.reduce_sum(x).dtype == mg.reduce_mean(x).dtype == mg.cumsum(x).dtype == mg.int8
    assert mg.reduce_mean([-3, -4]).numpy() == -3
    assert mg.reduce_mean([3, 4]).numpy() == 3


# ---- reductions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "keepdims", "shape"),
    [(None, False, ()), (None, True, (1, 1, 1)), (1, False, (2, 4)), (-2, True, (2, 1, 4)), ([0, 2], False, (3,)),
     ((2, 0), True, (1, 3, 1)), ([], False, (2, 3, 4)), (mg.constant([0, 1]), False, (4,)), (np.int64(2), False, (2, 3))],
)  # fmt: skip
def test_reductions_take_every_kind_of_axis(axis, keepdims, shape):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 7 - 1.4
    plain = None if axis is None else tuple(np.atleast_1d(np.array(axis, int)).tolist())
    for f, numpys in [(mg.reduce_sum, np.sum), (mg.reduce_mean, np.mean), (mg.reduce_max, np.max), (mg.reduce_prod, np.prod)]:
        y = f(x, axis, keepdims)
        assert y.shape == shape
        close(y.numpy(), numpys(x, plain, keepdims=keepdims), 1e-5)
        (dx,) = slopes(lambda x, f=f: f(x, axis, keepdims), x)
        assert dx.shape == x.shape
    mg.test.check_gradients(lambda x: mg.reduce_logsumexp(x, axis, keepdims), x)


@pytest.mark.parametrize(
    ("f", "of_all", "of_columns"),
    [(mg.reduce_sum, 0.0, [0.0] * 3), (mg.reduce_mean, NAN, [NAN] * 3), (mg.reduce_max, -INF, [-INF] * 3), (mg.reduce_min, INF, [INF] * 3),
     (mg.reduce_prod, 1.0, [1.0] * 3), (mg.reduce_logsumexp, -INF, [-INF] * 3)],
)  # fmt: skip
def test_reductions_of_nothing(f, of_all, of_columns):
    nothing = mg.zeros([0, 3])
    close(f(nothing).numpy(), of_all)
    close(f(nothing, 0).numpy(), of_columns)
    assert f(nothing, 1).shape == (0,)
    for axis in (None, 0, 1):
        assert slopes(lambda x, a=axis: f(x, a), np.zeros((0, 3), np.float32))[0].shape == (0, 3)


@pytest.mark.parametrize(
    ("axis", "words"),
    [(2, "Invalid reduction dimension (2 for input with 2 dimension(s)"), (-3, "Invalid reduction dimension (-3 for input with 2"),
     ([0, -2], "Invalid reduction arguments: Axes contains duplicate dimension: 0")],
)  # fmt: skip
def test_bad_axes_are_named(axis, words):
    for f in (mg.reduce_sum, mg.reduce_mean, mg.reduce_max, mg.reduce_prod, mg.math.reduce_euclidean_norm):
        with pytest.raises(mg.errors.InvalidArgumentError) as error:
            f(mg.ones([2, 2]), axis)
        assert words in str(error.value)
    with pytest.raises(mg.errors.InvalidArgumentError, match="0 for input with 0 dimension"):
        mg.reduce_sum(2.0, axis=0)


def test_targets_that_are_no_class_are_not_among_the_greatest():
    assert mg.math.in_top_k([-1, 3, 2], 3 * [[0.1, 0.2, 0.3]], 3).numpy().tolist() == [False, False, True]


def test_argmax_takes_the_first_of_equals_and_no_nan():
    assert mg.argmax([1.0, 3.0, 3.0]).numpy() == 1
    assert mg.argmin([2.0, 1.0, 1.0]).numpy() == 1
    assert mg.argmax([NAN, 3.0]).numpy() == 1
    assert mg.argmax([[1.0, 5.0], [7.0, 2.0]], -1, mg.int32).dtype == mg.int32
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"Expected dimension in the range \[-1, 1\), but got 1"):
        mg.argmax([1.0], 1)
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"Reduction axis 0 is empty in shape \[0,3\]"):
        mg.argmax(mg.zeros([0, 3]))


# ---- Python's operators --------------------------------------------------------------------------------------------


def test_equality_of_shapes_that_do_not_fit_is_false():
    x = mg.constant([1.0, 2.0])
    assert (x == mg.constant([1.0, 2.0, 3.0])).numpy() == np.False_
    assert (x != mg.constant([1.0, 2.0, 3.0])).numpy() == np.True_
    with pytest.raises(mg.errors.InvalidArgumentError, match="Incompatible shapes"):
        mg.equal(x, [1.0, 2.0, 3.0])


def test_a_tensor_is_not_none():
    assert (mg.constant(1.0) == None) is False
    assert (mg.constant(1.0) != None) is True
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        mg.Variable(1.0) == None


@pytest.mark.parametrize("make", [mg.constant, mg.Variable])
def test_every_operator_works_from_both_sides(make):
    x = make([7.0, -7.0])
    assert [(x + 2).numpy().tolist(), (2 + x).numpy().tolist()] == [[9, -5], [9, -5]]
    assert [(x - 2).numpy().tolist(), (2 - x).numpy().tolist()] == [[5, -9], [-5, 9]]
    assert [(x / 2).numpy().tolist(), (14 / x).numpy().tolist()] == [[3.5, -3.5], [2, -2]]
    assert [(x // 2).numpy().tolist(), (15 // x).numpy().tolist()] == [[3, -4], [2, -3]]
    assert [(x % 3).numpy().tolist(), (15 % x).numpy().tolist()] == [[1, 2], [1, -6]]
    assert [(x**2).numpy().tolist(), (2**x).numpy().tolist()] == [[49, 49], [128, 0.0078125]]
    assert [(-x).numpy().tolist(), abs(x).numpy().tolist()] == [[-7, 7], [7, 7]]
    assert [(x > 0).numpy().tolist(), (x < 7).numpy().tolist(), (x <= 7).numpy().tolist()] == [[True, False], [False, True], [True, True]]


def test_logic_of_booleans_and_of_bits():
    b, i = mg.constant([True, False]), mg.constant([5, 6])
    assert [(b & True).numpy().tolist(), (True | b).numpy().tolist(), (b ^ b).numpy().tolist(), (~b).numpy().tolist()] == [
        [True, False], [True, True], [False, False], [False, True],
    ]  # fmt: skip
    assert [(i & 3).numpy().tolist(), (3 | i).numpy().tolist(), (i ^ 3).numpy().tolist(), (~i).numpy().tolist()] == [
        [1, 2], [7, 7], [6, 5], [-6, -7],
    ]  # fmt: skip
    assert mg.bitwise.left_shift([1, -1], [4, 40]).numpy().tolist() == [16, -(2**31)]


ERRORS = [
    (lambda x, i, b: i**-1, mg.errors.InvalidArgumentError, "Integers to negative integer powers are not allowed"),
    (lambda x, i, b: i // 0, mg.errors.InvalidArgumentError, "Integer division by zero [Op:FloorDiv]"),
    (lambda x, i, b: i % 0, mg.errors.InvalidArgumentError, "Integer division by zero [Op:FloorMod]"),
    (lambda x, i, b: i / 1.5, TypeError, "`x` and `y` must have the same dtype, got tf.int32 != tf.float32."),
    (lambda x, i, b: x / i, TypeError, "`x` and `y` must have the same dtype, got tf.float32 != tf.int32."),
    (lambda x, i, b: i * 1.5, TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
    (lambda x, i, b: i + 1.5, mg.errors.InvalidArgumentError, "cannot compute AddV2 as input #1(zero-based) was expected to be a int32"),
    (lambda x, i, b: mg.constant("a") + 1, mg.errors.InvalidArgumentError, "cannot compute Add as input #1(zero-based) was"),
    (lambda x, i, b: i + mg.constant("a"), mg.errors.InvalidArgumentError, "cannot compute AddV2 as input #1(zero-based) was"),
    (lambda x, i, b: 1.5 + i, TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
    (lambda x, i, b: b + b, mg.errors.InvalidArgumentError, "Value for attr 'T' of bool is not in the list of allowed values"),
    (lambda x, i, b: mg.sqrt(i), mg.errors.InvalidArgumentError, "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda x, i, b: mg.reduce_any(x), mg.errors.InvalidArgumentError, "cannot compute Any as input #0(zero-based) was expected"),
    (lambda x, i, b: x & x, mg.errors.InvalidArgumentError, "Value for attr 'T' of float is not in the list of allowed values"),
    (lambda x, i, b: x == i, mg.errors.InvalidArgumentError, "cannot compute Equal as input #1"),
    (lambda x, i, b: mg.add_n([]), ValueError, "Inputs must be an iterable of at least one Tensor"),
    (lambda x, i, b: mg.add_n([x, [1.0]]), mg.errors.InvalidArgumentError, "same size and shape.  Input 0: [2] != input 1: [1]"),
    (lambda x, i, b: mg.scalar_mul(x, x), ValueError, "The input scalar must be a 0-D value. Received shape (2,)."),
    (lambda x, i, b: mg.clip_by_value(1.0, x, x), ValueError, "Shapes () and (2,) are incompatible"),
    (lambda x, i, b: mg.clip_by_global_norm(x, 1.0), TypeError, "`t_list` should be a sequence of tensors."),
    (lambda x, i, b: mg.cumsum(x, 1), mg.errors.InvalidArgumentError, "ScanOp: Expected scan axis in the range [-1, 1), but got 1"),
    (lambda x, i, b: mg.math.top_k(x, 3), mg.errors.InvalidArgumentError, "input must have at least k columns. Had 2, needed 3"),
    (lambda x, i, b: mg.math.segment_sum(x, [1, 0]), mg.errors.InvalidArgumentError, "segment ids are not increasing"),
    (lambda x, i, b: mg.math.unsorted_segment_sum(x, [0, 2], 2), mg.errors.InvalidArgumentError, "segment_ids[1] = 2 is out of range"),
    (lambda x, i, b: mg.complex(x, i), TypeError, "The `real` and `imag` components have incorrect types: float32 int32."),
    (lambda x, i, b: mg.math.reduce_std(i), TypeError, "Input must be either real or complex. Received integer type <dtype: 'int32'>."),
]


@pytest.mark.parametrize(("f", "error", "words"), ERRORS, ids=[words[:40] for _, _, words in ERRORS])
def test_mistakes_are_answered_as_in_tensorflow(f, error, words):
    with pytest.raises(error) as raised:
        f(mg.constant([1.0, 2.0]), mg.constant([7, -7]), mg.constant([True, False]))
    assert words in str(raised.value)


# ---- special functions ---------------------------------------------------------------------------------------------

SPECIAL = [
    (mg.math.erfinv, [-1.0, 0.0, 0.5, 1.0, 2.0], [-INF, 0.0, 0.4769363, INF, NAN]),
    (mg.math.ndtri, [0.0, 0.5, 0.975, 1.0], [-INF, 0.0, 1.9599644, INF]),
    (mg.math.lgamma, [-1.0, 0.0, 0.5, -0.5, 100.0, INF], [INF, INF, 0.5723649, 1.2655121, 359.13421, INF]),
    (mg.math.digamma, [-1.0, 0.0, 0.5, 3.0, -0.5], [NAN, NAN, -1.9635108, 0.9227842, 0.03648996]),
    (lambda x: mg.math.polygamma(x, 2.0), [0.0, 1.0, -1.0, 1.5], [0.4227842, 0.6449341, NAN, NAN]),
    (lambda x: mg.math.zeta(x, [1.0, 2.0, 1.0, -1.5, -2.0]), [2.0, 1.0, 0.5, 3.0, 2.0], [1.644934, INF, NAN, 0.11810221, INF]),
    (lambda x: mg.math.igamma([1.0, 2.0, -1.0, 2.0], x), [1.0, 0.0, 1.0, -1.0], [0.6321205, 0.0, NAN, NAN]),
    (lambda x: mg.math.igammac([1.0, 2.0, 3.0], x), [1.0, 0.0, 40.0], [0.36787945, 1.0, 3.5728663e-15]),
    (lambda x: mg.math.betainc([1.0, 2.0, 2.0], [2.0, 3.0, 3.0], x), [0.5, 0.2, 1.2], [0.75, 0.18080002, NAN]),
    (mg.math.bessel_i0, [0.0, 1.0, 10.0], [1.0, 1.266066, 2815.7166]),
    (mg.math.bessel_i1e, [0.0, 1.0, 10.0, -3.0], [0.0, 0.20791042, 0.12126268, -0.19682676]),
    (mg.math.erfc, [-5.0, 0.5, 9.0], [2.0, 0.4795001, 4.1370317e-37]),
    (mg.math.log_sigmoid, [-100.0, 0.0, 100.0], [-100.0, -0.6931472, 0.0]),
    (mg.sigmoid, [-100.0, -20.0, 0.0], [0.0, 2.0611537e-09, 0.5]),
]


@pytest.mark.parametrize(("f", "x", "wanted"), SPECIAL)
def test_special_functions(f, x, wanted):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(f(mg.constant(x)).numpy(), wanted, rtol=2e-6, atol=1e-36)


EXACT = [  # in float64: the first 16 digits, computed with 40
    (mg.math.digamma, [1.0, 0.5, 9.5, 10.5, -0.3, 1e-3, 30.0],
     [-0.5772156649015329, -1.9635100260214235, 2.1977378764029494, 2.3030010342976865, 2.113309779635399, -1000.5755719318103,
      3.384438132685525]),
    (lambda x: mg.math.polygamma([1.0, 2.0, 3.0, 1.0], x), [1.5, 0.5, 4.0, 9.5],
     [0.9348022005446793, -16.82879664423432, 0.04486532819275507, 0.11099728846909904]),
    (lambda x: mg.math.zeta(x, [1.0, 0.5, 9.5, 20.0, -3.5, 8.0]), [2.0, 1.5, 3.0, 1.1, 2.0, 6.0],
     [1.6449340668482264, 4.776537947554833, 0.006153922903854669, 7.430042649595584, 9.620879298050347, 8.245916706427823e-06]),
    (lambda q: mg.math.zeta([1.1, 1.5], q), [20.0, 0.5], [7.430042649595584, 4.776537947554833]),
    (lambda x: mg.math.igamma([0.5, 0.5, 5.0, 5.0, 0.001, 0.3, 100.0, 20.0], x), [0.2, 1.4, 5.5, 6.5, 0.1, 30.0, 101.5, 45.0],
     [0.4729107431344619, 0.9057356931587897, 0.6424819975720745, 0.7763281831885007, 0.9981780097379502, 0.9999999999999972,
      0.5724269463165333, 0.9999897629535589]),
    (lambda x: mg.math.igammac([0.5, 5.0, 100.0, 20.0], x), [0.2, 5.5, 101.5, 45.0],
     [0.5270892568655381, 0.35751800242792553, 0.42757305368346665, 1.0237046441079244e-05]),
    (lambda x: mg.math.betainc(np.array([0.5, 2, 2, 0.1, 30, 40, 7.5]), np.array([0.5, 3, 3, 5, 2, 60, 0.2]), x),
     [0.3, 0.3, 0.8, 0.01, 0.97, 0.4, 0.5],
     [0.36901011956554536, 0.3483, 0.9728, 0.7690889207843463, 0.7619134302319995, 0.5054370011155949, 0.00038045496116783165]),
    (mg.math.bessel_i0, [0.5, -3.0, 20.0, 39.5, 40.5, 100.0],
     [1.0634833707413236, 4.8807925858650245, 43558282.559553534, 9091504908730678.0, 2.4404306884276696e16, 1.0737517071310738e42]),
    (mg.math.bessel_i0e, [0.5, -3.0, 20.0, 39.5, 40.5, 100.0, -1000.0],
     [0.6450352704491501, 0.2430003541618254, 0.08978031188482602, 0.06368010082838992, 0.06288397125805982, 0.03994437929909668,
      0.012617240455891257]),
    (mg.math.bessel_i1, [0.5, -3.0, 20.0, 39.5, 40.5, 100.0],
     [0.2578943053908963, -3.9533702174026093, 42454973.38512777, 8975674988589335.0, 2.4101111554186504e16, 1.0683693903381625e42]),
    (mg.math.bessel_i1e, [0.5, -3.0, 20.0, 39.5, 40.5, 100.0, -1000.0],
     [0.1564208031848717, -0.19682671329730086, 0.08750622218328867, 0.06286878729255693, 0.06210271053578733, 0.03974415302513025,
      -0.012610930256928629]),
    (mg.math.erfinv, [0.5, -0.3, 1e-6, 0.51, -0.9],
     [0.4769362762044699, -0.2724627147267543, 8.8622692545299e-07, 0.4881220505159588, -1.1630871536766743]),
    (mg.math.ndtri, [0.5, 0.975, 0.01, 1e-6], [0.0, 1.9599639845400538, -2.326347874040841, -4.753424308822899]),
    (mg.math.erfcinv, [0.5, 1.8, 1e-5], [0.4769362762044699, -0.9061938024368233, 3.123413274340875]),
    (mg.math.lbeta, [[1.5, 2.5], [0.3, 4.0]], [-1.627858836390381, 0.7065364176789615]),
    (mg.math.lbeta, [0.3, 4.0], 0.7065364176789615),
]  # fmt: skip


@pytest.mark.parametrize(("f", "x", "wanted"), EXACT)
def test_special_functions_are_exact_in_float64(f, x, wanted):
    np.testing.assert_allclose(f(mg.constant(x, mg.float64)).numpy(), wanted, rtol=2e-14)


@pytest.mark.parametrize(
    "f",
    [mg.math.digamma, mg.math.bessel_i0, mg.math.bessel_i0e, mg.math.bessel_i1, mg.math.bessel_i1e, mg.math.lgamma,
     lambda x: mg.math.polygamma(2.0, x), lambda x: mg.math.zeta(2.5, x), lambda x: mg.math.igamma(1.5, x),
     lambda x: mg.math.igammac(1.5, x), lambda x: mg.math.betainc(1.5, 0.5, x / 8.0)],
)  # fmt: skip
def test_special_functions_are_rounded_once(f):
    for dtype in (mg.float16, mg.float32):
        x = mg.constant(np.arange(1, 20) / 4, dtype)
        np.testing.assert_array_equal(f(x).numpy(), f(mg.cast(x, mg.float64)).numpy().astype(x.numpy().dtype))


def test_the_incomplete_gamma_function_has_a_slope_in_its_shape():
    found = slopes(mg.math.igamma, [0.5, 2.0, 5.0], [0.2, 3.0, 20.0])
    step = 1e-5
    a, x = np.array([0.5, 2.0, 5.0]), np.array([0.2, 3.0, 20.0])
    rise = mg.math.igamma(a + step, x).numpy() - mg.math.igamma(a - step, x).numpy()
    np.testing.assert_allclose(found[0], rise / (2 * step), rtol=1e-4)


# ---- segments, counting, cumulating ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "wanted"),
    [(mg.math.segment_sum, [[4.0, 6.0], [0.0, 0.0], [5.0, 6.0]]), (mg.math.segment_mean, [[2.0, 3.0], [0.0, 0.0], [5.0, 6.0]]),
     (mg.math.segment_max, [[3.0, 4.0], [0.0, 0.0], [5.0, 6.0]]), (mg.math.segment_min, [[1.0, 2.0], [0.0, 0.0], [5.0, 6.0]]),
     (mg.math.segment_prod, [[3.0, 8.0], [1.0, 1.0], [5.0, 6.0]])],
)  # fmt: skip
def test_segments_that_are_left_out(f, wanted):
    assert f([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 2]).numpy().tolist() == wanted


def test_parts_with_a_negative_number_are_in_no_segment():
    ids, x = [0, -1, 0, 2], [[1.0], [2.0], [3.0], [4.0]]
    for f, wanted in [
        (mg.math.unsorted_segment_sum, [[4.0], [0.0], [4.0]]), (mg.math.unsorted_segment_mean, [[2.0], [0.0], [4.0]]),
        (mg.math.unsorted_segment_prod, [[3.0], [1.0], [4.0]]),
    ]:  # fmt: skip
        assert f(x, ids, 3).numpy().tolist() == wanted
        assert slopes(lambda x, f=f: f(x, ids, 3), x)[0][1].tolist() == [0.0]
        mg.test.check_gradients(lambda x, f=f: f(x, ids, 3), x)
    lowest = np.finfo(np.float32).min
    assert mg.math.unsorted_segment_max(x, ids, 3).numpy().ravel().tolist() == [3.0, lowest, 4.0]


def test_the_gradient_of_a_product_of_segments_with_zeros():
    (dx,) = slopes(lambda x: mg.math.segment_prod(x, [0, 0, 0, 1, 1]), [2.0, 0.0, 3.0, 0.0, 0.0])
    assert dx.tolist() == [0.0, 6.0, 0.0, 0.0, 0.0]


def test_bincount_in_all_its_forms():
    count = mg.math.bincount
    assert count([1, 1, 3], minlength=6).numpy().tolist() == [0, 2, 0, 1, 0, 0]
    assert count([1, 1, 3], maxlength=2).numpy().tolist() == [0, 2]
    assert count([[1, 1], [0, 3]], axis=-1).numpy().tolist() == [[0, 2, 0, 0], [1, 0, 0, 1]]
    assert count([[1, 1], [0, 3]], axis=-1, binary_output=True).numpy().tolist() == [[0, 1, 0, 0], [1, 0, 0, 1]]
    assert count([1, 1, 3], weights=[1.0, 2.0, 0.5]).numpy().tolist() == [0.0, 3.0, 0.0, 0.5]
    assert count([]).shape == (0,)
    with pytest.raises(mg.errors.InvalidArgumentError, match="Input arr must be non-negative!"):
        count([-1, 1])


def test_top_k_puts_the_first_of_equals_first_and_nan_last():
    indices = mg.math.top_k([1.0, 5.0, NAN, 5.0], 4).indices
    assert indices.numpy().tolist() == [1, 3, 0, 2]
    assert indices.dtype == mg.int32
    assert slopes(lambda x: mg.math.top_k(x, 2).values * [1.0, 10.0], [1.0, 5.0, 2.0, 5.0])[0].tolist() == [0.0, 1.0, 0.0, 10.0]
    assert mg.math.top_k([-128, 127], 2).indices.numpy().tolist() == [1, 0]


@pytest.mark.parametrize("f", [mg.cumsum, mg.math.cumprod, mg.math.cumulative_logsumexp])
def test_cumulating_backwards_is_cumulating_the_turned_row(f):
    x = np.array([[0.5, 2.0, 1.5], [1.0, 3.0, 0.25]], np.float32)
    for exclusive in (False, True):
        turned = f(x[:, ::-1].copy(), 1, exclusive).numpy()[:, ::-1]
        close(f(x, axis=-1, exclusive=exclusive, reverse=True).numpy(), turned)
        mg.test.check_gradients(lambda x, e=exclusive: mg.exp(f(x, 1, not e, e)), x / 4)  # of -inf there is no difference


def test_clipping_by_the_global_norm_keeps_rows_as_rows():
    rows = mg.IndexedSlices(mg.constant([[3.0]]), mg.constant([1]), mg.constant([4, 1]))
    (clipped, none, other), norm = mg.clip_by_global_norm([rows, None, mg.constant([4.0])], 1.0)
    assert isinstance(clipped, mg.IndexedSlices)
    assert none is None
    close(clipped.values.numpy(), [[0.6]])
    close(other.numpy(), [0.8])
    assert norm.numpy() == 5.0
    assert np.isnan(mg.clip_by_global_norm([[INF]], 1.0)[0][0].numpy())


def test_accumulate_n_is_add_n():
    assert mg.math.accumulate_n([mg.constant(1.0), mg.constant(2.0)]).numpy() == 3.0
    with pytest.raises(ValueError, match="inputs must be a list of at least one Tensor"):
        mg.math.accumulate_n([])


@pytest.mark.parametrize(("a", "x"), [(6000.0, 6100.0), (6000.0, 6000.0), (50000.0, 50100.0)])
def test_the_slope_of_igamma_in_a_holds_far_out(a, x):
    a, x, h = np.array([a]), np.array([x]), 0.05
    measured = (mg.math.igamma(a + h, x) - mg.math.igamma(a - h, x)) / (2 * h)
    a = mg.constant(a)
    with mg.GradientTape() as tape:
        tape.watch(a)
        y = mg.math.igamma(a, x)
    np.testing.assert_allclose(tape.gradient(y, a), measured, rtol=1e-4)


def test_the_zero_that_remains_has_the_sign_of_what_was_divided():
    assert str((mg.constant([-4.0, 4.0, -0.0, -4.5]) % 2.0).numpy()) == "[-0.   0.  -0.   1.5]"
    assert str((mg.constant([4.0, -4.0, 4.5]) % -2.0).numpy()) == "[ 0.  -0.  -1.5]"


@pytest.mark.parametrize("function", [mg.math.bessel_i1, mg.math.bessel_i1e])
def test_the_slope_of_bessel_functions_at_zero_is_a_half(function):
    x = mg.constant([0.0, 1.0], mg.float64)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    at_zero, at_one = tape.gradient(y, x).numpy()
    step = 1e-6
    assert at_zero == 0.5
    assert at_one == pytest.approx(
        float(function(1.0 + mg.constant(step, mg.float64)) - function(mg.constant(1.0, mg.float64))) / step, rel=1e-4
    )


@pytest.mark.parametrize(("shape", "axis"), [((3,), 0), ((2, 3, 2), 1), ((2, 2, 3), 2)])
@pytest.mark.parametrize("how", [{}, {"exclusive": True}, {"reverse": True}])
def test_products_along_an_axis_have_their_slope_where_a_factor_is_zero_too(shape, axis, how):
    x = np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape)
    x.flat[1] = 0.0
    mg.test.check_gradients(lambda x: mg.math.cumprod(x, axis, **how), mg.constant(x), order=1)


@pytest.mark.parametrize("elements", [[2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 3.0, 4.0], [2.0, 1.5, 0.0, 4.0]])
def test_products_of_segments_have_their_slope_where_a_factor_is_zero_too(elements):
    mg.test.check_gradients(lambda x: mg.math.unsorted_segment_prod(x, [0, 0, 0, 1], 2), mg.constant(elements, mg.float64), order=1)


def test_realdiv_makes_no_floats_of_integers():
    assert mg.realdiv(3.0, 2).numpy() == 1.5
    with pytest.raises(mg.errors.NotFoundError, match=r"RealDiv\[T=DT_INT32\].*Write mg.divide\(x, y\)"):
        mg.realdiv(3, 2)


@pytest.mark.parametrize("dtype", [mg.float16, mg.float32, mg.float64])
def test_the_angle_of_real_numbers_is_0_or_pi_in_their_dtype(dtype):
    angle = mg.math.angle(mg.constant([-1.0, 0.0, 2.0], dtype))
    assert angle.dtype == dtype and angle.numpy().tolist() == [dtype.as_numpy_dtype(np.pi), 0.0, 0.0]
