"""What names, attributes and items hold: the expressions in the user's source that their values can come from."""

import ast
import itertools
from functools import lru_cache
from typing import NamedTuple

from ..explain import calling
from ..tracing.source import COMPREHENSION, last_name
from .calling import arguments, called_function, root_of

HOLDING = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, *COMPREHENSION)


def definitions(module, name, use):
    """The expressions that a name can have its value from, at the place of its use; None if it is a parameter there."""
    found = entries(module, name, use)
    return None if found is None else [value for value, _ in found]


def entries(module, name, use):
    """The same, as pairs: the expression, and the path at which it was put into what the name holds; () if it is all of it.

    Of the assignments before the use, one that surely ran hides those before it.
    """
    scope = module.scope(use)
    for one in module.around(use):
        inside = found_in(module, one, name) if isinstance(one, COMPREHENSION) else ()
        if inside or one is scope:
            break
    if inside:
        return [(value, key) for value, _, _, key in inside]
    if any(one.arg == name for one in parameters_of(scope)):
        inside = found_in(module, scope, name)
        return reaching(module, name, inside, use) if inside and hides(module, inside, use) else None
    while True:
        inside = found_in(module, scope, name)
        if inside or scope is module.tree:
            return reaching(module, name, inside, use) if scope is module.scope(use) else [(value, key) for value, _, _, key in inside]
        scope = module.scope(scope)


def elsewhere(module, name, modules):
    """The last definitions of a global name in other cells."""
    for other in modules:
        found = found_in(other, other.tree, name) if other is not module else []
        if found:
            return [value for value, *_ in found[-1:]]
    return []


def recomputed(module, node) -> bool:
    """Can the numbers that a name or an attribute holds have been computed anew in their place, by `+=` or under another name?"""
    if isinstance(node, ast.Attribute):
        changed = itertools.chain.from_iterable(map(ast.walk, changed_in_place(module)))
        return any(isinstance(one, ast.Attribute) and one.attr == node.attr for one in changed)
    return name_recomputed(module, module.home(node), node.id)


@lru_cache(maxsize=1024)
def name_recomputed(module, scope, name) -> bool:
    """The same of a name, here and in the functions that it is given to."""
    todo = [(scope, name)]
    for where, one in todo:
        others = known_as(module, where, one, mentioned)
        if changed_here(module, where, one, others):
            return True
        for call in calls_in(module).get(where, ()):
            function = called_function(module, call)
            for parameter in parameters_of(function):
                given = any(mentioned(value) & others for value in arguments(function, parameter.arg, call))
                if given and (function, parameter.arg) not in todo:
                    todo.append((function, parameter.arg))
    return False


def changed_here(module, scope, name, others) -> bool:
    """Is a name, or what may be a part of it, changed in its scope? What is assigned to its own items is known, and no such change."""
    parts = known_as(module, scope, name, holders)
    for target in changed_in_place(module):
        root = root_of(target).id
        known = root == name and not isinstance(module.parent[target], ast.AugAssign)
        if root in (parts if isinstance(target, ast.Name) else others) and not known and scope in (module.tree, *module.around(target)):
            return True
    return False


def known_as(module, scope, name, names_of) -> set:
    """The names of a scope that can hold what a name holds, or some of it; `names_of` tells those of an expression."""
    found, before = {name}, set()
    while found != before:
        before = found
        for (where, to), given in all_definitions(module).items():
            if where is scope and any(names_of(value) & found for value, by, *_ in given if not isinstance(by, ast.AugAssign)):
                found = {*found, to}
    return found


def holders(value) -> set:
    """The name of what a value is a part of: `rows` for `rows[0]` and `rows.values()`."""
    while isinstance(value, (ast.Call, ast.Subscript, ast.Attribute)):
        value = value.func if isinstance(value, ast.Call) else value.value
    return {value.id} if isinstance(value, ast.Name) else set()


def mentioned(value) -> set:
    """The names in an expression, but for those that it only computes with."""
    if isinstance(value, ast.Name):
        return {value.id}
    inside = () if isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare)) else ast.iter_child_nodes(value)
    return set().union(*map(mentioned, inside))


