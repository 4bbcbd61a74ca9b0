"""A finished run, written out: the ops in its log run once more, on Tracers, without the user's code."""

import contextlib
import inspect
from typing import Any, NamedTuple

import numpy as np

from ..engine.backward import output_ids
from ..engine.tape import GradientTape
from ..engine.tensor import Tensor
from ..ops import identity
from ..tracing.log import ADDING, in_pairs
from ..tracing.values import Summary
from .run import Run
from .text import FreeNames, Text
from .tracer import value_of

ALIKE = 1e-4  # relative to the largest number: sums may be computed in another order


class Unlike(Exception):
    """The rerun gives another result than the log."""


class Op(NamedTuple):
    """What is known of an op that ran.

    Attributes:
        run: the op; None for a value that no op made.
        inputs, outputs: the ids of its inputs and outputs, of any kind.
        numbers: index of an input -> the Python number that was passed for it.
        summary: the summary of its (first) output.
        recorded: whether the tape recorded it.
        name: the name that the user's code gives its output.
    """

    run: Any
    inputs: Any
    outputs: Any
    numbers: dict
    attributes: Any
    summary: Any
    recorded: bool
    name: "str | None"

    @classmethod
    def of(cls, frame, tape, name):
        """The op in a frame of a film."""
        numbers, attributes = getattr(frame.event, "python_numbers", ()), getattr(frame.event, "attributes", None)
        given, recorded = in_pairs(numbers), tape in frame.slots
        return cls(frame.op_made, frame.inputs, frame.outputs, given, attributes, frame.value, recorded, name)


class Retold(Run):
    """Reruns the ops of a film, and the backward pass over them.

    Attributes:
        frames: the `Ops` that ran.
        origin: Node of the graph -> ("write", frame) or ("read", frame).
    """

    def __init__(self, frames, leaves, targets, sources, watched):
        """Run the ops.

        Args:
            leaves: each value that no op makes -> (its name, its array); a constant has the name None.
            targets, sources: those of a question to the tape.
            watched: the values that the tape watches.
        """
        self.frames, self.targets, self.sources, self.watched = frames, targets, sources, watched
        self.origin, self.made_by, self.name, names = {}, {}, None, FreeNames()
        tensors = {one: Tensor.of(array) for one, (_, array) in leaves.items()}
        given = {one: names.new(name) for one, (name, _) in leaves.items() if name}

        def play(*arguments):
            return self.played(tensors | dict(zip(given, arguments)))

        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in given.values()]
        play.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        super().__init__(play, [tensors[one] for one in given], {})

    def played(self, tensors):
        with GradientTape() as tape:
            for one in self.watched & tensors.keys():
                if value_of(tensors[one].value).dtype.kind in "fc":
                    tape.watch(tensors[one])
            for k, frame in enumerate(self.frames):
                with contextlib.nullcontext() if frame.recorded else tape.stop_recording():
                    self.step(k, frame, tensors)
                for one in self.watched & {*frame.outputs}:
                    tape.watch(tensors[one])
        targets, sources = [[tensors[one] for one in some] for some in (self.targets, self.sources)]
        return [*targets, *tape.gradient(targets, sources)]

    def step(self, k, frame, tensors):
        """Run one op; a value that no op makes is a constant."""
        if frame.run is None:
            made = [Tensor.of(whole(frame.summary))]
        else:
            self.name, count = frame.name, len(self.graph.nodes)
            made = run_again(frame, tensors)
            self.origin.update(dict.fromkeys(self.graph.nodes[count:], ("write", k)))
        check([value_of(one.value) for one in made], frame.summary)
        tensors.update(zip(frame.outputs, made))
        self.made_by.update({one.id: k for one in made})
        self.name, self.count = None, len(self.graph.nodes)

    def acting(self, function, args, kwargs):
        raise Unlike  # it would take effect once more

    def user_name(self, but=""):
        return self.name

    def stepped_back(self, step, dy, dx):
        super().stepped_back(step, dy, dx)
        frame = "read", self.made_by[output_ids(step)[0]]
        self.origin.update(dict.fromkeys(self.graph.nodes[self.count :], frame))
        self.count = len(self.graph.nodes)

    def lines(self, name):
        """The lines of the text, {"text", "write", "read"}, with the frames that each computes or goes back through.

        A comment above it names the functions that it calls and that NumPy does not have.
        """
        text, told = Text(self, name), {}
        if text.functions:
            yield {"text": f"# minigrad's, not NumPy's: {', '.join(text.functions)}", "write": [], "read": []}
        for node, (kind, k) in self.origin.items():
            place = text.place_of(node)
            if place is not None:
                told.setdefault(place, {"write": [], "read": []})[kind].append(k)
        for k, line in enumerate(text.formatted([*text.lines, text.end])):
            found = told.get(k - 1, {})
            kinds = {kind: sorted({*found.get(kind, ())}) for kind in ("write", "read")}
            yield from ({"text": one, **kinds} for one in line.split("\n"))

    def check_gradients(self, summaries):
        """Compare the gradients with those of the log.

        Raises:
            Unlike: one differs.
        """
        for dx, summary in zip(self.result[len(self.targets) :], summaries):
            check(getattr(dx, "value", dx), summary)


def run_again(op, tensors) -> list:
    """Run an `Op` again on these Tensors, and return what it makes. It is an error if an argument is not known."""
    given = [op.numbers[slot] if slot in op.numbers else tensors[one] for slot, one in enumerate(op.inputs)]
    a_list = any(f"d{name}" in op.run.vjps for name in op.run.lists)
    made = op.run(*([given] if a_list else given), *op.attributes)
    return [*made] if isinstance(made, (list, tuple)) else [made]


def assign_again(frame, former, given=None) -> Tensor:
    """Compute what an assignment wrote from the Tensors that stood there before and were given; None is a constant.

    Raises:
        Unlike: it is no sum, or another value was given.
    """
    value, sign = whole(frame.value), ADDING.get(frame.op)
    if given is not None and not frame.event.source:
        check(given.value, frame.event.given and frame.event.given.content)
    if frame.op == "assign":
        return identity(Tensor.of(value) if given is None else given)
    if sign is None:
        raise Unlike
    former = Tensor.of(value - sign * given.value) if former is None else former
    given = Tensor.of(sign * (value - former.value)) if given is None else given
    return former + given if sign > 0 else former - given


def check(value, summary):
    """Compare a value, or the list of an op's outputs, with its summary in the log.

    Raises:
        Unlike: they differ.
    """
    value = Summary.of(value).array if isinstance(value, list) else value
    if value is None or summary is None:
        same = value is summary
    else:
        known, found = summary.kept.ravel(), np.ravel(value)[: summary.kept.size]
        near = ALIKE * np.max(np.abs(known), initial=0.0, where=np.isfinite(known))
        told = known.size or not summary.size  # of an array that the log has forgotten it knows no number
        same = told and value.shape == summary.shape and np.allclose(found, known, ALIKE, near, equal_nan=True)
    if not same:
        raise Unlike


def whole(summary):
    if summary is None or not summary.whole:
        raise Unlike
    return summary.kept
