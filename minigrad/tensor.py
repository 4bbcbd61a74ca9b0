"""Tensor: a value that never changes, and a number to call it by. Knows no op and no tape."""

import itertools

import numpy as np

from . import dtypes
from .shape import TensorShape

next_id = itertools.count(1).__next__  # 0 is nobody: a constant that no tape can watch
new = object.__new__  # skips __init__, which the results of ops do not need


class Tensor:
    """A value: a number, or an array of numbers of one dtype. It never changes.

    Make one with `mg.constant`; ops make the others. Its operators (`x * y`, `x[0]`, `x > 0`) are the ops of
    the same meaning.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.0, 2.0]])
    >>> x
    <mg.Tensor: shape=(1, 2), dtype=float32, numpy=array([[1., 2.]], dtype=float32)>
    >>> print(x.shape, x.dtype.name, (x + 1.0).numpy())
    (1, 2) float32 [[2. 3.]]
    """

    __slots__ = ("__weakref__", "id", "value")
    __array_priority__ = 100  # so that `ndarray * tensor` asks the Tensor

    def __init__(self, value, dtype=None):
        self.value = as_value(value, dtype)
        self.id = next_id()

    @classmethod
    def of(cls, value):
        """The Tensor of a value that NumPy has just made: nothing is checked, nothing copied."""
        tensor = new(Tensor)
        tensor.value, tensor.id = value, next_id()
        return tensor

    @property
    def shape(self) -> TensorShape:
        """The length of each axis."""
        return TensorShape(self.value.shape)

    @property
    def dtype(self) -> dtypes.DType:
        """What kind of number each element is."""
        return dtypes.BY_NUMPY[self.value.dtype]

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self.value.ndim

    @property
    def device(self) -> str:
        """Where the value is kept: always the CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    @property
    def name(self):
        """Undefined, as in TensorFlow's eager mode.

        Raises:
            AttributeError: always.
        """
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    def get_shape(self) -> TensorShape:
        """The length of each axis, as `shape`."""
        return self.shape

    def numpy(self):
        """The value as a NumPy array (a copy) or, without axes, as a NumPy scalar. It leaves the tape behind.

        >>> import minigrad as mg
        >>> mg.constant(6.0).numpy()
        np.float32(6.0)
        """
        value = self.value
        return value.copy() if value.ndim else value[()]

    def ref(self) -> "Reference":
        """A handle that can be hashed, for sets and for the keys of a dict: Tensors themselves cannot, as `==` compares elements."""
        return Reference(self)

    def __tf_tensor__(self, dtype=None, name=None) -> "Tensor":
        return self

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value, dtype)

    def __bool__(self):
        if self.value.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self.value.size and self.value.item())

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __complex__(self):
        return complex(self.value)

    def __index__(self):
        return self.value.__index__()

    def __len__(self):
        if not self.value.ndim:
            raise TypeError("Scalar tensor has no `len()`.")
        return len(self.value)

    def __format__(self, spec):
        return format(self.value, spec) if spec else str(self)

    def __hash__(self):
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return Tensor.of(self.value)

    def __reduce__(self):
        return Tensor.of, (self.value,)

    def __str__(self):
        text = str(self.value)
        gap = "\n" if "\n" in text else ""
        return f"mg.Tensor({gap}{text}, shape={self.value.shape}, dtype={self.dtype.name})"

    def __repr__(self):
        return f"<mg.Tensor: shape={self.value.shape}, dtype={self.dtype.name}, numpy={shown(self.value)}>"

    def __getattr__(self, name):
        instead = NUMPY_HABITS.get(name)
        advice = f" Write {instead}." if instead else ""
        raise AttributeError(f"'Tensor' object has no attribute {name!r}.{advice}")


NUMPY_HABITS = {
    "T": "mg.transpose(x)", "size": "mg.size(x)", "reshape": "mg.reshape(x, shape)", "item": "float(x)",
    "sum": "mg.reduce_sum(x)", "mean": "mg.reduce_mean(x)", "max": "mg.reduce_max(x)", "min": "mg.reduce_min(x)",
    "astype": "mg.cast(x, dtype)", "tolist": "x.numpy().tolist()", "transpose": "mg.transpose(x)",
    "assign": "x = mg.Variable(...): only Variables can change", "assign_add": "x = mg.Variable(...): only Variables can change",
    "assign_sub": "x = mg.Variable(...): only Variables can change", "grad": "tape.gradient(y, x)", "backward": "tape.gradient(y, x)",
    "graph": "nothing in its place: there are no graphs here", "op": "nothing in its place: there are no graphs here",
}  # fmt: skip


class Reference:
    """A hashable handle of one Tensor or Variable: equal only to handles of the same object."""

    __slots__ = ("_object",)

    def __init__(self, object):
        self._object = object

    def deref(self):
        """The object that it refers to."""
        return self._object

    def __eq__(self, other):
        return isinstance(other, Reference) and other._object is self._object

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


def constant(value, dtype=None, shape=None, name="Const") -> Tensor:
    """A Tensor with this value.

    Args:
        value: a number, a string, a NumPy array, or lists of these; all are copied.
        dtype: what the elements shall be. Without it Python's floats become float32 and its ints int32 (int64 if
            they are large), and a NumPy array keeps its own dtype.
        shape: the shape to give it; a single number fills it.
        name: accepted as in TensorFlow; eager Tensors have no name.

    Returns:
        A Tensor. A Tensor given is returned as it is.

    Raises:
        TypeError: the value does not fit `dtype` (1.5 is no int32) or `shape`.
        ValueError: the value is no rectangle of numbers.

    >>> import minigrad as mg
    >>> mg.constant([1, 2])
    <mg.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    >>> mg.constant(5.0, shape=(1, 2))
    <mg.Tensor: shape=(1, 2), dtype=float32, numpy=array([[5., 5.]], dtype=float32)>
    """
    if isinstance(value, Tensor):
        return reshaped(same_dtype(value, dtype), shape)
    return reshaped(Tensor(value, dtype), shape)


def same_dtype(tensor, dtype):
    """The Tensor, which must have the dtype asked for: nothing is cast in silence."""
    if dtype is not None and dtypes.as_dtype(dtype) != tensor.dtype:
        raise TypeError(
            f"Expected tensor {tensor.value} with dtype {dtypes.as_dtype(dtype)!r}, but got dtype {tensor.dtype!r}."
            f" To convert it, write mg.cast(x, {dtypes.as_dtype(dtype)!r})."
        )
    return tensor


def reshaped(tensor, shape):
    """`constant` with a shape: the same elements, or one element everywhere."""
    if shape is None or tuple(shape) == tensor.value.shape:
        return tensor
    wanted = TensorShape(shape)
    if tensor.value.size == wanted.num_elements():
        return Tensor.of(tensor.value.reshape(wanted)[()])
    if tensor.value.size == 1:
        return Tensor.of(np.full(wanted, tensor.value))
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {tensor.value} has {tensor.value.size} "
        f"elements, but got `shape` {wanted} with {wanted.num_elements()} elements)."
    )


# ---- what a user may write for a value -----------------------------------------------------------------------------


def as_value(value, dtype=None):
    """The value as the engine keeps it: an array of its own, or a NumPy scalar where there are no axes, which is faster.

    Args:
        value: numbers, strings, lists of these, NumPy arrays, or whatever has an `__array__`.
        dtype: anything that names a dtype; None finds it.
    """
    wanted = None if dtype is None else dtypes.to_numpy(dtype)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind != "O":
        array = from_numpy(value, wanted)
    elif isinstance(value, (int, float, complex, str, bytes, list, tuple, range)):
        array = from_python(value, wanted)
    elif hasattr(value, "__array__"):
        array = from_numpy(np.asarray(value), wanted)
    else:
        raise unsupported(value)
    return array if array.dtype.kind == "O" else array[()]


def unsupported(value):
    return ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.")


def from_numpy(array, wanted):
    """A copy, of a dtype that exists here and in the machine's own byte order."""
    if array.dtype.kind in "USO":
        array = bytes_of(array)
    elif array.dtype.newbyteorder("=") not in dtypes.BY_NUMPY:
        raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type: {array.dtype}).")
    target = array.dtype.newbyteorder("=") if wanted is None else wanted
    if (array.dtype.kind == "O") != (target.kind == "O"):
        raise TypeError(f"Cannot convert {array!r} to EagerTensor of dtype {kernel_name(target)}")
    with np.errstate(all="ignore"):
        return np.array(array, target)


