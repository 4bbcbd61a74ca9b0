"""Layers with weights: Dense, Embedding, BatchNormalization and LayerNormalization."""

import warnings

import numpy as np

from ... import linalg, math, nn
from ...engine import convert, dtypes
from ...errors import received, visible
from ...ops import creation, gathering, shaping
from .. import activations, initializers
from ..activations import as_dtype
from ..losses import EPSILON
from ..variable import Variable
from .base import Layer, check_rank, incompatible


def made_in_build(weight, doc):
    """The property for a weight that `build` keeps in an attribute with an underscore."""

    attribute = f"_{weight}"

    def made(self) -> Variable:
        if attribute not in self.__dict__:
            raise AttributeError(f"You must build the layer before accessing `{weight}`.")
        return self.__dict__[attribute]

    return property(made, doc=doc)


class Dense(Layer):
    """activation(inputs @ kernel + bias), for inputs of shape (..., features): the output has shape (..., units).

    The kernel has shape (features, units) and the bias (units,).

    Args:
        units: the number of outputs.
        activation: a name, a function, or None.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: names or initializers.
        kernel_regularizer, bias_regularizer: names or functions of a weight.
        activity_regularizer: a name or a function of the output.
        kernel_constraint, bias_constraint: names or functions of a weight.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: `units` is not a positive int; or (in a call) the input has fewer than two axes, or the number of
            features differs from that of the first input.

    >>> import minigrad as mg
    >>> layer = mg.keras.layers.Dense(2, activation="relu", kernel_initializer="ones")
    >>> print(layer(mg.constant([[1.0, 2.0]])).numpy(), layer.kernel.shape)
    [[3. 3.]] (2, 2)
    """

    supports_masking = True
    plans = ("kernel", "glorot_uniform"), ("bias", "zeros")
    kernel = made_in_build("kernel", "The matrix of weights, of shape (features, units).")

    def __init__(self, units, activation=None, use_bias=True, **kwargs):
        if not isinstance(units, int) or units <= 0:
            raise received("Received an invalid value for `units`, expected a positive integer.", units=units)
        super().__init__(**kwargs)
        self.units, self.use_bias, self.activation = units, use_bias, activations.get(activation)

    def build(self, input_shape):
        self._kernel = self._make("kernel", (input_shape[-1], self.units))
        self.bias = self._make("bias", (self.units,)) if self.use_bias else None

    def _check_input(self, inputs):
        check_rank(self, inputs, 2)
        if self.built and inputs.shape[-1] != self.kernel.shape[0]:
            wanted = f"expected axis -1 of input shape to have value {self.kernel.shape[0]}"
            shape = (*[None] * (len(inputs.shape) - 1), self.kernel.shape[0])
            raise incompatible(self, f"{wanted}, but received input with shape {tuple(inputs.shape)}", inputs, shape)

    def call(self, inputs):
        inputs = convert(inputs)
        dtype = dtypes.complex64 if inputs.dtype.is_complex else self.dtype
        if not self.autocast and inputs.dtype.is_floating:
            dtype = np.result_type(inputs.dtype.dtype, dtype)
        outputs = linalg.matmul(as_dtype(inputs, dtype), as_dtype(self.kernel, dtype))
        if self.use_bias:
            outputs = outputs + as_dtype(self.bias, dtype)
        return outputs if self.activation is None else self.activation(outputs)


