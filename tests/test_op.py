"""How an op is declared, written out and run; and what it does with lists, dtypes and errors."""

import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad.engine.op import KERNELS, Source, first_call, made
from minigrad.engine.op import op as declare
from minigrad.engine.operands import OPS
from minigrad.engine.rules import NUMPY_TWINS


def declared(forward, **vjps):
    """An op that nobody else knows."""
    return made(forward, "Mine", "", vjps)


@pytest.mark.parametrize(
    ("problem", "forward", "vjps"),
    [
        ("must come before attributes", lambda axis, x: x, {"dx": lambda dy: dy}),
        ("a name has two meanings", lambda x: x, {"dx": lambda dx: dx}),
        ("each VJP must begin with dz", lambda x, y: x, {"dx": lambda dz: dz, "dy": lambda dw: dw}),
        ("a VJP asks for other; there is", lambda x: x, {"dx": lambda dz, other: dz}),
        ("p= is no VJP", lambda x: x, {"dx": lambda dz: dz, "p": lambda x: x}),
    ],
)
def test_a_declaration_that_breaks_the_naming_law_is_refused(problem, forward, vjps):
    with pytest.raises(TypeError, match=problem):
        str(declared(forward, **vjps).source)


def test_an_op_is_written_out_at_its_first_call_and_its_lines_are_shown_in_tracebacks():
    import linecache

    def twice(x):
        return x * 2.0

    double = declared(twice, dx=lambda dy: dy * 2.0)
    assert double.__code__ is first_call.__code__ and isinstance(double.source, Source)
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


def test_a_forward_function_that_warns_is_run_again_without_warnings():
    def warns(x):
        warnings.warn("mean of nothing", RuntimeWarning, stacklevel=1)
        return x * 2.0

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("error")
        assert float(declared(warns, dx=None)(3.0)) == 6.0
    assert not heard


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, UnicodeDecodeError("utf-8", b"", 0, 1, "?")])
def test_what_is_no_matter_of_arguments_passes_as_it_is(error):
    def fails(x):
        raise error

    with pytest.raises(error if isinstance(error, type) else type(error)):
        declared(fails, dx=None)(1.0)


def test_a_vjp_that_uses_a_function_without_a_twin_says_what_is_missing():
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


# ---- names and twins -----------------------------------------------------------------------------------------------


def test_a_declaration_may_use_the_names_that_the_engine_uses():
    def forward(tracked, listener_, tracked_):
        return tracked * listener_ * tracked_

    def slopes(name):
        others = {"tracked": "listener_ * tracked_", "listener_": "tracked * tracked_", "tracked_": "tracked * listener_"}[name]
        return eval(f"lambda dwrite, {others.replace(' * ', ', ')}: dwrite * {others}")

    odd = declared(forward, dtracked=slopes("tracked"), dlistener_=slopes("listener_"), dtracked_=slopes("tracked_"))
    values = [mg.constant(one) for one in (2.0, 3.0, 5.0)]
    with mg.GradientTape() as tape:
        tape.watch(values)
        y = odd(*values)
    assert [float(one) for one in (y, *tape.gradient(y, values))] == [30.0, 15.0, 10.0, 6.0]


@pytest.mark.parametrize("word", ["this", "forward", "Tensor", "convert", "listening", "live", "write", "dtype", "k", "float32", "next_id"])
def test_an_input_may_have_any_name(word):
    namespace = {}
    exec(f"def twice({word}, type): return {word} * type", namespace)
    vjps = {f"d{word}": eval("lambda dz, type: dz * type"), "dtype": eval(f"lambda dz, {word}: dz * {word}")}
    odd, x, y = declared(namespace["twice"], **vjps), mg.constant(2.0), mg.constant(7.0)
    with mg.GradientTape() as tape:
        tape.watch([x, y])
        z = odd(x, y)
    assert [float(one) for one in (z, *tape.gradient(z, [x, y]))] == [14.0, 7.0, 2.0]


UFUNCS = sorted(
    {one for one in vars(np).values() if isinstance(one, np.ufunc) and one.nin <= 2 and one.nout == 1}, key=lambda one: one.__name__
)
POINTS = [  # inside of every domain, on both sides of 0, and beyond
    [np.array(one, np.float32) for one in pair]
    for pair in (([0.3, 0.7, 0.2], [0.6, 0.4, 0.9]), ([-1.5, 2.5, 2.0], [2.0, -2.0, 3.0]), ([np.nan, 1.0], [1.0, np.nan]))
]


def values_of(function, count):
    """What a function gives at the points, as bytes: so that zeros of both signs differ; None if it is no function of floats."""
    with np.errstate(all="ignore"):
        try:
            found = [np.asarray(function(*points[:count])) for points in POINTS]
        except Exception:
            return None
    whole = all(value.dtype == np.float32 and value.shape == points[0].shape for value, points in zip(found, POINTS))
    return [np.where(np.isnan(value), np.float32(np.nan), value).tobytes() for value in found] if whole else None


