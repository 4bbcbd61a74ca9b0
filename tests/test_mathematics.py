"""The line of mathematics of each VJP: that it is there, and, where it is a formula, that it gives the VJP's number."""

import ast
import builtins
import inspect
import re

import numpy as np
import pytest
from test_ops import calls_in_the_example

import minigrad as mg
from minigrad import nest
from minigrad.engine.op import MADE, conjugated, made
from minigrad.engine.writing import Declaration

OPS = {f"{op.__module__.removeprefix('minigrad.')}.{op.__name__}": op for op in reversed(MADE) if op.adapt is None}
VJPS = [f"{name} {d[1:]}" for name, op in sorted(OPS.items()) for d, vjp in op.vjps.items() if vjp]
SENTENCES = {
    "the windows of input, as rows, transposed, @ upstream", "the windows of upstream, as rows, transposed, @ input",
    "upstream, back through the convolution of each channel", "upstream, back to the kernel of each channel",
    "what goes back from dy through the convolution with upstream", "the convolution of input with upstream",
    "upstream, put back where input was the largest", "upstream where input was the largest of its window",
    "upstream / count, to each pixel of the window", "the mean of upstream in every window",
    "as of solve, but 0 in the triangle that is not read",
    "einsum of upstream with the other inputs, to the axes of inputs[k]",
    "inv(v)^T @ (diag(de) + v^T @ dv / gaps in e) @ v^T, norms kept; upstream: de, dv; z: e, v",
    "inv(y)^T @ the lower half of y^T @ upstream @ inv(y), made symmetric", "none: the backward pass raises ValueError",
    "z[0] @ upstream[1] and what turns z[0], times inv(z[1])^T",
    "sum of upstream * the product of the others, over the products with this element",
    "sum of upstream over all axes but that of the channels", "sum of upstream over all copies",
    "sum of upstream over the broadcast axes", "the diagonals of upstream", "the imaginary part of upstream",
    "the part of upstream that is values[k]", "the real part of upstream", "the rows of upstream in the order of data",
    "u @ (diag(ds) + what turns u and v) @ v^T; upstream: ds, du, dv; z: s, u, v",
    "u @ diag(upstream) @ v^T; u, v: the singular vectors",
    "upstream * [tensor == z], shared with updates that equal z", "upstream * the derivative of igamma in a",
    "-upstream * the derivative of igamma in a", "upstream * the product of the others",
    "upstream * the slope of each number in alpha",
    "upstream at index k of the axis", "upstream at the indices, where updates equals z, shared with all that do",
    "upstream, each element back in its place", "upstream of its segment * the product of the others in it",
    "upstream of its segment where data is the extreme, shared with all that are", "upstream with the padding",
    "upstream without the padding", "upstream without the padding, which is added to what it mirrors",
    "upstream, added up at the indices", "upstream, but 0 at the indices", "upstream, but 0 on the diagonals",
    "upstream, put back at the chosen indices", "upstream, put back on the diagonals", "upstream, transposed back",
    "upstream[0], put back at the indices z[1]", "upstream[segment_ids] / the size of the segment",
    "upstream[segment_ids], but 0 where the id is negative",
    "v @ (diag(de) + v^T @ dv / gaps in e) @ v^T, in the lower triangle; upstream: de, dv; z: e, v",
    "v @ diag(upstream) @ v^T, in the lower triangle; v: the eigenvectors",
    "what the function registered by mg.RegisterGradient returns, or LookupError",
    "what its own gradient function returns",
}  # fmt: skip


def line_of(vjp):
    name, x = vjp.split()
    return OPS[name].math.get(x)


