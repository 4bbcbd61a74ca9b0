"""TensorSpec, what a tf.function takes and returns (graph/function.py runs it), Python functions as ops, devices."""

import contextlib
import functools
import inspect
import itertools
import re
from typing import Any

import numpy as np

from .. import errors, nest
from ..engine import IndexedSlices, Tensor, TensorShape, constant, convert, dtypes, invalid, tensor_of, without_tapes
from ..engine.custom import Backward, with_gradient
from ..engine.listening import listening, put_off
from ..engine.tape import GradientTape, UnconnectedGradients
from ..ops import convert_to_tensor


class TensorSpec:
    """The shape and dtype that is required of a Tensor.

    Args:
        shape: the length of each axis, None for any length; or None for any shape.
        dtype: float32 by default.
        name: kept, as in TensorFlow.

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
        """A copy, with another name if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the dtype is the same and the shape fits: `other` is a Tensor, what can become one, or a spec."""
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


# ---- the arguments and results of tf.function ---------------------------------------------------------------------


def has_spec(value):
    return any(isinstance(leaf, TensorSpec) for leaf in nest.flatten(value))


def matching(bound, given):
    """An argument, if it matches a nest of values and specs, with Tensors in place of the specs."""
    if isinstance(bound, TensorSpec) or given is bound:
        return matching_leaf(bound, given)
    return nest.map_structure(matching_leaf, bound, given)


def matching_leaf(bound, given):
    """The bound value itself, or a Tensor for a spec. A value that is a Tensor may have any shape, as in TensorFlow.

    Raises:
        TypeError: it is another value, or does not match the spec.
    """
    if isinstance(bound, TensorSpec):
        return convert(given) if hasattr(given, "__tf_tensor__") else as_specified(bound, given)
    if given is not bound and not hasattr(bound, "assign") and (type(bound) is not type(given) or bound != given):
        raise TypeError(f"Can not cast {given!r} to Literal[{bound!r}]")
    return given


def spec_of(value):
    """The spec of a Tensor or an array; Variables and other values unchanged."""
    is_array = hasattr(value, "dtype") and hasattr(value, "shape") and not hasattr(value, "assign")
    return TensorSpec.from_tensor(value) if is_array else value


@contextlib.contextmanager
def naming_arguments(parameters, args, kwargs):
    """A block whose errors become TypeErrors that name the arguments of the call."""
    try:
        yield
    except (TypeError, ValueError, errors.OpError) as error:
        given = f"Received args: {args} and kwargs: {kwargs} for signature: {parameters}."
        raise TypeError(f"Binding inputs to tf.function failed due to `{error}`. {given}") from None


def check_signature(signature):
    if not isinstance(signature, (list, tuple)):
        problem = f"input_signature must be either a tuple or a list, got {type(signature)}."
        raise TypeError(f"{problem} Write [mg.TensorSpec(...)].")
    wrong = [one for one in nest.flatten(list(signature)) if not isinstance(one, TensorSpec)]
    if wrong:
        problem = "input_signature must be a possibly nested sequence of TensorSpec objects,"
        raise TypeError(f"{problem} got invalid args {wrong} with types {list(map(type, wrong))}.")


def parameters(func, specs):
    """The signature of a function, with specs as annotations."""
    specs = itertools.chain(specs, itertools.repeat(inspect.Parameter.empty))
    given = inspect.signature(func).parameters.values()
    return inspect.Signature([one.replace(annotation=spec) for one, spec in zip(given, specs)])


def converted_arguments(parameters, specs, args, kwargs):
    """The positional arguments, as Tensors where there is a spec, and the keyword arguments."""
    with naming_arguments(parameters, args, kwargs):
        bound = parameters.bind(*args, **kwargs)
        converted = [
            as_specified(spec, given) if isinstance(spec, TensorSpec) else nest.map_structure(as_specified, spec, given)
            for spec, given in zip(specs, bound.args)
        ]
    return converted + list(bound.args[len(specs) :]), bound.kwargs


def as_specified(spec, given):
    """A value as a Tensor of this spec. It is cast to the dtype, unless it is already a Tensor.

    Raises:
        TypeError: it does not match the spec.
    """
    tensor = convert(given) if hasattr(given, "__tf_tensor__") else tensor_of(given, spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise TypeError(f"Can not cast {TensorSpec.from_tensor(tensor)} to {spec}")
    return tensor


def as_tensor(func, value):
    """A value that a function returned, as a Tensor. None, IndexedSlices and Datasets are unchanged.

    Raises:
        TypeError: it cannot become a Tensor.
    """
    if value is None or isinstance(value, IndexedSlices) or hasattr(value, "element_spec"):
        return value
    try:
        return convert(value) if hasattr(value, "__tf_tensor__") else constant(value)
    except (TypeError, ValueError, errors.OpError):
        returned = "Python functions must return zero or more Tensors or ExtensionTypes or None values;"
        kind = f"return value of type {type(value).__name__}, which is not a Tensor or ExtensionType"
        problem = f"To be compatible with tf.function, {returned} in compilation of {func}, found {kind}."
        raise TypeError(f"{problem} Return numbers, arrays or Tensors, in lists and dicts if you like.") from None


# ---- Python functions ----------------------------------------------------------------------------------------------


def py_function(func=None, inp=None, Tout=None, name=None):
    """Call a Python function of Tensors as one op: gradients flow through it, but only to its inputs `inp`.

    Args:
        func: takes Tensors, and returns a Tensor, a list of Tensors, or None; other values are converted. Without it,
            the result is a decorator.
        inp: a list of Tensors, or of what can become one.
        Tout: the dtype of the result, or a list of dtypes.
        name: accepted as in TensorFlow, without effect.

    Returns:
        A Tensor; a list if `Tout` is one.

    Raises:
        TypeError: there is no `Tout`.
        ValueError: `func` is not callable.
        InvalidArgumentError: it raises a TypeError or a ValueError, or returns too few values, or one of another dtype.
        UnknownError: it raises another error.

    Note:
        There is no second derivative, as in TensorFlow. The gradient of an input that `func` does not depend on is 0.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.GradientTape() as tape:
    ...     y = mg.py_function(lambda a: a * a if a > 1.0 else a, [x], mg.float32)
    >>> float(y), float(tape.gradient(y, x))
    (9.0, 6.0)
    """
    if Tout is None:
        raise TypeError("Missing required argument: 'Tout'")
    if func is None:
        return lambda func: functools.wraps(func)(lambda *inp: py_function(func, inp, Tout))
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    put_off()
    several = isinstance(Tout, (list, tuple))
    wanted = [dtypes.as_dtype(getattr(one, "dtype", one)) for one in (Tout if several else [Tout])]
    inputs = [convert(x) for x in inp]
    given = [Tensor.of(x.value) for x in inputs]
    with without_tapes(), GradientTape(persistent=True) as tape:
        tape.watch([x for x in given if x.dtype.is_floating or x.dtype.is_complex])
        results = call_python(func, given, wanted)

    def backward(*dys):
        with without_tapes():
            return tape.gradient(results, given, list(dys), UnconnectedGradients.ZERO)

    outputs = with_gradient(inputs, results, Backward(backward, len(inputs), []))
    return outputs if several else outputs[0]


def call_python(func, inputs, wanted):
    """The results of a function as a list of Tensors with the dtypes that are wanted.

    Raises:
        InvalidArgumentError: it raises a TypeError or a ValueError, or returns too few values, or one of another dtype.
        UnknownError: it raises another error.
    """
    try:
        returned = as_list(func(*inputs))
        results = [convert_to_tensor(value, dtype) for value, dtype in zip(returned, wanted)]
    except Exception as problem:
        error = errors.InvalidArgumentError if isinstance(problem, (TypeError, ValueError)) else errors.UnknownError
        raise error(None, None, f"{type(problem).__name__}: {errors.visible(problem, None)}") from problem
    if len(results) < len(wanted):
        text = f"pyfunc returns {len(results)} values, but expects to see {len(wanted)} values. [Op:EagerPyFunc] name: "
        raise invalid(text)
    return results


def as_list(returned):
    if returned is None:
        return []
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]


def numpy_function(func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True,
                   name: str | None = None) -> Any:  # fmt: skip
    """Call a Python function of NumPy arrays. No tape records it: its results are constants.

    Args:
        func: takes arrays, and returns one or several arrays, numbers or strings.
        inp: a list of Tensors, or of what can become an array.
        Tout, stateful, name: accepted as in TensorFlow, without effect: the dtypes are those of the results.

    Returns:
        The result as a Tensor; a list if there are several.

    >>> import minigrad as mg, numpy as np
    >>> x = mg.Variable([1.0, 3.0])
    >>> with mg.GradientTape() as tape:
    ...     y = mg.numpy_function(np.cumsum, [x], mg.float32)
    >>> print(y.numpy(), tape.gradient(y, x))
    [1. 4.] None
    """
    put_off()
    given = nest.flatten(func(*[np.array(x) for x in inp]))
    results = [None if y is None else convert(y) for y in given]
    return results[0] if len(results) == 1 else results


# ---- devices and modes ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def device(device_name):
    """A block that runs on a device: here always the CPU.

    Args:
        device_name: a name such as "CPU:0" or "/gpu:1", or None.

    Raises:
        ValueError: it is not the name of a device.

    >>> import minigrad as mg
    >>> with mg.device("CPU:0"):
    ...     x = mg.constant(1.0)
    """
    if device_name is not None and not re.search(r"(cpu|gpu|tpu|xla_\w+|job:\w+)", str(device_name), re.IGNORECASE):
        problem = f"Unknown attribute {device_name!r} is encountered"
        raise ValueError(f"{problem} while parsing the device spec: {device_name!r}.")
    yield


def inside_function() -> bool:
    """Does `mg.function` trace the code that asks?

    >>> import minigrad as mg
    >>> traced = mg.function(lambda: print(mg.inside_function()))
    >>> traced()
    True
    """
    return any(one.tracing for one in listening.now)


def executing_eagerly() -> bool:
    """Do ops compute numbers? True, but for where `mg.function` traces.

    >>> import minigrad as mg
    >>> mg.executing_eagerly()
    True
    """
    return not inside_function()
