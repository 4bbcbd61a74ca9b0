"""mg.trace and its log of all that happens, recorded by a tape or not, which `tape.explain` and `mg.inspect` read.

The log is plain data: which op ran, on which line, with the numbers of the Tensors and short summaries of their values.
It forgets the oldest events when it is full, and keeps few arrays alive: what Held has room for, and the steps of the
last backward pass, or of more for tapes that still exist. Such a pass is run again when its steps are asked for.
"""

import contextlib
import copy
import itertools
import os
import sys
import threading
import time
import weakref
from collections import OrderedDict, deque
from dataclasses import dataclass, fields
from inspect import CO_NEWLOCALS
from typing import Any, NamedTuple

import numpy as np

from ..engine.backward import ARRAYS, INPUT, OUTPUT, VJP, backward, output_ids
from ..engine.listening import Exit, Listener, elsewhere, end, listeners_only, listening
from ..engine.op import MADE
from ..engine.operands import one_by_one
from ..engine.tensor import Tensor, next_id
from ..errors import unwarned, visible
from . import checkpoint
from .places import USERS, Place, callers_of, leads_to, program_frame, user_frame
from .values import MOST_HELD, SCALARS, Given, Held, Summary, as_one, kept_at

LIMIT = 20_000  # how many events a trace keeps
MOST_PASSES, LARGE_PASS = 32, 16 << 20  # how many backward passes wait to be run again, and the bytes of the largest
STEP = 200  # bytes of a step without its arrays
NO_QUESTION: tuple = 0, None, None, []
log_lock = threading.RLock()  # several threads may read one log
if hasattr(os, "register_at_fork"):  # a replay could not use a log locked by another thread
    os.register_at_fork(before=log_lock.acquire, after_in_parent=log_lock.release, after_in_child=log_lock.release)


# ---- events --------------------------------------------------------------------------------------------------------

float32 = np.dtype(np.float32)  # the dtype of nearly every value: only for other dtypes the kind is looked up
NOTHING = {}  # shared by the many ops that read no Variable; never written to
DTYPES = {type(np.dtype(letter)) for letter in "?bhilqBHILQefdFD"}
PLAIN = {int, float, bool, complex, str, tuple, slice, type(None), type(...), *DTYPES}  # attributes without arrays
QUIET = {  # less informative names than that of the op
    "gradient", "jacobian", "batch_jacobian", "convert", "fit", "evaluate", "predict", "train_on_batch", "minimize",
    "apply_gradients",
}  # fmt: skip


@dataclass(slots=True, eq=False)
class Event:
    """Something that happened.

    Attributes:
        number: increases with time.
        code, instruction, around: the place, as the fields of a Place.
        called: the library function that the user called.
        read: of most, a Variable among the Tensors that it used, its version, the next Variable, ...
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
    def call(self) -> tuple:
        """The user's call that it happened in: where, of what, and (in a loop over layers) of which layer."""
        return self.code, self.instruction, self.called, getattr(self, "module", "").partition("/")[0]

    @property
    def versions(self) -> dict:
        """Each Variable among the Tensors that it used -> its version."""
        read: Any = self.read  # type: ignore[attr-defined]
        return in_pairs(read) if read else NOTHING

    @property
    def gave(self) -> tuple:
        """The numbers of the Tensors that it produced, or the number and the version of a Variable."""
        return ()


def in_pairs(fields) -> dict:
    """The first of these fields -> the second, the third -> the fourth, and so on."""
    one_by_one = iter(fields)
    return dict(zip(one_by_one, one_by_one))


