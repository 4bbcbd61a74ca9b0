"""Build a film from a log or from a bare tape: the frames that ran, in order, and the readings (backward passes).

With a trace, every op is known with its line, recorded or not. Without one, only the ops that the tape recorded are known,
unless the tape is used up. Both cases give the same `Frame`s and `Reading`s, from which the view model is made.
"""

import builtins
import itertools
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import unwrap
from typing import Any

import numpy as np

from ..engine.backward import INPUT, TENSORS, VJP, output_ids
from ..engine.listening import listeners_only
from ..engine.operands import OPS
from ..engine.writing import Declaration, parameters
from ..errors import visible
from ..explain.causes import CODES
from ..explain.question import slopes_now
from ..explain.search import History, input_name, number_of, vjp_of
from ..tracing import log
from ..tracing.kept import arrays_in, kept_by, kept_in, together
from ..tracing.log import Asked, EnteredEngine, Failed, LeftEngine, Ran, Refused, Repeats, StepBack, Steps, TapeEvent, Watched, Wrote
from ..tracing.source import assigned_name, called_text
from ..tracing.values import Summary, as_one, brief

MOST_READINGS = 4  # shown for one tape, unless a target is given
OWN = "backward"  # what a step of a custom gradient keeps: a function of the user's, which refers to anything


@dataclass(slots=True, eq=False)
class Frame:
    """An op that ran, or a value that left for NumPy and came back."""

    op: str
    inputs: list  # the node of each: a Tensor's number, a Variable's number and version, ("left", k) or None
    outputs: tuple
    value: "Summary | None" = None
    place: object = None
    event: object = None
    numbers: dict = field(default_factory=dict)  # maps the position of an input to the Python number that was given
    slots: dict = field(default_factory=dict)  # maps each tape to the inputs for which it recorded a step
    keeps: dict = field(default_factory=dict)  # maps each tape to what it keeps, as `kept_in` does; None for unknown bytes
    ghost: "tuple | None" = None  # (code, a few words, a sentence) if no tape of the film recorded it
    by: "tuple | None" = None  # the (reading, frame) whose backward pass ran this op
    on_way: bool = False
    kernel: str = ""
    names: tuple = ()  # the parameter names of the inputs, if there is no event
    op_made: object = None  # the op, if known
    kind: str = "op"  # or "assign" (it writes a Variable), or "crash" (it raised an error)
    unnamed: bool = False  # its value is not, or not for certain, what its line assigns

    def parameter(self, slot) -> str:
        """The parameter name of an input."""
        return self.names[slot] if slot < len(self.names) else input_name(self.op_made, slot, len(self.inputs))

    @property
    def shown(self) -> dict:
        """The outputs that its column shows, with their values: of several, those that can have a gradient, if there are any."""
        values = dict(zip(self.outputs, self.event.values)) if isinstance(self.event, Ran) else dict.fromkeys(self.outputs)
        return {n: one for n, one in values.items() if one and one.dtype.kind in "fc"} or values


@dataclass(slots=True, eq=False)
class Part:
    """The gradient that a reading sent to one input."""

    slot: int
    to: int
    product: Summary
    local: "Summary | None"


@dataclass(slots=True, eq=False)
class Read:
    """A frame that the backward pass went through."""

    frame: int
    upstream: Summary
    parts: list


@dataclass(slots=True, eq=False)
class Reading:
    """A gradient requested from a tape, and its backward pass."""

    tape: int
    targets: tuple
    sources: tuple
    answers: dict  # maps the number of a source to a Summary or None
    place: object = None
    released: bool = False
    error: "str | None" = None
    raised: "int | None" = None  # the frame whose backward step raised it, if known
    sparse: tuple = ()  # the sources whose gradient is IndexedSlices
    heard: bool = True  # False if the trace had ended by then
    in_rows: bool = False  # whether it is a Jacobian, with a row for each gradient
    reads: list = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Mark:
    """An event between two frames: a "watch", a "pause" of a tape, or a Variable made from a value ("create"), which breaks a path."""

    kind: str
    at: int  # the frame that follows
    number: int  # of the Variable, Tensor or tape
    place: object


