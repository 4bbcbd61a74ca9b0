"""tf.keras.models: `Model` and `Sequential` under their other name."""

from .layers.models import Model, Sequential

__all__ = ["Model", "Sequential"]
