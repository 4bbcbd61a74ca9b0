"""tf.linalg: values and gradients against TensorFlow's, at ordinary points and at corners; errors; shapes and dtypes."""

import itertools

import numpy as np
import pytest
from answers import agrees_with_tensorflow, refused

import minigrad as mg

A = [[2.0, 1.0], [0.5, 3.0]]
S = [[4.0, 1.0], [1.0, 3.0]]
R = [[1.0, 2.0, -1.0], [0.5, 4.0, 3.0]]
nan = float("nan")

# function, input, TensorFlow's value y, TensorFlow's gradient of sum(y * y)
ANSWERS = [
    (lambda x: mg.matmul(x, x, transpose_a=True), R, [[1.25, 4.0, 0.5], [4.0, 20.0, 10.0], [0.5, 10.0, 10.0]],
     [[35.0, 136.0, 42.0], [72.5, 448.0, 281.0]]),
    (lambda x: mg.matmul(x, [x, 2.0 * x], adjoint_b=True), R, [[[6.0, 5.5], [5.5, 25.25]], [[12.0, 11.0], [11.0, 50.5]]],
     [[175.0, 680.0, 210.0], [362.5, 2240.0, 1405.0]]),
    (lambda x: mg.linalg.matvec(x, [1.0, 2.0, 4.0]), R, [1.0, 20.5], [[2.0, 4.0, 8.0], [41.0, 82.0, 164.0]]),
    (lambda x: mg.tensordot(x, x, [[1], [1]]), R, [[6.0, 5.5], [5.5, 25.25]], [[35.0, 136.0, 42.0], [72.5, 448.0, 281.0]]),
    (lambda x: mg.tensordot(x, x, 0)[0, 1], R, [[2.0, 4.0, -2.0], [1.0, 8.0, 6.0]], [[8.0, 141.0, -8.0], [4.0, 32.0, 24.0]]),
    (lambda x: mg.einsum("ij,kj->ik", x, x), R, [[6.0, 5.5], [5.5, 25.25]], [[35.0, 136.0, 42.0], [72.5, 448.0, 281.0]]),
    (lambda x: mg.einsum("ij->j", x), R, [1.5, 6.0, 2.0], [[3.0, 12.0, 4.0], [3.0, 12.0, 4.0]]),
    (lambda x: mg.einsum("ii", x), A, 5.0, [[10.0, 0.0], [0.0, 10.0]]),
    (lambda x: mg.einsum("...ij,jk", mg.stack([x, x]), x), A, [[[4.5, 5.0], [2.5, 9.5]], [[4.5, 5.0], [2.5, 9.5]]],
     [[97.0, 128.0], [106.0, 253.0]]),
    (lambda x: mg.einsum("ij,ij,i->j", x, x, x[:, 0]), R, [1.125, 12.0, 5.5], [[113.75, 96.0, -22.0], [484.69, 96.0, 33.0]]),
    (lambda x: mg.linalg.cross(x, x[::-1]), R, [[10.0, -3.5, 3.0], [-10.0, 3.5, -3.0]], [[90.0, 114.0, -167.0], [-10.0, 52.0, 94.0]]),
    (lambda x: mg.linalg.diag_part(x, k=(-1, 1)), R, [[2.0, 3.0], [1.0, 4.0], [0.5, 0.0]], [[2.0, 4.0, 0.0], [1.0, 8.0, 6.0]]),
    (lambda x: mg.linalg.diag(x, k=(0, 1)), R, [[0.5, 2.0, 0.0], [0.0, 4.0, -1.0], [0.0, 0.0, 3.0]], [[0.0, 4.0, -2.0], [1.0, 8.0, 6.0]]),
    (lambda x: mg.linalg.set_diag(x, [7.0, x[0, 1]], k=1), R, [[1.0, 7.0, -1.0], [0.5, 4.0, 2.0]], [[2.0, 4.0, -2.0], [1.0, 8.0, 0.0]]),
    (lambda x: mg.linalg.tensor_diag(x[0]), R, [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, -1.0]], [[2.0, 4.0, -2.0], [0.0, 0.0, 0.0]]),
    (lambda x: mg.linalg.tensor_diag_part(x), A, [2.0, 3.0], [[4.0, 0.0], [0.0, 6.0]]),
    (lambda x: mg.linalg.trace(x), R, 5.0, [[10.0, 0.0, 0.0], [0.0, 10.0, 0.0]]),
    (lambda x: mg.linalg.band_part(x, 0, 1), R, [[1.0, 2.0, 0.0], [0.0, 4.0, 3.0]], [[2.0, 4.0, 0.0], [0.0, 8.0, 6.0]]),
    (lambda x: mg.linalg.adjoint(x), R, [[1.0, 0.5], [2.0, 4.0], [-1.0, 3.0]], [[2.0, 4.0, -2.0], [1.0, 8.0, 6.0]]),
    (lambda x: mg.linalg.inv(x), A, [[0.54545, -0.18182], [-0.090909, 0.36364]], [[-0.38167, 0.15177], [0.20436, -0.14425]]),
    (lambda x: mg.linalg.inv(x, adjoint=True), A, [[0.54545, -0.090909], [-0.18182, 0.36364]], [[-0.38167, 0.15177], [0.20436, -0.14425]]),
    (lambda x: mg.linalg.det(x), A, 5.5, [[33.0, -5.5], [-11.0, 22.0]]),
    (lambda x: mg.linalg.slogdet(x).log_abs_determinant, A, 1.7047, [[1.8597, -0.30995], [-0.61991, 1.2398]]),
    (lambda x: mg.linalg.logdet(x), S, 2.3979, [[1.3079, -0.43598], [-0.43598, 1.7439]]),
    (lambda x: mg.linalg.solve(x, [[1.0], [5.0]], adjoint=True), A, [[0.090909], [1.6364]], [[0.045079, -0.10669], [0.81142, -1.9204]]),
    (lambda x: mg.linalg.triangular_solve(x, [[1.0], [5.0]]), A, [[0.5], [1.5833]], [[-0.11806, 0.0], [-0.52778, -1.6713]]),
    (lambda x: mg.linalg.cholesky_solve(x, [[1.0], [5.0]]), A, [[0.11806], [0.52778]], [[-0.02961, 0.0], [-0.11767, -0.35063]]),
    (lambda x: mg.linalg.lstsq(x, [[1.0], [5.0]]), R, [[0.082474], [0.77113], [0.62474]],
     [[0.0030609, 0.028619, 0.023186], [-0.03333, -0.31163, -0.25247]]),
    (lambda x: mg.linalg.lstsq(x, [[1.0], [5.0]], l2_regularizer=0.5), R, [[0.085688], [0.76208], [0.60346]],
     [[0.0013736, 0.011367, 0.0086826], [-0.033958, -0.2889, -0.22386]]),
    (lambda x: mg.linalg.cholesky(x), S, [[2.0, 0.0], [0.5, 1.6583]], [[1.0, -2.9802e-08], [-2.9802e-08, 1.0]]),
    (lambda x: mg.linalg.eigvalsh(x), S, [2.382, 4.618], [[8.0, 0.0], [4.0, 6.0]]),
    (lambda x: mg.abs(mg.linalg.eigh(x)[1]), S, [[0.52573, 0.85065], [0.85065, 0.52573]], [[0.0, 0.0], [0.0, 0.0]]),
    (lambda x: mg.linalg.svd(x, compute_uv=False), R, [5.1682, 2.1306], [[2.0, 4.0, -2.0], [1.0, 8.0, 6.0]]),
    (lambda x: mg.abs(mg.linalg.svd(x)[2]), R, [[0.14317, 0.3934], [0.84736, 0.42539], [0.51136, 0.81504]],
     [[1.0667e-07, 9.6314e-08, -2.2223e-07], [-3.4295e-08, -7.3308e-08, 3.5151e-08]]),
    (lambda x: mg.abs(mg.linalg.qr(x).r), R, [[1.118, 3.5777, 0.44721], [0.0, 2.6833, 3.1305]], [[2.0, 4.0, -2.0], [1.0, 8.0, 6.0]]),
    (lambda x: mg.linalg.expm(x), A, [[10.162, 13.763], [6.8817, 23.925]], [[435.8, 666.12], [763.94, 1389.2]]),
    (lambda x: mg.linalg.pinv(x), R, [[0.18557, -0.020619], [0.23505, 0.10722], [-0.34433, 0.19381]],
     [[-0.079158, -0.088171, 0.16099], [0.018876, 0.010713, -0.05042]]),
    (lambda x: mg.norm(x), R, 5.5902, [[2.0, 4.0, -2.0], [1.0, 8.0, 6.0]]),
    (lambda x: mg.norm(x, 1, axis=1), R, [4.0, 7.5], [[8.0, 8.0, -8.0], [15.0, 15.0, 15.0]]),
    (lambda x: mg.norm(x, np.inf, axis=0, keepdims=True), R, [[1.0, 4.0, 3.0]], [[2.0, 0.0, -0.0], [0.0, 8.0, 6.0]]),
    (lambda x: mg.norm(x, 3, axis=-1), R, [2.1544, 4.5], [[0.92832, 3.7133, -0.92832], [0.11111, 7.1111, 4.0]]),
    (lambda x: mg.norm(x, "fro", axis=(0, 1)), R, 5.5902, [[2.0, 4.0, -2.0], [1.0, 8.0, 6.0]]),
    (lambda x: mg.norm(x, 2, axis=[-2, -1]), R, 5.1682, [[0.37983, 2.2481, 1.3567], [1.4303, 8.4653, 5.1086]]),
    (lambda x: mg.norm(x, 1, axis=(0, 1)), R, 6.0, [[0.0, 12.0, -0.0], [0.0, 12.0, 0.0]]),
    (lambda x: mg.linalg.normalize(x, axis=0)[0], R, [[0.89443, 0.44721, -0.31623], [0.44721, 0.89443, 0.94868]],
     [[0.0, 0.0, -2.9802e-08], [0.0, 0.0, 5.9605e-08]]),
    (lambda x: mg.linalg.normalize(x, 1, axis=1)[0], R, [[0.25, 0.5, -0.25], [0.066667, 0.53333, 0.4]],
     [[-0.0625, 0.0625, 0.0625], [-0.101926, 0.0225185, -0.013037]]),
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS)
def test_values_and_gradients_are_those_of_tensorflow(answer):
    agrees_with_tensorflow(*answer)


