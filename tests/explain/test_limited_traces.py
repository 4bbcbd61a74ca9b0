"""Traces that began late, that are full, that ran beside others, and those that are strict."""

import contextlib
import linecache
import random
import threading
import time

import numpy as np
import pytest

import minigrad as mg
from minigrad.tracing import checkpoint, values


def test_a_trace_that_began_after_the_forward_pass():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y, z = x * x, mg.constant(x.numpy())
    with mg.trace():
        tape.gradient(y, x)
        assert tape.explain(y, x).status in ("untried", "none")
        assert "began later" in str(tape.explain(z, x)) or tape.explain(z, x).codes == ("SPENT_TAPE",)


def test_a_constant_that_is_older_than_the_trace_is_not_younger_than_the_target():
    x, c = mg.Variable(2.0), mg.constant(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        tape.watch(c)
        y = x * x
    answer = tape.explain(y, c)
    assert (answer.meaning, answer.codes) == ("independent", ("UNUSED",))


def test_a_trace_that_began_in_the_block():
    x = mg.Variable(3.0)
    with mg.GradientTape(persistent=True) as tape:
        h = x * x
        with mg.trace():
            y = h * 2.0
    answer = tape.explain(y, x)
    assert (answer.status, answer.codes) == ("untried", ())
    assert "12.0" in answer.headline


def paused(x, tape):
    with tape:
        k = x.numpy()
        with mg.trace():
            with tape.stop_recording():
                pass
            return x * k


def traced_in_a_pause(x, tape):
    with tape:
        k = x.numpy()
        with tape.stop_recording():
            log = mg.trace().__enter__()
        y = x * k
    log.__exit__()
    return y


def entered_again(x, tape):
    with tape:
        h = x * x.numpy()
    with mg.trace(), tape:
        return h * 2.0


@pytest.mark.parametrize("block", [paused, traced_in_a_pause, entered_again])
def test_a_tape_that_goes_on_is_not_taken_for_one_that_is_opened(block):
    x, tape = mg.Variable(3.0), mg.GradientTape()
    answer = tape.explain(block(x, tape), x, seconds=0.5)
    assert (answer.status, answer.codes) == ("untried", ())
    assert "no replay: the trace began after the tape was opened" in answer.notes
    assert "the trace began later than this tape, so it does not know all of it" in answer.notes


@pytest.mark.parametrize("later", [False, True])
def test_a_zero_factor_from_before_the_trace(later):
    w, x = mg.Variable(0.0), mg.Variable(3.0)
    with mg.trace():
        with mg.GradientTape() as tape:
            y = w * x
        if later:
            w.assign(1.0)
    assert "takes it times w, which is 0 here" in str(tape.explain(y, x))


@pytest.mark.parametrize("named", [True, False])
def test_of_data_that_the_trace_keeps_no_more_a_name_tells(named, monkeypatch):
    monkeypatch.setattr(values, "MOST_HELD", 4_000)
    monkeypatch.setattr(values, "PAGE", 1)
    w = mg.Variable(mg.ones([1000]))
    with mg.trace():
        data = mg.constant([1.0] * 999 + [np.nan]) * 1.0
        batches = iter([data])
        if not named:
            del data
        for _ in range(4):
            mg.ones([1000]) * 2.0
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(mg.square(w * next(batches)))
    said = str(tape.explain(y, w))
    assert ("line   data = " if named else "line   y = ") in said and "(likely)" in said, said
    assert "look at what multiply is given there, which is not known" in said


def test_a_part_that_was_made_after_the_trace():
    x = mg.Variable([1.0, 2.0])
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(x * x)
    assert "made after the target" in str(tape.explain(y, x[0]))


@pytest.mark.parametrize("make", [mg.Variable, mg.constant])
def test_a_tape_that_was_asked_for_a_part_made_after_the_trace_is_used_up(make):
    x = make([1.0, 2.0])
    with mg.trace(), mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.reduce_sum(x * x)
    tape.gradient(y, x[0])
    assert str(tape.explain(y, x)).splitlines() == [
        "NONE  dy/dx raises RuntimeError: the tape is used up",
        "  cause  SPENT_TAPE (proved): the tape was asked before, and that used it up",
        "  fix    use mg.GradientTape(persistent=True)",
    ]


def test_a_second_question_about_the_same_target_can_be_asked_with_the_first():
    x, w = mg.Variable(2.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * w
    tape.gradient(y, x)
    (told,) = tape.explain(y, w).causes
    assert told.fix == "ask once for all: tape.gradient(y, [x, w]); or use mg.GradientTape(persistent=True)"


def test_the_steps_of_a_tape_that_is_used_up_are_those_to_the_source():
    x = mg.Variable(0.0)
    with mg.trace():
        for persistent in (True, False):
            with mg.GradientTape(persistent=persistent) as tape:
                h = x * 2.0
                y = mg.sqrt(h) * 3.0
            tape.gradient(y, x)
            assert str(tape.explain(y, x)).splitlines() == [
                "NAN  dy/dx = inf",
                "  first  sqrt at h = 0.0: upstream 3.0 x local derivative inf = inf",
                "  line   y = mg.sqrt(h) * 3.0",
                "  cause  NOT_FINITE (proved): sqrt is where the gradient stops being finite: its slope there is inf or nan",
                "  fix    keep the input of sqrt away from there, for example with mg.maximum(h, 1e-6)",
            ]


def test_a_zero_that_a_used_up_tape_gave_for_none_is_none():
    x, tape = mg.Variable(3.0), mg.GradientTape()
    with mg.trace():
        with tape:
            y = mg.constant(float(x)) * 2.0
        assert tape.gradient(y, x, unconnected_gradients="zero").numpy() == 0.0
        assert str(tape.explain(y, x, unconnected_gradients="zero")).splitlines() == [
            "NONE  dy/dx = None: x matters, and the way to it is broken",
            "  lost   x -> float -> multiply -> y",
            "  line   y = mg.constant(float(x)) * 2.0",
            "  cause  LEFT_ENGINE (proved): float(x) is a plain number; constant was given the number 3.0, not x",
            "  fix    keep x a tensor: y = x * 2.0",
            "  note   unconnected_gradients=ZERO shows this None as 0.0",
        ]
        with tape:  # once more, so that its last question is another one
            z = x * x
        tape.gradient(z, x)
        assert tape.explain(y, x).headline == "NONE  dy/dx = None: x matters, and the way to it is broken"


@pytest.mark.parametrize("head", ["z = v * 2.0\nif z:", "z = mg.constant(2.0) * 2.0\nif z:", "for z in (v * 2.0,):"])
def test_a_tensor_from_before_the_tape_is_to_be_watched(head):
    """It was not computed anew, as a name is to which what is computed from itself is assigned."""
    text = f"{head}\n    with mg.GradientTape() as tape:\n        y = z * 3.0\n    answer = tape.explain(y, z)\n"
    file, space = f"<{head}>", {"mg": mg, "v": mg.Variable(2.0)}
    linecache.cache[file] = 0, None, text.splitlines(True), file
    with mg.trace():
        exec(compile(text, file, "exec"), space)
    assert str(space["answer"]).splitlines() == [
        "NONE  dy/dz = None: z matters, and the way to it is broken",
        "  lost   z -> multiply -> y",
        "  line   y = z * 3.0",
        "  cause  UNWATCHED (proved): z is a Tensor that this tape was not told to watch",
        "  fix    add tape.watch(z) above y = z * 3.0",
    ]


def test_a_constant_from_before_the_trace_was_not_made_anew():
    v, c = mg.Variable(2.0), mg.constant(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        tape.watch(c)
        y = v * v
    assert tape.explain(y, c).codes == ("UNUSED",)


def test_a_nan_from_before_the_trace():
    X, w, b = mg.constant([1.0, float("nan")]), mg.Variable([1.0, 2.0]), mg.Variable(float("inf"))
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        y, z = mg.reduce_sum((X * w) ** 2), w * mg.reduce_sum(b * b)
    assert "X holds nan already" in str(tape.explain(y, w))
    assert "b holds inf already" in str(tape.explain(z, w))


def test_what_a_full_trace_has_forgotten_is_not_proved():
    a, b = mg.Variable(2.0), mg.Variable(1.0)
    with mg.trace(limit=20), mg.GradientTape() as tape:
        y = mg.sqrt(float(a)) * b
        for _ in range(20):
            y = y * 1.0
    text = str(tape.explain(y, a))
    assert "UNUSED (likely)" in text
    assert "began later" not in text


def test_what_left_and_was_not_tried_is_named_where_nothing_leads_to_the_target():
    x, w = mg.Variable(2.0), mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        x.numpy()
        y = w * w
    [cause] = tape.explain(y, x, seconds=0).causes
    assert (cause.code, cause.op, cause.line, cause.confidence) == ("UNUSED", "x.numpy", "x.numpy()", "likely")
    assert "it left through x.numpy here, and may have come back unseen" in cause.sentence


@pytest.mark.parametrize("limit", [1, 5])
@pytest.mark.parametrize("persistent", [True, False])
def test_a_full_trace_does_not_deny_a_gradient_that_was_given(limit, persistent):
    x = mg.Variable(2.0)
    with mg.trace(limit=limit), mg.GradientTape(persistent=persistent) as tape:
        h = x
        for _ in range(8):
            h = mg.tanh(h) * 1.5
    assert tape.gradient(h, x) is not None
    assert tape.explain(h, x).status == "untried"


def test_a_full_trace_says_that_it_has_forgotten_the_target():
    x = mg.Variable(2.0)
    with mg.trace(limit=3), mg.GradientTape() as tape:
        y = mg.constant(2.0)
        for _ in range(8):
            x * 1.0
    text = str(tape.explain(y, x))
    assert "has forgotten how the target was made" in text
    assert "began later" not in text


def test_an_assigned_value_is_known_by_its_object_without_a_replay():
    x, v = mg.Variable(2.0), mg.Variable(0.0)
    with mg.trace(), mg.GradientTape() as tape:
        v.assign(x.numpy())
        y = v * x
    cause = tape.explain(y, x, seconds=0).causes[0]
    assert (cause.code, cause.confidence, cause.line) == ("LEFT_ENGINE", "proved", "v.assign(x.numpy())")


def test_a_full_trace_does_not_say_that_nothing_depends_on_a_source():
    w = mg.Variable([1.0, 2.0])
    with mg.trace(limit=5):
        with mg.GradientTape() as tape:
            y = mg.constant(w.numpy()) * 2.0
            for _ in range(5):
                y = mg.sin(y)
        tape.gradient(y, w)
    answer = tape.explain(y, w)
    assert (answer.status, answer.meaning, answer.causes[0].confidence) == ("none", "", "likely")
    assert "nothing that the log still has leads to w" in str(answer)


def test_a_trace_that_is_full():
    x = mg.Variable(1.0)
    with mg.trace(limit=20) as log, mg.GradientTape() as tape:
        y = x * x.numpy()
        for _ in range(100):
            y = y * 1.0
    assert len(log.events) == 20
    assert len(log.made) <= 20
    answer = tape.explain(y, x)
    assert answer.status == "untried"
    assert "has forgotten" in str(answer)


def test_an_op_in_another_thread():
    x, found = mg.Variable(3.0), []
    with mg.trace(), mg.GradientTape() as tape:
        thread = threading.Thread(target=lambda: found.append(x * x))
        thread.start()
        thread.join()
    answer = tape.explain(found[0], x)
    assert answer.status == "none"
    assert all(cause.confidence == "likely" for cause in answer.causes)


def test_a_tape_of_another_thread_is_to_be_traced_there():
    x, found = mg.Variable(3.0), []

    def square():
        with mg.GradientTape() as tape:
            found[:] = tape, x * float(x)

    for trace in (mg.trace(), contextlib.nullcontext()):
        with trace as log:
            thread = threading.Thread(target=square)
            thread.start()
            thread.join()
            tape, y = found
            answer = tape.explain(y, x)
        assert answer.status == "untried"
        assert ("a trace hears the thread in which it was switched on" in str(answer)) == (log is not None), f"\n{answer}"


def test_two_traces_and_a_trace_after_a_trace():
    x = mg.Variable(3.0)
    with mg.trace(), mg.trace(), mg.GradientTape() as tape:
        y = x * x.numpy()
    with mg.trace():
        pass
    assert tape.explain(y, x).status == "partial"


def test_a_long_program_is_explained_in_time():
    x = mg.Variable(1.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x
        for _ in range(10_000):
            y = y * 1.0001
    begin = time.process_time()
    assert tape.explain(y, x).status == "complete"
    assert time.process_time() - begin < 20.0  # what grows with the square of the length takes minutes


def test_strict_raises_with_the_explanation():
    x = mg.Variable(3.0)
    with mg.trace(strict=True):
        with mg.GradientTape() as tape:
            y = x * x.numpy()
        with pytest.raises(mg.explain.BrokenGradient, match=r"PARTIAL  dy/dx = 3.0(.|\n)*fix    keep x a tensor: y = x \* x"):
            tape.gradient(y, x)


@pytest.mark.skipif(not checkpoint.FORKS, reason="this system has no fork")
def test_strict_tries_a_tape_from_its_own_opening_on():
    x = mg.Variable(3.0)
    with mg.trace(strict=True):
        with mg.GradientTape() as tape:
            y = x * float(str(x.numpy()))
        with mg.GradientTape() as other:
            z = x * x
        assert other.gradient(z, x) is not None
        with pytest.raises(mg.explain.BrokenGradient, match=r"PARTIAL  dy/dx = 3.0"):
            tape.gradient(y, x)


def test_strict_lets_healthy_training_pass():
    w, unused = mg.Variable(3.0), mg.Variable(1.0)
    with mg.trace(strict=True):
        for _ in range(3):
            with mg.GradientTape() as tape:
                loss = w * w
            slope, none = tape.gradient(loss, [w, unused])
            w.assign_sub(0.1 * slope)
    assert none is None


@pytest.mark.skipif(not checkpoint.FORKS, reason="this system has no fork")
def test_the_last_step_of_a_long_training_is_tried(monkeypatch):
    """All tapes share what sleeps where the first was opened; the log has forgotten that, but not the last tape."""
    monkeypatch.setattr(checkpoint, "RARELY", 1e9)
    monkeypatch.setattr(checkpoint, "SECONDS", 1e9)
    w, b = mg.Variable(2.0), mg.Variable(1.0)
    with mg.trace(limit=200) as log:
        for _ in range(100):
            with mg.GradientTape() as tape:
                factor = random.random()
                y = (w * factor - 3.0) ** 2 + b * float(w)
            slopes = tape.gradient(y, [w, b])
            for one, slope in zip((w, b), slopes):
                one.assign_sub(0.001 * slope)
        first = tape.checkpoint.number
        answers = tape.explain(y, [w, b], seconds=10.0)
        asked = checkpoint.resting[tape]
        again = tape.explain(y, [w, b], seconds=10.0)
    assert [one.status for one in answers] == ["partial", "complete"]
    assert not any("forgotten" in note for one in answers for note in one.notes)
    assert (first, asked.number) == (1, log.opening(tape.number).number)
    assert str(answers) == str(again) and checkpoint.resting[tape] is asked


@pytest.mark.skipif(not checkpoint.FORKS, reason="this system has no fork")
def test_that_the_log_has_forgotten_the_block_is_said():
    x = mg.Variable(2.0)
    with mg.trace(limit=50), mg.GradientTape() as tape:
        y = x * float(x)
        for _ in range(60):
            y = y * 1.0
    assert "no replay: the log has forgotten where the tape was opened" in tape.explain(y, x).notes
