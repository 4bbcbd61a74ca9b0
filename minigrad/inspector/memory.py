"""The memory that tapes keep: named blocks, each from the step that records it to the step that frees it."""

from .arrays import bytes_text
from .film import OWN

MOST = 40  # named blocks; if there are more, only their sum is shown


def kept(model):
    """The memory that the tapes keep: (blocks, bytes kept after each step). A block is {"name", "bytes", "text", "from", "to", "maker",
    "readers"}: the steps between which the array lives (None: it stays), the column that made it, and those whose VJPs read it."""
    film, sizes = model.film, []
    # array -> its block; tape -> the arrays that it still keeps, each with the first frame that needs it (-1: one that is not shown)
    old = (film.earlier or {}).items()
    alive = {array: new_block({n: (model.name(n) or "earlier") if n else name for n in some}, size, 0) for array, (some, name, size) in old}
    holds, total = {film.tape: dict.fromkeys(alive, -1)}, sum(one["bytes"] for one in alive.values())
    blocks = [*alive.values()]
    for step, (kind, *rest) in enumerate(film.steps):
        if kind == "write":
            k = rest[0]
            for tape, array, known in [(tape, *one) for tape, keeps in film.frames[k].keeps.items() for one in keeps.items()]:
                if array not in alive:
                    names, size = model.named(film.frames[k], *known)
                    alive[array] = new_block(names, size, step, model.node(model.node_kept(film.frames[k], next(iter(names)))))
                    blocks.append(alive[array])
                    total += size or 0
                elif not alive[array]["name"].keys() >= {*known[0]}:  # views of the same memory
                    alive[array]["name"] |= model.named(film.frames[k], *known)[0]
                holds.setdefault(tape, {}).setdefault(array, k)
                if alive[array]["readers"][-1:] != [f"f{k}"]:
                    alive[array]["readers"].append(f"f{k}")
        for tape, since in freed(model, kind, *rest) if kind != "write" else ():
            here = holds.get(tape, {})
            while here and here[next(reversed(here))] >= since:
                array, _ = here.popitem()
                if not any(array in others for others in holds.values()):
                    block = alive.pop(array)
                    block["to"], total = step, total - (block["bytes"] or 0)
        sizes.append(total)
    for block in blocks:
        block["name"] = ", ".join(dict.fromkeys(block["name"].values()))
    return blocks, sizes


def new_block(names, size, step, maker=None) -> dict:
    return {"name": names, "bytes": size, "text": bytes_text(size), "from": step, "to": None, "maker": maker, "readers": []}


def freed(model, kind, r=0, frame=-1):
    """The tapes that let go of arrays at this step, each with the first of the frames whose arrays they free."""
    film, over = model.film, kind in ("done", "error")
    if over:
        yield from ((tape, frame) for tape in film.gone if all(tape != one.tape for one in film.readings[r + 1 :]))
    if over or (kind == "read" and not film.readings[r].in_rows):
        reading = film.readings[r]
        if reading.released or (reading.place is None and not model.tape.persistent):  # not requested, but drawn as if it were
            yield reading.tape, frame


def memory_shown(blocks, sizes, persistent, film) -> dict:
    """The memory as plain data: the blocks if they are few, the curve, and a note on what is not in it, or why it stays flat."""
    peak, unknown = max(sizes, default=0), [block["name"] for block in blocks if block["bytes"] is None]
    count, own = len(unknown) - unknown.count(OWN), "what a custom gradient refers to" if OWN in unknown else ""
    earlier = "what was recorded earlier" if film.earlier is None else ""
    arrays = f"{count} array{'s' * (count > 1)} of unknown size" if count else ""
    why = ""
    if earlier or arrays or own:
        why = f"without {' and '.join(filter(None, [earlier, arrays, own]))}"
    elif film.frames and not peak:
        why = "no VJP needs an array" if any(frame.slots for frame in film.frames) else "nothing was recorded"
    elif peak and sizes[-1] == peak and persistent:
        why = "a persistent tape keeps all until it is deleted"
    return {
        "peak": peak, "text": bytes_text(peak), "why": why, "changes": [b - a for a, b in zip([0, *sizes], sizes)],
        "blocks": [block for block in blocks if block["bytes"]] if len(blocks) <= MOST else [],
    }  # fmt: skip
