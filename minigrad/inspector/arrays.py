"""Values as plain data: their form, their size in a few numbers, a small picture, and short texts."""

import math

import numpy as np

from ..tracing.values import COLUMNS, ROWS, Summary, brief

FEW = 4  # elements that are shown as numbers
FIRST = 256  # elements of a picture
UNKNOWN = {"shape": None, "state": "unknown", "text": "?"}  # a value that nobody has kept


def shown(value) -> dict:
    """A value as plain data for JSON.

    Args:
        value: an array, a Tensor, a Summary, what a backward pass works on, or None for a value that is not known.

    Returns:
        `shape`, `dtype`, `n` elements, `state` and `text`; of numbers `norm`, `low`, `high` and how many are `zeros`, `nan`,
        `inf` and `-inf`; and a `picture`: its `kind`, `rows`, `cols`, numbers `v` in rows, and whether it is `pooled`.
    """
    if value is None:
        return UNKNOWN
    summary = value if isinstance(value, Summary) else Summary.of(value)
    dtype = "string" if summary.dtype.kind in "OSU" else summary.dtype.name
    data = {"shape": list(summary.shape), "dtype": dtype, "n": summary.size, "text": text_of(summary)}
    found = summary.measures
    data["state"] = state_of(summary, found)
    if found is None:
        return data
    data |= {"norm": json_number(found.norm), "low": json_number(found.low), "high": json_number(found.high), "zeros": found.zeros}
    data |= {word: count for word, count in (("nan", found.nan), ("inf", found.inf), ("-inf", found.minus_inf)) if count}
    picture = picture_of(summary, found)
    return data | ({"picture": picture} if picture else {})


def picture_of(summary, found) -> "dict | None":
    """The numbers to draw: all of a small array; of a larger one those of its thumbnail."""
    axes = [n for n in summary.shape if n > 1]
    kept, sizes = (np.abs(summary.kept), {"sizes": True}) if summary.dtype.kind == "c" else (summary.kept, {})
    if summary.size <= FEW:
        rows = 2 if len(axes) > 1 else 1
        return {"kind": "numbers", "rows": rows, "cols": summary.size // rows, "v": cells(summary.kept, 6)}
    if len(axes) <= 1:
        numbers = kept.ravel() if summary.whole else found.thumb
        return {"kind": "line", "rows": 1, "cols": numbers.size, "v": cells(numbers), "pooled": not summary.whole, **sizes}
    grid = kept.reshape(-1, summary.shape[-1]) if summary.whole else found.thumb
    pooled = not summary.whole
    if max(grid.shape[0] / ROWS, grid.shape[1] / COLUMNS) > 2:
        grid, pooled = found.thumb, True
    return {"kind": "grid", "rows": grid.shape[0], "cols": grid.shape[1], "v": cells(grid), "pooled": pooled, **sizes}


def cells(numbers, digits=4) -> list:
    return [json_number(x, digits) for x in np.asarray(numbers).ravel().tolist()]


def json_number(x, digits=4):
    """A number in so many digits; what JSON cannot say, as a word."""
    if isinstance(x, float):
        return float(f"{x:.{digits}g}") + 0.0 if math.isfinite(x) else str(x)
    return brief(x, digits) if isinstance(x, complex) else int(x)


def state_of(summary, found) -> str:
    """ "value", "zero", "nan" (or inf), "text" or "empty": which mark it has."""
    if summary.dtype.kind in "OSU":
        return "text"
    if summary.size == 0:
        return "empty"
    return "nan" if not found.finite else "zero" if found.zeros == summary.size else "value"


def text_of(value, first=4) -> str:
    """A value in few characters: `9.0`, `[1.0 2.0]`, `[1.0 2.0 3.0 4.0 ...]`; short vectors are whole."""
    summary = value if isinstance(value, Summary) else Summary.of(value)
    if summary.size == 0:
        return f"empty {tuple(summary.shape)}".replace(" ()", "")
    first = max(first, 3) if summary.size <= 3 else first
    shown = [brief(x) for x in summary.kept.ravel()[:first].tolist()]
    return shown[0] if summary.shape == () else f"[{' '.join(shown)}{' ...' if summary.size > first else ''}]"


def size_text(summary) -> str:
    """A value as the head of a film names it: a few numbers, or the form and the norm of many."""
    if summary.size <= FEW or summary.measures is None:
        return text_of(summary)
    odd = [f"{count} {word}" for word, count in zip(("nan", "inf", "-inf"), summary.measures[4:7]) if count]
    return f"{tuple(summary.shape)}, {', '.join(odd) or f'norm {brief(summary.measures.norm)}'}"


def bytes_text(count) -> str:
    """So many bytes, for people."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.3g} {unit}" if unit != "B" else f"{count} B"
        count /= 1024
    return f"{count:.3g} GiB"


def norm_of(summary) -> "float | None":
    """The norm of a value, with the sign of a single number; None where there is none."""
    if summary is not None and summary.whole and summary.kept.shape == () and summary.kept.dtype.kind in "biuf":
        number = float(summary.kept)
        return json_number(number) if math.isfinite(number) else None
    found = None if summary is None else summary.measures
    return json_number(found.norm) if found is not None and found.finite else None
