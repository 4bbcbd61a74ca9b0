"""Install the course from this folder, without a network: `python3 install.py` (on Windows: `py install.py`)."""

import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

PACK = Path(__file__).resolve().parent
ENVIRONMENT = PACK / ".venv"
PROGRAMS = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")


def main():
    """Create an environment here, install the wheels into it, and print how to begin. Returns the exit code."""
    print(f"Installing into {ENVIRONMENT}. This takes a minute or two.", flush=True)
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)]):
        return complain("Python could not make an environment. On Debian and Ubuntu that is a package.", "sudo apt install python3-venv")
    offline = ["--isolated", "--no-index", "--find-links", str(PACK / "wheels")]
    quick = ["--no-compile", "--disable-pip-version-check", "--quiet"]
    if subprocess.call([str(PROGRAMS / "python"), "-m", "pip", "install", *offline, *quick, "minigrad[course]"]):
        here = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
        return complain(f"This is {here}. The pack was made for: {', '.join(made_for())}.", "python3.11 install.py")
    print(f"Done. To begin:\n{typed(PROGRAMS / 'minigrad')} course")
    return 0


def typed(program):
    """The path of a program as it is typed in a shell: quoted if it contains spaces."""
    if os.name == "posix":
        return shlex.quote(str(program))
    return f'& "{program}"' if " " in str(program) else str(program)


def made_for():
    """The platforms of the pack, from the names of NumPy's wheels: "Python 3.11 on manylinux_2_28_x86_64"."""
    tags = [wheel.stem.split("-")[2:] for wheel in (PACK / "wheels").glob("numpy-*.whl")]
    return sorted(f"Python {python[2]}.{python[3:]} on {system.split('.')[-1]}" for python, _, system in tags)


def complain(what, instead):
    """Print what is wrong and what to type, and return the exit code."""
    print(f"{what}\nTry: {instead}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
