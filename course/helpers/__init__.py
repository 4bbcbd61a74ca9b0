"""What the lessons import: `predict`, `check`, `hint`, `solution`, `audit`, `progress`, `reset` and `short_numbers`.

They print one answer each, and never raise.
"""

from . import diary
from .audit import audit
from .card import find, unknown
from .overview import progress, reset
from .printing import short_numbers

given = {}  # how many hints each exercise has had since the kernel started


def predict(exercise, answer=...):
    """Keep a prediction. It is not judged; the check of the same number recalls it."""
    if not isinstance(exercise, str):
        print(f'Write the number in quotes, as in predict("02.1", ...). This is {exercise!r}.')
        return
    if answer is ...:
        print(f"{exercise}: no prediction yet. Put your answer in place of the three dots.")
        return
    kept = diary.keep("predictions", exercise, answer)
    print(f"{exercise}: kept {kept}. Now run the next cell.")


def check(exercise, answer=...):
    """Try an answer, and say what was seen."""
    card = find(exercise)
    if card is None:
        print(unknown(exercise))
        return
    text = card.judge(answer)
    if text.startswith("yes"):
        diary.keep("solved", exercise, "yes")
        predicted = diary.kept("predictions", exercise)
        text += f" You predicted {predicted}; {card.came_out}" if predicted and card.came_out else ""
    print(f"{exercise}: {text}")


def hint(exercise):
    """Print the next of three hints, each telling more than the last."""
    card = find(exercise)
    if card is None:
        print(unknown(exercise))
        return
    number = given[exercise] = min(given.get(exercise, 0) + 1, len(card.hints))
    print(f"{exercise}, hint {number} of {len(card.hints)}: {card.hints[number - 1]}")


def solution(exercise):
    """Print a way to solve it."""
    card = find(exercise)
    print(unknown(exercise) if card is None else card.solution.strip())


__all__ = ["audit", "check", "hint", "predict", "progress", "reset", "short_numbers", "solution"]
