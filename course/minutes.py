"""How long a lesson takes somebody who reads slowly, counted from what stands in it, and written into its headings.

A slow reader reads 140 words in a minute, and a line of code in three seconds; thinks half a minute before a guess; needs a minute to
change one thing and see it, one to ask a witness in a cell of their own, half of one for a film or a picture, and two to four for a
check, the longer its solution is. What is marked as deeper is not counted.
"""

import itertools
import re
from functools import partial

from helpers.card import find

WORDS = 140  # read in a minute
LINE = 3 / 60  # minutes for a line of code
GUESS, CHANGE, OWN, PICTURE = 0.5, 1.0, 1.0, 0.5  # minutes
TASK = 2.0, 4.0  # minutes for a check, least and most
LINES = 8  # of a solution that takes the most
UNIT = 25  # minutes that nobody should have to sit for longer

DONE = {
    r"\*\*(?:Predict|Try)": GUESS,
    r"\*\*Change one thing": CHANGE,
    r"^# (?:ask the tape|which tape)": OWN,
    r"mg\.inspect\(|plt\.show\(": PICTURE,
}
HURRY = {  # the sections of the way in a hurry; of one that is not taken whole, its last cell
    "00": ["3 "],
    "01": ["A sledge", "3 ", "The question, answered"],
    "02": ["A balloon", "2 ", "The question, answered"],
    "03": ["A lamp", "1 ", "5 ", "The question, answered"],
    "04": ["A storm", "2 ", ("3 ", "run-3"), "4 ", "The question, answered"],
    "05": ["Three sliders", "1 ", "2 ", ("4 ", "run-4"), "The question, answered"],
    "06": ["A ball", "2 ", "The question, answered"],
    "07": ["A shower", "1 ", "2 ", "The question, answered"],
    "08": ["A ball", "1 ", ("2 ", "run-2"), "The question, answered"],
    "09": ["A boat", "2 ", "4 ", "The question, answered"],
    "10": ["A pale photo", "1 ", "2 ", "The question, answered"],
    "11": ["Two moons", ("1 ", "run-1"), ("2 ", "why-2"), ("3 ", "explain-3-why"), "4 ", "The question, answered"],
    "12": ["A washing line", ("1 ", "inspect-1"), "4 ", "The question, answered"],
    "13": ["1 ", "3 ", "5 "],
    "14": ["Case 1", "Case 4"],
    "15": ["A day", "1 ", ("3 ", "why-3"), ("7 ", "section-7-change")],
    "16": ["A greenhouse", "1 ", "2 ", "3 "],
}
HEAD = re.compile(r"(\d+) minutes: (\d+) to read, (\d+) to do")
QUICK = re.compile(r"(In a hurry\?.*?: )\d+ minutes")
HEADING = re.compile(r"^(##+ .*?) \(\d+ minutes?", re.MULTILINE)


def reading(cells):
    """Minutes to read these cells."""
    return sum(words(cell.source) / WORDS if cell.cell_type == "markdown" else lines(cell.source) * LINE for cell in cells)


def doing(cells):
    """Minutes for what is to be done in them."""
    text = "\n".join(cell.source for cell in cells)
    asked = sum(len(re.findall(what, text, re.MULTILINE)) * minutes for what, minutes in DONE.items())
    return asked + sum(map(task, re.findall(r'^check\("(.*?)"', text, re.MULTILINE)))


def task(exercise):
    """Minutes for a check."""
    least, most = TASK
    return least + (most - least) * min(1.0, lines(find(exercise).solution) / LINES)


def words(text):
    return len(re.findall(r"[^\W_]+(?:['.][^\W_]+)*", re.sub(r"\]\(\S*\)", "]", text)))


def lines(code):
    return len([line for line in code.splitlines() if line.strip()])


def taken(cells):
    """Whole minutes for these cells, one at least."""
    return max(1, round(reading(cells) + doing(cells)))


def split(cells, mark):
    """Cells in groups that begin with such a heading; what stands before the first belongs to it."""
    groups = [[]]
    for cell in cells:
        if "deeper" not in cell.id:
            here = cell.cell_type == "markdown" and re.search(rf"^{mark} ", cell.source, re.MULTILINE)
            begun = any(re.search(rf"^{mark} ", one.source, re.MULTILINE) for one in groups[-1] if one.cell_type == "markdown")
            groups = [*groups, [cell]] if here and begun else [*groups[:-1], [*groups[-1], cell]]
    return groups


def parts(section):
    """The parts of a section; a section that is not divided is its only part."""
    return split(section, "###")


def sections(notebook):
    return split(notebook.cells, "##")


def minutes(section):
    return sum(map(taken, parts(section)))


def units(notebook):
    """The minutes between one pause and the next."""
    found = [0]
    for section in sections(notebook):
        found[-1] += minutes(section)
        if any(cell.id.startswith("pause") for cell in section):
            found.append(0)
    return found


def hurry(notebook):
    """The cells of the way in a hurry, section by section; the cells before the first section are in front."""
    there = {name_of(section): section for section in sections(notebook)}
    lesson = re.match(r"# (\d\d)", notebook.cells[0].source)[1]
    ways = []
    for stop in HURRY[lesson]:
        start, last = stop if isinstance(stop, tuple) else (stop, None)
        (section,) = [one for name, one in there.items() if name.startswith(start)]
        ids = [cell.id for cell in section]
        ways.append(section[: ids.index(last) + 1 if last else None])
    return ways


def name_of(section):
    return next(cell.source for cell in section if cell.cell_type == "markdown" and cell.source.startswith("## "))[3:]


def state(notebook):
    """Write the minutes of a lesson into its head and its headings."""
    found = sections(notebook)
    whole = sum(map(minutes, found))
    read = min(whole - 1, round(sum(map(reading, found))))
    head = notebook.cells[0]
    head.source = HEAD.sub(f"{whole} minutes: {read} to read, {whole - read} to do", head.source)
    head.source = QUICK.sub(rf"\g<1>{sum(map(minutes, hurry(notebook)))} minutes", head.source)
    for section in found:
        lengths = iter([minutes(section), *(map(taken, parts(section)) if len(parts(section)) > 1 else ())])
        for cell in section:
            if cell.cell_type == "markdown":
                cell.source = HEADING.sub(partial(stated, lengths), cell.source)


def stated(lengths, heading):
    return f"{heading[1]} ({plural(next(lengths))}"


def plural(number):
    return f"{number} minute{'s' * (number != 1)}"


def tabled(text, lessons):
    """A text in which the tables of lessons give the minutes of these notebooks, by number."""
    for number, notebook in lessons.items():
        text = re.sub(rf"^(\| {number} \| .* \| )\d+( \|)$", rf"\g<1>{whole_of(notebook)}\2", text, flags=re.MULTILINE)

    def added_up(row):
        return f"{row[1]}{sum(whole_of(lessons[number]) for number in row[2].split(', '))} |"

    return re.sub(r"^(\| .*? \| ((?:\d\d, )+\d\d) \| )\d+ \|$", added_up, text, flags=re.MULTILINE)


def whole_of(notebook):
    return int(HEAD.search(notebook.cells[0].source)[1])


def alone(notebook):
    """A sentence for teachers."""
    found = units(notebook)
    rests = f", with a pause after {' and '.join(map(str, itertools.accumulate(found[:-1])))}" if len(found) > 1 else ""
    return f"**Alone,** a slow reader takes {sum(found)} minutes{rests}."
