"""Folds equal turns of a written text into a `for`: each uses the results of the one before, and nothing else does."""

import ast
from itertools import chain, pairwise

LONGEST = 64  # lines in a turn
FEWEST = 3  # turns in a loop
WIDEST = 90  # columns of the line with the `for`


class SlottedLine:
    """A line split at its slots: the names and numbers in which lines of the same shape may differ."""

    def __init__(self, text):
        nodes = list(ast.walk(ast.parse(text)))
        places = sorted((one.col_offset, one.end_col_offset) for one in nodes if is_slot(one))
        pieces = [text.encode()[a:b].decode() for a, b in pairwise([0, *chain(*places), None])]
        self.shape, self.slots = pieces[::2], pieces[1::2]
        assigned = [one.targets[0] for one in nodes if isinstance(one, ast.Assign)]
        self.defines = bool(assigned) and isinstance(assigned[0], ast.Name)

    def filled(self, slots):
        return "".join(chain(*zip(self.shape, [*slots, ""])))


def is_slot(node):
    return isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) in (int, float))


class Body:
    """The lines of a function; the last one returns.

    Attributes:
        sources: for each line, the lines that define the values of its slots; None where no line does.
        last: line -> the last one that reads what it defines.
        names: line in a loop -> the name that it defines.
    """

    def __init__(self, texts):
        self.lines, self.sources, self.last, self.names = [SlottedLine(text) for text in texts], [], {}, {}
        latest = {}
        for k, line in enumerate(self.lines):
            sources = [latest.get(slot) for slot in line.slots]
            if line.defines:
                latest[line.slots[0]] = sources[0] = k
            self.sources.append(sources)
            self.last.update(dict.fromkeys(sources, k))

    def slots(self, k):
        return [self.names.get(source, slot) for source, slot in zip(self.sources[k], self.lines[k].slots)]

    def written(self, lines):
        return [self.lines[k].filled(self.slots(k)) for k in lines]

    def turns(self):
        """Sequences of equal turns, in order; of two that overlap, the one that saves more lines."""
        found, chosen = [], []
        for length in range(1, LONGEST + 1):
            end = 0
            for start, run in enumerate(self.runs(length)):
                if start >= end and run >= length:
                    turns = Turns(self, start, length)
                    found += [turns] if turns.count >= FEWEST and turns.saved > 1 else []
                    end = turns.end - length
        for turns in sorted(found, key=lambda one: -one.saved):
            if all(turns.end <= one.start or one.end <= turns.start for one in chosen):
                chosen.append(turns)
        return sorted(chosen, key=lambda one: one.start)

    def runs(self, length):
        """For each line, how many from it on may be of turns of this length: each is like the line one turn later."""
        runs = [0]
        for k in reversed(range(len(self.lines) - length)):
            may_be = self.last.get(k, k) < k + 2 * length and self.lines[k].shape == self.lines[k + length].shape
            runs.append(runs[-1] + 1 if may_be else 0)
        return runs[:0:-1]


