"""tf.keras.initializers: the initial values of weights.

An initializer is called with a shape and a dtype (float32 by default) and returns a Tensor. Each random one has its own
seed, by default drawn from Python's `random` when it is created, and returns the same numbers in every call.
"""

import math as python_math
import random as python_random

import numpy as np

from ..engine import Tensor, dtypes, named
from ..engine.tensor import constant as make_constant
from ..errors import received, visible
from ..random import normal, stateless_normal, stateless_truncated_normal, stateless_uniform, uniform
from .utils import found

__all__ = ["Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "IdentityInitializer",
           "Initializer", "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "OrthogonalInitializer", "RandomNormal",
           "RandomUniform", "TruncatedNormal", "VarianceScaling", "Zeros", "constant", "get", "glorot_normal",
           "glorot_uniform", "he_normal", "he_uniform", "identity", "lecun_normal", "lecun_uniform", "ones",
           "orthogonal", "random_normal", "random_uniform", "truncated_normal", "variance_scaling",
           "zeros"]  # fmt: skip


class Initializer:
    """The base class: a subclass defines `__call__(shape, dtype=None)`, which returns the initial value of a weight.

    >>> import minigrad as mg
    >>> class Counting(mg.keras.initializers.Initializer):
    ...     def __call__(self, shape, dtype=None):
    ...         return mg.reshape(mg.range(shape[0] * shape[1], dtype=dtype), shape)
    >>> print(mg.keras.layers.Dense(2, kernel_initializer=Counting())(mg.constant([[1.0, 0.0]])).numpy())
    [[0. 1.]]
    """

    def __call__(self, shape, dtype=None):
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")


class Constant(Initializer):
    """The same value everywhere.

    Args:
        value: a number, or an array that broadcasts to the shape.

    >>> import minigrad as mg
    >>> print(mg.keras.initializers.Constant(3.0)((2,)).numpy())
    [3. 3.]
    """

    def __init__(self, value=0.0):
        self.value = value

    def __call__(self, shape, dtype=None):
        return Tensor.of(np.full(shape, self.value, numpy_dtype(dtype))[()])


class Zeros(Constant):
    """All zeros.

    >>> import minigrad as mg
    >>> print(mg.zeros_initializer()([2]).numpy())
    [0. 0.]
    """

    def __init__(self):
        super().__init__(0.0)


class Ones(Constant):
    """All ones.

    >>> import minigrad as mg
    >>> print(mg.ones_initializer()([2]).numpy())
    [1. 1.]
    """

    def __init__(self):
        super().__init__(1.0)


class constant_initializer(Initializer):
    """`tf.constant_initializer`: one number everywhere, or all values in row-major order.

    Args:
        value: a number, or a list, tuple or array with as many numbers as the weight. A call without a dtype uses its
            dtype.

    Raises:
        TypeError: the value is something else, such as a Tensor.

    >>> import minigrad as mg
    >>> print(mg.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist())
    [[1, 2], [3, 4]]
    """

    def __init__(self, value=0):
        if not np.isscalar(value) and not isinstance(value, (list, tuple, np.ndarray)):
            problem = f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or"
            raise TypeError(f"{problem} tuple of values, or numpy.ndarray. Of a Tensor, write its value.numpy().")
        self.value = value

    def __call__(self, shape, dtype=None):
        return make_constant(self.value, dtype, shape)


def of_rank(problem, shape):
    """The error for a shape with the wrong number of axes."""
    return received(problem, shape=f"{shape} of rank {len(shape)}.")


class Identity(Initializer):
    """`gain` times the identity matrix; the shape must be (rows, columns).

    Raises:
        ValueError: (in a call) the shape does not have two axes.

    >>> import minigrad as mg
    >>> print(mg.keras.initializers.Identity(2.0)((2, 2)).numpy())
    [[2. 0.]
     [0. 2.]]
    """

    def __init__(self, gain=1.0):
        self.gain = gain

    def __call__(self, shape, dtype=None):
        if len(shape) != 2:
            raise of_rank("Identity matrix initializer can only be used for 2D matrices.", shape)
        return Tensor.of(np.asarray(self.gain * np.eye(*shape), numpy_dtype(dtype)))


class RandomInitializer(Initializer):
    """The base class of random initializers, with a seed, by default drawn from Python's `random`."""

    def __init__(self, seed=None):
        self.seed = python_random.randint(1, 10**9) if seed is None else seed

    def seeds(self):
        """The pair of seeds that the stateless random ops take."""
        return int(self.seed), 0


