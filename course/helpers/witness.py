"""Observes how an answer was found: the tapes of a trial, what they were asked, and what left the engine."""

import numpy as np

from minigrad import convert_to_tensor
from minigrad.engine.listening import Listener

from .trying import leaves, outcome


class Witness(Listener):
    """Records what happened in one trial."""

    def __init__(self):
        self.tapes = []
        self.answers = []  # for each question, the result of the tape
        self.exits = []  # the exits by which values left for Python or NumPy, without comparisons in an `if`
        self.ops = []
        self.writes = 0

    def started(self, tape):
        if not any(tape is one for one in self.tapes):
            self.tapes.append(tape)

    def asked(self, tape, targets, sources, results):
        self.answers.append(list(results))

    def left(self, tensor, exit, result):
        if exit != "bool()":
            self.exits.append(exit)
        return result

    def hear(self, op, inputs, output, attributes):
        self.ops.append(op.__name__)

    def wrote(self, variable, given, how):
        self.writes += 1

    def gave(self, seen, chained=False):
        """Whether tapes gave every number in this, or, if chained, two numbers whose product it is."""
        given = numbers([convert_to_tensor(one) for one in leaves(self.answers) if one is not None])  # of IndexedSlices, too
        products = np.multiply.outer(given, given).ravel() if chained else given
        return bool(np.isin(numbers(seen), [*given, *products]).all())


def numbers(x):
    """All numbers in a nest, in the precision of a tape."""
    return np.concatenate([np.ravel(np.asarray(leaf, np.float32)) for leaf in leaves(x) if leaf is not None] or [np.empty(0)])


def trial(ask, *arguments):
    """The result of a trial, and its Witness."""
    witness = Witness()

    def watched():
        witness.start()
        given = ask(*arguments)
        witness.stop()
        return given

    return outcome(watched), witness


# ---- ways, for `Way.seen` ------------------------------------------------------------------------------------------


def by_tape(witness, seen, *point):
    """Tapes gave every number."""
    return witness.gave(seen)


def asked(witness, seen, *point):
    """A tape was asked, whatever became of its answer."""
    return bool(witness.answers)


def asked_once(witness, seen, *point):
    """There was exactly one question."""
    return len(witness.answers) == 1


def by_hand(witness, seen, *point):
    """No tape was asked."""
    return not witness.answers


def inside(witness, seen, *point):
    """Nothing left for Python or NumPy."""
    return not witness.exits
