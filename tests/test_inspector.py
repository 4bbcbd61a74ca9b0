"""The inspector: its table, its view model and what leaves the notebook."""

import base64
import contextlib
import hashlib
import importlib.util
import json
import linecache
import math
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.inspector.film import read_again
from minigrad.inspector.folds import loops
from minigrad.inspector.html import FRONT, PARTS
from minigrad.inspector.layout import layout
from minigrad.inspector.picture import png
from minigrad.inspector.summary import bytes_text, number_text, shown
from minigrad.tracing.log import trace_of


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
FIXED = BROKEN.replace("np.mean", "mg.reduce_mean")
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
    assert "live 6.0" in str(space["film"])
    assert len(trace_of(space["tape"]).events) == 5  # the number came, the Variable was made; opened, multiplied, closed
    assert float(space["tape"].gradient(space["y"], space["x"])) == 6.0
    assert "live 6.0" in str(space["film"])


def test_two_films_stand_beside_each_other():
    space = run(f"{BROKEN}\nbroken = tape\n{FIXED}\nfilm = mg.inspect(broken, tape)")
    text = str(space["film"])
    assert text.startswith("as written\ntape inspector   1 tape: 1 kept, 2 ghosts")
    assert "\nfixed\ntape inspector   1 tape: 3 kept, 0 ghosts" in text
    view = space["film"].view
    assert [one["verdict"]["answer"] for one in view["compare"]] == ["None", "[0.5 1.0 1.5 2.0]"]
    assert view["frames"] == [[0, 0], [1, 1], [2, 2]]
    assert text.endswith("the lines that differ\n  - y = np.mean(x2, axis=0)\n  + y = mg.reduce_mean(x2, axis=0)")


def test_films_of_one_cell_each_are_aligned_by_their_lines():
    space = {**run(BROKEN), "mg": mg}
    broken = space["tape"]
    fixed = run(FIXED.replace("    x2 = x ** 2\n", "    x2 = x ** 2\n    x3 = x2 + 1.0\n"))["tape"]
    view = mg.inspect(broken, fixed).view
    assert view["frames"] == [[0, 0], [None, 1], [1, 2], [2, 3]]


def test_a_long_chain_of_values_without_a_name_can_be_shown():
    space = run(
        "x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    for k in range(3000):\n        x = x * 1.0001\n"
        + "kept = {'tape': tape}"
    )
    assert "3000 kept" in str(eval("mg.inspect(kept['tape'])", {**space, "x": None}))


# ---- tapes in every state ----------------------------------------------------------------------------------------------

