"""mg.trace and its log of all that happens, recorded by a tape or not. `tape.explain` and `mg.inspect` read it.

The log is plain data: what ran, on which line, with the numbers of the Tensors and short summaries of their values. It
keeps no Tensor alive and no large array, and forgets the oldest events when it is full.
"""

import copy
import itertools
import os
import sys
import threading
from collections import deque
from dataclasses import dataclass
from inspect import CO_NEWLOCALS
from typing import Any

import numpy as np

from ..engine.backward import ARRAYS, INPUT, OUTPUT, VJP, output_ids
from ..engine.listening import Exit, Listener, end, listening
from ..engine.op import MADE, one_by_one
from ..engine.tensor import next_id
from ..errors import visible
from . import checkpoint
from .places import USERS, Place, callers_of, here, leads_to, program_frame, user_frame
from .values import SCALARS, Given, Summary, finite, kept_lightly, waiting

LIMIT = 20_000  # events that a trace keeps
log_lock = threading.RLock()  # several threads may read one log
if hasattr(os, "register_at_fork"):  # a replay could not read what another thread was just reading
    os.register_at_fork(before=log_lock.acquire, after_in_parent=log_lock.release, after_in_child=log_lock.release)


# ---- events --------------------------------------------------------------------------------------------------------

NO_STEP = (None,) * 4
float32 = np.dtype(np.float32)  # of nearly every value: only other dtypes are asked for their kinds
NOTHING = {}  # for the many ops that read no Variable: they share it, and nobody writes into it
QUIET = {"gradient", "jacobian", "batch_jacobian", "convert"}  # names that tell less than the op's own


@dataclass(slots=True, eq=False)
class Event:
    """Something that happened.

    Attributes:
        number: it grows with time.
        code, instruction, around: where, as the fields of a Place.
        called: the function of ours that the user called.
    """

    number: int
    code: Any
    instruction: int
    around: tuple
    called: str

    @property
    def place(self) -> Place:
        return Place(self.code, self.instruction, self.around)

    @property
    def gave(self) -> tuple:
        """The numbers of the Tensors that came from it."""
        return ()


@dataclass(slots=True, eq=False)
class Ran(Event):
    """An op ran. Inputs and outputs are the numbers of Tensors; 0 is a Python number, whose value stands in `numbers`.

    For each op a trace keeps these fields: few objects, and none that Python would search for garbage again and again.
    Whoever asks gets the op and the dicts.
    """

    op_number: int
    inputs: tuple
    output: Any  # the number of the one output, or a tuple
    other_kinds: tuple  # which input's dtype is not float32, its kind in NumPy's letters, the next one, ...
    read: tuple  # a Variable among the inputs, its version, the next one, ...
    heard: tuple  # a tape that listened, the inputs along which it wrote a step, the next tape, ...
    result: Any  # ... kept lightly
    python_numbers: tuple  # which input is a Python number, its value, the next one, ...
    module: str  # the path of the layer of Keras that was being called

    @property
    def op(self):
        return MADE[self.op_number]

    @property
    def outputs(self) -> tuple:
        return self.output if self.output.__class__ is tuple else (self.output,)

    @property
    def gave(self) -> tuple:
        return self.outputs

    @property
    def versions(self) -> dict:
        """Each Variable among the inputs -> its version."""
        return dict(zip(self.read[::2], self.read[1::2])) if self.read else NOTHING

    @property
    def kinds(self) -> list:
        """The kind of each input's dtype."""
        others = dict(zip(self.other_kinds[::2], self.other_kinds[1::2]))
        return [others.get(k, "f") for k in range(len(self.inputs))]

    @property
    def recorded(self) -> dict:
        """Each tape that listened -> the inputs along which it wrote a step."""
        return dict(zip(self.heard[::2], self.heard[1::2]))

    @property
    def numbers(self) -> dict:
        """Which input -> the Python number."""
        return dict(zip(self.python_numbers[::2], [float(x.real) for x in self.python_numbers[1::2]]))

    @property
    def value(self) -> "Summary | None":
        return None if self.result is None else Summary.of(self.result)

    @property
    def name(self) -> str:
        """What the user would call it: the function that was called, or the op."""
        if self.op.kernel == "CustomGradient":
            return "custom_gradient"
        public = self.called and self.called not in QUIET and not self.called.startswith("_")
        return self.called if public else self.op.__name__


