"""The films of the lessons: made here again, each has the picture and the table that are stored in its lesson."""

import ast
import json
import linecache
import sys
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg

COURSE = Path(__file__).parent.parent / "course"
sys.path.insert(0, str(COURSE))

PICTURE = "image/svg+xml"
TALK = "predict-", "check-", "explain-", "witness-", "plot"  # cells that no film needs
CODE = {
    path.stem: [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    for path in sorted(COURSE.glob("[0-9][0-9]_*.ipynb"))
    if path.name[:2] != "16"  # it trains for seconds
}


def film_in(cell):
    """The film that is stored below a cell, as its table and its picture; None if there is none."""
    found = [one["data"] for one in cell["outputs"] if PICTURE in one.get("data", {})]
    return ("".join(found[0]["text/plain"]), "".join(found[0][PICTURE])) if found else None


def run(source, file, space):
    """Run a cell as a notebook does, and return what its last line gives."""
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    tree = ast.parse(source, file)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), space)
    return eval(compile(last, file, "eval"), space) if last else None


@pytest.mark.parametrize("lesson", [lesson for lesson, cells in CODE.items() if any(map(film_in, cells))])
def test_the_films_of_a_lesson_have_the_pictures_and_tables_that_are_stored_there(lesson, monkeypatch):
    monkeypatch.chdir(COURSE)
    monkeypatch.setattr(mg.engine.custom, "GRADIENTS", {**mg.engine.custom.GRADIENTS})  # lessons register some
    space, last = {"__name__": "__main__"}, max(k for k, cell in enumerate(CODE[lesson]) if film_in(cell))
    try:
        with np.printoptions():  # a lesson may shorten its numbers
            for cell in [one for one in CODE[lesson][: last + 1] if not one["id"].startswith(TALK)]:
                given = run("".join(cell["source"]), f"<{lesson} {cell['id']}>", space)
                if stored := film_in(cell):
                    assert (str(given), given.to_svg()) == stored
    finally:
        mg.trace(False)
