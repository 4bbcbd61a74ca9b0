"""`mg.written`: the program of a run is valid Python that needs NumPy alone, and gives what the tape gives."""

import ast
import functools
import itertools
import linecache
import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from test_ops import OPS, as_function, calls_in_the_example, has_derivative

import minigrad as mg
from minigrad import nest
from minigrad.graph.loops import folded
from minigrad.graph.run import Run
from minigrad.graph.text import Text

pytestmark = pytest.mark.filterwarnings("ignore")


def program(written, **space):
    """The function that the text defines."""
    exec(written.source, space := {"np": np, **written.functions, **space})
    (name,) = [one.name for one in ast.parse(written.source).body]
    return functools.partial(space[name], **written.constants)


def arrays(nested):
    return [np.asarray(x.value if isinstance(x, mg.Tensor) else x) for x in nest.flatten(nested)]


def assert_same(got, wanted, **tolerance):
    got, wanted = arrays(got), arrays(wanted)
    assert [(x.shape, x.dtype) for x in got] == [(x.shape, x.dtype) for x in wanted]
    for x, y in zip(got, wanted, strict=True):
        np.testing.assert_allclose(x, y, **(tolerance or {"rtol": 1e-6, "atol": 1e-7}))


def numbers_of(tensors):
    return [x.value for x in tensors]


def with_slopes(function, count):
    """The function with its gradients, and with as many parameters."""
    given = ", ".join(f"x{k}" for k in range(count))

    def both(*xs):
        with mg.GradientTape() as tape:
            tape.watch(list(xs))
            z = function(*xs)
        return z, tape.gradient(z, list(xs), unconnected_gradients="zero")

    return eval(f"lambda {given}: both({given})", {"both": both})


