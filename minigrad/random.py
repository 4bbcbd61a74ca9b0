"""tf.random: the very numbers that TensorFlow draws from the same seeds.

It takes three steps: seeds for an op (`stream_for`), random bits from the seeds (`Stream`), numbers from the bits
(`unit`, `normals`, `truncated`). Bits are never used up: those of any place in a stream can be computed at once.
"""

import random

import numpy as np

from . import attributes as tidy
from . import dtypes, errors, math
from .op import convert, op
from .tensor import Tensor

WORD = 0xFFFFFFFF  # the largest 32-bit number
LARGEST_SEED = 2**31 - 1
FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
INTEGERS = (dtypes.int32, dtypes.int64)


# ---- seeds ---------------------------------------------------------------------------------------------------------


class Seeds:
    """What `set_seed` sets: the global seed, what it gives to ops without a seed, and how far each op with a seed has come."""

    def __init__(self, seed=None):
        self.seed, self.draw, self.places = seed, random.Random(seed), {}


seeds = Seeds()


def set_seed(seed) -> None:
    """Start all random numbers anew: the same seed, the same numbers, and those of TensorFlow.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> print(mg.random.normal([3]).numpy())
    [-1.1012203  1.5457517  0.383644 ]
    """
    global seeds
    seeds = Seeds(seed if seed is None or isinstance(seed, (int, str)) else int(seed))


def pair_for(seed):
    """The two seeds of one op: the global one, and its own, which is drawn if the user gave none."""
    first = seeds.seed
    if seed is None:
        if first is None:
            return random.SystemRandom().getrandbits(64), random.SystemRandom().getrandbits(64)
        seed = seeds.draw.randint(0, LARGEST_SEED)
    first = 87654321 if first is None else int(first) % LARGEST_SEED
    return (first, int(seed) % LARGEST_SEED) if first or int(seed) % LARGEST_SEED else (0, LARGEST_SEED)


def stream_for(op, dtype, seed, used):
    """The random bits for one call of an op; a next call with the same seed goes on `used` blocks later."""
    pair = pair_for(seed)
    place = seeds.places.get((op, dtype, pair), 0)
    if seed is not None:
        seeds.places[op, dtype, pair] = place + used
    return Stream(pair[0], (pair[1] << 64) + place)


# ---- bits ----------------------------------------------------------------------------------------------------------


class Stream:
    """Philox4x32-10: block i, four words of 32 random bits, is computed from the key and the number `counter + i` alone.

    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
    """

    def __init__(self, key: int, counter: int):
        self.key, self.counter = key, counter

    def blocks(self, count, start=0):
        """`count` blocks, as rows of four words. `start` may be an array of starts; its axes come first."""
        low, high = np.uint64(self.counter & (2**64 - 1)), np.uint64(self.counter >> 64 & (2**64 - 1))
        place = np.asarray(start, np.uint64)[..., None] + np.arange(count, dtype=np.uint64)
        lows = place + low
        highs = high + (lows < low)  # what is carried
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
        """The first `count` numbers of 64 bits, each made of two words."""
        return joined(self.words(2 * count).reshape(-1, 2))


def joined(words):
    """Pairs of words, the lower first, as 64-bit numbers."""
    return words[..., 0] | words[..., 1] << 32


def stateless_stream(seed):
    """The random bits that belong to a pair of seeds, which are scrambled first."""
    seed = convert(seed).value
    if np.shape(seed) != (2,):
        shape = ",".join(map(str, np.shape(seed)))
        raise errors.InvalidArgumentError(
            None, None, f"seed must have shape [2], not [{shape}] [Op:StatelessRandomGetKeyCounter] name: "
        )
    first, second = (int(s) % 2**64 for s in seed)
    key, counter = Stream(0x02461E293EC8F720, first | second << 64).blocks(1).reshape(2, 2)
    return Stream(int(joined(key)), int(joined(counter)) << 64)


# ---- numbers -------------------------------------------------------------------------------------------------------


def unit(stream, dtype, count):
    """Floats in [0, 1): random bits as the digits of 1.xxx, minus 1."""
    if dtype == np.float64:
        return unit64(stream.words(2 * count).reshape(-1, 2))
    if dtype == np.float16:
        return (stream.words(count) & 0x3FF | 0x3C00).astype(np.uint16).view(np.float16) - np.float16(1)
    return unit32(stream.words(count))


def unit32(words):
    return (words & 0x7FFFFF | 0x3F800000).astype(np.uint32).view(np.float32) - np.float32(1)


def unit64(words):
    return ((words[..., 0] & 0xFFFFF) << 32 | words[..., 1] | 0x3FF << 52).view(np.float64) - 1.0