@dataclass(slots=True, eq=False)
class Wrote(Event):
    """A Variable was made or assigned, by the method `how`."""

    how: str
    variable: int
    version: int
    source: int  # the number of the Tensor that was given; 0: a value of Python or NumPy
    source_versions: dict
    given: "Given | None"
    tapes: tuple
    before: "Summary | None"  # the value that was read last, if any
    value: Summary
    name: str  # that the Variable has of its own


@dataclass(slots=True, eq=False)
class LeftEngine(Event):
    """A value left for Python or NumPy, by a exit such as "numpy()"."""

    exit: str
    tensor: int
    kind: str
    versions: dict
    given: "Given | None"


@dataclass(slots=True, eq=False)
class EnteredEngine(Event):
    """A value of Python or NumPy came in, and became this Tensor."""

    tensor: int
    kind: str
    given: "Given | None"
    value: Summary

    @property
    def gave(self) -> tuple:
        return (self.tensor,)


@dataclass(slots=True, eq=False)
class Stored(Event):
    """A Tensor went through something stateful, and came out as another."""

    where: str
    tensor: int
    versions: dict
    result: int
    tapes: tuple

    @property
    def gave(self) -> tuple:
        return (self.result,)


@dataclass(slots=True, eq=False)
class TapeEvent(Event):
    """The life of a tape: it was "opened", "closed", "paused", or it "forgot" (was reset)."""

    what: str
    tape: int


@dataclass(slots=True, eq=False)
class Watched(Event):
    """A tape was told to watch a Tensor or a Variable."""

    tape: int
    source: int


@dataclass(slots=True, eq=False)
class Asked(Event):
    """A tape was asked for gradients. The steps of its backward pass have the numbers between `began` and its own."""

    tape: int
    targets: tuple
    sources: tuple
    versions: dict  # of the sources, at this time
    results: tuple  # the numbers of the gradients that it gave; 0 is None, or IndexedSlices
    slopes: tuple  # ... and their summaries
    began: int
    released: bool  # was the tape used up by it?
    tapes: tuple  # those that listened meanwhile

    @property
    def gave(self) -> tuple:
        return tuple(filter(None, self.results))


@dataclass(slots=True, eq=False)
class StepBack:
    """A step of a backward pass: `upstream` arrived at the outputs of an op, and `sent` went to one of its inputs."""

    number: int
    output: Any  # as the step begins
    source: int
    arrived: Any  # kept lightly
    went: Any
    local: "Summary | None"  # the op's own slope, looked at only where `sent` is no longer finite

    @property
    def outputs(self) -> tuple:
        return output_ids((self.output,))

    @property
    def upstream(self) -> Summary:
        return Summary.of(self.arrived)

    @property
    def sent(self) -> Summary:
        return Summary.of(self.went)


@dataclass(slots=True, eq=False)
class Failed(Event):
    """An op was refused, or raised an error; `given` has the number and the shape of each of its inputs."""

    op: Any
    given: tuple
    versions: dict
    tapes: tuple
    error: str


@dataclass(slots=True, eq=False)
class Refused(Event):
    """A tape was asked for gradients, and raised an error."""

    tape: int
    targets: tuple
    sources: tuple
    began: int
    error: str
    released: bool


class Steps(Listener):
    """Hears a backward pass that is repeated for an explanation or a film."""

    def __init__(self):
        self.heard = []

    def stepped_back(self, step, dy, dx):
        arrived, went = kept_lightly(dy), kept_lightly(dx)
        local = None if finite(went) else broken_slope(step, dy, arrived)
        self.heard.append(StepBack(0, step[OUTPUT], step[INPUT], arrived, went, local))


