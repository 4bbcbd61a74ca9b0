"""Compare two films by matching their steps. One may be the film of a fix that was tried: of a replay with it."""

import contextlib
import linecache
import time
from difflib import SequenceMatcher

from ..explain.trial import Trial, try_with
from ..tracing import checkpoint
from .model import MOST_BYTES, Model
from .text import text_table


def compared(models, titles) -> dict:
    """The view model of two films."""
    return {"v": 2, "compare": [model.data for model in models], "titles": list(titles), "axis": axis(*[model.told for model in models])}


def axis(first, second) -> list:
    """A common time for both films, in which matching steps coincide: for each of its steps, the step of each film. Where one
    stretch replaces another, their ends are aligned, and the shorter one waits."""
    times = []
    for _, i, i_end, j, j_end in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        left = reversed(range(max(i_end - i, j_end - j)))
        times += [[max(i, i_end - k) - 1, max(j, j_end - k) - 1] for k in left]
    return times


def side_by_side(models, titles) -> str:
    """Both films as text under their titles, and the lines that differ."""
    first, second = (dict.fromkeys(model.line_text(one.place) for one in model.film.frames) for model in models)
    changed = [f"  - {line}" for line in first if line and line not in second]
    changed += [f"  + {line}" for line in second if line and line not in first]
    parts = [f"{title}\n{text_table(model)}" for title, model in zip(titles, models)]
    return "\n".join([parts[0], "", parts[1], *(["", "the lines that differ", *changed[:12]] if changed else [])])


class Filming(Trial):
    """A trial that returns the view model of its film, and a description of each step."""

    def answer(self, tape, result):
        for file, text in self.files.items():
            linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        model = Model(tape, most_bytes=MOST_BYTES // 2, measured={*self.sources[:1]})
        return model.data, model.told


def film_fix(model):
    """Add the film of the fix in the verdict to the view model, with the time that both films share."""
    verdict = model.data["verdict"]
    q = next((q for q in model.questions if q.lines and q.answer.fixed.split("\n") == verdict.get("fixed")), None)
    if q is None or q.experiment is None or not (q.experiment.slopes or model.whole):
        return
    q.experiment.deadline = time.perf_counter() + checkpoint.SECONDS
    with contextlib.suppress(checkpoint.NotTried):
        others = [one.id for one in model.sources if one is not q.source]
        film, told = try_with(q, [edit for line in q.lines.values() for edit in line.edits], Filming, others)
        for asked, own in zip(film["readings"], model.data["readings"][-1:]):  # a trial asks where the block ends
            asked |= {"line": own["line"], "text": own["text"]}
        model.data["fixed"] = {"film": film, "axis": axis(model.told, told)}
