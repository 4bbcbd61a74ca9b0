"""What optimizers, schedules, initializers, regularizers and Keras Variables make of unusual settings and values, as Keras 3 does."""

import inspect
import re
import types

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


@pytest.mark.parametrize("name", ["x/y", 3], ids=repr)
def test_the_name_of_an_optimizer_is_a_string_without_slashes(name):
    for kind in (keras.optimizers.SGD, keras.optimizers.Adam):
        with pytest.raises(ValueError, match=f"Argument `name` must be a string and cannot contain character `/`. Received: name={name}"):
            kind(name=name)


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


# ---- optimizers of one's own ---------------------------------------------------------------------------------------


class Momentum(keras.optimizers.Optimizer):
    """As Keras's documentation writes it, with ops of TensorFlow."""

    def __init__(self, learning_rate=0.1, momentum=0.9, **kwargs):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum

    def build(self, variables):
        super().build(variables)
        self.momentums = [self.add_variable_from_reference(reference_variable=v, name="momentum") for v in variables]

    def update_step(self, gradient, variable, learning_rate):
        learning_rate, gradient = mg.cast(learning_rate, variable.dtype), mg.cast(gradient, variable.dtype)
        m = self.momentums[self._get_variable_index(variable)]
        self.assign(m, m * self.momentum - gradient * learning_rate)
        self.assign_add(variable, m)


@pytest.mark.parametrize("kind", [mg.Variable, keras.Variable])
def test_an_optimizer_of_ones_own_is_written_as_keras_documents_it(kind):
    optimizer, a, b = Momentum(), kind([1.0, 2.0], name="a"), kind(3.0, name="b")
    known = keras.optimizers.SGD(0.1, momentum=0.9)
    c, d = mg.Variable([1.0, 2.0]), mg.Variable(3.0)
    for _ in range(3):
        for one, pair in ((optimizer, (a, b)), (known, (c, d))):
            one.apply_gradients(zip((mg.constant([1.0, -2.0]), mg.constant(0.5)), pair))
    close(a, c)
    close(b, d)
    assert [v.path for v in optimizer.variables][2] == f"momentum/a{'' if kind is keras.Variable else '_0'}_momentum"
    assert optimizer.iterations.numpy() == 3


def test_an_optimizer_of_ones_own_is_given_clipped_gradients_variables_and_rows():
    seen = []

    class Spy(keras.optimizers.Optimizer):
        def update_step(self, gradient, variable, learning_rate):
            seen.append((gradient, variable, learning_rate))
            self.assign_sub(variable, gradient)

    v, w = keras.Variable([1.0, 2.0]), mg.Variable([1.0, 2.0, 3.0])
    rows = mg.IndexedSlices(mg.constant([5.0, 1.0]), mg.constant([2, 2]), mg.constant([3]))
    Spy(0.25, None, None, 2.0).apply_gradients([(mg.constant([3.0, 1.0]), v), (rows, w)])
    assert seen[0][0].numpy().tolist() == [2.0, 1.0] and seen[0][1] is v.value and float(seen[0][2]) == 0.25
    assert v.numpy().tolist() == [-1.0, 1.0]
    assert isinstance(seen[1][0], mg.IndexedSlices) and w.numpy().tolist() == [1.0, 2.0, 0.0]


@pytest.mark.parametrize("kind", ["Adam", "AdamW", "RMSprop", "Adagrad"])
def test_with_a_global_norm_a_row_that_occurs_twice_is_summed_before_it_is_squared(kind):
    def after(rows, **settings):
        e = mg.Variable(mg.ones([3, 1]))
        optimizer = getattr(keras.optimizers, kind)(0.1, **settings)
        with mg.GradientTape() as tape:
            loss = mg.reduce_sum(mg.gather(e, rows) ** 3) if rows else mg.reduce_sum(mg.constant([[2.0], [0], [1]]) * e**3)
        optimizer.apply_gradients([(tape.gradient(loss, e), e)])
        return e

    close(after([0, 2, 0], global_clipnorm=100.0), after([]))
    assert abs(after([0, 2, 0]).numpy() - after([]).numpy()).max() > 1e-3  # rows stay apart, as in Keras


