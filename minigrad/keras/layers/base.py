"""Layer: the base class of all layers and models. A layer creates its weights when it is first called."""

import copy
import functools
import inspect
import warnings

import numpy as np

from ... import errors, math, nest
from ...engine import Tensor, constant, convert, dtypes, listeners_only
from ...engine.listening import Call, Listener, failing, listening
from ...errors import visible, visible_lines
from ...ops import creation
from ...program.module import restore_what_waits
from ...program.specs import TensorSpec
from .. import constraints, initializers, regularizers
from ..activations import MASKS
from ..metrics import Metric
from ..utils import checked_name, leaves, mapped, snake_case, unique_name
from ..variable import Variable, calls, inside


def marks_built(build):
    """Decorate a `build` method: afterwards the layer is built and takes no more weights and layers.

    If the `build` of a subclass calls an inherited `build`, only the outer one marks the layer as built.
    """

    @functools.wraps(build)
    def build_and_mark(self, *args, **kwargs):
        with inside(self):
            build(self, *args, **kwargs)
        if type(self).build is build_and_mark:
            self._lock()
            self._built_for = (*args, *kwargs.values(), None)[0]
            if not self._trainable:
                self.trainable = False  # applies to the new weights as well
        restore_what_waits()

    return build_and_mark


def settings_of(layer):
    """The settings of the weights of a layer or its class: each name, the namespace that finds it, and its default."""
    for weight, initial in layer.plans:
        yield f"{weight}_initializer", initializers, initial
        yield f"{weight}_regularizer", regularizers, None
        yield f"{weight}_constraint", constraints, None


def tell_settings(layer_class):
    """Name the settings of the weights in the signature of a class of layers, before its `**kwargs`."""
    named = inspect.signature(layer_class.__init__).parameters
    others = [one for one in named.values() if one.kind is one.VAR_KEYWORD]
    kind = inspect.Parameter.KEYWORD_ONLY
    settings = [inspect.Parameter(name, kind, default=usual) for name, _, usual in settings_of(layer_class)]
    missing = [one for one in settings if others and one.name not in named]
    own = [one for one in named.values() if one not in others]
    layer_class.__init__.__signature__ = inspect.Signature([*own, *missing, *others])


class Rehearsal(Listener):
    """Listens to a layer that is called on zeros: Variables keep their values, and nothing is printed or asserted."""

    rehearsing = True

    def __init__(self):
        self.values = {}  # id of a Variable -> the Tensor assigned to it

    def read(self, variable):
        return self.values.get(variable.id)

    changing = read

    def keeps(self, variable, value):
        if "(build)" in listening.module:  # where weights get their values
            return False
        self.values[variable.id] = Tensor.of(value)
        return True

    def acting(self, function, args, kwargs):
        return function is not None


def common_spec(first, *others):
    """The spec that all of these match: None stands for a length in which they differ."""
    if first is None:
        return None
    lengths = zip(first.shape, *[one.shape for one in others])
    return TensorSpec([n if all(n == m for m in rest) else None for n, *rest in lengths], first.dtype)


def shapes_in(specs):
    """The shapes of the specs in a nest."""
    return mapped(lambda one: tuple(one.shape), specs)


class Contents:
    """What a layer holds when it is built: its state, and the lists and dicts in its attributes with their lengths."""

    def __init__(self, layer):
        self.state = layer._objects_of(STATE)
        attributes = [value for name, value in vars(layer).items() if name not in ("_weights", "_losses")]
        _, *self.nests = growing(attributes)
        self.lengths = [*map(len, self.nests)]

    def check(self, layer):
        """Raise ValueError if lists or dicts have grown by more state."""
        if [*map(len, self.nests)] != self.lengths:
            now = Contents(layer)
            if not {id(x) for x in now.state} <= {id(x) for x in self.state}:
                raise no_more_state()
            self.nests, self.lengths = now.nests, now.lengths


