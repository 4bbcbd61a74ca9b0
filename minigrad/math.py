"""tf.math: each op is a NumPy expression, and above it its derivatives."""

import numpy as np

from . import attributes as tidy
from .arrays import broadcast_to
from .op import op

ARITHMETIC = "iufc"


@op("AddV2", ARITHMETIC, lenient=True, dx=lambda dz: dz, dy=lambda dz: dz)
def add(x, y):
    """x + y, element by element.

    >>> import minigrad as mg
    >>> print(mg.add([1.5, 2.5], [[10.0], [20.0]]))
    mg.Tensor(
    [[11.5 12.5]
     [21.5 22.5]], shape=(2, 2), dtype=float32)
    """
    return x + y


@op("Sub", ARITHMETIC, dx=lambda dz: dz, dy=lambda dz: -dz)
def subtract(x, y):
    """x - y, element by element."""
    return x - y


@op("Mul", ARITHMETIC, dx=lambda dz, y: dz * y, dy=lambda dz, x: dz * x)
def multiply(x, y):
    """x * y, element by element."""
    return x * y


@op("RealDiv", "fc", dx=lambda dz, y: dz / y, dy=lambda dz, x, y: dz * (-x / y / y))
def realdiv(x, y):
    """x / y of floats."""
    return x / y


@op("Neg", "ifc", dx=lambda dy: -dy)
def negative(x):
    """-x."""
    return -x


@op("Sin", "fc", dx=lambda dy, x: dy * np.cos(x))
def sin(x):
    """Sine of each element, in radians."""
    return np.sin(x)


@op("Cos", "fc", dx=lambda dy, x: -dy * np.sin(x))
def cos(x):
    """Cosine of each element, in radians."""
    return np.cos(x)


@op("Exp", "fc", dx=lambda dy, y: dy * y)
def exp(x):
    """e to the power of each element."""
    return np.exp(x)


@op("Log", "fc", dx=lambda dy, x: dy * (1 / x))
def log(x):
    """Natural logarithm."""
    return np.log(x)


@op("Tanh", "fc", dx=lambda dy, y: dy * (1 - y * y))
def tanh(x):
    """Hyperbolic tangent."""
    return np.tanh(x)


@op("Greater", "iuf", dx=None, dy=None)
def greater(x, y):
    """x > y, element by element."""
    return x > y


@op("Sum", ARITHMETIC, dx=lambda dy, x_shape, axis: spread(dy, x_shape, axis))
def reduce_sum(x, axis: tidy.axes = None, keepdims=False):
    """The sum over `axis`."""
    return np.add.reduce(x, axis=axis, keepdims=keepdims)


@op("Mean", ARITHMETIC, dx=lambda dy, x_shape, x_size, axis: spread(dy / (x_size // dy.size), x_shape, axis))
def reduce_mean(x, axis: tidy.axes = None, keepdims=False):
    """The mean over `axis`."""
    total = np.add.reduce(x, axis=axis, keepdims=keepdims)
    return total / (x.size // total.size)


def spread(dy, shape, axis):
    """Copies of `dy` along the axes that a reduction took away."""
    if dy.ndim and axis is not None:
        gone = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
        dy = dy.reshape(tuple([1 if i in gone else n for i, n in enumerate(shape)]))
    return broadcast_to.np(dy, shape)
