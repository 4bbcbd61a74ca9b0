""""""

import itertools
import threading

import numpy as np

from .. import errors
from ..engine import dtypes
from ..engine.listening import storing, without_tapes
from ..engine.op import convert
from ..engine.shape import TensorShape, bracketed
from ..engine.tensor import Tensor
from ..errors import invalid
from ..nest import sorted_keys
from ..ops.creation import convert_to_tensor
from ..program.function import TensorSpec

AUTOTUNE = INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Looking(threading.local):
    """Is the first element wanted for its form alone? Then a Dataset that is shuffled draws no new order, and nothing is left out."""

    on = False
    resized = False  # shall batches have another size than they would? What is another length then, is not fixed


looking = Looking()


# ---- elements ------------------------------------------------------------------------------------------------------


def mapped(function, element):
    """`function` of each part of an element: tuples and dicts are forms, everything else is a part."""
    if isinstance(element, dict):
        return {key: mapped(function, x) for key, x in element.items()}
    if isinstance(element, tuple):
        made = [mapped(function, x) for x in element]
        return type(element)(*made) if hasattr(element, "_fields") else tuple(made)
    return function(element)


def parts(element) -> list:
    """The parts of an element, those of a dict by sorted keys."""
    if isinstance(element, dict):
        return [part for key in sorted_keys(element) for part in parts(element[key])]
    return [part for x in element for part in parts(x)] if isinstance(element, tuple) else [element]


def rebuilt(form, flat):
    """An element of the form of `form`, with other parts."""
    flat = iter(flat)
    if isinstance(form, dict):
        made = {key: rebuilt(form[key], flat) for key in sorted_keys(form)}
        return {key: made[key] for key in form}
    if isinstance(form, tuple):
        made = [rebuilt(x, flat) for x in form]
        return type(form)(*made) if hasattr(form, "_fields") else tuple(made)
    return next(flat)


def whole_number(x):
    """How many, or how much: what becomes an int64."""
    return int(convert_to_tensor(x, dtypes.int64).value)


def positive(x, what, kernel):
    """A whole number above 0, which an op of TensorFlow asks for."""
    number = whole_number(x)
    if number <= 0:
        raise invalid(f"{what} must be greater than zero. [Op:{kernel}] name: ")
    return number


def truth(x):
    return bool(convert_to_tensor(x, dtypes.bool).value)


def shown(element):
    """For a look at its form, the element that stands for those of a Dataset that has none; else nothing."""
    return iter([element] if looking.on else [])


def blank(whole):
    """A row of zeros, or of empty texts, for each part that has no rows."""
    return mapped(lambda part: Tensor.of(np.full(part.shape[1:], b"" if part.dtype == dtypes.string else 0, part.value.dtype)), whole)


def dtypes_of(form):
    return mapped(lambda spec: getattr(spec, "dtype", spec), form)


def cut_off(tensor, where):
    """The same value as a Tensor of its own: what is stored has no history. Who listens is told."""
    return storing(tensor, Tensor.of(tensor.value), where)


def row(i, x):
    part = x.value[i] if x.value.ndim > 1 or x.value.dtype.kind != "O" else np.array(x.value[i], object)
    return storing(x, Tensor.of(part), "Dataset")


def check_function(func):
    if not callable(func):
        raise ValueError(f"Argument `func` must be a callable. Received func={func} (of type {type(func)})")


def called(function, element):
    """A function of the user, with the parts of a tuple as its arguments. No tape hears its ops; a trace does."""
    with without_tapes():
        made = function(*element) if type(element) is tuple else function(element)
    return tuple(made) if type(made) is list else made


def holds(predicate, element):
    """What a predicate says of an element."""
    answer = convert(called(predicate, element))
    if answer.dtype != dtypes.bool or answer.ndim:
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
            f"{TensorSpec(answer.shape, answer.dtype)}. Write a comparison, as x != 0."
        )
    return bool(answer.value)


def endless(elements):
    """All of them again and again; nothing if there are none."""
    found = True
    while found:
        found = False
        for x in elements:
            found = True
            yield x


def columns(rows):
    """For each part of the elements, what they have there."""
    return zip(*map(parts, rows))


def batches(elements, size, drop_remainder, stack):
    while rows := list(itertools.islice(elements, size)):
        if len(rows) == size or not drop_remainder:
            if looking.resized and not drop_remainder:
                rows = rows[:1] if len(rows) > 1 else rows * 2
            yield rebuilt(rows[0], stack(rows))


def stacked_rows(rows):
    return [stacked(k, column) for k, column in enumerate(columns(rows))]


def stacked(k, rows):
    shape = rows[0].value.shape
    for i, one in enumerate(rows):
        if one.value.shape != shape:
            first, other = (bracketed(s) for s in (shape, one.value.shape))
            raise invalid(
                f"Cannot batch tensors with different shapes in component {k}. "
                f"First element had shape {first} and element {i} had shape {other}. [Op:IteratorGetNext] name: ",
            )
    return from_rows(rows, np.stack([one.value for one in rows]))


def from_rows(rows, value):
    """A Tensor that was made of these."""
    whole = Tensor.of(value)
    for one in rows:
        storing(one, whole, "Dataset")
    return whole


def padded_rows(shapes, values, rows):
    form = rows[0]
    return [padded(*one) for one in zip(columns(rows), spread(form, shapes), spread(form, values))]


def spread(form, given):
    """What is given for each part of an element, in its form; None for all parts if nothing is."""
    if given is None:
        return [None for _ in parts(form)]
    if isinstance(form, dict):
        return [part for key in sorted_keys(form) for part in spread(form[key], given[key])]
    if isinstance(form, tuple):
        return [part for one, its in zip(form, given, strict=True) for part in spread(one, its)]
    return [given]


def padded(rows, shape, value):
    """Tensors one below the other, and behind each as much of the value as it lacks."""
    kind = rows[0].dtype
    fill = convert(value) if value is not None else None
    if fill is not None and fill.dtype != kind:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {fill.dtype} does not match type {kind} of the corresponding input "
            "component."
        )
    nothing = b"" if kind == dtypes.string else 0
    whole = np.full((len(rows), *padded_shape(rows, shape)), nothing if fill is None else fill.value, kind.dtype)
    for i, one in enumerate(rows):
        places = (i, *map(slice, one.value.shape), ...)
        whole[places] = one.value
    return from_rows(rows, whole)


def padded_shape(rows, wanted):
    """The shape that these shall have: as wanted, or as the longest has it."""
    longest = [max(lengths) for lengths in zip(*[one.value.shape for one in rows])]
    if wanted is None:
        return longest
    wanted = [wanted] if np.ndim(wanted) == 0 else list(wanted)
    wanted = TensorShape([None if n is None or n == -1 else n for n in wanted])
    if wanted.rank != len(longest):
        raise ValueError(
            f"The padded shape {wanted} is not compatible with the shape {rows[0].shape} of the corresponding input component."
        )
    if any(n is not None and n < least for n, least in zip(wanted, longest)):
        text = "Attempted to pad to a smaller size than the input element. [Op:IteratorGetNext] name: "
        raise errors.DataLossError(None, None, text)
    return [least if n is None else n for n, least in zip(wanted, longest)]
