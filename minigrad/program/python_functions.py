"""tf.py_function and tf.numpy_function, which call Python as an op; devices; and whether code is traced."""

import contextlib
import functools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import errors, nest
from ..engine import Tensor, convert, dtypes, invalid, without_tapes
from ..engine.custom import UserGradient, with_gradient
from ..engine.listening import listening, put_off
from ..engine.tape import GradientTape, UnconnectedGradients
from ..ops import convert_to_tensor

# ---- Python functions ----------------------------------------------------------------------------------------------


def py_function(func=None, inp=None, Tout=None, name=None) -> Any:
    """Call a Python function of Tensors as one op: gradients flow through it, but only to its inputs `inp`.

    Args:
        func: takes Tensors, and returns a Tensor, a list of Tensors, or None; other values are converted. Without it,
            the result is a decorator.
        inp: a list of Tensors, or of values that can become one.
        Tout: the dtype of the result, or a list of dtypes.

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
        raise ValueError(f"Expected func to be callable. Received func={errors.visible(func)} of type {type(func)}.")
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

    outputs = with_gradient(inputs, results, UserGradient(backward, len(inputs), []))
    return outputs if several else outputs[0]


def call_python(func, inputs, wanted):
    """Call a function and return its results as a list of Tensors, checked against the wanted dtypes.

    Raises:
        InvalidArgumentError: it raises a TypeError or a ValueError, or returns too few values, or one of another dtype.
        UnknownError: it raises another error.
    """
    try:
        returned = as_list(func(*inputs))
        results = [convert_to_tensor(value, dtype) for value, dtype in zip(returned, wanted)]
    except Exception as problem:
        raise errors.from_python(problem) from problem
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
        inp: a list of Tensors, or of values that can become an array.
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
def device(device_name) -> Iterator[None]:
    """A block that runs on a device, here always the CPU.

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
    """Whether `mg.function` is tracing the calling code.

    >>> import minigrad as mg
    >>> traced = mg.function(lambda: print(mg.inside_function()))
    >>> traced()
    True
    """
    return any(one.tracing for one in listening.now)


def executing_eagerly() -> bool:
    """Whether ops compute numbers. True, except while `mg.function` traces.

    >>> import minigrad as mg
    >>> mg.executing_eagerly()
    True
    """
    return not inside_function()
