"""`minigrad build`: run lessons, and store their outputs in the notebooks."""

from collections.abc import Sequence

from . import checkup, handout
from .course import module, numbered, original
from .telling import counted, remark


def build(lessons: Sequence[str]) -> None:
    """Run lessons, each in a new kernel. A notebook is copied before it is changed.

    Args:
        lessons: their numbers, such as "07"; all if there are none.

    Raises:
        Trouble: there is no such lesson, it is damaged or cannot be written, or Jupyter is not installed.
    """
    paths = numbered(*lessons)
    checkup.refuse([*checkup.packages(), checkup.can_be_written(original())])
    store = module("build").store
    for path in counted(paths, "building"):
        handout.handed_out(path.name)
        copy = store(path)
        if copy:
            remark(f"what stood in {path.name} is kept in {copy.relative_to(original().parent)}.")
