"""tf.nn's convolutions: each window of the images becomes a row of a matrix, which is multiplied by the kernel.

A convolution is linear in the images and in the kernel. So three ops, each a VJP of the other two, are enough for
gradients of any order: the convolution, its gradient with respect to the images (`conv2d_transpose`), and with respect
to the kernel (`kernel_gradient`). `nn` loads this file when one of its names is first used.
"""

from collections.abc import Sequence

import numpy as np

from .engine import OPS, Tensor, bracketed, convert, invalid, not_among, op, tell_help, tidy
from .engine.rules import filled
from .errors import UnimplementedError, by_python, received, visible

__all__ = ["conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose",
           "convolution", "depthwise_conv2d", "separable_conv2d"]  # fmt: skip

Lengths = Sequence[int] | int
Padding = str | Sequence[Sequence[int]]


# ---- windows -------------------------------------------------------------------------------------------------------


class Windows:
    """A window that slides over images.

    Args:
        shape: of the images: `(..., *lengths, channels)`, or, in a format such as "NCHW", `(..., channels, *lengths)`.
        rank: the number of axes along which it slides.
        size: the lengths of the window.
        strides: the distance from one place to the next, along each axis.
        padding: "VALID": no window leaves the image; "SAME": there are as many places as elements, divided by the
            stride; or the number of zeros before and after the elements of each axis.
        data_format: where the channels are.
        dilations: the distance between the elements of a window.
    """

    def __init__(self, shape, rank, size, strides, padding, data_format, dilations=None):
        self.rank = rank
        self.channels_first = channels_first(data_format, rank)
        self.shape = shape = self.last_of(shape)
        self.size, self.strides = self.along("ksize", size), self.along("strides", strides)
        self.dilations = self.along("dilations", dilations)
        self.lead, self.lengths = shape[: -rank - 1], shape[-rank - 1 : -1]
        self.reach = tuple([(k - 1) * d + 1 for k, d in zip(self.size, self.dilations)])
        self.around = self.margins(padding)
        axes = zip(self.lengths, self.around, self.reach, self.strides)
        self.places = tuple([places(n, sum(zeros), k, s) for n, zeros, k, s in axes])

    # ---- what the user may write ---------------------------------------------------------------------------------

    def along(self, name, given):
        """A number for each axis of a window, given one number, one for each, or one for each axis of the images."""
        rank = self.rank
        numbers = [1] if given is None else [int(n) for n in (given if np.ndim(given) else [given])]
        if len(numbers) not in (1, rank, rank + 2):
            problem = f"{name} should be of length 1, {rank} or {rank + 2}."
            raise by_python(ValueError(f"{problem} Received: {name}={visible(given)} of length {len(numbers)}"))
        if len(numbers) == rank + 2:
            batch, *numbers, channels = self.last_of(numbers)
            if (batch, channels) != (1, 1):
                problem = f"Current implementation does not yet support {name} in the batch and depth dimensions."
                raise UnimplementedError(None, None, problem)
        if min(numbers) < 1:
            raise invalid(f"{name} should be larger than 0, but got {visible(given)}")
        return tuple(numbers * (rank // len(numbers)))

    def margins(self, padding):
        """The number of zeros before and after the elements of each axis."""
        if padding == "VALID":
            return ((0, 0),) * self.rank
        if padding == "SAME":
            axes = zip(self.lengths, self.strides, self.reach)
            missing = [max((-(-n // s) - 1) * s + k - n, 0) for n, s, k in axes]
            return tuple([(n // 2, n - n // 2) for n in missing])
        if isinstance(padding, str):
            problem = f"Value for attr 'padding' of \"{visible(padding)}\" is not in the list of allowed values:"
            raise invalid(f'{problem} "SAME", "VALID", "EXPLICIT"')
        if not isinstance(padding, (list, tuple)):
            raise TypeError(f"Expected string for argument 'padding' not {visible(padding)}.")
        return self.explicit(padding)

    def explicit(self, padding):
        """The pairs that the user passed for the axes of a window; the batch and the channels must not be padded."""
        pairs = [tuple(pair) for pair in padding if isinstance(pair, (list, tuple)) and len(pair) == 2]
        if len(padding) != self.rank + 2 or len(pairs) != len(padding):
            problem = f"When padding is a list, it must be of size {self.rank + 2}, and each element a list of size 2."
            raise by_python(received(problem, padding=padding))
        batch, *pairs, channels = self.last_of(pairs)
        if any(batch + channels):
            raise invalid("Nonzero explicit padding in the batch or depth dimensions is not supported")
        if min(map(min, pairs)) < 0:
            raise invalid("All elements of explicit_paddings must be nonnegative")
        return tuple(pairs)

    # ---- formats ---------------------------------------------------------------------------------------------------

    def last_of(self, lengths):
        """A number, or a pair, for each axis of the images, with the channels last."""
        first = -self.rank - 1
        return (*lengths[:first], *lengths[first + 1 :], lengths[first]) if self.channels_first else tuple(lengths)

    def inward(self, images):
        """The images with the channels last."""
        return np.moveaxis(images, -self.rank - 1, -1) if self.channels_first else images

    def outward(self, images):
        """The images with the channels where the data format puts them."""
        return np.moveaxis(images, -1, -self.rank - 1) if self.channels_first else images

    # ---- images ----------------------------------------------------------------------------------------------------

    def padded(self, images, **mode):
        """The images, padded with zeros, or with another mode of `np.pad`."""
        if not any(map(any, self.around)):
            return images
        return np.pad(images, ((0, 0),) * len(self.lead) + (*self.around, (0, 0)), **mode)

    def taps(self):
        """For each element of the window: the key of the pixels that it covers while sliding over padded images."""
        steps = [s if s > 1 else None for s in self.strides]
        for at in np.ndindex(*self.size):
            starts = [k * d for k, d in zip(at, self.dilations)]
            ends = [k + n * s for k, n, s in zip(starts, self.places, self.strides)]
            yield (..., *map(slice, starts, ends, steps), slice(None))

    def seen(self, padded):
        """All windows, as a view of shape (..., *places, *size, channels)."""
        first = len(self.lead)
        axes = tuple(range(first, first + self.rank))
        every = np.lib.stride_tricks.sliding_window_view(padded, self.reach, axes)
        steps = [slice(None, None, n) if n > 1 else slice(None) for n in (*self.strides, 1, *self.dilations)]
        key = ..., *steps
        return np.moveaxis(every[key], first + self.rank, -1)

    def back(self, shares):
        """The images, with the share of each element of the window added to the pixels that it covered."""
        images, lengths = None, [before + n + after for n, (before, after) in zip(self.lengths, self.around)]
        for key, share in zip(self.taps(), shares):
            if images is None:
                images = filled(share, (*self.lead, *lengths, share.shape[-1]))
            images[key] += share
        inside = [slice(before, before + n) for n, (before, _) in zip(self.lengths, self.around)]
        key = ..., *inside, slice(None)
        return self.outward(images[key])


def places(length, zeros, reach, stride):
    """The number of windows along an axis. Raise InvalidArgumentError for a window that is much too long."""
    number = int((length + zeros - reach + stride) / stride)
    if number < 0:
        sizes = f"[input_size: {length}, effective_filter_size: {reach}, stride: {stride}]"
        raise invalid(f"Computed output size would be negative: {number} {sizes}")
    return number


def channels_first(data_format, rank):
    """Does a format such as "NCHW" put the channels before the other axes?

    Raises:
        InvalidArgumentError: this is not a format for images with that many axes. (For sequences: ValueError.)
    """
    if rank == 1:
        if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW"):
            raise by_python(received('`data_format` must be "NWC" or "NCW".', data_format=data_format))
        return data_format in ("NCW", "NCHW")
    axes = "DHW"[-rank:]
    if data_format not in (None, f"N{axes}C", f"NC{axes}"):
        problem = f"Value for attr 'data_format' of \"{visible(data_format)}\" is not in the list of allowed values:"
        raise invalid(f'{problem} "N{axes}C", "NC{axes}"')
    return data_format == f"NC{axes}"


class Kernel(Windows):
    """The windows of a kernel of shape (*size, depth, outputs), and its three products.

    If the images have more channels than the kernel is deep, the channels are split into groups: each has its share of
    the outputs, which do not depend on other groups. Usually there is one group.
    """

    def __init__(self, shape, filters, strides, padding, data_format, dilations):
        *size, self.depth, outputs = filters
        if len(shape) < len(filters):
            raise invalid(f"convolution input must be {len(filters)}-dimensional: {bracketed(shape)}")
        if not self.depth:
            raise invalid("filter depth must be stricly positive, got 0")
        if 0 in size:
            raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")
        super().__init__(shape, len(size), size, strides, padding, data_format, dilations)
        if self.shape[-1] % self.depth:
            raise invalid(f"input depth must be evenly divisible by filter depth: {self.shape[-1]} vs {self.depth}")
        self.groups = self.shape[-1] // self.depth
        if outputs % self.groups:
            raise invalid(f"output depth must be evenly divisible by number of groups: {outputs} vs {self.groups}")
        self.outputs, self.count = outputs // self.groups, int(np.prod(self.lead + self.places))
        self.elements = int(np.prod(size))

    def grouped(self, x):
        """Images, a kernel, or the result of a convolution, split into groups."""
        return np.split(x, self.groups, -1) if self.groups > 1 else [x]

    def rows(self, padded):
        """Every window as a row of a matrix."""
        shape = self.count, self.elements * self.depth
        return self.seen(padded).reshape(shape) if self.count else filled(padded, shape)

    def matrix(self, filters):
        """The kernel as a matrix, with a column for each output."""
        return filters.reshape((self.elements * self.depth, self.outputs))

    def joined(self, groups):
        """Rows for each place, side by side for all groups: shape (..., *places, channels)."""
        return side_by_side([y.reshape((*self.lead, *self.places, y.shape[1])) for y in groups])

    def convolved(self, images, filters):
        """The convolution: one product for each group."""
        groups = zip(self.grouped(self.padded(self.inward(images))), self.grouped(filters))
        return self.outward(self.joined([product(self.rows(x), self.matrix(kernel)) for x, kernel in groups]))

    def to_kernel(self, images, y):
        """The gradient with respect to the kernel: for each group the windows, transposed, times y."""
        groups = zip(self.grouped(self.padded(self.inward(images))), self.grouped(self.inward(y)))
        parts = [product(self.rows(x).T, dy.reshape((self.count, self.outputs))) for x, dy in groups]
        return side_by_side([one.reshape((*self.size, self.depth, self.outputs)) for one in parts])

    def to_images(self, y, filters):
        """The gradient with respect to the images: each kernel element adds its share to the pixels that it covered."""
        kernels = [one.reshape((self.elements, self.depth, self.outputs)) for one in self.grouped(filters)]
        rows = [dy.reshape((self.count, self.outputs)) for dy in self.grouped(self.inward(y))]
        shares = ([product(dy, taps[k].T) for dy, taps in zip(rows, kernels)] for k in range(self.elements))
        return self.back(map(self.joined, shares))

    def check(self, y):
        """Raise InvalidArgumentError if this is not the shape of a convolution of the images."""
        given, depth = self.last_of(y), self.groups * self.outputs
        lengths = given[-self.rank - 1 : -1]
        for wrong, problem in [
            (given[: -self.rank - 1] != self.lead, f"have the same batch: {bracketed(self.shape)} vs. {bracketed(y)}"),
            (given[-1] != depth, f"have the same out_depth as the filter: {given[-1]} vs. {depth}"),
            (lengths != self.places, f"have the size computed: {bracketed(lengths)} vs. {bracketed(self.places)}"),
        ]:
            if wrong:
                raise invalid(f"input and out_backprop must {problem}")


class DepthwiseKernel(Kernel):
    """The windows of a kernel in which each channel is its own group: elementwise products instead of matrix products.

    Each element of the kernel is multiplied by all the pixels that it covers. A channel is repeated for each of its
    outputs.
    """

    def repeated(self, images):
        """The padded images, with a channel for each output, and for float16 in float32."""
        wide = np.repeat(self.padded(self.inward(images)), self.outputs, -1)
        return wide.astype(np.float32) if wide.dtype.char == "e" else wide

    def weights(self, filters):
        """The values of each element of the kernel, one for each output."""
        return filters.reshape((self.elements, self.groups * self.outputs))

    def convolved(self, images, filters):
        repeated = self.repeated(images)
        y = filled(repeated, (*self.lead, *self.places, repeated.shape[-1]))
        for key, weight in zip(self.taps(), self.weights(filters)):
            y += repeated[key] * weight
        return self.outward(y.astype(images.dtype, copy=False))

    def to_kernel(self, images, y):
        repeated, dy = self.repeated(images), self.inward(y)
        axes = list(range(dy.ndim))
        parts = [np.einsum(repeated[key], axes, dy, axes, axes[-1:]) for key in self.taps()]
        return np.stack(parts).reshape((*self.size, 1, dy.shape[-1])).astype(images.dtype, copy=False)

    def to_images(self, y, filters):
        dy = self.inward(y)
        images = self.inward(self.back(dy * weight for weight in self.weights(filters)))
        return self.outward(images.reshape((*images.shape[:-1], self.groups, self.outputs)).sum(-1))


def kernel_of(*settings):
    """The windows of a kernel, for its products."""
    kernel = Kernel(*settings)
    return DepthwiseKernel(*settings) if kernel.depth == 1 < kernel.groups else kernel


def checked(filters, rank):
    """The kernel. Raise InvalidArgumentError if its rank or its integer dtype does not fit."""
    if filters.ndim != rank + 2:
        raise invalid(f"convolution filter must be {rank + 2}-dimensional: {bracketed(filters.shape)}")
    if filters.dtype.kind == "i" and filters.dtype != np.int32:
        raise invalid(not_among("T", filters.dtype, "half, bfloat16, float, double, int32"))
    return filters


def side_by_side(groups):
    """The groups, joined along the last axis."""
    return np.concatenate(groups, -1) if len(groups) > 1 else groups[0]


def product(x, y):
    """x @ y; float16 is summed in float32."""
    return x @ y if x.dtype.char != "e" else (x.astype(np.float32) @ y.astype(np.float32)).astype(x.dtype)


# ---- ops -----------------------------------------------------------------------------------------------------------


def along_axes(filters_shape):
    """The convolution with a kernel of this shape, and its gradient with respect to the images."""
    name = f"conv{len(filters_shape) - 2}d"
    return OPS[name].np, OPS[f"{name}_transpose"].np


def vjps(name):
    """The VJPs of a convolution, and those of its gradient with respect to the images."""
    return dict(
        dinput=lambda dy, filters, input_shape, strides, padding, data_format, dilations:
            OPS[f"{name}_transpose"].np(dy, filters, input_shape, strides, padding, data_format, dilations),
        dfilters=lambda dy, input, filters_shape, strides, padding, data_format, dilations:
            kernel_gradient.np(input, dy, filters_shape, strides, padding, data_format, dilations),
        math={"filters": "the windows of input, as rows, transposed, @ upstream"},
    ), dict(
        dinput=lambda dy, filters, strides, padding, data_format, dilations:
            OPS[name].np(dy, filters, strides, padding, data_format, dilations),
        dfilters=lambda dy, input, filters_shape, strides, padding, data_format, dilations:
            kernel_gradient.np(dy, input, filters_shape, strides, padding, data_format, dilations),
        math={"filters": "the windows of upstream, as rows, transposed, @ input"},
    )  # fmt: skip


of_conv2d, of_conv2d_transpose = vjps("conv2d")
of_conv3d, of_conv3d_transpose = vjps("conv3d")


@op("Conv2D", "if", **of_conv2d)
def conv2d(input, filters, strides: Lengths, padding: Padding, data_format="NHWC", dilations: Lengths | None = None):
    """Convolution of images with a kernel: y[i, j] is the sum of x[i + k, j + l] * kernel[k, l], which is not flipped.

    Args:
        input: shape `(..., height, width, channels)`, float or int32.
        filters: the kernel, shape `(height, width, channels, outputs)`. If it has fewer channels than the images,
            theirs are split into groups of that size, and each group has its share of the outputs.
        strides: the distance from one place of the kernel to the next: one int, or two.
        padding: "VALID": the kernel does not leave the image; "SAME": zeros around it, so that there are as many places
            as pixels, divided by the stride; or the zeros before and after each of the four axes, as
            `[[0, 0], [1, 1], [2, 2], [0, 0]]`.
        data_format: "NHWC", or "NCHW" for images whose channels come before height and width.
        dilations: the distance between the elements of the kernel: one int, or two.

    Returns:
        Shape `(..., places down, places across, outputs)`.

    Raises:
        ValueError: there are not one, two or four strides or dilations, or not four paddings.
        InvalidArgumentError: the channels do not fit, a stride is not positive, or there is no such padding.

    >>> import minigrad as mg
    >>> x = [[[[1.0], [2.0], [4.0]], [[0.5], [3.0], [1.0]], [[2.0], [1.5], [2.5]]]]
    >>> print(mg.nn.conv2d(x, [[[[1.0]], [[-2.0]]], [[[0.5]], [[3.0]]]], 1, "VALID").numpy()[0, :, :, 0])
    [[ 6.25 -1.5 ]
     [ 0.    9.25]]
    """
    kernel = kernel_of(input.shape, checked(filters, 2).shape, strides, padding, data_format, dilations)
    return kernel.convolved(input, filters)


@op("Conv2DBackpropInput", "if", output_shape=tidy.lengths, **of_conv2d_transpose)
def conv2d_transpose(input, filters, output_shape, strides: Lengths, padding: Padding = "SAME", data_format="NHWC",
                     dilations: Lengths | None = None):  # fmt: skip
    """Transposed convolution: adds each input element, times the kernel, to the pixels that `conv2d` maps to it.

    It is the VJP of `conv2d` with respect to the images, and serves as a layer that upsamples images.

    Args:
        input: shape `(batch, places down, places across, outputs)`, as `conv2d` returns it.
        filters: the kernel of `conv2d`, shape `(height, width, channels, outputs)`.
        output_shape: shape of the images, `(batch, height, width, channels)`; or `(height, width)`.
        strides, padding, data_format, dilations: those of `conv2d`.

    Returns:
        Shape `output_shape`.

    Raises:
        ValueError: there are not one, two or four strides or dilations, or not four paddings.
        InvalidArgumentError: `conv2d` would not return the shape of the input, or the channels do not fit.

    >>> import minigrad as mg
    >>> y = mg.nn.conv2d_transpose([[[[1.0], [2.0]]]], [[[[1.0]], [[10.0]]]], [1, 1, 3, 1], 1, "VALID")
    >>> print(y.numpy().ravel())
    [ 1. 12. 20.]
    """
    return back_to_images(input, checked(filters, 2), output_shape, strides, padding, data_format, dilations)


def back_to_images(y, filters, shape, strides, padding, data_format, dilations):
    """The gradient of a convolution with respect to images of this shape."""
    rank = filters.ndim - 2
    if y.ndim < rank + 2:
        raise invalid(f"input_sizes must be {rank + 2}-dimensional, got: {y.ndim}")
    if len(shape) == rank == 2:
        shape = (len(y), *shape, filters.shape[-2])
    if len(shape) != y.ndim:
        raise invalid(f"input_sizes must contain {y.ndim} values, but got: {len(shape)}")
    if min(shape) < 0:
        raise invalid(f"Dimension {min(shape)} must be >= 0")
    kernel = kernel_of(shape, filters.shape, strides, padding, data_format, dilations)
    kernel.check(y.shape)
    return kernel.to_images(y, filters)


@op("Conv2DBackpropFilter", "if", filters_shape=tidy.lengths,
    dinput=lambda dz, dy, input_shape, filters_shape, strides, padding, data_format, dilations:
        along_axes(filters_shape)[1](dy, dz, input_shape, strides, padding, data_format, dilations),
    ddy=lambda dz, input, filters_shape, strides, padding, data_format, dilations:
        along_axes(filters_shape)[0](input, dz, strides, padding, data_format, dilations),
    math={"input": "what goes back from dy through the convolution with upstream",
          "dy": "the convolution of input with upstream"})  # fmt: skip
def kernel_gradient(input, dy, filters_shape, strides: Lengths, padding: Padding, data_format="NHWC",
                    dilations: Lengths | None = None):  # fmt: skip
    """VJP of a convolution with respect to its kernel, along one to three axes.

    >>> import minigrad as mg
    >>> x, dy = [[[[1.0], [2.0], [4.0]]]], [[[[1.0], [0.5]]]]
    >>> print(mg.convolution.kernel_gradient(x, dy, (1, 2, 1, 1), 1, "VALID").numpy().ravel())
    [2. 4.]
    """
    kernel = kernel_of(input.shape, filters_shape, strides, padding, data_format, dilations)
    return kernel.to_kernel(input, dy)


@op("Conv2D", "if", math=of_conv2d["math"],
    dinput=lambda dy, filters, input_shape, stride, padding, data_format, dilations:
        conv1d_transpose.np(dy, filters, input_shape, stride, padding, data_format, dilations),
    dfilters=lambda dy, input, filters_shape, stride, padding, data_format, dilations:
        kernel_gradient.np(input, dy, filters_shape, stride, padding, data_format, dilations))  # fmt: skip
def conv1d(input, filters, stride: Lengths, padding: str, data_format="NWC", dilations: Lengths | None = None):
    """Convolution of sequences, shape `(..., length, channels)`: `conv2d` along one axis.

    The arguments and errors are those of `conv2d`, with a kernel of shape `(length, channels, outputs)`, a padding that
    is "VALID" or "SAME", and the formats "NWC" and "NCW" (for another one ValueError).

    >>> import minigrad as mg
    >>> print(mg.nn.conv1d([[[1.0], [2.0], [4.0], [3.0]]], [[[1.0]], [[-0.5]]], 1, "VALID").numpy().ravel())
    [0.  0.  2.5]
    """
    only_named(padding)
    kernel = kernel_of(input.shape, checked(filters, 1).shape, stride, padding, data_format, dilations)
    return kernel.convolved(input, filters)


@op("Conv2DBackpropInput", "if", output_shape=tidy.lengths, **vjps("conv1d")[1])
def conv1d_transpose(input, filters, output_shape, strides: Lengths, padding: str = "SAME", data_format="NWC",
                     dilations: Lengths | None = None):  # fmt: skip
    """Transposed `conv1d`: shape `(batch, places, outputs)` to `output_shape`, `(batch, length, channels)`.

    The errors are those of `conv2d_transpose`, the other arguments those of `conv1d`.

    >>> import minigrad as mg
    >>> print(mg.nn.conv1d_transpose([[[1.0], [2.0]]], [[[1.0]], [[10.0]]], [1, 4, 1], 2).numpy().ravel())
    [ 1. 10.  2. 20.]
    """
    only_named(padding)
    return back_to_images(input, checked(filters, 1), output_shape, strides, padding, data_format, dilations)


@op("Conv3D", "f", **of_conv3d)
def conv3d(input, filters, strides: Lengths, padding: Padding, data_format="NDHWC", dilations: Lengths | None = None):
    """Convolution of volumes, shape `(..., depth, height, width, channels)`: `conv2d` along three axes.

    The arguments and errors are those of `conv2d`, with lists of five, a kernel of shape
    `(depth, height, width, channels, outputs)`, and the formats "NDHWC" and "NCDHW". (TensorFlow has no dilations here
    on a CPU.)

    >>> import minigrad as mg
    >>> x, kernel = [[[[[1.0], [2.0]]], [[[4.0], [3.0]]]]], [[[[[1.0]]]], [[[[0.5]]]]]
    >>> print(mg.nn.conv3d(x, kernel, [1, 1, 1, 1, 1], "VALID").numpy().ravel())
    [3.  3.5]
    """
    kernel = kernel_of(input.shape, checked(filters, 3).shape, strides, padding, data_format, dilations)
    return kernel.convolved(input, filters)


@op("Conv3DBackpropInputV2", "f", output_shape=tidy.lengths, **of_conv3d_transpose)
def conv3d_transpose(input, filters, output_shape, strides: Lengths, padding: Padding = "SAME", data_format="NDHWC",
                     dilations: Lengths | None = None):  # fmt: skip
    """Transposed `conv3d`; see `conv2d_transpose`.

    >>> import minigrad as mg
    >>> y = mg.nn.conv3d_transpose([[[[[1.0], [2.0]]]]], [[[[[1.0]], [[10.0]]]]], [1, 1, 1, 3, 1], 1, "VALID")
    >>> print(y.numpy().ravel())
    [ 1. 12. 20.]
    """
    return back_to_images(input, checked(filters, 3), output_shape, strides, padding, data_format, dilations)


def in_groups(filter):
    """Convert a kernel of `depthwise_conv2d` to one of `conv2d`, in which each channel is a group."""
    return (*filter[:2], 1, filter[2] * filter[3])


@op("DepthwiseConv2dNative", "f",
    dinput=lambda dy, filter, input_shape, strides, padding, data_format, dilations: conv2d_transpose.np(
        dy, filter.reshape(in_groups(filter.shape)), input_shape, strides, padding, data_format, dilations),
    dfilter=lambda dy, input, filter_shape, strides, padding, data_format, dilations: kernel_gradient.np(
        input, dy, in_groups(filter_shape), strides, padding, data_format, dilations).reshape(filter_shape),
    math={"input": "upstream, back through the convolution of each channel",
          "filter": "upstream, back to the kernel of each channel"})  # fmt: skip
def depthwise_conv2d(input, filter, strides: Sequence[int], padding: Padding, data_format: str | None = None,
                     dilations: Sequence[int] | None = None):  # fmt: skip
    """Depthwise convolution: each channel has one or more kernels of its own, and does not mix with other channels.

    Args:
        input: shape `(batch, height, width, channels)`.
        filter: the kernels, shape `(height, width, channels, multiplier)`.
        strides: a list of four: 1, down, across, 1. (In TensorFlow the two are equal.)
        padding: as for `conv2d`.
        data_format: "NHWC", or "NCHW".
        dilations: a list of two: the distances between the elements of the kernel.

    Returns:
        Shape `(batch, places down, places across, channels * multiplier)`.

    Raises:
        TypeError: `strides` is not a list.
        InvalidArgumentError: the channels do not fit, a stride is not positive, or there is no such padding.

    >>> import minigrad as mg
    >>> x = [[[[1.0, 2.0], [3.0, 4.0]]]]
    >>> print(mg.nn.depthwise_conv2d(x, [[[[1.0], [0.5]], [[10.0], [1.5]]]], [1, 1, 1, 1], "VALID").numpy().ravel())
    [31.  7.]
    """
    if not isinstance(strides, (list, tuple)):
        problem = "Expected list for 'strides' argument to 'depthwise_conv2d_native' Op"
        raise TypeError(f"{problem}, not {visible(strides)}.")
    if len(strides) != 4:
        raise invalid("Sliding window strides field must specify 4 dimensions")
    checked(filter, 2)
    if input.ndim != 4:
        raise invalid(f"input must be 4-dimensional{bracketed(input.shape)}")
    channels, shape = input.shape[1 if channels_first(data_format, 2) else 3], in_groups(filter.shape)
    if channels != filter.shape[2]:
        raise invalid(f"input and filter must have the same depth: {channels} vs {filter.shape[2]}")
    kernel = kernel_of(input.shape, shape, strides, padding, data_format, dilations)
    return kernel.convolved(input, filter.reshape(shape))


# ---- public functions ----------------------------------------------------------------------------------------------


def only_named(padding):
    """Raise TypeError for a padding that is a list rather than "VALID" or "SAME"."""
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {visible(padding)}.")


def convolution(input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None) -> Tensor:
    """`conv1d`, `conv2d` or `conv3d`, by the rank of the kernel: shape `(*size, channels, outputs)`.

    `padding` is "VALID" or "SAME". None means strides and dilations of 1, and channels last.

    Raises:
        ValueError: the kernel does not have three to five axes, or strides and dilations are combined.
        InvalidArgumentError: see `conv2d`.

    >>> import minigrad as mg
    >>> print(mg.nn.convolution([[[1.0], [2.0], [4.0], [3.0]]], [[[1.0]], [[-0.5]]]).numpy().ravel())
    [0.  0.  2.5]
    """
    rank = convert(filters).ndim - 2
    if rank not in (1, 2, 3):
        raise ValueError(f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={max(rank, 0)}.")
    if strides is not None and dilations is not None and np.max(strides) > 1 and np.max(dilations) > 1:
        problem = "`strides > 1` not supported in conjunction with `dilation_rate > 1`."
        raise received(problem, strides=strides, dilation_rate=dilations)
    only_named(padding)
    convolve = {1: conv1d, 2: conv2d, 3: conv3d}[rank]
    return convolve(input, filters, strides, padding, data_format, dilations)


def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None,
                     name=None) -> Tensor:  # fmt: skip
    """`depthwise_conv2d`, followed by a `conv2d` with a kernel of one pixel, which mixes the channels.

    The other arguments and errors are those of `depthwise_conv2d`.

    Returns:
        Shape `(batch, places down, places across, outputs)`.

    Raises:
        ValueError: `pointwise_filter` does not have the shape `(1, 1, channels * multiplier, outputs)`.

    >>> import minigrad as mg
    >>> x, each, mix = [[[[1.0, 2.0]]]], [[[[3.0], [0.5]]]], [[[[2.0], [10.0]]]]
    >>> print(mg.nn.separable_conv2d(x, each, mix, [1, 1, 1, 1], "VALID").numpy().ravel())
    [16.]
    """
    pointwise = convert(pointwise_filter)
    if pointwise.ndim != 4:
        raise ValueError(f"Shape {pointwise.shape} must have rank 4")
    for length in pointwise.shape[:2]:
        if length != 1:
            raise ValueError(f"Dimensions {length} and 1 are not compatible")
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(y, pointwise, 1, "VALID", data_format)


tell_help(__name__)
