"""From seeds to random bits: which stream an op reads, and the bits at each place of a stream."""

import enum
import functools
import os
from typing import Any

import numpy as np

from ..engine import bracketed, convert, invalid, not_among
from ..engine.listening import listening, put_off
from ..errors import by_kernel, visible

WORD = 0xFFFFFFFF  # the largest 32-bit number
LARGEST_SEED = 2**31 - 1
AHEAD = 256  # blocks that an op with a seed reserves for each of its numbers


# ---- seeds ---------------------------------------------------------------------------------------------------------


class Seeds:
    """What `set_seed` sets: the global seed, the source of other ops' seeds, and the positions of ops with a seed."""

    def __init__(self, seed=None):
        self.seed, self.draw, self.places, self.unknown = seed, None, {}, int.from_bytes(os.urandom(7), "little")
        if seed is not None:
            from random import Random  # only if a seed is set: importing it takes time

            self.draw = functools.partial(Random(seed).randint, 0, LARGEST_SEED)


seeds = Seeds()


def set_seed(seed) -> None:
    """Set the global seed, and restart all random sequences: the same seed repeats the same numbers, as in TensorFlow.

    An op with a `seed` of its own has its own sequence, which depends on both seeds. So has each op in an `mg.function`
    or in a function of a Dataset.

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
    source = listening.graph or seeds
    first = source.seed
    if seed is None:
        if first is None:
            seeds.unknown += 1  # and not new from the system: a block that runs again draws the same
            return seeds.unknown, 0
        seed = source.draw()
    first = 87654321 if first is None else int(first) % LARGEST_SEED
    return (first, int(seed) % LARGEST_SEED) if first or int(seed) % LARGEST_SEED else (0, LARGEST_SEED)


def stream_for(op, dtype, seed, used):
    """The random bits for one call of an op. The next call with the same seed continues `used` blocks later."""
    put_off()
    run, pair = listening.graph, pair_for(seed)
    places, key = (seeds.places, (op, dtype, pair)) if run is None else run.place()
    place = places.get(key, 0)
    if seed is not None or run is not None:
        places[key] = place + used
    return Stream(pair[0], (pair[1] << 64) + place)


# ---- bits ----------------------------------------------------------------------------------------------------------


class Stream:
    """Random bits of Philox4x32-10. Block i, of four 32-bit words, depends on the key and on `counter + i` alone.

    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
    """

    def __init__(self, key: int, counter: int):
        self.key, self.counter = self.place = key, counter

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
        return self.blocks(groups(count, 4)).ravel()[:count]

    def longs(self, count):
        """The first `count` 64-bit numbers, each of two words."""
        return joined(self.words(2 * count).reshape(count, 2))


def groups(count, size):
    """How many groups of this size hold so many numbers."""
    return -(-count // size)


def joined(words):
    """Pairs of words, the lower one first, as 64-bit numbers."""
    return words[..., 0] | words[..., 1] << 32


def stateless_stream(seed, kernel="StatelessRandomGetKeyCounter"):
    """The random bits of a pair of seeds, which are scrambled first."""
    seed = convert(seed).value
    if seed.dtype not in (np.int32, np.int64):
        raise by_kernel(kernel, not_among("Tseed", seed.dtype, "int32, int64"))
    if np.shape(seed) != (2,):
        raise by_kernel(kernel, f"seed must have shape [2], not {bracketed(np.shape(seed))}")
    first, second = (int(s) % 2**64 for s in seed)
    key, counter = Stream(0x02461E293EC8F720, first | second << 64).blocks(1).reshape(2, 2)
    return Stream(int(joined(key)), int(joined(counter)) << 64)


# ---- algorithms ----------------------------------------------------------------------------------------------------


class Algorithm(enum.Enum):
    """The algorithm that makes random bits: as in TensorFlow on a CPU only Philox, which AUTO_SELECT means too.

    >>> import minigrad as mg
    >>> print(mg.random.Generator.from_seed(1, mg.random.Algorithm.PHILOX).algorithm)
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def algorithm_number(alg) -> Any:
    """The number of an algorithm, given by name, as an Algorithm, or by number.

    Raises:
        ValueError: there is none of this name.
        TypeError: `alg` is something else.
    """
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        name = alg.strip().lower().replace("-", "").replace("_", "")
        found = [one.value for one in Algorithm if one.name.lower().replace("_", "") == name]
        if not found:
            raise unsupported_algorithm(alg)
        return found[0]
    if isinstance(alg, int) or hasattr(alg, "__tf_tensor__"):
        return alg
    raise TypeError(f"Can't convert argument `alg` (of value {visible(alg)} and type {type(alg)}) to int.")


def check_algorithm(alg):
    """Raise if a stateless function cannot draw by this algorithm."""
    number = int(algorithm_number(Algorithm.AUTO_SELECT if alg is None else alg))
    if number not in [one.value for one in Algorithm]:
        raise unsupported_algorithm(alg)
    if number == Algorithm.THREEFRY.value:
        problem = "counter must be a vector with length at least 2; got shape: [1]."
        raise invalid(f'{problem} There is no ThreeFry on a CPU. Write alg="philox".')


def unsupported_algorithm(alg):
    """The error for an algorithm that does not exist."""
    names = {int: (1, 2, 3), str: ("philox", "threefry", "auto_select")}
    philox, threefry, auto = names.get(type(alg), tuple(Algorithm))
    problem = f"Argument `alg` got unsupported value {visible(alg)}. Supported values are"
    known = f"{philox} for the Philox algorithm, {threefry} for the ThreeFry algorithm, and {auto} for auto-selection."
    return ValueError(f"{problem} {known}")
