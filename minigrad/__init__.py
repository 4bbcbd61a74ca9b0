"""minigrad: TensorFlow's GradientTape in NumPy, made to be read.

To see how it works, start with `print(mg.engine.calls())`, which follows `y = x * x` and `tape.gradient(y, x)`.
Python's operators become ops in program/operators.py (`Tensor.__mul__` runs `multiply`). The engine is in engine/: read
tensor, operands, op, tape, backward and variable, in this order. Elsewhere, each file or folder is one namespace of
TensorFlow. The argument `name` of functions is accepted as in TensorFlow, without effect.
"""

import gc
import os
import warnings
from typing import TYPE_CHECKING

import numpy as np

collected = gc.isenabled()
gc.disable()  # until the imports are done: collections would take a tenth of the time

# 1/0 is inf and log(-1) is nan, without a warning, as in TensorFlow; NumPy's own warnings are otherwise unchanged
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

# glibc returns the memory of large freed arrays to the system and then requests it again, page by page; for a million
# numbers that takes most of the time. Freeing this array, whose pages are never touched, makes glibc raise the size
# from which it does so; the process may then keep up to 64 MB for its next arrays. MINIGRAD_KEEP_HEAP=0 turns this off.
if os.environ.get("MINIGRAD_KEEP_HEAP") != "0":
    np.empty(2**25 - 2**13, np.uint8)

try:
    # fmt: off
    from . import dtypes, engine, errors, later, linalg, math, nest, ops
    from .ops import scattering
    from .program import operators
    from .dtypes import *
    from .engine import IndexedSlices, Tensor, TensorShape, Variable, constant
    from .engine.custom import RegisterGradient, custom_gradient, grad_pass_through
    from .engine.tape import GradientTape, UnconnectedGradients
    from .engine.variable import VariableAggregation, VariableSynchronization
    from .linalg import einsum, eye, matmul, tensordot
    from .math import (
        abs, acos, acosh, add, add_n, argmax, argmin, asin, asinh, atan, atan2, atanh, cos, cosh, cumsum, divide, equal,
        exp, floor, greater, greater_equal, less, less_equal, logical_and, logical_not, logical_or, maximum, minimum,
        multiply, negative, not_equal, pow, reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean,
        reduce_min, reduce_prod, reduce_sum, round, scalar_mul, sigmoid, sign, sin, sinh, sqrt, square, subtract, tan,
        tanh, truediv,
    )
    from .math.arithmetic import realdiv, truncatediv, truncatemod
    from .math.elementwise import clip_by_value
    from .math.normalizing import clip_by_global_norm, clip_by_norm
    from .ops import *
    # fmt: on
    engine.tell_help(__name__)
finally:
    if collected:
        gc.freeze()
        gc.unfreeze()  # treats all new objects as old, as if they had been collected
        gc.enable()

__version__ = "0.1.0"
newaxis = None

for kind in (Tensor, Variable, VariableAggregation, VariableSynchronization, TensorShape, IndexedSlices, GradientTape,
             UnconnectedGradients, dtypes.DType):  # fmt: skip
    kind.__module__ = __name__  # whatever file they stand in: so pickles find them, and messages name them
del collected, gc, kind, np, os

if TYPE_CHECKING:  # the names in LATER, for editors and type checkers
    # fmt: off
    from . import (
        autodiff, bitwise, config, data, debugging, explain, image, keras, nn, queue, random, strings, test, train,
        types,
    )
    from .debugging import Assert, assert_equal, assert_greater, assert_less, assert_rank
    from .graph import function, init_scope, written  # type: ignore[no-redef]  # builtins has a type of this name
    from .inspector import inspect
    from .keras import initializers, losses, metrics, optimizers
    from .keras.initializers import (
        constant_initializer, ones_initializer, random_normal_initializer, random_uniform_initializer,
        zeros_initializer,
    )
    from .linalg import eig, eigvals, norm
    from .program.control_flow import (
        case, cond, control_dependencies, foldl, foldr, gradients, group, map_fn, no_op, scan, switch_case,
        vectorized_map, while_loop,
    )
    from .program.module import Module, name_scope
    from .program.printing import print
    from .program.python_functions import device, executing_eagerly, inside_function, numpy_function, py_function
    from .program.recompute import recompute_grad
    from .program.specs import TensorSpec
    from .program.tensor_array import TensorArray
    from .report import load_ipython_extension
    from .tracing.log import trace
    # fmt: on

