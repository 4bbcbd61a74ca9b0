"""The exercises: each check fails on the untouched cell, accepts the solution, and knows each listed mistake by what it gives."""

import datetime
import errno
import functools
import gc
import importlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom import handout
from minigrad.engine.listening import listening

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

import build
import course_answers
import helpers
from helpers import audit, check, diary, hint, overview, predict, predicting, progress, reset, solution, trying
from helpers import card as cards
from helpers.witness import Witness

LESSONS = {path.name[:2]: path for path in build.lessons()}
EXERCISES = [name for lesson in LESSONS for name in cards.cards_of(lesson)]
MISTAKES = [(name, reply) for name in EXERCISES for reply in cards.find(name).replies]
REPLIES = json.loads(
    (Path(__file__).parent / "course_replies.json").read_text("utf-8")
)  # to wrong answers; `tests/course_answers.py` stores them
WAYS = [(name, way) for name in EXERCISES for way in cards.find(name).ways]


@pytest.fixture(autouse=True)
def notes(tmp_path, monkeypatch):
    """Every test has a course of its own to keep notes beside; and on a busy machine an answer may take longer."""
    monkeypatch.setattr(trying, "SECONDS", 30.0)
    monkeypatch.setattr(diary, "FILE", tmp_path / ".progress.json")
    monkeypatch.setattr(diary, "memory", diary.empty())
    monkeypatch.setattr(diary, "pending", [])
    monkeypatch.setattr(diary, "said", set())
    monkeypatch.setattr(helpers, "given", {})
    return tmp_path / ".progress.json"


def cell(exercise):
    """The source of the cell that checks an exercise."""
    notebook = json.loads(LESSONS[exercise[:2]].read_text(encoding="utf-8"))
    sources = ["".join(one["source"]) for one in notebook["cells"] if one["cell_type"] == "code"]
    (found,) = [source for source in sources if f'check("{exercise}"' in source]
    return found


def said_to(exercise, answer, capsys):
    """What check says to an answer that is put in the place of the cell's own."""
    space = {"mg": mg, "np": np, "math": math, "check": check}
    checking = re.search(rf'^check\("{exercise}".*', cell(exercise), re.MULTILINE)[0]
    exec(f"{answer}\n{checking}", space)
    return capsys.readouterr().out.strip()


def solved(exercise, name):
    """The solution's function."""
    space = {"mg": mg}
    exec(cards.find(exercise).solution, space)
    return space[name]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_untouched_cell_is_not_attempted_yet(exercise, capsys):
    exec(cell(exercise), {"mg": mg, "np": np, "math": math, "check": check})
    assert capsys.readouterr().out == f"{exercise}: not attempted yet.\n"


def test_the_hills_of_the_nudges_have_the_slopes_that_are_said():
    lesson = importlib.import_module("helpers.cards.lesson_01")
    for hill in lesson.HILLS:
        assert abs(lesson.errors(hill, 3.0, "six nudges")[1e-3]) < 0.02


def test_three_dots_wherever_they_stand_are_an_untouched_answer():
    assert all(map(trying.untouched, [..., [..., ...], {"a": ...}, lambda x: ...]))
    assert not any(map(trying.untouched, [2.0, [..., 2.0], [], None, lambda x: x]))


@pytest.mark.variants
@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_solution_is_accepted_as_often_as_it_is_tried(exercise, capsys):
    for _ in range(2):
        assert said_to(exercise, cards.find(exercise).solution, capsys).startswith(f"{exercise}: yes. ")


@pytest.mark.variants
@pytest.mark.parametrize(("exercise", "reply"), MISTAKES, ids=[f"{name} {reply.text[:30]}" for name, reply in MISTAKES])
def test_a_known_mistake_gets_its_own_reply(exercise, reply, capsys):
    said = said_to(exercise, reply.wrong, capsys)
    assert said == f"{exercise}: {'yes' if reply.done else 'not yet'}{'' if reply.text.startswith(':') else '. '}{reply.text}"


@pytest.mark.parametrize(("exercise", "way"), WAYS, ids=[f"{name} {way.text[:30]}" for name, way in WAYS])
def test_a_right_number_by_another_way_gets_no_praise_for_this_one(exercise, way, capsys):
    assert said_to(exercise, way.wrong, capsys) == f"{exercise}: not yet. {way.text}"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_card_is_complete(exercise):
    card = cards.find(exercise)
    assert len(card.hints) == 3
    assert card.replies
    assert [*REPLIES[exercise]] == list(dict.fromkeys([*course_answers.WRONG[exercise], *course_answers.known(card)]))
    assert len({reply.text for reply in card.replies}) == len(card.replies)
    told = [one.text for one in (*card.replies, *card.ways)]
    assert all(text.count(". ") <= 3 for text in told), "at most four sentences"
    assert card.miss or not card.points
    words = " ".join([card.yes, *card.hints, *told]).lower()
    assert not re.search(r"!|\bwrong\b|\bjust\b|\bsimply\b|\bobvious|\beasy\b|\bof course\b", words)


def answers(table):
    return [(name, source) for name in EXERCISES for source in table[name]]


@pytest.mark.variants
@pytest.mark.parametrize(("exercise", "answer"), answers(REPLIES))
def test_a_wrong_answer_that_looks_right_is_not_taken_and_told_what_it_gave(exercise, answer, capsys):
    check(exercise, eval(answer, course_answers.SPACE))
    said = capsys.readouterr().out
    assert said.startswith(f"{exercise}: not yet")
    assert said == f"{exercise}: not yet{REPLIES[exercise][answer]}\n"