SQUARE = mg.constant([[2.0, 1.0, 0.5], [0.25, 3.0, -1.0], [1.0, 0.5, 4.0]], mg.float64)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("batch", [((), ()), ((2,), (2,)), ((2, 1), (3,)), ((), (2,)), ((2,), ())])
def test_matmul_transposes_and_broadcasts_like_numpy_and_its_gradient_fits(transpose_a, transpose_b, batch):
    random = np.random.default_rng(0)
    a = random.normal(size=(*batch[0], *((4, 3) if transpose_a else (3, 4))))
    b = random.normal(size=(*batch[1], *((5, 4) if transpose_b else (4, 5))))
    expected = (a.swapaxes(-1, -2) if transpose_a else a) @ (b.swapaxes(-1, -2) if transpose_b else b)
    z = mg.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)
    np.testing.assert_allclose(z.numpy(), expected)
    mg.test.check_gradients(lambda a, b: mg.matmul(a, b, transpose_a, transpose_b), a, b)


def test_matmul_of_integers_and_of_nothing():
    assert mg.matmul([[1, 2]], [[3], [4]]).numpy().tolist() == [[11]]
    assert mg.matmul([[1, 2]], [[3], [4]]).dtype == mg.int32
    assert mg.matmul(mg.zeros((2, 0)), mg.zeros((0, 3))).numpy().tolist() == [[0.0] * 3] * 2
    assert mg.matmul(mg.cast([[1, 2]], mg.int8), mg.cast([[100], [100]], mg.int8), output_type=mg.int32).numpy().tolist() == [[300]]