def normals(stream, dtype, count):
    """Floats of the standard normal distribution."""
    pairs = stream.blocks(-(-count // (2 if dtype == np.float64 else 4)))
    return box_muller(pairs.reshape(-1, 4 if dtype == np.float64 else 2)).reshape(-1)[:count].astype(dtype)


def box_muller(words):
    """Two normal numbers from two uniform ones (Box and Muller, 1958): the radius from one, the angle from the other."""
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
    """Normal numbers nearer to 0 than 2: others are thrown away. Each group of results has 256 blocks to draw from."""
    group, pair = (2, 4) if dtype == np.float64 else (4, 2)
    starts = np.arange(-(-count // group)) * 256
    depth, kept = 8, np.zeros(1)
    while not kept.all():
        tries = box_muller(stream.blocks(depth, starts).reshape(len(starts), -1, pair)).reshape(len(starts), -1)
        first = np.argsort(abs(tries) >= 2, axis=1, kind="stable")[:, :group]
        tries = np.take_along_axis(tries, first, axis=1)
        depth, kept = 2 * depth, abs(tries) < 2
    return tries.reshape(-1)[:count].astype(dtype)


def integers(stream, dtype, count, low, high):
    """Whole numbers from `low` to `high - 1`: the remainder of random bits."""
    bits, unsigned = (stream.longs(count), np.uint64) if dtype == np.int64 else (stream.words(count), np.uint32)
    size = unsigned(int(high) - int(low))
    return (bits.astype(unsigned) % size).astype(dtype) + dtype.type(low)


# ---- logarithm, sine and cosine to the last bit --------------------------------------------------------------------
# TensorFlow takes them from the C library, which computes them in float64 and rounds once. Its last bit depends on
# these coefficients (Arm's optimized routines, as in glibc); NumPy's own float32 functions differ in one number of six.

NEAR = np.array([float.fromhex(h) for h in """
    0x1.661ec79f8f3bep+0 0x1.571ed4aaf883dp+0 0x1.49539f0f010bp+0 0x1.3c995b0b80385p+0 0x1.30d190c8864a5p+0
    0x1.25e227b0b8ea0p+0 0x1.1bb4a4a1a343fp+0 0x1.12358f08ae5bap+0 0x1.0953f419900a7p+0 0x1p+0 0x1.e608cfd9a47acp-1
    0x1.ca4b31f026aa0p-1 0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1 0x1.886e6037841edp-1 0x1.767dcf5534862p-1
""".split()])  # fmt: skip
NEAR_LOG = np.array([float.fromhex(h) for h in """
    -0x1.57bf7808caadep-2 -0x1.2bef0a7c06ddbp-2 -0x1.01eae7f513a67p-2 -0x1.b31d8a68224e9p-3 -0x1.6574f0ac07758p-3
    -0x1.1aa2bc79c8100p-3 -0x1.a4e76ce8c0e5ep-4 -0x1.1973c5a611cccp-4 -0x1.252f438e10c1ep-5 0x0p+0 0x1.aa5aa5df25984p-5
    0x1.c5e53aa362eb4p-4 0x1.526e57720db08p-3 0x1.bc2860d224770p-3 0x1.1058bc8a07ee1p-2 0x1.4043057b6ee09p-2
""".split()])  # fmt: skip
LOG = [float.fromhex(h) for h in "-0x1.00ea348b88334p-2 0x1.5575b0be00b6ap-2 -0x1.ffffef20a4123p-2".split()]
SINE = [float.fromhex(h) for h in "-0x1.994eb3774cf24p-13 0x1.1107605230bc4p-7 -0x1.555545995a603p-3".split()]
COSINE = [float.fromhex(h) for h in """
    0x1.99343027bf8c3p-16 -0x1.6c087e89a359dp-10 0x1.55553e1068f19p-5 -0x1.ffffffd0c621cp-2
""".split()]  # fmt: skip


def logf(x):
    """The logarithm of positive float32: log(2**k z) = k log(2) + log(c) + log(1 + r), where c is near z, and r small."""
    bits = x.view(np.int32)
    shifted = bits - 0x3F330000
    place, k = shifted >> 19 & 15, shifted >> 23
    z = (bits - (k << 23)).view(np.float32).astype(np.float64)
    r = z * NEAR[place] - 1
    y = (LOG[0] * (r * r) + (LOG[1] * r + LOG[2])) * (r * r) + (NEAR_LOG[place] + k * np.log(2.0) + r)
    return y.astype(np.float32)


def sincosf(angle):
    """Sine and cosine of float32: of the rest after quarter turns, by which they change places and signs."""
    x = angle.astype(np.float64)
    turns = ((x * (2 / np.pi * 2**24)).astype(np.int32) + 2**23) >> 24
    x -= turns * (np.pi / 2)
    xx = x * x
    sine = x + x * xx * SINE[2] + x * xx * xx * (SINE[1] + xx * SINE[0])
    cosine = 1 + xx * COSINE[3] + xx * xx * COSINE[2] + xx * xx * xx * (COSINE[1] + xx * COSINE[0])
    sine, cosine = np.where(turns & 1, cosine, sine), np.where(turns & 1, -sine, cosine)
    sign = np.where(turns & 2, -1, 1)
    return (sine * sign).astype(np.float32), (cosine * sign).astype(np.float32)
