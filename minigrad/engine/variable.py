"""Variable: state. Reading it gives the Tensor of this moment; a later assignment cannot touch what was read."""

import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import invalid, visible
from .dtypes import DType, as_dtype
from .listening import leaving, listening, without_tapes
from .op import convert, op, tensor_of
from .rules import accepts_sparse
from .shape import TensorShape, bracketed
from .tensor import Operators, Tensor, next_id, refuse_habits, shown


class Naming(threading.local):
    """What `mg.name_scope` puts before the names of new Variables in this thread, innermost last."""

    def __init__(self):
        self.scopes = [""]


naming = Naming()


@op("ReadVariableOp", dvariable=accepts_sparse(lambda dvalue: dvalue))
def read_value(variable):
    """The present value of a Variable, as a Tensor of its own.

    >>> import minigrad as mg
    >>> print(mg.Variable(3.0).read_value())
    mg.Tensor(3.0, shape=(), dtype=float32)
    """
    return variable


def refused_in_place(symbol, method):
    """What `variable += value` runs, for this operator: it raises, and names the method that changes a Variable."""
    variable, change = "variable", f"{method}(value)"
    if method == "assign":
        variable, change = "var", f"assign(var {symbol} value)"

    def refuse(self, value):
        problem = f"`{variable} {symbol}= value` with `tf.Variable`s is not supported."
        fix = f"Use `{variable}.{change}` to modify the variable, or `out = {variable} {symbol} value`"
        raise RuntimeError(f"{problem} {fix} if you need to get a new output Tensor.")

    return refuse


