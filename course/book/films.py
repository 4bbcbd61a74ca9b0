"""Films for the pages of the book: those that the lessons show, and those of short programs."""

import ast
import contextlib
import hashlib
import html
import json
import linecache
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import build

import minigrad as mg
from minigrad.inspector.html import in_script, shared, style

KEPT = Path(__file__).parent / "_build" / "films"  # what running the lessons has shown, until minigrad or the lesson changes
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
    files = {path: kept(path) for path in paths}
    missing = [path for path, file in files.items() if not file.exists()]
    if missing:
        KEPT.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor(min(2, len(missing)), multiprocessing.get_context("spawn")) as pool:
            for path, films in zip(missing, pool.map(run, missing), strict=True):
                for old in KEPT.glob(f"{path.stem}-*"):
                    old.unlink()
                files[path].write_text(json.dumps(films), encoding="utf-8")
    loaded = {path: json.loads(file.read_text(encoding="utf-8")) for path, file in files.items()}
    return {path: {cell: Film(**film) for cell, film in films.items()} for path, films in loaded.items()}


def kept(path):
    """Where the films of a lesson are kept: the name tells what they were made of."""
    engine = [file for file in sorted(Path(mg.__file__).parent.rglob("*.py")) if "classroom" not in file.parts]
    source = [path, *engine, *sorted((build.COURSE / "helpers").rglob("*.py"))]
    made_of = hashlib.sha256(b"".join(file.read_bytes() for file in source)).hexdigest()[:16]
    return KEPT / f"{path.stem}-{made_of}.json"


def run(path):
    """Run a lesson, and return its films by the ids of their cells."""
    notebook = build.executed(path)
    states = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    films = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if build.WIDGET in data and build.PICTURE in data:
                state = states[data[build.WIDGET]["model_id"]]["state"]
                where = state["view"], state["step"], state["selected"]
                films[cell.id] = asdict(Film(*where, data[build.PICTURE], data["text/plain"]))
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
    (folder / f"{name}.js").write_text(f"film({json.dumps(name)}, {in_script(state)});\n", encoding="utf-8")
    (folder / f"{name}.svg").write_text(film.picture, encoding="utf-8")
    told = html.escape(film.text.strip()).replace("\n", "&#10;")
    picture = f'<img src="{up}_static/films/{name}.svg" alt="{told}">'
    return f'<div class="film-place" id="film-{name}" data-film="{name}">{picture}</div>'
