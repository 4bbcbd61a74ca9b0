"""Values that left the engine and came back: from which Tensor does a plain number have its value?

A detective's work, in the order of certainty: the very object, or its memory; the place in the source, followed backward
from name to name; and last, content that would hardly be the same by chance.
"""

import ast
import bisect
import math
from dataclasses import dataclass

import numpy as np

from ..explain import calling, holding, objects
from ..tracing import source
from ..tracing.log import Asked, EnteredEngine, LeftEngine, Ran, Stored, Wrote
from ..tracing.places import CALLERS

RANK = ("perhaps", "likely", "proved")
MANY = 100  # of what left at one place, so much is looked at
DEEP = 12  # calls within calls that are followed


@dataclass(frozen=True)
class Return:
    """The event of leaving that a value came from, and how sure that is: "proved", "likely" or "perhaps"."""

    exit: LeftEngine
    confidence: str


class Returns:
    """All that left, in the log of a trace: by object and by place in the source."""

    def __init__(self, trace):
        self.exits = [e for e in trace.events if isinstance(e, LeftEngine) and e.kind in "fc"]
        self.objects, self.left_at, self.made_at = {}, {}, {}
        self.taken = {}  # what came in -> which input it is of the op in that expression
        given = [(k, exit.given.content.sample) for k, exit in enumerate(self.exits) if exit.given is not None]
        self.firsts = sorted(
            (real(sample[0]), k)
            for k, sample in given
            if sample and isinstance(real(sample[0]), (int, float)) and math.isfinite(real(sample[0]))
        )
        for exit in self.exits:
            for depth, place in enumerate((exit.place, *exit.place.callers)):
                numbers, exits = self.left_at.setdefault(spot(place), ([], []))
                numbers.append(exit.number)
                exits.append((exit, depth))
            if exit.given is not None:
                self.objects.setdefault(id(exit.given.object()), []).append(exit)
        made = trace.made
        for event in trace.events if self.exits else ():
            if isinstance(event, (Ran, EnteredEngine, Wrote, Stored, Asked)):
                self.made_at.setdefault(spot(event.place), []).append(event.number)
            if isinstance(event, Ran):
                for k, number in enumerate(event.inputs):
                    came = made.get(number)
                    if isinstance(came, EnteredEngine) and spot(came.place) == spot(event.place):
                        self.taken.setdefault(number, k)

    def of(self, event, given, content, k=None, names=()):
        """The Returns for a value that came in with an event.

        Args:
            event: what happened with it.
            given: the Given, if it is known.
            content: its numbers; None if they are not known.
            k: which input of the op it is, if that is known.
            names: of the op's inputs.
        """
        if not self.exits or self.exits[0].number > event.number:
            return []
        same = self.same_object(event, given) or self.copied(event)
        if same is not None:
            return [Return(same, "proved")]
        if isinstance(event, EnteredEngine):
            k = self.taken.get(event.tensor, k)
        search = Search(self, event, content)
        found = search.begin(k, names)
        vague = search.open if not found else all(one.confidence == "perhaps" for one in found)
        if not vague or content is None or not unusual(content):
            return found
        places = {spot(one.exit.place) for one in found}
        alike = (exit for exit in self.alike(content) if exit.number < event.number and not calling.is_shown(exit))
        alike = next((exit for exit in alike if not places or spot(exit.place) in places), None)
        return [Return(alike, "likely")] if alike is not None else found

    def alike(self, content):
        """What left with this content, the latest first."""
        low, high = (bisect.bisect_left(self.firsts, (content[0] + way * abs(content[0]) * 1e-6,)) for way in (-1, 1))
        near = sorted({k for _, k in self.firsts[low:high]}, reverse=True)
        return (self.exits[k] for k in near if equal(self.exits[k].given, content))

    def same_object(self, event, given):
        """The exit of the very object that came in, or of one that shares its memory."""
        value = given.object() if given is not None else None
        if value is None:
            return None
        for exit in self.objects.get(id(value), ()):
            if exit.number < event.number and exit.given.object() is value:
                return exit
        if isinstance(value, np.ndarray) and value.base is not None:
            for exit in reversed(self.exits[-200:]):
                left = exit.given.object() if exit.given is not None else None
                if isinstance(left, np.ndarray) and exit.number < event.number and np.shares_memory(left, value):
                    return exit
        return None

    def copied(self, event):
        """The exit that was part of this very arrival: `mg.constant(variable)`."""
        _, exits = self.left_at.get(spot(event.place), ((), ())) if isinstance(event, EnteredEngine) else ((), ())
        return next((exit for exit, depth in exits if exit.number == event.number - 1 and not depth and exit.called == event.called), None)


