"""What every inspector does, with or without a widget: print itself, and save itself as HTML, SVG or PNG."""

from pathlib import Path

from .compare import compared, side_by_side
from .html import framed, page
from .still import still
from .text import text_table


class Inspection:
    """The film of one tape, or of two with their titles, as a text table. `save_html` writes it as an interactive page."""

    hint = ""
    asks_first = False  # set by lessons: the widget opens at the start of its film, and hides the gradients

    def __init__(self, models, titles):
        self.models = models
        self.plain = models[0].data if len(models) == 1 else compared(models, titles)
        self.text = text_table(models[0]) if len(models) == 1 else side_by_side(models, titles)
        self.last = len(self.plain.get("axis") or models[0].film.steps) - 1
        self.nodes = {f"f{k}" for model in models for k in range(len(model.film.frames))}
        self.nodes |= {source["id"] for model in models for source in model.data["sources"]}

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"{self.text}{self.hint}"

    def to_html(self) -> str:
        """One HTML page that needs no kernel and no network access."""
        return page(self.plain, self.text, getattr(self, "step", self.last), getattr(self, "selected", ""))

    @property
    def written(self) -> str:
        """The same program in plain NumPy, forward and backward; empty if the log does not contain enough."""
        return "\n".join(line["text"] for line in self.models[0].data["written"])

    def to_svg(self) -> str:
        """A still picture of the end of the film; for two films, the first is above the second."""
        return still([model.data for model in self.models]).svg(self.text.partition("\n")[0])

    def still(self) -> dict:
        """What a notebook stores for readers without a kernel: text, a picture, and a self-contained page."""
        svg = self.to_svg()
        return {"text/plain": repr(self), "image/svg+xml": svg, "text/html": framed(self.to_html(), svg, str(self))}

    def save_svg(self, path) -> None:
        """Write the picture to a file, as SVG."""
        Path(path).write_text(self.to_svg(), encoding="utf-8")

    def save_png(self, path) -> None:
        """Write the picture to a file, as PNG. (This needs Matplotlib.)"""
        Path(path).write_bytes(still([model.data for model in self.models]).png())

    def save_html(self, path) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.to_html(), encoding="utf-8")


class TextInspector(Inspection):
    """The inspector that is used if anywidget is not installed."""

    hint = '\nTo see it as a film in a notebook: pip install "minigrad[course]"'

    def _repr_mimebundle_(self, **kwargs):
        return self.still()
