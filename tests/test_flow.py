"""tf's control flow and tf.print in eager mode."""

import collections
import re
import sys

import numpy as np
import pytest

import minigrad as mg


def test_only_the_branch_that_is_taken_runs_and_is_recorded():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = mg.cond(x > 1.0, lambda: x * x, lambda: pytest.fail("not taken"))
    assert tape.gradient(y, x).numpy() == 6
    with pytest.raises(TypeError, match="'true_fn' must be callable"):
        mg.cond(True, 1.0, lambda: x)


@pytest.mark.parametrize("pred", [None, print, {}, [], np.zeros(0), [0, 0], [True, False]], ids=repr)
def test_a_branch_is_not_taken_by_what_is_no_truth_value(pred):
    with pytest.raises(ValueError, match=r"Attempt to convert a value|truth value of an"):
        mg.cond(pred, lambda: 1, lambda: 2)
    assert mg.cond([True], lambda: 1, lambda: 2) == 1


def test_case_takes_the_first_condition_that_holds():
    x = mg.constant(3.0)
    assert mg.case([(x > 5.0, lambda: 1), (x > 1.0, lambda: 2), (x > 2.0, lambda: 3)], default=lambda: 4) == 2
    assert mg.case([(x > 5.0, lambda: 1)], default=lambda: 4) == 4
    with pytest.raises(mg.errors.InvalidArgumentError, match="None of conditions evaluated as True"):
        mg.case([(x > 5.0, lambda: 1)])


YES, NO = mg.constant(True), mg.constant(False)


@pytest.mark.parametrize(("pairs", "default", "error", "text"), [
    ([(3 > 2, print)], None, TypeError, "pred must be a Tensor, got: True"),
    ([(mg.Variable(True), print)], None, TypeError, "must be a Tensor, got"), ([(mg.constant(1), print)], None, TypeError, "type bool"),
    ([(YES, 3)], None, TypeError, "must be callable"), ([(YES, print)], 5, TypeError, "'false_fn' must be callable."),
    ([(YES, print, print)], None, TypeError, "Each entry in 'pred_fn_pairs' must be a 2-tuple. Received"),
    ([[YES, print]], None, TypeError, "must be a 2-tuple"), ([], print, ValueError, "not enough values to unpack"),
    (3, print, TypeError, "'pred_fn_pairs' must be a list, tuple, or dict. Received"), ({}, print, ValueError, "Unordered dictionaries"),
])  # fmt: skip
def test_case_takes_tensors_and_functions_alone(pairs, default, error, text):
    with pytest.raises(error) as caught:
        mg.case(pairs, default=default)
    assert text in str(caught.value)


def test_conditions_that_exclude_each_other_do_not_hold_together():
    one, two = lambda: 1, lambda: 2
    assert mg.case([(YES, one), (NO, two)], default=two, exclusive=True) == 1
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"more than 1 conditions \(\?, \?\) evaluated as True:'\nTrue, True"):
        mg.case([(YES, one), (YES, two)], default=two, exclusive=True)
    with pytest.raises(mg.errors.InvalidArgumentError, match="more than 1 conditions"):
        mg.case([(YES, one), (YES, two), (NO, two)], exclusive=True)
    assert mg.case([(YES, one), (YES, two)], exclusive=True) == 1  # TensorFlow does not count the last, which stands for the default


def test_switch_case_sends_unknown_numbers_to_the_default_or_the_last():
    branches = [lambda: "a", lambda: "b"]
    assert mg.switch_case(mg.constant(0), branches) == "a"
    assert mg.switch_case(mg.constant(7), branches) == "b"
    assert mg.switch_case(mg.constant(7), branches, default=lambda: "c") == "c"
    with pytest.raises(TypeError, match="'branch_index' must be a Tensor"):
        mg.switch_case(1, branches)


f = lambda: "f"