def test_an_optimizer_assigns_in_the_dtype_of_the_variable():
    optimizer, v = keras.optimizers.Optimizer(0.1), mg.Variable([1, 2, 3])
    optimizer.assign_add(v, [1.5, 2.5, 3.5])
    assert v.numpy().tolist() == [2, 4, 6]
    optimizer.assign(keras.Variable([0.0]), np.float64([1.0]))
    optimizer.assign(v, mg.IndexedSlices(mg.constant([7.0]), mg.constant([1])))
    assert v.numpy().tolist() == [2, 7, 6]


def test_an_optimizer_that_fails_half_way_changes_nothing():
    class Half(keras.optimizers.Optimizer):
        def update_step(self, gradient, variable, learning_rate):
            self.assign_sub(variable, gradient)
            raise RuntimeError("half-way")

    v = mg.Variable([1.0])
    with pytest.raises(RuntimeError, match="half-way"):
        Half(0.1).apply_gradients([(mg.constant([1.0]), v)])
    assert v.numpy().tolist() == [1.0]


def test_slots_are_made_one_list_for_each_name():
    optimizer, pair = keras.optimizers.Optimizer(0.1), [mg.Variable([1.0]), mg.Variable(2, name="n")]
    means, sums = optimizer.add_optimizer_variables(pair, ["mean", "sum"], initializer="ones")
    assert [v.numpy().tolist() for v in (*means, *sums)] == [[1.0], 1, [1.0], 1]
    assert (sums[1].dtype, sums[1].name) == ("int32", "n_0_sum")
    assert optimizer.add_variable((2,), name="more").path.endswith("/more")
    assert len(optimizer.variables) == 7


def test_what_is_kept_for_the_variables_is_made_once():
    optimizer, v = keras.optimizers.Adam(0.1), mg.Variable([1.0])
    optimizer.build([v])
    optimizer.apply_gradients([(mg.constant([1.0]), v)])
    before = [x.numpy().tolist() for x in optimizer.variables]
    optimizer.build([v])
    assert [x.numpy().tolist() for x in optimizer.variables] == before


# ---- settings ------------------------------------------------------------------------------------------------------


def test_settings_are_taken_in_the_order_of_keras():
    assert keras.optimizers.SGD(0.1, 0.0, False, 0.01).weight_decay == 0.01
    adam = keras.optimizers.Adam(0.1, 0.9, 0.99, 1e-7, False, None, 1.0)
    assert (adam.weight_decay, adam.clipnorm) == (None, 1.0)
    assert keras.optimizers.RMSprop(0.1, 0.9, 0.0, 1e-7, False, None, None, 2.0).clipvalue == 2.0
    assert keras.optimizers.Adagrad(0.1, 0.1, 1e-7, None, None, None, 3.0).global_clipnorm == 3.0


def test_moving_averages_are_those_of_keras():
    optimizer, v, w = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5), mg.Variable([1.0, 2.0]), mg.Variable(1.0)
    for _ in range(3):
        optimizer.apply_gradients([(mg.constant([1.0, -2.0]), v), (mg.constant(1.0), w)])
    close(v, [0.7, 2.6])
    close(optimizer.variables[-2], [0.775, 2.45])
    optimizer.finalize_variable_values([v, w])
    close(v, [0.775, 2.45])
    close(w, 0.775)


def test_moving_averages_take_the_place_of_their_variables_every_so_many_steps():
    optimizer, v, found = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2), keras.Variable([1.0]), []
    for _ in range(5):
        optimizer.apply_gradients([(mg.constant([1.0]), v)])
        found.append(float(v[0]))
    close(found, [0.9, 0.85, 0.75, 0.725, 0.625])
    optimizer = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=1)
    v = keras.Variable([1.0])
    for _ in range(2):
        optimizer.apply_gradients([(mg.constant([1.0]), v)])
    close(v.numpy(), [0.85])


def test_a_scaled_loss_gives_the_same_step():
    optimizer, v = keras.optimizers.SGD(0.5, loss_scale_factor=4.0), mg.Variable(1.0)
    with mg.GradientTape() as tape:
        loss = optimizer.scale_loss(v * v)
    assert loss.numpy() == 4.0
    optimizer.apply_gradients([(tape.gradient(loss, v), v)])
    assert v.numpy() == 0.0
    assert keras.optimizers.SGD(0.5).scale_loss(3.0) == 3.0


