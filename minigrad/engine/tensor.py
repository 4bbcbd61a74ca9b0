"""Tensor: an immutable value with a unique id. This module knows nothing of ops and tapes."""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes
from .conversion import as_value
from .listening import coming, leaving
from .shape import TensorShape

ids = itertools.count(1)  # 0 is the id of cached Python numbers, which no tape can watch
next_id = ids.__next__


class Operators:
    """Python's operators on Tensors and Variables: `x * y` runs the op `multiply`. See program/operators.py."""

    __slots__ = ()

    if TYPE_CHECKING:  # they are set by the table in program/operators.py

        def binary(self, other: Any) -> "Tensor": ...
        def unary(self) -> "Tensor": ...

        @property
        def shape(self) -> TensorShape: ...
        def __eq__(self, other: Any) -> Any: ...  # a Tensor; False beside None
        def __ne__(self, other: Any) -> Any: ...
        def __iter__(self) -> "Iterator[Tensor]": ...

        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = binary
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = __rmatmul__ = binary
        __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = __lt__ = __le__ = __gt__ = __ge__ = binary
        __getitem__, __neg__, __abs__, __invert__ = binary, unary, unary, unary

    def get_shape(self) -> TensorShape:
        """The length of each axis; the same as `shape`."""
        return self.shape

    def ref(self) -> "Reference":
        """A hashable handle, for sets and dicts. Tensors and Variables are not hashable, as `==` compares elements."""
        return Reference(self)

    def __copy__(self):
        return self


