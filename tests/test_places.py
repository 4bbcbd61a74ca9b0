"""Whose code is it? One place decides, for explain, for films and for checks, wherever packages lie."""

import ast
import linecache
import os
import subprocess
import sys
import sysconfig
import textwrap
import types
from code import InteractiveConsole

import numpy as np
import pytest

import minigrad as mg
from minigrad.tracing import places, source

PROGRAM = """
import minigrad as mg
from library import half
x = mg.Variable(3.0, name="x")
with mg.trace():
    with mg.GradientTape() as tape:
        y = half(x) * x
print(tape.explain(y, x).status, [e.place.text for e in mg.tracing.log.trace_of(tape).events if e.place.text])
"""
LIBRARY = """
def half(x):
    return float(x) / 2
"""


@pytest.mark.parametrize(
    "file",
    [np.__file__, os.__file__, mg.__file__, mg.keras.__file__, "<op multiply>", "<frozen importlib._bootstrap>",
     "/usr/lib/python3/dist-packages/pandas/core/series.py", "/home/ada/.local/lib/python3.11/site-packages/torch/_tensor.py",
     "/opt/bundle/libraries.zip/attr/_make.py", sysconfig.get_path("scripts") + "/pytest"],
)  # fmt: skip
def test_of_a_library(file):
    assert places.is_library(file)


@pytest.mark.parametrize(
    "file", [__file__, "<stdin>", "<ipython-input-3-0f>", "/tmp/ipykernel_17/2403.py", "/home/ada/thesis/model.py", "train.py"]
)
def test_of_the_user(file):
    assert not places.is_library(file)


def test_what_lies_beside_numpy_is_a_library_unless_the_user_works_there(tmp_path, monkeypatch):
    there, here = tmp_path / "elsewhere", tmp_path / "thesis"
    monkeypatch.setattr(np, "__file__", str(there / "numpy" / "__init__.py"))
    here.mkdir()
    monkeypatch.chdir(here)
    assert places.is_library(str(there / "pandas" / "series.py")) and not places.is_library(str(here / "model.py"))
    there.mkdir()
    monkeypatch.chdir(there)
    assert places.is_library(str(there / "numpy" / "core.py")) and not places.is_library(str(there / "model.py"))


@pytest.mark.parametrize("main", ["program.py", None])
def test_what_lies_beside_the_running_program_is_the_users(main, tmp_path, monkeypatch):
    there = tmp_path / "elsewhere"
    monkeypatch.setattr(np, "__file__", str(there / "numpy" / "__init__.py"))
    monkeypatch.setattr(sys.modules["__main__"], "__file__", main and str(there / main), raising=False)
    assert places.is_library(str(there / "model.py")) == (main is None)


@pytest.mark.parametrize("where", ["project/site-packages", "libs/dist-packages"])
def test_the_line_of_a_value_that_leaves_in_a_library_is_the_users(tmp_path, where):
    folder = tmp_path / where
    folder.mkdir(parents=True)
    (folder / "library.py").write_text(textwrap.dedent(LIBRARY))
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.path.dirname(os.path.dirname(mg.__file__))])}
    told = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
    assert told.startswith("partial")
    assert "float(x) / 2" not in told and "y = half(x) * x" in told


OWN = """
import minigrad as mg
def half_of(x):
    half = float(x) / 2
    return half * x
x = mg.Variable(3.0, name="x")
with mg.trace():
    with mg.GradientTape() as tape:
        y = half_of(x)
print(tape.explain(y, x).causes[0].line)
"""
PLACES = {  # where the program is, and what else is there
    "in a folder with a suffix": ("homework.zip/week1/train.py", ()),
    "below packages that pip put beside it": ("project/src/train.py", ("project/numpy/__init__.py", "project/numpy-2.0.dist-info/RECORD")),
    "in the folder of commands": ("bin/train.py", ()),
}


