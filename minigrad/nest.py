"""tf.nest: nested lists, tuples and dicts, as one flat list of leaves and back.

The leaves of a dict are ordered by its sorted keys, as in TensorFlow, so that two dicts with the same keys match.
`pack_sequence_as` keeps the types and the key order of the structure.
"""

import functools
import itertools
from collections.abc import Callable, Mapping, MappingView, Sequence
from typing import Any

from .errors import visible_lines

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
__dir__ = __all__.copy  # what Tab offers


def is_nested(seq: Any) -> bool:
    """Whether `seq` is a list, a tuple, a dict or the like, rather than a leaf.

    >>> is_nested([1, 2]), is_nested("ab")
    (True, False)
    """
    return is_nested_type(seq.__class__)


@functools.lru_cache(maxsize=1000)
def is_nested_type(cls):
    """Whether objects of this class are nested. Strings and TensorShapes, which are not Sequences, are leaves."""
    return issubclass(cls, (Sequence, Mapping, MappingView)) and not issubclass(cls, (str, bytes))


def children(structure):
    """The items of a list or tuple, or the values of a dict by sorted keys."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted_keys(structure)]
    return list(structure)


def sorted_keys(mapping):
    """The keys of a dict, sorted.

    Raises:
        TypeError: they cannot be compared, such as 1 and "a".
    """
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves, from left to right; for a single leaf, a list that holds it.

    Args:
        structure: a nest, or a leaf.
        expand_composites: accepted as in TensorFlow, without effect: IndexedSlices are leaves.

    Raises:
        TypeError: the keys of a dict cannot be sorted.

    >>> flatten({"b": [1, (2,)], "a": 3})
    [3, 1, 2]
    """
    if not is_nested(structure):
        return [structure]
    leaves = []
    for child in children(structure):
        leaves += flatten(child) if is_nested(child) else [child]
    return leaves


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """A nest with the structure of `structure` and the leaves of `flat_sequence`.

    Args:
        structure: a nest, whose own leaves do not matter, or a leaf.
        flat_sequence: a list with the same number of leaves.
        expand_composites: accepted as in TensorFlow, without effect: IndexedSlices are leaves.

    Raises:
        ValueError: the numbers of leaves differ.
        TypeError: `flat_sequence` is not a sequence.

    >>> pack_sequence_as({"b": [0, (0,)], "a": 0}, [3, 1, 2])
    {'b': [1, (2,)], 'a': 3}
    """
    if not is_nested(flat_sequence):
        kind = type(flat_sequence)
        problem = f"Attempted to pack value:\n  {visible_lines(flat_sequence)}\ninto a structure,"
        raise TypeError(f"{problem} but found incompatible type `{kind}` instead.")
    leaves, needed = list(flat_sequence), len(flatten(structure))
    if needed != len(leaves) and not is_nested(structure):
        leaf = f"The target structure is of type `{type(structure)}`\n  {visible_lines(structure)}"
        given = f"However the input is a sequence ({type(flat_sequence)}) of length {len(leaves)}."
        problem = "nest cannot guarantee that it is safe to map one to the other."
        raise ValueError(f"{leaf}\n{given}\n  {visible_lines(flat_sequence)}\n{problem}")
    if needed != len(leaves):
        problem = f"Could not pack sequence. Structure had {needed} atoms, but flat_sequence had {len(leaves)} items."
        raise ValueError(f"{problem}  {visible_lines(f'Structure: {structure}, flat_sequence: {leaves}')}.")
    return packed(structure, iter(leaves))


def packed(structure, leaves):
    """A nest with this structure, whose leaves are taken from an iterator."""
    if not is_nested(structure):
        return next(leaves)
    if isinstance(structure, Mapping):
        new = {key: packed(structure[key], leaves) for key in sorted_keys(structure)}
        pairs = [(key, new[key]) for key in structure]
        if hasattr(structure, "default_factory"):
            return type(structure)(structure.default_factory, pairs)
        return type(structure)(pairs)
    new = []
    for child in structure:  # not a comprehension: in Python 3.11 it would halve the possible recursion depth
        new.append(packed(child, leaves))
    if isinstance(structure, (MappingView, range)):  # types that cannot be constructed from values
        return new
    return type(structure)(*new) if hasattr(structure, "_fields") else type(structure)(new)


