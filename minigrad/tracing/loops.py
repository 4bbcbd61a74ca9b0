"""The iterations of the user's loops: one begins where the program goes back within its loop.

They are counted by what ran: of an iteration without an op it is only known whether there may have been one.
"""

import ast
import builtins
import dis
import inspect
import itertools
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from .places import CALLERS, USERS, Place
from .source import called_text, node_at, position, positions, statement_at

COMPREHENSIONS = ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
STATEMENTS = ast.For, ast.AsyncFor, ast.While
LOOPS = *STATEMENTS, ast.comprehension, *COMPREHENSIONS
INNER = re.compile("<(listcomp|setcomp|dictcomp|genexpr|lambda)>")  # the names of codes that lie within a statement
SHORTEST = re.compile(r"(.+?)\1*", re.DOTALL)  # what is repeated
JUMPS = {*dis.hasjrel, *dis.hasjabs}
LAST = re.compile("RETURN|RAISE|RERAISE|JUMP_FORWARD|JUMP_BACKWARD|JUMP_ABSOLUTE")  # no next one follows
SURE = re.compile("STORE_(FAST|NAME|GLOBAL)|LOAD_(FAST|CONST)|POP_TOP|NOP|COPY|SWAP|PUSH_NULL|JUMP")  # raises nothing


