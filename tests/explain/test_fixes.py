"""The line that explain proposes runs, and its gradient is whole and finite; where no line would run, words stand in its place."""

import linecache
import sys
import types

import numpy as np
import pytest

import minigrad as mg
from minigrad.explain import trial
from minigrad.tracing import checkpoint


def test_of_several_places_each_keeps_its_last_guess_when_it_has_no_more(monkeypatch):
    tried, guess = [], lambda name: types.SimpleNamespace(edits=[name])
    monkeypatch.setattr(trial, "is_right", lambda q, edits, safe: tried.append(edits))
    question = types.SimpleNamespace(experiment=types.SimpleNamespace(slopes=[1.0]), targets=[])
    assert trial.fitting(question, [[guess("a")], [guess("b"), guess("c")]]) is None
    assert tried == [["a", "b"], ["a", "c"]]


PAIR, ROW, NUMBER = "x = mg.Variable([1.0, 2.0])", "x = mg.Variable([[1.0, 2.0]])", "x = mg.Variable(2.0)"
FIXED = [  # a beginning, a line, and the same line fixed
    (PAIR, "y = mg.math.log(x.numpy())", "y = mg.math.log(x)"),
    (ROW, "y = mg.reduce_sum(np.concatenate((x, x * 2), axis=1)**2)", "mg.concat((x, x * 2), axis=1)**2"),
    (PAIR, "y = mg.reduce_sum(x) * x.numpy()[x.numpy() > 1.5]", "mg.reduce_sum(x) * x[x > 1.5]"),
    (PAIR, "y = np.array(x) * x", "y = x * x"),
    (PAIR, "y = x.numpy().mean() * x[0]", "y = mg.reduce_mean(x) * x[0]"),
    (PAIR, "y = float(x.numpy().std(axis=0) + x.numpy().max()) * x", "y = (mg.math.reduce_std(x, axis=0) + mg.reduce_max(x)) * x"),
    (PAIR, "y = mg.constant(x.numpy().tolist()) * x", "y = x * x"),
    (PAIR, "y = x.numpy()[0].item() * x[1]", "y = x[0] * x[1]"),
    (PAIR, "y = x / np.linalg.norm(x)", "x / mg.norm(x)"),
    (PAIR + "; w = mg.Variable([3.0, 4.0])", "y = mg.constant(np.dot(w,x))", "y = mg.tensordot(w, x, 1)"),
    (PAIR, "y = x * mg.constant(float(np.mean(x)))", "y = x * mg.reduce_mean(x)"),
    (NUMBER, "y = x * np.linspace(0.0, float(x), 5)", "mg.linspace(0.0, x, 5)"),
    (NUMBER, "y = x * mg.constant(float(x))", "y = x * x"),
    (NUMBER, "y = x - float(2.0 * x - 1.0)", "y = x - (2.0 * x - 1.0)"),
    (NUMBER, "y = np.add(x, 3.0) * x", "mg.add(x, 3.0) * x"),
    (NUMBER, "y = x * np.arctan2(x, 3.0) + np.arcsinh(x)", "y = x * mg.atan2(x, 3.0) + mg.asinh(x)"),
    (NUMBER, "y = x * np.mean([float(x), 1.0])", "x * mg.reduce_mean([x, 1.0])"),
    (PAIR, "y = mg.reduce_sum(mg.constant([float(v) ** 2 for v in x]))", "mg.reduce_sum(mg.stack([v ** 2 for v in x]))"),
    ("from math import exp; import minigrad as tf; x = tf.Variable(2.0)", "y = x * exp(x)", "y = x * tf.exp(x)"),
]


def run_line(line, beginning):
    """The Explanation of dy/dx, and y, after a line under a tape; the beginning may call us tf."""
    us = "tf" if "tf" in beginning else "mg"
    text = f"""
import math
import numpy as np
import minigrad as {us}
{beginning}
with {us}.GradientTape() as tape:
    {line}
answer = tape.explain(y, x)
"""
    file, space = f"<line {text}>", {}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    return space["answer"], np.asarray(space["y"])


