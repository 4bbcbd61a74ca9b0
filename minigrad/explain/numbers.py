"""Checks of a gradient: where it became 0 or nan, and whether it is stale or a sum."""

import re

import numpy as np

from ..engine.backward import ARRAYS, INPUT, VJP, output_ids
from ..engine.operands import OPS, convert
from ..engine.tensor import Tensor
from ..tracing.log import Ran, Wrote, version_of
from ..tracing.source import called_text
from ..tracing.values import Summary, brief, finite
from . import trial
from .causes import CODES, cause
from .fixes import safe_lines
from .question import UNKNOWN, slopes_from, steps_from, steps_of, tape_steps

DIVIDES = "divide", "truediv"  # the second input is the one that must not be 0
MOST_PASSES = 8  # in search of a value that is not finite


def stale(q):
    """The cause, and the text to add to the headline, if the source was assigned after the tape read it."""
    number, asked, name = q.source.id, q.question, q.source_name
    if q.tape.steps is None and asked is None:  # the time of the question is unknown
        return None
    read, now = q.tape.read_versions.get(number), asked.versions.get(number) if asked else version_of(q.source)
    if None in (read, now) or read == now:
        return None
    text = f" is the slope at an earlier {name}"
    if q.history is None:
        return cause("STALE", q, op="assign"), text
    write, last = (q.history.trace.made.get((number, version)) for version in (read + 1, now))
    reads = [e for e in q.history.uses(number) if e.versions.get(number) == read and q.tape.number in e.recorded]
    shown = {"read": (reads[-1] if reads else None, read), "changed": (write, read + 1)}
    shown = {word: (e.place.text, version) for word, (e, version) in shown.items() if e}
    wide = max((len(line) for line, _ in shown.values()), default=0)
    facts = [(word, f"{line:<{wide}}   {name}, version {version}") for word, (line, version) in shown.items()]
    if write and last and write.before:
        then = f"is {last.value} now" if now == version_of(q.source) else f"was {last.value} when it was asked"
        text = f" is the slope at {name} = {write.before}; {name} {then}"
    at = dict(op=write.how, line=write.place.text) if write else dict(op="assign")
    return cause("STALE", q, **at, facts=facts), text


def summed(q):
    """The cause if the gradient is the derivative of a sum whose elements each have their own derivative."""
    shape, elements = tuple(q.source.shape), sum(one.shape.num_elements() for one in q.targets)
    if q.weighted or q.slope is UNKNOWN or tuple(q.slope.shape) != shape or elements < 2:  # a Jacobian, or unknown
        return None
    if len(q.targets) > 1:
        return cause("SUMMED", q, "targets", targets=len(q.targets))
    target, slopes = q.targets[0], [None]
    if tuple(target.shape) == shape and q.tape.steps is not None:  # do two elements depend on one of the source?
        first = (np.arange(elements) == 0).reshape(shape)
        seeds = [{target.id: one.astype(q.seeds[target.id].dtype)} for one in (first, ~first)]
        slopes = [slopes_from(q.tape, one, [q.source.id])[q.source.id] for one in seeds]
    mix = all(one is not None for one in slopes) and bool(np.any((slopes[0] != 0) & (slopes[1] != 0)))
    return cause("SUMMED", q, elements=elements) if mix or tuple(target.shape) != shape else None


# ---- where a gradient became 0 or nan --------------------------------------------------------------------------------


def not_finite(q):
    """The cause of inf or nan: what made a value non-finite, or else the first op in the backward pass to send it."""
    step, beyond = first_to_send(q)
    op, event = op_at(q, step) if step is not None else ("", None)
    kept = [one for tape_step in steps_like(q, step) for one in tape_step[ARRAYS]] if event is None and step else []
    if step is None or not all(finite(one) for one in kept if isinstance(one, (np.ndarray, np.generic))):
        return cause("NOT_FINITE", q, "unknown")
    given = number_there(value_of(q, step.source, event), step.sent)
    first = first_bad(q, step, op, given)
    if event is None:
        x = "x" if op in DIVIDES else q.names.of(step.source, "x")
        return cause("NOT_FINITE", q, op=op, facts=[("first", first)], away=away_from(op, step.sent.dtype, x))
    where, sure = discarding(q, step, event)
    number, value, maker, user = origin(q, event)
    if value is None and beyond:
        value = event.value
    if value is None and where is None and step.local is not None and step.local.finite:
        facts = [("first", first), ("line", event.place.text)]
        return cause("NOT_FINITE", q, "product", op=op, line=event.place.text, facts=facts, kind=step.sent.dtype)
    if value is None:
        return at_op(q, event, first, where, sure, given=given)
    at = first_place(value)
    kind = brief(value.kept[at].item()) if at is not None else "inf or nan"
    if not isinstance(maker, Ran):  # the value came from outside, or was assigned
        named, line = number in q.names.held, (maker or user).place.text
        name = q.names.of(number) if named else "an input"
        case = "assigned" if isinstance(maker, Wrote) and maker.how != "Variable" else "held"
        facts = [("first", f"{element(name, at)} = {kind}"), ("line", line)]
        words = dict(value=kind, holder=name, x=name if named else "v")
        return cause("NOT_FINITE", q, case, line=line, sure=sure, facts=facts, **words)
    inputs = {i: number_there(value_of(q, i, maker), value) for i in maker.inputs if i}
    number, given = next((pair for pair in inputs.items() if pair[1] is not None), (0, None))
    place = "" if given is None else f" at {element(q.names.of(number, 'its input'), at)} = {brief(given)}"
    return at_op(q, maker, f"{maker.name}{place} gives {kind}", where, sure, kind, given)


