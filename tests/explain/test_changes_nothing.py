"""A tape can be explained at any time, and nothing is different afterwards."""

import minigrad as mg


def test_a_tape_can_be_explained_before_and_after_it_is_asked():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    before = tape.explain(y, x)
    slope = tape.gradient(y, x)
    assert slope == 6.0
    assert str(tape.explain(y, x)) == str(before)


def test_nobody_hears_an_explanation():
    x = mg.Variable(3.0)
    with mg.trace() as log, mg.GradientTape(persistent=True) as tape:
        y = x * x
        counts = len(log.events), len(tape.steps)
        tape.explain(y, x)
        assert (len(log.events), len(tape.steps)) == counts


def test_a_tape_that_still_records_can_be_explained():
    x = mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * x.numpy()
        assert tape.explain(y, x).status == "partial"
        y = y * x
    assert tape.gradient(y, x) == 18.0


def test_rows_of_a_gather_are_explained_on_a_tape_that_is_used_up():
    table = mg.Variable([[1.0], [2.0]])
    with mg.GradientTape() as tape:
        y = mg.gather(table, [1, 0, 1])
    rows = tape.gradient(y, table)
    assert isinstance(rows, mg.IndexedSlices)
    assert tape.explain(y, table).status == "untried"
