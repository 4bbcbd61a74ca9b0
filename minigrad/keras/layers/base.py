"""Layer: makes its weights when it first sees an input."""

import functools
import inspect
import warnings

import numpy as np

from ... import errors
from ...engine import dtypes
from ...engine.tensor import constant
from ...keras import initializers, regularizers
from ...ops import creation
from ..utils import checked_name, snake_case, unique_name
from ..variable import Variable, calls, inside


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
        return creation.cast(x, self.dtype) if dtype.is_floating and dtype != self.dtype else x

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
