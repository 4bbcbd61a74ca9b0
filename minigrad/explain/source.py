"""What the user's source says: which expression an event happened in, and where the plain numbers in it can come from.

Each event knows its instruction, and Python knows for each instruction which piece of the source it belongs to. So it can
be told whether `float(x)` stands inside `float(x) * y`, or only beside it.
"""

import ast
import copy
import importlib.util
import itertools
import linecache
import types
from functools import lru_cache
from typing import Any

# Functions whose value follows their arguments; and those that make steps of them, or something else
PURE = {"float", "list", "tuple", "sum", "max", "min", "abs", "pow", "zip", "sorted", "map", "dict", "enumerate", "reversed", "complex"}
STEPS = {
    "int",
    "bool",
    "round",
    "len",
    "range",
    "argmax",
    "argmin",
    "argsort",
    "floor",
    "ceil",
    "rint",
    "sign",
    "choice",
    "nonzero",
    "trunc",
}
# Functions and attributes that do not look at the numbers
BLIND = {
    "size",
    "shape",
    "ndim",
    "dtype",
    "len",
    "isfinite",
    "isnan",
    "isinf",
    "ones_like",
    "zeros_like",
    "empty_like",
    "isinstance",
    "type",
    "id",
}
# Methods of arrays, whose value follows the array
METHODS = {
    "mean",
    "sum",
    "std",
    "var",
    "min",
    "max",
    "prod",
    "dot",
    "cumsum",
    "cumprod",
    "copy",
    "astype",
    "reshape",
    "flatten",
    "ravel",
    "squeeze",
    "transpose",
    "item",
    "tolist",
    "clip",
    "trace",
    "diagonal",
    "repeat",
    "take",
    "ptp",
}
GROWING = {"append", "extend", "insert", "add", "update", "appendleft", "setdefault", "fill", "put"}
LIBRARIES = {"np", "numpy", "math", "scipy"}

LONG = 120  # characters of a statement that are shown
COMPREHENSION = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Module:
    """The source of a file or cell as a tree: every expression by its place, and around each what it is part of."""

    def __init__(self, tree):
        self.tree, self.parent, self.at, self.shared = tree, {}, {}, set()
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
        """Where a name that is used lives: in the function, or further out if it is declared global or nonlocal there."""
        scope = self.scope(name)
        while (scope, name.id) in self.shared:
            scope = self.scope(scope)
        return scope

    def owner(self, node):
        """The class that it is in, or the module."""
        return next((one for one in self.around(node) if isinstance(one, ast.ClassDef)), self.tree)


def span_of(node):
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def module_of(file) -> "Module | None":
    return parsed(tuple(linecache.getlines(file)))


@lru_cache(maxsize=128)
def parsed(lines) -> "Module | None":
    """None if Python cannot read it (a cell with magics)."""
    try:
        return Module(ast.parse("".join(lines))) if lines else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def position(code, instruction):
    """The span of the source that an instruction belongs to. Python 3.10 knows the line alone; the rest finds `executing`, IPython's."""
    if hasattr(code, "co_positions"):
        return known_position(code, instruction)
    line = next((n for start, end, n in code.co_lines() if start <= instruction < end), code.co_firstlineno)
    if importlib.util.find_spec("executing"):
        import executing

        frame: Any = types.SimpleNamespace(f_code=code, f_lasti=instruction, f_lineno=line, f_globals={})
        node = executing.Source.executing(frame).node
        if node is not None:
            return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
    return line, None, None, None