def test_a_scale_of_double_precision_leaves_slopes_as_they_are():
    optimizer, v = keras.optimizers.SGD(0.5, loss_scale_factor=np.float64(4.0)), mg.Variable(1.0)
    optimizer.apply_gradients([(mg.constant(4.0), v)])
    assert v.numpy() == 0.5 and optimizer.unscaled(np.float32([4.0])).dtype == np.float32


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"use_ema": True, "ema_momentum": 2.0}, ValueError, r"`ema_momentum` must be in the range \[0, 1\]"),
        ({"use_ema": True, "ema_overwrite_frequency": 1.5}, ValueError, "`ema_overwrite_frequency` must be an integer >= 1 or None"),
        ({"gradient_accumulation_steps": 2}, mg.errors.UnimplementedError, "add up the gradients of some steps, and apply the sums"),
    ],
)
def test_settings_out_of_range_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        keras.optimizers.SGD(0.1, **settings)


# ---- learning rates that change ------------------------------------------------------------------------------------

schedules = keras.optimizers.schedules
RATES = {  # at the steps 0, 1, 2, 3, 5 and 9
    "ExponentialDecay(0.1, 2, 0.9)": [0.1, 0.094868325, 0.089999996, 0.0853815, 0.07684334, 0.062243104],
    "ExponentialDecay(0.1, 2.5, 2, staircase=True)": [0.1, 0.1, 0.1, 0.2, 0.4, 0.8],
    "InverseTimeDecay(0.1, 2, 0.5)": [0.1, 0.08, 0.06666667, 0.057142857, 0.044444446, 0.03076923],
    "InverseTimeDecay(0.1, 2, 0.5, True)": [0.1, 0.1, 0.06666667, 0.06666667, 0.05, 0.033333335],
    "PolynomialDecay(0.1, 5)": [0.1, 0.08002, 0.060040005, 0.04006, 1e-4, 1e-4],
    "PolynomialDecay(0.1, 5, 0.01, 2.0)": [0.1, 0.067600004, 0.042400002, 0.0244, 0.01, 0.01],
    "PolynomialDecay(0.1, 2, 0.01, 0.5, cycle=True)": [0.1, 0.07363961, 0.01, 0.055, 0.04674235, 0.0384605],
    "PolynomialDecay(1, 5)": [1.0, 0.8, 0.6, 0.4, 0.0, 0.0],
    "CosineDecay(0.1, 5, alpha=0.2)": [0.1, 0.092360675, 0.07236068, 0.047639318, 0.020000001, 0.020000001],
    "CosineDecay(0.0, 5, warmup_target=0.1, warmup_steps=3)": [0.0, 0.033333335, 0.06666667, 0.1, 0.06545085, 0.0],
    "PiecewiseConstantDecay([1, 2, 4], [1.0, 0.5, 0.1, 0.2])": [1.0, 1.0, 0.5, 0.1, 0.2, 0.2],
    "PiecewiseConstantDecay([2.9], [1.0, 0.5])": [1.0, 1.0, 1.0, 0.5, 0.5, 0.5],
}


@pytest.mark.parametrize("text", RATES)
def test_schedules_give_the_rates_of_keras(text):
    rate = eval(f"schedules.{text}")
    close([rate(step) for step in (0, 1, 2, 3, 5, 9)], RATES[text])
    close([rate(mg.Variable(step, dtype=mg.int64)) for step in (0, 1, 2, 3, 5, 9)], RATES[text])


def test_a_schedule_of_whole_numbers_computes_in_double_precision_and_cuts_its_rate_off():
    assert [schedules.ExponentialDecay(3, 2, 2)(step).numpy() for step in (0, 1)] == [np.float64(3.0), np.float64(4.242640687119286)]
    assert schedules.ExponentialDecay(3, 2, 2)(1).dtype == mg.float64
    assert [float(schedules.ExponentialDecay(1, 2, 0.9)(step)) for step in (0, 1)] == [1.0, 0.0]
    assert schedules.InverseTimeDecay(1, 2, 1)(1).numpy() == np.float64(1 / 1.5)
    assert schedules.PiecewiseConstantDecay([2], [3, 2])(5).dtype == mg.int32


