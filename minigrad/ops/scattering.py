"""Scatter methods of a Variable, which change rows by index (`v.scatter_add`) or elements by index vector
(`v.scatter_nd_add`).
"""

from typing import Any

import numpy as np

from ..engine import IndexedSlices, Tensor, Variable, bracketed, convert, invalid, named
from ..ops import gathering


def replace(whole, places, values):
    """Write the values; if an index occurs more than once, its last value is used."""
    whole[places] = values


WAYS = {  # suffix of the method: the verb of its docstring, and what changes the array
    "add": ("Add {} to", np.add.at), "sub": ("Subtract {} from", np.subtract.at), "div": ("Divide by {}", np.divide.at),
    "mul": ("Multiply {} into", np.multiply.at), "max": ("Take the larger of {} and", np.maximum.at),
    "min": ("Take the smaller of {} and", np.minimum.at), "update": ("Put {} in the place of", replace),
}  # fmt: skip


def by_rows(way, meaning, put):
    """Make the method `scatter_<way>`."""

    def scatter(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """{meaning} the rows of the Variable at these indices.

        Args:
            sparse_delta: `mg.IndexedSlices`: a row of values for each index. If an index occurs twice, both are used.
            use_locking, name: accepted as in TensorFlow, without effect.

        Returns:
            The whole Variable after the update.

        Raises:
            TypeError: `sparse_delta` is not an `mg.IndexedSlices`.
            InvalidArgumentError: an index is out of range, or the shapes do not fit.
        """
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        whole, indices = np.array(self._present()), convert(sparse_delta.indices).value
        values = self._fitting(sparse_delta.values)
        for place, row in np.ndenumerate(indices):
            if not 0 <= row < len(whole):
                raise not_scattered(f"indices{bracketed(place)} = {row} is not in [0, {len(whole)})", way)
        if values.ndim and values.shape != indices.shape + whole.shape[1:]:
            shapes = f"The shape of indices ({bracketed(indices.shape)}) must be a prefix of the shape of updates "
            raise not_scattered(f"{shapes}({bracketed(values.shape)})", way)
        put(whole, indices, values)
        return self._assigned(whole, sparse_delta.values, f"scatter_{way}")

    return named(scatter, f"scatter_{way}", meaning=meaning.format("values"))


def by_places(way, meaning, put):
    """Make the method `scatter_nd_<way>`."""

    def scatter(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """{meaning} the elements, or slices, at these index vectors.

        Args:
            indices: integers, shape `(..., k)`: each vector is an index along the first k axes of the Variable.
            updates: an element, or slice, for each index vector.

        Returns:
            The whole Variable after the update.

        Raises:
            InvalidArgumentError: an index is out of range, or the shapes do not fit.
        """
        value = gathering.updated(self.numpy(), convert(indices).value, self._fitting(updates), put)
        return self._assigned(value, updates, f"scatter_nd_{way}")

    return named(scatter, f"scatter_nd_{way}", meaning=meaning.format("values"))


def not_scattered(message, way):
    """The InvalidArgumentError of the kernel that changes a Variable this way."""
    return invalid(f"{message} [Op:ResourceScatter{way.capitalize()}] name: ")


def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
    """The rows with these indices, like `mg.gather`."""
    return gathering.gather(self, indices)


def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
    """The elements, or slices, at these index vectors, like `mg.gather_nd`."""
    return gathering.gather_nd(self, indices)


for method in (sparse_read, gather_nd):
    setattr(Variable, method.__name__, method)
for way, (meaning, put) in WAYS.items():
    setattr(Variable, f"scatter_{way}", by_rows(way, meaning, put))
    if way not in ("mul", "div"):
        setattr(Variable, f"scatter_nd_{way}", by_places(way, meaning, put))
