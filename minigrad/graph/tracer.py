"""The NumPy calls of one run, as a list: a `Tracer` stands in for an array and records each call.

It is the third stand-in next to `Recorded` and `Batched` (engine/rules.py). It also holds the array of this run, so
shapes, dtypes and branches are real, and all code that works on arrays (ops, VJPs, Keras) can be traced unchanged.
"""

import operator
import sys
from functools import lru_cache
from typing import Any

import numpy as np

from ..engine import rules
from ..engine.dtypes import to_numpy
from ..engine.rules import StandIn
from ..engine.tensor import Tensor
from ..tracing.places import USERS


class Node:
    """One call, `value = function(*args, **kwargs)`, with other Nodes among its arguments.

    Attributes:
        function: a NumPy function, or `Method("sum")`, `Attribute("T")`, `operator.getitem`; None for an input.
        value: its result in this run.
        root: the Node that owns the memory: itself, unless it is a view.
        writes: the Node that it writes into, if it works in place.
        wish: where it was computed: the code and the instruction.
        label: the argument that it is, or the op that computed it.
        backward: whether it belongs to a backward pass.
        effect: whether it is called for its side effect, such as printing.
    """

    __slots__ = ("args", "backward", "effect", "function", "kwargs", "label", "root", "value", "wish", "writes")

    def __init__(self, function, args, kwargs, value, backward=False, writes=None):
        self.function, self.args, self.kwargs, self.value = function, args, kwargs, value
        self.backward, self.writes, self.wish, self.label, self.effect = backward, writes, "", "value", False
        owners = [y for x in self.inputs() for y in (x.inputs() if isinstance(x.value, (tuple, list)) else [x])]
        shared = [x.root for x in owners if share_memory(x.value, value)]
        self.root = shared[0] if shared else self

    def inputs(self):
        """The Nodes among the arguments."""
        return nodes_in((*self.args, *self.kwargs.values()), [])


def nodes_in(args, found):
    """Append the Nodes in nested tuples, lists and slices to a list."""
    for x in args:
        if x.__class__ is Node:
            found.append(x)
        elif isinstance(x, (tuple, list)):
            nodes_in(x, found)
        elif x.__class__ is slice:
            nodes_in((x.start, x.stop, x.step), found)
    return found


def share_memory(x, y):
    return isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and np.may_share_memory(x, y)


class Method:
    """A call of an array method, `x.sum(0)`, as a function."""

    def __init__(self, name):
        self.name = name

    def __call__(self, x, *args, **kwargs):
        return getattr(x, self.name)(*args, **kwargs)


class Attribute(Method):
    """An array attribute, `x.T`, as a function."""

    def __call__(self, x):
        return getattr(x, self.name)


method, attribute = lru_cache(Method), lru_cache(Attribute)


def mapped(function, x):
    """Apply `function` to each leaf of nested tuples, lists and slices, keeping the structure."""
    if isinstance(x, (tuple, list)):
        parts = [mapped(function, y) for y in x]
        return parts if isinstance(x, list) else tuple(parts)
    if isinstance(x, slice):
        return slice(*[mapped(function, y) for y in (x.start, x.stop, x.step)])
    return function(x)


def value_of(x):
    """The array of a Tracer.

    Raises:
        TypeError: the run in which it was made has ended.
    """
    if x.__class__ is not Tracer:
        return x
    if x.graph.closed:
        tensor = f"<mg.Tensor {x.symbol!r} shape={x.shape} dtype={x.dtype}>"
        problem = f"{tensor} is out of scope and cannot be used here. Use return values, explicit Python locals or"
        guide = "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values"
        raise TypeError(f"{problem} TensorFlow collections to access it.\nPlease see {guide} for more information.")
    return x.node.value


def node_of(x):
    return x.node if x.__class__ is Tracer else x


class Untraceable(NotImplementedError):
    """The numbers of an array were requested. An op that does so is recorded as one call; elsewhere it is an error."""

    def __init__(self, problem, graph=None, by_user=False):
        super().__init__(problem)
        self.graph, self.by_user = graph, by_user


def no_numbers():
    """The error for `x.numpy()` on a Tensor of a traced function."""
    problem = "'SymbolicTensor' object has no attribute 'numpy'."
    return AttributeError(f"{problem} While a function is traced its Tensors have no numbers: use mg's functions.")


