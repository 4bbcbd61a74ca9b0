"""Pyodide, which is Python as WebAssembly, with the packages that the course needs, in a folder.

Its lock names the wheel and the needs of each package. Here minigrad is added, and what it does not need is left out;
a cell that imports minigrad then brings all that by itself.
"""

import hashlib
import importlib.metadata
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from . import checkup, wheels
from .telling import Trouble

FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
NEEDED = ("minigrad", "micropip", "comm", "jedi", "ipython")  # all but the first by JupyterLite's kernel
FRONT_ENDS = ("jupyterlab", "jupyterlab-widgets", "widgetsnbextension")  # which run outside Python there
BROWSER = {"sys_platform": "emscripten", "os_name": "posix", "python_version": "3.14", "extra": "course"}
PURE = "-none-any.whl"


def write(into: Path, source: Path, origin: str | None) -> list[str]:
    """Write Pyodide and the wheels into a new folder.

    Args:
        into: the folder.
        source: the clone of minigrad.
        origin: where Pyodide's files lie, a folder or an address; None for where they are published.

    Returns:
        The compiled wheels that do not lie there.

    Raises:
        Trouble: one of Pyodide's own files is not to be had, or there is no network.
    """
    into.mkdir(parents=True)
    place = address(origin)
    for name in FILES:
        (into / name).write_bytes(read(f"{place}/{name}"))
    lock = json.loads(read(f"{place}/{LOCK}"))
    lock["packages"] = needed(lock["packages"])
    wheels.our_wheel(source, into)
    absent = [entry for entry in lock["packages"].values() if not copied(entry, place, into)]
    download([entry for entry in absent if entry["file_name"].endswith(PURE)], into)
    found = {normal(wheel.name.split("-")[0]): wheel for wheel in into.glob("*.whl")}
    for name in found:
        sum_of = hashlib.sha256(found[name].read_bytes()).hexdigest()
        lock["packages"][name].update(file_name=found[name].name, sha256=sum_of)
    (into / LOCK).write_text(json.dumps(lock), encoding="utf-8")
    return [entry["file_name"] for name, entry in lock["packages"].items() if name not in found]


def address(origin: str | None) -> str:
    """The address of the folder with Pyodide's files. JupyterLite's kernel names where its version is published."""
    if origin is None:
        from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL

        return PYODIDE_CDN_URL
    return origin.rstrip("/") if "://" in origin else Path(origin).resolve().as_uri()


def read(file: str) -> bytes:
    """What lies at an address.

    Raises:
        Trouble: nothing.
    """
    try:
        with urllib.request.urlopen(file, timeout=60) as answer:
            return answer.read()
    except urllib.error.URLError as problem:
        instead = "minigrad site --pyodide FOLDER, in which Pyodide's files lie"
        raise Trouble(f"{file} could not be read ({problem.reason}).", instead) from None


# ---- the packages --------------------------------------------------------------------------------------------------


def needed(known: dict[str, Any]) -> dict[str, Any]:
    """The entries of the lock that the course needs: Pyodide's, and new ones for what is not in the lock."""
    found: dict[str, Any] = {}
    queue = [*NEEDED]
    while queue:
        name = normal(queue.pop())
        if name not in found:
            found[name] = known.get(name) or added(name)
            queue += found[name]["depends"]
    return found


def normal(name: str) -> str:
    """The name of a package as the lock has it."""
    from packaging.utils import canonicalize_name

    return canonicalize_name(name)


def added(name: str) -> dict[str, Any]:
    """An entry for a package, in the version that is installed here."""
    from packaging.requirements import Requirement

    needs = [Requirement(line) for line in importlib.metadata.requires(name) or ()]
    wanted = [normal(need.name) for need in needs if not need.marker or need.marker.evaluate(BROWSER)]
    return {
        "name": name,
        "version": checkup.version(name),
        "file_name": PURE,
        "install_dir": "site",
        "package_type": "package",
        "imports": [name],
        "depends": [need for need in wanted if need not in FRONT_ENDS],
    }


def copied(entry: dict[str, Any], place: str, into: Path) -> bool:
    """Copy a wheel from where Pyodide's files lie. Returns whether it is there."""
    if entry["file_name"] == PURE:
        return entry["name"] == "minigrad"
    try:
        (into / entry["file_name"]).write_bytes(read(f"{place}/{entry['file_name']}"))
        return True
    except Trouble:
        return False


def download(entries: list[dict[str, Any]], into: Path) -> None:
    """Download wheels of pure Python from the package index.

    Raises:
        Trouble: there is no network.
    """
    target = ("--only-binary=:all:", "--platform", "any", "--python-version", BROWSER["python_version"])
    if entries:
        asked = [f"{entry['name']}=={entry['version']}" for entry in entries]
        wheels.pip("download", "--no-deps", *target, "--dest", str(into), *asked)
