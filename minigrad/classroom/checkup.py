"""`minigrad check`: test whether this machine has what the course needs, and print what to type if not."""

import errno
import importlib.metadata
import importlib.util
import os
import platform
import re
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import visible
from .course import clone
from .handout import folder
from .telling import FULL, LOOK_AT_DISKS, Trouble, as_called

PORT = 8888  # the first port that JupyterLab tries
KERNEL = "python3"  # the kernel of the lessons
FRONT_ENDS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")  # extensions that show the inspector
PROBE = """
import minigrad as mg
x = mg.Variable(3.0)
with mg.GradientTape() as tape:
    y = x * x
shown, _ = mg.inspect(tape, y, x)._repr_mimebundle_()
print("widget" if "application/vnd.jupyter.widget-view+json" in shown else "table")
"""


@dataclass(frozen=True)
class Finding:
    """The result of one test: a line of the output.

    Args:
        what: what was tested.
        seen: what was found.
        instead: what to type if something is wrong; "" if nothing is.
        note: whether the course works all the same.
    """

    what: str
    seen: str
    instead: str = ""
    note: bool = False

    @property
    def wrong(self) -> bool:
        return bool(self.instead) and not self.note

    @property
    def mark(self) -> str:
        if self.note:
            return "note"
        return "wrong" if self.wrong else "ok"

    def __str__(self):
        advice = f"\n{'':20}try: {as_called(self.instead)}" if self.instead else ""
        return f"{self.mark:7}{self.what:13}{visible(self.seen, None)}{advice}"


def check() -> int:
    """Print all findings, and return the exit code: 1 if something is wrong."""
    ours = version("minigrad") or "(not installed)"
    print(f"minigrad {ours}, Python {platform.python_version()}, {platform.system()}")
    wrong = 0
    for finding in findings():
        print(finding, flush=True)
        wrong += finding.wrong
    then = f"{wrong} to fix. Begin with the first, then: " if wrong else "All is well. Begin: "
    print(then + as_called("minigrad check" if wrong else "minigrad course"))
    return 1 if wrong else 0


def findings() -> Iterator[Finding]:
    """The results of all tests; the slow ones come last."""
    yield from quick()
    yield root()
    yield port()
    yield browser()
    if version("ipykernel"):
        yield from kernel()


def quick(given: str | None = None) -> Iterator[Finding]:
    """The results of the fast tests, which must succeed before JupyterLab starts."""
    yield from packages()
    yield lessons_folder(given)
    if version("jupyter_core"):
        yield jupyters_folder()


def refuse(findings: Iterable[Finding]) -> None:
    """Stop at the first finding that is wrong.

    Raises:
        Trouble: a finding is wrong.
    """
    for finding in findings:
        if finding.wrong:
            raise Trouble(f"{finding.what} {finding.seen}.", finding.instead)


# ---- what is installed ---------------------------------------------------------------------------------------------


def version(package: str) -> str:
    """The installed version of a package; "" if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def needs() -> dict[str, str]:
    """The requirements of the course in the metadata of minigrad: {"jupyterlab": "<5,>=4.4", ...}."""
    declared = (line.partition(";") for line in importlib.metadata.requires("minigrad") or [])
    wanted = [need.strip() for need, _, when in declared if "extra" not in when or "course" in when]
    return {name: need.removeprefix(name) for need in wanted for name in re.findall(r"^[\w-]+", need)}


def packages() -> Iterator[Finding]:
    """Whether a suitable version of each required package is installed. One command installs all that are missing."""
    if not version("minigrad"):
        yield Finding("minigrad", "is not installed, only lies here", install("--editable '.[course]'"))
        return
    wanted = {**needs(), "ipykernel": ""}
    wrong = [name for name, bounds in wanted.items() if not (version(name) and suits(version(name), bounds))]
    fix = install("--upgrade " + " ".join(f'"{name}{wanted[name]}"' for name in wrong))
    for name, bounds in wanted.items():
        if name not in wrong:
            yield Finding(name, version(name))
            continue
        seen = f"{version(name)} does not suit: {bounds} is needed" if version(name) else "is not installed"
        yield Finding(name, seen, fix if name == wrong[0] else "the same line")


def source_for(name: str, needs: Iterable[str]) -> Path:
    """The clone of the source, in which `minigrad book` and `minigrad site` make what their names say.

    Args:
        name: "book" or "site".
        needs: the packages that are needed to make it.

    Raises:
        Trouble: this is not a clone, or a package is not installed.
    """
    source = clone()
    if source is None:
        raise Trouble(f"The {name} is made in a clone of the source.", f"cd the-clone; minigrad {name}")
    missing = [package for package in needs if importlib.util.find_spec(package) is None]
    if missing:
        raise Trouble(f"{', '.join(missing)}: not installed.", install(f"--editable '.[course,{name}]'"))
    return source


def install(what: str) -> str:
    """The command line that installs something."""
    return f'"{sys.executable}" -m pip install {what}'


def suits(found: str, bounds: str) -> bool:
    """Whether a version is within bounds.

    >>> suits("3.6.8", "<5,>=4.4"), suits("4.6.6", "<5,>=4.4")
    (False, True)
    """
    if importlib.util.find_spec("packaging") is None:
        return True  # packaging comes with JupyterLab; if that is missing, another finding says so
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(bounds).contains(found, prereleases=True)


# ---- what can be written -------------------------------------------------------------------------------------------


def lessons_folder(given: str | None = None) -> Finding:
    """Whether the folder that a learner works in can be written or created."""
    return can_be_written(folder(given))


def can_be_written(place: Path) -> Finding:
    """Whether a folder with lessons can be written or created."""
    there = next(one for one in (place, *place.parents) if one.exists())
    if can_write(there):
        return Finding("lessons", f"{place}")
    return unwritable("lessons", there, "minigrad course --folder ~/minigrad-course")


def jupyters_folder() -> Finding:
    """Whether the runtime folder of Jupyter can be written."""
    from jupyter_core.paths import jupyter_runtime_dir

    place = Path(jupyter_runtime_dir())
    if can_write(place):
        return Finding("jupyter", f"{place}")
    return unwritable("jupyter", place, 'export JUPYTER_RUNTIME_DIR="$(mktemp -d)"')


def unwritable(what: str, place: Path, instead: str) -> Finding:
    """The finding that a folder cannot be written, and why.

    Args:
        what: what was tested.
        place: the folder.
        instead: what to type, unless the disk is full.
    """
    number = refusal(place)
    why = f" ({os.strerror(number)})" if number else ""
    return Finding(what, f"{place} cannot be written{why}", LOOK_AT_DISKS if number in FULL else instead)


def can_write(place: Path) -> bool:
    """Whether files can be written into a folder, which is created if it does not exist."""
    return not refusal(place)


def refusal(place: Path) -> int:
    """The error number of an attempt to write into a folder; 0 if it succeeds."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"x" * 4096)  # an empty file would fit on a full disk
        return 0
    except OSError as problem:
        return problem.errno or errno.EIO
    except ValueError:  # the name contains a null character
        return errno.EINVAL


