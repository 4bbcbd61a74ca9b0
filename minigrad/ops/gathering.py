"""tf's top-level ops that read elements by index (gather, where), or write them (scatter)."""

import builtins

import numpy as np

from .. import errors
from ..engine import SparseRows, Tensor, another_dtype, bracketed, convert, dtypes, invalid, op, tidy, twin
from ..engine.rules import BATCHED_TWINS, Batched, filled
from .creation import INDICES, convert_to_tensor, full, wrong_kind, zero_of, zeros_like
from .shaping import count, expand_dims, reshape, tile

__all__ = ["boolean_mask", "dynamic_partition", "dynamic_stitch", "gather", "gather_nd", "repeat", "scatter_nd",
           "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub",
           "tensor_scatter_nd_update", "where"]  # fmt: skip


def repeat(input, repeats, axis=None, name=None) -> Tensor:
    """Repeat each element along an axis.

    Args:
        input: of any shape.
        repeats: the number of repeats: an int for all elements, or a list with an int for each index along the axis.
        axis: the axis; None flattens the input first.

    Raises:
        ValueError: there is no such axis, or the number of repeats differs from its length.

    >>> import minigrad as mg
    >>> print(mg.repeat([1.0, 2.0], [1, 3]))
    mg.Tensor([1. 2. 2. 2.], shape=(4,), dtype=float32)
    """
    data, repeats = convert_to_tensor(input), tidy.integers(repeats)
    if axis is None:
        data, axis = reshape(data, (-1,)), 0
    if not data.ndim:
        data = reshape(data, (1,))
    if not -data.ndim <= axis < data.ndim:
        raise ValueError(f"axis={axis} out of bounds: expected {-data.ndim}<=axis<{data.ndim}")
    axis %= data.ndim
    if repeats.ndim > 1:
        raise ValueError(f"Shape {repeats.shape} must have rank at most 1")
    length = data.shape[axis]
    if repeats.size not in (1, length):
        raise ValueError(f"Dimensions {length} and {repeats.size} are not compatible")
    most = int(np.maximum.reduce(repeats, None)) if repeats.size else 0
    copies = tile(expand_dims(data, axis + 1), [most if i == axis + 1 else 1 for i in builtins.range(data.ndim + 1)])
    if repeats.size == 1:
        return reshape(copies, (*data.shape[:axis], -1 if data.value.size else most * length, *data.shape[axis + 1 :]))
    return boolean_mask(copies, np.arange(most) < repeats[:, None], axis)


# ---- gathering -----------------------------------------------------------------------------------------------------


def gather_grad(dy, params_shape, indices, axis, batch_dims):
    """VJP of `gather`: the gradient of each slice is added at the index that it came from."""
    shape, indices = params_shape, indices.value if isinstance(indices, Tensor) else indices
    slices = (batch_dims if axis is None else axis) == 0  # for a negative axis TensorFlow makes it dense
    axis, batch = gather_place(axis, batch_dims, len(shape), indices.ndim)
    if slices:
        rows, numbers = dy.reshape((indices.size, *shape[1:])), indices.ravel()
        return scatter_rows.np(rows, numbers, shape) if isinstance(dy, Batched) else SparseRows(rows, numbers, shape)
    lead, length, rest = shape[:batch], shape[axis], (*shape[batch:axis], *shape[axis + 1 :])
    picked = tuple(builtins.range(axis, axis + indices.ndim - batch))  # the axes of dy that come from the indices
    front = (*builtins.range(batch), *picked)
    rows = np.transpose(dy, front + tuple([i for i in builtins.range(dy.ndim) if i not in front]))
    group = np.arange(count(lead)).reshape(lead + (1,) * len(picked)) * length  # each example has its own rows
    rows, places = rows.reshape((indices.size, *rest)), (indices + group).ravel()
    total = scatter_rows.np(rows, places, (count(lead) * length, *rest))
    axes = list(builtins.range(len(shape)))
    axes.insert(axis, axes.pop(batch))
    return np.transpose(total.reshape((*lead, length, *rest)), tuple(axes))


@op("GatherV2", axis=tidy.integer, batch_dims=tidy.integer, dindices=None, dparams=gather_grad,
    math="upstream, added up at the indices")  # fmt: skip
