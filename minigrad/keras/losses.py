"""tf.keras.losses: functions that return one loss per example, and classes that reduce them to a scalar.

The functions take the true values and the predictions, both of shape (..., n), and return a Tensor of shape (...).
"""

from typing import Any

import numpy as np

from .. import linalg, math, nn
from ..engine import convert, dtypes
from ..errors import received
from ..math.elementwise import clip_by_value
from ..ops import creation, gathering, one_hot, shaping
from .activations import LOGITS, MASKS, as_dtype, as_float, sigmoid, softmax
from .utils import class_for, found, snake_case, unique_name

__all__ = ["KLD", "MAE", "MAPE", "MSE", "MSLE", "BinaryCrossentropy", "BinaryFocalCrossentropy",
           "CategoricalCrossentropy", "CategoricalFocalCrossentropy", "CategoricalGeneralizedCrossEntropy",
           "CategoricalHinge", "Circle", "CosineSimilarity", "Dice", "Hinge", "Huber", "KLDivergence", "LogCosh",
           "Loss", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
           "MeanSquaredLogarithmicError", "Poisson", "SparseCategoricalCrossentropy", "SquaredHinge", "Tversky",
           "binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy",
           "categorical_focal_crossentropy", "categorical_generalized_cross_entropy", "categorical_hinge", "circle",
           "cosine_similarity", "dice", "get", "hinge", "huber", "kld", "kullback_leibler_divergence", "logcosh",
           "mae", "mape", "mse", "msle", "poisson", "sparse_categorical_crossentropy", "squared_hinge",
           "tversky"]  # fmt: skip

EPSILON = 1e-7  # probabilities are clipped to [EPSILON, 1 - EPSILON]
LOG_2 = 0.6931471805599453


def aligned(y_true, y_pred):
    """Both as Tensors of the prediction's dtype. If one has an extra last axis of length 1, both get or lose it."""
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    if y_pred.ndim == y_true.ndim + 1 and y_pred.shape[-1] == 1:
        return (shaping.expand_dims(y_true, 1), y_pred) if y_true.ndim == 1 else (y_true, shaping.squeeze(y_pred, -1))
    if y_true.ndim == y_pred.ndim + 1 and y_true.shape[-1] == 1:
        return (y_true, shaping.expand_dims(y_pred, 1)) if y_pred.ndim == 1 else (shaping.squeeze(y_true, -1), y_pred)
    return y_true, y_pred


def in_dtype_of_prediction(y_true, y_pred):
    """Both as Tensors of the prediction's dtype."""
    y_pred = convert(y_pred)
    return as_dtype(y_true, y_pred.dtype), y_pred


def mean_squared_error(y_true, y_pred):
    """The mean of (y_true - y_pred)**2 over the last axis: (..., n) becomes (...).

    >>> import minigrad as mg
    >>> print(mg.keras.losses.mean_squared_error([[0.0, 1.0]], [[2.0, 1.0]]).numpy())
    [2.]
    """
    y_true, y_pred = aligned(y_true, y_pred)
    return math.reduce_mean(as_float(math.square(y_true - y_pred)), -1)


def mean_absolute_error(y_true, y_pred):
    """The mean of |y_true - y_pred| over the last axis: (..., n) becomes (...).

    >>> import minigrad as mg
    >>> print(mg.keras.losses.mean_absolute_error([[0.0, 1.0]], [[2.0, 1.0]]).numpy())
    [1.]
    """
    y_true, y_pred = aligned(y_true, y_pred)
    return math.reduce_mean(as_float(math.abs(y_true - y_pred)), -1)


def mean_absolute_percentage_error(y_true, y_pred):
    """100 times the mean of |y_true - y_pred| / |y_true| over the last axis: (..., n) becomes (...).

    >>> import minigrad as mg
    >>> print(mg.keras.losses.mean_absolute_percentage_error([[2.0, 4.0]], [[1.0, 4.0]]).numpy())
    [25.]
    """
    y_true, y_pred = aligned(y_true, y_pred)
    size = math.maximum(math.abs(y_true), as_dtype(EPSILON, y_true.dtype))
    return 100.0 * math.reduce_mean(math.abs((y_true - y_pred) / size), -1)


