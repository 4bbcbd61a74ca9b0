"""Films for the pages of the book: those that the lessons show, and those of short programs."""

import ast
import contextlib
import html
import json
import linecache
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import build

import minigrad as mg
from minigrad.inspector.html import shared, style

STATE = "application/vnd.jupyter.widget-state+json"


@dataclass(frozen=True)
class Film:
    """What a page needs of a film.

    Attributes:
        view, step, selected: what the inspector draws, and where it opens.
        picture: its end, as SVG.
        text: the same as a table.
    """

    view: dict
    step: int
    selected: str
    picture: str
    text: str

    @classmethod
    def of(cls, inspector):
        selected = getattr(inspector, "selected", "")
        return cls(inspector.plain, getattr(inspector, "step", inspector.last), selected, inspector.to_svg(), str(inspector))


# ---- lessons -------------------------------------------------------------------------------------------------------


def of_lessons(paths):
    """The films of each lesson: its path -> the id of a cell -> a Film. Lessons that have changed are run, two at a time."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        return dict(zip(paths, pool.map(of_lesson, paths), strict=True))


def of_lesson(path):
    """The films of a lesson by the ids of their cells."""
    notebook = build.executed(path)
    states = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    films = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if build.WIDGET in data and build.PICTURE in data:
                state = states[data[build.WIDGET]["model_id"]]["state"]
                films[cell.id] = Film(state["view"], state["step"], state["selected"], data[build.PICTURE], data["text/plain"])
    return films


# ---- programs ------------------------------------------------------------------------------------------------------


def ran(program, name):
    """Run a program under a trace: its names. Its last statement may raise. The film quotes its lines."""
    file = f"<{name}>"
    linecache.cache[file] = len(program), None, program.splitlines(True), file
    space = {"mg": mg}
    *before, last = ast.parse(program).body
    with mg.trace():
        exec(compile(ast.Module(before, []), file, "exec"), space)
        with contextlib.suppress(RuntimeError, LookupError, AttributeError):
            exec(compile(ast.Module([last], []), file, "exec"), space)
    return space


def of_program(program, name):
    """The film of the program's `tape`."""
    return Film.of(eval("mg.inspect(tape)", ran(program, name)))


# ---- on a page -----------------------------------------------------------------------------------------------------


def front_end(into):
    """Write what draws films into a folder."""
    (into / "inspector.js").write_text(shared(), encoding="utf-8")
    (into / "inspector.css").write_text(style(), encoding="utf-8")


def figure(film, name, into, up=""):
    """The HTML of a film: a picture, in whose place the film lives as soon as it comes into view.

    Args:
        film: the Film.
        name: what its files are called.
        into: the folder of static files.
        up: the way from the page to the top of the book, such as "../".
    """
    folder = into / "films"
    folder.mkdir(exist_ok=True)
    state = {"view": film.view, "step": film.step, "selected": film.selected}
    (folder / f"{name}.js").write_text(f"film({json.dumps(name)}, {json.dumps(state, allow_nan=False)});\n", encoding="utf-8")
    (folder / f"{name}.svg").write_text(film.picture, encoding="utf-8")
    told = html.escape(film.text.strip()).replace("\n", "&#10;")
    picture = f'<img src="{up}_static/films/{name}.svg" alt="{told}">'
    return f'<div class="film-place" id="film-{name}" data-film="{name}">{picture}</div>'
