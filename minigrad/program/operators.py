"""Python's operators on Tensors and Variables: `x * y` is the op `multiply`, `x[0]` is `take`.

The tables map each operator to its op, and the loops at the end assign it: `Tensor.__mul__` runs the code of
`multiply`. Only inputs that `multiply` refuses are treated differently, as in TensorFlow: `*` multiplies bools. In a
recorded VJP (`Recorded`) the same ops run, except that a comparison is a constant.
"""

import operator

import numpy as np

from .. import bitwise, errors, math
from ..engine import Tensor, Variable, convert
from ..engine.op import with_other_exits
from ..engine.operands import converter, refuse_mixed
from ..engine.rules import Recorded, constant_truth, recorded
from ..engine.tensor import Operators
from ..linalg.products import product
from ..ops import creation, indexing


def is_bool(x):
    """Whether x is a Tensor of bools."""
    return isinstance(x, Tensor) and x.value.dtype.kind == "b"


def multiply_bools(x, y):
    """`*` with a bool input: both are cast to int32, and their product to bool."""
    return creation.cast(math.multiply(creation.cast(x, np.int32), creation.cast(y, np.int32)), np.bool_)


def refuse_unless_bool(op, inputs, x, y):
    """Refuse to multiply two different dtypes, unless one of them is bool."""
    return multiply_bools(*inputs) if is_bool(x) or is_bool(y) else refuse_mixed(op, inputs, x, y)


def keep_beside_bool(make, x, dtype):
    """Convert a number for a product; next to bools it keeps its own dtype."""
    return make(x, None if dtype is not None and dtype.kind == "b" else dtype)


times = with_other_exits(math.multiply, convert=converter(keep_beside_bool), refuse_mixed=refuse_unless_bool)
times.by_kind = math.multiply.by_kind | {"b": multiply_bools}

ARITHMETIC = {"__add__": math.add, "__sub__": math.subtract, "__mul__": times, "__truediv__": math.divide,
              "__floordiv__": math.floordiv, "__mod__": math.floormod, "__pow__": math.pow,
              "__matmul__": product}  # fmt: skip
UNARY = {"__neg__": math.negative, "__abs__": math.abs}
COMPARISONS = {"__gt__": math.greater, "__ge__": math.greater_equal, "__lt__": math.less, "__le__": math.less_equal}


def logic(of_bools, of_integers):
    """An operator that is a logical op for bools and a bitwise op for integers."""

    def either(x, *y):
        x = convert(x, *y)
        return (of_bools if x.value.dtype.kind == "b" else of_integers)(x, *y)

    return either


LOGIC = {"__and__": logic(math.logical_and, bitwise.bitwise_and), "__or__": logic(math.logical_or, bitwise.bitwise_or),
         "__xor__": logic(math.logical_xor, bitwise.bitwise_xor)}  # fmt: skip
INVERT = {"__invert__": logic(math.logical_not, bitwise.invert)}


def equality(op, otherwise):
    """`==` or `!=`. Unlike in `mg.equal`, shapes that do not broadcast are no error: the result is `otherwise`."""

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


EQUALITY = {"__eq__": equality(math.equal, False), "__ne__": equality(math.not_equal, True)}


def swapped(op):
    """The op with its arguments swapped, as in `2.0 - x`; the number on the left takes the dtype of x."""
    if getattr(op, "keep_misfit", False) or op is times:
        return lambda y, x: op(convert(x, y), y)
    return lambda y, x: op(x, y)


def reflected(name):
    """The name of the method for the right operand: `__rmul__` for `__mul__`."""
    return name.replace("__", "__r", 1)


for name, op in {**ARITHMETIC, **UNARY, **COMPARISONS, **LOGIC, **INVERT, **EQUALITY}.items():
    setattr(Operators, name, op)
for name, op in {**ARITHMETIC, **LOGIC}.items():
    setattr(Operators, reflected(name), swapped(op))

for name, op in {**ARITHMETIC, **UNARY}.items():
    setattr(Recorded, name, recorded(op))
for name, op in ARITHMETIC.items():
    setattr(Recorded, reflected(name), recorded(swapped(op)))
for name in {**COMPARISONS, **EQUALITY}:
    compare = getattr(operator, name)
    setattr(Recorded, name, lambda x, y, compare=compare: constant_truth(compare, (x, y)))

for kind, take in (Tensor, indexing.take), (Variable, indexing.take_slice), (Recorded, recorded(indexing.take)):
    setattr(kind, "__getitem__", take)  # noqa: B010 - mypy knows that a method cannot be assigned
setattr(Operators, "__iter__", indexing.slices_of)  # noqa: B010
