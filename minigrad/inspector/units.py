"""Fold a long film into units: layers of a model, iterations of a loop, calls of a function, or stretches of ops."""

import bisect
import itertools
import math
from dataclasses import dataclass, field
from functools import partial

from ..explain.search import number_of
from ..tracing.loops import NOWHERE, calls_of, loops_of, spots_and_repeats, spots_of
from ..tracing.values import brief

MANY = 22  # columns; a longer film is folded
LEAST = 3  # the fewest iterations of a loop, or calls
SENT = 400  # as many frames are sent at once, and as many units named; a longer unit is sent on request
BUILD = "/(build)"  # the end of the module path of ops that ran while a layer made its weights
FAR = 1000  # the ratio between layers from which gradients count as vanishing or exploding


@dataclass(slots=True)
class Unit:
    """A stretch of frames that is drawn as one unit."""

    first: int
    end: int  # the first frame after it
    label: str = ""
    path: str = ""
    lead: int = 0  # its last frame whose value is used after it, or else its last one
    carries: bool = True  # whether the overview shows the output of that frame
    weights: list = field(default_factory=list)  # the numbers of the sources that are used in it
    built: int = 0  # the number of ops that made its weights, which are not shown
    iteration: int = 0  # the number of the iteration, from 1; 0 if it is none
    loops: int = 0  # the loops around an iteration, with its own


def units_of(model) -> "tuple[str, list[Unit]]":
    """The kind of fold, "layers", "iterations", "calls" or "ops", and its units; none for a short film."""
    frames = model.film.frames
    shown = [k for k in range(len(frames)) if k not in model.hidden]
    if len(shown) + len(model.source_ids) <= MANY or len(shown) < 8:
        return "", []
    spots = spots_and_repeats([frame.place for frame in frames], [model.film.repeats.get(k, ()) for k in range(len(frames))])
    kind, units = divided(model, shown, spots)
    units, before = list(refined(model, units, shown, spots)), 0
    if len(units) < 2:
        return "", []
    led: list[Unit] = []  # iterations of which something is used later
    asked, targets = {*model.asked_numbers()}, {model.film.made.get(node) for one in model.film.readings for node in one.targets}
    for unit in units:
        unit.first, before = before, unit.end  # between two units there are only hidden frames
        own = range(unit.first, unit.end)
        used = [k for k in own if model.last_use.get(k, -1) >= unit.end or k in targets]
        unit.lead = max(used, default=unit.end - 1)
        led += [unit] * (bool(used) and unit.iteration > 0)
        value = frames[unit.lead].value
        unit.carries = value is None or value.dtype.kind != "b"  # a truth value decides, and is no number of the curve
        ops = [frames[k] for k in own if k not in model.hidden and frames[k].kind == "op"]
        read = [number_of(node) for op in ops for node in op.inputs if isinstance(node, tuple) or node not in model.film.made]
        unit.weights = [*dict.fromkeys(number for number in read if number in asked)]
        unit.built = sum(k in model.hidden for k in own)
    if kind == "iterations" and led:
        lead_alike(model, units, led[-1].lead)
    return kind, units


def lead_alike(model, units, lead):
    """Let all iterations lead with the same array as this frame, known by its name or its line: the overview is one curve."""
    names = [model.frame_name(k) or (frame.place or ())[:2] for k, frame in enumerate(model.film.frames)]
    for unit in units:
        same = [k for k in range(unit.first, unit.end) if unit.iteration and names[k] == names[lead]]
        unit.carries, unit.lead = bool(same), max(same, default=unit.lead)


def divided(model, shown, spots, loops=0):
    """The kind of fold for some frames, and its units. (`loops`: of these, one iteration each is folded.)"""
    found = {"layers": layers, "iterations": partial(iterations, around=loops), "calls": calls}
    ways = ((kind, groups) for kind, group in found.items() if len(groups := group(model.film, shown, *spots)) >= LEAST)
    kind, groups = next(ways, ("ops", []))
    return kind, with_rest(model, groups, shown, kind)


def refined(model, units, shown, spots):
    """The units; a unit that is still long is divided again: a loop within a layer, a loop within a loop."""
    for unit in units:
        own = shown[bisect.bisect_left(shown, unit.first) : bisect.bisect_left(shown, unit.end)]
        kind, parts = divided(model, own, spots, unit.loops) if len(own) > MANY else ("ops", [])
        for part in refined(model, parts, own, spots) if kind != "ops" else ():
            part.label, part.path = f"{unit.label}, {part.label}", part.path or unit.path
            part.iteration = part.iteration or unit.iteration
            yield part
        if kind == "ops":
            yield unit


