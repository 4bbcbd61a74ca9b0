"""A whole program is run and its gradients are explained: by the command, and in a cell."""

import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import minigrad as mg
from minigrad import report
from minigrad.__main__ import main
from minigrad.tracing import checkpoint

ROOT = Path(__file__).parent.parent
HEALTHY = """
import tensorflow as tf
x = tf.Variable([1.0, 2.0])
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(x * x)
    x.assign_sub(0.1 * tape.gradient(loss, x))
print(x.numpy())
"""
BROKEN = HEALTHY.replace("x * x", "x * x.numpy()")


def examined(text):
    return report.examine(text, "<program>", {"__name__": "__main__"})


def written(tmp_path, text):
    (tmp_path / "train.py").write_text(text)
    return str(tmp_path / "train.py")


def test_tensorflow_runs_its_functions_eagerly_under_its_own_trace(monkeypatch):
    eager, log = [], object()
    config = types.SimpleNamespace(run_functions_eagerly=eager.append)
    for name, module in {"tensorflow": {"config": config}, "minigrad.tensorflow": {"trace": lambda: log}}.items():
        monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(**module))
    settings = {"PATH": os.environ["PATH"]}
    monkeypatch.setattr(os, "environ", settings)
    assert report.of_tensorflow() is log and eager == [True]
    assert (settings["TF_CPP_MIN_LOG_LEVEL"], settings["TF_NUM_INTRAOP_THREADS"]) == ("2", "1")