def loops_of(spots, ops, repeated, failed=()):
    """What ran in loops: of the outermost loops first, then of those within them, and so on.

    Args:
        spots: those of the ops that ran, in order of time.
        ops: for each the library function that the user called, and the op.
        repeated: for each the spots of the events Repeats that came before it, after the last op.
        failed: the indices of those that raised an error.

    Yields:
        A list of the loops: for each the index where each iteration begins and that after the last, whether there may
        have been more iterations, in which no op ran, and whether one may have been two.
    """
    letters = {op: chr(k) for k, op in enumerate(dict.fromkeys(ops))}
    calls = [(called, "" if called == op else letters[called, op]) for called, op in ops]

    def way_to(spot, depth):
        """The loop at this depth, if there is one, and how the program came there."""
        loop = spot.loops[depth] if depth < len(spot.loops) else None
        return loop and (spot.loops[: depth + 1], spot.pieces[: loop[1]])

    for depth in range(max([len(spot.loops) for spot in spots], default=0)):
        known = {spot: way_to(spot, depth) for spot in {*spots}}
        ways = [known[spot] for spot in spots]
        runs = [[*run] for known, run in itertools.groupby(range(len(spots)), ways.__getitem__) if known]
        starts = [starts_of(run, spots, depth, calls, repeated, failed) for run in runs]
        yield [([*some, run[-1] + 1], *doubts(run, some, spots, depth)) for run, some in zip(runs, starts)]


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where an op ran; of the spots of one film no two have the same pieces.

    Attributes:
        pieces: the pieces of code that led there, from the user's first one on.
        loops: (loop, index of the piece) for each loop around these, from the outside in. (A comprehension is around
            its call, and within itself.)
    """

    pieces: tuple
    loops: tuple


NOWHERE = Spot((), ())


def spots_and_repeats(places, repeats) -> tuple:
    """The Spot of each place, NOWHERE where one is unknown, and for each those of the `repeats` that came before it."""
    every = iter(spots_of([one for place, some in zip(places, repeats) for one in (*some, place)]))
    pairs = [(tuple([next(every) for _ in some]), next(every)) for some in repeats]
    return [spot for _, spot in pairs], [some for some, _ in pairs]


def spots_of(places) -> list:
    """The Spot of each place."""
    around: dict = {}  # the id of a code -> the calls around it, which a trace notes where it may have been called anew
    found: dict = {None: NOWHERE}
    known, parts, spots = {}, {}, []
    for place in places:
        key = None
        if place is not None:
            code = id(place.code)  # its hash would take longer
            around[code] = place.around or around.get(code, ())
            key = code, place.instruction, around[code]
        if key not in found:
            spot = spot_of([*around[code][::-1], place[:2]], parts)
            found[key] = known.setdefault(spot.pieces, spot)
        spots.append(found[key])
    return spots


def spot_of(links, parts) -> Spot:
    """The Spot of a place, of which these calls are around, and the last is the place itself.

    `parts`: the id of a code and an instruction -> its piece, and the loops around it; it grows.
    """
    users = [*itertools.dropwhile(lambda link: not USERS[link[0].co_filename], links)]
    keys = [(id(code), instruction) for code, instruction in users]
    parts |= {key: (piece_of(*link), loops_around(Place(*link))) for key, link in zip(keys, users) if key not in parts}
    found = [(loop, n) for n, key in enumerate(keys) for loop in parts[key][1]]
    loops: dict = {}
    for loop, n in found:  # a generator begins where Python's own function goes through it
        at = loops.get((loop, False), n) if isinstance(loop, ast.GeneratorExp) else n
        loops[loop, isinstance(loop, ast.stmt) and n] = at
    return Spot(tuple([parts[key][0] for key in keys]), tuple([(loop, n) for (loop, _), n in loops.items()]))


def starts_of(run, spots, depth, ops, repeated, failed) -> list:
    """Where iterations begin in a run of ops in one loop. (Of each op, the function that was called, and a letter.)"""
    counts = [*itertools.accumulate(map(len, repeated))]
    calls = [[*some] for _, some in itertools.groupby(run, lambda k: (spots[k], ops[k][0], counts[k]))]
    of_others = [all(ops[k][1] for k in call) for call in calls]  # whether the function itself is no op
    once = ops_of_one_call([*itertools.compress(calls, of_others)], spots, ops)
    starts, back = [run[0]], cache(goes_back)
    for before, call, composed in zip([[], *calls], calls, of_others):
        spot, innermost = spots[call[0]], len(spots[call[0]].loops) == depth + 1
        within = spot.pieces[spot.loops[depth][1] :]
        names = [*[piece[0].co_name for piece in within[1:]], ops[call[0]][0]]
        innermost = innermost and not any(map(is_for_another, within, names))  # one call of `sum` adds again and again
        anew = before and spot is spots[before[0]] and innermost  # another function was called there
        if anew or (before and back(spots[before[-1]], spot, depth, repeated[call[0]], before[-1] in failed)):
            starts.append(call[0])
        if innermost and composed:
            length = once[spot, ops[call[0]][0]]
            starts += call[length::length]
        elif innermost:  # with the op of the function itself each call ends
            starts += [k for last, k in itertools.pairwise(call) if not ops[last][1]]
    return starts[:-1] if starts[1:] and is_over(run, starts[-1], spots, depth) else starts


def is_over(run, start, spots, depth) -> bool:
    """Whether what ran in a loop since this start is no iteration: a test that failed, or a generator that ended."""
    loop, n = spots[start].loops[depth]
    body = {k: piece for k, piece in [(k, spots[k].pieces[n]) for k in run] if head_of(*piece[:2]) is None}
    ended = max(body, default=-1) < start
    if not ended or not body or isinstance(loop, ast.While):
        return ended and isinstance(loop, ast.While)
    code, ran = spots[start].pieces[n][0], steps_of(spots[start].pieces[n][0], {*body.values()})
    return not any(free_way(code, begin, end, ran) for end, begin in back_in(code, loop))


def ops_of_one_call(calls, spots, ops):
    """How many ops one call of a function at a spot runs: the fewest that follow each other, if all repeat these."""
    found, once = {}, {}
    for call in calls:
        found.setdefault((spots[call[0]], ops[call[0]][0]), []).append("".join([ops[k][1] for k in call]))
    for key, several in found.items():
        least = min(several, key=len) if len(several) > 1 else SHORTEST.fullmatch(several[0])[1]
        whole = all(one == least * (len(one) // len(least)) for one in several)
        once[key] = len(least if whole else max(several, key=len))
    return once


def goes_back(before, now, depth, repeated, failed) -> bool:
    """Whether the program has gone back from one spot to the next, and not only in a loop within that of this depth.

    `repeated`: the spot of each call in between of a library function that repeats one of the user. `failed`: whether
    the op at the first spot raised an error.
    """
    first, second, calls = before.pieces, now.pieces, [spot.pieces for spot in repeated]
    again = [len(pieces) - 1 for pieces in calls if pieces == first[: len(pieces)] == second[: len(pieces)]]
    at = min([*again, *[n for n, (a, b) in enumerate(itertools.zip_longest(first, second)) if a != b]], default=None)
    if at is None:
        return False
    inner = before.loops[depth + 1 : depth + 2]
    if inner and inner == now.loops[depth + 1 : depth + 2] and inner[0][1] <= at:
        return False
    if at in (len(first), len(second)):  # the same instruction has run an op, and called a function of the user
        called, (loop, n) = max(first, second, key=len)[at][0], before.loops[depth]
        if isinstance(loop, ast.GeneratorExp) and n == at - 1:
            return at < len(second)
        return USERS[called.co_filename] and not is_for_another(first[at - 1], called.co_name)
    if first[at] == second[at]:
        return True
    if at and isinstance(before.loops[depth][0], STATEMENTS) and is_for_another(first[at - 1], first[at][0].co_name):
        return False  # `max` may call its `key` again and again
    (code, start, after), (other, wanted, _) = first[at], second[at]
    if code is not other:  # another function was called from there; a library may do that without going back
        return at == 0 or before.loops[depth][1] == at - 1 or USERS[first[at - 1][0].co_filename]
    raised = start if failed or at < len(first) - 1 else after  # an op that ran has not; the call around it may have
    return not leads_on(code, start, raised, wanted)


def calls_of(spots, least) -> list:
    """The calls of the user's functions at the first depth that has at least so many, or else each until the next one.

    Returns:
        (name, index of the first spot, index of the last one) for each; one of several has its number in its name.
    """
    around = calls_around(spots)
    for depth in range(CALLERS):
        at: list[Any] = [some[depth] if len(some) > depth else (0, None) for some in around]
        groups = [[*run] for _, run in itertools.groupby(range(len(at)), at.__getitem__)]
        runs = [run for run in groups if is_function(at[run[0]][1])]
        if len(runs) >= least:
            break
    else:
        at = [some[-1] if some else (0, None) for some in around]
        first = {call: k for k, call in reversed([*enumerate(at)]) if is_function(call[1])}
        starts = sorted(first.values())
        runs = [[*range(start, end)] for start, end in itertools.pairwise([*starts, len(at)])]
    names = [at[run[0]][1].co_name.strip("<>") for run in runs]
    several, numbers = Counter(names), defaultdict(itertools.count)
    numbered = [f"{name} {next(numbers[name]) + 1}" if several[name] > 1 else name for name in names]
    return [(name, run[0], run[-1]) for name, run in zip(numbered, runs)]


def calls_around(spots) -> list:
    """For each Spot the calls of the user's functions around it, the outermost first: (number of the call, its code).

    A call goes on while the program may come from one spot to the next within its function. A comprehension or a
    generator belongs to the function that goes through it.
    """
    own, goes_on = {spot: tuple(filter(is_call, spot.pieces)) for spot in {*spots}}, cache(common_calls)
    numbers, now, found = itertools.count(), [], []
    for before, spot in itertools.pairwise([None, *spots]):
        kept = goes_on(own[before], own[spot]) if before is not None else 0
        now = [*now[:kept], *[(next(numbers), code) for code, *_ in own[spot][kept:]]]
        found.append(now)
    return found


def is_function(code) -> bool:
    """Whether it is the code of a function, and not of a module or a cell."""
    return code is not None and bool(code.co_flags & inspect.CO_NEWLOCALS)


def is_call(piece) -> bool:
    """Whether a piece of code is the user's, and no part of another function."""
    code = piece[0]
    within = code.co_flags & inspect.CO_GENERATOR or re.match("<(list|set|dict)comp>", code.co_name)
    return bool(USERS[code.co_filename]) and not within


