"""The iterations of the user's loops: one begins where the program goes back within its loop.

They are counted by what ran: an iteration without an op is not known.
"""

import ast
import itertools
import re
from functools import cache

from .places import Place
from .source import positions, statement_at

LOOPS = ast.For, ast.AsyncFor, ast.While, ast.comprehension, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
SHORTEST = re.compile(r"(.+?)\1*", re.DOTALL)  # what is repeated


def loops_of(places, ops):
    """What ran in loops: of the outermost loops first, then of those within them, and so on.

    Args:
        places: those of the ops that ran, in order of time; None where one is unknown.
        ops: what ran there.

    Yields:
        A list with the bounds of each loop: the index where each iteration begins, and that after the last.
    """
    spots, numbers = spots_of(places), {op: chr(k) for k, op in enumerate(dict.fromkeys(ops))}
    ops = [numbers[op] for op in ops]
    for depth in range(max([len(loops) for _, loops in spots], default=0)):
        way = [(loops[: depth + 1], at[: loops[depth][1]]) if depth < len(loops) else None for at, loops in spots]
        runs = [[*run] for known, run in itertools.groupby(range(len(spots)), way.__getitem__) if known]
        yield [[*starts_of(run, spots, depth, ops), run[-1] + 1] for run in runs]


def spots_of(places) -> list:
    """For each place its instructions in the user's functions that led to it, and (loop, index of the function) for
    each loop around these, both from the outside in."""
    around: dict = {}  # code -> the calls around it, which a trace notes where it may have been called anew
    spots, known = [], cache(lambda *link: (first_instruction(*link), loops_around(Place(*link))))
    for place in places:
        links = []
        if place is not None:
            around[place.code] = place.around or around.get(place.code, ())
            links = [known(*link) for link in (*around[place.code][::-1], place[:2])]
        loops = [(loop, n) for n, (_, found) in enumerate(links) for loop in found]
        spots.append((tuple([instruction for instruction, _ in links]), tuple(loops)))
    return spots


def starts_of(run, spots, depth, ops) -> list:
    """Where iterations begin in a run of ops in one loop."""
    calls = [[*some] for _, some in itertools.groupby(run, lambda k: spots[k][0])]
    once, starts = ops_of_one_call(calls, spots, ops), [run[0]]
    for before, call in zip([[], *calls], calls):
        at, loops = spots[call[0]]
        if before and goes_back(spots[before[-1]], spots[call[0]], depth):
            starts.append(call[0])
        if len(loops) == depth + 1:
            starts += call[once[at] :: once[at]]
    return starts


def ops_of_one_call(calls, spots, ops):
    """How many ops one call at each spot runs: the fewest that follow each other there, if all are repetitions."""
    found = {}
    for call in calls:
        found.setdefault(spots[call[0]][0], []).append("".join([ops[k] for k in call]))
    once = {}
    for at, several in found.items():
        least = min(several, key=len) if len(several) > 1 else SHORTEST.fullmatch(several[0])[1]
        whole = all(one == least * (len(one) // len(least)) for one in several)
        once[at] = len(least) if whole else len(max(several, key=len))
    return once


def goes_back(before, now, depth) -> bool:
    """Whether the program has gone back from one spot to the next, and not only in a loop within that of this depth."""
    (first, loops), (second, others) = before, now
    at = next((n for n, (a, b) in enumerate(zip(first, second)) if a != b), None)
    inner = loops[depth + 1 : depth + 2] if at is not None else ()
    within = inner and inner == others[depth + 1 : depth + 2] and inner[0][1] <= at
    return at is not None and second[at] < first[at] and not within


def loops_around(place) -> tuple:
    """The loops that contain this place, in its own function, from the outside in."""
    module, _, node = statement_at(place)
    around = module.around(node) if node is not None else ()
    within = itertools.takewhile(lambda one: one is not module.scope(node), around)
    return tuple([one for one in within if isinstance(one, LOOPS)][::-1])


def first_instruction(code, instruction) -> int:
    """The first of the adjacent instructions for one piece of source, among which Python moves on to quicker ones."""
    known, k = positions(code) if hasattr(code, "co_positions") else (), instruction // 2
    while 0 < k < len(known) and known[k - 1] == known[k]:
        k -= 1
    return 2 * k
