"""Answer a question (tape, target, sources) with an Explanation for each source."""

import ast
import contextlib
import time
from dataclasses import replace

import numpy as np

from .. import nest
from ..engine.listening import listeners_only
from ..engine.operands import OPS, convert
from ..errors import unwarned, visible
from ..tracing import checkpoint
from ..tracing.log import Asked, EnteredEngine, Ran, Stored, Wrote, trace_of
from ..tracing.places import user_frame
from ..tracing.source import assigned_name, called_text, decides, names_in, rebinds, statement_at
from ..tracing.values import finite
from . import trial
from .causes import cause, cause_on, op_of, op_of_event, op_of_exit, unwatched
from .experiment import FURTHER, NEGLIGIBLE, Experiment, NotTried
from .explanation import TABLES, Explanation, with_notes
from .fixes import lines_for
from .names import Names, is_tensor
from .numbers import flat, not_finite, stale, summed
from .question import UNKNOWN, Question, flows, is_younger, recall, slopes_now, status_of, steps_of
from .search import NO_SLOPE, History, count, number_of

ADVICE = "mg.trace(True) before the forward pass would tell which line it is"
TRY = "mg.trace(True) before the forward pass would let it be tried"
DEAF = "the trace that is on did not hear this tape: a trace hears the thread in which it was switched on"
LATER = "the trace began later than this tape, so it does not know all of it"
UNHEARD = "what left the tape, if anything did, is not known"
ELSEWHERE = "what else leads to {} was not tried"
PAINTED = "unconnected_gradients=ZERO shows this None as 0.0"
FULL = "the log has forgotten its first events (mg.trace(limit=...) keeps more): the answer may be incomplete"


def explain(tape, target, sources, output_gradients=None, unconnected_gradients="none", seconds=None):
    """An Explanation for each source, as GradientTape.explain says; a list, tuple or dict of them prints as a table.

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
      note   measured: 3 of 6 is lost
    """
    frame, trace, leaves, targets = user_frame()[0], trace_of(tape), nest.flatten(sources), nest.flatten(target)
    wrong = next((no_tensor("target", one) for one in targets or [targets] if not is_tensor(one)), None)
    asked = [leaf for leaf in leaves if is_tensor(leaf)]
    with checkpoint.answering as number, listeners_only():
        if number not in checkpoint.told:
            given = tape, targets, asked, trace, frame, output_gradients, seconds
            found = iter(unwarned(answer_all, *given) if asked and wrong is None else ())
            each = [wrong or (next(found).answer if is_tensor(one) else no_tensor("source", one)) for one in leaves]
            checkpoint.tell(number, each)
        answers = checkpoint.told[number]
    if str(getattr(unconnected_gradients, "value", unconnected_gradients)) == "zero":
        answers = [with_notes(one, PAINTED) if one.status == "none" else one for one in answers]
    packed = nest.pack_sequence_as(sources, answers)
    return TABLES[type(packed)](packed) if type(packed) in TABLES else packed


def answer_all(tape, targets, sources, trace, frame, weights=None, seconds=None, known=None) -> list:
    """A Question for each source, with its answer. What `slopes_now` found may be `known` already."""
    slopes, seeds = known or slopes_now(tape, targets, sources, weights)
    names = Names(frame, trace, [*sources, *targets])
    seconds = checkpoint.SECONDS if seconds is None else seconds
    questions, end, together = [], time.perf_counter() + seconds, None
    with contextlib.suppress(Exception):  # the error recurs with a single source
        if len(sources) > 1:
            together = Experiment(trace, tape, targets, sources, seeds, seconds, share=0.5)
            together.deadline = 0.0  # it has compared its two replays; measuring needs one source
    for one in sources:
        q = Question(tape, targets, one, names, slopes.get(one.id, UNKNOWN), seeds=seeds, weighted=weights is not None)
        questions.append(q)
    for again in (False, True):
        late = [q for q in questions if q.untried or not again]
        for k, q in enumerate(late):
            left = seconds and max(1e-3, end - time.perf_counter()) / (len(late) - k)
            if left > q.seconds or not again:  # what others leave over is for those that had too little time
                q.seconds, q.answer = left, answered(q, trace, left, together)
    return questions


def answered(q, trace, seconds, together):
    """The answer, with the help of replays if the block can be replayed. A question never fails: if the log holds
    something unforeseen, the answer is given without the log."""
    q.untried = ""
    try:
        try:
            if trace is None or not flows(q.source):
                raise NotTried("no trace was on")
            answer, q.experiment = None, together
            with contextlib.suppress(NotTried):
                answer = explained(q, trace) if together is not None else None
            if answer is None or answer.status not in ("complete", "zero") or q.history.custom:
                q.experiment = Experiment(trace, q.tape, q.targets, [q.source], q.seeds, seconds, together)
                answer = explained(q, trace)  # with this source alone, since nudging all was not enough to tell
            return replace(answer, fixed=q.fixed)
        except NotTried as why:
            q.experiment, q.untried = None, str(why)
            return explained(q, trace)
    except Exception as problem:
        q.history = q.question = q.experiment = None
        said = f"the log could not be read ({type(problem).__name__}: {visible(problem)})"
        return with_notes(explained(q, None), said)


def no_tensor(role, value):
    kind = type(value).__name__
    what = {"NoneType": "None", "list": "an empty list"}.get(kind, f"of type {kind}")
    told = cause("NOT_A_TENSOR", None, "" if role == "target" else role, what=what)
    return Explanation("none", "undefined", (told,), f"NONE  the {role} is no Tensor")


def explained(q: Question, trace) -> Explanation:
    """The answer for one source."""
    if not q.tape.entered:
        return none(q, "broken", cause("OUTSIDE_TAPE", q, "never"), why="the tape was never entered")
    if isinstance(q.slope, Exception):
        return raised(q, trace)
    if trace is not None and trace.has_heard(q.tape):
        if trace.incomplete:
            return Explanation("untried", "", (), f"UNTRIED  {q.label}: {trace.incomplete}")
        q.history = History(trace, q.tape, [q.source.id], q.experiment)
        asked, targets = q.history.questions, {one.id for one in q.targets}
        q.question = next((e for e in reversed(asked) if {*e.targets} == targets and q.source.id in e.sources), None)
    if q.tape.steps is None and not recall(q):
        return used_up(q)
    if not flows(q.source):
        name, kind = q.source_name, convert(q.source).dtype.name
        told = cause("INTEGER", q, "" if "int" in kind else "other", kind=kind)
        return none(q, "undefined", told, why=f"{name} is {kind}")
    if q.history is not None:
        return told_by_the_log(q)
    return with_notes(told_by_the_tape(q), *[DEAF] * (trace is not None and trace.began <= q.tape.ended))


def none(q, meaning, *causes, why, came="= None", path=(), lost=(), notes=()):
    return Explanation("none", meaning, causes, f"NONE  {q.label} {came}: {why}", path=path, lost=lost, notes=notes)


NO_GRADIENT = "an op on the way has no gradient"


def raised(q, trace):
    """The answer for a backward pass that ended in an error."""
    kind, said = type(q.slope).__name__, visible(q.slope)
    kernel = said.partition(": ")[2] if kind == "LookupError" else ""
    ran = [e for e in trace.every(Ran) if e.op.kernel == kernel] if trace is not None else []
    name = ran[-1].name if ran else next((name for name, op in OPS.items() if op.kernel == kernel), kernel)
    words = dict(kernel=kernel, op=name, line=ran[-1].place.text if ran else "", error=f"{kind}: {said}")
    told, notes = cause("NOT_REGISTERED", q, "" if kernel else "error", **words), () if ran else (ADVICE,)
    why = NO_GRADIENT if kernel else "the gradient cannot be computed"
    return none(q, "broken", told, came=f"raises {kind}", why=why, notes=notes)


def used_up(q):
    """The answer for a tape that an earlier question used up, for another target or without success."""
    spent, raises = cause("SPENT_TAPE", q, once=asked_once(q)), "raises RuntimeError"
    way = q.history.cheapest(q.history.nodes(q.targets)) if q.history is not None else None
    others = [edge._replace(code=None if edge.code == "SPENT_TAPE" else edge.code) for edge in way or ()]
    if any(edge.code for edge in others):
        failed = any(edge.code == "NOT_REGISTERED" for edge in others)
        return broken(q, others, *[] if failed else [spent], came="raises LookupError" if failed else raises)
    anew = rebound(q) if q.history is not None and way is None and hasattr(q.source, "trainable") else None
    if anew is not None:  # the tape was asked for the Variable that this one replaced
        return none(q, "broken", anew, spent, came=raises, why=NOT_THIS.format(name=q.source_name))
    if q.history is not None or any(q.tape.last_question) or q.tape.refused:
        return none(q, "broken", spent, came=raises, why="the tape is used up")
    told = cause("NOT_REGISTERED", q, "error", sure="likely", error="an error when the tape was asked before")
    return none(q, "broken", told, came=raises, why="the gradient cannot be computed", notes=(ADVICE,))


def asked_once(q) -> str:
    """The one question that this and the one before could have been, as the beginning of a fix; "" if none could."""
    targets, sources, _ = q.tape.last_question
    sources = dict.fromkeys([*sources, q.source.id])
    names = [q.names.of(number, "") for number in sources]
    same = {*targets} == {one.id for one in q.targets} and all(names) and 1 < len(names) <= 4
    same = same and max(sources) < max(targets)  # `x[0]` is a new Tensor each time
    return f"ask once for all: tape.gradient({q.target_name}, [{', '.join(names)}]); or " * same


