"""From a question (tape, target, sources) to an Explanation for each source."""

import contextlib
import sys
from dataclasses import dataclass

import numpy as np

from .. import nest
from ..listening import Listener, listening
from ..op import OPS, convert
from ..slices import Rows
from ..tensor import Tensor
from ..trace import brief, trace_of
from .causes import Cause, cause_of
from .explanation import Explanation, number_text
from .search import NO_SLOPE, ON_PURPOSE, Builder

ADVICE = "mg.trace(True) before the forward pass would tell which line it is"
UNKNOWN = object()  # a gradient that can no longer be computed, as the tape is used up


class BrokenGradient(RuntimeError):
    """A gradient that is broken or partial, while `mg.trace(strict=True)` is on. Its text is the explanation."""


@dataclass
class Names:
    """What the user calls things: names from the frame that asks, names of Variables, or the op that made them."""

    known: dict
    made: dict

    @classmethod
    def at(cls, frame, trace):
        known = {}
        for space in (frame.f_globals, frame.f_locals):
            for name, value in space.items():
                if isinstance(name, str) and not name.startswith("_") and hasattr(value, "id") and hasattr(value, "dtype"):
                    known[value.id] = name
        made = {}
        for event in trace.events if trace is not None else ():
            if event.what == "ran":
                made.update({output: event.name for output in event.outputs})
        return cls(known, made)

    def of(self, node, default="the value") -> str:
        """The name of a node of the graph."""
        number = node[0] if isinstance(node, tuple) else node
        return self.known.get(number) or self.made.get(number) or default


@dataclass
class Question:
    """All that is known when one source is asked about."""

    tape: object
    targets: list
    source: object
    trace: object
    names: Names
    slope: object = UNKNOWN
    steps: tuple = ()
    frozen: bool = False

    @property
    def label(self):
        target = self.names.of(self.targets[0].id, "y") if len(self.targets) == 1 else "targets"
        return f"d{target}/d{self.names.of(self.source.id, getattr(self.source, 'name', 'x:0') if hasattr(self.source, 'assign') else 'x').partition(':')[0]}"

    @property
    def source_name(self):
        return self.label.partition("/d")[2]


def explain(tape, target, sources, check=None, depth=1):
    """An Explanation for each source, in the form of `sources`.

    Args:
        tape: the GradientTape, in any state; it is not used up.
        target: what was differentiated.
        sources: with respect to what.
        check: a function that computes the target anew from the sources (Tensors); its slope is then measured too.
        depth: how many frames above this one the user's names are.
    """
    trace = trace_of(tape)
    names = Names.at(sys._getframe(depth), trace)
    problem = problem_with(target)
    leaves = nest.flatten(sources) if nest.is_nested(sources) else [sources]
    if problem:
        answers = [no_tensor("target", problem) for _ in leaves]
    else:
        targets = nest.flatten(target)
        slopes, steps = slopes_now(tape, targets, [s for s in leaves if hasattr(s, "id")], trace)
        answers = [
            explained(Question(tape, targets, source, trace, names, slopes.get(source.id, None), steps))
            if hasattr(source, "id") else no_tensor("source", f"the source is {described(source)}")
            for source in leaves
        ]  # fmt: skip
        if check is not None:
            answers = [with_check(answer, check, leaves, k, slopes) for k, answer in enumerate(answers)]
    return nest.pack_sequence_as(sources, answers) if nest.is_nested(sources) else answers[0]


def problem_with(target):
    """What is wrong with a target that is no nest of Tensors; None if nothing is."""
    leaves = nest.flatten(target)
    if not leaves:
        return "the target is an empty list"
    wrong = [one for one in leaves if not hasattr(one, "id")]
    return f"the target is {described(wrong[0])}" if wrong else None


def described(value):
    return "None" if value is None else f"of type {type(value).__name__}"


def no_tensor(role, what):
    mend = "keep to mg's own functions, so that it stays a Tensor" if role == "target" else "give a Variable, or a Tensor that the tape watches"
    cause = Cause("NOT_A_TENSOR", "", "", f"{what}, not a Tensor: there is nothing to differentiate", mend)
    return Explanation("none", "undefined", (cause,), headline=f"NONE  the {role} is no Tensor")


# ---- what the gradient is ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def unheard():
    """Nobody listens to what is computed here."""
    before, listening.now = listening.now, ()
    try:
        yield
    finally:
        listening.now = before