class Variable(Operators):
    """A value that can be assigned anew: the parameters of a model.

    A tape watches a trainable Variable as soon as it is read. Arithmetic on Variables gives Tensors, so
    `v = v + 1` makes `v` a Tensor; to change the Variable, `v.assign_add(1)`.

    Args:
        initial_value: whatever `mg.convert_to_tensor` takes, or a function without parameters that gives it.
        trainable: whether tapes watch it by themselves.
        validate_shape, caching_device, import_scope, constraint, synchronization, aggregation, variable_def,
            experimental_enable_variable_lifting: accepted as in TensorFlow; `constraint` is kept, the others ignored.
        name: shown when it is printed; need not be unique.
        dtype: converts the initial value.
        shape: what may be assigned later: `mg.TensorShape(None)` is any shape. By default that of the initial value.

    Raises:
        ValueError: there is no initial value, it does not fit `shape` or `dtype`, or `constraint` is no function.

    >>> import minigrad as mg
    >>> v = mg.Variable([1.0, 2.0], name="v")
    >>> v.assign_add([10.0, 10.0])
    <mg.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([11., 12.], dtype=float32)>
    >>> v
    <mg.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([11., 12.], dtype=float32)>
    """

    __array_priority__ = 100  # so that `ndarray * variable` asks the Variable

    def __init__(self, initial_value: Any = None, trainable: bool | None = None, validate_shape: bool = True,
                 caching_device: Any = None, name: str | None = None, variable_def: Any = None, dtype: Any = None,
                 import_scope: Any = None, constraint: Callable | None = None, synchronization: Any = None,
                 aggregation: Any = None, shape: Any = None,
                 experimental_enable_variable_lifting: bool = True):  # fmt: skip
        if initial_value is None:
            problem = "The `initial_value` arg to `tf.Variable` must be specified except when you are not"
            raise ValueError(f"{problem} providing a `variable_def`. You provided neither. Write mg.Variable(0.0).")
        if constraint is not None and not callable(constraint):
            problem = "Argument `constraint` must be None or a callable."
            raise ValueError(f"{problem} a callable. Got a {type(constraint)}:  {constraint}")
        if name is not None and not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string. Got {name!r}.")
        with without_tapes():
            given = initial_value() if callable(initial_value) else initial_value
            value = initial_of(given, dtype)
        self._shape = TensorShape(value.shape) if shape is None else TensorShape(shape)
        if not self._shape.is_compatible_with(value.shape):
            problem = f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not"
            raise ValueError(f"{problem} compatible with the explicitly supplied `shape` argument ({shape}).")
        self.id = next_id()
        self.version = 0  # counts the assignments
        self.smooth = value.dtype.kind in "fc"  # can a gradient flow along it?
        self._trainable = True if trainable is None else bool(trainable)
        self._constraint = constraint
        self._name = f"{naming.scopes[-1]}{'Variable' if name is None else name}:0"
        self._store(value)
        for listener in listening.now:
            listener.wrote(self, given, "Variable")

    name = property(operator.attrgetter("_name"), doc="The name that it is printed with, and `:0`.")
    trainable = property(operator.attrgetter("_trainable"), doc="Do tapes watch it by themselves? Set when it is made.")
    constraint = property(operator.attrgetter("_constraint"), doc="What optimizers apply to each new value; or None.")

    # ---- reading ---------------------------------------------------------------------------------------------------

    def __tf_tensor__(self, dtype: Any = None, name: "str | None" = None) -> Tensor:
        """The present value. It goes by the Variable's own id, so a tape that watches one follows the other.

        Raises:
            ValueError: it has another dtype: nothing is cast in silence.
        """
        if dtype is not None and as_dtype(dtype) is not self.dtype:
            wanted = as_dtype(dtype)
            given = f"`tf.Variable of type {self.dtype.name}. (Variable: {self!r})"
            problem = f"Incompatible type conversion requested to type {wanted.name} for {given}"
            raise ValueError(f"{problem} Write mg.cast(v, {wanted!r}).")
        for listener in listening.now:
            if listener.read_versions.get(self.id) != self.version:  # not read yet, or assigned since
                listener.read(self)
        return self._now

    def value(self) -> Tensor:
        """The present value as a Tensor, connected to the Variable."""
        return read_value(self)

    read_value = value

    def numpy(self) -> Any:
        """The present value as a NumPy array (a copy) or scalar; it leaves the tape behind."""
        return self.__tf_tensor__().numpy()

    @property
    def shape(self) -> TensorShape:
        """The shape that every value of it has."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """What kind of number each element is."""
        return self._now.dtype

    @property
    def device(self) -> str:
        """Where the value is kept: always the CPU."""
        return self._now.device

    def is_initialized(self, name: "str | None" = None) -> Tensor:
        """True: there is a value from the beginning."""
        return convert(True)

    # ---- assigning -------------------------------------------------------------------------------------------------

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None,
               read_value: bool = True) -> "Variable | None":  # fmt: skip
        """Give it a new value.

        Args:
            value: of the same shape and dtype; Python's numbers and NumPy's arrays are converted.
            use_locking, name: accepted as in TensorFlow, without effect.
            read_value: if False, return None.

        Returns:
            The Variable in its new state, as something that can be computed with.

        Raises:
            ValueError: the shape or the dtype is another.
            TypeError: a Python number does not fit the dtype.

        >>> import minigrad as mg
        >>> v = mg.Variable([1.0, 2.0])
        >>> _ = v.assign([3.0, 4.0])
        >>> print(v.numpy())
        [3. 4.]
        """
        for listener in listening.now:
            listener.changing(self)
        given, value = value, self._fitting(value)
        if not self._shape.is_compatible_with(value.shape):
            problem = f"Cannot assign value to variable ' {visible(self.name)}': Shape mismatch."
            shapes = f"The variable shape {self._shape}, and the assigned value shape {value.shape} are incompatible."
            raise ValueError(problem + shapes)
        return self._assigned(value, given, "assign", read_value)

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> "Variable | None":  # fmt: skip
        """Add `delta`, of the same shape and dtype, to the value. As `assign` otherwise.

        Raises:
            InvalidArgumentError: the shape is another; nothing is broadcast.
            ValueError, TypeError: the dtype is another.

        >>> import minigrad as mg
        >>> v = mg.Variable(1.0)
        >>> _ = v.assign_add(2.0)
        >>> v.numpy()
        np.float32(3.0)
        """
        step = self._step(delta, "AssignAddVariableOp")
        return self._assigned(self._now.value + step, delta, "assign_add", read_value)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> "Variable | None":  # fmt: skip
        """Subtract `delta`, of the same shape and dtype, from the value. As `assign_add` otherwise."""
        step = self._step(delta, "AssignSubVariableOp")
        return self._assigned(self._now.value - step, delta, "assign_sub", read_value)

    def _fitting(self, value):
        """The array of a value to be assigned, which must have the Variable's dtype."""
        if value.__class__ is Tensor and value.value.dtype is self._now.value.dtype:
            return value.value
        return (value.__tf_tensor__(self.dtype) if hasattr(value, "__tf_tensor__") else convert(value, self._now)).value

    def _step(self, delta, kernel):
        for listener in listening.now:
            listener.changing(self)
        value = self._fitting(delta)
        if value.dtype.kind in "bO":
            problem = f"No OpKernel was registered to support Op '{kernel}'"
            raise invalid(f"{problem} used by dtype {self.dtype.name} [Op:{kernel}] name: ")
        if value.shape != self._now.value.shape:
            shapes = [bracketed(shape) for shape in (self._now.value.shape, value.shape)]
            problem = f"Cannot update variable with shape {shapes[0]} using a Tensor with shape {shapes[1]},"
            raise invalid(f"{problem} shapes must be equal. [Op:{kernel}] name: ")
        return value

    def _assigned(self, value, given, how, read_value=True):
        """The Variable with a new value, which came from what the user gave to the method `how`."""
        self.version += 1
        self._store(value)
        for listener in listening.now:
            listener.wrote(self, given, how)
        return _UnreadVariable(self) if read_value else None

    def _store(self, value):
        """Keep a value, as a Tensor under the Variable's own id."""
        now = Tensor()
        now.value, now.id = value, self.id
        self._now = now

    # ---- Python ----------------------------------------------------------------------------------------------------

    def __array__(self, dtype=None, copy=None):
        copied = np.array(self._now.value, dtype)  # always: the next assignment must not reach what NumPy holds
        return leaving(self.__tf_tensor__(), "NumPy", copied)

    def __hash__(self):
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    __iadd__, __isub__ = refused_in_place("+", "assign_add"), refused_in_place("-", "assign_sub")
    __imul__, __itruediv__ = refused_in_place("*", "assign"), refused_in_place("/", "assign")
    __ipow__ = refused_in_place("**", "assign")

    def __deepcopy__(self, memo):
        return remade(*self.__reduce__()[1])

    def __reduce__(self):
        return remade, (self._now.value, self.trainable, self.name[:-2], self.constraint)

    def __repr__(self):
        value = shown(self.__tf_tensor__().value)
        return f"<mg.Variable {self.name!r} shape={self._shape} dtype={self.dtype.name}, numpy={value}>"