def mean_squared_logarithmic_error(y_true, y_pred):
    """The mean of (log(1 + y_true) - log(1 + y_pred))**2 over the last axis: (..., n) becomes (...).

    Negative numbers count as 0.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.mean_squared_logarithmic_error([[0.0, 3.0]], [[1.0, 3.0]]).numpy().round(4))
    [0.2402]
    """
    logs = [math.log(as_float(math.maximum(y, as_dtype(EPSILON, y.dtype))) + 1.0) for y in aligned(y_true, y_pred)]
    return math.reduce_mean(math.square(logs[1] - logs[0]), -1)


def log_cosh(y_true, y_pred):
    """The mean of log(cosh(y_pred - y_true)) over the last axis: (..., n) becomes (...).

    For a small error e it is about e**2 / 2, for a large one |e| - log(2).

    >>> import minigrad as mg
    >>> print(mg.keras.losses.logcosh([[0.0, 0.0]], [[1.0, 100.0]]).numpy().round(4))
    [49.8703]
    """
    y_true, y_pred = aligned(y_true, y_pred)
    error = y_pred - y_true
    return math.reduce_mean(error + math.softplus(-2.0 * error) - LOG_2, -1)


def hinge(y_true, y_pred):
    """The mean of max(1 - y_true * y_pred, 0) over the last axis: (..., n) becomes (...).

    The true values are -1 or 1; if all are 0 or 1, each 0 is taken as -1.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.hinge([[-1.0, 1.0]], [[0.5, 2.0]]).numpy())
    [0.75]
    """
    return math.reduce_mean(hinge_terms(y_true, y_pred), -1)


def squared_hinge(y_true, y_pred):
    """The mean of max(1 - y_true * y_pred, 0)**2 over the last axis: (..., n) becomes (...).

    The true values are -1 or 1; if all are 0 or 1, each 0 is taken as -1.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.squared_hinge([[-1.0, 1.0]], [[0.5, 2.0]]).numpy())
    [1.125]
    """
    return math.reduce_mean(math.square(hinge_terms(y_true, y_pred)), -1)


def hinge_terms(y_true, y_pred):
    """max(1 - y_true * y_pred, 0) for each element."""
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    if math.reduce_all(math.logical_or(math.equal(y_true, 0), math.equal(y_true, 1))):
        y_true = 2.0 * y_true - 1.0
    return math.maximum(1.0 - y_true * y_pred, 0.0)


def categorical_hinge(y_true, y_pred):
    """max(1 + largest prediction for a wrong class - prediction for the true class, 0): (..., classes) becomes (...).

    Args:
        y_true: one-hot rows.
        y_pred: one prediction for each class.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.categorical_hinge([[0.0, 1.0, 0.0]], [[0.5, 0.25, 0.0]]).numpy())
    [1.25]
    """
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    wrong = math.reduce_max((1.0 - y_true) * y_pred, -1)
    return math.maximum(wrong - math.reduce_sum(y_true * y_pred, -1) + 1.0, 0.0)


def kl_divergence(y_true, y_pred):
    """The Kullback-Leibler divergence sum(y_true * log(y_true / y_pred)) over the last axis: (..., n) becomes (...).

    Args:
        y_true, y_pred: probabilities, clipped to [1e-7, 1].

    >>> import minigrad as mg
    >>> print(mg.keras.losses.kld([[0.5, 0.5]], [[0.25, 0.75]]).numpy().round(4))
    [0.1438]
    """
    y_true, y_pred = [clip_by_value(y, EPSILON, 1.0) for y in in_dtype_of_prediction(y_true, y_pred)]
    return math.reduce_sum(y_true * math.log(y_true / y_pred), -1)


def poisson(y_true, y_pred):
    """The mean of y_pred - y_true * log(y_pred) over the last axis: (..., n) becomes (...).

    It is the negative log-likelihood of Poisson counts `y_true` with the means `y_pred`, without the term log(y_true!).

    >>> import minigrad as mg
    >>> print(mg.keras.losses.poisson([[1.0, 3.0]], [[2.0, 3.0]]).numpy().round(4))
    [0.5055]
    """
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    return math.reduce_mean(y_pred - y_true * math.log(y_pred + EPSILON), -1)


