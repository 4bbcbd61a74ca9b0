"""tf.nn: activations, losses, normalization, embeddings, dropout; convolution and pooling are loaded on first use."""

import numbers

import numpy as np

from . import errors, later, math, random
from .engine import Tensor, accepts_sparse, bracketed, invalid, not_among, op, tell_help, tidy
from .errors import received, visible
from .math.elementwise import sigmoid, softplus, softsign, tanh
from .math.normalizing import clip_by_norm, l2_normalize, log_softmax, softmax
from .math.reductions import in_top_k, top_k, zero_fraction
from .ops import convert_to_tensor, creation, gathering, shaping
from .random.streams import pair_for

__all__ = ["batch_normalization", "bias_add", "crelu", "dropout", "elu", "embedding_lookup", "gelu", "in_top_k",
           "l2_loss", "l2_normalize", "leaky_relu", "log_poisson_loss", "log_softmax", "moments", "normalize_moments",
           "relu", "relu6", "selu", "sigmoid", "sigmoid_cross_entropy_with_logits", "silu", "softmax",
           "softmax_cross_entropy_with_logits", "softplus", "softsign", "sparse_softmax_cross_entropy_with_logits",
           "sufficient_statistics", "swish", "tanh", "top_k", "weighted_cross_entropy_with_logits", "weighted_moments",
           "zero_fraction"]  # fmt: skip
LATER = {  # what is loaded when it is first used
    "convolution": ["conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose",
                    "convolution", "depthwise_conv2d", "separable_conv2d"],
    "pooling": ["avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool", "max_pool1d", "max_pool2d",
                "max_pool3d"],
}  # fmt: skip
__getattr__ = later.loads(__name__, LATER)
__all__ += [name for names in LATER.values() for name in names]
__dir__ = __all__.copy  # what Tab offers

REAL = "iuf"


# ---- activations ---------------------------------------------------------------------------------------------------


@op("Mul", "f", ddy=lambda dz, slope: dz * slope, dx=lambda dz: np.zeros_like(dz))
def stepped(dy, x, slope: np.ndarray):
    """`dy * slope`, where the slope is a step function of x. The gradient of x is 0 (it is not None).

    >>> import minigrad as mg
    >>> x = mg.constant([-1.0, 2.0])
    >>> print(mg.nn.stepped([3.0, 4.0], x, (x > 0.0).numpy()).numpy())
    [0. 4.]
    """
    return dy * slope


@op("Relu", REAL, dfeatures=lambda dy, y: dy * (y > 0) if y.__class__ is np.ndarray else stepped.np(dy, y, y > 0))
def relu(features):
    """Rectified linear unit (ReLU): max(features, 0), element by element. The derivative at 0 is taken as 0.

    >>> import minigrad as mg
    >>> print(mg.nn.relu([-1.0, 2.0]).numpy())
    [0. 2.]
    """
    return np.maximum(features, 0)


@op("Relu6", REAL, dfeatures=lambda dy, y: stepped.np(dy, y, (y > 0) * (y < 6)))
def relu6(features):
    """ReLU up to 6: min(max(features, 0), 6), element by element. The derivatives at 0 and 6 are taken as 0.

    >>> import minigrad as mg
    >>> print(mg.nn.relu6([-1.0, 2.0, 7.0]).numpy())
    [0. 2. 6.]
    """
    return np.minimum(np.maximum(features, 0), 6)


def slope(x, alpha):
    """The derivative of `leaky_relu`: 1 where x is positive, elsewhere alpha, which TensorFlow keeps in float32."""
    return np.where(np.asarray(x) > 0, 1, x.dtype.type(np.float32(alpha)))


@op("LeakyRelu", REAL, dfeatures=lambda dy, features, alpha: stepped.np(dy, features, slope(features, alpha)),
    math="upstream * ([features > 0] + alpha * [features <= 0])")  # fmt: skip