@dataclass(slots=True, eq=False)
class Film:
    """Everything there is to draw. Its steps are ("write", frame), ("turn", reading), ("read", reading, frame), ("done" or "error",
    reading) and ("release", tape)."""

    tape: int  # the number of the inspected tape
    tapes: dict = field(default_factory=dict)  # maps the number of each, in order of opening, to the event that opened it, if known
    frames: list = field(default_factory=list)
    readings: list = field(default_factory=list)
    marks: list = field(default_factory=list)
    repeats: dict = field(default_factory=dict)  # a frame -> the places of the events Repeats before it
    steps: list = field(default_factory=list)
    roots: list = field(default_factory=list)
    made: dict = field(default_factory=dict)  # the node of a Tensor -> the frame that made it
    values: dict = field(default_factory=dict)  # other known values: of Variables and watched Tensors
    history: "History | None" = None
    ways: list = field(default_factory=list)  # the edges of the history on a path from a source to the target
    cut: bool = False  # whether the log has dropped its first events
    gone: set = field(default_factory=set)  # the tapes that do not exist any more
    earlier: "dict | None" = None  # what steps keep that no frame is for, as in Frame.keeps; None if unknown
    left_out: int = 0  # steps of the tape, or events of the log, before the first one shown
    traced: bool = False
    asked: bool = False  # whether it is about a target that was given: a reading of another tape is no answer then

    @property
    def last(self) -> "Reading | None":
        """The last reading whose targets are known: of the inspected tape, if it was asked or is asked now."""
        known = [one for one in self.readings if one.targets and (one.tape == self.tape or not self.asked)]
        return max(reversed(known), key=lambda one: one.tape == self.tape, default=None)

    def exit_of(self, edge):
        """The node of the value that left and came back along an edge; None if the film does not show it."""
        node = edge.by and ("left", edge.by.number)
        return node if node in self.made else None

    def value_of(self, node) -> "Summary | None":
        """The value of a Tensor, or of a version of a Variable; None if it is unknown."""
        if node in self.made and self.frames[self.made[node]].outputs == (node,):
            return self.frames[self.made[node]].value
        if self.history and isinstance(node, tuple):
            return self.history.trace.value_of(*node) or self.values.get(node)
        maker = self.history and self.history.maker(node)
        return (maker.value_of(node) if isinstance(maker, Ran) else getattr(maker, "value", None)) or self.values.get(node)


# ---- from the log ------------------------------------------------------------------------------------------------------


def film_of_log(trace, tape, targets, sources, every, lossless, experiments) -> Film:
    """The film of one tape, and of the tapes opened in its block.

    Args:
        targets, sources: the Tensors and Variables of the request; empty if they are unknown.
        every: show the last readings of this tape, whatever their targets and sources.
        lossless: whether it is known that no path from the sources to the targets is broken.
        experiments: maps the number of a source to the Experiment that shows which values left and came back.
    """
    events, history = tuple(trace.events), History(trace, tape, [one.id for one in sources])
    wanted = {one.id for one in targets}
    film = Film(tape.number, history=history, cut=trace.cut, left_out=trace.left_out, traced=True, asked=not every)
    refusals, own = [e for e in trace.every(Refused) if e.tape == tape.number], history.questions[-MOST_READINGS:]
    if wanted and not every:
        own = [e for e in history.questions if set(e.targets) == wanted and {one.id for one in sources} & set(e.sources)]
    first = history.forgotten or history.opened
    ends = [e for e in history.tape_events if e.what in ("opened", "closed")]
    closed = ends[-1].number if ends and ends[-1].what == "closed" else trace.count
    last = max([closed, *[e.number for e in (*own, *refusals)]])
    film.ways = ways_of(trace, tape, targets, sources, experiments) if targets and not lossless else []
    on_ways: dict = {}
    exits: dict = {}  # of a value that left -> the events by which it came back
    for edge in sorted(film.ways, key=lambda one: one.event.number):
        on_ways.setdefault(edge.event.number, []).append(edge)
        if edge.by is not None:
            exits.setdefault(edge.by.number, []).append(edge.event)
    opened = [e for e in trace.every(TapeEvent) if e.what == "opened" and first <= e.number <= closed]
    film.tapes = {tape.number: None, **{e.tape: e for e in opened}}
    others = film.tapes.keys() - {tape.number}
    film.gone = {number for number in others if number in trace.tapes and trace.tapes[number]() is None}
    questions = [e for e in trace.every(Asked) if e in own or (e.tape in others and e.number <= last)]
    refused = [e for e in refusals if every or not wanted or {*e.targets} <= wanted]  # a used-up tape does not look at them
    heard: list[Any] = [*questions, *refused]

    def matters(e):
        if isinstance(e, (Asked, Refused)):
            return e in heard
        if not history.opened and e.number not in on_ways:  # the log began later, or has dropped its first events
            return isinstance(e, Repeats) or (isinstance(e, Ran) and tape.number in e.recorded)
        return first <= e.number <= (last if isinstance(e, Wrote) else closed) or e.number in on_ways or e.number in exits

    builder = Builder(film, history, on_ways, exits, kept_by([tape.steps or (), *[one.whole for one in trace.passes]]))
    told = [*[(e.number, e) for e in (*filter(matters, events), *trace.steps_of(heard))], *[(e.began, reading_of(e)) for e in heard]]
    for _, e in sorted(told, key=lambda one: one[0]):
        if type(e) in HEARD:
            getattr(builder, HEARD[type(e)])(e)
    steps = tape.steps or next((one.whole for one in trace.passes if one.tape() is tape), ())
    film.earlier = kept_besides(film, steps) if steps or history.opened else None
    name_apart(film.frames)
    film.roots += [n for n in history.sources if n not in film.roots]
    return film


