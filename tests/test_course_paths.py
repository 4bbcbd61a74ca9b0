"""The ways through a lesson: with every change that it asks for, where what it promises appears and nothing else becomes
different, and in a hurry."""

import functools
import itertools
import re
import sys
from pathlib import Path

import nbformat
import pytest
from course_changes import CHANGES
from walking import RAISED, walked

sys.path.insert(0, str(Path(__file__).parent.parent / "course"))

import build
import minutes
from helpers import card as cards

PATHS = {path.name[:2]: path for path in build.lessons()}
ASKED = r"\*\*Change one thing|[Yy]ou should (?:see|read)"
BACK = r"\bback\b"
SEEN_ELSEWHERE = ["*Look again at", "stay to the end"]  # by the test of half a report; only on the screen
PAIRS = [(lesson, text) for lesson in CHANGES for text in CHANGES[lesson]]

pytestmark = pytest.mark.variants("lesson")
every_lesson = pytest.mark.parametrize("lesson", CHANGES)
every_change = pytest.mark.parametrize(("lesson", "text"), PAIRS, ids=map("-".join, PAIRS))


@functools.cache
def notebook(lesson):
    return nbformat.read(PATHS[lesson], as_version=4)


def asking(lesson):
    """The paragraphs that ask for a change, by their cells."""
    found = {}
    for cell in notebook(lesson).cells:
        asked = [one for one in cell.source.split("\n\n") if cell.cell_type == "markdown" and re.search(ASKED, one)]
        if asked and not any(words in one for one in asked for words in SEEN_ELSEWHERE):
            (found[cell.id],) = asked
    return found


def edits(lesson, text):
    return [one for one in CHANGES[lesson][text] if type(one) is tuple]


def in_words(lesson, text):
    """A promise that no number tells, as a regular expression."""
    return next((one for one in CHANGES[lesson][text] if type(one) is str), "")


# ---- walks -----------------------------------------------------------------------------------------------------------


def as_begun(cell):
    """A cell to run. A check is handed the solution."""
    checked = re.search(r'^check\("(.*?)".*', cell.source, re.MULTILINE)
    return cell.id, f"{cards.find(checked[1]).solution}\n{checked[0]}" if checked else cell.source


def walk(lesson, changes, back=False):
    """The cells of a lesson with its changes, or none. They are undone where the lesson says so, or each at once."""
    begun = dict(as_begun(cell) for cell in notebook(lesson).cells if cell.cell_type == "code")
    now, cells = dict(begun), []
    for cell in notebook(lesson).cells:
        cells += [[cell.id, begun[cell.id]]] if cell.id in begun else []
        if cell.id in changes:
            for k, (name, *words) in enumerate(edits(lesson, cell.id)):
                now[name] = edited(now.get(name, ""), *words)
                cells.append([f"{cell.id} {k}", now[name]])
            if back or re.search(BACK, asking(lesson)[cell.id]):
                undone = {name: begun[name] for name in changed(lesson, cell.id) if name in begun}
                now |= undone
                cells += [[f"{cell.id} back {name}", source] for name, source in undone.items()]
    return cells


def changed(lesson, text):
    """The cells that a change changes or runs again; none if it only runs one again."""
    made = edits(lesson, text)
    return dict.fromkeys(name for name, *_ in made) if any(words for _, *words in made) else {}


def edited(source, old="", new=""):
    """A source in which `old`, which is there once, is `new`."""
    old = old if isinstance(old, re.Pattern) else re.compile(re.escape(old))
    assert len(old.findall(source)) == 1 or not old.pattern
    return old.sub(lambda found: new, source, count=1)


def in_a_hurry(lesson):
    """The cells of the shorter way, each as it stands."""
    begin = next(k for k, cell in enumerate(notebook(lesson).cells) if cell.source.startswith("## "))
    way = [cell for section in minutes.hurry(notebook(lesson)) for cell in section]
    cells = [cell for cell in notebook(lesson).cells[:begin] if cell not in way] + way
    return [[cell.id, cell.source] for cell in cells if cell.cell_type == "code"]


@functools.cache
def seen(lesson):
    """What each cell says on each walk through a lesson."""
    changes = CHANGES[lesson]
    together = {"all changed": walk(lesson, changes), "each undone": walk(lesson, changes, back=True)}
    return walked({"as it is": walk(lesson, ()), **together, "in a hurry": in_a_hurry(lesson)})


