"""Where syntax meets ops: Python's operators on Tensors and Variables, and NumPy's functions inside gradient rules.

Two tables, and the loops that put them in place. `OPERATORS` says which op each of Python's operators is.
`NUMPY_TWINS` says, for each NumPy function that a gradient rule may use, which op does the same.
"""

import numpy as np

from . import arrays, linalg, math
from .arguments import NUMPY_TWINS, Recorded, recorded
from .tensor import Tensor
from .variable import Variable

OPERATORS = {
    "add": math.add, "sub": math.subtract, "mul": math.multiply, "truediv": math.realdiv, "matmul": linalg.matmul,
}  # fmt: skip
UNARY = {"neg": math.negative}
COMPARISONS = {"gt": math.greater}

NUMPY_TWINS.update(
    {
        # elementwise
        np.add: math.add, np.subtract: math.subtract, np.multiply: math.multiply, np.divide: math.realdiv,
        np.negative: math.negative, np.sin: math.sin, np.cos: math.cos, np.exp: math.exp, np.log: math.log, np.tanh: math.tanh,
        # reductions
        np.add.reduce: math.reduce_sum,
        # shapes
        np.reshape: arrays.reshape, np.transpose: arrays.transpose, np.broadcast_to: arrays.broadcast_to,
        np.concatenate: arrays.concat, np.stack: arrays.stack, np.astype: arrays.cast, np.where: arrays.where,
        np.zeros_like: arrays.zeros_like, np.ones_like: arrays.ones_like,
        # matrices
        np.matmul: linalg.matmul,
    }
)  # fmt: skip


def take(x, key):
    """`x[key]` of a Tensor or a Variable."""
    return arrays.getitem(x, key if key.__class__ is tuple else (key,))


Tensor.__getitem__ = Variable.__getitem__ = take
Recorded.__getitem__ = recorded(take)


def swapped(op):
    """The op with its two arguments in the other order, for `2.0 - x`."""
    return lambda y, x: op(x, y)


def constant_comparison(name):
    """In a gradient rule a comparison is a constant of 0 and 1: nothing flows along it."""
    return lambda x, y: getattr(x.value, name)(y.value if isinstance(y, Tensor) else y).astype(x.value.dtype)


for name, op in {**OPERATORS, **UNARY, **COMPARISONS}.items():
    setattr(Tensor, f"__{name}__", op)
    setattr(Variable, f"__{name}__", op)
for name, op in {**OPERATORS, **UNARY}.items():
    setattr(Recorded, f"__{name}__", recorded(op))
for name, op in OPERATORS.items():
    for kind, dressed in (Tensor, lambda op: op), (Variable, lambda op: op), (Recorded, recorded):
        setattr(kind, f"__r{name}__", dressed(swapped(op)))
for name in ("gt", "ge", "lt", "le", "eq", "ne"):
    setattr(Recorded, f"__{name}__", constant_comparison(f"__{name}__"))
