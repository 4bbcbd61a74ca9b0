"""From a question (tape, target, sources) to an Explanation for each source."""

import contextlib
import sys
from dataclasses import dataclass, field, replace

import numpy as np

from .. import nest
from ..listening import Listener, listening
from ..op import OPS, convert
from ..slices import Rows
from ..tensor import Tensor
from ..trace import Asked, Left, Ran, Stored, Summary, Wrote, brief, trace_of, version_of, walked
from .causes import Cause, cause
from .explanation import Explanation, number_text
from .names import Names
from .search import NO_SLOPE, History, count
from .source import assigned_name, decides

ADVICE = "mg.trace(True) before the forward pass would tell which line it is"
LATER = "the trace began later than this tape, so it does not know all of it"
FULL = "the log was full and has forgotten its first events: the answer may be incomplete"
UNKNOWN = object()  # a gradient that is there, and whose value nobody knows any more
MIXING = {"MatMul", "BatchMatMulV2", "Softmax", "LogSoftmax", "Cumsum", "Cumprod", "Einsum", "MatrixInverse", "Cholesky", "MatrixSolve"}


class BrokenGradient(RuntimeError):
    """A gradient that is broken or partial, while `mg.trace(strict=True)` is on. Its text is the explanation."""


@dataclass
class Question:
    """One source that is asked about, and all that is known when the answer begins.

    Attributes:
        slope: the gradient, as an array or a Summary; None; or UNKNOWN.
        question: the Asked that is explained, if the tape was asked and the trace heard it.
        history: what the trace knows; None without one.
    """

    tape: object
    targets: list
    source: object
    names: Names
    slope: object = UNKNOWN
    question: "Asked | None" = None
    history: "History | None" = None
    seeds: dict = field(default_factory=dict)

    @property
    def source_name(self):
        return self.names.of(self.source.id, "x")

    @property
    def target_name(self):
        return self.names.of(self.targets[0].id, "target") if len(self.targets) == 1 else "targets"

    @property
    def label(self):
        return "/".join(f"d{name}" if name.isidentifier() else f"d({name})" for name in (self.target_name, self.source_name))

    @property
    def text(self):
        """The gradient as text."""
        if self.slope is UNKNOWN:
            return "?"
        return str(self.slope) if isinstance(self.slope, Summary) else number_text(self.slope)

    def kind_name(self, edge):
        """The dtype of what an edge begins with."""
        letter = edge.event.kinds[list(edge.event.inputs).index(edge.start[0] if isinstance(edge.start, tuple) else edge.start)]
        return {"b": "bool", "O": "string"}.get(letter, "an integer")


def explain(tape, target, sources, output_gradients=None, unconnected_gradients="none", check=None, depth=1):
    """An Explanation for each source, in the form of `sources`.

    Args:
        tape: the GradientTape, in any state; it is not used up.
        target: what was differentiated.
        sources: with respect to what.
        output_gradients, unconnected_gradients: as `tape.gradient` was given them.
        check: a function that computes the target anew from the sources (Tensors); its slope is then measured too.
        depth: how many frames above this one the user's names are.

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
      mend   keep x a tensor: y = x * x
    """
    frame, trace = sys._getframe(depth), trace_of(tape)
    leaves = nest.flatten(sources) if nest.is_nested(sources) else [sources]
    with unheard():
        answers = answers_for(tape, target, leaves, trace, frame, output_gradients)
        if str(getattr(unconnected_gradients, "value", unconnected_gradients)) == "zero":
            answers = [painted(answer) for answer in answers]
        if check is not None:
            answers = [measured(answer, check, leaves, k) for k, answer in enumerate(answers)]
        answers = [answer for answer, _ in answers]
    return nest.pack_sequence_as(sources, answers) if nest.is_nested(sources) else answers[0]


