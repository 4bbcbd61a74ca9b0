"""The dependency graph of a trace's log, and the cheapest path through it.

An edge along which the tape carries a gradient costs 0. An edge with a known dependency whose derivative is lost costs
1, and has a code that says why. The cost of the cheapest path from the target back to a source is the number of fixes
that its gradient needs: 0 if the gradient is there.
"""

from collections import deque
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from ..engine.custom import GRADIENTS, UNREGISTERED
from ..engine.writing import parameters
from ..tracing.log import ADDING, Asked, EnteredEngine, LeftEngine, Ran, Stored, TapeEvent, Watched, Wrote, version_of

TAPED_INSIDE = {"py_function", "recompute_grad"}  # their gradient comes from a tape inside them
MANY = 200  # how many of the last exits are compared with a value that comes in
NO_SLOPE = {"NO_DERIVATIVE", "INTEGER", "ONLY_DECIDES"}  # there is no derivative to lose


def number_of(node):
    """The number of a node, which is a Tensor's number or the pair of a Variable's number and version."""
    return node[0] if isinstance(node, tuple) else node


MEANT = "STOPPED", "proved", None, True  # a derivative that was cut on purpose


class Edge(NamedTuple):
    """The node `end` depends on `start` because of `event`; without a code, the tape carries the gradient."""

    start: object
    end: object
    event: object
    code: "str | None" = None
    sure: str = "proved"
    by: object = None  # for a value that left and came back: the exit event
    meant: bool = False  # whether the derivative was cut on purpose, or before this tape began

    @property
    def place(self):
        """Where the derivative was lost."""
        return (self.by or self.event).place


