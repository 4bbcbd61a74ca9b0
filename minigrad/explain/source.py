"""What the user's source says: which expression an event happened in, and where the plain numbers in it can come from.

Each event knows its instruction, and Python knows for each instruction which piece of the source it belongs to. So it can
be told whether `float(x)` stands inside `float(x) * y`, or only beside it.
"""

import ast
import contextlib
import importlib.util
import io
import itertools
import linecache
import operator
import tokenize
import types
from functools import lru_cache
from typing import Any

# Functions whose value follows their arguments; and those that make steps of them, or something else
PURE = {"float", "list", "tuple", "sum", "max", "min", "abs", "pow", "zip", "sorted", "map", "dict", "enumerate", "reversed", "complex"}
STEPS = {
    "int", "bool", "round", "len", "range", "argmax", "argmin", "argsort", "floor", "ceil", "rint", "sign", "choice", "nonzero",
    "trunc", "argpartition", "digitize", "searchsorted", "binomial", "multinomial", "poisson", "unique",
}  # fmt: skip
# Functions and attributes that do not look at the numbers
BLIND = {
    "size", "shape", "ndim", "dtype", "len", "isfinite", "isnan", "isinf", "ones_like", "zeros_like", "empty_like", "isinstance",
    "type", "id", "full_like", "greater", "less", "equal", "greater_equal", "less_equal", "not_equal", "logical_and", "logical_or",
    "logical_not", "isclose", "allclose", "count_nonzero", "histogram", "bincount",
}  # fmt: skip
# Methods of arrays, whose value follows the array
METHODS = {
    "mean", "sum", "std", "var", "min", "max", "prod", "dot", "cumsum", "cumprod", "copy", "astype", "reshape", "flatten", "ravel",
    "squeeze", "transpose", "item", "tolist", "clip", "trace", "diagonal", "repeat", "take", "ptp"
}  # fmt: skip
# Functions and methods whose items are those of what they are given: at the same places, in another order, one of them
ALIKE = {"array", "asarray", "copy", "deepcopy", "astype", "tolist", "float32", "float64", "dict", "OrderedDict"}
ORDERING = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "deque", "sample"}
TAKING = {"get", "pop", "setdefault"}
# Those that hand numbers on as they are, or some of them
HANDING = {
    *ALIKE, *ORDERING, *TAKING, "zip", "enumerate", "next", "max", "min", "float", "stack", "concatenate", "vstack", "hstack",
    "column_stack", "sort", "unique", "maximum", "minimum", "clip", "where", "item", "reshape", "flatten", "ravel", "squeeze",
    "transpose", "popleft", "keys", "values", "items",
}  # fmt: skip
VIEWS = {"T", "real", "flat"}  # attributes of arrays that are made of the same numbers
MERGING = {"extend", "update"}  # that take the items of something
SHIFTING = {"sort", "reverse", "shuffle", "pop", "popleft", "remove", "insert", "appendleft", "rotate"}  # that move the items of a list
GROWING = {"append", "extend", "insert", "add", "update", "appendleft", "setdefault", "fill", "put"}
REDUCING = {"mean", "sum", "max", "min", "amax", "amin", "prod", "std", "var"}  # those that make one number of many
NUMBERS = {"int", "float", "complex", "bool", "round", "len"}
LIBRARIES = {"np", "numpy", "math", "scipy", "statistics", "functools", "itertools", "operator", "copy"}

