"""A traced run as a Python function that imports only NumPy, with the names used in the original source."""

import ast
import builtins
import keyword
import operator
import textwrap
from typing import Any

import numpy as np

from .. import nest
from ..tracing.places import Place
from ..tracing.source import assigned_name
from .loops import folded
from .tidy import tidied
from .tracer import Attribute, Method, Node, nodes_in

WIDTH = 100  # columns
OPERATORS = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.matmul: "@", operator.pow: "**",
    np.power: "**", np.floor_divide: "//", np.remainder: "%", np.greater: ">", np.less: "<", np.greater_equal: ">=",
    np.less_equal: "<=", np.equal: "==", np.not_equal: "!=", np.bitwise_and: "&", np.bitwise_or: "|",
    np.bitwise_xor: "^",
}  # fmt: skip
REDUCTIONS = {np.add.reduce: "sum", np.multiply.reduce: "prod", np.maximum.reduce: "max", np.minimum.reduce: "min",
              np.logical_and.reduce: "all", np.logical_or.reduce: "any"}  # fmt: skip
SMALL = 8  # largest number of elements that are written out


def expression(text):
    """A piece of Python as a tree."""
    return ast.parse(text, mode="eval").body


class FreeNames:
    """Free names, each similar to the requested one."""

    def __init__(self):
        self.taken = {"np", *keyword.kwlist, *dir(builtins)}

    def new(self, wish):
        wish = "".join(c if c.isalnum() or c == "_" else "_" for c in wish).strip("_") or "t"
        wish = f"v{wish}" if wish[0].isdigit() else wish
        name, k = wish, 1
        while name in self.taken:
            k += 1
            name = f"{wish}{'_' * wish[-1].isdigit()}{k}"
        self.taken.add(name)
        return name


