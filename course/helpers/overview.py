"""What is done in each lesson, and how to restore a lesson."""

from minigrad.classroom import course, handout
from minigrad.classroom.telling import Trouble
from minigrad.errors import visible

from . import card, diary, handing_in
from .trying import never_raises

COURSE = diary.COURSE
BAR = 10  # characters of a bar


def lessons():
    """The path of each lesson's notebook, by number."""
    return {path.name[:2]: COURSE / path.name for path in course.lessons()}


@never_raises
def progress():
    """Print what is done and what is left, where to continue, and a code to hand in."""
    solved, predicted = diary.all_kept("solved"), diary.all_kept("predictions")
    if not solved:
        print("No check is done yet. The first one is 00.1.")
        return
    first = None
    for number, path in lessons().items():
        checks = card.cards_of(number)
        left = [exercise for exercise in checks if exercise not in solved]
        guesses = [exercise for exercise, one in checks.items() if one.options]
        done, guessed = len(checks) - len(left), sum(exercise in predicted for exercise in guesses)
        told = f"{done} of {len(checks)} checks, {guessed} of {len(guesses)} predictions" if done or guessed else "not begun"
        more = f"   left: {' '.join(left)}" if left and done else ""
        title = visible(course.title(path))
        print(f"{number} {title:32}[{'#' * (done * BAR // len(checks)):{BAR}}] {told}{more}")
        first = first or (left and (left[0], path.name))
    if first:
        print(f"Go on with {first[0]}, in {visible(first[1])}.")
    print(f"To hand in, if you like (it says what is solved, and which known mistakes you met): {handing_in.code()}")


@never_raises
def reset(lesson=...):
    """Restore a lesson as it was handed out. A copy of the current one is kept first."""
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
    except (OSError, Trouble) as problem:
        print(f"reset: {visible(path.name)} was left as it is ({type(problem).__name__}).")
        return
    kept = f" Your work is kept in {visible(copy.relative_to(COURSE))}." if copy else ""
    print(f"reset: {visible(path.name)} is as new, and its checks are open again.{kept}")
    print("If the lesson is open in a tab, close that without saving and open it again.")


def hand_out(path):
    """Restore a lesson and reopen its checks. Returns the copy of the previous file, or None if there was none."""
    copy = handout.restore(path)
    diary.forget(path.name[:2])
    return copy
