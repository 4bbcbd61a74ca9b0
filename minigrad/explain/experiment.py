"""Replays of a tape's block: which values change when a source is nudged, where they left, and what they carry.

Two replays are compared: one unchanged, and one with the source nudged where the tape opens, and again where the block
assigns it. A lost path comes back in where a value that no tape carries differs between the two. A further replay holds
that value at its old value; the target then shows whether the path carries anything.
"""

import contextlib
import itertools
import time
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from ..tracing.checkpoint import SECONDS, NotTried, impossible, told_since
from ..tracing.log import LeftEngine, Ran, TapeEvent, Wrote
from ..tracing.source import called_text
from ..tracing.values import finite
from .replay import SIGNS, Arrival, Nudge, Replay, begin, digest, direction, find, skeletons, spot

STEPS = [Nudge(sign * step) for step in (4e-3, 1e-3, 1e-4, 1e-5) for sign in (1, -1)]  # until no decision changes
VERY_LARGE = Nudge(3e-2), Nudge(0.2)  # for effects that are small beside the target
HUGE = Nudge(1e6), Nudge(1e12)  # for effects that rounding hides
FINER = 0.03, 1e-3, 1e-6  # of a nudge, where it is too large
TINY = 4e-3  # elements below this size are first nudged by shares of themselves alone
ROUNDING = 16  # a change of the target by up to this many rounding units counts as none
NEGLIGIBLE = STEPS[0].share ** 2  # of the slope: a central difference with this nudge is wrong by about as much
FURTHER = 0.3247179572, 0.5698402910  # directions to measure in, besides the usual ones
TOLERANCE = 0.1  # of what counts as proportional to the nudge
FINE, NEAR = 1e-3, 0.02  # relative distances of a right gradient from the measured slopes: for certain, and at most
QUARTERS = 4  # pieces into which elements are divided
SPREAD, MOST_PARTS = 256.0, 4  # elements whose slopes differ by more than this factor are measured apart
SLOWER, LEAST = 30, 1 / 6  # a replay may take this many times as long as the block, or this share of all the time
WAITS = "the block may wait for another thread, which a replay does not have"
MOST_LINES = 32  # limit on the places of exits that are tried one by one


class Changed(NotTried):
    """The replay took a different path from the program."""


class Outcome(NamedTuple):
    """The result of a replay."""

    steps: list
    noted: dict
    targets: dict
    kept: dict
    points: dict  # the values of the sources when the tape was opened


class Slope(NamedTuple):
    """A measured slope of the targets' sum, the direction in which the source was nudged, and the Nudge."""

    value: float
    way: np.ndarray
    size: Nudge


