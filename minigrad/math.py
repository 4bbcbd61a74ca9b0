"""tf.math: each op is a NumPy expression, and above it its derivatives.

A rule is that of real numbers; `HOLOMORPHIC`, at the end, says which hold for complex ones as well.
"""

import collections

import numpy as np

from . import attributes as tidy
from . import dtypes, errors, special
from .arguments import keeps_rows
from .arrays import broadcast_to, cast, convert_to_tensor, gather, reshape, scatter_rows, where
from .conversion import unsupported
from .custom import unregistered
from .op import convert, made, of_complex, op
from .shape import bracketed
from .slices import IndexedSlices
from .special import (  # noqa: F401 - they belong to this namespace
    bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, betainc, digamma, erf, erfc, erfcinv, erfinv, igamma, igammac, lgamma, ndtri,
    polygamma, zeta,
)  # fmt: skip
from .tensor import Tensor

ARITHMETIC = "iufc"

# ---- arithmetic ----------------------------------------------------------------------------------------------------


@op("AddV2", ARITHMETIC, lenient="alone", dx=lambda dz: dz, dy=lambda dz: dz)
def add(x, y):
    """x + y, element by element; strings are joined.

    >>> import minigrad as mg
    >>> print(mg.add([1.5, 2.5], [[10.0], [20.0]]))
    mg.Tensor(
    [[11.5 12.5]
     [21.5 22.5]], shape=(2, 2), dtype=float32)
    """
    return x + y


@op("Sub", ARITHMETIC, dx=lambda dz: dz, dy=lambda dz: -dz)
def subtract(x, y):
    """x - y, element by element.

    >>> import minigrad as mg
    >>> print(mg.subtract([1.5, 2.5], 1.0).numpy())
    [0.5 1.5]
    """
    return x - y


@op("Mul", "iuf", dx=lambda dz, y: dz * y, dy=lambda dz, x: dz * x)
def multiply(x, y):
    """x * y, element by element.

    >>> import minigrad as mg
    >>> print(mg.multiply([1.5, 2.5], 3.0).numpy())
    [4.5 7.5]
    """
    return x * y


@op("RealDiv", "f", lenient=True, dx=lambda dz, y: dz / y, dy=lambda dz, x, y: dz * (-x / y / y))
def divide(x, y):
    """x / y, element by element. Integers are made floats first: float32 of 8 and 16 bits, float64 of more.

    Raises:
        TypeError: x and y differ in dtype.

    >>> import minigrad as mg
    >>> print(mg.divide([1.5, 2.5], 4.0).numpy(), mg.divide(3, 2).numpy())
    [0.375 0.625] 1.5
    """
    return x / y


@op("DivNoNan", "f", lenient=True,
    dx=lambda dz, y: divide_no_nan.np(dz, y), dy=lambda dz, x, y: dz * divide_no_nan.np(divide_no_nan.np(-x, y), y))  # fmt: skip
def divide_no_nan(x, y):
    """x / y, and 0 where y is 0.

    >>> import minigrad as mg
    >>> print(mg.math.divide_no_nan([1.5, 3.0], 2.0).numpy())
    [0.75 1.5 ]
    """
    return np.where(y == 0, y.dtype.type(0), x / y)[()]


def of_integers(divide):
    """How integers are divided: as floats that are wide enough for them."""

    def divide_integers(x, y):
        dtype = np.float32 if x.value.dtype.itemsize < 4 else np.float64
        return divide(cast(x, dtype), cast(y, dtype))

    return divide_integers


def refuse_others(x, y):
    """Truth values and strings are not divided."""
    allowed = ", ".join(f"tf.{dtype.name}" for dtype in dtypes.ALL if dtype.dtype.kind in ARITHMETIC)
    raise TypeError(f"Invalid dtype tf.{x.dtype.name} in __truediv__. Expected one of {{{allowed}}}.")


for one in (divide, divide_no_nan):
    one.others = dict.fromkeys("iu", of_integers(one)) | dict.fromkeys("bO", refuse_others)


def without_kernel(x, y):
    """Integers are divided by `divide` alone."""
    dtype = x.dtype
    raise errors.NotFoundError(
        None, None,
        f"Could not find device for node: = RealDiv[T=DT_{dtype.name.upper()}]: this op does not take tf.{dtype.name}."
        " Write mg.divide(x, y). [Op:RealDiv] name: ",
    )  # fmt: skip


realdiv = made(divide.__wrapped__, divide.kernel, divide.kinds, False, divide.rules)  # unlike tf.divide it makes no floats
realdiv.others = dict.fromkeys("iu", without_kernel)


@op("MulNoNan", "fc", dx=lambda dz, y: multiply_no_nan.np(dz, y), dy=lambda dz, x: multiply_no_nan.np(x, dz))
def multiply_no_nan(x, y):
    """x * y, and 0 where y is 0, even if x is infinite or nan.

    >>> import minigrad as mg
    >>> print(mg.math.multiply_no_nan([1.5, 2.5], 2.0).numpy())
    [3. 5.]
    """
    return np.where(y == 0, y.dtype.type(0), x * y)[()]


@op("Reciprocal", "f", dx=lambda dy, y: multiply_no_nan.np(-(y * y), dy))
def reciprocal(x):
    """1 / x.

    >>> import minigrad as mg
    >>> print(mg.math.reciprocal([2.0, -4.0]).numpy())
    [ 0.5  -0.25]
    """
    return 1 / x


@op("DivNoNan", "f", dx=lambda dy, y: -dy * (y * y))
def reciprocal_no_nan(x):
    """1 / x, and 0 where x is 0.

    >>> import minigrad as mg
    >>> print(mg.math.reciprocal_no_nan([2.0, -4.0]).numpy())
    [ 0.5  -0.25]
    """
    return np.where(x == 0, x.dtype.type(0), 1 / x)[()]


@op("FloorDiv", "iuf", dx=None, dy=None)
def floordiv(x, y):
    """x / y, rounded down; `x // y`. It has no derivative.

    Raises:
        InvalidArgumentError: an integer is divided by 0.

    >>> import minigrad as mg
    >>> print(mg.math.floordiv([7, -7], 2).numpy(), mg.math.floordiv(-7.0, 2.0).numpy())
    [ 3 -4] -4.0
    """
    if x.dtype.kind in "iu":
        refuse_zero(y)
        return x // y
    return np.floor(x / y)


@op("FloorMod", "iuf", dx=lambda dz: dz, dy=lambda dz, x, y: dz * -floordiv.np(x, y))
def floormod(x, y):
    """What remains of x after `x // y`, with the sign of y; `x % y`.

    Raises:
        InvalidArgumentError: an integer is divided by 0.

    >>> import minigrad as mg
    >>> print(mg.math.floormod([7.5, -7.5], 2.0).numpy(), mg.math.floormod(-7, 3).numpy())
    [1.5 0.5] 2
    """
    refuse_zero(y)
    left = np.fmod(x, y)  # its 0 has the sign of x, as TensorFlow's has
    return np.where((left != 0) & ((left < 0) != (y < 0)), left + y, left).astype(left.dtype)[()]


mod = floormod


@op("TruncateDiv", "iuf", dx=None, dy=None)
def truncatediv(x, y):
    """x / y, rounded toward 0. It has no derivative.

    >>> import minigrad as mg
    >>> print(mg.truncatediv([7, -7], 2).numpy())
    [ 3 -3]
    """
    if x.dtype.kind in "iu":
        if not np.all(y):
            raise errors.InternalError(None, None, "Unexpected error in binary operator (only integer div and mod should have errors)")
        return (x - np.fmod(x, y)) // y
    return np.trunc(x / y)


@op("TruncateMod", "if", **unregistered("TruncateMod", "z", "x", "y"))
def truncatemod(x, y):
    """What remains of x after `mg.truncatediv(x, y)`, with the sign of x. TensorFlow has registered no gradient for it.

    >>> import minigrad as mg
    >>> print(mg.truncatemod([7, -7], 3).numpy())
    [ 1 -1]
    """
    refuse_zero(y)
    return np.fmod(x, y)


def refuse_zero(y):
    """Integers cannot be divided by 0: there is no inf among them."""
    if y.dtype.kind in "iu" and not np.all(y):
        raise errors.InvalidArgumentError(None, None, "Integer division by zero")


@op("Neg", "ifc", dx=keeps_rows(lambda dy: -dy))
def negative(x):
    """-x.

    >>> import minigrad as mg
    >>> print(mg.negative([1.5, -2.5]).numpy())
    [-1.5  2.5]
    """
    return -x


@op("Abs", "if", dx=lambda dy, x: dy * np.sign(x))
def abs(x):
    """The size of each element: of a complex number its distance from 0. The slope at 0 is taken as 0.

    >>> import minigrad as mg
    >>> print(mg.abs([1.5, -2.5]).numpy(), mg.abs(3 + 4j).numpy())
    [1.5 2.5] 5.0
    """
    return np.abs(x)


@op("ComplexAbs", "c", dx=lambda dy, x, y: divide_no_nan.np(dy.astype(x.dtype) * x, y.astype(x.dtype)))
def complex_abs(x):
    """The distance of complex numbers from 0: what `mg.abs` is for them.

    >>> import minigrad as mg
    >>> print(mg.abs(3 + 4j).numpy())
    5.0
    """
    return np.abs(x)


abs.others = {"c": complex_abs}


@op("Sign", "if", dx=lambda dy: np.zeros_like(dy))
def sign(x):
    """-1, 0 or 1, as x is negative, zero or positive. Its gradient is 0 everywhere (it is not None).

    >>> import minigrad as mg
    >>> print(mg.sign([1.5, -2.5]).numpy())
    [ 1. -1.]
    """
    return np.sign(x)


@op("Sign", "c", dx=lambda dy, x, y: divide_no_nan.np((dy - y * y * dy.conj()) * 0.5, np.abs(x).astype(x.dtype)))
def complex_sign(x):
    """Complex numbers brought to the length 1: what `mg.sign` is for them.

    >>> import minigrad as mg
    >>> print(mg.sign(3 + 4j).numpy())
    (0.6+0.8j)
    """
    return np.sign(x)


sign.others = {"c": complex_sign}