class Steps(Listener):
    """Hears the steps of a walk: for each, what arrived and what was sent on."""

    def __init__(self):
        self.heard = []

    def walked(self, step, dy, dx):
        self.heard.append((step, dy, dx))


def slopes_now(tape, targets, sources, trace):
    """The gradients, as the tape would give them, and the steps of the walk; the tape is not used up."""
    from ..tape import prune, walk

    wanted = [source.id for source in sources]
    if tape.steps is not None:
        steps = Steps()
        with unheard(), np.errstate(all="ignore"):
            seeds = {}
            for one in targets:
                value = convert(one).value
                seeds[one.id] = seeds.get(one.id, 0) + np.ones(value.shape, value.dtype)
            try:
                listening.now = (steps,)
                found = walk(prune(tape.steps, wanted), seeds, wanted)
            except LookupError:
                return {}, ()
            finally:
                listening.now = ()
        return {i: dense(found.get(i)) for i in wanted}, tuple(steps.heard)
    if trace is not None:
        asked = [e for e in trace.events if e.what == "asked" and e.tape == tape.number and set(e.inputs) == {t.id for t in targets}]
        if asked:
            return dict(zip(asked[-1].more, asked[-1].value)), ()
    return {i: UNKNOWN for i in wanted}, ()


def dense(dx):
    return dx.dense() if isinstance(dx, Rows) else dx


# ---- the answer ----------------------------------------------------------------------------------------------------


def explained(q: Question) -> Explanation:
    """The answer for one source."""
    if q.tape.steps is None and not q.tape.entered:
        cause = Cause("OUTSIDE_TAPE", "", "", "this tape was never entered, so it has recorded nothing", "compute inside `with mg.GradientTape() as tape:`")
        return Explanation("none", "broken", (cause,), headline=f"NONE  {q.label}: the tape was never entered")
    if q.trace is None:
        return told_by_the_tape(q)
    builder = Builder(q.trace, q.tape, [q.source])
    graph = builder.build()
    sources = nodes_of(q.source.id, graph)
    targets = {node for one in q.targets for node in nodes_of(one.id, graph)}
    way = graph.cheapest(targets, sources)
    lost = graph.lost(targets, sources)
    if way is None:
        return independent(q, graph, sources, builder)
    breaks = [edge for edge in way if edge.code]
    if breaks:
        return broken(q, way, breaks, builder)
    missing = [edge for edge in lost if edge.code not in NO_SLOPE | ON_PURPOSE and counts(edge, q)]
    return partial(q, way, missing, graph, sources) if missing else whole(q, way, [edge for edge in lost if edge.code in ON_PURPOSE])


def nodes_of(number, graph):
    """All nodes of a Tensor or Variable: a Variable has one for each version."""
    return {node for node in {*graph.into, *graph.out} if node == number or (isinstance(node, tuple) and node[0] == number)} or {number}


def counts(edge, q):
    """A Variable's own earlier versions are no lost way of the Variable itself."""
    return not (edge.code == "STATE" and isinstance(edge.start, tuple) and edge.start[0] == q.source.id == edge.end[0])


def way_names(q, edges):
    """A way as the names to read: source, ops, target."""
    steps = [q.source_name]
    for edge in edges:
        if edge.by is not None:
            steps.append(f"{q.names.of(edge.start, 'value')}.{edge.by.op}" if edge.by.op.startswith("numpy") else edge.by.op)
        if edge.event.what == "ran":
            steps.append(edge.event.name)
        elif edge.event.what == "wrote":
            steps.append(edge.event.op)
        elif edge.event.what in ("stored", "asked"):
            steps.append("gradient" if edge.event.what == "asked" else edge.event.op)
    end = q.names.known.get(q.targets[0].id, "target") if len(q.targets) == 1 else "targets"
    steps.append(end)
    return tuple(steps if len(steps) <= 9 else [*steps[:4], "...", *steps[-4:]])


def broken(q, way, breaks, builder):
    """There is a dependency, and the cheapest way needs mends."""
    codes = {edge.code for edge in breaks}
    meaning = "undefined" if codes & NO_SLOPE else "broken"
    causes = tuple(cause_of(edge, q.names) for edge in breaks)
    causes = tuple(rebound(q, builder) if cause.code == "UNWATCHED" and was_variable(q, builder) else cause for cause in causes)
    what = "no useful derivative exists on the way" if meaning == "undefined" else f"{q.source_name} matters, and the way to it is broken"
    notes = trace_notes(q)
    return Explanation("none", meaning, causes, way_names(q, way)[1:-1], f"NONE  {q.label} = None: {what}", lost=way_names(q, way), notes=notes)


