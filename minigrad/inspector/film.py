"""From a log, or from a bare tape, to a film: the frames that ran, in the order of time, and the readings.

With a trace every op is known, recorded or not, with its line. Without one, the steps of a tape that is not used up tell
what it has recorded; nothing more is known then. Both become the same `Frame`s and `Reading`s, which the model draws.
"""

import inspect
import itertools
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ..engine.backward import ARRAYS, INPUT, TENSORS, VJP, output_ids
from ..engine.listening import listeners_only
from ..engine.op import OPS
from ..engine.tensor import Tensor
from ..engine.writing import Declaration, parameters
from ..errors import visible
from ..explain.question import slopes_now
from ..explain.search import History, input_name, vjp_of
from ..tracing.log import Asked, EnteredEngine, Failed, LeftEngine, Ran, Refused, StepBack, Steps, TapeEvent, Watched, Wrote, slope_of
from ..tracing.source import called_text
from ..tracing.values import Summary

MOST_READINGS = 4  # of one tape, if nobody said which
DOORS = ("numpy", "float", "int", "bool", "asarray", "array")  # ways out that are no work of NumPy


@dataclass(slots=True, eq=False)
class Frame:
    """An op that ran (or a value that left for NumPy and came back).

    Attributes:
        inputs: the node of each input: a Tensor's number, a Variable's number and version, ("left", k) or None.
        numbers: which input -> the Python number that was given.
        slots: the tape -> the inputs along which it has written a step.
        keeps: the tape -> what it keeps: (name, key of the array, bytes).
        ghost: (code, a few words, a sentence) if the tape that is looked at has not written it.
        by: (reading, frame) that this op is work of.
        kind: an "assign" writes a Variable, a "crash" raised an error.
    """

    op: str
    inputs: list
    outputs: tuple
    value: "Summary | None" = None
    place: object = None
    event: object = None
    numbers: dict = field(default_factory=dict)
    slots: dict = field(default_factory=dict)
    keeps: dict = field(default_factory=dict)
    ghost: "tuple | None" = None
    by: "tuple | None" = None
    on_way: bool = False
    kernel: str = ""
    names: tuple = ()  # of the parameters that the inputs are, where no event tells
    op_made: object = None  # the op, where it is known
    kind: str = "op"  # or "assign", or "crash"


@dataclass(slots=True, eq=False)
class Part:
    """What a reading sent to one input."""

    slot: int
    to: int
    product: Summary
    local: "Summary | None"


@dataclass(slots=True, eq=False)
class Read:
    """A frame that was read back."""

    frame: int
    upstream: Summary
    parts: list


@dataclass(slots=True, eq=False)
class Reading:
    """A question to a tape, and what it read."""

    tape: int
    targets: tuple
    sources: tuple
    answers: dict  # the number of a source -> a Summary, or None
    place: object = None
    released: bool = False
    error: "str | None" = None
    sparse: tuple = ()  # of the sources, those whose gradient is IndexedSlices
    heard: bool = True  # or was the trace over by then?
    reads: list = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Mark:
    """Something between two frames: a "watch", the "pause" of a tape, or a Variable that is made of a value ("create")."""

    kind: str
    at: int  # before which frame
    number: int  # of the Variable or Tensor
    place: object
    cut: bool = False  # does it end a way that a gradient would have had?


@dataclass(slots=True, eq=False)
class Film:
    """All that there is to draw.

    Attributes:
        tape: the number of the tape that is looked at.
        tapes: the number of each, in the order in which they were opened -> the event that opened it, if it is known.
        steps: ("write", frame) ("ghost", frame) ("turn", reading) ("read", reading, frame) ("done", reading) ("release", tape).
    """

    tape: int
    tapes: dict = field(default_factory=dict)
    frames: list = field(default_factory=list)
    readings: list = field(default_factory=list)
    marks: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    roots: list = field(default_factory=list)
    made: dict = field(default_factory=dict)  # the node of a Tensor -> the frame that made it
    values: dict = field(default_factory=dict)  # what else is known: of Variables and watched Tensors
    history: "History | None" = None
    ways: list = field(default_factory=list)  # the edges of the history that lie on a way from a source to the target
    cut: bool = False  # has the log forgotten its beginning?
    left_out: int = 0  # steps of the tape, or events of the log, before the first that is shown
    traced: bool = False

    @property
    def last(self) -> "Reading | None":
        """The last reading of which it is known what was asked."""
        return next((reading for reading in reversed(self.readings) if reading.targets), None)


