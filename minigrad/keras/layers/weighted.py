"""Layers with weights: Dense, Embedding, normalization."""

import warnings

from ... import linalg, nn
from ...engine import dtypes
from ...engine.op import convert
from ...keras import activations, initializers, regularizers
from ...ops import creation, gathering, shaping
from ..activations import as_dtype
from ..variable import Variable
from .base import Layer, check_axes

# ---- layers with weights -------------------------------------------------------------------------------------------


class Dense(Layer):
    """activation(inputs @ kernel + bias).

    Args:
        units: how many outputs.
        activation: a name, a function, or None for none.
        use_bias: is there a bias?
        kernel_initializer, bias_initializer: names or initializers.
        kernel_regularizer, bias_regularizer: names or functions of a weight.
        kernel_constraint, bias_constraint: functions of a weight.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: `units` is no positive int; or, in a call, the input has another last axis than the first one had.

    >>> import minigrad as mg
    >>> layer = mg.keras.layers.Dense(2, activation="relu", kernel_initializer="ones")
    >>> print(layer(mg.constant([[1.0, 2.0]])).numpy(), layer.kernel.shape)
    [[3. 3.]] (2, 2)
    """

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, **kwargs):  # fmt: skip
        if not isinstance(units, int) or units <= 0:
            raise ValueError(f"Received an invalid value for `units`, expected a positive integer. Received: units={units}")
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.use_bias, self.activation = units, use_bias, activations.get(activation)
        self.kernel_initializer, self.bias_initializer = initializers.get(kernel_initializer), initializers.get(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = regularizers.get(kernel_regularizer), regularizers.get(bias_regularizer)
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self._kernel = None

    def build(self, input_shape):
        self._kernel = self.add_weight(
            (input_shape[-1], self.units), self.kernel_initializer, regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint, name="kernel",
        )  # fmt: skip
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                (self.units,), self.bias_initializer, regularizer=self.bias_regularizer, constraint=self.bias_constraint, name="bias"
            )

    @property
    def kernel(self) -> Variable:
        """The matrix of weights.

        Raises:
            AttributeError: the layer was not built yet.
        """
        if self._kernel is None:
            raise AttributeError("You must build the layer before accessing `kernel`.")
        return self._kernel

    def _build_for(self, args, kwargs):
        for x in [*args, *kwargs.values()][:1]:
            check_axes(self, x, 2)
            if self.built and x.shape[-1] != self.kernel.shape[0]:
                raise ValueError(
                    f"Input 0 with name 'None' of layer '{self.name}' is incompatible with the layer: expected axis -1 of input shape "
                    f"to have value {self.kernel.shape[0]}, but received input with shape {tuple(x.shape)}"
                )
        super()._build_for(args, kwargs)

    def call(self, inputs):
        inputs = convert(inputs)
        dtype = dtypes.complex64 if inputs.dtype.is_complex else self.dtype
        outputs = linalg.matmul(as_dtype(inputs, dtype), as_dtype(self.kernel, dtype))
        if self.use_bias:
            outputs = outputs + as_dtype(self.bias, dtype)
        return self.activation(outputs)


class Embedding(Layer):
    """SparseRows of a table: one for each whole number in the input. Those below 0 count from the end.

    Args:
        input_dim: how many rows.
        output_dim: how long each is.
        embeddings_initializer, embeddings_regularizer, embeddings_constraint: as in Dense.
        mask_zero: only False; masks are not there.
        **kwargs: those of `Layer`.

    >>> import minigrad as mg
    >>> table = mg.keras.layers.Embedding(3, 2, mg.keras.initializers.Constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> print(table(mg.constant([0, -1])).numpy())
    [[1. 2.]
     [5. 6.]]
    """

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", embeddings_regularizer=None,
                 embeddings_constraint=None, mask_zero=False, **kwargs):  # fmt: skip
        if mask_zero:
            raise ValueError("`mask_zero` is not there: multiply by mg.cast(ids != 0, mg.float32), where you use the rows.")
        if kwargs.pop("input_length", None) is not None:
            warnings.warn("Argument `input_length` is deprecated. Just remove it.", stacklevel=2)
        super().__init__(**kwargs)
        self.input_dim, self.output_dim = input_dim, output_dim
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer, self.embeddings_constraint = regularizers.get(embeddings_regularizer), embeddings_constraint
        self._embeddings = None

    def build(self, input_shape=None):
        self._embeddings = self.add_weight(
            (self.input_dim, self.output_dim), self.embeddings_initializer, regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint, name="embeddings",
        )  # fmt: skip

    @property
    def embeddings(self) -> Variable:
        """The table.

        Raises:
            AttributeError: the layer was not built yet.
        """
        if self._embeddings is None:
            raise AttributeError("You must build the layer before accessing `embeddings`.")
        return self._embeddings

    def call(self, inputs):
        inputs = inputs if inputs.dtype in (dtypes.int32, dtypes.int64) else creation.cast(inputs, dtypes.int32)
        return gathering.gather(self.embeddings, gathering.where(inputs < 0, inputs + self.input_dim, inputs))