@dataclass(slots=True, eq=False)
class Ran(Event):
    """An op ran. Inputs and outputs are numbers of Tensors; 0 stands for a Python number, whose value is in `numbers`.

    A trace stores these fields for each op: few objects, and none that Python's garbage collector would traverse again
    and again. The op and the dicts are made on request.
    """

    op_number: int
    inputs: tuple
    output: Any  # the number of the one output, or a tuple
    other_kinds: tuple  # index of an input whose dtype is not float32, the kind of its dtype, the next index, ...
    read: tuple
    heard: Any  # a listening tape, the inputs for which it wrote a step, the next tape, ...; one with all of them alone
    result: Any  # a single number, or the page of Held with the output, or both fields of each of several outputs,
    at: "int | None"  # ... and the index on the page
    python_numbers: tuple  # index of an input that is a Python number, its value, the next index, ...
    module: str  # the path of the Keras layer that was being called
    attributes: "tuple | None" = ()  # None if they are not all plain values

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
    def kinds(self) -> list:
        """The kind of each input's dtype."""
        kinds = ["f"] * len(self.inputs)
        for k, kind in in_pairs(self.other_kinds).items():
            kinds[k] = kind
        return kinds

    @property
    def recorded(self) -> dict:
        """Each listening tape -> the inputs for which it wrote a step."""
        return in_pairs(self.heard) if self.heard.__class__ is tuple else {self.heard: self.inputs}

    @property
    def numbers(self) -> dict:
        """Index of an input -> the Python number."""
        return {k: float(x.real) for k, x in in_pairs(self.python_numbers).items()}

    @property
    def values(self) -> list:
        """The Summary of each output."""
        several = self.result.__class__ is tuple
        return [kept_at(*one) for one in (self.result if several else [(self.result, self.at)])]

    def value_of(self, number) -> "Summary | None":
        """The Summary of the output with this number."""
        return self.values[self.outputs.index(number)]

    @property
    def value(self) -> "Summary | None":
        """All outputs, as one."""
        return as_one(self.values) if self.result.__class__ is tuple else kept_at(self.result, self.at)

    @property
    def name(self) -> str:
        """The user's name for it: that of the function that was called, or of the op."""
        op = self.op
        if op.kernel == "CustomGradient":
            return "custom_gradient"
        public = self.called and self.called not in QUIET and not self.called.startswith("_")
        return public_name(self.called if public else op.__name__)


PUBLIC_NAMES = dict(
    added_at="scatter_nd", binomial_numbers="stateless_binomial", cast_coarsely="cast", cast_smoothly="cast",
    complex_abs="abs", complex_sign="sign", complex_squared_difference="squared_difference", contraction="einsum",
    contrast="adjust_contrast", cross_entropy="softmax_cross_entropy_with_logits", distinct="unique",
    eigenpairs="eigh", gamma_numbers="gamma", gather_points="gather_nd", general_eigenpairs="eig",
    higher_digamma="polygamma", hue="adjust_hue", hurwitz_zeta="zeta", in_order="sort", joined="concat",
    logistic_loss="sigmoid_cross_entropy_with_logits", lower_factor="cholesky", mirror_pad="pad", of_parts="complex",
    pad_constant="pad", plus="add", poisson_counts="poisson", product="matmul", robust_lstsq="lstsq",
    saturation="adjust_saturation", select="where", singular_triplets="svd", singular_values="svd",
    split_by_size="split", split_evenly="split", stepped="relu_grad", stopped="stop_gradient", take="getitem",
    take_slice="getitem", with_gradient="custom_gradient",
)  # fmt: skip


def public_name(name) -> str:
    """What users call the op of this name."""
    return PUBLIC_NAMES.get(name, name)


ADDING = {"assign_add": 1, "assign_sub": -1}  # the methods that add to a Variable -> with which sign


@dataclass(slots=True, eq=False)
class Wrote(Event):
    """A Variable was created or assigned, by the method `how`."""

    how: str
    variable: int
    version: int
    source: int  # the number of the Tensor that was given, or 0 for a value of Python or NumPy
    read: tuple
    given: "Given | None"
    tapes: tuple
    known: Any  # the value before, if it is known, and ...
    kept: Any  # ... the value now: each a Summary, or a small value itself
    name: str  # that the Variable has of its own
    module: str  # the path of the layer of Keras that was being called

    @property
    def gave(self) -> tuple:
        return ((self.variable, self.version),)

    @property
    def before(self) -> "Summary | None":
        return kept_at(self.known)

    @property
    def value(self) -> Summary:
        return kept_at(self.kept)


@dataclass(slots=True, eq=False)
class LeftEngine(Event):
    """A value left for Python or NumPy, by an exit such as "numpy()"."""

    exit: str
    tensor: int
    kind: str
    read: tuple
    given: "Given | None"


@dataclass(slots=True, eq=False)
class EnteredEngine(Event):
    """A value of Python or NumPy entered and became this Tensor."""

    tensor: int
    kind: str
    given: "Given | None"
    value: Summary

    @property
    def gave(self) -> tuple:
        return (self.tensor,)


@dataclass(slots=True, eq=False)
class Stored(Event):
    """A Tensor was stored in something stateful, and came out as another one."""

    where: str
    tensor: int
    read: tuple
    result: int
    tapes: tuple

    @property
    def gave(self) -> tuple:
        return (self.result,)


@dataclass(slots=True, eq=False)
class Repeats(Event):
    """A function of the library was called that calls one of the user again and again, such as `foldl`."""


@dataclass(slots=True, eq=False)
class TapeEvent(Event):
    """A tape was "opened", "closed", "paused", reset ("forgot"), or "resumed" after what the trace has not heard."""

    what: str
    tape: int
    time: float  # of the performance counter
    threads: int  # how many were alive then