def answers_for(tape, target, leaves, trace, frame, output_gradients):
    """A pair for each source: its Explanation, and the gradient."""
    targets = nest.flatten(target)
    problem = next((described(one) for one in targets if not is_tensor(one)), None if targets else "an empty list")
    if problem is not None:
        return [(no_tensor("target", problem), None) for _ in leaves]
    sources = [leaf for leaf in leaves if is_tensor(leaf)]
    names = Names(frame, trace, [*sources, *targets])
    slopes, seeds = slopes_now(tape, targets, sources, output_gradients)
    found = []
    for leaf in leaves:
        if is_tensor(leaf):
            q = Question(tape, targets, leaf, names, slopes.get(leaf.id, UNKNOWN), seeds=seeds)
            found.append((explained(q, trace), q.slope))
        else:
            found.append((no_tensor("source", described(leaf)), None))
    return found


def is_tensor(value) -> bool:
    return hasattr(type(value), "__tf_tensor__") and hasattr(value, "id")


def described(value):
    return "None" if value is None else f"of type {type(value).__name__}"


def no_tensor(role, what):
    told = cause("NOT_A_TENSOR", None, role=role, what=what)
    return Explanation("none", "undefined", (told,), f"NONE  the {role} is no Tensor")


@contextlib.contextmanager
def unheard():
    """A block that nobody hears, and in which NumPy does not complain."""
    before, listening.now = listening.now, ()
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        listening.now = before


# ---- what the gradient is ----------------------------------------------------------------------------------------------


def slopes_now(tape, targets, sources, output_gradients):
    """The gradients as the tape would give them, and the seeds; nothing for a tape that is used up. An op that has no
    gradient is found by its error, which takes the place of the gradient."""
    from ..tape import prune, seeds_of, walk

    if tape.steps is None:
        return {}, {}
    try:
        seeds = seeds_of(targets, output_gradients, False)
    except Exception:  # seeds that do not fit are an error of `gradient`, and not what is asked here
        seeds = seeds_of(targets, None, False)
    wanted = [source.id for source in sources]
    try:
        found = walk(prune(tape.steps, wanted), dict(seeds), wanted)
    except Exception as problem:
        return dict.fromkeys(wanted, problem), seeds
    return {i: dense(found.get(i)) for i in wanted}, seeds


def dense(dx):
    return dx.dense() if isinstance(dx, Rows) else dx


class Steps(Listener):
    """Hears the steps of a walk."""

    def __init__(self):
        self.heard = []

    def walked(self, step, dy, dx):
        self.heard.append(walked(0, step, Summary.of(dy), Summary.of(dx), dy))


def steps_of(q):
    """The steps of the walk from the targets to the source: walked again, or as the trace heard them."""
    from ..tape import prune, walk

    if q.tape.steps is not None:
        steps = listening.now = (Steps(),)
        try:
            walk(prune(q.tape.steps, [q.source.id]), dict(q.seeds), [q.source.id])
        except Exception:  # an op without a gradient: what came before it is known
            pass
        finally:
            listening.now = ()
        return steps[0].heard
    if q.question is None:
        return []
    heard = [step for step in q.history.trace.steps if q.question.began < step.number < q.question.number]
    flows, kept = {q.source.id}, []
    for step in reversed(heard):
        if step.source in flows:
            flows.update(step.outputs)
            kept.append(step)
    return kept[::-1]


# ---- the answer --------------------------------------------------------------------------------------------------------


def explained(q: Question, trace) -> Explanation:
    """The answer for one source."""
    if not q.tape.entered:
        return none(q, "broken", cause("OUTSIDE_TAPE", q, never=True), why="the tape was never entered")
    if isinstance(q.slope, Exception):
        return raised(q, trace)
    if trace is not None and q.tape.number in trace.tapes:
        q.history = History(trace, q.tape, [q.source.id], None)
        asked = [e for e in q.history.questions if set(e.targets) == {one.id for one in q.targets} and q.source.id in e.sources]
        q.question = asked[-1] if asked else None
    if q.tape.steps is None and not recall(q):
        return none(q, "broken", cause("SPENT_TAPE", q), why="the tape is used up")
    if not flows(q.source):
        return none(q, "undefined", cause("INTEGER", q, name=q.source_name, kind=kind_of(q.source)), why=f"{q.source_name} is {kind_of(q.source)}")
    return told_by_the_tape(q) if q.history is None else told_by_the_log(q)


