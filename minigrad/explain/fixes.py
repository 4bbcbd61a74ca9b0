"""The line of a fix: the user's statement, with mg's own functions in the place of NumPy's and Python's.

It is made of the source as it stands, piece by piece. Where no line is known that runs and means the same, words say what to use.
"""

import ast
import contextlib
import itertools
import operator
from functools import lru_cache
from typing import Any

from ..tracing.source import LONG, last_name, node_at, rewritten, span_of
from .calling import REDUCING, STEPS, inside_where, root_of
from .holding import definitions

USUAL = {name: name for name in ("numpy", "math", "cmath", "scipy", "random", "statistics")}  # as it is imported in most programs
FOREIGN = {*USUAL}
USUAL |= {"np": "numpy", "mg": "minigrad"}

INSTEAD = {  # functions of NumPy and Python, and what stays on the tape
    "mean": "reduce_mean", "sum": "reduce_sum", "max": "reduce_max", "min": "reduce_min", "amax": "reduce_max", "amin": "reduce_min",
    "prod": "reduce_prod", "std": "math.reduce_std", "var": "math.reduce_variance", "dot": "tensordot", "matmul": "matmul", "exp": "exp",
    "log": "math.log", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan", "tanh": "tanh", "abs": "abs", "fabs": "abs",
    "square": "square", "absolute": "abs", "negative": "negative", "reciprocal": "math.reciprocal", "erf": "math.erf",
    "power": "pow", "pow": "pow", "maximum": "maximum", "minimum": "minimum", "where": "where", "concatenate": "concat", "stack": "stack",
    "reshape": "reshape", "transpose": "transpose", "clip": "clip_by_value", "array": "stack", "log1p": "math.log1p",
    "expm1": "math.expm1", "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "cumsum": "cumsum",
    "einsum": "einsum", "asarray": "convert_to_tensor", "atan2": "atan2", "sinh": "sinh", "cosh": "cosh", "norm": "norm",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "asin": "asin", "acos": "acos", "atan": "atan",
    "squeeze": "squeeze", "expand_dims": "expand_dims", "trace": "linalg.trace", "inv": "linalg.inv", "det": "linalg.det",
    "linspace": "linspace",
}  # fmt: skip
PAIRS = {"power", "pow", "maximum", "minimum", "add", "subtract", "multiply", "divide", "atan2", "arctan2", "reshape", "dot", "matmul"}
TAKES = {  # how many arguments by place, and which ones by name, mean the same in both; the others take one alone
    **dict.fromkeys(REDUCING, (1, 2, {"axis", "keepdims"})), **dict.fromkeys(PAIRS, (2, 2, ())),
    "where": (3, 3, ()), "clip": (3, 3, ()), "linspace": (3, 3, ()), "einsum": (2, 99, ()), "transpose": (1, 2, ()),
    "stack": (1, 2, {"axis"}),
    "concatenate": (1, 2, {"axis"}), "cumsum": (1, 2, {"axis"}), "squeeze": (1, 2, {"axis"}), "expand_dims": (1, 2, {"axis"}),
    "norm": (1, 1, {"axis", "keepdims"}),
}  # fmt: skip
PLACED = {"clip": ("a_min", "a_max"), "transpose": ("axes",)}  # arguments that have another name with us
WORDS = {  # what to use where the arguments have another form
    "vstack": "use mg.concat with an axis", "hstack": "use mg.concat with an axis", "concatenate": "use mg.concat with an axis",
    "astype": "use mg.cast in place of .astype",
    "normal": "scale and shift what mg.random.normal gives",
    "uniform": "scale and shift what mg.random.uniform gives",
}  # fmt: skip
NEW = "compute with a new tensor instead"
KEPT = {"numpy", "item", "tolist", "copy"}  # methods that a Tensor does not need
LOOSE = (ast.Call, ast.keyword, ast.List, ast.Tuple, ast.ListComp, ast.stmt)  # no parentheses are needed around what stands in them


class NoLine(Exception):
    """No line is known; the text says what to use instead, if anything is known."""


