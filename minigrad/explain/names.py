"""What the user calls things."""

import contextlib
import types

from ..errors import visible
from ..tracing.log import EnteredEngine, Ran, Wrote
from ..tracing.source import assigned_name, expression_text
from .search import number_of

UNNAMED = ("Variable", "variable", "UnreadVariable")
ENTRANCES = ("constant", "convert_to_tensor")
MOST = 200  # elements of a list or attributes of an object that are looked at
WIDE = 60  # characters of a name that are shown


class Names:
    """Names by the number of a Tensor or Variable.

    The names in the code that asks come first, then the name that a Variable was given, then names in the code that called
    it, then the name that the source assigns.
    """

    def __init__(self, frame, trace, things):
        self.by_id, self.trace = {}, trace
        self.by_id.update(names_in(frame.f_locals))
        for number, name in names_in(frame.f_globals).items():
            self.by_id.setdefault(number, name)
        for thing in things:
            name = getattr(thing, "name", "").partition(":")[0] if hasattr(thing, "trainable") else ""
            if name and name not in UNNAMED:
                self.by_id.setdefault(thing.id, visible(name, WIDE))
        self.frames = frames = [frame, *outer_frames(frame)]
        spaces = [names_in(outer.f_locals) for outer in frames] + [names_within(outer.f_locals) for outer in frames]
        for space in (*spaces, names_within(frame.f_globals)):
            for number, name in space.items():
                self.by_id.setdefault(number, name)
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
        return next((one for one in values if is_tensor(one) and not hasattr(one, "trainable") and one.id == number), None)

    def by_origin(self, node, number):
        if self.trace is None:
            return None
        event = self.trace.made.get(number) or self.trace.written.get(node) or self.trace.written.get((number, 0))
        if event is None or (isinstance(event, EnteredEngine) and event.called not in ENTRANCES):
            return None  # a number or an array beside an operator: its line names the result
        text = expression_text(event.place)
        made = event.name if isinstance(event, Ran) else None if isinstance(event, Wrote) else event.called
        return assigned_name(event.place) or (text if 0 < len(text) <= 30 and not isinstance(event, Wrote) else made)


def outer_frames(frame):
    """A few callers."""
    found = []
    while frame.f_back and len(found) < 3:
        frame = frame.f_back
        found.append(frame)
    return found


def is_tensor(value) -> bool:
    return hasattr(type(value), "__tf_tensor__") and hasattr(value, "id")


def names_in(space) -> dict:
    found = {}
    for name, value in list(space.items()):
        if isinstance(name, str) and not name.startswith("_") and is_tensor(value):
            found.setdefault(value.id, visible(name, WIDE))
    return found


def names_within(space) -> dict:
    """Names such as `weights[0]`, `params['w']` and `model.w`."""
    found = {}
    for name, value in list(space.items()):
        if isinstance(name, str) and not name.startswith("_") and name not in ("In", "Out"):
            with contextlib.suppress(Exception):  # an object of the user may refuse to be looked at
                for part, one in parts_of(name, value):
                    found.setdefault(one.id, visible(part, WIDE))
    return found


def parts_of(name, value) -> list:
    """The Tensors that an object holds, each with its name."""
    if isinstance(value, dict):
        return [(f"{name}[{key!r}]", one) for key, one in list(value.items())[:MOST] if is_tensor(one)]
    if isinstance(value, (list, tuple)):
        return [(f"{name}[{k}]", one) for k, one in enumerate(value[:MOST]) if is_tensor(one)]
    if isinstance(value, (type, types.ModuleType, types.FunctionType)) or not isinstance(getattr(value, "__dict__", None), dict):
        return []
    return [(f"{name}.{public(value, key)}", one) for key, one in list(vars(value).items())[:MOST] if is_tensor(one)]


def public(value, key):
    """The name of an attribute without its underscore, if there is a property of that name."""
    return key[1:] if key.startswith("_") and isinstance(getattr(type(value), key[1:], None), property) else key
