"""The inspector: its table, its view model and what leaves the notebook."""

import base64
import contextlib
import gc
import hashlib
import html
import importlib.util
import io
import itertools
import json
import linecache
import math
import re
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
from minigrad.engine.backward import ARRAYS, TENSORS
from minigrad.engine.op import MADE
from minigrad.explain.asking import last_tape
from minigrad.explain.search import History
from minigrad.graph import retold
from minigrad.inspector import still as pictures
from minigrad.inspector.arrays import bytes_text, json_number, shown
from minigrad.inspector.code import ShownCode, wanted
from minigrad.inspector.film import read_again
from minigrad.inspector.html import FRONT, PARTS
from minigrad.inspector.inspection import Inspection
from minigrad.inspector.model import Model
from minigrad.inspector.still import still
from minigrad.inspector.wires import scale_of, strip, width_of
from minigrad.tracing.log import EnteredEngine, public_name, trace_of
from minigrad.tracing.loops import head_of, piece_of
from minigrad.tracing.values import Summary, brief, forgotten


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


ASKS_WITHIN = """
@mg.custom_gradient
def f(x):
    with mg.GradientTape() as inner:
        inner.watch(x)
        y = mg.sin(x) * x
    return y, lambda dy: inner.gradient(y, x, dy)
x = mg.Variable(2.0)
with mg.GradientTape() as tape:
    z = f(x * 1.0) * 3.0
g = tape.gradient(z, x)
"""
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
FIXED = BROKEN.replace("np.mean", "mg.reduce_mean")
BY_CHANCE = """
x = mg.Variable(1.0)
with mg.GradientTape() as tape:
    y = x * x.numpy() ** 2
g = tape.gradient(y, x)
"""
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
 2  np.mean ...   y = np.mean(x2, axis=0)         [5.0 10.0]           ghost: left the engine   cut
 3  reduce_mean   y = mg.reduce_mean(y, axis=0)   7.5                  ghost: nothing watched   -
 paths: none live: broken, LEFT_ENGINE""",
    BY_CHANCE: """\
tape inspector   1 tape: 1 kept, 1 ghost
 #  op         line                     value   on the tape              backward, to x
 1  numpy      y = x * x.numpy() ** 2   1.0     ghost: left the engine   cut
 2  multiply   y = x * x.numpy() ** 2   1.0     kept                     1.0
 paths: live 1.0, and one is lost: LEFT_ENGINE""",
}


@pytest.mark.parametrize("program", TABLES)
def test_the_table_tells_the_story(program):
    assert str(inspected(program)) == TABLES[program]


VERSIONS = """
v = mg.Variable(2.0, name="v")
with mg.GradientTape() as tape:
    before = v * v
    v.assign(10.0)
    after = before + v
v.assign(100.0)
"""


def test_each_frame_tells_the_version_that_it_read():
    rows = str(inspected(VERSIONS, target="after", sources="v")).splitlines()
    assert [row.partition("read ")[2].split("  ")[0] for row in rows if "read " in row] == ["v version 0", "v version 1"]


@pytest.mark.parametrize("program", [HALF, TWICE, NETWORK, LOOP.format(turns=50)])
def test_two_equal_runs_give_the_same_table(program):
    assert str(inspected(program)) == str(inspected(program))


def test_a_long_film_makes_a_short_table():
    text = str(inspected(LOOP.format(turns=5000)))
    assert len(text.splitlines()) <= 40
    assert "... 9996 more ops" in text


def test_without_a_log_the_tape_tells_what_it_kept():
    film = inspected(NETWORK.rpartition("g =")[0], traced=False, target="loss", sources="[w, b]")
    text = str(film)
    assert "matmul" in text and "line" not in text.splitlines()[1]
    assert "mg.trace(True)" in text
    assert [col["op"] for col in columns(film.plain, "op")] == ["matmul", "add", "relu", "multiply", "reduce_mean"]
    assert film.plain["readings"][0]["asked"] is False


def test_looking_does_not_use_the_tape_up_and_is_not_heard():
    space = run("x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x\nfilm = mg.inspect(tape, y, x)")
    assert "live 6.0" in str(space["film"])
    assert len(trace_of(space["tape"]).events) == 5  # the number came, the Variable was made; opened, multiplied, closed
    assert float(space["tape"].gradient(space["y"], space["x"])) == 6.0
    assert "live 6.0" in str(space["film"])


def test_two_films_stand_beside_each_other():
    space = run(f"{BROKEN}\nbroken = tape\n{FIXED}\nfilm = mg.inspect(broken, tape)")
    text = str(space["film"])
    assert text.startswith("as written\ntape inspector   1 tape: 1 kept, 2 ghosts")
    assert "\nfixed\ntape inspector   1 tape: 3 kept, 0 ghosts" in text
    view = space["film"].plain
    assert [one["verdict"]["answer"] for one in view["compare"]] == ["None", "[0.5 1.0 1.5 2.0]"]
    assert view["axis"] == [[0, 0], [1, 1], [2, 2], [3, 3], [3, 4], [3, 5], [3, 6], [4, 7], [5, 8]], "what is not read is waited for"
    assert text.endswith("the lines that differ\n  - y = np.mean(x2, axis=0)\n  + y = mg.reduce_mean(x2, axis=0)")


def test_films_of_one_cell_each_are_aligned_by_their_lines():
    space = {**run(BROKEN), "mg": mg}
    broken = space["tape"]
    fixed = run(FIXED.replace("    x2 = x ** 2\n", "    x2 = x ** 2\n    x3 = x2 + 1.0\n"))["tape"]
    view = mg.inspect(broken, fixed).plain
    assert view["axis"][:4] == [[0, 0], [0, 1], [1, 2], [2, 3]], "what was put in has no partner, and what replaces has one"


def test_a_long_chain_of_values_without_a_name_can_be_shown():
    space = run(
        "x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    for k in range(3000):\n        x = x * 1.0001\n"
        + "kept = {'tape': tape}"
    )
    assert "3000 kept" in str(eval("mg.inspect(kept['tape'])", {**space, "x": None}))


# ---- the program in NumPy ----------------------------------------------------------------------------------------------


def test_the_program_in_numpy_gives_the_numbers_of_the_film():
    film = inspected(NETWORK)
    space = run(NETWORK)
    scope = {"np": np}
    exec(film.written, scope)
    loss, dw, db = scope["run"](*(space[name].numpy() for name in ("x", "w", "b")))
    assert loss == space["loss"].numpy()
    for found, known in zip((dw, db), space["g"]):
        np.testing.assert_allclose(found, known.numpy(), 1e-6)


def test_each_line_of_the_program_knows_its_frames():
    view = inspected(NETWORK).plain
    told = {line["text"].strip(): (line["write"], line["read"]) for line in view["written"]}
    ops = [view["cols"][f"f{k}"]["op"] for k in range(5)]
    assert ops == ["matmul", "add", "relu", "multiply", "reduce_mean"]
    assert told["h = np.maximum(x @ w + b, 0)"] == ([0, 1, 2], [])
    assert told["dw = x.T @ d"] == ([], [0]) and told["db = d.sum(0)"] == ([], [1])
    assert {k for write, _ in told.values() for k in write} == set(range(5)), "what decides nothing has no line"


def test_what_a_tape_did_not_write_is_passed_over_in_the_program_too():
    block = "    y = x * x\n    with tape.stop_recording():\n        z = y * y\n    w = z * x + mg.stop_gradient(y) + x * x.numpy()"
    film = inspected(f"x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n{block}\ng = tape.gradient(w, x)")
    scope = {"np": np}
    exec(film.written, scope)
    assert [float(found) for found in scope["run"](np.float32(3.0))] == [261.0, 84.0]


TOLD = {  # what stands before the tape and in its block, and what is asked; then the lines, with the ops that each runs and goes back through
    "a value is watched that an op made": (
        "x = mg.constant(2.0)", "tape.watch(x)\n    y = x * 3.0\n    z = y * x\n    tape.watch(z)\n    w = z * z + y", "w, [z, x]",
        "def run(x):  # [] []",
        "    y = x * 3.0  # [0] []",
        "    z = y * x  # [1] [2]",
        "    w = z * z + y  # [2, 3] []",
        "    # backward pass  # [] []",
        "    dz = z + z  # [] [2]",
        "    dy = 1.0 + dz * x  # [] [1]",
        "    dx = dz * y + dy * 3.0  # [] [0, 1]",
        "    return w, dz, dx  # [] []",
    ),
    "a value is watched that the tape did not write": (
        "x = mg.constant(2.0)", "with tape.stop_recording():\n        y = x * x\n    tape.watch(y)\n    z = y * y", "z, [y]",
        "def run(x):  # [] []",
        "    y = x * x  # [0] [1]",
        "    z = y * y  # [1] []",
        "    # backward pass  # [] []",
        "    dy = y + y  # [] [1]",
        "    return z, dy  # [] []",
    ),
    "what is watched has no name": (
        "many = [mg.constant([2.0, 3.0])]", "tape.watch(many)\n    y = many[0] * many[0] + mg.constant(1.0)", "y, many",
        "def run(many_0, mg_constant_1_0):  # [] []",
        "    y = many_0 * many_0 + mg_constant_1_0  # [0, 1] [0]",
        "    # backward pass  # [] []",
        "    dmany_0 = many_0 + many_0  # [] [0]",
        "    return y, dmany_0  # [] []",
    ),
    "Variables have no names": (
        "make = lambda: mg.Variable(2.0)", "y = make() * 3.0 + make()", "y, tape.watched_variables()",
        "def run():  # [] []",
        "    return np.float32(8.0), np.float32(3.0), np.ones((), np.float32)  # [] []",
    ),
    "numbers stand on either side": (
        "x = mg.Variable([1.0, 2.0])",
        "y = 3.0 - 2.0 * x**3.0 + mg.clip_by_value(x, 1.25, 1.75) * mg.where(x > 1.5, 4.0, 5.0)", "y, x",
        "def run(x):  # [] []",
        "    z = np.minimum(x, 1.75)  # [3] []",
        "    z2 = np.where(x > 1.5, np.float32(4.0), np.float32(5.0))  # [5, 6] [7]",
        "    y = 3.0 - 2.0 * (x * x * x) + np.maximum(z, 1.25) * z2  # [0, 1, 2, 4, 7, 8] []",
        "    # backward pass  # [] []",
        "    dz = np.where(z >= 1.25, z2, 0)  # [] [4]",
        "    dx = np.where(x <= 1.75, dz, 0) + -6.0 * x ** 2.0  # [] [0, 3]",
        "    return y, dx  # [] []",
    ),
    "lists are joined and added": (
        "x = mg.Variable([1.0, 2.0])", "y = mg.concat([x, x * 2.0], 0)\n    z = mg.add_n([y, y]) * y[::-1]", "z, x",
        "def run(x):  # [] []",
        "    y = np.concatenate([x, x * 2.0], 0)  # [0, 1] []",
        "    z = y + y  # [2] [4]",
        "    z2 = y[::-1]  # [3] [4]",
        "    z3 = z * z2  # [4] []",
        "    # backward pass  # [] []",
        "    dy = np.zeros_like(z, shape=(4,))  # [] [3]",
        "    dy[::-1] = z  # [] [3]",
        "    dy2 = dy + z2 + z2  # [] [2]",
        "    d = dy2[2:4]  # [] [1]",
        "    dx = dy2[0:2] + d * 2.0  # [] [0, 1]",
        "    return z3, dx  # [] []",
    ),
    "an op gives several values": (
        "x = mg.Variable([3.0, 1.0, 2.0])", "low, high = mg.split(x * x, [1, 2])\n    z = low * high", "z, x",
        "def run(x):  # [] []",
        "    z = x * x  # [0] []",
        "    z2 = z[0:1]  # [1] []",
        "    z3 = z[1:3]  # [1] [2]",
        "    z4 = z2 * z3  # [2] []",
        "    # backward pass  # [] []",
        "    dz3 = np.ones((2,), np.float32) * z2  # [] [2]",
        "    dz2 = z3.sum().reshape(1)  # [] [2]",
        "    dz = np.concatenate([dz2, dz3], 0)  # [] [1]",
        "    dx = dz * x  # [] [0]",
        "    dx2 = dx + dx  # [] [0]",
        "    return z4, dx2  # [] []",
    ),
    "there is no number": (
        "x = mg.Variable([-1.0, 1.0])", "y = mg.sqrt(x)", "y, x",
        "def run(x):  # [] []",
        "    y = np.sqrt(x)  # [0] []",
        "    # backward pass  # [] []",
        "    dx = 0.5 / y  # [] [0]",
        "    return y, dx  # [] []",
    ),
    "there is nothing": (
        "x = mg.Variable(mg.zeros([0, 2]))", "y = mg.reduce_sum(x * x)", "y, x",
        "def run(x):  # [] []",
        "    y = (x * x).sum()  # [0, 1] []",
        "    # backward pass  # [] []",
        "    dx = np.zeros((0, 2), np.float32) * x  # [] [0]",
        "    dx2 = dx + dx  # [] [0]",
        "    return y, dx2  # [] []",
    ),
    "a source is on no path": (
        "x, w = mg.Variable(2.0), mg.Variable(3.0)", "u = w * 2.0\n    y = x * x", "y, [w, x]",
        "def run(w, x):  # [] []",
        "    y = x * x  # [1] [1]",
        "    # backward pass  # [] []",
        "    dx = x + x  # [] [1]",
        "    return y, None, dx  # [] []",
    ),
}  # fmt: skip


@pytest.mark.variants
@pytest.mark.parametrize("name", TOLD)
def test_the_program_of_a_film_tells_which_ops_each_of_its_lines_runs_and_goes_back_through(name):
    before, block, asked, *lines = TOLD[name]
    film = inspected(f"{before}\nwith mg.GradientTape() as tape:\n    {block}\ng = tape.gradient({asked})")
    assert [f"{line['text']}  # {line['write']} {line['read']}" for line in film.plain["written"]] == lines


@pytest.mark.parametrize(
    ("forward", "slope"),
    [
        ("x * (calls.append(1) or len(calls))", "dy"),
        ("x * 2.0", "dy * (calls.append(1) or len(calls))"),
        ("(mg.print('printed'), x * 2.0)[1]", "dy * 2.0"),
    ],
    ids=["another value", "another gradient", "another print"],
)
def test_what_would_be_another_run_makes_no_program(forward, slope, capsys):
    lines = ["from minigrad.engine.op import made", "calls, x = [], mg.Variable(3.0)", "def mine(x):", f"    return {forward}"]
    lines += ["def slope(dy):", f"    return {slope}", "mine = made(mine, 'Mine', '', {'dx': slope})"]
    lines += ["with mg.GradientTape() as tape:", "    y = mine(x)", "g = tape.gradient(y, x)"]
    film = inspected("\n".join(lines))
    printed = capsys.readouterr().err
    assert film.written == "" and printed == "printed\n" * ("print" in forward)


def arrays_alike(value, known):
    try:
        retold.check(value, known)
    except retold.Unlike:
        return False
    return True


LONG = np.arange(1000.0)


@pytest.mark.parametrize(
    ("value", "known", "alike"),
    [
        (None, None, True),
        (None, LONG, False),
        (LONG, None, False),
        (np.ones(2), np.ones((2, 1)), False),
        (np.array([1.0, 2.0]), np.array([1.0, 2.00001]), True),
        (np.array([1.0, 2.0]), np.array([1.0, 2.1]), False),
        (np.array([-1e4, 0.5]), np.array([-1e4, 0.9]), True),
        (np.array([1e4, 0.5]), np.array([1e4, 2.5]), False),
        (np.array([1e-9]), np.array([1e-5]), False),
        (np.array([np.nan, 1.0]), np.array([np.nan, 1.0]), True),
        (np.array([np.nan, 1.0]), np.array([1.0, 1.0]), False),
        (np.array([np.nan, 1e4, 0.5]), np.array([np.nan, 1e4, 0.9]), True),
        (np.array([np.inf, 1.0]), np.array([np.inf, 2.0]), False),
        (np.zeros((0, 2)), np.zeros((0, 2)), True),
        (np.float32(2.0), np.float32(2.0), True),
        (LONG, LONG + (LONG > 7), True),
        (LONG, LONG + (LONG == 7), False),
    ],
)
def test_values_are_alike_as_far_as_they_are_known(value, known, alike):
    assert arrays_alike(value, None if known is None else Summary.of(known)) == alike


def test_a_value_that_the_log_has_forgotten_is_like_no_other():
    assert not arrays_alike(np.ones(300), forgotten((300,), np.dtype(float)))
    assert arrays_alike(np.ones((0, 3)), Summary.of(np.ones((0, 3))))


def test_only_a_value_of_which_all_is_known_is_a_constant_of_the_program():
    assert retold.whole(Summary.of(np.ones(256))).tolist() == [1.0] * 256
    for unknown in (None, Summary.of(LONG)):
        with pytest.raises(retold.Unlike):
            retold.whole(unknown)


DRAWN = "x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * mg.random.uniform([])\ng = tape.gradient(y, x)"
CUSTOM = """
@mg.custom_gradient
def twice(x):
    return x * 2.0, lambda dy: dy * 2.0
x = mg.Variable(3.0)
with mg.GradientTape() as tape:
    y = twice(x)
g = tape.gradient(y, x)
"""


@pytest.mark.parametrize("program", [TWICE, LOOP.format(turns=500), DRAWN, CUSTOM, "tape = mg.GradientTape()"])
def test_where_the_log_does_not_know_enough_there_is_no_program(program):
    mg.random.set_seed(1)
    drawn = [mg.random.uniform([]) for _ in range(3)]
    mg.random.set_seed(1)
    assert inspected(program).written == ""
    left = drawn[1:] if "random" in program else drawn
    assert mg.random.uniform([]) == left[0], "looking draws no number"


def test_a_value_that_nobody_has_any_more_makes_no_program():
    large = (
        "x = mg.Variable(np.ones(1000, np.float32))\nwith mg.GradientTape() as tape:\n    y = mg.reduce_sum(x * x)\ng = tape.gradient(y, x)"
    )
    assert "y = (x * x).sum()" in inspected(large).written
    assert inspected(f"{large}\nx.assign(x + 1.0)").written == ""


# ---- tapes in every state ----------------------------------------------------------------------------------------------

STATES = {
    "empty": ("x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    pass", "This tape is empty."),
    "never entered": ("tape = mg.GradientTape()", "This tape was never entered."),
    "not asked": ("x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x", "No gradient was computed."),
    "used up": (HALF, "paths: live 3.0"),
}


@pytest.mark.parametrize("traced", [True, False])
@pytest.mark.parametrize("state", STATES)
def test_a_tape_in_every_state_shows_something_true(state, traced):
    program, said = STATES[state]
    assert said in str(inspected(program, traced))


def test_a_log_can_be_inspected_and_an_empty_one_too():
    space = run(f"with mg.trace() as log:\n    pass\nwith mg.trace() as full:\n{indented(HALF)}", traced=False)
    assert "no tape" in str(eval("mg.inspect(log)", space))
    assert "live 3.0, lost 3.0" in str(eval("mg.inspect(full)", space))


def indented(program):
    return "".join(f"    {line}" for line in program.strip().splitlines(True))


def test_a_log_that_began_late_knows_its_part_and_says_so():
    block = "with mg.GradientTape() as tape:\n    y = x * x\n    with mg.trace():\n        z = mg.sin(y)"
    program = f"x = mg.Variable(3.0)\n{block}\ng = tape.gradient(z, x)"
    text = str(inspected(program, traced=False))
    assert "1 tape: 1 kept, 0 ghosts" in text
    assert "The log began later than this tape" in text


def test_a_full_log_shows_what_it_has_not_forgotten():
    program = LOOP.format(turns=40).replace("with mg.Gr", "with mg.trace(limit=30), mg.Gr")
    view = inspected(program, traced=False).plain
    assert 0 < view["count"] <= 30
    assert "forgotten its first events" in " ".join(view["notes"])


def test_other_things_are_refused_in_words():
    with pytest.raises(TypeError, match="takes a GradientTape, or the log of a trace"):
        mg.inspect(3.0)


def test_an_op_without_a_gradient_is_an_error_in_the_film():
    block = "with mg.GradientTape(persistent=True) as tape:\n    y = mg.image.adjust_contrast(image, 0.1)"
    film = inspected(f"image = mg.Variable([[[0.5, 0.0, 0.0]]])\n{block}", target="y", sources="image")
    assert film.plain["readings"][0]["error"].startswith("LookupError: gradient registry has no entry for")
    assert steps_of(film.plain)[-1] == ["error", 0]


@pytest.mark.variants
@pytest.mark.parametrize("name", sorted(mg.explain.codes()))
@pytest.mark.parametrize("traced", [True, False])
def test_the_programs_of_every_code_can_be_inspected(name, traced):
    code = mg.explain.codes(name)
    for program in (code.broken, code.fixed):
        program = program.replace("tf.", "mg.")
        space = {"mg": mg, "np": np}
        mg.trace(traced)
        with contextlib.suppress(Exception):  # some of the broken ones end with an error
            exec(program, space)
        for tape in [one for one in space.values() if isinstance(one, mg.GradientTape)]:
            check(mg.inspect(tape))


# ---- the view model ----------------------------------------------------------------------------------------------------


SCHEMA = json.loads((Path(__file__).parent / "film_schema.json").read_text("utf-8"))


def check(film):
    """What holds for every view model."""
    jsonschema = pytest.importorskip("jsonschema")
    for view in film.plain.get("compare", [film.plain]):
        jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(view, allow_nan=False)))
        check_view(view)


def steps_of(view):
    """[kind, number] for each step."""
    return [
        [kind, number + k * by if isinstance(number, int) else number] for kind, number, count, by in view["steps"] for k in range(count)
    ]


def check_view(view):
    steps, sizes = steps_of(view), [*itertools.accumulate(view["memory"]["changes"])]
    assert len(steps) == len(sizes) and min(sizes, default=0) >= 0 and view["memory"]["peak"] == max(sizes, default=0)
    written = [number for kind, number in steps if kind == "write"]
    assert written == sorted(written) and len(written) == view["count"] - view["hidden"], "in the order of time"
    for own_strip in view["strips"].values():
        place = {one: k for k, one in enumerate(own_strip["cols"])}
        assert all(one in view["cols"] for one in place)
        for key, port, ports, other, others, level in own_strip["wires"]:
            wire = view["wires"][key]
            assert place[wire["from"]] < place[wire["to"]], "a wire leads on in time"
            assert port < ports and other < others and level >= 1
        for column in place:
            own = [(one[1], one[2]) for one in own_strip["wires"] if view["wires"][one[0]]["from"] == column]
            own += [(one[3], one[4]) for one in own_strip["wires"] if view["wires"][one[0]]["to"] == column]
            assert sorted(port for port, _ in own) == [*range(len(own))] and all(ports == len(own) for _, ports in own), (
                "each end has its port"
            )
    for wire in view["wires"].values():
        for reading, at, *_ in wire["sent"]:
            assert wire["state"] in ("live", "same") and view["readings"][reading]["at"] < at <= view["readings"][reading]["end"]
    for col in view["cols"].values():
        assert col.get("line") is None or col["line"] in [one["n"] for one in view["code"]]
        assert col["at"] == -1 or steps[col["at"]] == ["write", int(col["id"][1:])]


def columns(view, *kinds):
    """The columns of these kinds, from left to right."""
    found = [view["cols"][one] for part in view["strips"].values() for one in part["cols"]]
    return [one for one in found if not kinds or one["kind"] in kinds]


def value(view, col):
    """The numbers of the value of a column."""
    return numbers(view, col["value"])


def slope(view, col, reading=None):
    """The numbers of its gradient, at the end of a reading (of the last one that reached it)."""
    found = [place for r, _, place in col["slopes"] if reading in (None, r)]
    return numbers(view, found[-1]) if found else None


def numbers(view, place):
    """An array of the view model, as an array of NumPy."""
    data = view["arrays"][place]
    if "picture" not in data:
        return np.array(float(data["text"]))
    assert not data["picture"].get("pooled")
    return np.array([float(one) for one in data["picture"]["v"]]).reshape(data["shape"])


def named(view, name):
    return next(one for one in view["cols"].values() if one["name"] == name)


PROGRAMS = [HALF, LATE, STALE, BRANCH, BROKEN, FIXED, TWICE, NETWORK, LOOP.format(turns=4), LOOP.format(turns=50)]


@pytest.mark.variants
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_view_model_holds_together(program):
    check(inspected(program))
    check(inspected(program, traced=False))


def test_a_square_has_two_wires_and_each_carries_its_part():
    view = inspected("x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x\ng = tape.gradient(y, x)").plain
    assert [(wire["from"], wire["to"], wire["state"]) for wire in view["wires"].values()] == [("s0", "f0", "live")] * 2
    assert [float(numbers(view, wire["sent"][0][2])) for wire in view["wires"].values()] == [3.0, 3.0]
    assert [float(numbers(view, place)) for _, _, place in view["cols"]["s0"]["slopes"]] == [6.0]
    assert view["scale"] == {"kind": "linear", "low": 3.0, "high": 3.0} and view["wires"]["f0.0"]["sent"][0][3] == 1.0


def test_a_variable_that_is_read_by_hand_is_the_source_itself():
    block = "with mg.GradientTape() as tape:\n    y = x.read_value() * x.value()"
    film = inspected(f"x = mg.Variable(3.0)\n{block}\ng = tape.gradient(y, x)")
    assert [wire["from"] for wire in film.plain["wires"].values()] == ["s0", "s0"]
    assert "3.0 + 3.0" in str(film)


def test_wires_go_from_producer_to_consumer_and_nowhere_else():
    block = "    a = x**2\n    b = w**3\n    c = mg.sin(x)\n    d = mg.exp(w)\n    s = a + d\n"
    view = inspected(
        f"x, w = mg.Variable(2.0), mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n{block}g = tape.gradient(s, [x, w])"
    ).plain
    ways = {(view["cols"][one["from"]]["name"], view["cols"][one["to"]]["name"]) for one in view["wires"].values()}
    assert ways == {("x", "a"), ("w", "b"), ("x", "c"), ("w", "d"), ("a", "s"), ("d", "s")}
    back = {(view["cols"][one["to"]]["name"], view["cols"][one["from"]]["name"]) for one in view["wires"].values() if one["sent"]}
    assert back == {("s", "a"), ("s", "d"), ("a", "x"), ("d", "w")}
    assert float(slope(view, named(view, "x"))) == 4.0 and float(slope(view, named(view, "w"))) == pytest.approx(math.exp(3.0), rel=1e-3)
    assert not named(view, "b")["slopes"] and not named(view, "c")["slopes"]


def by_differences(f, *arrays, h=1e-3):
    """The gradient of a function of arrays, by central differences."""
    found = []
    for k, one in enumerate(arrays):
        grad = np.zeros_like(one)
        for at in np.ndindex(one.shape):
            moved = [np.array(other, np.float64) for other in arrays]
            moved[k][at] += h
            high = f(*moved)
            moved[k][at] -= 2 * h
            grad[at] = (high - f(*moved)) / (2 * h)
        found.append(grad)
    return found


NET = """
x = mg.constant(X, mg.float32)
labels = mg.constant([0, 1, 2, 0])
w1, b1 = mg.Variable(W1, dtype=mg.float32), mg.Variable(B1, dtype=mg.float32)
w2 = mg.Variable(W2, dtype=mg.float32)
with mg.GradientTape() as tape:
    h = mg.nn.relu(x @ w1 + b1)
    loss = mg.reduce_mean(mg.nn.sparse_softmax_cross_entropy_with_logits(labels, h @ w2))