refuse_habits(Variable)
for kind in (bool, int, float, complex):
    setattr(Variable, f"__{kind.__name__}__", lambda self, kind=kind: kind(self.__tf_tensor__()))


def initial_of(value, dtype):
    """The array to begin with: what a Tensor or a Variable holds now, or what Python's or NumPy's values become."""
    tensor = value.__tf_tensor__(dtype, "initial_value") if hasattr(value, "__tf_tensor__") else tensor_of(value, dtype)
    return tensor.value


def remade(value, trainable, name, constraint):
    """A Variable from its parts, for copies and for pickle."""
    return Variable(value, trainable, name=name, constraint=constraint)


class _UnreadVariable(Variable):
    """What `assign` returns: the Variable itself, under another name. Computing with it reads the Variable."""

    def __init__(self, variable):
        self._variable = variable

    id = property(lambda self: self._variable.id)
    trainable = property(lambda self: self._variable.trainable)
    version = property(lambda self: self._variable.version, lambda self, n: setattr(self._variable, "version", n))
    constraint = property(lambda self: self._variable.constraint)
    name = property(lambda self: "UnreadVariable")
    _shape = property(lambda self: self._variable._shape)
    _now = property(lambda self: self._variable._now)

    def __tf_tensor__(self, dtype=None, name=None):
        return self._variable.__tf_tensor__(dtype, name)

    def _store(self, value):
        self._variable._store(value)

    def __deepcopy__(self, memo):
        return self._variable.__deepcopy__(memo)
