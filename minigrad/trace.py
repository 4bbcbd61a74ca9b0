"""mg.trace: a log of all that happens, recorded by a tape or not. `tape.explain` and `mg.inspect` read it.

The log is plain data: what ran, on which line, with numbers for the Tensors and short summaries of their values. It keeps
no arrays and no Tensors alive, and forgets the oldest events when it is full.
"""

import linecache
import sys
import weakref
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .listening import Listener, listening

LIMIT = 20_000  # events that a trace keeps
SAMPLE = 8  # numbers that a summary keeps
PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the user's code. `file` tells lines of different cells apart; it is never shown."""

    file: str
    number: int

    @property
    def text(self) -> str:
        """The source, without indentation; empty if it cannot be read."""
        return linecache.getline(self.file, self.number).strip()


@dataclass(frozen=True, slots=True)
class Summary:
    """What is kept of a value: its form, its first numbers, and whether they are all finite."""

    shape: tuple
    dtype: str
    sample: tuple
    finite: bool
    zero: bool

    @classmethod
    def of(cls, value) -> "Summary":
        """Look at an array or a NumPy scalar."""
        value = np.asarray(value)
        numeric = value.dtype.kind in "biufc"
        finite = bool(np.isfinite(value).all()) if value.dtype.kind in "fc" else True
        return cls(value.shape, value.dtype.name, tuple(value.ravel()[:SAMPLE].tolist()), finite, numeric and not value.any())

    def __str__(self):
        return brief(self.sample[0]) if self.shape == () and self.sample else self.row()

    def row(self) -> str:
        """The first numbers in one line: `[1 2 ...]`."""
        count = int(np.prod(self.shape))
        shown = [brief(x) for x in self.sample[:4]]
        return f"[{' '.join(shown)}{' ...' if count > 4 else ''}]"


def brief(number) -> str:
    """A number in four digits, whole floats with a point."""
    if isinstance(number, float):
        text = f"{number:.4g}"
        return text + ".0" if text.lstrip("-").isdigit() else text
    return str(number)


@dataclass(slots=True)
class Event:
    """Something that happened. `what` says which kind it is, `line` where."""

    what: str
    line: Line
    number: int
    op: Any = None  # ran: the op; wrote and left: the method
    inputs: tuple = ()  # the numbers of the Tensors that went in
    outputs: tuple = ()  # ... and of those that came out
    dtypes: tuple = ()  # of the inputs
    rules: tuple = ()  # ran: for each input, has it a derivative?
    versions: dict = field(default_factory=dict)  # the version of each Variable among the inputs
    active: tuple = ()  # the tapes that were recording
    recorded: dict = field(default_factory=dict)  # tape -> the inputs whose edges it wrote down
    tape: int = 0  # the tape that was opened, closed, asked ...
    value: Any = None  # a Summary, or what is needed to know a value again
    more: Any = None


