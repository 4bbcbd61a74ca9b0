"""Pooling layers, and layers that make images larger or smaller without weights."""

from ... import math, nn
from ...engine import convert
from ...errors import received, visible
from ...ops import gathering, shaping
from ..activations import as_float
from .sliding import Sliding, along

# ---- pooling -------------------------------------------------------------------------------------------------------


class Pooling(Sliding):
    """What the pooling layers share: how the window slides."""

    _weightless = True

    def __init__(self, pool_size, strides=None, padding="valid", data_format=None, name=None, **kwargs):
        super().__init__(data_format, name=name, **kwargs)
        self.pool_size = along(self.rank, "pool_size", pool_size)
        self.strides = self.pool_size if strides is None else along(self.rank, "strides", strides)
        self.padding = padding

    def call(self, inputs):
        return self.pooling(inputs, list(self.pool_size), list(self.strides), self.padding.upper(), self.format)


class MaxPooling(Pooling):
    """The largest number of every window."""

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
    """The largest number of each channel of an example."""

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
        strides: how far it goes from one place to the next; None for its own size.
        padding: "valid": no window leaves the image; "same": there are as many places as pixels, divided by the stride.
        data_format: "channels_last", or "channels_first" for inputs of shape (batch, channels, height, width).
        name: of the layer.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: a size or stride is not positive; or (in a call) the input has not four axes.

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

    What a window has outside of the image does not count.

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

    >>> import minigrad as mg
    >>> print(mg.keras.layers.GlobalAveragePooling1D()(mg.constant([[[1.0], [2.0], [6.0]]])).numpy())
    [[3.]]
    """


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
    """Each element of an example several times along each axis."""

    def __init__(self, size=2, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        self.size = along(self.rank, "size", size)

    def call(self, inputs):
        for axis, count in zip(self.axes, self.size):
            inputs = gathering.repeat(inputs, count, axis)
        return inputs


class UpSampling1D(UpSampling, rank=1):
    """Each step of sequences `size` times: inputs of shape (batch, length, channels) become longer.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.UpSampling1D(2)(mg.constant([[[1.0], [3.0]]])).numpy().ravel())
    [1. 1. 3. 3.]
    """

    def __init__(self, size=2, **kwargs):
        super().__init__(size, **kwargs)


class UpSampling2D(UpSampling, rank=2):
    """Each pixel several times: inputs of shape (batch, height, width, channels) become larger.

    Args:
        size: how often down and across: an int, or two.
        data_format: "channels_last", or "channels_first" for inputs of shape (batch, channels, height, width).
        interpolation: only "nearest".
        **kwargs: those of `Layer`.

    Raises:
        ValueError: `size` is not positive, or there is no such interpolation; or (in a call) there are not four axes.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.UpSampling2D(2)(mg.constant([[[[1.0], [3.0]]]])).numpy()[0, :, :, 0])
    [[1. 1. 3. 3.]
     [1. 1. 3. 3.]]
    """

    def __init__(self, size=2, data_format=None, interpolation="nearest", **kwargs):
        if interpolation != "nearest":
            raise received('`interpolation` can be "nearest" alone.', interpolation=interpolation)
        super().__init__(size, data_format, **kwargs)


class UpSampling3D(UpSampling, rank=3):
    """Each element of volumes several times: inputs of shape (batch, depth, height, width, channels) become larger.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.UpSampling3D(2)(mg.ones([1, 2, 4, 5, 3])).shape)
    (1, 4, 8, 10, 3)
    """


def margins(rank, name, given):
    """A pair for each axis, of one number, of one for each axis, or of pairs.

    Raises:
        ValueError: there are not so many.
    """
    pairs = (given,) * rank if isinstance(given, int) else given
    if not isinstance(pairs, (tuple, list)) or len(pairs) != rank:
        words = {1: "one element", 2: "two elements", 3: "three elements"}[rank]
        raise ValueError(f"`{name}` should have {words}. Received: {name}={visible(given)}.")
    return tuple([(one, one) if isinstance(one, int) else tuple(one) for one in pairs])


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
        padding: how many: an int, or a pair for before and after.
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
        padding: how many: an int; two, for height and width; or two pairs, for before and after.
        data_format: "channels_last", or "channels_first" for inputs of shape (batch, channels, height, width).
        **kwargs: those of `Layer`.

    Raises:
        ValueError: `padding` has not two elements; or (in a call) the input has not four axes.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.ZeroPadding2D(((1, 0), (0, 2)))(mg.constant([[[[1.0], [3.0]]]])).numpy()[0, :, :, 0])
    [[0. 0. 0. 0.]
     [1. 3. 0. 0.]]
    """
