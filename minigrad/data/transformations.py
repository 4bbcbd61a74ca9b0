"""The iterators behind the transformations of Datasets."""

import itertools

import numpy as np

from .. import errors
from ..engine import Tensor, TensorShape, bracketed, convert, invalid, storing
from ..nest import sorted_keys
from ..ops.creation import zero_of
from ..random.streams import Stream
from .elements import (
    UNKNOWN_CARDINALITY,
    Failure,
    attempt_all,
    columns,
    components,
    spec_inference,
    with_components,
)


def repeated(start):
    """All elements of what `start` returns, over and over again; nothing if there are none."""
    found = True
    while found:
        found = False
        for x in start():
            found = found or x.__class__ is not Failure
            yield x


def taken(elements, most):
    """The first `most` elements."""
    while most and (x := next(elements, None)) is not None:
        yield x
        most -= x.__class__ is not Failure


def spaced(elements, first, step):
    """Every `step`-th element, starting with number `first`. An error among those left out begins their count anew."""
    gap = left = first
    for x in elements:
        if x.__class__ is Failure:
            left = left and gap
            yield x
        elif left:
            left -= 1
        else:
            yield x
            gap = left = step - 1


def interleaved(iterators, cycle_length, block_length):
    """Blocks of elements, from one place of a cycle after another; a place without an iterator takes the next one."""
    places: list = [None] * cycle_length
    going = True
    while going:
        going = False
        for k in range(cycle_length):
            while (place := places[k] or next(iterators, None)).__class__ is Failure:
                yield place
            if place:
                going, left = True, block_length
                for x in taken(place, block_length):
                    yield x
                    left -= x.__class__ is not Failure
                places[k] = None if left else place


# ---- batches -------------------------------------------------------------------------------------------------------


def batches(elements, size, drop_remainder, stack, whole=False):
    """Groups of `size` elements, each combined by `stack`, which returns the components of the batch.

    A batch ends with the first error in it, which passes for it; if `whole`, it is read to its end.
    """
    read = iter if whole else until_failure
    while rows := list(read(itertools.islice(elements, size))):
        if len(rows) == size or not drop_remainder or Failure in map(type, rows):
            if spec_inference.resized and not drop_remainder:
                rows = rows[:1] if len(rows) > 1 else rows * 2
            yield attempt_all(lambda rows: with_components(rows[0], stack(rows)), rows)


def until_failure(elements):
    """The elements up to the first Failure, and this."""
    for x in elements:
        yield x
        if x.__class__ is Failure:
            return


def stack_elements(elements):
    """For each component, its values stacked along a new first axis."""
    return [stack_component(k, column) for k, column in enumerate(columns(elements))]


def stack_component(k, rows):
    """The values of component number k, stacked along a new first axis.

    Raises:
        InvalidArgumentError: their shapes differ.
    """
    shape = rows[0].value.shape
    for i, row in enumerate(rows):
        if row.value.shape != shape:
            first, other = (bracketed(s) for s in (shape, row.value.shape))
            given = f"First element had shape {first} and element {i} had shape {other}. [Op:IteratorGetNext] name: "
            raise invalid(f"Cannot batch tensors with different shapes in component {k}. {given}")
    return stored_batch(rows, np.stack([row.value for row in rows]))


def stored_batch(rows, value):
    """A Tensor of this value; listeners hear that the rows were stored in it."""
    batch = Tensor.of(value)
    for row in rows:
        storing(row, batch, "Dataset")
    return batch


def pad_elements(shapes, values, elements):
    """For each component, its values padded to one shape and stacked along a new first axis."""
    structure = elements[0]
    settings = zip(columns(elements), per_component(structure, shapes), per_component(structure, values))
    return [pad_component(*one) for one in settings]


def per_component(structure, given):
    """The item of `given` for each component of a structure; None for all if `given` is None."""
    if given is None:
        return [None for _ in components(structure)]
    if isinstance(structure, dict):
        return [one for key in sorted_keys(structure) for one in per_component(structure[key], given[key])]
    if isinstance(structure, tuple):
        return [one for x, its in zip(structure, given, strict=True) for one in per_component(x, its)]
    return [given]


def pad_component(rows, shape, padding):
    """The values of one component, padded at the end of each axis and stacked along a new first axis.

    Raises:
        TypeError: the padding has another dtype.
    """
    dtype = rows[0].dtype
    padding = None if padding is None else convert(padding)
    if padding is not None and padding.dtype != dtype:
        problem = f"Invalid `padding_values`. `padding_values` values type {padding.dtype} does"
        raise TypeError(f"{problem} not match type {dtype} of the corresponding input component.")
    filler = zero_of(dtype.dtype) if padding is None else padding.value
    batch = np.full((len(rows), *padded_shape(rows, shape)), filler, dtype.dtype)
    for i, row in enumerate(rows):
        places = (i, *map(slice, row.value.shape), ...)
        batch[places] = row.value
    return stored_batch(rows, batch)


def padded_shape(rows, wanted):
    """The shape to pad to: as wanted, with the longest length among the rows where a length is None or -1.

    Raises:
        ValueError: the wanted shape has another number of axes.
        DataLossError: a row is longer than wanted.
    """
    longest = [max(lengths) for lengths in zip(*[row.value.shape for row in rows])]
    if wanted is None:
        return longest
    wanted = [wanted] if np.ndim(wanted) == 0 else list(wanted)
    wanted = TensorShape([None if n is None or n == -1 else n for n in wanted])
    if wanted.rank != len(longest):
        problem = f"The padded shape {wanted} is not compatible with the shape"
        raise ValueError(f"{problem} {rows[0].shape} of the corresponding input component.")
    if any(n is not None and n < least for n, least in zip(wanted, longest)):
        text = "Attempted to pad to a smaller size than the input element. [Op:IteratorGetNext] name: "
        raise errors.DataLossError(None, None, text)
    return [least if n is None else n for n, least in zip(wanted, longest)]


# ---- shuffling -----------------------------------------------------------------------------------------------------


def random_words(first_seed, second_seed):
    """An endless iterator of random 32-bit integers: the Philox stream of two seeds."""
    stream = Stream(first_seed, second_seed << 64)
    for start in itertools.count(0, 64):
        yield from stream.blocks(64, start).ravel().tolist()


def shuffled(elements, buffer_size, words):
    """Draw each element from a buffer of the next `buffer_size`; the first one in the buffer then takes its place."""
    buffer, room = [], np.inf if buffer_size == UNKNOWN_CARDINALITY else buffer_size
    first = 0  # the index of the first filled place
    while True:
        for x in taken(elements, room):
            if x.__class__ is Failure:
                yield x
            else:
                buffer.append(x)
        if first == len(buffer):
            return
        place = first + next(words) % (len(buffer) - first)
        yield buffer[place]
        buffer[place], buffer[first] = buffer[first], None
        first, room = first + 1, 1
        if first == 1000:
            del buffer[:first]
            first = 0
