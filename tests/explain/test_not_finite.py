"""Where inf and nan come from when the log does not know it all: without a trace, in large values, in inputs without a name."""

import linecache
import re

import numpy as np
import pytest

import minigrad as mg
from minigrad.explain.numbers import bounds


def test_a_nan_without_a_trace():
    X, w = mg.constant([1.0, float("nan")]), mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum((X * w) ** 2)
    assert "is not finite already" in str(tape.explain(y, w))


def test_large_values_are_known_in_part():
    x = mg.Variable(mg.zeros([300]))
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        taken = mg.reduce_sum(mg.where(x >= 0.0, mg.sqrt(x), 0.0))
        discarded = mg.reduce_sum(mg.where(x > 0.0, mg.sqrt(x) / x, 0.0))
    assert "sqrt is where the gradient stops being finite" in str(tape.explain(taken, x))
    assert "where discards this branch, yet divide" in str(tape.explain(discarded, x))


@pytest.mark.parametrize(("place", "sure"), [(0, "proved"), (200, "likely")])
def test_that_where_discards_it_is_proved_only_where_it_was_seen(place, sure):
    x = mg.Variable(mg.one_hot(place, 300, on_value=0.0, off_value=1.0))
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.where(x > 0.0, mg.math.log(x), 0.0))
    assert f"NOT_FINITE ({sure}): where discards this branch" in str(tape.explain(y, x))


def test_a_plain_number_that_is_not_finite():
    x = mg.Variable([1.0, 0.0])
    with mg.trace(), mg.GradientTape() as tape:
        masked = x * float("-inf")
        y = mg.reduce_sum(mg.exp(masked))
    text = str(tape.explain(y, x))
    assert "an input holds -inf already" in text
    assert 'line   masked = x * float("-inf")' in text


def test_an_input_without_a_name():
    x = mg.Variable([1.0, 2.0])
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.nn.softmax(x + mg.constant([-np.inf, -np.inf])))
    assert "an input holds -inf already" in str(tape.explain(y, x))


def test_what_the_log_does_not_know_is_likely():
    def hidden(value):
        return lambda: value

    find, w = hidden(mg.constant(float("nan"))), mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = (w * find()) ** 2
    assert "NOT_FINITE (likely)" in str(tape.explain(y, w))


@pytest.mark.parametrize(
    ("line", "value", "dtype"),
    [
        ("mg.exp(x)", 20.0, "float16"),
        ("mg.exp(x)", 800.0, "float64"),
        ("mg.acos(x)", 1.0, "float16"),
        ("mg.math.log(x)", 0.0, "float16"),
        ("mg.math.rsqrt(x)", 0.0, "float16"),
        ("mg.math.reciprocal(x)", 0.0, "float16"),
        ("mg.divide(x * 0.0 + 1.0, x)", 0.0, "float16"),
        ("mg.pow(x, -7.0)", 0.0, "float32"),
        ("mg.pow(x, -3.0)", 0.0, "float16"),
        ("mg.pow(x, 0.5)", -1.0, "float32"),
        ("mg.norm(x)", 0.0, "float16"),
    ],
)
def test_the_example_is_finite_in_the_dtype_of_the_op(line, value, dtype):
    x = mg.Variable([value], dtype=dtype)

    def explained(text):
        with mg.trace(), mg.GradientTape() as tape:
            y = eval(text, {"mg": mg, "x": x})
        return tape.explain(y, x)

    example = explained(line).causes[0].fix.partition("for example with ")[2].partition("; ")[0]
    assert example
    fixed = explained(example if "norm" in line else re.sub(r"\bx\b(?=[,)])", example, line))
    assert fixed.status in ("complete", "zero"), f"\n{example}\n{fixed}"


def test_the_example_of_a_steep_power_is_a_round_number():
    assert bounds(np.finfo(np.float32), 8.0)["small"] == pytest.approx(1e-4)
    assert bounds(np.finfo(np.float32), 2.0)["small"] == pytest.approx(1e-6)


@pytest.mark.parametrize(("op", "edge"), [("acosh", 1.0), ("log1p", -1.0), ("asin", -1.0), ("atanh", 1.0), ("log", 0.0)])
def test_the_example_stays_near_the_edge_of_the_domain(op, edge):
    x = mg.Variable(edge)
    with mg.trace(), mg.GradientTape() as tape:
        y = getattr(mg.math, op)(x)
    example = tape.explain(y, x).causes[0].fix.partition("for example with ")[2]
    with mg.GradientTape() as tape:
        tape.watch(moved := mg.constant(eval(example)))
        y = getattr(mg.math, op)(moved)
    assert 0 < abs(moved - edge) < 1e-5
    assert np.isfinite(tape.gradient(y, moved))


