"""What is drawn folded: loops, whose turns run the same lines again and again, and layers, which are one line of many ops."""

from ..tracing.source import expression_text
from .summary import norm_shown

MANY = 60  # ops from which on loops are folded
TURNS = 3  # at least
LAYER = 3  # ops that a layer has at least, to be drawn as one
WIDE = 60  # frames of a turn, beyond which none is sent
LONG = 400  # frames that are sent at most; longer stretches without a loop are folded into bars


def loops(keys, most_periods=8):
    """Where a sequence repeats itself: (first, per, turns), in order and apart from each other.

    Args:
        keys: what ran, one for each frame.
        most_periods: how many lengths of a turn are tried at each place.
    """
    following, last = [0] * len(keys), {}
    for k in range(len(keys) - 1, -1, -1):
        following[k] = last.get(keys[k], 0)
        last[keys[k]] = k
    found, k = [], 0
    while k < len(keys):
        best, other = (0, 0), following[k]
        for _ in range(most_periods):
            if not other:
                break
            turns = repeats(keys, k, other - k)
            if turns >= TURNS and turns * (other - k) > best[0] * best[1]:
                best = other - k, turns
            other = following[other]
        if best[0]:
            found.append((k, *best))
        k += best[0] * best[1] or 1
    return found


def repeats(keys, first, per):
    """How many whole turns of this length there are."""
    end = first + per
    while end < len(keys) and keys[end] == keys[end - per]:
        end += 1
    return (end - first) // per


def stretches(count, taken):
    """What to fold besides loops if too many frames are left: (first, per, turns) for each long stretch."""
    free, start = [], 0
    for first, per, turns in [*taken, (count, 0, 0)]:
        if first > start:
            free.append((start, first - start))
        start = first + per * turns
    left = sum(length for _, length in free) + sum(3 * per for _, per, _ in taken)
    if left <= LONG:
        return []
    found = []
    for first, length in free:
        per = max(8, length // 60)
        if length // per >= TURNS:
            found.append((first, per, length // per))
    return found


def layers(frames, taken):
    """Stretches of ops that ran in one call of a layer or a function, outside of the loops: (first, per, 1) for each."""
    inside = {k for first, per, turns in taken for k in range(first, first + per * turns)}
    found, start = [], 0
    homes = [None if k in inside else home(frame) for k, frame in enumerate(frames)]
    for k in range(1, len(frames) + 1):
        if k == len(frames) or homes[k] != homes[start]:
            if homes[start] is not None and LAYER <= k - start <= WIDE:
                found.append((start, k - start, 1))
            start = k
    return found


def home(frame):
    """The user's function that an op ran in; at the top of a cell or file, the very call that ran it, if that was a layer's."""
    if frame.place is None or frame.by is not None:
        return None
    if frame.place.code.co_name != "<module>":
        return frame.place.code
    return (frame.place.code, frame.place.instruction) if getattr(frame.event, "called", "") == "__call__" else None


# ---- as plain data -----------------------------------------------------------------------------------------------------


def folded(model):
    """(kind, first, per, turns) of each stretch that is drawn folded."""
    frames = model.film.frames
    if len(frames) <= MANY:
        return []
    numbers = {}
    where = [(frame.place.code, frame.place.instruction) if frame.place is not None else frame.op for frame in frames]
    found = loops([numbers.setdefault(one, len(numbers)) for one in where])
    if sum(3 * per for _, per, _ in found if per <= WIDE) > LONG:  # too many small ones: bars are shorter
        found = []
    others = [("run", *one) for one in stretches(len(frames), found)] or [("layer", *one) for one in layers(frames, found)]
    return sorted([*[("loop", *one) for one in found], *others], key=lambda one: one[1])


def sent(model):
    """The frames that are sent: all but those in turns that are neither the first, the last nor the open one."""
    hidden = set()
    for k, (_, first, per, turns) in enumerate(model.loops):
        shown_turns = {0, turns - 1, open_turn(model, k)} if per <= WIDE else set()
        for turn in set(range(turns)) - shown_turns:
            hidden.update(range(first + turn * per, first + (turn + 1) * per))
    return [k for k in range(len(model.film.frames)) if k not in hidden]


def open_turn(model, k):
    """The turn that is open at first."""
    return model.loops[k][3] // 2


def fold_shown(model, k) -> dict:
    """A fold: two numbers for each turn, the size of what it carries on and that of its gradient."""
    kind, first, per, turns = model.loops[k]
    frames = model.film.frames
    carry = carried(model, first, per)
    slopes = {}
    for reading in model.film.readings[-1:]:
        slopes = {read.frame: read.upstream for read in reading.reads}
    line = min((n for n in (model.code.line(frames[f].place) for f in range(first, first + per)) if n), default=None)
    head = loop_head(model, line)
    label = head if kind == "loop" and head else f"frames {first} to {first + per * turns - 1}"
    label = layer_name(frames[first]) if kind == "layer" else label
    ends = [first + turn * per + carry for turn in range(turns)]
    return {
        "id": k, "kind": kind, "line": line, "first": first, "per": per, "turns": turns, "carry": carry, "open": open_turn(model, k),
        "label": label,
        "written": [norm_shown(frames[f].value) for f in ends], "read": [norm_shown(slopes.get(f)) for f in ends],
    }  # fmt: skip


def layer_name(frame) -> str:
    code = frame.place.code
    return expression_text(frame.place) or "layer" if code.co_name == "<module>" else code.co_name


def carried(model, first, per):
    """The frame of a turn, counted in the turn, whose value the next turn uses."""
    frames, made = model.film.frames, model.film.made
    later = [node for f in range(first + per, min(first + 2 * per, len(frames))) for node in frames[f].inputs]
    return max((made[node] - first for node in later if node in made and first <= made[node] < first + per), default=per - 1)


def loop_head(model, line):
    """`for i in range(50)`: the nearest head of a loop above a line, less indented than it."""
    texts = {one["n"]: one["text"] for one in model.code.lines}
    if line is None:
        return ""
    indent = len(texts[line]) - len(texts[line].lstrip())
    for n in range(line, 0, -1):
        text = texts.get(n, "")
        head = text.strip()
        if head.startswith(("for ", "while ")) and (len(text) - len(text.lstrip()) < indent or n == line):
            return head.rstrip(":") if n != line else head
    return ""
