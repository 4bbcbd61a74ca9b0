"""How the command talks: what is wrong and what to type, and how far a long work has come."""

import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

Thing = TypeVar("Thing")
WIDTH = 24


class Trouble(Exception):
    """The command cannot go on.

    Args:
        what: what is wrong, as a sentence.
        instead: what to type.

    >>> print(Trouble("Port 8888 is taken.", "minigrad course --port 8889"))
    minigrad: Port 8888 is taken.
    Try: minigrad course --port 8889
    """

    def __init__(self, what: str, instead: str):
        super().__init__(f"minigrad: {what}\nTry: {as_called(instead)}")
        self.instead = instead


def as_called(line: str) -> str:
    """A line to type, with the command as it was called just now: it need not be on the path."""
    called = Path(sys.argv[0]).absolute()
    if called.stem != "minigrad" or shutil.which("minigrad") == str(called):
        return line
    command = f'"{called}"' if " " in str(called) else str(called)
    return re.sub(r"(^|; )minigrad ", lambda found: f"{found[1]}{command} ", line)


def remark(text: str) -> None:
    """Say on stderr what is good to know, and go on."""
    print(f"minigrad: {text}", file=sys.stderr)


def counted(things: Iterable[Thing], doing: str) -> Iterator[Thing]:
    """The same things; on stderr, which of them is under way: a bar on a terminal, a line each elsewhere.

    Args:
        things: what is worked on, one by one.
        doing: what is done to them.
    """
    all_of_them = list(things)
    live = sys.stderr.isatty()
    for done, thing in enumerate(all_of_them):
        line = f"{doing} {done + 1}/{len(all_of_them)}: {getattr(thing, 'name', thing)}"
        bar = f"\r\033[K[{'#' * (WIDTH * done // len(all_of_them)):{WIDTH}}] "
        print(f"{bar}{line}" if live else line, end="" if live else "\n", file=sys.stderr, flush=True)
        yield thing
    if live:
        print(f"\r\033[K[{'#' * WIDTH}] {doing}: done", file=sys.stderr)