class Layer:
    """A function with weights. A subclass creates weights in `build` (or in `__init__`) and computes in `call`.

    Args:
        activity_regularizer: a name or a function of the output; its result, divided by the number of examples, is one
            of the `losses`.
        trainable: whether its weights are `trainable_variables`.
        dtype: the dtype of the weights.
        autocast: whether inputs of another float dtype are cast to it.
        name: by default the name of the class in snake_case, numbered.

    Raises:
        ValueError: the name is not a string or has a slash, or an argument is unknown or not supported.

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

    _weightless = False  # if True, the layer has no weights, so it is built from the start
    plans: tuple = ()  # pairs of a weight, such as "kernel", and its `kernel_initializer` by default
    _locked = False  # if True, it takes no more weights and layers
    _contents = None  # what it holds since then, if there are lists or dicts
    supports_masking = False  # if True, masks of its inputs are masks of its outputs, by `compute_mask`
    _call_parameters: tuple = ()  # the names of the parameters of `call`; "**" for any others
    _makes_masks = False  # if True, it has a `compute_mask` of its own

    def __init__(self, *, activity_regularizer=None, trainable=True, dtype=None, autocast=True, name=None, **kwargs):
        self._input_shape = legacy_input_shape(kwargs)
        self.name = unique_name(snake_case(type(self).__name__)) if name is None else checked_name(name)
        for setting, space, usual in settings_of(self):
            setattr(self, setting, space.get(kwargs.pop(setting, usual)))
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}")
        if not isinstance(trainable, bool):
            kind = f"{visible(trainable)} (of type {type(trainable)})"
            raise ValueError(f"Expected `trainable` to be a boolean. Received: trainable={kind}")
        self.dtype, self.autocast = dtypes.as_dtype(dtype or "float32").name, autocast
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self._trainable, self._weights, self._losses = trainable, [], []
        self._built_for = None  # the input shape passed to `build`
        self.built = self._locked = self._weightless and type(self).build is Layer.build

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        definer = next(c for c in cls.__mro__ if "build" in vars(c))
        if definer is cls or not issubclass(definer, Layer):
            cls.build = marks_built(cls.build)
        if "__init__" in vars(cls):
            tell_settings(cls)
        if "compute_mask" in vars(cls):
            cls.supports_masking = vars(cls).get("supports_masking", True)
        cls._makes_masks = cls.compute_mask is not Layer.compute_mask
        parameters = [*inspect.signature(cls.call).parameters.values()][1:]  # without `self`
        cls._call_parameters = tuple(["**" if one.kind is one.VAR_KEYWORD else one.name for one in parameters])

    def __setattr__(self, name, value):
        given = {id(x) for x in leaves(value) if isinstance(x, STATE)} if self._locked else None
        if given and not given <= {id(x) for x in self._objects_of(STATE)}:
            raise no_more_state()
        super().__setattr__(name, value)

    def _check_super_called(self):
        if "built" not in vars(self):
            problem = f"In layer '{type(self).__name__}', you forgot to call `super().__init__()`"
            raise RuntimeError(f"{problem} as the first statement in the `__init__()` method. Go add it!")

    def _lock(self):
        """Mark the layer as built: it takes no more weights and layers."""
        self.built = self._locked = True
        contents = Contents(self)
        vars(self)["_contents"] = contents if contents.nests else None

    # ---- what subclasses define ------------------------------------------------------------------------------------

    @marks_built
    def build(self, input_shape) -> None:
        """Create the weights.

        Args:
            input_shape: the shape of the first input, or a nest of shapes for a nest of inputs. A `build` with several
                parameters gets the shape of each input by its name: `x_shape` for the argument `x` of `call`.
        """
        if type(self).build is Layer.build and self._has_unbuilt_layers():
            problem = f"`build()` was called on layer '{visible(self.name)}', however the layer does not have"
            state = "a `build()` method implemented and it looks like it has unbuilt state."
            advice = "Call the layer on an input, and the layers in it make their weights; or write its `build()`."
            warnings.warn(f"{problem} {state} {advice}", stacklevel=3)

    def _has_unbuilt_layers(self):
        return not all(layer.built for layer in self._objects_of(Layer))

    def call(self, *args, **kwargs):
        """Compute the output from the inputs."""
        raise NotImplementedError(f"Layer {type(self).__name__} does not have a `call` method implemented.")

    def add_weight(self, *args, shape=None, initializer=None, dtype=None, trainable=True, autocast=True,
                   regularizer=None, constraint=None, aggregation="none", name=None) -> Variable:  # fmt: skip
        """Create a weight of this layer.

        Args:
            *args: `shape`, `initializer` and `dtype` by position.
            shape: the length of each axis; () if None.
            initializer: a name, an initializer, or a function of the shape; if None, "glorot_uniform" for floats and
                "zeros" for others.
            dtype: by default that of the layer.
            trainable: whether it is one of the `trainable_variables`.
            regularizer: a name or a function of the weight; its result is one of the `losses`.
            constraint: a name or a function that optimizers apply to the value after each step.
            autocast, aggregation: accepted as in Keras, without effect.
            name: the name of the weight; in the path, the names of the layers come before it.

        Raises:
            ValueError: the layer is already built, the name is given by position, the shape is no shape, or the
                constraint is unknown.
            TypeError: there are more than three positional arguments.
            RuntimeError: `super().__init__()` was not called before.
        """
        self._check_super_called()
        shape, initializer, dtype = bind_positional(args, shape=shape, initializer=initializer, dtype=dtype)
        shape = () if shape is None else checked_shape(shape)
        if self._locked:
            raise no_more_state()
        dtype = dtype or self.dtype
        if initializer is None:
            initializer = "glorot_uniform" if dtypes.as_dtype(dtype).is_floating else "zeros"
        with inside(self):
            variable = Variable(initializers.get(initializer), shape, dtype, trainable=trainable, name=name)
        variable.regularizer, variable.constraint = regularizers.get(regularizer), constraints.get(constraint)
        self._weights.append(variable)
        return variable

    add_variable = add_weight

    def _make(self, weight, shape, name=None) -> Variable:
        """Make the weight of `plans`; `name` is its name in paths."""
        plan = {part: getattr(self, f"{weight}_{part}") for part in ("initializer", "regularizer", "constraint")}
        return self.add_weight(shape, name=name or weight, **plan)

    # ---- calling ---------------------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        self._check_super_called()
        if calls.any_losses and not calls.trainings:
            self._forget_losses()
        mask = self._hand_masks(args, kwargs) if MASKS.by_id else None
        training = kwargs.pop("training", None)
        if training is None and calls.trainings:
            training = calls.trainings[-1]
        args = [mapped(self._positional, one) for one in args]
        kwargs = {name: mapped(self._cast, one) for name, one in kwargs.items()}
        with inside(self):
            calls.trainings.append(training)
            try:
                self._ensure_built(args, kwargs)
                if training is not None and not {"training", "**"}.isdisjoint(self._call_parameters):
                    kwargs["training"] = training
                try:
                    outputs = self.call(*args, **kwargs)
                    if self._contents is not None:
                        self._contents.check(self)
                except Exception as error:
                    raise error_in_call(self, error, args, kwargs) from None
                if not self._locked:
                    self._lock()
                if self.activity_regularizer is not None:
                    self._add_activity(outputs)
                mask = mask if kwargs.get("mask") is None else kwargs["mask"]
                if any_mask(mask) or self._makes_masks:
                    self._mask_outputs([*args, *kwargs.values()][0], outputs, mask)
                return outputs
            finally:
                calls.trainings.pop()

    def _ensure_built(self, args, kwargs):
        """Check the first argument, and build the layer for it, unless it is already built."""
        inputs = [*args, *kwargs.values()]
        if inputs:
            self._check_input(inputs[0])
        if not self.built:
            if not inputs:
                first = next(iter(inspect.signature(self.call).parameters), "inputs")
                raise TypeError(f"missing a required argument: {first!r}")
            if type(self).build is Layer.build:
                if not self._has_unbuilt_layers():
                    self._lock()
            else:
                path, listening.module = listening.module, Call(f"{listening.module}/(build)", listening.module)
                try:
                    self.build(**self._shapes_for_build(args, kwargs))
                finally:
                    listening.module = path

    def _named_inputs(self, args, kwargs):
        """The arguments of `call` by name, in the order of its parameters."""
        given = {**dict(zip(self._call_parameters, args)), **kwargs}
        return {name: given[name] for name in dict.fromkeys([*self._call_parameters, *given]) if name in given}

    def _shapes_for_build(self, args, kwargs):
        """The arguments of `build`: the shape of the first input, or, if it takes more, that of each input by name.

        Raises:
            ValueError: it takes more, and one of them is not named after an argument of `call`, as `x_shape` after `x`.
        """
        inputs = {name: x for name, x in self._named_inputs(args, kwargs).items() if name != "mask" and all_arrays(x)}
        shapes = {f"{name}_shape": mapped(shape_of, x) for name, x in inputs.items()}
        parameters = inspect.signature(self.build).parameters.values()
        wanted = [one.name for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        if len(wanted) == 1:
            return {wanted[0]: next(iter(shapes.values()), None)}
        for name in wanted:
            after = name.removesuffix("_shape")
            if after == name or after not in self._call_parameters:
                raise not_an_input(type(self).__name__, name, after)
        return {name: shapes[name] for name in wanted if name in shapes}

    def _check_input(self, inputs):
        """Raise ValueError if the layer does not accept these inputs."""

    def _hand_masks(self, args, kwargs):
        """Pass the masks of the inputs to `call`: that of the first as `mask`, that of an input `x` as `x_mask`."""
        masks = {name: mapped(MASKS.of, x) for name, x in self._named_inputs(args, kwargs).items()}
        first = next(iter(masks.values()), None)
        for parameter, mask in {"mask": first, **{f"{name}_mask": mask for name, mask in masks.items()}}.items():
            if parameter in self._call_parameters and any_mask(mask) and kwargs.get(parameter) is None:
                kwargs[parameter] = mask
        return first

    def compute_mask(self, inputs, previous_mask):
        """The mask of the output: a Tensor of bools, or None if all steps count; by default the mask of the input."""
        return previous_mask

    def _mask_outputs(self, inputs, outputs, mask):
        """Attach masks to the outputs, for the following layers and for the loss."""
        if self.supports_masking:
            made = leaves(self.compute_mask(inputs, mask))
            for y, one in zip(leaves(outputs), made):
                if one is not None and isinstance(y, Tensor) and MASKS.of(y) is None:
                    MASKS.add(y, one)
        elif any_mask(mask):
            problem = f"Layer '{visible(self.name)}' (of type {type(self).__name__}) was passed an input with a mask"
            reason = "attached to it. However, this layer does not support masking and will therefore destroy the mask"
            warnings.warn(f"{problem} {reason} information. Downstream layers will not see the mask.", stacklevel=3)

    def _add_activity(self, outputs):
        """Add the activity regularization of the outputs to the `losses`."""
        for y in leaves(outputs):
            if isinstance(y, Tensor):
                cost = self.activity_regularizer(y)
                self.add_loss(math.divide_no_nan(cost, len(y)) if y.ndim else cost)

    def _cast(self, x):
        """An argument: arrays become Tensors, and with `autocast` floats are cast to the dtype of the layer."""
        if isinstance(x, (np.ndarray, np.generic)):
            x = constant(x)
        is_float = self.autocast and hasattr(x, "__tf_tensor__") and dtypes.as_dtype(x.dtype).is_floating
        return creation.cast(x, self.dtype) if is_float else x

    def _positional(self, x):
        """A positional argument, cast. Raises ValueError if it is not a Tensor."""
        x = self._cast(x)
        if type(x).__name__ == "Input":
            problem = "minigrad has no functional models, so no layer is called on an Input. Write"
            raise ValueError(f"{problem} Sequential([Input(shape), ...]), or a subclass of Model with `call(self, x)`.")
        if not hasattr(x, "__tf_tensor__"):
            problem = "Only input tensors may be passed as positional arguments. The following argument value should be"
            given = visible_lines(x)
            advice = f"Write mg.constant({given})."
            raise ValueError(f"{problem} passed as a keyword argument: {given} (of type {type(x)}). {advice}")
        return x

    def compute_output_shape(self, input_shape):
        """The shape of the output for inputs of this shape, where None stands for any length.

        Copies of the layer are called on zeros of two sizes: a length of the output that differs is None. The layer
        itself does not change.

        Args:
            input_shape: the shape of the input including the batch axis, or a nest of shapes.

        >>> import minigrad as mg
        >>> mg.keras.layers.Dense(3).compute_output_shape((None, 5))
        (None, 3)
        """
        if type(self).call is Layer.call:
            name = type(self).__name__
            raise NotImplementedError(f"Layer {name} does not have a `compute_output_shape` method implemented.")
        spec = map_shapes(lambda shape: TensorSpec(shape, self.dtype), input_shape)
        return shapes_in(self._output_spec(spec))

    def _built_output_shape(self):
        """The shape of the output for the inputs that the layer was built for; None if they are not known."""
        return None if self._built_for is None else self.compute_output_shape(self._built_for)

    def _build_for(self, spec):
        """Build the layer for inputs of this spec, or nest of specs, and return that of the outputs."""
        with inside(self):
            self._ensure_built([spec], {})
        return self._output_spec(spec, itself=True)

    def _output_spec(self, spec, itself=False):
        """The spec of the outputs, from calls of a copy or of the layer `itself`, which may still have to be built."""
        if type(self).compute_output_shape is not Layer.compute_output_shape and (self.built or not itself):
            shapes = self.compute_output_shape(shapes_in(spec))
            return map_shapes(lambda shape: TensorSpec(shape, self.dtype), shapes)
        open_axes = max([[*one.shape][1:].count(None) for one in leaves(spec) if one is not None], default=0)
        found, problem, wanted = [], None, 1 if itself and not open_axes else 2
        for size in range(1, 1 + max(2, 9 // max(1, open_axes))):  # to at most 4 ** 9 places
            try:
                found.append((self if itself else copy.deepcopy(self))._called_on_zeros(spec, size))
            except Exception as error:
                problem = problem or error
                if not open_axes:
                    break
            if len(found) == wanted:
                return nest.map_structure(common_spec, *found)
        raise problem

    def _called_on_zeros(self, spec, size):
        """The spec of the outputs for `size` examples of zeros, whose lengths are 4 ** size where the spec has None."""

        def zeros(one):
            lengths = [(4**size if axis else size) if n is None else n for axis, n in enumerate(one.shape)]
            return creation.zeros(lengths, one.dtype)

        with listeners_only(Rehearsal()):
            outputs = self(mapped(zeros, spec), training=False)
        self._forget_losses()
        return mapped(lambda y: TensorSpec(shape_of(y), y.dtype), mapped(convert, outputs))

    # ---- weights ---------------------------------------------------------------------------------------------------

    def _objects_of(self, kind):
        """The objects of this kind in its attributes, including lists, tuples and dicts, in the order of assignment."""
        found = {id(x): x for value in vars(self).values() for x in leaves(value) if isinstance(x, kind)}
        return list(found.values())

    @property
    def metrics(self) -> list:
        """The metrics in its attributes, and those of inner layers."""
        inner = [layer for layer in self._objects_of(Layer) if not hasattr(layer, "compiled")]  # a model has its own
        return [*self._objects_of(Metric), *[metric for layer in inner for metric in layer.metrics]]

    metrics_variables = property(lambda self: [variable for metric in self.metrics for variable in metric.variables])

    @property
    def variables(self) -> list:
        """All Variables: its own, the trainable ones first, and then those of inner layers."""
        held = self._objects_of((Variable, Layer))
        own = [v for v in held if isinstance(v, Variable)]
        found = {id(v): v for v in sorted(own, key=lambda v: not v.value.trainable)}
        for layer in [one for one in held if isinstance(one, Layer)]:
            found |= {id(v): v for v in layer.variables}
        return list(found.values())

    @property
    def weights(self) -> list:
        """The variables, without the states of random number generators."""
        return [v for v in self.variables if v.name != "seed_generator_state"]

    @property
    def trainable_variables(self) -> list:
        """The Variables that are trained."""
        return [v for v in self.variables if v.trainable] if self.trainable else []

    trainable_weights = property(lambda self: self.trainable_variables, doc="The same as `trainable_variables`.")

    @property
    def non_trainable_variables(self) -> list:
        """The Variables that are not trained."""
        return [v for v in self.variables if not v.trainable] if self.trainable else self.variables

    @property
    def non_trainable_weights(self) -> list:
        """The weights that are not trained."""
        return [v for v in self.weights if not (v.trainable and self.trainable)]

    @property
    def trainable(self) -> bool:
        """Whether its weights are trained. Setting it also sets it for the weights and the inner layers."""
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = value = bool(value)
        for one in self._objects_of((Variable, Layer)):
            if isinstance(one, Layer) or one.value.trainable:  # not moving averages
                one.trainable = value

    @property
    def losses(self) -> list:
        """The losses added in the last call, here and in inner layers, and the penalties of the regularizers."""
        return self._added_losses() + [v.regularizer(v) for v in self.trainable_variables if v.regularizer is not None]

    def add_loss(self, loss) -> None:
        """Add to `losses`, until this layer, or one that contains it, is called again.

        Args:
            loss: a scalar Tensor, or a list of them; in `call`, it may be computed from the input.

        Raises:
            ValueError: it is something else, such as a Python number.

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
                problem = "`add_loss()` can only be called from inside `build()` or `call()`, on a tensor input."
                raise ValueError(f"{problem} Received invalid value: {one}")
        calls.any_losses = True
        self._losses += leaves(loss)

    def _added_losses(self):
        return [*self._losses, *[loss for layer in self._objects_of(Layer) for loss in layer._added_losses()]]

    def _forget_losses(self):
        self._losses = []
        for layer in self._objects_of(Layer):
            layer._forget_losses()

    def get_weights(self) -> list:
        """The values of the weights, as NumPy arrays."""
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights) -> None:
        """Assign a value to each of the `weights`.

        Args:
            weights: arrays of the same shapes, in the same order.

        Raises:
            ValueError: the number of arrays or a shape does not match. Then no weight is changed.
        """
        if len(weights) != len(self.weights):
            problem = f"You called `set_weights(weights)` on layer {self.name!r} with a weight list of length"
            raise ValueError(f"{problem} {len(weights)}, but the layer was expecting {len(self.weights)} weights.")
        for variable, value in zip(self.weights, weights):
            if variable.shape != value.shape:
                problem = f"Layer {visible(self.name)} weight shape {variable.shape} is not compatible"
                raise ValueError(f"{problem} with provided weight shape {value.shape}.")
        for variable, value in zip(self.weights, weights):
            variable.assign(value)

    def count_params(self) -> int:
        """The total number of elements of the weights.

        Raises:
            ValueError: the layer is not built yet.
        """
        if not self.built:
            problem = f"You tried to call `count_params` on layer '{visible(self.name)}', but the layer isn't built."
            raise ValueError(f"{problem} You can build it manually via: `layer.build(input_shape)`.")
        return sum(v.shape.num_elements() for v in self.weights)

    def get_config(self):
        """Not supported: minigrad keeps no configurations."""
        problem = "minigrad keeps no configurations, and so has no `get_config`."
        raise NotImplementedError(f"{problem} Make the layer anew, with the arguments that it was made with.")

    @classmethod
    def from_config(cls, config):
        """Not supported: minigrad keeps no configurations."""
        problem = "minigrad keeps no configurations, and so has no `from_config`."
        raise NotImplementedError(f"{problem} Write {cls.__name__}(...) with the arguments.")

    def __repr__(self):
        return f"<{type(self).__name__} name={visible(self.name)}, built={self.built}>"


