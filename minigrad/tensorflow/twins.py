"""Twins: what stands in a log for TensorFlow's tensors, Variables and ops, so that the log can be read as one of ours."""

import functools
import re
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context, execute
from tensorflow.python.framework import op_def_registry, ops
from tensorflow.python.ops import gen_resource_variable_ops
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

import minigrad.keras  # noqa: F401 - all ops are there

from ..engine.custom import UNREGISTERED
from ..engine.op import KERNELS, MADE
from ..engine.operands import CONVERTERS
from ..engine.shape import TensorShape
from ..engine.tensor import Tensor, next_id
from ..engine.variable import Variable
from ..engine.writing import parameters
from ..explain.replay import KINDS
from .quiet import quiet
from .swap import put

EagerTensor = ops.EagerTensor
NO_VALUES = tf.resource, tf.variant
KEY = "_minigrad"  # the attribute of a tensor or Variable of TensorFlow that holds its twin


class Twin(Tensor):
    """Stands for a tensor of TensorFlow, which it does not keep alive; the tensor keeps its twin.

    Attributes:
        changed: has a replay given it another value?
    """

    __slots__ = ("array", "changed", "tensor")

    def __init__(self, tensor, number):
        self.tensor, self.id, self.array, self.changed = weakref.ref(tensor), number, None, False
        vars(tensor)[KEY] = self

    @property
    def value(self) -> Any:  # type: ignore[override]
        if self.array is None:
            self.array = array_of(self.tensor())
        return self.array

    @value.setter
    def value(self, array):
        put(self.tensor(), array)
        self.array, self.changed = None, True


class VariableTwin(Variable):
    """Stands for a Variable of TensorFlow."""

    def __init__(self, variable):
        self.variable, self.id, self.version = weakref.ref(variable), next_id(), 0
        self._shape = TensorShape([*variable.shape]) if variable.shape.rank is not None else TensorShape(None)
        self.smooth = variable.dtype.is_floating or variable.dtype.is_complex
        self._trainable, self._constraint, self._name = bool(variable.trainable), None, variable.name
        vars(variable)[KEY] = self

    @property
    def _now(self):
        """The present value, by the Variable's own number."""
        now, variable = Tensor(), self.variable()
        with quiet():
            value = gen_resource_variable_ops.read_variable_op(variable.handle, variable.dtype)
        now.value, now.id = array_of(value), self.id
        return now

    @_now.setter
    def _now(self, tensor):
        variable = self.variable()
        with quiet():
            value = tf.constant(tensor.value, variable.dtype)
            gen_resource_variable_ops.assign_variable_op(variable.handle, value)


KINDS += Twin, VariableTwin


def array_of(tensor) -> Any:
    """The value as the engine keeps it."""
    value = tensor._numpy()
    if tensor.dtype == tf.bfloat16:
        return np.asarray(value, np.float32)[()]
    return value if hasattr(value, "dtype") else np.array(value, object)


def twin_of(value) -> Any:
    """The twin of a tensor or Variable of TensorFlow or Keras; None of all else."""
    if isinstance(value, EagerTensor):
        if value.dtype in NO_VALUES:
            return None
        twin = vars(value).get(KEY)
        return Twin(value, next_id()) if twin is None else twin
    if isinstance(value, BaseResourceVariable):
        twin = vars(value).get(KEY)
        return met(value) if twin is None else twin
    inner = getattr(value, "_value", None) if type(value).__module__.startswith("keras") else None
    return twin_of(inner) if isinstance(inner, BaseResourceVariable) else None


def met(variable) -> VariableTwin:
    """The twin of a Variable that nobody has heard of yet."""
    twin = VariableTwin(variable)
    vars(variable.handle)[KEY] = twin
    return twin


def by_hand(number):
    """A converter as those of the engine: what a replay does with Python's numbers, it does with those of TensorFlow."""

    def convert(tensor):
        return number(tensor)

    CONVERTERS.append(convert)
    return convert


