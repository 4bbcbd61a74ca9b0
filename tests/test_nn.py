"""tf.nn: values and gradients against TensorFlow's, at ordinary points and at corners; errors; shapes and dtypes."""

import numpy as np
import pytest
from answers import agrees_with_tensorflow, refused

import minigrad as mg

R = [[1.0, 2.0, -1.0], [0.5, 4.0, 3.0]]
V = [-2.0, -0.5, 0.0, 0.5, 7.0]
inf, nan = float("inf"), float("nan")

# function, input, TensorFlow's value y, TensorFlow's gradient of sum(y * y)
ANSWERS = [
    (mg.nn.relu, V, [0.0, 0.0, 0.0, 0.5, 7.0], [0.0, 0.0, 0.0, 1.0, 14.0]),
    (mg.nn.relu6, V, [0.0, 0.0, 0.0, 0.5, 6.0], [0.0, 0.0, 0.0, 1.0, 0.0]),
    (mg.nn.leaky_relu, V, [-0.4, -0.1, 0.0, 0.5, 7.0], [-0.16, -0.04, 0.0, 1.0, 14.0]),
    (mg.nn.elu, V, [-0.86466, -0.39347, 0.0, 0.5, 7.0], [-0.23404, -0.4773, 0.0, 1.0, 14.0]),
    (mg.nn.selu, V, [-1.5202, -0.69176, 0.0, 0.52535, 7.3549], [-0.72339, -1.4753, 0.0, 1.104, 15.456]),
    (mg.nn.crelu, V, [0.0, 0.0, 0.0, 0.5, 7.0, 2.0, 0.5, 0.0, 0.0, 0.0], [-4.0, -1.0, 0.0, 1.0, 14.0]),
    (mg.nn.gelu, V, [-0.0455, -0.15427, 0.0, 0.34573, 7.0], [0.0077561, -0.040883, 0.0, 0.59984, 14.0]),
    (mg.nn.silu, V, [-0.23841, -0.18877, 0.0, 0.31123, 6.9936], [0.043287, -0.098175, 0.0, 0.4606, 14.064]),
    (mg.nn.softsign, V, [-0.66667, -0.33333, 0.0, 0.33333, 0.875], [-0.14815, -0.2963, 0.0, 0.2963, 0.027344]),
    (mg.nn.softplus, V, [0.12693, 0.47408, 0.69315, 0.97408, 7.0009], [0.03026, 0.35797, 0.69315, 1.2126, 13.989]),
    (mg.nn.sigmoid, V, [0.1192, 0.37754, 0.5, 0.62246, 0.99909], [0.025031, 0.17745, 0.25, 0.29256, 0.0018188]),
    (mg.nn.tanh, V, [-0.96403, -0.46212, 0.0, 0.46212, 1.0], [-0.13622, -0.72686, 0.0, 0.72686, 6.6757e-06]),
    (mg.nn.softmax, V, [0.00012303, 0.00055138, 0.00090907, 0.0014988, 0.99692],
     [-0.00024451, -0.0010954, -0.0018053, -0.0029747, 0.0061199]),
    (mg.nn.log_softmax, V, [-9.0031, -7.5031, -7.0031, -6.5031, -0.003087], [-17.999, -14.973, -13.952, -12.916, 59.84]),
    (mg.nn.l2_loss, V, 26.75, [-107.0, -26.75, 0.0, 26.75, 374.5]),
    (lambda x: mg.nn.gelu(x, approximate=True), V, [-0.045402, -0.15429, 0.0, 0.34571, 7.0], [0.0078182, -0.040926, 0.0, 0.59972, 14.0]),
    (lambda x: mg.nn.silu(x, beta=2.0), V, [-0.035972, -0.13447, 0.0, 0.36553, 7.0], [0.0037889, -0.019452, 0.0, 0.67818, 14.0]),
    (lambda x: mg.nn.softmax(x, axis=0), R, [[0.62246, 0.1192, 0.017986], [0.37754, 0.8808, 0.98201]],
     [[0.11511, -0.15992, -0.034055], [-0.11511, 0.15993, 0.034055]]),
    (lambda x: mg.nn.log_softmax(x, axis=-2), R, [[-0.47408, -2.1269, -4.0181], [-0.97408, -0.12693, -0.01815]],
     [[0.85468, -3.7165, -7.8911], [-0.85468, 3.7165, 7.8911]]),
    (lambda x: mg.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x), R, [3.349, 3.8351],
     [[1.7381, 4.7247, -6.4628], [-7.5045, 5.4862, 2.0183]]),
    (lambda x: mg.nn.sparse_softmax_cross_entropy_with_logits([[2], [0]], x[:, None]), R, [[3.349], [3.8351]],
     [[1.7381, 4.7247, -6.4628], [-7.5045, 5.4862, 2.0183]]),
    (lambda x: mg.nn.softmax_cross_entropy_with_logits([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]], x), R, [1.599, 1.3351],
     [[-0.76914, 1.4563, -0.68719], [0.057674, 1.9099, -1.9676]]),
    (lambda x: mg.nn.softmax_cross_entropy_with_logits(x, [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]), R, [2.1281, 8.6358],
     [[3.9969, 5.061, 5.061], [26.796, 26.796, 9.5244]]),
    (lambda x: mg.nn.softmax_cross_entropy_with_logits([[0.5, 1.0, 0.25], [0.5, 0.0, 0.75]], x, axis=0), R, [0.72408, 2.1269, 1.0181],
     [[0.17734, -3.7468, -0.47245], [-0.17734, 3.7468, 0.47245]]),
    (lambda x: mg.nn.sigmoid_cross_entropy_with_logits([0.0, 0.25, 0.5, 0.75, 1.0], x), V, [0.12693, 0.59908, 0.69315, 0.59908, 0.00091147],
     [0.03026, 0.15281, 0.0, -0.15281, -1.6608e-06]),
    (lambda x: mg.nn.weighted_cross_entropy_with_logits([0.0, 0.25, 0.5, 0.75, 1.0], x, 3.0), V,
     [0.12693, 1.0861, 1.3863, 1.3102, 0.0027344],
     [0.03026, -0.39901, 1.3863, -1.8182, -1.4947e-05]),
    (lambda x: mg.nn.log_poisson_loss(mg.constant([0.0, 0.5, 1.0, 2.0, 3.0]), x, compute_full_loss=True), V,
     [0.13534, 0.85653, 1.0, 1.3005, 1077.4],
     [0.036631, 0.18249, 0.0, -0.9137, 2.3566e+06]),
    (lambda x: mg.nn.moments(x, [1])[1], R, [1.5556, 2.1667], [[0.69136, 2.7654, -3.4568], [-5.7778, 4.3333, 1.4444]]),
    (lambda x: mg.nn.weighted_moments(x, [0], [[1.0], [3.0]])[1], R, [0.046875, 0.75, 3.0],
     [[0.017578, -1.125, -9.0], [-0.017578, 1.125, 9.0]]),
    (lambda x: mg.nn.normalize_moments(*mg.nn.sufficient_statistics(x, [1], shift=1.0))[1], R, [1.5556, 2.1667],
     [[0.69136, 2.7654, -3.4568], [-5.7778, 4.3333, 1.4444]]),
    (lambda x: mg.nn.batch_normalization(x, x[0], x[1] * x[1], 2.0, 3.0, 0.001), R, [[2.0, 2.0, 2.0], [-0.99402, 3.5, 5.9998]],
     [[11.904, -5.2498, -11.999], [-23.761, 2.625, -3.9978]]),
    (lambda x: mg.nn.bias_add(x, x[0]), R, [[2.0, 4.0, -2.0], [1.5, 6.0, 2.0]], [[11.0, 28.0, -4.0], [3.0, 12.0, 4.0]]),
    (lambda x: mg.nn.bias_add(x, x[:, 0], data_format="NCHW"), [[1.0, 2.0], [0.5, 4.0]], [[2.0, 2.5], [1.5, 4.5]],
     [[11.0, 5.0], [17.0, 9.0]]),
    (lambda x: mg.nn.l2_normalize(x, axis=1), R, [[0.40825, 0.8165, -0.40825], [0.099504, 0.79603, 0.59702]],
     [[2.9802e-08, 5.9605e-08, -2.9802e-08], [-3.7253e-09, -2.9802e-08, -2.9802e-08]]),
    (lambda x: mg.nn.embedding_lookup(x, [1, 0, 1], max_norm=2.0), R,
     [[0.19901, 1.5921, 1.194], [0.8165, 1.633, -0.8165], [0.19901, 1.5921, 1.194]],
     [[0.0, 0.0, 0.0], [-2.9802e-08, -2.3842e-07, -2.3842e-07]]),
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS)
def test_values_and_gradients_are_those_of_tensorflow(answer):
    agrees_with_tensorflow(*answer)


