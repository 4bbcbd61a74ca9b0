"""What a teacher needs: minutes that add up, a page for each lesson, routes, slides."""

import itertools
import json
import re
import sys
from pathlib import Path

import nbformat
import pytest

import minigrad

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

import build
import minutes as pace
import slides
from helpers import card as cards

LESSONS = {path.name[:2]: path for path in build.lessons()}
PAGES = build.COURSE / "teachers"
PARTS = [
    "Aim",
    "Before class",
    "Minute plans",
    "Expected predictions",
    "Three misconceptions, and what to say",
    "Pair task",
    "If short of time",
]
DASH = "\N{EN DASH}"
SPAN = re.compile(rf"(\d+){DASH}(\d+)")

LOOP = 10  # minutes: so long a slow reader may go on before a part ends

every_lesson = pytest.mark.parametrize("lesson", LESSONS)


def cells(lesson):
    return json.loads(LESSONS[lesson].read_text(encoding="utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


def text(lesson):
    return "\n".join(source(cell) for cell in cells(lesson) if cell["cell_type"] == "markdown")


def title(lesson):
    return re.match(rf"# {lesson} · (.*)", text(lesson))[1]


def page(lesson):
    return (PAGES / f"lesson_{lesson}.md").read_text(encoding="utf-8")


def rows(table):
    """The cells of a table, row by row, without the line below its head."""
    lines = [line.strip("| ").split("|") for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if set("".join(line)) - set("-")]


def plan_rows(lesson):
    """The table of the minute plans on a page, row by row."""
    return rows(re.search(r"\*\*Minute plans\*\*\n\n((?:\|.*\n)+)", page(lesson))[1].replace("| | ", "|what| "))


def plans(lesson):
    """What a page has planned for each number of minutes: the spans, in order."""
    head, *body = plan_rows(lesson)
    lengths = {k: int(words.split()[0]) for k, words in enumerate(head) if re.fullmatch(r"\d+ minutes", words)}
    return {minutes: [span for row in body for span in spans(row[k])] for k, minutes in lengths.items()}


def spans(words):
    """From when till when, as often as it says so."""
    return [(int(start), int(end)) for start, end in SPAN.findall(words)]


def without_gaps(found, minutes):
    found = sorted(set(found))
    return found[0][0] == 0 and found[-1][1] == minutes and all(a[1] == b[0] for a, b in itertools.pairwise(found))


def headed(words, marks):
    """What stands under each heading with minutes: (name, minutes, text)."""
    found = re.findall(rf"^{marks} ([^\n]*?) \((\d+) minutes?\b[^\n]*\n(.*?)(?=^{marks} |\Z)", words, re.MULTILINE | re.DOTALL)
    return [(name, int(minutes), under) for name, minutes, under in found]


def divided(lesson):
    """The sections that have parts: (name, minutes, parts)."""
    found = [(name, minutes, headed(under, "###")) for name, minutes, under in headed(text(lesson), "##")]
    return [(name, minutes, parts) for name, minutes, parts in found if parts]


# ---- lessons -------------------------------------------------------------------------------------------------------


@every_lesson
def test_a_lesson_asks_first_and_answers_last(lesson):
    words = text(lesson)
    asked, answered = words.index("**The question.**"), words.index("## The question, answered")
    assert asked < words.index("you can\n\n1. ") < words.index("**Predict") < answered
    ends = ["**Summary**", "**In TensorFlow**", "**In PyTorch**", "**In JAX**", "**Words.**", "**Next:**"]
    found = [words.lower().index(end.lower(), answered) for end in ends]
    assert found == sorted(found)


@every_lesson
def test_the_minutes_of_a_lesson_add_up(lesson):
    whole, read, do = map(int, re.search(r"(\d+) minutes: (\d+) to read, (\d+) to do", text(lesson)).groups())
    sections = [int(minutes) for minutes in re.findall(r"^## .*\((\d+) minutes?\b", text(lesson), re.MULTILINE)]
    tickets = [int(minutes) for minutes in re.findall(r"^## Exit ticket \((\d+) minutes", text(lesson), re.MULTILINE)]
    assert read + do == whole == sum(sections)
    assert len(tickets) == (lesson != "00")
    assert len(sections) == len(re.findall("^## ", text(lesson), re.MULTILINE)), "a section without minutes"


@every_lesson
def test_nothing_takes_more_than_ten_minutes_before_a_part_ends(lesson):
    """The smallest headed part is a loop: a section, or a part of a section that is divided."""
    for name, minutes, under in headed(text(lesson), "##"):
        for loop, length, _ in headed(under, "###") or [(name, minutes, under)]:
            assert length <= LOOP, f"{loop} takes {length} minutes"


@every_lesson
def test_the_parts_of_a_section_are_all_of_it(lesson):
    for name, minutes, parts in divided(lesson):
        assert minutes == sum(length for _, length, _ in parts), name
        assert re.search(rf"^## {re.escape(name)} .*\n\n### {re.escape(parts[0][0])} ", text(lesson), re.MULTILINE), "nothing stands before"


@every_lesson
def test_a_part_asks_and_answers(lesson):
    """A pause comes after something that was tried and seen, or it is none."""
    for name, _, parts in divided(lesson):
        for part, _, words in parts:
            assert re.search(r"\*\*(Predict|Try)\b", words), f"{name}, {part}: nothing to predict"
            assert re.search(r"\*\*Check\b|[Yy]ou should (see|read)\b", words), f"{name}, {part}: nothing to check it by"


@every_lesson
def test_every_prediction_is_taken_up_by_a_check(lesson):
    asked = re.findall(r'predict\("([^"]+)"', "\n".join(map(source, cells(lesson))))
    assert asked == [exercise for exercise in cards.cards_of(lesson) if exercise in asked]
    assert asked


@pytest.mark.parametrize("case", [name for name in cards.cards_of("14") if name[3:].isdigit()])
def test_half_a_report_is_answered_as_lesson_14_says(case):
    space = {"mg": minigrad}
    exec(cards.find(case).solution, space)
    half = space["report"] | {"fixed": 0}
    assert cards.find(case).judge(half) == "not yet. Look again at fixed."
    assert cards.find(case).judge(half | {"code": "?"}) == "not yet. Look again at code and fixed."
    assert cards.find(case).judge(half | {"line": "?"}) == "not yet. Look again at line and fixed."


def test_there_are_as_many_exercises_and_replies_as_were_promised():
    exercises = [card for lesson in LESSONS for card in cards.cards_of(lesson).values()]
    assert len(exercises) >= 70
    assert sum(len(card.replies) for card in exercises) >= 40


# ---- minutes -------------------------------------------------------------------------------------------------------


def notebook(lesson):
    return nbformat.read(LESSONS[lesson], as_version=4)


@every_lesson
def test_the_minutes_of_a_lesson_are_those_of_a_slow_reader(lesson):
    said, counted = notebook(lesson), notebook(lesson)
    pace.state(counted)
    assert said.cells == counted.cells


@every_lesson
def test_nobody_has_to_sit_for_more_than_25_minutes(lesson):
    found = pace.units(notebook(lesson))
    assert max(found) <= pace.UNIT == 25
    whole = pace.whole_of(notebook(lesson))
    assert sum(found) == whole
    assert len(found) - 1 == len([name for name in cards.cards_of(lesson) if ".pause" in name])


@every_lesson
def test_a_pause_sums_up_and_asks(lesson):
    pauses = [(name, int(length), under) for name, length, under in headed(text(lesson), "##") if "**So far**" in under]
    names = {0: [], 1: ["Half way"], 2: ["One third of the way", "Two thirds of the way"]}
    names[3] = ["One quarter of the way", "Half way", "Three quarters of the way"]
    names[4] = [f"{share} of the way" for share in ("One fifth", "Two fifths", "Three fifths", "Four fifths")]
    assert [name for name, _, _ in pauses] == names[len(pauses)]
    for k, (_, _, under) in enumerate(pauses, start=1):
        assert re.search(rf"\*\*So far\*\*\n\n1\. .*\n2\. (.*\n)+\n\*\*Check {lesson}\.pause{k}\.\*\* .*\?$", under, re.MULTILINE)


def test_more_code_words_or_checks_take_longer():
    section = pace.sections(notebook("02"))[1]
    words, code, check = (nbformat.v4.new_markdown_cell("word " * 140), nbformat.v4.new_code_cell("x = 1\n" * 20),
                          nbformat.v4.new_code_cell('check("02.1", steepness)'))  # fmt: skip
    assert [pace.taken([*section, more]) - pace.taken(section) for more in (words, code)] == [1, 1]
    assert 2 <= pace.taken([*section, check]) - pace.taken(section) <= 4


@every_lesson
def test_a_page_tells_how_long_it_takes_alone(lesson):
    assert f"\n{pace.alone(notebook(lesson))}\n" in page(lesson)


def test_what_lists_the_lessons_has_their_minutes():
    notebooks = {lesson: notebook(lesson) for lesson in LESSONS}
    for listing in ((build.COURSE.parent / "README.md").read_text(encoding="utf-8"), text("00")):
        assert pace.tabled(listing, notebooks) == listing


@every_lesson
def test_a_page_has_the_keys_of_the_pauses(lesson):
    for name, card in cards.cards_of(lesson).items():
        if ".pause" in name:
            given = eval(card.solution.removeprefix("answer = "))
            key = f'"{given}"' if isinstance(given, str) else f"{given:g}"
            assert f"{name}: {key}." in page(lesson)


# ---- pages ---------------------------------------------------------------------------------------------------------


@every_lesson
def test_a_page_has_all_its_parts_in_order(lesson):
    assert page(lesson).startswith(f"# {lesson} · {title(lesson)}")
    found = [page(lesson).find(f"**{part}") for part in PARTS]
    assert -1 not in found
    assert found == sorted(found)
    assert re.search(r"\*\*(Exit ticket, key|Key)\.\*\*", page(lesson))
    assert re.findall(r"^(\d)\. \*\"", page(lesson), re.MULTILINE) == ["1", "2", "3"], "three misconceptions, as they are said"


@every_lesson
def test_the_minutes_of_a_plan_add_up(lesson):
    assert list(plans(lesson)) == ([10, 20] if lesson == "00" else [30, 50, 90])
    for minutes, found in plans(lesson).items():
        assert without_gaps(found, minutes), (minutes, found)


@every_lesson
def test_the_longest_plan_pauses_where_the_lesson_does(lesson):
    numbered = {number[0]: parts for name, _, parts in divided(lesson) if (number := re.search(r"\d", name))}
    planned = {row[0].removeprefix("case ")[0]: spans(row[-1]) for row in plan_rows(lesson)}
    for number, parts in numbered.items():
        assert len(planned[number]) == len(parts), f"section {number}"


@every_lesson
def test_a_page_speaks_of_exercises_that_are_there(lesson):
    asked = re.findall(r'predict\("([^"]+)"', "\n".join(map(source, cells(lesson))))
    guesses = re.search(r"\*\*Expected predictions\*\*.*?\n\n((?:\|.*\n)+)", page(lesson))[1]
    assert [row[0] for row in rows(guesses)[1:]] == asked
    named = set(re.findall(rf"\b{lesson}\.\d\b", page(lesson)))
    assert named <= set(cards.cards_of(lesson))


def routes():
    found = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", (PAGES / "routes.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return {name: rows(body)[1:] for name, body in found if rows(body)}


def test_there_is_a_route_for_an_hour_and_a_half_for_half_a_day_and_for_users_of_tensorflow():
    assert [name.partition(":")[0] for name in routes()][:3] == ["90 minutes", "Half a day", "For TensorFlow users"]


@pytest.mark.parametrize(("name", "route"), routes().items(), ids=routes())
def test_the_minutes_of_a_route_add_up(name, route):
    times = [spans(when)[0] for when, _, _ in route]
    said = re.search(rf"^## {re.escape(name)}\n\n.*\b(\d+) minutes", (PAGES / "routes.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert without_gaps(times, int(said[1]))
    for (start, end), (_, what, plan) in zip(times, route):
        if plan != DASH:
            assert what.startswith(f"{what[:2]} {title(what[:2])}")
            assert end - start == int(plan) in plans(what[:2])


# ---- slides --------------------------------------------------------------------------------------------------------


@every_lesson
def test_a_topic_begins_a_slide_and_an_answer_waits_for_the_next_one(lesson):
    headings = [cell for cell in cells(lesson) if cell["cell_type"] == "markdown" and source(cell).startswith(("# ", "## "))]
    assert all(tags(cell) == ["slide"] for cell in headings)
    for before, after in itertools.pairwise(cells(lesson)):
        if 'predict("' in source(before):
            assert "skip" in tags(before)
            assert "subslide" in tags(after) or after["cell_type"] == "markdown", after["id"]
        if "**Predict" in source(before) and "**Check" not in source(before):
            assert {"subslide", "skip"} & set(tags(after)), after["id"]


def tags(cell):
    return [tag for tag in cell["metadata"].get("tags", []) if tag in slides.TAGS]


def test_slides_can_be_made(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(slides, "FOLDER", tmp_path / "slides")
    slides.main(["02"])
    assert capsys.readouterr().out == "made course/slides/02_the_tape.html\n"
    html = (tmp_path / "slides" / "02_the_tape.html").read_text(encoding="utf-8")
    topics, below = (sum(kind in tags(cell) for cell in cells("02")) for kind in ("slide", "subslide"))
    assert html.count("<section") == 2 * topics + below  # a topic is a column with its first slide in it
    assert "2 ** 60 ways" not in html, "what is skipped is not shown"
    assert "Be the tape" in html
