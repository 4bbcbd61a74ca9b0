"""What the lost ways would carry: a backward pass goes once more over all frames, ghosts too, with the values of the log.

It needs every value on the way whole, and only ops whose VJPs ask for no attribute. If anything is missing, there is no
answer: nothing here is a guess.
"""

import numpy as np

from ..engine.backward import unbroadcast
from ..engine.writing import Declaration
from ..explain.search import input_name
from .film import declaration_of

MOST = 2000  # frames


class Unknown(Exception):
    """Something that is needed is not known."""


def full_gradient(film, targets, value_of):
    """The gradient along all ways, live and lost.

    Args:
        film: the film.
        targets: the nodes of the targets.
        value_of: a function from a node that no frame made to its Summary.

    Returns:
        (node -> array, frame -> what it sends to each of its inputs), or None if it cannot be known.
    """
    stored = any(mark.cut for mark in film.marks) or any(frame.kind == "assign" and frame.on_way for frame in film.frames)
    if len(film.frames) > MOST or not all(node in film.made for node in targets) or stored:  # what a Variable would carry is not known
        return None
    try:
        return passed_back(film, targets, value_of)
    except Exception:  # Unknown, or a VJP that cannot do with what the log knows
        return None


def passed_back(film, targets, value_of):
    grads, sent = {}, {}
    for node in targets:
        value = whole(film.frames[film.made[node]].value)
        grads[node] = grads.get(node, 0) + np.ones(value.shape, value.dtype)
    for k in reversed(range(len(film.frames))):
        frame = film.frames[k]
        dy = grads.get(frame.outputs[0]) if frame.outputs else None
        if len(frame.outputs) > 1 and any(z in grads for z in frame.outputs):
            raise Unknown
        if dy is None:
            continue
        sent[k] = {}
        for slot, node in enumerate(frame.inputs):
            if node is None:
                continue
            held_back = frame.kernel == "StopGradient"
            dx = dy if held_back else came_back(frame, dy) if frame.op == "numpy" else step(film, frame, slot, dy, value_of)
            if dx is not None:
                sent[k][slot] = dx
                grads[node] = grads[node] + dx if node in grads else dx
    return grads, sent


def came_back(frame, dy):
    """What goes on to a value that left and came back as it was; what the user made of it on the way, nobody knows."""
    if frame.event.given is None or not np.array_equal(whole(frame.value), whole(frame.event.given.content)):
        raise Unknown
    return dy


def step(film, frame, slot, dy, value_of):
    """What the VJP of one input sends; None if it has none."""
    op = getattr(frame.event, "op", None)
    if op is None or op.kernel == "CustomGradient":  # NumPy's own functions, or the user's
        raise Unknown
    name = input_name(op, slot, len(frame.inputs))
    vjp, signature = op.vjps.get(f"d{name}"), declaration_of(op)
    if vjp is None:
        return None
    values = [known(film, frame, k, value_of) for k in range(len(frame.inputs))]
    if any(value.dtype.kind not in "fiub" for value in values) or signature.lists:
        raise Unknown
    dx = vjp(dy, *[wished(signature, wish, values, frame) for wish in signature.needs[name][1:]])
    return dx if dx.shape == values[slot].shape else unbroadcast(dx, values[slot].shape)


def wished(signature: Declaration, wish, values, frame):
    """What a VJP asks for by this name."""
    by_name = dict(zip(signature.inputs, values))
    if wish in by_name:
        return by_name[wish]
    if wish == signature.output:
        return whole(frame.value)
    name, _, what = wish.rpartition("_")
    if name in by_name and what in ("shape", "dtype", "size"):
        return getattr(by_name[name], what)
    raise Unknown


def known(film, frame, slot, value_of):
    """The value of an input."""
    node = frame.inputs[slot]
    if (isinstance(node, tuple) and node[0] == "left" and slot in frame.numbers) or node is None:
        if slot not in frame.numbers:
            raise Unknown
        return np.asarray(frame.numbers[slot], frame.value.dtype)[()]
    return whole(film.frames[film.made[node]].value if node in film.made else value_of(node))


def whole(summary):
    if summary is None or not summary.whole:
        raise Unknown
    return summary.kept