class RandomNormal(RandomInitializer):
    """Normal random numbers with this mean and standard deviation.

    >>> import minigrad as mg
    >>> print(mg.keras.initializers.RandomNormal(mean=1.0, seed=1)((3,)).numpy().round(3))
    [1.006 0.975 1.032]
    """

    draw = staticmethod(stateless_normal)

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev = mean, stddev
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        return self.draw(tuple(shape), self.seeds(), self.mean, self.stddev, numpy_dtype(dtype))


class TruncatedNormal(RandomNormal):
    """Like `RandomNormal`, but truncated at two standard deviations from the mean.

    >>> import minigrad as mg
    >>> print(mg.keras.initializers.TruncatedNormal(mean=1.0, seed=1)((3,)).numpy().round(3))
    [1.006 0.975 1.032]
    """

    draw = staticmethod(stateless_truncated_normal)


class RandomUniform(RandomInitializer):
    """Uniform random numbers in [minval, maxval).

    >>> import minigrad as mg
    >>> print(mg.keras.initializers.RandomUniform(0.0, 1.0, seed=1)((3,)).numpy().round(3))
    [0.878 0.46  0.6  ]
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval = minval, maxval
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        return stateless_uniform(tuple(shape), self.seeds(), self.minval, self.maxval, numpy_dtype(dtype))


class VarianceScaling(RandomInitializer):
    """Random numbers with mean 0 and variance `scale / n`, to keep the scale of activations from layer to layer.

    For a weight of shape (..., inputs, outputs) with r positions in the leading axes, fan_in is `r * inputs` and
    fan_out is `r * outputs`.

    Args:
        scale: a positive factor.
        mode: the meaning of n: "fan_in", "fan_out" or "fan_avg", their mean.
        distribution: "truncated_normal" (or "normal"), "untruncated_normal" or "uniform".
        seed: an integer; by default drawn from Python's `random`.

    Raises:
        ValueError: the scale is not positive, or there is no such mode or distribution.

    >>> import minigrad as mg
    >>> print(mg.keras.initializers.VarianceScaling(2.0, "fan_out", "uniform", seed=1)((2, 3)).numpy().round(3))
    [[ 1.071 -0.113  0.284]
     [-0.304 -0.698 -0.158]]
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None):
        if scale <= 0:
            raise received("Argument `scale` must be positive float.", scale=scale)
        distribution = "truncated_normal" if distribution.lower() == "normal" else distribution.lower()
        self.scale, self.mode = scale, one_of("mode", mode, "fan_in", "fan_out", "fan_avg")
        draws = "uniform", "truncated_normal", "untruncated_normal"
        self.distribution = one_of("distribution", distribution, *draws)
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        fan_in, fan_out = fans(tuple(shape))
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        limit, stddev = python_math.sqrt(3.0 * variance), python_math.sqrt(variance)
        draw, first, second = {
            "uniform": (stateless_uniform, -limit, limit), "untruncated_normal": (stateless_normal, 0.0, stddev),
            "truncated_normal": (stateless_truncated_normal, 0.0, stddev / 0.87962566103423978),  # normal, cut at 2
        }[self.distribution]  # fmt: skip
        return draw(tuple(shape), self.seeds(), first, second, numpy_dtype(dtype))


def one_of(name, given, *allowed):
    """The setting of this name. Raises ValueError if it is not allowed."""
    if given not in allowed:
        listed = ", ".join(map(repr, allowed))
        raise ValueError(f"Invalid `{name}` argument: {visible(given)}. Please use one of {listed}")
    return given


def scaled(class_name, mode, distribution, meaning, answer, scale=1.0):
    """Make the class of a VarianceScaling with these settings."""

    class Scaled(VarianceScaling):
        """{meaning}.

        >>> import minigrad as mg
        >>> print(mg.keras.initializers.{name}(seed=1)((1, 3)).numpy().round(3))
        {answer}
        """

        def __init__(self, seed=None):
            super().__init__(scale, mode, distribution, seed)

    return named(Scaled, class_name, meaning=meaning, answer=answer)


# fmt: off
GlorotUniform = scaled(
    "GlorotUniform", "fan_avg", "uniform",
    "Uniform, with variance 2 / (fan_in + fan_out) (Glorot and Bengio, 2010): the default of Dense",
    "[[ 0.927 -0.098  0.246]]")
GlorotNormal = scaled(
    "GlorotNormal", "fan_avg", "truncated_normal",
    "Truncated normal, with variance 2 / (fan_in + fan_out) (Glorot and Bengio, 2010)", "[[ 0.102 -0.396  0.507]]")
