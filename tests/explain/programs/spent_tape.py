"""The tape has answered before, and is used up."""

import pytest

import minigrad as mg

from . import program


@program("none", "broken", "SPENT_TAPE", plain=("none", "broken", "SPENT_TAPE"))
def _part_as_a_source_after_another():
    """x[0] asked of a tape that has answered for x: the used-up tape must be named before the index."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x * x)
    assert tape.gradient(y, x) is not None
    return tape.explain(y, x[0])


@program("none", "broken", "SPENT_TAPE", "persistent=True", plain=("none", "broken", "SPENT_TAPE"))
def _second_question():
    """A second target on a tape that has answered: the recorded path must not make the answer complete."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
        z = y * y
    tape.gradient(y, x)
    return tape.explain(z, x)


@program("none", "broken", "SPENT_TAPE", plain=("none", "broken", "SPENT_TAPE"))
def _same_question_twice():
    """The same question twice, refused the second time: the answer must be about the refusal, and not repeat the first."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError):
        tape.gradient(y, x)
    return tape.explain(y, x)


@program("none", "broken", "SPENT_TAPE", plain=("none", "broken", "SPENT_TAPE"))
def _asked_within_its_block():
    """An op after the question, within the block: the tape had ended, so that op must not be called outside of it."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
        tape.gradient(y, x)
        z = y * x
    return tape.explain(z, x)