def gather(params, indices, validate_indices: bool | None = None, axis=None, batch_dims=0):
    """Gather the slices of `params` with these indices along an axis.

    The gradient of `params` is an `mg.IndexedSlices` if the axis is 0.

    Args:
        params: has at least one axis.
        indices: integers from 0 to the length of the axis minus 1, of any shape.
        validate_indices: accepted as in TensorFlow, without effect.
        axis: the axis of `params`; None takes `batch_dims`.
        batch_dims: the number of leading batch axes, which `params` and `indices` share.

    Returns:
        Shape `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.

    Raises:
        InvalidArgumentError: an index is out of range, there is no such axis, or the batch axes differ.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]])
    >>> print(mg.gather(x, [1, 0, 1], axis=1).numpy())
    [[2.5 1.5 2.5]
     [5.5 4.5 5.5]]
    >>> print(mg.gather(x, [[2, 2], [0, 1]], batch_dims=1).numpy())
    [[3.5 3.5]
     [4.5 5.5]]
    """
    if indices.dtype.char not in INDICES:
        raise wrong_kind("Tindices", indices)
    axis, batch = gather_place(axis, batch_dims, params.ndim, indices.ndim)
    length = params.shape[axis]
    if indices.size and (np.minimum.reduce(indices, None) < 0 or np.maximum.reduce(indices, None) >= length):
        bad = (indices < 0) | (indices >= length)
        place = bracketed(np.argwhere(bad)[0]) if indices.ndim else ""
        raise invalid(f"indices{place} = {indices[bad][0]} is not in [0, {length})")
    if not batch:
        taken = np.take(params, indices, axis)
        return taken if params.dtype.kind != "O" else np.asarray(taken, object)
    if params.shape[:batch] != indices.shape[:batch]:
        i = next(i for i in builtins.range(batch) if params.shape[i] != indices.shape[i])
        raise invalid(f"params.shape[{i}]: {params.shape[i]} should be equal to indices.shape[{i}]: {indices.shape[i]}")
    before, after = params.shape[batch:axis], params.shape[axis + 1 :]
    lead = params.shape[:batch]
    rows = params.reshape((*lead, count(before), length, count(after)))
    taken = np.take_along_axis(rows, indices.reshape((*lead, 1, count(indices.shape[batch:]), 1)), batch + 1)
    return taken.reshape((*lead, *before, *indices.shape[batch:], *after))


def gather_place(axis, batch_dims, ndim, indices_ndim):
    """The axis of `gather` and its number of batch axes, both counted from 0."""
    axis = batch_dims if axis is None else axis
    batch = batch_dims + indices_ndim * (batch_dims < 0)
    if not ndim:
        raise invalid("params must be at least 1 dimensional")
    if not -ndim <= axis < ndim:
        raise invalid(f"Shape must be at least rank {axis + 1 if axis >= 0 else -axis} but is rank {ndim}")
    if not -indices_ndim <= batch_dims <= indices_ndim:
        raise invalid(f"Expected batch_dims in the range [{-indices_ndim}, {indices_ndim}], but got {batch_dims}")
    place = axis % ndim
    if axis and place < batch:  # for an axis of 0 TensorFlow ignores the batch
        raise invalid(f"batch_dims ({batch}) must be less than or equal to axis ({place}).")
    return place, min(batch, place)


@op("UnsortedSegmentSum", shape=tidy.lengths, dvalues=lambda dz, indices: gather.np(dz, indices), dindices=None)
def scatter_rows(values, indices, shape):
    """Zeros of this shape, with each row `values[i]` added at index `indices[i]`.

    >>> import minigrad as mg
    >>> print(mg.ops.gathering.scatter_rows([1.0, 2.0, 4.0], [2, 0, 2], (3,)))
    mg.Tensor([2. 0. 5.], shape=(3,), dtype=float32)
    """
    whole = filled(values, shape)
    np.add.at(whole, indices, values)
    return whole


@op("GatherNd", dindices=None, dparams=lambda dy, params_shape, indices: gather_nd_grad(dy, params_shape, indices),
    math="upstream, added up at the indices")  # fmt: skip
