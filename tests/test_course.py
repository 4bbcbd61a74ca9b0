"""The lessons as they are stored: run to the end, small, the same on every machine, and true to what TensorFlow printed."""

import contextlib
import io
import itertools
import json
import re
import sys
import types
from pathlib import Path

import nbformat
import numpy as np
import pytest
from scenarios import GOLDEN, SCENARIOS
from test_scenarios import in_our_names

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

import build
import slides

from minigrad.classroom import pages

LESSONS = {path.name[:2]: path for path in build.lessons()}

every_lesson = pytest.mark.parametrize("lesson", LESSONS)


def cells(lesson):
    return json.loads(LESSONS[lesson].read_text(encoding="utf-8"))["cells"]


def code_cells(lesson):
    return [cell for cell in cells(lesson) if cell["cell_type"] == "code"]


def source(cell):
    return "".join(cell["source"])


def printed(cell):
    """What a code cell has printed, without its pictures."""
    outputs = [output for output in cell["outputs"] if "image/png" not in output.get("data", {})]
    return "".join("".join(output.get("text") or output["data"]["text/plain"]) for output in outputs)


# ---- as stored -----------------------------------------------------------------------------------------------------


@every_lesson
def test_every_cell_was_run_once_in_order(lesson):
    """Nothing compares a cell whose output and count were cleared: it would go unchecked in silence."""
    assert [cell["execution_count"] for cell in code_cells(lesson)] == list(range(1, len(code_cells(lesson)) + 1))
    assert not [cell for cell in code_cells(lesson) for output in cell["outputs"] if output["output_type"] == "error"]


@every_lesson
def test_it_is_small(lesson):
    assert LESSONS[lesson].stat().st_size < 300_000


@every_lesson
def test_nothing_in_it_tells_of_one_machine_or_one_run(lesson):
    text = "\n".join(source(cell) + (printed(cell) if cell["cell_type"] == "code" else "") for cell in cells(lesson))
    assert not re.findall(r"0x[0-9a-f]{6,}|(?:^|[\s'\"(])/(?:home|tmp|root|usr|opt|work|Users)/|ipykernel_\d+", text)
    assert all(set(cell["metadata"]) <= {"tags"} for cell in cells(lesson))
    ids = [cell["id"] for cell in cells(lesson)]
    assert len(set(ids)) == len(ids)
    assert not [name for name in ids if re.fullmatch(r"[0-9a-f]{8}(-.*)?", name)], "ids are given by hand"


@every_lesson
def test_it_prints_six_digits_at_most(lesson):
    """More would depend on the processor."""
    for number in re.findall(r"(?<![\w.])\d+\.\d+", "\n".join(map(printed, code_cells(lesson)))):
        assert len(number.replace(".", "").strip("0")) <= 6, number


@every_lesson
def test_a_cell_fits_on_a_slide(lesson):
    for cell in code_cells(lesson):
        assert len(source(cell).splitlines()) <= (25 if "plt." in source(cell) else 18), cell["id"]


@every_lesson
def test_a_picture_is_told_in_words_and_in_numbers(lesson):
    for before, after in itertools.pairwise(cells(lesson)):
        if any("image/png" in output.get("data", {}) for output in before.get("outputs", ())):
            assert re.match(r"\*The picture in words: .{100,}\*$", source(after), re.MULTILINE), before["id"]
            assert printed(before)


@every_lesson
def test_its_formulas_can_be_drawn_on_a_page_that_loads_nothing(lesson):
    text = "\n".join(source(cell) for cell in cells(lesson) if cell["cell_type"] == "markdown")
    assert "$" not in pages.FORMULA.sub("", text), "a formula begins on one line and ends on it"
    for found in pages.FORMULA.finditer(text):
        assert re.match(r'<img alt="[^"]+" src="data:image/svg\+xml;base64,[\w+/=]{1000,}"', pages.drawn(found))


