"""Indexing and slicing: `x[key]`, and the two ops behind it. A tape records the key in NumPy's form."""

import builtins
import itertools
import numbers

import numpy as np

from ..engine import BATCHED_TWINS, Tensor, Variable, bracketed, convert, invalid, op, tidy
from ..engine.rules import filled
from .gathering import boolean_mask

__all__ = ["slice", "strided_slice"]


@op("StridedSlice", dinput=lambda dy, input_shape, key: strided_slice_grad.np(dy, key, input_shape),
    math="upstream, put back at the chosen indices")  # fmt: skip
def getitem(input, key: tuple):
    """Op behind `input[key]`: the key is a tuple of integers, slices, `...` and `mg.newaxis`.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> print(x[1, ::2], x[..., 0])
    mg.Tensor([4. 6.], shape=(2,), dtype=float32) mg.Tensor([1. 4.], shape=(2,), dtype=float32)
    """
    if input.dtype.kind == "O" and Ellipsis not in key:
        key += (Ellipsis,)  # otherwise a single element would be bytes, not an array
    try:
        return input[key]
    except (IndexError, ValueError):
        raise out_of_place(key, input.shape) from None


@op("StridedSliceGrad", ddy=lambda dz, key: dz[key])
def strided_slice_grad(dy, key: tuple, shape: tuple):
    """VJP of `getitem`: zeros of this shape, with `dy` at `[key]`.

    >>> import minigrad as mg, numpy as np
    >>> print(mg.ops.indexing.strided_slice_grad([7.0, 8.0], (np.s_[0:3:2],), (3,)))
    mg.Tensor([7. 0. 8.], shape=(3,), dtype=float32)
    """
    whole = filled(dy, shape)
    whole[key] = dy
    return whole


BATCHED_TWINS[strided_slice_grad.__wrapped__] = lambda dy, key, shape: strided_slice_grad.__wrapped__(
    dy.value, (builtins.slice(None), *key), (len(dy.value), *shape)
)


def take(x, key) -> Tensor:
    """`x[key]` of a Tensor. As in TensorFlow, a list counts as a tuple, and an array of bools is a mask.

    Raises:
        TypeError: the key holds a float, an array or anything else that is not an index.
        InvalidArgumentError: an index is out of range.
    """
    return boolean_mask(x, key) if is_mask(key) else getitem(x, numpy_key(key))


def numpy_key(key) -> tuple:
    """The key in NumPy's form: a tuple of ints, slices, None and `...`."""
    if key.__class__ is int:
        return (key,)
    return tuple([key_part(k) for k in key]) if isinstance(key, (tuple, list)) else (key_part(key),)


def is_mask(key):
    """Whether the key is a mask: a bool, or an array of bools."""
    return key is True or key is False or (isinstance(key, (Tensor, Variable, np.ndarray)) and key.dtype == np.bool_)


def key_part(k):
    """One part of a key, with Tensors and NumPy integers as ints."""
    if k.__class__ is int or k is None or k is Ellipsis:
        return k
    if isinstance(k, builtins.slice):
        return builtins.slice(*[None if bound is None else whole_number(bound) for bound in (k.start, k.stop, k.step)])
    return whole_number(k)


def whole_number(k):
    """A Python, NumPy or Tensor integer, as an int. Raise for anything else."""
    if isinstance(k, bool):
        problem = "Value for attr 'Index' of bool is not in the list of allowed values:"
        raise invalid(f"{problem} int16, int32, int64 [Op:StridedSlice] name: ")
    scalar = getattr(k, "shape", None) == () and k.dtype in (np.int16, np.int32, np.int64)
    if scalar or isinstance(k, numbers.Integral):
        return int(k)
    given = f"tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid indices, got {k!r}"
    raise TypeError(f"Only integers, slices (`:`), ellipsis (`...`), {given}")