class History:
    """The dependency graph of a trace, as seen from one tape and some sources.

    Args:
        trace, tape: the log and the tape.
        sources: the numbers of the sources.
        experiment: the Experiment that shows which values came back; None if nothing was tried.

    Attributes:
        arrived: the numbers at which a gradient was observed to arrive, if the backward pass was observed.
        carried: the pairs (output, input) along which a gradient was observed to flow.
    """

    arrived: "set | frozenset" = frozenset()
    carried: "set | frozenset" = frozenset()

    def __init__(self, trace, tape, sources, experiment=None):
        self.trace, self.made, self.tape, self.sources = trace, trace.made, tape.number, set(sources)
        self.one_shot, self.experiment = not tape.persistent, experiment
        asked = [[e for e in trace.every(kind) if e.tape == self.tape] for kind in (TapeEvent, Asked, Watched)]
        self.tape_events, self.questions, self.watches = asked
        opening = trace.opening(self.tape)
        self.opened, self.opening = (opening.number, opening.place) if opening is not None else (0, None)
        self.forgot = max((e.number for e in self.tape_events if e.what == "forgot"), default=0)
        released = min([e.number for e in self.questions if e.released], default=trace.count)
        again = [e.number for e in self.tape_events if e.what == "opened" and e.number > released]
        self.renewed = max(again, default=0)  # when a used-up tape was entered again: its earlier steps are gone
        self.forgotten = max(self.forgot, self.renewed)  # what ran up to this event is not on the tape any more
        self.edges_into = {}

    def node(self, number, versions):
        """The node for a number: a Variable's has its version in `versions`, or else the first that the trace met."""
        version = versions.get(number, self.trace.first.get(number))
        return number if version is None else (number, version)

    def maker(self, node):
        """The event that made a node; None if unknown."""
        return self.made.get(node)

    # ---- edges -------------------------------------------------------------------------------------------------------

    def into(self, node):
        """The edges that end at a node."""
        if node not in self.edges_into:
            event = self.maker(node)
            self.edges_into[node] = list(EDGES[type(event)](self, node, event)) if event is not None else []
        return self.edges_into[node]

    def of_op(self, node, event):
        kinds, versions = event.kinds, event.versions
        for k, number in enumerate(event.inputs):
            if number:
                yield Edge(self.node(number, versions), node, event, *self.code_for(event, k, number, kinds[k]))
        if self.experiment is not None:
            yield from self.unseen(node, event, self.experiment.moved_in(event))

    def unseen(self, node, event, moved):
        """The edges for what an op was given besides its inputs, if replays show that it depends on something."""
        moved = moved if self.sources.isdisjoint(event.outputs) else {}  # the source itself is nudged where it is made
        own, hidden = event.op.kernel == "CustomGradient", "gave" in moved and "inputs" not in moved
        changed = {event.inputs[k] for k in moved.get("inputs", ())} - self.sources - event.versions.keys()
        strange = changed - self.made.keys()
        if "attributes" in moved or (hidden and not own) or strange:
            young = any(number > self.tape for number in strange)  # made since the tape, where nothing is heard
            edges = self.entered(node, event)
            yield from [edge._replace(code="OUTSIDE_TAPE") if young and edge.by is None else edge for edge in edges]
        inside = self.entered_inside(event) if own and event.called in TAPED_INSIDE else []
        lost = [edge._replace(start=self.source) for one in inside for edge in self.entered(node, one)]
        yield from lost
        if own and hidden and not lost:
            yield Edge(self.source, node, event, "STOPPED", "tried", None, True)

    @property
    def source(self):
        """The node of the first source, for a way whose beginning is unknown."""
        return self.node(min(self.sources), {})

    @cached_property
    def custom(self) -> list:
        """The functions with a custom gradient that ran; the log does not show every value that they use."""
        return [e for e in self.trace.every(Ran) if e.op.kernel == "CustomGradient"]

    def entered_inside(self, event):
        """The events in a `py_function` where a value changed by the nudge came in; a replay tests if it matters."""
        since = max([self.opened, *[self.made[i].number for i in event.inputs if i in self.made]])
        for e in self.experiment.events if self.experiment else ():
            moved = self.experiment.moved_in(e) if since < e.number < event.number else {}
            came = isinstance(e, EnteredEngine) and e.tensor not in event.inputs
            if moved and (came or (isinstance(e, Ran) and "number" in moved and self.tape not in e.recorded)):
                yield e

    def entered(self, node, event):
        """The edges for a value that came in from outside, if it is known to depend on something in the log."""
        tried = self.experiment if event.number > self.opened else None
        if tried and not tried.moved_in(event):
            return
        same = self.came_back(event)
        if same and tried and same.number > self.opened and not tried.moved_in(same):
            same = None  # a value that did not change cannot have changed another
        exits = [same] if same else tried.left_by(event) if tried else []
        for exit in exits:
            early, start = exit.number < self.opened, self.node(exit.tensor, exit.versions)
            yield Edge(start, node, event, "LEFT_ENGINE", "proved" if same else "tried", exit, early)
        if tried and not exits:
            yield Edge(self.source, node, event, "LEFT_ENGINE", "tried")

    @cached_property
    def exits(self) -> dict:
        """The exits of floating-point and complex values, by event number."""
        return {e.number: e for e in self.trace.every(LeftEngine) if e.kind in "fc"}

    def left(self, targets) -> list:
        """The exits since the tape was opened, until the targets were made: what left later cannot matter."""
        makers = [event.number for event in map(self.maker, self.nodes(targets)) if event is not None]
        made = max(makers, default=self.trace.count + 1)
        return [e for e in self.trace.every(LeftEngine) if self.opened < e.number < made]

    def sees_all(self, targets, ways) -> bool:
        """Whether the log alone shows every way to the targets, of which it knows these `ways`: since the tape was
        opened, only values left that other Variables had before, nothing came unheard, and no op without a derivative
        gave what may move smoothly, as one that reads text.
        """
        trace, left = self.trace, [self.node(e.tensor, e.versions) for e in self.left(targets)]
        if not self.opened or trace.cut or trace.unseen > self.opened or len(left) > MANY:
            return False
        since = [e.gave for e in trace.every(Wrote) if e.number > self.opened and e.how != "Variable"]
        before = {node for node in left if isinstance(node, tuple)}.difference(*since)
        if not before.issuperset(left) or any(self.cheapest([node]) is not None for node in before):
            return False
        nodes = reached(self.nodes(targets), lambda node: [edge.start for edge in self.into(node)])
        made = [*map(self.maker, nodes)]
        wrote = [e.source for e in made if isinstance(e, Wrote) and e.number > self.opened and e.how != "Variable"]
        new = [self.made.get(number) for number in wrote if number > self.tape or not number]
        if any(e is None or isinstance(e, EnteredEngine) for e in new):
            return False  # what was written came from outside, as an optimizer computes it
        ran = [e for e in made if isinstance(e, Ran) and e.recorded.get(self.tape)]
        asked, watched = [(e.began, e.number) for e in self.trace.every(Asked)], {e.source for e in self.watches}
        known = self.made.keys() | self.sources | watched
        for e in ran:
            strange = {number for number in e.inputs if number > self.tape} - known - e.versions.keys()
            if strange and not any(a < e.number < b for a, b in asked):
                return False
        return not any(may_be_smooth(edge.event, number_of(edge.start)) for edge in ways if edge.code in NO_SLOPE)

    def loses_nothing(self, targets) -> bool:
        """Whether the log shows every way to the targets, and none that breaks."""
        ways = self.ways(self.nodes(targets))
        return self.sees_all(targets, ways) and not any(edge.code and self.counts(edge) for edge in ways)

    def came_back(self, event):
        """The exit of the very object that came in, of an array that shares its memory, or in the same call."""
        given = getattr(event, "given", None)
        value = given.object() if given is not None else None
        for exit in [*self.exits.values()][: -MANY - 1 : -1] if value is not None else ():
            left = exit.given.object() if exit.given is not None and exit.number < event.number else None
            arrays = isinstance(left, np.ndarray) and isinstance(value, np.ndarray)
            if left is value or (arrays and np.shares_memory(left, value)):
                return exit
        before = self.exits.get(event.number - 1)  # as in `mg.constant(variable)`
        in_one_call = before and isinstance(event, EnteredEngine) and before.call == event.call
        return before if in_one_call and event.kind in "fc" else None

    def of_assignment(self, node, event):
        meant, code = self.tape not in event.tapes, "REBUILT" if event.how == "Variable" else "STATE"
        former = None if event.how in ("assign", "Variable") else (event.variable, event.version - 1)
        tried = self.experiment if event.number > self.opened else None
        edges, made = self.entered(node, event), self.maker(event.source)
        if isinstance(made, EnteredEngine) and made.call == event.call:  # an optimizer gives it what it computed
            edges = [edge._replace(event=event) for edge in self.entered(node, made)]
        elif event.source:
            edges = [Edge(self.node(event.source, event.versions), node, event, code)]
        elif event.how in ADDING and tried and "inputs" not in tried.moved_in(event):
            edges = []  # what was added has not moved, only what stood there before
        for edge in edges:
            before = self.before(self.made.get(edge.start)) if meant else ()
            if not any(isinstance(one, Asked) for one in before):  # a training step: its weight's past is no path to it
                yield edge._replace(code=edge.code if edge.by else code, meant=edge.meant or meant)
        if former:
            yield Edge(former, node, event)

    def before(self, event):
        """An event and the events that it depends on, the nearest first; the search stops at Variables."""

        def inputs(one):
            numbers = one.inputs if isinstance(one, Ran) else ()
            return filter(None, [self.made.get(number) for number in numbers if number not in one.versions])

        return reached([] if event is None else [event], inputs)

    def of_store(self, node, event):
        yield Edge(self.node(event.tensor, event.versions), node, event, "STATE", meant=self.tape not in event.tapes)

    def of_gradient(self, node, event):
        """The edges from target and sources to their gradient, unless the tape heard the ops of the backward pass."""
        if self.tape not in event.tapes:
            for number in dict.fromkeys([*event.targets, *event.sources]):
                start = self.node(number, event.versions)
                yield Edge(start, node, event, "FIRST_ORDER_ONLY", meant=event.number < self.opened)

    # ---- why the tape carries nothing --------------------------------------------------------------------------------

    def code_for(self, event, k, number, kind):
        """The code and further fields of the Edge from input k to the outputs; () if the tape carries the gradient."""
        kernel, live = event.op.kernel, event.recorded.get(self.tape)
        if kernel == "StopGradient":
            return MEANT
        if kind not in "fc":
            return ("ONLY_DECIDES" if kind == "b" and kernel in ("Select", "SelectV2") else "INTEGER",)
        if kernel in UNREGISTERED and kernel not in GRADIENTS:
            return ("NOT_REGISTERED",)
        made = event.value.dtype.kind if kernel == "Cast" and event.value is not None else kind
        if made not in "fc" or not vjp_of(event.op, k, len(event.inputs)):
            return ("INTEGER" if made in "iu" else "NO_DERIVATIVE",)
        if live is None:
            return self.code_while_silent(event)
        if event.number <= self.forgotten:
            return ("STOPPED" if event.number <= self.forgot else "SPENT_TAPE",)
        if live is not event.inputs and number not in live:  # often the same long list
            return ("UNWATCHED",) if number in self.sources else ()
        if kernel != "CustomGradient" or any((output, number) in self.carried for output in event.outputs):
            return ()
        return () if self.arrived.isdisjoint(event.outputs) else MEANT

    def code_while_silent(self, event):
        """The code, and further fields, for an op that ran while the tape did not listen."""
        before = [e for e in self.tape_events if e.number < event.number]
        if [e.what for e in before[-2:]] == ["paused", "closed"]:
            return MEANT
        asked = [one.place[:2] for one in self.questions]
        if self.one_shot and before and before[-1].what == "closed" and before[-1].place[:2] in asked:
            return ("SPENT_TAPE",)  # the tape was asked inside its block
        return ("OTHER_TAPE" if any(event.recorded.values()) else "OUTSIDE_TAPE",)

    # ---- paths -------------------------------------------------------------------------------------------------------

    def is_source(self, node):
        return number_of(node) in self.sources

    def counts(self, edge):
        """Whether a derivative that the edge loses is missed: there is one, and it was not cut on purpose."""
        return not self.is_flat(edge) and not edge.meant and edge.event.number > self.opened

    def is_flat(self, edge):
        """Whether the edge has no derivative to lose."""
        return edge.code in NO_SLOPE and edge.sure != "tried"

    def nodes(self, targets):
        """The nodes of the targets; a Variable's node has its current version."""
        return [self.node(one.id, {one.id: version_of(one)} if hasattr(one, "trainable") else {}) for one in targets]

    def cheapest(self, targets, allowed=lambda edge: True, sources=None):
        """The edges of the cheapest path from a source to the targets, or None, by a 0-1 BFS from the targets."""
        sources = self.sources if sources is None else sources
        best, todo = dict.fromkeys(targets, (0, None)), deque(targets)
        while todo:
            node = todo.popleft()
            if number_of(node) in sources:
                way = []
                while best[node][1] is not None:
                    way.append(best[node][1])
                    node = way[-1].end
                return way
            for edge in self.into(node):
                cost = best[node][0] + bool(edge.code)
                if allowed(edge) and (edge.start not in best or cost < best[edge.start][0]):
                    best[edge.start] = cost, edge
                    (todo.append if edge.code else todo.appendleft)(edge.start)
        return None

    def ways(self, targets, allowed=lambda edge: True, sources=None):
        """All edges on any path from a source to the targets, in no particular order."""
        sources, edges, out = self.sources if sources is None else sources, [], {}

        def onward(node):
            found = [] if number_of(node) in sources else [edge for edge in self.into(node) if allowed(edge)]
            edges.extend(found)
            return [edge.start for edge in found]

        nodes = reached(targets, onward)
        for edge in edges:
            out.setdefault(edge.start, []).append(edge.end)
        kept = {*reached([node for node in nodes if number_of(node) in sources], lambda node: out.get(node, ()))}
        return [edge for edge in edges if edge.start in kept]

    def uses(self, number):
        """The ops with this number among their inputs, in order of time, without those that answered a question."""
        asked = [(e.began, e.number) for e in self.questions]
        used = [e for e in self.trace.every(Ran) if number in e.inputs]
        return [e for e in used if not any(a < e.number < b for a, b in asked)]


