"""What TensorFlow does, as small programs: each runs with whatever module it is given, minigrad or TensorFlow.

A scenario prints, and shows values by name. `run` collects both, and what was logged. What TensorFlow 2.21 gave stands in
golden.json, which `python tests/scenarios.py` writes anew where that is installed.
"""

import collections
import contextlib
import copy
import functools
import io
import json
import logging
import os
import pathlib
import pickle
import re
import threading
import unittest.mock
import warnings

import numpy as np

os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")  # TensorFlow multiplied matrices with this library
CORNERS = pathlib.Path(__file__).with_name("corners.txt")
GOLDEN = pathlib.Path(__file__).with_name("golden.json")
SCENARIOS = {}


def scenario(name):
    """Keep a program under its name."""

    def keep(program):
        SCENARIOS[name] = program
        return program

    return keep


class Show:
    """Takes down what a scenario shows, as text."""

    def __init__(self):
        self.values = {}

    def __call__(self, name, value):
        self.values[name] = text_of(value)
        return value

    def each(self, questions):
        """Show the answer to each question; an error is an answer too."""
        for name, question in questions.items():
            try:
                self(name, question())
            except Exception as error:
                self.values[name] = f"raises {type(error).__name__}: {error}"


def text_of(value):
    return str(value) if isinstance(value, str) or type(value).__name__ == "IndexedSlices" else repr(value)


class Log(logging.Handler):
    """Takes down what is logged; TensorFlow's remarks on its own tracing have no counterpart."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        if "retracing" not in record.getMessage():
            self.lines.append(f"{record.levelname}:{record.name}:{record.getMessage()}")


def run(name, mg):
    """What a scenario prints, shows and logs, with this module."""
    show, log, printed, logger = Show(), Log(), io.StringIO(), logging.getLogger(mg.__name__)
    forget_warnings(mg)
    mg.keras.utils.clear_session()  # names begin anew
    logger.addHandler(log)
    try:
        with contextlib.redirect_stdout(printed):
            SCENARIOS[name](mg, show)
    finally:
        logger.removeHandler(log)
    return {"printed": printed.getvalue().splitlines(), "values": show.values, "logged": log.lines}


def forget_warnings(mg):
    """Some warnings are given a few times in a process only: let them begin anew."""
    if mg.__name__ == "tensorflow":
        from tensorflow.python.platform import tf_logging

        tf_logging._log_counter_per_token.clear()
    else:
        mg.engine.questions.warned.update(dict.fromkeys(mg.engine.questions.warned, 0))


def slopes(mg, f, *points):
    """The gradient of f at a point; if f takes several, the list of its gradients."""
    xs = [mg.constant(point) for point in points]
    with mg.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape.gradient(y, xs if len(xs) > 1 else xs[0])


def jacobian(mg, f, point):
    x = mg.constant(point)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x)


def watched_by(tape):
    return [variable.name for variable in tape.watched_variables()]


# ---- the guide to automatic differentiation ------------------------------------------------------------------------


def linear_layer(mg):
    mg.random.set_seed(1)
    w = mg.Variable(mg.random.normal((3, 2)), name="w")
    b = mg.Variable(mg.zeros(2, dtype=mg.float32), name="b")
    with mg.GradientTape(persistent=True) as tape:
        y = [[1.0, 2.0, 3.0]] @ w + b
        loss = mg.reduce_mean(y**2)
    return w, b, y, loss, tape


@scenario("guide.scalar")
def _(mg, show):
    """The square of a scalar Variable."""
    v = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = v**2
    g = show("grad", tape.gradient(y, v))
    show("grad.numpy()", g.numpy())
    print(repr(g.numpy()), g.numpy(), type(g.numpy()).__name__)


@scenario("guide.matrix_list")
def _(mg, show):
    """A list times a Variable; the sources are a list."""
    w, b, y, loss, tape = linear_layer(mg)
    dw, db = tape.gradient(loss, [w, b])
    for name, value in {"w": w, "b": b, "y": y, "loss": loss, "dw": dw, "db": db}.items():
        show(name, value)
    print(w.shape)
    print(dw.shape)
    print(repr(w.shape))
    show("type of shape", type(w.shape).__name__)


@scenario("guide.matrix_dict")
def _(mg, show):
    """The sources are a dict."""
    w, b, _, loss, tape = linear_layer(mg)
    g = show("grads", tape.gradient(loss, {"w": w, "b": b}))
    print(repr(g["b"]))
    print(type(g).__name__)


@scenario("guide.matrix_dict_fresh")
def _(mg, show):
    """The dict holds new Variables, which the tape never saw."""
    _, _, _, loss, tape = linear_layer(mg)
    fresh = {"w": mg.Variable(mg.random.normal((3, 2)), name="w"), "b": mg.Variable(mg.zeros(2), name="b")}
    print(show("grads", tape.gradient(loss, fresh)))


@scenario("guide.nested_sources")
def _(mg, show):
    """Sources in any nesting: the gradients come back in the same."""
    a, b, c = mg.Variable(1.0), mg.Variable(2.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = a * b * c
    print(show("grads", tape.gradient(y, {"p": [a, (b,)], "q": {"c": c}})))


@scenario("guide.dense")
def _(mg, show):
    """A Keras layer: names of the variables, and shapes of the gradients."""
    mg.keras.utils.set_random_seed(1)
    layer = mg.keras.layers.Dense(2, activation="relu")
    x = mg.constant([[1.0, 2.0, 3.0]])
    with mg.GradientTape() as tape:
        y = layer(x)
        loss = mg.reduce_mean(y**2)
    grads = tape.gradient(loss, layer.trainable_variables)
    for variable, grad in zip(layer.trainable_variables, grads, strict=True):
        print(f"{variable.name}, shape: {grad.shape}")
    print(layer.kernel)
    kernel = layer.kernel
    show("kernel", kernel.numpy())
    for name, value in {"y": y, "loss": loss, "grads": grads, "path": kernel.path, "layer name": layer.name}.items():
        show(name, value)
    show("type", type(kernel).__name__)


@scenario("guide.watch_control")
def _(mg, show):
    """What is watched by itself: a trainable Variable, and nothing else."""
    x0 = mg.Variable(3.0, name="x0")
    x1 = mg.Variable(3.0, name="x1", trainable=False)
    x2 = mg.Variable(2.0, name="x2") + 1.0
    x3 = mg.constant(3.0, name="x3")
    with mg.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    for grad in show("grads", tape.gradient(y, [x0, x1, x2, x3])):
        print(grad)
    print(show("watched", watched_by(tape)))
    show("watched type", type(tape.watched_variables()).__name__)
    print(x0)
    print(x1)
    print(repr(x3))


@scenario("guide.watch_constant")
def _(mg, show):
    """A constant that is watched."""
    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x**2
    print(show("grad", tape.gradient(y, x)).numpy())


@scenario("guide.watch_off")
def _(mg, show):
    """With watch_accessed_variables=False only what is watched by hand counts."""
    x0, x1 = mg.Variable(0.0), mg.Variable(10.0)
    with mg.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y = show("ys", mg.reduce_sum(mg.math.sin(x0) + mg.nn.softplus(x1)))
    grads = show("grads", tape.gradient(y, {"x0": x0, "x1": x1}))
    print("dy/dx0:", grads["x0"])
    print("dy/dx1:", grads["x1"].numpy())


@scenario("guide.intermediate")
def _(mg, show):
    """The gradient with respect to an intermediate result."""
    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    print(show("dz/dy", tape.gradient(z, y)).numpy())


@scenario("guide.persistent")
def _(mg, show):
    """A persistent tape is asked twice; its constant mixes an int with a float."""
    x = show("x", mg.constant([1, 3.0]))
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    print(show("dz/dx", tape.gradient(z, x)).numpy())
    print(show("dy/dx", tape.gradient(y, x)).numpy())
    del tape


@scenario("guide.released")
def _(mg, show):
    """A tape that is not persistent is asked twice."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x**2
        z = x**3
    show("first", tape.gradient(y, x))
    show.each({"second": lambda: tape.gradient(z, x)})


@scenario("guide.two_targets_persistent")
def _(mg, show):
    """Two targets, one after the other."""
    x = mg.Variable(2.0)
    with mg.GradientTape(persistent=True) as tape:
        a, b = x**2, 1 / x
    print(show("a", tape.gradient(a, x)).numpy())
    print(show("b", tape.gradient(b, x)).numpy())


@scenario("guide.dict_targets")
def _(mg, show):
    """Two targets at once: the gradient of their sum."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        a, b = x**2, 1 / x
    print(show("g", tape.gradient({"y0": a, "y1": b}, x)).numpy())


@scenario("guide.vector_target")
def _(mg, show):
    """A target with two elements: the gradient of their sum."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = show("y", x * [3.0, 4.0])
    print(show("g", tape.gradient(y, x)).numpy())


@scenario("guide.sigmoid_linspace")
def _(mg, show):
    """A function of each element: the gradient of the sum is the derivative at each point."""
    x = mg.linspace(-10.0, 10.0, 201)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.nn.sigmoid(x)
    dy = show("dy", tape.gradient(y, x))
    show("x", x)
    show("y", y)
    show("every 50th y", y[::50])
    show("every 50th dy", dy[::50])


@scenario("guide.plot")
def _(mg, show):
    """matplotlib takes Tensors."""
    import matplotlib.lines

    x = mg.linspace(-10.0, 10.0, 201)
    points = matplotlib.lines.Line2D(x, mg.nn.sigmoid(x)).get_xdata(orig=False)
    show("xdata", points[:3].astype(np.float32))
    show("xdata type", type(points).__name__)


def branch(mg, value):
    x, v0, v1 = mg.constant(value), mg.Variable(2.0), mg.Variable(2.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    return *tape.gradient(result, [v0, v1]), tape.gradient(result, x)


@scenario("guide.branch")
def _(mg, show):
    """An `if`: the tape sees the branch that was taken, and not the question. The target is a Variable itself."""
    for name, grad in zip(["dv0", "dv1", "dx"], branch(mg, 1.0), strict=True):
        print(show(name, grad))


@scenario("guide.branch_other")
def _(mg, show):
    """The other branch."""
    dv0, dv1, dx = branch(mg, -1.0)
    show("g", [dv0, dv1])
    show("dx", dx)


@scenario("guide.none_unconnected")
def _(mg, show):
    """The target does not depend on the source."""
    x, y = mg.Variable(2.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        z = y * y
    print(show("g", tape.gradient(z, x)))


def two_steps(mg, step):
    """The gradient of `x + 1` twice, with a step of x between: what the step gives is the next x."""
    x = mg.Variable(2.0)
    for _ in range(2):
        with mg.GradientTape() as tape:
            y = x + 1
        print(type(x).__name__, ":", tape.gradient(y, x))
        x = step(x)
    return x


@scenario("guide.none_replaced")
def _(mg, show):
    """`x = x + 1` puts a Tensor in the place of a Variable."""
    two_steps(mg, lambda x: x + 1)


@scenario("guide.none_replaced_fixed")
def _(mg, show):
    """`assign_add` keeps the Variable."""

    def step(x):
        x.assign_add(1)
        return x

    print(two_steps(mg, step).numpy())


@scenario("guide.none_numpy")
def _(mg, show):
    """NumPy on the way."""
    x = mg.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=mg.float32)
    with mg.GradientTape() as tape:
        mean = show("np.mean", np.mean(x**2, axis=0))
        y = show("y", mg.reduce_mean(mean, axis=0))
    show("np.mean type", type(mean).__name__)
    print(show("g", tape.gradient(y, x)))


@scenario("guide.none_int_cast")
def _(mg, show):
    """An int Variable, whose cast to float is not used."""
    x = mg.Variable([[2, 2], [2, 2]])
    with mg.GradientTape() as tape:
        y = mg.cast(x, mg.float32)
        y = show("y", mg.reduce_sum(x))
    show("x dtype", x.dtype.name)
    print(show("g", tape.gradient(y, x)))


@scenario("guide.none_int_cast_used")
def _(mg, show):
    """An int Variable, cast to float."""
    x = mg.Variable([[2, 2], [2, 2]])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.cast(x, mg.float32))
    print(show("g", tape.gradient(y, x)))