class Graph:
    """The calls of one run, in order.

    Attributes:
        nodes: each call.
        guards: (position, Node, outcome) of each decision on a value.
    """

    def __init__(self):
        self.nodes: list[Node] = []
        self.guards: list = []
        self.backward = self.closed = False  # is a backward pass running? has the run ended?

    def input(self, value, name):
        node = self.add(Node(None, (), {}, value))
        node.wish = node.label = name
        return Tracer(node, self)

    def add(self, node):
        self.nodes.append(node)
        return node

    def call(self, function, args, kwargs):
        """Call a NumPy function and record it."""
        value = function(*mapped(value_of, args), **{k: mapped(value_of, x) for k, x in kwargs.items()})
        return self.noted(function, args, kwargs, value)

    def act(self, function, args, kwargs):
        """Record a call made for its side effect: it happens at each call of the function, and not now."""
        node = self.add(Node(function, mapped(node_of, args), {k: mapped(node_of, x) for k, x in kwargs.items()}, None))
        node.effect = True

    def noted(self, function, args, kwargs, value):
        """Record a call. Its result becomes a Tracer, or a tuple of Tracers; a bool is recorded as a decision."""
        kwargs = {k: mapped(node_of, x) for k, x in kwargs.items()}
        node = Node(function, mapped(node_of, args), kwargs, value, self.backward)
        if isinstance(value, bool):
            self.guards.append((len(self.nodes), self.add(node), value))
            return value
        if function in BY_SHAPE or isinstance(value, (str, np.dtype)):
            return value
        if isinstance(value, (int, float)) and not isinstance(value, np.generic):
            return self.decided(self.add(node), value)
        if not isinstance(value, (np.ndarray, np.generic, tuple, list)):
            raise Untraceable(f"{type(value).__name__} cannot be traced.", self)
        self.add(node).wish = local_place()
        if isinstance(value, (tuple, list)):
            parts = [self.noted(operator.getitem, (node, k), {}, one) for k, one in enumerate(value)]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        return Tracer(node, self)

    def write(self, function, args, kwargs, target):
        """Record a call that writes into an array, which stays the same array."""
        function(*mapped(value_of, args), **{k: mapped(value_of, x) for k, x in kwargs.items()})
        kwargs = {k: mapped(node_of, x) for k, x in kwargs.items()}
        self.add(Node(function, mapped(node_of, args), kwargs, None, self.backward, writes=target.node))

    def decided(self, node, outcome):
        self.guards.append((len(self.nodes), node, outcome))
        return outcome


BY_SHAPE = {np.ndim, np.size, np.shape}  # their results depend only on the shape
BETWEEN = __file__, np.lib.mixins.__file__, rules.__file__


def local_place():
    """Where in the source of an op, or of other code that works on arrays, NumPy was called."""
    frame: Any = sys._getframe(2)
    while frame.f_code.co_filename in BETWEEN:
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