@pytest.mark.parametrize("lesson", ["00", "04", "07"])
def test_building_it_anew_changes_nothing(lesson):
    """In some lessons; that the cells of all say what is stored is seen by nbval."""
    again = json.loads(build.text_of(build.executed(LESSONS[lesson])))
    stored = json.loads(LESSONS[lesson].read_text(encoding="utf-8"))
    for notebook in (again, stored):
        for cell in notebook["cells"]:
            for output in cell.get("outputs", []):
                output.get("data", {}).pop("image/png", None)  # differs from one Matplotlib to the next
    assert again == stored


def test_a_lesson_is_stored_as_it_was_run_and_what_stood_there_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "COURSE", tmp_path)
    monkeypatch.setattr(build.minutes, "state", lambda notebook: None)  # this lesson has no times
    path = tmp_path / "99_small.ipynb"
    before = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(6 * 7)", id="a")]), version=4)
    path.write_text(before, encoding="utf-8")
    copy = build.store(path)
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].text == "42\n"
    assert copy.read_text(encoding="utf-8") == before
    assert build.store(path) is None, "it stood so"


def test_after_lessons_were_built_what_lists_them_has_their_minutes(monkeypatch, capsys):
    did = []
    monkeypatch.setattr(build, "store", lambda path: did.append(path.name))
    monkeypatch.setattr(build, "tell", lambda: did.append("told"))
    build.main(["01", "03"])
    assert did == ["01_first_derivative.ipynb", "03_watching.ipynb", "told"]
    assert capsys.readouterr().out == "built 01_first_derivative.ipynb\nbuilt 03_watching.ipynb\n"


def test_building_an_unknown_lesson_says_which_there_are():
    with pytest.raises(SystemExit, match=r"No lesson has the number 99\. There are: .*02, 03"):
        build.main(["99"])


# ---- what TensorFlow printed ---------------------------------------------------------------------------------------


def standing():
    """The table: in which lesson and cell each scenario stands, by the cells' tags."""
    table = {name: [] for name in SCENARIOS if not name.startswith(("corners.", "training."))}  # those are no documents' but ours
    for lesson in LESSONS:
        for cell in code_cells(lesson):
            for scenario in scenarios_of(cell):
                table[scenario].append((lesson, cell["id"]))
    return table


def scenarios_of(cell):
    return [tag for tag in cell["metadata"].get("tags", []) if tag not in slides.TAGS]


def scenario_cells():
    found = {f"{lesson} {cell['id']}": cell for lesson in LESSONS for cell in code_cells(lesson) if scenarios_of(cell)}
    return pytest.mark.parametrize("cell", found.values(), ids=found)


def truth(scenario):
    """All lines that a scenario printed, logged or gave on TensorFlow; of an error its kind is enough."""
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))[scenario]
    logged = [line.removeprefix("WARNING:tensorflow:") for line in recorded["logged"]]
    given = [form for value in recorded["values"].values() for form in forms(value)]
    return [in_our_names(line) for text in [*recorded["printed"], *logged, *given] for line in text.splitlines()]


def forms(value):
    """A value as it may be printed: in full, a Tensor without its frame or as a plain value, an error by its kind."""
    plain = TENSOR.sub(lambda tensor: tensor[4] or tensor[0], value)
    kind = value.partition(":")[0] if value.startswith("raises ") else value
    return dict.fromkeys([value, TENSOR.sub(as_printed, value), plain, kind])


TENSOR = re.compile(r"<tf\.Tensor: shape=(\(.*?\)), dtype=(\w+), numpy=\s*(?:array\((.*?),\s+dtype=\w+\)|(.*?))>", re.DOTALL)


def as_printed(tensor):
    """What print makes of a Tensor whose repr is given."""
    shape, dtype, array, number = tensor.groups()
    value = number or array.replace(",", "")
    value = "\n" * ("\n" in value) + value
    return f"tf.Tensor({value}, shape={shape}, dtype={dtype})"


def same(line, other):
    """Words exactly; numbers as far as `line` prints them; white space not at all."""
    number = r"(-?\d+(?:\.\d*)?(?:e[-+]?\d+)?)"
    ours, theirs = re.split(number, line), re.split(number, other)
    words, numbers = [list(zip(ours[k::2], theirs[k::2], strict=False)) for k in (0, 1)]
    if len(ours) != len(theirs) or any(re.sub(r"\s", "", a) != re.sub(r"\s", "", b) for a, b in words):
        return False
    return all(abs(float(a) - float(b)) <= 0.51 * unit(a) + 1e-5 * abs(float(b)) for a, b in numbers)


