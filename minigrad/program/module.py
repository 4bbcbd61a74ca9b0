"""tf.Module: an object that knows the Variables inside it. Nothing is registered: they are found when asked for."""

import contextlib
import functools
import re
from collections.abc import Callable

from .. import nest
from ..engine import variable
from ..engine.variable import Variable


def found(module, kind, seen=None):
    """Every object of a class that hangs on a module: its own first, by name of attribute, then those of its modules.

    Each is found once, in lists, tuples and dicts too.
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
        yield from found(inner, kind, seen)


def leaves_of(value):
    try:
        return nest.flatten(value)
    except TypeError:  # somewhere in it is a dict whose keys have no order
        parts = value.values() if isinstance(value, dict) else value
        return [leaf for part in parts for leaf in leaves_of(part)]


class Module:
    """A part of a model: assign Variables and other Modules as attributes, and `variables` finds them all.

    Args:
        name: a Python identifier; by default made of the name of the class.

    Raises:
        ValueError: the name is no identifier.
        TypeError: the name is no string.

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

    def __init__(self, name: str | None = None):
        if name is None:
            name = snake_case(type(self).__name__)
        if not isinstance(name, str):
            raise TypeError(f"The name of a module must be a string, got {name!r}.")
        if not name.isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid class name)."
            )
        self._name = name
        self._scope_name = f"{variable.naming.scopes[-1]}{name}/"

    @property
    def name(self) -> str:
        """The name given, or that of the class in snake_case."""
        return self._name

    @property
    def name_scope(self) -> "name_scope":
        """A block in which new Variables have this module's name before their own."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple:
        """All Variables, sorted by the names of the attributes that hold them; those of inner modules come last."""
        return tuple(found(self, Variable))

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
        """The modules inside this one, at any depth."""
        return tuple(found(self, Module))

    @classmethod
    def with_name_scope(cls, method: Callable) -> Callable:
        """A decorator: the method runs inside `self.name_scope`."""

        @functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


class name_scope(contextlib.ContextDecorator):
    """A block in which new Variables' names begin with `name/`. A name that ends in `/` starts at the top, as does "".

    Raises:
        ValueError: the name is no string.

    >>> import minigrad as mg
    >>> with mg.name_scope("encoder"):
    ...     v = mg.Variable(1.0, name="v")
    >>> v.name
    'encoder/v:0'
    """

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise ValueError(f'name for name_scope must be a string. Got {name!r}; "" is the top.')
        self._given = name

    @property
    def name(self) -> str:
        """The whole prefix."""
        return self._given

    def __enter__(self):
        from_the_top = not self._given or self._given.endswith("/")
        scope = self._given if from_the_top else f"{variable.naming.scopes[-1]}{self._given}/"
        variable.naming.scopes.append(scope)
        return scope

    def __exit__(self, *error):
        variable.naming.scopes.pop()


def snake_case(name):
    """'MyDenseLayer' as 'my_dense_layer'."""
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name).lower()
