"""The parts of the film that need no page, run by Node: tests/front.test.js says what they shall do."""

import json
import pathlib
import shutil
import subprocess

import pytest

import minigrad as mg

TESTS = pathlib.Path(__file__).parent
FRONT = pathlib.Path(mg.__file__).parent / "inspector" / "front"


@pytest.mark.skipif(shutil.which("node") is None, reason="this needs Node")
def test_numbers_positions_and_stories(tmp_path):
    x = mg.Variable(3.0, name="x")
    with mg.trace():
        with mg.GradientTape() as tape:
            y = x * x
            z = mg.sin(y)
        tape.gradient(z, x)
    (tmp_path / "view.json").write_text(json.dumps(mg.inspect(tape).plain), "utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    for path in (*FRONT.glob("*.js"), TESTS / "front.test.js"):
        shutil.copy(path, tmp_path)
    done = subprocess.run(["node", "--test"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "# pass 8\n" in done.stdout, done.stdout + done.stderr