def unit(number):
    """What one more in the last printed place is worth; an integer has to be exact."""
    return 10.0 ** -len(number.partition(".")[2].partition("e")[0]) if "." in number else 0.0


def tells(scenarios, line):
    """Is this one of TensorFlow's lines? Words of our own may stand before it."""
    starts = [0, *[space.end() for space in re.finditer(r"\s+", line)]]
    return any(same(in_our_names(line[start:]), theirs) for start in starts for name in scenarios for theirs in truth(name))


@scenario_cells()
def test_a_scenario_prints_what_tensorflow_printed(cell):
    """Each line is one of TensorFlow's, and each scenario that the cell is tagged with has one."""
    lines = printed(cell).splitlines()
    assert not [line for line in lines if not tells(scenarios_of(cell), line)]
    assert not [scenario for scenario in scenarios_of(cell) if not any(tells([scenario], line) for line in lines)]


@pytest.mark.parametrize(("scenario", "cells"), standing().items(), ids=standing())
def test_every_scenario_stands_in_a_lesson(scenario, cells):
    assert cells, "no cell has this tag"


@pytest.mark.parametrize(("line", "agrees"), [
    ("mg.Tensor([1.2 3.], shape=(2,), dtype=float32)", True),
    ("mg.Tensor([1.25  3.  ], shape=(2,), dtype=float32)", True),
    ("mg.Tensor([1.26 3.], shape=(2,), dtype=float32)", False),
    ("mg.Tensor([1.2 3.], shape=(3,), dtype=float32)", False),
    ("None", False),
])  # fmt: skip
def test_lines_are_compared_as_far_as_they_print(line, agrees):
    assert same(line, "mg.Tensor([1.2499 3.0000], shape=(2,), dtype=float32)") is agrees


@scenario_cells()
def test_a_scenario_asks_for_nothing_that_tensorflow_lacks(cell):
    assert not only_ours(cell)


@pytest.mark.variants
@every_lesson
def test_with_the_import_swapped_tensorflow_says_the_same(lesson, monkeypatch):
    tf = pytest.importorskip("tensorflow")
    from tensorflow.python.framework import ops

    registered = ops.gradient_registry  # other tests of this process run without what a lesson registers
    monkeypatch.setattr(registered, "_registry", dict(registered._registry))
    ours, theirs = (played(lesson, library)[1] for library in (None, tf))
    assert [name for name in ours if name not in theirs] == [cell["id"] for cell in code_cells(lesson) if only_ours(cell)]
    for name, said in theirs.items():
        assert len(said) == len(ours[name]), name
        assert all(same(in_our_names(a), in_our_names(b)) for a, b in zip(ours[name], said, strict=True)), name


# ---- what the pictures show ----------------------------------------------------------------------------------------


def played(lesson, library=None):
    """A lesson run without Jupyter, perhaps on another library: its names at the end, and the lines of each cell.

    Another library is spared the cells that ask for what only minigrad has.
    """
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    import minigrad

    space, said, show = {"__name__": "lesson"}, {}, plt.show
    helpers = types.SimpleNamespace(**dict.fromkeys(HELPERS, lambda *answer, **how: None))
    helpers.short_numbers = lambda: np.set_printoptions(precision=3, suppress=True)
    swapped = {"minigrad": library or minigrad, "helpers": helpers}
    before = {name: sys.modules.get(name) for name in swapped}
    sys.modules.update(swapped)
    plt.show = lambda: None
    digits = np.get_printoptions()
    registered = dict(minigrad.engine.custom.GRADIENTS)
    minigrad.engine.custom.GRADIENTS.clear()  # as in a new kernel
    try:
        for cell in code_cells(lesson):
            if library and only_ours(cell):
                continue
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(source(cell), space)
            said[cell["id"]] = out.getvalue().splitlines()
    finally:
        plt.show = show
        np.set_printoptions(**digits)
        sys.modules.update({name: module for name, module in before.items() if module})
        for name in [name for name, module in before.items() if module is None]:
            del sys.modules[name]
        plt.close("all")
        minigrad.trace(False)
        minigrad.engine.custom.GRADIENTS.clear()
        minigrad.engine.custom.GRADIENTS.update(registered)
    return space, said


