"""What the user's source says: which expression an event happened in, as a tree and as text.

Each event knows its instruction, and Python knows for each instruction which piece of the source it belongs to. So it
can be told whether `float(x)` stands inside `float(x) * y`, or only beside it.
"""

import ast
import contextlib
import importlib.util
import io
import itertools
import linecache
import tokenize
import types
from functools import lru_cache
from typing import Any

from ..errors import visible

LONG = 120  # characters of a statement that are shown
COMPREHENSION = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
COMPREHENSION_CODE = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


class Module:
    """The source of a file or cell as a tree: every expression by its place, and around each what it is part of."""

    def __init__(self, tree, lines):
        self.tree, self.lines, self.parent, self.at, self.shared = tree, lines, {}, {}, set()
        self.source = "".join(lines).encode()
        self.starts = [0, *itertools.accumulate(len(line.encode()) for line in lines)]
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.parent[child] = node
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                self.shared |= {(self.scope(node), name) for name in node.names}
            if hasattr(node, "lineno"):
                self.at[span_of(node)] = node  # of two with one span the inner one, which is the expression

    def around(self, node):
        """The node and all that it is part of, from the inside out."""
        while node is not None:
            yield node
            node = self.parent.get(node)

    def statement(self, node):
        return next((one for one in self.around(node) if isinstance(one, (ast.stmt, ast.ExceptHandler))), None)

    def scope(self, node):
        """The function that it is in, or the module."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return next((one for one in itertools.islice(self.around(node), 1, None) if isinstance(one, kinds)), self.tree)

    def home(self, name):
        """Where a name that is used lives: in the function, or further out if it is global or nonlocal there."""
        for one in self.around(name):
            if isinstance(one, COMPREHENSION) and any(name.id in names_in(part.target) for part in one.generators):
                return one
        scope = self.scope(name)
        while (scope, name.id) in self.shared:
            scope = self.scope(scope)
        return scope

    def owner(self, node):
        """The class that it is in, or the module."""
        return next((one for one in self.around(node) if isinstance(one, ast.ClassDef)), self.tree)


def names_in(target) -> set:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def span_of(node):
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def module_of(file) -> "Module | None":
    return parsed(tuple(linecache.getlines(file)))


@lru_cache(maxsize=128)
def parsed(lines) -> "Module | None":
    """None if Python cannot read it (a cell with magics)."""
    lines = io.StringIO("".join(lines), newline=None).readlines()  # as Python counts them, and not at U+2028
    try:
        return Module(ast.parse("".join(lines)), lines) if lines else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def position(code, instruction):
    """The span of the source that an instruction belongs to; in Python 3.10, which knows lines alone, IPython helps."""
    if hasattr(code, "co_positions"):
        known, k = positions(code), instruction // 2
        return known[k] if k < len(known) else (code.co_firstlineno, None, None, None)
    line = next((n for start, end, n in code.co_lines() if start <= instruction < end), code.co_firstlineno)
    if importlib.util.find_spec("executing"):
        import executing

        frame: Any = types.SimpleNamespace(f_code=code, f_lasti=instruction, f_lineno=line, f_globals={})
        node = executing.Source.executing(frame).node
        if node is not None:
            return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
    return line, None, None, None


@lru_cache(maxsize=128)
def positions(code) -> list:
    return list(code.co_positions())


def node_at(place) -> "tuple[Any, Any]":
    """The module and the expression of an event: the very one, or the statement on its line; None, None if unknown."""
    module = module_of(place.code.co_filename)
    if module is None:
        return None, None
    line, end, column, end_column = position(place.code, place.instruction)
    exact = module.at.get((line, column, end, end_column))
    if exact is None and end_column is not None:  # a chain of methods over several lines
        ends = [n for span, n in module.at.items() if span[2:] == (end, end_column) and isinstance(n, ast.Call)]
        exact = ends[0] if ends else None
    if exact is None:
        here = [n for n in module.parent if isinstance(n, ast.stmt) and n.lineno <= line <= n.end_lineno]
        exact = max(here, key=lambda n: n.lineno, default=None)
    return (module, unpacked(module, exact)) if exact is not None else (None, None)


def statement_at(place) -> "tuple[Any, Any, Any]":
    """The module, the statement and the expression of an event; None for what is not known."""
    module, node = node_at(place)
    return module, module.statement(node) if node is not None else None, node


def unpacked(module, node):
    """Of `a, b = map(float, pair)`, where Python says that `float` runs at the targets or the line: the right side."""
    statement = node if isinstance(node, ast.Assign) else module.parent.get(node)
    unpacks = isinstance(statement, ast.Assign) and any(isinstance(x, (ast.Tuple, ast.List)) for x in statement.targets)
    return statement.value if unpacks and node in (statement, *statement.targets) else node


def statement_text(place) -> str:
    """The statement as the user wrote it, on one line; of a compound one the head. Empty if it cannot be read."""
    module, node = node_at(place)
    if node is None:
        return visible(linecache.getline(place.code.co_filename, position(place.code, place.instruction)[0]).strip())
    text = rewritten(module, module.statement(node))
    return text if len(text) <= LONG else visible(module.lines[node.lineno - 1].strip())  # of a long one only the line


NO_PART = (ast.stmt, ast.ExceptHandler, ast.match_case, ast.JoinedStr)  # bodies, and what Python misplaces


def rewritten(module, node, change=lambda part: None) -> str:
    """The source of a node on one line; of a compound statement the head.

    Args:
        module, node: what to write.
        change: gives another text for a part of it, or None for a part that stays.
    """
    start, text, end = module.starts[node.lineno - 1] + node.col_offset, "", end_of(module, node)
    todo, changes = [node], []
    while todo:
        for part in ast.iter_child_nodes(todo.pop()):
            if isinstance(part, NO_PART):
                continue
            new = change(part) if hasattr(part, "lineno") else None
            todo += [part] if new is None else []
            changes += [(span_of(part), new)] if new is not None else []
    for (line, column, last, last_column), new in sorted(changes):
        text += module.source[start : module.starts[line - 1] + column].decode() + new
        start = module.starts[last - 1] + last_column
    return one_line(text + module.source[start:end].decode())


def end_of(module, node) -> int:
    """Where in the source a node ends; of a compound statement its head."""
    if isinstance(node, ast.Match):
        return module.source.index(b":", end_of(module, node.subject)) + 1
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body:
        return module.starts[node.end_lineno - 1] + node.end_col_offset
    return module.starts[body[0].lineno - 1] + (body[0].col_offset if body[0].lineno == node.lineno else 0)


def one_line(text) -> str:
    """A piece of the source on one line, without comments."""
    lines = text.splitlines()
    with contextlib.suppress(tokenize.TokenError, SyntaxError):  # the head of a statement is not all of it
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
    return visible(" ".join(" ".join(line.rstrip().removesuffix("\\") for line in lines).split()), None)


def sets(statement) -> set:
    """The names that a statement assigns."""
    nodes = ast.walk(statement) if statement else ()
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def rebinds(place) -> bool:
    """Is it an assignment that computes a name or an attribute anew from itself, as `model.w = model.w + 1`?"""
    statement = statement_at(place)[1]
    if isinstance(statement, ast.AugAssign) or statement is None:
        return True
    used = {ast.unparse(one) for one in ast.walk(statement) if isinstance(getattr(one, "ctx", None), ast.Load)}
    return bool((sets(statement) | {ast.unparse(one) for one in getattr(statement, "targets", ())}) & used)


def assigned_name(place) -> "str | None":
    """The one name for the value of the statement's outermost expression; in a loop over a Tensor, for its parts."""
    module, statement, node = statement_at(place)
    loop = node.generators[0] if isinstance(node, (ast.ListComp, ast.GeneratorExp)) else node
    above = module.parent.get(node) if node is not None else None
    if isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:  # newer versions of Python point at it
        loop = above
    if isinstance(loop, (ast.For, ast.comprehension)) and isinstance(loop.target, ast.Name):
        return loop.target.id
    if isinstance(statement, ast.Assign) and statement.value is node and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def called_text(place) -> str:
    """What was called there: "np.mean", "float", "x.numpy"; empty if it was no call."""
    _, node = node_at(place)
    return visible(ast.unparse(node.func)) if isinstance(node, ast.Call) else ""


OPERATORS = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.FloorDiv: "floordiv", ast.Mod: "floormod",
}  # fmt: skip


def operator_name(place) -> str:
    """The op that an operator stands for; empty if there is none."""
    _, node = node_at(place)
    return OPERATORS.get(type(node.op), "") if isinstance(node, (ast.BinOp, ast.AugAssign)) else ""


def expression_text(place) -> str:
    _, node = node_at(place)
    return visible(ast.unparse(node)) if isinstance(node, ast.expr) else ""


def last_name(function) -> str:
    """`numpy.random.choice` -> choice."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def decides(exit) -> bool:
    """Did a value leave for a decision: the condition of an `if` or a loop?"""
    if exit.exit in ("bool()", "int()"):
        return True
    module, node = node_at(exit.place)
    if node is None:
        return False
    around = list(module.around(node))
    return any(inner is getattr(outer, "test", None) for inner, outer in itertools.pairwise(around))
