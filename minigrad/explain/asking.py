"""The context of a question: the Tensors, Variables and tapes visible to the code that asks, and the last question."""

from types import SimpleNamespace

import numpy as np

from ..engine.tape import GradientTape
from ..engine.tensor import Tensor
from ..errors import visible
from ..tracing.log import Asked, Ran, TapeEvent
from .names import MOST, is_tensor, known


class Here:
    """The Tensors, Variables and tapes, by number, that are visible to the user's code that asks."""

    def __init__(self, frame):
        spaces = frame.f_globals, frame.f_locals
        seen = [(name, known(value)) for space in spaces for name, value in [*space.items()]]
        tapes = [(name, one) for name, one in seen if isinstance(one, GradientTape)]
        self.tapes = {one.number: one for _, one in tapes}
        self.tape_names = {one.number: visible(name) for name, one in tapes if not name.startswith("_")}
        lists = [value for _, value in seen if isinstance(value, (list, tuple)) and len(value) <= MOST]
        parts = [known(one) for value in lists for one in value]
        self.things = {one.id: one for one in [*parts, *[value for _, value in seen]] if is_tensor(one)}

    def objects(self, given, numbers, trace):
        """The given objects, or else those with these numbers, remade if their names were reused: all or none."""
        given = [one for one in given if is_tensor(one)]
        found = [self.things[n] if n in self.things else remade(trace, n) for n in numbers]
        return given or (found if all(one is not None for one in found) else [])

    def tape_of(self, trace):
        """The tape that the trace heard last, or a stand-in if no visible name refers to it any more."""
        asked = [e for e in trace.events if isinstance(e, Asked)]
        number = asked[-1].tape if asked else max(trace.tapes, default=0)
        if number in self.tapes:
            return self.tapes[number]
        persistent = any(e.tape == number and not e.released for e in asked)
        gone = dict(steps=None, last_question=GradientTape.last_question, roots=(), tracked_ids=(), variables={})
        return SimpleNamespace(number=number, persistent=persistent, entered=number > 0, **gone)


def knows(trace, tape) -> bool:
    """Whether the log knows more than the tape: it heard it open, or some ops of it if it is used up or the log cut."""
    if any(isinstance(e, TapeEvent) and e.tape == tape.number and e.what == "opened" for e in trace.events):
        return True
    used_up = tape.steps is None or bool(trace.left_out)
    return used_up and any(isinstance(e, Ran) and tape.number in e.recorded for e in trace.events)


def remade(trace, number):
    """Rebuild from the log a Tensor that no longer exists; None if the log has no value for it."""
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
    """The numbers of the targets and sources in the tape's last question, and which sources got a gradient."""
    if trace is not None:
        asked = [e for e in trace.events if isinstance(e, Asked) and e.tape == tape.number]
        if asked:
            return asked[-1].targets, asked[-1].sources, [bool(n) for n in asked[-1].results]
    targets, sources, answers = tape.last_question
    return tuple(targets), tuple(sources), [dx is not None for dx in answers]