@lru_cache(maxsize=128)
def changed_in_place(module) -> list:
    """What is changed and not only named anew: the targets of `+=`, and the items that are assigned."""

    def changes(node):
        parent = module.parent[node]
        added = isinstance(parent, ast.AugAssign) and parent.target is node
        return added or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))

    return [node for node in module.parent if changes(node)]


@lru_cache(maxsize=128)
def calls_in(module) -> dict:
    """The calls of functions of the user's, by the scope that they are in."""
    found = {}
    for node in module.parent:
        if isinstance(node, ast.Call) and called_function(module, node) is not None:
            found.setdefault(module.scope(node), []).append(node)
    return found


def attribute_name(node) -> str:
    return f"{root_of(node).id}.{node.attr}"


def parameters_of(scope):
    arguments = getattr(scope, "args", None)
    if arguments is None:
        return []
    return [one for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg] if one]


def found_in(module, scope, name):
    """(value, statement, does it replace the old value?) for each place in a scope that gives a name something."""
    return all_definitions(module).get((scope, name), [])


@lru_cache(maxsize=128)
def all_definitions(module):
    return Definitions(module).found


class Definitions:
    """All that gives something a value in a module: (value, statement, does it replace the old value?, path) by scope and name."""

    def __init__(self, module):
        self.module, self.found = module, {}
        kinds = {
            ast.Assign: self.assigned, ast.AnnAssign: self.annotated, ast.NamedExpr: self.annotated, ast.AugAssign: self.changed,
            ast.For: self.looped, ast.comprehension: self.looped, ast.Call: self.filled,
        }  # fmt: skip
        for node in [*ast.walk(module.tree)]:
            if type(node) in kinds:
                kinds[type(node)](node)
        for call in itertools.chain(*calls_in(module).values()):
            self.handed(call)

    def put(self, target, value, statement, replaces, path=()):
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                surely = replaces and isinstance(node.ctx, ast.Store)
                self.found.setdefault((self.module.home(node), node.id), []).append((value, statement, surely, path))

    def put_attribute(self, target, value, statement, replaces, path=()):
        place = self.module.owner(target), attribute_name(target)
        self.found.setdefault(place, []).append((value, statement, replaces, path))

    def put_into(self, target, value, statement, more=()):
        """Into what a name holds, or an attribute, at the path that is written and more."""
        holder, path = container_of(target)
        self.put(root_of(holder), value, statement, False, (*path, *more) if isinstance(holder, ast.Name) else ())
        if isinstance(holder, ast.Attribute):
            self.put_attribute(holder, value, statement, False, (*path, *more))

    def part(self, value, k, statement):
        """`value[k]`, of which the source has only the value."""
        part = ast.Subscript(value, ast.Constant(k), ast.Load())
        self.module.parent[part] = self.module.parent[part.slice] = statement
        return part

    def assigned(self, node):
        for target in node.targets:
            self.give(target, node.value, node)

    def give(self, target, value, statement):
        if isinstance(target, (ast.Tuple, ast.List)):
            self.give_each(target.elts, value, statement)
        elif isinstance(target, ast.Starred):
            self.put(target, value, statement, False, (EACH,))
        elif isinstance(target, ast.Name):
            self.put(target, value, statement, not isinstance(statement, (ast.For, ast.comprehension)))
        elif isinstance(target, ast.Attribute):
            self.put(root_of(target), value, statement, False)
            self.put_attribute(target, value, statement, True)
        else:
            self.put_into(target, value, statement)
            self.put_into(target, target, statement)  # to put a Tensor into an array is a way out too

    def give_each(self, targets, value, statement):
        """The parts of a value, to several targets."""
        written = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets) else None
        starred = any(isinstance(one, ast.Starred) for one in targets)
        for k, one in enumerate(targets):
            self.give(one, written[k] if written else self.part(value, EACH if starred else k, statement), statement)

    def annotated(self, node):
        if node.value is not None:
            self.put(node.target, node.value, node, True)

    def changed(self, node):
        """A number that is added, or the items of a list."""
        self.put_into(node.target, node.value, node)
        self.put_into(node.target, self.part(node.value, EACH, node), node, (EACH,))

    def looped(self, node):
        """The target of a loop takes the items in turn; those of `zip` and the like are told apart."""
        self.give(node.target, self.each_of(node.iter, node), node)

    def each_of(self, iterated, statement):
        """An item of what is iterated."""
        called, args = last_name(iterated.func) if isinstance(iterated, ast.Call) else "", getattr(iterated, "args", [])
        nothing = ast.Tuple([], ast.Load())  # a count, or a key
        if called == "zip" and not any(isinstance(one, ast.Starred) for one in args):
            both = [self.each_of(one, statement) for one in args]
        elif called == "enumerate" and args:
            both = [nothing, self.each_of(args[0], statement)]
        elif called == "items" and isinstance(iterated.func, ast.Attribute):
            both = [nothing, self.part(iterated.func.value, None, statement)]
        else:
            return self.part(iterated, EACH, statement)
        pair = ast.Tuple(both, ast.Load())
        self.module.parent[pair] = self.module.parent[nothing] = statement
        return pair

    def filled(self, node):
        """Calls that put something into what is there already."""
        function, out = node.func, next((word.value for word in node.keywords if word.arg == "out"), None)
        if last_name(function) == "copyto" and len(node.args) > 1:
            self.put(root_of(node.args[0]), node.args[1], node, False)
        elif out is not None:
            self.put(root_of(out), node, node, False)
        elif isinstance(function, ast.Attribute) and function.attr in calling.GROWING and root_of(function).id not in calling.LIBRARIES:
            for argument in node.args:
                if function.attr in calling.MERGING:
                    self.put_into(function.value, argument, node)
                    self.put_into(function.value, self.part(argument, EACH, node), node, (None,))
                else:
                    self.put_into(function.value, argument, node, (None,))
            for word in node.keywords:
                self.put_into(function.value, word.value, node, (word.arg,))

    def handed(self, call):
        """What a function puts into something that it is given is put there by each call of it."""
        function = called_function(self.module, call)
        for parameter in parameters_of(function):
            for value, statement, _, path in [*self.found.get((function, parameter.arg), ())]:
                item = isinstance(statement, ast.Assign) and path and value not in statement.targets
                for given in arguments(function, parameter.arg, call) if item or isinstance(statement, ast.Call) else ():
                    self.put_into(given, seen_from(self.module, value, call), call, [key_seen_from(function, key, call) for key in path])


