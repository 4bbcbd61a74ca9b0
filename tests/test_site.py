"""The course on a site of static files, with Python in the browser: all but NumPy, whose wheel no package index has.

A folder with Pyodide's files comes with `npm pack pyodide@314.0.6`; the environment variable PYODIDE says where it lies.
"""

import functools
import hashlib
import http.server
import importlib.util
import json
import os
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest
from lab import new_page, step_and_click

import minigrad as mg
from minigrad.__main__ import main
from minigrad.classroom import checkup, contents, handout, pyodide
from minigrad.classroom import site as site_module
from minigrad.classroom.site import NEEDS
from minigrad.classroom.telling import Trouble
from minigrad.inspector.html import script, style

ROOT = Path(__file__).parent.parent
PYODIDE = os.environ.get("PYODIDE")
made = pytest.mark.skipif(
    not PYODIDE or any(importlib.util.find_spec(name) is None for name in NEEDS),
    reason="pip install 'minigrad[site]', npm pack pyodide@314.0.6, and PYODIDE=where it was unpacked",
)
CELLS = {
    "minigrad": """\
try:
    import minigrad
except ImportError as problem:
    print(json.dumps([type(problem).__name__, problem.name]))""",
    "missing": """\
def lacking(file):
    nodes = [*ast.walk(ast.parse(file.read_text()))]
    from_ = [(node.module, part.name) for node in nodes if isinstance(node, ast.ImportFrom) and not node.level for part in node.names]
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names if alias.asname is None]
    used = [(node.value.id, node.attr) for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    for name in {name.partition(".")[0] for name in [*plain, *dict(from_)]} - {*sys.modules, "helpers"}:
        if importlib.util.find_spec(name) is None:
            yield name
    for name, part in {*from_, *(one for one in used if one[0] in plain)}:
        if name in sys.stdlib_module_names and importlib.util.find_spec(name) and not hasattr(importlib.import_module(name), part):
            yield f"{name}.{part}"

home = pathlib.Path(importlib.util.find_spec("minigrad").origin).parent
files = [file for file in [*home.rglob("*.py"), *pathlib.Path("helpers").rglob("*.py")] if "classroom" not in file.parts]
sys.modules["fcntl"].__spec__ = sys.modules["resource"].__spec__ = importlib.util.find_spec("os")
print(json.dumps(sorted({name for file in files for name in lacking(file)})))""",
    "refused": """\
def refusal(function):
    try:
        return repr(function())
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"

print(json.dumps([
    refusal(threading.Thread(target=print).start),
    refusal(lambda: subprocess.run(["true"])),
    refusal(os.fork),
    hasattr(signal, "setitimer"),
]))""",
    "film": """\
import anywidget
import traitlets

class Film(anywidget.AnyWidget):
    film = json.loads(pathlib.Path("film.json").read_text())
    _esm, _css = film["script"], film["style"]
    view = traitlets.Dict(film["view"]).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)

Film()""",
    "platform": """\
print(json.dumps(sys.platform))""",
    "notes": """\
for name, place in ("minigrad", home), ("helpers", pathlib.Path("helpers")):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [str(place)]
sys.modules["numpy"] = unittest.mock.MagicMock()
diary = importlib.import_module("helpers.diary")
diary.keep("predictions", "00.1", "9")
diary.memory = diary.empty()
print(json.dumps([str(diary.FILE), diary.kept("predictions", "00.1")]))""",
}
BEGINNING = "import ast, importlib.util, json, os, pathlib, signal, subprocess, sys, threading, types, unittest.mock"


# ---- what is written ---------------------------------------------------------------------------------------------------


def test_the_lock_keeps_what_the_course_needs_and_gets_the_rest():
    known = {name: {"depends": []} for name in ("numpy", "micropip", "jedi", "traitlets", "matplotlib", "scipy")}
    found = pyodide.needed({**known, "ipython": {"depends": ["prompt_toolkit", "traitlets"]}, "prompt-toolkit": {"depends": []}})
    assert found["minigrad"]["depends"] == ["numpy", "anywidget", "ipywidgets", "matplotlib"]
    assert found["anywidget"]["version"] == importlib.metadata.version("anywidget")
    assert {"prompt-toolkit", "psygnal", "comm"} < found.keys()
    assert not {"scipy", *pyodide.FRONT_ENDS} & found.keys()
    assert {need for entry in found.values() for need in map(pyodide.normal, entry["depends"])} < found.keys()


