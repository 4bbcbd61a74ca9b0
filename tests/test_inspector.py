"""The inspector: its table, its view model and what leaves the notebook."""

import json
import linecache
import threading
import time

import numpy as np
import pytest

import minigrad as mg
from minigrad.inspector.folds import loops
from minigrad.inspector.layout import layout
from minigrad.inspector.summary import bytes_text, shown, text_of


@pytest.fixture(autouse=True)
def no_trace_is_left_on():
    yield
    mg.trace(False)


def run(program, traced=True, name="cell"):
    """Run a program as a cell of a notebook, and give its names."""
    program = program.strip("\n") + "\n"
    file = f"<inspected {name} {abs(hash(program))}>"
    linecache.cache[file] = len(program), None, program.splitlines(True), file
    space = {"mg": mg, "np": np}
    if traced:
        mg.trace(True)
    exec(compile(program, file, "exec"), space)
    return space


def inspected(program, traced=True, target=None, sources=None):
    """Run a program, and inspect its tape in the same cell."""
    space = run(f"{program.strip()}\nfilm = mg.inspect(tape{f', {target}, {sources}' if target else ''})", traced)
    return space["film"]


HALF = """
x = mg.Variable(3.0, name="x")
with mg.GradientTape() as tape:
    y = x * x.numpy()
g = tape.gradient(y, x)
"""
LATE = """
c = mg.constant(3.0)
with mg.GradientTape() as tape:
    square = c * c
    tape.watch(c)
    y = square + c
g = tape.gradient(y, c)
"""
STALE = """
x = mg.Variable(3.0, name="x")
with mg.GradientTape(persistent=True) as tape:    # persistent: we ask twice
    y = x * x

first = tape.gradient(y, x)
x.assign_sub(0.1 * first)
second = tape.gradient(y, x)
"""
BRANCH = """
z = mg.Variable([0.0, 2.0], name="z")
with mg.GradientTape() as tape:
    y = mg.where(z > 0.0, mg.math.log(z), 0.0)
g = tape.gradient(y, z)
"""
BROKEN = """
x = mg.Variable([[1., 2.], [3., 4.]])
with mg.GradientTape() as tape:
    x2 = x ** 2
    y = np.mean(x2, axis=0)
    y = mg.reduce_mean(y, axis=0)
g = tape.gradient(y, x)
"""
MENDED = BROKEN.replace("np.mean", "mg.reduce_mean")
TWICE = """
x = mg.Variable(3.0)
with mg.GradientTape() as tape:
    with mg.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)
g = tape.gradient(slope, x)
"""
NETWORK = """
x = mg.constant(np.linspace(-1.0, 1.0, 12).reshape(4, 3), mg.float32)
w = mg.Variable(np.linspace(0.1, 1.5, 15).reshape(3, 5), dtype=mg.float32)
b = mg.Variable(np.zeros(5), dtype=mg.float32)
with mg.GradientTape() as tape:
    h = mg.nn.relu(x @ w + b)
    loss = mg.reduce_mean(h * h)
    accuracy = mg.reduce_mean(mg.cast(mg.argmax(h, 1), mg.float32))
g = tape.gradient(loss, [w, b])
"""
LOOP = """
x = mg.Variable(0.5)
with mg.GradientTape() as tape:
    y = x
    for i in range({turns}):
        y = mg.sin(y)
        y = y * 1.01
    z = y + 1.0
g = tape.gradient(z, x)
"""


# ---- the table ---------------------------------------------------------------------------------------------------------

TABLES = {
    HALF: """\
tape inspector   1 tape: 1 kept, 1 ghost
 #  op         line                value   on the tape              backward, to x
 1  numpy      y = x * x.numpy()   3.0     ghost: left the engine   cut (would carry 3.0)
 2  multiply   y = x * x.numpy()   9.0     kept                     3.0
 paths: live 3.0, lost 3.0, together 6.0""",
    LATE: """\
tape inspector   1 tape: 1 kept, 1 ghost
 #  op         line             value   on the tape                 backward, to c
 1  multiply   square = c * c   9.0     ghost: c not watched yet    cut (would carry 6.0)
 -  watch      tape.watch(c)    -       c is watched from here on   -
 2  add        y = square + c   12.0    kept                        1.0
 paths: live 1.0, lost 6.0, together 7.0""",
    STALE: """\
tape inspector   1 tape: 1 kept, 0 ghosts
 #  op         line                        value   on the tape              backward, to x
 1  multiply   y = x * x                   9.0     kept, read x version 0   3.0 + 3.0
 -  assign     x.assign_sub(0.1 * first)   2.4     x is version 1 now       -
 paths: live 6.0""",
    BRANCH: """\
tape inspector   1 tape: 2 kept, 1 ghost
 #  op        line                value           on the tape            backward, to z
 1  greater   y = mg.where(...)   [False True]    ghost: no derivative   only decides
 2  log       y = mg.where(...)   [-inf 0.6931]   kept                   [0.0 1.0] x [inf 0.5] = [nan 0.5]
 3  where     y = mg.where(...)   [0.0 0.6931]    kept                   sends [0.0 1.0] to log
 paths: live [nan 0.5], first bad number at frame 2""",
    BROKEN: """\
tape inspector   1 tape: 1 kept, 2 ghosts
 #  op            line                            value                on the tape              backward, to x
 1  pow           x2 = x ** 2                     [1.0 4.0 9.0 16.0]   kept                     never reached
 2  np.mean       y = np.mean(x2, axis=0)         [5.0 10.0]           ghost: left the engine   cut
 3  reduce_mean   y = mg.reduce_mean(y, axis=0)   7.5                  ghost: nothing watched   -
 paths: none live: broken, LEFT_ENGINE""",
}


@pytest.mark.parametrize("program", TABLES)
def test_the_table_tells_the_story(program):
    assert str(inspected(program)) == TABLES[program]


@pytest.mark.parametrize("program", [HALF, TWICE, NETWORK, LOOP.format(turns=50)])
def test_two_equal_runs_give_the_same_table(program):
    assert str(inspected(program)) == str(inspected(program))


def test_a_long_film_makes_a_short_table():
    text = str(inspected(LOOP.format(turns=5000)))
    assert len(text.splitlines()) <= 40
    assert "... 4998 more turns of 2 ops" in text


def test_without_a_log_the_tape_tells_what_it_kept():
    film = inspected(NETWORK.rpartition("g =")[0], traced=False, target="loss", sources="[w, b]")
    text = str(film)
    assert "matmul" in text and "line" not in text.splitlines()[1]
    assert "mg.trace(True)" in text
    assert [frame["op"] for frame in film.view["frames"]] == ["matmul", "add", "relu", "multiply", "reduce_mean"]
    assert film.view["readings"][0]["asked"] is False


def test_looking_does_not_use_the_tape_up_and_is_not_heard():
    space = run("x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x\nfilm = mg.inspect(tape, y, x)")
    events = len(mg.inspect.__globals__["Model"].__init__.__globals__["trace_of"](space["tape"]).events)
    assert "live 6.0" in str(space["film"])
    assert float(space["tape"].gradient(space["y"], space["x"])) == 6.0
    assert "live 6.0" in str(space["film"])
    assert events == 5  # the Variable was made; opened, multiplied, closed; and the look was not written down
