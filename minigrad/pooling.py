"""tf.nn's pooling: the largest number, or the mean, of every window of the images.

A window slides as in a convolution (`Windows`). `nn` loads this file when one of its names is first used.
"""

import functools

import numpy as np

from .convolution import Lengths, Padding, Windows, one_axis, only_named, upright
from .engine import MADE, OPS, Tensor, bracketed, convert, invalid, mathematics, op, tidy
from .errors import visible
from .math.segments import finite_limits
from .ops import shaping

__all__ = ["avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool", "max_pool1d", "max_pool2d", "max_pool3d"]


class Pool(Windows):
    """A window of `pooling`, over images with a batch axis."""

    def __init__(self, shape, rank, ksize, strides, padding, data_format):
        if len(shape) != rank + 2:
            raise invalid(f"tensor_in_shape must have {rank} spatial dimensions: {bracketed(shape)}")
        super().__init__(shape, rank, ksize, strides, padding, data_format)
        if any(max(zeros) >= k for zeros, k in zip(self.around, self.size)) and not isinstance(padding, str):
            size = bracketed(self.size)
            raise invalid(f"padding needs to be smaller than the window size {size}: {visible(padding)}")

    def met(self, images, value):
        """For each element of the window, the pixels that it meets; around the images is this number."""
        padded = self.padded(self.inward(images), constant_values=value)
        return [padded[key] for key in self.taps()]

    def counts(self, like):
        """How many pixels of the image are in each window."""
        ones = np.ones((*self.lead, *self.lengths, 1), like.dtype)
        return sum(self.padded(ones)[key] for key in self.taps())


# ---- the largest ---------------------------------------------------------------------------------------------------


def largest(pool, images):
    """What each element of the window meets, and the largest of it. As in TensorFlow, nan is less than any number."""
    least = finite_limits(images.dtype).min
    met = pool.met(images, least)
    return met, functools.reduce(np.fmax, met, least)


def winners(pool, images, ties=False):
    """For each element of the window: where it is the largest. With ties all that are equal win, else the first."""
    met, y = largest(pool, images)
    if ties:
        return [pixels == y for pixels in met]
    best, winner = met[0], np.zeros_like(y, np.int64)
    for k, pixels in enumerate(met[1:], 1):
        better = pixels > best
        best, winner = np.where(better, pixels, best), np.where(better, k, winner)
    return [winner == k for k in range(len(met))]


def of_largest(dy, input, ksize, strides, padding, data_format):
    """VJP of max-pooling: each number goes to the pixel that was the largest of its window."""
    return max_pool_gradient.np(dy, input, ksize, strides, padding, data_format)


@op("MaxPool", "iuf", dinput=of_largest, math="upstream, put back where input was the largest")
def max_pool2d(input, ksize: Lengths, strides: Lengths, padding: Padding, data_format="NHWC"):
    """The largest number of every window, for each channel.

    The gradient goes to the largest pixel of a window, and if several are equal, to the first of them.

    Args:
        input: shape `(batch, height, width, channels)`.
        ksize: height and width of a window: one int, or two.
        strides: how far it goes from one place to the next: one int, or two.
        padding: "VALID": no window leaves the image; "SAME": there are as many places as pixels, divided by the stride;
            or, as for `conv2d`, how many pixels a window may stand over the edge, a pair for each of the four axes.
        data_format: "NHWC", or "NCHW" for images whose channels come before height and width.

    Returns:
        Shape `(batch, places down, places across, channels)`.

    Raises:
        ValueError: there are not one, two or four lengths or strides.
        InvalidArgumentError: a length or stride is not positive, there are not four axes, or there is no such padding.

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]], [[0.5], [3.0], [1.0]], [[2.0], [1.5], [2.5]]]]
    >>> print(mg.nn.max_pool2d(x, 2, 1, "VALID").numpy()[0, :, :, 0])
    [[3. 4.]
     [3. 3.]]
    """
    pool = Pool(input.shape, 2, ksize, strides, padding, data_format)
    return pool.outward(largest(pool, input)[1])


@op("MaxPool3D", "f", dinput=of_largest, math="upstream, put back where input was the largest")
def max_pool3d(input, ksize: Lengths, strides: Lengths, padding: Padding, data_format="NDHWC"):
    """The largest number of every window of volumes, for each channel; see `max_pool2d`.

    The gradient goes to the largest element of a window, and if several are equal, to each of them in full.

    >>> import minigrad as mg
    >>> print(mg.nn.max_pool3d([[[[[1.0], [2.0]]], [[[4.0], [3.0]]]]], [2, 1, 1], 1, "VALID").numpy().ravel())
    [4. 3.]
    """
    pool = Pool(input.shape, 3, ksize, strides, padding, data_format)
    return pool.outward(largest(pool, input)[1])


