"""The files that belong to the course, and nothing else that may lie in its folder."""

import shutil
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from .course import lessons, original
from .telling import Trouble

HELPERS = (
    "__init__", "audit", "card", "cards/__init__", "carrying", "diary", "elsewhere", "handing_in", "overview",
    "predicting", "printing", "trying", "witness",
)  # fmt: skip
OWN_PROGRAM = "own_program.ipynb"
SHARED = (
    OWN_PROGRAM,
    "glossary.md",
    "where.md",
    "pictures/inspector.png",
    "helpers/said_by_tensorflow.json",
    *(f"helpers/{name}.py" for name in HELPERS),
)
SHARED_BY_TEACHERS = ("teachers/class_server.md", "teachers/routes.md")


def strangers() -> list[Path]:
    """The notebooks that are numbered like lessons but are not lessons."""
    return sorted({*original().glob("[0-9][0-9]_*.ipynb")} - {*lessons()})


def for_learners() -> list[str]:
    """The files that learners get, as paths relative to the folder of the course."""
    names = list(SHARED)
    for lesson in lessons():
        names += [lesson.name, f"helpers/cards/lesson_{lesson.name[:2]}.py"]
    return names


def for_teachers() -> list[str]:
    """The files that teachers need."""
    return [*SHARED_BY_TEACHERS, *(f"teachers/lesson_{lesson.name[:2]}.md" for lesson in lessons())]


def copy(home: Path, names: Iterable[str], into: Path, advice: Callable[[str], str]) -> None:
    """Copy files into another folder, each checked as by `check`.

    Raises:
        Trouble: one cannot be packed.
    """
    for name in names:
        check(home, [name], advice)
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(home / name, into / name, follow_symlinks=False)


def check(home: Path, names: Iterable[str], advice: Callable[[str], str]) -> None:
    """Check that files can be packed.

    Args:
        home: the folder that they belong to.
        names: their paths relative to this folder.
        advice: returns what to type if one of them cannot be packed.

    Raises:
        Trouble: one is missing, is not a regular file, or is reached through a link, which might lead anywhere.
    """
    for name in names:
        path = home / name
        if path.resolve() != home.resolve() / name:
            raise Trouble(f"{path} is a link, or lies behind one, and none is followed.", advice(name))
        try:
            kind = path.lstat().st_mode
        except FileNotFoundError:
            raise Trouble(f"{path} is missing.", advice(name)) from None
        if not stat.S_ISREG(kind):
            raise Trouble(f"{path} is no file.", advice(name))