class SeenFrom(ast.expr):
    """An expression in a function, as one of its calls has it."""

    def __init__(self, value, call):
        self.value, self.call = value, call


@lru_cache(maxsize=8192)
def seen_from(module, value, call):
    seen = SeenFrom(value, call)
    module.parent[seen] = call
    return seen


def key_seen_from(function, key, call):
    """What a call gives for a key that is a parameter of the function."""
    given = arguments(function, key.id, call) if isinstance(key, ast.Name) else ()
    return constant_key(given[0]) if given else key


def completed(module, call):
    """A call, with what `functools.partial` has given to the function before."""
    name = call.func if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else None
    for value in (definitions(module, name.id, name) or ()) if name is not None else ():
        if isinstance(value, ast.Call) and last_name(value.func) == "partial":
            return ast.Call(value.args[0], [*value.args[1:], *call.args], [*value.keywords, *call.keywords])
    return call


# ---- items of what a name holds -------------------------------------------------------------------------------------
# A path is a tuple of keys and indices, the outermost first: ("loss", 0) is of `logs["loss"][0]`. None is a key that is
# not written down, and EACH is any item that a loop takes: of a dict the keys.

EACH = ...


def items(node, path):
    """What stands at a path in lists, tuples and dicts that are written down, as pairs with the rest of the path."""
    if not path:
        return [(node, path)]
    if isinstance(node, ast.Dict):
        found = [one for at, value in zip(node.keys, node.values) for one in entry(at, value, path)]
    elif is_dict_call(node):
        found = [(word.value, path[1:] if word.arg else path) for word in node.keywords if may_be(word.arg, path[0])]
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        known = isinstance(path[0], int) and path[0] < len(node.elts) and not any(isinstance(one, ast.Starred) for one in node.elts)
        elements = [node.elts[path[0]]] if known else node.elts
        found = [(one.value, (EACH, *path[1:])) if isinstance(one, ast.Starred) else (one, path[1:]) for one in elements]
    else:
        return [(node, path)]
    return [item for value, rest in found for item in items(value, rest)]