def cosine_similarity(y_true, y_pred, axis=-1):
    """Minus the cosine of the angle between two vectors: -1 if they point in the same direction.

    Args:
        y_true, y_pred: Tensors of the same shape.
        axis: the axis of the vectors, which the result lacks.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.cosine_similarity([[0.0, 2.0]], [[3.0, 4.0]]).numpy().round(4))
    [-0.8]
    """
    y_true, y_pred = aligned(y_true, y_pred)
    return -math.reduce_sum(nn.l2_normalize(y_true, axis) * nn.l2_normalize(y_pred, axis), axis)


def huber(y_true, y_pred, delta=1.0):
    """The mean of the Huber loss (Huber, 1964) over the last axis: (..., n) becomes (...).

    It is error**2 / 2 where |error| <= delta, elsewhere delta * |error| - delta**2 / 2.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.huber([[0.0, 0.0]], [[0.5, 3.0]]).numpy())
    [1.3125]
    """
    y_true, y_pred = aligned(y_true, y_pred)
    error = y_pred - y_true
    size = math.abs(error)
    half, delta = as_dtype(0.5, size.dtype), as_dtype(delta, size.dtype)  # for integers, half is 0, as in Keras
    parts = gathering.where(size <= delta, half * math.square(error), delta * size - half * delta * delta)
    return math.reduce_mean(as_float(parts), -1)


def smoothed(y_true, y_pred, from_logits, smoothing, classes):
    """The smoothed labels, the predictions, and the logits of the predictions, or None if they are unknown.

    Args:
        classes: a function of the labels: the number of classes that the smoothing is spread over.

    Raises:
        ValueError: the shapes differ.
    """
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    if smoothing:
        y_true = y_true * (1.0 - smoothing) + smoothing / classes(y_true)
    if y_true.shape != y_pred.shape:
        what = "rank (ndim)" if y_true.ndim != y_pred.ndim else "shape"
        given = {"target.shape": y_true.shape, "output.shape": y_pred.shape}
        raise received(f"Arguments `target` and `output` must have the same {what}.", **given)
    logits = LOGITS.of(y_pred)
    return y_true, y_pred, y_pred if logits is None and from_logits else logits


