"""`minigrad build`: lessons run anew, and what they print stored."""

from collections.abc import Sequence

from ..classroom import checkup
from .course import folder, module, numbered
from .telling import counted, remark


def build(lessons: Sequence[str]) -> None:
    """Run these lessons, or all, each in a fresh kernel. What stood in one that changes is kept in a copy.

    Raises:
        Trouble: there is no such lesson, it cannot be written, or Jupyter is not installed.
    """
    paths = numbered(*lessons)
    checkup.refuse([*checkup.packages(), checkup.lessons_folder()])
    store = module("build").store
    for path in counted(paths, "building"):
        copy = store(path)
        if copy:
            remark(f"what stood in {path.name} is kept in {copy.relative_to(folder().parent)}.")