# ---- from the log ------------------------------------------------------------------------------------------------------


def film_of_log(trace, tape, targets, sources, every=False, lossless=False, experiments=None) -> Film:
    """The film of one tape, and of those inside its block.

    Args:
        trace: the log.
        tape: the tape, or what stands for one: it has a `number` and is `persistent` or not.
        targets, sources: the Tensors and Variables that are asked about; empty if it is not known.
        every: show the last questions to this tape, whatever they were about.
        lossless: it is known that no way from the sources to the targets is broken.
        experiments: the number of a source -> the Experiment that tells which values left and came back.
    """
    events = tuple(trace.events)
    history = History(trace, tape, [one.id for one in sources], None)
    wanted = {one.id for one in targets}
    film = Film(tape.number, history=history, cut=trace.cut, left_out=trace.left_out, traced=True)
    refusals = [e for e in events if isinstance(e, Refused) and e.tape == tape.number]
    own = history.questions[-MOST_READINGS:]
    if wanted and not every:
        own = [e for e in history.questions if set(e.targets) == wanted and {one.id for one in sources} & set(e.sources)]
    first = history.renewed or history.forgot or history.opened
    closed = max([e.number for e in history.tape_events if e.what == "closed"], default=trace.count)
    last = max([closed, *[e.number for e in (*own, *refusals)]])
    film.ways = ways_of(trace, tape, targets, sources, experiments or {}) if targets and not lossless else []
    on_ways = {}
    for edge in film.ways:
        on_ways.setdefault(edge.event.number, []).append(edge)
    exits = {edge.by.number: edge for edge in film.ways if edge.by is not None}
    opened = [e for e in events if isinstance(e, TapeEvent) and e.what == "opened" and first <= e.number <= closed]
    film.tapes = {tape.number: None, **{e.tape: e for e in opened}}
    others = film.tapes.keys() - {tape.number}
    questions = [e for e in events if isinstance(e, Asked) and (e in own or (e.tape in others and e.number <= last))]
    refused = [] if wanted and not every else refusals
    heard: list[Any] = [*questions, *refused]
    steps = [step for step in tuple(trace.steps) if any(e.began < step.number < e.number for e in heard)]

    def matters(e):
        if isinstance(e, (Asked, Refused)):
            return e in questions or e in refused
        if not history.opened and e.number not in on_ways:  # the log began later, or has forgotten its beginning
            return isinstance(e, Ran) and tape.number in e.recorded
        return first <= e.number <= (last if isinstance(e, Wrote) else closed) or e.number in on_ways or e.number in exits

    builder = Builder(film, history, on_ways, exits)
    told = [*[(e.number, e) for e in (*filter(matters, events), *steps)], *[(e.began, reading_of(e)) for e in heard]]
    for _, e in sorted(told, key=lambda one: one[0]):
        builder.hear(e)
    name_apart(film.frames)
    film.roots += [n for n in history.sources if n not in film.roots]
    return film


def ways_of(trace, tape, targets, sources, experiments):
    """The edges on ways from the sources to the targets; what was tried for a source tells of its own ways."""
    tried = {one.id: experiments.get(one.id) for one in sources}
    groups = [([number], experiment) for number, experiment in tried.items() if experiment is not None]
    groups.append(([number for number, experiment in tried.items() if experiment is None], None))
    found = {}
    for numbers, experiment in groups:
        if numbers:
            history = History(trace, tape, numbers, None, experiment)
            found.update({(edge.start, edge.end, edge.event.number, edge.code): edge for edge in history.ways(history.nodes(targets))})
    return [*found.values()]


def name_apart(frames):
    """Give the ops of one call their own names: `matvec` runs three, and only together they are it."""
    calls = [(e.code, e.instruction, e.called) if isinstance(e, Ran) else id(e) for e in (frame.event for frame in frames)]
    for _, same in itertools.groupby(zip(calls, frames), lambda pair: pair[0]):
        ops = [frame for _, frame in same]
        for frame in ops if len({frame.kernel for frame in ops}) > 1 else ():
            frame.op = CALLED.get(frame.op_made.__name__, frame.op_made.__name__)