LONG = 120  # characters of a statement that are shown
COMPREHENSION = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
COMPREHENSION_CODE = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
HOLDING = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, *COMPREHENSION)


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
        """Where a name that is used lives: in the function, or further out if it is declared global or nonlocal there."""
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
    try:
        return Module(ast.parse("".join(lines)), lines) if lines else None
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
    if node is None:
        return linecache.getline(place.code.co_filename, position(place.code, place.instruction)[0]).strip()
    text = rewritten(module, module.statement(node))
    return text if len(text) <= LONG else module.lines[node.lineno - 1].strip()  # of a long statement only the line


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
            if isinstance(part, (ast.stmt, ast.ExceptHandler, ast.JoinedStr)):  # a body is no part of the head; Python misplaces the other
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
    return " ".join(" ".join(line.rstrip().removesuffix("\\") for line in lines).split())


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
    """The one name that the statement gives to the value of its outermost expression; in a loop over a Tensor that of its parts."""
    module, node = node_at(place)
    statement = module.statement(node) if node is not None else None
    loop = node.generators[0] if isinstance(node, (ast.ListComp, ast.GeneratorExp)) else node
    above = module.parent.get(node) if node is not None else None
    if isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:  # which newer versions of Python point at
        loop = above
    if isinstance(loop, (ast.For, ast.comprehension)) and isinstance(loop.target, ast.Name):
        return loop.target.id
    if isinstance(statement, ast.Assign) and statement.value is node and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def called_text(place) -> str:
    """What was called there: "np.mean", "float", "x.numpy"; empty if it was no call."""
    _, node = node_at(place)
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


OPERATORS = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.FloorDiv: "floordiv", ast.Mod: "floormod",
}  # fmt: skip


def operator_name(place) -> str:
    """The op that an operator stands for; empty if there is none."""
    _, node = node_at(place)
    return OPERATORS.get(type(node.op), "") if isinstance(node, (ast.BinOp, ast.AugAssign)) else ""


def gives_number(exit, came) -> bool:
    """Does the call in which a value left give a number? (Did a number come in later?)"""
    _, node = node_at(exit.place)
    if not isinstance(node, ast.Call):
        return False
    name, axes = last_name(node.func), len(node.args) > 1 or any(word.arg in ("axis", "keepdims") for word in node.keywords)
    if isinstance(node.func, ast.Name) and name in NUMBERS:
        return True
    if name == "dot":
        return came and exit.given is not None and len(exit.given.content.shape) == 1
    return exit.door == "NumPy" and name in {*REDUCING, "size", "norm", "median", "ptp"} and not axes


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
    handed = any(isinstance(one, ast.Starred) for one in call.args[: place + 1])
    return call.args[place : place + 1] if not handed else []


def handed_on(function, name, call):
    """What a call gives for a parameter by `*` or `**`: pairs of an expression, and the key or the index in it."""
    if not isinstance(call, ast.Call):
        return []
    named = function.args
    places = [one.arg for one in [*named.posonlyargs, *named.args]]
    found = [(word.value, name) for word in call.keywords if word.arg is None]
    star = next((k for k, one in enumerate(call.args) if isinstance(one, ast.Starred)), None)
    place = places.index(name) - (places[:1] == ["self"]) if name in places else -1
    if star is not None and place >= star:
        found.append((call.args[star].value, place - star if star == len(call.args) - 1 else None))
    return found


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


@lru_cache(maxsize=1024)
def functions_named(module, name):
    return [one for one in module.parent if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name == name]


def elsewhere(module, name, modules):
    """The last definitions of a global name in other cells."""
    for other in modules:
        found = found_in(other, other.tree, name) if other is not module else []
        if found:
            return [value for value, *_ in found[-1:]]
    return []


def last_name(function) -> str:
    """`numpy.random.choice` -> choice."""
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def makes_integers(call) -> bool:
    """Is it `.astype(int)` or the like?"""
    return last_name(call.func) == "astype" and any("int" in ast.unparse(one) or "bool" in ast.unparse(one) for one in call.args[:1])


def hands_on(call) -> bool:
    """Are the numbers that a call gives some of those that it was given? Not so if it makes them shorter, or a text of them."""
    short = any("16" in ast.unparse(one) or isinstance(one, ast.JoinedStr) for one in [*call.args, *[word.value for word in call.keywords]])
    return last_name(call.func) in HANDING and not short


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
    """The expressions that a name can have its value from, at the place of its use; None if it is a parameter there."""
    found = entries(module, name, use)
    return None if found is None else [value for value, _ in found]


