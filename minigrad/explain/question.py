"""A question about one tape, some targets and one source, and the gradient, found without using up the tape."""

import contextlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..engine.backward import backward, dense, prune
from ..engine.listening import listeners_only
from ..engine.operands import convert
from ..engine.questions import seeds_of
from ..errors import unwarned
from ..tracing.log import Asked, Steps
from ..tracing.values import Summary
from .experiment import Experiment
from .explanation import number_text
from .names import Names, derivative
from .search import History

UNKNOWN = object()  # a gradient that was returned, but whose value is gone


@dataclass
class Question:
    """The question about one source, with everything known before it is answered, and then the answer.

    Attributes:
        slope: the gradient as an array or a Summary, the error of the backward pass, None, or UNKNOWN.
        question: the Asked event being explained, if the tape was asked and the trace heard it.
        history: what the trace knows; None without a trace.
    """

    tape: Any
    targets: list
    source: Any
    names: Names
    slope: Any = UNKNOWN
    question: "Asked | None" = None
    history: "History | None" = None
    seeds: dict = field(default_factory=dict)
    weighted: bool = False  # whether `output_gradients` were given
    lines: dict = field(default_factory=dict)  # statement -> its fixed Line, if a trial confirmed one
    fixed: str = ""  # the source code with those lines in it
    experiment: "Experiment | None" = None
    untried: str = ""  # why there is no experiment
    seconds: float = 0.0  # the time that it had
    steps: list = field(default_factory=list)  # of the backward pass, found once; a replay counts what it makes
    answer: Any = None  # the Explanation, in the end

    @property
    def source_name(self):
        return self.names.of(self.source.id, "the source")

    @property
    def target_name(self):
        return self.names.of(self.targets[0].id, "target") if len(self.targets) == 1 else "targets"

    @property
    def label(self):
        return derivative(self.target_name, self.source_name)

    @property
    def known(self):
        """The gradient as an array of the shape of the source; None if there is none, or its numbers are not known."""
        slope = self.slope.kept if getattr(self.slope, "whole", False) else self.slope
        fits = isinstance(slope, (np.ndarray, np.generic)) and slope.shape == tuple(self.source.shape)
        return slope if fits else None

    @property
    def text(self):
        """The gradient as text."""
        if self.slope is UNKNOWN:
            return "?"
        if isinstance(self.slope, Summary):
            return number_text(self.slope.kept) if self.slope.whole else str(self.slope)
        return number_text(self.slope)


def flows(one):
    return convert(one).value.dtype.kind in "fc"


def slopes_now(tape, targets, sources, output_gradients):
    """The gradients that the tape would return, and the seeds; a used-up tape has no gradients. If the backward pass
    raises, as for an op without a gradient, the error takes the place of each gradient."""
    seeds = seeds_of(tape, targets)
    with contextlib.suppress(Exception):  # seeds of a wrong shape are an error of `gradient`, not of this question
        seeds = seeds_of(tape, targets, output_gradients)
    if tape.steps is None:
        return {}, seeds
    wanted = [source.id for source in sources]
    try:
        return slopes_from(tape, seeds, wanted), seeds
    except Exception as problem:
        return dict.fromkeys(wanted, problem), seeds


def slopes_from(tape, seeds, wanted) -> dict:
    found = backward(prune(tape.steps, wanted), dict(seeds), wanted)
    return {i: dense(found.get(i)) for i in wanted}


def recall(q) -> bool:
    """Look up the answer that a used-up tape gave to this question; False if it gave none."""
    if q.tape.refused:
        return False
    if q.question is not None:
        q.slope = q.question.slopes[q.question.sources.index(q.source.id)]
    targets, sources, answers = q.tape.last_question
    same = set(targets) == {one.id for one in q.targets}
    if same and q.source.id not in sources and is_younger(q) and any(i > max(targets) for i in sources):
        q.slope = None  # `x[0]` makes a new Tensor each time: the tape was asked for another, equally young
        return True
    if not same or q.source.id not in sources:
        return q.question is not None
    answer = answers[sources.index(q.source.id)]
    if answer is None:
        q.slope = None
    elif answer() is not None:
        with listeners_only():  # an op makes IndexedSlices dense
            q.slope = unwarned(convert, answer()).value
    return True


def is_younger(q) -> bool:
    """Whether the source is a Tensor made after the targets. (A Variable's value may be younger than its number.)"""
    tensors = not any(hasattr(one, "trainable") for one in (q.source, *q.targets))
    return tensors and q.source.id > max(one.id for one in q.targets)


def status_of(slope):
    """The status "nan" or "zero" of a gradient; "" for other values, and for unknown ones."""
    if slope is UNKNOWN or slope is None:
        return ""
    summary = Summary.of(slope)
    if not summary.finite:
        return "nan"
    return "zero" if summary.zero and summary.size else ""


def steps_of(q, also=()):
    """The steps of the backward pass to the source and to `also`: run again, or as the trace heard them."""
    wanted = [q.source.id, *also]
    if q.tape.steps is not None:
        return steps_from(q.tape.steps, q.seeds, wanted)
    if q.question is None:
        return []
    flows, kept = set(wanted), []
    for step in reversed(q.history.trace.steps_of([q.question])):
        if step.source in flows:
            flows.update(step.outputs)
            kept.append(step)
    return kept[::-1]


def tape_steps(q) -> list:
    """The tape's own steps; of a used-up tape those of the pass that answered it, if the trace has it."""
    passes = q.history.trace.passes if q.question is not None else ()
    again = (one.again[0] for one in passes if q.question.began < one.number < q.question.number)
    return q.tape.steps or next(again, [])


def steps_from(steps, seeds, wanted) -> list:
    """The steps of a backward pass that is run again, up to an error."""
    heard = Steps()
    with listeners_only(heard), contextlib.suppress(Exception):  # from an op without a gradient
        backward(prune(steps, wanted), dict(seeds), wanted)
    return heard.heard
