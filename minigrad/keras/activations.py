"""tf.keras.activations: activation functions, also by name.

Each takes a Tensor of any shape, or a value that can become one, and returns a Tensor of the same shape.
"""

import weakref

import numpy as np

from .. import math, nn
from ..engine import convert, dtypes, named
from ..math.elementwise import clip_by_value
from ..ops import creation, gathering, sequences, shaping, sorting
from .utils import found

__all__ = ["celu", "elu", "exponential", "gelu", "get", "glu", "hard_shrink", "hard_sigmoid", "hard_silu",
           "hard_swish", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6",
           "selu", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign", "sparse_plus",
           "sparse_sigmoid", "sparsemax", "squareplus", "swish", "tanh", "tanh_shrink", "threshold"]  # fmt: skip


def of_formula(name, formula, function, x, answer):
    """Make an activation function without settings; `x` and `answer` are its example."""

    def activation(x):
        """{formula}, element by element.

        >>> import minigrad as mg
        >>> print(mg.keras.activations.{name}({x}).numpy().round(4))
        {answer}
        """
        return function(x)

    return named(activation, name, formula=formula, x=x, answer=answer)


# fmt: off
relu6 = of_formula("relu6", "min(max(x, 0), 6)", nn.relu6, "[-2.0, 3.0, 9.0]", "[0. 3. 6.]")
selu = of_formula(
    "selu", "`elu`, scaled so that it keeps the mean at 0 and the variance at 1 (Klambauer et al., 2017)",
    nn.selu, "[-1.0, 3.0]", "[-1.1113  3.1521]")
silu = of_formula("silu", "x * sigmoid(x), also called swish (Ramachandran et al., 2017)", nn.silu,
                  "[-1.0, 3.0]", "[-0.2689  2.8577]")
tanh = of_formula("tanh", "The hyperbolic tangent (of integers as floats)", lambda x: math.tanh(as_float(x)),
                  "[-1, 0]", "[-0.7616  0.    ]")
exponential = of_formula("exponential", "exp(x) (of integers as floats)", lambda x: math.exp(as_float(x)),
                         "[0, 1]", "[1.     2.7183]")
softplus = of_formula("softplus", "log(exp(x) + 1)", math.softplus, "[-1.0, 3.0]", "[0.3133 3.0486]")
softsign = of_formula("softsign", "x / (abs(x) + 1)", nn.softsign, "[-1.0, 3.0]", "[-0.5   0.75]")
log_sigmoid = of_formula("log_sigmoid", "log(sigmoid(x)), computed without underflow", math.log_sigmoid,
                         "[-200.0, 0.0]", "[-200.       -0.6931]")
mish = of_formula("mish", "x * tanh(softplus(x)) (Misra, 2019)", lambda x: x * math.tanh(math.softplus(x)),
                  "[-1.0, 3.0]", "[-0.3034  2.9865]")
hard_tanh = of_formula("hard_tanh", "min(max(x, -1), 1)", lambda x: clip_by_value(x, -1.0, 1.0),
                       "[-4.0, 0.5, 2.0]", "[-1.   0.5  1. ]")
hard_sigmoid = of_formula(
    "hard_sigmoid", "min(max(x / 6 + 1/2, 0), 1): a sigmoid of straight lines",
    lambda x: nn.relu6(convert(x) + 3.0) / 6.0, "[-4.0, 0.0, 1.5]", "[0.   0.5  0.75]")
hard_silu = of_formula("hard_silu", "x * hard_sigmoid(x), also called hard_swish (Howard et al., 2019)",
                       lambda x: x * hard_sigmoid(x), "[-4.0, 0.0, 1.0]", "[-0.      0.      0.6667]")
tanh_shrink = of_formula("tanh_shrink", "x - tanh(x)", lambda x: x - math.tanh(x),
                         "[0.0, 1.0]", "[0.     0.2384]")
# fmt: on


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
    return LOGITS.add(math.sigmoid(x), x)


def softmax(x, axis=-1):
    """exp(x) / sum(exp(x)) along an axis.

    Args:
        x: the logits.
        axis: the axis of the classes, or several; None normalizes over all elements.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.softmax([[0.0, 0.0]]).numpy())
    [[0.5 0.5]]
    """
    return LOGITS.add(over_axes(nn.softmax, x, axis), x)


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
    in_dtype = x.value.dtype.type  # for integers, the limits are integers too
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


def log_softmax(x, axis=-1):
    """log(softmax(x)), computed without underflow.

    Args:
        x: the logits.
        axis: the axis of the classes, or several; None normalizes over all elements.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.log_softmax([[0.0, 0.0]]).numpy().round(4))
    [[-0.6931 -0.6931]]
    """
    return over_axes(nn.log_softmax, x, axis)


def celu(x, alpha=1.0):
    """max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1): `elu` with a slope that is continuous for every alpha.

    (Barron, 2017.)

    >>> import minigrad as mg
    >>> print(mg.keras.activations.celu([-1.0, 3.0], alpha=2.0).numpy().round(4))
    [-0.7869  3.    ]
    """
    return math.maximum(x, 0.0) + alpha * math.expm1(math.minimum(x, 0.0) / alpha)


def glu(x, axis=-1):
    """a * sigmoid(b) for the two halves a and b of x along an axis (Dauphin et al., 2016).

    Raises:
        ValueError: the axis has an odd length.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.glu([[2.0, 3.0, 0.0, 0.0]]).numpy())
    [[1.  1.5]]
    """
    x = convert(x)
    if x.shape[axis] % 2:
        raise ValueError(f"axis size must be divisible by 2. Received: x.shape={tuple(x.shape)} with axis={axis}")
    first, second = shaping.split(x, 2, axis)
    return first * math.sigmoid(second)


def hard_shrink(x, threshold=0.5):
    """x where |x| > threshold, elsewhere 0.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.hard_shrink([-0.25, 0.5, 2.0]).numpy())
    [0. 0. 2.]
    """
    return gathering.where(math.abs(x) > threshold, x, creation.zeros_like(x))


def soft_shrink(x, threshold=0.5):
    """x - threshold where x > threshold, x + threshold where x < -threshold, elsewhere 0.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.soft_shrink([-0.75, 0.5, 2.0]).numpy())
    [-0.25  0.    1.5 ]
    """
    x = convert(x)
    below = gathering.where(x < -threshold, x + threshold, creation.zeros_like(x))
    return gathering.where(x > threshold, x - threshold, below)


def threshold(x, threshold, default_value):
    """x where x > threshold, elsewhere the default value.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.threshold([-2.0, 0.5, 2.0], 0.5, 9.0).numpy())
    [9. 9. 2.]
    """
    x = convert(x)
    return gathering.where(x > threshold, x, default_value)


def sparse_plus(x):
    """0 where x <= -1, x where x >= 1, and (x + 1)**2 / 4 between them.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.sparse_plus([-2.0, 0.0, 3.0]).numpy())
    [0.   0.25 3.  ]
    """
    x = convert(x)
    above = gathering.where(x < 1, 0.25 * math.pow(x + 1, 2), x)
    return gathering.where(x <= -1, creation.zeros_like(x), above)


def sparse_sigmoid(x):
    """0 where x <= -1, 1 where x >= 1, and (x + 1) / 2 between them.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.sparse_sigmoid([-2.0, 0.5, 3.0]).numpy())
    [0.   0.75 1.  ]
    """
    x = convert(x)
    above = gathering.where(x >= 1, creation.ones_like(x), 0.5 * (x + 1))
    return gathering.where(x <= -1, creation.zeros_like(x), above)


def squareplus(x, b=4):
    """(x + sqrt(x**2 + b)) / 2, element by element: a softplus without exponentials (Barron, 2021).

    >>> import minigrad as mg
    >>> print(mg.keras.activations.squareplus([0.0, 3.0], b=16).numpy())
    [2. 4.]
    """
    x = convert(x)
    return (x + math.sqrt(math.square(x) + as_dtype(b, x.dtype))) / 2


def sparsemax(x, axis=-1):
    """The distribution nearest to x: like a softmax, but small numbers become 0 (Martins and Astudillo, 2016).

    It is max(x - t, 0), with the threshold t for which the sum along the axis is 1. (In Keras 3.15 the sum is not 1 if
    more than one number is above 0.)

    >>> import minigrad as mg
    >>> print(mg.keras.activations.sparsemax([[1.0, 0.5, -3.0]]).numpy())
    [[0.75 0.25 0.  ]]
    """
    x = convert(x)
    descending = sorting.sort(x, axis, "DESCENDING")
    total = math.cumsum(descending, axis)
    count = as_dtype(sequences.range(1, x.shape[axis] + 1), x.dtype)
    count = shaping.reshape(count, [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
    kept = descending - (total - 1) / count > 0  # the largest numbers, down to where the threshold would be above them
    kept_sum = math.reduce_sum(gathering.where(kept, descending, creation.zeros_like(x)), axis, True)
    t = (kept_sum - 1) / math.reduce_sum(as_dtype(kept, x.dtype), axis, True)
    return math.maximum(x - t, 0.0)


def over_axes(function, x, axis):
    """Apply `function` to x along an axis; several axes are merged into one, and None means all axes."""
    if isinstance(axis, int):
        return function(x, axis=axis)
    x = convert(x)
    axes = [one % x.ndim for one in (range(x.ndim) if axis is None else axis)]
    order = [*[one for one in range(x.ndim) if one not in axes], *axes]
    moved = shaping.transpose(x, order)
    y = function(shaping.reshape(moved, [*moved.shape[: x.ndim - len(axes)], -1]), axis=-1)
    return shaping.transpose(shaping.reshape(y, moved.shape), np.argsort(order))


def as_dtype(x, dtype):
    return creation.cast(convert(x), dtype)


def as_float(x):
    x = convert(x)
    return as_dtype(x, dtypes.float32) if x.dtype.is_integer else x


class Notes:
    """Notes attached to Tensors, kept as long as the Tensors live."""

    def __init__(self):
        self.by_id = {}  # the id of a Tensor -> a weak reference to it, and the note

    def add(self, y, note):
        """Attach a note to y, and return y."""
        self.by_id[y.id] = weakref.ref(y, lambda _, key=y.id: self.by_id.pop(key, None)), note
        return y

    def of(self, y):
        """The note attached to y, or None."""
        return self.by_id[y.id][1] if getattr(y, "id", None) in self.by_id else None


# If predictions come from softmax or sigmoid, crossentropies use the logits: they are exact where the output is 0 or 1.
LOGITS = Notes()
# Which examples, or steps of a sequence, count: a Tensor of bools, from `Masking` or `Embedding(mask_zero=True)`.
MASKS = Notes()

swish, hard_swish = silu, hard_silu
BY_NAME = {name: globals()[name] for name in __all__ if name != "get"}


def get(identifier):
    """The activation function of this name, or the function itself; None is `linear`.

    >>> import minigrad as mg
    >>> print(mg.keras.activations.get("relu")([-2.0, 3.0]).numpy())
    [0. 3.]
    """
    return linear if identifier is None else found(identifier, "activation function", BY_NAME)