class Builder:
    """Makes the frames, one event after the other."""

    def __init__(self, film, history=None, on_ways=(), exits=()):
        self.film, self.history, self.on_ways, self.exits = film, history, on_ways, exits
        self.alias = {}  # a Tensor that is a Variable read, or one that came back -> the node it stands for
        self.open_readings = []  # the readings that are going on
        self.pending = []  # frames that ran for the next step of it
        self.group = None  # the Read that is going on

    def hear(self, e):
        getattr(self, HEARD.get(type(e), "nothing"))(e)

    def nothing(self, e):
        """It is not shown."""

    def mark(self, kind, number, e, **more):
        self.film.marks.append(Mark(kind, len(self.film.frames), number, e.place, **more))

    def watched(self, e):
        if e.tape in self.film.tapes:
            self.film.roots.append(e.source)
            self.mark("watch", e.source, e)

    def tape_event(self, e):
        if e.what == "paused" and e.tape in self.film.tapes:
            self.mark("pause", e.tape, e)

    def node(self, number, versions):
        node = self.history.node(number, versions)
        return self.alias.get(node, node)

    def ran(self, e):
        film = self.film
        if e.op.kernel == "ReadVariableOp" and e.inputs and e.inputs[0] in e.versions:
            self.alias[e.outputs[0]] = (e.inputs[0], e.versions[e.inputs[0]])
            film.values.setdefault(self.alias[e.outputs[0]], e.value)
            return
        inputs = [self.node(i, e.versions) if i else None for i in e.inputs]
        numbers, on_way = e.numbers, e.number in self.on_ways
        for edge in self.on_ways[e.number] if numbers and on_way else ():  # a number that came back
            slot = next((k for k in numbers if inputs[k] is None), None)
            if slot is not None and edge.code == "LEFT_ENGINE":
                inputs[slot] = ("left", edge.by.number) if edge.by is not None and ("left", edge.by.number) in film.made else edge.start
        name = CALLED.get(e.name, e.name)
        frame = Frame(name, inputs, e.outputs, e.value, e.place, e, numbers, kernel=e.op.kernel, on_way=on_way, op_made=e.op)
        for tape, live in e.recorded.items():
            slots = [k for k, i in enumerate(e.inputs) if (live is e.inputs or i in live) and vjp_of(e.op, k, len(e.inputs))]
            if slots and tape in film.tapes and e.op.kernel != "StopGradient":
                frame.slots[tape] = slots
                frame.keeps[tape] = kept_by(e, frame.value, slots, self.known)
        if not frame.slots:
            frame.ghost = self.ghost(e)
        self.add(frame)

    def known(self, number, versions):
        """The Summary of a Tensor or Variable."""
        node = self.node(number, versions)
        k = self.film.made.get(node)
        if k is not None:
            return self.film.frames[k].value
        trace = self.history.trace
        event = trace.written.get(node) or trace.made.get(number)
        value = getattr(event, "value", None) or self.film.values.get(node)
        if value is None and self.open_readings:  # what a backward pass begins with has the form of its target
            target = self.film.made.get(self.film.readings[self.open_readings[-1]].targets[0])
            return None if target is None else self.film.frames[target].value
        return value

    def add(self, frame):
        film = self.film
        film.made.update(dict.fromkeys(frame.outputs, len(film.frames)))
        if self.open_readings:
            self.pending.append(frame)
        film.steps.append(("ghost" if frame.ghost else "write", len(film.frames)))
        film.frames.append(frame)

    def ghost(self, e):
        """Why no tape has written it: a code, a few words and a sentence."""
        codes = [self.history.code_for(e, k, i) for k, i in enumerate(e.inputs) if i]
        codes = [code[0] for code in codes if code]
        reached = any(i in self.history.sources or self.reaches(i, e) for i in e.inputs if i)
        code = next((code for code in codes if reached or code in ("OUTSIDE_TAPE", "SPENT_TAPE", "STOPPED", "OTHER_TAPE")), None)
        words = "nothing watched" if reached else "constants only"
        return (code, *WHY.get(code, (words, "Nothing that the tape watches goes in.")))

    def reaches(self, number, e):
        """Does a source flow into this Tensor, be it on the tape or not?"""
        node = self.node(number, e.versions)
        k = self.film.made.get(node)
        if k is None:
            return isinstance(node, tuple) or any(number in live for live in e.recorded.values())
        frame = self.film.frames[k]
        return bool(frame.slots) or frame.on_way or bool(frame.ghost and frame.ghost[0])

    def left(self, e):
        """A value left for NumPy and came back: one ghost for all that happened to it there."""
        if e.number not in self.exits:
            return
        op = called_text(e.place)
        op = "numpy" if not op or op.rpartition(".")[2] in DOORS else op
        node = self.node(e.tensor, e.versions)
        back = self.exits[e.number].event
        value = e.given.content if e.given is not None else None
        if isinstance(back, EnteredEngine):
            value = back.value
        elif isinstance(back, Ran) and back.numbers:
            value = Summary.of(next(iter(back.numbers.values())))
        frame = Frame(op, [node], (("left", e.number),), value, e.place, e, ghost=("LEFT_ENGINE", *WHY["LEFT_ENGINE"]), on_way=True)
        if isinstance(back, EnteredEngine):
            self.alias[back.tensor] = ("left", e.number)
        self.add(frame)

    def wrote(self, e):
        """A Variable was assigned: a frame of its own, whose inputs are what was given, and the old value if it is added to."""
        if e.how == "Variable":
            if e.number in self.on_ways:
                self.mark("create", e.variable, e, cut=True)
            return
        inputs = [self.node(e.source, e.source_versions)] if e.source else []
        for edge in () if e.source else self.on_ways.get(e.number, ()):
            if edge.by is not None and ("left", edge.by.number) in self.film.made:
                inputs.append(("left", edge.by.number))
        inputs.append((e.variable, e.version - 1))  # the Variable itself, of which it is another version
        on_way, ghost = e.number in self.on_ways, ("STATE", *WHY["STATE"])
        node = e.variable, e.version
        self.add(Frame(e.how, inputs, (node,), e.value, e.place, e, ghost=ghost, on_way=on_way, kind="assign"))

    def crashed(self, e):
        """An op raised an error."""
        if self.film.tape not in e.tapes:
            return
        inputs = [self.node(n, e.versions) if n else None for n, _ in e.given]
        op, made = CALLED.get(e.op.__name__, e.op.__name__), e.op
        told = (None, "raised", e.error)
        self.add(Frame(op, inputs, (("crash", e.number),), None, e.place, e, ghost=told, kernel=made.kernel, op_made=made, kind="crash"))

    # ---- reading back --------------------------------------------------------------------------------------------------

    def begin(self, reading):
        self.open_readings.append(len(self.film.readings))
        self.film.steps.append(("turn", len(self.film.readings)))
        self.film.readings.append(reading)
        self.group, self.pending = None, []

    def passed_back(self, e):
        frame = self.film.made.get(e.outputs[0])
        if not self.open_readings or frame is None:  # without a frame: the read of a Variable, which is folded away
            self.pending = []
            return
        k = self.open_readings[-1]
        if self.group is None or self.group.frame != frame:
            self.settle(k)
            self.group = Read(frame, e.upstream, [])
            self.film.readings[k].reads.append(self.group)
        self.work(k, frame)
        self.group.parts.append(Part(slot_of(self.film.frames[frame], e.source, self.group), e.source, e.sent, e.local))

    def work(self, k, frame):
        """What ran since the last step was work of this one."""
        for one in self.pending:
            one.by = one.by or (k, frame)
        self.pending = []

    def settle(self, k):
        if self.group is not None:
            self.film.steps.append(("read", k, self.group.frame))
            self.group = None

    def end(self):
        k = self.open_readings.pop()
        self.settle(k)
        self.work(k, None)
        self.film.steps.append(("error" if self.film.readings[k].error else "done", k))

    def asked(self, e):
        self.end()
        if e.released:
            self.film.steps.append(("release", e.tape))


