"""The user's source lines, as the code pane shows them: those of the cells (or functions) in which something happened."""

import linecache

from ..errors import visible
from ..tracing.source import position

WHOLE = 80  # a file of up to so many lines is shown whole, as cells of a notebook are


class Code:
    """The lines around some places, numbered as in their file, or one after the other if there are several files.

    Attributes:
        lines: {"n", "text"} for each line to show.
    """

    def __init__(self, places):
        used = {}
        for place in places:
            used.setdefault(place.code.co_filename, set()).add(line_of(place))
        texts = {file: text for file in used if (text := linecache.getlines(file))}
        self.lines, self.numbers = [], {}
        for file in texts:
            for n in wanted(used[file], texts[file]):
                shown = n if len(texts) == 1 else len(self.lines) + 1
                self.numbers[file, n] = shown
                text = visible(texts[file][n - 1].rstrip().expandtabs())
                self.lines.append({"n": shown, "text": text})

    def line(self, place) -> "int | None":
        """The number under which the line of a place is shown."""
        return None if place is None else self.numbers.get((place.code.co_filename, line_of(place)))


def line_of(place) -> int:
    return position(place.code, place.instruction)[0]


def wanted(used, text):
    """Which lines of a file: all of a short one; of a longer one the stretch that was used, or the lines with their neighbours."""
    used = [n for n in used if n and n <= len(text)]
    last = max((n for n, line in enumerate(text, 1) if line.strip()), default=0)
    if last <= WHOLE:
        return range(1, last + 1)
    first, last = max(1, min(used, default=1) - 2), min(last, max(used, default=1) + 1)
    if last - first <= 2 * WHOLE:
        return range(first, last + 1)
    return sorted({n for line in used for n in (line - 1, line, line + 1) if 1 <= n <= len(text)})