@pytest.mark.parametrize("where", PLACES)
def test_the_program_that_runs_is_the_users_wherever_it_lies(tmp_path, where):
    name, beside = PLACES[where]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(OWN)
    for one in beside:
        (tmp_path / one).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / one).write_text("numpy/__init__.py,,\n")
    numpy = f"import numpy; numpy.__file__ = {str(tmp_path / beside[0])!r}; " if beside else ""
    scripts = (
        f"import minigrad.tracing.places as p, pathlib; p.STANDARD.add(pathlib.Path({str((tmp_path / name).parent)!r})); "
        if "bin" in name
        else ""
    )
    start = f"{numpy}{scripts}import runpy, sys; m = sys.modules['__main__']; m.__file__ = {str(tmp_path / name)!r}; exec(compile(open(m.__file__).read(), m.__file__, 'exec'), vars(m))"
    assert told_by([sys.executable, "-c", start], tmp_path) == "half = float(x) / 2\n"


def told_by(command, folder, **environment):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*environment.values(), os.path.dirname(os.path.dirname(mg.__file__))])}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def test_what_was_not_installed_beside_numpy_is_the_users(tmp_path, monkeypatch):
    monkeypatch.setattr(np, "__file__", str(tmp_path / "numpy" / "__init__.py"))
    (tmp_path / "numpy-2.0.dist-info").mkdir()
    (tmp_path / "numpy-2.0.dist-info" / "RECORD").write_text("numpy/__init__.py,,\nnumpy-2.0.dist-info/RECORD,,\n")
    assert places.is_library(str(tmp_path / "numpy" / "core.py")) and not places.is_library(str(tmp_path / "mine" / "model.py"))


@pytest.mark.parametrize(("installed", "library"), [("site-packages", True), ("packages", True), ("mine", False)])
def test_what_a_link_leads_to_decides(installed, library, tmp_path):
    for place in (f"{installed}/thing", "env/site-packages", "deps"):
        (tmp_path / place).mkdir(parents=True)
    if installed == "packages":
        (tmp_path / installed / "thing-1.dist-info").mkdir()
    inside = tmp_path / "env" / "site-packages" / "thing"
    for link in (inside, tmp_path / "deps" / "thing"):
        link.symlink_to(tmp_path / installed / "thing")
    assert places.is_library(str(inside / "model.py")) == library
    assert places.is_library(str(tmp_path / "deps" / "thing" / "model.py")) == (installed == "site-packages")


def test_where_the_working_folder_is_gone_all_goes_on(tmp_path):
    gone = "import os, tempfile; folder = tempfile.mkdtemp(); os.chdir(folder); os.rmdir(folder)\n"
    more = "import linecache\nlinecache.cache['a file'] = 1, None, ['y = x * x\\n'], 'a file'\nwith mg.trace(), mg.GradientTape() as tape:\n    exec(compile('y = x * x', 'a file', 'exec'))\nmg.inspect(tape, y, x)\nprint(mg.function(lambda v: v * 2)(x).numpy(), tape.explain(y, x).status)"
    assert told_by([sys.executable, "-c", gone + OWN + more], tmp_path).endswith("6.0 complete\n")