def layers(film, shown, *spots):
    """The calls of layers, at the first depth of the module path that has several."""
    called = {k: layers_around(getattr(film.frames[k].event, "module", "")) for k in shown}
    for depth in range(max(map(len, called.values()))):
        at = {k: around[depth] for k, around in called.items() if len(around) > depth}
        ids = {k: id(call) for k, call in at.items()}
        runs = [run for run in ([*some] for _, some in itertools.groupby(shown, ids.get)) if run[0] in at]
        if len(runs) >= LEAST:
            return [Unit(run[0], run[-1] + 1, at[run[0]].rpartition("/")[2], at[run[0]]) for run in runs]
    return []


def layers_around(call) -> list:
    """The calls of layers in which an op ran, the outermost first; without those that made weights."""
    return [*layers_around(call.around), *([] if BUILD in f"{call}/" else [call])] if call else []


def iterations(film, shown, spots, repeated, around=0):
    """The iterations of the loops that make up most of a film, of the outermost that do."""
    frames = [film.frames[k] for k in shown]
    ops = [(getattr(frame.event, "called", ""), getattr(frame.op_made, "__name__", "")) for frame in frames]
    once, outside = False, max(around, len(spots_of([film.history and film.history.opening])[0].loops))  # of these there is one iteration
    failed = {k for k, frame in enumerate(frames) if frame.kind == "crash"}
    every = enumerate(loops_of([spots[k] for k in shown], ops, [repeated[k] for k in shown], failed))
    for depth, loops in itertools.islice(every, outside, None):
        found, units = [one for one in loops if len(one[0]) > LEAST], []
        for bounds, skips, two in found:
            last = "the last " if shown[bounds[0]] == 0 and not film.history.opened else ""  # of those that the log still has
            of = f"of {last}{len(bounds) - 1}{' or more' * two}{' with ops' * skips}{' in all' * once}"
            for n, (a, b) in enumerate(itertools.pairwise(bounds), 1):
                units.append(Unit(shown[a], shown[b - 1] + 1, f"iteration {n} {of}", iteration=n, loops=depth + 1))
        if 2 * sum(bounds[-1] - bounds[0] for bounds, *_ in found) >= len(shown):
            return units
        once = any(len(bounds) == 2 for bounds, *_ in loops)  # or more often: with no op but those of this loop
    return []


def calls(film, shown, spots, *repeated):
    """The calls of the user's functions, numbered."""
    found = calls_of([spots[k] if film.frames[k].by is None else NOWHERE for k in shown], LEAST)
    return [Unit(shown[first], shown[last] + 1, name) for name, first, last in found]


