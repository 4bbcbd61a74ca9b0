"""Can a number be trusted? Where it became 0 or nan, whether it is old, whether it is a sum; and what finite differences say."""

import copy
from dataclasses import replace

import numpy as np

from .. import nest
from ..engine.backward import INPUT, VJP, output_ids
from ..engine.op import OPS, convert
from ..engine.tensor import Tensor
from ..errors import visible
from ..tracing.log import Ran, Wrote, version_of
from ..tracing.source import assigned_name
from ..tracing.values import Summary, brief, finite
from .causes import cause
from .explanation import number_text
from .names import is_tensor
from .question import UNKNOWN, steps_of

MIXING = {"MatMul", "BatchMatMulV2", "Softmax", "LogSoftmax", "Cumsum", "Cumprod", "Einsum", "MatrixInverse", "Cholesky", "MatrixSolve"}


def stale(q):
    """The cause, and what to add to the headline, if the source was assigned between the forward pass and the question."""
    read = q.tape.read_versions.get(q.source.id)
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
    shown = [
        (word, e.place.text, version)
        for word, e, version in (("read", reads[-1] if reads else None, read), ("changed", write, read + 1))
        if e
    ]
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
    if q.weighted or q.slope is UNKNOWN or tuple(q.slope.shape) != tuple(q.source.shape):  # a Jacobian, or who knows
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


def not_finite(q):
    """The first op, on the way back, where a finite gradient became inf or nan; or what made a value so before."""
    for step in steps_of(q):
        if step.upstream.finite and not step.sent.finite:
            op, line, event = op_at(q, step)
            if event is None and not all(finite(array) for array in arrays_of(q, step)):
                return cause("NOT_FINITE", q)
            if event is None:
                return cause("NOT_FINITE", q, op=op, line=line, step=first_bad(q, step, op, line))
            where, sure = discarding(q, step, event)
            bad = origin(q, event)
            if bad is not None:
                return bad_value(q, *bad, where, sure)
            sure = sure if all_known(q, event) else "likely"
            facts = [*first_bad(q, step, op, line), *line_facts("", where if where is not None and where.place.text != line else None)]
            given = number_there(known_value(q, step.source, event), step.sent)
            return cause(
                "NOT_FINITE", q, op=op, line=line, sure=sure, step=facts, place=event.place, discarded=where is not None, given=given
            )
    return cause("NOT_FINITE", q)


def bad_value(q, number, value, maker, user, where, sure):
    """The cause, if a value was not finite before any slope was taken: that of an op, or one that came from outside."""
    line, at = (maker or user).place.text, first_place(value)
    kind = brief(value.kept[at].item()) if at is not None else "inf or nan"
    if isinstance(maker, Ran):
        where_at, given = first_given(q, maker, value)
        facts = [("first", f"{maker.name}{where_at} gives {kind}"), *line_facts(line, where)]
        told = dict(step=facts, place=maker.place, discarded=where is not None, value=kind, given=given)
        return cause("NOT_FINITE", q, op=maker.name, line=line, sure=sure if all_known(q, maker) else "likely", **told)
    named = q.names.leads_to(number) or (maker is not None and assigned_name(maker.place) is not None)
    name = q.names.of(number) if named else "an input"
    shown = name + " is not finite" if at is None else f"{element(name, at)} = {kind}" if named else kind
    assigned = isinstance(maker, Wrote) and maker.how != "Variable"
    told = dict(step=[("first", shown), *line_facts(line)], value=kind, holder=name, named=named, assigned=assigned)
    return cause("NOT_FINITE", q, line=line, sure=sure, **told)


def first_given(q, maker, value):
    """` at x[0] = 1000.0`, and the number: what an op was given for the first element that is not finite, if that is known."""
    for number in maker.inputs:
        given = number_there(known_value(q, number, maker), value) if number else None
        if given is not None:
            return f" at {element(q.names.of(number, 'its input'), first_place(value))} = {brief(given)}", given
    return "", None


def number_there(given, value):
    """What stands in one value where another, of the same shape, is not finite first; None if that is not known."""
    at = first_place(value)
    return given.kept[at].item() if at is not None and given is not None and given.whole and given.shape == value.shape else None


def line_facts(line, where=None):
    """The line, and the other line on which there is a `where`."""
    other = where.place.text if where is not None else ""
    return [(word, text) for word, text in (("line", line), ("where", other if other != line else "")) if text]


def origin(q, event):
    """Where the values that an op was given stopped being finite: the number of one, the value, what made it, and the op that was
    given it; None if all are finite."""
    found, trace = None, q.history.trace
    while isinstance(event, Ran):
        number, value = next(((i, value) for i, value in inputs_of(q, event) if value is not None and not value.finite), (0, None))
        if value is None:
            break
        version, user = event.versions.get(number), event
        event = trace.made.get(number) if version is None else trace.written.get((number, version))
        found = number, value, event, user
    return found


def inputs_of(q, event):
    """Pairs: the number of what an op was given (0: a plain number), and its Summary, if it is known."""
    plain = [(0, Summary.of(number)) for number in event.numbers.values()]
    return [*[(i, known_value(q, i, event)) for i in event.inputs if i], *plain]


def all_known(q, event):
    return all(known_value(q, i, event) is not None for i, kind in zip(event.inputs, event.kinds) if i and kind in "fc")


def known_value(q, number, event):
    """The Summary of what an op was given, from the log or from a Tensor that a name still leads to."""
    found = value_of(q, number, event)
    tensor = q.names.tensor(number) if found is None else None
    return Summary.of(tensor.value) if tensor is not None else found


