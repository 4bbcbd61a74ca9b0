"""Segment reductions, which combine rows with the same segment id, and counting."""

from typing import Any

import numpy as np

from ..engine import Tensor, bracketed, convert, invalid, not_among, op, tidy
from ..engine.rules import filled
from ..errors import visible
from ..ops import cast, gather, reshape
from .arithmetic import ARITHMETIC, sqrt
from .reductions import limit_of

__all__ = ["bincount", "confusion_matrix", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
           "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod",
           "unsorted_segment_sqrt_n", "unsorted_segment_sum"]  # fmt: skip

# ---- segment reductions --------------------------------------------------------------------------------------------


def in_segments(ufunc, start, data, ids, number):
    """Reduce the parts of `data` with the same id by a ufunc; parts with a negative id are left out."""
    parts = data.reshape((ids.size, *data.shape[ids.ndim :]))
    ids = ids.ravel()
    if ids.size and ids.min() < 0:
        parts, ids = parts[ids >= 0], ids[ids >= 0]
    whole = filled(data, (number, *parts.shape[1:]), start)
    ufunc.at(whole, ids, parts)
    return whole


def picked(dz, segment_ids):
    """The row of its segment for each part, or 0 if its id is negative."""
    ids = np.asarray(segment_ids)
    if not ids.size or ids.min() >= 0:
        return gather.np(dz, ids)
    inside = (ids >= 0).reshape(ids.shape + (1,) * (dz.ndim - 1))
    return np.where(inside, gather.np(dz, np.maximum(ids, 0)), 0)


def segment_extreme_grad(dz, z, data, segment_ids):
    """VJP of a segment maximum or minimum: equal extremes share the gradient."""
    won = (data == picked(z, segment_ids)).astype(data.dtype)
    shares = in_segments(np.add, 0, np.asarray(won), np.asarray(segment_ids), z.shape[0])
    return np.where(np.asarray(won) > 0, picked(dz / np.maximum(shares, 1), segment_ids), 0)


def segment_prod_grad(dz, data, segment_ids):
    """VJP of a segment product: dy times the product of the other parts, which is exact where elements are 0."""
    zero = np.asarray(data) == 0
    zeros = in_segments(np.add, 0, zero.astype(data.dtype), np.asarray(segment_ids), dz.shape[0])
    factors = np.where(zero, 1, data)
    product = unsorted_segment_prod.np(factors, segment_ids, dz.shape[0])
    others_zero = picked(zeros, segment_ids) - zero  # the number of other parts that are 0
    return np.where(others_zero > 0, 0, picked(dz, segment_ids) * picked(product, segment_ids) / factors)


SHARED = "upstream of its segment where data is the extreme, shared with all that are"
OTHERS = "upstream of its segment * the product of the others in it"


@op("SegmentSum", ARITHMETIC, ddata=lambda dz, segment_ids: gather.np(dz, segment_ids), dsegment_ids=None)
def segment_sum(data, segment_ids):
    """Segment sum: row s of the result is the sum of the rows of `data` whose segment id is s.

    Args:
        data: shape `(n, ...)`.
        segment_ids: shape `(n,)`: an id for each row, from 0 up, in ascending order.

    Returns:
        Shape `(last id + 1, ...)`. The row of an id that does not occur is 0.

    Raises:
        InvalidArgumentError: the ids are not in ascending order, are negative, or there is not one for each row.

    >>> import minigrad as mg
    >>> print(mg.math.segment_sum([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[4. 6.]
     [5. 6.]]
    """
    return in_segments(np.add, 0, data, segment_ids, count_segments(data, segment_ids))


@op("SegmentMean", ARITHMETIC, dsegment_ids=None,
    ddata=lambda dz, segment_ids: gather.np(dz / row_counts(segment_ids, dz), segment_ids),
    math="upstream[segment_ids] / the size of the segment")  # fmt: skip
def segment_mean(data, segment_ids):
    """Segment mean: row s of the result is the mean of the rows of `data` whose segment id is s; see `segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.segment_mean([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[2. 3.]
     [5. 6.]]
    """
    total = in_segments(np.add, 0, data, segment_ids, count_segments(data, segment_ids))
    mean = total / np.maximum(row_counts(segment_ids, total), 1)
    return np.trunc(mean).astype(data.dtype) if data.dtype.kind in "iu" else mean