@pytest.mark.variants
@pytest.mark.parametrize(("beginning", "line", "part"), FIXED, ids=[line for _, line, _ in FIXED])
def test_a_fixed_line_runs_and_is_whole(beginning, line, part):
    before, value = run_line(line, beginning)
    assert before.codes[0] == "LEFT_ENGINE", f"\n{before}"
    _, colon, new = before.causes[0].fix.partition(": ")
    assert colon
    assert part in new
    after, same = run_line(new, beginning)
    assert after.status == "complete", f"\n{after}"
    assert np.allclose(value, same)


@pytest.mark.parametrize(
    "line",
    [
        "y = mg.reduce_sum(np.vstack([x, x * 2]))",
        "y = x * np.dot(np.ones((3, 2)), x)[0]",
        "y = mg.reduce_sum(mg.matmul(x[None], x.numpy()[None].T))",
        "y = mg.reduce_sum(np.concatenate([x, x * 2]) ** 2)",
        "y = mg.reduce_sum(np.clip(x, a_min=0.5, a_max=1.5))",
        "y = x * x.numpy().reshape(2, 1)",
        "y = np.std(x, ddof=1) * x",
        "y = x * np.interp(float(x[0]), [0.0, 4.0], [1.0, 3.0])",
        "y = x * x.numpy()[[1, 0]]",
        "y = x * math.log(float(x[0]) + 1.0, 2)",
        "y = x * float(f'{float(x[0]):.4f}')",
    ],
)
def test_words_stand_where_no_line_is_right(line):
    answer, _ = run_line(line, PAIR)
    assert answer.status in ("partial", "none")
    assert answer.causes[0].fix.startswith("keep x"), f"\n{answer}"
    assert not answer.fixed


def test_what_an_object_keeps_of_a_variable_stays_as_it_was():
    answer, _ = run_line("kept.append(float(x)); y = x * sum(kept)", NUMBER + "; kept = []")
    assert "kept.append(mg.identity(x))" in answer.fixed


def test_the_fixed_source_is_the_whole_block():
    answer, _ = run_line("y = x * x.numpy()", PAIR)
    assert answer.fixed == "with mg.GradientTape() as tape:\n    y = x * x"


def test_a_fix_of_state_renames_what_is_read_later():
    answer, _ = run_line("total.assign_add(x); y = total * 3.0", NUMBER + "; total = mg.Variable(1.0)")
    assert "new_total = total + x; total.assign(new_total)" in answer.fixed
    assert "y = new_total * 3.0" in answer.fixed
    assert answer.rows()[-1] == ("then", "y = new_total * 3.0")


def test_a_fix_of_state_ends_with_the_block_of_the_tape():
    x, w = mg.Variable(3.0), mg.Variable(2.0)
    with mg.trace():
        with mg.GradientTape() as tape:
            w.assign(x * 2.0)
            for _ in range(2):
                z = w * x
            y = z + w
        answer = tape.explain(y, x)
        with mg.GradientTape():
            y = w * w
    assert [row[1] for row in answer.rows() if row[0] == "then"] == ["z = new_w * x", "y = z + new_w"]


@pytest.mark.parametrize(
    ("block", "fix"),
    [
        ("if float(x) > 1.0:\n        s.assign_add(x)\n    y = s * x", ""),
        ("try:\n        s.assign_add(x)\n    except ValueError:\n        pass\n    y = s * x", ""),
        ("for _ in range(int(x)):\n        s.assign_add(x)\n    y = s * x", ""),
        ("s.assign_add(x)\n    def later():\n        return s * x\n    y = later()", ""),
        ("if float(x) > 1.0:\n        s.assign_add(x)\n        y = s * x", "new_s = s + x; s.assign(new_s)"),
        ("new_s = 5.0\n    s.assign_add(x)\n    y = s * x * new_s", "new_new_s = s + x; s.assign(new_new_s)"),
        ("s.assign_add(x)\n    y = s * x", "new_s = s + x; s.assign(new_s)"),
    ],
)
def test_a_fix_of_state_makes_a_name_that_is_free_and_used_only_where_it_is_known(block, fix):
    answer, _ = run_line(block, f"{NUMBER}; s = mg.Variable(1.0)")
    assert answer.codes[:1] == ("STATE",)
    assert (fix in answer.fixed) if fix else not answer.fixed