def ways_of(trace, tape, targets, sources, experiments):
    """The edges on paths from the sources to the targets; the Experiment of a source counts only for its own paths."""
    found, others = {}, [one.id for one in sources if one.id not in experiments]
    for numbers, experiment in [*[([number], one) for number, one in experiments.items()], (others, None)]:
        if numbers:
            history = History(trace, tape, numbers, experiment)
            found.update({(edge.start, edge.end, edge.event.number, edge.code): edge for edge in history.ways(history.nodes(targets))})
    return [*found.values()]


def name_apart(frames):
    """Give each op of one call its own name: `matvec` runs three ops, and the last one returns its result."""
    calls = {}  # code -> the instruction that it has come to (and the layer that it calls there), and the ops that ran there
    for frame in frames:
        code, *at = frame.event.code, frame.event.instruction, frame.event.call[-1]
        if code in calls and calls[code][0] != at:
            name_parts(calls.pop(code)[1])
        if isinstance(frame.event, (Ran, Failed)) and frame.op_made:
            calls.setdefault(code, (at, []))[1].append(frame)
        if frame.kind == "crash" and code in calls:
            name_parts(calls.pop(code)[1])
    for _, ops in calls.values():
        name_parts(ops)


def name_parts(ops):
    """Name the ops of one call, or of one statement that runs again and again. Only the last one can be its result.

    (That of `foldl` is made by the function that it calls; of Python's own functions, `sum` adds and `max` compares.)
    """
    compares = ops[-1].value is not None and ops[-1].value.dtype.kind == "b"
    if len(ops) == 1 and not compares:
        return
    several, own = len({one.kernel for one in ops}) > 1, all(one.event.called in ("", one.op_made.__name__) for one in ops)
    by_python = called_text(ops[-1].place) in vars(builtins)
    if by_python or (len(ops) > 1 and not own):
        for frame in ops:
            frame.op = log.public_name(frame.op_made.__name__)
            frame.unnamed = frame is not ops[-1] or not (several or by_python) or (by_python and compares)