def test_a_healthy_program_is_one_line_and_runs_as_it_would(tmp_path, capsys):
    assert main(["explain", written(tmp_path, HEALTHY)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "[0.51199996 1.0239999 ]",
        "1 question to tapes, none with a gradient that is None, partial or not finite",
    ]


def test_a_broken_one_is_told_with_its_line_cause_and_fix(tmp_path):
    command = [sys.executable, "-m", "minigrad", "explain", written(tmp_path, BROKEN)]
    said = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert (said.returncode, said.stderr) == (1, "")
    assert said.stdout.splitlines()[1:] == [
        "1 question to tapes, 1 with a gradient that is None, partial or not finite",
        "",
        "line 7: x.assign_sub(0.1 * tape.gradient(loss, x)) (asked 3 times)",
        "  1 gradient: 1 partial",
        "  PARTIAL  dloss/dx = [1. 2.] leaves out 1 of 2 paths",
        "    line   loss = tf.reduce_sum(x * x.numpy())",
        "    cause  LEFT_ENGINE (proved): x.numpy() is a plain array; multiply was given numbers, not x",
        "    fix    keep x a tensor: loss = tf.reduce_sum(x * x)",
    ]


@pytest.mark.parametrize("imports", [
    "import tensorflow as tf; from tensorflow import keras",
    "import tensorflow; tf = tensorflow; keras = tf.keras",
    "import tensorflow.math; tf = tensorflow; import keras",
    "import tensorflow.keras as keras, tensorflow as tf",
    "from tensorflow.keras import layers; import tensorflow as tf, keras.layers as same; keras = tf.keras; assert same is layers",
    "import minigrad as tf; keras = tf.keras",
])  # fmt: skip
def test_what_it_imports_from_tensorflow_it_gets_from_minigrad(imports):
    names = {}
    found = report.examine(f"{imports}\nimport math, numpy as np\nassert math.pi and np.pi", "<program>", names)
    assert (found.problem, names["tf"], names["keras"]) == ("", mg, mg.keras)


def test_it_runs_with_its_own_arguments_and_neighbours_as_the_main_program(tmp_path, capsys):
    (tmp_path / "beside.py").write_text("value = 5")
    text = "# options: --html\nimport sys, beside, pickle\nclass A: pass\nassert pickle.loads(pickle.dumps(A)) is A\nprint(__name__, sys.argv[1:], beside.value)"
    ours = sys.argv, sys.path[:], sys.modules["__main__"]
    assert main(["explain", written(tmp_path, text), "--html", "-x", "3"]) == 0
    assert capsys.readouterr().out.startswith("__main__ ['--html', '-x', '3'] 5\n0 questions to tapes, none")
    assert ours == (sys.argv, sys.path, sys.modules["__main__"])


@pytest.mark.parametrize(("end", "problem", "code"), [
    ("raise ValueError('a\\x1b[2J')", "ValueError: a\\x1b[2J", 1), ("import sys; sys.exit(3)", "exit code 3", 1),
    ("import sys; sys.exit()", "", 0), ("tf.nothing", "AttributeError: module 'minigrad' has no attribute 'nothing'", 1),
    ("raise GeneratorExit", "GeneratorExit: ", 1), ("import sys; sys.path.clear()", "", 0),
])  # fmt: skip
def test_how_it_ended_is_told_and_what_was_found_before(end, problem, code, tmp_path, capsys):
    assert main(["explain", written(tmp_path, f"{HEALTHY}{end}")]) == code
    said = capsys.readouterr().out
    assert "1 question to tapes, none" in said and ("the program ended with" in said) == bool(problem) and problem in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x = (", "is no Python source"),
        ("\0", "is no Python source"),
        (f"1{'+1' * 100_000}", "is no Python source"),
        (None, "No such file"),
    ],
)
def test_what_is_no_program_is_told(content, said, tmp_path, capsys):
    if content is not None:
        written(tmp_path, content)
    assert main(["explain", str(tmp_path / "train.py")]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf", b"# -*- coding: latin-1 -*-\nword = '\xe9'\nassert word == chr(233)\n"])
def test_a_program_is_decoded_as_python_decodes_it(content, tmp_path, capsys):
    (tmp_path / "train.py").write_bytes(content + HEALTHY.encode())
    assert main(["explain", str(tmp_path / "train.py")]) == 0, capsys.readouterr()


ALL_KINDS = """
import minigrad as mg
x = mg.Variable(1.0)
for n in range(6):
    with mg.GradientTape() as tape:
        y = mg.math.log(x - 1.0 if n == 2 else x) if n < 5 else mg.stop_gradient(x)
    tape.gradient(y, x)
"""


def test_a_question_is_explained_again_when_its_gradients_are_of_another_kind():
    found = [(one.times, one.answers[0].status, one.broken) for one in examined(ALL_KINDS).questions]
    assert found == [(4, "complete", False), (1, "nan", True), (1, "none", True)]


def test_only_some_questions_have_films(monkeypatch, tmp_path):
    monkeypatch.setattr(report, "FILMS", 2)
    ask = "with mg.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)\n"
    found = examined(f"import minigrad as mg\nx = mg.Variable(1.0)\n{ask * 3}")
    assert [one.film is not None for one in found.questions] == [True, True, False]
    assert found.film is found.questions[1].film
    found.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.findall("<h4|<iframe", page) == ["<h4", "<iframe", "<h4", "<iframe", "<h4"], "each film below its question"


@pytest.mark.parametrize("form", ["--html {page} {script} -x 3", "{script} -x --html {page} 3", "{script} -x 3 --html={page}"])
def test_the_page_is_written_wherever_it_is_asked_for(form, tmp_path, capsys):
    script = written(tmp_path, f"{HEALTHY}import sys\nprint(sys.argv[1:])")
    assert main(["explain", *form.format(page=tmp_path / "page.html", script=script).split()]) == 0
    assert "['-x', '3']" in capsys.readouterr().out and (tmp_path / "page.html").exists()


def test_the_page_holds_answers_and_films_and_asks_nobody(tmp_path):
    main(["explain", "--html", str(tmp_path / "page.html"), written(tmp_path, BROKEN)])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page and not re.findall(r"(?:src|href)=[\"'](?!data:)[^>]*", page.partition("srcdoc=")[0])
    assert (
        page.count("<iframe") == 1
        and "color-scheme: light dark" in page.partition("<iframe")[0]
        and "LEFT_ENGINE" in page.partition("<iframe")[0]
    )


def test_what_could_not_be_tried_is_not_called_whole(monkeypatch):
    monkeypatch.setattr(report.Trace, "explained", lambda log, tape, targets, sources: tape.explain(targets[0], sources, seconds=0))
    text = HEALTHY.replace("x * x)", "x * x) * (1.0 if float(x[0]) < 100.0 else 2.0)")
    assert str(examined(text)) == (
        "1 question to tapes, none with a gradient that is None, partial or not finite; 1 with one that could not be tried"
    )


def test_markup_in_a_program_stays_text():
    page = examined(BROKEN.replace("x.numpy())", "x.numpy() + len('<script>'))"))._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page


CELL = """
import os
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("%load_ext minigrad")
shell.run_cell("import minigrad as tf; x = tf.Variable(3.0)")
shell.run_cell("%%explain page.html\\nwith tf.GradientTape() as tape:\\n    y = x * x.numpy()\\ndx = tape.gradient(y, x)\\n")
print(shell.user_ns["dx"].numpy(), os.path.getsize("page.html") > 10_000)
"""


def test_a_cell_is_explained_with_the_names_of_the_notebook(tmp_path):
    pytest.importorskip("IPython")
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "IPYTHONDIR": str(tmp_path)}
    said = subprocess.check_output([sys.executable, "-c", CELL], cwd=tmp_path, env=environment, text=True)
    assert "line 3: dx = tape.gradient(y, x)" in said and "fix    keep x a tensor: y = x * x" in said
    assert "tape inspector" in said and said.splitlines()[-1] == "3.0 True"


NESTED = """
import minigrad as mg
x = mg.Variable(3.0)
with mg.GradientTape() as outer:
    with mg.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)
    z = slope * x.numpy()
outer.gradient(z, x)
"""


def test_a_question_within_the_block_of_another_tape_does_not_disturb_its_replays():
    examined = f"report.examine({NESTED!r}, '<program>', dict(__name__='__main__')).questions"
    ask = f"from minigrad import report\ninner, outer = {examined}\nprint(inner.answers[0].status, outer.answers[0])"
    said = subprocess.check_output([sys.executable, "-c", ask], text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert said.startswith("complete PARTIAL") and "z = slope * x\n" in said


@pytest.mark.skipif(not checkpoint.FORKS, reason="this system has no fork")
def test_a_question_that_is_not_explained_again_does_not_disturb_later_replays(monkeypatch):
    monkeypatch.setattr(checkpoint, "RARELY", 1e9)  # all tapes share what sleeps where the first was opened
    loop = "    with mg.GradientTape() as tape:\n        c = mg.constant(2.0)\n        y = c * w * float(str(float(w)))\n    tape.gradient(y, w)\n"
    found = examined(f"import minigrad as mg\nw = mg.Variable(2.0)\nfor _ in range(3):\n{loop}for _ in range(3):\n{loop}")
    assert [[one.status for one in question.answers] for question in found.questions] == [["partial"], ["partial"]]
