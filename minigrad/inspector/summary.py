"""Values as the inspector shows them: short texts, a few statistics and a tiny picture, never a whole large array."""

import base64
import math

import numpy as np

from ..errors import visible
from ..tracing.values import Summary

FIRST = 8  # numbers that are written out
ROWS, COLUMNS = 12, 16  # of the tiny picture
UNKNOWN = {"shape": None, "dtype": None, "state": "unknown", "text": "?", "first": []}  # a value that nobody has kept


def shown(value, whole=None) -> dict:
    """A value as plain data for JSON: the V of the view model.

    Args:
        value: an array, a Tensor, a Summary, what a walk works on, or None for a value that is not known.
        whole: all of its numbers, if they are at hand and the Summary has the first of them only.
    """
    if value is None:
        return UNKNOWN
    summary = value if isinstance(value, Summary) else Summary.of(value)
    kept = np.asarray(summary.kept if whole is None else whole)
    data = {"shape": list(summary.shape), "dtype": dtype_name(summary.dtype), "state": state_of(summary)}
    data["text"] = text_of(summary)
    data["first"] = [number_text(x) for x in kept.ravel()[:FIRST].tolist()]
    if data["state"] == "nan":
        data["odd"] = odd_numbers(kept) if kept.size == summary.size else []
    if kept.size == summary.size and kept.size and summary.dtype.kind in "biuf":
        data.update(statistics(kept))
    return data


def odd_numbers(array) -> list:
    """Which of nan, inf and -inf are in an array."""
    numbers = np.append(array.real, array.imag)
    found = {"nan": np.isnan(numbers), "inf": numbers == np.inf, "-inf": numbers == -np.inf}
    return [word for word, places in found.items() if places.any()]


def statistics(array) -> dict:
    """Least, greatest, mean and norm of the finite numbers, and the tiny picture, of an array that is wholly known."""
    numbers = array.astype(float)
    finite = numbers[np.isfinite(numbers)]
    data = {}
    if finite.size:
        with np.errstate(over="ignore"):
            data = {"min": finite.min(), "max": finite.max(), "mean": finite.mean(), "norm": norm_of(finite)}
        data = {name: number_text(float(number)) for name, number in data.items()}
    return data | ({"thumb": thumbnail(numbers)} if array.ndim else {})


def norm_of(numbers) -> float:
    top = float(np.abs(numbers).max(initial=0.0))
    return top * float(np.sqrt(np.sum((numbers / top) ** 2))) if top and math.isfinite(top) else top


def thumbnail(numbers) -> dict:
    """The picture: one signed byte a cell, of the greatest size in its block; -128 is nan or inf. Vectors lie down."""
    grid = numbers.reshape(-1, numbers.shape[-1]) if numbers.ndim > 1 else numbers.reshape(1, -1)
    if grid.shape[1] == 1:
        grid = grid.T
    grid = pooled(pooled(grid, ROWS, 0), COLUMNS, 1)
    top = np.abs(grid[np.isfinite(grid)]).max(initial=0.0)
    scaled = np.clip(grid / top if top else grid, -1, 1) * 127
    cells = np.where(~np.isfinite(grid), -128, np.where((scaled != 0) & (np.abs(scaled) < 1), np.sign(scaled), np.round(scaled)))
    return {"rows": grid.shape[0], "cols": grid.shape[1], "q": base64.b64encode(cells.astype(np.int8).tobytes()).decode()}


def pooled(grid, most, axis):
    """At most so many rows (or columns): of each block the number of the greatest size, nan before all others."""
    if grid.shape[axis] <= most:
        return grid
    grid = np.moveaxis(grid, axis, 0)
    best = []
    for part in np.array_split(grid, most):
        place = np.argmax(np.where(np.isnan(part), np.inf, np.abs(part)), 0)
        best.append(np.take_along_axis(part, place[None], 0)[0])
    return np.moveaxis(np.array(best), 0, axis)


def state_of(summary) -> str:
    """ "value", "zero", "nan" (or inf), "text" or "empty": which mark it has."""
    if summary.dtype.kind in "OSU":
        return "text"
    if summary.size == 0:
        return "empty"
    return "nan" if not summary.finite else "zero" if summary.zero else "value"


def dtype_name(dtype) -> str:
    return "string" if dtype.kind in "OSU" else dtype.name


def text_of(value, first=4) -> str:
    """A value in few characters: `9.0`, `[1.0 2.0]`, `[1.0 2.0 3.0 4.0 ...]`; short vectors are whole."""
    summary = value if isinstance(value, Summary) else Summary.of(value)
    if summary.size == 0:
        return f"empty {tuple(summary.shape)}".replace(" ()", "")
    first = max(first, 3) if summary.size <= 3 else first
    shown = [short(x) for x in summary.kept.ravel()[:first].tolist()]
    return shown[0] if summary.shape == () else f"[{' '.join(shown)}{' ...' if summary.size > first else ''}]"


def number_text(x, digits=6) -> str:
    """A number in at most six digits; a whole float has a point, and no zero a sign."""
    if isinstance(x, float):
        text = f"{x + 0.0:.{digits}g}"
        return text + ".0" if text.lstrip("-").isdigit() else text
    if isinstance(x, complex):
        return f"{x:.{digits}g}"
    return visible(x.decode(errors="replace") if isinstance(x, bytes) else x, 20)


def short(x) -> str:
    return number_text(x, 4)


def bytes_text(count) -> str:
    """So many bytes, for people."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.3g} {unit}" if unit != "B" else f"{count} B"
        count /= 1024
    return f"{count:.3g} GiB"


def norm_shown(summary) -> "float | None":
    """The size of a value, as a bar shows it; of a large one, that of the first numbers."""
    if summary is None or summary.dtype.kind not in "biuf":
        return None
    size = abs(float(summary.kept)) if summary.shape == () else norm_of(np.asarray(summary.kept, float).ravel())
    return float(f"{size:.3g}") if math.isfinite(size) else None
