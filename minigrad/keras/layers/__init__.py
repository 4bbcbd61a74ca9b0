"""tf.keras.layers: the base class Layer and the layers of minigrad; `Model` and `Sequential` are in `mg.keras`."""

# fmt: off
from .base import Layer
from .models import Input, InputLayer
from .noise import Dropout, GaussianNoise
from .stateless import (
    ELU, Activation, Add, Average, Concatenate, Flatten, Identity, Lambda, LeakyReLU, Masking, Maximum, Minimum,
    Multiply, ReLU, Rescaling, Reshape, Softmax, Subtract,
)
from .weighted import BatchNormalization, Dense, Embedding, LayerNormalization

__all__ = ["ELU", "Activation", "Add", "Average", "BatchNormalization", "Concatenate", "Dense", "Dropout",
           "Embedding", "Flatten", "GaussianNoise", "Identity", "Input", "InputLayer", "Lambda", "Layer",
           "LayerNormalization", "LeakyReLU", "Masking", "Maximum", "Minimum", "Multiply", "ReLU", "Rescaling",
           "Reshape", "Softmax", "Subtract"]  # fmt: skip