def entries(module, name, use):
    """The same, as pairs: the expression, and the path at which it was put into what the name holds; () if it is all of it.

    Of the assignments before the use, one that surely ran hides those before it.
    """
    scope = module.scope(use)
    for one in module.around(use):
        inside = found_in(module, one, name) if isinstance(one, COMPREHENSION) else ()
        if inside or one is scope:
            break
    if inside:
        return [(value, key) for value, _, _, key in inside]
    if any(one.arg == name for one in parameters_of(scope)):
        inside = found_in(module, scope, name)
        return reaching(module, name, inside, use) if inside and hides(module, inside, use) else None
    while True:
        inside = found_in(module, scope, name)
        if inside or scope is module.tree:
            return reaching(module, name, inside, use) if scope is module.scope(use) else [(value, key) for value, _, _, key in inside]
        scope = module.scope(scope)


def recomputed(module, node) -> bool:
    """Can the numbers that a name or an attribute holds have been computed anew in their place, by `+=` or under another name?"""
    if isinstance(node, ast.Attribute):
        changed = itertools.chain.from_iterable(map(ast.walk, changed_in_place(module)))
        return any(isinstance(one, ast.Attribute) and one.attr == node.attr for one in changed)
    return name_recomputed(module, module.home(node), node.id)


@lru_cache(maxsize=1024)
def name_recomputed(module, scope, name) -> bool:
    """The same of a name, here and in the functions that it is given to."""
    todo = [(scope, name)]
    for where, one in todo:
        others = known_as(module, where, one, mentioned)
        if changed_here(module, where, one, others):
            return True
        for call in calls_in(module).get(where, ()):
            function = called_function(module, call)
            for parameter in parameters_of(function):
                given = any(mentioned(value) & others for value in arguments(function, parameter.arg, call))
                if given and (function, parameter.arg) not in todo:
                    todo.append((function, parameter.arg))
    return False


def changed_here(module, scope, name, others) -> bool:
    """Is a name, or what may be a part of it, changed in its scope? What is assigned to its own items is known, and no such change."""
    parts, given = known_as(module, scope, name, holders), any(one.arg == name for one in parameters_of(scope))
    for target in changed_in_place(module):
        root = root_of(target).id
        known = root == name and not given and not isinstance(module.parent[target], ast.AugAssign)
        if root in (parts if isinstance(target, ast.Name) else others) and not known and scope in (module.tree, *module.around(target)):
            return True
    return False


def known_as(module, scope, name, names_of) -> set:
    """The names of a scope that can hold what a name holds, or some of it; `names_of` tells those of an expression."""
    found, before = {name}, set()
    while found != before:
        before = found
        for (where, to), given in all_definitions(module).items():
            if where is scope and any(names_of(value) & found for value, by, *_ in given if not isinstance(by, ast.AugAssign)):
                found = {*found, to}
    return found


def holders(value) -> set:
    """The name of what a value is a part of: `rows` for `rows[0]` and `rows.values()`."""
    while isinstance(value, (ast.Call, ast.Subscript, ast.Attribute)):
        value = value.func if isinstance(value, ast.Call) else value.value
    return {value.id} if isinstance(value, ast.Name) else set()


def mentioned(value) -> set:
    """The names in an expression, but for those that it only computes with."""
    if isinstance(value, ast.Name):
        return {value.id}
    inside = () if isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare)) else ast.iter_child_nodes(value)
    return set().union(*map(mentioned, inside))


@lru_cache(maxsize=128)
def changed_in_place(module) -> list:
    """What is changed and not only named anew: the targets of `+=`, and the items that are assigned."""

    def changes(node):
        parent = module.parent[node]
        added = isinstance(parent, ast.AugAssign) and parent.target is node
        return added or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))

    return [node for node in module.parent if changes(node)]


@lru_cache(maxsize=128)
def calls_in(module) -> dict:
    """The calls of functions of the user's, by the scope that they are in."""
    found = {}
    for node in module.parent:
        if isinstance(node, ast.Call) and called_function(module, node) is not None:
            found.setdefault(module.scope(node), []).append(node)
    return found


def attribute_values(module, node):
    """What `self.x` is assigned anywhere in its class, and `model.x` in its module."""
    return [value for value, _ in attribute_entries(module, node)]


def attribute_entries(module, node):
    """The same, as pairs with the path at which it was put."""
    return [(value, path) for value, _, _, path in all_definitions(module).get((module.owner(node), attribute_name(node)), ())]


