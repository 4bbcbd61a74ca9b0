"""`minigrad class`: which exercises a class has solved and which known mistakes it met, from handed-in codes."""

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ..errors import visible
from .course import lessons, module, title
from .telling import Trouble, remark, shown

CODE = re.compile(r"[A-Za-z2-7]{8}(?:-[A-Za-z2-7]{1,8})+")
MOST = 3  # mistakes that are shown for an exercise
WIDTH = 90  # characters of the text on one mistake


def summarise(codes: str, picture: str | None) -> int:
    """Print for each exercise how many solved it, and how often each known mistake came first.

    Args:
        codes: a text file with one code per line, possibly among other text; "-" reads what is typed.
        picture: an image file to write, with a bar for each exercise; None for none.

    Returns:
        The exit code: 1 if a line contains a code that cannot be read.

    Raises:
        Trouble: no code can be read, or the picture cannot be drawn.
        OSError: the file cannot be read.
    """
    content = Path(codes).read_bytes() if codes != "-" else sys.stdin.buffer.read() if sys.stdin else b""
    found, bad = read(content.decode(errors="replace"))
    for problem in bad:
        remark(problem)
    if not found:
        raise Trouble(f"There is no code in {shown(codes)}.", "in a lesson: progress(); its last line is the code")
    print(f"{len(found)} code{'s' * (len(found) != 1)}")
    rows = [row for lesson in lessons() for row in rows_of(lesson.name[:2], found)]
    for lesson in lessons():
        own = [row for row in rows if row[0].startswith(lesson.name[:2])]
        if any(solved or mistakes for _, solved, mistakes in own):
            print(f"\n{lesson.name[:2]} {title(lesson)}")
            for exercise, solved, mistakes in own:
                tell(exercise, solved, mistakes, len(found))
    if picture is not None:
        draw(rows, len(found), picture)
    return 1 if bad else 0


def read(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The content of the codes in a text, and what is wrong with those that cannot be read."""
    found, bad = [], []
    for number, line in enumerate(text.splitlines(), 1):
        for code in CODE.findall(line):
            try:
                found.append(module("helpers.handing_in").read(code))
            except ValueError as problem:
                bad.append(f"line {number}, {shown(code)}: {problem}.")
    return found, bad


def rows_of(lesson: str, found: list[dict[str, Any]]) -> list[tuple[str, int, Counter]]:
    """For each exercise of a lesson: how many solved it, and how many met each known mistake first."""
    return [
        (name, sum(one[name][0] for one in found), Counter(one[name][1] for one in found if one[name][1]))
        for name in module("helpers.card").cards_of(lesson)
    ]


def tell(exercise: str, solved: int, mistakes: Counter, learners: int) -> None:
    """Print a line of the table, and a line for each of the most frequent mistakes."""
    bar = "#" * round(20 * solved / learners)
    print(f"  {exercise:8}[{bar:20}] {solved} of {learners}")
    for number, times in mistakes.most_common(MOST):
        text = module("helpers.card").find(exercise).replies[number - 1].text.lstrip(": ")
        print(f"          {times} x {visible(text if len(text) <= WIDTH else text[: WIDTH - 4] + ' ...', None)}")


def draw(rows: list[tuple[str, int, Counter]], learners: int, file: str) -> None:
    """Draw an image: for each exercise, how many solved it, and how many met a known mistake first.

    Raises:
        Trouble: matplotlib is missing, or does not support this image format.
    """
    try:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 0.8 + 0.22 * len(rows)), layout="constrained")
        axes = figure.subplots()
        names = [exercise for exercise, _, _ in rows]
        axes.barh(names, [solved for _, solved, _ in rows], height=0.8, color="#4477aa", label="solved")
        met = [sum(mistakes.values()) for _, _, mistakes in rows]
        axes.barh(names, met, height=0.35, color="#ee7733", label="met a known mistake first")
        axes.set(xlim=(0, learners), xlabel=f"learners, of {learners}", ylim=(len(rows) - 0.4, -0.6))
        axes.legend(loc="lower right")
        figure.savefig(file)
    except (ImportError, ValueError) as problem:
        instead = "minigrad class CODES.txt --picture class.png"
        raise Trouble(f"The picture cannot be drawn ({problem}).", instead) from None
