"""Puts Pyodide, which is Python compiled to WebAssembly, into a folder with the packages that the course needs.

Pyodide's lock file lists the wheel and the dependencies of each package. Here minigrad is added, and packages that the
course does not need are removed; a cell that imports minigrad then loads its dependencies by itself.
"""

import hashlib
import importlib.metadata
import json
import shutil
from pathlib import Path
from typing import Any

from . import checkup, wheels
from .telling import Trouble

FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
NEEDED = ("minigrad", "micropip", "comm", "jedi", "ipython")  # all but the first are needed by JupyterLite's kernel
FRONT_ENDS = ("jupyterlab", "jupyterlab-widgets", "widgetsnbextension")  # these run outside Python in JupyterLite
BROWSER = {"sys_platform": "emscripten", "os_name": "posix", "python_version": "3.14", "extra": "course"}
PURE = "-none-any.whl"


def write(into: Path, source: Path, release: Path) -> list[str]:
    """Write Pyodide and the wheels into a new folder.

    Args:
        into: the folder.
        source: the clone of minigrad.
        release: the folder with Pyodide's files. Wheels of pure Python that it lacks come from the package index.

    Returns:
        The compiled wheels that it lacks.

    Raises:
        Trouble: one of Pyodide's own files is missing, or there is no network.
    """
    missing = [name for name in (*FILES, LOCK) if not (release / name).is_file()]
    if missing:
        instead = "npm pack pyodide, and minigrad site --pyodide FOLDER, where it was unpacked"
        raise Trouble(f"{release} lacks {', '.join(missing)}: these are no files of Pyodide.", instead)
    into.mkdir(parents=True)
    for name in FILES:
        shutil.copyfile(release / name, into / name)
    lock = json.loads((release / LOCK).read_bytes())
    lock["packages"] = needed(lock["packages"])
    for entry in lock["packages"].values():
        if (release / entry["file_name"]).is_file():
            shutil.copyfile(release / entry["file_name"], into / entry["file_name"])
    wheels.our_wheel(source, into)
    found = wheels_in(into)
    absent = [entry for name, entry in lock["packages"].items() if name not in found]
    download([entry for entry in absent if entry["file_name"].endswith(PURE)], into)
    for name, wheel in wheels_in(into).items():
        sum_of_it = hashlib.sha256(wheel.read_bytes()).hexdigest()
        lock["packages"][name].update(file_name=wheel.name, sha256=sum_of_it)
    (into / LOCK).write_text(json.dumps(lock), encoding="utf-8")
    return [entry["file_name"] for entry in absent if not entry["file_name"].endswith(PURE)]


def wheels_in(folder: Path) -> dict[str, Path]:
    """The wheels in a folder, by the names of their packages."""
    return {normal(wheel.name.partition("-")[0]): wheel for wheel in folder.glob("*.whl")}


def needed(known: dict[str, Any]) -> dict[str, Any]:
    """The entries of the lock that the course needs: Pyodide's own, and new ones for packages missing from it."""
    found: dict[str, Any] = {}
    queue = [*NEEDED]
    while queue:
        name = normal(queue.pop())
        if name not in found:
            found[name] = known.get(name) or added(name)
            queue += found[name]["depends"]
    return found


def normal(name: str) -> str:
    """The name of a package in the form used in the lock."""
    from packaging.utils import canonicalize_name

    return canonicalize_name(name)


def added(name: str) -> dict[str, Any]:
    """A new entry for a package, in the version installed here; its wheel is not known yet."""
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


def download(entries: list[dict[str, Any]], into: Path) -> None:
    """Download wheels of pure Python from the package index.

    Raises:
        Trouble: there is no network.
    """
    target = ("--only-binary=:all:", "--platform", "any", "--python-version", BROWSER["python_version"])
    if entries:
        asked = [f"{entry['name']}=={entry['version']}" for entry in entries]
        wheels.pip("download", "--no-deps", *target, "--dest", str(into), *asked)