@scenario("guide.none_int_watch")
def _(mg, show):
    """An int constant that is watched."""
    x = mg.constant(10)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = show("y", x * x)
    print(show("g", tape.gradient(y, x)))


@scenario("guide.none_string")
def _(mg, show):
    """Strings."""
    x = mg.constant("abc")
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = show("y", mg.strings.length(x))
        show("z", x + "d")
    print(show("g", tape.gradient(y, x)))


@scenario("guide.no_autocast")
def _(mg, show):
    """Dtypes that differ."""
    show.each(
        {
            "int32*float32": lambda: mg.constant(2) * mg.constant(2.0),
            "float32*int32": lambda: mg.constant(2.0) * mg.constant(2),
            "float32*float64": lambda: mg.constant(2.0) * mg.constant(2.0, mg.float64),
            "intvar*floatvar": lambda: mg.Variable(2) * mg.Variable(2.0),
        }
    )


@scenario("guide.none_stateful")
def _(mg, show):
    """An assignment: the new value does not remember where it came from."""
    x0, x1 = mg.Variable(3.0), mg.Variable(0.0)
    with mg.GradientTape(persistent=True) as tape:
        x1.assign_add(x0)
        y = show("y", x1**2)
    print(show("dy/dx0", tape.gradient(y, x0)))
    show("dy/dx1", tape.gradient(y, x1))
    show("watched", watched_by(tape))


@scenario("guide.none_dataset")
def _(mg, show):
    """A dataset on the way."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        element = next(iter(mg.data.Dataset.from_tensors(x * 2.0)))
        y = show("y", element * element)
    print(show("g", tape.gradient(y, x)))


@scenario("guide.none_queue")
def _(mg, show):
    """A queue on the way."""
    x, queue = mg.Variable(3.0), mg.queue.FIFOQueue(2, [mg.float32])
    with mg.GradientTape() as tape:
        queue.enqueue(x * 2.0)
        element = queue.dequeue()
        y = show("y", element * element)
    print(show("g", tape.gradient(y, x)))


@scenario("guide.immutable")
def _(mg, show):
    """Tensors cannot be changed."""
    x, v = mg.constant([1.0, 2.0]), mg.Variable([1.0, 2.0])

    def set_first(sequence):
        sequence[0] = 5.0

    show.each(
        {
            "setitem": lambda: set_first(x),
            "has assign": lambda: x.assign([1.0, 1.0]),
            "variable setitem": lambda: set_first(v),
        }
    )
    v[0].assign(9.0)
    print(v)


@scenario("guide.no_registered")
def _(mg, show):
    """An op without a gradient."""
    image, delta = mg.Variable([[[0.5, 0.0, 0.0]]]), mg.Variable(0.1)
    with mg.GradientTape() as tape:
        out = show("out", mg.image.adjust_contrast(image, delta))
    try:
        print(tape.gradient(out, [image, delta]))
    except LookupError as error:
        print(f"{type(error).__name__}: {error}")


@scenario("guide.registered_nondiff")
def _(mg, show):
    """Ops that are registered as having no derivative."""
    x = mg.Variable([1.5, -2.5])
    ops = {
        "floor": mg.floor, "ceil": mg.math.ceil, "round": mg.round, "sign": mg.sign, "rint": mg.math.rint,
        "zeros_like": mg.zeros_like, "ones_like": mg.ones_like, "stop": mg.stop_gradient, "argmax": mg.argmax,
        "shape": lambda x: mg.cast(mg.shape(x), mg.float32), "greater": lambda x: mg.cast(x > 0, mg.float32),
    }  # fmt: skip
    with mg.GradientTape(persistent=True) as tape:
        results = {name: op(x) for name, op in ops.items()}
    for name, result in results.items():
        print(name, tape.gradient(result, x))


@scenario("guide.reimplement")
def _(mg, show):
    """The same op, written with others."""
    image, delta = mg.Variable([[[0.5, 0.0, 0.0]]]), mg.Variable(0.1)
    with mg.GradientTape() as tape:
        mean = mg.reduce_mean(image, axis=[0, 1], keepdims=True)
        out = show("out", (image - mean) * delta + mean)
    show("g", tape.gradient(out, [image, delta]))


@scenario("guide.zero")
def _(mg, show):
    """Zeros instead of None."""
    x, y = mg.Variable([2.0, 2.0]), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        z = y**2
    print(show("g", tape.gradient(z, x, unconnected_gradients=mg.UnconnectedGradients.ZERO)))


# ---- the tutorial --------------------------------------------------------------------------------------------------


def weight_and_bias(mg, dtype="float32"):
    mg.random.set_seed(1)
    w = mg.Variable(mg.random.uniform((4, 3), -20, 20, dtype=dtype), name="w")
    return w, mg.Variable(mg.ones(3, dtype), name="b")


CASES = {
    1: lambda mg, x: mg.Variable(x, dtype=mg.float32, name="x"),
    2: lambda mg, x: mg.Variable(x, dtype=mg.int32, name="x"),
    3: lambda mg, x: mg.Variable(x, dtype=mg.float32, trainable=False),
    4: lambda mg, x: mg.constant(x, mg.float32),
    5: lambda mg, x: mg.Variable(x, dtype=mg.float32, name="x") + 1.0,
}


def run_case(mg, show, case, watch):
    """A linear layer of x, which is of one of five kinds, and watched or not."""
    w, b = weight_and_bias(mg, "int32" if case == 2 else "float32")
    x = show("x", CASES[case](mg, [[1, 2, 3, 4]]))
    with mg.GradientTape(persistent=True) as tape:
        if watch:
            tape.watch(x)
        y = x @ w + b
        loss = mg.reduce_mean(y**2)
    dy_dx, dloss_dy, dloss_dx = tape.gradient(y, x), tape.gradient(loss, y), tape.gradient(loss, x)
    show("w", w)
    for name, value in {"y": y, "loss": loss, "dy_dx": dy_dx, "dloss_dy": dloss_dy, "dloss_dx": dloss_dx}.items():
        print(f"[+] tensor_{name}: ", show(name, value))
    print("[+] watched variables: ", show("watched", watched_by(tape)))
    return x, w, b, y, loss, tape, dy_dx, dloss_dy


for case in CASES:
    scenario(f"tut.case{case}.unwatched")(lambda mg, show, case=case: run_case(mg, show, case, False))
    scenario(f"tut.case{case}.watched")(lambda mg, show, case=case: run_case(mg, show, case, True))


@scenario("tut.nonpersistent")
def _(mg, show):
    """Two targets on one tape that is not persistent."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        a, b = x**2, x**3
    print(show("first", tape.gradient(a, x)))
    show.each({"second": lambda: tape.gradient(b, x)})


@scenario("tut.persistent")
def _(mg, show):
    """Three targets on a persistent tape."""
    x = mg.Variable(2.0)
    with mg.GradientTape(persistent=True) as tape:
        targets = x**2, x**3, 4 * x + 1
    for target in targets:
        print(tape.gradient(target, x))
    del tape


@scenario("tut.w_b")
def _(mg, show):
    """Seeded random numbers."""
    w, b = weight_and_bias(mg)
    print(show("w", w))
    print(show("b", b))


@scenario("tut.case2.castw")
def _(mg, show):
    """Case 2 with the float weights cast to int."""
    w, b = weight_and_bias(mg)
    print(CASES[2](mg, [[1, 2, 3, 4]]) @ mg.Variable(mg.cast(w, mg.int32)) + mg.Variable(mg.cast(b, mg.int32)))


@scenario("tut.case2.mixed")
def _(mg, show):
    """Case 2 with the float weights."""
    w, _ = weight_and_bias(mg)
    show.each({"matmul": lambda: CASES[2](mg, [[1, 2, 3, 4]]) @ w})


@scenario("tut.sources")
def _(mg, show):
    """Sources as a list and as a dict, targets as a dict; shapes."""
    x, w, b, y, loss, tape, dy_dx, dloss_dy = run_case(mg, show, 1, True)
    dw, db = tape.gradient(loss, [w, b])
    print("[+] tensor_dloss_dw: ", show("dw", dw))
    print("[+] tensor_dloss_db: ", show("db", db))
    for grad in show("dict", tape.gradient(loss, {"tensor_w": w, "tensor_b": b})).values():
        print(grad)
    both = tape.gradient({"tensor_y": y, "tensor_loss": loss}, x)
    print("[+] tensor_dydloss_dx: ", show("two targets", both))
    for value in (x, dy_dx, y, dloss_dy, w, dw, b, db):
        print(value.shape)


@scenario("tut.watched_order")
def _(mg, show):
    """The watched Variables are listed in the order of their creation."""
    a, b, c = [mg.Variable(1.0, name=name) for name in ("first", "second", "third")]
    with mg.GradientTape() as tape:
        tape.watch(c)
        b * c * a
    show("names", watched_by(tape))


@scenario("tut.dense")
def _(mg, show):
    """Two Keras layers."""
    mg.keras.utils.set_random_seed(1)
    first = mg.keras.layers.Dense(2, activation="relu", name="dense_1")
    second = mg.keras.layers.Dense(4, activation="relu", name="dense_2")
    with mg.GradientTape(persistent=True) as tape:
        h = show("h", first(mg.constant([[1.0, 2.0, 3.0]])))
        y = show("y", second(h))
        loss = show("loss", mg.reduce_mean(y**2))
    print("[+] layer1: ", first.trainable_variables)
    print("[+] layer2: ", second.trainable_variables)
    for layer in (first, second):
        grads = show(f"grads {layer.name}", tape.gradient(loss, layer.trainable_variables))
        show(f"kernel {layer.name}", layer.kernel.numpy())
        for variable, grad in zip(layer.trainable_variables, grads, strict=True):
            print(f"[+] variable name, shape: {variable.name}, {grad.shape}")
    show("watched", watched_by(tape))
    show("watched types", [type(variable).__name__ for variable in tape.watched_variables()])


@scenario("tut.dense_documented")
def _(mg, show):
    """The same two layers by hand, with other weights."""
    k1 = mg.Variable([[-0.57740456, -0.572319], [0.00795567, 0.5992962], [0.24269533, 0.8154019]])
    k2 = mg.Variable([[0.46956396, -0.71557474, -0.8732331, -0.62160015], [0.59634185, 0.40849257, -0.18213058, 0.02854967]])
    b1, b2 = mg.Variable(mg.zeros(2)), mg.Variable(mg.zeros(4))
    with mg.GradientTape() as tape:
        h = show("h", mg.nn.relu(mg.constant([[1.0, 2.0, 3.0]]) @ k1 + b1))
        y = show("y", mg.nn.relu(h @ k2 + b2))
        loss = show("loss", mg.reduce_mean(y**2))
    show("grads", tape.gradient(loss, [k1, b1, k2, b2]))


@scenario("tut.dense_documented_rng")
def _(mg, show):
    """Where those weights come from: the fourth and fifth random op after the seed."""
    mg.random.set_seed(1)
    for _ in range(3):
        mg.random.uniform((4, 3))
    limit = (6 / 5) ** 0.5
    show("kernel1", mg.random.uniform((3, 2), -limit, limit))
    show("kernel2", mg.random.uniform((2, 4), -1.0, 1.0))


def two_decisions(mg, x1, x2, flag):
    """One tape, whose target is chosen by a flag, and another, whose target is chosen by the first one's result."""
    with mg.GradientTape(persistent=True) as first:
        first.watch([x1, x2, flag])
        result = 4 * (x1**2) + 3 if flag % 2 == 0 else x2**3
    with mg.GradientTape(persistent=True) as second:
        second.watch([x1, x2])
        equal = mg.math.equal(result, 4 * (x1**2) + 3)
        other = x2**3 if equal.numpy().all() else 4 * (x1**2) + 3
    return first, result, second, other, equal


