"""tf.nn's pooling: the maximum, or the mean, of every window of the images.

A window slides as in a convolution (`Windows`). `nn` loads this file when one of its names is first used.
"""

import functools

import numpy as np

from .convolution import Lengths, Padding, Windows, only_named
from .engine import OPS, Tensor, bracketed, convert, invalid, op, tell_help, tidy
from .engine.rules import filled
from .errors import visible
from .math.segments import finite_limits

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

    def met(self, images, **mode):
        """For each element of the window, the pixels that it covers; see `padded`."""
        padded = self.padded(self.inward(images), **mode)
        return [padded[key] for key in self.taps()]

    def total(self, images):
        """The sum of every window."""
        padded = self.padded(self.inward(images))
        sums = filled(padded, (*self.lead, *self.places, padded.shape[-1]))
        for key in self.taps():
            sums += padded[key]
        return sums

    def counts(self, like):
        """The number of image pixels in each window."""
        return self.total(self.outward(np.ones((*self.lead, *self.lengths, 1), like.dtype)))


# ---- the largest ---------------------------------------------------------------------------------------------------


def largest(pool, images):
    """The pixels that each element of the window covers, and their maximum. nan is least, as in TensorFlow."""
    if images.size and 0 in pool.places and not any(map(any, pool.around)):
        shapes = f"window {bracketed(pool.size)}, images {bracketed(images.shape)}"
        raise invalid(f"Computed output size would be zero: the window is larger than the images. Received: {shapes}")
    least = finite_limits(images.dtype).min
    met = pool.met(images, constant_values=least)
    return met, functools.reduce(np.fmax, met, least)


def winners(pool, images, ties=False):
    """For each element of the window, where it is the maximum. With `ties` all equal elements win, else the first."""
    met, y = largest(pool, images)
    if ties:
        return [pixels == y for pixels in met]
    best, winner = met[0], np.zeros_like(y, np.int64)
    for k, pixels in enumerate(met[1:], 1):
        better = pixels > best
        best, winner = np.where(better, pixels, best), np.where(better, k, winner)
    return [winner == k for k in range(len(met))]


def of_largest(dy, input, ksize, strides, padding, data_format):
    """VJP of max-pooling: the gradient of each window goes to its largest pixel."""
    return max_pool_gradient.np(dy, input, ksize, strides, padding, data_format)


@op("MaxPool", "iuf", dinput=of_largest, math="upstream, put back where input was the largest")
def max_pool2d(input, ksize: Lengths, strides: Lengths, padding: Padding, data_format="NHWC"):
    """The maximum of every window, for each channel.

    The gradient goes to the largest pixel of a window, or to the first of several equal ones.

    Args:
        input: shape `(batch, height, width, channels)`.
        ksize: height and width of a window: one int, or two.
        strides: the distance from one place to the next: one int, or two.
        padding: "VALID": no window leaves the image; "SAME": there are as many places as pixels, divided by the stride;
            or, as for `conv2d`, how far a window may extend beyond the edge, a pair for each of the four axes.
        data_format: "NHWC", or "NCHW" for images whose channels come before height and width.

    Returns:
        Shape `(batch, places down, places across, channels)`.

    Raises:
        ValueError: there are not one, two or four lengths or strides.
        InvalidArgumentError: a length or stride is not positive, there are not four axes, there is no such padding, or
            no window fits into the images.

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]], [[0.5], [3.0], [1.0]], [[2.0], [1.5], [2.5]]]]
    >>> print(mg.nn.max_pool2d(x, 2, 1, "VALID").numpy()[0, :, :, 0])
    [[3. 4.]
     [3. 3.]]
    """
    pool = Pool(input.shape, 2, ksize, strides, padding, data_format)
    return pool.outward(largest(pool, input)[1])


@op("MaxPool", "iuf", dinput=of_largest, math="upstream, put back where input was the largest")
def max_pool1d(input, ksize: Lengths, strides: Lengths, padding: Padding, data_format="NWC"):
    """The maximum of every window of sequences, shape `(batch, length, channels)`, for each channel.

    The arguments and errors are those of `max_pool2d`, for one axis, with the formats "NWC" and "NCW".

    >>> import minigrad as mg
    >>> print(mg.nn.max_pool1d([[[1.0], [2.0], [4.0], [3.0]]], 2, 2, "VALID").numpy().ravel())
    [2. 4.]
    """
    pool = Pool(input.shape, 1, ksize, strides, padding, data_format)
    return pool.outward(largest(pool, input)[1])


