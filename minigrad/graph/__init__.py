"""One run of a function as a graph of NumPy's calls, and that graph as a program to read: `written`."""

from .program import Written, written

__all__ = ["Written", "written"]
