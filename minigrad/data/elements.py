"""Elements of a Dataset: nested tuples and dicts of components, and the conversion of arguments and results."""

import threading

from ..engine import Tensor, convert, dtypes, invalid, storing, without_tapes
from ..nest import packed, sorted_keys
from ..ops import convert_to_tensor
from ..program.function import TensorSpec

AUTOTUNE = INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class SpecInference(threading.local):
    """Whether this thread computes a first element only to infer `element_spec` from it.

    Then a shuffled Dataset draws no new order, and no element is left out.
    """

    active = False
    resized = False  # whether batches get another size than asked for, which shows the lengths that depend on it


spec_inference = SpecInference()


# ---- the structure of an element -----------------------------------------------------------------------------------


def map_components(function, element):
    """`function` of each component, in the structure of the element. Everything but tuples and dicts is a component."""
    if isinstance(element, dict):
        return {key: map_components(function, x) for key, x in element.items()}
    if isinstance(element, tuple):
        mapped = [map_components(function, x) for x in element]
        return type(element)(*mapped) if hasattr(element, "_fields") else tuple(mapped)
    return function(element)


def components(element) -> list:
    """The components of an element, those of a dict by sorted keys."""
    if isinstance(element, dict):
        return [component for key in sorted_keys(element) for component in components(element[key])]
    return [component for x in element for component in components(x)] if isinstance(element, tuple) else [element]


def with_components(structure, flat):
    """An element with the structure of another, and these components."""
    return packed(structure, iter(flat))


def columns(elements):
    """For each component, its values in all the elements."""
    return zip(*map(components, elements))


def dtypes_of(spec):
    return map_components(lambda one: getattr(one, "dtype", one), spec)


# ---- arguments -----------------------------------------------------------------------------------------------------


def as_integer(x):
    """An argument that TensorFlow converts to int64, as an int."""
    return int(convert_to_tensor(x, dtypes.int64).value)


def positive_integer(x, what, kernel):
    """An argument of this TensorFlow kernel as an int.

    Raises:
        InvalidArgumentError: it is not positive; the message calls it `what`.
    """
    number = as_integer(x)
    if number <= 0:
        raise invalid(f"{what} must be greater than zero. [Op:{kernel}] name: ")
    return number


def as_bool(x):
    return bool(convert_to_tensor(x, dtypes.bool).value)


def check_callable(func):
    if not callable(func):
        raise ValueError(f"Argument `func` must be a callable. Received func={func} (of type {type(func)})")


# ---- values --------------------------------------------------------------------------------------------------------


def detached(tensor, where):
    """A Tensor of the same value that no tape tracks; listeners are told that it was stored in `where`."""
    return storing(tensor, Tensor.of(tensor.value), where)


def zero_of(dtype):
    """The default filler: 0, or an empty string."""
    return b"" if dtype == dtypes.string else 0


def apply_function(function, element):
    """A function of the user, with the items of a tuple as its arguments. Traces record its ops, tapes do not."""
    with without_tapes():
        result = function(*element) if type(element) is tuple else function(element)
    return tuple(result) if type(result) is list else result


def satisfies(predicate, element):
    """The truth of a predicate of the user for an element.

    Raises:
        ValueError: its result is not a scalar bool.
    """
    answer = convert(apply_function(predicate, element))
    if answer.dtype != dtypes.bool or answer.ndim:
        given = f"but its return type is {TensorSpec(answer.shape, answer.dtype)}. Write a comparison, as x != 0."
        raise ValueError(f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, {given}")
    return bool(answer.value)
