"""A replay of a tape's block: from its checkpoint on, with some values changed, and every value noted.

Events have the same numbers in a replay as in the program, and Tensors the same ids: both go on counting from the
checkpoint. So two replays are compared event by event.
"""

import sys
import zlib
from dis import opmap
from typing import Any, NamedTuple

import numpy as np

from ..engine.listening import Listener, listening
from ..engine.op import MADE, one_by_one
from ..engine.operands import CONVERTERS
from ..engine.tensor import Tensor
from ..engine.variable import Variable
from ..tracing import checkpoint, values
from ..tracing.log import Asked, EnteredEngine, LeftEngine, Ran, Stored, TapeEvent, Watched, Wrote
from ..tracing.places import entry_frame, program_frame
from ..tracing.source import position

ROOM = 32 << 20  # bytes of values that a replay answers
PLAIN = int, float, complex, str, type(None), np.ndarray, np.generic, tuple
RETURNS = {opmap.get(name) for name in ("RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE")}  # and no exception
SMALLEST = 0.1  # a nudge of a number is a share of it, or of this if it is smaller


class Nudge(NamedTuple):
    """How far values are moved: by a share of each, and of `least` where one is smaller."""

    share: float
    least: float = SMALLEST

    def times(self, factor):
        return self._replace(share=factor * self.share)


def digest(value) -> int:
    """What differs whenever a value differs in any bit. (Processes that were forked from one agree on it.)"""
    array = np.asarray(value)
    content: Any = repr(array.tolist()).encode() if array.dtype.kind == "O" else np.ascontiguousarray(array)
    return hash((array.dtype.str, array.shape, zlib.crc32(content)))


def numbers_in(attributes):
    """The numbers and arrays among the attributes of an op."""
    for one in attributes:
        if isinstance(one, (list, tuple)):
            yield from numbers_in(one)
        elif isinstance(one, (int, float, complex, np.ndarray, np.generic)):
            yield one


def direction(value, least=SMALLEST):
    """Where to nudge an array: each element by a share of its size, up or down; by the golden ratio no two alike."""
    place = np.arange(1.0, value.size + 1.0).reshape(value.shape)
    size = 0.5 + 0.5 * (place * 0.6180339887 % 1.0)
    return np.where(place * 0.7548776662 % 1.0 < 0.5, size, -size) * np.maximum(least, np.abs(value))


def nudged(value, nudge):
    """An array, a number or a list of them, a little different; what is neither stays."""
    if isinstance(value, list):
        return [nudged(one, nudge) for one in value]
    array = np.asarray(value)
    if array.dtype.kind not in "fc":
        return value
    moved = (array + nudge.share * direction(array, nudge.least)).astype(array.dtype)
    return moved if isinstance(value, np.ndarray) else type(value)(moved)


def spot(event):
    """Where it happened, as plain data. (Of an instruction there may be a quick form at another place in the code.)"""
    return event.code.co_name, *position(event.code, event.instruction)


FIELDS = {
    Wrote: ("how", "variable", "version", "source"), EnteredEngine: ("tensor",), Stored: ("where", "tensor", "result"),
    TapeEvent: ("what", "tape"), Watched: ("tape", "source"), Asked: ("tape", "targets", "sources", "results"),
    Ran: ("op_number", "inputs", "output"), LeftEngine: ("exit", "tensor"),
}  # fmt: skip


def skeletons(events, after, until) -> list:
    """What stays the same of events as long as the program goes the same way."""
    found = []
    for event in events:
        if after < event.number <= until:
            kind = event.__class__
            where = spot(event) if kind in (Ran, LeftEngine) else ()
            found.append((*[getattr(event, name) for name in FIELDS[kind]], *where))
    return found