class Normalizing(Layer):
    """What the layers that normalize share: a scale `gamma` and an offset `beta` along one axis, or some."""

    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, **kwargs):  # fmt: skip
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self.beta_initializer, self.gamma_initializer = initializers.get(beta_initializer), initializers.get(gamma_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint

    @property
    def axes(self) -> list:
        """The axes of the weights, in their order."""
        return sorted(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]

    def build(self, input_shape):
        shape = [input_shape[axis] for axis in self.axes]
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight(
                shape, self.gamma_initializer, regularizer=self.gamma_regularizer, constraint=self.gamma_constraint, name="gamma"
            )
        if self.center:
            self.beta = self.add_weight(
                shape, self.beta_initializer, regularizer=self.beta_regularizer, constraint=self.beta_constraint, name="beta"
            )

    def normalized(self, x, mean, variance):
        """x, moved and scaled, and then by the weights."""
        beta, gamma = (None if weight is None else self.along(weight, x) for weight in (self.beta, self.gamma))
        return nn.batch_normalization(x, mean, variance, beta, gamma, self.epsilon)

    def along(self, weight, x):
        """A weight in the dtype of x, with its axes at their places among those of x."""
        weight, places = as_dtype(weight, x.dtype), [axis % x.ndim for axis in self.axes]
        if places == [x.ndim - 1]:
            return weight
        return shaping.reshape(weight, [n if i in places else 1 for i, n in enumerate(x.shape)])


def as_float(x):
    """As floats of at least 32 bits: what is normalized is squared, and summed."""
    x = convert(x)
    return x if x.dtype.is_floating and x.dtype.size > 2 else creation.cast(x, dtypes.float32)


class BatchNormalization(Normalizing):
    """Each feature moved and scaled to mean 0 and variance 1: over the batch in training, else by moving averages.

    Args:
        axis: the axis of the features.
        momentum: how slowly the moving averages follow.
        epsilon: added to the variance.
        center: is there an offset `beta`?
        scale: is there a factor `gamma`?
        **kwargs: initializers, regularizers and constraints, and what `Layer` takes.

    >>> import minigrad as mg
    >>> layer = mg.keras.layers.BatchNormalization(epsilon=0.0)
    >>> print(layer(mg.constant([[1.0], [3.0]]), training=True).numpy().ravel(), layer.moving_mean.numpy())
    [-1.  1.] [0.02]
    """

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros",
                 gamma_initializer="ones", moving_mean_initializer="zeros", moving_variance_initializer="ones",
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, **kwargs):  # fmt: skip
        super().__init__(
            int(axis), epsilon, center, scale, beta_initializer, gamma_initializer, beta_regularizer, gamma_regularizer,
            beta_constraint, gamma_constraint, **kwargs,
        )  # fmt: skip
        self.momentum = momentum
        self.gamma = self.beta = self.moving_mean = self.moving_variance = None
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, input_shape):
        super().build(input_shape)
        shape = (input_shape[self.axis],)
        self.moving_mean = self.add_weight(shape, self.moving_mean_initializer, trainable=False, name="moving_mean")
        self.moving_variance = self.add_weight(shape, self.moving_variance_initializer, trainable=False, name="moving_variance")

    def call(self, inputs, training=None):
        x = as_float(inputs)
        if training and self.trainable:
            mean, variance = nn.moments(x, [a for a in range(x.ndim) if a != self.axis % x.ndim])
            self.follow(self.moving_mean, mean)
            self.follow(self.moving_variance, variance)
        else:
            mean, variance = self.moving_mean, self.moving_variance
        return as_dtype(self.normalized(x, self.along(mean, x), self.along(variance, x)), self.dtype)

    def follow(self, average, value):
        """A moving average takes a step towards a value."""
        kind = value.value.dtype.type
        average.value.assign(average.value.numpy() * kind(self.momentum) + value.value * kind(1 - self.momentum))


class LayerNormalization(Normalizing):
    """Each example moved and scaled to mean 0 and variance 1 along the last axis, or along those of a list.

    >>> import minigrad as mg
    >>> layer = mg.keras.layers.LayerNormalization(axis=[1, 2], epsilon=0.0)
    >>> print(layer(mg.constant([[[1.0, 3.0], [3.0, 1.0]]])).numpy(), layer.gamma.shape)
    [[[-1.  1.]
      [ 1. -1.]]] (2, 2)
    """

    def call(self, inputs):
        x = as_float(inputs)
        y = self.normalized(x, *nn.moments(x, self.axes, keepdims=True))
        return as_dtype(as_dtype(y, inputs.dtype), self.dtype)  # Keras rounds to the dtype of the inputs first, also to whole numbers
