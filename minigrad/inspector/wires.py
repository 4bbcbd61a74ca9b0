"""The layout of wires at any width: a strip of columns, the order of the ports at each, and the height of each arc, in levels."""

import math

HIGHEST = 7  # levels; more are scaled to this height


def strip(columns, wires) -> dict:
    """The layout of adjacent columns, whose ids are given from left to right, and of the wires: (key, from, to) for each.

    Returns:
        {"cols": ids, "wires": [[key, port, ports, port, ports, level]]}: which of a column's ports, at both ends.
    """
    place = {one: k for k, one in enumerate(columns)}
    spans = [(key, place[start], place[end]) for key, start, end in wires if start in place and end in place]
    ports = {}
    for key, start, end in spans:  # incoming wires are left of outgoing ones; shorter ones are further inside
        slot = int(key.rpartition(".")[2])
        ports.setdefault(end, []).append((0, end - start, slot, key))
        ports.setdefault(start, []).append((1, start - end, -slot, key))
    order = {(at, side, key): (k, len(some)) for at, some in ports.items() for k, (side, _, _, key) in enumerate(sorted(some))}
    levels = levels_of(spans)
    return {"cols": list(columns), "wires": [[key, *order[start, 1, key], *order[end, 0, key], levels[key]] for key, start, end in spans]}


def levels_of(spans) -> dict:
    """The level of each arc: above all arcs within its span, and above those with the same span."""
    levels, drawn = {}, []
    for key, start, end in sorted(spans, key=lambda one: (one[2] - one[1], one[1], -int(one[0].rpartition(".")[2]))):
        below = [level for a, b, level in drawn if start <= a and b <= end]
        levels[key] = level = 1 + max(below, default=0)
        drawn.append((start, end, level))
    top = max(levels.values(), default=0)
    return levels if top <= HIGHEST else {key: 1 + (level - 1) * (HIGHEST - 1) / (top - 1) for key, level in levels.items()}


def scale_of(sizes) -> dict:
    """The scale from gradient sizes to wire widths: linear, or logarithmic if the sizes differ too much."""
    sizes = [size for size in sizes if size] or [1.0]
    low, high = min(sizes), max(sizes)
    return {"kind": "linear" if high / low <= 40 else "log", "low": low, "high": high}


def width_of(size, scale) -> float:
    """The width of a wire, from 0 (no gradient) to 1 (the largest)."""
    if not size:
        return 0.0
    if scale["kind"] == "linear":
        return round(size / scale["high"], 3)
    return round(0.1 + 0.9 * math.log(size / scale["low"]) / math.log(scale["high"] / scale["low"]), 3)
