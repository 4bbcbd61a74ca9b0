"""`minigrad book`: make the book, a site of static pages."""

import time
from pathlib import Path

from . import checkup
from .course import module
from .telling import Trouble, shown

NEEDS = ("sphinx", "furo", "myst_nb", "sphinx_copybutton", "sphinx_design")


def book(out: str | None) -> int:
    """Make the book.

    Args:
        out: the folder to write it into; `course/book/_build/html` by default.

    Returns:
        The exit code: 1 if Sphinx issued a warning.

    Raises:
        Trouble: this is not a clone, or a package needed for the book is not installed.
    """
    checkup.refuse(checkup.packages())
    home = checkup.source_for("book", NEEDS)
    place = home / "course" / "book" / "_build" / "html" if out is None else Path(out)
    if out == "" or checkup.refusal(place):
        raise Trouble(f"Nothing can be written to {shown(str(place))}.", "minigrad book --out ~/book")
    begun = time.monotonic()
    if code := module("book.make").make(place.resolve()):
        return int(code)
    print(f"{place / 'index.html'}  {time.monotonic() - begun:.0f} s")
    return 0