class Builder:
    """Builds the frames, one event at a time."""

    def __init__(self, film, history=None, on_ways=(), exits=(), steps=()):
        self.film, self.history, self.on_ways, self.exits, self.steps = film, history, on_ways, exits, dict(steps)
        self.sizes = {number: (key, size) for kept in self.steps.values() for key, (some, _, size) in kept.items() for number in some}
        self.alias = {}  # the Tensor of a Variable that was read, or of a value that came back -> its node
        self.open_readings = []  # the readings in progress
        self.pending = []  # frames that ran for its next backward step
        self.group = None  # the Read in progress

    def mark(self, kind, number, e):
        self.film.marks.append(Mark(kind, len(self.film.frames), number, e.place))

    def watched(self, e):
        if e.tape in self.film.tapes and e.called == "watch":  # and not by a function of the library
            self.film.roots.append(e.source)
            self.mark("watch", e.source, e)

    def tape_event(self, e):
        if e.what == "paused" and e.tape in self.film.tapes:
            self.mark("pause", e.tape, e)

    def repeated(self, e):
        self.film.repeats.setdefault(len(self.film.frames), []).append(e.place)

    def node(self, number, versions):
        node = self.history.node(number, versions)
        return self.alias.get(node, node)

    def ran(self, e):
        film, op, numbers, versions = self.film, e.op, e.numbers, e.versions
        if op.kernel == "ReadVariableOp" and e.inputs and e.inputs[0] in versions:
            self.alias[e.outputs[0]] = (e.inputs[0], versions[e.inputs[0]])
            film.values.setdefault(self.alias[e.outputs[0]], e.value)
            return
        inputs = [self.node(i, versions) if i else None for i in e.inputs]
        for edge in self.on_ways.get(e.number, ()):  # a number that came back
            slot = next((k for k in numbers if inputs[k] is None), None)
            if slot is not None and edge.code == "LEFT_ENGINE":
                inputs[slot] = film.exit_of(edge) or edge.start
        frame = Frame(e.name, inputs, e.outputs, e.value, e.place, e, numbers, kernel=op.kernel, op_made=op)
        for tape, live in e.recorded.items():
            slots = [k for k, i in enumerate(e.inputs) if (live is e.inputs or i in live) and vjp_of(op, k, len(e.inputs))]
            forgotten = tape == film.tape and e.number <= self.history.forgotten
            if slots and tape in film.tapes and op.kernel != "StopGradient" and not forgotten:
                frame.slots[tape], frame.keeps[tape] = slots, self.kept(e, slots)
        frame.on_way, frame.ghost = e.number in self.on_ways, None if frame.slots else self.ghost(e)
        self.add(frame)

    def kept(self, e, slots) -> dict:
        """What the steps of an op keep, as in Frame.keeps; of one that is gone, what is declared."""
        found = [(slot, self.steps.get((e.inputs[slot], *e.outputs[:1]))) for slot in slots]
        return together(itertools.chain(*[self.declared(e, slot) if held is None else held.items() for slot, held in found]))

    def declared(self, e, slot):
        """(key, value) of what the VJP of this input is declared to need."""
        names = [input_name(e.op, k, len(e.inputs)) for k in range(len(e.inputs))]
        by_products, signature = e.op.by_products, declaration_of(e.op)
        for wish in signature.needs[names[slot]][1:]:
            if wish in (*by_products, OWN):
                yield (e.outputs[0], wish), ((None,), wish, None)
            for one in (wish, *(parameters(by_products[wish]) if wish in by_products else ())):  # from which it is recomputed
                for number in [e.numbers.get(k, 0.0) for k, name in enumerate(names) if name == one and not e.inputs[k]]:
                    yield (number, e.value.dtype), ((0,), brief(number, 6), e.value.dtype.itemsize)
                inputs = [number for name, number in zip(names, e.inputs) if name == one and number]
                for number in e.outputs if one == signature.output else inputs:
                    node = self.node(number, e.versions)
                    key, size = self.sizes.get(node, (node, None))
                    yield key, ((number,), one, size)

    def add(self, frame):
        film = self.film
        film.made.update(dict.fromkeys(frame.outputs, len(film.frames)))
        if self.open_readings:
            self.pending.append(frame)
        film.steps.append(("write", len(film.frames)))
        film.frames.append(frame)

    def ghost(self, e):
        """Why no tape recorded it: a code, a few words and a sentence."""
        codes = [self.history.code_for(e, k, i, kind) for k, (i, kind) in enumerate(zip(e.inputs, e.kinds)) if i]
        codes = [code[0] for code in codes if code]
        reached = any(i in self.history.sources or self.reaches(i, e) for i in e.inputs if i)
        code = next((code for code in codes if reached or code in ("OUTSIDE_TAPE", "SPENT_TAPE", "STOPPED", "OTHER_TAPE")), None)
        words = "nothing watched" if reached else "constants only"
        return CODES[code].unrecorded if code else (None, words, "Nothing that the tape watches goes in.")

    def reaches(self, number, e):
        """Whether this Tensor depends on a source, recorded or not."""
        node = self.node(number, e.versions)
        k = self.film.made.get(node)
        if k is None:
            return isinstance(node, tuple) or any(number in live for live in e.recorded.values())
        frame = self.film.frames[k]
        return frame.slots or frame.on_way or frame.ghost[0]

    def left(self, e):
        """Add a ghost for a value that left: what came back, named by how it left, with `...` for whatever happened there."""
        if e.number not in self.exits:
            return
        left, called = e.given and e.given.content, (e.exit == "NumPy" and called_text(e.place)) or e.exit.removesuffix("()").lower()
        values = [value_back(back) or left for back in self.exits[e.number]]
        named = e.exit != "NumPy" and assigned_name(e.place, items=False)  # then this name has the value that left
        same = named or any(value is not None and value.is_known_to_be(left) for value in values)
        frame = Frame("numpy" if same else f"{called} ...", [self.node(e.tensor, e.versions)], (("left", e.number),))
        frame.value, frame.place, frame.event, frame.on_way = left if same else values[0], e.place, e, True
        frame.ghost, frame.unnamed = CODES["LEFT_ENGINE"].unrecorded, not same
        self.alias.update((back.tensor, ("left", e.number)) for back in self.exits[e.number] if isinstance(back, EnteredEngine))
        self.add(frame)

    def wrote(self, e):
        """Add a frame for an assignment: its inputs are the given value and the previous version of the Variable."""
        if e.how == "Variable":
            if e.number in self.on_ways:
                self.mark("create", e.variable, e)
            return
        came = [self.film.exit_of(edge) for edge in self.on_ways.get(e.number, ())]
        given = [self.node(e.source, e.versions)] if e.source else filter(None, came)
        inputs = [*given, (e.variable, e.version - 1)]  # at last the previous version of the Variable
        more = dict(ghost=CODES["STATE"].unrecorded, on_way=e.number in self.on_ways, kind="assign")
        self.add(Frame(e.how, inputs, ((e.variable, e.version),), e.value, e.place, e, **more))

    def crashed(self, e):
        """Add a frame for an op that raised an error."""
        if self.film.tape not in e.tapes:
            return
        inputs, op = [self.node(n, e.versions) for n, _ in e.given if n], None if isinstance(e.op, str) else e.op
        name, told = log.public_name(op.__name__) if op else e.op, (None, "raised", e.error)
        self.add(Frame(name, inputs, (("crash", e.number),), None, e.place, e, ghost=told, op_made=op, kind="crash"))

    # ---- reading back --------------------------------------------------------------------------------------------------

    def begin(self, reading):
        if self.open_readings:  # a VJP asks a tape of its own
            self.settle(self.open_readings[-1])
        self.open_readings.append(len(self.film.readings))
        self.film.steps.append(("turn", len(self.film.readings)))
        self.film.readings.append(reading)
        self.group, self.pending = None, []

    def passed_back(self, e):
        frame = self.film.made.get(e.outputs[0])
        if not self.open_readings or frame is None:  # no frame: the read of a Variable, which is not shown
            self.pending = []
            return
        k, slot = self.open_readings[-1], None
        if self.group is not None and self.group.frame == frame:
            slot = slot_of(self.film.frames[frame], e.source, self.group.parts)
        if slot is None:  # another frame, or another pass
            self.settle(k)
            self.group, slot = Read(frame, e.upstream, []), slot_of(self.film.frames[frame], e.source)
            self.film.readings[k].reads.append(self.group)
        self.work(k, frame)
        self.group.parts.append(Part(slot or 0, e.source, e.sent, e.local))

    def work(self, k, frame):
        """Attribute the ops that ran since the last step to this step."""
        for one in self.pending:
            one.by = one.by or (k, frame)
        self.pending = []

    def settle(self, k):
        if self.group is not None:
            self.film.steps.append(("read", k, self.group.frame))
            self.group = None

    def end(self):
        k = self.open_readings.pop()
        reading = self.film.readings[k]
        self.settle(k)
        self.work(k, None)
        value, seed = (self.film.frames[reading.reads[0].frame].value, reading.reads[0].upstream) if reading.reads else (None, None)
        several = len({read.frame for read in reading.reads}) < len(reading.reads)
        reading.in_rows = (several and not reading.error) or (value is not None and len(value.shape) < len(seed.shape))
        if several:
            reading.reads = in_one_pass(reading.reads, reading.error)
            reading.heard = bool(reading.reads)
            steps = [step for step in self.film.steps if step[:2] != ("read", k)]
            self.film.steps = [*steps, *[("read", k, read.frame) for read in reading.reads]]
        reading.raised = raised_in(self.film, reading) if reading.error else None
        self.film.steps.append(("error" if reading.error else "done", k))
        return reading

    def asked(self, e):
        reading = self.end()
        reading.raised = None if e.number == e.began + 1 else reading.raised  # no pass began: the question itself was refused
        if e.released:
            self.film.steps.append(("release", e.tape))


