"""The view model: plain data for whatever draws. It is computed once, and nothing in it changes afterwards.

Frames and readings are found by their `id`, reads by their frame: those of folded turns are left out, and `Model.turn`
gives them when somebody opens one.
"""

import contextlib
import gc
import json
import re

import numpy as np

from ..engine.listening import listeners_only
from ..engine.op import convert
from ..engine.tape import GradientTape
from ..explain.answer import answers_for
from ..explain.names import Names
from ..explain.search import number_of
from ..nest import flatten
from ..tracing.log import LIMIT, Trace, trace_of
from ..tracing.places import user_frame
from ..tracing.source import assigned_name
from ..tracing.values import Summary
from .asking import Here, knows, last_question
from .code import Code
from .film import add_reading, film_of_log, film_of_tape, read_again
from .folds import fold_shown, folded, sent
from .layout import graph
from .lost import full_gradient
from .reading import MOST_PARTS, accumulated, read_shown, reading_shown
from .summary import UNKNOWN, bytes_text, number_text, shown
from .timing import timed, with_cuts
from .verdict import cuts, verdict

MOST_EXPLAINED = 8  # sources
MOST_BYTES = 1_700_000  # of the plain data of all films on a page
FEWEST = 100  # events that are shown, however much they are
LOSSLESS = {"SUMMED", "STALE", "FLAT", "NOT_FINITE"}  # causes that break no way
INTO_STATE = ("STATE", "REBUILT", "LEFT_ENGINE")  # causes that a Variable which is written can have
GLYPHS = {
    "multiply": "×", "add": "+", "subtract": "−", "divide": "÷", "negative": "−x", "matmul": "@",
    "square": "x²", "sqrt": "√", "reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "max", "reduce_min": "min",
    "reduce_prod": "prod", "equal": "=", "not_equal": "≠", "greater": ">", "less": "<", "greater_equal": "≥", "less_equal": "≤",
    "exp": "exp", "abs": "|x|", "stop_gradient": "stop", "read_value": "read", "transpose": "xᵀ", "matrix_transpose": "xᵀ",
    "custom_gradient": "custom",
}  # fmt: skip
SIGNS = {"multiply": "·", "add": " + ", "subtract": " − ", "divide": "/", "matmul": " @ "}


