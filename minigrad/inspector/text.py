"""A film as a text table, the same on every run, for terminals, for pages without JavaScript and for tests."""

import re
from collections import Counter

from ..errors import visible
from ..explain.search import number_of
from .arrays import size_text, spread, text_of
from .verdict import would_carry

MOST = 36  # rows; if there are more, the middle is left out
ONE_CALL = r"^([^()]*)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$"  # one call, with calls within its arguments
WIDE = {"op": 18, "line": 34, "value": 34, "on the tape": 40, "backward": 64}


def text_table(model) -> str:
    """The text table of a Model."""
    view = model.data
    rows, tapes = rows_of(model), len(view["tapes"])
    kept = f"{view['kept']} kept, {view['ghosts']} ghost{'s' * (view['ghosts'] != 1)}"
    lines = [f"tape inspector   {tapes} tape{'s' * (tapes != 1)}: {kept}"]
    if rows:
        asked = [source["name"] for source in view["sources"] if source["asked"]]
        backward = f"backward, to {', '.join(asked[:3])}{', ...' if asked[3:] else ''}" if asked else "backward"
        columns = [("#", "op", "line", "value", "on the tape", backward), *rows]
        if not any(row[2] for row in rows):
            columns = [(row[0], row[1], *row[3:]) for row in columns]
        lines += table(columns)
    told = f"paths: {paths_text(view)}" if view["verdict"]["ask"] else view["verdict"]["say"]
    return "\n".join([*lines, *[f" {line}" for line in (*view["notes"], told)]])