@pytest.mark.parametrize(("index", "branches", "error", "text"), [
    (mg.constant(0.0), [f], TypeError, "'branch_index' must be an integer Tensor, got <dtype: 'float32'>"),
    (mg.constant(True), [f, f], TypeError, "must be an integer Tensor"), (mg.Variable(0), [f], TypeError, "must be a Tensor, got"),
    (mg.constant(0), {0: f, 2: f}, ValueError, "branch indices (keys) must form contiguous range of [0 to 2) but found {0,2}"),
    (mg.constant(0), [(0, f), (0, f)], ValueError, "of [0 to 2) but found {0,0}"), (mg.constant(0), {-1: f}, ValueError, "found {-1}"),
    (mg.constant(0), {"a": f}, TypeError, "key must be a Python `int`, got <class 'str'>"),
    (mg.constant(0), [f, (1, f)], TypeError, "Each entry in 'branch_fns' must be a 2-tuple"),
    (mg.constant(0), [(0, 3)], TypeError, "fn for key 0 must be callable."),
    (mg.constant(0), [], ValueError, "Must provide at least one item"), (mg.constant(0), f, TypeError, "must be a list, tuple, or dict"),
])  # fmt: skip
def test_the_branches_of_a_switch_are_numbered_without_gaps(index, branches, error, text):
    with pytest.raises(error) as caught:
        mg.switch_case(index, branches)
    assert text in str(caught.value)
    assert mg.switch_case(mg.constant(0), {1: lambda: "g", 0: f}) == "f"


def test_a_while_loop_is_differentiated_iteration_by_iteration():
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        iterations, y = mg.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, mg.constant(1.0)))
    assert iterations.numpy() == 3
    assert tape.gradient(y, x).numpy() == 12
    _, y = mg.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, mg.constant(1.0)), maximum_iterations=2)
    assert y.numpy() == 4


@pytest.mark.parametrize(("loop_vars", "body", "error"), [
    ([], lambda: (), ValueError), ((0, 1.0), lambda i, y: (i + 1,), ValueError), ([mg.constant(0)], lambda i: i + 1, TypeError),
])  # fmt: skip
def test_a_while_loop_keeps_the_form_of_its_variables(loop_vars, body, error):
    with pytest.raises(error):
        mg.while_loop(lambda i, *_: i < 3, body, loop_vars)


@pytest.mark.parametrize(("first", "later"), [(list, tuple), (tuple, list)])
def test_a_while_loop_that_counts_its_iterations_takes_no_list_for_a_tuple(first, later):
    def loop(made, **most):
        return mg.while_loop(lambda i, y: i < 3, lambda i, y: made([i + 1, y * 2.0]), first([0, mg.constant(1.0)]), **most)

    assert type(loop(later)) is later and type(loop(first, maximum_iterations=5)) is first
    with pytest.raises(TypeError, match="The two structures don't have the same nested structure"):
        loop(later, maximum_iterations=5)


@pytest.mark.parametrize(
    ("fold", "fn", "initial", "error", "told"),
    [
        (mg.foldl, lambda total, n: total + n, 1.0, TypeError, "Cannot convert 1.0 to EagerTensor of dtype int32"),
        (mg.foldr, lambda total, n: (total, n), None, ValueError, "don't have the same nested structure"),
        (mg.foldl, lambda total, n: [total[0], n], (1, 2), TypeError, "don't have the same nested structure"),
        (mg.foldl, lambda total, n: None, None, ValueError, "None"),
        (mg.scan, lambda total, n: n, 1.0, mg.errors.InvalidArgumentError, "float32 but Op is trying to write dtype int32"),
        (mg.scan, lambda total, n: mg.stack([n]), None, ValueError, r"Incompatible shape for value \(\(1,\)\)"),
        (mg.scan, lambda total, n: (total, n), None, ValueError, "don't have the same nested structure"),
    ],
)
def test_accumulated_values_are_of_one_kind(fold, fn, initial, error, told):
    with pytest.raises(error, match=told):
        fold(fn, mg.constant([1, 2, 3]), initializer=initial)


@pytest.mark.parametrize("traced", [True, False])
def test_a_while_loop_in_a_function_has_the_form_of_its_first_variables(traced):
    def loops(n):
        counted = mg.while_loop(lambda i: i < n, lambda i: i + 1, [0])
        pair = mg.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2), [0, 1], maximum_iterations=2)
        other = mg.while_loop(lambda i, y: i < n, lambda i, y: [i + 1, {"a": y["a"] * i}], (0, {"a": 1}))
        zero = mg.while_loop(lambda x: x.dtype != mg.int32, lambda x: x, (0,))
        return (counted, pair, other, zero) if traced else (counted, pair, other, zero, mg.random.uniform([]))

    def values(x):
        return mg.nest.map_structure(lambda one: int(one), x[:4])

    assert values(mg.function(loops)(mg.constant(3))) == ([3], [2, 4], (3, {"a": 0}), (0,))
    assert values(next(iter(mg.data.Dataset.from_tensors(3).map(lambda n: loops(n)[2])))) == (3, {"a": 0})
    for wrong in (lambda i, y: i + 1, lambda i, y: (i,)):
        with pytest.raises(ValueError, match="don't have the same nested structure"):
            mg.function(lambda wrong=wrong: mg.while_loop(lambda i, y: i < 3, wrong, [0, 1]))()
    with pytest.raises(TypeError):
        loops(mg.constant(3))