class Replay(Listener):
    """Listens in a replay: nudges and holds values as the command says, notes the others, and answers at the end.

    The command is a dict.
        tape, sources: ids; the sources are nudged when this tape is opened, or when they are made after that.
        ops: the numbers of the ops that ran.
        nudge: a Nudge, or None.
        exits: spot -> Nudge, for what leaves there.
        held: key -> the values to hold. A key is an event's number, or "number" and a count, or "attributes" and
            the number of an op's event.
        targets: ids, of which the values are answered; until: the number of the event after which to answer.
    """

    def __init__(self, trace, command, objects):
        self.trace, self.objects = trace, objects
        self.tape, self.sources, self.nudged_by = command["tape"], {*command["sources"]}, command["nudge"]
        self.exits, self.held, self.until, self.room = command["exits"], command["held"], command["until"], ROOM
        self.targets = dict.fromkeys(command["targets"])
        self.noted, self.kept, self.points, self.count, self.pending, self.opened = {}, {}, {}, 0, {}, False
        vars(values)["measured"] = lambda array: None  # nobody asks for it in a replay, and it takes time
        for convert in CONVERTERS:
            hear_numbers(convert, self)

    # ---- what it changes ---------------------------------------------------------------------------------------------

    def nudge(self, source):
        """Move a source, if that is asked for."""
        if self.opened and source.id in self.sources:
            self.sources.discard(source.id)
            self.points[source.id] = value_of(source)
            if self.nudged_by:
                set_value(source, nudged(value_of(source), self.nudged_by))

    def hold(self, key, tensors):
        """Give Tensors, or a Variable, the values that they are to have; keep those that they have without a nudge."""
        for one, value in zip(tensors, self.held.get(key, ())):
            set_value(one, value)
        if self.opened and self.nudged_by is None and not self.exits:
            now = [value_of(one) for one in tensors]
            size = sum(value.nbytes for value in now)
            if size < self.room:
                self.kept[key], self.room = now, self.room - size

    def hold_attributes(self, op, inputs, made, attributes):
        """Compute an op again with the attributes that it is to have."""
        key = "attributes", self.trace.count
        if key in self.held:
            arrays = [[one.value for one in x] if isinstance(x, (list, tuple)) else x.value for x in inputs]
            results = op.__wrapped__(*arrays, *self.held[key])
            results = results[0] if op.by_products else results
            for one, value in zip(made, results if len(made) > 1 else [results]):
                set_value(one, value)
        if all(isinstance(one, PLAIN) for one in attributes):
            self.kept[key] = attributes

    def note(self, numbers=(), **digests):
        """Note an event, which the trace has just heard; nothing differs before the tape is opened.

        Args:
            numbers: the Python numbers that became Tensors for it, by which they were in the replay.
            **digests: of what came into it ("inputs"), of what it gave ("gave"), and of its "attributes".
        """
        if self.opened:
            noted = {(kind, k): one for kind, all_of in digests.items() for k, one in enumerate(all_of)}
            self.noted[self.trace.count] = {**noted, **{("number", k): one for k, one in dict(numbers).items()}}
        if self.trace.count >= self.until and not self.opened:
            checkpoint.finish("the program does not run the same way twice")
        if self.trace.count >= self.until:
            steps = skeletons(self.trace.events, self.began, self.until)
            checkpoint.finish((steps, self.noted, self.targets, self.kept, self.points))

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
        """Something made these Tensors."""
        for one in tensors:
            self.nudge(one)
        self.hold(self.trace.count, tensors)
        self.targets.update({one.id: value_of(one) for one in tensors if one.id in self.targets})

    def note_given(self, *tensors):
        self.given(tensors)
        tensors = tensors if self.opened else ()
        self.note(gave=[digest(value_of(one)) for one in tensors])

    def came(self, given, tensor):
        self.note_given(tensor)

    def stored(self, tensor, result, where):
        self.note_given(result)

    def wrote(self, variable, given, how):
        self.note_given(variable)

    def asked(self, tape, targets, sources, results):
        self.note_given(*[one for one in results if one is not None and hasattr(one, "id")])

    def left(self, tensor, exit, result):
        event = self.trace.unparsed[-1]
        result = nudged(result, self.exits[spot(event)]) if spot(event) in self.exits else result
        self.note(gave=[digest(result)])
        return result

    def number(self, tensor):
        """A Python number became a Tensor, beside another one."""
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
        self.opened, self.began = True, self.trace.count
        known = {one.id for one in self.objects}
        for one in [*self.objects, *sources_now(self.sources - known)]:
            self.nudge(one)


def value_of(one):
    return one._now.value if isinstance(one, Variable) else one.value


def set_value(one, value):
    """Give a Tensor or a Variable another value; who holds the Variable's old one keeps that."""
    if not isinstance(one, Variable):
        one.value = value
        return
    now: Any = Tensor()
    now.value, now.id = value, one._now.id
    one._now = now


# ---- how it begins: called in the forked process ---------------------------------------------------------------------

KINDS = [Tensor, Variable]  # what a source can be
found = {}  # id -> the Tensor or Variable, or None: what is looked for once


def sources_now(ids) -> list:
    """The Variables, or else Tensors, of these ids that there are. (A Variable's value has its id.)"""
    here = [one for one in checkpoint.instances(*KINDS) if one.id in ids] if ids else []
    here.sort(key=lambda one: isinstance(one, Variable))
    return [*{one.id: one for one in here}.values()]


def find(command):
    """The sources that are there while the program sleeps. What every replay would do again is done here once, too."""
    missing = {*command["sources"]} - found.keys()
    found.update({**dict.fromkeys(missing), **{one.id: one for one in sources_now(missing)}})
    for op in [MADE[number] for number in command["ops"] if number < len(MADE)]:
        if op.source.text is None:
            op.source.write_out()
    return [found[i] for i in command["sources"] if found[i] is not None]


def begin(trace, command, objects):
    """Let a Replay or a Trial listen, from the opening of the tape for which the program was put to sleep."""
    listener = command["kind"](trace, command, objects)
    trace.judge = None
    listening.now = (*listening.now, listener)
    end_with(program_frame(), entry_frame())
    opened = next((one for one in listening.now if one.number == command["tape"]), None)
    if opened is not None:
        listener.open(opened)


def hear_numbers(convert, replay):
    """Python numbers become Tensors in a function of their own, which keeps them; here the replay hears of each."""
    cell = convert.__closure__[convert.__code__.co_freevars.index("number")]
    make = cell.cell_contents
    cell.cell_contents = lambda *given: replay.number(make(*given))


def end_with(program, entry):
    """End the replay when the program ends, or when an exception leaves its part that a library called.

    What called the program must not run twice, and who would catch that exception is not known.
    """
    first = ""

    def over(frame, event, argument):
        nonlocal first
        if event == "exception":
            first = first or f"the replay ended with {argument[0].__name__}"
        elif event == "return" and (frame is program or frame.f_code.co_code[frame.f_lasti] not in RETURNS):
            checkpoint.finish(first or "the replay ended before the target was made")
        return over

    sys.settrace(lambda *_: None)
    for frame in (program, entry):
        frame.f_trace, frame.f_trace_lines = over, False