SMOOTH = sorted(name for name, op in OPS.items() if has_derivative(op))
# What NumPy has no function for, or what looks at numbers on its way: the text calls it by its name.
CALLED = """added_at bessel_i0 bessel_i0e bessel_i1 bessel_i1e betainc cumprod digamma erf erfc erfinv gamma_numbers
    higher_digamma hurwitz_zeta igamma igammac leaky_relu lgamma ndtri of_parts segment_max segment_min segment_prod tensor_scatter_nd_max
    tensor_scatter_nd_min top_k triangular_solve unsorted_segment_max unsorted_segment_min unsorted_segment_prod""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", SMOOTH)
def test_an_op_written_out_gives_the_tapes_value_and_gradient_at_two_inputs(name):
    inputs, attributes = calls_in_the_example(OPS[name])[0]
    function, points = as_function(OPS[name], inputs, attributes)
    if not all(x.dtype.is_floating or x.dtype.is_complex for x in points):
        pytest.skip("its example has no float")
    points = [mg.Tensor.of(x.value) for x in points]  # Python's numbers have no id of their own
    both = with_slopes(function, len(points))
    written = mg.written(both, *points)
    assert written.source == mg.written(both, *points).source
    assert all(len(line) <= 100 for line in written.source.splitlines())
    assert (name in CALLED) == bool(written.functions), written.functions
    for case in (points, elsewhere(both, points)):
        assert_same(program(written)(*numbers_of(case)), both(*case), rtol=2e-5, atol=1e-6)


def elsewhere(function, points):
    """Other numbers: on the other side of 0 where the op takes them."""
    for factor in (-0.7, 0.97):
        other = [mg.Tensor.of((x.value * factor).astype(x.value.dtype)) for x in points]
        try:
            if all(np.isfinite(x).all() for x in arrays(function(*other))):
                return other
        except (ValueError, mg.errors.OpError):
            continue
    return points


# ---- how it reads ------------------------------------------------------------------------------------------------------


def network():
    draw = np.random.default_rng(3)
    W1, W2 = (mg.Variable(draw.normal(size=shape).astype("f")) for shape in ((4, 5), (5, 3)))
    b1, b2 = mg.Variable(mg.zeros([5])), mg.Variable(mg.zeros([3]))

    def loss_and_gradients(x, labels):
        with mg.GradientTape() as tape:
            h = mg.nn.relu(x @ W1 + b1)
            logits = h @ W2 + b2
            loss = mg.reduce_mean(mg.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return loss, tape.gradient(loss, [W1, b1, W2, b2])

    return loss_and_gradients, draw.normal(size=(6, 4)).astype("f"), np.array([0, 2, 1, 1, 0, 2]), [W1, b1, W2, b2]


def test_a_network_reads_as_if_written_by_hand():
    function, x, labels, variables = network()
    written = mg.written(function, x, labels)
    assert str(written) == textwrap.dedent("""\
        def loss_and_gradients(x, labels, W1, b1, W2, b2):
            h = np.maximum(x @ W1 + b1, 0)
            logits = h @ W2 + b2
            at = np.ravel_multi_index((np.arange(6), labels), (6, 3))
            z = logits - logits.max(1, keepdims=True)
            right = z.take(at)
            np.exp(z, out=z)
            total = z.sum(1, keepdims=True)
            z /= total
            z.reshape(-1)[at] -= 1
            total2 = (np.log(total.reshape(-1)) - right).sum()
            loss = total2 / 6
            # backward pass
            dlogits = 0.16666667 * z
            db2 = dlogits.sum(0)
            dW2 = h.T @ dlogits
            dh = dlogits @ W2.T
            d = dh * (h > 0)
            db1 = d.sum(0)
            dW1 = x.T @ d
            return loss, (dW1, db1, dW2, db2)
        """)
    assert_same(program(written)(x, labels, *[v.numpy() for v in variables]), function(x, labels))


def test_it_runs_where_there_is_no_minigrad():
    function, x, labels, variables = network()
    loss = float(function(x, labels)[0])
    given = ", ".join(f"np.array({one.tolist()}, np.{one.dtype})" for one in [x, labels, *[v.numpy() for v in variables]])
    script = f"import sys; sys.modules['minigrad'] = None\nimport numpy as np\n{mg.written(function, x, labels)}\n"
    out = subprocess.run([sys.executable, "-c", f"{script}print(loss_and_gradients({given})[0])"], capture_output=True, text=True)
    assert float(out.stdout) == pytest.approx(loss, rel=1e-6), out.stderr


def test_dead_lines_are_left_out_where_one_gradient_is_not_asked_for():
    w, b = mg.Variable([1.0, 2.0]), mg.Variable(3.0)

    def slope(x):
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(mg.sin(w * x) + b)
        return tape.gradient(y, b)

    assert mg.written(slope, mg.constant(2.0)).source == "def slope(x, w, b):\n    return np.float32(2.0)\n"


def test_the_second_derivative_has_names_of_its_own():
    def second(x):
        with mg.GradientTape() as outer:
            outer.watch(x)
            with mg.GradientTape() as inner:
                inner.watch(x)
                y = mg.sin(x)
            slope = inner.gradient(y, x)
        return slope, outer.gradient(slope, x)

    written = mg.written(second, mg.constant([1.0, 2.0]))
    assert_same(program(written)(np.float32([0.3, 3.0])), second(mg.constant([0.3, 3.0])))
    assert "slope = np.cos(x)" in written.source


def test_new_values_of_variables_are_returned_and_the_variables_stay():
    w, b = mg.Variable([1.0, 2.0]), mg.Variable(0.5)

    def step(x, t):
        with mg.GradientTape() as tape:
            loss = mg.reduce_mean((x @ w[:, None] + b - t) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        return loss

    x, t = np.ones((3, 2), "f"), np.zeros((3, 1), "f")
    written = mg.written(step, x, t)
    assert (w.numpy() == [1, 2]).all() and b.numpy() == 0.5
    before = [w.numpy(), b.numpy()]
    got = program(written)(x, t, *before)
    assert_same(got[0], step(x, t))
    assert_same(got[1:], [w, b])
    assert written.source.endswith("    w = w - 0.1 * dw\n    b = b - 0.1 * db\n    return loss, w, b\n")


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "AdamW"])
def test_a_step_of_a_keras_model_with_its_optimizer(name):
    model = mg.keras.Sequential([mg.keras.layers.Dense(4, activation="tanh"), mg.keras.layers.Dense(1)])
    x, t = np.linspace(-1, 1, 12, dtype="f").reshape(4, 3), np.ones((4, 1), "f")
    model(x)
    optimizer = getattr(mg.keras.optimizers, name)(0.1)
    optimizer.build(model.trainable_variables)

    def step(x, t):
        with mg.GradientTape() as tape:
            loss = mg.reduce_mean(mg.square(model(x) - t))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    step(x, t)
    written = mg.written(step, x, t)
    got = program(written)(x, t, **{name: variable.numpy() for name, variable in written.variables.items()})
    assert_same(got[0], step(x, t))
    assert len(got) > len(model.variables)
    for variable, value in zip(model.variables, got[1:]):
        np.testing.assert_allclose(value, variable.numpy(), rtol=1e-5, atol=1e-7)


def test_comments_tell_the_way_that_a_run_took():
    def steps(x):
        y = x * x
        if y > 10.0:
            y = y * 0.5
        while y < 8.0:
            y = y + x
        return y

    assert mg.written(steps, mg.constant(2.0)).source == textwrap.dedent("""\
        def steps(x):
            y = x * x
            # if y > 10.0: False in this run
            # while y < 8.0: True in this run
            y2 = y + x
            # while y < 8.0: True in this run
            y3 = y2 + x
            # while y < 8.0: False in this run
            return y3
        """)


def test_a_jacobian_and_a_custom_gradient():
    @mg.custom_gradient
    def clipped(x):
        return x * 1.0, lambda dy: mg.clip_by_value(dy, -1.0, 1.0)

    def slopes(x):
        with mg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = mg.sin(x) * x
            z = clipped(x * 5.0) * 3.0
        return tape.jacobian(y, x), tape.gradient(z, x)

    written = mg.written(slopes, mg.constant([1.0, 2.0]))
    assert_same(program(written)(np.float32([3.0, -4.0])), slopes(mg.constant([3.0, -4.0])))


@pytest.mark.parametrize(
    "look", [lambda x: x.numpy(), np.asarray, np.mean, lambda x: mg.Variable(x)], ids=["numpy", "array", "mean", "made"]
)
def test_what_cannot_be_traced_is_refused(look):
    v = mg.Variable(2.0)
    with pytest.raises((AttributeError, NotImplementedError)):
        mg.written(lambda x: look(x * v), mg.constant([1.0]))
    assert v.numpy() == 2.0 and float(v * 2.0) == 4.0


def test_large_constants_are_parameters():
    table = np.random.default_rng(0).normal(size=(9, 2)).astype("f")
    written = mg.written(lambda x: mg.reduce_sum(x @ table), np.ones((2, 9), "f"))
    assert written.source == "def function(x, constant):\n    return (x @ constant).sum()\n"
    (given,) = written.constants.values()
    assert (given == table).all()


# ---- loops -------------------------------------------------------------------------------------------------------------


def descent():
    w = mg.Variable([1.0, 2.0])

    def function(x):
        for _ in range(4):
            with mg.GradientTape() as tape:
                loss = mg.reduce_sum((x - w) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))

    return function, [np.float32([3, 4])], "for _ in range(4):"


def steps_in_time():
    draw = np.random.default_rng(0)
    W, U = (mg.Variable(draw.normal(size=shape)) for shape in ((3, 4), (4, 4)))

    def function(x, h):
        for t in range(5):
            h = mg.tanh(x[:, t] @ W + h @ U)
        return h

    return function, [draw.normal(size=(2, 5, 3)), np.zeros((2, 4))], "for k in range(5):"


def layers():
    weights = [mg.Variable(np.random.default_rng(k).normal(size=(3, 3)), name=f"W{k}") for k in range(4)]

    def function(x):
        h = x
        for W in weights:
            h = mg.nn.relu(h @ W + 1.0)
        return h, x

    return function, [np.ones((2, 3))], "for W in (W0, W1, W2, W3):"


def a_root():
    def function(a):
        x = a
        for _ in range(6):
            x = 0.5 * (x + a / x)
        return x

    return function, [np.float64(2.0)], "for _ in range(6):"


def one_in_another():
    def function(x):
        for _ in range(3):
            for _ in range(5):
                x = x * 2 + 1
            x = mg.tanh(x)
        return x

    return function, [np.float64(0.1)], "for _ in range(5):"


def begun_anew():
    def function(x, a):
        for _ in range(3):
            y = a
            for _ in range(5):
                y = mg.sin(y * x)
            x = x + y
        return x

    return function, [np.float64(0.3), np.float64(0.7)], "    for _ in range(5):"


def steps_apart():
    def function(x):
        y = x[0]
        for k in range(1, 11, 2):
            y = mg.sin(y) * x[k] + x[k - 1]
        return y

    return function, [np.arange(11.0)], "for k, k2 in ((3, 2), (5, 4), (7, 6), (9, 8)):"


def written_into():
    def function(x):
        total = mg.zeros([3], mg.float64)
        for _ in range(4):
            total = mg.tensor_scatter_nd_add(total, [[1]], x)
            x = x * 2.0
        return total, x

    return function, [np.ones(1)], "for _ in range("


def both_exchanged():
    """What the second line of a turn needs, the first has replaced."""

    def function(a, b):
        for _ in range(4):
            a, b = a + b, a - b
        return a, b

    return function, [np.float64(1.0), np.float64(3.0)], None


def a_tape_around():
    """The backward pass needs what each turn gave."""

    def function(x):
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(4):
                y = mg.sin(y) * x
        return tape.gradient(y, x)

    return function, [np.float64(1.5)], None


def every_value_returned():
    def function(x):
        values = [x]
        for _ in range(5):
            values.append(mg.sin(values[-1]))
        return values

    return function, [np.float64(1.5)], None


LOOPS = (descent, steps_in_time, layers, a_root, one_in_another, begun_anew, steps_apart, written_into, both_exchanged, a_tape_around,
         every_value_returned)  # fmt: skip


@pytest.mark.parametrize("make", LOOPS)
def test_equal_turns_are_a_loop_where_that_is_the_same_program(make, monkeypatch):
    function, given, head = make()
    folded = mg.written(function, *map(mg.constant, given))
    loops = [line for line in folded.source.splitlines() if line.lstrip().startswith("for ")]
    assert any(head in line for line in loops) if head else not loops
    assert_same(program(folded)(*given, *numbers_of_variables(folded)), arrays_after(function, given, folded))
    monkeypatch.setattr("minigrad.graph.text.folded", lambda lines, new: lines)
    unfolded = mg.written(function, *map(mg.constant, given))
    assert "for " not in unfolded.source
    for x, y in zip(*[arrays(program(one)(*given, *numbers_of_variables(one))) for one in (folded, unfolded)], strict=True):
        np.testing.assert_array_equal(x, y)


def numbers_of_variables(written):
    return [v.numpy() for v in written.variables.values()]


def arrays_after(function, given, written):
    """What a call returns, and what it assigns."""
    result = function(*map(mg.constant, given))
    return arrays(list(written.variables.values()) if result is None else result)


def test_a_loop_takes_no_name_that_is_read_after_it():
    def function(x):
        y = x
        for _ in range(4):
            y = mg.sin(y)
        return y + x

    source = mg.written(function, np.float64(1.5)).source
    assert source.splitlines()[1:] == ["    y = x", "    for _ in range(4):", "        y = np.sin(y)", "    return y + x"]


def turns_at_random(draw):
    """Lines with turns like those of loops, in one another too, some of them disturbed; they return what any line gave."""
    names, lines = ["a", "b", "c"], []

    def operand(turn):
        return draw.choice([draw.choice(names), draw.choice(names[-4:]), draw.choice("abc"), "7", str(turn)])

    for _ in range(draw.randint(1, 3)):
        length, back = draw.randint(1, 4), draw.randint(1, 5)
        turn = [(draw.choice("+-*"), draw.randint(1, back), draw.choice([operand(0), "turn", "back"])) for _ in range(length)]
        turn += [(draw.choice("+*"), draw.randint(1, 2), draw.choice("ab"))] * draw.choice([0, 0, 4, 5])
        for k in range(draw.randint(3, 6)):
            for sign, first, second in turn:
                second = {"turn": str(k), "back": names[-min(length, len(names))]}.get(second, second)
                target = f"v{len(lines)}" if draw.random() < 0.9 else draw.choice(names)
                lines.append(f"{target} = ({names[-min(first, len(names))]} {sign} {second}) % 1009")
                names.append(target)
        if draw.random() < 0.5:
            lines.append(f"{draw.choice('abc')} = {operand(0)}")
    if draw.random() < 0.5:
        k = draw.randrange(len(lines))
        lines[k] = f"{lines[k].split()[0]} = {draw.choice('abc7')}"
    return lines, f"return {', '.join(draw.sample(names, 3))}"


def test_lines_at_random_give_what_their_loops_give():
    loops, length, numbers = 0, 0, itertools.count()
    for seed in range(400):
        lines, last = turns_at_random(random.Random(seed))
        written = folded([*lines, last], lambda wish: f"{wish}_{next(numbers)}")
        results = []
        for text in ([*lines, last], written):
            source = "def f(a, b, c):\n" + "".join(f"    {line}\n" for line in text)
            exec(source, space := {})
            results.append(space["f"](2, 3, 5))
        assert results[0] == results[1], source
        loops, length = loops + sum("for " in line for line in written), length + len(written)
    assert (loops, length) == (610, 13355), "fewer loops, or longer programs, would give the same"


def test_what_a_constant_decides_is_no_branch_of_the_run():
    def power(x):
        i, y = mg.constant(0), mg.constant(1.0)
        if x > 0:
            while i < 3:
                i, y = i + 1, y * x
        return y

    source = mg.written(power, mg.constant(2.0)).source
    assert source.count("#") == 1 and "# if x > 0: True in this run" in source

    def looped(x):
        return mg.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [mg.constant(0), mg.constant(1.0)])[1]

    assert "#" not in mg.written(looped, mg.constant(2.0)).source


def test_a_choice_by_a_constant_is_made():
    def choose(x):
        return mg.where(mg.constant(False), 0.0, x * 2.0) + mg.math.divide_no_nan(x, 4.0)

    assert str(mg.written(choose, mg.constant(2.0))).strip().endswith("return x * 2.0 + x / 4.0")


def test_a_name_that_is_wider_than_the_page_stays_whole():
    name, space = "a" * 120, {"mg": mg}
    source = f"def f(x):\n    {name} = mg.sin(x) * 2.0\n    return {name} + mg.exp({name} * x) * {name}\n"
    linecache.cache["<wide>"] = len(source), None, source.splitlines(True), "<wide>"
    exec(compile(source, "<wide>", "exec"), space)
    written = mg.written(space["f"], mg.constant(0.5))
    assert name in written.source
    assert_same([program(written)(np.float32(0.5))], [space["f"](mg.constant(0.5))])


# ---- equal turns become loops -----------------------------------------------------------------------------------------

TURNS = {  # the lines of a function of x, y, u, v and w; and those with loops
    "numbers one after another": (
        ["a = x * 2", "b = a + 1", "b = b + 2", "b = b + 3", "b = b + 4", "return b"],
        ["a = x * 2", "for k_0 in range(1, 5):", "    a = a + k_0", "return a"],
    ),
    "numbers that begin at 0": (
        ["b = x + 0", "b = b + 1", "b = b + 2", "b = b + 3", "return b"], ["for k_0 in range(4):", "    x = x + k_0", "return x"],
    ),
    "numbers three apart": (
        ["b = x + 2", "b = b + 5", "b = b + 8", "b = b + 11", "return b"], ["for k_0 in range(2, 14, 3):", "    x = x + k_0", "return x"],
    ),
    "numbers without a rule": (
        ["b = x + 1", "b = b + 2", "b = b + 4", "b = b + 7", "return b"], ["for k_0 in (1, 2, 4, 7):", "    x = x + k_0", "return x"],
    ),
    "the same number": (["b = x * 3", *["b = b * 3"] * 3, "return b"], ["for _ in range(4):", "    x = x * 3", "return x"]),
    "names": (["a = x * u", "a = a * v", "a = a * w", "a = a * y", "return a"], ["for k_0 in (u, v, w, y):", "    x = x * k_0", "return x"]),
    "names of a stem": (
        ["a = x * u_1", "a = a * u_2", "a = a * u_3", "a = a * u_1", "return a"], ["for u_0 in (u_1, u_2, u_3, u_1):", "    x = x * u_0", "return x"],
    ),
    "names that are read again": (
        ["a = x * u", "a = a * v", "a = a * w", "a = a * x", "return a"], ["a = x", "for k_0 in (u, v, w, x):", "    a = a * k_0", "return a"],
    ),
    "pairs": (
        ["a = x * u + 1", "a = a * v + 2", "a = a * w + 4", "a = a * y + 8", "return a"],
        ["for k_0, k_1 in ((u, 1), (v, 2), (w, 4), (y, 8)):", "    x = x * k_0 + k_1", "return x"],
    ),
    "two lines": (
        ["a = x + y", "b = a * y", "a = b + y", "b = a * y", "a = b + y", "b = a * y", "return a, b"],
        ["for _ in range(3):", "    a = x + y", "    x = a * y", "return a, x"],
    ),
    "a loop in a loop": (
        [line for c in ("x", "c", "c") for line in (f"a = {c} * 2", *["a = a + 1"] * 4, "c = a * 3")] + ["return c"],
        ["for _ in range(3):", "    a = x * 2", "    for _ in range(4):", "        a = a + 1", "    x = a * 3", "return x"],
    ),
    "two loops": (
        ["a = x + 1", "a = a + 2", "a = a + 3", "a = a + 4", "b = a * 2", "b = b * 2", "b = b * 2", "b = b * 2", "return b"],
        ["for k_0 in range(1, 5):", "    x = x + k_0", "for _ in range(4):", "    x = x * 2", "return x"],
    ),
    "what is read later": (["a = x + 1", "b = a + 2", "c = b + 3", "return a, b, c"],) * 2,
    "three turns of a line, which save too little": (["a = x + 1", "a = a + 2", "a = a + 3", "return a"],) * 2,
    "what is written into": (["a = [x] * 3", *["a[0] = a[0] * 2"] * 4, "return a"], ["a = [x] * 3", "for _ in range(4):", "    a[0] = a[0] * 2", "return a"]),
    "two turns": (["a = x + 1", "a = a + 2", "return a"],) * 2,
    "a line that would be too wide": (
        [f"a = {'a' if k else 'x'} * u + {10**40 + k * k}" for k in range(4)] + ["return a"],
    ) * 2,
}  # fmt: skip


@pytest.mark.parametrize("name", TURNS)
def test_equal_turns_become_a_loop(name):
    lines, wanted = TURNS[name]
    count = itertools.count()
    found = folded(lines, lambda like: f"{like}_{next(count)}")
    given = dict(x=2, y=3, u=5, v=7, w=11, u_1=5, u_2=7, u_3=11)
    results = []
    for body in (lines, found):
        space = {}
        exec("\n    ".join([f"def f({', '.join(given)}):", *body]), space)
        results.append(space["f"](**given))
    assert results[0] == results[1]
    assert found == wanted


@pytest.mark.parametrize(
    ("length", "widths", "folds"),
    [(1, (16, 16, 17, 17), True), (1, (16, 17, 17, 17), False), (64, (1, 2, 2, 2), True), (65, (1, 2, 2, 2), False)],
)
def test_a_loop_has_up_to_64_lines_in_a_turn_and_90_columns_in_its_head(length, widths, folds):
    numbers = [10**width + k for k, width in enumerate(widths)]
    turn = [f"x = x * {{}}{' + x' * k}" for k in range(length)]
    lines = [*[line.format(n) for n in numbers for line in turn], "return x"]
    columns, count = len(f"for k_0 in ({', '.join(map(str, numbers))}):"), itertools.count()
    found = folded(lines, lambda like: f"{like}_{next(count)}")
    assert folds == (length <= 64 and columns <= 90)
    assert found[0].startswith("for k_") and len(found) == length + 2 if folds else found == lines


# ---- in place, or nearly -------------------------------------------------------------------------------------------


def in_part(z):
    z[[0, 1]] *= 2.0


def added_in_part(z):
    part = z[[0, 1]]
    part *= 2.0
    np.add.at(z, [0, 1], part)


def taken_as_numbers(z):
    part = np.take(z, [0, 1])
    part *= 2.0
    z[[0, 1]] = part


def another_part(z):
    part = z[[0, 1]]
    part *= 2.0
    z[[1, 2]] = part


def a_part_that_is_read(z):
    part = z[[0, 1]]
    part *= 2.0
    z[[0, 1]] = part
    z[2] = part[0]


@pytest.mark.parametrize("change", [in_part, added_in_part, taken_as_numbers, another_part, a_part_that_is_read])
def test_what_only_resembles_a_change_of_a_part_is_written_as_it_is(change):
    def changed(x):
        z = np.exp(x.value)
        change(z)
        return mg.Tensor.of(z)

    x = np.float32([[0.5, 1.0], [1.5, -2.0], [0.25, 3.0]])
    written = mg.written(changed, x)
    assert_same([program(written)(x)], [changed(mg.constant(x))])
    assert ("[[0, 1]] *= 2.0" in written.source) == (change is in_part)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.add.at, "np.add.at"),
        (np.array, "np.array"),
        (np.linalg.inv, "np.linalg.inv"),
        (np.fft.fft, "np.fft.fft"),
        (np.lib.stride_tricks.as_strided, "np.lib.stride_tricks.as_strided"),
        ([].append, "append"),
        (lambda x: x, "vjp"),
    ],
)
def test_a_function_is_called_by_its_name(function, name):
    text = Text(Run(lambda x: x, [mg.constant(1.0)], {}), "f")
    assert text.function_name(function) == text.function_name(function) == name
    assert text.functions == ({} if name.startswith("np.") else {name: function})
