"""Twins stand in a log for TensorFlow's tensors, Variables and ops, so that it reads like one of minigrad's logs."""

import functools
import itertools
import re
import types
import weakref
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context, execute
from tensorflow.python.framework import op_def_registry, ops
from tensorflow.python.ops import gen_resource_variable_ops
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

from ..engine.custom import UNREGISTERED, with_gradient
from ..engine.op import KERNELS, made
from ..engine.operands import CONVERTERS
from ..engine.shape import TensorShape
from ..engine.tensor import Tensor, next_id
from ..engine.variable import Variable
from ..engine.writing import parameters
from ..explain.replay import KINDS
from ..later import load_all
from .quiet import quiet
from .swap import put

EagerTensor = ops.EagerTensor
RESOURCE, VARIANT = (one.as_datatype_enum for one in (tf.resource, tf.variant))
OBJECTS = np.dtype(object)
IN_PYTHON = "EagerPyFunc"  # the op behind tf.py_function
KEY = "_minigrad"  # the attribute of a tensor or Variable of TensorFlow that holds its twin
NUMBER = "_minigrad_number"  # the attribute of a tensor that was made of a Python number next to an operator


class Twin(Tensor):
    """Stands for a TensorFlow tensor. It does not keep the tensor alive; the tensor keeps its twin.

    Attributes:
        changed: whether a replay has given the tensor another value.
    """

    __slots__ = ("changed", "tensor")

    def __init__(self, tensor, number):
        self.tensor, self.id, self.changed = weakref.ref(tensor), number, False
        vars(tensor)[KEY] = self

    @property
    def value(self) -> Any:  # type: ignore[override]
        return array_of(self.tensor())

    @value.setter
    def value(self, array):
        put(self.tensor(), array)
        self.changed = True


class VariableTwin(Variable):
    """Stands for a TensorFlow Variable."""

    def __init__(self, variable):
        self.variable, self.id, self.version = weakref.ref(variable), next_id(), 0
        self._shape = TensorShape([*variable.shape]) if variable.shape.rank is not None else TensorShape(None)
        self.smooth = variable.dtype.is_floating or variable.dtype.is_complex
        self._trainable, self._constraint, self._name = bool(variable.trainable), None, variable.name
        vars(variable)[KEY] = self

    @property
    def _now(self):
        """The current value, under the id of the Variable."""
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
    """The value as the engine keeps it. (0.0 for a list of tensors, along which gradients flow.)"""
    if tensor._datatype_enum() == VARIANT:
        return np.float32(0.0)
    value = tensor._numpy_internal()
    kind = getattr(value, "dtype", OBJECTS).kind
    if kind == "V":  # NumPy has no bfloat16
        return np.asarray(value, np.float32)[()]
    return np.array(value, object) if kind == "O" else value


def holds_none(tensor) -> bool:
    """Whether it is a handle of a Variable, a queue or another resource."""
    return tensor._datatype_enum() == RESOURCE


def holds_others(tensor) -> bool:
    """Whether it is a handle, a list of tensors, or a Dataset."""
    return tensor._datatype_enum() in (RESOURCE, VARIANT)


def twin_of(value) -> Any:
    """The twin of a tensor or Variable of TensorFlow or Keras; None for anything else."""
    if isinstance(value, EagerTensor):
        if holds_none(value):
            return None
        twin = vars(value).get(KEY)
        return Twin(value, next_id()) if twin is None else twin
    if isinstance(value, BaseResourceVariable):
        twin = vars(value).get(KEY)
        return met(value) if twin is None else twin
    if type(value).__module__.startswith("tensorflow.python.distribute") and hasattr(value, "_get"):
        return twin_of(value._get())
    inner = getattr(value, "_value", None) if type(value).__module__.startswith("keras") else None
    return twin_of(inner) if isinstance(inner, BaseResourceVariable) else None


def met(variable) -> VariableTwin:
    """The twin of a Variable that has not been heard of yet."""
    twin = VariableTwin(variable)
    vars(variable.handle)[KEY] = twin
    return twin


def by_hand(number):
    """A converter like those of the engine, so that a replay treats TensorFlow's Python numbers like minigrad's."""

    def convert(tensor):
        return number(tensor)

    CONVERTERS.append(convert)
    return convert


def plain_number(tensor):
    number = Tensor()
    number.value, number.id = array_of(tensor), 0
    return number


number_of = by_hand(plain_number)  # a Python number next to a tensor


# ---- ops -------------------------------------------------------------------------------------------------------------