class Tensor(Operators):
    """An immutable value: a number, or an array of numbers of one dtype.

    Create one with `mg.constant`; ops return others. Operators (`x * y`, `x[0]`, `x > 0`) run the corresponding ops:
    program/operators.py has the table, and `print(mg.Tensor.__mul__.source)` shows what runs.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.0, 2.0]])
    >>> x
    <mg.Tensor: shape=(1, 2), dtype=float32, numpy=array([[1., 2.]], dtype=float32)>
    >>> print(x.shape, x.dtype.name, (x + 1.0).numpy())
    (1, 2) float32 [[2. 3.]]
    """

    __slots__ = ("__weakref__", "id", "value")
    id: int
    value: Any  # an array, or a NumPy scalar
    __array_priority__ = 100  # so that `ndarray * tensor` asks the Tensor

    @classmethod
    def of(cls, value: Any) -> "Tensor":
        """A Tensor of a value that NumPy has just computed, without checks or copies."""
        tensor = Tensor()
        tensor.value, tensor.id = value, next_id()
        return tensor

    @property
    def shape(self) -> TensorShape:
        """The length of each axis."""
        return TensorShape.of(self.value.shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements."""
        return dtypes.BY_NUMPY[self.value.dtype]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.value.ndim

    @property
    def device(self) -> str:
        """Where the value is kept: always the CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def set_shape(self, shape: Any) -> None:
        """Check that the shape is compatible with this one, which is always known here.

        Raises:
            ValueError: the shapes are incompatible.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}.")

    def numpy(self) -> Any:
        """The value as a NumPy array (a copy) or, without axes, as a NumPy scalar. Tapes do not follow the result.

        >>> import minigrad as mg
        >>> mg.constant(6.0).numpy()
        np.float32(6.0)
        """
        value = self.value
        return leaving(self, "numpy()", value.copy() if value.ndim else value[()])

    def __tf_tensor__(self, dtype: Any = None, name: "str | None" = None) -> "Tensor":
        """The Tensor itself, for conversion to a Tensor.

        Raises:
            ValueError: the Tensor has another dtype: it is never cast implicitly.
        """
        if dtype is not None and dtypes.as_dtype(dtype) is not self.dtype:
            wanted = dtypes.as_dtype(dtype)
            problem = f"{f'{name}: ' if name else ''}Tensor conversion requested dtype {wanted.name} for Tensor"
            raise ValueError(f"{problem} with dtype {self.dtype.name}: {self!r}. Write mg.cast(x, {wanted!r}).")
        return self

    def __array__(self, dtype=None, copy=None):
        array = np.asarray(self.value).view()
        array.flags.writeable = False
        return leaving(self, "NumPy", np.array(array, dtype, copy=copy))

    def __bool__(self):
        if self.value.size > 1:
            problem = "The truth value of an array with more than one element is ambiguous."
            raise ValueError(f"{problem} Use a.any() or a.all()")
        return leaving(self, "bool()", bool(self.value.size and self.value.item()))

    def __int__(self):
        return leaving(self, "int()", int(self._scalar()))

    def __float__(self):
        return leaving(self, "float()", float(self._scalar()))

    def __complex__(self):
        return leaving(self, "complex()", complex(self._scalar()))

    def _scalar(self):
        """The value, if it has no axes. (NumPy before 2.4 converts arrays of one element too.)"""
        if self.value.ndim:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return self.value

    def __index__(self):
        return leaving(self, "int()", self.value.__index__())

    def __len__(self):
        if not self.value.ndim:
            raise TypeError("Scalar tensor has no `len()`.")
        return len(self.value)

    def __round__(self, digits=0):
        problem = "'Tensor' object has no attribute 'astype'."
        raise AttributeError(f"{problem} Write mg.round(x) or, for a Python number, round(float(x)).")

    def __format__(self, spec):
        return format(np.asarray(self.value), spec)

    def __hash__(self):
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Tensor.of, (leaving(self, "a copy", self.value),)

    def __str__(self):
        if hasattr(self.value, "symbol"):  # while a function is traced
            return f'Tensor("{self.value.symbol}", shape={self.shape}, dtype={self.dtype.name})'
        text = str(self.value)
        gap = "\n" if "\n" in text else ""
        return f"mg.Tensor({gap}{text}, shape={self.value.shape}, dtype={self.dtype.name})"

    def __repr__(self):
        if hasattr(self.value, "symbol"):
            return f"<mg.Tensor '{self.value.symbol}' shape={self.shape} dtype={self.dtype.name}>"
        return f"<mg.Tensor: shape={self.value.shape}, dtype={self.dtype.name}, numpy={shown(self.value)}>"

    def __dir__(self):
        return [name for name in object.__dir__(self) if name not in HABITS]


GRAPHS = ("name", "graph", "op", "value_index")  # attributes that tensors have only in TensorFlow's graphs
ONLY_VARIABLES = "x = mg.Variable(...): only Variables can change"
HABITS = {"T": "mg.transpose(x)", "size": "mg.size(x)", "reshape": "mg.reshape(x, shape)", "item": "float(x)",
          "sum": "mg.reduce_sum(x)", "mean": "mg.reduce_mean(x)", "max": "mg.reduce_max(x)", "min": "mg.reduce_min(x)",
          "astype": "mg.cast(x, dtype)", "tolist": "x.numpy().tolist()", "transpose": "mg.transpose(x)",
          "ravel": "mg.reshape(x, [-1])", "clip": "mg.clip_by_value(x, low, high)", "data": "x.numpy()",
          "assign": ONLY_VARIABLES, "assign_add": ONLY_VARIABLES, "assign_sub": ONLY_VARIABLES,
          "grad": "tape.gradient(y, x)", "backward": "tape.gradient(y, x)"}  # fmt: skip


class Missing:
    """An attribute that tensors of other libraries have but ours lack: the error says what to write instead.

    (One descriptor each rather than `__getattr__`, which would slow down every attribute lookup.)
    """

    def __init__(self, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if self.name in GRAPHS:
            raise AttributeError(f"Tensor.{self.name} is undefined when eager execution is enabled.")
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}. Write {HABITS[self.name]}.")


def refuse_habits(kind):
    """Give a class such an error for each of these attributes that it lacks."""
    for name in {*HABITS, *GRAPHS} - {*vars(kind)}:
        setattr(kind, name, Missing(name))


refuse_habits(Tensor)


class Reference:
    """A hashable handle of one Tensor or Variable: equal only to handles of the same object."""

    __slots__ = ("_object",)

    def __init__(self, object):
        self._object = object

    def deref(self):
        """The object that it refers to."""
        return self._object

    def __eq__(self, other):
        if not isinstance(other, Reference):
            raise TypeError("Cannot compare wrapped object with unwrapped object")
        return other._object is self._object

    def __hash__(self):
        return id(self._object)

    def __repr__(self):
        return f"<Reference wrapping {self._object!r}>"


def shown(value) -> str:
    """The value as a repr shows it: `3.0`, or `array([3., 4.], dtype=float32)`, on a line of its own if long."""
    if value.ndim == 0:
        return repr(value.item())
    text = repr(value)
    return "\n" + text if "\n" in text else text


def constant(value: Any, dtype: Any = None, shape: Any = None, name: "str | None" = "Const") -> Tensor:
    """A Tensor with this value.

    Args:
        value: a number, a string, a NumPy array, or lists of these; all are copied.
        dtype: the dtype of the elements. If None, Python floats become float32 and Python ints int32 (int64 if they are
            large), and a NumPy array keeps its dtype.
        shape: the shape of the result; a single number fills it.
        name: accepted as in TensorFlow; eager Tensors have no name.

    Returns:
        A Tensor: `value` itself if it is a Tensor already and keeps its shape.

    Raises:
        TypeError: the value does not fit `dtype` (1.5 is not an int32) or `shape`.
        ValueError: the value is not rectangular, or its type is not supported.

    >>> import minigrad as mg
    >>> mg.constant([1, 2])
    <mg.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    >>> mg.constant(5.0, shape=(1, 2))
    <mg.Tensor: shape=(1, 2), dtype=float32, numpy=array([[5., 5.]], dtype=float32)>
    """
    tensor = same_dtype(value, dtype) if isinstance(value, Tensor) else coming(value, Tensor.of(as_value(value, dtype)))
    return tensor if shape is None else reshaped(tensor, TensorShape(shape), value)


def same_dtype(tensor, dtype):
    """The Tensor, which must have the requested dtype: it is never cast implicitly."""
    if dtype is not None and dtypes.as_dtype(dtype) != tensor.dtype:
        problem = f"Expected tensor {tensor.value} with dtype {dtypes.as_dtype(dtype)!r}, but got dtype"
        raise TypeError(f"{problem} {tensor.dtype!r}. To convert it, write mg.cast(x, {dtypes.as_dtype(dtype)!r}).")
    return tensor


def reshaped(tensor, shape, value):
    """`constant` with a shape: the same elements, or one element everywhere."""
    if tensor.shape == shape:
        return tensor
    if tensor.value.size == shape.num_elements():
        return Tensor.of(np.reshape(tensor.value, shape)[()])
    if tensor.value.size == 1:
        return Tensor.of(np.full(shape.as_list(), tensor.value))
    value = value.value if isinstance(value, Tensor) else value
    given = f"Tensor {tensor.value} (converted from {value}) has {tensor.value.size} elements"
    wanted = f"`shape` {shape} with {shape.num_elements()} elements"
    raise TypeError(f"Eager execution of tf.constant with unsupported shape. {given}, but got {wanted}).")
