"""A lesson as a page: its stored outputs, its films alive, predictions to choose from, and hints and solutions that unfold."""

import html
import re
import zipfile

import build
import nbformat
from helpers import card

from minigrad.classroom import contents, handout
from minigrad.classroom.repository import binder

from . import films
from .reference import safe

DONT_KNOW = "I do not know"


def page(path, its_films, source, repository):
    """Write the page of a lesson, and what can be downloaded of it.

    Args:
        path: the notebook.
        its_films: the id of a cell -> a Film.
        source: the folder of the book's source.
        repository: the address of the repository, or "".
    """
    notebook = nbformat.read(path, as_version=4)
    head, *cells = notebook.cells
    title, _, rest = head.source.partition("\n")
    head.source = f"{title}\n\n{buttons(path, repository)}\n{led(rest)}"
    notebook.cells = [head]
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        words = pictured(following)
        notebook.cells += for_book(cell, words, its_films, path.stem, source)
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "mystnb"}
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    (source / "lessons").mkdir(exist_ok=True)
    nbformat.write(notebook, source / "lessons" / path.name)
    download(path, source)


def for_book(cell, words, its_films, stem, source):
    """The cells that stand for a cell of the lesson."""
    if cell.cell_type == "markdown":
        cell.source = led(cell.source)
        return [cell]
    asked = re.match(r'predict\("([\d.]+)"', cell.source)
    if asked:
        return [nbformat.v4.new_markdown_cell(prediction(asked[1]))]
    for output in cell.outputs:
        if build.PICTURE in output.get("data", {}):
            shown = films.figure(its_films[cell.id], f"{stem}-{cell.id}", source / "static", "../")
            output.data = {"text/html": shown}
        elif "image/png" in output.get("data", {}):
            cell.metadata["mystnb"] = {"image": {"alt": words}}
    checked = re.search(r'^check\("([\w.]+)"', cell.source, re.MULTILINE)
    return [cell, nbformat.v4.new_markdown_cell(help_for(checked[1]))] if checked else [cell]


def led(text):
    """A text whose links lead to pages of the book; a notebook that needs a kernel is none."""
    return re.sub(r"\[([^][]*)\]\(own_program\.ipynb\)", r"\1", re.sub(r"\]\((\w+\.md)\)", r"](../\1)", text))


def pictured(cell):
    """The picture in words, which the cell after a plot begins with."""
    found = re.match(r"\*The picture in words: (.*?)\*(?:\n|$)", cell.source, re.DOTALL) if cell else None
    return " ".join(re.sub(r"[`*]", "", found[1]).split()) if found else "A plot, told in the text beside it."


# ---- to download, to open elsewhere --------------------------------------------------------------------------------


def buttons(path, repository):
    """The row of buttons below the title."""
    link = f"{{download}}`Download: the lesson, its checks and helpers <../downloads/{path.stem}.zip>`"
    place = binder(repository, f"{handout.NAME}/{path.name}")
    return f"{link}\n" + (f"[Open on Binder]({place}){{.binder}}\n" if place else "")


def download(path, source):
    """Write a zip with all that a lesson needs beside minigrad."""
    number = path.name[:2]
    helpers = [name for name in contents.SHARED if name.startswith("helpers/")]
    folder = source / "downloads"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{path.stem}.zip", "w", zipfile.ZIP_DEFLATED) as made:
        for name in (path.name, f"helpers/cards/lesson_{number}.py", *helpers, "glossary.md"):
            entry = zipfile.ZipInfo(f"{handout.NAME}/{name}", (2026, 1, 1, 0, 0, 0))
            made.writestr(entry, handout.handed_out(name), zipfile.ZIP_DEFLATED)


# ---- predictions ---------------------------------------------------------------------------------------------------


def prediction(exercise):
    """A row of buttons. What follows in the section is hidden until one is pressed (book.css, book.js)."""
    known = card.find(exercise)
    options = [html.escape(one) for one in known.options]
    shown = "\n".join(f'<button type="button" value="{one}">{one}</button>' for one in options)
    came_out = html.escape(known.came_out)
    return f"""<div class="prediction" role="group" aria-label="prediction {exercise}" data-exercise="{exercise}" data-came-out="{came_out}">
<span class="ask">What do you predict?</span>
{shown}
<button type="button" class="unsure" value="">{DONT_KNOW}</button>
<output></output> <button type="button" class="again">Choose again</button>
</div>"""


# ---- hints and solutions -------------------------------------------------------------------------------------------


def help_for(exercise):
    """The hints and the solution of an exercise, each folded into the one before."""
    known = card.find(exercise)
    titles = f"Stuck on {exercise}? A hint", "Another hint", "The last hint", "A solution"
    shown = ""
    texts = *map(safe, known.hints), f"```python\n{known.solution.strip()}\n```"
    for k, (title, text) in reversed([*enumerate(zip(titles, texts, strict=True))]):
        fence = ":" * (7 - k)
        shown = f"{fence}{{dropdown}} {title}\n{text}\n\n{shown}{fence}\n"
    return shown