HEARD = {  # an event -> the method that handles it
    Ran: "ran", LeftEngine: "left", Watched: "watched", TapeEvent: "tape_event", Wrote: "wrote", Failed: "crashed", Repeats: "repeated",
    Reading: "begin", StepBack: "passed_back", Asked: "asked", Refused: "asked",
}  # fmt: skip


def reading_of(e) -> Reading:
    """The Reading of an event: its targets, its sources and their gradients."""
    if isinstance(e, Refused):
        return Reading(e.tape, e.targets, e.sources, {}, e.place, e.released, e.error)
    sparse = tuple([n for n, dx, made in zip(e.sources, e.slopes, e.results) if dx and not made])
    return Reading(e.tape, e.targets, e.sources, dict(zip(e.sources, e.slopes)), e.place, e.released, sparse=sparse)


def in_one_pass(reads, error) -> list:
    """The passes of a Jacobian, one for each row, as a single pass with all rows; empty if some of their arrays are gone.
    If there was an error, only the pass that raised it."""
    starts = [k for k, read in enumerate(reads) if read.frame == reads[0].frame]  # where a pass begins, at the target
    passes = [{read.frame: read for read in reads[a:b]} for a, b in itertools.pairwise([*starts, len(reads)])]
    if error:
        return [*passes[-1].values()]
    made = []
    for frame in sorted({read.frame for read in reads}, reverse=True):
        own = [one.get(frame) for one in passes]
        parts = [{part.slot: part for part in read.parts} if read else {} for read in own]
        known = {slot: part for some in parts for slot, part in some.items()}
        products: dict[int, Any] = {slot: stacked([one[slot].product if slot in one else None for one in parts]) for slot in known}
        upstream = stacked([read and read.upstream for read in own])
        if upstream is None or None in products.values():
            return []
        made.append(Read(frame, upstream, [Part(slot, part.to, products[slot], part.local) for slot, part in known.items()]))
    return made


