"""The names that the user's code gives to Tensors and Variables."""

import contextlib
import itertools
import re
import sys
import traceback
import types

from ..engine.listening import Listener
from ..errors import visible
from ..tracing.log import EnteredEngine, Ran, Wrote
from ..tracing.source import assigned_name, expression_text
from .search import number_of

UNNAMED = ("Variable", "variable", "UnreadVariable")
ENTRANCES = "constant", "convert_to_tensor"
MOST = 200  # elements of a list or attributes of an object to look at
DEEP, ALL = 6, 3000  # how many levels deep to look, and how many objects in all
WIDE = 60  # characters of a name that are shown
NOTHING = type, types.ModuleType, types.FunctionType, Listener  # types that hold no values of the user


class Names:
    """Maps the number of a Tensor or Variable to a name such as `x`, `params['w']` or `model.layers[0].w`.

    Names in the code that asks come first, then the `name` of a Variable, then names in the callers of that code, then
    names of parts of all these objects, and last the name to which the source code assigns the value.

    Attributes:
        held: number -> the Tensor or Variable, for each that the user can still reach by a name.
    """

    def __init__(self, frame, trace, things):
        self.trace, self.by_id, self.held, self.asking = trace, {}, {}, frame.f_globals
        given = named_apart({one.id: one for one in reversed(things) if hasattr(one, "trainable")}.values())
        callers = [outer.f_locals for outer, _ in itertools.islice(traceback.walk_stack(frame), 1, 4)]
        here = [*named(frame.f_locals), *named(frame.f_globals)]
        found = [*here, *given, *itertools.chain(*map(named, callers))]
        seen, left = set(), ALL
        for _ in range(DEEP):
            for name, one in found:
                if is_tensor(one):
                    own = "._" in name and (getattr(one, "path", "") or own_name(getattr(one, "name", "")))
                    self.by_id.setdefault(one.id, visible(own or name, WIDE))
                    self.held.setdefault(one.id, one)
            new = {id(pair[1]): pair for pair in reversed(found[:left]) if id(pair[1]) not in seen}
            seen.update(new)
            left = max(0, left - len(found))
            found = [part for pair in reversed(new.values()) if not is_tensor(pair[1]) for part in parts_of(*pair)]

    def of(self, node, default="the value") -> str:
        """The name of a graph node; if it has none, the op that made it, or else `default`."""
        number = number_of(node)
        if number not in self.by_id:
            self.by_id[number] = self.by_origin(node, number) or ""
        return self.by_id[number] or default

    def globals_of(self, code) -> dict:
        """The global names of the module that a code object belongs to; for a cell, those of the code that asks."""
        modules = [one for one in [*sys.modules.values()] if getattr(one, "__file__", None) == code.co_filename]
        return vars(modules[0]) if modules else self.asking

    def by_origin(self, node, number):
        if self.trace is None:
            return None
        made = self.trace.made
        event = made.get(number) or made.get(node) or made.get((number, 0))
        if event is None or (isinstance(event, EnteredEngine) and event.called not in ENTRANCES):
            return None  # a number or an array beside an operator: its line names the result
        if isinstance(event, Wrote):  # the line may call what makes many
            return own_name(event.name) or assigned_name(event.place)
        text, given = expression_text(event.place), assigned_name(event.place)
        if isinstance(event, Ran) and event.called not in ("", event.op.__name__) and given in self.by_id.values():
            return event.name  # one of several ops in a call, whose result has the name
        return given or (text if 0 < len(text) <= 30 else event.name if isinstance(event, Ran) else event.called)


def own_name(name) -> str:
    """The name given to a Variable by the user; "" for a default name."""
    name = name.partition(":")[0]
    return name if name not in UNNAMED else ""


def named_apart(variables) -> list:
    """The pairs of a name and a Variable: its own name, or of several of that name the paths as far as they differ."""
    alike, pairs = {}, []
    for one in variables:
        alike.setdefault(own_name(getattr(one, "name", "")), []).append(one)
    for name, same in alike.items():
        paths = [getattr(one, "path", name).split("/") for one in same]
        depth = depth_apart(paths)
        names = ["/".join(path[-depth:]) for path in paths] if len(same) > 1 else [name]
        pairs += zip(names, same) if name and len({*names}) == len(same) else ()
    return pairs


def derivative(target, source) -> str:
    """`dy/dx`; what is no name, or begins with a d itself, is in parentheses."""
    bare = r"(?!d.)[^\W\d]\w*|\[.*\]"
    return "/".join(f"d{name}" if re.fullmatch(bare, name) else f"d({name})" for name in (target, source))


def depth_apart(paths) -> int:
    """How many trailing parts tell the paths apart: at least two, and two if no number does."""
    depths = range(2, 1 + max(map(len, paths), default=0))
    return next((n for n in depths if len({(*path[-n:],) for path in paths}) == len(paths)), 2)


FOREIGN: list = []  # functions that map a tensor or tape of another engine to its stand-in here, or to None


def known(value):
    """A value, or its stand-in here if it belongs to another engine."""
    return next((twin for find in FOREIGN if (twin := find(value)) is not None), value)


def is_tensor(value) -> bool:
    return hasattr(type(value), "__tf_tensor__") and hasattr(value, "id")


def named(space) -> list:
    found = [(name, one) for name, one in [*space.items()] if isinstance(name, str) and name not in ("In", "Out")]
    return [(name, known(one)) for name, one in found if not name.startswith("_")]


def parts_of(name, value) -> list:
    """The (name, value) pairs of an object's parts."""
    found = []
    with contextlib.suppress(Exception):  # a user's object may fail on inspection
        if isinstance(value, dict):
            found = [(f"{name}[{key!r}]", one) for key, one in [*value.items()][:MOST]]
        elif isinstance(value, (list, tuple)):
            found = [(f"{name}[{k}]", one) for k, one in enumerate(value[:MOST])]
        elif not isinstance(value, NOTHING):
            found = [(f"{name}.{public(value, key)}", one) for key, one in [*vars(value).items()][:MOST]]
        return [(part, known(one)) for part, one in found]
    return []


def public(value, key):
    """The name of an attribute, without its underscore if there is a property of that name."""
    return key[1:] if key.startswith("_") and isinstance(getattr(type(value), key[1:], None), property) else key
