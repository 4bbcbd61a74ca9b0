"""Variable: mutable state. Reading it gives a Tensor of its current value, which later assignments do not change."""

import enum
import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import invalid, visible
from .dtypes import DType, as_dtype
from .listening import failing, leaving, listening, without_tapes
from .op import op
from .operands import convert, tensor_of
from .rules import accepts_sparse
from .shape import TensorShape, bracketed
from .tensor import Operators, Tensor, next_id, refuse_habits, shown


class Naming(threading.local):
    """The prefixes that `mg.name_scope` gives to the names of new Variables in this thread, innermost last."""

    def __init__(self):
        self.scopes = [""]


naming = Naming()


@op("ReadVariableOp", dvariable=accepts_sparse(lambda dvalue: dvalue))
def read_value(variable):
    """The current value of a Variable, as a new Tensor.

    >>> import minigrad as mg
    >>> print(mg.Variable(3.0).read_value())
    mg.Tensor(3.0, shape=(), dtype=float32)
    """
    return variable


def refused_in_place(symbol, method):
    """The method behind `variable += value`, for this operator: it raises, and names the method to use instead."""
    variable, change = "variable", f"{method}(value)"
    if method == "assign":
        variable, change = "var", f"assign(var {symbol} value)"

    def refuse(self, value):
        problem = f"`{variable} {symbol}= value` with `tf.Variable`s is not supported."
        fix = f"Use `{variable}.{change}` to modify the variable, or `out = {variable} {symbol} value`"
        raise RuntimeError(f"{problem} {fix} if you need to get a new output Tensor.")

    return refuse


class VariableSynchronization(enum.Enum):
    """When TensorFlow brings the copies of a Variable on several devices together. Here is one device.

    What is synchronized `ON_READ` is not trainable, unless that is asked for.

    >>> import minigrad as mg
    >>> mg.Variable(1.0, synchronization=mg.VariableSynchronization.ON_READ).trainable
    False
    """

    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class VariableAggregation(enum.Enum):
    """What TensorFlow makes of the copies of a Variable on several devices. Here is one device.

    >>> import minigrad as mg
    >>> mg.Variable(1.0, aggregation=mg.VariableAggregation.MEAN).aggregation
    <VariableAggregation.MEAN: 2>
    """

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)


def mode_of(kind, choice, what, name):
    """The member of one of these two that was meant. Raise ValueError if there is none."""
    try:
        return kind(choice)
    except ValueError:
        problem = f"Invalid variable {what} mode: {visible(choice)} for variable: {visible(name)}."
        raise ValueError(f"{problem} Write mg.{kind.__name__}.{kind(1).name}.") from None