def stacked(rows) -> Any:
    """The values of all rows as one; a row without a value is 0. None if the array of one is gone."""
    arrays: list[Any] = [None if one is None else one.array for one in rows]
    zeros: Any = next((np.zeros_like(one) for one in arrays if one is not None), None)
    gone = any(array is None is not one for array, one in zip(arrays, rows))
    return None if gone else Summary.of(np.stack([zeros if one is None else one for one in arrays]))


def value_back(back) -> "Summary | None":
    """The value that came back, which an op may have used as a Python number."""
    if isinstance(back, EnteredEngine):
        return back.value
    return next(map(Summary.of, back.numbers.values()), None) if isinstance(back, Ran) else None


def slot_of(frame, source, parts=()):
    """The input that a backward step was for; the inputs of an op are processed from last to first. None: there is none left."""
    numbers = frame.event.inputs if isinstance(frame.event, Ran) else frame.inputs
    end = parts[-1].slot if parts else len(numbers)
    return next((k for k in reversed(range(end)) if numbers[k] == source), None)


def raised_in(film, reading) -> "int | None":
    """The frame whose step raised: of those that a gradient has come to, the last that has not sent it on to each of its inputs."""
    leads, open_slots, came, frames = {*reading.sources}, [], {*reading.targets}, film.frames
    for frame in frames:
        open_slots.append({slot for slot in frame.slots.get(reading.tape, ()) if number_of(frame.inputs[slot]) in leads})
        leads.update(frame.outputs if open_slots[-1] else ())
    for read in reading.reads:
        open_slots[read.frame] -= {part.slot for part in read.parts}
        came |= {frames[read.frame].inputs[part.slot] for part in read.parts}
    last = min((read.frame for read in reading.reads), default=len(frames) - 1)
    return next((k for k in range(last, -1, -1) if open_slots[k] and not came.isdisjoint(frames[k].outputs)), None)