def slopes(function, x, order=1, dtype=mg.float32):
    """The derivative of the function at each of these points."""
    x = mg.constant(x, dtype)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = function(x) if order == 1 else slopes(function, x, order - 1, dtype)
    return tape.gradient(y, x)


CORNERS = [-inf, -100.0, -0.0, 0.0, 6.0, 100.0, inf, nan]
SLOPES = [  # at the CORNERS, as TensorFlow says
    (mg.nn.relu, [0, 0, 0, 0, 1, 1, 1, 0], [0] * 8),
    (mg.nn.relu6, [0, 0, 0, 0, 0, 0, 0, 0], [0] * 8),
    (mg.nn.leaky_relu, [0.2, 0.2, 0.2, 0.2, 1, 1, 1, 0.2], [0] * 8),
    (mg.nn.elu, [0, 0, 1, 1, 1, 1, 1, 1], [0] * 8),
    (mg.nn.selu, [0, 0, *[1.050701] * 6], [0] * 8),
    (mg.nn.sigmoid, [0, 0, 0.25, 0.25, 2.4665252e-03, 0, 0, nan], [0, 0, 0, 0, -2.4543274e-03, 0, 0, nan]),
    (mg.nn.gelu, [nan, 0, 0.5, 0.5, 1, 1, nan, nan], [nan, 0, 0.79788458, 0.79788458, -2.0658040e-07, 0, nan, nan]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "first", "second"), SLOPES)