def foreign(kernel, smooth) -> Any:
    """An op of TensorFlow that minigrad does not have.

    Args:
        smooth: for each input, whether a gradient can flow through its dtype (if TensorFlow has a derivative).
    """
    slopes, names = has_gradient(kernel), [f"input_{k}" for k in range(len(smooth))]
    code = (lambda: None).__code__.replace(co_argcount=len(names), co_nlocals=len(names), co_varnames=tuple(names))
    forward = types.FunctionType(code, {"__name__": __name__}, python_name(kernel))
    vjps = {f"d{name}": (lambda dy: None) if slopes and flows else None for name, flows in zip(names, smooth)}
    return made(forward, kernel, "", vjps)


def python_name(kernel) -> str:
    """Conv2DBackpropInput -> conv2d_backprop_input; for a traced function, its own name."""
    traced = re.fullmatch(r"__\w+?_(\w+?)_\d+", kernel)
    return traced[1] if traced else re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "_", kernel).lower()


load_all()  # ops are looked up by their names in TensorFlow


class Heard:
    """An op of TensorFlow as a log shows it: the op, and which arguments are its inputs; the others are attributes.

    Attributes:
        op: minigrad's op of the same name, if there is one.
        wanted: the indices of the arguments that are inputs in minigrad. (In TensorFlow, axes and the like are inputs
            too.)
    """

    def __init__(self, kernel, count):
        definition = op_def_registry.get(kernel)
        self.arguments = [*definition.input_arg] if definition is not None else []
        smooth = [can_be_smooth(one, definition) for one in self.arguments]
        op = KERNELS.get(kernel) if kernel != IN_PYTHON else with_gradient
        if op is None:
            op, self.wanted = foreign(kernel, smooth or [True] * count), [*range(len(smooth))]
        else:
            self.wanted = order([one.name for one in self.arguments], smooth, op)
        self.op = op
        self.lists = any(one.number_attr or one.type_list_attr for one in self.arguments)

    def pick(self, inputs, attributes) -> list:
        """The indices of the inputs that minigrad's op has."""
        if not self.arguments:
            return [*range(len(inputs))]
        if not self.lists:
            return self.wanted
        pairs, places, parts = dict(zip(attributes[::2], attributes[1::2])), itertools.count(), []
        for one in self.arguments:
            size = pairs[one.number_attr] if one.number_attr else 1
            size = len(pairs[one.type_list_attr]) if one.type_list_attr else size
            parts.append([next(places) for _ in range(size)])
        return [k for argument in self.wanted for k in parts[argument]]


def order(names, smooth, op) -> list:
    """The arguments that are inputs of minigrad's op: those of the same names, or else by whether gradients flow."""
    own = [x for x in parameters(op.__wrapped__) if f"d{x}" in op.vjps]
    if {*own} <= {*names}:
        return [names.index(x) for x in own]
    flows, found = (k for k, one in enumerate(smooth) if one), {}
    for x in own:
        if op.vjps[f"d{x}"]:
            found[x] = next(flows)
    others = (k for k in range(len(names)) if k not in found.values())
    return [found[x] if x in found else next(others) for x in own]


@functools.cache
def heard(kernel, count) -> Heard:
    return Heard(kernel, count)


def can_be_smooth(argument, definition) -> bool:
    """Whether a gradient can flow through this argument of an op, by its dtype."""
    allowed = next((one.allowed_values.list.type for one in definition.attr if one.name == argument.type_attr), ())
    kinds = [*allowed] or ([argument.type] if argument.type else [])
    kinds = [tf.as_dtype(kind) for kind in kinds]
    return not kinds or any(one.is_floating or one.is_complex or one == tf.resource for one in kinds)


def has_gradient(kernel) -> bool:
    """Whether TensorFlow does not declare the op non-differentiable. (Unregistered, its backward pass raises.)"""
    try:
        return ops._gradient_registry.lookup(kernel) is not None
    except LookupError:
        if not kernel.startswith("__"):  # a traced function has its own
            UNREGISTERED.add(kernel)
        return True


def as_tensor(value, like):
    """Convert a value to a tensor with the dtype of another."""
    with quiet():
        return tf.constant(value, like.dtype)


def run_again(kernel, inputs, attributes, outputs) -> None:
    """Run an op of TensorFlow with other inputs, and give its outputs the new values."""
    with quiet():
        results = execute.execute(kernel, len(outputs), [*inputs], attributes, context.context())
    for one, result in zip(outputs, results):
        put(one, result)
