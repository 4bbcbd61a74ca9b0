"""Installs the course from this folder, without a network: `python3 install.py` (on Windows: `py install.py`)."""

import os
import platform
import subprocess
import sys
from pathlib import Path

PACK = Path(__file__).resolve().parent
ENVIRONMENT = PACK / ".venv"
PROGRAMS = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")


def main():
    """Make an environment here, install the wheels into it, and say how to begin. Returns the exit code."""
    print("Installing into %s. This takes a minute or two." % ENVIRONMENT, flush=True)
    if subprocess.call([sys.executable, "-m", "venv", str(ENVIRONMENT)]):
        return complain("Python could not make an environment.", "sudo apt install python3-venv   (on Debian and Ubuntu; elsewhere install Python anew)")
    offline = ["--isolated", "--no-index", "--find-links", str(PACK / "wheels"), "--disable-pip-version-check", "--quiet"]
    if subprocess.call([str(PROGRAMS / "python"), "-m", "pip", "install", *offline, "minigrad[course]"]):
        made_for = sorted({wheel.name.split("-", 2)[2][:-4] for wheel in (PACK / "wheels").glob("numpy-*.whl")})
        here = "Python %s on %s %s" % (platform.python_version(), platform.system(), platform.machine())
        return complain("This is %s. The pack was made for: %s." % (here, ", ".join(made_for)), "another Python: python3.11 install.py")
    print("Done. To begin:\n%s course" % (PROGRAMS / "minigrad"))
    return 0


def complain(what, instead):
    """Say what is wrong and what to type."""
    print("%s\nTry: %s" % (what, instead), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
