"""Runs the lessons and stores what they print: `python course/build.py` for all, `python course/build.py 02 03` for some."""

import hashlib
import itertools
import os
import re
import sys
import tempfile
from pathlib import Path

import minutes
import nbformat
from jupyter_core.utils import ensure_event_loop
from nbclient import NotebookClient
from traitlets.config import Config

import minigrad
from minigrad.classroom import whole
from minigrad.classroom.handout import kept_copy
from minigrad.classroom.pages import is_page

COURSE = Path(__file__).resolve().parent
KEPT = COURSE / "book" / "_build" / "lessons"  # as they were run, until minigrad or the lesson changes
WIDGET = "application/vnd.jupyter.widget-view+json"  # leads to what lived in the kernel; the text beside it stays
PICTURE = "image/svg+xml"


def lessons(numbers=()):
    """The notebooks with these numbers; without numbers, all."""
    return [path for path in sorted(COURSE.glob("[0-9][0-9]_*.ipynb")) if not numbers or path.name[:2] in numbers]


def chosen(numbers):
    """The same, for a command: an unknown number ends it."""
    found = lessons(numbers)
    if not found:
        sys.exit(f"No lesson has the number {', '.join(numbers)}. There are: {', '.join(path.name[:2] for path in lessons())}.")
    return found


def built(path):
    """The text of a lesson, run from top to bottom in a fresh kernel."""
    return text_of(run(nbformat.read(path, as_version=4)))


def text_of(notebook):
    """The text of a lesson that was run, without what differs from run to run."""
    minutes.state(notebook)
    tidy(notebook)
    return nbformat.writes(notebook, version=4) + "\n"


def executed(path):
    """A lesson with all that running it leaves behind, the state of its widgets too. It is run if it was not, or has changed."""
    kept = kept_run(path)
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        notebook = run(nbformat.read(path, as_version=4))
        for old in KEPT.glob(f"{path.stem}-*"):
            old.unlink(missing_ok=True)
        whole.write(kept, nbformat.writes(notebook, version=4).encode())
    return nbformat.read(kept, as_version=4)


def kept_run(path):
    """Where a lesson is kept as it was run: the name tells what it was made of."""
    engine = [file for file in sorted(Path(minigrad.__file__).parent.rglob("*.py")) if "classroom" not in file.parts]
    source = [path, *engine, *sorted((COURSE / "helpers").rglob("*.py"))]
    made_of = hashlib.sha256(b"".join(file.read_bytes() for file in source)).hexdigest()[:16]
    return KEPT / f"{path.stem}-{made_of}.json"


def run(notebook):
    """Run a notebook, and return it."""
    nobody = os.environ | {"MINIGRAD_PROGRESS": str(COURSE / "nobody" / "progress.json")}  # so that nobody's progress is shown
    with tempfile.TemporaryDirectory(prefix="minigrad-") as sockets:
        client = NotebookClient(
            notebook,
            timeout=60,
            kernel_name="python3",
            resources={"metadata": {"path": str(COURSE)}},
            extra_arguments=["--log-level=ERROR"],
            shutdown_kernel="immediate",
            config=Config(AsyncKernelManager=connection(sockets)),
        )
        ensure_event_loop().add_signal_handler = refused
        client.execute(env=nobody)
    return notebook


def connection(sockets) -> dict:
    """How to talk to the kernel: by sockets in this folder, since of two that start at once one may find its TCP ports taken."""
    return {"transport": "ipc", "ip": f"{sockets}/kernel"} if os.name == "posix" else {}


def refused(*handler):
    """Keeps nbclient from handling Ctrl-C: it would end the kernel, and might go on."""
    raise RuntimeError("KeyboardInterrupt is raised instead, and the kernel ends with this process")


def tidy(notebook):
    """Take out what differs from run to run and from machine to machine."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
        if cell.cell_type == "code":
            cell.outputs = [output for output in joined(cell.outputs) if not is_page(output)]
            for output in cell.outputs:
                data = output.get("data", {})
                data.pop(WIDGET, None)
                if PICTURE in data:  # a film, of which the picture and the text are stored
                    data.pop("text/html", None)


def joined(outputs):
    """The outputs; of pieces of streams that follow each other, one piece of each stream, warnings first: how they mingle is chance."""
    whole = []
    for kind, group in itertools.groupby(outputs, key=lambda output: output.output_type):
        pieces = list(group)
        if kind != "stream":
            whole += pieces
            continue
        for name in ("stderr", "stdout"):
            same = [piece for piece in pieces if piece.name == name]
            if same:
                same[0].text = "".join(piece.text for piece in same)
                whole.append(same[0])
    return whole


def store(path):
    """Build a lesson, and keep what it prints. Returns the copy of what stood there; None if it stood so."""
    fresh = built(path)
    copy = kept_copy(path, COURSE) if fresh != path.read_text(encoding="utf-8") else None
    whole.write(path, fresh.encode())
    return copy


def tell():
    """Write the minutes of the lessons into what lists them."""
    notebooks = {path.name[:2]: nbformat.read(path, as_version=4) for path in lessons()}
    for cell in notebooks["00"].cells:
        cell.source = minutes.tabled(cell.source, notebooks)
    whole.write(lessons(["00"])[0], (nbformat.writes(notebooks["00"], version=4) + "\n").encode())
    for path in (COURSE.parent / "README.md", *(COURSE / "teachers").glob("lesson_*.md")):
        text = minutes.tabled(path.read_text(encoding="utf-8"), notebooks)
        notebook = notebooks.get(path.stem[-2:])
        text = re.sub(r"^\*\*Alone,\*\* .*$", minutes.alone(notebook), text, flags=re.MULTILINE) if notebook else text
        whole.write(path, text.encode())


def main(numbers):
    for path in chosen(numbers):
        copy = store(path)
        print(f"built {path.name}" + (f", and kept what stood there in {copy.relative_to(COURSE)}" if copy else ""))
    tell()


if __name__ == "__main__":
    main(sys.argv[1:])
