"""The arrays that the steps of a tape keep."""

import contextlib
import itertools
from inspect import unwrap

import numpy as np

from ..engine.backward import ARRAYS, INPUT, TENSORS, VJP, output_ids
from ..engine.custom import UserGradient
from ..engine.rules import Recompute
from ..engine.tensor import Tensor
from ..engine.writing import parameters
from .values import brief


def arrays_in(thing) -> list:
    """(number, array) for each array in a field of a step: the number of its Tensor (0: a Python number), or None."""
    if isinstance(thing, Tensor):
        return [(thing.id, thing.value)]
    if isinstance(thing, (np.ndarray, np.generic)):
        return [(None, thing)]
    if isinstance(thing, UserGradient):  # what its function refers to lives as long as it does
        thing = [content_of(cell) for cell in getattr(thing.grad, "__closure__", None) or ()]
    parts = thing.inputs if isinstance(thing, Recompute) else thing if isinstance(thing, (list, tuple)) else ()
    return [one for part in parts for one in arrays_in(part)]


def content_of(cell):
    with contextlib.suppress(ValueError):  # nothing is assigned to it now
        return cell.cell_contents


def owner_of(array):
    """The array whose memory this one shares: a view keeps all of it."""
    while isinstance(array.base, (np.ndarray, np.generic)):
        array = array.base
    return array


def kept_in(step) -> dict:
    """What a step keeps: the identity of an array -> (numbers, name, bytes).

    The numbers are those of its Tensors, 0 for a Python number, and None for others, such as by-products. The name is
    that in the VJP; of a Python number it is the number itself.
    """
    kept = []
    for name, tensors, arrays in zip(parameters(unwrap(step[VJP]))[1:], step[TENSORS], step[ARRAYS]):
        for number, array in [*arrays_in(tensors), *arrays_in(arrays)]:
            own, owner = brief(array.item(), 6) if number == 0 else name, owner_of(array)
            kept.append((id(owner), ((number,), own, owner.nbytes)))
    return together(kept)


def together(kept) -> dict:
    """What several steps keep: of each array the numbers of all."""
    found: dict = {}
    for key, (numbers, *others) in kept:
        known, *first = found.get(key, ((), *others))
        found[key] = tuple(dict.fromkeys([*known, *numbers])), *first
    return found


def kept_by(passes) -> dict:
    """What the steps in these lists keep, by the number of their input and that of their (first) output."""
    found: dict = {}
    for step in {id(step): step for step in itertools.chain(*passes)}.values():
        found.setdefault((step[INPUT], *output_ids(step)[:1]), {}).update(kept_in(step))
    return found
