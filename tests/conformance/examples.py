"""The calls in every docstring on both libraries: at the point that is written there, at edge points, and wrongly.

The floats in a call, alone or in lists, become Tensors that a tape watches. So one example gives a value, gradients and
gradients of gradients; and other numbers of the same shape, or of other shapes and dtypes, can be put in their place.
(How near the limits of floats both stay exact stands in tests/numerics.json.)
"""

import ast
import doctest
import re
import sys
import types
from dataclasses import dataclass

import numpy as np

from minigrad import later


@dataclass
class Call:
    """An expression in `tf`, in which `points[k]` stands for number k of the watched Tensors."""

    text: str
    points: list
    at: str = "as it is"

    def __str__(self):
        shown = [np.asarray(p).tolist() if np.size(p) else f"empty {np.shape(p)}" for p in self.points]
        return f"{self.text} at {shown} ({self.at})"


NO_OPS = {
    "autodiff",
    "classroom",
    "data",
    "engine",
    "explain",
    "graph",
    "inspector",
    "keras",
    "queue",
    "report",
    "tensorflow",
    "tracing",
    "train",
}


LATE = {"explain", "generator", "graph", "inspector", "tracing"}  # whose functions are in namespaces of ops once they are loaded


def calls(module):
    """The calls in the docstrings of a package's ops, each once; the same ones, whatever else of it has been imported."""
    later.load_all()
    outside = NO_OPS | {"experimental", "generator"}
    names = [name for name in sorted(sys.modules) if name.partition(".")[0] == module.__name__ and not outside & {*name.split(".")}]
    found = {}
    for space in [sys.modules[name] for name in names]:
        for _, function in sorted(vars(space).items()):
            own = isinstance(function, types.FunctionType) and function.__module__.startswith(module.__name__)
            if own and function.__doc__ and not LATE & {*function.__module__.split(".")}:
                for call in calls_in(function.__doc__):
                    found.setdefault(str(call), call)
    return list(found.values())


def calls_in(docstring):
    """The outermost calls of `mg` in an example that need nothing but literals."""
    for example in doctest.DocTestParser().get_examples(docstring):
        for node in outermost(ast.parse(example.source)):
            names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            bound = {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
            if names - bound <= {"mg", "range"}:
                lift = Lift()
                yield Call(re.sub(r"\bmg\.", "tf.", ast.unparse(lift.visit(node))), lift.points)


def outermost(node):
    """The calls of a function of `mg` that has a public name, but not those inside one."""
    if isinstance(node, ast.Call) and re.fullmatch(r"mg(?!\.(?:ops|engine)\b)(\.\w+)+", ast.unparse(node.func)):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from outermost(child)


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
            array = np.asarray(ast.literal_eval(node))
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
    "inf": lambda x: np.full_like(x, np.inf),
    "minus inf": lambda x: np.full_like(x, -np.inf),
    "nan": lambda x: np.full_like(x, np.nan),
    "one nan": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.float32(np.nan), x),
    "ties": lambda x: np.full_like(x, 0.5),
    "float64": lambda x: x.astype(np.float64),
    "int32": lambda x: x.astype(np.int32),
    "complex64": lambda x: x.astype(np.complex64),
    "empty": lambda x: x[:0] if x.ndim else x,
    "longer": lambda x: np.concatenate([x, x[:1]]) if x.ndim else np.stack([x, x]),
    "one axis more": lambda x: x[np.newaxis],
}
OF_THE_FIRST_ALONE = ["float64", "longer", "zeros", "one axis more"]


def variants(call):
    """The call at each point: all its arrays changed alike, or the first alone."""
    for at, change in EDGES.items():
        yield Call(call.text, [np.asarray(change(x)) for x in call.points], at)
        if not call.points:
            return
    for at in OF_THE_FIRST_ALONE if len(call.points) > 1 else []:
        yield Call(call.text, [np.asarray(EDGES[at](call.points[0])), *call.points[1:]], f"first: {at}")


def exists(call, tf):
    """Has the module all that the call names? (Not what VJPs alone use.)"""
    for path in re.findall(r"\btf((?:\.\w+)+)", call.text):
        one = tf
        for name in path[1:].split("."):
            if not hasattr(one, name):
                return False
            one = getattr(one, name)
    return True


def run(call, tf):
    """What the call gives, by name: its value, the gradients, and the gradients of those. An error is an answer too."""
    told = []
    tf.random.set_seed(1)
    points = [tf.constant(point) for point in call.points]
    smooth = [x for x in points if x.dtype.is_floating or x.dtype.is_complex]
    try:
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(smooth)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(smooth)
                value = eval(call.text, {"tf": tf, "points": points})
                parts = [one for one in tf.nest.flatten(value) if isinstance(one, tf.Tensor)]
                weighted = [y * (1.0 + y / 4.0) * weights(y) for y in parts if y.dtype.is_floating or y.dtype.is_complex]
            told.append(("value", parts))
            slopes = [inner.gradient(y, x) for y in weighted for x in points]
        told.append(("gradient", slopes))
        told.append(("second", [outer.gradient(dx, x) for dx in slopes if dx is not None for x in points]))
    except Exception as error:
        told.append(("error", error))
    return told


def weights(y):
    """Numbers that tell the elements apart, so that a gradient in the wrong place is seen."""
    return np.cos(np.arange(np.prod(y.shape, dtype=int))).reshape(tuple(y.shape)).astype(y.dtype.as_numpy_dtype)
