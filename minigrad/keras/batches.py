"""The batches of an epoch from arrays, a Dataset or a generator, for `fit`, `evaluate` and `predict`."""

import functools
import itertools
import operator
import types
import warnings

import numpy as np

from ..engine import convert
from ..errors import visible
from ..ops import cast, gather
from ..random import streams
from ..random.drawing import shuffled
from .backend import floatx
from .utils import leaves, mapped


def unpacked(data):
    """x, y and the sample weights of a batch, which may omit the last two.

    Raises:
        ValueError: it has more than three items.
    """
    parts = tuple(data) if isinstance(data, (list, tuple)) else (data,)
    if len(parts) > 3:
        problem = "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`,"
        raise ValueError(f"{problem} found: {visible(parts)}")
    return (*parts, None, None)[:3]


def packed(x, y, sample_weight):
    """What a step is given: x itself, (x,) for a list or tuple of arrays, (x, y) or (x, y, sample_weight)."""
    if y is None:
        return (x,) if isinstance(x, (list, tuple)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def split(arrays, share):
    """Split off the last examples of the arrays for validation.

    Raises:
        ValueError: an input is not an array, or one part would be empty.
    """
    known = [x for x in leaves(arrays) if x is not None]
    if odd := [type(x) for x in known if not hasattr(x, "shape")]:
        problem = "Argument `validation_split` is only supported for tensors or NumPy arrays."
        raise ValueError(f"{problem} Found incompatible type in the input: {odd}")
    count = len(known[0])
    at = int(count * (1.0 - share))
    if at in (0, count):
        problem = f"Training data contains {count} samples, which is not sufficient to split it into a validation and"
        advice = "Either provide more data, or a different value for the `validation_split` argument."
        raise ValueError(f"{problem} training set as specified by `validation_split={share}`. {advice}")
    return mapped(lambda x: x[:at], arrays), mapped(lambda x: x[at:], arrays)


def weights_of_classes(y, class_weight):
    """A weight for each example, by its class.

    Raises:
        ValueError: y is a nest, as for several outputs.
    """
    if isinstance(y, (list, tuple, dict)):
        raise ValueError("`class_weight` is only supported for Models with a single output.")
    classes = np.asarray(y)
    if classes.ndim > 1:
        classes = classes[:, 0] if classes.shape[1] == 1 else np.argmax(classes, 1)
    return np.array([class_weight.get(int(np.round(one)), 1.0) for one in classes], np.float32)


def as_data(x):
    """An array as a Tensor, whose floats have the dtype of weights by default, as in Keras."""
    x = convert(x)
    return cast(x, floatx()) if x.dtype.is_floating else x


def drawn_order(count):
    """The indices of the examples in random order, with a global seed the same in each epoch, as in Keras."""
    first, second = streams.pair_for(None if streams.seeds.seed is None else 0)
    return shuffled(np.arange(count), streams.Stream(first, second << 64))


class Batches:
    """An iterable; each iteration is one epoch. With `steps`, an epoch continues where the previous one ended.

    Args:
        x: arrays, or a Dataset or a generator of batches.
        y, sample_weight, batch_size, shuffle: for arrays only. (`class_weight` works for batches, too.)
        steps: the number of batches in an epoch; None for all.

    Raises:
        ValueError: x is something else or missing, the arrays have different lengths, `batch_size` is negative, or
            arguments cannot be combined, such as `class_weight` and several outputs.
    """

    def __init__(self, x, y=None, sample_weight=None, batch_size=None, steps=None, shuffle=False, class_weight=None):
        self.wanted, self.iterator = steps, None
        if hasattr(x, "element_spec") or isinstance(x, types.GeneratorType):
            self.source, self.count, self.class_weight = x, operator.length_hint(x) or None, class_weight
            self.check_alone(y, sample_weight)
            specs = [spec for spec in leaves(getattr(x, "element_spec", None)) if spec is not None]
            self.even = specs and all(len(spec.shape) and spec.shape[0] is not None for spec in specs)
            return
        for name, given in {"x": x, "y": y, "sample_weight": sample_weight}.items():
            if not all(one is None or hasattr(one, "shape") for one in leaves(given)):
                advice = f"Give an array, as np.array({name}){', a Dataset or a generator' * (name == 'x')}."
                raise ValueError(f"Unrecognized data type: {name}={visible(given)} (of type {type(given)}). {advice}")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
            sample_weight = weights_of_classes(y, class_weight)
        self.class_weight = None
        self.data, self.source, self.shuffle = mapped(as_data, packed(x, y, sample_weight)), None, shuffle
        self.check_lengths(self.data)
        if batch_size is not None and batch_size < 0:
            raise ValueError(f"batch_size must be positive, and is {batch_size}: batch_size=32")
        arrays = [one for one in leaves(self.data) if one is not None]
        if not arrays:
            raise ValueError("There is no data: give an array of examples, as x=np.array(examples).")
        self.examples = len(arrays[0])
        self.size = batch_size or (-(-self.examples // steps) if steps else 32)
        self.count = -(-self.examples // self.size)
        self.even = self.examples % self.size == 0  # whether all batches have the same length

    def check_alone(self, y, sample_weight):
        """Refuse arguments that belong to arrays if x is an iterable of batches."""
        kind = "tf.data.Dataset" if hasattr(self.source, "element_spec") else "generator"
        for name, value, what in (("y", y, "the targets"), ("sample_weights", sample_weight, "the sample weights")):
            if value is not None:
                problem = f"When providing `x` as a {kind}, `{name}` should not be passed."
                raise ValueError(f"{problem} Instead, {what} should be included as part of the {kind}.")

    def check_lengths(self, data):
        if len({len(one) for one in leaves(data) if one is not None}) > 1:
            problem = "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples."
            sizes = [", ".join(str(len(one)) for one in leaves(part) if one is not None) for part in unpacked(data)]
            told = "\n".join(f"'{name}' sizes: {n}" for name, n in zip(("x", "y", "sample_weight"), sizes) if n)
            raise ValueError(f"{problem}{told}\n")

    @property
    def steps(self):
        """The number of batches in an epoch, or None if unknown."""
        return self.wanted or self.count

    def all(self):
        """Iterate once over the batches of all data."""
        if self.source is not None:
            yield from map(self.weighted, self.source)
            return
        order = drawn_order(self.examples) if self.shuffle and self.shuffle != "batch" else np.arange(self.examples)
        for start in range(0, self.examples, self.size):
            rows = order[start : start + self.size]
            yield mapped(functools.partial(gather, indices=rows), self.data)

    def weighted(self, batch):
        """A batch of an iterable, as Tensors, with weights by class."""
        batch = mapped(convert, batch)
        if self.class_weight is None:
            return batch
        x, y, _ = unpacked(batch)
        return x, y, weights_of_classes(y, self.class_weight)

    def __iter__(self):
        if self.iterator is None or not self.wanted:
            self.iterator, self.seen = self.all(), 0
        step = 0
        for batch in itertools.islice(self.iterator, self.wanted):
            step, self.seen = step + 1, self.seen + 1
            yield batch
        if not self.wanted:
            if self.source is not None and operator.length_hint(self.source):
                iter(self.source)  # as in Keras, so that a shuffled Dataset comes in the same order
            self.count = step
        elif self.seen == self.count and step == self.wanted:
            self.iterator = None  # the next epoch starts from the beginning
        elif step < self.wanted:
            self.iterator = None
            problem = "Your input ran out of data; interrupting training. Make sure that your dataset or generator can"
            advice = "You may need to use the `.repeat()` function when building your dataset."
            warnings.warn(f"{problem} generate at least `steps_per_epoch * epochs` batches. {advice}", stacklevel=6)

    def groups(self, size):
        """Groups of `size` batches of an epoch, each with the number of its first batch."""
        batches = iter(self)
        for first in itertools.count(0, size):
            group = list(itertools.islice(batches, size))
            if not group:
                return
            yield first, group