@op("SegmentMax", "iuf", ddata=segment_extreme_grad, dsegment_ids=None, math=SHARED)
def segment_max(data, segment_ids):
    """Segment maximum: row s of the result is the maximum of the rows of `data` whose segment id is s.

    Equal maxima share the gradient evenly; see `segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.segment_max([[1.0, 4.0], [3.0, 2.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[3. 4.]
     [5. 6.]]
    """
    return sorted_extreme(np.maximum, data, segment_ids)


@op("SegmentMin", "iuf", ddata=segment_extreme_grad, dsegment_ids=None, math=SHARED)
def segment_min(data, segment_ids):
    """Segment minimum: row s of the result is the minimum of the rows of `data` whose segment id is s.

    Equal minima share the gradient evenly; see `segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.segment_min([[1.0, 4.0], [3.0, 2.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[1. 2.]
     [5. 6.]]
    """
    return sorted_extreme(np.minimum, data, segment_ids)


@op("SegmentProd", ARITHMETIC, ddata=segment_prod_grad, dsegment_ids=None, math=OTHERS)
def segment_prod(data, segment_ids):
    """Segment product: row s of the result is the product of the rows of `data` whose id is s; see `segment_sum`.

    The row of an id that does not occur is 1.

    >>> import minigrad as mg
    >>> print(mg.math.segment_prod([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[3. 8.]
     [5. 6.]]
    """
    return in_segments(np.multiply, 1, data, segment_ids, count_segments(data, segment_ids))


@op("UnsortedSegmentSum", ARITHMETIC, num_segments=tidy.integer, ddata=picked, dsegment_ids=None,
    math="upstream[segment_ids], but 0 where the id is negative")  # fmt: skip
def unsorted_segment_sum(data, segment_ids, num_segments):
    """Segment sum with ids in any order: part s of the result is the sum of the parts of `data` whose segment id is s.

    Args:
        data: shape `(*batch, ...)`; a part is `data[i]`, with an index i of the axes `batch`.
        segment_ids: shape `batch`: an id for each part. Parts with a negative id are left out.
        num_segments: the number of segments; each id must be smaller.

    Returns:
        Shape `(num_segments, ...)`. A segment without parts is 0.

    Raises:
        InvalidArgumentError: an id is too large, or the shapes do not match.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_sum([1.5, 2.0, 4.0], [2, 0, 2], 3).numpy())
    [2.  0.  5.5]
    """
    check_segments(data, segment_ids, num_segments)
    return in_segments(np.add, 0, data, segment_ids, num_segments)


@op("UnsortedSegmentMax", "iuf", num_segments=tidy.integer, ddata=segment_extreme_grad, dsegment_ids=None, math=SHARED)
def unsorted_segment_max(data, segment_ids, num_segments):
    """Segment maximum with ids in any order; see `unsorted_segment_sum`. Equal maxima share the gradient.

    A segment without parts is the lowest finite number of the dtype.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_max([1.5, 2.0, 4.0], [1, 0, 1], 2).numpy())
    [2. 4.]
    """
    check_segments(data, segment_ids, num_segments)
    return in_segments(np.maximum, finite_limits(data.dtype).min, data, segment_ids, num_segments)


@op("UnsortedSegmentMin", "iuf", num_segments=tidy.integer, ddata=segment_extreme_grad, dsegment_ids=None, math=SHARED)
def unsorted_segment_min(data, segment_ids, num_segments):
    """Segment minimum with ids in any order; see `unsorted_segment_sum`. Equal minima share the gradient.

    A segment without parts is the highest finite number of the dtype.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_min([1.5, 2.0, 4.0], [1, 0, 1], 2).numpy())
    [2.  1.5]
    """
    check_segments(data, segment_ids, num_segments)
    return in_segments(np.minimum, finite_limits(data.dtype).max, data, segment_ids, num_segments)


@op("UnsortedSegmentProd", ARITHMETIC, num_segments=tidy.integer, ddata=segment_prod_grad, dsegment_ids=None,
    math=OTHERS)  # fmt: skip
def unsorted_segment_prod(data, segment_ids, num_segments):
    """Segment product with ids in any order; see `unsorted_segment_sum`. A segment without parts is 1.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_prod([1.5, 2.0, 4.0], [1, 0, 1], 2).numpy())
    [2. 6.]
    """
    check_segments(data, segment_ids, num_segments)
    return in_segments(np.multiply, 1, data, segment_ids, num_segments)


