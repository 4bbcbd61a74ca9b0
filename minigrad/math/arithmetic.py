"""Sums, products, quotients, powers and roots. Each op is a NumPy function; its VJPs are in the decorator above it."""

from typing import Any

import numpy as np

from .. import errors
from ..engine import IndexedSlices, Tensor, accepts_sparse, bracketed, convert, dtypes, invalid, not_among, op
from ..engine.custom import unregistered
from ..engine.op import redeclared
from ..ops import cast, convert_to_tensor

__all__ = ["abs", "accumulate_n", "add", "add_n", "divide", "divide_no_nan", "floordiv", "floormod", "mod", "multiply",
           "multiply_no_nan", "negative", "nextafter", "polyval", "pow", "reciprocal", "reciprocal_no_nan", "rsqrt",
           "scalar_mul", "sign", "sqrt", "square", "squared_difference", "subtract", "truediv", "xdivy", "xlog1py",
           "xlogy"]  # fmt: skip

ARITHMETIC = "iufc"

# ---- arithmetic ----------------------------------------------------------------------------------------------------


@op("AddV2", ARITHMETIC, twin=np.add, keep_misfit=True, first_alone=True, dx=lambda dz: dz, dy=lambda dz: dz)
def add(x, y):
    """x + y, element by element; strings are concatenated.

    >>> import minigrad as mg
    >>> print(mg.add([1.5, 2.5], [[10.0], [20.0]]))
    mg.Tensor(
    [[11.5 12.5]
     [21.5 22.5]], shape=(2, 2), dtype=float32)
    """
    return x + y


@op("Add", "O", dx=None, dy=None)
def plus(x, y):
    """Op behind `+` of strings: concatenation, element by element.

    >>> import minigrad as mg
    >>> print((mg.constant("a") + mg.constant(["b", "c"])).numpy())
    [b'ab' b'ac']
    """
    return np.asarray(np.add(x, y), object)


add.for_strings = lambda inputs: plus(*inputs)


@op("Sub", ARITHMETIC, twin=np.subtract, dx=lambda dz: dz, dy=lambda dz: -dz)
def subtract(x, y):
    """x - y, element by element.

    >>> import minigrad as mg
    >>> print(mg.subtract([1.5, 2.5], 1.0).numpy())
    [0.5 1.5]
    """
    return x - y


@op("Mul", "iuf", twin=np.multiply, holomorphic=True, dx=lambda dz, y: dz * y, dy=lambda dz, x: dz * x)
def multiply(x, y):
    """x * y, element by element.

    >>> import minigrad as mg
    >>> print(mg.multiply([1.5, 2.5], 3.0).numpy())
    [4.5 7.5]
    """
    return x * y


@op("RealDiv", "f", twin=np.divide, holomorphic=True, keep_misfit=True,
    dx=lambda dz, y: dz / y, dy=lambda dz, x, y: dz * (-x / y / y), math={"y": "-upstream * x / y^2"})  # fmt: skip
def divide(x, y):
    """x / y, element by element.

    Integers are converted to float first: 8 and 16 bits to float32, 32 and 64 bits to float64.

    Raises:
        TypeError: the dtypes of x and y differ.

    >>> import minigrad as mg
    >>> print(mg.divide([1.5, 2.5], 4.0).numpy(), mg.divide(3, 2).numpy())
    [0.375 0.625] 1.5
    """
    return x / y


@op("DivNoNan", "f", holomorphic=True, keep_misfit=True,
    dx=lambda dz, y: divide_no_nan.np(dz, y), dy=lambda dz, x, y: dz * divide_no_nan.np(divide_no_nan.np(-x, y), y),
    math={"y": "-upstream * x / y^2"})  # fmt: skip
def divide_no_nan(x, y):
    """x / y, element by element, and 0 where y is 0.

    >>> import minigrad as mg
    >>> print(mg.math.divide_no_nan([1.5, 3.0], 2.0).numpy())
    [0.75 1.5 ]
    """
    return np.where(y == 0, y.dtype.type(0), x / y)[()]


def of_integers(divide):
    """`divide` for integers: both are cast to float32 (from 8 and 16 bits) or float64."""

    def divide_integers(x, y):
        dtype = np.float32 if x.value.dtype.itemsize < 4 else np.float64
        return divide(cast(x, dtype), cast(y, dtype))

    return divide_integers


def refuse_others(x, y):
    """Raise TypeError: `divide` takes neither bools nor strings."""
    allowed = ", ".join(f"tf.{dtype.name}" for dtype in dtypes.ALL if dtype.dtype.kind in ARITHMETIC)
    raise TypeError(f"Invalid dtype tf.{x.dtype.name} in __truediv__. Expected one of {{{allowed}}}.")


for one in (divide, divide_no_nan):
    one.by_kind |= dict.fromkeys("iu", of_integers(one)) | dict.fromkeys("bO", refuse_others)