def common_calls(first, second) -> int:
    """How many of the calls around a spot, of which these are the pieces, the next one is in as well."""
    for k, ((code, start, after), (other, wanted, _)) in enumerate(zip(first, second)):
        if code is not other:
            return k
        if start != wanted:
            on = leads_on(code, start, start if k < len(first) - 1 else after, wanted)
            return k + 1 if on or loop_of(code, start, wanted) is not None else k
    return min(len(first), len(second))


def is_for_another(piece, name) -> bool:
    """Whether it is not the program that calls the function of this name there: Python does, or what it is given to."""
    return is_pythons(*piece[:2]) or name in given_there(*piece[:2])


@lru_cache(maxsize=1000)
def given_there(code, instruction) -> set:
    """The names of the functions that are arguments of the call there."""
    node = node_at(Place(code, instruction))[1]
    given = [*node.args, *[word.value for word in node.keywords]] if isinstance(node, ast.Call) else []
    parts = [part for one in given for part in ast.walk(one)]
    called = [part.func for part in parts if isinstance(part, ast.Call)]
    names = {getattr(part, "attr", getattr(part, "id", "")) for part in parts if part not in called}
    return names | {"<lambda>"} if any(isinstance(part, ast.Lambda) for part in parts) else names


@lru_cache(maxsize=1000)
def is_pythons(code, instruction) -> bool:
    """Whether a function of Python's own is called there."""
    return called_text(Place(code, instruction)) in vars(builtins)


