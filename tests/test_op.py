"""How an op is declared, written out and run; and what it does with lists, dtypes and errors."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.engine import op as engine
from minigrad.engine.op import KERNELS, OPS, Source


def declared(forward, **rules):
    """An op that nobody else knows."""
    return engine.made(forward, "Mine", "", rules)


@pytest.mark.parametrize(
    ("problem", "forward", "rules"),
    [
        ("must come before the attributes", lambda axis, x: x, {"dx": lambda dy: dy}),
        ("a name has two meanings", lambda x: x, {"dx": lambda dx: dx}),
        ("each VJP must begin with dz", lambda x, y: x, {"dx": lambda dz: dz, "dy": lambda dw: dw}),
        ("a VJP asks for other; there is", lambda x: x, {"dx": lambda dz, other: dz}),
        ("no parameter and no VJP knows p", lambda x: x, {"dx": lambda dz: dz, "p": lambda x: x}),
    ],
)
def test_a_declaration_that_breaks_the_naming_law_is_refused(problem, forward, rules):
    with pytest.raises(TypeError, match=problem):
        str(declared(forward, **rules).source)


def test_an_op_is_written_out_at_its_first_call_and_its_lines_are_shown_in_tracebacks():
    import linecache

    def twice(x):
        return x * 2.0

    double = declared(twice, dx=lambda dy: dy * 2.0)
    assert double.__code__ is engine.first_call.__code__ and isinstance(double.source, Source)
    assert float(double(mg.constant(3.0))) == 6.0 == float(double(mg.constant(3.0), name="any"))
    assert linecache.getline(double.__code__.co_filename, 1).startswith("def twice(x, name=None)")
    assert repr(double.source) == str(double.source)


def test_the_table_of_ops_knows_each_by_both_names():
    assert OPS["multiply"] is mg.multiply is KERNELS["Mul"]


def test_a_list_that_holds_tensors_stays_connected_and_takes_the_dtype_that_is_met():
    x = mg.constant(2.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        rows = mg.reduce_sum([[x, 1.0], [3.0, x * x]])
        wide = mg.constant([1.0, 1.0], mg.float64) * [x, 5.0]
    assert (float(rows), float(tape.gradient(rows, x))) == (10.0, 5.0)
    assert wide.dtype == mg.float64 and float(tape.gradient(wide, x)) == 1.0


@pytest.mark.parametrize("given", [(x for x in (1.0, 2.0)), np.array([1.0, 2.0], np.float32), {1.0: 0, 2.0: 0}.keys()])
def test_an_op_that_takes_a_list_takes_whatever_can_be_gone_through(given):
    assert mg.add_n(list(given) if isinstance(given, np.ndarray) else given).numpy() == 3.0


def test_an_op_that_takes_a_list_takes_a_single_value():
    assert mg.add_n([mg.constant(2.0)]).numpy() == 2.0


def test_tensors_of_a_list_must_agree_in_dtype():
    with pytest.raises(mg.errors.InvalidArgumentError, match="expected to be a float tensor but is a double tensor"):
        mg.concat([mg.constant([1.0]), mg.constant([1.0], mg.float64)], 0)


def test_zeros_of_both_signs_are_two_numbers():
    x = mg.constant([1.0])
    assert np.signbit((x * -0.0).numpy()[0]) and not np.signbit((x * 0.0).numpy()[0])


def test_a_failing_forward_function_is_told_in_our_words():
    def fails(x):
        raise ValueError("so it is")

    with pytest.raises(mg.errors.InvalidArgumentError, match=r"so it is \[Op:Mine\] name: "):
        declared(fails, dx=None)(1.0)


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, UnicodeDecodeError("utf-8", b"", 0, 1, "?")])
def test_what_is_no_matter_of_arguments_passes_as_it_is(error):
    def fails(x):
        raise error

    with pytest.raises(error if isinstance(error, type) else type(error)):
        declared(fails, dx=None)(1.0)


def test_a_rule_that_uses_a_function_without_a_twin_says_what_is_missing():
    def forward(x):
        return np.nan_to_num(x)

    odd = declared(forward, dx=lambda dy, x: dy * np.nan_to_num(x))
    x = mg.constant(2.0)
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = odd(x)
        with pytest.raises(TypeError, match="used the NumPy function nan_to_num, which has no op to record it"):
            inner.gradient(y, x)
