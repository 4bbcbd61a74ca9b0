"""tf.keras.activations: functions by name."""

import weakref

from .. import math, nn
from ..engine import dtypes
from ..engine.op import convert
from ..ops import creation, gathering, shaping

__all__ = [
    "elu", "exponential", "gelu", "get", "leaky_relu", "linear", "log_softmax", "relu", "relu6", "selu", "sigmoid",
    "silu", "softmax", "softplus", "softsign", "swish", "tanh",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers


def linear(x):
    """x."""
    return x


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return remembering(math.sigmoid(x), x)


def softmax(x, axis=-1):
    """exp(x) / sum(exp(x)) along an axis, or over all of x if it is None."""
    return remembering(over_all(nn.softmax, x) if axis is None else nn.softmax(x, axis=axis), x)


def relu(x, negative_slope=0.0, max_value=None, threshold=0.0):
    """max(x, 0); or with a slope below 0, an upper limit, or zeros up to a threshold."""
    if negative_slope and max_value is None and not threshold:
        return nn.leaky_relu(x, negative_slope)
    x = convert(x)
    kind = x.value.dtype.type  # limits of whole numbers are whole numbers
    if threshold:
        y = gathering.where(x > kind(threshold), x, creation.zeros_like(x))
    elif max_value == 6:
        y = nn.relu6(x)
    else:
        y = nn.relu(x)
    if max_value is not None:
        y = math.minimum(y, kind(max_value))
    return y - negative_slope * nn.relu(threshold - x if threshold else -x) if negative_slope else y


def relu6(x):
    """max(x, 0), and at most 6."""
    return nn.relu6(x)


def leaky_relu(x, negative_slope=0.2):
    """x where it is positive, elsewhere `negative_slope` times x."""
    return nn.leaky_relu(x, negative_slope)


def elu(x, alpha=1.0):
    """x where it is positive, elsewhere alpha * (exp(x) - 1)."""
    y = nn.elu(x)
    return y if alpha == 1 else gathering.where(convert(x) > 0, y, alpha * y)


def selu(x):
    """`elu`, scaled so that it keeps the mean at 0 and the variance at 1."""
    return nn.selu(x)


def gelu(x, approximate=False):
    """x times the probability that a normal random number is at most x; or that computed by `tanh`."""
    return nn.gelu(x, approximate)


def silu(x):
    """x * sigmoid(x)."""
    return nn.silu(x)


def tanh(x):
    """The hyperbolic tangent."""
    return math.tanh(as_float(x))


def softplus(x):
    """log(exp(x) + 1)."""
    return math.softplus(x)


def softsign(x):
    """x / (abs(x) + 1)."""
    return nn.softsign(x)


def exponential(x):
    """exp(x)."""
    return math.exp(as_float(x))


def log_softmax(x, axis=-1):
    """The logarithm of `softmax`."""
    return over_all(nn.log_softmax, x) if axis is None else nn.log_softmax(x, axis=axis)


def over_all(function, x):
    """`function` of all elements as one vector, in the shape of x."""
    x = convert(x)
    return shaping.reshape(function(shaping.reshape(x, [-1])), x.shape)


def as_dtype(x, dtype):
    x = convert(x)
    return x if x.dtype == dtype else creation.cast(x, dtype)


def as_float(x):
    x = convert(x)
    return as_dtype(x, dtypes.float32) if x.dtype.is_integer else x


# A loss that is given the output of softmax or sigmoid works with what went in, which is exact where the output is 0 or 1.

inputs_of = {}  # id of an output -> the output (weakly), and what went in


def remembering(y, x):
    """y, of which a loss can ask what went in."""
    inputs_of[y.id] = weakref.ref(y, lambda _, key=y.id: inputs_of.pop(key, None)), x
    return y


def logits_of(y):
    """What went into the softmax or sigmoid that made y; None if y is something else."""
    return inputs_of[y.id][1] if getattr(y, "id", None) in inputs_of else None


swish = silu
FUNCTIONS = (
    linear, sigmoid, softmax, relu, relu6, leaky_relu, elu, selu, gelu, silu, tanh, softplus, softsign, exponential, log_softmax,
)  # fmt: skip
BY_NAME = {function.__name__: function for function in FUNCTIONS} | {"swish": swish}


def get(identifier):
    """The function of this name; a function is returned as it is, None gives `linear`.

    Raises:
        ValueError: there is none of this name.
    """
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier
    if identifier not in BY_NAME:
        raise ValueError(f"Could not interpret activation function identifier: {identifier}")
    return BY_NAME[identifier]