def entry(at, value, path):
    """What an entry of a dict has at a path: its key, its value or nothing; another dict after `**` the same as the whole."""
    if at is None:
        return [(value, path)]
    if path[0] is EACH:
        return [(at, path[1:])]
    return [(value, path[1:])] if may_be(constant_key(at), path[0]) else []


def is_dict_call(node) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "dict" and not node.args


def loosened(module, name, path):
    """A path in what a name holds, without the index if its items are moved somewhere."""
    return (EACH, *path[1:]) if isinstance(path[0], int) and (module.home(name), name.id) in shifted(module) else path


@lru_cache(maxsize=128)
def shifted(module) -> set:
    """The names of what is sorted in its place, or otherwise moved."""
    calls = [node for node in module.parent if isinstance(node, ast.Call) and last_name(node.func) in calling.SHIFTING]
    moved = [root_of(one) for node in calls for one in [getattr(node.func, "value", node), *node.args]]
    return {(module.home(one), one.id) for one in moved if one.id}


def container_of(node):
    """The name or the attribute that `self.rows[0][1]` is an item of, and the path in it."""
    path = ()
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Call) and last_name(node.func) == "setdefault" and node.args):
        called = isinstance(node, ast.Call)
        path = path_through(node.args[0] if called else node.slice, path)
        node = getattr(node.func, "value", None) if called else node.value
    return node, path


def path_through(key, path):
    """The path to what stands at a path in a part of something: in `rows[1:]`, an index is any index of `rows`."""
    found = []
    for one in key.elts if isinstance(key, ast.Tuple) else [key]:
        if isinstance(one, (ast.Slice, ast.Compare)):
            found, path = [*found, EACH], path[1:]
        else:
            found.append(constant_key(one))
    return (*found, *path)


class Text(NamedTuple):
    """A key that is put together, such as `f"loss{k}"`, with what is known of it."""

    start: str
    end: str


def constant_key(node):
    """A key or an index that is written down; a name as it is, and else None."""
    if isinstance(node, ast.JoinedStr):
        ends = [one.value if isinstance(one, ast.Constant) else "" for one in (node.values[0], node.values[-1])]
        return Text(*ends)
    return node.value if isinstance(node, ast.Constant) else node if isinstance(node, ast.Name) else None


def may_be(at, key) -> bool:
    """Can two keys be the same, as far as they are written down?"""
    if any(one is None or one is EACH or isinstance(one, ast.Name) for one in (at, key)):
        return True
    if not any(isinstance(one, Text) for one in (at, key)):
        return at == key
    (start, end), (other, other_end) = [one if isinstance(one, Text) else (str(one), str(one)) for one in (at, key)]
    return (start.startswith(other) or other.startswith(start)) and (end.endswith(other_end) or other_end.endswith(end))


def may_lead(at, path) -> bool:
    """Can a path lead through another one, or end on the way?"""
    return all(map(may_be, at, path))


def hides(module, found, use):
    return any(replaces and surely_before(module, statement, use) for _, statement, replaces, _ in found)


def surely_before(module, statement, use):
    """Did it run before the use, whatever happened? It stands above, in a block that is around the use."""
    block = module.parent.get(statement)
    return getattr(statement, "lineno", 0) < use_line(module, use) and any(one is block for one in module.around(use))


def use_line(module, use):
    return next(one.lineno for one in module.around(use) if hasattr(one, "lineno"))