def test_a_fix_of_state_leaves_the_name_of_another_cell_alone():
    answer, _ = run_line("s.assign_add(x); y = s * x", f"{NUMBER}; s = mg.Variable(1.0); globals()['new_s'] = 7")
    assert "new_new_s = s + x; s.assign(new_new_s)" in answer.fixed


@pytest.mark.parametrize(("raw", "fix"), [("", r": y = x * f(x, '''two\n      lines''')"), ("r", " here, without float")])
def test_a_text_of_several_lines_stays_what_it_is(raw, fix):
    answer, _ = run_line(f"y = x * f(float(x), {raw}'''two\n      lines''')", f"f = lambda v, text: v * len(text); {NUMBER}")
    assert answer.causes[0].fix == f"keep x a tensor{fix}"
    assert "two\\n      lines" in answer.causes[0].line
    assert bool(answer.fixed) == (not raw)


BAD_POINTS = {"log": 0.0, "sqrt": 0.0, "rsqrt": 0.0, "reciprocal": 0.0, "acos": 1.0, "asin": -1.0, "atanh": 1.0, "exp": 1000.0,
    "sinh": 1000.0, "cosh": -1000.0, "expm1": 1000.0, "acosh": 1.0, "log1p": -1.0, "lgamma": 0.0, "digamma": 0.0}  # fmt: skip


@pytest.mark.parametrize("name", BAD_POINTS)
def test_the_fix_of_an_op_makes_its_gradient_finite(name):
    x, op = mg.Variable(BAD_POINTS[name]), getattr(mg, name, None) or getattr(mg.math, name)
    with mg.trace():
        with mg.GradientTape() as tape:
            y = op(x) * 3.0
        fix = tape.explain(y, x).causes[0].fix.partition("for example with ")[2].partition("; ")[0]
        with mg.GradientTape() as tape:
            y = op(eval(fix)) * 3.0
    assert np.isfinite(tape.gradient(y, x))


@pytest.mark.parametrize("name", ["norm", "math.reduce_std"])
def test_the_fix_of_a_length_makes_its_gradient_finite(name):
    x, space = mg.Variable([0.0, 0.0]), {"mg": mg}
    with mg.trace(), mg.GradientTape() as tape:
        y = eval(f"mg.{name}(x)", {**space, "x": x})
    fix = tape.explain(y, x).causes[0].fix.partition("for example with ")[2]
    with mg.GradientTape() as tape:
        y = eval(fix, {**space, "x": x})
    assert np.isfinite(tape.gradient(y, x)).all()


@pytest.mark.parametrize(("base", "power"), [(-1e20, 4), (-1.2e6, 8), (900.0, 20), (1.5, 300)])
def test_a_power_that_overflows_is_not_fixed_with_maximum(base, power):
    w = mg.Variable(base)
    with mg.trace(), mg.GradientTape() as tape:
        y = w**power
    assert tape.explain(y, w).causes[0].fix == "keep the input of pow smaller: it is too large for its dtype"


@pytest.mark.parametrize(
    ("op", "given", "fix", "example"),
    [
        (lambda w: w**-1.0, 0.0, "the input of pow away from there", "mg.where(mg.abs(w) < 1e-6, 1e-6, w)"),
        (lambda w: w**0.5, -2.0, "the input of pow away from there", "mg.maximum(w, 1e-6)"),
        (mg.sqrt, -1e7, "the input of sqrt away from there", "mg.maximum(w, 1e-6)"),
        (lambda w: w / 0.0, 1e7, "what divide divides by away from 0", ""),
    ],
)
def test_what_is_not_too_large_is_kept_away_from_where_an_op_ends(op, given, fix, example):
    w = mg.Variable(given)
    with mg.trace(), mg.GradientTape() as tape:
        y = op(w)
    assert tape.explain(y, w).causes[0].fix == f"keep {fix}{f', for example with {example}' * bool(example)}"


def test_a_fix_is_tried_where_its_tape_is_opened_though_an_earlier_one_was_asked(monkeypatch):
    monkeypatch.setattr(checkpoint, "RARELY", 1e6)  # both tapes share what sleeps where the first was opened
    block = "\nwith mg.GradientTape() as tape:\n    {0}\ntape.gradient(y, x)\nanswer = tape.explain(y, x)"
    text = f"import minigrad as mg\n{NUMBER}{block.format('y = x * 2.0')}{block.format('y = x * x.numpy()')}"
    file, space = "<two blocks>", {}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    assert space["answer"].fixed == "with mg.GradientTape() as tape:\n    y = x * x"