def unsorted_segment_mean(data, segment_ids, num_segments, name=None) -> Tensor:
    """Segment mean with ids in any order; see `unsorted_segment_sum`. A segment without parts is 0.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_mean([1.5, 2.0, 4.5], [1, 0, 1], 3).numpy())
    [2. 3. 0.]
    """
    data, ids = convert(data), convert(segment_ids)
    return unsorted_segment_sum(data, ids, num_segments) / size_of_segments(data, ids, num_segments)


def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None) -> Tensor:
    """Segment sum of n parts divided by sqrt(n), with ids in any order; see `unsorted_segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_sqrt_n([1.5, 2.0, 4.5, 2.0, 2.0], [1, 0, 1, 1, 1], 2).numpy())
    [2. 5.]
    """
    data, ids = convert(data), convert(segment_ids)
    return unsorted_segment_sum(data, ids, num_segments) / sqrt(size_of_segments(data, ids, num_segments))


def count_segments(data, ids):
    """The number of segments of sorted ids. Raise InvalidArgumentError unless the ids fit the rows."""
    if not data.ndim:
        problem = "input must be at least rank 1"
    elif ids.ndim != 1:
        problem = "segment_ids should be a vector."
    elif ids.dtype not in (np.int32, np.int64):
        problem = not_among("Tindices", ids.dtype, "int32, int64")
    elif len(ids) != len(data):
        problem = "segment_ids should be the same size as dimension 0 of input."
    elif not len(ids):
        return 0
    elif (np.diff(ids) < 0).any():
        problem = "segment ids are not increasing"
    elif ids[0] < 0:
        problem = "segment ids must be >= 0"
    else:
        return int(ids[-1]) + 1
    raise invalid(problem)


def check_segments(data, ids, number):
    """Raise InvalidArgumentError unless the ids fit the data and the number of segments."""
    if ids.dtype not in (np.int16, np.int32, np.int64):
        problem = not_among("Tindices", ids.dtype, "int16, int32, int64")
    elif number < 0:
        problem = f"Input num_segments == {number} must not be negative."
    elif data.shape[: ids.ndim] != ids.shape:
        shapes = [bracketed(shape) for shape in (data.shape, ids.shape)]
        problem = f"data.shape = {shapes[0]} does not start with segment_ids.shape = {shapes[1]}"
    elif ids.size and ids.max() >= number:
        place = tuple(np.argwhere(ids >= number)[0].tolist())
        problem = f"segment_ids{bracketed(place)} = {ids[place]} is out of range [0, {number})"
    else:
        return
    raise invalid(problem)


def sorted_extreme(ufunc, data, ids):
    """Maximum or minimum of each segment of sorted ids, and 0 for an id that does not occur."""
    whole = in_segments(ufunc, limit_of(ufunc, data.dtype), data, ids, count_segments(data, ids))
    whole[np.setdiff1d(np.arange(len(whole)), ids)] = 0
    return whole


def finite_limits(dtype):
    """The lowest and the highest finite number of a dtype, as `.min` and `.max`."""
    return np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)


def row_counts(ids, like):
    """The number of rows of each segment, in the dtype of `like` and with as many axes, so that they broadcast."""
    counts = np.bincount(np.asarray(ids), minlength=like.shape[0])
    return counts.astype(like.dtype).reshape((-1,) + (1,) * (like.ndim - 1))


def size_of_segments(data, ids, number):
    """The number of parts of each segment, at least 1: a constant that broadcasts with the reduced data."""
    number = tidy.integer(number)
    counts = np.bincount(ids.value[(ids.value >= 0) & (ids.value < number)].ravel(), minlength=number)
    counts = np.maximum(counts, 1).reshape((-1,) + (1,) * (data.value.ndim - ids.value.ndim))
    return Tensor.of(counts.astype(data.value.dtype))


