"""tf.keras: layers, losses, metrics and optimizers with the names of Keras 3 and, for the same seeds, its numbers.

`compile` and `fit` are in training.py: a loop over a GradientTape and these pieces.
"""

from .. import later
from . import (
    activations, backend, callbacks, constraints, initializers, layers, losses, metrics, models, optimizers,
    regularizers, utils,
)  # fmt: skip
from .layers.base import Layer
from .layers.models import Input, Model, Sequential
from .variable import Variable

__all__ = ["Input", "Layer", "Model", "Sequential", "Variable", "activations", "backend", "callbacks", "constraints",
           "initializers", "layers", "losses", "metrics", "models", "optimizers", "regularizers", "utils"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers
for space in (activations, backend, callbacks, constraints, initializers, layers, losses, metrics, models,
              optimizers, regularizers, utils):  # fmt: skip
    vars(space).update(__dir__=space.__all__.copy, __getattr__=later.loads(space.__name__, {}))
