"""Python's operators on Tensors and Variables: `x * y` is the op `multiply`, `x[0]` is `take`.

The tables say which op each operator is, and the loops at the end put them in place (`Tensor.__mul__ = multiply`). In a recorded
VJP (`Recorded`) the same ops run, except that a comparison is a constant there.
"""

import operator

import numpy as np

from .. import bitwise, errors, math
from ..engine.op import convert, with_other_exits
from ..engine.operands import converter
from ..engine.rules import Recorded, constant_truth, recorded
from ..engine.tensor import Tensor
from ..engine.variable import Variable
from ..linalg.products import product
from . import creation, indexing


def is_truth(x):
    """Is it a Tensor of truth values?"""
    return isinstance(x, Tensor) and x.value.dtype.kind == "b"


def times_truth(op, inputs, *others):
    """`*` where one input holds truth values, which `mg.multiply` refuses: both are cast to int32, and the product to bool."""
    if not any([is_truth(x) for x in inputs]):
        return math.multiply(*inputs)  # which refuses them in its own words
    return creation.cast(math.multiply(*[creation.cast(x, np.int32) for x in inputs]), np.bool_)


def keep_beside_truth(make, x, dtype):
    """A number that meets truth values keeps its own dtype."""
    return make(x, None if dtype == bool else dtype)


times = with_other_exits(math.multiply, convert=converter(keep_beside_truth), refuse_mixed=times_truth, refuse_dtype=times_truth)

OPERATORS = {
    "add": math.add, "sub": math.subtract, "mul": times, "truediv": math.divide, "floordiv": math.floordiv,
    "mod": math.floormod, "pow": math.pow, "matmul": product,
}  # fmt: skip
UNARY = {"neg": math.negative, "abs": math.abs}
COMPARISONS = {"gt": math.greater, "ge": math.greater_equal, "lt": math.less, "le": math.less_equal}


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
    """The op with its two arguments in the other order, for `2.0 - x`. The number, which comes first here, takes the dtype of x."""
    if getattr(op, "keep_misfit", False) or op is times:
        return lambda y, x: op(convert(x, y), y)
    return lambda y, x: op(x, y)


Tensor.__getitem__, Variable.__getitem__, Recorded.__getitem__ = indexing.take, indexing.take_slice, recorded(indexing.take)
Tensor.__iter__ = Variable.__iter__ = indexing.each

for name, op in {**OPERATORS, **UNARY, **COMPARISONS, **LOGIC, **EQUALITY}.items():
    setattr(Tensor, f"__{name}__", op)
    setattr(Variable, f"__{name}__", op)
for name, op in {**OPERATORS, **UNARY}.items():
    setattr(Recorded, f"__{name}__", recorded(op))
for name, op in OPERATORS.items():
    for kind, adapted in (Tensor, lambda op: op), (Variable, lambda op: op), (Recorded, recorded):
        setattr(kind, f"__r{name}__", adapted(swapped(op)))
for name in ("and", "or", "xor"):
    setattr(Tensor, f"__r{name}__", swapped(LOGIC[name]))
    setattr(Variable, f"__r{name}__", swapped(LOGIC[name]))
for name, op in {**COMPARISONS, **EQUALITY}.items():
    compare = getattr(operator, name)
    setattr(Recorded, f"__{name}__", lambda x, y, compare=compare: constant_truth(compare, (x, y)))
