"""tf.math: each op is a NumPy function; its VJPs are in the decorator above it."""

# fmt: off
from .arithmetic import (
    abs, accumulate_n, add, add_n, divide, divide_no_nan, floordiv, floormod, mod, multiply, multiply_no_nan, negative,
    nextafter, polyval, pow, reciprocal, reciprocal_no_nan, rsqrt, scalar_mul, sign, sqrt, square, squared_difference,
    subtract, truediv, xdivy, xlog1py, xlogy,
)
from .comparison import (
    equal, greater, greater_equal, is_finite, is_inf, is_nan, less, less_equal, logical_and, logical_not, logical_or,
    logical_xor, maximum, minimum, not_equal,
)
from .complex_numbers import (
    angle, conj, imag, real,
)
from .elementwise import (
    acos, acosh, asin, asinh, atan, atan2, atanh, ceil, cos, cosh, exp, expm1, floor, log, log1p, log_sigmoid, rint,
    round, sigmoid, sin, sinh, softplus, softsign, tan, tanh,
)
from .normalizing import (
    l2_normalize, log_softmax, softmax,
)
from .reductions import (
    argmax, argmin, count_nonzero, cumprod, cumsum, cumulative_logsumexp, in_top_k, invert_permutation,
    is_non_decreasing, is_strictly_increasing, lbeta, reduce_all, reduce_any, reduce_euclidean_norm, reduce_logsumexp,
    reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_std, reduce_sum, reduce_variance, top_k, zero_fraction,
)
from .segments import (
    bincount, confusion_matrix, segment_max, segment_mean, segment_min, segment_prod, segment_sum, unsorted_segment_max,
    unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod, unsorted_segment_sqrt_n, unsorted_segment_sum,
)
from .special import (
    bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, betainc, digamma, erf, erfc, erfcinv, erfinv, igamma, igammac, lgamma,
    ndtri, polygamma, zeta,
)

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin", "asinh", "atan",
    "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc", "bincount", "ceil",
    "confusion_matrix", "conj", "cos", "cosh", "count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp", "digamma",
    "divide", "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor", "floordiv",
    "floormod", "greater", "greater_equal", "igamma", "igammac", "imag", "in_top_k", "invert_permutation", "is_finite",
    "is_inf", "is_nan", "is_non_decreasing", "is_strictly_increasing", "l2_normalize", "lbeta", "less", "less_equal",
    "lgamma", "log", "log1p", "log_sigmoid", "log_softmax", "logical_and", "logical_not", "logical_or", "logical_xor",
    "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "ndtri", "negative", "nextafter", "not_equal",
    "polygamma", "polyval", "pow", "real", "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any",
    "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std",
    "reduce_sum", "reduce_variance", "rint", "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean",
    "segment_min", "segment_prod", "segment_sum", "sigmoid", "sign", "sin", "sinh", "softmax", "softplus", "softsign",
    "sqrt", "square", "squared_difference", "subtract", "tan", "tanh", "top_k", "truediv", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction", "zeta",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers
