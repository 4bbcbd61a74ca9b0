"""The inspector as a learner meets it: in JupyterLab in a real browser, and as a saved page opened from disk.

Chromium comes from the system (Debian: `apt-get install chromium`); without it these tests fail, they are not skipped.
"""

import http.server
import itertools
import json
import linecache
import math
import re
import sys
import threading
import time
from pathlib import Path

import pytest
from lab import BADLY_SHOWN, TOKEN, new_page, run_all, serving

import minigrad as mg
from minigrad.inspector.html import FRONT, script, style

PROGRAM = """\
import minigrad as mg
mg.trace(True)
x = mg.Variable(3.0, name="x")
with mg.GradientTape() as tape:
    y = x * x
    z = mg.sin(y) + y
g = tape.gradient(z, x)
inspector = mg.inspect(tape)
inspector"""
OFFER = f"""\
import os, sys
os.environ["MINIGRAD_PROGRESS"] = "progress.json"
sys.path.insert(0, {str(Path(__file__).parent.parent / "course")!r})
from helpers import predict
predict("02.4")"""
BARE_OFFER = "02.4: a dict of two, one tensor or an error? Write your answer in place of the three dots."
QUESTION = "print('now', inspector.step, inspector.selected)"
ROOT = ".mg-inspector"


# ---- a server, a notebook -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """One JupyterLab for all tests: its address, and the folder of its notebooks."""
    folder = tmp_path_factory.mktemp("lab")
    with serving(folder, tmp_path_factory.mktemp("settings"), sys.executable) as (address, _):
        yield address, folder


@pytest.fixture
def open_page(browser):
    pages = []
    yield lambda *args, **options: pages.append(new_page(browser, *args, **options)) or pages[-1]
    for page in pages:
        page.context.close()


def notebook(folder, name, *cells):
    empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    made = [{**empty, "id": f"cell-{k}", "source": cell} for k, cell in enumerate(cells)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (folder / name).write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": made}))


def run_notebook(browser, lab, name, *cells):
    """A notebook in JupyterLab, all of it run, and the inspector drawn."""
    address, folder = lab
    notebook(folder, name, *cells)
    page = new_page(browser, f"{address}/lab/tree/{name}?token={TOKEN}&reset")
    run_all(page)
    page.wait_for_selector(f"{ROOT} .film .frame", timeout=60_000)
    return page


@pytest.fixture(scope="module")
def film(browser, lab):
    page = run_notebook(browser, lab, "film.ipynb", PROGRAM, QUESTION, "inspector.step = 1")
    yield page
    page.context.close()


def asked(page, old):
    """What Python prints in the second cell, run anew, as soon as it is not `old`."""
    page.locator(".jp-Notebook .jp-CodeCell").nth(1).locator(".cm-content").click()
    output = page.locator(".jp-Notebook .jp-CodeCell").nth(1).locator(".jp-OutputArea-output")
    for _ in range(50):
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(200)
        text = output.inner_text().strip() if output.count() else ""
        if text.startswith("now") and text != old:
            return text
    raise AssertionError(f"Python still says {text!r}")


def test_a_saved_notebook_that_becomes_a_page_shows_the_film_offline(open_page, tmp_path):
    nbformat, exporters = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert").exporters
    bundle = inspected(PROGRAM)._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    output = nbformat.v4.new_output("display_data", data)
    cells = [nbformat.v4.new_code_cell(PROGRAM, outputs=[output])]
    (tmp_path / "page.html").write_text(exporters.HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=cells))[0])
    page = open_page((tmp_path / "page.html").as_uri(), offline=True)
    film = page.frame_locator("iframe[title='tape inspector']").locator(ROOT)
    assert film.locator(".question").inner_text().startswith("dz/dx = 0.53")
    film.press("Home")
    assert film.locator(".question").inner_text() == "dz/dx = ?"
    assert not page.locator("img.mg-still").is_visible(), "it is for readers that show no frame"


def test_a_notebook_saved_with_its_widgets_shows_the_film_offline_as_well(browser, lab, open_page, tmp_path):
    nbformat, exporters = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert").exporters
    page = run_notebook(browser, lab, "kept.ipynb", PROGRAM, OFFER)
    page.wait_for_selector(".mg-page iframe", state="attached")
    page.wait_for_timeout(2500)  # so long the page waits for a widget
    assert page.locator(".mg-page:visible").count() == 0, "the widgets live"
    page.keyboard.press("Control+s")
    file = lab[1] / "kept.ipynb"
    page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    for _ in range(50):
        page.wait_for_timeout(200)
        if "widget-state" in file.read_text():
            break
    page.context.close()
    saved = nbformat.read(file, 4)
    assert "widgets" in saved.metadata
    for _ in range(2):
        (tmp_path / "page.html").write_text(exporters.HTMLExporter().from_notebook_node(saved)[0])
        page = open_page((tmp_path / "page.html").as_uri(), offline=True)
        question = page.frame_locator("iframe[title='tape inspector']").locator(f"{ROOT} .question")
        question.wait_for()
        assert question.inner_text().startswith("dz/dx = 0.53") and page.locator(".mg-page").first.is_visible()
        assert page.locator(".jp-RenderedSVG svg:visible").count() == 0, "the living page is enough"
        assert page.get_by_text(BARE_OFFER).locator("visible=true").count() == 1
        saved.metadata.pop("widgets", None)
    (lab[1] / "bare.ipynb").write_text(nbformat.writes(saved))
    pytest.importorskip("nbformat.sign").NotebookNotary().sign(saved)
    page = open_page(f"{lab[0]}/lab/tree/bare.ipynb?token={TOKEN}&reset")
    page.get_by_text(BARE_OFFER).wait_for()
    page.frame_locator("iframe[title='tape inspector']").locator(f"{ROOT} .question").wait_for()
    lost = page.get_by_text("model not found")
    lost.first.wait_for(state="attached")
    assert lost.count() == 2 and not any(one.is_visible() for one in lost.all())


def test_click_and_keys_reach_python_and_python_moves_the_film(film):
    page, root = film, film.locator(ROOT)
    page.wait_for_selector(f"{ROOT} .frame.now[data-id=f1]")  # the last cell has moved it
    before = asked(page, "")
    assert before == "now 1 f1"

    root.locator(".frame[data-id=f0]").click()
    clicked = asked(page, before)
    step, selected = clicked.split()[1:]
    assert selected == "f0"

    root.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert asked(page, clicked).split()[1] == str(int(step) + 2)
    assert page.trouble == []


LOOP = """\
import minigrad as mg
mg.trace(True)
x = mg.Variable(0.5)
with mg.GradientTape() as tape:
    y = x
    for k in range(3000):
        y = y + 1.0
g = tape.gradient(y, x)
inspector = mg.inspect(tape)
inspector"""


@pytest.mark.parametrize("cells", [(LOOP, "inspector.step = 1233"), (LOOP + ".step = 1233", "inspector")], ids=["shown", "not yet shown"])
def test_a_unit_that_was_folded_away_comes_from_python_when_it_is_looked_at(browser, lab, cells):
    page = run_notebook(browser, lab, "loop.ipynb", *cells)
    page.locator(f"{ROOT} .frame[data-id=f1233] .written").get_by_text("1234.5").first.wait_for()
    assert page.trouble == []
    page.context.close()


def test_keys_do_not_leak_into_jupyterlab_and_tab_and_escape_leave(film):
    page, root, cells = film, film.locator(ROOT), film.locator(".jp-Notebook .jp-Cell")
    count = cells.count()
    root.focus()
    for key in [*"abxddmwf00[],.ijklpp?", "Escape", *"si", "Shift+ArrowLeft", "ArrowUp", "Space", "Space", "Home"]:
        page.keyboard.press(key)
    assert cells.count() == count
    assert page.locator(".jp-Dialog").count() == 0
    assert root.evaluate("root => root.contains(document.activeElement)")

    where = """() => {
        const at = document.activeElement, pane = at.closest(".modes, .films, .buttons, .scrubber, .code, .pane");
        return !at.closest(".mg-inspector") ? "outside" : pane ? pane.getAttribute("class").split(" ")[0] : "other";
    }"""
    stops = []
    root.focus()
    for _ in range(14):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(where))
    panes = [stop for stop in dict.fromkeys(stops) if stop != "other"]
    assert panes == ["modes", "films", "buttons", "scrubber", "code", "pane", "outside"]

    root.focus()
    page.keyboard.press("Escape")
    assert not root.evaluate("root => root.contains(document.activeElement)")


def test_dark_theme_has_a_dark_ground_and_light_text(film):
    page = film
    page.click("text='Settings'")
    page.hover("text='Theme'")
    page.click("text='JupyterLab Dark'")
    page.wait_for_selector("body[data-jp-theme-light=false]", state="attached")
    page.wait_for_function("getComputedStyle(document.body).getPropertyValue('--jp-layout-color1').trim() !== 'white'")
    colours = page.locator(ROOT).evaluate("root => [getComputedStyle(root).backgroundColor, getComputedStyle(root).color]")
    ground, ink = (sum(int(part) for part in colour[4:-1].split(",")[:3]) for colour in colours)
    assert ground < 150 < 600 < ink


# ---- the saved page ------------------------------------------------------------------------------------------------------


def inspected(program, name="cell"):
    """The inspector of the tape of a program, run as the cell of a notebook is."""
    file, names = f"<{name}>", {"mg": mg, "__name__": "__main__"}
    linecache.cache[file] = len(program), None, program.splitlines(keepends=True), file
    try:
        exec(compile(program, file, "exec"), names)
        return names["inspector"]
    finally:
        mg.trace(False)


def saved(inspector, folder):
    inspector.save_html(folder / "film.html")
    return (folder / "film.html").as_uri()


def test_saved_page_opens_from_disk_and_steps_without_network(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path), offline=True)
    question = page.locator(f"{ROOT} .question")
    assert question.inner_text().startswith("dz/dx = ")
    assert "?" not in question.inner_text()

    page.locator(ROOT).focus()
    page.keyboard.press("Home")
    assert question.inner_text() == "dz/dx = ?"
    page.keyboard.press("ArrowRight")
    assert now(page) == ["f0", "value"]
    page.keyboard.press("b")
    assert page.locator(f"{ROOT} .turn.now").count() == 1
    page.keyboard.press("ArrowRight")
    assert now(page) == ["f2", "gradient"]
    page.keyboard.press("ArrowUp")
    assert now(page) == ["f2", "value"]
    page.keyboard.press("ArrowDown")
    assert now(page) == ["f2", "gradient"]
    page.keyboard.press("End")
    assert "?" not in question.inner_text()
    assert page.trouble == []


def now(page):
    """The column of this step, and which of its cells is framed."""
    frame = page.locator(f"{ROOT} .frame.now")
    assert frame.count() == 1 and frame.locator(".cursor").count() == 1
    return [frame.get_attribute("data-id"), "gradient" if "back" in frame.get_attribute("class").split() else "value"]


KEYS = """\
import minigrad as mg
mg.trace(True)
x = mg.Variable(0.5, name="x")
with mg.GradientTape(persistent=True) as tape:
    y = x * x
    for i in range(60):
        y = mg.sin(y)
    z = y * float(x)
    w = z + y
first = tape.gradient(z, x)
second = tape.gradient(w, x)
inspector = mg.inspect(tape)
"""


def test_every_key_of_the_sheet_does_what_the_sheet_says(open_page, tmp_path):
    page = open_page(saved(inspected(KEYS), tmp_path))
    root = page.locator(ROOT)
    scrubber = root.locator(".scrubber")

    def press(key):
        page.keyboard.press(key)
        return int(scrubber.get_attribute("aria-valuenow"))

    root.focus()
    assert press("Home") == 0
    assert [press("ArrowRight"), press("ArrowRight"), press("ArrowLeft")] == [1, 2, 1]
    assert press("End") == int(scrubber.get_attribute("aria-valuemax"))

    press("Home")
    press("ArrowRight")
    line = root.locator(".lines .current .text")
    assert line.inner_text() == "y = x * x"
    press("Shift+ArrowRight")
    assert line.inner_text() == "y = mg.sin(y)"
    after_loop = press("Shift+ArrowRight")
    assert line.inner_text() == "z = y * float(x)"
    assert press("Shift+ArrowLeft") < after_loop
    assert line.inner_text() == "y = mg.sin(y)"

    second = press("b")
    assert root.locator(".turn.now").count() == 1
    press("ArrowRight")
    read = int(scrubber.get_attribute("aria-valuenow"))
    assert press("ArrowUp") < second and now(page)[1] == "value"
    assert press("ArrowDown") in (read, second + 1) and now(page)[1] == "gradient"

    open_unit = root.locator(".overview text.b").last
    before = open_unit.text_content()
    press("[")
    assert open_unit.text_content() != before
    press("]")
    assert open_unit.text_content() == before

    press("+")
    assert root.locator(".overview text").get_by_text(re.compile(r"^units \d+ to \d+ of 6\d$")).count() == 1
    press("-")

    press("n")
    assert "np.sin" in root.locator(".lines:not([hidden])").inner_text()
    press("n")
    assert "mg.sin" in root.locator(".lines:not([hidden])").inner_text()

    press(",")
    focused = page.evaluate("document.activeElement.getAttribute('data-id')")
    press(".")
    assert page.evaluate("document.activeElement.getAttribute('data-id')") != focused
    assert page.locator(f"{ROOT} .frame[tabindex='0']").count() == 1

    press("Home")
    press("Space")
    root.locator("button[aria-label^='pause']").wait_for()
    root.locator(".scrubber:not([aria-valuenow='0'])").wait_for()
    still = press("Space")
    page.wait_for_timeout(1600)  # two steps of the play
    assert int(scrubber.get_attribute("aria-valuenow")) == still

    press("w")
    assert root.locator(".pane .mark.cut").count() == 1

    page.keyboard.press("?")
    assert root.locator(".sheet").is_visible()
    page.keyboard.press("Escape")
    assert not root.locator(".sheet").is_visible()
    page.keyboard.press("Escape")
    assert not root.evaluate("root => root.contains(document.activeElement)")
    assert page.trouble == []


