"""Functions that draw random numbers from the global seed, and from the op's own seed if one is given."""

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine import Tensor, as_value, bracketed, convert, dtypes, invalid, not_among, op, tidy, unregistered
from ..errors import InvalidArgumentError, NotFoundError, by_kernel
from ..math import maximum
from ..math.special import gamma_density, slope_in_a
from ..ops import broadcast_to
from .numbers import classes, integers, normals, truncated, unit
from .streams import AHEAD, Stream, groups, stream_for

FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
INTEGERS = (dtypes.int32, dtypes.int64)
UNSIGNED = (dtypes.uint32, dtypes.uint64)
REALS = "half, float, double"

# ---- ops -----------------------------------------------------------------------------------------------------------


def vector(shape: Sequence[int]):
    """The shape of random numbers, as a tuple. Raise InvalidArgumentError for a scalar, which other ops accept."""
    try:
        value = tidy.integers(shape)
    except TypeError:
        problem = "Value for attr 'T' of float is not in the list of allowed values: int32, int64."
        raise invalid(f"{problem} The shape is {shape}.") from None
    if value.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {list(value.shape)}. Write [{shape}].")
    return tuple(value.tolist())


def count_of(shape):
    """The number of elements of an array of this shape."""
    if min(shape, default=0) < 0:
        raise invalid(f"Dimension {min(shape)} must be >= 0")
    return int(np.prod(shape))


@contextlib.contextmanager
def errors_of(kernel):
    """A block whose InvalidArgumentErrors end with the name of this kernel, unless they name one."""
    try:
        yield
    except InvalidArgumentError as problem:
        if "[Op:" in problem.message:
            raise
        raise by_kernel(kernel, problem.message) from None


def in_one_call(function, array):
    """The result of a function of an array. While a program is traced, it is recorded as one call."""
    return array.as_one_call(function, array) if hasattr(array, "as_one_call") else function(array)


def drawn_from(kernel, numbers, source, shape, dtype, minval=None, maxval=None):
    """Random numbers as a Tensor, without an op: `source(draw, count, kernel)` gives `draw` a stream for `count`."""
    dtype = dtypes.to_numpy(dtype)
    known, names = (UNSIGNED + INTEGERS, "int32, int64, uint32, uint64") if numbers is integers else (FLOATS, REALS)
    with errors_of(kernel):
        shape = vector(shape)
        count = count_of(shape)
        if dtype not in known:
            raise invalid(not_among("dtype", dtype, names))
        if minval is not None:
            if dtype in UNSIGNED:
                raise NotFoundError(None, None, f"{kernel} has no limits for {dtype}. Write minval=None, maxval=None.")
            check_limits(minval, maxval)
    limits = () if minval is None else (minval, maxval)
    return Tensor.of(source(lambda stream: numbers(stream, dtype, count, *limits).reshape(shape)[()], count, kernel))


def uniform_from(source, shape, minval, maxval, dtype):
    """Uniform numbers from such a source; integers without limits have all bits random."""
    if dtype.is_integer and minval is None:
        return drawn_from("StatelessRandomUniformFullIntV2", integers, source, shape, dtype)
    minval, maxval = limit(minval, dtype, "min"), limit(1 if maxval is None else maxval, dtype, "max")
    if dtype.is_integer:
        return drawn_from("StatelessRandomUniformIntV2", integers, source, shape, dtype, minval.value, maxval.value)
    return drawn_from("StatelessRandomUniformV2", unit, source, shape, dtype) * (maxval - minval) + minval


def normal_from(source, shape, mean, stddev, dtype):
    """Normal numbers from such a source."""
    mean, stddev = limit(mean, dtype, "mean"), limit(stddev, dtype, "stddev")
    return drawn_from("StatelessRandomNormalV2", normals, source, shape, dtype) * stddev + mean


def truncated_from(source, shape, mean, stddev, dtype):
    """Truncated normal numbers from such a source."""
    mean, stddev = limit(mean, dtype, "mean"), limit(stddev, dtype, "stddev")
    return drawn_from("StatelessTruncatedNormalV2", truncated, source, shape, dtype) * stddev + mean


