"""`minigrad course`: put the lessons into a folder, and open one in JupyterLab."""

import ipaddress
import os
import re
from collections.abc import Sequence
from pathlib import Path

from . import checkup, contents, handout
from .course import lessons, module, numbered, title
from .telling import Trouble, remark, shown

QUIET = str(Path(__file__).parent)  # its folder labconfig turns off JupyterLab's news and update prompts


def open_course(
    lesson: str | None,
    reset: bool,
    folder: str | None,
    own: bool,
    listed: bool,
    opened: bool,
    port: int | None,
    further: Sequence[str],
) -> None:
    """Put the lessons into a folder, and run JupyterLab there until it ends.

    Args:
        lesson: the number of the lesson to open; None for the first.
        reset: whether to restore that lesson first, keeping a copy of its current state.
        folder: where to put the lessons; None for `minigrad-course`.
        own: whether to open the notebook for the learner's own program.
        listed: whether to print a list of the lessons instead.
        opened: whether to run JupyterLab.
        port: the port of the server; None for the first free one from 8888 on.
        further: arguments for JupyterLab.

    Raises:
        Trouble: an option is wrong, or something that JupyterLab needs is missing.
        OSError: the lessons cannot be written there.
    """
    if listed:
        print("\n".join(f"{path.name[:2]}  {title(path)}" for path in lessons()))
        return
    if reset and lesson is None:
        raise Trouble("--reset needs the lesson that is to be as new.", "minigrad course --lesson 07 --reset")
    if further and further[0].isdigit():
        raise Trouble("The number of a lesson needs its option.", f"minigrad course --lesson {further[0].zfill(2)}")
    path = numbered(*([] if lesson is None else [lesson]))[0]
    opening = contents.OWN_PROGRAM if own else path.name
    place = handout.folder(folder)
    if opened:
        checkup.refuse(checkup.quick(folder))
        options = server_options(port, lesson, reset, further)
    handout.lay_out(place)
    if reset:
        hand_out(place / path.name)
    if opened:
        where = [f"--ServerApp.root_dir={place}", f"--LabApp.default_url=/lab/tree/{opening}"]
        launch([*where, *options, *further], address(further))


def server_options(port: int | None, lesson: str | None, reset: bool, further: Sequence[str]) -> list[str]:
    """The options that tell JupyterLab its port and its user.

    Raises:
        Trouble: the port is taken, or reserved.
    """
    options = []
    if port:
        if checkup.is_reserved(port):
            instead = f"minigrad course --port {checkup.free_after(checkup.PORT)}"
            raise Trouble(f"Port {port} is for programs with special rights.", instead)
        if not checkup.is_free(port):
            asked = [f"--lesson {lesson.zfill(2)}"] if lesson else []
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
    return options


def launch(options: Sequence[str], place: str) -> None:
    """Run JupyterLab, listening at `place`, without its questions about news."""
    found = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join([QUIET, *([found] if found else [])])
    os.environ |= for_kernels(os.environ)
    from jupyterlab.labapp import LabApp

    if not is_loopback(place):
        danger = "whoever reaches it over the network, and knows its token if it has one, runs programs as you."
        where = shown(place) if place else "all addresses"
        remark(f"it listens at {where}, not on this machine alone: {danger}")
    LabApp.launch_instance([*options])


def for_kernels(environment) -> dict:
    """The environment variables for kernels: the script to run at the start, and the user's own startup script."""
    startup = str(Path(QUIET, "labconfig", "startup.py"))
    before = environment.get("PYTHONSTARTUP", "")
    return {"PYTHONSTARTUP": startup} | ({"MINIGRAD_PYTHONSTARTUP": before} if before not in ("", startup) else {})


def address(arguments: Sequence[str]) -> str:
    """The address at which JupyterLab will listen, from its last argument or else its configuration files."""
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
    """Whether an address can be reached from this machine only."""
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def hand_out(path: Path) -> None:
    """Restore a lesson, and keep a copy of the previous file."""
    copy = module("helpers.overview").hand_out(path)
    remark(f"{path.name} is as new." + (f" What stood in it is kept in {copy}." if copy else ""))