@scenario("tut.flow1")
def _(mg, show):
    """The first decision."""
    x1, x2, flag = mg.constant(3.0), mg.constant(3.0), mg.constant(2.0)
    first, result, *_ = two_decisions(mg, x1, x2, flag)
    d1, d2 = first.gradient(result, [x1, x2])
    print("[+] tensor_dres1_dx1: ", d1)
    print("[+] tensor_dres1_dx2", d2)
    show("flag%2==0", flag % 2 == 0)
    show("dflag", first.gradient(result, flag))
    show("res1", result)


@scenario("tut.flow2")
def _(mg, show):
    """The second decision."""
    x1, x2 = mg.constant(3.0), mg.constant(3.0)
    _, _, second, other, equal = two_decisions(mg, x1, x2, mg.constant(2.0))
    d1, d2 = second.gradient(other, [x1, x2])
    print("[+] tensor_dres2_dx1: ", d1)
    print("[+] tensor_dres2_dx2", d2)
    show("equal", equal)
    show("equal.numpy()", equal.numpy())
    show("all", equal.numpy().all())


@scenario("tut.wrong_tape")
def _(mg, show):
    """The first tape is asked about the second one's result."""
    x1, x2 = mg.constant(3.0), mg.constant(3.0)
    first, _, _, other, _ = two_decisions(mg, x1, x2, mg.constant(2.0))
    d1, d2 = first.gradient(other, [x1, x2])
    print("[+] tensor_dres2_dx1_tmp: ", d1)
    print("[+] tensor_dres2_dx2_tmp: ", d2)


@scenario("tut.int_flag")
def _(mg, show):
    """The flag may be an int."""
    flag = mg.constant(2)
    with mg.GradientTape() as tape:
        tape.watch(flag)
    show("flag%2==0", flag % 2 == 0)
    show("bool", bool(flag % 2 == 0))


@scenario("tut.plot")
def _(mg, show):
    """Both decisions, for 151 points at once."""
    import matplotlib.lines

    x1, x2 = mg.linspace(-15.0, 15.0, 151), mg.linspace(-15.0, 15.0, 151)
    first, result, second, other, equal = two_decisions(mg, x1, x2, mg.constant(2.0))
    d1, none1 = first.gradient(result, [x1, x2])
    none2, d2 = second.gradient(other, [x1, x2])
    for name, value in {"x": x1, "res1": result, "d1": d1, "res2": other, "d2": d2, "d res1/dx2": none1, "d res2/dx1": none2}.items():
        show(name, value)
    show("equal all", bool(equal.numpy().all()))
    show("line", matplotlib.lines.Line2D(x1, result).get_ydata(orig=False)[:3].astype(np.float32))


@scenario("tut.variable_is_not_tensor")
def _(mg, show):
    """Who is a Variable, and who a Tensor."""
    v, c = mg.Variable(1.0), mg.constant(1.0)
    for name, value in {"v": v, "c": c, "sum": v + 1.0}.items():
        print(name, isinstance(value, mg.Variable), isinstance(value, mg.Tensor), mg.is_tensor(value), type(value).__name__)


# ---- the advanced guide --------------------------------------------------------------------------------------------


@scenario("adv.hessian_shapes")
def _(mg, show):
    """A Hessian has the shape of its source twice."""
    x = mg.Variable(mg.reshape(mg.range(6, dtype=mg.float32), (2, 3)) / 6)
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = mg.reduce_sum(x**3)
        slope = inner.gradient(y, x)
    hessian = outer.jacobian(slope, x)
    show("shape", list(hessian.shape))
    show("diag", mg.reshape(hessian, (6, 6)).numpy().diagonal())


@scenario("adv.input_gradient_regularization")
def _(mg, show):
    """The gradient of the length of a gradient."""
    x = mg.constant([[1.0, 2.0, 3.0]])
    w, b = mg.Variable([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]]), mg.Variable([0.0, 0.1])
    with mg.GradientTape() as outer:
        with mg.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(x)
            y = mg.reduce_sum(mg.nn.elu(x @ w + b) ** 2)
        length = show("mag", mg.norm(inner.gradient(y, x)))
    show("g", outer.gradient(length, [w, b]))


@scenario("adv.newton")
def _(mg, show):
    """A step of Newton's method."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            loss = mg.reduce_sum(x**4) + x[0] * x[1]
        slope = inner.gradient(loss, x)
    hessian = show("h", outer.jacobian(slope, x))
    show("step", mg.linalg.solve(hessian, mg.reshape(slope, (2, 1))))


@scenario("adv.module")
def _(mg, show):
    """A Module collects the Variables among its attributes."""

    class Parts(mg.Module):
        def __init__(self):
            super().__init__(name="m")
            self.w = mg.Variable(1.0, name="w")
            self.n = mg.Variable(2.0, trainable=False, name="n")
            self.l = [mg.Variable(3.0, name="l0")]
            self.d = {"k": mg.Variable(4.0, name="dk")}

    parts = Parts()
    show("variables", [variable.name for variable in parts.variables])
    show("trainable", [variable.name for variable in parts.trainable_variables])
    show("type", type(parts.variables).__name__)
    show("name", parts.name)
    show("submodules", [type(part).__name__ for part in parts.submodules])
    show("repr", repr(parts).partition(" at ")[0])


# ---- life of a tape ------------------------------------------------------------------------------------------------


@scenario("sem.twice")
def _(mg, show):
    """A tape is asked twice, or was never entered."""
    x = mg.constant(2.0)

    def taped():
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = x * [1.0, 4.0]
        return tape, y

    tape, y = taped()
    tape.gradient(y, x)
    show.each({"gradient again": lambda: tape.gradient(y, x), "jacobian after": lambda: tape.jacobian(y, x)})
    show("watched_variables after", tape.watched_variables())
    other, z = taped()
    show("jac", other.jacobian(z, x))
    show.each({"gradient after jacobian": lambda: other.gradient(z, x)})
    with mg.GradientTape() as empty:
        pass
    show("empty tape", empty.gradient(y, x))
    never = mg.GradientTape()
    show("never entered watched", never.watched_variables())
    show.each({"never entered": lambda: never.gradient(y, x), "watch outside": lambda: mg.GradientTape().watch(x)})


@scenario("sem.inside")
def _(mg, show):
    """gradient is called inside the block."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
        show("one-shot", tape.gradient(y, x))
        show.each({"again inside": lambda: tape.gradient(y, x)})
    with mg.GradientTape(persistent=True) as tape:
        slope = show("persistent", tape.gradient(x * x, x))
    show("second order same tape", tape.gradient(slope, x))


@scenario("sem.inside_oneshot_continue")
def _(mg, show):
    """After a gradient inside the block, the block goes on."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        show("g", tape.gradient(x * x, x))
        y = x * 2.0
    show.each({"after": lambda: tape.gradient(y, x)})


@scenario("sem.reenter")
def _(mg, show):
    """A tape is entered twice."""
    x = mg.Variable(3.0)
    tape = mg.GradientTape()
    with tape:
        y = x * x
    with tape:
        z = y * x
    show("sequential re-entry adds records", tape.gradient(z, x))

    def nested():
        with tape, tape:
            pass

    show.each({"nested entry of the same tape": nested})
    again = mg.GradientTape()
    with again:
        y = x * x
    again.gradient(y, x)
    with again:
        z = x * x * x
    show("one-shot re-entered after gradient", again.gradient(z, x))


@scenario("sem.dead_tape_watch")
def _(mg, show):
    """What a tape knows ends with the tape; who is asked for counts, not what it is worth."""
    x, v = mg.constant(2.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
    with mg.GradientTape() as later:
        y = x * x
    show("watch does not carry over", later.gradient(y, x))
    with mg.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    show("unwatched variable", tape.gradient(y, v))
    show("watched list", watched_by(tape))
    with mg.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * v
    show("explicit watch", tape.gradient(y, v))
    show("watched list 2", watched_by(tape))
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        twin = mg.identity(x)
        y = x * x
        alias = y
    show("identity keeps", tape.gradient(y, twin))
    show("same target twice", tape.gradient([y, y], x))
    show("tuple target", tape.gradient((y, y), x))
    show("nested target", tape.gradient([y, {"a": (y, y)}], x))
    show("equal tensor but another object", tape.gradient(y, mg.constant(2.0)))
    del y
    show("target dropped and gc'ed, alias alive", tape.gradient(alias, x))


@scenario("sem.second_order")
def _(mg, show):
    """Tapes in tapes."""
    x = mg.Variable(1.0)
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = x**3
        d = show("d", inner.gradient(y, x))
    show("d2", outer.gradient(d, x))
    with mg.GradientTape() as outer, mg.GradientTape() as inner:
        y = x**3
    show("inner gradient outside outer", outer.gradient(inner.gradient(y, x), x))
    x = mg.Variable(2.0)
    with mg.GradientTape() as outer:
        with mg.GradientTape() as middle:
            with mg.GradientTape() as inner:
                y = x**4
            d = inner.gradient(y, x)
        d2 = middle.gradient(d, x)
    show("third", outer.gradient(d2, x))
    c = mg.constant(2.0)
    with mg.GradientTape() as outer:
        outer.watch(c)
        with mg.GradientTape() as inner:
            y = c**3
        d = inner.gradient(y, c)
    show("inner did not watch", d)


@scenario("sem.stop_recording")
def _(mg, show):
    """stop_recording and reset."""
    x, y = mg.Variable(2.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        with tape.stop_recording():
            z = y * y
        z = x * x + z
    show("g", tape.gradient(z, {"x": x, "y": y}))
    with mg.GradientTape() as tape:
        z = x * x
        tape.reset()
        z += y * y
    show("reset", tape.gradient(z, {"x": x, "y": y}))
    with mg.GradientTape(persistent=True) as tape:
        z = x * x
        with tape.stop_recording():
            show("gradient in stop_recording (persistent)", tape.gradient(z, x))
    c = mg.constant(2.0)
    with mg.GradientTape() as tape:
        tape.watch(c)
        tape.reset()
        z = c * c
    show("reset forgets manual watch", tape.gradient(z, c))
    with mg.GradientTape() as tape:
        z = x * x

    def stop():
        with tape.stop_recording():
            pass

    show.each({"stop_recording when not recording": stop, "reset after exit": lambda: tape.reset()})
    show("gradient after reset", tape.gradient(z, x))


@scenario("sem.two_tapes")
def _(mg, show):
    """Two tapes at once, which may close in any order; an error in a block."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as outer, mg.GradientTape() as inner:
        y, z = x * x, mg.sin(x)
    show("a", outer.gradient(y, x))
    show("b", inner.gradient(z, x))
    first, second = mg.GradientTape(), mg.GradientTape()
    first.__enter__()
    second.__enter__()
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    show("interleaved exit", [first.gradient(y, x), second.gradient(z, x)])
    with mg.GradientTape() as tape:
        y = x * x

    def fail():
        with tape:
            raise KeyError("boom")

    show.each({"exception propagates": fail})
    show("tape still active?", str(tape.gradient(y, x) is not None))


@scenario("sem.threads")
def _(mg, show):
    """Each thread has its own tapes."""
    x = mg.constant(2.0)
    found = {}

    def in_thread(work):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        here = x * x
        in_thread(lambda: found.update(there=x * x))
    show("op made in another thread", tape.gradient(found["there"], x))
    show("watched", list(tape.watched_variables()))
    in_thread(lambda: found.update(gradient=tape.gradient(here, x)))
    show("gradient called in another thread", found["gradient"])


# ---- watching ------------------------------------------------------------------------------------------------------


