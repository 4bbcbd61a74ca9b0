"""Gradients written by the user."""

import functools
import subprocess
import sys

import pytest

import minigrad as mg


def gradient_of(function):
    """The derivative of a function of one Variable."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, x)


def test_a_custom_gradient_takes_the_place_of_the_true_one():
    @mg.custom_gradient
    def product(x, y):
        return x * y, lambda dz: (dz * 10.0, dz * y * 2.0)

    x, y = mg.Variable(2.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        z = product(x, y)
    assert [float(dx) for dx in tape.gradient(z, [x, y])] == [10.0, 6.0]


def test_the_backward_function_is_differentiated_too():
    @mg.custom_gradient
    def cube(x):
        return x * x * x, lambda dy: dy * 3.0 * x * x

    x = mg.Variable(2.0)
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = cube(x)
        slope = inner.gradient(y, x)
    assert (float(slope), float(outer.gradient(slope, x))) == (12.0, 12.0)


def test_each_output_of_a_nest_sends_its_own_gradient():
    @mg.custom_gradient
    def pair(x):
        return (x * 2.0, [x * 3.0]), lambda first, second: first + 10.0 * second

    x = mg.constant(3.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        two, (three,) = pair(x)
    assert [float(tape.gradient(y, x)) for y in (two, three)] == [1.0, 10.0]


def test_none_for_an_argument_is_none():
    @mg.custom_gradient
    def cut(x):
        return x * 1.0, lambda dy: None

    assert gradient_of(cut) is None


def test_too_many_gradients_are_an_error():
    @mg.custom_gradient
    def square(x):
        return x * x, lambda dy: (dy, dy)

    with pytest.raises(ValueError, match="expected to return 1 gradients, but returned 2 instead"):
        gradient_of(square)


def test_a_function_that_reads_variables_must_take_them():
    v = mg.Variable(2.0)
    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        mg.custom_gradient(lambda x: (x * v, lambda dy: dy))(mg.constant(3.0))


def test_gradients_of_the_variables_that_a_function_reads():
    v = mg.Variable(2.0)

    @mg.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            return dy * v, [dy * 100.0 for _ in variables]

        return x * v, grad

    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = scaled(x)
    assert [float(dx) for dx in tape.gradient(y, [x, v])] == [2.0, 100.0]


def test_a_gradient_may_be_any_callable_also_one_that_takes_variables():
    v, x = mg.Variable(2.0), mg.Variable(3.0)

    class Scaled:
        def __call__(self, dy, variables=None):
            return dy * 10.0, [dy * 100.0 for _ in variables]

    scaled = mg.custom_gradient(lambda x: (x * v, Scaled()))
    with mg.trace(), mg.GradientTape() as tape:
        y = scaled(x)
    assert "custom_gradient" in str(mg.inspect(tape, y, [x, v]))
    assert [float(dx) for dx in tape.gradient(y, [x, v])] == [10.0, 100.0]
    assert gradient_of(mg.custom_gradient(lambda x: (x, functools.partial(lambda k, dy: dy * k, 5.0)))) == 5.0


def test_the_decorated_function_keeps_its_name():
    @mg.custom_gradient
    def my_function(x):
        return x, lambda dy: dy

    assert my_function.__name__ == "my_function"


def test_log1p_of_exp_stays_finite_where_the_naive_one_is_nan():
    @mg.custom_gradient
    def stable(x):
        e = mg.exp(x)
        return mg.math.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))

    x = mg.Variable(100.0)
    with mg.GradientTape() as tape:
        y = stable(x)
    assert float(tape.gradient(y, x)) == 1.0


def test_an_op_without_gradient_raises_until_one_is_registered():
    image = mg.Variable([[[0.5, 0.0, 0.0]]])

    def slope(hue):
        with mg.GradientTape() as tape:
            y = mg.image.adjust_hue(image, hue)
        return tape.gradient(y, image)

    with pytest.raises(LookupError, match="gradient registry has no entry for: AdjustHue"):
        slope(0.1)

    @mg.RegisterGradient("AdjustHue")
    def adjust_hue_gradient(op, dy):
        assert [len(op.inputs), len(op.outputs)] == [2, 1]
        return 5.0 * dy, None

    try:
        assert slope(0.1).numpy().tolist() == [[[5.0, 5.0, 5.0]]]
    finally:
        from minigrad.engine.custom import GRADIENTS

        del GRADIENTS["AdjustHue"]


@pytest.mark.parametrize("name", ["Sin", "MatMul"])
def test_a_gradient_cannot_be_registered_twice(name):
    with pytest.raises(KeyError, match=f"Registering two gradient with name '{name}'"):
        mg.RegisterGradient(name)(lambda op, dy: dy)


def test_a_gradient_cannot_be_registered_for_an_op_that_is_not_loaded_yet():
    program = "import minigrad as mg; mg.RegisterGradient('Conv2D')(print)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stderr
    assert "KeyError: \"Registering two gradient with name 'Conv2D'! (Previous registration was in minigrad.convolution)" in told


def test_grad_pass_through_takes_the_slope_as_one():
    x = mg.Variable(2.6)
    with mg.GradientTape() as tape:
        y = mg.grad_pass_through(mg.round)(x) * 2.0
    assert (float(y), float(tape.gradient(y, x))) == (6.0, 2.0)


def test_measuring_notices_a_vjp_that_forgets_what_arrives():
    forgetful = mg.custom_gradient(lambda x: (x**3, lambda dy: 3.0 * x**2))
    with pytest.raises(AssertionError, match="the tape says 8, finite differences say 12"):
        mg.test.check_gradients(forgetful, 2.0)
    mg.test.check_gradients(mg.custom_gradient(lambda x: (x**3, lambda dy: dy * 3.0 * x**2)), 2.0)


def test_measuring_goes_on_to_the_derivative_of_a_derivative():
    flat = mg.custom_gradient(lambda x: (x**3, lambda dy: dy * 3.0 * mg.stop_gradient(x) ** 2))
    with pytest.raises(AssertionError, match="<lambda>, input 0, order 2: the tape says 0, finite differences say 12"):
        mg.test.check_gradients(lambda x: flat(x), 2.0)
    mg.test.check_gradients(lambda x: flat(x), 2.0, order=1)
    third = mg.custom_gradient(lambda x: (3.0 * x**2, lambda dy: dy * 6.0 * mg.stop_gradient(x)))
    second = mg.custom_gradient(lambda x: (x**3, lambda dy: dy * third(x)))
    with pytest.raises(AssertionError, match="order 3: the tape says 0, finite differences say 6"):
        mg.test.check_gradients(lambda x: second(x), 2.0, order=3)
    mg.test.check_gradients(lambda x: second(x), 2.0)


def test_the_elements_of_a_large_output_weigh_together_as_those_of_a_small_one():
    for count in (1, 4, 100):
        zeros = mg.zeros(count, mg.float64)
        (weights,) = mg.test.gradients_of(mg.test.weighted_sum(mg.identity, [zeros]))(zeros)
        assert mg.norm(weights).numpy() == pytest.approx(mg.test.UPSTREAM * count**0.5)


def test_measuring_notices_one_wrong_slope_among_many_and_in_each_output():
    crooked = mg.custom_gradient(lambda x: (x, lambda dy: dy * 1.001))
    with pytest.raises(AssertionError, match="order 1"):
        mg.test.check_gradients(lambda x: mg.concat([mg.zeros([99999], mg.float64), mg.reshape(crooked(x) * 1e-2, [1])], 0), 2.0)
    for wrong in (lambda x: [x, x, crooked(x)], lambda x: {"a": crooked(x), "b": None, "c": mg.constant(1)}):
        with pytest.raises(AssertionError, match="order 1"):
            mg.test.check_gradients(wrong, 2.0)
    with pytest.raises(AssertionError, match="input 1, order 1"):
        mg.test.check_gradients(lambda x, y, k: x + crooked(y), 2.0, [1.0, 2.0], 3)
    turned = mg.custom_gradient(lambda x: (x, lambda dy: dy + mg.reverse(dy, [0]) * [1.0, -1.0]))
    with pytest.raises(AssertionError, match="order 1"):
        mg.test.check_gradients(turned, mg.constant([1.0, 2.0], mg.float64))


def test_rows_are_checked_as_the_whole_that_they_stand_for():
    mg.test.check_gradients(lambda x: mg.gather(x, [0, 0]), [1.5, 2.5])
    mg.test.check_gradients(lambda x: mg.gather(x, [0, 0]), [1.5, 2.5], order=1)


def test_custom_gradient_can_be_called_with_brackets():
    @mg.custom_gradient()
    def double(x):
        return x * 2.0, lambda dy: dy * 5.0

    assert float(gradient_of(double)) == 5.0


def test_a_gradient_is_needed_for_each_variable():
    v = mg.Variable(2.0)

    @mg.custom_gradient
    def scaled(x):
        return x * v, lambda dy, variables=None: (dy, [])

    with pytest.raises(ValueError, match="Must return gradient for each variable"):
        gradient_of(scaled)


def test_a_jacobian_goes_through_a_custom_gradient_row_by_row():
    square = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * 10.0))
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = square(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[10.0, 0.0], [0.0, 10.0]]


def test_the_name_of_an_op_is_a_string():
    with pytest.raises(TypeError, match="op_type must be a string"):
        mg.RegisterGradient(3)


@pytest.mark.parametrize("ask", ["gradient", "jacobian", "batch_jacobian"])
def test_what_the_users_gradient_computes_is_recorded_by_an_outer_tape(ask):
    product = mg.custom_gradient(lambda a, b: (a * b, lambda dy: (dy * b, dy * a)))
    a, b = mg.Variable([[1.0], [2.0]]), mg.Variable([[3.0], [4.0]])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as tape:
            y = product(a, b)
        slopes = getattr(tape, ask)(y, a)
    assert outer.gradient(slopes, b).numpy().tolist() == [[1.0], [1.0]]


def test_a_row_of_a_jacobian_for_which_the_user_has_no_gradient_is_zero():
    first = mg.custom_gradient(lambda x: (x * 1.0, lambda dy: dy * 2.0 if dy.numpy()[0] else None))
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = first(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[2.0, 0.0], [0.0, 0.0]]


@mg.custom_gradient
def scaled(x, scale=1.0):
    return x * scale, lambda dy: dy * scale


def test_what_is_given_by_name_is_a_setting_and_needs_no_gradient():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = scaled(x, scale=2.0)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (6.0, 2.0)


class Layer(mg.Module):
    factor = 5.0

    @mg.custom_gradient
    def __call__(self, x):
        return x * 2.0, lambda dy: dy * self.factor

    @staticmethod
    @mg.custom_gradient
    def tripled(x):
        return x * 3.0, lambda dy: dy * 7.0


@pytest.mark.parametrize(("function", "slope"), [(Layer(), 5.0), (Layer.tripled, 7.0), (Layer().tripled, 7.0)])
def test_a_method_can_bring_its_own_gradient(function, slope):
    x = mg.Variable(1.0)
    with mg.GradientTape() as tape:
        y = function(x)
    assert tape.gradient(y, x).numpy() == slope


def test_where_no_argument_is_watched_the_ops_inside_count():
    x, c = mg.constant(3.0), mg.constant(2.0)
    f = mg.custom_gradient(lambda y: (y * x * x, lambda dy: dy * 100.0))
    for watched, slope in ([x], 12.0), ([x, c], None):
        with mg.GradientTape() as tape:
            tape.watch(watched)
            z = f(c)
        dx = tape.gradient(z, x)
        assert (dx is None) if slope is None else dx.numpy() == slope


def test_a_gradient_of_another_shape_is_handed_on_and_named():
    add = mg.custom_gradient(lambda x, b: (x + b, lambda dy: (dy, dy)))
    x, b = mg.Variable(mg.ones([2, 2])), mg.Variable([1.0, 2.0], name="b")
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        z = add(x, b)
    assert tape.gradient(z, b).shape == (2, 2)
    assert "note   a custom gradient sent b the shape (2, 2), but it has the shape (2,)" in str(tape.explain(z, b))


def test_a_gradient_of_another_shape_goes_on_through_the_ops_before():
    total = mg.custom_gradient(lambda x: (mg.reduce_sum(x), lambda dy: mg.ones([5])))
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        z = total(x * 2.0)
    assert tape.gradient(z, x).numpy().tolist() == [2.0] * 5


def test_a_variable_that_is_assigned_inside_counts_as_used():
    v = mg.Variable(2.0)

    @mg.custom_gradient
    def counted(x):
        v.assign_add(1.0)
        return x * 2.0, lambda dy: dy

    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        counted(mg.constant(1.0))