def leaky_relu(features, alpha=0.2):
    """Leaky ReLU: features where positive, elsewhere `alpha * features`. The derivative at 0 is alpha.

    Args:
        features: of any float dtype; integers become float32.
        alpha: a Python number.

    Raises:
        TypeError: `alpha` is a Tensor or a string.

    >>> import minigrad as mg
    >>> print(mg.nn.leaky_relu([-1.0, 2.0], alpha=0.1).numpy())
    [-0.1  2. ]
    """
    if creation.is_tensor(alpha) or isinstance(alpha, str):
        raise TypeError(f"Expected float for argument 'alpha' not {alpha!r}.")
    if features.dtype.kind != "f":
        features = features.astype(np.float32)
    return features * slope(features, alpha)


@op("Elu", "f", dfeatures=lambda dy, y: dy * (np.where(y < 0, y, 0) + 1))
def elu(features):
    """Exponential linear unit (ELU): features where positive, elsewhere exp(features) - 1.

    The derivative at 0 is 1.

    >>> import minigrad as mg
    >>> print(mg.nn.elu([-1.0, 2.0]).numpy().round(3))
    [-0.632  2.   ]
    """
    return np.where(features < 0, np.expm1(features), features)


SELU_SCALE = 1.0507009873554805
SELU_SCALE_ALPHA = SELU_SCALE * 1.6732632423543772


@op("Selu", "f", dfeatures=lambda dy, y: dy * np.where(y < 0, y + SELU_SCALE_ALPHA, SELU_SCALE),
    math="upstream * (SELU_SCALE * [y >= 0] + (y + SELU_SCALE_ALPHA) * [y < 0])")  # fmt: skip
def selu(features):
    """Scaled exponential linear unit (SELU): an `elu`, scaled so that it keeps the mean at 0 and the variance at 1.

    Klambauer et al., "Self-Normalizing Neural Networks" (2017).

    >>> import minigrad as mg
    >>> print(mg.nn.selu([-1.0, 2.0]).numpy().round(3))
    [-1.111  2.101]
    """
    return np.where(features < 0, SELU_SCALE_ALPHA * np.expm1(features), SELU_SCALE * features)


def crelu(features, axis=-1, name=None) -> Tensor:
    """Concatenated ReLU: `relu(features)` and `relu(-features)`, concatenated along `axis`.

    >>> import minigrad as mg
    >>> print(mg.nn.crelu([-1.0, 2.0]).numpy())
    [0. 2. 1. 0.]
    """
    features = convert_to_tensor(features)
    return relu(shaping.concat([features, -features], axis))


def gelu(features, approximate=False, name=None) -> Tensor:
    """Gaussian error linear unit (GELU), a smooth ReLU: features * P(X <= features) for a standard normal X.

    Hendrycks and Gimpel, "Gaussian Error Linear Units (GELUs)" (2016). In float64 it has the precision of float32, as
    in TensorFlow, which keeps a constant in float32.

    Args:
        features: of a float dtype.
        approximate: use the approximation by `tanh`.

    Raises:
        ValueError: the dtype is not float.

    >>> import minigrad as mg
    >>> print(mg.nn.gelu([-1.0, 2.0]).numpy().round(3), mg.nn.gelu([-1.0, 2.0], approximate=True).numpy().round(3))
    [-0.159  1.954] [-0.159  1.955]
    """
    features = convert_to_tensor(features)
    if features.value.dtype.kind != "f":
        raise ValueError(f"`features.dtype` must be a floating point tensor.Received:features.dtype={features.dtype!s}")
    if approximate:
        cubic = float(np.float32(0.044715)) * (features * features * features)
        return 0.5 * features * (1.0 + tanh(0.7978845608028654 * (features + cubic)))  # sqrt(2 / pi)
    return 0.5 * features * math.erfc(-features * float(np.float32(0.7071067811865476)))  # 1 / sqrt(2)