@pytest.mark.variants
@pytest.mark.parametrize(("exercise", "answer"), answers(course_answers.RIGHT))
def test_a_right_answer_in_an_unusual_way_is_taken(exercise, answer, capsys):
    check(exercise, eval(answer, course_answers.SPACE))
    assert capsys.readouterr().out.startswith(f"{exercise}: yes")


SAID = [
    (
        "06.1",
        "lambda x: x * x if mg.abs(x) <= 1.0 else 2.0 * abs(float(x)) - 1.0",
        "The check of your function stopped with AttributeError: 'float'",
    ),
    ("11.5", "lambda: mg.keras.layers.Dense(1)", "The check of your function stopped with ValueError: Input 0"),
    ("13.6", "lambda x: (np.tanh(x.array), x, lambda dy: dy)", "The check of your function stopped with TypeError: 'Value' object"),
    ("13.4", "lambda dy, x, y: [y.T @ dy, dy @ x.T]", "Your function stopped with ValueError: matmul"),
    ("13.4", "lambda dy, x, y: dy @ y.T", "It gave [["),
    (
        "16.5",
        "lambda a, m: mg.reduce_sum((a - m) ** 2) if a.shape == m.shape else [].index(1)",
        "For answers [1, 2, 4] and readings [1, 0, 7] it gave loss: 13",
    ),
    ("15.4", "dict(derrors=1, db2=False, dW2=False, dh='yes', d=True, db1=True, dW1=False)", "Write True or False for derrors and dh."),
    ("03.1", "lambda thing: str(thing.trainable) if hasattr(thing, 'trainable') else False", "For mg.Variable(2.0) it said 'True'."),
]


@pytest.mark.parametrize(("exercise", "answer", "said"), SAID, ids=[name for name, *_ in SAID])
def test_an_unknown_mistake_is_told_as_it_was(exercise, answer, said, capsys):
    """Whose code stopped, at a point where something else was wanted; and a text with its quotes."""
    check(exercise, eval(answer, course_answers.SPACE))
    assert capsys.readouterr().out.startswith(f"{exercise}: not yet. {said}")


IN_PLACE = {
    "13.1": "lambda dy, x, y: [y.__imul__(dy), x.__imul__(dy)]",
    "13.5": course_answers.back(steps="doing(steps.reverse(), steps)"),
}


@pytest.mark.parametrize(("exercise", "answer"), IN_PLACE.items())
def test_an_answer_may_change_what_it_is_given_and_the_next_one_is_given_the_same(exercise, answer, capsys):
    for _ in range(2):
        check(exercise, eval(answer, course_answers.SPACE))
        assert capsys.readouterr().out.startswith(f"{exercise}: yes")


@pytest.mark.parametrize("words", ["STALE STATE", "STALE is false", "STALE or false", "false: STALE"])
def test_a_word_beside_another_one_or_called_false_is_not_taken(words, capsys):
    check("14.exit", {"2": 4, "3": words})
    assert capsys.readouterr().out.startswith("14.exit: not yet")


@pytest.mark.parametrize(
    ("words", "said"), [("trainable set to False", "yes"), ("trainable=True", "not yet"), ("trainable is true", "not yet")]
)
def test_the_value_of_a_keyword_counts(words, said, capsys):
    check("03.exit", {"2": 12.0, "3": words})
    assert capsys.readouterr().out.startswith(f"03.exit: {said}")


@pytest.mark.parametrize("code", ["OUTSIDE_TAPE", "outside tape", "OUTSIDE_TAPE (proved)"])
@pytest.mark.parametrize("line", ["mean = mg.reduce_mean(price)", "mean=mg.reduce_mean(price)   # late", "reduce_mean(price)"])
def test_a_report_may_name_its_line_by_a_copy_or_a_part(code, line, capsys):
    check("14.1", {"code": code, "line": line, "fixed": 0})
    assert capsys.readouterr().out == "14.1: not yet. Look again at fixed.\n"


@pytest.mark.parametrize("line", ["", "gradient", "mean", 3.5])
def test_a_report_names_no_line_by_a_word_or_less(line, capsys):
    check("14.1", {"code": "OUTSIDE_TAPE", "line": line, "fixed": 0})
    assert capsys.readouterr().out == "14.1: not yet. Look again at line and fixed.\n"


# ---- whatever the learner does ---------------------------------------------------------------------------------------


STRANGE = """
def f(*given):
    while True:
        pass
""", "def f(*given): return unknown_name", "def f(*given): return exp(2.0)", "def f(*given): return f(*given)", "f = 7", "f = 'text'", (
    "def f(*given): raise SystemExit"
), "f = None", "f = {'2': ..., '3': 5}", "class f: pass", "f = lambda *given: object()", "f = lambda *given: [[1.0], 2.0]"  # fmt: skip


@pytest.mark.variants
@pytest.mark.parametrize("answer", STRANGE)
@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_answer_makes_check_raise(exercise, answer, capsys, monkeypatch):
    monkeypatch.setattr(trying, "SECONDS", 0.05)
    space = {}
    exec(answer, space)
    check(exercise, space["f"])
    said = capsys.readouterr().out
    assert re.match(rf"{re.escape(exercise)}: not (yet|attempted)", said) and " at 0x" not in said


def test_an_exception_is_told_with_the_name_that_was_meant(capsys):
    check("02.1", eval("lambda radius: exp(radius)"))
    assert capsys.readouterr().out == "02.1: not yet. Your function stopped with NameError: name 'exp' is not defined. Try mg.exp.\n"


