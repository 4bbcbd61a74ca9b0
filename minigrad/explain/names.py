"""What the user calls things."""

import contextlib
import itertools
import types

from ..errors import visible
from ..tracing.log import EnteredEngine, Ran, Wrote
from ..tracing.source import assigned_name, expression_text
from .search import number_of

UNNAMED = ("Variable", "variable", "UnreadVariable")
ENTRANCES = "constant", "convert_to_tensor"
MOST = 200  # elements of a list or attributes of an object that are looked at
WIDE = 60  # characters of a name that are shown
CODE = type, types.ModuleType, types.FunctionType  # no objects of the user that hold values


class Names:
    """Names by the number of a Tensor or Variable.

    The names in the code that asks come first, then the name that a Variable was given, then names in the code that
    called it, then the name that the source assigns.
    """

    def __init__(self, frame, trace, things):
        self.trace, callers = trace, [outer.f_locals for outer in itertools.islice(outward(frame), 4)]
        given = [(own_name(getattr(one, "name", "")), one) for one in things if hasattr(one, "trainable")]
        given = [(name, one) for name, one in given if name]
        spaces = [tensors_in(frame.f_locals), tensors_in(frame.f_globals), given, *map(tensors_in, callers)]
        self.by_id, self.held = {}, {}
        for name, one in itertools.chain(*spaces, *map(tensors_within, [*callers, frame.f_globals])):
            self.by_id.setdefault(one.id, visible(name, WIDE))
            self.held.setdefault(one.id, one)

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
        one = self.held.get(number)
        return None if hasattr(one, "trainable") else one

    def by_origin(self, node, number):
        if self.trace is None:
            return None
        event = self.trace.made.get(number) or self.trace.written.get(node) or self.trace.written.get((number, 0))
        if event is None or (isinstance(event, EnteredEngine) and event.called not in ENTRANCES):
            return None  # a number or an array beside an operator: its line names the result
        if isinstance(event, Wrote):  # the line may call what makes many
            return own_name(event.name) or assigned_name(event.place)
        text = expression_text(event.place)
        made = event.name if isinstance(event, Ran) else event.called
        return assigned_name(event.place) or (text if 0 < len(text) <= 30 else made)


def own_name(name) -> str:
    """The name that somebody gave to a Variable; "" if nobody did."""
    name = name.partition(":")[0]
    return name if name not in UNNAMED else ""


def outward(frame):
    """A frame and its callers."""
    while frame is not None:
        yield frame
        frame = frame.f_back


FOREIGN: list = []  # functions of other engines: what stands for a tensor or a tape of theirs, or None


def known(value):
    """A value, or what stands for it here if it is of another engine."""
    return next((twin for find in FOREIGN if (twin := find(value)) is not None), value)


def is_tensor(value) -> bool:
    return hasattr(type(value), "__tf_tensor__") and hasattr(value, "id")


def named(space) -> list:
    return [(name, known(one)) for name, one in [*space.items()] if isinstance(name, str) and not name.startswith("_")]


def tensors_in(space) -> list:
    return [(name, one) for name, one in named(space) if is_tensor(one)]


def tensors_within(space):
    """Names such as `weights[0]`, `params['w']` and `model.w`."""
    for name, value in named(space):
        with contextlib.suppress(Exception):  # an object of the user may refuse to be looked at
            parts = [(part, known(one)) for part, one in parts_of(name, value) if name not in ("In", "Out")]
            yield from [one for one in parts if is_tensor(one[1])]


def parts_of(name, value) -> list:
    """What an object holds, each with its name."""
    if isinstance(value, dict):
        return [(f"{name}[{key!r}]", one) for key, one in [*value.items()][:MOST]]
    if isinstance(value, (list, tuple)):
        return [(f"{name}[{k}]", one) for k, one in enumerate(value[:MOST])]
    if isinstance(value, CODE) or not isinstance(getattr(value, "__dict__", None), dict):
        return []
    return [(f"{name}.{public(value, key)}", one) for key, one in [*vars(value).items()][:MOST]]


def public(value, key):
    """The name of an attribute without its underscore, if there is a property of that name."""
    return key[1:] if key.startswith("_") and isinstance(getattr(type(value), key[1:], None), property) else key