@scenario("sem.watch_bad")
def _(mg, show):
    """Watching what is no Tensor."""
    with mg.GradientTape() as tape:
        show.each(
            {
                "float": lambda: tape.watch(3.0),
                "list_of_floats": lambda: tape.watch([1.0, 2.0]),
                "ndarray": lambda: tape.watch(np.ones(2)),
                "none": lambda: tape.watch(None),
                "str": lambda: tape.watch("a"),
            }
        )


@scenario("sem.watch_int")
def _(mg, show):
    """Watching what is not float."""
    values = [mg.constant(value) for value in (1, True, "a", 1 + 2j, np.float16(1.0))]
    with mg.GradientTape() as tape:
        tape.watch([*values, mg.Variable(1)])
    show("watched variables", watched_by(tape))


@scenario("sem.warn_limit")
def _(mg, show):
    """How often one warning is given."""
    with mg.GradientTape() as tape:
        for _ in range(8):
            tape.watch(mg.constant(1))


@scenario("sem.watch_nested")
def _(mg, show):
    """Watching several at once."""
    a, b, c = mg.constant(1.0), mg.constant(2.0), mg.constant(3.0)
    nest = [a, {"k": (b, c)}]
    with mg.GradientTape() as tape:
        tape.watch(nest)
        y = a * b * c
    show("g", tape.gradient(y, nest))


@scenario("sem.watch_late")
def _(mg, show):
    """What was computed before watching is not recorded."""
    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        y = x * x
        tape.watch(x)
        y = y + x
    show("g", tape.gradient(y, x))


# ---- targets and sources -------------------------------------------------------------------------------------------


@scenario("sem.int_target")
def _(mg, show):
    """Targets and sources that are not float."""
    x, n = mg.Variable(2.0), mg.Variable(2)
    with mg.GradientTape(persistent=True) as tape:
        as_int, as_float, square, positive = mg.cast(x, mg.int32), mg.cast(n, mg.float32), n * n, x > 0
    show("int target", tape.gradient(as_int, x))
    show("int source", tape.gradient(as_float, n))
    show("int both", tape.gradient(square, n))
    show("bool target", tape.gradient(positive, x))
    show("int source zero", tape.gradient(as_float, n, unconnected_gradients="zero"))


