"""`minigrad build`: run lessons, and store their output in the notebooks."""

from collections.abc import Sequence

from . import checkup
from .course import folder, module, numbered, starts
from .telling import counted, remark


def build(lessons: Sequence[str]) -> None:
    """Run lessons, each in a new kernel. A notebook that changes is copied before.

    Args:
        lessons: their numbers, such as "07"; all if there are none.

    Raises:
        Trouble: there is no such lesson, it is damaged or cannot be written, or Jupyter is not installed.
    """
    paths = numbered(*lessons)
    checkup.refuse([*checkup.packages(), checkup.lessons_folder()])
    store = module("build").store
    for path in counted(paths, "building"):
        starts(path)
        copy = store(path)
        if copy:
            remark(f"what stood in {path.name} is kept in {copy.relative_to(folder().parent)}.")
