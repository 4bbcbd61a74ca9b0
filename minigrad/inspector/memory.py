"""The memory that tapes keep: named blocks, each from the step that records it to the step that frees it."""

from .arrays import bytes_text

MOST = 40  # named blocks; if there are more, only their sum is shown


def kept(model):
    """The memory that the tapes keep after each step.

    Returns:
        (blocks, bytes kept after each step). A block is {"name", "bytes", "text", "from", "to", "maker", "readers"}:
        the steps between which the array lives (`to` is None if it stays), the column that made it, and those whose VJPs read it.
    """
    film, blocks, sizes, total = model.film, [], [], 0
    alive = {}  # tape -> the blocks it still keeps, in the order in which they were recorded
    for step, (kind, *rest) in enumerate(film.steps):
        if kind == "write":
            for tape, keeps in film.frames[rest[0]].keeps.items():
                here = alive.setdefault(tape, {})
                for number, wish, count in keeps:
                    if number not in here:
                        here[number] = new_block(model, film.frames[rest[0]], number, wish, count, step)
                        blocks.append(here[number])
                        total += count
                    here[number]["readers"].append(rest[0])
        elif kind in ("read", "done", "error") and frees(model, film.readings[rest[0]]):
            here, since = alive.get(film.readings[rest[0]].tape, {}), rest[1] if kind == "read" else 0
            while here and next(reversed(here.values()))["readers"][0] >= since:
                _, block = here.popitem()
                block["to"], total = step, total - block["bytes"]
        sizes.append(total)
    return blocks, sizes


def new_block(model, frame, number, wish, count, step):
    return {
        "name": model.name_kept(frame, number, wish, count), "bytes": count, "text": bytes_text(count), "from": step, "to": None,
        "maker": model.node(model.node_kept(frame, number)), "readers": [],
    }  # fmt: skip


def frees(model, reading):
    """Whether this reading uses up its tape. (One that the user did not request is drawn as if requested.)"""
    return reading.released or (reading.place is None and not model.tape.persistent)


def memory_shown(blocks, sizes, persistent) -> dict:
    """The memory as plain data: the blocks if they are few, the curve, and a note why it stays flat."""
    peak = max(sizes, default=0)
    why = ""
    if sizes and not peak:
        why = "no VJP needs an array"
    elif peak and sizes[-1] == peak and persistent:
        why = "a persistent tape keeps all until it is deleted"
    named = [block for block in blocks if block["bytes"]] if len(blocks) <= MOST else []
    return {
        "peak": peak, "text": bytes_text(peak), "why": why, "changes": [b - a for a, b in zip([0, *sizes], sizes)],
        "blocks": [{**block, "readers": [f"f{k}" for k in block["readers"]]} for block in named],
    }  # fmt: skip