HeUniform = scaled(
    "HeUniform", "fan_in", "uniform", "Uniform, with variance 2 / fan_in (He et al., 2015): for relu",
    "[[ 1.854 -0.196  0.491]]", scale=2.0)
HeNormal = scaled(
    "HeNormal", "fan_in", "truncated_normal", "Truncated normal, with variance 2 / fan_in (He et al., 2015): for relu",
    "[[ 0.204 -0.793  1.015]]", scale=2.0)
LecunUniform = scaled(
    "LecunUniform", "fan_in", "uniform", "Uniform, with variance 1 / fan_in (LeCun et al., 1998)",
    "[[ 1.311 -0.139  0.347]]")
LecunNormal = scaled(
    "LecunNormal", "fan_in", "truncated_normal",
    "Truncated normal, with variance 1 / fan_in (LeCun et al., 1998): for selu", "[[ 0.144 -0.56   0.718]]")
# fmt: on


def fans(shape):
    """fan_in and fan_out of a weight of this shape: the number of inputs per output, and of outputs per input."""
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    receptive_field = python_math.prod(shape[:-2])
    return shape[-2] * receptive_field, shape[-1] * receptive_field


class Orthogonal(RandomInitializer):
    """A matrix with orthogonal rows or columns: the Q of the QR decomposition of normal random numbers.

    (Saxe et al., 2013.) If the shape has more than two axes, all but the last are flattened into the rows.

    Args:
        gain: the norm of the rows or columns.
        seed: an integer; by default drawn from Python's `random`.

    Raises:
        ValueError: (in a call) the shape has fewer than two axes.

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
            raise of_rank("The tensor to initialize must be at least two-dimensional.", shape)
        rows, columns = python_math.prod(shape[:-1]), shape[-1]
        drawn = stateless_normal((max(rows, columns), min(rows, columns)), self.seeds(), dtype=numpy_dtype(dtype))
        q, r = np.linalg.qr(drawn.numpy())
        q = q * np.sign(np.diag(r))  # so that Q does not depend on LAPACK's choice of signs
        return Tensor.of(self.gain * np.reshape(q.T if rows < columns else q, tuple(shape)))


class random_normal_initializer(RandomNormal):
    """Normal random numbers with this mean and standard deviation; without a seed from the generator of `mg.random`.

    >>> import minigrad as mg
    >>> print(mg.random_normal_initializer(seed=1)([2, 3]).shape)
    (2, 3)
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=None, **kwargs):
        if self.seed is not None:
            return super().__call__(shape, dtype)
        return normal(tuple(shape), self.mean, self.stddev, numpy_dtype(dtype))


class random_uniform_initializer(RandomUniform):
    """Uniform random numbers in [minval, maxval); without a seed from the generator of `mg.random`.

    >>> import minigrad as mg
    >>> print(mg.random_uniform_initializer(seed=1)([2, 3]).shape)
    (2, 3)
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=None, **kwargs):
        if self.seed is not None:
            return super().__call__(shape, dtype)
        return uniform(tuple(shape), self.minval, self.maxval, numpy_dtype(dtype))


def numpy_dtype(dtype):
    return dtypes.to_numpy(dtype or dtypes.float32)


zeros, ones, constant, identity = Zeros, Ones, Constant, Identity
variance_scaling, orthogonal = VarianceScaling, Orthogonal
random_normal, truncated_normal, random_uniform = RandomNormal, TruncatedNormal, RandomUniform
glorot_uniform, glorot_normal, he_uniform, he_normal = GlorotUniform, GlorotNormal, HeUniform, HeNormal
lecun_uniform, lecun_normal = LecunUniform, LecunNormal
IdentityInitializer, OrthogonalInitializer = Identity, Orthogonal
BY_NAME = {name: globals()[name] for name in __all__ if name not in ("Initializer", "get")}
BY_NAME |= {"uniform": RandomUniform, "normal": RandomNormal, "zero": Zeros, "one": Ones}
zeros_initializer, ones_initializer = Zeros, Ones  # not in BY_NAME: Keras does not have these names


def get(identifier):
    """The initializer of a name, a class, or a dict {"class_name": name, "config": settings}; others are returned.

    >>> import minigrad as mg
    >>> get = mg.keras.initializers.get
    >>> print(get("ones")((2,)).numpy(), get({"class_name": "Constant", "config": {"value": 3.0}})((2,)).numpy())
    [1. 1.] [3. 3.]
    """
    return found(identifier, "initializer", BY_NAME)