def attribute_name(node) -> str:
    return f"{root_of(node).id}.{node.attr}"


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
    return Definitions(module).found


class Definitions:
    """All that gives something a value in a module: (value, statement, does it replace the old value?, path) by scope and name."""

    def __init__(self, module):
        self.module, self.found = module, {}
        kinds = {
            ast.Assign: self.assigned, ast.AnnAssign: self.annotated, ast.NamedExpr: self.annotated, ast.AugAssign: self.changed,
            ast.For: self.looped, ast.comprehension: self.looped, ast.Call: self.filled,
        }  # fmt: skip
        for node in [*ast.walk(module.tree)]:
            if type(node) in kinds:
                kinds[type(node)](node)

    def put(self, target, value, statement, replaces, path=()):
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                surely = replaces and isinstance(node.ctx, ast.Store)
                self.found.setdefault((self.module.home(node), node.id), []).append((value, statement, surely, path))

    def put_attribute(self, target, value, statement, replaces, path=()):
        place = self.module.owner(target), attribute_name(target)
        self.found.setdefault(place, []).append((value, statement, replaces, path))

    def put_into(self, target, value, statement, more=()):
        """Into what a name holds, or an attribute, at the path that is written and more."""
        holder, path = container_of(target)
        self.put(root_of(target), value, statement, False, (*path, *more) if isinstance(holder, ast.Name) else ())
        if isinstance(holder, ast.Attribute):
            self.put_attribute(holder, value, statement, False, (*path, *more))

    def part(self, value, k, statement):
        """`value[k]`, of which the source has only the value."""
        part = ast.Subscript(value, ast.Constant(k), ast.Load())
        self.module.parent[part] = self.module.parent[part.slice] = statement
        return part

    def assigned(self, node):
        for target in node.targets:
            self.give(target, node.value, node)

    def give(self, target, value, statement):
        if isinstance(target, (ast.Tuple, ast.List)):
            self.give_each(target.elts, value, statement)
        elif isinstance(target, ast.Starred):
            self.put(target, value, statement, False, (EACH,))
        elif isinstance(target, ast.Name):
            self.put(target, value, statement, not isinstance(statement, (ast.For, ast.comprehension)))
        elif isinstance(target, ast.Attribute):
            self.put(root_of(target), value, statement, False)
            self.put_attribute(target, value, statement, True)
        else:
            self.put_into(target, value, statement)
            self.put_into(target, target, statement)  # to put a Tensor into an array is a way out too

    def give_each(self, targets, value, statement):
        """The parts of a value, to several targets."""
        written = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets) else None
        starred = any(isinstance(one, ast.Starred) for one in targets)
        for k, one in enumerate(targets):
            self.give(one, written[k] if written else self.part(value, EACH if starred else k, statement), statement)

    def annotated(self, node):
        if node.value is not None:
            self.put(node.target, node.value, node, True)

    def changed(self, node):
        """A number that is added, or the items of a list."""
        self.put_into(node.target, node.value, node)
        self.put_into(node.target, self.part(node.value, EACH, node), node, (EACH,))

    def looped(self, node):
        """The target of a loop takes the items in turn; those of `zip` and the like are told apart."""
        self.give(node.target, self.each_of(node.iter, node), node)

    def each_of(self, iterated, statement):
        """An item of what is iterated."""
        called, args = last_name(iterated.func) if isinstance(iterated, ast.Call) else "", getattr(iterated, "args", [])
        nothing = ast.Tuple([], ast.Load())  # a count, or a key
        if called == "zip" and not any(isinstance(one, ast.Starred) for one in args):
            both = [self.each_of(one, statement) for one in args]
        elif called == "enumerate" and args:
            both = [nothing, self.each_of(args[0], statement)]
        elif called == "items" and isinstance(iterated.func, ast.Attribute):
            both = [nothing, self.part(iterated.func.value, None, statement)]
        else:
            return self.part(iterated, EACH, statement)
        pair = ast.Tuple(both, ast.Load())
        self.module.parent[pair] = self.module.parent[nothing] = statement
        return pair

    def filled(self, node):
        """Calls that put something into what is there already."""
        function, out = node.func, next((word.value for word in node.keywords if word.arg == "out"), None)
        if last_name(function) == "copyto" and len(node.args) > 1:
            self.put(root_of(node.args[0]), node.args[1], node, False)
        elif out is not None:
            self.put(root_of(out), node, node, False)
        elif isinstance(function, ast.Attribute) and function.attr in GROWING and root_of(function).id not in LIBRARIES:
            for argument in node.args:
                self.put_into(function.value, argument, node, (None,))
                if function.attr in MERGING:
                    self.put_into(function.value, argument, node)
                    self.put_into(function.value, self.part(argument, EACH, node), node, (None,))
            for word in node.keywords:
                self.put_into(function.value, word.value, node, (word.arg,))


