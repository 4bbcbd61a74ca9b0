"""From a question (tape, target, sources) to an Explanation for each source."""

import copy
from dataclasses import replace

import numpy as np

from .. import nest
from ..engine.listening import listeners_only
from ..engine.op import OPS
from ..errors import visible
from ..tracing.log import Asked, LeftEngine, Ran, Stored, Wrote, trace_of
from ..tracing.places import user_frame
from ..tracing.source import assigned_name, called_text, decides, rebinds
from .causes import Cause, cause
from .explanation import Explanation
from .names import Names, is_tensor
from .numbers import flat, is_summed, measured, not_finite, stale
from .question import UNKNOWN, Question, flows, is_younger, kind_of, recall, slopes_now, status_of, steps_of
from .search import NO_SLOPE, Edge, History, count, number_of

ADVICE = "mg.trace(True) before the forward pass would tell which line it is"
LATER = "the trace began later than this tape, so it does not know all of it"
FULL = "the log was full and has forgotten its first events: the answer may be incomplete"


def explain(tape, target, sources, output_gradients=None, unconnected_gradients="none", check=None, frame=None):
    """An Explanation for each source, in the form of `sources`.

    Args:
        tape: the GradientTape, in any state; it is not used up.
        target: what was differentiated.
        sources: with respect to what.
        output_gradients, unconnected_gradients: as `tape.gradient` was given them.
        check: a function that computes the target anew from the sources (Tensors); its slope is then measured too.
        frame: the frame in which the user's names are; by default that of the user's code that is running.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.trace(), mg.GradientTape() as tape:
    ...     y = x * x.numpy()
    >>> print(tape.explain(y, x))
    PARTIAL  dy/dx = 3.0 leaves out 1 of 2 paths
      live   x -> multiply -> y                carries 3.0
      lost   x -> x.numpy() -> multiply -> y   carries nothing
      line   y = x * x.numpy()
      cause  LEFT_ENGINE (proved): x.numpy() is a plain number; multiply was given the number 3.0, not x
      fix    keep x a tensor: y = x * x
    """
    frame, trace = frame or user_frame()[0], trace_of(tape)
    leaves = nest.flatten(sources) if nest.is_nested(sources) else [sources]
    with listeners_only(), np.errstate(all="ignore"):
        answers = answers_for(tape, target, leaves, trace, frame, output_gradients)
        if str(getattr(unconnected_gradients, "value", unconnected_gradients)) == "zero":
            answers = [painted(answer) for answer in answers]
        if check is not None:
            answers = [measured(answer, check, leaves, k) for k, answer in enumerate(answers)]
        answers = [answer for answer, _ in answers]
    return nest.pack_sequence_as(sources, answers) if nest.is_nested(sources) else answers[0]


def answers_for(tape, target, leaves, trace, frame, output_gradients=None, slopes=None):
    """A pair for each source: its Explanation, and the gradient. (`slopes`: of `slopes_now`, if it was asked.)"""
    targets = nest.flatten(target)
    problem = next((described(one) for one in targets if not is_tensor(one)), None if targets else "an empty list")
    if problem is not None:
        return [(no_tensor("target", problem), None) for _ in leaves]
    sources = [leaf for leaf in leaves if is_tensor(leaf)]
    names = Names(frame, trace, [*sources, *targets])
    slopes, seeds = slopes or slopes_now(tape, targets, sources, output_gradients)
    found = []
    for leaf in leaves:
        if is_tensor(leaf):
            q = Question(tape, targets, leaf, names, slopes.get(leaf.id, UNKNOWN), seeds=seeds, weighted=output_gradients is not None)
            found.append((answered(q, trace), q.slope))
        else:
            found.append((no_tensor("source", described(leaf)), None))
    return found


def answered(q, trace):
    """The answer; should the log hold something that nobody foresaw, the one without it. A question never fails."""
    try:
        return explained(q, trace)
    except Exception as problem:
        q.history = q.question = None
        answer = explained(q, None)
        said = f"the log could not be read ({type(problem).__name__}: {visible(problem)})"
        return replace(answer, notes=(*answer.notes, said))


def described(value):
    return "None" if value is None else f"of type {type(value).__name__}"