def test_the_adjoint_conjugates_and_so_does_the_gradient():
    a, b = mg.constant([[1 + 2j, 3j]]), mg.constant([[2 - 1j, 1.0]])
    with mg.GradientTape() as tape:
        tape.watch([a, b])
        z = mg.matmul(a, b, adjoint_b=True)
    assert z.numpy().tolist() == [[5j + 3j]]
    da, db = tape.gradient(z, [a, b])
    assert da.numpy().tolist() == [[2 - 1j, 1.0]]
    assert db.numpy().tolist() == [[1 + 2j, 3j]]


ones = mg.ones
ERRORS = [
    (lambda: mg.matmul([1.0, 2.0], [1.0, 2.0]), "In[0] and In[1] ndims must be == 2: 1 [Op:MatMul]"),
    (lambda: mg.matmul(2.0, [[1.0, 2.0]]), "In[0] and In[1] has different ndims: [] vs. [1,2] [Op:MatMul]"),
    (lambda: mg.constant([[1.0, 2.0]]) @ [[1.0, 2.0]], "Matrix size-incompatible: In[0]: [1,2], In[1]: [1,2] [Op:MatMul]"),
    (lambda: mg.matmul(ones((2, 1, 2)), [[1.0, 2.0]]), "Matrix size-incompatible: In[0]: [2,1,2], In[1]: [1,2] [Op:BatchMatMulV2]"),
    (lambda: mg.matmul(ones((2, 1, 2)), ones((3, 2, 1))), "must have compatible batch dimensions: [2,1,2] vs. [3,2,1] [Op:BatchMatMulV2]"),
    (lambda: mg.matmul(ones((2, 1, 2)), ones(2)), "In[1] ndims must be >= 2: 1 [Op:BatchMatMulV2]"),
    (lambda: mg.matmul(mg.eye(2), mg.eye(2, dtype=mg.float64)), "cannot compute MatMul as input #1(zero-based) was expected to be a float"),
    (lambda: mg.linalg.inv([1.0]), "Input tensor 0 must have rank >= 2, got 1 [Op:MatrixInverse]"),
    (lambda: mg.linalg.inv(R), "Input matrix must be square. [Op:MatrixInverse]"),
    (lambda: mg.linalg.inv([[1.0, 2.0], [2.0, 4.0]]), "Input is not invertible. [Op:MatrixInverse]"),
    (lambda: mg.linalg.inv([[nan, 2.0], [2.0, 4.0]]), "Input is not invertible. [Op:MatrixInverse]"),
    (lambda: mg.linalg.det(R), "Input matrix must be square. [Op:MatrixDeterminant]"),
    (lambda: mg.linalg.cholesky([[1, 2], [2, 5]]), "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda: mg.linalg.eigh([[nan]]), "Self-adjoint eigen decomposition was not successful. The input might not be valid."),
    (lambda: mg.linalg.solve([[1.0, 2.0], [2.0, 4.0]], [[1.0], [2.0]]), "Input matrix is not invertible. [Op:MatrixSolve]"),
    (lambda: mg.linalg.solve(A, [1.0, 2.0]), "All input tensors must have the same rank."),
    (lambda: mg.linalg.solve(A, ones((3, 1))), "Input matrix and rhs are incompatible."),
    (lambda: mg.linalg.solve(R, ones((2, 1))), "First input (lhs) must be a square matrix."),
    (lambda: mg.linalg.solve(ones((1, 2, 2)), ones((3, 2, 1))), "All input tensors must have the same outer dimensions."),
    (lambda: mg.linalg.triangular_solve(R, ones((2, 1))), "In[0] matrices in the last dimensions must be square (3 =/= 2)"),
    (lambda: mg.linalg.diag([1.0, 2.0], k=-1, num_rows=1), "The number of rows is too small."),
    (lambda: mg.linalg.diag([[1.0, 2.0]], k=(1, 0)), "lower_diag_index must not be larger than upper_diag_index: 1 > 0"),
    (lambda: mg.linalg.diag(1.0), "diagonal must be at least 1-dim, received shape: []"),
    (lambda: mg.linalg.diag_part([1.0, 2.0]), "input must be at least 2-dim, received shape: [2]"),
    (lambda: mg.linalg.diag_part(R, k=5), "lower_diag_index is out of bound: 5. It must be between -2 and 3"),
    (lambda: mg.linalg.set_diag(A, [1.0]), "Diagonal shape: [1]\nExpected diagonal shape: [2]"),
    (lambda: mg.linalg.band_part(A, 3, 0), "num_lower must be negative or less or equal to number of rows (2) got: 3"),
    (lambda: mg.linalg.cross([1.0, 2.0, 3.0], [[1.0, 2.0, 3.0]]), "Both inputs must be of same shape: [3] vs. [1,3]"),
    (lambda: mg.linalg.tensor_diag_part(R), "Invalid shape [2,3]: dimensions 0 and 1 do not match."),
    (lambda: mg.einsum("ij,jk->ik", mg.constant(A), mg.constant(R[:1])), "Expected dimension 2 at axis 0 of the input shaped [1,3]"),
    (lambda: mg.einsum("ij", ones((2, 3, 4))), "Expected input 0 to have rank 2 but got: 3"),
    (lambda: mg.einsum("...i...->...i", ones((2, 3, 4))), "Expected input 0 to have rank at least 1 but got: 3"),
    (lambda: mg.einsum("i...,i...->i", ones((2, 3)), ones((2, 3))), "Output contains 1 broadcasting dimension(s) but no ellipsis (...)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), ERRORS)
def test_what_does_not_fit_is_refused_in_tensorflows_words(call, text):
    refused(call, text, mg.errors.InvalidArgumentError)


VALUE_ERRORS = [
    (lambda: mg.matmul(A, A, transpose_a=True, adjoint_a=True), "Only one of `transpose_a` and `adjoint_a` can be True."),
    (lambda: mg.tensordot([1.0], [1.0], -1), "`axes` must be at least 0. Received: -1."),
    (lambda: mg.tensordot([1.0], [1.0], 2), "`axes` must not be larger than the number of dimensions of tensor [1.].  Received 2"),
    (lambda: mg.tensordot(A, A, [[0, 1], [1]]), "Different number of contraction axes `a` and `b`, 2 != 1."),
    (lambda: mg.einsum("ij->ijj", mg.constant(A)), "Output subscripts contain a label appearing more than once: ij->ijj"),
    (lambda: mg.einsum("ij->k", mg.constant(A)), "Output subscripts contain the label k not present in the input subscripts."),
    (lambda: mg.einsum("ij,jk", mg.constant(A)), 'Got 1 inputs for equation "ij,jk", expecting 2'),
    (lambda: mg.einsum("i1->i", mg.constant(A)), "Subscripts have incorrect format: i1->i"),
    (lambda: mg.norm(R, "fro"), "'ord' must be a supported vector norm, got fro"),
    (lambda: mg.norm(R, 0), "'ord' must be a supported vector norm, got 0"),
    (lambda: mg.norm(R, 3, axis=(0, 1)), "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got 3"),
    (lambda: mg.norm(R, axis=(0, 0)), "'axis' must be None, an integer, or a tuple of 2 unique integers, got (0, 0)"),
    (lambda: mg.linalg.matrix_transpose([1.0]), "Argument `a` should be a (batch) matrix with rank >= 2."),
    (lambda: mg.linalg.expm([[1]]), "tf.linalg.expm does not support matrices of type <dtype: 'int32'>"),
    (lambda: mg.linalg.pinv([1.0]), "Input `a` must have at least 2 dimensions (saw: 1)."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), VALUE_ERRORS)
def test_arguments_that_mean_nothing_are_value_errors(call, text):
    refused(call, text, ValueError)


def test_a_matrix_that_is_not_positive_definite_has_a_cholesky_factor_of_nan_but_its_neighbours_in_the_batch_do_not():
    factor = mg.linalg.cholesky([[[1.0, 2.0], [2.0, 1.0]], [[4.0, 9.0], [2.0, 3.0]]]).numpy()
    np.testing.assert_array_equal(factor[0], [[nan, 0.0], [nan, nan]])
    np.testing.assert_allclose(factor[1], [[2.0, 0.0], [1.0, 1.4142135]])


def test_a_zero_on_the_diagonal_of_a_triangular_matrix_gives_infinity_as_in_tensorflow():
    x = mg.linalg.triangular_solve([[1.0, 2.0], [2.0, 0.0]], mg.eye(2)).numpy()
    np.testing.assert_array_equal(x, [[1.0, 0.0], [-np.inf, np.inf]])


def test_the_gradient_of_a_norm_at_zero_is_nan():
    x = mg.Variable([0.0, 0.0])
    with mg.GradientTape() as tape:
        y = mg.norm(x)
    assert np.isnan(tape.gradient(y, x).numpy()).all()


@pytest.mark.parametrize("align", ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"])
@pytest.mark.parametrize("k", [0, 1, -1, (-1, 0), (-1, 2)])
def test_set_diag_puts_back_what_diag_part_took(k, align):
    x = np.arange(12.0).reshape(3, 4) + 1
    parts = mg.linalg.diag_part(x, k=k, align=align)
    emptied = mg.linalg.set_diag(x, mg.zeros_like(parts), k=k, align=align)
    alone = mg.linalg.diag(parts, k=k, num_rows=3, num_cols=4, align=align)
    np.testing.assert_array_equal((emptied + alone).numpy(), x)
    np.testing.assert_array_equal(mg.linalg.set_diag(emptied, parts, k=k, align=align).numpy(), x)


@pytest.mark.parametrize(
    ("align", "expected"),
    [("RIGHT_LEFT", [[9, 3], [2, 6], [1, 5], [4, 9]]), ("LEFT_RIGHT", [[3, 9], [2, 6], [1, 5], [9, 4]]),
     ("LEFT_LEFT", [[3, 9], [2, 6], [1, 5], [4, 9]]), ("RIGHT_RIGHT", [[9, 3], [2, 6], [1, 5], [9, 4]])],
)  # fmt: skip
def test_shorter_diagonals_are_padded_on_the_side_that_align_leaves(align, expected):
    x = [[1, 2, 3], [4, 5, 6]]
    assert mg.linalg.diag_part(x, k=(-1, 2), padding_value=9, align=align).numpy().tolist() == expected


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 3)])
def test_decompositions_multiply_back(shape):
    x = np.random.default_rng(1).normal(size=shape)
    s, u, v = mg.linalg.svd(x)
    np.testing.assert_allclose((u @ mg.linalg.diag(s) @ mg.linalg.adjoint(v)).numpy(), x, atol=1e-12)
    q, r = mg.linalg.qr(x)
    np.testing.assert_allclose((q @ r).numpy(), x, atol=1e-12)
    gram = mg.matmul(x, x, transpose_a=True)
    e, w = mg.linalg.eigh(gram)
    np.testing.assert_allclose((gram @ w).numpy(), (w * e[..., None, :]).numpy(), atol=1e-12)
    np.testing.assert_allclose(mg.linalg.svd(x, full_matrices=True)[1].shape[-1], shape[-2])


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 3)])
def test_singular_vectors_have_second_derivatives(which, shape):
    x = np.random.default_rng(2).normal(size=shape)
    mg.test.check_gradients(lambda x: mg.square(mg.linalg.svd(x)[which]), x)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_q_and_r_have_second_derivatives(shape):
    mg.test.check_gradients(mg.linalg.qr, np.random.default_rng(3).normal(size=shape))