def test_a_while_loop_is_given_the_value_of_a_variable():
    v = mg.Variable(3.0)

    def body(i, state):
        assert isinstance(state["x"], mg.Tensor)
        v.assign(100.0)
        return i + 1, {"x": state["x"] * 2.0}

    with mg.GradientTape() as tape:
        _, state = mg.while_loop(lambda i, _: i < 2, body, (0, {"x": v}))
    assert state["x"].numpy() == 12
    assert tape.gradient(state["x"], v).numpy() == 4


def test_map_fn_stacks_what_the_function_returns():
    x, y = mg.constant([[1.0, 2.0], [3.0, 4.0]]), mg.constant([[1.0, 0.0], [0.0, 1.0]])
    assert mg.map_fn(lambda pair: pair[0] * pair[1], (x, y), fn_output_signature=mg.float32).numpy().tolist() == [[1, 0], [0, 4]]
    assert mg.map_fn(lambda row: row > 1.5, x, fn_output_signature=mg.bool).numpy().tolist() == [[False, True], [True, True]]
    sums = mg.map_fn(lambda row: {"sum": mg.reduce_sum(row)}, x, fn_output_signature={"sum": mg.float32})
    assert sums["sum"].numpy().tolist() == [3, 7]
    assert mg.vectorized_map(lambda row: (row, row > 1.5), x)[1].numpy().tolist() == [[False, True], [True, True]]


@pytest.mark.parametrize(("f", "elems", "error", "text"), [
    (lambda row: row > 0, [[1.0]], mg.errors.InvalidArgumentError, "TensorArray dtype is float32 but Op is trying to write dtype bool"),
    (lambda row: (row, row), [[1.0]], ValueError, "don't have the same nested structure"),
    (lambda row: row, 1.0, ValueError, "Elements in elems must be 1+ dimensional Tensors, not scalars"),
])  # fmt: skip
def test_map_fn_refuses_another_form_or_dtype(f, elems, error, text):
    with pytest.raises(error, match=text.replace("+", r"\+")):
        mg.map_fn(f, mg.constant(elems))


SPEC = mg.TensorSpec


@pytest.mark.parametrize(("f", "signature", "expected"), [
    (lambda x: x * 2.0, SPEC([], mg.float32), [2, 4]), (lambda x: x, SPEC(None, "float32"), [1, 2]),
    (lambda x: (x, {"a": x > 1.5}), (mg.float32, {"a": SPEC([], mg.bool)}), ([1, 2], {"a": [False, True]})),
])  # fmt: skip
def test_map_fn_is_told_what_comes_by_specs(f, signature, expected):
    found = mg.map_fn(f, mg.constant([1.0, 2.0]), fn_output_signature=signature)
    assert mg.nest.map_structure(lambda y: y.numpy().tolist(), found) == expected