HELPERS = ["audit", "check", "hint", "on_tensorflow", "predict", "progress", "reset", "solution"]
ONLY_OURS = {  # what another library cannot run: why
    r"mg\.(trace|inspect)\b|\.explain\(": "TensorFlow keeps no log of what ran, so it has neither answers nor a film",
    r"mg\.test\b": "its compute_gradient gives two tables to compare, and no verdict",
    r"\.source\b|mg\.engine\b": "its ops are not written in Python",
    r"mg\.written\b": "it writes no program in NumPy",
    r"kept\.experimental_get_tracing_count": "it rewrites an if, so that both ways are one trace",
    r"tracemalloc|weighed": "its memory lies outside of Python's",
}


def only_ours(cell):
    """Why another library cannot run a cell; None if it can."""
    return next((why for what, why in ONLY_OURS.items() if re.search(what, source(cell))), None)


def test_the_balloon_and_its_three_tangents():
    space, _ = played("02")
    assert np.allclose(space["touches"], [(0.5, 0.5, 1.5), (2.0, 4.0, 3.0), (4.5, 13.5, 4.5)])
    curve, *lines = space["ax"].lines
    assert np.allclose(curve.get_ydata(), np.sqrt(2 * curve.get_xdata() ** 3))
    for tangent, point in zip(lines[::2], lines[1::2], strict=True):
        (left, right), (low, high) = tangent.get_data()
        (r,), (h,) = point.get_data()
        assert np.isclose((high - low) / (right - left), 1.5 * np.sqrt(2 * r))
        assert np.isclose(low + (r - left) * (high - low) / (right - left), h)


def test_the_lamp_arrives_with_both_motors_and_stops_short_with_one():
    space, _ = played("03")
    mark, free, frozen = space["ax"].lines
    assert np.ravel(mark.get_data()).tolist() == [4.0, 3.0]
    assert np.allclose(free.get_xydata()[[0, -1]], [(0, 0), (4, 3)], atol=1e-3)
    assert np.allclose(frozen.get_xydata()[[0, -1]], [(0, 0), (4, 0)], atol=1e-3)
    assert np.allclose(frozen.get_ydata(), 0)
    assert np.allclose([space["free"][-1][2], space["frozen"][-1][2]], [0, 9], atol=1e-3)


def test_the_three_knobs_are_flat_leaning_and_a_staircase():
    space, _ = played("07")
    (radio, _), (hot, _), (notch, _) = (ax.lines for ax in space["axes"])
    assert np.ptp(radio.get_ydata()) == 0
    assert np.all(np.diff(hot.get_ydata()) > 0)
    assert np.allclose(np.interp(4.0, *hot.get_data()), 34.0)
    steps = np.diff(notch.get_ydata())
    assert sorted(set(steps.tolist())) == [0.0, 3.0]
    assert np.count_nonzero(steps) == 5


def test_the_broken_ball_rests_on_the_hillside_and_the_fixed_one_on_the_floor():
    space, _ = played("08")
    valley, tangent, fixed, broken = space["ax"].lines
    assert np.allclose([fixed.get_xydata()[0], broken.get_xydata()[0]], 5)
    assert np.allclose([broken.get_xydata()[-1], fixed.get_xydata()[-1]], [(4, 0), (2, -4)], atol=2e-3)
    assert np.isclose(valley.get_ydata().min(), -4)
    (left, right), (low, high) = tangent.get_data()
    assert np.isclose((high - low) / (right - left), 2 * 4 - 4)
    assert np.isclose(low + (4 - left) * 4, 0)


