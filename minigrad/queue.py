"""tf.queue: FIFOQueue. No gradient flows through a queue."""

import collections
from typing import Any

import numpy as np

from . import errors
from .engine import Tensor, TensorShape, as_value, convert, invalid, storing
from .engine.dtypes import as_dtype
from .engine.listening import put_off

__all__ = ["FIFOQueue"]
__dir__ = __all__.copy  # what Tab offers


class FIFOQueue:
    """A first-in, first-out queue.

    Each element has one or more components. Where TensorFlow would wait because the queue is full or empty, an error is
    raised, since nothing could end the wait.

    Args:
        capacity: the maximum number of elements.
        dtypes: the dtype of the component, or a list of dtypes.
        shapes: the shape of the component, or a list of shapes; `dequeue_many` and `dequeue_up_to` need them.
        names: the names of the components; elements are then dicts.
        shared_name: accepted as in TensorFlow, without effect.
        name: the name of the queue in error messages.

    Raises:
        InvalidArgumentError: there are no dtypes, or the number of shapes differs.
        ValueError: the number of names differs.

    >>> import minigrad as mg
    >>> queue = mg.queue.FIFOQueue(3, mg.float32)
    >>> queue.enqueue(1.0)
    >>> queue.enqueue(2.0)
    >>> print(queue.dequeue().numpy(), queue.size().numpy())
    1.0 1
    """

    def __init__(self, capacity: int, dtypes: Any, shapes: Any = None, names: Any = None, shared_name: Any = None,
                 name: str = "fifo_queue"):  # fmt: skip
        if isinstance(capacity, (str, float)):
            raise TypeError(f"Expected int for argument 'capacity' not {errors.visible(capacity)!r}.")
        self.capacity, self.name, self.names = capacity, name, None if names is None else list_of(names)
        self.dtypes = [as_dtype(d) for d in list_of(dtypes)]
        if not self.dtypes:
            raise invalid("Length for attr 'component_types' of 0 must be at least minimum 1 [Op:FIFOQueueV2] name: ")
        if self.names is not None and len(self.names) != len(self.dtypes):
            given = f"received len(names)={len(self.names)},len(dtypes)={len(self.dtypes)}"
            raise ValueError(f"List of names must have the same length as the list of dtypes, {given}")
        self.shapes = [TensorShape(s) for s in shapes_of(shapes, len(self.dtypes))]
        if len(self.shapes) != len(self.dtypes):
            problem = f"Different number of component types.  Types: {', '.join(d.kernel_name for d in self.dtypes)},"
            raise invalid(f"{problem} Shapes: {[list(s) for s in self.shapes]} [Op:FIFOQueueV2] name: ")
        self._elements, self._closed = collections.deque(), False

    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Add one element.

        Args:
            vals: a Tensor, a list of Tensors for several components, or a dict if they have names.

        Raises:
            ValueError: a component has another shape or dtype.
            InvalidArgumentError: there is a wrong number of components.
            CancelledError: the queue is closed.
            ResourceExhaustedError: the queue is full.
        """
        self._put([self._components(vals, "QueueEnqueueV2")], "QueueEnqueueV2")

    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Add one element for each row: components have shape (n, ...) for n elements.

        Raises:
            ValueError: the numbers of rows differ; and the errors of `enqueue`.
        """
        rows = self._components(vals, "QueueEnqueueManyV2", many=True)
        count = len(rows[0].value)
        if any(len(x.value) != count for x in rows):
            raise ValueError(f"Each component needs as many rows as the others, not {[len(x.value) for x in rows]}.")
        elements = [[storing(x, Tensor.of(x.value[i]), "FIFOQueue") for x in rows] for i in range(count)]
        self._put(elements, "QueueEnqueueManyV2")

    def dequeue(self, name: str | None = None) -> Any:
        """Remove and return the first element.

        Returns:
            A Tensor, a list of Tensors for several components, or a dict if they have names.

        Raises:
            OutOfRangeError: the queue is empty.
        """
        (element,) = self._take(1, "QueueDequeueV2")
        return self._as_result(list(element))

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Remove `n` elements and return them stacked: components of shape (...) become (n, ...).

        Raises:
            OutOfRangeError: there are fewer elements.
            InvalidArgumentError: n is negative, or the shapes of the components are not specified.
        """
        return self._stacked(self._take(int(n), "QueueDequeueManyV2"))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Like `dequeue_many`, but a closed queue with fewer than `n` elements returns those that are left."""
        left = min(int(n), len(self._elements)) if self._closed else int(n)
        return self._stacked(self._take(max(left, min(int(n), 1)), "QueueDequeueUpToV2"))

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements, an int32 scalar."""
        return Tensor.of(np.int32(len(self._elements)))

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Allow no more `enqueue`; elements can still be removed.

        Raises:
            CancelledError: the queue is already closed.
        """
        if self._closed:
            raise errors.CancelledError(None, None, f"Queue '{self.name}' is already closed. [Op:QueueCloseV2] name: ")
        self._closed = True

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue has been closed, as a bool scalar."""
        return Tensor.of(np.bool_(self._closed))

    def _components(self, vals, kernel, many=False):
        """The components as Tensors that no tape tracks; with `many`, each has an additional first axis."""
        vals = list_of(vals) if self.names is None else [vals[name] for name in self.names]
        if len(vals) != len(self.dtypes):
            problem = f"Signature mismatch, have: {len(vals)} components,"
            raise invalid(f"{problem} expected: {len(self.dtypes)}. [Op:{kernel}] name: ")
        return [self._component(i, x, many) for i, x in enumerate(vals)]

    def _component(self, i, x, many):
        """Component number i as a Tensor, after checking its dtype and shape."""
        dtype = self.dtypes[i]
        tensor = convert(x) if hasattr(x, "__tf_tensor__") else Tensor.of(as_value(x, dtype))
        value = tensor.value
        if value.dtype != dtype.dtype:
            problem = f"component_{i}: Tensor conversion requested dtype {dtype.name} for"
            raise ValueError(f"{problem} Tensor with dtype {as_dtype(value.dtype).name}: {x!r}")
        TensorShape(value.shape[1:] if many else value.shape).assert_is_compatible_with(self.shapes[i])
        return storing(tensor, Tensor.of(value), "FIFOQueue")

    def _put(self, elements, kernel):
        put_off()
        if self._closed:
            raise errors.CancelledError(None, None, f"FIFOQueue '{self.name}' is closed. [Op:{kernel}] name: ")
        if len(self._elements) + len(elements) > self.capacity:
            problem = f"FIFOQueue '{self.name}' is full (capacity {self.capacity}). TensorFlow would wait here,"
            raise errors.ResourceExhaustedError(None, None, f"{problem} for ever. [Op:{kernel}] name: ")
        self._elements.extend(elements)

    def _take(self, n, kernel):
        put_off()
        if n < 0:
            raise invalid(f"DequeueManyOp requested {n} < 0 elements [Op:{kernel}] name: ")
        if kernel != "QueueDequeueV2" and not all(s.is_fully_defined() for s in self.shapes):
            problem = "FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes."
            raise invalid(f"{problem} [Op:{kernel}] name: ")
        if n > len(self._elements):
            state = "is closed and" if self._closed else "is open (TensorFlow would wait here), but"
            problem = f"FIFOQueue '{self.name}' {state} has insufficient elements (requested {n}, current size"
            raise errors.OutOfRangeError(None, None, f"{problem} {len(self._elements)}) [Op:{kernel}] name: ")
        return [self._elements.popleft() for _ in range(n)]

    def _stacked(self, elements):
        if not elements:
            specs = zip(self.shapes, self.dtypes)
            return self._as_result([Tensor.of(np.zeros((0, *shape.as_list()), dtype.dtype)) for shape, dtype in specs])
        return self._as_result([stacked(column) for column in zip(*elements)])

    def _as_result(self, tensors):
        """The components in the form that `dequeue` returns."""
        if self.names is not None:
            return dict(zip(self.names, tensors))
        return tensors if len(tensors) > 1 else tensors[0]


def stacked(column):
    """Tensors stacked along a new first axis; listeners hear that they were stored in the result."""
    stack = Tensor.of(np.stack([x.value for x in column]))
    for x in column:
        storing(x, stack, "FIFOQueue")
    return stack


def list_of(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def shapes_of(shapes, count):
    """The shape of each component; None (unknown) if no shapes are given."""
    if shapes is None:
        return [None] * count
    is_one_shape = not isinstance(shapes, (list, tuple)) or not shapes or isinstance(shapes[0], (int, type(None)))
    return [shapes] if is_one_shape else shapes
