"""IndexedSlices: the gradient of a `gather`, kept as the few rows that are not zero."""

import numpy as np

from .arguments import Recorded
from .op import OPS
from .shape import TensorShape
from .tensor import Tensor, new, next_id


class IndexedSlices:
    """Rows of a large Tensor that is zero elsewhere: row `indices[i]` holds `values[i]`, and rows named twice are added.

    `tape.gradient` gives it for a source that was read by `gather` or `embedding_lookup`. Any op accepts it, and
    `mg.convert_to_tensor` makes the whole Tensor of it.

    >>> import minigrad as mg
    >>> table = mg.Variable([[1.0], [2.0], [3.0]])
    >>> with mg.GradientTape() as tape:
    ...     y = mg.gather(table, [2, 0, 2])
    >>> rows = tape.gradient(y, table)
    >>> print(rows.indices.numpy(), mg.convert_to_tensor(rows).numpy().ravel())
    [2 0 2] [1. 0. 2.]
    """

    __slots__ = ("dense_shape", "indices", "values")
    __array_ufunc__ = None  # so that `array + slices` asks the slices

    def __init__(self, values, indices, dense_shape=None):
        self.values, self.indices, self.dense_shape = values, indices, dense_shape

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self):
        """The shape of the whole; unknown without a `dense_shape`."""
        return TensorShape(None if self.dense_shape is None else [int(n) for n in np.asarray(self.dense_shape)])

    def dense(self):
        """The whole, zeros and all."""
        return OPS["scatter_rows"].np(self.values, self.indices, tuple(self.shape))

    def __add__(self, other):
        if not isinstance(other, IndexedSlices):
            return self.dense() + other
        values = np.concatenate([self.values, other.values], 0)
        return IndexedSlices(values, np.concatenate([self.indices, other.indices], 0), self.dense_shape)

    def __radd__(self, other):
        return other + self.dense()

    def __neg__(self):
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __tf_tensor__(self, dtype=None, name=None):
        if self.dense_shape is None:
            raise ValueError(f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {self}")
        return OPS["scatter_rows"](self.values, self.indices, tuple(self.shape))

    def told(self):
        """The same, with Tensors instead of the arrays that a gradient rule works on."""
        indices, shape = np.asarray(self.indices), np.array(tuple(self.shape), np.int32)
        return IndexedSlices(plain(self.values), Tensor.of(indices), Tensor.of(shape))

    def __repr__(self):
        whole = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{whole})"


def plain(value):
    """What a rule computed, as a Tensor that the user may have (or IndexedSlices of such)."""
    if isinstance(value, IndexedSlices):
        return value.told()
    tensor = new(Tensor)
    tensor.value, tensor.id = (value.value, value.id) if value.__class__ is Recorded else (value, next_id())
    return tensor
