"""What lesson 14 shows where TensorFlow is not installed is what TensorFlow says."""

import importlib
import json
import sys
from pathlib import Path

import pytest

COURSE = Path(__file__).parents[2] / "course"
sys.path.insert(0, str(COURSE))
elsewhere = importlib.import_module("helpers.elsewhere")

SAID = json.loads((COURSE / "helpers/said_by_tensorflow.json").read_text("utf-8"))


@pytest.mark.parametrize("program", SAID)
def test_what_is_stored_is_what_is_said(program):
    assert elsewhere.said_by(program) == SAID[program]


def test_the_program_of_the_lesson_is_stored():
    cells = json.loads((COURSE / "14_gradient_detective.ipynb").read_text("utf-8"))["cells"]
    source = next("".join(cell["source"]) for cell in cells if cell["id"] == "run-tensorflow")
    shown = []
    exec(source.partition("\n")[2], {"on_tensorflow": shown.append})
    assert shown == list(SAID)
