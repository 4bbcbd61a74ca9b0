"""From the log to the answer: what depends on what, and the cheapest way through it.

An edge along which the tape carries a gradient costs nothing. One where the dependency is known and the derivative is
lost costs 1, and has a code that says why. The cheapest way from the target back to a source costs as many fixes as its
gradient needs: 0 for a gradient that is there.
"""

import itertools
from collections import deque
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from ..engine.custom import GRADIENTS, UNREGISTERED
from ..engine.writing import parameters
from ..tracing.log import Asked, EnteredEngine, LeftEngine, Ran, Stored, TapeEvent, Watched, Wrote, version_of

TAPED_INSIDE = {"py_function", "recompute_grad"}  # whose gradient a tape inside them gives
MANY = 200  # of what left last, so much is compared with what comes in
NO_SLOPE = {"NO_DERIVATIVE", "INTEGER", "ONLY_DECIDES"}  # nothing is lost where there is nothing to carry


def number_of(node):
    """The number of a node: a node is the number of a Tensor, or a pair of a Variable's number and version."""
    return node[0] if isinstance(node, tuple) else node


MEANT = "STOPPED", "proved", None, True  # a derivative that was cut on purpose


class Edge(NamedTuple):
    """The node `end` depends on `start`, since `event` happened; without a code, the tape carries the gradient."""

    start: object
    end: object
    event: object
    code: "str | None" = None
    sure: str = "proved"
    by: object = None  # for a value that left and came back: the event of leaving
    meant: bool = False  # was the derivative cut on purpose, or before this tape had begun?

    @property
    def cost(self) -> int:
        return int(self.code is not None)

    @property
    def place(self):
        """Where the derivative was lost."""
        return (self.by or self.event).place


