"""A still picture of a film, as SVG or PNG, for pages without JavaScript, for GitHub, email and print."""

import html
import io
import math
import re
import textwrap

from ..tracing.values import brief
from .arrays import spread

WIDE = 960  # pixels
LEFT, TURN, GAP = 78, 96, 12  # the names of the rows, the turn at the right end, the gap between sources and ops
MOST = 24  # columns of a strip
INK, SOFT, BLUE, ORANGE, CRIMSON, LINE = "#1d2125", "#565d66", "#0b57a4", "#9a4200", "#b3003c", "#c9ced4"
BLUE_GROUND, ORANGE_GROUND, PLUS, MINUS, EMPTY = "#e6effb", "#fdeee0", "#00694e", "#7a2d9c", "#f1f3f5"
SANS, MONO = "system-ui, 'DejaVu Sans', sans-serif", "ui-monospace, 'DejaVu Sans Mono', monospace"
RIGHT_TO_LEFT = r"\w*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]\w*"  # a name that must turn nothing around that stands beside it
FLAT = 0.62  # the width of a letter, relative to the font size


class Canvas:
    """Texts and paths, in the order in which they are drawn, as SVG or PNG."""

    def __init__(self):
        self.width, self.height, self.marks = WIDE, 0.0, []

    def path(self, points, stroke="none", thick=1.0, dash="", fill="none"):
        """Add a path: a point ends a straight line, a tuple of three points is a Bézier curve, and None starts a new subpath."""
        if points:
            self.marks.append(("path", points, stroke, thick, dash, fill))

    def rect(self, x, y, w, h, fill="none", stroke="none", dash=""):
        self.path(corners(x, y, max(w, 0), h), stroke, dash=dash, fill=fill)

    def text(self, x, y, text, size, fill=INK, anchor="start", bold=False, mono=False, room=None, turned=False):
        """Add a text; if it is too wide for its room, it is made smaller, and finally cut at its end.

        From a list, the first text that fits is used, and none is cut: numbers and shapes are shown in full or not at all.
        A text that is `turned` goes upwards, with its middle at this place.
        """
        most = math.inf if room is None else int(room / (FLAT * 8.0))
        if isinstance(text, list):
            text = next((one for one in text if len(spread(one)) <= most), "")
        text = spread(text)
        if room is not None and len(text) * size * FLAT > room:
            size = max(8.0, room / (FLAT * len(text)))
            head = text[:most]  # cut after a word, if there is one, and not after a number or in it
            text = text if text == head else re.sub(r"[\d., ]+$", "", head.rpartition(" ")[0] or head[:-1]) + "…"
        if text:
            self.marks.append(("text", x, y, text.replace("\0", ""), size, fill, anchor, bold, mono, turned))

    def svg(self, title) -> str:
        size = f'viewBox="0 0 {self.width} {self.height:.0f}" width="{self.width}" height="{self.height:.0f}"'
        ground = f'<title>{html.escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>'
        return "".join([f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>{ground}', *map(svg_of, self.marks), "</svg>"])

    def png(self) -> bytes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width / 96, self.height / 96), dpi=144, facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        axes.axis("off")
        for mark in self.marks:
            draw(axes, mark)
        buffer = io.BytesIO()
        FigureCanvasAgg(figure).print_png(buffer)
        return buffer.getvalue()


def corners(x, y, w, h) -> list:
    """The closed path around a rectangle."""
    return [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)]


def oval(x, y, rx, ry) -> list:
    return [(x - rx, y), *[((x - a, y - b), (x + a, y - b), (x + a, y)) for a, b in ((rx, ry * 4 / 3), (-rx, -ry * 4 / 3))]]


def cross(x, y, side) -> list:
    return [(x, y), (x + side, y + side), None, (x, y + side), (x + side, y)]


def pieces(points):
    """The segments of a path: for each, its SVG command and its points."""
    for before, point in zip([None, *points], points):
        if point is not None:
            yield ("C", point) if len(point) == 3 else ("M" if before is None else "L", [point])


