"""From the log to the answer: what depends on what, and the cheapest way through it.

An edge along which the tape carries a gradient costs nothing. One where the dependency is known and the derivative is lost
costs 1, and has a code that says why. The cheapest way from the target back to a source costs as many fixes as its
gradient needs: 0 for a gradient that is there.
"""

import bisect
import itertools
from collections import deque
from functools import cached_property, lru_cache
from typing import NamedTuple

from ..engine.custom import GRADIENTS, UNREGISTERED
from ..tracing.log import Asked, EnteredEngine, Ran, Stored, TapeEvent, Watched, Wrote, version_of
from .returns import Returns

NO_SLOPE = {"NO_DERIVATIVE", "INTEGER", "ONLY_DECIDES"}  # nothing is lost where there is nothing to carry


def number_of(node):
    """The number of a Tensor, or of the Variable of a node: that is a number, or a pair of a Variable's number and version."""
    return node[0] if isinstance(node, tuple) else node


class Edge(NamedTuple):
    """`end` depends on `start` (both are nodes), since `event` happened. Without a code, the tape carries the gradient along it."""

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
    """

    def __init__(self, trace, tape, sources, carried=None):
        self.trace, self.tape, self.sources, self.carried = trace, tape.number, set(sources), carried
        self.one_shot = not tape.persistent
        self.returns = Returns(trace)
        self.turns = [e for e in trace.events if isinstance(e, TapeEvent) and e.tape == self.tape]
        self.questions = [e for e in trace.events if isinstance(e, Asked) and e.tape == self.tape]
        self.watches = [e for e in trace.events if isinstance(e, Watched) and e.tape == self.tape]
        self.opened = next((e.number for e in self.turns if e.what == "opened"), 0)
        self.forgot = max((e.number for e in self.turns if e.what == "forgot"), default=0)
        self.renewed = self.renewal()
        self.edges_into = {}
        self.makers = {
            Ran: self.of_op,
            EnteredEngine: self.of_arrival,
            Wrote: self.of_assignment,
            Stored: self.of_store,
            Asked: self.of_gradient,
        }

    def renewal(self):
        """When a used-up tape was entered again: what was before is gone."""
        released = [e.number for e in self.questions if e.released]
        again = [e.number for e in self.turns if e.what == "opened" and released and e.number > released[0]]
        return again[-1] if again else 0

    def node(self, number, versions):
        """A Tensor's number, or a Variable's with its version: the one it had, or the first that the trace met."""
        version = versions.get(number, self.trace.first.get(number))
        return number if version is None else (number, version)

    # ---- edges -----------------------------------------------------------------------------------------------------

    def into(self, node):
        """The edges that end at a node."""
        if node not in self.edges_into:
            event = self.trace.written.get(node) if isinstance(node, tuple) else self.trace.made.get(node)
            found = list(self.makers[type(event)](node, event)) if event is not None else []
            self.edges_into[node] = found if len(found) < 2 else list(dict.fromkeys(found))
        return self.edges_into[node]

    def of_op(self, node, event):
        names, numbers = parameters(event.op), event.numbers
        for k, number in enumerate(event.inputs):
            if number:
                yield Edge(self.node(number, event.versions), node, event, *self.code_for(event, k, number))
            elif k in numbers:
                yield from self.returned(node, event, None, [numbers[k]], k, names if event.called == event.op.__name__ else ())
        if event.op.kernel == "CustomGradient" and event.heard:
            for start in self.captured(event):
                yield Edge(start, node, event, "STOPPED", "likely", None, True)

    def captured(self, event):
        """What a `py_function` used without being given it: its ops ran just before, heard by no tape but its own."""
        before, tapes = bisect.bisect_left(self.ran, event.number, key=lambda e: e.number), event.recorded.keys()
        since = itertools.takewhile(lambda e: e.number > self.opened, reversed(self.ran[:before]))
        inside = list(itertools.takewhile(lambda e: e.heard and tapes.isdisjoint(e.recorded), since))
        made = {number for e in inside for number in e.outputs}
        return [self.node(i, e.versions) for e in inside for i in e.inputs if i and i not in made and i not in event.inputs]

    @cached_property
    def ran(self) -> list:
        """The ops that ran, in the order of time."""
        return [e for e in self.trace.events if isinstance(e, Ran)]

    def of_arrival(self, node, event):
        if event.kind in "fc":
            small = event.value.size <= len(event.value.sample)
            yield from self.returned(node, event, event.given, [x.real for x in event.value.sample] if small else None)

    def returned(self, node, event, given, content, k=None, names=()):
        for one in self.returns.of(event, given, content, k, names):
            early = one.exit.number < self.opened
            yield Edge(self.node(one.exit.tensor, one.exit.versions), node, event, "LEFT_ENGINE", one.confidence, one.exit, early)

    def of_assignment(self, node, event):
        meant = self.tape not in event.tapes
        code = "REBUILT" if event.how == "Variable" else "STATE"
        if event.source:
            edge = Edge(self.node(event.source, event.source_versions), node, event, code, meant=meant)
            if not (meant and self.is_step(edge.start)):
                yield edge
        else:
            for edge in self.returned(node, event, event.given, [x.real for x in event.value.sample]):
                if not (meant and self.is_step(edge.start)):
                    yield Edge(edge.start, node, event, "LEFT_ENGINE", edge.sure, edge.by, edge.meant or meant)
        if event.how not in ("assign", "Variable"):
            yield Edge((event.variable, event.version - 1), node, event, "STATE", meant=meant)

    def is_step(self, node):
        """Was it computed from a gradient? A step of training starts afresh: the past of a weight is no way to it."""
        seen, todo = {node}, [node]
        while todo and len(seen) < 1000:
            node = todo.pop()
            event = None if isinstance(node, tuple) else self.trace.made.get(node)
            if isinstance(event, Asked):
                return True
            for number in event.inputs if isinstance(event, Ran) else ():
                if number not in seen and number not in event.versions:
                    seen.add(number)
                    todo.append(number)
        return False

    def of_store(self, node, event):
        yield Edge(self.node(event.tensor, event.versions), node, event, "STATE", meant=self.tape not in event.tapes)

    def of_gradient(self, node, event):
        """A gradient depends on the target and the sources; if this tape heard the walk, its ops say so themselves."""
        if self.tape not in event.tapes:
            for number in dict.fromkeys([*event.targets, *event.sources]):
                yield Edge(self.node(number, event.versions), node, event, "FIRST_ORDER_ONLY", meant=event.number < self.opened)

    # ---- why the tape carries nothing ------------------------------------------------------------------------------

    def code_for(self, event, k, number):
        """Why this tape carries no gradient from input k to the outputs (None if it does, or would), how sure, and so on."""
        kernel, kind = event.op.kernel, event.kinds[k]
        if kernel == "StopGradient":
            return "STOPPED", "proved", None, True
        if kind not in "fc":
            deciding = kind == "b" and kernel in ("Select", "SelectV2")
            return ("ONLY_DECIDES" if deciding else "INTEGER",)
        if kernel in UNREGISTERED and kernel not in GRADIENTS:
            return ("NOT_REGISTERED",)
        if not rule_of(event.op, k, len(event.inputs)):
            whole = kernel == "Cast" and event.value.dtype.kind in "iu"
            return ("INTEGER" if whole else "NO_DERIVATIVE",)
        recorded = event.recorded
        if self.tape not in recorded:
            return self.code_while_silent(event)
        if event.number <= self.forgot:
            return ("STOPPED",)
        if event.number <= self.renewed:
            return ("SPENT_TAPE",)
        live = recorded[self.tape]
        if live is not event.inputs and number not in live:  # often they are the same, of which there may be many
            return ("UNWATCHED",) if number in self.sources else ()
        if kernel == "CustomGradient" and self.carried is not None and not any((z, number) in self.carried for z in event.outputs):
            return "STOPPED", "proved", None, True
        return ()

    def code_while_silent(self, event):
        """The code for an op that ran while the tape did not listen."""
        before = [e for e in self.turns if e.number < event.number]
        after = [e for e in self.turns if e.number > event.number]
        if [e.what for e in before[-2:]] == ["paused", "closed"]:
            return "STOPPED", "proved", None, True
        if self.one_shot and before and before[-1].what == "closed" and after and after[0].what == "closed":
            return ("SPENT_TAPE",)  # it was asked inside its block
        if any(written for written in event.recorded.values()):
            return ("OTHER_TAPE",)
        return ("OUTSIDE_TAPE",)

    # ---- ways ------------------------------------------------------------------------------------------------------

    def is_source(self, node):
        return number_of(node) in self.sources

    def nodes(self, targets):
        """The nodes of the targets; of a Variable, its present version."""
        return [self.node(one.id, {one.id: version_of(one)} if hasattr(one, "trainable") else {}) for one in targets]

    def cheapest(self, targets, allowed=lambda edge: True):
        """The edges of the cheapest way from a source to the targets, or None: a 0-1 shortest path, walked backward."""
        best, todo, done = dict.fromkeys(targets, (0, None)), deque(targets), set()
        while todo:
            node = todo.popleft()
            if node in done:
                continue
            done.add(node)
            if self.is_source(node):
                return way_from(node, best)
            for edge in self.into(node):
                cost = best[node][0] + edge.cost
                if allowed(edge) and (edge.start not in best or cost < best[edge.start][0]):
                    best[edge.start] = cost, edge
                    (todo.append if edge.cost else todo.appendleft)(edge.start)
        return None

    def ways(self, targets, allowed=lambda edge: True):
        """All edges that lie on a way from a source to the targets, in no order."""
        seen, todo, edges = set(targets), list(targets), []
        while todo:
            node = todo.pop()
            for edge in () if self.is_source(node) else self.into(node):
                if allowed(edge):
                    edges.append(edge)
                    if edge.start not in seen:
                        seen.add(edge.start)
                        todo.append(edge.start)
        out = {}
        for edge in edges:
            out.setdefault(edge.start, []).append(edge)
        reached, todo = set(), [node for node in seen if self.is_source(node)]
        while todo:
            node = todo.pop()
            if node not in reached:
                reached.add(node)
                todo += [edge.end for edge in out.get(node, ())]
        return [edge for edge in edges if edge.start in reached]

    def uses(self, number):
        """The ops that the source went into, in the order of time."""
        return [e for e in self.ran if number in e.inputs]


def way_from(node, best):
    edges = []
    while best[node][1] is not None:
        edges.append(best[node][1])
        node = edges[-1].end
    return edges


def count(edges, targets, sources):
    """How many ways these edges make from sources to targets. (Nothing depends on itself: there are no circles.)

    An op that uses one value twice, as `x * x` does, is one way.
    """
    into = {}
    for edge in edges:
        into.setdefault(edge.end, set()).add((edge.start, edge.code))
    ways, todo = dict.fromkeys(sources, 1), list(targets)
    while todo:
        before = [start for start, _ in into.get(todo[-1], ())] if todo[-1] not in ways else []
        missing = [start for start in before if start not in ways]
        if missing:
            todo += missing
        else:
            ways.setdefault(todo.pop(), sum(ways[start] for start in before))
    return sum(ways[node] for node in targets)


@lru_cache(maxsize=1000)
def parameters(op):
    """The names of the inputs of an op."""
    code = op.__wrapped__.__code__
    return [name for name in code.co_varnames[: code.co_argcount] if f"d{name}" in op.vjps]


def input_name(op, k, count):
    """The name of the parameter that input k of an op belongs to, of `count` inputs in all; some are lists."""
    names = parameters(op)
    if not names:
        return ""
    return names[k] if count == len(names) else names[0] if k < 1 + count - len(names) else names[k - count]


@lru_cache(maxsize=1000)
def rule_of(op, k, count):
    """The rule for input k of an op, of `count` inputs in all."""
    return op.vjps.get(f"d{input_name(op, k, count)}")