def doubts(run, starts, spots, depth) -> tuple:
    """Whether an iteration of the loop at this depth may run none of the pieces of its code that ran, and whether one
    that is told may have been two: each skipped what the other ran, or the last broke off after its test."""
    loop, n = spots[run[0]].loops[depth]
    pieces = [spots[k].pieces[n] for k in run]
    code, begins = pieces[0][0], {*starts}
    ran, back = steps_of(code, {*pieces}), back_in(code, loop)
    pairs = {(a, b) for k, a, b in zip(run[1:], pieces, pieces[1:]) if a[1] < b[1] and k not in begins}

    def two(one, other, end, start):
        without = ran - steps_of(code, {other})
        return free_way(code, one[2], end, ran) and free_way(code, start, other[1], without, raises=False)

    skips = any(free_way(code, start, end, ran) for end, start in back)
    broken = head_of(*pieces[-1][:2]) is not None and may_break(loop)  # after a last test
    return skips, broken or any(two(*pair, *ends) for pair in pairs for ends in back)


def may_break(node) -> bool:
    """Whether a `break` below this node, in no loop within, ends the loop that it is in."""
    below = [one for one in ast.iter_child_nodes(node) if not isinstance(one, STATEMENTS)]
    return any(isinstance(one, ast.Break) or may_break(one) for one in below)