R = np.random.default_rng(1).uniform
A, B = R(0.5, 2.0, (3, 4)), R(0.5, 2.0, (2, 3, 4))
TIES = np.array([[1.0, 2.0, 2.0], [3.0, 0.5, 3.0]])
BOTH = (False, True)
REDUCED = [([B], [axis, keepdims]) for axis in (None, 0, -1) for keepdims in BOTH]
FURTHER = {  # calls in which axes are broadcast or chosen, elements are equal, or attributes are not the usual ones
    **{f"math.reductions.{name}": REDUCED for name in ("reduce_sum", "reduce_mean", "reduce_euclidean_norm")},
    **{f"math.reductions.{name}": [*REDUCED, ([TIES], [1, False]), ([-TIES], [1, False])] for name in ("reduce_max", "reduce_min")},
    **{f"math.arithmetic.{name}": [([A, B[0, :1]], []), ([B, A], [])] for name in ("add", "multiply", "divide")},
    "math.arithmetic.pow": [([B, A], []), ([A, np.array(3.0)], [])],
    **{f"math.comparison.{name}": [([TIES, TIES[:, ::-1].copy()], [])] for name in ("maximum", "minimum")},
    **{f"math.normalizing.{name}": [([B], [axis]) for axis in (None, 0, 1)] for name in ("softmax", "log_softmax")},
    **{f"math.reductions.{name}": [([B], [1, exclusive, reverse]) for exclusive in BOTH for reverse in BOTH]
       for name in ("cumsum", "cumulative_logsumexp")},
    "linalg.solving.solve": [([A[:, :3], A[:, 1:]], [adjoint]) for adjoint in BOTH],
    "linalg.solving.inv": [([A[:, 1:]], [adjoint]) for adjoint in BOTH],
    "linalg.solving.triangular_solve": [([A[:, :3], A], [lower, adjoint]) for lower in BOTH for adjoint in BOTH],
    "linalg.products.product": [([B, A.T], []), ([A.T, B], [])],
    "nn.cross_entropy": [([B, R(size=B.shape)], [axis]) for axis in (0, 1, -1)],
    "nn.sparse_softmax_cross_entropy_with_logits": [([np.array([[3, 1, 0], [2, 2, 1]]), B], [])],
    "nn.leaky_relu": [([A - 1], [0.3]), ([np.zeros(2)], [0.3])],
    "nn.selu": [([np.zeros(2)], [])],
    "linalg.solving.det": [([A[:, 1:]], [])],
    "math.arithmetic.complex_squared_difference": [([A * (1 + 2j), A * 1j - 1], [])],
    "ops.creation.identity_n": [([[A, A[0]]], [])],
    "ops.shaping.roll": [([A], [(1, 2), (0, 1)]), ([A], [1, 0])],
}  # fmt: skip


# ---- formulas ------------------------------------------------------------------------------------------------------


def parsed(line):
    """The expression that a line is, as Python; None if it is none."""
    try:
        return ast.parse(re.sub(r"\^(?!T\b)", "**", line.removesuffix(", to each")).replace("^T", ".mT"), mode="eval")
    except SyntaxError:
        return None


class Notation(ast.NodeTransformer):
    """[x > 0] is a call, and in it `not` holds for each element."""

    def visit_List(self, node):
        [truth] = node.elts
        no = isinstance(truth, ast.UnaryOp) and isinstance(truth.op, ast.Not)
        return call("indicator", call("logical_not", self.visit(truth.operand)) if no else self.visit(truth))


def call(name, *arguments):
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


class Names(dict):
    """What the names in a line mean: those of the op, else NumPy's functions, else minigrad's."""

    def __missing__(self, name):
        spaces = [space for space in (np, builtins, mg.math, mg.linalg, mg.nn, mg) if hasattr(space, name)]
        if not spaces:
            raise KeyError(name)
        function = getattr(spaces[0], name)
        return function if spaces[0] in (np, builtins) else lambda *given: np.asarray(function(*given))


def value_of(line, x, named, op):
    """What a line says, for an input x, in numbers."""
    along = -1 if named.get("axis") is None and "softmax" in op.__name__ else named.get("axis")
    reduced = "keepdims" in named or op.kernel.endswith("Logits")

    def spread(y):
        """The result of a reduction gets the axes back that it has lost, each of length 1."""
        if not reduced or y.ndim in (0, x.ndim):
            return y
        return np.expand_dims(y, -1 if along is None else along)

    names = Names({
        **named,
        **{one: getattr(mg.nn, one) for one in ("SELU_SCALE", "SELU_SCALE_ALPHA")},
        **{y: spread(named[y]) for y in ("upstream", Declaration(op).output) if isinstance(named[y], np.ndarray)},
        "sum": lambda y, axis=None: np.sum(y, axis=along, keepdims=True),
        "softmax": lambda y: np.exp(y) / np.sum(np.exp(y), axis=along, keepdims=True),
        "log_softmax": lambda y: y - np.log(np.sum(np.exp(y), axis=along, keepdims=True)),
        "cumsum": lambda *given: np.asarray(mg.cumsum(*given)),  # NumPy's takes neither `exclusive` nor `reverse`
        "polygamma": lambda a, x: np.asarray(mg.math.polygamma(a + 0 * x, x)),
        "one_hot": lambda labels: np.eye(x.shape[-1])[labels],
        "indicator": lambda truth: np.asarray(truth, x.dtype),
        "count": x.size / np.size(named["upstream"]) if reduced else None,
    })  # fmt: skip
    tree = ast.fix_missing_locations(Notation().visit(parsed(line)))
    found = np.asarray(eval(compile(tree, line, "eval"), {"__builtins__": {}}, names))
    return np.broadcast_to(found, x.shape) if line.endswith(", to each") or line == "0" else found