def with_rest(model, groups, shown, kind):
    """The units, and short stretches for the frames that are in none of them, named after their last output."""
    units, at = [], shown[0]
    for group in [*groups, Unit(shown[-1] + 1, 0)]:
        free = shown[bisect.bisect_left(shown, at) : bisect.bisect_left(shown, group.first)]
        size = MANY if len(free) <= 60 * MANY else -(-len(free) // 60)
        for start in range(0, len(free), size):
            some = free[start : start + size]
            last = model.film.frames[some[-1]]
            label = last.event.called if last.kind == "assign" else model.frame_name(some[-1]) or last.op
            label = f"ops {model.numbers[some[0]]} to {model.numbers[some[-1] + 1] - 1}" if len(some) > 1 and kind == "ops" else label
            units.append(Unit(some[0], some[-1] + 1, label))
        units += [group] * bool(group.end)
        at = group.end
    return units


def fold_shown(model) -> "dict | None":
    """The overview: for each unit its frames, its value ("above"), and the gradient of that or of its weights ("below")."""
    kind, units = model.fold
    if not units:
        return None
    slopes, looped, named = model.final_slopes, kind == "iterations", kind in ("layers", "calls") and len(units) <= SENT
    carried = [model.film.frames[unit.lead].value if unit.carries else None for unit in units]
    sent = [slopes_of_weights(model, unit) if named else [] for unit in units]
    leads = [unit.lead for unit in units if unit.carries]
    names = {model.frame_name(k) for k in (leads[-1:] if looped else leads)}  # those of a loop are one
    carry = names.pop() if len(names) == 1 else None
    scalar = all(one is not None and one.shape == () for unit, one in zip(units, carried) if unit.carries)
    weighted = sum(map(bool, sent)) >= (1 if kind == "layers" else len(units) / 2) and len({(*one.weights,) for one in units}) > 1
    if not weighted:
        sent = [[slopes.get(f"f{unit.lead}")] if unit.carries else [] for unit in units]
    slope = "|grad|" if not scalar else f"d/d{carry}" if carry else "gradient"
    below = axis(model.norm, "|grad W|" if weighted else slope, sent, scalar and not weighted, weighted)
    if any(one is not None and one < 0 for one in below["numbers"]) and trend(model):  # so that the axis can be logarithmic
        below = axis(model.norm, f"|{below['name']}|", sent)
    data = {
        "kind": kind, "open": model.open_unit, "layered": weighted,
        "first": [unit.first for unit in units], "lead": [unit.lead for unit in units],
        "above": axis(model.norm, (carry or "value") if scalar else f"|{carry or 'value'}|", [[one] for one in carried], scalar), "below": below,
        "labels": [unit.label for unit in units] if len(units) <= SENT else None, "iterations": None,
        "ops": [model.numbers[unit.end] - model.numbers[unit.first] - unit.built for unit in units],
        "built": [unit.built for unit in units] if model.hidden else None,
    }  # fmt: skip
    if looped and len(units) > SENT:
        data["iterations"] = [unit.iteration for unit in units]
        data["loops"] = [[k, unit.label.rpartition(" of ")[2]] for k, unit in enumerate(units) if unit.iteration == 1]
    if named:
        data |= {"paths": [unit.path for unit in units], "pictures": [model.array(value) for value in carried]}
    return data


def slopes_of_weights(model, unit) -> list:
    """The gradients of the sources that are used in a unit: as answered, or what has come to them until an error."""
    given, slopes = model.film.last.answers if model.film.last else {}, model.final_slopes
    return [given[number] if number in given else slopes.get(model.column_of(number)) for number in unit.weights]


def axis(norm, name, arrays, signed=False, bars=False) -> dict:
    """The largest norm in each unit, the units with a nan or inf, and an axis, logarithmic for bars or if the numbers differ widely."""
    norms = [[one if signed else abs(one) for one in map(norm, some) if one is not None] for some in arrays]
    numbers, odd = [max(some, default=None) for some in norms], [k for k, some in enumerate(arrays) if len(norms[k]) < len(some)]
    bad = [k for k in odd if any(one is not None and not one.finite for one in arrays[k])]
    known = [one for one in numbers if one is not None]
    sizes = [abs(one) for one in known if one]
    log = bool(sizes) and (bars or (max(sizes) / min(sizes) > FAR and min(known) >= 0))
    low, high = (math.floor(math.log10(min(sizes))), math.ceil(math.log10(max(sizes)))) if log else (min([0, *known]), max([0, *known]))
    return {"name": name, "numbers": numbers, "bad": bad, "log": log, "low": low, "high": high if high > low else low + 1}


def trend(model) -> str:
    """A phrase if the gradients vanish or explode from unit to unit in the backward pass; empty if they do not."""
    kind, units = model.fold
    if kind not in ("layers", "iterations", "calls") or not model.film.readings:
        return ""
    counted = [unit for unit in units if unit.carries]
    led = [slopes_of_weights(model, unit) if kind == "layers" else [model.final_slopes.get(f"f{unit.lead}")] for unit in counted]
    norms = [[*map(model.norm, some)] for some in led]
    alike, ops = len({unit.label for unit in units}) < len(units), model.numbers  # of two loops, say
    names = [unit.label + f" (ops {ops[unit.first]} to {ops[unit.end] - 1})" * alike for unit in counted]
    largest = [(max(abs(one) for one in some if one is not None), name) for some, name in zip(norms, names) if {*some} - {None}]
    sizes = [one for one in largest if one[0]]
    if len(sizes) < LEAST:
        return ""
    (first, start), (last, end) = sizes[0], sizes[-1]
    if max(first, last) < FAR * min(first, last):
        return ""
    what, word = "largest |gradient| of its weights" if kind == "layers" else "|gradient|", "vanishing" if first < last else "exploding"
    gone = ", and is 0 before" * (not largest[0][0]) + ", and is 0 after" * (not largest[-1][0])
    return f"{word}: the {what} goes from {brief(last)} in {end} to {brief(first)} in {start}{gone}"


def in_order_of_need(model) -> list:
    """The units that may be sent at first: the open one, the first, the last, and the others by how near they are to the open one."""
    units, opened = model.fold[1], model.open_unit
    order = sorted(range(len(units)), key=lambda k: (k not in (opened, 0, len(units) - 1), abs(k - opened)))
    return [k for k in order if units[k].end - units[k].first <= SENT]
