"""Lines that may fix a gradient: the user's statement, with ops in the place of NumPy and Python.

They are guesses. Which of them is right, trial finds out; where none is, the words of the cause stand alone.
"""

import ast
import contextlib
import itertools
from typing import Any, NamedTuple

from ..tracing.source import LONG, last_name, node_at, rewritten, span_of, statement_at

INSTEAD = {  # what is called otherwise here than in NumPy, or stands elsewhere
    "mean": "reduce_mean", "sum": "reduce_sum", "max": "reduce_max", "min": "reduce_min", "amax": "reduce_max",
    "amin": "reduce_min", "prod": "reduce_prod", "std": "math.reduce_std", "var": "math.reduce_variance",
    "log": "math.log", "fabs": "abs", "absolute": "abs", "reciprocal": "math.reciprocal", "erf": "math.erf",
    "power": "pow", "float_power": "pow", "concatenate": "concat", "clip": "clip_by_value", "log1p": "math.log1p",
    "expm1": "math.expm1", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "array": "stack",
    "trace": "linalg.trace", "inv": "linalg.inv", "det": "linalg.det", "flip": "reverse",
    **{name: name for name in (
        "exp", "sqrt", "sin", "cos", "tan", "tanh", "abs", "square", "negative", "pow", "maximum", "minimum", "where",
        "stack", "reshape", "transpose", "add", "subtract", "multiply", "divide", "cumsum", "einsum", "atan2", "sinh",
        "cosh", "norm", "asin", "acos", "atan", "squeeze", "expand_dims", "linspace", "outer", "roll", "tile",
    )},
}  # fmt: skip
PRODUCTS = (
    "{mg}.tensordot({x}, {y}, 1)", "{mg}.matmul({x}, {y})", "{mg}.tensordot({mg}.cast({x}, {y}.dtype), {y}, 1)",
    "{mg}.tensordot({x}, {mg}.cast({y}, {x}.dtype), 1)",
)  # fmt: skip
SAME = {"numpy", "item", "tolist", "copy", "astype", "float", "complex", "float32", "float64", "asarray"}
MADE = {"constant", "Variable", "convert_to_tensor"}
FLAT, DOT = {"flatten", "ravel"}, {"dot", "matmul"}
KNOWN = {*INSTEAD, *SAME, *MADE, *FLAT, *DOT}
SIMPLE = ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert
LOOSE = (ast.Call, ast.keyword, ast.List, ast.Tuple, ast.ListComp, ast.stmt)  # what stands in them needs no parentheses


class Edit(NamedTuple):
    """A change of the source: what stands at this span of a file becomes this text."""

    file: str
    span: tuple
    text: str


class Line(NamedTuple):
    """A statement written anew, the edits that make it, and later statements that they change as well."""

    text: str
    edits: tuple
    later: tuple = ()


def lines_for(exits, opening) -> "list[Line]":
    """Guesses at the statement in which these values left. (`opening`: see `lines_for_state`.)"""
    module, statement, node = statement_at(exits[0].place)
    if not isinstance(statement, SIMPLE) or not isinstance(node, ast.expr):
        return []
    left = [(exit, node_at(exit.place)[1]) for exit in exits]
    exprs = {one: exit for exit, one in left if isinstance(one, ast.expr)}
    held = {one for one, exit in exprs.items() if exit.versions}
    around = {one for expr in exprs for one in module.around(expr) if isinstance(one, (ast.expr, ast.keyword))}
    if written_by(statement) is not None:
        return lines_for_state(exits[0].place, opening, Translated(module, around, held).change)
    file, old, found = exits[0].code.co_filename, rewritten(module, statement), {}
    for choice in itertools.product((True, False), PRODUCTS, ("", ", 0"), (True, False)):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            line = line_of(file, module, statement, Translated(module, around, held, *choice).change)
            if line and line.text != old and ast.parse(line.text).body:
                found[line.text] = line
    return [*found.values()]


def line_of(file, module, statement, change) -> "Line | None":
    """A statement with some parts changed; None if it grows too long."""
    text = rewritten(module, statement, change)
    return Line(text, (Edit(file, span_of(statement), text),)) if len(text) <= LONG else None


