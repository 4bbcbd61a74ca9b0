"""Lists, tuples and dicts inside each other, seen as one flat list of leaves (`mg.nest`).

The leaves of a dict come in the order of its sorted keys, as in TensorFlow, so that two dicts with the
same keys match. What is packed again has the types and the key order of the pattern.
"""

import functools
from collections.abc import Callable, Mapping, MappingView, Sequence
from typing import Any

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
__dir__ = __all__.copy  # what Tab offers


def is_nested(seq: Any) -> bool:
    """Is it a list, a tuple, a dict or the like, rather than a leaf?

    >>> is_nested([1, 2]), is_nested("ab")
    (True, False)
    """
    return holds(seq.__class__)


@functools.lru_cache(maxsize=1000)
def holds(kind):
    """Do objects of this type hold others? Strings are leaves (and so is a TensorShape, which is no Sequence)."""
    return issubclass(kind, (Sequence, Mapping, MappingView)) and not issubclass(kind, (str, bytes))


def children(structure):
    """What a list, tuple or dict holds, dicts by sorted keys."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted_keys(structure)]
    return list(structure)


def sorted_keys(mapping):
    """The keys, sorted.

    Raises:
        TypeError: they cannot be compared, such as 1 and "a".
    """
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves, from left to right; a leaf alone gives a list of one. (IndexedSlices are leaves, whatever the option.)

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
    """The leaves of `flat_sequence`, in the form of `structure`.

    Args:
        structure: the pattern; its own leaves are not looked at.
        flat_sequence: as many leaves as the pattern has.

    Raises:
        ValueError: there are more leaves, or fewer.
        TypeError: the leaves come in no list.

    >>> pack_sequence_as({"b": [0, (0,)], "a": 0}, [3, 1, 2])
    {'b': [1, (2,)], 'a': 3}
    """
    if not is_nested(flat_sequence):
        kind = type(flat_sequence)
        raise TypeError(f"Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found incompatible type `{kind}` instead.")
    flat_sequence = list(flat_sequence)
    needed = len(flatten(structure))
    if needed != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {needed} atoms, but flat_sequence had {len(flat_sequence)} items. "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return packed(structure, iter(flat_sequence))


def packed(structure, leaves):
    """`structure` with its leaves taken, one by one, from the iterator `leaves`."""
    if not is_nested(structure):
        return next(leaves)
    if isinstance(structure, Mapping):
        new = {key: packed(structure[key], leaves) for key in sorted_keys(structure)}
        pairs = [(key, new[key]) for key in structure]
        if hasattr(structure, "default_factory"):
            return type(structure)(structure.default_factory, pairs)
        return type(structure)(pairs)
    new = []
    for child in structure:  # no comprehension: in Python 3.11 it would halve the depth that recursion can reach
        new.append(packed(child, leaves))
    if isinstance(structure, (MappingView, range)):  # nothing but a list can be made of it
        return new
    return type(structure)(*new) if hasattr(structure, "_fields") else type(structure)(new)


def map_structure(func: Callable[..., Any], *structures: Any, check_types: bool = True, expand_composites: bool = False) -> Any:
    """`func` of the leaves in the same place, in the form of the first structure.

    Args:
        func: takes one leaf of each structure.
        *structures: nests of one form.
        check_types: whether a list in the place of a tuple is an error.

    Raises:
        ValueError: the forms differ, or there is no structure.
        TypeError: `func` is not callable, or the types of the nests differ.

    >>> map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types)
    return pack_sequence_as(structures[0], [func(*leaves) for leaves in zip(*map(flatten, structures), strict=True)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raise unless both nests have the same form.

    Raises:
        ValueError: the forms differ.
        TypeError: a list stands where the other has a tuple, and `check_types`.
    """
    problem = f"The two structures don't have the same nested structure.\n\nFirst structure: {nest1}\n\nSecond structure: {nest2}"
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(problem)
    if not is_nested(nest1):
        return
    if check_types and not same_type(nest1, nest2):
        raise TypeError(problem)
    dicts = isinstance(nest1, Mapping) and isinstance(nest2, Mapping)
    if len(nest1) != len(nest2) or (dicts and sorted_keys(nest1) != sorted_keys(nest2)):
        raise ValueError(problem)
    for child1, child2 in zip(children(nest1), children(nest2), strict=True):
        assert_same_structure(child1, child2, check_types)


def same_type(nest1, nest2):
    """Dicts of any kind match, and namedtuples of one name and fields; of others one type must come from the other."""
    type1, type2 = type(nest1), type(nest2)
    if hasattr(type1, "_fields") or hasattr(type2, "_fields"):
        return type1.__name__ == type2.__name__ and type1._fields == type2._fields
    if isinstance(nest1, Mapping) or isinstance(nest2, Mapping):
        return isinstance(nest1, Mapping) and isinstance(nest2, Mapping)
    return issubclass(type1, type2) or issubclass(type2, type1)
