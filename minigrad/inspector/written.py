"""The program of a film in plain NumPy: each line with the frames that it corresponds to."""

from ..engine.operands import convert
from ..explain.search import number_of
from ..graph.retold import Op, Retold, Unlike

MOST, WIDEST = 200, 100  # frames, and inputs of one


def written(model) -> list:
    """The lines of the program; none if the log does not contain enough to reproduce the numbers of the film."""
    film, reading = model.film, model.film.last
    known = film.traced and not film.left_out and not film.cut and len(film.frames) <= MOST and model.seeded_by_ones()
    single = reading is not None and reading.error is None and {reading.tape} == film.tapes.keys()
    if not known or not single or any(one.kind != "op" or one.by is not None or len(one.inputs) > WIDEST for one in film.frames):
        return []
    try:
        return [{"n": n, **line} for n, line in enumerate(retold(model, film, reading), 1)]
    except Exception:  # the film is useful without it
        return []


def retold(model, film, reading):
    ops = [Op.of(frame, film.tape, model.frame_name(k) if len(frame.outputs) == 1 else None) for k, frame in enumerate(film.frames)]
    nodes = dict.fromkeys(one for op in ops for slot, one in enumerate(op.inputs) if slot not in op.numbers and one not in film.made)
    leaves = {one: (model.name(one) or None, array_of(model, one)) for one in nodes}
    by_number = {number_of(one): one for one in nodes}
    if len(by_number) < len(nodes):
        raise Unlike  # a Variable was assigned in between
    targets, sources = [[by_number.get(n, n) for n in numbers] for numbers in (reading.targets, reading.answers)]
    run = Retold(ops, leaves, targets, sources, {by_number.get(n, n) for n in (*film.roots, *reading.answers)})
    run.check_gradients(reading.answers.values())
    return run.lines("run")


def array_of(model, node):
    """The array of a node that no frame made; None if it is not known completely."""
    thing, version = model.thing(number_of(node)), node[1] if isinstance(node, tuple) else None
    thing = model.seen.get(node) if thing is None else thing
    if thing is not None and version in (None, getattr(thing, "version", None)):
        return convert(thing).value
    value = model.value_of(node)
    return value.kept if value.whole else None
