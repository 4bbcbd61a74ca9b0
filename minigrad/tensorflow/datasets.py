"""Keeps elements of Datasets for replays: the threads that prepare elements do not exist in a forked process."""

import os
import weakref
from typing import Any

import tensorflow as tf

from ..engine.listening import listening
from ..explain.replay import digest
from ..tracing import checkpoint
from .careful import carefully
from .ops import op_ran
from .quiet import quiet, silence
from .state import HELD
from .twins import VARIANT, EagerTensor, array_of

ORIGIN = "_minigrad_origin"  # the attribute of an iterator with what its Dataset was made of
ROOM = 64 << 20  # bytes of elements that a trace keeps; the oldest are dropped
iterators: Any = weakref.WeakValueDictionary()  # the handles of iterators in use, by id
kept: list = []  # in a forked process, the iterators of its parent: deleting one would wait for its threads
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: kept.extend(iterators.values()))


class Elements(dict):
    """The elements that a trace has seen.

    Each number maps to the count of events heard by then; what the Dataset was made of, as digests; and the arrays, or
    None at the end.

    Attributes:
        count, size: how many elements there were, and the bytes of those that are kept.
    """

    count = size = 0

    def add(self, number, origin, arrays):
        self.count += 1
        self[self.count] = number, origin, arrays
        self.size += size_of(arrays)
        while self.size > ROOM:
            self.size -= size_of(self.pop(next(iter(self)))[-1])


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
            drawn(iterator, None)
            raise
        drawn(iterator, found)
        return found

    return told


def traces() -> list:
    return [one for one in listening.now if isinstance(getattr(one, "elements", None), Elements)]


@carefully
def drawn(iterator, tensors):
    lists = any(one._datatype_enum() == VARIANT for one in tensors or ())
    arrays = None if tensors is None else [array_of(one) for one in tensors if not lists]
    for one in traces():
        one.elements.add(one.count, origin_of(iterator), arrays)


def origin_of(iterator) -> list:
    """Digests of the tensors that went into the Dataset of an iterator, computed once for an iterator in a process."""
    own = vars(iterator)
    if own.get(ORIGIN, (0,))[0] != os.getpid():
        own[ORIGIN] = os.getpid(), [digest(array_of(x)) for x in own.get(HELD, ())]
    return own[ORIGIN][1]


def given_again(iterator, types) -> list:
    """The element that the program received at this point."""
    known = []
    for one in traces():
        one.elements.count += 1
        known += [one.elements[one.elements.count]] if one.elements.count in one.elements else []
    if not known:
        checkpoint.finish("an element of a Dataset is not kept any more")
    _, origin, arrays = known[0]
    if origin != origin_of(iterator):
        checkpoint.finish("a Dataset is made of what the block computes")
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
