"""Every test begins with nobody listening and no name given, whatever the one before it has left; and a browser for those that need one."""

import os
import shutil
import sys
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.engine.listening import listening
from minigrad.tracing import checkpoint

QUICK = "op ops mathematics tape variable custom scenarios house readme".split()  # noqa: SIM905 - a list of words


def pytest_ignore_collect(collection_path, config):
    """`pytest -m quick`: what ops, tapes and documents promise. The other files are not even read."""
    if config.option.markexpr == "quick" and collection_path.match("test_*.py"):
        return not is_quick(collection_path) or None
    return None


def pytest_collection_modifyitems(items):
    for item in items:
        if is_quick(item.path):
            item.add_marker("quick")


def is_quick(path):
    return path.stem.removeprefix("test_") in QUICK


@pytest.fixture(autouse=True)
def nobody_listens():
    mg.trace(False)
    listening.now = ()
    yield
    mg.trace(False)
    listening.now = ()


@pytest.fixture(autouse=True)
def the_first_layer_is_called_dense():
    mg.keras.utils.clear_session()


@pytest.fixture(autouse=True)
def replays_take_their_time(monkeypatch):
    """On a busy machine an answer takes longer, and is the same."""
    monkeypatch.setattr(checkpoint, "SECONDS", 30.0)


@pytest.fixture
def own_course(tmp_path, monkeypatch):
    """A copy of the course, in a folder that one works in."""
    pytest.importorskip("nbclient")
    shutil.copytree(
        Path(__file__).parent.parent / "course",
        tmp_path / "course",
        ignore=shutil.ignore_patterns(".*", "_build", "my_copies", "__pycache__"),
    )
    for name in [name for name in sys.modules if name.partition(".")[0] in ("helpers", "build")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "course"


@pytest.fixture(scope="module")
def browser():
    from lab import CHROMIUM, QUIET
    from playwright.sync_api import sync_playwright

    if not os.path.exists(CHROMIUM):
        pytest.fail(f"there is no browser at {CHROMIUM}: what a learner sees is tested in Chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=QUIET)
        yield browser
        browser.close()