EDGES = {  # the kind of the event that made a node -> the edges that end there
    Ran: History.of_op, EnteredEngine: History.entered, Wrote: History.of_assignment, Stored: History.of_store,
    Asked: History.of_gradient,
}  # fmt: skip


def may_be_smooth(event, number) -> bool:
    """Whether what an op gives may move smoothly with an input: whole numbers and truth values jump."""
    kind = dict(zip(event.inputs, event.kinds)).get(number, "f")
    return kind not in "biu" and (event.value is None or event.value.dtype.kind not in "biu")


def reached(starts, onward) -> list:
    """The starts and everything reachable from them, the nearest first."""
    found = dict.fromkeys(starts)
    order = [*found]
    for one in order:
        for other in onward(one):
            if other not in found:
                found[other] = None
                order.append(other)
    return order


def count(edges, targets, sources):
    """The number of paths that these edges form from sources to targets. (Order of time is a topological order.)

    An op that uses one value twice, as in `x * x`, counts as one path.
    """
    ways, in_time = dict.fromkeys(sources, 1), sorted(edges, key=lambda edge: edge.event.number)
    for start, end, _ in dict.fromkeys((edge.start, edge.end, edge.code) for edge in in_time):
        ways[end] = ways.get(end, 0) + ways.get(start, 0)
    return sum(ways.get(node, 0) for node in targets)


@lru_cache(maxsize=1000)
def input_name(op, k, count):
    """The parameter name of an op's input k, out of `count`; a parameter may be a list (all are equally long)."""
    names = [name for name in parameters(op.__wrapped__) if f"d{name}" in op.vjps]
    lists = [name for name in names if name in op.lists]
    for name in names:
        length = (count - len(names)) // len(lists) + 1 if name in lists else 1
        if k < length:
            return name
        k -= length
    return ""


@lru_cache(maxsize=1000)
def vjp_of(op, k, count):
    """The VJP for an op's input k, out of `count` inputs."""
    return op.vjps.get(f"d{input_name(op, k, count)}")
