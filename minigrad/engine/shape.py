"""TensorShape: how long a Tensor is along each axis."""

import math as python_math
import operator
from collections.abc import Iterable
from typing import Any

from ..errors import visible


def bracketed(lengths: Iterable) -> str:
    """A shape, or a place, as TensorFlow's errors write it: [2,3]."""
    return f"[{','.join(map(str, lengths))}]"


class TensorShape:
    """The lengths of the axes. It behaves as a tuple, and equals tuples and lists.

    Args:
        dims: the lengths (None: unknown), or None if even the rank is unknown.

    >>> import minigrad as mg
    >>> shape = mg.TensorShape([3, 2])
    >>> print(shape, shape.rank, shape == [3, 2])
    (3, 2) 2 True
    >>> shape
    TensorShape([3, 2])
    """

    __slots__ = ("_lengths",)  # a tuple, or None if the rank is unknown

    def __init__(self, dims: Any):
        self._lengths = lengths_of(dims)

    @classmethod
    def of(cls, lengths: tuple) -> "TensorShape":
        """The shape of an array: nothing is checked."""
        shape = cls.__new__(cls)
        shape._lengths = lengths
        return shape

    def _known(self):
        """The lengths, if the rank is known."""
        if self._lengths is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return self._lengths

    @property
    def rank(self) -> "int | None":
        """The number of axes."""
        return None if self._lengths is None else len(self._lengths)

    ndims = rank

    @property
    def dims(self) -> "list[int | None] | None":
        """The lengths as a list."""
        return None if self._lengths is None else list(self._lengths)

    def as_list(self) -> "list[int | None]":
        """The lengths as a list.

        Raises:
            ValueError: the rank is unknown.
        """
        if self._lengths is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._lengths)

    def num_elements(self) -> "int | None":
        """The product of the lengths, or None if one is unknown."""
        return python_math.prod(self._lengths) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Is every length known?"""
        return self._lengths is not None and None not in self._lengths

    def is_compatible_with(self, other: Any) -> bool:
        """Could both be the shape of one Tensor? Unknown lengths match anything."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return True
        return self.rank == other.rank and all(m == n or None in (m, n) for m, n in zip(self, other, strict=True))

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise unless `is_compatible_with(other)`.

        Raises:
            ValueError: the shapes cannot be the same.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: Any) -> "TensorShape":
        """Combine what both shapes know: (2, None) and (None, 3) make (2, 3).

        Raises:
            ValueError: the shapes cannot be the same.
        """
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if self.rank is None or other.rank is None:
            return other if self.rank is None else self
        return TensorShape([n if m is None else m for m, n in zip(self, other, strict=True)])

    def assert_is_fully_defined(self) -> None:
        """Raise unless every length is known.

        Raises:
            ValueError: one is not.
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def assert_has_rank(self, rank: int) -> None:
        """Raise unless there are `rank` axes.

        Raises:
            ValueError: there are more or fewer.
        """
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raise unless both have the same number of axes.

        Raises:
            ValueError: the ranks differ.
        """
        other = TensorShape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def with_rank(self, rank: int) -> "TensorShape":
        """The same shape, if it has `rank` axes, or can have them.

        Raises:
            ValueError: it has more or fewer.
        """
        self.assert_has_rank(rank)
        return self.merge_with([None] * rank)

    def with_rank_at_least(self, rank: int) -> "TensorShape":
        """The same shape, if it has `rank` axes or more.

        Raises:
            ValueError: it has fewer.
        """
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> "TensorShape":
        """The same shape, if it has `rank` axes or fewer.

        Raises:
            ValueError: it has more.
        """
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def concatenate(self, other: Any) -> "TensorShape":
        """The axes of both, one after the other."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return TensorShape(None)
        return TensorShape((*self, *other))

    __add__ = concatenate

    def __radd__(self, other):
        return TensorShape(other).concatenate(self)

    def __getitem__(self, key):
        if self._lengths is None:
            return slice_of_unknown(key) if isinstance(key, slice) else None
        return TensorShape.of(self._lengths[key]) if isinstance(key, slice) else self._lengths[key]

    def __iter__(self):
        return iter(self._known())

    def __len__(self):
        if self._lengths is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._lengths)

    def __bool__(self):
        return self._lengths is not None

    def __eq__(self, other):
        try:
            return self._lengths == lengths_of(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self):
        return hash(self._lengths)

    def __str__(self):
        return "<unknown>" if self._lengths is None else str(self._lengths)

    def __repr__(self):
        return f"TensorShape({self.dims})"

    def __reduce__(self):
        return TensorShape, (self.dims,)


def lengths_of(dims):
    """The lengths that a shape, a list or a single number stands for."""
    if dims is None or isinstance(dims, TensorShape):
        return dims if dims is None else dims._lengths
    try:
        dims = iter(dims)
    except TypeError:
        dims = (dims,)
    return tuple([None if n is None else length(n) for n in dims])


def slice_of_unknown(key):
    """A slice of a shape of unknown rank: unknown lengths, and as many as the bounds tell, counted from the start."""
    known = key.stop is not None and key.stop >= (key.start or 0) >= 0
    return TensorShape([None] * (key.stop - (key.start or 0)) if known else None)


def length(n):
    """The length of one axis."""
    try:
        n = operator.index(n)
    except (TypeError, AttributeError):
        problem = "Dimension value must be integer or None or have an __index__ method,"
        raise TypeError(f"{problem} got value '{visible(repr(n))}' with type '{type(n)!r}'") from None
    if n < 0:
        raise ValueError(f"Dimension {n} must be >= 0")
    return n
