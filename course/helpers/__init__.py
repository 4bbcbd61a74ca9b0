"""What the lessons import, from `predict`, `check` and `hint` to `save_work` and `on_tensorflow`.

Each prints one answer and never raises. Once this is imported, films first ask what will come back.
"""

import re

from minigrad.inspector.inspection import Inspection

from . import diary
from .audit import audit
from .card import find, unknown
from .carrying import bring_back, save_work
from .elsewhere import on_tensorflow
from .overview import progress, reset
from .predicting import predict
from .printing import short_numbers
from .trying import Stopped, never_raises

Inspection.asks_first = True
ADDRESS = re.compile(" at 0x[0-9a-f]+>")  # at the end of the repr of an object: it differs in each run
given = {}  # how many hints each exercise has had since the kernel started


@never_raises
def check(exercise, answer=...):
    """Try an answer, and print what was seen."""
    card = find(exercise)
    if card is None:
        print(unknown(exercise))
        return
    text, mistake = judged(card, answer)
    if mistake and diary.kept("mistakes", exercise) is None:
        diary.keep("mistakes", exercise, str(mistake))
    if text.startswith("yes"):
        diary.keep("solved", exercise, "yes")
        predicted = diary.kept("predictions", exercise)
        text += f" You predicted {predicted}; {card.came_out}" if predicted and card.came_out else ""
    print(f"{exercise}: {ADDRESS.sub('>', text)}")


def judged(card, answer):
    """What the card says about an answer, even one that cannot be looked at; and the number of a known mistake."""
    try:
        return card.judged(answer)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return f"not yet. To look at this answer {Stopped(problem)}", 0


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
    """Print a solution."""
    card = find(exercise)
    print(unknown(exercise) if card is None else card.solution.strip())


__all__ = [
    "audit",
    "bring_back",
    "check",
    "hint",
    "on_tensorflow",
    "predict",
    "progress",
    "reset",
    "save_work",
    "short_numbers",
    "solution",
]