def silu(features, beta=1.0) -> Tensor:
    """Sigmoid linear unit (SiLU), also called swish: features * sigmoid(beta * features).

    Ramachandran et al., "Searching for Activation Functions" (2017).

    >>> import minigrad as mg
    >>> print(mg.nn.silu([-1.0, 2.0]).numpy().round(3))
    [-0.269  1.762]
    """
    features = convert_to_tensor(features)
    return features * sigmoid(creation.cast(beta, features.dtype) * features)


swish = silu


# ---- losses --------------------------------------------------------------------------------------------------------


@op("SparseSoftmaxCrossEntropyWithLogits", "f", dlabels=None,
    p=lambda labels, logits: softmax(logits) - one_hot_like(labels.value, logits.value),
    dlogits=lambda dloss, p: dloss.reshape((*dloss.shape, 1)) * p,
    math="upstream * (softmax(logits) - one_hot(labels))")  # fmt: skip
def sparse_softmax_cross_entropy_with_logits(labels, logits):
    """Softmax cross-entropy with integer labels: -log(softmax(logits)) at the label.

    Args:
        labels: integers from 0 to classes - 1, shape `(...)`.
        logits: shape `(..., classes)`.

    Returns:
        Shape `(...)`.

    Raises:
        ValueError: the shapes do not fit.
        InvalidArgumentError: a label is out of range.

    >>> import minigrad as mg
    >>> loss = mg.nn.sparse_softmax_cross_entropy_with_logits([1, 0], [[0.5, 0.25, 1.0], [2.0, 1.0, 0.0]])
    >>> print(loss.numpy().round(3))
    [1.482 0.408]
    """
    if logits.ndim != 2 or labels.shape != logits.shape[:1] or logits.dtype.char == "e":
        return loss_of_rows(labels, logits)
    if not logits.flags.c_contiguous:
        logits = logits.copy()  # else the rows of p would be those of a copy
    if labels.dtype.char not in INDICES or not logits.shape[1]:
        raise unusable(labels, logits)
    try:
        at = np.ravel_multi_index((np.arange(len(labels)), labels), logits.shape)  # raises for a label out of range
    except ValueError:
        raise unusable(labels, logits) from None
    z = logits - np.maximum.reduce(logits, 1, None, None, True)
    right = z.take(at)
    p = np.exp(z, z)
    total = np.add.reduce(p, 1, None, None, True)
    p /= total
    p.reshape(-1)[at] -= 1
    return np.log(total.reshape(-1)) - right, p


INDICES = "ilq"  # int32 and int64, as NumPy's letters


def loss_of_rows(labels, logits):
    """The same for logits of other ranks, and for float16, which is computed in float32."""
    if labels.shape != logits.shape[:-1] or not logits.ndim:
        raise errors.by_python(unlike(labels, logits))
    dtype = np.float32 if logits.dtype.char == "e" else logits.dtype
    rows = logits.reshape((labels.size, logits.shape[-1])).astype(dtype)
    loss, p = sparse_softmax_cross_entropy_with_logits.__wrapped__(labels.reshape(-1), rows)
    return loss.reshape(labels.shape).astype(logits.dtype)[()], p.reshape(logits.shape).astype(logits.dtype)


def unusable(labels, logits):
    """The error for labels of an unsupported dtype, or out of range."""
    count = logits.shape[1]
    if labels.dtype.char not in INDICES:
        return invalid(not_among("Tlabels", labels.dtype, "int32, int64"))
    if not count:
        return invalid(f"Must have at least one class, but got logits shape {bracketed(logits.shape)}")
    wrong, given = labels[(labels < 0) | (labels >= count)][0], " ".join(map(str, labels))
    problem = f"Received a label value of {wrong} which is outside the valid range of [0, {count})."
    return invalid(f"{problem}  Label values: {given}")


