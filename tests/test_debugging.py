"""tf.debugging: each check is silent when all is well, and says what is wrong when it is not."""

import copy
import pickle

import numpy as np
import pytest

import minigrad as mg

check = mg.debugging
Invalid = mg.errors.InvalidArgumentError
x, y, u = mg.constant([[1.0, 2.0], [4.0, 5.5]]), mg.constant([[0.5, -1.0], [3.0, -2.0]]), mg.constant([1.5, -2.0])

SILENT = [
    lambda: check.assert_equal(x, x), lambda: check.assert_equal(x[0], [1.0, 2.0]), lambda: check.assert_none_equal(x, y),
    lambda: check.assert_less(y, x), lambda: check.assert_less_equal(x, x), lambda: check.assert_greater(x, y),
    lambda: check.assert_greater_equal(x, 1.0), lambda: check.assert_near(x, x + 1e-8), lambda: check.assert_near(x, x + 0.1, atol=0.2),
    lambda: check.assert_positive(x), lambda: check.assert_negative(-x), lambda: check.assert_non_negative([0.0]),
    lambda: check.assert_non_positive([0.0]), lambda: check.Assert(True, [x]), lambda: check.assert_rank(x, 2),
    lambda: check.assert_rank_at_least(x, 2), lambda: check.assert_rank_in(x, (1, 2)), lambda: check.assert_type(x, mg.float32),
    lambda: check.assert_scalar(1.0), lambda: check.assert_integer(1), lambda: check.assert_proper_iterable([x]),
    lambda: check.assert_shapes([(x, ("N", "M")), (u, ("M",)), (x, (None, 2))]),
]  # fmt: skip

FAILING = [
    (lambda: check.assert_equal(x, y), Invalid, "Condition x == y did not hold.\nIndices of first 3 different values:\n[[0 0]"
        "\n [0 1]\n [1 0]]\nCorresponding x values:\n[1. 2. 4.]\nCorresponding y values:\n[ 0.5 -1.   3. ]\nFirst 3 elements of x:"),
    (lambda: check.assert_equal(1, 2, message="hm"), Invalid, "hm\nCondition x == y did not hold.\nFirst 1 elements of x:\n[1]"),
    (lambda: check.assert_none_equal(x, x), Invalid, "Condition x != y did not hold."),
    (lambda: check.assert_less(x, y), Invalid, "Condition x < y did not hold."),
    (lambda: check.assert_less_equal(x, y), Invalid, "Condition x <= y did not hold."),
    (lambda: check.assert_greater(y, x), Invalid, "Condition x > y did not hold."),
    (lambda: check.assert_greater_equal(y, x), Invalid, "Condition x >= y did not hold."),
    (lambda: check.assert_equal(mg.constant([1, 2]), u), Invalid, "cannot compute Equal as input #1(zero-based) was expected"),
    (lambda: check.assert_near(x, y), Invalid, "x and y not equal to tolerance"),
    (lambda: check.assert_positive(u), Invalid, "element-wise:\nx (shape=(2,) dtype=float32) = \n['1.5', '-2.0']"),
    (lambda: check.assert_negative(u), Invalid, "Condition x < 0 did not hold"),
    (lambda: check.assert_non_negative(u), Invalid, "Condition x >= 0 did not hold"),
    (lambda: check.assert_non_positive(u), Invalid, "Condition x <= 0 did not hold"),
    (lambda: check.Assert(False, ["bad", u, 3]), Invalid, "Expected 'False' to be true. Summarized data: b'bad'\n1.5, -2.0\n3"),
    (lambda: check.check_numerics(mg.constant([np.nan]), "loss"), Invalid, "loss : Tensor had NaN values"),
    (lambda: check.assert_all_finite(mg.constant([np.inf]), "loss"), Invalid, "loss : Tensor had Inf values"),
    (lambda: check.check_numerics(1, "loss"), Invalid, "Value for attr 'T' of int32 is not in the list of allowed values"),
    (lambda: check.assert_rank(x, 1), ValueError, "must have rank 1.  Received rank 2, shape (2, 2)"),
    (lambda: check.assert_rank_at_least(x, 3), ValueError, "must have rank at least 3.  Received rank 2, shape (2, 2)"),
    (lambda: check.assert_rank_in(x, (1, 3)), ValueError, "must have rank in (1, 3).  Received rank 2, shape (2, 2)"),
    (lambda: check.assert_type(x, mg.int32), TypeError, "tensor must be of type mg.int32; got mg.float32"),
    (lambda: check.assert_scalar(x), ValueError, "Expected scalar shape, saw shape: (2, 2)."),
    (lambda: check.assert_integer(x), TypeError, "to be integer type.  Found: tensor of dtype <dtype: 'float32'>"),
    (lambda: check.assert_proper_iterable(x), TypeError, 'Expected argument "values" to be a "proper" iterable.'),
    (lambda: check.assert_shapes([(x, ("N", 3))]), ValueError, "dimension 1 must have size 3.  Received size 2, shape (2, 2)"),
    (lambda: check.assert_shapes([(x, ("N", "M")), (mg.zeros(3), ("M",))]), ValueError, "dimension 0 must have size 2.  Received size 3"),
    (lambda: check.assert_same_float_dtype([u, mg.constant(1.0, mg.float64)]), ValueError, "must be of the same type (<dtype: 'float32'>)"),
]  # fmt: skip


