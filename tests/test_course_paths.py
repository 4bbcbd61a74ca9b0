"""Other ways through a lesson than from top to bottom: in a hurry, and with everything changed that it says to change."""

import re
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

import build

LESSONS = {path.name[:2]: nbformat.read(path, as_version=4) for path in build.lessons()}
LAST = "The question, answered"


def outputs(cell):
    """What a cell has printed or raised, without warnings: where these fall among the rest is chance."""
    told = [one for one in cell.outputs if one.get("name") != "stderr"]
    return "".join(one.get("text") or one.get("data", {}).get("text/plain") or f"{one.get('ename')}: {one.get('evalue')}" for one in told)


# ---- in a hurry ------------------------------------------------------------------------------------------------------

ROUTES = {  # the headings; of a part the last cell as well, and its minutes
    "00": ["3 "],
    "01": ["A sledge", "3 ", LAST],
    "02": ["A balloon", "2 ", LAST],
    "03": ["A lamp", "1 ", "5 ", LAST],
    "04": ["A storm", "2 ", ("3 ", "run-3", 2), "4 ", LAST],
    "05": ["Three sliders", "1 ", "2 ", ("4 ", "run-4", 3), LAST],
    "06": ["A ball", "2 ", LAST],
    "07": ["A shower", "1 ", "2 ", LAST],
    "08": ["A ball", "1 ", ("2 ", "run-2", 2), LAST],
    "09": ["A boat", "2 ", "4 ", LAST],
    "10": ["A pale photo", "1 ", "2 ", LAST],
    "11": ["Two moons", ("1 ", "run-1", 3), ("2 ", "why-2", 3), ("3 ", "explain-3-why", 3), "4 ", LAST],
    "12": ["A washing line", ("1 ", "inspect-1", 3), "4 ", LAST],
    "13": ["1 ", "3 ", "5 "],
    "14": ["Case 1", "Case 4"],
    "16": ["A greenhouse", "1 ", "2 ", "3 "],
}


def sections(lesson):
    """The cells under each heading; what stands before the first, under ''."""
    found, name = {"": []}, ""
    for cell in LESSONS[lesson].cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            name = cell.source.partition("\n")[0][3:]
            found[name] = []
        found[name].append(cell)
    return found


def route(lesson):
    """The cells in a hurry, and the minutes of their sections."""
    there = sections(lesson)
    cells, minutes = list(there[""]), 0
    for stop in ROUTES[lesson]:
        start, last, length = stop if isinstance(stop, tuple) else (stop, None, None)
        (name,) = [one for one in there if one.startswith(start)]
        ids = [cell.id for cell in there[name]]
        cells += there[name][: ids.index(last) + 1 if last else None]
        minutes += length or int(re.search(r"\((\d+) minute", name)[1])
    return cells, minutes


@pytest.mark.parametrize("lesson", ROUTES)
def test_the_minutes_in_a_hurry_are_those_of_its_sections(lesson):
    said = re.search(r"In a hurry\?.*?(?:: (\d+) minutes|$)", LESSONS[lesson].cells[0].source, re.MULTILINE)[1]
    assert said is None or int(said) == route(lesson)[1]


@pytest.mark.parametrize("lesson", ROUTES)
def test_a_lesson_in_a_hurry_runs(lesson):
    notebook = deepcopy(LESSONS[lesson])
    notebook.cells = deepcopy(route(lesson)[0])
    build.run(notebook)  # raises where a cell does


# ---- all changes -----------------------------------------------------------------------------------------------------

