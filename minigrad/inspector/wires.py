"""Where wires begin and end: a strip of columns, the order of the ports at each column, and how high each arc must be.

Everything is in units of columns and levels, so that any width can be drawn from it.
"""

import math

HIGHEST = 7  # levels; more are pressed together


def strip(columns, wires) -> dict:
    """The layout of some columns that stand beside each other.

    Args:
        columns: the ids, from left to right.
        wires: (key, from, to) for each wire between two of them.

    Returns:
        {"cols": ids, "wires": [[key, port, ports, port, ports, level]]}: of a column's ports which, at both ends.
    """
    place = {one: k for k, one in enumerate(columns)}
    spans = [(key, place[start], place[end]) for key, start, end in wires if start in place and end in place]
    ports = {}
    for key, start, end in spans:  # a wire that arrives stands left of one that leaves; nearer ends lie inside
        ports.setdefault(end, []).append((0, end - start, key))
        ports.setdefault(start, []).append((1, start - end, key))
    order = {
        (column, side, key): (k, len(found))
        for column, found in ports.items()
        for k, (side, _, key) in enumerate(sorted(found, key=nearest))
    }
    levels = levels_of(spans)
    return {"cols": list(columns), "wires": [[key, *order[start, 1, key], *order[end, 0, key], levels[key]] for key, start, end in spans]}


def nearest(port):
    side, distance, key = port
    slot = int(key.rpartition(".")[2])
    return side, distance, slot if side == 0 else -slot


def levels_of(spans) -> dict:
    """How high each arc is: above all arcs that lie within it, and above those that it would run along."""
    levels, drawn = {}, []
    for key, start, end in sorted(spans, key=lambda one: (one[2] - one[1], one[1], -int(one[0].rpartition(".")[2]))):
        below = [level for a, b, level in drawn if start <= a and b <= end]
        levels[key] = level = 1 + max(below, default=0)
        drawn.append((start, end, level))
    top = max(levels.values(), default=0)
    return levels if top <= HIGHEST else {key: 1 + (level - 1) * (HIGHEST - 1) / (top - 1) for key, level in levels.items()}


def scale_of(sizes) -> dict:
    """How the width of a wire tells the size of its gradient: linear, or logarithmic where the sizes differ too much."""
    sizes = [size for size in sizes if size]
    if not sizes:
        return {"kind": "linear", "low": 0.0, "high": 1.0}
    low, high = min(sizes), max(sizes)
    return {"kind": "linear" if high / low <= 40 else "log", "low": low, "high": high}


def width_of(size, scale) -> float:
    """From 0 (no gradient) to 1 (the largest)."""
    if not size:
        return 0.0
    if scale["kind"] == "linear":
        return round(size / scale["high"], 3)
    return round(0.1 + 0.9 * math.log(size / scale["low"]) / math.log(scale["high"] / scale["low"]), 3)
