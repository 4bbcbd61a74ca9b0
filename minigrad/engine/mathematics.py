"""What each VJP of an op computes, as one line of mathematics: `print(mg.multiply.math)`.

Most declarations do not contain that line: a VJP is plain NumPy, so it is run on names in place of arrays, and what it
does with them is written down. `lambda dz, y: dz * y` becomes `upstream * y`. A line is declared (`math=`) for a VJP
that is no expression, such as a loop, or that avoids overflow or a division by 0 and is simpler as mathematics.
"""

import sys
from collections.abc import Mapping
from numbers import Number
from types import SimpleNamespace

from .rules import StandIn


class Mathematics(Mapping):
    """The VJPs of an op as text: the name of an input -> the gradient with respect to it.

    - `upstream` is the gradient with respect to the output (of many outputs: their list). The output has the name that
      the declaration gives it: y, or z where y is an input.
    - `[x > 0]` is 1 where that is true, else 0; `a^T` is the transpose of a matrix, `x^2` a power; `not` is Python's.
    - `sum` and `softmax` run along the op's axis. `count` is how many elements went into one of the output; `, to each`
      of them goes the same number. `k` is the position in a list of inputs.
    - Where an input was broadcast, what the line says is summed over the axes along which it was.
    - Lines are for real numbers, except those of ops that take complex ones alone. In an op that is `holomorphic` what
      multiplies a complex `upstream` is conjugated, and in `linalg` `a^T` is then the adjoint.
    - What is no formula is a short sentence. A VJP that is no expression and for which no line is declared is left out.

    >>> import minigrad as mg
    >>> print(mg.maximum.math)
    x: upstream * [x >= y]
    y: upstream * [x < y]
    >>> mg.engine.OPS["product"].math["a"]
    'upstream @ b^T'
    """

    __slots__ = ("known", "op", "said")

    def __init__(self, op, said):
        self.op, self.said, self.known = op, said, None

    @property
    def lines(self):
        if self.known is None:
            known = {}
            for d, vjp in self.op.vjps.items():
                said = self.said.get(d[1:]) if self.said.__class__ is dict else self.said
                if line := vjp and (said or derived(vjp)):
                    known[d[1:]] = line
            self.known = known
        return self.known

    def __getitem__(self, x):
        return self.lines[x]

    def __iter__(self):
        return iter(self.lines)

    def __len__(self):
        return len(self.lines)

    def __repr__(self):
        return "\n".join([f"{x}: {line}" for x, line in self.items()])


def tell_help(ops):
    """Add the lines to the docstrings. They are known only when all ops are there: a VJP may call a later op."""
    margin = "" if sys.version_info >= (3, 13) else "    "  # which Python has taken off a docstring
    for op in ops:
        if op.adapt is None and op.__doc__ and (lines := op.math.lines):
            z = next(vjp for vjp in op.vjps.values() if vjp).__code__.co_varnames[0][1:]
            head = f"{margin}Gradients (upstream is that of {z}, the output):"
            shown = "".join([f"\n{margin}    {x}: {line}" for x, line in lines.items()])
            op.__doc__ = f"{op.__doc__.rstrip()}\n\n{head}{shown}\n{margin}"


def derived(vjp):
    """What a VJP computes, or None if that is no expression."""
    _, *wishes = vjp.__code__.co_varnames[: vjp.__code__.co_argcount]
    try:
        return written(vjp(Written("upstream"), *map(granted, wishes))).text
    except Exception:
        return None


def granted(wish):
    """What a VJP is given for what it asks for by this name."""
    x, _, of = wish.rpartition("_")
    return NUMBERS if x and of == "dtype" else Written(f"{x}.{of}" if x and of in ("shape", "size") else wish)


# ---- expressions ---------------------------------------------------------------------------------------------------


SUM, MATRIX_PRODUCT, PRODUCT, POWER, WHOLE = range(5)  # what an expression is: the later, the tighter it holds together
NUMBERS = SimpleNamespace(kind="f", type=lambda number: number)  # a dtype that leaves numbers as they are


def infix(sign, kind, right):
    return lambda x, y: Written(f"{x.within(kind)} {sign} {y.within(right)}", kind)


def indicator(sign):
    return lambda x, y: Written(f"[{x.text} {sign} {written(y).text}]")