def scalar_mul(scalar, x, name=None):
    """x times a single number.

    Raises:
        ValueError: `scalar` has axes.

    >>> import minigrad as mg
    >>> print(mg.scalar_mul(2.0, [1.5, 2.5]).numpy())
    [3. 5.]
    """
    if isinstance(x, IndexedSlices):
        return x.with_values(scalar_mul(scalar, x.values))
    x = convert(x)
    scalar = convert_to_tensor(scalar, x.dtype)
    if scalar.value.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return multiply(scalar, x)


@op("AddN", dinputs=keeps_rows(lambda dz: dz))
def sum_of(inputs: list):
    """The sum of Tensors of one shape: what `mg.add_n` calls.

    >>> import minigrad as mg
    >>> print(mg.add_n([[1.5, 2.5], [10.0, 20.0]]).numpy())
    [11.5 22.5]
    """
    total = inputs[0]
    if total.dtype.kind not in ARITHMETIC and len(inputs) > 1:
        raise errors.InvalidArgumentError(None, None, not_among("T", total.dtype, "all kinds of numbers"))
    for k, x in enumerate(inputs):
        if x.shape != total.shape:
            shapes = [bracketed(shape) for shape in (total.shape, x.shape)]
            raise errors.InvalidArgumentError(
                None, None,
                "Inputs to operation AddN of type AddN must have the same size and shape."
                f"  Input 0: {shapes[0]} != input {k}: {shapes[1]}",
            )  # fmt: skip
        total = total + x if k else x
    return total


def add_n(inputs, name=None) -> Tensor:
    """The sum of a list of Tensors. Nothing is broadcast.

    Raises:
        ValueError: the list is empty.
        InvalidArgumentError: the shapes or dtypes differ.

    >>> import minigrad as mg
    >>> print(mg.add_n([1.0, 2.0, 3.5]).numpy())
    6.5
    """
    inputs = list(inputs) if hasattr(inputs, "__iter__") else [inputs]
    if not inputs:
        raise ValueError("Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape.")
    return sum_of(inputs)


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None) -> Tensor:
    """The sum of a list of Tensors, as `mg.add_n`.

    >>> import minigrad as mg
    >>> print(mg.math.accumulate_n([1.0, 2.0]).numpy())
    3.0
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    return add_n(inputs)


@op("Xlogy", "fc", dx=lambda dz, x, y: dz * xlogy.np(nonzero(x), y), dy=lambda dz, x, y: dz * xdivy.np(x, y))
def xlogy(x, y):
    """x * log(y), and 0 where x is 0, whatever y is.

    >>> import minigrad as mg
    >>> print(mg.math.xlogy([2.0, 0.5], 3.0).numpy().round(4))
    [2.1972 0.5493]
    """
    return zero_at_zero(x, x * np.log(y))


@op("Xlog1py", "fc", dx=lambda dz, x, y: dz * xlog1py.np(nonzero(x), y), dy=lambda dz, x, y: dz * xdivy.np(x, y + 1))
def xlog1py(x, y):
    """x * log(1 + y), and 0 where x is 0, whatever y is; exact for small y.

    >>> import minigrad as mg
    >>> print(mg.math.xlog1py([2.0, 0.5], 3.0).numpy().round(4))
    [2.7726 0.6931]
    """
    return zero_at_zero(x, x * np.log1p(y))


@op("Xdivy", "fc", dx=lambda dz, x, y: dz * xdivy.np(nonzero(x), y), dy=lambda dz, x, y: dz * xdivy.np(-x, y * y))
def xdivy(x, y):
    """x / y, and 0 where x is 0, whatever y is.

    >>> import minigrad as mg
    >>> print(mg.math.xdivy([2.0, 0.5], 4.0).numpy())
    [0.5   0.125]
    """
    return zero_at_zero(x, x / y)


def nonzero(x):
    """1 where x is not 0, else 0."""
    return (x != 0).astype(x.dtype)


def zero_at_zero(x, z):
    """z, but 0 where x is 0."""
    return np.where(x == 0, x.dtype.type(0), z)[()]


@op("NextAfter", "f", dx1=lambda dz: dz, dx2=lambda dz: np.zeros_like(dz))
def nextafter(x1, x2):
    """The number next to x1 that the machine can hold, on the side of x2.

    >>> import minigrad as mg
    >>> print(mg.math.nextafter([1.0, 2.0], [2.0, 1.0]).numpy() > [1.0, 2.0])
    [ True False]
    """
    return np.nextafter(x1, x2)


# ---- powers and roots ----------------------------------------------------------------------------------------------


@op("Pow", "if", dx=lambda dz, x, y: dz * y * x ** (y - 1), dy=lambda dz, z, x: dz * z * log_or_zero(x))
def pow(x, y):
    """x to the power of y, element by element; `x ** y`.

    The derivative with respect to y is taken as 0 where x is not positive.

    Raises:
        InvalidArgumentError: an integer is raised to a negative power.

    >>> import minigrad as mg
    >>> print(mg.pow([2.0, 3.0], [3.0, 0.5]).numpy().round(4), mg.pow([1.5, 2.5], 2.0).numpy())
    [8.     1.7321] [2.25 6.25]
    """
    if x.ndim and not y.ndim and y == 3:
        return x * x * x  # NumPy's power takes forty times as long
    return x**y


def log_or_zero(x):
    """log(x), and 0 where x is not positive (of complex numbers: where it is 0)."""
    return np.log(np.where(x != 0 if x.dtype.kind == "c" else x > 0, x, 1))


@op("Square", "iuf", dx=lambda dy, x: dy * (2 * x))
def square(x):
    """x * x.

    >>> import minigrad as mg
    >>> print(mg.square([1.5, -2.0]).numpy())
    [2.25 4.  ]
    """
    return x * x


@op("SquaredDifference", "if", dx=lambda dz, x, y: 2 * dz * (x - y), dy=lambda dz, x, y: -(2 * dz * (x - y)))
def squared_difference(x, y):
    """(x - y) * (x - y), element by element.

    >>> import minigrad as mg
    >>> print(mg.math.squared_difference([1.5, 2.0], 4.0).numpy())
    [6.25 4.  ]
    """
    difference = x - y
    return difference * difference


@op("SquaredDifference", "c", dx=lambda dz, x, y: 2 * dz * (x - y), dy=lambda dz, x, y: -(2 * dz * (x - y)))
def complex_squared_difference(x, y):
    """The square of the distance of complex numbers: what `mg.math.squared_difference` is for them.

    >>> import minigrad as mg
    >>> print(mg.math.squared_difference(3 + 4j, 0j).numpy())
    (25+0j)
    """
    difference = x - y
    return difference * difference.conj()


squared_difference.others = {"c": complex_squared_difference}


@op("Sqrt", "f", dx=lambda dy, y: multiply_no_nan.np(0.5 / y, dy))
def sqrt(x):
    """The square root. Its slope at 0 is infinite, but a gradient of 0 stays 0 there.

    >>> import minigrad as mg
    >>> print(mg.sqrt([4.0, 2.25]).numpy())
    [2.  1.5]
    """
    return np.sqrt(x)


@op("Rsqrt", "f", dx=lambda dy, y: multiply_no_nan.np(y * y, -0.5 * multiply_no_nan.np(y, dy)))
def rsqrt(x):
    """1 / sqrt(x).

    >>> import minigrad as mg
    >>> print(mg.math.rsqrt([4.0, 0.25]).numpy())
    [0.5 2. ]
    """
    return 1 / np.sqrt(x)


# ---- exponentials, logarithms and what is made of them ---------------------------------------------------------------


@op("Exp", "f", dx=lambda dy, y: dy * y)
def exp(x):
    """e to the power of each element.

    >>> import minigrad as mg
    >>> print(mg.exp([0.0, 1.0]).numpy().round(4))
    [1.     2.7183]
    """
    return np.exp(x)


@op("Expm1", "f", dx=lambda dy, x: dy * np.exp(x))
def expm1(x):
    """exp(x) - 1, exact for small x.

    >>> import minigrad as mg
    >>> print(mg.math.expm1([0.5, -2.0]).numpy().round(4))
    [ 0.6487 -0.8647]
    """
    return np.expm1(x)


@op("Log", "f", dx=lambda dy, x: dy * reciprocal.np(x))
def log(x):
    """The natural logarithm.

    >>> import minigrad as mg
    >>> print(mg.math.log([0.5, 3.0]).numpy().round(4))
    [-0.6931  1.0986]
    """
    return np.log(x)


@op("Log1p", "f", dx=lambda dy, x: dy * reciprocal.np(1 + x))
def log1p(x):
    """log(1 + x), exact for small x.

    >>> import minigrad as mg
    >>> print(mg.math.log1p([0.5, 2.0]).numpy().round(4))
    [0.4055 1.0986]
    """
    return np.log1p(x)


@op("Sigmoid", "f", dx=lambda dy, y: dy * y * (1 - y))
def sigmoid(x):
    """1 / (1 + exp(-x)), between 0 and 1.

    >>> import minigrad as mg
    >>> print(mg.sigmoid([0.0, 2.0]).numpy().round(4))
    [0.5    0.8808]
    """
    if x.dtype.kind == "c":
        return 1 / (1 + np.exp(-x))
    largest, tiny = POWER_LIMITS[x.dtype]
    e = np.exp(np.minimum(x, largest))
    e = e * (e >= tiny)  # TensorFlow knows no smaller numbers
    return e / (1 + e)  # near 1 this is its result to the last digit, of which the derivative is made


# which powers of e each dtype can hold, and how small they may be
POWER_LIMITS = {
    np.dtype(np.float16): (11.0, 0.0),
    np.dtype(np.float32): (88.0, np.finfo(np.float32).tiny),
    np.dtype(np.float64): (709.0, np.finfo(np.float64).tiny),
}


@op("Softplus", "f", dfeatures=lambda dy, features: dy * sigmoid.np(features))
def softplus(features):
    """log(1 + exp(x)): a smooth `relu`.

    >>> import minigrad as mg
    >>> print(mg.math.softplus([0.5, -2.0, 100.0]).numpy().round(4))
    [  0.9741   0.1269 100.    ]
    """
    return np.maximum(features, 0) + np.log1p(np.exp(-np.abs(features)))


def log_sigmoid(x, name=None) -> Tensor:
    """log(sigmoid(x)), without going through a sigmoid that is 0.

    >>> import minigrad as mg
    >>> print(mg.math.log_sigmoid([-100.0, 0.0]).numpy().round(4))
    [-100.       -0.6931]
    """
    return negative(softplus(negative(x)))


@op("Softsign", "f", dfeatures=lambda dy, features: dy / (1 + np.abs(features)) ** 2)
def softsign(features):
    """x / (1 + abs(x)), between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.math.softsign([1.0, -3.0]).numpy())
    [ 0.5  -0.75]
    """
    return features / (1 + np.abs(features))


# ---- trigonometry --------------------------------------------------------------------------------------------------


@op("Sin", "f", dx=lambda dy, x: dy * np.cos(x))
def sin(x):
    """Sine of each element, in radians.

    >>> import minigrad as mg
    >>> print(mg.sin([0.5, 2.0]).numpy().round(4))
    [0.4794 0.9093]
    """
    return np.sin(x)


@op("Cos", "f", dx=lambda dy, x: -dy * np.sin(x))
def cos(x):
    """Cosine of each element, in radians.

    >>> import minigrad as mg
    >>> print(mg.cos([0.5, 2.0]).numpy().round(4))
    [ 0.8776 -0.4161]
    """
    return np.cos(x)


@op("Tan", "f", dx=lambda dy, y: dy * (1 + y * y))
def tan(x):
    """Tangent of each element, in radians.

    >>> import minigrad as mg
    >>> print(mg.tan([0.5, 2.0]).numpy().round(4))
    [ 0.5463 -2.185 ]
    """
    return np.tan(x)


@op("Asin", "f", dx=lambda dy, x: dy * reciprocal.np(np.sqrt(1 - x * x)))
def asin(x):
    """The angle whose sine is x.

    >>> import minigrad as mg
    >>> print(mg.asin([0.5, -0.2]).numpy().round(4))
    [ 0.5236 -0.2014]
    """
    return np.arcsin(x)


@op("Acos", "f", dx=lambda dy, x: -dy * reciprocal.np(np.sqrt(1 - x * x)))
def acos(x):
    """The angle whose cosine is x.

    >>> import minigrad as mg
    >>> print(mg.acos([0.5, -0.2]).numpy().round(4))
    [1.0472 1.7722]
    """
    return np.arccos(x)


@op("Atan", "f", dx=lambda dy, x: dy * (1 / (1 + x * x)))
def atan(x):
    """The angle whose tangent is x.

    >>> import minigrad as mg
    >>> print(mg.atan([0.5, -2.0]).numpy().round(4))
    [ 0.4636 -1.1071]
    """
    return np.arctan(x)


@op("Atan2", "f", dy=lambda dz, y, x: x * (dz / (y * y + x * x)), dx=lambda dz, y, x: -y * (dz / (y * y + x * x)))
def atan2(y, x):
    """The angle of the point (x, y), between -pi and pi.

    >>> import minigrad as mg
    >>> print(mg.atan2([1.0, -2.0], [2.0, -1.0]).numpy().round(4))
    [ 0.4636 -2.0344]
    """
    return np.arctan2(y, x)


@op("Sinh", "f", dx=lambda dy, x: dy * np.cosh(x))
def sinh(x):
    """Hyperbolic sine.

    >>> import minigrad as mg
    >>> print(mg.sinh([0.5, -2.0]).numpy().round(4))
    [ 0.5211 -3.6269]
    """
    return np.sinh(x)


@op("Cosh", "f", dx=lambda dy, x: dy * np.sinh(x))
def cosh(x):
    """Hyperbolic cosine.

    >>> import minigrad as mg
    >>> print(mg.cosh([0.5, -2.0]).numpy().round(4))
    [1.1276 3.7622]
    """
    return np.cosh(x)


@op("Tanh", "f", dx=lambda dy, y: dy * (1 - y * y))
def tanh(x):
    """Hyperbolic tangent, between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.tanh([0.5, -2.0]).numpy().round(4))
    [ 0.4621 -0.964 ]
    """
    return np.tanh(x)


@op("Asinh", "f", dx=lambda dy, y: dy / np.cosh(y))
def asinh(x):
    """The inverse of `sinh`.

    >>> import minigrad as mg
    >>> print(mg.asinh([0.5, -2.0]).numpy().round(4))
    [ 0.4812 -1.4436]
    """
    return np.arcsinh(x)


@op("Acosh", "f", dx=lambda dy, y: dy / np.sinh(y))
def acosh(x):
    """The inverse of `cosh`, for x of 1 and more.

    >>> import minigrad as mg
    >>> print(mg.acosh([1.5, 2.0]).numpy().round(4))
    [0.9624 1.317 ]
    """
    return np.arccosh(x)


@op("Atanh", "f", dx=lambda dy, x: dy * reciprocal.np(1 - x * x))
def atanh(x):
    """The inverse of `tanh`, for x between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.atanh([0.5, -0.2]).numpy().round(4))
    [ 0.5493 -0.2027]
    """
    return np.arctanh(x)


# ---- rounding and clipping -----------------------------------------------------------------------------------------


@op("Floor", "f", dx=None)
def floor(x):
    """Rounded down. It has no derivative.

    >>> import minigrad as mg
    >>> print(mg.floor([1.5, -1.5]).numpy())
    [ 1. -2.]
    """
    return np.floor(x)


@op("Ceil", "f", dx=None)
def ceil(x):
    """Rounded up. It has no derivative.

    >>> import minigrad as mg
    >>> print(mg.math.ceil([1.5, -1.5]).numpy())
    [ 2. -1.]
    """
    return np.ceil(x)


@op("Rint", "f", dx=None)
def rint(x):
    """Rounded to the nearest whole number, of two equally near to the even one. It has no derivative.

    >>> import minigrad as mg
    >>> print(mg.math.rint([0.5, 1.5, 1.7]).numpy())
    [0. 2. 2.]
    """
    return np.rint(x)


@op("Round", "f", dx=None)
def round(x):
    """Rounded to the nearest whole number, of two equally near to the even one. It has no derivative.

    >>> import minigrad as mg
    >>> print(mg.round([0.5, 1.5, 1.7]).numpy())
    [0. 2. 2.]
    """
    return np.rint(x)


round.others = dict.fromkeys("iu", lambda x: x)


def clip_by_value(t, clip_value_min, clip_value_max, name=None) -> Tensor:
    """t, but nothing below `clip_value_min` or above `clip_value_max`. Its slope is 1 between them and at them, else 0.

    Args:
        t: a Tensor, or the IndexedSlices of a gradient.
        clip_value_min, clip_value_max: numbers, or Tensors that broadcast to the shape of t. The minimum wins.

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


