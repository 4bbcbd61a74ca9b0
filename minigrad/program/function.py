"""tf.function and what goes with it. Here a decorated function runs eagerly, as it is, and returns Tensors."""

import contextlib
import functools
import inspect
import itertools
import re
from typing import Any

import numpy as np

from .. import errors, nest
from ..engine import dtypes
from ..engine.op import convert, tensor_of
from ..engine.shape import TensorShape
from ..engine.slices import IndexedSlices
from ..engine.tensor import constant
from ..errors import invalid


class TensorSpec:
    """The shape and dtype that a Tensor shall have; None is any length.

    >>> import minigrad as mg
    >>> mg.TensorSpec([None, 2], mg.float32)
    TensorSpec(shape=(None, 2), dtype=mg.float32, name=None)
    """

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None):
        self.shape, self.dtype, self.name = TensorShape(shape), dtypes.as_dtype(dtype), name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> "TensorSpec":
        """The spec of a Tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> "TensorSpec":
        """A copy, with another name perhaps."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, other: Any) -> bool:
        """Could a Tensor have this spec and be `other`, a Tensor or a spec?"""
        other = other if hasattr(other, "shape") else convert(other)
        return self.dtype == other.dtype and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other):
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"

    def __reduce__(self):
        return TensorSpec, (self.shape, self.dtype, self.name)


def function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False, **options):
    """In TensorFlow, compiles a Python function into a graph. Here it runs as it is, line by line, on each call.

    What it returns becomes Tensors, in the lists and dicts they stand in; a Variable is read, and None stays None.

    Args:
        func: the function; without it, the result is a decorator.
        input_signature: a list of `mg.TensorSpec`: arguments are made Tensors, and must fit.
        autograph, jit_compile, reduce_retracing, **options: accepted as in TensorFlow, without effect.

    Raises:
        TypeError: the signature is no list of specs; or on a call, an argument is missing, is one too many or does not
            fit its spec, or what is returned cannot be a Tensor.

    >>> import minigrad as mg
    >>> @mg.function(input_signature=[mg.TensorSpec([None], mg.float32)])
    ... def double(x):
    ...     return x * 2
    >>> print(double([1.0, 2.0]).numpy())
    [2. 4.]
    """
    if func is None:
        return functools.partial(function, input_signature=input_signature)
    return Function(func, input_signature)


class Function:
    """A function that `mg.function` has decorated."""

    def __init__(self, python_function, input_signature=None):
        self.python_function = python_function
        if input_signature is not None:
            check_signature(input_signature)
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._parameters = parameters(python_function, self.input_signature or ())
        functools.update_wrapper(self, python_function)

    def __call__(self, *args, **kwargs):
        args, kwargs = fitted(self._parameters, self.input_signature or (), args, kwargs)
        returned = self.python_function(*args, **kwargs)
        return nest.map_structure(functools.partial(as_tensor, self.python_function), returned)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return Function(self.python_function.__get__(instance, owner), self.input_signature)

    def get_concrete_function(self, *args, **kwargs):
        """The function for arguments like these: specs and Tensors tell what may come instead, other values are kept.

        Raises:
            TypeError: an argument is missing, or is one too many.

        >>> import minigrad as mg
        >>> @mg.function
        ... def power(x, n):
        ...     return x**n
        >>> square = power.get_concrete_function(mg.TensorSpec(None, mg.float32), n=2)
        >>> print(square(mg.constant(3.0)).numpy())
        9.0
        """
        if not args and not kwargs:
            args = self.input_signature or ()
        with telling_what_was_given(self._parameters, args, kwargs):
            bound = self._parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        return ConcreteFunction(self, self._parameters, nest.map_structure(spec_of, dict(bound.arguments)))


class ConcreteFunction:
    """A function whose arguments are Tensors of some specs. Other values are bound, and may be left out."""

    def __init__(self, function, parameters, bound):
        self._function, self._parameters, self._bound = function, parameters, bound
        self._open = [name for name, one in bound.items() if any(isinstance(x, TensorSpec) for x in nest.flatten(one))]
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        with telling_what_was_given(self._parameters, args, kwargs):
            given = self._bound | self.named(args, kwargs)
            fitting = {name: alike(bound, given[name]) for name, bound in self._bound.items()}
        for k, name in enumerate(self._open):
            self.check_dtypes(k, self._bound[name], fitting[name])
        call = inspect.BoundArguments(self._parameters, fitting)
        return self._function(*call.args, **call.kwargs)

    def named(self, args, kwargs):
        """The arguments by name. If too few are given, they are those that are not bound."""
        try:
            return self._parameters.bind(*args, **kwargs).arguments
        except TypeError:
            given = dict(zip(self._open, args), **kwargs)
            if len(given) != len(args) + len(kwargs) or set(given) != set(self._open):
                raise
            return given

    def check_dtypes(self, k, bound, given):
        """Refuse a Tensor whose dtype is not that of its spec."""
        for spec, x in zip(nest.flatten(bound), nest.flatten(given)):
            if isinstance(spec, TensorSpec) and x.dtype != spec.dtype:
                raise invalid(
                    f"cannot compute {self.__name__} as input #{k}(zero-based) was expected to be a {spec.dtype.kernel_name} tensor "
                    f"but is a {x.dtype.kernel_name} tensor [Op:{self.__name__}]",
                )


