"""A value leaves for Python or NumPy, and comes back on the same line or by a name or two."""

import functools
import math
import os

import numpy as np

import minigrad as mg

from . import program
from .shared import keras_weight


@program(
    "partial",
    "",
    "LEFT_ENGINE",
    "dy/dx = 3.0 leaves out 1 of 2 paths",
    "(proved)",
    "line   y = x * x.numpy()",
    "keep x a tensor: y = x * x",
    "carries 3.0",
)
def _numpy_in_a_product():
    """A product with x.numpy(): the 3.0 that the tape gives must not pass for the whole derivative."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x.numpy()
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "x -> multiply -> float -> multiply -> y", "fix    keep x * x a tensor: y = (x * x) * x")
def _constant_of_a_float():
    """A constant made of float(x * x) beside the live path: the lost half must be named, with the whole of x * x in the fix."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = mg.constant(float(x * x)) * x
    tape.gradient(y, x)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)", "y = mg.exp(x) * x")
def _math_exp():
    """math.exp reads x as a number: the path through it must be named lost, and mg.exp proposed in its place."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = math.exp(x) * x
    return tape.explain(y, x)


@program(
    "none",
    "broken",
    "LEFT_ENGINE",
    "m = mg.reduce_mean(x2)",
    "x -> pow -> np.mean -> reduce_mean -> y",
    plain=("none", "broken", "OUTSIDE_TAPE"),
)
def _numpy_mean():
    """np.mean between two ops of the tape: its line must be named, not the reduce_mean of a plain number that comes after it."""
    x = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape() as tape:
        x2 = x**2
        m = np.mean(x2)
        y = mg.reduce_mean(m)
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "keep size a tensor: y = mg.sqrt(size)")
def _numpy_of_a_longer_name():
    """A number that left from an intermediate tensor: the answer must speak of size, and not of the source x."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        size = mg.reduce_sum(x * x)
        y = mg.sqrt(size.numpy())
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "sqrt was given the number 2.5, not size")
def _a_float_that_was_halved():
    """A float that was halved before it came back: that it is another number by then must not hide where it came from."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        size = mg.reduce_sum(x * x)
        half = float(size) / 2
        y = mg.sqrt(half)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "s = float(x * x)", "(tried)")
def _float_kept_in_a_name():
    """A float that comes back a line later under the name s: the line that made it must be named, not the one that uses it."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        s = float(x * x)
        y = s * x
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)", "a = x.numpy()")
def _numpy_over_several_lines():
    """An array that NumPy changes over several lines: it must be followed back to x.numpy(), and not be called proved."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        a = x.numpy()
        b = np.sqrt(a) + 1.0
        c = b * 2.0
        y = mg.reduce_sum(x * c)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(proved): mg.numpy_function works in NumPy, where no tape follows x", "x -> mg.numpy_function")
def _numpy_function():
    """A function run by mg.numpy_function: the answer must say that it works in NumPy, and not that x became a plain number."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x * mg.numpy_function(np.sin, [x], mg.float32))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "return v * float(total)", "return v * total")
def _a_number_inside_a_function_of_python():
    """A py_function that makes a plain number of one of its inputs: the other one's gradient is not the whole of it."""

    def scaled(v, total):
        return v * float(total)

    x = mg.Variable([0.5, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.py_function(scaled, [x, mg.reduce_sum(x)], mg.float32))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "return 2.0 * float(v)", plain=("untried", "", "FLAT"))
def _a_function_of_python_that_gives_a_number():
    """A py_function that gives a plain number: the zero that comes back must not be called the slope."""

    def doubled(v):
        return 2.0 * float(v)

    x = mg.Variable(1.0)
    with mg.GradientTape() as tape:
        y = mg.py_function(doubled, [x], mg.float32)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE")
def _a_generator_of_random_numbers():
    """float(x) as the width of random numbers: the number that was drawn must still count as computed from x."""
    x, rng = mg.Variable(2.0), np.random.default_rng(0)
    with mg.GradientTape() as tape:
        y = x * x + rng.normal(0.0, float(x))
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "np.dot(w, x.numpy())")
def _the_second_argument_of_a_function_of_numpy():
    """x.numpy() as the second argument of np.dot, whose first is a Variable: asked about x, the answer must find it."""
    x, w = mg.Variable([1.0, 2.0]), mg.Variable([3.0, 4.0])
    with mg.GradientTape() as tape:
        y = mg.constant(np.dot(w, x.numpy()))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "multiply was given the number 2.0, not x")
