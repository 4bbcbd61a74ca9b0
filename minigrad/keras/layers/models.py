"""Model, Sequential and Input: layers that consist of layers."""

import collections
import os
import warnings

from ...engine import TensorShape, dtypes, listeners_only
from ...errors import received, visible
from ...ops import expand_dims, squeeze
from ..summary import summary_of
from ..training import Trainer, of_any_batch_size
from ..utils import checked_name, leaves, mapped, snake_case
from ..variable import Variable, another_shape, inside
from .base import Layer, checked_shape, shape_of, shapes_in


class Model(Trainer, Layer):
    """A layer that consists of layers: a subclass assigns them to attributes and uses them in `call`.

    `compile` sets the optimizer, the loss and the metrics; `fit` trains the model; `evaluate` and `predict` use it.
    (There are no functional models: instead of `Model(inputs, outputs)`, define `call` in a subclass.)

    >>> import minigrad as mg
    >>> class Twice(mg.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.dense = mg.keras.layers.Dense(2)
    ...     def call(self, x):
    ...         return self.dense(self.dense(x))
    >>> twice = Twice()
    >>> twice(mg.ones([1, 2])).shape, len(twice.layers), len(twice.weights)
    (TensorShape([1, 2]), 1, 2)
    """

    @property
    def layers(self) -> list:
        """The layers in its attributes."""
        return self._objects_of(Layer)

    def get_layer(self, name=None, index=None) -> Layer:
        """The layer with this name, or with this index in `layers`.

        Raises:
            ValueError: there is no such layer, or not exactly one of the two is given.
        """
        if (name is None) == (index is None):
            problem = "Provide either a layer name or layer index at `get_layer`, and not both."
            raise received(problem, index=index, name=name)
        found = [one for i, one in enumerate(self.layers) if index in (i, i - len(self.layers)) or one.name == name]
        if not found:
            there = [one.name for one in self.layers]
            raise ValueError(f"No such layer: {visible(name or index)}. Existing layers are: {there}.")
        return found[0]

    def save(self, *args, **kwargs):
        """Not supported: minigrad saves weights, but not whole models."""
        problem = "minigrad saves weights, and no whole models: it has no `save` and no `load_model`."
        raise NotImplementedError(f"{problem} Write model.save_weights('name.weights.h5'), and load_weights.")

    def save_weights(self, filepath, overwrite=True, max_shard_size=None) -> None:
        """Write the values of the weights into one file.

        Args:
            filepath: ends with `.weights.h5`, as in Keras. But like the files of `mg.train.Checkpoint`, it is a NumPy
                `.npz` file, which Keras cannot read.
            overwrite: whether to replace an existing file.
            max_shard_size: accepted as in Keras, without effect.

        Raises:
            ValueError: the file has another ending, or there is nothing to write: the model is not built.
            FileExistsError: the file exists and must not be overwritten.

        >>> import os, tempfile
        >>> import minigrad as mg
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "line.weights.h5")
        >>> line, twin = [mg.keras.Sequential([mg.keras.Input([2]), mg.keras.layers.Dense(1)]) for _ in range(2)]
        >>> line.save_weights(path)
        >>> twin.load_weights(path)
        >>> print((line(mg.ones([1, 2])) == twin(mg.ones([1, 2]))).numpy())
        [[ True]]
        >>> folder.cleanup()
        """
        path = weights_file(filepath)
        if not overwrite and os.path.exists(path):
            raise FileExistsError(f"{visible(path)} is there. Write overwrite=True, or take another name.")
        parts = self._built_parts("saving a model")
        states = {f"{place}/{i}": v for place, layer in parts.items() for i, v in enumerate(own_weights(layer))}
        files().save_state(path, [], states)

    def load_weights(self, filepath, skip_mismatch=False) -> None:
        """Assign the values written by `save_weights` to the weights.

        The layers are matched by the attributes that lead to them; those in a list or dict by their class and its
        count: the second Dense of one to the second Dense of the other. The weights of a layer are matched by place.

        Args:
            filepath: the file.
            skip_mismatch: warn of layers whose values are missing or have another shape, and do not change them.

        Raises:
            ValueError: the file has another ending, the model is not built yet, or a layer has other weights there.
                Then nothing is changed. (Other layers in the file are ignored, as in Keras.)
            FileNotFoundError, DataLossError, UnimplementedError: there is no such file, it is damaged, or Keras wrote
                it.
        """
        path = weights_file(filepath)
        if not os.path.exists(path):
            raise FileNotFoundError(f"There is no file {visible(path)}.")
        arrays, parts = files().load_state(path, "")[1], self._built_parts("loading weights into a model")
        given = by_attribute(self, arrays) if any(OF_ATTRIBUTES in name for name in arrays) else by_layer(arrays)
        found = [(layer, own_weights(layer), given(place, layer)) for place, layer in parts.items()]
        problems = {layer: problem for layer, *both in found if (problem := misfit(layer, *both))}
        if problems:
            layer, problem = next(iter(problems.items()))
            head = f"A total of {len(problems)} objects could not be loaded. Example error message for object {layer}:"
            text = f"{head}\n\n{problem}\n\nList of objects that could not be loaded:\n{[*problems]}"
            if not skip_mismatch:
                raise ValueError(text)
            warnings.warn(text, stacklevel=2)
        for layer, variables, values in found:
            for variable, value in zip(variables, values if layer not in problems else []):
                variable.assign(value)

    def _built_parts(self, what):
        """The model and the layers in it, by place."""
        if not self.built:
            advice = "Try building the model first by calling it on some data or by using `build()`."
            raise ValueError(f"You are {what} that has not yet been built. {advice}")
        return dict(parts_in(self, "", set()))

    def __new__(cls, *args, **kwargs):
        if cls is Model and (args or {"inputs", "outputs"} & kwargs.keys()):
            problem = "minigrad has no functional models, and so no `Model(inputs, outputs)`."
            raise TypeError(f"{problem} Write Sequential([...]), or a subclass of Model with `call(self, x)`.")
        return super().__new__(cls)

    def _output_shapes(self):
        """id of a layer -> the shape of its output, or None where the layer's input shape is not known."""
        return {id(layer): layer._built_output_shape() for layer in self.layers}

    def summary(self, line_length=None, positions=None, print_fn=None, expand_nested=False, show_trainable=False,
                layer_range=None) -> None:  # fmt: skip
        """Print a table of the layers.

        Args:
            line_length: the length of a line; by default as needed, at most 88.
            positions: where the columns end, as fractions of the line.
            print_fn: a function to call with the text instead of `print`.
            expand_nested: also list the layers of inner models.
            show_trainable: also show whether each layer is trained.
            layer_range: two patterns for the names of the first and the last layer to list.

        Raises:
            ValueError: no layer has such a name, or the line is too short.

        >>> import minigrad as mg
        >>> model = mg.keras.Sequential([mg.keras.Input([3]), mg.keras.layers.Dense(2, name="d")], name="small")
        >>> model.summary(line_length=50)
        Model: "small"
        ┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━┳━━━━━━━━━┓
        ┃ Layer (type)        ┃ Output Shape   ┃ Param # ┃
        ┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━╇━━━━━━━━━┩
        │ d (Dense)           │ (None, 2)      │       8 │
        └─────────────────────┴────────────────┴─────────┘
         Total params: 8 (32.00 B)
         Trainable params: 8 (32.00 B)
         Non-trainable params: 0 (0.00 B)
        """
        text = summary_of(self, line_length, positions, expand_nested, show_trainable, layer_range)
        print(text, end="") if print_fn is None else print_fn(text)