class Line:
    """The statement in which a value left, written anew.

    Args:
        returns: the Returns of the trace.
        exit: the event of leaving.
        names: of the Tensors.

    Attributes:
        lead: what is done in the line, as words; "" if there is nothing more to say than that a Tensor stays one.
    """

    def __init__(self, returns, exit, names):
        self.module, self.node = node_at(exit.place)
        self.returns, self.names, self.done, self.lead = returns, names, set(), ""
        self.statement = self.module.statement(self.node) if self.node is not None else None
        self.doors, self.around = {}, set()  # what left in this statement, and all that is around it
        if isinstance(self.node, ast.expr) and self.statement is not None:
            self.mg = ours(self.module)
            self.find_doors()

    def find_doors(self):
        for (module, _), (_, exits) in self.returns.left_at.items():
            left = [exit for exit, depth in exits[-8:] if not depth]
            node = node_at(left[-1].place)[1] if left and module is self.module else None
            if node is not None and self.module.statement(node) is self.statement:
                self.doors.setdefault(node, []).extend(left)
                self.around.update(itertools.takewhile(lambda one: one is not self.statement, self.module.around(node)))

    def text(self) -> str:
        """The line; NoLine if none is known."""
        if self.node not in self.doors or any(isinstance(one, ast.JoinedStr) for one in self.around):  # a text holds no Tensor
            raise NoLine
        if isinstance(self.statement, ast.Assign):
            for target in self.statement.targets:
                self.refuse_array(target)
        old = rewritten(self.module, self.statement)
        new = without_state(self.module, self.statement, self.own)
        if new is not None:
            self.lead = NEW
        new = new or rewritten(self.module, self.statement, self.change)
        if self.node not in self.done or new == old or len(new) > LONG or not (runs(new) or runs(f"{new} pass")):
            raise NoLine
        return new

    def refuse_array(self, target):
        """Nothing that is written into an array of NumPy stays a Tensor."""
        root = root_of(target)
        for value in (definitions(self.module, root.id, root) or ()) if isinstance(target, ast.Subscript) else ():
            if isinstance(value, ast.Call) and self.path(value.func)[:1] == ("numpy",):
                raise NoLine(f"gather the values in a list, and use {self.mg}.stack")

    def path(self, function):
        return path_of(self.module, function)

    def own(self, node) -> str:
        """The source of an expression, written anew."""
        new = self.change(node)
        return rewritten(self.module, node, self.change) if new is None else new

    def change(self, part):
        """Another text for a part of the statement; None if it stays, or if only what is in it changes."""
        if part not in self.around:
            return None
        kinds = {ast.Call: self.call, ast.BinOp: self.matmul, ast.Subscript: self.index, ast.Attribute: self.attribute}
        new = kinds.get(type(part), nothing)(part)
        if new is None:
            return None
        self.done.add(part)
        tight = not isinstance(self.module.parent[part], LOOSE)
        return in_parentheses(new) if tight else new

    # ---- calls -------------------------------------------------------------------------------------------------------

    def call(self, part):
        path, value = self.path(part.func), part.func.value if isinstance(part.func, ast.Attribute) else None
        if value is not None and (self.plain(value) or (part in self.doors and part.func.attr == "numpy")):
            return self.method(part, value)
        if path[:1] and path[0] in FOREIGN:
            return self.spelled(part, ".".join(path[1:]), ast.unparse(part.func), part.args, part.keywords)
        if path in (("float",), ("complex",)) and len(part.args) == 1:
            return self.own(part.args[0])
        if last_name(part.func) in STEPS or part in self.doors:
            return self.untouched(part)
        if path[:1] == ("minigrad",) and path[1:] in (("constant",), ("Variable",)):
            return self.arrival(part, path[1])
        return None

    def untouched(self, part):
        """A call that has no slope, or that nobody knows: it may stay beside what is fixed, and not around it."""
        if part in self.module.around(self.node):
            raise NoLine
        return rewritten(self.module, part)

    def arrival(self, part, name):
        """A call of `constant` or `Variable`, which a Tensor does not need; constants also join lists."""
        words = {word.arg: word.value for word in part.keywords}
        if len(part.args) != 1 or {*words} - {"name", "dtype" if name == "constant" else "trainable"}:
            raise NoLine(f"leave out {self.mg}.{name}")
        joined = isinstance(part.args[0], (ast.List, ast.Tuple, ast.ListComp))
        text = f"{self.mg}.stack({self.own(part.args[0])})" if joined else self.own(part.args[0])
        return f"{self.mg}.cast({text}, {self.own(words['dtype'])})" if "dtype" in words else text

    def method(self, part, value):
        """A call of an array's method: `x.numpy().mean()`."""
        name = part.func.attr
        if name in KEPT and not part.args:
            return self.own(value)
        if name in ("flatten", "ravel"):
            return f"{self.mg}.reshape({self.own(value)}, [-1])"
        if name == "reshape" and len(part.args) > 1:
            return f"{self.mg}.reshape({self.own(value)}, [{', '.join(self.own(one) for one in part.args)}])"
        return self.spelled(part, name, f".{name}", [value, *part.args], part.keywords)

    def spelled(self, part, name, written, given, keywords):
        """A call of NumPy's function by ours, if the arguments mean the same."""
        name = name.removeprefix("linalg.")
        ours = f"{self.mg}.{INSTEAD[name]}" if name in INSTEAD else ""
        if part is self.node and ours and name != "add":
            self.lead = f"use {ours}"
        words = {word.arg or "": word.value for word in keywords}
        if name in ("float32", "float64") and len(given) == 1:
            return self.own(given[0])
        if name in ("array", "asarray"):
            return self.joined(given, words)
        if not ours:
            raise NoLine(self.words(name) or f"write {written} with {self.mg}'s own functions")
        given = [*given, *[words.pop(one) for one in PLACED.get(name, ()) if one in words]]
        if name == "clip" and any(isinstance(one, ast.Constant) and one.value is None for one in given):
            raise NoLine(f"use {self.mg}.maximum or {self.mg}.minimum")
        low, high, known = TAKES.get(name, (1, 1, ()))
        strange = {*words} - {*known}
        if strange or not low <= len(given) <= high or any(isinstance(one, ast.Starred) for one in given):
            raise NoLine(self.words(name) or f"use {ours}{f', which knows no {min(strange)}' if strange else f' in place of {written}'}")
        if name in ("dot", "matmul"):
            return self.product(part, *given)
        texts = [self.own(one) for one in given] + [f"{word}={self.own(one)}" for word, one in words.items()]
        if len(texts) == 1 and name == "cumsum" and self.ranks(part, given) != [1]:
            raise NoLine(f"use {ours} with an axis")
        if name == "add":  # mg.add wants one dtype
            return " + ".join(in_parentheses(one) for one in texts)
        if len(texts) == 1 and name == "concatenate":
            texts.append("0")
        return f"{ours}({', '.join(texts)})"

    def words(self, name):
        return WORDS.get(name.rpartition(".")[2], "").replace("mg.", f"{self.mg}.")

    def joined(self, given, words):
        """An array made of a list, or of a Tensor."""
        if len(given) != 1 or words:
            raise NoLine
        listed = isinstance(given[0], (ast.List, ast.Tuple, ast.ListComp))
        name = f"{self.mg}.{'stack' if listed else 'convert_to_tensor'}"
        self.lead = f"use {name}"
        return f"{name}({self.own(given[0])})"

    # ---- products ----------------------------------------------------------------------------------------------------

    def matmul(self, part):
        if not isinstance(part.op, ast.MatMult) or self.ran(part) or not (self.plain(part.left) or self.plain(part.right)):
            return None
        return self.product(part, part.left, part.right)

    def product(self, part, left, right):
        ranks = self.ranks(part, (left, right))
        if 0 in ranks or any(isinstance(one, ast.Constant) for one in (left, right)):
            raise NoLine(f"use {self.mg}.multiply")
        if not {*ranks} <= {1, 2}:
            raise NoLine(f"use {self.mg}.tensordot with its axes")
        texts = [self.tensor(part, left, right), self.tensor(part, right, left)]
        name, axes = (f"{self.mg}.matmul", "") if ranks == [2, 2] else (f"{self.mg}.tensordot", ", 1")
        self.lead = f"use {name}"
        return f"{name}({', '.join(texts)}{axes})"

    def ranks(self, part, given):
        """Of what left in a call, and of those of its arguments that left by themselves."""
        exits = self.together(part, len(given))
        exits += [self.doors[one][-1] for one in given if one in self.doors and last_name(one.func) == "numpy"]
        return [len(exit.given.content.shape) for exit in exits if exit.given is not None]

    def together(self, part, most):
        """What left at once in an expression."""
        exits = self.doors.get(part, [])[-most:]
        return [exit for k, exit in enumerate(exits) if exits[-1].number - exit.number == len(exits) - 1 - k]

    def tensor(self, part, node, other) -> str:
        """An operand; one that is an array of NumPy gets the dtype of the other."""
        text, exits = self.own(node), self.together(part, 2)
        if node in self.around or len({exit.tensor for exit in exits}) == 2 or any(self.names.of(exit.tensor) == text for exit in exits):
            return text
        if exits and self.names.of(exits[0].tensor) != self.own(other):
            raise NoLine(f"use {self.mg}.tensordot")
        left = exits or next(reversed(self.doors.values()))
        return f"{self.mg}.convert_to_tensor({text}, {self.mg}.{left[0].given.content.dtype.name})"

    # ---- other expressions -------------------------------------------------------------------------------------------

    def attribute(self, part):
        if not self.plain(part.value) or part.attr in ("shape", "dtype", "ndim"):
            return None
        if part.attr == "T":
            return f"{self.mg}.transpose({self.own(part.value)})"
        raise NoLine(f"write .{part.attr} with {self.mg}'s own functions")

    def index(self, part) -> None:
        if isinstance(part.slice, ast.Compare):  # a mask
            return
        if self.plain(part.value) and any(isinstance(one, (ast.List, ast.Call)) for one in ast.walk(part.slice)):
            raise NoLine(f"use {self.mg}.gather in place of these indices")

    def plain(self, node) -> bool:
        """Is it an array or a number, and no Tensor?"""
        if node not in self.around:
            return False
        if isinstance(node, ast.Call):
            path = self.path(node.func)
            method = isinstance(node.func, ast.Attribute) and self.plain(node.func.value)
            return path[:1] != ("minigrad",) and (node in self.doors or method or (path[:1] and path[0] in FOREIGN) or path == ("float",))
        if isinstance(node, ast.BinOp):
            return not self.ran(node) and (self.plain(node.left) or self.plain(node.right))
        return isinstance(node, (ast.Attribute, ast.Subscript)) and self.plain(node.value)

    def ran(self, node) -> bool:
        """Did an op of ours run there?"""
        return (self.module, span_of(node)) in self.returns.made_at