INITIALIZERS = ["constant_initializer", "ones_initializer", "random_normal_initializer", "random_uniform_initializer",
                "zeros_initializer"]  # fmt: skip
LATER = {  # loaded on first use: namespaces, and names with the module that defines them
    "": ["autodiff", "bitwise", "config", "data", "debugging", "explain", "image", "keras", "nn", "queue", "random",
         "strings", "test", "train", "types"],
    "graph": ["function", "init_scope", "written"],
    "debugging": ["Assert", "assert_equal", "assert_greater", "assert_less", "assert_rank"],
    "inspector": ["inspect"],
    "keras": ["initializers", "losses", "metrics", "optimizers"], "keras.initializers": INITIALIZERS,
    "linalg": ["eig", "eigvals", "norm"],
    "program.control_flow": ["case", "cond", "control_dependencies", "foldl", "foldr", "gradients", "group", "map_fn",
                             "no_op", "scan", "switch_case", "vectorized_map", "while_loop"],
    "program.module": ["Module", "name_scope"],
    "program.printing": ["print"],
    "program.python_functions": ["device", "executing_eagerly", "inside_function", "numpy_function", "py_function"],
    "program.recompute": ["recompute_grad"],
    "program.specs": ["TensorSpec"],
    "program.tensor_array": ["TensorArray"],
    "report": ["load_ipython_extension"],
    "tracing.log": ["trace"],
}  # fmt: skip
__getattr__ = later.loads(__name__, LATER)

__all__ = ["Assert", "GradientTape", "IndexedSlices", "Module", "RegisterGradient", "Tensor", "TensorArray",
           "TensorShape", "TensorSpec", "UnconnectedGradients", "Variable", "VariableAggregation",
           "VariableSynchronization", "abs", "acos", "acosh", "add", "add_n",
           "argmax", "argmin", "asin", "asinh", "assert_equal", "assert_greater", "assert_less", "assert_rank", "atan",
           "atan2", "atanh", "autodiff", "bitwise", "case", "clip_by_global_norm", "clip_by_norm", "clip_by_value",
           "cond", "config", "constant", "constant_initializer", "control_dependencies", "cos", "cosh", "cumsum",
           "custom_gradient", "data", "debugging", "device", "divide", "dtypes", "eig", "eigvals", "einsum", "equal",
           "errors", "executing_eagerly", "exp", "explain", "eye", "floor", "foldl", "foldr", "function",
           "grad_pass_through", "gradients", "greater", "greater_equal", "group", "image", "init_scope",
           "inside_function", "inspect", "keras", "less", "less_equal", "linalg", "logical_and", "logical_not",
           "logical_or", "map_fn", "math", "matmul", "maximum", "minimum", "multiply", "name_scope", "negative",
           "nest", "newaxis", "nn", "no_op", "norm", "not_equal", "numpy_function", "ones_initializer", "pow", "print",
           "py_function", "queue", "random", "random_normal_initializer", "random_uniform_initializer", "realdiv",
           "recompute_grad", "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
           "reduce_prod", "reduce_sum", "round", "scalar_mul", "scan", "sigmoid", "sign", "sin", "sinh", "sqrt",
           "square", "strings", "subtract", "switch_case", "tan", "tanh", "tensordot", "test", "trace", "train",
           "truediv", "truncatediv", "truncatemod", "vectorized_map", "while_loop", "written",
           "zeros_initializer"]  # fmt: skip
__all__ = sorted({*__all__, *dtypes.__all__, *ops.__all__})
__dir__ = __all__.copy  # what Tab offers
