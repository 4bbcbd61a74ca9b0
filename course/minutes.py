"""How long a lesson takes somebody who reads slowly, counted from what stands in it.

A slow reader reads 120 words in a minute, and a line of code in four seconds; thinks half a minute before a guess; needs a minute to
change one thing and see it, half of one for a film or a picture, and two to four for a check, the longer its solution is.
"""

import re

from helpers.card import find

WORDS = 120  # read in a minute
LINE = 4 / 60  # minutes for a line of code
GUESS, CHANGE, PICTURE = 0.5, 1.0, 0.5  # minutes
TASK = 2.0, 4.0  # minutes for a check, least and most
LINES = 8  # of a solution that takes the most

DONE = {r"\*\*(?:Predict|Try)": GUESS, r"\*\*Change one thing": CHANGE}


def reading(cells):
    """Minutes to read these cells."""
    return sum(words(cell.source) / WORDS if cell.cell_type == "markdown" else lines(cell.source) * LINE for cell in cells)


def doing(cells):
    """Minutes to guess, to change one thing, to look at what is drawn, and for the checks."""
    texts = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    asked = sum(len(re.findall(what, texts)) * minutes for what, minutes in DONE.items())
    shown = len(re.findall(r"mg\.inspect\(|plt\.show\(", code)) * PICTURE
    return asked + shown + sum(map(task, re.findall(r'^check\("(.*?)"', code, re.MULTILINE)))


def task(exercise):
    """Minutes for a check."""
    least, most = TASK
    return least + (most - least) * min(1.0, lines(find(exercise).solution) / LINES)


def words(text):
    return len(re.findall(r"[^\W_]+(?:['.][^\W_]+)*", re.sub(r"\]\(\S*\)", "]", text)))


def lines(code):
    return len([line for line in code.splitlines() if line.strip()])