class Variable(Operators):
    """A value that can be reassigned, such as a parameter of a model.

    A tape watches a trainable Variable as soon as it is read. Arithmetic on Variables gives Tensors, so
    `v = v + 1` makes `v` a Tensor; to change the Variable, write `v.assign_add(1)`.

    Args:
        initial_value: anything that `mg.convert_to_tensor` accepts, or a function without parameters that returns it.
        trainable: whether tapes watch it automatically; by default, unless it is synchronized `ON_READ`.
        validate_shape, caching_device, import_scope, constraint, variable_def, experimental_enable_variable_lifting:
            accepted as in TensorFlow; `constraint` is kept, the others ignored.
        name: shown when it is printed; need not be unique.
        synchronization, aggregation: kept; on one device they change nothing else.
        dtype: the dtype to which the initial value is converted.
        shape: the shape of later values: `mg.TensorShape(None)` allows any. By default that of the initial value.

    Raises:
        ValueError: there is no initial value, it does not fit `shape`, it is a Tensor of another dtype, `constraint` is
            not callable, or there is no such way to synchronize or to aggregate.
        TypeError: a value of Python or NumPy cannot become `dtype`, or there is no such dtype.

    >>> import minigrad as mg
    >>> v = mg.Variable([1.0, 2.0], name="v")
    >>> v.assign_add([10.0, 10.0])
    <mg.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([11., 12.], dtype=float32)>
    >>> v
    <mg.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([11., 12.], dtype=float32)>
    """

    __array_priority__ = 100  # so that `ndarray * variable` asks the Variable
    synchronization, aggregation = VariableSynchronization.AUTO, VariableAggregation.NONE

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
            raise ValueError(f"{problem} a callable. Got a {type(constraint)}:  {visible(constraint)}")
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
        if synchronization is not None:
            self.synchronization = mode_of(VariableSynchronization, synchronization, "synchronization", name)
        if aggregation is not None:
            self.aggregation = mode_of(VariableAggregation, aggregation, "aggregation", name)
        on_read = self.synchronization is VariableSynchronization.ON_READ
        self._trainable = not on_read if trainable is None else bool(trainable)
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
        """The current value, as a Tensor with the Variable's id, so that a tape that watches the Variable follows it.

        Raises:
            ValueError: the Variable has another dtype: it is never cast implicitly.
        """
        if dtype is not None and as_dtype(dtype) is not self.dtype:
            wanted = as_dtype(dtype)
            given = f"`tf.Variable of type {self.dtype.name}. (Variable: {self!r})"
            problem = f"Incompatible type conversion requested to type {wanted.name} for {given}"
            raise ValueError(f"{problem} Write mg.cast(v, {wanted!r}).")
        now = self._now
        for listener in listening.now:
            if listener.read_versions.get(self.id) != self.version:  # not read yet, or assigned since
                stand_in = listener.read(self)
                now = now if stand_in is None else stand_in
        return now

    def value(self) -> Tensor:
        """The current value as a Tensor, connected to the Variable."""
        return read_value(self)

    read_value = value

    def numpy(self) -> Any:
        """The current value as a NumPy array (a copy) or scalar, which tapes do not follow."""
        return self.__tf_tensor__().numpy()

    @property
    def shape(self) -> TensorShape:
        """The shape that every assigned value must have."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._now.dtype

    @property
    def device(self) -> str:
        """Where the value is kept: always the CPU."""
        return self._now.device

    def is_initialized(self, name: "str | None" = None) -> Tensor:
        """Always True: a Variable has a value from the beginning."""
        return convert(True)

    # ---- assigning -------------------------------------------------------------------------------------------------

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None,
               read_value: bool = True) -> "Variable | None":  # fmt: skip
        """Assign a new value.

        Args:
            value: of the same shape and dtype; Python's numbers and NumPy's arrays are converted.
            use_locking, name: accepted as in TensorFlow, without effect.
            read_value: if False, return None.

        Returns:
            The Variable, for use in further expressions.

        Raises:
            ValueError: the shape or the dtype differs.
            TypeError: a Python number does not fit the dtype.

        >>> import minigrad as mg
        >>> v = mg.Variable([1.0, 2.0])
        >>> _ = v.assign([3.0, 4.0])
        >>> print(v.numpy())
        [3. 4.]
        """
        self._present()
        given, value = value, self._fitting(value)
        if not self._shape.is_compatible_with(value.shape):
            problem = f"Cannot assign value to variable ' {visible(self.name)}': Shape mismatch."
            shapes = f"The variable shape {self._shape}, and the assigned value shape {value.shape} are incompatible."
            raise failing("assign", ValueError(problem + shapes), (self, self._shape), (given, value.shape))
        return self._assigned(value, given, "assign", read_value)

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> "Variable | None":  # fmt: skip
        """Add `delta`, of the same shape and dtype, to the value; otherwise like `assign`.

        Raises:
            InvalidArgumentError: the shape differs; `delta` is not broadcast.
            ValueError, TypeError: the dtype differs.

        >>> import minigrad as mg
        >>> v = mg.Variable(1.0)
        >>> _ = v.assign_add(2.0)
        >>> v.numpy()
        np.float32(3.0)
        """
        before, step = self._step(delta, "AssignAddVariableOp")
        return self._assigned(before + step, delta, "assign_add", read_value)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> "Variable | None":  # fmt: skip
        """Subtract `delta`, of the same shape and dtype, from the value; otherwise like `assign_add`."""
        before, step = self._step(delta, "AssignSubVariableOp")
        return self._assigned(before - step, delta, "assign_sub", read_value)

    def _present(self):
        """The current array, for a method that is about to change it."""
        now = self._now
        for listener in listening.now:
            stand_in = listener.changing(self)
            now = now if stand_in is None else stand_in
        return now.value

    def _fitting(self, value):
        """The array of a value to be assigned; a Tensor must have the Variable's dtype."""
        if value.__class__ is Tensor and value.value.dtype is self._now.value.dtype:
            return value.value
        return (value.__tf_tensor__(self.dtype) if hasattr(value, "__tf_tensor__") else convert(value, self._now)).value

    def _step(self, delta, kernel):
        before, value = self._present(), self._fitting(delta)
        if value.dtype.kind in "bO":
            problem = f"No OpKernel was registered to support Op '{kernel}'"
            raise invalid(f"{problem} used by dtype {self.dtype.name} [Op:{kernel}] name: ")
        if value.shape != before.shape:
            shapes = [bracketed(shape) for shape in (before.shape, value.shape)]
            problem = f"Cannot update variable with shape {shapes[0]} using a Tensor with shape {shapes[1]},"
            error = invalid(f"{problem} shapes must be equal. [Op:{kernel}] name: ")
            name = "assign_add" if kernel == "AssignAddVariableOp" else "assign_sub"
            raise failing(name, error, (self, before.shape), (delta, value.shape))
        return before, value

    def _assigned(self, value, given, how, read_value=True):
        """Store a new value, made from what the user gave to the method `how`, and return the Variable."""
        for listener in listening.now:
            if listener.keeps(self, value):
                break
        else:
            self.version += 1
            self._store(value)
        for listener in listening.now:
            listener.wrote(self, given, how)
        return _UnreadVariable(self) if read_value else None

    def _store(self, value):
        """Keep a value as a Tensor with the Variable's id."""
        now = Tensor()
        now.value, now.id = value, self.id
        self._now = now

    # ---- Python ----------------------------------------------------------------------------------------------------

    def __array__(self, dtype=None, copy=None):
        now = self.__tf_tensor__()
        copied = np.array(now.value, dtype)  # always a copy: writing to it must not change the Variable
        return leaving(now, "NumPy", copied)

    def __hash__(self):
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    __iadd__, __isub__ = refused_in_place("+", "assign_add"), refused_in_place("-", "assign_sub")
    __imul__, __itruediv__ = refused_in_place("*", "assign"), refused_in_place("/", "assign")
    __ipow__ = refused_in_place("**", "assign")

    def __deepcopy__(self, memo):
        return remade(*self.__reduce__()[1])

    def __reduce__(self):
        value = leaving(self._now, "a copy", self._now.value)
        return remade, (value, self.trainable, self.name[:-2], self.constraint, self.synchronization, self.aggregation)

    def __repr__(self):
        value = shown(self.__tf_tensor__().value)
        return f"<mg.Variable {self.name!r} shape={self._shape} dtype={self.dtype.name}, numpy={value}>"


refuse_habits(Variable)
for kind in (bool, int, float, complex):
    setattr(Variable, f"__{kind.__name__}__", lambda self, kind=kind: kind(self.__tf_tensor__()))


def initial_of(value, dtype):
    """The initial array: that of a Tensor or Variable, or one converted from a Python or NumPy value."""
    tensor = value.__tf_tensor__(dtype, "initial_value") if hasattr(value, "__tf_tensor__") else tensor_of(value, dtype)
    return tensor.value


def remade(value, trainable, name, constraint, synchronization=None, aggregation=None):
    """A Variable from its parts, for copies and for pickle."""
    more = dict(name=name, constraint=constraint, synchronization=synchronization, aggregation=aggregation)
    return Variable(value, trainable, **more)


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

    def __reduce__(self):
        return self._variable.__reduce__()