# ---- with a trace ----------------------------------------------------------------------------------------------------


def told_by_the_log(q):
    """The answer from the trace's history."""
    history, notes = q.history, []
    if history.custom:
        inputs, name, shape = {i for e in history.custom for i in e.inputs}, q.source_name, q.source.shape
        q.steps = steps = q.steps or steps_of(q, also=inputs)
        history.carried = {(output, step.source) for step in steps for output in step.outputs}
        history.arrived = {step.source for step in steps} | {one.id for one in q.targets}
        own = {number: len(e.value.shape) for e in history.custom if e.value is not None for number in e.outputs}
        by_own = [step for step in steps if own.get(step.outputs[0]) == len(step.upstream.shape)]  # and no Jacobian
        odd = [step.sent.shape for step in by_own if step.source == q.source.id and step.sent.shape != tuple(shape)]
        notes = [f"a custom gradient sent {name} the shape {one}, but it has the shape {shape}" for one in odd[:1]]
    targets = history.nodes(q.targets)
    for edge in smooth_ones(q, targets) if q.experiment is not None else ():
        into = history.into(edge.end)
        into[into.index(edge)] = edge._replace(code="NO_DERIVATIVE", sure="tried")
    steep = history.cheapest(targets, lambda edge: not history.is_flat(edge) and not edge.meant)
    way = steep or history.cheapest(targets, lambda edge: not history.is_flat(edge)) or history.cheapest(targets)
    filled = q.question is not None and q.tape.steps is None and any(edge.code for edge in way or ())
    if q.slope is not None and not (filled and status_of(q.slope) == "zero"):  # zeros may stand for a None
        answer = whole_or_partial(q, targets, way)
    else:
        answer = independent(q) if not way or has_no_slope(q, way) else broken(q, way)
    above = left_above(q) if answer.meaning == "independent" else []
    if above:
        head = answer.headline.replace(": the target does", ": in the block, the target does")
        answer, notes = replace(answer, headline=head), notes + above
    if answer.status in ("complete", "zero") and not all(finite(convert(one).value) for one in q.targets):
        notes.append(f"{q.target_name} is not finite: what its ops pass back may not be its slope")
    if history.trace.cut and not (history.opened and q.experiment is not None):
        notes.append(FULL)
    elif not history.opened and answer.status != "complete":
        notes.append(LATER)
    return with_notes(answer, *notes)


def smooth_ones(q, targets) -> list:
    """The edges of ops without a derivative that lose one: the values move smoothly, and held still, so does not all
    of the target. If the op has a gradient for another input, the tape's gradient must be wrong as well."""
    tried, history = q.experiment, q.history
    ways = history.ways(targets, lambda edge: not edge.meant and edge.event.number > history.opened)
    live, lost = {edge.event for edge in ways if not edge.code}, []
    for edge in ways:
        event, moved = edge.event, tried.moved_in(edge.event)
        came = edge.code in NO_SLOPE and number_of(edge.start) in [event.inputs[k] for k in moved.get("inputs", ())]
        if came and "gave" in moved and (event not in live or disagrees(q)):
            lost.append(edge)
    smooth = tried.smooth([edge.event for edge in lost]) if lost else ()
    lost = [edge for edge in lost if edge.event in smooth]
    return lost if lost and tried.share(lost) > NEGLIGIBLE else []  # in a bisection by `where` none carries much alone


def disagrees(q, *further) -> list:
    """The measured slopes that the gradient does not have, if it is known, each as (its own, the measured one)."""
    if q.experiment is None or q.known is None:
        return []
    return [(float(np.sum(q.known * one.way).real), one.value) for one in q.experiment.unlike(q.known, *further)]


NOT_THIS = "this {name} is not the one that was used"
WHY = {
    "independent": "the target does not depend on {name} smoothly",
    "undefined": "no useful derivative exists on the way",
    "broken": "{name} matters, and the way to it is broken",
}


def has_no_slope(q, way) -> bool:
    """Whether what left on this way moves the target by jumps alone, or not at all."""
    left = [edge for edge in way if edge.code == "LEFT_ENGINE"]
    before = way[: way.index(left[0])] if left else way
    flat = any(q.history.is_flat(edge) and (edge in before or edge.code != "INTEGER") for edge in way)
    tried = q.experiment if left and not flat else None
    return tried is not None and (tried.is_still or tried.only_jumps(left))