def recall(q) -> bool:
    """Find the answer that a used-up tape gave to this question; False if it gave none."""
    if q.tape.refused:
        return False
    if q.question is not None:
        q.slope = q.question.slopes[q.question.sources.index(q.source.id)]
    if q.tape.given is None or set(q.tape.given[0]) != {one.id for one in q.targets} or q.source.id not in q.tape.given[1]:
        return q.question is not None
    answer = q.tape.given[1][q.source.id]
    if answer is None:
        q.slope = None
    elif answer() is not None:
        q.slope = answer().value
    return True


def flows(one):
    return kind_letter(one) in "fc"


def kind_letter(one):
    return convert(one).value.dtype.kind


def kind_of(one):
    name = convert(one).dtype.name
    return name if name in ("bool", "string") else name


def none(q, meaning, *causes, why, path=(), lost=(), notes=()):
    return Explanation("none", meaning, causes, f"NONE  {q.label} = None: {why}", path=path, lost=lost, notes=notes)


def raised(q, trace):
    """The walk itself ended in an error."""
    problem = q.slope
    if not isinstance(problem, LookupError) or ": " not in str(problem):
        told = Cause("NOT_REGISTERED", "", "", f"the walk ended with {type(problem).__name__}: {problem}", "mend the gradient function that was called")
        return none(q, "broken", told, why="the gradient cannot be computed")
    kernel = str(problem).partition(": ")[2]
    events = [e for e in trace.events if isinstance(e, Ran) and e.op.kernel == kernel] if trace is not None else []
    op = events[-1].name if events else next((name for name, one in OPS.items() if one.kernel == kernel), kernel)
    told = cause("NOT_REGISTERED", q, kernel=kernel, op=op, line=events[-1].place.text if events else "")
    return none(q, "broken", told, why="an op on the way has no gradient", notes=() if events else (ADVICE,))


# ---- with a trace ------------------------------------------------------------------------------------------------------


def told_by_the_log(q):
    """The answer with the help of the history."""
    history = q.history
    if any(isinstance(e, Ran) and e.op.kernel == "CustomGradient" for e in history.trace.events):
        history.carried = {(output, step.source) for step in steps_of(q) for output in step.outputs}
    targets = history.nodes(q.targets)
    way = history.cheapest(targets, lambda edge: edge.code not in NO_SLOPE) or history.cheapest(targets)
    connected = q.slope is not None if q.slope is not UNKNOWN else way is not None and not any(edge.code for edge in way)
    if connected and q.question is not None and q.tape.steps is None and way is not None and any(edge.code for edge in way):
        connected = not q.slope.zero if isinstance(q.slope, Summary) else bool(np.any(q.slope))  # zeros may stand for None
    answer = whole_or_partial(q, targets, way) if connected else broken(q, way) if way else independent(q)
    notes = (*([FULL] if history.trace.cut else []), *([LATER] if not history.opened and answer.status != "complete" else []))
    return replace(answer, notes=(*answer.notes, *notes))


def broken(q, way):
    """There is a dependency, and the cheapest way needs mends."""
    breaks = [edge for edge in way if edge.code]
    first = next((k for k, edge in enumerate(breaks) if edge.code in NO_SLOPE), len(breaks))
    breaks = [edge for k, edge in enumerate(breaks) if k <= first or edge.code != "INTEGER"]  # the others follow from it
    if not breaks:
        return none(q, "broken", cause("OUTSIDE_TAPE", q, unknown=True, sure="likely"), why="the way to it is not on the tape")
    codes = {edge.code for edge in breaks}
    if "ONLY_DECIDES" in codes:
        breaks.sort(key=lambda edge: edge.code != "ONLY_DECIDES")
    causes = each_once(q, breaks)
    meaning = "independent" if "ONLY_DECIDES" in codes else "undefined" if codes & NO_SLOPE else "broken"
    why = {
        "independent": f"the target does not depend on {q.source_name} smoothly", "undefined": "no useful derivative exists on the way",
        "broken": f"{q.source_name} matters, and the way to it is broken",
    }[meaning]  # fmt: skip
    return none(q, meaning, *causes, why=why, path=steps_on(q, way), lost=names_on(q, way))


