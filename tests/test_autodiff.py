"""Derivatives along a direction, compared with TensorFlow 2.21."""

import numpy as np
import pytest

import minigrad as mg

Accumulator = mg.autodiff.ForwardAccumulator
ONE = mg.constant(1.0)


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-6)


def test_what_is_computed_in_the_block_has_a_derivative_along_the_tangent():
    x = mg.Variable(2.0)
    with Accumulator(x, ONE) as acc:
        y = x**2
    close(acc.jvp(y), 4.0)
    close(acc.jvp({"y": [y, x]})["y"], [4.0, 1.0])
    assert acc.jvp([y * 2.0, mg.constant(3.0)]) == [None, None]
    assert acc.jvp(mg.constant([1, 2]), mg.UnconnectedGradients.ZERO).numpy().tolist() == [0, 0]


OF_BOTH = [
    (lambda v, w: v * w, [3.0, 2.0]),
    (lambda v, w: mg.reduce_sum(v**2 * w), 10.0),
    (lambda v, w: mg.concat([v, w], 0), [1.0, 0.0, 0.0, 1.0]),
    (lambda v, w: mg.nn.softmax(v), [0.19661194, -0.19661194]),
    (lambda v, w: mg.gather(v, [1, 1, 0]), [0.0, 0.0, 1.0]),
    (lambda v, w: mg.reduce_max(w), 1.0),
    (lambda v, w: mg.stop_gradient(v) * w, [0.0, 2.0]),
    (lambda v, w: mg.math.top_k(v, 1).values, [0.0]),
    (lambda v, w: mg.linalg.matmul(v[None], w[:, None]), [[5.0]]),
    (lambda v, w: mg.where(v > 1.0, v * v, w), [0.0, 0.0]),
    (lambda v, w: mg.split(v, 2)[0], [1.0]),
]


@pytest.mark.parametrize(("function", "expected"), OF_BOTH)
def test_along_directions_of_several(function, expected):
    v, w = mg.Variable([1.0, 2.0]), mg.constant([3.0, 4.0])
    with Accumulator([v, w], [mg.constant([1.0, 0.0]), mg.constant([0.0, 1.0])]) as acc:
        y = function(v, w)
    slope = acc.jvp(y)
    close(slope, expected)
    assert (slope.shape, slope.dtype) == (y.shape, y.dtype)


def test_no_derivative_goes_through_whole_numbers():
    v = mg.Variable([1.0, 2.0])
    with Accumulator(v, mg.constant([1.0, 1.0])) as acc:
        whole, wide = mg.cast(v, mg.int32), mg.cast(v, mg.float64)
    assert acc.jvp(whole) is None
    assert acc.jvp(wide).numpy().tolist() == [1.0, 1.0]
    assert acc.jvp(wide).dtype == mg.float64


def test_accumulators_inside_each_other_give_second_derivatives():
    x = mg.constant(1.1)
    with Accumulator(x, ONE) as outer:
        with Accumulator(x, ONE) as inner:
            y = x**3.5
        slope = inner.jvp(y)
    close([slope, outer.jvp(slope), outer.jvp(y)], [4.4417057, 10.0947857, 4.4417057])


def test_forward_over_backward_is_a_hessian_times_a_vector_and_so_is_backward_over_forward():
    v, direction = mg.Variable([1.0, 2.0]), mg.constant([1.0, 2.0])
    with Accumulator(v, direction) as acc:
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(mg.exp(v) * v[::-1])
        slope = tape.gradient(y, v)
    close(acc.jvp(slope), [25.65124, 24.885448])
    with mg.GradientTape() as tape:
        with Accumulator(v, direction) as acc:
            y = mg.reduce_sum(v**3)
        slope = acc.jvp(y)
    close(slope, 27.0)
    close(tape.gradient(slope, v), [6.0, 24.0])