def broken(q, way, *more, came="= None"):
    """The answer if the target depends on the source and the cheapest path needs fixes; `more` are causes to append."""
    breaks = [first_use(q, edge) for edge in way if edge.code]
    first = next((k for k, edge in enumerate(breaks) if q.history.is_flat(edge)), len(breaks))
    breaks = [edge for k, edge in enumerate(breaks) if k <= first or edge.code != "INTEGER"]  # they are consequences
    if not breaks:
        notes = (f"no replay: {q.untried}",) if q.experiment is None else ()
        return none(q, "broken", unknown(q), why="the way to it is not on the tape", notes=notes)
    codes = {edge.code for edge in breaks}
    breaks.sort(key=lambda edge: edge.code != "ONLY_DECIDES")
    meaning = "undefined" if any(map(q.history.is_flat, breaks)) else "broken"
    meaning = "independent" if "ONLY_DECIDES" in codes else meaning
    ways = q.history.ways(q.history.nodes(q.targets), q.history.counts) if q.experiment is not None else ()
    others = [edge for edge in ways if edge.code in ("LEFT_ENGINE", "STATE") and edge not in breaks]  # lost in addition
    starts = {edge.start for edge in breaks}  # what an op here would lose, once it is one
    known = {None, "LEFT_ENGINE", "STATE", *codes}
    then = {edge.code: edge for edge in ways if edge.start in starts and edge.code not in known}
    breaks = [*[first_use(q, edge) for edge in then.values()], *breaks]
    why = NO_GRADIENT if "NOT_REGISTERED" in codes else WHY[meaning].format(name=q.source_name)
    causes = *each_once(q, breaks, others), *more
    path = steps_on(way)
    return none(q, meaning, *causes, why=why, came=came, path=path, lost=names_on(q, path))


def first_use(q, edge):
    """The edge itself, or of a Tensor that was not watched that of its first use, above which it is to be watched."""
    alike = q.history.ways(q.history.nodes(q.targets)) if edge.code == "UNWATCHED" else ()
    same = [one for one in alike if (one.code, one.start) == (edge.code, edge.start)]
    return min(same, key=lambda one: one.event.number, default=edge)


def each_once(q, edges, others=()):
    """The causes on these edges: one for all that the same fix mends on one line, in one call or in one store."""
    find_lines(q, edges)
    if others and not q.lines:
        find_lines(q, edges, others)
        edges = edges if q.lines else [*edges, *others]
    if any(edge.code == "OTHER_TAPE" for edge in edges):  # its consequences are left out
        edges = [edge for edge in edges if not read_elsewhere(q, edge)]
    causes, alike = {}, {}
    for edge in edges:  # a cause takes time
        alike.setdefault((edge.code, op_of(edge), edge.place[:2]), edge)
    for edge in alike.values():
        one = cause_of(q, edge)
        call = "the call of " in one.fix
        op = "" if call or "this line" in one.fix or one.line in q.lines else one.op
        causes.setdefault((one.code, op, "" if call or isinstance(edge.event, Stored) else one.line), one)
    return tuple(causes.values())


def find_lines(q, edges, others=()):
    """Fix the lines where these edges are broken, all together, if a trial finds lines that are right.

    The fixed lines of `others` are reported with them.
    """
    if q.experiment is None:
        return
    guesses = {}
    for edge in (*edges, *others):
        if edge.by is not None or (edge.code == "STATE" and isinstance(edge.event, Wrote)):
            guesses.setdefault(statement_at(edge.place)[:2], edge.by or edge.event)
        elif not edge.meant:
            return
    exits, lines = q.history.exits.values(), []
    for event in guesses.values():
        same = [one for one in exits if one.code is event.code and one.place.text == event.place.text]
        lines.append(lines_for(event.place, same, q.names.globals_of(event.code)))
    right = trial.fitting(q, lines) or ()
    for event, line in zip(guesses.values(), right):
        q.lines[event.place.text] = line
    told = [text for text in q.lines if text in {edge.place.text for edge in edges}]
    if told:
        last, further = q.lines[told[-1]], [line for text, line in q.lines.items() if text not in told]
        later = [text for line in further for text in (line.text, *line.later)]
        q.lines[told[-1]] = last._replace(later=(*last.later, *later))
    q.fixed = trial.fixed_source([edit for line in right for edit in line.edits])


def read_elsewhere(q, edge):
    """Whether only another tape recorded the read of a Variable that this tape would watch."""
    return edge.code == "UNWATCHED" and getattr(q.source, "trainable", False) and q.tape.watch_accessed


def cause_of(q, edge):
    if read_elsewhere(q, edge):
        return cause("OTHER_TAPE", q, "read", op=op_of(edge), line=edge.place.text, sure=edge.sure)
    made = q.history.trace.made.get(q.source.id)
    if edge.code == "UNWATCHED" and of_variable(q, made) and rebinds(made.place):
        return computed_anew(q, made)
    return cause_on(q, edge)