def no_tensor(role, what):
    told = cause("NOT_A_TENSOR", None, role=role, what=what)
    return Explanation("none", "undefined", (told,), f"NONE  the {role} is no Tensor")


def explained(q: Question, trace) -> Explanation:
    """The answer for one source."""
    if not q.tape.entered:
        return none(q, "broken", cause("OUTSIDE_TAPE", q, never=True), why="the tape was never entered")
    if isinstance(q.slope, Exception):
        return raised(q, trace)
    if trace is not None and trace.has_heard(q.tape):
        q.history = History(trace, q.tape, [q.source.id], None)
        asked = [e for e in q.history.questions if set(e.targets) == {one.id for one in q.targets} and q.source.id in e.sources]
        q.question = asked[-1] if asked else None
    if q.tape.steps is None and not recall(q):
        return used_up(q)
    if not flows(q.source):
        return none(
            q, "undefined", cause("INTEGER", q, name=q.source_name, kind=kind_of(q.source)), why=f"{q.source_name} is {kind_of(q.source)}"
        )
    return told_by_the_tape(q) if q.history is None else told_by_the_log(q)


def none(q, meaning, *causes, why, came="= None", path=(), lost=(), notes=()):
    return Explanation("none", meaning, causes, f"NONE  {q.label} {came}: {why}", path=path, lost=lost, notes=notes)


def raised(q, trace):
    """The walk itself ended in an error."""
    problem = q.slope
    said = visible(problem)
    if not isinstance(problem, LookupError) or ": " not in said:
        told = Cause(
            "NOT_REGISTERED",
            "",
            "",
            f"the walk ended with {type(problem).__name__}: {said}",
            "fix the gradient function that was called",
            "likely",
        )
        return none(q, "broken", told, came=f"raises {type(problem).__name__}", why="the gradient cannot be computed")
    kernel = said.partition(": ")[2]
    events = [e for e in trace.events if isinstance(e, Ran) and e.op.kernel == kernel] if trace is not None else []
    op = events[-1].name if events else next((name for name, one in OPS.items() if one.kernel == kernel), kernel)
    told = cause("NOT_REGISTERED", q, kernel=kernel, op=op, line=events[-1].place.text if events else "")
    notes = () if events else (ADVICE,)
    return none(q, "broken", told, came="raises LookupError", why="an op on the way has no gradient", notes=notes)


def used_up(q):
    """The answer, if the tape was asked before, for another target or in vain."""
    spent = cause("SPENT_TAPE", q)
    way = q.history.cheapest(q.history.nodes(q.targets)) if q.history is not None else None
    codes = {edge.code for edge in way or () if edge.code}
    if "NOT_REGISTERED" in codes:
        causes = [cause_of(q, edge) for edge in way if edge.code == "NOT_REGISTERED"]
        return none(q, "broken", *causes, came="raises LookupError", why="an op on the way has no gradient", lost=names_on(q, way))
    if codes - {"SPENT_TAPE"}:
        others = [edge._replace(code=edge.code if edge.code != "SPENT_TAPE" else "") for edge in way]
        return broken(q, others, spent, came="raises RuntimeError")
    if q.history is not None or any(q.tape.last_question) or q.tape.refused:
        return none(q, "broken", spent, came="raises RuntimeError", why="the tape is used up")
    told = Cause(
        "NOT_REGISTERED",
        "",
        "",
        "the tape was asked before, and its walk ended with an error",
        "register the gradient that the error names",
        "likely",
    )
    return none(q, "broken", told, came="raises RuntimeError", why="its walk ended with an error before", notes=(ADVICE,))


# ---- with a trace ------------------------------------------------------------------------------------------------------


