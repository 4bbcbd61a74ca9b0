"""tf.keras.layers: a Layer makes its weights when it first sees an input. Models are layers that hold layers."""

import functools
import inspect
import types
import warnings

import numpy as np

from .. import arrays, dtypes, errors, linalg, math, nn
from ..listening import heard_by
from ..op import convert
from ..random import stateless_normal, stateless_uniform
from ..tensor import Tensor, constant
from . import activations, initializers, regularizers
from .activations import as_dtype
from .utils import checked_name, snake_case, unique_name
from .variable import Variable, calls, inside


def completing(build):
    """`build`, after which the layer is built and takes no more weights. Called by the `build` of a subclass it is a part of that."""

    @functools.wraps(build)
    def completed(self, *args, **kwargs):
        with inside(self):
            build(self, *args, **kwargs)
        if type(self).build is completed:
            self.built = self._complete = True

    return completed


class Layer:
    """A function with weights. Subclass it: make weights in `build` (or in `__init__`), compute in `call`.

    Args:
        trainable: if False, `trainable_variables` is empty.
        dtype: of the weights; inputs of another float dtype are cast to it.
        name: by default made of the name of the class, and numbered.

    Raises:
        ValueError: the name is no string, or has a slash.

    >>> import minigrad as mg
    >>> class Scale(mg.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.s = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="s")
    ...     def call(self, x):
    ...         return x * self.s
    >>> scale = Scale(name="scale")
    >>> print(scale(mg.constant([[2.0, 3.0]])).numpy(), [v.path for v in scale.trainable_variables])
    [[2. 3.]] ['scale/s']
    """

    _weightless = False  # is it built as soon as it is made?

    def __init__(self, *, activity_regularizer=None, trainable=True, dtype=None, autocast=True, name=None, **kwargs):
        self._input_shape = old_shape(kwargs)
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}")
        if activity_regularizer is not None:
            raise ValueError("`activity_regularizer` is not there: add what an output shall cost to the loss, where you compute it.")
        self.name = unique_name(snake_case(type(self).__name__)) if name is None else checked_name(name)
        self.dtype = dtypes.as_dtype(dtype or "float32").name
        self.built = self._weightless and type(self).build is Layer.build
        self._complete, self._trainable, self._weights, self._losses = False, trainable, [], []

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        writer = next(c for c in cls.__mro__ if "build" in vars(c))
        if writer is cls or not issubclass(writer, Layer):
            cls.build = completing(cls.build)

    # ---- to be written in subclasses -------------------------------------------------------------------------------

    @completing
    def build(self, input_shape) -> None:
        """Make the weights, for inputs of this shape."""
        if type(self).build is Layer.build and not all(layer.built for layer in self._held(Layer)):
            warnings.warn(
                f"`build()` was called on layer '{self.name}', however the layer does not have a `build()` method implemented and it looks "
                "like it has unbuilt state. Call the layer on an input, and the layers in it make their weights; or write its `build()`.",
                stacklevel=3,
            )

    def call(self, *args, **kwargs):
        """What the layer computes."""
        raise NotImplementedError(f"Layer {type(self).__name__} does not have a `call()` method implemented.")

    def add_weight(self, *args, shape=None, initializer=None, dtype=None, trainable=True, autocast=True, regularizer=None,
                   constraint=None, aggregation="none", name=None) -> Variable:  # fmt: skip
        """A new Variable of this layer.

        Args:
            *args: `shape`, `initializer` and `dtype` may be given without their names.
            shape: a number has shape ().
            initializer: a name, an initializer, or a function of the shape; "glorot_uniform" if None.
            dtype: by default that of the layer.
            trainable: is it one of the `trainable_variables`?
            autocast: accepted as in Keras, without effect.
            regularizer: adds to `losses` what the value costs.
            constraint: a function that optimizers apply to the value after each step.
            aggregation: accepted as in Keras, without effect.
            name: of the weight; the path has the names of the layers before it.

        Raises:
            ValueError: `build` is over, the name is given without `name=`, or the shape is none.
        """
        shape, initializer, dtype = named(args, shape=shape, initializer=initializer, dtype=dtype)
        if shape is not None and not hasattr(shape, "__iter__"):
            raise ValueError(f"Cannot convert '{shape}' to a shape. Write shape=({shape},).")
        if self._complete:
            raise ValueError(
                "You cannot add new elements of state (variables or sub-layers) to a layer that is already built. All state must be "
                "created in the `__init__()` method or in the `build()` method."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Could not interpret constraint identifier: {constraint}. Give a function of the weight, as lambda w: mg.maximum(w, 0.0)."
            )
        with inside(self):
            variable = Variable(
                initializers.get("glorot_uniform" if initializer is None else initializer),
                shape=() if shape is None else tuple(shape), dtype=dtype or self.dtype, trainable=trainable, name=name,
            )  # fmt: skip
        variable.regularizer, variable.constraint = regularizers.get(regularizer), constraint
        self._weights.append(variable)
        return variable

    # ---- calling ---------------------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        if calls.charged and not calls.trainings:
            self._forget_losses()
        args = [mapped(self._cast, one) for one in args]
        training = kwargs.pop("training", None)
        if training is None and calls.trainings:
            training = calls.trainings[-1]
        with inside(self):
            calls.trainings.append(training)
            try:
                self._build_for(args, kwargs)
                if training is not None and takes_training(type(self).call):
                    kwargs["training"] = training
                try:
                    return self.call(*args, **kwargs)
                except Exception as problem:
                    raise in_call(self, problem, args, kwargs) from None
            finally:
                calls.trainings.pop()

    def _build_for(self, args, kwargs):
        if not self.built:
            inputs = [*args, *kwargs.values()]
            if not inputs:
                first = next(iter(inspect.signature(self.call).parameters), "inputs")
                raise TypeError(f"missing a required argument: {first!r}")
            if type(self).build is Layer.build:
                self.built = True  # the layers in it make their weights as the input reaches them
            else:
                self.build(mapped(shape_of, inputs[0]))

    def _cast(self, x):
        """A float input in the dtype of the layer."""
        if x is None:
            return None
        if isinstance(x, np.ndarray):
            x = constant(x)
        if not hasattr(x, "__tf_tensor__"):
            raise ValueError(
                "Only input tensors may be passed as positional arguments. The following argument value should be passed as a "
                f"keyword argument: {x} (of type {type(x)}). Write mg.constant({x})."
            )
        dtype = dtypes.as_dtype(x.dtype)
        return arrays.cast(x, self.dtype) if dtype.is_floating and dtype != self.dtype else x

    # ---- weights ---------------------------------------------------------------------------------------------------

    def _held(self, kind):
        """What hangs on this layer, in the order in which it came."""
        held = {id(x): x for value in vars(self).values() for x in leaves(value) if isinstance(x, kind)}
        return list(held.values())

    @property
    def variables(self) -> list:
        """All weights: its own, trainable ones first, and then those of the layers in it."""
        own = self._held(Variable)
        found = {id(v): v for v in sorted(own, key=lambda v: not v.value.trainable)}
        for layer in self._held(Layer):
            found |= {id(v): v for v in layer.variables}
        return list(found.values())

    @property
    def weights(self) -> list:
        """The variables, but for the states of random numbers."""
        return [v for v in self.variables if v.name != "seed_generator_state"]

    @property
    def trainable_variables(self) -> list:
        """The weights that an optimizer shall change."""
        return [v for v in self.variables if v.trainable] if self.trainable else []

    trainable_weights = property(lambda self: self.trainable_variables, doc="The same as `trainable_variables`.")

    @property
    def non_trainable_variables(self) -> list:
        """The other weights."""
        return [v for v in self.variables if not v.trainable] if self.trainable else self.variables

    @property
    def non_trainable_weights(self) -> list:
        """Those of them that are weights."""
        return [v for v in self.weights if not (v.trainable and self.trainable)]

    @property
    def trainable(self) -> bool:
        """Shall its weights be trained? Setting it sets it for all weights and layers inside."""
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = bool(value)
        for one in self._held((Variable, Layer)):
            if isinstance(one, Layer) or one.value.trainable:  # moving averages never are
                one.trainable = bool(value)

    @property
    def losses(self) -> list:
        """What `add_loss` was given in the last call, here and in the layers inside, and what the regularizers of the weights add."""
        return self._added_losses() + [v.regularizer(v) for v in self.trainable_variables if v.regularizer is not None]

    def add_loss(self, loss) -> None:
        """Keep something to be added to the loss, until the layer, or the one that it belongs to, is called again.

        Args:
            loss: a Tensor, or a list of them. In `call`, it may be computed from the input.

        Raises:
            ValueError: it is something else, such as a number.

        >>> import minigrad as mg
        >>> class Small(mg.keras.layers.Layer):
        ...     def call(self, x):
        ...         self.add_loss(0.1 * mg.reduce_sum(x))
        ...         return x
        >>> small = Small()
        >>> y = small(mg.constant([[2.0, 3.0]]))
        >>> print(small.losses[0].numpy())
        0.5
        """
        for one in leaves(loss):
            if not hasattr(one, "__tf_tensor__"):
                raise ValueError(
                    f"`add_loss()` can only be called from inside `build()` or `call()`, on a tensor input. Received invalid value: {one}"
                )
        calls.charged = True
        self._losses += leaves(loss)

    def _added_losses(self):
        return [*self._losses, *[loss for layer in self._held(Layer) for loss in layer._added_losses()]]

    def _forget_losses(self):
        self._losses = []
        for layer in self._held(Layer):
            layer._forget_losses()

    def get_weights(self) -> list:
        """The values of the weights, as NumPy arrays."""
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights) -> None:
        """Assign a value to each weight.

        Raises:
            ValueError: there are more values than weights, or fewer, or one has another shape. Then no weight is changed.
        """
        if len(weights) != len(self.weights):
            raise ValueError(
                f"You called `set_weights(weights)` on layer {self.name!r} with a weight list of length {len(weights)}, "
                f"but the layer was expecting {len(self.weights)} weights."
            )
        for variable, value in zip(self.weights, weights):
            if variable.shape != value.shape:
                raise ValueError(
                    f"Layer {self.name} weight shape {variable.shape} is not compatible with provided weight shape {value.shape}."
                )
        for variable, value in zip(self.weights, weights):
            variable.assign(value)

    def count_params(self) -> int:
        """How many numbers the weights have.

        Raises:
            ValueError: the layer was not built yet.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't built. You can build it manually via: "
                "`layer.build(input_shape)`."
            )
        return sum(v.shape.num_elements() for v in self.weights)

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def in_call(layer, problem, args, kwargs):
    """The same error, which says first in which layer it happened, and last what that was given. The innermost layer says so."""
    if hasattr(problem, "in_call"):
        return problem
    try:
        given = inspect.signature(layer.call).bind(*args, **kwargs)
    except TypeError as unfit:  # it cannot be called like this
        return unfit
    given.apply_defaults()
    if not given.arguments:
        return problem
    name = f"{type(layer).__name__}.call()"
    listed = "\n".join(f"  • {name}={mapped(described, value)}" for name, value in given.arguments.items())
    what = problem.message if isinstance(problem, errors.OpError) else problem.args[0] if problem.args else ""
    text = f"Exception encountered when calling {name}.\n\n\033[1m{what}\033[0m\n\nArguments received by {name}:\n{listed}"
    told = with_text(problem, text).with_traceback(problem.__traceback__)
    told.in_call = True
    return told


def with_text(problem, text):
    """An error of the same class; of a class that cannot be made from a text, a RuntimeError."""
    try:
        return type(problem)(*([problem.node_def, problem.op] if isinstance(problem, errors.OpError) else []), text)
    except TypeError:
        return RuntimeError(text)


def described(value):
    """A value in an error: of a Tensor, the shape and the dtype."""
    if hasattr(value, "__tf_tensor__"):
        return f"mg.Tensor(shape={tuple(value.shape)}, dtype={dtypes.as_dtype(value.dtype).name})"
    return repr(value)


def old_shape(named):
    """The shape of an example, as old models tell it to their first layer."""
    shapes = [named.pop("input_shape", None), named.pop("input_dim", None)]
    if shapes == [None, None]:
        return None
    warnings.warn(
        "Do not pass an `input_shape`/`input_dim` argument to a layer. When using Sequential models, prefer using an `Input(shape)` object "
        "as the first layer in the model instead.",
        stacklevel=4,
    )
    return shapes[0] if shapes[1] is None else (shapes[1],)


@functools.cache
def takes_training(call):
    parameters = inspect.signature(call).parameters.values()
    return any(p.name == "training" or p.kind is p.VAR_KEYWORD for p in parameters)


def named(args, **others):
    """The values of these parameters, the first of which may be given without their names."""
    if len(args) > len(others):
        raise TypeError(f"add_weight() takes at most {len(others)} positional arguments but {len(args)} were given.")
    if args and isinstance(args[0], str):
        raise ValueError(
            f"`name` must be passed as a keyword argument. Received: add_weight('{args[0]}', ...). "
            f"Use: add_weight(shape=..., name='{args[0]}')."
        )
    for name, value in zip(others, args):
        if others[name] is not None:
            raise ValueError(f"`{name}` was passed both positionally and as a keyword argument.")
        others[name] = value
    return others.values()


def shape_of(x):
    """The shape of an input, as `build` is given it; None of None."""
    return None if x is None else tuple(x.shape)


def check_axes(layer, x, least):
    """Refuse what is no Tensor, or has too few axes.

    Raises:
        ValueError: it is so.
    """
    if not hasattr(x, "shape"):
        raise ValueError(f"Inputs to a layer should be tensors. Got '{x}' (of type {type(x)}) as input for layer '{layer.name}'.")
    if len(x.shape) < least:
        raise ValueError(
            f"Input 0 with name 'None' of layer '{layer.name}' is incompatible with the layer: "
            f"expected min_ndim={least}, found ndim={len(x.shape)}. Full shape received: {tuple(x.shape)}"
        )


def leaves(value):
    """What is in lists, tuples and dicts, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    return [x for one in value for x in leaves(one)] if isinstance(value, (list, tuple)) else [value]