def test_eigenvectors_have_second_derivatives_even_if_only_a_triangle_is_read():
    mg.test.check_gradients(lambda x: mg.square(mg.linalg.eigh(x)[1]), SQUARE)


def test_the_cholesky_factor_of_a_symmetric_matrix_has_second_derivatives():
    mg.test.check_gradients(lambda x: mg.linalg.cholesky(x + mg.transpose(x)), SQUARE)


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ii", (2, 2)), ("ii->i", (2, 2)), ("i->", (3,)), ("ba", (2, 3)),
    ("i j , jk -> i k", (2, 3), (3, 4)), ("...ij,...jk->...ik", (2, 1, 2, 3), (5, 3, 4)), ("...ij,jk", (2, 2, 3), (3, 4)),
    ("i...,i...->i...", (2, 3), (2, 1)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)), ("iij,jk->ik", (2, 2, 3), (3, 2)),
    ("iji->j", (2, 3, 2)), ("ij,k->i", (2, 3), (4,)), ("...ii->...", (2, 3, 3)), ("ii,ii->i", (2, 2), (2, 2)), ("->", ()),
]  # fmt: skip


@pytest.mark.parametrize("case", EQUATIONS)
def test_every_kind_of_einsum_has_gradients_to_second_order(case):
    equation, *shapes = case
    xs = [mg.constant(np.random.default_rng(k).normal(size=shape)) for k, shape in enumerate(shapes)]
    expected = np.einsum(equation.replace(" ", ""), *[x.numpy() for x in xs])
    np.testing.assert_allclose(mg.einsum(equation, *xs).numpy(), expected)
    mg.test.check_gradients(lambda *xs: mg.einsum(equation, *xs), *xs)


