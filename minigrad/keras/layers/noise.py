"""Layers that add noise in training: Dropout and GaussianNoise."""

import types

from ...errors import received, visible
from ...ops import creation, gathering
from ...random import stateless_normal, stateless_uniform
from .. import initializers
from ..utils import unique_name
from ..variable import Variable, inside
from .base import Layer


def seed_state(seed):
    """A Variable with the pair of seeds of the next draw: the seed of the layer, and the number of draws so far."""
    with inside(types.SimpleNamespace(name=unique_name("seed_generator"))):
        state = [initializers.RandomInitializer(seed).seed, 0]
        return Variable(state, dtype="int64", trainable=False, name="seed_generator_state")


def out_of_range(**given):
    """The error for a setting outside of [0, 1]."""
    problem = f"Invalid value received for argument `{next(iter(given))}`."
    return received(f"{problem} Expected a float value between 0 and 1.", **given)


def checked_noise_shape(shape):
    """The shape of a mask as a tuple, or None.

    Raises:
        ValueError: it contains something other than positive ints and None.
    """
    if shape is None:
        return None
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        kinds = {True: "a tuple or list of integers", False: "an iterable of integers (e.g., a tuple or list)"}
        problem = f"Invalid value received for argument `noise_shape`. Expected {kinds[isinstance(shape, str)]}."
        raise received(problem, noise_shape=shape)
    for i, length in enumerate(shape):
        if length is not None and not (isinstance(length, int) and length > 0):
            wanted = "all dimensions to be positive" if isinstance(length, int) else "all elements to be"
            what = f"Received negative or zero value at index {i}: {length}"
            if not isinstance(length, int):
                what = f"Received element at index {i}: {visible(length)} (type: {type(length).__name__})"
            problem = "Invalid value received for argument `noise_shape`."
            raise ValueError(f"{problem} Expected {wanted} integers or None. {what}")
    return tuple(shape)


class Dropout(Layer):
    """In training, sets each element to 0 with probability `rate` and divides the others by 1 - rate, to keep the mean.

    (Srivastava et al., 2014.) The output has the shape of the input; outside training it is the input.

    Args:
        rate: the fraction of elements that are dropped.
        noise_shape: the shape of the random mask, which broadcasts to the input; None stands for the input's length.
        seed: an integer; by default drawn from Python's `random`.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: the rate is not in [0, 1], or a length is not positive; or (in a call) the input is not a float
            Tensor.

    >>> import minigrad as mg
    >>> drop = mg.keras.layers.Dropout(0.5, seed=1)
    >>> print(drop(mg.ones([6]), training=True).numpy())
    [2. 0. 2. 0. 0. 0.]
    """

    _weightless = supports_masking = True

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        if not 0 <= rate <= 1:
            raise out_of_range(rate=rate)
        self.rate, self.noise_shape = rate, checked_noise_shape(noise_shape)
        if rate:
            self.seeds = seed_state(seed)
        super().__init__(**kwargs)

    def call(self, inputs, training=False):
        if not training or not self.rate:
            return inputs
        if self.rate == 1:
            return creation.zeros_like(inputs)
        if not inputs.dtype.is_floating:
            problem = "`x.dtype` must be a floating point tensor as `x` will be scaled."
            raise received(problem, x_dtype=repr(inputs.dtype))
        shape = inputs.shape if self.noise_shape is None else [n or m for n, m in zip(self.noise_shape, inputs.shape)]
        kept = stateless_uniform(shape, self.seeds, dtype=inputs.dtype).value >= self.rate
        self.seeds.assign_add([0, 1])
        scaled = inputs * (1 / (1 - self.rate))
        return gathering.where(kept, scaled, creation.zeros_like(scaled))


class GaussianNoise(Layer):
    """In training, adds normal random numbers with mean 0; outside training the output is the input.

    Args:
        stddev: their standard deviation.
        seed: an integer; by default drawn from Python's `random`.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: the standard deviation is not in [0, 1].

    >>> import minigrad as mg
    >>> noise = mg.keras.layers.GaussianNoise(0.5, seed=3)
    >>> print(noise(mg.zeros([2]), training=True).numpy().round(3), noise(mg.zeros([2])).numpy())
    [-0.336  0.838] [0. 0.]
    """

    _weightless = supports_masking = True

    def __init__(self, stddev, seed=None, **kwargs):
        if not 0 <= stddev <= 1:
            raise out_of_range(stddev=stddev)
        self.stddev = stddev
        if stddev:
            self.seeds = seed_state(seed)
        super().__init__(**kwargs)

    def call(self, inputs, training=False):
        if not training or not self.stddev:
            return inputs
        noise = stateless_normal(inputs.shape, self.seeds, stddev=self.stddev, dtype=self.dtype)
        self.seeds.assign_add([0, 1])
        return inputs + noise