class Embedding(Layer):
    """A table of vectors, looked up by index: for inputs of shape (...) the output has shape (..., output_dim).

    Negative indices count from the end. The gradient of the table is an `mg.IndexedSlices` of the rows looked up.

    Args:
        input_dim: the number of rows.
        output_dim: the length of a row.
        embeddings_initializer: a name or an initializer.
        embeddings_regularizer: a name or a function of the table.
        embeddings_constraint: a name or a function of the table.
        mask_zero: whether the index 0 is padding, which later layers and the loss ignore.
        weights: the table, or a list that contains it.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: a length is not a positive int.

    >>> import minigrad as mg
    >>> table = mg.keras.layers.Embedding(3, 2, mg.keras.initializers.Constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> print(table(mg.constant([0, -1])).numpy())
    [[1. 2.]
     [5. 6.]]
    """

    plans = (("embeddings", "uniform"),)
    embeddings = made_in_build("embeddings", "The table, of shape (input_dim, output_dim).")

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", mask_zero=False, weights=None,
                 **kwargs):  # fmt: skip
        for name, length in (("input_dim", input_dim), ("output_dim", output_dim)):
            if not isinstance(length, int) or isinstance(length, bool) or length <= 0:
                given = f"Received: {name}={visible(length)} (of type {type(length).__name__})."
                raise ValueError(f"`{name}` must be a positive integer. {given}")
        if kwargs.pop("input_length", None) is not None:
            warnings.warn("Argument `input_length` is deprecated. Just remove it.", stacklevel=2)
        super().__init__(embeddings_initializer=embeddings_initializer, **kwargs)
        self.input_dim, self.output_dim, self.mask_zero = input_dim, output_dim, mask_zero
        self.supports_masking = mask_zero
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, list) and len(weights) == 1 else [weights])

    def build(self, input_shape=None):
        self._embeddings = self._make("embeddings", (self.input_dim, self.output_dim))

    def compute_mask(self, inputs, mask=None):
        return math.not_equal(inputs, 0) if self.mask_zero else None

    def call(self, inputs):
        inputs = inputs if inputs.dtype in (dtypes.int32, dtypes.int64) else creation.cast(inputs, dtypes.int32)
        return gathering.gather(self.embeddings, gathering.where(inputs < 0, inputs + self.input_dim, inputs))


