"""Hears which values enter TensorFlow from Python and NumPy, and which leave for them."""

import functools
import sys

import numpy as np

from ..engine.listening import coming, leaving, listening
from ..explain.names import ENTRANCES
from ..tracing.places import USERS, user_frame
from .careful import carefully, failed
from .quiet import silence, unheard
from .state import read
from .twins import NUMBER, VariableTwin, twin_of

EXITS = {
    "numpy": "numpy()", "__float__": "float()", "__int__": "int()", "__bool__": "bool()", "__index__": "int()",
    "__complex__": "complex()", "__array__": "NumPy",
}  # fmt: skip


def entering(original):
    def converted(value, ctx, dtype=None):
        found = original(value, ctx, dtype)
        if found is not value:
            came(value, found)
        return found

    return converted


@carefully
def came(value, tensor):
    if not listening.now or not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        return
    if type(value) in (int, float, complex) and user_frame()[1] not in (*ENTRANCES, "py_function"):
        vars(tensor)[NUMBER] = True
        return
    twin = twin_of(tensor)
    coming(np.asarray(value) if isinstance(value, (list, tuple)) else value, twin)


def exiting(exit, original):
    def told(tensor, *args, **kwargs):
        twin = None if silence.depth or not listening.now else twin_of(tensor)
        if twin is None:
            return original(tensor, *args, **kwargs)
        with unheard():
            result = original(tensor, *args, **kwargs)
        try:
            return left(twin, "bool()" if decided_inside(result) else exit, result)
        except Exception as problem:
            failed(problem)
            return result

    return functools.wraps(original)(told)


def left(twin, exit, result):
    if isinstance(twin, VariableTwin):
        read(twin)
        twin = twin._now
    return leaving(twin, exit, result)


def decided_inside(result) -> bool:
    """Whether TensorFlow itself uses a truth value for a decision, as `tf.cond` does."""
    return isinstance(result, (bool, np.bool_)) and not USERS[sys._getframe(2).f_code.co_filename]
