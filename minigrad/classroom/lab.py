"""`minigrad course`: open a lesson in JupyterLab, if asked as it was originally."""

import ipaddress
import os
import re
from collections.abc import Sequence
from pathlib import Path

from . import checkup
from .course import folder, module, numbered, restored
from .telling import Trouble, remark, shown

QUIET = str(Path(__file__).parent)  # its folder labconfig turns off JupyterLab's questions about news and updates


def open_course(lesson: str | None, reset: bool, port: int | None, further: Sequence[str]) -> None:
    """Run JupyterLab in the folder of the course, until it ends.

    Args:
        lesson: the number of the lesson that it opens; None for the first.
        reset: whether to restore the original of that lesson before, and keep a copy of the present one.
        port: the port of the server; None for the first free one from 8888 on.
        further: arguments of JupyterLab.

    Raises:
        Trouble: an option is wrong, or something that JupyterLab needs is missing.
    """
    if reset and lesson is None:
        raise Trouble("--reset needs the lesson that is to be as new.", "minigrad course --lesson 07 --reset")
    if further and further[0].isdigit():
        raise Trouble("The number of a lesson needs its option.", f"minigrad course --lesson {further[0].zfill(2)}")
    path = numbered(*([] if lesson is None else [lesson]))[0]
    checkup.refuse(checkup.quick())
    options = [f"--ServerApp.root_dir={folder()}", f"--LabApp.default_url=/lab/tree/{path.name}"]
    if port:
        if checkup.is_reserved(port):
            instead = f"minigrad course --port {checkup.free_after(checkup.PORT)}"
            raise Trouble(f"Port {port} is for programs with special rights.", instead)
        if not checkup.is_free(port):
            asked = [f"--lesson {path.name[:2]}"] if lesson else []
            asked += ["--reset"] if reset else []
            instead = " ".join(["minigrad course", *asked, f"--port {checkup.free_after(port)}", *further])
            raise Trouble(f"Port {port} is taken, perhaps by a course that is still open.", instead)
        options += [f"--port={port}", "--ServerApp.port_retries=0"]
    if checkup.is_root():
        advice = "On a machine with other people, be a user without such rights."
        remark(f"you are root, so whoever opens the page is root too. {advice}")
        options += ["--allow-root"]
    if "--no-browser" not in further and not checkup.has_browser():
        remark("no browser was found on this machine. Open the address that follows in one.")
    if reset:
        hand_out(path)

    found = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join([QUIET, *([found] if found else [])])
    from jupyterlab.labapp import LabApp

    place = address(further)
    if not is_loopback(place):
        danger = "whoever reaches it over the network, and knows its token if it has one, runs programs as you."
        where = shown(place) if place else "all addresses"
        remark(f"it listens at {where}, not on this machine alone: {danger}")
    LabApp.launch_instance([*options, *further])


def address(arguments: Sequence[str]) -> str:
    """The address at which JupyterLab will listen: as its last argument says, else as its configuration files do."""
    asked = re.findall(r"(?:^|\0)--(?:ServerApp\.)?ip[=\0]([^\0]*)", "\0".join(arguments))
    if asked:
        return asked[-1]
    from jupyter_server.serverapp import ServerApp

    server = ServerApp()
    for name in ("jupyter_server_config", "jupyter_lab_config"):
        server.config_file_name = name
        server.load_config_file()
    return server.ip


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def hand_out(path: Path) -> None:
    """Restore the original of a lesson, and keep a copy of the present one.

    Raises:
        Trouble: the notebook is damaged.
    """
    overview = module("helpers.overview")
    try:
        copy = overview.hand_out(path)
    except OSError:
        raise
    except overview.UNREADABLE as problem:
        raise Trouble(f"{path.name} is damaged and was left as it is ({problem}).", restored(path.name)) from None
    remark(f"{path.name} is as new. What stood in it is kept in {copy.relative_to(folder().parent)}.")