@pytest.mark.parametrize("first", ["tape.gradient(a, x)", "tape.explain(a, x)"])
def test_a_fix_is_tried_for_its_target_though_the_tape_was_asked_for_another(first):
    block = "with mg.GradientTape(persistent=True) as tape:\n    a = x * 2.0\n    y = a * {}(a)"
    text = f"import minigrad as mg\nimport numpy as np\n{NUMBER}\n{block.format('np.exp')}\n{first}\nanswer = tape.explain(y, x)"
    file, space = f"<two targets, {first}>", {}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    assert space["answer"].fixed == block.format("mg.exp")


def test_a_fix_is_tried_for_a_target_without_a_name_and_beside_a_copy_of_it_that_is_cut():
    x, kept = mg.Variable(2.0), {}
    with mg.trace(), mg.GradientTape() as tape:
        kept["y"] = x * x.numpy()
        mg.stop_gradient(kept["y"])
    assert tape.explain(kept.pop("y"), x).causes[0].fix == 'keep x a tensor: kept["y"] = x * x'


def test_a_variable_that_is_the_target_gets_no_line_for_a_tensor_that_would_stand_for_it():
    answer, _ = run_line("s.assign(x * 3.0); y = s", f"{NUMBER}; s = mg.Variable(1.0)")
    assert (answer.codes, answer.fixed) == (("STATE",), "")


def test_two_values_that_left_in_one_statement_are_told_once_with_the_line_that_mends_both():
    answer, _ = run_line("y = x * float(x) + np.exp(x.numpy())", NUMBER)
    assert [(one.line, one.fix) for one in answer.causes] == [
        ("y = x * float(x) + np.exp(x.numpy())", "keep x a tensor: y = x * x + mg.exp(x)")
    ]


def test_a_line_that_leaves_the_gradient_as_it_was_is_no_fix():
    """Where the nudge is almost at a right angle to the gradient, half of it lies near to the whole."""
    text = """
rng = np.random.default_rng(0)
states = rng.normal(size=(6, 3))[rng.permutation(6)[:4]]
q = mg.Variable([0.1, 0.2, 0.3], dtype=mg.float64)
with mg.GradientTape() as tape:
    pairs = [(s, float(mg.reduce_sum(q * s))) for s in states]
    values = np.array([v for _, v in pairs])
    y = mg.reduce_mean((mg.linalg.matvec(states, q) * 2.0 - values) ** 2)
answer = tape.explain(y, q, seconds=10.0)
"""
    file, space = "<half>", {"mg": mg, "np": np}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    assert (space["answer"].status, space["answer"].fixed) == ("partial", "")


def test_a_fix_must_be_right_in_two_directions():
    """The renamed reads end with one call: what the next call reads stays lost, and hardly shows where signs change."""
    text = """
class Cell:
    def __init__(self):
        self.h = mg.Variable([[1.0, 1.0]])
    def __call__(self, v):
        self.h.assign(mg.tanh(v + self.h @ w))
        return self.h + 0.0
w = mg.Variable([[0.3, 0.3], [0.3, 0.3]])
cell, y = Cell(), 0.0
with mg.GradientTape() as tape:
    for v in ([[0.1, 0.2]], [[0.3, -0.1]]):
        y += mg.reduce_sum(cell(v) ** 2)
answer = tape.explain(y, w, seconds=10.0)
"""
    file, space = "<two calls>", {"mg": mg}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    assert (space["answer"].codes[0], space["answer"].fixed) == ("STATE", "")