class Translated:
    """Writes parts of a statement anew: those around what left.

    Args:
        module, around: where it stands, and the parts in which something left.
        held: the parts whose value must not change when a Variable is assigned, if an object keeps them.
        library: are methods that are called as functions of NumPy such functions?
        product: what becomes of `np.dot` and `@`.
        axis: is added where NumPy joins along the first axis by default.
        named: do arguments keep their names?
    """

    def __init__(self, module, around, held=(), library=True, product=PRODUCTS[0], axis="", named=True):
        self.module, self.around, self.held, self.mg = module, around, held, ours(module)
        self.library, self.product, self.axis, self.named = library, product, axis, named

    def change(self, part) -> "str | None":
        """Another text for a part; None if only what is in it changes."""
        if part not in self.around:
            return None
        kinds = {ast.Call: self.call, ast.BinOp: self.matmul, ast.Attribute: self.attribute}
        new = kinds[type(part)](part) if type(part) in kinds else None
        return new if new is None or isinstance(self.module.parent[part], LOOSE) else in_parentheses(new)

    def own(self, node) -> str:
        new = self.change(node)
        return rewritten(self.module, node, self.change) if new is None else new

    def call(self, part):
        name, own, mg = last_name(part.func), root_of(part.func) == self.mg, self.mg
        owned = isinstance(part.func, ast.Attribute) and (part.func.value in self.around or not part.args)
        given = [part.func.value, *part.args] if owned else part.args
        foreign = isinstance(part.func, ast.Attribute) or name in SAME or name in imported(self.module)
        if not given or not foreign or (own and name not in MADE):
            return None
        if not (self.library or owned or own or name in SAME):
            return None
        if name in SAME or name in MADE or name == "array":
            listed = isinstance(given[0], (ast.List, ast.Tuple, ast.ListComp))
            text = self.own(given[0])
            around = "stack" if listed else "identity" if part in self.held and self.is_handed_over(part) else ""
            return f"{mg}.{around}({text})" if around else text
        if name in FLAT:
            return f"{mg}.reshape({self.own(given[0])}, [-1])"
        if name in DOT and len(given) == 2:
            return self.product.format(mg=mg, x=self.own(given[0]), y=self.own(given[1]))
        if name not in INSTEAD:
            return None
        texts = [self.own(one) for one in given]
        if name == "reshape" and len(texts) > 2:
            texts = [texts[0], f"[{', '.join(texts[1:])}]"]
        texts += [f"{word.arg}=" * self.named + self.own(word.value) for word in part.keywords]
        if name == "add":  # mg.add wants one dtype
            return " + ".join(in_parentheses(one) for one in texts)
        return f"{mg}.{INSTEAD[name]}({', '.join(texts)}{self.axis if name == 'concatenate' else ''})"

    def is_handed_over(self, part) -> bool:
        """Is it given to a method of an object, such as `history.append`, which may keep it?"""
        call = self.module.parent[part]
        method = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and root_of(call.func) != self.mg
        return method and not (self.library and last_name(call.func) in KNOWN)

    def matmul(self, part):
        if not isinstance(part.op, ast.MatMult) or not {part.left, part.right} & self.around:
            return None
        return self.product.format(mg=self.mg, x=self.own(part.left), y=self.own(part.right))

    def attribute(self, part):
        transposed = part.attr == "T" and part.value in self.around
        return f"{self.mg}.transpose({self.own(part.value)})" if transposed else None


# ---- a Variable that was assigned ------------------------------------------------------------------------------------

CHANGES = {"assign": "{y}", "assign_add": "{x} + {y}", "assign_sub": "{x} - {y}"}


def lines_for_state(place, opening, change=lambda part: None) -> "list[Line]":
    """The statement that assigns a Variable, with a new Tensor that is used from there on in place of the Variable.

    Args:
        place: where it is assigned.
        opening: where the tape was opened, if that is known: the new Tensor is used to the end of its block.
        change: gives another text for a part of the value, or None.
    """
    module, statement, _ = statement_at(place)
    call: Any = written_by(statement)
    if call is None or len(call.args) != 1:
        return []
    target, file, kept = call.func.value, place.code.co_filename, isinstance(statement, ast.Assign)
    value = change(call.args[0]) or rewritten(module, call.args[0], change)
    if isinstance(target, ast.Subscript):
        index, target = f"[{rewritten(module, target.slice)}]".replace("[(", "[").replace(")]", "]"), target.value
        value = f"{ours(module)}.tensor_scatter_nd_update({rewritten(module, target)}, [{index}], [{value}])"
    elif call.func.attr in CHANGES:
        change_of = CHANGES[call.func.attr]
        value = change_of.format(x=rewritten(module, target), y=in_parentheses(value) if "-" in change_of else value)
    else:
        return []
    variable, new = rewritten(module, target), f"new_{last_name(target)}"
    new = rewritten(module, statement.targets[0]) if kept else new
    text = f"{new} = {value}"
    if len(text) > LONG or not new.isidentifier():
        return []
    reads = [] if kept else reads_after(module, statement, target, opening)
    edits = [Edit(file, span_of(one), new) for one in reads]
    text += "" if kept else f"; {variable}.assign({new})"
    statements = dict.fromkeys(module.statement(one) for one in reads)
    anew = [rewritten(module, one, lambda part: new if part in reads else None) for one in statements]
    return [Line(text, (Edit(file, span_of(statement), text), *edits), tuple(anew))]


