"""Which tests run a line, recorded once, and a copy of the project in which they are run."""

import ast
import contextlib
import functools
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback

os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
import coverage
import numpy  # noqa: F401 - loaded once, for all runs
import pytest

ROOT = pathlib.Path(__file__).parents[1]
RECORDS = pathlib.Path.home() / ".cache" / "minigrad" / "covering"
LEFT_OUT = {  # minutes of JupyterLab and Sphinx, interrupts at each line, or more than this copy
    "test_browser.py", "test_rehearsal.py", "test_binder.py", "test_book.py", "test_interrupts.py",
}  # fmt: skip
START, LONGEST = 1, 60  # seconds for a file of tests to start, and for all tests of one place
PHASE = re.compile(r" \((setup|call|teardown)\)$")  # which PYTEST_CURRENT_TEST says after the name of a test
OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "-o", "addopts="]
SETTINGS = """[run]
parallel = true
sigterm = true
data_file = {folder}/recorded
context = ${{PYTEST_CURRENT_TEST-}}
include =
    {folder}/minigrad/*
    {folder}/course/*
disable_warnings = trace-changed, no-data-collected, module-not-measured, already-imported
"""


class Copy:
    """A copy of the project, in which one file at a time is broken and tests are run."""

    def __init__(self, folder):
        self.folder, self.writings = pathlib.Path(folder).resolve(), 0
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)

    def passes(self, file, text, tests):
        """Do these tests pass with this text in a file's place? What fails without it too is not counted."""
        for name, chosen in tests.items():
            while failed := self.failed(name, chosen, file, text):
                if not self.failed(name, {failed: chosen[failed]}):
                    return False
                chosen = {test: seconds for test, seconds in chosen.items() if test != failed}
        return True

    def failed(self, name, tests, file=None, text=None):
        """The first of these tests that fails or takes too long, with a text in a file's place; None if all pass."""
        running, path = self.folder / "running", self.folder / f"{file}.py"
        running.write_text(next(iter(tests), ""), "utf-8")
        whole = text and path.read_text("utf-8")
        try:
            if text:
                self.write(path, text)
            ended = self.run(lambda: pytest.main([*OPTIONS, "-x", name], [Chosen(tests, running)]), 20 + 5 * sum(tests.values()))
        finally:
            if text:
                self.write(path, whole)
        return None if ended in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) else running.read_text("utf-8")

    def write(self, path, text):
        """Write a file with a new modification time each time: no cached bytecode is taken for it."""
        path.write_text(text, "utf-8")
        self.writings += 1
        os.utime(path, (self.writings, self.writings))

    def run(self, task, seconds):
        """What a task returns in a process of its own, which has NumPy and pytest already.

        It is less than 0 if more seconds are needed: of the processor, or ten times as many by the clock.
        """
        child = os.fork()
        if not child:
            answer = -1
            try:
                os.setpgid(0, 0)
                resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds)))
                os.chdir(self.folder)
                os.environ["PYTHONPATH"] = str(self.folder)
                os.dup2(os.open("pytest.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
                os.dup2(1, 2)
                sys.path[:] = [
                    str(self.folder),
                    str(self.folder / "tests"),
                    *(one for one in sys.path if one not in ("", str(ROOT))),
                ]
                answer = int(task() or 0)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(answer)
        end = time.monotonic() + 10 * seconds
        try:
            while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < end:
                time.sleep(0.02)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what it has started, and itself if it still runs
        return os.waitstatus_to_exitcode((ended if ended[0] else os.waitpid(child, 0))[1])


class Chosen:
    """Of the tests of a file, run these, in this order, and write which is running."""

    def __init__(self, tests, running):
        self.places, self.running = {test: place for place, test in enumerate(tests)}, running

    def pytest_collection_modifyitems(self, items):
        items[:] = sorted((item for item in items if item.nodeid in self.places), key=lambda item: self.places[item.nodeid])

    def pytest_runtest_logstart(self, nodeid):
        self.running.write_text(nodeid, "utf-8")


class Recording:
    """Tells coverage which test is running, and keeps the seconds of those that pass."""

    def __init__(self, recorder):
        self.recorder, self.seconds = recorder, {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        self.recorder.start()  # again, if a test has put something else in its place
        self.recorder.switch_context(item.nodeid)
        yield
        self.recorder.stop()

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + (report.duration if report.passed else math.inf)


def record(name, target, tracer):
    """Run a file of tests, and write beside the target which lines each test runs, also in processes that it starts."""
    os.environ["COVERAGE_CORE"] = tracer
    settings = pathlib.Path("coverage.cfg").resolve()
    settings.write_text(SETTINGS.format(folder=settings.parent), "utf-8")
    recording = Recording(coverage.Coverage(config_file=str(settings)))
    os.environ["COVERAGE_PROCESS_START"] = str(settings)
    pytest.main([*OPTIONS, name], [recording])
    del os.environ["COVERAGE_PROCESS_START"]
    recording.recorder.save()
    whole = coverage.CoverageData(f"{target}.lines")
    whole.erase()
    for path in settings.parent.glob("recorded.*"):
        part = coverage.CoverageData(path)
        with contextlib.suppress(coverage.exceptions.DataError):  # of a process that was killed as it wrote
            part.read()
            whole.update(part, map_path=lambda path: os.path.relpath(path, settings.parent))
        path.unlink()
    target.with_suffix(".seconds").write_text(json.dumps(recording.seconds), "utf-8")


def named(path, known=()):
    """The files beside the tests that a file imports or names, and those that these name: programs, questions, recorded answers."""
    text, found = path.read_text("utf-8"), list(known)
    for one in sorted((ROOT / "tests").glob("*.*")):
        is_there = re.search(rf"(from|import) [\w., ]*\b{one.stem}\b", text) if one.suffix == ".py" else one.name in text
        if is_there and one not in found:
            found = named(one, [*found, one]) if one.suffix == ".py" else [*found, one]
    return found


@functools.cache
def importing(module):
    """The files of tests that import a module of this name."""
    imports = re.compile(rf"^(from \S+ )?import .*\b{module}\b", re.MULTILINE)
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return {path.relative_to(ROOT).as_posix() for path in paths if imports.search(path.read_text("utf-8"))}


class Covering:
    """Which tests run a line: recorded for each file of tests, and again when it, what it names, or the code has changed."""

    def __init__(self, copy):
        code = [path for folder in ("minigrad", "course") for path in sorted((ROOT / folder).rglob("*.py"))]
        code = hashlib.sha256(b"".join([path.read_bytes() for path in [*code, ROOT / "tests" / "conftest.py"]]))
        self.records, self.seconds, self.by_line = [], {}, functools.cache(self.by_line)
        RECORDS.mkdir(parents=True, exist_ok=True)
        for path in [one for one in sorted((ROOT / "tests").rglob("test_*.py")) if one.name not in LEFT_OUT]:
            key = code.copy()
            for one in [path, *named(path)]:
                key.update(one.read_bytes())
            target = RECORDS / f"{path.stem}-{key.hexdigest()[:16]}"
            if not target.with_suffix(".seconds").exists():
                print(f"\r\033[K{path.name}: which lines do these tests run?", end="", flush=True)
                task = functools.partial(record, str(path.relative_to(ROOT)), target)
                # with the time limit of a card, the quick tracer sometimes crashes
                if all(copy.run(functools.partial(task, tracer), 1200) for tracer in ("ctrace", "pytrace")):
                    sys.exit(f"{(copy.folder / 'pytest.log').read_text()}\nthe tests of {path.name} cannot be recorded")
            self.records.append(f"{target}.lines")
            self.seconds |= json.loads(target.with_suffix(".seconds").read_text("utf-8"))
        print("\r\033[K", end="", flush=True)

    def by_line(self, file):
        """The tests that run each line of a file."""
        lines = {}
        for record in self.records:
            data = coverage.CoverageData(record)
            data.read()
            for line, tests in data.contexts_by_lineno(f"{file}.py").items():
                lines.setdefault(line, set()).update(PHASE.sub("", test) for test in tests)
        return lines

    def tests_of(self, file, tree, node):
        """The tests that run a place, near and quick ones first, for about a minute: {file of tests: {test: seconds}}.

        What runs at import, or in no test that was heard but one and in processes that import it, has those of the whole file,
        and those with its name or that of its folder: a trace of minigrad's own takes the place of the one that hears. A card too:
        what an answer calls is traced by another tracer, that of its time limit.
        """
        around = [one for one in ast.walk(tree) if isinstance(one, ast.stmt) and node in ast.walk(one)]
        lines, inner = self.by_line(file), around[-1]
        header = range(inner.lineno, getattr(inner, "body", around)[0].lineno)
        own = header or range(inner.lineno, inner.end_lineno + 1)
        own = own if node.lineno >= inner.lineno else range(node.lineno, node.end_lineno + 1)  # above a function, as VJPs are
        loading = set().union(*[lines.get(one.lineno, ()) for one in tree.body])  # in a process that they start
        tests = known = set().union(*[lines.get(line, ()) for line in own])
        names = tuple(f"tests/{test}" for part in file.split("/") for test in (f"test_{part}", f"{part}/"))
        if len(tests - loading) < 2 or "/cards/" in file or not any(isinstance(one, ast.FunctionDef) for one in around[:-1]):
            tests = tests.union(*lines.values(), [test for test in self.seconds if test.startswith(names)])
        if card := re.search(r"/cards/lesson_(\d\d)", file):  # and of these tests those of its own lesson
            tests = known | {test for test in tests if f"[{card[1]}" in test or "[" not in test}
        if not tests:  # it is only run as a copy elsewhere, as install.py in a pack
            tests = {test for test in self.seconds if test.partition("::")[0] in importing(file.rpartition("/")[2])}
        files, lone = {}, known if len(known) < 2 else set()
        for test in sorted(tests & self.seconds.keys(), key=lambda test: (test not in known, self.seconds[test])):
            if self.seconds[test] < math.inf:
                files.setdefault(test.partition("::")[0], {})[test] = self.seconds[test]
        outer = next((one for one in around if isinstance(one, ast.FunctionDef)), inner)  # it may make what is run later
        near = set().union(*[lines.get(line, ()) for line in range(outer.lineno, outer.end_lineno + 1)])
        order = sorted(files, key=lambda name: (
            not name.startswith(names), known.isdisjoint(files[name]), near.isdisjoint(files[name]), START + sum(files[name].values()),
        ))  # fmt: skip
        found, left = {}, LONGEST
        for name in order:
            chosen, left = files[name], left - START
            if name != order[0] and not name.startswith(names):
                sums = itertools.accumulate(chosen.values())
                chosen = {test: chosen[test] for test, so_far in zip(chosen, sums) if so_far < left or test in lone}
            found |= {name: chosen} if chosen else {}
            left -= sum(chosen.values())
        return found