def trace_notes(q):
    return ("the log is full and has forgotten its first events: the answer may be incomplete",) if q.trace.cut else ()


def was_variable(q, builder):
    """Is the source a Tensor that an op made of a Variable?"""
    if hasattr(q.source, "assign"):
        return False
    return any(isinstance(node, tuple) for node in builder.graph.before({q.source.id}))


def rebound(q, builder):
    edge = builder.graph.into[q.source.id][0]
    how, name = edge.event.name, q.source_name
    return Cause(
        "REBOUND", how, edge.event.line.text, f"this {name} is the result of {how} on this line, not the Variable itself",
        f"change the Variable in place, as in {name}.assign_add(...), or call tape.watch({name})",
    )  # fmt: skip


def independent(q, graph, sources, builder):
    """Nothing leads from the source to the target."""
    name, uses = q.source_name, [edge for node in sources for edge in graph.out.get(node, ())]
    if not graph.into.keys() & {one.id for one in q.targets} and began_later(q):
        cause = Cause("OUTSIDE_TAPE", "", "", "the trace began later than the forward pass, so it knows nothing of it", "switch the trace on first", "likely")
        return Explanation("none", "broken", (cause,), headline=f"NONE  {q.label}: the trace began later")
    decided = [e for e in builder.events if e.what == "left" and e.op == "bool()" and reaches(graph, sources, e)]
    if first_order(q, builder):
        cause = Cause("FIRST_ORDER_ONLY", "gradient", "", f"the first derivative does not depend on {name}: the function is linear in it", "nothing: the second derivative is 0")
    elif decided:
        cause = Cause(
            "ONLY_DECIDES", "if", decided[-1].line.text, f"{name} only decides which branch runs; the value does not depend on it smoothly",
            "nothing, if that is meant; otherwise use a smooth gate such as mg.sigmoid(k * x)",
        )  # fmt: skip
    elif uses:
        last = uses[-1].event
        cause = Cause(
            "UNUSED", last.name, last.line.text,
            f"{name} is used here, and nothing that leads to the target uses the result", "use the result, or leave this source out",
        )  # fmt: skip
    else:
        cause = Cause("UNUSED", "", "", f"{name} was never used in the computation of the target", "use it, or leave this source out")
    return Explanation("none", "independent", (cause,), headline=f"NONE  {q.label} = None: the target does not depend on {name}", notes=trace_notes(q))


def began_later(q):
    first = next(iter(q.trace.events), None)
    known = any(e.what == "opened" and e.tape == q.tape.number for e in q.trace.events)
    return first is None or not known


def first_order(q, builder):
    results = {i for e in builder.events if e.what == "asked" and q.source.id in e.more for i in e.outputs}
    return any(one.id in results for one in q.targets) or any(results & builder.graph.before({one.id}) for one in q.targets)


def reaches(graph, sources, event):
    number = event.inputs[0]
    return number in graph.after(sources) or any(isinstance(s, tuple) and s[0] == number for s in sources) or number in sources


def partial(q, way, missing, graph, sources):
    """Some ways are there and some are lost: a number that looks right."""
    causes = tuple(dict.fromkeys(cause_of(edge, q.names) for edge in missing))
    targets = {node for one in q.targets for node in nodes_of(one.id, graph)}
    lost = [*(graph.cheapest({missing[0].start}, sources) or []), missing[0], *(graph.cheapest(targets, {missing[0].end}) or [])]
    live, every = graph.count(targets, sources, lambda edge: not edge.code), graph.count(targets, sources, lambda edge: edge.code not in NO_SLOPE | ON_PURPOSE)
    ways = f"{every - live} of {every} paths" if every < 100 else "some of many paths"
    return Explanation(
        "partial", "", causes, way_names(q, way)[1:-1], f"PARTIAL  {q.label} = {q_text(q)} leaves out {ways}",
        live=way_names(q, way), lost=way_names(q, lost), notes=trace_notes(q),
    )  # fmt: skip


def q_text(q):
    return "?" if q.slope is UNKNOWN else number_text(summed(q.slope))


