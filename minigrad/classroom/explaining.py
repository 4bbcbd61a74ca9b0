"""`minigrad explain`: run a program, and explain the gradients that its tapes gave."""

import argparse
import sys
import tokenize
import types
from collections.abc import Sequence
from pathlib import Path

from .telling import Trouble, shown

OPTION = "--html"


def explain(script: str, arguments: Sequence[str], page: str | None) -> int:
    """Run a script with a trace on, print which gradients were broken, and return the exit code: 1 if there were any.

    Args:
        script: the file. If TensorFlow is not installed, its imports of tensorflow or keras import minigrad.
        arguments: the arguments of the script.
        page: an HTML file for the answers and the films, or None; the same option after the script takes precedence.

    Raises:
        Trouble: it is not Python source.
        OSError: it cannot be read, or the page cannot be written.
    """
    from ..report import examine

    path = Path(script)
    main = types.ModuleType("__main__")
    main.__file__ = str(path)
    try:
        with tokenize.open(path) as file:
            text = file.read()
        if OPTION not in text:  # the option is defined by the script itself
            page, arguments = page_after(arguments, page)
        ours, beside = (sys.argv, sys.path, sys.modules["__main__"]), str(path.resolve().parent)
        sys.argv, sys.path, sys.modules["__main__"] = [script, *arguments], [beside, *sys.path[1:]], main
        try:
            report = examine(text, str(path.resolve()), vars(main))
        finally:
            sys.argv, sys.path, sys.modules["__main__"] = ours
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        name, why = shown(script), str(problem) or type(problem).__name__
        raise Trouble(f"{name} is no Python source ({why}).", f"python -m py_compile {name}") from None
    print(report)
    if page is not None:
        report.save_html(page)
    return 1 if report.broken or report.problem else 0


def page_after(arguments, page) -> tuple:
    """The page that is asked for after the script, or else the given one; and the remaining arguments."""
    parser = argparse.ArgumentParser("minigrad explain", add_help=False, allow_abbrev=False)
    parser.add_argument(OPTION, metavar="FILE", default=page)
    known, left = parser.parse_known_args(arguments)
    return known.html, left