def times(x, y):
    if x.text == y.text:
        return Written(f"{x.within(WHOLE)}^2", POWER)
    if y.kind == PRODUCT and y.text.startswith("1 / "):
        return Written(f"{x.within(PRODUCT)} / {y.text[4:]}", PRODUCT)
    return Written(f"{x.within(PRODUCT)} * {y.within(POWER if y.text[0] == '-' else PRODUCT)}", PRODUCT)


def where(condition, x, y):
    holds = condition.text[1:-1] if condition.text[0] == "[" else condition.text
    if condition.kind < WHOLE or "0" not in (x.text, y.text):
        raise TypeError(f"what where({condition.text}, ...) chooses is no product with {condition.text}")
    return times(x, Written(f"[{holds}]")) if y.text == "0" else times(y, Written(f"[not {holds}]"))


divide = infix("/", PRODUCT, POWER)
SIGNS = {  # NumPy's functions, and ops, that are not written as calls
    "add": infix("+", SUM, SUM), "subtract": infix("-", SUM, MATRIX_PRODUCT),
    "negative": lambda x: Written(f"-{x.within(PRODUCT)}", PRODUCT),
    "multiply": times, "multiply_no_nan": times, "stepped": lambda dy, x, slope: times(dy, slope),
    "divide": divide, "divide_no_nan": divide, "xdivy": divide, "reciprocal": lambda x: divide(Written("1"), x),
    "matmul": infix("@", MATRIX_PRODUCT, POWER),
    "power": lambda x, y: Written(f"{x.within(WHOLE)}^{y.within(WHOLE)}", POWER), "where": where,
    "greater": indicator(">"), "greater_equal": indicator(">="), "less": indicator("<"), "less_equal": indicator("<="),
    "equal": indicator("=="), "not_equal": indicator("!="), "gather": lambda x, indices: x[indices],
    "zeros_like": lambda x: Written("0"), "ones_like": lambda x: Written("1"),
}  # fmt: skip
CALLED = {"absolute": "abs", "gather_points": "gather_nd", "higher_digamma": "polygamma", "hurwitz_zeta": "zeta"}


def written(x):
    if x.__class__ is Written:
        return x
    if isinstance(x, Number):
        return Written(str(x), PRODUCT if str(x)[0] == "-" else WHOLE)
    raise TypeError(f"{x!r} is not mathematics")


def call(name, *inputs):
    return Written(f"{name}({', '.join([written(x).text for x in inputs])})")


def operators(name):
    """What Python calls for an operator, and what it calls if the left side is a number."""
    sign = SIGNS[name]
    return lambda x, y: sign(x, written(y)), lambda x, y: sign(written(y), x)


class Written(StandIn):
    """An expression that stands in for an array."""

    __slots__ = ("kind", "text")
    dtype = NUMBERS
    shape = property(lambda self: Written(f"{self.text}.shape"))
    mT = property(lambda self: Written(f"{self.within(WHOLE)}^T"))
    __iter__ = __bool__ = __array__ = None  # type: ignore[assignment]  # a VJP that asks for them is no expression
    __add__, __radd__ = operators("add")
    __sub__, __rsub__ = operators("subtract")
    __mul__, __rmul__ = operators("multiply")
    __truediv__, __rtruediv__ = operators("divide")
    __matmul__, __rmatmul__ = operators("matmul")
    __pow__, __rpow__ = operators("power")
    __gt__, __ge__, __lt__, __le__, __eq__, __ne__ = map(indicator, (">", ">=", "<", "<=", "==", "!="))
    __neg__ = SIGNS["negative"]

    def __init__(self, text, kind=WHOLE):
        self.text, self.kind = text, kind

    def within(self, kind):
        """The text, in parentheses if it would fall apart."""
        return self.text if self.kind >= kind else f"({self.text})"

    def astype(self, dtype):
        return self

    def conj(self):
        return call("conj", self)

    def __getitem__(self, key):
        return Written(f"{self.within(WHOLE)}[{written(key).text}]")

    def __array_function__(self, function, types, inputs, attributes):
        name = function.__name__
        if name in SIGNS:
            return SIGNS[name](*map(written, inputs))
        return call(CALLED.get(name, name), *inputs, *attributes.values())