class History:
    """What a trace knows of how things came to be, seen from one tape that is asked about some sources.

    Args:
        trace, tape: the log, and the tape.
        sources: the numbers of the sources.
        carried: the pairs (output, input) along which a gradient was seen to flow; None if nobody saw it.
        experiment: the Experiment that tells which values came back; None if nothing was tried.

    Attributes:
        arrived: the numbers at which a gradient was seen to arrive.
    """

    arrived: "set | frozenset" = frozenset()

    def __init__(self, trace, tape, sources, carried=None, experiment=None):
        self.trace, self.tape, self.sources, self.carried = trace, tape.number, set(sources), carried
        self.one_shot, self.experiment = not tape.persistent, experiment
        self.tape_events = [e for e in trace.events if isinstance(e, TapeEvent) and e.tape == self.tape]
        self.questions, self.watches = (
            [e for e in trace.events if isinstance(e, kind) and e.tape == self.tape] for kind in (Asked, Watched)
        )
        opening = next((e for e in self.tape_events if e.what == "opened"), None)
        self.opened, self.opening = (opening.number, opening.place) if opening is not None else (0, None)
        self.forgot = max((e.number for e in self.tape_events if e.what == "forgot"), default=0)
        released = min([e.number for e in self.questions if e.released], default=trace.count)
        again = [e.number for e in self.tape_events if e.what == "opened" and e.number > released]
        self.renewed = max(again, default=0)  # when a used-up tape was entered again: what was before is gone
        self.edges_into = {}
        self.makers = {
            Ran: self.of_op, EnteredEngine: self.of_arrival, Wrote: self.of_assignment, Stored: self.of_store,
            Asked: self.of_gradient,
        }  # fmt: skip

    def node(self, number, versions):
        """A Tensor's number, or a Variable's with its version: the one it had, or the first that the trace met."""
        version = versions.get(number, self.trace.first.get(number))
        return number if version is None else (number, version)

    def maker(self, node):
        """The event that a node came from; None if it is not known."""
        return self.trace.written.get(node) if isinstance(node, tuple) else self.trace.made.get(node)

    # ---- edges -------------------------------------------------------------------------------------------------------

    def into(self, node):
        """The edges that end at a node."""
        if node not in self.edges_into:
            event = self.maker(node)
            found = list(self.makers[type(event)](node, event)) if event is not None else []
            self.edges_into[node] = found if len(found) < 2 else list(dict.fromkeys(found))
        return self.edges_into[node]

    def of_op(self, node, event):
        moved = self.experiment.moved_in(event) if self.experiment else {}
        own, hidden = event.op.kernel == "CustomGradient", "gave" in moved and "inputs" not in moved
        unseen = "attributes" in moved or (hidden and not own)
        for k, number in enumerate(event.inputs):
            known = number in self.trace.made or number in event.versions or number in self.sources
            if number:
                yield Edge(self.node(number, event.versions), node, event, *self.code_for(event, k, number))
            unseen = unseen or (k in moved.get("inputs", ()) and not known)
        if unseen:
            yield from self.entered(node, event)
        if own and event.heard:
            for start in self.captured(event):
                yield Edge(start, node, event, "STOPPED", "likely", None, True)
        inside = self.entered_inside(event) if own and event.called in TAPED_INSIDE else []
        lost = [edge._replace(start=min(self.sources)) for one in inside for edge in self.entered(node, one)]
        yield from lost
        if own and hidden and not lost:
            yield Edge(min(self.sources), node, event, "STOPPED", "tried", None, True)

    def captured(self, event):
        """What a `py_function` used without being given it: its ops ran just before it, heard by its own tape alone."""
        before = [e for e in self.ran if self.opened < e.number < event.number]
        tapes = event.recorded.keys()
        inside = [*itertools.takewhile(lambda e: e.heard and tapes.isdisjoint(e.recorded), reversed(before))]
        known = {0, *event.inputs, *[number for e in inside for number in e.outputs]}
        return [self.node(i, e.versions) for e in inside for i in e.inputs if i not in known]

    @cached_property
    def ran(self) -> list:
        """The ops that ran, in the order of time."""
        return [e for e in self.trace.events if isinstance(e, Ran)]

    def entered_inside(self, event):
        """What came in, changed by the nudge, while a `py_function` ran; whether it matters is tried."""
        since = max([self.opened, *[self.trace.made[i].number for i in event.inputs if i in self.trace.made]])
        for e in self.experiment.events if self.experiment else ():
            moved = self.experiment.moved_in(e) if since < e.number < event.number else {}
            came = isinstance(e, EnteredEngine) and e.tensor not in event.inputs
            if moved and (came or (isinstance(e, Ran) and "number" in moved and self.tape not in e.recorded)):
                yield e

    def of_arrival(self, node, event):
        yield from self.entered(node, event, event.given)

    def entered(self, node, event, given=None):
        """Edges for a value that came in from outside, if it is known to come from something in the log."""
        same = self.very_object(event, given) or self.taken_over(event)
        tried = self.experiment is not None and event.number > self.experiment.checkpoint.number
        moved = self.experiment.moved_in(event) if tried else None
        if tried and not moved:
            return
        if same and tried and same.number > self.opened and not self.experiment.moved_in(same):
            same = None  # what stayed as it was made nothing that differs
        exits = [same] if same else self.experiment.left_by(event) if tried else []
        for exit in exits:
            early, start = exit.number < self.opened, self.node(exit.tensor, exit.versions)
            yield Edge(start, node, event, "LEFT_ENGINE", "proved" if same else "tried", exit, early)
        if tried and not exits:
            yield Edge(min(self.sources), node, event, "LEFT_ENGINE", "tried")

    @cached_property
    def exits(self) -> list:
        """All numbers that left, in the order of time."""
        return [e for e in self.trace.events if isinstance(e, LeftEngine) and e.kind in "fc"]

    def very_object(self, event, given):
        """The exit of the very object that came in, or of one that shares its memory."""
        value = given.object() if given is not None else None
        for exit in reversed(self.exits[-MANY:]) if value is not None else ():
            left = exit.given.object() if exit.given is not None and exit.number < event.number else None
            arrays = isinstance(left, np.ndarray) and isinstance(value, np.ndarray)
            if left is value or (arrays and np.shares_memory(left, value)):
                return exit
        return None

    def taken_over(self, event):
        """The exit that was part of this very arrival: `mg.constant(variable)`."""
        before, where = self.exits_by_number.get(event.number - 1), (event.code, event.instruction, event.called)
        same = before and (before.code, before.instruction, before.called) == where
        return before if same and isinstance(event, EnteredEngine) else None

    @cached_property
    def exits_by_number(self) -> dict:
        return {e.number: e for e in self.exits}

    def of_assignment(self, node, event):
        meant, code = self.tape not in event.tapes, "REBUILT" if event.how == "Variable" else "STATE"
        edges = self.entered(node, event, event.given)
        if event.source:
            edges = [Edge(self.node(event.source, event.source_versions), node, event, code)]
        for edge in edges:
            if not (meant and self.is_step(edge.start)):
                yield edge._replace(meant=edge.meant or meant)
        if event.how not in ("assign", "Variable"):
            yield Edge((event.variable, event.version - 1), node, event, "STATE", meant=meant)

    def is_step(self, node):
        """Was it computed from a gradient? A step of training starts afresh: the past of a weight is no way to it."""
        made = None if isinstance(node, tuple) else self.trace.made.get(node)
        return any(isinstance(event, Asked) for event in self.before(made))

    def before(self, event):
        """What an event depends on, and itself, the nearest first; no further than Variables."""

        def inputs(one):
            numbers = one.inputs if isinstance(one, Ran) else ()
            return filter(None, [self.trace.made.get(number) for number in numbers if number not in one.versions])

        return reached([] if event is None else [event], inputs)

    def of_store(self, node, event):
        yield Edge(self.node(event.tensor, event.versions), node, event, "STATE", meant=self.tape not in event.tapes)

    def of_gradient(self, node, event):
        """A gradient depends on the target and the sources, unless the tape heard the ops of the backward pass."""
        if self.tape not in event.tapes:
            for number in dict.fromkeys([*event.targets, *event.sources]):
                start = self.node(number, event.versions)
                yield Edge(start, node, event, "FIRST_ORDER_ONLY", meant=event.number < self.opened)

    # ---- why the tape carries nothing --------------------------------------------------------------------------------

    def code_for(self, event, k, number):
        """Why this tape carries no gradient from input k to the outputs, how sure, and so on; () if it does."""
        kernel, kind, live = event.op.kernel, event.kinds[k], event.recorded.get(self.tape)
        if kernel == "StopGradient":
            return MEANT
        if kind not in "fc":
            return ("ONLY_DECIDES" if kind == "b" and kernel in ("Select", "SelectV2") else "INTEGER",)
        if kernel in UNREGISTERED and kernel not in GRADIENTS:
            return ("NOT_REGISTERED",)
        if not vjp_of(event.op, k, len(event.inputs)):
            return ("INTEGER" if kernel == "Cast" and event.value.dtype.kind in "iu" else "NO_DERIVATIVE",)
        if live is None:
            return self.code_while_silent(event)
        if event.number <= max(self.forgot, self.renewed):
            return ("STOPPED" if event.number <= self.forgot else "SPENT_TAPE",)
        if live is not event.inputs and number not in live:  # often they are the same, of which there may be many
            return ("UNWATCHED",) if number in self.sources else ()
        sent = self.carried is None or any((output, number) in self.carried for output in event.outputs)
        stopped = kernel == "CustomGradient" and not sent and not self.arrived.isdisjoint(event.outputs)
        return MEANT if stopped else ()

    def code_while_silent(self, event):
        """The code for an op that ran while the tape did not listen."""
        before = [e.what for e in self.tape_events if e.number < event.number]
        after = [e.what for e in self.tape_events if e.number > event.number]
        if before[-2:] == ["paused", "closed"]:
            return MEANT
        if self.one_shot and before[-1:] == after[:1] == ["closed"]:
            return ("SPENT_TAPE",)  # it was asked inside its block
        return ("OTHER_TAPE" if any(event.recorded.values()) else "OUTSIDE_TAPE",)

    # ---- ways --------------------------------------------------------------------------------------------------------

    def is_source(self, node):
        return number_of(node) in self.sources

    def nodes(self, targets):
        """The nodes of the targets; of a Variable, its present version."""
        return [self.node(one.id, {one.id: version_of(one)} if hasattr(one, "trainable") else {}) for one in targets]

    def cheapest(self, targets, allowed=lambda edge: True, sources=None):
        """The edges of the cheapest way from a source to the targets, or None: a 0-1 shortest path from its end."""
        sources = self.sources if sources is None else sources
        best, todo, done = dict.fromkeys(targets, (0, None)), deque(targets), set()
        while todo:
            node = todo.popleft()
            if node in done:
                continue
            done.add(node)
            if number_of(node) in sources:
                way = []
                while best[node][1] is not None:
                    way.append(best[node][1])
                    node = way[-1].end
                return way
            for edge in self.into(node):
                cost = best[node][0] + edge.cost
                if allowed(edge) and (edge.start not in best or cost < best[edge.start][0]):
                    best[edge.start] = cost, edge
                    (todo.append if edge.cost else todo.appendleft)(edge.start)
        return None

    def ways(self, targets, allowed=lambda edge: True, sources=None):
        """All edges that lie on a way from a source to the targets, in no order."""
        sources = self.sources if sources is None else sources

        def into(node):
            return [] if number_of(node) in sources else [edge for edge in self.into(node) if allowed(edge)]

        nodes, out = reached(targets, lambda node: [edge.start for edge in into(node)]), {}
        edges = [edge for node in nodes for edge in into(node)]
        for edge in edges:
            out.setdefault(edge.start, []).append(edge.end)
        kept = {*reached([node for node in nodes if number_of(node) in sources], lambda node: out.get(node, ()))}
        return [edge for edge in edges if edge.start in kept]

    def uses(self, number):
        """The ops that the source went into, in the order of time."""
        return [e for e in self.ran if number in e.inputs]