class Input:
    """The first item of a Sequential: the shape of one example, so that weights can be created immediately.

    Args:
        shape: the shape of an example, without the batch axis.
        batch_size: the length of the batch axis; None for any.
        dtype: float32 by default.
        name: accepted as in Keras, without effect.
        batch_shape: the shape including the batch axis, instead of the first two arguments.

    Raises:
        ValueError: there is no shape, or two; or the name is not a string, or has a slash.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.Input([3]), mg.keras.layers.Dense(2)])
    >>> model.count_params()
    8
    """

    def __init__(self, shape=None, batch_size=None, dtype=None, name=None, batch_shape=None):
        if (shape is None) == (batch_shape is None):
            beside = "" if shape is None else ", and no `batch_shape` beside it"
            problem = f"You must pass a `shape` argument{beside}."
            raise ValueError(f"{problem} Write Input((3,)) for examples of 3 numbers.")
        self.shape = checked_shape((batch_size, *checked_shape(shape)) if batch_shape is None else batch_shape)
        self.dtype = dtypes.as_dtype(dtype or "float32").name
        self.name = None if name is None else checked_name(name)


InputLayer = Input


def files():
    """`mg.train`, imported when weights are first saved: importing json would make importing Keras slower."""
    from ... import train

    return train


def weights_file(path) -> str:
    """Check that the path of a weights file ends as in Keras, and return it."""
    path = os.fspath(path)
    if not path.endswith(".weights.h5"):
        raise received("The filename must end in `.weights.h5`.", filepath=path)
    return path


