"""`minigrad check`: all that the course needs of this machine on one screen, and what to type if something is wrong."""

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

from .course import folder
from .telling import Trouble, as_called

PORT = 8888  # where JupyterLab begins to look for a free one
KERNEL = "python3"  # what the lessons ask for
FRONT_ENDS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")  # what JupyterLab draws the inspector with
PROBE = """
import minigrad as mg
x = mg.Variable(3.0)
with mg.GradientTape() as tape:
    y = x * x
print("widget" if "application/vnd.jupyter.widget-view+json" in mg.inspect(tape, y, x)._repr_mimebundle_()[0] else "table")
"""


@dataclass(frozen=True)
class Finding:
    """One line of the screen.

    Args:
        what: what was looked at.
        seen: what was seen there.
        instead: what to type if something is wrong; "" if nothing is.
        note: the course runs all the same.
    """

    what: str
    seen: str
    instead: str = ""
    note: bool = False

    @property
    def wrong(self) -> bool:
        return bool(self.instead) and not self.note

    def __str__(self):
        fine = "note" if self.note else "ok"
        instead = f"\n{'':20}try: {as_called(self.instead)}" if self.instead else ""
        return f"{'wrong' if self.wrong else fine:7}{self.what:13}{self.seen}{instead}"


def check() -> int:
    """Print what is found, and return how the command ends: with 1 if something is wrong."""
    print(f"minigrad {version('minigrad') or '(not installed)'}, Python {platform.python_version()}, {platform.system()}")
    wrong = 0
    for finding in findings():
        print(finding, flush=True)
        wrong += finding.wrong
    then = f"{wrong} to fix. Begin with the first, then: " if wrong else "All is well. Begin: "
    print(then + as_called("minigrad check" if wrong else "minigrad course"))
    return 1 if wrong else 0


def findings() -> Iterator[Finding]:
    """Everything; what takes time comes last."""
    yield from quick()
    yield root()
    yield port()
    yield browser()
    if version("ipykernel"):
        yield from kernel()


def quick() -> Iterator[Finding]:
    """What is seen at once, and has to be right before JupyterLab starts."""
    yield from packages()
    yield lessons_folder()
    if version("jupyter_core"):
        yield jupyters_folder()


def refuse(findings: Iterable[Finding]) -> None:
    """Stop at the first that is wrong.

    Raises:
        Trouble: with what to type.
    """
    for finding in findings:
        if finding.wrong:
            raise Trouble(f"{finding.what} {finding.seen}.", finding.instead)


# ---- what is installed -----------------------------------------------------------------------------------------------


def version(package: str) -> str:
    """The version that is installed; "" if none is."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def needs() -> dict[str, str]:
    """What the course requires, as minigrad itself declares it: {"jupyterlab": "<5,>=4.4", ...}."""
    declared = (line.partition(";") for line in importlib.metadata.requires("minigrad") or [])
    wanted = [need.strip() for need, _, when in declared if "extra" not in when or "course" in when]
    return {name: need.removeprefix(name) for need in wanted for name in re.findall(r"^[\w-]+", need)}


def packages() -> Iterator[Finding]:
    """Is each there, and neither too old nor too new? One line fixes them all."""
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


def install(what: str) -> str:
    return f'"{sys.executable}" -m pip install {what}'


def suits(found: str, bounds: str) -> bool:
    """Is a version within bounds?

    >>> suits("3.6.8", "<5,>=4.4"), suits("4.6.6", "<5,>=4.4")
    (False, True)
    """
    if importlib.util.find_spec("packaging") is None:
        return True  # it comes with JupyterLab, and that JupyterLab is missing is said
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(bounds).contains(found, prereleases=True)


# ---- where it writes -------------------------------------------------------------------------------------------------


def lessons_folder() -> Finding:
    """Are the lessons here, and can answers be kept beside them?"""
    try:
        place = folder()
    except Trouble as trouble:
        return Finding("lessons", "are not here", trouble.instead)
    if can_write(place):
        return Finding("lessons", f"{place}")
    instead = f'cp -r "{place}" ~/course; cd ~; minigrad course'
    return Finding("lessons", f"{place} cannot be written, so no answer could be kept", instead)


def jupyters_folder() -> Finding:
    """Can JupyterLab keep what it needs while it runs?"""
    from jupyter_core.paths import jupyter_runtime_dir

    place = Path(jupyter_runtime_dir())
    if can_write(place):
        return Finding("jupyter", f"{place}")
    return Finding("jupyter", f"{place} cannot be written", f"export JUPYTER_RUNTIME_DIR={tempfile.gettempdir()}/jupyter-runtime")


def can_write(place: Path) -> bool:
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False


# ---- the machine -----------------------------------------------------------------------------------------------------


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def root() -> Finding:
    if is_root():
        return Finding("user", "root: whoever opens the page is root too", "adduser learner; su - learner", note=True)
    return Finding("user", "without special rights")


def is_free(number: int) -> bool:
    """Could a server listen at this port?"""
    with socket.socket() as door:
        if os.name == "posix":
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server that has just ended is no obstacle
        try:
            door.bind(("127.0.0.1", number))
        except OSError:
            return False
        return True


def free_after(number: int) -> int:
    return next((near for near in range(number + 1, 65536) if is_free(near)), PORT)


def port() -> Finding:
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
    if has_browser():
        return Finding("browser", "is there")
    return Finding("browser", "none here: open the address that is printed in one", "minigrad course --no-browser", note=True)


# ---- the kernel ------------------------------------------------------------------------------------------------------


def kernel() -> Iterator[Finding]:
    """A kernel is started as JupyterLab would, and asked for an inspector."""
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
    """What it prints, or why it does not. (It runs where no folder `minigrad` can pass for the installed one.)"""
    from jupyter_client.kernelspec import NoSuchKernel
    from jupyter_client.manager import start_new_kernel

    quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        manager, client = start_new_kernel(kernel_name=KERNEL, cwd=tempfile.gettempdir(), **quiet)
    except (NoSuchKernel, OSError, RuntimeError) as problem:
        return "", f"does not start ({problem})"
    said = []
    try:
        reply = client.execute_interactive(PROBE, timeout=60, output_hook=lambda message: said.append(message["content"].get("text", "")))
        content = reply["content"]
        failed = "" if content["status"] == "ok" else f"runs another Python: {content['ename']}: {content['evalue']}"
    except TimeoutError:
        failed = "does not answer within a minute"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return "".join(said).strip(), failed


def has_front_end(name: str) -> bool:
    """Is this extension where JupyterLab looks?"""
    from jupyter_core.paths import jupyter_path

    return any((Path(place) / name / "package.json").is_file() for place in jupyter_path("labextensions"))