@pytest.mark.parametrize(
    "text", ["ExponentialDecay(0.1, 0, 0.9)", "InverseTimeDecay(0.1, -1, 0.5)", "PolynomialDecay(0.1, 0)", "CosineDecay(0.1, 0)"]
)
def test_a_schedule_over_no_steps_is_refused(text):
    with pytest.raises(ValueError, match="Argument `decay_steps` must be > 0"):
        eval(f"schedules.{text}")


def test_schedules_name_what_is_missing():
    with pytest.raises(ValueError, match="The length of boundaries should be 1 less than the length of values"):
        schedules.PiecewiseConstantDecay([2], [1.0, 0.5, 0.1])
    with pytest.raises(Invalid, match="was expected to be a int32 tensor but is a float tensor"):
        schedules.PiecewiseConstantDecay([2], [1, 0.5])(0)
    with pytest.raises(NotImplementedError, match=r"must override `__call__\(self, step\)`"):
        schedules.LearningRateSchedule()(1)


AFTER_FIVE_STEPS = {
    "AdamW(0.1)": [0.501374125, -1.49939096],
    "AdamW(0.1, 0.5, amsgrad=True)": [0.325932086, -1.10218954],
    "AdamW(schedules.CosineDecay(0.1, 4), 0.1, clipnorm=1.0)": [0.727313817, -1.70256388],
    "SGD(schedules.PolynomialDecay(0.1, 4))": [0.162186369, -1.1621865],
    "SGD(schedules.InverseTimeDecay(0.1, 2, 0.5))": [-0.0714880005, -0.928511977],
    "SGD(schedules.PiecewiseConstantDecay([0, 2], [0.1, 0.05, 0.01]), weight_decay=0.1)": [0.231759205, -1.21302152],
}


@pytest.mark.parametrize("text", AFTER_FIVE_STEPS)
def test_adamw_and_schedules_take_the_steps_of_keras(text):
    optimizer, v = eval(f"keras.optimizers.{text}"), mg.Variable([1.0, -2.0])
    for _ in range(5):
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(v**2) + mg.reduce_sum(mg.gather(v, [0, 0]))
        optimizer.apply_gradients([(mg.convert_to_tensor(tape.gradient(y, v)), v)])
    close(v, AFTER_FIVE_STEPS[text])


def test_adamw_without_a_decay_is_refused():
    with pytest.raises(ValueError, match="Argument `weight_decay` must be a float"):
        keras.optimizers.AdamW(weight_decay=None)


def test_optimizers_are_found_by_name_and_by_config():
    get = keras.optimizers.get
    assert get(None) is None
    assert isinstance(get("AdamW"), keras.optimizers.AdamW)
    assert float(get({"class_name": "SGD", "config": {"learning_rate": 0.5}}).learning_rate) == 0.5
    assert isinstance(get({"class_name": "rmsprop"}), keras.optimizers.RMSprop)
    for unknown in ("nothing", 3, keras.optimizers.SGD, {"class_name": "nothing", "config": {}}):
        with pytest.raises(ValueError, match="Could not interpret optimizer identifier"):
            get(unknown)


# ---- initializers --------------------------------------------------------------------------------------------------


def test_a_constant_initializer_keeps_the_dtype_of_its_value_and_fills_or_reshapes():
    for made, shape, dtype, expected in (
        (mg.constant_initializer(3), [2], mg.int32, [3, 3]),
        (mg.constant_initializer([1, 2, 3, 4]), [2, 2], mg.int32, [[1, 2], [3, 4]]),
        (mg.constant_initializer(), 2, mg.int32, [0, 0]),
        (mg.constant_initializer(0.5), [1], mg.float32, [0.5]),
    ):
        tensor = made(shape)
        assert tensor.dtype == dtype and tensor.numpy().tolist() == expected
    assert mg.constant_initializer(2.5)([1], dtype=mg.float64).dtype == mg.float64
    assert keras.initializers.Constant(3)([2]).dtype == mg.float32


def test_a_constant_initializer_refuses_what_does_not_fit():
    with pytest.raises(TypeError, match=r"Tensor \[1 2\] .* has 2 elements, but got `shape` \(2, 2\) with 4 elements"):
        mg.constant_initializer([1, 2])([2, 2])
    with pytest.raises(TypeError, match=r"Cannot convert 2\.5 to EagerTensor of dtype int32"):
        mg.constant_initializer(2.5)([2], mg.int32)
    with pytest.raises(TypeError, match="Invalid type for initial value: Tensor"):
        mg.constant_initializer(mg.constant(1.0))


