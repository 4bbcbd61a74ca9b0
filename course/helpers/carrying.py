"""A learner's work as one file, to carry from one machine to another: the changes in the lessons, and the notes."""

import base64
import json
import math
import re

from minigrad.classroom import handout, whole
from minigrad.classroom.telling import Trouble
from minigrad.errors import visible

from . import diary
from .overview import COURSE, lessons
from .trying import never_raises

FILE = "my_work.json"
FORMAT = 1
MOST_BYTES = 10 << 20
KINDS = "code", "markdown", "raw"


class NoWork(Exception):
    """A file cannot be used; the message says why."""


@never_raises
def save_work():
    """Write what you have changed, predicted and solved to my_work.json, beside the lessons, with a download link."""
    notes = {kind: diary.all_kept(kind) for kind in diary.KINDS}
    changed = {path.name: changes(path) for path in lessons().values() if path.exists()}
    work = {"format": FORMAT, "lessons": {name: cells for name, cells in changed.items() if cells}, "notes": notes}
    content = json.dumps(work, indent=1, ensure_ascii=False).encode(errors="backslashreplace")
    whole.write(COURSE / FILE, content)
    print(f"save_work: {counted(work)} are in {FILE}, as they were last saved. To bring them back elsewhere: bring_back()")
    show_link(content)


def show_link(content):
    """A link that downloads the file with one click."""
    from IPython import get_ipython
    from IPython.display import HTML, display

    if get_ipython() is not None:
        data = base64.b64encode(content).decode()
        display(HTML(f'<a download="{FILE}" href="data:application/json;base64,{data}">Download {FILE}</a>'))


@never_raises
def bring_back(file=FILE):
    """Put the work from such a file into the lessons here. Existing lessons are copied first; nothing is run."""
    try:
        work = read(COURSE / file if isinstance(file, str) else file)
        fresh = {name: with_changes(COURSE / name, cells) for name, cells in work["lessons"].items()}
    except (NoWork, Trouble, OSError) as problem:
        why = getattr(problem, "strerror", None) or str(problem).partition("\n")[0]
        print(f"bring_back: nothing was changed. {visible(why, 200)}")
        return
    for name, content in fresh.items():
        path = COURSE / name
        if path.exists():
            handout.kept_copy(path, COURSE)
        whole.write(path, content)
    for kind, notes in work["notes"].items():
        for exercise, note in notes.items():
            if diary.kept(kind, exercise) is None:
                diary.keep(kind, exercise, note)
    print(f"bring_back: {counted(work)} are here. What stood in these lessons is kept in my_copies.")
    print("If one of them is open in a tab, close that without saving and open it again.")


def counted(work):
    many, notes = len(work["lessons"]), sum(map(len, work["notes"].values()))
    return f"changes in {many} lesson{'s' * (many != 1)} and {notes} note{'s' * (notes != 1)}"


# ---- what was changed in a lesson ----------------------------------------------------------------------------------


def cells_of(content):
    return json.loads(content)["cells"]


def source_of(cell):
    return "".join(cell["source"])


def changes(path):
    """The cells of a lesson that differ from those handed out: their sources, and for a new one the cell before it."""
    ours = {cell.get("id"): source_of(cell) for cell in cells_of(handout.handed_out(path.name))}
    found, before = [], ""
    try:
        for cell in cells_of(path.read_bytes()):
            name = str(cell.get("id") or f"own-{len(found)}")
            if ours.get(name) != source_of(cell):
                found.append({"id": name, "after": before, "kind": cell["cell_type"], "source": source_of(cell)})
            before = name
    except (ValueError, LookupError, TypeError, AttributeError):
        print(f"(save_work: {visible(path.name)} is damaged, and is left out.)")
        return []
    return found


def with_changes(path, changed):
    """A lesson as it was handed out, with these cells changed or added."""
    notebook = json.loads(handout.handed_out(path.name))
    cells = notebook["cells"]
    for one in changed:
        places = [k for k, cell in enumerate(cells) if cell.get("id") == one["id"]]
        if places:
            cells[places[0]]["source"] = one["source"]
            continue
        before = [k for k, cell in enumerate(cells) if cell.get("id") == one["after"]]
        cell = {"cell_type": one["kind"], "id": one["id"], "metadata": {}, "source": one["source"]}
        more = {"outputs": [], "execution_count": None} if one["kind"] == "code" else {}
        cells.insert(before[0] + 1 if before else len(cells), {**cell, **more})
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


# ---- a file from elsewhere -----------------------------------------------------------------------------------------


def read(path):
    """The work in a file, after checking each part.

    Raises:
        NoWork: a part is not as it should be.
        OSError: it cannot be read.
    """
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise NoWork(f"The file has {math.ceil(size / 1e6)} MB, which is more than any work has.")
    try:
        work = json.loads(path.read_bytes())
        if work["format"] != FORMAT:
            raise NoWork("It was written by another version.")
        lists = [check_lesson(name, cells) for name, cells in work["lessons"].items()]
        notes = [check_note(kind, *note) for kind, notes in work["notes"].items() for note in notes.items()]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        lists = notes = [False]
    if not all(lists) or not all(notes):
        raise NoWork("The file is not one that save_work has written.")
    return work


def check_lesson(name, cells):
    known = name in {path.name for path in lessons().values()}
    return known and isinstance(cells, list) and all(map(check_cell, cells))


def check_cell(cell):
    named = re.fullmatch(r"[\w-]{1,64}", cell["id"], re.ASCII) is not None
    return named and isinstance(cell["after"], str) and isinstance(cell["source"], str) and cell["kind"] in KINDS


def check_note(kind, exercise, note):
    return kind in diary.KINDS and isinstance(note, str) and len(exercise) <= 16 and exercise.isprintable()