def error_in_call(layer, error, args, kwargs):
    """The error with the name and arguments of the innermost layer added to its message."""
    if hasattr(error, "in_call"):
        return error
    try:
        bound = inspect.signature(layer.call).bind(*args, **kwargs)
    except TypeError as mismatch:
        return mismatch
    bound.apply_defaults()
    call = f"{type(layer).__name__}.call()"
    arguments = "\n".join(f"  • {name}={mapped(described, value)}" for name, value in bound.arguments.items())
    head = f"Exception encountered when calling {call}."
    text = f"{head}\n\n\033[1m{message_of(error)}\033[0m\n\nArguments received by {call}:\n{arguments}"
    explained = with_message(error, text).with_traceback(error.__traceback__)
    explained.in_call = call
    return explained


def message_of(error):
    if isinstance(error, errors.OpError):
        return error.message
    return visible_lines(error.args[0]) if error.args else ""


def with_message(error, text):
    """An error of the same class with this message; a RuntimeError if the class does not accept just a message."""
    try:
        if not isinstance(error, errors.OpError):
            return type(error)(text)
        explained = type(error)(error.node_def, error.op, text)
        explained.message = text  # shown in bold
        return explained
    except TypeError:
        return RuntimeError(text)


def described(value):
    """A value in an error message: for a Tensor, its shape and dtype."""
    if hasattr(value, "__tf_tensor__"):
        return f"mg.Tensor(shape={tuple(value.shape)}, dtype={dtypes.as_dtype(value.dtype).name})"
    return repr(value)