def bytes_of(array):
    """An array of strings as bytes objects, which is how TensorFlow keeps strings."""
    array = np.asarray(array, object)
    for text in array.flat:
        if not isinstance(text, (str, bytes)):
            raise ValueError(
                f"Failed to convert a NumPy array to a Tensor (Unsupported object type {type(text).__name__})."
            )
    whole = np.empty(array.shape, object)
    whole[...] = np.array([t.encode() if isinstance(t, str) else t for t in array.flat], object).reshape(array.shape)
    return whole


WIDER = {"b": "biufc", "i": "iufc", "u": "iufc", "f": "fc", "c": "c", "O": "O"}  # what Python values may become


def from_python(value, wanted):
    """Python's numbers and strings, nested in lists: all of one kind, and rectangular."""
    array = rectangle(value)
    first = first_leaf(value)
    if array.dtype.kind in "USO" or isinstance(first, (str, bytes)):
        array = strings(value, array, first)
    elif isinstance(first, (bool, np.bool_)) and array.dtype.kind != "b":
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    if wanted is None:
        wanted = array.dtype if isinstance(first, (np.generic, np.ndarray)) else natural(array)
    elif array.size and wanted.kind not in WIDER[array.dtype.kind]:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {kernel_name(wanted)}")
    with np.errstate(all="ignore"):
        return array.astype(wanted)


