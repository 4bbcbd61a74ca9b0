"""tf.random: from the same seeds the same numbers as in TensorFlow.

There are three steps: from seeds to a stream for each op (`stream_for`), from the stream to random bits (`Stream`), and
from bits to numbers (`unit`, `normals`, `truncated`). The bits at any place of a stream can be computed without those
before it.
"""

import itertools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .engine import Tensor, as_value, bracketed, convert, dtypes, invalid, not_among, op, tidy, unregistered
from .engine.listening import put_off
from .errors import by_kernel
from .math.special import lgamma

__all__ = ["Generator", "categorical", "normal", "poisson", "set_seed", "shuffle", "stateless_normal",
           "stateless_poisson", "stateless_truncated_normal", "stateless_uniform", "truncated_normal",
           "uniform"]  # fmt: skip

WORD = 0xFFFFFFFF  # the largest 32-bit number
LARGEST_SEED = 2**31 - 1
FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
INTEGERS = (dtypes.int32, dtypes.int64)
AHEAD = 256  # blocks that an op with a seed reserves for each of its numbers


# ---- seeds ---------------------------------------------------------------------------------------------------------


class Seeds:
    """What `set_seed` sets: the global seed, the source of other ops' seeds, and the positions of ops with a seed."""

    def __init__(self, seed=None):
        self.seed, self.draw, self.places = seed, None, {}
        if seed is not None:
            from random import Random  # only if a seed is set: importing it takes time

            self.draw = Random(seed)


seeds = Seeds()


def set_seed(seed) -> None:
    """Set the global seed, and restart all random sequences: with the same seed the numbers repeat, as in TensorFlow.

    An op that is given a `seed` has a sequence of its own, which depends on both seeds.

    Args:
        seed: an int, or None for unpredictable numbers.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.normal([3]).numpy())
    [-1.1012203  1.5457517  0.383644 ]
    """
    global seeds
    seeds = Seeds(seed if seed is None or isinstance(seed, (int, str)) else int(seed))


def pair_for(seed):
    """The two seeds of one op: the global seed, and its own, which is drawn if the user gave none."""
    first = seeds.seed
    if seed is None:
        if first is None:
            return int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little")
        seed = seeds.draw.randint(0, LARGEST_SEED)
    first = 87654321 if first is None else int(first) % LARGEST_SEED
    return (first, int(seed) % LARGEST_SEED) if first or int(seed) % LARGEST_SEED else (0, LARGEST_SEED)


def stream_for(op, dtype, seed, used):
    """The random bits for one call of an op. The next call with the same seed continues `used` blocks later."""
    put_off()
    pair = pair_for(seed)
    place = seeds.places.get((op, dtype, pair), 0)
    if seed is not None:
        seeds.places[op, dtype, pair] = place + used
    return Stream(pair[0], (pair[1] << 64) + place)


# ---- bits ----------------------------------------------------------------------------------------------------------