class Tracer(StandIn, np.lib.mixins.NDArrayOperatorsMixin):
    """An array that records what is done with it."""

    __slots__ = ("graph", "node")
    __array_priority__ = 1000

    def __init__(self, node, graph):
        self.node, self.graph = node, graph

    shape = property(lambda self: self.node.value.shape)
    dtype = property(lambda self: self.node.value.dtype)
    ndim = property(lambda self: self.node.value.ndim)
    size = property(lambda self: self.node.value.size)
    flags = property(lambda self: self.node.value.flags)
    T = property(lambda self: self._attribute("T") if self.ndim > 1 else self)
    mT = property(lambda self: self._attribute("T" if self.ndim == 2 else "mT"))

    def _attribute(self, name):
        return self.graph.call(attribute(name), (self,), {})

    def __getattr__(self, name):
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(name)
        if callable(getattr(np.ndarray, name)):
            return lambda *args, **kwargs: self.graph.call(method(name), (self, *args), kwargs)
        return self._attribute(name)

    # ---- NumPy's protocols ----------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc, how, *inputs, **kwargs):
        function = ufunc if how == "__call__" else getattr(ufunc, how)
        if how == "__call__" and len(inputs) > ufunc.nin:  # np.exp(z, z)
            inputs, kwargs["out"] = inputs[: ufunc.nin], inputs[ufunc.nin :]
        return self.__array_function__(function, (), inputs, kwargs)

    def __array_function__(self, function, types, inputs, attributes):
        if not is_numpys(function):
            return function(*inputs, **attributes)
        out = inputs if getattr(function, "__name__", "") == "at" else attributes.get("out")
        target = out[0] if isinstance(out, tuple) else out
        if target is None:
            return self.graph.call(function, inputs, attributes)
        if target.__class__ is not Tracer:
            raise self.without_numbers()  # the call writes into a constant
        if "out" not in attributes:
            self.graph.write(function, inputs, attributes, target)
            return None
        if not isinstance(target.node.value, np.ndarray):  # a NumPy scalar never changes: `z /= 2` makes another
            return self.graph.call(function, inputs, {k: x for k, x in attributes.items() if k != "out"})
        self.graph.write(function, inputs, attributes | {"out": target}, target)
        return target

    def __pow__(self, other):
        return self.graph.call(operator.pow, (self, other), {})

    def __rpow__(self, other):
        return self.graph.call(operator.pow, (other, self), {})

    def __getitem__(self, key):
        if isinstance(key, tuple) and not key:
            return self.still_open()
        return self.graph.call(operator.getitem, (self, key), {})

    def __setitem__(self, key, value):
        self.graph.write(operator.setitem, (self, key, value), {}, self)

    def __len__(self):
        return len(self.node.value)

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    # ---- what is nothing new --------------------------------------------------------------------------------------

    def reshape(self, *shape, **kwargs):
        lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        new = self.graph.call(method("reshape"), (self, tuple(map(int, lengths))), kwargs)
        return self if new.shape == self.shape else new

    def astype(self, dtype, copy=True):
        return self if np.dtype(dtype) == self.dtype else self.graph.call(method("astype"), (self, np.dtype(dtype)), {})

    def copy(self):
        return self.graph.call(method("copy"), (self.still_open(),), {})

    def still_open(self):
        """The Tracer. After the end of its run there is nothing to copy, and the error is that of `x.numpy()`."""
        if self.graph.closed:
            raise no_numbers()
        return self

    def conj(self):
        return self.graph.call(method("conj"), (self,), {}) if self.dtype.kind == "c" else self

    def __tf_tensor__(self, dtype=None, name=None):
        """As a Tensor, for code on arrays that gives its result back to a Variable."""
        return Tensor.of(self if dtype is None else self.astype(to_numpy(dtype)))

    # ---- where numbers are asked for ------------------------------------------------------------------------------

    def item(self, *place):
        one = self.graph.call(method("ravel"), (self,), {})[place[0]] if place else self
        return self.graph.decided(one.node, one.node.value.item())

    def __bool__(self):
        return self.graph.decided(self.node, bool(self.node.value))

    def __int__(self):
        return int(self.item())

    def __index__(self):
        return operator.index(self.item())

    def __float__(self):
        return float(self.item())

    def __complex__(self):
        return complex(self.item())

    def __array__(self, dtype=None, copy=None):
        raise self.without_numbers()

    def tolist(self):
        raise self.without_numbers()

    def without_numbers(self):
        problem = "Cannot convert a symbolic tf.Tensor to a numpy array."
        advice = "While a function is traced its Tensors have no numbers: use mg's functions."
        return Untraceable(f"{problem} {advice}", self.graph, asked_by_user())

    @property
    def symbol(self):
        """What is printed in place of the value: the name of the argument or op, as in TensorFlow's graphs."""
        return f"{self.node.label}:0"

    def as_one_call(self, function, *args):
        """Record one of minigrad's functions as a single call, where it does not accept a Tracer."""
        return self.graph.call(function, args, {})

    def __repr__(self):
        return repr(self.node.value)


def asked_by_user():
    """Whether the numbers of a Tensor are requested by user code, directly or through NumPy."""
    frame: Any = sys._getframe(2)
    while frame.f_code.co_name == "__array__" or frame.f_globals.get("__name__", "").startswith("numpy"):
        frame = frame.f_back
    return USERS[frame.f_code.co_filename]


def is_numpys(function):
    """Whether it is one of NumPy's own functions, not one of minigrad's that call NumPy."""
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, np.ufunc) or isinstance(owner, np.ufunc) or module.startswith("numpy")
