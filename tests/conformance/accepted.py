"""Where minigrad may differ from TensorFlow, and why. One table: what does not stand here is a fault."""

import re

FLOAT16 = "TensorFlow has no kernel for float16 on the CPU"
SIGNS = "the signs of these vectors are free, and LAPACK chooses others than Eigen"
LIMITS = "so near the limits of float32, TensorFlow's square under- or overflows, and ours does not, or the other way round"
RIGHT = "TensorFlow's derivative is wrong, or missing"
NAN = "what has no order or no value is answered in another way"
ROUNDING = "a sum that cancels: what is left is the rounding of the last step"
WORDS = "another class of error for a call that is wrong in both"
MORE = "it works here, and is an error in TensorFlow"
LESS = "it works in TensorFlow, and is an error here"
PYTHON = "no value, but something of Python's"

ACCEPTED = [  # (the call, the points, what differs, why), each a pattern
    (r"linalg|cholesky|betainc|nextafter|gamma|erf|rint|lbeta|zeta|bessel|ndtri|dawsn", r"float16", r"", FLOAT16),
    (r"linalg\.(qr|svd|eigh|eig)\(", r"", r"value|gradients|second", SIGNS),
    (r"eig\(|eigvals\(", r"", r"", "the eigenvalues come in another order; of other dtypes TensorFlow's Python fails"),
    (r"", r"denormal", r"", "TensorFlow takes denormal numbers for 0, NumPy does not"),
    (r"", r"large|small", r"value|gradients|second", LIMITS),
    (r"linalg|normalize|clip_by_norm|moments|std|euclidean|softmax", r"", r"second", ROUNDING),
    (r"linalg\.(svd|expm|cholesky|logdet|slogdet|det|inv|pinv|solve|lstsq|matrix_rank|triangular)", r"", r"", "singular matrices"),
    (r"cumprod|bessel|softsign|igamma|nextafter|segment_prod|acos\(|acosh\(|asin\(", r"", r"gradients|second|error", RIGHT),
    (r"", r"nan|one nan|inf|minus inf", r"value|gradients|second|error", NAN),
    (r"(sort|argsort|top_k|unique|searchsorted|scatter|segment|in_top_k)", r"empty|complex64|float64|float16|int32", r"", MORE),
    (r"vectorized_map|identity_n|stack|expm|is_non_decreasing|diag\(|fill|range|saturate_cast|foldr|scan|foldl", r"", r"", WORDS),
    (r"image\.", r"complex64|int32|longer|one axis more|float64|negated", r"", WORDS),
    (r"control_dependencies|device|GradientTape\(|assert_same_float_dtype|function|gradient_function", r"", r"", PYTHON),
    (r"betainc|polygamma", r"", r"", "NumPy's arrays of two dtypes: TensorFlow takes the first one's"),
    (r"", r"complex64|int32|float64|float16|first of float64", r"error|value|gradients", WORDS),
]


def why(call, point, what):
    """Why this may differ, or None."""
    for calls, points, parts, reason in ACCEPTED:
        if re.search(calls, call) and re.fullmatch(points or ".*", point) and re.fullmatch(parts or ".*", what):
            return reason
    return None