def test_clicks_on_film_code_and_memory_move_one_cursor(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path))
    root = page.locator(ROOT)
    root.locator(".frame[data-id=f1]").click()
    assert root.locator(".pane .title").inner_text() == "z = mg.sin(y) + y"
    assert root.locator(".pane .equation").count() == 1
    root.locator(".lines .line").nth(4).click()
    assert now(page) == ["f0", "value"]
    scrubber = root.locator(".scrubber")
    box = scrubber.bounding_box()
    page.mouse.click(box["x"] + 12, box["y"] + 40)
    assert scrubber.get_attribute("aria-valuenow") == "0"
    assert "Nothing has run" in scrubber.get_attribute("aria-valuetext")


def test_the_program_in_numpy_stands_in_place_of_the_code_and_follows_the_steps(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path))
    root = page.locator(ROOT)
    lit = root.locator(".lines:not([hidden]) .current .text")
    own, written = root.get_by_role("button", name="your code"), root.get_by_role("button", name="written in NumPy")
    root.press("Home")
    root.press("ArrowRight")
    root.press("ArrowRight")
    assert lit.inner_text() == "z = mg.sin(y) + y"
    written.focus()
    page.keyboard.press("Enter")
    assert written.get_attribute("aria-pressed") == "true" and own.get_attribute("aria-pressed") == "false"
    assert lit.inner_text() == "z = np.sin(y) + y"
    root.locator(".lines:not([hidden]) .line", has_text="np.cos(y)").click()
    assert now(page)[1] == "gradient" and "np.cos(y)" in lit.inner_text()
    root.focus()
    page.keyboard.press("n")
    assert own.get_attribute("aria-pressed") == "true" and "mg.sin" in lit.inner_text()
    page.keyboard.press("n")
    page.keyboard.press("p")
    assert not written.is_visible() and "mg.sin" in root.locator(".lines:not([hidden])").inner_text(), "it would tell the answer"
    assert page.trouble == []


def test_the_files_of_the_front_end_are_modules_as_they_stand(open_page):
    page = open_page("about:blank")  # a saved page loads nothing from elsewhere
    page.route(
        "**/front/*.js", lambda route: route.fulfill(path=FRONT / route.request.url.rpartition("/")[2], content_type="text/javascript")
    )
    assert page.evaluate("async (address) => Object.keys((await import(address)).default)", "https://here/front/inspector.js") == ["render"]


def test_where_no_source_can_be_read_no_line_is_named(open_page, tmp_path):
    names = {"mg": mg}
    exec(compile(PROGRAM, "<nobody keeps this>", "exec"), names)
    mg.trace(False)
    page = open_page(saved(names["inspector"], tmp_path))
    for key in ("Home", "ArrowRight", "End"):
        page.locator(ROOT).press(key)
        assert "line null" not in page.locator(ROOT).evaluate("root => root.outerHTML")


def test_hostile_names_are_shown_and_never_run(open_page, tmp_path):
    name = "<img src=x onerror=alert(1)>"
    page = open_page(saved(inspected(PROGRAM.replace('"x"', f'"{name}"')), tmp_path))
    page.locator(f"{ROOT} .frame.source").click()
    page.wait_for_timeout(200)
    assert page.locator(f"{ROOT} img, {ROOT} script").count() == 0
    assert name in page.content().replace("&lt;", "<").replace("&gt;", ">")
    assert page.trouble == []


ASK_FOR_ALL = """async (address) => {
    const put = (tag, what) => document.body.append(Object.assign(document.createElement(tag), what));
    put("img", { src: address + "img" });
    put("script", { src: address + "script" });
    put("iframe", { src: address + "iframe" });
    put("link", { rel: "stylesheet", href: address + "link" });
    put("object", { data: address + "object" });
    put("style", { textContent: `@import url(${address}import); body { background: url(${address}background) }` });
    put("script", { textContent: "window.ran = true" });
    put("div", { innerHTML: "<img src=data:, onerror='window.ran = true'>" });
    navigator.sendBeacon(address + "beacon");
    const fetched = await fetch(address + "fetch").then(() => "fetched", () => "refused");
    await new Promise((later) => setTimeout(later, 500));
    return [fetched, window.ran || false];
}"""


@pytest.fixture
def listener():
    """An address at which a server listens, and the requests that came."""
    came = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            came.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", came
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("guarded", [True, False])
def test_a_saved_page_can_request_nothing_and_runs_no_other_script(open_page, tmp_path, listener, guarded):
    address, came = listener
    inspected(PROGRAM).save_html(tmp_path / "film.html")
    text = (tmp_path / "film.html").read_text()
    (tmp_path / "film.html").write_text(text if guarded else re.sub("<meta http-equiv[^>]*>", "", text))
    page = open_page((tmp_path / "film.html").as_uri())
    page.wait_for_selector(f"{ROOT} .film .frame")
    answer = page.evaluate(ASK_FOR_ALL, address)
    assert answer == (["refused", False] if guarded else ["fetched", True])
    assert bool(came) is not guarded, came


def test_a_cut_ends_in_scissors_above_and_below_and_what_is_lost_has_its_number(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM.replace("y = x * x", "y = x * x.numpy()").replace("z = mg.sin(y) + y", "z = y")), tmp_path))
    assert page.locator(f"{ROOT} .film .marks .mark.cut").count() == 2
    assert page.locator(f"{ROOT} .film .frame.ghost").count() == 1
    assert page.locator(f"{ROOT} .film .amount.lost").all_text_contents() == ["3.0 lost", "3.0 lost"]
    assert page.locator(f"{ROOT} .film .sum").text_content() == "6.0 full"
    page.locator(ROOT).press("Home")
    assert page.locator(f"{ROOT} .film .marks .mark.cut").first.get_attribute("visibility") == "hidden", "it would spoil the question"


@pytest.mark.parametrize("width", [600, 900, 1280, 1600])
def test_arcs_between_the_same_columns_have_one_label_which_no_other_touches(open_page, tmp_path, width):
    page = shown_scene(open_page, tmp_path, "twins", width=width)
    labels = page.locator(f"{ROOT} .film .amount")
    right = ["1.0", "1.0", "3.0", "9.0 + 9.0", "9.0 lost", "9.0 lost", "\u22120.99"]  # by hand: dy/da = x, 2 parts of x * 3, a, cos(3)
    assert sorted(labels.all_text_contents()) == right
    boxes = [one.bounding_box() for one in labels.all()]
    for a, b in itertools.combinations(boxes, 2):
        apart = max(
            a["x"] - b["x"] - b["width"], b["x"] - a["x"] - a["width"], a["y"] - b["y"] - b["height"], b["y"] - a["y"] - a["height"]
        )
        assert apart > -7, "but for their rims, and the room above and below the digits"


def test_each_wire_is_as_wide_as_its_gradient(open_page, tmp_path):
    program = PROGRAM.replace("y = x * x", "y = 4.0 * x").replace("z = mg.sin(y) + y", "z = y * x")
    page = open_page(saved(inspected(program), tmp_path))
    bands = page.locator(f"{ROOT} .film .ribbon .band").evaluate_all("all => all.map(one => +one.getAttribute('stroke-width'))")
    sent = page.locator(f"{ROOT} .film .ribbon title").all_text_contents()
    right = {"y to x": 12.0, "z to y": 3.0, "z to x": 12.0}  # by hand: dz/dy = x, dz/dx = y, and 4 x = 12 by way of y
    assert dict(zip(sent, bands)) == {way: pytest.approx(13.0 * size / 12, abs=0.1) for way, size in right.items()}


BRANCH = """\
import minigrad as mg
mg.trace(True)
z = mg.Variable([0.0, 2.0], name="z")
with mg.GradientTape() as tape:
    y = mg.where(z > 0.0, mg.math.log(z), 0.0)
g = tape.gradient(y, z)
inspector = mg.inspect(tape)
"""


def test_nan_and_inf_are_told_apart_and_where_they_began(open_page, tmp_path):
    page = open_page(saved(inspected(BRANCH), tmp_path))
    root = page.locator(ROOT)
    root.focus()
    page.keyboard.press("w")
    assert root.locator(".frame[data-id=f1] .written .picture text").all_text_contents() == ["-inf", "0.6931"]
    page.keyboard.press("End")
    assert root.locator(".frame.source .read .picture text").all_text_contents() == ["nan", "0.5"]
    assert root.locator(".status .mark.nan").count() == 1
    assert page.trouble == []


def test_what_is_not_finite_is_a_cross_in_a_picture(open_page, tmp_path):
    page = open_page(saved(inspected(BRANCH.replace("[0.0, 2.0]", "[1.0, 2.0, 3.0, 4.0, 0.0]")), tmp_path))
    assert page.locator(f"{ROOT} .frame[data-id=f1] .written .crosses").count() == 1
    assert "1 -inf" in page.locator(f"{ROOT} .frame[data-id=f1] .written text").all_text_contents()


def test_hovering_a_picture_gives_the_number(open_page, tmp_path):
    page = open_page(saved(inspected(BRANCH.replace("[0.0, 2.0]", "[1.0, 2.0, 3.0, 4.0, 5.0]")), tmp_path))
    picture = page.locator(f"{ROOT} .frame.source .written .picture .hit").bounding_box()
    page.mouse.move(picture["x"] + picture["width"] * 0.9, picture["y"] + picture["height"] / 2)
    assert page.locator(f"{ROOT} .tip").inner_text() == "[4] = 5.0"


PRODUCT = """\
import minigrad as mg
mg.trace(True)
mg.random.set_seed(0)
x = mg.random.normal((8, 4))
w = mg.Variable(mg.random.normal((4, 5)), name="w")
with mg.GradientTape() as tape:
    h = x @ w
tape.gradient(h, w)
inspector = mg.inspect(tape)"""
LIGHTS = """() => [...document.querySelectorAll(".mg-inspector .light")].map((light) => {
    const [a, b] = [light, light.parentNode.querySelector(".hit")].map((one) => one.getBBox());
    const {rows, cols} = light.closest("svg.figure") ? {} : {d0: {rows: 8, cols: 4}, s0: {rows: 4, cols: 5}, f0: {rows: 8, cols: 5}}[light.closest("[data-id]").dataset.id];
    const part = (from, size, start, whole, count) => [Math.round((from - start) / whole * count), Math.round(size / whole * count)];
    return [light.closest("[data-id]").dataset.id, ...part(a.y, a.height, b.y, b.height, rows), ...part(a.x, a.width, b.x, b.width, cols)].join(" ");
}).sort()"""  # where it is: the column, the first row and how many, the first column and how many


def hover(page, selector, across, down):
    box = page.locator(f"{ROOT} {selector}").bounding_box()
    page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] * down)


def test_of_a_product_the_row_and_the_column_are_lit_that_make_an_element(open_page, tmp_path):
    page = open_page(saved(inspected(PRODUCT), tmp_path))
    hover(page, ".frame[data-id=f0] .written .hit", 2.5 / 5, 3.5 / 8)
    assert page.evaluate(LIGHTS) == ["d0 3 1 0 4", "f0 3 1 2 1", "s0 0 4 2 1"]  # row 3 of x, column 2 of w
    hover(page, ".frame[data-id=d0] .written .hit", 1.5 / 4, 6.5 / 8)
    assert page.evaluate(LIGHTS) == ["d0 6 1 1 1", "f0 6 1 0 5", "s0 1 1 0 5"]  # x[6, 1] meets row 1 of w, and goes to row 6
    hover(page, ".frame[data-id=s0] .written .hit", 4.5 / 5, 0.5 / 4)
    assert page.evaluate(LIGHTS) == ["d0 0 8 0 1", "f0 0 8 4 1", "s0 0 1 4 1"]
    page.mouse.move(2, 2)
    assert page.evaluate(LIGHTS) == []


def test_the_formula_of_a_product_lights_them_too(open_page, tmp_path):
    page = open_page(saved(inspected(PRODUCT), tmp_path))
    page.locator(f"{ROOT} .frame[data-id=f0]").click()
    page.locator(f"{ROOT} .pane").focus()
    page.keyboard.press("j")  # to the last picture: grad w = x^T @ upstream
    assert page.locator(f"{ROOT} .figure .light").count() == 3
    boxes = [one.bounding_box() for one in page.locator(f"{ROOT} .figure .light").all()]
    pictures = [one.bounding_box() for one in page.locator(f"{ROOT} .figure .hit").all()]
    parts = [box[side] / whole[side] for box, whole in zip(boxes, pictures) for side in ("height", "width")]
    assert parts == pytest.approx([1 / 4, 1, 1, 1 / 5, 1 / 4, 1 / 5], abs=0.06)  # a row of x^T, a column of upstream, an element


