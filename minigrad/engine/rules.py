"""The arguments of VJPs. A VJP is plain NumPy, and its arguments decide what it does:

- arrays: it computes an array, and no code of the engine runs in it;
- `Recorded` Tensors: NumPy's functions become ops, which an outer tape records (gradients of gradients);
- `Batched` arrays: it computes all rows of a Jacobian at once;
- `Expression` names: it is written down as mathematics (`mathematics.py`).
"""

import operator

import numpy as np

from .tensor import Tensor

NUMPY_TWINS = {}  # NumPy function -> its equivalent for Tensors: filled by `@op(..., twin=)` and by `@twin`
BATCHED_TWINS: dict = {}  # NumPy function -> its equivalent for each row of a stack: filled below
STAND_INS = set()  # the classes that stand in for arrays


def twin(numpy_function):
    """Mark a function of several ops that a recorded VJP runs in place of a NumPy function."""

    def register(function):
        NUMPY_TWINS[numpy_function] = function
        return function

    return register


def accepts_sparse(vjp):
    """Mark a VJP that accepts sparse rows (of a `gather`). Other VJPs receive the dense array."""
    vjp.accepts_sparse = True
    return vjp


def no_unbroadcast(vjp):
    """Mark a VJP whose result is used as it is. The results of others are summed over the axes that were broadcast."""
    vjp.no_unbroadcast = True
    return vjp


def dispatching(function):
    """Make a function dispatch on stand-ins among its arguments, as NumPy's own functions do: `softmax.np`."""

    def dispatch(*arguments):
        for one in arguments:
            for x in one if one.__class__ is list else (one,):
                if x.__class__ in STAND_INS:
                    return x.__array_function__(function, (), arguments, {})
        return function(*arguments)

    return dispatch


def filled(like, shape, value=0):
    """A filled array of this shape and of the dtype of `like`, to write into; a stand-in if `like` is one."""
    if like.__class__ in STAND_INS:
        return np.full_like(like, value, shape=tuple(shape)) if value else np.zeros_like(like, shape=tuple(shape))
    return np.full(shape, value, like.dtype) if value else np.zeros(shape, like.dtype)


class StandIn:
    """The interface that NumPy expects of an object that stands in for an array."""

    __slots__ = ()
    size = property(lambda self: self.value.size)

    def __init_subclass__(cls):
        STAND_INS.add(cls)

    def reshape(self, shape):
        return np.reshape(self, shape)

    def astype(self, dtype):
        return np.astype(self, dtype)

    def conj(self):
        return np.conjugate(self) if self.dtype.kind == "c" else self

    def __array_ufunc__(self, ufunc, method, *inputs, **attributes):
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return self.__array_function__(function, (), inputs, attributes)


# ---- recorded: for gradients of gradients --------------------------------------------------------------------------


class Recorded(StandIn, Tensor):
    """A Tensor on which NumPy functions run as ops, with the public one's id. (There np.sin(x) leaves the tape.)"""

    __slots__ = ()
    dtype = property(lambda self: self.value.dtype)
    shape = property(lambda self: self.value.shape)
    ndim = property(lambda self: self.value.ndim)
    mT = property(lambda self: np.matrix_transpose(self))

    def public(self):
        """The Tensor for the user, with the same id: an outer tape knows where it came from."""
        tensor = Tensor()
        tensor.value, tensor.id = self.value, self.id
        return tensor

    def __array_function__(self, function, types, inputs, attributes):
        if function in NUMPY_TWINS:
            return recorded(NUMPY_TWINS[function])(*inputs, **attributes)
        if isinstance(function, np.ufunc) and "d" * function.nin + "->?" in function.types:  # it returns booleans
            return constant_truth(function, inputs)
        problem = f"a VJP used the NumPy function {function.__name__}, which has no op to record it:"
        raise TypeError(f"{problem} declare that op with @op(..., twin=np.{function.__name__})")


def as_recorded(x):
    """What a tape kept, as a recorded VJP receives it: Tensors become Recorded, attributes are unchanged."""
    if x.__class__ is Recompute:
        return recorded(x.make)(*x.inputs)
    if x.__class__ is list:
        return [as_recorded(one) for one in x]
    if not isinstance(x, Tensor):
        return x
    tensor = Recorded()
    tensor.value, tensor.id = x.value, x.id
    return tensor


def recorded(op):
    """Wrap an op so that its result is Recorded, for the next line of a recorded VJP."""

    def recorded_op(*inputs, **attributes):
        result = op(*inputs, **attributes)
        return as_recorded(list(result) if isinstance(result, tuple) else result)

    return recorded_op


