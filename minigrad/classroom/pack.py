"""`minigrad pack`: zip files with the course, for machines without a network."""

import datetime
import hashlib
import os
import re
import shutil
import signal
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from . import checkup, contents, install, pages, wheels
from .course import clone, lessons, original, restored
from .telling import FULL, Trouble, counted, remark, shown

START = """minigrad {version}: the course, for {places}

To do the lessons (no network is needed; Python is):    python3 install.py
on Windows:                                             py install.py
It makes a folder .venv here, and says how to begin. First it compares all files with SHA256SUMS.

To read the lessons, with films that can be stepped:    open pages/index.html

Your work will be in the folder minigrad-course, which no newer pack writes over.
"""


def pack(platforms: Sequence[str] | None, pythons: Sequence[str] | None, out: str) -> None:
    """Write a zip file of the course, and one of the pages for teachers.

    Args:
        platforms, pythons: all combinations of these are packed; None for those of this machine.
        out: the folder of the zip files, which is created if it does not exist.

    Raises:
        Trouble: this is not a clone, a file or a wheel is missing, or there is no network.
        OSError: the disk is full.
        KeyboardInterrupt: it was interrupted, or stopped by `kill` or by closing the terminal.
    """
    source = clone()
    if source is None:
        problem = "A pack is made in a clone of the source;"
        raise Trouble(f"{problem} one that is made can just be copied.", "cd the-clone; minigrad pack")
    targets = wheels.targets(platforms, pythons)
    refused = checkup.refusal(Path(out))
    if refused in FULL:
        raise OSError(refused, os.strerror(refused), out)
    if refused or not out:
        raise Trouble(f"Nothing can be written to {shown(out)}.", "minigrad pack --out ~")
    checkup.refuse(checkup.packages())
    for_teachers = contents.for_teachers()
    contents.check(source / "course", [*contents.for_learners(), *for_teachers], restored)
    for path in contents.strangers():
        remark(f"{path.name} is no lesson, as it has no cards; it is not packed.")
    version = checkup.version("minigrad")
    name = f"minigrad-course-{version}-{datetime.date.today()}"
    for ending in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, ending):
            signal.signal(getattr(signal, ending), signal.default_int_handler)  # which cleans up
    with tempfile.TemporaryDirectory(prefix=".minigrad-pack-", dir=Path(out).resolve()) as scratch:
        root = Path(scratch) / name
        root.mkdir()
        start = START.format(version=version, places="; ".join(map(str, targets)))
        (root / "START_HERE.txt").write_text(start, encoding="utf-8")
        shutil.copyfile(install.__file__, root / "install.py")
        wheels.our_wheel(source, root / "wheels")
        for target in counted(targets, "fetching wheels"):
            wheels.fetch(target, pins(source), root / "wheels")
        write_pages(root / "pages")
        pages_for_teachers = Path(scratch) / f"{name}-for-teachers"
        contents.copy(source / "course", for_teachers, pages_for_teachers, restored)
        files = [file.replace(Path(out) / file.name) for file in [zipped(root), zipped(pages_for_teachers)]]
    for file in files:
        print(f"{file}  {file.stat().st_size / 1e6:.2g} MB")


def pins(source: Path) -> dict[str, str]:
    """The versions pinned in binder/: {"numpy": "2.4.6", ...}."""
    from packaging.utils import canonicalize_name

    lines = (source / "binder" / "requirements.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([\w.-]+)==(\S+)$", lines, re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pinned}


def write_pages(into: Path) -> None:
    """Write an HTML page of each lesson, an index, and the documents that the lessons link to."""
    into.mkdir()
    for name in ("glossary.md", "where.md"):
        shutil.copyfile(original() / name, into / name)
    titles = {}
    for lesson in counted(lessons(), "writing pages"):
        title, text = pages.page_of(lesson)
        titles[f"{lesson.stem}.html"] = title
        (into / f"{lesson.stem}.html").write_text(text, encoding="utf-8")
    (into / "index.html").write_text(pages.index(titles), encoding="utf-8")


def zipped(root: Path) -> Path:
    """Write a zip file beside a folder, with its name, its contents and the SHA-256 sums of its files.

    Wheels are stored uncompressed, since they are compressed already.
    """
    paths = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(root).as_posix()}\n" for path in paths]
    (root / install.SUMS).write_text("".join(sums), encoding="utf-8", newline="\n")
    file = root.with_name(f"{root.name}.zip")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for path in (*paths, root / install.SUMS):
            how = zipfile.ZIP_STORED if path.suffix == ".whl" else zipfile.ZIP_DEFLATED
            made.write(path, path.relative_to(root.parent), compress_type=how)
    return file