class Normalization(Layer):
    """The base class of normalization layers: a factor `gamma` and an offset `beta` along one or more axes."""

    supports_masking = True
    plans: tuple = ("beta", "zeros"), ("gamma", "ones")

    def __init__(self, axis, epsilon, center, scale, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale

    @property
    def axes(self) -> list:
        """The axes of the input along which the weights vary, sorted."""
        return sorted(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]

    def build(self, input_shape):
        shape = [input_shape[axis] for axis in self.axes]
        self.gamma = self._make("gamma", shape) if self.scale else None
        self.beta = self._make("beta", shape) if self.center else None

    def normalized(self, x, mean, variance):
        """gamma * (x - mean) / sqrt(variance + epsilon) + beta."""
        beta, gamma = (None if weight is None else self.broadcastable(weight, x) for weight in (self.beta, self.gamma))
        return nn.batch_normalization(x, mean, variance, beta, gamma, self.epsilon)

    def broadcastable(self, weight, x):
        """A weight in the dtype of x, reshaped so that it broadcasts along the other axes of x."""
        weight, axes = as_dtype(weight, x.dtype), [axis % x.ndim for axis in self.axes]
        if axes == [x.ndim - 1]:
            return weight
        return shaping.reshape(weight, [n if i in axes else 1 for i, n in enumerate(x.shape)])


def as_wide_float(x):
    """Convert x to floats of at least 32 bits, for sums of squares."""
    x = convert(x)
    return x if x.dtype in (dtypes.float32, dtypes.float64) else creation.cast(x, dtypes.float32)


class BatchNormalization(Normalization):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta for each feature (Ioffe and Szegedy, 2015).

    In training, mean and variance are taken over all other axes, and update the moving averages; otherwise the moving
    averages are used. The output has the shape of the input; all weights have shape (features,). In a call, a `mask`
    with one axis less than the input says which examples count.

    Args:
        axis: the axis of the features.
        momentum: the weight of the old value in a moving average: `average * momentum + value * (1 - momentum)`.
        epsilon: added to the variance.
        center: whether there is an offset `beta`.
        scale: whether there is a factor `gamma`.
        beta_initializer, gamma_initializer: names or initializers.
        moving_mean_initializer, moving_variance_initializer: names or initializers.
        beta_regularizer, gamma_regularizer: names or functions of a weight.
        beta_constraint, gamma_constraint: names or functions of a weight.
        synchronized: accepted as in Keras, without effect.
        **kwargs: those of `Layer`.

    >>> import minigrad as mg
    >>> layer = mg.keras.layers.BatchNormalization(epsilon=0.0)
    >>> print(layer(mg.constant([[1.0], [3.0]]), training=True).numpy().ravel(), layer.moving_mean.numpy())
    [-1.  1.] [0.02]
    """

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, synchronized=False,
                 moving_mean_initializer="zeros", moving_variance_initializer="ones", **kwargs):  # fmt: skip
        super().__init__(int(axis), float(epsilon), center, scale, **kwargs)
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)
        self.momentum = float(momentum)
        self.gamma = self.beta = self.moving_mean = self.moving_variance = None

    def build(self, input_shape):
        super().build(input_shape)
        mean, variance = self.moving_mean_initializer, self.moving_variance_initializer
        shape = (input_shape[self.axis],)
        self.moving_mean = self.add_weight(shape, mean, trainable=False, name="moving_mean")
        self.moving_variance = self.add_weight(shape, variance, trainable=False, name="moving_variance")

    def call(self, inputs, training=None, mask=None):
        x = as_wide_float(inputs)
        if mask is not None and len(mask.shape) != x.ndim - 1:
            shapes = f"mask.shape={tuple(mask.shape)}, inputs.shape={tuple(x.shape)}"
            raise ValueError(f"The mask provided should be one dimension less than the inputs. Received: {shapes}")
        if training and self.trainable:
            mean, variance = self.moments(x, mask)
            self.update_average(self.moving_mean, mean)
            self.update_average(self.moving_variance, variance)
        else:
            mean, variance = self.moving_mean, self.moving_variance
        mean, variance = self.broadcastable(mean, x), self.broadcastable(variance, x)
        return as_dtype(self.normalized(x, mean, variance), self.dtype)

    def moments(self, x, mask):
        """The mean and the variance of each feature, over the examples where the mask is True."""
        axes = [axis for axis in range(x.ndim) if axis != self.axis % x.ndim]
        if mask is None:
            return nn.moments(x, axes)
        counted = shaping.broadcast_to(shaping.expand_dims(creation.cast(mask, dtypes.bool), -1), x.shape)
        nothing, count = creation.zeros_like(x), math.reduce_sum(as_dtype(counted, x.dtype), axes, True) + EPSILON
        mean = math.reduce_sum(gathering.where(counted, x, nothing), axes, True) / count
        variance = math.reduce_sum(math.square(gathering.where(counted, x - mean, nothing)), axes, True) / count
        return shaping.squeeze(mean, axes), shaping.squeeze(variance, axes)

    def update_average(self, average, value):
        """Assign `average * momentum + value * (1 - momentum)` to an average, computed in the dtype of the value."""
        old = average.numpy().astype(value.value.dtype)
        average.value.assign(old * self.momentum + value.value * (1 - self.momentum))


class LayerNormalization(Normalization):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with the moments of each example (Ba et al., 2016).

    Mean and variance are taken along `axis`, and `gamma` and `beta` have the lengths of these axes. The output has the
    shape of the input.

    Args:
        axis: an axis, or a list of axes.
        epsilon: added to the variance.
        center: whether there is an offset `beta`.
        scale: whether there is a factor `gamma`.
        rms_scaling: compute gamma * x / sqrt(variance + epsilon) instead.
        beta_initializer, gamma_initializer: names or initializers.
        beta_regularizer, gamma_regularizer: names or functions of a weight.
        beta_constraint, gamma_constraint: names or functions of a weight.
        **kwargs: those of `Layer`.

    Raises:
        TypeError: the axis is neither an int nor a list of ints.

    >>> import minigrad as mg
    >>> layer = mg.keras.layers.LayerNormalization(axis=[1, 2], epsilon=0.0)
    >>> print(layer(mg.constant([[[1.0, 3.0], [3.0, 1.0]]])).numpy(), layer.gamma.shape)
    [[[-1.  1.]
      [ 1. -1.]]] (2, 2)
    """

    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, rms_scaling=False, **kwargs):
        if not isinstance(axis, (int, list, tuple)):
            problem = "Expected an int or a list/tuple of ints for the argument 'axis', but received:"
            raise TypeError(f"{problem} {visible(axis)}")
        super().__init__(axis, epsilon, center and not rms_scaling, scale or rms_scaling, **kwargs)
        self.rms_scaling = rms_scaling

    def call(self, inputs):
        x = as_wide_float(inputs)
        mean, variance = nn.moments(x, self.axes, keepdims=True)
        if self.rms_scaling:
            y = x * math.rsqrt(variance + self.epsilon) * self.broadcastable(self.gamma, x)
        else:
            y = self.normalized(x, mean, variance)
        return as_dtype(as_dtype(y, inputs.dtype), self.dtype)  # as in Keras, rounded to the dtype of the inputs
