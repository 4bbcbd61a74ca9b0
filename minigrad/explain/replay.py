"""A replay of a tape's block: it runs again from a checkpoint with some values changed, and records every value.

Both the program and a replay continue counting from the checkpoint, so events have the same numbers in both, and
Tensors the same ids. Two replays can therefore be compared event by event.
"""

import signal
import sys
import traceback
import zlib
from dis import opmap
from typing import Any, NamedTuple

import numpy as np

from ..engine.listening import Listener, listening
from ..engine.op import MADE
from ..engine.operands import CONVERTERS, one_by_one
from ..engine.tensor import Tensor
from ..engine.variable import Variable
from ..tracing import checkpoint, values
from ..tracing.log import ADDING, Failed, LeftEngine, Ran
from ..tracing.places import entry_frame, program_frame
from ..tracing.source import position

ROOM = 32 << 20  # bytes of values that a replay may return
PLAIN = int, float, complex, str, type(None), np.ndarray, np.generic, tuple
RETURNS = {opmap.get(name) for name in ("RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE")}  # not an exception
SMALLEST = 0.1  # a nudge is a share of the number, or of this if the number is smaller
SIGNS = 0.7548776662  # which elements go up, and which down; with 0 all go up


class Nudge(NamedTuple):
    """How far values are moved: each by a share of its size, or of `least` if it is smaller.

    `only` has a bit for each element, which tells whether it moves; without bits, all do.
    """

    share: float
    least: float = SMALLEST
    signs: float = SIGNS
    only: bytes = b""

    def times(self, factor):
        return self._replace(share=factor * self.share)


def digest(value) -> int:
    """A hash of every bit of a value. (Processes forked from the same parent agree on it.)"""
    array = np.asarray(value)
    content: Any = repr(array.tolist()).encode() if array.dtype.kind == "O" else np.ascontiguousarray(array)
    return hash((array.dtype.str, array.shape, zlib.crc32(content)))


def numbers_in(attributes):
    """The numbers and arrays among an op's attributes, some of which are Tensors."""
    for one in attributes:
        if isinstance(one, (list, tuple)):
            yield from numbers_in(one)
        elif isinstance(one, (Tensor, Variable)):
            yield value_of(one)
        elif isinstance(one, (int, float, complex, np.ndarray, np.generic)):
            yield one


def direction(value, least=SMALLEST, signs=SIGNS, only=b""):
    """The direction to nudge an array: each element up or down by its own share of its size, from the golden ratio."""
    place = np.arange(1.0, value.size + 1.0).reshape(value.shape)
    size = 0.5 + 0.5 * (place * 0.6180339887 % 1.0)
    moved = np.where(place * signs % 1.0 < 0.5, size, -size) * np.maximum(least, np.abs(value))
    bits = np.unpackbits(np.frombuffer(only, np.uint8), count=value.size) if only else np.ones(value.size)
    return np.where(bits.reshape(value.shape), moved, 0.0)


def nudged(value, nudge, size=None):
    """An array, a number or a list of them, nudged by shares of its own or another size; any other value unchanged."""
    if isinstance(value, list):
        return [nudged(one, nudge) for one in value]
    array = np.asarray(value)
    if array.dtype.kind not in "fc":
        return value
    moved = np.asarray(array + nudge.share * direction(array if size is None else size, *nudge[1:]), array.dtype)
    return moved if isinstance(value, np.ndarray) else type(value)(moved)


def spot(event):
    """The place of an event as plain data. (Not its offset, which a specialized instruction may change.)"""
    return event.code.co_name, *position(event.code, event.instruction)


SAME = (  # what of an event stays the same as long as the program takes the same path
    "op_number", "inputs", "gave", "read", "how", "source", "exit", "tensor", "where", "what", "tape", "targets",
    "sources",
)  # fmt: skip


def skeletons(events, after, until) -> list:
    """The parts of events that tell which path the program took."""
    events = [event for event in events if after < event.number <= until]
    placed = [spot(event) if isinstance(event, (Ran, LeftEngine, Failed)) else type(event) for event in events]
    return [(place, *[getattr(event, name, None) for name in SAME]) for place, event in zip(placed, events)]


