"""A learner's work goes into one file and comes back out of it, and out of no other file."""

import base64
import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

from helpers import bring_back, carrying, diary, save_work

from minigrad.classroom import handout

NAME = "07_why_none.ipynb"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder with the lessons, which is left for another one with `elsewhere`."""
    move(tmp_path / "here", monkeypatch)
    return tmp_path / "here"


def move(place, monkeypatch):
    handout.lay_out(place)
    for module in (carrying, sys.modules["helpers.overview"]):
        monkeypatch.setattr(module, "COURSE", place)
    monkeypatch.setattr(diary, "FILE", place / ".progress.json")
    monkeypatch.setattr(diary, "memory", diary.empty())
    monkeypatch.setattr(diary, "pending", [])


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def worked_in(path):
    """Change a code cell and a text, delete a cell, add one after another and one at the end, and run one."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    code[1]["source"], code[2]["outputs"] = ["mine = 'ü'\n", "mine"], [{"output_type": "stream", "name": "stdout", "text": "5"}]
    notebook["cells"][0]["source"] = "my title"
    added = {"cell_type": "code", "id": "a1", "metadata": {}, "source": "1 / 0", "outputs": [], "execution_count": None}
    notebook["cells"][4:4] = [added, {**added, "id": "a2", "source": "second"}]
    notebook["cells"].append({"cell_type": "markdown", "id": "a3", "metadata": {}, "source": "a note"})
    path.write_text(json.dumps(notebook), encoding="utf-8")


def sources(path):
    return ["".join(cell["source"]) for cell in cells(path)]


def test_all_that_was_done_comes_back_elsewhere(place, tmp_path, monkeypatch, capsys):
    worked_in(place / NAME)
    mine = sources(place / NAME)
    diary.keep("predictions", "02.1", "4")
    diary.keep("solved", "02.1", "yes")
    save_work()
    assert "changes in 1 lesson and 2 notes are in my_work.json" in capsys.readouterr().out
    file = (place / "my_work.json").read_bytes()
    move(tmp_path / "there", monkeypatch)
    untouched = {path.name: path.read_bytes() for path in (tmp_path / "there").glob("*.ipynb")}
    (tmp_path / "there" / "my_work.json").write_bytes(file)
    bring_back()
    said = capsys.readouterr().out
    assert "changes in 1 lesson and 2 notes are here" in said and "close that without saving" in said
    assert sources(tmp_path / "there" / NAME) == mine
    assert all(not cell.get("outputs") for cell in cells(tmp_path / "there" / NAME)), "nothing was run"
    assert {name for name, was in untouched.items() if (tmp_path / "there" / name).read_bytes() != was} == {NAME}
    assert (diary.kept("predictions", "02.1"), diary.kept("solved", "02.1")) == ("4", "yes")


def test_what_stood_there_is_kept_and_so_are_first_predictions(place, capsys):
    save_work()
    work = json.loads((place / "my_work.json").read_text())
    work["lessons"][NAME] = [{"id": "setup", "after": "", "kind": "code", "source": "theirs"}]
    work["notes"]["predictions"] = {"02.1": "1", "02.2": "12"}
    (place / "my_work.json").write_text(json.dumps(work))
    worked_in(place / NAME)
    mine = (place / NAME).read_bytes()
    diary.keep("predictions", "02.1", "4")
    bring_back("my_work.json")
    assert [path.read_bytes() for path in (place / "my_copies").iterdir()] == [mine]
    assert "theirs" in sources(place / NAME) and "mine" not in sources(place / NAME)
    assert (diary.kept("predictions", "02.1"), diary.kept("predictions", "02.2")) == ("4", "12")


def test_without_work_there_is_a_file_that_says_so(place, capsys):
    save_work()
    assert capsys.readouterr().out.startswith("save_work: changes in 0 lessons and 0 notes are in my_work.json")
    assert json.loads((place / "my_work.json").read_text())["lessons"] == {}


