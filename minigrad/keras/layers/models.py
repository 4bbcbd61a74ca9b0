"""Models: layers that hold layers."""

import numpy as np

from ...engine import dtypes
from ...engine.listening import listeners_only
from ...engine.tensor import Tensor
from ..utils import checked_name
from .base import Layer

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
        with listeners_only():
            self(zeros, training=False)

    def call(self, inputs):
        for layer in self._row:
            inputs = layer(inputs)
        return inputs