def clip_by_norm(t, clip_norm, axes=None, name=None) -> Tensor:
    """t, made shorter if its length is more than `clip_norm`.

    Args:
        t: a Tensor, or the IndexedSlices of a gradient.
        clip_norm: the greatest length allowed.
        axes: measure the length along these axes alone; None means all.

    >>> import minigrad as mg
    >>> print(mg.clip_by_norm([3.0, 4.0], 2.0).numpy(), mg.clip_by_norm([3.0, 4.0], 10.0).numpy())
    [1.2 1.6] [3. 4.]
    """
    if isinstance(t, IndexedSlices):
        return t.with_values(clip_by_norm(t.values, clip_norm, axes))
    t = convert(t)
    clip_norm = maximum(cast(convert_to_tensor(clip_norm, dtype_hint=t.dtype), t.dtype), 0)
    total = reduce_sum(t * t, axes, True)
    some = Tensor.of(total.value > 0)  # the root of 0 has no slope
    length = where(some, sqrt(where(some, total, 1)), total)
    clipped = t * clip_norm
    if clipped.value.shape != t.value.shape:
        raise ValueError(f"Shapes {t.shape} and {clipped.shape} are incompatible")
    return clipped / maximum(length, clip_norm)


def global_norm(t_list, name=None) -> Tensor:
    """The length of all elements of all Tensors of a list, taken as one long vector. None's are skipped.

    >>> import minigrad as mg
    >>> print(mg.linalg.global_norm([[2.0], [[3.0, 6.0]]]).numpy())
    7.0
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    values = [values_of(t) for t in t_list if t is not None]
    if not values:
        return Tensor.of(np.float32(0))
    return sqrt(add_n([reduce_sum(v * v) for v in values]))


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """A list of gradients, all made shorter by one factor, if together they are longer than `clip_norm`.

    Args:
        t_list: Tensors, IndexedSlices and None's.
        clip_norm: the greatest `mg.linalg.global_norm` allowed.
        use_norm: the norm, if it is known already.

    Returns:
        The list of clipped Tensors, and the norm that they had. If that is infinite, all become nan.

    >>> import minigrad as mg
    >>> clipped, norm = mg.clip_by_global_norm([[3.0], None, [4.0]], 1.0)
    >>> print(clipped[0].numpy(), clipped[1], clipped[2].numpy(), norm.numpy())
    [0.6] None [0.8] 5.0
    """
    norm = global_norm(t_list) if use_norm is None else convert(use_norm)
    clip_norm = convert(clip_norm, norm)
    factor = clip_norm * minimum(1 / norm, 1 / clip_norm) + (norm - norm)  # inf - inf is nan
    clipped = [None if t is None else scaled(t, factor) for t in t_list]
    return clipped, norm


def values_of(t):
    """The elements of a Tensor, or those of IndexedSlices that are not zero."""
    return t.values if isinstance(t, IndexedSlices) else convert(t)


def scaled(t, factor):
    """t times a factor; IndexedSlices stay what they are."""
    values = values_of(t) * cast(factor, values_of(t).dtype)
    return t.with_values(values) if isinstance(t, IndexedSlices) else values


# ---- comparisons and logic -----------------------------------------------------------------------------------------


@op("Equal", dx=None, dy=None)
def equal(x, y):
    """Is x equal to y, element by element?

    >>> import minigrad as mg
    >>> print(mg.equal([1, 2], 2).numpy())
    [False  True]
    """
    return x == y


@op("NotEqual", dx=None, dy=None)
def not_equal(x, y):
    """Is x different from y, element by element?

    >>> import minigrad as mg
    >>> print(mg.not_equal([1, 2], 2).numpy())
    [ True False]
    """
    return x != y


@op("Greater", "iuf", dx=None, dy=None)
def greater(x, y):
    """x > y, element by element.

    >>> import minigrad as mg
    >>> print(mg.greater([1, 2, 3], 2).numpy())
    [False False  True]
    """
    return x > y


@op("GreaterEqual", "iuf", dx=None, dy=None)
def greater_equal(x, y):
    """x >= y, element by element.

    >>> import minigrad as mg
    >>> print(mg.greater_equal([1, 2, 3], 2).numpy())
    [False  True  True]
    """
    return x >= y


@op("Less", "iuf", dx=None, dy=None)
def less(x, y):
    """x < y, element by element.

    >>> import minigrad as mg
    >>> print(mg.less([1, 2, 3], 2).numpy())
    [ True False False]
    """
    return x < y


@op("LessEqual", "iuf", dx=None, dy=None)
def less_equal(x, y):
    """x <= y, element by element.

    >>> import minigrad as mg
    >>> print(mg.less_equal([1, 2, 3], 2).numpy())
    [ True  True False]
    """
    return x <= y


@op("LogicalAnd", "b", dx=None, dy=None)
def logical_and(x, y):
    """Are both True, element by element?

    >>> import minigrad as mg
    >>> print(mg.logical_and([True, False], True).numpy())
    [ True False]
    """
    return x & y


@op("LogicalOr", "b", dx=None, dy=None)
def logical_or(x, y):
    """Is one True, or both, element by element?

    >>> import minigrad as mg
    >>> print(mg.logical_or([True, False], False).numpy())
    [ True False]
    """
    return x | y


@op("LogicalNot", "b", dx=None)
def logical_not(x):
    """True where x is False.

    >>> import minigrad as mg
    >>> print(mg.logical_not([True, False]).numpy())
    [False  True]
    """
    return ~x


def logical_xor(x, y, name="LogicalXor") -> Tensor:
    """Is exactly one True, element by element?

    >>> import minigrad as mg
    >>> print(mg.math.logical_xor([True, False], True).numpy())
    [False  True]
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)))