def drawn(kernel, numbers, shape, dtype, seed, *limits):
    """An array of random numbers from the stream of this call; `numbers` makes them from bits."""
    count = count_of(shape)
    return numbers(stream_for(kernel, dtype, seed, count * AHEAD), dtype, count, *limits).reshape(shape)[()]


@op("RandomUniform", shape=vector, dtype=tidy.dtype)
def standard_uniform(shape: Sequence[int], dtype, seed: int | None = None):
    """Op behind `mg.random.uniform` of floats: numbers in [0, 1).

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.uniform([2]).numpy())
    [0.16513085 0.9014813 ]
    """
    return drawn("RandomUniform", unit, shape, dtype, seed)


@op("RandomUniformInt", shape=vector, dminval=None, dmaxval=None)
def uniform_integers(minval, maxval, shape: Sequence[int], seed: int | None = None):
    """Op behind `mg.random.uniform` of integers.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.uniform([3], 0, 10, mg.int32).numpy())
    [2 9 7]
    """
    check_limits(minval, maxval)
    return drawn("RandomUniformInt", integers, shape, minval.dtype, seed, minval, maxval)


def check_limits(minval, maxval):
    """Raise InvalidArgumentError if there are no integers between these limits, or they are not numbers."""
    for name, limit in ("minval", minval), ("maxval", maxval):
        if limit.ndim:
            raise invalid(f"{name} must be 0-D, got shape {list(limit.shape)}")
    if minval >= maxval:
        raise invalid(f"Need minval < maxval, got {minval} >= {maxval}")


@op("RandomStandardNormal", shape=vector, dtype=tidy.dtype)
def standard_normal(shape: Sequence[int], dtype, seed: int | None = None):
    """Op behind `mg.random.normal`: numbers of the standard normal distribution.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.normal([2]).numpy())
    [-1.1012203  1.5457517]
    """
    return drawn("RandomStandardNormal", normals, shape, dtype, seed)


@op("TruncatedNormal", shape=vector, dtype=tidy.dtype)
def standard_truncated(shape: Sequence[int], dtype, seed: int | None = None):
    """Op behind `mg.random.truncated_normal`: normal numbers between -2 and 2.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.truncated_normal([2]).numpy())
    [-1.1012203  1.5457517]
    """
    return drawn("TruncatedNormal", truncated, shape, dtype, seed)


@op("RandomShuffle", dvalue=None)
def shuffle(value, seed: int | None = None):
    """Shuffle the rows of a Tensor (along its first axis). It is not differentiable (the gradient is None).

    Args:
        value: of any shape.
        seed: the seed of this op; see `set_seed`.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.shuffle([1, 2, 3, 4, 5]).numpy())
    [3 1 2 5 4]
    """
    rows = len(value) if value.ndim else 1
    return shuffled(value, stream_for("RandomShuffle", value.dtype, seed, groups(rows - 1, 4)))


def shuffled(value, stream):
    """The rows of an array in random order."""
    if not value.ndim:
        return value
    rows = len(value)
    order, words = np.arange(rows), stream.words(rows)
    for place in range(rows - 1):  # the Fisher-Yates shuffle
        other = place + int(words[place]) % (rows - place)
        order[[place, other]] = order[[other, place]]
    return value[order]


def allowed(dtype, among=FLOATS + INTEGERS):
    """The dtype. Raise ValueError if random numbers cannot have it."""
    dtype = dtypes.as_dtype(dtype)
    if dtype not in among:
        names = ", ".join(map(repr, among))
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are ({names}).")
    return dtype


def whole(dtype):
    """The dtype of classes: int32 or int64."""
    return allowed(dtype, INTEGERS).dtype


@op("Multinomial", "f", num_samples=tidy.integer, dtype=whole, dlogits=None)
def categorical(logits, num_samples, dtype: Any = "int64", seed: int | None = None):
    """Draw classes from categorical distributions with the probabilities softmax(logits). The gradient is None.

    Args:
        logits: shape `(batch, classes)`.
        num_samples: the number of classes to draw for each row.
        dtype: int32 or int64.
        seed: the seed of this op; see `set_seed`.

    Returns:
        Shape `(batch, num_samples)`.

    Raises:
        InvalidArgumentError: the logits have another rank, or `num_samples` is negative.
        ValueError: the dtype is another.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.categorical([[0.0, 0.0, 9.0]], 4).numpy())
    [[2 2 2 2]]
    """
    check_classes(logits, num_samples)
    stream = stream_for("Multinomial", dtype, seed, len(logits) * groups(num_samples, 4) * 8 * AHEAD)
    return classes(stream, logits, num_samples).astype(dtype)