MESSAGES = [
    (lambda m: check.assert_positive(u, message=m), "hm.  \nCondition x > 0 did not hold element-wise:\nx (shape=(2,)"),
    (lambda m: check.assert_negative(u, message=m), "hm.  \nCondition x < 0"),
    (lambda m: check.assert_non_negative(u, message=m), "hm.  \nCondition x >= 0"),
    (lambda m: check.assert_non_positive(u, message=m), "hm.  \nCondition x <= 0"),
    (lambda m: check.assert_near(x, y, message=m), "hm.  \nx and y not equal"),
    (lambda m: check.assert_type(x, mg.int32, message=m), "hm.  tensor must be of type"),
    (lambda m: check.assert_integer(x, message=m), 'hm.  Expected "x" to be integer'),
    (lambda m: check.assert_scalar(x, message=m), "hm.  Expected scalar shape"),
    (lambda m: check.assert_rank(x, 1, message=m), "hm.  Tensor  must have rank 1"),
    (lambda m: check.assert_shapes([(x, ("N", 3))], message=m), "hm.  Specified explicitly.  Tensor shape=(2, 2)"),
    (lambda m: check.assert_less(x, y, message=m), "hm\nCondition x < y"),
]


@pytest.mark.parametrize(("f", "text"), MESSAGES, ids=[text[5:25] for _, text in MESSAGES])
def test_a_message_comes_first(f, text):
    with pytest.raises((Invalid, TypeError, ValueError)) as caught:
        f("hm")
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda: check.assert_less(1, 1), "Condition x < y did not hold.\nFirst 1"),
        (lambda: check.assert_positive(-1), "\nCondition x > 0 did not hold element-wise:\nx (shape=() dtype=int32) = \n-1"),
        (
            lambda: check.assert_positive(u, summarize=1),
            "\nCondition x > 0 did not hold element-wise:\nx (shape=(2,) dtype=float32) = \n['1.5', '...']",
        ),
        (lambda: check.assert_proper_iterable(3), "Expected argument \"values\" to be iterable.  Found: <class 'int'>"),
    ],
)
def test_without_a_message_nothing_comes_first(f, text):
    with pytest.raises((Invalid, TypeError)) as caught:
        f()
    assert str(caught.value).startswith(text)


def test_numbers_have_a_float_dtype_too():
    assert check.assert_same_float_dtype([1.0, np.float32(2.0)]) is mg.float32


@pytest.mark.parametrize("f", SILENT, ids=range(len(SILENT)))
def test_nothing_is_said_when_all_is_well(f):
    assert f() is None


@pytest.mark.parametrize(("f", "error", "text"), FAILING, ids=[text[:40] for _, _, text in FAILING])
def test_what_is_wrong_is_said_in_the_words_of_tensorflow(f, error, text):
    with pytest.raises(error) as caught:
        f()
    assert text in str(caught.value)


def test_check_numerics_lets_the_gradient_through():
    v = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        z = check.check_numerics(v * v, "z")
    assert tape.gradient(z, v).numpy().tolist() == [2, 4]


# ---- what an error tells of itself ---------------------------------------------------------------------------------


def test_the_numbers_of_errors_are_tensorflows():
    known = {
        "OK": 0, "CANCELLED": 1, "UNKNOWN": 2, "INVALID_ARGUMENT": 3, "DEADLINE_EXCEEDED": 4, "NOT_FOUND": 5, "ALREADY_EXISTS": 6,
        "PERMISSION_DENIED": 7, "RESOURCE_EXHAUSTED": 8, "FAILED_PRECONDITION": 9, "ABORTED": 10, "OUT_OF_RANGE": 11, "UNIMPLEMENTED": 12,
        "INTERNAL": 13, "UNAVAILABLE": 14, "DATA_LOSS": 15, "UNAUTHENTICATED": 16,
    }  # fmt: skip
    assert {name: getattr(mg.errors, name) for name in known} == known


@pytest.mark.parametrize("name", ["Cancelled", "FailedPrecondition", "Internal", "NotFound", "OutOfRange", "ResourceExhausted",
                                  "Unimplemented", "InvalidArgument"])  # fmt: skip
def test_an_error_made_by_hand_tells_what_it_was_given(name):
    number = getattr(mg.errors, "".join(f"_{a}" if a.isupper() else a for a in name).strip("_").upper())
    error = getattr(mg.errors, f"{name}Error")(None, None, " text \n")
    assert (error.message, str(error), repr(error)) == (" text \n", " text \n", f"{name}Error()")
    assert (error.op, error.node_def, error.args, error.error_code, error.experimental_payloads) == (None, None, (), number, {})
    assert mg.errors.OpError(None, None, "t", 7, {"a": 1}).experimental_payloads == {"a": 1}