def each_once(q, edges):
    """The causes on these edges; for what happened in the same way on the same line, or in the same store, one is enough."""
    causes = {}
    for edge in edges:
        one = cause_of(q, edge)
        causes.setdefault((one.code, one.op, "" if isinstance(edge.event, Stored) else one.line), one)
    return tuple(causes.values())


def cause_of(q, edge):
    if edge.code == "UNWATCHED" and not hasattr(q.source, "trainable") and of_variable(q):
        made = q.history.trace.made[q.source.id]
        return cause("REBOUND", q, op=made.name, line=made.place.text)
    return cause(edge.code, q, edge)


def of_variable(q):
    """Was the source, a Tensor, computed from a Variable (or from something that the tape watches)?"""
    made = q.history.trace.made.get(q.source.id)
    return isinstance(made, Ran) and (bool(made.versions) or any(i in q.tape.live for i in made.inputs) or derives(q, made))


def derives(q, made):
    seen, todo = set(), list(made.inputs)
    while todo and len(seen) < 1000:
        number = todo.pop()
        event = q.history.trace.made.get(number)
        if isinstance(event, Ran) and number not in seen:
            if event.versions:
                return True
            todo += event.inputs
        seen.add(number)
    return False


def independent(q):
    """Nothing leads from the source to the target."""
    history, name = q.history, q.source_name
    made = [one for one in q.targets if one.id in history.trace.made or hasattr(one, "trainable") or one.id == q.source.id]
    if not made:
        told = cause("OUTSIDE_TAPE", q, unknown=True, sure="likely")
        return none(q, "broken", told, why="the trace began later" if q.targets[0].id < history.trace.began or not history.opened else "its origin is not known")
    why = f"the target does not depend on {name}"
    copy = rebound(q)
    if copy is not None:
        return none(q, "broken", copy, why=f"this {name} is not the one that was used")
    if first_order(q):
        return none(q, "independent", cause("FIRST_ORDER_ONLY", q, linear=True, op="gradient"), why=why)
    decision = deciding(q)
    if decision is not None:
        return none(q, "independent", cause("ONLY_DECIDES", q, op="if", line=decision.place.text), why=f"{why} smoothly")
    uses = [e for e in history.uses(q.source.id) if e.number > history.opened]
    told = cause("UNUSED", q, op=uses[-1].name, line=uses[-1].place.text) if uses else cause("UNUSED", q)
    return none(q, "independent", told, why=why)


def rebound(q):
    """The cause, if the source is a fresh copy of what was used, or a fresh object under the same name."""
    history = q.history
    if not hasattr(q.source, "trainable") and of_variable(q) and not history.uses(q.source.id):
        made = history.trace.made[q.source.id]
        return cause("REBOUND", q, op=made.name, line=made.place.text)
    event = history.trace.written.get((q.source.id, 0))
    name = assigned_name(event.place) if event is not None else None
    if name is None or history.uses(q.source.id):
        return None
    others = [e for e in history.trace.events if isinstance(e, Wrote) and e.how == "Variable" and e.variable != q.source.id]
    for other in others:
        if assigned_name(other.place) == name and History(history.trace, q.tape, [other.variable]).cheapest(history.nodes(q.targets)) is not None:
            return cause("REBOUND", q, op="Variable", line=event.place.text, sure="likely", copy=True)
    return None


def first_order(q):
    """Is the target a first derivative, in which the source does not appear any more?"""
    events = [e for e in q.history.trace.events if isinstance(e, Asked) and q.source.id in e.sources]
    results = {number for e in events for number in e.results}
    edges = History(q.history.trace, q.tape, results - {0}).cheapest(q.history.nodes(q.targets)) if results - {0} else None
    return edges is not None