@pytest.mark.parametrize(("f", "options", "text"), [
    (lambda x: x, {"fn_output_signature": SPEC([3])}, "Incompatible shape for value (()), expected ((3,))"),
    (lambda x: [x], {"fn_output_signature": [SPEC([None])]}, "Incompatible shape for value (()), expected ((None,))"),
    (lambda x: mg.ones([int(x)]), {}, "Incompatible shape for value ((2,)), expected ((1,))"),
    (lambda x: mg.ones([int(x)]), {"fn_output_signature": SPEC([None])}, "Incompatible shape for value ((2,)), expected ((1,))"),
])  # fmt: skip
def test_map_fn_refuses_another_shape(f, options, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        mg.map_fn(f, mg.constant([1.0, 2.0]), **options)


def test_map_fn_leaves_shapes_to_the_stack_if_it_shall_not_infer_them():
    with pytest.raises(mg.errors.InvalidArgumentError, match="Shapes of all inputs must match"):
        mg.map_fn(lambda x: mg.ones([int(x)]), mg.constant([1.0, 2.0]), infer_shape=False)


def test_a_map_over_nothing_has_the_shape_of_its_spec():
    nothing = mg.zeros([0, 2])
    assert mg.map_fn(lambda x: x, nothing, fn_output_signature=SPEC([3], mg.int32)).shape == (0, 3)
    assert mg.map_fn(lambda x: x, nothing).shape == (0,)
    with pytest.raises(ValueError, match=r"not compatible with supplied shape \(0, None\)"):
        mg.map_fn(lambda x: x, nothing, fn_output_signature=SPEC([None]))


@pytest.mark.parametrize("elems", [[], (), {}, [[]]], ids=repr)
def test_there_must_be_a_tensor_to_map_over(elems):
    for mapped in (mg.map_fn, mg.vectorized_map):
        with pytest.raises(ValueError, match="elems must be a Tensor or"):
            mapped(lambda x: x, elems)


def test_folds_go_from_one_end_to_the_other_and_scan_keeps_every_step():
    x = mg.constant([1.0, 2.0, 3.0])
    assert mg.foldl(lambda total, t: total * 2.0 + t, x).numpy() == 11
    assert mg.foldr(lambda total, t: total * 2.0 + t, x).numpy() == 17
    assert mg.foldl(lambda total, t: total + t, x, initializer=10.0).numpy() == 16
    assert mg.foldl(lambda total, t: total + t, x, initializer=np.float64(1.0)).dtype == mg.float32
    assert mg.foldr(lambda total, t: 5, x).dtype == mg.int32
    assert mg.scan(lambda total, t: total + t, x).numpy().tolist() == [1, 3, 6]
    assert mg.scan(lambda total, t: total + t, x, reverse=True).numpy().tolist() == [6, 5, 3]
    sums, products = mg.scan(lambda totals, t: (totals[0] + t, totals[1] * t), x, initializer=(0.0, 1.0))
    assert sums.numpy().tolist() == [1, 3, 6]
    assert products.numpy().tolist() == [1, 2, 6]


PRINTED = [
    (1.5, "1.5"), ([1.0, 2.5], "[1 2.5]"), ([[1.0, 2.0], [3.0, 4.5]], "[[1 2]\n [3 4.5]]"), (list(range(10)), "[0 1 2 ... 7 8 9]"),
    ([True, False], "[1 0]"), ("a", "a"), (["a", "bc"], '["a" "bc"]'), ([1 / 3, 0.1, 1e10], "[0.333333343 0.1 1e+10]"),
    ([float("nan"), float("-inf")], "[nan -inf]"), (np.float64(1 / 3), "0.33333333333333331"), (np.zeros([0]), "[]"),
    (np.arange(8.0).reshape(2, 2, 2), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
    (np.zeros([8, 2]), "[[0 0]\n [0 0]\n [0 0]\n ...\n [0 0]\n [0 0]\n [0 0]]"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_print_shows_tensors_in_short(value, text, capsys):
    mg.print(mg.constant(value))
    assert capsys.readouterr().err == text + "\n"


def test_print_takes_anything_and_goes_where_it_is_told(capsys, tmp_path):
    mg.print("loss:", mg.constant(2.0), 3, None, {"w": [mg.constant([1, 2]), "b"]}, (1,), output_stream=sys.stdout)
    mg.print(mg.range(30), summarize=1, sep="|", end="END", output_stream=sys.stdout)
    mg.print(mg.Variable(1.0), output_stream=f"file://{tmp_path}/log")
    assert capsys.readouterr().out == "loss: 2 3 None {'w': [[1 2], 'b']} (1,)\n[0 ... 29]END"
    assert (tmp_path / "log").read_text() == "1\n"
    with pytest.raises(ValueError, match="Unsupported output stream"):
        mg.print(1, output_stream=3)


Pair, TEXT = collections.namedtuple("Pair", "x y"), mg.constant("abc")
IN_NESTS = [
    (["name:", TEXT], 'name: "abc"'), ([TEXT, TEXT], '"abc" "abc"'), ([mg.Variable("v")], "v"), ([[TEXT, "x"]], "[\"abc\", 'x']"),
    ([{"b": mg.constant(1), "a": TEXT}], "{'a': \"abc\", 'b': 1}"), ([{"b": {"d": 1, "c": 2}, "a": 3}], "{'a': 3, 'b': {'c': 2, 'd': 1}}"),
    ([Pair(mg.constant(1), TEXT)], 'Pair(x=1, y="abc")'), ([[Pair(1, Pair(2, [3]))]], "[Pair(x=1, y=Pair(x=2, y=[3]))]"),
    ([collections.defaultdict(int, a=mg.constant(1))], "defaultdict(<class 'int'>, {'a': 1})"),
    ([range(3), {"a": 1}.keys()], "[0, 1, 2] ['a']"), ([mg.constant(["it's", 'a"b'])], '["it\\\'s" "a\\"b"]'),
    (["x", mg.constant("a\nb\t\\\x00é")], 'x "a\\nb\\t\\\\\\000é"'),
    ([mg.constant("a\nb")], "a\nb"), ([mg.constant([b"a\x00"])], '["a\\000"]'),
    ([["x" * 50, mg.constant(["y" * 50])]], f"['{'x' * 50}', [\"{'y' * 50}\"]]"), (["{}", mg.constant(1), ["{}"]], "{} 1 ['{}']"),
    ([[mg.constant(1)] * 20], "[" + ",\n ".join("1" * 20) + "]"), ([], ""),
]  # fmt: skip


@pytest.mark.parametrize(("inputs", "text"), IN_NESTS, ids=[text for _, text in IN_NESTS])
def test_print_writes_texts_and_nests_as_tensorflow_does(inputs, text, capsys):
    mg.print(*inputs)
    assert capsys.readouterr().err == text + "\n"


def test_print_shows_an_ordered_dict_in_its_order(capsys):  # where TensorFlow mixes up its values
    ordered = collections.OrderedDict([("b", mg.constant(1)), ("a", mg.constant(2))])
    mg.print(ordered)
    assert capsys.readouterr().err == repr(collections.OrderedDict([("b", 1), ("a", 2)])) + "\n"


def test_print_knows_its_options(capsys, tmp_path):
    mg.print(mg.range(20), summarize=None, end=None)
    assert capsys.readouterr().err == "[0 1 2 ... 17 18 19]\n"
    with pytest.raises(ValueError, match=r"Unrecognized keyword arguments for mg.print: \{'file': 3\}"):
        mg.print(1, file=3)
    with pytest.raises(mg.errors.NotFoundError, match="No such file or directory"):
        mg.print(1, output_stream=f"file://{tmp_path}/no/such")
    mg.print(mg.constant("é"), output_stream=f"file://{tmp_path}/log")
    assert (tmp_path / "log").read_bytes() == "é\n".encode()


def test_gradients_of_graphs_are_refused_and_the_tape_is_named():
    with pytest.raises(RuntimeError, match=r"not supported when eager execution is enabled. Use mg.GradientTape instead."):
        mg.gradients(mg.constant(1.0), [mg.constant(1.0)], stop_gradients=None)


def test_what_only_graphs_need_does_nothing():
    assert mg.no_op() is None
    assert mg.group(mg.constant(1.0)) is None
    with mg.control_dependencies([mg.constant(1.0)]):
        assert mg.constant(2.0).numpy() == 2


def test_mapping_over_nothing_gives_nothing_of_the_right_form_that_is_connected():
    x = mg.Variable(np.zeros((0, 3), np.float32))
    with mg.GradientTape() as tape:
        total, row = mg.vectorized_map(lambda row: (mg.reduce_sum(row), row), x)
    assert total.shape == (0,)
    assert row.shape == (0, 3)
    assert tape.gradient([total, row], x).shape == (0, 3)


def test_complex_numbers_are_counted_and_no_truths_are_nothing_as_tensorflow_prints_them(capsys):
    z = mg.zeros([2, 3], mg.complex64)
    mg.print(z, z[:1, :1], z[:0], output_stream=sys.stdout)
    mg.print(z, output_stream=sys.stdout, summarize=-1)
    mg.print("a", mg.zeros([2, 0], mg.bool), output_stream=sys.stdout)
    assert capsys.readouterr().out == "[? ? ?...] [?] []\n[? ? ? ? ? ?]\na \n"


def test_a_complex_number_is_printed_as_tensorflow_prints_it(capsys):
    mg.print(mg.constant([1.0 + 2.0j]), output_stream=sys.stdout)
    assert capsys.readouterr().out == "[?]\n"


# ---- functions of Python -------------------------------------------------------------------------------------------


def test_a_python_function_is_differentiated_as_one_op():
    x, y = mg.Variable(3.0), mg.constant(2.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(y)
        cube = mg.py_function(lambda a: a * a * a, [x], mg.float32)
        pair = mg.py_function(lambda a, b: (a * b, a + b), [x, y], [mg.float32, mg.float32])
        outside = mg.py_function(lambda a: a * x, [y], mg.float32)
        plain = mg.py_function(lambda a: a.numpy() * 2, [x], mg.float32)
        whole = mg.py_function(lambda a: mg.cast(a, mg.int32), [x], mg.int32)
    assert tape.gradient(cube, x).numpy() == 27
    assert [dx.numpy() for dx in tape.gradient(pair, [x, y])] == [3, 4]
    assert tape.gradient(pair[0], x).numpy() == 2
    assert tape.gradient(outside, x) is None  # it is not in `inp`
    assert tape.gradient(outside, y).numpy() == 3
    assert [tape.gradient(y, x).numpy() for y in (plain, whole)] == [0, 0]


def test_a_python_function_has_jacobians_and_no_second_derivative():
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as outer, mg.GradientTape(persistent=True) as tape:
        y = mg.py_function(lambda a: a * a, [x], mg.float32)
        slope = tape.gradient(y, x)
    assert tape.jacobian(y, x).numpy().tolist() == [[2, 0], [0, 4]]
    assert outer.gradient(slope, x) is None


@pytest.mark.parametrize(
    ("function", "wanted", "expected"),
    [
        (lambda: 3, mg.float64, "<mg.Tensor: shape=(), dtype=float64, numpy=3.0>"),
        (lambda: "a", mg.string, "<mg.Tensor: shape=(), dtype=string, numpy=b'a'>"),
        (lambda: 1, [mg.int32], "[<mg.Tensor: shape=(), dtype=int32, numpy=1>]"),
        (lambda: (1, "a"), (mg.int32, mg.string), f"[{mg.constant(1)!r}, {mg.constant('a')!r}]"),
        (lambda: 2.5, mg.TensorSpec([], mg.float32), "<mg.Tensor: shape=(), dtype=float32, numpy=2.5>"),
        (lambda: None, [], "[]"),
    ],
)  # fmt: skip
def test_what_a_python_function_returns_has_the_dtypes_that_were_said(function, wanted, expected):
    assert repr(mg.py_function(function, [], wanted)) == expected


def test_a_python_function_is_given_tensors():
    assert mg.py_function(lambda x: type(x).__name__, [mg.Variable(1.0)], mg.string).numpy() == b"Tensor"
    assert mg.py_function(lambda: 2.5, [], "float64").dtype == mg.float64
    with pytest.raises(TypeError, match="float99"):  # of what asks, not of the function
        mg.py_function(lambda: 2.5, [], "float99")
    doubled = mg.data.Dataset.range(3).map(lambda x: mg.py_function(lambda v: v * 2, [x], mg.int64))
    assert [int(x) for x in doubled] == [0, 2, 4]


@pytest.mark.parametrize(
    ("function", "wanted", "error", "text"),
    [
        (lambda: mg.constant(1), mg.float32, mg.errors.InvalidArgumentError, "ValueError: Tensor conversion requested dtype float32"),
        (lambda: float("x"), mg.float32, mg.errors.InvalidArgumentError, "ValueError: could not convert"),
        (lambda x: x, mg.float32, mg.errors.InvalidArgumentError, r"TypeError: <lambda>\(\) missing 1 required"),
        (lambda: 1 / 0, mg.float32, mg.errors.UnknownError, "ZeroDivisionError: division by zero"),
        (lambda: None, mg.float32, mg.errors.InvalidArgumentError, "returns 0 values, but expects to see 1 values. "),
        (lambda: 1, None, TypeError, "Missing required argument: 'Tout'"),
        (3, mg.float32, ValueError, "Expected func to be callable. Received func=3"),
    ],
)
def test_what_goes_wrong_in_a_python_function_is_told(function, wanted, error, text):
    with pytest.raises(error, match=text):
        mg.py_function(function, [], wanted)