def out_of_place(key, shape):
    """The error that says why NumPy refused the key."""
    axes = [k for k in key if k is not None and k is not Ellipsis]
    if not shape:
        return invalid("Attempting to slice scalar input.")
    if sum(k is Ellipsis for k in key) > 1:
        return invalid("Multiple ellipses in slice spec not allowed")
    if len(axes) > len(shape):
        return invalid(f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims")
    seen = sum(k is not None for k in key[: key.index(Ellipsis)]) if Ellipsis in key else len(axes)
    numbered = [*enumerate(axes[:seen]), *enumerate(axes[seen:], len(shape) - len(axes) + seen)]

    def wrong(axis, k):
        return k.step == 0 if isinstance(k, builtins.slice) else not -shape[axis] <= k < shape[axis]

    axis, k = next((axis, k) for axis, k in numbered if wrong(axis, k))
    if isinstance(k, builtins.slice):
        return invalid(f"strides[{axis}] must be non-zero")
    return invalid(f"slice index {k + shape[axis] * (k < 0)} of dimension {axis} out of bounds.")


def slices_of(x):
    """Iterate over a Tensor: its slices along the first axis, through which gradients flow."""
    x = convert(x)
    if not len(x.shape):
        raise TypeError("Cannot iterate over a scalar tensor.")
    return map(getitem, itertools.repeat(x), zip(range(x.shape[0])))


# ---- slices of Variables -------------------------------------------------------------------------------------------


class VariableSlice(Tensor):
    """`variable[key]`: a Tensor like others, by which that part of the Variable can also be assigned."""

    __slots__ = ("key", "variable")

    def assign(self, value, name=None):
        """Assign a new value to this part of the Variable; the value is broadcast to its shape.

        Returns:
            The whole Variable in its new state.

        Raises:
            InvalidArgumentError: the value does not fit.

        >>> import minigrad as mg
        >>> v = mg.Variable([1.0, 2.0, 3.0])
        >>> v[1:].assign([7.0, 8.0]).numpy()
        array([1., 7., 8.], dtype=float32)
        """
        given, whole, value = value, np.array(self.variable._present()), self.variable._fitting(value)
        try:
            whole[self.key if Ellipsis in self.key else self.key + (Ellipsis,)] = value
        except ValueError:
            shapes = [bracketed(shape) for shape in (value.shape, self.value.shape)]
            problem = f"Cannot broadcast input shape {shapes[0]} into final shape {shapes[1]}"
            raise invalid(f"{problem} [Op:ResourceStridedSliceAssign] name: ") from None
        return self.variable._assigned(whole[()], given, "slice assign")


def take_slice(variable, key):
    """`x[key]` of a Variable, as a `VariableSlice`."""
    if is_mask(key):
        return boolean_mask(variable, key)
    key = numpy_key(key)
    taken, part = getitem(variable, key), VariableSlice()
    part.value, part.id, part.variable, part.key = taken.value, taken.id, variable, key
    return part


# ---- slicing functions ---------------------------------------------------------------------------------------------


def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
                  shrink_axis_mask=0, var=None, name=None) -> Tensor:  # fmt: skip
    """Strided slice: `input_[begin[0]:end[0]:strides[0], ...]`, with the bounds in lists.

    Args:
        input_: of any shape.
        begin, end, strides: one int for each axis, from the first on; without `strides` all are 1.
        begin_mask, end_mask: if bit i is set, begin[i], or end[i], is ignored: the slice extends to that end of the
            axis.
        ellipsis_mask, new_axis_mask: if bit i is set, part i of the key is `...`, or a new axis.
        shrink_axis_mask: if bit i is set, begin[i] is a single index, and the axis is removed.
        var, name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: `begin`, `end` and `strides` differ in length, or do not fit the shape.

    >>> import minigrad as mg
    >>> print(mg.strided_slice([1.0, 2.0, 3.0, 4.0], [0], [4], [2]))
    mg.Tensor([1. 3.], shape=(2,), dtype=float32)
    """
    begin, end = tidy.integers(begin), tidy.integers(end)
    strides = np.ones_like(begin) if strides is None else tidy.integers(strides)
    if not begin.shape == end.shape == strides.shape or begin.ndim != 1:
        shapes = [bracketed(bounds.shape) for bounds in (begin, end, strides)]
        given = f"but got shapes {shapes[0]}, {shapes[1]}, and {shapes[2]} instead. [Op:StridedSlice] name: "
        raise invalid(f"Expected begin, end, and strides to be 1D equal size tensors, {given}")

    def part(i, start, stop, step):
        bit = 1 << i
        if ellipsis_mask & bit:
            return Ellipsis
        if new_axis_mask & bit:
            return None
        if shrink_axis_mask & bit:
            return start
        return builtins.slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step)

    bounds = zip(begin.tolist(), end.tolist(), strides.tolist())
    return getitem(input_, tuple([part(i, *three) for i, three in enumerate(bounds)]))


@op("Slice", begin=tidy.lengths, size=tidy.lengths,
    dinput_=lambda dy, input__shape, begin, size: strided_slice_grad.np(dy, box(begin, size), input__shape),
    math="upstream, put back at the chosen indices")  # fmt: skip
def slice(input_, begin, size):
    """Slice of a Tensor that starts at `begin` and has the shape `size`, where -1 extends to the end of the axis.

    Args:
        input_: of any shape.
        begin, size: one int for each axis.

    Raises:
        InvalidArgumentError: the slice is not inside the Tensor.

    >>> import minigrad as mg
    >>> print(mg.slice([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0, 1], [2, -1]).numpy())
    [[2. 3.]
     [5. 6.]]
    """
    if not len(begin) == len(size) == input_.ndim:
        lengths = f"shapes [{len(begin)}] and [{len(size)}] instead."
        raise invalid(f"Expected begin and size arguments to be 1-D tensors of size {input_.ndim}, but got {lengths}")
    for i, (start, length, n) in enumerate(zip(begin, size, input_.shape)):
        if not 0 <= start <= n:
            raise invalid(f"Expected begin[{i}] in [0, {n}], but got {start}")
        if not -1 <= length <= n - start:
            raise invalid(f"Expected size[{i}] in [0, {n - start}], but got {length}")
    return input_[box(begin, size)]


def box(begin, size):
    """The key of the slice that starts at `begin` and has this size."""
    return tuple([builtins.slice(start, None if n == -1 else start + n) for start, n in zip(begin, size)])
