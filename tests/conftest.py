"""Every test begins with nobody listening and no name given, whatever the one before it has left; and a browser for those that need one."""

import gc
import os
import random
import shutil
import sys
from collections import defaultdict
from datetime import date
from pathlib import Path

import pytest

os.environ.setdefault("MINIGRAD_SECONDS", "30")  # on a busy machine an answer takes longer, and is the same
os.environ.setdefault("PIP_NO_COMPILE", "1")  # most of what tests install is never imported
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process that they start compiles all that it imports

import minigrad as mg
from minigrad import later
from minigrad.classroom import course, handout
from minigrad.engine.listening import listening

ROOT = Path(__file__).parent.parent
later.load_all()  # then all ops are in their tables
QUICK = "op ops mathematics tape variable custom scenarios house readme".split()  # noqa: SIM905 - a list of words
FORKING = "inspector", "by_experiment", "programs", "fixes", "hostile", "checkpoint"  # a fork of a process that has grown takes longer
FIRST = "book", "browser", *FORKING, "rehearsal", "pack"  # the longest, which wait half of the time; `pack` shows what `book` has run
MADE = "book", "pack", "rehearsal"  # what is tried is made first, for minutes: one of them a day

NO_BROWSER = "there is no Chromium here"


def pytest_addoption(parser):
    parser.addoption("--browser", action="store_true", help="fail, not skip, where there is no Chromium (as with CI set)")
    what = "of tests with many variants, and of what is made for minutes, try all or today's third; a third if no files are named"
    parser.addoption("--variants", choices=["all", "third"], help=what)


def pytest_configure(config):
    """The third of today, which the workers of xdist take over."""
    if not hasattr(config, "workerinput"):
        usual = "third" if config.args_source is pytest.Config.ArgsSource.TESTPATHS else "all"
        third = (config.option.variants or usual) == "third"
        os.environ["MINIGRAD_THIRD"] = str(date.today().toordinal() % 3) if third else ""


def pytest_terminal_summary(terminalreporter, config):
    """What was left out, in one line that cannot be missed."""
    skipped = [one for one in terminalreporter.stats.get("skipped", ()) if NO_BROWSER in str(one.longrepr)]
    if skipped:
        said = f"{len(skipped)} tests of what a learner sees were SKIPPED: {NO_BROWSER}. Then: .venv/bin/playwright install chromium"
        terminalreporter.write_line(said, red=True, bold=True)
    if config.option.markexpr == "quick":
        others = [one for one in config.rootpath.glob("tests/**/test_*.py") if not is_quick(one)]
        terminalreporter.write_line(f"quick: {len(others)} files of tests and the lessons were left out")
    elif os.environ["MINIGRAD_THIRD"]:
        terminalreporter.write_line(f"today's third of the variants was tried, and one of {', '.join(MADE)}; --variants all tries each")


def pytest_ignore_collect(collection_path, config):
    """`pytest -m quick`: what ops, tapes and documents promise. The other files are not even read."""
    if config.option.markexpr == "quick" and collection_path.match("test_*.py"):
        return not is_quick(collection_path) or None
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """For `-n auto`: one more than there are cores, since some always wait."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(config, items):
    """The files of FIRST first, all others as they were; the mark of the quick ones; of many variants today's third."""
    if third := os.environ["MINIGRAD_THIRD"]:
        known = defaultdict(dict)
        left = {one for one in items if {variant(one, known) % 3, made(one, third)} != {int(third)}}
        config.hook.pytest_deselected(items=[*left])
        items[:] = [one for one in items if one not in left]
    order = [*(f"test_{name}" for name in FIRST), ""]
    items.sort(key=lambda item: order.index(item.path.stem if item.path.stem in order else ""))
    for item in items:
        if is_quick(item.path):
            item.add_marker("quick")


def made(item, third):
    """Which third an item belongs to by its file: that of today, if it is none of MADE."""
    name = item.path.stem.removeprefix("test_")
    return MADE.index(name) if name in MADE else int(third)


def variant(item, known):
    """Which of the variants of its test an item is, in the order of their names, or of the parameter that the mark names."""
    mark = item.get_closest_marker("variants")
    if mark is None:
        return int(os.environ["MINIGRAD_THIRD"])
    by = mark.args[0] if mark.args else None
    values = known[item.path, by or item.originalname]
    return values.setdefault(item.callspec.params[by] if by else item.name, len(values))


@pytest.fixture(scope="module", autouse=True)
def what_was_there_before_is_no_garbage():
    """Python's garbage collector knows nothing of 16,000 tests and of what earlier files left: a collection takes a second otherwise,
    and replays, which fork, three times as long."""
    gc.collect()
    gc.freeze()


def is_quick(path):
    return path.stem.removeprefix("test_") in QUICK


@pytest.fixture(autouse=True)
def nobody_listens():
    mg.trace(False)
    listening.now = ()
    yield
    mg.trace(False)
    listening.now = ()
    if "ipywidgets" in sys.modules:  # which keeps each film, and so its trace, until it is closed
        sys.modules["ipywidgets"].Widget.close_all()


@pytest.fixture(autouse=True)
def the_first_layer_is_called_dense_and_functions_are_traced():
    random.seed(0)  # of which layers draw the seeds of their weights
    mg.keras.utils.clear_session()
    mg.config.run_functions_eagerly(False)


@pytest.fixture
def own_clone(tmp_path, monkeypatch):
    """A copy of the source's course, which the package takes for its own; one works beside it. It is the folder `course`."""
    pytest.importorskip("nbclient")
    shutil.copytree(ROOT / "course", tmp_path / "course", ignore=shutil.ignore_patterns(".*", "_build", "my_copies", "__pycache__"))
    imported_anew(monkeypatch)
    monkeypatch.setattr(course, "PACKAGE", tmp_path / "minigrad")
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "course"


@pytest.fixture
def own_course(tmp_path, monkeypatch):
    """The lessons as they are handed out, in a folder beside which one works."""
    imported_anew(monkeypatch)
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.chdir(tmp_path)
    handout.lay_out(tmp_path / handout.NAME)
    return tmp_path / handout.NAME


def imported_anew(monkeypatch):
    """The modules of the course are imported from another folder than before, and afterwards from the same again."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("helpers", "build")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", sys.path[:])


@pytest.fixture(scope="module")
def browser(request):
    from lab import QUIET, chromium
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = chromium(playwright)
        if found is None:
            missing = pytest.fail if request.config.option.browser or os.environ.get("CI") else pytest.skip
            missing(NO_BROWSER)
        browser = playwright.chromium.launch(executable_path=found, headless=True, args=QUIET)
        yield browser
        browser.close()