OF_ATTRIBUTES = "/.ATTRIBUTES/"  # in the names of arrays in older files, which have the attributes of each Variable


def parts_in(one, place, seen):
    """The layers in a layer, list or dict, itself first, each with its place: of several places the first."""
    if id(one) in seen or not isinstance(one, (Layer, list, tuple, dict)):
        return
    seen.add(id(one))
    if isinstance(one, Layer):
        yield place, one
    for name, item in named_items(one):
        yield from parts_in(item, f"{place}/{name}".lstrip("/"), seen)


def named_items(one):
    """What to look at for layers: attributes by name, and items of a list or dict by class and count.

    Private attributes come last, but the layers of a Sequential first.
    """
    if isinstance(one, Layer):
        return sorted(vars(one).items(), key=lambda item: (item[0] != "_layers", item[0].startswith("_"), item[0]))
    items, counts = [], collections.Counter()
    for item in one.values() if isinstance(one, dict) else one:
        if isinstance(item, (Layer, list, tuple, dict)):
            kind = snake_case(type(item).__name__) if isinstance(item, Layer) else "container"
            items.append((f"{kind}_{counts[kind]}" if counts[kind] else kind, item))
            counts[kind] += 1
    return items


def own_weights(layer):
    """The weights of a layer without those of the layers in it, the trainable ones first."""
    own = [v for v in layer._objects_of(Variable) if v.name != "seed_generator_state"]
    return sorted(own, key=lambda v: not v.value.trainable)


def by_layer(arrays):
    """A function that finds the values of a layer at a place among the arrays of a file."""

    found: dict = {}
    for name, array in arrays.items():
        found.setdefault(name.rpartition("/")[0], []).append(array)
    return lambda place, layer: found.get(place, [])


def by_attribute(model, arrays):
    """A function like that of `by_layer`, for an older file."""
    names = {id(state): name for name, state in files().graph_of(model)[1].items()}
    return lambda place, layer: [arrays[names[id(v)]] for v in own_weights(layer) if names.get(id(v)) in arrays]


def misfit(layer, variables, values):
    """Why these values are not those of the Variables of a layer; None if they are."""
    if len(variables) != len(values):
        counts = f"expected {len(variables)} variables, but received {len(values)} variables during loading."
        return f"Layer '{visible(layer.name)}' {counts} Expected: {[v.name for v in variables]}"
    return next((another_shape(v, x) for v, x in zip(variables, values) if tuple(v.shape) != x.shape), None)


