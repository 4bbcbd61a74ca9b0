"""A learner's code says what is solved and which known mistake came first; `minigrad class` adds up those of a class."""

import io
import random
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

from helpers import card, check, diary, handing_in, progress

from minigrad.__main__ import main
from minigrad.classroom import together


@pytest.fixture(autouse=True)
def notes(tmp_path, monkeypatch):
    monkeypatch.setattr(diary, "FILE", tmp_path / ".progress.json")
    monkeypatch.setattr(diary, "memory", diary.empty())
    monkeypatch.setattr(diary, "pending", [])


def noted(monkeypatch, solved=(), mistakes=()):
    """The code of such notes."""
    notes = {"predictions": {}, "solved": dict.fromkeys(solved, "yes"), "mistakes": dict(mistakes)}
    monkeypatch.setattr(diary, "all_kept", notes.get)
    return handing_in.code()


def test_a_code_says_what_was_noted(monkeypatch):
    assert handing_in.read(noted(monkeypatch)) == dict.fromkeys(handing_in.exercises(), (False, 0))
    chance = random.Random(1)
    for _ in range(50):
        solved = {name for name in handing_in.exercises() if chance.random() < 0.5}
        mistakes = {name: str(chance.randint(0, len(one.replies))) for name, one in handing_in.exercises().items()}
        found = handing_in.read(noted(monkeypatch, solved, mistakes))
        assert found == {name: (name in solved, int(mistakes[name])) for name in handing_in.exercises()}


def test_it_is_short_and_names_nobody(monkeypatch):
    most = {name: str(len(one.replies)) for name, one in handing_in.exercises().items()}
    assert re.fullmatch(r"[A-Z2-7]{8}(-[A-Z2-7]{1,8})+", noted(monkeypatch, most, most))
    assert len(noted(monkeypatch, most, most)) <= 120


def test_every_wrong_letter_is_noticed(monkeypatch):
    code = noted(monkeypatch, ["02.1"])
    for k in range(0, len(code), 5):
        for letter in "A7-":
            wrong = code[:k] + letter + code[k + 1 :]
            if wrong.replace("-", "") != code.replace("-", ""):
                with pytest.raises(ValueError, match=r"mistyped|letters"):
                    handing_in.read(wrong)
    assert handing_in.read(code.lower().replace("-", "")) == handing_in.read(code)


def test_a_code_of_other_exercises_is_noticed(monkeypatch):
    code = noted(monkeypatch, ["02.1"])
    others = {name.replace("02.1", "02.9"): one for name, one in handing_in.exercises().items()}
    monkeypatch.setattr(handing_in, "exercises", lambda: others)
    with pytest.raises(ValueError, match="another version"):
        handing_in.read(code)


def test_the_first_known_mistake_is_noted_and_progress_prints_the_code(capsys):
    check("01.1", lambda f, x, h: (f(x + h) - f(x)) / h)
    first = diary.kept("mistakes", "01.1")
    assert card.find("01.1").replies[int(first) - 1].text in capsys.readouterr().out
    check("01.1", lambda f, x, h: (f(x + h) - f(x - h)) / h)
    assert diary.kept("mistakes", "01.1") == first
    check("01.1", lambda f, x, h: (f(x + h) - f(x - h)) / (2 * h))
    capsys.readouterr()
    progress()
    code = capsys.readouterr().out.split()[-1]
    assert handing_in.read(code)["01.1"] == (True, int(first))


@pytest.mark.parametrize("note", ["x", "99", "-1", "", "1.5", "٣٣"])
def test_a_note_that_makes_no_sense_is_no_mistake(note, monkeypatch):
    assert handing_in.read(noted(monkeypatch, (), {"01.1": note}))["01.1"] == (False, 0)


def test_a_class_is_added_up(monkeypatch, tmp_path, capsys):
    codes = [noted(monkeypatch, ["01.1", "01.2"]), noted(monkeypatch, ["01.1"], {"01.1": "2"}), noted(monkeypatch, [], {"01.1": "2"})]
    file = tmp_path / "codes.txt"
    file.write_text(f"Ann: {codes[0]}\n\n2. {codes[1].lower()}, and more words\n{codes[2]}\n")
    assert main(["class", "--picture", str(tmp_path / "class.png"), str(file)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:4] == ["3 codes", "", "01 first derivative", "  01.1    [#############       ] 2 of 3"]
    assert told[4].startswith(f"          2 x {card.find('01.1').replies[1].text[:50]}")
    assert told[5] == "  01.2    [#######             ] 1 of 3" and not [line for line in told if line.startswith("02")]
    assert (tmp_path / "class.png").read_bytes().startswith(b"\x89PNG")


def test_the_picture_of_a_class_has_a_bar_for_each_exercise_the_first_on_top(monkeypatch):
    from matplotlib.figure import Figure

    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, file: drawn.append((figure, file)))
    together.draw([("01.1", 2, Counter({1: 1, 2: 1})), ("01.2", 3, Counter()), ("01.3", 0, Counter({4: 1}))], 4, "class.png")
    together.draw([("01.1", 2, Counter())] * 23, 4, "class.png")
    (figure, file), (longer, _) = drawn
    (axes,) = figure.axes
    solved, met = [[bar.get_width() for bar in bars] for bars in axes.containers]
    assert (file, solved, met, [label.get_text() for label in axes.get_yticklabels()]) == (
        "class.png",
        [2, 3, 0],
        [2, 0, 1],
        ["01.1", "01.2", "01.3"],
    )
    assert (
        [bars.get_label() for bars in axes.containers]
        == ["solved", "met a known mistake first"]
        == [one.get_text() for one in axes.get_legend().texts]
    )
    assert axes.get_xlim() == (0, 4) and axes.get_xlabel() == "learners, of 4"
    bottom, top = axes.get_ylim()
    wide, narrow = [bars[0].get_height() for bars in axes.containers]
    assert top < -wide / 2 and bottom > 2 + wide / 2 and narrow < wide / 2 < 0.5
    assert longer.get_figheight() - figure.get_figheight() == pytest.approx(20 * 0.22)


def test_a_code_that_cannot_be_read_is_named_and_the_others_count(monkeypatch, tmp_path, capsys):
    code = noted(monkeypatch, ["01.1"])
    file = tmp_path / "codes.txt"
    file.write_text(f"{code}\n{code[:-1]}{'B' if code[-1] == 'A' else 'A'}\nABCDEFGH-ABCDE\n")
    assert main(["class", str(file)]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("1 code\n") and len(said.err.splitlines()) == 2 and "minigrad: line 2, " in said.err


@pytest.mark.parametrize("content", [b"", b"nothing here", b"\xff\xfe\x00", b"\x1b[2J" * 1000, b"A" * 10**6])
def test_nonsense_is_no_traceback(content, tmp_path, monkeypatch, capsys):
    file = tmp_path / "codes.txt"
    file.write_bytes(content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), "utf-8") if content else None)  # None: it is closed
    for codes in (str(file), "-"):
        assert main(["class", codes]) == 1
        assert "There is no code in" in capsys.readouterr().err


def test_a_file_that_is_missing_and_a_picture_of_no_kind_are_told(monkeypatch, tmp_path, capsys):
    assert main(["class", str(tmp_path / "codes.txt")]) == 1
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "codes.txt").write_text(noted(monkeypatch))
    assert main(["class", "--picture", str(tmp_path / "class.nothing"), str(tmp_path / "codes.txt")]) == 1
    assert "The picture cannot be drawn" in capsys.readouterr().err
