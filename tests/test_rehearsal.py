"""The rehearsal: binder/ followed to the letter, and every lesson opened, run to the end and clicked, as a class will do it.

It takes two to three minutes, and prints what it took.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import urljoin

import pytest
from lab import TOKEN, new_page, run_all, serving, step_and_click, wait_for_kernels

ROOT = Path(__file__).parent.parent
LESSONS = [path.name for path in sorted((ROOT / "course").glob("[0-9][0-9]_*.ipynb"))]
PYTHON = (ROOT / "binder" / "runtime.txt").read_text().strip().replace("-", "")
FILM = ".mg-inspector .film .frame"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with the lessons, not yet run, and the environment that binder/ makes; and what making that has taken."""
    python = shutil.which(PYTHON)
    if python is None:
        pytest.skip(f"binder/ is for {PYTHON}, which is not here")
    home = tmp_path_factory.mktemp("home")
    subprocess.run([python, "-m", "venv", home / "env"], check=True)
    subprocess.run([home / "env/bin/python", "-m", "pip", "install", "--quiet", "-r", "binder/requirements.txt"], cwd=ROOT, check=True)
    found = f"{home / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([ROOT / "binder" / "postBuild"], cwd=home, env={**os.environ, "PATH": found}, check=True)
    return home


@pytest.fixture(scope="module")
def lab(home, browser, tmp_path_factory):
    """JupyterLab of that environment, open in the browser on the first lesson, as by the link in README.md; and its process."""
    with serving(home, tmp_path_factory.mktemp("settings"), home / "env/bin/python") as (address, server):
        page = new_page(browser, f"{address}/lab/tree/minigrad-course/{LESSONS[0]}?token={TOKEN}")
        yield page, server
        page.context.close()


@pytest.fixture
def desk(lab):
    """The same, cleared for the next lesson whatever becomes of this one."""
    yield lab
    page, server = lab
    if server.poll() is None:
        page.keyboard.press("Escape")
        page.click("#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current .lm-TabBar-tabCloseIcon")
        if page.locator(".jp-Dialog").count():
            page.click(".jp-Dialog .jp-mod-warn")  # what was not saved is discarded
        page.wait_for_selector(".jp-Notebook", state="detached")


def told(cell):
    """What a cell has printed, on stdout and on stderr, and its errors; without pictures and widgets."""
    said = {}
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            said[output["name"]] = said.get(output["name"], "") + "".join(output["text"])
        elif output["output_type"] == "error":
            said["error"] = output["evalue"]
        elif "text/plain" in output["data"] and "image/png" not in output["data"]:
            said[output["output_type"]] = "".join(output["data"]["text/plain"])
    return said


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def all_run(notebook):
    return all(cell["execution_count"] for cell in code_cells(notebook))


def saved(page, path, ready, seconds=30):
    """Save the notebook until what stands in the file is ready."""
    before = path.stat().st_mtime_ns
    for _ in range(seconds * 2):
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
        with contextlib.suppress(json.JSONDecodeError):  # it is being written
            if path.stat().st_mtime_ns > before and ready(read(path)):
                return
    raise AssertionError(f"{path.name} was not saved")


def memory(process):
    """MB of a process, each page shared out among those who share it; 0 where the system does not tell."""
    told = Path(f"/proc/{process}/smaps_rollup")
    return int(re.search(r"^Pss:\s+(\d+) kB", told.read_text(), re.MULTILINE)[1]) / 1024 if told.exists() else 0.0


def newest_kernel(server):
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    return children.read_text().split()[-1] if children.exists() else "none"


@pytest.mark.parametrize("lesson", [LESSONS[0], *(pytest.param(one, marks=pytest.mark.variants) for one in LESSONS[1:])])
def test_lesson_runs_to_its_end_and_prints_what_is_stored(home, desk, capsys, lesson):
    (page, server), path, start = desk, home / "minigrad-course" / lesson, time.monotonic()
    if lesson != LESSONS[0]:
        page.dblclick(f".jp-DirListing-item:has-text('{lesson}')")
    run_all(page)
    took = time.monotonic() - start

    stored = code_cells(read(ROOT / "course" / lesson))
    films = sum("image/svg+xml" in output.get("data", {}) for cell in stored for output in cell["outputs"])
    if films:
        page.wait_for_selector(FILM)
        assert page.locator(".mg-inspector").count() == films
        step_and_click(page, page.locator(".mg-inspector").first)
    page.click(".jp-Notebook .jp-InputPrompt >> nth=0")
    saved(page, path, all_run)
    assert [told(cell) for cell in code_cells(read(path))] == [told(cell) for cell in stored]
    assert page.trouble == []
    with capsys.disabled():
        used = f"server {memory(server.pid):.0f} MB, kernel {memory(newest_kernel(server)):.0f} MB"
        print(f"\n{lesson}: opened and run in {took:.1f} s; {used}", end=" ")


def test_a_film_that_was_saved_lives_on_without_its_kernel(home, desk):
    page, _ = desk
    lesson = next(lesson for lesson in LESSONS if "mg.inspect(" in (ROOT / "course" / lesson).read_text(encoding="utf-8"))
    page.dblclick(f".jp-DirListing-item:has-text('{lesson}')")
    run_all(page)
    page.wait_for_selector(FILM)
    page.click(".jp-Notebook .jp-InputPrompt >> nth=0")
    saved(page, home / "minigrad-course" / lesson, lambda notebook: all_run(notebook) and "widgets" in notebook["metadata"])
    page.click(".lm-MenuBar-itemLabel:text-is('Kernel')")
    page.click("li[data-command='kernelmenu:shutdownAll']")
    page.click(".jp-Dialog .jp-mod-accept")
    wait_for_kernels(page, lambda kernels: not kernels)  # a page that finds one about to end waits for its answers
    page.goto(urljoin(page.url, f"/lab/tree/minigrad-course/{lesson}"))  # what a reload opens depends on what JupyterLab has noted by then
    step_and_click(page, film_of_a_saved_notebook(page))
    assert page.locator("text=Error displaying widget >> visible=true").count() == 0


def film_of_a_saved_notebook(page):
    """Its widget; or the page that is saved beside it, where ipywidgets asked for the model before they had read the notebook."""
    for _ in range(60):
        if page.locator(FILM).count():
            return page.locator(".mg-inspector").first
        page.wait_for_timeout(500)
    return page.frame_locator(".mg-page iframe").first.locator(".mg-inspector")


def test_killing_jupyterlab_loses_nothing_that_was_saved(home, desk):
    """Comes last: the server does not survive it."""
    (page, server), path = desk, home / "minigrad-course" / LESSONS[1]
    page.dblclick(f".jp-DirListing-item:has-text('{LESSONS[1]}')")
    run_all(page)
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(1)
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\npredict('01.1', 6.1)  # seven apples")
    page.keyboard.press("Control+Enter")
    saved(page, path, lambda notebook: "kept 6.1" in json.dumps(notebook))
    server.kill()
    server.wait(20)
    assert any("# seven apples" in "".join(cell["source"]) for cell in code_cells(read(path)))
    assert "6.1" in json.loads((home / "minigrad-course" / ".progress.json").read_text())["predictions"].values()