@pytest.mark.parametrize("shape", [3, [3], (3,), mg.TensorShape([3])])
def test_a_number_is_a_shape_of_one_axis(shape):
    assert keras.initializers.Zeros()(shape).numpy().tolist() == [0.0, 0.0, 0.0]
    assert keras.initializers.Ones()(shape).numpy().tolist() == [1.0, 1.0, 1.0]


def test_variance_scaling_knows_its_distributions():
    with pytest.raises(ValueError, match="Invalid `distribution` argument: x"):
        keras.initializers.VarianceScaling(distribution="x")
    close(keras.initializers.VarianceScaling(distribution="UNIFORM", seed=1)([2]), [0.9271029, -0.09802794])


@pytest.mark.parametrize(
    ("settings", "shape", "expected"),
    [
        ({}, (3, 2), [[-0.39354825, 0.74841624], [-0.5533272, 0.27089423], [0.7341312, 0.60538375]]),
        ({}, (2, 3), [[-0.39354825, -0.5533272, 0.7341312], [0.74841624, 0.27089423, 0.60538375]]),
        ({"gain": 2.0}, (2, 1, 2), None),
    ],
)
def test_orthogonal_matrices_are_those_of_keras(settings, shape, expected):
    q = keras.initializers.Orthogonal(seed=3, **settings)(shape)
    assert q.dtype == mg.float32 and q.shape == shape
    if expected is None:
        flat = np.reshape(q.numpy(), (2, 2))
        close(flat @ flat.T, 4 * np.eye(2), atol=1e-5)
    else:
        close(q, expected, rtol=1e-5)


def test_an_orthogonal_vector_is_refused():
    with pytest.raises(ValueError, match="must be at least two-dimensional"):
        keras.initializers.Orthogonal()((2,))


def test_initializers_are_found_by_name_and_by_config():
    get = keras.initializers.get
    assert get("one")((2,)).numpy().tolist() == [1.0, 1.0]
    assert get("zero")((2,)).numpy().tolist() == [0.0, 0.0]
    assert {type(get(name)) for name in ("orthogonal", "Orthogonal", "OrthogonalInitializer")} == {keras.initializers.Orthogonal}
    assert get({"class_name": "Constant", "config": {"value": 2.0}})((2,)).numpy().tolist() == [2.0, 2.0]
    assert get({"class_name": "zeros"})((1,)).numpy().tolist() == [0.0]
    for unknown in ("zeros_initializer", {}, {"class_name": "nothing", "config": {}}, 3):
        with pytest.raises(ValueError, match="Could not interpret initializer identifier"):
            get(unknown)


# ---- Keras Variables -----------------------------------------------------------------------------------------------


def test_a_keras_variable_counts_its_axes_and_is_rounded():
    assert (keras.Variable([[1.0, 2.0]]).ndim, keras.Variable(1.0).ndim) == (2, 0)
    rounded = round(keras.Variable(1.6))
    assert isinstance(rounded, mg.Tensor) and rounded.numpy() == 2.0
    close(round(keras.Variable([1.26, 2.0]), 1), [1.3, 2.0])
    assert round(keras.Variable([3])).numpy().tolist() == [3]


def test_a_keras_variable_casts_what_it_is_assigned():
    for value in ([1.5, 2.5], np.array([1.5, 2.5]), mg.constant([1.5, 2.5]), keras.Variable([1.5, 2.5])):
        v = keras.Variable([0, 0])
        assert v.assign(value).numpy().tolist() == v.numpy().tolist() == [1, 2]
    assert keras.Variable([False]).assign([0.5]).numpy().tolist() == [True]
    assert keras.Variable([1.0], dtype="float64").assign([0.1]).numpy()[0] == 0.1
    with pytest.raises(TypeError, match=r"Cannot convert \['a'\] to EagerTensor of dtype float"):
        keras.Variable([1.0]).assign(["a"])


# ---- regularizers --------------------------------------------------------------------------------------------------

W = mg.constant([1.0, 2.0])
regularizers = keras.regularizers


