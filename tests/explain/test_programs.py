"""explain names the status, the meaning and the code of every program here, and accuses none of the healthy ones.

The whole of each answer, as it was read and found true, is stored in `answers.json`. After a change of what explain says,
`python tests/explain/test_programs.py` stores them anew, and says which differ: read those.
"""

import importlib
import json
import random
import re
import sys
import threading
from pathlib import Path

import pytest
from programs import PROGRAMS, told

import minigrad as mg
from minigrad.tracing import checkpoint

STORED = Path(__file__).parent / "answers.json"
ANSWERS = json.loads(STORED.read_text("utf-8"))


@pytest.fixture(autouse=True, scope="module")
def all_functions_are_found():
    """The functions of the programs, made anew: a fix is tried in those that the collector knows (see conftest)."""
    PROGRAMS.clear()
    for module in [one for name, one in [*sys.modules.items()] if name.startswith("programs.")]:
        importlib.reload(module)


def whole(function):
    """What explain answers in a program, and all that it says: the lines that it prints, and the program with the fix."""
    random.seed(0)  # of which layers draw the seeds of their weights
    mg.keras.utils.clear_session()
    answer = function()
    return answer, [*str(answer).splitlines(), *answer.fixed.splitlines()]


@pytest.mark.variants
@pytest.mark.parametrize("name", PROGRAMS)
def test_with_a_trace_the_answer_is(name):
    function, expected, says, _ = PROGRAMS[name]
    with mg.trace():
        answer, said = whole(function)
        if said != ANSWERS[name]["with a trace"]:  # on a busy machine a replay may take too long
            answer, said = whole(function)
    assert told(answer) == expected, f"\n{answer}"
    assert said == ANSWERS[name]["with a trace"]
    for words in says:
        assert words in str(answer), f"{words!r} is not in\n{answer}"
    assert not answer.causes or expected[2].split()[0] == answer.codes[0]
    lines = str(answer).splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 160
    assert not re.search(r"0x|\.py\b|In ?\[|<ipython|object at", str(answer))


@pytest.mark.variants
@pytest.mark.parametrize("name", PROGRAMS)
def test_without_a_replay_nothing_is_said_that_needs_one(name, monkeypatch):
    function, expected, *_ = PROGRAMS[name]
    monkeypatch.setattr(checkpoint, "SECONDS", 0)
    with mg.trace():
        answer, said = whole(function)
    assert said == ANSWERS[name]["without a replay"]
    assert all(cause.confidence != "tried" for cause in answer.causes)
    assert answer.status in (expected[0], "untried")
    assert answer.meaning in (expected[1], ""), f"\n{answer}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_a_trace_nobody_is_falsely_accused(name):
    function, (status, _, codes), _, plain = PROGRAMS[name]
    answer, said = whole(function)
    assert said == ANSWERS[name]["without a trace"]
    if plain is not None:
        assert told(answer) == plain, f"\n{answer}"
    elif status == "none":
        assert answer.status == "none"
        assert (
            {*answer.codes} <= {*codes.split()}
            or all(cause.confidence == "likely" for cause in answer.causes)
            or answer.codes == ("INTEGER",)
        ), f"\n{answer}"
    else:  # a number of which the tape alone knows only its part
        assert answer.status == ("untried" if status in ("partial", "complete", "zero") else status), f"\n{answer}"
        assert {*answer.codes} <= {*codes.split()}, f"\n{answer}"


def test_there_are_enough_programs_and_every_code_has_some():
    every = " ".join(codes for _, (_, _, codes), _, _ in PROGRAMS.values()).split()
    assert {*every} == {*mg.explain.codes()}
    assert len(PROGRAMS) >= 80
    assert sum(expected == ("complete", "", "") for _, expected, _, _ in PROGRAMS.values()) >= 25
    assert threading.current_thread() is threading.main_thread()


if __name__ == "__main__":
    for name, (function, *_) in PROGRAMS.items():
        found = {"without a trace": whole(function)[1]}
        for how, seconds in (("with a trace", checkpoint.SECONDS), ("without a replay", 0)):
            checkpoint.SECONDS, usual = seconds, checkpoint.SECONDS
            with mg.trace():
                found[how] = whole(function)[1]
            checkpoint.SECONDS = usual
        if ANSWERS.get(name) != found:
            ANSWERS[name] = found
            print(f"{name} differs")
    STORED.write_text(json.dumps({name: ANSWERS[name] for name in PROGRAMS}, indent=1, ensure_ascii=False) + "\n", "utf-8")
