"""Dataset, its spec as an element of another Dataset, and its iterator."""

import copy
import functools
import inspect
import itertools
import os
from collections import abc
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors
from ..engine import Tensor, TensorShape, convert, dtypes, invalid, listeners_only
from ..engine.listening import put_off
from ..program.specs import TensorSpec
from ..random import streams
from . import elements
from .elements import (
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Failure,
    attempt,
    attempt_all,
    components,
    map_components,
    spec_inference,
)
from .sources import generator_signature, placeholder, row, yielded, zero_row
from .transformations import (
    batches,
    interleaved,
    pad_elements,
    random_words,
    repeated,
    shuffled,
    spaced,
    stack_elements,
    taken,
)


class Dataset:
    """A sequence of elements, which can be iterated many times.

    `from_tensor_slices`, `from_tensors`, `from_generator` and `range` create one; its methods derive others from it.

    >>> import minigrad as mg
    >>> numbers = mg.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
    >>> for batch in numbers.map(lambda x: x * 2).batch(2):
    ...     print(batch.numpy())
    [2. 4.]
    [6.]
    """

    _kind = "_Variant"  # what TensorFlow prints before "Dataset"

    def __init__(self, start: Any, length: Any = UNKNOWN_CARDINALITY, spec: Any = None):
        self._start = start  # makes an iterator of the elements; it takes the Graphs of the iteration: see `of_element`
        self._length = length  # or INFINITE_CARDINALITY or UNKNOWN_CARDINALITY
        self._spec = spec  # the spec of an element, if it is known in advance

    # ---- sources ---------------------------------------------------------------------------------------------------

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> "Dataset":
        """One element for each row of Tensors: components of shape (n, ...) become n elements of shape (...).

        Args:
            tensors: a Tensor, or a tuple or dict of Tensors with the same number of rows.

        Raises:
            ValueError: there is no Tensor, one is a scalar, or the numbers of rows differ.

        >>> import minigrad as mg
        >>> list(mg.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).as_numpy_iterator())
        [(np.int32(1), b'a'), (np.int32(2), b'b')]
        """
        whole = as_element(tensors)
        lengths: list = [x.shape[0] if x.ndim else None for x in components(whole)]
        if not lengths:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        if None in lengths:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        length = lengths[0]
        for other in lengths:
            if other != length:
                raise ValueError(f"Dimensions {length} and {other} are not compatible")
        if not length:
            return Dataset(lambda graphs: placeholder(zero_row(whole)), 0)
        return Dataset(lambda graphs: (map_components(functools.partial(row, i), whole) for i in range(length)), length)

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> "Dataset":
        """A Dataset of a single element: `tensors`, a Tensor or a tuple or dict of Tensors."""
        whole = as_element(tensors)
        return Dataset(lambda graphs: iter([whole]), 1)

    @staticmethod
    def range(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> "Dataset":
        """The numbers of Python's `range`, as scalar Tensors.

        Args:
            *args: stop; or start and stop; or start, stop and step.
            output_type: the dtype; int64 by default.

        Raises:
            ValueError: there are no arguments, or more than three.
            InvalidArgumentError: the step is 0.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        limits = [elements.as_integer(n) for n in args]
        if limits[2:] == [0]:
            raise invalid("step must be a non-zero integer. [Op:RangeDataset] name: ")
        numbers, dtype = range(*limits), dtypes.to_numpy(output_type)
        return Dataset(lambda graphs: (Tensor.of(dtype.type(n)) for n in numbers or placeholder(0)), len(numbers))

    @staticmethod
    def from_generator(generator: Callable, output_types: Any = None, output_shapes: Any = None, args: Any = None,
                       output_signature: Any = None, name: str | None = None) -> "Dataset":  # fmt: skip
        """The elements that a Python generator yields.

        Args:
            generator: a function that returns an iterator; each iteration calls it again.
            output_types: without a signature, the dtype, or a tuple or dict of dtypes.
            output_shapes: the shapes, in the structure of `output_types`; any shapes if None.
            args: the arguments of the function.
            output_signature: an `mg.TensorSpec`, or a tuple or dict of them.

        Raises:
            TypeError: `generator` is not callable, or there is no signature, or more than one.
            InvalidArgumentError: (in an iteration) an element does not match the signature, or the generator raises a
                TypeError or a ValueError; for other errors, those that `mg.py_function` raises.

        >>> import minigrad as mg
        >>> numbers = mg.data.Dataset.from_generator(lambda: iter([1, 2]), output_types=mg.float32)
        >>> list(numbers.as_numpy_iterator())
        [np.float32(1.0), np.float32(2.0)]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = generator_signature(output_types, output_shapes, output_signature)
        return Dataset(lambda graphs: yielded(generator, args or (), spec), spec=spec)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> "Dataset":
        """Elements combined from those of several Datasets; the result is as long as the shortest of them.

        Args:
            *args: Datasets, or one Dataset, or one tuple or dict of them; the elements have the same structure.
            datasets: the same as a keyword argument.

        Raises:
            TypeError: there is something other than Datasets, or nothing, or both `args` and `datasets` are given.
        """
        if bool(args) == (datasets is not None):
            problem = "Both `*args` and `datasets` cannot be set" if args else "Must pass at least one dataset to `zip`"
            raise TypeError(f"{problem}.")
        structure = args[0] if len(args) == 1 else args or datasets
        every = components(structure)
        for one in every:
            if not isinstance(one, Dataset):
                problem = "Invalid input to `zip`. Inputs are expected to be (nested) structures of"
                raise TypeError(f"{problem} `tf.data.Dataset` objects but encountered object of type {type(one)}.")
        lengths = [d._length for d in every]
        known = [n for n in lengths if n != INFINITE_CARDINALITY] or [INFINITE_CARDINALITY]
        join = functools.partial(attempt_all, functools.partial(elements.with_components, structure))
        return Dataset(lambda graphs: map(join, zip(*[d._start(graphs) for d in every])), min(known))

    # ---- transformations -------------------------------------------------------------------------------------------

    def map(self, map_func: Callable, num_parallel_calls: Any = None, deterministic: bool | None = None,
            synchronous: Any = None, use_unbounded_threadpool: Any = False,
            name: str | None = None) -> "Dataset":  # fmt: skip
        """Apply `map_func` to each element.

        Args:
            map_func: takes an element, or the items of a tuple as separate arguments; if it returns a list, this
                becomes a tuple. It runs as Python for each element, with its side effects, and may use `x.numpy()`.
                (TensorFlow runs it once, to make a graph of it, in which there is no `numpy()`.)
            num_parallel_calls, deterministic, synchronous, use_unbounded_threadpool, name: accepted as in TensorFlow,
                without effect.

        Raises:
            ValueError: `map_func` is not callable.
            InvalidArgumentError: `num_parallel_calls` is neither positive nor AUTOTUNE.
        """
        elements.check_parallel_calls(num_parallel_calls, "ParallelMapDatasetV2")
        return Dataset(self._each(map_func, lambda function, x: as_element(function(x))), self._length)

    def _each(self, function, use):
        """Starts an iterator over `use(function, x)` for the elements x."""
        elements.check_callable(function)

        def start(graphs):
            one = functools.partial(use, elements.of_element(function, graphs))
            return map(functools.partial(attempt, one), self._start(graphs))

        return start

    def _asked(self, predicate):
        """Starts an iterator over the elements, with None in place of those for which `predicate` is False."""

        def use(function, x):
            return x if spec_inference.active or elements.satisfies(function, x) else None

        return self._each(predicate, use)

    def filter(self, predicate: Callable, name: str | None = None) -> "Dataset":
        """The elements for which `predicate` is True.

        Raises:
            ValueError: `predicate` is not callable; or (in an iteration) its result is not a scalar bool.
        """
        asked = self._asked(predicate)
        return Dataset(lambda graphs: (x for x in asked(graphs) if x is not None))

    def take_while(self, predicate: Callable, name: str | None = None) -> "Dataset":
        """The elements before the first one for which `predicate` is False.

        Raises:
            ValueError: `predicate` is not callable; or (in an iteration) its result is not a scalar bool.

        >>> import minigrad as mg
        >>> [int(x) for x in mg.data.Dataset.range(10).take_while(lambda x: x < 3)]
        [0, 1, 2]
        """
        asked = self._asked(predicate)
        return Dataset(lambda graphs: itertools.takewhile(lambda x: x is not None, asked(graphs)))

    def flat_map(self, map_func: Callable, name: str | None = None) -> "Dataset":
        """The elements of the Datasets that `map_func` returns, one Dataset after another.

        Raises:
            ValueError: `map_func` is not callable.
            TypeError: (in an iteration) its result is not a Dataset.
        """
        parts = self._opened(map_func)

        def start(graphs):
            return itertools.chain.from_iterable([x] if x.__class__ is Failure else x for x in parts(graphs))

        return Dataset(start)

    def _opened(self, map_func):
        """Starts an iterator over iterators, those of the Datasets that `map_func` returns."""
        datasets = self._each(map_func, dataset_from)
        return lambda graphs: map(functools.partial(attempt, lambda one: one._start(graphs)), datasets(graphs))

    def interleave(self, map_func: Callable, cycle_length: Any = None, block_length: Any = None,
                   num_parallel_calls: Any = None, deterministic: bool | None = None,
                   name: str | None = None) -> "Dataset":  # fmt: skip
        """The elements of the Datasets that `map_func` returns, taken in turn from some that are open together.

        Args:
            map_func: a function of an element that returns a Dataset.
            cycle_length: how many are open together. By default one, if `num_parallel_calls` is given, and otherwise
                as many as there are processors, as in TensorFlow.
            block_length: how many elements are taken from one before the next; 1 by default.
            num_parallel_calls, deterministic, name: accepted as in TensorFlow, without effect on the elements.

        Raises:
            ValueError: `map_func` is not callable.
            InvalidArgumentError: a number is not positive.
            TypeError: (in an iteration) the result of `map_func` is not a Dataset.

        >>> import minigrad as mg
        >>> rows = mg.data.Dataset.range(3).interleave(lambda i: mg.data.Dataset.range(10 * i, 10 * i + 2), 2)
        >>> print([int(x) for x in rows])
        [0, 10, 1, 11, 20, 21]
        """
        parts = self._opened(map_func)
        elements.check_parallel_calls(num_parallel_calls, "ParallelInterleaveDatasetV4")
        if cycle_length in (None, elements.AUTOTUNE):
            cycle_length = os.cpu_count() or 1 if num_parallel_calls is None else 1
        block_length = 1 if block_length is None else block_length
        places = elements.positive_integer(cycle_length, "cycle_length", "InterleaveDataset")
        size = elements.positive_integer(block_length, "block_length", "InterleaveDataset")
        return Dataset(lambda graphs: interleaved(parts(graphs), places, size))

    def batch(self, batch_size: Any, drop_remainder: bool = False, num_parallel_calls: Any = None,
              deterministic: bool | None = None, name: str | None = None) -> "Dataset":  # fmt: skip
        """Elements stacked along a new first axis: components of shape (...) become (batch_size, ...).

        Args:
            batch_size: the number of elements in a batch.
            drop_remainder: whether to drop the last batch if it is smaller.
            num_parallel_calls, deterministic, name: accepted as in TensorFlow, without effect.

        Raises:
            InvalidArgumentError: the size is not positive; or (in an iteration) the shapes of elements differ.
            TypeError: `drop_remainder` is not a bool.
        """
        size = elements.positive_integer(batch_size, "Batch size", "BatchDatasetV2")
        drop_remainder = elements.as_bool(drop_remainder)
        length = self._batch_count(size, drop_remainder)
        whole = self._kind in ("_Map", "_ParallelMap")  # TensorFlow makes one step of the two
        return Dataset(lambda graphs: batches(self._start(graphs), size, drop_remainder, stack_elements, whole), length)

    def padded_batch(self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None,
                     drop_remainder: bool = False, name: str | None = None) -> "Dataset":  # fmt: skip
        """Like `batch`, for elements of different shapes: components are first padded at the end of each axis.

        Args:
            batch_size: how many elements a batch has.
            padded_shapes: the shape of each component after padding, in the structure of an element. If a length or the
                whole shape is None or -1, the longest length in the batch is used.
            padding_values: the value to pad each component with, in the structure of an element; 0 or "" where None.
            drop_remainder: whether to drop the last batch if it is smaller.

        Raises:
            InvalidArgumentError: the size is not positive.
            ValueError: (in an iteration) a shape and its component have different numbers of axes.
            TypeError: (in an iteration) a padding value has another dtype.
            DataLossError: (in an iteration) an element is longer than its shape.

        >>> import minigrad as mg
        >>> rows = mg.data.Dataset.range(1, 4).map(lambda n: mg.fill([n], n))
        >>> for batch in rows.padded_batch(3):
        ...     print(batch.numpy())
        [[1 0 0]
         [2 2 0]
         [3 3 3]]
        """
        size = elements.positive_integer(batch_size, "Batch size", "PaddedBatchDatasetV2")
        drop_remainder = elements.as_bool(drop_remainder)
        stack = functools.partial(pad_elements, padded_shapes, padding_values)
        length = self._batch_count(size, drop_remainder)
        return Dataset(lambda graphs: batches(self._start(graphs), size, drop_remainder, stack), length)

    def _batch_count(self, size, drop_remainder):
        """The number of batches, at most that of the elements: if this is not known, neither is that."""
        return min(self._length, self._length // size if drop_remainder else -(-self._length // size))

    def window(self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False,
               name: str | None = None) -> "Dataset":  # fmt: skip
        """Windows of consecutive elements: each component of a window is a Dataset.

        Args:
            size: the number of elements in a window.
            shift: the distance between the beginnings of windows; `size` if None.
            stride: the distance between the elements of a window.
            drop_remainder: whether to drop smaller windows at the end.

        Raises:
            InvalidArgumentError: a number is not positive.

        >>> import minigrad as mg
        >>> for group in mg.data.Dataset.range(5).window(3, shift=1, drop_remainder=True):
        ...     print([int(x) for x in group])
        [0, 1, 2]
        [1, 2, 3]
        [2, 3, 4]
        """
        size = elements.positive_integer(size, "Window size", "WindowDataset")
        shift = size if shift is None else elements.positive_integer(shift, "Window shift", "WindowDataset")
        stride = elements.positive_integer(stride, "Window stride", "WindowDataset")
        drop_remainder = elements.as_bool(drop_remainder)
        whole = max(0, (self._length - (size - 1) * stride - 1) // shift + 1)
        length = min(self._length, whole if drop_remainder else -(-self._length // shift))
        return Dataset(lambda graphs: windows(self._start(graphs), size, shift, stride, drop_remainder), length)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> "Dataset":
        """Every `num_shards`-th element, starting with element number `index`.

        Raises:
            InvalidArgumentError: `num_shards` is not positive, or `index` is not in [0, num_shards).

        >>> import minigrad as mg
        >>> [int(x) for x in mg.data.Dataset.range(10).shard(3, 1)]
        [1, 4, 7]
        """
        count, first = elements.as_integer(num_shards), elements.as_integer(index)
        for refused, problem in [
            (count <= 0, f"Number of shards must be greater than zero (currently num_shards = {count})."),
            (not 0 <= first < count, f"Index must be between 0 and {count - 1} (currently index = {first})."),
        ]:
            if refused:
                raise invalid(f"{problem} [Op:ShardDataset] name: ")
        length = len(range(first, self._length, count)) if self._length >= 0 else self._length
        return self._from(first, count, length)

    def _from(self, first, step, length):
        return Dataset(lambda graphs: spaced(self._start(graphs), 0 if spec_inference.active else first, step), length)

    def unbatch(self, name: str | None = None) -> "Dataset":
        """The rows of each element: components of shape (n, ...) become n elements of shape (...)."""
        rows = self.flat_map(lambda *x: Dataset.from_tensor_slices(x[0] if len(x) == 1 else x))
        if self._length == INFINITE_CARDINALITY:
            return Dataset(rows._start, INFINITE_CARDINALITY)
        specs = components(self._spec_or_none())
        counts = {spec.shape[0] for spec in specs if spec is not None and spec.shape.rank}
        if self._length < 0 or len(counts) != 1 or None in counts:
            return rows
        return Dataset(rows._start, self._length * counts.pop())

    def shuffle(self, buffer_size: Any, seed: int | None = None, reshuffle_each_iteration: bool = True,
                name: str | None = None) -> "Dataset":  # fmt: skip
        """Elements in random order, each drawn from a buffer of the next `buffer_size`.

        For the same seeds, the order is that of TensorFlow.

        Args:
            buffer_size: the length of the buffer; all orders are equally likely only if it is as long as the Dataset.
            seed: combined with the global seed as in `mg.random`.
            reshuffle_each_iteration: whether each iteration uses a new order.

        Raises:
            InvalidArgumentError: the size is not positive.

        >>> import minigrad as mg
        >>> mg.random.set_seed(1)
        >>> [int(x) for x in mg.data.Dataset.range(5).shuffle(5)]
        [1, 2, 0, 4, 3]
        """
        size = elements.as_integer(buffer_size)
        if size <= 0 and size != UNKNOWN_CARDINALITY:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY [Op:ShuffleDatasetV3] name: ")
        pair = streams.pair_for(seed)
        seeds = random_words(*pair)  # a new pair for each iteration

        def start(graphs):
            reshuffle = reshuffle_each_iteration and not spec_inference.active
            words = random_words(*((next(seeds), next(seeds)) if reshuffle else pair))
            return shuffled(self._start(graphs), size, words)

        return Dataset(start, self._length)

    def repeat(self, count: Any = None, name: str | None = None) -> "Dataset":
        """All elements `count` times, or endlessly if it is None or -1."""
        times = None if count is None else elements.as_integer(count)
        if times is None or times < 0:
            length = INFINITE_CARDINALITY if self._length else 0
            return Dataset(lambda graphs: repeated(functools.partial(self._start, graphs)), length)
        length = self._length * times if self._length >= 0 or not times else self._length
        return Dataset(lambda graphs: itertools.chain.from_iterable(self._start(graphs) for _ in range(times)), length)

    def take(self, count: Any, name: str | None = None) -> "Dataset":
        """The first `count` elements; all if it is -1."""
        most = elements.as_integer(count)
        if most < 0:
            return self
        length = most if self._length == INFINITE_CARDINALITY else min(most, self._length)
        return Dataset(lambda graphs: taken(self._start(graphs), np.inf if spec_inference.active else most), length)

    def skip(self, count: Any, name: str | None = None) -> "Dataset":
        """All but the first `count` elements; none if it is -1."""
        first = elements.as_integer(count)
        if first < 0:
            return self.take(0)
        return self._from(first, 1, max(self._length - first, min(self._length, 0)))

    def enumerate(self, start: Any = 0, name: str | None = None) -> "Dataset":
        """Pairs (number, element), with int64 numbers from `start` on."""
        first = elements.as_integer(start)

        def numbered(i, x):
            return x if x.__class__ is Failure else (Tensor.of(np.int64(i)), x)

        return Dataset(lambda graphs: map(numbered, itertools.count(first), self._start(graphs)), self._length)

    def concatenate(self, dataset: Any, name: str | None = None) -> "Dataset":
        """The elements of this Dataset, followed by those of another.

        Raises:
            TypeError: the elements differ in structure or dtypes, judged by the first element of each Dataset.
        """
        mine, its = self._spec_or_none(), dataset._spec_or_none()
        if None not in (mine, its) and elements.dtypes_of(mine) != elements.dtypes_of(its):
            raise TypeError(f"Incompatible dataset elements:\n  {mine} vs.\n  {its}\nMake them alike with `map`.")
        length = total_length(self._length, dataset._length)
        return Dataset(lambda graphs: itertools.chain(self._start(graphs), dataset._start(graphs)), length)

    def cache(self, filename: str = "", name: str | None = None) -> "Dataset":
        """The same elements, stored by the first complete iteration for later ones.

        Args:
            filename, name: accepted as in TensorFlow, without effect: the elements are stored in memory.

        Raises:
            TypeError: `filename` is not a string.
        """
        elements.convert_to_tensor(filename, dtypes.string)
        complete = []

        def start(graphs):
            if complete and not spec_inference.active:
                yield from complete[0]
                return
            stored = []
            for x in self._start(graphs):
                if x.__class__ is not Failure:
                    stored.append(x)
                yield x
            if not spec_inference.active:
                complete.append(stored)

        return Dataset(start, self._length)

    def prefetch(self, buffer_size: Any = None, name: str | None = None) -> "Dataset":
        """The same elements; none is computed ahead of time.

        Raises:
            InvalidArgumentError: the size is below 0 and not AUTOTUNE.
        """
        if buffer_size is not None and elements.as_integer(buffer_size) < elements.AUTOTUNE:
            problem = "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning"
            raise invalid(f"{problem} [Op:PrefetchDataset] name: ")
        return self

    def with_options(self, options: Any, name: str | None = None) -> "Dataset":
        """The same elements; options have no effect."""
        return self

    def apply(self, transformation_func: Callable) -> "Dataset":
        """Apply `transformation_func` to the Dataset.

        Raises:
            TypeError: its result is not a Dataset.
        """
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}.")
        return made

    # ---- results ---------------------------------------------------------------------------------------------------

    def __iter__(self):
        return Iterator(self)

    def as_numpy_iterator(self) -> abc.Iterator:
        """An iterator over the elements, with NumPy values instead of Tensors.

        Raises:
            TypeError: (in an iteration) an element contains a Dataset.
        """
        return map(functools.partial(map_components, to_numpy), self)

    def reduce(self, initial_state: Any, reduce_func: Callable, name: str | None = None) -> Any:
        """The final state, after `state = reduce_func(state, element)` for each element.

        Raises:
            ValueError: `reduce_func` is not callable.
            InvalidArgumentError, TypeError: it returns more or fewer components than the state has, or other dtypes.

        >>> import minigrad as mg
        >>> print(mg.data.Dataset.range(4).reduce(mg.constant(0, mg.int64), lambda total, x: total + x).numpy())
        6
        """
        elements.check_callable(reduce_func)
        state, function = as_element(initial_state), elements.of_element(reduce_func, {})
        for x in self:
            before, state = components(state), as_element(function((state, x)))
            check_same_dtypes(before, components(state))
        return state

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises:
            InvalidArgumentError: there is no element, or more than one.
        """
        found = list(itertools.islice(iter(self), 2))
        if len(found) != 1:
            problem = "had more than one element" if found else "was empty"
            raise invalid(f"Dataset {problem}. [Op:DatasetToSingleElement] name: ")
        return found[0]

    def cardinality(self) -> Tensor:
        """The number of elements as an int64 scalar; -1 is INFINITE_CARDINALITY, -2 UNKNOWN_CARDINALITY."""
        return Tensor.of(np.int64(self._length))

    def __len__(self):
        if self._length < 0:
            infinite = self._length == INFINITE_CARDINALITY
            raise TypeError("The dataset is infinite." if infinite else "The dataset length is unknown.")
        return self._length

    def __bool__(self):
        return True

    @property
    def element_spec(self) -> Any:
        """The structure, shapes and dtypes of an element: an `mg.TensorSpec`, or a tuple or dict of them.

        For a generator it is the signature; otherwise it is inferred from the first element, and lengths that depend on
        the batch size are None.

        Raises:
            ValueError: there is no element to infer it from.

        >>> import minigrad as mg
        >>> mg.data.Dataset.range(10).batch(4).element_spec
        TensorSpec(shape=(None,), dtype=mg.int64, name=None)
        """
        if self._spec is not None:
            return self._spec
        first = self._first_element(resized=False)
        if first is None:
            raise ValueError("The Dataset is empty: it has no element to take the form from.")
        try:
            other = self._first_element(resized=True)
        except Exception:  # a user function requires this batch size, so all batches have it
            other = None
        other = first if other is None else other
        return elements.with_components(first, map(common_spec, components(first), components(other)))

    def _first_element(self, resized):
        """The first element, computed only for its spec: the random generators do not advance."""
        before, seeds = (spec_inference.active, spec_inference.resized), streams.seeds
        spec_inference.active, spec_inference.resized, streams.seeds = True, resized, copy.deepcopy(seeds)
        try:
            return next(iter(self), None)
        finally:
            (spec_inference.active, spec_inference.resized), streams.seeds = before, seeds

    def _spec_or_none(self):
        """`element_spec`, or None if the Dataset is empty or a user function fails (iterating reports the error)."""
        try:
            with listeners_only():
                return self.element_spec
        except Exception:
            return None

    def __repr__(self):
        spec = self._spec_or_none()
        return f"<{self._kind}Dataset element_spec={'unknown' if spec is None else spec}>"


def printed_as(kind, method):
    """Wrap a method so that its Datasets are printed with the same name as in TensorFlow."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def make(*args, **kwargs):
        made = copy.copy(method(*args, **kwargs))
        parallel = signature.bind(*args, **kwargs).arguments.get("num_parallel_calls") is not None
        made._kind = kind.replace("_", "_Parallel") if parallel else kind
        return made

    return make


KINDS = {"from_tensor_slices": "_TensorSlice", "from_tensors": "_Tensor", "from_generator": "_FlatMap",
         "range": "_Range", "zip": "_Zip", "map": "_Map", "filter": "_Filter", "take_while": "_TakeWhile",
         "flat_map": "_FlatMap", "interleave": "_Interleave", "batch": "_Batch", "padded_batch": "_PaddedBatch",
         "window": "_Window", "shard": "_Shard", "unbatch": "_Unbatch", "shuffle": "_Shuffle", "repeat": "_Repeat",
         "take": "_Take", "skip": "_Skip", "enumerate": "_Zip", "concatenate": "_Concatenate", "cache": "Cache",
         "prefetch": "_Prefetch", "with_options": "_Options"}  # fmt: skip
for name, kind in KINDS.items():
    one = vars(Dataset)[name]
    static = isinstance(one, staticmethod)
    setattr(Dataset, name, staticmethod(printed_as(kind, one.__func__)) if static else printed_as(kind, one))
del name, kind, one, static


class DatasetSpec:
    """The spec of a Dataset that is a component of an element, such as a window.

    Args:
        element_spec: the spec of its elements.
        dataset_shape: the shape of the Tensor of Datasets; always ().

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
    """An iteration over the elements of a Dataset. After an error it goes on with the next element.

    >>> import minigrad as mg
    >>> elements = iter(mg.data.Dataset.range(2))
    >>> print(elements.get_next().numpy(), next(elements).numpy())
    0 1
    """

    def __init__(self, dataset: Dataset):
        self._dataset, self._elements, self._taken = dataset, dataset._start({}), 0

    def __iter__(self):
        return self

    def __next__(self):
        put_off()
        element = next(self._elements)
        self._taken += 1
        if element.__class__ is Failure:
            raise element.error
        return element

    next = __next__

    def _go_to(self, taken: int) -> None:
        """Continue after this many elements, to restore a checkpoint; restart the Dataset if it is already further."""
        if taken < self._taken:
            self._elements, self._taken = self._dataset._start({}), 0
        for _ in itertools.islice(self._elements, taken - self._taken):
            self._taken += 1

    def get_next(self, name: str | None = None) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is no further element.
        """
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext] name: ") from None

    @property
    def element_spec(self) -> Any:
        """The spec of an element, which is that of the Dataset."""
        return self._dataset.element_spec


def as_element(x):
    """Convert a user's value to an element: components become Tensors that no tape tracks, or are Datasets."""

    def part(one):
        return one if isinstance(one, Dataset) else elements.detached(convert(one), "Dataset")

    return map_components(part, x)


def to_numpy(component):
    if isinstance(component, Dataset):
        problem = "`tf.data.Dataset.as_numpy_iterator()` is not supported"
        raise TypeError(f"{problem} for datasets that produce values of type {Dataset}")
    return component.numpy()


def total_length(first, second):
    """The total length of two Datasets."""
    if INFINITE_CARDINALITY in (first, second):
        return INFINITE_CARDINALITY
    return UNKNOWN_CARDINALITY if min(first, second) < 0 else first + second


def common_spec(first, other):
    """A spec for two Tensors, with None where their lengths differ; for two Datasets, that of the first."""
    if isinstance(first, Dataset):
        return DatasetSpec(first.element_spec)
    if first.ndim != other.ndim:
        return TensorSpec(None, first.dtype)
    return TensorSpec([n if n == m else None for n, m in zip(first.shape, other.shape)], first.dtype)


def check_same_dtypes(old, new):
    """Raise an error unless the components of the new state of a reduction have the dtypes of the old one's."""
    if len(old) != len(new):
        problem = "The number of components of the initial state and the reduce function output does not match."
        raise invalid(f"{problem} (initial_state={len(old)}, output={len(new)}). [Op:ReduceDataset] name: ")
    for one, other in zip(old, new):
        if one.dtype != other.dtype:
            problem = "The element types for the new state must match the initial state."
            raise TypeError(f"{problem} Expected {one.dtype!r} but got {other.dtype!r}.")


def dataset_from(function, element):
    """The Dataset that a function returns for an element."""
    result = function(element)
    if not isinstance(result, Dataset):
        given = f"Got {type(result)}. Write mg.data.Dataset.from_tensor_slices(...)."
        raise TypeError(f"The `map_func` argument must return a `Dataset` object. {given}")
    return result


def as_window(rows):
    """An element whose components are Datasets."""
    datasets = [Dataset(lambda _, column=column: iter(column), len(rows)) for column in elements.columns(rows)]
    return elements.with_components(rows[0], datasets)


def windows(iterator, size, shift, stride, drop_remainder):
    """Each window as an element."""
    buffer = list(itertools.islice(iterator, (size - 1) * stride + 1))
    while buffer:
        rows = buffer[::stride]
        if len(rows) == size or not drop_remainder or spec_inference.active:
            yield attempt_all(as_window, rows)
        buffer = [*buffer, *itertools.islice(iterator, shift)][shift:]