CHANGES = {  # where it is asked: the cells that are changed and run again, and what is to be seen
    "01": {
        "why-1": ([("run-1", "(1.0, 0.1,", "(-0.1, 1.0, 0.1,")], ["5.900"]),
        "why-2": ([("run-2", "x ** 3", "x ** 3 + 100.0")], ["value 101.0", "value 108.0", "slope  3.00", "slope 12.00", "slope 48.00"]),
        "check-3-text": ([("run-3-sigmoid", "mg.Variable(2.0)", "mg.Variable(0.0)")], ["value 0.500   slope 0.250"]),
        "why-4": (
            [("run-4", "mg.constant(3.0), mg.constant(3.0 + h)", "mg.constant(3.0, mg.float64), mg.constant(3.0 + h, mg.float64)")],
            ["h = 1e-05    slope 6.0000   off by 0.0000", "h = 1e-08    slope 6.0000   off by 0.0000"],
        ),
    },
    "03": {
        "check-1-text": (
            [
                ("run-1", 'x2 = mg.Variable(2.0, name="x2") + 1.0\n', ""),
                ("run-1", "tape:\n", 'tape:\n    x2 = mg.Variable(2.0, name="x2") + 1.0\n'),
            ],
            ["6.0", "'x2:0'"],
        ),
        "why-3": ([("run-3", "tape.watch(x1)", "tape.watch([x0, x1])")], ["dy/dx0: mg.Tensor(1.0"]),
        "why-4": ([("run-4", "y = b * c * a", "y = b * c")], ["['second:0', 'third:0']"]),
        "why-5": ([("run-5", "    square = c * c\n    tape.watch(c)\n", "    tape.watch(c)\n    square = c * c\n")], ["7.0"]),
    },
    "04": {
        "why-1": ([("run-1", "tape.gradient(z, y)", "tape.gradient(z, x * x)")], ["AttributeError"]),
        "check-2-text": (
            [("run-2-many", '{"pressure": pressure, "wind": wind, "gust": gust})', "[damage, wind])\nprint(slopes)\nslopes = {}")],
            ["[<mg.Tensor: shape=(), dtype=float32, numpy=1.0>"],
        ),
    },
    "06": {
        "check-1-text": ([("run-1-other", "result = v1 ** 2", "result = x * v1 ** 2")], ["numpy=-4.0", "4.0, shape"]),
        "why-2": ([("run-2", "with mg.G", "keep.assign(0.9)\nwith mg.G")], ["after 7 bounces", "by keep 37.20"]),
        "check-3-text": (
            [
                ("run-3-first", "mg.constant(2.0)", "mg.constant(3.0)"),
                ("run-3-second", "second.watch", "second.watch"),
            ],
            ["dres1_dx1:  None", "dres1_dx2 mg.Tensor(27.0", "dres2_dx1:  mg.Tensor(24.0", "dres2_dx2 None"],
        ),
        "why-4": (
            [("run-4", "10.0 * mg.sigmoid(k * (x - gate))", "mg.where(x > gate, 10.0, 0.0)"), ("run-4", "gate):.2f}", "gate)}")],
            ["by gate None"],
        ),
    },
    "07": {
        "check-1-text": ([("run-shower", "np.sqrt", "mg.sqrt")], ["1.0", "None, None]"]),
        "why-3": ([("run-3", "\ntotal =", "\n    total =")], ["[-2.  1. -6.]"]),
        "check-4-text": (
            [("run-4", "    x1.assign_add(x0)\n    y = x1 ** 2", "    new_x1 = x1 + x0\n    y = new_x1 ** 2")],
            ["6.0"],
        ),
        "why-5": (
            [("run-5", "x = x + 1", "x.assign_add(1)")],
            ["Variable : mg.Tensor(1.0, shape=(), dtype=float32)\nVariable : mg.Tensor(1.0"],
        ),
        "check-6-text": (
            [
                (
                    "explain-6",
                    "mg.cast(scores > 0.5, mg.float32))\ntape.gradient(count, scores)",
                    "mg.sigmoid(10.0 * (scores - 0.5)))\nprint(tape.gradient(count, scores))",
                )
            ],
            ["COMPLETE", "[0.452 1.966 0.177]"],
        ),
        "check-7-task": ([("run-7", "[[2, 2], [2, 2]]", "[[2.0, 2.0], [2.0, 2.0]]")], ["[[1. 1.]\n [1. 1.]]"]),
        "why-8": ([("run-8-shower", '"zero"', '"none"')], ["hot:0    None", "radio:0  None", "notch:0  None"]),
    },
    "08": {
        "why-1": ([("run-1", "mg.Variable(3.0", "mg.Variable(5.0"), ("run-1", "x.numpy()", "x")], ["mg.Tensor(5.0", "mg.Tensor(10.0"]),
        "why-3": ([("run-3", "    square = c * c\n    tape.watch(c)\n", "    tape.watch(c)\n    square = c * c\n")], ["7.0"]),
        "why-4": ([("run-4", "second =", "with mg.GradientTape() as tape:\n    y = x * x\nsecond =")], ["6.0 4.8"]),
        "why-6": (
            [("run-6", "relu, 0.0", "relu, 0.5"), ("run-6", "0.0), 0.0", "0.0), 0.5")],
            ["tape 1.000   measured 1.000   agree\ntape 1.000   measured 1.000   agree"],
        ),
    },
    "09": {
        "why-1": (
            [("run-1", "    before = v * v\n    v.assign(10.0)\n", "    v.assign(10.0)\n    before = v * v\n")],
            ["before mg.Tensor(20.0", "after  mg.Tensor(20.0", "both   mg.Tensor(40.0"],
        ),
        "why-2": ([("run-2", "account.assign_add(amount)", "account + amount")], ["by amount  mg.Tensor(8.0", "by account mg.Tensor(8.0"]),
        "check-3-text": ([("run-3-fixed", "x.assign_add(1)", "x += 1")], ["RuntimeError"]),
        "why-4": ([("run-4", "x * mg.stop_gradient(x)", "mg.stop_gradient(x * x)")], ["None"]),
        "why-5": ([("run-5", "    tape.reset()\n    z += y * y\n", "    z += y * y\n    tape.reset()\n")], ["{'x': None, 'y': None}"]),
    },
    "10": {
        "why-3": ([("run-3", 'print(f"{f.__name__:8}", ', 'print(f"{f.__name__:8}", y, ')], ["inf"]),
        "why-5": ([("run-5", "mg.grad_pass_through(mg.round)(x)", "mg.round(x)")], ["None"]),
    },
    "16": {
        "why-1": ([("explain-1", "loss, warm))", "loss, w))")], ["LEFT_ENGINE", "OUTSIDE_TAPE"]),
        "why-3": ([("explain-3", "loss, warm))", "loss, warm))\nprint(type(warm))")], ["Tensor'>"]),
        "why-4": ([("run-4", "rate=0.1", "rate=0.01")], ["67.94"]),
        "why-5": ([("inspect-5", "warm)[:4]", "warm)[:4, 0]")], ["answers (4,)  measured (4,)  difference (4,)"]),
        "why-6": ([("run-6", "follow(5)", "curve = train(steps=2000)[0]\nprint(curve[-1])")], ["3.788"]),
        "filled-why": ([("run-8", "weights = train()", "weights = train(steps=1000)"), ("run-filled", "days =", "days =")], [" 20.4 "]),
    },
}
BACK = r"\bback\b"


