"""Pooling layers, and layers without weights that enlarge or pad images."""

from ... import image, math, nn
from ...engine import convert
from ...errors import received, visible
from ...ops import gathering, shaping
from ..activations import as_dtype, as_float
from .sliding import Sliding, along

# ---- pooling -------------------------------------------------------------------------------------------------------


class Pooling(Sliding):
    """The base class of pooling layers: how the window slides."""

    _weightless = True

    def __init__(self, pool_size, strides=None, padding="valid", data_format=None, name=None, **kwargs):
        super().__init__(data_format, name=name, **kwargs)
        self.pool_size = along(self.rank, "pool_size", pool_size)
        self.strides = self.pool_size if strides is None else along(self.rank, "strides", strides)
        self.padding = padding

    def call(self, inputs):
        return self.pooling(inputs, list(self.pool_size), list(self.strides), self.padding.upper(), self.format)


class MaxPooling(Pooling):
    """The maximum of every window."""

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format=None, name=None, **kwargs):
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)

    def pooling(self, *given):
        return nn.max_pool(*given)


class AveragePooling(Pooling):
    """The mean of every window."""

    def pooling(self, *given):
        return nn.avg_pool(*given)


class GlobalPooling(Sliding):
    """One number for each channel of an example."""

    _weightless = True

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        super().__init__(data_format, **kwargs)
        self.keepdims = keepdims


class GlobalAveragePooling(GlobalPooling):
    """The mean of each channel of an example."""

    def call(self, inputs):
        return math.reduce_mean(as_float(inputs), self.axes, self.keepdims)


class GlobalMaxPooling(GlobalPooling):
    """The maximum of each channel of an example."""

    def call(self, inputs):
        return math.reduce_max(inputs, self.axes, self.keepdims)


class MaxPooling1D(MaxPooling, rank=1):
    """The largest number of every window, for inputs of shape (batch, length, channels). See `MaxPooling2D`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.MaxPooling1D(2)(mg.constant([[[1.0], [2.0], [4.0], [3.0]]])).numpy().ravel())
    [2. 4.]
    """


class MaxPooling2D(MaxPooling, rank=2):
    """The largest number of every window, for inputs of shape (batch, height, width, channels).

    Args:
        pool_size: height and width of a window: an int, or two.
        strides: the step from one window to the next; by default the size of the window.
        padding: "valid": windows stay inside the image; "same": there are as many windows as pixels, divided by the
            stride.
        data_format: "channels_last", or "channels_first" for inputs of shape (batch, channels, height, width).
        name: of the layer.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: a size or stride is not positive; or (in a call) the input does not have four axes.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.MaxPooling2D()(mg.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])).numpy().ravel())
    [4.]
    """


class MaxPooling3D(MaxPooling, rank=3):
    """The largest number of every window, for inputs of shape (batch, depth, height, width, channels).

    See `MaxPooling2D`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.MaxPooling3D(2)(mg.ones([1, 2, 4, 5, 3])).shape)
    (1, 1, 2, 2, 3)
    """


class AveragePooling1D(AveragePooling, rank=1):
    """The mean of every window, for inputs of shape (batch, length, channels). See `MaxPooling2D`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.AveragePooling1D(2)(mg.constant([[[1.0], [2.0], [4.0], [3.0]]])).numpy().ravel())
    [1.5 3.5]
    """


class AveragePooling2D(AveragePooling, rank=2):
    """The mean of every window, for inputs of shape (batch, height, width, channels). See `MaxPooling2D`.

    Elements of a window outside of the image are ignored.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.AveragePooling2D(2)(mg.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])).numpy().ravel())
    [2.5]
    """


class AveragePooling3D(AveragePooling, rank=3):
    """The mean of every window, for inputs of shape (batch, depth, height, width, channels). See `MaxPooling2D`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.AveragePooling3D(2)(mg.ones([1, 2, 4, 5, 3])).shape)
    (1, 1, 2, 2, 3)
    """


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
        x = as_float(inputs)
        seen = as_dtype(shaping.expand_dims(mask, self.channels_axis), x.dtype)
        total = math.reduce_sum(x * seen, self.axes, self.keepdims)
        return total / math.reduce_sum(seen, self.axes, self.keepdims)


class GlobalAveragePooling2D(GlobalAveragePooling, rank=2):
    """The mean of each channel: inputs of shape (batch, height, width, channels) become (batch, channels).

    Args:
        data_format: "channels_last", or "channels_first" for inputs of shape (batch, channels, height, width).
        keepdims: keep the other axes, with length 1.
        **kwargs: those of `Layer`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.GlobalAveragePooling2D()(mg.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])).numpy())
    [[2.5]]
    """


class GlobalAveragePooling3D(GlobalAveragePooling, rank=3):
    """The mean of each channel: inputs of shape (batch, depth, height, width, channels) become (batch, channels).

    >>> import minigrad as mg
    >>> print(mg.keras.layers.GlobalAveragePooling3D()(mg.ones([1, 2, 4, 5, 3])).shape)
    (1, 3)
    """


class GlobalMaxPooling1D(GlobalMaxPooling, rank=1):
    """The largest number of each channel: inputs of shape (batch, length, channels) become (batch, channels).

    >>> import minigrad as mg
    >>> print(mg.keras.layers.GlobalMaxPooling1D()(mg.constant([[[1.0], [2.0], [6.0]]])).numpy())
    [[6.]]
    """