def without_kernel(x, y):
    """Raise NotFoundError: `mg.realdiv` takes no integers, unlike `mg.divide`."""
    dtype = x.dtype
    given = f"this op does not take tf.{dtype.name}. Write mg.divide(x, y). [Op:RealDiv] name: "
    problem = "Could not find device for node:"
    raise errors.NotFoundError(None, None, f"{problem} = RealDiv[T=DT_{dtype.name.upper()}]: {given}")


realdiv = redeclared(divide)  # unlike tf.divide it does not convert integers
realdiv.by_kind = dict.fromkeys("iu", without_kernel) | {"c": divide.by_kind["c"]}


@op("MulNoNan", "fc", dx=lambda dz, y: multiply_no_nan.np(dz, y), dy=lambda dz, x: multiply_no_nan.np(x, dz),
    math={"y": "upstream * x"})  # fmt: skip
def multiply_no_nan(x, y):
    """x * y, element by element, and 0 where y is 0, even if x is infinite or NaN.

    >>> import minigrad as mg
    >>> print(mg.math.multiply_no_nan([1.5, 2.5], 2.0).numpy())
    [3. 5.]
    """
    return np.where(y == 0, y.dtype.type(0), x * y)[()]


@op("Reciprocal", "f", twin=np.reciprocal, holomorphic=True, dx=lambda dy, y: multiply_no_nan.np(-(y * y), dy),
    math="-upstream * y^2")  # fmt: skip
def reciprocal(x):
    """Reciprocal: 1 / x, element by element.

    >>> import minigrad as mg
    >>> print(mg.math.reciprocal([2.0, -4.0]).numpy())
    [ 0.5  -0.25]
    """
    return 1 / x


@op("DivNoNan", "f", holomorphic=True, dx=lambda dy, y: -dy * (y * y))
def reciprocal_no_nan(x):
    """Reciprocal: 1 / x, element by element, and 0 where x is 0.

    >>> import minigrad as mg
    >>> print(mg.math.reciprocal_no_nan([2.0, -4.0]).numpy())
    [ 0.5  -0.25]
    """
    return np.where(x == 0, x.dtype.type(0), 1 / x)[()]


@op("FloorDiv", "iuf", twin=np.floor_divide, dx=None, dy=None)
def floordiv(x, y):
    """Floor division `x // y`: the quotient, rounded down. It is not differentiable (the gradient is None).

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


@op("FloorMod", "iuf", twin=np.remainder, dx=lambda dz: dz, dy=lambda dz, x, y: dz * -floordiv.np(x, y))
def floormod(x, y):
    """Remainder of floor division, `x % y`, with the sign of y.

    Raises:
        InvalidArgumentError: an integer is divided by 0.

    >>> import minigrad as mg
    >>> print(mg.math.floormod([7.5, -7.5], 2.0).numpy(), mg.math.floormod(-7, 3).numpy())
    [1.5 0.5] 2
    """
    refuse_zero(y)
    left = np.fmod(x, y)  # a remainder of 0 has the sign of x, as in TensorFlow
    return np.where((left != 0) & ((left < 0) != (y < 0)), left + y, left).astype(left.dtype)[()]


mod = floormod


@op("TruncateDiv", "iuf", dx=None, dy=None)
def truncatediv(x, y):
    """The quotient x / y, rounded toward 0. It is not differentiable (the gradient is None).

    Raises:
        InternalError: an integer is divided by 0.

    >>> import minigrad as mg
    >>> print(mg.truncatediv([7, -7], 2).numpy())
    [ 3 -3]
    """
    if x.dtype.kind in "iu":
        refuse_zero(y, *WHERE_TRUNCATED)
        return (x - np.fmod(x, y)) // y
    return np.trunc(x / y)


@op("TruncateMod", "if", twin=np.fmod, **unregistered("TruncateMod", "z", "x", "y"))
def truncatemod(x, y):
    """Remainder of `mg.truncatediv(x, y)`, with the sign of x.

    Raises:
        InternalError: an integer is divided by 0.
        LookupError: (in `tape.gradient`) no gradient is registered for it, as in TensorFlow.

    >>> import minigrad as mg
    >>> print(mg.truncatemod([7, -7], 3).numpy())
    [ 1 -1]
    """
    refuse_zero(y, *WHERE_TRUNCATED)
    return np.fmod(x, y)


def refuse_zero(y, error=errors.InvalidArgumentError, words="Integer division by zero"):
    """Raise an error if an integer divisor is 0: no integer is infinite."""
    if y.dtype.kind in "iu" and not np.all(y):
        raise error(None, None, words)


WHERE_TRUNCATED = (  # what TensorFlow says there
    errors.InternalError,
    "Unexpected error in binary operator (only integer div and mod should have errors)",
)


@op("Neg", "ifc", twin=np.negative, dx=accepts_sparse(lambda dy: -dy))
def negative(x):
    """Negative: -x, element by element.

    >>> import minigrad as mg
    >>> print(mg.negative([1.5, -2.5]).numpy())
    [-1.5  2.5]
    """
    return -x


@op("Abs", "if", twin=(np.abs, np.fabs), dx=lambda dy, x: dy * np.sign(x))
def abs(x):
    """Absolute value; of a complex number, its magnitude. The gradient at 0 is taken as 0.

    >>> import minigrad as mg
    >>> print(mg.abs([1.5, -2.5]).numpy(), mg.abs(3 + 4j).numpy())
    [1.5 2.5] 5.0
    """
    return np.abs(x)


@op("ComplexAbs", "c", variant_of=abs, dx=lambda dy, x, y: divide_no_nan.np(dy.astype(x.dtype) * x, y.astype(x.dtype)))
def complex_abs(x):
    """Op behind `mg.abs` of complex numbers: their magnitudes, which are real.

    >>> import minigrad as mg
    >>> print(mg.abs(3 + 4j).numpy())
    5.0
    """
    return np.abs(x)


@op("Sign", "if", twin=np.sign, dx=lambda dy: np.zeros_like(dy))
def sign(x):
    """Sign of each element: -1, 0 or 1; of a complex number, x / abs(x).

    The gradient of real numbers is 0 everywhere (it is not None).

    >>> import minigrad as mg
    >>> print(mg.sign([1.5, -2.5]).numpy())
    [ 1. -1.]
    """
    return np.sign(x)


@op("Sign", "c", variant_of=sign,
    dx=lambda dy, x, y: divide_no_nan.np((dy - y * y * dy.conj()) * 0.5, np.abs(x).astype(x.dtype)))  # fmt: skip
def complex_sign(x):
    """Op behind `mg.sign` of complex numbers: x / abs(x), and 0 where x is 0.

    >>> import minigrad as mg
    >>> print(mg.sign(3 + 4j).numpy())
    (0.6+0.8j)
    """
    return np.sign(x)


def scalar_mul(scalar, x, name=None) -> Any:
    """Multiply a Tensor, or IndexedSlices, by a scalar.

    Raises:
        ValueError: `scalar` is not a scalar: it has axes.

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