# ---- items of what a name holds -------------------------------------------------------------------------------------
# A path is a tuple of keys and indices, the outermost first: ("loss", 0) is of `logs["loss"][0]`. None is a key that is
# not written down, and EACH is any item that a loop takes: of a dict the keys.

EACH = ...


def items(node, path):
    """What stands at a path in lists, tuples and dicts that are written down, as pairs with the rest of the path."""
    if not path:
        return [(node, path)]
    if isinstance(node, ast.Dict):
        found = [one for at, value in zip(node.keys, node.values) for one in entry(at, value, path)]
    elif is_dict_call(node):
        found = [(word.value, path[1:] if word.arg else path) for word in node.keywords if may_be(word.arg, path[0])]
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        known = isinstance(path[0], int) and path[0] < len(node.elts) and not any(isinstance(one, ast.Starred) for one in node.elts)
        elements = [node.elts[path[0]]] if known else node.elts
        found = [(one.value, (EACH, *path[1:])) if isinstance(one, ast.Starred) else (one, path[1:]) for one in elements]
    else:
        return [(node, path)]
    return [item for value, rest in found for item in items(value, rest)]


def entry(at, value, path):
    """What an entry of a dict has at a path: its key, its value or nothing; another dict after `**` the same as the whole."""
    if at is None:
        return [(value, path)]
    if path[0] is EACH:
        return [(at, path[1:])]
    return [(value, path[1:])] if may_be(constant_key(at), path[0]) else []


def is_dict_call(node) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "dict" and not node.args


def loosened(module, name, path):
    """A path in what a name holds, without the index if its items are moved somewhere."""
    return (EACH, *path[1:]) if isinstance(path[0], int) and (module.home(name), name.id) in shifted(module) else path


@lru_cache(maxsize=128)
def shifted(module) -> set:
    """The names of what is sorted in its place, or otherwise moved."""
    calls = [node for node in module.parent if isinstance(node, ast.Call) and last_name(node.func) in SHIFTING]
    moved = [root_of(one) for node in calls for one in [getattr(node.func, "value", node), *node.args]]
    return {(module.home(one), one.id) for one in moved if one.id}


def container_of(node):
    """The name or the attribute that `self.rows[0][1]` is an item of, and the path in it."""
    path = ()
    while isinstance(node, ast.Subscript):
        node, path = node.value, path_through(node.slice, path)
    return node, path


def path_through(key, path):
    """The path to what stands at a path in a part of something: in `rows[1:]`, an index is any index of `rows`."""
    found = []
    for one in key.elts if isinstance(key, ast.Tuple) else [key]:
        if isinstance(one, (ast.Slice, ast.Compare)):
            found, path = [*found, EACH], path[1:]
        else:
            found.append(constant_key(one))
    return (*found, *path)


def constant_key(node):
    """A key or an index that is written down, else None."""
    return node.value if isinstance(node, ast.Constant) else None


def may_be(at, key) -> bool:
    """Can two keys be the same, as far as they are written down?"""
    return at in (None, EACH) or key in (None, EACH) or at == key


def may_lead(at, path) -> bool:
    """Can a path lead through another one, or end on the way?"""
    return all(map(may_be, at, path))


def root_of(target):
    """`buffer[0].x` -> buffer."""
    while isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        target = target.value
    return target if isinstance(target, ast.Name) else ast.Name("", ast.Load())


def hides(module, found, use):
    return any(replaces and surely_before(module, statement, use) for _, statement, replaces, _ in found)