class Experiment:
    """Replays for one tape, its targets and one source.

    Args:
        trace, tape: the log and the tape.
        targets, sources: what is asked about; measuring needs exactly one source.
        seeds: the weights of the targets by id; 1 for targets without any.
        seconds: the time limit for all replays together.
        known: an Experiment with more sources; its replay without a nudge is reused.
        share: how much of the time that is left where the tape is opened is for this one.

    Attributes:
        before, after: the Outcomes of the unchanged block, and with the sources nudged by `step`.
        size: the Nudge used to measure effects.
        point: the largest size of each element of the source while the tape is open; nudges are shares of it.
        moved: event number -> what moved, as returned by `compared`.
        parts: groups of elements to nudge alone, as in `Nudge.only`, besides all together.
        folded: whether of several values that left at one place only the last is told.
        fine: keys -> whether what comes by them has fine steps in a single element, if that was tried.

    Raises:
        NotTried: no replay is possible; the message says why.
    """

    def __init__(self, trace, tape, targets, sources, seeds, seconds, known=None, share=1.0):
        self.deadline, self.tape, self.checkpoint = time.perf_counter() + seconds, tape, tape.checkpoint
        late = "the trace began after the tape was opened"
        if seconds <= 0 or self.checkpoint is None:
            raise NotTried("it was not asked for" if seconds <= 0 else impossible() or late)
        nodes = [(one.id, getattr(one, "version", None)) for one in targets]
        makers = [trace.made.get(node) or trace.made.get(node[0]) for node in nodes]
        until = max([event.number for event in makers if event is not None], default=0)
        opening = trace.opening(tape.number)
        if opening is None:
            raise NotTried("the log has forgotten where the tape was opened" if trace.cut else late)
        opened = opening.number
        if until <= opened:
            raise NotTried("the target was made before the tape was opened")
        self.longest = np.inf if opening.threads < 2 else self.of_waiting(trace, opening, until, seconds)
        self.events = [e for e in trace.events if opened < e.number <= until]
        self.steps = skeletons(self.events, opened, until)
        elements = {k: one for k, one in trace.elements.items() if one[0] >= self.checkpoint.number}
        self.command = dict(
            tape=tape.number, sources=[one.id for one in sources], targets=[one.id for one in targets], until=until,
            nudge=None, exits={}, held={}, assigned={one.id: {} for one in sources}, elements=elements,
            ops=sorted({e.op_number for e in self.events if isinstance(e, Ran)}), told=told_since(self.checkpoint),
        )  # fmt: skip
        if opened > self.checkpoint.number:
            self.checkpoint = self.try_out(Arrival, partial(self.checkpoint.advance, tape))
        self.deadline -= (1.0 - share) * (self.deadline - time.perf_counter())
        self.outcomes, self.seeds, self.parts, self.folded, self.fine = {}, seeds, [], False, {}
        self.before = known.before if known is not None else self.unchanged(targets)
        if not self.before.points.keys() >= {*self.command["sources"]}:
            raise NotTried("the source was not found when the tape was opened")
        self.command["assigned"] = {one.id: self.assigned(one.id) for one in sources}
        values = self.before.points[sources[0].id], *self.assigned(sources[0].id).values()
        self.point = np.max(np.abs(values), axis=0)
        self.step, self.after = self.first_nudge()
        self.moved = compared(self.before, self.after)

    def try_out(self, kind, run=None, **command):
        """Run a Replay or a Trial, and return its answer."""
        left = self.deadline - time.perf_counter()
        if left <= 0:
            raise NotTried("the replays take too long")
        what = find, begin, {**self.command, "kind": kind, **command}
        if run is not None:
            return run(*what, left)
        return self.checkpoint.run(*what, min(left, self.longest), WAITS if self.longest < left else "")

    def of_waiting(self, trace, opening, until, seconds) -> float:
        """After how many seconds a replay seems to wait for a thread that it does not have."""
        later = [e.time for e in trace.every(TapeEvent) if e.tape == opening.tape and e.number > until]
        took = min(later, default=time.perf_counter()) - max(opening.time, self.checkpoint.made)
        return max(SLOWER * took, LEAST * max(SECONDS, seconds))

    def at(self, step, *keys, left=None) -> Outcome:
        """The Outcome of a replay that nudges the source, or only what `left` at this place, and holds the values at
        these keys at their old values."""
        if (step, keys, left) not in self.outcomes:
            nudges = dict(exits={left: step}) if left else dict(nudge=step, held=self.kept(keys))
            try:
                self.outcomes[step, keys, left] = Outcome(*self.try_out(Replay, **nudges))
            except NotTried as why:
                if step is None or time.perf_counter() > self.deadline:
                    raise
                self.outcomes[step, keys, left] = Changed(f": {why}")  # the nudge ended it
        return self.same(self.outcomes[step, keys, left])

    def kept(self, keys) -> dict:
        """The values at these keys in the unchanged block."""
        if keys and not self.before.kept.keys() >= {*keys}:
            raise NotTried("a value is too large to be held still")
        return {key: self.before.kept[key] for key in keys}

    def assigned(self, source) -> dict:
        """The number of each assignment to a source -> its value then, in the unchanged block."""
        wrote = [e.number for e in self.events if isinstance(e, Wrote) and e.variable == source]
        return {number: value for number, [value] in self.kept(wrote).items()}

    def same(self, outcome) -> Outcome:
        """The outcome, if the replay took the same path as the program; otherwise raise Changed."""
        if isinstance(outcome, Changed):
            raise outcome
        old = getattr(self, "before", outcome).targets
        pairs = [(x, old.get(i, x)) for i, x in outcome.targets.items() if x is not None]
        fit = [np.shape(x) == np.shape(y) and (finite(x) or not finite(y)) for x, y in pairs]
        if all(fit) and outcome.steps == self.steps:
            return outcome
        same = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], zip(self.steps, outcome.steps))])
        raise Changed(f": {self.events[same].place.text}" if same < len(self.events) else "")

    def unchanged(self, targets) -> Outcome:
        """The Outcome of a replay without changes, which must match the program's own run."""
        what = "the block" if self.checkpoint is self.tape.checkpoint else "the program"
        try:
            outcome = self.at(None)
        except Changed as where:
            raise NotTried(f"{what} does not run the same way twice{where}") from None
        for event in self.events:
            known = event.given.content if isinstance(event, LeftEngine) and event.given is not None else None
            if known is not None and known.whole and digest(known.kept) != outcome.noted[event.number]["gave", 0]:
                raise NotTried(f"{what} does not give the same numbers twice: {event.place.text}")
        for one in targets:
            value = outcome.targets[one.id]
            if value is not None and not hasattr(one, "trainable") and digest(value) != digest(one.value):
                raise NotTried(f"{what} does not give the same target twice")
        return outcome

    def first_nudge(self) -> tuple:
        """A step small enough that no decision changes, and the Outcome of a replay with it."""
        problems = []
        for step in self.steps_to_try:
            try:
                return step, self.at(step)
            except Changed as where:
                problems.append(NotTried(f"the smallest nudge changes what runs{where}"))
        raise problems[0]

    @cached_property
    def steps_to_try(self) -> list:
        """The nudges in the order of their trial: a larger one first where the usual one is few rounding units."""
        coarse = [size for size in (STEPS[0], *VERY_LARGE) if size.share < 2 * ROUNDING * self.precision]
        larger = VERY_LARGE[: len(coarse)][::-1]
        usual = [*[size.times(sign) for size in larger for sign in (1, -1)], *STEPS]
        own = [size._replace(least=0.0) for size in usual[:2]]  # near 0 there may be the end of a domain, as of log
        at_zero, tiny = np.any(self.point == 0), np.any((self.point != 0) & (np.abs(self.point) < TINY))
        return [*usual[:2], *own, *usual[2:]] if at_zero and np.any(self.point) else [*usual, *own * bool(tiny)]

    def moves_in(self, after) -> bool:
        """Whether the target moves in this Outcome."""
        return any(digest(old) != digest(after.targets[i]) for i, old in self.before.targets.items() if old is not None)

    @cached_property
    def jumps(self) -> str:
        """What a large nudge of what leaves changes: the "target", the "way" to it, or nothing."""
        sizes = [size.times(sign) for size in VERY_LARGE for sign in (1, -1)]
        try:
            return "target" if self.exits and any(self.moves_in(self.at(size)) for size in sizes) else ""
        except NotTried as why:
            return "way" if isinstance(why, Changed) else ""

    @property
    def is_still(self) -> bool:
        """Whether no nudge moves the target, not even a HUGE one; False if that was not tried."""
        with contextlib.suppress(NotTried):
            return not any(self.moves_in(self.at(size)) for size in (self.step, *HUGE))
        return False

    def moved_in(self, event) -> dict:
        return self.moved.get(event.number, {})

    # ---- where the values that came in had left ----------------------------------------------------------------------

    @cached_property
    def exits(self) -> list:
        """The events where a changed value left, as one list per place, the earliest place first."""
        places = {}
        for event in self.events:
            if isinstance(event, LeftEngine) and event.number in self.moved:
                places.setdefault(spot(event), []).append(event)
        return [*places.values()]

    def moved_by(self, events) -> dict:
        """What moves when only the values that left at the place of these events are nudged. If that cannot be tried,
        as of a whole number or a truth value, the only values that left moved all of it; of others nothing is known."""
        unknown = True
        for step in (self.step, self.step.times(-1)):
            with contextlib.suppress(NotTried):
                if moved := compared(self.before, self.at(step, left=spot(events[0]))):
                    return moved
                unknown = events[0].given is None  # no float, which a nudge could move
        return self.moved if unknown and len(self.exits) == len(self.command["sources"]) == 1 else {}

    def left_by(self, event) -> list:
        """The exit events from which a value that came in at this event was made: all of each line, for its sources may
        differ, or those of the last call if there is one source."""
        before = [events for events in self.exits if events[0].number < event.number]
        earlier = {events[0].number: events for events in before[: -MOST_LINES - 1 : -1]}
        ways = {first: moved for first, events in earlier.items() if event.number in (moved := self.moved_by(events))}
        direct = [earlier[first] for first, moved in ways.items() if not moved.keys() & (ways.keys() - {first})]
        until = [[e for e in events if e.number < event.number] for events in direct]
        told = [e for events in until for e in (events if len(self.command["sources"]) > 1 else of_last_call(events))]
        self.folded = self.folded or len(told) < sum(map(len, until))
        return told

    # ---- how much it carries -----------------------------------------------------------------------------------------

    def total(self, outcome) -> float:
        """The sum of the targets, weighted as in their gradient."""
        values = [(value, self.seeds.get(i, 1)) for i, value in outcome.targets.items() if value is not None]
        return sum(float(np.sum(value * np.asarray(weights, np.complex128)).real) for value, weights in values)

    @cached_property
    def size(self) -> Nudge:
        return self.size_with(())

    def size_with(self, keys) -> Nudge:
        """The largest nudge that changes no decision in either direction, nor while these keys are held."""
        for size in self.steps_to_try[::2]:
            with contextlib.suppress(Changed):
                self.sides((), size), self.sides(keys, size)
                return size
        raise NotTried("the smallest nudge changes what runs")

    def keys(self, edges) -> tuple:
        """The keys of the values to hold still so that these edges of a History carry nothing."""
        found = []
        for edge in edges:
            number, entered = edge.event.number, edge.code == "LEFT_ENGINE" and isinstance(edge.event, Ran)
            moved = self.moved_in(edge.event) if entered else {}
            plain = [("number", k) for k in moved.get("number", ())]
            if not plain and "attributes" in moved and ("attributes", number) in self.before.kept:
                plain = [("attributes", number)]
            found += plain or [number]
        return tuple(dict.fromkeys(found))

    def share(self, edges) -> float:
        """The share of the slope along the nudge that comes by these edges; 0.0 if they carry none.

        If all elements together show none worth mentioning, it is the largest that shows with all of several nudged up,
        since along one direction two ways may cancel, or with one of the parts. If what moves the target is no slope,
        jumps of a few elements may hide the slopes of others, and a jump here those on both sides.
        """
        found, keys, to_whole = 0.0, self.keys(edges), all(rounds(edge.by) for edge in edges)
        up = [{"signs": 0.0}] * (self.point.size > 1)
        tests = [self.is_slope, self.is_roughly_slope, *[self.is_fine_staircase] * (not to_whole)]
        for other in ({}, *up, *[{"only": part} for part in self.parts]):
            for test in tests:
                if found <= NEGLIGIBLE:
                    found = max(found, self.share_along(keys, other, test))
        hidden = found <= NEGLIGIBLE and self.moves_by(keys, b"", self.seen / NEAR)
        return max(found, self.hidden_share(keys)) if hidden else found

    def hidden_share(self, keys) -> float:
        """The share of the first piece that has a slope, the same on both sides, or of one element beside a jump."""
        usual = self.size_with(keys)
        for size in [usual._replace(only=piece) for piece in self.pieces] or [usual]:
            with contextlib.suppress(Changed):
                up, down = self.sides(keys, size)
                even = abs(up + down) < 0.2 * abs(up - down)
                if (even and self.is_slope(keys, size)) if size.only else self.is_slope_beside_a_jump(keys, size):
                    own, whole = abs(self.effect(keys, size)), abs(self.effect((), size))
                    return own / (max(own, whole) or 1.0)
        return 0.0

    @cached_property
    def pieces(self) -> list:
        """The halves and the quarters of several elements, as in `Nudge.only`."""
        quarters = np.array_split(np.arange(self.point.size), QUARTERS)
        some = [np.concatenate(quarters[:2]), np.concatenate(quarters[2:]), *quarters] * (self.point.size > 1)
        return [*dict.fromkeys(bits_of(elements, self.point.size) for elements in some if elements.size)]

    def is_slope_beside_a_jump(self, keys, size) -> bool:
        """Whether on one side the effect is proportional to the nudge, also to a much smaller one."""
        finest = [one.share / size.share for one in self.finer(size)]
        for one in (size, size.times(-1)):
            far, *near = (self.rise(keys, one.times(factor)) for factor in (1, 0.5, 0.1, *finest))
            off = [abs(rise / factor - far) - self.seen / factor for rise, factor in zip(near, (0.5, 0.1, *finest))]
            if abs(far) > self.seen / NEAR and max(off) < NEAR * abs(far):
                return True
        return False

    def share_along(self, keys, other, test) -> float:
        """The same, along one direction: the usual one, or one that has other fields of its Nudge."""
        for usual in self.sizes(keys, finer=test == self.is_slope):  # a curve or a staircase looks like one there
            size = usual._replace(**other)
            with contextlib.suppress(Changed):
                if test(keys, size):
                    self.size = self.size if other else size
                    every = [self.effect((), size) / (2 * size.share)] if other else [one.value for one in self.slopes]
                    share = abs(self.effect(keys, size)) / (2 * size.share)
                    return share / (max(map(abs, every), default=0.0) or share)
        return 0.0

    def smooth(self, events) -> set:
        """The ops of which the smallest nudge moves about as many elements as the usual one, unlike jumps."""
        given = [i for event in events for i in event.outputs]
        tried = (self.try_out(Replay, nudge=step, targets=given) for step in (STEPS[-1], self.step))
        small, usual = (self.same(Outcome(*one)).targets for one in tried)
        old = self.kept([event.number for event in events])

        def moved(now, event):
            return sum(np.sum(now[i] != value) for i, value in zip(event.outputs, old[event.number]))

        return {event for event in events if moved(small, event) > 0.5 * moved(usual, event)}

    def only_jumps(self, edges) -> bool:
        """Whether these edges move the target visibly, but by no slope and no curve (a quarter at half the nudge)."""
        moves = self.moves_by(self.keys(edges), b"", self.seen / NEAR)
        return moves and not (self.is_curved(edges) or self.share(edges) > NEGLIGIBLE)

    def is_curved(self, edges) -> bool:
        """Whether these edges move the target by a quarter at half the nudge."""
        keys = self.keys(edges)
        return any(self.curves(keys, size) for size in (self.size_with(keys), *VERY_LARGE))

    def curves(self, keys, size) -> bool:
        """Whether a nudge has an effect that can be seen, and half the nudge a quarter of it."""
        with contextlib.suppress(Changed):
            far, half = (self.rise(keys, size.times(factor)) for factor in (1, 0.5))
            return abs(far) > self.seen and abs(4 * half - far) < 0.2 * abs(far)
        return False

    @property
    def seen(self) -> float:
        """How much of a change of the target is more than rounding."""
        return ROUNDING * self.rounding(self.before)

    def rises(self, keys, part):
        """The target's changes with nudges of a part, as far as they are due to these keys.

        A part has to move both ways: at the end of a domain, as of sqrt, nothing is measured.
        """
        for size in [one._replace(only=part) for one in (self.step, *VERY_LARGE)]:
            both = size, size.times(-1)
            for ways in (both,) if part else zip(both):
                with contextlib.suppress(Changed):
                    yield from [self.rise(keys, one) for one in ways]

    def moves_by(self, keys, part, least) -> bool:
        """Whether nudges of a part move the target further than this, as far as that is due to these keys."""
        return any(abs(rise) > least for rise in self.rises(keys, part))

    def split(self, gradient) -> None:
        """Put elements into parts where what a gradient says of them would be lost beside the slope of all."""
        self.needs_one_source()
        sizes = np.abs(gradient * direction(self.point, signs=0.0)).ravel()
        most = sizes.max(initial=0.0)
        shares = np.maximum(sizes / most, SPREAD**-MOST_PARTS) if most else np.ones_like(sizes)
        ranks = np.ceil(np.log(shares) / np.log(SPREAD))
        self.parts = [np.packbits(ranks == one).tobytes() for one in np.unique(ranks)[:-1]]

    def needs_one_source(self):
        """Raise NotTried if there are several: what another one moves would be taken for its own."""
        if len(self.command["sources"]) > 1:
            raise NotTried("another source may move the target")

    def hides(self, edges) -> str:
        """Why what comes by these edges may be hidden: all elements, or one part that moves something there, cannot be
        nudged both ways, or a share NEAR of what they do is not to be seen; "" if nothing hides it."""
        self.needs_one_source()
        keys, events = self.keys(edges), {edge.event.number for edge in edges}
        for part in (b"", *self.parts) if self.point.size else ():
            with contextlib.suppress(Changed):
                nudge = self.step._replace(only=part)
                touched = not part or not compared(self.before, self.at(nudge)).keys().isdisjoint(events)
                seen = self.moves_by((), part, self.seen / NEAR) or (part and self.moves_by(keys, part, self.seen))
                one_way = nudge.least == 0.0 and not np.all(self.point)
                if touched and (one_way or not any(True for _ in self.rises((), part))):
                    return "{} cannot be nudged both ways"
                if touched and not seen and not self.weighs_nothing(part):
                    return "rounding hides what {} moves"
        return ""

    def weighs_nothing(self, part) -> bool:
        """Whether a part moves only elements of the targets that weigh nothing, even with a HUGE nudge."""
        sizes = [one._replace(only=part) for one in (self.step, *HUGE)]
        return self.moves_in(self.at(sizes[0])) and not any(self.rise((), size) for size in sizes)

    def sizes(self, keys, finer):
        """Nudges to measure with: a smaller one where curvature hides the slope, larger ones where nothing shows."""
        usual = self.size_with(keys)
        if np.any((self.point != 0) & (np.abs(self.point) < TINY)):
            yield usual._replace(least=0.0)
        yield usual
        up, down = self.sides(keys, usual)
        most = max(abs(up), abs(down))
        if not most > self.seen:
            yield from VERY_LARGE
        elif not self.effect(keys, usual):
            yield usual.times(max(1e-3, 0.05 * abs(up - down) / most))
        yield from self.finer(usual) if finer else ()

    def finer(self, size) -> list:
        """Smaller nudges: between two jumps, or within one period."""
        sizes = [size.times(factor) for factor in FINER]
        return [one for one in sizes if one.share > ROUNDING * self.precision]

    def is_slope(self, keys, size, tolerance=TOLERANCE) -> bool:
        """Whether the effect is proportional to the nudge, as for a slope, unlike a jump or a power."""
        effect = self.effect(keys, size)
        grows = bool(effect) and self.grows(keys, size, self.small(effect, size), tolerance)
        return grows and self.grows(keys, size, 0.3, 0.5)  # numbers at random pass one such test often

    def is_roughly_slope(self, keys, size) -> bool:
        """The same of a curve, or where there is a kink in between."""
        effect = self.effect(keys, size)
        if not effect:
            return False
        finer = size.times(self.small(effect, size))
        return self.is_slope(keys, size, 0.5) or all(self.grows(keys, finer, share, 0.5) for share in (0.5, 0.3))

    def is_fine_staircase(self, keys, size) -> bool:
        """The same of a value that is rounded finely, as in a text: of a single element, too, as many coarse steps look
        like fine ones."""
        found, elements = self.is_staircase(keys, size), np.arange(self.point.size)
        if found and keys not in self.fine:
            while elements.size > 1:
                parts = [one for one in np.array_split(elements, QUARTERS) if one.size]
                nudges = [(one, size._replace(only=bits_of(one, self.point.size))) for one in parts]
                elements = next((one for one, nudge in nudges if self.is_staircase(keys, nudge)), elements[:0])
            self.fine[keys] = bool(elements.size)
        return found and self.fine[keys]

    def is_staircase(self, keys, size) -> bool:
        return all(self.grows(keys, size, larger, 0.15) for larger in (3, 10))

    def small(self, effect, size) -> float:
        """The smallest share of a nudge whose part of this effect is well above the noise."""
        noise = max(self.precision / size.share, 4 * self.rounding(self.before) / abs(effect))
        return min(0.5, max(1e-3, ROUNDING * noise))

    def lost_of_all(self, keys, has=None) -> tuple:
        """The slope by these keys, the whole slope, and in how many digits both are to be trusted; 0 digits if unknown.

        They are those of the first nudge with which what is lost adds up with the slope that the tape `has`; if it does
        with none, what the whole slope has beyond that is what is lost.
        """
        still, rest = max(map(abs, self.sides((), self.size))) <= self.seen, (0.0, 0.0, 0)
        for size in (self.size, *self.finer(self.size)):
            sure, grows = still or self.is_slope((), size, 0.5), self.is_slope(keys, size)
            if (sure or self.is_fine_staircase((), size)) and (grows or self.is_fine_staircase(keys, size)):
                lost, whole, digits = self.extrapolated(keys, size, grows)
                most = 0.05 * max(map(abs, (lost, whole, has or 0.0)))
                if has is None or abs(lost + has - whole) <= most:
                    return lost, whole, digits
                if sure and not rest[2] and abs(whole - has) > most:
                    rest = whole - has, whole, min(digits, 2)
        return rest

    def extrapolated(self, keys, size, grows) -> tuple:
        """The slope by these keys, the whole slope, and the digits, from this nudge and half of it (Richardson), unless
        the two differ too much."""
        both = size, size.times(0.5)
        far, near = ([self.effect(some, one) / (2 * one.share) for some in (keys, ())] for one in both)
        noise = 2 * self.rounding(self.before) / size.share / min(map(abs, filter(None, far)), default=1.0)
        noise = max(noise, self.precision / size.share)  # of the nudge itself
        off = max(abs(a - b) for a, b in zip(far, near)) / max(map(abs, far))
        digits = 1 if not grows or noise > 1e-2 or off > 0.1 else 2 if noise > 1e-3 or off > 1e-2 else 3
        return *(far if digits == 1 else [b + (b - a) / 3 for a, b in zip(far, near)]), digits

    def grows(self, keys, size, factor, tolerance) -> bool:
        """Whether a nudge `factor` times as large has an effect `factor` times as large, and to both sides."""
        with contextlib.suppress(Changed):
            effect, near = self.effect(keys, size), size.times(factor)
            if effect and abs(2 * (up := self.rise(keys, near)) / effect / factor - 1) < tolerance:
                down = self.rise(keys, near.times(-1))
                return abs(up + down) < 0.5 * abs(up - down)
        return False

    @cached_property
    def precision(self) -> float:
        """The largest machine epsilon of the dtypes in which the block computes."""
        kinds = {event.value.dtype for event in self.events if isinstance(event, Ran) and event.value}
        return max([float(np.finfo(kind).eps) for kind in kinds if kind.kind in "fc"], default=0.0)

    def effect(self, keys, size) -> float:
        """The target's change due to these keys between a nudge and its opposite; 0.0 within rounding."""
        up, down = self.sides(keys, size)
        rounding = max(self.rounding(self.before), self.rounding(self.at(size)))
        seen = abs(up - down) > max(ROUNDING * rounding, 0.2 * max(abs(up), abs(down)))
        return up - down if seen else 0.0

    def sides(self, keys, size) -> list:
        """The target's change with a nudge, and with its opposite."""
        return [self.rise(keys, one) for one in (size, size.times(-1))]

    def rise(self, keys, size) -> float:
        """The target's change with a nudge: the part due to these keys, or all of it without keys."""
        return self.total(self.at(size)) - self.total(self.at(size, *keys) if keys else self.before)

    @cached_property
    def slopes(self) -> list:
        """The slopes of the targets' sum along the nudge and, of several elements, with all of them nudged up, by
        central differences; empty if the first cannot be measured, or of several sources."""
        return [*self.slopes_along(SIGNS, 0.0)]

    def slopes_along(self, *signs):
        with contextlib.suppress(NotTried):
            for size in [self.size._replace(signs=one) for one in signs][: self.point.size]:
                size = next((one for one in (size, *self.finer(size)) if self.is_slope((), one)), size)
                up, down = self.sides((), size)
                even = abs(up + down) <= 0.1 * abs(up - down) + 4 * self.rounding(self.before)
                if not (even or self.grows((), size, 0.25, 0.1)):  # a kink, not a curve
                    break
                yield Slope((up - down) / (2 * size.share), direction(self.point, *size[1:]), size)

    def unlike(self, gradient, *signs) -> list:
        """The measured slopes that a gradient does not have, those along further directions too."""
        more = self.slopes_along(*signs) if self.slopes and self.point.size > 1 else ()
        return [one for one in (*self.slopes, *more) if not self.has(gradient, one)]

    def has(self, gradient, slope) -> bool:
        """Whether a gradient has a measured slope, or where it is close that of a smaller nudge, but for rounding and
        for the error of the measurement: twice the distance from the slope with half the nudge."""
        off, size = distance(gradient, slope), float(np.sum(np.abs(gradient * slope.way)))
        for nudge in (slope.size, *self.finer(slope.size) * (off < TOLERANCE * size)):
            with contextlib.suppress(NotTried):
                up, down = self.sides((), nudge)
                noise = self.seen / (2 * nudge.share)
                near = distance(gradient, slope._replace(value=(up - down) / (2 * nudge.share)))
                if not near - noise > FINE * size and (noise <= NEAR * size or nudge == slope.size):
                    return True
        with contextlib.suppress(NotTried):
            up, down = self.sides((), slope.size.times(0.5))
            return off <= min(NEAR * size, 2 * abs((up - down) / slope.size.share - slope.value))
        return False

    def rounding(self, outcome) -> float:
        """A unit in the last place of the targets, summed over all elements."""
        values = [np.asarray(value) for value in outcome.targets.values() if value is not None]
        return sum(float(np.abs(v).sum()) * np.finfo(v.dtype).eps for v in values if v.dtype.kind in "fc") or 1e-30


