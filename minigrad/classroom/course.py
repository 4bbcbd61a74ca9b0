"""Where the lessons are, and how their own modules are reached."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

from .telling import Trouble

PACKAGE = Path(__file__).resolve().parent.parent


def folder() -> Path:
    """The folder `course`: of the folder one works in, else beside the package (a clone) or its environment (a pack).

    Raises:
        Trouble: it is in none of them.
    """
    for home in (Path.cwd(), PACKAGE.parent, Path(sys.prefix).parent):
        if (home / "course" / "helpers").is_dir():
            return home / "course"
    raise Trouble("The lessons are not here: they come with the source or with a pack, not with the package.", "cd the-folder-above-course")


def module(name: str) -> ModuleType:
    """A module of the course: `build`, `helpers.overview`."""
    place = str(folder())
    if place not in sys.path:
        sys.path.insert(0, place)
    return importlib.import_module(name)


def numbered(*numbers: str) -> list[Path]:
    """The notebooks with these numbers; without numbers, all.

    Raises:
        Trouble: there is no lesson of some number.
    """
    found = {path.name[:2]: path for path in sorted(folder().glob("[0-9][0-9]_*.ipynb"))}
    unknown = [number for number in numbers if number not in found]
    if unknown:
        raise Trouble(f"There is no lesson {unknown[0]}. There are {' '.join(found)}.", f"minigrad course --lesson {min(found)}")
    return [found[number] for number in numbers or found]
