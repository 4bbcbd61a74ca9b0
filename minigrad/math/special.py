"""tf.math.special, and the other special functions of tf.math: error, gamma, beta and Bessel functions.

Some of them apply a function of Python's `math` to each element; the others are computed here, in float64.
"""

import itertools
import math as python_math

import numpy as np

from ..engine import Tensor, bracketed, convert, op, tell_help
from .reductions import reduce_sum

__all__ = ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc", "digamma", "erf", "erfc", "erfcinv",
           "erfinv", "igamma", "igammac", "lbeta", "lgamma", "ndtri", "polygamma", "zeta"]  # fmt: skip


def vectorized(function):
    """Make a function of one Python float take arrays, element by element."""
    ufunc = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(ufunc(x)).astype(x.dtype)[()]


def in_float64(function):
    """Make a function of arrays compute in float64; the result has the dtype of its last input."""

    def rounded(*inputs):
        arrays = np.broadcast_arrays(*[np.asarray(x, np.float64) for x in inputs])
        return np.asarray(function(*arrays)).astype(inputs[-1].dtype)[()]

    return rounded


# ---- the normal distribution ---------------------------------------------------------------------------------------


@op("Erf", "f", dx=lambda dy, x: dy * (2 / python_math.pi**0.5) * np.exp(-x * x),
    math="upstream * 2 / sqrt(pi) * exp(-x^2)")  # fmt: skip
def erf(x):
    """Error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.

    >>> import minigrad as mg
    >>> print(mg.math.erf([0.5, -1.0]).numpy().round(4))
    [ 0.5205 -0.8427]
    """
    return vectorized(python_math.erf)(x)


@op("Erfc", "f", dx=lambda dy, x: -dy * (2 / python_math.pi**0.5) * np.exp(-x * x),
    math="-upstream * 2 / sqrt(pi) * exp(-x^2)")  # fmt: skip
def erfc(x):
    """Complementary error function: 1 - erf(x), accurate where that is tiny.

    >>> import minigrad as mg
    >>> print(mg.math.erfc([0.5, 2.0]).numpy().round(4))
    [0.4795 0.0047]
    """
    return vectorized(python_math.erfc)(x)


@op("Ndtri", "f", dx=lambda dy, y: dy * (2 * python_math.pi) ** 0.5 * np.exp(y * y / 2),
    math="upstream * sqrt(2 * pi) * exp(y^2 / 2)")  # fmt: skip
def ndtri(x):
    """Quantile function (inverse CDF) of the standard normal distribution, for probabilities x between 0 and 1.

    >>> import minigrad as mg
    >>> print(mg.math.ndtri([0.5, 0.975]).numpy().round(4))
    [0.   1.96]
    """
    return vectorized(normal_quantile)(x)


@op("Erfinv", "f", dx=lambda dy, y: dy * (python_math.pi**0.5 / 2) * np.exp(y * y),
    math="upstream * sqrt(pi) / 2 * exp(y^2)")  # fmt: skip
def erfinv(x):
    """Inverse error function, for x between -1 and 1.

    >>> import minigrad as mg
    >>> print(mg.math.erfinv([0.5, -0.8]).numpy().round(4))
    [ 0.4769 -0.9062]
    """
    return vectorized(inverse_erf)(x)


def erfcinv(x, name=None) -> Tensor:
    """Inverse complementary error function, for x between 0 and 2.

    >>> import minigrad as mg
    >>> print(mg.math.erfcinv([0.5, 1.8]).numpy().round(4))
    [ 0.4769 -0.9062]
    """
    x = convert(x)
    return -ndtri(0.5 * x) * (0.5**0.5)


def normal_quantile(p):
    """`ndtri` of one number."""
    if not 0 < p < 1:
        return {0: -python_math.inf, 1: python_math.inf}.get(p, python_math.nan)
    from statistics import NormalDist  # slow to import, rarely used

    return NormalDist().inv_cdf(p)


