"""Elementwise functions: exponentials, trigonometry, rounding and clipping."""

from typing import Any

import numpy as np

from ..engine import IndexedSlices, Tensor, convert, dtypes, op, warn
from ..engine.operands import cast_silently
from ..ops import cast, convert_to_tensor, where
from .arithmetic import negative, reciprocal
from .comparison import maximum, minimum

__all__ = ["acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor",
           "log", "log1p", "log_sigmoid", "rint", "round", "sigmoid", "sin", "sinh", "softplus", "softsign", "tan",
           "tanh"]  # fmt: skip


def saturate_cast(value, dtype, name=None) -> Tensor:
    """`mg.cast`, with numbers outside the range of the new dtype clipped to that range.

    >>> import minigrad as mg
    >>> print(mg.saturate_cast([300.0, -1.0, 5.0], mg.uint8))
    mg.Tensor([255   0   5], shape=(3,), dtype=uint8)
    """
    value, dtype = convert_to_tensor(value), dtypes.as_dtype(dtype)
    given = value.dtype
    if dtype.is_complex:
        return cast(value, dtype)
    if given.is_complex:
        warn("Casting complex to real discards imaginary part.")
        return saturate_cast(cast_silently(value, value.value.real.dtype), dtype)
    if given.min < dtype.min:
        value = where(value < nearest_number(given, dtype.min, 0), nearest_number(given, dtype.min, 0), value)
    if given.max > dtype.max:
        value = where(value > nearest_number(given, dtype.max, 0), nearest_number(given, dtype.max, 0), value)
    return cast(value, dtype)


def nearest_number(dtype, limit, inward):
    """The limit as a number of `dtype`; if there is no such number, the next one in the direction of `inward`."""
    number = dtype.as_numpy_dtype(limit)
    return Tensor.of(number if abs(int(number)) <= abs(int(limit)) else np.nextafter(number, number.dtype.type(inward)))


# ---- exponentials and logarithms -----------------------------------------------------------------------------------


@op("Exp", "f", twin=np.exp, holomorphic=True, dx=lambda dy, y: dy * y)
def exp(x):
    """Exponential: e to the power of each element.

    >>> import minigrad as mg
    >>> print(mg.exp([0.0, 1.0]).numpy().round(4))
    [1.     2.7183]
    """
    return np.exp(x)


@op("Expm1", "f", twin=np.expm1, holomorphic=True, dx=lambda dy, x: dy * np.exp(x))
def expm1(x):
    """exp(x) - 1, element by element. It is accurate for small x.

    >>> import minigrad as mg
    >>> print(mg.math.expm1([0.5, -2.0]).numpy().round(4))
    [ 0.6487 -0.8647]
    """
    return np.expm1(x)


@op("Log", "f", twin=np.log, holomorphic=True, dx=lambda dy, x: dy * reciprocal.np(x))
def log(x):
    """Natural logarithm of each element.

    >>> import minigrad as mg
    >>> print(mg.math.log([0.5, 3.0]).numpy().round(4))
    [-0.6931  1.0986]
    """
    return np.log(x)


@op("Log1p", "f", twin=np.log1p, holomorphic=True, dx=lambda dy, x: dy * reciprocal.np(1 + x))
def log1p(x):
    """log(1 + x), element by element. It is accurate for small x.

    >>> import minigrad as mg
    >>> print(mg.math.log1p([0.5, 2.0]).numpy().round(4))
    [0.4055 1.0986]
    """
    return np.log1p(x)


@op("Sigmoid", "f", holomorphic=True, dx=lambda dy, y: dy * y * (1 - y))
def sigmoid(x):
    """Logistic sigmoid: 1 / (1 + exp(-x)), between 0 and 1.

    >>> import minigrad as mg
    >>> print(mg.sigmoid([0.0, 2.0]).numpy().round(4))
    [0.5    0.8808]
    """
    if x.dtype.kind == "c":
        return 1 / (1 + np.exp(-x))
    largest, tiny = POWER_LIMITS[x.dtype]
    e = np.exp(np.minimum(x, largest))
    e = e * (e >= tiny)  # TensorFlow returns 0 for smaller numbers
    return e / (1 + e)  # near 1 equal to TensorFlow's to the last bit, on which 1 - y depends


# for each dtype the largest x for which exp(x) is finite, and the smallest exp(x) that is not taken as 0
POWER_LIMITS = {
    np.dtype(np.float16): (11.0, 0.0),
    np.dtype(np.float32): (88.0, np.finfo(np.float32).tiny),
    np.dtype(np.float64): (709.0, np.finfo(np.float64).tiny),
}


