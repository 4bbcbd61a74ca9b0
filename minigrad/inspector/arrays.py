"""Values as plain data: the shape, a few numbers on the size, a small picture, and short texts."""

import math
from unicodedata import east_asian_width

import numpy as np

from ..tracing.values import COLUMNS, ROWS, SMALLEST_SQUARE, Summary, brief, careful_norm, floats

FEW = 4  # an array of at most so many elements is shown as numbers


def shown(value) -> dict:
    """A value as plain data for JSON: `shape`, `dtype`, `n` elements, `state` and `text`; for numbers also `norm`, `low`, `high` of
    the finite, the counts of `zeros`, `nan`, `inf` and `-inf`, a `note` on these, and a `picture`: `kind`, `rows`, `cols`, the
    numbers `v` by rows, and `pooled`."""
    summary = Summary.of(value)
    dtype = "string" if summary.dtype.kind in "OSU" else summary.dtype.name
    data = {"shape": [*summary.shape], "dtype": dtype, "n": summary.size, "text": text_of(summary), "state": state_of(summary)}
    found = summary.measures
    if found is None:
        return data
    if found.nan + found.inf + found.minus_inf < summary.size:
        data |= {name: json_number(getattr(found, name), 6) for name in ("norm", "low", "high")}
    data["zeros"] = found.zeros
    data |= {word: count for word, count in (("nan", found.nan), ("inf", found.inf), ("-inf", found.minus_inf)) if count}
    return data | {"note": note_of(data), "picture": picture_of(summary, found)}


def note_of(data) -> list:
    """A note on the elements that are not finite, or else on the zeros, in a long and a short form; empty if there are none."""
    odd = [f"{data[word]} {word}" for word in ("nan", "inf", "-inf") if word in data]
    if odd or data["zeros"] == data["n"]:
        return [", ".join(odd), odd[0]] if odd else ["all 0"]
    share = 100 * data["zeros"] / data["n"]
    percent = math.floor(10 * share) / 10 if share > 99 else round(share)
    return [f"{percent} % zeros", f"{percent} % 0"] if share >= 1 else [f"{data['zeros']} zero{'s' * (data['zeros'] > 1)}"] * (share > 0)


def picture_of(summary, found) -> dict:
    """The numbers to draw: all of a small array, or the thumbnail of a larger one."""
    axes = [n for n in summary.shape if n > 1]
    kept, sizes = (np.abs(summary.kept), {"sizes": True}) if summary.dtype.kind == "c" else (summary.kept, {})
    if summary.size <= FEW:
        rows = 2 if len(axes) > 1 else 1
        return {"kind": "numbers", "rows": rows, "cols": summary.size // rows, "v": cells(summary.kept, 7)}
    kind, long = ("grid", summary.shape[-1]) if len(axes) > 1 else ("line", summary.size)
    pooled = not summary.whole or (kind == "grid" and max(summary.size / long / ROWS, long / COLUMNS) > 2)
    grid = found.thumb if pooled else kept.reshape(-1, long)
    return {"kind": kind, "rows": grid.shape[0], "cols": grid.shape[1], "v": cells(grid), "pooled": pooled, **sizes}


def cells(numbers, digits=4) -> list:
    return [json_number(x, digits) for x in np.asarray(numbers).ravel().tolist()]


def json_number(x, digits=4):
    """A number rounded to `digits` digits; nan and inf, which JSON lacks, and complex numbers become text."""
    if isinstance(x, float):
        return float(f"{x:.{digits}g}") + 0.0 if math.isfinite(x) else str(x)
    return brief(x, digits) if isinstance(x, complex) else int(x)


def state_of(summary) -> str:
    """The state of a value, by which it is marked: "value", "zero", "nan" (or inf), "text" or "empty"."""
    if summary.dtype.kind in "OSU":
        return "text"
    if summary.size == 0:
        return "empty"
    if not summary.finite:
        return "nan"
    return "zero" if summary.zero else "value"


def text_of(value, first=4) -> str:
    """A value as a short text: `9.0`, `[1.0 2.0]`, `[1.0 2.0 3.0 4.0 ...]`; short vectors are complete."""
    summary = Summary.of(value)
    if summary.size == 0:
        return f"empty {tuple(summary.shape)}".replace(" ()", "")
    first = max(first, 3) if summary.size <= 3 else first
    shown = [brief(x) for x in summary.kept.ravel()[:first].tolist()]
    return shown[0] if summary.shape == () else f"[{' '.join([*shown, *['...'] * (summary.size > first)])}]"


def size_text(summary) -> str:
    """A value as shown in the head of a film: a few numbers, or the shape and the norm of many."""
    if summary.size <= FEW or summary.measures is None:
        return text_of(summary)
    odd = [f"{count} {word}" for word, count in zip(("nan", "inf", "-inf"), summary.measures[4:7]) if count]
    return f"{tuple(summary.shape)}, {', '.join(odd) or f'norm {brief(summary.measures.norm)}'}"


def bytes_text(count) -> str:
    """A number of bytes as text, in a readable unit."""
    if count is None:
        return "? B"
    power = min(3, max(0, int(count).bit_length() - 1) // 10)
    return f"{count / 1024**power:.3g} {' KMG'[power]}iB" if power else f"{count} B"


def norm_of(summary) -> "float | None":
    """The norm of a value; a single number keeps its sign. None if there is no finite norm."""
    array = summary.array if summary is not None and summary.whole else None
    if array is not None and array.dtype.kind in "biuf":
        if not array.shape:
            return json_number(float(array)) if math.isfinite(array) else None
        numbers = floats(array).ravel()
        square = float(numbers.dot(numbers))
        if SMALLEST_SQUARE < square < math.inf:
            return json_number(square**0.5)
        if summary.finite:
            return json_number(careful_norm(numbers.astype(float)))
    found = None if summary is None else summary.measures
    return json_number(found.norm) if found is not None and found.finite and math.isfinite(found.norm) else None


def spread(text) -> str:
    """Pad a text with "\\0" to its display width: a wide character (Chinese, Japanese, Korean) takes the room of two."""
    return "".join(f"\0{one}" if east_asian_width(one) in "WF" else one for one in text)
