"""Find the axis lengths of two shapes that keep an op, or something else that compares shapes, from running."""

import itertools
import math

import numpy as np

from ..tracing.log import Shaped, shapes_given

PRIMES = 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47
MOST_INPUTS, MOST_PAIRS, MOST_ELEMENTS = 6, 16, 1_000_000  # that are tried


def misfit(op, arguments) -> tuple:
    """What does not fit in the arguments of an op that raised, as the event Failed has them.

    Returns:
        (shapes, pairs, text): the two shapes to show, the fewest pairs of axes that let the op run once those of each
        pair have any common length, and both sides of each. An axis is [first, end]: of `reshape` all of them count.
    """
    shapes = [*shapes_in(arguments)]
    found = pairs_of_something_else(*shapes) if isinstance(op, str) else None
    if found is None and len(shapes) > 1 and not runs(op, arguments, shapes):  # otherwise it did not refuse the shapes
        found = whole(op, arguments, shapes) or fewest(op, arguments, shapes) or of_two(op, arguments)
    return found or (shapes[:2], [], "")


def pairs_of_something_else(first, second):
    """As `misfit`, for what needs equal shapes; None is any length."""
    if len(first) != len(second):
        return [first, second], [[[0, len(first)], [0, len(second)]]], f"{len(first)} ≠ {len(second)} axes"
    axes = [k for k, both in enumerate(zip(first, second)) if None not in both and both[0] != both[1]]
    return [first, second], [[[k, k + 1]] * 2 for k in axes], ", ".join(f"{first[k]} ≠ {second[k]}" for k in axes)


def whole(op, arguments, shapes):
    """As `misfit`, for an op that makes another shape of all elements; None for other ops."""
    first, *_, last = shapes
    size = math.prod(n for n in last if n != -1)
    if "shape" in arguments and runs(op, arguments, [(size,), *shapes[1:]]):
        return [first, last], [[[0, len(first)], [0, len(last)]]], f"{math.prod(first)} ≠ {size}{'·n' * (-1 in last)}"
    return None


def fewest(op, arguments, shapes):
    """As `misfit`, for two of several arrays; None if no three pairs of axes let the op run."""
    tried = [*itertools.combinations(range(min(len(shapes), MOST_INPUTS)), 2)]
    for count, (a, b) in itertools.product((1, 2, 3), tried):
        first, second = shapes[a], shapes[b]
        for some in map(sorted, itertools.combinations(unequal_axes(first, second)[:MOST_PAIRS], count)):
            if any(runs(op, arguments, one) for one in with_common_lengths(shapes, a, b, some)):
                text = ", ".join(f"{first[i]} ≠ {second[j]}" for i, j in some)
                return [first, second], [[[i, i + 1], [j, j + 1]] for i, j in some], text
    return None


def of_two(op, arguments):
    """As `misfit`, for the first two arrays of a list that do not even fit each other; None if there are none."""
    for name, several in arguments.items():
        for two in itertools.combinations(several[:MOST_INPUTS] if isinstance(several, list) else (), 2):
            fewer = {**arguments, name: [*two]}
            first, second = shapes = [*shapes_in(fewer)][:2]
            if not runs(op, fewer, shapes):
                unequal = pairs_of_something_else(*shapes) if len(first) != len(second) else None
                return fewest(op, fewer, shapes) or unequal
    return None


def unequal_axes(first, second) -> list:
    """The pairs of axes with unequal lengths: those first that are equally far from the last axes, from these on.

    (A length below 0, as `reshape` takes it, is none.)
    """
    pairs = [(i, j) for i, a in enumerate(first) for j, b in enumerate(second) if a != b and b >= 0]
    return sorted(pairs, key=lambda pair: (abs(len(first) - pair[0] - len(second) + pair[1]), -pair[0]))


def with_common_lengths(shapes, a, b, pairs):
    """The shapes with a new length for each pair of axes of a and b: a prime, which no other length divides or has.

    Then the shapes with it in the others too: at an axis with the length of one of the pair, as far from the last axis.
    """
    if len({i for i, _ in pairs}) < len(pairs) or len({j for _, j in pairs}) < len(pairs):
        return
    free = [n for n in PRIMES if not any(n in shape for shape in shapes)]
    new, lengths = [[*shape] for shape in shapes], [*zip(pairs, free)]
    for (i, j), length in lengths:
        new[a][i] = new[b][j] = length
    yield new
    for ((i, j), length), c in itertools.product(lengths, {*range(len(shapes))} - {a, b}):
        for shape, axis in ((shapes[a], i), (shapes[b], j)):
            place = axis - len(shape)
            if -place <= len(shapes[c]) and shapes[c][place] == shape[axis]:
                new[c][place] = length
    if len(shapes) > 2:
        yield new


def shapes_in(arguments):
    """The shape of each array, and at the end the shape that `reshape`, say, was asked for."""
    yield from [one.shape for one in shapes_given(arguments)]
    if isinstance(arguments.get("shape"), tuple):
        yield arguments["shape"]


def runs(op, arguments, shapes) -> bool:
    """Whether an op runs with arrays of these shapes (and the last of `shapes_in` as its `shape`)."""
    rest = iter([tuple(shape) for shape in shapes])

    def array(one):
        return np.zeros(next(rest), one.dtype) if isinstance(one, Shaped) else one

    if sum(math.prod(shape) for shape in shapes) > MOST_ELEMENTS:
        return False
    try:
        new = {name: [*map(array, one)] if isinstance(one, list) else array(one) for name, one in arguments.items()}
        op(**{**new, **dict(zip(["shape"], rest))})
    except Exception:
        return False
    return True