def nothing(part):
    return None


def without_state(module, statement, own, sliced=False) -> "str | None":
    """`new_total = total + x` for `total.assign_add(x)`; None for other statements, and NoLine if it cannot be told.

    Args:
        module, statement: where it is.
        own: gives the source of an expression in it.
        sliced: was it a part of a Variable that was assigned?
    """
    call = written_by(statement)
    if call is None:
        return None
    function: Any = call.func
    how, target, words = function.attr, function.value, {word.arg: word.value for word in call.keywords}
    given = [*call.args[:2], *[words[one] for one in ("value", "delta", "indices", "updates") if one in words]]
    texts, new = [own(one) for one in given], f"new_{last_name(target.value if isinstance(target, ast.Subscript) else target)}"
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        new = rewritten(module, statement.targets[0])
    scattered = f"{new} = {ours(module)}.tensor_"
    if how.startswith("scatter_nd_") and len(texts) == 2:
        return f"{scattered}{how}({rewritten(module, target)}, {texts[0]}, {texts[1]})"
    if how not in CHANGES or len(texts) != 1:
        raise NoLine
    if isinstance(target, ast.Subscript):
        places = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        if not sliced or not all(isinstance(one, ast.Constant) and type(one.value) is int for one in places):
            raise NoLine
        index = ", ".join(rewritten(module, one) for one in places)
        return f"{scattered}scatter_nd_update({rewritten(module, target.value)}, [[{index}]], [{texts[0]}])"
    sign = CHANGES[how]
    return f"{new} = {rewritten(module, target)}{sign}{in_parentheses(texts[0])}" if sign else f"{new} = {texts[0]}"


