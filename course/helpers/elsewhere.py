"""`on_tensorflow`: run a program for TensorFlow if it is installed; else show what the program printed elsewhere."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .trying import never_raises

SAID = Path(__file__).with_name("said_by_tensorflow.json")  # program -> what it printed
SECONDS = 60
QUIETLY = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_NUM_INTRAOP_THREADS": "1"}


@never_raises
def on_tensorflow(program):
    """Run a program in a process of its own, and print what it prints."""
    if importlib.util.find_spec("tensorflow"):
        print(said_by(program), end="")
        return
    known = json.loads(SAID.read_text(encoding="utf-8"))
    problem = "TensorFlow is not installed here, and this program is not the one that was run where it is."
    print(known.get(program) or f"{problem} To run it: pip install tensorflow\n", end="")


def said_by(program) -> str:
    """The output of a program; if it ends with an error, including the last line of the traceback."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(program, encoding="utf-8")
        ran = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **QUIETLY})
    return ran.stdout + (ran.stderr.splitlines()[-1] + "\n" if ran.returncode else "")