def gather_points(params, indices):
    """Op behind `mg.gather_nd`, without batch axes.

    >>> import minigrad as mg
    >>> print(mg.gather_nd([[1.5, 2.5], [3.5, 4.5]], [[0, 1], [1, 0]]))
    mg.Tensor([2.5 3.5], shape=(2,), dtype=float32)
    """
    if not indices.ndim:
        raise invalid("indices must be at least a vector")
    if indices.shape[-1] > params.ndim:
        problem = "index innermost dimension length must be <= params rank; saw:"
        raise invalid(f"{problem} {indices.shape[-1]} vs. {params.ndim}")
    check_points(indices, params.shape, f"param shape {bracketed(params.shape)}, node name: GatherNd")
    taken = params[None][points(indices)]
    return taken if params.dtype.kind != "O" else np.asarray(taken, object)


def points(indices):
    """Index vectors as a key of `array[None]`: an array for each axis, with zeros for the axis of None."""
    return (np.zeros(indices.shape[:-1], int), *np.moveaxis(indices, -1, 0), Ellipsis)


def outside(indices, shape):
    """Whether each index vector is out of range for this shape."""
    return np.logical_or.reduce((indices < 0) | (indices >= np.array(shape[: indices.shape[-1]], int)), axis=-1)


def without(bad, rows):
    """The rows, with the bad ones replaced by 0."""
    return where(bad.reshape(bad.shape + (1,) * (rows.ndim - bad.ndim)), zeros_like(rows), rows)


def check_points(indices, shape, where):
    """Raise InvalidArgumentError if an index vector is out of range for this shape."""
    if indices.dtype.char not in INDICES:
        raise wrong_kind("Tindices", indices)
    bad = outside(indices, shape)
    if np.logical_or.reduce(bad, axis=None):
        place = np.argwhere(bad)[0]
        number = bracketed(place) if len(place) else ""
        raise invalid(f"indices{number} = [{', '.join(map(str, indices[tuple(place)]))}] does not index into {where}")


def gather_nd_grad(dy, shape, indices):
    """VJP of `gather_nd`: sparse rows if whole rows were gathered by their index, as in `gather`; otherwise dense."""
    if indices.ndim == 2 and indices.shape[1] == 1 and not isinstance(dy, Batched):
        return SparseRows(dy, np.asarray(indices)[:, 0], shape)
    return added_at.np(dy, indices, shape)


def at_points(dz, indices):
    """VJP of a scatter with respect to the updates: the upstream gradient at their indices."""
    return gather_points.np(dz, indices)


@op("ScatterNd", shape=tidy.lengths, dupdates=at_points, dindices=None)
def added_at(updates, indices, shape):
    """Op behind `mg.scatter_nd`: zeros of this shape, with the updates added at these index vectors.

    >>> import minigrad as mg
    >>> print(mg.scatter_nd([[2], [0], [2]], [1.0, 2.0, 4.0], [3]))
    mg.Tensor([2. 0. 5.], shape=(3,), dtype=float32)
    """
    whole = full(shape, zero_of(updates.dtype), updates.dtype)
    np.add.at(whole[None], points(indices), updates)
    return whole


def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy="") -> Tensor:
    """Gather the elements, or slices, of `params` at these index vectors.

    Args:
        params: of any shape.
        indices: integers, shape `(..., k)`: each vector of length k is an index along the first k axes of `params`.
        batch_dims: the number of leading batch axes, which `params` and `indices` share; the k axes follow them.
        bad_indices_policy: "IGNORE" returns 0 for an index out of range.

    Returns:
        Shape `indices.shape[:-1] + params.shape[batch_dims + k:]`.

    Raises:
        InvalidArgumentError: an index is out of range, or the batch axes differ.

    >>> import minigrad as mg
    >>> print(mg.gather_nd([[1.5, 2.5], [3.5, 4.5]], [[0, 1], [1, 0]]))
    mg.Tensor([2.5 3.5], shape=(2,), dtype=float32)
    """
    batch_dims = tidy.integer(batch_dims)
    params, indices = convert(params), convert(indices)
    if batch_dims:
        if batch_dims < 0:
            raise ValueError("mg.gather_nd does not allow negative batch_dims.")
        if batch_dims >= indices.ndim:
            raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`indices`) = {indices.ndim}")
        lead = [bracketed(one.value.shape[:batch_dims]) for one in (params, indices)]
        if lead[0] != lead[1]:
            raise invalid(f"the batches differ: {lead[0]} in `params` and {lead[1]} in `indices` [Op:Reshape] name: ")
        indices = in_batch(indices.value, batch_dims)
    if bad_indices_policy != "IGNORE":
        return gather_points(params, indices)
    bad = outside(indices.value, params.shape)
    return without(bad, gather_points(params, without(bad, indices)))