@op("MaxPoolGrad", "iuf", dinput=lambda dz: np.zeros_like(dz),
    dupstream=lambda dz, input, ksize, strides, padding, data_format:
        max_pool_chosen.np(dz, input, ksize, strides, padding, data_format),
    math={"upstream": "upstream where input was the largest of its window"})  # fmt: skip
def max_pool_gradient(upstream, input, ksize: Lengths, strides: Lengths, padding: Padding, data_format: str):
    """VJP of max-pooling along two or three axes.

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]]]]
    >>> print(mg.pooling.max_pool_gradient([[[[20.0], [40.0]]]], x, [1, 2], 1, "VALID", "NHWC").numpy().ravel())
    [ 0. 20. 40.]
    """
    pool = Pool(input.shape, input.ndim - 2, ksize, strides, padding, data_format)
    dy = pool.inward(upstream)
    return pool.back(np.where(won, dy, dy.dtype.type(0)) for won in winners(pool, input, ties=pool.rank == 3))


@op("MaxPoolGradGrad", "iuf", dinput=lambda dz, input: np.zeros_like(input),
    dupstream=lambda dz, input, ksize, strides, padding, data_format:
        max_pool_gradient.np(dz, input, ksize, strides, padding, data_format),
    math={"upstream": "upstream, put back where input was the largest"})  # fmt: skip
def max_pool_chosen(upstream, input, ksize: Lengths, strides: Lengths, padding: Padding, data_format: str):
    """Of `upstream` what stands where the input was the largest of its window: the VJP of `max_pool_gradient`.

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]]]]
    >>> upstream = [[[[0.5], [1.5], [2.5]]]]
    >>> print(mg.pooling.max_pool_chosen(upstream, x, [1, 2], 1, "VALID", "NHWC").numpy().ravel())
    [1.5 2.5]
    """
    pool = Pool(input.shape, input.ndim - 2, ksize, strides, padding, data_format)
    met = zip(pool.met(upstream, 0), winners(pool, input))
    return pool.outward(functools.reduce(np.add, [np.where(won, one, one.dtype.type(0)) for one, won in met]))


# ---- the mean ------------------------------------------------------------------------------------------------------


def mean(images, rank, ksize, strides, padding, data_format):
    """The mean of every window; what it has outside of the image does not count."""
    only_named(padding)
    pool = Pool(images.shape, rank, ksize, strides, padding, data_format)
    return pool.outward(functools.reduce(np.add, pool.met(images, 0)) / pool.counts(images))


def of_mean(dy, input_shape, ksize, strides, padding, data_format):
    """VJP of average pooling: the pixels of a window share its number evenly."""
    return avg_pool_gradient.np(dy, input_shape, ksize, strides, padding, data_format)


@op("AvgPool", "f", dinput=of_mean, math="upstream / count, to each pixel of the window")
def avg_pool2d(input, ksize: Lengths, strides: Lengths, padding: str, data_format="NHWC"):
    """The mean of every window, for each channel. What a window has outside of the image does not count.

    Args:
        input: shape `(batch, height, width, channels)`, float.
        ksize: height and width of a window: one int, or two.
        strides: how far it goes from one place to the next: one int, or two.
        padding: "VALID": no window leaves the image; "SAME": there are as many places as pixels, divided by the stride.
        data_format: "NHWC", or "NCHW" for images whose channels come before height and width.

    Returns:
        Shape `(batch, places down, places across, channels)`.

    Raises:
        TypeError: `padding` is no string.
        ValueError: there are not one, two or four lengths or strides.
        InvalidArgumentError: a length or stride is not positive, there are not four axes, or there is no such padding.

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]], [[0.5], [3.5], [1.0]], [[2.0], [1.5], [2.5]]]]
    >>> print(mg.nn.avg_pool2d(x, 2, 2, "SAME").numpy()[0, :, :, 0])
    [[1.75 2.5 ]
     [1.75 2.5 ]]
    """
    return mean(input, 2, ksize, strides, padding, data_format)


@op("AvgPool3D", "f", dinput=of_mean, math="upstream / count, to each pixel of the window")
def avg_pool3d(input, ksize: Lengths, strides: Lengths, padding: str, data_format="NDHWC"):
    """The mean of every window of volumes, for each channel; see `avg_pool2d`.

    >>> import minigrad as mg
    >>> print(mg.nn.avg_pool3d([[[[[1.0], [2.0]]], [[[4.0], [3.0]]]]], [2, 1, 1], 1, "VALID").numpy().ravel())
    [2.5 2.5]
    """
    return mean(input, 3, ksize, strides, padding, data_format)