def inverse_erf(x):
    """`erfinv` of one number."""
    y = normal_quantile((1 + x) / 2) / 2**0.5
    if abs(x) > 0.5:
        return y
    return y - (python_math.erf(y) - x) * python_math.pi**0.5 / 2 * python_math.exp(y * y)  # Newton's step


# ---- the gamma function --------------------------------------------------------------------------------------------


@op("Lgamma", "f", dx=lambda dy, x: dy * digamma.np(x))
def lgamma(x):
    """Log-gamma function: log(abs(gamma(x))), where gamma(n) is the factorial of n - 1.

    >>> import minigrad as mg
    >>> print(mg.math.lgamma([0.5, 4.0]).numpy().round(4))
    [0.5724 1.7918]
    """
    return vectorized(log_gamma)(x)


def log_gamma(x):
    """`lgamma` of one number: inf at the poles 0, -1, -2 ..."""
    try:
        return python_math.lgamma(x)
    except ValueError:
        return python_math.inf


@op("Digamma", "f", dx=lambda dy, x: dy * higher_digamma.np(np.ones_like(x), x))
def digamma(x):
    """Digamma function: the derivative of `lgamma`.

    >>> import minigrad as mg
    >>> print(mg.math.digamma([0.5, 4.0]).numpy().round(4))
    [-1.9635  1.2561]
    """
    return in_float64(digamma64)(x)


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def digamma64(x):
    """`digamma` of float64: by reflection if x <= 0, then by recurrence to x >= 10, then by the asymptotic series."""
    negative = x <= 0
    pole = negative & (x == np.floor(x))
    z = np.where(negative, 1 - x, x)
    steps = np.zeros_like(z)
    for _ in range(10):
        steps += np.where(z < 10, 1 / z, 0)
        z = np.where(z < 10, z + 1, z)
    series = sum(b / (2 * k * z ** (2 * k)) for k, b in enumerate(BERNOULLI, 1))
    y = np.log(z) - 0.5 / z - np.where(np.isinf(z), 0, series) - steps
    part = x - np.round(x)  # tan has the period pi and is accurate near 0
    return np.where(pole, np.nan, np.where(negative, y - np.pi / np.tan(np.pi * part), y))


def polygamma(a, x, name=None) -> Tensor:
    """Polygamma function: the derivative of order a of `digamma`, for a = 0, 1, 2 ...

    >>> import minigrad as mg, numpy as np
    >>> print(mg.math.polygamma(np.float64(1.0), np.array([0.5, 4.0])).numpy().round(4))
    [4.9348 0.2838]
    """
    a = convert(a, x)
    return higher_digamma(a, convert(x, a))


@op("Polygamma", "f", da=None, dx=lambda dz, a, x: dz * higher_digamma.np(a + 1, x))
def higher_digamma(a, x):
    """Op behind `mg.math.polygamma`.

    >>> import minigrad as mg, numpy as np
    >>> print(mg.math.polygamma(np.float64(1.0), np.array([0.5, 4.0])).numpy().round(4))
    [4.9348 0.2838]
    """
    return in_float64(polygamma64)(a, x)


def polygamma64(a, x):
    """`polygamma` of float64: (-1)**(a + 1) * a! * zeta(a + 1, x)."""
    order = np.where((a >= 1) & (a == np.floor(a)), a, 1)
    factorial = np.exp(lgamma.np(order + 1))
    higher = np.where(order % 2 == 1, factorial, -factorial) * zeta64(order + 1, x)
    return np.where(a == 0, digamma64(x), np.where(a == order, higher, np.nan))


def zeta(x, q, name=None) -> Tensor:
    """Hurwitz zeta function: the sum of (q + k) ** -x over k = 0, 1, 2 ..., for x > 1. There is no gradient for x.

    >>> import minigrad as mg, numpy as np
    >>> print(mg.math.zeta(np.float64(2.0), np.array([1.0, 2.5])).numpy().round(4))
    [1.6449 0.4904]
    """
    x = convert(x, q)
    return hurwitz_zeta(x, convert(q, x))