def test_the_message_of_an_op_is_all_that_its_error_says_also_in_another_process():
    with pytest.raises(Invalid) as caught:
        mg.matmul(u, u)
    with pytest.raises(Invalid) as summed:
        u + mg.constant([1.0, 2.0, 3.0])
    assert str(summed.value) == summed.value.message == "Incompatible shapes: [2] vs. [3] [Op:AddV2] name: "
    for error in (caught.value, summed.value):
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(again), str(again), again.error_code) == (Invalid, error.message, mg.errors.INVALID_ARGUMENT)


# ---- everything is checked -----------------------------------------------------------------------------------------


@pytest.fixture
def _numerics_checked():
    check.enable_check_numerics()
    check.enable_check_numerics(stack_height_limit=3, path_length_limit=5)
    yield
    check.disable_check_numerics()
    check.disable_check_numerics()
    assert np.isinf((mg.constant(1.0) / 0.0).numpy())


@pytest.mark.usefixtures("_numerics_checked")
@pytest.mark.parametrize(
    ("make", "kernel", "kinds"),
    [
        (lambda: mg.math.log(mg.constant([-1.0, 1.0])), "Log", "NaN"),
        (lambda: mg.constant([1.0, -2.0, 0.0]) / 0.0, "RealDiv", "-Inf, +Inf, and NaN"),
        (lambda: mg.cast(mg.constant([1e300], mg.float64), mg.float32), "Cast", "+Inf"),
        (lambda: mg.reduce_sum([np.inf, 1.0]), "Sum", "+Inf"),
        (lambda: mg.where([True], [np.nan], 0.0), "SelectV2", "NaN"),
    ],
)
def test_an_op_that_makes_no_number_is_stopped(make, kernel, kinds):
    with pytest.raises(Invalid) as caught:
        make()
    text = str(caught.value)
    assert text.startswith(
        f'\n\n!!! Detected Infinity or NaN in output 0 of eagerly-executing op "{kernel}" (# of outputs: 1) !!!\n  dtype: <d'
    )
    assert text.endswith(f"\n\n : Tensor had {kinds} values [Op:CheckNumericsV2] name: ")


@pytest.mark.usefixtures("_numerics_checked")
def test_the_error_counts_what_is_no_number_and_shows_what_the_op_was_given():
    with pytest.raises(Invalid) as caught:
        mg.constant([1.0, 0.0, 2.0]) / 0.0
    assert str(caught.value).split("!!!")[2] == (
        "\n  dtype: <dtype: 'float32'>\n  shape: (3,)\n  # of +Inf elements: 2\n  # of +NaN elements: 1\n\n  Input tensors (2):\n"
        "         0: mg.Tensor([1. 0. 2.], shape=(3,), dtype=float32)\n         1: mg.Tensor(0.0, shape=(), dtype=float32)\n\n"
        " : Tensor had +Inf and NaN values [Op:CheckNumericsV2] name: "
    )
    with pytest.raises(Invalid, match=r"\n  Input tensor: mg.Tensor\(-1.0, shape=\(\), dtype=float32\)\n"):
        mg.sqrt(mg.constant(-1.0))
    with pytest.raises(Invalid, match=r"\n  Input tensors \(2\):\n         0: mg.Tensor\(3e\+38, .*\n         1: mg.Tensor\(2e\+38, "):
        mg.add_n([mg.constant(3e38), mg.constant(2e38)])


@pytest.mark.usefixtures("_numerics_checked")
def test_what_moves_numbers_or_has_none_is_not_stopped():
    nan = mg.constant([np.nan])
    assert np.isnan(mg.reshape(nan, [1, 1]).numpy()).all()
    assert mg.math.is_nan(nan).numpy().all()
    assert np.isnan(mg.Variable(np.nan).numpy())
    assert np.isinf((mg.complex(1.0, 2.0) / 0.0).numpy())
    assert mg.unstack([1.0, 2.0])[1].numpy() == 2


@pytest.mark.usefixtures("_numerics_checked")
def test_a_gradient_that_is_no_number_is_stopped():
    x, table = mg.Variable(0.0), mg.Variable([[0.0], [1.0]])
    with mg.GradientTape() as tape:
        y = mg.sqrt(x)
    with pytest.raises(Invalid, match=r"Detected Infinity or NaN in a gradient !!!\n  dtype: <dtype: 'float32'>"):
        tape.gradient(y, x)
    with mg.GradientTape() as outer, mg.GradientTape() as tape:
        y = mg.sqrt(mg.gather(table, [1]))
        slope = tape.gradient(y, table)
    assert slope.values.numpy().tolist() == [[0.5]]
    assert outer.gradient(slope.values, table).values.numpy().tolist() == [[-0.25]]
    with mg.GradientTape() as tape:
        y = mg.gather(table, [1])
    with pytest.raises(Invalid, match=r"in a gradient !!!\n  dtype: <dtype: 'float32'>\n  shape: \(1, 1\)\n  # of \+Inf elements: 1\n"):
        tape.gradient(y, table, output_gradients=mg.constant([[np.inf]]))
