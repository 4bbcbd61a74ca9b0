"""What the user's source says: which statement a line belongs to, which names it uses and sets, and how a value that left came back."""

import ast
import linecache
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Statement:
    """One simple statement (or the head of a compound one): its text, the names it uses, those it sets, its literals and calls."""

    text: str
    uses: frozenset
    sets: frozenset
    literals: frozenset
    calls: tuple
    first: int
    last: int


def statement_at(line) -> "Statement | None":
    """The innermost statement that the line is part of."""
    best = None
    for statement in statements_of(line.file, tuple(linecache.getlines(line.file))):
        if statement.first <= line.number <= statement.last and (best is None or statement.first >= best.first):
            best = statement
    return best


@lru_cache(maxsize=64)
def statements_of(file, lines) -> tuple:
    """All statements of a file or cell; none if Python cannot read it (a cell with magics)."""
    text = "".join(lines)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(told(node, lines) for node in ast.walk(tree) if isinstance(node, ast.stmt))


def told(node, lines):
    heads = head_of(node)
    parts = [part for head in heads for part in ast.walk(head)]
    names = [part for part in parts if isinstance(part, ast.Name)]
    last = max([getattr(head, "end_lineno", node.lineno) for head in heads], default=node.lineno)
    return Statement(
        text=" ".join(line.strip() for line in lines[node.lineno - 1 : last]),
        uses=frozenset(name.id for name in names if isinstance(name.ctx, ast.Load)),
        sets=frozenset(name.id for name in names if isinstance(name.ctx, ast.Store)) | appended(parts),
        literals=frozenset(float(part.value) for part in parts if isinstance(part, ast.Constant) and type(part.value) in (int, float)),
        calls=tuple(ast.unparse(part.func) for part in parts if isinstance(part, ast.Call)),
        first=node.lineno,
        last=last,
    )


def head_of(node):
    """The expressions of a statement itself, without the statements inside it."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Try)):
        return []
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.stmt, ast.ExceptHandler))]


def appended(parts):
    """`items.append(v)` sets `items` too, and so does `buffer[0] = v`."""
    owners = [part.func.value for part in parts if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)]
    owners += [part.value for part in parts if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store)]
    return frozenset(owner.id for owner in owners if isinstance(owner, ast.Name) and owner.id not in ("mg", "np", "math", "tf"))


def tainted_names(stack, quiet) -> set:
    """The names that a value which left on these lines can have reached, through statements that run no op.

    Args:
        stack: the lines, innermost first, on which the value left.
        quiet: says of a statement whether it ran no op (what an op computes is a Tensor, and connected).
    """
    names = set()
    for line in stack:
        statement = statement_at(line)
        if statement is not None and quiet(line.file, statement):
            names |= statement.sets
    for line in stack[:1]:
        every = statements_of(line.file, tuple(linecache.getlines(line.file)))
        for _ in range(3):
            for statement in every:
                if statement.uses & names and quiet(line.file, statement):
                    names |= statement.sets
    return names