def broken_slope(step, dy, arrived) -> "Summary | None":
    """The op's own slope at a step that sends an inf or a nan, if the fault is its own."""
    return slope_of(step, dy) if finite(arrived) else None


def slope_of(step, dy) -> "Summary | None":
    """What the VJP of a step sends for an upstream of ones: the op's own slope, element by element."""
    try:
        return Summary.of(step[VJP](np.ones_like(dy), *step[ARRAYS]))
    except Exception:  # a VJP that the user wrote may refuse these arguments
        return None


# ---- the log -------------------------------------------------------------------------------------------------------


class TraceExit(Exit):
    """The `__exit__` of traces: a trace in its own block goes on until the outer one ends."""

    def __get__(self, trace, kind=None):
        return nothing if trace in listening.blocks else super().__get__(trace, kind)


def nothing(*error):
    """Leave a block, and do nothing."""


class Trace(Listener):
    """The log, as a context manager.

    Programs wait while it hears them, so what ran is noted as a row of fields, and made an event when it is read.

    Attributes:
        written: a Variable's number and version -> the event that wrote it.
        left_out: how many older events there are, of a log that is `frozen`.
    """

    def __init__(self, strict: bool = False, limit: int = LIMIT):
        if limit < 1:
            instead = "for a long log leave the limit out: mg.trace()"
            raise ValueError(f"a trace must keep at least 1 event, not limit={limit}; {instead}")
        self.judge: Any = raise_if_broken if strict else None  # is told how each question can be explained
        self.limit, self.count, self.lost, self.left_out = limit, 0, False, 0
        self.unparsed, self.backward_rows = deque(maxlen=limit + 1), deque(maxlen=limit)  # not read yet; of StepBack
        self.parsed, self.makers = deque(), {}  # what somebody has read, and where each Tensor came from
        self.incomplete, self.unseen = "", 0  # what could not be heard, in words; up to where something may hide
        self.written, self.tapes = {}, {}  # what was assigned, and the numbers of the tapes that it has heard
        self.versions, self.first, self.seen = {}, {}, {}  # of a Variable: version, first meeting, value last read
        self.began, self.backward_began, self.last, self.around, self.code = next_id(), 0, NO_STEP, (), None

    def start(self):
        for listener in listening.now:
            if listener.tracked_ids is not None:  # a tape that runs already
                self.meet(listener)
        super().start()

    def __enter__(self):
        if self not in listening.now:  # `with mg.trace(True):` listens already
            self.start()
        return self

    @TraceExit
    def __exit__(self, here, *error):
        end(here, self)
        here["blocks"].pop(self, None)
        checkpoint.forget()

    def __repr__(self):
        return f"<mg.trace: {'on' if self in listening.now else 'off'}, {len(self.events)} events>"

    @property
    def events(self) -> tuple:
        """Ran, Wrote, LeftEngine, EnteredEngine, Stored, TapeEvent, Watched and Asked, in order; old ones may go."""
        with log_lock:
            self.read_up()
            return tuple(self.parsed)

    @property
    def made(self) -> dict:
        """The number of a Tensor -> the event that it came from."""
        with log_lock:
            self.read_up()
        return self.makers

    def read_up(self):
        """Make events of the rows that nobody has read yet."""
        while self.unparsed:
            event = self.unparsed.popleft()
            self.keep(Ran(*event) if event.__class__ is tuple else event)

    @property
    def cut(self) -> bool:
        """Were there too many events, so that the oldest are lost?"""
        return self.lost or len(self.unparsed) + len(self.parsed) > self.limit

    @property
    def steps(self) -> list:
        """StepBack, in the order of time."""
        return [StepBack(*row) for row in tuple(self.backward_rows)]

    def frozen(self, most: int = LIMIT) -> "Trace":
        """The log as it is now, for another thread may be writing in it; of a longer one the last `most` events."""
        with log_lock:
            events = [*self.parsed, *self.unparsed]
        now = copy.copy(self)
        now.lost, now.left_out = self.cut or len(events) > most, self.left_out + max(0, len(events) - most)
        now.unparsed, now.parsed, now.makers = deque(events[-most:]), deque(), {}
        now.written, now.first, now.tapes = (newest(past, most) for past in (self.written, self.first, self.tapes))
        rows = [*self.backward_rows]
        rows = rows if len(rows) <= most else [row for row in rows if output_ids(row[1:])[0] in now.made]
        now.backward_rows = deque(rows[-most:])
        return now

    def keep(self, event):
        """Keep an event that somebody reads, and forget the oldest if there are too many."""
        if len(self.parsed) == self.limit:
            self.lost = True
            for number in self.parsed.popleft().gave:
                self.makers.pop(number, None)
        self.parsed.append(event)
        for number in event.gave:
            self.makers[number] = self.makers.get(number, event) if event.__class__ is Asked else event

    def add(self, event):
        """Note an event."""
        self.unparsed.append(event)
        self.last = NO_STEP
        if self.cut:
            for past in (self.written, self.tapes, self.versions, self.first, self.seen):
                while len(past) > self.limit:
                    del past[next(iter(past))]

    def next(self) -> int:
        self.count += 1
        return self.count

    def meet(self, tape):
        """Be kept as long as this tape lives, so that it can be explained after the block of the trace."""
        if self not in tape.traces:
            tape.traces = (*tape.traces, self)[-RECENT:]

    def has_heard(self, tape) -> bool:
        """Did a tape do anything while it listened? (It may have been open before.)"""
        return tape.number in self.tapes or any(tape.number in e.recorded for e in self.events if isinstance(e, Ran))

    def version_of(self, number) -> dict:
        return {number: self.versions[number]} if number in self.versions else {}

    # ---- what it hears ---------------------------------------------------------------------------------------------

    def hear(self, op, inputs, output, attributes):
        if op.lists:
            inputs = one_by_one(inputs)
        ids, other_kinds, read, plain, heard = (), (), (), (), ()
        known, here = self.versions, listening.__dict__
        for x in inputs:
            i, value = x.id, x.value
            dtype = value.dtype
            if i in known:
                read += i, known[i]
            elif not i and (dtype is float32 or dtype.kind in "fc"):
                plain += len(ids), value
            if dtype is not float32:
                other_kinds += len(ids), dtype.kind
            ids += (i,)
        for tape in here["now"]:
            live = tape.tracked_ids
            if live is not None:
                heard += tape.number, ids if live.issuperset(ids) else tuple(filter(live.__contains__, ids))
        if output.__class__ is list:
            made, result = tuple([y.id for y in output]), kept_lightly(output[0].value) if output else None
        else:
            made, result = output.id, output.value
            if result.__class__ not in SCALARS:
                result = kept_lightly(result)
        frame, called = sys._getframe(2), op.__name__
        code = frame.f_code
        if code is not self.code:  # it was called elsewhere than the last op
            if not USERS[code.co_filename]:  # seldom not the user called the op
                frame, called = user_frame()
                code = frame.f_code
            self.code = code
        around = ()
        if plain and code.co_flags & CO_NEWLOCALS:
            around = self.around
            if not leads_to(frame, around):  # it often does: in a loop the calls around it are kept once
                found = callers_of(frame)
                self.around = around = around if found == around else found
        self.count = count = self.count + 1
        self.unparsed.append((
            count, code, frame.f_lasti, around, called, op.number, ids, made, other_kinds, read, heard, result, plain,
            here["module"],
        ))  # fmt: skip

    def read(self, variable):
        if self.versions.get(variable.id) == variable.version and variable.id in self.seen:
            return
        self.first.setdefault(variable.id, variable.version)
        self.versions[variable.id], self.seen[variable.id] = variable.version, Summary(variable._now.value)

    def wrote(self, variable, given, how):
        source = getattr(given, "id", 0)
        known = self.version_of(source)
        if source == variable.id:  # v.assign(v * 2) gives a Tensor, but v.assign(v) gives v: as it was before
            known = {source: variable.version - 1}
        before, seen = self.written.get((variable.id, variable.version - 1)), self.seen.pop(variable.id, None)
        before = before.value if before is not None else seen
        self.first.setdefault(variable.id, max(0, variable.version - 1))
        self.versions[variable.id] = variable.version
        event = Wrote(
            self.next(), *here(not source), how, variable.id, variable.version, source, known,
            None if source else Given.of(given), listening_tapes(), before, Summary(variable._now.value),
            variable.name,
        )  # fmt: skip
        self.written[variable.id, variable.version] = event
        self.add(event)

    def left(self, tensor, exit, result):
        kind, version = tensor.value.dtype.kind, self.version_of(tensor.id)
        self.add(LeftEngine(self.next(), *here(True), exit, tensor.id, kind, version, Given.of(result)))
        return result

    def came(self, given, tensor):
        kind, value = tensor.value.dtype.kind, Summary.of(tensor.value)
        self.add(EnteredEngine(self.next(), *here(True), tensor.id, kind, Given.of(given), value))

    def stored(self, tensor, result, where):
        version = self.version_of(tensor.id)
        self.add(Stored(self.next(), *here(), where, tensor.id, version, result.id, listening_tapes()))

    def started(self, tape):
        self.tape_event("opened", tape)
        waiting.open(tape)
        if self is newest_trace():  # an answer is read from its log, and a replay counts on as its log does
            frame = program_frame()
            checkpoint.keep(tape, self, (id(self), id(frame), frame.f_code))

    def stopped(self, tape):
        self.tape_event("closed", tape)

    def paused(self, tape):
        self.tape_event("paused", tape)

    def forgot(self, tape):
        self.tape_event("forgot", tape)

    def heard_of(self, tape):
        self.tapes[tape.number] = True
        self.meet(tape)

    def tape_event(self, what, tape):
        self.heard_of(tape)
        self.add(TapeEvent(self.next(), *here(True), what, tape.number))

    def watching(self, tape, source):
        self.heard_of(tape)
        self.add(Watched(self.next(), *here(), tape.number, source.id))

    def asking(self, tape):
        self.backward_began, self.last = self.next(), NO_STEP

    def stepped_back(self, step, dy, dx):
        """A step. What it sends is often what arrived at it, or arrives at the next: one summary serves them all."""
        dx_before, went, dy_before, arrived = self.last
        if dy is dx_before:
            arrived = went
        elif dy is not dy_before:
            arrived = kept_lightly(dy)
        went = arrived if dx is dy else dx if dx.__class__ in SCALARS else kept_lightly(dx)
        self.last = dx, went, dy, arrived
        self.count = count = self.count + 1
        local = None if finite(went) else broken_slope(step, dy, arrived)
        self.backward_rows.append((count, step[OUTPUT], step[INPUT], arrived, went, local))

    def failed(self, op, problem):
        inputs = inputs_of_failed(op)
        versions = {n: self.versions[n] for n, _ in inputs if n in self.versions}
        place = here()
        self.add(Failed(self.next(), *place, op, inputs, versions, listening_tapes(), error_text(problem)))

    def raised(self, tape, targets, sources, problem):
        self.heard_of(tape)
        numbers = [tuple([one.id for one in some]) for some in (targets, sources)]
        began = self.backward_began if targets else self.count
        used_up, place = bool(targets) and tape.steps is None, here()
        self.add(Refused(self.next(), *place, tape.number, *numbers, began, error_text(problem), used_up))

    def asked(self, tape, targets, sources, results):
        self.heard_of(tape)
        slopes = tuple([None if dx is None else Summary.of(dx) for dx in results])
        event = Asked(
            self.next(), *here(), tape.number, tuple([y.id for y in targets]),
            tuple([s.id for s in sources]), {s.id: version_of(s) for s in sources if hasattr(s, "trainable")},
            tuple([getattr(dx, "id", 0) for dx in results]), slopes, self.backward_began, tape.steps is None,
            listening_tapes(),
        )  # fmt: skip
        self.add(event)
        if self.judge is not None:
            self.judge(event, tape, lambda: self.explained(tape, targets, sources))

    def explained(self, tape, targets, sources) -> list:
        """What `tape.explain` says; a block from which nothing left need not be replayed."""
        seconds = None if self.left_while(tape) else 0
        return tape.explain(targets[0] if len(targets) == 1 else targets, list(sources), seconds=seconds)

    def left_while(self, tape) -> bool:
        """Did a value leave since the tape was opened?"""
        for event in reversed(self.events):
            if isinstance(event, LeftEngine) and event.kind in "fc":
                return True
            if isinstance(event, TapeEvent) and event.tape == tape.number and event.what == "opened":
                return False
        return False