def plain_number(tensor):
    number = Tensor()
    number.value, number.id = array_of(tensor), 0
    return number


number_of = by_hand(plain_number)  # of a Python number beside a tensor


# ---- ops -------------------------------------------------------------------------------------------------------------


class Foreign:
    """An op of TensorFlow that there is none of here: it has a derivative where TensorFlow has registered one."""

    lists: frozenset = frozenset()
    many, by_products, math, np = None, {}, {}, None
    source = SimpleNamespace(text="")

    def __init__(self, kernel, names, smooth):
        self.kernel, self.number, self.__name__ = kernel, len(MADE), python_name(kernel)
        self.vjps = {f"d{name}": smooth for name in names}
        self.__wrapped__ = eval(f"lambda {', '.join(names)}: None")
        MADE.append(self)


def python_name(kernel) -> str:
    """Conv2DBackpropInput -> conv2d_backprop_input; of a traced function its own name."""
    traced = re.fullmatch(r"__\w+?_(\w+?)_\d+", kernel)
    return traced[1] if traced else re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "_", kernel).lower()


class Heard:
    """An op of TensorFlow as a log knows it: the op, and which inputs are its own; what is left are attributes.

    Attributes:
        op: ours of the same name, if there is one.
        order: the places of the inputs that the op has here. (TensorFlow takes axes and the like as inputs.)
    """

    def __init__(self, kernel, count):
        definition = op_def_registry.get(kernel)
        arguments = [*definition.input_arg] if definition is not None else []
        op = KERNELS.get(kernel)
        whole = [k for k, one in enumerate(arguments) if only_whole(one, definition)]
        order = [k for k in range(len(arguments)) if k not in whole] + whole
        if op is None:
            order = [k for k in order if k not in whole] or order
            names = [f"input_{k}" for k in range(len(order) or count)]
            op = Foreign(kernel, names, has_gradient(kernel))
        else:
            names, own = [one.name for one in arguments], [x for x in parameters(op.__wrapped__) if f"d{x}" in op.vjps]
            order = [names.index(x) for x in own] if {*own} <= {*names} else order[: len(own)]
        self.op, self.arguments, self.wanted = op, arguments, order

    def split(self, inputs, attributes) -> list:
        """The inputs that the op has here."""
        if not self.arguments:
            return inputs
        given, parts = iter(inputs), []
        for one in self.arguments:
            size = attributes[one.number_attr] if one.number_attr else 1
            size = len(attributes[one.type_list_attr]) if one.type_list_attr else size
            parts.append([next(given) for _ in range(size)])
        return [x for k in self.wanted for x in parts[k]]

    @property
    def plain(self) -> bool:
        """Are the inputs what TensorFlow was given, in the same order?"""
        lists = any(one.number_attr or one.type_list_attr for one in self.arguments)
        return not lists and self.wanted == [*range(len(self.arguments))]


@functools.cache
def heard(kernel, count) -> Heard:
    return Heard(kernel, count)


def only_whole(argument, definition) -> bool:
    """Can this argument of an op hold whole numbers alone?"""
    allowed = next((one.allowed_values.list.type for one in definition.attr if one.name == argument.type_attr), ())
    kinds = [*allowed] or ([argument.type] if argument.type else [])
    return bool(kinds) and all(tf.as_dtype(kind).is_integer for kind in kinds)


def has_gradient(kernel) -> Any:
    try:
        return ops._gradient_registry.lookup(kernel)  # None: it was declared to have none
    except LookupError:
        if not kernel.startswith("__"):
            UNREGISTERED.add(kernel)
            return True  # a backward pass that comes here raises
        return True


def as_tensor(value, like):
    """A tensor of this value."""
    with quiet():
        return tf.constant(value, like.dtype)


def run_again(kernel, inputs, attributes, outputs) -> None:
    """Run an op of TensorFlow with other inputs, and give its outputs the new values."""
    with quiet():
        results = execute.execute(kernel, len(outputs), [*inputs], attributes, context.context())
    for one, result in zip(outputs, results):
        put(one, result)
