"""The elements of a Dataset (nested tuples and dicts of components), and the conversion of arguments and results."""

import threading

from ..engine import Tensor, convert, dtypes, invalid, storing, without_tapes
from ..errors import visible
from ..nest import packed, sorted_keys
from ..ops import convert_to_tensor
from ..program.graphs import GraphRun, GraphState
from ..program.specs import TensorSpec

AUTOTUNE = INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class SpecInference(threading.local):
    """Whether this thread computes a first element only to infer `element_spec` from it.

    If so, shuffled Datasets do not draw a new order, and no element is dropped.
    """

    active = False
    resized = False  # whether batches get a different size, to find the lengths that depend on it


spec_inference = SpecInference()


# ---- the structure of an element -----------------------------------------------------------------------------------


def map_components(function, element):
    """Apply `function` to each component, keeping the structure. Everything but tuples and dicts is a component."""
    if isinstance(element, dict):
        return {key: map_components(function, x) for key, x in element.items()}
    if isinstance(element, tuple):
        mapped = [map_components(function, x) for x in element]
        return type(element)(*mapped) if hasattr(element, "_fields") else tuple(mapped)
    return function(element)


def components(element) -> list:
    """The components of an element; those of a dict are sorted by key."""
    if isinstance(element, dict):
        return [component for key in sorted_keys(element) for component in components(element[key])]
    return [component for x in element for component in components(x)] if isinstance(element, tuple) else [element]


def with_components(structure, flat):
    """An element with the structure of another one and these components."""
    return packed(structure, iter(flat))


def columns(elements):
    """For each component, its values in all elements."""
    return zip(*map(components, elements))


def dtypes_of(spec):
    return map_components(lambda one: getattr(one, "dtype", one), spec)


# ---- arguments -----------------------------------------------------------------------------------------------------


def as_integer(x):
    """Convert an argument to an int, as TensorFlow converts it to int64."""
    return int(convert_to_tensor(x, dtypes.int64).value)


def positive_integer(x, what, kernel):
    """Convert an argument of this TensorFlow kernel to an int.

    Raises:
        InvalidArgumentError: it is not positive; the message calls it `what`.
    """
    number = as_integer(x)
    if number <= 0:
        raise invalid(f"{what} must be greater than zero. [Op:{kernel}] name: ")
    return number


def check_parallel_calls(number, kernel):
    """Raise what TensorFlow raises unless this number of calls is positive, AUTOTUNE or None."""
    if number is not None and as_integer(number) != AUTOTUNE:
        positive_integer(number, "num_parallel_calls", kernel)


def as_bool(x):
    return convert_to_tensor(x, dtypes.bool).value


def check_callable(func):
    if not callable(func):
        raise ValueError(f"Argument `func` must be a callable. Received func={visible(func)} (of type {type(func)})")


# ---- errors --------------------------------------------------------------------------------------------------------


class Failure:
    """Passes for an element that could not be computed, until the Iterator raises its error.

    A generator that raised it could not go on with the next element, as TensorFlow does.
    """

    def __init__(self, error):
        self.error = error


def attempt(function, x):
    """`function(x)`; a Failure if x is one, or if the function raises an error."""
    if x.__class__ is Failure:
        return x
    try:
        return function(x)
    except Exception as error:
        return Failure(error)


def attempt_all(function, elements):
    """`function(elements)`, or the first Failure among them."""
    return next((x for x in elements if x.__class__ is Failure), None) or attempt(function, elements)


# ---- values --------------------------------------------------------------------------------------------------------


def detached(tensor, where):
    """A Tensor with the same value that no tape tracks; listeners hear that it was stored in `where`."""
    return storing(tensor, Tensor.of(tensor.value), where)


def of_element(function, graphs):
    """A user's function as one of an element. Traces record its ops, tapes do not.

    Args:
        function: takes the items of a tuple as its arguments.
        graphs: the GraphStates of one iteration, by the code of their functions; this function's is added.
    """
    run = GraphRun(graphs.setdefault(getattr(function, "__code__", id(function)), GraphState()))

    def apply(element):
        with without_tapes():
            result = run(function, *element) if type(element) is tuple else run(function, element)
        return tuple(result) if type(result) is list else result

    return apply


def satisfies(predicate, element):
    """The result of a predicate for an element, a bool.

    Raises:
        ValueError: its result is not a scalar bool.
    """
    answer = convert(predicate(element))
    if answer.dtype != dtypes.bool or answer.ndim:
        given = f"but its return type is {TensorSpec(answer.shape, answer.dtype)}. Write a comparison, as x != 0."
        raise ValueError(f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, {given}")
    return answer.value