def deciding(q):
    """The last decision that was made by the source: an `if`, a loop."""
    history = q.history
    exits = [e for e in history.trace.events if isinstance(e, Left) and e.number > history.opened and decides(e)]
    for exit in exits[:-50:-1]:
        node = (exit.tensor, exit.versions[exit.tensor]) if exit.versions else exit.tensor
        if history.cheapest([node]) is not None:
            return exit
    return None


# ---- a gradient that is there ------------------------------------------------------------------------------------------


def whole_or_partial(q, targets, way):
    """There is a number. Is a way missing?"""
    history = q.history
    live = history.ways(targets, lambda edge: not edge.code)
    ends = {edge.start for edge in live if history.is_source(edge.start)}

    def counts(edge):
        if edge.code in NO_SLOPE or edge.meant or edge.sure == "perhaps":
            return False
        return not history.is_source(edge.start) or edge.start in ends

    ways = history.ways(targets, counts) if ends else []
    lost = sorted([edge for edge in ways if edge.code], key=lambda edge: edge.event.number)
    number = status_of(q.slope)
    if not lost:
        meant = [edge for edge in history.ways(targets) if edge.code == "STOPPED" and edge.meant and (edge.event.op.kernel != "StopGradient" or edge.event.called == "stop_gradient")]
        return whole(q, way, number, meant)
    causes = each_once(q, lost)
    first = lost[0]
    missing = [*(history_way(history, [first.start], counts) or []), first, *(way_onward(history, targets, first, counts) or [])]
    some, every = count(live, targets, ends), count(ways, targets, ends)
    ways_text = f"{every - some} of {every} paths" if every < 100 else "some of many paths"
    status, head = ("nan", "NAN") if number == "nan" else ("partial", "PARTIAL")
    if number == "nan":
        causes = (not_finite(q), *causes)
    return Explanation(
        status, "", causes, f"{head}  {q.label} = {q.text} leaves out {ways_text}", path=steps_on(q, way or ()),
        live=names_on(q, history.cheapest(targets, lambda edge: not edge.code) or ()), lost=names_on(q, missing), carries=q.text,
    )  # fmt: skip


def history_way(history, nodes, allowed):
    return history.cheapest(nodes, allowed)


def way_onward(history, targets, edge, allowed):
    """The cheapest way from the end of an edge to the targets."""
    end = edge.end[0] if isinstance(edge.end, tuple) else edge.end
    onward = History.__new__(History)
    onward.__dict__.update(history.__dict__, sources={end})
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
        return Explanation("zero", "", (flat(q), *causes), f"ZERO  {q.label} = {q.text}: every way is there, and the slope is 0 here", path=path)
    but = "".join(f", but {one.code}" for one in causes[:1])
    after = old[1] if old else ""
    return Explanation("complete", "", causes, f"COMPLETE{but}  {q.label} = {q.text}{after}", path=path, live=() if old else live)


def status_of(slope):
    """ "nan", "zero", or "" for other numbers and for those that nobody knows."""
    if slope is UNKNOWN or slope is None:
        return ""
    summary = slope if isinstance(slope, Summary) else Summary.of(slope)
    return "nan" if not summary.finite else "zero" if summary.zero and summary.size else ""


def stale(q):
    """The cause, and what to add to the headline, if the source was assigned between the forward pass and the question."""
    read = q.tape.versions.get(q.source.id)
    now = q.question.versions.get(q.source.id) if q.question is not None else version_of(q.source)
    if q.tape.steps is None and q.question is None:  # when it was asked, nobody knows
        return None
    if read is None or now is None or read == now:
        return None
    name = q.source_name
    if q.history is None:
        return cause("STALE", q, op="assign"), f" is the slope at an earlier {name}"
    trace, target = q.history.trace, f"  {name}, version "
    write = trace.written.get((q.source.id, read + 1))
    reads = [e for e in trace.events if isinstance(e, Ran) and e.versions.get(q.source.id) == read and q.tape.number in e.recorded]
    shown = [(word, e.place.text, version) for word, e, version in (("read", reads[-1] if reads else None, read), ("changed", write, read + 1)) if e]
    wide = max((len(text) for _, text, _ in shown), default=0)
    facts = [(word, f"{text:<{wide}} {target}{version}") for word, text, version in shown]
    last = trace.written.get((q.source.id, now))
    then = f" is the slope at {name} = {write.before}; {name} was {last.value} when it was asked" if write and last and write.before else ""
    if now == version_of(q.source):
        then = then.replace(f"{name} was", f"{name} is").replace(" when it was asked", " now")
    told = cause("STALE", q, op=write.how if write else "assign", line=write.place.text if write else "", shown=facts)
    return told, then or f" is the slope at an earlier {name}"