class Trace(Listener):
    """The log, as a context manager. `events` are in the order of time."""

    def __init__(self, strict: bool = False, limit: int = LIMIT):
        self.strict, self.events, self.count = strict, deque(maxlen=limit), 0
        self.tapes = weakref.WeakValueDictionary()
        self.versions = {}  # the present version of each Variable that was met

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    @property
    def cut(self) -> bool:
        """Has the log forgotten its first events?"""
        return self.count > len(self.events)

    def add(self, what, **details):
        """Write down an event, with the line of the user's code that it came from."""
        self.count += 1
        event = Event(what, user_line(), self.count, active=tuple(t.number for t in listening.now if t.live is not None), **details)
        self.events.append(event)
        return event

    # ---- what it hears ---------------------------------------------------------------------------------------------

    def hear(self, op, inputs, output, attributes):
        flat, rules = with_rules(op, inputs)
        outputs = output if isinstance(output, list) else [output]
        ids = [x.id for x in flat]
        self.add(
            "ran", op=op, inputs=tuple(ids), outputs=tuple([y.id for y in outputs]), rules=rules,
            dtypes=tuple([x.value.dtype.kind for x in flat]), versions={i: self.versions[i] for i in ids if i in self.versions},
            recorded={t.number: tuple([i for i in ids if i in t.live]) for t in listening.now if t.live is not None},
            value=Summary.of(outputs[0].value) if outputs else None, more=tuple([x.value for x in flat if x.id == 0 and x.value.ndim == 0]),
        )  # fmt: skip

    def read(self, variable, value):
        self.versions[variable.id] = variable.version

    def wrote(self, variable, given, how):
        source = given.id if hasattr(given, "id") else 0
        self.add("wrote", op=how, inputs=(source,), outputs=(variable.id,), versions={variable.id: variable.version}, more=given_key(given))

    def left(self, tensor, door, result):
        self.add(
            "left", op=door, inputs=(tensor.id,), dtypes=(tensor.value.dtype.kind,), versions=self.version_of(tensor.id),
            value=outer_lines(), more=given_key(result),
        )  # fmt: skip

    def stored(self, tensor, result, where):
        self.add("stored", op=where, inputs=(tensor.id,), outputs=(result.id,))

    def came(self, given, tensor):
        self.add("came", outputs=(tensor.id,), dtypes=(tensor.value.dtype.kind,), more=given_key(given))

    def started(self, tape):
        self.lifecycle("opened", tape)

    def stopped(self, tape):
        self.lifecycle("closed", tape)

    def paused(self, tape):
        self.lifecycle("paused", tape)

    def forgot(self, tape):
        self.lifecycle("forgot", tape)

    def watched(self, tape, source):
        self.lifecycle("watched", tape, inputs=(source.id,))

    def asked(self, tape, targets, sources, results):
        self.lifecycle(
            "asked", tape, inputs=tuple([y.id for y in targets]), outputs=tuple([getattr(dx, "id", 0) for dx in results]),
            more=tuple([s.id for s in sources]), value=tuple([None if dx is None else Summary.of(getattr(dx, "value", 0.0)) for dx in results]),
        )  # fmt: skip
        if self.strict:
            self.judge(tape, targets, sources)

    def judge(self, tape, targets, sources):
        """Raise for the first gradient that is broken, or a wrong number."""
        from .explain import BrokenGradient, explain

        for source in sources:
            answer = explain(tape, targets[0] if len(targets) == 1 else targets, source, depth=user_depth())
            if answer.status == "partial" or answer.meaning == "broken":
                raise BrokenGradient(str(answer))

    def lifecycle(self, what, tape, **details):
        if tape.live is not None:
            self.tapes[tape.number] = tape
            self.add(what, tape=tape.number, **details)

    def version_of(self, number):
        return {number: self.versions[number]} if number in self.versions else {}


def with_rules(op, inputs):
    """The inputs of an op in one list, and for each whether a derivative exists."""
    names = op.__wrapped__.__code__.co_varnames
    flat, rules = [], []
    for name, one in zip(names, inputs):
        several = one if isinstance(one, (list, tuple)) else [one]
        flat += several
        rules += [op.rules[f"d{name}"] is not None] * len(several)
    return flat, tuple(rules)


def given_key(given):
    """What is needed to know a value of Python or NumPy again: a weak reference to an array, or a number itself."""
    if isinstance(given, np.ndarray) and given.ndim:
        return weakref.ref(given), Summary.of(given)
    if isinstance(given, (float, np.floating)):
        return given, float(given)
    return None


def user_frame():
    """The frame of the user's code that is running: the first outside the package."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame = frame.f_back
    return frame


def user_line() -> Line:
    """The line of the user's code that is running."""
    frame = user_frame()
    return Line(frame.f_code.co_filename, frame.f_lineno)


def outer_lines() -> tuple:
    """The lines that called it, in the same file: a value may leave inside a function of the user's."""
    frame = user_frame()
    file, lines = frame.f_code.co_filename, []
    while frame.f_back and len(lines) < 4:
        frame = frame.f_back
        if frame.f_code.co_filename == file:
            lines.append(Line(file, frame.f_lineno))
    return tuple(lines)


def user_depth() -> int:
    """How many frames above its caller the user's code is."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, depth = frame.f_back, depth + 1
    return depth


# ---- switching it on -----------------------------------------------------------------------------------------------

switched = None  # the trace that mg.trace(True) has switched on
latest = deque(maxlen=4)  # the last traces, so that a tape can be explained after the block of its trace


class trace(Trace):
    """Keep a log of all that happens: for a block, or as a switch.

    Args:
        on: True at the top of a notebook switches it on, False off. Leave it out for a block: `with mg.trace() as log:`.
        strict: raise `mg.explain.BrokenGradient` at the first gradient that is broken or partial.
        limit: how many events to keep; the oldest are forgotten.

    What is computed and printed is the same with a trace as without.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.trace():
    ...     with mg.GradientTape() as tape:
    ...         y = x * x.numpy()
    >>> tape.explain(y, x).status
    'partial'
    """

    def __init__(self, on: "bool | None" = None, strict: bool = False, limit: int = LIMIT):
        global switched
        super().__init__(strict, limit)
        latest.append(self)
        if on is not None and switched is not None:
            switched.stop()
            switched = None
        if on:
            switched = self
            self.start()


def trace_of(tape) -> "Trace | None":
    """The trace that heard this tape, the newest first."""
    for one in reversed(latest):
        if any(event.tape == tape.number or tape.number in event.active for event in one.events):
            return one
    return next((one for one in listening.now if isinstance(one, Trace)), None)
