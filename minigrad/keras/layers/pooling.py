"""Pooling layers, and layers without weights that enlarge or pad images."""

from ... import image, math, nn
from ...errors import received, visible
from ...ops import gathering, shaping
from ..activations import as_dtype, as_float
from .sliding import Sliding, along, of_rank

# ---- pooling -------------------------------------------------------------------------------------------------------


class Pooling(Sliding):
    """The base class of pooling layers: how the window slides."""

    _weightless = True

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format=None, name=None, **kwargs):
        super().__init__(data_format, name=name, **kwargs)
        self.pool_size = along(self.rank, "pool_size", pool_size)
        self.strides = self.pool_size if strides is None else along(self.rank, "strides", strides)
        self.padding = padding

    def pooled(self, pool, inputs):
        if self.padding.lower() == "valid":
            self.check_places(inputs, self.pool_size, pool_size=self.pool_size)
        return pool(inputs, list(self.pool_size), list(self.strides), self.padding.upper(), self.format)


class MaxPooling(Pooling):
    """The largest number of every window, for inputs of shape {shape}.

    Args:
        pool_size: the lengths of a window: an int, or one for each axis.
        strides: the step from one window to the next; by default the size of the window.
        padding: "valid": windows stay inside the image; "same": there are as many windows as pixels, divided by the
            stride.
        data_format: "channels_last", or "channels_first" for inputs whose channels come after the batch.
        name: of the layer.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: a size or stride is not positive; or (in a call) the input has another number of axes, or no place
            for a window.
    """

    def call(self, inputs):
        return self.pooled(nn.max_pool, inputs)


class AveragePooling(Pooling):
    """The mean of every window, for inputs of shape {shape}.

    Elements of a window outside of the image are ignored. The arguments are those of `MaxPooling2D`.
    """

    def call(self, inputs):
        return self.pooled(nn.avg_pool, inputs)


class GlobalPooling(Sliding):
    """One number for each channel of an example."""

    _weightless = True

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        super().__init__(data_format, **kwargs)
        self.keepdims = keepdims


class GlobalAveragePooling(GlobalPooling):
    """The mean of each channel: inputs of shape {shape} become (batch, channels).

    Args:
        data_format: "channels_last", or "channels_first" for inputs whose channels come after the batch.
        keepdims: keep the other axes, with length 1.
        **kwargs: those of `Layer`.
    """

    def call(self, inputs):
        return math.reduce_mean(as_float(inputs), self.axes, self.keepdims)


class GlobalMaxPooling(GlobalPooling):
    """The largest number of each channel: inputs of shape {shape} become (batch, channels).

    The arguments are those of `GlobalAveragePooling2D`.
    """

    def call(self, inputs):
        return math.reduce_max(inputs, self.axes, self.keepdims)


class GlobalAveragePooling1D(GlobalAveragePooling, rank=1):
    """The mean of each channel: inputs of shape (batch, length, channels) become (batch, channels).

    Steps where a mask of shape (batch, length) is False are ignored.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.GlobalAveragePooling1D()(mg.constant([[[1.0], [2.0], [6.0]]])).numpy())
    [[3.]]
    """

    supports_masking = True

    def compute_mask(self, inputs, mask=None):
        """None: the output does not have the steps that the mask is for."""

    def call(self, inputs, mask=None):
        if mask is None:
            return super().call(inputs)
        seen = as_dtype(shaping.expand_dims(mask, self.channels_axis), inputs.dtype)
        total = math.reduce_sum(inputs * seen, self.axes, self.keepdims)
        return total / math.reduce_sum(seen, self.axes, self.keepdims)


# fmt: off
MaxPooling1D = of_rank(1, MaxPooling, "(2)(mg.constant([[[1.0], [2.0], [4.0], [3.0]]])).numpy().ravel()", "[2. 4.]")
MaxPooling2D = of_rank(2, MaxPooling, "()(mg.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])).numpy().ravel()", "[4.]")
MaxPooling3D = of_rank(3, MaxPooling, "(2)(mg.ones([1, 2, 4, 5, 3])).shape", "(1, 1, 2, 2, 3)")
AveragePooling1D = of_rank(
    1, AveragePooling, "(2)(mg.constant([[[1.0], [2.0], [4.0], [3.0]]])).numpy().ravel()", "[1.5 3.5]")
AveragePooling2D = of_rank(
    2, AveragePooling, "()(mg.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])).numpy().ravel()", "[2.5]")
AveragePooling3D = of_rank(3, AveragePooling, "(2)(mg.ones([1, 2, 4, 5, 3])).shape", "(1, 1, 2, 2, 3)")
GlobalAveragePooling2D = of_rank(
    2, GlobalAveragePooling, "()(mg.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])).numpy()", "[[2.5]]")
GlobalAveragePooling3D = of_rank(3, GlobalAveragePooling, "()(mg.ones([1, 2, 4, 5, 3])).shape", "(1, 3)")
GlobalMaxPooling1D = of_rank(1, GlobalMaxPooling, "()(mg.constant([[[1.0], [2.0], [6.0]]])).numpy()", "[[6.]]")
GlobalMaxPooling2D = of_rank(
    2, GlobalMaxPooling, "()(mg.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])).numpy()", "[[4.]]")
