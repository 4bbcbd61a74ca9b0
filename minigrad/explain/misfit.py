"""Find the axis lengths of two shapes that keep an op from running."""

import itertools
import math

import numpy as np


def misfit(shapes, op) -> list:
    """The fewest pairs of mismatched axes that let the op run once the two axes of each pair have any common length."""
    first, second = shapes if len(shapes) == 2 else ((), ())
    pairs = [(i, j) for i in range(len(first)) for j in range(len(second)) if first[i] != second[j]]
    pairs.sort(key=lambda pair: (abs(len(first) - pair[0] - len(second) + pair[1]), -pair[0]))  # from the last axes on
    free = next(n for n in range(5, 100) if n not in (*first, *second))
    choices = [some for count in (1, 2, 3) for some in itertools.combinations(pairs[:16], count)]
    return next(([[*pair] for pair in sorted(some)] for some in choices if fits(op, first, second, some, free)), [])


def fits(op, first, second, pairs, free) -> bool:
    """Whether an op runs with the axes of each pair at a common length that no other axis has."""
    if len({i for i, _ in pairs}) < len(pairs) or len({j for _, j in pairs}) < len(pairs):
        return False
    one, two = list(first), list(second)
    for k, (i, j) in enumerate(pairs):
        one[i] = two[j] = free + k
    if math.prod(one) + math.prod(two) > 1_000_000:
        return False
    try:
        op.np(np.zeros(one, np.float32), np.zeros(two, np.float32))
    except Exception:
        return False
    return True
