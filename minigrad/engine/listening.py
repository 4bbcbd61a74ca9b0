"""Listeners: tapes and traces. Ops, Variables and Tensors report to `listening.now`, and do not know who listens."""

import contextlib
import operator
import threading
import weakref
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any


class Call(str):
    """The path of a Keras layer that is being called, such as "model/dense_1". Each call has an object of its own.

    Attributes:
        around: the Call around it, or "".
    """

    __slots__ = ("around",)

    def __new__(cls, path, around=""):
        call = super().__new__(cls, path)
        call.around = around
        return call


class Listening(threading.local):
    """The listeners of this thread: `listening.now` is a tuple of Listeners, outermost first.

    The state of a thread is the dict `listening.__dict__`. A block that began in one thread may end in another (where a
    generator is closed), so it keeps the dict of the thread where it began.
    """

    def __init__(self) -> None:
        self.now: tuple[Listener, ...] = ()
        self.hidden: tuple = ()  # the blocks of `listeners_only`, outermost first
        self.blocks: dict = {}  # the objects with an open `with`: see Exit
        self.graph: Any = None  # the run of a function that TensorFlow would make a graph of: see program/graphs.py
        self.module: str = ""  # the Call of the Keras layer that is being called


listening = Listening()
elsewhere: list = []  # weak references to the listeners that are told if a value leaves in another thread


def end(here, listener, same=operator.eq):
    """Stop a listener in the thread whose state of `listening` is `here`, which may not be the current thread."""
    now = here["now"]
    if now and now[-1] is listener and not here["hidden"]:  # nearly always
        here["now"] = now[:-1]
        return
    found = True
    while found:  # until one search finds nothing: other threads may change all this meanwhile
        now, hidden, found = here["now"], here["hidden"], False
        for level, before in (*[(vars(block), block.now) for block in hidden], (here, now)):
            others = tuple([one for one in before if not same(one, listener)])
            if len(others) < len(before):
                found = True
                if level["now"] is before:
                    level["now"] = others


class Exit:
    """Decorates an `__exit__` that must run to its end, even if an interrupt strikes inside it.

    `with` looks up `__exit__` before it enters, and holds the result until the block is left. Once that is released,
    the callback of a weak reference runs the method, unless the method has completed by then. The method receives the
    state of `listening` in which the block began, and last removes its object from `blocks`, which holds the reference.
    """

    def __init__(self, method: Callable):
        self.method = method

    def __get__(self, owner, kind=None):
        if owner is None:
            return self
        here = listening.__dict__
        if owner in here["blocks"]:  # looked up again, inside the block
            return partial(self, owner)
        leave = partial(self.method, owner, here)
        here["blocks"][owner] = weakref.ref(leave, partial(self.method, owner, here))
        return leave

    def __call__(self, owner, *error):
        """For a block that was entered by hand, as contextlib.ExitStack does."""
        self.method(owner, listening.__dict__, *error)


class listeners_only:
    """A block that only these listeners hear."""

    now: tuple  # the listeners that it hides

    def __init__(self, *listeners):
        self.listeners = listeners

    def __enter__(self):
        here = listening.__dict__
        self.now = here["now"]
        here["hidden"] = (*here["hidden"], self)
        here["now"] = self.listeners

    @Exit
    def __exit__(self, here, *error):
        hidden = here["hidden"]
        if self in hidden:
            outer = hidden[: hidden.index(self)]
            here["now"] = self.now
            here["hidden"] = outer
        here["blocks"].pop(self, None)


def without_tapes():
    """A block that tapes do not hear: results computed in it are constants to them."""
    if not recording():
        return contextlib.nullcontext()
    return listeners_only(*[one for one in listening.now if one.tracked_ids is None])


def recording() -> bool:
    """Does any tape (not only a trace) listen in this thread?"""
    return any([listener.tracked_ids is not None for listener in listening.now])


def warn(text, *arguments):
    """Log a warning. `logging` is imported on first use, which makes importing minigrad a thirtieth faster."""
    import logging

    logging.getLogger("minigrad").warning(text, *arguments)