def number_of_classes(y):
    return as_dtype(y.shape[-1], y.dtype)


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """The mean of -(y_true * log(y_pred) + (1 - y_true) * log(1 - y_pred)) over `axis`.

    Args:
        y_true: the labels, 0 or 1.
        y_pred: probabilities of the label 1, or with `from_logits` their logits, in the shape of `y_true`.
        from_logits: whether the predictions are logits, the inputs of a sigmoid.
        label_smoothing: s replaces y_true by y_true * (1 - s) + s / 2 (Szegedy et al., 2016).
        axis: the axis to average over, which the result lacks.

    Raises:
        ValueError: the shapes differ.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.binary_crossentropy([[1.0, 0.0]], [[0.5, 0.5]]).numpy())
    [0.6931472]
    """
    y_true, y_pred, logits = smoothed(y_true, y_pred, from_logits, label_smoothing, lambda y: 2)
    if logits is not None:
        losses = nn.sigmoid_cross_entropy_with_logits(y_true, logits)
    else:
        p = clip_by_value(y_pred, EPSILON, 1.0 - EPSILON)
        losses = -(y_true * math.log(p) + (1 - y_true) * math.log(1 - p))
    return math.reduce_mean(losses, axis)


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """-sum(y_true * log(y_pred)) over the classes.

    Args:
        y_true: one-hot rows, or other distributions over the classes.
        y_pred: probabilities, or with `from_logits` their logits, in the shape of `y_true`.
        from_logits: whether the predictions are logits, the inputs of a softmax.
        label_smoothing: s replaces y_true by y_true * (1 - s) + s / y_true.shape[-1] (Szegedy et al., 2016).
        axis: the axis of the classes, which the result lacks.

    Raises:
        ValueError: the shapes differ.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy())
    [0.6931472]
    """
    y_true, y_pred, logits = smoothed(y_true, y_pred, from_logits, label_smoothing, number_of_classes)
    if logits is not None:
        return nn.softmax_cross_entropy_with_logits(y_true, logits, axis)
    p = y_pred / math.reduce_sum(y_pred, axis, True)
    return -math.reduce_sum(y_true * math.log(clip_by_value(p, EPSILON, 1.0 - EPSILON)), axis)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, ignore_class=None, axis=-1):
    """-log(y_pred[..., y_true]): `categorical_crossentropy` for integer class indices.

    Args:
        y_true: class indices, of shape (...) or (..., 1).
        y_pred: probabilities of shape (..., classes), or with `from_logits` their logits.
        from_logits: whether the predictions are logits, the inputs of a softmax.
        ignore_class: a class, not necessarily a valid index, for which the loss is 0. (The mean that a
            `SparseCategoricalCrossentropy` takes is that of the other examples.)
        axis: the axis of the classes; must be the last one.

    Returns:
        A Tensor of shape (...).

    Raises:
        ValueError: `axis` is not the last one, or the shapes do not match.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy())
    [0.6931472]
    """
    y_pred, y_true = convert(y_pred), as_dtype(y_true, dtypes.int64)
    if axis not in (-1, y_pred.ndim - 1):
        raise received("Only axis=-1 is currently supported.", axis=axis)
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = shaping.squeeze(y_true, -1)
    if y_true.shape != y_pred.shape[:-1]:
        problem = "Arguments `target` and `output` must have the same shape up until the last dimension:"
        raise ValueError(f"{problem} target.shape={y_true.shape}, output.shape={y_pred.shape}")
    if ignore_class is not None:
        return without_class(ignore_class, y_true, y_pred, from_logits)
    logits = LOGITS.of(y_pred)
    if logits is None:
        logits = y_pred if from_logits else math.log(clip_by_value(y_pred, EPSILON, 1 - EPSILON))
    return nn.sparse_softmax_cross_entropy_with_logits(y_true, logits)


def without_class(ignored, y_true, y_pred, from_logits):
    """`sparse_categorical_crossentropy`, but 0 where the class is `ignored`."""
    valid = math.not_equal(y_true, ignored)
    y_true = gathering.where(valid, y_true, creation.zeros_like(y_true))
    y_pred = gathering.where(shaping.expand_dims(valid, -1), y_pred, creation.zeros_like(y_pred))
    losses = sparse_categorical_crossentropy(y_true, y_pred, from_logits)
    return MASKS.add(gathering.where(valid, losses, creation.zeros_like(losses)), valid)


def masked_weights(mask, sample_weight, dtype, reduction):
    """The sample weights, 0 where the mask is False; for a mean, the others are scaled up to compensate."""
    weights = as_dtype(mask, dtype)
    if reduction in ("mean", "sum_over_batch_size"):
        weights = weights * math.divide_no_nan(mask.shape.num_elements(), math.reduce_sum(weights))
    if sample_weight is None:
        return weights
    sample_weight, weights = aligned(sample_weight, weights)
    return weights * sample_weight


def binary_focal_crossentropy(y_true, y_pred, apply_class_balancing=False, alpha=0.25, gamma=2.0, from_logits=False,
                              label_smoothing=0.0, axis=-1):  # fmt: skip
    """The mean of `binary_crossentropy`, times (1 - p)**gamma for the probability p of the true label, over `axis`.

    Well predicted examples count less (Lin et al., 2018).

    Args:
        y_true, y_pred, from_logits, label_smoothing, axis: those of `binary_crossentropy`.
        apply_class_balancing: whether to weight the label 1 by `alpha`, and the label 0 by 1 - alpha.
        alpha: the weight of the label 1.
        gamma: 0 is `binary_crossentropy`.

    Raises:
        ValueError: the shapes differ.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.binary_focal_crossentropy([[1.0, 0.0]], [[0.5, 0.5]]).numpy().round(4))
    [0.1733]
    """
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    p = sigmoid(y_pred) if from_logits else y_pred
    losses = binary_crossentropy(y_true, p, axis=[])
    losses = losses * math.pow(1.0 - (y_true * p + (1 - y_true) * (1 - p)), gamma)
    if apply_class_balancing:
        losses = losses * (y_true * alpha + (1 - y_true) * (1 - alpha))
    return math.reduce_mean(losses, axis)