def spot(place):
    """The module and the span of a place: expressions are known by them."""
    module, node = source.node_at(place)
    return module, None if node is None else source.span_of(node)


class Search:
    """From the expression in which a value came in, backward through the source to the exits it can come from."""

    def __init__(self, returns, event, content):
        self.returns, self.event, self.content = returns, event, content
        self.seen, self.found = set(), {}
        self.open = False  # was there anything that the source does not tell?
        self.complete = isinstance(event, Ran) or (content is not None and event.value.size == len(content))
        self.precision = precision_of(event.value)

    def begin(self, k, names):
        places = [self.event.place, *self.event.place.callers]
        inside = [False, *[place.code.co_name in source.COMPREHENSION_CODE for place in places]]  # no call: it runs where it is written
        frames = [source.node_at(place) for place, within in zip(places, inside) if not within]
        module, node = frames[0]
        self.open = node is None
        if node is not None:
            for expression in calling.operands(node, k, names):
                self.follow(module, expression, frames[1:], "proved", "all")
        return [Return(exit, sure) for exit, sure in self.found.values()]

    def follow(self, module, node, frames, sure, kept):
        """Find the exits that the value of an expression can come from.

        Args:
            module, node: the expression.
            frames: the calls around it, as (module, node).
            sure: how sure it is that the value in question comes from this expression.
            kept: is it this very value ("all"), a part of what the expression holds ("part"), or computed from it ("")?
        """
        if (node, sure, kept, *frames) in self.seen or len(self.seen) > 2000:
            return
        self.seen.add((node, sure, kept, *frames))
        if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):  # a text, from which somebody can read the number again
            sure, kept, self.open = "perhaps", "", True
        here = module, source.span_of(node) if hasattr(node, "lineno") else None
        numbers, exits = self.returns.left_at.get(here, ((), ()))
        made = self.returns.made_at.get(here, ())
        left, ran = (bisect.bisect_left(one, self.event.number) for one in (numbers, made))
        latest = within(frames, exits[max(0, left - MANY) : left])
        if latest and not (ran and made[ran - 1] > latest[-1][0].number):
            self.follow_exits(module, node, frames, sure, kept, latest)
        elif not ran:
            getattr(self, f"in_{type(node).__name__}", self.in_parts)(module, node, frames, sure, kept)

    def follow_exits(self, module, node, frames, sure, kept, exits):
        """Something left in this expression: directly, or in a function that it called."""
        exit, depth = exits[-1]
        if isinstance(node, ast.Call) and source.last_name(node.func) in calling.BLIND:
            return
        if depth:
            self.in_function(module, node, frames, sure, kept, exit.place if depth == 1 else exit.place.callers[depth - 2], exits)
        elif isinstance(node, ast.Call) and source.last_name(node.func) in calling.STEPS:
            self.put(exit, "perhaps")
        elif kept == "all" and self.content is not None and exit.given is not None and is_door(node):
            if equal(exit.given, self.content):  # else the name has another value by now
                self.put(exit, "proved")
        elif kept and self.complete and len(exits) < MANY and is_door(node):
            for one, _ in exits:
                if shares(one.given, self.content, self.precision):  # else the numbers that came in stood beside it
                    self.put(one, sure if one is exit else "likely")
        else:
            self.put(exit, sure)
            for part in parts_of(node) if isinstance(node, ast.Call) else ():
                if not isinstance(part, ast.Name):  # np.dot(w, x.numpy()) takes x too
                    self.follow(module, part, frames, sure, "")
            gathered = gathers(module, node)
            for back, (other, _) in enumerate(reversed(exits) if gathered or exit.exit == "NumPy" else ()):
                together = exit.exit == "NumPy" and other.number == exit.number - back  # np.add(x, y) takes both
                if (gathered or together) and other.tensor != exit.tensor and spot(other.place) == spot(exit.place):
                    self.put(other, sure if together or sure == "perhaps" else "likely")

    def put(self, exit, sure):
        known = self.found.get(exit.tensor)
        if known is None or RANK.index(known[1]) < RANK.index(sure):
            self.found[exit.tensor] = exit, sure

    def in_function(self, module, node, frames, sure, kept, inner, exits):
        """What left inside a function of the user's counts if the function returns it."""
        there = source.module_of(inner.code.co_filename)
        function = calling.function_at(there, inner) if there is not None else None
        if function is None or len(frames) >= DEEP:
            self.put(exits[-1][0], "perhaps")
            return
        if isinstance(there.parent[function], ast.keyword):  # the `key` of max or sorted: it only decides
            for part in parts_of(node):
                self.follow(module, part, frames, sure, "")
            return
        each = isinstance(function, source.COMPREHENSION)
        if each:  # it runs where it is written: as it is, or in a call that may compute with its items
            kept = part_of(kept) if not isinstance(node, ast.Call) or calling.hands_on(node) else ""
        for value in calling.returned(function):
            self.follow(there, value, frames if each else [(module, node), *frames], sure, kept)

    # ---- kinds of expressions ----------------------------------------------------------------------------------------

    def in_Name(self, module, node, frames, sure, kept):
        sure = sure if sure == "perhaps" else "likely"
        values = holding.definitions(module, node.id, node)
        if values is not None:
            values = values or holding.elsewhere(module, node.id, self.modules())
            if kept == "all" and any(map(self.is_content, values)):
                return
            kept = self.intact(module, node, kept)
            self.open |= not values
            for value in values:
                there = module if value in module.parent else next((m for m in self.modules() if value in m.parent), module)
                same_scope = module.scope(value) is module.scope(node)
                self.follow(there, value, frames if same_scope else [], sure, kept if len(values) <= 1 else part_of(kept))
        elif self.calls_around(module, node, frames):
            frames = self.calls_around(module, node, frames)
            self.in_parameter(module, module.scope(node), node.id, frames, sure, self.intact(module, node, kept))
        else:
            self.open = True

    def calls_around(self, module, node, frames):
        """The calls around a parameter: those that are known, or else the only call of its function; nothing if there are several."""
        if frames:
            return frames if frames[0][1] is not None else []
        call = holding.only_call(module, module.scope(node))
        return [(module, call)] if call is not None else []

    def in_SeenFrom(self, module, node, frames, sure, kept):
        self.follow(module, node.value, [(module, node.call), *frames], sure, kept)

    def item_of_SeenFrom(self, module, node, path, frames, sure, kept):
        self.follow_item(module, node.value, path, [(module, node.call), *frames], sure, kept)

    def in_parameter(self, module, function, name, frames, sure, kept):
        """What a parameter of a function is given by the call, or else has by default."""
        outer, call = frames[0][0], holding.completed(*frames[0])
        arguments = calling.arguments(function, name, call)
        for argument in arguments:
            self.follow(outer, argument, frames[1:], sure, kept if len(arguments) == 1 else part_of(kept))
        for value, key in calling.no_unbroadcast(function, name, call):
            self.follow_item(outer, value, (key,), frames[1:], sure, part_of(kept))
        default = None if arguments else calling.default(function, name)
        if default is not None:
            self.follow(module, default, [], sure, kept)

    def modules(self):
        return {module for module, _ in self.returns.left_at if module is not None}

    def is_content(self, node) -> bool:
        """Is it the number that came in, written down? Then it did not come from elsewhere."""
        return (
            isinstance(node, ast.Constant)
            and isinstance(node.value, (int, float))
            and self.content is not None
            and len(self.content) == 1
            and math.isclose(node.value, self.content[0], rel_tol=1e-6)
        )

    def in_Call(self, module, node, frames, sure, kept):
        name = source.last_name(node.func)
        if (
            name in calling.BLIND
            or calling.makes_integers(node)
            or (kept == "all" and name in ("max", "min") and any(map(self.is_content, node.args)))
        ):
            return
        function = objects.called_function(module, node) if len(frames) < DEEP else None
        if function is not None:
            sure = sure if sure == "perhaps" else "likely"
            for value in calling.returned(function):
                self.follow(module, value, [(module, node), *frames], sure, kept)
            return
        if name in calling.TAKING and isinstance(node.func, ast.Attribute) and node.args:
            self.follow_items(module, holding.taken(node, ()), frames, sure, kept)
            return
        if name in ("max", "min", "sum") and len(node.args) == 1 and isinstance(node.func, ast.Name):
            self.follow_item(module, node.args[0], (holding.EACH,), frames, sure, part_of(kept) if name != "sum" else "")
            return
        if not holding.is_pure(module, node):
            sure, self.open = "perhaps", True
        kept = part_of(kept) if calling.hands_on(node) else ""
        for part in parts_of(node):
            self.follow(module, part, frames, sure, kept)

    def in_IfExp(self, module, node, frames, sure, kept):
        if kept == "all" and (self.is_content(node.body) or self.is_content(node.orelse)):
            return
        for part in (node.body, node.orelse):
            self.follow(module, part, frames, sure, part_of(kept))

    def in_Subscript(self, module, node, frames, sure, kept):
        self.follow_item(module, node, (), frames, sure, kept)

    def follow_item(self, module, node, path, frames, sure, kept):
        """Find the exits of the item at a path in what an expression holds."""
        if (node, path, sure, kept, *frames) in self.seen or len(self.seen) > 2000:
            return
        self.seen.add((node, path, sure, kept, *frames))
        found = holding.items(node, path)
        kept = kept if len(found) == 1 else part_of(kept)
        for value, rest in found:
            if rest or (value is node and isinstance(node, ast.Subscript)):
                getattr(self, f"item_of_{type(value).__name__}", self.item_of_other)(module, value, rest, frames, sure, kept)
            else:
                self.follow(module, value, frames, sure, kept)

    def item_of_Subscript(self, module, node, path, frames, sure, kept):
        self.follow_item(module, node.value, holding.path_through(node.slice, path), frames, sure, kept)

    def item_of_Name(self, module, node, path, frames, sure, kept):
        found = holding.entries(module, node.id, node)
        calls = self.calls_around(module, node, frames) if found is None else []
        if calls:
            self.item_of_parameter(module, node, path, calls, sure, part_of(self.intact(module, node, kept)))
            return
        if not found:  # a name of another cell
            self.follow(module, node, frames, sure, part_of(kept))
            return
        path = holding.loosened(module, node, path)
        values = [(value, path[len(at) :]) for value, at in found if holding.may_lead(at, path)]
        if kept == "all" and any(self.is_content(item) for value, rest in values for item, _ in holding.items(value, rest)):
            return
        self.follow_items(module, values, frames, sure, self.intact(module, node, kept))

    def follow_items(self, module, values, frames, sure, kept):
        for value, rest in values:
            self.follow_item(module, value, rest, frames, sure if sure == "perhaps" else "likely", part_of(kept))

    def item_of_parameter(self, module, node, path, frames, sure, kept):
        function, outer, call = module.scope(node), frames[0][0], holding.completed(*frames[0])
        word, rest, key = function.args.kwarg, function.args.vararg, path[0]
        if isinstance(key, str) and word is not None and word.arg == node.id:
            self.in_parameter(module, function, key, frames, sure, kept)
            return
        arguments = calling.arguments(function, node.id, call)
        if rest is not None and rest.arg == node.id:
            known = isinstance(key, int) and not any(isinstance(one, ast.Starred) for one in arguments)
            arguments, path = arguments[slice(key, key + 1) if known else slice(None)], path[1:]
        for argument in arguments:
            self.follow_item(outer, argument, path, frames[1:], sure, kept)
        for value, at in calling.no_unbroadcast(function, node.id, call):
            self.follow_item(outer, value, (at, *path), frames[1:], sure, kept)
        default = None if arguments else calling.default(function, node.id)
        if default is not None:
            self.follow_item(module, default, path, [], sure, kept)

    def item_of_Call(self, module, node, path, frames, sure, kept):
        function = objects.called_function(module, node) if len(frames) < DEEP else None
        _, exits = self.returns.left_at.get((module, source.span_of(node)), ((), ()))
        here = function is None and any(not depth for _, depth in exits)
        inside = holding.inside_call(node, path) if function is None and not here else None
        if function is not None:
            path = path[1:] if calling.is_generator(function) else path
            self.follow_items(module, [(value, path) for value in calling.returned(function)], [(module, node), *frames], sure, kept)
        elif inside is not None:
            self.follow_items(module, inside, frames, sure, kept if calling.hands_on(node) else "")
        else:
            self.follow(module, node, frames, sure, part_of(kept))

    def item_of_Attribute(self, module, node, path, frames, sure, kept):
        found, kept = self.entries_of_attribute(module, node, frames), self.intact(module, node, kept)
        self.follow_items(module, [(value, path[len(at) :]) for value, at in found if holding.may_lead(at, path)], [], sure, kept)
        if not found:
            self.follow(module, node, frames, sure, part_of(kept))

    def item_of_IfExp(self, module, node, path, frames, sure, kept):
        self.follow_items(module, [(node.body, path), (node.orelse, path)], frames, sure, kept)

    def item_of_BoolOp(self, module, node, path, frames, sure, kept):
        self.follow_items(module, [(value, path) for value in node.values], frames, sure, kept)

    def item_of_other(self, module, node, path, frames, sure, kept):
        if isinstance(node, ast.DictComp):
            self.follow_item(module, node.key if path[0] is holding.EACH else node.value, path[1:], frames, sure, part_of(kept))
        elif isinstance(node, source.COMPREHENSION):
            self.follow_item(module, node.elt, path[1:], frames, sure, part_of(kept))
        else:
            self.follow(module, node, frames, sure, part_of(kept))

    def entries_of_attribute(self, module, node, frames):
        call = frames[0][1] if frames and frames[0][0] is module else None
        return objects.attribute_entries(module, node, call)

    def in_Attribute(self, module, node, frames, sure, kept):
        if node.attr in calling.BLIND:
            return
        values, kept = [value for value, _ in self.entries_of_attribute(module, node, frames)], self.intact(module, node, kept)
        self.open |= not values and calling.root_of(node).id not in calling.LIBRARIES
        for value in values:
            self.follow(module, value, [], sure if sure == "perhaps" else "likely", kept if len(values) == 1 else part_of(kept))
        if not values and node.attr in calling.VIEWS:
            self.follow(module, node.value, frames, sure, part_of(kept))

    def in_parts(self, module, node, frames, sure, kept):
        if isinstance(node, (ast.Compare, ast.Lambda)) or isinstance(getattr(node, "op", None), ast.FloorDiv):
            return
        kept = part_of(kept) if isinstance(node, holding.HOLDING) else ""
        for child in calling.returned(node) if isinstance(node, source.COMPREHENSION) else ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.follow(module, child, frames, sure, kept)

    def intact(self, module, node, kept):
        """How much of the value is kept by a name or an attribute; nothing, if the numbers that it holds can have been computed anew."""
        return kept if kept and not holding.recomputed(module, node) else ""