def discarding(q, step, event):
    """The `where` that discards the element at which an op sends inf or nan, if there is one; and how sure that is."""
    reached = upstream_there(step)
    if reached:
        return None, "proved"
    onward = copy.copy(q.history)
    onward.sources, onward.edges_into = set(event.outputs), {}
    edges = onward.ways(q.history.nodes(q.targets), lambda edge: not edge.code)
    choices = [e.event for e in edges if isinstance(e.event, Ran) and e.event.op.kernel in ("Select", "SelectV2")]
    return min(choices, key=lambda e: e.number, default=None), "proved" if reached is not None or not choices else "likely"


def upstream_there(step):
    """Does anything arrive at the op for the first element that is not finite? None if that is not known."""
    upstream, sent = step.upstream, step.sent
    if upstream.zero:
        return False
    if upstream.shape == sent.shape and not np.isfinite(sent.kept).all():  # of large ones both are known in part, and in the same part
        return bool(upstream.kept[~np.isfinite(sent.kept)].ravel()[0] != 0)
    return True if upstream.whole and upstream.kept.all() else None


def first_place(value):
    """The place of the first element that is not finite, if the value is kept whole."""
    places = np.argwhere(~np.isfinite(value.kept)) if value.whole else ()
    return tuple(int(i) for i in places[0]) if len(places) else None


def element(name, place):
    return f"{name}[{', '.join(map(str, place))}]" if place else name


def first_bad(q, step, op, line):
    """The facts about the first element that is not finite: where it is, and how it came about."""
    sent, upstream, local = step.sent.kept, step.upstream.kept, step.local.kept if step.local is not None else None
    facts = [("line", line)] if line else []
    if sent.size != step.sent.size or not (local is not None and sent.shape == upstream.shape == local.shape):
        return [("first", f"{op}: what it sends is not finite"), *facts]
    place = first_place(step.sent)
    where = element(q.names.of(step.source, "its input"), place)
    value = value_at(q, step.source, place)
    numbers = [brief(one[place].item()) for one in (upstream, local, sent)]
    return [("first", f"{op} at {where}{value}: upstream {numbers[0]} x local derivative {numbers[1]} = {numbers[2]}"), *facts]


def value_at(q, number, place):
    """` = 0.0`: the value of an element, if it is known."""
    if number == q.source.id and stale(q) is None:
        return f" = {brief(convert(q.source).value[place].item())}"
    event = q.history.trace.made.get(number) if q.history is not None else None
    kept = event.value.kept if event is not None and hasattr(event, "value") else None
    return f" = {brief(kept[place].item())}" if kept is not None and event.value.whole else ""


def flat(q):
    """The first op, on the way back, that lets nothing pass."""
    steps = steps_of(q)
    for step in steps:
        if not step.upstream.zero and step.sent.zero:
            op, line, event = op_at(q, step)
            factor, variable = zero_factor(q, step, event) if event is not None else ("", False)
            return cause("FLAT", q, op=op, line=line, factor=factor, variable=variable)
    return cause("FLAT", q, cancel=bool(steps) and not any(step.upstream.zero for step in steps))


PRODUCTS = {"Mul", "MatMul", "BatchMatMulV2", "Einsum"}


def zero_factor(q, step, event):
    """What says the other factor of a product, if all of it is 0; and is it a Variable?"""
    factors = list(event.inputs) if event.op.kernel in PRODUCTS else []
    if step.source in factors:
        factors.remove(step.source)  # once: in `w * w` the other factor is w too
    for number in factors:
        value = value_of(q, number, event)
        if value is not None and value.zero:
            variable = number in event.versions
            name = q.names.of(number, "a Variable" if variable else "")
            return f"{name}, which is 0 here" if name else "0", variable
    return "", False


def value_of(q, number, event):
    """The Summary of a Tensor or Variable that an op was given, if it is known."""
    trace, version = q.history.trace, event.versions.get(number)
    if version is None:
        maker = trace.made.get(number)
        first = not isinstance(maker, Ran) or maker.outputs[0] == number  # of several outputs only the first is kept
        return getattr(maker, "value", None) if first else None
    written, after = trace.written.get((number, version)), trace.written.get((number, version + 1))
    if written is not None:
        return written.value
    return after.before if after is not None else trace.seen.get(number)


def arrays_of(q, step):
    """What a step of a tape keeps for its rule."""
    return [one for kept in steps_like(q, step) for one in kept[3] if isinstance(one, (np.ndarray, np.generic))]


def steps_like(q, step):
    """The step of the tape that was walked, in a list, if it is still there."""
    return [one for one in q.tape.steps or () if one[INPUT] == step.source and step.outputs[0] in output_ids(one)][:1]


def op_at(q, step):
    """The name of the op that a step belongs to, and its line."""
    event = q.history.trace.made.get(step.outputs[0]) if q.history is not None else None
    if isinstance(event, Ran):
        return event.name, event.place.text, event
    if q.tape.steps is not None:
        return next((rule_names().get(one[VJP], "an op") for one in steps_like(q, step)), "an op"), "", None
    return "an op", "", None


def rule_names():
    return {rule: name for name, op in OPS.items() for rule in op.vjps.values() if rule}


# ---- measuring ---------------------------------------------------------------------------------------------------------


def measured(found, check, leaves, k):
    """The answer, with what finite differences say of the function `check`."""
    answer, slope = found
    points = [convert(leaf).value if is_tensor(leaf) else leaf for leaf in leaves]
    if not is_tensor(leaves[k]) or points[k].dtype.kind != "f":
        return found
    try:
        truth = differences(check, points, k)
    except Exception as problem:  # the user's function, which may do anything
        return replace(answer, notes=(*answer.notes, f"check ended with {type(problem).__name__}: {visible(problem)}")), slope
    known = isinstance(slope, (np.ndarray, np.generic)) or slope is None or (isinstance(slope, Summary) and slope.whole)
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
