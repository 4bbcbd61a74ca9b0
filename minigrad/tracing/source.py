"""Finds out which expression of the user's source an event happened in, as a tree and as text.

Each event knows its instruction, and Python knows which piece of the source each instruction belongs to. So one can
tell whether `float(x)` is inside `float(x) * y`, or only beside it.
"""

import ast
import contextlib
import importlib.util
import io
import itertools
import linecache
import re
import tokenize
import types
from functools import lru_cache
from typing import Any

from ..errors import visible

LONG = 120  # characters of a statement that are shown
MOST_FILES = 128  # parsed ones that are remembered


class SourceTree:
    """The source of a file or cell as a tree: each expression by its position, and the nodes that contain it."""

    def __init__(self, tree, lines):
        self.tree, self.lines, self.parent, self.at = tree, lines, {}, {}
        self.source = "".join(lines).encode()
        self.starts = [0, *itertools.accumulate(len(line.encode()) for line in lines)]
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.parent[child] = node
            if hasattr(node, "lineno"):
                self.at[span_of(node)] = node  # of two nodes with the same span, the inner one: the expression

    def around(self, node):
        """The node and all nodes that contain it, from the inside out."""
        while node is not None:
            yield node
            node = self.parent.get(node)

    def statement(self, node):
        return next((one for one in self.around(node) if isinstance(one, (ast.stmt, ast.ExceptHandler))), None)

    def body_of(self, statement) -> list:
        """The list of statements that it is in."""
        lists = [one for one in vars(self.parent[statement]).values() if isinstance(one, list)]
        return next(one for one in lists if statement in one)

    def scope(self, node):
        """The function that contains it, or the module."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return next((one for one in itertools.islice(self.around(node), 1, None) if isinstance(one, kinds)), self.tree)


def span_of(node):
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


modules: dict = {}  # a file -> its lines, and what they were parsed to


def module_of(file) -> "SourceTree | None":
    lines, known = linecache.getlines(file), modules.get(file, (None, None))
    if known[0] is not lines:  # to compare them all would take longer
        if len(modules) >= MOST_FILES:
            modules.clear()
        known = modules[file] = lines, parsed(tuple(lines))
    return known[1]


@lru_cache(MOST_FILES)
def parsed(lines) -> "SourceTree | None":
    """Parse the source; None if Python cannot read it (a cell with magics)."""
    lines = io.StringIO("".join(lines), newline=None).readlines()  # split as Python does, not at U+2028
    try:
        return SourceTree(ast.parse("".join(lines)), lines) if lines else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def position(code, instruction):
    """The span of the source of an instruction. Python 3.10 knows only lines; there, IPython helps."""
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
    """The module and the expression of an event: the exact one, or the statement on its line; None, None if unknown."""
    module = module_of(place.code.co_filename)
    if module is None:
        return None, None
    line, end, column, end_column = position(place.code, place.instruction)
    exact = module.at.get((line, column, end, end_column))
    if exact is None and end_column is not None:  # a chain of methods over several lines
        ends = [n for span, n in module.at.items() if span[2:] == (end, end_column) and isinstance(n, ast.Call)]
        exact = ends[0] if ends else None
    if exact is None:
        statements = [n for n in module.parent if isinstance(n, ast.stmt)] if line is not None else []
        here = [n for n in statements if n.lineno <= line <= n.end_lineno]
        exact = max(here, key=lambda n: n.lineno, default=None)
    return (module, unpacked(module, exact)) if exact is not None else (None, None)


def statement_at(place) -> "tuple[Any, Any, Any]":
    """The module, the statement and the expression of an event; None for each that is unknown."""
    module, node = node_at(place)
    return module, module.statement(node) if node is not None else None, node


def unpacked(module, node):
    """For `a, b = map(float, pair)`, where Python places `float` at the targets or the line: the right-hand side."""
    statement = node if isinstance(node, ast.Assign) else module.parent.get(node)
    unpacks = isinstance(statement, ast.Assign) and any(isinstance(x, (ast.Tuple, ast.List)) for x in statement.targets)
    return statement.value if unpacks and node in (statement, *statement.targets) else node


def statement_text(place) -> str:
    """The user's statement, on one line; for a compound statement, its head. Empty if it cannot be read."""
    module, node = node_at(place)
    if node is None:
        return visible(linecache.getline(place.code.co_filename, position(place.code, place.instruction)[0]).strip())
    text = rewritten(module, module.statement(node))
    return text if len(text) <= LONG else visible(module.lines[node.lineno - 1].strip())  # only the line, if it is long


NO_PART = (ast.stmt, ast.ExceptHandler, ast.match_case, ast.JoinedStr)  # bodies, and nodes with a wrong position