def check_classes(logits, num_samples):
    """Raise InvalidArgumentError if these logits, or this number of samples, allow no draw."""
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {list(logits.shape)}")
    if num_samples < 0:
        raise invalid(f"num_samples should be non-negative, got {num_samples}")
    if not logits.shape[1]:
        raise invalid("num_classes should be positive, got 0")


def counted(dtype, kernel="RandomPoissonV2"):
    """The dtype of counts. Raise InvalidArgumentError if they cannot have it."""
    dtype = dtypes.to_numpy(dtype)
    if dtype not in FLOATS + INTEGERS:
        raise by_kernel(kernel, not_among("dtype", dtype, "half, float, double, int32, int64"))
    return dtype


@op("RandomPoissonV2", "if", shape=vector, dtype=counted, **unregistered("RandomPoissonV2", "output", "rate"))
def poisson_counts(rate, shape, dtype: Any, seed: int | None = None):
    """Op behind `mg.random.poisson`.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.poisson([3], lam=[2.0, 50.0]).numpy())
    [[ 0. 60.]
     [ 3. 51.]
     [ 1. 47.]]
    """
    from .rejection import counts  # loaded when first used

    stream = stream_for("RandomPoissonV2", dtype, seed, count_of(shape) * rate.size * AHEAD)
    return counts(stream, rate, count_of(shape)).reshape((*shape, *rate.shape)).astype(dtype)[()]


@op("RandomGammaGrad", "f", **unregistered("RandomGammaGrad", "output", "alpha", "sample"))
def gamma_slope(alpha, sample):
    """Op behind the gradient of `mg.random.gamma`: the derivative of a number by alpha at a fixed quantile.

    Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients" (2018).

    >>> from minigrad.random.drawing import gamma_slope
    >>> print(gamma_slope([0.5, 3.0], [1.0, 1.0]).numpy().round(4))
    [1.8782 0.5788]
    """
    slope = np.where(sample == 0, 0, -slope_in_a(alpha, sample) / gamma_density(alpha, sample))
    return np.where(alpha < 0, np.nan, slope).astype(sample.dtype)[()]


@op("RandomGamma", "f", shape=vector, dalpha=lambda dz, z, alpha: dz * gamma_slope.np(alpha, z),
    math="upstream * the slope of each number in alpha")  # fmt: skip
def gamma_numbers(alpha, shape, place: tuple[int, int]):
    """Op behind `mg.random.gamma` and `mg.random.stateless_gamma`: numbers of the gamma distribution with rate 1.

    Their random bits are given by `place`: the key and the counter of a stream.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.gamma([2], [0.5, 3.0]).numpy())
    [[0.39574215 1.4311152 ]
     [0.01546865 4.588514  ]]
    """
    from .rejection import gammas  # loaded when first used

    return gammas(Stream(*place), alpha, count_of(shape)).reshape((*shape, *alpha.shape)).astype(alpha.dtype)[()]


# ---- public functions ----------------------------------------------------------------------------------------------


def uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Random numbers of the uniform distribution from `minval` up to, but not including, `maxval`.

    Args:
        shape: of the result: a list, a tuple, or a vector.
        minval: the lower limit.
        maxval: the upper limit; None means 1. Gradients flow to both limits of floats.
        dtype: a float dtype, int32 or int64.
        seed: the seed of this op; see `set_seed`.

    Raises:
        ValueError: the dtype is another, or it is an integer dtype and there is no `maxval`.
        InvalidArgumentError: `shape` is not a vector of integers.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.uniform([2], -1.0, 1.0).numpy())
    [-0.6697383   0.80296254]
    """
    dtype = allowed(dtype)
    if maxval is None and dtype.is_integer:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
    minval, maxval = limit(minval, dtype, "min"), limit(1 if maxval is None else maxval, dtype, "max")
    if dtype.is_integer:
        return uniform_integers(minval, maxval, shape, seed)
    return standard_uniform(shape, dtype, seed) * (maxval - minval) + minval


def normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Random numbers of the normal distribution. Gradients flow to `mean` and `stddev`.

    Args:
        shape: of the result: a list, a tuple, or a vector.
        mean, stddev: numbers, or Tensors that broadcast with the shape.
        dtype: a float dtype.
        seed: the seed of this op; see `set_seed`.

    Raises:
        InvalidArgumentError: `shape` is not a vector of integers.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.normal([2], mean=10.0, stddev=0.1).numpy())
    [ 9.889878 10.154575]
    """
    mean, stddev = limit(mean, dtype, "mean"), limit(stddev, dtype, "stddev")
    return standard_normal(shape, dtype, seed) * stddev + mean


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Like `normal`, but numbers more than two standard deviations from the mean are drawn again.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.truncated_normal([2], mean=10.0, stddev=0.1).numpy())
    [ 9.889878 10.154575]
    """
    mean, stddev = limit(mean, dtype, "mean"), limit(stddev, dtype, "stddev")
    return standard_truncated(shape, dtype, seed) * stddev + mean


def poisson(shape, lam, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Random numbers of the Poisson distribution: counts of events, with mean `lam`.

    Args:
        shape: the shape of the numbers to draw for each mean.
        lam: the means, of any shape.
        dtype: float16, float32, float64, int32 or int64.
        seed: the seed of this op; see `set_seed`.

    Returns:
        Shape `shape + lam.shape`.

    Raises:
        LookupError: (in `tape.gradient`) no gradient is registered for `lam`, as in TensorFlow.
        InvalidArgumentError: `lam` is not finite.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.poisson([4], lam=3.0).numpy())
    [0. 3. 1. 3.]
    """
    return poisson_counts(lam, shape, dtype, seed)


def gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Random numbers of the gamma distribution. Gradients flow to `alpha` and `beta`.

    Args:
        shape: the shape of the numbers to draw for each distribution.
        alpha: the shape parameter of the distribution, whose mean is `alpha / beta`.
        beta: the rate; None means 1. It broadcasts with `alpha`.
        dtype: a float dtype, that of `alpha`, `beta` and the result.
        seed: the seed of this op; see `set_seed`.

    Returns:
        Shape `shape + (alpha + beta).shape`.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.gamma([2], [0.5, 3.0]).numpy())
    [[0.39574215 1.4311152 ]
     [0.01546865 4.588514  ]]
    """
    alpha, beta = broadcast_parameters(alpha, beta, dtype)
    with errors_of("RandomGamma"):
        shape = vector(tidy.integers(shape))
        used = count_of(shape) * alpha.value.size * AHEAD
    return at_rate(gamma_numbers(alpha, shape, stream_for("RandomGamma", alpha.dtype, seed, used).place), beta)


def broadcast_parameters(alpha, beta, dtype):
    """The parameters of a gamma distribution as Tensors, alpha in the shape of both."""
    np.finfo(dtypes.to_numpy(dtype))  # raises ValueError for integers
    alpha, beta = limit(alpha, dtype, "alpha"), limit(1 if beta is None else beta, dtype, "beta")
    with errors_of("BroadcastArgs"):
        return broadcast_to(alpha, common_shape(alpha, beta, "Incompatible shapes:")), beta


def common_shape(x, y, problem):
    """The shape to which two Tensors broadcast. Raise InvalidArgumentError if there is none."""
    try:
        return np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise invalid(f"{problem} {bracketed(x.shape)} vs. {bracketed(y.shape)}") from None


def at_rate(numbers, beta):
    """Gamma numbers of rate beta from those of rate 1; all are positive."""
    return maximum(np.finfo(beta.dtype.dtype).tiny, numbers / beta)


def limit(x, dtype, name):
    """A parameter of a distribution, as a Tensor of this dtype. Raise ValueError if it is a Tensor of another."""
    if not hasattr(x, "__tf_tensor__"):
        return Tensor.of(as_value(x, dtype))
    tensor, dtype = convert(x), dtypes.as_dtype(dtype)
    if tensor.dtype != dtype:
        problem = f"{name}: Tensor conversion requested dtype {dtype.name}"
        raise ValueError(f"{problem} for Tensor with dtype {tensor.dtype.name}: {tensor!r}")
    return tensor