def told_by_the_log(q):
    """The answer with the help of the history."""
    history, odd = q.history, []
    custom = [e for e in history.ran if e.op.kernel == "CustomGradient"]
    if custom:
        steps = steps_of(q, also={number for e in custom for number in e.inputs})
        history.carried = {(output, step.source) for step in steps for output in step.outputs}
        odd = [step.sent.shape for step in steps if step.source == q.source.id and step.sent.shape != tuple(q.source.shape)]
    targets = history.nodes(q.targets)
    way = (
        history.cheapest(targets, lambda edge: edge.code not in NO_SLOPE and fits(edge))
        or history.cheapest(targets, lambda edge: edge.code not in NO_SLOPE)
        or history.cheapest(targets)
    )
    connected = q.slope is not None
    if connected and q.question is not None and q.tape.steps is None and way is not None and any(edge.code for edge in way):
        connected = status_of(q.slope) != "zero"  # zeros may stand for None
    answer = whole_or_partial(q, targets, way) if connected else broken(q, way) if way else independent(q)
    shapes = [f"a custom gradient sent {q.source_name} the shape {shape}, but it has the shape {q.source.shape}" for shape in odd[:1]]
    late = not history.opened and answer.status != "complete"
    return replace(answer, notes=(*answer.notes, *shapes, *([FULL] if history.trace.cut else [LATER] if late else [])))


def fits(edge):
    """May a value that left be the one that was written here? Of the several that `set_weights` writes, one has its size."""
    event, given = edge.event, edge.by.given if edge.by is not None else None
    several = isinstance(event, Wrote) and event.called.startswith("set_")
    return not several or given is None or given.content.size == event.value.size


def broken(q, way, *more, came="= None"):
    """There is a dependency, and the cheapest way needs fixes; then come the causes of `more`."""
    breaks = [edge for edge in way if edge.code]
    first = next((k for k, edge in enumerate(breaks) if edge.code in NO_SLOPE), len(breaks))
    breaks = [edge for k, edge in enumerate(breaks) if k <= first or edge.code != "INTEGER"]  # the others follow from it
    if not breaks:
        return none(q, "broken", cause("OUTSIDE_TAPE", q, unknown=True, sure="likely"), why="the way to it is not on the tape")
    codes = {edge.code for edge in breaks}
    if "ONLY_DECIDES" in codes:
        breaks.sort(key=lambda edge: edge.code != "ONLY_DECIDES")
    causes = (*each_once(q, breaks), *more)
    meaning = "independent" if "ONLY_DECIDES" in codes else "undefined" if codes & NO_SLOPE else "broken"
    why = {
        "independent": f"the target does not depend on {q.source_name} smoothly", "undefined": "no useful derivative exists on the way",
        "broken": f"{q.source_name} matters, and the way to it is broken",
    }[meaning]  # fmt: skip
    return none(q, meaning, *causes, why=why, came=came, path=steps_on(q, way), lost=names_on(q, way))


def each_once(q, edges):
    """The causes on these edges; for what happened in the same way on the same line, or in the same call or store, one is enough."""
    causes, other = {}, any(edge.code == "OTHER_TAPE" for edge in edges)
    for edge in edges:
        if other and read_elsewhere(q, edge):  # it follows from the other
            continue
        one = cause_of(q, edge)
        call = "the call of " in one.fix
        op = "" if call or "this line" in one.fix else one.op
        causes.setdefault((one.code, op, "" if call or isinstance(edge.event, Stored) else one.line), one)
    return tuple(causes.values())


def read_elsewhere(q, edge):
    """Does a walk of another tape work with the value of a Variable that this tape would watch, if it had been read here?"""
    return edge.code == "UNWATCHED" and getattr(q.source, "trainable", False) and q.tape.watch_accessed


def cause_of(q, edge):
    if read_elsewhere(q, edge):
        return cause("OTHER_TAPE", q, edge, read=True)
    event = edge.event
    if edge.code == "STATE" and isinstance(event, Wrote) and event.how == "assign" and event.called in ("assign_add", "assign_sub"):
        return cause("STATE", q, edge._replace(start=moved_by(q, event, edge.start)), op=event.called)
    if (
        edge.code == "UNWATCHED"
        and not hasattr(q.source, "trainable")
        and of_variable(q)
        and rebinds(q.history.trace.made[q.source.id].place)
    ):
        made = q.history.trace.made[q.source.id]
        return cause("REBOUND", q, op=made.name, line=made.place.text)
    return cause(edge.code, q, edge)


