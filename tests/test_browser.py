"""The inspector as a learner meets it: in JupyterLab in a real browser, and as a saved page opened from disk.

Chromium comes from the system (Debian: `apt-get install chromium`); without it these tests fail, they are not skipped.
"""

import http.server
import json
import linecache
import re
import sys
import threading

import pytest
from lab import TOKEN, new_page, run_all, serving

import minigrad as mg
from minigrad.inspector.html import FRONT

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


def test_click_and_keys_reach_python_and_python_moves_the_film(film):
    page, root = film, film.locator(ROOT)
    page.wait_for_selector(f"{ROOT} .frame.written.now[data-frame='1']")  # the last cell has moved it
    before = asked(page, "")
    assert before == "now 1 f1"

    root.locator(".node[data-id=f0]").click()
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


def test_a_turn_that_was_folded_away_comes_from_python_when_it_is_looked_at(browser, lab):
    page = run_notebook(browser, lab, "loop.ipynb", LOOP, "inspector.step = 1233")
    page.locator(f"{ROOT} .pane").get_by_text("1234.5").first.wait_for()
    assert page.trouble == []
    page.context.close()


def test_keys_do_not_leak_into_jupyterlab_and_tab_and_escape_leave(film):
    page, root, cells = film, film.locator(ROOT), film.locator(".jp-Notebook .jp-Cell")
    count = cells.count()
    root.focus()
    for key in [*"abxddmwf00[]?", "Escape", "/", *"si", "Enter", "Escape", "Shift+ArrowLeft", "ArrowUp", "Space", "Space", "Home"]:
        page.keyboard.press(key)
    assert cells.count() == count
    assert page.locator(".jp-Dialog").count() == 0
    assert root.evaluate("root => root.contains(document.activeElement)")

    where = """() => {
        const at = document.activeElement, pane = at.closest(".films, .scrubber, .code, .graph, .pane");
        return !at.closest(".mg-inspector") ? "outside" : pane ? pane.getAttribute("class").split(" ")[0] : "other";
    }"""
    stops = []
    for _ in range(14):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(where))
    panes = [stop for stop in dict.fromkeys(stops) if stop != "other"]
    assert panes == ["films", "scrubber", "code", "graph", "pane", "outside"]

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
    assert page.locator(f"{ROOT} .films .written.now").count() == 1
    page.keyboard.press("b")
    assert page.locator(f"{ROOT} .turn.now").count() == 1
    page.keyboard.press("ArrowRight")
    assert page.locator(f"{ROOT} .films .read.now").count() == 1
    page.keyboard.press("ArrowUp")
    assert page.locator(f"{ROOT} .films .written.now").count() == 1
    page.keyboard.press("ArrowDown")
    assert page.locator(f"{ROOT} .films .read.now").count() == 1
    page.keyboard.press("End")
    assert "?" not in question.inner_text()
    assert page.trouble == []


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

    def drawn():
        return root.locator(".films").inner_html()

    root.focus()
    assert press("Home") == 0
    assert [press("ArrowRight"), press("ArrowRight"), press("ArrowLeft")] == [1, 2, 1]
    assert press("End") == int(scrubber.get_attribute("aria-valuemax"))

    press("Home")
    press("ArrowRight")
    line = root.locator(".lines .current .text")
    assert line.inner_text().strip() == "y = x * x"
    press("Shift+ArrowRight")
    assert line.inner_text().strip() == "y = mg.sin(y)"
    after_loop = press("Shift+ArrowRight")
    assert line.inner_text().strip() == "z = y * float(x)"
    assert press("Shift+ArrowLeft") < after_loop
    assert line.inner_text().strip() == "y = mg.sin(y)"

    second = press("b")
    assert root.locator(".turn.now").count() == 1
    first = press("[")
    assert first < second
    assert root.locator(".turn.now").count() == 1
    assert press("]") == second
    assert press("]") > second

    press("b"), press("ArrowRight")
    read = int(scrubber.get_attribute("aria-valuenow"))
    written = press("ArrowUp")
    assert written < first
    assert root.locator(".films .written.now").count() == 1
    assert press("ArrowDown") in (read, first + 1)
    assert root.locator(".films .read.now").count() == 1

    press("Home")
    press("Space")
    root.locator("button[aria-label^='Pause'], button[title^='Space: pause']").first.wait_for()
    page.wait_for_function("root => +root.querySelector('.scrubber').getAttribute('aria-valuenow') > 0", arg=root.element_handle())
    still = press("Space")
    page.wait_for_timeout(1600)  # two steps of the play
    assert int(scrubber.get_attribute("aria-valuenow")) == still

    press("Home")
    press("Shift+ArrowRight")
    press("Shift+ArrowRight")
    folded = drawn()
    press("f")
    assert drawn() != folded
    press("f")
    assert drawn() == folded
    press("f"), press("0")
    assert drawn() == folded

    press("w")
    assert root.locator(".pane").inner_text().startswith("Cut")

    page.keyboard.press("/")
    page.keyboard.type("float")
    assert "1 of 2" in root.inner_text()
    press("Enter")
    assert "2 of 2" in root.inner_text()
    assert line.inner_text().strip() == "z = y * float(x)"
    page.keyboard.press("Escape")
    assert not root.locator("input[type=search]").is_visible()

    page.keyboard.press("?")
    assert root.locator(".sheet").is_visible()
    page.keyboard.press("Escape")
    assert not root.locator(".sheet").is_visible()
    page.keyboard.press("Escape")
    assert not root.evaluate("root => root.contains(document.activeElement)")
    assert page.trouble == []


