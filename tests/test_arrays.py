"""tf's array ops: values, gradients, edges and errors, as TensorFlow 2.21 gives them."""

import numpy as np
import pytest

import minigrad as mg

NUMBERS = [[1.0, 2.0, 3.0], [4.0, 5.5, 6.0]]

# what to compute, its value, and the gradient of sum(weight * value) with the weights 1, 2, 3 ...
EXPECTED = [
    (lambda x: mg.reshape(x, [3, -1]), [[1, 2], [3, 4], [5.5, 6]], [[1, 2, 3], [4, 5, 6]]),
    (lambda x: mg.transpose(x), [[1, 4], [2, 5.5], [3, 6]], [[1, 3, 5], [2, 4, 6]]),
    (lambda x: mg.transpose(x[:, None], [2, 0, 1]), [[[1], [4]], [[2], [5.5]], [[3], [6]]], [[1, 3, 5], [2, 4, 6]]),
    (lambda x: mg.expand_dims(x, -1), [[[1], [2], [3]], [[4], [5.5], [6]]], [[1, 2, 3], [4, 5, 6]]),
    (lambda x: mg.squeeze(x[None], [0]), [[1, 2, 3], [4, 5.5, 6]], [[1, 2, 3], [4, 5, 6]]),
    (lambda x: mg.concat([x, x * x], -1), [[1, 2, 3, 1, 4, 9], [4, 5.5, 6, 16, 30.25, 36]], [[9, 22, 39], [87, 129, 153]]),
    (lambda x: mg.concat([x[:, :1], x], 1), [[1, 1, 2, 3], [4, 4, 5.5, 6]], [[3, 3, 4], [11, 7, 8]]),
    (lambda x: mg.stack([x, x * x], -1), [[[1, 1], [2, 4], [3, 9]], [[4, 16], [5.5, 30.25], [6, 36]]], [[5, 19, 41], [71, 119, 155]]),
    (lambda x: mg.unstack(x, axis=-1)[1], [2, 5.5], [[0, 1, 0], [0, 2, 0]]),
    (lambda x: mg.split(x, [1, -1], 1)[1], [[2, 3], [5.5, 6]], [[0, 1, 2], [0, 3, 4]]),
    (lambda x: mg.split(x, 3, -1)[2], [[3], [6]], [[0, 0, 1], [0, 0, 2]]),
    (lambda x: mg.meshgrid(x[0], x[1, :2])[1], [[4, 4, 4], [5.5, 5.5, 5.5]], [[0, 0, 0], [6, 15, 0]]),
    (lambda x: mg.meshgrid(x[0], x[1, :2], indexing="ij")[0], [[1, 1], [2, 2], [3, 3]], [[3, 7, 11], [0, 0, 0]]),
    (lambda x: mg.tile(x, [1, 2]), [[1, 2, 3, 1, 2, 3], [4, 5.5, 6, 4, 5.5, 6]], [[5, 7, 9], [17, 19, 21]]),
    (lambda x: mg.repeat(x, 2, axis=0), [[1, 2, 3], [1, 2, 3], [4, 5.5, 6], [4, 5.5, 6]], [[5, 7, 9], [17, 19, 21]]),
    (lambda x: mg.repeat(x, [1, 0, 2], axis=1), [[1, 3, 3], [4, 6, 6]], [[1, 0, 5], [4, 0, 11]]),
    (lambda x: mg.repeat(x, 2), [1, 1, 2, 2, 3, 3, 4, 4, 5.5, 5.5, 6, 6], [[3, 7, 11], [15, 19, 23]]),
    (lambda x: mg.pad(x, [[1, 0], [0, 1]], constant_values=9.0), [[9, 9, 9, 9], [1, 2, 3, 9], [4, 5.5, 6, 9]], [[5, 6, 7], [9, 10, 11]]),
    (lambda x: mg.pad(x, [[0, 3 - mg.shape(x)[0]], [mg.Variable(1), 0]]), [[0, 1, 2, 3], [0, 4, 5.5, 6], [0] * 4], [[2, 3, 4], [6, 7, 8]]),
    (lambda x: mg.pad(x[0], [mg.constant([0, 1])]), [1, 2, 3, 0], [[1, 2, 3], [0, 0, 0]]),
    (lambda x: mg.roll(x, [1, -1], [0, 1]), [[5.5, 6, 4], [2, 3, 1]], [[6, 4, 5], [3, 1, 2]]),
    (lambda x: mg.reverse(x, [-1]), [[3, 2, 1], [6, 5.5, 4]], [[3, 2, 1], [6, 5, 4]]),
    (lambda x: mg.reverse_sequence(x, [2, 3], seq_axis=1), [[2, 1, 3], [6, 5.5, 4]], [[2, 1, 3], [6, 5, 4]]),
    (lambda x: x[1], [4, 5.5, 6], [[0, 0, 0], [1, 2, 3]]),
    (lambda x: x[-1, ::-1], [6, 5.5, 4], [[0, 0, 0], [3, 2, 1]]),
    (lambda x: x[..., 0], [1, 4], [[1, 0, 0], [2, 0, 0]]),
    (lambda x: x[:, mg.newaxis, 1:], [[[2, 3]], [[5.5, 6]]], [[0, 1, 2], [0, 3, 4]]),
    (lambda x: x[mg.constant(1), mg.constant(0) : 2], [4, 5.5], [[0, 0, 0], [1, 2, 0]]),
    (lambda x: x[x > 2.5], [3, 4, 5.5, 6], [[0, 0, 1], [2, 3, 4]]),
    (lambda x: x[[0, 1]], 2, [[0, 1, 0], [0, 0, 0]]),
    (lambda x: mg.slice(x, [0, 1], [2, -1]), [[2, 3], [5.5, 6]], [[0, 1, 2], [0, 3, 4]]),
    (lambda x: mg.strided_slice(x, [0, -1], [2, -4], [1, -2]), [[3, 1], [6, 4]], [[2, 0, 1], [4, 0, 3]]),
    (lambda x: mg.strided_slice(x, [1, 0], [2, 3], [1, 2], shrink_axis_mask=1), [4, 6], [[0, 0, 0], [1, 0, 2]]),
    (lambda x: mg.gather(x, [2, 0, 2], axis=1), [[3, 1, 3], [6, 4, 6]], [[2, 0, 4], [5, 0, 10]]),
    (lambda x: mg.gather(x, [[2, 2], [0, 1]], batch_dims=1), [[3, 3], [4, 5.5]], [[0, 0, 3], [3, 4, 0]]),
    (lambda x: mg.gather(x, [2, 0], batch_dims=1), [3, 4], [[0, 0, 1], [2, 0, 0]]),
    (lambda x: mg.gather_nd(x, [[0, 1], [1, 2], [0, 1]]), [2, 6, 2], [[0, 4, 0], [0, 0, 2]]),
    (lambda x: mg.gather_nd(x, [[[0, 1]], [[1, 0]]]), [[2], [4]], [[0, 1, 0], [2, 0, 0]]),
    (lambda x: mg.gather_nd(x, [[[2], [2]], [[0], [1]]], batch_dims=1), [[3, 3], [4, 5.5]], [[0, 0, 3], [3, 4, 0]]),
    (lambda x: mg.gather_nd(x, [[2], [0]], batch_dims=1), [3, 4], [[0, 0, 1], [2, 0, 0]]),
    (lambda x: mg.boolean_mask(x, [True, False, True], axis=1), [[1, 3], [4, 6]], [[1, 0, 2], [3, 0, 4]]),
    (lambda x: mg.where(x > 2.5, x * x, 0.0), [[0, 0, 9], [16, 30.25, 36]], [[0, 0, 18], [32, 55, 72]]),
    (lambda x: mg.where([[True], [False]], x, x[0, 0]), [[1, 2, 3], [1, 1, 1]], [[16, 2, 3], [0, 0, 0]]),
    (lambda x: mg.scatter_nd([[0], [2]], x, [3, 3]), [[1, 2, 3], [0, 0, 0], [4, 5.5, 6]], [[1, 2, 3], [7, 8, 9]]),
    (lambda x: mg.tensor_scatter_nd_add(x, [[0, 1], [0, 1]], x[1, :2]), [[1, 11.5, 3], [4, 5.5, 6]], [[1, 2, 3], [6, 7, 6]]),
    (lambda x: mg.tensor_scatter_nd_sub(x, [[0]], x[1:]), [[-3, -3.5, -3], [4, 5.5, 6]], [[1, 2, 3], [3, 3, 3]]),
    (lambda x: mg.tensor_scatter_nd_update(x, [[0, 1]], x[1, 2:]), [[1, 6, 3], [4, 5.5, 6]], [[1, 0, 3], [4, 5, 8]]),
    (lambda x: mg.tensor_scatter_nd_max(x, [[0], [0]], mg.stack([x[1], x[0]])), [[4, 5.5, 6], [4, 5.5, 6]], [[0, 0, 0], [5, 7, 9]]),
    (lambda x: mg.tensor_scatter_nd_min(x, [[1, 0], [1, 2]], [4.0, 1.0]), [[1, 2, 3], [4, 5.5, 1]], [[1, 2, 3], [2, 5, 0]]),
    (lambda x: mg.dynamic_partition(x, [1, 0], 2)[1], [[1, 2, 3]], [[1, 2, 3], [0, 0, 0]]),
    (lambda x: mg.dynamic_stitch([[1], [0, 1]], [x[:1], x]), [[1, 2, 3], [4, 5.5, 6]], [[5, 7, 9], [4, 5, 6]]),
    (lambda x: mg.sort(-x, axis=1), [[-3, -2, -1], [-6, -5.5, -4]], [[-3, -2, -1], [-6, -5, -4]]),
    (lambda x: mg.sort(x, axis=0, direction="DESCENDING"), [[4, 5.5, 6], [1, 2, 3]], [[4, 5, 6], [1, 2, 3]]),
    (lambda x: mg.linspace(x[0], x[1], 3), [[1, 2, 3], [2.5, 3.75, 4.5], [4, 5.5, 6]], [[3, 4.5, 6], [9, 10.5, 12]]),
    (lambda x: mg.linspace(x[0], x[1], 3, axis=-1), [[1, 2.5, 4], [2, 3.75, 5.5], [3, 4.5, 6]], [[2, 6.5, 11], [4, 8.5, 13]]),
    (lambda x: mg.fill([2, 2], x[0, 1]), [[2, 2], [2, 2]], [[0, 10, 0], [0, 0, 0]]),
    (lambda x: mg.broadcast_to(x[:, None], [2, 2, 3]), [[[1, 2, 3], [1, 2, 3]], [[4, 5.5, 6], [4, 5.5, 6]]], [[5, 7, 9], [17, 19, 21]]),
    (lambda x: mg.cast(x, mg.float64), [[1, 2, 3], [4, 5.5, 6]], [[1, 2, 3], [4, 5, 6]]),
    (lambda x: mg.identity_n([x, x * x])[1], [[1, 4, 9], [16, 30.25, 36]], [[2, 8, 18], [32, 55, 72]]),
    (lambda x: mg.ensure_shape(x, [None, 3]), [[1, 2, 3], [4, 5.5, 6]], [[1, 2, 3], [4, 5, 6]]),
]


