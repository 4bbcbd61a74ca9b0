"""`minigrad book`: make the book, a site of static pages."""

import importlib.util
import time
from pathlib import Path

from . import checkup
from .course import clone, module
from .telling import Trouble, shown

NEEDS = ("sphinx", "furo", "myst_nb", "sphinx_copybutton", "sphinx_design")


def book(out: str | None) -> int:
    """Make the book.

    Args:
        out: the folder that it is written into; `course/book/_build/html` by default.

    Returns:
        The exit code: 1 if Sphinx warned of something.

    Raises:
        Trouble: this is no clone, or what the book is made with is not installed.
    """
    checkup.refuse(checkup.packages())
    home = clone()
    if home is None:
        raise Trouble("The book is made in a clone of the source.", "cd the-clone; minigrad book")
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        raise Trouble(f"{', '.join(missing)}: not installed.", checkup.install("--editable '.[course,book]'"))
    place = home / "course" / "book" / "_build" / "html" if out is None else Path(out)
    if out == "" or checkup.refusal(place):
        raise Trouble(f"Nothing can be written to {shown(str(place))}.", "minigrad book --out ~/book")
    begun = time.monotonic()
    if code := module("book.make").make(place.resolve()):
        return int(code)
    print(f"{place / 'index.html'}  {time.monotonic() - begun:.0f} s")
    return 0