def test_the_secants_close_in_on_the_tangent():
    space, _ = played("01")
    curve, *lines, tangent, touch = space["ax"].lines
    assert np.allclose(curve.get_ydata(), curve.get_xdata() ** 2)
    assert np.ravel(touch.get_data()).tolist() == [3.0, 9.0]
    for secant, square, steepness in zip(lines[::2], lines[1::2], (8.0, 7.0, 6.5), strict=True):
        t, way = np.ravel(square.get_data())
        assert np.isclose(way, t**2)
        assert np.allclose(secant.get_ydata(), 9.0 + steepness * (secant.get_xdata() - 3.0))
        assert np.isclose(way, 9.0 + steepness * (t - 3.0))
    assert np.allclose(tangent.get_ydata(), 9.0 + 6.0 * (tangent.get_xdata() - 3.0))
    assert (tangent.get_ydata() <= tangent.get_xdata() ** 2 + 1e-6).all()


def test_the_dimmer_and_the_hill_of_its_slopes():
    space, _ = played("05")
    dimmer, hill, top = (np.asarray(line.get_xydata()) for line in space["ax"].lines)
    x, y = dimmer.T
    assert np.allclose(x, np.linspace(-10.0, 10.0, 201), atol=1e-5)
    assert np.allclose(y, 1 / (1 + np.exp(-x)))
    assert np.array_equal(hill[:, 0], x)
    assert np.allclose(hill[:, 1], np.gradient(y, 0.1), atol=1e-3)
    assert np.allclose(top, [[0.0, hill[:, 1].max()]])


def test_the_image_of_a_jacobian_has_two_rows_of_zeros():
    space, _ = played("05")
    (image,) = space["lit"].images
    shown = np.asarray(image.get_array())
    assert np.array_equal(shown, space["table"])
    assert [np.count_nonzero(row) for row in shown] == [3, 3, 0, 0]
    assert [label.get_text() for label in space["lit"].texts] == [f"{slope:.2f}" for slope in shown.ravel()]


def test_the_tape_that_answers_once_lets_go_and_the_other_keeps():
    space, _ = played("04")
    kept, once = space["ax"].lines
    assert list(once.get_ydata()) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 2]
    assert list(kept.get_ydata()) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2]
    assert list(space["weighed_once"])[-2:] == ["asked", "del tape"]


def test_the_slopes_of_the_ball_lean_as_their_own_piece_does():
    space, _ = played("06")
    assert np.allclose(space["touches"], [(0.60, 3.6, 12.0, 2), (0.75, 4.21875, 16.875, 3), (0.82, 4.521218, 22.05472, 4)])
    *curves, tangent_1, point_1, tangent_2, point_2, tangent_3, point_3 = space["ax"].lines
    for curve, power in zip(curves, range(2, 7), strict=True):
        assert np.allclose(curve.get_ydata(), 10 * curve.get_xdata() ** power)
        assert (curve.get_ydata() <= 5).all()
    for tangent, point in ((tangent_1, point_1), (tangent_2, point_2), (tangent_3, point_3)):
        (left, right), (low, high) = tangent.get_data()
        (share,), (height,) = point.get_data()
        assert np.isclose((low + high) / 2, height)
        assert np.isclose((high - low) / (right - left), {0.60: 12.0, 0.75: 16.875, 0.82: 22.05472}[share])


def test_the_pier_swims_to_the_boat_unless_its_path_is_cut():
    space, _ = played("09")
    boat, pier, cut_boat, cut_pier = (line.get_ydata() for line in space["ax"].lines)
    assert np.allclose([boat[0], pier[0], boat[-1], pier[-1]], [0, 8, 4, 4], atol=1e-3)
    assert np.allclose(boat + pier, 8, atol=1e-5)
    assert np.allclose(cut_pier, 8)
    assert np.allclose(cut_boat, 8 - 8 * 0.6 ** np.arange(20), atol=1e-4)