def categorical_focal_crossentropy(y_true, y_pred, alpha=0.25, gamma=2.0, from_logits=False, label_smoothing=0.0,
                                   axis=-1):  # fmt: skip
    """-sum(y_true * alpha * (1 - y_pred)**gamma * log(y_pred)) over the classes (Lin et al., 2018).

    Args:
        y_true, y_pred, from_logits, label_smoothing, axis: those of `categorical_crossentropy`.
        alpha: a number, or one for each class.
        gamma: how much less well predicted classes count.

    Raises:
        ValueError: `axis` is a bool.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]], alpha=1.0).numpy().round(4))
    [0.1733]
    """
    if isinstance(axis, bool):
        raise ValueError(f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}")
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / number_of_classes(y_true)
    p = softmax(y_pred, axis) if from_logits else y_pred
    p = clip_by_value(p / math.reduce_sum(p, axis, True), EPSILON, 1.0 - EPSILON)
    return math.reduce_sum(math.pow(1.0 - p, gamma) * alpha * (-y_true * math.log(p)), axis)


def categorical_generalized_cross_entropy(y_true, y_pred, q):
    """(1 - p**q) / q for the probability p of the true class (Zhang and Sabuncu, 2018).

    Near q = 0 it is the crossentropy; near q = 1 the mean absolute error, which is more robust to wrong labels.

    Args:
        y_true: class indices, of shape (...) or (..., 1).
        y_pred: probabilities of shape (..., classes).
        q: a number between 0 and 1.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.categorical_generalized_cross_entropy([1], mg.constant([[0.75, 0.25]]), 0.5).numpy())
    [1.]
    """
    y_pred = convert(y_pred)
    p = math.reduce_sum(y_pred * one_hot(as_dtype(y_true, dtypes.int32), y_pred.shape[-1], dtype=y_pred.dtype), -1)
    return (1 - math.pow(p, q)) / q


def tversky(y_true, y_pred, alpha=0.5, beta=0.5, axis=None):
    """1 - common / (common + alpha * missed + beta * invented), with sums over `axis` (Salehi et al., 2017).

    Args:
        y_true, y_pred: masks, of the same shape.
        alpha: the weight of false negatives (true but not predicted).
        beta: the weight of false positives (predicted but not true).
        axis: the axes of a mask, which the result lacks; None for all.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.tversky([1.0, 1.0, 0.0], [1.0, 0.5, 0.5], alpha=1.0, beta=2.0).numpy().round(4))
    0.5
    """
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    common = math.reduce_sum(y_true * y_pred, axis)
    missed = math.reduce_sum((1 - y_pred) * y_true, axis)
    invented = math.reduce_sum(y_pred * (1 - y_true), axis)
    return 1 - common / (common + missed * alpha + invented * beta + EPSILON)


def dice(y_true, y_pred, axis=None):
    """1 - 2 * sum(y_true * y_pred) / (sum(y_true) + sum(y_pred)): 0 if two masks are the same.

    Args:
        y_true, y_pred: masks, of the same shape.
        axis: the axes of a mask, which the result lacks; None for all.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.dice([1.0, 1.0, 0.0], [1.0, 0.0, 0.0]).numpy().round(4))
    0.3333
    """
    y_true, y_pred = in_dtype_of_prediction(y_true, y_pred)
    common = math.reduce_sum(y_true * y_pred, axis)
    return 1 - 2.0 * common / (math.reduce_sum(y_true, axis) + math.reduce_sum(y_pred, axis) + EPSILON)


