"""tf.keras.initializers: the first values of weights.

Each random one has a seed of its own, drawn from Python's `random` when it is made; with it, it always gives the same numbers.
"""

import math as python_math
import random as python_random

import numpy as np

from ..engine import dtypes
from ..engine.tensor import Tensor
from ..engine.tensor import constant as make_constant
from ..random import normal, stateless_normal, stateless_truncated_normal, stateless_uniform, uniform
from .utils import newly_made

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "IdentityInitializer",
    "Initializer", "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "OrthogonalInitializer", "RandomNormal",
    "RandomUniform", "TruncatedNormal", "VarianceScaling", "Zeros", "constant", "get", "glorot_normal",
    "glorot_uniform", "he_normal", "he_uniform", "identity", "lecun_normal", "lecun_uniform", "ones", "orthogonal",
    "random_normal", "random_uniform", "truncated_normal", "variance_scaling", "zeros",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers


class Initializer:
    """What gives a weight its first value: call it with a shape."""

    def __call__(self, shape, dtype=None):
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")


class Constant(Initializer):
    """The same number everywhere.

    >>> import minigrad as mg
    >>> print(mg.keras.initializers.Constant(3.0)((2,)).numpy())
    [3. 3.]
    """

    def __init__(self, value=0.0):
        self.value = value

    def __call__(self, shape, dtype=None):
        shape = shape if isinstance(shape, int) else tuple(shape)
        return Tensor.of(np.full(shape, self.value, numpy_dtype(dtype))[()])


class Zeros(Constant):
    """Zeros.

    >>> import minigrad as mg
    >>> print(mg.zeros_initializer()([2]).numpy())
    [0. 0.]
    """

    def __init__(self):
        super().__init__(0.0)


class Ones(Constant):
    """Ones.

    >>> import minigrad as mg
    >>> print(mg.ones_initializer()([2]).numpy())
    [1. 1.]
    """

    def __init__(self):
        super().__init__(1.0)


class constant_initializer(Initializer):
    """`tf.constant_initializer`: one number everywhere, or a list of all of them. Without a dtype it is that of the value.

    >>> import minigrad as mg
    >>> print(mg.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist())
    [[1, 2], [3, 4]]
    """

    def __init__(self, value=0):
        if not np.isscalar(value) and not isinstance(value, (list, tuple, np.ndarray)):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or tuple of values, "
                "or numpy.ndarray. Of a Tensor, write its value.numpy()."
            )
        self.value = value

    def __call__(self, shape, dtype=None):
        return make_constant(self.value, dtype, shape)


class Identity(Initializer):
    """The unit matrix, times `gain`."""

    def __init__(self, gain=1.0):
        self.gain = gain

    def __call__(self, shape, dtype=None):
        if len(shape) != 2:
            raise ValueError(f"Identity matrix initializer can only be used for 2D matrices. Received: shape={shape} of rank {len(shape)}.")
        return Tensor.of(np.asarray(self.gain * np.eye(*shape), numpy_dtype(dtype)))


class RandomInitializer(Initializer):
    """An initializer with a seed."""

    def __init__(self, seed=None):
        self.seed = python_random.randint(1, 10**9) if seed is None else seed

    def seeds(self):
        return int(self.seed), 0


class RandomNormal(RandomInitializer):
    """Numbers of a normal distribution."""

    draw = staticmethod(stateless_normal)

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev = mean, stddev
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        return self.draw(tuple(shape), self.seeds(), self.mean, self.stddev, numpy_dtype(dtype))


class TruncatedNormal(RandomNormal):
    """As RandomNormal, but nothing farther than two standard deviations from the mean."""

    draw = staticmethod(stateless_truncated_normal)


class RandomUniform(RandomInitializer):
    """Numbers between two limits."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval = minval, maxval
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        return stateless_uniform(tuple(shape), self.seeds(), self.minval, self.maxval, numpy_dtype(dtype))


class VarianceScaling(RandomInitializer):
    """Numbers whose variance is `scale / n`, where n counts what flows into the layer, out of it, or the mean of both.

    Args:
        scale: a factor.
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "truncated_normal", "untruncated_normal" or "uniform".
        seed: by default drawn from Python's `random`.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None):
        if scale <= 0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of 'fan_in', 'fan_out', 'fan_avg'")
        distribution = "truncated_normal" if distribution.lower() == "normal" else distribution.lower()
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}. Please use one of 'uniform', 'truncated_normal', 'untruncated_normal'"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        fan_in, fan_out = fans(tuple(shape))
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = python_math.sqrt(3.0 * variance)
            return stateless_uniform(tuple(shape), self.seeds(), -limit, limit, numpy_dtype(dtype))
        if self.distribution == "untruncated_normal":
            return stateless_normal(tuple(shape), self.seeds(), 0.0, python_math.sqrt(variance), numpy_dtype(dtype))
        stddev = python_math.sqrt(variance) / 0.87962566103423978  # the deviation that is left after truncation
        return stateless_truncated_normal(tuple(shape), self.seeds(), 0.0, stddev, numpy_dtype(dtype))