def test_regularizers_are_found_by_name_class_and_config():
    get = regularizers.get
    for name in ("L1L2", "l1l2"):
        assert type(get(name)) is regularizers.L1L2
    close(get(regularizers.L1)(W), 0.03)
    close(get({"class_name": "L1", "config": {"l1": 0.5}})(W), 1.5)
    assert get(None) is None and get(len) is len
    for unknown in ("l1_l2", 3, [], {}, {"class_name": "nothing"}, int):
        with pytest.raises(ValueError, match="Could not interpret regularizer identifier"):
            get(unknown)


def test_a_cost_is_a_tensor_of_the_dtype_of_the_weights():
    for cost in (regularizers.L1L2()(W), regularizers.L1L2(None, None)(W), regularizers.L1(0.0)(W)):
        assert isinstance(cost, mg.Tensor) and cost.dtype == mg.float32 and cost.numpy() == 0.0
    assert regularizers.L1(0.1)(mg.cast(W, mg.float64)).numpy() == 0.30000000447034836
    assert regularizers.L2(2.0)(mg.constant([1, 2])).numpy() == 10
    close(regularizers.L1L2(1, 2)(keras.Variable([1.0, 2.0])), 13.0)
    close(regularizers.l1_l2(0.1, 0.2)(mg.constant([1.0])), 0.3)
    assert regularizers.Regularizer()(W) == 0.0


def test_no_strength_is_the_usual_one():
    close(regularizers.L1(None)(W), 0.03)
    close(regularizers.L2(None)(W), 0.05)


@pytest.mark.parametrize("value", ["a", -1.0, float("nan"), float("inf"), np.float32(1.0), mg.constant(1.0)])
def test_a_strength_is_a_number_from_zero_up(value):
    for kind in (regularizers.L1, regularizers.L2, regularizers.L1L2):
        with pytest.raises(ValueError, match=r"Invalid value for argument l.+: expected a non-negative float"):
            kind(value)


# ---- utils ---------------------------------------------------------------------------------------------------------


def test_classes_in_a_column_become_rows():
    rows = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    for x in ([0, 2], [[0], [2]], mg.constant([0, 2]), mg.constant([[0], [2]]), mg.Variable([[0], [2]]), mg.constant([0.0, 2.0])):
        assert np.asarray(keras.utils.to_categorical(x, 3)).tolist() == rows
    assert keras.utils.to_categorical(mg.constant([[1]]), 3).shape == (1, 3)
    with pytest.raises(ValueError, match=r"Attempt to convert a value \(None\) .* Write to_categorical\(x, num_classes\)"):
        keras.utils.to_categorical(mg.constant([0, 2]))


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("layers.LeakyReLU(alpha=0.5)", "Argument `alpha` is deprecated. Use `negative_slope` instead."),
        ("layers.Embedding(3, 2, input_length=4)", "Argument `input_length` is deprecated. Just remove it."),
        ("layers.Dense(2, input_shape=(3,))", "Do not pass an `input_shape`/`input_dim` argument to a layer."),
        ("layers.Dense(2, input_dim=3)", "prefer using an `Input(shape)` object as the first layer in the model instead."),
        ("optimizers.SGD(0.1, decay=0.1)", "Argument `decay` is no longer supported and will be ignored."),
    ],
)
def test_old_names_of_settings_are_taken_with_a_warning(made, told):
    with pytest.warns(UserWarning, match=re.escape(told)) as caught:
        eval(f"keras.{made}")
    assert caught[0].filename == "<string>"


def test_old_names_of_settings_have_their_effect():
    with pytest.warns(UserWarning, match="alpha"):
        assert keras.layers.LeakyReLU(0.1, alpha=0.5).negative_slope == 0.5
    for old in ({"input_shape": (3,)}, {"input_dim": 3}):
        with pytest.warns(UserWarning, match="Do not pass"):
            assert keras.Sequential([keras.layers.Dense(2, **old)]).variables[0].shape == (3, 2)