def unlike(labels, logits):
    """The error for labels whose shape does not fit that of the logits."""
    if not logits.ndim:
        return ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    shapes = f"labels.shape={labels.shape}", f"logits.shape={logits.shape}"
    if labels.ndim != logits.ndim - 1:
        ranks = f"{shapes[0]} of rank {labels.ndim} and {shapes[1]} of rank {logits.ndim}"
        return ValueError(f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: {ranks}")
    problem = "`labels.shape` must equal `logits.shape` except for the last dimension."
    return ValueError(f"{problem} Received: {shapes[0]} and {shapes[1]}")


def one_hot_like(labels, like):
    """One-hot labels, in the dtype of `like`, whose last axis is that of the classes."""
    return (np.arange(like.shape[-1]) == labels[..., None]).astype(like.dtype)


def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None) -> Tensor:
    """Softmax cross-entropy with label probabilities: -sum(labels * log(softmax(logits))) along an axis.

    Args:
        labels: probabilities, which sum to 1 along `axis`. For other numbers the gradient is still softmax(logits) -
            labels, as in TensorFlow, which is not the derivative.
        logits: in the shape of the labels, or one that broadcasts with it.
        axis: the axis of the classes, which is removed.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import minigrad as mg
    >>> print(mg.nn.softmax_cross_entropy_with_logits([[0.25, 0.75]], [[0.5, 0.25]]).numpy().round(3))
    [0.763]
    """
    logits = convert_to_tensor(logits)
    return cross_entropy(logits, creation.cast(labels, logits.dtype), axis)


def cross_entropy_labels_grad(dloss, logits, axis):
    """VJP of the cross-entropy with respect to the labels."""
    return -dloss.reshape(opened(dloss.shape, axis)) * log_softmax.np(logits, axis)


def opened(shape, axis):
    """A shape with an axis of length 1 where a reduction removed an axis."""
    axis %= len(shape) + 1
    return (*shape[:axis], 1, *shape[axis:])


@op("SoftmaxCrossEntropyWithLogits", "f", axis=tidy.integer,
    p=lambda logits, labels, axis: softmax(logits, axis) - labels,
    dlogits=lambda dloss, p, axis: dloss.reshape(opened(dloss.shape, axis)) * p, dlabels=cross_entropy_labels_grad,
    math={"logits": "upstream * (softmax(logits) - labels)", "labels": "-upstream * log_softmax(logits)"})  # fmt: skip
def cross_entropy(logits, labels, axis=-1):
    """Op behind `mg.nn.softmax_cross_entropy_with_logits`. Its by-product is softmax(logits) - labels.

    >>> import minigrad as mg
    >>> loss = mg.nn.softmax_cross_entropy_with_logits([[0.25, 0.0], [0.75, 1.0]], [[0.5, 2.0], [0.25, 1.0]], axis=0)
    >>> print(loss.numpy().round(3))
    [0.763 1.313]
    """
    if logits.dtype == np.float16:
        loss, p = cross_entropy.__wrapped__(logits.astype(np.float32), labels.astype(np.float32), axis)
        return loss.astype(np.float16), p.astype(np.float16)
    if logits.shape != labels.shape:
        logits, labels = broadcast(logits, labels)
    if not logits.ndim:
        raise invalid("Expected begin[0] == 0 (got -1) and size[0] == 0 (got 1) when input.dim_size(0) == 0", "Slice")
    z = logits - np.maximum.reduce(logits, axis, keepdims=True, initial=-np.inf)
    e = np.exp(z)
    total = np.add.reduce(e, axis, keepdims=True)
    return np.add.reduce(labels * (np.log(total) - z), axis), e / total - labels


def broadcast(logits, labels):
    """Broadcast both to one shape. Raise InvalidArgumentError if that is impossible."""
    try:
        return np.broadcast_arrays(logits, labels)
    except ValueError:
        shapes = f"logits_size={bracketed(logits.shape)} labels_size={bracketed(labels.shape)}"
        raise invalid(f"logits and labels must be broadcastable: {shapes}") from None


