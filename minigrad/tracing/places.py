"""Where in the user's code something happens: the code, the instruction, and the calls that led there."""

import contextlib
import os
import re
import sys
import sysconfig
from functools import cache, lru_cache
from inspect import CO_NEWLOCALS
from pathlib import Path
from typing import Any, NamedTuple

from .source import position, statement_text

CALLERS = 12  # how many of the calls around a place are kept


class Place(NamedTuple):
    """Where in the user's code something happened: the code and the instruction, and those of the calls around it.

    It is stored as found, which is quick; the source is read only on request.
    """

    code: Any
    instruction: int
    around: tuple = ()  # the code and the instruction of each call, the nearest first; also of libraries

    @property
    def callers(self) -> "list[Place]":
        return [Place(*one) for one in self.around if USERS[one[0].co_filename]]

    @property
    def spot(self) -> tuple:
        """The code and the piece of its source: the same each time, though Python moves on to quicker instructions."""
        return self.code, *position(self.code, self.instruction)

    @property
    def text(self) -> str:
        """The user's statement, on one line; empty if it cannot be read."""
        return text_at(self.code.co_filename, *self[:2])


@lru_cache(maxsize=1000)
def text_at(file, code, instruction) -> str:
    """The statement of an instruction. (Equal code may look different in each of two files.)"""
    return statement_text(Place(code, instruction))


MINIGRAD = Path(__file__).resolve().parents[1]
KINDS = "stdlib", "platstdlib", "scripts"
STANDARD = {Path(os.path.realpath(one)) for one in (os.path.dirname(os.__file__), *map(sysconfig.get_path, KINDS))}
INSTALLED = {"site-packages", "dist-packages"}  # folders with these names contain libraries
NEIGHBOURS = "numpy", "tensorflow", "IPython"  # whatever is beside one of these was installed with it
ARCHIVES = ".zip", ".egg", ".whl"
GENERATED = "<op ", "<frozen ", "<__array_function__"  # other names in brackets are those of cells and of what is typed


def is_library(file: str) -> bool:
    """Whether a file belongs to a library (minigrad, the standard library, installed packages) rather than to the user.

    A user's own package in editable mode belongs to the user, also by a link: its files stay where they are.
    """
    if file.startswith("<"):
        return file.startswith(GENERATED)
    try:
        path, real = Path(os.path.abspath(file)), Path(os.path.realpath(file))
    except OSError:  # the working folder is gone
        path = real = Path(file)
    own, program = own_folders(), running_program()
    if real == program:
        return False
    installed = path != real and any(next(folder.glob("*.dist-info"), None) for folder in real.parents)
    return lies_in_library(real, own) or (installed and lies_in_library(path, own))


def lies_in_library(path, own) -> bool:
    """Whether a path is in a library's folder; `own` are the folders in which the user works."""
    if INSTALLED & {*path.parts} or any(path.is_relative_to(folder) for folder in (MINIGRAD, *STANDARD)):
        return True
    archive = next((parent for parent in path.parents if parent.suffix in ARCHIVES and not parent.is_dir()), None)
    if archive is not None:
        return archive not in own
    folders = [folder for folder in beside_neighbours(own) if path.is_relative_to(folder)]
    return any(not (known := installed_in(folder)) or path.relative_to(folder).parts[:1] in known for folder in folders)


def running_program() -> "Path | None":
    """The user's Python file that runs: no library with `python -m`, and no command that one has installed."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None) or ""
    return Path(os.path.realpath(file)) if file.endswith(".py") and getattr(main, "__spec__", None) is None else None


def own_folders() -> set:
    """The folders in which the user works: the current one, and the folder (or archive) of the running program."""
    main, own = getattr(sys.modules.get("__main__"), "__file__", None), set()
    with contextlib.suppress(OSError):  # the working folder is gone
        own.add(Path.cwd())
        own |= {Path(os.path.abspath(main)).parent} if main else set()
    return own


def beside_neighbours(own) -> list:
    """The folders that contain the neighbours; where the user works in one, only the neighbours themselves."""
    files = [getattr(sys.modules.get(name), "__file__", None) for name in NEIGHBOURS]
    packages = [Path(os.path.realpath(file)).parent for file in files if file]
    return [package if package.parent in own else package.parent for package in packages]


@cache
def installed_in(folder) -> set:
    """The first parts of the paths that installers wrote down in a folder; nothing if they wrote none."""
    from importlib.metadata import distributions  # takes longer than all else here, and is rarely needed

    return {file.parts[:1] for one in distributions(path=[str(folder)]) for file in one.files or ()}


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
    """The places that called this code, nearest first, as plain pairs rather than Places."""
    found, code = [], frame.f_code
    while (frame := frame.f_back) and len(found) < CALLERS and code.co_flags & CO_NEWLOCALS:  # a module is not called
        code = frame.f_code
        found.append((code, frame.f_lasti))
    return tuple(found)


def leads_to(frame, around) -> bool:
    """Whether these are the calls around a frame. (Asked for each op: it takes half the time of `callers_of`.)"""
    for code, instruction in around:
        frame = frame.f_back
        if frame is None or frame.f_lasti != instruction or frame.f_code is not code:
            return False
    return len(around) == CALLERS or (bool(around) and not code.co_flags & CO_NEWLOCALS)
