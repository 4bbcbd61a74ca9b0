"""What a call in the user's source is given, what it gives, and what is known of functions by their names."""

import ast
import itertools
from functools import lru_cache

from ..tracing.source import COMPREHENSION, COMPREHENSION_CODE, last_name, node_at

# Functions whose value follows their arguments; and those that make steps of them, or something else
PURE = {"float", "list", "tuple", "sum", "max", "min", "abs", "pow", "zip", "sorted", "map", "dict", "enumerate", "reversed", "complex"}
STEPS = {
    "int", "bool", "round", "len", "range", "argmax", "argmin", "argsort", "floor", "ceil", "rint", "sign", "choice", "nonzero",
    "trunc", "argpartition", "digitize", "searchsorted", "binomial", "multinomial", "poisson", "unique", "index", "count", "bisect",
    "bisect_left", "bisect_right", "rankdata",
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
    return exit.exit == "NumPy" and name in {*REDUCING, "size", "norm", "median", "ptp"} and not axes


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


def no_unbroadcast(function, name, call):
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


def makes_integers(call) -> bool:
    """Is it `.astype(int)` or the like?"""
    return last_name(call.func) == "astype" and any("int" in ast.unparse(one) or "bool" in ast.unparse(one) for one in call.args[:1])


def hands_on(call) -> bool:
    """Are the numbers that a call gives some of those that it was given? Not so if it makes them shorter, or a text of them."""
    short = any("16" in ast.unparse(one) or isinstance(one, ast.JoinedStr) for one in [*call.args, *[word.value for word in call.keywords]])
    return last_name(call.func) in HANDING and not short


def root_of(target):
    """`buffer[0].x` -> buffer."""
    while isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        target = target.value
    return target if isinstance(target, ast.Name) else ast.Name("", ast.Load())


def function_at(module, place):
    """The function, lambda or comprehension whose code a place is in."""
    kinds, code, around = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda), place.code, module.around(node_at(place)[1])
    if code.co_name in COMPREHENSION_CODE:
        return next((one for one in around if isinstance(one, COMPREHENSION)), None)
    for node in itertools.chain(around, ast.walk(module.tree)):  # of two on one line the one that it is in
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


@lru_cache(maxsize=1024)
def is_generator(function) -> bool:
    return any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(function))


def returned_by(module, call):
    """What a call of a function of the user's gives; nothing for any other expression."""
    function = called_function(module, call) if isinstance(call, ast.Call) else None
    return returned(function) if function is not None else []


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
