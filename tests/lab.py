"""JupyterLab in a browser, for tests: a server of its own, a page that tells of trouble, and a notebook run to its end."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from minigrad.classroom import lab

QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
OURS = Path(lab.__file__).parent / "labconfig" / "default_setting_overrides.json"  # as `minigrad course` opens it
TOKEN = "only-for-this-test"


SYSTEMS = "chromium-headless-shell", "chromium", "chromium-browser"  # without a window it opens a page in half the time


def chromium(playwright):
    """Where Chromium lies: Playwright's own, or that of the system; None if there is none."""
    own = playwright.chromium.executable_path
    return own if os.path.exists(own) else next(filter(None, map(shutil.which, SYSTEMS)), None)


@contextlib.contextmanager
def serving(folder, settings, python):
    """A JupyterLab of some Python's: its address, and its process.

    Args:
        folder: what it shows; its log is put there too.
        settings: an empty folder, in place of the user's own settings.
        python: the interpreter that has JupyterLab.
    """
    set_up(settings, "@jupyterlab/notebook-extension", "tracker", windowingMode="none")
    for plugin, values in json.loads(OURS.read_text()).items():
        set_up(settings, *plugin.split(":"), **values)
    port = free_port()
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={folder}",
    ]
    private = {
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(settings / "workspaces"),
        "JUPYTER_NO_CONFIG": "1",
        "MINIGRAD_PROGRESS": "",  # beside the course, as a learner's is
    }
    with open(folder / "server.log", "w") as log:
        server = subprocess.Popen([python, "-m", "jupyterlab", *options], stdout=log, stderr=log, env=os.environ | private)
        try:
            wait_for(f"http://127.0.0.1:{port}/api?token={TOKEN}", server, folder / "server.log")
            yield f"http://127.0.0.1:{port}", server
        finally:
            server.terminate()
            server.wait(20)


def set_up(settings, package, name, **values):
    file = settings / package / f"{name}.jupyterlab-settings"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values))


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(address, server, log, seconds=120):
    for _ in range(seconds * 5):
        try:
            return urllib.request.urlopen(address, timeout=2).close()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert server.poll() is None, log.read_text()
            time.sleep(0.2)
    raise TimeoutError(log.read_text())


def new_page(browser, address, width=1300, height=1000, **options):
    """A page whose requests to elsewhere, errors and dialogs are collected in `page.trouble`."""
    page = browser.new_context(viewport={"width": width, "height": height}, **options).new_page()
    page.trouble = []
    own = (address[:20], "data:", "blob:", "file:")
    page.on("request", lambda request: None if request.url.startswith(own) else page.trouble.append(request.url))
    page.on("pageerror", lambda error: page.trouble.append(str(error)))
    page.on("dialog", lambda dialog: (page.trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.goto(address)
    return page


PROMPTS = """[...document.querySelectorAll(".jp-Notebook .jp-CodeCell .jp-InputArea-prompt")].map((prompt) => prompt.innerText)"""


BADLY_SHOWN = r"""() => {
    const wrong = [], drawn = "svg, mjx-container";
    const what = (e) => `${e.tagName} ${e.getAttribute("class") || ""} ${e.textContent.trim().slice(0, 60)}`;
    for (const output of document.querySelectorAll(".jp-Notebook .jp-OutputArea-output")) {
        const outer = output.getBoundingClientRect();
        for (const e of output.querySelectorAll("*")) {
            const box = e.getBoundingClientRect(), held = e.parentElement.closest(drawn) || e.getClientRects().length === 0 || box.width < 3;
            const scrolls = (one) => one !== output && (getComputedStyle(one).overflowX !== "visible" || scrolls(one.parentElement));
            if (held || getComputedStyle(e).visibility !== "visible") continue;
            if (!scrolls(e.parentElement) && (box.right > outer.right + 2 || box.left < outer.left - 2)) wrong.push(`outside: ${what(e)}`);
            if (getComputedStyle(e).overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1) wrong.push(`cut: ${what(e)}`);
            if (e.matches("button, input, [role=slider]") && !(e.getAttribute("aria-label") || e.title || e.textContent.trim())) wrong.push(`no name: ${what(e)}`);
        }
    }
    return wrong;
}"""


def run_all(page, seconds=60):
    """Run all cells of the notebook that the page shows, and stay until each has a number; `seconds` is for one cell."""
    wait_for_kernels(page, ready)
    for menu, command in (("Edit", "editmenu:clear-all"), ("Run", "runmenu:run-all")):  # or the numbers of an earlier run stand there
        page.click(f".lm-MenuBar-itemLabel:text-is('{menu}')")
        page.click(f"li[data-command='{command}']")
    prompts, end = [], 0.0
    while not (prompts and all(prompt.strip("[]:").isdigit() for prompt in prompts)):
        page.wait_for_timeout(250)
        before, prompts = prompts, page.evaluate(PROMPTS)
        if prompts != before:
            end = time.monotonic() + seconds
        elif time.monotonic() > end:
            raise TimeoutError(f"not all cells have run: {prompts}; kernels: {kernels_of(page)}")


def ready(kernels):
    """Whether the page is connected to a kernel: a click before is lost, or asks for one."""
    return any(kernel["connections"] and kernel["execution_state"] == "idle" for kernel in kernels)


def wait_for_kernels(page, wanted, seconds=60):
    """Wait until what the server tells of the page's kernels is as `wanted` asks."""
    kernels = []
    for _ in range(seconds * 5):
        kernels = kernels_of(page)
        if wanted(kernels):
            return
        page.wait_for_timeout(200)
    raise TimeoutError(f"the kernels stay as they are: {kernels}")


def kernels_of(page):
    """What the server tells of the kernels of the notebook that the page shows; its address may be that of the folder by now."""
    notebook = page.inner_text("#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current .lm-TabBar-tabLabel")
    server = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(page.url))
    with urllib.request.urlopen(f"{server}/api/sessions?token={TOKEN}", timeout=10) as answer:
        return [session["kernel"] for session in json.load(answer) if session["name"] == notebook]


def step_and_click(page, film):
    """The inspector answers keys, which move it, and clicks, which tell more."""
    at = film.locator(".scrubber")
    film.focus()
    places = []
    for key in ("Home", "ArrowRight", "End"):
        page.keyboard.press(key)
        places.append(int(at.get_attribute("aria-valuenow")))
    assert places == sorted(set(places))
    film.locator(".frame").last.click()
    assert film.locator(".pane .title").count() == 1
    page.keyboard.press("Escape")