def legacy_input_shape(kwargs):
    """Pop the deprecated `input_shape` or `input_dim` from the arguments: the shape of one example, or None."""
    shapes = [kwargs.pop("input_shape", None), kwargs.pop("input_dim", None)]
    if shapes == [None, None]:
        return None
    problem = "Do not pass an `input_shape`/`input_dim` argument to a layer. When using Sequential models,"
    advice = "prefer using an `Input(shape)` object as the first layer in the model instead."
    warnings.warn(f"{problem} {advice}", stacklevel=4)
    return shapes[0] if shapes[1] is None else (shapes[1],)


STATE = (Variable, Layer, Metric)  # what a layer that is built takes no more of


def growing(nest):
    """The lists and dicts in a nest, itself first."""
    if not isinstance(nest, (list, tuple, dict)):
        return []
    inner = [one for x in (nest.values() if isinstance(nest, dict) else nest) for one in growing(x)]
    return inner if isinstance(nest, tuple) else [nest, *inner]


def no_more_state():
    """The error for a weight or a layer that is made too late."""
    problem = "You cannot add new elements of state (variables or sub-layers) to a layer that is already built."
    advice = "All state must be created in the `__init__()` method or in the `build()` method."
    return ValueError(f"{problem} {advice}")


def not_an_input(layer, name, after):
    """The error for a parameter of `build` that is not named after an argument of `call`."""
    problem = "For a `build()` method with more than one argument, all arguments should have a `_shape` suffix and"
    example = "match an argument from `call()`. E.g. `build(self, foo_shape, bar_shape)`"
    lacks = "which does not end in `_shape`" if after == name else f"but `call()` does not have argument `{after}`"
    return ValueError(f"{problem} {example} For layer '{layer}', received `build()` argument `{name}`, {lacks}.")