HEARD = {  # an event -> the method that hears it
    Ran: "ran", LeftEngine: "left", Watched: "watched", TapeEvent: "tape_event", Wrote: "wrote", Failed: "crashed",
    Reading: "begin", StepBack: "passed_back", Asked: "asked", Refused: "asked",
}  # fmt: skip


def reading_of(e) -> Reading:
    """What a question was, and what it gave."""
    if isinstance(e, Refused):
        return Reading(e.tape, e.targets, e.sources, dict.fromkeys(e.sources), e.place, e.released, e.error)
    sparse = tuple([n for n, dx, made in zip(e.sources, e.slopes, e.results) if dx and not made])
    return Reading(e.tape, e.targets, e.sources, dict(zip(e.sources, e.slopes)), e.place, e.released, sparse=sparse)


def slot_of(frame, source, read):
    """Which input a step was for: they are read from the last to the first."""
    numbers = frame.event.inputs if isinstance(frame.event, Ran) else frame.inputs
    end = read.parts[-1].slot if read.parts else len(numbers)
    return next((k for k in reversed(range(end)) if numbers[k] == source), 0)


# ---- what an op keeps, and its rules -----------------------------------------------------------------------------------


@lru_cache(maxsize=1000)
def declaration_of(op):
    return Declaration(op)


