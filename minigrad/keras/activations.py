"""tf.keras.activations: functions by name."""

import weakref

from .. import arrays, math, nn
from ..op import convert


def linear(x):
    """x."""
    return x


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return remembering(math.sigmoid(x), x)


def softmax(x, axis=-1):
    """exp(x) / sum(exp(x)) along an axis."""
    return remembering(nn.softmax(x, axis=axis), x)


def relu(x, negative_slope=0.0, max_value=None, threshold=0.0):
    """max(x, 0); or with a slope below 0, an upper limit, or zeros up to a threshold."""
    if max_value == 6 and not threshold and not negative_slope:
        return nn.relu6(x)
    if threshold:
        x = convert(x)
        over = arrays.cast(x > threshold, x.dtype)
        y = x * over + negative_slope * (x - threshold) * (1 - over)
    else:
        y = nn.leaky_relu(x, negative_slope) if negative_slope else nn.relu(x)
    return y if max_value is None else math.minimum(y, max_value)


# A loss that is given the output of softmax or sigmoid works with what went in, which is exact where the output is 0 or 1.

inputs_of = {}  # id of an output -> the output (weakly), and what went in


def remembering(y, x):
    """y, of which a loss can ask what went in."""
    inputs_of[y.id] = weakref.ref(y, lambda _, key=y.id: inputs_of.pop(key, None)), x
    return y


def logits_of(y):
    """What went into the softmax or sigmoid that made y; None if y is something else."""
    return inputs_of[y.id][1] if getattr(y, "id", None) in inputs_of else None


BY_NAME = {
    "linear": linear, "sigmoid": sigmoid, "softmax": softmax, "relu": relu, "relu6": nn.relu6, "elu": nn.elu, "selu": nn.selu,
    "gelu": lambda x, approximate=False: nn.gelu(x, approximate), "silu": nn.silu, "swish": nn.silu, "tanh": math.tanh,
    "softplus": math.softplus, "softsign": math.softsign, "exponential": math.exp, "log_softmax": nn.log_softmax,
    "leaky_relu": lambda x, negative_slope=0.2: nn.leaky_relu(x, negative_slope),
}  # fmt: skip
globals().update({name: function for name, function in BY_NAME.items() if name not in globals()})


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