@scenario("sem.sources_none")
def _(mg, show):
    """Strange sources and targets."""
    x = mg.constant(3.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    show.each(
        {
            "source None": lambda: tape.gradient(y, None),
            "sources [None, x]": lambda: tape.gradient(y, [None, x]),
            "source float": lambda: tape.gradient(y, 3.0),
            "source ndarray": lambda: tape.gradient(y, np.ones(2)),
            "source string": lambda: tape.gradient(y, "a"),
            "sources []": lambda: tape.gradient(y, []),
            "target None": lambda: tape.gradient(None, x),
            "target []": lambda: tape.gradient([], x),
            "target float": lambda: tape.gradient(3.0, x),
            "target python list of tensors": lambda: tape.gradient([y, y], x),
            "target [y, None]": lambda: tape.gradient([y, None], x),
            "target is the source": lambda: tape.gradient(x, x),
            "duplicate sources": lambda: tape.gradient(y, [x, x]),
        }
    )
    NT = collections.namedtuple("NT", "a b")
    show("namedtuple", type(tape.gradient(y, NT(x, x))).__name__)
    show("tuple type", type(tape.gradient(y, (x, x))).__name__)
    ordered = tape.gradient(y, collections.OrderedDict(z=x, a=x))
    show("OrderedDict", [type(ordered).__name__, list(ordered)])
    show("plain dict key order", list(tape.gradient(y, {"z": x, "a": x})))


@scenario("sem.output_gradients")
def _(mg, show):
    """What may be given as output_gradients."""
    x = mg.constant([1.0, 2.0])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, 3.0 * x
    ones, twos = mg.ones(2), mg.fill([2], 2.0)
    show.each(
        {
            "tensor": lambda: tape.gradient(y, x, output_gradients=mg.constant([10.0, 100.0])),
            "list": lambda: tape.gradient([y, z], x, output_gradients=[ones, twos]),
            "dict": lambda: tape.gradient({"y": y, "z": z}, x, output_gradients={"y": ones, "z": twos}),
            "ndarray": lambda: tape.gradient(y, x, output_gradients=np.array([1.0, 2.0], np.float32)),
            "python list": lambda: tape.gradient(y, x, output_gradients=[10.0, 10.0]),
            "scalar broadcast": lambda: tape.gradient(y, x, output_gradients=mg.constant(5.0)),
            "wrong count": lambda: tape.gradient([y, z], x, output_gradients=[ones]),
            "with None": lambda: tape.gradient([y, z], x, output_gradients=[None, ones]),
            "wrong shape": lambda: tape.gradient(y, x, output_gradients=mg.ones(3)),
            "wrong dtype": lambda: tape.gradient(y, x, output_gradients=mg.ones(2, mg.float64)),
        }
    )


@scenario("sem.unconnected")
def _(mg, show):
    """What may be given as unconnected_gradients."""
    x, n, row = mg.Variable([2.0, 2.0]), mg.Variable([2, 2]), mg.constant([[1.0, 2.0]])
    with mg.GradientTape(persistent=True) as tape:
        y = mg.Variable(3.0) * 2.0

    def unconnected(choice, source=x):
        return lambda: tape.gradient(y, source, unconnected_gradients=choice)

    kinds = mg.UnconnectedGradients
    show.each(
        {
            "none": unconnected("none"),
            "zero": unconnected("zero"),
            "NONE": unconnected(kinds.NONE),
            "ZERO": unconnected(kinds.ZERO),
            "bad": unconnected("zeros"),
            "upper": unconnected("ZERO"),
            "pynone": unconnected(None),
            "int source zero": unconnected("zero", n),
            "numpy zero src tensor": unconnected("zero", row),
        }
    )
    show("enum", [str(kinds.ZERO), repr(kinds.ZERO), kinds.ZERO.value])


@scenario("sem.stop_gradient")
def _(mg, show):
    """A factor that counts as a constant."""
    show("g", slopes(mg, lambda x: x * mg.stop_gradient(x), 4.0))


@scenario("sem.complex")
def _(mg, show):
    """Complex numbers: the gradient of a complex target is that of its real part."""
    show("abs complex", mg.abs(mg.constant(1 + 2j, mg.complex64)))
    show("complex target", slopes(mg, lambda x: mg.complex(x, x), 1.0))


# ---- Jacobians -----------------------------------------------------------------------------------------------------


@scenario("sem.jacobian")
def _(mg, show):
    """The Jacobian, its shapes and options."""
    x, m = mg.constant([1.0, 2.0, 3.0]), mg.constant([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([x, m])
        y, total, square, outer = x * x, mg.reduce_sum(x), m @ m, m[:, :1] * x
        as_int = mg.cast(x, mg.int32)
    show.each(
        {
            "vector": lambda: tape.jacobian(y, x),
            "scalar target": lambda: tape.jacobian(total, x),
            "matrix": lambda: tape.jacobian(square, m),
            "matrix shape": lambda: list(tape.jacobian(square, m).shape),
            "z": lambda: list(tape.jacobian(outer, x).shape),
            "list sources": lambda: tape.jacobian(y, [x, m]),
            "dict sources": lambda: tape.jacobian(y, {"x": x}),
            "unconnected": lambda: tape.jacobian(y, m),
            "unconnected zero": lambda: tape.jacobian(y, m, unconnected_gradients=mg.UnconnectedGradients.ZERO),
            "no pfor": lambda: tape.jacobian(y, x, experimental_use_pfor=False),
            "int target": lambda: tape.jacobian(as_int, x),
            "nested target": lambda: tape.jacobian([y, total], x),
            "None target": lambda: tape.jacobian(None, x),
            "disconnected float": lambda: tape.jacobian(mg.constant([1.0]), x),
        }
    )
    v = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as once:
        y = v * v
    show("one-shot variable", once.jacobian(y, v))
    show.each({"again": lambda: once.jacobian(y, v)})


@scenario("sem.jac_inside")
def _(mg, show):
    """The Jacobian of a gradient, and the gradient of a Jacobian."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = mg.reduce_sum(x**3)
        slope = inner.gradient(y, x)
    show("hessian", outer.jacobian(slope, x))
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = x**3
        jacobian = inner.jacobian(y, x)
    show("gradient of jacobian", outer.gradient(jacobian, x))


@scenario("sem.batch_jacobian")
def _(mg, show):
    """One Jacobian for each example of a batch."""
    x, w = mg.constant([[1.0, 2.0], [3.0, 4.0]]), mg.constant([[1.0, 0.5, 2.0], [0.0, 1.0, 1.0]])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        square, product, rows, mixed = x * x, x @ w, mg.reduce_sum(x, 1), w @ mg.transpose(w) @ w
        three, alone = mg.concat([x, x[:1]], 0), mg.ones((2, 3))
    zero = mg.UnconnectedGradients.ZERO
    show.each(
        {
            "elementwise": lambda: tape.batch_jacobian(square, x),
            "matmul": lambda: tape.batch_jacobian(product, x),
            "unconnected": lambda: tape.batch_jacobian(alone, x),
            "unconnected zero": lambda: tape.batch_jacobian(alone, x, unconnected_gradients=zero),
            "batch mismatch": lambda: tape.batch_jacobian(three, x),
            "rank 1 target": lambda: tape.batch_jacobian(rows, x),
            "no pfor": lambda: tape.batch_jacobian(square, x, experimental_use_pfor=False),
            "not batch-independent": lambda: tape.batch_jacobian(mixed, w),
        }
    )


# ---- Variables -----------------------------------------------------------------------------------------------------


@scenario("sem.assign")
def _(mg, show):
    """Assignments inside a tape, and what they return."""
    a, v = mg.Variable(3.0), mg.Variable(1.0)
    with mg.GradientTape(persistent=True) as tape:
        added = v.assign_add(a)
        y = show("y", added * added)
    show("assign_add return type", type(added).__name__)
    show("is v", added is v)
    show("dy/da", tape.gradient(y, a))
    show("dy/dv", tape.gradient(y, v))
    with mg.GradientTape(persistent=True) as tape:
        assigned = v.assign(a * 2.0)
        y = assigned * assigned
    show("assign: dy/da", tape.gradient(y, a))
    show("assign: dy/dv", tape.gradient(y, v))
    show("assign type", type(assigned).__name__)
    v.assign(2.0)
    with mg.GradientTape(persistent=True) as tape:
        before = v * v
        v.assign(10.0)
        after = v * v
        both = before + after
    v.assign(100.0)
    show("value at read: y1", tape.gradient(before, v))
    show("y2", tape.gradient(after, v))
    show("sum", tape.gradient(both, v))
    show("assign after tape", tape.gradient(after, v))
    show("read_value=False", v.assign(1.0, read_value=False))
    v.assign_sub(0.25)
    show("assign_sub", v)


@scenario("sem.reads")
def _(mg, show):
    """Ways of reading a Variable."""
    v = mg.Variable([1.0, 2.0])
    ways = {
        "plus": lambda: v + 0.0,
        "value": lambda: v.value(),
        "read": lambda: v.read_value(),
        "ident": lambda: mg.identity(v),
        "conv": lambda: mg.convert_to_tensor(v),
        "item": lambda: v[0],
        "neg": lambda: -v,
        "numpy": lambda: mg.constant(v.numpy()),
    }
    for name, read in ways.items():
        with mg.GradientTape() as tape:
            y = read()
        show(name, tape.gradient(y, v))
        show(f"type {name}", type(y).__name__)
    earlier = v.value()
    with mg.GradientTape(persistent=True) as tape:
        y, first = earlier * 1.0, v[0]
    show("value read before the tape", tape.gradient(y, v))
    show("index grad type", type(tape.gradient(first, v)).__name__)
    show("tf.constant(variable)", mg.constant(v))


@scenario("sem.assign_errors")
def _(mg, show):
    """Assigning the wrong shape or dtype."""
    v = mg.Variable([1.0, 2.0], name="v")
    show.each(
        {
            "shape": lambda: v.assign([1.0, 2.0, 3.0]),
            "scalar": lambda: v.assign(1.0),
            "dtype tensor int": lambda: v.assign(mg.constant([1, 2])),
            "f64 tensor": lambda: v.assign(mg.constant([1.0, 2.0], mg.float64)),
            "python ints": lambda: v.assign([1, 2]),
            "f64 ndarray": lambda: v.assign(np.array([1.5, 2.5])),
            "assign_add shape": lambda: v.assign_add([1.0, 2.0, 3.0]),
            "assign_add scalar broadcast": lambda: v.assign_add(1.0),
            "assign_add int tensor": lambda: v.assign_add(mg.constant([1, 2])),
            "int var assign float": lambda: mg.Variable(1).assign(1.5),
            "string": lambda: v.assign("a"),
            "shape=None variable": lambda: mg.Variable([1.0], shape=mg.TensorShape(None)).assign([1.0, 2.0]),
            "no initial value": lambda: mg.Variable(),
        }
    )


@scenario("sem.trainable")
def _(mg, show):
    """Ways of making a Variable, and what it can do."""
    n, fixed, v = mg.Variable(1), mg.Variable(2.0, trainable=False), mg.Variable([1.0, 2.0])
    with mg.GradientTape(persistent=True) as tape:
        y = fixed * fixed
    show("nontrainable", tape.gradient(y, fixed))
    show("watched", watched_by(tape))
    with mg.GradientTape() as tape:
        y = n * n
    show("int var watched silently", watched_by(tape))
    show("g", tape.gradient(y, n))
    show("int var trainable", n.trainable)
    show("names", [mg.Variable(1.0, name=name).name for name in (None, "ab", "ab")])
    show("dtype kw", mg.Variable([1, 2], dtype=mg.float32))
    show("from variable", mg.Variable(fixed))
    show("callable", mg.Variable(lambda: mg.ones(2)))
    show("np f64", mg.Variable(np.array([1.0])).dtype.name)

    def add_in_place(variable, value):
        variable += value

    show.each({"iadd": lambda: v.__iadd__(1.0), "v += 1": lambda: add_in_place(v, 1.0)})
    show("sparse read / scatter", v.scatter_update(mg.IndexedSlices([5.0], [0])))
    show("shape attr", v.shape)
    show("slice assign return", v[0].assign(3.0))
    show("isinstance", isinstance(v, mg.Tensor))
    show.each({"initialized_value": lambda: v.initial_value})
    c = mg.constant([1.0, 2.0])
    c.set_shape([2])
    show("set_shape", c.shape.as_list())


# ---- dtypes, Python and NumPy --------------------------------------------------------------------------------------


@scenario("sem.dtype_errors")
def _(mg, show):
    """Dtypes that meet, and those that must not."""
    c = mg.constant
    show.each(
        {
            "int tensor + py float": lambda: c(1) + 1.5,
            "float tensor + py int": lambda: c(1.0) + 2,
            "py int * float tensor": lambda: 2 * c(3.0),
            "int tensor / int": lambda: c(7) / 2,
            "int tensor // int": lambda: c(-7) // 2,
            "int % ": lambda: c(-7) % 3,
            "float % ": lambda: c(-5.5) % 2,
            "f32 + f64": lambda: c(1.0) + c(1.0, mg.float64),
            "f32 + np.float64 scalar": lambda: c(1.0) + np.float64(1.5),
            "f32 + np f64 array": lambda: c(1.0) + np.array([1.5]),
            "np f64 array + f32 tensor": lambda: np.array([1.5]) + c(1.0),
            "np f32 array * tensor": lambda: np.array([1.5], np.float32) * c(2.0),
            "f32 tensor + np int array": lambda: c(1.0) + np.array([1]),
            "tensor + list": lambda: c([1.0, 2.0]) + [1, 2],
            "int ** neg": lambda: c(2) ** -1,
            "int**int": lambda: c(2) ** 3,
            "float ** float": lambda: c(2.0) ** 0.5,
            "2 ** tensor": lambda: 2 ** c(3.0),
            "bool + bool": lambda: c(True) + c(True),
            "tensor + str": lambda: c(1.0) + "a",
            "tensor + None": lambda: c(1.0) + None,
            "matmul int float": lambda: c([[1]]) @ c([[1.0]]),
            "bool and": lambda: c(True) & False,
            "not": lambda: ~c(True),
            "incompatible shapes": lambda: c([1.0, 2.0]) + c([1.0, 2.0, 3.0]),
            "matmul shapes": lambda: c([[1.0, 2.0]]) @ c([[1.0, 2.0]]),
            "matmul rank1": lambda: c([1.0, 2.0]) @ c([1.0, 2.0]),
            "int abs": lambda: mg.abs(c(-3)),
            "int sqrt": lambda: mg.sqrt(c(4)),
            "int exp": lambda: mg.exp(c(1)),
            "py list dtype": lambda: c([1, 2.5]),
            "py int dtype": lambda: c(1),
            "np default": lambda: c(np.array([1.0])),
            "py bool": lambda: c([True]),
            "ragged list": lambda: c([[1, 2], [3]]),
            "tf.constant(1.5, int32)": lambda: c(1.5, mg.int32),
            "tf.constant(1, float32)": lambda: c(1, mg.float32),
            "convert tensor wrong dtype": lambda: mg.convert_to_tensor(c(1), mg.float32),
            "big int": lambda: c(2**40),
            "reduce_mean int": lambda: mg.reduce_mean(c([1, 2, 4])),
            "1/0 float": lambda: c(1.0) / 0.0,
            "int // 0": lambda: c(1) // 0,
        }
    )


@scenario("sem.python_protocol")
def _(mg, show):
    """What Python's own functions and operators make of Tensors and Variables."""
    c, x, vector = mg.constant, mg.constant(3.0), mg.constant([1.0, 2.0])
    v, scalar = mg.Variable([1.0, 2.0]), mg.Variable(1.5)
    show.each(
        {
            "bool vec": lambda: bool(vector),
            "bool size1 vec": lambda: bool(c([2.0])),
            "bool empty": lambda: bool(c([])),
            "bool scalar 0": lambda: bool(c(0.0)),
            "bool str": lambda: bool(c("a")),
            "iter": lambda: [type(element).__name__ for element in vector],
            "iter scalar": lambda: list(x),
            "iter variable": lambda: [type(element).__name__ for element in v],
            "len": lambda: len(vector),
            "len scalar": lambda: len(x),
            "len variable": lambda: len(v),
            "hash tensor": lambda: hash(x),
            "hash variable": lambda: hash(v),
            "tensor in set": lambda: {x},
            "ref set": lambda: len({x.ref(), x.ref()}),
            "== tensors": lambda: c([1, 2]) == c([1, 3]),
            "== python": lambda: x == 3,
            "!= ": lambda: c([1, 2]) != c([1, 3]),
            "== wrong shape": lambda: vector == c([1.0, 2.0, 3.0]),
            "!= wrong shape": lambda: vector != c([1.0, 2.0, 3.0]),
            "== None": lambda: x == None,
            "== str": lambda: x == "a",
            "== other dtype": lambda: x == c(3),
            "var == var": lambda: v == mg.Variable([1.0, 2.0]),
            "in list": lambda: c(3.0) in [c(1.0), x],
            "vec in list": lambda: vector in [v],
            "int()": lambda: int(c(3.7)),
            "float()": lambda: float(x),
            "float(vec1)": lambda: float(c([2.0])),
            "int(vec2)": lambda: int(vector),
            "index float": lambda: [1, 2, 3][c(1.0)],
            "index int": lambda: [1, 2, 3][c(1)],
            "range": lambda: list(range(c(3))),
            "range tensor tf": lambda: mg.range(c(3)),
            "format": lambda: f"{x:.2f}",
            "format plain": lambda: f"{x}",
            "format var": lambda: f"{v}",
            "format var scalar": lambda: f"{scalar:.1f}",
            "round()": lambda: round(x),
            "abs neg pos": lambda: [abs(c(-1.0)), -x],
            "pos": lambda: +x,
            "complex()": lambda: complex(x),
            "float(var)": lambda: float(scalar),
            "int(var)": lambda: int(scalar),
            "bool(var)": lambda: bool(mg.Variable(0.0)),
            "x<y<z chain": lambda: c(1.0) < c(2.0) < x,
            "and": lambda: c(True) and c(False),
            "< strings": lambda: c("a") < c("b"),
            "max()": lambda: max(c(1.0), c(2.0)),
            "sum()": lambda: sum([c(1.0), c(2.0)]),
            "sorted": lambda: sorted([c(2.0), c(1.0)]),
            "deepcopy": lambda: copy.deepcopy(x),
            "pickle": lambda: pickle.loads(pickle.dumps(x)),
            "attr .T": lambda: x.T,
            ".numpy of var": lambda: v.numpy(),
            ".shape": lambda: str(vector.shape),
            ".dtype": lambda: [str(x.dtype), repr(x.dtype), x.dtype.name, *[x.dtype == d for d in (mg.float32, np.float32, "float32")]],
            ".ndim": lambda: [vector.ndim, vector.shape.rank, len(vector.shape)],
            ".name": lambda: x.name,
            ".device": lambda: x.device,
            "var.trainable": lambda: [v.trainable, v.name],
            "item": lambda: x.item(),
            "mean": lambda: x.mean(),
            ".size": lambda: x.size,
            ".reshape": lambda: x.reshape(1),
            ".graph": lambda: x.graph,
            "setattr": lambda: setattr(x, "note", 1),
            "var setattr": lambda: setattr(v, "note", 1),
        }
    )
    shape = vector.shape
    equal = [shape == (2,), shape == [2]]
    show("shape eq", [*equal, shape[0], tuple(shape), len(shape), shape.as_list(), str(x.shape), mg.ones((2, 3)).shape])


@scenario("sem.printing")
def _(mg, show):
    """Every kind of Tensor and Variable, printed."""
    c, v = mg.constant, mg.Variable
    values = {
        "scalar_int": c(3),
        "scalar_f": c(0.1),
        "f64": c(0.1, mg.float64),
        "boolean": c([True, False]),
        "string": c("hi"),
        "strings": c(["a", "b"]),
        "empty": c([]),
        "neg0": c(-0.0),
        "nan": c([np.nan, np.inf]),
        "mat": c([[1.0, 2.0], [3.0, 4.0]]),
        "cube": mg.zeros((2, 1, 2)),
        "big": mg.reshape(mg.range(2000.0), (40, 50)),
        "half": c(1.5, mg.float16),
        "cplx": c(1 + 2j),
        "long": mg.range(2000),
        "ivar": v(1),
        "unnamed": v([1.0]),
        "bvar": v(True),
        "svar": v("s"),
        "u8": c(3, mg.uint8),
        "i64": c(3, mg.int64),
        "small": c(1e-10),
        "large": c(1e10),
        "var2": v([[1.0, 2.0], [3.0, 4.0]], name="my_var"),
    }
    for name, value in values.items():
        show(f"str {name}", str(value))
        show(f"repr {name}", repr(value))
    show("format list", f"{[c(1.0), None]}")
    show("shapes", [str(mg.TensorShape([None, 2])), repr(mg.TensorShape(None)), repr(mg.TensorShape([]))])
    show("dtypes", [repr(dtype) for dtype in (mg.float32, mg.int32, mg.bool, mg.string, mg.float64)])
    show("str dtype", [str(dtype) for dtype in (mg.float32, mg.int32, mg.bool, mg.string)])


@scenario("sem.numpy_interop")
def _(mg, show):
    """NumPy's functions give NumPy's values; operators give Tensors, whichever side the array is on."""
    x, v, a = mg.constant([1.0, 2.0]), mg.Variable([1.0, 2.0]), np.array([3.0, 4.0], np.float32)
    answers = {
        "np.mean": np.mean(x),
        "np.mean var": np.mean(v),
        "np.asarray": np.asarray(x),
        "np.array copy": np.array(x),
        "np.sin": np.sin(x),
        "np.add(a, x)": np.add(a, x),
        "a * x": a * x,
        "x * a": x * a,
        "a @ x2": a[None] @ x[:, None],
        "a + v": a + v,
        "np.float32 * x": np.float32(2) * x,
        "np.float64 * x": np.float64(2) * x,
        "np.sum axis": np.sum(x, axis=0),
        "np.dot": np.dot(a, x),
        "np.stack": np.stack([x, x]),
        "a == x": a == x,
        "a > x": a > x,
        "np.allclose": np.allclose(x, [1.0, 2.0]),
        "a += x": a.__iadd__(x),
        "a[x_int]": a[mg.constant([0, 1])],
        "np.float32(s)": np.float32(mg.constant(2.0)),
        "np.linspace": np.linspace(mg.constant(0.0), mg.constant(1.0), 3),
        "np.argmax": np.argmax(x),
        "np.round": np.round(mg.constant(2.567), 2),
        "np.shape": np.shape(x),
        "np.max": np.max(x),
        "np.clip": np.clip(x, 0, 1),
        "np.transpose": np.transpose(mg.ones((2, 3))),
    }
    for name, answer in answers.items():
        show(name, answer)
        show(f"type {name}", type(answer).__name__)
    array = x.numpy()
    show("write into x.numpy()", array.__setitem__(0, 9.0))
    show("x afterwards", x)
    show("flags.writeable", array.flags.writeable)
    show("priority", [x.__array_priority__, v.__array_priority__])
    source = np.array([1.0, 2.0], np.float32)
    constant, converted, snapshot = mg.constant(source), mg.convert_to_tensor(source), v.numpy()
    source[0] = 9.0
    v.assign([9.0, 9.0])
    show("constant copies", constant)
    show("convert_to_tensor copies", converted)
    show("v.numpy() snapshot", snapshot)


# ---- gradients of one's own ----------------------------------------------------------------------------------------


@scenario("sem.custom_gradient")
def _(mg, show):
    """Functions that bring their own gradient."""

    @mg.custom_gradient
    def clip(x):
        return x, lambda dy: mg.clip_by_value(dy, -2.0, 2.0)

    @mg.custom_gradient
    def second_is_constant(a, b):
        return a * b, lambda dy: (dy * 10.0, None)

    @mg.custom_gradient
    def too_few(a, b):
        return a * b, lambda dy: dy

    @mg.custom_gradient
    def two(x):
        return (x * 1.0, x * 1.0), lambda d1, d2: d1 * 2.0 + d2 * 3.0

    @mg.custom_gradient
    def log1pexp(x):
        e = mg.exp(x)
        return mg.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    @mg.custom_gradient
    def no_pair(x):
        return x * x

    v = mg.Variable(2.0)

    @mg.custom_gradient
    def times_v(x):
        return x * v, lambda dy, variables=None: (dy * 2.0, [dy * 3.0])

    @mg.custom_gradient
    def forgets_v(x):
        return x * v, lambda dy: dy * 2.0

    show("clip", slopes(mg, lambda x: clip(x) * 10.0, 1.0))
    show("None in back", slopes(mg, second_is_constant, 1.0, 2.0))
    show("multi out", slopes(mg, lambda x: sum(two(x)), 1.0))
    show("log1pexp 100", slopes(mg, log1pexp, 100.0))
    show("naive log1pexp 100", slopes(mg, lambda x: mg.math.log(1 + mg.exp(x)), 100.0))
    show("grad_pass_through", slopes(mg, mg.grad_pass_through(mg.round), 1.4))
    show("name kept", clip.__name__)
    show.each(
        {
            "recompute": lambda: type(mg.recompute_grad(clip)).__name__,
            "wrong count": lambda: slopes(mg, too_few, 1.0, 2.0),
            "variable without variables kw": lambda: forgets_v(mg.constant(3.0)),
            "not a tuple": lambda: no_pair(mg.constant(3.0)),
        }
    )
    x = mg.constant(2.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = times_v(x)
    show("variables kw", tape.gradient(y, [x, v]))
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = log1pexp(x)
        slope = inner.gradient(y, x)
    show("second order through custom", outer.gradient(slope, x))


@scenario("sem.registry")
def _(mg, show):
    """Ops without a gradient, and where that matters."""
    x, image = mg.constant(1.0), [[[0.5, 0.25, 0.125]]]
    show.each(
        {
            "register existing": lambda: mg.RegisterGradient("Sin")(lambda op, dy: dy),
            "register new": lambda: mg.RegisterGradient("NobodyKnowsThisOp")(lambda op, dy: dy) and "ok",
            "NextAfter": lambda: slopes(mg, lambda x: mg.math.nextafter(x, [2.0]), [1.0]),
            "bincount": lambda: slopes(mg, lambda x: mg.math.bincount(mg.cast(x, mg.int32)), [1.0, 2.0]),
            "where idx": lambda: slopes(mg, lambda x: mg.cast(mg.where(x > 0), mg.float32), [1.0, 2.0]),
            "multinomial": lambda: slopes(mg, lambda x: mg.cast(mg.random.categorical(x, 1), mg.float32), [[1.0, 2.0]]),
            "unique": lambda: slopes(mg, lambda x: mg.unique(x).y, [1.0, 2.0]),
            "adjust_hue": lambda: slopes(mg, lambda x: mg.image.adjust_hue(x, 0.1), image),
            "adjust_saturation": lambda: slopes(mg, lambda x: mg.image.adjust_saturation(x, 2.0), image),
            "random.gamma": lambda: slopes(mg, lambda x: mg.random.poisson([], x), 2.0),
        }
    )

    def with_contrast(persistent):
        with mg.GradientTape(persistent) as tape:
            tape.watch(x)
            aside, y = mg.image.adjust_contrast(mg.reshape(x, (1, 1, 1)), 2.0), x * x
        return tape, aside, y

    tape, _, y = with_contrast(False)
    show("unregistered op on the tape but not on the path", tape.gradient(y, x))
    tape, aside, y = with_contrast(True)
    show.each({"error repeated on a persistent tape": lambda: [tape.gradient(aside, x) for _ in range(2)]})
    show("still usable", tape.gradient(y, x))
    once, aside, _ = with_contrast(False)
    show.each({"one-shot first": lambda: once.gradient(aside, x), "one-shot second": lambda: once.gradient(aside, x)})
    show("LookupError mro", [kind.__name__ for kind in LookupError.__mro__])


@scenario("sem.embedding")
def _(mg, show):
    """SparseRows of a table: the gradient of gather names the rows, that of indexing is dense."""
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    w, c = mg.Variable(rows), mg.constant(rows)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(c)
        some = mg.gather(w, [0, 2, 0])
        loss = mg.reduce_sum(some * some)
        embedded = mg.nn.embedding_lookup(w, [1])
        mixed = loss + mg.reduce_sum(w)
        of_constant = mg.gather(c, [0, 2, 0]) ** 2
    g = show("gather of variable", tape.gradient(loss, w))
    show("type", type(g).__name__)
    show("str", str(g))
    show("dense", mg.convert_to_tensor(g))
    show("embedding", tape.gradient(embedded, w))
    show("mixed with dense", tape.gradient(mixed, w))
    show("gather of constant", tape.gradient(of_constant, c))
    show("optimizer add", w.scatter_sub(mg.IndexedSlices(0.1 * g.values, g.indices)))
    parts = {
        "gather axis=1": lambda x: mg.gather(x, [1], axis=1),
        "gather_nd": lambda x: mg.gather_nd(x, [[0, 1]]),
        "slice": lambda x: x[1:, 0],
        "ellipsis newaxis": lambda x: x[..., 1, mg.newaxis],
        "boolean_mask": lambda x: mg.boolean_mask(x, [True, False, True]),
        "negative step": lambda x: x[::-2] * [[1.0, 2.0], [3.0, 4.0]],
    }
    for name, part in parts.items():
        show(name, slopes(mg, part, rows))
    show.each(
        {
            "bool tensor index": lambda: c[c > 2.0],
            "list index": lambda: c[[0, 1]],
            "int tensor index": lambda: c[mg.constant(1)],
            "out of range": lambda: c[5],
            "gather out of range": lambda: mg.gather(c, [7]),
            "too many": lambda: c[0, 0, 0],
            "np array index": lambda: c[np.array([0, 1])],
            "float idx": lambda: c[1.0],
        }
    )


# ---- derivatives of ops --------------------------------------------------------------------------------------------


@scenario("sem.edges")
def _(mg, show):
    """Derivatives at corners, ties, zeros and infinities."""
    nn, around0 = mg.nn, [-1.0, 0.0, 1.0]
    edges = {
        "where sqrt nan": (lambda x: mg.where(x > 0, mg.sqrt(x), 0.0), [0.0, 4.0, -1.0]),
        "where log": (lambda x: mg.where(x > 0, mg.math.log(x), 0.0), [0.0, 2.0]),
        "floor second: where both": (lambda x: mg.where(x > 0, x, 2.0 * x), [1.0, -1.0]),
        "select broadcast": (lambda x: mg.where([True, False, False], x, 0.0), 2.0),
        "sqrt 0": (mg.sqrt, [0.0, 4.0, -1.0]),
        "x**0": (lambda x: x**0, [0.0, 2.0]),
        "x**0.0 at 0": (lambda x: x**0.0, [0.0]),
        "x**1 at 0": (lambda x: x**1, [0.0, 2.0]),
        "x**0.5 at 0": (lambda x: x**0.5, [0.0, 4.0]),
        "x**-1 at 0": (lambda x: x**-1, [0.0]),
        "x**2 neg": (lambda x: x**2, [-3.0]),
        "x**3.0 neg": (lambda x: x**3.0, [-2.0]),
        "x**2.5 neg": (lambda x: x**2.5, [-2.0]),
        "a**x": (lambda x: 2.0**x, [3.0]),
        "0**x": (lambda x: 0.0**x, [0.0, 2.0]),
        "(-2)**x": (lambda x: (-2.0) ** x, [2.0]),
        "x**x both": (lambda x, y: x**y, [0.0, -2.0, 2.0], [2.0, 2.0, 3.0]),
        "relu": (nn.relu, around0),
        "relu -0.0/nan": (nn.relu, [-0.0, np.nan]),
        "relu6": (nn.relu6, [-1.0, 0.0, 3.0, 6.0, 7.0]),
        "abs": (mg.abs, around0),
        "leaky": (nn.leaky_relu, around0),
        "elu": (nn.elu, around0),
        "selu": (nn.selu, around0),
        "gelu": (nn.gelu, around0),
        "swish": (nn.swish, around0),
        "softplus": (nn.softplus, [-50.0, 0.0, 50.0]),
        "reduce_max tie": (mg.reduce_max, [1.0, 2.0, 2.0]),
        "reduce_min tie": (mg.reduce_min, [1.0, 1.0, 2.0]),
        "reduce_max axis": (lambda x: mg.reduce_max(x, 1), [[1.0, 2.0], [3.0, 3.0]]),
        "maximum tie": (mg.maximum, [1.0, 1.0, 3.0], [1.0, 2.0, 2.0]),
        "minimum tie": (mg.minimum, [1.0, 1.0, 3.0], [1.0, 2.0, 2.0]),
        "maximum const": (lambda x: mg.maximum(x, 0.0), around0),
        "clip": (lambda x: mg.clip_by_value(x, -1.0, 1.0), [-2.0, -1.0, 0.0, 1.0, 2.0]),
        "clip_by_norm": (lambda x: mg.clip_by_norm(x, 1.0), [3.0, 4.0]),
        "norm 0": (mg.norm, [0.0, 0.0]),
        "norm": (mg.norm, [3.0, 4.0]),
        "l2_normalize 0": (lambda x: nn.l2_normalize(x), [0.0, 0.0]),
        "div by 0": (lambda x: 1.0 / x, [0.0]),
        "divide_no_nan": (lambda x: mg.math.divide_no_nan(1.0, x), [0.0, 2.0]),
        "log 0": (mg.math.log, [0.0, 1.0]),
        "log1p": (mg.math.log1p, [-1.0, 1.0]),
        "multiply_no_nan": (lambda x: mg.math.multiply_no_nan(x, [0.0]), [np.inf]),
        "xlogy": (lambda y: mg.math.xlogy([0.0, 1.0], y), [0.0, 1.0]),
        "rsqrt 0": (mg.math.rsqrt, [0.0, 4.0]),
        "reciprocal": (mg.math.reciprocal, [2.0]),
        "square": (mg.square, [3.0]),
        "squared_difference": (mg.math.squared_difference, [3.0], [1.0]),
        "floor": (mg.floor, [1.5]),
        "round": (mg.round, [1.5]),
        "sign": (mg.sign, [1.5]),
        "floordiv": (lambda x: x // 2.0, [3.0]),
        "mod x": (lambda x, y: x % y, [7.0, -7.0], [3.0, 3.0]),
        "argmax": (mg.argmax, [1.0, 2.0]),
        "cast f32->f64": (lambda x: mg.cast(x, mg.float64), [1.0]),
        "cast int back": (lambda x: mg.cast(mg.cast(x, mg.int32), mg.float32), [1.0]),
        "cast bool": (lambda x: mg.cast(mg.cast(x, mg.bool), mg.float32), [1.0]),
        "prod with zero": (mg.reduce_prod, [0.0, 2.0, 3.0]),
        "prod two zeros": (mg.reduce_prod, [0.0, 0.0, 3.0]),
        "cumsum": (mg.cumsum, [1.0, 2.0, 3.0]),
        "cumprod zero": (mg.math.cumprod, [2.0, 0.0, 3.0]),
        "std const": (mg.math.reduce_std, [1.0, 1.0]),
        "variance": (mg.math.reduce_variance, [1.0, 3.0]),
        "logsumexp": (mg.reduce_logsumexp, [1000.0, 1000.0]),
        "softmax": (lambda x: nn.softmax(x)[0], [1.0, 2.0]),
        "log_softmax": (lambda x: nn.log_softmax(x)[0], [0.0, 1.0]),
        "sigmoid big": (nn.sigmoid, [-100.0, 0.0, 100.0]),
        "tanh": (mg.tanh, [-100.0, 0.0, 1.0]),
        "tan": (mg.tan, [1.0]),
        "asin 1": (mg.asin, [1.0]),
        "atan2 00": (mg.atan2, [0.0], [0.0]),
        "erf": (mg.math.erf, [0.0]),
        "sort": (lambda x: mg.sort(x) * [1.0, 10.0, 100.0], [3.0, 1.0, 2.0]),
        "top_k": (lambda x: mg.math.top_k(x, 2).values * [1.0, 10.0], [3.0, 1.0, 2.0]),
        "bce logits": (lambda x: nn.sigmoid_cross_entropy_with_logits([0.0, 1.0], x), [2.0, 2.0]),
        "scce": (lambda x: nn.sparse_softmax_cross_entropy_with_logits([1], x), [[1.0, 2.0, 3.0]]),
        "softmax_ce": (lambda x: nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], x), [[0.0, 1.0]]),
    }
    for name, (f, *points) in edges.items():
        show(name, slopes(mg, f, *points))


@scenario("sem.shapes")
def _(mg, show):
    """Broadcasting, reductions, products and rearrangements."""
    m, row = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1.0, 2.0, 3.0]
    tens, column = [10.0, 20.0, 30.0], [[1.0], [2.0]]
    batch, tall = np.arange(12, dtype=np.float32).reshape(2, 2, 3), np.arange(6, dtype=np.float32).reshape(3, 2)
    gradients = {
        "row broadcast": (lambda x, y: x * y, m, tens),
        "outer": (lambda x, y: x * y, column, tens),
        "scalar": (lambda x, y: x + y, m, 2.0),
        "extra dims": (lambda x, y: x / y, np.ones((2, 2, 3), np.float32), tens),
        "broadcast_to": (lambda x: mg.broadcast_to(x, (4, 3)), row),
        "self": (lambda x: x + x, row),
        "python list": (lambda x: x * row, row),
        "unbroadcast size1": (lambda x, y: x - y, [1.0], m),
        "batch matmul vals": (lambda x, y: x @ y, batch, tall),
        "transpose_a": (lambda x, y: mg.matmul(x, y, transpose_a=True), m, column),
        "transpose_b": (lambda x, y: mg.matmul(x, y, transpose_b=True), m, [[1.0, 0.0, 2.0]]),
        "both": (lambda x, y: mg.matmul(x, y, True, True), m, np.ones((4, 2), np.float32)),
        "matvec": (mg.linalg.matvec, m, tens),
        "tensordot": (lambda x, y: mg.tensordot(x, y, 1), m, tens),
        "einsum": (lambda x, y: mg.einsum("ij,j->i", x, y), m, tens),
        "reduce list of tensors grad": (lambda x: mg.reduce_sum([x, 2.0 * x]), 1.0),
        "concat": (lambda x, y: mg.concat([x + y, y + x], 0) * [[1.0], [2.0], [3.0], [4.0]], m, m),
        "stack": (lambda x, y: mg.stack([x, y]), row, tens),
        "unstack": (lambda x: mg.unstack(x)[1], m),
        "split": (lambda x: mg.split(x, 3, axis=1)[2], m),
        "transpose": (lambda x: mg.transpose(x) * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], m),
        "reshape -1": (lambda x: mg.reshape(x, [-1])[1], m),
        "expand squeeze": (lambda x: mg.squeeze(mg.expand_dims(x, 0)), row),
        "tile": (lambda x: mg.tile(x, [2]), row),
        "pad": (lambda x: mg.pad(x, [[1, 1]]) * [1.0, 2.0, 3.0, 4.0, 5.0], row),
        "reverse": (lambda x: mg.reverse(x, [0]) * row, row),
        "linspace grad": (lambda x: mg.linspace(0.0, x, 5), 1.0),
        "roll": (lambda x: mg.roll(x, 1, 0) * row, row),
        "inv": (mg.linalg.inv, [[2.0, 0.0], [0.0, 4.0]]),
        "det": (mg.linalg.det, [[2.0, 1.0], [0.0, 4.0]]),
        "trace": (mg.linalg.trace, [[2.0, 1.0], [0.0, 4.0]]),
        "add_n": (lambda x, y: mg.add_n([x, y, x, y, x, y]), row, tens),
    }
    for name, (f, *points) in gradients.items():
        show(name, slopes(mg, f, *points))
    show("batch matmul", [list(g.shape) for g in slopes(mg, lambda x, y: x @ y, batch, tall)])
    reductions = {
        "sum None": mg.reduce_sum,
        "sum 0": lambda x: mg.reduce_sum(x, 0),
        "sum -1 keep": lambda x: mg.reduce_sum(x, -1, keepdims=True),
        "mean list": lambda x: mg.reduce_mean(x, [0, 1]),
        "mean tuple keep": lambda x: mg.reduce_mean(x, (0, 1), keepdims=True),
        "sum []": lambda x: mg.reduce_sum(x, []),
        "max 1": lambda x: mg.reduce_max(x, 1),
        "prod 0": lambda x: mg.reduce_prod(x, 0),
    }
    for name, reduce in reductions.items():
        show(f"out {name}", list(reduce(mg.constant(m)).shape))
        show(name, slopes(mg, reduce, m))
    show.each(
        {
            "axis out of range": lambda: mg.reduce_sum(mg.constant(m), 2),
            "dup axis": lambda: mg.reduce_sum(mg.constant(m), [0, 0]),
            "matmul batch vs rank2": lambda: mg.matmul(mg.constant(batch), mg.constant(row)),
            "reduce_sum bool": lambda: mg.reduce_sum(mg.constant([True])),
            "mean of empty": lambda: mg.reduce_mean(mg.constant([])),
            "max of empty": lambda: mg.reduce_max(mg.constant([])),
            "reduce_all": lambda: mg.reduce_all([True, False]),
            "reduce list of tensors": lambda: mg.reduce_sum([mg.constant(1.0), mg.constant(2.0)]),
            "__matmul__ list": lambda: [[1.0, 2.0]] @ mg.constant(m),
            "transpose perm": lambda: list(mg.transpose(mg.constant(batch), [2, 0, 1]).shape),
            "one_hot": lambda: mg.one_hot([0, 2], 3),
            "range": lambda: mg.range(0.0, 1.0, 0.25),
            "meshgrid": lambda: [list(grid.shape) for grid in mg.meshgrid(row, row)],
            "eye": lambda: mg.eye(2),
            "fill": lambda: mg.fill([2], 3.0),
            "linspace int": lambda: mg.linspace(0, 10, 3),
        }
    )


# ---- training ------------------------------------------------------------------------------------------------------


def two_layers(mg, **settings):
    """A small model, compiled, and data for it."""
    mg.keras.utils.clear_session()
    mg.keras.utils.set_random_seed(7)
    layers = [mg.keras.layers.Dense(3, activation="tanh"), mg.keras.layers.Dense(1)]
    model = mg.keras.Sequential(layers, name="small")
    model.compile(**{"optimizer": mg.keras.optimizers.SGD(0.1), "loss": "mse", **settings})
    x = np.linspace(-1.0, 1.0, 20, dtype=np.float32).reshape(10, 2)
    return model, x, x.sum(1, keepdims=True)


@scenario("training.fit")
def _(mg, show):
    """A model is trained, evaluated and used."""
    model, x, y = two_layers(mg, metrics=["mae", mg.keras.metrics.RootMeanSquaredError()], weighted_metrics=["mse"])
    model.summary()
    history = model.fit(x, y, epochs=3, batch_size=4, validation_split=0.2, verbose=0, sample_weight=np.arange(10.0))
    show("history", {name: np.round(values, 4).tolist() for name, values in history.history.items()})
    show("epochs", (history.epoch, history.params))
    show("evaluate", np.round(model.evaluate(x, y, verbose=0), 4).tolist())
    show("names", (model.metrics_names, sorted(model.evaluate(x, y, verbose=0, return_dict=True))))
    show("predict", model.predict(x[:2], verbose=0).round(4))
    show("train_on_batch", np.round(model.train_on_batch(x, y), 4).tolist())
    show("test_on_batch", np.round(model.test_on_batch(x, y), 4).tolist())
    show("predict_on_batch", model.predict_on_batch(x[:2]).round(4))
    show("steps", int(model.optimizer.iterations))
    model.summary(show_trainable=True, line_length=70, print_fn=lambda text: show("summary", text))


@scenario("training.data")
def _(mg, show):
    """Batches come from arrays, Datasets and generators."""

    def losses(data, **settings):
        model, _, _ = two_layers(mg)
        return np.round(model.fit(*data, epochs=2, verbose=0, **settings).history["loss"], 4).tolist()

    _, x, y = two_layers(mg)
    rows = mg.data.Dataset.from_tensor_slices((x, y))
    show("in order", losses((x, y), shuffle=False, batch_size=3))
    show("drawn", losses((x, y), batch_size=3))
    show("Dataset", losses((rows.batch(3),)))
    show("shuffled Dataset", losses((rows.shuffle(10, seed=1).batch(3),)))
    show("of unknown length", losses((rows.filter(lambda x, y: True).shuffle(10, seed=1).batch(3),)))
    show("shuffled steps", losses((rows.shuffle(10, seed=1).batch(5),), steps_per_epoch=1))
    show("steps", losses((rows.batch(3).repeat(),), steps_per_epoch=2))
    show("steps of arrays", losses((x, y), steps_per_epoch=5, shuffle=False))
    show("generator", losses((((x, y) for _ in range(2)),), steps_per_epoch=1))
    show("class weights", losses((x, (y > 0).astype(int)), class_weight={0: 2.0, 1: 0.5}, shuffle=False))
    show("weights", losses((x, y), sample_weight=np.arange(10.0), shuffle=False))
    wrong = {
        "lists": lambda: losses(([[1.0, 2.0]], y)),
        "rows too few": lambda: losses((x, y[:3])),
        "no split": lambda: losses((x, y), validation_split=0.01),
        "labels twice": lambda: losses((rows.batch(3), y)),
        "weights twice": lambda: losses((x, y), class_weight={0: 1.0}, sample_weight=np.ones(10)),
    }
    show.each(wrong)


@scenario("training.callbacks")
def _(mg, show):
    """What callbacks are told, and what those of Keras do."""
    callbacks = mg.keras.callbacks

    class Told(callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.heard = []

        def on_epoch_begin(self, epoch, logs=None):
            self.heard.append(("epoch", epoch, sorted(logs or {})))

        def on_train_batch_end(self, batch, logs=None):
            self.heard.append(("batch", batch, sorted(logs)))

        def on_test_end(self, logs=None):
            self.heard.append(("test", sorted(logs)))

        def on_epoch_end(self, epoch, logs=None):
            self.heard.append(("end", epoch, sorted(logs)))

    def trained(*heard, **settings):
        model, x, y = two_layers(mg, metrics=["mae"])
        history = model.fit(x, y, verbose=0, shuffle=False, callbacks=list(heard), **{"epochs": 6, **settings})
        return {name: np.round(values, 4).tolist() for name, values in history.history.items()}

    told = Told()
    trained(told, epochs=1, batch_size=5, validation_split=0.5)
    show("told", told.heard)
    show("schedule", trained(callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2, verbose=1), epochs=2))
    show("plateau", trained(callbacks.ReduceLROnPlateau("loss", patience=1, min_delta=0.05, factor=0.5, verbose=1)))
    stop = callbacks.EarlyStopping("mae", min_delta=0.1, patience=1, verbose=1, restore_best_weights=True, mode="min")
    show("stop", (trained(stop), stop.stopped_epoch, stop.best_epoch))
    show.each({"unknown": lambda: trained(callbacks.EarlyStopping("nothing"))})
    show("lambda", trained(callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch, sorted(logs))), epochs=1))


