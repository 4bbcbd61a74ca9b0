"""What replays of a tape's block show: what comes in changed when a source is nudged, where it left, what it carries.

Two replays judge: one as it was, and one with the source nudged where the tape opens. What no tape carries, and what
differs between the two, is where a lost path comes back in. Replayed again with that held at its old value, the target
says whether the path carries anything.
"""

import contextlib
import itertools
import time
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..tracing.checkpoint import NotTried, impossible
from ..tracing.log import LeftEngine, Ran, TapeEvent
from .replay import Nudge, Replay, begin, digest, direction, find, skeletons, spot

STEPS = [Nudge(sign * step) for step in (4e-3, 1e-3, 1e-4, 1e-5) for sign in (1, -1)]  # until no decision changes
VERY_LARGE = Nudge(3e-2), Nudge(0.2)  # for what is small beside the target
TINY = 4e-3  # a source of this size moves only by shares of itself
ROUNDING = 16  # units of it in the target that are no sign of anything
MOST_LINES = 16  # replays that look for the lines by which values left


class Changed(NotTried):
    """A replay went another way than the program did."""


class Outcome(NamedTuple):
    """What a replay answered."""

    steps: list
    noted: dict
    targets: dict
    kept: dict
    points: dict  # the values of the sources where the tape was opened