class Listener:
    """Something that is told what happens from `start` to `stop`. Subclasses override the methods they need.

    A GradientTape listens to record what a gradient will need. A trace listens to keep a log of everything.
    """

    tracked_ids: Any = None  # of a tape: the ids that depend on something watched; None: `hear` is called for each op
    tracing = False  # is it the tracing of an `mg.function`, whose Tensors have no values?
    rehearsing = False  # is a layer called on zeros, to build it or to see the shape of its output?
    number = 0  # a tape has one of its own
    read_versions: Any = MappingProxyType({})  # of a tape: the versions of Variables it knows; it is told of others

    def start(self) -> None:
        """Start listening, in this thread."""
        listening.now = (*listening.now, self)

    def stop(self) -> None:
        """Stop listening."""
        end(listening.__dict__, self)

    # ---- what is reported -------------------------------------------------------------------------------------

    def hear(self, op, inputs, output, attributes) -> None:
        """An op ran."""

    def missed(self) -> None:
        """A value left in another thread, where nobody listens."""

    def repeating(self) -> None:
        """A function of the library was called that calls one of the user again and again."""

    def failed(self, op, problem, given) -> None:
        """An op was refused, or raised an error: see `failing`."""

    def read(self, variable) -> Any:
        """A Variable was read.

        Returns:
            The Tensor that stands for its value in what the listener hears; None for the value itself.
        """

    def acting(self, function, args, kwargs) -> bool:
        """A side effect is about to happen: `function` prints, say, or (None) random numbers are drawn.

        Returns:
            Whether the listener postpones it, so that it must not happen now.
        """
        return False

    def changing(self, variable) -> Any:
        """A Variable is about to be assigned. Returns what `read` does."""

    def keeps(self, variable, value) -> bool:
        """Does the listener keep an assigned value to itself, so that the Variable does not change?"""
        return False

    def wrote(self, variable, given, how) -> None:
        """A Variable was assigned what the user gave, by the method of this name ("assign", "Variable" ...)."""

    def left(self, tensor, exit, result) -> Any:
        """A value was converted to Python or NumPy, by an exit such as "numpy()"; the return value replaces it."""
        return result

    def stored(self, tensor, result, where) -> None:
        """A Tensor went through something stateful ("Dataset", "FIFOQueue"), and came out as another."""

    def came(self, given, tensor) -> None:
        """A Python or NumPy value was converted to this Tensor."""

    def started(self, tape) -> None:
        """A tape started to listen, or resumed."""

    def stopped(self, tape) -> None:
        """A tape stopped listening."""

    def paused(self, tape) -> None:
        """A tape enters a block of `stop_recording`."""

    def watching(self, tape, source) -> None:
        """A tape was told to watch a Tensor or a Variable."""

    def forgot(self, tape) -> None:
        """A tape was reset."""

    def asking(self, tape) -> None:
        """A tape begins a backward pass."""

    def raised(self, tape, targets, sources, problem) -> None:
        """A tape was asked for gradients, and raised an error."""

    def asked(self, tape, targets, sources, results) -> None:
        """A tape was asked for gradients, and returned these (None: not connected)."""

    def follows(self, steps, seeds, source_ids, recorded) -> bool:
        """A backward pass begins, with the arguments of `backward`. Is the listener to be told of its steps?"""
        return self.tracked_ids is None

    def gave_up(self) -> None:
        """The backward pass that began last is given up: others take its place, and none of its steps counts."""

    def stepped_back(self, step, dy, dx) -> None:
        """The backward pass took a step: dy is the gradient of its output, dx the VJP's result for its input."""


def leaving(tensor, exit, result):
    """Tell the listeners that a value is converted to Python or NumPy, and return it; those of other threads hear that
    they missed it, if none listens in this one."""
    if not listening.now and not listening.hidden:
        for listener in filter(None, [one() for one in [*elsewhere]]):
            listener.missed()
    for listener in listening.now:
        result = listener.left(tensor, exit, result)
    return result


def storing(tensor, result, where):
    """Tell the listeners that a Tensor went through something stateful, and return what came out."""
    for listener in listening.now:
        listener.stored(tensor, result, where)
    return result


def put_off(function=None, args=(), kwargs=MappingProxyType({})) -> bool:
    """Tell the listeners that a side effect is about to happen; does one of them postpone it?"""
    return any([listener.acting(function, args, kwargs) for listener in listening.now])


def repeating():
    """Tell the listeners that the running function of the library calls one of the user again and again."""
    for listener in listening.now:
        listener.repeating()


def failing(op, error, *given):
    """Tell the listeners that an op is about to raise this error, and return it.

    Args:
        op: the op, or the name of something else that compares shapes, such as "assign".
        error: the exception.
        given: for something else, what it compares: pairs of an object and its shape, in which None is any length.
    """
    for listener in listening.now:
        listener.failed(op, error, given)
    return error


def coming(given, tensor):
    """Tell the listeners that a Tensor was made from a Python or NumPy value, and return it."""
    for listener in listening.now:
        listener.came(given, tensor)
    return tensor