def first_to_send(q) -> tuple:
    """The step of the backward pass to blame for inf or nan, and whether it lies beyond the first one that sent it.

    It is the first of an op that was given such a value, or else the first. What lies beyond it is seen by another
    pass, which begins there with ones; there, an op that gave such a value is to blame, too.
    """
    steps, first, begun = steps_of(q), None, set()
    for _ in range(MOST_PASSES):
        bad = [one for one in steps if one.upstream.finite and not one.sent.finite and one.source not in begun]
        first = first or next(iter(bad), None)
        worse = next((one for one in bad if has_bad(q, op_at(q, one)[1], gave=bool(begun))), None)
        if worse is not None or not bad or q.history is None:
            return worse or first, worse is not None and bool(begun)
        begun.update(one.source for one in bad)
        seeds = {one.source: np.ones(one.sent.shape, one.sent.dtype) for one in bad}
        steps = steps_from(tape_steps(q), seeds, [q.source.id])
    return first, False


def has_bad(q, event, gave) -> bool:
    """Whether an op was given a value that is not finite, or (if this counts) gave one."""
    own = gave and isinstance(event, Ran) and event.value is not None and not event.value.finite
    return own or origin(q, event)[1] is not None


def at_op(q, event, first, where, sure, value="", given=None):
    """The cause if the value or the slope of an op is not finite; `where`, if given, is the op that discards it."""
    op, line, case, words = name_of(event), event.place.text, "value" if value else "", {}
    if where is not None:
        right = trial.fitting(q, [safe_lines(event.place)], safe=True)
        if right:
            q.lines[line], q.fixed = right[0], trial.fixed_source(right[0].edits)
        zero = f"the value of {op} is {value} there, and 0 times that is nan"
        words["yet"] = zero if value else f"{op} is still asked for its slope"
        words["guarded"] = right[0].text if right else f"give {op} a safe input by another mg.where"
        case = "discarded"
    lines = dict.fromkeys([line, where.place.text if where is not None else ""])
    facts = [("first", first), *[fact for fact in zip(("line", "where"), lines) if fact[1]]]
    known = all(value_of(q, i, event) for i, kind in zip(event.inputs, event.kinds) if i and kind in "fc")
    kind = event.value.dtype if event.value is not None else np.float32
    power = event.numbers.get(1, -1.0) if op == "pow" else -1.0
    number = next(iter(event.inputs[op in DIVIDES :]), 0)
    x = name_given(q, event, number, "x") if number or op not in DIVIDES else ""
    away = away_from(op, kind, x, given, power) if known else f"look at what {op} is given there, which is not known"
    words |= dict(value=value, away=away)
    return cause("NOT_FINITE", q, case, op=op, line=line, sure=sure if known else "likely", facts=facts, **words)


def name_given(q, event, number, default) -> str:
    """The user's name for an input of an op; the default for a value within its own call, or with the name of an op."""
    maker, name = q.history.maker(q.history.node(number, event.versions)), q.names.of(number, default)
    within = isinstance(maker, Ran) and (maker.place[:2] == event.place[:2] or name == maker.name)
    return default if within or name == event.name else name


def away_from(op, kind, x, given=None, power=-1.0):
    """The fix that keeps the input of an op, `given` here, in the range where its value and slope are finite.

    Args:
        op, kind, x, given: the op, its dtype, the name of its input ("" for a number), and the value if it is known.
        power: the exponent of a pow.
    """
    if given is not None and op in ("pow", "lgamma") and (given > 1 or given < -1e6):
        return f"keep the input of {op} smaller: it is too large for its dtype"
    divides, limits = op in DIVIDES, bounds(np.finfo(kind), 1.0 - power)
    example = CODES["NOT_FINITE"].instead.get("sqrt" if op == "pow" and power % 1.0 else op, "")
    if "mg.abs({x}) <" in example and not divides and abs(given or 0.0) >= limits["small"]:
        example = ""  # it would leave the input as it is
    texts = {name: repr(round(float(limit), 12)).replace("e-0", "e-") for name, limit in limits.items()}
    what = f"what {op} divides by away from 0" if divides else f"the input of {op} away from there"
    return f"keep {what}" + (f", for example with {example.format(x=x, **texts)}" if example and x else "")