def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None) -> Tensor:
    """Binary cross-entropy of sigmoid(logits) with the labels, element by element. Large logits do not overflow.

    Args:
        labels: probabilities, from 0 to 1.
        logits: of the same shape and dtype.

    Raises:
        ValueError: the shapes differ, or one of them is None.

    >>> import minigrad as mg
    >>> print(mg.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], [0.5, 100.0]).numpy().round(3))
    [  0.474 100.   ]
    """
    if labels is None or logits is None:
        problem = "Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logitsReceived:"
        raise ValueError(f"{problem} labels={visible(labels)} and logits={visible(logits)}")
    labels, logits = same_shape(labels, logits)
    return logistic_loss(logits, labels)


def same_shape(labels, logits, names="`logits` and `labels`"):
    """The labels and the logits as Tensors. Raise ValueError if their shapes differ."""
    labels = labels if labels.__class__ is Tensor else convert_to_tensor(labels)
    logits = logits if logits.__class__ is Tensor else convert_to_tensor(logits)
    if labels.value.shape != logits.value.shape:
        raise ValueError(f"{names} must have the same shape, received ({logits.shape} vs {labels.shape}).")
    return labels, logits


@op("Mul", "fc", dlogits=lambda dz, logits, labels: dz * (sigmoid.np(logits) - labels),
    dlabels=lambda dz, logits: -dz * logits)  # fmt: skip
def logistic_loss(logits, labels):
    """Op behind `mg.nn.sigmoid_cross_entropy_with_logits`.

    >>> import minigrad as mg
    >>> print(mg.nn.sigmoid_cross_entropy_with_logits([0.25, 1.0], [0.5, -3.0]).numpy().round(3))
    [0.849 3.049]
    """
    return np.maximum(logits, 0) - logits * labels + np.log1p(np.exp(-np.abs(logits)))


def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None) -> Tensor:
    """Like `sigmoid_cross_entropy_with_logits`, with the loss of positive labels multiplied by `pos_weight`.

    Args:
        labels: probabilities, from 0 to 1.
        logits: of the same shape and dtype.
        pos_weight: above 1 it favours recall (fewer missed positives), below 1 precision (fewer false positives).

    Raises:
        ValueError: the shapes differ.

    >>> import minigrad as mg
    >>> print(mg.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.5, 2.0], 3.0).numpy().round(3))
    [1.422 2.127]
    """
    labels, logits = same_shape(labels, logits)
    weight = 1 + (pos_weight - 1) * labels
    return (1 - labels) * logits + weight * (math.log1p(math.exp(-math.abs(logits))) + relu(-logits))


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None) -> Tensor:
    """Negative log-likelihood of counts with a Poisson distribution: exp(log_input) - log_input * targets.

    The term log(targets!), which does not depend on `log_input`, is left out.

    Args:
        targets: the counts.
        log_input: the logarithm of the mean, of the same shape and dtype.
        compute_full_loss: add log(targets!), by Stirling's approximation, where targets are above 1.

    Raises:
        ValueError: the shapes differ.

    >>> import minigrad as mg
    >>> print(mg.nn.log_poisson_loss([1.0, 2.0], [0.5, 1.0]).numpy().round(3))
    [1.149 0.718]
    """
    targets, log_input = same_shape(targets, log_input, "`log_input` and `targets`")
    loss = math.exp(log_input) - log_input * targets
    if not compute_full_loss:
        return loss
    stirling = targets * math.log(targets) - targets + 0.5 * math.log(2 * np.pi * targets)
    small = (targets.value >= 0) & (targets.value <= 1)
    return loss + gathering.where(small, creation.zeros_like(targets), stirling)


@op("L2Loss", "f", dt=lambda dy, t: dy * t)
def l2_loss(t):
    """Half the squared L2 norm: sum(t * t) / 2, a scalar.

    >>> import minigrad as mg
    >>> print(mg.nn.l2_loss([1.0, 3.0]).numpy())
    5.0
    """
    return np.add.reduce(t * t, axis=None) / 2


# ---- normalization -------------------------------------------------------------------------------------------------


