"""Where the example of an op may differ from TensorFlow, and why. What does not stand here is a fault.

A row is the reason, the calls, the points, and what differs ("value", "gradient", "second", "error"; with a stroke, what each
side goes on with): patterns of regular expressions, which must match from the first to the last letter.
"""

import re

COMPLEX_OF_REALS = r"tf\.(image\.\w+|tensor_scatter_nd_m\w+|searchsorted|unique|round|math\.(in_top_k|floordiv)|clip_by_global_norm)\(.*"
ANY = r".*"
ACCEPTED = [
    ("the signs of singular and eigen vectors are free, and so is the order of eigenvalues that are complex",
     r"tf\.linalg\.(eig|eigvals|eigh|svd)\(.*", ANY, "value"),
    ("of a matrix that is nearly singular, or has equal singular values, the last digits decide",
     r"tf\.linalg\.(svd|qr|pinv|cholesky|logdet)\(.*", r"(minus )?ones|ties|longer", r"value|gradient|second"),
    ("nan has no order: TensorFlow leaves it where its comparisons happen to",
     r"tf\.(argsort|sort|searchsorted|math\.(top_k|(unsorted_)?segment_m(ax|in)))\(.*|tf\.tensor_scatter_nd_m.*", "one nan", "value"),
    ("where there is no number, TensorFlow answers with 0",
     r"tf\.(linalg\.lstsq|image\.adjust_hue)\(.*", r"(minus )?inf|(one )?nan|empty", r"value|error/value"),
    ("of inf and nan alone, TensorFlow makes nan, inf or 0 by other rules",
     r"tf\.(linalg\.(cholesky|logdet|expm|qr)|math\.(cumulative_logsumexp|igammac?|nextafter)|nn\.sigmoid_cross.*)\(.*",
     r"(minus )?inf|(one )?nan", r"value|gradient"),
    ("a product with an infinite complex number is nan or inf by other rules", r"tf\.complex\(.*", r"(minus )?inf", "gradient"),
    ("of equal eigenvalues the eigenvectors are free", r"tf\.linalg\.eig(vals)?\(.*", r"(minus )?ones|ties", "second"),
    ("TensorFlow's derivative is wrong where a factor is 0",
     r"tf\.math\.(cumprod|unsorted_segment_prod)\(.*", ANY, r"gradient|second"),
    ("TensorFlow's derivative at 0 is 1 where it is 1/2, or is nan",
     r"tf\.math\.bessel_i(0|1|1e)\(.*", r"(minus )?zeros", r"gradient|second"),
    ("TensorFlow has no second derivative", r"tf\.math\.(igammac?|softsign)\(.*", ANY, "second/error"),
    ("TensorFlow's gradient of a resized image leads nowhere", r"tf\.image\.resize\(.*", ANY, "second"),
    ("TensorFlow has zeros for a second derivative that does not exist", r"tf\.math\.nextafter\(.*", ANY, "second"),
    ("TensorFlow's second derivative leaves out the labels", r"tf\.nn\.softmax_cross_entropy_with_logits\(.*", ANY, "second"),
    ("TensorFlow's gradient has not the shape of its source", r"tf\.fill\(.*", "one axis more", "gradient"),
    ("an IndexedSlices in TensorFlow, the same numbers as a Tensor here", r"tf\.vectorized_map\(.*", "one axis more", "gradient"),
    ("complex numbers that TensorFlow has no kernel for have an answer here, or an error of another class",
     COMPLEX_OF_REALS + "|" +
     r"tf\.math\.unsorted_segment_\w+\(.*|tf\.nn\.sigmoid_cross_entropy_with_logits\(.*", "complex64", r"error|value/error"),
    ("a wrong dtype, which both refuse: TensorFlow's class depends on where it notices",
     r"tf\.(linalg\.eig(vals)?|math\.(angle|reciprocal|in_top_k|multiply_no_nan)|nn\.normalize_moments|random\.categorical"
     r"|clip_by_global_norm)\(.*", r"int32|float64|first: float64", "error"),
    ("`in_top_k` takes float64 as well", r"tf\.math\.in_top_k\(.*", "float64", "value/error"),
    ("brightness of integers must be a float", r"tf\.image\.adjust_brightness\(.*", "int32", "error/value"),
    ("colours outside of 0 to 1 have no hue", r"tf\.image\.adjust_hue\(.*", "negated", "value"),
    ("shapes that TensorFlow refuses are broadcast, or refused with another class",
     r"tf\.(image\.adjust_(hue|saturation)|linalg\.lstsq|nn\.softmax_cross_entropy_with_logits)\(.*",
     r"longer|one axis more|first: (longer|one axis more)", r"value|error|value/error"),
    ("nothing at all: one of the two refuses it",
     r"tf\.(identity_n|linalg\.(diag|expm)|nn\.(\w*conv\w+|max_pool3d)|sort|stack|vectorized_map)\(.*", "empty", r"\w+/\w+"),
    ("where no window fits, TensorFlow's gradient is what stood in memory before",
     r"tf\.nn\.(max_pool|conv)\w*\(.*", "one axis more", r"gradient|second"),
    ("where no window fits, TensorFlow's answer is empty, an error, or the end of Python: the processor decides",
     r"tf\.nn\.max_pool\w*\(.*", "one axis more", "error/value"),
    ("of inf and nan alone, the order of the sums decides", r"tf\.nn\.conv3d_transpose\(.*", r"(minus )?inf|(one )?nan", "gradient"),
    ("of inf and nan there is no largest: where the gradient goes is left to the comparisons",
     r"tf\.nn\.max_pool\w*\(.*", r"(minus )?inf|nan", r"value|gradient|second"),
    ("float64 is pooled along three axes as well", r"tf\.nn\.(max|avg)_pool3d\(.*", "float64", "value/error"),
    ("TensorFlow's second derivative of it is no number without a data format", r"tf\.nn\.convolution\(.*", "one axis more", "second/error"),
]  # fmt: skip


def why(call, what):
    """Why this may differ at this point; None if there is no reason."""
    given = call.text, call.at, what
    return next((reason for reason, *patterns in ACCEPTED if all(map(re.fullmatch, patterns, given))), None)