def reached(starts, onward) -> list:
    """All that can be reached from these, and they themselves, the nearest first."""
    found = dict.fromkeys(starts)
    order = [*found]
    for one in order:
        new = [other for other in dict.fromkeys(onward(one)) if other not in found]
        found.update(dict.fromkeys(new))
        order += new
    return order


def count(edges, targets, sources):
    """How many ways these edges make from sources to targets. (What depends on something was made after it.)

    An op that uses one value twice, as `x * x` does, is one way.
    """
    ways, in_time = dict.fromkeys(sources, 1), sorted(edges, key=lambda edge: edge.event.number)
    for start, end, _ in dict.fromkeys((edge.start, edge.end, edge.code) for edge in in_time):
        ways[end] = ways.get(end, 0) + ways.get(start, 0)
    return sum(ways.get(node, 0) for node in targets)


@lru_cache(maxsize=1000)
def input_name(op, k, count):
    """The name of the parameter that input k of an op belongs to, of `count` inputs in all; some are lists."""
    names = [name for name in parameters(op.__wrapped__) if f"d{name}" in op.vjps]
    if not names:
        return ""
    return names[k] if count == len(names) else names[0] if k < 1 + count - len(names) else names[k - count]


def vjp_of(op, k, count):
    """The VJP for input k of an op, of `count` inputs in all."""
    return op.vjps.get(f"d{input_name(op, k, count)}")