def unbroadcast(dx, shape):
    """The sum over the axes along which an input of this shape was broadcast."""
    dx = dx.sum(tuple(range(dx.ndim - len(shape))))
    return dx.sum(tuple(a for a, n in enumerate(shape) if n == 1 != dx.shape[a]), keepdims=True)


def wide(x):
    """An array in the precision in which lines are compared."""
    x = np.asarray(x)
    return x.astype({"f": np.float64, "c": np.complex128}.get(x.dtype.kind, x.dtype))


def compared(op, x, inputs, attributes, seen=lambda array: array):
    """What the line for input x says of the arrays as `seen`, and what the VJP gives, for one call of the op; x may be a list."""
    declaration = Declaration(op)
    arrays = [[wide(one) for one in given] if isinstance(given, (list, tuple)) else wide(given) for given in inputs]
    tensors = nest.map_structure(mg.constant, arrays)
    sources = nest.flatten(tensors[declaration.inputs.index(x)])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([source for source in sources if source.value.dtype.kind in "fc"])
        z = op(*tensors, *attributes)
    upstream = nest.map_structure(some_upstream, z)
    named = dict(zip(declaration.inputs + declaration.attributes, [*arrays, *map(as_given, attributes)]))
    named |= {declaration.output: nest.map_structure(np.asarray, z)}
    named = {**{key: seen(value) for key, value in named.items()}, "upstream": upstream}
    for k, source in enumerate(sources):
        if source.value.dtype.kind in "fc":
            gradient = tape.gradient(z, source, output_gradients=upstream)
            said = value_of(op.math[x], source.value, {**named, "k": k}, op)
            yield unbroadcast(said, source.value.shape), np.asarray(mg.convert_to_tensor(gradient))


def some_upstream(z):
    """An upstream gradient for an output, with other numbers at each element."""
    numbers = np.random.default_rng(0).uniform(0.5, 2.0, z.value.shape)
    return np.asarray(numbers * (1 - 0.5j) if z.value.dtype.kind == "c" else numbers, z.value.dtype)


def as_given(attribute):
    """An attribute in a formula: `-shift` means each of several."""
    numbers = isinstance(attribute, tuple) and {type(n) for n in attribute} == {int}
    return np.array(attribute) if numbers else attribute


@pytest.mark.parametrize("vjp", VJPS)
def test_each_vjp_has_a_line(vjp):
    line = line_of(vjp)
    assert line, f"{vjp}: this VJP is no expression: add math={{{vjp.split()[1]!r}: '...'}} to the declaration"
    assert (parsed(line) is None) == (line in SENTENCES), f"{line}: no formula, and not one of SENTENCES"
    assert len(line) <= 100


@pytest.mark.parametrize("vjp", [vjp for vjp in VJPS if parsed(line_of(vjp) or "?")])
def test_a_line_that_is_a_formula_gives_the_number_of_the_vjp(vjp):
    name, x = vjp.split()
    op, numbers = OPS[name], 0
    for inputs, attributes in [*calls_in_the_example(op), *FURTHER.get(name, ())]:
        for said, gradient in compared(op, x, inputs, attributes):
            assert said.shape == gradient.shape, f"{op.math[x]}: {said.shape}"
            np.testing.assert_allclose(said, gradient, rtol=1e-6, atol=1e-9, err_msg=op.math[x])
            numbers += gradient.size
    assert numbers, f"{name} has no example in which {x} is a float"


def conj(given):
    """Complex arrays conjugated, anything else as it is."""
    if isinstance(given, list):
        return [conj(one) for one in given]
    return given.conj() if isinstance(given, np.ndarray) else given


HOLOMORPHIC = [vjp for vjp in VJPS if getattr(OPS[vjp.split()[0]].by_kind.get("c"), "adapt", None) is conjugated]


@pytest.mark.parametrize("vjp", HOLOMORPHIC)
def test_of_complex_numbers_the_arrays_of_a_line_are_conjugated(vjp):
    name, x = vjp.split()
    op, numbers = OPS[name], 0
    for inputs, attributes in calls_in_the_example(op):
        turned = [wide(one) * (0.8 + 0.3j) for one in inputs]
        for said, gradient in compared(op, x, turned, attributes, seen=conj):
            np.testing.assert_allclose(said, gradient, rtol=1e-6, atol=1e-9, err_msg=op.math[x])
            numbers += gradient.size
    assert numbers


def test_sentences_that_no_op_has_are_not_listed():
    assert {line_of(vjp) for vjp in VJPS} >= SENTENCES


# ---- how a VJP is written down -------------------------------------------------------------------------------------


def declared(math=None, **vjps):
    """An op that nobody else knows."""

    def mine(x, y, axis):
        return x * y

    return made(mine, "Mine", "", {"dx": None, "dy": None, **vjps}, math=math)