def svg_of(mark) -> str:
    kind, *rest = mark
    if kind == "path":
        points, stroke, thick, dash, fill = rest
        line = "" if stroke == "none" else f' stroke="{stroke}" stroke-width="{thick:.1f}"'
        line += f' stroke-dasharray="{dash}"' if dash else ""
        way, at = "", ["", ""]
        for letter, ends in pieces(points):
            to = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends).replace(".0", "")
            before, at = at, to.rpartition(" ")[2].split(",")
            level, upright = [letter == "L" and now == then for now, then in zip(at[::-1], before[::-1])]
            vertical = f"V{at[1]}" if upright else letter + to
            way += f"H{at[0]}" if level else vertical
        return f'<path d="{way}" fill="{fill}"{line}/>'
    x, y, text, size, fill, anchor, bold, mono, turned = rest
    text = re.sub(RIGHT_TO_LEFT, "\u2068\\g<0>\u2069", html.escape(text))
    look = f'font-family="{MONO if mono else SANS}" font-size="{size:.1f}" font-weight="{600 if bold else 400}"'
    x, turn = (x + size / 3, f' transform="rotate(-90 {x + size / 3:.1f} {y:.1f})"') if turned else (x, "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{turn} {look} fill="{fill}" text-anchor="{anchor}">{text}</text>'


def draw(axes, mark):
    """Draw a mark on Matplotlib axes."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    kind, *rest = mark
    if kind == "text":
        x, y, text, size, fill, anchor, bold, mono, turned = rest
        side, text = {"start": "left", "middle": "center", "end": "right"}[anchor], text.replace("$", r"\$")
        look = {"family": "DejaVu Sans Mono" if mono else "DejaVu Sans", "weight": "bold" if bold else "normal"}
        way = {"va": "center", "rotation": 90} if turned else {"va": "baseline"}
        axes.text(x, y, text, fontsize=size * 0.7, color=fill, ha=side, **way, **look)
        return
    points, stroke, thick, dash, fill = rest
    codes = {"M": Path.MOVETO, "L": Path.LINETO, "C": Path.CURVE4}
    flat = [(codes[letter], end) for letter, ends in pieces(points) for end in ends]
    style = {"linewidth": 0.75 * thick, "linestyle": "--" if dash else "-"}
    axes.add_patch(PathPatch(Path([end for _, end in flat], [code for code, _ in flat]), facecolor=fill, edgecolor=stroke, **style))


# ---- a film ------------------------------------------------------------------------------------------------------------


def still(views) -> Canvas:
    """Draw the last step of each film, one film below the other."""
    canvas = Canvas()
    for view in views:
        canvas.height = whole(canvas, view, canvas.height)
    return canvas


def whole(canvas, view, y) -> float:
    """Draw a film with its head and its legend, starting at height `y`; return where it ends."""
    told = view["verdict"]
    word = "" if told["lost"] is None else "Stopped" if told["code"] == "STOPPED" else "Lost"
    missing = word and f" {word}: {told['lost']} of {told['full']}."
    canvas.text(12, y + 26, told["head"], 17, bold=True, mono=True, room=WIDE - 24)
    lines = textwrap.wrap(spread(told["say"] + missing), int((WIDE - 24) / (12 * 0.56))) or [""]
    for k, line in enumerate(lines):
        canvas.text(12, y + 46 + 16 * k, line.replace("\0", ""), 12)
    y += 36 + 16 * len(lines)
    y = overview(canvas, view, y) if view["fold"] else y
    key = str(view["fold"]["open"]) if view["fold"] else "None"
    if key in view["strips"]:
        y = film(canvas, view, view["strips"][key], y)
    canvas.text(12, y + 16, f"memory: at most {view['memory']['text']}", 11, SOFT)
    scale = view["scale"]
    kind = "as the norm of the gradient" if scale["kind"] == "linear" else f"logarithmic, {scale['low']:.3g} to {scale['high']:.3g}"
    odd = any(view["arrays"][k]["state"] == "nan" for wire in view["wires"].values() for r, _, k, _ in wire["sent"] if r == view["last"])
    legend = f"blue: goes into, grey: no gradient. orange: gradient on its way back, width {kind}{'. crimson: nan or inf' * odd}"
    canvas.text(WIDE - 12, y + 16, legend, 11, SOFT, "end", room=WIDE - 220)
    return y + 28


def film(canvas, view, strip, y):
    """Draw the columns and wires of a strip; return where it ends."""
    ids = strip["cols"][:MOST]
    wide = min(190.0, (WIDE - LEFT - TURN - GAP) / max(len(ids), 1))
    left = {one: LEFT + k * wide + (GAP if k >= strip["outside"] else 0) for k, one in enumerate(ids)}
    wires = [(view["wires"][key], i, n, j, m, 12 + 9 * level) for key, i, n, j, m, level in strip["wires"]]
    wires = [one for one in wires if one[0]["from"] in left and one[0]["to"] in left]
    reach = 4 + max((high for *_, high in wires), default=12)
    top = y + 24 + reach
    value, seam, slope = 62, 18, 56
    bottom = top + value + seam + slope
    canvas.text(8, top + value / 2, "value", 12, BLUE, bold=True)
    canvas.text(8, bottom - slope / 2, "gradient", 12, ORANGE, bold=True)
    last = view["last"]
    for one in ids:
        column(canvas, view, view["cols"][one], left[one], wide - 6, (top, value, seam, slope), last)
    cut: list = []
    for wire, i, n, j, m, high in wires:
        ends = port(left[wire["from"]], wide - 6, i, n), port(left[wire["to"]], wide - 6, j, m)
        both_wires(canvas, view, wire, ends, top, bottom, high)
        cut += [(view["arrays"][wire["lost"]], ends, bottom + high)] if wire["state"] == "cut" and "lost" in wire else []
    lost(canvas, cut)
    reading = view["readings"][last] if last >= 0 else {"targets": [], "error": None}
    began = not reading["error"] or reading["seed"] is not None or "raised" in reading
    if began and any(one in left for one in reading["targets"]) and len(ids) * 60 <= WIDE - LEFT - TURN:
        x, above, below = max(left.values()) + wide, top + value / 2, bottom - slope / 2
        canvas.path([(x, above), ((x + 46, above), (x + 46, below), (x + 6, below))], ORANGE, 3)
        word = "backward" if ids[-1] in reading["targets"] else f"from {reading['name']}"  # nothing comes to what was computed later
        canvas.path([(x + 8, below - 6), (x + 8, below + 6), (x, below)] if word == "backward" else [], fill=ORANGE)
        canvas.text(x + 38, (above + below) / 2, word, 10, INK, bold=True, room=WIDE - x - 40)
    if len(strip["cols"]) > MOST:
        canvas.text(WIDE - 8, top - 8, f"and {len(strip['cols']) - MOST} more", 11, SOFT, "end")
    return bottom + reach + 6


def port(x, wide, i, n):
    return x + wide / 2 + (i - (n - 1) / 2) * min(14, wide / (n + 1))


def arc(ends, y, high):
    a, b = ends
    return [(a, y), ((a, y - 1.3 * high), (b, y - 1.3 * high), (b, y))]


def both_wires(canvas, view, wire, ends, top, bottom, high):
    """Draw what goes into an op, above the columns, and the gradient that comes back and the one that is lost, below them."""
    ink, dash = BLUE if wire["state"] == "live" else SOFT, "" if wire["state"] in ("live", "data") else "4 3"
    canvas.path(arc(ends, top, high), ink, 1.3, dash)
    canvas.path([(ends[1] - 3, top - 6), (ends[1] + 3, top - 6), (ends[1], top)], fill=ink)
    if wire["state"] in ("cut", "stop"):
        scissors(canvas, sum(ends) / 2, top - high, wire["state"] == "stop")
    if "lost" in wire:
        canvas.path(arc(ends, bottom, -high), CRIMSON, max(1.2, (2 + 11 * wire["lostWidth"]) / 4), "4 3")
    for _, _, sent, share in [one for one in wire["sent"] if one[0] == view["last"]][:1]:
        ink = CRIMSON if view["arrays"][sent]["state"] == "nan" else ORANGE
        canvas.path(arc(ends, bottom + 5, -high), ink, max(1.2, 12 * share))
        canvas.path([(ends[0] - 4, bottom + 8), (ends[0] + 4, bottom + 8), (ends[0], bottom)], fill=ink)


def lost(canvas, cut):
    """Draw scissors on the arcs of gradients that are lost; beside them, where there is room, the number, if it is one."""
    taken: list = []
    for data, ends, y in cut:
        x, text = sum(ends) / 2, f"{data['text']} lost"
        wide = 10 * FLAT * len(text)
        scissors(canvas, x, y, False)
        free = all(abs(y - b) > 17 or x + wide + 20 < a or x > end for a, end, b in taken)
        if free and data["n"] == 1 and wide < abs(ends[1] - ends[0]) / 2:
            canvas.rect(x + 9, y - 6, wide + 4, 12, "#fff")
            canvas.text(x + 11, y + 4, text, 10, CRIMSON, bold=True, mono=True)
        taken.append((x - 8, x + 11 + wide, y))


def scissors(canvas, x, y, meant):
    canvas.path(oval(x, y, 8, 7.5), "#fff", fill=SOFT if meant else CRIMSON)
    if meant:
        canvas.rect(x - 3, y - 3, 6, 6, "#fff")
    else:
        canvas.path([(x - 2.7, y - 2), (x + 4.7, y + 3), None, (x - 2.7, y + 2), (x + 4.7, y - 3)], "#fff", 1.3)
        canvas.path([*oval(x - 4, y - 3, 1.7, 1.7), None, *oval(x - 4, y + 3, 1.7, 1.7)], "#fff", 1.3)


def column(canvas, view, col, x, wide, rows, last):
    """Draw a column: its value above, its gradient below, and its shape between them."""
    top, value, seam, slope = rows
    kind, plain = col["kind"], col["kind"] in ("source", "data")
    if kind == "source":
        canvas.rect(x, top, wide, value + seam + slope, "#fff", INK if col["watched"] else LINE)
    elif kind in ("ghost", "assign"):
        canvas.rect(x, top, wide, value, "#fff", SOFT, "4 3")
    elif kind == "crash":
        misfit(canvas, col, x, top, wide, value, seam)
    elif kind == "op":
        canvas.rect(x, top, wide, value, BLUE_GROUND)
    name = next((one for one in col["signs"] if len(spread(one)) * FLAT * 8 <= wide - 8), col["signs"][-1])
    canvas.text(x + 5, top + 14, name, 12, INK, bold=True, mono=plain, room=wide - 8)
    if col["name"] and not plain and len(name) * 8 + len(spread(col["name"])) * 7 + 14 < wide:
        canvas.text(x + wide - 4, top + 14, col["name"], 10, SOFT, "end", mono=True)
    if col["value"] is not None:
        array(canvas, view["arrays"][col["value"]], x + 4, top + 18, wide - 8, value - 20, INK)
    if col["shape"] or "outputs" in col:
        shape = [col["outputs"]] if "outputs" in col else [str(tuple(col["shape"])), "×".join(map(str, col["shape"]))]
        canvas.text(x + wide / 2, top + value + 13, shape, 10, SOFT, "middle", mono=True, room=wide)
    y = top + value + seam
    slopes = [one for one in col["slopes"] if one[0] == last]
    if kind == "op":
        canvas.rect(x, y, wide, slope, ORANGE_GROUND if slopes else "none", "none" if slopes else LINE, "" if slopes else "2 3")
    reading = view["readings"][last] if last >= 0 else {"answers": {}, "error": None}
    if reading.get("raised") == col["id"]:
        tear(canvas, x + wide, y, slope)
    if slopes and slopes[-1][2] is not None:
        array(canvas, view["arrays"][slopes[-1][2]], x + 4, y + 2, wide - 8, slope - 4, ORANGE)
    elif reading["answers"].get(col["id"], 0) is None:
        canvas.text(x + wide / 2, y + slope / 2 + 4, "None", 13, CRIMSON, "middle", bold=True, mono=True)
    elif kind == "ghost" or (slopes and reading["error"]):
        why = col["ghost"]["why"] if kind == "ghost" else "incomplete"
        for k, word in enumerate([why] if len(why) * FLAT * 8 <= wide else why.split()):
            canvas.text(x + wide / 2, y + 8 + 11 * k, word, 10, SOFT, "middle", room=wide)


def tear(canvas, x, y, h):
    canvas.path([(x - 5 * (k % 2), y + h * k / 8) for k in range(9)], CRIMSON, 1.8)


def misfit(canvas, col, x, y, wide, h, seam):
    """Draw the shapes that an op did not accept, with rings around the lengths that do not fit."""
    canvas.rect(x, y, wide, h, "#fff", CRIMSON, "4 3")
    tear(canvas, x + wide, y, h)
    for k, shape in enumerate(col["given"]):
        shape, at = [*map(str, shape)], y + 32 + 19 * k
        text = f"({', '.join(shape)}{',' * (len(shape) == 1)})"
        letter = min(8.0, (wide - 8) / len(text))
        canvas.text(x + wide / 2, at, text, letter / FLAT, INK, "middle", bold=True, mono=True)
        for i, end in (pair[k] for pair in col["misfit"]):
            own, before = len(", ".join(shape[i:end])), len("(" + "".join(f"{one}, " for one in shape[:i]))
            rx = own * letter / 2 + (3 if end - i == 1 else letter + 2)  # around several lengths and their parentheses
            canvas.path(oval(x + wide / 2 + (before + own / 2 - len(text) / 2) * letter, at - 4, rx, 8), CRIMSON, 1.5)
    canvas.text(x + wide / 2, y + h + seam + 14, col["unequal"] or "raised", 12, CRIMSON, "middle", bold=True, mono=True, room=wide)


def array(canvas, data, x, y, w, h, ink):
    """Draw the picture of a value, with a note on its size."""
    found = data.get("picture")
    if found is None or found["kind"] == "numbers":
        forms = [[in_digits(one, digits) for one in found["v"]] for digits in (4, 3)[w <= 110 :]] if found else []
        forms = [[data["text"]], *forms] if found is None or data["n"] == 1 else forms
        count = len(forms[0])
        cols = 1 if count == 1 or (found["rows"] == 1 and w < 40 * found["cols"]) else found["cols"]
        cell, high = w / cols, h * cols / count
        room = cell - (2 if cols == 1 else 6)
        fits = fitting(forms, room)  # all numbers, or none
        forms = [[re.sub(r"e\+?(-?)0*", r"e\1", one) for one in some] for some in forms]
        turned = fitting(forms, h) if count == 1 and not fits else []  # a number in a narrow column is read from below
        for k, one in enumerate(fits or turned):
            size = 8.0 if turned else min(16.0, high * 0.8, room / (FLAT * max(map(len, fits))))
            look = {"anchor": "middle", "bold": True, "mono": True, "turned": bool(turned)}
            canvas.text(x + (k % cols + 0.5) * cell, y + (k // cols + (0.5 if turned else 0.7)) * high, one, size, ink, **look)
        if fits or count == 1 or data["dtype"].startswith("complex"):
            return
    note, norms = data["note"], [f"norm {brief(data['norm'], digits)}" for digits in (4, 3) if "norm" in data]
    if norms and data["state"] != "nan" and data["zeros"] < data["n"]:
        note = [*[f"{norms[0]}, {one}" for one in note], *(note if 2 * data["zeros"] >= data["n"] else norms)]
    h -= 12
    if found["rows"] == 1:
        curve(canvas, found, x, y, w, h, ink)
    else:
        heat(canvas, found, x, y, w, h)
    canvas.text(x + w / 2, y + h + 10, note, 10, ink if ink == ORANGE else SOFT, "middle", room=w)


def fitting(forms, room) -> list:
    """The first of some lists of texts that all fit into this room, in the smallest type."""
    return next((some for some in forms if max(map(len, some)) * FLAT * 8 <= room), [])


def in_digits(x, digits) -> str:
    """A number in so many digits; one that is rounded to fewer than four shows them all."""
    text = brief(x, digits)
    few = digits < 4 and isinstance(x, float) and float(text) == float(f"{x:.{digits}g}") != x
    return f"{x:#.{digits}g}".rstrip(".") if few else text


def curve(canvas, found, x, y, w, h, ink):
    """Draw bars for a short vector, a line for a longer one, and the zero line."""
    numbers = [one if not isinstance(one, str) else math.nan for one in found["v"]]
    finite = [one for one in numbers if not math.isnan(one)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    unit = h / ((high - low) or 1)
    zero, step = y + high * unit, w / len(numbers)
    canvas.path([(x, zero), (x + w, zero)], LINE)
    if len(numbers) <= 16:
        for k, one in enumerate(numbers):
            if math.isnan(one):
                canvas.path(cross(x + k * step + 0.5, y + h / 2 - 4, min(8, step - 1)), CRIMSON)
            else:
                canvas.rect(x + k * step + 0.5, zero - max(one, 0) * unit, step - 1, abs(one) * unit, PLUS if one > 0 else MINUS)
        return
    points = [(x + (k + 0.5) * step, zero - one * unit) for k, one in enumerate(numbers) if not math.isnan(one)]
    canvas.path(points, BLUE if ink == INK else ORANGE, 1.5)


def heat(canvas, found, x, y, w, h):
    """Draw a heat map, scaled to its largest element; a dash marks a negative element, a cross one that is not finite."""
    rows, cols = found["rows"], found["cols"]
    side = min(w / cols, h / rows, 14)
    x, top = x + (w - side * cols) / 2, max([0, *[abs(one) for one in found["v"] if not isinstance(one, str)]])
    tones, dashes = {}, []
    for k, one in enumerate(found["v"]):
        a, b = x + k % cols * side, y + k // cols * side
        if isinstance(one, str):
            canvas.path(cross(a, b, side), CRIMSON)
        else:
            tone = mixed(PLUS if one > 0 else MINUS, math.ceil(8 * abs(one) / top) / 8) if one else EMPTY
            tones.setdefault(tone, []).extend([*corners(a, b, side - 0.5, side - 0.5), None])
            if one < 0 and side >= 6:
                dashes += [(a + side * 0.3, b + side * 0.5), (a + side * 0.7, b + side * 0.5), None]
    for fill, squares in tones.items():
        canvas.path(squares, fill=fill)
    canvas.path(dashes, "#fff", 1.2)


def mixed(colour, share):
    """A colour mixed with white."""
    share = 0.15 + 0.85 * share
    return "#" + "".join(f"{round(255 + (int(colour[k : k + 2], 16) - 255) * share):02x}" for k in (1, 3, 5))


def overview(canvas, view, y):
    """Draw the units of a folded film on a linear axis: their values above, the gradients of these or of weights below."""
    fold = view["fold"]
    count, room = len(fold["first"]), WIDE - LEFT - 20
    names = fold["labels"] or [f"iteration {n}" * bool(n) for n in fold["iterations"] or ()]
    ticks = [re.sub(r"^(?:iteration (\d+)[^,]*|.*)$", r"\1", name) for name in names]  # before and after a loop there are none
    for axis, colour, top in ((fold["above"], BLUE, y + 6), (fold["below"], ORANGE, y + 74)):
        canvas.text(8, top + 30, axis["name"], 11, colour, bold=True, room=LEFT - 34)
        plot(canvas, axis, LEFT, top, room, 54, colour)
    for k in range(0, count, max(1, -(-count // 12))):
        label = names[k] if fold["layered"] else ticks[k] if fold["kind"] == "iterations" else str(k + 1)
        canvas.text(LEFT + (k + 0.5) * room / count, y + 146, label, 10, SOFT, "middle", room=room / min(count, 12) - 4)
    k = fold["open"]
    label = fold["labels"][k] if fold["labels"] else f"{k + 1} of {count}"
    left, right, top = LEFT + k * room / count, LEFT + (k + 1) * room / count, y + 154
    canvas.path([(left, y + 4), (left, top - 4), (8, top + 14), (WIDE - 8, top + 14), (right, top - 4), (right, y + 4)], "#b58a00", 1)
    canvas.text(12, top + 30, f"below: {label}", 11, INK, bold=True)
    return top + 28


def plot(canvas, axis, x, y, w, h, colour):
    """Plot numbers as a line on a linear axis, or their sizes as bars on a logarithmic one."""
    numbers, log, low, high = axis["numbers"], axis["log"], axis["low"], axis["high"]
    step = w / len(numbers)
    odd = [x + (k + 0.5) * step for k in axis["bad"]]
    canvas.path([end for at in odd for end in ((at, y), (at, y + h), None)], CRIMSON, max(1, min(16, step / 2)))
    if not any(numbers):
        return
    for one, at in ((low, y + h), (high, y)):
        canvas.path([(x, at), (x + w, at)], LINE)
        canvas.text(x - 4, at + 4, f"1e{one:g}" if log else f"{one:.3g}", 9, SOFT, "end", mono=True)
    sizes = [None if one is None or (log and not one) else math.log10(one) if log else one for one in numbers]
    points = [None if one is None else (x + (k + 0.5) * step, y + h - h * (one - low) / (high - low)) for k, one in enumerate(sizes)]
    half, points = max(0.5, min(8, step / 3)), points[:: max(1, len(points) // (400 if log else 900))]
    if log:
        for a, b in filter(None, points):
            canvas.rect(a - half, min(b, y + h - 2), 2 * half, max(2, y + h - b), colour)
    else:
        alone = [at for before, at, after in zip([None, *points], points, [*points[1:], None]) if at and not before and not after]
        canvas.path([*points, *[end for a, b in alone for end in (None, (a - half, b), (a + half, b))]], colour, 1.5)
