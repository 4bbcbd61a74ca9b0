"""The functions that TensorFlow makes graphs of, those of `mg.function` and of Datasets: how they run as Python."""

from typing import Any

from ..engine.listening import listening
from ..engine.tape import GradientTape
from ..random import streams


class GraphState:
    """What is kept of a function that TensorFlow makes a graph of: its random ops take no seeds from those outside.

    Attributes:
        seed: the global seed at the first draw.
        seeds, places: `streams.seeds` at the last draw, and since they were set the positions of the ops, by number.
        recorded: whether a tape records each run.
    """

    seeds: Any = None
    recorded = False


class Unrecorded(Exception):
    """A function asks for `gradients` in a run that no tape has recorded."""


class Everything(set):
    """The ids that a tape tracks which records all ops."""

    def __contains__(self, id):
        return True


class GraphRun:
    """A block in which the ops of such a function run: one without a `seed` has its number among these."""

    tape: Any = None  # what `gradients` asks

    def __init__(self, graph):
        self.graph = graph

    def __call__(self, function, *args, **kwargs):
        """The function's result. If it asks for `gradients`, it runs again, and a tape records all of it."""
        with self:
            if self.graph.recorded:
                with GradientTape(persistent=True) as self.tape:
                    self.tape.tracked_ids = Everything()
                    return function(*args, **kwargs)
            try:
                return function(*args, **kwargs)
            except Unrecorded:
                self.graph.recorded, self.graph.seeds = True, None  # and draws the same numbers again
        return self(function, *args, **kwargs)

    def __enter__(self):
        self.outer, self.ops, self.drawn = listening.graph, 0, 0
        listening.graph = self

    def __exit__(self, *error):
        listening.graph = self.outer

    @property
    def seed(self):
        if self.graph.seeds is None:
            self.graph.seed = (self.outer or streams.seeds).seed
        if self.graph.seeds is not streams.seeds:
            self.graph.seeds, self.graph.places = streams.seeds, {}
        return self.graph.seed

    def draw(self):
        """The seed of an op that has none."""
        self.drawn += 1
        return self.drawn - 1

    def place(self):
        """Where the position of the next op is kept: a dict, and the key in it."""
        self.ops += 1
        return self.graph.places, self.ops