@pytest.mark.parametrize(
    ("line", "vjp"),
    [
        ("upstream * (x + y)", lambda dz, x, y: dz * (x + y)),
        ("upstream * x + y", lambda dz, x, y: dz * x + y),
        ("upstream - (x - y)", lambda dz, x, y: dz - (x - y)),
        ("upstream - x - y", lambda dz, x, y: dz - x - y),
        ("upstream / (x * y)", lambda dz, x, y: dz / (x * y)),
        ("upstream / x / y", lambda dz, x, y: dz / x / y),
        ("upstream * (-x)", lambda dz, x: dz * -x),
        ("-(upstream + x)", lambda dz, x: -(dz + x)),
        ("(upstream * x)^2", lambda dz, x: (dz * x) * (dz * x)),
        ("(-upstream)^(y - 1)", lambda dz, y: (-dz) ** (y - 1)),
        ("2^x * upstream", lambda dz, x: 2**x * dz),
        ("upstream / x", lambda dz, x: dz * (1 / x)),
        ("(upstream + x) / (1 + y)", lambda dz, x, y: (dz + x) * (1 / (1 + y))),
        ("upstream * (1 / x + y)", lambda dz, x, y: dz * (1 / x + y)),
        ("upstream * (x @ y)", lambda dz, x, y: dz * (x @ y)),
        ("-(upstream @ x @ y)", lambda dz, x, y: -(dz @ x @ y)),
        ("upstream @ (x @ y) - x @ y", lambda dz, x, y: dz @ (x @ y) - x @ y),
        ("(-0.5)^x * upstream", lambda dz, x: (-0.5) ** x * dz),
        ("(upstream + x) @ y^T", lambda dz, x, y: (dz + x) @ y.mT),
        ("upstream @ (x @ y)^T", lambda dz, x, y: dz @ (x @ y).mT),
        ("upstream * [x < 2] * [3 >= y]", lambda dz, x, y: dz * (x < 2) * np.greater_equal(3, y)),
        ("upstream * [not x > y]", lambda dz, x, y: np.where(x > y, 0, dz)),
        ("2.0 * upstream * exp(x + 1)", lambda dz, x: np.float64(2) * dz * np.exp(x + 1)),
        ("reshape(upstream, x.shape)", lambda dz, x_shape: dz.reshape(x_shape)),
        ("upstream / (x.size - 1)", lambda dz, x_size: dz / (x_size - 1)),
        ("conj(upstream) * x", lambda dz, x, x_dtype: dz.conj() * x.astype(x_dtype)),
        ("upstream[axis]", lambda dz, axis: dz[axis]),
        ("0", lambda dz: np.zeros_like(dz)),
        ("roll(upstream, -axis)", lambda dz, axis: np.roll(dz, -axis)),
    ],
)
def test_what_a_vjp_does_is_written_down(line, vjp):
    assert dict(declared(dx=vjp).math) == {"x": line}


@pytest.mark.parametrize(
    "vjp",
    [
        lambda dz, x: dz if x else -dz,
        lambda dz, x: dz * sum(x),
        lambda dz, x, y: np.where(x > 0, dz, y),
        lambda dz, x, y: np.where((x > 0) * (y > 0), 0, dz),
        lambda dz, x: dz * np.asarray(x),
        lambda dz: dz * np.ones(2),
        lambda dz: dz[..., 0],
    ],
)
def test_a_vjp_that_is_no_expression_is_left_out_unless_its_line_is_declared(vjp):
    assert dict(declared(dx=vjp, dy=lambda dz: dz).math) == {"y": "upstream"}
    assert dict(declared(dx=vjp, dy=lambda dz: dz, math={"x": "upstream, at times"}).math)["x"] == "upstream, at times"


def test_one_line_may_be_that_of_each_vjp():
    assert dict(declared(dx=lambda dz: dz, dy=lambda dz: dz, math="all").math) == {"x": "all", "y": "all"}


def test_a_line_for_what_has_no_vjp_is_refused():
    with pytest.raises(TypeError, match=r"@op above mine\(x, y, axis\): math= has a line for y; there are VJPs for x"):
        str(declared(dx=lambda dz: dz, math={"y": "upstream"}).source)


def test_help_shows_the_lines_and_print_does():
    assert inspect.getdoc(mg.multiply).endswith(
        "\n\nGradients (upstream is that of z, the output):\n    x: upstream * y\n    y: upstream * x"
    )
    assert str(mg.multiply.math) == "x: upstream * y\ny: upstream * x"
    assert "Gradients" not in mg.floor.__doc__


def test_an_op_of_the_same_declaration_has_the_same_lines():
    lines = {"x": "upstream / y", "y": "-upstream * x / y^2"}
    assert mg.divide.math == mg.realdiv.math == mg.divide.by_kind["c"].math == lines
    assert mg.Tensor.__mul__.math == mg.multiply.math