def test_the_focus_gives_the_numbers_that_the_pointer_gives(open_page, tmp_path):
    page = open_page(saved(inspected(PRODUCT), tmp_path))
    tip = page.locator(f"{ROOT} .tip")

    def press(*keys):
        for key in keys:
            page.keyboard.press(key)
        return tip.inner_text() if tip.is_visible() else None

    page.locator(f"{ROOT} .frame[data-id=f0]").focus()
    assert page.evaluate(LIGHTS) == ["d0 0 1 0 4", "f0 0 1 0 1", "s0 0 4 0 1"]
    said = press("l", "l", "k", "k", "k")
    assert page.evaluate(LIGHTS) == ["d0 3 1 0 4", "f0 3 1 2 1", "s0 0 4 2 1"]
    hover(page, ".frame[data-id=f0] .written .hit", 2.5 / 5, 3.5 / 8)
    assert said == tip.inner_text() and said.startswith("[3, 2] = ")
    assert page.locator(f"{ROOT} .lines .hover .text").inner_text() == "h = x @ w"
    page.locator(f"{ROOT} .frame[data-id=s0]").focus()
    assert press("k", "k", "k", "k") == "[0, 0] = " + tip.inner_text().partition(" = ")[2]  # on to its gradient
    assert page.locator(f"{ROOT} .frame[data-id=s0] .read .light").count() == 1
    page.locator(f"{ROOT} .scrubber").focus()
    assert press() == "x: 128 B"
    assert page.locator(f"{ROOT} .frame.maker").get_attribute("data-id") == "d0"
    assert press("Tab") is None
    page.locator(f"{ROOT} .pane").focus()
    press("b", "ArrowRight")  # a formula with three pictures
    assert press("j") == press("l", "j") and "undefined" not in tip.inner_text()
    assert "undefined" not in press("Home", "End")


def test_a_pointer_that_leaves_before_anything_had_the_focus_does_no_harm(open_page, tmp_path):
    page = open_page(saved(inspected(PRODUCT), tmp_path))
    hover(page, ".frame[data-id=f0] .written .hit", 0.5, 0.5)
    page.mouse.move(5, page.viewport_size["height"] - 2)
    assert page.evaluate(LIGHTS) == [] and not page.locator(f"{ROOT} .tip").is_visible() and page.trouble == []


def test_every_picture_can_be_reached_by_the_focus(open_page, tmp_path):
    program = f"import minigrad as mg\nmg.trace(True)\n{SCENES['layers']}\ninspector = mg.inspect(tape)\n"
    page = open_page(saved(inspected(program), tmp_path))
    hosts = "[tabindex], button"
    for picture in page.locator(f"{ROOT} .picture").all():
        assert picture.evaluate(f"picture => picture.closest('{hosts}') !== document.querySelector('.mg-inspector')")
    page.locator(f"{ROOT} .capsule").nth(1).focus()
    page.keyboard.press("l")
    assert page.locator(f"{ROOT} .tip").inner_text().startswith("[0, 1] = ")
    page.keyboard.press("Enter")
    assert page.locator(f"{ROOT} .overview text.b").last.text_content().startswith("dense  sequential/dense")
    page.locator(f"{ROOT} .frame.op").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(f"{ROOT} .pane .facts").count() == 1


def test_names_of_the_page_and_of_what_has_a_focus_are_those_that_readers_of_the_screen_need(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path))
    assert page.locator("main").count() == page.locator("h1").count() == 1
    roles = page.locator(f"{ROOT} .frame").evaluate_all("all => all.map(one => one.getAttribute('role'))")
    assert {*roles} == {"img"}, "a button would have to be named by the texts in it"


TWO_CUTS = """\
import numpy as np
import minigrad as mg
mg.trace(True)
x = mg.Variable([1.0, 2.0], name="x")
with mg.GradientTape() as tape:
    size = mg.reduce_sum(x * x)
    number = float(size)
    y = mg.sqrt(np.mean(x) + size) * number
g = tape.gradient(y, x)
inspector = mg.inspect(tape, y, x)"""


def test_the_head_shows_the_fix_of_what_it_tells(open_page, tmp_path):
    page = open_page(saved(inspected(TWO_CUTS), tmp_path))
    told = page.locator(f"{ROOT} .say").inner_text()
    fix = page.locator(f"{ROOT} button.fix").get_attribute("title")
    assert ("np.mean(x)" in told) == ("reduce_mean" in fix)
    assert ("float(size)" in told) == ("number = size" in fix)
    assert fix


def test_the_fix_stands_beside_what_was_written(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM.replace("x * x", "x * x.numpy()").replace("z = mg.sin(y) + y", "z = y * y")), tmp_path))
    root, pane = page.locator(ROOT), page.locator(f"{ROOT} .fix-pane")
    root.locator("button.fix").click()
    assert [pane.locator(".gone").inner_text(), pane.locator(".come").inner_text()] == ["- y = x * x.numpy()", "+ y = x * x"]
    assert root.locator(".reel h3").all_inner_texts() == ["as written dz/dx = 54.0", "fixed dz/dx = 108.0"]  # x^4 by hand: 4 * 27
    assert root.locator(".question").inner_text() == "dz/dx: 54.0 \u2192 108.0"
    assert pane.locator("button").all_inner_texts() == ["copy the fixed code"]  # there is no notebook here
    root.locator(".reel").nth(1).locator(".frame[data-id=f0]").click()
    assert pane.count() == 1 and root.locator(".pane .title").inner_text() == "y = x * x", "of the film that was clicked"
    root.locator(".reel").first.locator(".frame[data-id=f0]").click()
    assert root.locator(".pane .title").count() == 0
    root.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert root.locator(".frame.now").count() == 2, "what belongs together happens at once"
    assert page.evaluate(BOXES) == []
    page.keyboard.press("m")
    assert pane.count() == 0 and root.locator(".reel").count() == 1 and page.trouble == []


def test_the_fixed_code_can_be_put_in_a_cell_below(browser, lab):
    page = run_notebook(browser, lab, "fix.ipynb", PROGRAM.replace("x * x", "x * x.numpy()"), "print('the last cell')")
    page.locator(f"{ROOT} button.fix").click()
    page.locator(f"{ROOT} .fix-pane button", has_text="put it in a cell below").click()
    cells = page.locator(".jp-Notebook .jp-CodeCell .cm-content")
    page.wait_for_function("document.querySelectorAll('.jp-Notebook .jp-CodeCell').length === 3")
    assert cells.nth(1).inner_text() == "with mg.GradientTape() as tape:\n    y = x * x\n    z = mg.sin(y) + y"
    assert "the last cell" in cells.nth(2).inner_text() and page.trouble == []
    page.context.close()


PREDICTED = PROGRAM.replace("mg.inspect(tape)", "mg.inspect(tape, z, x, predict=True)")


LESSON = f"""\
from minigrad.inspector.inspection import Inspection
Inspection.asks_first = True
{PROGRAM.replace("x * x", "x * x.numpy()")}"""


def test_a_film_in_a_lesson_opens_at_its_start_and_asks_until_it_is_answered(browser, lab):
    """It is drawn anew, as after a page is loaded again, where a second cell shows it once more."""
    page = run_notebook(browser, lab, "lesson.ipynb", LESSON, "inspector")
    films = page.locator(ROOT)
    first, second = films.nth(0), films.nth(1)
    second.locator(".film .frame").first.wait_for()
    for film in (first, second):
        assert film.get_attribute("aria-label") == "tape inspector: dz/dx"
        assert film.locator(".count").inner_text() == "step 0 of 10" and film.locator(".question").inner_text() == "dz/dx = ?"
    first.press("ArrowRight")
    assert "ecorded" not in first.locator(".say").inner_text()
    first.press("End")
    assert first.locator(".form").is_visible() and first.locator(".read .picture").count() == 0
    first.locator(".form input").fill("3")
    first.locator(".form input").press("Enter")
    first.locator(".say", has_text=re.compile("^Not so. dz/dx = 0.2")).wait_for()
    first.press("End")
    page.locator(".jp-Notebook .jp-CodeCell").nth(1).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    films.nth(1).locator(".question", has_text="dz/dx = 0.2").wait_for()
    assert page.trouble == []
    page.context.close()


def test_who_does_not_want_to_guess_is_shown_what_came(browser, lab):
    page = run_notebook(browser, lab, "shown.ipynb", LESSON)
    page.locator(ROOT).press("b")
    page.locator(f"{ROOT} .form button", has_text="show it").click()
    page.locator(f"{ROOT} .question", has_text="dz/dx = 0.2").wait_for()
    assert page.locator(f"{ROOT} button.predict").get_attribute("aria-pressed") == "false" and page.trouble == []
    page.context.close()


HAS_FOCUS = "one => one === document.activeElement"


def test_a_prediction_is_made_by_keys_alone_and_read_where_the_page_is_narrow(browser, lab):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    notebook(lab[1], "offer.ipynb", OFFER)
    page = new_page(browser, f"{lab[0]}/lab/tree/offer.ipynb?token={TOKEN}&reset")
    run_all(page)
    first, second = (page.locator(".jp-OutputArea button", has_text=words) for words in ("a dict of two", "one tensor"))
    said = page.locator(".jp-OutputArea [role=status]")
    said.get_by_text("Choose one.").wait_for()
    page.set_viewport_size({"width": 390, "height": 900})
    page.keyboard.press("Control+b")  # the side bar
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").click()
    page.keyboard.press("Escape")
    for _ in range(8):
        if not first.evaluate(HAS_FOCUS):
            page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    said.get_by_text("kept a dict of two. Now run the next cell.").wait_for()
    assert first.evaluate(HAS_FOCUS) and page.evaluate(BADLY_SHOWN) == []
    for key in ("Tab", "Space"):
        page.keyboard.press(key)
    said.get_by_text("kept a dict of two, your first answer.").wait_for()
    assert second.evaluate(HAS_FOCUS) and page.evaluate(BADLY_SHOWN) == []
    found = axe.run(page, context=".jp-OutputArea").response["violations"]
    assert [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"]] == [] and page.trouble == []
    page.context.close()


@pytest.mark.parametrize(("given", "said"), [("5.756", "Right."), ("6", "Not so."), ("None", "Not so.")])
def test_a_film_that_asks_hides_the_gradients_until_it_is_answered(open_page, tmp_path, given, said):
    program = PREDICTED.replace("z = mg.sin(y) + y", "z = 0.9593 * y")
    page = open_page(saved(inspected(program), tmp_path))
    root = page.locator(ROOT)
    assert root.locator(".question").inner_text() == "dz/dx = ?" and root.locator(".read .picture").count() == 0
    root.press("End")
    assert root.locator(".read .picture").count() == 0 and "5.756" not in root.inner_text()
    root.locator(".form input").fill(given)
    root.locator(".form input").press("Enter")
    root.locator(".say", has_text=re.compile("^(Right|Not so)")).wait_for()
    assert root.locator(".say").inner_text() == f"{said} dz/dx = 5.756."
    assert root.evaluate("root => root === document.activeElement"), "the keys go on where the field was"


def test_of_several_sources_the_first_is_asked_and_of_many_numbers_the_norm(open_page, tmp_path):
    program = f"import minigrad as mg\nmg.trace(True)\n{SCENES['network']}\ninspector = mg.inspect(tape, predict=True)\n"
    page = open_page(saved(inspected(program), tmp_path))
    root = page.locator(ROOT)
    root.press("End")
    assert root.locator(".form label").inner_text() == "norm of gradient of w1 ="
    root.locator(".form input").fill("4")
    root.locator(".form input").press("Enter")
    root.locator(".say", has_text=re.compile("^Not so. norm of gradient of w1 = 0.9")).wait_for()


def test_the_place_of_a_break_can_be_predicted(open_page, tmp_path):
    program = PREDICTED.replace("y = x * x", "y = x.numpy() + 1.0").replace("z = mg.sin(y) + y", "z = mg.sin(y)")
    page = open_page(saved(inspected(program), tmp_path))
    root = page.locator(ROOT)
    root.press("End")
    assert root.locator(".mark.cut >> visible=true").count() == 0 and "numpy" in root.locator(".film").text_content()
    line = "line => getComputedStyle(line).textDecorationLine"
    assert root.locator(".code .broken .text").evaluate(line) == "none"
    root.locator(".ask[visibility=visible]").first.click()
    root.locator(".say", has_text=re.compile("^(Right|Not so)")).wait_for()
    assert root.locator(".code .broken .text").evaluate(line) == "underline"


LOOKED_AT = """\
import minigrad as mg
mg.trace(True)
keep, low = mg.Variable(0.8, name="keep"), mg.Variable(7.0, name="low")
with mg.GradientTape() as tape:
    height = 10.0
    while height > low:
        height = keep * height
inspector = mg.inspect(tape, height, keep)"""


def test_a_source_that_was_not_asked_for_says_so_and_false_is_a_word(open_page, tmp_path):
    page = open_page(saved(inspected(LOOKED_AT), tmp_path))
    film = page.locator(f"{ROOT} .film").text_content()
    assert "not asked" in film
    assert "False" in film


def test_stale_tape_has_a_warning_and_names_the_question_before(open_page, tmp_path):
    program = PROGRAM.replace("Tape()", "Tape(persistent=True)").replace(
        "inspector = mg", "x.assign(2.0)\nh = tape.gradient(z, x)\ninspector = mg"
    )
    page = open_page(saved(inspected(program), tmp_path))
    root = page.locator(ROOT)
    assert root.locator(".status .mark.stale").count() == 1
    assert root.locator(".mark.complete").count() == 0
    assert root.locator(".say").inner_text().startswith("Stale. x was assigned after this tape read it.")
    assert root.locator(".pane p").first.inner_text().startswith("earlier, line 7: g = tape.gradient(z, x) gave x ")


def test_a_link_can_lead_to_a_step(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path) + "#step=2")
    assert page.locator(f"{ROOT} .scrubber").get_attribute("aria-valuenow") == "2" and now(page) == ["f1", "value"]
    assert page.locator(f"{ROOT} .pane .title").inner_text() == "z = mg.sin(y) + y", "the pane tells of it, as after a step"


