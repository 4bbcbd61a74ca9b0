"""From the log to the answer: a graph of what depends on what, and the cheapest way through it.

An edge along which a tape carries a gradient costs nothing. One where the dependency is known and the derivative is lost
costs 1, and has a code that says why. The cheapest way from the target back to a source costs as many mends as its
gradient needs: 0 for a gradient that is there.
"""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from ..custom import GRADIENTS, UNREGISTERED
from .source import statement_at, tainted_names

ON_PURPOSE = {"STOPPED"}
NO_SLOPE = {"NO_DERIVATIVE", "INTEGER", "ONLY_DECIDES"}  # nothing is lost where there is nothing to carry


@dataclass(frozen=True)
class Edge:
    """`end` depends on `start`, since `event` happened. Without a code, a tape carries the gradient along it."""

    start: object
    end: object
    event: object
    code: "str | None" = None
    sure: bool = True
    by: object = None  # for a value that left and came back: the event of leaving

    @property
    def cost(self):
        return int(self.code is not None)


@dataclass
class Graph:
    """What depends on what. A node is the number of a Tensor, or a pair of a Variable's number and version."""

    into: dict = field(default_factory=dict)
    out: dict = field(default_factory=dict)

    def add(self, edge):
        self.into.setdefault(edge.end, []).append(edge)
        self.out.setdefault(edge.start, []).append(edge)

    def reach(self, nodes, edges, step):
        """All nodes that can be reached from these, along `edges` (into or out)."""
        seen, todo = set(nodes), list(nodes)
        while todo:
            for edge in edges.get(todo.pop(), ()):
                node = step(edge)
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
        return seen

    def after(self, nodes):
        return self.reach(nodes, self.out, lambda edge: edge.end)

    def before(self, nodes):
        return self.reach(nodes, self.into, lambda edge: edge.start)

    def cheapest(self, targets, sources):
        """The edges of the cheapest way from the sources to the targets, or None: a 0-1 shortest path, walked backward."""
        best, todo = {node: (0, None) for node in targets}, deque(targets)
        while todo:
            node = todo.popleft()
            if node in sources:
                return self.way(node, best)
            for edge in self.into.get(node, ()):
                cost = best[node][0] + edge.cost
                if edge.start not in best or cost < best[edge.start][0]:
                    best[edge.start] = (cost, edge)
                    (todo.append if edge.cost else todo.appendleft)(edge.start)
        return None

    def way(self, node, best):
        edges = []
        while best[node][1] is not None:
            edges.append(best[node][1])
            node = best[node][1].end
        return edges

    def lost(self, targets, sources):
        """The edges with a code that lie on some way from a source to a target, in the order of time."""
        forward, backward = self.after(sources), self.before(targets)
        found = {edge for start in forward for edge in self.out.get(start, ()) if edge.code and edge.end in backward}
        return sorted(found, key=lambda edge: edge.event.number)


# ---- the graph that a trace holds for one tape ---------------------------------------------------------------------


