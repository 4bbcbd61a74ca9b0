"""Random numbers from a pair of seeds alone: the same seeds always give the same numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine import Tensor, bracketed, convert, dtypes, invalid, op, tidy, unregistered
from ..errors import InvalidArgumentError, NotFoundError
from ..ops import stack
from .drawing import (
    FLOATS,
    INTEGERS,
    UNSIGNED,
    allowed,
    at_rate,
    broadcast_parameters,
    check_classes,
    common_shape,
    count_of,
    counted,
    errors_of,
    gamma_numbers,
    in_one_call,
    limit,
    normal_from,
    shuffled,
    truncated_from,
    uniform_from,
    vector,
    whole,
)
from .numbers import classes
from .streams import check_algorithm, stateless_stream


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None, alg="auto_select") -> Tensor:
    """Like `uniform`, from a pair of seeds alone: the same seeds always give the same numbers.

    Args:
        shape, minval, maxval, dtype, name: as for `uniform`. Integers without limits have all bits random.
        seed: two integers, shape `(2,)`.
        alg: "philox" or "auto_select", which mean the same; ThreeFry is not available, as in TensorFlow on a CPU.

    Raises:
        ValueError: the dtype is another, or it is an integer dtype and only one limit is given.
        InvalidArgumentError: `seed` is not of shape `(2,)`, or `alg` is ThreeFry.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_uniform([2], seed=[1, 2]).numpy())
    [0.8440604  0.19204533]
    """
    dtype = allowed(dtype, FLOATS + INTEGERS + UNSIGNED)
    if dtype.is_integer and (minval is None) != (maxval is None):
        problem = f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None or not None."
        raise ValueError(f"{problem} Got `minval`={minval} and `maxval`={maxval}.")
    if dtype in UNSIGNED and minval is not None:
        problem = f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None."
        raise ValueError(f"{problem} Please don't use unsigned integers in this case.")
    return uniform_from(source_of(seed, alg), shape, minval, maxval, dtype)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select") -> Tensor:
    """Like `normal`, from a pair of seeds alone; see `stateless_uniform`.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_normal([2], seed=[1, 2]).numpy())
    [0.5441101  0.20738031]
    """
    return normal_from(source_of(seed, alg), shape, mean, stddev, dtype)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None,
                               alg="auto_select") -> Tensor:  # fmt: skip
    """Like `truncated_normal`, from a pair of seeds alone; see `stateless_uniform`.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_truncated_normal([2], seed=[1, 2]).numpy())
    [0.5441101  0.20738031]
    """
    return truncated_from(source_of(seed, alg), shape, mean, stddev, dtype)


def stateless_poisson(shape, seed, lam, dtype=dtypes.int32, name=None) -> Tensor:
    """Like `poisson`, from a pair of seeds alone; see `stateless_uniform`.

    `shape` is the shape of the result, whose last axes are those of `lam`.

    Raises:
        InvalidArgumentError: `shape` does not end with the shape of `lam`, or `lam` is not finite.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_poisson([2, 3], [1, 2], lam=[1.0, 5.0, 50.0]).numpy())
    [[ 3  8 43]
     [ 3  8 56]]
    """
    from .rejection import counts  # loaded when first used

    rates, dtype = convert(lam).value, counted(dtype, "StatelessRandomPoisson")
    with errors_of("StatelessRandomPoisson"):
        before = shape_before(vector(shape), rates.shape)
        numbers = counts(stateless_stream(seed), rates, count_of(before))
    return Tensor.of(numbers.reshape((*before, *rates.shape)).astype(dtype)[()])


def stateless_binomial(shape, seed, counts, probs, output_dtype=dtypes.int32, name=None) -> Tensor:
    """Random numbers of the binomial distribution, from a pair of seeds alone: successes in `counts` trials.

    Args:
        shape: of the result: its last axes are those to which `counts` and `probs` broadcast.
        seed: two integers, shape `(2,)`.
        counts, probs: the number of trials, and the probability that one succeeds, both of one dtype.
        output_dtype: float16, float32, float64, int32 or int64.

    Raises:
        InvalidArgumentError: `shape` does not end with their shape, or `counts` are not finite.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_binomial([3, 2], [1, 2], counts=[10.0, 100.0], probs=0.3).numpy())
    [[ 5 42]
     [ 5 26]
     [ 5 34]]
    """

    stream = stateless_stream(seed, "StatelessRandomBinomial")
    probs = hinted(probs, dtypes.float32)
    counts = hinted(counts, probs.dtype)
    with errors_of("StatelessRandomBinomial"):
        dtype = counted(output_dtype, "StatelessRandomBinomial")
        return Tensor.of(binomial(stream, vector(shape), counts.value, probs.value, dtype))


def hinted(x, dtype):
    """A parameter as a Tensor: Python's and NumPy's numbers have this dtype, a Tensor keeps its own."""
    return convert(x) if hasattr(x, "__tf_tensor__") else limit(x, dtype, "")


def binomial(stream, shape, counts, probs, dtype):
    """An array of binomial numbers.

    Raises:
        InvalidArgumentError: the shapes do not fit, or the dtypes.
    """
    from .rejection import successes  # loaded when first used

    if counts.dtype != probs.dtype or counts.dtype not in FLOATS:
        given = f"counts are {counts.dtype}, probs are {probs.dtype}"
        raise invalid(f"{given}: write floats of one dtype, such as counts=10.0, probs=0.5.")
    tail = common_shape(counts, probs, "counts and probs must have compatible batch dimensions:")
    before = shape_before(shape, tail)
    numbers = successes(stream, counts, probs, count_of(before))
    return numbers.reshape((*before, *tail)).astype(dtype)[()]


def stateless_gamma(shape, seed, alpha, beta=None, dtype=dtypes.float32, name=None) -> Tensor:
    """Like `gamma`, from a pair of seeds alone; see `stateless_uniform`.

    `shape` is the shape of the result, whose last axes are those to which `alpha` and `beta` broadcast.

    Raises:
        InvalidArgumentError: `shape` does not end with their shape.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_gamma([2, 2], [1, 2], alpha=[0.5, 3.0]).numpy())
    [[0.06695361 4.674579  ]
     [0.62823546 3.3503754 ]]
    """
    alpha, beta = broadcast_parameters(alpha, beta, dtype)
    with errors_of("StatelessRandomGammaV3"):
        before = shape_before(vector(shape), alpha.shape)
    return at_rate(gamma_numbers(alpha, before, stateless_stream(seed).place), beta)


def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None) -> Tensor:
    """Like `categorical`, from a pair of seeds alone; see `stateless_uniform`.

    >>> import minigrad as mg
    >>> print(mg.random.stateless_categorical([[0.0, 0.0, 9.0]], 4, [1, 2]).numpy())
    [[2 2 2 2]]
    """
    logits, dtype = convert(logits).value, whole(dtype or dtypes.int64)
    stream = stateless_stream(seed, "StatelessMultinomial")
    with errors_of("StatelessMultinomial"):
        if np.ndim(num_samples):
            raise invalid(f"num_samples should be a scalar, got shape {bracketed(np.shape(num_samples))}")
        if logits.dtype.kind != "f":
            problem = f"There is no kernel for {logits.dtype}: write floats, such as mg.math.log(probabilities)."
            raise (InvalidArgumentError if logits.dtype.kind == "c" else NotFoundError)(None, None, problem)
        check_classes(logits, num_samples)
    return Tensor.of(classes(stream, logits, tidy.integer(num_samples)).astype(dtype))


def split(seed, num=2, alg="auto_select") -> Tensor:
    """New seeds, each a pair, from one pair of seeds.

    Args:
        seed: two integers, shape `(2,)`.
        num: the number of new pairs.
        alg: as for `stateless_uniform`.

    Returns:
        Shape `(num, 2)`, the dtype of `seed`.

    >>> import minigrad as mg
    >>> print(mg.random.split([1, 2], 3).numpy())
    [[1105988140 1738052849]
     [-335576002  370444179]
     [  10670227 -246211131]]
    """
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


def fold_in(seed, data, alg="auto_select") -> Tensor:
    """A new pair of seeds, from a pair of seeds and a number, such as that of an epoch.

    Args:
        seed: two integers, shape `(2,)`.
        data: an integer, which determines the dtype of the result.
        alg: as for `stateless_uniform`.

    >>> import minigrad as mg
    >>> print(mg.random.fold_in([1, 2], 3).numpy())
    [1105988140          3]
    """
    data = convert(data)
    return stack([stateless_uniform([], seed, None, None, data.dtype, alg=alg), data])


@op("StatelessShuffle", **unregistered("StatelessShuffle", "output", "value"))
def stateless_shuffle(value, seed: Sequence[int], alg: Any = "auto_select"):
    """Like `shuffle`, from a pair of seeds alone; see `stateless_uniform`.

    Raises:
        LookupError: (in `tape.gradient`) no gradient is registered, as in TensorFlow.

    >>> import minigrad as mg
    >>> print(mg.random.experimental.stateless_shuffle([1, 2, 3, 4, 5], seed=[8, 9]).numpy())
    [2 3 1 4 5]
    """
    check_algorithm(alg)
    return shuffled(value, stateless_stream(seed))


def shape_before(shape, tail):
    """The part of a shape before its last axes, which must be those of the parameters."""
    before = len(shape) - len(tail)
    if before < 0 or shape[before:] != tuple(tail):
        problem = "Shape passed in must end with broadcasted shape:"
        raise invalid(f"{problem} {list(shape)} does not end with {list(tail)}.")
    return shape[:before]


def source_of(seed, alg):
    """The `source` of `drawn_from` for a pair of seeds."""

    def source(draw, count, kernel):
        def drawn(seed):
            return draw(stateless_stream(seed))

        with errors_of(kernel):
            check_algorithm(alg)
        return in_one_call(drawn, convert(seed).value)

    return source
