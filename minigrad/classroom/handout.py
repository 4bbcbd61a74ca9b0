"""The folder that a learner works in: the lessons as handed out, without outputs. No work is ever overwritten."""

import datetime
import hashlib
import itertools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from .. import __version__
from . import contents, whole
from .course import clone, original, restored, working_folder
from .telling import Trouble, remark

NAME = "minigrad-course"
RECORD = ".minigrad.json"  # in that folder: the SHA-256 sum of each file as it was handed out


def folder(given: "str | None" = None) -> Path:
    """The folder that a learner works in: the one given, else an existing one, else the one to create.

    Raises:
        Trouble: there is no working folder.
    """
    here = working_folder()
    if given is not None:
        return here / os.path.expanduser(given)  # as the shell has it, also of a user who is not there
    home = clone()
    places = [here, here / NAME, *([home / NAME] if home else []), Path(sys.prefix).parent / NAME]
    inside = home is not None and here.is_relative_to(home)
    return next((place for place in places if (place / RECORD).is_file()), (home if inside and home else here) / NAME)


def lay_out(place: Path) -> None:
    """Put the lessons and the files that they need into a folder, and print what is new in it.

    A lesson that was worked on stays as it is; a newer version is put beside it under another name.

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
    """The files handed out into a folder: file name -> sum; empty if the record is missing or invalid."""
    try:
        files = json.loads((place / RECORD).read_bytes())["files"]
        return {name: str(was) for name, was in files.items()}
    except (FileNotFoundError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def lay(place: Path, name: str, fresh: bytes, laid: dict[str, str]) -> str:
    """Put one file into a folder, unless it was handed out there before.

    Args:
        place: the folder.
        name: the path of the file in it.
        fresh: its new content.
        laid: the record of the folder, to which the file is added.

    Returns:
        The name of the new file in the folder; "" if nothing is new.
    """
    new = digest(fresh)
    for candidate in names(name):
        path = place / candidate
        whole.sweep(path)
        now = path.read_bytes() if path.exists() else None
        if now is not None and new in (digest(now), laid.get(candidate)):
            laid[candidate] = new
            break
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
    """The names that a file may get in the folder: its own, and others in case a file of that name was worked on."""
    yield name
    stem = name.removesuffix(".ipynb")
    yield f"{stem}.new.ipynb"
    yield from (f"{stem}.new.{n}.ipynb" for n in itertools.count(2))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def handed_out(name: str) -> bytes:
    """A file of the course as learners get it; a notebook has no outputs.

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
    """A notebook without the outputs of its cells."""
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def restore(path: Path) -> "Path | None":
    """Put a lesson back as it was handed out. Returns the copy of the previous file, or None if there was none.

    Raises:
        Trouble: the original is missing or damaged.
        OSError: a file could not be read or written; then the lesson is unchanged.
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
