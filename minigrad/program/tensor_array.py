"""tf.TensorArray: a list of Tensors of one dtype, for loops that write one result per iteration."""

import operator
from typing import Any

from .. import errors
from ..engine import Tensor, TensorShape, constant, dtypes, invalid
from ..ops import cast, concat, convert_to_tensor, split, stack, unstack, zeros


class TensorArray:
    """A list of Tensors of one dtype, changed in place. Gradients flow through it.

    Args:
        dtype: the dtype of all elements.
        size: the number of elements. An element that has not been written reads as zeros.
        dynamic_size: whether writing beyond the end makes the list longer.
        clear_after_read: whether `read` removes the element; True if None.
        element_shape: the shape of all elements; by default that of the first element written.
        infer_shape: whether all elements must have the same shape.
        tensor_array_name, handle, flow, colocate_with_first_write_call, name: accepted as in TensorFlow, without
            effect.

    Raises:
        ValueError: there is no size; or (in `write`) the element has another shape.
        InvalidArgumentError: (in `write`) the element has another dtype; (in `read`) it has already been read and
            removed.
        OutOfRangeError: (in `read` and `write`) there is no such index.

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

    __module__ = "minigrad"  # where users find it, for pickles and messages

    handle = None  # only TensorFlow's graphs have one

    def __init__(self, dtype: Any, size: Any = None, dynamic_size: bool | None = None,
                 clear_after_read: bool | None = None, tensor_array_name: str | None = None, handle: Any = None,
                 flow: Any = None, infer_shape: bool = True, element_shape: Any = None,
                 colocate_with_first_write_call: bool = True, name: str | None = None):  # fmt: skip
        if size is None:
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        self.dtype, self.element_shape = dtypes.as_dtype(dtype), TensorShape(element_shape)
        self.dynamic_size = bool(dynamic_size)
        self._clear, self._infer = clear_after_read is not False, infer_shape
        self._tensors: list[Tensor | None] = [None] * operator.index(size)
        self._cleared: set[int] = set()

    def write(self, index: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Set the element at an index to a Tensor of shape `element_shape`.

        Returns:
            The TensorArray.
        """
        index = operator.index(index)
        if index < 0:
            raise out_of_range(f"Writing to negative indices (index {index}) is not allowed.")
        if index >= len(self._tensors):
            if not self.dynamic_size:
                problem = f"Tried to write to index {index} but array is not resizeable and size is:"
                raise out_of_range(f"{problem} {len(self._tensors)} ")
            self._tensors += [None] * (index + 1 - len(self._tensors))
        value = fitting(value, self.dtype, self.element_shape if self._infer else TensorShape(None))
        if self._infer:
            self.element_shape = value.shape
        self._tensors[index] = value
        return self

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Return the element at an index, and remove it unless `clear_after_read` is False."""
        index = operator.index(index)
        if index < 0:
            raise out_of_range(f"Reading from negative indices (index {index}) is not allowed.")
        if index >= len(self._tensors):
            raise out_of_range(f"Tried to read from index {index} but array size is: {len(self._tensors)} ")
        if self._tensors[index] is None and index in self._cleared:
            problem = f"Could not read index {index} twice because it was cleared after a previous"
            raise invalid(f"{problem} read (perhaps try setting clear_after_read = false?)")
        value = self._at(index)
        if self._clear:
            self._tensors[index] = None
            self._cleared.add(index)
        return value

    def _at(self, index):
        """The element at an index; zeros if it is empty."""
        value = self._tensors[index]
        if value is None:
            if not self.element_shape.is_fully_defined():
                raise ValueError(f"Cannot convert a partially known TensorShape {self.element_shape} to a Tensor.")
            value = self._tensors[index] = zeros(self.element_shape, self.dtype)
        return value

    def stack(self, name: str | None = None) -> Tensor:
        """All n elements, stacked and cast to `dtype`: a Tensor of shape (n, ...)."""
        if not self._tensors:
            lengths = self.element_shape.as_list() if self.element_shape.rank is not None else []
            return zeros([0, *[n or 0 for n in lengths]], self.dtype)
        return cast(self.gather(range(len(self._tensors))), self.dtype)

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at k indices, stacked: a Tensor of shape (k, ...)."""
        return stack([self._at(operator.index(index)) for index in indices])

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, joined along their first axis, whose length may vary.

        Raises:
            InvalidArgumentError: an element is a scalar.
        """
        rows = [self._at(index) for index in range(len(self._tensors))]
        for index, one in enumerate(rows):
            if not one.ndim:
                raise invalid(f"Concat saw a scalar shape at index {index} but requires at least vectors.")
        return concat(rows, 0)

    def unstack(self, value: Any, name: str | None = None) -> "TensorArray":
        """Replace the elements by the rows of a Tensor of shape (n, ...).

        Returns:
            The TensorArray, whose size is then n.

        Raises:
            ValueError: there are more rows than elements, and the size is not dynamic.
        """
        rows = unstack(value)
        if len(rows) > len(self._tensors) and not self.dynamic_size:
            problem = f"Cannot unstack {len(rows)} tensors into a TensorArray"
            raise ValueError(f"{problem} of static size {len(self._tensors)} ")
        self._tensors = rows
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> "TensorArray":
        """Replace the elements by the parts of a Tensor, split along its first axis into these lengths.

        Returns:
            The TensorArray, whose size is then the number of parts.
        """
        self._tensors = split(convert_to_tensor(value, dtype_hint=self.dtype), lengths)
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Write the rows of a Tensor of shape (k, ...) to k indices.

        Returns:
            The TensorArray.
        """
        for index, row in zip(indices, unstack(value)):
            self.write(index, row)
        return self

    def identity(self) -> "TensorArray":
        """The TensorArray itself."""
        return self

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements, an int32 scalar."""
        return constant(len(self._tensors))

    def close(self, name: str | None = None) -> None:
        """Remove all elements."""
        self._tensors = []


def out_of_range(text):
    return errors.OutOfRangeError(None, None, text)


def fitting(value, dtype, shape) -> Tensor:
    """The value as a Tensor.

    Raises:
        InvalidArgumentError: it has another dtype.
        ValueError: it has another shape.
    """
    value = convert_to_tensor(value, dtype_hint=dtype)
    if value.dtype != dtype:
        raise invalid(f"TensorArray dtype is {dtype.name} but Op is trying to write dtype {value.dtype.name} ")
    if not shape.is_compatible_with(value.shape):
        raise ValueError(f"Incompatible shape for value ({value.shape}), expected ({shape})")
    return value