@op("MaxPool3D", "f", dinput=of_largest, math="upstream, put back where input was the largest")
def max_pool3d(input, ksize: Lengths, strides: Lengths, padding: Padding, data_format="NDHWC"):
    """The maximum of every window of volumes, for each channel; see `max_pool2d`.

    The gradient goes to the largest element of a window, or in full to each of several equal ones.

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
    """VJP of max-pooling along one to three axes.

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]]]]
    >>> print(mg.pooling.max_pool_gradient([[[[20.0], [40.0]]]], x, [1, 2], 1, "VALID", "NHWC").numpy().ravel())
    [ 0. 20. 40.]
    """
    pool = Pool(input.shape, input.ndim - 2, ksize, strides, padding, data_format)
    dy = pool.inward(upstream)
    return pool.back(np.where(won, dy, 0) for won in winners(pool, input, ties=pool.rank == 3))


@op("MaxPoolGradGrad", "iuf", dinput=lambda dz, input: np.zeros_like(input),
    dupstream=lambda dz, input, ksize, strides, padding, data_format:
        max_pool_gradient.np(dz, input, ksize, strides, padding, data_format),
    math={"upstream": "upstream, put back where input was the largest"})  # fmt: skip
def max_pool_chosen(upstream, input, ksize: Lengths, strides: Lengths, padding: Padding, data_format: str):
    """The values of `upstream` where the input was the maximum of its window: the VJP of `max_pool_gradient`.

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]]]]
    >>> upstream = [[[[0.5], [1.5], [2.5]]]]
    >>> print(mg.pooling.max_pool_chosen(upstream, x, [1, 2], 1, "VALID", "NHWC").numpy().ravel())
    [1.5 2.5]
    """
    pool = Pool(input.shape, input.ndim - 2, ksize, strides, padding, data_format)
    met = zip(pool.met(upstream), winners(pool, input))
    return pool.outward(functools.reduce(np.add, [np.where(won, one, 0) for one, won in met]))


# ---- the mean ------------------------------------------------------------------------------------------------------


def mean(images, rank, ksize, strides, padding, data_format):
    """The mean of every window; pixels outside the image do not count."""
    only_named(padding)
    pool = Pool(images.shape, rank, ksize, strides, padding, data_format)
    return pool.outward(pool.total(images) / pool.counts(images))


def of_mean(dy, input_shape, ksize, strides, padding, data_format):
    """VJP of average pooling: the pixels of a window share its gradient evenly."""
    return avg_pool_gradient.np(dy, input_shape, ksize, strides, padding, data_format)


@op("AvgPool", "f", dinput=of_mean, math="upstream / count, to each pixel of the window")
def avg_pool2d(input, ksize: Lengths, strides: Lengths, padding: str, data_format="NHWC"):
    """The mean of every window, for each channel. Pixels outside the image do not count.

    The arguments, shapes and errors are those of `max_pool2d`, but the input is float, and the padding "VALID" or
    "SAME" (TypeError: it is not a string).

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]], [[0.5], [3.5], [1.0]], [[2.0], [1.5], [2.5]]]]
    >>> print(mg.nn.avg_pool2d(x, 2, 2, "SAME").numpy()[0, :, :, 0])
    [[1.75 2.5 ]
     [1.75 2.5 ]]
    """
    return mean(input, 2, ksize, strides, padding, data_format)


@op("AvgPool", "f", dinput=of_mean, math="upstream / count, to each pixel of the window")
def avg_pool1d(input, ksize: Lengths, strides: Lengths, padding: str, data_format="NWC"):
    """The mean of every window of sequences, shape `(batch, length, channels)`, for each channel.

    The arguments and errors are those of `avg_pool2d`, for one axis, with the formats "NWC" and "NCW".

    >>> import minigrad as mg
    >>> print(mg.nn.avg_pool1d([[[1.0], [2.0], [4.0], [3.0]]], 2, 2, "VALID").numpy().ravel())
    [1.5 3.5]
    """
    return mean(input, 1, ksize, strides, padding, data_format)


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
    """VJP of average pooling along one to three axes, for images of this shape.

    >>> import minigrad as mg
    >>> dy = [[[[2.0], [4.0]]]]
    >>> print(mg.pooling.avg_pool_gradient(dy, (1, 1, 3, 1), [1, 2], 1, "VALID", "NHWC").numpy().ravel())
    [1. 3. 2.]
    """
    pool = Pool(shape, len(shape) - 2, ksize, strides, padding, data_format)
    shares = pool.inward(upstream) / pool.counts(upstream)
    return pool.back(shares for _ in pool.taps())


# ---- along as many axes as there are ---------------------------------------------------------------------------------


def by_rank(poolings, input, ksize, strides, padding, data_format):
    """The pooling for the number of axes that the input has between the batch and the channels."""
    input = convert(input)
    if input.ndim not in (3, 4, 5):
        given = f"input.shape={input.shape} of rank {input.ndim}"
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: {given}.")
    return poolings[input.ndim - 3](input, ksize, strides, padding, data_format)


def max_pool(input, ksize, strides, padding, data_format=None, name=None) -> Tensor:
    """`max_pool1d`, `max_pool2d` or `max_pool3d`, by the rank of the input.

    Raises:
        ValueError: the input does not have three to five axes.

    >>> import minigrad as mg
    >>> print(mg.nn.max_pool([[[1.0], [2.0], [4.0], [3.0]]], 2, 2, "VALID").numpy().ravel())
    [2. 4.]
    """
    return by_rank((max_pool1d, max_pool2d, max_pool3d), input, ksize, strides, padding, data_format)


def avg_pool(input, ksize, strides, padding, data_format=None, name=None) -> Tensor:
    """`avg_pool1d`, `avg_pool2d` or `avg_pool3d`, by the rank of the input.

    Raises:
        ValueError: the input does not have three to five axes.

    >>> import minigrad as mg
    >>> print(mg.nn.avg_pool([[[1.0], [2.0], [4.0], [3.0]]], 2, 2, "VALID").numpy().ravel())
    [1.5 3.5]
    """
    return by_rank((avg_pool1d, avg_pool2d, avg_pool3d), input, ksize, strides, padding, data_format)


tell_help(__name__)