def test_clicks_on_film_graph_code_and_scrubber_move_one_cursor(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM), tmp_path))
    root = page.locator(ROOT)
    root.locator(".films .written[data-frame='1']").click()
    assert root.locator(".pane .title b").first.inner_text() == "sin"
    assert root.locator(".lines .current .text").inner_text().strip() == "z = mg.sin(y) + y"
    root.locator(".node[data-id=f0]").click()
    assert root.locator(".pane .title b").first.inner_text() == "multiply"
    scrubber = root.locator(".scrubber")
    box = scrubber.bounding_box()
    page.mouse.click(box["x"] + 12, box["y"] + 40)
    assert scrubber.get_attribute("aria-valuenow") == "0"
    assert "Nothing has run" in scrubber.get_attribute("aria-valuetext")


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
    page.locator(f"{ROOT} .node.source-node").click()
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


def test_contributions_are_not_summed_up_where_some_are_folded_away(open_page, tmp_path):
    with mg.trace():
        x = mg.Variable(0.5)
        with mg.GradientTape() as tape:
            y = x
            for _ in range(100):
                y = mg.sin(y) + x
                y = y * 1.01
        tape.gradient(y, x)
        mg.inspect(tape).save_html(tmp_path / "folded.html")
    page = open_page((tmp_path / "folded.html").as_uri())
    page.wait_for_selector(f"{ROOT} .film .frame")
    said = page.locator(f"{ROOT} .pane").inner_text()
    assert "folded turns" in said
    assert "add up:" not in said


def test_cut_is_drawn_with_scissors_and_fix(open_page, tmp_path):
    page = open_page(saved(inspected(PROGRAM.replace("y = x * x", "y = x * x.numpy()")), tmp_path))
    page.locator(ROOT).focus()
    page.keyboard.press("w")
    assert page.locator(f"{ROOT} .films .cut .mark.cut").count() == 1
    assert page.locator(f"{ROOT} .films .frame.ghost").count() == 1
    assert page.locator(f"{ROOT} .torn").count() == 2


BRANCH = """\
import minigrad as mg
mg.trace(True)
z = mg.Variable([0.0, 2.0], name="z")
with mg.GradientTape() as tape:
    y = mg.where(z > 0.0, mg.math.log(z), 0.0)
g = tape.gradient(y, z)
inspector = mg.inspect(tape)
"""


def test_inf_is_shown_as_inf_with_one_triangle(open_page, tmp_path):
    page = open_page(saved(inspected(BRANCH), tmp_path))
    root = page.locator(ROOT)
    root.focus()
    page.keyboard.press("w")
    value = root.locator(".pane dd").first
    assert value.inner_text().split("(")[0].strip() == "[-inf 0.6931]"
    assert value.locator(".mark.nan").count() == 1
    boxes = root.locator(".pane .equation .box")
    assert [boxes.nth(k).locator("svg text").all_text_contents() for k in range(3)] == [[], ["inf"], ["nan"]]
    assert [boxes.nth(k).locator(".mark.nan").count() for k in range(3)] == [0, 1, 1]
    assert boxes.nth(1).locator("title").text_content() == "[inf 0.5]"
    log = root.locator(".films .written[data-frame='1']")
    assert "= [-inf 0.6931]" in log.locator("text").all_text_contents()
    assert log.locator(".mark.nan").count() == 1
    assert log.locator(".picture").count() == 0
    assert "-inf" in root.locator(".node[data-id=f1] .value-above text").all_text_contents()
    page.keyboard.press("End")
    assert root.locator(".pane .answer-row .large").inner_text().strip() == "[nan 0.5]"
    assert page.trouble == []


