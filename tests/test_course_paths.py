"""In a hurry: a shorter way through each lesson, and its minutes."""

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