def test_slopes_at_corners_and_at_infinity_are_those_of_tensorflow(function, first, second):
    np.testing.assert_allclose(slopes(function, CORNERS).numpy(), first, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(slopes(function, CORNERS, order=2).numpy(), second, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", [mg.float16, mg.float32, mg.float64])
def test_nothing_overflows_and_nothing_cancels(dtype):
    far = mg.constant([[1000.0, 0.0, -1000.0], [-inf, 0.0, 1.0]], dtype)
    np.testing.assert_allclose(mg.nn.softmax(far).numpy(), [[1, 0, 0], [0, 0.26894142, 0.73105858]], rtol=1e-3)
    np.testing.assert_allclose(mg.nn.log_softmax(far).numpy(), [[0, -1000, -2000], [-inf, -1.3132617, -0.31326169]], rtol=1e-3)
    np.testing.assert_allclose(mg.nn.sparse_softmax_cross_entropy_with_logits([2, 1], far).numpy(), [2000, 1.3132617], rtol=1e-3)
    x = mg.constant([-100.0, -15.0, 100.0], dtype)
    labels = mg.constant([1.0, 0.0, 0.0], dtype)
    small = float(np.exp(-15.0))
    np.testing.assert_allclose(
        mg.nn.sigmoid_cross_entropy_with_logits(labels, x).numpy(), [100, small, 100], rtol=1e-3 if dtype != mg.float16 else 0.1
    )
    assert mg.nn.softmax(far).dtype == dtype
    assert slopes(mg.nn.log_softmax, far.numpy(), dtype=dtype).dtype == dtype


def test_a_row_with_an_infinite_logit_is_nan_as_in_tensorflow():
    for row in ([inf, 1.0], [-inf, -inf], [nan, 1.0]):
        assert np.isnan(mg.nn.softmax(row).numpy()).all()
        assert np.isnan(mg.nn.log_softmax(row).numpy()).all()


@pytest.mark.parametrize("function", [mg.nn.softmax, mg.nn.log_softmax])
@pytest.mark.parametrize("axis", [None, 0, 1, -2, -1, 2])
def test_softmax_works_along_every_axis_and_on_nothing(function, axis):
    x = np.random.default_rng(0).normal(size=(2, 4, 3))
    y = function(x, axis=axis)
    e = np.exp(x) / np.exp(x).sum(-1 if axis is None else axis, keepdims=True)
    np.testing.assert_allclose(y.numpy(), e if function is mg.nn.softmax else np.log(e))
    mg.test.check_gradients(lambda x: function(x, axis=axis), x)
    assert function(mg.zeros((0, 3))).shape == (0, 3)
    assert function(mg.zeros((3, 0))).shape == (3, 0)


def test_labels_may_have_any_shape_and_both_integer_dtypes():
    logits = np.random.default_rng(1).normal(size=(2, 4, 3))
    labels = [[0, 2, 1, 1], [2, 1, 0, 0]]
    loss = mg.nn.sparse_softmax_cross_entropy_with_logits(mg.constant(labels, mg.int64), logits)
    expected = -np.log(np.take_along_axis(np.exp(logits), np.array(labels)[..., None], -1)[..., 0] / np.exp(logits).sum(-1))
    np.testing.assert_allclose(loss.numpy(), expected)
    assert mg.nn.sparse_softmax_cross_entropy_with_logits(1, [0.0, 0.0]).shape == ()
    mg.test.check_gradients(lambda x: mg.nn.sparse_softmax_cross_entropy_with_logits(labels, x), logits)


def test_both_cross_entropies_agree_and_so_do_their_second_derivatives():
    logits, labels = mg.constant(R, mg.float64), [2, 0]
    hot = mg.constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], mg.float64)
    dense = lambda x: mg.nn.softmax_cross_entropy_with_logits(hot, x)
    sparse = lambda x: mg.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
    np.testing.assert_allclose(dense(logits).numpy(), sparse(logits).numpy())
    for order in (1, 2):
        one, other = (slopes(f, logits, order, mg.float64).numpy() for f in (dense, sparse))
        np.testing.assert_allclose(one, other, atol=1e-15)