@lru_cache(maxsize=8192)
def known_position(code, instruction):
    return next(itertools.islice(code.co_positions(), instruction // 2, None), (code.co_firstlineno, None, None, None))


def node_at(place) -> "tuple[Any, Any]":
    """The module and the expression in which an event happened: the very one, or else the statement on its line; None, None if unknown."""
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
    return (module, exact) if exact is not None else (None, None)


def statement_text(place) -> str:
    """The statement as the user wrote it, on one line; of a compound one the head. Empty if it cannot be read."""
    module, node = node_at(place)
    lines = linecache.getlines(place.code.co_filename)
    if node is None:
        return linecache.getline(place.code.co_filename, position(place.code, place.instruction)[0]).strip()
    statement = module.statement(node)
    first, last = statement.lineno, statement.end_lineno
    body = getattr(statement, "body", None)
    if isinstance(statement, (ast.With, ast.For, ast.While, ast.If, ast.FunctionDef)) and body:
        inner = (
            lines[first - 1].encode()[: body[0].col_offset].decode()
            if body[0].lineno == first
            else "".join(lines[first - 1 : body[0].lineno - 1])
        )
        return " ".join(inner.split())
    text = " ".join((ast.get_source_segment("".join(lines), statement) or "".join(lines[first - 1 : last])).split())
    return text if len(text) <= LONG else lines[node.lineno - 1].strip()  # of a long statement only the line


def sets(statement) -> set:
    """The names that a statement assigns."""
    return (
        {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} if statement else set()
    )


def rebinds(place) -> bool:
    """Is it an assignment that computes a name anew from itself, as `x = x + 1`?"""
    module, node = node_at(place)
    statement = module.statement(node) if node is not None else None
    if isinstance(statement, ast.AugAssign) or statement is None:
        return True
    used = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    return bool(sets(statement) & used)


def assigned_name(place) -> "str | None":
    """The one name that the statement gives to the value of its outermost expression."""
    module, node = node_at(place)
    statement = module.statement(node) if node is not None else None
    if isinstance(statement, ast.Assign) and statement.value is node and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def called_text(place) -> str:
    """What was called there: "np.mean", "float", "x.numpy"; empty if it was no call."""
    _, node = node_at(place)
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def expression_text(place) -> str:
    _, node = node_at(place)
    return ast.unparse(node) if isinstance(node, ast.expr) else ""


def operands(node, k, names):
    """The expressions that input k of an op can have come from."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        both = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.target, node.value]
        return both if k is None else both[k : k + 1]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call):
        words = {word.arg: word.value for word in node.keywords}
        if k is not None and k < len(names) and names[k] in words:
            return [words[names[k]]]
        return [node.args[k]] if k is not None and names and k < len(node.args) else [*node.args, *words.values()]
    return [node]


def arguments(function, name, call):
    """What a call gives for a parameter of the function, as far as that can be seen."""
    if not isinstance(call, ast.Call):
        return []
    words, named = {word.arg: word.value for word in call.keywords}, function.args
    places = [one.arg for one in [*named.posonlyargs, *named.args]]
    bound = places[:1] == ["self"]
    if named.vararg is not None and name == named.vararg.arg:
        return call.args[len(places) - bound :]
    if named.kwarg is not None and name == named.kwarg.arg:
        return [value for word, value in words.items() if word not in places]
    if name in words:
        return [words[name]]
    place = places.index(name) - bound if name in places else len(call.args)
    return call.args[place : place + 1]


def default(function, name):
    """The default of a parameter; None if it has none."""
    named = function.args
    places = [*named.posonlyargs, *named.args]
    pairs = [*zip(places[len(places) - len(named.defaults) :], named.defaults), *zip(named.kwonlyargs, named.kw_defaults)]
    return next((value for one, value in pairs if one.arg == name), None)


def called_function(module, call):
    """The function of the user's that is called, if its name is defined once: a function of the module, or a method."""
    name = last_name(call.func)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    method = isinstance(call.func, ast.Attribute)
    if method and root_of(call.func).id in LIBRARIES:
        return None
    found = [one for one in functions_named(module, name) if isinstance(module.parent.get(one), ast.ClassDef) == method]
    return found[0] if len(found) == 1 and isinstance(found[0], kinds) else None


def functions_named(module, name):
    return [one for one in module.parent if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name == name]


def elsewhere(module, name, modules):
    """The last definitions of a global name in other cells."""
    for other in modules:
        found = found_in(other, other.tree, name) if other is not module else []
        if found:
            return [value for value, _, _ in found[-1:]]
    return []


def last_name(function) -> str:
    """`numpy.random.choice` -> choice."""
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def is_pure(module, call) -> bool:
    """Does the value of a call follow its arguments smoothly, as far as one can see?"""
    name = last_name(call.func)
    if name in STEPS:
        return False
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(call.func, ast.Name):
        return call.func.id in PURE
    if not isinstance(root, ast.Name) or root.id in LIBRARIES or name in METHODS:
        return True
    made = [value for value in definitions(module, root.id, call) or () if isinstance(value, ast.Call)]
    return any(root_of(value.func).id in LIBRARIES for value in made)  # rng = np.random.default_rng()


# ---- where a name has its value from -------------------------------------------------------------------------------


def definitions(module, name, use):
    """The expressions that a name can have its value from, at the place of its use; None if it is a parameter there.

    Of the assignments before the use, one that surely ran hides those before it.
    """
    scope = module.scope(use)
    if any(one.arg == name for one in parameters_of(scope)):
        inside = found_in(module, scope, name)
        return inside if inside and hides(module, inside, use) else None
    while True:
        inside = found_in(module, scope, name)
        if inside or scope is module.tree:
            return reaching(module, inside, use) if scope is module.scope(use) else [value for value, _, _ in inside]
        scope = module.scope(scope)


def attribute_values(module, node):
    """What `self.x` is assigned anywhere in its class, and `model.x` in its module."""
    return [value for value, _, _ in all_definitions(module).get((module.owner(node), f".{node.attr}"), ())]


def parameters_of(scope):
    arguments = getattr(scope, "args", None)
    if arguments is None:
        return []
    return [one for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg] if one]


def found_in(module, scope, name):
    """(value, statement, does it replace the old value?) for each place in a scope that gives a name something."""
    return all_definitions(module).get((scope, name), [])


@lru_cache(maxsize=128)
def all_definitions(module):
    found = {}

    def put(target, value, statement, replaces):
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                surely = replaces and isinstance(node.ctx, ast.Store)
                found.setdefault((module.home(node), node.id), []).append((value, statement, surely))

    for node in ast.walk(module.tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and len(target.elts) == len(node.value.elts):
                    for one, value in zip(target.elts, node.value.elts):
                        put(one, value, node, isinstance(one, ast.Name))
                    continue
                owner = isinstance(target, (ast.Name, ast.Tuple, ast.List))
                put(target if owner else root_of(target), node.value, node, owner)
                if isinstance(target, ast.Attribute):
                    found.setdefault((module.owner(target), f".{target.attr}"), []).append((node.value, node, True))
                elif isinstance(target, ast.Subscript):  # to put a Tensor into an array is a way out too
                    put(root_of(target), target, node, False)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            put(node.target, node.value, node, True)
        elif isinstance(node, ast.AugAssign):
            put(root_of(node.target), node.value, node, False)
        elif isinstance(node, (ast.For, ast.comprehension)):
            put(node.target, node.iter, node, False)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in GROWING:
            for argument in node.args:
                put(root_of(node.func.value), argument, node, False)
                if isinstance(node.func.value, ast.Attribute):
                    found.setdefault((module.owner(node), f".{node.func.value.attr}"), []).append((argument, node, False))
    return found


def root_of(target):
    """`buffer[0].x` -> buffer."""
    while isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        target = target.value
    return target if isinstance(target, ast.Name) else ast.Name("", ast.Load())


def hides(module, found, use):
    return any(replaces and surely_before(module, statement, use) for _, statement, replaces in found)


def surely_before(module, statement, use):
    """Did it run before the use, whatever happened? It stands above, in a block that is around the use."""
    block = module.parent.get(statement)
    return getattr(statement, "lineno", 0) < use.lineno and any(one is block for one in module.around(use))


def reaching(module, found, use):
    loops = [one for one in module.around(use) if isinstance(one, (ast.For, ast.While))]
    sure = [
        statement.lineno
        for _, statement, replaces in found
        if (replaces and surely_before(module, statement, use)) or (isinstance(statement, ast.For) and statement in loops)
    ]
    since = max(sure, default=0)

    def reaches(statement):
        line = getattr(statement, "lineno", None) or getattr(getattr(statement, "target", None), "lineno", 0)
        same_loop = any(loop in list(module.around(statement)) for loop in loops)
        return since <= line <= use.lineno or (line > use.lineno and same_loop)

    return [value for value, statement, _ in found if reaches(statement)]


def function_at(module, place):
    """The function, lambda or comprehension whose code a place is in."""
    kinds, code = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda), place.code
    if code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
        return next((one for one in module.around(node_at(place)[1]) if isinstance(one, COMPREHENSION)), None)
    for node in ast.walk(module.tree):
        if isinstance(node, kinds):
            first = min([node.lineno, *[one.lineno for one in getattr(node, "decorator_list", ())]])
            if first == code.co_firstlineno and (isinstance(node, ast.Lambda) or node.name == code.co_name):
                return node
    return None


def returned(function):
    """What a function returns."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    if isinstance(function, COMPREHENSION):
        return [function.key, function.value] if isinstance(function, ast.DictComp) else [function.elt]
    return [node.value for node in ast.walk(function) if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None]


def decides(exit) -> bool:
    """Did a value leave for a decision: the condition of an `if` or a loop?"""
    if exit.door in ("bool()", "int()"):
        return True
    module, node = node_at(exit.place)
    if node is None:
        return False
    around = list(module.around(node))
    return any(inner is getattr(outer, "test", None) for inner, outer in itertools.pairwise(around))


def inside_where(place):
    """The call of `where` around an expression, with its condition; None if there is none."""
    module, node = node_at(place)
    for one in module.around(node) if node is not None else ():
        if isinstance(one, ast.Call) and last_name(one.func) == "where" and len(one.args) == 3 and one is not node:
            return one
    return None


class Guard(ast.NodeTransformer):
    """Puts `where(condition, x, 1.0)` in the place of x."""

    def __init__(self, name, where):
        self.name, self.where = name, where

    def visit_Name(self, node):
        if node.id != self.name:
            return node
        return ast.Call(self.where.func, [self.where.args[0], node, ast.Constant(1.0)], [])


def safe_where(place) -> "str | None":
    """The statement with a safe input for the expression, by one more `where`; None if that cannot be written down."""
    module, node = node_at(place)
    where = inside_where(place)
    condition = where.args[0]
    if not (isinstance(condition, ast.Compare) and isinstance(condition.left, ast.Name)):
        return None
    statement = module.statement(node)
    if isinstance(statement, (ast.With, ast.For, ast.While, ast.If, ast.FunctionDef)):
        return None
    inner, guarded = ast.unparse(node), ast.unparse(Guard(condition.left.id, where).visit(copy.deepcopy(node)))
    text = ast.unparse(statement)
    return text.replace(inner, guarded) if text.count(inner) == 1 and guarded != inner else None
