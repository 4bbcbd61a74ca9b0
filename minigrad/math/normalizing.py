"""Softmax, L2 normalization and clipping by the L2 norm."""

from typing import Any

import numpy as np

from ..engine import IndexedSlices, Tensor, bracketed, convert, invalid, op, tidy
from ..errors import visible
from ..ops import cast, convert_to_tensor, ones_like, where
from .arithmetic import add_n, multiply, rsqrt, sqrt, square
from .comparison import maximum, minimum
from .complex_numbers import imag, real
from .elementwise import values_of
from .reductions import reduce_sum

__all__ = ["l2_normalize", "log_softmax", "softmax"]


def clip_by_norm(t, clip_norm, axes=None, name=None) -> Any:
    """Scale a Tensor down so that its L2 norm is at most `clip_norm`; smaller norms are unchanged.

    Args:
        t: a Tensor, or the IndexedSlices of a gradient.
        clip_norm: the largest norm allowed.
        axes: the axes over which the norm is taken; None means all.

    Raises:
        ValueError: `clip_norm` would broadcast t to another shape.

    >>> import minigrad as mg
    >>> print(mg.clip_by_norm([3.0, 4.0], 2.0).numpy(), mg.clip_by_norm([3.0, 4.0], 10.0).numpy())
    [1.2 1.6] [3. 4.]
    """
    if isinstance(t, IndexedSlices):
        return t.with_values(clip_by_norm(t.values, clip_norm, axes))
    t = convert(t)
    clip_norm = maximum(cast(convert_to_tensor(clip_norm, dtype_hint=t.dtype), t.dtype), 0)
    total = reduce_sum(t * t, axes, True)
    some = total.value > 0  # the derivative of the square root is infinite at 0
    length = where(some, sqrt(where(some, total, ones_like(total))), total)
    clipped = t * clip_norm
    if clipped.value.shape != t.value.shape:
        raise ValueError(f"Shapes {t.shape} and {clipped.shape} are incompatible")
    return clipped / maximum(length, clip_norm)