def circle(y_true, y_pred, ref_labels=None, ref_embeddings=None, remove_diagonal=True, gamma=80, margin=0.4):
    """The circle loss (Sun et al., 2020): vectors of one class should be close to each other and far from all others.

    Args:
        y_true: class indices, of shape (batch,).
        y_pred: vectors of norm 1, of shape (batch, n).
        ref_labels, ref_embeddings: the classes and vectors to compare with; by default the same ones.
        remove_diagonal: whether a vector is not compared with itself.
        gamma: the scale of the loss.
        margin: how close they should be, from 0 to 1.

    Returns:
        A Tensor of shape (batch,).

    >>> import minigrad as mg
    >>> vectors = mg.constant([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> print(mg.keras.losses.circle([0, 0, 1], vectors, gamma=1).numpy().round(4))
    [0.6163 0.9617 0.    ]
    """
    y_true = as_dtype(y_true, dtypes.int32)
    labels = y_true if ref_labels is None else as_dtype(ref_labels, dtypes.int32)
    vectors = y_pred if ref_embeddings is None else ref_embeddings
    distance = math.maximum(1 - linalg.matmul(y_pred, vectors, transpose_b=True), 0.0)
    same = math.equal(shaping.reshape(y_true, [-1, 1]), shaping.reshape(labels, [1, -1]))
    others = math.logical_not(same)
    if remove_diagonal:
        same = math.logical_and(same, math.logical_not(math.equal(linalg.eye(*same.shape), 1.0)))
    near = -gamma * math.maximum(margin + distance, 0.0) * (margin - distance)
    far = gamma * math.maximum(1 + margin - distance, 0.0) * (1 - margin - distance)
    near = math.reduce_logsumexp(gathering.where(same, near, -np.inf), 1)
    far = math.reduce_logsumexp(gathering.where(others, far, -np.inf), 1)
    losses = math.softplus(near + far)
    return MASKS.add(losses, losses > 0)


class Loss:
    """The base class: a subclass defines `call(y_true, y_pred)`, which returns one loss per example.

    Calling it with `y_true`, `y_pred` and an optional `sample_weight`, which broadcasts to the shape of the losses,
    returns the reduced loss.

    Args:
        name: by default the name of the class in snake_case, numbered.
        reduction: "sum_over_batch_size" or "mean" (the sum divided by the number of losses), "mean_with_sample_weight"
            (divided by the sum of the weights), "sum", or None for one loss per example.
        dtype: the dtype to compute in; float32 by default.

    Raises:
        ValueError: there is no such reduction.

    >>> import minigrad as mg
    >>> class Largest(mg.keras.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return mg.reduce_max(mg.abs(y_true - y_pred), -1)
    >>> print(Largest()([[0.0, 1.0], [0.0, 0.0]], [[2.0, 1.0], [0.0, 4.0]]).numpy())
    3.0
    """

    def __init__(self, name=None, reduction="sum_over_batch_size", dtype=None):
        allowed = ("sum_over_batch_size", "mean", "mean_with_sample_weight", "sum", "none", None)
        if reduction not in allowed:
            problem = f"Invalid value for argument `reduction`. Expected one of {allowed}."
            raise received(problem, reduction=reduction)
        self.name = name or unique_name(snake_case(type(self).__name__))
        self.reduction, self.dtype = reduction, dtypes.as_dtype(dtype or "float32").name

    def call(self, y_true, y_pred):
        """The losses, one per example."""
        raise NotImplementedError

    def __call__(self, y_true, y_pred, sample_weight=None):
        found = self.call(as_dtype(y_true, self.dtype), as_dtype(y_pred, self.dtype))
        losses = as_dtype(found, self.dtype)
        for mask in (MASKS.of(y_pred), MASKS.of(found)):
            if mask is not None:
                sample_weight = masked_weights(mask, sample_weight, self.dtype, self.reduction)
        if sample_weight is not None:
            weights, losses = aligned(sample_weight, losses)
            losses = losses * weights
        if self.reduction in (None, "none") or losses.shape in ((), (0,)):  # Keras does not reduce an empty batch
            return losses
        total = math.reduce_sum(losses)
        if self.reduction == "sum":
            return total
        if self.reduction == "mean_with_sample_weight" and sample_weight is not None:
            return math.divide_no_nan(total, math.reduce_sum(weights))
        return math.divide_no_nan(total, float(losses.shape.num_elements()))