def test_a_fix_that_needs_a_second_line_is_told_with_it_and_right_with_both():
    beginning = "x, w = mg.Variable(2.0), mg.Variable(3.0)"
    answer, _ = run_line("guess = w + float(x)\n    error = guess * guess\n    y = error * (1.0 + error.numpy())", beginning)
    (cause,) = answer.causes
    assert (cause.line, cause.fix) == ("guess = w + float(x)", "keep x a tensor: guess = w + x")
    assert cause.later == ("y = error * (1.0 + error)",)
    space = {"mg": mg}
    exec(f"{beginning}\n{answer.fixed}", space)
    assert space["tape"].gradient(space["y"], space["x"]).numpy() == 2 * 5.0 + 4 * 5.0**3, "of e^2 + e^4, by hand"


def test_a_value_that_left_is_found_though_another_left_after_it_was_used():
    answer, _ = run_line("y = x * 0.0 + 1.5 * float(x)\n    z = mg.constant(y.numpy()); y = y + 0.1 * z", NUMBER)
    assert answer.causes[0].line == "y = x * 0.0 + 1.5 * float(x)" and answer.causes[0].op == "float"


@pytest.mark.parametrize("head", ["mg.GradientTape() as tape", "mg.GradientTape() as tape, mg.GradientTape() as other"])
def test_a_fix_is_tried_in_a_function_that_returns_its_tape(head):
    text = f"def forward(x):\n    with {head}:\n        y = x * x.numpy()\n    return tape, y\ntape, y = forward(x)\nanswer = tape.explain(y, x)\n"
    file, space = f"<returns {head}>", {"mg": mg, "x": mg.Variable(2.0)}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    assert space["answer"].fixed == f"with {head}:\n    y = x * x"


@pytest.mark.parametrize(
    ("kept", "call"),
    [("append(float(x))", "append(mg.identity(x))"), ("add(float(x))", "add(mg.identity(x))"), ("log(float(x))", "log(mg.identity(x))")],
)
def test_a_method_is_no_function_of_numpy_because_of_its_name(kept, call):
    beginning = f"""{NUMBER}
class Kept(list):
    add = log = list.append
kept = Kept()"""
    answer, _ = run_line(f"kept.{kept}; y = x * sum(kept)", beginning)
    assert f"kept.{call}" in answer.fixed


def test_a_method_that_keeps_a_state_is_not_taken_for_a_function_of_its_name():
    beginning = f"""{NUMBER}
class Meter:
    total = 0.0
    def sum(self, v):
        self.total = self.total + v
        return self.total
meter = Meter()"""
    answer, _ = run_line("y = x * meter.sum(float(x))", beginning)
    assert answer.causes[0].fix == "keep x a tensor: y = x * meter.sum(mg.identity(x))"


@pytest.mark.parametrize("imported", [True, False])
def test_a_fix_is_tried_in_the_function_that_holds_the_line(imported, monkeypatch):
    """Also where it lies in a module from which only its name was taken."""
    text = "def total(v):\n    return v.numpy().sum()\n"
    program = "with mg.GradientTape() as tape:\n    y = x[0] * total(x)\nanswer = tape.explain(y, x, seconds=10.0)\n"
    module, space = types.ModuleType("kept_apart"), {"mg": mg, "x": mg.Variable([1.0, 2.0])}
    module.__file__, module.mg = f"<module {imported}>", mg
    monkeypatch.setitem(sys.modules, "kept_apart", module)
    for file, lines in ((module.__file__, text), (f"<program {imported}>", text * (not imported) + program)):
        linecache.cache[file] = 0, None, lines.splitlines(True), file
    if imported:
        exec(compile(text, module.__file__, "exec"), vars(module))
        space["total"] = module.total
    with mg.trace():
        exec(compile(text * (not imported) + program, f"<program {imported}>", "exec"), space)
    assert space["answer"].causes[0].fix == "keep x a tensor: return mg.reduce_sum(v)"
    assert space["answer"].fixed == "def total(v):\n    return mg.reduce_sum(v)"


