"""Model, Sequential and Input: layers that consist of layers."""

import os

import numpy as np

from ...engine import Tensor, dtypes, listeners_only
from ...errors import received, visible
from ..summary import summary_of
from ..training import Trainer, of_any_batch_size
from ..utils import checked_name
from .base import Layer, shape_of


class Model(Trainer, Layer):
    """A layer that consists of layers: a subclass assigns them to attributes and uses them in `call`.

    `compile` sets what it is trained with, `fit` trains it, `evaluate` and `predict` use it. (There are no functional
    models: `Model(inputs, outputs)` needs `call` in a subclass instead.)

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

    def save_weights(self, filepath, overwrite=True, max_shard_size=None) -> None:
        """Write the values of all Variables into one file.

        Args:
            filepath: ends with `.weights.h5`, as in Keras. What is in it is an `.npz` of NumPy all the same, as in the
                files of `mg.train.Checkpoint`: Keras does not read it.
            overwrite: whether a file of that name is replaced.
            max_shard_size: accepted as in Keras, without effect.

        Raises:
            ValueError: the file has another ending, or there is nothing to write: the model is not built.
            FileExistsError: there is one, and it is not to be overwritten.

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
        files().save_state(path, [], self._built_states("saving a model"))

    def load_weights(self, filepath, skip_mismatch=False) -> None:
        """Give all Variables the values that `save_weights` has written, matched by the attributes that lead to them.

        Args:
            filepath: the file.
            skip_mismatch: leave those as they are whose values are missing or of another shape.

        Raises:
            ValueError: the file has another ending, the model is not built yet, or a value is missing or has another
                shape: then nothing is changed. (What the file has besides is left, as by Keras.)
            FileNotFoundError, DataLossError, UnimplementedError: there is no file, it is damaged, or it is Keras's.
        """
        path = weights_file(filepath)
        if not os.path.exists(path):
            raise FileNotFoundError(f"There is no file {visible(path)}.")
        arrays, own = files().load_state(path, "")[1], self._built_states("loading weights into a model")
        shapes = {name: array.shape for name, array in arrays.items()}
        misfits = {name: f"shape {shapes[name]}, not {tuple(state.shape)}," if name in shapes else "nothing"
                   for name, state in own.items() if shapes.get(name) != tuple(state.shape)}  # fmt: skip
        if misfits and not skip_mismatch:
            place, kept = next(iter(misfits.items()))
            place = place.partition("/.ATTRIBUTES")[0].replace("/", ".")
            problem = f"A total of {len(misfits)} objects could not be loaded."
            raise ValueError(f"{problem} {visible(path)} has {kept} for {place} of {visible(self.name)}.")
        for name in own.keys() - misfits.keys():
            own[name].assign(arrays[name])

    def _built_states(self, what):
        """Its Variables by the attributes that lead to them."""
        own = {id(variable) for variable in self.variables}
        if not self.built:
            advice = "Try building the model first by calling it on some data or by using `build()`."
            raise ValueError(f"You are {what} that has not yet been built. {advice}")
        return {name: state for name, state in files().graph_of(self)[1].items() if id(state) in own}

    def __new__(cls, *args, **kwargs):
        if cls is Model and (args or {"inputs", "outputs"} & kwargs.keys()):
            problem = "minigrad has no functional models, and so no `Model(inputs, outputs)`."
            raise TypeError(f"{problem} Write Sequential([...]), or a subclass of Model with `call(self, x)`.")
        return super().__new__(cls)

    def _output_shapes(self):
        """The id of each layer -> the shape of its output, where it is known from how the layer was built."""
        known = [layer for layer in self.layers if layer._built_for is not None]
        return {id(layer): layer.compute_output_shape(layer._built_for) for layer in known}

    def summary(self, line_length=None, positions=None, print_fn=None, expand_nested=False, show_trainable=False,
                layer_range=None) -> None:  # fmt: skip
        """Print a table of the layers.

        Args:
            line_length: the length of a line; by default what fits, at most 88.
            positions: where the columns end, as shares of the line.
            print_fn: a function of the text, in place of `print`.
            expand_nested: also list the layers of models in the model.
            show_trainable: also tell of each layer whether it is trained.
            layer_range: two patterns: the names of the first and the last layer to list.

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
    """The first item of a Sequential: the shape of one example, so that the weights are created at once.

    Args:
        shape: the shape of an example, without the batch axis.
        batch_size: the length of the batch axis; None for any.
        dtype: float32 by default.
        name: accepted as in Keras, without effect.
        batch_shape: the shape with the batch axis, in place of the first two.

    Raises:
        ValueError: the name is not a string, or has a slash.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.Input([3]), mg.keras.layers.Dense(2)])
    >>> model.count_params()
    8
    """

    def __init__(self, shape=None, batch_size=None, dtype=None, name=None, batch_shape=None):
        self.shape = (batch_size, *(shape or ())) if batch_shape is None else tuple(batch_shape)
        self.dtype = dtypes.as_dtype(dtype or "float32").name
        self.name = None if name is None else checked_name(name)


InputLayer = Input


def files():
    """`mg.train`, which is loaded when weights are first saved: importing json would make importing Keras slower."""
    from ... import train

    return train


def weights_file(path) -> str:
    """The path of a file of weights, whose name must end as in Keras."""
    path = os.fspath(path)
    if not path.endswith(".weights.h5"):
        raise received("The filename must end in `.weights.h5`.", filepath=path)
    return path


class Sequential(Model):
    """Layers one after another: the output of each is the input of the next.

    Args:
        layers: a list of layers, which may begin with an `Input`; `add` appends more.
        trainable: whether its weights are `trainable_variables`.
        name: by default "sequential", numbered.

    Raises:
        ValueError: an item is not a layer, or two layers have the same name.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(4, activation="relu"), mg.keras.layers.Dense(1)])
    >>> model(mg.ones([2, 3])).shape, len(model.trainable_variables)
    (TensorShape([2, 1]), 4)
    """

    def __init__(self, layers=None, trainable=True, name=None):
        super().__init__(trainable=trainable, name=name)
        self._layers, self._input = [], None
        for layer in layers or []:
            self.add(layer)

    def add(self, layer) -> None:
        """Append a layer.

        Raises:
            ValueError: it is not a layer, or another layer has the same name.
        """
        if isinstance(layer, Input):
            if self._input is not None:
                problem = f"Sequential model '{visible(self.name)}' has already been configured to use input shape"
                raise ValueError(f"{problem} {self._input.shape}. You cannot add a different Input layer to it.")
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
        if self._input is not None:
            self._build_layers()

    @property
    def layers(self) -> list:
        """The layers, without the Input."""
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
        if isinstance(input_shape, (tuple, list)):  # otherwise the first call creates them, as in Keras
            if self._input is not None and self._input.shape != tuple(input_shape):
                problem = f"Sequential model '{visible(self.name)}' has already been configured to use input shape"
                raise ValueError(f"{problem} {self._input.shape}. You cannot build it with input_shape {input_shape}")
            self._input = Input(input_shape[1:], input_shape[0])
            self._build_layers()

    def _ensure_built(self, args, kwargs):
        if not self._layers:
            problem = f"Sequential model {visible(self.name)} cannot be built because it has no layers."
            raise ValueError(f"{problem} Call `model.add(layer)`.")
        if self._input is None and args and hasattr(args[0], "shape") and len(args[0].shape):
            self._input = Input(shape_of(args[0])[1:], shape_of(args[0])[0], args[0].dtype)
        self.built = True  # inner layers create their weights when `call` reaches them

    def _output_shapes(self):
        shapes, shape = {}, None if self._input is None else self._input.shape
        for layer in self._layers if shape else []:
            shape = shapes[id(layer)] = layer.compute_output_shape(shape)
        return shapes

    @property
    def input_shape(self):
        """The shape of the inputs, with None for any number of examples.

        Raises:
            AttributeError: it is not known yet.
        """
        if self._input is None:
            problem = f"Sequential model '{visible(self.name)}' has no defined input shape yet."
            raise AttributeError(f"{problem} Call it, or begin it with an Input.")
        return self._input.shape

    output_shape = property(lambda self: self.compute_output_shape(self.input_shape), doc="The shape of the outputs.")

    def _build_layers(self):
        """Call the layers on zeros, so that they create their weights, unseen by tapes: Keras computes nothing here."""
        zeros = Tensor.of(np.zeros([1 if n is None else n for n in self._input.shape], self._input.dtype))
        with listeners_only(), of_any_batch_size(self._input.shape[0] is None):
            self(zeros, training=False)

    def call(self, inputs):
        for layer in self._layers:
            inputs = layer(inputs)
        return inputs
