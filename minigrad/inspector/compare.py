"""Two films beside each other: which lines and which frames belong together."""

from difflib import SequenceMatcher

from .text import twin


def compared(models, titles) -> dict:
    """The view model of two films, with pairs of lines and pairs of frames; None where one has nothing."""
    views = [model.data for model in models]
    lines = aligned(*([line["text"].strip() for line in view["code"]] for view in views))
    frames = aligned(*([key(model, k) for k in range(len(model.film.frames))] for model in models))
    numbers = [[line["n"] for line in view["code"]] for view in views]
    return {
        "v": 1, "compare": views, "titles": list(titles), "frames": frames,
        "align": [[None if k is None else numbers[side][k] for side, k in enumerate(pair)] for pair in lines],
    }  # fmt: skip


def key(model, k):
    frame = model.film.frames[k]
    return model.line_text(frame.place), frame.op


def aligned(first, second):
    """Pairs of places in two sequences that belong together. What was replaced stands opposite of what replaced it."""
    pairs = []
    for what, i, i_end, j, j_end in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        length = max(i_end - i, j_end - j)
        if what in ("equal", "replace"):
            pairs += [[i + k if i + k < i_end else None, j + k if j + k < j_end else None] for k in range(length)]
        else:
            pairs += [[i + k, None] for k in range(i_end - i)] + [[None, j + k] for k in range(j_end - j)]
    return pairs


def side_by_side(models, titles) -> str:
    """Both twins under their titles, and the lines that differ."""
    first, second = ([line["text"].strip() for line in model.data["code"]] for model in models)
    changed = [f"  - {line}" for line in first if line and line not in second]
    changed += [f"  + {line}" for line in second if line and line not in first]
    parts = [f"{title}\n{twin(model)}" for title, model in zip(titles, models)]
    return "\n".join([parts[0], "", parts[1], *(["", "the lines that differ", *changed[:12]] if changed else [])])
