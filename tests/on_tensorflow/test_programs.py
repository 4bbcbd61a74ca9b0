"""The programs of tests/explain, each written once, run on TensorFlow: explain says the same of them."""

import importlib
import linecache
import sys
from pathlib import Path

import numpy as np
import pytest
from engine import mg

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy's, of TensorFlow
EXPLAIN = Path(__file__).parents[1] / "explain"
DIFFERENT = {  # a program -> why the answer is another one
    "an optimizer's step inside": "Keras computes the step in TensorFlow, and not in NumPy: it is STATE",
    "a quantile, whose neighbours change places": "NumPy reads TensorFlow's memory unheard: the line is where it came in",
    "cancelling_in_one_op": "in TensorFlow, rounding leaves a few billionths of a sum that is 0 here",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The functions, of a copy of their files that imports TensorFlow."""
    folder = tmp_path_factory.mktemp("on_tensorflow") / "programs_on_tensorflow"
    folder.mkdir()
    for file in (EXPLAIN / "programs").glob("*.py"):
        (folder / file.name).write_text(file.read_text("utf-8").replace("import minigrad as mg\n", "from engine import mg\n"), "utf-8")
    sys.path.insert(0, str(folder.parent))
    yield importlib.import_module(folder.name)
    sys.path.remove(str(folder.parent))


def names():
    found = [line for file in sorted((EXPLAIN / "programs").glob("*.py")) for line in file.read_text("utf-8").splitlines()]
    return [line[4:].partition("(")[0].strip("_") for line in found if line.startswith("def _")]


@pytest.mark.variants
@pytest.mark.parametrize("name", [name for name in names() if name not in DIFFERENT])
def test_the_answer_is_that_of_minigrad(name, programs):
    function, (status, _, codes), *_ = programs.PROGRAMS[name]
    with mg.trace():
        answer = function()
    assert (answer.status, answer.codes[:1]) == (status, tuple(codes.split()[:1])), f"\n{answer}"


sys.path.insert(0, str(EXPLAIN))
EXPERIMENTS, CELL = (getattr(importlib.import_module("test_by_experiment"), name) for name in ("PROGRAMS", "CELL"))


@pytest.mark.variants
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in DIFFERENT])
def test_what_was_tried_is_that_of_minigrad(name, tmp_path):
    status, code, said, text = EXPERIMENTS[name]
    text = f"{text.strip()}\n{CELL}answer = tape.explain(y, x, seconds=20.0)\n".replace("import minigrad", "import tensorflow")
    file = f"<on tensorflow {len(linecache.cache)}>"
    linecache.cache[file] = 0, None, text.splitlines(True), file
    space = dict(np=np, mg=mg, folder=str(tmp_path), start=lambda value: mg.Variable(np.asarray(value, np.float32)))
    mg.trace(True)
    exec(compile(text, file, "exec"), space)
    answer = space["answer"]
    assert (answer.status, answer.codes[:1]) == (status, (code,) if code else ()), f"\n{answer}"
    assert said.replace("mg.", "tf.") in (answer.causes[0].line if code else str(answer)), f"\n{answer}"