class Replay(Listener):
    """Listens to a replay: nudges and holds values as commanded, records all values, and answers at the end.

    The command is a dict.
        tape, sources: ids; the sources are nudged when this tape is opened, or when they are made or assigned later,
            each by a different share.
        ops: the numbers of the ops that ran.
        nudge: a Nudge, or None.
        exits: spot -> the Nudge for values that leave there.
        held: key -> the values to hold. A key is an event's number, or ("number", a count), or ("attributes", the
            number of an op's event).
        assigned: the id of a source -> the number of each assignment to it -> its value then, without a nudge.
        targets: the ids whose values are returned; until: the number of the event after which to answer.
    """

    def __init__(self, trace, command):
        self.trace, self.tape, self.nudged_by = trace, command["tape"], command["nudge"]
        self.sources = {i: 1 - k * 0.6180339887 % 1 / 2 for k, i in enumerate(command["sources"])}
        self.exits, self.held, self.until, self.room = command["exits"], command["held"], command["until"], ROOM
        self.assigned, self.differences = command["assigned"], {}
        self.targets = dict.fromkeys(command["targets"])
        self.noted, self.kept, self.points, self.count, self.pending, self.opened = {}, {}, {}, 0, {}, 0
        vars(values)["measured"] = lambda arrays: [None] * len(arrays)  # not needed in a replay
        for convert in CONVERTERS:  # each has a cached function that makes a Tensor of a Python number
            cell = convert.__closure__[convert.__code__.co_freevars.index("number")]
            cell.cell_contents = lambda *given, make=cell.cell_contents: self.number(make(*given))

    # ---- what it changes ---------------------------------------------------------------------------------------------

    def nudge(self, source):
        """Record the value of a source once the tape is open, and nudge it if the command says so."""
        if self.opened and source.id in self.sources:
            share = self.sources.pop(source.id)
            self.points[source.id] = value = value_of(source)
            if self.nudged_by:
                most = np.max(np.abs([value, *self.assigned[source.id].values()]), axis=0)
                set_value(source, nudged(value, self.nudged_by.times(share), most))
                self.differences[source.id] = value_of(source) - value

    def nudge_again(self, source):
        """Nudge the elements to which an assignment gave the value that they have without a nudge."""
        if source.id in self.differences and self.trace.count in self.assigned[source.id]:
            value, old = value_of(source), self.assigned[source.id][self.trace.count]
            set_value(source, value + (value == old) * self.differences[source.id])

    def hold(self, key, tensors):
        """Set Tensors, or a Variable, to the values to hold, if any; without a nudge, record their values."""
        for one, value in zip(tensors, self.held.get(key, ())):
            set_value(one, value)
        if self.opened and self.nudged_by is None and not self.exits:
            now = [value_of(one) for one in tensors]
            size = sum(value.nbytes for value in now)
            if size < self.room:
                self.kept[key], self.room = now, self.room - size

    def hold_attributes(self, op, inputs, made, attributes):
        """Compute an op again with the attributes to hold, if any, and record the ones that it had."""
        key = "attributes", self.trace.count
        if key in self.held:
            arrays = [[one.value for one in x] if isinstance(x, (list, tuple)) else x.value for x in inputs]
            results = op.__wrapped__(*arrays, *self.held[key])
            results = results[0] if op.by_products else results
            for one, value in zip(made, results if len(made) > 1 else [results]):
                set_value(one, value)
        now = [value_of(one) if isinstance(one, (Tensor, Variable)) else one for one in attributes]
        if all(isinstance(one, PLAIN) for one in now):
            self.kept[key] = now

    def note(self, numbers=(), **digests):
        """Record the event that the trace has just heard; before the tape is opened, nothing can differ.

        Args:
            numbers: count -> digest of the Python numbers that became Tensors for the event.
            **digests: the digests of its "inputs", of the values that it "gave", and of its "attributes".
        """
        if self.opened:
            noted = {(kind, k): one for kind, all_of in digests.items() for k, one in enumerate(all_of)}
            self.noted[self.trace.count] = {**noted, **{("number", k): one for k, one in dict(numbers).items()}}
        if self.trace.count >= self.until:
            steps = skeletons(self.trace.events, self.opened, self.until)
            found = steps, self.noted, self.targets, self.kept, self.points
            checkpoint.finish(found if self.opened else "the program does not run the same way twice")

    # ---- what it hears -----------------------------------------------------------------------------------------------

    def hear(self, op, inputs, output, attributes):
        made = output if output.__class__ is list else [output]
        asked = tuple(numbers_in(attributes)) if self.opened and op.kernel != "CustomGradient" else ()
        if asked:
            self.hold_attributes(op, inputs, made, attributes)
        self.given(made)
        if not self.opened:
            return
        inputs = one_by_one(inputs) if op.lists else inputs
        numbers, self.pending = self.pending, {}
        self.note(
            inputs=[digest(x.value) for x in inputs], gave=[digest(y.value) for y in made], numbers=numbers,
            attributes=[digest(a) for a in asked],
        )  # fmt: skip

    def given(self, tensors):
        """Handle newly made Tensors: nudge sources, hold values, and record targets."""
        for one in tensors:
            self.nudge(one)
        self.hold(self.trace.count, tensors)
        self.targets.update({one.id: value_of(one) for one in tensors if one.id in self.targets})

    def note_given(self, *tensors, inputs=()):
        self.given(tensors)
        if not self.opened:
            tensors = inputs = ()
        self.note(gave=[digest(value_of(one)) for one in tensors], inputs=[digest(one) for one in inputs])

    def came(self, given, tensor):
        self.note_given(tensor)

    def stored(self, tensor, result, where):
        self.note_given(result)

    def wrote(self, variable, given, how):
        self.note_given(variable, inputs=[given] if how in ADDING and not hasattr(given, "id") else [])
        self.nudge_again(variable)  # after the note: what was assigned has not moved

    def asked(self, tape, targets, sources, results):
        self.note_given(*[one for one in results if hasattr(one, "id")])

    def left(self, tensor, exit, result):
        event = self.trace.newest
        result = nudged(result, self.exits[spot(event)]) if spot(event) in self.exits else result
        self.note(gave=[digest(result)])
        return result

    def number(self, tensor):
        """Handle a Python number that became a Tensor because it was an operand beside one."""
        self.count += 1
        key = "number", self.count
        if key in self.held:
            tensor, number = Tensor(), tensor
            tensor.value, tensor.id = number.value, number.id
        if self.opened:
            self.hold(key, [tensor])
            self.pending[self.count] = digest(tensor.value)
        return tensor

    def watching(self, tape, source):
        self.nudge(source)
        self.note()

    def started(self, tape):
        if tape.number == self.tape and not self.opened:
            self.open(tape)
        self.note()

    def stopped(self, tape):
        self.note()

    paused = forgot = stopped

    def open(self, tape):
        self.opened = self.trace.count
        self.trace.set_aside()
        for one in sources_now(self.sources):
            self.nudge(one)