@scenario("training.steps")
def _(mg, show):
    """A model with a step of its own."""

    class Own(mg.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense, self.far = mg.keras.layers.Dense(1, kernel_initializer="ones"), mg.keras.metrics.Mean(name="far")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with mg.GradientTape() as tape:
                loss = mg.reduce_mean(mg.square(self(x, training=True) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.far.update_state(loss)
            return {"far": self.far.result()}

        @property
        def metrics(self):
            return [self.far]

    model = Own()
    model.compile(optimizer=mg.keras.optimizers.SGD(0.1))
    x = np.array([[1.0], [2.0]], np.float32)
    show("history", {name: np.round(v, 4).tolist() for name, v in model.fit(x, 3 * x, epochs=2, verbose=0).history.items()})
    show("weights", model.get_weights()[0].round(4))
    show.each({"no loss": lambda: model.evaluate(x, x, verbose=0)})

    class Two(mg.keras.Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = (mg.keras.layers.Dense(1, kernel_initializer="ones") for _ in range(2))

        def call(self, x):
            return {"a": self.a(x), "b": self.b(2.0 * x)}

    model = Two()
    model.compile("sgd", {"a": "mse", "b": "mae"}, {"a": 1.0, "b": 0.5}, {"a": ["mae"], "b": ["mse", "mae"]})
    history = model.fit(x, {"a": 2 * x, "b": x}, epochs=2, verbose=0, shuffle=False).history
    show("two outputs", {name: np.round(values, 4).tolist() for name, values in history.items()})


@scenario("training.masks")
def _(mg, show):
    """Masks go from layer to layer, and to the loss."""
    x = mg.constant([[[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]]])
    model = mg.keras.Sequential([mg.keras.layers.Masking(), mg.keras.layers.Dense(1, kernel_initializer="ones")])
    show("masked", model(x))
    for reduction in ("sum_over_batch_size", "sum", "mean_with_sample_weight", "none"):
        loss = mg.keras.losses.MeanSquaredError(reduction=reduction)
        show(reduction, loss(mg.ones([1, 3, 1]), model(x)))
        show(f"{reduction}, weighted", loss(mg.ones([1, 3, 1]), model(x), sample_weight=mg.constant([[1.0, 2.0, 3.0]])))
    show("metric", mg.keras.metrics.MeanSquaredError()(mg.ones([1, 3, 1]), model(x)))
    ids = mg.keras.layers.Embedding(3, 1, "ones", mask_zero=True)
    show("ids", ids.compute_mask(mg.constant([[0, 2]])))
    model = mg.keras.Sequential([ids, mg.keras.layers.BatchNormalization(epsilon=0.0)])
    show("normalized", model(mg.constant([[0, 2, 1]]), training=True))
    show("mean", model.layers[1].moving_mean.numpy().round(5))


# ---- corners of the API --------------------------------------------------------------------------------------------


def warned(f):
    """The texts of what warns the user while f runs, and what it gives."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        given = f()
    return [str(one.message) for one in heard if one.category is UserWarning], given


def line(mg, *layers, optimizer="sgd", loss="mse", **settings):
    """A model that is compiled: of these layers, or of one that adds up."""
    model = mg.keras.Sequential(list(layers) or [mg.keras.layers.Dense(1, kernel_initializer="ones")], name="line")
    model.compile(optimizer, loss, **settings)
    return model


def fed(mg, callback, **series):
    """The learning rates and the last weights when each epoch ends with the next of these numbers."""
    model, rates = line(mg, optimizer=mg.keras.optimizers.SGD(1.0), metrics=["mae"]), []
    model.build((None, 1))
    model.stop_training = False
    callback.set_model(model)
    callback.on_train_begin()
    for epoch, values in enumerate(zip(*series.values())):
        model.layers[0].set_weights([np.full((1, 1), epoch), np.zeros(1)])
        callback.on_epoch_begin(epoch)
        callback.on_epoch_end(epoch, dict(zip(series, values)))
        rates.append(float(np.float32(model.optimizer.learning_rate)))
        if model.stop_training:
            break
    callback.on_train_end()
    return rates, model.get_weights()[0].tolist()


def bar(mg, verbose, steps, *ended, at_once=1):
    """What the progress bar prints in two epochs; their steps, of some batches at once, end after these seconds, with these logs."""
    logger, now, printed = mg.keras.callbacks.ProgbarLogger(), [0.0], io.StringIO()
    logger.set_params({"verbose": verbose, "epochs": 2, "steps": steps})
    with unittest.mock.patch("time.time", side_effect=lambda: 1e9 + now[0]), contextlib.redirect_stdout(printed):
        for epoch in range(2):
            now[0], logs = 1000.0 * epoch, {}
            logger.on_epoch_begin(epoch)
            for step, (seconds, logs) in enumerate(ended):
                now[0] = 1000.0 * epoch + seconds
                logger.on_train_batch_end((step + 1) * at_once - 1, logs)
            logger.on_epoch_end(epoch, logs)
    return re.sub(r"\x1b\[\d*m|\x08", "", printed.getvalue())


def corner(name, expressions):
    """A scenario that shows what each of these expressions gives."""

    @scenario(f"corners.{name}")
    def _(mg, show):
        space = {"mg": mg, "np": np, "warned": warned}
        space |= {one.__name__: functools.partial(one, mg) for one in (slopes, jacobian, line, fed, bar)}
        show.each({one: functools.partial(eval, one, space) for one in expressions})


for section in CORNERS.read_text("utf-8").split("\n[")[1:]:
    name, *lines = section.split("\n")
    corner(name.rstrip("]"), [line for line in lines if line])


# ---- long and winding programs -------------------------------------------------------------------------------------


@scenario("sem.deep_chain")
def _(mg, show):
    """A hundred thousand ops in a row."""
    x = mg.Variable(1.0)
    with mg.GradientTape() as tape:
        y = x
        for _ in range(100_000):
            y = y + 1.0
    show("g", tape.gradient(y, x))
    show("y", y)


@scenario("sem.diamond")
def _(mg, show):
    """The number of paths doubles sixty times."""
    x = mg.Variable(1.0)
    with mg.GradientTape() as tape:
        y = x
        for _ in range(60):
            y = 0.5 * y + 0.5 * y
    show("g", tape.gradient(y, x))


@scenario("sem.loop_while")
def _(mg, show):
    """Python's own loops, recursion and lists."""

    def grow(x):
        while x < 10.0:
            x = x * x
        return x

    def recursive(x, depth=5):
        return mg.sin(recursive(x, depth - 1)) if depth else x

    def in_place(x):
        y = x
        y *= 3.0
        return y

    def rebound(x):
        y = x * x
        y += x
        return y

    show("value", grow(mg.constant(1.5)))
    programs = {
        "while": grow,
        "recursion": recursive,
        "comprehension": lambda x: mg.add_n([x**k for k in range(1, 4)]),
        "sum()": lambda x: sum([x, x, x]),
        "python float escape": lambda x: x * float(x),
        "inplace operator on tensor": in_place,
        "y += rebinding": rebound,
    }
    for name, program in programs.items():
        show(name, slopes(mg, program, 1.5))


@scenario("sem.optim_loop")
def _(mg, show):
    """Three steps downhill."""
    x, y = mg.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]]), mg.constant([1.0, 8.0, -2.0])
    w, b = mg.Variable([0.0, 0.0]), mg.Variable(0.0)
    losses = []
    for _ in range(3):
        with mg.GradientTape() as tape:
            loss = mg.reduce_mean((mg.linalg.matvec(x, w) + b - y) ** 2)
        losses.append(float(loss))
        for variable, grad in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.05 * grad)
    show("losses", losses)
    show("w", w)
    show("b", b)