@dataclass(slots=True, eq=False)
class Watched(Event):
    """A tape was told to watch a Tensor or a Variable."""

    tape: int
    source: int


@dataclass(slots=True, eq=False)
class Asked(Event):
    """A tape was asked for gradients. The numbers of the steps of its backward pass lie between `began` and its own."""

    tape: int
    targets: tuple
    sources: tuple
    read: tuple  # among the sources
    results: tuple  # the numbers of the resulting gradients; 0 for None or IndexedSlices
    found: tuple  # ... and each one's page and index there, or None
    began: int
    released: bool  # whether this question used up the tape
    tapes: tuple  # the tapes that listened in the meantime

    @property
    def gave(self) -> tuple:
        return tuple(filter(None, self.results))

    @property
    def slopes(self) -> tuple:
        """The Summaries of the gradients."""
        return tuple([None if one is None else kept_at(*one) for one in self.found])


@dataclass(slots=True, eq=False)
class StepBack:
    """A step of a backward pass: `upstream` arrived at the outputs of an op, and `sent` went to one of its inputs."""

    number: int
    output: Any  # as at the start of the step
    source: int
    upstream: Summary
    sent: Summary
    local: "Summary | None"  # the op's own slope, if only `sent`, and not the upstream, is 0 or not finite

    @classmethod
    def of(cls, number, step, dy, upstream, sent):
        """The event of a step that an upstream gradient dy reached."""
        faded = sent.zero and not upstream.zero and not calls_user(step[VJP])
        local = slope_of(step, upstream) if faded or (not sent.finite and upstream.finite) else None
        return cls(number, step[OUTPUT], step[INPUT], upstream, sent, local)

    @property
    def outputs(self) -> tuple:
        return output_ids((self.output,))


class Shaped(NamedTuple):
    """An array that an op was given: the number of its Tensor, or 0, and its shape, in which None is any length."""

    number: int
    shape: tuple
    dtype: Any = None


def shapes_given(arguments) -> list:
    """The arrays among the arguments of an op that raised, in order."""
    every = [one for some in arguments.values() for one in (some if isinstance(some, list) else [some])]
    return [one for one in every if isinstance(one, Shaped)]


@dataclass(slots=True, eq=False)
class Failed(Event):
    """An op refused its inputs or raised an error.

    Attributes:
        op: the op, or the name of something else that compares shapes, such as "assign".
        arguments: parameter -> its value, in which arrays are replaced by their Shaped.
    """

    op: Any
    arguments: dict
    read: tuple
    tapes: tuple
    error: str

    @property
    def given(self) -> list:
        """The number and the shape of each input."""
        return [(one.number, one.shape) for one in shapes_given(self.arguments)]


@dataclass(slots=True, eq=False)
class Refused(Event):
    """A tape was asked for gradients, and raised an error."""

    tape: int
    targets: tuple
    sources: tuple
    began: int
    error: str
    released: bool


class Shared:
    """Makes Summaries, and only one of a value that was among the last two: what arrives is mostly what was sent."""

    def __init__(self, make):
        self.make, self.last = make, ()

    def of(self, value) -> Summary:
        found = [summary for known, summary in self.last if known is value]
        summary = found[0] if found else self.make(value)
        self.last = (*self.last[-1:], (value, summary))
        return summary


class Steps(Listener):
    """Hears a backward pass that is run again: all of it, or only the steps of some outputs."""

    def __init__(self, outputs=None, number=0, keep=Summary.of):
        self.heard, self.outputs, self.number, self.shared = [], outputs, number, Shared(keep)

    def stepped_back(self, step, dy, dx):
        if self.outputs is None or output_ids(step)[0] in self.outputs:
            self.heard.append(StepBack.of(self.number, step, dy, self.shared.of(dy), self.shared.of(dx)))


class BackwardPass:
    """A backward pass that is run again when its steps are asked for: most never are, and to note each takes longer.

    Attributes:
        number: that of its steps.
        tape: a weak reference to the tape.
        whole: all steps that the tape had, those that lead to no source too.
        size: the bytes of these steps and of the arrays that they keep.
    """

    found: "list | None" = None  # once it was run

    def __init__(self, number, tape, whole, size, *again):
        self.number, self.tape, self.whole, self.size, self.again = number, tape, whole, size, again

    def steps(self, keep=Summary.of) -> list:
        """Its StepBack events, up to an error."""
        if self.found is None:
            steps, seeds, source_ids = self.again
            heard = Steps(number=self.number, keep=keep)
            with listeners_only(heard), contextlib.suppress(Exception):
                unwarned(backward, steps[:], {**seeds}, source_ids)
            self.found = heard.heard
        return self.found