class Stream:
    """Random bits of Philox4x32-10. Block i, of four 32-bit words, depends on the key and on `counter + i` alone.

    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
    """

    def __init__(self, key: int, counter: int):
        self.key, self.counter = key, counter

    def blocks(self, count, start=0):
        """`count` blocks from `start` on, as rows of four words. If `start` is an array, its axes come first."""
        low, high = np.uint64(self.counter & (2**64 - 1)), np.uint64(self.counter >> 64 & (2**64 - 1))
        place = np.asarray(start, np.uint64)[..., None] + np.arange(count, dtype=np.uint64)
        lows = place + low
        highs = high + (lows < low)  # the carry
        a, b, c, d = lows & WORD, lows >> 32, highs & WORD, highs >> 32
        key0, key1 = self.key & WORD, self.key >> 32 & WORD
        for _ in range(10):
            p, q = a * 0xD2511F53, c * 0xCD9E8D57
            a, b, c, d = q >> 32 ^ b ^ key0, q & WORD, p >> 32 ^ d ^ key1, p & WORD
            key0, key1 = key0 + 0x9E3779B9 & WORD, key1 + 0xBB67AE85 & WORD
        return np.stack([a, b, c, d], axis=-1)

    def words(self, count):
        """The first `count` words."""
        return self.blocks(-(-count // 4)).reshape(-1)[:count]

    def longs(self, count):
        """The first `count` 64-bit numbers, each of two words."""
        return joined(self.words(2 * count).reshape(-1, 2))


def joined(words):
    """Pairs of words, the lower one first, as 64-bit numbers."""
    return words[..., 0] | words[..., 1] << 32


def stateless_stream(seed):
    """The random bits of a pair of seeds, which are scrambled first."""
    seed = convert(seed).value
    if seed.dtype not in (np.int32, np.int64):
        raise by_kernel("StatelessRandomGetKeyCounter", not_among("Tseed", seed.dtype, "int32, int64"))
    if np.shape(seed) != (2,):
        problem = f"seed must have shape [2], not {bracketed(np.shape(seed))}"
        raise by_kernel("StatelessRandomGetKeyCounter", problem)
    first, second = (int(s) % 2**64 for s in seed)
    key, counter = Stream(0x02461E293EC8F720, first | second << 64).blocks(1).reshape(2, 2)
    return Stream(int(joined(key)), int(joined(counter)) << 64)


# ---- numbers -------------------------------------------------------------------------------------------------------


def unit(stream, dtype, count):
    """Floats in [0, 1): random bits as the binary digits of 1.xxx, minus 1."""
    if dtype == np.float64:
        return unit64(stream.words(2 * count).reshape(-1, 2))
    if dtype == np.float16:
        return (stream.words(count) & 0x3FF | 0x3C00).astype(np.uint16).view(np.float16) - np.float16(1)
    return unit32(stream.words(count))


def unit32(words):
    """float32 in [0, 1), from one word each."""
    return (words & 0x7FFFFF | 0x3F800000).astype(np.uint32).view(np.float32) - np.float32(1)


def unit64(words):
    """float64 in [0, 1), from two words each."""
    return ((words[..., 0] & 0xFFFFF) << 32 | words[..., 1] | 0x3FF << 52).view(np.float64) - 1.0


def normals(stream, dtype, count):
    """Numbers of the standard normal distribution."""
    pairs = stream.blocks(-(-count // (2 if dtype == np.float64 else 4)))
    return box_muller(pairs.reshape(-1, 4 if dtype == np.float64 else 2)).reshape(-1)[:count].astype(dtype)


def box_muller(words):
    """Two normal numbers from two uniform ones, which become radius and angle.

    Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958).
    """
    if words.shape[-1] == 4:
        u, angle = np.maximum(unit64(words[..., :2]), 1e-7), 2 * np.pi * unit64(words[..., 2:])
        radius = np.sqrt(-2 * np.log(u))
        return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], axis=-1)
    u = np.maximum(unit32(words[..., 0]), np.float32(1e-7))
    angle = (2 * np.pi * unit32(words[..., 1]).astype(np.float64)).astype(np.float32)
    radius = np.sqrt(np.float32(-2) * logf(u))
    sine, cosine = sincosf(angle)
    return np.stack([sine * radius, cosine * radius], axis=-1)


def truncated(stream, dtype, count):
    """Normal numbers between -2 and 2, by rejection. Each group of results has its own blocks, 64 for each result."""
    group, pair = (2, 4) if dtype == np.float64 else (4, 2)
    starts = np.arange(-(-count // group)) * group * 64
    depth, kept = 8, np.zeros(1)
    while not kept.all():
        tries = box_muller(stream.blocks(depth, starts).reshape(len(starts), 4 * depth // pair, pair))
        tries = tries.reshape(len(starts), tries.shape[1] * 2)
        first = np.argsort(abs(tries) >= 2, axis=1, kind="stable")[:, :group]
        tries = np.take_along_axis(tries, first, axis=1)
        depth, kept = 2 * depth, abs(tries) < 2
    return tries.reshape(-1)[:count].astype(dtype)


def integers(stream, dtype, count, low=None, high=None):
    """Integers from `low` to `high - 1`: random bits modulo their number. Without limits, the bits themselves."""
    bits = (stream.longs if dtype == np.int64 else stream.words)(count)
    if low is None:
        return bits.astype(dtype)
    return (bits % np.uint64(int(high) - int(low))).astype(dtype) + dtype.type(low)


def counts(stream, rates, samples):
    """Numbers of Poisson distributions with these rates (means): shape `(samples, *rates.shape)`."""
    rates = rates.astype(np.float64)
    if not np.isfinite(rates).all():
        raise invalid(f"the mean of a count must be finite, got {rates}")
    places = AHEAD * np.arange(rates.size * samples, dtype=np.uint64)
    places = places.reshape(rates.size, samples).T.reshape(samples, *rates.shape)
    found, seldom = np.zeros(places.shape), np.broadcast_to(rates < 10, places.shape)
    for which, numbers in (seldom, few), (~seldom, many):
        found[which] = numbers(stream, np.broadcast_to(rates, places.shape)[which], places[which])
    return found


def tries(stream, places):
    """Endless pairs of uniform numbers for each place. TensorFlow uses the second number of a block first."""
    for trial in itertools.count():
        later, first = np.moveaxis(unit64(stream.blocks(1, places + np.uint64(trial)).reshape(-1, 2, 2)), 1, 0)
        yield first, later


def few(stream, rates, places):
    """Poisson numbers of small rates: how many uniform numbers have a product above exp(-rate).

    Knuth, "The Art of Computer Programming", volume 2 (1969).
    """
    product, found, lowest, draws = np.ones(rates.shape), np.zeros(rates.shape), np.exp(-rates), tries(stream, places)
    while (product > lowest).any():
        for u in next(draws):
            product *= u
            found += product > lowest
    return found


def many(stream, rates, places):
    """Poisson numbers of large rates, by rejection.

    Hörmann, "The transformed rejection method for generating Poisson random variables" (1993).
    """
    b = 0.931 + 2.53 * np.sqrt(rates)
    a = -0.059 + 0.02483 * b
    alpha, inside = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    found, open, draws = np.zeros(rates.shape), np.ones(rates.shape, bool), tries(stream, places)
    while open.any():
        u, v = next(draws)
        u = u - 0.5
        edge = 0.5 - np.abs(u)
        k = np.floor((2 * a / edge + b) * u + rates + 0.43)
        likely = np.log(v * alpha / (a / edge**2 + b)) <= k * np.log(rates) - rates - lgamma.np(np.maximum(k, 0) + 1)
        taken = (edge >= 0.07) & (v <= inside) | (k >= 0) & ~((edge < 0.013) & (v > edge)) & likely
        found, open = np.where(open & taken, k, found), open & ~taken
    return found


# ---- logarithm, sine and cosine to the last bit --------------------------------------------------------------------
# TensorFlow takes them from the C library, which computes them in float64 and rounds once. Its last bit depends on
# these coefficients (Arm's optimized routines, as in glibc); NumPy's own float32 functions differ in one number of six.

NEAR = np.array([  # 1 / c for each sixteenth of an octave
    1.398907162146528, 1.3403141896637998, 1.286432210124115, 1.2367150214269895, 1.1906977166711752,
    1.1479821020556429, 1.1082251448272158, 1.0711297413057381, 1.036437278977283, 1.0, 0.9492859795739057,
    0.8951049428609004, 0.8476821620351103, 0.8050314851692001, 0.7664671008843108, 0.731428603316328,
])  # fmt: skip
NEAR_LOG = -np.log(NEAR)
LOG = -0.25089342214237154, 0.333456765744066, -0.4999997485802103
SINE = -0.00019517298981385725, 0.008332178146138854, -0.16666654943701084
COSINE = 2.4390450703564542e-05, -0.001388676379437604, 0.041666623324344516, -0.49999999725108224


def logf(x):
    """Logarithm of positive float32: log(2**k z) = k log(2) + log(c) + log(1 + r), where c is near z and r is small."""
    bits = x.view(np.int32)
    shifted = bits - 0x3F330000
    place, k = shifted >> 19 & 15, shifted >> 23
    z = (bits - (k << 23)).view(np.float32).astype(np.float64)
    r = z * NEAR[place] - 1
    y = (LOG[0] * (r * r) + (LOG[1] * r + LOG[2])) * (r * r) + (NEAR_LOG[place] + k * np.log(2.0) + r)
    return y.astype(np.float32)


def sincosf(angle):
    """Sine and cosine of float32: reduce the angle by quarter turns, then swap and negate both accordingly."""
    x = angle.astype(np.float64)
    turns = ((x * (2 / np.pi * 2**24)).astype(np.int32) + 2**23) >> 24
    x -= turns * (np.pi / 2)
    xx = x * x
    sine = x + x * xx * SINE[2] + x * xx * xx * (SINE[1] + xx * SINE[0])
    cosine = 1 + xx * COSINE[3] + xx * xx * COSINE[2] + xx * xx * xx * (COSINE[1] + xx * COSINE[0])
    sine, cosine = np.where(turns & 1, cosine, sine), np.where(turns & 1, -sine, cosine)
    sign = np.where(turns & 2, -1, 1)
    return (sine * sign).astype(np.float32), (cosine * sign).astype(np.float32)


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
    for name, limit in ("minval", minval), ("maxval", maxval):
        if limit.ndim:
            raise invalid(f"{name} must be 0-D, got shape {list(limit.shape)}")
    if minval >= maxval:
        raise invalid(f"Need minval < maxval, got {minval} >= {maxval}")
    return drawn("RandomUniformInt", integers, shape, minval.dtype, seed, minval, maxval)


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
    order = np.arange(rows)
    words = stream_for("RandomShuffle", value.dtype, seed, (rows + 2) // 4).words(rows)
    for place in range(rows - 1):  # the Fisher-Yates shuffle
        other = place + int(words[place]) % (rows - place)
        order[[place, other]] = order[[other, place]]
    return value[order] if value.ndim else value


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
        num_samples: how many classes to draw for each row.
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
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {list(logits.shape)}")
    if num_samples < 0:
        raise invalid(f"num_samples should be non-negative, got {num_samples}")
    logits = logits.astype(np.float64)
    batch, ahead = len(logits), -(-num_samples // 4) * 8 * AHEAD
    stream = stream_for("Multinomial", dtype, seed, batch * ahead)
    heights = np.cumsum(np.exp(logits - logits.max(axis=1, keepdims=True)), axis=1)
    level = unit64(stream.words(2 * batch * num_samples).reshape(batch, num_samples, 2)) * heights[:, -1:]
    return np.sum(heights[:, None, :] <= level[:, :, None], axis=-1).astype(dtype)


def counted(dtype):
    """The dtype of Poisson numbers. Raise InvalidArgumentError if they cannot have it."""
    dtype = dtypes.to_numpy(dtype)
    if dtype not in FLOATS + INTEGERS:
        raise by_kernel("RandomPoissonV2", not_among("dtype", dtype, "half, float, double, int32, int64"))
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
    stream = stream_for("RandomPoissonV2", dtype, seed, count_of(shape) * rate.size * AHEAD)
    return counts(stream, rate, count_of(shape)).reshape((*shape, *rate.shape)).astype(dtype)[()]


# ---- public functions ----------------------------------------------------------------------------------------------


def uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Random numbers of the uniform distribution from `minval` up to, but not including, `maxval`.

    Args:
        shape: of the result: a list, a tuple, or a vector.
        minval: the lower limit.
        maxval: the upper limit; None means 1. Gradients flow to both limits of floats.
        dtype: a float dtype, int32 or int64.
        seed: the seed of this op; see `set_seed`.
        name: accepted as in TensorFlow, without effect.

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
    minval, maxval = limit(minval, dtype, "minval"), limit(1 if maxval is None else maxval, dtype, "maxval")
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
        name: accepted as in TensorFlow, without effect.

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
    """As `normal`, but numbers more than two standard deviations from the mean are drawn again.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.truncated_normal([2], mean=10.0, stddev=0.1).numpy())
    [ 9.889878 10.154575]
    """
    mean, stddev = limit(mean, dtype, "mean"), limit(stddev, dtype, "stddev")
    return standard_truncated(shape, dtype, seed) * stddev + mean


def poisson(shape, lam, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Random numbers of the Poisson distribution: counts of events, of which there are `lam` on average.

    Args:
        shape: the shape of the numbers to draw for each mean.
        lam: the means, of any shape.
        dtype: float16, float32, float64, int32 or int64.
        seed: the seed of this op; see `set_seed`.
        name: accepted as in TensorFlow, without effect.

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


def limit(x, dtype, name):
    """A parameter of a distribution, as a Tensor of this dtype. Raise ValueError if it is a Tensor of another."""
    if not hasattr(x, "__tf_tensor__"):
        return Tensor.of(as_value(x, dtype))
    tensor, dtype = convert(x), dtypes.as_dtype(dtype)
    if tensor.dtype != dtype:
        problem = f"{name}: Tensor conversion requested dtype {dtype.name}"
        raise ValueError(f"{problem} for Tensor with dtype {tensor.dtype.name}: {tensor!r}")
    return tensor


# ---- stateless -----------------------------------------------------------------------------------------------------


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None, alg="auto_select") -> Tensor:
    """As `uniform`, from a pair of seeds alone: the same seeds always give the same numbers.

    Args:
        shape, minval, maxval, dtype, name: as for `uniform`. Integers without limits have all bits random.
        seed: two integers, shape `(2,)`.
        alg: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: the dtype is another, or it is an integer dtype and only one limit is given.
        InvalidArgumentError: `seed` is not of shape `(2,)`.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_uniform([2], seed=[1, 2]).numpy())
    [0.8440604  0.19204533]
    """
    dtype = allowed(dtype)
    if dtype.is_integer and (minval is None) != (maxval is None):
        problem = f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None or not None."
        raise ValueError(f"{problem} Got `minval`={minval} and `maxval`={maxval}.")
    if dtype.is_integer:
        return Tensor.of(stateless(integers, shape, seed, dtype, minval, maxval))
    minval, maxval = limit(minval, dtype, "minval"), limit(1 if maxval is None else maxval, dtype, "maxval")
    return Tensor.of(stateless(unit, shape, seed, dtype)) * (maxval - minval) + minval


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select") -> Tensor:
    """As `normal`, from a pair of seeds alone; see `stateless_uniform`.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_normal([2], seed=[1, 2]).numpy())
    [0.5441101  0.20738031]
    """
    numbers = Tensor.of(stateless(normals, shape, seed, dtype))
    return numbers * limit(stddev, dtype, "stddev") + limit(mean, dtype, "mean")


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None,
                               alg="auto_select") -> Tensor:  # fmt: skip
    """As `truncated_normal`, from a pair of seeds alone; see `stateless_uniform`.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_truncated_normal([2], seed=[1, 2]).numpy())
    [0.5441101  0.20738031]
    """
    numbers = Tensor.of(stateless(truncated, shape, seed, dtype))
    return numbers * limit(stddev, dtype, "stddev") + limit(mean, dtype, "mean")


def stateless_poisson(shape, seed, lam, dtype=dtypes.int32, name=None) -> Tensor:
    """As `poisson`, from a pair of seeds alone; see `stateless_uniform`.

    `shape` is the shape of the result, whose last axes are those of `lam`.

    Raises:
        InvalidArgumentError: `shape` does not end with the shape of `lam`, or `lam` is not finite.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_poisson([2, 3], [1, 2], lam=[1.0, 5.0, 50.0]).numpy())
    [[ 3  8 43]
     [ 3  8 56]]
    """
    shape, rates, dtype = vector(shape), convert(lam).value, counted(dtype)
    before = len(shape) - rates.ndim
    if before < 0 or shape[before:] != rates.shape:
        problem = "Shape passed in must end with broadcasted shape:"
        raise invalid(f"{problem} {list(shape)} does not end with {list(rates.shape)}.")
    numbers = counts(stateless_stream(seed), rates, count_of(shape[:before]))
    return Tensor.of(numbers.reshape(shape).astype(dtype)[()])


def stateless(numbers, shape, seed, dtype, *limits):
    """An array of random numbers from a pair of seeds."""
    shape, dtype = vector(shape), dtypes.to_numpy(dtype)
    return numbers(stateless_stream(seed), dtype, count_of(shape), *limits).reshape(shape)[()]


class Generator:
    """Random numbers with a state of its own, which `set_seed` does not change.

    >>> import minigrad as mg
    >>> g = mg.random.Generator.from_seed(1)
    >>> print(g.normal([3]).numpy())
    [ 0.43842274 -0.53439844 -0.07710262]
    """

    def __init__(self, seed: int):
        seed = int(seed)
        self.stream = Stream(seed >> 128, seed & (2**128 - 1))  # the sign of a negative seed extends into the key

    @classmethod
    def from_seed(cls, seed: int, alg: Any = None) -> "Generator":
        """A new generator with this seed. `alg` is accepted as in TensorFlow, without effect."""
        return cls(seed)

    def uniform(self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
                name: str | None = None) -> Tensor:  # fmt: skip
        """As `mg.random.uniform`."""
        dtype = allowed(dtype)
        if dtype.is_integer:
            return self._drawn(integers, shape, dtype, minval, maxval)
        minval, maxval = limit(minval, dtype, "minval"), limit(1 if maxval is None else maxval, dtype, "maxval")
        return self._drawn(unit, shape, dtype) * (maxval - minval) + minval

    def normal(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
               name: str | None = None) -> Tensor:  # fmt: skip
        """As `mg.random.normal`."""
        numbers = self._drawn(normals, shape, dtype)
        return numbers * limit(stddev, dtype, "stddev") + limit(mean, dtype, "mean")

    def truncated_normal(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
                         name: str | None = None) -> Tensor:  # fmt: skip
        """As `mg.random.truncated_normal`."""
        numbers = self._drawn(truncated, shape, dtype)
        return numbers * limit(stddev, dtype, "stddev") + limit(mean, dtype, "mean")

    def _drawn(self, numbers, shape, dtype, *limits):
        put_off()
        shape, stream = vector(shape), self.stream
        count = count_of(shape)
        self.stream = Stream(stream.key, stream.counter + count * AHEAD)
        return Tensor.of(numbers(stream, dtypes.to_numpy(dtype), count, *limits).reshape(shape)[()])