def moved_by(q, event, node):
    """What a Variable of Keras was moved by: it assigns a sum."""
    made = q.history.trace.made.get(node)
    others = [i for i in made.inputs if i and i != event.variable] if isinstance(made, Ran) else []
    return q.history.node(others[0], made.versions) if others and q.source.id != event.variable else node


def of_variable(q):
    """Was the source, a Tensor, computed from a Variable (or from something that the tape watches)?"""
    made = q.history.trace.made.get(q.source.id)
    if not isinstance(made, Ran):
        return False
    return bool(made.versions) or any(i in q.tape.tracked_ids for i in made.inputs) or any(e.versions for e in before(q, made))


def before(q, made):
    """The ops that an op depends on, and itself, the nearest first."""
    found, todo = {}, [made]
    for event in todo:
        if isinstance(event, Ran) and event.number not in found and len(found) < 1000:
            found[event.number] = event
            todo += [q.history.trace.made.get(number) for number in event.inputs]
    return list(found.values())


# ---- there is no way ---------------------------------------------------------------------------------------------------


def independent(q):
    """Nothing leads from the source to the target."""
    history, name = q.history, q.source_name
    made = [one for one in q.targets if one.id in history.trace.made or hasattr(one, "trainable") or one.id == q.source.id]
    if not made:
        told = cause("OUTSIDE_TAPE", q, unknown=True, sure="likely")
        late = q.targets[0].id < history.trace.began or not (history.opened or history.trace.cut)
        return none(q, "broken", told, why="the trace began later" if late else "its origin is not known")
    why = f"the target does not depend on {name}"
    copy = rebound(q)
    if copy is not None:
        return none(q, "broken", copy, why=f"this {name} is not the one that was used")
    if first_order(q):
        return none(q, "independent", cause("FIRST_ORDER_ONLY", q, linear=True, op="gradient"), why=why)
    decision = deciding(q)
    if decision is not None:
        return none(q, "independent", cause("ONLY_DECIDES", q, op="if", line=decision.place.text), why=f"{why} smoothly")
    edge = unseen(q, made[0])
    if edge is not None:
        return none(q, "broken", cause_of(q, edge), why=f"{name} left, and what came back cannot be followed")
    return none(q, "independent", unused(q), why=why)


def unused(q):
    """The cause, if nothing was seen to lead from the source to the target. It is proved if nothing can have gone unseen."""
    history = q.history
    exits = exits_before(history, q.targets)
    hidden = any(e.op.kernel == "CustomGradient" for e in history.ran)  # what its function uses, nobody is told
    sure = "likely" if history.trace.cut or not history.opened or exits or hidden else "proved"
    for exit in exits[:-50:-1]:
        if exit.number > history.opened and history.cheapest([history.node(exit.tensor, exit.versions)]) is not None:
            return cause("UNUSED", q, op=called_text(exit.place) or exit.exit, line=exit.place.text, sure=sure, left=True)
    uses = [e for e in history.uses(q.source.id) if e.number > history.opened]
    return cause("UNUSED", q, op=uses[-1].name, line=uses[-1].place.text, sure=sure) if uses else cause("UNUSED", q, sure=sure)


def exits_before(history, targets):
    """All that left before the targets were computed, if some of it depends on the source."""
    makers = [history.trace.made.get(node) or history.trace.written.get(node) for node in history.nodes(targets)]
    end = max((event.number for event in makers if event is not None), default=history.trace.count)
    exits = [e for e in history.trace.events if isinstance(e, LeftEngine) and e.number < end]
    return exits if history.cheapest([history.node(e.tensor, e.versions) for e in exits]) is not None else []


def unseen(q, target):
    """An edge that may be there, if the source cannot be read: something that depends on the source left, and the target came after."""
    history = q.history
    event = history.trace.made.get(target.id)
    if event is None or event.place.text:
        return None
    for exit in reversed([e for e in history.returns.exits if history.opened < e.number < event.number][-50:]):
        node = history.node(exit.tensor, exit.versions)
        if history.cheapest([node]) is not None:
            return Edge(node, target.id, event, "LEFT_ENGINE", "likely", exit)
    return None