def kept_by(e, result, slots, known):
    """What the steps of an op keep: (the number of the Tensor, its name in the VJP, bytes) for each array."""
    kept = {}
    for k, wish in wishes_of(e.op, tuple(slots), len(e.inputs)):
        number = e.outputs[0] if k is None else e.inputs[k] or -1 - k  # below 0: a Python number
        if number not in kept:
            value = result if k is None else known(number, e.versions) if number > 0 else None
            size = value.size * value.dtype.itemsize if value is not None else 0 if number > 0 else result.dtype.itemsize
            if k is None and wish in e.op.by_products:
                number, size = ("by-product", number), by_product(e.op, wish, tuple(shapes_of(e, known)), result.dtype)
            kept[number] = number, wish, size
    return [*kept.values()]


def shapes_of(e, known):
    """The name and the shape of each input."""
    for k, number in enumerate(e.inputs):
        value = known(number, e.versions) if number else None
        yield input_name(e.op, k, len(e.inputs)), () if value is None else value.shape


@lru_cache(maxsize=1000)
def by_product(op, wish, shapes, dtype) -> int:
    """The bytes of what an op returns beside its output: as ops compute it, of inputs of these shapes.

    (A log keeps no attributes: they are as they are by default.)
    """
    make, given = op.by_products[wish], {name: Tensor.of(np.zeros(shape, dtype)) for name, shape in shapes}
    usual = inspect.signature(op.__wrapped__).parameters
    with listeners_only():
        found = make(*[given.get(name, usual[name].default) for name in parameters(make)])
    return found.value.nbytes


@lru_cache(maxsize=1000)
def wishes_of(op, slots, count):
    """What the VJPs of these inputs ask for: the place of an input, or None for the output, with its name in the VJP."""
    signature, wishes = declaration_of(op), []
    for slot in slots:
        for wish in signature.needs.get(input_name(op, slot, count), [])[1:]:
            again = parameters(op.by_products[wish]) if wish in op.by_products else ()  # of what it is computed again
            if wish == signature.output or again:
                wishes.append((None, wish))
            wishes += [
                (k, one) for one in (wish, *again) if one in signature.inputs for k in range(count) if input_name(op, k, count) == one
            ]
    return wishes


# ---- from the tape alone -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def owners(count):
    """Each VJP -> its op, and the name of the input."""
    return {vjp: (op, key[1:]) for op in reversed(OPS.values()) for key, vjp in op.vjps.items() if vjp}


