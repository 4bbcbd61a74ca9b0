"""The calls in every op's docstring, on any module with TensorFlow's API: at the point that is written there, at edge points, and wrongly.

The lists of floats in a call, and the floats that stand alone as positional arguments, become Tensors that a tape watches. So one
example gives a value, gradients, and gradients of gradients; and other numbers of the same shape can be put in their place.
"""

import ast
import doctest
import re
import types
from dataclasses import dataclass

import numpy as np


@dataclass
class Call:
    """A call of the API as an expression in `tf`, in which `points[k]` stands for number k of the watched Tensors."""

    op: str
    text: str
    points: list

    def __str__(self):
        return f"{self.text}, points = {[np.asarray(p).tolist() for p in self.points]}"


def calls(module):
    """The calls in the docstrings of a module's functions, one after the other."""
    found = {}
    for space in (module, *(value for _, value in sorted(vars(module).items()) if isinstance(value, types.ModuleType))):
        for name, value in sorted(vars(space).items()):
            if isinstance(value, types.FunctionType) and value.__doc__ and value.__module__.startswith(module.__name__):
                for call in calls_in(f"{space.__name__}.{name}".partition(".")[2], value.__doc__, module):
                    found.setdefault(call.text + repr(call.points), call)
    return list(found.values())


def calls_in(name, docstring, module):
    """The outermost calls of `mg` in the lines of an example that need nothing but literals."""
    examples = [example.source for example in doctest.DocTestParser().get_examples(docstring)]
    for source in examples:
        for node in outermost(ast.parse(source)):
            names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            bound = {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
            if names - bound <= {"mg", "np", "float", "int", "range", "dict", "list", "print"} and "tape" not in names:
                lift = Lift()
                text = ast.unparse(lift.visit(node))
                yield Call(name, re.sub(r"\bmg\.", "tf.", text), lift.points)


def outermost(tree):
    """The calls of a function of `mg`, but not those inside one."""
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute) and root(tree.func) == "mg":
        yield tree
        return
    for child in ast.iter_child_nodes(tree):
        yield from outermost(child)


def root(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


class Lift(ast.NodeTransformer):
    """Puts `points[k]` for each literal of floats that is a positional argument."""

    def __init__(self):
        self.points = []

    def visit_Call(self, node):
        node.args = [self.lifted(one) for one in node.args]
        node.keywords = [ast.keyword(one.arg, self.visit(one.value)) for one in node.keywords]
        return node

    def lifted(self, node):
        try:
            value = ast.literal_eval(node)
            array = np.asarray(value)
        except ValueError:
            return self.visit(node)
        if array.dtype.kind != "f":
            return node
        self.points.append(array.astype(np.float32))
        return ast.parse(f"points[{len(self.points) - 1}]", mode="eval").body


EDGES = {
    "as it is": lambda x: x,
    "zeros": np.zeros_like,
    "minus zeros": lambda x: -np.zeros_like(x),
    "ones": np.ones_like,
    "minus ones": lambda x: -np.ones_like(x),
    "negated": lambda x: -x,
    "large": lambda x: x * np.float32(1e20),
    "small": lambda x: x * np.float32(1e-20),
    "denormal": lambda x: np.sign(x) * np.float32(1e-42),
    "inf": lambda x: np.full_like(x, np.inf),
    "minus inf": lambda x: np.full_like(x, -np.inf),
    "nan": lambda x: np.full_like(x, np.nan),
    "one nan": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.float32(np.nan), x),
    "ties": lambda x: np.full_like(x, 0.5),
    "float64": lambda x: x.astype(np.float64),
    "float16": lambda x: x.astype(np.float16),
    "int32": lambda x: x.astype(np.int32),
    "complex64": lambda x: x.astype(np.complex64),
    "empty": lambda x: x[:0] if x.ndim else x,
    "longer": lambda x: np.concatenate([x, x[:1]]) if x.ndim else np.stack([x, x]),
    "one axis more": lambda x: x[np.newaxis],
}
ONE_ONLY = {
    "first of float64": lambda x: x.astype(np.float64),
    "first longer": EDGES["longer"],
    "first zero": np.zeros_like,
    "first of one axis more": EDGES["one axis more"],
    "first scalar": lambda x: np.float32(0.5),
}


def exists(call, tf):
    """Has the module all that the call names? (What rules alone use, TensorFlow's API has not.)"""
    for path in re.findall(r"\btf((?:\.\w+)+)", call.text):
        one = tf
        for name in path[1:].split("."):
            if not hasattr(one, name):
                return False
            one = getattr(one, name)
            if isinstance(one, type):
                break
    return True


def variants(call):
    """The call at each point: all its arrays changed alike, or the first alone."""
    for name, change in EDGES.items():
        yield name, Call(call.op, call.text, [np.asarray(change(x)) for x in call.points])
        if not call.points:
            return
    if len(call.points) > 1:
        for name, change in ONE_ONLY.items():
            yield name, Call(call.op, call.text, [np.asarray(change(call.points[0])), *call.points[1:]])


def run(call, tf):
    """What the call gives: its value, the gradients, and the gradients of those; an error is an answer too."""
    told = []
    points = [tf.constant(point) for point in call.points]
    try:
        with tf.GradientTape(persistent=True) as outer:
            outer.watch([x for x in points if x.dtype.is_floating or x.dtype.is_complex])
            with tf.GradientTape(persistent=True) as inner:
                inner.watch([x for x in points if x.dtype.is_floating or x.dtype.is_complex])
                value = eval(call.text, {"tf": tf, "np": np, "points": points})
                leaves = tensors_in(value, tf)
            told.append(("value", told_of(value)))
            firsts = [[inner.gradient(y, x) for x in points] for y in leaves]
        told.append(("gradients", firsts))
        dense = [dx for row in firsts for dx in row if dx is not None]
        told.append(("second", [[outer.gradient(dx, x) for x in points] for dx in dense]))
    except Exception as error:
        told.append(("error", error))
    return told


def tensors_in(value, tf):
    """The Tensors in a value through which gradients can flow, bent, and with a weight of its own for each element."""
    flat = [one for one in tf.nest.flatten(value) if isinstance(one, tf.Tensor) and one.dtype.is_floating]
    return [y * (1.0 + y / 4.0) * weights(y) for y in flat]


def weights(y):
    return np.cos(np.arange(np.prod(y.shape, dtype=int))).reshape(tuple(y.shape)).astype(y.dtype.as_numpy_dtype)


def told_of(value):
    """Functions, iterators and other things that are no values are told by nothing."""
    return None if callable(value) or isinstance(value, types.GeneratorType) else value
