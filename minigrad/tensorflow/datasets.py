"""Keeps elements of Datasets for replays: the threads that prepare elements do not exist in a forked process."""

import os
import weakref
from typing import Any

import tensorflow as tf

from ..engine.listening import listening
from ..tracing import checkpoint
from .careful import carefully
from .ops import op_ran
from .quiet import quiet, silence
from .twins import VARIANT, EagerTensor, array_of

ROOM = 64 << 20  # bytes of elements that a trace keeps; the oldest are dropped
iterators: Any = weakref.WeakValueDictionary()  # the handles of iterators in use, by id
kept: list = []  # in a forked process, the iterators of its parent: deleting one would wait for its threads
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: kept.extend(iterators.values()))


class Elements(dict):
    """The elements that a trace has seen: number -> the count of events heard by then, and the arrays; None at the end.

    Attributes:
        count, size: how many elements there were, and the bytes of those that are kept.
    """

    count = size = 0

    def add(self, number, arrays):
        self.count += 1
        self[self.count] = number, arrays
        self.size += size_of(arrays)
        while self.size > ROOM:
            _, oldest = self.pop(next(iter(self)))
            self.size -= size_of(oldest)


def size_of(arrays) -> int:
    return sum(array.nbytes for array in arrays or ()) + 100  # with the objects that hold them


def drawing(original):
    """Wrap the request for the next element of a Dataset."""

    def told(iterator, output_types, *args, **kwargs):
        if silence.depth or not traces() or not isinstance(iterator, EagerTensor):
            return original(iterator, output_types, *args, **kwargs)
        if checkpoint.replay is not None:
            return given_again(iterator, output_types)
        iterators[id(iterator)] = iterator
        try:
            found = original(iterator, output_types, *args, **kwargs)
        except tf.errors.OutOfRangeError:
            drawn(None)
            raise
        drawn(found)
        return found

    return told


def traces() -> list:
    return [one for one in listening.now if isinstance(getattr(one, "elements", None), Elements)]


@carefully
def drawn(tensors):
    lists = any(one._datatype_enum() == VARIANT for one in tensors or ())
    arrays = None if tensors is None else [array_of(one) for one in tensors if not lists]
    for one in traces():
        one.elements.add(one.count, arrays)


def given_again(iterator, types) -> list:
    """The element that the program received at this point."""
    known = []
    for one in traces():
        one.elements.count += 1
        known += [one.elements[one.elements.count]] if one.elements.count in one.elements else []
    if not known:
        checkpoint.finish("an element of a Dataset is not kept any more")
    _, arrays = known[0]
    if arrays is None:
        raise tf.errors.OutOfRangeError(None, None, "End of sequence")
    if len(arrays) < len(types):
        checkpoint.finish("a Dataset gives ragged or sparse tensors")
    with quiet():
        found = [tf.constant(array, kind) for array, kind in zip(arrays, types)]
    op_ran("IteratorGetNext", [iterator], (), found)
    return found


def beginning(original):
    """Wrap the start of an iteration over a Dataset. (In a replay no elements are drawn from it.)"""

    def told(dataset, iterator, *args, **kwargs):
        if silence.depth or checkpoint.replay is None:
            return original(dataset, iterator, *args, **kwargs)
        op_ran("MakeIterator", [dataset, iterator], (), [])
        return None

    return told
