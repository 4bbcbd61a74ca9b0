"""tf.test: `check_gradients` compares the derivatives computed by a tape with finite differences."""

import numpy as np

from . import math, nest
from .engine import Tensor, convert
from .engine.tape import GradientTape, UnconnectedGradients

__all__ = ["check_gradients"]
__dir__ = __all__.copy  # what Tab offers

UPSTREAM = 1.5  # scale of the upstream gradients; with 1, a VJP that ignores its upstream gradient would pass


def check_gradients(f, *inputs, order=2, delta=1e-5, rtol=1e-5, atol=1e-6) -> None:
    """Compare the derivatives of `f` computed by a tape with central differences, in float64.

    Each input is tested along one random direction, so the cost does not grow with its size: two calls of `f` for each
    input and order. The inputs should not be close to points without a derivative, such as 0 for relu.

    Args:
        f: takes as many Tensors as there are `inputs`, and returns a Tensor or a nest of Tensors.
        *inputs: numbers, arrays or Tensors. Floats become float64; others are passed on unchanged.
        order: the highest order of derivatives to test.
        delta: the step of the central difference to each side.
        rtol, atol: the relative and absolute tolerance.

    Raises:
        AssertionError: the two differ by more. The message gives the function, the input, the order and both numbers.

    >>> import minigrad as mg
    >>> mg.test.check_gradients(lambda x: x * mg.sin(x), 0.5)
    >>> mg.test.check_gradients(lambda x: x * x.numpy(), 3.0)
    Traceback (most recent call last):
    AssertionError: <lambda>, input 0, order 1: the tape says 3, finite differences say 6
    (along one direction of length 1)
    """
    points = [to_float64(x) for x in inputs]
    if not any(one.value.dtype.kind == "f" for one in points):
        raise TypeError("No input is a float, so there is no derivative to test: write 1.0 for 1")
    check_derivatives(f, points, 1, order, delta, rtol, atol, getattr(f, "__name__", "f"))


def check_derivatives(f, points, now, order, delta, rtol, atol, name):
    """Test the first derivatives of `f`, which count as order `now`, and then those of its gradients, up to `order`."""
    total = weighted_sum(f, points)
    gradients = gradients_of(total)
    for k, point in enumerate(points):
        if point.value.dtype.kind != "f":
            continue
        direction = random_like(point.value, k)
        tape_says = np.sum(gradients(*points)[k].value * direction) / UPSTREAM**now
        step = delta * direction
        difference = total(*shifted(points, k, step)).value - total(*shifted(points, k, -step)).value
        measured = difference / (2 * delta) / UPSTREAM**now
        if not np.isclose(tape_says, measured, rtol, atol, equal_nan=False):
            problem = f"{name}, input {k}, order {now}: the tape says {tape_says:.6g},"
            raise AssertionError(f"{problem} finite differences say {measured:.6g} (along one direction of length 1)")
    if now < order:
        check_derivatives(gradients, points, now + 1, order, delta, rtol, atol, name)


def to_float64(x):
    """Convert to a Tensor; floats become float64."""
    value = convert(x).value
    return Tensor.of(value.astype(np.float64) if value.dtype.kind == "f" else value)


def random_like(value, seed):
    """A random vector of norm 1 in the shape of a value, the same for the same seed."""
    direction = np.random.default_rng(seed).normal(size=value.shape)
    return direction / np.linalg.norm(direction) if value.ndim else np.float64(1.0)


def shifted(points, k, step):
    """The points, with a step added to the one at index k."""
    return [Tensor.of(p.value + step) if i == k else p for i, p in enumerate(points)]


def weighted_sum(f, points):
    """A function that sums all outputs of `f`, weighting each element differently so that errors do not cancel."""
    values = [y.value for y in outputs_of(f, points)]
    weights = [random_like(y, seed) * UPSTREAM * y.size**0.5 for seed, y in enumerate(values, len(points))]

    def total(*xs):
        ys = outputs_of(f, xs)
        return math.add_n([math.reduce_sum(y * np.asarray(w, y.value.dtype)) for y, w in zip(ys, weights)])

    return total


def outputs_of(f, xs):
    """The float outputs of `f`, and the real and imaginary parts of the complex ones."""
    ys = [convert(y) for y in nest.flatten(f(*xs)) if y is not None]
    return [part for y in ys if y.value.dtype.kind in "fc" for part in real_parts(y)]


def real_parts(y):
    """A real Tensor itself, or the real and imaginary parts of a complex one."""
    return (math.real(y), math.imag(y)) if y.value.dtype.kind == "c" else (y,)


def gradients_of(total):
    """A function that returns the gradients of `total` by a tape; zeros for inputs that it does not depend on."""

    def gradients(*xs):
        with GradientTape() as tape:
            tape.watch([x for x in xs if x.value.dtype.kind == "f"])
            y = total(*xs)
        found = tape.gradient(y, list(xs), unconnected_gradients=UnconnectedGradients.ZERO)
        return [convert(dx) for dx in found]  # the gradient of `gather` is IndexedSlices

    return gradients