def explained_below_the_block(*lines):
    """The first cause of a None, where a program goes on below its block with these lines."""
    text = "\n".join(
        [
            "import minigrad as mg",
            "x, w = mg.Variable(2.0), mg.Variable(3.0)",
            "with mg.GradientTape() as tape:",
            "    y = x * 3.0",
            *lines,
            "cause = tape.explain(z, x).causes[0]",
        ]
    )
    file, space = f"<below {text}>", {}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    return space["cause"]


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        (["z = (y - 1.0) ** 2", "z = z + 0.1 * x * x"], "z = (y - 1.0) ** 2"),
        (["a = w * 2.0", "z = y * a"], "a = w * 2.0"),
        (["c = mg.constant(2.0)", "print(y * y)", "z = y * c"], "c = mg.constant(2.0)"),
        (["def part(v): return v * 2.0", "p = part(x)", "z = y + p"], "p = part(x)"),
    ],
)
def test_of_several_lines_below_the_block_all_are_indented(lines, first):
    cause = explained_below_the_block(*lines)
    assert (cause.code, cause.line) == ("OUTSIDE_TAPE", first)
    assert cause.fix == f"indent the lines from `{first}` on into the `with` block"


@pytest.mark.parametrize(
    ("line", "instead"), [("z = x * x", ""), ("z = mg.exp(y)", ", or ask for the gradient of y"), ("y = mg.exp(y)\nz = y", "")]
)
def test_what_to_ask_for_instead_is_neither_the_source_nor_the_target(line, instead):
    cause = explained_below_the_block(line)
    assert cause.fix == f"indent this line into the `with` block{instead}"


CELLS = ["import minigrad as mg; mg.trace(True); x = mg.Variable(3.0)", "def square(v):\n    return v * float(v)"]
BLOCK, IN_FUNCTION = (
    "with mg.GradientTape() as tape:\n    y = square(x)",
    "def step():\n    with mg.GradientTape() as tape:\n        y = square(x)\n    return tape, y",
)


@pytest.mark.parametrize(
    "cells",
    [[BLOCK], [BLOCK + "\ng = tape.gradient(y, x)"], [BLOCK + "\ntape.explain(y, x);"], [IN_FUNCTION, "tape, loss = step(); y = loss"]],
)
def test_a_function_of_an_earlier_cell_is_fixed_and_the_question_may_come_in_a_later_one(cells):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    for text in [*CELLS, *cells, "answer = tape.explain(y, x); mg.trace(False)"]:
        shell.run_cell(text).raise_error()
    assert shell.user_ns["answer"].causes[0].fix == "keep x a tensor: return v * v"
    assert shell.user_ns["answer"].fixed == "def square(v):\n    return v * v"


@pytest.mark.parametrize("before", ["", "g = tape.gradient(y, x, weights)"])
def test_a_fix_is_tried_with_the_weights_of_the_targets(before):
    text = f"""
import minigrad as mg
x, weights = mg.Variable([3.0, 2.0]), mg.constant([1.0, -5.0])
with mg.GradientTape() as tape:
    y = x * x.numpy()
{before}
answer = tape.explain(y, x, output_gradients=weights)
"""
    file, space = f"<weights {text}>", {}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    assert space["answer"].causes[0].fix == "keep x a tensor: y = x * x"


def test_a_function_inside_the_block_returns_its_own_result_in_a_trial():
    x = mg.Variable([3.0, 2.0])
    with mg.trace(), mg.GradientTape() as tape:

        def square(v):
            return v * v.numpy()

        y = square(x)
    assert tape.explain(y, x).causes[0].fix == "keep x a tensor: return v * v"


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("x = mg.reshape(x, [2, 1])", "give the result another name"),
        ("x = x / mg.norm(x)", "give the result another name"),
        ("x = mg.reduce_sum(x) + 1.0", "give the result another name"),
        ("x = x - 1.0", "change the Variable in place, as in x.assign_sub(...)"),
        ("x = x + 1.0 - 0.5", "change the Variable in place, as in x.assign_sub(...)"),
    ],
)
def test_only_what_adds_to_a_variable_is_changed_in_place(line, fix):
    answer, _ = run_line("y = mg.reduce_sum(x * x)", f"{PAIR}\n{line}")
    assert answer.causes[0].code == "REBOUND"
    assert answer.causes[0].fix.startswith(fix)


V, W = "v = mg.Variable(3.0); x = v; buf = mg.Variable([0.0, 0.0])", "x = mg.Variable([0.25, 0.5])"
MODEL = "X = np.ones((2, 3), np.float32); model = mg.keras.Sequential([mg.keras.layers.Dense(1)]); model(X); x = model.weights[0]"