grads = tape.gradient(loss, [w1, b1, w2])
"""


def net_and_its_gradients():
    random = np.random.default_rng(3)
    x, w1, b1, w2 = random.normal(size=(4, 3)), random.normal(size=(3, 5)), random.normal(size=5), random.normal(size=(5, 3))

    def loss(w1, b1, w2):
        logits = np.maximum(x @ w1 + b1, 0) @ w2
        return np.mean(np.log(np.exp(logits).sum(1)) - logits[np.arange(4), [0, 1, 2, 0]])

    program = NET
    for name, one in (("X", x), ("W1", w1), ("B1", b1), ("W2", w2)):
        program = program.replace(f"({name},", f"({one.tolist()},")
    return inspected(program).plain, by_differences(loss, w1, b1, w2)


def test_the_gradients_of_a_network_are_those_of_finite_differences():
    view, right = net_and_its_gradients()
    for name, one in zip(("w1", "b1", "w2"), right):
        assert slope(view, named(view, name)) == pytest.approx(one, abs=2e-3), name
    wire = next(wire for wire in view["wires"].values() if wire["from"] == named(view, "w2")["id"])
    assert view["arrays"][wire["sent"][0][2]]["norm"] == pytest.approx(np.linalg.norm(right[2]), rel=1e-2), "a wire is as wide as its norm"


def test_memory_is_true_to_the_byte():
    view, _ = net_and_its_gradients()
    assert {block["name"]: block["bytes"] for block in view["memory"]["blocks"]} == {
        "x": 48,
        "h": 80,
        "w2": 60,
        "p": 48,
        "h @ w2": 48,
        "labels": 16,
    }
    program = NET.replace("X,", "np.ones((400, 300)),").replace("W1,", "np.ones((300, 500)),").replace("B1,", "np.ones(500),")
    program = program.replace("W2,", "np.ones((500, 300)),").replace("[0, 1, 2, 0]", "[0] * 400")
    kept = inspected(program).plain["memory"]["peak"]
    assert kept == pytest.approx(measured_bytes(program) + 4 * (400 * 300 + 500 * 300 + 400), rel=0.005), "x, w2 and labels live anyway"


def test_kept_arrays_have_the_names_of_the_program_and_not_of_parameters():
    block = "with mg.GradientTape() as tape:\n    a = x * x\n    z = a * x.numpy() + mg.sin(x) * np.ones(3, np.float32)"
    view = inspected(f"x = mg.Variable([3.0, 1.0, 2.0])\n{block}\ntape.gradient(z, x)").plain
    kept = [(block["name"], block["maker"]) for block in view["memory"]["blocks"]]
    assert kept == [("x", "s0"), ("numpy(x)", "f1"), ("constant", "d0")]


def measured_bytes(program):
    """How many bytes are alive after the forward pass because of the tape, by Python's own count."""
    mg.trace(False)  # which holds arrays itself
    space = {"mg": mg, "np": np}
    first, _, block = program.rpartition("grads =")[0].partition("with mg.Gr")
    exec(first, space)
    exec(f"with mg.Gr{block}", {**space})  # so that what is made once is made
    gc.collect()
    tracemalloc.start()
    try:
        exec(f"with mg.Gr{block}del h", space)
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        space.pop("tape")
        gc.collect()
        return held - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_memory_falls_as_a_tape_is_read_and_stays_if_it_is_persistent():
    program = "x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape() as tape:\n    y = mg.exp(mg.sin(x))\ng = tape.gradient(y, x)"
    memory = inspected(program).plain["memory"]
    assert [*itertools.accumulate(memory["changes"])] == [8, 16, 16, 8, 0, 0, 0]
    assert [(one["name"], one["bytes"], one["from"], one["to"], one["maker"], one["readers"]) for one in memory["blocks"]] == [
        ("x", 8, 0, 4, "s0", ["f0"]),
        ("y", 8, 1, 3, "f1", ["f1"]),
    ], "sin keeps its input, exp its output"
    often = inspected(program.replace("Tape()", "Tape(persistent=True)")).plain["memory"]
    assert [*itertools.accumulate(often["changes"])] == [8, 16, 16, 16, 16, 16]
    assert often["why"] == "a persistent tape keeps all until it is deleted"


def test_a_loss_over_classes_keeps_what_its_gradient_is_made_of():
    logits = mg.Variable([[0.3, 2.0, 1.0], [1.0, 0.0, 0.5]])
    with mg.trace(), mg.GradientTape() as tape:
        mg.nn.softmax_cross_entropy_with_logits(mg.one_hot([1, 0], 3), logits)
    blocks = mg.inspect(tape).plain["memory"]["blocks"]
    assert {one["bytes"] for one in blocks} == {4 * logits.numpy().size}


def test_an_array_that_is_kept_twice_counts_once():
    block = "with mg.GradientTape() as tape:\n    y = mg.sin(x) + mg.cos(x) + x * x"
    assert inspected(f"x = mg.Variable([1.0, 2.0])\n{block}\ng = tape.gradient(y, x)").plain["memory"]["peak"] == 8


def test_a_function_over_an_axis_and_its_derivative_are_two_curves():
    block = "with mg.GradientTape() as tape:\n    tape.watch(x)\n    y = mg.nn.sigmoid(x)"
    program = f"x = mg.linspace(-10.0, 10.0, 201)\n{block}\ng = tape.gradient(y, x)"
    view = inspected(program).plain
    t = np.linspace(-10, 10, 201)
    assert value(view, named(view, "y")) == pytest.approx(1 / (1 + np.exp(-t)), abs=1e-3)
    middle = np.diff(1 / (1 + np.exp(-np.linspace(-10.05, 10.05, 202)))) / 0.1  # by differences
    assert slope(view, named(view, "x")) == pytest.approx(middle, abs=1e-3)
    assert view["arrays"][named(view, "x")["value"]]["norm"] == pytest.approx(np.linalg.norm(t), rel=1e-3)


def test_what_a_backward_pass_ran_is_marked_as_its_work():
    view = inspected(TWICE).plain
    assert [tape["name"] for tape in view["tapes"]] == ["tape", "inner"]
    assert [col["by"] for col in columns(view, "op")] == [None, None, 0, 0, 0, 0, 0, 0]
    assert "kept on tape, inner" in inspected(TWICE).text
    assert view["verdict"]["answer"] == "18.0"
    assert [float(slope(view, view["cols"]["s0"], reading)) for reading in (0, 1)] == [27.0, 18.0], "3 x^2 and 6 x"


def test_a_cut_has_its_sentence_its_fix_and_its_line():
    view = inspected(BROKEN).plain
    (cut,) = view["cuts"]
    assert (cut["edge"], cut["line"], cut["code"]) == (["f0", "f1"], 4, "LEFT_ENGINE")
    assert cut["fix"]["code"] == "y = mg.reduce_mean(x2, axis=0)"
    assert cut["say"].startswith("np.mean(x2, axis=0)")
    assert [key for key, wire in view["wires"].items() if wire["state"] == "cut"] == ["f1.0"]


def test_what_is_lost_stands_beside_what_came_and_they_add_up():
    view = inspected(HALF).plain
    lost = {key: float(numbers(view, wire["lost"])) for key, wire in view["wires"].items() if "lost" in wire}
    assert lost == {"f0.0": 3.0, "f1.1": 3.0} and view["wires"]["f0.0"]["state"] == "cut"
    assert float(slope(view, view["cols"]["s0"])) == 3.0
    assert (view["verdict"]["answer"], view["verdict"]["lost"], view["verdict"]["full"]) == ("3.0", "3.0", "6.0")


def test_what_is_lost_of_a_weighted_gradient_has_its_weight():
    program = HALF.replace("gradient(y, x)", "gradient(y, x, output_gradients=mg.constant(10.0))")
    view = inspected(program).plain
    assert (view["verdict"]["answer"], view["verdict"]["lost"], view["verdict"]["full"]) == ("30.0", "30.0", "60.0")
    assert [view["arrays"][wire["lost"]]["text"] for wire in view["wires"].values() if "lost" in wire] == ["30.0", "30.0"]


def test_what_stop_gradient_holds_back_is_what_the_slope_lacks():
    program = "x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = mg.stop_gradient(x * x) * x\ng = tape.gradient(y, x)"
    verdict = inspected(program).plain["verdict"]
    slope = ((3.0 + 1e-4) ** 3 - (3.0 - 1e-4) ** 3) / 2e-4
    assert (float(verdict["answer"]), float(verdict["full"])) == (9.0, pytest.approx(slope, rel=1e-6))
    assert float(verdict["lost"]) == float(verdict["full"]) - 9.0


MANY = """
sources = [mg.Variable(1.0 + k, name=f"v{k}") for k in range(10)]
kept = mg.Variable(0.0)
with mg.GradientTape() as tape:
    y = mg.add_n([one * mg.Variable(1.0) for one in sources])
    LINE
g = tape.gradient(y, sources)
kept.assign(3.0)
"""


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("y = y * 2.0", "complete"),
        ("kept.assign(sources[9]); y = y * 2.0", "complete"),
        ("kept.assign(sources[9]); y = y * kept", "untried"),
        ("y = y * float(sources[9])", "untried"),
        ("y = y * float(mg.exp(sources[9]))", "untried"),
        ("y = y + float(kept)", "complete"),
        ("kept.assign(2.0); y = y + float(kept)", "untried"),
    ],
)
def test_of_many_sources_the_last_are_called_complete_only_if_nothing_can_be_lost(line, status):
    film = inspected(MANY.replace("LINE", line), target="y", sources="sources")
    assert film.plain["verdict"]["each"][-1]["status"] == status


@pytest.mark.parametrize("value", ["threaded(lambda: x * x)", "copy.deepcopy(x)", "pickle.loads(pickle.dumps(x * x))"])
def test_what_no_trace_hears_is_tried_before_a_film_is_called_complete(value):
    made = "import copy, pickle, threading\ndef threaded(f):\n    found = []\n    thread = threading.Thread(target=lambda: found.append(f()))\n"
    made += "    thread.start(), thread.join()\n    return found[0]\nx = mg.Variable(2.0)"
    told = inspected(asked_of(f"y = {value} * x", made)).plain["verdict"]
    assert (told["status"], told["code"]) == ("partial", "OUTSIDE_TAPE" if "threaded" in value else "LEFT_ENGINE")


def test_a_tensor_that_a_function_of_the_library_watches_is_no_source():
    block = "k = mg.py_function(lambda q: q * q, [x], mg.float32)\ny = mg.reduce_sum(k * mg.constant([5.0, 6.0]))"
    view = inspected(asked_of(block)).plain
    assert [one["name"] for one in view["sources"]] == ["x"] and not view["marks"]


def test_calls_that_use_the_same_variable_show_the_gradient_that_comes_to_each():
    made = "x = mg.Variable(0.5)\ndef deep(h, n):\n    return h if n == 0 else deep(mg.sin(h * x), n - 1)"
    below = inspected(asked_of("y = deep(x, 30)", made)).plain["fold"]["below"]
    assert len({*below["numbers"]}) > 20 and below["name"] != "|grad W|"


def test_numbers_that_are_rounded_are_not_shown_as_whole_ones():
    view = inspected(asked_of("y = 0.5 * x * x", "x = mg.Variable(1234.5)")).plain
    assert view["verdict"]["answer"] == "1234.5" and "1234.0" not in [one["text"] for one in view["arrays"]]
    arrays = inspected(asked_of("y = mg.reduce_sum(x)", "x = mg.Variable([1240.0] + [10.95] * 5)")).plain["arrays"]
    assert 1240.24 in [one["norm"] for one in arrays if one["n"] == 6]