@op("Softplus", "f", dfeatures=lambda dy, features: dy * sigmoid.np(features))
def softplus(features):
    """Softplus: log(1 + exp(x)), a smooth approximation of `mg.nn.relu`.

    >>> import minigrad as mg
    >>> print(mg.math.softplus([0.5, -2.0, 100.0]).numpy().round(4))
    [  0.9741   0.1269 100.    ]
    """
    return np.maximum(features, 0) + np.log1p(np.exp(-np.abs(features)))


def log_sigmoid(x, name=None) -> Tensor:
    """Logarithm of the sigmoid, log(sigmoid(x)); finite even where sigmoid(x) would underflow to 0.

    >>> import minigrad as mg
    >>> print(mg.math.log_sigmoid([-100.0, 0.0]).numpy().round(4))
    [-100.       -0.6931]
    """
    return negative(softplus(negative(x)))


@op("Softsign", "f", dfeatures=lambda dy, features: dy / (1 + np.abs(features)) ** 2)
def softsign(features):
    """Softsign: x / (1 + abs(x)), between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.math.softsign([1.0, -3.0]).numpy())
    [ 0.5  -0.75]
    """
    return features / (1 + np.abs(features))


# ---- trigonometry --------------------------------------------------------------------------------------------------


@op("Sin", "f", twin=np.sin, holomorphic=True, dx=lambda dy, x: dy * np.cos(x))
def sin(x):
    """Sine of each element, which is an angle in radians.

    >>> import minigrad as mg
    >>> print(mg.sin([0.5, 2.0]).numpy().round(4))
    [0.4794 0.9093]
    """
    return np.sin(x)


@op("Cos", "f", twin=np.cos, holomorphic=True, dx=lambda dy, x: -dy * np.sin(x))
def cos(x):
    """Cosine of each element, which is an angle in radians.

    >>> import minigrad as mg
    >>> print(mg.cos([0.5, 2.0]).numpy().round(4))
    [ 0.8776 -0.4161]
    """
    return np.cos(x)


@op("Tan", "f", twin=np.tan, holomorphic=True, dx=lambda dy, y: dy * (1 + y * y))
def tan(x):
    """Tangent of each element, which is an angle in radians.

    >>> import minigrad as mg
    >>> print(mg.tan([0.5, 2.0]).numpy().round(4))
    [ 0.5463 -2.185 ]
    """
    return np.tan(x)


@op("Asin", "f", twin=np.arcsin, holomorphic=True, dx=lambda dy, x: dy * reciprocal.np(np.sqrt(1 - x * x)))
def asin(x):
    """Inverse sine: the angle, from -pi/2 to pi/2, whose sine is x. It is NaN unless x is between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.asin([0.5, -0.2]).numpy().round(4))
    [ 0.5236 -0.2014]
    """
    return np.arcsin(x)


@op("Acos", "f", twin=np.arccos, holomorphic=True, dx=lambda dy, x: -dy * reciprocal.np(np.sqrt(1 - x * x)))
def acos(x):
    """Inverse cosine: the angle, from 0 to pi, whose cosine is x. It is NaN unless x is between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.acos([0.5, -0.2]).numpy().round(4))
    [1.0472 1.7722]
    """
    return np.arccos(x)


@op("Atan", "f", twin=np.arctan, holomorphic=True, dx=lambda dy, x: dy * (1 / (1 + x * x)))
def atan(x):
    """Inverse tangent: the angle, from -pi/2 to pi/2, whose tangent is x.

    >>> import minigrad as mg
    >>> print(mg.atan([0.5, -2.0]).numpy().round(4))
    [ 0.4636 -1.1071]
    """
    return np.arctan(x)


@op("Atan2", "f", twin=np.arctan2,
    dy=lambda dz, y, x: x * (dz / (y * y + x * x)), dx=lambda dz, y, x: -y * (dz / (y * y + x * x)))  # fmt: skip
def atan2(y, x):
    """Angle of the point (x, y) in radians, from -pi to pi. Unlike `atan(y / x)` it depends on the signs of both.

    >>> import minigrad as mg
    >>> print(mg.atan2([1.0, -2.0], [2.0, -1.0]).numpy().round(4))
    [ 0.4636 -2.0344]
    """
    return np.arctan2(y, x)


@op("Sinh", "f", twin=np.sinh, holomorphic=True, dx=lambda dy, x: dy * np.cosh(x))
def sinh(x):
    """Hyperbolic sine of each element.

    >>> import minigrad as mg
    >>> print(mg.sinh([0.5, -2.0]).numpy().round(4))
    [ 0.5211 -3.6269]
    """
    return np.sinh(x)


