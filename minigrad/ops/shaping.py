"""tf's top-level ops that change a shape or move elements: reshape, concat, split, pad, roll, reverse."""

import builtins
import functools
import itertools
from collections.abc import Sequence

import numpy as np

from .. import errors
from ..engine import Tensor, TensorShape, another_dtype, bracketed, convert, dtypes, invalid, op, tidy, unsupported
from ..engine.conversion import MOST_AXES
from ..engine.operands import first_tensor
from ..engine.rules import BATCHED_TWINS, axes_in_stack, filled, twin
from ..errors import visible
from .creation import convert_to_tensor, identity, zeros

__all__ = ["broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "concat", "expand_dims", "pad",
           "reshape", "reverse", "reverse_sequence", "roll", "split", "squeeze", "stack", "tile",
           "transpose", "unstack"]  # fmt: skip

# ---- shapes --------------------------------------------------------------------------------------------------------


@op("Reshape", twin=np.reshape, shape=tidy.lengths, dtensor=lambda dy, tensor_shape: dy.reshape(tensor_shape))
def reshape(tensor, shape):
    """Reshape: the same elements, in the same order, in a new shape.

    Args:
        tensor: of any shape and dtype.
        shape: the new lengths; one of them may be -1, which is computed from the others.

    Raises:
        InvalidArgumentError: the new shape has a different number of elements.

    >>> import minigrad as mg
    >>> print(mg.reshape([1.0, 2.0, 3.0, 4.0], (2, -1)))
    mg.Tensor(
    [[1. 2.]
     [3. 4.]], shape=(2, 2), dtype=float32)
    """
    try:
        if min(shape, default=0) >= -1:
            return tensor.reshape(shape)
    except ValueError:
        pass
    except TypeError:
        raise errors.by_python(unsupported(shape)) from None
    return tensor.reshape(fitted_lengths(tensor, shape))


