"""tf's top-level ops on order: sort, argsort, searchsorted, unique, unravel_index."""

import collections

import numpy as np

from .. import errors
from ..engine import BATCHED_TWINS, Tensor, convert, dtypes, invalid, op, tidy, unregistered, unsupported
from ..engine.rules import axes_in_stack
from ..errors import visible

__all__ = ["argsort", "searchsorted", "sort", "unique", "unique_with_counts", "unravel_index"]

# ---- order ---------------------------------------------------------------------------------------------------------


def sort(values, axis=-1, direction="ASCENDING", name=None) -> Tensor:
    """Sort along an axis. The gradient of each element goes back to its place in the input.

    Args:
        values: of a numeric dtype, with at least one axis.
        axis: the axis to sort along.
        direction: "ASCENDING" or "DESCENDING".

    Raises:
        ValueError: there is no such direction.
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.sort([2.0, 3.0, 1.0]), mg.sort([2.0, 3.0, 1.0], direction="DESCENDING"))
    mg.Tensor([1. 2. 3.], shape=(3,), dtype=float32) mg.Tensor([3. 2. 1.], shape=(3,), dtype=float32)
    """
    values, axis = convert(values), tidy.integer(axis)
    return in_order(values, argsort(values, axis, direction), axis)


@op("TopKV2", "iuf", axis=tidy.integer, dvalues=None)
def argsort(values, axis=-1, direction="ASCENDING", stable=False):
    """Indices that sort a Tensor along an axis, as int32. The sort is stable: equal elements keep their order.

    Args:
        values: of a numeric dtype, with at least one axis.
        axis: the axis to sort along.
        direction: "ASCENDING" or "DESCENDING".
        stable: accepted as in TensorFlow; here the sort is always stable.

    Raises:
        ValueError: there is no such direction.
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.argsort([2.0, 3.0, 1.0]))
    mg.Tensor([2 0 1], shape=(3,), dtype=int32)
    """
    if direction not in ("ASCENDING", "DESCENDING"):
        text = f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={visible(direction)}"
        raise errors.by_python(ValueError(text))
    if axis is None:
        raise errors.by_python(unsupported(axis))
    if not -values.ndim <= axis < values.ndim:
        raise invalid(f"slice index {axis} of dimension 0 out of bounds.", "StridedSlice")
    if direction == "ASCENDING":
        return np.argsort(values, axis, kind="stable").astype(np.int32)
    backward = np.flip(np.argsort(np.flip(values, axis), axis, kind="stable"), axis)  # equal ones keep their order
    return (values.shape[axis] - 1 - backward).astype(np.int32)


@op("TopKV2", dorder=None, dvalues=lambda dy, order, axis: in_order.np(dy, argsort.np(order, axis), axis),
    math="upstream, each element back in its place")  # fmt: skip
def in_order(values, order, axis: int):
    """Op behind `mg.sort`: the elements along an axis in the order of these indices, a permutation of each row.

    >>> import minigrad as mg
    >>> print(mg.sort([[2.5, 3.5, 1.5]]).numpy())
    [[1.5 2.5 3.5]]
    """
    return np.take_along_axis(values, order, axis)


@op("LowerBound", out_type=tidy.dtype, dsorted_sequence=None, dvalues=None)
def searchsorted(sorted_sequence, values, side="left", out_type="int32"):
    """Indices at which values would be inserted into a sorted sequence so that it stays sorted.

    Args:
        sorted_sequence: shape `(..., n)`, in ascending order along the last axis.
        values: shape `(..., k)`, with the same axes in front.
        side: "left" inserts a value before equal elements, "right" after them.
        out_type: int32 or int64.

    Returns:
        Indices from 0 to n, in the shape of `values`.

    Raises:
        ValueError: there is no such side.
        InvalidArgumentError: the axes in front differ.

    >>> import minigrad as mg
    >>> print(mg.searchsorted([1.0, 3.0, 5.0], [0.0, 3.0, 9.0]))
    mg.Tensor([0 1 3], shape=(3,), dtype=int32)
    """
    if side not in ("left", "right"):
        problem = "Argument `side` must be either 'right' or 'left'."
        raise errors.by_python(ValueError(f"{problem} Received: `side` = '{visible(side)}'."))
    if not values.ndim or not sorted_sequence.ndim:
        raise invalid("slice index -1 of dimension 0 out of bounds.", "StridedSlice")
    sequences, wanted = [x.reshape((int(np.prod(x.shape[:-1])), x.shape[-1])) for x in (sorted_sequence, values)]
    if len(sequences) != len(wanted):
        raise invalid("Leading dim_size of both tensors must match.")
    places = [np.searchsorted(one, these, side) for one, these in zip(sequences, wanted)]
    return np.array(places, out_type).reshape(values.shape)