def all_arrays(nest):
    """Whether a nest has arrays in it, and else at most None."""
    arrays = [x for x in leaves(nest) if x is not None]
    return arrays != [] and all(hasattr(x, "shape") for x in arrays)


def any_mask(masks):
    """Whether there is a mask in this nest."""
    return any(mask is not None for mask in leaves(masks))


def bind_positional(args, **parameters):
    """The values of the parameters of `add_weight`, the first of which may be given by position.

    Raises:
        TypeError: there are more positional arguments than parameters.
        ValueError: the first argument is a name, or a parameter is given twice.
    """
    if len(args) > len(parameters):
        most = len(parameters)
        raise TypeError(f"add_weight() takes at most {most} positional arguments but {len(args)} were given.")
    if args and isinstance(args[0], str):
        name = visible(args[0], None)
        given = f"add_weight('{name}', ...). Use: add_weight(shape=..., name='{name}')."
        raise ValueError(f"`name` must be passed as a keyword argument. Received: {given}")
    for name, value in zip(parameters, args):
        if parameters[name] is not None:
            raise ValueError(f"`{name}` was passed both positionally and as a keyword argument.")
        parameters[name] = value
    return parameters.values()


def shape_of(x):
    """The shape of an input for `build`, in `fit` without the number of examples."""
    shape = tuple(x.shape)
    return (None, *shape[1:]) if calls.any_batch_size and shape else shape