@op("AvgPoolGrad", "f", shape=tidy.lengths, math="the mean of upstream in every window",
    dupstream=lambda dz, shape, ksize, strides, padding, data_format:
        OPS[f"avg_pool{len(shape) - 2}d"].np(dz, ksize, strides, padding, data_format))  # fmt: skip
def avg_pool_gradient(upstream, shape, ksize: Lengths, strides: Lengths, padding: str, data_format: str):
    """VJP of average pooling along two or three axes, for images of this shape.

    >>> import minigrad as mg
    >>> dy = [[[[2.0], [4.0]]]]
    >>> print(mg.pooling.avg_pool_gradient(dy, (1, 1, 3, 1), [1, 2], 1, "VALID", "NHWC").numpy().ravel())
    [1. 3. 2.]
    """
    pool = Pool(shape, len(shape) - 2, ksize, strides, padding, data_format)
    shares = pool.inward(upstream) / pool.counts(upstream)
    return pool.back(shares for _ in pool.taps())


# ---- along one axis, and along as many as there are ----------------------------------------------------------------


def flat(pooling, input, ksize, strides, padding, data_format):
    """Pooling along one axis: that of images which are one pixel high."""
    images, height, data_format = upright(convert(input), data_format)
    if not isinstance(padding, str):
        padding = [*padding[: 4 + height], [0, 0], *padding[4 + height :]]
    y = pooling(images, one_axis("ksize", ksize), one_axis("strides", strides), padding, data_format)
    return shaping.squeeze(y, [height])


def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None) -> Tensor:
    """The largest number of every window of sequences, for each channel; see `max_pool2d`.

    Args:
        input: shape `(batch, length, channels)`.
        ksize: the length of a window.
        strides: how far it goes from one place to the next.
        padding: "VALID" or "SAME", or a pair for each of the three axes.
        data_format: "NWC", or "NCW" for sequences whose channels come first.
        name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> print(mg.nn.max_pool1d([[[1.0], [2.0], [4.0], [3.0]]], 2, 2, "VALID").numpy().ravel())
    [2. 4.]
    """
    return flat(max_pool2d, input, ksize, strides, padding, data_format)


def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None) -> Tensor:
    """The mean of every window of sequences, for each channel; see `avg_pool2d`.

    Args:
        input: shape `(batch, length, channels)`.
        ksize: the length of a window.
        strides: how far it goes from one place to the next.
        padding: "VALID" or "SAME".
        data_format: "NWC", or "NCW" for sequences whose channels come first.
        name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> print(mg.nn.avg_pool1d([[[1.0], [2.0], [4.0], [3.0]]], 2, 2, "VALID").numpy().ravel())
    [1.5 3.5]
    """
    return flat(avg_pool2d, input, ksize, strides, padding, data_format)


def by_rank(poolings, input, ksize, strides, padding, data_format):
    """The pooling along as many axes as the input has between the batch and the channels."""
    input = convert(input)
    if input.ndim not in (3, 4, 5):
        given = f"input.shape={input.shape} of rank {input.ndim}"
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: {given}.")
    return poolings[input.ndim - 3](input, ksize, strides, padding, data_format)


def max_pool(input, ksize, strides, padding, data_format=None, name=None) -> Tensor:
    """`max_pool1d`, `max_pool2d` or `max_pool3d`, as the input has axes.

    Raises:
        ValueError: it has not three to five.

    >>> import minigrad as mg
    >>> print(mg.nn.max_pool([[[1.0], [2.0], [4.0], [3.0]]], 2, 2, "VALID").numpy().ravel())
    [2. 4.]
    """
    return by_rank((max_pool1d, max_pool2d, max_pool3d), input, ksize, strides, padding, data_format)


def avg_pool(input, ksize, strides, padding, data_format=None, name=None) -> Tensor:
    """`avg_pool1d`, `avg_pool2d` or `avg_pool3d`, as the input has axes.

    Raises:
        ValueError: it has not three to five.

    >>> import minigrad as mg
    >>> print(mg.nn.avg_pool([[[1.0], [2.0], [4.0], [3.0]]], 2, 2, "VALID").numpy().ravel())
    [1.5 3.5]
    """
    return by_rank((avg_pool1d, avg_pool2d, avg_pool3d), input, ksize, strides, padding, data_format)


mathematics.tell_help([one for one in MADE if one.__module__ == __name__])