def of_variable(q, made):
    """Whether the source is a Tensor that was computed from a Variable (or from something that the tape watches)."""
    if hasattr(q.source, "trainable") or not isinstance(made, Ran):
        return False
    tracked = any(number in q.tape.tracked_ids for number in made.inputs)
    return tracked or any(isinstance(e, Ran) and e.versions for e in q.history.before(made))


# ---- no path ---------------------------------------------------------------------------------------------------------


def independent(q):
    """The answer if no path leads from the source to the target."""
    history, name, tried = q.history, q.source_name, q.experiment
    trace, why = history.trace, f"the target does not depend on {name}"
    if not any(one.id in {*trace.made, *history.sources} or hasattr(one, "trainable") for one in q.targets):
        late = q.targets[0].id < trace.began or not (history.opened or trace.cut)
        return none(q, "broken", unknown(q), why="the trace began later" if late else "its origin is not known")
    anew = rebound(q)
    if anew is not None:
        return none(q, "broken", anew, why=NOT_THIS.format(name=name))
    asked = [e for e in trace.every(Asked) if q.source.id in e.sources]
    if history.cheapest(history.nodes(q.targets), sources={slope for e in asked for slope in e.gave}) is not None:
        return none(q, "independent", cause("FIRST_ORDER_ONLY", q, "linear", op="gradient"), why=why)
    exits, notes = history.left(q.targets), (f"no replay: {q.untried}",)
    moved = tried.exits[-1][-1] if tried is not None and tried.exits else None  # the last that did
    decision = last_exit(q, [e for e in exits if decides(e)])
    left = moved or last_exit(q, [e for e in exits if tried is not None or e.kind in "fc" or not decides(e)])
    hidden = [e.name for e in history.trace.every(Ran) if e.attributes is None and e.number > history.opened]
    hidden += ["a function with a gradient of its own"] if history.custom and history.uses(q.source.id) else []
    if tried is None and (left or hidden):
        what = f"{name} left" if left else f"{hidden[-1]} may use {name}"
        return none(q, "", unused(q, left), why=f"{what}, and what became of it was not tried", notes=notes)
    moves = tried is not None and tried.moves_in(tried.after)
    jumps = tried.jumps if tried is not None and decision is None else ""
    if (decision or jumps) and not (moves and any(one.value for one in tried.slopes)):
        case, op = ("jumps", op_of_exit(moved)) if jumps == "target" else ("", "if")
        line, sure = (decision or moved).place.text, "likely" if tried is None else "tried"
        told = cause("ONLY_DECIDES", q, case, op=op, line=line, sure=sure)
        if tried is None:
            return none(q, "", told, why=f"{name} decides what runs, and what comes of that was not tried", notes=notes)
        return none(q, "independent", told, why=f"{why} smoothly")
    if moves:
        return none(q, "broken", unknown(q), why=f"{name} moves the target, by a way that was not found")
    if trace.cut and not history.opened:
        return none(q, "", unused(q, left), why=f"nothing that the log still has leads to {name}")
    return none(q, "independent", unused(q, left), why=why + " smoothly" * (left is not None))


def unused(q, left):
    """The cause if no path from the source to the target was seen; "proved" if none can have gone unseen."""
    history, trace, tried = q.history, q.history.trace, q.experiment is not None
    opaque = left or history.custom or any(e.attributes is None for e in trace.every(Ran))
    unseen = trace.cut or not history.opened or opaque
    uses = [e for e in history.uses(q.source.id) if e.number > history.opened]
    sure = "tried" if tried else "likely" if unseen else "proved"
    if left:
        case = "tried" if tried else "left"
        return cause("UNUSED", q, case, op=op_of_exit(left), line=left.place.text, sure=sure)
    if uses:
        return cause("UNUSED", q, "aside", op=uses[-1].name, line=uses[-1].place.text, sure=sure)
    return cause("UNUSED", q, "likely" if trace.cut or not history.opened else "", sure=sure)


def left_above(q) -> list:
    """A note if a number made of the source left above the tape, into a name that its block reads."""
    history, number, opened = q.history, q.source.id, q.history.opened
    wrote = [e.number for e in history.trace.every(Wrote) if e.variable == number]
    since = max([one for one in wrote if one < opened], default=0)  # its value at the tape
    exits = [e for e in history.exits.values() if since < e.number < opened and not decides(e)]
    block = statement_at(history.opening)[1] if exits else None
    within, read = {*ast.walk(block)} if block is not None else set(), names_in(block, ast.Load)
    lines = [(e, statement_at(e.place)[1]) for e in exits[-50:]]
    exit = last_exit(q, [e for e, line in lines if line not in within and names_in(line) & read])
    return [f"{q.source_name} left above the tape: {exit.place.text}"] if exit else []


