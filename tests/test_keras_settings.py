"""What optimizers, schedules, initializers, regularizers and Keras Variables make of unusual settings and values, as Keras 3 does."""

import numpy as np
import pytest

import minigrad as mg

keras = mg.keras
Invalid = mg.errors.InvalidArgumentError


def close(found, expected, rtol=1e-6, atol=1e-7):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=atol)


def stepped(optimizer, start, dx, times=1):
    """A Variable after some steps with this gradient."""
    v = mg.Variable(start)
    for _ in range(times):
        optimizer.apply_gradients([(mg.constant(dx), v)])
    return v


# ---- gradients that do not fit -------------------------------------------------------------------------------------

UNEQUAL = "Cannot update variable with shape .* using a Tensor with shape .*, shapes must be equal"
STRICT = {"SGD(0.1)", "Adagrad(0.1)"}
OPTIMIZERS = [*sorted(STRICT), "SGD(0.1, momentum=0.5)", "Adam(0.1)", "RMSprop(0.1)", "RMSprop(0.1, momentum=0.5, centered=True)"]


def made(text):
    return eval(f"keras.optimizers.{text}")


@pytest.mark.parametrize("dx", [1.0, [1.0]])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_smaller_gradient_is_stretched_only_by_those_that_keep_an_average(name, dx):
    if name in STRICT:
        with pytest.raises(Invalid, match=UNEQUAL):
            stepped(made(name), [1.0, 2.0], dx)
    else:
        close(stepped(made(name), [1.0, 2.0], dx), stepped(made(name), [1.0, 2.0], [1.0, 1.0]))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_gradient_of_another_length_or_with_more_axes_is_refused(name):
    unequal = UNEQUAL if name in STRICT else r"Incompatible shapes: \[2\] vs. \[3\]"
    with pytest.raises(Invalid, match=unequal):
        stepped(made(name), [1.0, 2.0], [1.0, 2.0, 3.0])
    assigned = "momentum" in name or "RMS" in name  # here Keras assigns the average; elsewhere it adds to what there is
    with pytest.raises(ValueError if assigned else Invalid, match="Shape mismatch" if assigned else UNEQUAL):
        stepped(made(name), [1.0, 2.0], [[1.0, 1.0]])


@pytest.mark.parametrize("name", ["SGD(0.1, weight_decay=0.5)", "Adam(0.1)", "RMSprop(0.1)", "Adagrad(0.1)"])
def test_a_step_that_fails_changes_nothing(name):
    optimizer, a, b = made(name), mg.Variable([1.0, 2.0]), mg.Variable([3.0, 4.0])
    optimizer.apply_gradients([(mg.constant([1.0, 1.0]), a), (mg.constant([1.0, 1.0]), b)])
    everything = [a, b, *optimizer.variables]
    before = [v.numpy() for v in everything]
    with pytest.raises(Invalid):
        optimizer.apply_gradients([(mg.constant([1.0, 1.0]), a), (mg.constant([1.0, 1.0, 1.0]), b)])
    for v, value in zip(everything, before):
        np.testing.assert_array_equal(v.numpy(), value)


# ---- Variables of whole numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "op"), [("Adam(0.1)", "Mul"), ("RMSprop(0.1, centered=True)", "AddV2")])
def test_whole_numbers_are_refused_where_keras_multiplies_them_by_fractions(name, op):
    v = mg.Variable([3, 4])
    with pytest.raises(Invalid, match=f"cannot compute {op} as input #1.* int32 tensor but is a float tensor.* cannot train whole numbers"):
        made(name).apply_gradients([(mg.constant([100, 2]), v)])
    assert v.numpy().tolist() == [3, 4]


@pytest.mark.parametrize("dx", [[100, 2], [0, 0], [2**30, -7]])
@pytest.mark.parametrize("name", ["SGD(0.1)", "SGD(0.1, weight_decay=0.1)", "RMSprop(0.1)", "RMSprop(0.1, momentum=0.5)", "Adagrad(0.1)"])
def test_whole_numbers_stay_where_the_learning_rate_becomes_zero(name, dx):
    assert stepped(made(name), [3, 4], dx, times=3).numpy().tolist() == [3, 4]


def test_the_averages_of_whole_numbers_are_those_of_keras():
    optimizer = keras.optimizers.RMSprop(0.1)
    stepped(optimizer, [3, 4], [100, 2], times=3)
    assert optimizer.variables[-1].numpy().tolist() == [2710, 0]
