"""If a cell uses names that do not exist, as after a restart, says which cell to run first."""

import ast
import json
import os
import sys
from pathlib import Path

from ..errors import visible

LONG = 60  # characters of a line that are shown


def watch_names() -> None:
    """In this kernel, explain a missing name by the notebook cell that defines it."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.set_custom_exc((NameError,), tell)


def tell(shell, kind, problem, traceback, tb_offset=None):
    """Say which cell to run first; if no cell above defines the name, show the error unchanged."""
    cell = maker(getattr(problem, "name", None), lesson_cells(), shell.user_ns["In"][-1])
    if cell is None:
        shell.showtraceback((kind, problem, traceback), tb_offset=tb_offset)
        return
    first = next(line for line in cell.splitlines() if line.strip() and not line.startswith("#"))
    where = f"The cell above that begins with `{visible(first.strip(), LONG)}` makes it."
    advice = "Run that cell first, or choose Run > Run All Above Selected Cell in the menu."
    print(f"`{problem.name}` is not there yet. {where}\n{advice}", file=sys.stderr)


def lesson_cells() -> "list[str]":
    """The code cells of this kernel's notebook, as last saved."""
    try:
        cells = json.loads(Path(os.environ.get("JPY_SESSION_NAME", "")).read_text("utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def maker(name, cells, current) -> "str | None":
    """The last cell above the current one that defines a name at its top level; None if there is none."""
    above = cells[: cells.index(current)] if current in cells else cells
    return next((cell for cell in reversed(above) if cell != current and name in made_in(cell)), None)


def made_in(cell) -> set:
    """The names that a cell assigns, defines or imports; none if it is not plain Python."""
    try:
        tree = ast.parse(cell)
    except SyntaxError:
        return set()
    return {name for statement in tree.body for name in made_by(statement)}


def made_by(statement):
    """The names that a statement defines in its own scope, not inside functions."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
    if isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
        yield statement.id
    if not isinstance(statement, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        for part in ast.iter_child_nodes(statement):
            yield from made_by(part)
