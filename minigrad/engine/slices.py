"""IndexedSlices: the gradient of a `gather`, kept as the few rows that are not zero."""

from typing import Any

import numpy as np

from . import dtypes
from .operands import OPS, convert
from .rules import Recorded
from .shape import TensorShape
from .tensor import Tensor


class IndexedSlices:
    """Sparse rows of a large Tensor that is zero elsewhere: row `indices[i]` holds `values[i]`; repeated rows add up.

    `tape.gradient` returns it for a source that was read by `gather` or `embedding_lookup`. Any op accepts it, and
    `mg.convert_to_tensor` converts it to a dense Tensor.

    >>> import minigrad as mg
    >>> table = mg.Variable([[1.0], [2.0], [3.0]])
    >>> with mg.GradientTape() as tape:
    ...     y = mg.gather(table, [2, 0, 2])
    >>> rows = tape.gradient(y, table)
    >>> print(rows.indices.numpy(), mg.convert_to_tensor(rows).numpy().ravel())
    [2 0 2] [1. 0. 2.]
    """

    __slots__ = ("__weakref__", "dense_shape", "indices", "values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None):
        self.values, self.indices, self.dense_shape = values, indices, dense_shape

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the dense Tensor; unknown without a `dense_shape`."""
        return TensorShape(None if self.dense_shape is None else [int(n) for n in np.asarray(self.dense_shape)])

    def with_values(self, values: Any) -> "IndexedSlices":
        """The same rows with other values."""
        return IndexedSlices(values, self.indices, self.dense_shape)

    def __neg__(self):
        return self.with_values(-self.values)

    def __tf_tensor__(self, dtype=None, name=None):
        if dtype is not None and dtypes.as_dtype(dtype) != self.dtype:
            wanted = dtypes.as_dtype(dtype)
            problem = f"Incompatible tensor conversion requested to `dtype` {wanted.name} for IndexedSlices ({self})"
            raise ValueError(f"{problem} with dtype {self.dtype.name}. Write mg.cast(rows, {wanted!r}).")
        if self.dense_shape is None:
            problem = "Tensor conversion requested for IndexedSlices"
            raise ValueError(f"{problem} for argument `value` without dense_shape: {self}")
        return OPS["unsorted_segment_sum"](self.values, self.indices, self.shape[0])

    def __repr__(self):
        whole = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{whole})"


class SparseRows:
    """The gradient that the VJP of `gather` returns: rows of an array that is zero elsewhere. Sums stay sparse."""

    __slots__ = ("indices", "shape", "values")
    __array_ufunc__ = None  # so that `array + rows` asks the rows

    def __init__(self, values, indices, shape):
        self.values, self.indices, self.shape = values, indices, tuple(shape)

    def public(self):
        """The rows as IndexedSlices, for the user."""
        values = self.values.public() if self.values.__class__ is Recorded else Tensor.of(self.values)
        shape = np.array(self.shape, np.int32)
        return IndexedSlices(values, Tensor.of(self.indices), Tensor.of(shape))

    def dense(self):
        """The dense array, zeros included."""
        return OPS["scatter_rows"].np(self.values, self.indices, self.shape)

    def __tf_tensor__(self, dtype=None, name=None):  # `Recorded + rows` is the op add
        return convert(self.dense())

    def __neg__(self):
        return SparseRows(-self.values, self.indices, self.shape)

    def astype(self, dtype):
        return SparseRows(self.values.astype(dtype), self.indices, self.shape)

    def __add__(self, other):
        if not isinstance(other, SparseRows):
            return self.dense() + other
        # the backward pass goes from new to old: the other belongs to an earlier op
        values, indices = [other.values, self.values], [other.indices, self.indices]
        return SparseRows(np.concatenate(values, 0), np.concatenate(indices, 0), self.shape)

    def __radd__(self, other):
        return other + self.dense()
