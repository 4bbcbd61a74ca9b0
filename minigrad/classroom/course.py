"""The folder of the original lessons, the notebooks in it, and its Python modules."""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

from .telling import Trouble, shown

PACKAGE = Path(__file__).resolve().parent.parent


def clone() -> Path | None:
    """The clone of the source that contains the package; None if the package is elsewhere."""
    home = PACKAGE.parent
    return home if (home / "course" / "helpers").is_dir() else None


def original() -> Path:
    """The folder of the original lessons: beside the package in a clone, else inside the package.

    Raises:
        Trouble: it is in neither place.
    """
    home = clone()
    place = home / "course" if home else PACKAGE / "course"
    if not (place / "helpers").is_dir():
        instead = f'"{sys.executable}" -m pip install --force-reinstall "minigrad[course]"'
        raise Trouble("This installation of minigrad has no lessons.", instead)
    return place


def working_folder() -> Path:
    """The working folder.

    Raises:
        Trouble: there is none.
    """
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise Trouble("The working folder has been deleted.", "cd ~; minigrad course") from None


def module(name: str) -> ModuleType:
    """Import a module of the course, such as `build` or `helpers.overview`."""
    place = str(original())
    if place not in sys.path:
        sys.path.insert(0, place)
    return importlib.import_module(name)


def restored(name: str) -> str:
    """The command to type to restore an original that is damaged or missing."""
    home = clone()
    if home and (home / ".git").exists():
        return f'git -C "{home}" checkout course/{name}'
    return f'"{sys.executable}" -m pip install --force-reinstall minigrad'


def numbered(*numbers: str) -> list[Path]:
    """The originals of the lessons with these numbers ("7" or "07"), or of all lessons if there are none.

    Raises:
        Trouble: there is no lesson with one of these numbers.
    """
    found = {path.name[:2]: path for path in lessons()}
    wanted = [f"{int(number):02}" if re.fullmatch(r"[0-9]{1,2}", number) else number for number in numbers]
    for number in wanted:
        if number not in found:
            instead = f"minigrad course --lesson {min(found, default='00')}"
            raise Trouble(f"There is no lesson {shown(number)}. There are {' '.join(found) or 'none'}.", instead)
    return [found[number] for number in wanted or found]


def lessons() -> list[Path]:
    """The notebooks of the lessons, which are those with cards. A copy or a draft has none."""
    cards = (original() / "helpers" / "cards").glob("lesson_[0-9][0-9].py")
    numbers = {card.stem.removeprefix("lesson_") for card in cards}
    return [path for path in sorted(original().glob("[0-9][0-9]_*.ipynb")) if path.name[:2] in numbers]


def title(lesson: Path) -> str:
    """The title of a lesson, taken from its file name."""
    return lesson.stem[3:].replace("_", " ")