def as_it_is(lesson, way):
    """Of a walk, the cells of the lesson, without those that were run again."""
    return {name: seen(lesson)[way][name] for name in seen(lesson)["as it is"]}


# ---- promises --------------------------------------------------------------------------------------------------------

END = r"[:;.]`?\s+(?=[^\d\s-])|\s\((?=[A-Z])"
TIMES = {"twice": 2, "both": 2, "three times": 3, "four times": 4}
TOKEN = r"(?<![\w.])-?\d+(?:\.\d*)?(?:e-?\d+)?(?!\w)|\b(?:None|nan|inf|[A-Z_]{4,}|[A-Z]\w+Error)\b"


def promised(paragraph):
    """What is to be seen, in order: numbers, None and the like, until the sentence ends or says why."""
    words = re.search(rf"[Yy]ou should (?:see|read)(.*?)(?:{END}|$)", paragraph.replace("\n", " "))[1]
    words = re.sub(r"in place of [^,]*|(?:above|section|layer) \d+", "", words).replace("\N{MINUS SIGN}", "-")
    once, times, rest = re.search(rf"^(.*?)(?:({'|'.join(TIMES)})(.*))?$", words).groups()
    return tokens(once) * TIMES.get(times, 1) + tokens(rest or "")


def tokens(words):
    """The numbers of a text, and the words that stand for one."""
    return re.findall(TOKEN, re.sub(r"(?:, )?(?:shape=\(.*?\)|dtype=\w+)", "", words))


def appears(wanted, told):
    """Are these there, in this order?"""
    there = iter(tokens(told))
    return all(any(same(one, other) for other in there) for one in wanted)


def same(one, other):
    """A number as far as the promise gives its digits."""
    try:
        off = abs(float(one) - float(other))
    except ValueError:
        return one == other
    return one == other or off < (0.51 * 10.0 ** -len(one.partition(".")[2]) if "." in one else 1e-9)


def keeps(lesson, text, told):
    """Does this keep what a text promises?"""
    return appears(promised(asking(lesson)[text]), told) and bool(re.search(in_words(lesson, text), told, re.MULTILINE))


# ---- tests -----------------------------------------------------------------------------------------------------------


@every_lesson
def test_each_change_that_a_lesson_asks_for_is_made(lesson):
    asks, pairs = asking(lesson), itertools.pairwise(notebook(lesson).cells)
    made_below = {text.id for text, below in pairs if asks.get(text.id, "").endswith(":") and below.cell_type == "code"}
    assert set(asks) - made_below == set(CHANGES[lesson])


@every_change
@pytest.mark.parametrize("way", ["all changed", "each undone"])
def test_what_is_promised_appears(lesson, text, way):
    told = "".join(said for name, said in seen(lesson)[way].items() if re.fullmatch(rf"{text} \d", name))
    assert keeps(lesson, text, told), told
    assert promised(asking(lesson)[text]) or in_words(lesson, text)


@every_change
def test_what_is_promised_was_not_there_before(lesson, text):
    """Or it would be there whatever the change does."""
    cells = dict.fromkeys(name for name, *_ in edits(lesson, text))
    before = "".join(seen(lesson)["as it is"].get(name, "") for name in cells)
    assert not keeps(lesson, text, before) or re.search(r"\b(again|once more)\b", asking(lesson)[text])


@every_lesson
@pytest.mark.parametrize("way", ["all changed", "each undone"])
def test_nothing_else_becomes_different(lesson, way):
    assert as_it_is(lesson, way) == seen(lesson)["as it is"]


@every_change
def test_what_is_put_back_is_as_it_was(lesson, text):
    for name in changed(lesson, text).keys() & seen(lesson)["as it is"].keys():
        assert seen(lesson)["each undone"][f"{text} back {name}"] == seen(lesson)["as it is"][name]


@every_lesson
def test_the_checks_say_yes(lesson):
    said = {name: told for name, told in seen(lesson)["as it is"].items() if name.startswith("check-")}
    assert not {name: told for name, told in said.items() if not re.match(rf"{lesson}\.\w+: yes", told)}


@every_lesson
def test_the_way_in_a_hurry_needs_nothing_that_it_leaves_out(lesson):
    said = seen(lesson)["in a hurry"]
    assert said
    assert not {name: told for name, told in said.items() if RAISED in told}