GlobalMaxPooling3D = of_rank(3, GlobalMaxPooling, "()(mg.ones([1, 2, 4, 5, 3])).shape", "(1, 3)")
# fmt: on


# ---- larger and smaller --------------------------------------------------------------------------------------------


class UpSampling(Sliding):
    """Each element repeated `size` times along each axis: inputs of shape {shape} become larger.

    Args:
        size: the number of repetitions: an int, or one for each axis.
        data_format: "channels_last", or "channels_first" for inputs whose channels come after the batch.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: `size` is not positive; or (in a call) the input has another number of axes.
    """

    def __init__(self, size=2, data_format=None, **kwargs):
        if self.rank == 1 and (not isinstance(size, int) or isinstance(size, bool)):
            raise received("Expected an integer value for `size`.", TypeError, size=size)
        if self.rank == 1 and size <= 0:
            raise received("The `size` argument should be a positive integer.", size=size)
        super().__init__(data_format, **kwargs)
        self.size = along(self.rank, "size", size)

    def call(self, inputs):
        for axis, count in zip(self.axes, self.size):
            inputs = gathering.repeat(inputs, count, axis)
        return inputs


class UpSampling2D(UpSampling, rank=2):
    """Each pixel repeated: inputs of shape (batch, height, width, channels) become larger.

    Args:
        size: the number of repetitions down and across: an int, or two.
        data_format: "channels_last", or "channels_first" for inputs of shape (batch, channels, height, width).
        interpolation: "nearest", or "bilinear" for weighted means of the nearest pixels; see `mg.image.resize`.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: `size` is not positive, there is no such interpolation, or (in a call) there are not four axes.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.UpSampling2D(2)(mg.constant([[[[1.0], [3.0]]]])).numpy()[0, :, :, 0])
    [[1. 1. 3. 3.]
     [1. 1. 3. 3.]]
    """

    def __init__(self, size=2, data_format=None, interpolation="nearest", **kwargs):
        if interpolation not in image.METHODS:
            known = [*image.METHODS]
            raise received(f"The `interpolation` argument must be one of {known}.", interpolation=interpolation)
        super().__init__(size, data_format, **kwargs)
        self.interpolation = interpolation

    def call(self, inputs):
        if self.interpolation == "nearest":
            return super().call(inputs)
        first = self.data_format == "channels_first"
        images = shaping.transpose(inputs, [0, 2, 3, 1]) if first else inputs
        resized = image.resize(images, [k * n for k, n in zip(self.size, images.shape[1:])], self.interpolation)
        return shaping.transpose(resized, [0, 3, 1, 2]) if first else resized


def margins(rank, name, given):
    """A pair of ints for each axis, from one number, one for each axis, or one pair for each axis.

    Raises:
        ValueError: there is a wrong number of them, or one is not a non-negative int or a pair of such.
    """
    pairs = (given,) * rank if isinstance(given, int) or rank == 1 else given
    if not isinstance(pairs, (tuple, list)) or len(pairs) != rank:
        words = {2: "two elements", 3: "three elements"}[rank]
        raise ValueError(f"`{name}` should have {words}. Received: {name}={visible(given)}.")
    pairs = [(one, one) if isinstance(one, int) else one for one in pairs]
    for pair in pairs:
        both = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(n, int) and n >= 0 for n in pair)
        if not both:
            raise received(f"`{name}` should have ints of at least 0, or pairs of them.", **{name: given})
    return tuple(map(tuple, pairs))


class ZeroPadding(Sliding):
    """Zeros around each example, for inputs of shape {shape}.

    Args:
        padding: the number of zeros: an int; or for each axis an int, or a pair for before and after. (Along one axis:
            an int, or a pair.)
        data_format: "channels_last", or "channels_first" for inputs whose channels come after the batch.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: `padding` does not fit; or (in a call) the input has another number of axes.
    """

    def __init__(self, padding=1, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        self.around = margins(self.rank, "padding", padding)
        self.padding = self.around if self.rank > 1 else self.around[0]

    def call(self, inputs):
        around = dict(zip(self.axes, self.around))
        return shaping.pad(inputs, [around.get(axis, (0, 0)) for axis in range(self.rank + 2)])


# fmt: off
UpSampling1D = of_rank(1, UpSampling, "(2)(mg.constant([[[1.0], [3.0]]])).numpy().ravel()", "[1. 1. 3. 3.]")
UpSampling3D = of_rank(3, UpSampling, "(2)(mg.ones([1, 2, 4, 5, 3])).shape", "(1, 4, 8, 10, 3)")
ZeroPadding1D = of_rank(
    1, ZeroPadding, "((1, 2))(mg.constant([[[1.0], [3.0]]])).numpy().ravel()", "[0. 1. 3. 0. 0.]")
ZeroPadding2D = of_rank(
    2, ZeroPadding, "(((1, 0), (0, 2)))(mg.constant([[[[1.0], [3.0]]]])).numpy().ravel()", "[0. 0. 0. 0. 1. 3. 0. 0.]")
ZeroPadding3D = of_rank(3, ZeroPadding, "((1, 2, (0, 3)))(mg.ones([1, 2, 2, 2, 1])).shape", "(1, 4, 6, 5, 1)")
# fmt: on