def size_of(steps) -> float:
    """The bytes of steps and their arrays; infinite if one calls a user's function."""
    if any(map(calls_user, {step[VJP] for step in steps})):
        return np.inf
    sizes = [one.nbytes for step in steps for one in step[ARRAYS] if one.__class__ is np.ndarray]
    return STEP * len(steps) + sum(sizes)


def calls_user(vjp) -> bool:
    """Whether a VJP calls a user's function, which must not run once more."""
    return hasattr(vjp, "no_unbroadcast")


def slope_of(step, upstream) -> "Summary | None":
    """The VJP of a step for an upstream of ones: the op's own slope, element by element."""
    output = step[OUTPUT]
    several = output.__class__ is tuple
    ones = [np.ones(shape, dtype) for _, shape, dtype in output] if several else np.ones(upstream.shape, upstream.dtype)
    try:
        return Summary.of(step[VJP](ones, *step[ARRAYS]))
    except Exception:  # a user's VJP may refuse these arguments
        return None


# ---- the log -------------------------------------------------------------------------------------------------------


KINDS = Ran, Wrote, LeftEngine, EnteredEngine, Stored, Repeats, TapeEvent, Watched, Asked, Failed, Refused
FIELDS = {kind: len(fields(kind)) for kind in KINDS}
WIDTH = FIELDS[Ran] + 1  # no event has more fields than this one
FILL = {kind: (*[None] * (WIDTH - count - 1), kind) for kind, count in FIELDS.items()}  # follows the fields in a row


def event_of(row) -> Event:
    """The event of a row: the fields of an event, filled up, and its class."""
    return row[-1](*row[: FIELDS[row[-1]]])


class TraceExit(Exit):
    """The `__exit__` of traces: a trace nested in its own block goes on until the outer block ends."""

    def __get__(self, trace, kind=None):
        return nothing if trace in listening.blocks else super().__get__(trace, kind)


def nothing(*error):
    """Leave a block without doing anything."""