def global_norm(t_list, name=None) -> Tensor:
    """Global norm: the L2 norm of all elements of all Tensors in a list, taken together as one vector. None is skipped.

    Args:
        t_list: a list or tuple of Tensors, IndexedSlices and None.

    Raises:
        TypeError: `t_list` is not a list or tuple.

    >>> import minigrad as mg
    >>> print(mg.linalg.global_norm([[2.0], [[3.0, 6.0]]]).numpy())
    7.0
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    values = [values_of(t) for t in t_list if t is not None]
    if not values:
        return Tensor.of(np.float32(0))
    return sqrt(add_n([reduce_sum(v * v) for v in values]))


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None) -> tuple:
    """Scale a list of gradients down by one common factor so that their global norm is at most `clip_norm`.

    Args:
        t_list: a list or tuple of Tensors, IndexedSlices and None.
        clip_norm: the largest `mg.linalg.global_norm` allowed.
        use_norm: the global norm, if it is already known.

    Returns:
        `(clipped, norm)`: the list of scaled gradients, and their global norm before scaling. If the norm is infinite,
        all scaled gradients are NaN.

    >>> import minigrad as mg
    >>> clipped, norm = mg.clip_by_global_norm([[3.0], None, [4.0]], 1.0)
    >>> print(clipped[0].numpy(), clipped[1], clipped[2].numpy(), norm.numpy())
    [0.6] None [0.8] 5.0
    """
    norm = global_norm(t_list) if use_norm is None else convert(use_norm)
    clip_norm = convert(clip_norm, norm)
    factor = clip_norm * minimum(1 / norm, 1 / clip_norm) + (norm - norm)  # inf - inf is NaN
    clipped = [None if t is None else scaled(t, factor) for t in t_list]
    return clipped, norm


def scaled(t, factor):
    """t times a factor; IndexedSlices stay IndexedSlices."""
    values = values_of(t) * cast(factor, values_of(t).dtype)
    return t.with_values(values) if isinstance(t, IndexedSlices) else values


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None) -> Tensor:
    """Scale to unit L2 norm along an axis, or several, or all: x / sqrt(max(sum(x * x), epsilon)).

    Args:
        x: of any shape.
        axis: the axis, or list of axes, over which the norm is taken; None means all.
        epsilon: a lower bound of the squared norm, to avoid division by 0.
        dim: an older name of `axis`.

    Raises:
        ValueError: both `axis` and `dim` are given.

    >>> import minigrad as mg
    >>> print(mg.math.l2_normalize([[3.0, 4.0], [0.0, 0.0]], axis=1).numpy())
    [[0.6 0.8]
     [0.  0. ]]
    """
    if dim is not None and axis is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    x, axis = convert(x), dim if axis is None else axis
    if x.value.dtype.kind == "c":
        length = rsqrt(maximum(reduce_sum(square(real(x)) + square(imag(x)), axis, True), epsilon))
        return multiply(x, cast(length, x.dtype))
    return multiply(x, rsqrt(maximum(reduce_sum(square(x), axis, True), epsilon)))


def last(axis, x):
    """The axis, or -1 if it is None. Raise InvalidArgumentError if x has no such axis."""
    if not x.ndim:
        raise invalid(f"logits must have >= 1 dimension, got {bracketed(x.shape)}")
    if axis is None:
        return -1
    if not -x.ndim <= axis < x.ndim:
        span = f"[{-x.ndim}, {x.ndim}) where {x.ndim} is the number of dimensions in the input"
        raise invalid(f"`dim` must be in the range {span}. Received: dim={axis}")
    return axis


def one_axis(axis: int):
    """A single axis as an int. Raise TypeError for a list."""
    if isinstance(axis, (list, tuple)):
        problem = f"'<=' not supported between instances of 'int' and '{type(axis).__name__}':"
        raise TypeError(f"{problem} axis={visible(axis)} must be one number")
    return tidy.integer(axis)


def softmax_grad(dy, y, axis):
    """VJP of `softmax`."""
    dyy = dy * y
    return dyy - np.add.reduce(dyy, axis=-1 if axis is None else axis, keepdims=True) * y


@op("Softmax", "f", axis=one_axis, dlogits=softmax_grad, math="y * (upstream - sum(upstream * y, axis))")
def softmax(logits, axis=None):
    """Softmax: exp(logits) / sum(exp(logits)) along an axis: probabilities that sum to 1. Large logits do not overflow.

    Args:
        logits: of a float dtype, with at least one axis; usually of shape `(..., classes)`.
        axis: the axis of the classes; None is the last one.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.nn.softmax([[0.0, 0.0], [1.0, 2.0]]).numpy().round(3))
    [[0.5   0.5  ]
     [0.269 0.731]]
    >>> print(mg.nn.softmax([[0.0, 2.0], [1.0, 2.0]], axis=0).numpy().round(3))
    [[0.269 0.5  ]
     [0.731 0.5  ]]
    """
    axis = last(axis, logits)
    if not logits.size:
        return logits
    e = np.exp(logits - np.maximum.reduce(logits, axis, keepdims=True))
    e /= np.add.reduce(e, axis, keepdims=True)
    return e


def log_softmax_grad(dy, y, axis):
    """VJP of `log_softmax`."""
    return dy - np.exp(y) * np.add.reduce(dy, axis=-1 if axis is None else axis, keepdims=True)


@op("LogSoftmax", "f", axis=one_axis, dlogits=log_softmax_grad, math="upstream - exp(y) * sum(upstream, axis)")
def log_softmax(logits, axis=None):
    """Log-softmax: log(softmax(logits)) along an axis. It is accurate even where the probability underflows to 0.

    Args:
        logits: of a float dtype, with at least one axis; usually of shape `(..., classes)`.
        axis: the axis of the classes; None is the last one.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.nn.log_softmax([[0.0, 1000.0], [1.0, 2.0]]).numpy().round(3))
    [[-1.000e+03  0.000e+00]
     [-1.313e+00 -3.130e-01]]
    >>> print(mg.nn.log_softmax([[0.0, 2.0], [1.0, 2.0]], axis=0).numpy().round(3))
    [[-1.313 -0.693]
     [-0.313 -0.693]]
    """
    axis = last(axis, logits)
    if not logits.size:
        return logits
    z = logits - np.maximum.reduce(logits, axis, keepdims=True)
    return z - np.log(np.add.reduce(np.exp(z), axis, keepdims=True))