@op("AddN", dinputs=accepts_sparse(lambda dz: dz))
def add_n(inputs: list):
    """Sum of a list of Tensors of the same shape and dtype. There is no broadcasting.

    Raises:
        ValueError: the list is empty.
        InvalidArgumentError: the shapes or dtypes differ.

    >>> import minigrad as mg
    >>> print(mg.add_n([1.0, 2.0, 3.5]).numpy(), mg.add_n([[1.5, 2.5], [10.0, 20.0]]).numpy())
    6.5 [11.5 22.5]
    """
    if not inputs:
        problem = "Inputs must be an iterable of at least one Tensor/IndexedSlices"
        raise errors.by_python(ValueError(f"{problem} with the same dtype and shape."))
    total = inputs[0]
    if total.dtype.kind not in ARITHMETIC and len(inputs) > 1:
        raise invalid(not_among("T", total.dtype, "all kinds of numbers"))
    for k, x in enumerate(inputs):
        if x.shape != total.shape:
            shapes = [bracketed(shape) for shape in (total.shape, x.shape)]
            problem = "Inputs to operation AddN of type AddN must have the same size and shape."
            raise invalid(f"{problem}  Input 0: {shapes[0]} != input {k}: {shapes[1]}")
        total = total + x if k else x
    return total


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None) -> Tensor:
    """Sum of a list of Tensors, like `mg.add_n`.

    Raises:
        ValueError: `inputs` is not a list or tuple, or it is empty.

    >>> import minigrad as mg
    >>> print(mg.math.accumulate_n([1.0, 2.0]).numpy())
    3.0
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    return add_n(inputs)


@op("Xlogy", "fc", dx=lambda dz, x, y: dz * xlogy.np(nonzero(x), y), dy=lambda dz, x, y: dz * xdivy.np(x, y),
    math={"x": "upstream * [x != 0] * log(y)"})  # fmt: skip
def xlogy(x, y):
    """x * log(y), element by element, and 0 where x is 0, whatever y is.

    >>> import minigrad as mg
    >>> print(mg.math.xlogy([2.0, 0.5], 3.0).numpy().round(4))
    [2.1972 0.5493]
    """
    return zero_at_zero(x, x * np.log(y))


@op("Xlog1py", "fc", dx=lambda dz, x, y: dz * xlog1py.np(nonzero(x), y), dy=lambda dz, x, y: dz * xdivy.np(x, y + 1),
    math={"x": "upstream * [x != 0] * log1p(y)"})  # fmt: skip
def xlog1py(x, y):
    """x * log(1 + y), element by element, and 0 where x is 0, whatever y is. It is accurate for small y.

    >>> import minigrad as mg
    >>> print(mg.math.xlog1py([2.0, 0.5], 3.0).numpy().round(4))
    [2.7726 0.6931]
    """
    return zero_at_zero(x, x * np.log1p(y))


@op("Xdivy", "fc", dx=lambda dz, x, y: dz * xdivy.np(nonzero(x), y), dy=lambda dz, x, y: dz * xdivy.np(-x, y * y),
    math={"y": "-upstream * x / y^2"})  # fmt: skip
def xdivy(x, y):
    """x / y, element by element, and 0 where x is 0, whatever y is.

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