def rebound(q):
    """The cause, if the source is a fresh copy of what was used, or a fresh object under the same name."""
    if q.history.uses(q.source.id):
        return None
    if hasattr(q.source, "trainable"):
        return made_anew(q)
    if of_variable(q):
        return copied(q)
    return cause("REBOUND", q, younger=True) if is_younger(q) and q.source.id not in q.history.trace.made else None


def copied(q):
    """The cause, if the target was computed from what the source, a Tensor, was computed from."""
    history, made = q.history, q.history.trace.made[q.source.id]
    earlier = [number for event in before(q, made) for number in event.inputs if number]
    way = History(history.trace, q.tape, earlier).cheapest(history.nodes(q.targets))
    origin = q.names.of(way[0].start, "") if way else ""
    return cause("REBOUND", q, op=made.name, line=made.place.text, unused=True, origin=origin) if way else None


def made_anew(q):
    """The cause, if another Variable was used that had the name of the source, and that no name leads to any more."""
    history, event = q.history, q.history.trace.written.get((q.source.id, 0))
    name = assigned_name(event.place) if event is not None else None
    if name is None or name != q.source_name:
        return None
    made = [e for e in history.trace.events if isinstance(e, Wrote) and e.how == "Variable" and e.variable != q.source.id]
    lost = [e.variable for e in made if not q.names.leads_to(e.variable) and assigned_name(e.place) == name]
    used = lost and History(history.trace, q.tape, lost).cheapest(history.nodes(q.targets)) is not None
    return cause("REBOUND", q, op="Variable", line=event.place.text, sure="likely", copy=True) if used else None


def first_order(q):
    """Is the target a first derivative, in which the source does not appear any more?"""
    events = [e for e in q.history.trace.events if isinstance(e, Asked) and q.source.id in e.sources]
    results = {number for e in events for number in e.results}
    edges = History(q.history.trace, q.tape, results - {0}).cheapest(q.history.nodes(q.targets)) if results - {0} else None
    return edges is not None


def deciding(q):
    """The last decision that was made by the source: an `if`, a loop."""
    history = q.history
    exits = [e for e in history.trace.events if isinstance(e, LeftEngine) and e.number > history.opened and decides(e)]
    for exit in exits[:-50:-1]:
        if history.cheapest([history.node(exit.tensor, exit.versions)]) is not None:
            return exit
    return None


# ---- a gradient that is there ------------------------------------------------------------------------------------------


def whole_or_partial(q, targets, way):
    """There is a number. Is a way missing?"""
    history, number = q.history, status_of(q.slope)
    edges = history.ways(targets)
    if not any([edge.code for edge in edges]):
        return whole(q, way, number, [])
    live = history.ways(targets, lambda edge: not edge.code)
    ends = {edge.start for edge in live if history.is_source(edge.start)}

    def counts(edge):
        if edge.code in NO_SLOPE or edge.meant or edge.sure == "perhaps":
            return False
        return not history.is_source(edge.start) or edge.start in ends

    ways = history.ways(targets, counts) if ends else []
    lost = sorted([edge for edge in ways if edge.code], key=lambda edge: edge.event.number)
    if not lost:
        return whole(q, way, number, [edge for edge in edges if edge.code == "STOPPED" and by_the_user(edge.event)])
    causes = each_once(q, lost)
    first = lost[0]
    missing = [*(history.cheapest([first.start], counts) or []), first, *(way_onward(history, targets, first, counts) or [])]
    some, every = count(live, targets, ends), count(ways, targets, ends)
    ways_text = f"{every - some} of {every} paths" if every < 100 else "some of many paths"
    status, head = ("nan", "NAN") if number == "nan" else ("partial", "PARTIAL")
    if number == "nan":
        causes = (not_finite(q), *causes)
    return Explanation(
        status, "", causes, f"{head}  {q.label} = {q.text} leaves out {ways_text}", path=steps_on(q, way or ()),
        live=names_on(q, history.cheapest(targets, lambda edge: not edge.code) or ()), lost=names_on(q, missing), carries=q.text,
    )  # fmt: skip


def by_the_user(event):
    """Did the user cut the way, and not a layer that they use?"""
    return event.op.kernel != "StopGradient" or event.called == "stop_gradient"