def test_triangle_beside_the_node_of_the_cursor_is_seen(open_page, tmp_path):
    page = open_page(saved(inspected(BRANCH), tmp_path))
    page.locator(ROOT).focus()
    page.keyboard.press("w")
    beside = page.locator(f"{ROOT} .node.now .value-above .mark.nan")
    legend = page.locator(f"{ROOT} .legend .mark.nan")
    assert beside.evaluate("mark => getComputedStyle(mark).color") == legend.evaluate("mark => getComputedStyle(mark).color")


def test_inf_in_a_longer_vector_is_named_and_drawn_as_a_cross(open_page, tmp_path):
    page = open_page(saved(inspected(BRANCH.replace("[0.0, 2.0]", "[1.0, 2.0, 3.0, 4.0, 0.0]")), tmp_path))
    page.locator(ROOT).focus()
    page.keyboard.press("w")
    assert page.locator(f"{ROOT} .pane dd").first.inner_text().split() == ["-inf", "(5,)", "float32"]
    assert page.locator(f"{ROOT} .films .written[data-frame='1'] .picture .crosses").count() == 1


def test_squares_of_a_short_vector_are_large(open_page, tmp_path):
    page = open_page(saved(inspected(BRANCH), tmp_path))
    sides = page.locator(f"{ROOT} .films .written .picture .filled").evaluate_all("all => all.map(one => one.getBBox().width)")
    assert len(sides) == 1 and sides[0] > 16


NARROW = """\
import minigrad as mg
mg.trace(True)
x = mg.Variable(2.0, name="x")
with mg.GradientTape() as tape:
    y = mg.where(True, mg.sin(x * x.numpy() + x) * x, 1.0)
g = tape.gradient(y, x)
inspector = mg.inspect(tape, y, x)"""


@pytest.mark.parametrize("width", [468, 600, 640, 700])
def test_names_of_ops_are_whole_in_narrow_frames(open_page, tmp_path, width):
    page = open_page(saved(inspected(NARROW), tmp_path), width=width)
    page.wait_for_selector(f"{ROOT} .film .frame")
    names = page.locator(f"{ROOT} .film .frame text").all_text_contents()
    assert "numpy" in names
    assert "where" in names
    assert not [name for name in names if name.endswith("…") and name[0].isalpha()]


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
    said = page.locator(f"{ROOT} header .say").inner_text()
    told, _, fix = said.partition("Fix: ")
    assert ("np.mean(x)" in told) == ("reduce_mean" in fix)
    assert ("float(size)" in told) == ("number = size" in fix)
    assert fix


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
    assert page.locator(f"{ROOT} .film .frame .mark.zero").count() == 0
    assert "2 contributions add up" in page.locator(f"{ROOT} .pane").inner_text()


def test_stale_tape_has_a_warning_and_says_which_reading_is_which(open_page, tmp_path):
    program = PROGRAM.replace("Tape()", "Tape(persistent=True)").replace(
        "inspector = mg", "x.assign(2.0)\nh = tape.gradient(z, x)\ninspector = mg"
    )
    page = open_page(saved(inspected(program), tmp_path))
    root = page.locator(ROOT)
    assert root.locator(".mark-slot .mark.stale path").count() == 2
    assert root.locator(".mark.complete").count() == 0
    assert root.locator(".say").inner_text().startswith("Stale. x was assigned after this tape read it.")
    said = [text.split("\n")[0] for text in root.locator(".answer-row .said").all_inner_texts()]
    assert said == ["reading 2, line 9", "reading 1, line 7"]


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
        page.wait_for_selector(f"{ROOT} .film .spot", state="attached")
        page.evaluate("new Promise(requestAnimationFrame)")
        return used()

    assert 0 < best(first_paint, lambda took: took < 1) < 1


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


@pytest.mark.parametrize(("width", "size"), [(360, 13), (640, 13), (960, 13), (1600, 13 * 1600 / 1104)])
def test_inspector_fills_its_container_and_grows_with_it(open_page, tmp_path, width, size):
    page = open_page(saved(inspected(PROGRAM), tmp_path), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(ROOT).evaluate("root => parseFloat(getComputedStyle(root).fontSize)") == pytest.approx(size, abs=0.3)
