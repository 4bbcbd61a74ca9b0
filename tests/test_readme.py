"""What README.md shows is what happens."""

import contextlib
import io
import json
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LESSONS = {path.name[:2]: path for path in (ROOT / "course").glob("[0-9][0-9]_*.ipynb")}


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_the_taste_prints_what_it_says(tmp_path):
    (program,), (explanation,) = blocks("python"), blocks("text")
    script = tmp_path / "taste.py"
    script.write_text(program)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        space = runpy.run_path(str(script))
    space["mg"].trace(False)
    assert printed.getvalue() == explanation
    assert explanation.startswith("None\n"), "a None that is explained"
    assert "PARTIAL" in explanation, "a wrong number that is caught"


def test_the_first_two_commands_start_the_course_and_run_the_tests():
    course, tests, *_ = blocks("sh")
    assert course.splitlines()[-1] == ".venv/bin/minigrad course"
    assert tests.splitlines()[-1] == ".venv/bin/pytest"


def test_the_button_opens_the_first_lesson_on_binder():
    (link,) = set(re.findall(r"https://mybinder\.org/v2/[^)\s]+", README))
    address, _, path = link.partition("?urlpath=lab/tree/")
    assert re.fullmatch(r"https://mybinder\.org/v2/gh/[\w.-]+/[\w.-]+/[\w.-]+", address)
    assert ROOT / path == LESSONS["00"]


def test_the_picture_is_there_is_small_and_told_in_words():
    ((words, place),) = re.findall(r"^!\[(.+)\]\((.+)\)$", README, re.MULTILINE)
    picture = (ROOT / place).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 150_000
    assert len(words) > 100


@pytest.mark.parametrize("page", ["README.md", "course/teachers/class_server.md"])
def test_every_file_and_module_that_is_named_exists(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:minigrad|course|tests|binder|\.ci)/[\w./]*)`", text) + re.findall(
        r"^\[.*\]\((?!http)(.+)\)$", text, re.MULTILINE
    )
    assert [name for name in named if not (ROOT / name).exists()] == []
    modules = re.findall(r"-m (tests\.[\w.]+)", text)
    assert modules
    assert [name for name in modules if not list(ROOT.glob(f"{name.replace('.', '/')}*"))] == []


def test_the_lessons_are_listed_as_they_call_themselves_with_their_minutes():
    listed = re.findall(r"^\| (\d\d) \| (.+) \| (\d+) \|$", README, re.MULTILINE)
    assert [number for number, _, _ in listed] == sorted(LESSONS)
    for number, title, minutes in listed:
        head = "".join(json.loads(LESSONS[number].read_text(encoding="utf-8"))["cells"][0]["source"])
        assert head.startswith(f"# {number} · {title}\n")
        assert f" {minutes} minutes: " in head


def test_every_command_that_is_shown_is_understood():
    from minigrad.__main__ import parsed

    shown = re.findall(r"minigrad ((?:course|check|pack|build)[^`\n]*)", README)
    assert {line.split()[0] for line in shown} == {"course", "check", "pack", "build"}
    for line in shown:
        if "--help" not in line:
            parsed()[0].parse_args(line.split())