def summed(slope):
    return slope.sample[0] if hasattr(slope, "sample") and slope.shape == () else np.array(slope.sample) if hasattr(slope, "sample") else slope


def whole(q, way, lost=()):
    """Every way is on the tape: is the number one to be trusted?"""
    path, text = way_names(q, way)[1:-1], q_text(q)
    flags = flags_of(q.slope)
    if flags == "nan":
        return Explanation("nan", "", (not_finite(q),), path, f"NAN  {q.label} = {text}")
    causes = list(dict.fromkeys(cause_of(edge, q.names) for edge in lost))
    stale = staleness(q)
    if stale:
        causes.append(stale)
    if flags == "zero":
        return Explanation("zero", "", (flat(q), *causes), path, f"ZERO  {q.label} = {text}: every way is there, and the slope is 0 here")
    if summed_over(q):
        causes.append(
            Cause("SUMMED", "", "", "the target has several elements: this is the derivative of their sum", "tape.jacobian keeps them apart")
        )
    but = "".join(f", but {cause.code}" for cause in causes[:1])
    where = f" is the slope at an earlier {q.source_name}" if stale else ""
    return Explanation("complete", "", tuple(causes), path, f"COMPLETE{but}  {q.label} = {text}{where}", live=way_names(q, way) if way else ())


def flags_of(slope):
    if slope is UNKNOWN or slope is None:
        return ""
    if hasattr(slope, "sample"):
        return "zero" if slope.zero else "" if slope.finite else "nan"
    value = np.asarray(slope)
    return "nan" if not np.isfinite(value).all() else "zero" if value.size and not value.any() else ""


def staleness(q):
    read, now = q.tape.versions.get(q.source.id), getattr(q.source, "version", None)
    if read is None or now is None or read == now:
        return None
    line = next((e.line.text for e in reversed(q.trace.events) if e.what == "wrote" and q.source.id in e.outputs), "") if q.trace else ""
    name = q.source_name
    return Cause(
        "STALE", "assign", line, f"{name} was assigned after this tape read it: this is the derivative at the old value",
        f"compute the target again, on a new tape, after each assignment to {name}",
    )  # fmt: skip


def summed_over(q):
    sizes = [int(np.prod(one.shape)) for one in q.targets]
    same = len(q.targets) == 1 and tuple(q.targets[0].shape) == tuple(q.source.shape)
    return sum(sizes) > 1 and not same


RULES = {}  # a gradient rule -> the name of its op, filled when first needed


def rule_name(rule):
    if not RULES:
        RULES.update({rule: name for name, op in OPS.items() for key, rule in op.rules.items() if key[0] == "d" and rule})
    return RULES.get(rule, "an op")


def not_finite(q):
    """The first op, on the way back, where a finite gradient became infinite or nan."""
    for (_, _, rule, arrays, *_), dy, dx in q.steps:
        upstream, sent = all_finite(dy), all_finite(dx)
        if upstream and not sent:
            name = rule_name(rule)
            return Cause(
                "NOT_FINITE", name, line_of(q, name), f"{name} is where the gradient stops being finite: its slope there is inf or nan",
                "keep its input away from the edge first, for example with mg.where(ok, x, 1.0), and only then apply it",
            )  # fmt: skip
    return Cause("NOT_FINITE", "", "", "the target itself, or what arrives at it, is not finite", "look at the values of the forward pass")


def flat(q):
    """The first op, on the way back, whose slope is 0."""
    for (_, _, rule, arrays, *_), dy, dx in q.steps:
        if any_nonzero(dy) and not any_nonzero(dx):
            name = rule_name(rule)
            return Cause("FLAT", name, line_of(q, name), f"the slope of {name} is 0 here", f"nothing, if {name} is meant to be flat here; otherwise move its input")
    return Cause("FLAT", "", "", "the slope is 0 here", "nothing: 0 is the derivative")


def line_of(q, name):
    events = q.trace.events if q.trace is not None else ()
    return next((e.line.text for e in reversed(events) if e.what == "ran" and name in (e.op.__name__, e.name)), "")


def all_finite(value):
    values = value if isinstance(value, list) else [value]
    return all(v is None or np.isfinite(np.asarray(dense(v))).all() for v in values)


def any_nonzero(value):
    values = value if isinstance(value, list) else [value]
    return any(v is not None and np.any(np.asarray(dense(v))) for v in values)