def steps_of(code, pieces) -> set:
    """The instructions of these pieces of a code, in all copies."""
    source = sources_of(code)
    told = {source[first // 2] for _, first, _ in pieces}
    return {2 * k for k, one in enumerate(source) if one in told}


def back_in(code, loop) -> list:
    """The jumps back in a loop, each as (from, to)."""
    after, _ = flow(code)
    return [(step, one) for step in after for one in after[step] if one <= step and loop_of(code, step, one) is loop]


def free_way(code, start, end, ran, raises=True) -> bool:
    """Whether the program may come from one instruction to a later one without any that `ran`."""
    after, handlers = flow(code)
    found, todo = {start} - ran, [*({start} - ran)]
    while todo and end not in found:
        step = todo.pop()
        new = {one for one in after[step] | (handlers[step] if raises else set()) if one > step} - ran - found
        found |= new
        todo += new
    return end in found


@lru_cache(maxsize=10_000)
def leads_on(code, start, raised, wanted) -> bool:
    """Whether one instruction may run after another in the same iteration: not by going back in a loop that has both.

    Exceptions are taken into account from the instruction `raised` on.
    """
    (after, handlers), own, found, todo = flow(code), loops_around(Place(code, wanted)), {start}, [start]
    while todo and wanted not in found:
        step = todo.pop()
        new = after[step] | (handlers[step] if step >= raised else set())
        new = {one for one in new - found if one > step or loop_of(code, step, one) not in (*own, None)}
        found |= new
        todo += new
    return wanted in found


@lru_cache(maxsize=128)  # not all: a cell is compiled anew each time it runs
def flow(code) -> tuple:
    """For each instruction those that may come after it if it raises nothing, and those that an exception leads to."""
    steps, after, handlers = [*dis.get_instructions(code)], {}, {}
    blocks = [(one.offset, one.argval, one.argval) for one in steps if one.opname.startswith("SETUP_")]  # in 3.10
    tried = [(one.start, one.end, one.target) for one in getattr(dis.Bytecode(code), "exception_entries", ())]
    for step, following in itertools.zip_longest(steps, steps[1:]):
        at, goes_on = step.offset, following is not None and not LAST.match(step.opname)
        after[at] = ({following.offset} if goes_on else set()) | ({step.argval} if step.opcode in JUMPS else set())
        raises = not SURE.match(step.opname)
        handlers[at] = {handler for start, end, handler in blocks + tried if raises and start <= at < end}
    return after, handlers


def loop_of(code, *instructions):
    """The innermost loop that contains these instructions, as far as their places are known; None if there is none."""
    around = [loops_around(Place(code, one)) for one in instructions if position(code, one)[0] is not None]
    return next((one[0] for one in reversed([*zip(*around)]) if len({*one}) == 1), None)


def loops_around(place) -> tuple:
    """The loops that contain this place, in its own function, from the outside in."""
    module, _, node = statement_at(place)
    around = module.around(node) if node is not None else ()
    within = [*itertools.takewhile(lambda one: one is not module.scope(node), around)]
    begins = dis.opname[place.code.co_code[place.instruction]] != "FOR_ITER"  # which gets the next element
    threes = zip([None, *within], within, within[1:])
    before = [loop for below, part, loop in threes if is_outside(below, part, loop, begins)]
    if is_pythons(*place[:2]):  # `sum` goes through a generator that it is given
        within = [*[one for one in node.args if isinstance(one, ast.GeneratorExp)], *within]
    return tuple([one for one in within if isinstance(one, LOOPS) and one not in before][::-1])


def is_outside(below, part, loop, begins) -> bool:
    """Whether a part of a loop runs once: what it goes through, where it `begins`, or what comes after its end."""
    if isinstance(loop, COMPREHENSIONS):
        return begins and part is loop.generators[0] and below is part.iter
    own = begins and isinstance(loop, (ast.For, ast.comprehension)) and part is loop.iter
    return own or (isinstance(loop, STATEMENTS) and part in loop.orelse)


def piece_of(code, instruction) -> tuple:
    """The code, the first of the adjacent instructions for one piece of source, and the instruction after these.

    (Python moves on to quicker ones among them. Of the test of a `while` it has two copies, which are one piece.)
    """
    source = sources_of(code)
    first, end = stretch(source, instruction // 2)
    if isinstance(head_of(code, instruction), ast.While):
        alike = [*dict.fromkeys(stretch(source, k) for k, one in enumerate(source) if one == source[first])]
        copies = 2 - len(alike) % 2
        first, end = alike[alike.index((first, end)) % (len(alike) // copies)]
    return code, 2 * first, 2 * end


def stretch(source, at) -> tuple:
    """The first of the adjacent instructions with the same place in the source as this one, and that after them."""
    first, end = at, at + 1
    while first > 0 and source[first - 1] == source[at]:
        first -= 1
    while end < len(source) and source[end] == source[at]:
        end += 1
    return first, end


def sources_of(code) -> list:
    """The place in the source of each instruction, or else its own number. (Python tells it from version 3.11 on.)"""
    return positions(code) if hasattr(code, "co_positions") else [*range(len(code.co_code) // 2)]


@lru_cache(maxsize=10_000)
def head_of(code, instruction):
    """The loop to whose head it belongs: to the test of a `while`, or where a `for` gets the next element. Or None."""
    statement = None if INNER.match(code.co_name) else statement_at(Place(code, instruction))[1]
    return statement if isinstance(statement, STATEMENTS) else None