@pytest.mark.parametrize(("f", "value", "slope"), EXPECTED, ids=range(len(EXPECTED)))
@pytest.mark.parametrize("dtype", [mg.float32, mg.float64])
def test_values_and_gradients_are_those_of_tensorflow(f, value, slope, dtype):
    x = mg.constant(NUMBERS, dtype)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    weights = np.arange(1, np.size(value) + 1).reshape(np.shape(value)).astype(y.dtype.as_numpy_dtype)
    dx = mg.convert_to_tensor(tape.gradient(y, x, output_gradients=mg.constant(weights)))
    np.testing.assert_allclose(y.numpy(), value, rtol=1e-6)
    np.testing.assert_allclose(dx.numpy(), slope, rtol=1e-6)
    assert y.shape == np.shape(value)
    assert dx.dtype == x.dtype


@pytest.mark.parametrize("f", [f for f, _, _ in EXPECTED], ids=range(len(EXPECTED)))
def test_the_jacobian_of_all_rows_at_once_is_the_one_made_row_by_row(f):
    x = mg.constant(NUMBERS)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    rows = np.eye(y.numpy().size, dtype=y.dtype.as_numpy_dtype).reshape((-1, *y.shape))
    one_by_one = [mg.convert_to_tensor(tape.gradient(y, x, output_gradients=mg.constant(row))).numpy() for row in rows]
    np.testing.assert_allclose(tape.jacobian(y, x).numpy().reshape(-1, 2, 3), one_by_one)