@scenario("sem.tf_function")
def _(mg, show):
    """A function that TensorFlow may compile."""

    @mg.function
    def square(x):
        return x * x

    show("g", slopes(mg, square, 3.0))


@scenario("guide.function_traced")
def _(mg, show):
    """What Python does in a traced function, it does once."""

    @mg.function
    def area(r):
        print("traced with", r)
        return 3.0 * r * r

    show("areas", [float(area(mg.constant(r))) for r in (1.0, 2.0, 3.0)])
    area(mg.constant([1.0, 2.0]))
    show("traces", area.experimental_get_tracing_count())


@scenario("guide.function_numbers")
def _(mg, show):
    """Numbers of Python's are known by their values, Tensors by shape and dtype."""

    def counted(numbers):
        @mg.function
        def power(x, n):
            return x**n

        for n in numbers:
            power(mg.constant(2.0), n)
        return power.experimental_get_tracing_count()

    show("Python numbers", counted([1.0, 2.0, 3.0, 2.0]))
    show("tensors", counted([mg.constant(n) for n in (1.0, 2.0, 3.0, 2.0)]))


@scenario("sem.register_works")
def _(mg, show):
    """Once a gradient is registered, the op has one. (This lasts, so it comes last.)"""

    @mg.RegisterGradient("AdjustContrastv2")
    def gradient(op, dy):
        image, factor = op.inputs
        mean = mg.reduce_mean(image, [-3, -2], keepdims=True)
        spread = mg.reduce_mean(dy * (1.0 - factor), [-3, -2], keepdims=True)
        return [dy * factor + spread, mg.reduce_sum(dy * (image - mean))]

    image, factor = mg.Variable([[[0.5, 0.0, 0.0]], [[1.0, 0.2, 0.3]]]), mg.Variable(0.1)
    with mg.GradientTape() as tape:
        out = show("out", mg.image.adjust_contrast(image, factor))
    show("g", tape.gradient(out, [image, factor]))


if __name__ == "__main__":
    import tensorflow

    found = {name: run(name, tensorflow) for name in SCENARIOS}
    GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