# ---- the machine ---------------------------------------------------------------------------------------------------


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def root() -> Finding:
    """Whether the user is root."""
    if is_root():
        return Finding("user", "root: whoever opens the page is root too", "adduser learner; su - learner", note=True)
    return Finding("user", "without special rights")


def is_free(number: int) -> bool:
    """Whether a server could listen on this port."""
    return not binding_error(number)


def is_reserved(number: int) -> bool:
    """Whether this user may not listen on this port, though it may be free."""
    return binding_error(number) == errno.EACCES


def binding_error(number: int) -> int:
    """The error number of an attempt to listen on this port; 0 if it succeeds."""
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # works right after another server has ended
        try:
            probe.bind(("127.0.0.1", number))
        except OSError as problem:
            return problem.errno or errno.EIO
        return 0


def free_after(number: int) -> int:
    """The next free port after this one."""
    return next((near for near in range(number + 1, 65536) if is_free(near)), PORT)


def port() -> Finding:
    """Whether the default port is free."""
    if is_free(PORT):
        return Finding("port", f"{PORT} is free")
    instead = f"minigrad course --port {free_after(PORT)}"
    return Finding("port", f"{PORT} is taken, perhaps by a course still open", instead, note=True)


def has_browser() -> bool:
    try:
        return bool(webbrowser.get())
    except webbrowser.Error:
        return False


def browser() -> Finding:
    """Whether there is a browser on this machine."""
    if has_browser():
        return Finding("browser", "is there")
    instead = "minigrad course --no-browser"
    return Finding("browser", "none here: open the address that is printed in one", instead, note=True)


# ---- the kernel ----------------------------------------------------------------------------------------------------


def kernel() -> Iterator[Finding]:
    """Whether a kernel starts as in JupyterLab, and shows the inspector as a widget."""
    start = time.monotonic()
    said, failed = asked_a_kernel()
    if failed:
        yield Finding("kernel", failed, f'"{sys.executable}" -m ipykernel install --sys-prefix --name {KERNEL}')
        return
    yield Finding("kernel", f"answers after {time.monotonic() - start:.1f} s")
    missing = [name for name in FRONT_ENDS if not has_front_end(name)]
    if said != "widget" or missing:
        what = f"JupyterLab has no {' and no '.join(missing)}" if missing else "the inspector would be a table"
        yield Finding("widget", what, install("--force-reinstall anywidget jupyterlab_widgets"))
    else:
        yield Finding("widget", "the inspector can be drawn")


def asked_a_kernel() -> tuple[str, str]:
    """Run PROBE in a kernel, in a folder from which nothing can be imported. Returns the result of `asked_in`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        return asked_in(place)


def asked_in(place: str) -> tuple[str, str]:
    """Run PROBE in a kernel whose working folder is `place`.

    Returns:
        What it printed, and the reason if it failed, else "".
    """
    from jupyter_client.kernelspec import NoSuchKernel
    from jupyter_client.manager import start_new_kernel

    quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        manager, client = start_new_kernel(kernel_name=KERNEL, cwd=place, **quiet)
    except (NoSuchKernel, OSError, RuntimeError) as problem:
        return "", f"does not start ({problem})"
    said = []

    def output_hook(message):
        said.append(message["content"].get("text", ""))

    try:
        reply = client.execute_interactive(PROBE, timeout=60, output_hook=output_hook)
        content = reply["content"]
        failed = "" if content["status"] == "ok" else f"runs another Python: {content['ename']}: {content['evalue']}"
    except TimeoutError:
        failed = "does not answer within a minute"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return "".join(said).strip(), failed


def has_front_end(name: str) -> bool:
    """Whether this extension is in one of JupyterLab's folders."""
    from jupyter_core.paths import jupyter_path

    return any((Path(place) / name / "package.json").is_file() for place in jupyter_path("labextensions"))