def moments(x, axes, shift=None, keepdims=False, name=None) -> tuple:
    """Mean and variance along axes. (float16 is computed in float32.)

    Args:
        x: of any shape.
        axes: a list of axes.
        shift: accepted as in TensorFlow, without effect.
        keepdims: keep the reduced axes, with length 1; otherwise they are removed.

    Returns:
        `(mean, variance)`.

    >>> import minigrad as mg
    >>> print([y.numpy().round(3) for y in mg.nn.moments(mg.constant([1.0, 2.0, 6.0]), [0])])
    [np.float32(3.0), np.float32(4.667)]
    """
    x = convert_to_tensor(x)
    y = creation.cast(x, np.float32) if x.value.dtype == np.float16 else x
    mean = math.reduce_mean(y, axes, True)
    variance = math.reduce_mean(math.squared_difference(y, creation.stop_gradient(mean)), axes, True)
    return as_asked(mean, axes, keepdims, x.value.dtype), as_asked(variance, axes, keepdims, x.value.dtype)


def as_asked(moment, axes, keepdims, dtype):
    """A moment in this dtype, without the reduced axes of length 1 unless `keepdims` is set."""
    if not keepdims:
        gone = range(moment.ndim) if axes is None else [k % moment.ndim for k in np.atleast_1d(axes)]
        moment = shaping.reshape(moment, tuple([n for k, n in enumerate(moment.value.shape) if k not in gone]))
    return moment if moment.value.dtype == dtype else creation.cast(moment, dtype)


def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None) -> tuple:
    """Weighted mean and variance along axes: each element counts as often as its weight says.

    Args:
        x: of any shape.
        axes: a list of axes.
        frequency_weights: of a shape that broadcasts with that of x.
        keepdims: keep the reduced axes, with length 1; otherwise they are removed.

    Returns:
        `(mean, variance)`.

    >>> import minigrad as mg
    >>> print([y.numpy().round(3) for y in mg.nn.weighted_moments([1.0, 2.0, 6.0], [0], [1.0, 1.0, 2.0])])
    [np.float32(3.75), np.float32(5.188)]
    """
    x = convert_to_tensor(x)
    y = creation.cast(x, np.float32) if x.value.dtype == np.float16 else x
    weights = creation.cast(frequency_weights, y.dtype)
    total = math.reduce_sum(creation.zeros_like(y) + weights, axes, True)
    mean = math.divide_no_nan(math.reduce_sum(weights * y, axes, True), total)
    variance = math.divide_no_nan(math.reduce_sum(weights * math.squared_difference(y, mean), axes, True), total)
    return as_asked(mean, axes, keepdims, x.value.dtype), as_asked(variance, axes, keepdims, x.value.dtype)