def reaching(module, name, found, use):
    loops = [one for one in module.around(use) if isinstance(one, (ast.For, ast.While))]
    sure = [statement for _, statement, replaces, _ in found if replaces and surely_before(module, statement, use)]
    sure += [statement for _, statement, *_ in found if isinstance(statement, ast.For) and statement in loops]
    for _, statement, replaces, _ in found:
        choices = [one for one in module.around(statement) if replaces and isinstance(one, (ast.If, ast.Try))]
        sure += [one for one in choices if surely_before(module, one, use) and always_sets(one, name)]
    since, line_of_use = max([one.lineno for one in sure], default=0), use_line(module, use)
    carried = [loop for loop in loops if not any(loop in list(module.around(one)) for one in sure)]

    def reaches(statement):
        line = getattr(statement, "lineno", None) or getattr(getattr(statement, "target", None), "lineno", 0)
        again = any(loop in list(module.around(statement)) for loop in carried)
        return since <= line <= line_of_use or (line > line_of_use and again)

    return [(value, key) for value, statement, _, key in found if reaches(statement)]


def always_sets(statement, name) -> bool:
    """Does a statement give the name a value, whichever way it takes?"""

    def block(statements):
        return any(always_sets(one, name) for one in statements)

    if isinstance(statement, ast.If):
        return block(statement.body) and block(statement.orelse)
    if isinstance(statement, ast.Try):
        return all(map(block, [statement.body, *[one.body for one in statement.handlers]]))
    return isinstance(statement, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in statement.targets)


# ---- what calls hold --------------------------------------------------------------------------------------------------


def is_pure(module, call) -> bool:
    """Does the value of a call follow its arguments smoothly, as far as one can see?"""
    name = last_name(call.func)
    if name in calling.STEPS:
        return False
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(call.func, ast.Name):
        return call.func.id in calling.PURE
    if not isinstance(root, ast.Name) or root.id in calling.LIBRARIES or name in calling.METHODS:
        return True
    made = [value for value in definitions(module, root.id, call) or () if isinstance(value, ast.Call)]
    return any(root_of(value.func).id in calling.LIBRARIES for value in made)  # rng = np.random.default_rng()


def only_call(module, function):
    """The one call of a function of the user's, if there are no others."""
    calls = [call for inside in calls_in(module).values() for call in inside if called_function(module, call) is function]
    return calls[0] if len(calls) == 1 else None


def inside_call(node, path):
    """Where the item at a path comes from that a call gives, as pairs of an expression and a path; None if the name does not tell."""
    name, args = last_name(node.func), node.args
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    key, rest = path[0], path[1:]
    if name in calling.ALIKE and (args or owner is not None):
        return [(args[0] if args and (name not in calling.METHODS or root_of(owner).id in calling.LIBRARIES) else owner, path)]
    if name in calling.ORDERING and args:
        return [(args[0], (EACH, *rest))]
    if name in ("max", "min", "next") and args and isinstance(node.func, ast.Name):
        first = (args[0], (EACH, *path) if len(args) == 1 or name == "next" else path)
        return [first, *[(one, path) for one in args[1:]]]
    if name == "zip" and args:
        second = rest[0] if rest else None
        if isinstance(args[0], ast.Starred):
            return [(args[0].value, (second, key, *rest[1:]))] if len(args) == 1 else None
        known = isinstance(second, int) and not any(isinstance(one, ast.Starred) for one in args)
        return [(one, (EACH, *rest[1:])) for one in (args[second : second + 1] if known else args)]
    if name == "enumerate" and args:
        return [(args[0], (EACH, *rest[1:]))] if not rest or rest[0] != 0 else []
    if owner is not None and name == "values" and not args:
        return [(owner, (None, *rest))]
    if owner is not None and name == "items" and not args:
        return [(owner, (EACH,) if rest[:1] == (0,) else (None, *rest[1:]))]
    if owner is not None and name in calling.TAKING and args:
        return taken(node, path)
    return None


def taken(node, path):
    """The same for `get` or `pop`: the item at a key, or the default. An index is not looked at, since the others move."""
    key = constant_key(node.args[0])
    return [(node.func.value, (key if isinstance(key, str) else None, *path)), *[(one, path) for one in node.args[1:]]]
