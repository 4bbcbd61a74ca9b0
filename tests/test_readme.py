"""What README.md shows is what happens."""

import contextlib
import io
import re
import runpy
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_the_taste_prints_what_it_says(tmp_path):
    (program,), (explanation,) = blocks("python"), blocks("text")
    script = tmp_path / "taste.py"
    script.write_text(program)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        space = runpy.run_path(str(script))
    space["mg"].trace(False)
    slope, _, rest = printed.getvalue().partition("\n")
    assert slope in program
    assert rest == explanation


def test_the_first_two_commands_start_the_course_and_run_the_tests():
    course, tests, *_ = blocks("sh")
    assert course.splitlines()[-1] == ".venv/bin/minigrad course"
    assert tests.splitlines()[-1] == ".venv/bin/pytest"