def reads_after(module, statement, target, opening) -> list:
    """Where the same Variable stands after a statement and is not assigned: in the tape's block, or in the function."""
    same, end = ast.dump(target), span_of(statement)[2:]
    block = statement_at(opening)[1] if opening is not None else None
    inside: Any = block if block in module.around(statement) else module.scope(statement)
    found = [one for one in ast.walk(inside) if isinstance(one, ast.expr) and ast.dump(one) == same]
    reads = [one for one in found if "assign" not in getattr(module.parent[one], "attr", "")]
    return sorted([one for one in reads if span_of(one)[:2] >= end], key=span_of)


def assigned_value(place) -> str:
    """The source of the value that was written into a Variable there; "" if it is not known."""
    module, statement, _ = statement_at(place)
    call = written_by(statement)
    return rewritten(module, call.args[-1]) if call is not None and call.args else ""


def written_by(statement) -> "ast.Call | None":
    """The call of `assign` and the like that a statement is."""
    call = getattr(statement, "value", None) if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    return call if call.func.attr.startswith(("assign", "scatter_")) else None


def in_parentheses(text) -> str:
    """An expression as a part of another one."""
    atoms = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.ListComp)
    return text if isinstance(ast.parse(text, mode="eval").body, atoms) else f"({text})"


def ours(module) -> str:
    """What the user calls this package: mg, or tf."""
    found = [one for node in ast.walk(module.tree) if isinstance(node, ast.Import) for one in node.names]
    return ["mg", *[one.asname or one.name for one in found if one.name == "minigrad"]][-1]


def imported(module) -> set:
    """The names of what was imported out of modules."""
    found = [one for node in ast.walk(module.tree) if isinstance(node, ast.ImportFrom) for one in node.names]
    return {one.asname or one.name for one in found}


def root_of(function) -> str:
    """`np.linalg.norm` -> np."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return getattr(function, "id", "")


def inside_where(place):
    """The call of `where` that an expression is a branch of, with its condition; None if there is none."""
    module, node = node_at(place)
    for inner, outer in itertools.pairwise(module.around(node) if node is not None else ()):
        where = isinstance(outer, ast.Call) and last_name(outer.func) == "where" and len(outer.args) == 3
        if where and inner in outer.args[1:]:
            return outer
    return None


# ---- a safe input for a branch of `where` ----------------------------------------------------------------------------

SAFE = 1.0, 0.0, 0.5, -1.0  # inputs at which most ops are finite


def safe_lines(place) -> "list[Line]":
    """The statement with a safe input for a branch that `where` discards, by one more `where`."""
    module, statement, node = statement_at(place)
    where = inside_where(place)
    if where is None or not isinstance(statement, SIMPLE) or not isinstance(where.args[0], ast.Compare):
        return []
    parts = [one for one in ast.walk(node) if isinstance(one, ast.expr) and not isinstance(one, ast.Constant)]
    inside, sides = {ast.dump(one) for one in parts}, (where.args[0].left, *where.args[0].comparators)
    side = next((one for one in sides if ast.dump(one) in inside), None)
    if side is None:
        return []
    call, condition, value = (rewritten(module, one) for one in (where.func, where.args[0], side))
    same = {one for one in parts if ast.dump(one) == ast.dump(side)}
    lines = []
    for safe in SAFE:
        taken = f"{value}, {safe}" if where.args[1] in module.around(node) else f"{safe}, {value}"
        guard = f"{call}({condition}, {taken})"
        change = dict.fromkeys(same, guard).get
        lines.append(line_of(place.code.co_filename, module, statement, change))
    return [line for line in lines if line]