def unknown(q):
    """The cause if the log does not know how the target was made."""
    return cause("OUTSIDE_TAPE", q, "cut" if q.history.trace.cut else "unknown", sure="likely")


def last_exit(q, exits):
    """The last of these exits of a value, a number or a decision that was computed from the source."""
    came = (e for e in exits[:-50:-1] if q.history.cheapest([q.history.node(e.tensor, e.versions)]) is not None)
    return next(came, None)


IN_PLACE = {"add": "assign_add", "subtract": "assign_sub"}


def computed_anew(q, made):
    """The cause if the source's name was rebound to the result of an op on it."""
    assign, first = IN_PLACE.get(made.name), made
    while isinstance(first, Ran) and first.name in IN_PLACE and first.inputs[0] not in first.versions:
        first = q.history.trace.made.get(first.inputs[0])
    case = "" if isinstance(first, Ran) and first.name in IN_PLACE else "anew"  # whether the terms come to a Variable
    return cause("REBOUND", q, case, op=made.name, line=made.place.text, assign=assign)


def rebound(q):
    """The cause if the source is a new copy of what was used, or a new object under the same name."""
    history, made, targets = q.history, q.history.trace.made.get(q.source.id), q.history.nodes(q.targets)
    if history.uses(q.source.id):
        return None
    if hasattr(q.source, "trainable"):  # was another Variable of its name, now unreachable, used instead?
        wrote = [e for e in history.trace.every(Wrote) if e.how == "Variable"]
        same = [e for e in wrote if assigned_name(e.place) == q.source_name]
        own = next((e.place.text for e in same if e.variable == q.source.id), "")
        lost = [e.variable for e in same if own and e.variable not in q.names.held]
        found = history.cheapest(targets, sources=lost) is not None
        return cause("REBOUND", q, "copy", op="Variable", line=own, sure="likely") if found else None
    if not of_variable(q, made):
        return cause("REBOUND", q, "younger") if is_younger(q) and made is None else None
    earlier = [number for e in history.before(made) if isinstance(e, Ran) for number in e.inputs if number]
    way = history.cheapest(targets, sources=earlier)
    if way is None:
        return None
    origin = q.names.of(way[0].start, "what it was computed from") if way else ""
    if origin == q.source_name:
        return computed_anew(q, made)
    makers = [event.number for event in map(history.maker, targets) if event is not None]
    if history.opened < made.number < min(makers, default=0):
        return None  # of what the block made on its way, the target only did not use this
    return cause("REBOUND", q, "other", op=made.name, line=made.place.text, origin=origin)


# ---- the tape returned a gradient ------------------------------------------------------------------------------------


def whole_or_partial(q, targets, way):
    """The answer if there is a gradient: complete, or with paths missing."""
    history, number = q.history, status_of(q.slope)
    edges = history.ways(targets)
    lossless = not any(edge.code for edge in edges)
    live = edges if lossless else history.ways(targets, lambda edge: not edge.code)
    ends = {edge.start for edge in live if history.is_source(edge.start)}

    ways = history.ways(targets, history.counts) if ends and not lossless else live
    cut = [edge for edge in ways if edge.code and not read_elsewhere(q, edge)]  # read before the tape
    lost, notes = that_carry(q, sorted(cut, key=lambda edge: edge.event.number), edges)
    if not lost:
        cuts = [edge for edge in edges if edge.code == "STOPPED"]  # by the user, not by a layer they use
        stopped = [one for one in cuts if one.event.op.kernel != "StopGradient" or one.event.called == "stop_gradient"]
        custom = [] if stopped else [one.event for one in edges if one.event in history.custom]
        early = [one for one in edges if one.event.number < history.opened and one.code and one.code not in NO_SLOPE]
        lines = [one.place.text for one in early[:1] if one.place.text]
        notes += [f"computed from {q.source_name} before the tape: {line}" for line in lines] or left_above(q)
        notes += own_gradient(q, custom) if custom else ()
        answer = whole(q, way, number, stopped, edges, bool(cut))
        still = [e for e in history.left(q.targets) if q.experiment and e.kind in "fc" and not q.experiment.moved_in(e)]
        unmoved = history.cheapest([history.node(e.tensor, e.versions) for e in still]) is not None
        came = any(one.code == "LEFT_ENGINE" and not one.meant for one in edges)  # if it is not cut, decisions chose it
        tried = q.experiment if answer.status == "complete" and (cut or unmoved or came) else None
        why = tried.hides(cut) if tried is not None else ""
        meant = stopped or custom or early  # then the slope is another one on purpose
        if tried is not None and not (why or meant or q.known is None) and tried.unlike(q.known, *FURTHER):
            why = "the slopes that were measured for {} are others"
        if why:
            head = answer.headline.replace("COMPLETE", "UNTRIED", 1)
            answer = replace(answer, status="untried", headline=f"{head}; {why.format(q.source_name)}")
        return with_notes(answer, *notes)
    causes, first = each_once(q, lost), lost[0]
    onward = history.cheapest(targets, history.counts, {number_of(first.end)}) or []
    missing = [*(history.cheapest([first.start], history.counts) or []), first, *onward]
    some, every = count(live, targets, ends), count([e for e in ways if not e.code or e in lost], targets, ends)
    folded = q.experiment is not None and q.experiment.folded
    ways_text = f"{every - some} of {every} paths" if some < every < 100 and not folded else "some of its paths"
    status = "nan" if number == "nan" else "partial"
    causes = (not_finite(q), *causes) if number == "nan" else causes
    head = f"{status.upper()}  {q.label} = {q.text} leaves out {ways_text}"
    path = steps_on(way)
    names = names_on(q, path), names_on(q, steps_on(missing))
    return Explanation(status, "", causes, head, path, *names, q.text, tuple(notes))


