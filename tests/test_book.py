"""The book, made once: all that is here is in it, its links lead somewhere, its films live, and it asks nobody for anything."""

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
import zipfile
from pathlib import Path

import pytest
from lab import new_page

import minigrad as mg
from minigrad.classroom import contents, course
from minigrad.classroom.book import NEEDS

ROOT = Path(__file__).parent.parent
LESSONS = {path.stem: path for path in sorted((ROOT / "course").glob("[0-9][0-9]_*.ipynb"))}
KINDS = ["index", "lessons/00_start_here", "codes/LEFT_ENGINE", "reference/math", "reference/image", "reference/top/tape",
         "gallery", "glossary", "compare", "teachers/lesson_07", "search"]  # fmt: skip
INSPECTOR = ".mg-inspector"

missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"pip install 'minigrad[book]' brings {', '.join(missing)}")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the book. Making it fails where Sphinx warns: of a link that leads nowhere, for example."""
    out = tmp_path_factory.mktemp("book") / "html"
    done = subprocess.run([sys.executable, "-m", "minigrad", "book", "--out", out], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="module")
def pages(site):
    """The name of a page -> its HTML."""
    return {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}


def part(name):
    """A module of the book."""
    return course.module(f"book.{name}")


def cells(lesson):
    return json.loads(LESSONS[lesson].read_text("utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


def plain(text):
    """What a page says."""
    return html.unescape(re.sub(r"<[^>]+>", "", text))


# ---- all of it is there ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_has_its_films_its_predictions_and_its_solutions(pages, lesson):
    text, code = pages[f"lessons/{lesson}.html"], [cell for cell in cells(lesson) if cell["cell_type"] == "code"]
    films = [cell["id"] for cell in code if any("image/svg+xml" in output.get("data", {}) for output in cell["outputs"])]
    assert re.findall(r'data-film="(.+?)"', text) == [f"{lesson}-{name}" for name in films]
    asked = [found[1] for cell in code if (found := re.match(r'predict\("([\d.]+)"', source(cell)))]
    assert re.findall(r'class="prediction".*?data-exercise="([\d.]+)"', text) == asked
    checked = [found[1] for cell in code if (found := re.search(r'^check\("([\w.]+)"', source(cell), re.M))]
    assert re.findall(r"Stuck on ([\w.]+)\?", text) == checked
    assert text.count("A solution") >= len(checked)
    assert len(re.findall(r'<div class="cell_input', text)) == len(code) - len(asked)


def test_a_lesson_opens_on_binder_only_where_the_repository_is_known():
    lessons, path = part("lessons"), ROOT / "course" / "07_why_none.ipynb"
    there = "https://mybinder.org/v2/gh/somebody/minigrad/HEAD?urlpath=lab/tree/minigrad-course/07_why_none.ipynb"
    assert there in lessons.buttons(path, "https://github.com/somebody/minigrad")
    assert "binder" not in lessons.buttons(path, "") + lessons.buttons(path, "https://example.org/minigrad")


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda path: path.stem)
def test_what_is_downloaded_holds_all_that_is_shared(site, lesson):
    (packed,) = site.glob(f"_downloads/*/{lesson.stem}.zip")
    with zipfile.ZipFile(packed) as held:
        names = {name.partition("/")[2] for name in held.namelist()}
    assert names == {lesson.name, f"helpers/cards/lesson_{lesson.name[:2]}.py", "glossary.md",
                     *(name for name in contents.SHARED if name.startswith("helpers/"))}  # fmt: skip


def test_what_is_downloaded_runs_by_itself(site, tmp_path):
    (packed,) = site.glob("_downloads/*/02_the_tape.zip")
    shutil.unpack_archive(packed, tmp_path)
    program = "from helpers import check, solution; check('02.1', lambda radius: 1.0); solution('02.exit')"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MINIGRAD_PROGRESS": str(tmp_path / "progress.json")}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path / "minigrad-course", env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("02.1: not yet.") and (tmp_path / "minigrad-course" / "02_the_tape.ipynb").exists()


@pytest.mark.parametrize("code", mg.explain.codes())
def test_a_code_has_its_programs_its_film_and_what_is_said(pages, code):
    text = pages[f"codes/{code}.html"]
    assert f'data-film="{code}"' in text
    assert f"{code} (" in plain(text).partition("says:")[2], "explain names it"
    for program in (mg.explain.codes(code).broken, mg.explain.codes(code).fixed):
        assert program.replace("tf.", "mg.") in plain(text)


def test_every_public_name_has_an_entry_and_every_op_its_derivative(pages):
    reference = part("reference")
    anchors = {anchor: name for name, text in pages.items() for anchor in re.findall(r'id="(mg\.[\w.]+)"', text)}
    told, _ = reference.entries()
    entries = [entry for files in told.values() for found in files.values() for entry in found]
    assert len(entries) > 500
    assert [entry.name for entry in entries if entry.name not in anchors] == []
    known = {id(entry.thing) for entry in entries}
    for space in reference.namespaces():
        for name, thing in reference.members(space):
            assert not callable(thing) or id(thing) in known or isinstance(thing, mg.DType), f"{space}.{name}"
    words = {name: plain(text) for name, text in pages.items() if name in anchors.values()}
    for entry in entries:
        for line in entry.thing.math.values() if entry.op else ():
            assert line in words[anchors[entry.name]], entry.name


def test_what_differs_from_tensorflow_is_said_where_the_function_is(pages):
    differing = part("compare").differing()
    text = "".join(pages[name] for name in pages if name.startswith("reference/"))
    told, _ = part("reference").entries()
    names = {name for files in told.values() for found in files.values() for entry in found for name in (entry.name, *entry.others)}
    assert len(differing) > 20
    assert text.count("Differs from TensorFlow.") == len([one for one in differing if one[0] in names])


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_film_is_that_of_the_stored_lesson(site, lesson):
    films = part("films")
    shown = films.of_lesson(ROOT / "course" / f"{lesson}.ipynb")
    outputs = {cell["id"]: output["data"] for cell in cells(lesson) for output in cell.get("outputs", ()) if "data" in output}
    assert {cell: film.text.strip() for cell, film in shown.items()} == {cell: source_of(outputs[cell]) for cell in shown}


def source_of(data):
    return "".join(data["text/plain"]).strip()


# ---- links, and nothing from elsewhere -------------------------------------------------------------------------------


def test_every_link_inside_leads_to_a_page_and_a_place_on_it(site, pages):
    places = {name: set(re.findall(r'\sid="([^"]+)"', text)) for name, text in pages.items()}
    wrong, seen = [], 0
    for name, text in pages.items():
        for link in re.findall(r'(?:href|src)="([^"]*)"', re.sub(r"<script.*?</script>", "", text, flags=re.S)):
            address = urllib.parse.urlsplit(link.replace("&amp;", "&"))
            if address.scheme or not (address.path or address.fragment):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(address.path))) if address.path else name
            fragment, seen = urllib.parse.unquote(address.fragment), seen + 1
            if not (site / path).is_file() or (fragment and path in places and fragment not in places[path]):
                wrong.append(f"{name}: {link}")
    assert wrong == [] and seen > 10_000


def test_nothing_is_fetched_from_another_host_and_no_path_of_the_machine_is_told(site, pages):
    for name, text in pages.items():
        assert not re.findall(r"<(?:script|link|img|iframe|source)[^>]*(?:src|href)=[\"']?(?:https?:)?//[^>]*", text), name
    ours = [path for path in site.rglob("*") if path.suffix in (".html", ".js", ".svg", ".inv") or path.name == "searchindex.js"]
    told = [path.name for path in ours for place in (str(ROOT), "/tmp/", str(Path.home())) if place.encode() in path.read_bytes()]
    assert told == []


# ---- in a browser ------------------------------------------------------------------------------------------------------


@pytest.fixture
def open_page(browser, site):
    opened = []

    def go(name, **options):
        address = (site / f"{name.partition('#')[0]}.html").as_uri() + "#".join(["", *name.split("#")[1:]])
        opened.append(new_page(browser, address, offline=True, **options))
        return opened[-1]

    yield go
    for page in opened:
        assert page.trouble == []
        page.context.close()


def test_a_film_of_a_lesson_can_be_stepped_from_disk(open_page):
    page = open_page("lessons/00_start_here")
    page.locator(".prediction button").first.click()
    place = page.locator(".film-place").first
    place.scroll_into_view_if_needed()
    film = place.locator(INSPECTOR)
    film.wait_for()
    assert film.locator(".question").inner_text() == "dy/dx = 6.0"
    film.press("Home")
    assert film.locator(".question").inner_text() == "dy/dx = ?"
    film.locator("button[aria-label^='one step on']").click()
    assert film.locator(".scrubber").get_attribute("aria-valuenow") == "1"


def test_what_a_prediction_is_about_is_hidden_until_one_is_made(open_page):
    page = open_page("lessons/02_the_tape")
    box, answer = page.locator(".prediction").first, page.get_by_text("One. The four values are equal")
    assert not answer.is_visible() and page.get_by_role("heading", name="2 · Be the tape").is_visible()
    box.get_by_role("button", name="2", exact=True).click()
    assert answer.is_visible() and box.locator("output").inner_text() == "You predicted 2; the tape knew 1 line of 4."
    page.reload()
    assert answer.is_visible(), "it is kept"
    box.get_by_role("button", name="Choose again").click()
    assert not answer.is_visible()
    solution = page.locator("summary", has_text="A solution").first
    assert not solution.is_visible()


def test_a_link_to_a_hidden_film_uncovers_it(open_page):
    page = open_page("lessons/02_the_tape#film-02_the_tape-inspect-2")
    page.locator(f"#film-02_the_tape-inspect-2 {INSPECTOR}").wait_for()
    assert page.locator(".prediction.chosen").count() == 1


def test_without_javascript_all_can_be_read(open_page):
    page = open_page("lessons/02_the_tape", java_script_enabled=False)
    assert page.get_by_text("One. The four values are equal").is_visible()
    assert page.locator(".film-place img").first.get_attribute("alt").startswith("tape inspector")


def test_the_search_finds_an_op_offline(open_page):
    page = open_page("index")
    page.locator("input[name=q]").first.fill("batch_jacobian")
    page.locator("input[name=q]").first.press("Enter")
    page.locator("#search-results li a", has_text="batch_jacobian").first.wait_for()


def test_a_film_takes_the_theme_of_the_page(open_page):
    page = open_page("codes/LEFT_ENGINE", color_scheme="light")
    film = page.locator(INSPECTOR)
    film.wait_for()
    grounds = []
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.body.dataset.theme = theme; }", theme)
        grounds.append(film.evaluate("film => getComputedStyle(film).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(29, 31, 34)"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_fits_a_narrow_screen(open_page, kind):
    page = open_page(kind, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_paper_all_of_a_lesson_stands_and_nothing_else(open_page):
    page = open_page("lessons/02_the_tape")
    page.emulate_media(media="print")
    assert page.get_by_text("One. The four values are equal").is_visible()
    hidden = page.locator(".prediction, .sidebar-drawer, .toc-drawer, .mobile-header, details, a.download")
    assert [one.is_visible() for one in hidden.all()] == [False] * hidden.count()


EVERYTHING = """async () => {
    for (const button of document.querySelectorAll(".prediction .unsure")) button.click();
    for (let y = 0; y < document.documentElement.scrollHeight; y += 900) { scrollTo(0, y); await new Promise(requestAnimationFrame); }
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    await new Promise((done) => setTimeout(done, 500));
}"""


LIGHT = [(kind, "light") for kind in KINDS if kind not in ("gallery", "reference/math")]  # others have the same, and less of it
DARK = [(kind, "dark") for kind in ("index", "lessons/00_start_here", "codes/LEFT_ENGINE", "reference/image")]


@pytest.mark.variants
@pytest.mark.parametrize(("kind", "theme"), LIGHT + DARK)
def test_axe_finds_nothing(open_page, kind, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(kind, color_scheme=theme, reduced_motion="reduce")
    page.evaluate(EVERYTHING)
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] if theme == "light" else {"type": "rule", "values": ["color-contrast"]}
    found = axe.run(page, options={"runOnly": rules}).response["violations"]
    assert [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"]] == []