def rows_of(model):
    """A row of cells for each frame and each mark that is shown; the number of a frame comes first."""
    reads = {read.frame: read for read in model.film.last.reads} if model.film.last else {}
    marks = [(mark["at"], mark) for mark in model.data["marks"]]  # each before the frame that follows it
    in_order = [one for _, one in sorted([*marks, *shown_frames(model)], key=lambda one: one[0])]
    more = len(in_order) - MOST
    if more > 0:
        in_order[MOST // 2 : -MOST // 2] = [f"{more} more"]
    row = {
        str: lambda text: ("", f"... {text}", "", "", "", ""),
        dict: lambda mark: ("-", mark["kind"], mark["text"], "-", mark["say"], "cut" if mark["kind"] == "create" else "-"),
        int: lambda k: frame_row(model, k, reads.get(k)),
    }
    return [row[type(one)](one) for one in in_order]


def shown_frames(model):
    """(place, frame) of those to show; of many iterations the first, a text on how many ops are left out, and the last."""
    frames = [(k, k) for k in range(len(model.film.frames)) if k not in model.hidden]
    turns = [unit for unit in model.fold[1] if unit.iteration and model.fold[0] == "iterations"]
    if len(turns) < 4:
        return frames
    first, last = turns[0], turns[-1]
    shown = [one for one in frames if not first.end <= one[0] < last.first]
    left = sum(model.film.frames[k].kind != "assign" for k, _ in frames if first.end <= k < last.first)
    return [*shown, (first.end, f"{left} more ops")]


def frame_row(model, k, read):
    frame = model.film.frames[k]
    value = text_of(frame.value) if frame.value else "?" if frame.outputs else "0 outputs"
    if frame.kind == "assign":
        ((number, version),), cut = frame.outputs, any(end == f"f{k}" for _, end in model.broken)
        said = f"{model.source_name(number)} is version {version} now"
        return ("-", "assign", model.line_text(frame.place), value, said, "cut" if cut else "-")
    return (str(model.numbers[k]), frame.op, model.line_text(frame.place), value, on_tape(model, frame, k), backward(model, frame, k, read))


def on_tape(model, frame, k) -> str:
    """Which tapes recorded a frame, or why none did."""
    if frame.kind == "crash":
        return f"raised {frame.event.error.partition(':')[0]}"
    if frame.ghost:
        return f"ghost: {model.ghost_words(k)}"
    tapes = [one["name"] for one in model.data["tapes"] if one["id"] in [model.tape_ids[n] for n in frame.slots]]
    words = "kept" if len(model.data["tapes"]) == 1 else f"kept on {', '.join(tapes)}"
    stale = [s for s in model.data["sources"] if s["version"] is not None and s["now"] not in (None, s["version"]) and s["asked"]]
    read = {node: s for s in stale for node in frame.inputs if isinstance(node, tuple) and model.source_ids.get(node[0]) == s["id"]}
    return words + "".join(f", read {s['name']} version {version}" for (_, version), s in read.items())


def backward(model, frame, k, read) -> str:
    """The gradients that the reading sent from a frame to the sources, or to other ops."""
    cut = would_carry(model, k)
    if cut is not None:
        return cut
    if frame.ghost and frame.ghost[0] == "NO_DERIVATIVE" and frame.value is not None and frame.value.dtype.kind == "b":
        return "only decides"
    reading = model.film.last
    if reading and reading.raised == k:
        return f"raised {reading.error.partition(':')[0]}"
    if read is None:
        return "never reached" if reading and not frame.ghost and model.data["verdict"]["status"] == "none" else "-"
    to_sources, onward = [], []
    for part in read.parts:
        node = model.node_of(read, part)
        if node in model.film.made:
            onward.append((model.film.made[node], size_text(part.product) if reading.in_rows else text_of(part.product, 2)))
            continue
        text, local = size_text(part.product) if reading.in_rows else text_of(part.product, 3), part.local
        if not part.product.finite and local is not None:
            text = f"{text_of(read.upstream)} x {text_of(local)} = {text}"
        to_sources.append((model.source_name(number_of(node)), text))
    several = len([s for s in model.data["sources"] if s["asked"]]) > 1
    joined = (", " if several else " + ").join([f"{text} to {name}" if several else text for name, text in reversed(to_sources)])
    sent = [f"{text} to {model.film.frames[k].op}{f' {n} times' * (n > 1)}" for (k, text), n in Counter(onward).items()]
    return ", ".join(filter(None, (joined, f"sends {', '.join(sent)}" if sent else "")))


def paths_text(view) -> str:
    verdict = view["verdict"]
    live = f"live {verdict['answer']}"
    if verdict["status"] == "none" and len(verdict["each"]) == 1:
        live = "none live"
    elif len(verdict["each"]) > 1:
        named = [f"{one['name']} {one['answer']}" for one in verdict["each"][:4]]
        live = f"live {', '.join(named)}{', ...' if verdict['each'][4:] else ''}"
    if verdict["lost"] is not None:
        return f"{live}, lost {verdict['lost']}, together {verdict['full']}"
    if verdict["status"] == "nan":
        return live + (f", first bad number at frame {verdict['bad']}" if verdict["bad"] else "")
    if verdict["status"] == "partial":
        return f"{live}, and one is lost: {verdict['code']}"
    if verdict["status"] == "none":
        return f"{live}: {', '.join(filter(None, (verdict['meaning'], verdict['code'] or verdict['answer'])))}"
    return live


def table(rows):
    """Rows with aligned columns; long cells are cut."""
    heads = ["backward" if cell.startswith("backward") else cell for cell in rows[0]]
    rows = [[clipped(cell, head) for cell, head in zip(row, heads)] for row in rows]
    widths = [max(len(row[k]) for row in rows if not row[1].startswith("...")) for k in range(len(heads))]
    lines = []
    for row in rows:
        op, *rest = [f"{cell:<{width}}" for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join([f"{row[0]:>{max(widths[0], 2)}}", op, *[f" {cell}" for cell in rest]]).rstrip())
    return [line.replace("\0", "") for line in lines]


def clipped(cell, column):
    """Shorten a cell that is too wide, but cut no number; in a line such as `y = f(a, b)`, the arguments are cut first."""
    cell, most = spread(visible(cell, None)), WIDE.get(column, len(cell))
    if len(cell) > most and column == "line":
        cell = re.sub(ONE_CALL, r"\1(...)", cell)
    shorter = re.sub(r"(?<=[ [])[-+.\de]+$|(?<!\d)[ \0]+$", "", cell[: most - 3])
    return cell if len(cell) <= most or cell.startswith("...") else f"{shorter}..."