def that_carry(q, lost, edges):
    """The lost edges, of all on a way, that replays show to carry a derivative, and notes on what was measured."""
    if not lost or q.experiment is None:
        return lost, [f"no replay: {q.untried}"] if lost else []
    tried = q.experiment
    if q.known is not None:
        tried.split(q.known)
    share, places = tried.share(lost), {}  # on a timeout, `answered` answers without replays
    for edge in lost:
        places.setdefault(edge.place[:2], []).append(edge)

    def carrying():
        return [edge for edges in places.values() if tried.share(edges) > NEGLIGIBLE for edge in edges] or lost

    if share <= NEGLIGIBLE and len(places) > 1 and tried.only_jumps(lost):  # one may hide the slopes of others
        lost = carrying()
        share = tried.share(lost)
    if share <= NEGLIGIBLE:
        several = sum(one.shape.num_elements() for one in q.targets) > 1
        what = f"{'what was asked of ' if q.weighted else 'the sum of ' * several}{q.target_name}"
        how = f": held still, it changes {what} by jumps, or by no more than can be seen"
        if share:
            how = f", and carries {share:.2g} of the slope"
        elif tried.is_curved(lost):
            how = ", and its slope is 0 here"
        return [], [f"a path is cut{how}: {lost[0].place.text}"]
    try:
        lost = carrying() if len(places) > 1 else lost
        ran = [one for one in lost if isinstance(one.event, Ran)]
        left = [one for one in ran if one.code == "LEFT_ENGINE" or one.sure == "tried"]
        smooth = [one for one in lost if one.code == "NO_DERIVATIVE"]
        mixed = smooth or any(one.event.number in tried.keys([one]) for one in left)
        several = q.source.shape.num_elements() != 1 or convert(q.source).dtype.is_complex  # a slope in one direction
        if several or not tried.slopes or mixed:  # held with what other inputs carry
            return lost, []
        way = tried.slopes[0].way.item()
        other = any(edge.meant or edge.event in q.history.custom for edge in edges)  # another slope, on purpose
        has = None if q.known is None or other else way * q.known.item()
        missing, every, digits = tried.lost_of_all(tried.keys(lost), has)
        part, whole = (f"{float(f'{one / way:.{digits}g}'):g}" for one in (missing, every))
        told = "nearly all" if part == whole and has else f"{'about ' * (digits < 3)}{part}"
        beside = f" of {whole} is lost" if every else " is lost, and the whole slope is 0"
        return lost, [f"measured: {told}{beside}"] if missing else []
    except NotTried as why:
        return lost, [f"how much is lost was not measured: {why}"]


def own_gradient(q, custom):
    """A note if the gradient that comes by these functions has not all slopes that were measured: how it differs, if it
    does so in one way in all directions."""
    name, wrong = called_text(custom[0].place) or custom[0].name, disagrees(q, *FURTHER)
    how = {f"{has / slope + 0:.3g} times the slope" if slope else "not the 0" for has, slope in wrong}
    tried = len(wrong) > 1 or q.source.shape.num_elements() == 1
    way = how.pop() if len(how) == 1 and tried else "not the slope"
    return [f"{name} has a gradient of its own: with it this is {way} that was measured"] * bool(wrong)


