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
from ..tracing.log import LeftEngine, Ran
from .replay import Replay, begin, digest, find, skeletons, spot

STEP, SMALL = 4e-3, 1e-3  # large enough for what is rounded to a few digits on its way
STEPS = STEP, -STEP, SMALL, -SMALL, 1e-4, -1e-4, 1e-5, -1e-5, 1e-6  # tried until no decision changes
VERY_LARGE = 3e-2, 0.2  # for what is small beside the target
ROUNDING = 16  # units of it in the target that are no sign of anything
MOST_LINES = 6  # lines by which values left that are tried one by one


class Changed(NotTried):
    """A replay went another way than the program did."""


class Outcome(NamedTuple):
    """What a replay answered."""

    steps: list
    noted: dict
    targets: dict
    kept: dict
    points: dict  # the values of the sources where the tape was opened

    @property
    def total(self) -> float:
        """The sum of the targets, as a gradient takes them."""
        values = [np.asarray(value, np.complex128) for value in self.targets.values() if value is not None]
        return sum(float(np.sum(value).real) for value in values)


class Moved(NamedTuple):
    """Of one event: what differed between two replays."""

    inputs: tuple  # the places of the inputs
    gave: bool
    attributes: bool
    numbers: tuple  # the Python numbers, by their counts


class Experiment:
    """Replays for one tape, its targets and one source.

    Args:
        trace, tape: the log, and the tape.
        targets, source: what is asked.
        seconds: all replays together take no longer.

    Attributes:
        before, after: the Outcome as the block was, and with the source nudged by `step`.
        moved: event number -> Moved.

    Raises:
        NotTried: nothing can be replayed; the text says why.
    """

    def __init__(self, trace, tape, targets, source, seconds):
        self.deadline, self.checkpoint = time.perf_counter() + seconds, tape.checkpoint
        if seconds <= 0 or self.checkpoint is None:
            raise NotTried(reason(seconds))
        nodes = [(one.id, getattr(one, "version", None)) for one in targets]
        makers = [trace.written.get(node) or trace.made.get(node[0]) for node in nodes]
        until = max([event.number for event in makers if event is not None], default=0)
        if until <= self.checkpoint.number:
            raise NotTried("the target was made before the tape was opened")
        self.events = [e for e in trace.events if self.checkpoint.number < e.number <= until]
        self.steps = skeletons(self.events, self.checkpoint.number, until)
        self.command = dict(
            tape=tape.number, sources=[source.id], targets=[one.id for one in targets], until=until, step=0, exits=[],
            exit_step=0, held={}, ops=sorted({e.op_number for e in self.events if isinstance(e, Ran)}),
        )  # fmt: skip
        self.outcomes = {}
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
            held = {key: self.before.kept[key] for key in keys if key in self.before.kept}
            self.outcomes[step, keys] = Outcome(*self.try_out(Replay, step=step, held=held))
        return self.same(self.outcomes[step, keys])

    def same(self, outcome) -> Outcome:
        """The outcome, if the replay went the way of the program."""
        if outcome.steps == self.steps:
            return outcome
        same = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], zip(self.steps, outcome.steps))])
        raise Changed(f": {self.events[same].place.text}" if same < len(self.events) else "")

    def unchanged(self, targets) -> Outcome:
        """A replay as it was, which must be what the program did."""
        try:
            outcome = self.at(0)
        except Changed as where:
            raise NotTried(f"the block does not run the same way twice{where}") from None
        for event in self.events:
            known = event.given.content if isinstance(event, LeftEngine) and event.given is not None else None
            if known is not None and known.whole and digest(known.kept) != outcome.noted[event.number].gave[0]:
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
            except NotTried as problem:
                problems.append(problem)
        raise problems[0]

    @cached_property
    def target_moved(self) -> bool:
        """Does a nudge of the source move the target at all?"""
        before, after = self.before.targets, self.after.targets
        return any(digest(before[i]) != digest(after[i]) for i in before if before[i] is not None)

    def moved_in(self, event) -> "Moved | None":
        return self.moved.get(event.number)

    # ---- where what came in had left ---------------------------------------------------------------------------------

    @cached_property
    def exits(self) -> list:
        """Those that left differently, by the place where: lists of events, the earliest place first."""
        places = {}
        for event in self.events:
            if isinstance(event, LeftEngine) and event.number in self.moved:
                places.setdefault(spot(event), []).append(event)
        return [*places.values()]

    @cached_property
    def by_exit(self) -> list:
        """For each place of `exits`: what moves when only that is nudged which left there."""
        if len(self.exits) < 2:
            return [self.moved] * len(self.exits)
        return [self.moved_by(events) for events in self.exits[-MOST_LINES:]]

    def moved_by(self, events):
        try:
            outcome = Outcome(*self.try_out(Replay, exits=[spot(events[0])], exit_step=self.step))
            return compared(self.before, self.same(outcome))
        except NotTried:
            return {}

    def left_by(self, event) -> list:
        """The events of leaving from which a value that came in at this event was made, the last of each line."""
        tried = zip(self.exits[-MOST_LINES:], self.by_exit)
        ways = [(events, moved) for events, moved in tried if event.number in moved]
        firsts = {events[0].number for events, _ in ways}
        direct = [events for events, moved in ways if not (firsts - {events[0].number}) & moved.keys()]
        found = [[e for e in events if e.number < event.number] for events in direct]
        return [max(events, key=lambda e: e.number) for events in found if events]

    # ---- how much it carries -----------------------------------------------------------------------------------------

    @cached_property
    def size(self) -> float:
        """The step with which effects are measured."""
        with contextlib.suppress(Changed):
            self.at(STEP), self.at(-STEP)
            return STEP
        return SMALL

    def carries(self, keys) -> bool:
        """Does the target move because of what stands at these keys, and back with the opposite nudge?"""
        with contextlib.suppress(Changed):
            if self.effect(keys, self.size):
                return not self.jumps(keys)
            return any(self.slopes(keys, step) for step in VERY_LARGE)
        return False

    def jumps(self, keys) -> bool:
        """Is the effect another one on the other side, and as large with a tenth of the nudge?"""
        up, down = self.sides(keys, self.size)
        uneven = abs(up + down) > 0.25 * abs(up - down)
        return uneven and abs(self.effect(keys, self.size / 10)) > 0.5 * abs(up - down)

    def slopes(self, keys, step) -> bool:
        """Has what stands at these keys twice the effect with twice the nudge? (A third power has eight times.)"""
        effect = self.effect(keys, step)
        return bool(effect) and 1.4 < effect / (self.effect(keys, step / 2) or effect) < 2.8

    def effect(self, keys, step) -> float:
        """How far the target moves, from one side of a nudge to the other, due to these keys; 0.0 within rounding."""
        up, down = self.sides(keys, step)
        seen = abs(up - down) > max(ROUNDING * self.rounding, 0.2 * max(abs(up), abs(down)))
        return up - down if seen else 0.0

    def sides(self, keys, step) -> list:
        """How far the target moves due to these keys, with a nudge and with its opposite."""
        return [self.at(one).total - self.at(one, *keys).total for one in (step, -step)]

    @cached_property
    def slope(self) -> "float | None":
        """The slope of the targets' sum along the nudge, by central differences; None if it cannot be measured."""
        size, rounding = self.size, 4 * self.rounding
        try:
            up, down = (self.at(step).total - self.before.total for step in (size, -size))
            slope = (up - down) / (2 * size)
            if abs(up + down) <= 0.1 * abs(up - down) + rounding:
                return slope
            other = 2 * (self.at(size / 4).total - self.at(-size / 4).total) / size  # a kink, or a curve?
        except Changed:
            return None
        return slope if abs(slope - other) <= 0.1 * max(abs(slope), abs(other)) + 4 * rounding / size else None

    def share(self, keys) -> float:
        """How much of the slope is due to what stands at these keys."""
        return self.effect(keys, self.size) / (2 * self.size)

    @cached_property
    def rounding(self) -> float:
        """A unit in the last place of the targets, all together."""
        values = [np.asarray(value) for value in self.before.targets.values() if value is not None]
        return sum(float(np.abs(v).sum()) * np.finfo(v.dtype).eps for v in values if v.dtype.kind in "fc") or 1e-30


def reason(seconds) -> str:
    """Why there is no replay of a tape."""
    if seconds <= 0:
        return "it was not asked for"
    return impossible() or "the trace began after the tape was opened"


def compared(before, after) -> dict:
    """Event number -> Moved, for each that differs between two replays."""
    found = {}
    for number, old in before.noted.items():
        new = after.noted[number]
        if old == new:
            continue
        inputs = tuple([k for k, (x, y) in enumerate(zip(old.inputs, new.inputs)) if x != y])
        numbers = tuple([k for k in old.numbers if old.numbers[k] != new.numbers.get(k)])
        found[number] = Moved(inputs, old.gave != new.gave, old.attributes != new.attributes, numbers)
    return found
