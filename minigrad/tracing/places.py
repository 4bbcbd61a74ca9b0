"""Where in the user's code something happens: the code and the instruction, and the calls that led there."""

import os
import re
import sys
import sysconfig
from inspect import CO_NEWLOCALS
from pathlib import Path
from typing import Any, NamedTuple

from .source import statement_text

CALLERS = 6  # so many of the calls around a place are kept


class Place(NamedTuple):
    """Where in the user's code something happened: the code and the instruction, and those from which it was called.

    It is kept as it was found, which is quick; what the source says there is read when somebody asks.
    """

    code: Any
    instruction: int
    around: tuple = ()  # the code and the instruction of each call, the nearest first

    @property
    def callers(self) -> "list[Place]":
        return [Place(*one) for one in self.around]

    @property
    def text(self) -> str:
        """The statement as the user wrote it, on one line; empty if it cannot be read."""
        return statement_text(self)


MINIGRAD = str(Path(__file__).parents[1])
STANDARD = {os.path.dirname(os.__file__), *map(sysconfig.get_path, ("stdlib", "platstdlib", "scripts"))}
INSTALLED = {"site-packages", "dist-packages"}  # folders of these names hold libraries, wherever they are
NEIGHBOURS = "numpy", "tensorflow", "IPython"  # what lies beside one of these was installed with it
ARCHIVES = ".zip", ".egg", ".whl"


def is_library(file: str) -> bool:
    """Does a file belong to a library (minigrad, the standard library, whatever was installed), and not to the user?

    A user's own code is theirs though it is installed: in editable mode its files stay where they are.
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
    """Where the user works: the current folder, and that (or the archive) of the program that runs."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return {Path.cwd(), *([Path(os.path.abspath(main)).parent] if main else [])}


def beside_neighbours(own) -> list:
    """The folders in which the neighbours lie; of one that the user works in, the neighbours alone."""
    files = [getattr(sys.modules.get(name), "__file__", None) for name in NEIGHBOURS]
    packages = [Path(file).parent for file in files if file]
    return [package if package.parent in own else package.parent for package in packages]


class Users(dict):
    """File -> is it the user's (or a cell of theirs), and no library's?"""

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
}  # what stands between


VERSION = re.compile(r"_v\d(_with_dispatch)?$")  # at the end of the names of TensorFlow's functions
PUBLIC = {}  # the name under which one was written -> as users call it


def user_frame(above=2):
    """The frame of the user's code that is running, and the name of the function of ours that it called."""
    frame, called = sys._getframe(above), ""
    while frame.f_back:
        code = frame.f_code
        if USERS[code.co_filename]:
            break
        if code.co_name not in SKIPPED:
            called = code.co_name
        frame = frame.f_back
    return frame, PUBLIC.get(called, called) if "_v" not in called else VERSION.sub("", called)


def program_frame():
    """The outermost frame of the user's code: that of the cell, the script or the test that runs."""
    found = frame = user_frame()[0]
    while frame.f_back:
        frame = frame.f_back
        if USERS[frame.f_code.co_filename]:
            found = frame
    return found


def entry_frame():
    """The frame of the user's code that a library called, of those that called each other up to here."""
    frame = user_frame()[0]
    while frame.f_back and USERS[frame.f_back.f_code.co_filename]:
        frame = frame.f_back
    return frame


def here(with_callers=False):
    """The place in the user's code that runs, as an Event's fields, and the name of our function that it called."""
    frame, called = user_frame(3)
    return frame.f_code, frame.f_lasti, callers_of(frame) if with_callers else (), called


def callers_of(frame) -> tuple:
    """The places from which the user's code was called by the user's code, the nearest first; not yet made Places."""
    found, code = [], frame.f_code
    for _ in range(24):
        frame = frame.f_back
        if frame is None or len(found) == CALLERS or not code.co_flags & CO_NEWLOCALS:  # a module takes no numbers
            break
        code = frame.f_code
        if USERS[code.co_filename]:
            found.append((code, frame.f_lasti))
    return tuple(found)


def leads_to(frame, around) -> bool:
    """Are these the calls that would be found around a frame? (Asked at each op: half the cost of looking.)"""
    for code, instruction in around:
        frame = frame.f_back
        if frame is None or frame.f_lasti != instruction or frame.f_code is not code:
            return False
    return len(around) == CALLERS or (bool(around) and not code.co_flags & CO_NEWLOCALS)