def is_summed(q):
    """Was the derivative of a sum given where each element has one of its own?"""
    if q.slope is UNKNOWN or tuple(q.slope.shape) != tuple(q.source.shape):  # a Jacobian, or who knows
        return False
    if sum(one.shape.num_elements() for one in q.targets) < 2:
        return False
    if len(q.targets) > 1 or tuple(q.targets[0].shape) != tuple(q.source.shape):
        return True
    if q.history is None:
        return False
    edges = q.history.ways(q.history.nodes(q.targets), lambda edge: not edge.code)
    return any(isinstance(e.event, Ran) and (e.event.op.kernel in MIXING or e.event.value.shape != tuple(q.source.shape)) for e in edges)


# ---- where a number became 0, or nan -----------------------------------------------------------------------------------


def op_at(q, step):
    """The name of the op that a step belongs to, and its line."""
    event = q.history.trace.made.get(step.outputs[0]) if q.history is not None else None
    if isinstance(event, Ran):
        return event.name, event.place.text, event
    if q.tape.steps is not None:
        rule = next((one[2] for one in q.tape.steps if one[1] == step.source and step.outputs[0] in outputs_of(one)), None)
        return rule_names().get(rule, "an op"), "", None
    return "an op", "", None


def outputs_of(step):
    return [i for i, _, _ in step[0]] if step[0].__class__ is tuple else [step[0]]


def rule_names():
    return {rule: name for name, op in OPS.items() for key, rule in op.rules.items() if key[0] == "d" and rule}


def not_finite(q):
    """The first op, on the way back, where a finite gradient became inf or nan."""
    for step in steps_of(q):
        if step.upstream.finite and not step.sent.finite:
            op, line, event = op_at(q, step)
            place = event.place if event is not None else None
            return cause("NOT_FINITE", q, op=op, line=line, step=first_bad(q, step, op, line), place=place)
    return cause("NOT_FINITE", q)


def first_bad(q, step, op, line):
    """The facts about the first element that is not finite: where it is, and how it came about."""
    sent, upstream, local = step.sent.kept, step.upstream.kept, step.local.kept if step.local is not None else None
    facts = [("line", line)] if line else []
    if sent.size != step.sent.size or not (local is not None and sent.shape == upstream.shape == local.shape):
        return [("first", f"{op}: what it sends is not finite"), *facts]
    place = tuple(int(i) for i in np.argwhere(~np.isfinite(sent))[0])
    name = q.names.of(step.source, "its input")
    where = f"{name}[{', '.join(map(str, place))}]" if place else name
    value = value_at(q, step.source, place)
    numbers = [brief(one[place].item()) for one in (upstream, local, sent)]
    return [("first", f"{op} at {where}{value}: upstream {numbers[0]} x local derivative {numbers[1]} = {numbers[2]}"), *facts]


def value_at(q, number, place):
    """` = 0.0`: the value of an element, if it is known."""
    if number == q.source.id and stale(q) is None:
        return f" = {brief(convert(q.source).value[place].item())}"
    event = q.history.trace.made.get(number) if q.history is not None else None
    kept = event.value.kept if event is not None and hasattr(event, "value") else None
    return f" = {brief(kept[place].item())}" if kept is not None and kept.shape == event.value.shape else ""


def flat(q):
    """The first op, on the way back, that lets nothing pass."""
    steps = steps_of(q)
    for step in steps:
        if not step.upstream.zero and step.sent.zero:
            op, line, _ = op_at(q, step)
            return cause("FLAT", q, op=op, line=line)
    return cause("FLAT", q, cancel=bool(steps) and not any(step.upstream.zero for step in steps))


