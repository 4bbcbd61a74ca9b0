"""A value is written into a Variable, a dataset or a queue, and read again."""

import minigrad as mg

from . import program
from .shared import keras_weight


@program("none", "broken", "STATE", "x1.assign_add(x0)", "new_x1 = x1 + x0")
def _assign_add():
    """assign_add of a tensor: that x0 has gone into the Variable x1 must not pass for x0 being unused."""
    x0, x1 = mg.Variable(3.0), mg.Variable(0.0)
    with mg.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    return tape.explain(y, x0)


class Mean:
    def __init__(self):
        self.mean = mg.Variable(1.0)

    def update(self, x):
        self.mean.assign(0.9 * self.mean + 0.1 * mg.reduce_mean(x))


@program("none", "broken", "STATE", "self.mean.assign wrote 0.9")
def _assign_of_a_long_expression():
    """A long expression assigned in a method, and read elsewhere: no single line repairs it, so none may be proposed."""
    x, model = mg.Variable([1.0, 2.0]), Mean()
    with mg.GradientTape() as tape:
        model.update(x)
        y = model.mean * 2.0
    return tape.explain(y, x)


@program("none", "broken", "STATE", "tab[1].assign wrote v into a Variable", "a new tensor instead of tab")
def _row_assigned():
    """A row of a Variable assigned: the fix must be words, for no line would be short."""
    tab, v = mg.Variable([[1.0, 2.0], [3.0, 4.0]]), mg.Variable([5.0, 6.0])
    with mg.GradientTape() as tape:
        tab[1].assign(v)
        y = mg.reduce_sum(tab)
    return tape.explain(y, v)


@program("none", "broken", "STATE", "fix    compute with a new tensor instead of buffer")
def _each_element_assigned():
    """Elements assigned in a loop: no single line replaces it, so none may be proposed."""
    buffer, v = mg.Variable([1.0, 2.0]), mg.Variable(5.0)
    with mg.GradientTape() as tape:
        for k in range(2):
            buffer[k].assign(v * 2.0)
        y = mg.reduce_sum(buffer)
    return tape.explain(y, v)


@program("none", "broken", "STATE", "fix    compute with a new tensor instead: after = total + x")
def _assigned_and_kept():
    """The result of assign_add kept under a name: the fix must keep that name, and not invent new_total."""
    x, total = mg.Variable(1.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        after = total.assign_add(x)
        y = after * 2.0
    return tape.explain(y, x)


@program("partial", "", "STATE", "leaves out 1 of 2 paths")
def _assign_beside_a_live_path():
    """A Variable that holds x * x, times x: the 9.0 of the live path must not pass for the whole derivative."""
    x, s = mg.Variable(3.0), mg.Variable(0.0)
    with mg.GradientTape() as tape:
        s.assign(x * x)
        y = s * x
    return tape.explain(y, x)


@program("none", "broken", "STATE")
def _slice_assign():
    """One element assigned and the whole Variable summed: a part that was written must count as a dependency of the whole."""
    x, buffer = mg.Variable(3.0), mg.Variable([0.0, 0.0])
    with mg.GradientTape() as tape:
        buffer[0].assign(x * 2.0)
        y = mg.reduce_sum(buffer)
    return tape.explain(y, x)


@program("none", "broken", "STATE")
def _scatter():
    """scatter_nd_update of a Variable: it writes a value as assign does, and x must not be called unused."""
    x, buffer = mg.Variable([3.0]), mg.Variable([0.0, 0.0])
    with mg.GradientTape() as tape:
        buffer.scatter_nd_update([[1]], x * 2.0)
        y = mg.reduce_sum(buffer)
    return tape.explain(y, x)


@program("none", "broken", "STATE", "Dataset")
def _through_a_dataset():
    """A tensor that goes through a Dataset: the rows that come out must not count as fresh data."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        data = mg.data.Dataset.from_tensor_slices(x * 2.0)
        y = mg.add_n([row * row for row in data])
    return tape.explain(y, x)


@program("none", "broken", "STATE", "FIFOQueue")
def _through_a_queue():
    """A tensor that goes through a queue: what is dequeued must not count as made from nothing."""
    x = mg.Variable(3.0)
    queue = mg.queue.FIFOQueue(2, mg.float32)
    with mg.GradientTape() as tape:
        queue.enqueue(x * x)
        y = queue.dequeue() * 2.0
    return tape.explain(y, x)


@program("none", "broken", "STATE")
def _learning_rate_through_a_step():
    """A learning rate inside a step of training: the step writes a Variable, and must not make the rate look unused."""
    w, rate = mg.Variable(3.0), mg.Variable(0.1)
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            loss = w * w
        w.assign_sub(rate * inner.gradient(loss, w))
        after = w * w
    return outer.explain(after, rate)


@program("none", "broken", "STATE", "STATE (proved): layer.kernel.assign wrote a * 2.0 into a Variable")
def _assigned_to_a_weight_of_keras():
    """kernel.assign of a Keras layer: the line of the user must be named, and not the assignment inside Keras."""
    return keras_weight(lambda layer, a: layer.kernel.assign(a * 2.0))


@program(
    "none",
    "broken",
    "STATE",
    "STATE (proved): layer.kernel.assign_add wrote a * 2.0 into a Variable",
    "a new tensor instead of layer.kernel",
)
def _added_to_a_weight_of_keras():
    """kernel.assign_add of a Keras layer, which assigns a sum inside: the answer must say that a * 2.0 was written."""
    return keras_weight(lambda layer, a: layer.kernel.assign_add(a * 2.0))


@program("none", "broken", "STATE", "STATE (proved): layer.kernel.assign_sub wrote a into a Variable")
def _subtracted_from_a_weight_of_keras():
    """kernel.assign_sub of a Keras layer: it must be named as such, and not as the assign that it calls."""
    return keras_weight(lambda layer, a: layer.kernel.assign_sub(a))


@program("none", "broken", "STATE", plain=("none", "broken", "OUTSIDE_TAPE"))
def _a_tensor_younger_than_a_variable():
    """A source made after the Variable that is the target: it must not be taken for a tensor made after the computation."""
    total = mg.Variable(0.0)
    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        total.assign(x * x)
    return tape.explain(total, x)


@program("none", "broken", "STATE OUTSIDE_TAPE", "multiply ran where no tape hears it, as in a function given to a Dataset")
def _function_of_a_dataset():
    """Dataset and map on one line: both the state and the op that no tape hears must be named, the state first."""
    w = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        ds = mg.data.Dataset.from_tensor_slices(w * 2.0).map(lambda t: t * t)
        loss = sum(ds)
    return tape.explain(loss, w)