@op("Zeta", "f", dx=None, dq=lambda dz, x, q: dz * -x * hurwitz_zeta.np(x + 1, q))
def hurwitz_zeta(x, q):
    """Op behind `mg.math.zeta`.

    >>> import minigrad as mg, numpy as np
    >>> print(mg.math.zeta(np.float64(2.0), np.array([1.0, 2.5])).numpy().round(4))
    [1.6449 0.4904]
    """
    return in_float64(zeta64)(x, q)


def zeta64(x, q):
    """`zeta` of float64: the first terms one by one, the rest by the Euler-Maclaurin formula.

    For negative q at most 10010 terms are added: below -10000 no digit would be right.
    """
    lowest = np.min(np.where(np.isfinite(q), q, 0), initial=0)
    first = 10 + int(min(-lowest, 10_000))
    total = sum((q + k) ** -x for k in range(first))
    end = q + first
    total = total + end ** (1 - x) / (x - 1) + 0.5 * end**-x
    factor = x * end ** (-x - 1)
    for k, b in enumerate(BERNOULLI, 1):
        total = total + b / python_math.factorial(2 * k) * factor
        factor = factor * (x + 2 * k - 1) * (x + 2 * k) / end**2
    behind = (q <= 0) & (q == np.floor(q))  # at each of these poles an odd power is inf on one side, -inf on the other
    undefined = (x < 1) | (q == -np.inf) | behind & (x % 2 != 0) & (x != 1)
    return np.where(undefined, np.nan, np.where((x == 1) | behind, np.inf, total))


# ---- the incomplete gamma and beta functions -----------------------------------------------------------------------


@op("Igamma", "f", da=lambda dz, a, x: dz * slope_in_a(a, x), dx=lambda dz, a, x: dz * gamma_density(a, x),
    math={"a": "upstream * the derivative of igamma in a"})  # fmt: skip
def igamma(a, x):
    """Regularized lower incomplete gamma function: the CDF at x of the gamma distribution with shape a and rate 1.

    >>> import minigrad as mg
    >>> print(mg.math.igamma([1.5, 2.0], [1.0, 5.0]).numpy().round(4))
    [0.4276 0.9596]
    """
    return in_float64(igamma64)(a, x)


@op("Igammac", "f", da=lambda dz, a, x: -(dz * slope_in_a(a, x)), dx=lambda dz, a, x: -(dz * gamma_density(a, x)),
    math={"a": "-upstream * the derivative of igamma in a"})  # fmt: skip
def igammac(a, x):
    """Regularized upper incomplete gamma function: 1 - igamma(a, x), accurate where that is tiny.

    >>> import minigrad as mg
    >>> print(mg.math.igammac([1.5, 2.0], [1.0, 5.0]).numpy().round(4))
    [0.5724 0.0404]
    """
    return in_float64(lambda a, x: igamma64(a, x, upper=True))(a, x)


def igamma64(a, x, upper=False):
    """`igamma` or `igammac` of float64: a power series if x < a + 1, else a continued fraction."""
    known, least = (a > 0) & (x >= 0), (x == 0) & (not upper)
    a, x = np.where(known, a, 1), np.where(known, x, 1)
    small = x < a + 1
    front = np.exp(a * np.log(x) - x - lgamma.np(a))
    term = total = 1 / a
    k = 0
    while np.any(small & (term > 1e-17 * total)) and k < 10000:
        k += 1
        term = np.where(small, term * (x / (a + k)), 0)
        total = total + term
    far = np.maximum(x, a)
    tail = 1 / continued(far + 1 - a, lambda k: (-k * (k - a), far + 2 * k + 1 - a))
    lower_part, upper_part = front * total, front * tail
    y = np.where(small, 1 - lower_part, upper_part) if upper else np.where(small, lower_part, 1 - upper_part)
    y = np.where(x == np.inf, not upper, y)
    return np.where(known, y, np.where(least, 0, np.nan))