class Trace(Listener):
    """The log, as a context manager.

    Programs wait while a trace listens, so events are noted as rows of their fields, and made when they are read.

    Attributes:
        cells: the rows, one after the other: garbage collection traverses this faster than tuples.
        parsed, makers: the events that were made of them, and the origin of each Tensor and each version of a Variable.
        by_kind: for a `frozen` log, the events of each kind.
        tapes: number of a tape heard -> a weak reference to it.
        first, versions, seen: number of a Variable -> its first version, its last, and the value of that.
        left_out: for a `frozen` log, the number of older events.
        hears_exits: whether it hears of all values that leave.
        elements: those for replays, which cannot draw them again: index -> the number of events by then, and the
            element.
    """

    hears_exits = True

    def __init__(self, strict: bool = False, limit: int = LIMIT):
        if limit < 1:
            instead = "for a long log leave the limit out: mg.trace()"
            raise ValueError(f"a trace must keep at least 1 event, not limit={limit}; {instead}")
        self.judge: Any = raise_if_broken if strict else None  # called with each question and a way to explain it
        self.limit, self.count, self.lost, self.left_out = min(limit, sys.maxsize // WIDTH - 1), 0, False, 0
        self.elements: Any = {}
        self.cells, self.held = deque(maxlen=(self.limit + 1) * WIDTH), Held()
        self.passes, self.backward = [], deque(maxlen=limit)  # backward passes to run again, and steps that were noted
        self.parsed, self.makers = deque(), {}
        self.by_kind: Any = None
        self.aside: list = []  # in a replay, the events before it
        self.incomplete, self.unseen = "", 0  # what was not heard, as text; until which event something may be hidden
        self.tapes, self.versions, self.first, self.seen = OrderedDict(), OrderedDict(), OrderedDict(), OrderedDict()
        self.read_versions = self.versions
        self.began, self.around, self.code, self.instruction = next_id(), (), None, 0
        # In progress, a user's VJP may ask another tape: when it began, the tape, its Shared and its steps.
        self.questions: list = []

    def start(self):
        for listener in listening.now:
            if listener.tracked_ids is not None:  # a tape that is already open, or a proxy of one entered by hand
                tape = listener.stop.__self__
                self.meet(tape)
                self.held.open(tape)
        elsewhere.append(weakref.ref(self, elsewhere.remove))
        super().start()

    def stop(self):
        self.leave_others()
        super().stop()

    def leave_others(self):
        """Hear no more of other threads."""
        with contextlib.suppress(ValueError):  # it was left before
            elsewhere.remove(weakref.ref(self))

    def missed(self):
        self.unseen = self.count + 1

    def __enter__(self):
        if self not in listening.now:  # `with mg.trace(True):` is already listening
            self.start()
        return self

    @TraceExit
    def __exit__(self, here, *error):
        self.leave_others()
        end(here, self)
        here["blocks"].pop(self, None)
        checkpoint.forget()

    def __repr__(self):
        return f"<mg.trace: {'on' if self in listening.now else 'off'}, {len(self.events)} events>"

    @property
    def newest(self) -> Event:
        """The last event heard."""
        return event_of([self.cells[k] for k in range(-WIDTH, 0)])

    @property
    def events(self) -> tuple:
        """All events in order, except those of `steps`; the oldest may be lost."""
        with log_lock:
            self.read_up()
            return tuple(self.parsed)

    def every(self, kind) -> list:
        """The events of a kind, in order."""
        if self.by_kind is not None:
            return self.by_kind.get(kind, [])
        return [event for event in self.events if event.__class__ is kind]

    @property
    def made(self) -> dict:
        """The number of a Tensor, or the number and a version of a Variable -> the event that produced it."""
        with log_lock:
            self.read_up()
        return self.makers

    def read_up(self):
        """Make events of the rows that are not read yet.

        The rows stay: another thread may be adding some, and what an interrupt leaves undone is done the next time.
        """
        last = self.parsed[-1].number if self.parsed else 0
        if self.cells and self.cells[-WIDTH] != last:
            for row in self.rows_after(last):
                self.keep(event_of(row))

    def rows_after(self, last) -> list:
        """The rows since the event of this number: of a long log few are new, so the newest are looked at first."""
        cells, length, found = [], 64 * WIDTH, None
        while found is None and len(cells) < len(self.cells):
            length *= 8
            with contextlib.suppress(RuntimeError):  # another thread was just adding a row
                cells = [*itertools.islice(reversed(self.cells), length)][::-1]
            starts = range(0, len(cells), WIDTH)
            found = next((k for k in reversed(starts) if cells[k] == last), None)
        return [cells[k : k + WIDTH] for k in starts if found is None or k > found]

    @property
    def cut(self) -> bool:
        """Whether there were too many events, so that the oldest are lost."""
        return self.lost or len(self.cells) > self.limit * WIDTH

    @property
    def steps(self) -> list:
        """The StepBack events, in order; of tapes that are gone those of the last backward pass."""
        return self.steps_where(lambda one: True)

    def steps_of(self, questions) -> list:
        """The StepBack events of these Asked and Refused events, in order, without those of other questions within."""

        def within(one, some):
            return any(e.began < one.number < e.number for e in some)

        others = [e for e in (*self.every(Asked), *self.every(Refused)) if e not in questions]
        others = [e for e in others if within(e, questions)]
        return self.steps_where(lambda one: within(one, questions) and not within(one, others))

    def steps_where(self, belongs) -> list:
        with log_lock:
            again = [step for one in self.passes if belongs(one) for step in one.steps()]
            return sorted([*again, *filter(belongs, self.backward)], key=lambda step: step.number)

    def frozen(self, most: int = LIMIT) -> "Trace":
        """A copy of the log, which another thread may still be writing; of a longer log, the last `most` events. A copy
        that is short enough is returned itself."""
        if self.by_kind is not None and len(self.parsed) <= most:
            return self
        with log_lock:
            events, makers, now = self.events, {**self.makers}, copy.copy(self)
        now.lost, now.left_out = self.cut or len(events) > most, self.left_out + max(0, len(events) - most)
        now.cells, now.parsed, now.by_kind = deque(), deque(events[-most:]), {}
        for event in now.parsed:
            now.by_kind.setdefault(event.__class__, []).append(event)
        since = now.parsed[0].number if now.parsed else 0
        now.makers = {number: event for number, event in makers.items() if event.number >= since}
        now.first, now.tapes = newest(self.first, most), newest(self.tapes, most)
        now.passes, now.backward = [*self.passes], deque(self.backward, most)
        return now

    def set_aside(self):
        """Take all events out of the log, for a replay. To read them, or free them, takes longer than most blocks."""
        self.aside.append((self.cells, self.parsed))
        self.cells, self.parsed = deque(maxlen=self.cells.maxlen), deque()

    def keep(self, event):
        """Keep an event that has been read, and forget the oldest if there are too many."""
        if len(self.parsed) == self.limit:
            for number in self.parsed[0].gave:
                self.makers.pop(number, None)
            self.parsed.popleft()
        for number in event.gave:
            self.makers[number] = self.makers.get(number, event) if event.__class__ is Asked else event
        self.parsed.append(event)

    def add(self, kind, *fields):
        """Note an event."""
        self.cells.extend((*fields, *FILL[kind]))

    def forget_old(self):
        """Of what is not forgotten with the events, forget all that is more than the limit."""
        for past in (self.tapes, self.versions, self.first, self.seen):
            while len(past) > self.limit:
                past.popitem(last=False)

    def next(self) -> int:
        self.count += 1
        return self.count

    def meet(self, tape):
        """Keep this trace alive as long as the tape, so that the tape can be explained after the trace's block."""
        if self not in tape.traces:
            tape.traces = (*tape.traces, self)[-RECENT:]

    def has_heard(self, tape) -> bool:
        """Whether a tape did anything while the trace listened. (It may have been opened before.)"""
        return tape.number in self.tapes or any(tape.number in e.recorded for e in self.every(Ran))

    def opening(self, number) -> "TapeEvent | None":
        """The event by which the tape of this number was opened; None if that was before the trace, or is forgotten."""
        first = next((e for e in self.every(TapeEvent) if e.tape == number), None)
        return first if first is not None and first.what == "opened" else None

    def version_of(self, number) -> tuple:
        """For an event's `read`."""
        return (number, self.versions[number]) if number in self.versions else ()

    def here(self, with_callers=False) -> tuple:
        """The running place in user code, as an Event's fields, and the name of the library function that it called."""
        frame, called = user_frame(sys._getframe(2))
        return frame.f_code, frame.f_lasti, self.callers(frame) if with_callers else (), called

    def callers(self, frame) -> tuple:
        """The calls around a frame. Usually they are the last ones: in a loop they are stored once."""
        if not leads_to(frame, self.around):
            found = callers_of(frame)
            self.around = self.around if found == self.around else found
        return self.around

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
        if len(heard) == 2 and heard[1] is ids:
            heard = heard[0]
        at = None
        if output.__class__ is list:
            made, result = tuple([y.id for y in output]), tuple([self.held.keep(y.value) for y in output])
        else:
            made, result = output.id, output.value
            if result.__class__ not in SCALARS:
                result, at = self.held.keep(result)
        frame, called = sys._getframe(2), op.__name__
        code, before = frame.f_code, self.code
        if code is not before:  # a different caller than for the last op
            if not USERS[code.co_filename]:  # rarely, the caller is not user code
                frame, by = user_frame(frame)
                code, called = frame.f_code, by or called  # an op is called by itself the first time
            self.code = code
        instruction, around = frame.f_lasti, ()
        if code.co_flags & CO_NEWLOCALS and (plain or code is not before or instruction <= self.instruction):
            around = self.callers(frame)  # the function may have been called again
        self.instruction = instruction
        self.count = count = self.count + 1
        self.cells.extend((
            count, code, instruction, around, called, op.number, ids, made, other_kinds, read, heard, result, at,
            plain, here["module"], attributes if not attributes or PLAIN.issuperset(map(type, attributes)) else None,
            Ran,
        ))  # fmt: skip

    def read(self, variable):
        number, version = variable.id, variable.version
        if self.versions.get(number) != version:
            self.first.setdefault(number, version)
            self.versions[number], self.seen[number] = version, self.held.variable(variable._now.value)

    def wrote(self, variable, given, how):
        number, version, value = variable.id, variable.version, variable._now.value
        source, whole = getattr(given, "id", 0), how in ("Variable", "assign")
        before = self.seen[number] if self.versions.get(number) == version - 1 else None
        read = self.version_of(source) if source != number else (source, version - 1)  # v.assign(v) passes v as it was
        if before is not None:
            self.held.outdate(before)
        self.first.setdefault(number, max(0, version - 1))
        self.versions[number], self.seen[number] = version, self.held.variable(value)
        self.add(
            Wrote, self.next(), *self.here(not source), how, number, version, source, read,
            None if source else Given.of(given, self.held, value if whole else None), listening_tapes(), before,
            self.seen[number], variable.name, listening.module,
        )  # fmt: skip
        if len(self.seen) > self.limit:
            self.forget_old()

    def value_of(self, number, version) -> "Summary | None":
        """The value of a Variable at a version; None if it is not known."""
        wrote, after = (self.made.get((number, one)) for one in (version, version + 1))
        if wrote is None and after is None and self.versions.get(number) == version:
            return kept_at(self.seen[number])
        return wrote.value if wrote is not None else after and after.before

    def left(self, tensor, exit, result):
        kind, version = tensor.value.dtype.kind, self.version_of(tensor.id)
        given = Given.of(result, self.held, tensor.value)
        self.add(LeftEngine, self.next(), *self.here(True), exit, tensor.id, kind, version, given)
        return result

    def came(self, given, tensor):
        kind, value = tensor.value.dtype.kind, self.held.summary(tensor.value)
        same = Given.of(given, self.held, tensor.value)
        self.add(EnteredEngine, self.next(), *self.here(True), tensor.id, kind, same, value)

    def stored(self, tensor, result, where):
        version = self.version_of(tensor.id)
        self.add(Stored, self.next(), *self.here(), where, tensor.id, version, result.id, listening_tapes())

    def repeating(self):
        self.add(Repeats, self.next(), *self.here(True))

    def started(self, tape):
        unheard, used = tape.number not in self.tapes, tape.tracked_ids
        frame = self.tape_event("resumed" if unheard and used else "opened", tape)
        self.held.open(tape)
        if len(self.tapes) > self.limit:
            self.forget_old()
        # answers are read from the log of the newest trace, and a replay goes on counting like it
        if unheard and not used and self is newest_trace():
            checkpoint.keep(tape, self, program_frame(frame))

    def stopped(self, tape):
        self.tape_event("closed", tape)

    def paused(self, tape):
        self.tape_event("paused", tape)

    def forgot(self, tape):
        self.tape_event("forgot", tape)

    def heard_of(self, tape):
        if tape.number not in self.tapes:
            self.tapes[tape.number] = weakref.ref(tape)
            self.meet(tape)

    def tape_event(self, what, tape):
        """Note what a tape did, and return the user's frame in which it did so."""
        self.heard_of(tape)
        frame, called = user_frame(sys._getframe(2))
        place, self.code = (frame.f_code, frame.f_lasti, self.callers(frame)), None
        now = time.perf_counter(), threading.active_count()
        self.add(TapeEvent, self.next(), *place, called, what, tape.number, *now)
        return frame

    def watching(self, tape, source):
        self.heard_of(tape)
        self.add(Watched, self.next(), *self.here(), tape.number, source.id)

    def asking(self, tape):
        known = [one for one in self.questions if one[1]() is not None]  # of interrupted ones
        whole = [*(tape.steps or ())]  # a backward pass drops those that lead to no source
        self.questions = [*known, (self.next(), weakref.ref(tape), Shared(self.held.summary), whole)]

    def answered(self, tape) -> int:
        """End the question that this tape is being asked; return when it began."""
        for place in reversed(range(len(self.questions))):
            began, asked, *_ = self.questions[place]
            if asked() is tape:
                self.questions = self.questions[:place]
                return began
        return self.count

    def follows(self, steps, seeds, source_ids, recorded):
        number, (_, tape, _, whole) = self.next(), self.questions[-1] if self.questions else NO_QUESTION
        size = np.inf if recorded else size_of(whole or steps)
        if size > LARGE_PASS:
            whole.clear()  # so that the memory falls along the way
        elif self.questions:
            self.keep_pass(BackwardPass(number, tape, whole or steps[:], size, steps[:], {**seeds}, source_ids))
        return size > LARGE_PASS

    def gave_up(self):
        began = self.questions[-1][0] if self.questions else self.count
        with log_lock:
            self.passes = [one for one in self.passes if one.number < began]
            while self.backward and self.backward[-1].number > began:
                self.backward.pop()

    def keep_pass(self, one):
        passes = self.passes
        if passes and passes[-1].tape() is None:
            passes.pop()
        passes.append(one)
        if len(passes) > 1 and (len(passes) > MOST_PASSES or sum([one.size for one in passes]) > MOST_HELD):
            self.note_oldest_pass()

    def note_oldest_pass(self):
        """Note the steps of the oldest backward pass, if its tape is still there."""
        with log_lock:
            oldest = self.passes.pop(0)
            if oldest.tape() is not None:
                self.backward.extend(oldest.steps(self.held.summary))

    def stepped_back(self, step, dy, dx):
        shared = self.questions[-1][2] if self.questions else Shared(self.held.summary)
        self.backward.append(StepBack.of(self.next(), step, dy, shared.of(dy), shared.of(dx)))

    def failed(self, op, problem, given):
        shapes = [Shaped(getattr(x, "id", 0), tuple(shape)) for x, shape in given]
        arguments, place = {"shapes": shapes} if given else arguments_of_failed(), self.here()
        read = sum([self.version_of(one.number) for one in shapes_given(arguments)], ())
        self.add(Failed, self.next(), *place, op, arguments, read, listening_tapes(), error_text(problem))

    def raised(self, tape, targets, sources, problem):
        self.heard_of(tape)
        numbers = [tuple([one.id for one in some]) for some in (targets, sources)]
        began = self.answered(tape)
        used_up, place = bool(targets) and tape.steps is None, self.here()
        self.add(Refused, self.next(), *place, tape.number, *numbers, began, error_text(problem), used_up)

    def asked(self, tape, targets, sources, results):
        self.heard_of(tape)
        self.held.ask(tape)
        source_ids = tape.last_question[1]
        known, keep, began = self.versions, self.held.keep, self.answered(tape)
        read = [one for i in source_ids if i in known for one in (i, known[i])]
        if len(read) < 2 * len(source_ids):
            others = [s for s in sources if s.id not in known and hasattr(s, "trainable")]
            read += [one for s in others for one in (s.id, version_of(s))]
        self.add(
            Asked, self.next(), *self.here(), tape.number, tuple([y.id for y in targets]), (*source_ids,), tuple(read),
            tuple([getattr(dx, "id", 0) for dx in results]),
            tuple([None if dx is None else keep(dx.value if dx.__class__ is Tensor else dx) for dx in results]),
            began, tape.steps is None, listening_tapes(),
        )  # fmt: skip
        if self.judge is not None:
            with checkpoint.answering:
                self.judge(self.newest, tape, self.explaining(tape, targets, sources))

    def explaining(self, tape, targets, sources):
        """A function that calls `explained` later."""
        return lambda: self.explained(tape, targets, sources)

    def explained(self, tape, targets, sources) -> list:
        """The result of `tape.explain`. A block that no value left is not replayed."""
        seconds = None if self.left_while(tape) else 0
        return tape.explain(targets[0] if len(targets) == 1 else targets, list(sources), seconds=seconds)

    def left_while(self, tape) -> bool:
        """Whether a value has left since the tape was opened."""

        def goes_on(event):
            return not (isinstance(event, TapeEvent) and event.tape == tape.number and event.what == "opened")

        since = itertools.takewhile(goes_on, reversed(self.events))
        return any(isinstance(event, LeftEngine) and event.kind in "fc" for event in since)


def raise_if_broken(event, tape, explain):
    for answer in explain():
        answer.raise_if_broken()


def version_of(variable) -> "int | None":
    """How often a Variable (or the one inside a Keras Variable) was assigned; None for a Tensor."""
    return getattr(variable, "version", None) if not hasattr(variable, "path") else variable.value.version


def error_text(problem) -> str:
    return f"{type(problem).__name__}: {visible(problem)}"


def arguments_of_failed() -> dict:
    """The arguments of the running op as in Failed, taken from its frame."""
    frame: Any = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith("<op "):
        frame = frame.f_back
    if frame is None:
        return {}
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    return {name: shaped(frame.f_locals[name]) for name in names if name != "name"}


def shaped(thing):
    """An argument with each array in it replaced by its Shaped."""
    if isinstance(thing, (list, tuple)) and any(hasattr(one, "id") for one in thing):
        return [shaped(one) for one in thing]
    array = hasattr(thing, "id") and hasattr(thing, "value")
    return Shaped(thing.id, tuple(thing.value.shape), thing.value.dtype) if array else thing


def listening_tapes() -> tuple:
    """The numbers of the tapes that are recording now."""
    return tuple([listener.number for listener in listening.now if listener.tracked_ids is not None])


def newest(past, most):
    """The last entries of an OrderedDict."""
    return type(past)(itertools.islice(reversed(past.items()), most))


# ---- switching it on -----------------------------------------------------------------------------------------------


class Switch(threading.local):
    """The trace switched on by `mg.trace(True)` in this thread."""

    trace: "trace | None" = None


switch = Switch()
RECENT = 4  # how many traces a tape keeps


class trace(Trace):
    """Keep a log of everything that happens, for a block or as a switch.

    Args:
        on: True switches it on (at the top of a notebook), False off. Without it, use a block: `with mg.trace() as
            log:`.
        strict: raise `mg.explain.BrokenGradient` at the first gradient that is broken or partial; to find out, a block
            that values have left is replayed.
        limit: how many events to keep; the oldest are forgotten.

    Raises:
        TypeError: `on` is neither True nor False.
        ValueError: the limit is less than 1.

    A program computes and prints the same with a trace as without. A log is kept as long as any tape that it heard, so
    `tape.explain` and `mg.inspect(tape)` can use it after the block.

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
        if on is not None and not isinstance(on, (bool, np.bool_)):
            problem = f"mg.trace was given {visible(on)}"
            raise TypeError(f"{problem}: write mg.trace(True) to switch it on, and mg.trace(False) to switch it off.")
        if on is not None and switch.trace is not None:
            switch.trace.stop()
            switch.trace = None
            checkpoint.forget()
        if on:
            switch.trace = self
            self.start()


def trace_of(tape) -> "Trace | None":
    """The newest trace that heard this tape, or else one that is listening now."""
    for one in reversed(tape.traces):
        if one.has_heard(tape):
            return one
    return newest_trace()


def newest_trace() -> "Trace | None":
    """The trace that started listening last."""
    for one in reversed(listening.now):
        if isinstance(one, Trace):
            return one
    return None