def in_batch(indices, batch_dims):
    """The index vectors, each with its batch indices in front."""
    batch = indices.shape[:batch_dims]
    lead = np.indices(batch).reshape((batch_dims, *batch, *[1] * (indices.ndim - batch_dims)))
    lead = [np.broadcast_to(one, (*indices.shape[:-1], 1)) for one in lead]
    return Tensor.of(np.concatenate([*lead, indices], -1).astype(indices.dtype))


def boolean_mask(tensor, mask, axis=None, name="boolean_mask") -> Tensor:
    """Elements, or slices, of a Tensor where the mask is True.

    Args:
        tensor: has at least one axis.
        mask: bools, in the shape of `tensor` or of some of its axes.
        axis: the first of those axes; None means 0.

    Returns:
        A Tensor in which one axis, as long as the number of True, replaces the axes of the mask.

    Raises:
        ValueError: the shapes do not fit, or the mask is a scalar.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> print(mg.boolean_mask(x, [False, True]).numpy(), mg.boolean_mask(x, x > 1.5))
    [[3. 4.]] mg.Tensor([2. 3. 4.], shape=(3,), dtype=float32)
    """
    tensor, mask, axis = convert(tensor), convert(mask).value, 0 if axis is None else tidy.integer(axis)
    if not mask.ndim:
        raise ValueError("mask cannot be scalar.")
    shape, end = tensor.shape, axis + mask.ndim
    if shape[axis:end] != mask.shape:
        raise ValueError(f"Shapes {shape[axis:end]} and {mask.shape} are incompatible")
    flat = reshape(tensor, (*shape[:axis], mask.size, *shape[end:]))
    return gather(flat, np.flatnonzero(mask), axis=axis)


@op("SelectV2", dcondition=None, dx=lambda dz, condition: np.where(condition, dz, 0),
    dy=lambda dz, condition: np.where(condition, 0, dz))  # fmt: skip
def select(condition, x, y):
    """Op behind `mg.where` with three arguments.

    >>> import minigrad as mg
    >>> print(mg.where([True, False], [1.0, 2.0], [[3.0], [4.0]]).numpy())
    [[1. 3.]
     [1. 4.]]
    """
    if condition.dtype.kind != "b":
        raise invalid(another_dtype("SelectV2", 0, np.dtype(bool), condition.dtype))
    try:
        return np.where(condition, x, y)[()]
    except ValueError:
        shapes = [bracketed(one.shape) for one in (condition, x, y)]
        raise invalid(f"condition {shapes[0]}, then {shapes[1]}, and else {shapes[2]} must be broadcastable") from None


@twin(np.where)
def select_by_constant(condition, x, y):
    """`np.where` in a recorded VJP, where a condition is a constant: bools, or 0 and 1."""
    condition = condition.value if isinstance(condition, Tensor) else np.asarray(condition)
    return select(condition != 0, x, y)


@op("Where", "biufc", dcondition=None)
def where_true(condition):
    """Op behind `mg.where` with the condition alone: the indices of the nonzero elements, one per row.

    >>> import minigrad as mg
    >>> print(mg.where([[True, False], [True, True]]).numpy())
    [[0 0]
     [1 0]
     [1 1]]
    """
    if not condition.ndim:
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    return np.argwhere(condition)


