"""Runs the learner's code. Whatever the code does, there is a result to look at."""

import contextlib
import dis
import functools
import inspect
import sys
import time
import traceback
from collections.abc import KeysView, ValuesView
from pathlib import Path

import numpy as np

from minigrad.engine.listening import listening
from minigrad.errors import visible
from minigrad.tracing.places import USERS

MOST_SAID = 200  # characters of an exception's message
HELPERS = Path(__file__).parent
SECONDS = 3.0  # right answers need a few milliseconds


class Stopped:
    """How a run ended without a result.

    Attributes:
        problem: the exception, without its traceback, whose frames would keep the tapes of the run.
        in_answer: whether it was the learner's code that stopped, and not the check, working with its result.
    """

    def __init__(self, problem):
        files = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(problem.__traceback__)}
        self.in_answer = any(USERS[file] and not Path(file).is_relative_to(HELPERS) for file in files)
        self.problem = problem.with_traceback(None)

    def __str__(self):
        if isinstance(self.problem, TooLong):
            return f"was still running after {SECONDS:g} seconds. Is there a loop that never ends?"
        said = visible(self.problem, None)
        with contextlib.suppress(Exception):  # its text may fail, or have many lines
            said = visible((str(self.problem).splitlines() or [""])[0], None)
        short = f"{said.rstrip('. ')}." if len(said) <= MOST_SAID else f"{said[:MOST_SAID].rpartition(' ')[0]} ..."
        return f"stopped with {visible(type(self.problem).__name__)}: {short}"


def never_raises(helper):
    """Decorate a helper so that it prints what stopped it instead of raising, whatever its arguments."""

    @functools.wraps(helper)
    def careful(*given, **named):
        try:
            return helper(*given, **named)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            print(f"{helper.__name__}: this {Stopped(problem)}")

    return careful


class TooLong(BaseException):
    """Not an Exception, so that the learner's `except Exception` does not catch it."""


def outcome(ask, *arguments):
    """The result of `ask(*arguments)` as plain values, or how it stopped. A tape left open stops listening."""
    before = listening.now
    try:
        with limit(SECONDS):
            return plain(ask(*arguments))
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return Stopped(problem)
    finally:
        listening.now = before


def took_too_long(seen):
    return isinstance(seen, Stopped) and isinstance(seen.problem, TooLong)


@contextlib.contextmanager
def limit(seconds):
    """Stop a block that takes longer, at the next step of Python, on any thread. (A call into C is not interrupted.)"""
    end, block = time.monotonic() + seconds, sys._getframe(2)

    def look(frame, event, argument):
        if not USERS[frame.f_code.co_filename]:
            return None  # it comes back by itself; to step through it takes long, and in a weakref's callback nothing can be raised
        if event == "call" and all(one is not block for one, _ in traceback.walk_stack(frame)):
            return sys.settrace(before)  # an interrupt came before it was taken off
        if time.monotonic() > end:
            raise TooLong
        frame.f_trace_opcodes = True  # `while True: pass` on one line never comes to a new line
        return look

    before = sys.gettrace()
    try:
        sys.settrace(look)
        yield
    finally:
        block = None  # it holds its values
        sys.settrace(before)


def plain(x):
    """Tensors and Variables as NumPy values; tuples, shapes, views of dicts and arrays of words as lists."""
    if hasattr(x, "numpy"):
        return x.numpy()
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, np.ndarray) and x.dtype.kind == "U":
        return x.tolist()
    if isinstance(x, (list, tuple, KeysView, ValuesView)) or hasattr(x, "as_list"):
        return [plain(value) for value in x]
    return x


def untouched(answer):
    """Whether the cell is still as handed out: three dots, or a function that contains nothing else."""
    function = inspect.unwrap(answer)  # it may be decorated
    if not hasattr(function, "__code__"):
        return all_dots(outcome(lambda: answer))
    steps = [step for step in dis.get_instructions(function) if step.opname not in ("RESUME", "NOP")]
    return all("LOAD_CONST" in s.opname or "RETURN" in s.opname for s in steps) and {s.argval for s in steps} <= {None, ...}


def never_returns(answer):
    """Whether every path through this function ends without returning a value."""
    function = inspect.unwrap(answer)
    if not inspect.isfunction(function) or inspect.isgeneratorfunction(function):
        return False
    steps = list(dis.get_instructions(function))
    given = [before if end.opname == "RETURN_VALUE" else end for before, end in zip([None, *steps], steps) if "RETURN_" in end.opname]
    return all("CONST" in one.opname and one.argval is None for one in given if "GENERATOR" not in one.opname)


def leaves(x):
    """The values in a nest of lists and dicts."""
    if isinstance(x, dict):
        x = list(x.values())
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, list) else [x]


def all_dots(seen):
    return bool(leaves(seen)) and all(leaf is ... for leaf in leaves(seen))


def some_dots(seen):
    """Whether three dots were left in, so that they are in the result or something tried to compute with them."""
    if isinstance(seen, Stopped):
        return isinstance(seen.problem, TypeError) and "ellipsis" in str(seen.problem)
    return any(leaf is ... for leaf in leaves(seen))
