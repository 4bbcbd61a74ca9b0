"""A plugin of pytest: `python -m pytest -p tests.as_in_browser -p no:xdist tests` runs the tests as Python runs in a browser.

`python -m tests.as_in_browser course/*.ipynb` runs lessons so, and tells of each cell that does not end as it did when it was stored.

There (`tests/test_site.py` asks Pyodide itself) no thread starts, no process starts or forks, and `fcntl` and `resource` are
empty. minigrad has to do without; a test that itself asks for one of them is skipped, and so is one that drives the command,
which nobody has in a browser.
"""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import traceback
import types
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).parent.parent
LEARNERS = (ROOT / "minigrad", ROOT / "course" / "helpers")  # and not the command, which nobody has in a browser
COMMAND = ROOT / "minigrad" / "classroom"
STARTS = "the test or the command starts a thread or a process, or asks a network: in a browser there is none"
REPLAYS = "what explain proves by a replay is not proved in a browser: a replay is a forked process"
LOCKS = "no file can be locked in a browser, and one session writes the notes"
OF_THE_COMMAND = ("test_book", "test_command", "test_pack", "test_rehearsal", "test_site")
OF_LOCKS = ("test_a_session_that_keeps_the_lock_is_not_waited_for_forever", "test_temporary_files_that_were_left_over_go")
wanted = []  # the replays that the test has asked for in vain


def refusing(error):
    """A function that fails as it does in a browser; if it was not asked by what learners run, the test is skipped."""

    def refuse(*arguments, **options):
        file = asked_by(sys._getframe(1))
        if __name__ == "__main__" or (file and COMMAND not in file.parents and any(place in file.parents for place in LEARNERS)):
            raise error
        pytest.skip(STARTS)

    return refuse


def asked_by(frame):
    """The file of ours that asked for something; None if no file of ours did."""
    return next((file for one, _ in traceback.walk_stack(frame) if (file := ours(one))), None)


def ours(frame):
    """The file of a frame if it belongs to minigrad; None for Python, for packages, and for this file."""
    file = Path(frame.f_code.co_filename)
    return file if ROOT in file.parents and file != Path(__file__) and ".venv" not in file.parts else None


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames or item.path.stem in OF_THE_COMMAND:
            item.add_marker(pytest.mark.skip(reason=STARTS))
        if getattr(item, "originalname", None) in OF_LOCKS:
            item.add_marker(pytest.mark.skip(reason=LOCKS))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """A test whose own expectation failed where a replay was asked for in vain is one of replays. minigrad may raise nothing."""
    wanted.clear()
    try:
        return (yield)
    except Exception as problem:
        passed = [file for frame, _ in traceback.walk_tb(problem.__traceback__) if (file := ours(frame))]
        if wanted and passed and ROOT / "tests" in passed[-1].parents:
            pytest.skip(REPLAYS)
        raise


def told(reason):
    return lambda *arguments: wanted.append(reason(*arguments)) or wanted[-1]


threading.Thread.start = refusing(RuntimeError("can't start new thread"))
subprocess.Popen.__init__ = refusing(OSError(errno.ENOTSUP, "emscripten does not support processes."))
os.fork = refusing(OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)))
socket.socket = type("socket", (socket.socket,), {"connect": refusing(OSError(errno.EHOSTUNREACH, "Host is unreachable"))})
for name in ("fcntl", "resource", "termios"):
    sys.modules[name] = types.ModuleType(name)  # JupyterLite's kernel has them, empty
for name in ("setitimer", "getitimer", "alarm"):
    delattr(signal, name)
sysconfig.get_config_vars()  # once, as it looks for a file that is named after the platform
with mock.patch.object(sys, "platform", "emscripten"):
    import minigrad.tracing.checkpoint  # noqa: F401 - which asks for the platform
    from minigrad.explain import experiment

experiment.reason = told(experiment.reason)


# ---- lessons -----------------------------------------------------------------------------------------------------------


def surprises(lesson):
    """Run the cells of a lesson. Gives the name of each that ends with another error than is stored, or with one more."""
    from IPython.core.history import HistoryManager
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    HistoryManager.enabled = False  # its thread could not start
    shell = InteractiveShell.instance()
    sys.path.insert(0, str(lesson.parent))
    for cell in json.loads(lesson.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with capture_output():
                result = shell.run_cell("".join(cell["source"]))
            problem = result.error_before_exec or result.error_in_exec
            stored = [output["ename"] for output in cell["outputs"] if output["output_type"] == "error"]
            if stored != ([type(problem).__name__] if problem else []):
                yield f"{lesson.name}: {cell['id']}: {type(problem).__name__}: {problem}"


if __name__ == "__main__":
    print(*[one for lesson in sys.argv[1:] for one in surprises(Path(lesson).resolve())], sep="\n")