def test_a_softmax_by_hand_is_told_to_subtract_its_largest():
    x = mg.Variable([1.0, 1000.0])
    with mg.trace(), mg.GradientTape() as tape:
        e = mg.exp(x)
        y = e / mg.reduce_sum(e)
    assert tape.explain(y, x).causes[0].fix.endswith("; a softmax subtracts mg.reduce_max(x) first")


@pytest.mark.parametrize("asked", [False, True])
def test_a_value_that_is_not_finite_comes_before_a_slope_that_is_not(asked):
    x = mg.Variable([1000.0, 1.0] + [0.0] * 300)
    with mg.trace():
        with mg.GradientTape() as tape:
            p = mg.exp(x) / mg.reduce_sum(mg.exp(x))
            y = -mg.math.log(mg.sqrt(p[1]))  # both slopes are inf
        assert not asked or not np.isfinite(tape.gradient(y, x)).any()
    assert tape.explain(y, x).causes[0].sentence == "the value of exp is inf or nan already, before any slope is taken"


def test_of_many_slopes_that_are_not_finite_the_first_is_named():
    x = mg.Variable(0.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x
        for _ in range(100):
            y = mg.sqrt(y)
        z = mg.math.log(y)
    assert tape.explain(z, x).causes[0].line == "z = mg.math.log(y)"


def test_a_divisor_near_0_keeps_its_sign():
    x = mg.Variable([0.0, -2.0])
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.sin(x) / x
    example = tape.explain(y, x).causes[0].fix.partition("for example with ")[2]
    assert np.array_equal(eval(example), np.float32([1e-6, -2.0]))


def test_an_example_that_would_leave_the_input_as_it_is_is_not_given():
    x = mg.Variable(-1.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.math.lgamma(x)
    assert tape.explain(y, x).causes[0].fix == "keep the input of lgamma away from there"


def test_a_function_with_a_gradient_of_its_own_has_its_own_name():
    @mg.custom_gradient
    def halved(v):
        return v * 0.5, lambda dy: dy * float("nan")

    x = mg.Variable([1.0, 2.0])
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(halved(x))
    assert "halved is where the gradient stops being finite" in str(tape.explain(y, x))


def test_a_product_that_is_too_large_is_not_called_a_slope_that_is_not_finite():
    u = mg.Variable(1e-30)
    with mg.trace(), mg.GradientTape() as tape:
        p = u * 1e30
        y = p * 1e30
        z = y * 1.0
    answer = tape.explain(z, u)
    assert "what arrives there times its slope is too large for float32" in answer.causes[0].sentence
    assert answer.causes[0].line == "p = u * 1e30"


@pytest.mark.parametrize("line", ["y = mg.reduce_sum(mg.stack([x, 9.0]) ** 2)", "y = mg.reduce_max(mg.concat([x[None], [9.0]], 0))"])
def test_an_op_that_only_passes_a_zero_on_is_not_called_flat(line):
    space = {"mg": mg, "x": mg.Variable(0.0)}
    with mg.trace(), mg.GradientTape() as tape:
        exec(line, space)
    answer = tape.explain(space["y"], space["x"])
    assert answer.status == "zero" and "is 0 already in the part" in answer.causes[0].sentence


def test_what_an_op_does_not_pass_on_to_one_of_two_equal_inputs_cancels_nothing():
    x = mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        h = mg.nn.relu(-x)
        y = mg.where(x > 0.0, h, h) * 2.0
    assert "cancel" not in str(tape.explain(y, x))


@pytest.mark.parametrize(
    ("lines", "first", "fix"),
    [
        (
            "u = mg.exp(x * 100.0)\n    y = mg.sqrt(1.0 / u)",
            "exp at (x * 100.0)[0] = 100.0 gives inf",
            "mg.clip_by_value(x * 100.0, -80.0, 80.0)",
        ),
        ("y = mg.sqrt(x - x)", "sqrt at (x - x)[0] = 0.0: upstream", "mg.maximum(x - x, 1e-6)"),
        ("y = mg.norm(x - 1.0)", "norm", "mg.sqrt(mg.reduce_sum(mg.square(x)) + 1e-12)"),
        ("y = mg.math.reduce_std(x * 0.0)", "reduce_std", "mg.sqrt(mg.math.reduce_variance(x) + 1e-12)"),
        ("y = x / 0.0", "divide at ", ""),
    ],
)
def test_a_fix_names_what_the_op_is_given(lines, first, fix):
    text, space = f"with mg.trace(), mg.GradientTape() as tape:\n    {lines}", {"mg": mg, "x": mg.Variable([1.0, 1.0])}
    linecache.cache["<given>"] = 0, None, text.splitlines(True), "<given>"
    exec(compile(text, "<given>", "exec"), space)
    told = space["tape"].explain(space["y"], space["x"]).causes[0]
    assert dict(told.facts)["first"].startswith(first)
    assert told.fix.partition("for example with ")[2].partition("; ")[0] == fix