class Builder:
    """Makes the graph of a trace, seen from one tape."""

    def __init__(self, trace, tape, sources):
        self.events, self.tape, self.sources = list(trace.events), tape.number, {s.id for s in sources}
        self.graph, self.state, self.forgot = Graph(), "before", 0
        self.one_shot = not tape.persistent
        self.asked = False
        self.ran_on = {}  # (file, line) -> the numbers of the events that ran there
        for event in self.events:
            if event.what == "ran":
                self.ran_on.setdefault((event.line.file, event.line.number), []).append(event)
        self.forgotten = max([e.number for e in self.events if e.what == "forgot" and e.tape == self.tape], default=0)
        self.restarted = self.restart_of(self.events)

    def restart_of(self, events):
        """When a used-up tape was entered again: what was before is gone."""
        number, spent = 0, False
        for e in events:
            if e.tape == self.tape and e.what == "asked":
                spent = self.one_shot
            elif e.tape == self.tape and e.what == "opened" and spent:
                number, spent = e.number, False
        return number

    def build(self):
        for event in self.events:
            getattr(self, f"on_{event.what}", lambda event: None)(event)
        return self.graph

    # ---- the life of the tape --------------------------------------------------------------------------------------

    def on_opened(self, event):
        self.state = "open" if event.tape == self.tape else self.state

    def on_paused(self, event):
        self.state = "paused" if event.tape == self.tape else self.state

    def on_closed(self, event):
        if event.tape == self.tape and self.state != "paused":
            self.state = "closed"

    # ---- what depends on what --------------------------------------------------------------------------------------

    def node(self, number, event):
        return (number, event.versions[number]) if number in event.versions else number

    def on_ran(self, event):
        for k, number in enumerate(event.inputs):
            code = self.code_for(event, k, number)
            for output in event.outputs:
                if number:
                    self.graph.add(Edge(self.node(number, event), output, event, code))
        if 0 in event.inputs and event.more:
            self.link_numbers(event)

    def code_for(self, event, k, number):
        """Why this tape carries no gradient from input k to the output; None if it does, or would."""
        if event.op.kernel == "StopGradient":
            return "STOPPED"
        if event.dtypes[k] not in "fc":
            return "INTEGER"
        if event.op.kernel in UNREGISTERED and event.op.kernel not in GRADIENTS:
            return "NOT_REGISTERED"
        if not event.rules[k]:
            return "INTEGER" if event.op.kernel == "Cast" and event.value.dtype[0] in "iub" else "NO_DERIVATIVE"
        if self.tape not in event.active:
            return self.code_while_inactive(event)
        if event.number <= self.forgotten:
            return "STOPPED"
        if event.number <= self.restarted:
            return "SPENT_TAPE"
        if number in self.sources and number not in event.recorded.get(self.tape, ()):
            return "UNWATCHED"
        return None

    def code_while_inactive(self, event):
        if self.state == "paused":
            return "STOPPED"
        if self.asked and self.one_shot and self.state == "closed" and self.asked < event.number and self.inside:
            return "SPENT_TAPE"
        if event.active and any(event.recorded.get(other) for other in event.active):
            return "OTHER_TAPE"
        return "OUTSIDE_TAPE"

    inside = False  # was the one-shot tape asked inside its own block?

    def on_wrote(self, event):
        (variable,), (source,) = event.outputs, event.inputs
        version = event.versions[variable]
        code = "REBUILT" if event.op == "Variable" else "STATE"
        if source:
            self.graph.add(Edge(self.present(source, event), (variable, version), event, code))
        elif event.more is not None:
            self.link(event, (variable, version), event.more)
        if event.op not in ("assign", "Variable"):
            self.graph.add(Edge((variable, version - 1), (variable, version), event, "STATE"))

    def present(self, number, event):
        """A Tensor, or the version of a Variable just before the event."""
        versions = [e.versions[number] for e in self.events if e.number < event.number and number in e.versions]
        return (number, versions[-1]) if versions else number

    def on_stored(self, event):
        self.graph.add(Edge(self.present(event.inputs[0], event), event.outputs[0], event, "STATE"))

    def on_asked(self, event):
        """The gradients that a tape gave depend on its targets and sources; the ops of a recorded walk say so themselves."""
        if event.tape == self.tape:
            self.asked, self.inside = event.number, self.state == "open" or self.inside
        if self.tape in event.active:
            return
        for output in event.outputs:
            for source in [*event.inputs, *event.more]:
                if output:
                    self.graph.add(Edge(self.present(source, event), output, event, "FIRST_ORDER_ONLY"))

    # ---- values that leave and come back ---------------------------------------------------------------------------

    def on_came(self, event):
        if event.dtypes[0] in "fc" and event.more is not None:
            self.link(event, event.outputs[0], event.more)

    def link(self, event, node, key):
        """An edge from the Tensor whose value came back here, if it can be told."""
        exit, sure = self.exit_for(event, key)
        if exit is not None:
            self.graph.add(Edge(self.node(exit.inputs[0], exit), node, event, "LEFT_ENGINE", sure, exit))

    def link_numbers(self, event):
        """Python numbers among the inputs of an op: the literals of the line are the user's own, the others came from somewhere."""
        statement = statement_at(event.line)
        for value in event.more:
            if statement is not None and float(np.real(value)) in {*statement.literals, *(-x for x in statement.literals)}:
                continue
            exit, sure = self.exit_for(event, (value, float(np.real(value))))
            if exit is not None:
                for output in event.outputs:
                    self.graph.add(Edge(self.node(exit.inputs[0], exit), output, event, "LEFT_ENGINE", sure, exit))

    def exit_for(self, event, key):
        """The event of leaving that this value came from, and whether that is proved."""
        exits = [e for e in self.events if e.what == "left" and e.number < event.number and e.dtypes[0] in "fc"][::-1]
        for exit in exits:
            if exit.more is not None and same(exit.more[0], key[0]):
                return exit, True
        here = statement_at(event.line)
        for exit in exits:
            if here is not None and self.on_one_line(exit, event):
                return exit, equal(exit.more, key)
        for exit in exits:
            names = tainted_names([exit.line, *(exit.value or ())], self.quiet)
            if here is not None and here.uses & names:
                return exit, False
        for exit in exits:
            if unusual(key) and equal(exit.more, key):
                return exit, False
        return None, False

    def on_one_line(self, exit, event):
        """Did the value leave and come back within one statement, in one go?"""
        lines = [exit.line, *(exit.value or ())]
        here = statement_at(event.line)
        return any(line.file == event.line.file and here.first <= line.number <= here.last for line in lines)

    def quiet(self, file, statement):
        """Did no op run in this statement?"""
        return not any((file, number) in self.ran_on for number in range(statement.first, statement.last + 1))


def same(left, came):
    """Is it the same object, or a view of the same memory?"""
    left = left() if callable(left) else left
    came = came() if callable(came) else came
    if left is None or came is None:
        return False
    if isinstance(left, np.ndarray) and isinstance(came, np.ndarray):
        return left is came or np.shares_memory(left, came)
    return left is came


def equal(left, came):
    """Do both have the same content?"""
    if left is None or came is None:
        return False
    a, b = (getattr(key[1], "sample", key[1]) for key in (left, came))
    shapes = [getattr(key[1], "shape", ()) for key in (left, came)]
    return shapes[0] == shapes[1] and a == b


def unusual(key):
    """Is it a value that would hardly appear twice by chance?"""
    numbers = getattr(key[1], "sample", (key[1],))
    return any(abs(x) > 1e-12 and x * 64 != round(x * 64) for x in numbers if isinstance(x, float) and np.isfinite(x))
