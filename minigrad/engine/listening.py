"""Listeners: tapes and traces. Ops, Variables and Tensors report to `listening.now`, and do not know who listens."""

import contextlib
import threading
from types import MappingProxyType
from typing import Any


class Listening(threading.local):
    """What listens in this thread: `listening.now` is a tuple of Listeners, outermost first."""

    now: "tuple[Listener, ...]" = ()


listening = Listening()


@contextlib.contextmanager
def listeners_only(*listeners):
    """A block that these alone hear."""
    before, listening.now = listening.now, listeners
    try:
        yield
    finally:
        listening.now = before


def without_tapes():
    """A block that tapes do not hear: what is computed in it is a constant to them."""
    return listeners_only(*[one for one in listening.now if one.tracked_ids is None])


def recording() -> bool:
    """Does any tape (not only a trace) listen in this thread?"""
    return any([listener.tracked_ids is not None for listener in listening.now])


def warn(text, *arguments):
    """Say it in the log, which is loaded when there is something to say: importing is a thirtieth quicker."""
    import logging

    logging.getLogger("minigrad").warning(text, *arguments)


class Listener:
    """Something that is told what happens from `start` to `stop`. It overrides the methods of what it wants to know.

    A GradientTape listens, to record what a gradient will need. A trace listens, to keep a log of everything.
    """

    tracked_ids: Any = None  # of a tape: the ids that a watched value has reached; the others are told of each op
    number = 0  # a tape has one of its own
    read_versions: Any = MappingProxyType({})  # of a tape: the versions of Variables it knows; only others are told

    def start(self) -> None:
        """Listen from here on, in this thread."""
        listening.now = (*listening.now, self)

    def stop(self) -> None:
        """Listen no longer."""
        listening.now = tuple([other for other in listening.now if other is not self])

    # ---- what is reported -------------------------------------------------------------------------------------

    def hear(self, op, inputs, output, attributes) -> None:
        """An op ran."""

    def read(self, variable) -> None:
        """A Variable was read."""

    def wrote(self, variable, given, how) -> None:
        """A Variable was assigned what the user gave, by the method of this name ("assign", "Variable" ...)."""

    def left(self, tensor, exit, result) -> None:
        """A value left for Python or NumPy, by an exit such as "numpy()" or "float()", as this result."""

    def stored(self, tensor, result, where) -> None:
        """A Tensor went through something stateful ("Dataset", "FIFOQueue"), and came out as another."""

    def came(self, given, tensor) -> None:
        """A value of Python or NumPy came in, and became this Tensor."""

    def started(self, tape) -> None:
        """A tape began to listen, or went on."""

    def stopped(self, tape) -> None:
        """A tape ceased to listen."""

    def paused(self, tape) -> None:
        """A tape enters a block of `stop_recording`."""

    def watching(self, tape, source) -> None:
        """A tape was told to watch a Tensor or a Variable."""

    def forgot(self, tape) -> None:
        """A tape was reset."""

    def asking(self, tape) -> None:
        """A tape begins a backward pass."""

    def asked(self, tape, targets, sources, results) -> None:
        """A tape was asked for gradients, and gave these (None: not connected)."""

    def stepped_back(self, step, dy, dx) -> None:
        """A tape went one step back: dy arrived at its output, dx is what goes on to its input."""


def leaving(tensor, exit, result):
    """Tell the listeners that a value leaves for Python or NumPy, and return it."""
    for listener in listening.now:
        listener.left(tensor, exit, result)
    return result


def storing(tensor, result, where):
    """Tell the listeners that a Tensor went through something stateful, and return what came out."""
    for listener in listening.now:
        listener.stored(tensor, result, where)
    return result


def coming(given, tensor):
    """Tell the listeners that a Tensor was made of a value of Python or NumPy, and return it."""
    for listener in listening.now:
        listener.came(given, tensor)
    return tensor
