"""The folder that a learner works in: the lessons as they are handed out, not run. Nothing is laid over work."""

import datetime
import hashlib
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from .. import __version__
from . import contents, whole
from .course import clone, original, restored, working_folder
from .telling import Trouble, remark

NAME = "minigrad-course"
RECORD = ".minigrad.json"  # in that folder: the SHA-256 sum of each file as it was laid there


def folder(given: "str | None" = None) -> Path:
    """The folder that a learner works in: the one given, one that is there already, or the one to be made.

    Raises:
        Trouble: there is no working folder.
    """
    here = working_folder()
    if given is not None:
        return here / Path(given).expanduser()
    home = clone()
    places = [here, here / NAME, *([home / NAME] if home else []), Path(sys.prefix).parent / NAME]
    inside = home is not None and here.is_relative_to(home)
    return next((place for place in places if (place / RECORD).is_file()), (home if inside and home else here) / NAME)


def lay_out(place: Path) -> None:
    """Put the lessons into a folder, with what they need, and tell what is new in it.

    A lesson that was worked in stays as it is; if there is a newer one, it lies beside it under another name.

    Raises:
        Trouble: an original is missing or damaged.
        OSError: the folder cannot be written, or the disk is full.
    """
    fresh = {name: handed_out(name) for name in contents.for_learners()}
    first, laid = not (place / RECORD).exists(), recorded(place)
    found = [(name, lay(place, name, content, laid)) for name, content in fresh.items()]
    record = {"version": __version__, "files": laid}
    whole.write(place / RECORD, json.dumps(record, indent=1, sort_keys=True).encode() + b"\n")
    if first:
        remark(f"the lessons are in {place}.")
        return
    lessons = [(name, new) for name, new in found if new and name.endswith(".ipynb")]
    replaced = " ".join(name[:2] for name, new in lessons if new == name)
    if replaced:
        remark(f"new or changed lessons: {replaced}.")
    for name, new in lessons:
        if new != name:
            remark(f"{name}, in which you have worked, has changed. The new one lies beside it: {new}.")


def recorded(place: Path) -> dict[str, str]:
    """What was laid into a folder: file name -> sum; nothing if the record is missing or makes no sense."""
    try:
        files = json.loads((place / RECORD).read_bytes())["files"]
        return {str(name): str(was) for name, was in files.items()}
    except (FileNotFoundError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def lay(place: Path, name: str, fresh: bytes, laid: dict[str, str]) -> str:
    """Put one file into a folder, unless it was handed out there before.

    Args:
        place: the folder.
        name: the path of the file in it.
        fresh: what is to stand in it.
        laid: what is recorded of the folder, to which the file is added.

    Returns:
        The name under which the file is new there; "" if it is not.
    """
    new = digest(fresh)
    for candidate in names(name):
        path = place / candidate
        now = path.read_bytes() if path.exists() else None
        if now is not None and new in (digest(now), laid.get(candidate)):
            laid[candidate] = new
            return ""
        if now is not None and digest(now) != laid.get(candidate):
            if name.endswith(".ipynb"):
                continue
            kept_copy(path, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        whole.write(path, fresh)
        laid[candidate] = new
        return candidate
    return ""


def names(name: str) -> Iterator[str]:
    """The names that a file may have in the folder: its own, and others if what has that was worked in."""
    yield name
    stem = name.removesuffix(".ipynb")
    yield f"{stem}.new.ipynb"
    yield from (f"{stem}.new.{n}.ipynb" for n in itertools.count(2))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def handed_out(name: str) -> bytes:
    """A file of the course as learners get it: a notebook is not run.

    Raises:
        Trouble: it is missing or damaged.
    """
    try:
        content = (original() / name).read_bytes()
    except FileNotFoundError:
        raise Trouble(f"{name} is missing.", restored(name)) from None
    if not name.endswith(".ipynb"):
        return content
    try:
        return not_run(content)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Trouble(f"{name} is damaged.", restored(name)) from None


def not_run(notebook: bytes) -> bytes:
    """A notebook without what its cells have printed."""
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def restore(path: Path) -> "Path | None":
    """Put a lesson back as it was handed out, all of it. Returns the copy of what stood there, if it was there.

    Raises:
        Trouble: the original is missing or damaged.
        OSError: it could not be read or written; then it stands as it was.
    """
    fresh = handed_out(path.name)
    copy = kept_copy(path, path.parent) if path.exists() else None
    whole.write(path, fresh)
    return copy


def kept_copy(path: Path, place: Path) -> Path:
    """A copy of a learner's file, under a new name with the day in it, in the folder `my_copies` of a place."""
    copies = place / "my_copies"
    copies.mkdir(exist_ok=True)
    day = datetime.date.today()
    free = (copies / f"{path.stem}.{day}.{n}{path.suffix}" for n in itertools.count(1))
    copy = next(name for name in free if not name.exists())
    whole.write(copy, path.read_bytes())
    return copy
