"""A plugin of pytest: `python -m pytest -p tests.as_in_browser -p no:xdist tests` runs the tests as Python runs in a browser.

There (`tests/test_site.py` asks Pyodide itself) no thread starts, no process starts or forks, and `fcntl` and `resource` are
empty. minigrad has to do without; a test that itself asks for one of them is skipped, and so is one that drives the command,
which nobody has in a browser.
"""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import types
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).parent.parent
COMMAND = ROOT / "minigrad" / "classroom"
SKIPPED = "it starts a thread or a process itself, or asks a network: in a browser there is none"


def refusing(error):
    """A function that fails as it does in a browser; if a test called it, and not minigrad, the test is skipped."""

    def refuse(*arguments, **options):
        caller = asked_by(sys._getframe(1))
        if caller is None or ROOT / "tests" in caller.parents or COMMAND in caller.parents:
            pytest.skip(SKIPPED)
        raise error

    return refuse


def asked_by(frame):
    """The file of ours that asked for something; None if no file of ours did."""
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if ROOT in file.parents and file != Path(__file__) and ".venv" not in str(file):
            return file
        frame = frame.f_back
    return None


threading.Thread.start = refusing(RuntimeError("can't start new thread"))
subprocess.Popen.__init__ = refusing(OSError(errno.ENOTSUP, "emscripten does not support processes."))
os.fork = refusing(OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)))
socket.socket = type("socket", (socket.socket,), {"connect": refusing(OSError(errno.EHOSTUNREACH, "Host is unreachable"))})
for name in ("fcntl", "resource", "termios"):
    sys.modules[name] = types.ModuleType(name)  # JupyterLite's kernel has them, empty
for name in ("setitimer", "getitimer", "alarm"):
    delattr(signal, name)
with mock.patch.object(sys, "platform", "emscripten"):
    import minigrad.tracing.checkpoint  # noqa: F401 - it asks for the platform
