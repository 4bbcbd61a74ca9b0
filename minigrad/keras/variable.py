"""Keras's Variable: a `mg.Variable`, with a path that says to which layer it belongs."""

import contextlib
import threading

import numpy as np

from .. import math
from ..engine import dtypes
from ..engine.conversion import as_value
from ..engine.op import convert
from ..engine.tensor import Tensor
from ..engine.variable import Variable as Inner
from ..keras import initializers
from .utils import checked_name, unique_name


class Calls(threading.local):
    """What this thread is in the middle of."""

    def __init__(self):
        self.layers = []  # that are being built or called, outermost first
        self.trainings = []  # is each of them being trained? Inner layers do as outer ones
        self.charged = False  # has any layer been given a loss to keep?


calls = Calls()


@contextlib.contextmanager
def inside(layer):
    """A block in which new Variables belong to this layer."""
    if calls.layers and calls.layers[-1] is layer:
        yield
        return
    calls.layers.append(layer)
    try:
        yield
    finally:
        calls.layers.pop()


class Variable:
    """A weight of a layer. Computing with it reads the `mg.Variable` that it holds, which is what tapes watch.

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
                raise ValueError(
                    "When creating a Variable from an initializer, the `shape` argument should be specified. "
                    f"Received: initializer={initializer} and shape={shape}"
                )
            if None in shape:
                raise ValueError(
                    "Shapes used to initialize variables must be fully-defined (no `None` dimensions). "
                    f"Received: shape={tuple(shape)} for variable path='{self.path}'"
                )
            dtype = dtypes.as_dtype(dtype or dtypes.float32)
            initializer = initializer(tuple(shape), dtype=dtype.name)
        self.trainable, self.regularizer, self.constraint = bool(trainable), None, None
        self.value = Inner(initializer, trainable=trainable, dtype=dtype, name=self.path)

    id = property(lambda self: self.value.id)
    shape = property(lambda self: self.value.shape, doc="The length of each axis.")
    ndim = property(lambda self: len(self.shape), doc="How many axes there are.")
    dtype = property(lambda self: self.value.dtype.name, doc="The name of the dtype, a string.")

    def __tf_tensor__(self, dtype=None, name=None) -> Tensor:
        return self.value.__tf_tensor__(dtype, name)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value, dtype)

    def numpy(self):
        """The present value as a NumPy array (a copy) or scalar."""
        return self.value.numpy()

    def assign(self, value) -> Tensor:
        """Give it a new value of the same shape, cast to its dtype, and return this.

        Raises:
            ValueError: the shape is another.
        """
        own = None if self.value.dtype.dtype.kind in "biu" else self.dtype  # into whole numbers Keras casts, and cuts off
        given = convert(value) if hasattr(value, "__tf_tensor__") else None
        value = as_value(value, own) if given is None else given.value
        if value.shape != tuple(self.shape):
            raise ValueError(
                "The shape of the target variable and the shape of the target value in `variable.assign(value)` must match. "
                f"variable.shape={self.shape}, Received: value.shape={value.shape}. Target variable: {self}"
            )
        if given is not None and value.dtype == self.value.dtype.dtype:
            self.value.assign(given)  # as it was given, so that a trace knows where the value is from
        else:
            value = value.astype(self.dtype)
            self.value.assign(value)
        return Tensor.of(value)

    def assign_add(self, value) -> Tensor:
        """Add to the value, and return the sum."""
        return self.assign(self + value)

    def assign_sub(self, value) -> Tensor:
        """Subtract from the value, and return the difference."""
        return self.assign(self - value)

    def __bool__(self):
        raise TypeError("A Keras Variable cannot be used as a boolean.")

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __round__(self, digits=None):
        return math.round(self.value * 10.0**digits) / 10.0**digits if digits else math.round(self.value)

    def __repr__(self):
        return f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype}, value={self.numpy()}>"

    __hash__ = None  # type: ignore[assignment]


for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "eq", "ne", "lt", "le", "gt", "ge",
             "radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul", "neg", "abs", "getitem"):  # fmt: skip
    setattr(Variable, f"__{name}__", lambda self, *other, name=f"__{name}__": getattr(self.value, name)(*other))