def fitted_lengths(tensor, shape):
    """Replace -1 in a shape that NumPy refused, as it does for arrays without elements, or raise the error."""
    if len(shape) > MOST_AXES:
        raise invalid(f"a Tensor has {MOST_AXES} axes at most here, as NumPy's arrays have, but received {len(shape)}")
    unknown = [i for i, n in enumerate(shape) if n == -1]
    known = [n for n in shape if n != -1]
    product = count([n for n in known if n])
    values = f"Input to reshape is a tensor with {tensor.size} values, but the requested shape"
    if min(known, default=0) < 0:
        raise invalid(f"Size {shape.index(min(known))} must be non-negative, not {min(known)}")
    if len(unknown) > 1:
        raise invalid(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    if not unknown:
        raise invalid(f"{values} has {count(known)}")
    if tensor.size % product:
        raise invalid(f"{values} requires a multiple of {product}")
    elements = count([n for n in tensor.shape if n or 0 not in known])
    return (*shape[: unknown[0]], elements // product, *shape[unknown[0] + 1 :])


@op("ExpandDims", twin=np.expand_dims, axis=tidy.integer, dinput=lambda dy, input_shape: dy.reshape(input_shape))
def expand_dims(input, axis):
    """Insert an axis of length 1 at index `axis` of the new shape.

    Raises:
        InvalidArgumentError: there is no such index.

    >>> import minigrad as mg
    >>> print(mg.expand_dims([1.0, 2.0], -1).shape)
    (2, 1)
    """
    if axis is None:
        raise errors.by_python(unsupported(axis))
    if not -input.ndim - 1 <= axis <= input.ndim:
        raise invalid(f"Tried to expand dim index {axis} for tensor with {input.ndim} dimensions.")
    at = axis % (input.ndim + 1)
    return input.reshape((*input.shape[:at], 1, *input.shape[at:]))


@op("Squeeze", twin=np.squeeze, axis=tidy.axes, dinput=lambda dy, input_shape: dy.reshape(input_shape))
def squeeze(input, axis=None):
    """Remove axes of length 1: those in `axis`, or all if it is None.

    Raises:
        InvalidArgumentError: an axis in `axis` does not exist, or has another length.

    >>> import minigrad as mg
    >>> print(mg.squeeze([[[1.0], [2.0]]]).shape, mg.squeeze([[[1.0], [2.0]]], axis=0).shape)
    (2,) (2, 1)
    """
    if axis is None:
        return np.squeeze(input)
    axes = axis if axis.__class__ is tuple else (axis,)
    for a in axes:
        if not -input.ndim <= a < input.ndim:
            raise invalid(f"Tried to squeeze dim index {a} for tensor with {input.ndim} dimensions.")
        if input.shape[a] != 1:
            raise invalid(f"Can not squeeze dim[{a % input.ndim}], expected a dimension of 1, got {input.shape[a]}")
    return np.squeeze(input, tuple({a % input.ndim for a in axes}) or None)


@op("Transpose", twin=np.transpose, perm=tidy.order, math="upstream, transposed back",
    da=lambda dy, perm, conjugate: transpose.np(dy, undone(perm), conjugate))  # fmt: skip
def transpose(a, perm=None, conjugate=False):
    """Permute the axes: axis i of the result is axis `perm[i]` of `a`. Without `perm` the axes are reversed.

    Args:
        a: of any shape.
        perm: a permutation of the axes, or None.
        conjugate: conjugate complex numbers too.

    Raises:
        InvalidArgumentError: `perm` is not a permutation of the axes.

    >>> import minigrad as mg
    >>> print(mg.transpose([[1.0, 2.0], [3.0, 4.0]]).numpy())
    [[1. 3.]
     [2. 4.]]
    """
    if perm is not None:
        check_order(perm, a.ndim)
    turned = a.transpose(perm) if a.ndim else a
    return turned.conj() if conjugate else turned


def check_order(perm, ndim):
    """Raise InvalidArgumentError unless `perm` is a permutation of the axes."""
    if len(perm) != ndim:
        raise invalid(f"transpose expects a vector of size {ndim}. But input(1) is a vector of size {len(perm)}")
    for place in perm:
        if not -ndim <= place < ndim:
            raise invalid(f"{place} is out of range [0 .. {ndim})")
    missing = set(builtins.range(ndim)) - {place % ndim for place in perm}
    if missing:
        raise invalid(f"{min(missing)} is missing from {{{','.join(map(str, perm))}}}.")


def undone(perm):
    """The inverse permutation."""
    return None if perm is None else tuple(np.argsort([place % len(perm) for place in perm]).tolist())


@op("BroadcastTo", twin=np.broadcast_to, shape=tidy.vector, dinput=lambda dy: dy,
    math="sum of upstream over the broadcast axes")  # fmt: skip
def broadcast_to(input, shape):
    """Broadcast to a shape: repeat along axes of length 1, and along new axes in front.

    Raises:
        InvalidArgumentError: the input does not broadcast to this shape.

    >>> import minigrad as mg
    >>> print(mg.broadcast_to([1.0, 2.0], (2, 2)))
    mg.Tensor(
    [[1. 2.]
     [1. 2.]], shape=(2, 2), dtype=float32)
    """
    try:
        if isinstance(input, np.generic) and input.dtype.kind != "O" and -1 not in shape:  # -1 is any length there
            return np.ndarray(shape, input.dtype, input, 0, (0,) * len(shape))  # as np.broadcast_to, six times faster
        return np.broadcast_to(input, shape)
    except ValueError:
        if min(shape, default=0) < 0:
            raise invalid(f"Dimension {min(shape)} must be >= 0") from None
        if input.ndim > len(shape):
            text = f"Rank of input ({input.ndim}) must be no greater than rank of output shape ({len(shape)})."
            raise invalid(text) from None
        raise invalid(f"Incompatible shapes: {bracketed(input.shape)} vs. {bracketed(shape)}") from None


def broadcast_static_shape(shape_x, shape_y) -> TensorShape:
    """Shape of the result of broadcasting two shapes together, as in `x + y`.

    Raises:
        ValueError: the shapes are not compatible.

    >>> import minigrad as mg
    >>> print(mg.broadcast_static_shape(mg.TensorShape([2, 1]), mg.TensorShape([3])))
    (2, 3)
    """
    pairs = itertools.zip_longest(reversed(shape_x), reversed(shape_y), fillvalue=1)
    lengths = [n if m == 1 or (m is None and n != 1) else m for m, n in pairs]
    if not all(one in (1, None, n) for x in (shape_x, shape_y) for one, n in zip(reversed(x), lengths)):
        problem = "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they"
        given = f"{visible(shape_x)} and {visible(shape_y)}"
        raise ValueError(f"{problem} are either equal or one of them is 1. Received: {given}.")
    return TensorShape(lengths[::-1])


@op("BroadcastArgs", dshape_x=None, dshape_y=None)
def broadcast_dynamic_shape(shape_x, shape_y):
    """Like `broadcast_static_shape`, for shapes that are Tensors.

    Raises:
        InvalidArgumentError: the shapes are not compatible.

    >>> import minigrad as mg
    >>> print(mg.broadcast_dynamic_shape([2, 1], [3]))
    mg.Tensor([2 3], shape=(2,), dtype=int32)
    """
    try:
        return np.array(np.broadcast_shapes(tuple(shape_x.tolist()), tuple(shape_y.tolist())), shape_x.dtype)
    except ValueError:
        raise invalid(f"Incompatible shapes: {bracketed(shape_x)} vs. {bracketed(shape_y)}") from None


# ---- joining and splitting -----------------------------------------------------------------------------------------


@twin(np.concatenate)
def concat(values, axis, name="concat") -> Tensor:
    """Concatenate Tensors along an axis that they have.

    Args:
        values: a list of Tensors of one dtype, whose shapes differ only along `axis`.
        axis: an int; negative ones count from the end.

    Raises:
        InvalidArgumentError: the shapes do not fit, or there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.concat([[[1.0], [2.0]], [[3.0, 5.0], [4.0, 6.0]]], axis=-1).numpy())
    [[1. 3. 5.]
     [2. 4. 6.]]
    """
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    if axis is None:
        raise unsupported(axis)
    if len(values) != 1:
        return joined(values, axis)
    convert_to_tensor(axis, dtypes.int32).shape.assert_has_rank(0)
    return identity(values[0])


@op("ConcatV2", axis=tidy.integer, dvalues=lambda dz, k, values_shape, axis: dz[part(k, values_shape, axis)],
    math="the part of upstream that is values[k]")  # fmt: skip
def joined(values: list, axis):
    """Op behind `mg.concat`, for two Tensors or more.

    >>> import minigrad as mg
    >>> print(mg.concat([[[1.0], [2.0]], [[3.0, 5.0], [4.0, 6.0]]], axis=1).numpy())
    [[1. 3. 5.]
     [2. 4. 6.]]
    """
    try:
        return np.concatenate(values, axis)
    except ValueError:
        raise unjoinable([x.shape for x in values], axis) from None


def part(k, shapes, axis):
    """The key of input k in the concatenated Tensor."""
    axis %= len(shapes[0])
    start = sum([shape[axis] for shape in shapes[:k]])
    return (builtins.slice(None),) * axis + (builtins.slice(start, start + shapes[k][axis]),)


def unjoinable(shapes, axis):
    """The error that says why these shapes cannot be concatenated."""
    if not shapes:
        return invalid("OpKernel 'ConcatV2' has constraint on attr 'T' not in NodeDef '[N=0, Tidx=DT_INT32]'")
    first, ndim = shapes[0], len(shapes[0])
    if () in shapes:
        return invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -ndim <= axis < ndim:
        return invalid(f"ConcatOp : Expected concatenating dimensions in the range [{-ndim}, {ndim}), but got {axis}")
    outer = [other[: axis % ndim] + other[axis % ndim + 1 :] for other in shapes]
    k = next(k for k, other in enumerate(outer) if other != outer[0])
    both = f"shape[0] = {bracketed(first)} vs. shape[{k}] = {bracketed(shapes[k])}"
    if len(shapes[k]) != ndim:
        return invalid(f"ConcatOp : Ranks of all input tensors should match: {both}")
    differ = next(i for i in builtins.range(ndim) if i != axis % ndim and first[i] != shapes[k][i])
    return invalid(f"ConcatOp : Dimension {differ} in both shapes must be equal: {both}")


def constants_at_once(pack):
    """`stack`, but a list without Tensors is converted as a whole: its dtype fits all elements, not just the first."""

    @functools.wraps(pack)
    def stack(values, axis=0, name=None):
        connected = isinstance(values, (list, tuple)) and first_tensor(values) is not None
        if axis.__class__ is int and axis == 0 and not connected:
            try:
                return convert_to_tensor(values)
            except (TypeError, ValueError):
                pass  # rows of different lengths, for which the op raises
        return pack(values, axis)

    return stack


@constants_at_once
@op("Pack", twin=np.stack, axis=tidy.integer, dvalues=lambda dz, k, axis: dz[at(k, axis)],
    math="upstream at index k of the axis")  # fmt: skip
def stack(values: list, axis=0):
    """Stack Tensors of the same shape along a new axis.

    Args:
        values: a list of Tensors of one shape and dtype.
        axis: the index of the new axis in the result.

    Raises:
        InvalidArgumentError: the shapes differ.
        ValueError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.stack([[1.0, 2.0], [3.0, 4.0]], axis=1))
    mg.Tensor(
    [[1. 3.]
     [2. 4.]], shape=(2, 2), dtype=float32)
    """
    if not values:
        return np.zeros(0, np.float32)
    try:
        return np.stack(values, axis)
    except ValueError:
        first, ndim = values[0].shape, values[0].ndim + 1
        for k, x in enumerate(values):
            if x.shape != first:
                text = f"values[0].shape = {bracketed(first)} != values[{k}].shape = {bracketed(x.shape)}"
                raise invalid(f"Shapes of all inputs must match: {text}") from None
        raise no_axis(axis, ndim) from None


def at(k, axis):
    """The key of index k along an axis."""
    all = (builtins.slice(None),)
    return all * axis + (k,) if axis >= 0 else (Ellipsis, k) + all * (-axis - 1)


def no_axis(axis, ndim):
    """The error for an axis that does not exist."""
    return errors.by_python(ValueError(f"Argument `axis` = {axis} not in range [{-ndim}, {ndim})"))


@op("Unpack", axis=tidy.integer, dvalue=lambda dys, axis: np.stack(dys, axis), math="stack(upstream, axis)")
def unstack(value, num: int | None = None, axis=0) -> list:
    """Unstack a Tensor along an axis: a list of its slices, which do not have that axis.

    Args:
        value: has at least one axis.
        num: the expected number of slices; None for no check.
        axis: an int; negative ones count from the end.

    Raises:
        InvalidArgumentError: there are not `num` slices.
        ValueError: there is no such axis.

    >>> import minigrad as mg
    >>> x, y = mg.unstack([[1.5, 2.0], [3.0, 4.0]], axis=1)
    >>> print(x.numpy(), y.numpy())
    [1.5 3. ] [2. 4.]
    """
    if not -value.ndim <= axis < value.ndim:
        raise no_axis(axis, value.ndim)
    if num is not None and num != value.shape[axis]:
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {bracketed(value.shape)}")
    rows = np.moveaxis(value, axis, 0)
    return list(rows) if value.dtype.kind != "O" else [np.asarray(row, object) for row in rows]


def split(value, num_or_size_splits, axis=0, num=None, name="split") -> list:
    """Split a Tensor along an axis: a list of its parts, which keep that axis.

    Args:
        value: has at least one axis.
        num_or_size_splits: the number of equal parts, or a list with the length of each; one of them may be -1 (the
            rest).
        axis: an int; negative ones count from the end.
        num, name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: the lengths do not add up, or there is no such axis.
        ValueError: `num_or_size_splits` is a scalar Tensor.

    >>> import minigrad as mg
    >>> a, b = mg.split([1.0, 2.0, 3.0], [1, -1])
    >>> print(a.numpy(), b.numpy())
    [1.] [2. 3.]
    """
    if isinstance(num_or_size_splits, (int, np.integer)):
        return split_evenly(value, num_or_size_splits, axis)
    if not np.ndim(num_or_size_splits):
        problem = "Rank-0 tensors are not supported as the num_or_size_splits argument to split."
        raise ValueError(f"{problem} Argument provided: {visible(num_or_size_splits)}")
    return split_by_size(value, num_or_size_splits, axis)


@op("Split", num_split=tidy.integer, axis=tidy.integer, dvalue=lambda dys, axis: np.concatenate(dys, axis),
    math="concat(upstream, axis)")  # fmt: skip
def split_evenly(value, num_split, axis) -> list:
    """Op behind `mg.split`, for equal parts.

    >>> import minigrad as mg
    >>> a, b = mg.split([[1.5, 2.5, 3.5, 4.5]], 2, axis=1)
    >>> print(a.numpy(), b.numpy())
    [[1.5 2.5]] [[3.5 4.5]]
    """
    if num_split < 1:
        raise invalid(f"Value for attr 'num_split' of {num_split} must be at least minimum 1")
    length = cut_length(value, axis)
    if length % num_split:
        given = f"but got split_dim {axis % value.ndim} (size = {length}) and num_split {num_split}"
        raise invalid(f"Number of ways to split should evenly divide the split dimension, {given}")
    return cut(value, [length // num_split] * num_split, axis)


@op("SplitV", size_splits=tidy.lengths, axis=tidy.integer, dvalue=lambda dys, axis: np.concatenate(dys, axis),
    math="concat(upstream, axis)")  # fmt: skip
def split_by_size(value, size_splits, axis) -> list:
    """Op behind `mg.split`, for parts of these lengths.

    >>> import minigrad as mg
    >>> a, b = mg.split([[1.5, 2.5, 3.5]], [1, 2], axis=-1)
    >>> print(a.numpy(), b.numpy())
    [[1.5]] [[2.5 3.5]]
    """
    length = cut_length(value, axis)
    known = sum([n for n in size_splits if n != -1])
    if len(size_splits) == 1 and known != length:
        problem = "If there is only one output, it must have the same size as the input."
        raise invalid(f"{problem} Input size: {length} output size: {size_splits[0]}")
    if size_splits.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    if known > length or (known < length and -1 not in size_splits):
        given = f"or be less than the size of the input along split_dim if not fully specified.  Got: {known}"
        problem = "Determined shape must either match input shape"
        raise invalid(f"{problem} along split_dim exactly if fully specified, {given}")
    return cut(value, [length - known if n == -1 else n for n in size_splits], axis)


def cut_length(value, axis):
    """The length of the axis that is split. Raise InvalidArgumentError if it does not exist."""
    if not -value.ndim <= axis < value.ndim:
        raise invalid(f"-input rank(-{value.ndim}) <= split_dim < input rank ({value.ndim}), but got {axis}")
    return value.shape[axis]


def cut(value, lengths, axis):
    """Consecutive parts of these lengths along an axis."""
    ends = np.cumsum(lengths).tolist()
    return [value[at(builtins.slice(end - n, end), axis)] for n, end in zip(lengths, ends)]


def tile_grad(dy, input_shape, multiples):
    """VJP of `tile`: the sum over all copies."""
    pairs = [length for pair in zip(multiples, input_shape) for length in pair]
    return np.add.reduce(dy.reshape(tuple(pairs)), axis=tuple(builtins.range(0, len(pairs), 2)))


@op("Tile", multiples=tidy.vector, dinput=tile_grad, math="sum of upstream over all copies")
def tile(input, multiples):
    """Repeat a Tensor `multiples[i]` times along each axis i, one copy after the other.

    Raises:
        InvalidArgumentError: there is not one multiple for each axis, or one is negative.

    >>> import minigrad as mg
    >>> print(mg.tile([[1.0, 2.0]], [2, 2]).numpy())
    [[1. 2. 1. 2.]
     [1. 2. 1. 2.]]
    """
    if len(multiples) != input.ndim:
        problem = "Expected multiples argument to be a vector"
        raise invalid(f"{problem} of length {input.ndim} but got length {len(multiples)}")
    for i, n in enumerate(multiples):
        if n < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {n}")
    return np.tile(input, multiples)


# ---- padding -------------------------------------------------------------------------------------------------------


def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None) -> Tensor:
    """Pad a Tensor with more elements at both ends of each axis.

    Args:
        tensor: of any shape.
        paddings: for each axis a pair: how many elements to add before, and after.
        mode: "CONSTANT" adds `constant_values`; "REFLECT" mirrors without the edge itself, "SYMMETRIC" with it.
        constant_values: a scalar of the dtype of the tensor. Its gradient is None.

    Raises:
        InvalidArgumentError: there is not one pair for each axis, or not enough elements to mirror.
        ValueError: there is no such mode.

    >>> import minigrad as mg
    >>> print(mg.pad([1.0, 2.0, 3.0], [[1, 2]]), mg.pad([1.0, 2.0, 3.0], [[1, 2]], "REFLECT"))
    mg.Tensor([0. 1. 2. 3. 0. 0.], shape=(6,), dtype=float32) mg.Tensor([2. 1. 2. 3. 2. 1.], shape=(6,), dtype=float32)
    """
    mode = mode.upper()
    if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        problem = 'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC".'
        raise ValueError(f"{problem} Received `mode` = {visible(mode)}")
    if mode != "CONSTANT":
        return mirror_pad(tensor, paddings, mode)
    tensor = convert(tensor, constant_values)
    plain_zero = isinstance(constant_values, (int, float)) and constant_values == 0
    constant = zeros((), tensor.dtype) if plain_zero else convert(constant_values, tensor)
    if constant.dtype != tensor.dtype:
        raise invalid(f"{another_dtype('PadV2', 2, tensor.value.dtype, constant.value.dtype)} [Op:PadV2] name: ")
    return pad_constant(tensor, constant, paddings)


@op("Pad", paddings=tidy.pairs, dconstant_values=None, math="upstream without the padding",
    dtensor=lambda dy, tensor_shape, paddings: dy[inside(paddings, tensor_shape)])  # fmt: skip
def pad_constant(tensor, constant_values, paddings):
    """Op behind `mg.pad` with a constant.

    >>> import minigrad as mg
    >>> print(mg.pad([[1.5, 2.5]], [[0, 1], [2, 0]]).numpy())
    [[0.  0.  1.5 2.5]
     [0.  0.  0.  0. ]]
    """
    check_paddings(paddings, tensor)
    whole = filled(tensor, [n + sum(pair) for n, pair in zip(tensor.shape, paddings)], constant_values)
    whole[inside(paddings, tensor.shape)] = tensor
    return whole


@op("MirrorPad", paddings=tidy.pairs, math="upstream without the padding, which is added to what it mirrors",
    dtensor=lambda dy, tensor_shape, paddings, mode: mirror_pad_grad.np(dy, paddings, mode))  # fmt: skip
def mirror_pad(tensor, paddings, mode: str):
    """Op behind `mg.pad` with the mirror image of the Tensor.

    >>> import minigrad as mg
    >>> print(mg.pad([[1.5, 2.5, 3.5]], [[1, 0], [2, 1]], "SYMMETRIC").numpy())
    [[2.5 1.5 1.5 2.5 3.5 3.5]
     [2.5 1.5 1.5 2.5 3.5 3.5]]
    """
    check_paddings(paddings, tensor)
    for pair, n in zip(paddings, tensor.shape):
        if max(pair) > n - (mode == "REFLECT"):
            how = "less than" if mode == "REFLECT" else "no greater than"
            what = "not less than" if mode == "REFLECT" else "greater than"
            raise invalid(f"paddings must be {how} the dimension size: {pair[0]}, {pair[1]} {what} {n}")
    return np.pad(tensor, paddings, mode.lower())  # type: ignore[call-overload]


@op("MirrorPadGrad", ddy=lambda dz, paddings, mode: mirror_pad.np(dz, paddings, mode), math="upstream with the padding")
def mirror_pad_grad(dy, paddings: tuple, mode: str):
    """VJP of `mirror_pad`: the gradient of each mirrored element is added to that of its source.

    >>> import minigrad as mg
    >>> print(mg.ops.shaping.mirror_pad_grad([1.0, 2.0, 3.0, 4.0], ((1, 0),), "REFLECT"))
    mg.Tensor([2. 4. 4.], shape=(3,), dtype=float32)
    """
    shift = mode == "REFLECT"
    for axis, (before, after) in enumerate(paddings):
        dy = np.moveaxis(dy, axis, 0)
        whole = dy[before : len(dy) - after].copy()
        whole[shift : shift + before] += dy[:before][::-1]
        whole[len(whole) - shift - after : len(whole) - shift] += dy[len(dy) - after :][::-1]
        dy = np.moveaxis(whole, 0, axis)
    return dy


def inside(paddings, shape):
    """The key of the original elements in the padded Tensor."""
    return tuple([builtins.slice(before, before + n) for (before, _), n in zip(paddings, shape)])


def check_paddings(paddings, tensor):
    """Raise InvalidArgumentError unless there is a pair for each axis, and none is negative."""
    if len(paddings) != tensor.ndim:
        problem = "The first dimension of paddings must be the rank"
        raise invalid(f"{problem} of inputs[{len(paddings)},2] {bracketed(tensor.shape)}")
    for before, after in paddings:
        if min(before, after) < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")


# ---- shifting and reversing ----------------------------------------------------------------------------------------


def shifts(shift: int | Sequence[int]):
    """The `shift` of `roll`: an int, or a tuple of ints."""
    return tidy.axes(tidy.integers(shift, "Tshift"))


def shifted_axes(axis: int | Sequence[int]):
    """The `axis` of `roll`: an int, or a tuple of ints."""
    return tidy.axes(tidy.integers(axis, "Taxis"))


@op("Roll", shift=shifts, axis=shifted_axes, dinput=lambda dy, shift, axis: roll.np(dy, opposite(shift), axis))
def roll(input, shift, axis):
    """Shift elements cyclically along an axis, or several: those that leave at one end enter at the other.

    Args:
        input: has at least one axis.
        shift: the number of positions: an int, or a list of ints.
        axis: the axis of each shift: an int, or a list as long as `shift`.

    Raises:
        InvalidArgumentError: the input is a scalar, there is no such axis, or the lists differ in length.

    >>> import minigrad as mg
    >>> print(mg.roll([1.0, 2.0, 3.0], shift=1, axis=0))
    mg.Tensor([3. 1. 2.], shape=(3,), dtype=float32)
    """
    shifts, axes = np.atleast_1d(shift), np.atleast_1d(axis)
    if not input.ndim:
        raise invalid("input must be 1-D or higher")
    if shifts.shape != axes.shape:
        raise invalid("shift and axis must have the same size")
    for a in axes:
        if not -input.ndim <= a < input.ndim:
            raise invalid(f"axis {a} is out of range")
    return np.roll(input, shift, axis)


def opposite(shift):
    """The shift back."""
    return tuple([-n for n in shift]) if shift.__class__ is tuple else -shift


@op("ReverseV2", axis=tidy.vector, dtensor=lambda dy, axis: reverse.np(dy, axis))
def reverse(tensor, axis):
    """Reverse the order of the elements along each of these axes.

    Args:
        tensor: of any shape.
        axis: a list of ints; negative ones count from the end.

    Raises:
        InvalidArgumentError: there is no such axis, or it is named twice.

    >>> import minigrad as mg
    >>> print(mg.reverse([[1.0, 2.0], [3.0, 4.0]], axis=[1]).numpy())
    [[2. 1.]
     [4. 3.]]
    """
    if not tensor.ndim:
        return tensor
    seen = set()
    for i, a in enumerate(axis):
        if not -tensor.ndim <= a < tensor.ndim:
            raise invalid(f"'axis'[{i}] = {a} is out of valid range [0, {tensor.ndim - 1}")
        if a % tensor.ndim in seen:
            raise invalid(f"axis {a % tensor.ndim} specified more than once.")
        seen.add(a % tensor.ndim)
    return np.flip(tensor, axis)


@op("ReverseSequence", seq_axis=tidy.integer, batch_axis=tidy.integer, dseq_lengths=None,
    dinput=lambda dy, seq_lengths, seq_axis, batch_axis:
        reverse_sequence.np(dy, seq_lengths, seq_axis, batch_axis))  # fmt: skip
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None):
    """Reverse the first `seq_lengths[i]` elements of each example i of a batch; the others stay.

    Args:
        input: has at least two axes.
        seq_lengths: integers, shape `(batch,)`.
        seq_axis: the axis of the elements, 0 by default.
        batch_axis: the axis of the examples, 0 by default.

    Raises:
        InvalidArgumentError: there is not one length for each example, or it is too large.

    >>> import minigrad as mg
    >>> print(mg.reverse_sequence([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [3, 2], seq_axis=1).numpy())
    [[3. 2. 1.]
     [5. 4. 6.]]
    """
    seq, batch = seq_axis or 0, batch_axis or 0
    length, examples = input.shape[seq], input.shape[batch]
    if seq_lengths.shape != (examples,):
        raise invalid(f"Length of seq_lengths != input.dims({batch}), ({len(seq_lengths)} vs. {examples})")
    if seq_lengths.size and np.maximum.reduce(seq_lengths) > length:
        raise invalid(f"seq_lens({int(np.argmax(seq_lengths))}) > input.dims({seq})")
    steps, ends = np.arange(length), seq_lengths[:, None]
    order = np.where(steps < ends, ends - 1 - steps, steps)  # shape (examples, steps)
    others = [i for i in builtins.range(input.ndim) if i not in (seq, batch)]
    order = np.expand_dims(order if batch < seq else order.T, tuple(others))
    return np.take_along_axis(input, order, seq)


def count(lengths):
    """The number of elements of an array of this shape."""
    return int(np.prod(lengths, dtype=np.int64))


BATCHED_TWINS |= {
    transpose.__wrapped__: lambda a, perm, conjugate: BATCHED_TWINS[np.transpose](a, perm),
    roll.__wrapped__: lambda x, shift, axis: np.roll(x.value, shift, axes_in_stack(axis, x.ndim)),
    reverse.__wrapped__: lambda x, axis: np.flip(x.value, axes_in_stack(axis, x.ndim)),
    mirror_pad_grad.__wrapped__: lambda dy, paddings, mode: mirror_pad_grad.np(dy.value, ((0, 0), *paddings), mode),
}
