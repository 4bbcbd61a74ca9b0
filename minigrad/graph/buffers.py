"""Assigns calls of a compiled program to buffers, which are kept between runs and reused as soon as they are free."""

import operator
import sys

import numpy as np

from .tracer import Method, Node, is_numpys

LARGE = 2**15  # bytes: the previous array of a Variable of this size or more is kept


class Plan:
    """Which call of a program writes into which buffer.

    An elementwise call may overwrite an input that is read for the last time. Results, and everything that shares
    memory with them, are written into new arrays. A large Variable that is assigned alternates between two arrays: its
    new value is written into the one it held before its current one.

    Attributes:
        of: Node -> the name of the buffer that it writes into.
        layouts: name -> shape, dtype and order of a buffer.
        former: name -> the Node of the value that a Variable holds before the assignment; its array is kept under that
            name.
    """

    def __init__(self, nodes, returned, assigned):
        """Choose the buffers.

        Args:
            nodes: the calls of the program, in their order.
            returned: the results, Nodes and constants.
            assigned: the values of each assigned Variable before and after the run.
        """
        self.of, self.layouts, self.former = {}, {}, {}
        for before, after in assigned:
            layout = layout_of_array(before.value)
            if before.value.nbytes >= LARGE and layout and layout_of(after) == layout:
                self.of[after] = name = f"former{len(self.former)}"
                self.former[name] = before
        results = [*returned, *(after for _, after in assigned)]
        outlive = {one.root for one in results if one.__class__ is Node}
        self.choose(nodes, outlive.union(*[roots(node) for node in nodes if not stateless(node.function)]))

    def choose(self, nodes, outlive):
        last, held, free = {}, {}, []
        for node in nodes:
            last |= dict.fromkeys((node.root, *roots(node)), node)
        for node in nodes:
            over = [held.pop(root) for root in roots(node) if root in held and last[root] is node]
            before, after = (over, []) if elementwise(node) else ([], over)
            free += before
            if node.root not in outlive and layout_of(node):
                held[node] = self.of[node] = self.buffer(layout_of(node), free)
            free += after

    def buffer(self, layout, free):
        """The name of a free buffer with this layout, or of a new one."""
        name = next((name for name in reversed(free) if self.layouts[name] == layout), None)
        if name:
            free.remove(name)
        else:
            name = f"b{len(self.layouts)}"
            self.layouts[name] = layout
        return name


class Buffers:
    """The arrays that a program writes into.

    Attributes:
        layouts: shape, dtype and order of each buffer.
        former: the indices after them, for arrays that Variables held before.
        spare: the arrays that no run is using, one list for each run that has been active at the same time.
    """

    def __init__(self, plan):
        self.layouts, self.spare = list(plan.layouts.values()), []
        self.former = range(len(self.layouts), len(self.layouts) + len(plan.former))

    def made(self):
        """New arrays for one run, which puts them into `spare` at the end."""
        return [np.empty(*layout) for layout in self.layouts] + [None for _ in self.former]

    def taken(self):
        """The arrays of an earlier run, with None in place of each one that is still referenced elsewhere."""
        arrays = self.spare.pop()
        for k in self.former:
            if holders(arrays, k) != ALONE or not arrays[k].flags.owndata:
                arrays[k] = None
        return arrays


def roots(node):
    return dict.fromkeys(one.root for one in node.inputs())


def stateless(function):
    """Whether it keeps no reference to its arguments, and shares memory with them only as it did when it was traced."""
    known = (None, operator.getitem, operator.setitem, operator.pow)
    return function in known or isinstance(function, Method) or is_numpys(function)


def elementwise(node):
    return isinstance(node.function, np.ufunc) and node.function.signature is None


def layout_of(node):
    """The layout of the output array that can be passed to a call; None if it takes none."""
    ufunc = node.__class__ is Node and isinstance(node.function, np.ufunc) and node.function.nout == 1
    return layout_of_array(node.value) if ufunc and not node.kwargs and not node.writes else None


def layout_of_array(x):
    """Shape, dtype and order; None for anything but a contiguous numeric array with axes."""
    if not isinstance(x, np.ndarray) or not x.ndim or x.dtype.kind not in "biufc":
        return None
    orders = [order for order in "CF" if x.flags[f"{order}_CONTIGUOUS"]]
    return (x.shape, x.dtype, orders[0]) if orders else None


def holders(arrays, k):
    """The number of references to an array, including that of its list."""
    return sys.getrefcount(arrays[k])


ALONE = holders([np.empty(1)], 0)
