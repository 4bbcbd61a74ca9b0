"""The view model: plain data for everything that draws a film. It is computed once and does not change afterwards.

A column is an array: a source ("s0"), other data ("d0"), or the output of a frame ("f0"). A wire leads from the column
of an array to the column that uses it. A strip is a row of adjacent columns, with the layout of the wires between them.
In a long folded film, some units are left without a strip; `Model.strip_of` makes it when the user opens the unit.
"""

import contextlib
import gc
import json
import re
from functools import cache, cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from ..engine.listening import listeners_only
from ..engine.operands import convert
from ..engine.tape import GradientTape
from ..errors import unwarned, visible
from ..explain.answer import answer_all
from ..explain.asking import knows, last_question, last_tape, objects, tapes_in
from ..explain.misfit import misfit
from ..explain.names import Names, depth_apart, is_tensor
from ..explain.question import slopes_now
from ..explain.search import History, number_of, reached
from ..nest import flatten
from ..tracing.log import LIMIT, Asked, Trace, Wrote, trace_of
from ..tracing.places import Place, user_frame
from ..tracing.source import assigned_name, entered_as
from ..tracing.values import Summary, as_one, brief
from .arrays import FEW, bytes_text, norm_of, shown
from .code import ShownCode
from .film import MOST_READINGS, Part, add_reading, add_unheard, film_of_log, film_of_tape, read_again
from .formulas import formula, grouped, meanings
from .lost import full_gradient
from .memory import kept, memory_shown
from .units import BUILD, SENT, fold_shown, in_order_of_need, units_of
from .verdict import cuts, verdict
from .wires import scale_of, strip, width_of
from .written import written

MOST_EXPLAINED = 8  # sources
MOST_BYTES = 1_700_000  # limit for the plain data of all films on a page
MOST_SENT = 330_000  # bytes of plain data that are sent at first of a long film
FEWEST = 100  # events that are always shown, however large they are
LOSSLESS = {"SUMMED", "STALE", "FLAT", "NOT_FINITE"}  # causes that do not break a path
GLYPHS = {
    "multiply": "×", "add": "+", "subtract": "−", "divide": "÷", "negative": "−x", "matmul": "@", "square": "x²", "sqrt": "√",
    "equal": "=", "not_equal": "≠", "greater": ">", "less": "<", "greater_equal": "≥", "less_equal": "≤", "abs": "|x|",
    "stop_gradient": "stop", "read_value": "read", "transpose": "xᵀ", "matrix_transpose": "xᵀ", "custom_gradient": "custom",
}  # fmt: skip
NEEDLESS = r"^reduce_|^.*_(?=cross_entropy)|_with_logits$"  # in the name of an op, beside its inputs
SIGNS = {"multiply": "·", "add": " + ", "subtract": " − ", "divide": "÷", "matmul": " @ "}
MOST_INPUTS, MOST_SOURCES = 24, 256  # drawn: inputs of one op, and sources in all
MOST_VERSIONS = 50  # of a Variable that a gradient is followed through
MOST_TOTALS = 300  # partial sums of a gradient; if there are more, only the final sum is sent


def signs_of(frame) -> list:
    """The symbol of an op; if one of its inputs is a Python number, with it and without it."""
    powers = {2.0: "x²", 3.0: "x³", 0.5: "√"}
    if frame.op == "pow":
        number = frame.numbers.get(1)
        return [powers[number]] if number in powers else [*[f"x^{brief(number, 6)}"] * (1 in frame.numbers), "xⁿ"]
    sign = GLYPHS.get(frame.op) or re.sub(NEEDLESS, "", frame.op)
    if frame.op in SIGNS and len(frame.numbers) == 1 and len(frame.inputs) == 2:
        ((slot, number),) = frame.numbers.items()
        if not isinstance(frame.inputs[slot], tuple):
            return [f"{sign} {brief(number, 6)}" if slot else f"{brief(number, 6)} {sign}", sign]
    return [sign]


