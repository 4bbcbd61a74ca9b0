"""minigrad: TensorFlow's GradientTape in NumPy, made to be read.

To read how it works, open tensor, op, tape and variable, in this order; what a gradient rule is given stands in
arguments. One file is one TensorFlow namespace: where an op is defined, its TensorFlow name tells.
"""

import warnings

# 1/0 is inf and log(-1) is nan, in silence, as in TensorFlow; NumPy's own warnings elsewhere are left alone
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

from . import arrays, dtypes, errors, linalg, math, nest, nn, operators, test  # noqa: E402
from .arrays import (  # noqa: E402
    broadcast_to, cast, concat, convert_to_tensor, gather, identity, is_tensor, ones, ones_like, reshape, stack, transpose, where,
    zeros, zeros_like,
)  # fmt: skip
from .custom import RegisterGradient, custom_gradient, grad_pass_through  # noqa: E402
from .dtypes import (  # noqa: E402
    DType, as_dtype, bool, complex64, complex128, double, float16, float32, float64, half, int8, int16, int32, int64, string,
    uint8, uint16, uint32, uint64,
)  # fmt: skip
from .linalg import matmul  # noqa: E402
from .math import add, cos, exp, greater, multiply, negative, reduce_mean, reduce_sum, sin, subtract, tanh  # noqa: E402
from .op import OPS  # noqa: E402
from .shape import TensorShape  # noqa: E402
from .slices import IndexedSlices  # noqa: E402
from .tape import GradientTape, UnconnectedGradients  # noqa: E402
from .tensor import Tensor, constant  # noqa: E402
from .variable import Variable  # noqa: E402

__version__ = "0.1.0"
newaxis = None