Unique = collections.namedtuple("Unique", "y idx")
UniqueWithCounts = collections.namedtuple("UniqueWithCounts", "y idx count")


def unique(x, out_idx=dtypes.int32, name=None) -> Unique:
    """Unique elements of a vector, in the order of their first occurrence.

    Args:
        x: shape `(n,)`.
        out_idx: the dtype of the indices.

    Returns:
        `(y, idx)`: the unique elements, and for each element of x its index in y, so that `x[i] == y[idx[i]]`.

    Raises:
        InvalidArgumentError: x is not a vector.
        LookupError: (in `tape.gradient`) no gradient is registered for it, as in TensorFlow.

    >>> import minigrad as mg
    >>> y, idx = mg.unique([5, 3, 5])
    >>> print(y.numpy(), idx.numpy())
    [5 3] [0 1 0]
    """
    return Unique(*distinct(x, out_idx)[:2])


def unique_with_counts(x, out_idx=dtypes.int32, name=None) -> UniqueWithCounts:
    """Like `unique`, with the number of occurrences of each unique element: `(y, idx, count)`.

    Raises:
        InvalidArgumentError: x is not a vector.
        LookupError: (in `tape.gradient`) no gradient is registered for it, as in TensorFlow.

    >>> import minigrad as mg
    >>> print(mg.unique_with_counts([5, 3, 5]).count.numpy())
    [2 1]
    """
    return UniqueWithCounts(*distinct(x, out_idx))


@op("Unique", out_idx=tidy.dtype, **unregistered("Unique", "output", "x"))
def distinct(x, out_idx) -> list:
    """Op behind `mg.unique` and `mg.unique_with_counts`.

    >>> import minigrad as mg
    >>> print(mg.unique([5.0, 3.0, 5.0]).y)
    mg.Tensor([5. 3.], shape=(2,), dtype=float32)
    """
    if x.ndim != 1:
        raise invalid("unique expects a 1D vector.")
    _, first, which, counts = np.unique(x, True, True, True, equal_nan=False)
    order = np.argsort(first)
    return [x[first[order]], np.argsort(order)[which].astype(out_idx), counts[order].astype(out_idx)]


# ---- indices -------------------------------------------------------------------------------------------------------


@op("UnravelIndex", dindices=None, ddims=None)
def unravel_index(indices, dims):
    """Convert flat indices into an array of shape `dims` to coordinates.

    Args:
        indices: integers: a scalar, or shape `(n,)`.
        dims: the shape of the array, as integers of shape `(rank,)`.

    Returns:
        Shape `(rank,)`, or `(rank, n)`: a column of coordinates for each index.

    Raises:
        InvalidArgumentError: an index is out of range.

    >>> import minigrad as mg
    >>> print(mg.unravel_index([3, 5], [2, 3]).numpy())
    [[1 1]
     [0 2]]
    """
    try:
        return np.array(np.unravel_index(indices, tuple(dims)), indices.dtype)
    except ValueError:
        raise invalid("index is out of bound as with dims") from None


BATCHED_TWINS |= {
    in_order.__wrapped__: lambda x, order, axis: np.take_along_axis(x.value, order[None], *axes_in_stack(axis, x.ndim)),
}