def test_the_gradient_for_labels_that_do_not_sum_to_one_is_that_of_tensorflow():
    slope = slopes(lambda x: mg.nn.softmax_cross_entropy_with_logits([[1.0, 1.0]], x), [[0.0, 0.0]])
    assert slope.numpy().tolist() == [[-0.5, -0.5]]


def test_labels_are_broadcast_and_cast():
    x = mg.constant(R)
    one = mg.nn.softmax_cross_entropy_with_logits([0.0, 0.0, 1.0], x).numpy()
    np.testing.assert_allclose(one, mg.nn.softmax_cross_entropy_with_logits([[0, 0, 1]] * 2, x).numpy())
    np.testing.assert_allclose(one, mg.nn.sparse_softmax_cross_entropy_with_logits([2, 2], x).numpy())
    f64 = mg.constant([[0.0, 0.0, 1.0]], mg.float64)
    assert mg.nn.softmax_cross_entropy_with_logits(f64, x).dtype == mg.float32


x23 = mg.constant(R)
INVALID = [
    (lambda: mg.nn.relu([True]), "Value for attr 'T' of bool is not in the list of allowed values"),
    (lambda: mg.nn.elu([1]), "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda: mg.nn.softmax(2.0), "logits must have >= 1 dimension, got []"),
    (lambda: mg.nn.softmax(x23, axis=5),
     "`dim` must be in the range [-2, 2) where 2 is the number of dimensions in the input. Received: dim=5"),
    (lambda: mg.nn.sparse_softmax_cross_entropy_with_logits([0, 3], x23),
     "Received a label value of 3 which is outside the valid range of [0, 3).  Label values: 0 3"),
    (lambda: mg.nn.sparse_softmax_cross_entropy_with_logits([0, -1], x23),
     "Received a label value of -1 which is outside the valid range of [0, 3).  Label values: 0 -1"),
    (lambda: mg.nn.sparse_softmax_cross_entropy_with_logits([0], mg.zeros((1, 0))), "Must have at least one class"),
    (lambda: mg.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], x23),
     "logits and labels must be broadcastable: logits_size=[2,3] labels_size=[1,2]"),
    (lambda: mg.nn.sigmoid_cross_entropy_with_logits(mg.cast(x23, mg.float64), x23),
     "cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a double tensor"),
    (lambda: mg.nn.bias_add(x23, [1.0]), "Must provide as many biases as the last dimension of the input tensor: [1] vs. [2,3]"),
    (lambda: mg.nn.bias_add(x23, [[1.0, 2.0, 3.0]]), "Biases must be 1D: [1,3]"),
    (lambda: mg.nn.bias_add([1.0], [1.0]), "Input tensor must be at least 2D: [1]"),
    (lambda: mg.nn.embedding_lookup(x23, [2]), "indices[0] = 2 is not in [0, 2)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), INVALID)
def test_what_does_not_fit_is_refused_in_tensorflows_words(call, text):
    refused(call, text, mg.errors.InvalidArgumentError)


VALUE_ERRORS = [
    (lambda: mg.nn.gelu([1]), "`features.dtype` must be a floating point tensor."),
    (lambda: mg.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], x23), "`labels.shape` must equal `logits.shape` except for"),
    (lambda: mg.nn.sparse_softmax_cross_entropy_with_logits([[0], [1]], x23), "`labels.shape.rank` must equal `logits.shape.rank - 1`."),
    (lambda: mg.nn.sparse_softmax_cross_entropy_with_logits(0, 1.0), "`logits` cannot be a scalar."),
    (lambda: mg.nn.sigmoid_cross_entropy_with_logits([1.0], x23), "`logits` and `labels` must have the same shape, received"),
    (lambda: mg.nn.weighted_cross_entropy_with_logits([1.0], x23, 1.0), "`logits` and `labels` must have the same shape"),
    (lambda: mg.nn.log_poisson_loss([1.0], x23), "`log_input` and `targets` must have the same shape, received ((2, 3) vs (1,))."),
    (lambda: mg.nn.bias_add(x23, [1.0, 2.0, 3.0], data_format="XX"), "`data_format` must be of the form `N...C` or `NC...`."),
    (lambda: mg.nn.embedding_lookup(None, [0]), "params must be specified"),
    (lambda: mg.nn.embedding_lookup([], [0]), "Length of params is currently 0."),
    (lambda: mg.nn.dropout(x23, 1.5), "`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate=1.5"),
    (lambda: mg.nn.dropout([1], 0.5), "`x.dtype` must be a floating point tensor as `x` will be scaled."),
    (lambda: mg.nn.dropout(x23, mg.constant([0.5])), "Shape (1,) must have rank 0"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), VALUE_ERRORS)