def ops_like(ufunc):
    """The ops that compute what a ufunc computes, and nothing more."""
    wanted, found = values_of(ufunc, ufunc.nin), []
    for op in OPS.values():
        inputs = [d for d in op.vjps if d[1:] in op.__wrapped__.__code__.co_varnames]
        alike = len(inputs) == op.__wrapped__.__code__.co_argcount == ufunc.nin and "f" in (op.kinds or "f")
        if wanted is not None and alike and values_of(op.__wrapped__, ufunc.nin) == wanted:
            found.append(op)
    return found


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda one: one.__name__)
def test_a_vjp_may_use_each_ufunc_of_which_there_is_an_op(ufunc):
    ops = ops_like(ufunc)
    if not ops:
        return
    assert ufunc in NUMPY_TWINS, f"declare {' or '.join(op.__name__ for op in ops)} with twin=np.{ufunc.__name__}"
    twin = NUMPY_TWINS[ufunc]
    assert values_of(lambda *xs: twin(*[mg.constant(x) for x in xs]).numpy(), ufunc.nin) == values_of(ufunc, ufunc.nin)


def test_most_ufuncs_of_floats_have_an_op():
    assert sum(bool(ops_like(ufunc)) for ufunc in UFUNCS) > 30


@pytest.mark.parametrize("ufunc", [np.greater, np.isnan, np.logical_and, np.signbit, np.not_equal], ids=lambda one: one.__name__)
def test_truth_values_are_constants_in_a_vjp_that_is_recorded(ufunc):
    def forward(x):
        return x * x

    def vjp(dy, x):
        return dy * 2.0 * x * (1.0 + 0.0 * ufunc(*[x, x + 1.0][: ufunc.nin]))

    odd, x = declared(forward, dx=vjp), mg.constant([1.5, -2.0])
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = odd(x)
        slope = inner.gradient(y, x)
    assert outer.gradient(slope, x).numpy().tolist() == [2.0, 2.0]


def test_a_parameter_called_name_needs_no_default():
    def forward(x, name):
        return x * 2.0

    assert float(declared(forward, dx=lambda dz: dz * 2.0)(mg.constant(3.0), "any")) == 6.0


def test_k_has_one_meaning_beside_a_list_of_inputs():
    def forward(xs: list, k=10):
        return sum(xs) * k

    with pytest.raises(TypeError, match="a name has two meanings"):
        str(declared(forward, dxs=lambda dz, k: dz * k).source)


@pytest.mark.parametrize("default", [np.float32, len, np.arange(3.0), mg.constant(2.0)], ids=["type", "function", "array", "Tensor"])
def test_a_default_may_be_anything(default):
    def forward(x, extra=default):
        assert extra is default
        return x * 2.0

    assert float(declared(forward, dx=lambda dz: dz * 2.0)(mg.constant(3.0))) == 6.0


def test_an_op_without_its_name_is_refused_where_it_is_declared():
    with pytest.raises(TypeError, match="needs the op's name and its VJPs"):

        @declare
        def forward(x):
            return x


def test_an_op_of_a_user_takes_no_name_from_one_of_the_package():
    ours = OPS["reshape"]

    @declare("Mine", dx=lambda dz: dz)
    def reshape(x):
        return x

    assert OPS["reshape"] is ours and reshape is not ours


def test_a_star_brings_what_tab_offers_and_nothing_else():
    space = {}
    exec("from minigrad import *", space)
    assert {*space} - {"__builtins__"} == {*dir(mg)}


@pytest.mark.parametrize(("x", "y"), [(True, 2.0), (True, False), (3.0, True), (2, True)])
def test_the_operator_multiplies_truth_values_which_the_op_refuses(x, y):
    x, y = mg.constant(x), mg.constant(y)
    product = x * y
    assert product.dtype == mg.bool and bool(product) == (bool(x) and bool(y))
    with pytest.raises(mg.errors.InvalidArgumentError):
        mg.multiply(x, y)


@pytest.mark.parametrize("reduce", [np.sum, np.mean, np.max, np.min, np.prod, np.squeeze, np.add.reduce], ids=lambda one: one.__name__)
def test_a_vjp_that_reduces_can_be_recorded(reduce):
    def forward(x):
        return x * x

    scale = {"axis": 1, "keepdims": True} if reduce is not np.squeeze else {"axis": 2}

    def vjp(dy, x):
        return dy * x * (reduce(x if reduce is not np.squeeze else np.expand_dims(x, 2), **scale) * 0.0 + 2.0)

    odd, x = declared(forward, dx=vjp), mg.constant([[1.5, -2.0]])
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = odd(x)
        slope = inner.gradient(y, x)
    assert outer.gradient(slope, x).numpy().tolist() == [[2.0, 2.0]]