def constant_truth(function, inputs):
    """The result of a comparison in a recorded VJP: a constant of zeros and ones, in the dtype of the operands."""
    arrays = [x.value if isinstance(x, Tensor) else x for x in inputs]
    like = next(x for x in arrays if hasattr(x, "dtype"))
    return function(*arrays).astype(like.dtype)


class Recompute:
    """A by-product of an op. Tapes do not follow it, so a recorded VJP computes it again, with ops."""

    __slots__ = ("inputs", "make")

    def __init__(self, make, inputs):
        self.make, self.inputs = make, inputs


# ---- batched: for Jacobians ----------------------------------------------------------------------------------------


class NoBatch(Exception):
    """A VJP used a function without a batched twin: the Jacobian is then computed row by row."""


class Batched(StandIn):
    """Many arrays of one shape, stacked along a first axis that the VJP does not see."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    dtype = property(lambda self: self.value.dtype)
    shape = property(lambda self: self.value.shape[1:])
    size = property(lambda self: self.value[0].size)
    ndim = property(lambda self: self.value.ndim - 1)
    mT = property(lambda self: Batched(self.value.mT))

    def aligned(self, ndim):
        """The stack, reshaped to `ndim` axes after the first, so that it broadcasts against arrays with that many."""
        value = self.value
        missing = ndim + 1 - value.ndim
        return value.reshape(value.shape[:1] + (1,) * missing + value.shape[1:]) if missing > 0 else value

    def __array_function__(self, function, types, inputs, attributes):
        if isinstance(function, np.ufunc) and function.signature is None and not attributes:
            return each_row(function)(*inputs)
        if function is np.where:
            return each_row(function)(*inputs)
        if function is np.matmul:
            return matmul_rows(*inputs)
        if function not in BATCHED_TWINS or not isinstance(inputs[0], (Batched, list)):
            raise NoBatch(function.__name__)
        return Batched(BATCHED_TWINS[function](*inputs, **attributes))

    def __getitem__(self, key):
        of_the_stack = (slice(None), *(key if key.__class__ is tuple else (key,)))
        return Batched(self.value[of_the_stack])


def each_row(function):
    """A function of arrays, applied to each row of the stacks among them."""

    def rows(*inputs):
        ndim = max([x.ndim for x in inputs if hasattr(x, "ndim")])
        return Batched(function(*[x.aligned(ndim) if x.__class__ is Batched else x for x in inputs]))

    return rows


def matmul_rows(x, y):
    """x @ y for each row of the stack; a stack times a matrix is one big product."""
    if x.__class__ is Batched and x.ndim == 2 and not isinstance(y, Batched) and y.ndim == 2:
        stack = x.value
        return Batched((stack.reshape(-1, stack.shape[2]) @ y).reshape(stack.shape[:2] + y.shape[1:]))
    return each_row(np.matmul)(x, y)


def stacks(rows):
    """A list of stacks as arrays; arrays that are not stacks are repeated for every row."""
    length = next(len(one.value) for one in rows if one.__class__ is Batched)
    return [one.value if one.__class__ is Batched else np.broadcast_to(one, (length, *one.shape)) for one in rows]


def axes_in_stack(axis, ndim):
    """The axes of a row as axes of the stack: each is shifted by one."""
    given = axis if isinstance(axis, tuple) else (axis,)
    axes = range(ndim) if axis is None else given
    return tuple([a % ndim + 1 for a in axes])


for name in ("add", "sub", "mul", "truediv", "pow", "gt", "ge", "lt", "le", "eq", "ne"):
    function = each_row(getattr(operator, name))
    setattr(Batched, f"__{name}__", function)
    setattr(Batched, f"__r{name}__", lambda x, y, function=function: function(y, x))
for name, function in (("neg", each_row(operator.neg)), ("matmul", matmul_rows)):
    setattr(Batched, f"__{name}__", function)

BATCHED_TWINS |= {
    np.reshape: lambda x, shape: x.value.reshape((len(x.value), *shape)),
    np.astype: lambda x, dtype: x.value.astype(dtype),
    np.matrix_transpose: lambda x: x.value.mT,
    np.broadcast_to: lambda x, shape: np.broadcast_to(x.aligned(len(shape)), (len(x.value), *shape)),
    np.transpose: lambda x, axes=None: x.value.transpose((0, *axes_in_stack(axes or (*range(x.ndim)[::-1],), x.ndim))),
    np.concatenate: lambda rows, axis=0: np.concatenate(stacks(rows), axis + (axis >= 0)),
    np.stack: lambda rows, axis=0: np.stack(stacks(rows), axis + (axis >= 0)),
    np.zeros_like: lambda x: np.zeros_like(x.value),
    np.ones_like: lambda x: np.ones_like(x.value),
    np.add.reduce: lambda x, axis=0, keepdims=False: x.value.sum(axes_in_stack(axis, x.ndim), keepdims=keepdims),
}
