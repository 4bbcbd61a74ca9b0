"""The answer, as data and as text."""

import html
from collections import Counter
from dataclasses import asdict, dataclass, replace

import numpy as np

from .. import nest
from ..errors import visible
from .causes import Cause

MOST_LINES = 12
WIDTH = 160  # characters per line


class BrokenGradient(RuntimeError):
    """A gradient that is broken or partial, while `mg.trace(strict=True)` is on. Its text is the explanation."""


class Printed:
    """Something printed as lines, as plain text and in a notebook."""

    def __str__(self):
        return "\n".join(self.lines())

    def _repr_pretty_(self, printer, cycle):
        for k, line in enumerate(self.lines()):
            if k:
                printer.break_()
            printer.text(line)


@dataclass(frozen=True, repr=False)
class Explanation(Printed):
    """The reasons behind a gradient, to be printed.

    Attributes:
        status: "none", "partial", "zero", "nan", "complete", or "untried" (only the tape's part is known).
        meaning: of a None: "independent" (the true derivative is 0), "broken" (the target depends on the source, but
            the path is lost) or "undefined" (no useful derivative exists); otherwise "".
        causes: what happened, in the order in which to fix it.
        headline: the whole answer in one line.
        path: the ops on the path from the source to the target.
        live, lost: a path on the tape, and one missing from it, as names from the source to the target.
        carries: the gradient along the live paths, as text.
        notes: further remarks, such as the line that would reveal more.
        fixed: the source code of the block or function with the fix applied, if a replay confirmed it; otherwise "".
    """

    status: str
    meaning: str
    causes: "tuple[Cause, ...]"
    headline: str
    path: "tuple[str, ...]" = ()
    live: "tuple[str, ...]" = ()
    lost: "tuple[str, ...]" = ()
    carries: str = ""
    notes: "tuple[str, ...]" = ()
    fixed: str = ""

    @property
    def codes(self) -> "tuple[str, ...]":
        """The codes of the causes."""
        return tuple(cause.code for cause in self.causes)

    def raise_if_broken(self) -> None:
        """Raise if the gradient is broken or partial, as a strict trace does.

        Raises:
            BrokenGradient: with the text of this Explanation.
        """
        if self.status == "partial" or self.meaning == "broken":
            raise BrokenGradient(str(self))

    def rows(self) -> "list[tuple[str, str]]":
        """The (label, text) pairs below the headline."""
        live, lost = carrying(self.live, self.carries, self.lost), carrying(self.lost, "nothing", self.live)
        rows = [(word, text) for word, text in (("live", live), ("lost", lost)) if text]
        for cause in self.causes[:2]:
            rows += cause.facts or ([("line", cause.line)] if cause.line else [])
            rows += [("cause", f"{cause.code} ({cause.confidence}): {cause.sentence}"), ("fix", cause.fix)]
            rows += [("then", line) for line in cause.later]
        if self.causes[2:]:
            rows.append(("also", ", ".join(dict.fromkeys(cause.code for cause in self.causes[2:]))))
        notes = [("note", note) for note in self.notes]
        return rows[: MOST_LINES - 1 - len(notes)] + notes

    def lines(self) -> "list[str]":
        """The text, line by line."""
        rows = self.rows()
        width = max([6, *[len(word) + 1 for word, _ in rows]])
        lines = [visible(line, None) for line in (self.headline, *[f"  {word:<{width}} {text}" for word, text in rows])]
        return [line if len(line) <= WIDTH else line[: WIDTH - 4] + " ..." for line in lines]

    def __repr__(self):
        return f"<{'  '.join([' '.join(self.headline.split()), *dict.fromkeys(self.codes)])}>"

    _repr_pretty_ = Printed._repr_pretty_  # IPython uses the one of the class that defines __repr__

    def _repr_html_(self):
        head, *rest = (html.escape(line) for line in self.lines())
        body = "\n".join(["", *rest])
        return f'<pre style="line-height:1.45"><strong>{head}</strong>{body}</pre>'

    def to_dict(self) -> dict:
        """This explanation as plain data, for JSON."""
        return asdict(self)


class Table(Printed):
    """The Explanations of several sources, in the structure of `sources`, which print as one table."""

    def lines(self) -> "list[str]":
        """The count of each status, then each Explanation with its line, cause and fix, or else its notes."""
        answers = nest.flatten(self)
        counts = ", ".join(f"{n} {status}" for status, n in Counter(answer.status for answer in answers).items())
        found = [f"{len(answers)} gradient{'s' * (len(answers) != 1)}{counts and f': {counts}'}"]
        for answer in answers:
            shown = ("line", "cause", "fix", "then") if answer.causes else ("note",)
            found += [line for line in answer.lines() if line.split()[0] in shown or line[0] != " "]
        return found

    def _repr_html_(self):
        """The headline of each Explanation, its first line, its cause or else note, and its fix with further lines."""
        found = "<table><thead><tr><th>gradient</th><th>line</th><th>cause</th><th>fix</th></tr></thead><tbody>"
        for answer in nest.flatten(self):
            rows = dict(reversed(answer.rows()))
            fix = "; then ".join([rows.get("fix", ""), *[text for word, text in answer.rows() if word == "then"]])
            row = answer.headline, rows.get("line", ""), rows.get("cause", rows.get("note", "")), fix
            cells = [f'<td style="text-align: left">{html.escape(visible(text, None))}</td>' for text in row]
            found += f"<tr>{''.join(cells)}</tr>"
        return f"{found}</tbody></table>"


class ListOfExplanations(Table, list):
    pass


class TupleOfExplanations(Table, tuple):
    pass


class DictOfExplanations(Table, dict):
    pass


TABLES: dict = {list: ListOfExplanations, tuple: TupleOfExplanations, dict: DictOfExplanations}


def carrying(way, what, other):
    """A path and what it carries, aligned in columns with the other path."""
    if not way:
        return ""
    width = max(len(" -> ".join(one)) for one in (way, other))
    return f"{' -> '.join(way):<{width}}   carries {what}" if what and other else " -> ".join(way)


def number_text(value) -> str:
    """A gradient in few digits, on one line."""
    value = np.asarray(value) + 0  # removes the sign of -0.0
    if value.ndim == 0:
        text = f"{value.item():.6g}" if value.dtype.kind in "fiu" else str(value.item())
        return text + ".0" if text.lstrip("-").isdigit() and value.dtype.kind == "f" else text
    if value.size > 8 and value.dtype.kind in "fiuc" and not value.any():
        return f"zeros of shape {value.shape}"
    text = np.array2string(value, precision=4, threshold=8, edgeitems=2, floatmode="maxprec", separator=" ")
    return " ".join(text.split()).replace("[ ", "[")


def with_notes(answer, *notes) -> Explanation:
    return replace(answer, notes=(*answer.notes, *notes))
