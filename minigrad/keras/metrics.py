"""tf.keras.metrics: statistics over many batches, accumulated in Variables, so no gradient flows through them."""

import warnings

import numpy as np

from .. import math
from ..engine import convert, dtypes, named
from ..errors import received, visible
from ..math.elementwise import clip_by_value
from ..ops import creation, gathering, sequences, shaping
from . import initializers, losses
from .activations import MASKS, as_dtype, sigmoid
from .losses import aligned
from .utils import class_for, found, snake_case, unique_name
from .variable import Variable, inside

__all__ = ["AUC", "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy", "CategoricalCrossentropy",
           "CategoricalHinge", "CosineSimilarity", "FalseNegatives", "FalsePositives", "Hinge", "KLDivergence",
           "LogCoshError", "Mean", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanMetricWrapper",
           "MeanSquaredError", "MeanSquaredLogarithmicError", "Metric", "Poisson", "Precision", "R2Score", "Recall",
           "RootMeanSquaredError", "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy",
           "SparseTopKCategoricalAccuracy", "SquaredHinge", "Sum", "TopKCategoricalAccuracy", "TrueNegatives",
           "TruePositives", "binary_accuracy", "categorical_accuracy", "get", "sparse_categorical_accuracy",
           "sparse_top_k_categorical_accuracy", "top_k_categorical_accuracy"]  # fmt: skip


def binary_accuracy(y_true, y_pred, threshold=0.5):
    """1 where `y_pred > threshold` equals the label `y_true`, 0 or 1, else 0: float32, in the shape of the arguments.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.binary_accuracy([[1.0, 0.0]], [[0.7, 0.6]]).numpy())
    [[1. 0.]]
    """
    y_true, y_pred = aligned(y_true, y_pred)
    return as_dtype(math.equal(y_true, as_dtype(y_pred > threshold, y_pred.dtype)), dtypes.float32)


def categorical_accuracy(y_true, y_pred):
    """1 where the largest prediction is that for the true class, else 0: (..., classes) becomes (...).

    Args:
        y_true: one-hot rows.
        y_pred: one prediction for each class.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.categorical_accuracy([[0, 1], [0, 1]], [[0.2, 0.8], [0.6, 0.4]]).numpy())
    [1. 0.]
    """
    return accuracy(math.argmax(y_true, -1), math.argmax(y_pred, -1))


