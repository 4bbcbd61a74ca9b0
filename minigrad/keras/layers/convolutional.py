"""Convolution layers: a kernel slides over sequences, images or volumes."""

from ... import nn
from ...errors import received
from ...ops import shaping
from .. import activations
from .base import check_rank, incompatible
from .sliding import Sliding, along, of_rank
from .weighted import made_in_build


class Sweeping(Sliding):
    """The base class of convolution layers: how the kernel slides, and what is done with the result."""

    paddings: tuple = ("valid", "same")
    plans: tuple = ("kernel", "glorot_uniform"), ("bias", "zeros")

    def __init__(self, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, **kwargs):
        super().__init__(data_format, **kwargs)
        self.kernel_size = along(self.rank, "kernel_size", kernel_size)
        self.strides = along(self.rank, "strides", strides)
        self.dilation_rate = along(self.rank, "dilation_rate", dilation_rate)
        self.padding = padding.lower() if isinstance(padding, str) else padding
        if self.padding not in self.paddings:
            raise received(f"The `padding` argument must be one of {self.paddings}.", padding=padding)
        self.activation, self.use_bias = activations.get(activation), use_bias

    def _check_input(self, inputs):
        check_rank(self, inputs, self.rank + 2)
        super()._check_input(inputs)
        if self.built and inputs.shape[self.channels_axis] != self.channels:
            axis = -1 if self.data_format == "channels_last" else 1
            wanted = f"expected axis {axis} of input shape to have value {self.channels}"
            shape = [None] * len(inputs.shape)
            shape[self.channels_axis] = self.channels
            raise incompatible(self, f"{wanted}, but received input with shape {tuple(inputs.shape)}", inputs, shape)

    def build(self, input_shape):
        self.channels = input_shape[self.channels_axis]
        self.make_kernels()
        self.bias = self._make("bias", (self.outputs,)) if self.use_bias else None

    def call(self, inputs):
        y = self.swept(inputs)
        if self.use_bias:
            y = nn.bias_add(y, self.bias, "NCHW" if self.data_format == "channels_first" else None)
        return self.activation(y)

    def convolved(self, inputs, kernel, padding=None):
        """The convolution of the inputs. Raises ValueError if they are smaller than the kernel."""
        if (padding or self.padding) == "valid":
            reach = [(k - 1) * d + 1 for k, d in zip(self.kernel_size, self.dilation_rate)]
            self.check_places(inputs, reach, kernel_shape=tuple(kernel.shape))
        return nn.convolution(inputs, kernel, list(self.strides),
                              (padding or self.padding).upper(), self.format, list(self.dilation_rate))  # fmt: skip


def positive(name, number):
    """The number. Raises ValueError if it is not positive."""
    if number is not None and number <= 0:
        problem = f"Invalid value for argument `{name}`. Expected a strictly positive value."
        raise ValueError(f"{problem} Received {name}={number}.")
    return number


class Conv(Sweeping):
    """activation(convolution + bias), for inputs of shape {shape}.

    The kernel has shape (*kernel_size, channels, filters), the bias (filters,), and the output (batch, ..., filters).

    Args:
        filters: the number of output channels.
        kernel_size: the lengths of the kernel: an int, or one for each axis.
        strides: the step from one position of the kernel to the next: an int, or one for each axis.
        padding: "valid": the kernel stays inside the image; "same": the image is padded with zeros, so that with
            strides of 1 the output has the same lengths.
        data_format: "channels_last", or "channels_first" for inputs whose channels come after the batch.
        dilation_rate: the spacing between the elements of the kernel: an int, or one for each axis.
        groups: the number of groups of channels; each has its own outputs, which depend on no other group.
        activation: a name, a function, or None.
        use_bias: whether there is a bias.
        **kwargs: kernel_initializer, kernel_regularizer, kernel_constraint, and the same for bias; and those of
            `Layer`.

    Raises:
        ValueError: an argument is not positive, the groups do not divide the filters, or strides and dilations are
            combined; or (in a call) the input has another number of axes, or of channels than the first input.
    """

    kernel = made_in_build("kernel", "The kernel.")

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, groups=1,
                 activation=None, use_bias=True, **kwargs):  # fmt: skip
        self.filters = self.outputs = positive("filters", filters)
        if groups <= 0:
            raise ValueError(f"The number of groups must be a positive integer. Received: groups={groups}.")
        if filters % groups:
            problem = "The number of filters must be evenly divisible by the number of groups."
            raise ValueError(f"{problem} Received: groups={groups}, filters={filters}.")
        super().__init__(kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, **kwargs)
        self.groups = groups
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            problem = "`strides > 1` not supported in conjunction with `dilation_rate > 1`."
            raise ValueError(f"{problem} Received: strides={self.strides} and dilation_rate={self.dilation_rate}")

    def make_kernels(self):
        if self.channels % self.groups:
            problem = "The number of input channels must be evenly divisible by the number of groups."
            raise received(problem, groups=self.groups, channels=self.channels)
        self._kernel = self._make("kernel", (*self.kernel_size, self.channels // self.groups, self.filters))

    def swept(self, inputs):
        return self.convolved(inputs, self.kernel)


class Conv1D(Conv, rank=1):
    """activation(convolution + bias), for inputs of shape (batch, length, channels).

    The arguments are those of `Conv2D`. `padding` may also be "causal": zeros only before the sequence, so that no
    output depends on later inputs.

    >>> import minigrad as mg
    >>> layer = mg.keras.layers.Conv1D(1, 2, kernel_initializer="ones")
    >>> print(layer(mg.constant([[[1.0], [2.0], [4.0]]])).numpy().ravel(), layer.kernel.shape)
    [3. 6.] (2, 1, 1)
    """

    paddings = ("valid", "same", "causal")

    def swept(self, inputs):
        if self.padding != "causal":
            return self.convolved(inputs, self.kernel)
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        inputs = shaping.pad(inputs, [[before, 0] if axis in self.axes else [0, 0] for axis in range(3)])
        return self.convolved(inputs, self.kernel, padding="valid")


# fmt: off
Conv2D = of_rank(2, Conv, '(2, 3, padding="same", activation="relu")(mg.ones([1, 4, 5, 3])).shape', "(1, 4, 5, 2)")
Conv3D = of_rank(3, Conv, "(4, 2)(mg.ones([1, 3, 3, 5, 2])).shape", "(1, 2, 2, 4, 4)")
# fmt: on


class Transposed(Conv):
    """A transposed convolution: inputs of shape {shape} become larger.

    Each element of the input contributes a window of the output, as in the VJP of a convolution. The kernel has shape
    (*kernel_size, filters, channels).

    Args:
        filters: the number of output channels.
        padding: "same": a length n becomes n * stride; "valid": plus the excess of the kernel over the stride.
        output_padding: how much longer the output is than the shortest one that the convolution maps to the input's
            shape; None for the lengths under `padding`.
        The other arguments are those of `Conv2D`, without groups.

    Raises:
        ValueError: see `Conv2D`; or `output_padding` is not less than the strides.
    """

    def __init__(self, filters, kernel_size, strides=1, padding="valid", output_padding=None, data_format=None,
                 dilation_rate=1, activation=None, use_bias=True, **kwargs):  # fmt: skip
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, 1, activation, use_bias,
                         **kwargs)  # fmt: skip
        self.output_padding = None
        if output_padding is not None:
            more = (output_padding,) * self.rank if isinstance(output_padding, int) else tuple(output_padding)
            if any(n >= s for n, s in zip(more, self.strides)):
                problem = "`output_padding` must be strictly less than `strides` for all dimensions."
                raise received(problem, output_padding=more, strides=self.strides)
            self.output_padding = more

    def make_kernels(self):
        self._kernel = self._make("kernel", (*self.kernel_size, self.filters, self.channels))

    def swept(self, inputs):
        lengths = [self.length(inputs.shape[axis], k) for k, axis in enumerate(self.axes)]
        shape = [inputs.shape[0], *lengths]
        shape.insert(self.channels_axis, self.filters)
        back = {1: nn.conv1d_transpose, 2: nn.conv2d_transpose, 3: nn.conv3d_transpose}[self.rank]
        return back(inputs, self.kernel, shape, list(self.strides), self.padding.upper(),
                    self.format, list(self.dilation_rate))  # fmt: skip

    def length(self, places, k):
        """The length of the output along this axis."""
        reach, stride = (self.kernel_size[k] - 1) * self.dilation_rate[k] + 1, self.strides[k]
        if self.output_padding is None:
            return places * stride + (max(reach - stride, 0) if self.padding == "valid" else 0)
        lost = 2 * (reach // 2) if self.padding == "same" else 0
        return (places - 1) * stride + reach - lost + self.output_padding[k]


# fmt: off
Conv1DTranspose = of_rank(
    1, Transposed, '(1, 2, 2, kernel_initializer="ones")(mg.constant([[[1.0], [3.0]]])).numpy().ravel()',
    "[1. 1. 3. 3.]", name="Conv1DTranspose")
Conv2DTranspose = of_rank(
    2, Transposed, "(4, 2, strides=2)(mg.ones([1, 2, 3, 5])).shape", "(1, 4, 6, 4)", name="Conv2DTranspose")
Conv3DTranspose = of_rank(
    3, Transposed, "(4, 2, strides=2)(mg.ones([1, 2, 2, 3, 2])).shape", "(1, 4, 4, 6, 4)", name="Conv3DTranspose")
# fmt: on


class DepthwiseConv(Sweeping):
    """activation(convolution of each channel by itself + bias), for inputs of shape {shape}.

    The kernel has shape (*kernel_size, channels, depth_multiplier); the output has channels * depth_multiplier
    channels.

    Args:
        depth_multiplier: the number of kernels per channel.
        The other arguments are those of `Conv2D`, without filters and groups; those of the kernel are called
            depthwise_initializer, depthwise_regularizer, depthwise_constraint.

    Raises:
        ValueError: an argument is not positive; or (in a call) the input has another number of axes, or of channels
            than the first input.
    """

    kernel_name = "kernel"
    plans: tuple = ("depthwise", "glorot_uniform"), ("bias", "zeros")

    def __init__(self, kernel_size, strides=1, padding="valid", depth_multiplier=1, data_format=None, dilation_rate=1,
                 activation=None, use_bias=True, **kwargs):  # fmt: skip
        self.depth_multiplier = positive("depth_multiplier", depth_multiplier)
        super().__init__(kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, **kwargs)

    def make_kernels(self):
        self.outputs = self.channels * self.depth_multiplier
        shape = (*self.kernel_size, self.channels, self.depth_multiplier)
        self.kernel = self._make("depthwise", shape, self.kernel_name)

    def swept(self, inputs):
        groups = [*self.kernel_size, 1, self.channels * self.depth_multiplier]
        return self.convolved(inputs, shaping.reshape(self.kernel, groups))


class SeparableConv(DepthwiseConv):
    """A convolution of each channel by itself, and then one of all channels at each place, for inputs of shape {shape}.

    Activation and bias belong to the second.

    The weights are `depthwise_kernel`, of shape (*kernel_size, channels, depth_multiplier), `pointwise_kernel`, of
    shape (1, ..., channels * depth_multiplier, filters), and `bias`.

    Args:
        filters: the number of output channels.
        The other arguments are those of `DepthwiseConv2D`; those of the `pointwise_kernel` are called
            pointwise_initializer, pointwise_regularizer, pointwise_constraint.
    """

    kernel_name = "depthwise_kernel"
    plans = (*DepthwiseConv.plans, ("pointwise", "glorot_uniform"))

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
                 depth_multiplier=1, activation=None, use_bias=True, **kwargs):  # fmt: skip
        self.filters = positive("filters", filters)
        super().__init__(kernel_size, strides, padding, depth_multiplier, data_format, dilation_rate, activation,
                         use_bias, **kwargs)  # fmt: skip

    def make_kernels(self):
        super().make_kernels()
        shape = (1,) * self.rank + (self.outputs, self.filters)
        self.depthwise_kernel, self.outputs = self.kernel, self.filters
        self.pointwise_kernel = self._make("pointwise", shape, "pointwise_kernel")

    def swept(self, inputs):
        return nn.convolution(super().swept(inputs), self.pointwise_kernel, data_format=self.format)


# fmt: off
DepthwiseConv1D = of_rank(
    1, DepthwiseConv, '(2, depthwise_initializer="ones")(mg.constant([[[1.0, 2.0], [3.0, 4.0]]])).numpy().ravel()',
    "[4. 6.]")
DepthwiseConv2D = of_rank(
    2, DepthwiseConv, "(2, depth_multiplier=3)(mg.ones([1, 4, 5, 2])).shape", "(1, 3, 4, 6)")
SeparableConv1D = of_rank(1, SeparableConv, "(3, 2, depth_multiplier=2)(mg.ones([1, 5, 2])).shape", "(1, 4, 3)")
SeparableConv2D = of_rank(2, SeparableConv, "(3, 2)(mg.ones([1, 5, 4, 2])).shape", "(1, 4, 3, 3)")
# fmt: on