class Model:
    """The view model of a film, and the units into which the film is folded.

    Args:
        tape_or_trace: a GradientTape in any state, or the log of a trace (its last tape is shown).
        target, sources: as given to `tape.gradient`; by default those of the last call.
        most_bytes: the size limit of the plain data; beyond it, the first events are left out.
        measured: the numbers of the sources whose gradient agreed with the slope measured in a trial.

    Attributes:
        data: the view model, ready for JSON.
        explanations: maps the number of a source to its Explanation.
        questions: the questions that these Explanations answer, with their experiments.
    """

    def __init__(self, tape_or_trace, target=None, sources=None, *, most_bytes=MOST_BYTES, measured=()):
        self.most, self.measured = LIMIT, measured
        collecting = gc.isenabled()
        gc.disable()  # a film makes no garbage, and looking for it would take a third of the time
        try:
            with listeners_only():
                unwarned(self.make, tape_or_trace, target, sources, user_frame()[0], most_bytes)
        finally:
            if collecting:
                gc.enable()

    def make(self, looked_at, target, sources, frame, most_bytes):
        self.look(looked_at, target, sources, frame)
        self.most_sent = min(MOST_SENT, most_bytes // 2)  # so that no event is left out for a strip
        self.film_it(every=target is None)
        while len(json.dumps(self.data)) > most_bytes and self.most > FEWEST:
            self.most //= 2
            self.film_it(every=target is None)
        del self.seen  # it would keep large arrays alive

    # ---- looking -------------------------------------------------------------------------------------------------------

    def look(self, looked_at, target, sources, frame):
        tapes, of_log = tapes_in(frame), isinstance(looked_at, Trace)
        if not isinstance(looked_at, (Trace, GradientTape)):
            given = type(looked_at).__name__
            raise TypeError(f"mg.inspect takes a GradientTape, or the log of a trace (with mg.trace() as log:), and was given {given}.")
        trace = looked_at if of_log else trace_of(looked_at)
        trace = None if trace is None else trace.frozen(self.most)
        tape = last_tape(trace, tapes) if of_log else looked_at
        trace = trace if trace is not None and knows(trace, tape) else None
        told = [[one for one in flatten(some) if is_tensor(one)] for some in (sources, target)]
        self.names = Names(frame, trace, [*told[0], *told[1], *tape.variables.values()])
        self.seen, asked = {**tape.variables, **self.names.held}, last_question(trace, tape)
        sources, targets = told[0] or objects(asked[1], self.seen, trace), told[1] or objects(asked[0], self.seen, trace)
        self.tape, self.trace, self.tape_names = tape, trace, {number: name for number, (_, name) in tapes.items()}
        if trace is None and targets and not sources:
            sources = objects(sorted(tape.roots), self.seen, trace)
        self.targets, self.sources = targets, sources
        known = targets and sources and isinstance(tape, GradientTape)
        self.seeds = self.given_seeds()
        self.again = read_again(tape, targets, sources, self.seeds, self.most) if known and tape.steps is not None else None
        self.questions = self.answered(asked, frame) if known else []
        self.explanations = {q.source.id: q.answer for q in self.questions}
        self.experiments = {q.source.id: q.experiment for q in self.questions}

    def given_seeds(self) -> "list | None":
        """The `output_gradients` of the last request for these targets, if there were any and the log has its backward pass."""
        ids = [one.id for one in self.targets]
        passes = [one.again[1] for one in (self.trace.passes if self.trace else ()) if one.tape() is self.tape]
        seeds = next(([one[k] for k in ids] for one in reversed(passes) if one.keys() == {*ids} and len(one) == len(ids)), [])
        return seeds if any(isinstance(one, (np.ndarray, np.generic)) and np.any(one != 1) for one in seeds) else None

    def answered(self, asked, frame):
        """A Question for each source, with its answer; if there are too many sources, those without a gradient come first."""
        nothing, trace = dict(zip(asked[1], asked[2])), self.trace
        first = sorted(self.sources, key=lambda one: nothing.get(one.id, True))[:MOST_EXPLAINED]
        heard = [dx for e in (trace.every(Asked) if trace else ()) if e.tape == self.tape.number for dx in e.slopes]
        short = trace is not None and (opening := trace.opening(self.tape.number)) is not None and trace.count - opening.number <= SENT
        with contextlib.suppress(Exception):  # the film is useful without an explanation too
            now = self.again[:2] if self.again else slopes_now(self.tape, self.targets, first, self.seeds)
            known = [*heard, *[Summary.of(dx) for dx in now[0].values() if dx is not None and not isinstance(dx, Exception)]]
            given, finite = (self.tape, self.targets, first, trace, frame, self.seeds), all(dx is None or dx.finite for dx in known)
            found = answer_all(*given, 0.0, now) if not short and trace is not None and trace.hears_exits and finite else ()
            sure = [q.answer.status in ("complete", "zero") or (q.history and q.history.loses_nothing(q.targets)) for q in found]
            return found if sure and all(sure) else answer_all(*given, None, now)
        return []

    @cached_property
    def whole(self) -> bool:
        """Whether it is known that no way is lost from any of the sources to the targets."""
        heard = self.trace is not None and self.trace.hears_exits
        return heard and History(self.trace, self.tape, [one.id for one in self.sources]).loses_nothing(self.targets)

    def film_it(self, every):
        """Make the film and its plain data. (`every`: show the last readings, whatever their targets and sources.)"""
        if self.trace is None:
            self.film = film_of_tape(self.tape, self.most)
        else:
            told = self.explanations.values()
            lossless = told and all(set(one.codes) <= LOSSLESS and one.status != "none" for one in told)
            self.film = film_of_log(self.trace.frozen(self.most), self.tape, self.targets, self.sources, every, lossless, self.experiments)
        if self.again and all(one.tape != self.tape.number for one in self.film.readings):
            add_reading(self.film, self.targets, *self.again[::2])
        add_unheard(self.film, self.tape, {one.id for one in self.sources})
        self.data = self.draw()

    @property
    def told(self) -> list:
        """The kind of each step with its line and op, by which the steps of two films are compared."""
        frames = [(self.line_text(one.place), one.op) for one in self.film.frames]
        return [(kind, frames[number] if kind in ("write", "read") else number) for kind, number in self.view_steps()]

    # ---- drawing -------------------------------------------------------------------------------------------------------

    def draw(self) -> dict:
        film = self.film
        self.tape_ids = {number: f"t{k}" for k, number in enumerate(film.tapes, 1)}
        self.things = {one.id: one for one in self.sources}
        ghosts = [(k, frame) for k, frame in enumerate(film.frames) if is_ghost(frame) and not frame.on_way]
        self.hidden = {k for k, frame in ghosts if BUILD in f"{getattr(frame.event, 'module', '')}/"}  # a Keras layer made its weights then
        film.steps = [step for step in film.steps if step[0] != "write" or step[1] not in self.hidden]
        shown = [(k, frame) for k, frame in enumerate(film.frames) if k not in self.hidden]
        self.given_from = [(frame, slot, node) for _, frame in shown for slot, node in enumerate(frame.inputs) if node not in film.made]
        self.numbers = [*accumulate((frame.kind != "assign" for frame in film.frames), initial=1)]  # assignments have none
        self.users = {node: frame for frame, _, node in reversed(self.given_from) if frame.by is None}
        read = [node for _, _, node in self.given_from if isinstance(node, tuple) and node[0] != "left"]
        self.versions = dict(reversed(read))  # the first version of each Variable that was read
        used = [n for n in (number_of(node) for *_, node in self.given_from) if n in self.versions or n in film.roots]
        every = [*dict.fromkeys([*self.asked_numbers(), *used])]  # those asked about, then all others that are inputs
        self.source_ids, self.more_sources = {number: f"s{k}" for k, number in enumerate(every[:MOST_SOURCES])}, len(every) - MOST_SOURCES
        self.asked_ids = {self.column_of(number) for number in self.asked_numbers()} - {None}
        self.depth = depth_apart([self.path_of(number).split("/") for number in self.source_ids])
        places = [frame.place for frame in film.frames] + [one.place for one in (*film.readings, *film.marks)]
        self.code = ShownCode([place for place in places if place is not None])
        self.texts, self.given, self.norm = cache(lambda *at: Place(*at).text), cache(lambda *at: assigned_name(Place(*at))), cache(norm_of)
        self.expressions, self.arrays, self.array_ids, self.used = {}, [], {}, set()
        self.data_ids, self.last_sent = self.other_data(), {}
        self.last_use = {film.made[node]: k for k, frame in enumerate(film.frames) for node in frame.inputs if node in film.made}
        here = {n: self.seen[n] for n in self.data_ids if n in self.seen and not hasattr(self.seen[n], "assign")}
        self.data_values = {n: Summary.of(convert(thing).value) for n, thing in here.items()}
        self.last = film.readings.index(film.last) if film.last else -1
        self.totals = self.added_up()
        known = {one: found[-1] for one, found in self.totals.items() if found[-1][0] == self.last}
        self.final_slopes = {one: total for one, (_, _, total) in known.items() if total is not None}
        self.fold = units_of(self)
        units, middle = self.fold[1], len(self.fold[1]) // 2  # opened first: the middle one, or the nearest that is sent
        self.open_unit = min(range(len(units)), key=lambda k: (units[k].end - units[k].first > SENT, abs(k - middle)), default=0)
        blocks, self.sizes = kept(self)
        broken = cuts(self)
        self.broken = {tuple(cut["edge"]): cut["code"] for cut in broken}
        self.full = full_gradient(self) if broken and (self.seeds or self.seeded_by_ones()) else None
        sent = [part.product for found in self.parts.values() for _, _, part in found]
        lost = [Summary.of(np.asarray(dx)) for slopes in (self.full[1].values() if self.full else ()) for dx in slopes.values()]
        self.scale = scale_of([abs(self.norm(one) or 0) for one in {*sent, *lost}])
        view = {
            "v": 2, "code": self.code.lines, "tapes": self.tapes(), "verdict": verdict(self), "notes": self.notes(), "cuts": broken,
            "count": len(film.frames), "kept": sum(bool(one.slots) for one in film.frames),
            "ghosts": sum(is_ghost(frame) for frame in film.frames) - len(self.hidden), "hidden": len(self.hidden),
            "steps": packed(self.view_steps()), "memory": memory_shown(blocks, self.sizes, self.tape.persistent, film),
            "marks": [self.mark(one) for one in film.marks], "readings": [self.reading(k) for k in range(len(film.readings))],
            "last": self.last, "scale": self.scale, "fold": fold_shown(self), "sources": [self.source(n) for n in self.source_ids],
            "written": written(self),
        }  # fmt: skip
        room = self.most_sent - len(json.dumps([view, self.arrays]))
        parts = self.strips(room) if self.fold[1] else [self.strip_of(None)]
        return view | {
            "cols": {key: col for part in parts for key, col in part["cols"].items()},
            "wires": {key: wire for part in parts for key, wire in part["wires"].items()},
            "strips": {str(part["unit"]): part["strip"] for part in parts}, "arrays": self.arrays[:],
        }  # fmt: skip

    def strips(self, room) -> list:
        """The strips of the units that are sent: of a long film as many as have room (in bytes), and the others on request."""
        found, few = [], len(self.film.frames) <= SENT
        for k in in_order_of_need(self):
            before = len(self.arrays)
            found.append(self.strip_of(k))
            room -= 0 if few else len(json.dumps([found[-1], self.arrays[before:]]))
            if room < 0:
                break
        return sorted(found, key=lambda part: part["unit"])

    def strip_of(self, k) -> dict:
        """The columns and wires of a unit (None: of the whole film), and of its inputs."""
        frames, unit = self.film.frames, None if k is None else self.fold[1][k]
        own = [f for f in (range(len(frames)) if unit is None else range(unit.first, unit.end)) if f not in self.hidden]
        inside, wires = {f"f{f}" for f in own}, {}
        outside: dict = {}
        for f in own:
            for slot, node in list(enumerate(frames[f].inputs))[:MOST_INPUTS]:
                start = self.node(node)
                if start is not None and not (start[0] == "f" and int(start[1:]) in self.hidden):
                    wires[f"f{f}.{slot}"] = self.wire(f, slot, start)
                    if start not in inside:
                        outside[start] = True
        if unit is None:
            asked = self.asked_ids | {self.source_ids[n] for n in self.film.roots if n in self.source_ids and n not in self.film.made}
            outside.update(dict.fromkeys(sorted(asked - outside.keys() - inside, key=lambda one: int(one[1:]))))
        ids = [*outside, *(f"f{f}" for f in own)]
        found = strip(ids, [(key, wire["from"], wire["to"]) for key, wire in wires.items()]) | {"outside": len(outside)}
        if unit is not None:  # whether a value goes on to later units, and a gradient comes back from there
            found["onward"] = [any(uses.get(one, -1) >= unit.end for one in own) for uses in (self.last_use, self.last_sent)]
        return {"unit": k, "cols": {one: self.column(one) for one in ids}, "wires": wires, "strip": found}

    def opened(self, k) -> dict:
        """The strip of a unit that was not sent, with the arrays that it needs."""
        self.used = set()
        with listeners_only():
            part = unwarned(self.strip_of, k)
        return {"type": "unit", "arrays": {place: self.arrays[place] for place in sorted(self.used)}, **part}

    # ---- columns and wires ---------------------------------------------------------------------------------------------

    def array(self, summary) -> "int | None":
        """The index of a value in the list of arrays, which grows with each new value."""
        if summary is None:
            return None
        key = id(summary.array) if summary.whole else summary  # a small array may have several summaries
        if key not in self.array_ids:
            self.array_ids[key] = len(self.arrays), summary
            self.arrays.append(shown(summary))
        self.used.add(self.array_ids[key][0])
        return self.array_ids[key][0]

    def column(self, one) -> dict:
        """A column: a source, other data, or the output of a frame."""
        if one[0] == "f":
            return self.frame_column(int(one[1:]))
        number = next(n for n, key in (self.source_ids if one[0] == "s" else self.data_ids).items() if key == one)
        if one[0] == "s":
            source, name = self.source(number), self.source_name(number)
            short = [re.sub(rf"([A-Za-z])\w*?(\d*)(?={end})", r"\1\2", name) for end in ("/", "/|$") if "/" in name]  # d1/kernel, d1/k
            return {**source, "kind": "source", "signs": [name, *short], "at": -1, "slopes": self.slopes(one)}
        name, value = self.name(number) or self.nameless(self.users[number], number), self.value_of(number)
        found = {"id": one, "kind": "data", "name": name, "signs": [name], "value": self.array(value), "shape": value and [*value.shape]}
        return {**found, "at": -1, "slopes": []}

    def frame_column(self, k) -> dict:
        frame = self.film.frames[k]
        kind = "ghost" if is_ghost(frame) else frame.kind
        found = {
            "id": f"f{k}", "kind": kind, "op": frame.op, "signs": signs_of(frame), "name": self.frame_name(k), "at": self.step_at["write", k],
            "line": self.code.line(frame.place), "text": self.line_text(frame.place), "value": self.array(frame.value),
            "module": getattr(frame.event, "module", ""), "keeps": self.keeps(frame), "slopes": self.slopes(f"f{k}"),
            "args": [self.argument(k, slot) for slot in range(min(len(frame.inputs), MOST_INPUTS))],
            "by": frame.by and frame.by[0], "shape": self.shape_of(k), "count": len(frame.inputs),
        }  # fmt: skip
        if len(frame.outputs) != 1:
            every, shapes = f"{len(frame.outputs)} outputs", [one and one.shape for one in frame.shown.values()]
            alike = f"{len(shapes)} of {shapes[0]}" if len({*shapes}) == 1 and shapes[0] else every
            found["outputs"] = f"1 of {every}" if len(shapes) == 1 else alike
            others = zip(frame.outputs, getattr(frame.event, "values", ()))  # indices, say, as of top_k
            found["others"] = [[self.name(n), self.array(one)] for n, one in others if n not in frame.shown]
        if frame.ghost:
            found["ghost"] = {"why": self.ghost_words(k), "say": frame.ghost[2], "on_way": frame.on_way}
        if frame.kind == "crash":
            shapes, found["misfit"], found["unequal"] = misfit(frame.event.op, frame.event.arguments)
            found["given"] = [["None" if length is None else length for length in shape] for shape in shapes]
        elif kind == "op":
            known = meanings(self, k) if frame.op_made else {}
            recorded = sorted({slot for slots in frame.slots.values() for slot in slots})
            found["math"] = [formula(self, k, slot, known) for slot in recorded[:MOST_INPUTS]]
        return found

    def wire(self, k, slot, start) -> dict:
        """A wire: an input of an op or of an assignment, and [reading, step, array, width] of each gradient sent along it."""
        frame, lost = self.film.frames[k], self.lost_along(k, slot)
        found = {"from": start, "to": f"f{k}", "state": self.state_of_wire(frame, slot, start, f"f{k}")}
        found["sent"] = [[r, at, self.array(part.product), self.width(part.product)] for r, at, part in self.parts.get((k, slot), ())]
        if self.shown_at(frame.inputs[slot]) is None:  # one of several outputs
            found["output"] = self.film.frames[int(start[1:])].outputs.index(frame.inputs[slot])
        if lost is not None:
            found["lost"], found["lostWidth"] = self.array(lost), self.width(lost)
        return found

    def state_of_wire(self, frame, slot, start, end) -> str:
        """How a wire is drawn: "live" (recorded), "cut", "stop" (on purpose), "same" (one Variable), "dead" or "data"."""
        if any(slot in slots for slots in frame.slots.values()):
            return "live"
        code = self.broken.get((start, end))
        if code or frame.kernel == "StopGradient":
            return "stop" if code in (None, "STOPPED") else "cut"
        if frame.kind == "assign" and slot == len(frame.inputs) - 1:
            return "same"
        return "dead" if frame.ghost or start[0] != "d" else "data"

    def width(self, summary) -> float:
        return width_of(abs(self.norm(summary) or 0), self.scale) if summary.finite else 1.0

    def lost_along(self, k, slot):
        """The part of the gradient that is missing on a wire, if it is known and not zero."""
        full = self.full[1].get(k, {}).get(slot) if self.full else None
        if full is None:
            return None
        live = [part.product for r, _, part in self.parts.get((k, slot), ()) if r == self.last]
        if live and (not live[0].whole or live[0].shape != full.shape):
            return None
        missing = full - live[0].kept if live else full
        return Summary.of(np.asarray(missing)) if np.any(np.abs(missing) > 1e-6 * np.abs(full).max(initial=0)) else None

    def slopes(self, one) -> list:
        """[reading, step, array] for each change of a column's gradient; the array is None while the sum is unknown."""
        found = self.totals.get(one, [])
        return [[r, at, self.array(total)] for r, at, total in (found if len(found) <= MOST_TOTALS else found[-1:])]

    # ---- readings ------------------------------------------------------------------------------------------------------

    def added_up(self) -> dict:
        """The accumulated gradient of each column after each step. It notes, for (frame, slot), a (reading, step, Part) for each time
        that a gradient was sent (`parts`), and the last frame that sent one to a frame in the reading that is shown (`last_sent`)."""
        film, totals, self.parts = self.film, {}, {}
        self.step_at = {step: at for at, step in enumerate(film.steps)}  # ("write", frame), say -> its number
        reads = [iter(reading.reads) for reading in film.readings]
        for at, (kind, *rest) in enumerate(film.steps):
            if kind == "turn":
                self.seeded(totals, rest[0], at)
            elif kind == "read":
                read = next(reads[rest[0]])
                for part in read.parts:
                    self.parts.setdefault((read.frame, part.slot), []).append((rest[0], at, part))
                    node = self.node_of(read, part)
                    one = self.node(node)
                    if rest[0] == self.last:
                        self.last_sent.setdefault(film.made.get(node), read.frame)
                    if one is not None:
                        self.add_total(totals, rest[0], at, one, part)
                settle(totals, f"f{read.frame}", rest[0], at, read.upstream)
            elif kind in ("done", "error"):
                reading = film.readings[rest[0]]
                for number, answer in reading.answers.items():
                    if answer is not None and self.column_of(number) and self.shown_at(number):
                        settle(totals, self.column_of(number), rest[0], at, answer)
                if reading.error:
                    whole = {f"f{k}" for k in (reading.raised, *(read.frame for read in reading.reads))}
                    for one, found in totals.items():
                        if found[-1][0] == rest[0] and one not in whole:  # more might have come to it
                            found.append((rest[0], at, None))
        return totals

    def seeded(self, totals, r, at):
        reading = self.film.readings[r]
        for node in reading.targets:
            one = self.column_of(node)
            first = next((read.upstream for read in reading.reads if f"f{read.frame}" == one), None)
            if one and reading.reads:
                totals.setdefault(one, []).append((r, at, first if len(reading.targets) == 1 else None))

    def add_total(self, totals, r, at, one, part):
        found = totals.setdefault(one, [])
        before = found[-1][2] if found and found[-1][0] == r else ()
        total = self.placed(part)
        if before is None or total is None or (before and not (before.whole and total.whole and before.shape == total.shape)):
            total = None
        elif before:
            total = Summary.of(np.asarray(before.kept + total.kept))
        if found and found[-1][:2] == (r, at):
            found.pop()
        found.append((r, at, total))
        self.same_variable(totals, r, at, one, part)

    def placed(self, part):
        """What was sent, among zeros for the other outputs if its column shows several; None if not all is kept."""
        k, sent = self.film.made.get(part.to), part.product
        if k is None or len((frame := self.film.frames[k]).outputs) == 1:
            return sent
        if not sent.whole or None in frame.shown.values():
            return None
        rows = sent.shape[: len(sent.shape) - len(frame.shown[part.to].shape)]
        zeros = {n: Summary.of(np.zeros((*rows, *one.shape), one.dtype)) for n, one in frame.shown.items()}
        return as_one([*(zeros | {part.to: sent}).values()], len(rows))

    def same_variable(self, totals, r, at, one, part):
        """Add the gradient of a newer version of a Variable to the gradient of the Variable, which is the source."""
        newer = one
        for _ in range(MOST_VERSIONS):
            if one[0] != "f" or self.film.frames[int(one[1:])].kind != "assign":
                break
            k = int(one[1:])
            slot = len(self.film.frames[k].inputs) - 1
            sent = self.parts.setdefault((k, slot), [])
            product = before = sent[-1][2].product if sent and sent[-1][0] == r else part.product
            if before is not part.product and before.whole:
                product = Summary.of(np.asarray(before.kept + part.product.kept))
            sent.append((r, at, Part(slot, part.to, product, None)))
            one = self.node(self.film.frames[k].inputs[slot])
        if one != newer and one[0] == "s":
            self.add_total(totals, r, at, one, part)

    def node_of(self, read, part):
        """The node of the input that a part went to; for a Variable, with the version that was read."""
        frame = self.film.frames[read.frame]
        node = frame.inputs[part.slot] if part.slot < len(frame.inputs) else None
        return part.to if node is None else node

    def reading(self, k) -> dict:
        reading = self.film.readings[k]
        answers = {self.answer_of(n): None if dx is None else self.array(dx) for n, dx in reading.answers.items() if self.answer_of(n)}
        seed = reading.reads[0].upstream if reading.reads else None
        return {
            "tape": self.tape_ids.get(reading.tape), "line": self.code.line(reading.place), "text": self.line_text(reading.place),
            "targets": [self.column_of(n) for n in reading.targets], "name": self.target_names(reading), "seed": self.array(seed),
            "error": reading.error, "heard": reading.heard, **({} if reading.raised is None else {"raised": f"f{reading.raised}"}),
            "answers": answers, "asked": reading.place is not None, "at": self.step_at["turn", k],
            "end": self.step_at["error" if reading.error else "done", k], "sparse": [self.answer_of(n) for n in reading.sparse],
        }  # fmt: skip

    def seeded_by_ones(self) -> bool:
        """Whether the seed of the last reading was ones, as it is without `output_gradients`."""
        reads = self.film.last.reads if self.film.last else ()
        return not reads or (reads[0].upstream.whole and bool(np.all(reads[0].upstream.kept == 1)))

    def view_steps(self) -> list:
        """[kind, number] for each step. The number of a "read" is its frame; it belongs to the reading of the last "turn"."""
        return [[kind, self.tape_ids.get(rest[0]) if kind == "release" else rest[-1]] for kind, *rest in self.film.steps]

    def first_bad(self) -> "int | None":
        """The first frame whose value has a nan or an inf; if there is none, the first that sent one back."""
        wrote = (k for k, frame in enumerate(self.film.frames) if frame.value is not None and not frame.value.finite)
        reads = self.film.last.reads if self.film.last else ()
        sent = (read.frame for read in reads if any(not part.product.finite for part in read.parts))
        return next(wrote, next(sent, None))

    # ---- names ---------------------------------------------------------------------------------------------------------

    def asked_numbers(self) -> list:
        """The numbers of the sources of the gradient that is shown, and of those that are asked about."""
        return [*dict.fromkeys([*(self.film.last.sources if self.film.last else ()), *[one.id for one in self.sources]])]

    def other_data(self) -> dict:
        """Map each input that is neither a source nor made by a frame to the id of its column."""
        plain = [node for frame, slot, node in self.given_from if isinstance(node, int) and slot not in frame.numbers and frame.by is None]
        return {node: f"d{k}" for k, node in enumerate(node for node in dict.fromkeys(plain) if node not in self.source_ids)}

    def node(self, node):
        """The id of the column of a node; None for a Python number."""
        return self.column_of(node) or self.source_ids.get(number_of(node)) or self.data_ids.get(node)

    def column_of(self, number):
        """The id of the column of a Tensor or Variable."""
        return f"f{self.film.made[number]}" if number in self.film.made else self.source_ids.get(number)

    def answer_of(self, number):
        """The id of a source where its gradient is told: that of its column, if that is its own."""
        return self.column_of(number) if self.shown_at(number) else self.source_ids.get(number)

    def shown_at(self, node):
        """The column that shows the array of a node; None for one of several outputs of an op, whose column shows them together."""
        k = self.film.made.get(node)
        return self.node(node) if k is None or len(self.film.frames[k].outputs) == 1 else None

    def name(self, node) -> str:
        """The user's name for a node, or else a short expression."""
        if node not in self.film.made:
            known = self.names.of(node, "")
            return self.source_name(number_of(node)) if known and number_of(node) in self.source_ids else known
        k = self.film.made[node]
        outputs = self.film.frames[k].outputs
        which = f"[{outputs.index(node)}]" if len(outputs) > 1 else ""
        return self.frame_name(k, node) or self.names.by_id.get(node) or self.expression_of(k) + which

    def target_names(self, reading) -> str:
        """The names that up to four targets have now (a line may have given its own to another value since), or their number."""
        if len(reading.targets) > 4:
            return f"{len(reading.targets)} targets"
        return ", ".join(self.names.by_id.get(node) or self.name(node) or "target" for node in reading.targets)

    def expression_of(self, k) -> str:
        """The expression of a frame; those from which it is built come first."""

        def nameless(f):
            inputs = [(self.film.made[node], node) for node in self.film.frames[f].inputs if node in self.film.made]
            return [one for one, node in inputs if one not in self.expressions and not self.frame_name(one, node)]

        for f in [] if k in self.expressions else sorted(reached([k], nameless)):
            self.expressions[f] = self.expression(f)
        return self.expressions[k]

    def expression(self, k) -> str:
        """A short expression for a value without a name: `x·x`, `sin(x)`, or the op."""
        frame = self.film.frames[k]
        if (len(frame.outputs) == 1 and self.frame_name(k)) or len(frame.inputs) not in (1, 2) or frame.by is not None:
            return frame.op
        parts = [self.argument(k, slot)["text"] for slot in range(len(frame.inputs))]
        sign = SIGNS.get(frame.op) if len(parts) == 2 else None
        parts = [grouped(one, frame.op) if sign else one for one in parts]
        text = sign.join(parts) if sign else f"{frame.op}({', '.join(parts)})"
        return text if len(text) <= 12 and "constant" not in parts else frame.op

    def frame_name(self, k, node=None):
        """The user's name for an output of a frame, by default for all; None if it has none."""
        frame = self.film.frames[k]
        if node is None and len(frame.outputs) != 1:
            given = frame.place and not frame.unnamed and self.given(*frame.place[:2])
            return given or ", ".join(filter(None, [self.frame_name(k, one) for one in [*frame.shown][:FEW]])) or None
        node = frame.outputs[0] if node is None else node
        if frame.kind == "assign":
            return self.names.of(node, "") or None
        known = self.names.by_id.get(node) or None
        if frame.place is None:
            return known
        if frame.by is not None or frame.unnamed or frame.kind == "crash":
            return None
        given = self.given(*frame.place[:2])
        return given if len(frame.outputs) == 1 else known or (given and f"{given}[{frame.outputs.index(node)}]")

    def line_text(self, place) -> str:
        return "" if place is None else self.texts(*place[:2])

    def argument(self, k, slot):
        """An input of a frame as text, and the id of its column."""
        frame = self.film.frames[k]
        node, number = frame.inputs[slot], frame.numbers.get(slot)
        left = self.film.value_of(node) if isinstance(node, tuple) and node[0] == "left" else None
        if number is not None and not (left and left.is_known_to_be(Summary.of(number))):
            return {"node": self.node(node), "text": brief(number, 6)}
        text, event = self.name(node) or self.nameless(frame, node), frame.event
        came = left and (event.given and event.given.content if isinstance(event, Wrote) else self.value_of(event.inputs[slot]))
        changed = came and not text.endswith("...") and not np.array_equal(left.kept, came.kept)
        return {"node": self.node(node), "text": f"{text} ..." if changed else text}

    def nameless(self, frame, node) -> str:
        """The label of an input that has no name; one without a derivative, such as indices, has that of its parameter."""
        if frame.by or self.film.left_out:
            return "seed" if frame.by else "earlier"
        vjps = getattr(frame.op_made, "vjps", {})
        name = frame.parameter(frame.inputs.index(node)) if any(vjps.values()) and node in frame.inputs else ""
        return name if vjps.get(f"d{name}", True) is None else "constant"

    def shape_of(self, k):
        """The shape of a frame's output; if its value was not kept, the shape of its gradient, which is the same."""
        known = self.film.frames[k].value or next((one[2] for one in self.totals.get(f"f{k}", ()) if one[2] is not None), None)
        return None if known is None else list(known.shape)

    def ghost_words(self, k) -> str:
        """Why a frame is a ghost, in a few words."""
        code, why, _ = self.film.frames[k].ghost
        sources = [self.name(node) for node in self.film.frames[k].inputs if self.node(node) and node not in self.film.made]
        return f"{sources[0]} {why}" if code == "UNWATCHED" and sources else why

    def keeps(self, frame):
        """The arrays of a frame that the inspected tape (or else the innermost one) keeps."""
        kept = frame.keeps.get(self.film.tape) or next(iter(frame.keeps.values()), {})
        told = [(", ".join(dict.fromkeys(names.values())), size) for names, size in [self.named(frame, *one) for one in kept.values()]]
        return [{"what": what, "bytes": size or 0, "text": bytes_text(size)} for what, size in told]

    def named(self, frame, numbers, name, size) -> tuple:
        """The user's names for a kept array, by the numbers of its Tensors, the first first, and its bytes, or None if unknown."""
        nodes = sorted([(self.film.made.get(node := self.node_kept(frame, n), -1), n, node) for n in numbers if n])
        value = next((self.value_of(node) for *_, node in nodes), None) if size is None else None
        names = {number: self.name(node) or self.nameless(frame, node) for _, number, node in nodes}
        return names or {numbers[0]: name}, size if value is None else value.size * value.dtype.itemsize

    def node_kept(self, frame, number):
        """The node of a kept array: an input of the frame, or its output."""
        return dict(zip(getattr(frame.event, "inputs", ()), frame.inputs)).get(number, number)

    def source(self, number) -> dict:
        thing, version, of = self.thing(number), self.versions.get(number), self.column_of(number)
        variable, value = hasattr(thing, "trainable") or version is not None, self.value_of((number, version))
        return {
            "id": self.source_ids[number], "name": self.source_name(number), "path": self.path_of(number),
            "kind": "Variable" if variable else "Tensor", "watched": number in self.film.roots or number in self.tape.tracked_ids,
            "asked": of in self.asked_ids, "value": self.array(value), "of": of if self.shown_at(number) and of[0] == "f" else None, "version": version,
            "now": getattr(thing, "version", version) if variable else None, "shape": None if value is None else list(value.shape),
        }  # fmt: skip

    def thing(self, number):
        """The Tensor or Variable with this number, if it is a source or a Variable of the tape."""
        return self.things.get(number, self.tape.variables.get(number))

    def value_of(self, node):
        """The value of a node that no frame made; for a Variable, its value when it was read."""
        number, version = node if isinstance(node, tuple) else (node, None)
        known, thing = self.film.value_of(number if version is None else node), self.thing(number)
        if known is not None and known.known:
            return known
        changed = version is not None and getattr(thing, "version", version) != version
        return (self.data_values.get(number) if thing is None or changed else Summary.of(convert(thing).value)) or known

    def path_of(self, number) -> str:
        """The user's name for a source; for a weight of a model, its path."""
        path, paths = getattr(self.things.get(number), "path", ""), [getattr(one, "path", "") for one in self.things.values()]
        return visible(path if path and paths.count(path) == 1 else self.names.of(number, path or "unnamed"))

    def source_name(self, number) -> str:
        """The same, with only as many trailing parts of a path as are needed to tell the sources apart."""
        path = self.path_of(number)
        return path if "[" in path else "/".join(path.split("/")[-self.depth :])

    def tapes(self):
        found = {n: (e and entered_as(e.place)) or self.tape_names.get(n) for n, e in self.film.tapes.items()}
        names = [name or ("tape" if n == self.film.tape else f"tape {k}") for k, (n, name) in enumerate(found.items(), 1)]
        return [{"id": self.tape_ids[n], "name": name} for n, name in zip(found, names)]

    def mark(self, one) -> dict:
        """A mark between two columns, as plain data."""
        if one.kind == "pause":
            label, say = "stop_recording", "stop_recording: the tape does not listen here, on purpose."
        else:
            name = self.source_name(one.number)
            label = f"watch {name}" if one.kind == "watch" else f"new {name}"
            say = f"{name} is watched from here on" if one.kind == "watch" else f"{name} is a new Variable"
        return {"kind": one.kind, "at": one.at, "text": self.line_text(one.place), "label": label, "say": say}

    def notes(self):
        """What the reader should know about the limits of this film, and the errors that readings raised."""
        film, widest = self.film, max((len(frame.inputs) for frame in self.film.frames), default=0)
        asked = film.traced and len(film.history.questions)
        things, used_up = "events" if film.traced else "steps", self.tape.entered and self.tape.steps is None
        notes = [
            (not film.traced and self.tape.entered, "No log was kept: mg.trace(True) before it, in this thread, shows lines and ghosts too."),
            (film.left_out, f"The film shows the last {self.most:,} {things}; the {film.left_out:,} before them are left out."),
            (film.cut and not film.left_out, "The log was full, and has forgotten its first events."),
            (widest > MOST_INPUTS, f"Of an op with {widest:,} inputs the film shows {MOST_INPUTS}."),
            (self.more_sources > 0, f"Of {MOST_SOURCES + self.more_sources:,} sources the film shows the first {MOST_SOURCES}."),
            (asked > MOST_READINGS, f"This tape was asked {asked} times; the film shows {sum(one.tape == film.tape for one in film.readings)}."),
            (self.hidden, f"{len(self.hidden)} ops that made the weights of layers are not shown."),
            (film.traced and not film.history.opened and not film.left_out, "The log began later than this tape, and does not know all of it."),
            (used_up and not film.frames and not film.traced, "The tape is used up: what it had written is gone."),
        ]  # fmt: skip
        raised = [f"{self.line_text(one.place)} raised {one.error}" for one in film.readings if one.error and one.place]
        return [*[text for true, text in notes if true], *raised]


def settle(totals, one, reading, step, total):
    """Set the sum of a gradient, which is known by this step."""
    found = totals.setdefault(one, [])
    known = found and found[-1][0] == reading and found[-1][1] <= step
    found.append((reading, found.pop()[1] if known else step, total))


def is_ghost(frame) -> bool:
    return frame.kind == "op" and frame.ghost is not None


def packed(steps) -> list:
    """Merge runs of steps that count up or down: [kind, first number, count, increment]."""
    found: list[Any] = []
    for kind, number in steps:
        before: Any = found[-1] if found else ["", None, 0, 0]
        _, first, count, by = before
        by = by or (number - first if isinstance(number, int) and isinstance(first, int) else 0)
        if before[0] == kind and abs(by) == 1 and number == first + count * by:
            before[2:] = count + 1, by
        else:
            found.append([kind, number, 1, 0])
    return found
