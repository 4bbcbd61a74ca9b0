"""The folder of the lessons, the notebooks in it, and its Python modules."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

from .telling import Trouble

PACKAGE = Path(__file__).resolve().parent.parent


def folder() -> Path:
    """The folder `course`: in the working folder, else beside the package (in a clone) or its environment (in a pack).

    Raises:
        Trouble: it is in none of these places.
    """
    for home in (Path.cwd(), PACKAGE.parent, Path(sys.prefix).parent):
        if (home / "course" / "helpers").is_dir():
            return home / "course"
    raise Trouble("The lessons are not here: they come with the source or with a pack, not with the package.", "cd the-folder-above-course")


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


def numbered(*numbers: str) -> list[Path]:
    """The notebooks of the lessons with these numbers ("7" or "07"), or of all lessons if there are none.

    Raises:
        Trouble: there is no lesson with one of the numbers.
    """
    found = {path.name[:2]: path for path in sorted(folder().glob("[0-9][0-9]_*.ipynb"))}
    wanted = [number.zfill(2) for number in numbers]
    for number in wanted:
        if number not in found:
            gone = next((folder() / "helpers" / "starts").glob(f"{number}_*.json"), None)
            instead = restored(f"{gone.stem}.ipynb") if gone else f"minigrad course --lesson {min(found)}"
            raise Trouble(f"There is no lesson {number}. There are {' '.join(found)}.", instead)
    return [found[number] for number in wanted or found]