@op("IsNan", "f", dx=None)
def is_nan(x):
    """Is it nan, which is what 0 / 0 gives?

    >>> import minigrad as mg
    >>> print(mg.math.is_nan([1.0, float("nan")]).numpy())
    [False  True]
    """
    return np.isnan(x)


@op("IsInf", "f", dx=None)
def is_inf(x):
    """Is it inf or -inf?

    >>> import minigrad as mg
    >>> print(mg.math.is_inf([1.0, float("inf")]).numpy())
    [False  True]
    """
    return np.isinf(x)


@op("IsFinite", "f", dx=None)
def is_finite(x):
    """Is it neither infinite nor nan?

    >>> import minigrad as mg
    >>> print(mg.math.is_finite([1.0, float("inf")]).numpy())
    [ True False]
    """
    return np.isfinite(x)


def is_non_decreasing(x, name=None) -> Tensor:
    """Is no element smaller than the one before it, all axes read as one?

    >>> import minigrad as mg
    >>> print(mg.math.is_non_decreasing([1.0, 1.0, 2.0]).numpy())
    True
    """
    return reduce_all(less_equal(*neighbours(x)))


def is_strictly_increasing(x, name=None) -> Tensor:
    """Is every element greater than the one before it, all axes read as one?

    >>> import minigrad as mg
    >>> print(mg.math.is_strictly_increasing([1.0, 1.0, 2.0]).numpy())
    False
    """
    return reduce_all(less(*neighbours(x)))


def neighbours(x):
    """All elements but the last, and beside each the one that follows."""
    x = convert(x)
    if x.value.dtype.kind not in ARITHMETIC:
        raise TypeError(f"Expected x to be numeric, instead found: {x!s}")
    flat = reshape(x, (-1,))
    return flat[:-1], flat[1:]


# ---- maximum and minimum -------------------------------------------------------------------------------------------


@op("Maximum", "iuf", dx=lambda dz, x, y: np.where(x >= y, dz, 0), dy=lambda dz, x, y: np.where(x >= y, 0, dz))
def maximum(x, y):
    """The greater of x and y, element by element. Where they are equal, the gradient goes to x alone.

    >>> import minigrad as mg
    >>> print(mg.maximum([1.5, 2.5], 2.0).numpy())
    [2.  2.5]
    """
    return np.maximum(x, y)


@op("Minimum", "iuf", dx=lambda dz, x, y: np.where(x <= y, dz, 0), dy=lambda dz, x, y: np.where(x <= y, 0, dz))
def minimum(x, y):
    """The smaller of x and y, element by element. Where they are equal, the gradient goes to x alone.

    >>> import minigrad as mg
    >>> print(mg.minimum([1.5, 2.5], 2.0).numpy())
    [1.5 2. ]
    """
    return np.minimum(x, y)


# ---- reductions ----------------------------------------------------------------------------------------------------


@op("Sum", ARITHMETIC, dinput_tensor=lambda dy, input_tensor_shape, axis: spread(dy, input_tensor_shape, axis))
def reduce_sum(input_tensor, axis: tidy.axes = None, keepdims=False):
    """The sum of the elements along one axis, or several, or all.

    Args:
        input_tensor: of any shape.
        axis: an int or a list of ints, negative ones counted from the end; None means all; [] means none.
        keepdims: keep these axes, with a length of 1.

    Raises:
        InvalidArgumentError: there is no such axis, or it is named twice.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]]
    >>> print(mg.reduce_sum(x).numpy(), mg.reduce_sum(x, axis=0).numpy())
    21.5 [5.5 7.  9. ]
    >>> print(mg.reduce_sum(x, axis=1, keepdims=True).numpy())
    [[ 6.5]
     [15. ]]
    """
    if axis is not None and not input_tensor.ndim:
        refuse_axis(axis)
    return np.add.reduce(input_tensor, axis, input_tensor.dtype, None, keepdims)


def refuse_axis(axis):
    """A single number has no axes. (NumPy allows 0 and -1.)"""
    if axis != ():
        axis = axis if isinstance(axis, int) else axis[0]
        raise errors.InvalidArgumentError(None, None, f"Invalid reduction dimension ({axis} for input with 0 dimension(s)")