def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None) -> tuple:
    """Sufficient statistics of the mean and the variance, for `normalize_moments`.

    Args:
        x: of any shape.
        axes: a list of axes.
        shift: a number near the mean, which is subtracted from x first; None for none.
        keepdims: keep the reduced axes, with length 1; otherwise they are removed.

    Returns:
        `(count, sum, sum of squares, shift)`.

    >>> import minigrad as mg
    >>> print([y.numpy().round(3) for y in mg.nn.sufficient_statistics([1.0, 2.0, 6.0], [0])[:3]])
    [np.float32(3.0), np.float32(9.0), np.float32(41.0)]
    """
    x = convert_to_tensor(x)
    count = Tensor.of(x.value.dtype.type(np.prod([x.value.shape[k] for k in set(axes)])))
    if shift is None:
        first, second = x, x * x
    else:
        shift = creation.convert_to_tensor(shift, x.dtype)
        first, second = x - shift, math.squared_difference(x, shift)
    return count, math.reduce_sum(first, axes, keepdims), math.reduce_sum(second, axes, keepdims), shift


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None) -> tuple:
    """Mean and variance from the results of `sufficient_statistics`.

    Args:
        counts, mean_ss, variance_ss, shift: the count, the sum, the sum of squares, and the shift or None.

    Returns:
        `(mean, variance)`.

    >>> import minigrad as mg
    >>> print([y.numpy().round(3) for y in mg.nn.normalize_moments(*mg.nn.sufficient_statistics([1.0, 3.0], [0]))])
    [np.float32(2.0), np.float32(1.0)]
    """
    share = 1.0 / convert_to_tensor(counts)
    shifted = mean_ss * share
    return shifted if shift is None else shifted + shift, variance_ss * share - shifted * shifted


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None) -> Tensor:
    """Batch normalization: (x - mean) / sqrt(variance + variance_epsilon) * scale + offset.

    Ioffe and Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift"
    (2015).

    Args:
        x: of any shape.
        mean, variance: as from `moments`, of a shape that broadcasts with that of x.
        offset, scale: the new mean and the new standard deviation; None for 0 and 1.
        variance_epsilon: a small number, to avoid division by 0.

    >>> import minigrad as mg
    >>> x = mg.constant([1.0, 3.0])
    >>> print(mg.nn.batch_normalization(x, *mg.nn.moments(x, [0]), 10.0, 2.0, 0.0).numpy())
    [ 8. 12.]
    """
    x, mean = convert_to_tensor(x), convert_to_tensor(mean)
    factor = math.rsqrt(variance + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    rest = -mean * factor if offset is None else offset - mean * factor
    return x * creation.cast(factor, x.dtype) + creation.cast(rest, x.dtype)


def channels(data_format, ndim):
    """The axis of the channels. Raise ValueError if the format does not determine it."""
    if data_format is not None and data_format.startswith("NC"):
        return 1
    if data_format is None or (data_format.startswith("N") and data_format.endswith("C")):
        return ndim - 1
    raise errors.by_python(received("`data_format` must be of the form `N...C` or `NC...`.", data_format=data_format))


def bias_grad(dz, data_format):
    """VJP of `bias_add` with respect to the bias: the sum over all axes but the channels."""
    kept = channels(data_format, dz.ndim)
    return np.add.reduce(dz, axis=tuple([k for k in range(dz.ndim) if k != kept]))


@op("BiasAdd", "iufc", dvalue=accepts_sparse(lambda dz: dz), dbias=bias_grad,
    math={"bias": "sum of upstream over all axes but that of the channels"})  # fmt: skip
def bias_add(value, bias, data_format: str | None = None):
    """Add a bias to each channel.

    Args:
        value: shape `(batch, ..., channels)`.
        bias: shape `(channels,)`.
        data_format: the position of the channel axis: last for `"NHWC"` and its like, second for `"NCHW"` and its like.
            None means last.

    Raises:
        InvalidArgumentError: there is not one bias for each channel.
        ValueError: `data_format` is of another form.

    >>> import minigrad as mg
    >>> print(mg.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0], data_format="NCHW").numpy())
    [[11. 22.]
     [13. 24.]]
    """
    kept = channels(data_format, value.ndim)
    if value.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {bracketed(value.shape)}")
    if bias.ndim != 1:
        raise invalid(f"Biases must be 1D: {bracketed(bias.shape)}")
    if len(bias) != value.shape[kept]:
        where = "last dimension" if kept == value.ndim - 1 else "channel dimension"
        problem = f"Must provide as many biases as the {where} of the input tensor:"
        raise invalid(f"{problem} {bracketed(bias.shape)} vs. {bracketed(value.shape)}")
    return value + bias.reshape((len(bias), *[1] * (value.ndim - 1 - kept)))


# ---- embeddings and dropout ----------------------------------------------------------------------------------------


def embedding_lookup(params, ids, max_norm=None, name=None) -> Tensor:
    """Look up embeddings: the rows of a table with these ids. The gradient of the table is an `mg.IndexedSlices`.

    Args:
        params: the table, shape `(n, ...)`; or a list of tables of the same length (the first ones may have one row
            more), whose rows are numbered one table after the other.
        ids: integers from 0 to n - 1, of any shape.
        max_norm: scale rows down to this L2 norm; None for no limit.

    Returns:
        Shape `ids.shape + params.shape[1:]`.

    Raises:
        ValueError: `params` is None or an empty list.
        InvalidArgumentError: an id is out of range.

    >>> import minigrad as mg
    >>> print(mg.nn.embedding_lookup(mg.constant([[1.0, 2.0], [3.0, 4.0]]), [1, 1]).numpy())
    [[3. 4.]
     [3. 4.]]
    """
    if params is None:
        raise ValueError("params must be specified")
    tables = params if isinstance(params, list) else [params]
    if not tables:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    rows = gathering.gather(tables[0], ids) if len(tables) == 1 else from_tables(tables, convert_to_tensor(ids).value)
    if max_norm is None:
        return rows
    axes = tuple(range(convert_to_tensor(ids).ndim, rows.ndim))
    return clip_by_norm(rows, max_norm, axes)


def from_tables(tables, ids):
    """The rows with these ids in a list of tables, each of which is asked only for its own rows."""
    flat = ids.ravel()
    length, longer = divmod(sum(np.shape(table)[0] for table in tables), len(tables))
    which = np.maximum(flat // (length + 1), (flat - longer) // length)
    numbers = np.where(which < longer, flat % (length + 1), (flat - longer) % length)
    wanted = gathering.dynamic_partition(numbers, which, len(tables))
    places = gathering.dynamic_partition(np.arange(flat.size), which, len(tables))
    found = [gathering.gather(table, those) for table, those in zip(tables, wanted)]
    rows = gathering.dynamic_stitch(places, found)
    return shaping.reshape(rows, (*ids.shape, *rows.value.shape[1:]))


def dropout(x, rate, noise_shape=None, seed=None, name=None) -> Tensor:
    """Dropout: set each element to 0 with probability `rate`, and divide the others by 1 - rate to keep the mean.

    Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting" (2014).

    Args:
        x: of a float dtype.
        rate: a number from 0 up to, but not including, 1.
        noise_shape: the shape of the random choices, which broadcasts to that of x: along an axis of length 1 all
            elements are dropped or kept together. None in it means the length in x.
        seed: the seed of this op; see `mg.random.set_seed`.

    Raises:
        ValueError: the rate is out of range, or the dtype is not float.

    >>> import minigrad as mg
    >>> mg.random.set_seed(3)
    >>> print(mg.nn.dropout([1.0, 1.0, 1.0, 1.0, 1.0], 0.5).numpy())
    [0. 2. 0. 0. 2.]
    """
    given = isinstance(rate, numbers.Real)
    if given and not 0 <= rate < 1:
        raise received("`rate` must be a scalar tensor or a float in the range [0, 1).", rate=rate)
    x = convert_to_tensor(x)
    if x.value.dtype.kind != "f":
        raise received("`x.dtype` must be a floating point tensor as `x` will be scaled.", x_dtype=x.dtype)
    if given and not rate:
        pair_for(seed)  # so that the next random op gets the same numbers as with any other rate
        return x
    if given:
        kept = x * (1 / (1 - rate))
    elif not creation.is_tensor(rate):
        raise received("`rate` must be a scalar or scalar tensor.", rate=rate)
    elif rate.shape.rank:
        raise ValueError(f"Shape {rate.shape} must have rank 0")
    elif rate.dtype != x.dtype:
        problem = "`x.dtype` must be compatible with `rate.dtype`."
        raise ValueError(f"{problem} Received: x.dtype={x.dtype!s} and rate.dtype={rate.dtype!s}")
    else:
        kept = x / (1 - rate)
    shape = x.shape if noise_shape is None else noise_shape
    if len(shape) == x.ndim:
        shape = [m if n is None else n for n, m in zip(shape, x.value.shape)]
    return gathering.where(random.uniform(shape, dtype=x.dtype, seed=seed) >= rate, kept, creation.zeros_like(kept))


tell_help(__name__)