def map_structure(func: Callable[..., Any], *structures: Any, check_types: bool = True,
                  expand_composites: bool = False) -> Any:  # fmt: skip
    """A nest of the results of `func`, with the structure of the first argument.

    Args:
        func: takes one leaf of each structure.
        *structures: nests with the same structure.
        check_types: whether a list instead of a tuple is an error.
        expand_composites: accepted as in TensorFlow, without effect: IndexedSlices are leaves.

    Raises:
        ValueError: the structures differ, or there is none.
        TypeError: `func` is not callable, or the types of the nests differ.

    >>> map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {visible_lines(func)}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types)
    return pack_sequence_as(structures[0], [func(*leaves) for leaves in zip(*map(flatten, structures))])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raise unless two nests have the same structure.

    Args:
        nest1, nest2: nests or leaves.
        check_types: whether a list instead of a tuple is an error.
        expand_composites: accepted as in TensorFlow, without effect: IndexedSlices are leaves.

    Raises:
        ValueError: the structures differ.
        TypeError: the types of sequences differ, and `check_types` is True.

    >>> assert_same_structure([1, (2,)], [3, (4,)])
    >>> assert_same_structure([1, 2], (3, 4), check_types=False)
    >>> assert_same_structure([1, 2], [1, [2]])
    Traceback (most recent call last):
    ValueError: The two structures don't have the same nested structure. ...
    """
    difference = first_difference(nest1, nest2, check_types)
    if difference is None:
        return
    kind, what = difference
    both = f"First structure: {told(nest1)}\n\nSecond structure: {told(nest2)}\n\nMore specifically: {what}"
    outlines = [packed(one, itertools.repeat(DOT)) for one in (nest1, nest2)]
    entire = f"Entire first structure:\n{outlines[0]}\nEntire second structure:\n{outlines[1]}"
    raise kind(visible_lines(f"The two structures don't have the same nested structure.\n\n{both}\n{entire}"))


class Dot:
    """A leaf in an error message."""

    def __repr__(self):
        return "."


DOT = Dot()


def told(structure):
    """A part of a nest in an error message."""
    return f"type={type(structure).__name__} str={structure!s}"


def first_difference(nest1, nest2, check_types):
    """The first difference of two structures, as an error class and its message; None if there is none."""
    if is_nested(nest1) != is_nested(nest2):
        nested, leaf = (nest1, nest2) if is_nested(nest1) else (nest2, nest1)
        return ValueError, f'Substructure "{told(nested)}" is a sequence, while substructure "{told(leaf)}" is not'
    if not is_nested(nest1):
        return None
    if check_types and not same_type(nest1, nest2):
        types = [f"{told(one)} has type {type(one).__name__}" for one in (nest1, nest2)]
        problem = "The two namedtuples don't have the same sequence type."
        return TypeError, f"{problem} First structure {types[0]}, while second structure {types[1]}"
    if check_types and isinstance(nest1, Mapping) and sorted_keys(nest1) != sorted_keys(nest2):
        problem = f"The two dictionaries don't have the same set of keys. First structure has keys {told(list(nest1))}"
        return ValueError, f"{problem}, while second structure has keys {told(list(nest2))}"
    for child1, child2 in zip(children(nest1), children(nest2)):
        difference = first_difference(child1, child2, check_types)
        if difference is not None:
            return difference
    if len(nest1) != len(nest2):
        problem = "The two structures don't have the same number of elements."
        return ValueError, f"{problem} First structure: {told(nest1)}. Second structure: {told(nest2)}"
    return None


def same_type(nest1, nest2):
    """Whether both are dicts, or namedtuples with the same name and fields, or one type is a subclass of the other."""
    type1, type2 = type(nest1), type(nest2)
    if hasattr(type1, "_fields") or hasattr(type2, "_fields"):
        return type1.__name__ == type2.__name__ and type1._fields == type2._fields
    both_dicts = isinstance(nest1, Mapping) and isinstance(nest2, Mapping)
    return both_dicts or issubclass(type1, type2) or issubclass(type2, type1)