# ---- the states of a film: by keys, by the pointer, from Python, and in several views of one widget -----------------------

MODEL = """([state, count]) => {
    const heard = {}, tell = (event, what) => (heard[event] || []).forEach((call) => call(what));
    window.model = {
        get: (name) => state[name],
        set(name, value) { if (state[name] !== value) { state[name] = value; tell("change:" + name); } },
        on: (event, call) => (heard[event] ||= []).push(call),
        save_changes() {},
        send: async (content) => tell("msg:custom", await opened(content.unit, content.film)),
    };
    for (let k = 0; k < count; k++) film.render({ model, el: document.body.appendChild(document.createElement("div")) });
}"""


@pytest.fixture
def views_of(open_page):
    """Opens views of one inspector, with a model between them and Python as a widget has."""

    def shown(inspector, count=1, **state):
        page = open_page("about:blank")
        page.add_style_tag(content=style())
        page.add_script_tag(content=f"const film = (() => {{{script().replace('export default', 'return')}}})();")
        page.expose_function("opened", lambda unit, film: {**inspector.models[film].opened(unit), "film": film})
        page.evaluate(MODEL, [{"view": inspector.plain, "step": inspector.last, "selected": "", "asks": False, **state}, count])
        return page

    return shown


def pressed(page, *keys):
    """Where the film is after these keys; the browser draws after each, as it does for a hand."""
    for key in keys:
        page.keyboard.press(key)
        page.evaluate("new Promise(requestAnimationFrame)")
    return step_of(page)


def step_of(page, view=0):
    return int(page.locator(f"{ROOT} .count").nth(view).inner_text().split()[1])


CUT = PROGRAM.replace("x * x", "x * x.numpy()").replace("z = mg.sin(y) + y", "z = y * y")
ROUNDS = PROGRAM.replace("    y = x * x\n", "    y = x * x\n    for i in range(60):\n        y = mg.sin(y)\n")
TWO_FILMS = """\
import minigrad as mg
mg.trace(True)
x = mg.Variable(3.0, name="x")
with mg.GradientTape() as broken:
    y = x * x.numpy()
    z = mg.sin(y) + y
broken.gradient(z, x)
with mg.GradientTape() as fixed:
    y = x * x
    u = y * 1.0
    w = u * 1.0
    z = mg.sin(y) + y
fixed.gradient(z, x)
inspector = mg.inspect(broken, fixed)"""


def test_the_unit_of_what_python_selects_is_opened_and_stays_until_a_step(views_of):
    page = views_of(inspected(LOOP), selected="f2001")
    selected = page.locator(f"{ROOT} .frame[data-id=f2001]")
    selected.wait_for()
    page.locator(ROOT).focus()
    pressed(page, "[")
    assert selected.count() == 0 and page.locator(f"{ROOT} .frame[tabindex='0']").count() == 1, "Tab leads into each unit"
    page.evaluate("model.set('step', 500), model.set('selected', 'f2001')")
    selected.wait_for()
    pressed(page, "+", "n", "-")
    assert selected.count() == 1, "what draws it anew opens no other unit"
    pressed(page, "ArrowRight")
    page.locator(f"{ROOT} .frame.now[data-id=f501]").wait_for()
    assert page.trouble == []


def test_a_film_that_was_not_asked_opens_at_its_last_op_and_one_that_was_asked_for_nothing_opens(open_page, tmp_path):
    page = open_page(saved(inspected(ROUNDS.replace("g = tape.gradient(z, x)\n", "")), tmp_path))
    assert now(page) == ["f62", "value"]
    page = open_page(saved(inspected(ROUNDS.replace("gradient(z, x)", "gradient([], x)")), tmp_path))
    page.locator(ROOT).focus()
    assert pressed(page, "End", "ArrowLeft", "ArrowLeft", "ArrowLeft") == 63 and page.trouble == []


def test_a_film_that_was_asked_for_nobody_has_no_question(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM.replace("gradient(z, x)", "gradient(z, [])")), tmp_path))
    page.locator(ROOT).focus()
    assert page.locator(f"{ROOT} .predict").count() == 0
    assert pressed(page, "Home", "p", "b") == 4 and pressed(page, "p", "End") > 4 and page.trouble == []


def test_two_films_have_one_time_for_python_the_keys_and_the_memory(views_of):
    page = views_of(inspected(TWO_FILMS))
    root, last = page.locator(ROOT), page.evaluate("model.get('step')")
    for step in (3, last, -1, last - 1):
        page.evaluate("step => model.set('step', step)", step)
        assert step_of(page) == step + 1
    root.focus()
    assert pressed(page, "p") == last and root.locator(".read .picture").count() > 0, "two films do not ask"
    assert pressed(page, "m", "Home", *["ArrowRight"] * 5) == 5 and page.evaluate("model.get('step')") == 4, "with the words of a fix"
    scrubber = root.locator(".scrubber")
    box, steps = scrubber.bounding_box(), int(scrubber.get_attribute("aria-valuemax"))
    for step in range(steps + 1):
        page.mouse.click(box["x"] + 12 + step * (box["width"] - 24) / (steps + 1), box["y"] + 40)
        assert scrubber.get_attribute("aria-valuenow") == str(step)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 90, box["y"] + 40)
    assert scrubber.get_attribute("aria-valuenow") == str(steps), "dragged beyond the end"


def test_two_long_films_both_follow_the_steps_also_with_the_words_of_a_fix(views_of):
    loop = "    for i in range(2000):\n        z = z + 0.1\n"
    program = TWO_FILMS.replace("broken.gradient", f"{loop}broken.gradient").replace("fixed.gradient", f"{loop}fixed.gradient")
    page = views_of(inspected(program))
    page.locator(ROOT).focus()
    pressed(page, "m")
    for step in (700, 1300):
        page.evaluate("step => model.set('step', step)", step)
        for reel in page.locator(f"{ROOT} .reel").all():
            reel.locator(".frame.now").wait_for()
    assert page.trouble == []


def test_keys_go_on_in_the_film_in_which_a_column_was_clicked(views_of):
    page = views_of(inspected(TWO_FILMS))
    second = page.locator(f"{ROOT} .reel").nth(1)
    second.locator(".frame[data-id=f2]").click()
    title = page.locator(f"{ROOT} .pane .title")
    assert title.inner_text() == "w = u * 1.0"
    pressed(page, "ArrowUp")
    assert second.locator(".frame.now").get_attribute("data-id") == "f2" and title.inner_text() == "w = u * 1.0"
    pressed(page, ",")
    assert second.locator("[data-id=f1]").evaluate(HAS_FOCUS) and title.inner_text() == "u = y * 1.0"


def test_a_fix_is_opened_moved_and_closed_from_all_sides(views_of):
    page = views_of(inspected(PROGRAM.replace("x * x", "(x * x).numpy()")), 2, step=2)  # with more steps in the fix
    first, second = page.locator(ROOT).all()
    last = int(second.locator(".scrubber").get_attribute("aria-valuemax")) - 1
    second.focus()
    pressed(page, "m")
    assert second.locator(".reel").count() == 2 and page.evaluate("model.get('step')") == last
    first.focus()
    for step in (-1, 0, 3, last, last - 1):
        page.evaluate("step => model.set('step', step)", step)
        assert page.evaluate("model.get('step')") == step and step_of(page, 0) == step + 1
        assert second.locator(".scrubber").get_attribute("aria-valuenow") == str(step + 1)
        assert first.evaluate(HAS_FOCUS), "no view takes the focus of another"
    asked = pressed(page, "p")
    assert second.locator(".reel").count() == 1 and step_of(page, 1) == asked < last
    assert all(view.locator(".question").inner_text() == "dz/dx = ?" and view.locator(".form").count() == 1 for view in (first, second))
    pressed(page, "p", "End")
    assert second.locator(".question").inner_text() == "dz/dx = None" and page.trouble == []


@pytest.mark.parametrize(
    ("start", "keys", "step"),
    [
        (".fix", ["Enter", "Enter", "ArrowLeft", "ArrowLeft", "ArrowLeft"], 5),
        (".fix", ["m", "p", "Home"], 0),
        (".fix-pane button", ["ArrowLeft", "ArrowLeft"], 6),
        (".code button", ["p", "ArrowLeft", "ArrowLeft"], 2),
    ],
)
def test_keys_are_heard_when_what_had_the_focus_is_gone(open_page, tmp_path, start, keys, step):
    page = open_page(saved(inspected(CUT), tmp_path))
    if start.startswith(".fix-pane"):
        page.locator(f"{ROOT} .fix").click()
    page.locator(f"{ROOT} {start}").first.focus()
    assert pressed(page, *keys) == step and page.locator(ROOT).evaluate("root => root.contains(document.activeElement)")


def overview_within(page, least, most):
    """Wait until the overview is drawn between two widths; from outside, as a saved page forbids to evaluate text within it."""
    overview, end = page.locator(f"{ROOT} .overview"), time.monotonic() + 30
    while not least < overview.evaluate("overview => overview.viewBox.baseVal.width") <= most:
        assert time.monotonic() < end, f"the overview is not drawn between {least} and {most}"
        page.wait_for_timeout(50)


def test_what_was_typed_magnified_or_focused_outlasts_another_width(open_page, tmp_path):
    page = open_page(saved(inspected(ROUNDS), tmp_path))
    page.locator(ROOT).focus()
    pressed(page, "+", "p")
    page.locator(f"{ROOT} .form input").fill("1.25")
    for less, width in ((0, 390), (390, 900)):
        page.set_viewport_size({"width": width, "height": 900})
        overview_within(page, less, width)
        assert page.locator(f"{ROOT} .form input").input_value() == "1.25" and page.locator(f"{ROOT} .form input").evaluate(HAS_FOCUS)
        assert page.locator(f"{ROOT} .overview text", has_text=re.compile("^(units )?53 to 62( of 62)?$")).count() == 1
    page.locator(f"{ROOT} .predict").focus()
    page.set_viewport_size({"width": 1200, "height": 900})
    overview_within(page, 900, 1200)
    assert page.locator(f"{ROOT} .predict").evaluate(HAS_FOCUS)


def test_a_film_that_is_answered_while_it_plays_can_be_paused(open_page, tmp_path):
    page = open_page(saved(inspected(ROUNDS), tmp_path))
    page.locator(ROOT).focus()
    pressed(page, "p", "Space")
    page.locator(f"{ROOT} .form input").fill("3")
    page.keyboard.press("Enter")
    page.locator(ROOT).press("Space")
    step = step_of(page)
    page.wait_for_timeout(1600)  # two steps of the play
    assert step_of(page) == step


def test_a_film_that_asks_shows_no_curves_and_its_time_line_says_what_the_head_says(open_page, views_of, tmp_path):
    page = shown_scene(open_page, tmp_path, "curve")
    page.locator(ROOT).focus()
    assert page.locator(f"{ROOT} .curves").is_visible()
    pressed(page, "p")
    assert not page.locator(f"{ROOT} .curves").is_visible()
    page = views_of(inspected(CUT), step=0)
    scrubber = page.locator(f"{ROOT} .scrubber")
    assert "Not recorded" in scrubber.get_attribute("aria-valuetext")
    page.evaluate("model.set('asks', true)")
    assert "What will come back?" in scrubber.get_attribute("aria-valuetext")
    page.evaluate("model.set('asks', false)")
    assert "The backward pass begins" in scrubber.get_attribute("aria-valuetext"), "at the same step"


def test_a_page_with_some_units_says_of_the_others_that_they_were_not_saved(open_page, tmp_path):
    page = open_page(saved(inspected(LOOP), tmp_path))
    page.locator(ROOT).focus()
    pressed(page, *"[" * 100)
    page.locator(f"{ROOT} .absent", has_text="This unit was not saved in this page.").wait_for()