def structure_of(x):
    """The lists and tuples in x, with None in place of everything else."""
    return type(x)([structure_of(one) for one in x]) if isinstance(x, (list, tuple)) else None


BY_NAME: dict[str, Any] = {"Loss": Loss}  # for `get`: losses and their functions


class LossFunctionWrapper(Loss):
    """A function of the true values and the predictions as a loss, reduced to a scalar.

    Args:
        fn: returns one loss per example.
        reduction, name, dtype: those of `Loss`.
        **kwargs: further arguments of the function.

    >>> import minigrad as mg
    >>> largest = mg.keras.losses.LossFunctionWrapper(lambda y, guess: mg.reduce_max(mg.abs(y - guess), -1))
    >>> print(largest(mg.constant([[0.0, 1.0], [0.0, 0.0]]), mg.constant([[2.0, 1.0], [0.0, 4.0]])).numpy())
    3.0
    """

    def __init__(self, fn, reduction="sum_over_batch_size", name=None, dtype=None, **kwargs):
        super().__init__(name, reduction, dtype)
        self.function, self.settings = fn, kwargs

    def __call__(self, y_true, y_pred, sample_weight=None):
        if structure_of(y_true) != structure_of(y_pred):
            kinds = f"y_true is a {type(y_true).__name__}, y_pred a {type(y_pred).__name__}"
            advice = "and lists are compared item by item. Write mg.constant(...) for each list."
            raise ValueError(f"Structures don't have the same nested structure: {kinds}, {advice}")
        return super().__call__(y_true, y_pred, sample_weight)

    def call(self, y_true, y_pred):
        return self.function(*aligned(y_true, y_pred), **self.settings)


# ---- the class of each function ------------------------------------------------------------------------------------

DOC = """`mg.keras.losses.{function}`, reduced to a scalar.

    The arguments are the settings of this function, and those of `Loss`.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.{name}{example}.numpy().round(4))
    {answer}
    """


def loss_class(class_name, function, example, answer, order="* reduction name dtype", **defaults):
    """Make the class of a loss from its function.

    Args:
        class_name: its name; that of its objects is by default the name of the function.
        function: returns one loss per example.
        example, answer: what to write behind the name of the class, and what it prints.
        order: the parameters of the class; * stands for the settings of the function.
        **defaults: those that are not the defaults of the function and of `Loss`.
    """
    defaults = {"name": function.__name__, "reduction": "sum_over_batch_size", "dtype": None, **defaults}
    made = class_for(LossFunctionWrapper, class_name, function, order, defaults)
    made.__doc__ = DOC.format(function=function.__name__, name=class_name, example=example, answer=answer)
    BY_NAME.update({class_name: made, function.__name__: function})
    return made


FOUR = "([[0.0, 1.0], [0.0, 0.0]], [[2.0, 1.0], [0.0, 2.0]])"
CHANCES = "([[0.0, 1.0]], [[0.5, 0.5]])"
OF_CLASS = "(mg.constant([1]), mg.constant([[0.75, 0.25]]))"
MASKED = "([[1.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])"
VECTORS = "(mg.constant([0, 0, 1]), mg.constant([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]))"

# fmt: off
MeanSquaredError = loss_class("MeanSquaredError", mean_squared_error, f"(){FOUR}", 2.0)
MeanAbsoluteError = loss_class("MeanAbsoluteError", mean_absolute_error, f'("sum"){FOUR}', 2.0)
MeanAbsolutePercentageError = loss_class(
    "MeanAbsolutePercentageError", mean_absolute_percentage_error, "()([[2.0, 4.0]], [[1.0, 4.0]])", 25.0)
MeanSquaredLogarithmicError = loss_class(
    "MeanSquaredLogarithmicError", mean_squared_logarithmic_error, "()([[0.0, 3.0]], [[1.0, 3.0]])", 0.2402)