@op("Mean", ARITHMETIC, dinput_tensor=lambda dy, input_tensor_shape, input_tensor_size, axis:
    spread(dy / (input_tensor_size // (dy.size or 1)), input_tensor_shape, axis))  # fmt: skip
def reduce_mean(input_tensor, axis: tidy.axes = None, keepdims=False):
    """The mean of the elements along one axis, or several, or all; see `reduce_sum`. That of integers is cut to an integer.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]]
    >>> print(mg.reduce_mean(x, axis=1).numpy().round(4), mg.reduce_mean(x, keepdims=True).numpy().round(4), mg.reduce_mean([3, 4]).numpy())
    [2.1667 5.    ] [[3.5833]] 3
    """
    if input_tensor.dtype.kind in "iu":
        return mean_of_integers(input_tensor, axis, keepdims)
    if axis is not None and not input_tensor.ndim:
        refuse_axis(axis)
    total = np.add.reduce(input_tensor, axis, input_tensor.dtype, None, keepdims)
    return total / (input_tensor.size // (total.size or 1))


def mean_of_integers(x, axis, keepdims):
    """The mean, cut toward 0."""
    total = np.add.reduce(x, axis, np.uint64 if x.dtype.kind == "u" else np.int64, None, keepdims)
    count = x.size // (total.size or 1) or 1
    return (np.sign(total) * (np.abs(total) // total.dtype.type(count))).astype(x.dtype)


def spread(dy, shape, axis):
    """Copies of `dy` along the axes that a reduction took away."""
    return broadcast_to.np(kept(dy, shape, axis), shape)


def kept(y, shape, axis):
    """What a reduction gave, with the axes that it took away, each of length 1."""
    if not y.ndim or axis is None:
        return y
    gone = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return y.reshape(tuple([1 if i in gone else n for i, n in enumerate(shape)]))


@op("Max", "iuf", dinput_tensor=lambda dy, y, input_tensor, axis: winners(input_tensor, y, axis) * kept(dy, input_tensor.shape, axis))
def reduce_max(input_tensor, axis: tidy.axes = None, keepdims=False):
    """The greatest element along one axis, or several, or all; see `reduce_sum`. Equal ones share the gradient.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 6.0, 5.0]]
    >>> print(mg.reduce_max(x, axis=1).numpy(), mg.reduce_max(x).numpy())
    [3. 6.] 6.0
    """
    return extreme(np.maximum, input_tensor, axis, keepdims)


@op("Min", "iuf", dinput_tensor=lambda dy, y, input_tensor, axis: winners(input_tensor, y, axis) * kept(dy, input_tensor.shape, axis))
def reduce_min(input_tensor, axis: tidy.axes = None, keepdims=False):
    """The smallest element along one axis, or several, or all; see `reduce_sum`. Equal ones share the gradient.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [6.0, 4.0, 5.0]]
    >>> print(mg.reduce_min(x, axis=1).numpy(), mg.reduce_min(x).numpy())
    [1.5 4. ] 1.5
    """
    return extreme(np.minimum, input_tensor, axis, keepdims)


def extreme(ufunc, x, axis, keepdims):
    """The greatest or smallest element; that of none is the dtype's own limit."""
    if axis is not None and not x.ndim:
        refuse_axis(axis)
    if x.size:
        return ufunc.reduce(x, axis, None, None, keepdims)
    return ufunc.reduce(x, axis, None, None, keepdims, limit_of(ufunc, x.dtype))


def limit_of(ufunc, dtype):
    """The number that no other loses to."""
    if dtype.kind == "f":
        return -np.inf if ufunc is np.maximum else np.inf
    return np.iinfo(dtype).min if ufunc is np.maximum else np.iinfo(dtype).max


def winners(x, y, axis):
    """1 where x holds the extreme y; several equal ones get equal shares of it."""
    hit = (x == kept(y, x.shape, axis)).astype(x.dtype)
    return hit / np.add.reduce(hit, axis=axis, keepdims=True)


@op("Prod", ARITHMETIC, dinput_tensor=lambda dy, input_tensor, axis:
    spread(dy, input_tensor.shape, axis) * others(input_tensor, axis).conj())  # fmt: skip
def reduce_prod(input_tensor, axis: tidy.axes = None, keepdims=False):
    """The product of the elements along one axis, or several, or all; see `reduce_sum`. Its gradient is exact at zeros too.

    >>> import minigrad as mg
    >>> x = [[1.5, 2.0, 3.0], [4.0, 0.0, 6.0]]
    >>> print(mg.reduce_prod(x, axis=0).numpy(), mg.reduce_prod(x, axis=1).numpy())
    [ 6.  0. 18.] [9. 0.]
    """
    if axis is not None and not input_tensor.ndim:
        refuse_axis(axis)
    return np.multiply.reduce(input_tensor, axis, input_tensor.dtype, None, keepdims)


def others(x, axis):
    """For each element the product of all others: of those before it and those after it."""
    gone = range(x.ndim) if axis is None else [a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))]
    order = (*gone, *(a for a in range(x.ndim) if a not in gone))
    turned = np.transpose(x, order)
    rows = turned.reshape((int(np.prod([x.shape[a] for a in gone])), -1)) if x.size else turned
    product = cumprod.np(rows, 0, True, False) * cumprod.np(rows, 0, True, True)
    return np.transpose(product.reshape(turned.shape), tuple(np.argsort(order).tolist()))


@op("Any", "b", dinput_tensor=None)
def reduce_any(input_tensor, axis: tidy.axes = None, keepdims=False):
    """Is any element True, along one axis, or several, or all?

    >>> import minigrad as mg
    >>> print(mg.reduce_any([[True, False], [False, False]], axis=1).numpy())
    [ True False]
    """
    return np.logical_or.reduce(input_tensor, axis, None, None, keepdims)


@op("All", "b", dinput_tensor=None)
def reduce_all(input_tensor, axis: tidy.axes = None, keepdims=False):
    """Are all elements True, along one axis, or several, or all?

    >>> import minigrad as mg
    >>> print(mg.reduce_all([[True, True], [True, False]], axis=1).numpy())
    [ True False]
    """
    return np.logical_and.reduce(input_tensor, axis, None, None, keepdims)


@op("EuclideanNorm", ARITHMETIC, dinput_tensor=lambda dy, y, input_tensor, axis:
    input_tensor / (kept(y, input_tensor.shape, axis) / kept(dy, input_tensor.shape, axis)))  # fmt: skip
def reduce_euclidean_norm(input_tensor, axis: tidy.axes = None, keepdims=False):
    """The root of the sum of squares along one axis, or several, or all. At 0 its gradient is nan.

    >>> import minigrad as mg
    >>> print(mg.math.reduce_euclidean_norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy())
    [ 5. 10.]
    """
    x = input_tensor
    if axis is not None and not x.ndim:
        refuse_axis(axis)
    return np.sqrt(np.add.reduce(x * x.conj(), axis, x.dtype, None, keepdims)).astype(x.dtype)


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """log(sum(exp(x))) along one axis, or several, or all; safe for numbers of any size.

    >>> import minigrad as mg
    >>> print(mg.reduce_logsumexp([[1.0, 2.0], [1000.0, 1000.0]], axis=1).numpy().round(4))
    [   2.3133 1000.6932]
    """
    x = convert(input_tensor)
    top = reduce_max(x, axis, True).value
    top = Tensor.of(np.where(np.isfinite(top), top, top.dtype.type(0))[()])  # a constant: no gradient flows along it
    total = log(reduce_sum(exp(x - top), axis, keepdims))
    return total + (top if keepdims else reshape(top, total.value.shape))


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """The mean squared distance from the mean, along one axis, or several, or all.

    Raises:
        TypeError: the elements are integers.

    >>> import minigrad as mg
    >>> print(mg.math.reduce_variance([[1.0, 3.0], [2.0, 6.0]], axis=1).numpy())
    [1. 4.]
    """
    x = convert(input_tensor)
    if x.value.dtype.kind in "iu":
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
    distance = x - reduce_mean(x, axis, True)
    if x.value.dtype.kind == "c":
        return reduce_mean(real(distance * conj(distance)), axis, keepdims)
    return reduce_mean(square(distance), axis, keepdims)


def reduce_std(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """The standard deviation, the root of `reduce_variance`. Where it is 0, its gradient is nan.

    >>> import minigrad as mg
    >>> print(mg.math.reduce_std([[1.0, 3.0], [2.0, 6.0]], axis=1).numpy())
    [1. 2.]
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def count_nonzero(input, axis=None, keepdims=None, dtype=np.int64, name=None) -> Tensor:
    """How many elements are not 0 (or of strings, not empty), along one axis, or several, or all.

    >>> import minigrad as mg
    >>> print(mg.math.count_nonzero([[0.0, 1.0], [2.0, 3.0]], axis=1).numpy())
    [1 2]
    """
    input = convert(input)
    zero = Tensor.of(np.array(b"", object) if input.value.dtype.kind == "O" else input.value.dtype.type(0))
    return cast(reduce_sum(cast(not_equal(input, zero), np.int64), axis, bool(keepdims)), dtype)


def zero_fraction(value, name=None) -> Tensor:
    """What part of the elements is 0: a float32 between 0 and 1, and nan if there are none.

    >>> import minigrad as mg
    >>> print(mg.math.zero_fraction([0.0, 1.0, 2.0, 0.0]).numpy())
    0.5
    """
    value = convert(value)
    zeros = value.value.size - int(count_nonzero(value))
    return divide(Tensor.of(np.float32(zeros)), Tensor.of(np.float32(value.value.size)))


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None) -> Tensor:
    """x / sqrt(max(sum(x * x), epsilon)): made as long as 1, along one axis, or several, or all.

    Args:
        x: a Tensor.
        axis: along which the length is measured.
        epsilon: the smallest squared length that is divided by.
        name: accepted as in TensorFlow, without effect.
        dim: an older name of `axis`.

    >>> import minigrad as mg
    >>> print(mg.math.l2_normalize([[3.0, 4.0], [0.0, 0.0]], axis=1).numpy())
    [[0.6 0.8]
     [0.  0. ]]
    """
    if dim is not None and axis is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    x, axis = convert(x), dim if axis is None else axis
    if x.value.dtype.kind == "c":
        length = rsqrt(maximum(reduce_sum(square(real(x)) + square(imag(x)), axis, True), epsilon))
        return multiply(x, cast(length, x.dtype))
    return multiply(x, rsqrt(maximum(reduce_sum(square(x), axis, True), epsilon)))


# ---- where the extremes are ----------------------------------------------------------------------------------------


def argmax(input, axis=None, output_type=np.int64, name=None) -> Tensor:
    """The place of the greatest element along an axis, of several equal ones the first. It has no derivative.

    Args:
        input: a Tensor of at least one axis.
        axis: the axis to search; None means the first.
        output_type: int16, uint16, int32 or int64.
        name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: there is no such axis, or it is empty.

    >>> import minigrad as mg
    >>> print(mg.argmax([[1.0, 3.0], [4.0, 2.0]]).numpy(), mg.argmax([[1.0, 3.0], [4.0, 2.0]], axis=1).numpy())
    [1 0] [1 0]
    """
    return greatest_at(input, axis_of(axis), output_type)


def argmin(input, axis=None, output_type=np.int64, name=None) -> Tensor:
    """The place of the smallest element along an axis, of several equal ones the first. See `argmax`; here it is int32 or int64.

    >>> import minigrad as mg
    >>> print(mg.argmin([[1.0, 3.0], [4.0, 2.0]], axis=1).numpy())
    [0 1]
    """
    return smallest_at(input, axis_of(axis), output_type)


@op("ArgMax", "biuf", dinput=None)
def greatest_at(input, axis: tidy.integer, output_type: tidy.dtype):
    """What `mg.argmax` calls.

    >>> import minigrad as mg
    >>> print(mg.argmax([1.0, 3.0, 2.0]).numpy())
    1
    """
    return place(np.argmax, input, axis, output_type, -np.inf, ("int16", "uint16", "int32", "int64"))


@op("ArgMin", "biuf", dinput=None)
def smallest_at(input, axis: tidy.integer, output_type: tidy.dtype):
    """What `mg.argmin` calls.

    >>> import minigrad as mg
    >>> print(mg.argmin([3.0, 1.0, 2.0]).numpy())
    1
    """
    return place(np.argmin, input, axis, output_type, np.inf, ("int32", "int64"))


def axis_of(axis):
    """An axis for `argmax`: a single one."""
    if isinstance(axis, (list, tuple)):
        raise TypeError("axis must be int or Tensor with integer datatype")
    return 0 if axis is None else axis


def place(search, x, axis, output_type, worst, allowed):
    """Where NumPy finds the extreme, with nan never chosen before a number."""
    if output_type.name not in allowed:
        raise errors.InvalidArgumentError(None, None, not_among("output_type", output_type, ", ".join(allowed)))
    check_axis(axis, x.ndim, "Expected dimension in the range")
    if not x.shape[axis]:
        shape = bracketed(x.shape)
        raise errors.InvalidArgumentError(None, None, f"Reduction axis {axis} is empty in shape {shape}")
    if x.dtype.kind == "f" and np.isnan(x).any():
        x = np.where(np.isnan(x), x.dtype.type(worst), x)
    return search(x, axis).astype(output_type)


def not_among(attribute, dtype, allowed):
    """The words for an attribute whose dtype the kernel does not take."""
    return f"Value for attr {attribute!r} of {dtypes.BY_NUMPY[dtype].kernel_name} is not in the list of allowed values: {allowed}"


def check_axis(axis, ndim, words):
    """Raise, in the op's own words, unless there is such an axis."""
    if not -ndim <= axis < ndim:
        raise errors.InvalidArgumentError(None, None, f"{words} [{-ndim}, {ndim}), but got {axis}")


TopKV2 = collections.namedtuple("TopKV2", ["values", "indices"])


def top_k(input, k=1, sorted=True, index_type=np.int32, name=None) -> TopKV2:
    """The k greatest elements along the last axis, the greatest first, and their places.

    Args:
        input: a Tensor of at least one axis.
        k: how many.
        sorted: accepted as in TensorFlow; here they are always in order.
        index_type: the dtype of the places.
        name: accepted as in TensorFlow, without effect.

    Returns:
        A pair `(values, indices)`.

    Raises:
        InvalidArgumentError: there are fewer than k.

    >>> import minigrad as mg
    >>> values, indices = mg.math.top_k([[1.0, 5.0, 3.0], [9.0, 7.0, 8.0]], k=2)
    >>> print(values.numpy().tolist(), indices.numpy().tolist())
    [[5.0, 3.0], [9.0, 8.0]] [[1, 2], [0, 2]]
    """
    return TopKV2(*greatest(input, k, index_type))


@op("TopKV2", "iuf", dinput=lambda dz, z, input_shape: put_back(dz[0], np.asarray(z[1]), input_shape))
def greatest(input, k: tidy.axes, index_type: tidy.dtype) -> list:
    """The k greatest elements and their places: what `mg.math.top_k` calls.

    >>> import minigrad as mg
    >>> values, indices = mg.math.top_k([[1.0, 5.0, 3.0], [9.0, 7.0, 8.0]], k=2)
    >>> print(values.numpy().tolist())
    [[5.0, 3.0], [9.0, 8.0]]
    """
    if not input.ndim:
        raise errors.InvalidArgumentError(None, None, "input must be >= 1-D, got shape []")
    if k.__class__ is tuple:
        raise errors.InvalidArgumentError(None, None, f"k must be scalar, got shape [{len(k)}]")
    if k < 0:
        raise errors.InvalidArgumentError(None, None, f"Need k >= 0, got {k}")
    if k > input.shape[-1]:
        raise errors.InvalidArgumentError(None, None, f"input must have at least k columns. Had {input.shape[-1]}, needed {k}")
    falling = -input if input.dtype.kind == "f" else ~input  # ~ turns the order of integers round, and cannot overflow
    indices = np.argsort(falling, axis=-1, kind="stable")[..., :k]
    return [np.take_along_axis(input, indices, -1), indices.astype(index_type)]


def put_back(values, indices, shape):
    """Zeros, but the values at their places along the last axis."""
    rows = np.arange(int(np.prod(shape[:-1]))).reshape((*shape[:-1], 1))
    places = (rows * shape[-1] + indices).ravel()
    return scatter_rows.np(values.reshape((-1,)), places, (int(np.prod(shape)),)).reshape(shape)


def in_top_k(targets, predictions, k, name=None) -> Tensor:
    """Is the prediction for the target among the k greatest of its row?

    Args:
        targets: the right class of each example, shape `(batch,)`.
        predictions: a float32 for each class, shape `(batch, classes)`.
        k: how many may be as great or greater; equal ones all count as in.
        name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> print(mg.math.in_top_k([0, 2], [[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]], k=2).numpy())
    [False  True]
    """
    return among_greatest(convert(predictions, Tensor.of(np.float32(0))), convert(targets).value, k)


@op("InTopKV2", "f", dpredictions=None)
def among_greatest(predictions, targets, k: tidy.integer):
    """What `mg.math.in_top_k` calls.

    >>> import minigrad as mg
    >>> print(mg.math.in_top_k([0], [[0.1, 0.7, 0.2]], k=2).numpy())
    [False]
    """
    if predictions.ndim != 2 or targets.ndim != 1:
        name, ndim = ("predictions", 2) if predictions.ndim != 2 else ("targets", 1)
        raise errors.InvalidArgumentError(None, None, f"{name} must be {ndim}-dimensional")
    if len(targets) != len(predictions):
        raise errors.InvalidArgumentError(
            None, None, f"First dimension of predictions {len(predictions)} must match length of targets {len(targets)}"
        )
    known = (targets >= 0) & (targets < predictions.shape[1])
    chosen = predictions[np.arange(len(targets)), np.where(known, targets, 0)]
    greater = np.add.reduce(predictions > chosen[:, None], 1)
    return known & np.isfinite(predictions).all(1) & (greater < k)


# ---- cumulative sums and products ----------------------------------------------------------------------------------


@op("Cumsum", ARITHMETIC, dx=lambda dy, axis, exclusive, reverse: cumsum.np(dy, axis, exclusive, not reverse))
def cumsum(x, axis: tidy.axes = 0, exclusive=False, reverse=False):
    """The sum of each element and all before it, along an axis.

    Args:
        x: a Tensor of at least one axis.
        axis: the axis.
        exclusive: leave the element itself out.
        reverse: the elements after it, instead of those before it.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import minigrad as mg
    >>> print(mg.cumsum([1.5, 2.0, 4.0]).numpy(), mg.cumsum([1.5, 2.0, 4.0], exclusive=True).numpy())
    [1.5 3.5 7.5] [0.  1.5 3.5]
    >>> print(mg.cumsum([[1.5, 2.0, 4.0]], axis=-1, reverse=True).numpy())
    [[7.5 6.  4. ]]
    """
    return scan(np.add, x, axis, exclusive, reverse, 0)


@op("Cumprod", ARITHMETIC, dx=lambda dy, x, y, axis, exclusive, reverse: slope_of_cumprod(dy, x, y, axis, exclusive, reverse))
def cumprod(x, axis: tidy.axes = 0, exclusive=False, reverse=False):
    """The product of each element and all before it, along an axis; see `cumsum`.

    The gradient is exact where there are zeros; TensorFlow, which divides by the element, gives 0 there.

    >>> import minigrad as mg
    >>> print(mg.math.cumprod([1.5, 2.0, 4.0]).numpy(), mg.math.cumprod([1.5, 0.0, 4.0], exclusive=True).numpy())
    [ 1.5  3.  12. ] [1.  1.5 0. ]
    >>> print(mg.math.cumprod([[1.5, 0.0, 4.0]], axis=1, reverse=True).numpy())
    [[0. 0. 4.]]
    """
    return scan(np.multiply, x, axis, exclusive, reverse, 1)


def slope_of_cumprod(dy, x, y, axis, exclusive, reverse):
    """The gradient of `cumprod`: what arrives at each product that x is in, times the others in that product."""
    if np.all(np.asarray(x)):
        return cumsum.np(y * dy, axis, exclusive, not reverse) / x
    # in row k of a square, x[k] is replaced by 1, and so is not in the products that stand there
    order = list(range(x.ndim))
    order[axis], order[-1] = order[-1], order[axis]
    x, dy = np.transpose(x, tuple(order)), np.transpose(dy, tuple(order))
    one = np.eye(x.shape[-1], dtype=x.dtype)
    without = cumprod.np(x[..., None, :] * (1 - one) + one, -1, exclusive, reverse)
    concerned = cumsum.np(one, -1, exclusive, reverse)
    return np.transpose(np.add.reduce(without * concerned * dy[..., None, :], axis=-1), tuple(order))


@op("CumulativeLogsumexp", "f", dx=lambda dy, x, y, axis, exclusive, reverse:
    flow(dy, x, y, axis, exclusive, reverse) - flow(-dy, x, y, axis, exclusive, reverse))  # fmt: skip
def cumulative_logsumexp(x, axis: tidy.axes = 0, exclusive=False, reverse=False):
    """log(sum(exp(...))) of each element and all before it, along an axis; see `cumsum`.

    >>> import minigrad as mg
    >>> print(mg.math.cumulative_logsumexp([1.0, 2.0, 0.5]).numpy().round(4))
    [1.     2.3133 2.4644]
    >>> print(mg.math.cumulative_logsumexp([[1.0, 2.0, 0.5]], axis=1, reverse=True).numpy().round(4))
    [[2.4644 2.2014 0.5   ]]
    """
    return scan(np.logaddexp, x, axis, exclusive, reverse, -np.inf)


def flow(dy, x, y, axis, exclusive, reverse):
    """The gradient of `cumulative_logsumexp` from the positive part of dy, by way of its logarithm: nothing overflows."""
    positive = dy > 0
    log_dy = np.where(positive, np.log(np.where(positive, dy, 1)), np.finfo(dy.dtype).min)
    return np.exp(cumulative_logsumexp.np(log_dy - y, axis, exclusive, not reverse) + x)


def scan(ufunc, x, axis, exclusive, reverse, start):
    """What a ufunc accumulates along an axis, from one end or the other, with the element itself or without."""
    if axis is None:
        raise errors.from_python(unsupported(axis))
    if axis.__class__ is tuple:
        raise errors.InvalidArgumentError(None, None, f"ScanOp: axis must be a scalar, not [{len(axis)}]")
    for word, flag in (("exclusive", exclusive), ("reverse", reverse)):
        if flag is not None and flag.__class__ is not bool:
            raise TypeError(f"Expected bool for argument {word!r} not {flag!r}.")
    check_axis(axis, x.ndim, "ScanOp: Expected scan axis in the range")
    turn = [slice(None)] * x.ndim
    turn[axis] = slice(None, None, -1)
    x = x[tuple(turn)] if reverse else x
    y = ufunc.accumulate(x, axis, x.dtype)
    if exclusive and x.shape[axis]:
        first, later, earlier = list(turn), list(turn), list(turn)
        first[axis], later[axis], earlier[axis] = slice(0, 1), slice(1, None), slice(None, -1)
        shifted = np.empty_like(y)
        shifted[tuple(first)] = start
        shifted[tuple(later)] = y[tuple(earlier)]
        y = shifted
    return y[tuple(turn)] if reverse else y


# ---- segments: reductions of rows that carry the same number ---------------------------------------------------------


@op("SegmentSum", ARITHMETIC, ddata=lambda dz, segment_ids: gather.np(dz, segment_ids), dsegment_ids=None)
def segment_sum(data, segment_ids):
    """Row s of the result is the sum of the rows of data whose number is s.

    Args:
        data: a Tensor of at least one axis; its rows lie along the first.
        segment_ids: a number for each row, from 0 up, in rising order. A number that is left out gives a row of 0.

    Raises:
        InvalidArgumentError: the numbers are not in order, or not as many as the rows.

    >>> import minigrad as mg
    >>> print(mg.math.segment_sum([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[4. 6.]
     [5. 6.]]
    """
    return in_segments(np.add, 0, data, segment_ids, count_segments(data, segment_ids))


@op("SegmentMean", ARITHMETIC, dsegment_ids=None,
    ddata=lambda dz, segment_ids: gather.np(dz / row_counts(segment_ids, dz), segment_ids))  # fmt: skip
def segment_mean(data, segment_ids):
    """Row s of the result is the mean of the rows of data whose number is s; see `segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.segment_mean([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[2. 3.]
     [5. 6.]]
    """
    total = in_segments(np.add, 0, data, segment_ids, count_segments(data, segment_ids))
    mean = total / np.maximum(row_counts(segment_ids, total), 1)
    return np.trunc(mean).astype(data.dtype) if data.dtype.kind in "iu" else mean


@op("SegmentMax", "iuf", dsegment_ids=None,
    ddata=lambda dz, z, data, segment_ids: from_segments(dz, z, data, segment_ids))  # fmt: skip
def segment_max(data, segment_ids):
    """Row s of the result holds the greatest elements of the rows whose number is s; see `segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.segment_max([[1.0, 4.0], [3.0, 2.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[3. 4.]
     [5. 6.]]
    """
    return sorted_extreme(np.maximum, data, segment_ids)


@op("SegmentMin", "iuf", dsegment_ids=None,
    ddata=lambda dz, z, data, segment_ids: from_segments(dz, z, data, segment_ids))  # fmt: skip
def segment_min(data, segment_ids):
    """Row s of the result holds the smallest elements of the rows whose number is s; see `segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.segment_min([[1.0, 4.0], [3.0, 2.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[1. 2.]
     [5. 6.]]
    """
    return sorted_extreme(np.minimum, data, segment_ids)


@op("SegmentProd", ARITHMETIC, dsegment_ids=None,
    ddata=lambda dz, data, segment_ids: slope_of_segment_prod(dz, data, segment_ids))  # fmt: skip
def segment_prod(data, segment_ids):
    """Row s of the result is the product of the rows whose number is s; see `segment_sum`. An empty one is 1.

    >>> import minigrad as mg
    >>> print(mg.math.segment_prod([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 1]).numpy())
    [[3. 8.]
     [5. 6.]]
    """
    return in_segments(np.multiply, 1, data, segment_ids, count_segments(data, segment_ids))


@op("UnsortedSegmentSum", ARITHMETIC, ddata=lambda dz, segment_ids: picked(dz, segment_ids), dsegment_ids=None)
def unsorted_segment_sum(data, segment_ids, num_segments: tidy.integer):
    """Row s of the result is the sum of the parts of data whose number is s.

    Args:
        data: a Tensor.
        segment_ids: the numbers, in any order; their shape is that of the first axes of data. Parts whose number is
            negative are left out.
        num_segments: how many rows to make.

    Raises:
        InvalidArgumentError: a number is too great, or the shapes do not match.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_sum([1.5, 2.0, 4.0], [2, 0, 2], 3).numpy())
    [2.  0.  5.5]
    """
    check_segments(data, segment_ids, num_segments)
    return in_segments(np.add, 0, data, segment_ids, num_segments)


@op("UnsortedSegmentMax", "iuf", dsegment_ids=None,
    ddata=lambda dz, z, data, segment_ids: from_segments(dz, z, data, segment_ids))  # fmt: skip
def unsorted_segment_max(data, segment_ids, num_segments: tidy.integer):
    """Row s of the result holds the greatest elements of the parts whose number is s; see `unsorted_segment_sum`.

    A number that is left out gives the lowest number of the dtype.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_max([1.5, 2.0, 4.0], [1, 0, 1], 2).numpy())
    [2. 4.]
    """
    check_segments(data, segment_ids, num_segments)
    return in_segments(np.maximum, finite_limits(data.dtype).min, data, segment_ids, num_segments)


@op("UnsortedSegmentMin", "iuf", dsegment_ids=None,
    ddata=lambda dz, z, data, segment_ids: from_segments(dz, z, data, segment_ids))  # fmt: skip
def unsorted_segment_min(data, segment_ids, num_segments: tidy.integer):
    """Row s of the result holds the smallest elements of the parts whose number is s; see `unsorted_segment_sum`.

    A number that is left out gives the highest number of the dtype.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_min([1.5, 2.0, 4.0], [1, 0, 1], 2).numpy())
    [2.  1.5]
    """
    check_segments(data, segment_ids, num_segments)
    return in_segments(np.minimum, finite_limits(data.dtype).max, data, segment_ids, num_segments)


@op("UnsortedSegmentProd", ARITHMETIC, dsegment_ids=None,
    ddata=lambda dz, data, segment_ids: slope_of_segment_prod(dz, data, segment_ids))  # fmt: skip
def unsorted_segment_prod(data, segment_ids, num_segments: tidy.integer):
    """Row s of the result is the product of the parts whose number is s; see `unsorted_segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_prod([1.5, 2.0, 4.0], [1, 0, 1], 2).numpy())
    [2. 6.]
    """
    check_segments(data, segment_ids, num_segments)
    return in_segments(np.multiply, 1, data, segment_ids, num_segments)


def unsorted_segment_mean(data, segment_ids, num_segments, name=None) -> Tensor:
    """Row s of the result is the mean of the parts whose number is s; see `unsorted_segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_mean([1.5, 2.0, 4.5], [1, 0, 1], 3).numpy())
    [2. 3. 0.]
    """
    data, ids = convert(data), convert(segment_ids)
    return unsorted_segment_sum(data, ids, num_segments) / size_of_segments(data, ids, num_segments)


def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None) -> Tensor:
    """Row s of the result is the sum of the n parts whose number is s, divided by sqrt(n); see `unsorted_segment_sum`.

    >>> import minigrad as mg
    >>> print(mg.math.unsorted_segment_sqrt_n([1.5, 2.0, 4.5, 2.0, 2.0], [1, 0, 1, 1, 1], 2).numpy())
    [2. 5.]
    """
    data, ids = convert(data), convert(segment_ids)
    return unsorted_segment_sum(data, ids, num_segments) / sqrt(size_of_segments(data, ids, num_segments))


def in_segments(ufunc, start, data, ids, number):
    """Reduce the parts of data by their number; parts with a negative number are left out."""
    parts = data.reshape((ids.size, *data.shape[ids.ndim :]))
    ids = ids.ravel()
    if ids.size and ids.min() < 0:
        parts, ids = parts[ids >= 0], ids[ids >= 0]
    whole = np.full((number, *parts.shape[1:]), start, data.dtype)
    ufunc.at(whole, ids, parts)
    return whole


def count_segments(data, ids):
    """How many segments the sorted numbers make, which must fit the rows."""
    if not data.ndim:
        problem = "input must be at least rank 1"
    elif ids.ndim != 1:
        problem = "segment_ids should be a vector."
    elif ids.dtype not in (np.int32, np.int64):
        problem = not_among("Tindices", ids.dtype, "int32, int64")
    elif len(ids) != len(data):
        problem = "segment_ids should be the same size as dimension 0 of input."
    elif not len(ids):
        return 0
    elif (np.diff(ids) < 0).any():
        problem = "segment ids are not increasing"
    elif ids[0] < 0:
        problem = "segment ids must be >= 0"
    else:
        return int(ids[-1]) + 1
    raise errors.InvalidArgumentError(None, None, problem)


def check_segments(data, ids, number):
    """Raise unless the numbers fit the data, and the rows that are wanted."""
    if ids.dtype not in (np.int16, np.int32, np.int64):
        problem = not_among("Tindices", ids.dtype, "int16, int32, int64")
    elif number < 0:
        problem = f"Input num_segments == {number} must not be negative."
    elif data.shape[: ids.ndim] != ids.shape:
        shapes = [bracketed(shape) for shape in (data.shape, ids.shape)]
        problem = f"data.shape = {shapes[0]} does not start with segment_ids.shape = {shapes[1]}"
    elif ids.size and ids.max() >= number:
        place = tuple(np.argwhere(ids >= number)[0].tolist())
        problem = f"segment_ids{bracketed(place)} = {ids[place]} is out of range [0, {number})"
    else:
        return
    raise errors.InvalidArgumentError(None, None, problem)


def sorted_extreme(ufunc, data, ids):
    """The extremes of sorted segments; those of an empty one are 0."""
    limits = (-np.inf, np.inf) if data.dtype.kind == "f" else (np.iinfo(data.dtype).min, np.iinfo(data.dtype).max)
    whole = in_segments(ufunc, limits[ufunc is np.minimum], data, ids, count_segments(data, ids))
    whole[np.setdiff1d(np.arange(len(whole)), ids)] = 0
    return whole


def finite_limits(dtype):
    """The lowest and the highest number of a dtype."""
    return np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)


def row_counts(ids, like):
    """How many rows each segment has, with as many axes and of the same dtype as `like`."""
    counts = np.bincount(np.asarray(ids), minlength=like.shape[0])
    return counts.astype(like.dtype).reshape((-1,) + (1,) * (like.ndim - 1))


def size_of_segments(data, ids, number):
    """How many parts each segment has, at least 1, as a constant that data's segments can be divided by."""
    number = tidy.integer(number)
    counts = np.bincount(ids.value[(ids.value >= 0) & (ids.value < number)].ravel(), minlength=number)
    counts = np.maximum(counts, 1).reshape((-1,) + (1,) * (data.value.ndim - ids.value.ndim))
    return Tensor.of(counts.astype(data.value.dtype))


def picked(rows, ids):
    """For each part the row of its segment; 0 for those that are in none."""
    ids = np.asarray(ids)
    if not ids.size or ids.min() >= 0:
        return gather.np(rows, ids)
    inside = (ids >= 0).reshape(ids.shape + (1,) * (rows.ndim - 1))
    return np.where(inside, gather.np(rows, np.maximum(ids, 0)), 0)


def from_segments(dz, z, data, ids):
    """The gradient of a maximum or minimum of segments: equal winners share it."""
    won = (data == picked(z, ids)).astype(data.dtype)
    shares = in_segments(np.add, 0, np.asarray(won), np.asarray(ids), z.shape[0])
    return np.where(np.asarray(won) > 0, picked(dz / np.maximum(shares, 1), ids), 0)


def slope_of_segment_prod(dz, data, ids):
    """The gradient of a product of segments: the product of the others, which is exact where one element is 0 or more are."""
    zero = np.asarray(data) == 0
    zeros = in_segments(np.add, 0, zero.astype(data.dtype), np.asarray(ids), dz.shape[0])
    filled = np.where(zero, 1, data)
    product = unsorted_segment_prod.np(filled, ids, dz.shape[0])
    others_zero = picked(zeros, ids) - zero  # how many of the others are 0
    return np.where(others_zero > 0, 0, picked(dz, ids) * picked(product, ids) / filled)


# ---- counting --------------------------------------------------------------------------------------------------------


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=np.int32, name=None, axis=None, binary_output=False):
    """How often each of the numbers 0, 1, 2 ... occurs.

    Args:
        arr: integers, none of them negative.
        weights: what each counts, in place of 1; of the shape of `arr`.
        minlength: count at least up to here, even if there are no such numbers.
        maxlength: leave out the numbers from here on.
        dtype: of the counts, unless there are weights, which keep their own.
        name: accepted as in TensorFlow, without effect.
        axis: None or 0 to count all elements together, -1 to count each row for itself.
        binary_output: only tell, by 1 or 0, whether a number occurs.

    Raises:
        InvalidArgumentError: there is a negative number, or the weights do not fit.

    >>> import minigrad as mg
    >>> print(mg.math.bincount([1, 1, 3]).numpy(), mg.math.bincount([1, 1, 3], weights=[0.5, 1.0, 2.0]).numpy())
    [0 2 0 1] [0.  1.5 0.  2. ]
    """
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    arr = convert(arr)
    arr = arr if arr.value.dtype.kind in "iu" else cast(arr, np.int32)
    arr = arr if axis == -1 else reshape(arr, (-1,))
    size = int(arr.value.max()) + 1 if arr.value.size else 0
    size = size if minlength is None else max(size, int(minlength))
    size = size if maxlength is None else min(size, int(maxlength))
    if weights is not None:
        weights = convert(weights).value
        dtype, weights = weights.dtype, weights if axis == -1 else weights.reshape(-1)
    return dense_bincount(arr, size, weights, dtype, binary_output)


@op("DenseBincount", "iu", darr=None)
def dense_bincount(arr, size, weights, dtype: tidy.dtype, binary_output):
    """Counts along the last axis: what `mg.math.bincount` calls.

    >>> import minigrad as mg
    >>> print(mg.math.bincount([1, 1, 3]).numpy())
    [0 2 0 1]
    """
    if arr.size and arr.min() < 0:
        raise errors.InvalidArgumentError(None, None, "Input arr must be non-negative!")
    if arr.ndim > 2:
        raise errors.InvalidArgumentError(None, None, f"Shape must be at most rank 2 but is rank {arr.ndim}")
    if weights is not None and weights.shape != arr.shape:
        raise errors.InvalidArgumentError(
            None, None,
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal to 1."
            f" Received {list(weights.shape)}",
        )  # fmt: skip
    counted = arr < size
    counts = np.zeros((*arr.shape[:-1], size), dtype)
    places = (*np.nonzero(counted)[:-1], arr[counted])
    np.add.at(counts, places, 1 if weights is None else weights[counted])
    return np.minimum(counts, 1) if binary_output else counts


def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=np.int32, name=None) -> Tensor:
    """How often label i was predicted as j, for all i (rows) and j (columns).

    Args:
        labels, predictions: the classes, numbered from 0, of shape `(batch,)`.
        num_classes: how many classes there are; by default as many as occur.
        weights: what each example counts, in place of 1.
        dtype: of the counts.
        name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: a class is negative, or too great.

    >>> import minigrad as mg
    >>> print(mg.math.confusion_matrix([1, 2, 2], [1, 2, 0]).numpy())
    [[0 0 0]
     [0 1 0]
     [1 0 1]]
    """
    classes = {"labels": convert(labels).value, "predictions": convert(predictions).value}
    deepest = max(value.ndim for value in classes.values())
    classes = {
        name: (value[..., 0] if value.ndim == deepest > 1 else value).astype(np.int64)  # a last axis of length 1 may be there
        for name, value in classes.items()
    }
    sizes = [value.max() + 1 for value in classes.values() if value.size]
    number = int(max(sizes, default=0)) if num_classes is None else int(num_classes)
    for name, value in classes.items():
        if (value < 0).any():
            raise errors.InvalidArgumentError(None, None, f"`{name}` contains negative values.")
        if (value >= number).any():
            raise errors.InvalidArgumentError(None, None, f"`{name}` out of bound")
    actual, predicted = classes.values()
    if actual.shape != predicted.shape:
        shapes = [f"values[{k}].shape = {bracketed(value.shape)}" for k, value in enumerate((actual, predicted))]
        raise errors.InvalidArgumentError(None, None, f"Shapes of all inputs must match: {' != '.join(shapes)} [Op:Pack] name: stack")
    counted = convert(np.ones(actual.shape)) if weights is None else convert(weights)
    return reshape(unsorted_segment_sum(cast(counted, dtype), actual * number + predicted, number * number), (number, number))


# ---- complex numbers -------------------------------------------------------------------------------------------------


def complex(real, imag, name=None) -> Tensor:
    """Complex numbers of their two parts.

    Args:
        real, imag: of one dtype, float32 or float64.
        name: accepted as in TensorFlow, without effect.

    Raises:
        TypeError: the dtypes differ, or are others.

    >>> import minigrad as mg
    >>> print(mg.complex(3.0, 4.0).numpy())
    (3+4j)
    """
    real = convert(real)
    imag = convert(imag)
    kinds = [str(real.value.dtype), str(imag.value.dtype)]
    if kinds not in (["float32"] * 2, ["float64"] * 2):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {kinds[0]} {kinds[1]}. "
            "They must be consistent, and one of [tf.float32, tf.float64]"
        )
    return of_parts(real, imag)


