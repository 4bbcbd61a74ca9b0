"""The text twin: the film as a table, the same on every run, for terminals, for readers of the page and for tests."""

import re

from ..errors import visible
from ..explain.search import number_of
from .arrays import text_of
from .verdict import would_carry

MOST = 36  # rows; more are folded
ONE_CALL = r"^([^()]*)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$"  # and calls within its arguments
WIDE = {"op": 18, "line": 34, "value": 34, "on the tape": 40, "backward": 64}


def twin(model) -> str:
    """The table of a Model."""
    view = model.data
    rows, lines = folded(rows_of(model)), [headline(view)]
    if rows:
        asked = [source["name"] for source in view["sources"] if source["asked"]]
        backward = f"backward, to {', '.join(asked[:3])}{', ...' if asked[3:] else ''}" if view["readings"] else "backward"
        columns = [("#", "op", "line", "value", "on the tape", backward), *rows]
        if not any(row[2] for row in rows):
            columns = [(row[0], row[1], *row[3:]) for row in columns]
        lines += table(columns)
    lines += [f" {line}" for line in last_lines(view)]
    return "\n".join(lines)


def headline(view) -> str:
    tapes = len(view["tapes"])
    ghosts, kept = view["ghosts"], view["ops"] - view["ghosts"]
    return f"tape inspector   {tapes} tape{'s' * (tapes != 1)}: {kept} kept, {ghosts} ghost{'s' * (ghosts != 1)}"


def rows_of(model):
    """(frame number, or nothing, and cells) for each frame and each mark."""
    marks = {}
    for mark in model.data["marks"]:
        marks.setdefault(mark["at"], []).append(mark)
    reads = {}
    for r, reading in enumerate(model.film.readings):
        if reading.tape == model.film.tape:
            reads.update({read.frame: (r, i) for i, read in enumerate(reading.reads)})
    rows = []
    for k in shown_frames(model):
        if isinstance(k, str):
            rows.append(("", f"... {k}", "", "", "", ""))
            continue
        rows += [mark_row(mark) for at in sorted(marks) if at <= k for mark in marks.pop(at)]
        rows.append(frame_row(model, k, reads.get(k)))
    return rows + [mark_row(mark) for at in sorted(marks) for mark in marks[at]]


def shown_frames(model):
    """The numbers of the frames to show; of a loop or many layers the first and the last, and between them how many there are more."""
    kind, units = model.fold
    if kind not in ("iterations", "ops") or len(units) < 4:
        return [k for k in range(len(model.film.frames)) if k not in model.hidden]
    first, last, found = units[0], units[-1], []
    whole = [unit for unit in units if unit.label.startswith(("iteration", "ops"))]
    if whole:
        first, last = whole[0], whole[-1]
    found += [k for k in range(first.end) if k not in model.hidden]
    per, between = first.end - first.first, len(whole) - 2
    ops = last.first - first.end
    equal = f"{between} more {'iterations' if kind == 'iterations' else 'stretches'} of {per} op{'s' * (per != 1)}"
    found.append(equal if ops == per * between else f"{ops} more ops")
    return found + [k for k in range(last.first, len(model.film.frames)) if k not in model.hidden]


def folded(rows):
    """At most so many rows: the first and the last, and between them how many there are more."""
    if len(rows) <= MOST:
        return rows
    half = MOST // 2
    return [*rows[:half], ("", f"... {len(rows) - 2 * half} more", "", "", "", ""), *rows[-half:]]


def mark_row(mark):
    return ("-", mark["kind"], mark["text"], "-", mark["say"], "cut" if mark["cut"] else "-")


def frame_row(model, k, read):
    frame = model.film.frames[k]
    value = value_text(frame.value)
    if frame.kind == "assign":
        ((number, version),), cut = frame.outputs, any(end == f"f{k}" for _, end in model.broken)
        said = f"{model.source_name(number)} is version {version} now"
        return ("-", "assign", model.line_text(frame.place), value, said, "cut" if cut else "-")
    told = on_tape(model, frame, k), backward(model, frame, k, read)
    return (str(model.number_of(k)), frame.op, model.line_text(frame.place), value, *told)


def value_text(value, first=4) -> str:
    return "?" if value is None else text_of(value, first)


def on_tape(model, frame, k) -> str:
    """Was it written, and on which tapes? If not: why."""
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
    """What the reading sent from here to the sources, or on to other ops."""
    cut = would_carry(model, k)
    if cut is not None:
        return cut
    if frame.ghost and frame.ghost[0] == "NO_DERIVATIVE" and frame.value is not None and frame.value.dtype.kind == "b":
        return "only decides"
    if read is None:
        return "never reached" if model.data["readings"] and not frame.ghost and model.data["verdict"]["status"] == "none" else "-"
    r, i = read
    one = model.film.readings[r].reads[i]
    to_sources, onward = [], []
    for part in one.parts:
        node = model.node_of(one, part)
        if node in model.film.made:
            onward.append(f"{value_text(part.product, 2)} to {model.film.frames[model.film.made[node]].op}")
            continue
        text, local = value_text(part.product, 3), part.local
        if not part.product.finite and local is not None:
            text = f"{value_text(one.upstream)} x {value_text(local)} = {text}"
        to_sources.append((model.source_name(number_of(node)), text))
    several = len([s for s in model.data["sources"] if s["asked"]]) > 1
    cells = [f"{text} to {name}" if several else text for name, text in to_sources]
    joined = (", " if several else " + ").join(cells[::-1])
    return ", ".join(part for part in (joined, f"sends {', '.join(dict.fromkeys(onward))}" if onward else "") if part)


def last_lines(view):
    """What it comes to."""
    verdict = view["verdict"]
    return [*view["notes"], f"paths: {paths_text(view)}" if verdict["ask"] else verdict["say"]]


def paths_text(view) -> str:
    verdict = view["verdict"]
    live = f"live {verdict['answer']}"
    if verdict["answer"] in ("None", "error") or verdict["code"] == "NOT_REGISTERED":
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
        return f"{live}: {verdict['meaning']}, {verdict['code']}"
    return live


def table(rows):
    """Columns under one another; what is too long is cut."""
    heads = ["backward" if cell.startswith("backward") else cell for cell in rows[0]]
    rows = [[clipped(cell, head) for cell, head in zip(row, heads)] for row in rows]
    widths = [max(len(row[k]) for row in rows if not row[1].startswith("...")) for k in range(len(heads))]
    lines = []
    for row in rows:
        op, *rest = [f"{cell:<{width}}" for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join([f"{row[0]:>{max(widths[0], 2)}}", op, *[f" {cell}" for cell in rest]]).rstrip())
    return lines


def clipped(cell, column):
    """A cell that is not too wide: of `y = f(a, b)` the arguments go first."""
    cell, most = visible(cell, None), WIDE.get(column, 80)
    if len(cell) > most and column == "line":
        cell = re.sub(ONE_CALL, r"\1(...)", cell)
    return cell if len(cell) <= most or cell.startswith("...") else cell[: most - 3].rstrip() + "..."
