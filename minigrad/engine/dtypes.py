"""Dtypes: what kind of number an element is (`mg.float32`), and how to name it.

Inside the engine a dtype is NumPy's; a `DType` is what the user sees.
"""

import builtins
from typing import Any

import numpy as np

from ..errors import visible

__all__ = ["DType", "as_dtype", "bool", "complex64", "complex128", "double", "float16", "float32", "float64", "half",
           "int8", "int16", "int32", "int64", "string", "uint8", "uint16", "uint32", "uint64"]  # fmt: skip


class DType:
    """The kind of the elements of a Tensor, such as `mg.float32`.

    It equals its name and NumPy's own dtype:

    >>> import numpy as np
    >>> import minigrad as mg
    >>> mg.float32
    mg.float32
    >>> print(mg.float32)
    <dtype: 'float32'>
    >>> mg.float32 == "float32" and mg.float32 == np.float32
    True
    """

    __slots__ = ("_numpy", "kernel_name", "name")

    def __init__(self, name: str, numpy: type, kernel_name: str):
        self.name = name
        self._numpy = np.dtype(numpy)
        self.kernel_name = kernel_name  # the word that error messages use: 'float' for float32

    @property
    def dtype(self) -> np.dtype:
        """NumPy's dtype of the same kind; NumPy itself asks for it, as in `np.zeros(3, mg.float32)`."""
        return self._numpy

    @property
    def as_numpy_dtype(self) -> type:
        """NumPy's scalar type of the same kind, such as `np.float32`; for strings `object`."""
        return object if self is string else self._numpy.type

    @property
    def base_dtype(self) -> "DType":
        """The dtype itself: there are no reference dtypes."""
        return self

    @property
    def real_dtype(self) -> "DType":
        """The dtype of the real and the imaginary part."""
        return as_dtype(np.empty(0, self._numpy).real.dtype) if self.is_complex else self

    @property
    def size(self) -> int:
        """Bytes per element; 0 for strings, whose lengths differ."""
        return 0 if self is string else self._numpy.itemsize

    is_floating = property(lambda self: self._numpy.kind == "f", doc="Is it a real, non-integer kind?")
    is_complex = property(lambda self: self._numpy.kind == "c", doc="Is it a complex kind?")
    is_integer = property(lambda self: self._numpy.kind in "iu", doc="Is it an integer kind?")
    is_unsigned = property(lambda self: self._numpy.kind == "u", doc="Is it an integer kind without minus?")
    is_bool = property(lambda self: self._numpy.kind == "b", doc="Is it bool?")
    is_numeric = property(lambda self: self._numpy.kind in "iufc", doc="Is it a kind of number?")
    is_numpy_compatible = property(lambda self: True, doc="Does NumPy know it? All here are NumPy's.")
    is_quantized = property(lambda self: False, doc="Is it a kind of rounded number? There are none here.")

    @property
    def min(self) -> Any:
        """The smallest finite number.

        Raises:
            TypeError: there is none (bool, string, complex).
        """
        return self._limits("minimum").min

    @property
    def max(self) -> Any:
        """The largest finite number.

        Raises:
            TypeError: there is none (bool, string, complex).
        """
        return self._limits("maximum").max

    def _limits(self, which):
        if self.is_floating:
            return np.finfo(self._numpy)
        if self.is_integer:
            return np.iinfo(self._numpy)
        raise TypeError(f"Cannot find {which} value of {self} with type {self}.")

    @property
    def limits(self) -> tuple[int, int]:
        """The range of pixel values in an image: (0, 1) for floats, (0, 255) for uint8.

        Raises:
            ValueError: there is no such convention (float16, complex, string).
        """
        if self in (float32, float64):
            return 0, 1
        if self.is_integer or self.is_bool:
            return 0, True if self.is_bool else self.max
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Is it the same dtype? There are no implicit casts."""
        return self == other

    def __eq__(self, other):
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return f"<dtype: {self.name!r}>"

    def __repr__(self):
        return f"mg.{self.name}"

    def __reduce__(self):
        return as_dtype, (self.name,)


float16 = half = DType("float16", np.float16, "half")
float32 = DType("float32", np.float32, "float")
float64 = double = DType("float64", np.float64, "double")
int8 = DType("int8", np.int8, "int8")
int16 = DType("int16", np.int16, "int16")
int32 = DType("int32", np.int32, "int32")
int64 = DType("int64", np.int64, "int64")
uint8 = DType("uint8", np.uint8, "uint8")
uint16 = DType("uint16", np.uint16, "uint16")
uint32 = DType("uint32", np.uint32, "uint32")
uint64 = DType("uint64", np.uint64, "uint64")
complex64 = DType("complex64", np.complex64, "complex64")
complex128 = DType("complex128", np.complex128, "complex128")
bool = DType("bool", np.bool_, "bool")
string = DType("string", object, "string")  # NumPy keeps the bytes as objects

ALL = (float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool,
       string)  # fmt: skip
BY_NUMPY = {dtype.dtype: dtype for dtype in ALL}
BY_NAME = {dtype.name: dtype for dtype in ALL} | {"float": float32, "half": float16, "double": float64}
BY_TYPE = {dtype.as_numpy_dtype: dtype for dtype in ALL} | {
    float: float32, builtins.bool: bool, np.longlong: int64, np.ulonglong: uint64,
    np.object_: string, np.str_: string, np.bytes_: string,
}  # fmt: skip


def as_dtype(type_value: Any) -> DType:
    """The DType that `type_value` names.

    Args:
        type_value: a DType, its name, a NumPy dtype, scalar type or array, or Python's `float` or `bool`.

    Returns:
        The DType; Python's `float` means float32.

    Raises:
        TypeError: it names no dtype that exists here. (Python's `int` does not: is it int32 or int64?)

    >>> as_dtype("float64"), as_dtype(np.int8), as_dtype(float)
    (mg.float64, mg.int8, mg.float32)
    """
    if type_value.__class__ is DType:
        return type_value
    if isinstance(type_value, str):
        found = BY_NAME.get(type_value)
    elif isinstance(type_value, type):
        found = BY_TYPE.get(type_value)
    elif isinstance(dtype := getattr(type_value, "dtype", type_value), np.dtype):  # an array names its own
        found = string if dtype.kind in "SU" else BY_NUMPY.get(dtype.newbyteorder("="))
    else:
        found = None
    if found is None:
        instead = " Write mg.int32 or mg.int64." if type_value is int else ""
        given = visible(repr(type_value))
        raise TypeError(f"Cannot convert the argument `type_value`: {given} to a TensorFlow DType.{instead}")
    return found


def to_numpy(dtype: Any) -> np.dtype:
    """The NumPy dtype for anything that names a dtype."""
    return as_dtype(dtype).dtype
