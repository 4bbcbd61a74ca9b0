"""An exercise card: how an answer is tried, what is right, which mistakes are known by what they give, and three hints."""

import copy
import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import minigrad as mg
from minigrad.errors import visible

from .trying import Stopped, all_dots, never_returns, outcome, some_dots, took_too_long, untouched
from .witness import Witness, trial


@dataclass(frozen=True)
class Reply:
    """What to say to one known mistake.

    Args:
        wrong: an answer with this mistake, as the learner would write it.
        gives: what it gives, in the form of `Card.right`.
        text: the reply.
        mark: what the Witness of each trial must have seen besides, for the text to be true.
        done: whether it counts as an answer, as "I do not know" does where the task is to place oneself.
    """

    wrong: str
    gives: Callable
    text: str
    mark: Callable = lambda witness: True
    done: bool = False


@dataclass(frozen=True)
class Way:
    """How a right answer must have been found.

    Args:
        wrong: an answer that gives what is right, found otherwise.
        seen: asked of each trial's Witness, what came out and the point; see `witness` for some.
        text: the reply if it was not seen.
    """

    wrong: str
    seen: Callable
    text: str


@dataclass(frozen=True)
class Card:
    """One exercise.

    Args:
        right: for each point, what a right answer gives; see `alike` for its form.
        yes: a fact to add to the yes.
        hints: three, each telling more than the last.
        solution: the source of a right answer.
        points: hidden data, the arguments of each trial. Without points the answer is no function but a value.
        ask: how to try the answer at a point.
        miss: what to say of an unknown mistake; `{seen}` came out at the point `{0}`, `{1}` ...
        options: what can be predicted, before.
        came_out: what to recall beside a prediction.
        replies: to known mistakes.
        ways: how it must have been found.
    """

    right: Callable
    yes: str
    hints: tuple
    solution: str
    points: tuple = ()
    ask: Callable = lambda answer, *point: answer(*point)
    miss: str = ""
    options: tuple = ()
    came_out: str = ""
    replies: tuple = ()
    ways: tuple = ()

    def judge(self, answer):
        """What to say to an answer."""
        return self.judged(answer)[0]

    def judged(self, answer):
        """What to say to an answer, and the number of the reply, from 1 on, if it has a mistake that is known; else 0."""
        said = self.said_to(answer)
        if not isinstance(said, Reply):
            return said, 0
        begin = "yes" if said.done else "not yet"
        text = f"{begin}{said.text}" if said.text.startswith(":") else f"{begin}. {said.text}"
        return text, 0 if said.done else self.replies.index(said) + 1

    def said_to(self, answer):
        """What to say, or the Reply."""
        if untouched(answer):
            return "not attempted yet."
        if self.points and not callable(answer):
            return "not yet. Hand over the function itself: its name, without parentheses."
        points = self.points or ((),)
        trials = self.tried(answer) or [(outcome(lambda: answer), Witness())]
        seen = [one for one, _ in trials]
        if all(all_dots(one) for one in seen):
            return "not attempted yet."
        if any(some_dots(one) for one in seen):
            return "not yet. Some of the three dots are still there."
        if agrees(seen, self.right, points):
            other = next((way for way in self.ways if not found_so(way, trials, points)), None)
            return f"not yet. {other.text}" if other else f"yes. {self.yes}"
        if self.points and all(one is None for one in seen) and never_returns(answer):
            return f"not yet. {NOTHING}"
        for reply in self.replies:
            if agrees(seen, reply.gives, points) and all(reply.mark(witness) for _, witness in trials):
                return reply
        return f"not yet{self.told(seen, points)}"

    def tried(self, answer):
        """The outcome at each point, with its Witness. A run that took too long is not tried again.

        An answer gets copies: it may reverse a list, or multiply an array in place.
        """
        trials = []
        for point in self.points:
            again = not trials or not took_too_long(trials[-1][0])
            trials.append(trial(self.ask, answer, *copy.deepcopy(point)) if again else trials[-1])
        return trials

    def told(self, seen, points):
        """What came out, for a mistake that nobody foresaw."""
        for one in seen:
            if isinstance(one, Stopped):
                return f". Your function {one}{advice(one.problem)}"
        one, point = next((one, point) for one, point in zip(seen, points, strict=True) if not alike(one, self.right(*point)))
        if self.miss:
            return f". {self.miss.format(*map(shown, point), seen=shown(one))}"
        wanted = self.right()
        if not isinstance(one, dict):
            return f". Hand over a dict with the entries {', '.join(wanted)}."
        *rest, last = [key for key in wanted if not alike(one.get(key), wanted[key])]
        return f". Look again at {', '.join(rest)}{' and ' if rest else ''}{last}."


NOTHING = "The function gave nothing back. What it gives back stands behind the word return."


