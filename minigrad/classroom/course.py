"""The folder of the lessons, the notebooks in it, and its Python modules."""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

from .telling import Trouble, shown

PACKAGE = Path(__file__).resolve().parent.parent


def folder() -> Path:
    """The folder `course`: in the working folder, else beside the package (in a clone) or its environment (in a pack).

    Raises:
        Trouble: it is in none of these places, or there is no working folder.
    """
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise Trouble("The working folder has been deleted.", "cd ~; minigrad course") from None
    for home in (here, PACKAGE.parent, Path(sys.prefix).parent):
        if (home / "course" / "helpers").is_dir():
            return home / "course"
    problem = "The lessons are not here: they come"
    raise Trouble(f"{problem} with the source or with a pack, not with the package.", "cd the-folder-above-course")


def module(name: str) -> ModuleType:
    """Import a module of the course, such as `build` or `helpers.overview`."""
    place = str(folder())
    if place not in sys.path:
        sys.path.insert(0, place)
    return importlib.import_module(name)


def restored(name: str) -> str:
    """What to type to restore a lesson that is damaged or missing."""
    home = folder().parent
    if (home / ".git").exists():
        return f'git -C "{home}" checkout course/{name}'
    return f"copy {name} from the pack into {folder()}"


def starts(path: Path) -> str:
    """The code cells of a lesson.

    Raises:
        Trouble: it is damaged.
    """
    try:
        return module("build").starts(path)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Trouble(f"{path.name} is damaged.", restored(path.name)) from None


def numbered(*numbers: str) -> list[Path]:
    """The notebooks of the lessons with these numbers ("7" or "07"), or of all lessons if there are none.

    Raises:
        Trouble: there is no lesson with one of the numbers.
    """
    found = {path.name[:2]: path for path in sorted(folder().glob("[0-9][0-9]_*.ipynb"))}
    starts = {path.name[:2]: path for path in (folder() / "helpers" / "starts").glob("[0-9][0-9]_*.json")}
    wanted = [f"{int(number):02}" if re.fullmatch(r"[0-9]{1,2}", number) else number for number in numbers]
    for number in wanted:
        if number not in found:
            gone = starts.get(number)
            instead = restored(f"{gone.stem}.ipynb") if gone else f"minigrad course --lesson {min(found, default='00')}"
            raise Trouble(f"There is no lesson {shown(number)}. There are {' '.join(found) or 'none'}.", instead)
    return [found[number] for number in wanted or found]
