"""tf.keras.activations: activation functions, also by name.

Each takes a Tensor of any shape, or what can become one, and returns a Tensor of the same shape.
"""

import weakref

from .. import math, nn
from ..engine import convert, dtypes
from ..ops import creation, gathering, shaping
from .utils import found

__all__ = ["elu", "exponential", "gelu", "get", "leaky_relu", "linear", "log_softmax", "relu", "relu6", "selu",
           "sigmoid", "silu", "softmax", "softplus", "softsign", "swish", "tanh"]  # fmt: skip


def linear(x):
    """x itself.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.linear(mg.constant([-2.0, 3.0])).numpy())
    [-2.  3.]
    """
    return x


def sigmoid(x):
    """1 / (1 + exp(-x)), element by element.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.sigmoid([0.0, 2.0]).numpy().round(4))
    [0.5    0.8808]
    """
    return remember_logits(math.sigmoid(x), x)


def softmax(x, axis=-1):
    """exp(x) / sum(exp(x)) along an axis.

    Args:
        x: the logits.
        axis: the axis of the classes; None normalizes over all elements.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.softmax([[0.0, 0.0]]).numpy())
    [[0.5 0.5]]
    """
    return remember_logits(over_all(nn.softmax, x) if axis is None else nn.softmax(x, axis=axis), x)


def relu(x, negative_slope=0.0, max_value=None, threshold=0.0):
    """max(x, 0), element by element, or a variant of it.

    Args:
        x: a Tensor of numbers.
        negative_slope: the slope below the threshold.
        max_value: the largest output; None for no limit.
        threshold: inputs up to here give `negative_slope * (x - threshold)`.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.relu([-2.0, 3.0, 9.0], negative_slope=0.5, max_value=6.0).numpy())
    [-1.  3.  6.]
    """
    if negative_slope and max_value is None and not threshold:
        return nn.leaky_relu(x, negative_slope)
    x = convert(x)
    in_dtype = x.value.dtype.type  # the limits of integers are integers
    if threshold:
        y = gathering.where(x > in_dtype(threshold), x, creation.zeros_like(x))
    elif max_value == 6:
        y = nn.relu6(x)
    else:
        y = nn.relu(x)
    if max_value is not None:
        y = math.minimum(y, in_dtype(max_value))
    if not negative_slope:
        return y
    return y - negative_slope * nn.relu(threshold - x if threshold else -x)


def relu6(x):
    """min(max(x, 0), 6), element by element.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.relu6([-2.0, 3.0, 9.0]).numpy())
    [0. 3. 6.]
    """
    return nn.relu6(x)


def leaky_relu(x, negative_slope=0.2):
    """x where x is positive, elsewhere `negative_slope * x` (Maas et al., 2013).

    >>> import minigrad as mg
    >>> print(mg.keras.activations.leaky_relu([-2.0, 3.0]).numpy())
    [-0.4  3. ]
    """
    return nn.leaky_relu(x, negative_slope)


def elu(x, alpha=1.0):
    """x where x is positive, elsewhere `alpha * (exp(x) - 1)` (Clevert et al., 2016).

    >>> import minigrad as mg
    >>> print(mg.keras.activations.elu([-1.0, 3.0], alpha=2.0).numpy().round(4))
    [-1.2642  3.    ]
    """
    y = nn.elu(x)
    return y if alpha == 1 else gathering.where(convert(x) > 0, y, alpha * y)


def selu(x):
    """`elu`, scaled so that it keeps the mean at 0 and the variance at 1 (Klambauer et al., 2017).

    >>> import minigrad as mg
    >>> print(mg.keras.activations.selu([-1.0, 3.0]).numpy().round(4))
    [-1.1113  3.1521]
    """
    return nn.selu(x)


def gelu(x, approximate=False):
    """x * P(X <= x) for a normal random number X (Hendrycks and Gimpel, 2016).

    Args:
        x: a Tensor of floats.
        approximate: compute `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))` instead.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.gelu([-1.0, 3.0]).numpy().round(4))
    [-0.1587  2.996 ]
    """
    return nn.gelu(x, approximate)


def silu(x):
    """x * sigmoid(x), also called swish (Ramachandran et al., 2017).

    >>> import minigrad as mg
    >>> print(mg.keras.activations.silu([-1.0, 3.0]).numpy().round(4))
    [-0.2689  2.8577]
    """
    return nn.silu(x)


def tanh(x):
    """The hyperbolic tangent, element by element; integers become floats.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.tanh([-1, 0]).numpy().round(4))
    [-0.7616  0.    ]
    """
    return math.tanh(as_float(x))


def softplus(x):
    """log(exp(x) + 1), element by element.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.softplus([-1.0, 3.0]).numpy().round(4))
    [0.3133 3.0486]
    """
    return math.softplus(x)


def softsign(x):
    """x / (abs(x) + 1), element by element.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.softsign([-1.0, 3.0]).numpy())
    [-0.5   0.75]
    """
    return nn.softsign(x)


def exponential(x):
    """exp(x), element by element; integers become floats.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.exponential([0, 1]).numpy().round(4))
    [1.     2.7183]
    """
    return math.exp(as_float(x))


def log_softmax(x, axis=-1):
    """log(softmax(x)), computed without underflow.

    Args:
        x: the logits.
        axis: the axis of the classes; None normalizes over all elements.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.log_softmax([[0.0, 0.0]]).numpy().round(4))
    [[-0.6931 -0.6931]]
    """
    return over_all(nn.log_softmax, x) if axis is None else nn.log_softmax(x, axis=axis)


def over_all(function, x):
    """`function` of x as one vector, reshaped to the shape of x."""
    x = convert(x)
    return shaping.reshape(function(shaping.reshape(x, [-1])), x.shape)


def as_dtype(x, dtype):
    x = convert(x)
    return x if x.dtype == dtype else creation.cast(x, dtype)


def as_float(x):
    x = convert(x)
    return as_dtype(x, dtypes.float32) if x.dtype.is_integer else x


# A crossentropy of the output of softmax or sigmoid uses its logits, which are exact where the output is 0 or 1.

LOGITS = {}  # the id of an output -> a weak reference to it, and its logits


def remember_logits(y, x):
    """y, after noting that x are its logits, for as long as y lives."""
    LOGITS[y.id] = weakref.ref(y, lambda _, key=y.id: LOGITS.pop(key, None)), x
    return y


def logits_of(y):
    """The logits of y if it is the output of `softmax` or `sigmoid`, else None."""
    return LOGITS[y.id][1] if getattr(y, "id", None) in LOGITS else None


swish = silu
BY_NAME = {name: globals()[name] for name in __all__ if name != "get"}


def get(identifier):
    """The activation function of this name.

    Args:
        identifier: a name; a function, which is returned unchanged; or None for `linear`.

    Raises:
        ValueError: no activation function has this name.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.get("relu")([-2.0, 3.0]).numpy())
    [0. 3.]
    """
    return linear if identifier is None else found(identifier, "activation function", BY_NAME)
