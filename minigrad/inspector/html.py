"""The inspector as one HTML file: the same front end, without a kernel or a network."""

import base64
import hashlib
import html
import json
import re
from pathlib import Path

FRONT = Path(__file__).parent / "front"
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'"
# each file imports only from those before it
PARTS = ("elements", "numbers", "pictures", "geometry", "story", "film", "overview", "memory", "panes", "inspector")
MODEL = """
const modelOf = (state) => {
  const heard = {};
  return {
    saved: true,
    get: (name) => state[name],
    set(name, value) { if (state[name] !== value) { state[name] = value; heard["change:" + name]?.(); } },
    on(event, call) { heard[event] = call; },
    save_changes() {},
    send(content) { setTimeout(() => heard["msg:custom"]({ ...content, type: "unsaved" })); },
  };
};
"""
RUN = 'showFilm(JSON.parse(document.getElementById("state").textContent), document.getElementById("inspector"));'
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{policy}
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ margin: 0; background: #fff; }}
h1 {{ position: absolute; width: 1px; height: 1px; overflow: hidden; }}
@media screen and (prefers-color-scheme: dark) {{ body {{ background: #212121; }} }}
{css}
</style>
</head>
<body>
<main id="inspector"><h1>{title}</h1></main>
<noscript><pre>{text}</pre></noscript>
<script type="application/json" id="state">{state}</script>
<script>{run}</script>
</body>
</html>
"""


def page(view, text, step, selected) -> str:
    """The complete HTML file, which opens at this step and selection. `text`: the film as text, for browsers without JavaScript."""
    state, run = {"view": view, "step": step, "selected": selected}, shared().replace("</", "<\\/") + RUN
    return PAGE.format(
        policy=policy(f"script-src 'sha256-{digest(run)}'"), title=html.escape(view.get("compare", [view])[0]["verdict"]["head"]),
        css=style().replace("</", "<\\/"), text=html.escape(text), run=run,
        state=json.dumps(state, allow_nan=False).replace("<", "\\u003c"),  # it cannot close the script element
    )  # fmt: skip


def framed(text, svg, alt) -> str:
    """A page inside another one; where frames and styles are not allowed, the picture is shown instead."""
    picture = base64.b64encode(svg.encode()).decode()
    still = f'<img class="mg-still" alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{picture}">'
    return f"<style>.mg-still {{ display: none !important }}</style>{still}{frame(text)}"


def frame(text) -> str:
    look = 'title="tape inspector" loading="lazy" style="width: 100%; height: 42em; border: 0"'
    return f'<iframe {look} srcdoc="{html.escape(text)}"></iframe>'


def waiting(text, name) -> str:
    """A page below the widget of the same `name`: it waits for a moment, then appears unless the widget hides it."""
    return f'{WAITING}<div class="mg-page mg-page-{name}">{frame(text)}</div>'


WAITING = """<style>
@keyframes mg-wait { from, to { height: 0; visibility: hidden } }
.mg-page { overflow: hidden; animation: mg-wait 2s }
.jp-OutputArea-child:has(+ .jp-OutputArea-child .mg-page) .jp-RenderedSVG,
.jp-OutputArea-child:is(:has(+ .jp-OutputArea-child .mg-page), :has(.mg-page) + *) > .jupyter-widgets:not(:has(*)) { display: none }
</style>"""  # the last rule is for the text that Jupyter shows for a widget it does not find


def policy(*more) -> str:
    """The meta tag that forbids all requests to a page. `more`: what the page needs beside its own style."""
    return f"""<meta http-equiv="Content-Security-Policy" content="{"; ".join([NOTHING, *more])}">"""


def digest(text) -> str:
    """The hash by which a policy identifies an inline script."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def script() -> str:
    """The front end as one module: its files concatenated, without the imports between them."""
    text = "\n".join((FRONT / f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
    return re.sub(r"^import .*\n|^export (?!default)", "", text, flags=re.MULTILINE)


def shared() -> str:
    """The front end as one script for pages with many films, also pages on disk: `showFilm(state, element)`."""
    made = script().replace("export default", "const made =")
    return f"const showFilm = (() => {{{MODEL}{made}\nreturn (state, el) => made.render({{ model: modelOf(state), el }});\n}})();\n"


def style() -> str:
    return (FRONT / "inspector.css").read_text(encoding="utf-8")