def _a_number_on_the_left():
    """x.numpy() on the left of the product: the plain side must be found there too, and not only on the right."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x.numpy() * x
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE")
def _numpy_in_a_training_loop():
    """A number taken in every turn of a training loop: the path must be named for the last turn, although x was assigned since."""
    x = mg.Variable(5.0, name="x")
    for _ in range(3):
        with mg.GradientTape() as tape:
            here = x.numpy()
            height = x * here - 4.0 * x
        x.assign_sub(0.1 * tape.gradient(height, x))
    return tape.explain(height, x)


class Model:
    def __init__(self):
        self.w = mg.Variable([[1.0], [2.0]])

    def predict(self, x):
        return (x @ self.w).numpy()


@program("none", "broken", "LEFT_ENGINE", "return (x @ self.w).numpy()", "dloss/d(model.w)")
def _predict():
    """A predict method that ends in .numpy(): the line in the method must be named, and the source by its full name model.w."""
    model, x = Model(), mg.constant([[1.0, 2.0]])
    with mg.GradientTape() as tape:
        p = model.predict(x)
        loss = mg.reduce_mean(mg.constant(p) ** 2)
    return tape.explain(loss, model.w)


@program("none", "broken", "LEFT_ENGINE")
def _array_of_tensors():
    """np.array of a list of tensors: they leave one by one, and the array made of them must not count as fresh data."""
    a = mg.Variable(1.5)
    with mg.GradientTape() as tape:
        rows = np.array([a * 2.0, a * 3.0])
        y = mg.reduce_sum(mg.constant(rows))
    return tape.explain(y, a)


@program("none", "broken", "LEFT_ENGINE", "new_v = x * x; v.assign(new_v)")
def _numpy_written_into_a_variable():
    """A number assigned to a Variable: .numpy() must be the cause that is named, and the fix must do without the assignment too."""
    x, v = mg.Variable(3.0), mg.Variable(0.0)
    with mg.GradientTape() as tape:
        v.assign((x * x).numpy())
        y = v * 2.0
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "measured: 0.909 of 0.077 is lost")
def _sine_times_float():
    """The lost part is larger than the whole and has the other sign: the note must set it beside the measured slope."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.sin(x) * float(x)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "y = mg.reduce_sum( x * mg.exp(-x), axis=0, )")
def _comments_between_the_lines():
    """A statement over several lines with a comment inside: the proposed line must not carry the comment, which would end it."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(
            x.numpy() * mg.exp(-x),  # decay
            axis=0,
        )
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "x -> getitem -> v.numpy() ->", "the number 1.0, not v", "fix    keep v a tensor: s = s + v * v")
def _parts_of_a_tensor():
    """Items of x that a loop makes numbers of: the answer must call the lost value v, and not just x, and propose v * v."""
    x, s = mg.Variable([1.0, 2.0]), 0.0
    with mg.GradientTape() as tape:
        for v in x:
            s = s + v.numpy().item() * v
        y = s * 1.0
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "layer was given numbers, not x", "mg.reduce_sum(layer(x))")
def _layer_of_an_array():
    """A Keras layer called with an array: the answer must say that the layer was given numbers, not an op inside it."""
    x, layer = mg.Variable([[1.0, 2.0]]), mg.keras.layers.Dense(1)
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(layer(x.numpy()))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "np.max(x) is a plain number; multiply was given the number 2.0, not x")
def _largest_of_an_array():
    """np.max of a vector: its result must be called a number, and not an array as its argument is."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = x * np.max(x)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "np.dot(w, x) is a plain number; multiply was given the number 11.0, not x")