def checked_shape(shape):
    """A shape as a tuple of ints, and of None for any length.

    Raises:
        ValueError: it is no shape.
    """
    if not hasattr(shape, "__iter__"):
        raise ValueError(f"Cannot convert '{visible(shape)}' to a shape. Write shape=({visible(shape)},).")
    for n in shape:
        if n is not None and not (isinstance(n, (int, np.integer)) and n >= 0):
            problem = f"Cannot convert '{visible(shape)}' to a shape."
            raise ValueError(f"{problem} Its lengths are ints of at least 0, or None, and not {visible(n)}.")
    return tuple([n if n is None else int(n) for n in shape])


def check_format(data_format) -> str:
    """The data format of images, by default "channels_last". Raise ValueError if there is no such format."""
    if data_format not in (None, "channels_last", "channels_first"):
        problem = "The `data_format` argument must be one of {'channels_first', 'channels_last'}."
        raise errors.received(problem, data_format=data_format)
    return data_format or "channels_last"


def check_rank(layer, x, min_ndim):
    """Check the number of axes of an input.

    Raises:
        ValueError: it is not a Tensor, or has fewer than `min_ndim` axes.
    """
    if not hasattr(x, "shape"):
        given = f"Got '{visible(x, None)}' (of type {type(x)}) as input for layer '{visible(layer.name)}'."
        raise ValueError(f"Inputs to a layer should be tensors. {given}")
    if len(x.shape) < min_ndim:
        found = f"found ndim={len(x.shape)}. Full shape received: {tuple(x.shape)}"
        raise incompatible(layer, f"expected min_ndim={min_ndim}, {found}", x, (None,) * min_ndim)


def incompatible(layer, reason, x, shape):
    """The error for an input that a layer does not accept. `shape`: what it accepts, with None for any length."""
    head = f"Input 0 with name 'None' of layer '{visible(layer.name)}' is incompatible with the layer:"
    return failing(layer.name, ValueError(f"{head} {reason}"), (x, x.shape), (None, shape))


def map_shapes(function, *nests):
    """Apply `function` to each shape in nested lists, tuples and dicts of shapes."""
    first = nests[0]
    if isinstance(first, dict):
        return {key: map_shapes(function, *(nest[key] for nest in nests)) for key in first}
    if all(n is None or isinstance(n, (int, np.integer)) for n in first):
        return function(*nests)
    return type(first)([map_shapes(function, *parts) for parts in zip(*nests)])
