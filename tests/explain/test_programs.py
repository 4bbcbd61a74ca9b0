"""explain names the status, the meaning and the code of every program here, and accuses none of the healthy ones."""

import re
import threading

import pytest
from programs import PROGRAMS, told

import minigrad as mg


@pytest.mark.parametrize("name", PROGRAMS)
def test_with_a_trace_the_answer_is(name):
    function, expected, says, _ = PROGRAMS[name]
    with mg.trace():
        answer = function()
    assert told(answer) == expected, f"\n{answer}"
    for words in says:
        assert words in str(answer), f"{words!r} is not in\n{answer}"
    assert not answer.causes or expected[2].split()[0] == answer.codes[0]
    lines = str(answer).splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 160
    assert not re.search(r"0x|\.py\b|In ?\[|<ipython|object at", str(answer))


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_a_trace_nobody_is_falsely_accused(name):
    function, (status, _, codes), _, plain = PROGRAMS[name]
    answer = function()
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
        assert answer.status == ("untried" if status in ("partial", "complete") else status), f"\n{answer}"
        assert {*answer.codes} <= {*codes.split()}, f"\n{answer}"


def test_there_are_enough_programs_and_every_code_has_some():
    every = " ".join(codes for _, (_, _, codes), _, _ in PROGRAMS.values()).split()
    assert {*every} == {*mg.explain.codes()}
    assert len(PROGRAMS) >= 80
    assert sum(expected == ("complete", "", "") for _, expected, _, _ in PROGRAMS.values()) >= 25
    assert threading.current_thread() is threading.main_thread()