CHANGES = {"assign": "", "assign_add": " + ", "assign_sub": " - "}


def written_by(statement) -> "ast.Call | None":
    """The call of `assign` and the like that a statement is."""
    call = getattr(statement, "value", None) if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    return call if call.func.attr.startswith(("assign", "scatter_")) else None


def in_parentheses(text) -> str:
    """An expression as a part of another one."""
    atoms = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.ListComp)
    return text if isinstance(getattr(ast.parse(text, mode="eval"), "body", None), atoms) else f"({text})"


def runs(text) -> bool:
    """Can Python read it?"""
    try:
        return bool(ast.parse(text).body)
    except (SyntaxError, ValueError):
        return False


def stateless(place, sliced) -> "tuple[str, str]":
    """The value that was written into a Variable there, and the line that makes a new Tensor instead; "" for what is not known."""
    module, node = node_at(place)
    statement = module.statement(node) if node is not None else None
    call = written_by(statement)
    value = rewritten(module, call.args[-1]) if call is not None and call.args else ""
    try:
        line = without_state(module, statement, lambda one: rewritten(module, one), sliced) or ""
    except NoLine:
        line = ""
    return value, line if len(line) <= LONG else ""


def ours(module) -> str:
    """What the user calls this package: mg, or tf."""
    return [name for name, one in imports(module).items() if one == "minigrad"][-1]


@lru_cache(maxsize=128)
def imports(module) -> dict:
    """What the names of modules and of things in them stand for."""
    found = dict(USUAL)
    for node in ast.walk(module.tree):
        for one in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
            if isinstance(node, ast.ImportFrom):
                found[one.asname or one.name] = f"{node.module}.{one.name}"
            else:
                found[one.asname or one.name.partition(".")[0]] = one.name if one.asname else one.name.partition(".")[0]
    return found


def path_of(module, function) -> tuple:
    """`np.linalg.norm` -> numpy, linalg, norm; nothing for what is no plain name."""
    parts = []
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    if not isinstance(function, ast.Name):
        return ()
    return (*imports(module).get(function.id, function.id).split("."), *reversed(parts))


# ---- a safe input for a branch of `where` ----------------------------------------------------------------------------

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