def test_what_cannot_be_seen_in_the_name_of_an_exception_is_shown_escaped(capsys):
    def stops(radius):
        raise type("Odd\x1b[2J\u202e", (Exception,), {})("so")

    check("02.1", stops)
    assert r"Your function stopped with Odd\x1b[2J\u202e: so." in capsys.readouterr().out


def test_an_answer_that_stops_keeps_no_tape_alive():
    kept = []
    gc.collect()
    gc.disable()
    try:
        assert not check("07.8", lambda tape, target, sources: kept.append(weakref.ref(tape)) or 1 / 0)
        assert [tape() for tape in kept] == [None, None, None]
    finally:
        gc.enable()


def on_another_thread(f):
    thread = threading.Thread(target=f)
    thread.start()
    thread.join()


@pytest.mark.parametrize("run", [lambda f: f(), on_another_thread], ids=["the main thread", "another thread"])
def test_an_endless_loop_is_ended_on(run, capsys, monkeypatch):
    monkeypatch.setattr(trying, "SECONDS", 0.1)

    for loop in ("while True: pass", "while True:\n  radius = radius + 1.0", "while True:\n  try: radius.x\n  except Exception: pass"):
        space = {}
        exec(f"def endless(radius):\n {loop}", space)
        run(functools.partial(check, "02.1", space["endless"]))
    assert capsys.readouterr().out.count("was still running after 0.1 seconds. Is there a loop that never ends?") == 3


def test_trying_an_answer_leaves_no_tape_open_and_no_tracer(capsys):
    before = sys.gettrace()
    check("02.1", lambda radius: mg.GradientTape().__enter__().gradient(1.0, radius))
    assert sys.gettrace() is before
    assert listening.now == ()


def test_three_dots_that_were_left_in_are_pointed_out(capsys):
    check("02.2", lambda radius: [0.125, ..., 3.0])
    check("02.exit", {"2": 3.0, "3": ...})
    assert capsys.readouterr().out == "".join(f"{name}: not yet. Some of the three dots are still there.\n" for name in ("02.2", "02.exit"))


def test_a_call_in_place_of_the_function_is_recognised(capsys):
    check("02.1", 3.0)
    assert capsys.readouterr().out == "02.1: not yet. Hand over the function itself: its name, without parentheses.\n"


def test_right_answers_of_other_makes_are_accepted(capsys):
    def with_floats_in_a_tuple(radius):
        height = (2.0 * radius**3) ** 0.5
        return 1 / (2 * height), np.float64(1 / height), np.float32(3 * radius**2 / height)

    check("02.2", with_floats_in_a_tuple)
    check("02.3", {"loss by w": mg.TensorShape([4, 3]), "loss by b": [3], "y by x": np.array([1, 4])})
    check("03.1", lambda thing: bool(isinstance(thing, mg.Variable) and thing.trainable))
    assert capsys.readouterr().out.count(": yes. ") == 3


def test_numbers_that_no_exercise_has_are_answered(capsys):
    for ask in (check, hint, solution):
        ask("02.9")
        ask("no lesson")
        ask(7)
    out = capsys.readouterr().out
    assert out.count("There is no exercise '02.9'. Lesson 02 has 02.1, 02.pause1, 02.2, 02.3, 02.pause2, 02.4, 02.5, 02.exit.") == 3
    assert out.count("They are called") == 6


class Refusing:
    """It refuses whatever it is asked."""

    def refuse(self, *given):
        raise self.problem

    problem = ValueError("\x1b[31m refused\nhere")
    __str__ = __repr__ = __eq__ = __format__ = __len__ = __iter__ = __hash__ = __bool__ = __call__ = __array__ = __float__ = refuse
    __class__ = numpy = __wrapped__ = as_list = property(refuse)


class RefusingText(str):
    refuse, problem = Refusing.refuse, ValueError("refused")
    __str__ = __repr__ = __eq__ = __format__ = __len__ = __iter__ = __hash__ = split = partition = refuse


class Exits(Refusing):
    problem = SystemExit(3)


class SilentError(Exception):
    def __str__(self):
        raise SilentError


class RefusingSilently(Refusing):
    problem = SilentError()


def endless():
    ring = []
    ring.append(ring)
    return ring


def deep():
    nest = []
    for _ in range(100_000):
        nest = [nest]
    return nest


WHATEVER = {
    "object": Refusing,
    "text": lambda: RefusingText("02.1"),
    "exit": Exits,
    "silent": RefusingSilently,
    "endless": endless,
    "deep": deep,
    "long": lambda: "x" * 1_000_000,
    "number": lambda: 10**5000,
    "none": lambda: None,
    "nan": lambda: math.nan,
    "bytes": lambda: b"\xff",
    "unseen": lambda: "\x1b\u202e\ud800\x00",
    "class": lambda: Refusing,
    "array": lambda: np.array([object()]),
}


@pytest.mark.variants
@pytest.mark.parametrize("name", WHATEVER)
def test_helpers_never_raise_and_answer_in_one_short_line(name, notes, capsys):
    given = WHATEVER[name]()
    for ask in (predict, check, hint, reset, solution, audit, progress):
        for arguments in ([], [given], [given, given], ["02.1", given], ["02.1", given, given, given]):
            ask(*arguments)
            out = capsys.readouterr().out.removesuffix("\n")
            assert out.isprintable() and 0 < len(out) < 600, (ask.__name__, ascii(out[:800]))
    for exercise in [*EXERCISES][[*WHATEVER].index(name) % 3 :: 3]:  # each exercise gets some of them
        check(exercise, given)
        assert re.match(rf"{re.escape(exercise)}: (not yet|not attempted|yes)", capsys.readouterr().out)
    assert set(diary.memory["predictions"]) <= {"02.1"}