@contextlib.contextmanager
def uncollected():
    """A block in which Python does not look for garbage: a film is made of what stays, and looking through it takes a third of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def glyph(frame) -> str:
    """A sign for an op."""
    powers = {2.0: "x²", 3.0: "x³", 0.5: "√"}
    return powers.get(frame.numbers.get(1), "xⁿ") if frame.op == "pow" else GLYPHS.get(frame.op, frame.op)


class Model:
    """What is shown, as plain data, and what of it is folded away.

    Args:
        tape_or_trace: a GradientTape in any state, or the log of a trace (its last tape is shown).
        target, sources: as they were, or would be, given to `tape.gradient`; by default those of the last question.
        frame: the frame in which the user's names are.
        most_bytes: how large the plain data may be; beyond it the first events are left out.

    Attributes:
        data: the view model, ready for JSON.
        explanations: the number of a source -> its Explanation.
    """

    def __init__(self, tape_or_trace, target=None, sources=None, *, frame=None, most_bytes=MOST_BYTES):
        frame, self.most = frame or user_frame()[0], LIMIT
        with listeners_only(), np.errstate(all="ignore"), uncollected():
            self.look(tape_or_trace, target, sources, frame)
            self.film_it(every=target is None)
            while len(json.dumps(self.data)) > most_bytes and self.most > FEWEST:
                self.most //= 2
                self.film_it(every=target is None)

    # ---- looking -------------------------------------------------------------------------------------------------------

    def look(self, looked_at, target, sources, frame):
        here = Here(frame)
        trace = looked_at if isinstance(looked_at, Trace) else trace_of(looked_at) if isinstance(looked_at, GradientTape) else None
        if trace is None and not isinstance(looked_at, GradientTape):
            given = type(looked_at).__name__
            raise TypeError(f"mg.inspect takes a GradientTape, or the log of a trace (with mg.trace() as log:), and was given {given}.")
        of_log, trace = looked_at is trace, None if trace is None else trace.frozen(self.most)
        tape = here.tape_of(trace) if of_log else looked_at
        if trace is not None and not knows(trace, tape):
            trace = None
        here.things = {**tape.variables, **here.things}
        asked = last_question(trace, tape)
        targets = here.objects(flatten(target) if target is not None else (), asked[0], trace)
        sources = here.objects(flatten(sources) if sources is not None else (), asked[1], trace)
        self.tape, self.trace = tape, trace
        self.names = Names(frame, trace, [*sources, *targets, *tape.variables.values()])
        self.tape_names = here.tape_names
        real = isinstance(tape, GradientTape)
        if trace is None and targets and not sources:
            sources = here.objects((), sorted(tape.roots), trace)
        self.targets, self.sources = targets, sources
        known = bool(targets and sources) and real
        self.again = read_again(tape, targets, sources, self.most) if known and tape.steps is not None else None
        self.explanations = self.explained(asked, frame) if known else {}

    def explained(self, asked, frame):
        """The Explanation of each source; of many, those that got nothing come first."""
        nothing = dict(zip(asked[1], asked[2]))
        first = sorted(self.sources, key=lambda one: nothing.get(one.id, True))[:MOST_EXPLAINED]
        with contextlib.suppress(Exception):  # the film is worth seeing without an explanation too
            answers = answers_for(self.tape, self.targets, first, self.trace, frame, slopes=self.again and self.again[:2])
            return {one.id: answer for one, (answer, _) in zip(first, answers)}
        return {}

    def film_it(self, every):
        """The film, and the plain data of it. (`every`: of the last questions, whatever they were about.)"""
        if self.trace is None:
            self.film = film_of_tape(self.tape, self.most)
        else:
            told = self.explanations.values()
            lossless = bool(told) and all(set(one.codes) <= LOSSLESS and one.status != "none" for one in told)
            self.film = film_of_log(self.trace.frozen(self.most), self.tape, self.targets, self.sources, every, lossless)
        if self.again and not self.film.readings:
            slopes, _, steps = self.again
            add_reading(self.film, self.targets, slopes, steps)
        self.data = self.draw()

    # ---- drawing -------------------------------------------------------------------------------------------------------

    def draw(self) -> dict:
        film = self.film
        self.tape_ids = {number: f"t{k}" for k, number in enumerate(film.tapes, 1)}
        self.things = {one.id: one for one in self.sources}
        nodes = [node for frame in film.frames for node in frame.inputs if isinstance(node, tuple) and node[0] != "left"]
        self.versions = dict(reversed(nodes))  # of each Variable the one that was read first
        self.source_ids = {number: f"s{k}" for k, number in enumerate(self.all_sources())}
        places = [frame.place for frame in film.frames] + [one.place for one in (*film.readings, *film.marks)]
        self.code = Code([place for place in places if place is not None])
        self.texts, self.given, self.expressions = {}, {}, []
        self.expressions.extend(self.expression(k) for k in range(len(film.frames)))  # each is made of earlier ones
        self.totals, self.loops = accumulated(self), folded(self)
        shown_frames, (steps, sizes), broken = sent(self), timed(self), cuts(self)
        self.broken = {cut["edge"][1] for cut in broken}
        self.full = full_gradient(film, [one.id for one in self.targets], self.value_of_node) if broken else None
        peak = max(sizes, default=0)
        return {
            "v": 1,
            "code": self.code.lines,
            "tapes": self.tapes(),
            "sources": [self.source(number) for number in self.source_ids],
            "frames": [self.frame(k) for k in shown_frames],
            "count": len(film.frames),
            "ghosts": sum(frame.ghost is not None for frame in film.frames),
            "readings": [reading_shown(self, k, set(shown_frames)) for k in range(len(film.readings))],
            "steps": with_cuts(steps, sizes, broken),
            "bytes": sizes,
            "peak": peak,
            "cuts": broken,
            "marks": [self.mark(one, broken) for one in film.marks],
            "verdict": verdict(self),
            "folds": [fold_shown(self, k) for k in range(len(self.loops))],
            "graph": graph(self, shown_frames),
            "notes": self.notes(),
        }

    def all_sources(self):
        """The sources that are asked about, and then all others that went into a frame."""
        used = {}
        for frame in self.film.frames:
            for node in frame.inputs:
                number = number_of(node)
                if (isinstance(node, tuple) and node[0] != "left") or (number in self.film.roots and node not in self.film.made):
                    used[number] = True
        asked = [one.id for one in self.sources]
        if not asked and self.film.readings:
            asked = list(self.film.readings[-1].sources)
        return list(dict.fromkeys([*asked, *used]))

    def node(self, node):
        """The id of what a node stands for; None for constants."""
        if node in self.film.made:
            return f"f{self.film.made[node]}"
        return self.source_ids.get(number_of(node))

    def name(self, node) -> str:
        """What the user calls it."""
        if node in self.film.made:
            k = self.film.made[node]
            return self.frame_name(k) or self.names.by_id.get(node) or self.expressions[k]
        return self.names.of(node, "")

    def expression(self, k) -> str:
        """A short expression for a value that has no name: `x·x`, `sin(x)`, or the op."""
        frame = self.film.frames[k]
        if len(frame.inputs) not in (1, 2) or frame.by is not None:
            return frame.op
        parts = [self.argument(k, slot)["text"] for slot in range(len(frame.inputs))]
        sign = SIGNS.get(frame.op) if len(parts) == 2 else None
        parts = [f"({one})" if sign and " " in one else one for one in parts]
        text = sign.join(parts) if sign else f"{frame.op}({', '.join(parts)})"
        return text if len(text) <= 12 and "constant" not in parts else frame.op

    def frame_name(self, k):
        place = self.film.frames[k].place
        if place is None:
            return next((self.names.by_id[z] for z in self.film.frames[k].outputs if self.names.by_id.get(z)), None)
        key = place.code, place.instruction
        if key not in self.given:
            self.given[key] = assigned_name(place)
        name = self.given[key]
        return None if name is not None and self.film.frames[k].by is not None else name

    def line_text(self, place) -> str:
        if place is None:
            return ""
        key = place.code, place.instruction
        if key not in self.texts:
            self.texts[key] = place.text
        return self.texts[key]

    def argument(self, k, slot):
        """An input of a frame as text, and its node."""
        frame = self.film.frames[k]
        node = frame.inputs[slot]
        if slot in frame.numbers and not (isinstance(node, tuple) and node[0] == "left"):
            return {"node": None, "text": number_text(frame.numbers[slot])}
        nameless = "seed" if frame.by else "earlier" if self.film.left_out else "constant"
        return {"node": self.node(node), "text": self.name(node) or nameless}

    def frame(self, k) -> dict:
        """A frame of the film."""
        frame = self.film.frames[k]
        code, _, say = frame.ghost or (None, None, None)
        arguments = [self.argument(k, slot) for slot in range(min(len(frame.inputs), 16))]
        return {
            "id": k, "op": frame.op, "glyph": glyph(frame), "name": self.frame_name(k), "line": self.code.line(frame.place),
            "text": self.line_text(frame.place), "in": [one["node"] for one in arguments if one["node"]], "args": arguments,
            "tapes": [self.tape_ids[n] for n in frame.slots if n in self.tape_ids],
            "by": frame.by and frame.by[1],
            "value": self.shown_value(k), "keeps": self.keeps(frame),
            "ghost": {"code": code, "why": self.ghost_words(k), "say": say, "on_way": frame.on_way} if frame.ghost else None,
        }  # fmt: skip

    def shown_value(self, k) -> dict:
        """The value of a frame; if nobody kept it, the form of its gradient, which is the same."""
        value = self.film.frames[k].value
        if value is not None:
            return shown(value)
        slope = next((read.upstream for reading in self.film.readings for read in reading.reads if read.frame == k), None)
        return UNKNOWN if slope is None else {**UNKNOWN, "shape": list(slope.shape), "dtype": slope.dtype.name}

    def ghost_words(self, k) -> str:
        """Why a frame is a ghost, in a few words."""
        code, why, _ = self.film.frames[k].ghost
        sources = [self.name(node) for node in self.film.frames[k].inputs if self.node(node) and node not in self.film.made]
        return f"{sources[0]} {why}" if code == "UNWATCHED" and sources else why

    def keeps(self, frame):
        """What the tape that is looked at (or else the innermost) keeps of a frame."""
        kept = frame.keeps.get(self.film.tape) or next(iter(frame.keeps.values()), [])
        return [{"what": self.name_kept(frame, number) or wish, "bytes": count, "text": bytes_text(count)} for number, wish, count in kept]

    def name_kept(self, frame, number):
        """What the user calls an array that is kept: a Tensor, or (below 0) a Python number among the inputs."""
        if number < 0:
            return number_text(frame.numbers.get(-1 - number, 0.0))
        return self.name(number if number in self.film.made else self.versioned(number))

    def versioned(self, number):
        """The node of a Tensor or Variable that is not made by a frame."""
        return self.film.history.node(number, {}) if self.film.history else number

    def source(self, number) -> dict:
        thing = self.things.get(number, self.tape.variables.get(number))
        version = self.versions.get(number)
        value = self.value_of(number, version, thing)
        variable = hasattr(thing, "trainable") or version is not None
        watched = number in self.film.roots or number in self.tape.tracked_ids
        return {
            "id": self.source_ids[number], "name": self.source_name(number),
            "kind": "Variable" if variable else "Tensor", "watched": watched,
            "asked": number in self.things or (bool(self.film.readings) and number in self.film.readings[-1].sources),
            "value": shown(value), "of": self.node(number) if number in self.film.made else None, "version": version,
            "now": getattr(thing, "version", version) if variable else None,
        }  # fmt: skip

    def value_of(self, number, version, thing):
        """The value that a source had when it was read."""
        film = self.film
        if number in film.made:
            return film.frames[film.made[number]].value
        if (number, version) in film.values or number in film.values:
            return film.values.get((number, version), film.values.get(number))
        trace = self.trace
        event = trace and (trace.written.get((number, version)) or trace.made.get(number))
        if getattr(event, "value", None) is not None:
            return event.value
        changed = version is not None and getattr(thing, "version", version) != version
        return None if thing is None or changed else Summary.of(convert(thing).value)

    def value_of_node(self, node):
        """The value of what no frame made."""
        number, version = node if isinstance(node, tuple) else (node, None)
        return self.value_of(number, version, self.things.get(number, self.tape.variables.get(number)))

    def source_name(self, number) -> str:
        """What the user calls a source; of the path to a weight of a model, the end."""
        return "/".join(self.names.of(number, "x").split("/")[-2:])

    def tapes(self):
        found = []
        for number, (outer, persistent, event) in self.film.tapes.items():
            written = re.search(r"\bas (\w+)\s*:?$", self.line_text(event.place)) if event is not None else None
            name = written[1] if written else self.tape_names.get(number, "tape")
            found.append({"id": self.tape_ids[number], "name": name, "outer": self.tape_ids.get(outer), "persistent": bool(persistent)})
        return found

    def turn(self, fold, turn) -> dict:
        """The frames and reads of a turn that is folded away."""
        _, first, per, turns = self.loops[fold]
        turn = min(max(turn, 0), turns - 1)
        ids = range(first + turn * per, first + (turn + 1) * per)
        readings = []
        for r, reading in enumerate(self.film.readings):
            readings.append([read_shown(self, r, i) for i, read in enumerate(reading.reads) if read.frame in ids])
        return {"type": "turn", "fold": fold, "turn": turn, "frames": [self.frame(f) for f in ids], "reads": readings}

    def mark(self, one, cuts) -> dict:
        name = self.source_name(one.number)
        new = f"{name} is a new Variable" if one.kind == "create" else f"{name} is version {one.version} now"
        say = f"{name} is watched from here on" if one.kind == "watch" else new
        return {
            "kind": one.kind, "at": one.at, "line": self.code.line(one.place), "text": self.line_text(one.place), "say": say,
            "source": self.source_ids.get(one.number), "value": None if one.value is None else shown(one.value), "version": one.version,
            "cut": one.cut and any(cut["code"] in INTO_STATE and cut["line"] == self.code.line(one.place) for cut in cuts),
        }  # fmt: skip

    def notes(self):
        """What else there is to say about what is shown."""
        film = self.film
        found = []
        if not film.traced:
            found.append("No log was kept: mg.trace(True) before the forward pass shows lines and ghosts too.")
        if film.left_out:
            things = "events" if film.traced else "steps"
            found.append(f"The film shows the last {self.most:,} {things}; the {film.left_out:,} before them are left out.")
        elif film.cut:
            found.append("The log was full, and has forgotten its first events.")
        widest = max((len(read.parts) for reading in film.readings for read in reading.reads), default=0)
        if widest > MOST_PARTS:
            found.append(f"Of an op with {widest:,} inputs the film shows {MOST_PARTS}.")
        if film.traced and not film.history.opened and not film.left_out:
            found.append("The log began later than this tape, and does not know all of it.")
        if self.tape.entered and self.tape.steps is None and not film.frames and not film.traced:
            found.append("The tape is used up: what it had written is gone.")
        return found
