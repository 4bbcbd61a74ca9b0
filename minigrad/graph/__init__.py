"""One run of a function as a graph of NumPy calls: a program to read (`written`), or to run (`function`)."""

from .function import ConcreteFunction, Function, function
from .program import Written, written
from .run import init_scope

__all__ = ["ConcreteFunction", "Function", "Written", "function", "init_scope", "written"]