@pytest.mark.parametrize(
    "key", ["02.99", "2.1", "../02.1", "02.1\x00", "02\x00.1", "x" * 1_000_000, "", "\u0660\u0662.1", "__init__.1", "\ud800"]
)
def test_a_prediction_under_a_key_that_no_exercise_has_is_told_and_not_kept(key, notes, capsys):
    predict(key, 4)
    assert capsys.readouterr().out.startswith("There is no exercise ")
    assert diary.memory == diary.empty() and not notes.exists()


def test_a_note_is_shown_escaped_whoever_wrote_it(notes, capsys):
    notes.write_text(json.dumps({"predictions": {"02.1": "\x1b[31mred\u202e"}, "solved": {}}))
    check("02.1", solved("02.1", "steepness"))
    assert "You predicted \\x1b[31mred\\u202e; the tape" in capsys.readouterr().out


def test_audit_sets_the_tape_beside_the_ground(capsys):
    audit(lambda x: x * x - 4.0 * x, 5.0)
    audit(lambda x: x * x.numpy(), 3.0)
    audit(lambda x: mg.constant(7.0), 3.0)
    audit(lambda x: x.unknown, 3.0)
    assert capsys.readouterr().out.splitlines() == [
        "tape 6.000   measured 6.000   agree",
        "tape 3.000   measured 6.000   differ by 3.000",
        "tape None   measured 0.000",
        "audit: the function stopped with AttributeError: 'Tensor' object has no attribute 'unknown'.",
    ]


# ---- predictions, hints, solutions -----------------------------------------------------------------------------------


def test_a_prediction_is_kept_not_judged_and_recalled_by_the_yes(capsys):
    predict("02.1", 4)
    check("02.1", solved("02.1", "steepness"))
    assert capsys.readouterr().out.splitlines() == [
        "02.1: kept 4. Now run the next cell.",
        "02.1: yes. The tape has the whole way from radius to height, so it answers at every radius: 3 at radius 2, 6 at radius 8. "
        "You predicted 4; the tape knew 1 line of 4.",
    ]


def test_predictions_outlive_the_kernel(notes):
    predict("03.2", None)
    predict("02.2", mg.constant(0.125))
    diary.memory = diary.empty()
    assert diary.kept("predictions", "03.2") == "None"
    assert json.loads(notes.read_text())["predictions"]["02.2"] == "0.125"


@pytest.mark.parametrize("exercise", [name for name in EXERCISES if cards.find(name).options])
def test_each_prediction_has_a_result_to_be_shown_beside_it_and_options_that_can_be_told_apart(exercise):
    card = cards.find(exercise)
    assert card.came_out and 2 <= len(card.options) <= 4
    for option in card.options:
        assert predicting.chosen(card.options, option) == option
        assert predicting.chosen(card.options, f"  {option.upper()} ") == option


@pytest.mark.parametrize(("exercise", "answers", "option"), [
    ("01.1", (6.1, "6.10", np.float32(6.0) + 0.1, "'6.1'"), "6.1"), ("04.3", ("error", "an Error", "AN ERROR"), "an error"), ("02.4", ("dict", "a dict"), "a dict of two"), ("02.4", ("tensor",), "one tensor"),
    ("04.3", ([2, 6], "[2,6]"), "[2, 6]"), ("02.3", ((), "()"), "()"), ("03.2", (None, "none"), "None"), ("10.3", (math.nan, "NaN"), "nan"),
    ("10.3", (math.inf, "inf", "Infinity"), "inf"),
])  # fmt: skip
def test_an_option_can_be_typed_in_other_ways(exercise, answers, option, capsys):
    for answer in answers:
        predict(exercise, answer)
        assert capsys.readouterr().out == f"{exercise}: kept {option}. Now run the next cell.\n"


def test_what_is_none_of_the_options_is_not_kept_and_the_first_answer_stays(capsys):
    for answer in (5, "3", 6.1, "seven apples"):
        predict("01.1", answer)
    assert capsys.readouterr().out.splitlines() == [
        "01.1: that is none of them. Choose 3, 6, 6.1 or 7.",
        "01.1: kept 3. Now run the next cell.",
        "01.1: kept 3, your first answer. Now run the next cell.",
        "01.1: that is none of them. Choose 3, 6, 6.1 or 7.",
    ]
    predict("01.1")
    assert capsys.readouterr().out == "01.1: kept 3. Now run the next cell.\n"


def test_what_asks_for_no_prediction_says_so(capsys):
    predict("01.exit", 3)
    assert capsys.readouterr().out == "01.exit: there is nothing to predict. Its check asks for an answer.\n"


def test_the_options_are_buttons_and_a_click_keeps_one():
    pytest.importorskip("ipywidgets")
    offer = predict("01.1")
    assert repr(offer) == "01.1: 3, 6, 6.1 or 7? Write your answer in place of the three dots."
    _, *buttons, said = offer.children
    assert [button.description for button in buttons] == ["3", "6", "6.1", "7"]
    assert [button.tooltip for button in buttons] == ["01.1: 3", "01.1: 6", "01.1: 6.1", "01.1: 7"]
    buttons[2].click()
    assert said.value == '<span role="status">kept 6.1. Now run the next cell.</span>'
    buttons[0].click()
    assert said.value == '<span role="status">kept 6.1, your first answer. Now run the next cell.</span>'
    assert [button.button_style for button in buttons] == ["", "", "primary", ""] and diary.kept("predictions", "01.1") == "6.1"