def bounds(limits, steep) -> dict:
    """Numbers at which ops are finite in a dtype with these limits, near 0 with slopes of this power of 1/x."""
    small = max(1e-6, 10 ** np.ceil(np.log10(float(limits.tiny)) / max(1.0, steep)))
    near, large = max(1e-6, 10.0**-limits.precision), np.log(float(limits.max)) // 10 * 10
    return dict(small=small, square=near**2, below=1 - near, above=1 + near, large=large)


def number_there(given, value):
    """The element of `given` at the place of the first non-finite element of `value`; None if unknown."""
    at = first_place(value)
    known = at is not None and given is not None and given.whole and given.shape == value.shape
    return given.kept[at].item() if known else None


def origin(q, event):
    """Trace an op's non-finite input to its origin: its number, its Summary, its maker and the op that it went into."""
    found = 0, None, event, None
    while isinstance(event, Ran):
        plain = [(0, Summary.of(number)) for number in event.numbers.values()]
        given = [*[(i, value_of(q, i, event)) for i in event.inputs if i], *plain]
        number, value = next(((i, one) for i, one in given if one is not None and not one.finite), (None, None))
        if value is None:
            break
        user, event = event, q.history.maker(q.history.node(number, event.versions))
        found = number, value, event, user
    return found


def discarding(q, step, event):
    """The `where` op that discards the element at which an op sends inf or nan, or None; and the confidence."""
    upstream, bad = step.upstream, ~np.isfinite(step.sent.kept)
    if upstream.zero or (upstream.shape == step.sent.shape and bad.any()):  # large values keep the same part
        reached = not upstream.zero and bool(upstream.kept[bad].ravel()[0] != 0)
    else:
        reached = True if upstream.whole and upstream.kept.all() else None
    edges = q.history.ways(q.history.nodes(q.targets), lambda edge: not edge.code, event.outputs) if not reached else ()
    choices = [e.event for e in edges if isinstance(e.event, Ran) and e.event.op.kernel in ("Select", "SelectV2")]
    where = min(choices, key=lambda e: e.number, default=None)
    return where, "likely" if where and reached is None else "proved"


def first_place(value):
    """The place of the first non-finite element, if the value is kept whole and has one; otherwise None."""
    places = np.argwhere(~np.isfinite(value.kept)) if value.whole else ()
    return tuple(int(i) for i in places[0]) if len(places) else None


def element(name, place) -> str:
    """The text for an element: `x[0]`, `(x - y)[0]`."""
    signs = re.search(r" \W+ |^-", re.sub(r"\([^()]*\)|\[[^]]*\]", "", name))
    return f"{f'({name})' if signs else name}[{', '.join(map(str, place))}]" if place else name


def first_bad(q, step, op, given) -> str:
    """A text on the first non-finite element: its place, and the product that made it."""
    sent, upstream, local = step.sent.kept, step.upstream.kept, step.local.kept if step.local is not None else None
    if sent.size != step.sent.size or not (local is not None and sent.shape == upstream.shape == local.shape):
        return f"{op}: what it sends is not finite"
    place = first_place(step.sent)
    name = q.names.of(step.source, "its input")
    at = [element(name, place)] * (name != op)  # a value within a call is named after the call
    where = f"{op} at {' = '.join([*at, brief(given)])}" if given is not None else " at ".join([op, *at])
    numbers = [brief(one[place].item()) for one in (upstream, local, sent)]
    return f"{where}: upstream {numbers[0]} x local derivative {numbers[1]} = {numbers[2]}"