def within(frames, exits):
    """Of what left in an expression, that which left in these calls around it; all of it, if that cannot be told."""
    if not frames or frames[0][1] is None or not isinstance(frames[0][1], ast.Call):
        return exits
    module, call = frames[0]
    function = calling.called_function(module, call)
    if function is not None and calling.is_generator(function):  # it runs where its values are taken
        return exits
    outer = module, source.span_of(call)
    here = [(exit, depth) for exit, depth in exits if outer in map(spot, exit.place.callers[depth : depth + 3])]
    return here or [(exit, depth) for exit, depth in exits if len(exit.place.callers) >= CALLERS]


def part_of(kept) -> str:
    return "part" if kept else ""


def gathers(module, node) -> bool:
    """Is it done again and again, and all of it kept: in a comprehension, by `+=`, by `append`?"""
    for one in module.around(node):
        if isinstance(one, (*source.COMPREHENSION, ast.AugAssign)):
            return True
        if isinstance(one, ast.Call) and source.last_name(one.func) in calling.GROWING:
            return True
        if isinstance(one, ast.stmt):
            break
    return False


def parts_of(call):
    """What the value of a call is made of: its arguments, what a method belongs to, and the numbers in a text that `float` reads."""
    inside = [*call.args, *[word.value for word in call.keywords if word.arg not in ("out", "key")]]
    inside += [call.func.value] if isinstance(call.func, ast.Attribute) else []
    texts = [part for part in inside if isinstance(part, ast.JoinedStr) and source.last_name(call.func) == "float"]
    return [*inside, *[one.value for text in texts for one in text.values if isinstance(one, ast.FormattedValue)]]


def is_door(node) -> bool:
    """Is the value of this expression the very value that left: `float(x)`, `x.numpy()`?"""
    return isinstance(node, ast.Call) and source.last_name(node.func) in ("float", "numpy", "complex")


# ---- content -----------------------------------------------------------------------------------------------------------


def equal(given, content) -> bool:
    """Does what left have this content?"""
    if given is None:
        return False
    sample = given.content.sample
    return len(sample) == len(content) and all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(map(real, sample), content))


def precision_of(value) -> float:
    """How well numbers are the same after they have become a part of this value."""
    return max(1e-6, np.finfo(value.dtype).eps) if value is not None and value.dtype.kind in "fc" else 1e-6


def shares(given, content, precision) -> bool:
    """Can a number of this content be one of those that left?"""
    if given is None or not given.content.whole:
        return True
    left, came = np.ravel(given.content.kept).real, np.reshape(content, (-1, 1))
    return not np.isfinite(came).all() or bool((abs(came - left) <= precision * abs(came)).any())


def real(number):
    return number.real


def unusual(content) -> bool:
    """Is it something that would hardly appear twice by chance? Not so 0.1 or 2.5."""
    return any(math.isfinite(x) and float(f"{x:.3g}") != float(f"{x:.6g}") for x in content)
