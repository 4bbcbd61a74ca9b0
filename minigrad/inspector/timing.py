"""The order of things: each step of the film, and how many bytes the tapes keep after it."""


def timed(model):
    """The steps, and how many bytes the tapes keep after each."""
    film, kept, keepers, sizes, steps = model.film, 0, {}, [], []
    written = {}  # tape -> frames that it still has, in order

    def drop(tape, since):
        nonlocal kept
        while written.get(tape) and written[tape][-1] >= since:
            for number, _, count in film.frames[written[tape].pop()].keeps.get(tape, ()):
                keepers[tape, number] -= 1
                if not keepers[tape, number]:
                    kept -= count

    for step in film.steps:
        kind, *rest = step
        if kind == "write":
            for tape, keeps in film.frames[rest[0]].keeps.items():
                written.setdefault(tape, []).append(rest[0])
                for number, _, count in keeps:
                    keepers[tape, number] = keepers.get((tape, number), 0) + 1
                    kept += count if keepers[tape, number] == 1 else 0
        elif kind == "read" and frees(model, film.readings[rest[0]]):
            drop(film.readings[rest[0]].tape, rest[1])
        elif kind == "done" and frees(model, film.readings[rest[0]]):
            drop(film.readings[rest[0]].tape, 0)
        steps.append([kind, *(model.tape_ids[one] if kind == "release" else one for one in rest)])
        sizes.append(kept)
    return steps, sizes


def frees(model, reading):
    """Does this reading use its tape up? (One that was not really asked is drawn as it would be.)"""
    return reading.released or (reading.place is None and not model.tape.persistent)


def with_cuts(steps, sizes, cuts):
    """Put the cuts before the end of the last reading."""
    last = next((k for k in reversed(range(len(steps))) if steps[k][0] in ("done", "error")), None)
    if last is not None and cuts:
        before = sizes[last - 1] if last else 0
        steps[last:last] = [["cut", k] for k in range(len(cuts))]
        sizes[last:last] = [before] * len(cuts)
    return steps