@op("Complex", "f", dreal=lambda dz: to_real(dz), dimag=lambda dz: to_imag(dz))
def of_parts(real, imag):
    """What `mg.complex` calls.

    >>> import minigrad as mg
    >>> print(mg.complex([1.0, 2.0], 4.0).numpy())
    [1.+4.j 2.+4.j]
    """
    whole = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.complex64 if real.dtype.itemsize == 4 else np.complex128)
    whole.real, whole.imag = real, imag
    return whole[()]


@op("Real", "c", dinput=lambda dy, input_dtype: dy.astype(input_dtype))
def real(input):
    """The real part of complex numbers; real numbers as they are.

    >>> import minigrad as mg
    >>> print(mg.math.real(3 + 4j).numpy(), mg.math.real(2.0).numpy())
    3.0 2.0
    """
    return np.real(input)


@op("Imag", "c", dinput=lambda dy, input_dtype: dy.astype(input_dtype) * input_dtype.type(1j))
def imag(input):
    """The imaginary part of complex numbers; 0 for real numbers.

    >>> import minigrad as mg
    >>> print(mg.math.imag(3 + 4j).numpy(), mg.math.imag(2.0).numpy())
    4.0 0.0
    """
    return np.imag(input)


@op("Conj", "c", dx=lambda dy: dy.conj())
def conj(x):
    """The complex conjugate: the imaginary part changes its sign. Real numbers stay as they are.

    >>> import minigrad as mg
    >>> print(mg.math.conj(3 + 4j).numpy(), mg.math.conj(2.0).numpy())
    (3-4j) 2.0
    """
    return np.conj(x)


