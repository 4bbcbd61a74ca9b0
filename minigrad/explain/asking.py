"""What a film is of when it is not told: the tape that was heard last, and what that tape was asked."""

from types import SimpleNamespace

import numpy as np

from ..engine.tape import GradientTape
from ..engine.tensor import Tensor
from ..errors import visible
from ..tracing.log import Asked, Ran
from .names import named


def tapes_in(frame) -> dict:
    """The tapes that are visible to the user's code that asks: number -> the tape and its name."""
    seen = [*named(frame.f_globals), *named(frame.f_locals)]
    return {one.number: (one, visible(name)) for name, one in seen if isinstance(one, GradientTape)}


def last_tape(trace, tapes):
    """The tape that the trace heard last, or a stand-in if no visible name refers to it any more."""
    asked = trace.every(Asked)
    number = asked[-1].tape if asked else max(trace.tapes, default=0)
    if number in tapes:
        return tapes[number][0]
    persistent = any(e.tape == number and not e.released for e in asked)
    gone = dict(steps=None, last_question=GradientTape.last_question, roots=(), tracked_ids=(), variables={})
    return SimpleNamespace(number=number, persistent=persistent, entered=number > 0, **gone)


def knows(trace, tape) -> bool:
    """Whether the log knows more than the tape: it heard it open, or some ops of it if it is used up or the log cut."""
    if trace.opening(tape.number) is not None:
        return True
    return (tape.steps is None or trace.cut) and any(tape.number in e.recorded for e in trace.every(Ran))


def last_question(trace, tape):
    """The numbers of the targets and sources in the tape's last question, and which sources got a gradient."""
    asked = [e for e in trace.every(Asked) if e.tape == tape.number] if trace is not None else []
    if asked:
        return asked[-1].targets, asked[-1].sources, [bool(n) for n in asked[-1].results]
    targets, sources, answers = tape.last_question
    return tuple(targets), tuple(sources), [dx is not None for dx in answers]


def objects(numbers, seen, trace) -> list:
    """The Tensors with these numbers: those seen, or else rebuilt from the log; none if one is unknown."""
    found = [seen[n] if n in seen else remade(trace, n) for n in numbers]
    return found if all(one is not None for one in found) else []


def remade(trace, number):
    """Rebuild from the log a Tensor that no longer exists; None if the log has no value for it."""
    summary = getattr(trace.made.get(number), "value", None) if trace is not None else None
    if summary is None:
        return None
    tensor = Tensor()
    tensor.id = number
    unknown = np.full((), np.nan).astype(summary.dtype)
    tensor.value = summary.kept if summary.whole else np.broadcast_to(unknown, summary.shape)
    return tensor
