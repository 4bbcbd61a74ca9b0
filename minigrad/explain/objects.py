"""What the attributes of objects hold: of which object a method ran, and of which class it is, as far as the source tells."""

import ast
from functools import lru_cache

from ..explain import calling
from ..tracing.source import COMPREHENSION, last_name
from .calling import returned_by, root_of
from .holding import SeenFrom, all_definitions, attribute_name, definitions, seen_from

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def attribute_entries(module, node, call=None):
    """What `self.x` is assigned anywhere in its class, and `model.x` in its module and in the class of the model.

    Args:
        module, node: the attribute.
        call: the call of the method that it stands in, if that is known.

    Returns:
        Pairs of an expression, and the path at which it was put.
    """
    owner = module.owner(node)
    here = [(value, path) for value, _, _, path in all_definitions(module).get((owner, attribute_name(node)), ())]
    inside = is_self(node.value)
    one = call.func.value if inside and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else node.value
    if is_self(one):
        return [*here, *entries_of(module, lineage(module, owner)[1:], node.attr)]
    made = makers(module, one)
    kinds = list(dict.fromkeys([*([owner] if inside else []), *kinds_of(module, made)]))
    given = [(value, ()) for maker in made for value in given_to(module, maker, node.attr)]
    through = entries_of(module, kinds or classes(module), node.attr)
    through = [(found, path) for value, path in through for found in by_object(module, one, made, value, kinds)]
    return [*([] if inside else here), *given, *through]


def is_self(node) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def called_name(call) -> str:
    return last_name(call.func)


def entries_of(module, kinds, name):
    """What the methods of some classes assign to an attribute."""
    return [(value, path) for kind in kinds for value, _, _, path in all_definitions(module).get((kind, f"self.{name}"), ())]


@lru_cache(maxsize=128)
def classes(module):
    return [one for one in module.parent if isinstance(one, ast.ClassDef)]


def class_named(module, name, use):
    """The innermost class of this name that can be seen from where it is used."""
    return next((one for one in reversed(classes(module)) if one.name == name and module.scope(one) in module.around(use)), None)


def class_called(module, call):
    return class_named(module, called_name(call), call)


def lineage(module, kind):
    """A class, and those that it inherits from, as far as they stand in the module."""
    found, todo = [], [kind]
    while todo:
        one = todo.pop(0)
        if one is not None and one not in found:  # a name may have been given to another class since
            found.append(one)
            todo += [class_named(module, last_name(base), one) for base in getattr(one, "bases", ())]
    return found


def makers(module, one):
    """The calls that an object can come from."""
    while isinstance(one, ast.Subscript):
        one = one.value
    values = (definitions(module, one.id, one) or ()) if isinstance(one, ast.Name) else [one]
    values = [value for value, _ in attribute_entries(module, one)] if isinstance(one, ast.Attribute) else values
    values = [value.value if isinstance(value, SeenFrom) else value for value in values]
    calls = calls_within(values)
    return [*calls, *calls_within(value for call in calls for value in returned_by(module, call))]


def kinds_of(module, made):
    """The classes of what some calls make."""
    return [kind for call in made for kind in lineage(module, class_called(module, call))]


def calls_within(values):
    return [part for value in values for part in ast.walk(value) if isinstance(part, ast.Call)]


def given_to(module, maker, name):
    """What a call gives for an attribute by its name, or by its place among the fields of a dataclass or a named tuple."""
    words = [word.value for word in maker.keywords if word.arg == name]
    kind = class_called(module, maker)
    fields = [one.target.id for one in getattr(kind, "body", ()) if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    return words or (maker.args[fields.index(name) :][:1] if name in fields else [])


def by_object(module, one, made, value, kinds):
    """The value that a method assigns, as the calls for this object have it; of a known class also as the class itself calls it."""
    name, kind = getattr(module.scope(value), "name", ""), module.owner(value)
    made = [call for call in made if kind in lineage(module, class_called(module, call))]
    known = methods_called(module).get(name, {})
    calls = made if name == "__init__" else [call for words in words_for(module, one) for call in known.get(words, ())]
    if not calls and (not kinds or (any(text != "self" for _, text in known) and is_one_of_several(module, one, made))):
        return []
    calls = calls or [call for kind in kinds for call in known.get((kind, "self"), ())]
    return [seen_from(module, value, call) for call in calls] or [value]


def words_for(module, one):
    """An object, as its home and the text that it has there: `model.meter` is `self.meter` in the class of the model."""
    inside = kinds_of(module, makers(module, one.value)) if isinstance(one, ast.Attribute) and not is_self(one.value) else ()
    return [(home_of(module, one), ast.unparse(one)), *[(kind, f"self.{one.attr}") for kind in inside]]


def called_function(module, call):
    """The function of the user's that is called: of several methods with one name that of the object's class."""
    one, name = getattr(call.func, "value", None), called_name(call)
    values = definitions(module, one.id, one) if isinstance(one, ast.Name) and one in module.parent else None
    if values and all(isinstance(value, (ast.Dict, ast.List, ast.Set, *COMPREHENSION)) for value in values):
        return None
    methods = [
        part
        for kind in kinds_of_object(module, one)
        for part in getattr(kind, "body", ())
        if isinstance(part, FUNCTION) and part.name == name
    ]
    return methods[0] if methods else calling.called_function(module, call)


def kinds_of_object(module, one):
    """The classes that an object can be of."""
    if one not in module.parent:
        return []
    return lineage(module, module.owner(one)) if is_self(one) else kinds_of(module, makers(module, one))


def is_one_of_several(module, one, made) -> bool:
    """Are there other objects of its class: is it an item, or is the class called more than once where it was made?"""
    return isinstance(one, ast.Subscript) or (len(made) == 1 and times_made(module, called_name(made[0]), module.scope(made[0])) > 1)


@lru_cache(maxsize=1024)
def times_made(module, name, scope) -> int:
    return sum(isinstance(one, ast.Call) and called_name(one) == name and module.scope(one) is scope for one in module.parent)


def home_of(module, one):
    root = root_of(one)
    return module.owner(one) if is_self(root) or not root.id else module.home(root)


@lru_cache(maxsize=128)
def methods_called(module) -> dict:
    """The calls of methods, by name, and by the home and the text of the object."""
    found = {}
    for node in module.parent:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            one = node.func.value
            found.setdefault(node.func.attr, {}).setdefault((home_of(module, one), ast.unparse(one)), []).append(node)
    return found