def test_matrices_of_no_size_are_fine():
    empty = mg.zeros((0, 0))
    assert mg.linalg.det(empty).numpy() == 1.0
    for function in (mg.linalg.inv, mg.linalg.cholesky, mg.linalg.expm):
        assert function(empty).shape == (0, 0)
    assert mg.linalg.inv(mg.zeros((0, 2, 2))).shape == (0, 2, 2)


def test_eye_repeats_along_the_batch():
    assert mg.eye(2, 3, batch_shape=[2], dtype=mg.int32).numpy().tolist() == [[[1, 0, 0], [0, 1, 0]]] * 2
    assert mg.eye(2, 0).shape == (2, 0)
    for rows, columns in ((2.0, None), (2, 2.0)):
        with pytest.raises(TypeError, match="must be positive integer values"):
            mg.eye(rows, columns)


def test_results_keep_float16_and_float32():
    for dtype in (mg.float16, mg.float32):
        x = mg.cast(S, dtype)
        for function in (mg.linalg.inv, mg.linalg.det, mg.linalg.expm, mg.norm, mg.linalg.trace):
            with mg.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            assert y.dtype == dtype
            assert tape.gradient(y, x).dtype == dtype


def test_the_rank_counts_singular_values_and_tolerates_rounding():
    assert mg.linalg.matrix_rank([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [2.0, 4.001]]]).numpy().tolist() == [1, 2]
    assert mg.linalg.matrix_rank(A, tol=2.5).numpy() == 1