class Arrival(Listener):
    """Sleeps where the tape is opened: further replays begin there.

    Meanwhile a timer ends the replay if the program has ended: `end_with` would make it half as fast.
    """

    def __init__(self, trace, command):
        self.trace, self.tape, self.until, self.program = trace, command["tape"], command["until"], program_frame()
        trace.set_aside()
        self.handler = signal.signal(signal.SIGPROF, self.check)
        signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)

    def check(self, *_):
        if all(frame is not self.program for frame, _ in traceback.walk_stack(sys._getframe())):
            checkpoint.finish("the program does not run the same way twice")

    def started(self, tape):
        if tape.number == self.tape:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, self.handler)
            found.clear()  # there may be more now
            self.stop()
            checkpoint.rest(self.trace)
        self.hear()

    def hear(self, *op):
        if self.trace.count >= self.until:
            checkpoint.finish("the program does not run the same way twice")


def value_of(one):
    return one._now.value if isinstance(one, Variable) else one.value


def set_value(one, value):
    """Set the value of a Tensor or a Variable; Tensors read from the Variable earlier keep the old value."""
    if not isinstance(one, Variable):
        one.value = value
        return
    now: Any = Tensor()
    now.value, now.id = value, one._now.id
    one._now = now


# ---- how it begins: called in the forked process ---------------------------------------------------------------------

KINDS = [Tensor, Variable]  # what a source can be
found = {}  # id -> the Tensor or Variable, or None, so that each is searched for once


def sources_now(ids) -> list:
    """The existing Variables, or else Tensors, with these ids. (A Variable's value shares its id.)"""
    missing = {i for i in ids if found.get(i) is None}
    here = [one for one in checkpoint.instances(*KINDS) if one.id in missing] if missing else []
    found.update({one.id: one for one in sorted(here, key=lambda one: isinstance(one, Variable))})
    return [found[i] for i in ids if found.get(i) is not None]


def find(command):
    """Do once, at the checkpoint, what every replay would otherwise repeat."""
    sources_now({*command["sources"]} - found.keys())
    found.update({i: found.get(i) for i in command["sources"]})
    for op in [MADE[number] for number in command["ops"] if number < len(MADE)]:
        if op.source.code is None:
            op.source.write_out(op)


def begin(trace, command, _):
    """Start a Replay, a Trial or an Arrival as a listener, where the checkpoint was taken."""
    listener = command["kind"](trace, command)
    trace.judge = trace.judge and (lambda *question: None)
    trace.elements.update(command["elements"])
    checkpoint.told.update(command["told"])
    listening.now = (*listening.now, listener)
    if not isinstance(listener, Arrival):
        end_with(program_frame(), entry_frame())
    opened = next((one for one in listening.now if one.number == command["tape"]), None)
    if opened is not None:
        listener.open(opened)


def end_with(program, entry):
    """End the replay when the program ends, or when an exception leaves the part of it that a library called.

    The caller of the program must not run twice, and where such an exception would be caught is unknown.
    """
    first = ""

    def over(frame, event, argument):
        nonlocal first
        if event == "exception":
            first = first or f"the replay ended with {argument[0].__name__}"
        elif event == "return" and (frame is program or frame.f_code.co_code[frame.f_lasti] not in RETURNS):
            checkpoint.finish(first or "the replay ended before the target was made")
        return over

    sys.settrace(getattr)  # quickly nothing: a frame has no attribute "call"
    for frame in (program, entry):
        frame.f_trace, frame.f_trace_lines = over, False