@op("NextAfter", "f", twin=np.nextafter, dx1=lambda dz: dz, dx2=lambda dz: np.zeros_like(dz))
def nextafter(x1, x2):
    """The next number after x1, in the direction of x2, that the dtype can represent.

    The gradient passes to x1 unchanged; the gradient of x2 is 0.

    >>> import minigrad as mg
    >>> print(mg.math.nextafter([1.0, 2.0], [2.0, 1.0]).numpy() > [1.0, 2.0])
    [ True False]
    """
    return np.nextafter(x1, x2)


# ---- powers and roots ----------------------------------------------------------------------------------------------


@op("Pow", "if", twin=np.power, holomorphic=True,
    dx=lambda dz, x, y: dz * y * x ** (y - 1), dy=lambda dz, z, x: dz * z * log_or_zero(x),
    math={"y": "upstream * z * log(x)"})  # fmt: skip
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
        return x * x * x  # NumPy's power is forty times slower
    return x**y


def log_or_zero(x):
    """log(x), and 0 where x is not positive (complex numbers: where x is 0)."""
    return np.log(np.where(x != 0 if x.dtype.kind == "c" else x > 0, x, 1))


@op("Square", "iuf", twin=np.square, holomorphic=True, dx=lambda dy, x: dy * (2 * x))
def square(x):
    """Square: x * x, element by element.

    >>> import minigrad as mg
    >>> print(mg.square([1.5, -2.0]).numpy())
    [2.25 4.  ]
    """
    return x * x


@op("SquaredDifference", "if", dx=lambda dz, x, y: 2 * dz * (x - y), dy=lambda dz, x, y: -(2 * dz * (x - y)))
def squared_difference(x, y):
    """Squared difference: (x - y) * (x - y), element by element; of complex numbers, abs(x - y) squared.

    >>> import minigrad as mg
    >>> print(mg.math.squared_difference([1.5, 2.0], 4.0).numpy())
    [6.25 4.  ]
    """
    difference = x - y
    return difference * difference


@op("SquaredDifference", "c", variant_of=squared_difference,
    dx=lambda dz, x, y: 2 * dz * (x - y), dy=lambda dz, x, y: -(2 * dz * (x - y)))  # fmt: skip
def complex_squared_difference(x, y):
    """Op behind `mg.math.squared_difference` of complex numbers: (x - y) * conj(x - y).

    >>> import minigrad as mg
    >>> print(mg.math.squared_difference(3 + 4j, 0j).numpy())
    (25+0j)
    """
    difference = x - y
    return difference * difference.conj()


@op("Sqrt", "f", twin=np.sqrt, holomorphic=True, dx=lambda dy, y: multiply_no_nan.np(0.5 / y, dy),
    math="upstream / (2 * y)")  # fmt: skip
def sqrt(x):
    """Square root. Its derivative at 0 is infinite, but an upstream gradient of 0 stays 0 there.

    >>> import minigrad as mg
    >>> print(mg.sqrt([4.0, 2.25]).numpy())
    [2.  1.5]
    """
    return np.sqrt(x)


@op("Rsqrt", "f", holomorphic=True, dx=lambda dy, y: multiply_no_nan.np(y * y, -0.5 * multiply_no_nan.np(y, dy)),
    math="-upstream * y^3 / 2")  # fmt: skip
def rsqrt(x):
    """Reciprocal square root: 1 / sqrt(x), element by element.

    >>> import minigrad as mg
    >>> print(mg.math.rsqrt([4.0, 0.25]).numpy())
    [0.5 2. ]
    """
    return 1 / np.sqrt(x)


def polyval(coeffs, x, name=None) -> Tensor:
    """Value of a polynomial at x, element by element.

    Args:
        coeffs: a list of the coefficients, that of the highest power first: `[3, 2, 1]` means 3 * x**2 + 2 * x + 1.
        x: of any shape.

    Raises:
        ValueError: `coeffs` is not a list.

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


# unlike in tf.divide, a Python number in the first place does not take the dtype of the second input
truediv = redeclared(divide, keep_misfit=True, first_alone=True)
truediv.by_kind = divide.by_kind
