"""Arrays print with three digits in every cell of a lesson, on kernels too that run each cell in a context of its own."""

import contextvars
import sys
from pathlib import Path

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

from helpers import printing


@pytest.fixture
def shell(monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # a shell puts its own names there
    shell = InteractiveShell()
    monkeypatch.setattr(printing, "get_ipython", lambda: shell)
    return shell


def cell(shell, text):
    """What a cell prints on ipykernel 7.0, which copies the context for each cell."""
    contextvars.copy_context().run(shell.run_cell, text)


def test_three_digits_last_from_cell_to_cell(shell, capsys):
    cell(shell, "import numpy as np; from helpers import short_numbers; short_numbers(); short_numbers()")
    cell(shell, "print(np.array([2 / 3]))")
    assert capsys.readouterr().out == "[0.667]\n"
    assert shell.events.callbacks["pre_run_cell"].count(printing.shorten) == 1


def test_what_the_learner_sets_is_left(shell, capsys):
    contextvars.copy_context().run(learner, shell)
    assert capsys.readouterr().out == "[0.66667]\n"


def learner(shell):
    """All cells in one context, as other kernels run them."""
    shell.run_cell("import numpy as np; from helpers import short_numbers; short_numbers()")
    shell.run_cell("np.set_printoptions(precision=5)")
    shell.run_cell("print(np.array([2 / 3]))")


def test_without_a_shell_it_sets_the_digits_and_no_more(monkeypatch):
    monkeypatch.setattr(printing, "get_ipython", lambda: None)
    context = contextvars.copy_context()
    context.run(printing.short_numbers)
    assert context.run(str, np.array([2 / 3])) == "[0.667]"