@op("Angle", "c", dinput=lambda dy, input: dy.astype(input.dtype) * input.dtype.type(1j) / input.conj())
def angle(input):
    """The angle of complex numbers, between -pi and pi. That of a real number is 0, or pi if it is negative.

    >>> import minigrad as mg
    >>> print(mg.math.angle(1 + 1j).numpy().round(4), mg.math.angle(-2.0).numpy().round(4))
    0.7854 3.1416
    """
    return np.angle(input).astype(input.real.dtype)[()]


to_real, to_imag = real.np, imag.np  # `real` and `imag` are names of parameters too
real.others = dict.fromkeys("iuf", lambda x: x)
imag.others = dict.fromkeys("iuf", lambda x: Tensor.of(np.zeros_like(x.value)))
conj.others = dict.fromkeys("iuf", lambda x: x)
angle.others = {"f": lambda x: where(less(x, 0), x.value.dtype.type(np.pi), x.value.dtype.type(0))}


# ---- and also --------------------------------------------------------------------------------------------------------


def lbeta(x, name=None):
    """log(abs(beta(x))) along the last axis: the sum of the `lgamma`s less the `lgamma` of the sum.

    >>> import minigrad as mg
    >>> print(mg.math.lbeta([1.0, 2.0]).numpy().round(4))
    -0.6931
    """
    x = convert(x)
    return reduce_sum(special.lgamma(x), axis=-1) - special.lgamma(reduce_sum(x, axis=-1))


