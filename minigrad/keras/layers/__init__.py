"""tf.keras.layers: the base class Layer and the layers of minigrad; `Model` and `Sequential` are in `mg.keras`."""

# fmt: off
from .base import Layer
from .convolutional import (
    Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, DepthwiseConv1D, DepthwiseConv2D,
    SeparableConv1D, SeparableConv2D,
)
from .models import Input, InputLayer
from .noise import Dropout, GaussianNoise
from .pooling import (
    AveragePooling1D, AveragePooling2D, AveragePooling3D, GlobalAveragePooling1D, GlobalAveragePooling2D,
    GlobalAveragePooling3D, GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D, MaxPooling1D, MaxPooling2D,
    MaxPooling3D, UpSampling1D, UpSampling2D, UpSampling3D, ZeroPadding1D, ZeroPadding2D,
    ZeroPadding3D,
)
from .stateless import (
    ELU, Activation, Add, Average, Concatenate, Flatten, Identity, Lambda, LeakyReLU, Masking, Maximum, Minimum,
    Multiply, ReLU, Rescaling, Reshape, Softmax, Subtract,
)
from .weighted import BatchNormalization, Dense, Embedding, LayerNormalization

__all__ = ["ELU", "Activation", "Add", "Average", "AveragePooling1D", "AveragePooling2D", "AveragePooling3D",
           "BatchNormalization", "Concatenate", "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D",
           "Conv3DTranspose", "Dense", "DepthwiseConv1D", "DepthwiseConv2D", "Dropout", "Embedding", "Flatten",
           "GaussianNoise", "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D",
           "GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D", "Identity", "Input", "InputLayer",
           "Lambda", "Layer", "LayerNormalization", "LeakyReLU", "Masking", "MaxPooling1D", "MaxPooling2D",
           "MaxPooling3D", "Maximum", "Minimum", "Multiply", "ReLU", "Rescaling", "Reshape", "SeparableConv1D",
           "SeparableConv2D", "Softmax", "Subtract", "UpSampling1D", "UpSampling2D", "UpSampling3D", "ZeroPadding1D",
           "ZeroPadding2D", "ZeroPadding3D"]  # fmt: skip
for name in [name for name in __all__ if "Pooling" in name]:  # the shorter names that Keras also has
    globals()[name.replace("Average", "Avg").replace("Pooling", "Pool")] = globals()[name]
