"""Which arrays the calls of a compiled program write into: they are kept between its runs, and used by one call after
another, as soon as nobody reads what stands in them."""

import operator
import sys

import numpy as np

from .tracer import Method, Node, is_numpys

LARGE = 2**15  # bytes of a Variable whose former array is worth keeping


class Plan:
    """Which call of a program writes into which buffer.

    A call that works elementwise may write over what it reads, if that is read for the last time. What the program
    returns, and whatever shares memory with it, is written into new arrays. A large Variable that is assigned has two
    arrays in turn: its new value is written into the one before its present one.

    Attributes:
        of: Node -> the name of the buffer that it writes into.
        layouts: name -> shape, dtype and order of a buffer.
        former: name -> the Node of what a Variable holds before it is assigned, which is kept under that name.
    """

    def __init__(self, nodes, returned, assigned):
        """Choose them.

        Args:
            nodes: the calls of the program, in their order.
            returned: what is returned, Nodes and constants.
            assigned: what each assigned Variable holds before and after.
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
        """The name of one that is free and has this layout, or of a new one."""
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
        layouts: shape, dtype and order of each.
        former: the places after them, for arrays that Variables held before.
        spare: the arrays that no run of the program uses at present, a list for each run that may need them at once.
    """

    def __init__(self, plan):
        self.layouts, self.spare = list(plan.layouts.values()), []
        self.former = range(len(self.layouts), len(self.layouts) + len(plan.former))

    def taken(self):
        """The arrays for one run, which puts them back into `spare`; None in place of one that somebody still holds."""
        if not self.spare:
            return [np.empty(*layout) for layout in self.layouts] + [None for _ in self.former]
        arrays = self.spare.pop()
        for k in self.former:
            if holders(arrays, k) != ALONE or not arrays[k].flags.owndata:
                arrays[k] = None
        return arrays


def roots(node):
    return dict.fromkeys(one.root for one in node.inputs())


def stateless(function):
    """Does it keep nothing of its arguments, and share memory with them only as it did when it was traced?"""
    known = (None, operator.getitem, operator.setitem, operator.pow)
    return function in known or isinstance(function, Method) or is_numpys(function)


def elementwise(node):
    return isinstance(node.function, np.ufunc) and node.function.signature is None


def layout_of(node):
    """The layout of the array that a call can be given to write into; None if it takes none."""
    ufunc = node.__class__ is Node and isinstance(node.function, np.ufunc) and node.function.nout == 1
    return layout_of_array(node.value) if ufunc and not node.kwargs and not node.writes else None


def layout_of_array(x):
    """Shape, dtype and order; None for what is no such array, or has gaps."""
    if not isinstance(x, np.ndarray) or not x.ndim or x.dtype.kind not in "biufc":
        return None
    order = "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else None
    return order and (x.shape, x.dtype, order)


def holders(arrays, k):
    """How many hold an array, with its list."""
    return sys.getrefcount(arrays[k])


ALONE = holders([np.empty(1)], 0)
