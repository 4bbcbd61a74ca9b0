"""The film: what it says of calls, iterations, formulas and errors is true of the program."""

import pytest
from test_inspector import asked_of, columns, inspected, no_trace_is_left_on  # noqa: F401

# ---- calls of layers ---------------------------------------------------------------------------------------------------

SHARED = """
twice, first, last = [mg.keras.layers.Dense(3, "gelu", name=name) for name in ("twice", "first", "last")]
x = mg.Variable(mg.ones((2, 3)))
"""


@pytest.mark.parametrize(("lines", "units"), [
    ("y = last(twice(twice(first(x))))", "first twice twice last"),
    ("y = last(twice(x) + twice(x) * first(x))", "twice twice first add last"),
    ("y = first(x)\nfor _ in range(3): y = twice(y)\ny = last(y)", "first twice twice twice last"),
])  # fmt: skip
def test_two_calls_of_one_layer_are_two_units(lines, units):
    fold = inspected(asked_of(lines, SHARED)).plain["fold"]
    assert (fold["kind"], fold["labels"]) == ("layers", units.split())