class Turns:
    """Equal turns from a given line on, as many as possible."""

    def __init__(self, body, start, length):
        self.body, self.start, self.length, self.count = body, start, length, 1
        # for each slot, the line of its turn that it reads, as an offset; negative for the previous turn
        self.reads = self.offsets(1) if self.goes_on() else []
        if self.offsets(0) == [None if x is not None and x < 0 else x for x in self.reads]:
            while self.goes_on() and self.offsets(self.count) == self.reads:
                self.count += 1
        self.end, self.saved = start + self.count * length, (self.count - 1) * length - 1

    def turn(self, k):
        return range(self.start + k * self.length, self.start + (k + 1) * self.length)

    def offsets(self, k):
        first = self.turn(k).start
        sources = chain(*self.body.sources[first : first + self.length])
        return [None if x is None or x < self.start else x - first for x in sources]

    def goes_on(self):
        """Whether the lines of another turn follow, and nothing after them reads what the last turn defines."""
        last, then, lines = self.turn(self.count - 1), self.turn(self.count), self.body.lines
        unread = then.stop < len(lines) and all(self.body.last.get(k, k) < then.stop for k in last)
        return unread and all(lines[a].shape == lines[b].shape for a, b in zip(last, then))

    def loop(self, new):
        """The lines of the loop; or of its turns, if it is too wide or a turn reads a value that it has replaced."""
        body, turns = self.body, [self.turn(k) for k in range(self.count)]
        *_, last_turn = turns
        columns = list(zip(*[chain(*map(body.slots, turn)) for turn in turns]))  # the texts of each slot
        outside = [texts for texts, x in zip(columns, self.reads) if x is None]
        varying = {texts: new(wish(texts)) for texts in outside if len(set(texts)) > 1}
        head = f"for {', '.join(varying.values()) or '_'} in {over([*varying], self.count)}:"
        places = [k for k, line in enumerate(last_turn) for _ in body.lines[line].slots]
        carried = [(k, x + self.length, texts[0]) for k, x, texts in zip(places, self.reads, columns) if (x or 0) < 0]
        first = {x: text for _, x, text in carried}
        if len(head) > WIDEST or any(k > x or text != first[x] for k, x, text in carried):
            return body.written(range(self.start, self.end))
        names = self.named(first, {*chain(*outside)}, new)
        body.names.update({turn[k]: name for turn in turns for k, name in names.items()})
        texts = iter(columns)
        lines = [body.lines[k].filled([varying.get(next(texts), slot) for slot in body.slots(k)]) for k in last_turn]
        kept = [name for k, name in names.items() if k in first or body.last.get(last_turn[k], k) >= self.end]
        last = f"return {', '.join(sorted({*kept, *chain(*outside)}))}"
        inner = folded([*lines, last], new)
        before = [f"{names[x]} = {text}" for x, text in first.items() if names[x] != text]
        return [*before, head, *[f"    {line}" for line in (inner[:-1] if inner[-1] == last else lines)]]

    def named(self, first, taken, new):
        """A name for the value that each line defines: if it is free, that of the initial value of the first turn.

        Args:
            first: line of a turn -> what the first turn reads in place of a value from the previous turn.
            taken: names that the loop reads.
        """
        lines, names, again = self.body.lines, {}, {}
        for k in range(self.end, len(lines)):
            read = zip(self.body.slots(k), self.body.sources[k])
            taken |= {slot for slot, source in read if source is None or source < self.start}
            if lines[k].defines:
                again.setdefault(lines[k].slots[0], k)
        for k, line in enumerate(self.turn(0)):
            if lines[line].defines:
                begun, own = first.get(k, ""), lines[line].slots[0]
                used = self.body.last.get(self.turn(self.count - 1)[k], k)
                wishes = [begun] * begun.isidentifier() + [own] * (own not in first.values())
                free = [one for one in wishes if one not in taken and used <= again.get(one, used)]
                names[k] = free[0] if free else new(own)
                taken.add(names[k])
        return names


def wish(texts):
    """A name for a loop variable."""
    stems = {text.rstrip("_0123456789") for text in texts}
    return stems.pop() if len(stems) == 1 and texts[0].isidentifier() else "k"


def over(varying, count):
    """The iterable of the `for`."""
    if not varying:
        return f"range({count})"
    if len(varying) == 1 and all(text.isdigit() for text in varying[0]):
        numbers = [int(text) for text in varying[0]]
        step = numbers[1] - numbers[0]
        if step and numbers == [*range(numbers[0], numbers[0] + count * step, step)]:
            return f"range({count})" if numbers == [*range(count)] else str(range(numbers[0], numbers[-1] + step, step))
    rows = [f"({', '.join(row)})" if len(row) > 1 else row[0] for row in zip(*varying)]
    return f"({', '.join(rows)})"


def folded(texts, new):
    """The lines of a function, with loops in place of equal turns.

    Args:
        texts: the lines; the last one returns.
        new: returns a free name similar to a given one.
    """
    body, lines, done = Body(texts), [], 0
    for turns in body.turns():
        lines += [*body.written(range(done, turns.start)), *turns.loop(new)]
        done = turns.end
    return lines + body.written(range(done, len(texts)))
