"""What the lessons import: `predict`, `check`, `hint`, `solution`, `audit`, `progress`, `reset` and `short_numbers`.

They print one answer each, and never raise.
"""

from . import diary
from .audit import audit
from .card import find, unknown
from .overview import progress, reset
from .predicting import predict
from .printing import short_numbers
from .trying import Stopped, never_raises

given = {}  # how many hints each exercise has had since the kernel started


@never_raises
def check(exercise, answer=...):
    """Try an answer, and say what was seen."""
    card = find(exercise)
    if card is None:
        print(unknown(exercise))
        return
    text = judged(card, answer)
    if text.startswith("yes"):
        diary.keep("solved", exercise, "yes")
        predicted = diary.kept("predictions", exercise)
        text += f" You predicted {predicted}; {card.came_out}" if predicted and card.came_out else ""
    print(f"{exercise}: {text}")


def judged(card, answer):
    """What the card says to an answer, also to one that cannot even be looked at."""
    try:
        return card.judge(answer)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return f"not yet. To look at this answer {Stopped(problem)}"


@never_raises
def hint(exercise):
    """Print the next of three hints, each telling more than the last."""
    card = find(exercise)
    if card is None:
        print(unknown(exercise))
        return
    number = given[exercise] = min(given.get(exercise, 0) + 1, len(card.hints))
    print(f"{exercise}, hint {number} of {len(card.hints)}: {card.hints[number - 1]}")


@never_raises
def solution(exercise):
    """Print a way to solve it."""
    card = find(exercise)
    print(unknown(exercise) if card is None else card.solution.strip())


__all__ = ["audit", "check", "hint", "predict", "progress", "reset", "short_numbers", "solution"]
