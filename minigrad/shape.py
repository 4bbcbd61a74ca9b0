"""TensorShape: how long a Tensor is along each axis."""

import operator
from collections.abc import Iterable
from typing import Any


def bracketed(lengths: Iterable) -> str:
    """A shape, or a place, as TensorFlow's errors write it: [2,3]."""
    return f"[{','.join(map(str, lengths))}]"


class TensorShape(tuple):
    """The lengths of the axes. It behaves as a tuple, and equals lists too.

    Args:
        dims: lengths (None: not known), or None if even their number is unknown.

    >>> shape = TensorShape([3, 2])
    >>> print(shape, shape.rank, shape == [3, 2])
    (3, 2) 2 True
    >>> shape
    TensorShape([3, 2])
    """

    __slots__ = ()

    def __new__(cls, dims: Any) -> "TensorShape":
        if dims is None or isinstance(dims, Unknown):
            return UNKNOWN
        try:
            dims = iter(dims)
        except TypeError:
            dims = (dims,)
        return tuple.__new__(cls, [None if n is None else length(n) for n in dims])

    @property
    def rank(self) -> "int | None":
        """How many axes there are."""
        return len(self)

    ndims = rank

    @property
    def dims(self) -> "list[int | None] | None":
        """The lengths as a list."""
        return list(self)

    def as_list(self) -> "list[int | None]":
        """The lengths as a list.

        Raises:
            ValueError: the rank is unknown.
        """
        return list(self)

    def num_elements(self) -> "int | None":
        """The product of the lengths, or None if one is unknown."""
        product = 1
        for length in self:
            if length is None:
                return None
            product *= length
        return product

    def is_fully_defined(self) -> bool:
        """Is every length known?"""
        return None not in tuple(self)

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
        """What both tell together: (2, None) and (None, 3) make (2, 3).

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
        """Raise unless both have as many axes.

        Raises:
            ValueError: one has more.
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
            return UNKNOWN
        return TensorShape((*self, *other))

    __add__ = concatenate

    def __radd__(self, other):
        return TensorShape(other).concatenate(self)

    def __getitem__(self, key):
        return TensorShape(tuple.__getitem__(self, key)) if isinstance(key, slice) else tuple.__getitem__(self, key)

    def __bool__(self):
        return True

    def __eq__(self, other):
        if isinstance(other, (tuple, list)):
            return other.__class__ is not Unknown and tuple.__eq__(self, tuple(other))
        try:
            return self == TensorShape(other)
        except TypeError:
            return NotImplemented

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = tuple.__hash__

    def __str__(self):
        return tuple.__repr__(self)

    def __repr__(self):
        return f"TensorShape({list(self)})"

    def __reduce__(self):
        return TensorShape, (list(self),)


def length(n):
    """The length of one axis."""
    try:
        n = operator.index(n)
    except (TypeError, AttributeError):
        raise TypeError(
            f"Dimension value must be integer or None or have an __index__ method, got value '{n!r}' with type '{type(n)!r}'"
        ) from None
    if n < 0:
        raise ValueError(f"Dimension {n} must be >= 0")
    return n


class Unknown(TensorShape):
    """The shape of which not even the rank is known: `TensorShape(None)`."""

    __slots__ = ()
    rank = ndims = dims = property(lambda self: None)

    def as_list(self):
        raise ValueError("as_list() is not defined on an unknown TensorShape.")

    def num_elements(self):
        return None

    def is_fully_defined(self):
        return False

    def __iter__(self):
        raise ValueError("Cannot iterate over a shape with unknown rank.")

    def __len__(self):
        raise ValueError("Cannot take the length of shape with unknown rank.")

    def __bool__(self):
        return False

    def __getitem__(self, key):
        if isinstance(key, slice) and key.stop is not None and key.stop >= (key.start or 0) >= 0:
            return TensorShape([None] * (key.stop - (key.start or 0)))
        return UNKNOWN if isinstance(key, slice) else None

    def __eq__(self, other):
        return other is self or other is None

    def __hash__(self):
        return hash("unknown rank")

    def __str__(self):
        return "<unknown>"

    def __repr__(self):
        return "TensorShape(None)"

    def __reduce__(self):
        return TensorShape, (None,)


UNKNOWN = tuple.__new__(Unknown)
