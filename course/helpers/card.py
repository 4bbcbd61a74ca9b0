"""An exercise card: how answers are tried, what is right, which mistakes are known by their results, and hints."""

import ast
import contextlib
import copy
import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import minigrad as mg
from minigrad.errors import visible

from .trying import Stopped, all_dots, never_returns, outcome, plain, some_dots, took_too_long, untouched
from .witness import Witness, trial


@dataclass(frozen=True)
class Reply:
    """The reply to one known mistake.

    Args:
        wrong: an answer with this mistake, as the learner would write it.
        gives: the result of that answer, in the form of `Card.right`.
        text: the reply.
        mark: a condition on the Witness of each trial, needed for the text to be true.
        done: whether it counts as an answer, like "I do not know" where learners assess themselves.
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
        wrong: an answer that gives the right result, found in another way.
        seen: called with each trial's Witness, result and point; see `witness` for examples.
        text: the reply if `seen` is not True.
    """

    wrong: str
    seen: Callable
    text: str


@dataclass(frozen=True)
class Card:
    """One exercise.

    Args:
        right: for each point, the right result; see `alike` for its form.
        yes: a fact to add to the reply "yes".
        hints: three, each telling more than the last.
        solution: the source of a right answer.
        points: hidden data, the arguments of each trial. Without points, the answer is a value, not a function.
        ask: how to try the answer at a point.
        miss: the reply to an unknown mistake; `{seen}` is the result at the point `{0}`, `{1}` ...
        options: the options for the prediction, if there is one.
        came_out: the result to show beside a prediction.
        replies: the replies to known mistakes.
        ways: how the answer must have been found.
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
        """The reply to an answer."""
        return self.judged(answer)[0]

    def judged(self, answer):
        """The reply to an answer, and the number of its Reply, from 1 on, if it is for a known mistake; else 0."""
        said = self.said_to(answer)
        if not isinstance(said, Reply):
            return said, 0
        begin = "yes" if said.done else "not yet"
        text = f"{begin}{said.text}" if said.text.startswith(":") else f"{begin}. {said.text}"
        return text, 0 if said.done else self.replies.index(said) + 1

    def said_to(self, answer):
        """The text to say, or the Reply."""
        if untouched(answer):
            return "not attempted yet."
        if self.points and not callable(answer):
            return "not yet. Hand over the function itself: its name, without parentheses."
        points = self.points or ((),)
        trials = self.tried(answer) or [(outcome(lambda: meant(plain(answer), self.right())), Witness())]
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
        """The result at each point, with its Witness. After a run that took too long, no other point is tried.

        Each trial gets copies, because an answer may reverse a list, or multiply an array in place.
        """
        trials = []
        for point in self.points:
            again = not trials or not took_too_long(trials[-1][0])
            trials.append(trial(self.ask, answer, *copy.deepcopy(point)) if again else trials[-1])
        return trials

    def told(self, seen, points):
        """The result of an unforeseen mistake, in words."""
        wrong = [(one, point) for one, point in zip(seen, points, strict=True) if not alike(one, self.right(*point))]
        one, point = next((pair for pair in wrong if isinstance(pair[0], Stopped)), wrong[0])
        if isinstance(one, Stopped):
            return f". {'Your function' if one.in_answer else 'The check of your function'} {one}{advice(one.problem)}"
        if self.miss:
            seen = visible(repr(one), 80) if type(one) is str else shown(one)
            return f". {self.miss.format(*map(shown, point), seen=seen)}"
        wanted = self.right()
        if not isinstance(one, dict):
            return f". Hand over a dict with the entries {', '.join(wanted)}."
        keys = [key for key in wanted if not alike(one.get(key), wanted[key])]
        others = [key for key in keys if isinstance(wanted[key], bool) and not isinstance(one.get(key), (bool, np.bool_))]
        return f". Write True or False for {joined(others)}." if others else f". Look again at {joined(keys)}."


NOTHING = "The function returned nothing. Write `return` before what it should give back."


def pause(right, yes, hints, mistakes):
    """A question at a pause on the way.

    Args:
        right: a number; or the right words, in lower case, the first of which is the solution.
        mistakes: wrong answer -> reply.
    """
    shaped = [one if isinstance(one, tuple) else (one,) for one in (right, *mistakes)]
    wanted, *known = [(lambda one=one: says(*one)) if isinstance(one[0], str) else (lambda one=one: one[0]) for one in shaped]
    replies = [Reply(f"answer = {one[0]!r}", gives, text) for one, gives, text in zip(shaped[1:], known, mistakes.values())]
    miss = "{seen} is not it. A hint says where to look."
    return Card(wanted, yes, hints, f"answer = {shaped[0][0]!r}", miss=miss, replies=tuple(replies))


def found_so(way, trials, points):
    """Whether the answer was found in this way at every point."""
    return all(outcome(way.seen, witness, one, *point) is True for (one, witness), point in zip(trials, points, strict=True))


def meant(typed, wanted):
    """What was typed, with small differences removed: quotes around other values, and capitals and spaces in text."""
    if isinstance(typed, dict) and isinstance(wanted, dict):
        return {key: meant(one, wanted.get(key)) for key, one in typed.items()}
    if not isinstance(typed, str) or callable(wanted):
        return typed
    if isinstance(wanted, str):
        return wanted if typed.casefold().split() == wanted.casefold().split() else typed
    with contextlib.suppress(Exception):
        return ast.literal_eval(typed.strip().capitalize())
    return typed


def agrees(seen, wanted, points):
    """Whether the results are the wanted ones at every point."""
    return all(alike(one, wanted(*point)) for one, point in zip(seen, points, strict=True))


def alike(seen, wanted):
    """Compare a result with what is wanted.

    Numbers and arrays are compared to 0.1 %, lists entry by entry, dicts in the wanted entries only. Where a function
    stands in place of a wanted value, it is called with the result.
    """
    if callable(wanted):
        return outcome(wanted, seen) is True
    if isinstance(seen, Stopped) or seen is None or wanted is None:
        return seen is wanted
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(key in seen and alike(seen[key], wanted[key]) for key in wanted)
    if isinstance(wanted, (list, tuple)) and (isinstance(seen, list) or np.ndim(seen)):
        return len(seen) == len(wanted) and all(map(alike, seen, wanted))
    if isinstance(wanted, (str, bool)) or isinstance(seen, str):
        return isinstance(seen, (str, bool, np.bool_)) and bool(seen == wanted)
    try:
        seen = np.asarray(seen, float)
    except (TypeError, ValueError):
        return False
    return seen.shape == np.shape(wanted) and np.allclose(seen, wanted, rtol=1e-3, atol=1e-6, equal_nan=True)


def stops(kind, words=""):
    """Wanted: an exception of this kind, whose message contains these words."""
    return lambda seen: isinstance(seen, Stopped) and isinstance(seen.problem, kind) and words in str(seen.problem)


def contains(words):
    """Wanted: a text that contains these words."""
    return lambda seen: isinstance(seen, str) and words in seen.lower()


def says(*texts):
    """Wanted: one of these texts, in lower case, as a whole, or the nan that prints so. Only filler words may surround
    it: no `not`, no `or`."""

    def said(seen):
        words = f" {' '.join(re.findall(WORD, str(seen).lower()))} " if isinstance(seen, (str, float)) else ""
        return any(f" {text} " in words and set(words.replace(f" {text} ", " ").split()) <= set(FILLERS.split()) for text in texts)

    return said


WORD = r"[^\W_]+(?:'[^\W_]+)?"
FILLERS = """
a an the it its it's is they are be them this that called named word name i think line op code cause error method function
call number loop flag keyword argument attribute tape gradient derivative variable variables value entry by together up all so
likely proved tried
"""


def anything(seen):
    """Wanted: any result."""
    return True


def advice(problem):
    """A hint on how to go on, if the missing name is one that minigrad has."""
    name = getattr(problem, "name", None) if isinstance(problem, NameError) else None
    return f" Try mg.{name}." if isinstance(name, str) and hasattr(mg, name) else ""


def joined(words):
    *rest, last = words
    return f"{', '.join(rest)}{' and ' if rest else ''}{last}"


def shown(x):
    """A value with few digits."""
    if isinstance(x, (list, tuple)):
        return f"[{', '.join(map(shown, x))}]"
    if isinstance(x, dict):
        return ", ".join(f"{key}: {shown(value)}" for key, value in x.items())
    if isinstance(x, (float, np.floating)):
        return f"{x:.4g}"
    if isinstance(x, np.ndarray):
        text = np.array2string(x, precision=3, threshold=20, suppress_small=True)
        return re.sub(r"(?<=\[) | (?=\])", "", " ".join(text.split()))  # on one line, without padding inside brackets
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
    """The reply to a number that no exercise has."""
    lesson = visible(exercise).partition(".")[0]
    there = ", ".join(cards_of(lesson))
    named = visible(repr(exercise) if type(exercise) is str else exercise, 40)
    others = f"Lesson {lesson} has {there}." if there else 'They are called "02.1" and so on.'
    return f"There is no exercise {named}. {others}"


__all__ = ["Card", "Reply", "Way", "anything", "cards_of", "contains", "find", "pause", "says", "stops", "unknown"]
