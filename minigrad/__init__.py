"""minigrad: TensorFlow's GradientTape in NumPy, made to be read.

To read how it works, begin with `print(mg.engine.calls())`, which follows `y = x * x` and `tape.gradient(y, x)`.
Python's operators become ops in program/operators.py (`Tensor.__mul__` runs `multiply`). The engine is in engine/:
read tensor, op, tape, backward and variable, in this order. Elsewhere one file or folder is one TensorFlow namespace.
"""

import gc
import importlib
import warnings

collected = gc.isenabled()
gc.disable()  # until all is imported: a tenth of the time would go into searching new functions for garbage

# 1/0 is inf and log(-1) is nan, in silence, as in TensorFlow; NumPy's own warnings elsewhere are left alone
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

try:
    # fmt: off
    from . import (
        bitwise, config, debugging, dtypes, engine, errors, image, linalg, math, nest, nn, ops, random, strings, test,
    )
    from .ops import scattering
    from .program import operators
    from .debugging import Assert, assert_equal, assert_greater, assert_less, assert_rank
    from .dtypes import *
    from .engine import IndexedSlices, Tensor, TensorShape, Variable, constant
    from .engine.custom import RegisterGradient, custom_gradient, grad_pass_through
    from .engine.tape import GradientTape, UnconnectedGradients
    from .linalg import eig, eigvals, einsum, eye, matmul, norm, tensordot
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
    from .program.control_flow import (
        case, cond, control_dependencies, foldl, foldr, gradients, group, map_fn, no_op, scan, switch_case,
        vectorized_map, while_loop,
    )
    from .program.function import TensorSpec, device, executing_eagerly, inside_function, numpy_function, py_function
    from .program.module import Module, name_scope
    from .program.printing import print
    from .program.recompute import recompute_grad
    from .program.tensor_array import TensorArray
    # fmt: on
    engine.mathematics.tell_help(engine.MADE)
finally:
    if collected:
        gc.enable()

__version__ = "0.1.0"
newaxis = None

for kind in (Tensor, Variable, TensorShape, IndexedSlices, GradientTape, UnconnectedGradients, dtypes.DType, Module,
             TensorSpec, TensorArray):  # fmt: skip
    kind.__module__ = __name__  # whatever file they stand in: so pickles find them, and messages name them
for space in (bitwise, config, debugging, dtypes, errors, image, linalg, math, nest, nn, random, strings, test):
    vars(space)["__dir__"] = space.__all__.copy  # what Tab offers
del collected, gc, kind, space

LATER = {  # loaded when they are first used: modules, and functions with the module that they are in
    "autodiff": None, "data": None, "explain": None, "inspect": "inspector", "keras": None, "queue": None,
    "trace": "tracing.log", "load_ipython_extension": "report", "train": None, "types": None,
    "written": "graph", "function": "graph", "init_scope": "graph",
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

    near = difflib.get_close_matches(name, __all__, n=1)
    advice = f". Did you mean mg.{near[0]}?" if near else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")


__all__ = ["Assert", "GradientTape", "IndexedSlices", "Module", "RegisterGradient", "Tensor", "TensorArray",
           "TensorShape", "TensorSpec", "UnconnectedGradients", "Variable", "abs", "acos", "acosh", "add", "add_n",
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
