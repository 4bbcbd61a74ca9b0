"""micrograd: single numbers, with +, *, ** and relu. A user who wants a sine writes it the way its own ops are written."""

import math
import sys

from micrograd.engine import Value

from .. import workloads as w

sys.setrecursionlimit(100 * w.CHAIN)  # its backward pass calls itself for each op


def sin(x):
    y = Value(math.sin(x.data), (x,), "sin")

    def backward():
        x.grad += math.cos(x.data) * y.grad

    y._backward = backward
    return y


def chain(next_of):
    def setup():
        def step():
            x = y = Value(0.7)
            for _ in range(w.CHAIN // 3):
                y = next_of(y, x)
            y.backward()
            return y.data, [x.grad]

        return step

    return setup


setups = {"W2": chain(lambda y, x: sin(y * x + x)), "W2f": chain(lambda y, x: sin(y * 1.01 + 0.1))}