def surely_before(module, statement, use):
    """Did it run before the use, whatever happened? It stands above, in a block that is around the use."""
    block = module.parent.get(statement)
    return getattr(statement, "lineno", 0) < use_line(module, use) and any(one is block for one in module.around(use))


def use_line(module, use):
    return next(one.lineno for one in module.around(use) if hasattr(one, "lineno"))


def reaching(module, name, found, use):
    loops = [one for one in module.around(use) if isinstance(one, (ast.For, ast.While))]
    sure = [statement for _, statement, replaces, _ in found if replaces and surely_before(module, statement, use)]
    sure += [statement for _, statement, *_ in found if isinstance(statement, ast.For) and statement in loops]
    for _, statement, replaces, _ in found:
        choices = [one for one in module.around(statement) if replaces and isinstance(one, (ast.If, ast.Try))]
        sure += [one for one in choices if surely_before(module, one, use) and always_sets(one, name)]
    since, line_of_use = max([one.lineno for one in sure], default=0), use_line(module, use)
    carried = [loop for loop in loops if not any(loop in list(module.around(one)) for one in sure)]

    def reaches(statement):
        line = getattr(statement, "lineno", None) or getattr(getattr(statement, "target", None), "lineno", 0)
        again = any(loop in list(module.around(statement)) for loop in carried)
        return since <= line <= line_of_use or (line > line_of_use and again)

    return [(value, key) for value, statement, _, key in found if reaches(statement)]


def always_sets(statement, name) -> bool:
    """Does a statement give the name a value, whichever way it takes?"""

    def block(statements):
        return any(always_sets(one, name) for one in statements)

    if isinstance(statement, ast.If):
        return block(statement.body) and block(statement.orelse)
    if isinstance(statement, ast.Try):
        return all(map(block, [statement.body, *[one.body for one in statement.handlers]]))
    return isinstance(statement, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in statement.targets)


def function_at(module, place):
    """The function, lambda or comprehension whose code a place is in."""
    kinds, code = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda), place.code
    if code.co_name in COMPREHENSION_CODE:
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


def only_call(module, function):
    """The one call of a function of the user's, if there are no others."""
    calls = [call for inside in calls_in(module).values() for call in inside if called_function(module, call) is function]
    return calls[0] if len(calls) == 1 else None


def inside_call(node, path):
    """Where the item at a path comes from that a call gives, as pairs of an expression and a path; None if the name does not tell."""
    name, args = last_name(node.func), node.args
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    key, rest = path[0], path[1:]
    if name in ALIKE and (args or owner is not None):
        return [(args[0] if args and (name not in METHODS or root_of(owner).id in LIBRARIES) else owner, path)]
    if name in ORDERING and args:
        return [(args[0], (EACH, *rest))]
    if name in ("max", "min", "next") and args and isinstance(node.func, ast.Name):
        first = (args[0], (EACH, *path) if len(args) == 1 or name == "next" else path)
        return [first, *[(one, path) for one in args[1:]]]
    if name == "zip" and args:
        second = rest[0] if rest else None
        if isinstance(args[0], ast.Starred):
            return [(args[0].value, (second, key, *rest[1:]))] if len(args) == 1 else None
        known = isinstance(second, int) and not any(isinstance(one, ast.Starred) for one in args)
        return [(one, (EACH, *rest[1:])) for one in (args[second : second + 1] if known else args)]
    if name == "enumerate" and args:
        return [(args[0], (EACH, *rest[1:]))] if not rest or rest[0] != 0 else []
    if owner is not None and name == "values" and not args:
        return [(owner, (None, *rest))]
    if owner is not None and name == "items" and not args:
        return [(owner, (EACH,) if rest[:1] == (0,) else (None, *rest[1:]))]
    if owner is not None and name in TAKING and args:
        return taken(node, path)
    return None


def taken(node, path):
    """The same for `get` or `pop`: the item at a key, or the default. An index is not looked at, since the others move."""
    key = constant_key(node.args[0])
    return [(node.func.value, (key if isinstance(key, str) else None, *path)), *[(one, path) for one in node.args[1:]]]


@lru_cache(maxsize=1024)
def is_generator(function) -> bool:
    return any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(function))


