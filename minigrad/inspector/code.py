"""The user's source lines for the code pane: those of the cells (or functions) in which something happened."""

import linecache

from ..errors import visible

WHOLE = 80  # lines; a file with at most so many is shown completely, as are notebook cells


class ShownCode:
    """The `lines` around some places, numbered as in their file, or consecutively if there are several files."""

    def __init__(self, places):
        used = {}
        for place in places:
            used.setdefault(place.code.co_filename, set()).add(place.spot[1])
        texts = {file: text for file in used if (text := linecache.getlines(file))}
        self.lines, self.numbers = [], {}
        for file in texts:
            for n in wanted(used[file], texts[file]):
                shown = n if len(texts) == 1 else len(self.lines) + 1
                self.numbers[file, n] = shown
                self.lines.append({"n": shown, "text": visible(texts[file][n - 1].rstrip().expandtabs())})

    def line(self, place) -> "int | None":
        """The number that is shown for the line of a place."""
        return place and self.numbers.get((place.code.co_filename, place.spot[1]))


def wanted(used, text):
    """The lines of a file to show: all of a short file; otherwise the stretch that was used, or each line with its neighbours."""
    used = [n for n in used if n and n <= len(text)] or [1]
    last = max((n for n, line in enumerate(text, 1) if line.strip()), default=0)
    if last <= WHOLE:
        return range(1, last + 1)
    first, last = max(1, min(used) - 2), min(last, max(used) + 1)
    if last - first <= 2 * WHOLE:
        return range(first, last + 1)
    return sorted({n for line in used for n in (line - 1, line, line + 1) if 1 <= n <= len(text)})
