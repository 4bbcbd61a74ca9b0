"""TensorArray: a list of Tensors of one dtype, for loops that write their results one by one."""

from typing import Any

from .. import errors
from ..engine import dtypes
from ..engine.attributes import integer
from ..engine.shape import TensorShape
from ..engine.tensor import Tensor, constant
from ..errors import invalid
from ..ops.creation import convert_to_tensor, zeros
from ..ops.shaping import concat, split, stack, unstack


class TensorArray:
    """A list of Tensors. It is changed in place; what is written stays connected, so gradients flow through it.

    Args:
        dtype: of all Tensors in it.
        size: how many places there are. A place that nobody wrote is read as zeros.
        dynamic_size: does it grow when something is written behind its end?
        clear_after_read: forget a Tensor once it was read alone; True if None.
        element_shape: of all Tensors; that of the first one if None.
        infer_shape: must all have one shape?
        tensor_array_name, handle, flow, colocate_with_first_write_call, name: as in TensorFlow, without effect.

    Raises:
        ValueError: there is no size; or in `write`, a Tensor has another shape.
        InvalidArgumentError: in `write`, a Tensor has another dtype; in `read`, the place was cleared.
        OutOfRangeError: there is no such place.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> powers = mg.TensorArray(mg.float32, size=3)
    >>> with mg.GradientTape() as tape:
    ...     for i in range(3):
    ...         powers = powers.write(i, x**i)
    ...     y = powers.stack()
    >>> print(y.numpy(), tape.gradient(y, x).numpy())
    [1. 3. 9.] 7.0
    """

    handle = None  # which TensorFlow's graphs have

    def __init__(self, dtype: Any, size: Any = None, dynamic_size: bool | None = None, clear_after_read: bool | None = None,
                 tensor_array_name: str | None = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
                 element_shape: Any = None, colocate_with_first_write_call: bool = True, name: str | None = None):  # fmt: skip
        if size is None:
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        self.dtype, self.dynamic_size = dtypes.as_dtype(dtype), bool(dynamic_size)
        self.element_shape = TensorShape(element_shape)
        self._clear, self._infer = clear_after_read is not False, infer_shape
        self._tensors: list[Tensor | None] = [None] * integer(size)
        self._cleared: set[int] = set()

    def write(self, index: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Put a Tensor into a place.

        Returns:
            The TensorArray.
        """
        place = integer(index)
        if place < 0:
            raise out_of_range(f"Writing to negative indices (index {place}) is not allowed.")
        if place >= len(self._tensors):
            if not self.dynamic_size:
                raise out_of_range(f"Tried to write to index {place} but array is not resizeable and size is: {len(self._tensors)} ")
            self._tensors += [None] * (place + 1 - len(self._tensors))
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        if value.dtype != self.dtype:
            text = f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype {value.dtype.name} "
            raise invalid(text)
        if self._infer:
            if not self.element_shape.is_compatible_with(value.shape):
                raise ValueError(f"Incompatible shape for value ({value.shape}), expected ({self.element_shape})")
            self.element_shape = self.element_shape.merge_with(value.shape)
        self._tensors[place] = value
        return self

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The Tensor in a place, which is then empty, unless `clear_after_read` is False."""
        place = integer(index)
        if place < 0:
            raise out_of_range(f"Reading from negative indices (index {place}) is not allowed.")
        if place >= len(self._tensors):
            raise out_of_range(f"Tried to read from index {place} but array size is: {len(self._tensors)} ")
        if self._tensors[place] is None and place in self._cleared:
            raise invalid(
                f"Could not read index {place} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)",
            )
        value = self._at(place)
        if self._clear:
            self._tensors[place] = None
            self._cleared.add(place)
        return value

    def _at(self, place):
        """The Tensor in a place; zeros if it is empty."""
        value = self._tensors[place]
        if value is None:
            if not self.element_shape.is_fully_defined():
                raise ValueError(f"Cannot convert a partially known TensorShape {self.element_shape} to a Tensor.")
            value = self._tensors[place] = zeros(self.element_shape, self.dtype)
        return value

    def stack(self, name: str | None = None) -> Tensor:
        """All Tensors, one below the other."""
        if not self._tensors:
            lengths = self.element_shape.as_list() if self.element_shape.rank is not None else []
            return zeros([0, *[n or 0 for n in lengths]], self.dtype)
        return self.gather(range(len(self._tensors)))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The Tensors in these places, one below the other."""
        return stack([self._at(integer(place)) for place in indices])

    def concat(self, name: str | None = None) -> Tensor:
        """The rows of all Tensors, one below the other."""
        rows = [self._at(place) for place in range(len(self._tensors))]
        for place, one in enumerate(rows):
            if not one.ndim:
                text = f"Concat saw a scalar shape at index {place} but requires at least vectors."
                raise invalid(text)
        return concat(rows, 0)

    def unstack(self, value: Any, name: str | None = None) -> "TensorArray":
        """Fill it with the rows of a Tensor. It then has as many places as there are rows."""
        rows = unstack(convert_to_tensor(value, dtype_hint=self.dtype))
        if len(rows) > len(self._tensors) and not self.dynamic_size:
            raise ValueError(f"Cannot unstack {len(rows)} tensors into a TensorArray of static size {len(self._tensors)} ")
        self._tensors = rows
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> "TensorArray":
        """Fill it with parts of a Tensor of these lengths."""
        self._tensors = split(convert_to_tensor(value, dtype_hint=self.dtype), lengths)
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Write the rows of a Tensor into these places."""
        for place, row in zip(indices, unstack(convert_to_tensor(value, dtype_hint=self.dtype))):
            self.write(place, row)
        return self

    def identity(self) -> "TensorArray":
        """The TensorArray itself."""
        return self

    def size(self, name: str | None = None) -> Tensor:
        """How many places there are."""
        return constant(len(self._tensors))

    def close(self, name: str | None = None) -> None:
        """Forget all Tensors."""
        self._tensors = []


def out_of_range(text):
    return errors.OutOfRangeError(None, None, text)
