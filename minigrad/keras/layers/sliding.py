"""The base class of layers whose window slides over sequences, images or volumes: their arguments and formats."""

import numpy as np

from ...errors import received, visible
from .base import Layer, check_format, check_rank, incompatible, shape_of


def along(rank, name, value):
    """A number for each axis, from a single number or one for each.

    Raises:
        ValueError: there is a wrong number of them, or one is not a positive int.
    """
    numbers = tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank
    problem = f"The `{name}` argument must be a tuple of {rank} integers. Received {name}={visible(value)}"
    if len(numbers) != rank or not all(isinstance(n, (int, np.integer)) for n in numbers):
        raise ValueError(problem)
    if wrong := {n for n in numbers if n <= 0}:
        raise ValueError(f"{problem}, including values {wrong} that do not satisfy `value > 0`")
    return numbers


SHAPES = {1: "(batch, length, channels)", 2: "(batch, height, width, channels)",
          3: "(batch, depth, height, width, channels)"}  # fmt: skip


def of_rank(rank, base, example, answer, name="{}{}D"):
    """Make the class of a layer for one, two or three axes.

    Args:
        rank: the number of axes.
        base: the class for any number of axes, with `{shape}` in its docstring where the shape of the inputs belongs.
        example, answer: what to write behind the name of the class, and what it prints.
        name: of the class, with braces for the name of the base and for the rank.
    """

    class OfRank(base, rank=rank):
        pass

    OfRank.__name__ = OfRank.__qualname__ = name = name.format(base.__name__, rank)
    OfRank.__module__ = base.__module__
    told = f">>> import minigrad as mg\n    >>> print(mg.keras.layers.{name}{example})\n    {answer}\n    "
    OfRank.__doc__ = base.__doc__.format(shape=SHAPES[rank]).rstrip() + f"\n\n    {told}"
    return OfRank


class Sliding(Layer):
    """A layer over `rank` spatial axes, which come before the channels, or after them with "channels_first"."""

    rank: int

    def __init__(self, data_format=None, **kwargs):
        self.data_format = check_format(data_format)
        super().__init__(**kwargs)

    def __init_subclass__(cls, rank=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if rank:
            cls.rank = rank

    def _check_input(self, inputs):
        check_rank(self, inputs, 0)
        if len(inputs.shape) != self.rank + 2:
            found = f"found ndim={len(inputs.shape)}. Full shape received: {tuple(inputs.shape)}"
            raise incompatible(self, f"expected ndim={self.rank + 2}, {found}", inputs, (None,) * (self.rank + 2))

    def check_places(self, inputs, reach, **window):
        """Check that a window that reaches so far along each axis fits in. Raises ValueError if it does not."""
        if any(inputs.shape[axis] < n for axis, n in zip(self.axes, reach)):
            raise received("Computed output size would be zero or negative.", inputs_shape=shape_of(inputs), **window)

    @property
    def channels_axis(self):
        """The axis of the channels."""
        return 1 if self.data_format == "channels_first" else self.rank + 1

    @property
    def axes(self):
        """The axes along which the window slides."""
        first = 2 if self.data_format == "channels_first" else 1
        return tuple(range(first, first + self.rank))

    @property
    def format(self):
        """The data format as in `nn`: "NHWC", "NCHW" and the like."""
        lengths = "DHW"[-self.rank :] if self.rank > 1 else "W"
        return f"NC{lengths}" if self.data_format == "channels_first" else f"N{lengths}C"