def test_what_a_reply_says_is_shown_and_never_run(monkeypatch):
    pytest.importorskip("ipywidgets")
    offer = predict("01.1")
    monkeypatch.setattr(predicting, "answered", lambda *given: "kept <b>&")
    offer.children[1].click()
    assert offer.children[-1].value == '<span role="status">kept &lt;b&gt;&amp;</span>'
    assert '<p class="mg-page mg-offer">3, &lt;6&gt; or 7?</p>' in predicting.without_buttons("3, <6> or 7?")


CELLS = [
    "from helpers import predict", "predict('01.1', 6)", "1 / 0", "print('the result')", "print('later')",
    "offer = predict('01.2')", "offer.children[1].click()", "print('now')",
]  # fmt: skip


def test_the_guess_stands_beside_the_result_when_the_next_cell_has_run(tmp_path):
    pytest.importorskip("ipywidgets")
    program = "import sys\nsys.path.insert(0, sys.argv[1])\nfrom IPython.core.interactiveshell import InteractiveShell\n"
    program += f"shell = InteractiveShell.instance()\nfor cell in {CELLS}:\n    print('>>')\n    shell.run_cell(cell)"
    env = {**os.environ, "PYTHONPATH": build_path(), "IPYTHONDIR": str(tmp_path), "MINIGRAD_PROGRESS": str(tmp_path / "progress.json")}
    said = subprocess.check_output([sys.executable, "-c", program, str(build.COURSE)], env=env, text=True).split(">>\n")[2:]
    assert "ZeroDivisionError" in said.pop(1)
    assert said == [
        "01.1: kept 6. Now run the next cell.\n",
        "the result\n01.1: you predicted 6; the average from 3 to 3.1 is 6.1.\n",
        "later\n",
        "",
        "",
        f"now\n01.2: you predicted 6; {cards.find('01.2').came_out}\n",
    ]


def build_path():
    return os.path.dirname(os.path.dirname(mg.__file__))


@pytest.mark.parametrize(
    "nonsense", ["", "{", "[]", "null", "[" * 100_000, '{"predictions": []}', '{"predictions": {"02.1": 5}, "solved": {}}', "\udcff"]
)
def test_a_file_of_nonsense_is_set_aside_kept_and_reported(notes, nonsense, capsys):
    notes.write_text(nonsense, errors="surrogateescape")
    was = notes.read_bytes()
    predict("02.1", 1)
    assert capsys.readouterr().out.startswith("(Your notes in .progress.json could not be read. They are kept in .progress.json.unreadable")
    assert notes.with_name(".progress.json.unreadable").read_bytes() == was
    assert json.loads(notes.read_text())["predictions"] == {"02.1": "1"}
    notes.write_text("more nonsense")
    predict("02.2", 2)
    assert len(list(notes.parent.glob("*.unreadable*"))) == 2


