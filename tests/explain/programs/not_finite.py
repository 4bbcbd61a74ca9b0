"""A gradient that is inf or nan."""

import numpy as np

import minigrad as mg

from . import program


@program(
    "nan",
    "",
    "NOT_FINITE",
    "log at z[0] = 0.0: upstream 0.0 x local derivative inf = nan",
    "mg.math.log(mg.where(z > 0.0, z, 1.0))",
    plain=("nan", "", "NOT_FINITE"),
)
def _where_and_log():
    """log of 0 in the branch that where discards: the nan must be traced to log, with a second where in the fix."""
    z = mg.Variable([0.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.where(z > 0.0, mg.math.log(z), 0.0)
    return tape.explain(y, z)


@program("nan", "", "NOT_FINITE", "mg.sin(mg.where(x == 0.0, 1.0, x)) / mg.where(x == 0.0, 1.0, x))")
def _where_and_the_other_branch():
    """sin(x) / x guarded in the second branch: the fix must guard every x in it, and by the right side of the condition."""
    x = mg.Variable([0.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.where(x == 0.0, 1.0, mg.sin(x) / x)
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "fix    y = mg.where(x <= 0.0, 0.0, mg.math.log(mg.where(x <= 0.0, 1.0, x)))")
def _where_and_a_log_in_the_other_branch():
    """log as the third argument of where: the safe value must stand for where the condition is true."""
    x = mg.Variable([0.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.where(x <= 0.0, 0.0, mg.math.log(x))
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "mg.math.log(1.0 - mg.where(x < LIMIT, x, 0.0))")
def _where_and_another_safe_value():
    """log(1.0 - x), which 1.0 would make infinite as well: the safe value must be tried, and 0.0 be found."""
    LIMIT = 1.0
    x = mg.Variable([0.5, 1.0])
    with mg.GradientTape() as tape:
        y = mg.where(x < LIMIT, mg.math.log(1.0 - x), 0.0)
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "mg.math.log(1.0 - mg.where(x < limit, x, 0.0))")
def _where_without_a_number():
    """A limit that is a tensor: 1.0 is no safe input here, log(0.0) would be infinite, so another one must be proposed."""
    x, limit = mg.Variable([0.5, 1.0]), mg.constant(1.0)
    with mg.GradientTape() as tape:
        y = mg.where(x < limit, mg.math.log(1.0 - x), 0.0)
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "divide is where the gradient stops being finite", "fix    keep what divide divides by away from 0")
def _where_that_takes_the_branch():
    """1.0 / x in the branch that where takes: it must not be said that this branch is discarded."""
    x = mg.Variable([0.0, 1.0])
    with mg.GradientTape() as tape:
        y = mg.where(x > 0.0, 0.0, 1.0 / x)
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "fix    give log a safe input by another mg.where")
def _where_with_the_fault_in_the_condition():
    """log in the condition of where too: a guard by that condition would fail, so no line may be proposed."""
    x = mg.Variable([0.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.where(mg.math.log(x) > 0.0, mg.math.log(x), 0.0)
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "divide")
def _where_and_division():
    """A division in a discarded branch, the tape used up by its question: the op must be found from the log alone."""
    z = mg.Variable([0.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.where(z > 0.0, 1.0 / z, 0.0)
    slope = tape.gradient(y, z)
    assert not np.isfinite(slope).all()
    return tape.explain(y, z)


@program("nan", "", "NOT_FINITE", "norm")
def _norm_of_zero():
    """The norm of a zero vector: the value 0.0 is sound, and the nan of its slope must be traced to norm."""
    x = mg.Variable([0.0, 0.0])
    with mg.GradientTape() as tape:
        y = mg.norm(x)
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "sqrt", "inf")
def _root_of_zero():
    """The square root of 0 has slope inf: an infinite slope must be reported like a nan, and not as complete."""
    x = mg.Variable(0.0)
    with mg.GradientTape() as tape:
        y = mg.sqrt(x)
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "X[1] = nan", "X holds nan already", "mg.where(mg.math.is_finite(X), X, 0.0)", "(proved)")
def _data_with_a_nan():
    """A nan in the data: the data must be blamed, and not the first op on the way back that meets it."""
    X, w = mg.constant([1.0, float("nan")]), mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum((X * w) ** 2)
    return tape.explain(y, w)


@program("nan", "", "NOT_FINITE", "w = nan", "w holds nan already", 'line   w.assign(float("nan"))', "what w was assigned here")
def _a_weight_that_became_nan():
    """A weight that was assigned nan: the assignment must be shown, since a guard at the op would not help."""
    w = mg.Variable(1.0)
    w.assign(float("nan"))
    with mg.GradientTape() as tape:
        y = w**2
    return tape.explain(y, w)


@program("nan", "", "NOT_FINITE", "sqrt at x[0] = -1.0 gives nan", "line   root = mg.sqrt(x)", "the value of sqrt is nan already")
def _root_of_a_negative_number():
    """The square root of -1.0: its value is nan already, which must be said before any talk of slopes."""
    x = mg.Variable([-1.0, 2.0])
    with mg.GradientTape() as tape:
        root = mg.sqrt(x)
        y = mg.reduce_sum((root * 2.0) ** 2)
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "exp at x[0] = 1000.0 gives inf", "line   e = mg.exp(x)")
def _softmax_by_hand():
    """exp(1000.0) in a softmax: exp must be blamed, and not the division and the log that come after it."""
    x = mg.Variable([1000.0, 1.0])
    with mg.GradientTape() as tape:
        e = mg.exp(x)
        p = e / mg.reduce_sum(e)
        y = -mg.math.log(p[0])
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "exp at x[0] = 1000.0 gives inf", "line   p = mg.exp(x)")
def _log_of_what_exp_made_0():
    """log of a probability that is 0 only since exp gave inf: exp must be blamed; with a larger input of log it is nan again."""
    x = mg.Variable([1000.0, 1.0])
    with mg.GradientTape() as tape:
        p = mg.exp(x) / mg.reduce_sum(mg.exp(x))
        y = -mg.math.log(p[1])
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "log at p[0] = 0.0: upstream -1.0 x local derivative inf")
def _log_of_what_a_mask_made_0():
    """log of a probability that a mask of -inf made 0: log must be blamed, since the mask sends back what is finite."""
    x = mg.Variable([2.0, 1.0])
    with mg.GradientTape() as tape:
        e = mg.exp(x + mg.constant([-np.inf, 0.0]))
        p = e / mg.reduce_sum(e)
        y = -mg.math.log(p[0])
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "log at p[0] = 0.0 gives -inf", "the value of log is -inf already")
def _entropy_at_zero():
    """p * log(p) at 0: the infinite value of log must be blamed, and not the product or the sum."""
    p = mg.Variable([0.0, 1.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(p * mg.math.log(p))
    return tape.explain(y, p)


@program(
    "nan",
    "",
    "NOT_FINITE",
    "acos",
    "mg.clip_by_value(mg.clip_by_value(x, -1.0, 1.0), -0.999999, 0.999999)",
    plain=("nan", "", "NOT_FINITE"),
)
def _acos_of_one():
    """acos clipped to exactly 1.0: the slope is infinite at the limit, so the limits in the fix must lie inside it."""
    x = mg.Variable(1.0)
    with mg.GradientTape() as tape:
        y = mg.acos(mg.clip_by_value(x, -1.0, 1.0))
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "where discards this branch, yet divide", "line   r = x / x", "where  y = mg.reduce_sum(mg.where(")
def _where_on_another_line():
    """A division and the where that discards it on two lines: both lines must be shown."""
    x = mg.Variable([0.0, 1.0])
    with mg.GradientTape() as tape:
        r = x / x
        y = mg.reduce_sum(mg.where(mg.math.is_nan(r), 0.0, r))
    return tape.explain(y, x)


@program("nan", "", "NOT_FINITE", "where discards this branch, yet the value of log is -inf there, and 0 times that is nan")
def _where_discards_an_infinite_value():
    """p * log(p) discarded at 0: the value of log makes the slope nan, and the fix must guard the p inside log."""
    p = mg.Variable([0.0, 1.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.where(p > 0.0, p * mg.math.log(p), 0.0))
    return tape.explain(y, p)


@program("nan", "", "NOT_FINITE", "sqrt is where the gradient stops being finite", "mg.maximum(x, 1e-6)")
def _where_takes_the_branch():
    """The square root of 0 in the branch that where takes: no second where may be proposed, which would change nothing."""
    x = mg.Variable(0.0)
    with mg.GradientTape() as tape:
        y = mg.where(x >= 0.0, mg.sqrt(x), 0.0)
    return tape.explain(y, x)