def raise_if_broken(event, tape, explain):
    for answer in explain():
        answer.raise_if_broken()


def version_of(variable) -> "int | None":
    """How often a Variable (or the one in a Variable of Keras) was assigned; None of a Tensor."""
    return getattr(variable, "version", None) if not hasattr(variable, "path") else variable.value.version


def error_text(problem) -> str:
    return f"{type(problem).__name__}: {visible(problem)}"


def inputs_of_failed(op) -> tuple:
    """The number and the shape of each input of the op that is running, as it stands in its own frame."""
    frame: Any = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith("<op "):
        frame = frame.f_back
    names = [name for name in frame.f_locals if f"d{name}" in op.vjps] if frame is not None else []
    found = [one for name in names for one in (frame.f_locals[name] if name in op.lists else [frame.f_locals[name]])]
    return tuple([(one.id, tuple(one.value.shape)) for one in found if hasattr(one, "id") and hasattr(one, "value")])


def listening_tapes() -> tuple:
    """The numbers of the tapes that record just now."""
    return tuple([listener.number for listener in listening.now if listener.tracked_ids is not None])


def newest(past, most) -> dict:
    """The last entries of a dict."""
    return dict(itertools.islice(reversed(past.items()), most))


# ---- switching it on -----------------------------------------------------------------------------------------------


