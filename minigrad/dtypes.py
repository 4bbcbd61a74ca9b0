"""tf.dtypes: what kind of number an element is, and how one becomes another."""

# fmt: off
from .engine.dtypes import (
    DType,
    as_dtype,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .math.complex_numbers import complex
from .math.elementwise import saturate_cast
from .ops.creation import cast

__all__ = [
    "DType", "as_dtype", "bool", "cast", "complex", "complex64", "complex128", "double", "float16", "float32",
    "float64", "half", "int8", "int16", "int32", "int64", "saturate_cast", "string", "uint8", "uint16", "uint32",
    "uint64",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers
