"""Where in the user's code something happens: the code, the instruction, and the calls that led there."""

import os
import re
import sys
import sysconfig
from inspect import CO_NEWLOCALS
from pathlib import Path
from typing import Any, NamedTuple

from .source import position, statement_text

CALLERS = 6  # how many of the calls around a place are kept


class Place(NamedTuple):
    """Where in the user's code something happened: the code and the instruction, and those of the calls around it.

    It is stored as found, which is quick; the source is read only on request.
    """

    code: Any
    instruction: int
    around: tuple = ()  # the code and the instruction of each call, the nearest first

    @property
    def callers(self) -> "list[Place]":
        return [Place(*one) for one in self.around]

    @property
    def spot(self) -> tuple:
        """The code and the piece of its source: the same each time, though Python moves on to quicker instructions."""
        return self.code, *position(self.code, self.instruction)

    @property
    def text(self) -> str:
        """The user's statement, on one line; empty if it cannot be read."""
        return statement_text(self)


MINIGRAD = str(Path(__file__).parents[1])
STANDARD = {os.path.dirname(os.__file__), *map(sysconfig.get_path, ("stdlib", "platstdlib", "scripts"))}
INSTALLED = {"site-packages", "dist-packages"}  # folders with these names contain libraries
NEIGHBOURS = "numpy", "tensorflow", "IPython"  # whatever is beside one of these was installed with it
ARCHIVES = ".zip", ".egg", ".whl"


def is_library(file: str) -> bool:
    """Whether a file belongs to a library (minigrad, the standard library, installed packages) rather than to the user.

    A user's own package in editable mode belongs to the user: its files stay where they are.
    """
    if file.startswith(("<op ", "<frozen ")):
        return True
    path = Path(os.path.abspath(file))
    if INSTALLED & {*path.parts} or any(path.is_relative_to(folder) for folder in (MINIGRAD, *STANDARD)):
        return True
    own = own_folders()
    archive = next((parent for parent in path.parents if parent.suffix in ARCHIVES), None)
    return archive not in (None, *own) or any(path.is_relative_to(folder) for folder in beside_neighbours(own))


def own_folders() -> set:
    """The folders in which the user works: the current one, and the folder (or archive) of the running program."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return {Path.cwd(), *([Path(os.path.abspath(main)).parent] if main else [])}


def beside_neighbours(own) -> list:
    """The folders that contain the neighbours; where the user works in one, only the neighbours themselves."""
    files = [getattr(sys.modules.get(name), "__file__", None) for name in NEIGHBOURS]
    packages = [Path(file).parent for file in files if file]
    return [package if package.parent in own else package.parent for package in packages]


class Users(dict):
    """File -> whether it is the user's (or a cell), and not a library's."""

    def __missing__(self, file):
        self[file] = answer = not is_library(file)
        return answer


USERS = Users()

SKIPPED = {
    "<lambda>",
    "first_call",
    "compare",
    "either",
    "recorded_op",
    "constant_of",
    "tensor_of",
    "coming",
    "leaving",
}  # library functions between the user and what was called


VERSION = re.compile(r"_v\d(_with_dispatch)?$")  # a suffix of the names of TensorFlow functions
PUBLIC = {}  # the internal name of a function -> its public name


def user_frame(frame=None):
    """The nearest frame of user code, from this one or the caller's caller outwards, and which function it called."""
    frame, called = frame or sys._getframe(2), ""
    while not USERS[(code := frame.f_code).co_filename] and (caller := frame.f_back):
        if code.co_name not in SKIPPED:
            called = code.co_name
        frame = caller
    return frame, PUBLIC.get(called, called) if "_v" not in called else VERSION.sub("", called)


def program_frame(frame=None):
    """The frame of the running cell, script or test: the outermost of user code, or the first executed by a library."""
    found = frame = user_frame(frame)[0]
    while frame.f_back and not is_executed(frame):
        frame = frame.f_back
        if USERS[frame.f_code.co_filename]:
            found = frame
    return found


def is_executed(frame) -> bool:
    """Whether a library executes a frame's code as a cell is executed: not called as a function, and not imported."""
    if frame.f_code.co_flags & CO_NEWLOCALS:
        return False
    caller = frame.f_back.f_code.co_filename
    return not caller.startswith("<frozen importlib") and not USERS[caller]


def entry_frame():
    """The outermost frame in the unbroken chain of user frames that leads here: the one that a library called."""
    frame = user_frame()[0]
    while frame.f_back and USERS[frame.f_back.f_code.co_filename]:
        frame = frame.f_back
    return frame


def callers_of(frame) -> tuple:
    """The places in user code that called this user code, nearest first, as plain pairs rather than Places."""
    found, code = [], frame.f_code
    for _ in range(24):
        frame = frame.f_back
        if frame is None or len(found) == CALLERS or not code.co_flags & CO_NEWLOCALS:  # a module is not called
            break
        code = frame.f_code
        if USERS[code.co_filename]:
            found.append((code, frame.f_lasti))
    return tuple(found)


def leads_to(frame, around) -> bool:
    """Whether these are the calls around a frame. (Asked for each op: it takes half the time of `callers_of`.)"""
    for code, instruction in around:
        frame = frame.f_back
        if frame is None or frame.f_lasti != instruction or frame.f_code is not code:
            return False
    return len(around) == CALLERS or (bool(around) and not code.co_flags & CO_NEWLOCALS)
