"""What the command prints: errors with advice, remarks, and the progress of long tasks."""

import contextlib
import errno
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from ..errors import visible

Thing = TypeVar("Thing")
WIDTH = 24
SHOWN = 120  # characters of typed text that are shown
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LOOK_AT_DISKS = "df -h" if os.name == "posix" else "Get-PSDrive"


class Trouble(Exception):
    """An error that ends the command, with advice.

    Args:
        what: a sentence that says what is wrong.
        instead: what to type instead.

    >>> print(Trouble("Port 8888 is taken.", "minigrad course --port 8889"))
    minigrad: Port 8888 is taken.
    Try: minigrad course --port 8889
    """

    def __init__(self, what: str, instead: str):
        super().__init__(f"minigrad: {visible(what, None)}\nTry: {as_called(instead)}")
        self.instead = instead


def as_called(line: str) -> str:
    """A command to type, with `minigrad` as it was called now unless it is on the PATH (uvx has a PATH of its own)."""
    called = Path(sys.argv[0])
    with contextlib.suppress(FileNotFoundError):  # the working folder may have been deleted
        called = called.absolute()
    if called.stem != "minigrad" or ("UV" not in os.environ and shutil.which("minigrad") == str(called)):
        return visible(line, None)
    command = f'"{called}"' if " " in str(called) else str(called)
    return visible(re.sub(r"(^|; )minigrad ", lambda found: f"{found[1]}{command} ", line), None)


def shown(text: str) -> str:
    """Typed text for a message: shortened, quoted unless it is plain, without control characters.

    >>> shown("77"), shown("**"), shown("a\\x1b[2J")
    ('77', "'**'", "'a\\\\x1b[2J'")
    """
    short = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    return short if re.fullmatch(r"[\w./-]*\w", short, re.ASCII) else repr(short)


def trouble(problem: OSError) -> Trouble:
    """An error of the operating system, as an error of the command."""
    place = shown(str(problem.filename or "."))
    look = "ls -ld" if os.name == "posix" else "icacls"
    why = problem.strerror or str(problem) or type(problem).__name__
    what = f"{why}: {place}." if problem.filename else f"{why}."
    return Trouble(what, LOOK_AT_DISKS if problem.errno in FULL else f"{look} {place}")


def remark(text: str) -> None:
    """Print a remark on stderr."""
    print(f"minigrad: {visible(text, None)}", file=sys.stderr)


def counted(things: Iterable[Thing], doing: str) -> Iterator[Thing]:
    """Iterate, and print the progress on stderr: a bar on a terminal, otherwise one line for each item.

    Args:
        things: the items.
        doing: what is done with them.
    """
    items = list(things)
    live = sys.stderr.isatty()
    for done, item in enumerate(items):
        line = f"{doing} {done + 1}/{len(items)}: {visible(getattr(item, 'name', item))}"
        bar = f"\r\033[K[{'#' * (WIDTH * done // len(items)):{WIDTH}}] "
        print(f"{bar}{line}" if live else line, end="" if live else "\n", file=sys.stderr, flush=True)
        yield item
    if live:
        print(f"\r\033[K[{'#' * WIDTH}] {doing}: done", file=sys.stderr)
