"""What is written elsewhere, as pages: parts of README, the glossary, the pages for teachers, the guide, the changelog."""

import posixpath
import re

import build

import minigrad as mg
from minigrad.classroom import contents

ROOT = build.COURSE.parent
PLACES = {  # a file of the repository -> its page
    "README.md": "index",
    ".github/CHANGELOG.md": "changelog",
    ".github/CONTRIBUTING.md": "contributing",
    "course/glossary.md": "glossary",
    "course/where.md": "where",
    "course/book/browser.md": "browser",
    "LICENSE": "",
}


def pages(lessons):
    """The documents: name -> text. `lessons`: the notebooks."""
    places = PLACES | {f"course/{path.name}": f"lessons/{path.stem}" for path in lessons}
    places |= {f"course/{name}": name.removesuffix(".md") for name in contents.for_teachers()}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    texts = {}
    for file in (build.COURSE / "book").glob("*.md"):
        text = re.sub(r"^README: (.+)$", lambda found: section(readme, found[1]), file.read_text(encoding="utf-8"), flags=re.M)
        texts[file.stem] = linked(text.replace("{calls}", calls()), "README.md", places)
    for file, name in places.items():
        if name and name not in texts and file.endswith(".md"):
            texts[name] = linked((ROOT / file).read_text(encoding="utf-8"), file, places)
    texts["glossary"] = numbered(texts["glossary"], {path.name[:2]: path.stem for path in lessons})
    texts["lessons/index"] = numbered_table(texts.pop("lessons"), {path.name[:2]: path.stem for path in lessons})
    return texts


def calls():
    """What one gradient calls, as a table."""
    rows = (f"| {k} | `{file}` | `{name}` | {what} |" for k, (file, name, what) in enumerate(mg.engine.CALLS, 1))
    return "\n".join(["| | file | function | what it does |", "|---|---|---|---|", *rows])


def section(readme, title):
    """The text below a heading of README; "opening" is what stands before the first picture."""
    if title == "opening":
        return re.sub(r"^\[!\[.*\n\n", "", readme.partition("\n\n")[2].partition("\n\n![")[0], flags=re.M)
    found = re.search(rf"^## {re.escape(title)}\n\n(.*?)(?=\n## |\Z)", readme, re.M | re.S)
    if not found:
        raise ValueError(f"README.md has no heading ## {title}")
    return found[1].strip()


def linked(text, file, places):
    """A text whose links to files of the repository lead to their pages.

    Args:
        text: in Markdown.
        file: the path of what it was written in, from which its links lead.
        places: the path of a file -> the name of its page.
    """

    def led(found):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), found[2]))
        kind = ".ipynb" if path.endswith(".ipynb") else ".md"
        return f"]({places[path] and '/' + places[path] + kind})" if path in places else found[0]

    return re.sub(r"(\]\()(?!https?:|#|/|\.\./_)([^)\s]+)\)", led, text)


def numbered(glossary, stems):
    """The glossary, with a link where it names the lesson that introduces a word."""
    return re.sub(
        r"^(- \*\*[^:\n]*)\((\d\d)\)", lambda found: f"{found[1]}([{found[2]}](/lessons/{stems[found[2]]}.ipynb))", glossary, flags=re.M
    )


def numbered_table(text, stems):
    """A table of lessons whose titles lead to their pages."""
    rows = re.sub(
        r"^\| (\d\d) \| (.+?) \|", lambda found: f"| {found[1]} | [{found[2]}](/lessons/{stems[found[1]]}.ipynb) |", text, flags=re.M
    )
    return rows.replace("{lessons}", "\n".join(stems.values()))