def way_onward(history, targets, edge, allowed):
    """The cheapest way from the end of an edge to the targets."""
    onward = copy.copy(history)
    onward.sources = {number_of(edge.end)}
    return onward.cheapest(targets, allowed)


def whole(q, way, number, meant):
    """Every way is on the tape: is the number one to be trusted?"""
    path, live = steps_on(q, way or ()), names_on(q, way) if way else ()
    if number == "nan":
        return Explanation("nan", "", (not_finite(q),), f"NAN  {q.label} = {q.text}", path=path)
    causes = [cause_of(q, edge) for edge in meant]
    old = stale(q)
    causes = [*([old[0]] if old else []), *causes, *([cause("SUMMED", q)] if is_summed(q) else [])]
    causes = tuple({(one.code, one.line): one for one in causes}.values())
    if number == "zero":
        return Explanation(
            "zero", "", (flat(q), *causes), f"ZERO  {q.label} = {q.text}: every way is there, and the slope is 0 here", path=path
        )
    but = "".join(f", but {one.code}" for one in causes[:1])
    after = old[1] if old else ""
    return Explanation("complete", "", causes, f"COMPLETE{but}  {q.label} = {q.text}{after}", path=path, live=() if old else live)


# ---- ways as names -----------------------------------------------------------------------------------------------------


def steps_on(q, edges):
    """The ops on a way, with the doors by which a value left."""
    steps = []
    for edge in edges:
        event = edge.event
        if edge.by is not None:
            told = cause(edge.code, q, edge).op
            steps.append(f"{told}()" if told.endswith(".numpy") else told)
        if isinstance(event, (Ran, Wrote)):
            name = event.name if isinstance(event, Ran) else event.how
            if not steps or steps[-1] != name or getattr(event, "called", "") == getattr(getattr(event, "op", None), "__name__", None):
                steps.append(name)
        elif isinstance(event, Stored) and steps[-1:] != [event.where]:
            steps.append(event.where)
        elif isinstance(event, Asked):
            steps.append("gradient")
    return tuple(steps)


def names_on(q, edges):
    """A way as the names to read: source, ops, target."""
    steps = [q.source_name, *steps_on(q, edges), q.target_name]
    return tuple(steps if len(steps) <= 9 else [*steps[:4], "...", *steps[-4:]])


# ---- without a trace ---------------------------------------------------------------------------------------------------


def told_by_the_tape(q):
    """What the tape alone can tell."""
    if q.slope is not None:
        answer = whole(q, None, status_of(q.slope), ())
        return replace(answer, headline=answer.headline.replace(" = ?", " is given")) if q.slope is UNKNOWN else answer
    name, source, tape = q.source_name, q.source, q.tape
    watched, variable = source.id in tape.tracked_ids, hasattr(source, "trainable")
    reached = any(one.id in tape.tracked_ids for one in q.targets)
    bad = next((one for one in q.targets if not flows(one)), None)
    if bad is not None:
        told, meaning = cause("INTEGER", q, name=q.target_name, kind=kind_of(bad)), "undefined"
    elif is_younger(q):
        told, meaning = cause("REBOUND", q, younger=True), "broken"
    elif not watched and (not variable or not source.trainable or not tape.watch_accessed):
        told, meaning = cause("UNWATCHED", q, sure="proved" if variable else "likely"), "broken"
    elif not reached and any(tape.ended and one.id > tape.ended for one in q.targets):
        told, meaning = cause("OUTSIDE_TAPE", q, sure="likely"), "broken"
    elif not reached and watched:
        told, meaning = cause("OUTSIDE_TAPE", q, sure="likely", apart=True), "broken"
    else:
        told, meaning = cause("UNUSED", q, sure="likely"), "independent"
    why = {
        "undefined": "no gradient flows along it",
        "broken": "the way to it is not on the tape",
        "independent": f"the target does not depend on {name}",
    }
    return none(q, meaning, told, why=why[meaning], notes=(ADVICE,))


def painted(found):
    """The answer for someone who had `unconnected_gradients=ZERO`."""
    answer, slope = found
    note = "unconnected_gradients=ZERO shows this None as 0.0"
    return (replace(answer, notes=(*answer.notes, note)) if answer.status == "none" else answer), slope
