"""tf.keras: layers, losses, metrics, optimizers and initializers, as Keras 3 has them: the same numbers from the same seeds.

There is no `compile` and no `fit`: the loop is yours to write, with a GradientTape.
"""

from ..keras import activations, initializers, layers, losses, metrics, models, optimizers, regularizers, utils
from .layers.base import Layer
from .layers.models import Input, Model, Sequential
from .variable import Variable

__all__ = [
    "Input", "Layer", "Model", "Sequential", "Variable", "activations", "initializers", "layers", "losses", "metrics",
    "models", "optimizers", "regularizers", "utils",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers
