"""`minigrad site`: the course as a site on which Python runs in the reader's browser (JupyterLite). An experiment."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import checkup, contents, handout, lab, pyodide
from .telling import Trouble, remark, shown

NEEDS = ("jupyterlite_core", "jupyterlite_pyodide_kernel")
OPTIONS = ("--apps", "lab", "--no-sourcemaps", "--no-unused-shared-packages")
SETTINGS = {
    "jupyter-lite-schema-version": 0,
    "jupyter-config-data": {
        "appName": "minigrad",
        "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": {"disablePyPIFallback": True}},
    },
}


def site(out: str, release: str) -> None:
    """Make the site, which contains all that a browser needs: the lessons, JupyterLite, Pyodide and the wheels.

    Args:
        out: the folder to write it into.
        release: the folder with Pyodide's files.

    Raises:
        Trouble: this is not a clone, something that the site needs is missing, or there is no network.
        OSError: the disk is full.
    """
    source = checkup.source_for("site", NEEDS)
    place = Path(out)
    if not out or checkup.refusal(place):
        raise Trouble(f"Nothing can be written to {shown(out)}.", "minigrad site --out ~/site")
    with tempfile.TemporaryDirectory(prefix="minigrad-site-") as scratch:
        home = Path(scratch)
        for name in contents.for_learners():
            (home / "files" / name).parent.mkdir(parents=True, exist_ok=True)
            (home / "files" / name).write_bytes(handout.handed_out(name))
        lacking = pyodide.write(home / "static" / "pyodide", source, Path(release))
        shutil.copyfile(Path(lab.QUIET) / "labconfig" / "default_setting_overrides.json", home / "overrides.json")
        (home / "jupyter-lite.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        build(home, place.resolve())
    for name in lacking:
        remark(f"no lesson runs before {name} lies in {place / 'static' / 'pyodide'}.")
    print(f"{place / 'lab' / 'index.html'}  {sum(file.stat().st_size for file in place.rglob('*')) / 1e6:.0f} MB")


def build(home: Path, place: Path) -> None:
    """Let JupyterLite build the site from the prepared folder.

    Raises:
        Trouble: it failed.
    """
    command = [sys.executable, "-m", "jupyterlite_core", "build", *OPTIONS, "--output-dir", str(place)]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Trouble(f"JupyterLite could not make the site ({last}).", checkup.install("--editable '.[course,site]'"))
