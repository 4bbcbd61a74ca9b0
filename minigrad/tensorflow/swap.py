"""Gives a tensor of TensorFlow another value, in a replay only: otherwise TensorFlow's tensors never change.

A tensor is a Python object with a pointer to its value; the word after the pointer is the tensor's id. The pointers of
two tensors are swapped. Where these two words are is found once, by looking for the ids of several tensors.
"""

import ctypes
import functools

import tensorflow as tf

from ..tracing import checkpoint
from ..tracing.checkpoint import NotTried
from .quiet import quiet

WORDS = 32  # words of an object that are searched
kept = []  # the other tensors: they hold the old values, which may be needed elsewhere


def put(tensor, value) -> None:
    """Give a tensor the value of an array or of another tensor.

    Raises:
        NotTried: this is not a replay, or this version of TensorFlow lays out tensors in an unknown way.
    """
    if checkpoint.replay is None:
        raise NotTried("only a replay changes tensors")
    with quiet():
        other = tf.identity(tf.constant(value, tensor.dtype))
    kept.append(other)
    here, there = (ctypes.c_void_p.from_address(id(one) + 8 * place_of_value()) for one in (tensor, other))
    here.value, there.value = there.value, here.value


@functools.cache
def place_of_value() -> int:
    """The index of the word of a tensor that points to its value: the one before its id."""
    with quiet():
        tensors = [tf.constant(float(k)) for k in range(4)]
    for k in range(2, WORDS):
        if all(word(one, k) == one._id and word(one, k - 1) for one in tensors):
            return k - 1
    raise NotTried("where a tensor of this TensorFlow keeps its value is not known")


def word(one, k) -> int:
    return ctypes.c_uint64.from_address(id(one) + 8 * k).value
