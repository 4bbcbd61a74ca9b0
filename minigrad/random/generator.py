"""tf.random.Generator: random numbers from a state of its own, which advances with each draw."""

import os
from typing import Any

import numpy as np

from .. import nest
from ..engine import Tensor, Variable, bracketed, convert, dtypes, invalid, op, tell_help, unregistered
from ..engine.listening import put_off
from ..errors import UnimplementedError, by_kernel, received
from ..ops import cast, concat, reshape, stack, zeros_like
from .drawing import (
    common_shape,
    count_of,
    counted,
    drawn_from,
    in_one_call,
    normal_from,
    truncated_from,
    uniform_from,
    vector,
)
from .numbers import integers
from .stateless import binomial, shape_before
from .streams import AHEAD, Algorithm, Stream, algorithm_number, unsupported_algorithm

SIZES = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2, Algorithm.AUTO_SELECT.value: 3}


def size_of(alg) -> int:
    """The length of the state of this algorithm: the numbers of the counter, and the key.

    Raises:
        ValueError: there is no such algorithm.
    """
    if int(alg) not in SIZES:
        raise unsupported_algorithm(alg)
    return SIZES[int(alg)]


def signed(numbers):
    """Integers in a nest as int64; those of 2**63 and more become negative."""
    wrapped = nest.map_structure(lambda n: n - 2**64 if isinstance(n, int) and n >= 2**63 else n, numbers)
    return cast(wrapped, dtypes.int64)


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator with this seed.

    Args:
        seed: an int, split into numbers of 64 bits, the lowest first; or a vector of integers.
        alg: the algorithm: an `Algorithm`, its name or its number.

    Returns:
        int64, shape (3,) for Philox and (2,) for ThreeFry.

    Raises:
        ValueError: there is no such algorithm.

    >>> import minigrad as mg
    >>> print(mg.random.create_rng_state(1234, "philox").numpy())
    [1234    0    0]
    """
    size = size_of(algorithm_number(alg))
    if isinstance(seed, int):
        seed = [seed >> 64 * k & 2**64 - 1 for k in range(size)]
    numbers = reshape(signed(seed), [-1])[:size]
    return concat([np.zeros(size - len(numbers), np.int64), numbers], axis=0)


def state_of(key, counter, alg):
    """The state that has this key and this counter."""
    counter, key = signed(counter), signed(key)
    counter.shape.assert_is_compatible_with([size_of(alg) - 1])
    key.shape.assert_is_compatible_with([])
    return concat([counter, reshape(key, [1])], 0)


class Generator:
    """Random numbers from a state of its own, which `set_seed` does not change, and which advances with each draw.

    Args:
        copy_from: another generator, whose state and algorithm are copied. Otherwise:
        state: the state, a vector of integers: the counter, and the key. A Variable is used as it is, not copied.
        alg: the algorithm: an `Algorithm`, its name or its number.

    Raises:
        ValueError: there is no such algorithm, or the state has the wrong shape.

    >>> import minigrad as mg
    >>> g = mg.random.Generator.from_seed(1)
    >>> print(g.normal([3]).numpy())
    [ 0.43842274 -0.53439844 -0.07710262]
    >>> print(g.state.numpy())
    [769   0   0]
    """

    def __init__(self, copy_from: "Generator | None" = None, state: Any = None, alg: Any = None):
        if copy_from is not None:
            assert (alg or state) is None, "a copy takes no other state and no other algorithm: Generator(copy_from)"
            state, alg = copy_from.state.read_value(), copy_from.algorithm
        assert alg is not None and state is not None, "write Generator.from_seed(1), or Generator(state=..., alg=...)"
        self._algorithm = algorithm_number(alg)
        state = state if isinstance(state, Variable) else signed(state)
        state.shape.assert_is_compatible_with([size_of(self._algorithm)])
        self._state_var = state if isinstance(state, Variable) else Variable(state, trainable=False, name="StateVar")

    # ---- how it begins ---------------------------------------------------------------------------------------------

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> "Generator":
        """A generator with this seed: an integer, or a vector of integers."""
        alg = Algorithm.PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> "Generator":
        """A generator that continues from a state, such as that of another one."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> "Generator":
        """A generator whose state is this counter (a vector of integers) and this key (one integer)."""
        alg = algorithm_number(alg)
        return cls(state=state_of(key, counter, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> "Generator":
        """A generator in an unpredictable state."""
        alg = algorithm_number(Algorithm.PHILOX if alg is None else alg)
        return cls(state=np.frombuffer(os.urandom(8 * size_of(alg)), np.int64), alg=alg)

    def reset(self, state: Any) -> None:
        """Continue from this state."""
        state = signed(state)
        state.shape.assert_is_compatible_with([size_of(self._algorithm)])
        self._state_var.assign(state)

    def reset_from_seed(self, seed: Any) -> None:
        """Restart with this seed."""
        self._state_var.assign(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Continue from this key and this counter."""
        self._state_var.assign(state_of(key, counter, self._algorithm))

    # ---- its state -------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Variable:
        """A Variable: the counter, followed by the key."""
        return self._state_var

    @property
    def key(self) -> Tensor:
        """The last number of the state. Generators with different keys are independent."""
        return self._state_var[-1]

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._algorithm

    def skip(self, delta: Any) -> Tensor:
        """Advance the state as drawing `delta` numbers does. Returns the state before."""
        if self._algorithm == Algorithm.THREEFRY.value:
            problem = "Non-XLA devices don't support the ThreeFry algorithm."
            raise by_kernel("RngReadAndSkip", f'{problem} Write alg="philox".', UnimplementedError)
        if self._state_var.dtype != dtypes.int64:
            problem = f"dtype of RNG state variable must be int64, not {self._state_var.dtype.name}"
            raise by_kernel("RngReadAndSkip", problem)
        if np.ndim(delta):
            problem = f"input 2 (0-based) must have shape [], not {bracketed(np.shape(delta))}"
            raise by_kernel("RngReadAndSkip", problem)
        ahead = int(delta) * AHEAD % 2**64

        def skipped(state):
            low, high, key = state.astype(np.uint64).tolist()
            counter = low + (high << 64) + ahead
            return np.array([counter % 2**64, counter >> 64 & 2**64 - 1, key], np.uint64).astype(np.int64)

        before = convert(self._state_var)
        self._state_var.assign(in_one_call(skipped, before.value))
        return before

    def make_seeds(self, count: Any = 1) -> Tensor:
        """Seeds for stateless functions, shape `(2, count)`: a pair in each column."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> "list[Generator]":
        """New generators, independent of each other and of this one, whose state advances."""
        keys = self.uniform_full_int([count], dtypes.int64)
        zeros = [0] * (size_of(self._algorithm) - 1)
        return [Generator(state=[*zeros, key], alg=self._algorithm) for key in keys.value.tolist()]

    # ---- what it draws ---------------------------------------------------------------------------------------------

    def uniform(self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
                name: str | None = None) -> Tensor:  # fmt: skip
        """Like `mg.random.uniform`; integers without limits have all bits random."""
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            problem = f"For integer dtype {dtype}, minval and maxval must be both `None` or both non-`None`;"
            raise ValueError(f"{problem} got minval={minval} and maxval={maxval}")
        return uniform_from(self._source, shape, minval, maxval, dtype)

    def uniform_full_int(self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None) -> Tensor:
        """Integers all of whose bits are random: int32, int64, uint32 or uint64."""
        return drawn_from("StatelessRandomUniformFullIntV2", integers, self._source, shape, dtype)

    def normal(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
               name: str | None = None) -> Tensor:  # fmt: skip
        """Like `mg.random.normal`."""
        return normal_from(self._source, shape, mean, stddev, dtype)

    def truncated_normal(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
                         name: str | None = None) -> Tensor:  # fmt: skip
        """Like `mg.random.truncated_normal`."""
        return truncated_from(self._source, shape, mean, stddev, dtype)

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32,
                 name: str | None = None) -> Tensor:  # fmt: skip
        """Successes in `counts` trials, each with probability `probs`; see `mg.random.stateless_binomial`."""
        return binomial_numbers(convert(counts), convert(probs), shape, dtype, self)

    def _source(self, draw, count, kernel=None):
        """Pass `draw` a stream for `count` numbers, and advance the state past them."""

        def drawn(state):
            low, high, key = state.astype(np.uint64).tolist()
            return draw(Stream(key, low + (high << 64)))

        return in_one_call(drawn, self.skip(count).value)


@op("StatefulRandomBinomial", shape=vector, **unregistered("StatefulRandomBinomial", "output", "counts", "probs"))
def binomial_numbers(counts, probs, shape, dtype: Any, generator: Any):
    """Op behind `Generator.binomial`.

    >>> import minigrad as mg
    >>> print(mg.random.Generator.from_seed(1).binomial([2], counts=[10.0, 20.0], probs=[0.8]).numpy())
    [ 9 16]
    """
    tail = common_shape(counts, probs, "counts and probs must have compatible batch dimensions:")
    size, before = int(np.prod(tail)), count_of(shape_before(shape, tail))
    put_off()
    if generator.algorithm != Algorithm.PHILOX.value:
        raise invalid(f'Unsupported algorithm id: {generator.algorithm}. Write alg="philox".')

    def draw(stream):
        return binomial(stream, shape, counts, probs, counted(dtype, "StatefulRandomBinomial"))

    return generator._source(draw, size * 200 * (before + 3) // 4)


global_generator: Generator | None = None


def get_global_generator() -> Generator:
    """The generator of the whole program, made on first use, in an unpredictable state.

    >>> import minigrad as mg
    >>> mg.random.get_global_generator().normal([2, 3]).shape
    TensorShape([2, 3])
    """
    global global_generator
    if global_generator is None:
        global_generator = Generator.from_non_deterministic_state()
    return global_generator


def set_global_generator(generator: Generator) -> None:
    """Make this the generator of the whole program.

    Raises:
        TypeError: `generator` is not a Generator.

    >>> import minigrad as mg
    >>> mg.random.set_global_generator(mg.random.Generator.from_seed(1))
    >>> print(mg.random.get_global_generator().normal([]).numpy())
    0.43842274
    """
    global global_generator
    if not isinstance(generator, Generator):
        problem = "`generator` must be a Generator, as in mg.random.Generator.from_seed(1)."
        raise received(problem, TypeError, generator=generator)
    global_generator = generator


tell_help(__name__)