def continued(first, parts, most=1000):
    """The continued fraction `first + n1 / (d1 + n2 / (d2 + ...))` by Lentz's method, where `parts(k)` is (nk, dk)."""
    value = np.where(first == 0, 1e-300, first)
    up, down = value, np.zeros_like(value)
    for k in range(1, most):
        numerator, denominator = parts(k)
        down = 1 / np.where((d := denominator + numerator * down) == 0, 1e-300, d)
        up = np.where((u := denominator + numerator / up) == 0, 1e-300, u)
        value = value * (up * down)
        if not np.any(np.abs(up * down - 1) > 1e-16):
            break
    return value


def gamma_density(a, x):
    """The derivative of `igamma` with respect to x: the density of the gamma distribution."""
    return np.exp((a - 1) * np.log(x) - x - lgamma.np(a))


def slope_in_a(a, x):
    """The derivative of `igamma` with respect to a: its power series, or, if x > 5000, a normal approximation."""
    dtype, a, x = a.dtype, a.astype(np.float64), x.astype(np.float64)
    normal = -gamma_density(a, x) * (1 + (x - a) / (2 * a))
    long = x > 5000
    x = np.where(long, 1, x)
    terms = int(60 + 2 * np.max(np.nan_to_num(np.asarray(x)), initial=0))
    n = np.arange(terms, dtype=np.float64)
    a, x = (a + np.zeros_like(x))[..., None], (x + np.zeros_like(a))[..., None]
    weights = np.exp((a + n) * np.log(x) - x - lgamma.np(a + n + 1))
    slope = np.where(x[..., 0] == 0, 0, np.add.reduce(weights * (np.log(x) - digamma.np(a + n + 1)), axis=-1))
    return np.where(long, normal, slope).astype(dtype)


@op("Betainc", "f", da=None, db=None, dx=lambda dz, a, b, x: dz * beta_density(a, b, x))
def betainc(a, b, x):
    """Regularized incomplete beta function: the CDF at x of the beta distribution with shapes a and b.

    There is no gradient for a and b.

    Raises:
        InvalidArgumentError: the inputs are neither of one shape nor scalars.

    >>> import minigrad as mg, numpy as np
    >>> print(mg.math.betainc(np.array([2.0, 1.5]), np.array([3.0, 0.5]), np.array([0.25, 0.5])).numpy().round(4))
    [0.2617 0.1817]
    """
    for (p, one), (q, other) in itertools.combinations({"a": a, "b": b, "x": x}.items(), 2):
        if one.ndim and other.ndim and one.shape != other.shape:
            problem = f"Shapes of {p} and {q} are inconsistent:"
            raise ValueError(f"{problem} {bracketed(one.shape)} vs. {bracketed(other.shape)}")
    return in_float64(betainc64)(a, b, x)


def betainc64(a, b, x):
    """`betainc` of float64: a continued fraction, in 1 - x where it converges faster."""
    known = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    a, b, x = [np.where(known, one, 0.5) for one in (a, b, x)]
    front = np.exp(lgamma.np(a + b) - lgamma.np(a) - lgamma.np(b) + a * np.log(x) + b * np.log1p(-x))
    turned = x > (a + 1) / (a + b + 2)
    p, q, z = np.where(turned, b, a), np.where(turned, a, b), np.where(turned, 1 - x, x)

    def parts(k):
        m = k // 2
        if k % 2:
            return -(p + m) * (p + q + m) * z / ((p + 2 * m) * (p + 2 * m + 1)), 1.0
        return m * (q - m) * z / ((p + 2 * m - 1) * (p + 2 * m)), 1.0

    y = front / (p * continued(np.ones_like(z), parts))
    return np.where(known, np.where(turned, 1 - y, y), np.nan)