def where(condition, x=None, y=None, name=None) -> Tensor:
    """Select elements of `x` where the condition is True, and of `y` elsewhere.

    With the condition alone, return the indices at which it is True.

    Args:
        condition: bools; without x and y also numbers, which count as True unless they are 0.
        x, y: of one dtype. All three are broadcast to one shape.

    Returns:
        The selected elements; or int64 indices of shape `(number of True, rank)`, which have no gradient.

    Raises:
        ValueError: only one of x and y is given.
        InvalidArgumentError: the condition is a Tensor that is not bool, or the shapes do not fit.
        TypeError: the condition is a list or a number, and is not bool.

    Note:
        The gradient of an element that was not selected is 0, but 0 times an infinite derivative is NaN: in
        `where(x > 0, log(x), 0)` make x positive *before* the log.

    >>> import minigrad as mg
    >>> print(mg.where([True, False], 1.0, 2.0), mg.where([False, True]).numpy())
    mg.Tensor([1. 2.], shape=(2,), dtype=float32) [[1]]
    """
    if x is None and y is None:
        return where_true(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select(condition if hasattr(condition, "__tf_tensor__") else convert_to_tensor(condition, dtypes.bool), x, y)


# ---- scattering ----------------------------------------------------------------------------------------------------


def scatter_nd(indices, updates, shape, bad_indices_policy="", name=None) -> Tensor:
    """Zeros of a given shape, with updates added at these index vectors.

    Args:
        indices: integers, shape `(..., k)`: each vector of length k is an index along the first k axes of the result.
            At equal index vectors the updates add up.
        updates: shape `indices.shape[:-1] + shape[k:]`: an element, or slice, for each index vector.
        shape: of the result.
        bad_indices_policy: "IGNORE" leaves out updates whose index is out of range.

    Raises:
        InvalidArgumentError: an index is out of range, or the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.scatter_nd([[2], [0], [2]], [1.0, 2.0, 4.0], [3]))
    mg.Tensor([2. 0. 5.], shape=(3,), dtype=float32)
    """
    indices, shape = convert(indices), tidy.lengths(shape)
    places, given = indices.value, np.shape(updates)
    tag, outer = "[Op:ScatterNd] name: ", places.shape[:-1]
    if not given:
        raise invalid(f"Updates shape must have rank at least one. Found:[] {tag}")
    dims = f"Dimensions [0,{len(outer)}) of indices[shape={bracketed(places.shape)}]"
    if given[: len(outer)] != outer:
        raise invalid(f"{dims} must match dimensions [0,{len(outer)}) of updates[shape={bracketed(given)}] {tag}")
    depth = places.shape[-1]
    if given[len(outer) :] != shape[depth:] or depth > len(shape):
        target = f"Dimensions [{depth},{len(shape)}) of input[shape={bracketed(shape)}]"
        problem = f"{target} must match dimensions [{len(outer)},{len(given)})"
        raise invalid(f"{problem} of updates[shape={bracketed(given)}] {tag}")
    if bad_indices_policy == "IGNORE":
        bad = outside(places, shape)
        return added_at(without(bad, convert(updates)), without(bad, indices), shape)
    try:
        check_points(places, shape, f"shape {bracketed(shape)}")
    except errors.InvalidArgumentError as error:
        raise invalid(f"{error} {tag}") from None
    return added_at(updates, indices, shape)


def updated(tensor, indices, updates, put):
    """A copy of the Tensor in which `put` has changed the elements, or slices, at these index vectors."""
    if not updates.ndim:
        raise invalid("Updates shape must have rank at least one. Found:[]")
    if updates.shape[: indices.ndim - 1] != indices.shape[:-1]:
        shapes = f"Indices shape: {bracketed(indices.shape)}, updates shape:{bracketed(updates.shape)}"
        raise invalid(f"Outer dimensions of indices and update must match. {shapes}")
    if updates.shape[indices.ndim - 1 :] != tensor.shape[indices.shape[-1] :]:
        shapes = f"Output: {bracketed(tensor.shape)} updates: {bracketed(updates.shape)}"
        raise invalid(f"Inner dimensions of output shape must match inner dimensions of updates shape. {shapes}")
    check_points(indices, tensor.shape, f"shape {bracketed(tensor.shape)}")
    whole = tensor.copy()
    put(whole[None], points(indices), updates)
    return whole


@op("TensorScatterAdd", dtensor=lambda dz: dz, dindices=None, dupdates=at_points)
def tensor_scatter_nd_add(tensor, indices, updates):
    """Copy of a Tensor, with updates added at index vectors; see `scatter_nd` for the arguments.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_add([1.0, 2.0, 3.0], [[2], [0], [2]], [10.0, 20.0, 30.0]))
    mg.Tensor([21.  2. 43.], shape=(3,), dtype=float32)
    """
    return updated(tensor, indices, updates, np.add.at)


@op("TensorScatterSub", dtensor=lambda dz: dz, dindices=None, dupdates=lambda dz, indices: -at_points(dz, indices))
def tensor_scatter_nd_sub(tensor, indices, updates):
    """Copy of a Tensor, with updates subtracted at index vectors; see `scatter_nd` for the arguments.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_sub([1.0, 2.0, 3.0], [[2], [0]], [10.0, 20.0]))
    mg.Tensor([-19.   2.  -7.], shape=(3,), dtype=float32)
    """
    return updated(tensor, indices, updates, np.subtract.at)


@op("TensorScatterUpdate", dindices=None, dupdates=at_points, math={"tensor": "upstream, but 0 at the indices"},
    dtensor=lambda dz, indices, updates_shape:
        tensor_scatter_nd_update.np(dz, indices, np.zeros(updates_shape, dz.dtype)))  # fmt: skip
def tensor_scatter_nd_update(tensor, indices, updates):
    """Copy of a Tensor, with the elements at index vectors replaced by updates; see `scatter_nd` for the arguments.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_update([[1.5, 2.5], [3.5, 4.5]], [[1, 0], [0, 1]], [10.0, 20.0]).numpy())
    [[ 1.5 20. ]
     [10.   4.5]]
    """
    return updated(tensor, indices, updates, lambda whole, key, updates: whole.__setitem__(key, updates))


def scatter_extreme_grad(dz, z, tensor, indices, updates):
    """VJP of a scatter maximum (or minimum) for the Tensor: elements and updates equal to the extreme share dz."""
    return dz / holders(z, tensor, indices, updates) * (tensor == z).astype(dz.dtype)


def scatter_extreme_updates_grad(dz, z, tensor, indices, updates):
    """VJP of a scatter maximum (or minimum) for the updates."""
    dz, winners = dz / holders(z, tensor, indices, updates), updates == gather_points.np(z, indices)
    return gather_points.np(dz, indices) * winners.astype(dz.dtype)


def holders(z, tensor, indices, updates):
    """The number of elements and updates that are equal to each element of the result."""
    winners = (updates == gather_points.np(z, indices)).astype(z.dtype)
    return (tensor == z).astype(z.dtype) + added_at.np(winners, indices, z.shape)


SHARED = {
    "tensor": "upstream * [tensor == z], shared with updates that equal z",
    "updates": "upstream at the indices, where updates equals z, shared with all that do",
}


@op("TensorScatterMax", dindices=None, dtensor=scatter_extreme_grad, dupdates=scatter_extreme_updates_grad, math=SHARED)
def tensor_scatter_nd_max(tensor, indices, updates):
    """Copy of a Tensor, with the larger of element and update at each index vector; see `scatter_nd`.

    Equal values share the gradient evenly.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_max([1.0, 2.0, 3.0], [[2], [0]], [2.5, 20.0]))
    mg.Tensor([20.  2.  3.], shape=(3,), dtype=float32)
    """
    return updated(tensor, indices, updates, np.maximum.at)


@op("TensorScatterMin", dindices=None, dtensor=scatter_extreme_grad, dupdates=scatter_extreme_updates_grad, math=SHARED)
def tensor_scatter_nd_min(tensor, indices, updates):
    """Copy of a Tensor, with the smaller of element and update at each index vector; see `scatter_nd`.

    Equal values share the gradient evenly.

    >>> import minigrad as mg
    >>> print(mg.tensor_scatter_nd_min([1.0, 2.0, 3.0], [[2], [0]], [2.5, 20.0]))
    mg.Tensor([1.  2.  2.5], shape=(3,), dtype=float32)
    """
    return updated(tensor, indices, updates, np.minimum.at)


def dynamic_partition_grad(dys, data_shape, partitions):
    """VJP of `dynamic_partition`: the rows in the order of `data`."""
    places = np.argsort(np.argsort(np.asarray(partitions).ravel(), kind="stable"))
    return gather.np(np.concatenate(dys, 0), places).reshape(data_shape)


@op("DynamicPartition", num_partitions=tidy.integer, dpartitions=None, ddata=dynamic_partition_grad,
    math="the rows of upstream in the order of data")  # fmt: skip
def dynamic_partition(data, partitions, num_partitions) -> list:
    """Partition the rows of `data` into a list of Tensors: row i goes to Tensor number `partitions[i]`.

    Args:
        data: shape `(*batch, ...)`.
        partitions: integers from 0 to `num_partitions - 1`, shape `batch`.
        num_partitions: the length of the list.

    Raises:
        InvalidArgumentError: a partition is out of range, or the shapes do not fit.

    >>> import minigrad as mg
    >>> even, odd = mg.dynamic_partition([1.5, 2.5, 3.5], [0, 1, 0], 2)
    >>> print(even.numpy(), odd.numpy())
    [1.5 3.5] [2.5]
    """
    if num_partitions < 1:
        raise invalid(f"Value for attr 'num_partitions' of {num_partitions} must be at least minimum 1")
    if data.shape[: partitions.ndim] != partitions.shape:
        shapes = f"got data.shape = {bracketed(data.shape)}, partitions.shape = {bracketed(partitions.shape)}"
        raise invalid(f"data.shape must start with partitions.shape, {shapes}")
    bad = (partitions < 0) | (partitions >= num_partitions)
    if np.logical_or.reduce(bad, axis=None):
        number = np.argwhere(bad)[0]
        raise invalid(f"partitions{bracketed(number)} = {partitions[tuple(number)]} is not in [0, {num_partitions})")
    return [data[partitions == k] for k in builtins.range(num_partitions)]


@op("DynamicStitch", dindices=None, ddata=lambda dz, indices, k: gather.np(dz, indices[k]))
def dynamic_stitch(indices: list, data: list):
    """Merge a list of Tensors by index: row j of `data[i]` becomes row `indices[i][j]` of the result.

    If an index occurs more than once, the last of its rows is used; an index without a row gets 0.

    Args:
        indices: a list of Tensors of integers.
        data: a list of Tensors; the shape of `data[i]` begins with that of `indices[i]`.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.dynamic_stitch([[0, 2], [1]], [[1.5, 2.5], [3.5]]))
    mg.Tensor([1.5 3.5 2.5], shape=(3,), dtype=float32)
    """
    length = 1 + max([int(np.maximum.reduce(places, None)) for places in indices if places.size], default=-1)
    for places, rows in zip(indices, data):
        if rows.shape[: places.ndim] != places.shape:
            problem = f"data[0].shape = {bracketed(rows.shape)} does not start"
            raise invalid(f"{problem} with indices[0].shape = {bracketed(places.shape)}")
    dtype = data[0].dtype
    whole = full((length, *data[0].shape[indices[0].ndim :]), zero_of(dtype), dtype)
    for places, rows in zip(indices, data):
        whole[places] = rows
    return whole


# ---- batched: for each row of a stack at once, for Jacobians -------------------------------------------------------


def rows_added(values, key, shape):
    """For each row of a stack, zeros with its values added at `[key]`."""
    whole = np.zeros((len(values.value), *shape), values.dtype)
    np.add.at(whole, key, values.value)
    return whole


def rows_updated(stack, indices, updates):
    """A copy of a stack, with the updates in each of its rows."""
    whole = stack.value.copy()
    whole[in_rows(indices)] = updates
    return whole


def in_rows(indices):
    """`points` as a key of a stack."""
    return (builtins.slice(None), *points(indices)[1:])


BATCHED_TWINS |= {
    gather.__wrapped__: lambda params, indices: np.take(params.value, indices, 1),
    gather_points.__wrapped__: lambda params, indices: params.value[in_rows(indices)],
    scatter_rows.__wrapped__: lambda values, indices, shape: rows_added(values, (builtins.slice(None), indices), shape),
    added_at.__wrapped__: lambda updates, indices, shape: rows_added(updates, in_rows(indices), shape),
    tensor_scatter_nd_update.__wrapped__: rows_updated,
}
