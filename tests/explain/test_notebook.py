"""In a notebook, the lines are those of the cell that ran."""

import pytest


def test_in_a_kernel_the_lines_are_those_of_the_cell_that_ran():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = [
        "import minigrad as mg\nlog = mg.trace(True)\nx = mg.Variable(3.0)",
        "with mg.GradientTape() as tape:\n    y = x * x.numpy()\nprint(tape.explain(y, x))",
        "with mg.GradientTape() as tape:\n    y = float(x) * x * 2.0\nprint(tape.explain(y, x))",
        "here = float(x)",
        "with mg.GradientTape() as tape:\n    y = here * x\ntape.explain(y, x)",
        "%time _ = 1\nwith mg.GradientTape() as tape:\n    y = x * x\n[tape.explain(y, x)]",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    said = ["".join(out.get("text", out.get("data", {}).get("text/plain", "")) for out in cell.outputs) for cell in notebook.cells]
    assert "line   y = x * x.numpy()" in said[1]
    assert "line   y = float(x) * x * 2.0" in said[2]
    assert said[4].startswith("COMPLETE  dy/dx = 3.0")  # a number kept from before the tape may be meant
    assert said[5].rstrip().endswith("[COMPLETE  dy/dx = 6.0\n   live   x -> multiply -> y]")