def pause(right, yes, hints, mistakes):
    """What is asked at a pause on the way.

    Args:
        right: a number; or words that are right, in small letters, the first of them as a solution.
        mistakes: wrong answers, and what to say to each.
    """
    shaped = [one if isinstance(one, tuple) else (one,) for one in (right, *mistakes)]
    wanted, *known = [(lambda one=one: says(*one)) if isinstance(one[0], str) else (lambda one=one: one[0]) for one in shaped]
    replies = [Reply(f"answer = {one[0]!r}", gives, text) for one, gives, text in zip(shaped[1:], known, mistakes.values())]
    miss = "{seen} is not it. A hint says where to look."
    return Card(wanted, yes, hints, f"answer = {shaped[0][0]!r}", miss=miss, replies=tuple(replies))


def found_so(way, trials, points):
    """Was the answer found in this way, at every point?"""
    return all(outcome(way.seen, witness, one, *point) is True for (one, witness), point in zip(trials, points, strict=True))


def agrees(seen, wanted, points):
    """Is what was seen what is wanted, at every point?"""
    return all(alike(one, wanted(*point)) for one, point in zip(seen, points, strict=True))


def alike(seen, wanted):
    """Compare what came out with what is wanted.

    Numbers and arrays to 0.1 %, lists entry by entry, dicts in the entries that are wanted. A function in the place
    of a value is asked about what stands there.
    """
    if callable(wanted):
        return outcome(wanted, seen) is True
    if isinstance(seen, Stopped) or seen is None or wanted is None:
        return seen is wanted
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(key in seen and alike(seen[key], wanted[key]) for key in wanted)
    if isinstance(wanted, (list, tuple)) and isinstance(seen, list):
        return len(seen) == len(wanted) and all(map(alike, seen, wanted))
    if isinstance(wanted, (str, bool)):
        return isinstance(seen, (str, bool, np.bool_)) and bool(seen == wanted)
    try:
        seen = np.asarray(seen, float)
    except (TypeError, ValueError):
        return False
    return seen.shape == np.shape(wanted) and np.allclose(seen, wanted, rtol=1e-3, atol=1e-6, equal_nan=True)


def stops(kind, words=""):
    """Wanted: that it stops with an exception of this kind, which says these words."""
    return lambda seen: isinstance(seen, Stopped) and isinstance(seen.problem, kind) and words in str(seen.problem)


def contains(words):
    """Wanted: a text with these words in it."""
    return lambda seen: isinstance(seen, str) and words in seen.lower()


def says(*texts):
    """Wanted: one of these texts, in small letters, whole. Only words that add nothing may stand around it: no `not`, no `or`."""

    def said(seen):
        words = f" {' '.join(re.findall(WORD, seen.lower()))} " if isinstance(seen, str) else ""
        return any(f" {text} " in words and set(words.replace(f" {text} ", " ").split()) <= set(FILLERS.split()) for text in texts)

    return said


WORD = r"[^\W_]+(?:'[^\W_]+)?"
FILLERS = """
a an the it its it's is they are be them this that called named word name i think line op code cause error method function
call loop flag keyword argument attribute tape gradient derivative variable variables value entry by together up all so
likely proved tried
"""


def anything(seen):
    """Wanted: whatever."""
    return True


def advice(problem):
    """One step further, if a name was not found that minigrad has."""
    name = getattr(problem, "name", None) if isinstance(problem, NameError) else None
    return f" Try mg.{name}." if isinstance(name, str) and hasattr(mg, name) else ""


def shown(x):
    """A value in few digits."""
    if isinstance(x, (list, tuple)):
        return f"[{', '.join(map(shown, x))}]"
    if isinstance(x, dict):
        return ", ".join(f"{key}: {shown(value)}" for key, value in x.items())
    if isinstance(x, (float, np.floating)):
        return f"{x:.4g}"
    if isinstance(x, np.ndarray):
        text = np.array2string(x, precision=3, threshold=20, suppress_small=True)
        return re.sub(r"(?<=\[) | (?=\])", "", " ".join(text.split()))  # on one line, without padding
    return visible(x, 80)


def find(exercise):
    """The card of an exercise such as "02.1"; None if there is none."""
    return cards_of(exercise.partition(".")[0]).get(exercise) if type(exercise) is str else None


def cards_of(lesson):
    """The cards of a lesson such as "02", by exercise."""
    try:
        return importlib.import_module(f"{__package__}.cards.lesson_{lesson}").CARDS
    except ModuleNotFoundError:
        return {}


def unknown(exercise):
    """The answer to a number that no exercise has."""
    lesson = visible(exercise).partition(".")[0]
    there = ", ".join(cards_of(lesson))
    named = visible(repr(exercise) if type(exercise) is str else exercise, 40)
    others = f"Lesson {lesson} has {there}." if there else 'They are called "02.1" and so on.'
    return f"There is no exercise {named}. {others}"


__all__ = ["Card", "Reply", "Way", "anything", "cards_of", "contains", "find", "pause", "says", "stops", "unknown"]
