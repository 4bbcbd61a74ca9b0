"""binder/: everything that the course needs stands there with its version, and the project comes last."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
*PINS, LAST = (ROOT / "binder" / "requirements.txt").read_text().splitlines()


def test_every_line_but_the_last_pins_one_version():
    assert [line for line in PINS if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert LAST == "--editable ."


def test_what_the_course_needs_is_pinned_within_its_bounds():
    if sys.version_info < (3, 11):
        pytest.skip("tomllib came with Python 3.11")
    import tomllib
    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = dict(line.lower().split("==") for line in PINS)
    needs = [Requirement(text) for text in project["dependencies"] + project["optional-dependencies"]["course"]]
    assert [str(need) for need in needs if pins[need.name] not in need.specifier] == []


def test_the_python_is_one_that_the_project_supports():
    assert (ROOT / "binder" / "runtime.txt").read_text() in {f"python-3.{minor}\n" for minor in range(10, 14)}


def test_repo2docker_understands_the_files():
    asked = subprocess.run([sys.executable, "-m", "repo2docker", "--no-build", "--debug", ROOT], capture_output=True, text=True)
    assert asked.returncode == 0, asked.stderr
    assert f"python={(ROOT / 'binder' / 'runtime.txt').read_text().strip().removeprefix('python-')}" in asked.stderr
    assert 'pip install --no-cache-dir -r "binder/requirements.txt"' in asked.stdout  # from this repository, for --editable .