def test_a_film_of_no_op_is_drawn_at_any_width(open_page, tmp_path):
    page = open_page(
        saved(inspected("import minigrad as mg\nwith mg.GradientTape() as tape:\n    pass\ninspector = mg.inspect(tape)"), tmp_path)
    )
    root = page.locator(ROOT)
    for width in (1300, 390):
        page.set_viewport_size({"width": width, "height": 900})
        root.focus()
        pressed(page, *"bwpmn[],.+-", "End", "ArrowRight", "ArrowUp", "Home", "Space", "Space")
        assert "NaN" not in root.evaluate("root => root.outerHTML")
    assert page.trouble == []


def test_layers_that_are_magnified_stay_on_their_axis(open_page, tmp_path):
    page = shown_scene(open_page, tmp_path, "layers")
    page.locator(ROOT).focus()
    pressed(page, *"]]]]]]+")
    left = page.locator(f"{ROOT} .capsule .box").evaluate_all("all => all.map(one => +one.getAttribute('x'))")
    assert len(left) == 10 and min(left) > 100


# ---- nothing overlaps, nothing is cut, everything has a name -------------------------------------------------------------

SCENES = {
    "nothing": "with mg.GradientTape() as tape:\n    pass",
    "square": "x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)",
    "partial": "v = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = v * v.numpy()\ntape.gradient(y, v)",
    "curve": """\
x = mg.linspace(-10.0, 10.0, 201)
with mg.GradientTape() as tape:
    tape.watch(x)
    y = mg.nn.sigmoid(x)
tape.gradient(y, x)""",
    "network": """\
mg.random.set_seed(0)
x, labels = mg.random.normal((8, 4)), mg.constant([0, 1, 2, 0, 1, 2, 0, 1])
w1, b1 = mg.Variable(mg.random.normal((4, 5))), mg.Variable(mg.zeros(5))
w2, b2 = mg.Variable(mg.random.normal((5, 3))), mg.Variable(mg.zeros(3))
with mg.GradientTape() as tape:
    h = mg.nn.relu(x @ w1 + b1)
    loss = mg.reduce_mean(mg.nn.sparse_softmax_cross_entropy_with_logits(labels, h @ w2 + b2))
tape.gradient(loss, [w1, b1, w2, b2])""",
    "layers": """\
mg.keras.utils.set_random_seed(22)
model = mg.keras.Sequential([mg.keras.layers.Dense(16, activation="sigmoid") for _ in range(11)] + [mg.keras.layers.Dense(3)])
with mg.GradientTape() as tape:
    loss = mg.reduce_mean(model(mg.random.normal((4, 16))) ** 2)
tape.gradient(loss, model.trainable_variables)""",
    "nested": """\
x = mg.Variable(5.0)
with mg.GradientTape() as tape:
    with mg.GradientTape() as inner:
        y = x ** 3
    slope = inner.gradient(y, x)
tape.gradient(slope, x)""",
    "none": """\
x = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
with mg.GradientTape() as tape:
    x2 = x ** 2
    y = mg.reduce_mean(x2.numpy(), axis=0)
tape.gradient(y, x)""",
    "loop": """\
angle = mg.Variable(2.0)
with mg.GradientTape() as tape:
    a, v = angle, 0.0
    for step in range(60):
        v = v - 0.1 * mg.sin(a)
        a = a + 0.1 * v
tape.gradient(a, angle)""",
    "crash": """\
w, x = mg.Variable(mg.ones((3, 2))), mg.ones((2, 4))
try:
    with mg.GradientTape() as tape:
        y = (x * mg.reduce_sum(w)) @ w
except Exception:
    pass""",
    "crash_twice": """\
w, x = mg.Variable(mg.ones((4, 5))), mg.ones((2, 3))
try:
    with mg.GradientTape() as tape:
        y = x * 2.0 + w
except Exception:
    pass""",
    "stopped": """\
x = mg.Variable(3.0)
with mg.GradientTape() as tape:
    y = x * x
    with tape.stop_recording():
        size = mg.abs(y)
    z = y * size
tape.gradient(z, x)""",
    "blocks": """\
x = mg.Variable(0.7)
with mg.GradientTape() as tape:
    y = x
    for epoch in range(8):
        y = y * 1.5
        for step in range(20):
            y = mg.sin(y)
            y = y + 0.1
tape.gradient(y, x)""",
    "jacobian": """\
x, w = mg.Variable([1.0, 2.0, 3.0]), mg.constant([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
with mg.GradientTape() as tape:
    y = mg.linalg.matvec(w, x * x * 1e-30)
tape.jacobian(y, x)""",
    "identifiers": f"""\
{"a" * 200} = mg.Variable([1.0, -2.0])
with mg.GradientTape() as tape:
    {"b" * 200} = {"a" * 200} * 2.0
tape.gradient({"b" * 200}, {"a" * 200})""",
    "twins": """\
x = mg.Variable(3.0)
with mg.GradientTape() as tape:
    a = x * x
    y = a * x.numpy() + mg.sin(x)
tape.gradient(y, x)""",
    "marks": """\
first, second = mg.linspace(-1.0, 1.0, 201), mg.constant(2.0)
with mg.GradientTape(persistent=True) as tape:
    tape.watch(first)
    tape.watch(second)
    y = first * second
    with tape.stop_recording():
        z = mg.exp(y)
    y = y + z
tape.gradient(y, first)""",
    "product": """\
x, w = mg.reshape(mg.range(24.0), (2, 3, 4)), mg.Variable(mg.ones((4, 2)))
with mg.GradientTape() as tape:
    y = x @ w
tape.gradient(y, w)""",
    "tiny": """\
x = mg.Variable([1.0, -1.0, 2.0, 3.0])
with mg.GradientTape() as tape:
    y = x * -1.234e-35
    for k in range(14):
        y = y * 1.0
tape.gradient(y, x)""",
    "far_east": """\
入力の値, 重み行列の変数 = mg.Variable([1.0, -2.0, 3.0]), mg.Variable(3.0, name="学習率の初期値と正則化項")
with mg.GradientTape() as tape:
    中間層の出力 = 入力の値 * 重み行列の変数
    損失関数の値 = mg.reduce_sum(中間層の出力 * 入力の値.numpy())
tape.gradient(損失関数の値, [入力の値, 重み行列の変数])""",
    "from_right": """\
المتغير_الأول, משתנה_שני = mg.Variable([1.0, -2.0, 3.0]), mg.Variable(3.0)
with mg.GradientTape() as tape:
    الناتج = المتغير_الأول * משתנה_שני
    y = mg.reduce_sum(mg.stop_gradient(الناتج) * المتغير_الأول)
tape.gradient(y, [المتغير_الأول, משתנה_שני])""",
    "far_east_layers": """\
mg.random.set_seed(1)
names = [*[f"隠れ層の線形変換その{k}" for k in range(8)], "出力" * 100]
model = mg.keras.Sequential([mg.keras.layers.Dense(8, activation="sigmoid", name=name) for name in names])
with mg.GradientTape() as tape:
    loss = mg.reduce_mean(model(mg.random.normal((4, 16))) ** 2)
tape.gradient(loss, model.trainable_variables)""",
    "long_far_east": f"""\
{"長" * 200} = mg.Variable([1.0, -2.0])
with mg.GradientTape() as tape:
    {"名" * 200} = {"長" * 200} * 2.0
    {"値" * 200} = mg.sin({"名" * 200}) + float({"名" * 200}[0])
tape.gradient({"値" * 200}, {"長" * 200})""",
    "narrow": """\
x, z, d, e = mg.Variable([1.0, -2.0]), mg.Variable(0.1 + 0.2j, dtype=mg.complex64), mg.Variable(2.0), mg.Variable(mg.zeros((0, 3)))
with mg.GradientTape() as tape:
    w = mg.math.real(z * mg.math.conj(z))
    y = mg.round(d) * w + mg.reduce_sum(mg.stop_gradient(x) * x) + mg.reduce_sum(e) + mg.cast(mg.cast(d, "int32"), "float32")
    with tape.stop_recording():
        y = y + d * d * w
tape.gradient(y, [x, z, d, e])""",
    "names": f"""\
x = mg.Variable([1e-30, -2.0], name="{"long" * 50}")
y = mg.Variable(3.0, name="\u0645\u062a\u063a\u064a\u0631 \u6f22\u5b57")
with mg.GradientTape(persistent=True) as tape:
    x.assign_add([1.0, 1.0])
    with tape.stop_recording():
        size = mg.abs(x)
    z = mg.stop_gradient(x) * x * y * 1e9
tape.gradient(z, [x, y])""",
}
BOXES = """() => {
    const seen = (e) => getComputedStyle(e).visibility === "visible" && e.getClientRects().length;
    const wrong = [];
    for (const root of document.querySelectorAll(".mg-inspector svg")) {
        const frame = root.getBoundingClientRect();
        const texts = [...root.querySelectorAll("text")].filter((e) => e.textContent && seen(e)).map((e) => {
            const { left, right, top, bottom, height } = e.getBoundingClientRect();
            return { text: e.textContent, left: left + 0.5, right: right - 0.5, top: top + height * 0.2, bottom: bottom - height * 0.22 };
        });
        for (const one of root.querySelectorAll(".picture text, .amount, .read text, .none text")) if (one.textContent.includes("…")) wrong.push(`cut: ${one.textContent}`);
        for (const one of texts)
            if (one.left < frame.left - 1 || one.right > frame.right + 1 || one.top < frame.top - 1 || one.bottom > frame.bottom + 1)
                wrong.push(`cut: ${one.text}`);
        const marks = [...root.querySelectorAll(".marks > .mark, .marks > .between text")].filter(seen);
        for (const { text, ...mark } of marks.map((e) => ({ text: e.textContent || "scissors", ...e.getBoundingClientRect().toJSON() })))
            for (const one of [...texts, ...[...root.querySelectorAll(".frame")].map((e) => ({ text: e.dataset.id, ...e.querySelector(".edge").getBoundingClientRect().toJSON() }))])
                if (one.text !== text && one.left < mark.right - 1.5 && mark.left < one.right - 1.5 && one.top < mark.bottom - 1.5 && mark.top < one.bottom - 1.5)
                    wrong.push(`covered: ${one.text} by ${text}`);
        texts.forEach((a, k) => texts.slice(k + 1).forEach((b) => {
            if (a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5)
                wrong.push(`overlap: ${a.text} | ${b.text}`);
        }));
    }
    for (const one of [...document.querySelectorAll(".film .none .mark")].filter(seen)) {
        const [own, column] = [one, one.closest(".frame").querySelector(".edge")].map((e) => e.getBoundingClientRect());
        if (own.left < column.left || own.right > column.right) wrong.push("a mark is wider than its column");
    }
    const outer = document.querySelector(".mg-inspector").getBoundingClientRect();
    for (const e of document.querySelectorAll(".mg-inspector :is(p, dd, li, h2, button, .legend > span)")) {
        const box = e.getBoundingClientRect();
        if (seen(e) && (box.right > outer.right + 1 || box.left < outer.left - 1)) wrong.push(`outside: ${e.textContent}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is too wide");
    for (const e of document.querySelectorAll(".mg-inspector svg, .mg-inspector svg *"))
        for (const name of ["x", "y", "width", "height", "d", "transform", "viewBox", "style"])
            if (/NaN|undefined/.test(e.getAttribute(name))) wrong.push(`no number: ${name} of ${e.outerHTML.slice(0, 80)}`);
    for (const e of document.querySelectorAll(".mg-inspector :is(button, [role], input, [tabindex])"))
        if (seen(e) && !(e.getAttribute("aria-label") || e.textContent.trim())) wrong.push(`no name: ${e.outerHTML.slice(0, 80)}`);
    return wrong;
}"""


@pytest.mark.variants
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("scene", SCENES)
def test_no_text_overlaps_or_is_cut_at_any_width(open_page, tmp_path, scene, theme):
    file = saved(inspected(f"import minigrad as mg\nmg.trace(True)\n{SCENES[scene]}\ninspector = mg.inspect(tape)\n"), tmp_path)
    for width in (390, 600, 900, 1280) if theme == "light" else (1600,):
        page = open_page(file, width=width, color_scheme=theme)
        page.locator(ROOT).focus()
        for key in ("End", "Home", "b", "ArrowRight", "ArrowRight", "w", "p", "p"):
            page.keyboard.press(key)
            assert page.evaluate(BOXES) == [], f"{width} pixels, after {key}"
        assert page.trouble == []


def test_the_check_of_texts_finds_what_overlaps_and_what_is_cut(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path))
    page.wait_for_selector(f"{ROOT} .film .frame")
    assert page.evaluate(BOXES) == []
    page.evaluate("() => document.querySelector('.film .frame .sign').setAttribute('x', -30)")
    assert [one.split(":")[0] for one in page.evaluate(BOXES)] == ["cut"]
    page.evaluate("() => { const [a, b] = document.querySelectorAll('.film .frame .sign'); a.setAttribute('x', b.getAttribute('x')); }")
    assert [one.split(":")[0] for one in page.evaluate(BOXES)] == ["overlap"]
    page.evaluate("() => document.querySelector('.film .frame .sign').setAttribute('x', -300)")
    page.evaluate("() => document.querySelector('.film .marks').append(document.querySelector('.status .mark').cloneNode(true))")
    page.evaluate("() => document.querySelector('.film .marks .mark').setAttribute('transform', 'translate(120 80)')")
    assert "covered" in {one.split(":")[0] for one in page.evaluate(BOXES)}


