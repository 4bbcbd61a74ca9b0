"""Lines that may fix a gradient: the user's statement, with ops in place of NumPy and Python functions.

These lines are guesses, which trial puts to the test. If none is right, the general words of the cause are used.
"""

import ast
import contextlib
import itertools
import re
import sys
import types
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..tracing.source import LONG, last_name, names_in, node_at, rewritten, span_of, statement_at

RENAMED = {  # functions with a different name here than in NumPy
    "array": "stack", "concatenate": "concat", "clip": "clip_by_value", "power": "pow", "fabs": "abs",
    "absolute": "abs", "amax": "max", "amin": "min", "var": "variance", "dot": "tensordot",
}  # fmt: skip
PLACES = "reduce_{}", "{}", "math.reduce_{}", "math.{}", "linalg.{}"  # where a function may be found here
SAME = {"numpy", "item", "tolist", "copy", "astype", "float", "complex", "float32", "float64", "asarray", "array"}
MADE = {"constant", "Variable", "convert_to_tensor"}
LIBRARY = types.ModuleType, types.BuiltinFunctionType, np.ufunc, type(np.mean)  # not user code, by its first name
SIMPLE = ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert
LOOSE = (ast.Call, ast.keyword, ast.List, ast.Tuple, ast.ListComp, ast.stmt)  # their parts need no parentheses

NEEDLESS = "pass"  # in place of a line that would only assign a name to itself


class Edit(NamedTuple):
    """A change to the source code: the given text replaces a span of a file."""

    file: str
    span: tuple
    text: str


class Line(NamedTuple):
    """A rewritten statement, the edits that produce it, and the later statements that they also change."""

    text: str
    edits: tuple
    later: tuple = ()


def lines_for(place, exits, space) -> "list[Line]":
    """A guess at a fixed version of the statement at this place, if there is one: where these values left, or where a
    Variable was assigned; for the global names `space` of its code."""
    module, statement, node = statement_at(place)
    if not isinstance(statement, SIMPLE) or not isinstance(node, ast.expr):
        return []
    change = Translated(module, {node_at(exit.place)[1]: exit for exit in exits}, space).change
    if written_by(statement) is not None:
        return lines_for_state(place, module, statement, space, change)
    line = line_of(place, module, statement, change)
    return [line] if line and line.text != rewritten(module, statement) else []


def line_of(place, module, statement, change) -> "Line | None":
    """The Line for a statement with some parts changed; None if it is too long for one."""
    text = rewritten(module, statement, change)
    name, _, value = text.partition(" = ")
    text = NEEDLESS if name == value else text
    edit = Edit(place.code.co_filename, span_of(statement), text)
    return Line(text, (edit,)) if len(text) <= LONG else None


class Translated:
    """Rewrites the calls around values that left: drops `float` and the like, and replaces NumPy functions by ops.

    Args:
        module, left: the module with the calls; the expressions whose values left -> their events.
        space: the global names of the module's code.
    """

    def __init__(self, module, left, space):
        self.module, self.space, self.mg, self.given_away = module, space, ours(space), set()
        self.around = {one for expr in left for one in module.around(expr)}
        self.variables = {one for one, exit in left.items() if exit.versions}

    def change(self, part) -> "str | None":
        """The new text for a part; None if only its own parts change."""
        if part not in self.around or not isinstance(part, ast.Call):
            return None
        new, method = self.op(part), isinstance(part.func, ast.Attribute)
        if new is None and method and root_of(part.func) != self.mg:
            self.given_away.update(part.args)  # an object may keep it: it needs a Variable's value
        return new if new is None or isinstance(self.module.parent[part], LOOSE) else in_parentheses(new)

    def own(self, node) -> str:
        new = self.change(node)
        return rewritten(self.module, node, self.change) if new is None else new

    def op(self, part):
        """The op to put in place of a call, as text; None if there is none."""
        name, root, mg = last_name(part.func), root_of(part.func), self.mg
        ours, method = root == mg, isinstance(part.func, ast.Attribute)
        of_value = method and (part.func.value in self.around or not part.args)
        foreign = of_value or isinstance(self.space.get(root), LIBRARY)
        given = [part.func.value, *part.args] if of_value else part.args
        same = name in (MADE if ours else SAME)
        if not given or not (same or (foreign and not ours and instead_of(name))):
            return None
        listed = isinstance(given[0], (ast.List, ast.Tuple, ast.ListComp))
        if same and not listed:
            kept = part in self.variables & self.given_away
            return f"{mg}.identity({self.own(given[0])})" if kept else self.own(given[0])
        texts = [*map(self.own, given[:1] if same else given)]
        texts += ["1"] if name == "dot" else []
        texts += [] if same else [f"{word.arg}={self.own(word.value)}" for word in part.keywords]
        return f"{mg}.{'stack' if same else instead_of(name)}({', '.join(texts)})"


