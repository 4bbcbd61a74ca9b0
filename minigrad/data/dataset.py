""""""

import copy
import functools
import itertools
from collections import abc
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors, random
from ..engine import dtypes
from ..engine.listening import listeners_only
from ..engine.op import convert
from ..engine.shape import TensorShape
from ..engine.tensor import Tensor
from ..errors import invalid
from ..program.function import TensorSpec
from ..random import pair_for
from .elements import (
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    batches,
    blank,
    called,
    check_function,
    columns,
    cut_off,
    dtypes_of,
    endless,
    holds,
    looking,
    mapped,
    padded_rows,
    parts,
    positive,
    rebuilt,
    row,
    shown,
    stacked_rows,
    truth,
    whole_number,
)
from .sources import kept, promised, shuffled, started, words_of


class Dataset:
    """A sequence of elements that can be iterated again and again.

    >>> import minigrad as mg
    >>> numbers = mg.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
    >>> for batch in numbers.map(lambda x: x * 2).batch(2):
    ...     print(batch.numpy())
    [2. 4.]
    [6.]
    """

    def __init__(self, start: Any, length: Any = UNKNOWN_CARDINALITY, spec: Any = None):
        self._start = start  # a function that starts an iteration
        self._length = length
        self._spec = spec  # the form of an element, if it was promised

    # ---- where elements come from ----------------------------------------------------------------------------------

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> "Dataset":
        """One element for each row of a Tensor, or of the Tensors in a tuple or dict.

        Raises:
            ValueError: a Tensor has no rows, or they differ in number.

        >>> import minigrad as mg
        >>> list(mg.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).as_numpy_iterator())
        [(np.int32(1), b'a'), (np.int32(2), b'b')]
        """
        whole = element_of(tensors)
        lengths: list = [part.shape[0] if part.ndim else None for part in parts(whole)]
        if not lengths:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        if None in lengths:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        length = lengths[0]
        for other in lengths:
            if other != length:
                raise ValueError(f"Dimensions {length} and {other} are not compatible")
        return Dataset(lambda: (mapped(functools.partial(row, i), whole) for i in range(length)) if length else shown(blank(whole)), length)

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> "Dataset":
        """One element: the whole."""
        whole = element_of(tensors)
        return Dataset(lambda: iter([whole]), 1)

    @staticmethod
    def range(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> "Dataset":
        """The numbers of Python's `range`, as int64 Tensors.

        Raises:
            ValueError: there are no arguments, or more than three.
            InvalidArgumentError: the step is 0.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        limits = [whole_number(n) for n in args]
        if limits[2:] == [0]:
            raise invalid("step must be a non-zero integer. [Op:RangeDataset] name: ")
        numbers, dtype = range(*limits), dtypes.to_numpy(output_type)
        return Dataset(lambda: (Tensor.of(dtype.type(n)) for n in numbers or shown(0)), len(numbers))

    @staticmethod
    def from_generator(
        generator: Callable,
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> "Dataset":
        """What a Python generator yields: `generator` is the function that starts it.

        Args:
            generator: a function.
            output_types: the dtypes, if there is no signature: one, or a tuple or dict of them.
            output_shapes: the shapes, in the same form; any if None.
            args: for the function.
            output_signature: a `mg.TensorSpec`, or a tuple or dict of them.

        Raises:
            TypeError: `generator` is no function, or there is no signature, or more than one.
            InvalidArgumentError: when an element is asked for that does not have the form, dtype and shape promised.

        >>> import minigrad as mg
        >>> numbers = mg.data.Dataset.from_generator(lambda: iter([1, 2]), output_types=mg.float32)
        >>> list(numbers.as_numpy_iterator())
        [np.float32(1.0), np.float32(2.0)]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        promise = promised(output_types, output_shapes, output_signature)
        return Dataset(lambda: (kept(promise, x) for x in started(generator, args or ())), spec=promise)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> "Dataset":
        """Elements of several Datasets side by side, as long as the shortest has some.

        Args:
            *args: Datasets, or one tuple or dict of them; the elements have this form.
            datasets: the same, by name.

        Raises:
            TypeError: something else is among them.
        """
        form = datasets if datasets is not None else args[0] if len(args) == 1 and not isinstance(args[0], Dataset) else args
        every = parts(form)
        for one in every:
            if not isinstance(one, Dataset):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects "
                    f"but encountered object of type {type(one)}."
                )
        lengths = [d._length for d in every]
        known = [n for n in lengths if n != INFINITE_CARDINALITY] or [INFINITE_CARDINALITY]
        return Dataset(lambda: (rebuilt(form, elements) for elements in zip(*every)), min(known))

    # ---- what can be done with them --------------------------------------------------------------------------------

    def map(self, map_func: Callable, num_parallel_calls: Any = None, deterministic: bool | None = None, synchronous: Any = None,
            use_unbounded_threadpool: Any = False, name: str | None = None) -> "Dataset":  # fmt: skip
        """`map_func` of each element; the parts of a tuple are its arguments.

        It runs anew in each iteration, as Python (in TensorFlow it becomes a graph, once). A list that it gives is a tuple.

        Raises:
            ValueError: `map_func` is no function.
        """
        check_function(map_func)
        return Dataset(lambda: (element_of(called(map_func, x)) for x in self), self._length)

    def filter(self, predicate: Callable, name: str | None = None) -> "Dataset":
        """The elements for which `predicate` is True.

        Raises:
            ValueError: `predicate` is no function; or when an element is asked for, and it gives neither True nor False.
        """
        check_function(predicate)
        return Dataset(lambda: (x for x in self if looking.on or holds(predicate, x)))

    def take_while(self, predicate: Callable, name: str | None = None) -> "Dataset":
        """The elements before the first one for which `predicate` is False.

        Raises:
            ValueError: `predicate` is no function; or when an element is asked for, and it gives neither True nor False.

        >>> import minigrad as mg
        >>> [int(x) for x in mg.data.Dataset.range(10).take_while(lambda x: x < 3)]
        [0, 1, 2]
        """
        check_function(predicate)
        return Dataset(lambda: itertools.takewhile(lambda x: looking.on or holds(predicate, x), self))

    def flat_map(self, map_func: Callable, name: str | None = None) -> "Dataset":
        """The elements of all the Datasets that `map_func` gives.

        Raises:
            ValueError: `map_func` is no function.
            TypeError: when an element is asked for, and it gives no Dataset.
        """
        check_function(map_func)
        return Dataset(lambda: itertools.chain.from_iterable(dataset_of(map_func, x) for x in self))

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> "Dataset":
        """Elements stacked, `batch_size` at a time; the last batch may be smaller, or is dropped.

        Raises:
            InvalidArgumentError: the size is not positive, or elements differ in shape.
            TypeError: `drop_remainder` is neither True nor False.
        """
        size, drop_remainder = positive(batch_size, "Batch size", "BatchDatasetV2"), truth(drop_remainder)
        return Dataset(lambda: batches(iter(self), size, drop_remainder, stacked_rows), self._batch_count(size, drop_remainder))

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: bool = False, name: str | None = None
    ) -> "Dataset":
        """As `batch`, for elements that differ in shape: they are made equally long first.

        Args:
            batch_size: how many elements.
            padded_shapes: the shape that each part shall have, in the form of an element. A length that is None or -1 is that of the
                longest in the batch, and so are all if there is no shape.
            padding_values: what is put behind a part, in the form of an element; zeros, or empty texts, where it is None.
            drop_remainder: leave out a last batch that is smaller.
            name: accepted as in TensorFlow, without effect.

        Raises:
            InvalidArgumentError: the size is not positive.
            ValueError: when a batch is asked for, and a shape has another number of axes.
            TypeError: then too, if a value has another dtype.
            DataLossError: then too, if an element is longer than its shape.

        >>> import minigrad as mg
        >>> rows = mg.data.Dataset.range(1, 4).map(lambda n: mg.fill([n], n))
        >>> for batch in rows.padded_batch(3):
        ...     print(batch.numpy())
        [[1 0 0]
         [2 2 0]
         [3 3 3]]
        """
        size, drop_remainder = positive(batch_size, "Batch size", "PaddedBatchDatasetV2"), truth(drop_remainder)
        stack = functools.partial(padded_rows, padded_shapes, padding_values)
        return Dataset(lambda: batches(iter(self), size, drop_remainder, stack), self._batch_count(size, drop_remainder))

    def _batch_count(self, size, drop_remainder):
        length = self._length // size if drop_remainder else -(-self._length // size)
        return length if self._length >= 0 else self._length

    def window(self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None) -> "Dataset":
        """Elements in groups, each a Dataset of its own; of elements that have parts, each part is one.

        Args:
            size: how many elements a group has.
            shift: how much later the next group begins; `size` if None.
            stride: how far apart the elements of a group are.
            drop_remainder: leave out the groups at the end that are smaller.
            name: accepted as in TensorFlow, without effect.

        Raises:
            InvalidArgumentError: a number is not positive.

        >>> import minigrad as mg
        >>> for group in mg.data.Dataset.range(5).window(3, shift=1, drop_remainder=True):
        ...     print([int(x) for x in group])
        [0, 1, 2]
        [1, 2, 3]
        [2, 3, 4]
        """
        size = positive(size, "Window size", "WindowDataset")
        shift = size if shift is None else positive(shift, "Window shift", "WindowDataset")
        stride, drop_remainder = positive(stride, "Window stride", "WindowDataset"), truth(drop_remainder)
        length = self._length
        if length >= 0:
            length = max(0, (length - (size - 1) * stride - 1) // shift + 1) if drop_remainder else -(-length // shift)
        return Dataset(lambda: windows(iter(self), size, shift, stride, drop_remainder), length)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> "Dataset":
        """Each `num_shards`-th element, from the one at `index` on.

        Raises:
            InvalidArgumentError: there are no shards, or not so many.

        >>> import minigrad as mg
        >>> [int(x) for x in mg.data.Dataset.range(10).shard(3, 1)]
        [1, 4, 7]
        """
        count, first = whole_number(num_shards), whole_number(index)
        for refused, problem in [
            (count <= 0, f"Number of shards must be greater than zero (currently num_shards = {count})."),
            (not 0 <= first < count, f"Index must be between 0 and {count - 1} (currently index = {first})."),
        ]:
            if refused:
                raise invalid(f"{problem} [Op:ShardDataset] name: ")
        length = len(range(first, self._length, count)) if self._length >= 0 else self._length
        return Dataset(lambda: itertools.islice(iter(self), 0 if looking.on else first, None, count), length)

    def unbatch(self, name: str | None = None) -> "Dataset":
        """The rows of each element."""
        rows = self.flat_map(lambda *x: Dataset.from_tensor_slices(x[0] if len(x) == 1 else x))
        if self._length == INFINITE_CARDINALITY:
            return Dataset(rows._start, INFINITE_CARDINALITY)
        counts = {spec.shape[0] for spec in parts(self._form()) if spec is not None and spec.shape.rank}
        if self._length < 0 or len(counts) != 1 or None in counts:
            return rows
        return Dataset(rows._start, self._length * counts.pop())

    def shuffle(
        self, buffer_size: Any, seed: int | None = None, reshuffle_each_iteration: bool = True, name: str | None = None
    ) -> "Dataset":
        """Elements in random order, drawn from a buffer of the next `buffer_size`: the order that TensorFlow gives for the same seeds.

        Args:
            buffer_size: how far ahead an element can be found. Only a buffer of the whole size shuffles completely.
            seed: as in `mg.random`.
            reshuffle_each_iteration: another order each time.

        Raises:
            InvalidArgumentError: the size is not positive.

        >>> import minigrad as mg
        >>> mg.random.set_seed(1)
        >>> [int(x) for x in mg.data.Dataset.range(5).shuffle(5)]
        [1, 2, 0, 4, 3]
        """
        size = whole_number(buffer_size)
        if size <= 0 and size != UNKNOWN_CARDINALITY:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY [Op:ShuffleDatasetV3] name: ")
        pair = pair_for(seed)
        drawn = words_of(*pair)  # a new pair of seeds for each iteration

        def start():
            again = reshuffle_each_iteration and not looking.on
            return shuffled(iter(self), size, words_of(*((next(drawn), next(drawn)) if again else pair)))

        return Dataset(start, self._length)

    def repeat(self, count: Any = None, name: str | None = None) -> "Dataset":
        """All of it `count` times, or without end if it is None or -1."""
        times = -1 if count is None else whole_number(count)
        if times < 0:
            return Dataset(lambda: endless(self), INFINITE_CARDINALITY if self._length else 0)
        length = self._length * times if self._length >= 0 or not times else self._length
        return Dataset(lambda: itertools.chain.from_iterable(itertools.repeat(self, times)), length)

    def take(self, count: Any, name: str | None = None) -> "Dataset":
        """The first `count` elements; all if it is -1."""
        most = whole_number(count)
        if most < 0:
            return self
        length = most if self._length == INFINITE_CARDINALITY else min(most, self._length)
        return Dataset(lambda: itertools.islice(iter(self), max(most, 1) if looking.on else most), length)

    def skip(self, count: Any, name: str | None = None) -> "Dataset":
        """All but the first `count` elements; none if it is -1."""
        first = whole_number(count)
        if first < 0:
            return self.take(0)
        length = max(self._length - first, 0) if self._length >= 0 else self._length
        return Dataset(lambda: itertools.islice(iter(self), 0 if looking.on and not length else first, None), length)

    def enumerate(self, start: Any = 0, name: str | None = None) -> "Dataset":
        """Pairs of a number and an element."""
        first = whole_number(start)
        return Dataset(lambda: ((Tensor.of(np.int64(i)), x) for i, x in enumerate(self, first)), self._length)

    def concatenate(self, dataset: Any, name: str | None = None) -> "Dataset":
        """The elements of both, one after the other.

        Raises:
            TypeError: they differ in form, or in dtypes. To know that, one element of each is made.
        """
        forms = [one._form() for one in (self, dataset)]
        if None not in forms and dtypes_of(forms[0]) != dtypes_of(forms[1]):
            raise TypeError(f"Incompatible dataset elements:\n  {forms[0]} vs.\n  {forms[1]}\nMake them alike with `map`.")
        both = self._length, dataset._length
        length = INFINITE_CARDINALITY if INFINITE_CARDINALITY in both else UNKNOWN_CARDINALITY if min(both) < 0 else sum(both)
        return Dataset(lambda: itertools.chain(self, dataset), length)

    def cache(self, filename: str = "", name: str | None = None) -> "Dataset":
        """Keeps the elements once they have been made. `filename` is accepted as in TensorFlow, without effect."""
        made = []

        def fill():
            fresh = []
            for x in self:
                fresh.append(x)
                yield x
            if not looking.on:
                made.append(fresh)

        return Dataset(lambda: iter(made[0]) if made and not looking.on else fill(), self._length)

    def prefetch(self, buffer_size: Any = None, name: str | None = None) -> "Dataset":
        """The Dataset itself: nothing is made ahead of time."""
        return self

    def with_options(self, options: Any, name: str | None = None) -> "Dataset":
        """The Dataset itself: there are no options."""
        return self

    def apply(self, transformation_func: Callable) -> "Dataset":
        """What a function makes of the Dataset."""
        return transformation_func(self)

    # ---- what comes out --------------------------------------------------------------------------------------------

    def __iter__(self):
        return Iterator(self)

    def as_numpy_iterator(self) -> abc.Iterator:
        """The elements with NumPy values in place of Tensors.

        Raises:
            TypeError: when an element is asked for that has a Dataset in it.
        """
        return (mapped(numpy_of, x) for x in self)

    def reduce(self, initial_state: Any, reduce_func: Callable, name: str | None = None) -> Any:
        """The last of the states: each is `reduce_func(state, element)`.

        >>> import minigrad as mg
        >>> print(mg.data.Dataset.range(4).reduce(mg.constant(0, mg.int64), lambda total, x: total + x).numpy())
        6
        """
        check_function(reduce_func)
        state = element_of(initial_state)
        for x in self:
            state = element_of(called(reduce_func, (state, x)))
        return state

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises:
            InvalidArgumentError: there is none, or there are more.
        """
        found = list(itertools.islice(iter(self), 2))
        if len(found) != 1:
            problem = "had more than one element" if found else "was empty"
            raise invalid(f"Dataset {problem}. [Op:DatasetToSingleElement] name: ")
        return found[0]

    def cardinality(self) -> Tensor:
        """How many elements there are; -1 if infinitely many, -2 if nobody knows."""
        return Tensor.of(np.int64(self._length))

    def __len__(self):
        if self._length < 0:
            raise TypeError("The dataset is infinite." if self._length == INFINITE_CARDINALITY else "The dataset length is unknown.")
        return self._length

    def __bool__(self):
        return True

    @property
    def element_spec(self) -> Any:
        """The form of an element, as `mg.TensorSpec`: as promised, or that of the first one. A length that depends on the size of a
        batch is None.

        Raises:
            ValueError: there is none, and its form is not known.

        >>> import minigrad as mg
        >>> mg.data.Dataset.range(10).batch(4).element_spec
        TensorSpec(shape=(None,), dtype=mg.int64, name=None)
        """
        if self._spec is not None:
            return self._spec
        first = self._first(resized=False)
        if first is None:
            raise ValueError("The Dataset is empty: it has no element to take the form from.")
        try:
            other = self._first(resized=True)
        except Exception:  # a function of the user takes batches of one size alone: then all have it
            other = None
        return rebuilt(first, map(common_spec, parts(first), parts(first if other is None else other)))

    def _first(self, resized):
        """The first element, made for a look at its form: what is drawn for it is drawn again later."""
        before, seeds = (looking.on, looking.resized), random.seeds
        looking.on, looking.resized, random.seeds = True, resized, copy.deepcopy(seeds)
        try:
            return next(iter(self), None)
        finally:
            (looking.on, looking.resized), random.seeds = before, seeds

    def _form(self):
        """The form of an element, or None if it is empty, or the user's function fails: that is said when it is read."""
        try:
            with listeners_only():
                return self.element_spec
        except Exception:
            return None

    def __repr__(self):
        form = self._form()
        return f"<Dataset element_spec={'unknown' if form is None else form}>"


class DatasetSpec:
    """The form of a Dataset that is an element of another, as a group of `window` is.

    >>> import minigrad as mg
    >>> mg.data.Dataset.range(10).window(2).element_spec
    DatasetSpec(TensorSpec(shape=(), dtype=mg.int64, name=None), TensorShape([]))
    """

    def __init__(self, element_spec: Any, dataset_shape: Any = ()):
        self.element_spec, self._shape = element_spec, TensorShape(dataset_shape)

    def __eq__(self, other):
        return isinstance(other, DatasetSpec) and (self.element_spec, self._shape) == (other.element_spec, other._shape)

    def __hash__(self):
        return hash((DatasetSpec, self._shape))

    def __repr__(self):
        return f"DatasetSpec({self.element_spec!r}, {self._shape!r})"


class Iterator:
    """The elements of a Dataset, from the first one on.

    >>> import minigrad as mg
    >>> elements = iter(mg.data.Dataset.range(2))
    >>> print(elements.get_next().numpy(), next(elements).numpy())
    0 1
    """

    def __init__(self, dataset: Dataset):
        self._dataset, self._left = dataset, dataset._start()

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._left)

    next = __next__

    def get_next(self, name: str | None = None) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        try:
            return next(self._left)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext] name: ") from None

    @property
    def element_spec(self) -> Any:
        """The form of an element, as that of the Dataset."""
        return self._dataset.element_spec


