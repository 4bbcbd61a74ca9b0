"""The folder that a learner works in: all lessons, none of them run, and nothing of the learner's is ever written over."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad.__main__ import main
from minigrad.classroom import contents, course, handout

ROOT = Path(__file__).parent.parent
LESSONS = [path.name for path in sorted((ROOT / "course").glob("[0-9][0-9]_*.ipynb"))]
WHY_NONE = "07_why_none.ipynb"


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def files(place):
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def laid_again(place, capsys):
    handout.lay_out(place)
    return capsys.readouterr().err


def changed(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_learner_gets_the_lessons_not_run_and_nothing_for_authors_and_teachers(own_course):
    assert set(files(own_course)) == {*contents.for_learners(), handout.RECORD}
    for name in LESSONS:
        ours, theirs = cells(ROOT / "course" / name), cells(own_course / name)
        assert [cell["source"] for cell in theirs] == [cell["source"] for cell in ours]
        code = [cell for cell in theirs if cell["cell_type"] == "code"]
        assert not any(cell["outputs"] or cell["execution_count"] for cell in code) and code


def test_the_helpers_work_in_that_folder_and_keep_their_notes_there(own_course):
    program = 'from helpers import predict, progress; predict("01.1", 3); progress()'
    command = [sys.executable, "-c", f"import sys; sys.path[0] = ''; {program}"]
    said = subprocess.check_output(command, cwd=own_course, env={"PYTHONPATH": str(ROOT), "PATH": ""}, text=True)
    assert said.startswith("01.1: kept 3.")
    assert json.loads((own_course / ".progress.json").read_text())["predictions"] == {"01.1": "3"}


def test_laid_out_again_it_says_and_changes_nothing(own_course, capsys):
    capsys.readouterr()
    before = files(own_course)
    assert laid_again(own_course, capsys) == "" and files(own_course) == before


def test_what_a_learner_does_in_a_lesson_stays(own_course, capsys):
    changed(own_course / WHY_NONE, "import minigrad as mg", "import minigrad as mine")
    (own_course / "notes.md").write_text("mine")
    before = files(own_course)
    laid_again(own_course, capsys)
    assert files(own_course) == before


def test_a_lesson_that_has_changed_replaces_an_untouched_one_and_lies_beside_one_that_was_worked_in(own_course, own_clone, capsys):
    laid_again(own_course, capsys)
    changed(own_course / WHY_NONE, "import minigrad as mg", "import minigrad as mine")
    mine = (own_course / WHY_NONE).read_bytes()
    for name in (WHY_NONE, "08_not_none_but_wrong.ipynb"):
        changed(own_clone / name, "import minigrad as mg", "import minigrad as newer")
    assert laid_again(own_course, capsys).splitlines() == [
        "minigrad: new or changed lessons: 08.",
        f"minigrad: {WHY_NONE}, in which you have worked, has changed. The new one lies beside it: 07_why_none.new.ipynb.",
    ]
    assert (own_course / WHY_NONE).read_bytes() == mine
    assert (
        "newer" in (own_course / "07_why_none.new.ipynb").read_text()
        and "newer" in (own_course / "08_not_none_but_wrong.ipynb").read_text()
    )
    assert laid_again(own_course, capsys) == "", "it is offered once"


def test_each_version_that_was_worked_in_stays(own_course, own_clone, capsys):
    for version, name in enumerate(("07_why_none.new.ipynb", "07_why_none.new.2.ipynb", "07_why_none.new.3.ipynb")):
        for notebook in own_course.glob("07*.ipynb"):
            changed(notebook, '"cells"', ' "cells"')
        before = files(own_course)
        changed(own_clone / WHY_NONE, '"nbformat"', f'"version": {version}, "nbformat"')
        laid_again(own_course, capsys)
        assert set(files(own_course)) - set(before) == {name}
        assert {one: text for one, text in before.items() if one.startswith("07")}.items() <= files(own_course).items()


def test_a_helper_that_a_learner_has_changed_is_kept_and_replaced(own_course, own_clone, capsys):
    (own_course / "helpers" / "card.py").write_text("mine")
    changed(own_clone / "helpers" / "card.py", "import", "import sys\nimport")
    laid_again(own_course, capsys)
    assert (own_course / "helpers" / "card.py").read_text() == (own_clone / "helpers" / "card.py").read_text()
    assert [path.read_text() for path in (own_course / "my_copies").iterdir()] == ["mine"]


@pytest.mark.parametrize("record", ["", "[]", '{"files": 3}', '{"files": {"07_why_none.ipynb": 5}}', "{", "\ud800"])
def test_without_a_record_all_that_differs_is_a_learners(record, own_course, capsys):
    changed(own_course / WHY_NONE, "import minigrad as mg", "import minigrad as mine")
    mine = (own_course / WHY_NONE).read_bytes()
    (own_course / handout.RECORD).write_bytes(record.encode(errors="surrogatepass"))
    laid_again(own_course, capsys)
    assert (own_course / WHY_NONE).read_bytes() == mine
    assert [path.name for path in own_course.glob("*.new*")] == ["07_why_none.new.ipynb"]


def test_what_a_killed_command_left_over_goes_at_the_next_start_and_nothing_else(own_course, capsys):
    for name in ("pictures/inspector.png.7.new", f"{WHY_NONE}.7.new", f"{WHY_NONE}.mine.new"):
        (own_course / name).write_text("half")
        os.utime(own_course / name, (0, 0))
    laid_again(own_course, capsys)
    assert [path.name for path in own_course.rglob("*.new")] == [f"{WHY_NONE}.mine.new"]


def test_a_folder_that_is_laid_out_only_in_part_is_completed(own_course, monkeypatch, capsys):
    before = files(own_course)
    for path in own_course.glob("0*.ipynb"):
        path.unlink()
    write, left = handout.whole.write, [3]

    def stopped(path, content):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        write(path, content)

    monkeypatch.setattr(handout.whole, "write", stopped)
    with pytest.raises(KeyboardInterrupt):
        handout.lay_out(own_course)
    monkeypatch.setattr(handout.whole, "write", write)
    laid_again(own_course, capsys)
    assert files(own_course) == before


# ---- which folder it is --------------------------------------------------------------------------------------------------


def test_it_is_the_one_that_is_there_else_one_is_made_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(course, "PACKAGE", tmp_path / "site-packages" / "minigrad")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "pack" / ".venv"))
    made = tmp_path / "minigrad-course"
    assert handout.folder() == made
    assert handout.folder("mine") == tmp_path / "mine"
    assert handout.folder("~/mine") == Path.home() / "mine"
    assert handout.folder("~of_nobody/mine") == tmp_path / "~of_nobody" / "mine"
    beside = tmp_path / "pack" / "minigrad-course"
    for place in (beside, made):
        place.mkdir(parents=True)
        (place / handout.RECORD).write_text("{}")
        assert handout.folder() == place
    monkeypatch.chdir(beside)
    assert handout.folder() == beside, "one is in it"


def test_in_a_clone_it_lies_in_the_clone_and_elsewhere_not(own_clone, tmp_path_factory, monkeypatch):
    assert handout.folder() == own_clone.parent / "minigrad-course"
    monkeypatch.chdir(own_clone)
    assert handout.folder() == own_clone.parent / "minigrad-course"
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    assert handout.folder() == elsewhere / "minigrad-course"


def test_the_command_lays_them_where_it_is_told_and_lists_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["course", "--no-lab", "--folder", "mine"]) == 0
    assert sorted(path.name for path in (tmp_path / "mine").glob("[0-9]*.ipynb")) == LESSONS
    assert main(["course", "--list"]) == 0
    assert capsys.readouterr().out.splitlines()[7] == "07  why none"
    assert not (tmp_path / handout.NAME).exists()