def mapped(function, value):
    """`function` of each leaf of lists, tuples and dicts."""
    if isinstance(value, dict):
        return {key: mapped(function, x) for key, x in value.items()}
    return type(value)([mapped(function, x) for x in value]) if type(value) in (list, tuple) else function(value)


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
    """Rows of a table: one for each whole number in the input. Those below 0 count from the end.

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
        inputs = inputs if inputs.dtype in (dtypes.int32, dtypes.int64) else arrays.cast(inputs, dtypes.int32)
        return arrays.gather(self.embeddings, arrays.where(inputs < 0, inputs + self.input_dim, inputs))


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
        return arrays.reshape(weight, [n if i in places else 1 for i, n in enumerate(x.shape)])


def as_float(x):
    """As floats of at least 32 bits: what is normalized is squared, and summed."""
    x = convert(x)
    return x if x.dtype.is_floating and x.dtype.size > 2 else arrays.cast(x, dtypes.float32)


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


# ---- layers without weights ----------------------------------------------------------------------------------------


class Activation(Layer):
    """A function, by name or as it is."""

    _weightless = True

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs):
        return self.activation(inputs)


class ReLU(Layer):
    """`keras.activations.relu` with these settings."""

    _weightless = True

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs):
        if max_value is not None and max_value < 0:
            raise ValueError(f"max_value of a ReLU layer cannot be a negative value. Received: max_value={max_value}")
        for name, value in (("negative_slope", negative_slope), ("threshold", threshold)):
            if value is None or value < 0:
                raise ValueError(f"{name} of a ReLU layer cannot be None or a negative value. Received: {name}={value}")
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs):
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(Layer):
    """`keras.activations.leaky_relu` with this slope.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.LeakyReLU(0.5)(mg.constant([-2.0, 3.0])).numpy())
    [-1.  3.]
    """

    _weightless = True

    def __init__(self, negative_slope=0.3, **kwargs):
        if "alpha" in kwargs:
            negative_slope = kwargs.pop("alpha")
            warnings.warn("Argument `alpha` is deprecated. Use `negative_slope` instead.", stacklevel=2)
        if negative_slope is None or negative_slope < 0:
            raise ValueError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. Expected a float. "
                f"Received: negative_slope={negative_slope}"
            )
        super().__init__(**kwargs)
        self.negative_slope = negative_slope

    def call(self, inputs):
        return activations.leaky_relu(inputs, self.negative_slope)


class ELU(Layer):
    """`keras.activations.elu` with this factor.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.ELU(2.0)(mg.constant([-100.0, 3.0])).numpy())
    [-2.  3.]
    """

    _weightless = True

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs):
        return activations.elu(inputs, self.alpha)


class Softmax(Layer):
    """softmax along an axis, or over all those of a list together. What `mask` leaves out is 0, and does not count."""

    _weightless = True

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs, mask=None):
        if mask is not None:
            return self.masked(convert(inputs), convert(mask))
        if not isinstance(self.axis, (list, tuple)):
            return activations.softmax(inputs, self.axis)
        if len(self.axis) > 1:
            return math.exp(inputs - math.reduce_logsumexp(inputs, self.axis, True))
        return activations.softmax(inputs, self.axis[0])

    def masked(self, inputs, mask):
        """The same, where the mask is True, or more than a half."""
        if any(m not in (1, n) for m, n in zip(mask.shape[::-1], inputs.shape[::-1])) or len(mask.shape) > len(inputs.shape):
            raise ValueError(
                "The `mask` must be broadcastable to `inputs`. Each mask dimension must be 1 or match the corresponding input "
                f"dimension. Received: inputs.shape={inputs.shape}, mask.shape={mask.shape}"
            )
        mask = mask if mask.dtype == dtypes.bool else mask > arrays.cast(0.5, mask.dtype)
        inputs = inputs if inputs.dtype.is_floating else arrays.cast(inputs, dtypes.float32)
        low = -3e4 if inputs.dtype == dtypes.float16 else -1e9
        return arrays.where(mask, self.call(arrays.where(mask, inputs, low)), 0.0)


class Lambda(Layer):
    """Any function of the inputs.

    Args:
        function: of the inputs; if it has a parameter `training`, it is told whether the model is being trained.
        output_shape: accepted as in Keras, without effect: the function says.
        mask: only None; masks are not there.
        arguments: more arguments of the function, by name.
        **kwargs: those of `Layer`.
    """

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        if mask is not None:
            raise ValueError("`mask` is not there: multiply by it in the function.")
        super().__init__(**kwargs)
        self.function, self.arguments = function, arguments or {}

    def call(self, inputs, training=None):
        known = {"training": training} if "training" in inspect.signature(self.function).parameters else {}
        return self.function(inputs, **self.arguments, **known)


class Identity(Layer):
    """The inputs as they are.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Identity()(mg.constant([1.0, 2.0])).numpy())
    [1. 2.]
    """

    _weightless = True

    def call(self, inputs):
        return inputs


class Rescaling(Layer):
    """inputs * scale + offset, in floats.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Rescaling(0.5, 1.0)(mg.constant([0, 1, 4])).numpy())
    [1.  1.5 3. ]
    """

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs):
        return as_dtype(inputs, self.dtype) * as_dtype(self.scale, self.dtype) + as_dtype(self.offset, self.dtype)


class Flatten(Layer):
    """Each example as a vector: `(batch, ...)` becomes `(batch, n)`.

    Args:
        data_format: "channels_first" puts the second axis last before; "channels_last" or None does not.
        **kwargs: those of `Layer`.
    """

    def __init__(self, data_format=None, **kwargs):
        if data_format not in (None, "channels_last", "channels_first"):
            raise ValueError(
                f"The `data_format` argument must be one of {{'channels_first', 'channels_last'}}. Received: data_format={data_format}"
            )
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"

    def _build_for(self, args, kwargs):
        for x in [*args, *kwargs.values()][:1]:
            check_axes(self, x, 1)
        super()._build_for(args, kwargs)

    def call(self, inputs):
        if self.data_format == "channels_first" and len(inputs.shape) > 1:
            inputs = arrays.transpose(inputs, [0, *range(2, len(inputs.shape)), 1])
        return arrays.reshape(inputs, (inputs.shape[0], int(np.prod(inputs.shape[1:]))))


class Reshape(Layer):
    """Each example in a new shape."""

    _weightless = True

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        if self.target_shape.count(-1) > 1:
            raise ValueError(
                f"There must be at most one unknown dimension (-1) in `target_shape`. Received: target_shape={self.target_shape}."
            )

    def call(self, inputs):
        size, known = int(np.prod(inputs.shape[1:])), int(np.prod([n for n in self.target_shape if n != -1]))
        if not (known and size % known == 0 if -1 in self.target_shape else size == known):
            raise ValueError(
                "The total size of the tensor must be unchanged. "
                f"Received: input_shape={tuple(inputs.shape[1:])}, target_shape={self.target_shape}"
            )
        return arrays.reshape(inputs, (inputs.shape[0], *(size // known if n == -1 else n for n in self.target_shape)))


class Merging(Layer):
    """What the layers that make one Tensor of a list of them share."""

    needs = "A merge layer should be called on a list of inputs."

    def _build_for(self, args, kwargs):
        if args and (not isinstance(args[0], (list, tuple)) or not args[0] or any(x is None for x in args[0])):
            raise ValueError(f"{self.needs} Received: input_shape={mapped(shape_of, args[0])} (not a list of shapes). Write layer([x, y]).")
        super()._build_for(args, kwargs)


class MergingElements(Merging):
    """What the layers that merge element by element share."""

    def build(self, input_shape):
        if len({shape[0] for shape in input_shape if shape}) > 1:
            raise ValueError(f"Cannot merge tensors with different batch sizes. Received tensors with shapes {input_shape}")
        whole = input_shape[0][1:]
        for shape in input_shape[1:]:
            try:
                whole = np.broadcast_shapes(whole, shape[1:])
            except ValueError:
                long, short = sorted((whole, shape[1:]), key=len, reverse=True)
                raise ValueError(f"Inputs have incompatible shapes. Received shapes {long} and {short}") from None


def of_one_dtype(inputs):
    """Tensors of the dtype that holds all of them; floats hold whole numbers too."""
    inputs = [convert(x) for x in inputs]
    found = [x.value.dtype for x in inputs]
    dtype = np.result_type(*([one for one in found if one.kind in "fc"] or found))
    return [arrays.cast(x, dtype) for x in inputs]


def aligned(inputs):
    """Tensors of one dtype and of as many axes: an example that has fewer gets axes of length 1 at its beginning."""
    inputs = of_one_dtype(inputs)
    ndim = max(x.ndim for x in inputs)
    return [x if x.ndim == ndim else arrays.reshape(x, [x.shape[0], *[1] * (ndim - x.ndim), *x.shape[1:]]) for x in inputs]


class Add(MergingElements):
    """The sum of Tensors.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Add()([mg.constant([[1.0, 2.0]]), mg.constant([[10.0, 20.0]])]).numpy())
    [[11. 22.]]
    """

    def call(self, inputs):
        return functools.reduce(math.add, aligned(inputs))


class Multiply(MergingElements):
    """The product of Tensors, element by element.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Multiply()([mg.constant([[1.0, 2.0]]), mg.constant([[10.0, 20.0]])]).numpy())
    [[10. 40.]]
    """

    def call(self, inputs):
        return functools.reduce(math.multiply, aligned(inputs))


class Concatenate(Merging):
    """Tensors side by side along an axis.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Concatenate()([mg.constant([[1.0, 2.0]]), mg.constant([[3.0]])]).numpy())
    [[1. 2. 3.]]
    """

    needs = "A `Concatenate` layer should be called on a list of at least 1 input."

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape):
        rest = [list(shape) for shape in input_shape]
        for shape in rest:
            del shape[self.axis : self.axis + 1 or None]
        if any(shape != rest[0] for shape in rest):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
                f"Received: input_shape={input_shape}"
            )

    def call(self, inputs):
        return arrays.concat(of_one_dtype(inputs), self.axis)


# ---- layers that draw random numbers -------------------------------------------------------------------------------


def seed_state(seed):
    """Two seeds for the next draw, of which the second counts the draws."""
    with inside(types.SimpleNamespace(name=unique_name("seed_generator"))):
        start = [initializers.RandomInitializer(seed).seed, 0]
        return Variable(start, dtype="int64", trainable=False, name="seed_generator_state")


class Dropout(Layer):
    """In training, sets each element to 0 with probability `rate`, and makes the others larger to keep the mean.

    >>> import minigrad as mg
    >>> drop = mg.keras.layers.Dropout(0.5, seed=1)
    >>> print(drop(mg.ones([6]), training=True).numpy())
    [2. 0. 2. 0. 0. 0.]
    """

    _weightless = True

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        if not 0 <= rate <= 1:
            raise ValueError(f"Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: rate={rate}")
        super().__init__(**kwargs)
        self.rate, self.noise_shape = rate, noise_shape
        if rate:
            self.seeds = seed_state(seed)

    def call(self, inputs, training=False):
        if not training or not self.rate:
            return inputs
        if self.rate == 1:
            return arrays.zeros_like(inputs)
        if not inputs.dtype.is_floating:
            raise ValueError(f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={inputs.dtype!r}")
        shape = inputs.shape if self.noise_shape is None else [n or m for n, m in zip(self.noise_shape, inputs.shape)]
        kept = stateless_uniform(shape, self.seeds, dtype=inputs.dtype).value >= self.rate
        self.seeds.assign_add([0, 1])
        larger = inputs * (1 / (1 - self.rate))
        return arrays.where(kept, larger, arrays.zeros_like(larger))


class GaussianNoise(Layer):
    """In training, adds normal random numbers of this standard deviation.

    >>> import minigrad as mg
    >>> noise = mg.keras.layers.GaussianNoise(0.5, seed=3)
    >>> print(noise(mg.zeros([2]), training=True).numpy().round(3), noise(mg.zeros([2])).numpy())
    [-0.336  0.838] [0. 0.]
    """

    _weightless = True

    def __init__(self, stddev, seed=None, **kwargs):
        if not 0 <= stddev <= 1:
            raise ValueError(
                f"Invalid value received for argument `stddev`. Expected a float value between 0 and 1. Received: stddev={stddev}"
            )
        super().__init__(**kwargs)
        self.stddev = stddev
        if stddev:
            self.seeds = seed_state(seed)

    def call(self, inputs, training=False):
        if not training or not self.stddev:
            return inputs
        noise = stateless_normal(inputs.shape, self.seeds, stddev=self.stddev, dtype=self.dtype)
        self.seeds.assign_add([0, 1])
        return inputs + noise


# ---- models --------------------------------------------------------------------------------------------------------


class Model(Layer):
    """A layer that holds others. Assign layers as attributes, and use them in `call`."""

    @property
    def layers(self) -> list:
        """The layers that it holds."""
        return self._held(Layer)


class Input:
    """The shape of one example, for the beginning of a Sequential."""

    def __init__(self, shape=None, batch_size=None, dtype=None, name=None):
        self.shape, self.dtype = (batch_size, *(shape or ())), dtypes.as_dtype(dtype or "float32").name
        self.name = None if name is None else checked_name(name)


class Sequential(Model):
    """Layers in a row: the output of each is the input of the next.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(4, activation="relu"), mg.keras.layers.Dense(1)])
    >>> model(mg.ones([2, 3])).shape, len(model.trainable_variables)
    (TensorShape([2, 1]), 4)
    """

    def __init__(self, layers=None, trainable=True, name=None):
        super().__init__(trainable=trainable, name=name)
        self._row, self._example = [], None
        for layer in layers or []:
            self.add(layer)

    def add(self, layer) -> None:
        """Put a layer at the end.

        Raises:
            ValueError: it is no layer, or another one has its name.
        """
        if isinstance(layer, Input):
            self._example = layer
            return
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Only instances of `keras.Layer` can be added to a Sequential model. Received: {layer} (of type {type(layer)})"
            )
        if any(one is not layer and one.name == layer.name for one in self._row):
            raise ValueError(
                f"All layers added to a Sequential model should have unique names. Name '{layer.name}' is already the name of a layer in "
                "this model. Update the `name` argument to pass a unique name."
            )
        self._row.append(layer)
        if layer._input_shape and self._example is None:
            self._example = Input(layer._input_shape)
        if self._example is not None:
            self._run_through()

    def pop(self) -> Layer:
        """Take away the last layer."""
        return self._row.pop()

    def build(self, input_shape=None):
        """Make the weights of all layers, for inputs of this shape."""
        if isinstance(input_shape, (tuple, list)):  # else the first call makes them, as in Keras
            self._example = Input(input_shape[1:], input_shape[0])
            self._run_through()

    def _build_for(self, args, kwargs):
        if not self._row:
            raise ValueError(f"Sequential model {self.name} cannot be built because it has no layers. Call `model.add(layer)`.")
        self.built = True  # the layers make their weights as the input reaches them

    def _run_through(self):
        """Call the layers on zeros, so that they make their weights. No tape hears it: in Keras nothing is computed then."""
        zeros = Tensor.of(np.zeros([1 if n is None else n for n in self._example.shape], self._example.dtype))
        with heard_by():
            self(zeros, training=False)

    def call(self, inputs):
        for layer in self._row:
            inputs = layer(inputs)
        return inputs