class Experiment:
    """Replays for one tape, its targets and one source.

    Args:
        trace, tape: the log, and the tape.
        targets, source: what is asked.
        seeds: the weights of the targets, by their ids; of others all are 1.
        seconds: all replays together take no longer.

    Attributes:
        before, after: the Outcome as the block was, and with the source nudged by `step`.
        size: the Nudge with which effects are measured.
        moved: event number -> what moved, as `compared` tells.

    Raises:
        NotTried: nothing can be replayed; the text says why.
    """

    def __init__(self, trace, tape, targets, source, seeds, seconds):
        self.deadline, self.checkpoint = time.perf_counter() + seconds, tape.checkpoint
        if seconds <= 0 or self.checkpoint is None:
            late = "the trace began after the tape was opened"
            raise NotTried("it was not asked for" if seconds <= 0 else impossible() or late)
        nodes = [(one.id, getattr(one, "version", None)) for one in targets]
        makers = [trace.written.get(node) or trace.made.get(node[0]) for node in nodes]
        until = max([event.number for event in makers if event is not None], default=0)
        own = [e.number for e in trace.events if isinstance(e, TapeEvent) and e.tape == tape.number]
        opened = min(own, default=self.checkpoint.number)
        if until <= opened:
            raise NotTried("the target was made before the tape was opened")
        self.events = [e for e in trace.events if opened < e.number <= until]
        self.steps = skeletons(self.events, opened, until)
        self.command = dict(
            tape=tape.number, sources=[source.id], targets=[one.id for one in targets], until=until, nudge=None,
            exits={}, held={}, ops=sorted({e.op_number for e in self.events if isinstance(e, Ran)}),
        )  # fmt: skip
        self.outcomes, self.tried_exits, self.seeds = {}, {}, seeds
        self.before = self.unchanged(targets)
        self.step, self.after = self.first_nudge()
        self.point = next(iter(self.before.points.values()), None)  # the value of the source where the tape was opened
        if self.point is None:
            raise NotTried("the source was not found when the tape was opened")
        self.moved = compared(self.before, self.after)

    def try_out(self, kind, **command):
        """What a Replay or a Trial answers."""
        left = self.deadline - time.perf_counter()
        if left <= 0:
            raise NotTried("the replays take too long")
        return self.checkpoint.run(find, begin, {**self.command, "kind": kind, **command}, left)

    def at(self, step, *keys) -> Outcome:
        """What a replay answers that nudges the source, and holds what stands at these keys at its old value."""
        if (step, keys) not in self.outcomes:
            if keys and not self.before.kept.keys() >= {*keys}:
                raise NotTried("a value is too large to be held still")
            held = {key: self.before.kept[key] for key in keys}
            self.outcomes[step, keys] = self.answer_to(nudge=step, held=held)
        return self.same(self.outcomes[step, keys])

    def answer_to(self, **command) -> "Outcome | Changed":
        """What a Replay answers; a Changed if a nudge is what ended it."""
        try:
            return Outcome(*self.try_out(Replay, **command))
        except NotTried as why:
            if command["nudge"] is None or time.perf_counter() > self.deadline:
                raise
            return Changed(f": {why}")

    def same(self, outcome) -> Outcome:
        """The outcome, if the replay went the way of the program."""
        if isinstance(outcome, Changed):
            raise outcome
        if outcome.steps == self.steps:
            return outcome
        same = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], zip(self.steps, outcome.steps))])
        raise Changed(f": {self.events[same].place.text}" if same < len(self.events) else "")

    def unchanged(self, targets) -> Outcome:
        """A replay as it was, which must be what the program did."""
        try:
            outcome = self.at(None)
        except Changed as where:
            raise NotTried(f"the block does not run the same way twice{where}") from None
        for event in self.events:
            known = event.given.content if isinstance(event, LeftEngine) and event.given is not None else None
            if known is not None and known.whole and digest(known.kept) != outcome.noted[event.number]["gave", 0]:
                raise NotTried(f"the block does not give the same numbers twice: {event.place.text}")
        for one in targets:
            value = outcome.targets[one.id]
            if value is not None and not hasattr(one, "trainable") and digest(value) != digest(one.value):
                raise NotTried("the block does not give the same target twice")
        return outcome

    def first_nudge(self) -> tuple:
        """A step so small that no decision changes, and what a replay with it answers."""
        problems = []
        for step in STEPS:
            try:
                return step, self.at(step)
            except Changed as where:
                problems.append(NotTried(f"a decision changes with the smallest nudge{where}"))
        raise problems[0]

    @cached_property
    def target_moved(self) -> bool:
        """Does a nudge of the source move the target at all?"""
        before, after = self.before.targets, self.after.targets
        return any(digest(before[i]) != digest(after[i]) for i in before if before[i] is not None)

    def moved_in(self, event) -> dict:
        return self.moved.get(event.number, {})

    # ---- where what came in had left ---------------------------------------------------------------------------------

    @cached_property
    def exits(self) -> list:
        """Those that left differently, by the place where: lists of events, the earliest place first."""
        places = {}
        for event in self.events:
            if isinstance(event, LeftEngine) and event.number in self.moved:
                places.setdefault(spot(event), []).append(event)
        return [*places.values()]

    def moved_by(self, exits) -> "dict | None":
        """What moves when only that is nudged which left at these places, at each by another share; None: not tried."""
        spots = tuple([spot(events[0]) for events in exits])
        if len(self.exits) == 1:
            return self.moved
        if spots not in self.tried_exits and len(self.tried_exits) < MOST_LINES:
            self.tried_exits[spots] = None
            for sign in (1, -1):
                if self.tried_exits[spots]:
                    break
                nudges = {one: self.step.times(sign * (1 + 0.3 * k)) for k, one in enumerate(spots)}
                with contextlib.suppress(NotTried):
                    outcome = self.same(Outcome(*self.try_out(Replay, exits=nudges)))
                    self.tried_exits[spots] = compared(self.before, outcome)
        return self.tried_exits.get(spots)

    def movers(self, event, exits, sure=False) -> list:
        """Those of the exits that move what came in at an event, found by halves. (`sure`: one of them does.)"""
        moved = None if not exits or (sure and len(exits) > 1) else self.moved_by(exits)
        if not exits or (moved is not None and event.number not in moved):
            return []
        if len(exits) == 1:
            return exits if moved or len(self.exits) == 1 else []
        late, early = exits[len(exits) // 2 :], exits[: len(exits) // 2]
        found = self.movers(event, late)
        return found + self.movers(event, early)

    def left_by(self, event) -> list:
        """The events of leaving from which a value that came in at this event was made, the last of each line."""
        ways = self.movers(event, [events for events in self.exits if events[0].number < event.number], sure=True)
        firsts = {events[0].number for events in ways}
        direct = [events for events in ways if not (firsts - {events[0].number}) & {*(self.moved_by([events]) or ())}]
        found = [[e for e in events if e.number < event.number] for events in direct]
        return [max(events, key=lambda e: e.number) for events in found if events]

    # ---- how much it carries -----------------------------------------------------------------------------------------

    def total(self, outcome) -> float:
        """The sum of the targets, with the weights that their gradient has."""
        values = [(value, self.seeds.get(i, 1)) for i, value in outcome.targets.items() if value is not None]
        return sum(float(np.sum(value * np.asarray(weights, np.complex128)).real) for value, weights in values)

    @cached_property
    def size(self) -> Nudge:
        for size in STEPS[::2]:
            with contextlib.suppress(Changed):
                self.at(size), self.at(size.times(-1))
                return size
        raise NotTried("a decision changes with the smallest nudge")

    def carries(self, keys) -> bool:
        """Does the target move because of what stands at these keys, and back with the opposite nudge?"""
        for size in self.sizes(keys):
            with contextlib.suppress(Changed):
                if self.is_slope(keys, size):
                    self.size = size
                    return True
        return False

    def sizes(self, keys):
        """Nudges to measure with: a smaller one where a curve hides the slope, larger ones where nothing shows."""
        usual = self.size
        if np.any((self.point != 0) & (np.abs(self.point) < TINY)):
            yield usual._replace(least=0.0)
        yield usual
        try:
            up, down = self.sides(keys, usual)
        except Changed as where:
            raise NotTried(f"with a value held still the block goes another way{where}") from None
        most = max(abs(up), abs(down))
        if self.effect(keys, usual) or not most > ROUNDING * self.rounding(self.before):
            yield from VERY_LARGE
        else:
            yield usual.times(min(0.1, max(1e-3, 0.05 * abs(up - down) / most)))

    def is_slope(self, keys, size) -> bool:
        """Is it no jump, which is as large for a smaller nudge, and no power, which is much larger for a larger one?"""
        effect = self.effect(keys, size)
        if size.share < VERY_LARGE[0].share:
            up, down = self.sides(keys, size)
            uneven = abs(up + down) > 0.25 * abs(up - down)
            return bool(effect) and not (uneven and abs(self.effect(keys, size.times(0.1))) > 0.5 * abs(up - down))
        return bool(effect) and 1.4 < effect / (self.effect(keys, size.times(0.5)) or effect) < 2.8

    def effect(self, keys, size) -> float:
        """How far the target moves, from one side of a nudge to the other, due to these keys; 0.0 within rounding."""
        up, down = self.sides(keys, size)
        rounding = max(self.rounding(self.before), self.rounding(self.at(size)))
        seen = abs(up - down) > max(ROUNDING * rounding, 0.2 * max(abs(up), abs(down)))
        return up - down if seen else 0.0

    def sides(self, keys, size) -> list:
        """How far the target moves due to these keys, with a nudge and with its opposite."""
        return [self.total(self.at(one)) - self.total(self.at(one, *keys)) for one in (size, size.times(-1))]

    @cached_property
    def slope(self) -> "float | None":
        """The slope of the targets' sum along the nudge, by central differences; None if it cannot be measured."""
        rounding, before = 4 * self.rounding(self.before), self.total(self.before)
        try:
            size = self.size
            up, down = (self.total(self.at(size.times(sign))) - before for sign in (1, -1))
            slope = (up - down) / (2 * size.share)
            if abs(up + down) <= 0.1 * abs(up - down) + rounding:
                return slope
            near = [self.total(self.at(size.times(factor))) for factor in (0.25, -0.25)]  # a kink, or a curve?
        except NotTried:
            return None
        other = 2 * (near[0] - near[1]) / size.share
        close = abs(slope - other) <= 0.1 * max(abs(slope), abs(other)) + 4 * rounding / size.share
        return slope if close else None

    @property
    def along(self):
        """Where the source is nudged."""
        return direction(self.point, self.size.least)

    def share(self, keys) -> float:
        """How much of the slope is due to what stands at these keys."""
        return self.effect(keys, self.size) / (2 * self.size.share)

    def rounding(self, outcome) -> float:
        """A unit in the last place of the targets, all together."""
        values = [np.asarray(value) for value in outcome.targets.values() if value is not None]
        return sum(float(np.abs(v).sum()) * np.finfo(v.dtype).eps for v in values if v.dtype.kind in "fc") or 1e-30


def compared(before, after) -> dict:
    """Event number -> what differs between two replays of it: "inputs", "gave", "attributes" or "number" -> which."""
    found = {}
    for number, noted in before.noted.items():
        for (kind, k), old in noted.items():
            if after.noted[number].get((kind, k)) != old:
                found.setdefault(number, {}).setdefault(kind, []).append(k)
    return found