class Sequential(Model):
    """Layers one after another: the output of each is the input of the next.

    Args:
        layers: a list of layers, which may begin with an `Input`; `add` appends more.
        trainable: whether its weights are `trainable_variables`.
        name: by default "sequential", numbered.

    Raises:
        ValueError: an item is not a layer, two layers have the same name, or an Input comes after a layer.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(4, activation="relu"), mg.keras.layers.Dense(1)])
    >>> model(mg.ones([2, 3])).shape, len(model.trainable_variables)
    (TensorShape([2, 1]), 4)
    """

    def __init__(self, layers=None, trainable=True, name=None):
        super().__init__(trainable=trainable, name=name)
        self._layers, self._input = [], None
        for layer in layers or []:
            self.add(layer, rebuild=False)
        if self._layers:
            self._build_layers()

    def add(self, layer, rebuild=True) -> None:
        """Append a layer, and make its weights if the shape of the inputs is known, unless `rebuild` is False.

        Raises:
            ValueError: it is not a layer, another layer has the same name, or it is an Input after a layer.
        """
        if isinstance(layer, Input):
            if self._input is not None:
                problem = f"Sequential model '{visible(self.name)}' has already been configured to use input shape"
                raise ValueError(f"{problem} {self._input.shape}. You cannot add a different Input layer to it.")
            if self._layers:
                problem = "Layers added to a Sequential model should have a single positional argument, the input"
                raise ValueError(f"{problem} tensor. An Input has none: it comes before the first layer.")
            self._input = layer
            return
        if not isinstance(layer, Layer):
            problem = "Only instances of `keras.Layer` can be added to a Sequential model."
            raise ValueError(f"{problem} Received: {visible(layer)} (of type {type(layer)})")
        if any(one is not layer and one.name == layer.name for one in self._layers):
            problem = "All layers added to a Sequential model should have unique names."
            given = f"Name '{visible(layer.name)}' is already the name of a layer in this model."
            raise ValueError(f"{problem} {given} Update the `name` argument to pass a unique name.")
        self._layers.append(layer)
        if layer._input_shape and self._input is None:
            self._input = Input(layer._input_shape)
        if rebuild:
            self._build_layers()

    def _lock(self):
        self.built = True  # more layers may be added

    @property
    def layers(self) -> list:
        """The layers, without an Input."""
        return list(self._layers)

    @layers.setter
    def layers(self, value):
        problem = "`Sequential.layers` attribute is reserved and should not be used."
        raise AttributeError(f"{problem} Use `add()` and `pop()` to change the layers in this model.")

    def pop(self) -> Layer:
        """Remove the last layer and return it."""
        return self._layers.pop()

    def build(self, input_shape=None):
        """Create the weights of all layers, for inputs of shape `input_shape`, which includes the batch axis."""
        if isinstance(input_shape, (tuple, list, TensorShape)):  # otherwise the first call does it, as in Keras
            if self._input is not None and self._input.shape != tuple(input_shape):
                problem = f"Sequential model '{visible(self.name)}' has already been configured to use input shape"
                raise ValueError(f"{problem} {self._input.shape}. You cannot build it with input_shape {input_shape}")
            self._input = Input(input_shape[1:], input_shape[0])
            self._build_layers()

    def _ensure_built(self, args, kwargs):
        if not self._layers:
            problem = f"Sequential model {visible(self.name)} cannot be built because it has no layers."
            raise ValueError(f"{problem} Call `model.add(layer)`.")
        shape = shape_of(args[0]) if args and hasattr(args[0], "shape") else ()
        if self._input is None and shape:
            self._input = Input(shape[1:], shape[0], args[0].dtype)
        self.built = True  # inner layers create their weights when `call` reaches them

    def _built_output_shape(self):
        return None if self._input is None else self.output_shape

    def _output_shapes(self):
        shapes, spec = {}, self._input
        for layer in self._layers if spec else []:
            spec = layer._output_spec(spec)
            shapes[id(layer)] = shapes_in(spec)
        return shapes

    def _output_spec(self, spec, itself=False):
        for layer in self._layers:
            spec = layer._output_spec(spec)
        return spec

    def _build_for(self, spec):
        with inside(self):
            self._ensure_built([spec], {})
            for layer in self._layers:
                spec = layer._build_for(spec)
        return spec

    def _known_input(self):
        if self._input is None:
            problem = f"Sequential model '{visible(self.name)}' has no defined input shape yet."
            raise AttributeError(f"{problem} Call it, or begin it with an Input.")
        return self._input

    @property
    def input_shape(self):
        """The shape of the inputs, with None for any number of examples.

        Raises:
            AttributeError: it is not known yet.
        """
        return self._known_input().shape

    @property
    def output_shape(self):
        """The shape of the outputs, with the errors of `input_shape`."""
        return shapes_in(self._output_spec(self._known_input()))

    def _build_layers(self):
        """Let the layers create their weights, if it is known for which inputs: unseen by tapes, as in Keras."""
        if self._input is not None:
            with listeners_only(), of_any_batch_size(self._input.shape[0] is None):
                self._build_for(self._input)

    def call(self, inputs):
        if self._input is not None and inputs is not None:
            inputs = self._with_rank(self._single(inputs))
        for layer in self._layers:
            inputs = layer(inputs)
        return inputs

    def _single(self, inputs):
        """The one Tensor of a list, or of a dict by the name of the Input.

        Raises:
            ValueError: a dict has no such name.
        """
        if not isinstance(inputs, (list, tuple, dict)):
            return inputs
        name = self._input.name or "keras_tensor"
        if isinstance(inputs, dict) and name in inputs:
            return inputs[name]
        given = mapped(lambda x: f"Tensor(shape={x.shape})", inputs)
        problem = "The structure of `inputs` doesn't match the expected structure."
        problem = f"{problem}\nExpected: {name}\nReceived: inputs={given}"
        if isinstance(inputs, dict):
            raise ValueError(problem)
        warnings.warn(problem, stacklevel=4)
        return leaves(inputs)[0]

    def _with_rank(self, x):
        """The input with as many axes as the model was built for: a last axis of length 1 is added, or left out.

        Raises:
            ValueError: another axis is missing or too many.
        """
        expected, given = self._input.shape, x.shape
        if len(given) == len(expected):
            return x
        if len(given) == len(expected) + 1 and given[-1] == 1:
            return squeeze(x, -1)
        if len(given) == len(expected) - 1 and expected[-1] == 1:
            return expand_dims(x, -1)
        problem = f"Invalid input shape for input {x} with name '{self._input.name or 'keras_tensor'}' and path ''."
        raise ValueError(f"{problem} Expected shape {expected}, but input has incompatible shape {tuple(given)}")
