"""A traced run, compiled to a program with one line for each NumPy call and without the engine in between."""

import itertools
import linecache
import operator
import types

import numpy as np

from .. import nest
from ..engine import Tensor
from ..engine.backward import ones, unbroadcast
from ..engine.tensor import next_id
from ..program.specs import TensorSpec
from .buffers import Buffers, Plan
from .text import OPERATORS
from .tidy import tidied
from .tracer import Attribute, Method, Node, method

NAMELESS = (bool, int, str, type(None), type(Ellipsis))  # written into the text as Python prints them
# The length of their results depends on values, not only on shapes.
BY_VALUE = {np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.compress, np.extract, np.repeat, np.tile, np.pad,
            np.bincount, np.delete, np.insert, np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d,
            *map(method, ("nonzero", "compress", "repeat"))}  # fmt: skip


BY_NAME = np.maximum, np.minimum  # a positional third argument is deprecated from NumPy 2.4 on


class OtherPath(Exception):
    """A decision went the other way than in the traced run, or an array has another shape."""


class Compiled:
    """A traced run, compiled.

    Attributes:
        run: takes the arrays of the arguments, reads the Variables itself, and returns what the function returns.
            Variables are assigned at the end, so a run that is interrupted changes nothing. No array of the traced run
            is kept, but the buffers are kept for the next run. Raises OtherPath: the traced run does not hold for these
            arrays.
        outputs: a `TensorSpec` for each Tensor that the function returns.
        variables: the Variables that it reads or assigns.
        buffers: the arrays that calls write into.
    """

    def __init__(self, run, name):
        source = RunText(run)
        self.variables, self.buffers = list(source.variables.values()), source.buffers
        self.run, self.outputs = source.compiled(name), nest.map_structure(spec_of_result, run.result)


class RunText:
    """The source text of a run.

    Attributes:
        plan: which call writes into which buffer.
        text: Node -> its name.
        space: name -> what it stands for: functions, Variables and constants.
    """

    def __init__(self, run):
        self.run, self.variables = run, run.variable_inputs()
        guards = [(node, outcome) for _, node, outcome in run.graph.guards]
        effects = [node for node in run.graph.nodes if node.effect]
        wanted = [*run.leaves(), *run.assigned.values(), *(node for node, _ in guards), *effects]
        nodes, self.now = tidied(run.graph.nodes, [one for one in wanted if one.__class__ is Node])
        self.nodes, self.decisions = sorted(nodes, key=lambda node: node.effect), {}
        for node, outcome in guards:
            if self.now(node).__class__ is Node:
                self.decisions.setdefault(self.now(node), []).append(outcome)
        self.assigned = {name: self.now(one) for name, one in run.assigned.items()}
        held = [(run.inputs[name], after) for name, after in self.assigned.items()]
        self.plan = Plan(self.nodes, [self.now(one) for one in run.leaves()], held)
        self.buffers = Buffers(self.plan)
        self.text = {node: f"x{k}" for k, node in enumerate(run.inputs.values())}
        self.space, self.known, self.numbers = {"OtherPath": OtherPath}, {}, {}

    def compiled(self, name):
        """The function with that name, which takes the arrays of the arguments."""
        arguments = [self.text[node] for name, node in self.run.inputs.items() if name not in self.variables]
        text = "\n    ".join([f"def {name}({', '.join(arguments)}):", *self.body()]) + "\n"
        file = f"<compiled {name} {id(self)}>"
        code = compile(text, file, "exec").co_consts[0]
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        return types.FunctionType(code, self.space)

    def body(self):
        """Yield the lines that read, compute, assign, keep and return."""
        names, spare = [*self.plan.layouts, *self.plan.former], self.constant(self.buffers.spare)
        if names:
            take, make = (self.constant(one) for one in (self.buffers.taken, self.buffers.made))
            taken = f"{take}()" if self.plan.former else f"{spare}.pop()"
            yield f"[{', '.join(names)}] = buffers = {taken} if {spare} else {make}()"
        for name, variable in self.variables.items():
            yield from self.reading(variable, self.run.inputs[name])
        for node in self.nodes:
            yield from self.lines(node)
        tensor, new = self.constant(Tensor), self.constant(next_id)
        for k, one in enumerate(self.run.leaves()):
            yield f"t{k} = {tensor}()"
            yield f"t{k}.value, t{k}.id = {self.of(self.now(one))}, {new}()"
        for name, value in self.assigned.items():
            variable = self.constant(self.variables[name])
            yield f"{variable}.version += 1"
            yield f"{variable}._store({self.of(value)})"
        for name, node in self.plan.former.items():
            yield f"buffers[{names.index(name)}] = {self.text[node]}"
        if names:
            yield f"{spare}.append(buffers)"
        yield f"return {self.structure(self.run.result, (f't{k}' for k in itertools.count()))}"

    def reading(self, variable, node):
        x = self.text[node]
        yield f"{x} = {self.constant(variable)}._now.value"
        if not variable.shape.is_fully_defined():
            yield f"if {x}.shape != {node.value.shape}: raise OtherPath"

    def lines(self, node):
        if node.function is None:
            lines = []
        elif node.function is operator.setitem:
            x, key, value = map(self.of, node.args)
            lines = [f"{x}[{key}] = {value}"]
        elif node.writes or node.effect:
            lines = [self.call(node)]
        else:
            self.text[node] = name = f"v{len(self.text)}"
            lines = [f"{name} = {self.call(node)}"]
        if by_value(node):
            lines.append(f"if {self.text[node]}.shape != {node.value.shape}: raise OtherPath")
        if node in self.decisions:
            lines += dict.fromkeys(otherwise(self.text[node], node, outcome) for outcome in self.decisions[node])
        return lines

    def call(self, node):
        function, args = node.function, [self.of(x) for x in self.light(node)]
        if function is operator.getitem:
            return f"{args[0]}[{args[1]}]"
        if isinstance(function, Attribute):
            return f"{args[0]}.{function.name}"
        kwargs = [f"{k}={self.of(x)}" for k, x in node.kwargs.items()]
        if node in self.plan.of:
            kwargs.append(f"{'out=' if function in BY_NAME else ''}{self.plan.of[node]}")
        if isinstance(function, Method):
            return f"{args[0]}.{function.name}({', '.join([*args[1:], *kwargs])})"
        if adds_rows(node):
            x = node.args[0]
            return f"{self.constant(ones(len(x.value), x.value.dtype))}.dot({args[0]})"
        if function is np.matmul and plain_product(node):  # `dot` costs half of what matmul costs to call
            return f"{args[0]}.dot({', '.join([args[1], *kwargs])})"
        if function in OPERATORS and function is not np.power and not kwargs:
            return f"{args[0]} {OPERATORS[function]} {args[1]}"
        return f"{self.constant(function)}({', '.join([*args, *kwargs])})"

    def light(self, node):
        """The arguments of a call, with numbers as 0-d arrays where that is faster and gives the same result."""
        arrays = [one.value for one in node.args if isinstance(getattr(one, "value", None), np.ndarray)]
        if not isinstance(node.function, np.ufunc) or not (arrays and (node.writes or np.ndim(node.value))):
            return node.args
        return [self.number(x, arrays[0].dtype) for x in node.args]

    def number(self, x, dtype):
        """A number that has, or would take, that dtype as an array; anything else unchanged."""
        takes = type(x) in (int, float) or (isinstance(x, np.generic) and x.dtype == dtype)
        return self.numbers.setdefault((dtype, repr(x)), np.asarray(x, dtype)) if takes and dtype.kind == "f" else x

    def structure(self, result, names):
        """The nest that the function returns, of Tensors with these names."""
        if result is None:
            return "None"
        if not nest.is_nested(result):
            return next(names)
        if type(result) in (list, tuple):
            parts = ", ".join([self.structure(one, names) for one in result])
            return f"[{parts}]" if type(result) is list else f"({parts}{',' * (len(result) == 1)})"
        leaves = ", ".join([self.structure(one, names) for one in nest.flatten(result)])
        like = nest.map_structure(lambda _: None, result)
        return f"{self.constant(nest.pack_sequence_as)}({self.constant(like)}, [{leaves}])"

    def of(self, x):
        """The text of a Node or a constant."""
        if x.__class__ is Node:
            return self.text[x]
        if isinstance(x, (tuple, list)):
            inner = ", ".join(map(self.of, x))
            return f"({inner}{',' * (len(x) == 1)})" if isinstance(x, tuple) else f"[{inner}]"
        if isinstance(x, slice):
            return f"slice({', '.join(map(self.of, (x.start, x.stop, x.step)))})"
        return repr(x) if x.__class__ in NAMELESS and x is not Ellipsis else self.constant(x)

    def constant(self, x):
        name = self.known.setdefault(id(x), f"c{len(self.space)}")
        self.space[name] = x
        return name


