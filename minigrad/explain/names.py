"""What the user calls things."""

import contextlib
import itertools
import types

from ..errors import visible
from ..tracing.log import EnteredEngine, Ran, Wrote
from ..tracing.source import assigned_name, expression_text
from .search import number_of

UNNAMED = ("Variable", "variable", "UnreadVariable")
ENTRANCES = ("constant", "convert_to_tensor")
MOST = 200  # elements of a list or attributes of an object that are looked at
WIDE = 60  # characters of a name that are shown
CODE = type, types.ModuleType, types.FunctionType  # no objects of the user that hold values


class Names:
    """Names by the number of a Tensor or Variable.

    The names in the code that asks come first, then the name that a Variable was given, then names in the code that
    called it, then the name that the source assigns.
    """

    def __init__(self, frame, trace, things):
        self.trace, self.frames = trace, [*itertools.islice(outward(frame), 4)]
        given = {one.id: getattr(one, "name", "").partition(":")[0] for one in things if hasattr(one, "trainable")}
        given = {number: visible(name, WIDE) for number, name in given.items() if name and name not in UNNAMED}
        callers = [names_in(outer.f_locals) for outer in self.frames]
        within = [names_within(space) for space in (*[outer.f_locals for outer in self.frames], frame.f_globals)]
        spaces = [names_in(frame.f_locals), names_in(frame.f_globals), given, *callers, *within]
        self.by_id = {number: name for space in reversed(spaces) for number, name in space.items()}
        self.held = set(self.by_id)

    def of(self, node, default="the value") -> str:
        """The name of a node of the graph; without one, the op that it comes from."""
        number = number_of(node)
        if number not in self.by_id:
            self.by_id[number] = self.by_origin(node, number) or ""
        return self.by_id[number] or default

    def leads_to(self, number) -> bool:
        """Can the user still reach it by a name?"""
        return number in self.held

    def tensor(self, number):
        """The Tensor (and no Variable) with this number, if a name leads to it."""
        spaces = [*[frame.f_locals for frame in self.frames], self.frames[0].f_globals]
        values = (value for space in spaces for value in list(space.values()))
        tensors = (one for one in values if is_tensor(one) and not hasattr(one, "trainable"))
        return next((one for one in tensors if one.id == number), None)

    def by_origin(self, node, number):
        if self.trace is None:
            return None
        event = self.trace.made.get(number) or self.trace.written.get(node) or self.trace.written.get((number, 0))
        if event is None or (isinstance(event, EnteredEngine) and event.called not in ENTRANCES):
            return None  # a number or an array beside an operator: its line names the result
        text = expression_text(event.place)
        made = event.name if isinstance(event, Ran) else None if isinstance(event, Wrote) else event.called
        return assigned_name(event.place) or (text if 0 < len(text) <= 30 and not isinstance(event, Wrote) else made)


def outward(frame):
    """A frame and its callers."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_tensor(value) -> bool:
    return hasattr(type(value), "__tf_tensor__") and hasattr(value, "id")


def user_names(space):
    return [(name, one) for name, one in [*space.items()] if isinstance(name, str) and not name.startswith("_")]


def names_in(space) -> dict:
    return {one.id: visible(name, WIDE) for name, one in reversed(user_names(space)) if is_tensor(one)}


def names_within(space) -> dict:
    """Names such as `weights[0]`, `params['w']` and `model.w`."""
    found = {}
    for name, value in user_names(space):
        if name not in ("In", "Out"):
            with contextlib.suppress(Exception):  # an object of the user may refuse to be looked at
                for part, one in parts_of(name, value):
                    found.setdefault(one.id, visible(part, WIDE))
    return found


def parts_of(name, value) -> list:
    """The Tensors that an object holds, each with its name."""
    if isinstance(value, dict):
        parts = [(f"{name}[{key!r}]", one) for key, one in [*value.items()][:MOST]]
    elif isinstance(value, (list, tuple)):
        parts = [(f"{name}[{k}]", one) for k, one in enumerate(value[:MOST])]
    elif isinstance(value, CODE) or not isinstance(getattr(value, "__dict__", None), dict):
        return []
    else:
        parts = [(f"{name}.{public(value, key)}", one) for key, one in [*vars(value).items()][:MOST]]
    return [(part, one) for part, one in parts if is_tensor(one)]


def public(value, key):
    """The name of an attribute without its underscore, if there is a property of that name."""
    return key[1:] if key.startswith("_") and isinstance(getattr(type(value), key[1:], None), property) else key