def changed(lesson):
    """The lesson with all its changes: after each text the cells it changes, run again, and as they were if that is asked."""
    notebook = deepcopy(LESSONS[lesson])
    now = {cell.id: cell.source for cell in notebook.cells}
    cells, asked = [], {}
    for cell in notebook.cells:
        cells.append(cell)
        edits, _ = CHANGES[lesson].get(cell.id, ((), ()))
        asked[cell.id] = []
        for k, (where, old, new) in enumerate(edits):
            before = now[where]
            assert before.count(old) == 1, f"{where} has no {old!r}"
            now[where] = before.replace(old, new)
            again = nbformat.v4.new_code_cell(now[where], id=f"{cell.id}-change-{k}", metadata={"tags": ["raises-exception"]})
            asked[cell.id].append(again)
            cells.append(again)
            if re.search(BACK, cell.source.partition("**Change one thing")[2].partition("**Check")[0]):
                now[where] = before
                cells.append(nbformat.v4.new_code_cell(before, id=f"{cell.id}-back-{k}"))
    notebook.cells = cells
    return notebook, asked


@pytest.mark.parametrize("lesson", CHANGES)
def test_a_lesson_with_all_its_changes_keeps_what_it_promises(lesson):
    notebook, asked = changed(lesson)
    build.run(notebook)
    for text, cells in asked.items():
        told = "\n".join(map(outputs, cells))
        for promise in CHANGES[lesson].get(text, ((), ()))[1]:
            assert promise in told, f"{text}: {promise!r} is not in\n{told}"
    as_handed_out = {cell.id: outputs(cell) for cell in LESSONS[lesson].cells if cell.cell_type == "code"}
    for cell in notebook.cells:
        if cell.id in as_handed_out and cell.id.startswith("run-"):
            assert outputs(cell) == as_handed_out[cell.id], f"{cell.id} prints something else once all is changed"
