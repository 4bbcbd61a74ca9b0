"""Changing parts of a Variable: rows by their numbers (`v.scatter_add`), or elements by their places (`v.scatter_nd_add`)."""

from typing import Any

import numpy as np

from ..engine.op import convert
from ..engine.shape import bracketed
from ..engine.slices import IndexedSlices
from ..engine.tensor import Tensor
from ..engine.variable import Variable
from ..errors import invalid
from ..ops import gathering


def replace(whole, places, values):
    """Of several values for one place the last one stays."""
    whole[places] = values


WAYS = {  # name of the method, what it does, and how
    "add": ("Add {} to", np.add.at), "sub": ("Subtract {} from", np.subtract.at), "mul": ("Multiply {} into", np.multiply.at),
    "div": ("Divide by {}", np.divide.at), "max": ("Take the larger of {} and", np.maximum.at),
    "min": ("Take the smaller of {} and", np.minimum.at), "update": ("Put {} in the place of", replace),
}  # fmt: skip


def by_rows(way, meaning, put):
    """The method `scatter_<way>`."""

    def scatter(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        whole, indices, values = np.array(self._now.value), convert(sparse_delta.indices).value, self._fitting(sparse_delta.values)
        for place, row in np.ndenumerate(indices):
            if not 0 <= row < len(whole):
                raise not_scattered(f"indices{bracketed(place)} = {row} is not in [0, {len(whole)})", way)
        if values.ndim and values.shape != indices.shape + whole.shape[1:]:
            shapes = f"The shape of indices ({bracketed(indices.shape)}) must be a prefix of the shape of updates "
            raise not_scattered(f"{shapes}({bracketed(values.shape)})", way)
        put(whole, indices, values)
        return self._assigned(whole, sparse_delta.values, f"scatter_{way}")

    scatter.__name__ = scatter.__qualname__ = f"scatter_{way}"
    scatter.__doc__ = f"""{meaning.format("rows")} the rows of the Variable that they name.

    Args:
        sparse_delta: `mg.IndexedSlices`: the rows, and their numbers. A row named twice is used twice.
        use_locking, name: accepted as in TensorFlow, without effect.

    Returns:
        The whole Variable in its new state.

    Raises:
        TypeError: `sparse_delta` is something else.
        InvalidArgumentError: there is no such row, or the shapes do not fit.
    """
    return scatter


def by_places(way, meaning, put):
    """The method `scatter_nd_<way>`."""

    def scatter(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        return self._assigned(
            gathering.place(self.numpy(), convert(indices).value, self._fitting(updates), put), updates, f"scatter_nd_{way}"
        )

    scatter.__name__ = scatter.__qualname__ = f"scatter_nd_{way}"
    scatter.__doc__ = f"""{meaning.format("values")} the elements, or slices, at these places.

    Args:
        indices: the last axis goes over the axes of the Variable: each row is one place.
        updates: a value for each place.
        name: accepted as in TensorFlow, without effect.

    Returns:
        The whole Variable in its new state.

    Raises:
        InvalidArgumentError: a place is outside, or the shapes do not fit.
    """
    return scatter


def not_scattered(message, way):
    """The error of the kernel that changes a Variable this way."""
    return invalid(f"{message} [Op:ResourceScatter{way.capitalize()}] name: ")


def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
    """The rows of these numbers, as `mg.gather`."""
    return gathering.gather(self, indices)


def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
    """The elements, or slices, at these places, as `mg.gather_nd`."""
    return gathering.gather_nd(self, indices)


for method in (sparse_read, gather_nd):
    setattr(Variable, method.__name__, method)
for way, (meaning, put) in WAYS.items():
    setattr(Variable, f"scatter_{way}", by_rows(way, meaning, put))
    if way not in ("mul", "div"):
        setattr(Variable, f"scatter_nd_{way}", by_places(way, meaning, put))
