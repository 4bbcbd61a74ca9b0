"""A traced run as a program to run: one line for each call of NumPy, without the engine between them."""

import linecache
import operator
import types

import numpy as np

from .. import nest
from ..engine import Tensor
from ..program.function import TensorSpec
from .text import OPERATORS
from .tidy import tidied
from .tracer import Attribute, Method, Node, method

NAMELESS = (bool, int, str, type(None), type(Ellipsis))  # what stands in the text as Python writes it
# The length of what these give is decided by numbers, not by shapes.
BY_VALUE = {np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.compress, np.extract, np.repeat, np.tile, np.pad,
            np.bincount, np.delete, np.insert, np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d,
            *map(method, ("nonzero", "compress", "repeat"))}  # fmt: skip


class OtherPath(Exception):
    """A decision fell otherwise than in the run that was traced, or an array has another shape."""


class Compiled:
    """A run's outputs, and the new values of Variables, from its inputs.

    Call it with the arrays of the arguments; what Variables hold is read here, and they are assigned in the end, so
    that a program which is left half-way (`OtherPath`) has changed nothing. No array of the run is kept.

    Attributes:
        outputs: a `TensorSpec` for each Tensor that the function returns.
    """

    def __init__(self, run, name):
        self.space, self.text = {"OtherPath": OtherPath}, {}
        variables = run.variable_inputs()
        self.variables = list(variables.values())
        self.assigned = [variables[name] for name in run.assigned]
        free = [name for name, one in variables.items() if not one.shape.is_fully_defined()]
        self.shapes = [(variables[name], run.inputs[name].value.shape) for name in free]
        results = [*run.leaves(), *run.assigned.values()]
        guards = [(node, outcome) for _, node, outcome in run.graph.guards]
        effects = [node for node in run.graph.nodes if node.effect]
        wanted = [*results, *(node for node, _ in guards), *effects]
        nodes, now = tidied(run.graph.nodes, [one for one in wanted if one.__class__ is Node])
        self.decisions = {}
        for node, outcome in guards:
            if now(node).__class__ is Node:
                self.decisions.setdefault(now(node), []).append(outcome)
        arguments = [one for one in run.inputs if one not in variables]
        for k, one in enumerate([*arguments, *variables]):
            self.text[run.inputs[one]] = f"x{k}"
        given = ", ".join(f"x{k}" for k in range(len(run.inputs)))
        lines = [line for node in sorted(nodes, key=lambda node: node.effect) for line in self.lines(node)]
        new = ", ".join(self.of(now(one)) for one in run.assigned.values())
        returned = self.structure(run.result, now)
        source = "\n    ".join([f"def {name}({given}):", *lines, f"return {returned}, [{new}]"]) + "\n"
        file = f"<compiled {name} {id(self)}>"
        code = next(one for one in compile(source, file, "exec").co_consts if isinstance(one, types.CodeType))
        self.program = types.FunctionType(code, self.space)
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        self.outputs = nest.map_structure(spec_of_result, run.result)
        del self.text, self.decisions  # which hold the arrays of the run

    def __call__(self, arrays):
        """What the function returns.

        Raises:
            OtherPath: the run that was traced does not hold for these arrays.
        """
        if any([variable._now.value.shape != shape for variable, shape in self.shapes]):
            raise OtherPath
        found, new = self.program(*arrays, *[variable._now.value for variable in self.variables])
        for variable, value in zip(self.assigned, new):
            variable._assigned(value, None, "assign", read_value=False)
        return found

    # ---- the text --------------------------------------------------------------------------------------------------

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
        function, args = node.function, [self.of(x) for x in node.args]
        if function is operator.getitem:
            return f"{args[0]}[{args[1]}]"
        if isinstance(function, Attribute):
            return f"{args[0]}.{function.name}"
        kwargs = [f"{k}={self.of(x)}" for k, x in node.kwargs.items()]
        if isinstance(function, Method):
            return f"{args[0]}.{function.name}({', '.join([*args[1:], *kwargs])})"
        if function in OPERATORS and function is not np.power and not kwargs:
            return f"{args[0]} {OPERATORS[function]} {args[1]}"
        return f"{self.constant(function)}({', '.join([*args, *kwargs])})"

    def structure(self, result, now):
        """The nest that the function returns, of new Tensors."""
        if result is None:
            return "None"
        if not nest.is_nested(result):
            return f"{self.constant(Tensor.of)}({self.of(now(result))})"
        if type(result) in (list, tuple):
            parts = ", ".join(self.structure(one, now) for one in result)
            return f"[{parts}]" if type(result) is list else f"({parts}{',' * (len(result) == 1)})"
        leaves = ", ".join(self.structure(one, now) for one in nest.flatten(result))
        like = nest.map_structure(lambda _: None, result)
        return f"{self.constant(nest.pack_sequence_as)}({self.constant(like)}, [{leaves}])"

    def of(self, x):
        """A Node or a constant, as the text names it."""
        if x.__class__ is Node:
            return self.text[x]
        if isinstance(x, (tuple, list)):
            inner = ", ".join(map(self.of, x))
            return f"({inner}{',' * (len(x) == 1)})" if isinstance(x, tuple) else f"[{inner}]"
        if isinstance(x, slice):
            return f"slice({', '.join(map(self.of, (x.start, x.stop, x.step)))})"
        return repr(x) if x.__class__ in NAMELESS and x is not Ellipsis else self.constant(x)

    def constant(self, x):
        name = next((name for name, one in self.space.items() if one is x), None) or f"c{len(self.space)}"
        self.space[name] = x
        return name


def otherwise(x, node, outcome):
    """The line that leaves the program where a decision falls otherwise. A NaN is one outcome, and -0.0 is not 0.0."""
    if isinstance(outcome, bool):
        return f"if bool({x}) is not {outcome}: raise OtherPath"
    number = f"{x}.item()" if hasattr(node.value, "item") else x
    return f"if repr({number}) != {repr(outcome)!r}: raise OtherPath"


def spec_of_result(x):
    return None if x is None else TensorSpec.from_tensor(Tensor.of(getattr(x, "value", x)))


def by_value(node):
    """Do numbers decide which shape it has?"""
    if not isinstance(node.value, np.ndarray) or node.function is None or node.writes:
        return False
    if node.function is operator.getitem:
        keys = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
        masks = [key for key in keys if getattr(getattr(key, "value", key), "dtype", None) == np.bool_]
        whole = node.args[0].__class__ is Node and isinstance(node.args[0].value, tuple)
        return bool(masks) or (whole and unknown(node.args[0].function))
    return unknown(node.function)


def unknown(function):
    """Is it one whose shape numbers may decide: of these, or a function of ours?"""
    if isinstance(function, (np.ufunc, Method)):
        return function in BY_VALUE
    named = hasattr(function, "__module__")
    return function in BY_VALUE or (named and str(function.__module__).startswith("minigrad"))