def element_of(x):
    """What the user gave as an element: each part a Tensor that no tape follows, or a Dataset."""
    return mapped(lambda part: part if isinstance(part, Dataset) else cut_off(convert(part), "Dataset"), x)


def numpy_of(part):
    if isinstance(part, Dataset):
        raise TypeError(f"`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type {Dataset}")
    return part.numpy()


def common_spec(first, other):
    """What two Tensors have in common: the lengths of the axes, as far as they agree. Of two Datasets, the form of the first."""
    if isinstance(first, Dataset):
        return DatasetSpec(first.element_spec)
    if first.ndim != other.ndim:
        return TensorSpec(None, first.dtype)
    return TensorSpec([n if n == m else None for n, m in zip(first.shape, other.shape)], first.dtype)


def dataset_of(function, element):
    """The Dataset that a function makes of an element."""
    made = called(function, element)
    if not isinstance(made, Dataset):
        raise TypeError(
            f"The `map_func` argument must return a `Dataset` object. Got {type(made)}. Write mg.data.Dataset.from_tensor_slices(...)."
        )
    return made


def windows(elements, size, shift, stride, drop_remainder):
    ahead = list(itertools.islice(elements, (size - 1) * stride + 1))
    while ahead:
        rows = ahead[::stride]
        if len(rows) == size or not drop_remainder or looking.on:
            yield rebuilt(rows[0], [Dataset(functools.partial(iter, column), len(rows)) for column in columns(rows)])
        ahead = [*ahead, *itertools.islice(elements, shift)][shift:]