def test_general_eigenvalues_are_complex():
    e, v = mg.linalg.eig(mg.constant([[0.0, 1.0], [-1.0, 0.0]]))
    assert e.dtype == mg.complex64
    np.testing.assert_allclose((mg.cast([[0.0, 1.0], [-1.0, 0.0]], mg.complex64) @ v).numpy(), (v * e).numpy(), atol=1e-6)
    np.testing.assert_allclose(mg.linalg.eigvals(mg.constant([[2.0, 1.0], [0.0, 1.0]])).numpy(), [2.0, 1.0])


@pytest.mark.parametrize(("order", "axis"), [*itertools.product((1, 2, np.inf), (0, (0, 1)))])
def test_a_single_number_has_no_axis_to_take_a_norm_along(order, axis):
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"for input with 0 dimension|vector of size 0"):
        mg.norm(mg.constant(2.5), order, axis)


def test_a_single_number_has_no_euclidean_norm_along_an_axis():
    with pytest.raises(mg.errors.InvalidArgumentError, match="for input with 0 dimension"):
        mg.math.reduce_euclidean_norm(mg.constant(2.5), -1)


def test_the_sign_of_a_determinant_has_a_jacobian_of_zeros():
    x = mg.Variable([[2.0, 1.0], [0.5, 3.0]])
    with mg.GradientTape() as tape:
        sign, _ = mg.linalg.slogdet(x)
    assert tape.jacobian(sign, x).numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]


