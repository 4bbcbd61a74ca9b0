"""The film of a fix: where one was tried, the block is replayed once more with it, and filmed there."""

import contextlib
import linecache
import time

from ..explain.trial import Trial, try_with
from ..tracing import checkpoint
from .compare import axis
from .model import MOST_BYTES, Model


class Filming(Trial):
    """A trial that answers with a film, and what happens at its steps."""

    def answer(self, tape, targets, result):
        for file, text in self.files.items():
            linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        model = Model(tape, most_bytes=MOST_BYTES // 2, measured={self.source})
        return model.data, model.told


def film_fix(model):
    """Put the film of the fix that a verdict tells of into the view model, with the time that it shares with this film."""
    verdict = model.data["verdict"]
    q = next((q for q in model.questions if q.lines and q.answer.fixed.split("\n") == verdict.get("fixed")), None)
    if q is None or q.experiment is None:
        return
    q.experiment.deadline = time.perf_counter() + checkpoint.SECONDS
    with contextlib.suppress(checkpoint.NotTried):
        film, told = try_with(q, [edit for line in q.lines.values() for edit in line.edits], Filming)
        model.data["fixed"] = {"film": film, "axis": axis(model.told, told)}