STATES = {
    "empty": ("x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    pass", "This tape is empty."),
    "never entered": ("tape = mg.GradientTape()", "This tape was never entered."),
    "not asked": ("x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x", "Nothing was asked of this tape yet."),
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
    view = inspected(program, traced=False).view
    assert 0 < view["count"] <= 30
    assert "forgotten its first events" in " ".join(view["notes"])


def test_other_things_are_refused_in_words():
    with pytest.raises(TypeError, match="takes a GradientTape, or the log of a trace"):
        mg.inspect(3.0)


def test_an_op_without_a_gradient_is_an_error_in_the_film():
    block = "with mg.GradientTape(persistent=True) as tape:\n    y = mg.image.adjust_contrast(image, 0.1)"
    film = inspected(f"image = mg.Variable([[[0.5, 0.0, 0.0]]])\n{block}", target="y", sources="image")
    assert film.view["readings"][0]["error"].startswith("LookupError: gradient registry has no entry for")
    assert film.view["steps"][-1] == ["error", 0]


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


def check(film):
    """What holds for every view model."""
    view = film.view
    json.dumps(view, allow_nan=False)
    frames = {frame["id"] for frame in view["frames"]}
    assert len(view["steps"]) == len(view["bytes"])
    assert min(view["bytes"], default=0) >= 0
    assert view["peak"] == max(view["bytes"], default=0)
    done, read = set(), {}
    for kind, *rest in view["steps"]:
        if kind in ("write", "ghost"):
            assert rest[0] == len(done)  # in the order of time
            done.add(rest[0])
        elif kind == "read":
            read.setdefault(rest[0], []).append(rest[1])
    assert len(done) == view["count"]
    for reading in view["readings"]:
        steps = read.get(reading["id"], [])
        assert steps == sorted(set(steps), reverse=True)  # each frame once, from the last to the first
        under = [one["frame"] for one in reading["reads"]]
        assert set(under) <= frames.intersection(steps) and under == sorted(under, reverse=True)
    used = {node for frame in view["frames"] for node in frame["in"] if node[0] == "s"}
    assert used <= {source["id"] for source in view["sources"]}
    places = [tuple(place) for place in view["graph"]["nodes"].values()]
    assert len(set(places)) == len(places)
    for edge in view["graph"]["edges"]:
        assert view["graph"]["nodes"][edge["from"]][0] < view["graph"]["nodes"][edge["to"]][0]
    for line in [frame["line"] for frame in view["frames"]]:
        assert line is None or line in [one["n"] for one in view["code"]]


PROGRAMS = [HALF, LATE, STALE, BRANCH, BROKEN, FIXED, TWICE, NETWORK, LOOP.format(turns=4), LOOP.format(turns=50)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_view_model_holds_together(program):
    check(inspected(program))
    check(inspected(program, traced=False))


def test_upstream_times_local_is_product_and_products_add_up():
    view = inspected("x = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x\ng = tape.gradient(y, x)").view
    last, first = view["readings"][0]["reads"][0]["parts"]
    assert [part["slot"] for part in (last, first)] == [1, 0]
    assert (first["local"]["text"], first["local"]["value"]["text"], first["product"]["text"]) == ("x", "3.0", "3.0")
    assert (last["total"]["text"], first["total"]["text"]) == ("3.0", "6.0")
    assert first["local"]["rule"] == "dz -> dz * y"


def test_a_variable_that_is_read_by_hand_is_the_source_itself():
    block = "with mg.GradientTape() as tape:\n    y = x.read_value() * x.value()"
    film = inspected(f"x = mg.Variable(3.0)\n{block}\ng = tape.gradient(y, x)")
    (frame,) = film.view["frames"]
    assert frame["in"] == ["s0", "s0"]
    assert [part["total"]["text"] for part in film.view["readings"][0]["reads"][0]["parts"]] == ["3.0", "6.0"]
    assert "3.0 + 3.0" in str(film)


def test_a_rule_that_is_no_product_is_shown_as_it_is_written():
    view = inspected(NETWORK).view
    parts = {view["frames"][read["frame"]]["op"]: read["parts"][-1] for read in view["readings"][0]["reads"]}
    assert parts["matmul"]["local"]["value"] is None
    assert "mT" in parts["matmul"]["local"]["text"]


def test_memory_falls_as_a_tape_is_read_and_stays_if_it_is_persistent():
    program = "x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape() as tape:\n    y = mg.exp(mg.sin(x))\ng = tape.gradient(y, x)"
    assert inspected(program).view["bytes"] == [8, 16, 16, 8, 0, 0, 0]
    often = inspected(program.replace("Tape()", "Tape(persistent=True)")).view
    assert often["bytes"] == [8, 16, 16, 16, 16, 16]
    assert [frame["keeps"][0]["what"] for frame in often["frames"]] == ["x", "y"]  # sin keeps its input, exp its output


def test_an_array_that_is_kept_twice_counts_once():
    block = "with mg.GradientTape() as tape:\n    y = mg.sin(x) + mg.cos(x) + x * x"
    assert inspected(f"x = mg.Variable([1.0, 2.0])\n{block}\ng = tape.gradient(y, x)").view["peak"] == 8


def test_what_a_reading_ran_is_marked_as_its_work():
    view = inspected(TWICE).view
    assert [tape["name"] for tape in view["tapes"]] == ["tape", "inner"]
    assert [tape["outer"] for tape in view["tapes"]] == [None, "t1"]
    assert [frame["by"] for frame in view["frames"]] == [None, None, 1, 1, 0, 0, 0, 0]
    assert view["frames"][0]["tapes"] == ["t1", "t2"]
    assert view["verdict"]["answer"] == "18.0"


def test_a_cut_has_its_sentence_its_fix_and_its_line():
    view = inspected(BROKEN).view
    (cut,) = view["cuts"]
    assert (cut["edge"], cut["line"], cut["code"], cut["whole"]) == (["f0", "f1"], 4, "LEFT_ENGINE", True)
    assert cut["fix"]["code"] == "y = mg.reduce_mean(x2, axis=0)"
    assert cut["say"].startswith("np.mean(x2, axis=0)")
    assert ["cut", 0] in view["steps"]


def test_a_healthy_film_has_no_cuts_and_no_ghost_on_the_way():
    for program in (FIXED, TWICE, NETWORK, LOOP.format(turns=50)):
        view = inspected(program).view
        assert view["cuts"] == []
        assert not any(frame["ghost"] and frame["ghost"]["on_way"] for frame in view["frames"])


def test_the_verdict_of_an_old_tape_is_stale():
    said = "Stale. x was assigned after this tape read it."
    for film in (inspected(STALE), inspected(STALE, target="y", sources="x")):
        verdict = film.view["verdict"]
        assert (verdict["status"], verdict["answer"], verdict["say"]) == ("stale", "6.0", said)
        assert verdict["fix"]["text"] == "compute y on a new tape after each assignment"
    two = STALE.replace("y = x * x", "y = x * x * v").replace("second = tape.gradient(y, x)", "second = tape.gradient(y, [v, x])")
    verdict = inspected(f"v = mg.Variable(2.0)\n{two}").view["verdict"]
    assert verdict["status"] == "stale"
    assert [one["status"] for one in verdict["each"]] == ["complete", "stale"]


def test_a_tape_that_was_asked_before_the_assignment_is_not_stale():
    program = HALF.replace("x.numpy()", "x") + "x.assign(2.0)"
    assert inspected(program).view["verdict"]["status"] == "complete"


def test_ghosts_say_why_in_words():
    ghosts = [frame["ghost"] for frame in inspected(NETWORK).view["frames"] if frame["ghost"]]
    assert [ghost["why"] for ghost in ghosts] == ["no derivative", "no floats", "nothing watched"]
    assert all(ghost["say"].endswith(".") for ghost in ghosts)


# ---- size, time, and what is never sent --------------------------------------------------------------------------------


def test_ten_thousand_ops_are_small_and_quick():
    space = run(LOOP.format(turns=5000))
    started = time.process_time()
    film = eval("mg.inspect(tape)", space)
    took = time.process_time() - started
    assert film.view["count"] == 10_001
    assert len(json.dumps(film.view)) < 1_000_000
    assert len(film.view["frames"]) < 20
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
    assert film.view["notes"][-1] == said and f" {said}" in str(film).split("\n")
    assert film.view["verdict"]["answer"] == number_text(float(right), 4)
    assert 990 <= film.view["count"] <= 1000
    reads = film.view["readings"][-1]["reads"]
    assert {0, film.view["count"] - 1} <= {read["frame"] for read in reads}, "both ends of what is shown were read back"
    assert film.view["frames"][0]["args"][0]["text"] in ("earlier", "y")
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
    slopes, _, steps = read_again(space["tape"], [space["y"]], [space["x"]], 10)
    assert len(steps) == 10 and slopes[space["x"].id] == space["y"].numpy()


def test_a_film_whose_page_would_be_too_large_shows_less_and_says_so(monkeypatch):
    program = "v = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    for i in range(1000):\n        v.assign(0.1)\n        y = v * v\n"
    whole = inspected(program, True, "y", "v")
    monkeypatch.setattr("minigrad.inspector.MOST_BYTES", 100_000)
    film = inspected(program, True, "y", "v")
    assert len(json.dumps(whole.view)) > 200_000 > 100_000 >= len(json.dumps(film.view))
    assert re.search(r"The film shows the last [\d,]+ events; the [\d,]+ before them are left out\.", str(film))
    assert film.view["verdict"]["answer"] == whole.view["verdict"]["answer"] == "0.2"


def test_many_short_loops_are_folded_into_bars():
    turns = "".join(f"    for i in range(3):\n        y = mg.sin(y) * 1.{k:04}\n" for k in range(300))
    film = inspected(f"x = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    y = x * 1.0\n{turns}g = tape.gradient(y, x)")
    assert film.view["count"] == 1801
    assert len(film.view["frames"]) < 500
    check(film)


def test_an_op_with_many_inputs_shows_some_of_them_and_says_so():
    film = inspected("x = mg.Variable(1.0)\nwith mg.GradientTape() as tape:\n    y = mg.add_n([x] * 3000)\ng = tape.gradient(y, x)")
    assert [len(read["parts"]) for read in film.view["readings"][0]["reads"]] == [100]
    assert "Of an op with 3,000 inputs the film shows 100." in film.view["notes"]
    assert film.view["verdict"]["answer"] == "3000.0"


def speed():
    """How long this machine takes for some work that takes about a sixth of a second on an ordinary one."""
    started = time.process_time()
    sum(k % 7 for k in range(4_000_000))
    return time.process_time() - started


def check_folds(film):
    (fold,) = film.view["folds"]
    assert (fold["per"], fold["turns"], fold["label"]) == (2, 5000, "for i in range(5000)")
    assert len(fold["written"]) == len(fold["read"]) == 5000
    turn = film.models[0].turn(0, 1234)
    assert [frame["id"] for frame in turn["frames"]] == [2468, 2469]
    assert [read["frame"] for read in turn["reads"][0]] == [2469, 2468]


def test_a_long_film_without_a_loop_is_folded_too():
    lines = "".join(f"    y = mg.sin(y) * 1.{k:04}\n" for k in range(600))
    film = inspected(f"x = mg.Variable(0.5)\nwith mg.GradientTape() as tape:\n    y = x * 1.0\n{lines}g = tape.gradient(y, x)")
    assert film.view["count"] == 1201
    assert len(film.view["frames"]) < 500
    check(film)


def test_large_arrays_stay_where_they_are():
    block = "with mg.GradientTape() as tape:\n    y = mg.reduce_sum(mg.tanh(x @ x))"
    film = inspected(f"x = mg.Variable(np.ones((1000, 1000)), dtype=mg.float32)\n{block}\ng = tape.gradient(y, x)")
    assert len(json.dumps(film.view)) < 20_000
    assert film.view["frames"][0]["value"]["shape"] == [1000, 1000]


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


def test_a_tiny_picture_shows_the_greatest_of_each_block():
    grid = np.zeros((24, 32), np.float32)
    grid[3, 4], grid[23, 31] = -2.0, np.nan
    thumb = shown(grid, whole=grid)["thumb"]
    cells = np.frombuffer(base64.b64decode(thumb["q"]), np.int8).reshape(thumb["rows"], thumb["cols"])
    assert cells.shape == (12, 16)
    assert (cells[1, 2], cells[11, 15], np.count_nonzero(cells)) == (-127, -128, 2)


ODD = {
    "nan, inf": np.array([1, np.inf, np.nan], np.float32),
    "-inf": np.array([[0, -np.inf]]),
    "inf": np.array([complex(0, np.inf)]),
    "": np.full(1000, np.nan),  # only the first of so many are kept
}


@pytest.mark.parametrize("words", ODD)
def test_what_is_not_finite_is_named(words):
    assert ", ".join(shown(ODD[words])["odd"]) == words
    assert "odd" not in shown(np.zeros(3))


def test_inf_is_a_cross_in_the_picture_too():
    cells = base64.b64decode(shown(np.array([-np.inf, 0.7, np.inf]))["thumb"]["q"])
    assert np.frombuffer(cells, np.int8).tolist() == [-128, 127, -128]


def test_numbers_have_six_digits_at_most():
    numbers = {1 / 3: "0.333333", 1e-20: "1e-20", 123456789.0: "1.23457e+08", -0.0: "0.0", 5: "5", np.pi * 1e5: "314159.0"}
    assert [number_text(x) for x in numbers] == [*numbers.values()]
    assert [bytes_text(n) for n in (0, 1023, 2048, 5 << 20)] == ["0 B", "1023 B", "2 KiB", "5 MiB"]


# ---- loops and layout --------------------------------------------------------------------------------------------------

LOOPS = {
    "abcabcabcd": [(0, 3, 3)],
    "xaaaaay": [(1, 1, 5)],
    "abab": [],
    "xcdcdcdycdcdcdycdcdcdy": [(1, 7, 3)],
    "aaabbbccc": [(0, 1, 3), (3, 1, 3), (6, 1, 3)],
}


@pytest.mark.parametrize("keys", LOOPS)
def test_loops_are_found_the_longest_first(keys):
    assert loops(list(keys)) == LOOPS[keys]


def test_a_long_film_folds_its_layers():
    calls = "".join(f"    h = block(h){' * 0.5' if k % 2 else ''} + {k}.0\n" for k in range(13))
    block = "def block(x):\n    return mg.tanh(x * w + x * x)\n"
    film = inspected(f"w = mg.Variable(0.3)\n{block}with mg.GradientTape() as tape:\n    h = w\n{calls}g = tape.gradient(h, w)")
    assert {(fold["kind"], fold["label"], fold["per"], fold["turns"]) for fold in film.view["folds"]} == {("layer", "block", 4, 1)}
    assert len(film.view["folds"]) == 13
    check(film)


def test_leaves_stand_before_their_first_use_and_long_edges_bend():
    found = layout(["x", "w", "a", "b", "c"], [("x", "a"), ("a", "b"), ("b", "c"), ("w", "c"), ("x", "c")])
    assert [found["nodes"][node][0] for node in "xabcw"] == [0, 1, 2, 3, 2]
    assert [len(edge["via"]) for edge in found["edges"]] == [0, 0, 0, 0, 2]
    assert found == layout(["x", "w", "a", "b", "c"], [("x", "a"), ("a", "b"), ("b", "c"), ("w", "c"), ("x", "c")])


# ---- a snapshot, in any thread -----------------------------------------------------------------------------------------


def test_what_is_shown_does_not_change_afterwards():
    space = run(HALF + "film = mg.inspect(tape, y, x)")
    before = str(space["film"]), json.dumps(space["film"].view)
    exec("x.assign(7.0)\nwith tape:\n    z = x * x * x\ntape.gradient(z, x)", space)
    assert (str(space["film"]), json.dumps(space["film"].view)) == before


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
        thread = threading.Thread(target=lambda: answers.append([film.models[0].turn(0, 3), str(film), film.to_html()]))
        thread.start()
        thread.join()
        y = y * x
    assert float(tape.gradient(y, x)) == 12.0
    assert [frame["id"] for frame in answers[0][0]["frames"]] == [6, 7]


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
    assert len(scripts) == 3
    assert json.loads(scripts[0])["view"] == space["film"].view
    assert "alert(2)" in json.loads(scripts[0])["view"]["code"][2]["text"]
    assert "<img" not in page.replace(json.loads(scripts[1]), "")


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
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert dict(part.strip().split(" ", 1) for part in policy.split(";")) == {
        "default-src": "'none'", "base-uri": "'none'", "form-action": "'none'", "style-src": "'unsafe-inline'",
        "script-src": f"'sha256-{own}' blob:",
    }  # fmt: skip


def test_each_file_of_the_front_end_imports_what_it_uses_from_those_before_it():
    exported = set()
    for part in PARTS:
        text = (FRONT / f"{part}.js").read_text(encoding="utf-8")
        imported = [name for names in re.findall(r"^import \{ (.*) \} from", text, re.MULTILINE) for name in names.split(", ")]
        own = re.sub(r'^import .*|//.*|/\*.*?\*/|"[^"\n]*"|\.\.\.', " ", text, flags=re.MULTILINE)
        assert set(imported) == {name for name in exported if re.search(rf"(?<![.\w]){name}\b(?!\s*:)", own)}, part
        exported |= set(re.findall(r"^export (?:const|function|class) (\w+)", text, re.MULTILINE))
    assert len(exported) > 30


def test_step_and_selected_can_be_set_and_observed():
    pytest.importorskip("anywidget")
    film = inspected(HALF)
    heard = []
    film.observe(lambda change: heard.append((change["name"], change["new"])), ["step", "selected"])
    assert film.step == len(film.view["steps"]) - 1  # it opens at the end
    film.step, film.selected = 0, "f1"
    film.step = 99
    assert heard == [("step", 0), ("selected", "f1"), ("step", len(film.view["steps"]) - 1)]
    with pytest.raises(Exception, match="frames are 'f0', 'f1'"):
        film.selected = "f99"


def test_the_front_end_is_given_a_turn_when_it_asks():
    pytest.importorskip("anywidget")
    film = inspected(LOOP.format(turns=50))
    sent = []
    film.send = sent.append
    film.answer(film, {"type": "open_turn", "fold": 0, "turn": 7}, [])
    assert [frame["id"] for frame in sent[0]["frames"]] == [14, 15]


ATOMS = [
    None, True, 0, -1, 99, 10**400, 1.5, math.nan, math.inf, "", "f0", "f99999", "step", "x" * 100_000, "\ud800", b"\0",
    [], ["f0"], {}, {"a": 1}, "open_turn", "update", "custom", "request_state",
]  # fmt: skip
GOOD = [
    {"content": {"data": {"method": "update", "state": {"step": 3, "selected": "f1"}, "buffer_paths": []}}, "buffers": []},
    {"content": {"data": {"method": "custom", "content": {"type": "open_turn", "fold": 0, "turn": 7, "film": 0}}}, "buffers": []},
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


@pytest.mark.parametrize("message", GOOD, ids=["update", "open_turn", "request_state"])
def test_a_malformed_message_is_ignored(message):
    pytest.importorskip("anywidget")
    film, sent = inspected(LOOP.format(turns=50)), []
    film._send = lambda content, buffers=None: sent.append(content)
    view, esm, last = film.view, film._esm, len(film.view["steps"]) - 1
    for wrong in malformed(message):
        film._handle_msg(wrong)
        assert (
            film.view is view
            and film._esm is esm
            and type(film.step) is int
            and -1 <= film.step <= last
            and film.selected in film.nodes | {""}
        )
    for content in malformed(GOOD[1]["content"]["data"]["content"]):
        film.answer(film, content, [])
    film._handle_msg(GOOD[0])
    assert (film.step, film.selected) == (3, "f1")
    sent.clear()
    film._handle_msg(GOOD[1])
    assert [frame["id"] for frame in sent[0]["content"]["frames"]] == [14, 15]


def test_the_bundle_has_the_table_and_a_picture_only_when_asked_for(monkeypatch):
    pytest.importorskip("anywidget")
    film = inspected(HALF)
    data, _ = film._repr_mimebundle_()
    assert data["text/plain"] == str(film) == TABLES[HALF]
    assert "application/vnd.jupyter.widget-view+json" in data and "image/png" not in data
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("MINIGRAD_STATIC", "1")
    assert film._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")


def test_the_picture_shows_what_was_written_and_what_was_read_back(monkeypatch):
    backend_agg = pytest.importorskip("matplotlib.backends.backend_agg")
    figures = []

    class Canvas(backend_agg.FigureCanvasAgg):
        def __init__(self, figure):
            super().__init__(figure)
            figures.append(figure)

    monkeypatch.setattr(backend_agg, "FigureCanvasAgg", Canvas)
    png(inspected(HALF).plain)
    head, *texts = [text.get_text() for text in figures[0].axes[0].texts]
    assert head.startswith("dy/dx = 3.0 ")
    assert texts == ["written", "read back", "numpy", "3.0", "\u00d7", "9.0", "", "3.0"]


def test_a_power_is_written_as_one():
    program = """
x = mg.Variable(4.0)
with mg.GradientTape() as tape:
    y = x**2.0 + x**3.0 + x**0.5 + x**5.0
dx = tape.gradient(y, x)
"""
    assert [frame["glyph"] for frame in inspected(program).plain["frames"]] == ["x²", "x³", "+", "√", "+", "xⁿ", "+"]


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
    v.assign(y)
    z = y * v
tape.gradient(z, x)
"""


@pytest.mark.parametrize(
    ("program", "said"), [(CHANGED, "paths: live 48.0"), (ASSIGNED, "paths: live 16.0")], ids=["by Python", "in a Variable"]
)
def test_what_a_lost_way_would_carry_is_not_guessed(program, said):
    table = str(inspected(program))
    assert said in table
    assert "together" not in table
