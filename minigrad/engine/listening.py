"""Listeners: tapes and traces. Ops, Variables and Tensors report to `listening.now`, and do not know who listens."""

import operator
import threading
import weakref
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any


class Listening(threading.local):
    """What listens in this thread: `listening.now` is a tuple of Listeners, outermost first.

    A thread's part of it is a dict, `listening.__dict__`. A block that began in one thread may end in another (where a
    generator is closed), so it keeps the dict in which it began.
    """

    def __init__(self) -> None:
        self.now: tuple[Listener, ...] = ()
        self.hidden: tuple = ()  # the blocks of `listeners_only`, outermost first
        self.blocks: dict = {}  # what has a `with` open: see Exit
        self.module = ""  # the path of the layer of Keras that is being called, such as "model/dense_1"


listening = Listening()


def end(here, listener, same=operator.eq):
    """End the listening of one in a thread, whose part of `listening` this is. It may be another than this one."""
    now = here["now"]
    if now and now[-1] is listener and not here["hidden"]:  # nearly always
        here["now"] = now[:-1]
        return
    found = True
    while found:  # until a look at one moment finds it nowhere: other threads may change all this meanwhile
        now, hidden, found = here["now"], here["hidden"], False
        for level, before in (*[(vars(block), block.now) for block in hidden], (here, now)):
            others = tuple([one for one in before if not same(one, listener)])
            if len(others) < len(before):
                found = True
                if level["now"] is before:
                    level["now"] = others


class Exit:
    """Decorates the `__exit__` of a block that is to end in any case: an interrupt may fall into `__exit__` itself.

    `with` asks for `__exit__` before it enters, and holds what it was given until the block is left. Once nothing holds
    that any more, a weak reference runs the method, unless it has run to its end by then. The method is given the part
    of `listening` in which the block began, and in the end takes its object out of `blocks`, where the reference is.
    """

    def __init__(self, method: Callable):
        self.method = method

    def __get__(self, owner, kind=None):
        if owner is None:
            return self
        here = listening.__dict__
        if owner in here["blocks"]:  # asked for once more, inside the block
            return partial(self, owner)
        leave = partial(self.method, owner, here)
        here["blocks"][owner] = weakref.ref(leave, partial(self.method, owner, here))
        return leave

    def __call__(self, owner, *error):
        """For a block that was entered by hand, as contextlib.ExitStack does."""
        self.method(owner, listening.__dict__, *error)


class listeners_only:
    """A block that these alone hear."""

    now: tuple  # those that it hides

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
    tracing = False  # is it a run of `mg.function`, whose Tensors have no numbers?
    number = 0  # a tape has one of its own
    read_versions: Any = MappingProxyType({})  # of a tape: the versions of Variables it knows; only others are told

    def start(self) -> None:
        """Listen from here on, in this thread."""
        listening.now = (*listening.now, self)

    def stop(self) -> None:
        """Listen no longer."""
        end(listening.__dict__, self)

    # ---- what is reported -------------------------------------------------------------------------------------

    def hear(self, op, inputs, output, attributes) -> None:
        """An op ran."""

    def failed(self, op, problem) -> None:
        """An op was refused, or raised an error."""

    def read(self, variable) -> None:
        """A Variable was read."""

    def acting(self, function, args, kwargs) -> bool:
        """Something is about to happen that is no computation: `function` prints, say, or (None) numbers are drawn.

        Returns:
            Whether the listener has put it off, so that it is not to be done now.
        """
        return False

    def changing(self, variable) -> None:
        """A Variable is about to be assigned."""

    def wrote(self, variable, given, how) -> None:
        """A Variable was assigned what the user gave, by the method of this name ("assign", "Variable" ...)."""

    def left(self, tensor, exit, result) -> Any:
        """A value left for Python or NumPy, by an exit such as "numpy()"; what is returned takes its place."""
        return result

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

    def raised(self, tape, targets, sources, problem) -> None:
        """A tape was asked for gradients, and raised an error."""

    def asked(self, tape, targets, sources, results) -> None:
        """A tape was asked for gradients, and gave these (None: not connected)."""

    def stepped_back(self, step, dy, dx) -> None:
        """A tape went one step back: dy arrived at its output, dx is what goes on to its input."""


def leaving(tensor, exit, result):
    """Tell the listeners that a value leaves for Python or NumPy, and return it."""
    for listener in listening.now:
        result = listener.left(tensor, exit, result)
    return result


def storing(tensor, result, where):
    """Tell the listeners that a Tensor went through something stateful, and return what came out."""
    for listener in listening.now:
        listener.stored(tensor, result, where)
    return result


def put_off(function=None, args=(), kwargs=MappingProxyType({})) -> bool:
    """Tell the listeners that something is about to happen that is no computation; does one of them put it off?"""
    return any([listener.acting(function, args, kwargs) for listener in listening.now])


def failing(op, error):
    """Tell the listeners that an op is about to raise this error, and return it."""
    for listener in listening.now:
        listener.failed(op, error)
    return error


def coming(given, tensor):
    """Tell the listeners that a Tensor was made of a value of Python or NumPy, and return it."""
    for listener in listening.now:
        listener.came(given, tensor)
    return tensor