EIGENVALUES = [[5.612487, -11.22497], [8.418731, 2.806244]]
EIGENVECTORS = [[0.0, 0.4198552], [0.3148914, 0.0]]
EIGENVALUES_AGAIN = [[6.414269, -7.216054], [-4.409811, 6.01338]]


def test_eigenvalues_of_any_matrix_have_the_gradient_that_tensorflow_gives():
    x = mg.constant([[0.5, -1.5], [2.0, 1.0]])
    with mg.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with mg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            e, v = mg.linalg.eig(x)
            size = mg.reduce_sum(mg.abs(e) ** 3)
            bent = mg.reduce_sum(mg.abs(v) ** 3 * [[1.0], [2.0]])
        slope = tape.gradient(size, x)
    np.testing.assert_allclose(slope.numpy(), EIGENVALUES, rtol=1e-4)
    np.testing.assert_allclose(tape.gradient(bent, x).numpy(), EIGENVECTORS, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(outer.gradient(slope, x).numpy(), EIGENVALUES_AGAIN, rtol=1e-3)


def test_all_of_the_singular_vectors_have_a_gradient_if_there_is_one_more_at_most():
    x = mg.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 9.0]])
    with mg.GradientTape() as tape:
        tape.watch(x)
        u = mg.linalg.svd(x, full_matrices=True)[1]
    with pytest.raises(NotImplementedError, match=r"abs\(m - n\) > 1 when full_matrices is True. Received: m=4 and n=2"):
        tape.gradient(u, x)


def test_the_signs_of_many_determinants_have_a_jacobian_of_zeros():
    x = mg.Variable([[[2.0, 1.0], [0.5, 3.0]], [[1.0, 4.0], [2.0, 1.0]]])
    with mg.GradientTape() as tape:
        sign = mg.linalg.slogdet(x)[0]
    found = tape.jacobian(sign, x)
    assert found.shape == (2, 2, 2, 2)
    assert not found.numpy().any()
