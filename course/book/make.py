"""Makes the book: writes its pages from what the repository holds, and lets Sphinx make HTML of them."""

import shutil
import sys
import tempfile
from pathlib import Path

import build

from minigrad.classroom import course
from minigrad.classroom.repository import repository

from . import codes, compare, documents, films, gallery, lessons, reference

HOME = Path(__file__).parent
OUT = HOME / "_build" / "html"


def make(out):
    """Make the book in the folder `out`. Returns the exit code of Sphinx: it warns of nothing, or it has failed."""
    with tempfile.TemporaryDirectory(prefix="minigrad-book-") as scratch:
        source = Path(scratch) / "source"
        write(source)
        return rendered(source, Path(scratch) / "doctrees", out)


def rendered(source, doctrees, out):
    """Run Sphinx in this process."""
    from sphinx.cmd.build import main

    return main(["-b", "html", "-n", "-W", "--keep-going", "-q", "-j", "auto", "-d", str(doctrees), str(source), str(out)])


def write(source):
    """Write the pages as Sphinx reads them."""
    shutil.copytree(HOME / "static", source / "static")
    shutil.copy(HOME / "conf.py", source)
    shutil.copytree(build.COURSE / "pictures", source / "course" / "pictures")
    static, paths = source / "static", course.lessons()
    films.front_end(static)
    shown = films.of_lessons(paths)
    for path in paths:
        lessons.page(path, shown[path], source, repository())
    texts = documents.pages(paths) | codes.pages(static) | reference.pages(compare.differing())
    texts["gallery"] = gallery.page(static, shown)
    texts["index"] = texts["index"].replace("{film}", gallery.scene("partial", static))
    for name, text in texts.items():
        (source / f"{name}.md").parent.mkdir(parents=True, exist_ok=True)
        (source / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(make(OUT))