NUMBERS = """(numbers) => numbers.map(([x, digits, whole]) => number(x, digits, whole))"""


def test_a_number_has_no_digits_that_it_was_rounded_to(open_page):
    text = (FRONT / "numbers.js").read_text(encoding="utf-8")
    page = open_page("about:blank")
    page.add_script_tag(content=re.sub("^export ", "", text, flags=re.MULTILINE))
    given = [[3456.0, 3], [3456.0, 4], [24.0, 4], [3456, 3, True], [1234567, 6, True], [0.0, 3], [0.25, 1], [1001000.0, 4]]
    said = ["3.46·10³", "3456.0", "24.0", "3.46·10³", "1.23457·10⁶", "0.0", "0.2", "1.001·10⁶"]
    assert page.evaluate(NUMBERS, given) == said
    assert page.evaluate("[forms(-0.66), forms(9.0), forms(0.5)].map((one) => one.at(-1))") == ["\u22120.66", "9.0", "0.5"]


def test_few_numbers_are_in_one_size_or_a_picture(open_page, tmp_path):
    program = "x = mg.Variable([1.0, -2.0, 3.25, 0.125])\nwith mg.GradientTape() as tape:\n    y = x\n    for k in range(9):\n        y = y * 1.1\n"
    page = open_page(
        saved(inspected(f"import minigrad as mg\nmg.trace(True)\n{program}tape.gradient(y, x)\ninspector = mg.inspect(tape)\n"), tmp_path)
    )
    sizes = "es => es.map((e) => new Set([...e.querySelectorAll('text:not(.note)')].map((one) => one.getAttribute('font-size'))).size)"
    assert set(page.locator(f"{ROOT} .film .picture").evaluate_all(sizes)) <= {0, 1}


@pytest.mark.parametrize("width", [600, 900])
def test_a_number_without_room_is_read_from_below_and_none_is_missing(open_page, tmp_path, width):
    block = "y = x\nfor k in range(18):\n    y = y * 0.7123"
    page = open_page(saved(asked_of("x = mg.Variable(1.2345e-12)", block), tmp_path), width)
    texts = page.locator(f"{ROOT} .film .picture").evaluate_all("es => es.map((e) => e.querySelector('text')?.textContent)")
    assert len(texts) >= 38 and all(
        re.fullmatch(r"[\d.]+(\u00b710[\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)?", one or "") for one in texts
    )
    assert page.locator(f"{ROOT} .film .picture text[transform]").count() > 10


def test_a_question_that_was_refused_has_no_backward_pass(open_page, tmp_path):
    asked = "try: tape.gradient(y, x, output_gradients=mg.ones(5))\nexcept Exception: pass"
    film = asked_of("x = mg.Variable([1.0, 2.0])", "y = x * x", asked)
    page = open_page(saved(film, tmp_path))
    root = page.locator(ROOT)
    assert "InvalidArgumentError" in root.locator(".answers").inner_text() and "not asked here" not in root.inner_text()
    assert root.locator(".turn .way, .scrubber .turn-line, .scrubber .freed").count() == 0
    assert ">backward<" not in film.to_svg()


def test_who_is_asked_sees_no_scale_of_the_gradients(open_page, tmp_path):
    block = "h = x\nfor k in range(30):\n    h = mg.nn.sigmoid(h) * 0.1\n    h = h * 1.0\ny = h"
    page = open_page(saved(asked_of("x = mg.Variable(1.0)", block, more=", predict=True"), tmp_path))
    ticks = page.locator(f"{ROOT} .overview text.spoils")
    assert ticks.count() > 1 and not any(one.is_visible() for one in ticks.all())
    page.locator(ROOT).press("p")
    assert all(one.is_visible() for one in ticks.all())


def test_a_wire_with_nan_is_seen(open_page, tmp_path):
    page = open_page(saved(inspected(BRANCH), tmp_path))
    wide = [
        float(one)
        for one in page.locator(f"{ROOT} .film .ribbon.bad .band").evaluate_all("es => es.map((e) => e.getAttribute('stroke-width'))")
    ]
    assert len(wide) == 1 and wide[0] > 10
    assert page.locator(f"{ROOT} .legend").inner_text().count("nan or inf") == 1


def test_the_code_begins_with_a_whole_line(open_page, tmp_path):
    lines = "".join(f"    y = y * {k}.5\n" for k in range(12))
    program = f"import minigrad as mg\nmg.trace(True)\nx = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = x\n{lines}tape.gradient(y, x)\n"
    page = open_page(saved(inspected(f"{program}inspector = mg.inspect(tape)\n"), tmp_path))
    tops = "e => { const head = e.querySelector('.modes').getBoundingClientRect().bottom; return [...e.querySelectorAll('.lines:not([hidden]) .line')].map((one) => { const box = one.getBoundingClientRect(); return [box.top - head, box.bottom - head]; }); }"
    found = page.locator(f"{ROOT} .code").evaluate(tops)
    assert found[0][0] < -20, "it has been scrolled"
    assert not any(top < -2 < 6 < bottom for top, bottom in found), "no line is cut in two by the head"


def test_a_question_that_was_refused_takes_no_answer_back(open_page, tmp_path):
    program = PROGRAM.replace("inspector =", "try:\n    tape.gradient(z, x)\nexcept RuntimeError:\n    pass\ninspector =")
    page = open_page(saved(inspected(program), tmp_path))
    assert page.locator(f"{ROOT} .question").inner_text().startswith("dz/dx = 0.53")
    assert page.locator(f"{ROOT} .say").inner_text().startswith("RuntimeError: A non-persistent GradientTape")
    assert page.locator(f"{ROOT} .code .current .text").inner_text().strip() == "tape.gradient(z, x)"
    assert page.locator(f"{ROOT} .frame.source").get_attribute("aria-label") == "source x, value 3.0, gradient 0.5332"


def test_a_question_within_a_vjp_takes_no_answer_away(open_page, tmp_path):
    function = "@mg.custom_gradient\ndef f(x):\n    with mg.GradientTape() as inner:\n        inner.watch(x)\n        y = mg.sin(x) * x\n    return y, lambda dy: inner.gradient(y, x, dy)"
    block = "x = mg.Variable(2.0)\nwith mg.GradientTape() as tape:\n    z = f(x * 1.0) * 3.0\ntape.gradient(z, x)"
    page = open_page(
        saved(inspected(f"import minigrad as mg\nmg.trace(True)\n{function}\n{block}\ninspector = mg.inspect(tape)"), tmp_path)
    )
    assert page.locator(f"{ROOT} .question").inner_text() == "dz/dx = 0.231"
    names = page.locator(f"{ROOT} .frame").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert any(name.startswith("source x") and name.endswith("gradient 0.231") for name in names) and not any(
        "not reached" in name for name in names if "custom" in name
    )


NAMES = "all => all.map(one => [...one.querySelectorAll('.sign')].map(line => line.firstChild.data).join(''))"


@pytest.mark.parametrize("width", [390, 600, 900, 1600])
def test_weights_of_different_layers_have_different_names_at_any_width(open_page, tmp_path, width):
    model = "model = mg.keras.Sequential([mg.keras.layers.Dense(2, activation='tanh') for k in range(4)])\nx = mg.ones((1, 2))\nmodel(x)"
    block = "with mg.GradientTape() as tape:\n    y = mg.reduce_sum(model(x))\ntape.gradient(y, model.trainable_variables)"
    page = open_page(saved(inspected(f"import minigrad as mg\nmg.trace(True)\n{model}\n{block}\ninspector = mg.inspect(tape)"), tmp_path))
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(200)
    names = page.locator(f"{ROOT} .frame.source").evaluate_all(NAMES)
    assert len(names) > 3 and len({*names}) == len(names) and not any("…" in name for name in names), names


NETWORK = """
layers = mg.keras.layers
net = mg.keras.Sequential([
    layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(2), layers.Flatten(), layers.Dense(3, name="dense"),
], name="net")
pictures, labels = mg.ones((2, 8, 8, 1)), mg.constant([0, 2])
"""


@pytest.mark.parametrize("width", [600, 900, 1280])
def test_a_name_that_is_too_long_for_a_line_has_two(open_page, tmp_path, width):
    block = "loss = mg.reduce_mean(mg.nn.sparse_softmax_cross_entropy_with_logits(labels, net(pictures)))"
    page = open_page(saved(asked_of(NETWORK, block, "tape.gradient(loss, net.trainable_variables)"), tmp_path), width=width)
    names = page.locator(f"{ROOT} .frame").evaluate_all(NAMES)
    assert {"dense/kernel", "dense/bias", "conv2d", "bias_add", "max_pool2d", "reshape", "cross_entropy"} <= {*names}, names
    assert not any("…" in name for name in names)
    assert page.evaluate(BOXES) == []


def test_capsules_have_the_names_of_their_layers_and_answers_those_of_their_weights(open_page, tmp_path):
    made = f"{NETWORK}net = mg.keras.Sequential([part for _ in range(4) for part in (layers.Dense(4), layers.LayerNormalization())])\n"
    page = open_page(saved(asked_of(made, "y = net(mg.ones((2, 3)))", "tape.gradient(y, net.trainable_variables)"), tmp_path))
    names = page.locator(f"{ROOT} .capsule").evaluate_all(
        "all => all.map(one => [...one.querySelectorAll(':scope > g > text')].map(line => line.textContent).join(''))"
    )
    assert [name.startswith("layer_normalization") for name in names] == [False, True] * 4, names
    given = page.locator(f"{ROOT} .answers .name")
    assert given.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")
    assert len({*given.all_inner_texts()}) == given.count() == 16
    assert page.evaluate(BOXES) == []


def test_the_ops_that_made_weights_are_not_counted_among_those_of_a_layer(open_page, tmp_path):
    inner = "inner = mg.keras.Sequential([layers.Dense(4, 'relu') for _ in range(3)], name='inner')"
    made = f"{NETWORK}{inner}\nnet = mg.keras.Sequential([layers.Dense(4), layers.Dense(4), layers.Dense(4), inner, layers.Dense(4)])\n"
    page = open_page(saved(asked_of(made, "y = net(mg.ones((2, 3)))", "tape.gradient(y, net.trainable_variables)"), tmp_path))
    page.locator(f"{ROOT} .capsule[aria-label^=inner]").click()
    assert page.locator(f"{ROOT} .frame:is(.op, .ghost):not(.outer)").count() == 9
    assert page.locator(f"{ROOT} .overview").get_by_text("(9 ops, built here)").count() == 1


@pytest.mark.parametrize("width", [390, 1280])
def test_few_numbers_stand_below_each_other_where_they_are_larger_so(open_page, tmp_path, width):
    lines = "\n".join(["y = x"] + ["y = y * 1.25 - 0.5"] * (4 if width > 500 else 1))
    page = open_page(saved(asked_of("x = mg.Variable([[0.0079081], [-0.15784], [-0.20423]])", lines), tmp_path), width=width)
    sizes = page.locator(f"{ROOT} .film .picture text").evaluate_all("all => all.map(one => Number(one.getAttribute('font-size')))")
    assert len(sizes) > 12 and min(sizes) >= 10, sizes
    texts = page.locator(f"{ROOT} .frame.source .written .picture text").all_text_contents()
    assert texts == ["0.007908", "\u22120.1578", "\u22120.2042"]
    assert page.evaluate(BOXES) == []


def test_the_mark_of_the_answer_stands_beside_a_long_question(open_page, tmp_path):
    made = "first_of_all, second_of_all, third_of_all = [mg.Variable(float(k)) for k in (1, 2, 3)]"
    asked = "tape.gradient(y, [first_of_all, second_of_all, third_of_all])"
    page = open_page(saved(asked_of(made, "y = first_of_all * second_of_all * third_of_all", asked), tmp_path), width=390)
    icon, question = (page.locator(f"{ROOT} {one}").bounding_box() for one in (".status", ".question"))
    assert (
        question["height"] > 1.5 * icon["height"]
        and question["y"] < icon["y"]
        and icon["y"] + icon["height"] < question["y"] + question["height"]
    )


def test_a_fix_in_words_is_told_with_the_answer_and_not_before(open_page, tmp_path):
    page = open_page(saved(asked_of("x, s = mg.Variable(3.0), mg.Variable(0.0)", "s.assign_add(x)\ny = s * 2.0"), tmp_path))
    pane = page.locator(f"{ROOT} .pane")
    assert "Fix: compute with a new tensor instead" in pane.inner_text()
    page.locator(ROOT).focus()
    for key in ("p", "Home", "ArrowRight"):
        page.keyboard.press(key)
        assert "Fix" not in pane.inner_text()