@cache
def instead_of(name) -> str:
    """The op that replaces a NumPy function, judged by its name; "" if there is none."""
    for place in PLACES:
        path = place.format(RENAMED.get(name, re.sub("^arc", "a", name)))
        with contextlib.suppress(AttributeError):
            attrgetter(path)(sys.modules[__name__.partition(".")[0]])
            return path
    return ""


# ---- a Variable that was assigned ------------------------------------------------------------------------------------

CHANGES = {"assign": "{y}", "assign_add": "{x} + {y}", "assign_sub": "{x} - {y}"}


def lines_for_state(place, module, statement, space, change) -> "list[Line]":
    """The statement that assigns a Variable, rewritten to make a new Tensor that later reads use instead."""
    call: Any = written_by(statement)
    if call is None or len(call.args) != 1 or call.func.attr not in CHANGES:
        return []
    target, file, kept = call.func.value, place.code.co_filename, isinstance(statement, ast.Assign)
    variable, form = rewritten(module, target), CHANGES[call.func.attr]
    value = change(call.args[0]) or rewritten(module, call.args[0], change)
    new, taken = f"new_{last_name(target)}", names_in(module.scope(statement), ast.expr_context) | {*space}
    while new in taken:
        new = f"new_{new}"
    new = rewritten(module, statement.targets[0]) if kept else new
    text = f"{new} = {form.format(x=variable, y=in_parentheses(value) if '-' in form else value)}"
    if not new.isidentifier() or len(text) > LONG:
        return []
    reads = [] if kept else reads_after(module, statement, target)
    edits = [Edit(file, span_of(one), new) for one in reads]
    text += "" if kept else f"; {variable}.assign({new})"
    statements = dict.fromkeys(module.statement(one) for one in reads)
    anew = [rewritten(module, one, lambda part: new if part in reads else None) for one in statements]
    return [Line(text, (Edit(file, span_of(statement), text), *edits), tuple(anew))]


def reads_after(module, statement, target) -> list:
    """The reads of a Variable, without assignments, wherever the statement ran before: below it in its own block, but
    not in a function, which may run later."""
    body = module.body_of(statement)
    later = [one for below in body[body.index(statement) + 1 :] for one in ast.walk(below)]
    found = [one for one in later if isinstance(one, ast.expr) and ast.dump(one) == ast.dump(target)]
    found = [one for one in found if module.scope(one) is module.scope(statement)]
    return sorted([one for one in found if "assign" not in getattr(module.parent[one], "attr", "")], key=span_of)


def assigned_value(place) -> str:
    """The source code of the value that was assigned to a Variable there; "" if unknown."""
    module, statement, node = statement_at(place)
    call = written_by(node) or written_by(statement)
    return rewritten(module, call.args[-1]) if call is not None and call.args else ""


def written_by(node) -> "ast.Call | None":
    """The call of `assign` or a similar method if an expression or a statement is one; otherwise None."""
    call = node.value if isinstance(node, (ast.Expr, ast.Assign)) else node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    return call if call.func.attr.startswith(("assign", "scatter_")) else None


def in_parentheses(text) -> str:
    """The text of an expression, with parentheses if it needs them inside another expression."""
    atoms = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.ListComp)
    return text if isinstance(ast.parse(text, mode="eval").body, atoms) else f"({text})"


def ours(space) -> str:
    """The user's name for this package, or else for TensorFlow, such as mg or tf."""
    names = {one.__name__: name for name, one in space.items() if isinstance(one, types.ModuleType)}
    return names.get(__name__.partition(".")[0]) or names.get("tensorflow", "mg")


def root_of(function) -> str:
    """The first name of a dotted function: `np` for `np.linalg.norm`."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return getattr(function, "id", "")


# ---- a safe input for a branch of `where` ----------------------------------------------------------------------------

SAFE = 1.0, 0.0, 0.5, -1.0  # inputs at which most ops are finite


def safe_lines(place) -> "list[Line]":
    """The statement with one more `where`, which gives a safe input to a branch that `where` discards."""
    module, statement, node = statement_at(place)
    pairs = itertools.pairwise(module.around(node) if isinstance(statement, SIMPLE) else ())
    calls = [(inner, one) for inner, one in pairs if isinstance(one, ast.Call) and last_name(one.func) == "where"]
    inner, where = calls[0] if calls else (None, None)
    if where is None or inner not in where.args[1:] or not isinstance(where.args[0], ast.Compare):
        return []
    sides = [ast.dump(one) for one in (where.args[0].left, *where.args[0].comparators)]
    parts = [one for one in ast.walk(node) if isinstance(one, ast.expr) and not isinstance(one, ast.Constant)]
    same = next(filter(None, ([one for one in parts if ast.dump(one) == side] for side in sides)), None)
    if same is None:
        return []
    call, condition, value = (rewritten(module, one) for one in (where.func, where.args[0], same[0]))
    form = f"{value}, {{}}" if inner is where.args[1] else f"{{}}, {value}"
    guards = [f"{call}({condition}, {form.format(safe)})" for safe in SAFE]
    return [*filter(None, (line_of(place, module, statement, dict.fromkeys(same, one).get) for one in guards))]
