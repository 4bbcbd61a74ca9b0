"""Complex numbers: real and imaginary parts, conjugates and angles."""

from typing import Any

import numpy as np

from ..engine import Tensor, convert, op
from ..ops import where
from .comparison import less

__all__ = ["angle", "conj", "imag", "real"]

# ---- complex numbers -------------------------------------------------------------------------------------------------


def complex(real, imag, name=None) -> Tensor:
    """Complex numbers from their real and imaginary parts, which are broadcast.

    Args:
        real, imag: both float32, or both float64.

    Returns:
        A complex64 Tensor of float32 parts, a complex128 Tensor of float64 parts.

    Raises:
        TypeError: the dtypes differ, or are neither float32 nor float64.

    >>> import minigrad as mg
    >>> print(mg.complex(3.0, 4.0).numpy())
    (3+4j)
    """
    real = convert(real)
    imag = convert(imag)
    kinds = [real.value.dtype, imag.value.dtype]
    if kinds not in (["float32"] * 2, ["float64"] * 2):
        problem = f"The `real` and `imag` components have incorrect types: {kinds[0]} {kinds[1]}."
        raise TypeError(f"{problem} They must be consistent, and one of [tf.float32, tf.float64]")
    return of_parts(real, imag)


@op("Complex", "f", dreal=lambda dz: real_part(dz), dimag=lambda dz: imaginary_part(dz),
    math={"real": "the real part of upstream", "imag": "the imaginary part of upstream"})  # fmt: skip
def of_parts(real, imag):
    """Op behind `mg.complex`.

    >>> import minigrad as mg
    >>> print(mg.complex([1.0, 2.0], 4.0).numpy())
    [1.+4.j 2.+4.j]
    """
    dtype = np.complex64 if real.dtype.itemsize == 4 else np.complex128
    whole = np.empty(np.broadcast_shapes(real.shape, imag.shape), dtype)
    whole.real, whole.imag = real, imag
    return whole[()]


@op("Real", "c", dinput=lambda dy, input_dtype: dy.astype(input_dtype))
def real(input):
    """Real part of complex numbers. Real numbers are unchanged.

    >>> import minigrad as mg
    >>> print(mg.math.real(3 + 4j).numpy(), mg.math.real(2.0).numpy())
    3.0 2.0
    """
    return np.real(input)


@op("Imag", "c", dinput=lambda dy, input_dtype: dy.astype(input_dtype) * input_dtype.type(1j))
def imag(input):
    """Imaginary part of complex numbers. The imaginary part of real numbers is 0.

    >>> import minigrad as mg
    >>> print(mg.math.imag(3 + 4j).numpy(), mg.math.imag(2.0).numpy())
    4.0 0.0
    """
    return np.imag(input)


@op("Conj", "c", twin=np.conjugate, dx=lambda dy: dy.conj())
def conj(x):
    """Complex conjugate: negates the imaginary part. Real numbers are unchanged.

    >>> import minigrad as mg
    >>> print(mg.math.conj(3 + 4j).numpy(), mg.math.conj(2.0).numpy())
    (3-4j) 2.0
    """
    return np.conj(x)


@op("Angle", "c", dinput=lambda dy, input: dy.astype(input.dtype) * input.dtype.type(1j) / input.conj())
def angle(input):
    """Angle (argument) of complex numbers in radians, from -pi to pi. For real numbers 0, or pi if negative.

    >>> import minigrad as mg
    >>> print(mg.math.angle(1 + 1j).numpy().round(4), mg.math.angle(-2.0).numpy().round(4))
    0.7854 3.1416
    """
    return np.angle(input).astype(input.real.dtype)[()]


real_part: Any = real.np  # the parameters of `of_parts` are called `real` and `imag`
imaginary_part: Any = imag.np
real.by_kind = dict.fromkeys("iuf", lambda x: x)
imag.by_kind = dict.fromkeys("iuf", lambda x: Tensor.of(np.zeros_like(x.value)))
conj.by_kind = dict.fromkeys("iuf", lambda x: x)
angle.by_kind = {"f": lambda x: where(less(x, 0), x.value.dtype.type(np.pi), x.value.dtype.type(0))}