def test_the_moon_comes_back_along_a_registered_slope():
    space, _ = played("10")
    pictures = [np.asarray(ax.images[0].get_array()) for ax in space["axes"]]
    photo = space["photo"].numpy()[..., 0]
    assert np.allclose(pictures[0], space["pale"].numpy()[..., 0])
    assert np.allclose(pictures[-1], photo, atol=2e-3)
    assert [np.corrcoef(picture.ravel(), photo.ravel())[0, 1] > 0.9999 for picture in pictures] == [True] * 3
    assert np.isclose(space["path"][-1][0], 4, atol=1e-2)
    steepness = [(b[0] - a[0]) / (4 - a[0]) for a, b in zip(space["path"][:5], space["path"][1:6], strict=True)]
    assert np.ptp(steepness) < 1e-3, "the same share of what is missing, step by step"


def test_the_washing_line_hangs_in_a_parabola_after_one_step():
    space, _ = played("12")
    start, *descent, newton = (line.get_ydata() for line in space["left"].lines)
    assert np.allclose(start, 0)
    assert np.allclose(newton, [-0.05 * k * (10 - k) for k in range(11)], atol=1e-5)
    assert 0 > descent[0][5] > descent[1][5] > newton[5]
    assert np.array_equal(space["right"].images[0].get_array(), 2 * np.eye(9) - np.eye(9, k=1) - np.eye(9, k=-1))


def test_the_pull_at_each_layer_sinks_dies_or_was_never_there():
    space, _ = played("11")
    healthy, dead, planted = ([np.asarray(line.get_ydata()) for line in ax.lines] for ax in space["axes"])
    assert all(line[0] > 1 > 0.2 > line[-1] > 1e-3 for line in [*healthy, *planted[1:]])
    assert all(line[0] > 1 and np.all(line[10:] == 1e-4) for line in dead)
    assert np.all(planted[0] == 1e-4)
    assert [round(space[name][100][0], 2) for name in ("healthy", "dead", "planted")] == [0.18, 1.0, 0.27]
    assert space["healthy"][-1][1] > 0.98


def test_the_first_lesson_lists_the_others_as_they_call_themselves():
    listed = dict(re.findall(r"^\| (\d\d) \| \[(.*?)\]\(.*?\) \| .* \| \d+ \|$", "\n".join(map(source, cells("00"))), re.MULTILINE))
    minutes = dict(re.findall(r"^\| (\d\d) \| .* \| (\d+) \|$", "\n".join(map(source, cells("00"))), re.MULTILINE))
    for lesson in LESSONS.keys() - {"00"}:
        head = source(cells(lesson)[0])
        assert head.startswith(f"# {lesson} · {listed[lesson]}\n")
        assert f" {minutes[lesson]} minutes" in head


LINK = re.compile(r"\]\(([^()#]*?\.(?:ipynb|md))\)")


@every_lesson
def test_a_lesson_leads_home_and_to_those_around_it_from_both_ends(lesson):
    numbers = [*LESSONS]
    k = numbers.index(lesson)
    around = {LESSONS[one].name for one in [*numbers[max(k - 1, 0) : k], *numbers[k + 1 : k + 2], "00"] if one != lesson}
    texts = [source(cell) for cell in cells(lesson) if cell["cell_type"] == "markdown"]
    for end in (texts[0], texts[-1]):
        assert around <= set(LINK.findall(end)), lesson
    there = {name for text in texts for name in LINK.findall(text)}
    assert not [name for name in there if not (build.COURSE / name).exists()]
    if lesson == "00":
        assert {path.name for path in LESSONS.values()} - {LESSONS["00"].name} <= there


def test_where_it_stands_names_each_example_and_its_lessons():
    text = (build.COURSE / "where.md").read_text(encoding="utf-8")
    told = {}
    for names, lessons in re.findall(r"^\| [^|]* \| (`.*?`) \| (.*?) \|$", text, re.MULTILINE):
        for name in re.findall(r"`([\w.]+)`", names):
            assert name not in told, name
            told[name] = set(re.findall(r"\[(\d\d)\]", lessons))
    there = {}
    for lesson in LESSONS:
        for cell in cells(lesson):
            for tag in cell["metadata"].get("tags", []):
                if re.match(r"(guide|adv|tut|sem)\.", tag):
                    there.setdefault(tag, set()).add(lesson)
    assert told.keys() == there.keys() and all(there[name] <= told[name] for name in there)
    assert all((build.COURSE / name).exists() for name in LINK.findall(text))