def rectangle(value):
    try:
        return np.array(value)
    except ValueError:
        depths = {depth_of(leaf) for leaf in value} if isinstance(value, (list, tuple)) else {0}
        what = "with mixed types" if len(depths) > 1 else ""
        raise ValueError(
            f"Can't convert Python sequence {what} to Tensor." if what else
            "Can't convert non-rectangular Python sequence to Tensor."
        ) from None  # fmt: skip


def depth_of(value):
    return 1 + depth_of(value[0]) if isinstance(value, (list, tuple)) and value else int(isinstance(value, (list, tuple)))


def first_leaf(value):
    while isinstance(value, (list, tuple)):
        if not value:
            return None
        value = value[0]
    return value


def strings(value, array, first):
    """Lists of str or bytes; everything else that NumPy keeps as objects is an error."""
    if first is None and array.size or not isinstance(first, (str, bytes, int, float, complex, np.generic, np.ndarray)):
        raise unsupported(first)
    if isinstance(first, (int, float)) and array.dtype.kind == "O" and all(isinstance(v, int) for v in array.flat):
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    whole = np.array(value, object)
    if not all(isinstance(leaf, (str, bytes)) for leaf in whole.flat):
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    return bytes_of(whole)


def natural(array):
    """The dtype that TensorFlow gives to Python's numbers."""
    kind = array.dtype.kind
    if kind == "f":
        return np.dtype(np.float32)
    if kind == "u":
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    if kind == "i" and (not array.size or -(2**31) <= array.min() and array.max() < 2**31):
        return np.dtype(np.int32)
    return array.dtype


def kernel_name(dtype) -> str:
    """The word for a dtype in error messages: 'float' for float32."""
    return dtypes.BY_NUMPY[dtype].kernel_name
