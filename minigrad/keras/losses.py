"""tf.keras.losses: functions give one loss per example, classes reduce them to one number."""

from .. import arrays, dtypes, math, nn
from ..op import convert
from .activations import logits_of

EPSILON = 1e-7  # probabilities stay this far from 0 and 1


def pair(y_true, y_pred):
    """Both as Tensors of the dtype of the prediction; an axis of length 1 that only one has at the end is added or taken away."""
    y_pred = convert(y_pred)
    y_true = as_dtype(y_true, y_pred.dtype)
    if y_pred.ndim == y_true.ndim + 1 and y_pred.shape[-1] == 1:
        return (arrays.expand_dims(y_true, -1), y_pred) if y_true.ndim == 1 else (y_true, arrays.squeeze(y_pred, -1))
    if y_true.ndim == y_pred.ndim + 1 and y_true.shape[-1] == 1:
        return (y_true, arrays.expand_dims(y_pred, -1)) if y_pred.ndim == 1 else (arrays.squeeze(y_true, -1), y_pred)
    return y_true, y_pred


def as_dtype(x, dtype):
    x = convert(x)
    return x if x.dtype == dtype else arrays.cast(x, dtype)


def mean_squared_error(y_true, y_pred):
    """The mean of (y_true - y_pred)**2 over the last axis.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.mean_squared_error([[0.0, 1.0]], [[2.0, 1.0]]).numpy())
    [2.]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return math.reduce_mean(math.square(y_true - y_pred), -1)


def mean_absolute_error(y_true, y_pred):
    """The mean of |y_true - y_pred| over the last axis."""
    y_true, y_pred = pair(y_true, y_pred)
    return math.reduce_mean(math.abs(y_true - y_pred), -1)


def huber(y_true, y_pred, delta=1.0):
    """Half the squared error where it is small, and a straight line beyond `delta`: the mean over the last axis."""
    y_true, y_pred = pair(y_true, y_pred)
    error = y_pred - y_true
    size = math.abs(error)
    parts = arrays.where(size <= delta, 0.5 * math.square(error), delta * size - 0.5 * delta * delta)
    return math.reduce_mean(parts, -1)


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """The mean over `axis` of -log of the probability that the prediction gave to what is true (0 or 1).

    Args:
        y_true: zeros and ones.
        y_pred: probabilities, or with `from_logits` what goes into the sigmoid.
        from_logits: which of the two.
        label_smoothing: takes this share of the truth and gives half of it to each side.
        axis: what to average over.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.binary_crossentropy([[1.0, 0.0]], [[0.5, 0.5]]).numpy())
    [0.6931472]
    """
    y_pred = convert(y_pred)
    y_true = as_dtype(y_true, y_pred.dtype)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    same_shape(y_true, y_pred)
    logits = logits_of(y_pred)
    if from_logits or logits is not None:
        losses = nn.sigmoid_cross_entropy_with_logits(y_true, y_pred if logits is None else logits)
    else:
        p = math.clip_by_value(y_pred, EPSILON, 1.0 - EPSILON)
        losses = -(y_true * math.log(p) + (1 - y_true) * math.log(1 - p))
    return math.reduce_mean(losses, axis)


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """-sum(y_true * log(y_pred)) over `axis`: the truth is one-hot, or a distribution.

    Args:
        y_true: probabilities.
        y_pred: probabilities, or with `from_logits` what goes into the softmax.
        from_logits: which of the two.
        label_smoothing: takes this share of the truth and spreads it over all classes.
        axis: the axis of the classes.
    """
    y_pred = convert(y_pred)
    y_true = as_dtype(y_true, y_pred.dtype)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / y_pred.shape[axis]
    same_shape(y_true, y_pred)
    logits = logits_of(y_pred)
    if from_logits or logits is not None:
        return nn.softmax_cross_entropy_with_logits(y_true, y_pred if logits is None else logits, axis)
    p = y_pred / math.reduce_sum(y_pred, axis, True)
    return -math.reduce_sum(y_true * math.log(math.clip_by_value(p, EPSILON, 1.0 - EPSILON)), axis)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, axis=-1):
    """-log of the probability that the prediction gave to the true class, which is a whole number.

    Args:
        y_true: class numbers.
        y_pred: probabilities, or with `from_logits` what goes into the softmax; one axis more than `y_true`.
        from_logits: which of the two.
        axis: the axis of the classes, which is the last one.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy())
    [0.6931472]
    """
    y_pred, y_true = convert(y_pred), as_dtype(y_true, dtypes.int64)
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = arrays.squeeze(y_true, -1)
    if y_true.shape != y_pred.shape[:-1]:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last dimension: "
            f"target.shape={y_true.shape}, output.shape={y_pred.shape}"
        )
    logits = logits_of(y_pred)
    if logits is None and not from_logits:
        logits = math.log(math.clip_by_value(y_pred, EPSILON, 1 - EPSILON))
    return nn.sparse_softmax_cross_entropy_with_logits(y_true, y_pred if logits is None else logits)


def same_shape(y_true, y_pred):
    if y_true.ndim != y_pred.ndim:
        raise ValueError(
            "Arguments `target` and `output` must have the same rank (ndim). "
            f"Received: target.shape={y_true.shape}, output.shape={y_pred.shape}"
        )
    if y_true.shape != y_pred.shape:
        raise ValueError(
            f"Arguments `target` and `output` must have the same shape. Received: target.shape={y_true.shape}, output.shape={y_pred.shape}"
        )


class Loss:
    """A loss that gives one number. Subclass it, and write `call(y_true, y_pred)`, which gives a loss for each example.

    Args:
        name: of the loss.
        reduction: "sum_over_batch_size" or "mean", "sum", or None to keep the losses of the examples.
        dtype: to compute in.
    """

    def __init__(self, name=None, reduction="sum_over_batch_size", dtype=None):
        allowed = ("sum_over_batch_size", "mean", "mean_with_sample_weight", "sum", "none", None)
        if reduction not in allowed:
            raise ValueError(f"Invalid value for argument `reduction`. Expected one of {set(allowed)}. Received: reduction={reduction}")
        self.name, self.reduction, self.dtype = name or type(self).__name__, reduction, dtypes.as_dtype(dtype or "float32").name

    def call(self, y_true, y_pred):
        """The loss of each example."""
        raise NotImplementedError

    def __call__(self, y_true, y_pred, sample_weight=None):
        losses = as_dtype(self.call(convert(y_true), self._cast(y_pred)), self.dtype)
        if sample_weight is not None:
            weights = as_dtype(sample_weight, losses.dtype)
            weights, losses = pair(weights, losses)
            losses = losses * weights
        if self.reduction in (None, "none") or not losses.ndim:
            return losses
        total = math.reduce_sum(losses)
        if self.reduction == "sum":
            return total
        if self.reduction == "mean_with_sample_weight" and sample_weight is not None:
            return math.divide_no_nan(total, math.reduce_sum(weights))
        return math.divide_no_nan(total, float(losses.shape.num_elements()))

    def _cast(self, y_pred):
        y_pred = convert(y_pred)
        return y_pred if y_pred.dtype == self.dtype else arrays.cast(y_pred, self.dtype)


def loss_class(name, function, squeezed):
    """The class of a function: its settings are given once, the reduction is added."""

    def __init__(self, reduction="sum_over_batch_size", name=function.__name__, dtype=None, **settings):
        Loss.__init__(self, name, reduction, dtype)
        self.settings = settings

    def call(self, y_true, y_pred):
        if squeezed:
            y_true, y_pred = pair(y_true, y_pred)
        return function(y_true, y_pred, **self.settings)

    doc = f"`{function.__name__}`, reduced to one number. Its settings and those of `Loss` are given by name."
    return type(name, (Loss,), {"__init__": __init__, "call": call, "__doc__": doc, "__module__": __name__})


MeanSquaredError = loss_class("MeanSquaredError", mean_squared_error, True)
MeanAbsoluteError = loss_class("MeanAbsoluteError", mean_absolute_error, True)
Huber = loss_class("Huber", huber, True)
BinaryCrossentropy = loss_class("BinaryCrossentropy", binary_crossentropy, True)
CategoricalCrossentropy = loss_class("CategoricalCrossentropy", categorical_crossentropy, True)
SparseCategoricalCrossentropy = loss_class("SparseCategoricalCrossentropy", sparse_categorical_crossentropy, False)
MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error

BY_NAME = {
    name: value
    for name, value in globals().items()
    if callable(value) and (name[0].isupper() or name.endswith(("error", "entropy")) or name in ("huber", "mse", "mae"))
}


def get(identifier):
    """The loss of this name; a function or a loss is returned as it is.

    Raises:
        ValueError: there is none of this name.
    """
    if identifier is None or callable(identifier):
        return identifier
    if identifier not in BY_NAME:
        raise ValueError(f"Could not interpret loss identifier: {identifier}")
    found = BY_NAME[identifier]
    return found() if isinstance(found, type) else found
