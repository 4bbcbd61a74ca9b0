"""tf.Module and tf.name_scope. A module does not register its Variables: `variables` searches its attributes."""

import contextlib
import functools
import re
from collections.abc import Callable

from .. import nest
from ..engine import Variable, variable
from ..errors import visible

waiting: list = []  # restorations of checkpoints that hold values for Variables not yet made


def restore_what_waits() -> None:
    """Give Variables that may have been made since then the values that a checkpoint holds for them."""
    for restoration in tuple(waiting):
        restoration.match()


def objects_of(module, kind, seen=None):
    """All objects of a class in a module's attributes, sorted by attribute, followed by those of its submodules.

    Each is found once, also in lists, tuples and dicts.
    """
    seen = {id(module)} if seen is None else seen
    leaves = [leaf for name in sorted(vars(module)) for leaf in leaves_of(vars(module)[name])]
    modules = []
    for leaf in leaves:
        if id(leaf) not in seen and isinstance(leaf, (kind, Module)):
            seen.add(id(leaf))
            if isinstance(leaf, kind):
                yield leaf
            if isinstance(leaf, Module):
                modules.append(leaf)
    for inner in modules:
        yield from objects_of(inner, kind, seen)


def leaves_of(value):
    """The leaves of a nest. A dict whose keys cannot be sorted keeps its own order."""
    try:
        return nest.flatten(value)
    except TypeError:
        parts = value.values() if isinstance(value, dict) else value
        return [leaf for part in parts for leaf in leaves_of(part)]


class Module:
    """A part of a model: `variables` finds all Variables in its attributes and in those of its submodules.

    Args:
        name: a Python identifier; by default the name of the class in snake_case.

    Raises:
        ValueError: the name is not an identifier.
        TypeError: the name is not a string.

    >>> import minigrad as mg
    >>> class Line(mg.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = mg.Variable(2.0, name="w")
    ...         self.b = mg.Variable(0.0, name="b")
    >>> line = Line()
    >>> [v.name for v in line.trainable_variables], line.name
    (['b:0', 'w:0'], 'line')
    """

    __module__ = "minigrad"  # where users find it: so pickles find it, and messages name it

    def __init__(self, name: str | None = None):
        if name is None:
            name = snake_case(type(self).__name__)
        if not isinstance(name, str):
            raise TypeError(f"The name of a module must be a string, got {visible(repr(name))}.")
        if not name.isidentifier():
            problem = f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g."
            raise ValueError(f"{problem} a valid class name).")
        self._name = name
        self._name_scope = name_scope(f"{variable.naming.scopes[-1]}{name}/")

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if waiting:
            restore_what_waits()

    @property
    def name(self) -> str:
        """The name, by default that of the class in snake_case."""
        return self._name

    @property
    def name_scope(self) -> "name_scope":
        """A block in which the names of new Variables begin with the name of this module."""
        return self._name_scope

    @property
    def variables(self) -> tuple:
        """All Variables, sorted by attribute name; those of submodules come last."""
        return tuple(objects_of(self, Variable))

    @property
    def trainable_variables(self) -> tuple:
        """The Variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple:
        """The Variables that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple:
        """The modules in its attributes, and their submodules."""
        return tuple(objects_of(self, Module))

    @classmethod
    def with_name_scope(cls, method: Callable) -> Callable:
        """Decorate a method so that it runs inside `self.name_scope`."""

        @functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


class name_scope(contextlib.ContextDecorator):
    """A block in which the names of new Variables begin with `name/`, after the names of outer blocks.

    Args:
        name: of the scope. If it ends in "/" or is "", the names of outer blocks are left out.

    Raises:
        ValueError: the name is not a string.

    >>> import minigrad as mg
    >>> with mg.name_scope("encoder"):
    ...     v = mg.Variable(1.0, name="v")
    >>> v.name
    'encoder/v:0'
    """

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise ValueError(f'name for name_scope must be a string. Got {visible(repr(name))}; "" is the top.')
        self._given = name

    @property
    def name(self) -> str:
        """The name as it was given."""
        return self._given

    def __enter__(self):
        absolute = not self._given or self._given.endswith("/")
        scope = self._given if absolute else f"{variable.naming.scopes[-1]}{self._given}/"
        variable.naming.scopes.append(scope)
        return scope

    def __exit__(self, *error):
        variable.naming.scopes.pop()


def snake_case(name):
    """'MyDenseLayer' as 'my_dense_layer'."""
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name).lower()
