"""minigrad: TensorFlow's GradientTape in NumPy, made to be read.

To read how it works, open tensor, op, tape and variable, in this order; what a gradient rule is given stands in
arguments. One file is one TensorFlow namespace: where an op is defined, its TensorFlow name tells.
"""

import importlib
import warnings

# 1/0 is inf and log(-1) is nan, in silence, as in TensorFlow; NumPy's own warnings elsewhere are left alone
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

# fmt: off
from . import (
    arrays, bitwise, config, debugging, dtypes, errors, image, linalg, math, nest, nn, operators, random,
    scattering, strings, test,
)
from .arrays import (
    argsort, bitcast, boolean_mask, broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, cast, concat,
    convert_to_tensor, dynamic_partition, dynamic_stitch, ensure_shape, expand_dims, fill, gather, gather_nd,
    identity, identity_n, is_tensor, linspace, meshgrid, one_hot, ones, ones_like, pad, range, rank, repeat,
    reshape, reverse, reverse_sequence, roll, saturate_cast, scatter_nd, searchsorted, sequence_mask, shape,
    shape_n, size, sort, split, squeeze, stack, stop_gradient, tensor_scatter_nd_add, tensor_scatter_nd_max,
    tensor_scatter_nd_min, tensor_scatter_nd_sub, tensor_scatter_nd_update, tile, transpose, unique,
    unique_with_counts, unravel_index, unstack, where, zeros, zeros_like,
)
from .custom import RegisterGradient, custom_gradient, grad_pass_through
from .debugging import Assert, assert_equal, assert_greater, assert_less, assert_rank
from .dtypes import (
    DType, as_dtype, bool, complex64, complex128, double, float16, float32, float64, half, int8, int16, int32,
    int64, string, uint8, uint16, uint32, uint64,
)
from .flow import (
    case, cond, control_dependencies, foldl, foldr, gradients, group, map_fn, no_op, print, py_function, scan, switch_case,
    vectorized_map, while_loop,
)
from .function import TensorSpec, device, executing_eagerly, function, numpy_function
from .indexing import slice, strided_slice
from .linalg import eig, eigvals, einsum, eye, matmul, norm, tensordot
from .math import (
    abs, acos, acosh, add, add_n, argmax, argmin, asin, asinh, atan, atan2, atanh, clip_by_global_norm,
    clip_by_norm, clip_by_value, complex, cos, cosh, cumsum, divide, equal, exp, floor, greater, greater_equal,
    less, less_equal, logical_and, logical_not, logical_or, maximum, minimum, multiply, negative, not_equal,
    pow, realdiv, reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod,
    reduce_sum, round, scalar_mul, sigmoid, sign, sin, sinh, sqrt, square, subtract, tan, tanh, truediv,
    truncatediv, truncatemod,
)
from .module import Module, name_scope
from .op import OPS
from .recompute import recompute_grad
from .shape import TensorShape
from .slices import IndexedSlices
from .tape import GradientTape, UnconnectedGradients
from .tensor import Tensor, constant
from .tensor_array import TensorArray
from .variable import Variable
# fmt: on

__version__ = "0.1.0"
newaxis = None
vars(dtypes).update(cast=cast, complex=complex, saturate_cast=saturate_cast)  # TensorFlow has them in tf.dtypes too

LATER = {  # loaded when they are first used, so that importing stays quick: modules, and functions with the module they are in
    "autodiff": None, "data": None, "explain": None, "inspect": "inspector", "keras": None, "queue": None, "trace": "events",
}  # fmt: skip
INITIALIZERS = {f"{kind}_initializer" for kind in ("constant", "ones", "random_normal", "random_uniform", "zeros")}


def __getattr__(name):
    if name in LATER:
        module = importlib.import_module(f"{__name__}.{LATER[name] or name}")
        globals()[name] = getattr(module, name) if LATER[name] else module
        return globals()[name]
    if name in INITIALIZERS or name in ("initializers", "losses", "metrics", "optimizers"):
        keras = importlib.import_module(f"{__name__}.keras")
        return getattr(keras.initializers if name in INITIALIZERS else keras, name)
    import difflib

    near = difflib.get_close_matches(name, __dir__(), n=1)
    advice = f". Did you mean mg.{near[0]}?" if near else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")


def __dir__():
    return sorted({*globals(), *LATER, *INITIALIZERS})