declaration_of = lru_cache(maxsize=1000)(Declaration)


def kept_besides(film, steps) -> dict:
    """What the steps keep for which the film has no frame."""
    return together(one for step in steps if not film.made.keys() >= {*output_ids(step)} for one in kept_in(step).items())


# ---- from the tape alone -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def owners(count):
    """Map each VJP to its op and the name of the input."""
    return {vjp: (op, key[1:]) for op in reversed(OPS.values()) for key, vjp in op.vjps.items() if vjp}


def film_of_tape(tape, most) -> Film:
    """The film of what a tape has recorded, unless it is used up; at most the last `most` steps."""
    film = Film(tape.number, tapes={tape.number: None}, roots=sorted(tape.roots), left_out=max(0, len(tape.steps or ()) - most))
    for step in (tape.steps or ())[-most:]:
        outputs = output_ids(step)
        op, name = owners(len(OPS)).get(vjp := unwrap(step[VJP]), (None, ""))
        op = op if vjp is step[VJP] or op is None else op.by_kind.get("c", op)
        frame = film.frames[-1] if film.frames and film.frames[-1].outputs == outputs else None
        if frame is None:
            called = log.public_name(op.__name__) if op else "custom gradient"
            frame = Frame(called, [], outputs, slots={tape.number: []}, keeps={tape.number: {}}, kernel=op.kernel if op else "", op_made=op)
            Builder(film).add(frame)
        frame.slots[tape.number].append(len(frame.inputs))
        frame.inputs.append(step[INPUT])
        frame.names += (name,)
        frame.keeps[tape.number] = together([*frame.keeps[tape.number].items(), *kept_in(step).items()])
        film.values.update((number, Summary.of(array)) for number, array in arrays_in(step[TENSORS]) if number)
    for frame in film.frames:
        known = [film.values.get(one) for one in frame.outputs]
        frame.value = None if None in known else as_one(known)
    film.earlier = kept_besides(film, tape.steps or ())
    return film


def read_again(tape, targets, sources, given, most):
    """The gradients, the seeds, and the backward steps over the last `most` steps of the tape, which is not used up."""
    steps = Steps({one for step in tape.steps[-most:] for one in output_ids(step)})
    with listeners_only(steps):
        slopes, seeds = slopes_now(tape, targets, sources, given)
    return slopes, seeds, steps.heard


def add_unheard(film, tape, wanted):
    """Add the reading that used up the tape while no trace was running, with the gradients that still exist."""
    targets, sources, answers = tape.last_question
    if tape.steps is not None or not targets or film.readings or not wanted <= {*sources}:
        return
    found = [None if one is None else one() for one in answers]
    with listeners_only():
        there = [(n, one) for n, one, was in zip(sources, found, answers) if was is None or one is not None]
        known = {n: None if one is None else Summary.of(one) for n, one in there}
    read(film, Reading(tape.number, tuple(targets), tuple(sources), known, released=True, heard=False))


def add_reading(film, targets, slopes, steps):
    """Add a reading that the user did not request."""
    problem = next((one for one in slopes.values() if isinstance(one, Exception)), None)
    error = problem and f"{type(problem).__name__}: {visible(problem)}"  # the error that the request itself would raise
    answers = {} if error else {n: None if slope is None else Summary.of(slope) for n, slope in slopes.items()}
    read(film, Reading(film.tape, tuple([one.id for one in targets]), tuple(slopes), answers, error=error), steps)


def read(film, reading, steps=()):
    """Add a reading, with its steps."""
    builder = Builder(film)
    builder.begin(reading)
    for step in steps:
        builder.passed_back(step)
    builder.end()
