"""Makes slides of the lessons: `python course/slides.py 02 03` for some, without numbers for all.

A cell's tag says where it goes: `slide` begins a topic, `subslide` stands below it, `skip` stays in the notebook. A cell with none
of these goes on the slide of the cell before it.
"""

import sys

import build
import nbformat
from nbconvert import SlidesExporter

TAGS = ("slide", "subslide", "skip")
FOLDER = build.COURSE / "slides"


def slides(path):
    """The HTML of a lesson's slides. Long ones can be scrolled."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        kind = next((tag for tag in cell.metadata.get("tags", ()) if tag in TAGS), "-")
        cell.metadata["slideshow"] = {"slide_type": kind}
    return SlidesExporter(reveal_scroll=True).from_notebook_node(notebook)[0]


def main(numbers):
    FOLDER.mkdir(exist_ok=True)
    for path in build.chosen(numbers):
        file = FOLDER / f"{path.stem}.html"
        file.write_text(slides(path), encoding="utf-8")
        print(f"made course/slides/{file.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