def test_an_accumulator_can_be_asked_in_its_block_and_goes_on():
    x = mg.Variable(2.0)
    acc = Accumulator(x, ONE)
    with acc:
        square = x * x
        close(acc.jvp(square), 4.0)
        assert acc.jvp(acc.jvp(square)) is None
    with acc:
        cube = x * x * x
    close(acc.jvp([square, cube]), [4.0, 12.0])
    with pytest.raises(ValueError, match=r"Accumulator is already recording."), acc, acc:
        pass


def test_complex_directions():
    z = mg.constant(1 + 2j)
    with Accumulator(z, mg.constant(1 + 0j)) as acc:
        y, size = z * z, mg.abs(z)
    close(acc.jvp(y), 2 + 4j)
    close(acc.jvp(size), 0.4472135954999579)


def test_whole_numbers_have_no_direction(caplog):
    with Accumulator(mg.constant(1), mg.constant(1)) as acc:
        y = mg.constant(1) * 2
    assert acc.jvp(y) is None
    assert "The dtype of the watched primal must be floating" in caplog.text


@pytest.mark.parametrize(
    ("primals", "tangents", "text"),
    [
        ([ONE], ONE, "The two structures don't have the same nested structure"),
        ([ONE, mg.constant(2.0)], [ONE], "The two structures don't have the same nested structure"),
        (ONE, mg.constant(1.0, mg.float64), "Tensor conversion requested dtype float32 for Tensor with dtype float64"),
        ([ONE, ONE], [ONE, ONE], "was specified as a primal multiple times"),
    ],
)
def test_directions_that_do_not_fit_are_refused(primals, tangents, text):
    with pytest.raises(ValueError, match=text):
        Accumulator(primals, tangents)


def test_the_variable_in_a_variable_of_keras_is_asked_for():
    around = mg.keras.Variable(3.0)
    with pytest.raises(ValueError, match=r"Write tape\.watch\(v\.value\)"), Accumulator(around, ONE):
        pass
    with Accumulator(around.value, ONE) as acc:
        y = around * around
    close(acc.jvp(y), 6.0)


def test_a_jvp_asked_after_all_blocks_is_connected_to_what_was_around_its_own():
    x = mg.constant(1.1)
    with Accumulator(x, ONE) as outer, Accumulator(x, ONE) as inner:
        y = x**3.5
    close(outer.jvp(inner.jvp(y)), 10.0947857)
    with mg.GradientTape() as tape:
        tape.watch(x)
        with Accumulator(x, ONE) as acc:
            y = x**3.5
    close(tape.gradient(acc.jvp(y), x), 10.0947857)
    with Accumulator(x, ONE) as a, Accumulator(x, ONE) as b, Accumulator(x, ONE) as c:
        y = x**3.5
    close(a.jvp(b.jvp(c.jvp(y))), 3.5 * 2.5 * 1.5 * 1.1**0.5)


def test_a_jvp_is_a_constant_to_a_tape_that_was_not_around_its_block():
    x = mg.constant(1.1)
    with Accumulator(x, ONE) as acc:
        with mg.GradientTape() as inside:
            inside.watch(x)
            y = x**3.5
        slope = acc.jvp(y)
    with mg.GradientTape() as after:
        after.watch(x)
        late = acc.jvp(y)
    assert inside.gradient(slope, x) is None
    assert after.gradient(late, x) is None


def test_a_jvp_needs_no_tape_that_is_used_up_or_gone():
    x = mg.constant(1.1)
    with mg.GradientTape() as tape:
        tape.watch(x)
        with Accumulator(x, ONE) as acc:
            y = x**3.5
    close(tape.gradient(y, x), 4.4417057)
    close(acc.jvp(y), 4.4417057)
    by_hand = mg.GradientTape()
    by_hand.__enter__()
    with Accumulator(x, ONE) as acc:
        y = x**3.5
    del by_hand
    close(acc.jvp(y), 4.4417057)
