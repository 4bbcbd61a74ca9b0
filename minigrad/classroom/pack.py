"""`minigrad pack`: zip files with the course, for machines without a network."""

import datetime
import re
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from . import checkup, install, pages, wheels
from .course import folder, module, numbered
from .telling import Trouble, counted, remark

START = """minigrad {version}: the course, for {places}

To do the lessons (no network is needed; Python is):    python3 install.py
on Windows:                                             py install.py
It makes a folder .venv here, and says how to begin.

To read the lessons, with films that can be stepped:    open pages/index.html

Your work is in the folder course. A newer pack has another name: unpack it beside this one, and nothing is overwritten.
"""
NOT_PACKED = shutil.ignore_patterns("teachers", "my_copies", "nobody", "conftest.py", "__pycache__", ".*")


def pack(platforms: Sequence[str] | None, pythons: Sequence[str] | None, out: str) -> None:
    """Write a zip file of the course, and one of the pages for teachers.

    Args:
        platforms, pythons: where it will be installed: all combinations; None for those of this machine.
        out: the folder of the zip files, which is created if it does not exist.

    Raises:
        Trouble: this is not a clone, a wheel is missing, or there is no network.
    """
    source = folder().parent
    if not (source / "binder").is_dir():
        raise Trouble("A pack is made in a clone of the source; one that is made can just be copied.", "cd the-clone; minigrad pack")
    targets = wheels.targets(platforms, pythons)
    if not checkup.can_write(Path(out)):
        raise Trouble(f"Nothing can be written to {out}.", "minigrad pack --out ~")
    checkup.refuse(checkup.packages())
    for number in worked_in():
        remark(f"somebody has worked in lesson {number}; it is packed as it stands. As new: minigrad course --lesson {number} --reset")
    version = checkup.version("minigrad")
    name = f"minigrad-course-{version}-{datetime.date.today()}"
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / name
        shutil.copytree(folder(), root / "course", ignore=NOT_PACKED)
        start = START.format(version=version, places="; ".join(map(str, targets)))
        (root / "START_HERE.txt").write_text(start, encoding="utf-8")
        shutil.copy(install.__file__, root)
        wheels.our_wheel(source, root / "wheels")
        for target in counted(targets, "fetching wheels"):
            wheels.fetch(target, pins(source), root / "wheels")
        write_pages(root / "pages")
        for_teachers = Path(scratch) / f"{name}-for-teachers"
        shutil.copytree(folder() / "teachers", for_teachers / "teachers")
        files = [zipped(one, Path(out)) for one in (root, for_teachers)]
    for file in files:
        print(f"{file}  {file.stat().st_size / 1e6:.2g} MB")


def worked_in() -> list[str]:
    """The numbers of the lessons whose code differs from the original."""
    build = module("build")
    changed = [path for path in numbered() if build.starts(path) != build.starts_of(path).read_text(encoding="utf-8")]
    return [path.name[:2] for path in changed]


def pins(source: Path) -> dict[str, str]:
    """The versions in binder/: {"numpy": "2.4.6", ...}."""
    from packaging.utils import canonicalize_name

    lines = (source / "binder" / "requirements.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([\w.-]+)==(\S+)$", lines, re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pinned}


def write_pages(into: Path) -> None:
    """Write an HTML page of each lesson, an index, and the glossary that the lessons link to."""
    into.mkdir()
    shutil.copy(folder() / "glossary.md", into)
    titles = {}
    for lesson in counted(numbered(), "writing pages"):
        title, text = pages.page_of(lesson)
        titles[f"{lesson.stem}.html"] = title
        (into / f"{lesson.stem}.html").write_text(text, encoding="utf-8")
    (into / "index.html").write_text(pages.index(titles), encoding="utf-8")


def zipped(root: Path, out: Path) -> Path:
    """Write a zip file with the content and the name of a folder. Wheels are stored, as they are compressed already."""
    file = out / f"{root.name}.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                how = zipfile.ZIP_STORED if path.suffix == ".whl" else zipfile.ZIP_DEFLATED
                made.write(path, path.relative_to(root.parent), compress_type=how)
    return file