def test_a_folder_without_pyodide_is_told_with_what_to_type(tmp_path):
    with pytest.raises(Trouble, match=r"lacks pyodide.mjs, .*no files of Pyodide\.\nTry: npm pack pyodide, and .*minigrad site --pyodide"):
        pyodide.write(tmp_path / "site", ROOT, tmp_path)
    assert not (tmp_path / "site").exists()


RELEASE = {  # a folder of Pyodide's: a package is compiled or not, and its wheel lies there or not
    "numpy": "numpy-2-cp314-emscripten.whl", "matplotlib": "", "micropip": "micropip-1-py3-none-any.whl", "scipy": "scipy-1.whl",
    **{name: f"{name}-1-py3-none-any.whl" for name in ("comm", "jedi", "ipython", "ipywidgets", "psygnal", "typing_extensions")},
}  # fmt: skip


@pytest.fixture
def release(tmp_path, monkeypatch):
    """A folder as of Pyodide's files, and a pip that makes empty wheels and tells what it was asked."""
    there, asked = tmp_path / "release", []
    there.mkdir()
    for name in pyodide.FILES:
        (there / name).write_text(f"Pyodide's {name}")
    entries = {}
    for name, file in RELEASE.items():
        entry = {"name": name, "version": "1", "file_name": file or f"{name}-1-cp314-emscripten.whl", "sha256": "unknown", "depends": []}
        entries[pyodide.normal(name)] = entry
        if file:
            (there / file).write_text(f"wheel of {name}")
    (there / pyodide.LOCK).write_text(json.dumps({"info": {"python": "3.14"}, "packages": entries}))

    def pip(*arguments):
        asked.append(arguments)
        into = Path(arguments[arguments.index("--dest") + 1])
        for name, _, version in (one.partition("==") for one in arguments if "==" in one):
            (into / f"{name}-{version}-py3-none-any.whl").write_text(f"wheel of {name}")

    monkeypatch.setattr(pyodide.wheels, "our_wheel", lambda source, into: (into / "minigrad-9-py3-none-any.whl").write_text("ours"))
    monkeypatch.setattr(pyodide.wheels, "pip", pip)
    return there, asked


def test_pyodide_is_copied_with_what_the_course_needs_and_the_rest_is_fetched_or_named(release, tmp_path):
    there, asked = release
    into = tmp_path / "new" / "pyodide"
    assert pyodide.write(into, ROOT, there) == ["matplotlib-1-cp314-emscripten.whl"]
    assert {name: (into / name).read_text() for name in pyodide.FILES} == {name: f"Pyodide's {name}" for name in pyodide.FILES}
    lock = json.loads((into / pyodide.LOCK).read_text())
    assert lock["info"] == {"python": "3.14"} and "scipy" not in lock["packages"]
    version = importlib.metadata.version("anywidget")
    platform = ("--only-binary=:all:", "--platform", "any", "--python-version", "3.14")
    assert asked == [("download", "--no-deps", *platform, "--dest", str(into), f"anywidget=={version}")]
    assert lock["packages"]["anywidget"]["file_name"] == f"anywidget-{version}-py3-none-any.whl"
    assert lock["packages"]["minigrad"]["file_name"] == "minigrad-9-py3-none-any.whl"
    for name, entry in lock["packages"].items():
        wheel = into / entry["file_name"]
        assert wheel.exists() == (name != "matplotlib")
        assert entry.get("sha256") == (hashlib.sha256(wheel.read_bytes()).hexdigest() if wheel.exists() else "unknown")
    assert {path.name for path in into.iterdir()} == {
        *pyodide.FILES, pyodide.LOCK, *(one["file_name"] for name, one in lock["packages"].items() if name != "matplotlib")
    }  # fmt: skip
    asked.clear()
    pyodide.download([], into)
    assert asked == []