class GlobalMaxPooling2D(GlobalMaxPooling, rank=2):
    """The largest number of each channel: inputs of shape (batch, height, width, channels) become (batch, channels).

    >>> import minigrad as mg
    >>> print(mg.keras.layers.GlobalMaxPooling2D()(mg.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])).numpy())
    [[4.]]
    """


class GlobalMaxPooling3D(GlobalMaxPooling, rank=3):
    """The largest number of each channel of volumes: the output has shape (batch, channels).

    >>> import minigrad as mg
    >>> print(mg.keras.layers.GlobalMaxPooling3D()(mg.ones([1, 2, 4, 5, 3])).shape)
    (1, 3)
    """


# ---- larger and smaller --------------------------------------------------------------------------------------------


class UpSampling(Sliding):
    """Each element of an example repeated along each axis."""

    def __init__(self, size=2, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        self.size = along(self.rank, "size", size)

    def call(self, inputs):
        for axis, count in zip(self.axes, self.size):
            inputs = gathering.repeat(inputs, count, axis)
        return inputs


class UpSampling1D(UpSampling, rank=1):
    """Each step of sequences repeated `size` times: inputs of shape (batch, length, channels) become longer.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.UpSampling1D(2)(mg.constant([[[1.0], [3.0]]])).numpy().ravel())
    [1. 1. 3. 3.]
    """

    def __init__(self, size=2, **kwargs):
        if not isinstance(size, int) or isinstance(size, bool):
            kind = type(size).__name__
            raise TypeError(f"Expected an integer value for `size`. Received: size={visible(size)} of type {kind}")
        if size <= 0:
            raise received("The `size` argument should be a positive integer.", size=size)
        super().__init__(size, **kwargs)


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
        images = shaping.transpose(inputs, [0, 2, 3, 1]) if first else convert(inputs)
        resized = image.resize(images, [n * k for n, k in zip(images.shape[1:3], self.size)], self.interpolation)
        return shaping.transpose(resized, [0, 3, 1, 2]) if first else resized


class UpSampling3D(UpSampling, rank=3):
    """Each element of volumes repeated: inputs of shape (batch, depth, height, width, channels) become larger.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.UpSampling3D(2)(mg.ones([1, 2, 4, 5, 3])).shape)
    (1, 4, 8, 10, 3)
    """


def margins(rank, name, given):
    """A pair of ints for each axis, from one number, one for each axis, or one pair for each axis.

    Raises:
        ValueError: there is a wrong number of them, or one is not a non-negative int or a pair of such.
    """
    pairs = (given,) * rank if isinstance(given, int) else given
    if not isinstance(pairs, (tuple, list)) or len(pairs) != rank:
        words = {1: "one element", 2: "two elements", 3: "three elements"}[rank]
        raise ValueError(f"`{name}` should have {words}. Received: {name}={visible(given)}.")
    pairs = [(one, one) if isinstance(one, int) else one for one in pairs]
    for pair in pairs:
        both = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(n, int) and n >= 0 for n in pair)
        if not both:
            raise received(f"`{name}` should have ints of at least 0, or pairs of them.", **{name: given})
    return tuple(map(tuple, pairs))


class ZeroPadding(Sliding):
    """Zeros around each example."""

    def __init__(self, padding=1, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        self.padding = self.around = margins(self.rank, "padding", padding)

    def call(self, inputs):
        inputs = convert(inputs)
        around = dict(zip(self.axes, self.around))
        return shaping.pad(inputs, [around.get(axis, (0, 0)) for axis in range(inputs.ndim)])


class ZeroPadding1D(ZeroPadding, rank=1):
    """Zeros before and after sequences of shape (batch, length, channels).

    Args:
        padding: the number of zeros: an int, or a pair for before and after.
        data_format: "channels_last" or "channels_first".
        **kwargs: those of `Layer`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.ZeroPadding1D((1, 2))(mg.constant([[[1.0], [3.0]]])).numpy().ravel())
    [0. 1. 3. 0. 0.]
    """

    def __init__(self, padding=1, data_format=None, **kwargs):
        super().__init__(padding if isinstance(padding, int) else (padding,), data_format, **kwargs)
        self.padding = self.around[0]


class ZeroPadding2D(ZeroPadding, rank=2):
    """Zeros around images of shape (batch, height, width, channels).

    Args:
        padding: the number of zeros: an int; two, for height and width; or two pairs, for before and after.
        data_format: "channels_last", or "channels_first" for inputs of shape (batch, channels, height, width).
        **kwargs: those of `Layer`.

    Raises:
        ValueError: `padding` does not have two elements; or (in a call) the input does not have four axes.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.ZeroPadding2D(((1, 0), (0, 2)))(mg.constant([[[[1.0], [3.0]]]])).numpy()[0, :, :, 0])
    [[0. 0. 0. 0.]
     [1. 3. 0. 0.]]
    """


class ZeroPadding3D(ZeroPadding, rank=3):
    """Zeros around volumes of shape (batch, depth, height, width, channels); the arguments are as for `ZeroPadding2D`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.ZeroPadding3D((1, 2, (0, 3)))(mg.ones([1, 2, 2, 2, 1])).shape)
    (1, 4, 6, 5, 1)
    """