def scaling(name, scale, mode, distribution, doc):
    """A class of VarianceScaling with these settings."""

    def __init__(self, seed=None):
        VarianceScaling.__init__(self, scale, mode, distribution, seed)

    return type(name, (VarianceScaling,), {"__init__": __init__, "__doc__": doc, "__module__": __name__})


GlorotUniform = scaling("GlorotUniform", 1.0, "fan_avg", "uniform", "Glorot and Bengio, 2010: the default of Dense.")
GlorotNormal = scaling("GlorotNormal", 1.0, "fan_avg", "truncated_normal", "Glorot and Bengio, 2010.")
HeUniform = scaling("HeUniform", 2.0, "fan_in", "uniform", "He et al., 2015: for relu.")
HeNormal = scaling("HeNormal", 2.0, "fan_in", "truncated_normal", "He et al., 2015: for relu.")
LecunUniform = scaling("LecunUniform", 1.0, "fan_in", "uniform", "LeCun et al., 1998.")
LecunNormal = scaling("LecunNormal", 1.0, "fan_in", "truncated_normal", "LeCun et al., 1998: for selu.")


def fans(shape):
    """How many values flow into one unit, and out to how many units."""
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    field = python_math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class Orthogonal(RandomInitializer):
    """A matrix of orthogonal rows or columns, of length `gain`. More axes are taken together, but for the last.

    (Saxe et al., 2013. It is the Q of a matrix of normal numbers.)

    >>> import minigrad as mg
    >>> q = mg.keras.initializers.Orthogonal(seed=1)((2, 2))
    >>> print(mg.reduce_max(mg.abs(mg.matmul(q, q, transpose_b=True) - mg.eye(2))).numpy() < 1e-6)
    True
    """

    def __init__(self, gain=1.0, seed=None):
        self.gain = gain
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        if len(shape) < 2:
            raise ValueError(f"The tensor to initialize must be at least two-dimensional. Received: shape={shape} of rank {len(shape)}.")
        rows, columns = python_math.prod(shape[:-1]), shape[-1]
        drawn = stateless_normal((max(rows, columns), min(rows, columns)), self.seeds(), 0.0, 1.0, numpy_dtype(dtype))
        q, r = np.linalg.qr(drawn.numpy())
        q = q * np.sign(np.diag(r))  # else LAPACK's choice of signs would show
        return Tensor.of(self.gain * np.reshape(q.T if rows < columns else q, tuple(shape)))


class FromOps(Initializer):
    """`tf.random_normal_initializer` and its like: without a seed they draw as `mg.random` does, after `set_seed`."""

    def __init__(self, first, second, seed=None):
        self.first, self.second, self.seed = first, second, seed

    def __call__(self, shape, dtype=None, **kwargs):
        if self.seed is None:
            return self.draw(tuple(shape), self.first, self.second, numpy_dtype(dtype))
        return self.draw_stateless(tuple(shape), (self.seed, 0), self.first, self.second, numpy_dtype(dtype))


class random_normal_initializer(FromOps):
    """Numbers of a normal distribution.

    >>> import minigrad as mg
    >>> print(mg.random_normal_initializer(seed=1)([2, 3]).shape)
    (2, 3)
    """

    draw, draw_stateless = staticmethod(normal), staticmethod(stateless_normal)

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        super().__init__(mean, stddev, seed)


class random_uniform_initializer(FromOps):
    """Numbers between two limits.

    >>> import minigrad as mg
    >>> print(mg.random_uniform_initializer(seed=1)([2, 3]).shape)
    (2, 3)
    """

    draw, draw_stateless = staticmethod(uniform), staticmethod(stateless_uniform)

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        super().__init__(minval, maxval, seed)


def numpy_dtype(dtype):
    return dtypes.to_numpy(dtype or dtypes.float32)


CLASSES = (
    Zeros, Ones, Constant, Identity, RandomNormal, TruncatedNormal, RandomUniform, VarianceScaling, GlorotUniform, GlorotNormal,
    HeUniform, HeNormal, LecunUniform, LecunNormal, Orthogonal,
)  # fmt: skip
zeros, ones, constant, identity, random_normal, truncated_normal, random_uniform, variance_scaling = CLASSES[:8]
glorot_uniform, glorot_normal, he_uniform, he_normal, lecun_uniform, lecun_normal, orthogonal = CLASSES[8:]
IdentityInitializer, OrthogonalInitializer = Identity, Orthogonal
BY_NAME = {name: cls for name, cls in globals().items() if isinstance(cls, type) and cls in CLASSES}
BY_NAME |= {"uniform": RandomUniform, "normal": RandomNormal, "zero": Zeros, "one": Ones}
zeros_initializer, ones_initializer = Zeros, Ones  # which Keras does not know by name


def get(identifier):
    """The initializer of this name; a function or an initializer is returned as it is.

    Args:
        identifier: a name, a class, a function, an initializer, None, or a dict: the name under "class_name", and settings
            under "config".

    Raises:
        ValueError: there is none of this name.
    """
    made = newly_made(identifier, BY_NAME, Initializer)
    if made is not None:
        return made
    if identifier is None or callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret initializer identifier: {identifier}")
