"""The command `minigrad`: opens the course in JupyterLab."""

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent / "course"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    parser = argparse.ArgumentParser(prog="minigrad", description="Automatic differentiation to read, to see and to trust.")
    commands = parser.add_subparsers(title="commands", required=True)
    course = commands.add_parser(
        "course",
        help="open the course in JupyterLab",
        description="Open the course in JupyterLab, which prints its address. Further arguments go to JupyterLab.",
        epilog="example: minigrad course --no-browser --port 8899",
    )
    course.set_defaults(run=open_course)
    known, others = parser.parse_known_args(arguments)
    return known.run(others)


def open_course(arguments: Sequence[str]) -> int:
    """Start JupyterLab in the folder of the course, and stay until it ends."""
    if importlib.util.find_spec("jupyterlab") is None:
        return complain("JupyterLab is not installed.", "pip install 'minigrad[course]'")
    if not COURSE.is_dir():
        return complain("The lessons are not here: they come with the source, not with the package.", "pip install -e '.[course]'")
    from jupyterlab.labapp import LabApp

    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    first = min(lesson.name for lesson in COURSE.glob("*.ipynb"))
    LabApp.launch_instance([*as_root, f"--ServerApp.root_dir={COURSE}", f"--LabApp.default_url=/lab/tree/{first}", *arguments])
    return 0


def complain(what: str, instead: str) -> int:
    """Say on stderr what is wrong and what to type instead."""
    print(f"minigrad: {what}\nTry: {instead}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
