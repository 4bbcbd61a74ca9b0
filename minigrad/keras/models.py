"""tf.keras.models: the models of `mg.keras` once more."""

from .layers import Model, Sequential

__all__ = ["Model", "Sequential"]
