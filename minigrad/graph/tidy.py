"""Removes the calls that a careful person would leave out: unused, without effect, or made before."""

import operator

import numpy as np

from .tracer import Node, mapped


def tidied(nodes, wanted):
    """The calls needed for the wanted ones, in order, and what each of `nodes` has become.

    Args:
        nodes: the calls of a run; their arguments are replaced.
        wanted: the Nodes whose values are needed.

    Returns:
        A list of Nodes; and a function that returns the Node (or constant) that now stands for a given Node.
    """
    written = {node.writes.root for node in nodes if node.writes}
    instead, seen = {}, {}

    def now(x):
        return instead.get(x, x) if x.__class__ is Node else x

    for node in nodes:
        if node.root is not node:
            node.root = now(node.root).root
        node.args, node.kwargs = mapped(now, node.args), {k: mapped(now, x) for k, x in node.kwargs.items()}
        for k in range(len(node.args)) if elementwise(node) else ():
            node.args = (*node.args[:k], lighter(node, k, written), *node.args[k + 1 :])
        alone = node.writes or node.effect or node.function is None
        if alone or any(x.root in written for x in (node, *node.inputs())):
            continue
        same = unchanged(node)
        same = seen.setdefault(key_of(node), node) if same is None else same
        if same is not node:
            instead[node] = same
    return needed(nodes, {now(one) for one in wanted}), now


def needed(nodes, wanted):
    """The Nodes whose values are used, found from last to first. A write is needed if its target is."""
    wanted, kept = {one for one in wanted if one.__class__ is Node}, []
    roots = {node.root for node in wanted}
    for node in reversed(nodes):
        if node.writes.root in roots if node.writes else node in wanted or node.effect:
            kept.append(node)
            wanted.update(node.inputs())
            roots.update(one.root for one in node.inputs())
    return kept[::-1]


def elementwise(node):
    """Whether each element of the result depends on one element of each argument."""
    function = node.function
    ufunc = isinstance(function, np.ufunc) and function.signature is None
    return (ufunc or function in (operator.pow, np.where)) and not node.kwargs


def unchanged(node):
    """The argument that a call returns unchanged; None if the call does more."""
    x, *others = node.args or (None,)
    if x.__class__ is not Node and others and node.function is np.multiply:
        x, others = others[0], [x]
    if isinstance(x, (bool, np.bool_)) and node.function is np.where:  # the condition is constant
        x = others[0 if x else 1]
    if x.__class__ is not Node or layout(x) is None or layout(x) != layout(node):
        return None
    by_one = node.function in (np.multiply, np.divide, operator.pow) and is_one(others[0])
    same = node.function is np.broadcast_to or (node.function is np.where and node.args[0].__class__ is not Node)
    same = same or getattr(node.function, "name", "") in ("reshape", "astype", "copy")
    return x if by_one or same else None


def layout(node):
    """The shape and the dtype of a result; None if it is no array, but several, or a number of Python."""
    return (node.value.shape, node.value.dtype) if isinstance(node.value, (np.ndarray, np.generic)) else None


def is_one(x):
    return isinstance(x, (np.generic, int, float)) and x == 1


def lighter(node, k, written):
    """Argument k of an elementwise call, made smaller if the result keeps its shape."""
    x = node.args[k]
    shapes = [getattr(getattr(y, "value", y), "shape", ()) for j, y in enumerate(node.args) if j != k]
    spread = x.__class__ is Node and x.function is np.broadcast_to and x.root not in written
    small = x.args[0] if spread else x
    small = small.flat[0] if is_uniform(small) else small
    shapes.append(getattr(getattr(small, "value", small), "shape", ()))
    return small if np.broadcast_shapes(*shapes) == node.value.shape else x


def is_uniform(x):
    """Whether it is an array that repeats one number. (0.0 and -0.0 differ.)"""
    known = isinstance(x, np.ndarray) and x.size and x.dtype.kind in "fciub"
    return known and x.tobytes() == x.flat[0].tobytes() * x.size


def key_of(node):
    """A key that is equal for calls with the same result."""
    return node.function, key(node.args), tuple([(name, key(node.kwargs[name])) for name in sorted(node.kwargs)])


def key(x):
    """An argument as a key: arrays and scalars by their bytes, so that 0.0 and -0.0 differ."""
    if isinstance(x, (tuple, list)):
        return type(x), tuple(map(key, x))
    if isinstance(x, slice):
        return slice, key(x.start), key(x.stop), key(x.step)
    if isinstance(x, np.ndarray):
        return "array", x.dtype.str, x.shape, x.tobytes() if x.dtype != object else id(x)
    if isinstance(x, (np.generic, float, complex)):
        return type(x), repr(x)
    try:
        hash(x)
    except TypeError:
        return "object", id(x)
    return type(x), x
