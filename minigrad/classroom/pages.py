"""A lesson as one HTML file, which shows the inspector without Jupyter and without a server."""

import base64
import html
import io
import re
from pathlib import Path

from ..inspector.html import page, policy
from .course import module

WIDGET = "application/vnd.jupyter.widget-view+json"
NO_URLS = dict.fromkeys(("require_js_url", "jquery_url", "mathjax_url", "mermaid_js_url"), "")  # a page loads nothing
OWN = "script-src 'unsafe-inline'", "img-src data:", "font-src data:"  # only content of the page itself
FRAME = '<iframe class="film" title="{title}" style="width: 100%; height: 40em; border: 0" srcdoc="{page}"></iframe>'
GROWING = """<script>
const rootOf = (frame) => frame.contentDocument.getElementById("inspector");
const grow = (frame) => new ResizeObserver(() => {
  frame.style.height = Math.ceil(rootOf(frame).getBoundingClientRect().bottom) + 8 + "px";
}).observe(rootOf(frame));
for (const frame of document.querySelectorAll("iframe.film"))  // the first may be there before this line is
  rootOf(frame) ? grow(frame) : frame.addEventListener("load", () => grow(frame));
</script>
</body>"""
LOOK = """<style>
:root { --jp-content-font-size1: 17px; --jp-code-font-size: 15px; --jp-ui-font-size1: 15px }
body.jp-Notebook { max-width: 76em; margin: 0 auto }
</style>
</head>"""
FORMULA = re.compile(r"(\$\$?)([^$]+)\1")
DRAWN = '<img alt="{formula}" src="data:image/svg+xml;base64,{picture}" style="{style}">'
ALONE = "display: block; margin: 1em auto; max-width: 100%"
TO_THE_LIST = """<nav style="padding: 1em; font: 15px system-ui, sans-serif"><a href="index.html">All lessons</a></nav>
<main>"""
INDEX = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8">{policy}
<meta name="viewport" content="width=device-width"><title>minigrad: the course to read</title>
<style>body {{ font: 1.1em/1.6 system-ui, sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em }}</style>
</head>
<body><h1>The course, to read</h1>
<p>Each lesson as it was handed out and run. The films can be stepped: click into one and press an arrow key.
To write in the lessons, run <code>install.py</code>.</p>
<ol>
{entries}
</ol></body></html>
"""


def page_of(lesson: Path) -> tuple[str, str]:
    """Run a lesson, and return its title and its HTML page."""
    from nbconvert import HTMLExporter

    notebook = module("build").executed(lesson)
    films = notebook.metadata.pop("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_page(output)]
        for output in cell.get("outputs", []):
            if WIDGET in output.get("data", {}):
                state = films[output.data.pop(WIDGET)["model_id"]]["state"]
                if "view" in state:
                    output.data = {"text/html": framed(state, output.data["text/plain"])}
        cell.source = FORMULA.sub(drawn, cell.source) if cell.cell_type == "markdown" else cell.source
    title = notebook.cells[0].source.partition("\n")[0].lstrip("# ")
    text, _ = HTMLExporter(**NO_URLS).from_notebook_node(notebook, {"metadata": {"name": title}})
    text = text.replace("<head>", f"<head>{policy(*OWN)}", 1)
    return title, text.replace("</head>", LOOK, 1).replace("<main>", TO_THE_LIST, 1).replace("</body>", GROWING)


def is_page(output) -> bool:
    """Whether it is the static HTML page of a film, shown where the widget cannot run."""
    return 'class="mg-page' in output.get("data", {}).get("text/html", "")


def framed(state: dict, text: str) -> str:
    """An iframe that shows the inspector in this state, in the light theme of the page.

    Args:
        state: the state of the widget.
        text: the inspector as plain text, for readers without JavaScript.
    """
    film = page(state["view"], text, state["step"], state["selected"])
    film = film.replace("<body>", '<body data-jp-theme-light="true" style="background: #fff">', 1)
    return FRAME.format(title="tape inspector", page=html.escape(film))


def drawn(found: re.Match[str]) -> str:
    """A formula as an inline picture, since a page loads no MathJax."""
    from matplotlib import mathtext, rc_context
    from matplotlib.font_manager import FontProperties

    marks, formula = found.groups()
    picture = io.BytesIO()
    with rc_context({"mathtext.fontset": "cm"}):
        depth = mathtext.math_to_image(f"${formula}$", picture, FontProperties(size=15), format="svg")
    data = base64.b64encode(picture.getvalue()).decode()
    style = ALONE if marks == "$$" else f"vertical-align: -{depth:.1f}pt"
    return DRAWN.format(formula=html.escape(formula), picture=data, style=style)


def index(titles: dict[str, str]) -> str:
    """The HTML page that lists the lessons.

    Args:
        titles: file name -> title of the lesson.
    """
    shown = {name: html.escape(title.partition(" · ")[2]) for name, title in titles.items()}
    entries = [f'<li value="{int(name[:2])}"><a href="{name}">{title}</a></li>' for name, title in shown.items()]
    return INDEX.format(policy=policy(), entries="\n".join(entries))