def test_what_cannot_be_seen_in_the_name_of_a_file_is_shown_escaped(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(diary, "FILE", tmp_path / "a\x1b.json")
    diary.FILE.write_text("nonsense")
    predict("02.1", 1)
    assert "in a\\x1b.json could not be read. They are kept in a\\x1b.json.unreadable," in capsys.readouterr().out


def test_a_time_limit_whose_block_an_interrupt_has_left_stops_nothing_later():
    def interrupted():
        limits.append(trying.limit(0.0))
        limits[0].__enter__()

    limits, before = [], sys.gettrace()
    interrupted()
    limited = sys.gettrace()
    assert (lambda: 7)() == 7 and sys.gettrace() is before is not limited


def test_a_folder_that_cannot_be_written_keeps_notes_in_memory(monkeypatch, tmp_path):
    monkeypatch.setattr(diary, "FILE", tmp_path / "missing" / ".progress.json")
    predict("02.1", 1)
    assert diary.kept("predictions", "02.1") == "1"


def test_a_path_that_no_file_can_have_keeps_notes_in_memory_from_the_start(tmp_path):
    program = "import sys; sys.path.insert(0, sys.argv[1]); from helpers import diary, predict; predict('02.1', 1); predict('02.2', 2)"
    said = started(tmp_path / ("a" * 300) / "p.json", program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).communicate()[0]
    told = [line for line in said.splitlines() if not line.startswith("02.")]
    assert told == ["(Your notes stay in this session alone: p.json cannot be used now. File name too long.)"]


def test_a_path_without_a_name_keeps_notes_in_memory(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(diary, "FILE", pathlib.Path("."))
    predict("02.1", 1)
    assert diary.kept("predictions", "02.1") == "1" and "alone: . cannot be used now. It is not a file.)" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_now_is_not_written_over_and_that_is_said_once(notes, monkeypatch, capsys):
    predict("02.1", 1)
    was, read = notes.read_bytes(), pathlib.Path.read_bytes

    def refused(path):
        if path == notes:
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path)

    capsys.readouterr()
    monkeypatch.setattr(pathlib.Path, "read_bytes", refused)
    for exercise, answer in (("02.2", "2"), ("02.5", "8")):
        predict(exercise, answer)
        assert diary.kept("predictions", exercise) == answer
    told = [line for line in capsys.readouterr().out.splitlines() if "Your notes" in line]
    assert told == ["(Your notes stay in this session alone: .progress.json cannot be used now. Permission denied.)"]
    monkeypatch.setattr(pathlib.Path, "read_bytes", read)
    assert notes.read_bytes() == was
    predict("02.3", (1, 2))
    assert json.loads(notes.read_text())["predictions"] == {"02.1": "1", "02.2": "2", "02.3": "(1, 2)", "02.5": "8"}


def test_what_a_newer_version_wrote_is_kept(notes):
    notes.write_bytes(b"\xef\xbb\xbf" + json.dumps({"predictions": {"02.1": "1"}, "solved": {}, "badges": [7]}).encode())
    predict("02.2", 2)
    kept = {"predictions": {"02.1": "1", "02.2": "2"}, "solved": {}, "mistakes": {}, "badges": [7]}
    assert json.loads(notes.read_text()) == kept


@pytest.mark.parametrize("locks", [True, False])
def test_temporary_files_that_were_left_over_go(notes, locks, monkeypatch):
    """With a lock, whoever has it knows that nobody else writes; without one, only age tells."""
    if not locks:
        monkeypatch.setattr(diary, "take", lambda file: (_ for _ in ()).throw(OSError(errno.ENOLCK, "No locks available")))
    old, new = notes.with_name(".progress.json.1.new"), notes.with_name(".progress.json.2.new")
    for file in (old, new):
        file.write_text("{")
    os.utime(old, (0, 0))
    predict("02.1", 1)
    assert not old.exists() and new.exists() != locks
    assert json.loads(notes.read_text())["predictions"] == {"02.1": "1"}


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from helpers import diary
for n in range(50):
    diary.keep("solved", f"{sys.argv[2]}.{n}", "yes")
    print(f"{sys.argv[2]}.{n}", flush=True)
"""
STOPPED = """
import os, pathlib, signal, sys
sys.path.insert(0, sys.argv[1])
from helpers import diary
pathlib.Path.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
diary.keep("solved", "01.1", "yes")
"""


def started(notes, program, *arguments, **options):
    """A process that keeps notes in the same file."""
    environment = {**os.environ, "MINIGRAD_PROGRESS": str(notes), "PYTHONPATH": os.pathsep.join(sys.path)}
    course = str(pathlib.Path(diary.__file__).parents[1])
    return subprocess.Popen([sys.executable, "-c", program, course, *arguments], env=environment, text=True, **options)


@pytest.mark.skipif(os.name != "posix", reason="about kills as POSIX has them")
def test_sixteen_processes_lose_no_note_that_they_reported_though_some_are_killed(notes):
    writers = [started(notes, WRITER, f"{k:02}", stdout=subprocess.PIPE) for k in range(16)]
    for k, writer in enumerate(writers[::2]):
        for _ in range(5 * k + 1):
            writer.stdout.readline()
        writer.kill()
        if k:
            json.loads(notes.read_text())
    reported = {line for writer in writers for line in writer.communicate()[0].split()}
    kept = json.loads(notes.read_text())["solved"].keys()
    assert len(reported) >= 8 * 50 and reported <= kept


@pytest.mark.skipif(os.name != "posix", reason="about kills as POSIX has them")
def test_what_a_kill_left_over_goes_when_a_kernel_starts(notes):
    started(notes, STOPPED).wait()
    assert [one.name for one in notes.parent.glob("*.new")]
    started(notes, "import sys; sys.path.insert(0, sys.argv[1]); import helpers").wait()
    assert not list(notes.parent.glob("*.new"))


def test_a_later_note_of_another_session_is_not_written_over(notes):
    predict("02.1", 1)
    notes.write_text(json.dumps({"predictions": {"02.1": "2"}, "solved": {}}))
    predict("02.2", 12)
    assert json.loads(notes.read_text())["predictions"] == {"02.1": "2", "02.2": "12"}


def test_a_deleted_file_has_the_notes_of_the_session_again(notes):
    predict("02.1", 1)
    notes.unlink()
    predict("02.2", 2)
    assert json.loads(notes.read_text())["predictions"] == {"02.1": "1", "02.2": "2"}


def test_a_session_that_keeps_the_lock_is_not_waited_for_forever(notes, monkeypatch, capsys):
    monkeypatch.setattr(diary, "PATIENCE", 0.05)
    with diary.locked():
        predict("02.1", 1)
        assert "Another session keeps its lock" in capsys.readouterr().out
    predict("02.2", 2)
    assert json.loads(notes.read_text())["predictions"] == {"02.1": "1", "02.2": "2"}


def test_a_reader_sets_no_file_aside_that_was_replaced_in_time(notes, monkeypatch, capsys):
    whole = {"predictions": {"02.1": "1"}, "solved": {}}
    notes.write_text(json.dumps(whole))
    read = [None, whole, whole]
    monkeypatch.setattr(diary, "on_disk", lambda: read.pop(0))
    progress()
    assert json.loads(notes.read_text()) == whole and not list(notes.parent.glob("*.unreadable*"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(notes, capsys):
    os.mkfifo(notes)
    predict("02.1", 1)
    assert "cannot be used now" in capsys.readouterr().out
    assert diary.kept("predictions", "02.1") == "1"


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_file_that_is_a_link_stays_one(tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "real.json")
    assert started(link, WRITER, "01", stdout=subprocess.DEVNULL).wait() == 0
    assert link.is_symlink() and len(json.loads((tmp_path / "real.json").read_text())["solved"]) == 50


def test_an_untouched_lesson_writes_nothing(notes):
    predict("02.1", ...)
    check("02.1", ...)
    assert not notes.exists()


def test_hints_rise_in_three_steps_and_stay_at_the_last(capsys):
    for _ in range(4):
        hint("02.2")
    lines = capsys.readouterr().out.splitlines()
    assert [line[:18] for line in lines] == [f"02.2, hint {n} of 3:" for n in (1, 2, 3, 3)]
    assert lines[2] == lines[3] != lines[1]


def test_a_solution_can_be_run_as_it_is_printed(capsys):
    solution("02.1")
    space = {"mg": mg}
    exec(capsys.readouterr().out, space)
    assert float(space["steepness"](mg.Variable(2.0))) == pytest.approx(3.0)


def test_every_lesson_with_exercises_has_its_cards():
    for lesson, path in LESSONS.items():
        checked = re.findall(r'check\(\\"([^\\"]+)', path.read_text(encoding="utf-8"))
        assert checked == list(cards.cards_of(lesson)), path.name
    assert importlib.import_module("helpers").__all__ == [
        "audit",
        "bring_back",
        "check",
        "hint",
        "on_tensorflow",
        "predict",
        "progress",
        "reset",
        "save_work",
        "short_numbers",
        "solution",
    ]


# ---- progress, and a lesson handed out anew --------------------------------------------------------------------------


@pytest.fixture
def own_course(tmp_path, monkeypatch):
    """A copy of lesson 02 in a course of its own."""
    monkeypatch.setattr(overview, "COURSE", tmp_path)
    monkeypatch.setattr(overview.course, "lessons", lambda: [LESSONS["02"]])
    lesson = tmp_path / LESSONS["02"].name
    lesson.write_bytes(handout.handed_out(lesson.name))
    return lesson


def sources(path):
    return {cell["id"]: "".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}


def test_progress_lists_what_is_done_and_what_is_left(own_course, capsys):
    progress()
    diary.keep("solved", "02.1", "yes")
    progress()
    for name in cards.cards_of("02"):
        diary.keep("solved", name, "yes")
    progress()
    first, *said = capsys.readouterr().out.splitlines()
    assert first == "No check is done yet. The first one is 00.1."
    codes = [line.split()[-1] for line in said if line.startswith("To hand in")]
    assert [line for line in said if not line.startswith("To hand in")] == [
        "02 the tape                        [#         ] 1 of 8 checks, 0 of 5 predictions   "
        "left: 02.pause1 02.2 02.3 02.pause2 02.4 02.5 02.exit",
        "Go on with 02.pause1, in 02_the_tape.ipynb.",
        "02 the tape                        [##########] 8 of 8 checks, 0 of 5 predictions",
    ]
    assert len({*codes}) == 2


def test_reset_hands_a_lesson_out_anew_and_keeps_a_copy(own_course, notes, capsys):
    handed_out, today = sources(own_course), datetime.date.today()
    notebook = json.loads(own_course.read_text(encoding="utf-8"))
    del notebook["cells"][3]
    for cell in notebook["cells"]:
        cell["source"] = "mine"
    own_course.write_text(json.dumps(notebook), encoding="utf-8")
    for name in ("02.1", "03.1"):
        diary.keep("solved", name, "yes")
        diary.keep("predictions", name, "4")

    for again in (1, 2):
        reset("02")
        assert f"kept in my_copies/{own_course.stem}.{today}.{again}.ipynb" in capsys.readouterr().out
        assert sources(own_course) == handed_out
    assert "mine" in sources(own_course.parent / "my_copies" / f"{own_course.stem}.{today}.1.ipynb").values()
    assert json.loads(notes.read_text()) == {"predictions": {"03.1": "4"}, "solved": {"03.1": "yes"}, "mistakes": {}}
    assert diary.kept("solved", "02.1") is None


def test_reset_touches_nothing_when_it_cannot_do_it_all(own_course, monkeypatch, capsys):
    own_course.write_text("no notebook")
    monkeypatch.setattr(handout, "original", lambda: own_course.parent)
    for lesson in ((), ("77",), ("02",), (2,)):
        reset(*lesson)
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0].partition(" (")[0] for line in said] == [
        "reset: no lesson named",
        "reset: there is no lesson '77'. There are 02.",
        "reset: 02_the_tape.ipynb was left as it is",
        "reset: there is no lesson '2'. There are 02.",
    ]
    assert own_course.read_text() == "no notebook"


def test_a_full_disk_leaves_a_lesson_as_it_was(own_course, monkeypatch, capsys):
    """The copy is written first, then the lesson; each is refused once."""
    mine, write = own_course.read_bytes(), pathlib.Path.open
    for refused in (own_course.stem + ".", own_course.name + "."):

        def full(path, *mode, refused=refused, **options):
            file = write(path, *mode, **options)
            if "x" in "".join(mode) and path.name.startswith(refused):
                file.write(b"{")
                file.close()
                raise OSError(errno.ENOSPC, "No space left on device")
            return file

        monkeypatch.setattr(pathlib.Path, "open", full)
        reset("02")
        assert "was left as it is" in capsys.readouterr().out
        assert own_course.read_bytes() == mine
    assert not list(own_course.parent.rglob("*.new"))


def test_reset_brings_a_deleted_lesson_back(own_course, capsys):
    handed_out = own_course.read_bytes()
    own_course.unlink()
    reset("02")
    assert own_course.read_bytes() == handed_out and "kept" not in capsys.readouterr().out


# ---- what the helpers say, word for word -----------------------------------------------------------------------------

AUDITS = {
    "lambda x: x * x, 3.0": "tape 6.000   measured 6.000   agree",
    "lambda x: x ** 3, 2.0": "tape 12.000   measured 12.000   agree",  # by (f(2.01) - f(1.99)) / 0.02
    "lambda x: x ** 3, 2.0, h=1.0": "tape 12.000   measured 13.000   differ by 1.000",
    "lambda x: x ** 3, 2.0, 0.1": "tape 12.000   measured 12.010   agree",  # to 0.1 %
    "lambda x: x ** 3 * 0.01, 1.0, 0.4": "tape 0.030   measured 0.032   differ by 0.002",  # and to 0.001 where slopes are small
    "lambda x: x ** 3 * 0.01, 1.0, 0.3": "tape 0.030   measured 0.031   agree",
    "lambda x: x * x.numpy(), -3.0": "tape -3.000   measured -6.000   differ by 3.000",
    "lambda x: mg.constant(float(x) ** 2), 3.0": "tape None   measured 6.000",
    "lambda x: x, [1.0, 2.0]":
        "audit: the function stopped with ValueError: audit needs one number to stand at, as in audit(f, 2.0), and was given 2.",
}  # fmt: skip


@pytest.mark.parametrize("given", AUDITS)
def test_an_audit_measures_and_says_whether_the_tape_agrees(given, capsys):
    eval(f"audit({given})", {"mg": mg, "audit": audit})
    assert capsys.readouterr().out == f"{AUDITS[given]}\n"


TYPED = [
    (("3", "6", "6.1", "7"), {"6": "6", " 6.0 ": "6", "6.10": "6.1", "'7'": "7", "nan": None, "66": None, "": None, "six": None}),
    (("None", "an error", "the slopes", "zeros"), {
        "none": "None", "error": "an error", "An  Error": "an error", "a slopes": "the slopes", "the": None, "an": None, "zero": None}),
    (("a dict of two", "one tensor", "one error"), {"dict": "a dict of two", "one": None, "two dict": "a dict of two", "tensor one": "one tensor"}),
    (("nan", "1e1"), {"nan": "nan", "10": "1e1", "NaN": "nan", "inf": None}),
]  # fmt: skip


@pytest.mark.parametrize(("options", "answers"), TYPED, ids=[" ".join(options) for options, _ in TYPED])
def test_a_typed_prediction_is_the_option_that_it_means(options, answers):
    assert {text: predicting.chosen(options, " ".join(text.split())) for text in answers} == answers
    assert predicting.listed(options) == f"{', '.join(options[:-1])} or {options[-1]}"


def test_arrays_are_printed_with_three_digits_unless_the_learner_has_set_others(monkeypatch):
    shorten, before = importlib.import_module("helpers.printing").shorten, np.get_printoptions()
    try:
        shorten()
        assert str(np.array([1e-9, 2 / 3])) == "[0.    0.667]"
        np.set_printoptions(precision=6)
        shorten()
        assert str(np.array([2 / 3])) == "[0.666667]"
    finally:
        np.set_printoptions(**before)


ALIKE = [  # a result, what is wanted, and whether that is the same
    (1.0009, 1.0, True), (1.0011, 1.0, False), (-1.0, 1.0, False), (9e-7, 0.0, True), (2e-6, 0.0, False),
    (math.nan, math.nan, True), (math.nan, 1.0, False), (math.inf, math.inf, True), (-math.inf, math.inf, False),
    (None, None, True), (None, 0.0, False), (0.0, None, False), (True, True, True), (np.True_, True, True), (1.0, True, False), (True, 1.0, True),
    ("a", "a", True), ("a", "b", False), ("1.0", 1.0, False), (1.0, "1.0", False), ([1.0, 2.0], [1.0, 2.0], True), ([1.0], [1.0, 2.0], False),
    ((1.0, 2.0), [1.0, 2.0], True), (np.array([1.0, 2.0]), [1.0, 2.0], True), (np.array([1.0, 2.0]), [1.0, 3.0], False), (1.0, [1.0], False),
    ([[1.0], [2.0]], np.array([[1.0], [2.0]]), True), ([1.0, 2.0], np.array([[1.0], [2.0]]), False), (object(), 1.0, False),
    ({"a": 1.0, "b": 2.0}, {"a": 1.0}, True), ({"b": 2.0}, {"a": 1.0}, False), ({"a": 2.0}, {"a": 1.0}, False), ([1.0], {"a": 1.0}, False),
    (3.0, lambda seen: seen > 2.0, True), (1.0, lambda seen: seen > 2.0, False), (1.0, lambda seen: 1 / 0, False), (1.0, lambda seen: 1, False),
]  # fmt: skip


@pytest.mark.parametrize(("seen", "wanted", "same"), ALIKE)
def test_an_answer_may_differ_by_a_thousandth_and_not_in_kind_or_shape(seen, wanted, same):
    assert cards.alike(seen, wanted) is same


SHOWN = {
    "0.3333": 1 / 3, "1e-05": 1e-5, "[1, 2.5]": [1.0, 2.5], "[0.333 2. ]": np.array([1 / 3, 2.0]), "a: 1, b: [None]": {"a": 1.0, "b": [None]},
    "True": True, f"{'x' * 77}...": "x" * 99, "[[1 2] [3 4]]": np.array([[1, 2], [3, 4]]),
}  # fmt: skip


@pytest.mark.parametrize("text", SHOWN)
def test_a_value_is_shown_on_one_line_with_few_digits(text):
    assert cards.shown(SHOWN[text]) == text.replace(" ]", "]")


@pytest.mark.parametrize(("words", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_entries_are_listed_with_an_and(words, text):
    assert cards.joined(words) == text


def test_a_text_within_a_list_is_not_the_text_that_is_asked_for():
    said = cards.says("none")
    assert said("None") and said("it is none") and not said(["none"]) and not said({"none"})


def test_a_gradient_of_indexed_slices_is_a_number_that_a_tape_gave():
    v, witness = mg.Variable([1.0, 2.0, 3.0]), Witness()
    witness.start()
    with mg.GradientTape() as tape:
        y = mg.gather(v, [0, 1]) * 4.0
    slices = tape.gradient(y, v)
    witness.stop()
    assert isinstance(slices, mg.IndexedSlices)
    assert witness.gave([4.0, 0.0]) and witness.gave([]) and not witness.gave([5.0])
