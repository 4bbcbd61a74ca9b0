"""Who asks, and about what: the Tensors, Variables and tapes that the asking code can see, and the last question."""

from types import SimpleNamespace

import numpy as np

from ..engine.tape import GradientTape
from ..engine.tensor import Tensor
from ..errors import visible
from ..tracing.log import Asked, Ran, TapeEvent
from .names import is_tensor, known


class Here:
    """What the user's code that asks can see: Tensors, Variables and tapes by number."""

    def __init__(self, frame):
        self.things, self.tapes, self.tape_names = {}, {}, {}
        for space in (frame.f_globals, frame.f_locals):
            for name, value in [(name, known(value)) for name, value in space.items()]:
                if isinstance(value, GradientTape):
                    self.tapes[value.number] = value
                    if not name.startswith("_"):
                        self.tape_names[value.number] = visible(name)
                elif is_tensor(value):
                    self.things[value.id] = value
                elif isinstance(value, (list, tuple)) and len(value) <= 200:
                    self.things.update({one.id: one for one in map(known, value) if is_tensor(one)})

    def objects(self, given, numbers, trace):
        """What was given; otherwise what has these numbers, or had them before its name was used again: all or none."""
        given = [one for one in given if is_tensor(one)]
        found = [self.things[n] if n in self.things else remade(trace, n) for n in numbers]
        return given or (found if all(one is not None for one in found) else [])

    def tape_of(self, trace):
        """The tape that a trace has heard last; if nobody has it any more, what stands for it."""
        asked = [e for e in trace.events if isinstance(e, Asked)]
        number = asked[-1].tape if asked else max(trace.tapes, default=0)
        if number in self.tapes:
            return self.tapes[number]
        persistent = any(e.tape == number and not e.released for e in asked)
        gone = dict(steps=None, last_question=GradientTape.last_question, roots=(), tracked_ids=(), variables={})
        return SimpleNamespace(number=number, persistent=persistent, entered=number > 0, **gone)


def knows(trace, tape) -> bool:
    """Does the log know more than the tape itself? One that began later does, of a used-up tape; so does the end."""
    if any(isinstance(e, TapeEvent) and e.tape == tape.number and e.what == "opened" for e in trace.events):
        return True
    used_up = tape.steps is None or bool(trace.left_out)
    return used_up and any(isinstance(e, Ran) and tape.number in e.recorded for e in trace.events)


def remade(trace, number):
    """A Tensor that nobody has any more, as the log knows it."""
    event = trace.made.get(number) if trace is not None else None
    summary = getattr(event, "value", None)
    if summary is None:
        return None
    tensor = Tensor()
    tensor.id = number
    unknown = np.full((), np.nan).astype(summary.dtype)
    tensor.value = summary.kept if summary.whole else np.broadcast_to(unknown, summary.shape)
    return tensor


def last_question(trace, tape):
    """The numbers of the targets and of the sources that the tape was asked about last, and whether it answered."""
    if trace is not None:
        asked = [e for e in trace.events if isinstance(e, Asked) and e.tape == tape.number]
        if asked:
            return asked[-1].targets, asked[-1].sources, [bool(n) for n in asked[-1].results]
    targets, sources, answers = tape.last_question
    return tuple(targets), tuple(sources), [dx is not None for dx in answers]