def flat(q):
    """The cause of a zero gradient, and a text for the headline: the first op in the backward pass that sends zeros, if
    nothing that cancels keeps it from being whole."""
    steps, text = steps_of(q), "the slope is 0 here"
    stops = [one for one in steps if not one.upstream.zero and one.sent.zero and one.sent.size]
    own = {}
    for one in tape_steps(q) if stops else ():
        own.setdefault((one[INPUT], *output_ids(one)[:1]), []).append(one)
    sums = next((one for one in stops if cancels_within(one, own.get((one.source, one.outputs[0])))), None)
    if sums is not None or cancels(q, steps):
        event = op_at(q, sums)[1] if sums is not None else None
        return cause("FLAT", q, "cancel", line=event.place.text if event is not None else ""), text
    if not stops:
        return cause("FLAT", q, "unknown"), text
    step = stops[0]
    op, event = op_at(q, step)
    line, kind = event.place.text if event is not None else "", step.sent.dtype
    own = event is not None and event.op.kernel == "CustomGradient"
    if own and q.experiment is not None and q.experiment.unlike(0.0):
        return cause("FLAT", q, "own", op=op, line=line, sure="tried"), "a function's own gradient is 0 here"
    if underflows(step):
        return cause("FLAT", q, "small", op=op, line=line, kind=kind), f"what {op} sends is too small for {kind}"
    if event is not None and event.op.lists and step.local is not None and not step.local.zero:
        return cause("FLAT", q, "part", op=op, line=line), text
    factor = zero_factor(q, step, event) if event is not None else ""
    return cause("FLAT", q, "factor" if factor else "", op=op, line=line, factor=factor), text


def cancels(q, steps) -> bool:
    """Whether gradients that are not 0 arrive at the source, or on the way to it, and sum to 0 there."""
    zero = {one.outputs[0] for one in steps if one.upstream.zero}
    return any(one.source == q.source.id or one.source in zero for one in steps if not one.sent.zero)


def cancels_within(step, own) -> bool:
    """Whether an op, of which the tape has its `own` steps, sends zeros only because parts of what arrives cancel: with
    unequal weights, they do not."""
    upstream = step.upstream
    if not own or step.local is None or not upstream.whole or len(step.outputs) > 1:
        return False
    weights = 1.0 - np.arange(upstream.size).reshape(upstream.shape) * 0.6180339887 % 1.0 / 2
    weighed = (upstream.kept * weights).astype(upstream.dtype)
    return not any(Summary.of(one[VJP](weighed, *one[ARRAYS])).zero for one in own)


def underflows(step) -> bool:
    """Whether a step that sent zeros had an upstream and a slope that are both not 0, element by element."""
    both = [one for one in (step.upstream, step.local) if one is not None and one.whole]
    pair = [one for one in both if one.shape == step.sent.shape]
    return len(pair) == 2 and bool(np.any(np.logical_and(*[one.kept for one in pair])))


PRODUCTS = {"Mul", "MatMul", "BatchMatMulV2", "Einsum"}


def zero_factor(q, step, event) -> str:
    """The other factor of a product, as text, if it is 0 everywhere; otherwise ""."""
    if event.op.kernel not in PRODUCTS:
        return ""
    factors = list(event.inputs)
    if step.source in factors:
        factors.remove(step.source)  # only once: in `w * w` the other factor is also w
    values = {number: value_of(q, number, event) for number in factors}
    zero = next((number for number, value in values.items() if value is not None and value.zero), None)
    name = q.names.of(zero, "") if zero else ""
    kept = [array for one in steps_like(q, step) for array in one[ARRAYS] if isinstance(array, np.ndarray)]
    if zero is None and not (0 in factors and 0.0 in event.numbers.values()) and all(map(np.any, kept)):
        return ""
    return f"{name}, which is 0 here" if name else "0"


def value_of(q, number, event):
    """The Summary of an op's input, from the log or from a Tensor that a name still leads to; None if unknown."""
    if event is None:
        return Summary.of(convert(q.source).value) if number == q.source.id and stale(q) is None else None
    trace, version = q.history.trace, event.versions.get(number)
    if version is not None:
        return trace.value_of(number, version)
    maker, tensor = trace.made.get(number), q.names.held.get(number)
    value = maker.value_of(number) if isinstance(maker, Ran) else getattr(maker, "value", None)
    if value is not None and value.known:
        return value
    return Summary.of(tensor.value) if isinstance(tensor, Tensor) else None


def steps_like(q, step):
    """The tape's own steps that match this one; none if neither the tape nor the trace has them any more."""
    return [one for one in tape_steps(q) if one[INPUT] == step.source and step.outputs[0] in output_ids(one)]


def op_at(q, step):
    """The name of the op that a step belongs to, and the event of its run, or None if the trace does not know it."""
    event = q.history.trace.made.get(step.outputs[0]) if q.history is not None else None
    if isinstance(event, Ran):
        return name_of(event), event
    names = {vjp: name for name, op in OPS.items() for vjp in op.vjps.values() if vjp}
    return next((names.get(one[VJP], "an op") for one in steps_like(q, step)), "an op"), None


def name_of(event):
    """The name of an op; of a function with a gradient of its own, that of the function."""
    return (called_text(event.place) if event.op.kernel == "CustomGradient" else "") or event.name