# ---- counting --------------------------------------------------------------------------------------------------------


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=np.int32, name=None, axis=None,
             binary_output=False) -> Tensor:  # fmt: skip
    """Count how often each of the integers 0, 1, 2 ... occurs.

    Args:
        arr: integers, none of them negative.
        weights: the amount that each element adds to its count, in place of 1; of the shape of `arr`.
        minlength: the least number of counts; integers that do not occur have count 0.
        maxlength: the largest number of counts; larger integers are left out.
        dtype: of the counts; with weights it is theirs.
        axis: None or 0 to count all elements together, -1 to count each row separately.
        binary_output: return 1 instead of the count if the integer occurs.

    Returns:
        Shape `(n,)`, or `(rows, n)` with `axis=-1`, where n - 1 is the largest integer counted.

    Raises:
        InvalidArgumentError: an integer is negative, or the weights have another shape.
        ValueError: `axis` has another value, or `binary_output` is combined with weights.

    >>> import minigrad as mg
    >>> print(mg.math.bincount([1, 1, 3]).numpy(), mg.math.bincount([1, 1, 3], weights=[0.5, 1.0, 2.0]).numpy())
    [0 2 0 1] [0.  1.5 0.  2. ]
    """
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={visible(axis)}. Only 0 and -1 are currently supported.")
    arr = convert(arr)
    arr = arr if arr.value.dtype.kind in "iu" else cast(arr, np.int32)
    arr = arr if axis == -1 else reshape(arr, (-1,))
    size = int(arr.value.max()) + 1 if arr.value.size else 0
    size = size if minlength is None else max(size, int(minlength))
    size = size if maxlength is None else min(size, int(maxlength))
    if weights is not None:
        weights = convert(weights).value
        dtype, weights = weights.dtype, weights if axis == -1 else weights.reshape(-1)
    return dense_bincount(arr, size, weights, dtype, binary_output)


@op("DenseBincount", "iu", dtype=tidy.dtype, darr=None)
def dense_bincount(arr, size: int, weights: Any, dtype, binary_output: bool):
    """Op behind `mg.math.bincount`: counts along the last axis.

    >>> import minigrad as mg
    >>> print(mg.math.bincount([1, 1, 3]).numpy())
    [0 2 0 1]
    """
    if arr.size and arr.min() < 0:
        raise invalid("Input arr must be non-negative!")
    if arr.ndim > 2:
        raise invalid(f"Shape must be at most rank 2 but is rank {arr.ndim}")
    if weights is not None and weights.shape != arr.shape:
        problem = "`weights` must be the same shape as `arr` or a length-0 `Tensor`,"
        raise invalid(f"{problem} in which case it acts as all weights equal to 1. Received {list(weights.shape)}")
    counted = arr < size
    counts = np.zeros((*arr.shape[:-1], size), dtype)
    places = (*np.nonzero(np.atleast_1d(counted))[:-1], arr[counted])
    np.add.at(counts, places, 1 if weights is None else weights[counted])
    return np.minimum(counts, 1) if binary_output else counts


def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=np.int32, name=None) -> Tensor:
    """Confusion matrix: element `[i, j]` counts the examples with label i predicted as j.

    Args:
        labels, predictions: classes, numbered from 0: shape `(batch,)` or `(batch, 1)`.
        num_classes: the number of classes; by default the largest class that occurs, plus 1.
        weights: the amount that each example adds to its count, in place of 1: shape `(batch,)`.
        dtype: of the counts.

    Returns:
        Shape `(num_classes, num_classes)`.

    Raises:
        InvalidArgumentError: a class is negative or too large, or the shapes differ.

    >>> import minigrad as mg
    >>> print(mg.math.confusion_matrix([1, 2, 2], [1, 2, 0]).numpy())
    [[0 0 0]
     [0 1 0]
     [1 0 1]]
    """
    given = {"labels": convert(labels).value, "predictions": convert(predictions).value}
    deepest = max(value.ndim for value in given.values())
    flat = {name: value[..., 0] if value.ndim == deepest > 1 else value for name, value in given.items()}
    classes = {name: value.astype(np.int64) for name, value in flat.items()}
    sizes = [value.max() + 1 for value in classes.values() if value.size]
    number = int(max(sizes, default=0)) if num_classes is None else int(num_classes)
    for name, value in classes.items():
        if (value < 0).any():
            raise invalid(f"`{name}` contains negative values.")
        if (value >= number).any():
            raise invalid(f"`{name}` out of bound")
    actual, predicted = classes.values()
    if actual.shape != predicted.shape:
        shapes = [f"values[{k}].shape = {bracketed(value.shape)}" for k, value in enumerate((actual, predicted))]
        raise invalid(f"Shapes of all inputs must match: {' != '.join(shapes)} [Op:Pack] name: stack")
    counted = convert(np.ones(actual.shape)) if weights is None else convert(weights)
    counts = unsorted_segment_sum(cast(counted, dtype), actual * number + predicted, number * number)
    return reshape(counts, (number, number))
