"""What the tapes keep: named blocks, each from the step that wrote it to the step that frees it."""

from .arrays import bytes_text

MOST = 40  # blocks that are named; of more the sum is shown


def kept(model):
    """The steps that free memory, as they happen.

    Returns:
        (blocks, how many bytes are kept after each step). A block is {"name", "bytes", "text", "from", "to", "maker", "readers"}:
        the steps between which the array lives (`to` is None if it stays), the column that made it, and those whose VJPs read it.
    """
    film, blocks, alive, sizes, total = model.film, [], {}, [], 0
    written = {}  # tape -> frames that it still has, in order

    def drop(tape, since, step):
        nonlocal total
        while written.get(tape) and written[tape][-1] >= since:
            k = written[tape].pop()
            for number, _, count in film.frames[k].keeps.get(tape, ()):
                block = alive[tape, number]
                block["users"] -= 1
                if not block["users"]:
                    total -= count
                    block["to"] = step
                    del alive[tape, number]

    for step, (kind, *rest) in enumerate(film.steps):
        if kind == "write":
            for tape, keeps in film.frames[rest[0]].keeps.items():
                written.setdefault(tape, []).append(rest[0])
                for number, wish, count in keeps:
                    if (tape, number) not in alive:
                        alive[tape, number] = block = new_block(model, rest[0], number, wish, count, step)
                        blocks.append(block)
                        total += count
                    alive[tape, number]["users"] += 1
                    alive[tape, number]["readers"].append(rest[0])
        elif kind in ("read", "done", "error") and frees(model, film.readings[rest[0]]):
            drop(film.readings[rest[0]].tape, rest[1] if kind == "read" else 0, step)
        sizes.append(total)
    return blocks, sizes


def new_block(model, k, number, wish, count, step):
    return {
        "name": model.name_kept(model.film.frames[k], number) or wish, "bytes": count, "from": step, "to": None,
        "maker": model.node(number), "users": 0, "readers": [],
    }  # fmt: skip


def frees(model, reading):
    """Does this reading use its tape up? (One that was not really asked is drawn as it would be.)"""
    return reading.released or (reading.place is None and not model.tape.persistent)


def memory_shown(blocks, sizes, persistent) -> dict:
    """The memory as plain data: blocks if they are few, the curve in any case, and a word where it stays flat."""
    peak = max(sizes, default=0)
    why = ""
    if sizes and not peak:
        why = "no VJP needs an array"
    elif peak and sizes[-1] == peak and persistent:
        why = "a persistent tape keeps all until it is deleted"
    named = [block for block in blocks if block["bytes"]] if len(blocks) <= MOST else []
    return {
        "peak": peak, "text": bytes_text(peak), "why": why, "changes": [b - a for a, b in zip([0, *sizes], sizes)],
        "blocks": [
            {**{key: block[key] for key in ("name", "bytes", "from", "to", "maker")}, "text": bytes_text(block["bytes"]),
             "readers": [f"f{k}" for k in dict.fromkeys(block["readers"])]} for block in named
        ],
    }  # fmt: skip