x, u, z = mg.constant(NUMBERS), mg.constant([1.5, -2.0, 3.0]), mg.zeros([2, 3, 4])
Invalid = mg.errors.InvalidArgumentError

ERRORS = [
    (lambda: mg.reshape(x, [4, -1]), Invalid, "a tensor with 6 values, but the requested shape requires a multiple of 4"),
    (lambda: mg.reshape(x, [7]), Invalid, "Input to reshape is a tensor with 6 values, but the requested shape has 7"),
    (lambda: mg.reshape(x, [-1, -1]), Invalid, "Only one input size may be -1, not both 0 and 1"),
    (lambda: mg.reshape(x, [-2, 3]), Invalid, "Size 0 must be non-negative, not -2"),
    (lambda: mg.reshape(x, None), ValueError, "Attempt to convert a value (None)"),
    (lambda: mg.transpose(z, [0, 1]), Invalid, "transpose expects a vector of size 3. But input(1) is a vector of size 2"),
    (lambda: mg.transpose(z, [0, 1, 1]), Invalid, "2 is missing from {0,1,1}."),
    (lambda: mg.expand_dims(x, 3), Invalid, "Tried to expand dim index 3 for tensor with 2 dimensions."),
    (lambda: mg.squeeze(x, 0), Invalid, "Can not squeeze dim[0], expected a dimension of 1, got 2"),
    (lambda: mg.concat([x, x], 2), Invalid, "Expected concatenating dimensions in the range [-2, 2), but got 2"),
    (lambda: mg.concat([1.0, 2.0], 0), Invalid, "Can't concatenate scalars (use tf.stack instead)"),
    (lambda: mg.concat([x, x[:, :2]], 0), Invalid, "Dimension 1 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = [2,2]"),
    (lambda: mg.concat([x, [1, 2]], 0), Invalid, "Ranks of all input tensors should match: shape[0] = [2,3] vs. shape[1] = [2]"),
    (lambda: mg.concat(0, [[1], [2]]), ValueError, "Shape (2, 1) must have rank 0"),
    (lambda: mg.concat(1, [[1.0], [2.0]]), TypeError, "Cannot convert [[1.0], [2.0]] to EagerTensor of dtype int32"),
    (lambda: mg.stack([x, u]), Invalid, "Shapes of all inputs must match: values[0].shape = [2,3] != values[1].shape = [3]"),
    (lambda: mg.stack([x, x], axis=3), ValueError, "Argument `axis` = 3 not in range [-3, 3)"),
    (lambda: mg.stack([u, mg.constant([1, 2, 3])]), Invalid, "cannot compute Pack as input #1(zero-based) was expected"),
    (lambda: mg.unstack(x, num=3), Invalid, "Input shape axis 0 must equal 3, got shape [2,3]"),
    (lambda: mg.unstack(mg.constant(1.0)), ValueError, "Argument `axis` = 0 not in range [0, 0)"),
    (lambda: mg.split(x, 2, axis=1), Invalid, "got split_dim 1 (size = 3) and num_split 2"),
    (lambda: mg.split(x, [1, 1], axis=1), Invalid, "Determined shape must either match input shape along split_dim exactly"),
    (lambda: mg.tile(x, [2]), Invalid, "Expected multiples argument to be a vector of length 2 but got length 1"),
    (lambda: mg.repeat(x, [1, 2], axis=1), ValueError, "Dimensions 3 and 2 are not compatible"),
    (lambda: mg.pad(x, [[2, 1], [2, 2]], "REFLECT"), Invalid, "paddings must be less than the dimension size: 2, 1 not less than 2"),
    (lambda: mg.pad(x, [[1, 2]]), Invalid, "The first dimension of paddings must be the rank of inputs[1,2] [2,3]"),
    (lambda: mg.pad(u, [[1, 2]], "foo"), ValueError, "Received `mode` = FOO"),
    (lambda: mg.roll(u, 1, 1), Invalid, "axis 1 is out of range"),
    (lambda: mg.roll(u, 1.5, 0), Invalid, "Value for attr 'Tshift' of float is not in the list of allowed values: int32, int64"),
    (lambda: mg.roll(u, 1, 0.5), Invalid, "Value for attr 'Taxis' of float is not in the list of allowed values: int32, int64"),
    (lambda: mg.reverse(x, [0, -2]), Invalid, "axis 0 specified more than once."),
    (lambda: x[5], Invalid, "slice index 5 of dimension 0 out of bounds."),
    (lambda: x[-3], Invalid, "slice index -1 of dimension 0 out of bounds."),
    (lambda: x[..., 3], Invalid, "slice index 3 of dimension 1 out of bounds."),
    (lambda: x[0, 0, 0], Invalid, "Index out of range using input dim 2; input has only 2 dims"),
    (lambda: x[..., ...], Invalid, "Multiple ellipses in slice spec not allowed"),
    (lambda: x[::0], Invalid, "strides[0] must be non-zero"),
    (lambda: mg.constant(1.0)[0], Invalid, "Attempting to slice scalar input."),
    (lambda: x[True], ValueError, "mask cannot be scalar."),
    (lambda: x[mg.constant([True])], ValueError, "Shapes (2,) and (1,) are incompatible"),
    (lambda: mg.slice(x, [0, 1], [2, 3]), Invalid, "Expected size[1] in [0, 2], but got 3"),
    (lambda: mg.gather(x, [[0, 5]], axis=1), Invalid, "indices[0,1] = 5 is not in [0, 3)"),
    (lambda: mg.gather(x, -1), Invalid, "indices = -1 is not in [0, 2)"),
    (lambda: mg.gather(x, [0.0]), Invalid, "Value for attr 'Tindices' of float is not in the list of allowed values"),
    (lambda: mg.gather(x, [0], axis=2), Invalid, "Shape must be at least rank 3 but is rank 2"),
    (lambda: mg.gather_nd(x, [[0, 3]]), Invalid, "indices[0] = [0, 3] does not index into param shape [2,3]"),
    (lambda: mg.where([True], u), ValueError, "x and y must both be non-None or both be None."),
    (lambda: mg.where(u, u, u), Invalid, "expected to be a bool tensor but is a float tensor"),
    (lambda: mg.where(u > 0, x, u[:2]), Invalid, "condition [3], then [2,3], and else [2] must be broadcastable"),
    (lambda: mg.one_hot([0], -1), Invalid, "depth must be non-negative, got: -1"),
    (lambda: mg.one_hot([0], 3, on_value=5, off_value=1.0), TypeError, "of on_value does not match dtype"),
    (lambda: mg.sort(x, direction="up"), ValueError, "should be one of ASCENDING, DESCENDING. Received: direction=up"),
    (lambda: mg.scatter_nd([[4]], [1.0], [4]), Invalid, "indices[0] = [4] does not index into shape [4]"),
    (lambda: mg.tensor_scatter_nd_update(x, [[0, 0]], [1.0, 2.0]), Invalid, "Outer dimensions of indices and update must match."),
    (lambda: mg.dynamic_partition(u, [0, 2, 0], 2), Invalid, "partitions[1] = 2 is not in [0, 2)"),
    (lambda: mg.range(0, 3, 0), Invalid, "Requires delta != 0: 0"),
    (lambda: mg.range(3, 0), Invalid, "Requires start <= limit when delta > 0: 3/0"),
    (lambda: mg.linspace(0.0, 1.0, 2.5), TypeError, "must be of type integer"),
    (lambda: mg.fill([2], u), Invalid, "value must represent a scalar, got shape [3]"),
    (lambda: mg.zeros([-1]), Invalid, "Dimension -1 must be >= 0"),
    (lambda: mg.zeros([2.0]), TypeError, "Cannot convert [2.0] to EagerTensor of dtype int32"),
    (lambda: mg.broadcast_to(u, [3, 2]), Invalid, "Incompatible shapes: [3] vs. [3,2]"),
    (lambda: mg.cast(u, mg.string), mg.errors.UnimplementedError, "Cast float to string is not supported"),
    (lambda: mg.ensure_shape(x, [3, 2]), Invalid, "Shape of tensor input [2,3] is not compatible with expected shape [3,2]."),
    (lambda: mg.slice(mg.constant([1.0, 2.0]), [-1], [1]), Invalid, "Expected begin[0] in [0, 2], but got -1"),
    (lambda: mg.unique(x), Invalid, "unique expects a 1D vector."),
    (lambda: mg.convert_to_tensor(x, mg.float64), ValueError, "Tensor conversion requested dtype float64 for Tensor with dtype float32"),
    (lambda: mg.convert_to_tensor(1.5, mg.int32), TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
    (lambda: iter(mg.constant(1.0)), TypeError, "Cannot iterate over a scalar tensor."),
]  # fmt: skip


@pytest.mark.parametrize(("f", "error", "text"), ERRORS, ids=[text for _, _, text in ERRORS])
def test_errors_have_the_class_and_the_words_of_tensorflow(f, error, text):
    with pytest.raises(error) as caught:
        f()
    assert text in str(caught.value)


@pytest.mark.parametrize("key", [0.5, "a", np.array([0, 1]), mg.constant([0, 1]), mg.constant(1.0), (0, [1]), slice(0.5)])
def test_what_is_no_place_cannot_be_an_index(key):
    with pytest.raises(TypeError, match="Only integers, slices"):
        x[key]


@pytest.mark.parametrize("key", [
    0, -1, slice(None, None, -1), (Ellipsis, 0), (slice(None), None, slice(1, None)), (1, slice(-100, 100, 2)), (None, Ellipsis, None),
    (slice(2, 0, -1), Ellipsis, slice(None, None, 2)), slice(5, None), (), (0, 0, 0),
])  # fmt: skip
def test_indexing_is_that_of_numpy(key):
    array = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(mg.constant(array)[key].numpy(), array[key])


def test_a_gather_along_the_first_axis_has_indexed_slices_for_a_gradient():
    table = mg.Variable([[1.0], [2.0], [3.0]])
    with mg.GradientTape(persistent=True) as tape:
        rows = mg.gather(table, [2, 0, 2])
        both = [rows, table * table]
        of_a_result = mg.gather(table * 1.0, [2, 0, 2])
    gradient = tape.gradient(rows, table)
    assert isinstance(gradient, mg.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [2, 0, 2]
    assert gradient.dense_shape.numpy().tolist() == [3, 1]
    assert mg.convert_to_tensor(gradient).numpy().ravel().tolist() == [1, 0, 2]
    assert tape.gradient(both, table).numpy().ravel().tolist() == [3, 4, 8]
    assert tape.gradient(both[::-1], table).numpy().ravel().tolist() == [3, 4, 8]
    assert tape.gradient(of_a_result, table).numpy().ravel().tolist() == [1, 0, 2]


def test_the_gradient_of_a_gradient_goes_through_gather():
    table = mg.Variable([1.0, 2.0, 3.0])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = mg.gather(table, [2, 2, 0]) ** 3
        slope = inner.gradient(y, table)
        total = mg.reduce_sum(slope)
    assert mg.convert_to_tensor(outer.gradient(total, table)).numpy().tolist() == [6, 0, 36]


def test_rows_and_whole_tensors_add_up_in_a_recorded_backward_pass_too():
    table = mg.Variable([1.0, 2.0, 3.0])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = mg.gather(table, [2, 0, 2]) * table * table
        slope = inner.gradient(y, table)
    assert slope.numpy().tolist() == [10, 4, 28]
    assert outer.gradient(slope, table).numpy().tolist() == [12, 6, 20]


@pytest.mark.parametrize("f", [
    lambda x: mg.cast(x, mg.int32), lambda x: mg.zeros_like(x), lambda x: mg.ones_like(x), lambda x: mg.stop_gradient(x), mg.shape, mg.size,
    mg.rank, mg.argsort, lambda x: mg.where(x > 2.0), lambda x: mg.one_hot(mg.cast(x, mg.int32), 3), lambda x: mg.searchsorted(x, x),
    lambda x: mg.pad(mg.zeros(2), [[1, 1]], constant_values=x[0, 0]), lambda x: mg.range(x[0, 0]),
])  # fmt: skip
def test_no_gradient_comes_through(f):
    x = mg.constant(NUMBERS)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize(("f", "kernel"), [(lambda x: mg.unique(x).y, "Unique"), (lambda x: mg.bitcast(x, mg.float64), "Bitcast")])
def test_ops_without_a_registered_gradient_say_so(f, kernel):
    x = mg.constant([1.0, 2.0])
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    with pytest.raises(LookupError, match=f"gradient registry has no entry for: {kernel}"):
        tape.gradient(y, x)


def test_where_lets_through_the_nan_of_the_branch_not_taken_unless_the_slope_there_is_guarded():
    x = mg.constant([0.0, 4.0])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        unsafe = mg.where(x > 0, mg.math.log(x), 0.0)
        safe = mg.where(x > 0, mg.math.log(mg.where(x > 0, x, 1.0)), 0.0)
    np.testing.assert_array_equal(tape.gradient(unsafe, x).numpy(), [np.nan, 0.25])
    np.testing.assert_array_equal(tape.gradient(safe, x).numpy(), [0.0, 0.25])


def test_equal_values_share_the_gradient_of_a_scattered_maximum():
    x, updates = mg.constant([1.5, 3.0]), mg.constant([1.5, 1.5])
    with mg.GradientTape() as tape:
        tape.watch([x, updates])
        y = mg.tensor_scatter_nd_max(x, [[0], [0]], updates)
    dx, dupdates = tape.gradient(y, [x, updates])
    np.testing.assert_allclose(dx.numpy(), [1 / 3, 1])
    np.testing.assert_allclose(dupdates.numpy(), [1 / 3, 1 / 3])


def test_a_slice_of_a_variable_is_connected_and_can_be_assigned():
    v = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape() as tape:
        y = v[0] * v[1]
    before = v[0]
    state = v[:, 1].assign([7.0, 8.0])
    assert tape.gradient(y, v).numpy().tolist() == [[3, 4], [1, 2]]
    assert before.numpy().tolist() == [1, 2]
    assert state.numpy().tolist() == v.numpy().tolist() == [[1, 7], [3, 8]]
    assert v[0, 0].assign([9.0]).numpy()[0, 0] == 9
    with pytest.raises(Invalid, match=r"Cannot broadcast input shape \[3\] into final shape \[2\]"):
        v[0].assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype int32"):
        v[0].assign(mg.constant([1, 2]))


def test_iterating_keeps_each_part_connected():
    x = mg.constant([1.0, 2.0, 3.0])
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = sum(t * t for t in x)
    assert tape.gradient(y, x).numpy().tolist() == [2, 4, 6]


@pytest.mark.parametrize(("given", "dtype", "expected"), [
    ([1.9, -1.9], "int32", [1, -1]), ([0.0, np.nan, 2.0], "bool", [False, True, True]), ([300, -1], "uint8", [44, 255]),
    ([True, False], "float32", [1.0, 0.0]), ([1e5], "float16", [np.inf]), ([1 + 2j], "float32", [1.0]), ([1.5], "complex64", [1.5 + 0j]),
])  # fmt: skip
def test_cast_converts_as_tensorflow_does(given, dtype, expected):
    y = mg.cast(mg.constant(given), dtype)
    assert y.dtype.name == dtype
    assert y.numpy().tolist() == expected


def test_each_cast_of_complex_numbers_to_real_ones_is_said(caplog):
    z, lost = mg.constant([1 + 2j]), "input of type complex128 to an incompatible dtype float32.  This will discard the imaginary part"
    for _ in range(2):
        mg.cast(z, mg.float32)
    assert [lost in record.getMessage() for record in caplog.records] == [True, True]
    mg.saturate_cast(z, mg.int8)
    assert caplog.messages[2:] == ["Casting complex to real discards imaginary part."]


def test_the_engine_makes_complex_numbers_real_in_silence(caplog):
    x = mg.constant([1.0])
    with mg.GradientTape() as outer, mg.GradientTape() as tape:
        outer.watch(x), tape.watch(x)
        y = mg.abs(mg.complex(x, 2 * x)) ** 2
        outer.gradient(tape.gradient(y, x), x)
    mg.cast(mg.cast(x, mg.complex64), mg.int32)
    assert not caplog.records


def test_saturate_cast_stops_at_the_limits():
    assert mg.saturate_cast([300.0, -1.0, 5.0], mg.uint8).numpy().tolist() == [255, 0, 5]
    assert mg.saturate_cast([1e10], mg.int32).numpy().tolist() == [2147483520]  # the largest float32 that is an int32
    assert mg.saturate_cast(mg.constant([-5, 300]), mg.uint8).numpy().tolist() == [0, 255]


@pytest.mark.parametrize(("f", "dtype", "values"), [
    (lambda: mg.range(5), "int32", [0, 1, 2, 3, 4]), (lambda: mg.range(0, 1, 0.3), "float32", [0, 0.3, 0.6, 0.9]),
    (lambda: mg.range(3, 0, -1), "int32", [3, 2, 1]), (lambda: mg.range(5, dtype=mg.float64), "float64", [0, 1, 2, 3, 4]),
    (lambda: mg.range(2**33, 2**33 + 2), "int64", [2**33, 2**33 + 1]), (lambda: mg.range(mg.constant(1.5), 4), "float32", [1.5, 2.5, 3.5]),
    (lambda: mg.linspace(0, 10, 5), "float64", [0, 2.5, 5, 7.5, 10]), (lambda: mg.linspace(0.0, 1.0, 1), "float32", [0]),
    (lambda: mg.linspace(0.0, 1.0, 0), "float32", []), (lambda: mg.one_hot([0, 3, -1], 2), "float32", [[1, 0], [0, 0], [0, 0]]),
    (lambda: mg.one_hot([0, 1], 3, axis=0, on_value=5, off_value=-1), "int32", [[5, -1], [-1, 5], [-1, -1]]),
    (lambda: mg.sequence_mask([1, 3]), "bool", [[True, False, False], [True, True, True]]),
    (lambda: mg.argsort([1, 1, 0, 0], direction="DESCENDING"), "int32", [0, 1, 2, 3]),
    (lambda: mg.sort(mg.constant([-128, 127, 0], mg.int8), direction="DESCENDING"), "int8", [127, 0, -128]),
    (lambda: mg.sort([2.0, np.nan, 1.0]), "float32", [1, 2, np.nan]),
    (lambda: mg.searchsorted([[1.0, 3.0], [2.0, 4.0]], [[2.0, 3.0], [2.0, 5.0]], side="right"), "int32", [[1, 2], [1, 2]]),
    (lambda: mg.where([[1.0, 0.0], [2.0, 3.0]]), "int64", [[0, 0], [1, 0], [1, 1]]),
    (lambda: mg.unique([5, 3, 5, 1]).idx, "int32", [0, 1, 0, 2]), (lambda: mg.unravel_index([3, 5], [2, 3]), "int32", [[1, 1], [0, 2]]),
    (lambda: mg.shape(z, out_type=mg.int64), "int64", [2, 3, 4]), (lambda: mg.size(z), "int32", 24), (lambda: mg.rank(z), "int32", 3),
    (lambda: mg.zeros([2], mg.bool), "bool", [False, False]), (lambda: mg.fill([2], True), "bool", [True, True]),
    (lambda: mg.convert_to_tensor([1, 2], dtype_hint=mg.float64), "float64", [1, 2]),
    (lambda: mg.convert_to_tensor([mg.constant(1.0), 2]), "float32", [1, 2]), (lambda: mg.bitcast(1.0, mg.int32), "int32", 1065353216),
    (lambda: mg.broadcast_dynamic_shape([2, 1], [3]), "int32", [2, 3]),
    (lambda: mg.dynamic_partition([1, 2, 3], [1, 1, 1], 2)[0], "int32", []),
])  # fmt: skip
def test_constants_and_indices_have_the_values_and_dtypes_of_tensorflow(f, dtype, values):
    y = f()
    assert y.dtype.name == dtype
    np.testing.assert_allclose(y.numpy(), values, rtol=1e-6)


def test_linspace_is_bitwise_that_of_tensorflow():
    grid = mg.linspace(-2.0, 2.0, 201).numpy()
    step = np.float32(4.0) / np.float32(200)
    assert grid[1:-1].tolist() == (np.float32(-2.0) + step * np.arange(1, 200, dtype=np.float32)).tolist()
    assert grid[-1] == 2.0


@pytest.mark.parametrize(("f", "shape"), [
    (lambda e: mg.reshape(e, [-1]), (0,)), (lambda e: mg.reshape(e, [0, -1]), (0, 3)), (lambda e: mg.reshape(e, [-1, 3]), (0, 3)),
    (lambda e: mg.concat([e, e], 1), (0, 6)), (lambda e: mg.stack([e, e], 1), (0, 2, 3)), (lambda e: mg.tile(e, [2, 2]), (0, 6)),
    (lambda e: mg.pad(e, [[1, 1], [0, 0]]), (2, 3)), (lambda e: mg.transpose(e), (3, 0)), (lambda e: mg.sort(e), (0, 3)),
    (lambda e: mg.repeat(e, 2, axis=1), (0, 6)), (lambda e: mg.roll(e, 1, 0), (0, 3)), (lambda e: mg.split(e, 3, 1)[0], (0, 1)),
    (lambda e: mg.dynamic_stitch([mg.zeros(0, mg.int32)], [e]), (0, 3)),
    (lambda e: mg.gather(e, np.zeros(0, int)), (0, 3)), (lambda e: e[0:0, ::2], (0, 2)), (lambda e: e[e > 0], (0,)),
])  # fmt: skip
def test_empty_tensors_keep_their_shapes_in_both_directions(f, shape):
    e = mg.zeros([0, 3])
    with mg.GradientTape() as tape:
        tape.watch(e)
        y = f(e)
    assert y.shape == shape
    assert tape.gradient(y, e).shape == (0, 3)


def test_strings_can_be_shaped_joined_and_picked():
    words = mg.constant(["a", "bc", "d"])
    assert words[1].numpy() == b"bc"
    assert mg.gather(words, 2).numpy() == b"d"
    assert mg.concat([words[:1], words[2:]], 0).numpy().tolist() == [b"a", b"d"]
    assert mg.zeros([2], mg.string).numpy().tolist() == [b"", b""]
    assert mg.where([True, False, True], words, "x").numpy().tolist() == [b"a", b"x", b"d"]


def test_a_tensor_that_comes_back_as_itself_and_one_that_does_not():
    v = mg.Variable([1.0, 2.0])
    assert mg.convert_to_tensor(x) is x
    assert mg.cast(x, mg.float32) is x
    assert mg.cast(v, mg.float32) is v
    assert mg.identity(x) is not x
    assert mg.is_tensor(v)
    assert not mg.is_tensor([x])


def test_a_place_that_is_not_there_is_named():
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"indices\[1\] = \[0, 2\] does not index into param shape \[1,2\]"):
        mg.gather_nd([[1.0, 2.0]], [[0, 0], [0, 2]])


def test_what_is_transposed_by_axes_from_the_end_comes_back():
    x = mg.constant([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.transpose(x, [-1, 0, 1]) * [[[1.0, 10.0]], [[2.0, 20.0]], [[3.0, 30.0]]]
    assert tape.gradient(y, x).numpy().tolist() == [[[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]]