def alike(bound, given):
    """An argument that may stand where another was bound; a Tensor where there was a spec."""
    if isinstance(bound, TensorSpec) or given is bound:
        return fitting_leaf(bound, given)
    return nest.map_structure(fitting_leaf, bound, given)


def fitting_leaf(bound, given):
    """The same value; or for a spec, a Tensor. One that is a Tensor already may have any shape, as in TensorFlow."""
    if isinstance(bound, TensorSpec):
        return convert(given) if hasattr(given, "__tf_tensor__") else fit(bound, given)
    if given is not bound and not hasattr(bound, "assign") and (type(bound) is not type(given) or bound != given):
        raise TypeError(f"Can not cast {given!r} to Literal[{bound!r}]")
    return given


def spec_of(value):
    """The spec of a Tensor or an array. Variables and all other values stay as they are."""
    is_tensor = hasattr(value, "dtype") and hasattr(value, "shape") and not hasattr(value, "assign")
    return TensorSpec.from_tensor(value) if is_tensor else value


@contextlib.contextmanager
def telling_what_was_given(parameters, args, kwargs):
    """A block whose errors say what the function was called with."""
    try:
        yield
    except (TypeError, ValueError, errors.OpError) as error:
        given = f"Received args: {args} and kwargs: {kwargs} for signature: {parameters}."
        raise TypeError(f"Binding inputs to tf.function failed due to `{error}`. {given}") from None


def check_signature(signature):
    if not isinstance(signature, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(signature)}. Write [mg.TensorSpec(...)].")
    wrong = [one for one in nest.flatten(list(signature)) if not isinstance(one, TensorSpec)]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, "
            f"got invalid args {wrong} with types {list(map(type, wrong))}."
        )


def parameters(func, specs):
    """The signature of a function, with a spec in the place of each annotation."""
    specs = itertools.chain(specs, itertools.repeat(inspect.Parameter.empty))
    given = inspect.signature(func).parameters.values()
    return inspect.Signature([one.replace(annotation=spec) for one, spec in zip(given, specs)])


def fitted(parameters, specs, args, kwargs):
    """The arguments in their order, as Tensors where there is a spec; and those that are given by name alone."""
    with telling_what_was_given(parameters, args, kwargs):
        bound = parameters.bind(*args, **kwargs)
        fitting = [
            fit(spec, given) if isinstance(spec, TensorSpec) else nest.map_structure(fit, spec, given)
            for spec, given in zip(specs, bound.args)
        ]
    return fitting + list(bound.args[len(specs) :]), bound.kwargs


def fit(spec, given):
    """What is given, as a Tensor of this spec. Only what is no Tensor yet is cast."""
    tensor = convert(given) if hasattr(given, "__tf_tensor__") else tensor_of(given, spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise TypeError(f"Can not cast {TensorSpec.from_tensor(tensor)} to {spec}")
    return tensor


def as_tensor(func, value):
    """What a function returns, as a Tensor. None, IndexedSlices and Datasets stay as they are."""
    if value is None or isinstance(value, IndexedSlices) or hasattr(value, "element_spec"):
        return value
    try:
        return convert(value) if hasattr(value, "__tf_tensor__") else constant(value)
    except (TypeError, ValueError, errors.OpError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None values; in "
            f"compilation of {func}, found return value of type {type(value).__name__}, which is not a Tensor or ExtensionType. "
            "Return numbers, arrays or Tensors, in lists and dicts if you like."
        ) from None


def numpy_function(func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True, name: str | None = None) -> Any:
    """Call a function of NumPy, outside of every tape: what it gives is a constant to them.

    Args:
        func: a function of NumPy arrays that gives arrays, numbers or texts, one or several.
        inp: a list of Tensors, or of what can be an array; `func` is given each as an array.
        Tout, stateful, name: accepted as in TensorFlow, without effect: the dtypes are those that `func` gives.

    Returns:
        What `func` gave as a Tensor; a list if it gave several.

    >>> import minigrad as mg, numpy as np
    >>> x = mg.Variable([1.0, 3.0])
    >>> with mg.GradientTape() as tape:
    ...     y = mg.numpy_function(np.cumsum, [x], mg.float32)
    >>> print(y.numpy(), tape.gradient(y, x))
    [1. 4.] None
    """
    given = nest.flatten(func(*[np.array(x) for x in inp]))
    results = [None if y is None else convert(y) for y in given]
    return results[0] if len(results) == 1 else results


@contextlib.contextmanager
def device(device_name):
    """A block for one device. There is only the CPU, so it changes nothing.

    Raises:
        ValueError: the name is no device's.

    >>> import minigrad as mg
    >>> with mg.device("CPU:0"):
    ...     x = mg.constant(1.0)
    """
    if device_name is not None and not re.search(r"(cpu|gpu|tpu|xla_\w+|job:\w+)", str(device_name), re.IGNORECASE):
        raise ValueError(f"Unknown attribute {device_name!r} is encountered while parsing the device spec: {device_name!r}.")
    yield


def executing_eagerly() -> bool:
    """Do ops run at once? Always, here.

    >>> import minigrad as mg
    >>> mg.executing_eagerly()
    True
    """
    return True