def test_in_a_notebook_a_link_downloads_the_work(place, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.get_ipython", lambda: "a kernel")
    monkeypatch.setattr("IPython.display.display", lambda one: shown.append(one.data))
    save_work()
    (link,) = shown
    content = base64.b64decode(re.search('href="data:application/json;base64,([^"]*)"', link)[1])
    assert content == (place / "my_work.json").read_bytes()


def test_a_file_that_is_too_large_is_told_with_its_size(place, capsys):
    with open(place / "my_work.json", "wb") as file:
        file.truncate(10_500_000)
    bring_back()
    assert "The file has 11 MB, which is more than any work has." in capsys.readouterr().out


def test_why_nothing_is_brought_back_is_told_without_control_characters(place, capsys, monkeypatch):
    def refuses(path):
        raise carrying.NoWork("\x1b[31m" + "long " * 100)

    monkeypatch.setattr(carrying, "read", refuses)
    bring_back()
    said = capsys.readouterr().out
    assert "\x1b" not in said and "\\x1b[31mlong" in said and len(said) < 250


def test_a_damaged_lesson_is_left_out_with_a_word(place, capsys):
    (place / NAME).write_text("{broken")
    save_work()
    assert (
        f"({NAME}" not in capsys.readouterr().out.replace(f"(save_work: {NAME} is damaged", "")
        and NAME not in (place / "my_work.json").read_text()
    )


CELL = {"id": "setup", "after": "", "kind": "code", "source": "x"}
NOTES = {"predictions": {}, "solved": {}, "mistakes": {}}
HOSTILE = {
    "no file": None,
    "empty": "",
    "no JSON": "{",
    "a list": [],
    "a number": 5,
    "deep": lambda: "[" * 100_000,
    "another version": {"format": 2, "lessons": {}, "notes": NOTES},
    "a path": {"format": 1, "lessons": {"../../evil.ipynb": [CELL]}, "notes": NOTES},
    "another file": {"format": 1, "lessons": {"helpers/card.py": [CELL]}, "notes": NOTES},
    "the record": {"format": 1, "lessons": {".minigrad.json": [CELL]}, "notes": NOTES},
    "cells of no kind": {"format": 1, "lessons": {NAME: [{**CELL, "kind": "script"}]}, "notes": NOTES},
    "an id that no notebook takes": {"format": 1, "lessons": {NAME: [{**CELL, "id": "<script>"}]}, "notes": NOTES},
    "a source that is no text": {"format": 1, "lessons": {NAME: [{**CELL, "source": {"a": 1}}]}, "notes": NOTES},
    "cells that are no list": {"format": 1, "lessons": {NAME: {"a": CELL}}, "notes": NOTES},
    "notes of no kind": {"format": 1, "lessons": {}, "notes": {"secrets": {"02.1": "x"}}},
    "a note that is no text": {"format": 1, "lessons": {}, "notes": {"solved": {"02.1": 5}}},
    "a long key": {"format": 1, "lessons": {}, "notes": {"solved": {"x" * 1000: "yes"}}},
    "a key with a control character": {"format": 1, "lessons": {}, "notes": {"solved": {"\x1b[2J": "yes"}}},
    "large": lambda: '"' + "x" * (11 << 20) + '"',  # made only where it is used
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_of_another_make_is_refused_and_nothing_is_changed(name, place, capsys):
    content = HOSTILE[name]() if callable(HOSTILE[name]) else HOSTILE[name]
    if content is not None:
        (place / "my_work.json").write_text(content if isinstance(content, str) else json.dumps(content))
    before = {path: path.read_bytes() for path in place.parent.rglob("*") if path.is_file()}
    bring_back()
    said = capsys.readouterr().out
    assert said.startswith("bring_back: nothing was changed. ") and len(said) < 300 and said.strip().isprintable()
    assert {path: path.read_bytes() for path in place.parent.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("file", [None, 5, object(), "", "\0", "/", "x" * 10_000])
def test_what_is_no_name_of_a_file_is_no_traceback(file, capsys):
    bring_back(file)
    assert "bring_back" in capsys.readouterr().out
