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

OVER_TIME = ("GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "SimpleRNN", "SimpleRNNCell", "Bidirectional",
             "TimeDistributed")  # fmt: skip


def __getattr__(name):
    if name in OVER_TIME:
        problem = f"minigrad has no layers over time, and so no `{name}`."
        advice = "Write a Layer whose `call` loops over the steps: for x in mg.unstack(inputs, axis=1)."
        raise AttributeError(f"{problem} {advice}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
