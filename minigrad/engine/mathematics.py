"""What each VJP of an op computes, as one line of mathematics: `print(mg.multiply.math)`.

Most declarations do not contain that line: a VJP is plain NumPy, so it is run on names in place of arrays, and its
operations are written down. `lambda dz, y: dz * y` becomes `upstream * y`. A line is declared (`math=`) for a VJP that
is not an expression, such as a loop, or that avoids overflow or division by 0 and is simpler as mathematics.
"""

from collections.abc import Mapping
from numbers import Number
from types import SimpleNamespace

from .rules import StandIn


class Mathematics(Mapping):
    """The VJPs of an op as text: the name of an input -> the gradient with respect to it.

    - `upstream` is the gradient with respect to the output (for several outputs, the list of theirs). The output has
      the name that the declaration gives it: y, or z where y is an input.
    - `[x > 0]` is 1 where that is true, else 0; `a^T` is the transpose of a matrix, `x^2` a power; `not` is Python's.
    - `sum` and `softmax` run along the op's axis. `count` is the number of input elements per output element;
      `, to each` means that all of them get the same number. `k` is the position in a list of inputs.
    - If an input was broadcast, the result is also summed over the axes along which it was.
    - Lines are for real numbers, except those of ops that take only complex ones. In a `holomorphic` op the factor of a
      complex `upstream` is conjugated, and in `linalg` `a^T` is then the adjoint.
    - Where there is no formula, there is a short sentence. A VJP that is not an expression and has no line is left out.

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


def derived(vjp):
    """What a VJP computes, or None if that is not an expression."""
    _, *wishes = vjp.__code__.co_varnames[: vjp.__code__.co_argcount]
    try:
        return as_expression(vjp(Expression("upstream"), *map(granted, wishes))).text
    except Exception:
        return None


def granted(wish):
    """The stand-in that a VJP receives for a parameter of this name."""
    x, _, of = wish.rpartition("_")
    return NUMBERS if x and of == "dtype" else Expression(f"{x}.{of}" if x and of in ("shape", "size") else wish)


# ---- expressions ---------------------------------------------------------------------------------------------------


SUM, MATRIX_PRODUCT, PRODUCT, POWER, WHOLE = range(5)  # the kinds of expressions, in order of increasing precedence
NUMBERS = SimpleNamespace(kind="f", type=lambda number: number)  # a dtype that leaves numbers as they are


def infix(sign, kind, right):
    """The function that writes an operator between two expressions; `right`: the precedence the right one needs."""
    return lambda x, y: Expression(f"{x.within(kind)} {sign} {y.within(right)}", kind)


def indicator(sign):
    """The function that writes a comparison: 1 where it is true, else 0."""
    return lambda x, y: Expression(f"[{x.text} {sign} {as_expression(y).text}]")


def product(x, y):
    """A product; x times itself is a power, and x times a reciprocal a quotient."""
    if x.text == y.text:
        return Expression(f"{x.within(WHOLE)}^2", POWER)
    if y.kind == PRODUCT and y.text.startswith("1 / "):
        return Expression(f"{x.within(PRODUCT)} / {y.text[4:]}", PRODUCT)
    return Expression(f"{x.within(PRODUCT)} * {y.within(POWER if y.text[0] == '-' else PRODUCT)}", PRODUCT)


def choice(condition, x, y):
    """`np.where` with 0 as one of its choices, as a product with 1 or 0.

    Raises:
        TypeError: it is not such a product.
    """
    holds = condition.text[1:-1] if condition.text[0] == "[" else condition.text
    if condition.kind < WHOLE or "0" not in (x.text, y.text):
        raise TypeError(f"what where({condition.text}, ...) chooses is no product with {condition.text}")
    return product(x, Expression(f"[{holds}]")) if y.text == "0" else product(y, Expression(f"[not {holds}]"))


divide = infix("/", PRODUCT, POWER)
SIGNS = {  # NumPy's functions, and ops, that are not written as calls
    "add": infix("+", SUM, SUM), "subtract": infix("-", SUM, MATRIX_PRODUCT),
    "negative": lambda x: Expression(f"-{x.within(PRODUCT)}", PRODUCT),
    "multiply": product, "multiply_no_nan": product, "stepped": lambda dy, x, slope: product(dy, slope),
    "divide": divide, "divide_no_nan": divide, "xdivy": divide, "reciprocal": lambda x: divide(Expression("1"), x),
    "matmul": infix("@", MATRIX_PRODUCT, POWER),
    "power": lambda x, y: Expression(f"{x.within(WHOLE)}^{y.within(WHOLE)}", POWER), "where": choice,
    "greater": indicator(">"), "greater_equal": indicator(">="), "less": indicator("<"), "less_equal": indicator("<="),
    "equal": indicator("=="), "not_equal": indicator("!="), "gather": lambda x, indices: x[indices],
    "zeros_like": lambda x: Expression("0"), "ones_like": lambda x: Expression("1"),
}  # fmt: skip
CALLED = {"absolute": "abs", "gather_points": "gather_nd", "higher_digamma": "polygamma", "hurwitz_zeta": "zeta"}


def as_expression(x):
    """An expression as it is, and a number as one.

    Raises:
        TypeError: it is neither.
    """
    if x.__class__ is Expression:
        return x
    if isinstance(x, Number):
        return Expression(str(x), PRODUCT if str(x)[0] == "-" else WHOLE)
    raise TypeError(f"{x!r} is not mathematics")


def call(name, *inputs):
    """A function of expressions."""
    return Expression(f"{name}({', '.join([as_expression(x).text for x in inputs])})")


def operators(name):
    """The method that Python calls for an operator, and the reflected one for a number on the left."""
    sign = SIGNS[name]
    return lambda x, y: sign(x, as_expression(y)), lambda x, y: sign(as_expression(y), x)


class Expression(StandIn):
    """An expression that stands in for an array."""

    __slots__ = ("kind", "text")
    dtype = NUMBERS
    shape = property(lambda self: Expression(f"{self.text}.shape"))
    mT = property(lambda self: Expression(f"{self.within(WHOLE)}^T"))
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
        """The text, in parentheses if its precedence is lower than `kind`."""
        return self.text if self.kind >= kind else f"({self.text})"

    def astype(self, dtype):
        return self

    def conj(self):
        return call("conj", self)

    def __getitem__(self, key):
        return Expression(f"{self.within(WHOLE)}[{as_expression(key).text}]")

    def __array_function__(self, function, types, inputs, attributes):
        name = function.__name__
        if name in SIGNS:
            return SIGNS[name](*map(as_expression, inputs))
        return call(CALLED.get(name, name), *inputs, *attributes.values())
