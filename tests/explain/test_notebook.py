"""In a notebook, the lines are those of the cell that ran."""

import pytest


def said_by(cells):
    """What each of these cells prints in a kernel."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return ["".join(out.get("text", out.get("data", {}).get("text/plain", "")) for out in cell.outputs) for cell in notebook.cells]


def test_in_a_kernel_the_lines_are_those_of_the_cell_that_ran():
    cells = [
        "import minigrad as mg\nlog = mg.trace(True)\nx = mg.Variable(3.0)",
        "with mg.GradientTape() as tape:\n    y = x * x.numpy()\nprint(tape.explain(y, x))",
        "with mg.GradientTape() as tape:\n    y = float(x) * x * 2.0\nprint(tape.explain(y, x))",
        "here = float(x)",
        "with mg.GradientTape() as tape:\n    y = here * x\ntape.explain(y, x)",
        "%time _ = 1\nwith mg.GradientTape() as tape:\n    y = x * x\n[tape.explain(y, x)]",
    ]
    said = said_by(cells)
    assert "line   y = x * x.numpy()" in said[1]
    assert "line   y = float(x) * x * 2.0" in said[2]
    assert said[4].startswith("COMPLETE  dy/dx = 3.0")  # a number kept from before the tape may be meant
    assert said[5].rstrip().endswith("[COMPLETE  dy/dx = 6.0\n   live   x -> multiply -> y]")


def test_a_cell_that_runs_again_at_once_is_replayed_as_it_ran_then():
    again = "with mg.GradientTape() as tape:\n    y = x * float(x)\nprint(tape.explain(y, x).notes)"
    said = said_by(["import minigrad as mg\nlog, x = mg.trace(True), mg.Variable(3.0)", *[again] * 12])
    assert said[1:] == ["('measured: 3 of 6 is lost',)\n"] * 12