def test_arguments_that_mean_nothing_are_value_errors(call, text):
    refused(call, text, ValueError)


def test_whole_numbers_stay_whole_in_relu_and_become_floats_in_leaky_relu():
    assert mg.nn.relu([1, -2]).dtype == mg.int32
    assert mg.nn.leaky_relu([1, -2]).numpy().tolist() == np.array([1.0, -0.4], np.float32).tolist()


def test_scalars_have_gradients_too():
    for name in ("relu", "relu6", "leaky_relu", "elu", "selu", "gelu", "silu", "l2_loss"):
        slope = slopes(getattr(mg.nn, name), 0.7)
        assert slope.shape == ()
        assert slope.dtype == mg.float32


def test_moments_of_float16_are_computed_in_float32():
    x = mg.fill((4096,), mg.constant(100.5, mg.float16))
    mean, variance = mg.nn.moments(x, [0])
    assert mean.dtype == mg.float16
    assert (float(mean), float(variance)) == (100.5, 0.0)


def test_the_gradient_of_embedding_lookup_is_a_few_rows():
    table = mg.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with mg.GradientTape() as tape:
        y = mg.nn.embedding_lookup(table, [2, 2])
    rows = tape.gradient(y, table)
    assert isinstance(rows, mg.IndexedSlices)
    assert mg.convert_to_tensor(rows).numpy().tolist() == [[0, 0], [0, 0], [2, 2]]


