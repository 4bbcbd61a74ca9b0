"""tf.keras: layers, losses, metrics and optimizers with the names of Keras 3 and, for the same seeds, its numbers.

There is no `compile` and no `fit`: a training loop is written with a GradientTape.
"""

from . import activations, initializers, layers, losses, metrics, models, optimizers, regularizers, utils
from .layers.base import Layer
from .layers.models import Input, Model, Sequential
from .variable import Variable

__all__ = ["Input", "Layer", "Model", "Sequential", "Variable", "activations", "initializers", "layers", "losses",
           "metrics", "models", "optimizers", "regularizers", "utils"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers
for space in (activations, initializers, layers, losses, metrics, models, optimizers, regularizers, utils):
    vars(space)["__dir__"] = space.__all__.copy