@pytest.fixture
def jupyterlite(monkeypatch):
    """A JupyterLite that takes down what it is given, and makes a site of one page, or says why not."""
    given = types.SimpleNamespace(code=0, said="")

    def run(command, cwd, **options):
        given.command, given.files = command, {path.relative_to(cwd).as_posix(): path for path in cwd.rglob("*") if path.is_file()}
        given.files = {name: path.read_bytes() for name, path in given.files.items()}
        page = Path(command[-1]) / "lab" / "index.html"
        page.parent.mkdir(parents=True)
        page.write_bytes(bytes(3_400_000))
        return subprocess.CompletedProcess(command, given.code, "", given.said)

    def wheels_of(into, source, release):
        into.mkdir(parents=True)
        (into / "from").write_text(f"{source} {release!r}")
        return ["matplotlib.whl"]

    monkeypatch.setattr(site_module, "NEEDS", ())
    monkeypatch.setattr(site_module.subprocess, "run", run)
    monkeypatch.setattr(site_module.pyodide, "write", wheels_of)
    return given


def test_jupyterlite_is_given_the_lessons_as_they_are_handed_out_with_settings_and_pyodide(jupyterlite, tmp_path, capsys, own_clone):
    assert main(["site", "--out", "new", "--pyodide", "there"]) == 0
    out = tmp_path / "new"
    options = ["--apps", "lab", "--no-sourcemaps", "--no-unused-shared-packages", "--output-dir", str(out)]
    assert jupyterlite.command == [sys.executable, "-m", "jupyterlite_core", "build", *options]
    lessons = {name: jupyterlite.files.pop(f"files/{name}") for name in contents.for_learners()}
    assert lessons == {name: handout.handed_out(name) for name in lessons} and "07_why_none.ipynb" in lessons
    assert jupyterlite.files.pop("static/pyodide/from").decode() == f"{checkup.clone()} {Path('there')!r}"
    assert json.loads(jupyterlite.files.pop("jupyter-lite.json")) == site_module.SETTINGS
    assert "@jupyterlab/" in jupyterlite.files.pop("overrides.json").decode() and not jupyterlite.files
    said = capsys.readouterr()
    assert said.out == f"{Path('new') / 'lab' / 'index.html'}  3 MB\n"
    assert said.err == f"minigrad: no lesson runs before matplotlib.whl lies in {Path('new') / 'static' / 'pyodide'}.\n"


@pytest.mark.parametrize(("said", "told"), [("noise\nit broke \n\n", "it broke"), ("", "it said nothing")])
def test_a_site_that_jupyterlite_cannot_make_says_why(said, told, jupyterlite, tmp_path):
    jupyterlite.code, jupyterlite.said = 1, said
    with pytest.raises(Trouble, match=rf"JupyterLite could not make the site \({told}\)\.\nTry: .* --editable '\.\[course,site\]'"):
        site_module.site(str(tmp_path / "new"), "there")


@pytest.mark.parametrize("out", ["", "/dev/null/x"])
def test_a_site_needs_a_place(out, jupyterlite):
    with pytest.raises(Trouble, match=r"Nothing can be written to .*\nTry: minigrad site --out ~/site"):
        site_module.site(out, "there")
    assert not hasattr(jupyterlite, "command")


# ---- without threads and processes, here -------------------------------------------------------------------------------


def test_lessons_run_without_threads_and_processes_but_for_the_cell_that_is_about_a_thread(tmp_path):
    lessons = [file for number in ("00", "04", "07") for file in (ROOT / "course").glob(f"{number}_*.ipynb")]
    environment = os.environ | {"MPLBACKEND": "agg", "MINIGRAD_PROGRESS": str(tmp_path / "notes.json")}
    command = [sys.executable, "-m", "tests.as_in_browser", *lessons]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    cell = "04_intermediates_and_persistence.ipynb: run-deeper-again"
    assert done.stdout == f"{cell}: RuntimeError: can't start new thread\n", done.stderr


def test_without_a_fork_explain_says_so_and_what_it_knows_all_the_same():
    program = """
import tests.as_in_browser
import minigrad as mg
mg.trace(True)
v = mg.Variable(3.0, name="v")
with mg.GradientTape() as tape:
    energy = v * v.numpy()
print(tape.explain(energy, v))"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "cause  LEFT_ENGINE (proved)" in done.stdout
    assert done.stdout.endswith("note   no replay: this system cannot fork a process\n")


# ---- what a browser shows ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, with a notebook of our own in it; and what was said when it was made."""
    out = tmp_path_factory.mktemp("site") / "html"
    command = [sys.executable, "-m", "minigrad", "site", "--out", out, "--pyodide", PYODIDE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    furnish(out)
    return out, done.stderr


def furnish(site):
    """Put a notebook with our cells into a site, and the film that one of them shows."""
    blank = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**blank, "id": name, "source": text} for name, text in [("beginning", BEGINNING), *CELLS.items()]]
    lesson = json.loads((ROOT / "course" / "00_start_here.ipynb").read_text("utf-8"))
    add(site, "ours.ipynb", {**lesson, "cells": cells})
    add(site, "film.json", {"script": script(), "style": style(), "view": film().plain})