# ---- without a trace -----------------------------------------------------------------------------------------------


def told_by_the_tape(q):
    """What the tape alone can tell."""
    if q.slope is not None and q.slope is not UNKNOWN:
        answer = whole(q, ())
        return answer
    name, source, tape = q.source_name, q.source, q.tape
    watched = source.id in tape.live
    kind = source.dtype.dtype.kind
    if q.slope is UNKNOWN and watched and all(one.id in tape.live for one in q.targets):
        cause = Cause("SPENT_TAPE", "gradient", "", "the tape was asked before, and used up", "ask once, for all sources, or use mg.GradientTape(persistent=True)")
        return Explanation("none", "broken", (cause,), headline=f"NONE  {q.label}: the tape is used up", notes=(ADVICE,))
    if kind not in "fc":
        cause = Cause("INTEGER", "", "", f"{name} is {source.dtype.name}: no gradient flows along integers", "make it a float from the start: write 10.0, not 10")
        meaning = "undefined"
    elif any(one.dtype.dtype.kind not in "fc" for one in q.targets):
        cause = Cause("INTEGER", "", "", f"the target is {q.targets[0].dtype.name}: no gradient flows along integers", "stay with floats up to the target")
        meaning = "undefined"
    elif not watched and hasattr(source, "assign") and (not source.trainable or not tape.auto):
        why = "it is not trainable" if not source.trainable else "the tape does not watch Variables by itself"
        cause, meaning = Cause("UNWATCHED", "", "", f"{name} was not watched: {why}", f"call tape.watch({name}) inside the block"), "broken"
    elif not watched and hasattr(source, "assign"):
        cause, meaning = Cause("UNUSED", "", "", f"{name} was never read while this tape recorded", "use it, or leave this source out"), "independent"
    elif not watched:
        cause = Cause("UNWATCHED", "", "", f"{name} is a Tensor that this tape was not watching", f"call tape.watch({name}) inside the block, first", "likely")
        meaning = "broken"
    elif not any(one.id in tape.live for one in q.targets):
        cause = Cause("OUTSIDE_TAPE", "", "", "the target was not computed on this tape from anything that it watches", "compute it inside the block, with mg's own ops", "likely")
        meaning = "broken"
    else:
        cause = Cause("UNUSED", "", "", f"no way on this tape leads from {name} to the target", "use it, or look for a value that left the engine", "likely")
        meaning = "independent"
    return Explanation("none", meaning, (cause,), headline=f"NONE  {q.label} = None", notes=(ADVICE,))


# ---- measuring -----------------------------------------------------------------------------------------------------


def with_check(answer, check, leaves, k, slopes):
    """The answer, with what finite differences say of the function `check`."""
    points = [np.asarray(convert(leaf).value) for leaf in leaves]
    if points[k].dtype.kind != "f":
        return answer
    step = 1e-2 if points[k].dtype.itemsize < 8 else 1e-5
    with unheard():
        measured = differences(check, points, k, step)
    slope = summed(slopes.get(leaves[k].id)) if slopes.get(leaves[k].id) is not UNKNOWN else None
    tape_says = np.zeros(points[k].shape) if slope is None else np.asarray(slope, float)
    agree = tape_says.shape == measured.shape and np.allclose(tape_says, measured, rtol=1e-2, atol=1e-3 * max(1.0, float(np.max(np.abs(measured), initial=0))))
    note = f"returned {number_text(slope)}, measured {number_text(np.round(measured, 4))}: {'agree' if agree else 'they differ'}"
    return Explanation(**{**answer.__dict__, "notes": (*answer.notes, note)})


def differences(check, points, k, step):
    """Central differences of the sum of `check`, for each element of source k."""
    point, slopes = points[k], np.zeros(points[k].shape)

    def total(moved):
        given = [Tensor.of(moved if i == k else p) for i, p in enumerate(points)]
        return sum(float(np.sum(convert(y).value.astype(float))) for y in nest.flatten(check(*given)))

    for place in np.ndindex(point.shape):
        size = step * max(1.0, abs(float(point[place])))
        ends = []
        for sign in (1, -1):
            moved = np.array(point)
            moved[place] += sign * size
            ends.append((total(moved), float(moved[place])))
        slopes[place] = (ends[0][0] - ends[1][0]) / (ends[0][1] - ends[1][1])
    return slopes


__all__ = ["BrokenGradient", "brief", "explain"]
