"""Random numbers from random bits, each distribution by one formula."""

import numpy as np

from .streams import groups


def unit(stream, dtype, count):
    """Floats in [0, 1): random bits as the binary digits of 1.xxx, minus 1."""
    if dtype == np.float64:
        return unit64(stream.words(2 * count).reshape(count, 2))
    if dtype == np.float16:
        return (stream.words(count) & 0x3FF | 0x3C00).astype(np.uint16).view(np.float16) - 1
    return unit32(stream.words(count))


def unit32(words):
    """float32 in [0, 1), from one word each."""
    return (words & 0x7FFFFF | 0x3F800000).astype(np.uint32).view(np.float32) - 1


def unit64(words):
    """float64 in [0, 1), from two words each."""
    return ((words[..., 0] & 0xFFFFF) << 32 | words[..., 1] | 0x3FF << 52).view(np.float64) - 1.0


def normals(stream, dtype, count):
    """Numbers of the standard normal distribution."""
    group, pair = (2, 4) if dtype == np.float64 else (4, 2)
    words = stream.blocks(groups(count, group))
    return box_muller(words.reshape(len(words), group // 2, pair)).ravel()[:count].astype(dtype)


def box_muller(words):
    """Two normal numbers from two uniform ones, which become radius and angle.

    Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958).
    """
    if words.shape[-1] == 4:
        u, angle = np.maximum(unit64(words[..., :2]), 1e-7), 2 * np.pi * unit64(words[..., 2:])
        radius = np.sqrt(-2 * np.log(u))
        return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], axis=-1)
    u = np.maximum(unit32(words[..., 0]), 1e-7)
    angle = (2 * np.pi * unit32(words[..., 1]).astype(np.float64)).astype(np.float32)
    radius = np.sqrt(np.float32(-2) * logf(u))
    sine, cosine = sincosf(angle)
    return np.stack([sine * radius, cosine * radius], axis=-1)


def truncated(stream, dtype, count):
    """Normal numbers between -2 and 2, by rejection.

    Each group of 2 or 4 results has its own blocks, 64 for each result. The first 8 give eight times as many tries as
    are needed, of which one in 22 is rejected.
    """
    group, pair = (2, 4) if dtype == np.float64 else (4, 2)
    starts = np.arange(groups(count, group)) * group * 64
    words = stream.blocks(8, starts).reshape(len(starts), 32 // pair, pair)
    tries = box_muller(words).reshape(len(starts), 64 // pair)
    first = np.argsort(abs(tries) >= 2, axis=1, kind="stable")[:, :group]
    return np.take_along_axis(tries, first, axis=1).ravel()[:count].astype(dtype)


def integers(stream, dtype, count, low=None, high=None):
    """Integers from `low` to `high - 1`: random bits modulo their number. Without limits, the bits themselves."""
    bits = (stream.longs if dtype.itemsize == 8 else stream.words)(count)
    if low is None:
        return bits.astype(dtype)
    return (bits % np.uint64(int(high) - int(low))).astype(dtype) + dtype.type(low)


def classes(stream, logits, num_samples):
    """Classes with the probabilities softmax(logits): shape `(batch, num_samples)`."""
    logits = np.where(np.isfinite(logits), logits, -np.inf).astype(np.float64)  # inf and nan count as -inf
    heights = np.cumsum(np.exp(logits - np.nan_to_num(logits.max(axis=1, keepdims=True))), axis=1)
    words = stream.words(2 * len(logits) * num_samples).reshape(len(logits), num_samples, 2)
    return np.sum(heights[:, None, :] <= (unit64(words) * heights[:, -1:])[:, :, None], axis=-1)


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
