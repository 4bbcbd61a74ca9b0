"""Where syntax meets ops: Python's operators on Tensors and Variables, and NumPy's functions inside gradient rules.

Two tables, and the loops that put them in place. `OPERATORS` says which op each of Python's operators is.
`NUMPY_TWINS` says, for each NumPy function that a gradient rule may use, which op does the same.
"""

import numpy as np

from .. import bitwise, errors, math
from ..engine.op import convert, made
from ..engine.operands import cast
from ..engine.rules import NUMPY_TWINS, Recorded, recorded
from ..engine.tensor import Tensor
from ..engine.variable import Variable
from ..linalg.diagonals import matrix_transpose
from ..linalg.products import product
from ..ops import creation, gathering, indexing, shaping


def of_truth_values(x, y):
    """What TensorFlow's `*` (not its `multiply`) makes of truth values and whatever they meet: truth values, along which nothing flows."""
    inputs = convert(x), convert(y)
    if all([one.value.dtype.kind != "b" for one in inputs]):
        return math.multiply(x, y)  # which refuses two dtypes
    return creation.cast(math.multiply(*[creation.cast(one, np.int32) for one in inputs]), np.bool_)


times = made(math.multiply.__wrapped__, math.multiply.kernel, math.multiply.kinds, of_truth_values, math.multiply.rules)
times.others = math.multiply.others | {"b": of_truth_values}

OPERATORS = {
    "add": math.add, "sub": math.subtract, "mul": times, "truediv": math.divide, "floordiv": math.floordiv,
    "mod": math.floormod, "pow": math.pow, "matmul": product,
}  # fmt: skip
UNARY = {"neg": math.negative, "abs": math.abs}
COMPARISONS = {"gt": math.greater, "ge": math.greater_equal, "lt": math.less, "le": math.less_equal}


def where(condition, x, y):
    """In a gradient rule a condition is a constant, of truth values or of 0 and 1."""
    condition = condition.value if isinstance(condition, Tensor) else np.asarray(condition)
    return gathering.select(condition != 0, x, y)


def astype(x, dtype):
    """In a gradient rule complex numbers become real in silence."""
    return cast(x, np.dtype(dtype))


NUMPY_TWINS.update(
    {
        # elementwise
        np.add: math.add, np.subtract: math.subtract, np.multiply: math.multiply, np.divide: math.divide,
        np.negative: math.negative, np.abs: math.abs, np.sign: math.sign, np.power: math.pow, np.square: math.square,
        np.sqrt: math.sqrt, np.exp: math.exp, np.expm1: math.expm1, np.log: math.log, np.log1p: math.log1p,
        np.sin: math.sin, np.cos: math.cos, np.sinh: math.sinh, np.cosh: math.cosh, np.tanh: math.tanh,
        np.maximum: math.maximum, np.minimum: math.minimum, np.floor: math.floor, np.conjugate: math.conj,
        # reductions
        np.add.reduce: math.reduce_sum,
        # shapes
        np.reshape: shaping.reshape, np.transpose: shaping.transpose, np.broadcast_to: shaping.broadcast_to,
        np.concatenate: shaping.concat, np.stack: shaping.stack, np.astype: astype, np.where: where,
        np.zeros_like: creation.zeros_like, np.ones_like: creation.ones_like,
        # matrices
        np.matmul: product, np.matrix_transpose: matrix_transpose,
    }
)  # fmt: skip


def logic(logical, bitwise):
    """What `&` and its like are: of booleans the logical op, of integers the bitwise one."""

    def either(x, *y):
        x = convert(x, *y)
        return (logical if x.value.dtype.kind == "b" else bitwise)(x, *y)

    return either


LOGIC = {
    "and": logic(math.logical_and, bitwise.bitwise_and), "or": logic(math.logical_or, bitwise.bitwise_or),
    "xor": logic(math.logical_xor, bitwise.bitwise_xor), "invert": logic(math.logical_not, bitwise.invert),
}  # fmt: skip


def equality(op, otherwise):
    """`==` or `!=`. Shapes that do not fit are no error, as they are in `mg.equal`: they are never equal."""

    def compare(x, y):
        if y is None and isinstance(x, Tensor):
            return otherwise
        try:
            return op(x, y)
        except errors.InvalidArgumentError as problem:
            if "Incompatible shapes" in problem.message:
                return Tensor.of(np.bool_(otherwise))
            raise

    return compare


EQUALITY = {"eq": equality(math.equal, False), "ne": equality(math.not_equal, True)}


def swapped(op):
    """The op with its two arguments in the other order, for `2.0 - x`."""
    if getattr(op, "lenient", False):  # ... which only the right side enjoys
        return lambda y, x: op(convert(x, y), y)
    return lambda y, x: op(x, y)


def constant_comparison(name):
    """In a gradient rule a comparison is a constant of 0 and 1: nothing flows along it."""
    return lambda x, y: getattr(x.value, name)(y.value if isinstance(y, Tensor) else y).astype(x.value.dtype)


Tensor.__getitem__, Variable.__getitem__, Recorded.__getitem__ = indexing.take, indexing.take_slice, recorded(indexing.take)
Tensor.__iter__ = Variable.__iter__ = indexing.each

for name, op in {**OPERATORS, **UNARY, **COMPARISONS, **LOGIC, **EQUALITY}.items():
    setattr(Tensor, f"__{name}__", op)
    setattr(Variable, f"__{name}__", op)
for name, op in {**OPERATORS, **UNARY}.items():
    setattr(Recorded, f"__{name}__", recorded(op))
for name, op in OPERATORS.items():
    for kind, dressed in (Tensor, lambda op: op), (Variable, lambda op: op), (Recorded, recorded):
        setattr(kind, f"__r{name}__", dressed(swapped(op)))
for name in ("and", "or", "xor"):
    setattr(Tensor, f"__r{name}__", swapped(LOGIC[name]))
    setattr(Variable, f"__r{name}__", swapped(LOGIC[name]))
for name in ("gt", "ge", "lt", "le", "eq", "ne"):
    setattr(Recorded, f"__{name}__", constant_comparison(f"__{name}__"))
