"""Whose code is it? One place decides, for explain, for films and for checks, wherever packages lie."""

import os
import subprocess
import sys
import sysconfig
import textwrap

import numpy as np
import pytest

import minigrad as mg
from minigrad.tracing import places

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