# ---- ways as names -----------------------------------------------------------------------------------------------------


def steps_on(q, edges):
    """The ops on a way, with the doors by which a value left."""
    steps = []
    for edge in edges:
        event = edge.event
        if edge.by is not None:
            told = cause(edge.code, q, edge).op
            steps.append(f"{told}()" if told.endswith(".numpy") else told)
        if isinstance(event, Ran) or isinstance(event, Wrote):
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
    watched, variable = source.id in tape.live, hasattr(source, "trainable")
    reached = any(one.id in tape.live for one in q.targets)
    bad = next((one for one in q.targets if not flows(one)), None)
    if bad is not None:
        told, meaning = cause("INTEGER", q, name=q.target_name, kind=kind_of(bad)), "undefined"
    elif not watched and (not variable or not source.trainable or not tape.auto):
        told, meaning = cause("UNWATCHED", q, sure="proved" if variable else "likely"), "broken"
    elif not reached and any(tape.ended and one.id > tape.ended for one in q.targets):
        told, meaning = cause("OUTSIDE_TAPE", q, sure="likely"), "broken"
    elif not reached and watched:
        told, meaning = cause("OUTSIDE_TAPE", q, sure="likely", apart=True), "broken"
    else:
        told, meaning = cause("UNUSED", q, sure="likely"), "independent"
    why = {"undefined": "no gradient flows along it", "broken": "the way to it is not on the tape", "independent": f"the target does not depend on {name}"}
    return none(q, meaning, told, why=why[meaning], notes=(ADVICE,))


# ---- measuring ---------------------------------------------------------------------------------------------------------


def painted(found):
    """The answer for someone who had `unconnected_gradients=ZERO`."""
    answer, slope = found
    note = "unconnected_gradients=ZERO shows this None as 0.0"
    return (replace(answer, notes=(*answer.notes, note)) if answer.status == "none" else answer), slope


def measured(found, check, leaves, k):
    """The answer, with what finite differences say of the function `check`."""
    answer, slope = found
    points = [convert(leaf).value if is_tensor(leaf) else leaf for leaf in leaves]
    if not is_tensor(leaves[k]) or points[k].dtype.kind != "f":
        return found
    try:
        truth = differences(check, points, k)
    except Exception as problem:  # the user's function, which may do anything
        return replace(answer, notes=(*answer.notes, f"check ended with {type(problem).__name__}: {problem}")), slope
    known = isinstance(slope, (np.ndarray, np.generic)) or slope is None or (isinstance(slope, Summary) and slope.kept.shape == slope.shape)
    given = None if slope is None else slope.kept if isinstance(slope, Summary) else slope
    if not known:
        return replace(answer, notes=(*answer.notes, f"measured {number_text(np.round(truth, 4))}")), slope
    size = max(1.0, float(np.max(np.abs(truth), initial=0)))
    near = np.allclose(np.zeros(truth.shape) if given is None else np.asarray(given, float), truth, rtol=1e-2, atol=2e-3 * size)
    note = f"returned {number_text(given)}, measured {number_text(np.round(truth, 4))}: they {'agree' if near else 'differ'}"
    return replace(answer, notes=(*answer.notes, note)), slope


def differences(check, points, k):
    """Central differences of the sum of `check`, for each element of source k, at the present values."""
    point = np.asarray(points[k])
    slopes, step = np.zeros(point.shape), 1e-2 if point.dtype.itemsize < 8 else 1e-5

    def total(moved):
        given = [Tensor.of(one[()]) for one in (*points[:k], moved, *points[k + 1 :])]
        return sum(float(np.sum(convert(y).value.astype(float))) for y in nest.flatten(check(*given)))

    for place in np.ndindex(point.shape):
        ends = []
        for sign in (1, -1):
            moved = np.array(point)
            moved[place] += sign * step * max(1.0, abs(float(point[place])))
            ends.append((total(moved), float(moved[place])))
        slopes[place] = (ends[0][0] - ends[1][0]) / (ends[0][1] - ends[1][1])
    return slopes