def beta_density(a, b, x):
    """The derivative of `betainc` with respect to x: the density of the beta distribution."""
    return np.exp((b - 1) * np.log1p(-x) + (a - 1) * np.log(x) - lgamma.np(a) - lgamma.np(b) + lgamma.np(a + b))


# ---- Bessel's functions ----------------------------------------------------------------------------------------------


@op("BesselI0", "f", dx=lambda dy, x: dy * bessel_i1.np(x))
def bessel_i0(x):
    """Modified Bessel function of the first kind, order 0.

    >>> import minigrad as mg
    >>> print(mg.math.bessel_i0([0.5, -2.0]).numpy().round(4))
    [1.0635 2.2796]
    """
    return in_float64(lambda x: scaled_bessel(0, x) * np.exp(np.abs(x)))(x)


@op("BesselI0e", "f", dx=lambda dy, y, x: dy * (bessel_i1e.np(x) - np.sign(x) * y))
def bessel_i0e(x):
    """Exponentially scaled `bessel_i0`: bessel_i0(x) * exp(-abs(x)), which does not overflow.

    >>> import minigrad as mg
    >>> print(mg.math.bessel_i0e([0.5, -2.0]).numpy().round(4))
    [0.645  0.3085]
    """
    return in_float64(lambda x: scaled_bessel(0, x))(x)


@op("BesselI1", "f", dx=lambda dy, y, x: dy * np.where(x == 0, 0.5, bessel_i0.np(x) - y / np.where(x == 0, 1, x)),
    math="upstream * (bessel_i0(x) - y / x)")  # fmt: skip
def bessel_i1(x):
    """Modified Bessel function of the first kind, order 1. (Its derivative at 0 is 0.5; TensorFlow says 1.)

    >>> import minigrad as mg
    >>> print(mg.math.bessel_i1([0.5, -2.0]).numpy().round(4))
    [ 0.2579 -1.5906]
    """
    return in_float64(lambda x: scaled_bessel(1, x) * np.exp(np.abs(x)))(x)


@op("BesselI1e", "f", dx=lambda dy, y, x: dy
    * np.where(x == 0, 0.5, bessel_i0e.np(x) - y * (np.sign(x) + 1 / np.where(x == 0, 1, x))),
    math="upstream * (bessel_i0e(x) - y * (sign(x) + 1 / x))")  # fmt: skip
def bessel_i1e(x):
    """Exponentially scaled `bessel_i1`: bessel_i1(x) * exp(-abs(x)), which does not overflow.

    >>> import minigrad as mg
    >>> print(mg.math.bessel_i1e([0.5, -2.0]).numpy().round(4))
    [ 0.1564 -0.2153]
    """
    return in_float64(lambda x: scaled_bessel(1, x))(x)


def scaled_bessel(order, x):
    """exp(-abs(x)) times the modified Bessel function: a power series if abs(x) < 40, else the asymptotic series."""
    size = np.abs(x)
    near, far = np.minimum(size, 40), np.maximum(size, 40)
    term = total = (near / 2) ** order
    for k in range(1, 100):
        term = term * (near / 2) ** 2 / (k * (k + order))
        total = total + term
    piece = series = np.ones_like(far)
    for k in range(1, 25):
        piece = piece * ((2 * k - 1) ** 2 - 4 * order**2) / (8 * k * far)
        series = series + piece
    y = np.where(size < 40, total * np.exp(-near), series / np.sqrt(2 * np.pi * far))
    return y * np.sign(x) if order else y


def lbeta(x, name=None) -> Tensor:
    """Logarithm of the absolute value of the beta function along the last axis: sum(lgamma(x)) - lgamma(sum(x)).

    Args:
        x: shape `(..., n)`; the result has shape `(...)`.

    >>> import minigrad as mg
    >>> print(mg.math.lbeta([1.0, 2.0]).numpy().round(4))
    -0.6931
    """
    return reduce_sum(lgamma(x), axis=-1) - lgamma(reduce_sum(x, axis=-1))


tell_help(__name__)