def test_a_layer_tells_the_settings_of_its_weights_in_its_signature():
    class Own(keras.layers.Dense):
        def __init__(self, units):
            super().__init__(units)

    class Wide(keras.layers.Dense):
        def __init__(self, **kwargs):
            super().__init__(100, **kwargs)

    assert next(iter(inspect.signature(Wide).parameters)) == "kernel_initializer"
    assert "kernel_initializer" in inspect.signature(keras.layers.Dense).parameters
    settings = inspect.signature(keras.layers.Conv2D).parameters
    assert settings["kernel_initializer"].default == "glorot_uniform" and "bias_constraint" in settings
    assert [*inspect.signature(Own).parameters] == ["units"]
    assert [*inspect.signature(Own.__init__).parameters] == ["self", "units"]
    assert [*inspect.signature(keras.losses.Huber.__init__).parameters] == ["self", *inspect.signature(keras.losses.Huber).parameters]
    assert [*inspect.signature(keras.losses.Huber()).parameters] == ["y_true", "y_pred", "sample_weight"]
    with pytest.raises(ValueError, match="moving_mean_regularizer"):
        keras.layers.BatchNormalization(moving_mean_regularizer="l2")


class Unbuilt(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(1)


def ready(layer):
    model = keras.Sequential([layer])
    model.compile("sgd", "mse")
    return model


def of_two_numbers(num_regressors):
    metric = keras.metrics.R2Score(num_regressors=num_regressors)
    metric.update_state([[1.0], [2.0]], [[1.0], [2.5]])
    return metric


def keeper():
    checkpoint = keras.callbacks.ModelCheckpoint("a.weights.h5", "loss", save_best_only=True, save_weights_only=True)
    checkpoint.set_model(types.SimpleNamespace(save_weights=lambda path, overwrite: None))
    checkpoint.on_epoch_begin(0)
    return checkpoint


ONE = np.ones((1, 1), "float32")
WARNED = {
    "Argument `alpha` is deprecated": lambda: keras.layers.LeakyReLU(alpha=0.1),
    "Argument `input_length` is deprecated": lambda: keras.layers.Embedding(3, 1, input_length=3),
    "Do not pass": lambda: keras.layers.Dense(2, input_dim=3),
    "EarlyStopping mode 'odd' is unknown": lambda: keras.callbacks.EarlyStopping(mode="odd"),
    r"EarlyStopping mode '\x1b[31m' is unknown": lambda: keras.callbacks.EarlyStopping(mode="\x1b[31m"),
    "ModelCheckpoint mode 'odd' is unknown": lambda: keras.callbacks.ModelCheckpoint("a.weights.h5", mode="odd", save_weights_only=True),
    "Argument `decay` is no longer supported": lambda: keras.optimizers.Adam(decay=0.1),
    "Gradients do not exist": lambda: keras.optimizers.SGD().apply_gradients(
        [(None, mg.Variable(1.0)), (mg.constant(1.0), mg.Variable(1.0))]
    ),
    "was passed an input with a mask": lambda: keras.layers.Flatten()(keras.layers.Embedding(3, 1, mask_zero=True)(mg.constant([[1, 0]]))),
    "`build()` was called": lambda: Unbuilt().build((1,)),
    "The structure of `inputs`": lambda: keras.Sequential([keras.Input((1,)), keras.layers.Identity()])([mg.ones([1, 1])]),
    "More independent predictors than datapoints in adjusted R2 score.": lambda: of_two_numbers(3).result(),
    "Division by zero in Adjusted R2 score. Falling back to standard R2 score.": lambda: of_two_numbers(1).result(),
    "Early stopping conditioned on metric `loss`": lambda: keras.callbacks.EarlyStopping("loss").on_epoch_end(0, {"mae": 1.0}),
    "Can save best model only with loss available.": lambda: keeper().on_epoch_end(0, {"mae": 1.0}),
    "The model does not have any trainable weights.": lambda: ready(keras.layers.Flatten()).train_step((ONE, ONE)),
    "Your input ran out of data": lambda: ready(keras.layers.Dense(1)).fit(((ONE, ONE) for _ in range(1)), steps_per_epoch=2, verbose=0),
}


@pytest.mark.parametrize("what", WARNED)
def test_a_warning_tells_the_line_that_it_is_about(what):
    with pytest.warns(UserWarning, match=re.escape(what)) as heard:
        WARNED[what]()
    assert [(one.filename, one.lineno) for one in heard] == [(__file__, WARNED[what].__code__.co_firstlineno)]
