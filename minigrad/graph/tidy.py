"""What a careful person leaves out: calls that nobody needs, that change nothing, or that were made before."""

import operator

import numpy as np

from .tracer import Attribute, Node, leaves, mapped


def tidied(nodes, wanted):
    """The calls that are needed for the wanted ones, in their order, and what each of `nodes` has become.

    Args:
        nodes: the calls of a run; what they are called with is replaced.
        wanted: the Nodes whose values are asked for.

    Returns:
        A list of Nodes; and a function that gives for a Node the one (or the constant) that stands for it now.
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
    """Those whose values are used, from the last to the first: writing is needed if what it writes into is."""
    wanted, kept = {one for one in wanted if one.__class__ is Node}, []
    roots = {node.root for node in wanted}
    for node in reversed(nodes):
        if node.writes.root in roots if node.writes else node in wanted or node.effect:
            kept.append(node)
            wanted.update(node.inputs())
            roots.update(one.root for one in node.inputs())
    return kept[::-1]


def elementwise(node):
    """Does each element of the result depend on one element of each argument?"""
    function = node.function
    ufunc = isinstance(function, np.ufunc) and function.signature is None
    return (ufunc or function in (operator.pow, np.where)) and not node.kwargs


def unchanged(node):
    """The argument that a call gives back as it was; None if it does more."""
    x, *others = node.args or (None,)
    if x.__class__ is not Node and others and node.function is np.multiply:
        x, others = others[0], [x]
    if x.__class__ is not Node or getattr(x.value, "shape", None) != getattr(node.value, "shape", ()):
        return None
    if x.value.dtype != node.value.dtype:
        return None
    moves = isinstance(node.function, Attribute) and x.value.ndim > 1
    name = getattr(node.function, "name", "") if not moves else ""
    by_one = node.function in (np.multiply, np.divide, operator.pow) and is_one(others[0])
    return x if by_one or name in ("reshape", "astype", "copy") or node.function is np.broadcast_to else None


def is_one(x):
    return isinstance(x, (np.generic, int, float)) and x == 1


def lighter(node, k, written):
    """An argument of an elementwise call, which need not be as large as the result if another one is."""
    x = node.args[k]
    shapes = [getattr(getattr(y, "value", y), "shape", ()) for j, y in enumerate(node.args) if j != k]
    spread = x.__class__ is Node and x.function is np.broadcast_to and x.root not in written
    small = x.args[0] if spread else x.flat[0] if is_uniform(x) else x
    shapes.append(getattr(getattr(small, "value", small), "shape", ()))
    return small if np.broadcast_shapes(*shapes) == node.value.shape else x


def is_uniform(x):
    """Is it an array of one number again and again? (0.0 and -0.0 are two.)"""
    known = isinstance(x, np.ndarray) and x.size and x.dtype.kind in "fciub"
    return known and x.tobytes() == x.flat[0].tobytes() * x.size


def key_of(node):
    """What two calls share that give the same."""
    kwargs = tuple(sorted(node.kwargs.items(), key=lambda pair: pair[0]))
    return node.function, *[mapped_key(x) for x in leaves_with_structure((node.args, kwargs))]


def leaves_with_structure(x):
    if isinstance(x, (tuple, list)):
        yield type(x), len(x)
        for y in x:
            yield from leaves_with_structure(y)
    elif isinstance(x, slice):
        yield slice
        yield from leaves(x)
    else:
        yield x


def mapped_key(x):
    """A leaf as something to compare: arrays and scalars by their bytes, so that 0.0 and -0.0 differ."""
    if isinstance(x, np.ndarray):
        return "array", x.dtype.str, x.shape, x.tobytes() if x.dtype != object else id(x)
    if isinstance(x, (np.generic, float, complex)):
        return type(x), repr(x)
    try:
        hash(x)
    except TypeError:
        return "object", id(x)
    return type(x), x
