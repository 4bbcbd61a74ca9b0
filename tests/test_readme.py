"""What README.md, the guide for contributors and the glossary say is what happens."""

import contextlib
import functools
import importlib.util
import io
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.__main__ import parsed
from minigrad.classroom import handout, repository

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE, CHANGES, GLOSSARY = ".github/CONTRIBUTING.md", ".github/CHANGELOG.md", "course/glossary.md"
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
    assert tests.splitlines()[-1] == ".venv/bin/pytest -n auto --dist loadfile"


# ---- the badge -----------------------------------------------------------------------------------------------------

GITHUB = "https://github.com/somebody/minigrad"
AT_BINDER = "https://mybinder.org/v2/gh/somebody/minigrad/HEAD?urlpath=lab/tree/minigrad-course/00_start_here.ipynb"


def test_the_badge_is_that_of_the_setting_and_without_one_there_is_none():
    assert repository.with_badge(README, repository.badge(repository.repository(ROOT))) == README
    assert ("mybinder.org/v2/" in README) is bool(repository.repository(ROOT))


def test_the_badge_is_written_by_a_command():
    ran = subprocess.run([sys.executable, "-m", "minigrad.classroom.repository"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("README.md has ") and (ROOT / "README.md").read_text(encoding="utf-8") == README


@pytest.mark.parametrize(("setting", "link"), [
    (f'[project.urls]\nHomepage = "https://example.org"\nrepository = "{GITHUB}"\n', AT_BINDER),
    (f'[project.urls]\nRepository = "{GITHUB}.git/"\n', AT_BINDER),
    ('[project.urls]\nrepository = "https://gitlab.com/some/body"\n', AT_BINDER.replace("gh/somebody/minigrad", "gl/some%2Fbody")),
    (f'[project.urls]\n\n[tool.other]\nrepository = "{GITHUB}"\n', ""),
    ('[project.urls]\nrepository = "https://example.org/minigrad"\n', ""),
    ("", ""),
])  # fmt: skip
def test_one_setting_makes_the_badge(tmp_path, capsys, setting, link):
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "minigrad"\n\n{setting}')
    bare = repository.with_badge(README, "")
    (tmp_path / "README.md").write_text(README)
    for _ in range(2):
        repository.main(tmp_path)
        text = (tmp_path / "README.md").read_text()
        assert re.findall(r"https://mybinder\.org/v2/[^)\s]+", text) == ([link] if link else [])
        badge = repository.badge(repository.repository(tmp_path))
        assert text == (bare.replace("\n\n", f"\n\n{badge}\n\n", 1) if link else bare)
    assert link in capsys.readouterr().out
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "minigrad"\n')
    repository.main(tmp_path)
    assert (tmp_path / "README.md").read_text() == bare


def test_the_badge_opens_the_first_lesson():
    assert f"{handout.NAME}/{LESSONS['00'].name}" == repository.FIRST, "in the folder that binder/postBuild makes"


# ---- what README shows ---------------------------------------------------------------------------------------------


def test_the_picture_is_there_is_small_and_told_in_words():
    ((words, place),) = re.findall(r"^!\[(.+)\]\((.+)\)$", README, re.MULTILINE)
    picture = (ROOT / place).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 150_000
    assert len(words) > 100


PAGES = ["README.md", GUIDE, CHANGES, GLOSSARY, "course/teachers/class_server.md"]


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_module_that_is_named_exists(page):
    text = text_of(page)
    named = re.findall(r"`((?:minigrad|course|tests|binder|\.ci|\.github)/[\w./]*)`", text)
    linked = re.findall(r"\]\((?!http)([^)]+)\)", text)
    modules = re.findall(r"-m (tests\.[\w.]+)", text)
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert [name for name in linked if not (ROOT / page).parent.joinpath(name).exists()] == []
    assert [name for name in modules if not list(ROOT.glob(f"{name.replace('.', '/')}*"))] == []


@pytest.mark.parametrize("page", ["README.md", GUIDE, GLOSSARY])
def test_every_function_that_is_named_exists(page):
    text = re.sub(r"^```(text|python)\n.*?^```", "", text_of(page), flags=re.M | re.S)
    known = {"mg": mg, "tape": mg.GradientTape, "tidy": mg.engine.tidy}
    for path in re.findall(rf"`[^`]*?(?<!/)\b((?:{'|'.join(known)})(?:\.\w+)+)", text):
        first, *names = path.split(".")
        functools.reduce(getattr, names, known[first])
    for command in re.findall(r"^\.venv/bin/minigrad (.*)$", text, re.M):
        parsed()[0].parse_args(command.split())


# ---- the guide and the changelog -----------------------------------------------------------------------------------


def test_the_op_of_the_guide_works():
    (declaration,) = re.findall(r"^```python\n(.*?)^```", text_of(GUIDE), re.M | re.S)
    program = f"""
import doctest, minigrad as mg
exec({declaration!r}, vars(mg.nn))
assert doctest.testmod(mg.nn) == (0, doctest.testmod(mg.nn).attempted)
mg.test.check_gradients(lambda x: mg.nn.space_to_depth(x * x, 2), mg.random.normal([1, 4, 2, 3], seed=1), order=2)
mg.test.check_gradients(lambda x: mg.nn.depth_to_space(x * x, 2), mg.random.normal([1, 2, 1, 8], seed=1), order=2)
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_the_lines_that_the_guide_quotes_stand_in_the_source():
    (quoted,) = re.findall(r"^```text\n(@op.*?)^```", text_of(GUIDE), re.M | re.S)
    source = "".join(text_of(f"minigrad/math/{file}.py") for file in ("elementwise", "reductions"))
    assert [line for line in quoted.splitlines() if line not in source] == []


def test_modules_have_moved_as_the_changelog_says():
    moved = re.findall(r"^\| `([\w.]+)` \| (.+) \|$", text_of(CHANGES), re.M)
    assert len(moved) > 20
    for was, now in moved:
        assert importlib.util.find_spec(was) is None
        assert all(importlib.util.find_spec(name) for name in re.findall(r"`(.+?)`", now)), now


# ---- the glossary --------------------------------------------------------------------------------------------------

ENTRIES = re.findall(r"^- (\*\*.+?) \((\d\d|no lesson)\): (.+?)(?=\n\n|\n- |\Z)", text_of(GLOSSARY), re.M | re.S)


def words(text):
    """What is set off in a text: **so**, *so* or `so`."""
    found = re.findall(r"\*\*([^*]+)\*\*|\*([^*]+)\*|`([^`]+)`", " ".join(text.split()))
    return {word.lower() for words in found for word in words if word}


def lesson_text(number):
    return "\n".join("".join(cell["source"]) for cell in json.loads(LESSONS[number].read_text(encoding="utf-8"))["cells"])


def test_a_word_of_the_glossary_has_one_meaning():
    terms = [term for head, _, _ in ENTRIES for term in re.findall(r"\*\*(.+?)\*\*", head)]
    assert len(terms) > 80 and len(set(terms)) == len(terms)


@pytest.mark.parametrize(("head", "number"), [entry[:2] for entry in ENTRIES if entry[1] in LESSONS], ids=lambda one: one)
def test_a_word_occurs_in_the_lesson_that_introduces_it(head, number):
    assert any(word in lesson_text(number).lower() for word in words(head))


@pytest.mark.parametrize("number", LESSONS)
def test_the_words_of_a_lesson_stand_in_the_glossary(number):
    (listed,) = re.findall(r"^\*\*Words\.\*\* (.*)$", lesson_text(number), re.M)
    assert words(listed) - words(text_of(GLOSSARY)) == set()


def test_the_glossary_names_the_codes_of_explain():
    assert set(re.findall(r"`([A-Z_]{4,})`", text_of(GLOSSARY))) == set(mg.explain.codes())


# ---- lessons and commands ------------------------------------------------------------------------------------------


def test_the_lessons_are_listed_as_they_call_themselves_with_their_minutes():
    listed = re.findall(r"^\| (\d\d) \| (.+) \| (\d+) \|$", README, re.MULTILINE)
    assert [number for number, _, _ in listed] == sorted(LESSONS)
    for number, title, minutes in listed:
        head = "".join(json.loads(LESSONS[number].read_text(encoding="utf-8"))["cells"][0]["source"])
        assert head.startswith(f"# {number} · {title}\n")
        assert f" {minutes} minutes: " in head


def test_every_command_that_is_shown_is_understood():
    shown = re.findall(r"minigrad ((?:course|check|pack|build|book|site)\b[^`\n]*)", README)
    assert {line.split()[0] for line in shown} == {"course", "check", "pack", "build", "book", "site"}
    for line in shown:
        if "--help" not in line:
            parsed()[0].parse_args(line.split())