def test_a_cell_is_a_program_although_its_console_is_one_too(tmp_path, monkeypatch):
    (tmp_path / "asked_at_import.py").write_text(
        "from minigrad.tracing.places import program_frame\n\nfile = program_frame().f_code.co_filename\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    console = InteractiveConsole()
    console.runcode(compile("from asked_at_import import file, program_frame\nhere = program_frame().f_code", "<the cell>", "exec"))
    assert console.locals["file"] == console.locals["here"].co_filename == "<the cell>"


def test_a_python_without_columns_knows_the_line_of_an_instruction(monkeypatch):
    monkeypatch.setattr(source.importlib.util, "find_spec", lambda name: None)
    code = types.SimpleNamespace(co_firstlineno=7, co_lines=lambda: iter([(0, 4, 7), (4, 10, 9), (10, 12, 8)]))
    lines = [source.position(code, k)[0] for k in (0, 3, 4, 9, 10, 11)]
    assert lines == [7, 7, 9, 9, 8, 8]
    assert source.position(code, 12) == (7, None, None, None), "an instruction that is nowhere is where the code begins"


def test_an_instruction_that_is_nowhere_is_where_the_code_begins():
    def three():
        return 3.0

    assert source.position(three.__code__, 10**6) == (three.__code__.co_firstlineno, None, None, None)


def test_where_python_has_no_columns_the_package_executing_tells_them(monkeypatch):
    call, frames = ast.parse("\n\ny = half(\n  x)").body[0].value, []
    found = types.SimpleNamespace(executing=lambda frame: frames.append(frame) or types.SimpleNamespace(node=call))
    monkeypatch.setattr(source.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setitem(sys.modules, "executing", types.SimpleNamespace(Source=found))
    code = types.SimpleNamespace(co_firstlineno=1, co_lines=lambda: iter([(0, 4, 3)]))
    assert source.position(code, 2) == (3, 4, 4, 4) and (frames[0].f_lasti, frames[0].f_lineno) == (2, 3)


def test_of_the_name_of_a_function_200_letters_are_shown():
    x, functions = mg.Variable(2.0), {"a" * 300: float}
    program = f"with mg.trace(), mg.GradientTape() as tape:\n    y = functions['{'a' * 300}'](x) * x\nanswer = tape.explain(y, x)"
    space, file = {"mg": mg, "x": x, "functions": functions}, "<a long name>"
    linecache.cache[file] = 0, None, program.splitlines(True), file
    exec(compile(program, file, "exec"), space)
    assert space["answer"].causes[0].op == f"functions['{'a' * 186}..."


def test_a_chain_of_methods_over_several_lines_is_one_call():
    program = "with mg.trace() as log:\n    y = half((x\n      .numpy()\n      .sum()), len('a'))"
    space, file = {"mg": mg, "x": mg.Variable([2.0]), "half": lambda v, n: v / 2}, "<a chain>"
    linecache.cache[file] = 0, None, program.splitlines(True), file
    exec(compile(program, file, "exec"), space)
    (left,) = space["log"].events
    assert source.called_text(left.place) == "x.numpy"


def lined(text, line):
    """What is shown of the statement on a line."""
    file = f"<shown {abs(hash(text))}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    code = types.SimpleNamespace(co_filename=file, co_firstlineno=line, co_lines=lambda: iter([(0, 2, line)]))
    return source.statement_text(places.Place(code, 0))


STATEMENTS = [
    ("x = 1\ny = (x +\n     2)\n", 2, "y = (x + 2)"), ("x = 1\ny = (x +\n     2)\n", 3, "y = (x + 2)"), ("if x:\n    y = 2\n", 1, "if x:"),
    ("for k in range(3):\n    y = k\n", 2, "y = k"), ("with mg.GradientTape() as tape:\n    y = x\n", 1, "with mg.GradientTape() as tape:"),
    ("y = a  +  c\n", 1, "y = a + c"), ("y = a + \\\n    c\n", 2, "y = a + c"), ("y = (a +  # one\n  c)\n", 1, "y = (a + c)"),
    ("match x:\n    case 1:\n        y = 2\n", 1, "match x:"), ("def f(a):\n    return a\n", 1, "def f(a):"), ("x = = 1\n", 1, "x = = 1"), ("x = 1\n", 9, ""), ("y = x  # what it is\n", 1, "y = x"),
    ("y = f('a  b',\n      c)\n", 1, "y = f('a  b', c)"), ('y = f("it\'s  so")  +  c\n', 1, 'y = f("it\'s  so") + c'),
    ('y = f("""two  \n  "lines""",\n  c)\n', 1, 'y = f("""two  \\n  "lines""", c)'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "said"), STATEMENTS)
def test_a_statement_is_shown_on_one_line_as_it_was_written(text, line, said, monkeypatch):
    monkeypatch.setattr(source.importlib.util, "find_spec", lambda name: None)
    assert lined(text, line) == said


@pytest.mark.parametrize(("more", "said"), [(0, "y = f(" + "a" * 55 + ", " + "b" * 56 + ")"), (1, "y = f(" + "a" * 55 + ",")])
def test_of_a_statement_of_more_than_120_letters_one_line_is_shown(more, said, monkeypatch):
    monkeypatch.setattr(source.importlib.util, "find_spec", lambda name: None)
    assert lined(f"y = f({'a' * 55},\n      {'b' * (56 + more)})\n", 1) == said and len(said) in (120, 62)