def returned_by(module, call):
    """What a call of a function of the user's gives; nothing for any other expression."""
    function = called_function(module, call) if isinstance(call, ast.Call) else None
    return returned(function) if function is not None else []


def decides(exit) -> bool:
    """Did a value leave for a decision: the condition of an `if` or a loop?"""
    if exit.door in ("bool()", "int()"):
        return True
    module, node = node_at(exit.place)
    if node is None:
        return False
    around = list(module.around(node))
    return any(inner is getattr(outer, "test", None) for inner, outer in itertools.pairwise(around))


def is_shown(exit) -> bool:
    """Did a value leave only to be printed or asserted?"""
    module, node = node_at(exit.place)
    statement = module.statement(node) if node is not None else None
    shown = statement.value if isinstance(statement, ast.Expr) else statement
    printed = isinstance(shown, ast.Call) and ast.unparse(shown.func) == "print"
    if not printed and not isinstance(shown, ast.Assert):
        return False
    between = list(itertools.takewhile(lambda one: one is not shown, module.around(node)))[1:]
    keeps = any(isinstance(one, ast.Call) and last_name(one.func) not in NUMBERS for one in between)
    return not keeps and not any(isinstance(one, ast.NamedExpr) for one in between)


def inside_where(place):
    """The call of `where` that an expression is a branch of, with its condition; None if there is none."""
    module, node = node_at(place)
    for inner, outer in itertools.pairwise(module.around(node) if node is not None else ()):
        if isinstance(outer, ast.Call) and last_name(outer.func) == "where" and len(outer.args) == 3 and inner in outer.args[1:]:
            return outer
    return None


COMPARED = {
    ast.Gt: operator.gt, ast.GtE: operator.gt, ast.Lt: operator.lt, ast.LtE: operator.lt, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
OPPOSITE = {ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
TURNED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Lt: ast.Gt, ast.LtE: ast.GtE}


def safe_where(place) -> "str | None":
    """The statement with a safe input for the expression, by one more `where`; None if that cannot be written down."""
    module, node = node_at(place)
    where, statement = inside_where(place), module.statement(node)
    value, kind, limit = compared(module, where.args[0])
    if value is None or isinstance(getattr(statement, "body", None), list):
        return None
    if any(isinstance(one, (ast.Call, ast.Div, ast.Pow)) for one in ast.walk(value)):  # its own slope may be inf
        return None
    second = any(one is where.args[1] for one in module.around(node))
    safe = safe_value(kind if second else OPPOSITE[kind], limit)
    if safe is None:
        return None
    call, condition, text = (rewritten(module, one) for one in (where.func, where.args[0], value))
    guard = f"{call}({condition}, {text}, {safe})" if second else f"{call}({condition}, {safe}, {text})"
    inside, same = {*ast.walk(node)}, ast.dump(value)
    line = rewritten(module, statement, lambda part: guard if part in inside and ast.dump(part) == same else None)
    return line if guard in line and len(line) <= LONG else None


def compared(module, condition):
    """What a condition compares with a number, how, and the number: `x > 0.0`. Three times None for other conditions."""
    if not isinstance(condition, ast.Compare) or len(condition.ops) > 1 or type(condition.ops[0]) not in COMPARED:
        return None, None, None
    left, right, kind = condition.left, condition.comparators[0], type(condition.ops[0])
    if number_in(module, right) is not None:
        return left, kind, number_in(module, right)
    if number_in(module, left) is not None:
        return right, TURNED.get(kind, kind), number_in(module, left)
    return None, None, None


def number_in(module, node) -> "float | None":
    """The number that an expression is, as it stands there or by its name."""
    if isinstance(node, ast.Name):
        values = definitions(module, node.id, node)
        node = values[0] if values and len(values) == 1 else node
    with contextlib.suppress(ValueError):
        value = ast.literal_eval(node)
        return float(value) if isinstance(value, (int, float)) else None
    return None


def safe_value(kind, limit) -> "float | None":
    """A number for which a comparison holds, and not only just."""
    return next((one for one in (1.0, limit + 1.0, 0.0, limit - 1.0) if COMPARED[kind](one, limit)), None)
