"""A gradient of 0 along paths that are all there."""

import minigrad as mg

from . import program


@program("zero", "", "FLAT", "the slope of relu is 0 here", "dy/dx = 0.0", plain=("untried", "", "FLAT"))
def _dead_relu():
    """A relu of a negative number: 0.0 must be explained by relu, and no path be claimed lost."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.nn.relu(-x)
    return tape.explain(y, x)


@program("zero", "", "FLAT", "takes it times h, which is 0 here", "line   loss = mg.reduce_sum(h @ w)", plain=("untried", "", "FLAT"))
def _a_layer_whose_units_are_all_off():
    """A weight behind units that are all 0: the product with h must be blamed, and not the relu, whose slope is not asked for."""
    w = mg.Variable([[1.0], [2.0]])
    with mg.GradientTape() as tape:
        h = mg.nn.relu(mg.constant([[-1.0, -4.0]]))
        loss = mg.reduce_sum(h @ w)
    return tape.explain(loss, w)


@program("zero", "", "FLAT", "matmul takes it times w, which is 0 here", "small random numbers")
def _a_second_layer_that_begins_at_zero():
    """An output weight of zeros: the first layer gets no slope because of w, and random numbers must be proposed."""
    x, v = mg.constant([[1.0, 2.0]]), mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    w = mg.Variable(mg.zeros([2, 1]))
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.tanh(x @ v) @ w)
    return tape.explain(y, v)


@program("zero", "", "FLAT", "matmul takes it times layers[1].kernel, which is 0 here")
def _a_layer_of_keras_that_begins_at_zero():
    """A Keras layer with kernel_initializer="zeros": the factor must be called by a name that leads to it."""
    layers = [mg.keras.layers.Dense(3, activation="tanh"), mg.keras.layers.Dense(1, kernel_initializer="zeros")]
    model, x = mg.keras.Sequential(layers), mg.constant([[1.0, 2.0]])
    model(x)
    with mg.GradientTape() as tape:
        loss = mg.reduce_mean((model(x) - 1.0) ** 2)
    return tape.explain(loss, model.layers[0].kernel)


@program("zero", "", "FLAT", "multiply takes it times w, which is 0 here")
def _a_square_at_zero():
    """w * w at 0: the other factor is w itself, and must be found although both inputs are the same."""
    w = mg.Variable(0.0)
    with mg.GradientTape() as tape:
        y = w * w
    return tape.explain(y, w)


@program("zero", "", "FLAT", "multiply takes it times w, which is 0 here")
def _a_zero_that_was_assigned_later():
    """A factor that was 0 in the block and is 1.0 now: the value of that time must be told."""
    w, x = mg.Variable(0.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = w * x
    w.assign(1.0)
    return tape.explain(y, x)


@program("zero", "", "FLAT", "multiply takes it times 0", plain=("untried", "", "FLAT"))
def _times_nothing():
    """A product with the number 0.0: the number must be blamed, and not the value of x."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * 0.0
    return tape.explain(y, x)


@program("zero", "", "FLAT", "sigmoid", plain=("untried", "", "FLAT"))
def _saturated():
    """sigmoid of 200, after the question was asked: the op must be found, although the tape is used up."""
    x = mg.Variable(200.0)
    with mg.GradientTape() as tape:
        y = mg.sigmoid(x)
    slope = tape.gradient(y, x)
    assert slope == 0.0
    return tape.explain(y, x)


@program("zero", "", "FLAT", "sign")
def _sign():
    """sign, which has a slope and it is 0: this must be called zero, and not a missing derivative."""
    x = mg.Variable([2.0, -1.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.sign(x))
    return tape.explain(y, x)


@program("zero", "", "FLAT", "clip_by_value")
def _clipped():
    """A value that a clip has cut off: the clip must be named, and not the product after it."""
    x = mg.Variable(5.0)
    with mg.GradientTape() as tape:
        y = mg.clip_by_value(x, 0.0, 1.0) * 3.0
    return tape.explain(y, x)


@program("zero", "", "FLAT", "cancel")
def _cancelling():
    """x - x: two live paths that cancel must be called so, and no op be blamed for being flat."""
    x = mg.Variable(5.0)
    with mg.GradientTape() as tape:
        y = x - x
    return tape.explain(y, x)


@program("zero", "", "FLAT", "cancel")
def _normalized_where_all_is_equal():
    """Two ways to x that cancel, and one over a deviation that is flat: what is flat on one way must not stand for all."""
    x = mg.Variable([2.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum((x - mg.reduce_mean(x)) / (mg.math.reduce_std(x) + 1.0))
    return tape.explain(y, x)


@program("zero", "", "FLAT", "cancel")
def _cancelling_on_the_way():
    """h - h beside a relu that is off: they cancel at h, and the relu must not be blamed for it."""
    x = mg.Variable(5.0)
    with mg.GradientTape() as tape:
        h = x * 2.0
        y = (h - h) * 3.0 + mg.nn.relu(-x)
    return tape.explain(y, x)


@program("zero", "", "FLAT", "cancel", "line   y = mg.reduce_sum(mg.nn.softmax(x))")
def _cancelling_in_one_op():
    """The sum of a softmax, which is 1: its elements cancel in the softmax, whose slope is not 0."""
    x = mg.Variable([1.0, 2.0, 4.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.nn.softmax(x))
    return tape.explain(y, x)


@program("zero", "", "FLAT", "cancel", "line   y = mg.reduce_sum(mg.gather(x, [0, 0]) * [1.0, -1.0])")
def _one_row_taken_twice():
    """One element taken twice, with opposite signs: nothing is too small for its dtype, and the tape is used up."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.gather(x, [0, 0]) * [1.0, -1.0])
    assert not mg.reduce_any(mg.convert_to_tensor(tape.gradient(y, x)) != 0.0)
    return tape.explain(y, x)


@program("zero", "", "FLAT", "the slope of sign is 0 here")
def _a_half_that_is_flat_behind_a_relu_that_is_off():
    """Two halves, one flat and one not, of a relu that is off: what arrives at the other half is stopped, and cancels nothing."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        a, b = mg.split(mg.nn.relu(-x), 2)
        y = mg.reduce_sum(mg.sign(a) + b)
    return tape.explain(y, x)