def _dot_of_two_vectors():
    """np.dot of two vectors: its result must be called a number, here 11.0, and not an array."""
    w, x = mg.Variable([1.0, 2.0]), mg.Variable([3.0, 4.0])
    with mg.GradientTape() as tape:
        y = x * np.dot(w, x)
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "np.dot(w, x) is a plain array", "keep x a tensor: y = mg.reduce_sum(mg.tensordot(w, x, 1))")
def _matrix_dot_vector():
    """np.dot of a matrix and a vector: its result must be called an array, and the proposed tensordot must get its axis."""
    w, x = mg.Variable([[1.0, 2.0]]), mg.Variable([3.0, 4.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(np.dot(w, x))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "x.numpy() is a plain array; multiply was given numbers, not x")
def _array_times_a_tensor():
    """An array on the left of a tensor: it must be called an array, and multiply be named as who was given its numbers."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x.numpy() * mg.exp(-x))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "k = np.clip(float(x), 0.0, 1.0)")
def _a_clip_that_does_nothing():
    """np.clip of a number within the limits: the number is used, so the limits must not pass for what came back."""
    x = mg.Variable(0.7)
    with mg.GradientTape() as tape:
        k = np.clip(float(x), 0.0, 1.0)
        y = x * k
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "line   match float(mg.norm(w)):\n")
def _the_head_of_a_match():
    """A float in the head of a match statement: the line that is shown must end with the head, and leave out the cases."""
    w = mg.Variable([0.5, 1.5])
    with mg.GradientTape() as tape:
        match float(mg.norm(w)):
            case size if size > 0.0:
                y = mg.reduce_sum(w) / size
    return tape.explain(y, w)


@program("partial", "", "LEFT_ENGINE", "(tried): map(float, (x * x, x)) is a plain value")
def _numbers_unpacked_from_map():
    """Numbers unpacked from map(float, ...): the call of map must be named, although float stands there without a call."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        size, _ = map(float, (x * x, x))
        y = x * (3.0 * size)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "functools.reduce(lambda a, b: a * b, [2.0, x])")
def _a_product_by_reduce():
    """A float in a list that functools.reduce multiplies: the product must be traced to it, and not to the 2.0 beside it."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        y = x * functools.reduce(lambda a, b: a * b, [2.0, float(x)])
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "layer.set_weights was given numbers, not a", "assign -> matmul -> add")
def _set_weights_of_keras():
    """layer.set_weights, which writes two Variables: the array must be found in the kernel that it fits, and not in the bias."""
    return keras_weight(lambda layer, a: layer.set_weights([a.numpy() * 2.0, np.zeros(1)]))


@program("none", "broken", "LEFT_ENGINE", "scale = float(mg.reduce_sum(b))")
def _left_beside_what_was_stopped_on_purpose():
    """Of two ways, the one that was cut on purpose comes first and hides the one that was not."""
    a, b = mg.Variable([1.0, 2.0]), mg.Variable([2.0, 3.0])
    with mg.GradientTape() as tape:
        h = mg.sin(a * mg.stop_gradient(b))
        scale = float(mg.reduce_sum(b))
        y = mg.reduce_sum(h) * scale
    return tape.explain(y, b)


@program("partial", "", "LEFT_ENGINE LEFT_ENGINE", "leaves out 2 of 4 paths", "root = mg.sqrt(x)", "value = x", plain=("untried", "", ""))
def _two_numbers_of_which_numpy_made_one():
    """A number by np.sqrt beside another one: each must be found to have come in by its own line."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        root = np.sqrt(x)
        value = x.numpy()
        y = root * x + x * value
    return tape.explain(y, x)


@program("partial", "", "STATE LEFT_ENGINE LEFT_ENGINE LEFT_ENGINE", "leaves out 4 of 8 paths", "also   LEFT_ENGINE")
def _four_ways_lost_at_once():
    """A Variable, a number, a float and a function of NumPy: all are lost, and two are shown in full."""
    x, kept = mg.Variable(2.0), mg.Variable(0.0)
    with mg.GradientTape() as tape:
        kept.assign(x)
        value, number, root = x.numpy(), float(x), np.sqrt(x)
        y = x * value + mg.constant(number) * x + root * x + kept * x
    return tape.explain(y, x)


@program(
    "partial", "", "LEFT_ENGINE", "no replay: the block does not give the same numbers twice: value = mg.add(x, other).numpy()",
    plain=("untried", "", ""),
)  # fmt: skip
def _a_number_that_is_another_one_in_a_replay():
    """A number that a replay does not get again: what it finds cannot be compared, and that must be said."""
    x, home = mg.Variable(2.0), os.getpid()
    with mg.GradientTape() as tape:
        other = 1.0 if os.getpid() == home else 2.0
        value = mg.add(x, other).numpy()
        y = x * value
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "fix    keep x a tensor: y = mg.reduce_sum(x**2) * mg.reduce_mean(x)")
def _a_source_that_the_block_makes():
    """An input that is made and watched inside the block, as for a saliency map: the trial of the line must find it there."""
    image = np.float32([0.5, 1.5])
    with mg.GradientTape() as tape:
        x = mg.convert_to_tensor(image)
        tape.watch(x)
        y = mg.reduce_sum(x**2) * np.mean(x)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "fix    keep h a tensor: y = h * h", "measured: 6 of 12 is lost")
def _what_the_block_computes_as_the_source():
    """The result of an op inside the block as the source, as in Grad-CAM: the trial of the line must find it there."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        h = x * 2.0
        y = h * h.numpy()
    return tape.explain(y, h)