def film_of_tape(tape, most) -> Film:
    """The film of what a tape has written, as long as it is not used up; of many steps the last `most`."""
    film = Film(tape.number, tapes={tape.number: None}, roots=sorted(tape.roots))
    film.left_out = max(0, len(tape.steps or ()) - most)
    for step in (tape.steps or ())[-most:]:
        source, vjp, arrays, tensors = step[INPUT], step[VJP], step[ARRAYS], step[TENSORS]
        outputs = output_ids(step)
        op, name = owners(len(OPS)).get(vjp, (None, ""))
        frame = film.frames[-1] if film.frames and film.frames[-1].outputs == outputs else None
        if frame is None:
            called = CALLED.get(op.__name__, op.__name__) if op else "custom gradient"
            frame = Frame(called, [], outputs, slots={tape.number: []}, keeps={tape.number: []}, kernel=op.kernel if op else "", op_made=op)
            film.steps.append(("write", len(film.frames)))
            film.made.update(dict.fromkeys(outputs, len(film.frames)))
            film.frames.append(frame)
        frame.slots[tape.number].append(len(frame.inputs))
        frame.inputs.append(source)
        frame.names += (name,)
        wishes = vjp.__code__.co_varnames[1 : vjp.__code__.co_argcount] if hasattr(vjp, "__code__") else ()
        for wish, array, tensor in zip(wishes, arrays, tensors):
            if isinstance(array, (np.ndarray, np.generic)):
                number = tensor.id if isinstance(tensor, Tensor) else id(array)
                film.values.setdefault(number, Summary.of(array))
                if all(number != other for other, _, _ in frame.keeps[tape.number]):
                    frame.keeps[tape.number].append((number, wish, array.nbytes))
    for frame in film.frames:
        frame.value = film.values.get(frame.outputs[0])
    return film


class Slopes(Steps):
    """Hears, of these outputs, the op's own slope too, where it has one for each element."""

    def __init__(self, outputs):
        super().__init__()
        self.outputs = outputs

    def stepped_back(self, step, dy, dx):
        if output_ids(step)[0] in self.outputs:
            super().stepped_back(step, dy, dx)
            self.heard[-1].local = slope_of(step, dy) if isinstance(dy, (np.ndarray, np.generic)) and dy.shape == dx.shape else None


def read_again(tape, targets, sources, most):
    """What this question would give, the seeds, and the steps back over the last `most` steps of the tape. The tape stays as it is."""
    steps = Slopes({output_ids(step)[0] for step in tape.steps[-most:]})
    with listeners_only(steps):
        slopes, seeds = slopes_now(tape, targets, sources, None)
    return slopes, seeds, steps.heard


def add_unheard(film, tape, wanted):
    """Add the reading that a used-up tape has been through while no trace heard it: its answers, where somebody still has them."""
    targets, sources, answers = tape.last_question
    if tape.steps is not None or not targets or film.readings or not wanted <= {*sources}:
        return
    found = [None if one is None else one() for one in answers]
    with listeners_only():
        known = {
            n: None if one is None else Summary.of(one) for n, one, was in zip(sources, found, answers) if was is None or one is not None
        }
    read(film, Reading(tape.number, tuple(targets), tuple(sources), known, released=True, heard=False))


def add_reading(film, targets, slopes, steps):
    """Add a reading that nobody has really asked for."""
    problem = next((one for one in slopes.values() if isinstance(one, Exception)), None)
    error = problem and f"{type(problem).__name__}: {visible(problem)}"  # what the question itself would raise
    answers = {n: None if slope is None or error else Summary.of(slope) for n, slope in slopes.items()}
    read(film, Reading(film.tape, tuple([one.id for one in targets]), tuple(slopes), answers, error=error), steps)


def read(film, reading, steps=()):
    """Add a reading, with its steps."""
    builder = Builder(film)
    builder.begin(reading)
    for step in steps:
        builder.passed_back(step)
    builder.end()


CALLED = {"product": "matmul", "take_slice": "getitem", "take": "getitem"}  # what is behind @ and [], by a name that tells
WHY = {  # why a frame is a ghost, in a few words and in a sentence
    "LEFT_ENGINE": ("left the engine", "NumPy or Python did this; the tape cannot see it."),
    "NO_DERIVATIVE": ("no derivative", "It is flat with jumps, and has no derivative to write down."),
    "INTEGER": ("no floats", "No gradient flows along integers, booleans or strings."),
    "ONLY_DECIDES": ("only decides", "It only decides which values are taken."),
    "OUTSIDE_TAPE": ("outside the tape", "It ran while the tape was not recording."),
    "OTHER_TAPE": ("on another tape", "Another tape has written it, not this one."),
    "SPENT_TAPE": ("tape used up", "The tape had been asked before, and was used up."),
    "STOPPED": ("stopped", "The way was cut here on purpose."),
    "UNWATCHED": ("not watched yet", "The tape was not told to watch what goes in."),
    "NOT_REGISTERED": ("no gradient registered", "Nobody has registered a gradient for it."),
    "STATE": ("state", "It was written into a Variable, which keeps no history."),
}
