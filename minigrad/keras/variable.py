"""The Variable of Keras: it wraps an `mg.Variable`, and its path names the layers that it belongs to."""

import contextlib
import threading

import numpy as np

from .. import math
from ..engine import Tensor, as_value, convert, dtypes
from ..engine.listening import Call, listening
from ..engine.variable import Variable as Inner
from ..errors import visible
from . import initializers
from .utils import checked_name, unique_name


class Calls(threading.local):
    """The layers that this thread is building or calling."""

    def __init__(self):
        self.layers = []  # outermost first
        self.trainings = []  # the `training` argument of each call; inner layers inherit it
        self.any_batch_size = False  # whether layers are built for any number of examples, as in `fit`
        self.any_losses = False  # whether `add_loss` has ever been called


calls = Calls()


@contextlib.contextmanager
def inside(layer):
    """A block in which the paths of new Variables begin with the name of this layer."""
    if calls.layers and calls.layers[-1] is layer:
        yield
        return
    layers, outer = calls.layers, listening.module
    try:
        calls.layers, listening.module = [*layers, layer], Call(f"{outer}/{layer.name}".lstrip("/"), outer)
        yield
    finally:
        calls.layers, listening.module = layers, outer


class Variable:
    """A weight of a layer. Operators on it read its `value`, the `mg.Variable` that tapes watch.

    Args:
        initializer: the initial value; or a function of a shape, or the name of an initializer, which need `shape`.
        shape: the length of each axis.
        dtype: by default that of the value, or float32 if there is an initializer.
        trainable: whether it is one of its layer's `trainable_variables`.
        autocast, aggregation, synchronization: accepted as in Keras, without effect.
        name: by default "variable", numbered; in the path, the names of the layers come before it.

    Raises:
        ValueError: the name is not a string or has a slash, or an initializer has no fully defined shape.

    >>> import minigrad as mg
    >>> mg.keras.Variable([1.0, 2.0], name="w")
    <Variable path=w, shape=(2,), dtype=float32, value=[1. 2.]>
    """

    __array_priority__ = 100

    def __init__(self, initializer, shape=None, dtype=None, trainable=True, autocast=True, aggregation="none",
                 synchronization="auto", name=None):  # fmt: skip
        self.name = checked_name(name or unique_name("variable"))
        self.path = "/".join([layer.name for layer in calls.layers if layer.name] + [self.name])
        initializer = initializers.get(initializer) if isinstance(initializer, str) else initializer
        if callable(initializer):
            if shape is None:
                problem = "When creating a Variable from an initializer, the `shape` argument should be specified."
                raise ValueError(f"{problem} Received: initializer={initializer} and shape={shape}")
            if None in shape:
                problem = "Shapes used to initialize variables must be fully-defined (no `None` dimensions)."
                given = f"shape={tuple(shape)} for variable path='{visible(self.path)}'"
                raise ValueError(f"{problem} Received: {given}")
            dtype = dtypes.as_dtype(dtype or dtypes.float32)
            initializer = initializer(tuple(shape), dtype=dtype.name)
        self.trainable, self.regularizer, self.constraint = bool(trainable), None, None
        self.overwrite_with_gradient = False
        self.value = Inner(initializer, trainable=trainable, dtype=dtype, name=self.path)

    @property
    def overwrite_with_gradient(self) -> bool:
        """Whether optimizers assign the gradient to it instead of taking a step.

        Raises:
            TypeError: it is set to something other than True or False.
        """
        return self._overwritten

    @overwrite_with_gradient.setter
    def overwrite_with_gradient(self, value):
        if not isinstance(value, bool):
            raise TypeError(f"`overwrite_with_gradient` must be a boolean. Received: {visible(value)}")
        self._overwritten = value

    id = property(lambda self: self.value.id)
    shape = property(lambda self: self.value.shape, doc="The length of each axis.")
    ndim = property(lambda self: len(self.shape), doc="The number of axes.")
    dtype = property(lambda self: self.value.dtype.name, doc="The name of the dtype, a string.")

    def __tf_tensor__(self, dtype=None, name=None) -> Tensor:
        return self.value.__tf_tensor__(dtype, name)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value, dtype)

    def numpy(self):
        """The current value as a NumPy array (a copy) or scalar."""
        return self.value.numpy()

    def assign(self, value) -> Tensor:
        """Set the value.

        Args:
            value: a value that can become a Tensor of the same shape; it is cast to the dtype of the Variable.

        Returns:
            The new value.

        Raises:
            ValueError: the shape differs.
        """
        wanted = None if self.value.dtype.dtype.kind in "biu" else self.dtype  # Keras truncates floats to integers
        given = convert(value) if hasattr(value, "__tf_tensor__") else None
        value = as_value(value, wanted) if given is None else given.value
        if value.shape != tuple(self.shape):
            raise ValueError(another_shape(self, value))
        if given is not None and value.dtype == self.value.dtype.dtype:
            self.value.assign(given)  # keeps the Tensor, so that a trace knows where the value comes from
        else:
            value = value.astype(self.dtype)
            self.value.assign(value)
        return Tensor.of(value)

    def assign_add(self, value) -> Tensor:
        """Add to the value, and return the new value."""
        return self.assign(self + value)

    def assign_sub(self, value) -> Tensor:
        """Subtract from the value, and return the new value."""
        return self.assign(self - value)

    def __bool__(self):
        raise TypeError("A Keras Variable cannot be used as a boolean.")

    def __round__(self, digits=None):
        return math.round(self.value * 10.0**digits) / 10.0**digits if digits else math.round(self.value)

    def __repr__(self):
        return f"<Variable path={visible(self.path)}, shape={self.shape}, dtype={self.dtype}, value={self.numpy()}>"

    __hash__ = None  # type: ignore[assignment]


def another_shape(variable, value):
    """The message for a value of another shape than that of the Variable."""
    problem = "The shape of the target variable and the shape of the target value in"
    shapes = f"variable.shape={variable.shape}, Received: value.shape={value.shape}. Target variable: {variable}"
    return f"{problem} `variable.assign(value)` must match. {shapes}"


for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "eq", "ne", "lt", "le", "gt", "ge",
             "radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul", "neg", "abs", "int", "float",
             "getitem"):  # fmt: skip
    setattr(Variable, f"__{name}__", lambda self, *other, name=f"__{name}__": getattr(self.value, name)(*other))
