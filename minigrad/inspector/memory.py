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
    alive, holds = {}, {}  # array -> its block; tape -> the arrays that it still keeps, each with the first frame that needs it
    for step, (kind, *rest) in enumerate(film.steps):
        if kind == "write":
            k = rest[0]
            for tape, array, known in [(tape, *one) for tape, keeps in film.frames[k].keeps.items() for one in keeps.items()]:
                if array not in alive:
                    name, size = model.named(film.frames[k], *known)
                    alive[array] = new_block(name, size, step, model.node(model.node_kept(film.frames[k], known[0])))
                    blocks.append(alive[array])
                    total += size or 0
                holds.setdefault(tape, {}).setdefault(array, k)
                if f"f{k}" not in alive[array]["readers"]:
                    alive[array]["readers"].append(f"f{k}")
        for tape, since in freed(model, kind, *rest):
            here = holds.get(tape, {})
            while here and here[next(reversed(here))] >= since:
                array, _ = here.popitem()
                if not any(array in others for others in holds.values()):
                    block = alive.pop(array)
                    block["to"], total = step, total - (block["bytes"] or 0)
        sizes.append(total)
    return blocks, sizes


def new_block(name, size, step, maker=None) -> dict:
    return {"name": name, "bytes": size, "text": bytes_text(size), "from": step, "to": None, "maker": maker, "readers": []}


def freed(model, kind, r=0, frame=0):
    """The tapes that let go of arrays at this step, each with the first of the frames whose arrays they free."""
    film, over = model.film, kind in ("done", "error")
    if over:
        yield from ((tape, frame) for tape in film.gone if all(tape != one.tape for one in film.readings[r + 1 :]))
    if over or (kind == "read" and not film.readings[r].in_rows):
        reading = film.readings[r]
        if reading.released or (reading.place is None and not model.tape.persistent):  # not requested, but drawn as if it were
            yield reading.tape, frame


def memory_shown(blocks, sizes, persistent, frames) -> dict:
    """The memory as plain data: the blocks if they are few, the curve, and a note why it stays flat."""
    peak = max(sizes, default=0)
    unknown, why = sum(block["bytes"] is None for block in blocks), ""
    if unknown:
        why = f"without {unknown} array{'s' * (unknown > 1)} of unknown size"
    elif frames and not peak:
        why = "no VJP needs an array"
    elif peak and sizes[-1] == peak and persistent:
        why = "a persistent tape keeps all until it is deleted"
    return {
        "peak": peak, "text": bytes_text(peak), "why": why, "changes": [b - a for a, b in zip([0, *sizes], sizes)],
        "blocks": [block for block in blocks if block["bytes"]] if len(blocks) <= MOST else [],
    }  # fmt: skip