def polyval(coeffs, x, name=None):
    """The polynomial with these coefficients, that of the highest power first, at x.

    >>> import minigrad as mg
    >>> print(mg.math.polyval([3.0, 2.0, 1.0], [2.0, 10.0]).numpy())
    [ 17. 321.]
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = convert(x)
    if not coeffs:
        return Tensor.of(np.zeros_like(x.value))
    total = convert(coeffs[0], x)
    for coefficient in coeffs[1:]:
        total = coefficient + total * x
    return total


@op("InvertPermutation", dx=None)
def invert_permutation(x):
    """The order that undoes the order x: `y[x[i]] == i`.

    Raises:
        InvalidArgumentError: x does not hold each of 0, 1, 2 ... once.

    >>> import minigrad as mg
    >>> print(mg.math.invert_permutation([2, 0, 1]).numpy())
    [1 2 0]
    """
    if x.ndim != 1:
        raise errors.InvalidArgumentError(None, None, "invert_permutation expects a 1D vector.")
    if not x.size:
        return np.zeros(0, np.int32)
    if x.dtype not in (np.int32, np.int64):
        raise errors.InvalidArgumentError(None, None, not_among("T", x.dtype, "int32, int64"))
    inverse = np.full(len(x), -1, x.dtype)
    for place, number in enumerate(x.tolist()):
        if not 0 <= number < len(x):
            raise errors.InvalidArgumentError(None, None, f"{number} is not between 0 and {len(x)}")
        if inverse[number] >= 0:
            raise errors.InvalidArgumentError(None, None, f"{number} is duplicated in the input.")
        inverse[number] = place
    return inverse


# the ops whose rules hold for complex numbers as well, but for the conjugate
HOLOMORPHIC = (
    multiply, divide, realdiv, divide_no_nan, reciprocal, reciprocal_no_nan, pow, square, sqrt, rsqrt, exp, expm1, log, log1p, sigmoid,
    sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh,
)  # fmt: skip
for one in HOLOMORPHIC:
    one.others = one.others | {"c": of_complex(one)}

# unlike tf.divide, whose first number takes the dtype of the second
truediv = made(divide.__wrapped__, divide.kernel, divide.kinds, "alone", divide.rules)
truediv.others = divide.others