def test_several_targets_have_seeds_of_their_own(open_page, tmp_path):
    asked = "tape.gradient([a, b], x, output_gradients=[mg.constant(3.0), mg.constant(-1.0)])"
    page = open_page(saved(asked_of("x = mg.Variable(2.0)", "a = x * x\nb = mg.sin(x)", asked), tmp_path))
    assert page.locator(f"{ROOT} .turn text").all_text_contents() == ["from a, b", "seeds"]
    page.locator(ROOT).focus()
    page.keyboard.press("b")
    assert page.locator(f"{ROOT} .say").inner_text() == "The backward pass begins at a, b, with a seed for each."


def test_a_gradient_of_another_shape_than_its_column_says_which(open_page, tmp_path):
    page = shown_scene(open_page, tmp_path, "jacobian")
    texts = page.locator(f"{ROOT} .frame.source text").all_text_contents()
    assert "(3,)" in texts and "(2, 3)" in texts, "of x, and of the Jacobian"


def test_what_is_stopped_on_purpose_is_not_called_lost(open_page, tmp_path):
    page = shown_scene(open_page, tmp_path, "stopped")
    assert page.locator(f"{ROOT} .term small").all_inner_texts() == ["passed back", "stopped", "full"]
    assert page.locator(f"{ROOT} .mark.cut").count() == 0 and page.locator(f"{ROOT} .film .mark.stop").count() == 2


def test_a_share_of_zeros_is_only_whole_where_all_are_zero(open_page, tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.reduce_sum(mg.gather(t, [3, 5]))"
    program = f"import minigrad as mg\nmg.trace(True)\nt = mg.Variable(mg.ones((1000, 3)))\n{block}\ntape.gradient(y, t)\ninspector = mg.inspect(tape)"
    page = open_page(saved(inspected(program), tmp_path))
    assert page.locator(f"{ROOT} .answers").inner_text().split("\n")[1:] == ["norm 2.449", "99.8 % zeros", "IndexedSlices"]


def test_numbers_of_values_are_blue_and_those_of_gradients_orange(open_page, tmp_path):
    program = "x = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    y = x\n    for k in range(30):\n        y = y * 0.1\ntape.gradient(y, x)"
    page = open_page(saved(inspected(f"import minigrad as mg\nmg.trace(True)\n{program}\ninspector = mg.inspect(tape)"), tmp_path))
    fills = page.locator(f"{ROOT} .curve").evaluate_all("all => all.map(one => getComputedStyle(one.querySelector('.bar')).fill)")
    assert fills == ["rgb(11, 87, 164)", "rgb(204, 116, 38)"]


def test_a_name_that_is_read_from_right_to_left_turns_nothing_around(open_page, tmp_path):
    program = "משקל = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = משקל * משקל * 2.0\ntape.gradient(y, משקל)"
    film = inspected(f"import minigrad as mg\nmg.trace(True)\n{program}\ninspector = mg.inspect(tape)")
    page = open_page(saved(film, tmp_path))
    places = page.locator(f"{ROOT} div.head, {ROOT} .code:has(bdi)").evaluate_all(BESIDE_NAMES)
    assert len(places) == 2 and all(len(some) > 1 and some == sorted(some) for some in places), "in the order in which they are written"
    assert "\u2068משקל\u2069 4 B" in page.locator(f"{ROOT} .block text").all_text_contents()
    assert page.locator(f"{ROOT} .code:has(bdi)").inner_text().count("משקל * משקל * 2.0") == 1, "what is copied has no further characters"
    assert "dy/\u2068dמשקל\u2069 = 12.0" in film.to_svg()


BESIDE_NAMES = """all => all.map((one) => {
    const line = [...one.querySelectorAll("*")].findLast((e) => [...e.children].some((child) => child.localName === "bdi"));
    return [...line.childNodes].filter((node) => node.textContent).map((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect().left;
    });
})"""


def test_the_path_of_a_weight_is_broken_after_a_slash_and_not_within_a_word(open_page, tmp_path):
    layers = 'layers = [mg.keras.Sequential([mg.keras.layers.Dense(2, name=f"inner_{k}")], name=f"outer_{k}") for k in range(5)]'
    block = "with mg.GradientTape() as tape:\n    for layer in layers:\n        x = layer(x)\n    y = mg.reduce_sum(x)"
    asked = "tape.gradient(y, [w for layer in layers for w in layer.trainable_variables])"
    program = f"import minigrad as mg\nmg.trace(True)\n{layers}\nx = mg.ones((1, 2))\n{block}\n{asked}\ninspector = mg.inspect(tape)"
    page = open_page(saved(inspected(program), tmp_path))
    for width in (390, 900, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        lines = page.locator(f"{ROOT} .answers .name").evaluate_all(LINES_OF_PARTS)
        assert len(lines) == 10 and all(len(some) >= 2 and {*some} == {1} for some in lines), (width, lines)


LINES_OF_PARTS = """all => all.map((one) => [...one.childNodes].filter((node) => node.textContent).map((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
}))"""


def test_what_is_not_finite_is_striped_in_the_overview_and_a_number_alone_is_a_dash(open_page, tmp_path):
    program = "x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = x\n    for k in range(12):\n        y = y * y + 1.0\ntape.gradient(y, x)"
    page = open_page(saved(inspected(f"import minigrad as mg\nmg.trace(True)\n{program}\ninspector = mg.inspect(tape)"), tmp_path))
    stripes = page.locator(f"{ROOT} .curve .bad").evaluate_all("all => all.map(one => (one.getAttribute('d').match(/M/g) || []).length)")
    assert sum(stripes) == 5 + 11
    assert re.fullmatch(r"M[\d. ]+m-3 0h6", page.locator(f"{ROOT} .curve.orange .line").get_attribute("d")), (
        "only 1 came to the last iteration"
    )
    amounts = page.locator(f"{ROOT} .curve.blue .amount").evaluate_all(
        "all => all.map(one => [one.textContent, getComputedStyle(one).fill])"
    )
    assert amounts[:3] == [[number, "rgb(11, 87, 164)"] for number in ("2.0", "5.0", "26.0")]


def test_the_axis_of_many_ops_can_be_magnified(open_page, long_film):
    page = open_page(long_film)
    page.locator(ROOT).focus()
    first = page.locator(f"{ROOT} .overview").evaluate(
        "e => [...e.querySelectorAll('text')].map(t => t.textContent).find(t => / of 500[0-9]/.test(t))"
    )
    assert re.match(r"units 1 to (500\d) of \1, \d on each pixel", first)
    for key in ("+", "+"):
        page.keyboard.press(key)
    texts = page.locator(f"{ROOT} .overview text").all_text_contents()
    shown = next(found for text in texts if (found := re.fullmatch(r"units (\d+) to (\d+) of 500\d", text)))
    assert int(shown[2]) - int(shown[1]) == 49 and int(shown[1]) <= 2501 <= int(shown[2]), "the open one is among them"
    page.keyboard.press("]")
    box = page.locator(f"{ROOT} .overview").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 14, box["y"] + 40)
    assert page.locator(f"{ROOT} .overview text.b").last.text_content().startswith(f"iteration {int(shown[2]) - 1} "), "one is before them"
    for tick in page.locator(f"{ROOT} .overview text.m").all():
        if tick.text_content().isdigit() and int(tick.text_content()) > 2000:
            page.mouse.click(tick.bounding_box()["x"] + tick.bounding_box()["width"] / 2, box["y"] + 40)
            assert page.locator(f"{ROOT} .overview text.b").last.text_content().startswith(f"iteration {tick.text_content()} ")
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert first in page.locator(f"{ROOT} .overview text").all_text_contents()


def test_an_outer_loop_is_named_below_the_axis_and_above_the_funnel(open_page, tmp_path):
    page = shown_scene(open_page, tmp_path, "blocks")
    boxes = [
        one.bounding_box() for one in page.locator(f"{ROOT} .overview text").filter(has_text=re.compile("^iteration [1-8] of 8$")).all()
    ]
    funnel = page.locator(f"{ROOT} .overview .funnel").bounding_box()
    assert len(boxes) == 8 and all(box["y"] + box["height"] <= funnel["y"] + 2 for box in boxes)


def test_columns_have_names_that_tell_value_and_gradient(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path))
    names = page.locator(f"{ROOT} .film .frame").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert names[:2] == ["source x, value 3.0, gradient 0.5332", "op \u00d7, y, value 9.0, gradient 0.08887"]


def contrast(first, second):
    light = []
    for colour in (first, second):
        parts = [int(one) / 255 for one in re.findall(r"\d+", colour)[:3]]
        parts = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
        light.append(0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2])
    return (max(light) + 0.05) / (min(light) + 0.05)


def shown_scene(open_page, tmp_path, scene, **options):
    program = f"import minigrad as mg\nmg.trace(True)\n{SCENES[scene]}\ninspector = mg.inspect(tape)\n"
    return open_page(saved(inspected(program), tmp_path), **options)


@pytest.mark.parametrize("scene", ["layers", "network", "partial"])
def test_a_film_is_printed_on_one_page_and_in_light_colours(open_page, tmp_path, scene):
    page = shown_scene(open_page, tmp_path, scene, color_scheme="dark")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 1
    page.emulate_media(media="print", color_scheme="dark")
    ground = page.locator(ROOT).evaluate("root => getComputedStyle(root).backgroundColor")
    assert ground == "rgb(255, 255, 255)" and not page.locator(f"{ROOT} .buttons").is_visible()
    width = page.locator(ROOT).bounding_box()["width"]
    assert page.locator(f"{ROOT} .scrubber").bounding_box()["width"] > 0.7 * width and page.evaluate(BOXES) == []


def test_nothing_moves_by_itself_where_motion_is_not_wanted(open_page, tmp_path):
    page = shown_scene(open_page, tmp_path, "square", reduced_motion="reduce")
    page.locator(ROOT).press("Space")
    page.locator(f"{ROOT} button[aria-label^='pause']").wait_for()
    assert page.evaluate("document.getAnimations().length") == 0


def test_with_forced_colours_what_has_the_focus_and_what_is_pressed_is_seen(open_page, tmp_path):
    page = shown_scene(open_page, tmp_path, "partial", forced_colors="active")
    style = "(e, what) => getComputedStyle(e)[what]"
    page.locator(ROOT).focus()
    page.keyboard.press("p")
    assert page.locator(ROOT).evaluate(style, "outlineStyle") == "solid"
    pressed, other = (
        page.locator(f"{ROOT} button[{one}]").first.evaluate(style, "backgroundColor") for one in ("aria-pressed=true", "class=play")
    )
    assert pressed != other
    page.keyboard.press("p")
    boxes = page.locator(f"{ROOT} .frame.op .box").evaluate_all("all => all.map(e => getComputedStyle(e).stroke)")
    assert boxes and "none" not in boxes, "grounds have no colour of their own there"


@pytest.mark.variants
@pytest.mark.parametrize(("theme", "forced"), [("light", "none"), ("dark", "none"), ("light", "active"), ("dark", "active")])
def test_every_text_can_be_read(open_page, tmp_path, theme, forced):
    program = PROGRAM.replace("x * x", "x * x.numpy()")
    page = open_page(saved(inspected(program), tmp_path), color_scheme=theme, forced_colors=forced)
    ground = page.locator(ROOT).evaluate("root => getComputedStyle(root).backgroundColor")
    found = page.locator(ROOT).evaluate(
        "root => [...root.querySelectorAll('text, p, span, dd, b')].map(e => getComputedStyle(e)[e.tagName === 'text' ? 'fill' : 'color'])"
    )
    assert len(found) > 30 and min(contrast(one, ground) for one in {*found} - {ground}) >= 4.5


@pytest.fixture(scope="module")
def long_film(tmp_path_factory):
    loop = PROGRAM.replace("    y = x * x\n", "    y = x * x\n    for i in range(5000):\n        y = mg.sin(y)\n        y = y * 1.01\n")
    return saved(inspected(loop), tmp_path_factory.mktemp("long"))


def best(measure, good, times=4):
    """The first measurement that is good enough, for a machine that may be busy; else the last."""
    found = [measure()]
    while not good(found[-1]) and len(found) < times:
        found.append(measure())
    return found[-1]


