"""The backward pass: goes through the steps of a tape from newest to oldest, and accumulates gradients.

A step records that an op ran on a tracked input. It is a plain tuple, whose six fields are named here.
"""

import functools

import numpy as np

from .listening import listening
from .operands import OPS
from .rules import Batched, NoBatch, as_recorded
from .slices import SparseRows
from .tensor import Tensor

# A step: the id of the output (for several outputs a tuple: id, shape and dtype of each), the id of the input, the VJP,
# its further arguments as arrays and again as Tensors (for a recorded backward pass), and the shape of the input. (A
# NamedTuple would read as well, but takes thirteen times as long to make.)
OUTPUT, INPUT, VJP, ARRAYS, TENSORS, SHAPE = range(6)


def backward(steps, grads, source_ids, recorded=False):
    """Run the VJP of each step, newest first, and add its result to the gradient of the step's input.

    Steps, and gradients that are not requested, are dropped once used: memory use falls along the way.

    Args:
        steps: the steps of a tape; the list is emptied.
        grads: id -> initial gradient; filled in place and returned.
        source_ids: the ids whose gradients are kept.
        recorded: whether a tape records this pass; the VJPs then run as ops.
    """
    source_ids, current = set(source_ids), None
    traces = ()
    if listening.now:
        traces = [one for one in listening.now if one.follows(steps, grads, source_ids, recorded)]
    while steps:
        output, input, vjp, arrays, tensors, shape = step = steps.pop()
        if output != current:
            current, dy = output, grads.get(output) if output in source_ids else grads.pop(output, None)
            if output.__class__ is tuple:
                dy = upstream_of_many(output, grads, source_ids)
            elif dy.__class__ is SparseRows and not hasattr(vjp, "accepts_sparse"):
                dy = dy.dense()
        if dy is None:
            continue
        dx = vjp(dy, *map(as_recorded, tensors)) if recorded else vjp(dy, *arrays)
        if dx is None:
            continue
        if dx.shape != shape and not hasattr(vjp, "no_unbroadcast"):
            dx = unbroadcast(dx, shape)
        grads[input] = grads[input] + dx if input in grads else dx
        if traces:
            for trace in traces:
                trace.stepped_back(step, dy, dx)
    return grads


def upstream_of_many(outputs, grads, source_ids):
    """The gradients of the outputs of one op, with zeros for unused outputs; None if no output is used."""
    dys = [grads.get(i) if i in source_ids else grads.pop(i, None) for i, _, _ in outputs]
    if not some(dys):
        return None
    return [np.zeros(shape, dtype) if dy is None else dense(dy) for dy, (_, shape, dtype) in zip(dys, outputs)]


def output_ids(step):
    """The ids of the outputs of a step."""
    output = step[OUTPUT]
    return tuple([i for i, _, _ in output]) if output.__class__ is tuple else (output,)


def prune(steps, source_ids):
    """The steps through which a gradient can reach one of the sources."""
    reached, kept = set(source_ids), []
    for step in steps:
        if step[INPUT] in reached:
            reached.update(output_ids(step))
            kept.append(step)
    return kept


def unbroadcast(dx, shape):
    """Sum `dx` over the axes along which an input of this shape was broadcast."""
    if dx.shape[1:] == shape:  # a bias, nearly always
        if dx.__class__ is np.ndarray and dx.ndim == 2 and dx.dtype.char in "fd":
            return ones(len(dx), dx.dtype).dot(dx)  # a product adds rows two to four times faster
        return np.add.reduce(dx, 0)
    extra = len(dx.shape) - len(shape)
    if extra < 0 or any([n not in (1, m) for n, m in zip(shape, dx.shape[extra:])]):
        return dx  # a user's VJP returned this shape, and no sum makes it fit
    axes = tuple([i for i, n in enumerate(dx.shape) if i < extra or shape[i - extra] == 1 != n])
    return np.add.reduce(dx, axis=axes).reshape(shape)


@functools.lru_cache(maxsize=4)
def ones(length, dtype):
    """A cached vector of ones: most batches have equally many rows."""
    return np.ones(length, dtype)


# ---- many rows of a Jacobian ---------------------------------------------------------------------------------------


def backward_rows(steps, seeds, source_ids, recorded=False):
    """The backward passes for all rows of seeds, stacked: a single pass for all rows if the VJPs on the way allow it.

    Args:
        seeds: the id of the one target -> an array of shape (rows, *target.shape); None: nothing is connected.

    Returns:
        id -> an array of shape (rows, *source.shape), for the sources that are connected.
    """
    ((target, rows),) = seeds.items()
    if rows is None:
        return {}
    if not recorded:
        try:
            grads = backward(steps[:], {target: Batched(rows)}, source_ids)
            return {i: stacked(grads[i], len(rows)) for i in source_ids if i in grads}
        except NoBatch:
            for listener in listening.now:
                listener.gave_up()
    row_seeds = rows if len(rows) else np.zeros((1, *rows.shape[1:]), rows.dtype)  # one pass tells what is connected
    row_seeds = [as_recorded(Tensor.of(seed)) for seed in row_seeds] if recorded else row_seeds
    passes = [backward(steps[:], {target: seed}, source_ids, recorded) for seed in row_seeds]
    every_row = {i: [grads.get(i) for grads in passes] for i in source_ids}
    found = {i: [dense_or_zeros(dx, dxs) for dx in dxs] for i, dxs in every_row.items() if some(dxs)}
    return {i: OPS["stack"].np(dxs, 0)[: len(rows)] for i, dxs in found.items()}


def stacked(dx, rows):
    """The rows of a batched gradient; a plain array is the same for all rows."""
    return dx.value if dx.__class__ is Batched else np.broadcast_to(dx, (rows, *dx.shape))


def dense_or_zeros(dx, dxs):
    """A gradient as a dense array; zeros, in the shape of the others, if this row has none."""
    if dx is None:
        like = next(one for one in dxs if one is not None)
        return np.zeros(like.shape, like.dtype)
    return dense(dx)


def some(values):
    """Is any of them not None?"""
    return any([value is not None for value in values])


def dense(dx):
    """A gradient as a dense array."""
    return dx.dense() if dx.__class__ is SparseRows else dx
