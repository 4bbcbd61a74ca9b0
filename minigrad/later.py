"""Lazy names of a namespace: a module is loaded when one of its names is first used."""

import importlib
import sys

NAMESPACES = {}  # namespace with lazy names -> these names


def loads(namespace, later):
    """The `__getattr__` of a namespace, which Python calls for a name that is not loaded yet.

    Args:
        namespace: the `__name__` of the namespace.
        later: module of its package -> the names that come from it; `""` -> the names that are modules themselves.

    Raises:
        AttributeError: (raised by the returned function) the namespace has no such name.
    """
    NAMESPACES[namespace] = places = {name: module for module, names in later.items() for name in names}

    def find(name):
        space = sys.modules[namespace]
        if name not in places:
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}{advice(name, space)}")
        module = importlib.import_module(f"{space.__package__}.{places[name] or name}")
        vars(space)[name] = found = getattr(module, name) if places[name] else module
        return found

    return find


def load_all():
    """Load the lazy modules of all namespaces, so that each op is known by its TensorFlow name."""
    todo = [*NAMESPACES]
    while todo:
        namespace = todo.pop()
        for name in NAMESPACES[namespace]:
            known = len(NAMESPACES)
            getattr(sys.modules[namespace], name)
            todo += [*NAMESPACES][known:]


def advice(name, space):
    """A suggestion for a name that does not exist."""
    import difflib

    near = difflib.get_close_matches(name, space.__all__, n=1)
    return f". Did you mean {space.__name__.replace('minigrad', 'mg', 1)}.{near[0]}?" if near else ""