class Switch(threading.local):
    """The trace that `mg.trace(True)` has switched on in this thread."""

    trace: "trace | None" = None


switch = Switch()
RECENT = 4  # so many traces a tape keeps


class trace(Trace):
    """Keep a log of all that happens: for a block, or as a switch.

    Args:
        on: True at the top of a notebook switches it on, False off. Without it, a block: `with mg.trace() as log:`.
        strict: raise `mg.explain.BrokenGradient` at the first gradient that is broken or partial; a block from which
            values left is replayed for that.
        limit: how many events to keep; the oldest are forgotten.

    Raises:
        ValueError: the limit is less than 1.

    What is computed and printed is the same with a trace as without. A log is kept as long as a tape that it heard, so
    `tape.explain` and `mg.inspect(tape)` know of it after the block, too.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.trace():
    ...     with mg.GradientTape() as tape:
    ...         y = x * x.numpy()
    >>> tape.explain(y, x).status
    'partial'
    """

    def __init__(self, on: "bool | None" = None, strict: bool = False, limit: int = LIMIT):
        super().__init__(strict, limit)
        if on is not None and switch.trace is not None:
            switch.trace.stop()
            switch.trace = None
            checkpoint.forget()
        if on:
            switch.trace = self
            self.start()


def trace_of(tape) -> "Trace | None":
    """The trace that heard this tape, the newest first; or one that listens now."""
    for one in reversed(tape.traces):
        if one.has_heard(tape):
            return one
    return newest_trace()


def newest_trace() -> "Trace | None":
    """The trace that began to listen last."""
    return next((one for one in reversed(listening.now) if isinstance(one, Trace)), None)
