"""The answer, as data and as text."""

import html
from dataclasses import dataclass

import numpy as np

from .causes import Cause

MOST_LINES = 12
WIDTH = 110


@dataclass(frozen=True)
class Explanation:
    """Why a gradient is what it is.

    Attributes:
        status: "none", "partial", "zero", "nan" or "complete".
        meaning: of a None: "independent" (the true derivative is 0), "broken" (it depends, and the way is lost) or
            "undefined" (no useful derivative exists); otherwise "".
        causes: what happened, the first to mend first.
        path: the ops on the way from the source to the target.
        headline: the whole in one line.
        live, lost: the ways that the tape has, and those that it has not, as lists of names.
        notes: what else there is to say, such as the line that would tell more.
    """

    status: str
    meaning: str
    causes: "tuple[Cause, ...]"
    path: "tuple[str, ...]" = ()
    headline: str = ""
    live: "tuple[str, ...]" = ()
    lost: "tuple[str, ...]" = ()
    notes: "tuple[str, ...]" = ()

    @property
    def codes(self) -> "tuple[str, ...]":
        """The codes of the causes."""
        return tuple(cause.code for cause in self.causes)

    def lines(self) -> "list[str]":
        """The text, line by line."""
        lines = [self.headline]
        lines += [f"  {word:<6} {' -> '.join(way)}" for word, way in (("live", self.live), ("lost", self.lost)) if way]
        for cause in self.causes[:2]:
            lines += [f"  line   {cause.line}"] if cause.line else []
            lines += [f"  cause  {cause.code} ({cause.confidence}): {cause.sentence}", f"  mend   {cause.mend}"]
        lines += [f"  also   {', '.join(cause.code for cause in self.causes[2:])}"] if len(self.causes) > 2 else []
        lines += [f"  note   {note}" for note in self.notes]
        return [clipped(line) for line in lines[:MOST_LINES]]

    def __str__(self):
        return "\n".join(self.lines())

    __repr__ = __str__

    def _repr_html_(self):
        head, *rest = (html.escape(line) for line in self.lines())
        body = "\n".join(rest)
        return f'<pre style="line-height:1.45"><strong>{head}</strong>\n{body}</pre>'

    def to_dict(self) -> dict:
        """The same as plain data."""
        return dict(
            status=self.status, meaning=self.meaning, causes=[cause.to_dict() for cause in self.causes], path=list(self.path),
            headline=self.headline, live=list(self.live), lost=list(self.lost), notes=list(self.notes),
        )  # fmt: skip


def clipped(line):
    return line if len(line) <= 2 * WIDTH else line[: 2 * WIDTH - 4] + " ..."


def number_text(value) -> str:
    """A gradient in few digits, on one line."""
    if value is None:
        return "None"
    value = np.asarray(value)
    if value.ndim == 0:
        text = f"{value.item():.6g}" if value.dtype.kind in "fiu" else str(value.item())
        return text + ".0" if text.lstrip("-").isdigit() and value.dtype.kind == "f" else text
    text = np.array2string(value, precision=4, threshold=8, edgeitems=2, floatmode="maxprec", separator=" ")
    return " ".join(text.split())