def test_a_list_of_tables_is_one_table():
    tables = [mg.constant([[1.0], [2.0], [3.0]]), mg.constant([[4.0], [5.0]])]
    assert mg.nn.embedding_lookup(tables, [[0, 4], [3, 2]]).numpy().tolist() == [[[1.0], [5.0]], [[4.0], [3.0]]]


def test_dropout_drops_what_tensorflow_drops():
    mg.random.set_seed(3)
    ones, grown = mg.ones((2, 5)), np.float32(1 / 0.6)
    expected = np.array([[[0, 1, 1, 0, 1], [1, 0, 0, 1, 1]], [[1, 1, 0, 0, 1], [0, 1, 0, 1, 1]]])
    np.testing.assert_allclose(mg.nn.dropout(ones, 0.4).numpy(), expected[0] * grown)
    np.testing.assert_allclose(mg.nn.dropout(ones, 0.4, seed=7).numpy(), expected[1] * grown)


def test_dropout_of_nothing_still_counts_as_a_draw():
    mg.random.set_seed(5)
    mg.nn.dropout(mg.ones(3), 0.5)
    second = mg.random.uniform([2]).numpy()
    mg.random.set_seed(5)
    assert mg.nn.dropout([1.0, 2.0], 0).numpy().tolist() == [1.0, 2.0]
    np.testing.assert_array_equal(mg.random.uniform([2]).numpy(), second)


def test_dropout_drops_whole_rows_where_the_noise_has_length_one_and_so_does_its_gradient():
    mg.random.set_seed(1)
    x = mg.Variable(np.ones((20, 3), np.float32))
    with mg.GradientTape() as tape:
        y = mg.nn.dropout(x, mg.constant(0.5), noise_shape=(None, 1))
    rows = y.numpy()
    assert {tuple(row) for row in rows.tolist()} == {(0.0, 0.0, 0.0), (2.0, 2.0, 2.0)}
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), rows)


def test_names_that_tensorflow_has_twice_are_the_same_function():
    assert mg.nn.sigmoid is mg.math.sigmoid
    assert mg.nn.softmax is mg.math.softmax
    assert mg.nn.log_softmax is mg.math.log_softmax
    assert mg.nn.swish is mg.nn.silu
    assert mg.linalg.l2_normalize is mg.nn.l2_normalize is mg.math.l2_normalize


def test_cross_entropy_along_an_axis_from_the_end():
    """TensorFlow 2.21 fails here, in how it turns the axes."""
    labels = mg.constant([[0.25, 0.5, 1.0], [0.75, 0.5, 0.0]], mg.float64)
    logits = mg.constant([[1.0, 2.0, 0.5], [3.0, 5.0, 1.5]], mg.float64)
    mg.test.check_gradients(lambda x: mg.nn.softmax_cross_entropy_with_logits(labels, x, axis=-2), logits, order=1)
    by_columns = mg.nn.softmax_cross_entropy_with_logits(mg.transpose(labels), mg.transpose(logits))
    assert mg.nn.softmax_cross_entropy_with_logits(labels, logits, axis=-2).numpy().tolist() == by_columns.numpy().tolist()


def test_constants_have_the_precision_of_float32_as_in_tensorflow():
    x = mg.constant([-1.0, 0.5, 2.0], mg.float64)
    np.testing.assert_allclose(mg.nn.gelu(x), [-0.15865525807260966, 0.3457312291306712, 1.9544997324075772], rtol=1e-14)
    np.testing.assert_allclose(mg.nn.gelu(x, True), [-0.15880800972132364, 0.3457140097922433, 1.9545976932119538], rtol=1e-14)
    assert mg.nn.leaky_relu(mg.constant([-1.0, 0.0], mg.float64), 0.1).numpy().tolist() == [-0.10000000149011612, 0.0]


def test_a_mean_may_be_a_list():
    x = mg.nn.batch_normalization([[1.0, 2.0]], [0.5, 1.0], mg.constant([4.0, 16.0]), None, None, 0.0)
    assert x.numpy().tolist() == [[0.25, 0.25]]
