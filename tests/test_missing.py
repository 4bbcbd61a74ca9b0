"""After a restart: a cell whose names are missing tells which cell to run before."""

import json
import os
from pathlib import Path

import pytest

from minigrad.classroom import lab, missing

nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
CELLS = [
    "# what the lesson needs\nimport minigrad as mg",
    "x = mg.Variable(3.0)",
    "with mg.GradientTape() as tape:\n    y = x * x",
    "print(tape.gradient(y, x))",
    "print(nowhere)",
]


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Runs cells of the notebook, by their numbers, in a kernel like those of `minigrad course`."""
    path = tmp_path / "02_the_tape.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [one]} for one in CELLS]}))
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))

    def run(*numbers):
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELLS[k]) for k in numbers])
        environment = os.environ | lab.for_kernels(os.environ)
        nbclient.NotebookClient(book, allow_errors=True).execute(env=environment)
        return [cell.outputs for cell in book.cells]

    return run


def texts(outputs):
    return [one.get("text", one.get("ename")) for one in outputs]


def test_it_names_the_cell_above_that_makes_the_name(ran):
    found = [texts(outputs) for outputs in ran(3, 2, 1, 0, 1, 2, 3, 4)]
    assert found[0] == [
        "`tape` is not there yet. The cell above that begins with `with mg.GradientTape() as tape:` makes it.\n"
        "Run that cell first, or choose Run > Run All Above Selected Cell in the menu.\n"
    ]
    assert "`import minigrad as mg`" in found[1][0] and "`import minigrad as mg`" in found[2][0]
    assert found[3:7] == [[], [], [], ["tf.Tensor(6.0, shape=(), dtype=float32)\n".replace("tf.", "mg.")]]
    assert found[7] == ["NameError"]  # no cell makes it


def test_the_users_own_startup_file_runs_as_well(ran, tmp_path, monkeypatch):
    own = tmp_path / "own.py"
    own.write_text("nowhere = 'made at the start'")
    monkeypatch.setenv("PYTHONSTARTUP", str(own))
    assert texts(ran(4)[0]) == ["made at the start\n"]


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("a, (b, *c) = 1, (2, 3)\nd.e = f[0] = 1", {"a", "b", "c"}),
        ("for i in range(3):\n    k: int = i", {"i", "k"}),
        ("def f(x):\n    y = x\nclass C:\n    z = 1", {"f", "C"}),
        ("import a.b, c as d\nfrom e import g as h", {"a", "d", "h"}),
        ("rows = [q for q in range(3)]\nif (n := 3) > 2: pass", {"rows", "n"}),
        ("%%explain\nx = 1", set()),
    ],
)
def test_the_names_that_a_cell_makes(cell, names):
    assert missing.made_in(cell) == names


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cells": [{}]}', '{"cells": 3}', "\x00"])
def test_a_notebook_that_cannot_be_read_has_no_cells(content, tmp_path, monkeypatch):
    path = tmp_path / "broken.ipynb"
    path.write_text(content)
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    assert missing.lesson_cells() == []
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "none"))
    assert missing.lesson_cells() == []


def test_binder_starts_its_kernels_in_the_same_way():
    start = (Path(__file__).parents[1] / "binder" / "start").read_text()
    assert "PYTHONSTARTUP" in start and start.rstrip().endswith('exec "$@"')