def distance(gradient, slope) -> float:
    """How far a gradient is from a measured slope."""
    return abs(float(np.sum(gradient * slope.way).real) - slope.value)


def bits_of(elements, size) -> bytes:
    """Elements by their numbers, out of so many, as in `Nudge.only`."""
    return np.packbits(np.isin(np.arange(size), elements)).tobytes()


def rounds(exit) -> bool:
    """Whether a value left to become a whole number."""
    return exit is not None and exit.exit == "int()"


def of_last_call(events) -> list:
    """Of the exits at one place the last, or all of the last call if it takes several, as `math.hypot(x[0], x[1])`."""
    last = events[-1]
    if called_text(last.place).rpartition(".")[2] == last.exit.removesuffix("()"):
        return [last]
    run = [e for k, e in enumerate(events) if last.number - e.number == len(events) - 1 - k]  # with nothing in between
    return [*{e.tensor: e for e in run}.values()]


def compared(before, after) -> dict:
    """Event number -> what differs between two Outcomes: "inputs", "gave", "attributes" or "number" -> the indices."""
    found = {}
    for number, noted in before.noted.items():
        for (kind, k), old in noted.items():
            if after.noted[number].get((kind, k)) != old:
                found.setdefault(number, {}).setdefault(kind, []).append(k)
    return found