@op("Cosh", "f", twin=np.cosh, holomorphic=True, dx=lambda dy, x: dy * np.sinh(x))
def cosh(x):
    """Hyperbolic cosine of each element.

    >>> import minigrad as mg
    >>> print(mg.cosh([0.5, -2.0]).numpy().round(4))
    [1.1276 3.7622]
    """
    return np.cosh(x)


@op("Tanh", "f", twin=np.tanh, holomorphic=True, dx=lambda dy, y: dy * (1 - y * y))
def tanh(x):
    """Hyperbolic tangent of each element, between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.tanh([0.5, -2.0]).numpy().round(4))
    [ 0.4621 -0.964 ]
    """
    return np.tanh(x)


@op("Asinh", "f", twin=np.arcsinh, holomorphic=True, dx=lambda dy, y: dy / np.cosh(y))
def asinh(x):
    """Inverse hyperbolic sine.

    >>> import minigrad as mg
    >>> print(mg.asinh([0.5, -2.0]).numpy().round(4))
    [ 0.4812 -1.4436]
    """
    return np.arcsinh(x)


@op("Acosh", "f", twin=np.arccosh, holomorphic=True, dx=lambda dy, y: dy / np.sinh(y))
def acosh(x):
    """Inverse hyperbolic cosine. It is NaN where x is less than 1.

    >>> import minigrad as mg
    >>> print(mg.acosh([1.5, 2.0]).numpy().round(4))
    [0.9624 1.317 ]
    """
    return np.arccosh(x)


@op("Atanh", "f", twin=np.arctanh, holomorphic=True, dx=lambda dy, x: dy * reciprocal.np(1 - x * x))
def atanh(x):
    """Inverse hyperbolic tangent. It is NaN unless x is between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.atanh([0.5, -0.2]).numpy().round(4))
    [ 0.5493 -0.2027]
    """
    return np.arctanh(x)


# ---- rounding and clipping -----------------------------------------------------------------------------------------


@op("Floor", "f", twin=np.floor, dx=None)
def floor(x):
    """The largest integer not above x, as a float. It is not differentiable (the gradient is None).

    >>> import minigrad as mg
    >>> print(mg.floor([1.5, -1.5]).numpy())
    [ 1. -2.]
    """
    return np.floor(x)


@op("Ceil", "f", twin=np.ceil, dx=None)
def ceil(x):
    """The smallest integer not below x, as a float. It is not differentiable (the gradient is None).

    >>> import minigrad as mg
    >>> print(mg.math.ceil([1.5, -1.5]).numpy())
    [ 2. -1.]
    """
    return np.ceil(x)


@op("Rint", "f", twin=np.rint, dx=None)
def rint(x):
    """Round to the nearest integer, as a float; halves go to the even one: 0.5 to 0, 2.5 to 2.

    It is not differentiable (the gradient is None).

    >>> import minigrad as mg
    >>> print(mg.math.rint([0.5, 1.5, 1.7]).numpy())
    [0. 2. 2.]
    """
    return np.rint(x)


@op("Round", "f", dx=None)
def round(x):
    """Round to the nearest integer, like `rint`. Integers are unchanged.

    It is not differentiable (the gradient is None).

    >>> import minigrad as mg
    >>> print(mg.round([0.5, 1.5, 1.7]).numpy())
    [0. 2. 2.]
    """
    return np.rint(x)


round.by_kind = dict.fromkeys("iu", lambda x: x)


def clip_by_value(t, clip_value_min, clip_value_max, name=None) -> Any:
    """Clip elements to the range from `clip_value_min` to `clip_value_max`.

    The derivative is 1 inside the range and at its ends, and 0 outside.

    Args:
        t: a Tensor, or the IndexedSlices of a gradient.
        clip_value_min, clip_value_max: numbers, or Tensors that broadcast to the shape of t. If the minimum is above
            the maximum, the result is the minimum.

    Raises:
        ValueError: the limits would broadcast t to another shape.

    >>> import minigrad as mg
    >>> print(mg.clip_by_value([-3.0, 0.5, 3.0], -1.0, 1.0).numpy())
    [-1.   0.5  1. ]
    """
    if isinstance(t, IndexedSlices):
        return t.with_values(clip_by_value(t.values, clip_value_min, clip_value_max))
    t = convert(t)
    clipped = maximum(minimum(t, clip_value_max), clip_value_min)
    if clipped.value.shape != t.value.shape:
        raise ValueError(f"Shapes {t.shape} and {clipped.shape} are incompatible")
    return clipped


def values_of(t):
    """A Tensor, or the values that IndexedSlices hold."""
    return t.values if isinstance(t, IndexedSlices) else convert(t)