def test_a_gradient_that_no_trace_heard_is_not_called_complete():
    x = mg.Variable(0.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.sqrt(x)
    assert tape.gradient(y, x).numpy() == np.inf
    told = mg.inspect(tape).plain["verdict"]
    assert (told["status"], told["say"]) == ("untried", "Untried. The gradient was computed while no trace was on, and is gone.")


def test_a_healthy_film_has_no_cuts_and_no_ghost_on_the_way():
    for program in (FIXED, TWICE, NETWORK, LOOP.format(turns=50)):
        view = inspected(program).plain
        assert view["cuts"] == []
        assert not any(col.get("ghost") and col["ghost"]["on_way"] for col in view["cols"].values())


def test_the_fix_that_was_tried_comes_with_the_film():
    verdict = inspected(BROKEN).plain["verdict"]
    fixed = {"mg": mg, "np": np, "x": mg.Variable([[1.0, 2.0], [3.0, 4.0]])}
    exec("\n".join(verdict["fixed"]), fixed)
    assert "    y = mg.reduce_mean(x2, axis=0)" in verdict["fixed"]
    assert fixed["tape"].gradient(fixed["y"], fixed["x"]).numpy().tolist() == [[0.5, 1.0], [1.5, 2.0]], "the mean of x^2 by hand: x / 2"


def test_the_fix_is_filmed_as_the_fixed_program_would_be():
    film, by_hand = inspected(BROKEN), inspected(FIXED).plain
    check(film)
    view, film = film.plain, film.plain["fixed"]["film"]
    check_view(film)
    assert [(col["signs"], col["name"]) for col in columns(film)] == [(col["signs"], col["name"]) for col in columns(by_hand)]
    assert (film["verdict"]["status"], film["verdict"]["answer"]) == ("complete", by_hand["verdict"]["answer"])
    assert [line["text"] for line in film["code"][:-2]] == [line["text"] for line in by_hand["code"][:-2]]
    assert view["fixed"]["axis"][-1] == [len(steps_of(view)) - 1, len(steps_of(film)) - 1]
    assert "fixed" not in by_hand


def test_the_fix_of_a_nan_is_filmed_beside_it():
    view = inspected(BRANCH).plain
    film = view["fixed"]["film"]
    check_view(film)
    assert view["verdict"]["answer"] == "[nan 0.5]" and film["verdict"]["answer"] == "[0.0 0.5]", "by hand: 1/z where z > 0, else 0"
    assert view["verdict"]["fixed"][-1] == "    y = mg.where(z > 0.0, mg.math.log(mg.where(z > 0.0, z, 1.0)), 0.0)"
    assert "measured" not in film["verdict"]["say"], "at 0 there is no slope to measure"


TWO_BROKEN = """
x, z = mg.Variable(3.0, name="x"), mg.Variable(2.0, name="z")
with mg.GradientTape() as tape:
    a = x * x.numpy()
    b = z * z.numpy()
    y = a + b
g = tape.gradient(y, [x, z])
"""


def test_the_film_of_a_fix_is_half_as_large_as_its_page_may_be(monkeypatch):
    steps = "".join(f"    y = y * 1.{k % 10}\n" for k in range(150))
    program = f"x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x.numpy()\n{steps}g = tape.gradient(y, x)"
    whole = inspected(program).plain["fixed"]["film"]
    size = len(json.dumps(whole))
    for most, left_out in ((2 * size + 60, False), (2 * size - 2, True)):  # it is measured before its question has its line
        monkeypatch.setattr("minigrad.inspector.compare.MOST_BYTES", most)
        film = inspected(program).plain["fixed"]["film"]
        assert (film == whole, "left out" in " ".join(film["notes"])) == (not left_out, left_out)


def test_a_film_of_a_fix_says_what_it_does_not_fix():
    each = inspected(TWO_BROKEN, target="y", sources="[x, z]").plain["fixed"]["film"]["verdict"]["each"]
    assert [(one["name"], one["status"], one["answer"]) for one in each] == [("x", "complete", "6.0"), ("z", "partial", "2.0")]


def test_a_fix_within_a_function_that_is_being_filmed_is_filmed_too():
    block = BROKEN.strip().partition("\n")[2].rpartition("\n")[0]
    body = "\n".join(f"    {line}" for line in [*block.splitlines(), "return mg.inspect(tape, y, x)"])
    film = run(f"def inspected(x):\n{body}\n\nfilm = inspected(mg.Variable([[1., 2.], [3., 4.]]))")["film"]
    assert film.plain["fixed"]["film"]["verdict"]["answer"] == "[0.5 1.0 1.5 2.0]", "the mean of x^2 by hand: x / 2"


ASSIGNS = """
x = mg.Variable(2.0, name="x")
with mg.GradientTape() as tape:
    s = mg.stop_gradient(x) * x
    x.assign_add(1.0)
    with tape.stop_recording():
        size = mg.abs(s)
    z = s * x
g = tape.gradient(z, x)
"""


def test_an_assignment_is_a_column_and_what_it_gets_adds_up_at_the_variable():
    view = inspected(ASSIGNS).plain
    (assign,) = columns(view, "assign")
    assert (assign["op"], float(value(view, assign)), float(slope(view, assign))) == ("assign_add", 3.0, 4.0)
    assert float(slope(view, view["cols"]["s0"])) == 2.0 * 3.0 + 4.0, "2 x 3 by way of s, and 4 by the new version"
    same = next(wire for wire in view["wires"].values() if wire["to"] == assign["id"])
    assert (same["state"], same["from"], float(numbers(view, same["sent"][0][2]))) == ("same", "s0", 4.0)
    assert view["verdict"]["answer"] == "10.0"


@pytest.mark.parametrize("given", ["w", "w * 2.0", "mg.constant(1.0) * 2.0"])
def test_what_is_assigned_is_no_version_of_the_variable(given):
    program = f"""
v, w = mg.Variable(2.0, name="v"), mg.Variable(3.0, name="w")
with mg.GradientTape() as tape:
    v.assign({given})
    y = v * v
g = tape.gradient(y, v)
"""
    view = inspected(program).plain
    (assign,) = columns(view, "assign")
    assert [wire["state"] for wire in view["wires"].values() if wire["to"] == assign["id"]] == ["dead", "same"]


def test_what_stops_on_purpose_has_a_mark_of_its_own():
    view = inspected(ASSIGNS).plain
    assert [wire["state"] for wire in view["wires"].values() if wire["to"] == "f0"] == ["stop"]
    assert not [wire for wire in view["wires"].values() if wire["state"] == "cut"]
    assert [mark["kind"] for mark in view["marks"]] == ["pause"] and "on purpose" in view["marks"][0]["say"]


CRASH = """
w = mg.Variable(mg.ones((3, 2)))
x = mg.constant([[0.5, 1.0, -1.0, 2.0], [1.5, 0.0, 0.5, -0.5]])
try:
    with mg.GradientTape() as tape:
        h = x * mg.reduce_sum(w)
        y = h {op} w
except Exception as problem:
    pass
"""


def axes(col):
    """The pairs of axes that did not fit; each is one axis."""
    assert all(end == first + 1 for pair in col["misfit"] for first, end in pair)
    return [[first, second] for (first, _), (second, _) in col["misfit"]]


@pytest.mark.parametrize(("op", "misfit"), [("@", [[1, 0]]), ("+", [[0, 0], [1, 1]])])
def test_what_raised_is_the_last_column_with_the_lengths_that_do_not_fit(op, misfit):
    view = inspected(CRASH.format(op=op)).plain
    last = columns(view)[-1]
    assert (last["kind"], last["given"], axes(last)) == ("crash", [[2, 4], [3, 2]], misfit)
    assert last["ghost"]["say"].startswith("InvalidArgumentError: ")
    assert [view["cols"][wire["from"]]["name"] for wire in view["wires"].values() if wire["to"] == last["id"]] == ["h", "w"]


PAIRS = {  # the op and the shapes, and the pairs that do not fit
    "first + second": [((2, 3), (4, 5), [[0, 0], [1, 1]]), ((3, 3), (4, 4), [[0, 0], [1, 1]]), ((5, 1, 2), (4, 3), [[2, 1]])],
    "first @ second": [((2, 2, 2), (3, 3, 4), [[0, 0], [2, 1]]), ((3, 3, 3), (4, 5, 5), [[0, 0], [2, 1]]), ((2, 3), (3,), [])],
}


@pytest.mark.parametrize(("op", "first", "second", "pairs"), [(op, *case) for op, cases in PAIRS.items() for case in cases])
def test_every_pair_of_lengths_that_does_not_fit_is_found(op, first, second, pairs):
    program = f"first, second = mg.zeros({first}), mg.zeros({second})\nwith mg.GradientTape() as tape:\n"
    view = inspected(f"{program}    try:\n        {op}\n    except Exception:\n        pass\n").plain
    assert axes(columns(view)[-1]) == pairs


def test_a_gradient_that_raised_is_shown_as_that():
    program = "try:\n    tape.gradient(y, x)\nexcept RuntimeError:\n    pass"
    film = inspected(f"{HALF}{program}")
    view = film.plain
    assert "\n tape.gradient(y, x) raised RuntimeError: A non-persistent GradientTape can only be used" in str(film)
    assert steps_of(view)[-1] == ["error", 1] and "can only be used to compute one set of gradients" in view["readings"][1]["error"]
    assert view["verdict"]["answer"] == "3.0", "the answer is that of the question before"


def test_sources_of_one_name_are_told_apart_by_their_columns():
    view = run("""
def made():
    u, v = mg.Variable(3.0, name="w"), mg.Variable(2.0, name="w")
    return lambda: u * u * float(v), lambda: [u, v]
value, variables = made()
with mg.GradientTape() as tape:
    y = value()
film = mg.inspect(tape, y, variables())
""")["film"].plain
    columns = {one["id"]: one for one in view["sources"]}
    told = [
        (columns[one["id"]]["name"], view["arrays"][columns[one["id"]]["value"]]["text"], one["answer"]) for one in view["verdict"]["each"]
    ]
    assert told == [("w", "3.0", "12.0"), ("w", "2.0", "None")]


def test_of_several_sources_the_one_is_named_that_is_told_of():
    program = (
        "a, b = mg.Variable(2.0), mg.Variable(0.0)\nwith mg.GradientTape() as tape:\n    y = a * a + b * b\ng = tape.gradient(y, [a, b])"
    )
    verdict = inspected(program).plain["verdict"]
    assert verdict["say"].startswith("b: Zero. ") and [one["say"][:5] for one in verdict["each"]] == ["Compl", "Zero."]


def test_the_ops_of_one_call_have_names_of_their_own():
    program = "q = mg.Variable(mg.ones((2, 3)))\nwith mg.GradientTape() as tape:\n    y = mg.matmul(q, q, transpose_b=True)\n    "
    view = inspected(f"{program}for i in range(2):\n        y = mg.nn.relu(y)\ng = tape.gradient(y, q)").plain
    assert [col["op"] for col in columns(view, "op")] == ["transpose", "matmul", "relu", "relu"]


def test_of_the_ops_of_one_call_the_last_has_the_name_of_what_it_gives():
    view = inspected(
        "x = mg.Variable([1., 2.])\nwith mg.GradientTape() as tape:\n    y = mg.reduce_logsumexp(x)\ng = tape.gradient(y, x)"
    ).plain
    names = [col["name"] for col in columns(view, "op", "ghost")]
    assert len(names) > 4 and names[-1] == "y" and not any(names[:-1]), names


def test_in_a_loop_over_layers_each_has_the_name_of_what_it_gives():
    layers = "layers = [mg.keras.layers.Dense(3, name=f'dense_{k}') for k in range(3)]"
    block = "with mg.GradientTape() as tape:\n    h = x\n    for layer in layers:\n        h = layer(h)\n"
    view = inspected(f"{layers}\nx = mg.ones((2, 3))\n{block}g = tape.gradient(h, layers[0].kernel)").plain
    named = [(col["op"], col["name"]) for col in columns(view, "op", "ghost")]
    assert named == [("matmul", None), ("add", "h")] * 3


def test_each_column_shows_the_gradient_of_the_reading_that_it_is_asked_about():
    program = "x = mg.Variable(3.0)\nwith mg.GradientTape(persistent=True) as tape:\n    y = x * x\n    z = y * y\n"
    view = inspected(f"{program}a = tape.gradient(z, x)\nb = tape.gradient(y, x)").plain
    assert [r for r, _, _ in named(view, "z")["slopes"]] == [0], "the second question does not reach z"
    assert [float(slope(view, named(view, "y"), r)) for r in (0, 1)] == [18.0, 1.0]
    assert [float(slope(view, named(view, "x"), r)) for r in (0, 1)] == [108.0, 6.0]


def test_a_question_that_no_trace_heard_is_shown_with_its_answer():
    program = "x = mg.Variable(3.0)\nwith mg.trace(), mg.GradientTape() as tape:\n    y = x * x\ng = tape.gradient(y, x)"
    view = inspected(program, traced=False).plain
    assert [reading["heard"] for reading in view["readings"]] == [False]
    assert float(slope(view, named(view, "x"))) == 6.0 and view["verdict"]["answer"] == "6.0"


def test_a_source_that_is_another_version_has_its_gradient():
    program = "x = mg.Variable(2.0)\nwith mg.GradientTape() as tape:\n    x.assign_add(1.0)\n    y = x * x\ng = tape.gradient(y, x)"
    view = inspected(program).plain
    assert float(slope(view, columns(view, "assign")[0])) == 6.0 and float(slope(view, named(view, "x"))) == 6.0


def test_what_an_op_was_given_is_shown_whoever_made_it():
    view = inspected(CRASH.format(op="@").replace("mg.constant([[0.5, 1.0, -1.0, 2.0], [1.5, 0.0, 0.5, -0.5]])", "mg.ones((2, 4))")).plain
    assert (view["cols"]["d0"]["name"], view["cols"]["d0"]["shape"], value(view, view["cols"]["d0"]).tolist()) == (
        "x",
        [2, 4],
        [[1.0] * 4] * 2,
    )


def test_sources_of_equal_names_are_told_apart_by_their_paths():
    block = "class Block(mg.keras.Model):\n    def __init__(self):\n        super().__init__()\n        self.inner = mg.keras.layers.Dense(2, name='inner')\n"
    call = "    def call(self, x):\n        return self.inner(x)\n"
    run = "one, two = Block(), Block()\nwith mg.GradientTape() as tape:\n    y = two(one(mg.ones((1, 2))))\n"
    found = inspected(f"{block}{call}{run}g = tape.gradient(y, [one.trainable_variables, two.trainable_variables])").plain
    names = [source["name"] for source in found["sources"]]
    assert len({*names}) == 4 and [name.rpartition("/")[0].rpartition("/")[2] for name in names] == ["inner"] * 4


def test_of_complex_numbers_the_picture_shows_the_sizes():
    program = "z = mg.Variable(np.array([3 + 4j, -1j, 0j, 2, 1]))\nwith mg.GradientTape() as tape:\n    y = mg.reduce_sum(mg.abs(z))\n"
    view = inspected(f"{program}g = tape.gradient(y, z)").plain
    picture = view["arrays"][named(view, "z")["value"]]["picture"]
    assert (picture["kind"], picture["sizes"], picture["v"]) == ("line", True, [5.0, 1.0, 0.0, 2.0, 1.0])
    few = inspected(f"{program.replace(', 0j, 2, 1]', ']')}g = tape.gradient(y, z)").plain
    assert few["arrays"][named(few, "z")["value"]]["picture"]["v"] == ["3+4j", "-0-1j"]


def test_sparse_gradients_are_called_so_and_have_their_norm():
    block = "with mg.GradientTape() as tape:\n    y = 3.0 * mg.gather(t, [9])"
    program = f"t = mg.Variable(np.ones((10, 2)), dtype=mg.float32)\n{block}\ng = tape.gradient(y, t)"
    verdict = inspected(program).plain["verdict"]
    assert verdict["answer"] == "(10, 2), norm 4.243 (IndexedSlices)", "3 times the root of 2"


def test_the_first_bad_number_is_the_first_that_was_written():
    lines = "".join(f"    y = y * {k}.0\n" for k in range(2, 8))
    block = f"    y = x\n{lines}    y = y / 0.0\n    for i in range(5):\n        y = y * 1.5"
    program = f"x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n{block}\ng = tape.gradient(y, x)"
    film = inspected(program)
    assert film.plain["verdict"]["bad"] == 7 and film.plain["cols"][film.plain["verdict"]["badFrame"]]["op"] == "divide"


def test_an_op_of_the_engine_shows_its_line_of_mathematics_in_the_names_of_the_user():
    first = "w, x = mg.Variable(mg.ones((2, 3))), mg.constant(np.ones((4, 2)), mg.float32)"
    program = f"{first}\nwith mg.GradientTape() as tape:\n    y = mg.matmul(x, w)\ng = tape.gradient(y, w)"
    (one,) = columns(inspected(program).plain, "op")[0]["math"]
    assert (one["name"], one["text"], one["to"]) == ("w", "xᵀ @ upstream", "s0")
    assert [(part["t"], part.get("of"), part.get("T", False)) for part in one["parts"]] == [
        ("xᵀ", "d0", True),
        (" @ ", None, False),
        ("upstream", "upstream", False),
    ]


def test_the_verdict_of_an_old_tape_is_stale():
    said = "Stale. x was assigned after this tape read it."
    for film in (inspected(STALE), inspected(STALE, target="y", sources="x")):
        verdict = film.plain["verdict"]
        assert (verdict["status"], verdict["answer"], verdict["say"]) == ("stale", "6.0", said)
        assert verdict["fix"]["text"] == "compute y on a new tape after each assignment"
    two = STALE.replace("y = x * x", "y = x * x * v").replace("second = tape.gradient(y, x)", "second = tape.gradient(y, [v, x])")
    verdict = inspected(f"v = mg.Variable(2.0)\n{two}").plain["verdict"]
    assert verdict["status"] == "stale"
    assert [one["status"] for one in verdict["each"]] == ["complete", "stale"]


REPLACED = """
x = mg.Variable(3.0)
for k in range(2):
    with mg.GradientTape({persistent}) as tape:
        y = x * x
    g = tape.gradient(y, x)
    x = mg.Variable(x - 0.1 * g)
"""


@pytest.mark.parametrize("persistent", ["", "persistent=True"])
def test_a_variable_that_was_replaced_after_the_gradient_is_told_from_the_one_that_was_read(persistent):
    program = REPLACED.format(persistent=persistent)
    asked, verdict = inspected(program), inspected(program, target="y", sources="x").plain["verdict"]
    assert (verdict["status"], verdict["code"], verdict["answer"]) == ("none", "REBOUND", "None")
    assert verdict["say"].endswith("This x is made here, and it is not the x that the target was computed from.")
    assert asked.plain["verdict"]["answer"] == "4.8", "of the x that was read, which was 2.4"


def test_a_tape_that_was_asked_before_the_assignment_is_not_stale():
    program = HALF.replace("x.numpy()", "x") + "x.assign(2.0)"
    assert inspected(program).plain["verdict"]["status"] == "complete"


def test_a_tape_that_was_not_asked_gives_its_own_answer_and_not_that_of_the_tape_within():
    block = "    with mg.GradientTape() as inner:\n        y = x ** 3\n    dy = inner.gradient(y, x)\n    z = dy * y\n"
    program = f"x = mg.Variable(2.0)\nwith mg.GradientTape() as tape:\n{block}"
    film = inspected(program, target="z", sources="x")
    assert film.plain["verdict"]["head"] == "dz/dx = 240.0"  # 15 x^4
    assert "live 240.0" in str(film)
    used_up = inspected(f"{program}tape.gradient(dy, x)", target="z", sources="x")
    assert used_up.plain["verdict"]["answer"] == "error" and "12.0" not in used_up.plain["verdict"]["head"]
    assert "used it up" in used_up.plain["verdict"]["say"] and "never reached" not in str(used_up), "it was not read back"


def test_the_table_names_all_sources_of_the_gradient_that_it_shows():
    made = "a, b, c = mg.Variable(2.0), mg.Variable(5.0), mg.Variable(7.0)\n"
    program = f"{made}with mg.GradientTape() as tape:\n    y = a * b + c\ng = tape.gradient(y, [a, b, c])"
    film = inspected(program, target="y", sources="b")
    assert [source["asked"] for source in film.plain["sources"]] == [True] * 3, "in the picture, too"
    lines = str(film).splitlines()
    assert lines[1].endswith("backward, to a, b, c") and lines[2].endswith("5.0 to a, 2.0 to b")


def test_an_output_that_only_its_line_names_has_its_place_in_its_name():
    body = "def f(x):\n    parts = mg.unstack(x)\n    return parts[0] * parts[1]\n"
    film = inspected(f"{body}x = mg.Variable([2.0, 3.0])\nwith mg.GradientTape() as tape:\n    y = f(x)\ng = tape.gradient(y, x)")
    (product,) = [col for col in columns(film.plain, "op") if col["op"] == "multiply"]
    assert [one["text"] for one in product["args"]] == ["parts[0]", "parts[1]"]


def test_ghosts_say_why_in_words():
    ghosts = [col["ghost"] for col in columns(inspected(NETWORK).plain, "ghost")]
    assert [ghost["why"] for ghost in ghosts] == ["no derivative", "no floats", "nothing watched"]
    assert all(ghost["say"].endswith(".") for ghost in ghosts)


# ---- size, time, and what is never sent --------------------------------------------------------------------------------


def test_ten_thousand_ops_are_small_and_quick():
    space = run(LOOP.format(turns=5000))
    started = time.process_time()
    film = eval("mg.inspect(tape)", space)
    took = time.process_time() - started
    assert film.plain["count"] == 10_001
    assert len(film.to_html()) < 500_000
    assert 20 < len(film.plain["strips"]) < 60 and film.plain["fold"]["open"] in map(int, film.plain["strips"])
    assert "below: 2501 of 5001" in film.to_svg()
    assert took < 25 * speed()  # several times what it takes, so that a busy machine is no failure
    check_folds(film)


@pytest.fixture
def short_films(monkeypatch):
    """Films show at most 1000 events."""
    monkeypatch.setattr("minigrad.inspector.model.LIMIT", 1000)


@pytest.mark.parametrize(("traced", "asked", "said"), [
    (True, True, "The film shows the last 1,000 events; the 9,006 before them are left out."),
    (True, False, "The film shows the last 1,000 events; the 9,005 before them are left out."),
    (False, False, "The film shows the last 1,000 steps; the 9,001 before them are left out."),
])  # fmt: skip
def test_of_a_very_long_film_the_end_is_shown_and_the_answer_is_of_all(short_films, traced, asked, said):
    program = LOOP.format(turns=5000)
    right = run(program, False)["g"].numpy()
    film = inspected(program if asked else program.replace("g = tape.gradient(z, x)", ""), traced, "z", "x")
    assert film.plain["notes"][-1] == said and f" {said}" in str(film).split("\n")
    assert film.plain["verdict"]["answer"] == brief(float(right))
    assert 990 <= film.plain["count"] <= 1000
    read = [number for kind, number in steps_of(film.plain) if kind == "read"]
    assert {0, film.plain["count"] - 1} <= {*read}, "both ends of what is shown were read back"
    assert film.plain["cols"]["f0"]["args"][0]["text"] in ("earlier", "y")
    assert ("log was full" not in str(film) and "No log" not in str(film)) or not traced


def test_a_frozen_log_is_the_end_of_it_and_leaves_the_log_as_it_is():
    with mg.trace() as log:
        x = mg.Variable(1.0)
        with mg.GradientTape(persistent=True) as tape:
            ys = [x * k for k in range(50)]
        tape.gradient(ys[-1], x)
    events, end = len(log.events), log.frozen(10)
    assert (len(end.events), end.left_out, end.cut, log.cut) == (10, events - 10, True, False)
    assert set(end.made) == {number for event in end.events for number in event.gave}
    assert len(log.events) == events and [e.number for e in end.events] == [e.number for e in log.events[-10:]]
    assert end.frozen(4).left_out == events - 4 and log.frozen().left_out == 0


def test_of_a_long_tape_only_the_steps_of_the_film_are_heard():
    program = "x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = x\n    for i in range(99):\n        y = y * 1.01\n"
    space = run(program, False)
    slopes, _, steps = read_again(space["tape"], [space["y"]], [space["x"]], None, 10)
    assert len(steps) == 10 and slopes[space["x"].id] == space["y"].numpy()


def test_a_film_whose_page_would_be_too_large_shows_less_and_says_so(monkeypatch):
    program = "v = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    for i in range(1000):\n        v.assign(0.1)\n        y = v * v\n"
    whole = inspected(program, True, "y", "v")
    monkeypatch.setattr("minigrad.inspector.MOST_BYTES", 42_000)
    film = inspected(program, True, "y", "v")
    assert len(json.dumps(whole.plain)) > 45_000 > 42_000 >= len(json.dumps(film.plain))
    assert re.search(r"The film shows the last [\d,]+ events; the [\d,]+ before them are left out\.", str(film))
    assert film.plain["verdict"]["answer"] == whole.plain["verdict"]["answer"] == "0.2"


def test_some_events_are_shown_however_large_they_are(short_films, monkeypatch):
    monkeypatch.setattr("minigrad.inspector.MOST_BYTES", 1)
    note = inspected(LOOP.format(turns=600)).plain["notes"][-1]
    assert note.startswith("The film shows the last 62 events; the "), "of 1000 the half, until they are no more than 100"


@pytest.mark.parametrize(("turns", "sent"), [(300, 300), (301, 1)])
def test_of_very_many_parts_of_a_gradient_only_the_sum_is_sent(turns, sent):
    block = f"    y = x\n    for i in range({turns}):\n        y = y + x\n"
    view = inspected(f"x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n{block}g = tape.gradient(y, x)").plain
    assert len(named(view, "x")["slopes"]) == sent and float(slope(view, named(view, "x"))) == turns + 1


@pytest.mark.parametrize(("versions", "known"), [(50, "read"), (51, "done")])
def test_a_gradient_is_followed_through_the_last_versions_of_a_variable(versions, known):
    block = f"    for i in range({versions}):\n        x.assign_add(1.0)\n    y = x * 3.0\n"
    view = inspected(f"x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n{block}g = tape.gradient(y, x)").plain
    ((_, at, place),) = named(view, "x")["slopes"]
    assert (steps_of(view)[at][0], float(numbers(view, place))) == (known, 3.0)


@pytest.mark.parametrize("collecting", [True, False])
def test_while_a_film_is_made_no_garbage_is_looked_for(collecting):
    space, heard, before = run(LOOP.format(turns=50)), [], gc.get_threshold()
    gc.callbacks.append(lambda phase, about: heard.append(phase))
    try:
        gc.set_threshold(50)
        gc.enable() if collecting else gc.disable()
        heard.clear()
        Model(space["tape"])
        assert gc.isenabled() is collecting and len(heard) < 10
    finally:
        gc.callbacks.pop()
        gc.set_threshold(*before)
        gc.enable()


def test_many_short_loops_are_folded_into_bars():
    turns = "".join(f"    for i in range(3):\n        y = mg.sin(y) * 1.{k:04}\n" for k in range(300))
    film = inspected(f"x = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    y = x * 1.0\n{turns}g = tape.gradient(y, x)")
    assert film.plain["count"] == 1801
    assert len(film.plain["cols"]) < 500
    check(film)


def test_an_op_with_many_inputs_shows_some_of_them_and_says_so():
    film = inspected("x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = mg.add_n([x] * 3000)\ng = tape.gradient(y, x)")
    assert (len(film.plain["wires"]), film.plain["cols"]["f0"]["count"]) == (24, 3000)
    assert "Of an op with 3,000 inputs the film shows 24." in film.plain["notes"]
    assert film.plain["verdict"]["answer"] == "3000.0"


def speed():
    """How long this machine takes for some work that takes about a sixth of a second on an ordinary one."""
    started = time.process_time()
    sum(k % 7 for k in range(4_000_000))
    return time.process_time() - started


def check_folds(film):
    fold = film.plain["fold"]
    assert (fold["kind"], fold["above"]["name"], fold["below"]["name"]) == ("iterations", "y", "d/dy")
    assert [(fold["first"][k], fold["ops"][k]) for k in (0, 1234, 4999, 5000)] == [(0, 2), (2468, 2), (9998, 2), (10000, 1)]
    y, slope, values, slopes = 0.5, 1.0, [], []
    for _ in range(5000):
        y = math.sin(y) * 1.01
        values.append(y)
    for y in reversed([0.5, *values[:-1]]):
        slopes.append(slope)
        slope *= math.cos(y) * 1.01
    assert fold["above"]["numbers"][:5000] == pytest.approx(values, rel=2e-3) and fold["above"]["numbers"][5000] is None
    assert fold["below"]["numbers"][4000:5000] == pytest.approx(slopes[:1000][::-1], rel=2e-2)
    part = film.models[0].opened(1234)
    assert [one for one in part["strip"]["cols"] if one not in ("f2467",)] == ["f2468", "f2469"]
    assert part["cols"]["f2469"]["slopes"][0][0] == 0 and part["arrays"]


def test_a_long_film_without_a_loop_is_folded_too():
    lines = "".join(f"    y = mg.sin(y) * 1.{k:04}\n" for k in range(600))
    film = inspected(f"x = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    y = x * 1.0\n{lines}g = tape.gradient(y, x)")
    assert film.plain["count"] == 1201
    assert len(film.plain["cols"]) < 500
    check(film)


def test_large_arrays_stay_where_they_are():
    block = "with mg.GradientTape() as tape:\n    y = mg.reduce_sum(mg.tanh(x @ x))"
    film = inspected(f"x = mg.Variable(np.ones((1000, 1000)), dtype=mg.float32)\n{block}\ng = tape.gradient(y, x)")
    assert len(json.dumps(film.plain)) < 20_000
    assert film.plain["cols"]["f0"]["shape"] == [1000, 1000]
    picture = film.plain["arrays"][film.plain["cols"]["f0"]["value"]]["picture"]
    assert (picture["rows"], picture["cols"], picture["pooled"], {*picture["v"]}) == (12, 16, True, {1000.0})


VALUES = {
    "3.0": np.float32(3),
    "[1.0 nan inf 0.0]": np.array([1, np.nan, np.inf, 0], np.float32),
    "[1 2 3 4 ...]": np.arange(1, 10),
    "empty (0, 3)": np.zeros((0, 3)),
    "[b c]": np.array([b"b", b"c"], object),
    "1+2j": np.complex64(1 + 2j),
    "[True False]": np.array([True, False]),
}


@pytest.mark.parametrize("text", VALUES)
def test_every_kind_of_value_has_a_short_text(text):
    data = shown(VALUES[text])
    assert data["text"] == text
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize("shape", [(24, 32), (25, 33), (1000, 3), (7, 900), (5, 6, 4, 10), (4000,)])
def test_a_thumbnail_shows_the_largest_of_each_block_and_its_sign(shape):
    grid = np.zeros(shape, np.float32)
    flat = grid.reshape(-1)
    flat[3], flat[-1], flat[flat.size // 2] = -2.0, np.nan, 1.5
    data = shown(grid)
    picture = data["picture"]
    assert picture["rows"] <= 12 and picture["rows"] * picture["cols"] <= 192
    assert [picture["v"].count(one) for one in (-2.0, 1.5, "nan")] == [1, 1, 1] and picture["v"][-1] == "nan"
    assert [one for one in picture["v"] if one == 0.0] == [0.0] * (len(picture["v"]) - 3)
    assert (data["nan"], data["zeros"], data["low"], data["high"], data["norm"]) == (1, grid.size - 3, -2.0, 1.5, 2.5)


@pytest.mark.parametrize("shape", [(300,), (17, 19), (40, 3, 11)])
def test_the_measures_of_an_array_are_those_of_numpy(shape):
    array = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    array[array < -0.5] = 0
    data = shown(array)
    right = array.min(), array.max(), np.linalg.norm(array.astype(float))
    assert (data["low"], data["high"], data["norm"]) == pytest.approx(right, rel=1e-3) and data["zeros"] == (array == 0).sum()
    assert max(data["picture"]["v"]) == pytest.approx(array.max(), rel=1e-3)


@pytest.mark.parametrize("kind", [np.int32, np.uint8, bool, np.complex64, np.float16, np.float64])
def test_values_of_every_dtype_have_measures(kind):
    data = shown((np.arange(600) % 7).astype(kind).reshape(20, 30))
    assert data["zeros"] == 86 and data["norm"] == pytest.approx(
        np.linalg.norm(np.minimum(np.arange(600) % 7, 1 if kind is bool else 9)), rel=1e-3
    )
    assert shown(np.array([1e30, 1e-30], np.float32))["norm"] == 1e30 and shown(np.full(300, 1e-30, np.float32))["norm"] == pytest.approx(
        1.732e-29
    )


ODD = {
    "nan, inf": np.array([1, np.inf, np.nan], np.float32),
    "-inf": np.array([[0, -np.inf]]),
    "inf": np.array([complex(0, np.inf)]),
    "nan": np.full(1000, np.nan),
}


@pytest.mark.parametrize("words", ODD)
def test_what_is_not_finite_is_named(words):
    assert ", ".join(word for word in ("nan", "inf", "-inf") if shown(ODD[words]).get(word)) == words
    assert "nan" not in shown(np.zeros(3))


def test_where_nothing_is_finite_there_is_no_norm_and_no_range():
    assert not {"norm", "low", "high"} & shown(np.full(9, np.inf)).keys()
    assert [shown(np.array([np.inf, -3.0, np.nan, 4.0]))[word] for word in ("norm", "low", "high", "zeros")] == [5.0, -3.0, 4.0, 0]


ZEROS = {  # zeros of elements: the note in a long and a short form
    (0, 2): [], (2, 2): ["all 0"], (49, 99): ["49 % zeros", "49 % 0"], (1, 1000): ["1 zero"], (3, 1000): ["3 zeros"], (1, 2): ["50 % zeros", "50 % 0"], (2, 3): ["67 % zeros", "67 % 0"],
    (99, 100): ["99 % zeros", "99 % 0"], (199, 200): ["99.5 % zeros", "99.5 % 0"], (999, 1000): ["99.9 % zeros", "99.9 % 0"],
    (9999, 10000): ["99.9 % zeros", "99.9 % 0"],
}  # fmt: skip


@pytest.mark.parametrize(("zeros", "count"), ZEROS)
def test_zeros_are_noted(zeros, count):
    assert shown((np.arange(count) >= zeros).astype(np.float32))["note"] == ZEROS[zeros, count]


def test_inf_is_a_cross_in_the_picture_too():
    assert shown(np.array([-np.inf, 0.7, np.inf]))["picture"]["v"] == ["-inf", 0.7, "inf"]


def test_numbers_have_six_digits_at_most():
    assert [str(json_number(one)) for one in (-0.0, 1 / 3, -np.inf, True, 2 - 1j)] == ["0.0", "0.3333", "-inf", "1", "2-1j"]
    numbers = {1 / 3: "0.333333", 1e-20: "1e-20", 123456789.0: "1.23457e+08", -0.0: "0.0", 5: "5", np.pi * 1e5: "314159"}
    assert [brief(x, 6) for x in numbers] == [*numbers.values()]
    sizes = {
        0: "0 B",
        1023: "1023 B",
        1024: "1 KiB",
        2048: "2 KiB",
        1 << 20: "1 MiB",
        5 << 20: "5 MiB",
        1 << 30: "1 GiB",
        5 << 40: "5.12e+03 GiB",
    }
    assert [bytes_text(n) for n in sizes] == [*sizes.values()]


def test_lines_of_two_files_are_numbered_as_they_stand_below_each_other():
    functions = wanted.__code__, still.__code__
    places = [SimpleNamespace(code=code, spot=(code, code.co_firstlineno + 1)) for code in functions]
    alone, both = ShownCode(places[:1]), ShownCode(places)
    assert alone.line(places[0]) == functions[0].co_firstlineno + 1
    assert [one["n"] for one in both.lines] == [*range(1, len(both.lines) + 1)]
    for place in places:
        shown = both.lines[both.line(place) - 1]["text"].strip()
        assert shown == linecache.getline(place.code.co_filename, place.spot[1]).strip()


# ---- loops and layout --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(piece_of.__code__, "co_positions"), reason="before Python 3.11 an instruction has no place")
@pytest.mark.parametrize("function", [piece_of, public_name, trace_of])
def test_a_piece_of_code_is_its_adjacent_instructions_with_the_same_place(function):
    known = [*function.__code__.co_positions()]
    for at, place in enumerate(known):
        _, *ends = piece_of(function.__code__, 2 * at)
        first, end = (one // 2 for one in ends)
        assert first <= at < end or (head_of(function.__code__, 2 * at) and first < at)
        assert {*known[first:end]} == {place}
        assert place not in known[max(first - 1, 0) : first] + known[end : end + 1]


def test_a_long_film_folds_its_layers():
    calls = "".join(f"    h = block(h){' * 0.5' if k % 2 else ''} + {k}.0\n" for k in range(13))
    block = "def block(x):\n    return mg.tanh(x * w + x * x)\n"
    film = inspected(f"w = mg.Variable(0.3)\n{block}with mg.GradientTape() as tape:\n    h = w\n{calls}g = tape.gradient(h, w)")
    fold = film.plain["fold"]
    assert fold["kind"] == "calls" and [label for label in fold["labels"] if "block" in label] == [f"block {k}" for k in range(1, 14)]
    assert [fold["ops"][k] for k, label in enumerate(fold["labels"]) if "block" in label] == [4] * 13
    check(film)


def test_a_loop_within_a_loop_is_folded_too():
    block = "y = x\n    for i in range(4):\n        y = y * 1.5\n        for k in range(20):\n            y = mg.sin(y)\n            y = y + 0.1\n"
    film = inspected(f"x = mg.Variable(0.7)\nwith mg.GradientTape() as tape:\n    {block}g = tape.gradient(y, x)")
    fold = film.plain["fold"]
    assert (fold["labels"][1], fold["labels"][-1]) == ("iteration 1 of 4, iteration 1 of 20", "iteration 4 of 4, iteration 20 of 20")
    assert {*fold["ops"]} == {1, 2} and len(fold["first"]) == 4 * 21
    assert fold["first"][1:] == [first + ops for first, ops in zip(fold["first"], fold["ops"])][:-1], (
        "nothing is left out, and nothing is there twice"
    )
    assert "... 161 more ops" in str(film), "of 4 x 41 all but the first and the last two"
    check(film)


def test_a_loop_is_one_though_python_moves_to_quicker_instructions_on_the_way():
    loop = "    for t in range(40):\n        h = mg.tanh(xs[t] * w + h)\n"
    film = inspected(f"xs = mg.ones([40])\nw = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    h = w\n{loop}g = tape.gradient(h, w)")
    labels = film.plain["fold"]["labels"]
    assert labels == [f"iteration {k} of 40" for k in range(1, 41)]


def test_arcs_lie_within_each_other_and_nearer_ends_inside():
    wires = [("c.0", "a", "c"), ("b.0", "a", "b"), ("c.1", "b", "c")]
    found = strip(["a", "b", "c"], wires)
    assert {one[0]: one[5] for one in found["wires"]} == {"b.0": 1, "c.1": 1, "c.0": 2}
    ports = {one[0]: one[1:5] for one in found["wires"]}
    assert ports == {"c.0": [0, 2, 1, 2], "b.0": [1, 2, 0, 2], "c.1": [1, 2, 0, 2]}, "the arc to the nearer end begins inside"
    many = strip([f"{k}" for k in range(30)], [(f"{k}.0", "0", f"{k}") for k in range(1, 30)])
    assert max(one[5] for one in many["wires"]) == 7


def test_the_width_of_a_wire_has_a_scale_that_is_stated():
    assert scale_of([2.0, 4.0, 0.0]) == {"kind": "linear", "low": 2.0, "high": 4.0} and width_of(2.0, scale_of([2.0, 4.0])) == 0.5
    far = scale_of([1e-6, 1.0])
    assert far["kind"] == "log" and [width_of(size, far) for size in (1e-6, 1e-3, 1.0, 0.0)] == [0.1, 0.55, 1.0, 0.0]


DEEP = """
mg.random.set_seed(1)
x = mg.random.normal((4, 16))
model = mg.keras.Sequential([mg.keras.layers.Dense(16, activation="sigmoid") for _ in range(11)] + [mg.keras.layers.Dense(3)])
with mg.GradientTape() as tape:
    loss = mg.reduce_mean(model(x) ** 2)
grads = tape.gradient(loss, model.trainable_variables)
"""


def test_a_model_is_folded_by_its_layers_and_tells_that_gradients_vanish():
    space = run(f"{DEEP}film = mg.inspect(tape)")
    view, fold = space["film"].plain, space["film"].plain["fold"]
    assert (fold["kind"], len(fold["first"])) == ("layers", 13) and fold["labels"][-1] == "loss"
    assert [path.rpartition("/")[2] for path in fold["paths"][:-1]] == [layer.name for layer in space["model"].layers]
    right = [float(np.linalg.norm(grad.numpy())) for grad in space["grads"]]
    larger = [max(right[k : k + 2]) for k in range(0, len(right), 2)]
    assert fold["below"]["numbers"][:-1] == pytest.approx(larger, rel=1e-3), "of kernel and bias the larger"
    assert fold["below"]["log"] and 10.0 ** fold["below"]["low"] <= min(larger) <= max(larger) <= 10.0 ** fold["below"]["high"]
    assert view["verdict"]["say"].startswith("Complete, and vanishing: the largest |gradient| of its weights goes from ")
    assert all(fold["built"][:-1]) and view["hidden"] and not any(col["kind"] == "ghost" for col in view["cols"].values()), (
        "initialisers are folded"
    )
    names = [source["name"] for source in view["sources"] if source["asked"]]
    assert len({*names}) == 24 and names[0].endswith("/kernel") and view["verdict"]["answer"] == "24 gradients"
    check(space["film"])


# ---- a snapshot, in any thread -----------------------------------------------------------------------------------------


def test_gradients_that_vanish_to_nothing_are_told_so():
    block = "with mg.GradientTape() as tape:\n    y = x\n    for k in range(400):\n        y = y * 0.5\n        y = y * 1.0\n    y = y + x"
    say = inspected(f"x = mg.Variable(1.0)\n{block}\ng = tape.gradient(y, x)").plain["verdict"]["say"]
    assert re.search(r"goes from 1.0 in iteration 400 of 400 to 1.4\d*e-45 in iteration \d+ of 400, and is 0 before\.$", say)


STATE_IN_A_LAYER = """
x = mg.constant([[0., 1.], [4., 9.], [16., 25.]])
inner = [mg.keras.layers.Dense(3, name=f"dense_{k}") for k in range(5)]
model = mg.keras.Sequential([mg.keras.layers.BatchNormalization(name="norm"), *inner])
with mg.GradientTape() as tape:
    loss = mg.reduce_sum(model(x, training=True))
g = tape.gradient(loss, model.trainable_variables)
"""


def test_a_layer_that_writes_its_state_is_one_unit_and_loses_nothing():
    view = inspected(STATE_IN_A_LAYER).plain
    assert view["fold"]["labels"] == ["norm", *(f"dense_{k}" for k in range(5)), "loss"]
    said = {one["name"]: one["status"] for one in view["verdict"]["each"]}
    assert said.pop("norm/gamma") == "zero", "the mean of what is normalized is 0"
    assert {*said.values()} == {"complete"}, "what went into moving averages was not read again"


def test_a_source_that_an_op_made_is_its_column_and_no_other():
    program = "x = mg.Variable(2.0)\nwith mg.GradientTape() as tape:\n    y = x * x\n    z = mg.exp(y)\ng = tape.gradient(z, [x, y])"
    view = inspected(program).plain
    assert [col["name"] for col in columns(view)] == ["x", "y", "z"]
    assert view["readings"][-1]["answers"].keys() == {"s0", "f0"}


def test_gradients_that_vanish_are_drawn_in_powers_of_ten_whatever_their_sign():
    loop = "    for w in ws:\n        h = mg.sigmoid(w * h)\n"
    program = f"ws = [mg.Variable(0.9) for _ in range(12)]\nwith mg.GradientTape() as tape:\n    h = mg.constant(0.5)\n{loop}    y = (h - 1.0) ** 2\n"
    below = inspected(f"{program}g = tape.gradient(y, ws)").plain["fold"]["below"]
    assert below["log"] and below["name"] == "|d/dh|" and all(one > 0 for one in below["numbers"] if one is not None)


def test_what_is_shown_does_not_change_afterwards():
    space = run(HALF + "film = mg.inspect(tape, y, x)")
    before = str(space["film"]), json.dumps(space["film"].plain)
    exec("x.assign(7.0)\nwith tape:\n    z = x * x * x\ntape.gradient(z, x)", space)
    assert (str(space["film"]), json.dumps(space["film"].plain)) == before


def test_a_tape_can_be_inspected_while_another_thread_works_on():
    space = run(HALF)
    problems = []

    def look():
        try:
            assert "live 3.0" in str(mg.inspect(space["tape"], space["y"], space["x"]))
        except Exception as problem:
            problems.append(problem)

    x = mg.constant(1.0)
    threads = [threading.Thread(target=look) for _ in range(5)]
    for thread in threads:
        thread.start()
        for _ in range(200):
            x = mg.sin(x)  # the trace of this thread writes on
    for thread in threads:
        thread.join()
    assert not problems


def test_a_callback_in_another_thread_does_not_disturb_a_tape_that_runs():
    film = inspected(LOOP.format(turns=200))
    answers = []
    with mg.GradientTape() as tape:
        x = mg.Variable(2.0)
        y = x * x
        thread = threading.Thread(target=lambda: answers.append([film.models[0].opened(3), str(film), film.to_html()]))
        thread.start()
        thread.join()
        y = y * x
    assert float(tape.gradient(y, x)) == 12.0
    assert answers[0][0]["strip"]["cols"] == ["f5", "f6", "f7"]


# ---- what leaves the notebook ------------------------------------------------------------------------------------------

HOSTILE = """
x = mg.Variable([1.0, 2.0], name="</script><img src=x onerror=alert(1)>")
with mg.GradientTape() as tape:
    y = mg.reduce_sum(x * x)   # </script><script>alert(2)</script>
    s = mg.strings.join(["<b>", "&amp;"])
g = tape.gradient(y, x)
"""


def test_names_are_shown_as_they_are_and_escaped_in_html():
    space = run(HOSTILE)
    source = space.pop("x")
    space["film"] = eval("mg.inspect(tape, y, x)", {**space, "x": source})
    page = space["film"].to_html()
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)
    assert len(scripts) == 2
    assert json.loads(scripts[0])["view"] == space["film"].plain
    assert "alert(2)" in json.loads(scripts[0])["view"]["code"][2]["text"]
    assert "<img" not in page


def test_the_page_asks_nothing_of_the_network(tmp_path):
    film = inspected(HALF)
    film.save_html(tmp_path / "film.html")
    page = (tmp_path / "film.html").read_text(encoding="utf-8")
    assert page == film.to_html()
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|@import|url\(\s*["']?https?:|fetch\(|XMLHttpRequest|WebSocket""", page)
    assert "<title>dy/dx = 3.0</title>" in page


def test_the_policy_of_a_page_allows_its_own_script_and_no_request():
    page = inspected(HALF).to_html()
    policy = re.search(r'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)[1]
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert dict(part.strip().split(" ", 1) for part in policy.split(";")) == {
        "default-src": "'none'", "base-uri": "'none'", "form-action": "'none'", "style-src": "'unsafe-inline'",
        "script-src": f"'sha256-{own}'",
    }  # fmt: skip


def test_each_file_of_the_front_end_imports_what_it_uses_from_those_before_it():
    exported = set()
    for part in PARTS:
        text = (FRONT / f"{part}.js").read_text(encoding="utf-8")
        imported = [name for names in re.findall(r"^import \{ (.*) \} from", text, re.MULTILINE) for name in names.split(", ")]
        own = re.sub(r'^import .*|//.*|/\*.*?\*/|"[^"\n]*"|\.\.\.', " ", text, flags=re.MULTILINE)
        assert set(imported) == {name for name in exported if re.search(rf"(?<![.\w]){name}\b(?!\s*:)", own)}, part
        exported |= set(re.findall(r"^export (?:const|function|class) (\w+)", text, re.MULTILINE))
    assert len(exported) > 20


def test_step_and_selected_can_be_set_and_observed():
    pytest.importorskip("anywidget")
    film = inspected(HALF)
    heard = []
    film.observe(lambda change: heard.append((change["name"], change["new"])), ["step", "selected"])
    assert film.step == len(steps_of(film.plain)) - 1  # it opens at the end
    film.step, film.selected = 0, "f1"
    film.step = 99
    assert heard == [("step", 0), ("selected", "f1"), ("step", len(steps_of(film.plain)) - 1)]
    with pytest.raises(pytest.importorskip("traitlets").TraitError) as problem:
        film.selected = "f99"
    assert str(problem.value) == "there is no 'f99': frames are 'f0', 'f1' ..., and sources 's0', 's1' ..."


def test_a_film_asks_in_lessons_alone():
    script = "from minigrad.inspector.inspection import Inspection; print(Inspection.asks_first)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "False\n"


def test_a_film_in_a_lesson_asks_in_its_widget_and_nowhere_else(monkeypatch):
    pytest.importorskip("anywidget")
    monkeypatch.setattr(Inspection, "asks_first", False)
    plain = inspected(HALF)
    monkeypatch.setattr(Inspection, "asks_first", True)
    film = inspected(HALF)
    assert (plain.asks, film.asks) == (False, True)
    assert film.still() == plain.still() and "predict" not in film.view and film.step == plain.step
    film._handle_msg({"content": {"data": {"method": "update", "state": {"asks": False}, "buffer_paths": []}}, "buffers": []})
    assert film.asks is False
    assert mg.inspect(film.models[0].tape, film.models[0].tape).asks is False, "of two films nothing is asked"


def test_below_a_widget_stands_the_page_that_waits_for_it(monkeypatch):
    pytest.importorskip("anywidget")
    film, shown = inspected(HALF), []
    monkeypatch.setattr("IPython.display.display", lambda data, metadata=None, raw=False: shown.append((data, metadata, raw)))
    film._ipython_display_()
    (widget, about, raw), (page, _, other_raw) = shown
    assert raw is other_raw is True and about is not None and page.keys() == {"text/html"}
    assert "application/vnd.jupyter.widget-view+json" in widget and "text/html" not in widget
    assert re.fullmatch(r"\w{16}", film.page) and f'<div class="mg-page mg-page-{film.page}"><iframe' in page["text/html"]
    assert html.escape(film.to_html()) in page["text/html"]
    assert inspected(BROKEN).page != film.page, "each has its own"


def test_the_front_end_is_given_a_unit_when_it_asks():
    pytest.importorskip("anywidget")
    film = inspected(LOOP.format(turns=50))
    sent = []
    film.send = sent.append
    film.answer(film, {"type": "open_unit", "unit": 7}, [])
    assert sent[0]["strip"]["cols"] == ["f13", "f14", "f15"]
    assert {wire["from"] for wire in sent[0]["wires"].values()} == {"f13", "f14"}


ATOMS = [
    None, True, 0, -1, 99, 10**400, 1.5, math.nan, math.inf, "", "f0", "f99999", "step", "x" * 100_000, "\ud800", b"\0",
    [], ["f0"], {}, {"a": 1}, "open_unit", "update", "custom", "request_state",
]  # fmt: skip
GOOD = [
    {"content": {"data": {"method": "update", "state": {"step": 3, "selected": "f1"}, "buffer_paths": []}}, "buffers": []},
    {"content": {"data": {"method": "custom", "content": {"type": "open_unit", "unit": 7, "film": 0}}}, "buffers": []},
    {"content": {"data": {"method": "request_state"}}, "buffers": []},
]


def malformed(message):
    """The message with a wrong or no value at each of its places."""
    deep = []
    for _ in range(10_000):
        deep = [deep]
    yield from [*ATOMS, deep]
    for key, value in message.items() if isinstance(message, dict) else ():
        yield {other: one for other, one in message.items() if other != key}
        yield from ({**message, key: wrong} for wrong in malformed(value))
        yield {**message, "view": {}, "_esm": "alert(1)", "layout": 7}


@pytest.mark.parametrize("message", GOOD, ids=["update", "open_unit", "request_state"])
def test_a_malformed_message_is_ignored(message):
    pytest.importorskip("anywidget")
    film, sent = inspected(LOOP.format(turns=50)), []
    film._send = lambda content, buffers=None: sent.append(content)
    view, esm, last = film.view, film._esm, len(steps_of(film.plain)) - 1
    for wrong in malformed(message):
        film._handle_msg(wrong)
        assert (
            film.plain is view
            and film._esm is esm
            and type(film.step) is int
            and -1 <= film.step <= last
            and film.selected in film.nodes | {""}
            and film.asks in (False, True)
        )
    for content in malformed(GOOD[1]["content"]["data"]["content"]):
        film.answer(film, content, [])
    film._handle_msg(GOOD[0])
    assert (film.step, film.selected) == (3, "f1")
    sent.clear()
    film._handle_msg(GOOD[1])
    assert sent[0]["content"]["strip"]["cols"] == ["f13", "f14", "f15"]


def test_the_bundle_has_the_widget_the_table_and_a_picture():
    pytest.importorskip("anywidget")
    film = inspected(HALF)
    data, _ = film._repr_mimebundle_()
    assert data["text/plain"] == str(film) == TABLES[HALF]
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["image/svg+xml"] == film.to_svg()
    assert html.escape(film.to_html()) in data["text/html"]


SVG = "{http://www.w3.org/2000/svg}"


def test_the_still_picture_shows_values_gradients_and_wires():
    texts = [one.text for one in ElementTree.fromstring(inspected(HALF).to_svg()).iter(f"{SVG}text")]
    assert texts[0] == "dy/dx = 3.0" and texts[1].startswith("Partial. ")
    for word in ("value", "gradient", "x", "numpy", "\u00d7", "9.0", "1.0", "left the engine", "backward", "memory: at most 4 B"):
        assert word in texts, word
    assert texts.count("3.0") == 3, "of x its value and its gradient, and what numpy gave"


def test_a_curve_runs_from_side_to_side_of_its_box_and_bars_stand_around_their_points():
    canvas, numbers = pictures.Canvas(), [1.0, 10.0] * 10
    pictures.curve(canvas, {"v": numbers}, 100.0, 0.0, 40.0, 10.0, pictures.INK)
    assert [x for x, _ in canvas.marks[-1][1]] == [101.0 + 2 * k for k in range(20)]
    for wide, thick in ((20.0, 1.0), (200.0, 20 / 3), (2000.0, 16.0)):
        canvas.marks.clear()
        pictures.plot(canvas, {"numbers": numbers, "bad": [], "log": True, "low": 0, "high": 1}, 100.0, 0.0, wide, 10.0, "")
        bars = [points for _, points, *_, fill in canvas.marks if fill == "" and len(points) == 5]
        middles = [100.0 + (k + 0.5) * wide / 20 for k in range(20)]
        assert [(bar[0][0] + bar[1][0]) / 2 for bar in bars] == pytest.approx(middles)
        assert [bar[1][0] - bar[0][0] for bar in bars] == pytest.approx([thick] * 20)


NOTES = {"size": r"norm \S+", "shape": r"\(.*\)|\d+(\u00d7\d+)*"}


@pytest.mark.variants
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_film_has_a_still_picture_within_its_frame(program):
    film = inspected(program)
    root = ElementTree.fromstring(film.to_svg())
    wide, high = float(root.get("width")), float(root.get("height"))
    for one in root.iter(f"{SVG}text"):
        x, y, size = (float(one.get(name)) for name in ("x", "y", "font-size"))
        room = len(one.text) * size * 0.62 * {"start": 1, "middle": 0.5, "end": 0}[one.get("text-anchor")]
        assert x >= 0 and x + room <= wide + 12 and 0 < y <= high, one.text
    middles = {kind: {one.get("x") for one in root.iter(f"{SVG}text") if re.fullmatch(form, one.text)} for kind, form in NOTES.items()}
    assert middles["size"] <= middles["shape"], "below its picture, in the middle of the column"
    assert "nan" not in " ".join(one.get("d", "") for one in root.iter(f"{SVG}path"))


def test_two_films_are_one_picture(tmp_path):
    film = run(f"{BROKEN}\nbroken = tape\n{FIXED}\nfilm = mg.inspect(broken, tape)")["film"]
    film.save_svg(tmp_path / "film.svg")
    texts = [one.text for one in ElementTree.parse(tmp_path / "film.svg").iter(f"{SVG}text")]
    assert {"dy/dx = None", "dy/dx = [0.5 1.0 1.5 2.0]"} <= {*texts}
    heights = [still([model.data]).height for model in film.models]
    assert float(ElementTree.parse(tmp_path / "film.svg").getroot().get("height")) == pytest.approx(sum(heights), abs=1)


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_wires_end_beside_each_other_around_the_middle_of_a_column(count):
    ends = [pictures.port(10.0, 100.0, k, count) for k in range(count)]
    assert ends == sorted({*ends}) and ends[0] > 10 and ends[-1] < 110
    assert ends[0] + ends[-1] == pytest.approx(2 * 60.0)


@pytest.mark.parametrize("program", [HALF, NETWORK])
def test_a_picture_can_be_saved_as_png(tmp_path, program):
    pytest.importorskip("matplotlib")
    inspected(program).save_png(tmp_path / "film.png")
    assert (tmp_path / "film.png").read_bytes().startswith(b"\x89PNG")


def test_a_power_is_written_as_one_and_a_number_beside_its_sign():
    program = """
x = mg.Variable(4.0)
with mg.GradientTape() as tape:
    y = x**2.0 + x**3.0 + x**0.5 + x**5.0 + 2.0 * x + x / 4.0
dx = tape.gradient(y, x)
"""
    signs = [col["signs"][0] for col in columns(inspected(program).plain, "op")]
    assert signs == ["x²", "x³", "+", "√", "+", "x^5.0", "+", "2.0 \u00d7", "+", "÷ 4.0", "+"]


@pytest.mark.parametrize("n", [3, 100])
def test_a_target_that_nobody_has_any_more_is_shown_as_before(n):
    program = f"""
x = mg.Variable(np.ones({n}), name="x")
with mg.GradientTape() as tape:
    y = x * 2.0
dx = tape.gradient(y, x)
"""
    assert str(inspected(f"{program}del y")) == str(inspected(program))


def test_without_anywidget_the_table_comes_with_the_line_that_installs_it(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "anywidget" else find(name, *rest))
    film = inspected(HALF)
    assert repr(film) == f'{TABLES[HALF]}\nTo see it as a film in a notebook: pip install "minigrad[course]"'
    assert str(film) == TABLES[HALF]
    assert "<!doctype html>" in film.to_html()
    bundle = film._repr_mimebundle_()
    assert bundle["text/plain"] == repr(film) and bundle["image/svg+xml"] == film.to_svg()
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', bundle["text/html"])[1]) == film.to_html(), "it lives without a kernel"


def test_nothing_of_jupyter_is_loaded_before_it_is_needed():
    program = """import sys, minigrad as mg
assert not {"anywidget", "ipywidgets", "minigrad.inspector"} & {*sys.modules}
mg.inspect
assert "anywidget" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(mg.__file__).parents[1])


CHANGED = """
x = mg.Variable(2.0, name="x")
with mg.GradientTape() as tape:
    y = x * x
    z = y * (float(y) * 3)
tape.gradient(z, x)
"""
ASSIGNED = """
x, v = mg.Variable(2.0, name="x"), mg.Variable(0.0, name="v")
with mg.GradientTape() as tape:
    y = x * x
    v.assign(float(y) * 3)
    z = y * v
tape.gradient(z, x)
"""


@pytest.mark.parametrize("program", [CHANGED, ASSIGNED], ids=["by Python", "in a Variable"])
def test_what_a_lost_way_would_carry_is_not_guessed(program):
    table = str(inspected(program))
    assert "paths: live 48.0" in table and "together" not in table


def test_many_ops_of_one_call_are_no_iterations():
    """Keras's loop is not the user's: all ops of its step are on the line of `fit`, and each is another."""
    layers = [mg.keras.layers.Dense(3, activation="tanh"), mg.keras.layers.Dense(1)]
    model = mg.keras.Sequential(layers)
    model.compile("sgd", "mse")
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    model.fit(x, y, verbose=0)
    with mg.trace() as log:
        model.fit(x, y, verbose=0)
    view = mg.inspect(log).models[0].data
    assert view["fold"] is None or view["fold"]["kind"] != "iterations", view["fold"]
    assert "fit" not in {name for col in view["cols"].values() for name in (col.get("op"), col["name"])}


def test_a_film_is_made_though_the_shape_of_a_second_output_is_not_known():
    w = mg.Variable(np.ones((3, 4)))
    with mg.trace(), mg.GradientTape() as tape:
        _, labels = mg.unique(mg.constant([2, 2, 5]))
        loss = mg.reduce_sum(mg.nn.sparse_softmax_cross_entropy_with_logits(labels, w))
    assert "sparse_softmax_cross_entropy" in str(mg.inspect(tape, loss, w))


def film_with(name):
    """A film in whose table and picture a name stands: as a source, as an op's output, and in a line."""
    return inspected(f"{name} = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = {name} * 2.0\ntape.gradient(y, {name})\n")


@pytest.mark.parametrize("letters", [3, 8, 30])
def test_wide_letters_take_the_room_of_two(letters):
    wide, plain = film_with("値" * letters), film_with("ab" * letters)
    as_wide = [[line.replace("値", "ab") for line in str(film).splitlines()] for film in (wide, plain)]
    cut = [any("..." in line for line in lines) for lines in as_wide]
    assert cut == [letters == 30] * 2
    heads, cells = [[[lines[k].index(word) for word in words] for lines in as_wide] for k, words in (
        (1, ("value", "on the tape")), (2, ("6.0", "kept")))]  # fmt: skip
    assert heads == cells, "columns of the table stand under their heads"
    assert all(0 <= plain - wide <= (letters == 30) for wide, plain in zip(*cells)), "as wide, but for half of a letter"
    texts = [[*ElementTree.fromstring(film.to_svg()).iter(f"{SVG}text")] for film in (wide, plain)]
    pairs = [(one, other) for one, other in zip(*texts) if "値" in one.text]
    assert len(texts[0]) == len(texts[1]) and len(pairs) >= 2
    for one, other in pairs:
        assert one.get("font-size") == other.get("font-size")
        assert 0 <= len(other.text) - len(one.text.replace("値", "ab")) <= 1, "half of a letter is none"


def test_what_is_not_finite_is_crimson_in_the_picture():
    svg = inspected(BRANCH).to_svg()
    assert 'stroke-width="12.0"' in svg and "crimson: nan or inf" in svg
    assert "crimson" not in inspected(HALF).to_svg()


def test_scissors_stand_in_the_picture_where_the_way_is_cut_and_nowhere_else():
    x = mg.Variable([-1.0, 0.5, -3.0])
    with mg.trace():
        with mg.GradientTape() as tape:
            y = mg.where(x > 0.0, x, x**2)
        total = mg.reduce_sum(y)
    film = mg.inspect(tape, total, x)
    lost = [wire["state"] for wire in film.plain["wires"].values() if "lost" in wire]
    assert film.plain["verdict"]["lost"] == "[-2.0 1.0 -6.0]" and sorted(lost) == ["cut", "live", "live", "live"]
    assert film.to_svg().count('fill="#b3003c" stroke="#fff"') == 2, "above and below the one arc that is cut"


def test_a_film_with_integers_from_outside_warns_of_none(caplog):
    w, rows = mg.Variable([[0.1, 0.9], [0.8, 0.3]]), mg.constant([0, 1])
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.gather(w, rows) * float(w[0, 0]))
    assert mg.inspect(tape, y, w).plain["cuts"] and not caplog.records


def pixels(canvas):
    """A picture as PNG, as rows of pixels; 3 of them stand for 2 of the SVG."""
    from matplotlib.image import imread

    return imread(io.BytesIO(canvas.png()))[..., :3]


def inked(image, left, top, right, bottom):
    """Which pixels of a part of the SVG are not white."""
    part = image[round(1.5 * top) : round(1.5 * bottom), round(1.5 * left) : round(1.5 * right)]
    return (part < 0.9).any(-1)


def coloured(image, x, y):
    """The colour of the PNG at a point of the SVG."""
    return "#" + "".join(f"{round(255 * one):02x}" for one in image[round(1.5 * y), round(1.5 * x)])


def test_a_png_has_the_paths_of_the_svg_where_they_are():
    pytest.importorskip("matplotlib")
    canvas = pictures.Canvas()
    canvas.height = 120.0
    canvas.rect(96.0, 24.0, 48.0, 24.0, fill=pictures.CRIMSON)
    canvas.path([(480.0, 10.0), (480.0, 80.0)], pictures.BLUE, 4.0)
    canvas.path([(600.0, 60.0), (900.0, 60.0)], pictures.ORANGE, 4.0, "4 3")
    canvas.path([(300.0, 80.0), ((300.0, 0.0), (400.0, 0.0), (400.0, 80.0))], pictures.ORANGE, 2.0)
    canvas.path([(200.0, 20.0), (240.0, 20.0), None, (200.0, 60.0), (240.0, 60.0)], pictures.BLUE, 2.0)
    image = pixels(canvas)
    assert image.shape == (180, 1440, 3)
    assert coloured(image, 97, 25) == coloured(image, 143, 47) == pictures.CRIMSON
    assert inked(image, 90, 20, 150, 52).sum() == pytest.approx(72 * 36, rel=0.1), "as wide and as high"
    assert coloured(image, 480, 45) == pictures.BLUE and inked(image, 470, 40, 490, 80).any(0).sum() in (6, 7), "4 pixels wide"
    assert 0.3 < inked(image, 600, 59, 900, 61).mean() < 0.9, "dashed"
    assert inked(image, 480, 12, 481, 78).all(), "and the other is not"
    assert coloured(image, 350, 20) == pictures.ORANGE and not inked(image, 345, 30, 355, 80).any(), "the curve has its height"
    assert inked(image, 205, 19, 235, 21).any() and not inked(image, 205, 25, 235, 55).any(), "two lines, with nothing between"
    assert not inked(image, 0, 81, 960, 120).any() and not inked(image, 0, 0, 96, 120).any(), "and nothing else, no axes"


def test_a_png_has_the_texts_of_the_svg_where_they_are():
    pytest.importorskip("matplotlib")
    canvas = pictures.Canvas()
    canvas.height = 60.0
    for k, options in enumerate(({}, {"bold": True}, {"mono": True}, {"anchor": "middle"}, {"anchor": "end"})):
        canvas.text(100.0 + 150 * k, 40.0, "Hill", 20.0, pictures.INK, **options)
    canvas.text(850.0, 40.0, "$x$", 20.0)
    image = pixels(canvas)
    spots = [inked(image, 50 + 150 * k, 0, 190 + 150 * k, 60) for k in range(5)]
    ends = [np.flatnonzero(one.any(0))[[0, -1]] / 1.5 + 50 - 100 for one in spots]
    rows = [np.flatnonzero(one.any(1))[[0, -1]] / 1.5 for one in spots]
    wide = [right - left for left, right in ends]
    assert all(40 - high == pytest.approx(15, abs=2) and abs(low - 40) < 2 for high, low in rows), (
        "letters stand on the line, 20 pixels large"
    )
    assert all(0 <= left < 4 for left, _ in ends[:3]) and 25 < wide[0] < 40
    assert sum(ends[3]) == pytest.approx(0, abs=3) and ends[4][1] == pytest.approx(0, abs=3)
    assert spots[1].sum() > 1.2 * spots[0].sum() and wide[2] > 1.2 * wide[0], "bold has more ink, and `ill` is wide in mono"
    dollars = np.flatnonzero(inked(image, 840, 0, 960, 60).any(0))
    assert (dollars[-1] - dollars[0]) / 1.5 > 25, "a dollar sign is one, and begins no formula"


@pytest.mark.parametrize(("count", "drawn"), [(1000, 500), (2000, 400), (300, 300)])
def test_of_very_many_numbers_a_plot_draws_some_hundreds(count, drawn):
    canvas = pictures.Canvas()
    pictures.plot(canvas, {"numbers": [10.0] * count, "bad": [], "log": True, "low": 0, "high": 1}, 0.0, 0.0, 800.0, 50.0, "bar")
    assert sum(fill == "bar" for *_, fill in canvas.marks) == drawn
    canvas.marks.clear()
    pictures.plot(canvas, {"numbers": [1.0] * 9 * count, "bad": [], "log": False, "low": 0, "high": 2}, 0.0, 0.0, 800.0, 50.0, "line")
    assert len(canvas.marks[-1][1]) == {9000: 900, 18000: 900, 2700: 900}[9 * count]


def test_a_plot_draws_zeros_on_a_linear_axis_alone_and_nothing_where_there_is_no_number():
    canvas = pictures.Canvas()
    pictures.plot(canvas, {"numbers": [None, 0.0], "bad": [], "log": False, "low": 0, "high": 1}, 0.0, 0.0, 80.0, 50.0, "line")
    assert canvas.marks == []
    pictures.plot(canvas, {"numbers": [0.0, 1.0, None, 0.0], "bad": [], "log": False, "low": 0, "high": 1}, 0.0, 0.0, 80.0, 50.0, "line")
    line = canvas.marks[-1][1]
    assert line[:5] == [(10.0, 50.0), (30.0, 0.0), None, (70.0, 50.0), None], "a gap is no line"
    assert sum(line[5:], ()) == pytest.approx((70 - 20 / 3, 50, 70 + 20 / 3, 50)), "a number without neighbours is a dash"
    canvas.marks.clear()
    pictures.plot(canvas, {"numbers": [0.0, 10.0], "bad": [], "log": True, "low": 0, "high": 1}, 0.0, 0.0, 80.0, 50.0, "bar")
    assert sum(fill == "bar" for *_, fill in canvas.marks) == 1


@pytest.mark.parametrize(("room", "text"), [(0, "…"), (6, "…"), (12, "a…"), (60, "a long name…"), (85, "a long name of")])
def test_a_text_without_room_is_cut_and_says_so(room, text):
    canvas = pictures.Canvas()
    canvas.text(0.0, 0.0, "a long name of", 11.0, room=room)
    assert canvas.marks[0][3] == text
    canvas.text(0.0, 0.0, ["a long name of", "short"], 11.0, room=room)
    assert [one[3] for one in canvas.marks[1:]] == {0: [], 6: [], 12: [], 60: ["short"], 85: ["a long name of"]}[room]


def test_of_several_texts_the_first_that_fits_is_taken_and_wide_letters_need_the_room_of_two():
    for text, room in (("ab" * 5, 50), ("値" * 5, 50), ("値" * 5, 49), ("値" * 5, 24)):
        canvas = pictures.Canvas()
        canvas.text(0.0, 0.0, [text, "値段", "x"], 11.0, room=room)
        assert canvas.marks[0][3] == {50: text, 49: "値段", 24: "値段"}[room]


def test_bars_of_a_narrow_column_have_no_negative_width():
    canvas = pictures.Canvas()
    pictures.curve(canvas, {"v": [1.0, -1.0, 2.0, 0.5, 3.0, 1.0, 1.0, 1.0]}, 0.0, 0.0, 4.0, 10.0, pictures.INK)
    bars = [points for _, points, *_, fill in canvas.marks if fill != "none"]
    assert len(bars) == 8 and all(bar[1][0] >= bar[0][0] for bar in bars)


def test_the_title_of_a_picture_is_a_text():
    assert "<title>a &lt; b &amp; c</title>" in pictures.Canvas().svg("a < b & c")


def shown_lines(lines, used):
    """The numbers of the lines that the code pane shows of a file in which these lines were used."""
    return [*wanted(used, [f"line {k}\n" for k in range(lines)])]


def test_of_a_short_file_all_lines_are_shown_and_of_a_long_one_those_around_what_ran():
    assert shown_lines(80, {50}) == [*range(1, 81)], "as of a cell"
    assert [*wanted({1}, ["x = 1\n", *["\n"] * 200])] == [1], "empty lines at the end are none"
    assert shown_lines(81, {50, 60}) == [*range(48, 62)], "two lines before, and one behind"
    assert shown_lines(81, {1, 81}) == [*range(1, 82)], "and none that is not there"
    assert shown_lines(300, {20, 177}) == [*range(18, 179)], "161 lines at most in one stretch"
    assert shown_lines(300, {20, 178}) == [19, 20, 21, 177, 178, 179], "otherwise each with its neighbours"
    assert shown_lines(300, {9999}) == [1, 2], "where no line is known, the first"
    assert shown_lines(300, {1, 300}) == [1, 2, 299, 300] and shown_lines(300, {7, 9999, None}) == [5, 6, 7, 8]


def test_of_very_many_blocks_of_memory_only_the_sum_is_shown():
    def memory(ops):
        block = "".join(f"    y{k} = mg.exp(x + {k}.0)\n" for k in range(ops))
        return inspected(f"x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape() as tape:\n{block}g = tape.gradient(y0, x)").plain["memory"]

    few, many = memory(20), memory(41)
    assert (len(few["blocks"]), few["peak"]) == (20, 160), "exp keeps what it gives"
    assert (many["blocks"], many["peak"], many["text"]) == ([], 328, "328 B")
    nothing = inspected("x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = x + 1.0\ng = tape.gradient(y, x)").plain["memory"]
    assert (nothing["peak"], nothing["why"]) == (0, "no VJP needs an array") and few["why"] == ""


def test_two_films_name_up_to_twelve_lines_that_differ():
    def film(sign):
        lines = "".join(f"    y{k} = x {sign} {k}.5\n" for k in range(9))
        return run(f"x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n{lines}g = tape.gradient(y0, x)")["tape"]

    told = str(mg.inspect(film("+"), film("-"))).partition("the lines that differ\n")[2].splitlines()
    assert told == [*(f"  - y{k} = x + {k}.5" for k in range(9)), *(f"  + y{k} = x - {k}.5" for k in range(3))]


def test_a_long_table_keeps_its_first_and_last_rows():
    lines = "".join(f"    y{k} = x {'+-*/'[k % 4]} {k}.5 + mg.sin(x)\n" for k in range(20))
    rows = str(inspected(f"x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n{lines}g = tape.gradient(y0, x)")).splitlines()
    numbers = [row[:2].strip() for row in rows[2:-1]]
    assert numbers == [*map(str, range(1, 19)), "", *map(str, range(43, 61))]
    assert rows[20].strip() == "... 24 more"


@pytest.mark.parametrize(("ops", "last"), [(45, "y44"), (46, "ops 45 to 46")])
def test_a_stretch_of_several_ops_is_named_after_its_first_and_last(ops, last):
    signs = {0: "mg.sin(x)", 1: "x * 2.0", 2: "mg.exp(x)", 3: "x - 1.0", 4: "mg.abs(x)"}
    lines = "".join(f"    y{k} = {signs[k * k % 5] if k % 3 else signs[k % 5]}\n" for k in range(ops))
    view = inspected(f"x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n{lines}g = tape.gradient(y0, x)").plain
    assert (view["fold"]["kind"], view["fold"]["labels"]) == ("ops", ["ops 1 to 22", "ops 23 to 44", last])


# ---- each mark is true -------------------------------------------------------------------------------------------------


def columns_of(program):
    """The columns of the ops of a film, as [op, name, its formulas]."""
    columns = inspected(program).plain["cols"].values()
    return [[col["op"], col["name"], [one["text"] for one in col.get("math", [])]] for col in columns if col["id"][0] == "f"]


def asked_of(lines, made="x = mg.Variable([1.0, 2.0])", asked="y, x"):
    block = "".join(f"    {line}\n" for line in lines.split("\n"))
    return f"{made}\nwith mg.GradientTape() as tape:\n{block}tape.gradient({asked})"


FORMULAS = {
    "y = x * mg.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])": [["multiply", "y", ["upstream * constant, summed over axis 0"]]],
    "y = mg.constant([[1.0], [3.0]]) - x[0]": [["getitem", None, ["upstream, put back at the chosen indices"]], ["subtract", "y", ["-upstream, summed over axes 0, 1"]]],
    "y = mg.ones((2, 1, 2)) @ mg.stack([x, x])": [["stack", None, ["upstream at index k of the axis"] * 2], ["matmul", "y", ["constantᵀ @ upstream, summed over axis 0"]]],
    "h = mg.exp(x)\nh = mg.sqrt(h)\ny = h * 2.0": [
        ["exp", "h", ["upstream * h"]], ["sqrt", "h", ["upstream / (2 * output)"]], ["multiply", "y", ["upstream * 2.0"]],
    ],
    "v, i = mg.nn.top_k(x, 1)\ny = v": [["top_k", "v", ["upstream[0], put back at the indices i"]]],
    "q = mg.unstack(x)\ny = q[0] * q[1]": [
        ["unstack", "q", ["stack(upstream, axis)"]], ["multiply", "y", ["upstream * q[1]", "upstream * q[0]"]],
    ],
    "y = mg.exp(x) + mg.tanh(x)": [
        ["exp", None, ["upstream * exp(x)"]], ["tanh", None, ["upstream * (1 - tanh(x)^2)"]], ["add", "y", ["upstream", "upstream"]],
    ],
    "y = mg.exp(mg.sin(x) + mg.cos(x))": [
        ["sin", None, ["upstream * cos(x)"]], ["cos", None, ["-upstream * sin(x)"]],
        ["add", None, ["upstream", "upstream"]], ["exp", "y", ["upstream * y"]],
    ],
    "y = mg.sqrt(mg.tanh(mg.exp(x) * 1.25))": [
        ["exp", None, ["upstream * exp(x)"]], ["multiply", None, ["upstream * 1.25"]],
        ["tanh", None, ["upstream * (1 - output^2)"]], ["sqrt", "y", ["upstream / (2 * y)"]],
    ],
    "y = x / (x / 3.0)": [
        ["divide", None, ["upstream / 3.0"]], ["divide", "y", ["upstream / (x÷3.0)", "-upstream * x / (x÷3.0)^2"]],
    ],
    "y = mg.sin(x * 2.0) * x": [
        ["multiply", None, ["upstream * 2.0"]], ["sin", None, ["upstream * cos(x·2.0)"]],
        ["multiply", "y", ["upstream * x", "upstream * sin(x·2.0)"]],
    ],
}  # fmt: skip


@pytest.mark.parametrize("lines", FORMULAS)
def test_a_formula_names_the_arrays_that_it_means(lines):
    assert columns_of(asked_of(lines)) == FORMULAS[lines]


@pytest.mark.parametrize("traced", [True, False])
def test_of_complex_numbers_a_formula_has_the_conjugates(traced):
    made = "z = mg.Variable([[1.0 + 2.0j, 3.0 - 1.0j]])\nw = mg.Variable([[1.0 + 1.0j, 2.0], [3.0, 1.0j]], dtype=mg.complex128)"
    block = "with mg.GradientTape() as tape:\n    a = mg.exp(z)\n    b = a @ w\n    c = b / z - z\n    y = mg.abs(c)"
    columns = inspected(f"{made}\n{block}", traced=traced).plain["cols"].values()
    assert {col["op"]: [one["text"] for one in col["math"]] for col in columns if col["id"][0] == "f"} == {
        "exp": ["upstream * conj(a)"],
        "matmul": ["upstream @ conj(wᵀ)", "conj(aᵀ) @ upstream"],
        "divide": ["upstream / conj(z)", "-upstream * conj(b) / conj(z)^2"],
        "subtract": ["upstream", "-upstream"],
        "abs": ["upstream * c / y"],
    }
    named = {part["t"].strip("ᵀ") for col in columns for one in col.get("math", ()) for part in one["parts"] if "of" in part}
    assert named == {"upstream", *"abcwyz"}, "an array that is shown beside its name is the one of that name, and not its conjugate"


def test_of_several_outputs_a_column_shows_all_and_their_gradients():
    view = inspected(asked_of("low, high = mg.split(x, [1, 2])\ny = low * high", "x = mg.Variable([1.0, 2.0, 3.0])")).plain
    split, product = view["cols"]["f0"], view["cols"]["f1"]
    assert (split["name"], split["outputs"]) == ("low, high", "2 outputs")
    assert [view["arrays"][one]["text"] for one in (split["value"], split["slopes"][-1][2])] == ["[1.0 2.0 3.0]", "[5.0 1.0 1.0]"]
    assert [view["arrays"][wire["sent"][0][2]]["text"] for key, wire in sorted(view["wires"].items()) if key[:3] == "f1."] == [
        "[5.0]",
        "[1.0 1.0]",
    ]
    assert [part.get("of") for part in split["math"][0]["parts"]] == [None] * len(split["math"][0]["parts"])
    assert [part.get("of") for one in product["math"] for part in one["parts"]] == ["upstream", *[None] * 3, "upstream", None, None]
    assert [one["text"] for one in product["math"]] == ["upstream * high, summed over axis 0", "upstream * low"]


SEVERAL = {  # the block -> of the op with several outputs: their shapes, value, gradient, and the seed of the backward pass
    "a, b = mg.unstack(x)\ny = b": ("2 of (2,)", [[1, 2], [3, 4]], [[0, 0], [1, 1]], [[0, 0], [1, 1]]),
    "a, b = mg.split(x, 2, axis=1)\ny = mg.reduce_sum(a * a)": ("2 of (2, 1)", [[[1], [3]], [[2], [4]]], [[[2], [6]], [[0], [0]]], 1),
    "a, i = mg.math.top_k(x, 1)\ny = mg.reduce_sum(a * a)": ("1 of 2 outputs", [[2], [4]], [[4], [8]], 1),
}


@pytest.mark.parametrize("block", SEVERAL)
def test_the_picture_of_several_outputs_is_whole(block):
    view = inspected(asked_of(block, "x = mg.Variable([[1.0, 2.0], [3.0, 4.0]])")).plain
    column = next(col for col in view["cols"].values() if col.get("outputs"))
    outputs, value, slope, seed = SEVERAL[block]
    found = [view["arrays"][at] for at in (column["value"], column["slopes"][-1][2], view["readings"][0]["seed"])]
    assert column["outputs"] == outputs
    for one, numbers in zip(found, (value, slope, seed)):
        assert (one["shape"], one["picture"]["v"]) == ([*np.shape(numbers)], np.ravel(numbers).tolist())


def test_each_output_that_is_a_source_has_its_own_answer():
    made, split = "x = mg.Variable([1.0, 2.0, 3.0])", "a, b, c = mg.unstack(x)\n"
    view = inspected(asked_of(f"{split}y = a * b * b + c * 0.0", made, "y, [a, b, c]")).plain
    given = [view["readings"][0]["answers"][source["of"] or source["id"]] for source in view["sources"] if source["asked"]]
    assert [view["arrays"][at]["text"] for at in given] == ["4.0", "4.0", "0.0"] and view["cuts"] == []
    column = next(col for col in view["cols"].values() if col.get("outputs"))
    assert view["arrays"][column["slopes"][-1][2]]["text"] == "[4.0 4.0 0.0]", "known, though nothing goes on to x"
    view = inspected(asked_of(f"{split}y = a * b", made, "y, [b, c]")).plain
    assert [(one["name"], one["answer"], one["meaning"]) for one in view["verdict"]["each"]] == [
        ("b", "1.0", ""),
        ("c", "None", "independent"),
    ]


def test_an_error_is_no_gradient_among_several():
    own = "@mg.custom_gradient\ndef f(v):\n    def back(up): raise ValueError('no')\n    return v * 2.0, back\nx, w = mg.Variable(1.0), mg.Variable(2.0)"
    film = inspected(f"{own}\nwith mg.GradientTape() as tape:\n    y = f(x) * w\ntry: tape.gradient(y, [x, w])\nexcept ValueError: pass")
    assert film.plain["verdict"]["head"] == "dy/d[x, w] = 0 of 2 gradients"


def test_an_output_from_before_the_tape_is_one_of_several():
    made = "data = mg.constant([[1.0, 2.0], [3.0, 4.0]])\na, b = mg.split(data, 2, axis=1)\nx = mg.Variable(0.5)"
    view = inspected(asked_of("y = mg.reduce_sum((x * a - b) ** 2)", made)).plain
    found = {col["name"]: view["arrays"][col["value"]] for col in view["cols"].values() if col["kind"] == "data"}
    assert {name: (one["shape"], one["picture"]["v"]) for name, one in found.items()} == {
        "a": ([2, 1], [1.0, 3.0]),
        "b": ([2, 1], [2.0, 4.0]),
    }


def test_two_outputs_are_no_names_of_each_other_in_a_formula():
    view = inspected(
        asked_of("e, v = mg.linalg.eigh(x)\ny = mg.reduce_sum(e * e) + v[0, 0]", "x = mg.Variable([[2.0, 1.0], [1.0, 4.0]])")
    ).plain
    assert view["cols"]["f0"]["math"][0]["text"].endswith("upstream: de, dv; outputs: e, v")


def test_a_jacobian_is_no_gradient_of_another_shape():
    own = "@mg.custom_gradient\ndef f(v): return v * v, lambda up: up * 2.0 * v\nf(mg.constant(1.0))\nx = mg.Variable([[1.0, 2.0], [3.0, 4.0]])"
    for y in ("x * x", "f(x)"):
        film = inspected(f"{own}\nwith mg.GradientTape() as tape:\n    y = {y}\ntape.batch_jacobian(y, x)")
        assert film.plain["verdict"]["say"] == "Complete. Every path is on the tape."


def test_the_weights_of_all_layers_are_in_the_overview():
    made = "net = mg.keras.Sequential([mg.keras.layers.Dense(2, activation='tanh') for _ in range(140)])"
    film = inspected(asked_of("y = mg.reduce_sum(net(mg.ones((1, 2))))", made, "y, net.trainable_variables"))
    numbers = film.plain["fold"]["below"]["numbers"]
    assert len(numbers) == 141 and None not in numbers[:140]


def test_a_log_that_forgot_the_opening_is_not_said_to_be_missing():
    film = run(
        "x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = x\n    for k in range(20100): y = y * 1.00001\nfilm = mg.inspect(tape, y, x)"
    )["film"]
    assert "The log was full, and has forgotten its first events." in film.plain["notes"]
    assert not any("No log was kept" in note for note in film.plain["notes"])


def test_iterations_of_two_calls_are_told_apart_by_their_ops():
    made = "def h(v):\n    for i in range(14): v = mg.sin(v) * 2.0\n    return v\nx = mg.Variable(1.0)"
    say = inspected(asked_of("y = h(h(x))", made)).plain["verdict"]["say"]
    assert "in iteration 14 of 14 (ops 55 to 56)" in say and "in iteration 1 of 14 (ops 1 to 2)" in say


def test_in_the_rows_of_a_jacobian_an_output_without_a_gradient_is_zero():
    made = "x = mg.Variable([[1.0, 2.0], [3.0, 4.0]])"
    view = inspected(f"{made}\nwith mg.GradientTape() as tape:\n    a, b = mg.unstack(x)\n    y = b * b\ntape.jacobian(y, x)").plain
    slope = view["arrays"][next(col for col in view["cols"].values() if col.get("outputs"))["slopes"][-1][2]]
    rows = np.zeros((2, 2, 2))
    rows[[0, 1], 1, [0, 1]] = 6.0, 8.0
    assert (slope["shape"], slope["picture"]["v"]) == ([2, 2, 2], rows.ravel().tolist())


NAMED = {  # statements -> the op and the name of each column
    "z = mg.reduce_sum([x * x, x])": [("multiply", None), ("stack", None), ("reduce_sum", "z")],
    "z = max(x[0], x[1])": [("getitem", None), ("getitem", None), ("greater", None)],
    "z = sum([x, x, x])": [("add", None), ("add", None), ("add", "z")],
    "z = mg.map_fn(lambda t: t * t, x)": [("getitem", None)] * 2 + [("multiply", None)] * 2 + [("stack", "z")],
    "z = mg.foldl(lambda a, t: a * t, x)": [("getitem", None)] * 2 + [("multiply", None)],
    "z = x\nfor one in (mg.sin, mg.cos): z = one(z)": [("sin", "z"), ("cos", "z")],
    "z = x * x\nx.assign(z)\nz = x * 3.0": [("multiply", "z"), ("assign", "x"), ("multiply", "z")],
}


@pytest.mark.parametrize("lines", NAMED)
def test_only_what_a_line_assigns_has_its_name(lines):
    assert [(op, name) for op, name, _ in columns_of(asked_of(lines, asked="z, x"))] == NAMED[lines]


@pytest.mark.parametrize(
    ("lines", "asked", "head"),
    [("y = x * x; z = y * x; w = z; z = mg.exp(z)", "w, x", "dw/dx = 12.0"), ("y = squared(x)", "y, x", "dy/dx = 4.0"),
     ("y = mg.py_function(squared, [x], mg.float32)", "y, x", "dy/dx = 4.0")],
)  # fmt: skip
def test_the_headline_names_the_target_as_it_is_called_when_asked(lines, asked, head):
    made = "def squared(v):\n    out = v * v\n    return out\nx = mg.Variable(2.0)"
    assert inspected(asked_of(lines, made, asked)).plain["verdict"]["head"] == head


KEPT = {  # blocks of memory that are easily counted twice, or as one, or not at all
    "two tapes": "with mg.GradientTape(persistent=True) as other:\n    y = mg.sin(x * 2.0) * x",
    "versions": "for k in range(3):\n    a = x * x\n    x.assign(a)\ny = mg.reduce_sum(x)",
    "numbers": "y = ((x * 2.0) * 3.0) ** 4.0",
    "one number, often": "y = x\nfor k in range(9):\n    y = mg.sin(y) * 0.5",
    "one array, two Tensors": "a = x * x\ny = mg.stop_gradient(a) * mg.identity(a)",
    "constants without a name": "y = mg.eye(2) @ (mg.ones([2, 3]) * x[0])",
    "several outputs": "a, b = mg.unstack(x)\ny = a * b",
    "several outputs that the gradient needs": "y = mg.linalg.svd(x * mg.eye(2))[1] + mg.linalg.qr(x * mg.ones((2, 2)))[0]",
    "an output that nothing uses": "y = mg.nn.top_k(x * mg.ones((3, 2)), 1)[0]",
    "views": "y = mg.reduce_sum(mg.broadcast_to(mg.reshape(x * x, [1, 2]), [3, 2]) ** 2)",
    "a list of inputs": "y = mg.einsum('ij,jk->ik', x * mg.ones((3, 2)), x * mg.eye(2))",
    "what a by-product is computed from": "y = mg.nn.softmax_cross_entropy_with_logits(mg.constant([0.0, 1.0]), x)",
    "classes": "y = mg.nn.sparse_softmax_cross_entropy_with_logits(mg.constant([0, 1, 1]), x * mg.ones((3, 2)))",
    "complex numbers": "a = mg.complex(x, x)\ny = mg.abs(a * a)",
}


def kept_by(*tapes):
    """The bytes of all arrays that the steps of these tapes hold; a view holds all of what it looks at."""
    found, todo = {}, [step[k] for tape in tapes for step in tape.steps for k in (ARRAYS, TENSORS)]
    while todo:
        one = todo.pop()
        one = one.value if isinstance(one, mg.Tensor) else one
        if isinstance(one, (np.ndarray, np.generic)):
            while one.base is not None:
                one = one.base
            found[id(one)] = one.nbytes
        todo += one if isinstance(one, (list, tuple)) else getattr(one, "inputs", ())
    return sum(found.values())


@pytest.mark.variants
@pytest.mark.parametrize("how", ["used up", "persistent", "without a log"])
@pytest.mark.parametrize("what", KEPT)
def test_memory_is_that_of_the_arrays_which_the_tapes_keep(what, how):
    traced = how != "without a log"
    if what == "two tapes" and not traced:
        pytest.skip("without a log, a film shows one tape")
    block = KEPT[what].replace("\n", "\n    ")
    space = run(f"x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape(persistent={how != 'used up'}) as tape:\n    {block}", traced)
    kept = kept_by(*[space[name] for name in ("tape", "other") if name in space])
    if how == "used up":
        space["tape"].gradient(space["y"], space["x"])
    memory = Model(space["tape"], space["y"], space["x"]).data["memory"]
    assert memory["peak"] == kept == sum(block["bytes"] for block in memory["blocks"])
    assert not memory["why"].startswith("without")


def test_what_led_to_no_source_was_kept_too():
    block = "with mg.GradientTape() as tape:\n    y = mg.reduce_sum(mg.exp(mg.ones((5, 3)) @ w) @ v)"
    space = run(f"w, v = mg.Variable(mg.ones((3, 4))), mg.Variable(mg.ones((4, 2)))\n{block}")
    kept = kept_by(space["tape"])
    space["tape"].gradient(space["y"], space["v"])
    memory = mg.inspect(space["tape"]).plain["memory"]
    assert (memory["peak"], memory["why"]) == (kept, "")


def test_python_too_counts_what_a_by_product_is_computed_from():
    block = "h = mg.ones((400, 300)) * 2.0\n    y = mg.nn.softmax_cross_entropy_with_logits(h, x)"
    program = f"x = mg.Variable(np.ones((400, 300), np.float32))\nwith mg.GradientTape() as tape:\n    {block}\ngrads = tape.gradient(y, x)"
    kept = inspected(program).plain["memory"]["peak"]
    assert kept == pytest.approx(measured_bytes(program) + 4 * 400 * 300, rel=0.005), "x lives anyway"


def test_without_a_log_the_ops_of_complex_numbers_have_their_names():
    block = "with mg.GradientTape() as tape:\n    y = mg.abs(z * z)"
    film = inspected(f"z = mg.Variable(1.0 + 2.0j)\n{block}", traced=False)
    assert [frame.op for frame in film.models[0].film.frames] == ["multiply", "abs"]


def test_a_tape_that_is_gone_keeps_nothing():
    made = "c = mg.constant([5.0, 6.0])\nx = mg.Variable([1.0, 2.0])"
    memory = inspected(asked_of("y = mg.py_function(lambda v: v * v, [x], mg.float32) * c", made)).plain["memory"]
    assert (memory["why"], memory["peak"], sum(memory["changes"])) == ("without what a custom gradient refers to", 16, 0)


def test_a_further_output_has_a_size_of_its_own():
    made = "f = mg.custom_gradient(lambda v: (v * 2.0, lambda dy: dy * 2.0))\nx = mg.Variable([1.0, 2.0, 3.0])"
    memory = inspected(asked_of("a, b = mg.split(f(x), [1, 2])\ny = mg.square(b)", made)).plain["memory"]
    assert (memory["why"], memory["peak"]) == ("without what a custom gradient refers to", 4 + 8), "the number 2.0, and b"


def test_arrays_of_unknown_size_are_told_of():
    many = "tapes = []\nfor k in range(40):\n    with mg.GradientTape() as last:\n        v = x * x\n    last.gradient(v, x)\n    tapes.append(last)\n"
    film = inspected(asked_of("y = mg.ones([2, 2]) * x") + f"\n{many}")
    assert film.plain["memory"]["why"] == "without 1 array of unknown size"


def test_an_output_that_can_have_no_gradient_is_shown_beside_the_column():
    view = inspected(asked_of("v, i = mg.math.top_k(x, 2)\ny = mg.reduce_sum(v * v)", "x = mg.Variable([3.0, 1.0, 2.0])")).plain
    [[name, k]] = view["cols"]["f0"]["others"]
    assert (name, view["arrays"][k]["text"], view["cols"]["f0"]["outputs"]) == ("i", "[0 2]", "1 of 2 outputs")


@pytest.mark.parametrize("traced", [True, False])
def test_an_op_without_outputs_is_in_the_film(traced):
    x = mg.Variable(mg.ones([0, 3]))
    with mg.trace() if traced else contextlib.nullcontext():
        with mg.GradientTape() as tape:
            mg.unstack(x)
            y = mg.reduce_sum(x * 2.0)
        film = mg.inspect(tape, y, x)
    assert film.plain["cols"]["f0"]["outputs"] == "0 outputs"
    assert "0 outputs" in str(film).splitlines()[2]
    assert film.to_svg().count("0 outputs") == 1


def test_memory_that_two_arrays_share_has_the_names_of_both():
    lines = "a = x * 1.0\nb = mg.reshape(a, [2, 3])\nc = mg.reshape(a, [3, 2])\ny = mg.reduce_sum(c * c) + mg.reduce_sum(b * b) * b[0, 0]"
    blocks = inspected(asked_of(lines, "x = mg.Variable([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])")).plain["memory"]["blocks"]
    assert [one["name"] for one in blocks if one["bytes"] == 24] == ["c, b"]
    view = inspected(asked_of("a, b = mg.unstack(x)\ny = a * b", "x = mg.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])")).plain
    assert [one["name"] for one in view["memory"]["blocks"]] == ["a, b"]
    assert [one["what"] for one in view["cols"]["f1"]["keeps"]] == ["a, b"]


def test_the_slots_of_an_optimizer_have_the_names_that_it_gives_them():
    made = "w, o = mg.Variable(2.0, name='w'), mg.keras.optimizers.SGD(0.1, 0.9, name='mine')"
    film = inspected(asked_of("y = w * w\no.apply_gradients([(w, w)])\nz = w * y", made, "z, w"))
    assert "mine/w_0_momentum is version 1 now" in str(film) and "o.iterations is version 1 now" in str(film)


WHILE = {  # a loop whose test runs ops -> the ops of each iteration; what failed belongs to the last one
    "while mg.reduce_max(y * 1.0) < 1000.0:\n    y = y * 2.0\n    y = y + 1.0": ([5] * 8 + [8], "9"),
    "while (y := y * 2.0) < 1e6: n += 1": ([2] * 17 + [4], "18"),
    "while not (mg.reduce_sum(y) > 9.0 and mg.reduce_sum(y) < 1e9): y = y * 1.1": ([3] * 15 + [7], "16"),
    "while mg.reduce_sum(y) < 9.0:\n    n += 1\n    if n % 3 == 0: y = y * 1.1": (([2, 2, 3] * 16)[:-1] + [5], "48"),
    "while mg.reduce_max(y * 1.0) < 1000.0:\n    n += 1\n    if n == 20: break\n    y = y * 1.01": ([4] * 18 + [7], "19 or more"),
    "while True:\n    y = y * 1.1\n    if mg.reduce_sum(y) > 20.0: break": ([3] * 25, "25"),
    "while 0 < y < 1000: y = y * 1.3": ([3] * 23 + [5], "24"),
    "while y < 1000:\n    for _ in range(2): break\n    y = y * 1.3": ([2] * 23 + [3], "24"),
    "while all([v < 100 for v in mg.unstack(mg.stack([y, y]))]): y = y * 1.3": ([5] * 14 + [9], "15"),
    "def more(v):\n    while v < 100:\n        v = v * 1.3\n        yield v\nfor z in more(x): y = z + 1.0": ([3] * 14 + [4], "15"),
}


@pytest.mark.parametrize("lines", WHILE)
def test_the_test_of_a_while_belongs_to_the_iteration_that_it_begins(lines):
    fold = inspected(asked_of(f"y = x\nn = 0\n{lines}", "x = mg.Variable(2.0)")).plain["fold"]
    ops, count = WHILE[lines]
    assert (fold["ops"], fold["labels"][0]) == (ops, f"iteration 1 of {count}")


def test_what_a_by_product_is_computed_from_has_its_size_though_it_is_older_than_the_trace():
    labels, x = mg.constant([0, 1]), mg.Variable([[1.0, 2.0], [0.0, 1.0]])
    with mg.trace():
        with mg.GradientTape() as tape:
            y = mg.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
        tape.gradient(y, x)
    memory = mg.inspect(tape).plain["memory"]
    assert (memory["why"], memory["peak"]) == ("", 16 + 8 + 16)


def test_a_question_within_another_ends_neither_its_steps_nor_its_own():
    lines = "a = f(x)\ny = mg.reduce_sum(a * a)"
    made = "@mg.recompute_grad\ndef f(v):\n    return mg.sin(v) * v\nx = mg.Variable([1.0, 2.0], dtype=mg.float64)"
    view = inspected(asked_of(lines, made)).plain
    slopes = {col["op"]: view["arrays"][col["slopes"][-1][2]]["text"] for col in view["cols"].values() if col["slopes"] and "op" in col}
    assert slopes == {"reduce_sum": "1.0", "multiply": "[1.0 1.0]", "custom_gradient": "[1.683 3.637]"}
    assert len(view["readings"]) == 1


def test_tapes_that_were_opened_on_one_line_have_their_own_names():
    film = inspected(
        "x = mg.Variable(2.0)\nwith mg.GradientTape() as tape, mg.GradientTape() as other:\n    y = x * x\ntape.gradient(y, x)"
    )
    assert [one["name"] for one in film.plain["tapes"]] == ["tape", "other"]


HELPERS = "def enc(v): return mg.tanh(v * 1.5 + 0.1)\ndef rec(v, n): return v if n == 0 else rec(mg.sin(v * 1.1) + 0.1, n - 1)\nx = mg.Variable(2.0)"
FOLDED = {
    "y = x\n" + "y = enc(y)\n" * 8: ("calls", "enc 2"),
    "y = rec(x, 9)": ("calls", "rec 2"),
    "y = x\nfor k in range(8):\n    y = enc(y) * 2.0": ("iterations", "iteration 2 of 8"),
    "y = mg.foldl(lambda a, t: mg.sin(a * t) + 0.1, mg.ones(9), x)": ("iterations", "iteration 2 of 9"),
}


@pytest.mark.parametrize("lines", FOLDED)
def test_only_what_a_loop_contains_is_an_iteration(lines):
    fold = inspected(asked_of(lines.strip(), HELPERS)).plain["fold"]
    assert (fold["kind"], fold["labels"][1 if "foldl" not in lines else 2]) == FOLDED[lines]


CALLED_BACK = "import functools\ndef f(v): return mg.sin(v) * 1.5 + x\ndef g(v): return mg.cos(v) * 0.5\nx = mg.Variable(1.0)"
BACK = {  # a loop that calls the user's functions -> the number of iterations, and the ops of the last one
    "y = mg.while_loop(lambda n, h: n < 9, lambda n, h: (n + 1, f(h)), [0, x])[1]": (9, 3),
    "y = mg.while_loop(lambda n, h: mg.reduce_all(g(h) < 1e9) and n < 5, lambda n, h: (n + 1, f(h)), [0, x])[1]": (5, 11),
    "y = mg.reduce_sum(mg.map_fn(lambda u: f(u) * g(u), x + mg.range(5.0)))": (5, 6),
    "y = mg.foldl(lambda a, b: f(a) + b, mg.ones(7), x)": (7, 4),
    "y = 0.0\nfor v in mg.data.Dataset.range(6).map(lambda k: mg.cast(k, mg.float32)).map(f): y = y + v": (6, 5),
    "y = x\nfor k in range(6): y = mg.reduce_sum([f(y), g(y)])": (6, 7),
    "y = x\nfor k in range(6): y = y + mg.while_loop(lambda n, h: n < 3, lambda n, h: (n + 1, mg.sin(h)), [0, y])[1]": (6, 4),
    "y = x\nfor one in [f, mg.sin, g, mg.exp, f, mg.tanh, g, f] * 2: y = one(y)": (16, 3),
    "y = x\nfor k in range(6): y = max([y, y, y], key=lambda v: float(mg.sin(v) * 2.0)) * 1.1": (6, 7),
    "y = x\nfor k in range(6): y = mg.add_n(list(map(f, [y, y * 2.0, y])))": (6, 11),
    "y = x\nfor k in range(8): y = sorted([y, y * 2.0], key=lambda v: float(mg.sin(v)))[0] * 1.1": (8, 4),
    "y = x\nfor k in range(8): y = functools.reduce(lambda a, b: a * b, [y, x, x]) + 1.0": (8, 3),
    "y = x\nfor k in range(8): y = functools.reduce(mg.multiply, [y, x, x]) + 1.0": (8, 3),
    "y = x\nfor k in range(4): y = sum([f(y), g(y)]) + sum(f(v) for v in [y, y])": (4, 16),
    "y = x\nfor one in [mg.sin] * 12 + [mg.cos] * 12: y = one(y)": (24, 1),
    "y = x\nfor k in range(14): y = mg.sin(y) * 2.0\nelse: y = y + 1.0": (14, 2),
    "y = x\nk = 0\nwhile k < 14:\n    y = mg.sin(y) * 2.0\n    k += 1\nelse: y = y + 1.0": (14, 2),
    "y = x\nfor e in mg.unstack(mg.exp(mg.ones(12) * x)): y = mg.sin(y) + e": (12, 2),
    "y = mg.add_n([mg.sin(e) * 2.0 for e in mg.unstack(mg.exp(mg.ones(12) * x)) if e > 0.0])": (12, 3),
    "y = sum((x * k - 1.0) ** 2 for k in range(8)) / 8.0": (8, 4),
    "y = x\nfor k in range(8):\n    try:\n        y = f(y)\n        mg.reshape(y, [3])\n    except Exception: y = y + 0.1": (8, 5),
}


def test_where_a_function_that_is_given_away_runs_alone_no_iteration_is_told():
    lines = "y = x\nfor k in range(12): y = functools.reduce(lambda a, b: a * b, [y, x, x])"
    assert inspected(asked_of(lines, CALLED_BACK)).plain["fold"]["kind"] == "ops"


@pytest.mark.parametrize("lines", BACK)
def test_the_iterations_of_a_loop_that_calls_functions_are_counted(lines):
    fold = inspected(asked_of(lines, CALLED_BACK)).plain["fold"]
    counted = [(label, ops) for label, ops in zip(fold["labels"], fold["ops"]) if "iteration" in label]
    count, ops = BACK[lines]
    assert fold["kind"] == "iterations" and len(counted) == count
    assert counted[-1][0].startswith(f"iteration {count} of {count}") and counted[-1][1] == ops


LOOP_WITHIN = "def f(v):\n    for k in range(5): v = mg.sin(v) * 1.1\n    return v\nx = mg.Variable(1.0)"
ONCE = "y = mg.exp(x)\nfor _ in range(1): y = mg.cos(y) * 2.0 + 1.0\n" + "y = mg.sin(y)\n" * 12
CALLS = {  # of functions that run loops, generators and each other -> the names of the calls, and the ops of each
    f"{ONCE}y = f(y)": None,
    "y = deep(x, 8)": ([f"deep {k}" for k in range(1, 10)], [2] * 8 + [11]),
    "y = tree(x, 4)": (["tree 1", "tree 2", "tree 3", "tree 4"], [10, 10, 10, 10]),
    "y = x\n" + "y = one(y)\n" * 24: ([f"one {k}" for k in range(1, 25)], [1] * 24),
    "y = x\n" + "y = total(y)\n" * 4: ([f"total {k}" for k in range(1, 5)], [7] * 4),
}


@pytest.mark.parametrize("lines", CALLS)
def test_a_call_ends_where_its_function_does(lines):
    made = (
        LOOP_WITHIN
        + "\ndef one(v): return mg.tanh(v)\ndef part(v): return mg.sin(v) * 0.5\ndef total(v):\n    return part(v) + part(v * 2.0) + 1.0"
    )
    made += "\ndef tree(v, d):\n    if d == 0: return mg.sin(v)\n    v = tree(v, d - 1) * 1.1\n    return tree(v, d - 1) * 1.1"
    made += "\ndef deep(v, d):\n    h = mg.sin(v) * 1.1\n    if d: h = deep(h, d - 1)\n    return h + v"
    fold = inspected(asked_of(lines, made)).plain["fold"]
    named = (
        [(label, ops) for label, ops in zip(fold["labels"], fold["ops"]) if label[-1].isdigit()]
        if fold and fold["kind"] == "calls"
        else None
    )
    assert named == (CALLS[lines] and [*zip(*CALLS[lines])])


def test_of_pieces_that_may_each_be_skipped_no_count_is_told_as_whole():
    of = {}
    for second in ("if k % 2: y = y * 1.5", "y = y * 1.5"):
        block = f"y = x\nfor k in range(24):\n    if not k % 2: y = mg.sin(y)\n    {second}"
        of[second] = inspected(asked_of(block, "x = mg.Variable(1.0)")).plain["fold"]["labels"][-1]
    assert [*of.values()] == ["iteration 12 of 12 or more with ops", "iteration 24 of 24"]


def test_a_loop_around_the_tape_has_one_iteration_in_its_film():
    lines = "y = mg.reduce_sum([f(v) for v in x + mg.range(8.0)])"
    within = inspected("{}\nfor k in range(2):\n    {}".format(CALLED_BACK, asked_of(lines, "pass").replace("\n", "\n    ")))
    assert [label[:16] for label in within.plain["fold"]["labels"][1:9]] == [f"iteration {k} of 8" for k in range(1, 9)]


def test_the_backward_pass_begins_at_the_target_and_not_at_what_was_computed_last():
    film = inspected(asked_of("y = x * x\nother = mg.exp(x)"))
    assert ">from y<" in film.to_svg() and ">backward<" not in film.to_svg()


def test_a_question_that_raised_is_told_when_it_is_asked_about_again():
    made = "@mg.custom_gradient\ndef f(v):\n    def grad(dy): raise ValueError('no way')\n    return v * 2.0, grad\nx = mg.Variable(2.0)"
    program = asked_of("y = f(x)", made).replace("tape.gradient(y, x)", "try: tape.gradient(y, x)\nexcept ValueError: pass")
    assert inspected(program, True, "y", "x").plain["verdict"]["say"] == "The question raised ValueError: no way."


def test_a_key_with_a_slash_is_shown_whole():
    film = inspected(asked_of("y = d['a/b/c'] * 3.0", "d = {'a/b/c': mg.Variable(2.0)}", "y, d"))
    assert film.plain["verdict"]["ask"] == "dy/d(d['a/b/c'])"


def test_of_very_many_sources_and_targets_few_are_drawn_and_all_are_counted():
    film = inspected(asked_of("y = mg.stack(xs)\nys = mg.unstack(y)", "xs = [mg.Variable(float(k)) for k in range(300)]", "ys, xs"))
    view = film.plain
    assert "Of 300 sources the film shows the first 256." in view["notes"] and len(view["sources"]) == 256
    assert view["verdict"]["head"] == "d(300 targets)/d(300 sources) = 300 gradients" and len(view["verdict"]["each"]) == 256


# ---- what the backward pass, the folds and the words have said falsely ------------------------------------------------


def test_a_vjp_that_asks_a_tape_leaves_the_steps_of_the_pass_around_it():
    film = inspected(ASKS_WITHIN)
    kinds = [kind for kind, _ in steps_of(film.plain)]
    within = kinds[kinds.index("turn") :]
    assert within == ["turn", "read", "turn", "read", "read", "done", "release", "read", "read", "done", "release"], within
    check(film)


def test_of_several_questions_the_table_shows_the_last():
    block = "with mg.GradientTape(persistent=True) as tape:\n    y = mg.reduce_sum(x * x); z = mg.reduce_sum(mg.exp(x)) * y"
    film = inspected(f"x = mg.Variable([1.0, 2.0])\n{block}\ntape.gradient(z, x)\ntape.gradient(y, x)")
    cells = [row.split()[-1] for row in str(film).splitlines()[4:7]]
    assert cells == ["-", "-", "-"], "exp, its sum and the product with y are not on the way to y"


def test_a_jacobian_is_no_derivative_of_a_sum():
    film = inspected("x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape(persistent=True) as tape:\n    y = mg.tanh(x)\ntape.jacobian(y, x)")
    assert film.plain["verdict"]["say"] == "Complete. Every path is on the tape."


def test_only_iterations_can_make_a_gradient_vanish_in_a_loop():
    loop = "    for k in range(12):\n        h = h + 1.0\n        h = h - 1.0\n    out = h * 1e-4 + 1.0"
    film = inspected(f"x = mg.Variable(2.0)\nwith mg.GradientTape() as tape:\n    h = x\n{loop}\ntape.gradient(out, x)")
    assert film.plain["fold"]["kind"] == "iterations" and "vanishing" not in film.plain["verdict"]["say"]


def test_what_explain_notes_of_a_complete_gradient_is_said():
    film = inspected(
        "x = mg.Variable([1.0, 2.0, 3.0])\nwith mg.GradientTape() as tape:\n    c = x - np.mean(x); z = mg.reduce_sum(c * c)\ntape.gradient(z, x)"
    )
    assert film.plain["verdict"]["say"].startswith("Complete. A path is cut, and its slope is 0 here")


def test_a_cut_at_an_assignment_is_shown_though_the_variable_is_a_source_too():
    block = "with mg.GradientTape() as tape:\n    y = x * 3.0\n    w.assign(y * 0.5)\n    loss = w * x"
    film = inspected(f"w, x = mg.Variable(1.0), mg.Variable(2.0)\n{block}\ntape.gradient(loss, [w, x])")
    assert [(cut["code"], cut["edge"]) for cut in film.plain["cuts"]] == [("STATE", ["f1", "f2"])]


def test_zeros_in_the_place_of_none_are_said_to_be_that():
    program = "x, y = mg.Variable(1.0), mg.Variable([1.0, 2.0])\nwith mg.GradientTape() as tape:\n    z = x * x"
    film = inspected(f"{program}\ntape.gradient(z, y, unconnected_gradients='zero')")
    assert film.plain["verdict"]["say"].startswith(
        "None: independent. unconnected_gradients shows zeros in its place. y was not used since"
    )


def test_what_raised_is_not_kept_and_a_gradient_that_raised_has_no_live_path():
    raised = run(
        "W = mg.Variable([1.0, 2.0])\ntry:\n    with mg.GradientTape() as tape:\n        y = mg.square(W) @ W\nexcept Exception:\n    pass"
    )
    assert str(mg.inspect(raised["tape"])).startswith("tape inspector   1 tape: 1 kept, 0 ghosts")
    own = "@mg.custom_gradient\ndef f(x):\n    def grad(dy):\n        raise ValueError('no')\n    return x * x, grad\nx = mg.Variable(1.0)"
    space = run(f"{own}\nwith mg.GradientTape() as tape:\n    z = f(x)\ntry:\n    tape.gradient(z, x)\nexcept ValueError:\n    pass")
    assert str(mg.inspect(space["tape"])).endswith("\n paths: none live: ValueError")


def test_a_number_that_comes_in_after_another_left_is_not_that_one():
    """Of `fit`, the loss leaves to be reported, and the rows of the next batch come in: both in one call of the user."""
    space = run(
        "model = mg.keras.Sequential([mg.keras.layers.Dense(1)])\nmodel.compile('sgd', 'mse')\nmodel.fit(np.ones((8, 2)), np.ones((8, 1)), batch_size=4, epochs=1, verbose=0)\nwith mg.trace() as log:\n    model.fit(np.ones((8, 2)), np.ones((8, 1)), batch_size=4, epochs=2, verbose=0)"
    )
    history = History(space["log"], last_tape(space["log"], {}), [space["model"].trainable_variables[0].value.id])
    rows = [e for e in space["log"].events if isinstance(e, EnteredEngine) and e.kind == "i"]
    assert rows and not any(history.came_back(e) for e in rows)


LISTED = {
    "mg.concat([a, b], 0)": ["the part of upstream that is a", "the part of upstream that is b"],
    "mg.einsum('i,i->', a, b)": [
        "einsum of upstream with the other inputs, to the axes of a",
        "einsum of upstream with the other inputs, to the axes of b",
    ],
    "mg.dynamic_stitch([i, j], [a, b])": ["upstream[i]", "upstream[j]"],
    "mg.sort(a) * b": ["upstream, each element back in its place", "upstream * b", "upstream * sort"],
}


@pytest.mark.parametrize("text", LISTED)
def test_a_formula_names_the_inputs_of_a_list_one_by_one(text):
    given = "a, b, i, j = mg.Variable([3.0, 1.0]), mg.Variable([2.0, 4.0]), mg.constant([0, 2]), mg.constant([1, 3])"
    film = inspected(f"{given}\nwith mg.GradientTape() as tape:\n    y = {text}\ntape.gradient(y, [a, b])")
    assert [one["text"] for col in film.plain["cols"].values() for one in col.get("math", ())] == LISTED[text]


def test_a_jacobian_in_several_passes_is_shown_as_one_pass_with_all_rows():
    block = "with mg.GradientTape() as tape:\n    tape.watch(x)\n    y = x**2 * mg.reduce_sum(x, 1, keepdims=True)"
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    view = inspected(f"x = mg.constant({x.tolist()})\n{block}\nJ = tape.batch_jacobian(y, x)").plain
    each = np.stack([np.diag(2 * row * row.sum()) + np.outer(row**2, [1.0, 1.0]) for row in x])  # for each example, by hand
    sent = [view["arrays"][k] for wire in view["wires"].values() if wire["from"] == "s0" for _, _, k, _ in wire["sent"]]
    assert {(*one["shape"],) for one in sent} == {(2, 3, 2)} and len(sent) == 2
    assert sum(np.array(one["picture"]["v"]) for one in sent).tolist() == each.transpose(1, 0, 2).ravel().tolist()
    answer = view["arrays"][view["readings"][0]["answers"]["s0"]]
    assert (answer["shape"], answer["picture"]["v"]) == ([3, 2, 2], each.ravel().tolist())


def test_a_row_of_a_jacobian_that_a_gradient_does_not_reach_is_zero():
    view = jacobian_of("mg.stack([mg.sin(x[0]), x[1] * x[0], x[1]])", [1.0, 2.0])
    (sin,) = [key for key, col in view["cols"].items() if col.get("op") == "sin"]
    sent = [view["arrays"][k]["picture"]["v"] for _, _, k, _ in view["wires"][f"{sin}.0"]["sent"]]
    assert [[round(one, 4) for one in v] for v in sent] == [[0.5403, 0.0, 0.0]]
    assert (
        view["verdict"]["status"] == "complete" and len({step for key in view["wires"] for _, step, *_ in view["wires"][key]["sent"]}) == 7
    )


def jacobian_of(y, x):
    block = f"with mg.GradientTape() as tape:\n    y = {y}\nJ = tape.jacobian(y, x)"
    return inspected(f"x = mg.Variable({x})\n{block}").plain


@pytest.mark.parametrize("noted", [False, True])
def test_the_pass_that_a_jacobian_gave_up_is_not_shown(noted, monkeypatch):
    if noted:
        monkeypatch.setattr("minigrad.tracing.log.LARGE_PASS", 0)
    view = jacobian_of("x**2 * mg.reduce_sum(x)", [1.0, 2.0, 3.0])
    sent = [view["arrays"][one]["picture"]["v"] for _, _, one, _ in view["wires"]["f2.0"]["sent"]]
    assert sent == [[6.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 6.0]]


def test_the_passes_of_a_jacobian_of_a_single_op_are_told_apart():
    view = jacobian_of("mg.reduce_sum(x, 1)", [[1.0, 2.0], [3.0, 4.0]])
    assert [(at, view["arrays"][k]["shape"]) for _, at, k, _ in view["wires"]["f0.0"]["sent"]] == [(2, [2, 2, 2])]


def test_of_a_jacobian_whose_arrays_are_gone_no_pass_is_shown(monkeypatch):
    for name in ("log.LARGE_PASS", "values.PAGE", "values.MOST_HELD"):
        monkeypatch.setattr(f"minigrad.tracing.{name}", 0)
    view = jacobian_of("mg.stack([x[0] * mg.reduce_sum(x), mg.reduce_sum(mg.sin(x))])", [1.0] * 300)
    assert not any(wire["sent"] for wire in view["wires"].values()) and not view["readings"][0]["heard"]


def test_a_jacobian_needs_all_arrays_to_its_end():
    several, one = jacobian_of("x**2 * mg.reduce_sum(x)", [1.0, 2.0, 3.0]), jacobian_of("mg.exp(mg.sin(x))", [1.0, 2.0])
    for view, kept in ((several, [16, 16, -32]), (one, [8, 8, -16])):
        changes, kinds = view["memory"]["changes"], [kind for kind, *_ in steps_of(view)]
        assert [*filter(None, changes)] == kept and changes[kinds.index("done")] == kept[-1]


def test_a_view_keeps_all_of_the_array_that_it_looks_at():
    several = "h = mg.tanh(a); f = mg.reshape(h, [-1]); t = mg.transpose(h); y = mg.reduce_sum(f * f) + mg.reduce_sum(t * t)"
    few = "s = (a * 2.0)[:2]; y = mg.reduce_sum(s * s)"
    one = "b = mg.broadcast_to(a[0, 0], (300, 300)); y = mg.reduce_sum(b * b)"
    for block, kept in ((several, 360_000), (few, 360_004), (one, 4)):
        film = inspected(f"a = mg.Variable(mg.ones((300, 300)))\nwith mg.GradientTape(persistent=True) as tape:\n    {block}")
        assert film.plain["memory"]["peak"] == kept, block


def test_what_a_used_up_tape_kept_is_not_known_without_a_log():
    film = inspected("x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape() as tape:\n    y = x**3\ntape.gradient(y, x)", traced=False)
    assert (film.plain["memory"]["peak"], film.plain["memory"]["why"]) == (0, "")


def test_what_a_film_leaves_out_was_kept_too(monkeypatch):
    block = "with mg.GradientTape() as tape:\n    y = x\n    for k in range(300):\n        y = mg.sin(y)"
    program = f"x = mg.Variable(0.5)\n{block}\n"
    monkeypatch.setattr("minigrad.inspector.model.LIMIT", 100)
    for traced in (False, True):
        assert inspected(program, traced, "y", "x").plain["memory"]["peak"] == 1200
    memory = inspected(f"{program}tape.gradient(y, x)").plain["memory"]
    assert (memory["peak"], memory["why"], sum(memory["changes"])) == (1200, "", 0)
    monkeypatch.setattr("minigrad.tracing.log.LARGE_PASS", 0)
    assert inspected(f"{program}tape.gradient(y, x)").plain["memory"]["why"].startswith("without what was recorded earlier")


# loop, and where the film is divided: [first frame of each unit], the names of the first, the second and the last unit
LOOPS = {
    "before": ("h = f(x)\nfor k in range(12):\n    h = h * 2.0\n    h = f(h)", [0, *range(1, 25, 2)], ["tanh", "iteration 1 of 12", "iteration 12 of 12"]),
    "called first": ("h = x\nfor k in range(12):\n    h = f(h)\n    h = h * 2.0", [*range(0, 24, 2)], ["iteration 1 of 12", "iteration 2 of 12", "iteration 12 of 12"]),
    "irregular": ("h = x\nfor k in range(12):\n    if k % 5:\n        h = h * 2.0\n    h = mg.sin(h)\n    h = h + 0.5",
                  [0, 2, 5, 8, 11, 14, 16, 19, 22, 25, 28, 30], ["iteration 1 of 12", "iteration 2 of 12", "iteration 12 of 12"]),
    "broken off": ("h = x\nfor k in range(12):\n    h = h * 2.0\n    if k == 11: break\n    h = mg.sin(h)", [*range(0, 24, 2)],
                   ["iteration 1 of 12", "iteration 2 of 12", "iteration 12 of 12"]),
    "one call": ("h = mg.stack([x, x])\nfor k in range(12):\n    h = mg.linalg.matvec(W, h)", [0, *range(1, 37, 3)], ["h", "iteration 1 of 12", "iteration 12 of 12"]),
    "while": ("h = x\nwhile h < 1000.0:\n    h = h * 1.5\n    h = h + 1.0", None, ["iteration 1 of 15", "iteration 2 of 15", "iteration 15 of 15"]),
    "calls": ("h = x\nfor k in range(12):\n    h = cell(h, k * 1.0)", [*range(0, 36, 3)], ["iteration 1 of 12", "iteration 2 of 12", "iteration 12 of 12"]),
    "a call alone": ("h = f(x)\nfor k in range(12):\n    if k % 5:\n        h = h * 2.0\n    h = f(h)", [0, 1, *range(2, 10, 2), 10, *range(11, 19, 2), 19, 20],
                     ["tanh", "iteration 1 of 12", "iteration 12 of 12"]),
    "epochs": ("h = run(x)\nfor epoch in range(3):\n    h = run(h)\n    h = h * 2.0", [*range(8), 8, 17, 26], ["iteration 1 of 8", "iteration 2 of 8", "iteration 3 of 3"]),
    "several ops in one call": ("h = mg.stack([[x, x]])\nfor k in range(12):\n    h = mg.tensordot(h, W, 1)\n    h = h + 1.0", None, ["h", "iteration 1 of 12", "iteration 12 of 12"]),
    "comprehension": ("h = mg.add_n([mg.sin(x * (k * 1.0)) for k in range(12)])", [*range(0, 25, 2)], ["iteration 1 of 12", "iteration 2 of 12", "h"]),
    "in a function": ("h = x\nfor k in range(3):\n    h = run(h)\n    h = h * 2.0", None, ["iteration 1 of 3", "iteration 2 of 3", "iteration 3 of 3"]),
    "long": ("h = x\nfor k in range(4):\n" + "    h = mg.sin(h)\n    h = h + 0.5\n" * 600, [0, 1200, 2400, 3600], ["iteration 1 of 4", "iteration 2 of 4", "iteration 4 of 4"]),
}  # fmt: skip
CALLED = """
def f(t):
    return mg.tanh(t)
def cell(h, t):
    z = mg.sigmoid(h + t)
    return z * h
def run(h):
    for k in range(8):
        h = mg.sin(h)
    return h
W = mg.constant([[0.5, 0.1], [0.2, 0.4]])
"""


@pytest.mark.parametrize("what", LOOPS)
def test_an_iteration_begins_where_the_program_goes_back(what):
    loop, first, labels = LOOPS[what]
    block = loop.replace("\n", "\n    ")
    film = inspected(f"{CALLED}x = mg.Variable(0.3)\nwith mg.GradientTape() as tape:\n    {block}\ng = tape.gradient(h, x)")
    fold = film.plain["fold"]
    assert first is None or fold["first"] == first
    assert [fold["labels"][0], fold["labels"][1], fold["labels"][-1]] == labels


BRANCHES = {  # the body of a loop of 30 iterations, in each of which an op runs
    "two": "if k % 2: h = h * x\nelse: h = mg.sin(h)",
    "three": "if k % 3 == 0: h = h * x\nelif k % 3 == 1: h = mg.sin(h)\nelse: h = mg.cos(h)",
    "one more op": "h = mg.sin(h)\nif k % 2: h = h * x",
    "continue": "if k % 2:\n    h = mg.sin(h)\n    continue\nh = h * x",
    "an expression": "h = mg.sin(h) if k % 2 else mg.cos(h)",
    "before the op": "try:\n    if k % 2: raise ValueError\n    h = mg.sin(h)\nexcept ValueError:\n    h = h * x",
    "after the op": "try:\n    h = mg.sin(h)\n    if k % 2: raise ValueError\nexcept ValueError:\n    h = h * x",
    "a call that raises": "try: h = failing(h, k)\nexcept ValueError: h = h * x",
    "in a function": "h = either(h, k)",
    "cond": "h = mg.cond(k % 2 == 0, lambda: h * x, lambda: mg.sin(h))",
    "functions": "h = [mg.sin, mg.cos, mg.tanh][k % 3](h)",
    "functions of several ops": "h = [mg.sin, mg.nn.softplus, mg.nn.swish][k % 3](h)",
    "functions of the user": "h = [f, one][k % 2](h)",
    "an inner loop": "for n in range(k % 3): h = mg.sin(h)\nh = h * x",
    "an inner loop last": "h = h * x\nfor n in range(k % 3):\n    if n: h = mg.sin(h)\n    else: h = mg.cos(h)",
}
BRANCHING = f"""{CALLED}
def either(h, k):
    if k % 2: return mg.sin(h)
    return h * 0.9
def failing(h, k):
    h = mg.sin(h)
    if k % 2: raise ValueError
    return h
def one(h):
    return h + 1.0
x = mg.Variable(0.9)
with mg.GradientTape() as tape:
    h, k = x, -1
"""


@pytest.mark.variants
@pytest.mark.parametrize("loop", ["for k in range(30):", "while k < 29:\n    k += 1"])
@pytest.mark.parametrize("what", BRANCHES)
def test_iterations_are_counted_whichever_branch_each_of_them_takes(what, loop):
    body = BRANCHES[what].replace("\n", "\n    ")
    block = f"{loop}\n    {body}".replace("\n", "\n    ")
    fold = inspected(f"{BRANCHING}    {block}\ng = tape.gradient(h, x)").plain["fold"]
    assert fold["labels"] == [f"iteration {n} of 30" for n in range(1, 31)]


@pytest.mark.parametrize("call", [
    "mg.foldl(lambda a, t: mg.sin(a * t) + 0.1, mg.ones(3), h)",
    "mg.while_loop(lambda n, h: n < 3, lambda n, h: (n + 1, mg.sin(h)), [mg.constant(0), h])[1]",
])  # fmt: skip
def test_what_a_library_repeats_is_no_iteration_of_the_user(call):
    fold = inspected(f"{BRANCHING}    for k in range(30): h = {call}\ng = tape.gradient(h, x)").plain["fold"]
    assert fold["labels"] == [f"iteration {n} of 30" for n in range(1, 31)]


def test_a_film_that_is_no_longer_than_one_unit_is_not_folded():
    film = inspected(
        "x = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    y = x\n" + "    y = mg.sin(y)\n" * 22 + "tape.gradient(y, x)"
    )
    assert film.plain["fold"] is None and len(film.plain["cols"]) == 23


def test_a_page_opens_on_a_unit_that_is_saved_in_it():
    body = "def body(h):\n" + "    h = mg.sin(h)\n" * 500 + "    return h\n"
    film = inspected(f"{body}x = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    y = body(body(body(x) * 2.0))\ntape.gradient(y, x)")
    assert str(film.plain["fold"]["open"]) in film.plain["strips"]


def test_sizes_are_never_negative():
    film = inspected(
        "x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape() as tape:\n    z = x\n"
        + "    z = mg.sin(z)\n" * 30
        + "    z = -mg.reduce_sum(z)\ntape.gradient(z, x)"
    )
    above = film.plain["fold"]["above"]
    assert above["name"].startswith("|") and above["numbers"][-1] == pytest.approx(
        abs(float(film.models[0].film.frames[-1].value.kept)), rel=1e-3
    )


def test_a_weight_has_one_name_in_a_film():
    model = "model = mg.keras.Sequential([mg.keras.layers.Dense(2)])\nx = mg.ones((1, 3))\nmodel(x)"
    block = "with mg.GradientTape() as tape:\n    loss = mg.reduce_sum(model(x))\ngs = tape.gradient(loss, model.trainable_variables)"
    film = inspected(f"{model}\n{block}\nfor v, g in zip(model.trainable_variables, gs):\n    v.assign_sub(g)")
    names = {one["name"] for one in film.plain["sources"]}
    assert names == {"dense/kernel", "dense/bias"} or all(name.split("/")[-1] in ("kernel", "bias") for name in names)
    assert {one["name"] for col in film.plain["cols"].values() for one in col.get("math", ())} & {"v", "g"} == set()


def test_ops_have_the_names_that_users_call_them_by():
    known = {name for space in (mg, mg.math, mg.nn, mg.linalg, mg.image, mg.random, mg.debugging) for name in dir(space)}
    ours = {op.__name__ for op in MADE if any(op.vjps.values()) and f"{op.__module__}".startswith("minigrad.") and op.__name__[0] != "_"}
    within = {  # which only other ops and VJPs call
        "avg_pool_gradient", "gamma_slope", "kernel_gradient", "max_pool_chosen", "max_pool_gradient", "mirror_pad_grad", "scatter_rows",
        "stateless_shuffle", "stepped", "strided_slice_grad",
    }  # fmt: skip
    assert {name for name in ours if public_name(name) not in known} <= {"getitem", "read_value", *within}
    assert public_name("product") == "matmul" and public_name("sin") == "sin"


def test_functions_that_numpy_does_not_have_are_told_in_the_program():
    film = inspected("x = mg.Variable([1.0, 3.0])\nwith mg.GradientTape() as tape:\n    y = mg.math.erfc(x)\ntape.gradient(y, x)")
    assert film.written.startswith("# minigrad's, not NumPy's: erfc\ndef run(")


def test_a_film_of_an_integer_source_warns_of_nothing(caplog):
    inspected("x, n = mg.Variable(2.0), mg.Variable(3)\nwith mg.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, [x, n])")
    asked = len(caplog.records)
    inspected("x, n = mg.Variable(2.0), mg.Variable(3)\nwith mg.GradientTape() as tape:\n    y = x * x\ng = tape.gradient(y, x)")
    assert len(caplog.records) == asked <= 1


def test_how_often_a_tape_was_asked_is_said_where_not_all_is_shown():
    film = inspected("x = mg.Variable(2.0)\nwith mg.GradientTape(persistent=True) as tape:\n    y = x * x\n" + "tape.gradient(y, x)\n" * 6)
    assert "This tape was asked 6 times; the film shows 4." in film.plain["notes"]


def test_the_title_of_a_page_is_text():
    layer = "layer = mg.keras.layers.Dense(1, name='<b>')\nx = mg.ones((1, 2))\nlayer(x)"
    film = inspected(f"{layer}\nwith mg.GradientTape() as tape:\n    y = layer(x)\ntape.gradient(y, layer.kernel)")
    head = film.plain["verdict"]["head"]
    assert "<b>" in head and f"<title>{html.escape(head)}</title>" in film.to_html()


LEFT = {  # what happens with a value that left -> the rows of the table, and the inputs of each column
    "s = x.numpy()\ny = x * s + s": ("numpy 2.0, multiply 4.0, add 6.0", "s0, s0 f0, f1 f0", "3.0"),
    "s = float(x)\ny = x * s + s": ("numpy 2.0, multiply 4.0, add 6.0", "s0, s0 f0, f1 f0", "3.0"),
    "s = x.numpy()\na = mg.negative(s)\nb = mg.square(s)\ny = x + a + b": ("numpy 2.0, negative -2.0, square 4.0, add 0.0, add 4.0", "s0, f0, f0, s0 f1, f3 f2", "3.0"),
    "s = float(x)\ny = x + s * s": ("numpy 2.0, add 6.0", "s0, s0 f0", None),
    "m = np.mean(x.numpy())\ny = (x - m) ** 2 + m": ("numpy 2.0, subtract 0.0, pow 0.0, add 2.0", "s0, s0 f0, f1, f2 f0", "1.0"),
}  # fmt: skip


@pytest.mark.parametrize("lines", LEFT)
def test_every_use_of_a_value_that_left_hangs_on_its_exit(lines):
    rows, inputs, lost = LEFT[lines]
    view = inspected(asked_of(lines, "x = mg.Variable(2.0)")).plain
    columns = [col for col in view["cols"].values() if col["id"][0] == "f"]
    assert ", ".join(f"{col['op']} {view['arrays'][col['value']]['text']}" for col in columns) == rows
    starts = [[wire["from"] for wire in view["wires"].values() if wire["to"] == col["id"]] for col in columns]
    assert ", ".join(map(" ".join, starts)) == inputs and not any(one.startswith("d") for one in view["cols"])
    assert [cut["edge"] for cut in view["cuts"]] == [["s0", "f0"]] and view["verdict"]["lost"] == lost


def test_a_number_made_of_a_value_that_left_is_not_called_like_that_value():
    view = inspected(asked_of("s = float(x)\ny = x * (s * s)", "x = mg.Variable(2.0)")).plain
    assert [one["text"] for one in view["cols"]["f1"]["args"]] == ["x", "4.0"] and view["wires"]["f1.1"]["from"] == "f0"


# ---- what raised, and what was refused -----------------------------------------------------------------------------------


RAISES = """
@mg.custom_gradient
def bad(v):
    def grad(dy): raise ValueError("no idea")
    return v * 2.0, grad
"""


@pytest.mark.parametrize(
    ("block", "sources", "raised", "sums"),
    [
        ("y = mg.reduce_sum(bad(x) * x)", "x", "custom_gradient", [[2.0, 4.0]]),
        ("y = bad(x)", "x", "custom_gradient", []),
        ("y = mg.reduce_sum(bad(x) * c)", "x", "custom_gradient", []),
        ("y = mg.reduce_sum((bad(c) + x) * c)", "[x, c]", "custom_gradient", [[1.0, 3.0]]),
        ("y = mg.reduce_sum(c * mg.image.adjust_contrast(x[None, None], 0.5))", "x", "adjust_contrast", []),
    ],
)
def test_a_backward_pass_that_raised_says_where_and_shows_no_finished_gradient(block, sources, raised, sums):
    made = f"{RAISES}x, c = mg.Variable([1.0, 2.0]), mg.Variable([1.0, 3.0])"
    asked = f"try: tape.gradient(y, {sources})\nexcept Exception: pass"
    film = inspected(asked_of(block, made).replace("tape.gradient(y, x)", asked))
    view, reading = film.plain, film.plain["readings"][0]
    check(film)
    assert view["cols"][reading["raised"]]["op"] == raised and reading["answers"] == {}
    (row,) = [line for line in str(film).splitlines() if f" {raised} " in line and " raised " in line]
    assert row.endswith(f"raised {reading['error'].partition(':')[0]}")
    slopes = view["cols"]["s0"]["slopes"]
    assert [view["arrays"][k]["picture"]["v"] for _, _, k in slopes[:-1]] == sums and all(k is None for _, _, k in slopes[-1:])
    assert ("incomplete<" in film.to_svg()) == bool(slopes) and ">None<" not in film.to_svg()


REFUSED = {
    "tape.gradient(y, x, output_gradients=mg.ones(3))": "The question raised InvalidArgumentError: Incompatible shapes: [3] vs. [2] ",
    "tape.gradient(y, x, unconnected_gradients='bogus')": "No gradient was computed.",
    "tape.jacobian(y, [None])": "No gradient was computed.",
}


@pytest.mark.parametrize("asked", REFUSED)
def test_of_a_question_that_was_refused_it_is_not_said_that_there_was_none(asked):
    program = f"x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape() as tape:\n    y = x * x\ntry: {asked}\nexcept Exception: pass"
    view = inspected(program).plain
    assert view["verdict"]["say"].startswith(REFUSED[asked]) and not any("raised" in one for one in view["readings"])


def test_a_question_to_a_used_up_tape_is_told_about_a_target_too():
    block = "with mg.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)\ntry: tape.gradient(y, x)\nexcept RuntimeError: pass"
    film = inspected(f"x = mg.Variable(3.0)\n{block}", target="y", sources="x")
    assert "raised RuntimeError" in film.plain["notes"][-1] and film.plain["verdict"]["answer"] == "6.0"


def test_an_op_that_raised_within_another_has_the_name_and_not_the_one_before_it():
    block = "try: y = mg.matmul(x, mg.ones((5, 2)), transpose_b=True)\n    except Exception: pass"
    made = "x = mg.Variable(mg.ones((2, 3)))\nwith mg.GradientTape() as tape:\n"
    film = inspected(f"{made}    {block}\n    {block.replace('5, 2', '5, 3')}")
    assert [(frame.op, film.models[0].frame_name(k)) for k, frame in enumerate(film.models[0].film.frames)] == [
        ("transpose", None), ("matmul", None), ("transpose", None), ("matmul", "y"),
    ]  # fmt: skip
    assert str(film).splitlines()[-1].startswith(" matmul raised InvalidArgumentError: Matrix size-incompatible")


# ---- the picture shows all of a thing or none of it ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "wide", "texts"),
    [
        ([0.001694, 0.007444, 0.01624], 24, []),
        ([0.0521, -0.109, 0.161], 38, ["0.0521", "-0.109", "0.161"]),
        ([0.0521, -0.109, 0.161], 30, []),
        ([2**53 + 1, -(2**63) + 1, 7], 90, []),
        ([1.0, 2.0, 3.0], 32, ["1.0", "2.0", "3.0"]),
        ([0.161], 20, ["[0.161]"]),
    ],
)
def test_of_a_vector_the_picture_shows_each_number_or_bars(numbers, wide, texts):
    canvas = pictures.Canvas()
    pictures.array(canvas, shown(Summary.of(np.array(numbers))), 0, 0, wide, 40, "#000")
    drawn = [mark for mark in canvas.marks if mark[0] == "text"]
    assert [mark[3] for mark in drawn if "norm" not in mark[3]] == texts
    assert len({mark[4] for mark in drawn}) <= 1 and (texts or len([mark for mark in canvas.marks if mark[0] == "path"]) == 4)


def test_of_complex_numbers_without_room_no_picture_is_drawn():
    canvas = pictures.Canvas()
    pictures.array(canvas, shown(Summary.of(np.array([1 + 2j, 3.5 - 4j]))), 0, 0, 20, 40, "#000")
    assert canvas.marks == []


def test_what_is_not_finite_is_a_cross_between_the_bars():
    canvas = pictures.Canvas()
    pictures.array(canvas, shown(Summary.of(np.array([1.0, math.inf, math.nan, 0.0, 2.0]))), 0, 0, 100, 60, "#000")
    assert sum(mark[0] == "path" and None in mark[1] for mark in canvas.marks) == 2


@pytest.mark.parametrize(("text", "room", "cut"), [("+ 0.97", 25, "+…"), ("cross entropy", 50, "cross…"), ("derivative", 30, "deriv…")])
def test_a_label_is_cut_after_a_word(text, room, cut):
    canvas = pictures.Canvas()
    canvas.text(0, 0, text, 12, room=room)
    assert [mark[3] for mark in canvas.marks] == [cut]


def test_why_an_op_is_a_ghost_stands_on_several_lines_where_it_is_narrow():
    block = "h = x * 1.25\nfor k in range(15): h = h * 0.97\ny = mg.reduce_sum(h)\nn = mg.argmax(h)"
    texts = re.findall(r">([^<>]+)</text>", inspected(asked_of(block)).to_svg())
    assert texts[texts.index("no") + 1] == "deriva…"


def test_an_op_that_raised_has_its_shapes_and_a_tear_in_the_picture():
    svg = inspected(CRASH.format(op="@")).to_svg()
    assert all(f">{text}<" in svg for text in ("(2, 4)", "(3, 2)", "4 ≠ 3")) and "raised InvalidArgumentError" in svg
    assert len(re.findall(r'stroke="#b3003c" stroke-width="1.5"', svg)) == 2, "a ring around each length"
    assert len(re.findall(r'stroke="#b3003c" stroke-width="1.8"', svg)) == 1, "a tear"


def test_what_is_lost_has_its_number_in_the_picture():
    svg = inspected(asked_of("y = x * x.numpy()", "x = mg.Variable(3.0)")).to_svg()
    assert "Lost: 3.0 of 6.0." in svg


def test_a_value_without_a_name_is_named_after_a_long_way_without_names():
    film = inspected(
        "import functools\nx = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = functools.reduce(lambda a, _: a * x, range(1500), x)\ntape.gradient(y, x)"
    )
    (model,) = film.models
    made = [frame.outputs[0] for frame in model.film.frames]
    assert [model.name(one) for one in made[:6]] == ["x·x", "x·x·x", "x·x·x·x", "x·x·x·x·x", "x·x·x·x·x·x", "multiply"]
    assert model.name(made[-2]).startswith("multiply")