@pytest.mark.parametrize(
    ("beginning", "line", "code", "sentence", "fix"),
    [
        (
            V,
            "buf.scatter_nd_update([[1]], [v * v]); y = buf * 3.0",
            "STATE",
            "wrote [v * v] into a Variable",
            "compute with a new tensor instead of buf",
        ),
        (V, "new = mg.Variable([v * v, v]); y = new * 3.0", "REBUILT", "a new Variable was made", "without mg.Variable(...)"),
        (
            NUMBER,
            "y = mg.one_hot([0], 3, on_value=x, off_value=1.0 - x)",
            "LEFT_ENGINE",
            "one_hot took x as a plain value",
            "keep x a tensor: write",
        ),
        (W, "y = mg.math.bincount([0, 1], weights=x)", "LEFT_ENGINE", "bincount took x as a plain value", "keep x a tensor: write"),
        (NUMBER, "y = mg.range(x, 5.5, 1.0) * 2.0", "LEFT_ENGINE", "mg.range took x as a plain value", "keep x a tensor: write"),
        (
            MODEL,
            "pred = model.predict(X, verbose=0); y = mg.reduce_sum(pred * pred)",
            "LEFT_ENGINE",
            "inside model.predict values became plain numbers",
            "model(X)",
        ),
        (
            PAIR,
            "y = x * (x.numpy().std(ddof=1))",
            "LEFT_ENGINE",
            "x.numpy()",
            "keep x a tensor here, with mg's functions in place of x.numpy().std",
        ),
        (
            PAIR + "; buf = np.zeros(1)",
            "buf[0] = x[0] * x[0]; y = x * buf",
            "LEFT_ENGINE",
            "buf[0]",
            "keep x[0] * x[0] a tensor in a list, and stack that",
        ),
        (
            NUMBER,
            "mid = (float(x) + 0.0) / 2; y = mg.constant(mid)",
            "LEFT_ENGINE",
            "constant was given mid = 1.0, not x",
            "keep x a tensor",
        ),
        (NUMBER, "y = mg.cast(3.0 * 2.0 <= x, mg.float32)", "NO_DERIVATIVE", "greater_equal is flat", "mg.sigmoid(k * (x - 3.0 * 2.0))"),
        (NUMBER, "y = mg.cast(mg.less(x, 3.0), mg.float32)", "NO_DERIVATIVE", "less is flat", "mg.sigmoid(k * (3.0 - x))"),
        (NUMBER, "y = mg.cast(mg.greater(x, y=3.0), mg.float32)", "NO_DERIVATIVE", "greater is flat", "mg.sigmoid(k * (x - y))"),
        (
            NUMBER + "; import struct",
            "raw = struct.pack('d', x)\n    y = x * struct.unpack('d', raw)[0]",
            "LEFT_ENGINE",
            "struct.pack('d', x) is a plain value",
            "keep",
        ),
        (PAIR, "h = x * x; h = mg.constant(h.numpy()); y = h * x", "LEFT_ENGINE", "h.numpy()", "keep h a tensor: leave this line out"),
    ],
)
def test_what_is_said_is_what_the_op_did_with_the_value(beginning, line, code, sentence, fix):
    answer, _ = run_line(line, beginning)
    assert answer.causes[0].code == code, f"\n{answer}"
    assert sentence in answer.causes[0].sentence
    assert fix in answer.causes[0].fix


def test_a_truth_value_that_left_is_said_to_decide():
    search = "low, high = 0.0, 2.0\n    while high - low > 1e-6:\n        middle = (low + high) / 2\n        "
    search += "low, high = (middle, high) if middle * middle < x else (low, middle)\n    y = mg.constant(low)"
    answer, _ = run_line(search, NUMBER)
    assert [one.code for one in answer.causes] == ["NO_DERIVATIVE", "LEFT_ENGINE"], f"\n{answer}"
    assert answer.causes[0].fix == "use mg.sigmoid(k * (x - middle * middle)), a smooth step"
    assert answer.causes[1].sentence == "middle * middle < x decides here: constant was given a plain number that was chosen by it"
    plain, _ = run_line(search.replace("middle * middle < x", "float(x - middle * middle) > 0"), NUMBER)
    assert plain.causes[0].sentence.startswith("float(x - middle * middle) decides here")