class Text:
    """Writes a Run out as text.

    Attributes:
        constants: name -> each array of the run that is too large for the text.
        functions: name -> each of minigrad's functions that the text calls because it is not a single NumPy call.
        lines: the lines of the function, without its first and last.
        placed: Node -> the index of its line.
    """

    def __init__(self, run, name):
        self.run, self.name, self.names, self.constants, self.functions = run, name, FreeNames(), {}, {}
        self.names.taken.add(name)
        self.lines, self.placed, self.inline, self.done = [], {}, {}, set()
        results = [*nest.flatten(run.result), *run.assigned.values()]
        self.nodes, self.now = tidied(run.graph.nodes, [one for one in results if one.__class__ is Node])
        self.place = {node: k for k, node in enumerate(self.nodes)}
        self.written = {node.writes.root: self.place[node] for node in self.nodes if node.writes}  # the last write
        self.uses = {node: [] for node in self.nodes}
        for node in self.nodes:
            for x in node.inputs():
                self.uses.setdefault(x, []).append(node)
        for one in results:
            self.uses.setdefault(self.now(one), []).append(None) if one.__class__ is Node else None
        self.wishes, self.gradient_of = self.collected()
        self.new_values = {self.now(node): name for name, node in run.assigned.items()}
        self.inputs = {name: self.names.new(name) for name in run.inputs}
        self.named = {node: self.inputs[name] for name, node in run.inputs.items()}
        self.write_lines()
        self.end = f"return {self.returned()}"

    @property
    def source(self):
        """The text, with loops in place of equal turns."""
        return "\n".join(self.formatted(folded([*self.lines, self.end], self.names.new))) + "\n"

    def formatted(self, lines):
        """The lines of a function with its head, indented, and broken where they are too long."""
        head = f"def {self.name}({', '.join([*self.inputs.values(), *self.constants])}):"
        body = [in_width(line.lstrip(), "    " + " " * (len(line) - len(line.lstrip()))) for line in lines]
        return [in_width(head), *body]

    def place_of(self, node):
        """The line of a Node, or of its first use if it has none of its own; None if it is left out."""
        node = self.now(node)
        while node not in self.placed:
            uses = self.uses.get(node) if node.__class__ is Node else None
            if not uses or uses[0] is None:
                return len(self.lines) if uses else None
            node = uses[0]
        return self.placed[node]

    # ---- names -----------------------------------------------------------------------------------------------------

    def collected(self):
        """The names given by the user's code, and the Node that each gradient belongs to."""
        wishes, gradient_of = {}, {}
        for node, name in self.run.names.items():
            wishes.setdefault(self.now(node), name)
        for dx, source in self.run.graph_gradients.items():
            gradient_of.setdefault(self.now(dx), self.now(source))
        return wishes, gradient_of

    def name_of(self, node):
        """The name of a Node: from the user's code, the value that it is the gradient of, or the op's source."""
        if node not in self.named:
            source = self.gradient_of.get(node) if node.backward else None
            local = assigned_name(Place(*node.wish)) if isinstance(node.wish, tuple) else None
            replaced = self.new_values.get(node)
            if replaced and self.is_over(self.run.inputs[replaced], node):
                self.named[node] = self.inputs[replaced]
                return self.named[node]
            if replaced:
                wish = f"new_{replaced}"
            elif node in self.wishes:
                wish = self.wishes[node]
            elif source is not None:
                wish = f"d{self.named.get(source, '')}"
            else:
                wish = local or "z"
            self.named[node] = self.names.new(wish)
        return self.named[node]

    def is_over(self, node, last):
        """Whether every line that reads it has been written, apart from that of `last`."""
        uses = [use for use in self.uses.get(node, ()) if use is not last]
        return all(self.is_over(use, last) if use in self.inline else use in self.done for use in uses)

    def own_line(self, node):
        """Whether it needs a line of its own; otherwise it is part of the one expression that uses it."""
        uses = self.uses[node]
        place = self.place[node]
        later = any(self.written.get(x.root, place) > place for x in node.inputs())
        changes = node.root is node and (node in self.written or later)  # a view never does
        if len(uses) != 1 or node in self.wishes or node in self.new_values or changes:
            return True
        (use,) = uses
        if use is None:
            return node.backward
        if isinstance(node.wish, tuple) and not node.backward and assigned_name(Place(*node.wish)):
            return True
        summand = use is not None and self.gradient_of.get(use) is self.gradient_of.get(node)
        return node.backward != use.backward or (node in self.gradient_of and not summand)

    # ---- lines -----------------------------------------------------------------------------------------------------

    def write_lines(self):
        comments, backward, in_one = self.branches(), False, self.augmented()
        for k, node in enumerate([*self.run.graph.nodes, None]):
            self.lines += comments.get(k, ())
            if node is None or node in in_one.values():
                continue
            if node.function is None or node not in self.uses:
                continue
            line = self.augmenting(in_one[node]) if node in in_one else self.line(node)
            self.done.add(node)
            if line and node.backward != backward:
                backward = node.backward
                self.lines.append("# backward pass" if backward else "# after the backward pass")
            if line:
                self.placed[node] = len(self.lines)
                self.lines.append(line)

    def branches(self):
        """The comments on the branches that the run took, by the position of the Node that they precede."""
        found = {}
        for number, place in self.run.places.items():
            position, _, outcome = self.run.graph.guards[number]
            found.setdefault(position, []).append(f"# {place.text} {outcome} in this run")
        return found

    def augmented(self):
        """The three calls that make up `x[key] -= y`: the last -> the second, and the first -> itself."""
        found = {}
        for get, change, put in zip(self.nodes, self.nodes[1:], self.nodes[2:]):
            if get.function is not operator.getitem or put.function is not operator.setitem:
                continue
            alone = change.writes is get and self.uses[get] == [change, change, put]
            if alone and put.args == (*get.args, get) and change.function in OPERATORS:
                found |= {put: change, change: change, get: get}
                for x in get.inputs():  # counted once instead of twice
                    self.uses[x].remove(get)
        return found

    def augmenting(self, change):
        x, key = change.args[0].args
        place = ast.Subscript(self.of(x), self.key(key), ast.Store())
        return f"{ast.unparse(place)} {OPERATORS[change.function]}= {ast.unparse(self.of(change.args[1], change.args))}"

    def line(self, node):
        """The line of a Node; None if it is part of another one."""
        if node.writes:
            return self.writing(node)
        tree = self.tree(node)
        attribute = isinstance(node.function, Attribute) and node.root not in self.written
        if (attribute or not self.own_line(node)) and len(ast.unparse(tree)) <= WIDTH - 20:
            self.inline[node] = tree
            return None
        return f"{self.name_of(node)} = {ast.unparse(tree)}"

    def writing(self, node):
        """The line of a call that works in place."""
        if node.function is operator.setitem:
            x, key, value = node.args
            place = ast.Subscript(self.of(x), self.key(key), ast.Store())
            return f"{ast.unparse(place)} = {ast.unparse(self.of(value))}"
        if "out" not in node.kwargs:  # np.add.at
            return ast.unparse(self.call(node.function, node.args, node.kwargs))
        target = ast.unparse(self.of(node.kwargs["out"]))
        others = {k: x for k, x in node.kwargs.items() if k != "out"}
        if node.function in OPERATORS and node.args[0] is node.kwargs["out"] and not others:
            return f"{target} {OPERATORS[node.function]}= {ast.unparse(self.of(node.args[1], node.args))}"
        return ast.unparse(self.call(node.function, node.args, node.kwargs))

    def returned(self):
        results = iter([self.of(self.now(x)) for x in nest.flatten(self.run.result)])
        whole = structure(self.run.result, results)
        new = [self.of(self.now(x)) for x in self.run.assigned.values()]
        if new:
            whole = ast.Tuple([*([] if self.run.result is None else [whole]), *new], ast.Load())
        bare = isinstance(whole, ast.Tuple) and whole.elts
        return ast.unparse(whole)[1:-1] if bare else ast.unparse(whole)

    # ---- expressions -----------------------------------------------------------------------------------------------

    def of(self, x, peers=()):
        """A Node or a constant as an expression; next to an array of its dtype, a number is written without a dtype."""
        if x.__class__ is Node:
            return self.inline[x] if x in self.inline else ast.Name(self.name_of(x))
        if isinstance(x, np.bool_):
            return expression(str(x))
        if isinstance(x, np.generic):
            weak = any(getattr(y.value, "dtype", None) == x.dtype for y in nodes_in(peers, []))
            return expression(number(x) if weak else f"np.{x.dtype.name}({number(x)})")
        if isinstance(x, np.ndarray):
            return self.constant(x)
        if isinstance(x, (np.dtype, type)):
            dtype = np.dtype(x)
            return expression("bool" if dtype.kind == "b" else f"np.{dtype.name}")
        if isinstance(x, (tuple, list)):
            return (ast.Tuple if isinstance(x, tuple) else ast.List)([self.of(y, peers) for y in x], ast.Load())
        if isinstance(x, slice):
            return ast.Call(ast.Name("slice"), [self.of(y) for y in (x.start, x.stop, x.step)], [])
        if isinstance(x, float):
            return expression(number(np.float64(x)))
        return ast.Constant(x) if x is Ellipsis else expression(repr(x))

    def key(self, key):
        """The expression in square brackets."""
        if isinstance(key, slice):
            return ast.Slice(*[None if y is None else self.of(y) for y in (key.start, key.stop, key.step)])
        if isinstance(key, tuple) and len(key) == 1:
            return self.key(key[0])
        return ast.Tuple([self.key(y) for y in key], ast.Load()) if isinstance(key, tuple) else self.of(key)

    def constant(self, x):
        """An array written into the text, or a parameter for one that is too large."""
        first = x.flat[0] if x.size else 0
        dtype = f"np.{x.dtype.name}" if x.dtype != bool else "bool"
        if x.dtype.kind in "fciub" and (x == first).all():
            maker = {0: "np.zeros(", 1: "np.ones("}.get(first, "np.full(")
            fill = f", {number(first)}" if maker == "np.full(" else ""
            return expression(f"{maker}{x.shape}{fill}, {dtype})")
        if x.dtype.kind in "fc" and x.ndim == 2 and x.shape[0] == x.shape[1] and (x == np.eye(len(x))).all():
            return expression(f"np.eye({len(x)}, dtype={dtype})")
        if x.dtype.kind == "i" and x.ndim == 1 and (x == np.arange(x.size)).all():
            return expression(f"np.arange({x.size})" if x.dtype == np.int64 else f"np.arange({x.size}, dtype={dtype})")
        if x.size <= SMALL and x.dtype.kind in "fciub":
            return expression(f"np.array({nested(x)}, {dtype})")
        known = next((name for name, one in self.constants.items() if one is x), None) or self.names.new("constant")
        self.constants[known] = x
        return ast.Name(known)

    def tree(self, node):
        return self.call(node.function, node.args, node.kwargs)

    def call(self, function, args, kwargs):
        """The expression of one call."""
        if function is operator.getitem:
            return ast.Subscript(self.of(args[0]), self.key(args[1]), ast.Load())
        if isinstance(function, Attribute):
            return ast.Attribute(self.of(args[0]), function.name, ast.Load())
        if isinstance(function, Method):
            rest = args[1] if function.name == "reshape" else args[1:]
            return self.method(function.name, args[0], rest, kwargs)
        if function in REDUCTIONS:
            return self.reduction(REDUCTIONS[function], *args, **kwargs)
        if function in OPERATORS and not kwargs:
            pattern = expression(f"a {OPERATORS[function]} b")
            left, right = [self.of(x, args) for x in args]
            if isinstance(pattern, ast.Compare):
                return ast.Compare(left, pattern.ops, [right])
            return ast.BinOp(left, pattern.op, right)
        if function is np.negative and not kwargs:
            return ast.UnaryOp(ast.USub(), self.of(args[0]))
        keywords = [ast.keyword(k, self.of(x)) for k, x in kwargs.items()]
        return ast.Call(expression(self.function_name(function)), [self.of(x, args) for x in args], keywords)

    def method(self, name, x, args, kwargs):
        keywords = [ast.keyword(k, self.of(y)) for k, y in kwargs.items()]
        return ast.Call(ast.Attribute(self.of(x), name, ast.Load()), [self.of(y) for y in args], keywords)

    def reduction(self, name, x, axis=0, dtype=None, out=None, keepdims=False, **kwargs):
        """`np.add.reduce(x, 0)` as `x.sum(0)`."""
        ndim = np.ndim(getattr(x, "value", x))
        every = axis is None or (len(axis) if isinstance(axis, tuple) else 1) == ndim
        said = {"keepdims": True} if keepdims else {}
        said |= {"dtype": dtype} if dtype is not None and dtype != x.value.dtype else {}
        said |= {k: y for k, y in kwargs.items() if y is not np._NoValue}
        return self.method(name, x, () if every else (axis,), said)

    def function_name(self, function):
        """NumPy's name for a function, or a new one for one of minigrad's functions."""
        owner, name = getattr(function, "__self__", None), function.__name__
        if isinstance(owner, np.ufunc):
            return f"np.{owner.__name__}.{name}"
        strides = np.lib.stride_tricks, "np.lib.stride_tricks"
        for module, prefix in ((np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft"), strides):
            if getattr(module, name, None) is function:
                return f"{prefix}.{name}"
        known = next((known for known, one in self.functions.items() if one is function), None)
        known = known or self.names.new(name if name.isidentifier() else "vjp")
        self.functions[known] = function
        return known


def in_width(line, indent=""):
    """A line of Python, broken inside brackets if it is too long."""
    if len(indent + line) <= WIDTH or line.startswith("#"):
        return indent + line
    before, _, value = line.partition("return " if line.startswith("return ") else " = ")
    head, tail = (f"{before} = " if before else "return ") + "(", ")"
    if line.startswith("def "):
        (head, value), tail = line.removesuffix("):").split("("), "):"
        head += "("
    if len(indent + head) > WIDTH and "[" in before:  # the target of the assignment has a long key
        return "\n".join(textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=indent + "    ", **WHOLE))
    inner = textwrap.wrap(value, WIDTH, initial_indent=indent + "    ", subsequent_indent=indent + "    ", **WHOLE)
    return "\n".join([indent + head, *inner, indent + tail])


WHOLE: Any = dict(break_long_words=False, break_on_hyphens=False)


def structure(like, results):
    """An expression of the same nest, with these leaves."""
    if isinstance(like, (list, tuple)):
        return ast.Tuple([structure(one, results) for one in like], ast.Load())
    if isinstance(like, dict):
        parts = {k: structure(like[k], results) for k in sorted(like)}
        return ast.Dict([ast.Constant(k) for k in parts], [*parts.values()])
    return next(results)


def number(x):
    """A NumPy scalar as the Python number that converts to it."""
    if x.dtype.kind in "fc" and not np.isfinite(x):
        return {"inf": "np.inf", "-inf": "-np.inf", "nan": "np.nan"}.get(str(x), f"complex({str(x)!r})")
    if x.dtype.kind == "f":
        return repr(float(str(x)))
    return repr(x.item())


def nested(x):
    """The elements of an array as the source of lists."""
    return number(x[()]) if x.ndim == 0 else f"[{', '.join(nested(np.asarray(one)) for one in x)}]"