def rewritten(module, node, change=lambda part: None) -> str:
    """The source of a node on one line; for a compound statement, its head.

    Args:
        module, node: the node to write, and its module.
        change: returns a new text for a part of it, or None to keep the part.
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
    """The end of a node in the source; for a compound statement, the end of its head."""
    if isinstance(node, ast.Match):
        return module.source.index(b":", end_of(module, node.subject)) + 1
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body:
        return module.starts[node.end_lineno - 1] + node.end_col_offset
    return module.starts[body[0].lineno - 1] + (body[0].col_offset if body[0].lineno == node.lineno else 0)


QUOTED_OR_BLANK = re.compile(
    r"""(?P<quote>(["'])\2\2)(?s:\\.|.)*?(?P=quote)|(?P<short>["'])(?:\\.|(?!(?P=short))[^\\\n])*(?P=short)|(?:\\\n|\s)+"""
)


def one_line(text) -> str:
    """A piece of the source on one line, without comments; blanks in quotes are left alone, and a new line is \\n."""
    lines = text.splitlines()
    with contextlib.suppress(tokenize.TokenError, SyntaxError):  # the head of a statement is incomplete
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
    parts = QUOTED_OR_BLANK.sub(lambda found: found[0] if found[0][0] in "\"'" else " ", "\n".join(lines))
    return visible(parts.strip(), None)


def names_in(statement, context=ast.Store) -> set:
    """The names that a statement assigns or, with the context ast.Load, reads."""
    nodes = ast.walk(statement) if statement else ()
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


def rebinds(place) -> bool:
    """Whether it is an assignment of a name or an attribute computed from itself, such as `model.w = model.w + 1`."""
    statement = statement_at(place)[1]
    if isinstance(statement, ast.AugAssign) or statement is None:
        return True
    if hasattr(statement, "body"):  # what the lines below its head assign is not what the head computes
        return False
    used = {ast.unparse(one) for one in ast.walk(statement) if isinstance(getattr(one, "ctx", None), ast.Load)}
    return bool((names_in(statement) | {ast.unparse(one) for one in getattr(statement, "targets", ())}) & used)


def assigned_name(place, items=True) -> "str | None":
    """The only name that gets the value of the outermost expression; with `items`, in a loop that of the items."""
    module, statement, node = statement_at(place)
    loop = node.generators[0] if isinstance(node, (ast.ListComp, ast.GeneratorExp)) else node
    above = module.parent.get(node) if node is not None else None
    if isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:  # newer Pythons point at it
        loop = above
    if isinstance(loop, (ast.For, ast.comprehension)) and isinstance(loop.target, ast.Name):
        return loop.target.id if items else None
    if isinstance(statement, ast.Assign) and statement.value is node and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def entered_as(place) -> "str | None":
    """The name that a `with` statement at this place gives to the one thing that it enters."""
    names = [item.optional_vars for item in getattr(statement_at(place)[1], "items", ())]
    return names[0].id if len(names) == 1 and isinstance(names[0], ast.Name) else None


def called_text(place) -> str:
    """The function called there: "np.mean", "float", "x.numpy"; empty if it was not a call."""
    _, node = node_at(place)
    return visible(ast.unparse(node.func)) if isinstance(node, ast.Call) else ""


OPERATORS = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.FloorDiv: "floordiv", ast.Mod: "floormod",
}  # fmt: skip


def operator_name(place) -> str:
    """The op of an operator; empty if there is none."""
    _, node = node_at(place)
    return OPERATORS.get(type(node.op), "") if isinstance(node, (ast.BinOp, ast.AugAssign)) else ""


def expression_text(place) -> str:
    _, node = node_at(place)
    return ast.unparse(node) if isinstance(node, ast.expr) else ""


def last_name(function) -> str:
    """`numpy.random.choice` -> choice."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def decides(exit) -> bool:
    """Whether a value left for a decision: for a truth test, or within the head of an `if` or a loop."""
    return is_tested(exit) or within(exit, "iter")


def is_tested(exit) -> bool:
    """Whether a value left for a truth test, or within the head of an `if` or a `while`."""
    return (exit.exit == "bool()" and called_text(exit.place) != "bool") or within(exit, "test")


def within(exit, field) -> bool:
    """Whether a value left within this field of a statement or expression around it, and got no name there (`:=`)."""
    module, node = node_at(exit.place)
    around = module.around(node) if node is not None else ()
    nameless = itertools.takewhile(lambda one: not isinstance(one, ast.NamedExpr), around)
    return any(inner is getattr(outer, field, None) for inner, outer in itertools.pairwise(nameless))
