"""Can a number be trusted? Where it became 0 or nan, whether it is old, whether it is a sum; and what finite differences say."""

from dataclasses import replace

import numpy as np

from .. import nest
from ..events import Ran, Summary, brief, outputs_of, version_of
from ..op import OPS, convert
from ..tensor import Tensor
from .causes import cause
from .explanation import number_text
from .names import is_tensor
from .question import UNKNOWN, steps_of

MIXING = {"MatMul", "BatchMatMulV2", "Softmax", "LogSoftmax", "Cumsum", "Cumprod", "Einsum", "MatrixInverse", "Cholesky", "MatrixSolve"}


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
    """The first op, on the way back, where a finite gradient became inf or nan."""
    for step in steps_of(q):
        if step.upstream.finite and not step.sent.finite:
            op, line, event = op_at(q, step)
            place = event.place if event is not None and unwanted(step) else None
            return cause("NOT_FINITE", q, op=op, line=line, step=first_bad(q, step, op, line), place=place)
    return cause("NOT_FINITE", q)


def unwanted(step) -> bool:
    """Did nothing arrive where the slope is not finite?"""
    sent, upstream = step.sent, step.upstream
    if not sent.whole or sent.shape != upstream.shape:
        return True
    return not np.any(upstream.kept[~np.isfinite(sent.kept)])


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
    return f" = {brief(kept[place].item())}" if kept is not None and event.value.whole else ""


def flat(q):
    """The first op, on the way back, that lets nothing pass."""
    steps = steps_of(q)
    for step in steps:
        if not step.upstream.zero and step.sent.zero:
            op, line, event = op_at(q, step)
            return cause("FLAT", q, op=op, line=line, factor=zero_factor(q, step, event) if event is not None else "")
    return cause("FLAT", q, cancel=bool(steps) and not any(step.upstream.zero for step in steps))


PRODUCTS = {"Mul", "MatMul", "BatchMatMulV2", "Einsum"}


def zero_factor(q, step, event):
    """What says the other factor of a product, if all of it is 0."""
    for number in event.inputs if event.op.kernel in PRODUCTS else ():
        value = getattr(q.history.trace.made.get(number), "value", None)
        if number != step.source and value is not None and value.zero:
            name = q.names.of(number, "")
            return f"{name}, which is 0 here" if name else "0"
    return ""


def op_at(q, step):
    """The name of the op that a step belongs to, and its line."""
    event = q.history.trace.made.get(step.outputs[0]) if q.history is not None else None
    if isinstance(event, Ran):
        return event.name, event.place.text, event
    if q.tape.steps is not None:
        rule = next((one[2] for one in q.tape.steps if one[1] == step.source and step.outputs[0] in outputs_of(one)), None)
        return rule_names().get(rule, "an op"), "", None
    return "an op", "", None


def rule_names():
    return {rule: name for name, op in OPS.items() for key, rule in op.rules.items() if key[0] == "d" and rule}


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
        return replace(answer, notes=(*answer.notes, f"check ended with {type(problem).__name__}: {problem}")), slope
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