def sparse_categorical_accuracy(y_true, y_pred):
    """1 where the largest prediction is that for the true class, else 0.

    Args:
        y_true: class indices, of shape (...) or (..., 1).
        y_pred: predictions of shape (..., classes).

    Returns:
        A float32 Tensor of shape (...).

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.sparse_categorical_accuracy([1, 1], [[0.2, 0.8], [0.6, 0.4]]).numpy())
    [1. 0.]
    """
    y_true, y_pred = convert(y_true), convert(y_pred)
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = shaping.squeeze(y_true, -1)
    return accuracy(y_true, math.argmax(y_pred, -1))


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """1 where the true class is among the k largest predictions, else 0: (..., classes) becomes (...).

    Args:
        y_true: one-hot rows.
        y_pred: one prediction for each class.
        k: how many predictions count.

    >>> import minigrad as mg
    >>> guess = [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]
    >>> print(mg.keras.metrics.top_k_categorical_accuracy([[0, 0, 1], [0, 1, 0]], guess, k=2).numpy())
    [1. 0.]
    """
    return sparse_top_k_categorical_accuracy(math.argmax(y_true, -1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5, from_sorted_ids=False):
    """1 where the true class is among the k largest predictions, else 0.

    Args:
        y_true: class indices, of shape (...).
        y_pred: predictions of shape (..., classes); or, with `from_sorted_ids`, class indices, most likely first.
        k: how many predictions count.
        from_sorted_ids: whether `y_pred` contains class indices.

    Returns:
        A float32 Tensor of shape (...).

    >>> import minigrad as mg
    >>> guess = [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]
    >>> print(mg.keras.metrics.sparse_top_k_categorical_accuracy([2, 1], guess, k=2).numpy())
    [1. 0.]
    """
    y_pred = convert(y_pred)
    y_true = as_dtype(y_true, y_pred.dtype if from_sorted_ids else dtypes.int32)
    flat, rows = shaping.reshape(y_true, [-1]), shaping.reshape(y_pred, [-1, y_pred.shape[-1]])
    if from_sorted_ids:
        matches = math.reduce_any(math.equal(shaping.expand_dims(flat, 1), rows[:, :k]), 1)
    else:
        matches = math.in_top_k(flat, rows, k)
    return shaping.reshape(as_dtype(matches, dtypes.float32), y_true.shape)


def accuracy(y_true, y_pred):
    """1 where the prediction equals the true value, else 0."""
    return as_dtype(math.equal(*aligned(y_true, y_pred)), dtypes.float32)


class Metric:
    """The base class: a subclass creates Variables in `__init__` and defines `update_state` and `result`.

    `add_weight` creates a Variable. Calling the metric updates the state and returns the result.

    Args:
        dtype: the dtype to compute in; float32 by default.
        name: by default the name of the class in snake_case, numbered.

    >>> import minigrad as mg
    >>> class Largest(mg.keras.metrics.Metric):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.most = self.add_weight(name="most", initializer="zeros")
    ...     def update_state(self, values):
    ...         self.most.assign(mg.maximum(self.most, mg.reduce_max(values)))
    ...     def result(self):
    ...         return self.most.value
    >>> largest = Largest()
    >>> print(largest([1.0, 5.0]).numpy(), largest([2.0]).numpy())
    5.0 5.0
    """

    _direction: str | None = None  # "up" or "down": which way is better, for callbacks that monitor it

    def __init__(self, dtype=None, name=None):
        self.name = name or unique_name(snake_case(type(self).__name__))
        self.dtype = dtypes.as_dtype(dtype or "float32").name
        self._variables = []

    def add_variable(self, shape, initializer, dtype=None, aggregation="sum", name=None) -> Variable:
        """Create a Variable that `reset_state` sets to zero.

        Args:
            shape: the length of each axis.
            initializer: a name or an initializer.
            dtype: float32 by default.
            aggregation: accepted as in Keras, without effect.
            name: by default "variable", numbered.
        """
        with inside(self):
            variable = Variable(initializers.get(initializer), shape=shape, dtype=dtype, trainable=False, name=name)
        self._variables.append(variable)
        return variable

    def add_weight(self, shape=(), initializer=None, dtype=None, name=None) -> Variable:
        """Like `add_variable`, by default for a scalar."""
        return self.add_variable(shape, initializer, dtype, name=name)

    def update_state(self, *args, **kwargs):
        """Add a batch to the state."""
        raise NotImplementedError

    def result(self):
        """The value of the metric over all batches since the last reset."""
        raise NotImplementedError

    def __call__(self, *args, **kwargs):
        self.update_state(*args, **kwargs)
        return self.result()

    @property
    def variables(self) -> list:
        """The Variables of the metric, and those of the metrics in its attributes."""
        inner = [metric for metric in vars(self).values() if isinstance(metric, Metric)]
        return self._variables + [v for metric in inner for v in metric.variables]

    def reset_state(self) -> None:
        """Set all Variables to zero."""
        for variable in self.variables:
            variable.assign(creation.zeros(variable.shape, variable.dtype))

    def __repr__(self):
        return f"<{type(self).__name__} name={visible(self.name)}>"


class Sum(Metric):
    """The sum of all values times their weights: a scalar.

    >>> import minigrad as mg
    >>> total = mg.keras.metrics.Sum()
    >>> total.update_state([1.0, 2.0])
    >>> print(total([10.0, 20.0], sample_weight=[0.0, 1.0]).numpy())
    23.0
    """

    def __init__(self, name="sum", dtype=None):
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")

    def update_state(self, values, sample_weight=None):
        values, _ = weighted_per_example(values, sample_weight, math.reduce_sum, self.dtype)
        self.total.assign_add(math.reduce_sum(values))

    def result(self):
        return as_dtype(self.total, self.dtype)


class Mean(Metric):
    """The sum of all values times their weights, divided by the sum of the weights: a scalar.

    >>> import minigrad as mg
    >>> loss = mg.keras.metrics.Mean()
    >>> for batch in ([1.0, 2.0], [6.0]):
    ...     loss.update_state(batch)
    >>> print(loss.result().numpy())
    3.0
    """

    def __init__(self, name="mean", dtype=None):
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")
        self.count = self.add_variable((), "zeros", self.dtype, name="count")

    def update_state(self, values, sample_weight=None):
        values, weights = weighted_per_example(values, sample_weight, math.reduce_mean, self.dtype)
        self.total.assign_add(math.reduce_sum(values))
        examples = values.shape[0] if values.ndim else 1
        self.count.assign_add(examples if weights is None else math.reduce_sum(weights))

    def result(self):
        return math.divide_no_nan(self.total, self.count)


def weighted_per_example(values, weights, reduce, dtype):
    """The weighted values, with all axes but the first reduced, and the weight of each example, or None."""
    mask, values = MASKS.of(values), as_dtype(values, dtype)
    if weights is not None:
        if mask is not None:
            weights = losses.masked_weights(mask, weights, dtype, "sum")
        weights, values = aligned(weights, values)
        axes = weights.ndim
        if values.ndim > axes:
            values = reduce(values, list(range(axes, values.ndim)))
        weights = shaping.broadcast_to(weights, values.shape)
        values = values * weights
        if axes > 1:
            weights = reduce(weights, list(range(1, axes)))
    return reduce(values, list(range(1, values.ndim))) if values.ndim > 1 else values, weights


class MeanMetricWrapper(Mean):
    """The mean of a function of the true values and the predictions.

    Args:
        fn: a function of `y_true` and `y_pred` that returns one value per example.
        name: by default the name of the class in snake_case, numbered.
        dtype: the dtype of the Variables; float32 by default.
        **kwargs: further arguments of the function.

    >>> import minigrad as mg
    >>> off = mg.keras.metrics.MeanMetricWrapper(lambda y, guess, least: mg.abs(y - guess) > least, least=0.5)
    >>> print(off(mg.constant([1.0, 2.0]), mg.constant([1.1, 3.0])).numpy())
    0.5
    """

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        super().__init__(name, dtype)
        self._function, self._settings = fn, kwargs
        if fn in losses.BY_NAME.values() or isinstance(fn, losses.Loss):
            self._direction = "down"

    def update_state(self, y_true, y_pred, sample_weight=None):
        values = self._function(y_true, y_pred, **self._settings)
        if (mask := MASKS.of(y_pred)) is not None:
            sample_weight = losses.masked_weights(mask, sample_weight, self.dtype, "sum")
        super().update_state(values, sample_weight)


def squared_errors(y_true, y_pred):
    y_true, y_pred = aligned(y_true, y_pred)
    return math.square(y_pred - y_true)


class RootMeanSquaredError(MeanMetricWrapper):
    """The square root of the mean of (y_pred - y_true)**2 over all elements.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.RootMeanSquaredError()([0.0, 1.0], [2.0, 3.0]).numpy())
    2.0
    """

    _direction = "down"

    def __init__(self, name="root_mean_squared_error", dtype=None):
        super().__init__(squared_errors, name, dtype)

    def result(self):
        return math.sqrt(super().result())


def cosine(y_true, y_pred, axis):
    """The cosine of the angle between two vectors."""
    return -losses.cosine_similarity(y_true, y_pred, axis)


class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between the vectors along `axis`: 1 if they point in the same direction.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.CosineSimilarity()([[0.0, 2.0]], [[3.0, 4.0]]).numpy().round(4))
    0.8
    """

    _direction = "up"

    def __init__(self, name="cosine_similarity", dtype=None, axis=-1):
        super().__init__(cosine, name, dtype, axis=axis)


# ---- the class of each function ------------------------------------------------------------------------------------

DOC = """The mean of `{function}`, over all examples so far; it has the settings of this function.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.{name}{example}.numpy().round(4))
    {answer}
    """


def mean_of(class_name, function, example, answer, direction=None, order="name dtype *", **defaults):
    """Make the class of a metric: the mean of a function.

    Args:
        class_name: its name; in snake_case it is the name of its objects.
        function: returns one value per example.
        example, answer: what to write behind the name of the class, and what it prints.
        direction: "up" if a larger value is better; for a loss a smaller one is.
        order: the parameters of the class; * stands for the settings of the function.
        **defaults: another name of the objects.
    """
    defaults = {"name": snake_case(class_name), "dtype": None, **defaults}
    made = class_for(MeanMetricWrapper, class_name, function, order, defaults)
    where = "losses" if function.__module__ == losses.__name__ else "metrics"
    words = dict(function=f"mg.keras.{where}.{function.__name__}", name=class_name, example=example, answer=answer)
    made.__doc__, made._direction = DOC.format(**words), direction
    return made


ERRORS = "()([[0.0, 1.0]], [[2.0, 1.0]])"
CHANCES = "()([[0.0, 1.0]], [[0.5, 0.5]])"
ONE_OF_TWO = "()([[0, 1], [0, 1]], [[0.2, 0.8], [0.6, 0.4]])"
SIGNS = "()([[-1.0, 1.0]], [[0.5, 2.0]])"
GUESSES = "[[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]"

# fmt: off
Accuracy = mean_of("Accuracy", accuracy, "()([1, 2, 3, 4], [0, 2, 3, 4])", 0.75, "up")
BinaryAccuracy = mean_of("BinaryAccuracy", binary_accuracy, "()([1.0, 0.0], [0.7, 0.6])", 0.5, "up")
CategoricalAccuracy = mean_of("CategoricalAccuracy", categorical_accuracy, ONE_OF_TWO, 0.5, "up")
SparseCategoricalAccuracy = mean_of(
    "SparseCategoricalAccuracy", sparse_categorical_accuracy, "()([1, 0], [[0.1, 0.9], [0.2, 0.8]])", 0.5, "up")
TopKCategoricalAccuracy = mean_of(
    "TopKCategoricalAccuracy", top_k_categorical_accuracy, f"(k=2)([[0, 0, 1], [0, 1, 0]], {GUESSES})", 0.5, "up",
    order="k name dtype")
SparseTopKCategoricalAccuracy = mean_of(
    "SparseTopKCategoricalAccuracy", sparse_top_k_categorical_accuracy, f"(k=2)([2, 1], {GUESSES})", 0.5, "up",
    order="k name dtype from_sorted_ids")
MeanSquaredError = mean_of("MeanSquaredError", losses.mse, ERRORS, 2.0)
MeanAbsoluteError = mean_of("MeanAbsoluteError", losses.mae, ERRORS, 1.0)
MeanAbsolutePercentageError = mean_of(
    "MeanAbsolutePercentageError", losses.mape, "()([[2.0, 4.0]], [[1.0, 4.0]])", 25.0)
MeanSquaredLogarithmicError = mean_of(
    "MeanSquaredLogarithmicError", losses.msle, "()([[0.0, 3.0]], [[1.0, 3.0]])", 0.2402)
LogCoshError = mean_of("LogCoshError", losses.logcosh, "()([[0.0, 0.0]], [[1.0, 100.0]])", 49.8703, name="logcosh")
Hinge = mean_of("Hinge", losses.hinge, SIGNS, 0.75)
SquaredHinge = mean_of("SquaredHinge", losses.squared_hinge, SIGNS, 1.125)
CategoricalHinge = mean_of("CategoricalHinge", losses.categorical_hinge, "()([[0.0, 1.0]], [[0.5, 0.25]])", 1.25)
KLDivergence = mean_of("KLDivergence", losses.kld, "()([[0.5, 0.5]], [[0.25, 0.75]])", 0.1438)
Poisson = mean_of("Poisson", losses.poisson, "()([[1.0, 3.0]], [[2.0, 3.0]])", 0.5055)
BinaryCrossentropy = mean_of(
    "BinaryCrossentropy", losses.binary_crossentropy, CHANCES, 0.6931, order="name dtype from_logits label_smoothing")
CategoricalCrossentropy = mean_of("CategoricalCrossentropy", losses.categorical_crossentropy, CHANCES, 0.6931)
SparseCategoricalCrossentropy = mean_of(
    "SparseCategoricalCrossentropy", losses.sparse_categorical_crossentropy, "()([1], [[0.5, 0.5]])", 0.6931)
# fmt: on


class R2Score(Metric):
    """1 - sum((y_true - y_pred)**2) / sum((y_true - mean)**2): 1 is perfect, 0 as good as the mean of the true values.

    Args:
        class_aggregation: how to combine the scores of the columns: "uniform_average", "variance_weighted_average", or
            None for one score per column.
        num_regressors: p adjusts the score of n numbers to 1 - (1 - score) * (n - 1) / (n - p - 1).
        name: the name of the metric.
        dtype: accepted as in Keras, without effect.

    Raises:
        ValueError: there is no such aggregation, `num_regressors` is negative, or (in a call) the values are not a
            matrix.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.R2Score()([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]]).numpy().round(4))
    0.5714
    """

    _direction = "up"

    def __init__(self, class_aggregation="uniform_average", num_regressors=0, name="r2_score", dtype=None):
        super().__init__(dtype, name)
        valid = (None, "uniform_average", "variance_weighted_average")
        if class_aggregation not in valid:
            problem = f"Invalid value for argument `class_aggregation`. Expected one of {valid}."
            raise received(problem, class_aggregation=class_aggregation)
        if num_regressors < 0:
            problem = "Invalid value for argument `num_regressors`. Expected a value >= 0."
            raise received(problem, num_regressors=num_regressors)
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_variable((), "zeros", name="num_samples")
        self.squared_sum = None

    def _build(self, y_true, y_pred):
        """Create the sums over the examples, one per column."""
        if y_true.ndim != 2 or y_pred.ndim != 2:
            problem = "R2Score expects 2D inputs with shape (batch_size, output_dim)."
            shapes = f"y_pred.shape={tuple(y_pred.shape)} and y_true.shape={tuple(y_true.shape)}"
            raise ValueError(f"{problem} Received input shapes: {shapes}.")
        columns = [y_pred.shape[1]]
        self.squared_sum = self.add_variable(columns, "zeros", name="squared_sum")
        self.sum = self.add_variable(columns, "zeros", name="sum")
        self.total_mse = self.add_variable(columns, "zeros", name="residual")
        self.count = self.add_variable(columns, "zeros", name="count")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = aligned(y_true, as_dtype(y_pred, dtypes.float32))
        if self.squared_sum is None:
            self._build(y_true, y_pred)
        weights = as_dtype(1.0 if sample_weight is None else sample_weight, dtypes.float32)
        weights = shaping.broadcast_to(shaping.expand_dims(weights, 1) if weights.ndim == 1 else weights, y_true.shape)
        self.sum.assign_add(math.reduce_sum(y_true * weights, 0))
        self.squared_sum.assign_add(math.reduce_sum(y_true * y_true * weights, 0))
        self.total_mse.assign_add(math.reduce_sum(math.square(y_true - y_pred) * weights, 0))
        self.count.assign_add(math.reduce_sum(weights, 0))
        self.num_samples.assign_add(y_true.shape.num_elements())

    def result(self):
        total = self.squared_sum - self.sum * (self.sum / self.count)
        scores = 1 - self.total_mse / total
        scores = gathering.where(math.is_inf(scores), 0.0, scores)
        if self.class_aggregation == "uniform_average":
            scores = math.reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            scores = math.reduce_sum(total * scores) / math.reduce_sum(total)
        return self._adjusted(scores) if self.num_regressors else scores

    def _adjusted(self, score):
        """The score adjusted for the number of regressors, unless there are too few examples."""
        free = self.num_samples - 1.0 - self.num_regressors
        if free > 0:
            return 1.0 - (1.0 - score) * (self.num_samples - 1.0) / free
        many = "More independent predictors than datapoints in adjusted"
        problem = many if free < 0 else "Division by zero in Adjusted"
        warnings.warn(f"{problem} R2 score. Falling back to standard R2 score.", stacklevel=3)
        return score


LOWEST = -1e10  # stands for a prediction that is not among the k largest
ENTRIES = {  # of a confusion matrix: is the label positive, and is the prediction?
    "true_positives": (True, True), "false_positives": (False, True),
    "true_negatives": (False, False), "false_negatives": (True, False),
}  # fmt: skip


class ConfusionMetric(Metric):
    """Adds up entries of the confusion matrix: a prediction is positive if it is greater than a threshold.

    Args:
        thresholds: numbers in [0, 1], each counted by itself; by default 0.5.
        top_k: only the k largest predictions of a row can be positive, by default all of these.
        class_id: count this column of the labels and predictions alone.
        name: by default the name of the class in snake_case, numbered.
        dtype: accepted as in Keras, without effect: it counts in float32.

    Raises:
        ValueError: a threshold is outside [0, 1]; or (in a call) `class_id` is given, but predictions have one axis.
    """

    entries: tuple = ()  # those that it adds up

    def __init__(self, thresholds=None, top_k=None, class_id=None, name=None, dtype=None):
        super().__init__(dtype, name)
        given = list(thresholds) if isinstance(thresholds, (list, tuple)) else [thresholds]
        if thresholds is not None and (bad := [one for one in given if one is None or not 0 <= one <= 1]):
            raise ValueError(f"Threshold values must be in [0, 1]. Received: {bad}")
        self.top_k, self.class_id = top_k, class_id
        self._count_at([0.5 if top_k is None else LOWEST] if thresholds is None else given, given)

    def _count_at(self, thresholds, even):
        """Create a count for each threshold. If `even` is evenly spaced, predictions are compared in steps."""
        count = len(even)
        steps = count > 2 and np.allclose(even, np.arange(count) / (count - 1), atol=1e-7)
        self.thresholds, self._steps = thresholds, count - 1 if steps else None
        self._levels = np.arange(count) - (np.asarray(thresholds) < 0) if steps else np.asarray(thresholds)
        names = {entry: entry if len(self.entries) > 1 else "accumulator" for entry in self.entries}
        self._counts = {entry: self.add_variable([count], "zeros", name=name) for entry, name in names.items()}
        vars(self).update({name: self._counts[entry] for entry, name in names.items()})

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = aligned(y_true, as_dtype(y_pred, dtypes.float32))
        weights = as_dtype(1.0 if sample_weight is None else sample_weight, dtypes.float32)
        weights = shaping.expand_dims(weights, -1) if 0 < weights.ndim < y_pred.ndim else weights
        weights = shaping.broadcast_to(weights, y_pred.shape)
        if self.top_k is not None:
            places = math.top_k(y_pred, self.top_k).indices
            largest = math.reduce_any(math.equal(places[..., None], sequences.range(y_pred.shape[-1])), -2)
            y_pred = gathering.where(largest, y_pred, LOWEST)
        if self.class_id is not None:
            if y_pred.ndim == 1:
                problem = "When class_id is provided, y_pred must be a 2D array with shape (num_samples, num_classes)"
                raise ValueError(f"{problem}, found shape: {tuple(y_pred.shape)}")
            y_true, y_pred, weights = (one[..., self.class_id] for one in (y_true, y_pred, weights))
        labels, y_pred, weights = (shaping.reshape(one, [1, -1]) for one in (y_true != 0, y_pred, weights))
        if self._steps:
            y_pred = clip_by_value(y_pred, 0.0, 1.0) * self._steps
        positive = math.greater(y_pred, self._levels[:, None])
        for entry, variable in self._counts.items():
            label, prediction = ENTRIES[entry]
            chosen = math.logical_and(math.equal(labels, label), math.equal(positive, prediction))
            variable.assign_add(math.reduce_sum(gathering.where(chosen, weights, 0.0), 1))

    def _one_or_all(self, values):
        """The value for the only threshold, or those for all."""
        return values[0] if len(self.thresholds) == 1 else convert(values)


def count_of(class_name, meaning, example, answer):
    """Make the class of a metric: one entry of the confusion matrix."""

    class CountOfEntry(ConfusionMetric):
        """How many {meaning} (or how much of their weights).

        >>> import minigrad as mg
        >>> print(mg.keras.metrics.{name}({example})([1, 1, 0, 0], [0.9, 0.2, 0.8, 0.1]).numpy())
        {answer}
        """

        entries = (snake_case(class_name),)

        def __init__(self, thresholds=None, name=None, dtype=None):
            super().__init__(thresholds, name=name, dtype=dtype)

        def result(self):
            return self._one_or_all(self.accumulator)

    return named(CountOfEntry, class_name, meaning=meaning, example=example, answer=answer)


TruePositives = count_of("TruePositives", "positive labels were predicted as positive", "", 1.0)
FalsePositives = count_of("FalsePositives", "negative labels were predicted as positive", "[0.5, 0.85]", "[1. 0.]")
TrueNegatives = count_of("TrueNegatives", "negative labels were predicted as negative", "", 1.0)
FalseNegatives = count_of("FalseNegatives", "positive labels were predicted as negative", "", 1.0)


class Precision(ConfusionMetric):
    """The share of positive predictions that are right: TP / (TP + FP); 0 without any.

    Arguments and errors are those of the confusion matrix: `thresholds`, `top_k`, `class_id`, `name` and `dtype`.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.Precision()([1, 1, 0, 0], [0.9, 0.7, 0.8, 0.1]).numpy().round(4))
    0.6667
    """

    entries, _direction = ("true_positives", "false_positives"), "up"

    def result(self):
        right, wrong = self._counts.values()
        return self._one_or_all(math.divide_no_nan(right, right + wrong))


class Recall(Precision):
    """The share of positive labels that were found: TP / (TP + FN); 0 without any. Arguments as `Precision`.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.Recall(thresholds=[0.5, 0.8])([1, 1, 0, 0], [0.9, 0.7, 0.8, 0.1]).numpy())
    [1.  0.5]
    """

    entries = "true_positives", "false_negatives"


class AUC(ConfusionMetric):
    """The area under a curve that is drawn by moving the threshold, as a sum over the steps between thresholds.

    Args:
        num_thresholds: so many, evenly spaced from 0 to 1.
        curve: "ROC" (recall over the false positive rate), "PR" (precision over recall), or "PRGAIN": precision gain
            over recall gain (Flach and Kull, Precision-Recall-Gain Curves, 2015).
        summation_method: "interpolation" (the mean of both ends; for "PR" counts, not ratios, are interpolated: Davis
            and Goadrich, The Relationship Between Precision-Recall and ROC Curves, 2006), "minoring" or "majoring".
        name: by default "auc", numbered.
        dtype: accepted as in Keras, without effect: it counts in float32.
        thresholds: numbers between 0 and 1, in place of `num_thresholds`.
        multi_label, num_labels, label_weights: not supported; labels are counted all together.
        from_logits: whether predictions are logits, not probabilities.

    Raises:
        ValueError: there are fewer than 2 thresholds, or no such curve or method.
        NotImplementedError: one area for each label is wanted.

    >>> import minigrad as mg
    >>> print(mg.keras.metrics.AUC(num_thresholds=3)([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9]).numpy())
    0.75
    """

    entries, _direction = tuple(ENTRIES), "up"

    def __init__(self, num_thresholds=200, curve="ROC", summation_method="interpolation", name=None,
                 dtype=None, thresholds=None, multi_label=False, num_labels=None, label_weights=None,
                 from_logits=False):  # fmt: skip
        if thresholds is None and num_thresholds <= 1:
            raise received("Argument `num_thresholds` must be an integer > 1.", num_thresholds=num_thresholds)
        if multi_label or num_labels or label_weights is not None:
            raise NotImplementedError("AUC counts all labels together: for one label write AUC() and give it a column.")
        self.curve, self.summation_method = str(curve).upper(), str(summation_method).lower()
        if self.curve not in ("PR", "ROC", "PRGAIN"):
            expected = 'Expected values are ["PR", "ROC", "PRGAIN"]'
            raise ValueError(f'Invalid AUC curve value: "{visible(curve)}". {expected}')
        if self.summation_method not in ("interpolation", "majoring", "minoring"):
            expected = 'Expected values are ["interpolation", "majoring", "minoring"]'
            raise ValueError(f'Invalid AUC summation method value: "{visible(summation_method)}". {expected}')
        Metric.__init__(self, dtype, name)
        if thresholds is None:
            thresholds = np.arange(1, num_thresholds - 1) / (num_thresholds - 1)
        self.top_k = self.class_id = None
        self.num_thresholds, self._from_logits = len(thresholds) + 2, from_logits
        inner = sorted(thresholds)
        self._count_at(list(np.array([-1e-7, *inner, 1 + 1e-7])), [0.0, *inner, 1.0])

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(y_true, sigmoid(y_pred) if self._from_logits else y_pred, sample_weight)

    def result(self):
        right, wrong, rejected, missed = (variable.value for variable in self._counts.values())
        if (self.curve, self.summation_method) == ("PR", "interpolation"):
            return self._between_counts(right, right + wrong, right + missed)
        recall = math.divide_no_nan(right, right + missed)
        if self.curve == "ROC":
            x, y = math.divide_no_nan(wrong, wrong + rejected), recall
        elif self.curve == "PR":
            x, y = recall, math.divide_no_nan(right, right + wrong)
        else:
            odds = math.divide_no_nan(right + missed, rejected + wrong)
            x = math.maximum(gathering.where(right == 0, 0.0, 1.0 - odds * math.divide_no_nan(missed, right)), 0.0)
            y = 1.0 - odds * math.divide_no_nan(wrong, right)
        low, high = math.minimum(y[:-1], y[1:]), math.maximum(y[:-1], y[1:])
        height = {"minoring": low, "majoring": high, "interpolation": (low + high) / 2}[self.summation_method]
        return math.reduce_sum((x[:-1] - x[1:]) * height)

    def _between_counts(self, right, chosen, positive):
        """The area under precision over recall, if true positives and positive predictions vary linearly in a step."""
        slope = math.divide_no_nan(right[:-1] - right[1:], math.maximum(chosen[:-1] - chosen[1:], 0.0))
        offset = right[1:] - slope * chosen[1:]
        both = math.logical_and(chosen[:-1] > 0, chosen[1:] > 0)
        ratio = gathering.where(both, math.divide_no_nan(chosen[:-1], chosen[1:]), 1.0)
        areas = slope * (right[:-1] - right[1:] + offset * math.log(ratio))
        return math.reduce_sum(math.divide_no_nan(areas, positive[1:]))


CLASSES = [one for one in list(globals().values()) if isinstance(one, type) and one.__name__ in __all__]
BY_NAME = {name: one for one in CLASSES for name in (one.__name__, snake_case(one.__name__))}
SHORT_NAMES = {"bce": BinaryCrossentropy, "mse": MeanSquaredError, "mae": MeanAbsoluteError,
               "mape": MeanAbsolutePercentageError, "msle": MeanSquaredLogarithmicError}  # fmt: skip
BY_NAME |= SHORT_NAMES | {name.upper(): one for name, one in SHORT_NAMES.items()}


def get(identifier):
    """The metric of a name, a class, or a dict {"class_name": name, "config": settings}; others are returned.

    >>> import minigrad as mg
    >>> mg.keras.metrics.get("mse")
    <MeanSquaredError name=mean_squared_error>
    """
    return found(identifier, "metric", BY_NAME)
