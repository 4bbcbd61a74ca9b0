"""What the lessons say of PyTorch and of JAX was run, and came out so: see `claims.py`."""

import json
import re
import sys
from pathlib import Path

import nbformat
import pytest
from claims import CLAIMS, STORED, agrees

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

import build

LESSONS = {path.name[:2]: path for path in build.lessons()}
SAYS = json.loads(STORED.read_text(encoding="utf-8"))
NOTHING_TO_RUN = ["There only the lengths tell.", "Its list of common questions treats it.", "three of the seven look different.",
                  "They differ in how they take slopes, and every lesson has a line about that.",
                  "the tool to look at is `torch.compile`; it was not tried for this lesson."]  # fmt: skip

every_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)


def said(lesson, library):
    """What a lesson says of a library, at its end."""
    text = "\n\n".join(cell.source for cell in nbformat.read(LESSONS[lesson], as_version=4).cells if cell.cell_type == "markdown")
    return re.search(r"\*\*[Ii]n PyTorch\*\*(.*)" if library == "PyTorch" else r"((?:and so it does )?\*\*[Ii]n JAX\*\*.*)", text)[1]


@every_claim
def test_a_claim_still_stands_in_its_lesson(claim):
    assert claim.words in said(claim.lesson, claim.library)


@every_claim
def test_a_claim_was_run_and_came_out_as_it_says(claim):
    stored = SAYS["claims"].get(claim.name, {})
    assert stored.get("program") == claim.mark, "run python -m tests.claims"
    assert agrees(claim, stored["seen"])


def test_what_is_stored_is_what_is_claimed():
    assert set(SAYS["claims"]) == {claim.name for claim in CLAIMS}
    assert set(SAYS["versions"]) == {"Python", "torch", "jax", "numpy"}


@pytest.mark.parametrize("library", ["PyTorch", "JAX"])
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_sentence_has_a_claim(lesson, library):
    words = [claim.words for claim in CLAIMS if (claim.lesson, claim.library) == (lesson, library)]
    for sentence in re.split(r"(?<=\.)\s+(?=[A-Z`])", said(lesson, library)):
        assert any(one in sentence for one in words) or sentence.strip() in NOTHING_TO_RUN, sentence
