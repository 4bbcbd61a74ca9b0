"""From a question (tape, target, sources) to an Explanation for each source."""

from dataclasses import replace

from .. import nest
from ..engine.listening import listeners_only
from ..engine.op import OPS
from ..errors import unwarned, visible
from ..tracing import checkpoint
from ..tracing.log import Asked, EnteredEngine, LeftEngine, Ran, Stored, Wrote, trace_of
from ..tracing.places import user_frame
from ..tracing.source import assigned_name, called_text, decides, rebinds, statement_at
from . import trial
from .causes import cause, cause_on, integers, op_of, unwatched
from .experiment import Experiment, NotTried
from .explanation import TABLES, Explanation, with_notes
from .fixes import lines_for, lines_for_state
from .names import Names, is_tensor
from .numbers import flat, measured, not_finite, stale, summed
from .question import UNKNOWN, Question, flows, is_younger, kind_of, recall, slopes_now, status_of, steps_of
from .search import NO_SLOPE, History, count, number_of

ADVICE = "mg.trace(True) before the forward pass would tell which line it is"
TRY = "mg.trace(True) before the forward pass would let it be tried"
LATER = "the trace began later than this tape, so it does not know all of it"
FULL = "the log was full and has forgotten its first events: the answer may be incomplete"


def explain(tape, target, sources, output_gradients=None, unconnected_gradients="none", check=None, seconds=None):
    """An Explanation for each source, in the form of `sources`; a list, tuple or dict of them prints as one table.

    Args:
        tape: the GradientTape, in any state; it is not used up.
        target: what was differentiated.
        sources: with respect to what.
        output_gradients, unconnected_gradients: as `tape.gradient` was given them.
        check: a function that computes the target anew from the sources (Tensors); its slope is then measured too.
        seconds: how long the tape's block may be replayed for it; 0: not at all. If it is not given it is what the
            environment variable MINIGRAD_SECONDS says, or else 1.8.

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
    trial.ask_instead(tape, target)
    frame, trace = user_frame()[0], trace_of(tape)
    leaves = nest.flatten(sources) if nest.is_nested(sources) else [sources]
    with listeners_only():
        answers = unwarned(answers_for, tape, target, leaves, trace, frame, output_gradients, seconds)
        if str(getattr(unconnected_gradients, "value", unconnected_gradients)) == "zero":
            answers = [painted(answer) for answer in answers]
        if check is not None:
            answers = [(unwarned(measured, found, check, leaves, k), None) for k, found in enumerate(answers)]
        answers = [answer for answer, _ in answers]
    packed = nest.pack_sequence_as(sources, answers) if nest.is_nested(sources) else answers[0]
    return TABLES[type(packed)](packed) if type(packed) in TABLES else packed


def answers_for(tape, target, leaves, trace, frame, output_gradients, seconds):
    """For each source its Explanation, and the gradient."""
    targets = nest.flatten(target)
    problem = next((described(one) for one in targets if not is_tensor(one)), None if targets else "an empty list")
    if problem is not None:
        return [(no_tensor("target", problem), None) for _ in leaves]
    sources = [leaf for leaf in leaves if is_tensor(leaf)]
    found = slopes_now(tape, targets, sources, output_gradients)
    questions = answer_all(tape, targets, sources, trace, frame, *found, seconds, output_gradients is not None)
    told = iter([(q.answer, q.slope) for q in questions])
    return [next(told) if is_tensor(leaf) else (no_tensor("source", described(leaf)), None) for leaf in leaves]


def answer_all(tape, targets, sources, trace, frame, slopes, seeds, seconds, weighted=False) -> list:
    """A Question for each source, with its answer."""
    names = Names(frame, trace, [*sources, *targets])
    questions, seconds = [], checkpoint.SECONDS if seconds is None else seconds
    for one in sources:
        q = Question(tape, targets, one, names, slopes.get(one.id, UNKNOWN), seeds=seeds, weighted=weighted)
        q.answer = answered(q, trace, seconds / len(sources))
        questions.append(q)
    return questions


def answered(q, trace, seconds):
    """The answer, with replays in which the source is nudged, if there can be some. A question never fails: should the
    log hold something that nobody foresaw, the answer is the one without it."""
    try:
        try:
            if trace is None or not flows(q.source):
                raise NotTried("no trace was on")
            q.experiment = Experiment(trace, q.tape, q.targets, q.source, q.seeds, seconds)
            return replace(explained(q, trace), fixed=q.fixed)
        except NotTried as why:
            q.experiment, q.untried = None, str(why)
            return explained(q, trace)
    except Exception as problem:
        q.history = q.question = q.experiment = None
        said = f"the log could not be read ({type(problem).__name__}: {visible(problem)})"
        return with_notes(explained(q, None), said)


def described(value):
    return "None" if value is None else f"of type {type(value).__name__}"


def no_tensor(role, what):
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
        q.history = History(trace, q.tape, [q.source.id], None, q.experiment)
        asked, targets = q.history.questions, {one.id for one in q.targets}
        q.question = next((e for e in reversed(asked) if {*e.targets} == targets and q.source.id in e.sources), None)
    if q.tape.steps is None and not recall(q):
        return used_up(q)
    if not flows(q.source):
        name, kind = q.source_name, kind_of(q.source)
        return none(q, "undefined", cause("INTEGER", q, integers(kind), kind=kind), why=f"{name} is {kind}")
    return told_by_the_tape(q) if q.history is None else told_by_the_log(q)


def none(q, meaning, *causes, why, came="= None", path=(), lost=(), notes=()):
    return Explanation("none", meaning, causes, f"NONE  {q.label} {came}: {why}", path=path, lost=lost, notes=notes)


def raised(q, trace):
    """The backward pass ended in an error."""
    kind, said = type(q.slope).__name__, visible(q.slope)
    if kind != "LookupError" or ": " not in said:
        told = cause("NOT_REGISTERED", q, "error", sure="likely", error=f"{kind}: {said}")
        return none(q, "broken", told, came=f"raises {kind}", why="the gradient cannot be computed")
    kernel = said.partition(": ")[2]
    ran = [e for e in trace.events if isinstance(e, Ran) and e.op.kernel == kernel] if trace is not None else []
    event = ran[-1] if ran else None
    name = event.name if event else next((name for name, op in OPS.items() if op.kernel == kernel), kernel)
    told = cause("NOT_REGISTERED", q, kernel=kernel, op=name, line=event.place.text if event else "")
    return none(q, "broken", told, came="raises LookupError", why=NO_GRADIENT, notes=() if event else (ADVICE,))


NO_GRADIENT = "an op on the way has no gradient"


def used_up(q):
    """The answer, if the tape was asked before, for another target or in vain."""
    spent, raises = cause("SPENT_TAPE", q), "raises RuntimeError"
    way = q.history.cheapest(q.history.nodes(q.targets)) if q.history is not None else None
    codes = {edge.code for edge in way or () if edge.code}
    if "NOT_REGISTERED" in codes:
        causes = [cause_of(q, edge) for edge in way if edge.code == "NOT_REGISTERED"]
        return none(q, "broken", *causes, came="raises LookupError", why=NO_GRADIENT, lost=names_on(q, way))
    if codes - {"SPENT_TAPE"}:
        others = [edge._replace(code=edge.code if edge.code != "SPENT_TAPE" else "") for edge in way]
        return broken(q, others, spent, came=raises)
    anew = made_anew(q) if q.history is not None and way is None and hasattr(q.source, "trainable") else None
    if anew is not None:  # the tape was asked for the Variable that this one has replaced
        return none(q, "broken", anew, spent, came=raises, why=f"this {q.source_name} is not the one that was used")
    if q.history is not None or any(q.tape.last_question) or q.tape.refused:
        return none(q, "broken", spent, came=raises, why="the tape is used up")
    told, why = cause("NOT_REGISTERED", q, "unknown", sure="likely"), "its backward pass ended with an error before"
    return none(q, "broken", told, came=raises, why=why, notes=(ADVICE,))


# ---- with a trace ----------------------------------------------------------------------------------------------------


def told_by_the_log(q):
    """The answer with the help of the history."""
    history, notes = q.history, []
    custom = [e for e in history.ran if e.op.kernel == "CustomGradient"]
    if custom:
        steps, name, shape = steps_of(q, also={i for e in custom for i in e.inputs}), q.source_name, q.source.shape
        history.carried = {(output, step.source) for step in steps for output in step.outputs}
        history.arrived = {step.source for step in steps} | {one.id for one in q.targets}
        odd = [step.sent.shape for step in steps if step.source == q.source.id and step.sent.shape != tuple(shape)]
        notes = [f"a custom gradient sent {name} the shape {one}, but it has the shape {shape}" for one in odd[:1]]
    targets = history.nodes(q.targets)
    way = history.cheapest(targets, lambda edge: edge.code not in NO_SLOPE) or history.cheapest(targets)
    answer = whole_or_partial(q, targets, way) if is_number(q, way) else broken(q, way) if way else independent(q)
    late = not history.opened and answer.status != "complete"
    missing = FULL if history.trace.cut else LATER if late else ""
    return with_notes(answer, *notes, *filter(None, [missing]))


def is_number(q, way):
    """Did the tape give a number? (Zeros of a tape that is used up may stand for None.)"""
    broken = q.question is not None and q.tape.steps is None and way is not None and any(edge.code for edge in way)
    return q.slope is not None and not (broken and status_of(q.slope) == "zero")


WHY = {
    "independent": "the target does not depend on {name} smoothly",
    "undefined": "no useful derivative exists on the way",
    "broken": "{name} matters, and the way to it is broken",
}


def broken(q, way, *more, came="= None"):
    """There is a dependency, and the cheapest way needs fixes; then come the causes of `more`."""
    breaks = [edge for edge in way if edge.code]
    first = next((k for k, edge in enumerate(breaks) if edge.code in NO_SLOPE), len(breaks))
    breaks = [edge for k, edge in enumerate(breaks) if k <= first or edge.code != "INTEGER"]  # they follow from it
    if not breaks:
        return none(q, "broken", unknown(q), why="the way to it is not on the tape")
    codes = {edge.code for edge in breaks}
    breaks.sort(key=lambda edge: edge.code != "ONLY_DECIDES")
    meaning = "independent" if "ONLY_DECIDES" in codes else "undefined" if codes & NO_SLOPE else "broken"
    causes, why = (*each_once(q, breaks, other_breaks(q, breaks)), *more), WHY[meaning].format(name=q.source_name)
    return none(q, meaning, *causes, why=why, came=came, path=steps_on(q, way), lost=names_on(q, way))


def other_breaks(q, breaks):
    """Where else a value left on its way to the target: what is lost there is lost besides."""

    def counts(edge):
        return edge.code not in NO_SLOPE and not edge.meant and edge.event.number > q.history.opened

    ways = q.history.ways(q.history.nodes(q.targets), counts) if q.experiment is not None else ()
    return [edge for edge in ways if edge.code in ("LEFT_ENGINE", "STATE") and edge not in breaks]


def each_once(q, edges, others=()):
    """The causes on these edges; one for what happened in the same way on a line, or in the same call or store."""
    causes, other = {}, any(edge.code == "OTHER_TAPE" for edge in edges)
    find_lines(q, edges)
    if others and not q.lines:
        find_lines(q, edges, others)
    for edge in edges:
        if other and read_elsewhere(q, edge):  # it follows from the other
            continue
        one = cause_of(q, edge)
        call = "the call of " in one.fix
        op = "" if call or "this line" in one.fix else one.op
        causes.setdefault((one.code, op, "" if call or isinstance(edge.event, Stored) else one.line), one)
    return tuple(causes.values())


def find_lines(q, edges, others=()):
    """Fix the lines on which these edges are broken, if there are lines that are right: all of them together.

    The lines of the others are told with them.
    """
    if q.experiment is None:
        return
    guesses = {}
    for edge in (*edges, *others):
        if edge.code == "LEFT_ENGINE" and edge.by is not None:
            guesses.setdefault(statement_at(edge.place)[:2], edge.by)
        elif edge.code == "STATE" and isinstance(edge.event, Wrote):
            guesses.setdefault(edge.place, edge.event)
        elif not edge.meant:
            return
    lines, opening = [], q.history.opening
    for event in guesses.values():
        same = [one for one in q.history.exits if one.code is event.code and one.place.text == event.place.text]
        state = isinstance(event, Wrote)
        lines.append(lines_for_state(event.place, opening) if state else lines_for([event, *same], opening))
    right = trial.fitting(q, lines) or ()
    for event, line in zip(guesses.values(), right):
        q.lines[event.place.text] = line
    told = [text for text in q.lines if text in {edge.place.text for edge in edges}]
    if told:
        last, further = q.lines[told[-1]], [line.text for text, line in q.lines.items() if text not in told]
        q.lines[told[-1]] = last._replace(later=(*last.later, *further))
    q.fixed = trial.fixed_source([edit for line in right for edit in line.edits])


def read_elsewhere(q, edge):
    """Was a Variable, which this tape would watch, read on another tape alone?"""
    return edge.code == "UNWATCHED" and getattr(q.source, "trainable", False) and q.tape.watch_accessed


def cause_of(q, edge):
    event, made = edge.event, q.history.trace.made.get(q.source.id)
    if read_elsewhere(q, edge):
        return cause("OTHER_TAPE", q, "read", op=op_of(edge), line=edge.place.text, sure=edge.sure)
    moved = isinstance(event, Wrote) and event.how == "assign" and event.called in ("assign_add", "assign_sub")
    if moved and edge.code == "STATE":
        return cause_on(q, edge._replace(start=moved_by(q, event, edge.start)), op=event.called)
    if edge.code == "UNWATCHED" and not hasattr(q.source, "trainable") and of_variable(q) and rebinds(made.place):
        return computed_anew(q, made)
    return cause_on(q, edge)


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
    tracked = any(number in q.tape.tracked_ids for number in made.inputs)
    return tracked or any(isinstance(e, Ran) and e.versions for e in q.history.before(made))


# ---- there is no way -------------------------------------------------------------------------------------------------


def independent(q):
    """Nothing leads from the source to the target."""
    history, name, sources = q.history, q.source_name, {q.source.id}
    if not any(one.id in {*history.trace.made, *sources} or hasattr(one, "trainable") for one in q.targets):
        late = q.targets[0].id < history.trace.began or not (history.opened or history.trace.cut)
        return none(q, "broken", unknown(q), why="the trace began later" if late else "its origin is not known")
    why, copy, decision = f"the target does not depend on {name}", rebound(q), deciding(q)
    if copy is not None:
        return none(q, "broken", copy, why=f"this {name} is not the one that was used")
    if first_order(q):
        return none(q, "independent", cause("FIRST_ORDER_ONLY", q, "linear", op="gradient"), why=why)
    if decision is not None:
        told = cause("ONLY_DECIDES", q, op="if", line=decision.place.text)
        return none(q, "independent", told, why=f"{why} smoothly")
    if q.experiment is not None and q.experiment.target_moved:
        return none(q, "broken", unused(q), why=f"{name} moves the target, by a way that was not found")
    if q.experiment is None and (left_since(history) or (has_own_gradient(history) and history.uses(q.source.id))):
        left = f"{name} left" if left_since(history) else f"a function with a gradient of its own may use {name}"
        why = f"{left}, and what became of it was not tried"
        return none(q, "", unused(q), why=why, notes=(f"no replay: {q.untried}",))
    return none(q, "independent", unused(q), why=why)


def unused(q):
    """The cause, if nothing was seen to lead from the source to the target; proved if nothing can have gone unseen."""
    history = q.history
    makers = map(history.maker, history.nodes(q.targets))
    end = max((event.number for event in makers if event is not None), default=history.trace.count)
    exit = last_exit(q, lambda e: e.number < end) if q.experiment is None else None
    unseen = history.trace.cut or not history.opened or exit or has_own_gradient(history)
    sure = "tried" if q.experiment is not None else "likely" if unseen else "proved"
    if exit is not None and exit.number > history.opened:
        op = called_text(exit.place) or exit.exit
        return cause("UNUSED", q, "left", op=op, line=exit.place.text, sure=sure)
    uses = [e for e in history.uses(q.source.id) if e.number > history.opened]
    if uses:
        return cause("UNUSED", q, "aside", op=uses[-1].name, line=uses[-1].place.text, sure=sure)
    return unused_by(q, sure)


def has_own_gradient(history) -> bool:
    """Did a function with a gradient of its own run? What it uses, nobody is told."""
    return any(e.op.kernel == "CustomGradient" for e in history.ran)


def last_exit(q, wanted):
    """The last value that left and came from the source, of those that are wanted."""
    exits = [e for e in q.history.trace.events if isinstance(e, LeftEngine) and wanted(e)]
    came = (e for e in exits[:-50:-1] if q.history.cheapest([q.history.node(e.tensor, e.versions)]) is not None)
    return next(came, None)


def unused_by(q, sure="likely"):
    """The cause, if the source was not used at all, as far as is known."""
    trace = q.history.trace if q.history is not None else None
    if trace is None:
        return cause("UNUSED", q, "tape", sure=sure)
    case = "film" if trace.left_out else "cut" if trace.cut else "" if q.history.opened else "late"
    return cause("UNUSED", q, case, sure=sure)


def unknown(q):
    """The cause, if the log does not know how the target was made."""
    trace = q.history.trace
    case = "left_out" if trace.left_out else "cut" if trace.cut else "unknown"
    return cause("OUTSIDE_TAPE", q, case, sure="likely", limit=2 * trace.limit)


def computed_anew(q, made):
    """The cause, if the name of the source was given to what an op made of it."""
    assign = "assign_sub" if made.name == "subtract" else "assign_add"
    return cause("REBOUND", q, op=made.name, line=made.place.text, assign=assign)


def rebound(q):
    """The cause, if the source is a fresh copy of what was used, or a fresh object under the same name."""
    history, made = q.history, q.history.trace.made.get(q.source.id)
    if history.uses(q.source.id):
        return None
    if hasattr(q.source, "trainable"):
        return made_anew(q)
    if not of_variable(q):
        return cause("REBOUND", q, "younger") if is_younger(q) and made is None else None
    earlier = [number for e in history.before(made) if isinstance(e, Ran) for number in e.inputs if number]
    way = history.cheapest(history.nodes(q.targets), sources=earlier)
    origin = q.names.of(way[0].start, "what it was computed from") if way else ""
    if way is None or origin == q.source_name:
        return None if way is None else computed_anew(q, made)
    return cause("REBOUND", q, "other", op=made.name, line=made.place.text, origin=origin)


def made_anew(q):
    """The cause, if another Variable was used that had the name of the source, and that no name leads to any more."""
    history, event = q.history, q.history.trace.written.get((q.source.id, 0))
    name = assigned_name(event.place) if event is not None else None
    if name is None or name != q.source_name:
        return None
    made = {e.variable: e.place for e in history.trace.events if isinstance(e, Wrote) and e.how == "Variable"}
    lost = [i for i, place in made.items() if not q.names.leads_to(i) and assigned_name(place) == name]
    used = history.cheapest(history.nodes(q.targets), sources=lost) is not None
    return cause("REBOUND", q, "copy", op="Variable", line=event.place.text, sure="likely") if used else None


def first_order(q):
    """Is the target a first derivative, in which the source does not appear any more?"""
    events = [e for e in q.history.trace.events if isinstance(e, Asked) and q.source.id in e.sources]
    slopes = {number for e in events for number in e.results} - {0}
    return q.history.cheapest(q.history.nodes(q.targets), sources=slopes) is not None


def deciding(q):
    """The last decision that was made by the source: an `if`, a loop."""
    return last_exit(q, lambda e: e.number > q.history.opened and decides(e))


# ---- a gradient that is there ----------------------------------------------------------------------------------------


def whole_or_partial(q, targets, way):
    """There is a number. Is a way missing?"""
    history, number = q.history, status_of(q.slope)
    edges, live = history.ways(targets), history.ways(targets, lambda edge: not edge.code)
    ends = {edge.start for edge in live if history.is_source(edge.start)}

    def counts(edge):
        if edge.code in NO_SLOPE or edge.meant or edge.event.number < history.opened:
            return False
        return not history.is_source(edge.start) or edge.start in ends or edge.code is not None

    ways = history.ways(targets, counts) if ends else []
    lost, notes = that_carry(q, sorted([edge for edge in ways if edge.code], key=lambda edge: edge.event.number))
    if not lost:
        stopped = [edge for edge in edges if edge.code == "STOPPED" and by_the_user(edge.event)]
        return with_notes(whole(q, way, number, stopped), *notes, *early(q, edges))
    causes, first = each_once(q, lost), lost[0]
    onward = history.cheapest(targets, counts, {number_of(first.end)}) or []
    missing = [*(history.cheapest([first.start], counts) or []), first, *onward]
    some, every = count(live, targets, ends), count(ways, targets, ends)
    ways_text = f"{every - some} of {every} paths" if some < every < 100 else "some of its paths"
    status = "nan" if number == "nan" else "partial"
    causes = (not_finite(q), *causes) if number == "nan" else causes
    found = history.cheapest(targets, lambda edge: not edge.code) or ()
    head = f"{status.upper()}  {q.label} = {q.text} leaves out {ways_text}"
    ways = steps_on(q, way or ()), names_on(q, found), names_on(q, missing)
    return Explanation(status, "", causes, head, *ways, q.text, tuple(notes))


def that_carry(q, lost):
    """Those of the lost edges along which something was lost, by trying; and notes on what was measured."""
    if not lost or q.experiment is None:
        return lost, [f"no replay: {q.untried}"] if lost else []
    tried = q.experiment
    if not tried.carries(keys(tried, lost)):  # if that takes too long, nothing is said of them
        return [], ["a path is cut: held still, it changes the target by no more than can be seen"]
    try:
        places = {edge.place.text: [one for one in lost if one.place.text == edge.place.text] for edge in lost}
        if len(places) > 1:
            carrying = [edges for edges in places.values() if tried.carries(keys(tried, edges))]
            lost = [edge for edges in carrying for edge in edges] or lost
        return lost, measured_shares(q, lost)
    except NotTried as why:
        return lost, [f"how much is lost was not measured: {why}"]


def keys(tried, edges):
    """What is to be held still, for these edges to carry nothing."""
    found = []
    for edge in edges:
        number, entered = edge.event.number, edge.code == "LEFT_ENGINE" and isinstance(edge.event, Ran)
        moved = tried.moved_in(edge.event) if entered else {}
        attributes = "attributes" in moved and ("attributes", number) in tried.before.kept
        numbers = [("number", k) for k in moved.get("number", ())]
        found += numbers or [("attributes", number) if attributes else number]
    return list(dict.fromkeys(found))


def measured_shares(q, lost):
    """How much of the true derivative is lost: for a source of one element, where nothing decides."""
    tried = q.experiment
    if q.source.shape.num_elements() != 1 or tried.slope is None:
        return []
    share, along = tried.share(keys(tried, lost)), float(tried.along.sum())
    return [f"measured: {share / along:.3g} of {tried.slope / along:.3g} is lost"] if share else []


def early(q, edges):
    """A hint, if something was computed from the source before the tape was opened."""
    opened = q.history.opened
    lost = [edge for edge in edges if edge.event.number < opened and edge.code and edge.code not in NO_SLOPE]
    line = lost[0].place.text if lost else ""
    return [f"computed from {q.source_name} before the tape: {line}"] if line else []


def by_the_user(event):
    """Did the user cut the way, and not a layer that they use?"""
    return event.op.kernel != "StopGradient" or event.called == "stop_gradient"


def whole(q, way, number, meant):
    """Every way is on the tape: is the number one to be trusted?"""
    path, live = steps_on(q, way or ()), names_on(q, way) if way else ()
    if number == "nan":
        return Explanation("nan", "", (not_finite(q),), f"NAN  {q.label} = {q.text}", path)
    old, after = stale(q) or (None, "")
    causes = [flat(q) if number == "zero" else None, old, *[cause_of(q, edge) for edge in meant], summed(q)]
    causes = tuple({(one.code, one.line): one for one in causes if one is not None}.values())
    if number == "zero" and (q.experiment or not q.history or not left_since(q.history)):
        head = f"ZERO  {q.label} = {q.text}: every way is there, and the slope is 0 here"
        return Explanation("zero", "", causes, head, path)
    but = "".join(f", but {one.code}" for one in causes[:1])
    if not looked_at(q):
        return untried(q, but, after, causes, path)
    return Explanation("complete", "", causes, f"COMPLETE{but}  {q.label} = {q.text}{after}", path, () if old else live)


def looked_at(q):
    """Did a replay look for lost ways, or has the trace seen all, and no value that left?"""
    seen = q.history is not None and q.history.opened and not q.history.trace.cut
    seen = seen and q.history.trace.unseen <= q.history.opened
    return q.experiment is not None or (seen and not left_since(q.history))


def left_since(history):
    return [exit for exit in history.exits if exit.number > history.opened]


def untried(q, but, after, causes, path):
    """A number of which nobody knows whether it is all."""
    left = len(left_since(q.history)) if q.history is not None else 0
    many = f"{left} value{'s' * (left != 1)} left, and what became of {'it' if left == 1 else 'them'} was not tried"
    many = many if left else "what left the tape, if anything did, is not known"
    head = f"UNTRIED{but}  {q.label} = {q.text}{after or ' is what the tape has'}; {many}"
    return Explanation("untried", "", causes, head, path, notes=(f"no replay: {q.untried}" if q.history else TRY,))


# ---- ways as names ---------------------------------------------------------------------------------------------------


def steps_on(q, edges):
    """The ops on a way, with the doors by which a value left."""
    steps = []
    for edge in edges:
        event = edge.event
        if edge.by is not None:
            told = op_of(edge)
            steps.append(f"{told}()" if told.endswith(".numpy") else told)
        if not isinstance(event, EnteredEngine):
            name = op_of(edge._replace(by=None))
            own = isinstance(event, Asked) or (isinstance(event, Ran) and event.called == event.op.__name__)
            again = steps[-1:] == [name] and not own
            steps += [] if again else [name]
    return tuple(steps)


def names_on(q, edges):
    """A way as the names to read: source, ops, target."""
    steps = [q.source_name, *steps_on(q, edges), q.target_name]
    return tuple(steps if len(steps) <= 9 else [*steps[:4], "...", *steps[-4:]])


# ---- without a trace -------------------------------------------------------------------------------------------------


def told_by_the_tape(q):
    """What the tape alone can tell."""
    if q.slope is not None:
        answer = whole(q, None, status_of(q.slope), ())
        return replace(answer, headline=answer.headline.replace(" = ?", " is given")) if q.slope is UNKNOWN else answer
    source, tape = q.source, q.tape
    watched, variable = source.id in tape.tracked_ids, hasattr(source, "trainable")
    reached = any(one.id in tape.tracked_ids for one in q.targets)
    bad = next((one for one in q.targets if not flows(one)), None)
    meaning, why = "broken", "the way to it is not on the tape"
    if bad is not None:
        meaning, why = "undefined", "no gradient flows along it"
        kind = kind_of(bad)
        told = cause("INTEGER", q, integers(kind), name=q.target_name, kind=kind)
    elif is_younger(q):
        told = cause("REBOUND", q, "younger")
    elif not watched and not (variable and source.trainable and tape.watch_accessed):
        case, words = unwatched(q)
        told = cause("UNWATCHED", q, case, sure="proved" if variable else "likely", **words)
    elif not reached and (watched or any(tape.ended and one.id > tape.ended for one in q.targets)):
        after = any(tape.ended and one.id > tape.ended for one in q.targets)
        told = cause("OUTSIDE_TAPE", q, "after" if after else "apart", sure="likely")
    else:
        meaning, why, told = "independent", f"the target does not depend on {q.source_name}", unused_by(q)
    return none(q, meaning, told, why=why, notes=(ADVICE,))


def painted(found):
    """The answer for someone who had `unconnected_gradients=ZERO`."""
    answer, slope = found
    note = "unconnected_gradients=ZERO shows this None as 0.0"
    return (with_notes(answer, note) if answer.status == "none" else answer), slope
