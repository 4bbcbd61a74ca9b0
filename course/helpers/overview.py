"""What is done in which lesson, and a lesson handed out anew."""

import datetime
import itertools
import json
from pathlib import Path

from minigrad.errors import visible

from . import card, diary, whole
from .trying import never_raises

COURSE = diary.COURSE
STARTS = Path(__file__).resolve().parent / "starts"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)  # what reading and writing a notebook may meet


def lessons():
    """The notebook of each lesson, by its number."""
    return {path.name[:2]: path for path in sorted(COURSE.glob("[0-9][0-9]_*.ipynb"))}


@never_raises
def progress():
    """Print which checks are done, and which are left."""
    solved = diary.all_kept("solved")
    if not solved:
        print("No check is done yet. The first one is 00.1.")
        return
    for number, path in lessons().items():
        checks = list(card.cards_of(number))
        left = [exercise for exercise in checks if exercise not in solved]
        done = len(checks) - len(left)
        told = "not begun" if not done else f"{done} of {len(checks)}" + (f"   left: {' '.join(left)}" if left else "   all done")
        print(f"{number} {visible(path.stem[3:].replace('_', ' ')):32}{told}")


@never_raises
def reset(lesson=...):
    """Hand a lesson out anew. What stood in it is kept in a copy first."""
    if lesson is ...:
        print('reset: no lesson named, so nothing was touched. Name one, such as reset("02").')
        return
    name = visible(lesson, 20)
    path = lessons().get(name)
    if path is None:
        print(f"reset: there is no lesson '{name}'. There are {', '.join(lessons())}.")
        return
    try:
        copy = hand_out(path)
    except UNREADABLE as problem:
        print(f"reset: {visible(path.name)} was left as it is ({type(problem).__name__}).")
        return
    kept = visible(copy.relative_to(COURSE))
    print(f"reset: {visible(path.name)} is as new, and its checks are open again. Your work is kept in {kept}.")
    print("If the lesson is open in a tab, close that without saving and open it again.")


def hand_out(path):
    """Put a lesson back to its start. Returns the copy of what stood in it."""
    fresh = as_handed_out(path)
    copy = kept_copy(path)
    whole.write(path, fresh)
    diary.forget(path.name[:2])
    return copy


def kept_copy(path):
    """A copy of the learner's notebook, under a new name with the day in it."""
    folder = COURSE / "my_copies"
    folder.mkdir(exist_ok=True)
    names = (folder / f"{path.stem}.{datetime.date.today()}.{n}.ipynb" for n in itertools.count(1))
    copy = next(name for name in names if not name.exists())
    whole.write(copy, path.read_bytes())
    return copy


def as_handed_out(path):
    """The lesson's bytes with its code cells as they were, not run. Cells that the learner added stay."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    starts = json.loads((STARTS / f"{path.stem}.json").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None, source=starts.get(cell.get("id"), cell["source"]))
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()
