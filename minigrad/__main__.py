"""The command `minigrad`, with the subcommands course, explain, check, pack, class, build, book and site."""

import argparse
import importlib
import io
import sys
from collections.abc import Sequence

from .classroom.telling import Trouble, trouble
from .errors import visible


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the arguments after the name of the command; those of `sys.argv` by default.

    Returns:
        The exit code: 0; 1 if something is wrong; 130 if it was interrupted. (Unknown arguments exit with 2.)
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # not every terminal can show all characters of a path
    try:
        code = run(arguments)
        print(end="", flush=True)
        return code
    except Trouble as problem:
        print(problem, file=sys.stderr)
    except OSError as problem:
        if not isinstance(problem, BrokenPipeError):  # e.g. when `head` has read enough
            print(trouble(problem), file=sys.stderr)
    except KeyboardInterrupt:
        print("\nminigrad: interrupted.", file=sys.stderr)
        return 130
    return 1


def run(arguments: Sequence[str] | None) -> int:
    """Run the function of a subcommand, and return the exit code.

    Raises:
        Trouble, OSError: something is wrong.
    """
    parser, command_of = parsed()
    known, further = parser.parse_known_args(arguments)
    options = vars(known)
    module, function = options.pop("run").split(".")
    name = options.pop("command")
    if name == "course":
        options["further"] = further
    elif further:
        command_of[name].error(f"unrecognized arguments: {visible(' '.join(further), None)}")
    return getattr(importlib.import_module(f"minigrad.classroom.{module}"), function)(**options) or 0


def parsed() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser of the command, and the parsers of its subcommands by name."""
    description = "Automatic differentiation to read, to see and to trust."
    parser = argparse.ArgumentParser(prog="minigrad", description=description)
    commands = parser.add_subparsers(title="commands", required=True, dest="command", metavar="command")
    for add in (add_course, add_explain, add_check, add_pack, add_class, add_build, add_book, add_site):
        add(commands)
    return parser, commands.choices


def subcommand(commands, name, run, help, more, example) -> argparse.ArgumentParser:
    """The parser of a new subcommand, which runs the function `run` of a module of classroom/."""
    about = dict(help=help, description=f"{help[0].upper()}{help[1:]}. {more}", epilog=f"example: {example}")
    made = commands.add_parser(name, **about, allow_abbrev=False)
    made.set_defaults(run=run)
    return made


def add_course(commands):
    course = subcommand(
        commands, "course", "lab.open_course", "open the course in JupyterLab",
        "It prints the address. What else you type goes to JupyterLab.", "minigrad course --lesson 07 --no-browser",
    )  # fmt: skip
    course.add_argument("--lesson", metavar="07", help="open on this lesson; without it, on the first")
    kept = "hand that lesson out anew; what stood in it is kept in my_copies"
    course.add_argument("--reset", action="store_true", help=kept)
    where = "where the lessons are laid, and never over your work (minigrad-course)"
    course.add_argument("--folder", metavar="FOLDER", help=where)
    course.add_argument("--own", action="store_true", help="open on a notebook that explains a program of your own")
    course.add_argument("--list", dest="listed", action="store_true", help="list the lessons, and open nothing")
    course.add_argument("--no-lab", dest="opened", action="store_false", help="only lay the lessons out")
    course.add_argument("--port", type=port, metavar="8899", help="listen at this port (8888, or the next free one)")


def add_explain(commands):
    explain = subcommand(
        commands, "explain", "explaining.explain", "run a program, and explain its gradients",
        "Each gradient that is None, partial or not finite is told with its line, cause and fix. The program runs on "
        "TensorFlow where that is installed; elsewhere it gets minigrad for it. Exit code 1: something is broken.",
        "minigrad explain --html report.html train.py",
    )  # fmt: skip
    page = "write a page, with the films, too; also after SCRIPT, where SCRIPT has no such option of its own"
    explain.add_argument("--html", dest="page", metavar="FILE", help=page)
    explain.add_argument("script", metavar="SCRIPT", help="the program")
    explain.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="its own arguments")


def add_check(commands):
    subcommand(
        commands, "check", "checkup.check", "look over all that the course needs",
        "It says what is wrong and what to type then. Exit code 1: something is.", "minigrad check",
    )  # fmt: skip


def add_pack(commands):
    pack = subcommand(
        commands, "pack", "pack.pack", "pack the course for a class without a network",
        "It makes a zip with all wheels, the lessons, each lesson as a page, and install.py; and a zip of the pages "
        "for teachers.", "minigrad pack --platform windows --platform macos --python 3.12",
    )  # fmt: skip
    pack.add_argument("--platform", dest="platforms", action="append", metavar="NAME",
                      help="linux, linux-arm, macos, macos-intel or windows; again for another; without it, "
                           "this one")  # fmt: skip
    pack.add_argument("--python", dest="pythons", action="append", metavar="3.12",
                      help="the version of Python there; again for another; without it, this one")  # fmt: skip
    pack.add_argument("--out", default=".", metavar="FOLDER", help="where the zips go (here)")


def add_class(commands):
    together = subcommand(
        commands, "class", "together.summarise", "summarise the codes that a class has handed in",
        "In a lesson, progress() prints a code that names nobody. This tells how many have solved what, and which "
        "known mistakes came first.", "minigrad class --picture class.png codes.txt",
    )  # fmt: skip
    together.add_argument("codes", metavar="CODES.txt", help="a file with one code in a line; - for what is typed")
    together.add_argument("--picture", metavar="FILE", help="write an image with a bar for each exercise, too")


def add_build(commands):
    build = subcommand(
        commands, "build", "building.build", "run lessons anew and store what they print",
        "For those who write lessons: how a lesson stands is then also what --reset puts back.", "minigrad build 07 08",
    )  # fmt: skip
    build.add_argument("lessons", nargs="*", metavar="07", help="these lessons; without any, all")


def add_book(commands):
    book = subcommand(
        commands, "book", "book.book", "make the book, a site of static pages",
        "It holds the lessons with their films, the reference, and what else is written here.",
        "minigrad book --out site",
    )  # fmt: skip
    book.add_argument("--out", metavar="FOLDER", help="where the pages go (course/book/_build/html)")


def add_site(commands):
    site = subcommand(
        commands, "site", "site.site", "make the course a site on which Python runs in the browser",
        "An experiment: everything but NumPy's wheel was verified. Any web server serves it, and it asks no other.",
        "minigrad site --pyodide pyodide --out site",
    )  # fmt: skip
    files = "where Pyodide's files lie: its release, unpacked"
    site.add_argument("--pyodide", required=True, dest="release", metavar="FOLDER", help=files)
    site.add_argument("--out", required=True, metavar="FOLDER", help="where the site goes")


def port(text: str) -> int:
    """The type of the option `--port`.

    Raises:
        ArgumentTypeError: the number is not a valid port.
    """
    if not 1 <= (number := int(text)) <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port: they are numbered from 1 to 65535")
    return number


if __name__ == "__main__":
    sys.exit(main())