def plain_product(node):
    """Whether it is the product of two float matrices, which BLAS computes."""
    x, y = (getattr(one, "value", one) for one in node.args)
    by_blas = x.dtype == y.dtype and x.dtype.char in "fd"
    return by_blas and x.ndim == y.ndim == 2


def adds_rows(node):
    """Whether the call sums the rows of a matrix for `unbroadcast`, which does it by a product."""
    x = getattr(node.args[0], "value", None) if node.function == np.add.reduce else None
    by_product = isinstance(node.wish, tuple) and node.wish[0] is unbroadcast.__code__ and node.value.ndim == 1
    return by_product and isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype.char in "fd"


def otherwise(x, node, outcome):
    """The line that leaves the program if a decision goes the other way. All NaNs are one outcome; -0.0 is not 0.0."""
    if isinstance(outcome, bool):
        return f"if bool({x}) is not {outcome}: raise OtherPath"
    number = f"{x}.item()" if hasattr(node.value, "item") else x
    return f"if repr({number}) != {repr(outcome)!r}: raise OtherPath"


def spec_of_result(x):
    return None if x is None else TensorSpec.from_tensor(Tensor.of(getattr(x, "value", x)))


def by_value(node):
    """Whether its shape depends on values."""
    if not isinstance(node.value, np.ndarray) or node.function is None or node.writes:
        return False
    if node.function is operator.getitem:
        keys = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
        masks = [key for key in keys if getattr(getattr(key, "value", key), "dtype", None) == np.bool_]
        whole = isinstance(getattr(node.args[0], "value", None), tuple)
        return bool(masks) or (whole and unknown(node.args[0].function))
    return unknown(node.function)


def unknown(function):
    """Whether the shape of its result may depend on values: it is in BY_VALUE, or is a function of minigrad."""
    if isinstance(function, (np.ufunc, Method)):
        return function in BY_VALUE
    named = hasattr(function, "__module__")
    return function in BY_VALUE or (named and str(function.__module__).startswith("minigrad"))