def add(site, name, content):
    """Put a file beside the lessons."""
    (site / "files" / name).write_text(json.dumps(content))
    listed = site / "api" / "contents" / "all.json"
    index = json.loads(listed.read_text())
    like = next(one for one in index["content"] if one["name"].endswith(Path(name).suffix) or one["type"] == "file")
    index["content"].append({**like, "name": name, "path": name})
    listed.write_text(json.dumps(index))


def film():
    mg.trace(True)
    x = mg.Variable(3.0, name="x")
    with mg.GradientTape() as tape:
        y = mg.sin(x * x)
    tape.gradient(y, x)
    return mg.inspect(tape)


@pytest.fixture(scope="module")
def address(site):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site[0]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/lab/index.html"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def notebook(browser, address):
    """Our notebook after all its cells have run."""
    page = new_page(browser, f"{address}?path=ours.ipynb")
    run(page, 120)
    yield page
    page.context.close()


def run(page, seconds):
    """Run all cells of the notebook that a page shows, as soon as its kernel has started."""
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=120_000)
    page.click("text='Run'")
    page.click("li[data-command='runmenu:run-all']")
    done = "prompts => prompts.every(prompt => /\\d/.test(prompt.innerText))"
    page.wait_for_function(
        f"({done})([...document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-InputArea-prompt')])", timeout=seconds * 1000
    )


def printed(page, name):
    """What a cell of ours has printed."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(1 + [*CELLS].index(name))
    return json.loads(cell.locator(".jp-OutputArea-output").last.inner_text())


@made
def test_every_compiled_wheel_that_is_lacking_is_told(site):
    out, said = site
    lock = json.loads((out / "static" / "pyodide" / pyodide.LOCK).read_text())
    for entry in lock["packages"].values():
        assert (out / "static" / "pyodide" / entry["file_name"]).exists() != (entry["file_name"] in said)
        assert entry["file_name"].endswith(pyodide.PURE) <= (entry["file_name"] not in said)


@made
def test_a_lesson_opens_as_it_is_handed_out_and_asks_nobody_else(browser, address):
    page = new_page(browser, f"{address}?path=07_why_none.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    assert "Why None" in page.locator(".jp-Notebook h1").first.inner_text()
    assert page.locator(".jp-Notebook .jp-OutputArea-output").count() == 0
    assert page.trouble == []
    page.context.close()


@made
def test_minigrad_is_imported_up_to_numpy(notebook):
    assert printed(notebook, "minigrad") == ["ModuleNotFoundError", "numpy"]
    assert notebook.trouble == []


@made
def test_all_that_is_used_of_the_standard_library_is_there_but_for_what_has_a_way_round(notebook):
    tops = {name.partition(".")[0] for name in printed(notebook, "missing")}
    packages = {"numpy", "matplotlib", "tensorflow"}  # the last only where a program of its own brings it
    assert tops - packages == {"fcntl", "resource", "msvcrt"}  # for replays, and for the lock on the notes


@made
def test_threads_and_processes_are_refused_as_other_tests_take_it(notebook):
    thread, process, fork, timer = printed(notebook, "refused")
    assert (thread, timer) == ("RuntimeError: can't start new thread", False)
    assert printed(notebook, "platform") == "emscripten"
    assert (process[:8], process[-9:], fork[:8]) == ("OSError:", "rocesses.", "OSError:")


@made
def test_a_film_is_shown_and_answers_keys_and_clicks(notebook):
    step_and_click(notebook, notebook.locator(".mg-inspector"))


@made
def test_what_a_learner_did_is_kept_in_the_browser(notebook):
    assert printed(notebook, "notes") == ["/drive/.progress.json", "9"]