def whole(q, way, number, meant, edges=(), cut=False):
    """The answer if every path that carries is on the tape (the log knows these edges): whether the gradient can be
    trusted."""
    path = steps_on(way or ())
    live = names_on(q, path) if way else ()
    if number == "nan":
        return Explanation("nan", "", (not_finite(q),), f"NAN  {q.label} = {q.text}", path)
    old, after = stale(q) or (None, "")
    zero, why = flat(q) if number == "zero" else (None, "")
    causes = [zero, old, *[cause_of(q, edge) for edge in meant], summed(q)]
    causes = tuple({(one.code, one.line): one for one in causes if one is not None}.values())
    history, tried = q.history, q.experiment is not None
    seen = tried or (history is not None and history.sees_all(q.targets, edges))
    if number == "zero" and seen:
        head = f"ZERO  {q.label} = {q.text}: every way {'that carries ' * cut}is there, and {why}"
        return Explanation("zero", "", causes, head, path)
    but = "".join(f", but {one.code}" for one in causes[:1])
    if seen:
        head = f"COMPLETE{but}  {q.label} = {q.text}{after}"
        return Explanation("complete", "", causes, head, path, () if old else live, notes=assigned_meanwhile(q))
    left = history.left(q.targets) if history is not None else ()
    many, them = ("value", "it") if len(left) == 1 else ("values", "them")
    other = UNHEARD if history is None else ELSEWHERE.format(q.target_name)
    left = f"{len(left)} {many} left, and what became of {them} was not tried" if left else other
    head = f"UNTRIED{but}  {q.label} = {q.text}{after or ' is what the tape has'}; {left}"
    return Explanation("untried", "", causes, head, path, notes=(f"no replay: {q.untried}" if history else TRY,))


def assigned_meanwhile(q) -> tuple:
    """A note if the source was assigned between its reads, or got a value that was computed from itself."""
    history, number, name = q.history, q.source.id, q.source_name
    events = history.trace.every(Wrote) if history is not None else ()
    wrote = [e for e in events if e.variable == number and e.number > history.opened]
    live = history.ways(history.nodes(q.targets), lambda edge: not edge.code) if wrote else ()
    reads = [edge.start[1] for edge in live if isinstance(edge.start, tuple) and edge.start[0] == number]
    wrote = [e for e in wrote if reads and e.version <= max(reads)]
    own = [e for e in wrote if e.source and history.cheapest([history.node(e.source, e.versions)]) is not None]
    between = [f"{e.place.text} assigned it in between" for e in wrote if e.version > min(reads)]
    carried = [f"what {e.place.text} carries from {name} to itself is not in this slope" for e in own]
    return tuple([f"{name} counts as each op read it: {one}" for one in (carried or between)[:1]])


# ---- paths as names --------------------------------------------------------------------------------------------------


def steps_on(edges):
    """The ops on a path, and the calls through which a value left the tape."""
    steps = []
    for edge in edges:
        event = edge.event
        if edge.by is not None:
            told = op_of(edge)
            steps.append(f"{told}()" if told.endswith(".numpy") else told)
        if not isinstance(event, EnteredEngine):
            name = op_of_event(event)
            own = isinstance(event, Asked) or (isinstance(event, Ran) and event.called == event.op.__name__)
            again = steps[-1:] == [name] and not own
            steps += [] if again else [name]
    return tuple(steps)


def names_on(q, path):
    """A path as a tuple of names: source, ops, target."""
    steps = [q.source_name, *path, q.target_name]
    return tuple(steps if len(steps) <= 9 else [*steps[:4], "...", *steps[-4:]])


# ---- without a trace -------------------------------------------------------------------------------------------------


def told_by_the_tape(q):
    """The answer from the tape alone."""
    if q.slope is not None:
        answer = whole(q, None, status_of(q.slope), ())
        return replace(answer, headline=answer.headline.replace(" = ?", " was given, and"))
    source, tape = q.source, q.tape
    watched, variable = source.id in tape.tracked_ids, hasattr(source, "trainable")
    reached = any(one.id in tape.tracked_ids for one in q.targets)
    after = tape.ended and max(one.id for one in q.targets) > tape.ended
    bad = next((one for one in q.targets if not flows(one)), None)
    meaning, why = "broken", "the way to it is not on the tape"
    if bad is not None:
        meaning, why, kind = "undefined", "no gradient flows along it", convert(bad).dtype.name
        told = cause("INTEGER", q, "" if "int" in kind else "other", name=q.target_name, kind=kind)
    elif is_younger(q):
        told = cause("REBOUND", q, "younger")
    elif not watched and not (variable and source.trainable and tape.watch_accessed):
        case, words = unwatched(q)
        told = cause("UNWATCHED", q, case, sure="proved" if variable else "likely", **words)
    elif not reached and (watched or after):
        words = dict(op=f"what made {q.target_name}", what="that line", instead="")
        told = cause("OUTSIDE_TAPE", q, "" if after else "apart", sure="likely", **words)
    else:
        meaning, why = "independent", f"the target does not depend on {q.source_name}"
        told = cause("UNUSED", q, "likely", sure="likely")
    return none(q, meaning, told, why=why, notes=(ADVICE,))
