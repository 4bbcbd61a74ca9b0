"""Is a derivative right? `mg.test.check_gradients` compares the tape with finite differences."""

import numpy as np

from . import math, nest
from .engine.op import convert
from .engine.tape import GradientTape, UnconnectedGradients
from .engine.tensor import Tensor

__all__ = ["check_gradients"]
__dir__ = __all__.copy  # what Tab offers

UPSTREAM = 1.5  # arrives at each output, on average: at 1, a rule that forgets what arrives would look right


def check_gradients(f, *inputs, order=2, delta=1e-5, rtol=1e-5, atol=1e-6) -> None:
    """Compare the tape's derivatives of `f` with central differences, in float64, to the given order.

    The slope is measured along one random direction for each input, so the cost does not grow with the size: it takes
    two calls of `f` for each input and order. The points should lie away from corners such as relu's at 0.

    Args:
        f: takes as many Tensors as there are `inputs`; gives a Tensor, or a nest of Tensors.
        *inputs: numbers, arrays or Tensors. Those of a float dtype become float64; others are passed on as they are.
        order: up to which derivative to go.
        delta: the step to each side.
        rtol, atol: how far the two numbers may be apart.

    Raises:
        AssertionError: they are further apart. It names the function, the input, the order and both numbers.

    >>> import minigrad as mg
    >>> mg.test.check_gradients(lambda x: x * mg.sin(x), 0.5)
    >>> mg.test.check_gradients(lambda x: x * x.numpy(), 3.0)
    Traceback (most recent call last):
    AssertionError: <lambda>, input 0, order 1: the tape says 3, finite differences say 6 (along one direction of length 1)
    """
    points = [in_float64(x) for x in inputs]
    check_order(f, points, 1, order, delta, rtol, atol, getattr(f, "__name__", "f"))


def check_order(f, points, now, order, delta, rtol, atol, name):
    total = weighted(f, points)
    gradients = slopes_of(total, points)
    for k, point in enumerate(points):
        if point.value.dtype.kind != "f":
            continue
        direction = random_like(point.value, k)
        tape_says = float(np.sum(gradients(*points)[k].value * direction)) / UPSTREAM
        rise = total(*moved(points, k, delta * direction)).value - total(*moved(points, k, -delta * direction)).value
        measured = float(rise / (2 * delta)) / UPSTREAM
        if not np.isclose(tape_says, measured, rtol, atol, equal_nan=False):
            raise AssertionError(
                f"{name}, input {k}, order {now}: the tape says {tape_says:.6g}, finite differences say {measured:.6g}"
                " (along one direction of length 1)"
            )
    if now < order:
        check_order(gradients, points, now + 1, order, delta, rtol, atol, name)


def in_float64(x):
    value = convert(x).value
    return Tensor.of(value.astype(np.float64) if value.dtype.kind == "f" else value)


def random_like(value, seed):
    """A direction of length 1, always the same one."""
    direction = np.random.default_rng(seed + 7).normal(size=value.shape)
    return direction / max(np.linalg.norm(direction), 1e-300) if value.ndim else np.float64(1.0)


def moved(points, k, step):
    """The points, with a step made in number k."""
    return [Tensor.of(p.value + step) if i == k else p for i, p in enumerate(points)]


def weighted(f, points):
    """`f` with its outputs added up, each element with a weight of its own, so that no mistake can cancel."""
    ys = outputs_of(f, points)
    weights = [random_like(y.value, 100 + i) * UPSTREAM * max(1.0, y.value.size**0.5) for i, y in enumerate(ys)]

    def total(*xs):
        ys = outputs_of(f, xs)
        parts = [math.reduce_sum(y * Tensor.of(np.asarray(w, y.value.dtype))) for y, w in zip(ys, weights, strict=True)]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole + part
        return whole

    return total


def outputs_of(f, xs):
    """The outputs through which gradients flow; of complex ones both parts."""
    ys = [convert(y) for y in nest.flatten(f(*xs)) if y is not None]
    parts = [(math.real(y), math.imag(y)) if y.value.dtype.kind == "c" else (y,) for y in ys if y.value.dtype.kind in "fc"]
    return [part for both in parts for part in both]


def slopes_of(total, points):
    """The function that gives the tape's gradients of `total`, zeros where nothing is connected."""

    def gradients(*xs):
        with GradientTape() as tape:
            tape.watch([x for x in xs if x.value.dtype.kind == "f"])
            y = total(*xs)
        found = tape.gradient(y, list(xs), unconnected_gradients=UnconnectedGradients.ZERO)
        return [convert(dx) for dx in found]  # of a gather it would be IndexedSlices

    return gradients