def clock_of(page):
    """Tells how many seconds the page itself has worked, whatever else the machine does."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return lambda: {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}["TaskDuration"]


def test_10001_ops_are_drawn_within_a_second(open_page, long_film):
    def first_paint():
        page = open_page("about:blank")
        used = clock_of(page)
        page.goto(long_film)
        page.wait_for_selector(f"{ROOT} .film .frame", state="attached")
        page.evaluate("new Promise(requestAnimationFrame)")
        return used()

    assert 0 < best(first_paint, lambda took: took < 0.5) < 1


def test_10001_ops_step_at_thirty_frames_a_second(open_page, long_film):
    page = open_page(long_film)
    page.locator(ROOT).focus()
    page.keyboard.press("b")
    used = clock_of(page)
    steps = """async (count) => {
        for (let k = 0; k < count; k++) {
            document.querySelector(".mg-inspector").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
            await new Promise(requestAnimationFrame);
        }
    }"""

    def rate(count=40):
        start = used()
        page.evaluate(steps, count)
        return count / (used() - start)

    assert best(rate, lambda rate: rate >= 30) >= 30


@pytest.mark.parametrize(("width", "size"), [(360, 13), (640, 13), (960, 13), (1600, 13 * 1600 / 1280)])
def test_inspector_fills_its_container_and_grows_with_it(open_page, tmp_path, width, size):
    page = open_page(saved(inspected(PROGRAM), tmp_path), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(ROOT).evaluate("root => parseFloat(getComputedStyle(root).fontSize)") == pytest.approx(size, abs=0.3)


def asked_of(made, block, asked="tape.gradient(y, x)", more=""):
    lines = "\n".join(f"    {line}" for line in block.split("\n"))
    return inspected(
        f"import minigrad as mg\nmg.trace(True)\n{made}\nwith mg.GradientTape() as tape:\n{lines}\n{asked}\ninspector = mg.inspect(tape{more})"
    )


@pytest.mark.variants
@pytest.mark.parametrize(
    ("made", "block", "given", "said"),
    [
        ("0.0", "y = mg.sqrt(x)", "inf", "Right. dy/dx = inf."),
        ("0.0", "y = mg.sqrt(x)", "-inf", "Not so. dy/dx = inf."),
        ("[0.0, 0.0]", "y = mg.norm(x)", "nan NaN", "Right. dy/dx = [nan nan]."),
        ("[0.0, 0.0]", "y = mg.norm(x)", "nan", "Right. dy/dx = [nan nan]."),
        ("[1.0, 2.0]", "y = x * 1.0", "1", "Right. dy/dx = [1.0 1.0]."),
        ("mg.zeros(9)", "y = mg.reduce_sum(mg.sqrt(x))", "Infinity", "Right. norm of dy/dx = inf."),
        ("mg.zeros(9)", "y = mg.norm(x)", "nan", "Right. norm of dy/dx = nan."),
        ("mg.ones(9)", "y = mg.reduce_sum(x * 1e-8)", "3e-8", "Right. norm of dy/dx = 3.0\u00b710\u207b\u2078."),
        ("0.5", "y = x * x * 0.5", ".5", "Right. dy/dx = 0.5."),
    ],
)
def test_a_prediction_may_be_any_number(open_page, tmp_path, made, block, given, said):
    page = open_page(saved(asked_of(f"x = mg.Variable({made})", block, more=", predict=True"), tmp_path))
    page.locator(ROOT).press("b")
    page.locator(f"{ROOT} .form input").fill(given)
    page.locator(f"{ROOT} .form input").press("Enter")
    page.locator(f"{ROOT} .say", has_text=re.compile("^(Right|Not so)")).wait_for()
    assert page.locator(f"{ROOT} .say").inner_text() == said


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ("['inf'] * 9", "(9,) float32 9 inf"),
        ("['inf', '-inf', 'nan', 0, 0, 1]", "(6,) float32 1 nan, 1 inf, 1 -inf, of the finite ones norm 1.0, from 0.0 to 1.0"),
        ("[3, 4, 0, 0, 0]", "(5,) float32 norm 5.0, from 0.0 to 4.0, 60 % zeros"),
        ("[3, 4, 0, 0, 1]", "(5,) float32 norm 5.099, from 0.0 to 4.0, 40 % zeros"),
        ("['inf', 1]", "(2,) float32 1 inf, of the finite ones norm 1.0, from 1.0 to 1.0"),
    ],
)
def test_of_what_is_not_finite_no_norm_is_told(open_page, tmp_path, numbers, said):
    made = f"x = mg.Variable([float(one) for one in {numbers}])"
    page = open_page(saved(asked_of(made, "y = x * 1.0"), tmp_path))
    page.locator(f"{ROOT} .frame.source").click()
    assert page.locator(f"{ROOT} .facts dd").first.inner_text() == said


def test_where_a_backward_pass_raised_the_film_is_torn_and_no_source_has_an_answer(open_page, tmp_path):
    function = "@mg.custom_gradient\ndef f(v):\n    def grad(dy): raise ValueError('no idea')\n    return v * 2.0, grad"
    asked = "try: tape.gradient(y, x)\nexcept ValueError: pass"
    page = open_page(saved(asked_of(f"{function}\nx = mg.Variable([1.0, 2.0])", "y = mg.reduce_sum(f(x) * x)", asked), tmp_path))
    raised = page.locator(f"{ROOT} .frame.raised")
    assert raised.get_attribute("aria-label") == "op custom, value [2.0 4.0], gradient [1.0 2.0], raised"
    assert [one.is_visible() for one in page.locator(f"{ROOT} .torn").all()] == [True]
    assert page.locator(f"{ROOT} .frame.source").get_attribute("aria-label") == "source x, value [1.0 2.0], gradient incomplete"
    assert "None" not in page.locator(f"{ROOT} .pane").inner_text()
    raised.click()
    assert page.locator(f"{ROOT} .pane .crimson").inner_text() == "ValueError: no idea"
    page.locator(ROOT).focus()
    pressed(page, "ArrowLeft", "ArrowLeft")
    assert page.locator(f"{ROOT} .frame.raised").count() == 0
    assert page.locator(f"{ROOT} .frame.source").get_attribute("aria-label") == "source x, value [1.0 2.0], gradient [2.0 4.0]"


WITHIN = """\
v = x * 1.0
for k in range(4):
    with mg.GradientTape() as inner:
        inner.watch(v)
        f = v**4 - 3.0 * v
    v = v - 0.05 * inner.gradient(f, v)
y = v * 1.0"""


def test_the_turn_stands_where_the_backward_pass_of_the_step_begins(open_page, tmp_path):
    page = open_page(saved(asked_of("x = mg.Variable(1.0)", WITHIN), tmp_path))
    bow = page.locator(f"{ROOT} .film .turn")
    assert page.locator(f"{ROOT} .overview").text_content().count("iteration 3 of 4") == 1
    assert bow.locator("text").all_text_contents() == ["goes on", "comes back"]
    page.locator(ROOT).focus()
    while page.locator(f"{ROOT} .turn.now").count() == 0 or "iteration 3 of 4" not in page.locator(f"{ROOT} .overview").text_content():
        pressed(page, "ArrowLeft")
    assert bow.locator("text").all_text_contents() == ["from f", "seed 1.0"], "the inner tape was asked in it"


def test_arcs_from_different_outputs_of_an_op_have_labels_of_their_own(open_page, tmp_path):
    page = open_page(saved(asked_of("x = mg.Variable([1.0, 2.0])", "a, b = mg.unstack(x)\ny = a * b"), tmp_path))
    assert sorted(page.locator(f"{ROOT} .film .amount").all_text_contents()) == ["1.0 to [1]", "2.0 to [0]"]


def test_a_film_that_asks_does_not_say_what_the_tape_keeps(open_page, tmp_path):
    page = open_page(saved(asked_of("x = mg.Variable(2.0)", "y = x * x * float(x)", more=", predict=True"), tmp_path))
    root, told = page.locator(ROOT), page.locator(f"{ROOT} .control, {ROOT} .pane")
    pressed(page, "Tab") and root.press("b")
    page.locator(f"{ROOT} .frame.op").first.click()
    assert not any("keeps" in one.inner_text() for one in told.all())
    assert "keeps" not in page.locator(f"{ROOT} .scrubber").get_attribute("aria-valuetext")
    assert not any(one.is_visible() for one in page.locator(f"{ROOT} .block, {ROOT} p.kept").all())
    root.press("p")
    page.locator(f"{ROOT} .frame.op").first.click()
    assert page.locator(f"{ROOT} p.kept").is_visible() and "the tape keeps" in page.locator(f"{ROOT} .pane").inner_text()


def test_an_iteration_of_very_many_says_of_how_many(open_page, tmp_path):
    page = open_page(saved(inspected(LOOP.replace("mg.inspect", "print(y * 1.0) or mg.inspect")), tmp_path))
    assert page.locator(f"{ROOT} .overview text.b").last.text_content().startswith("iteration 1501 of 3000 ")
    assert re.search(r"units 1 to 3\d\d\d of 3", page.locator(f"{ROOT} .overview").text_content())


def test_each_mark_on_a_wire_has_room_and_each_kind_of_wire_is_in_the_legend(open_page, tmp_path):
    block = "a = c * c\ntape.watch(c)\nb = c * a\nwith tape.stop_recording(): d = x * x\ny = b + d + mg.stop_gradient(x) * x + x + mg.constant(1.0)"
    made = 'x, c = mg.Variable(3.0, name="x"), mg.constant(2.0)'
    page = open_page(saved(asked_of(made, block, "tape.gradient(y, [x, c])"), tmp_path), width=900)
    boxes = [one.bounding_box() for one in page.locator(f"{ROOT} .film .mark").all() if one.is_visible()]
    assert len(boxes) >= 8
    for a, b in itertools.combinations(boxes, 2):
        assert math.hypot(a["x"] + a["width"] / 2 - b["x"] - b["width"] / 2, a["y"] + a["height"] / 2 - b["y"] - b["height"] / 2) > 13
    legend = page.locator(f"{ROOT} .legend").inner_text()
    assert "no gradient comes back" in legend and "data goes in" in legend


def test_what_a_film_leaves_out_is_said_at_its_end_too(open_page, tmp_path):
    page = open_page(saved(asked_of("x = [mg.Variable(1.0) for k in range(30)]", "y = mg.add_n(x)"), tmp_path))
    assert "Of an op with 30 inputs the film shows 24." in page.locator(f"{ROOT} .pane").inner_text()


MANY_NUMBERS = """
h = x
for k in range(9):
    h = mg.sin(h * 0.123456 + x) * 7.25 - h / 3.5 + 0.75 * h - mg.square(h) * 0.5
    h = mg.tanh(h * 12.5 - 0.0625) + mg.abs(h) ** 2.125"""


@pytest.mark.parametrize(("width", "words", "sign"), [(900, [], "\u00d7"), (1280, ["goes on", "comes back"], "0.75 \u00d7")])
def test_a_strip_leaves_words_out_before_it_is_wider_than_its_page_and_cuts_no_number(open_page, tmp_path, width, words, sign):
    page = open_page(saved(asked_of("x = mg.Variable(0.5)", MANY_NUMBERS.strip(), "tape.gradient(h, x)"), tmp_path), width=width)
    strip = page.locator(f"{ROOT} .strip")
    assert strip.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 1
    assert page.locator(f"{ROOT} .onward text").all_text_contents() == words
    signs = page.locator(f"{ROOT} .frame .sign").evaluate_all("(all) => all.map((one) => one.firstChild.data)")
    assert sign in signs and not any(re.search(r"\d…|…$", one) for one in signs), signs


READ_THREE_TIMES = """\
import minigrad as mg
mg.trace(True)
x = mg.Variable(1.0, name="x")
with mg.GradientTape(persistent=True) as tape:
    a = x * 1.0
    big = a * 30.0
    small = a * 2.0
    root = mg.sqrt(a - 1.0)
first = tape.gradient(root, x)
second = tape.gradient(big, x)
third = tape.gradient(small, [x, a])
inspector = mg.inspect(tape)"""


def test_each_reading_has_its_own_widths_colours_numbers_and_answers(open_page, tmp_path):
    inspector, seen = inspected(READ_THREE_TIMES), []
    for reading in inspector.plain["readings"]:
        page = open_page(f"{saved(inspector, tmp_path)}#step={reading['end'] + 1}")
        ribbon = page.locator(f"{ROOT} .ribbon").first
        numbers = page.evaluate(
            "[...document.querySelectorAll('.amount')].filter((e) => getComputedStyle(e).visibility === 'visible').map((e) => e.textContent)"
        )
        told = page.locator(f"{ROOT} .answers").inner_text().split() if page.locator(f"{ROOT} .answers").count() else []
        seen.append((numbers, ribbon.get_attribute("class"), float(ribbon.locator(".band").get_attribute("stroke-width")), told))
    (_, odd, _, _), (large, second, wide, at_second), (small, third, narrow, _) = seen
    assert "30.0" in large and "30.0" not in small and "2.0" in small
    assert wide == 13.0 and narrow == pytest.approx(13.0 * 2 / 30, abs=0.4), "as wide as the gradient, but never less than 1.2"
    assert "bad" in odd and "bad" not in second + third
    assert at_second == ["x", "30.0", "a", "not", "asked", "here"]


@pytest.mark.parametrize(
    ("made", "curves"), [("mg.sigmoid(x)", 1), ("mg.nn.relu(x)", 1), ("mg.cumsum(x)", 0), ("mg.reverse(x, axis=[0])", 0)]
)
def test_only_a_function_of_each_element_alone_has_a_tangent(open_page, tmp_path, made, curves):
    block = f"x = mg.linspace(-3.0, 3.0, 61)\nwith mg.GradientTape() as tape:\n    tape.watch(x)\n    y = {made}\ng = tape.gradient(y, x)"
    page = open_page(saved(inspected(f"import minigrad as mg\nmg.trace(True)\n{block}\ninspector = mg.inspect(tape)"), tmp_path))
    page.wait_for_selector(f"{ROOT} .film .frame")
    assert page.locator(f"{ROOT} .curves").count() == curves


def test_the_sheet_of_keys_comes_into_sight_where_the_film_is_tall(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path), width=360, height=500)
    page.focus(ROOT)
    page.keyboard.press("?")
    box = page.locator(f"{ROOT} .sheet").bounding_box()
    assert box["y"] >= -1 and box["y"] + min(box["height"], 500) <= 502
