"""Two films beside each other: which frames belong together."""

from difflib import SequenceMatcher
from typing import NamedTuple

from .text import twin


class Side(NamedTuple):
    """A film that is to be compared: its view model, the line and the op of each frame, and its steps."""

    data: dict
    frames: list
    steps: list


def compared(sides, titles) -> dict:
    """The view model of two films, with pairs of frames; None where one has nothing."""
    frames = aligned(*[side.frames for side in sides])
    return {"v": 2, "compare": [side.data for side in sides], "titles": list(titles), "frames": frames, "axis": axis(sides, frames)}


def axis(sides, frames) -> list:
    """A time for both films, in which what belongs together happens at once: for each step of it the step of each film."""
    partner = {j: i for i, j in frames if i is not None and j is not None}
    first = [(kind, number) for kind, number in sides[0].steps]
    second = [(kind, partner.get(n, -1 - n) if kind in ("write", "read") else n) for kind, n in sides[1].steps]
    times, i, j = [], -1, -1
    for _, i_start, i_end, j_start, j_end in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        for k in range(max(i_end - i_start, j_end - j_start)):
            i, j = min(i_start + k, i_end - 1) if i_end > i_start else i, min(j_start + k, j_end - 1) if j_end > j_start else j
            times.append([i, j])
    return times


def aligned(first, second):
    """Pairs of places in two sequences that belong together. What was replaced stands opposite of what replaced it."""
    pairs = []
    for what, i, i_end, j, j_end in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if what == "equal":
            pairs += [[i + k, j + k] for k in range(i_end - i)]
        else:
            pairs += opposite(first, range(i, i_end), second, range(j, j_end))
    return pairs


def opposite(first, left, second, right):
    """Pairs of the places in two short ranges: the two lines that are most alike, and so on before and after them."""
    if not left or not right or len(left) * len(right) > 400:
        return [[i, None] for i in left] + [[None, j] for j in right]
    i, j = max(((i, j) for i in left for j in right), key=lambda pair: likeness(first[pair[0]], second[pair[1]]))
    before = opposite(first, range(left.start, i), second, range(right.start, j))
    return [*before, [i, j], *opposite(first, range(i + 1, left.stop), second, range(j + 1, right.stop))]


def likeness(first, second):
    return SequenceMatcher(None, first[0], second[0]).ratio()


def side_by_side(models, titles) -> str:
    """Both twins under their titles, and the lines that differ."""
    first, second = (dict.fromkeys(model.line_text(one.place) for one in model.film.frames) for model in models)
    changed = [f"  - {line}" for line in first if line and line not in second]
    changed += [f"  + {line}" for line in second if line and line not in first]
    parts = [f"{title}\n{twin(model)}" for title, model in zip(titles, models)]
    return "\n".join([parts[0], "", parts[1], *(["", "the lines that differ", *changed[:12]] if changed else [])])