LogCosh = loss_class("LogCosh", log_cosh, "()([[0.0, 0.0], [1.0, 1.0]], [[1.0, 100.0], [1.0, 1.0]])", 24.9352)
Hinge = loss_class("Hinge", hinge, "()([[-1.0, 1.0], [1.0, 1.0]], [[0.5, 2.0], [1.0, 1.0]])", 0.375)
SquaredHinge = loss_class("SquaredHinge", squared_hinge, "()([[-1.0, 1.0]], [[0.5, 2.0]])", 1.125)
CategoricalHinge = loss_class("CategoricalHinge", categorical_hinge, "()([[0.0, 1.0, 0.0]], [[0.5, 0.25, 0.0]])", 1.25)
KLDivergence = loss_class("KLDivergence", kl_divergence, "()([[0.5, 0.5]], [[0.25, 0.75]])", 0.1438)
Poisson = loss_class("Poisson", poisson, "()([[1.0, 3.0]], [[2.0, 3.0]])", 0.5055)
CosineSimilarity = loss_class("CosineSimilarity", cosine_similarity, "()([[0.0, 2.0]], [[3.0, 4.0]])", -0.8)
Huber = loss_class("Huber", huber, "(delta=2.0)([[0.0, 0.0]], [[0.5, 3.0]])", 2.0625, name="huber_loss")
BinaryCrossentropy = loss_class("BinaryCrossentropy", binary_crossentropy, f"(){CHANCES}", 0.6931)
CategoricalCrossentropy = loss_class("CategoricalCrossentropy", categorical_crossentropy, f"(){CHANCES}", 0.6931)
SparseCategoricalCrossentropy = loss_class(
    "SparseCategoricalCrossentropy", sparse_categorical_crossentropy, f"(){OF_CLASS}", 1.3863,
    order="from_logits ignore_class reduction axis name dtype")
BinaryFocalCrossentropy = loss_class(
    "BinaryFocalCrossentropy", binary_focal_crossentropy, f"(gamma=1.0){CHANCES}", 0.3466)
CategoricalFocalCrossentropy = loss_class(
    "CategoricalFocalCrossentropy", categorical_focal_crossentropy, f"(alpha=1.0){CHANCES}", 0.1733)
Dice = loss_class("Dice", dice, f"(){MASKED}", 0.3333, order="reduction name axis dtype")
Tversky = loss_class("Tversky", tversky, f"(){MASKED}", 0.3333, order="alpha beta reduction name axis dtype")
Circle = loss_class(
    "Circle", circle, f"(gamma=1.0){VECTORS}", 0.789, order="gamma margin remove_diagonal reduction name dtype")
# fmt: on


class CategoricalGeneralizedCrossEntropy(LossFunctionWrapper):
    """`mg.keras.losses.categorical_generalized_cross_entropy` with this `q`, reduced to a scalar.

    The other arguments are those of `Loss`.

    Raises:
        ValueError: `q` is not between 0 and 1.

    >>> import minigrad as mg
    >>> loss = mg.keras.losses.CategoricalGeneralizedCrossEntropy(q=0.5)
    >>> print(loss(mg.constant([1]), mg.constant([[0.75, 0.25]])).numpy())
    1.0
    """

    def __init__(self, q=0.5, reduction="sum_over_batch_size", name="categorical_generalized_cross_entropy",
                 dtype=None):  # fmt: skip
        if not 0 < q < 1:
            raise ValueError("q must be in the interval (0, 1)")
        super().__init__(categorical_generalized_cross_entropy, reduction, name, dtype, q=q)


for one in (CategoricalGeneralizedCrossEntropy, categorical_generalized_cross_entropy):
    BY_NAME[one.__name__] = one

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh

SHORT_NAMES = {"mse": mse, "mae": mae, "mape": mape, "msle": msle, "kld": kld, "bce": binary_crossentropy}
BY_NAME |= SHORT_NAMES | {name.upper(): one for name, one in SHORT_NAMES.items()}


def get(identifier):
    """The loss of a name, a class, or a dict {"class_name": name, "config": settings}; others are returned.

    >>> import minigrad as mg
    >>> print(mg.keras.losses.get("mse")([[0.0, 1.0]], [[2.0, 1.0]]).numpy(), mg.keras.losses.get("Huber").name)
    [2.] huber_loss
    """
    return found(identifier, "loss", BY_NAME)
