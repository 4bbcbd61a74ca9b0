"""tf.keras.models: the models of `mg.keras` once more."""

from .layers.models import Model, Sequential

__all__ = ["Model", "Sequential"]
__dir__ = __all__.copy  # what Tab offers

__all__ = ["Model", "Sequential"]
