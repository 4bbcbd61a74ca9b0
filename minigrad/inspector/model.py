"""The view model: plain data for whatever draws. It is computed once, and nothing in it changes afterwards.

Frames, readings and reads are found by their `id`: those of folded turns are left out, and `Model.turn` gives them when
somebody opens one.
"""

import ast
import re
import sys
from types import SimpleNamespace

import numpy as np

from ..events import Asked, Summary, Trace, trace_of, user_frame
from ..explain import explain
from ..explain.names import Names, is_ours
from ..explain.source import assigned_name
from ..listening import listening
from ..nest import flatten
from ..op import convert
from ..tape import GradientTape
from . import folds
from .code import Code
from .film import WHY, Film, Part, film_of_log, film_of_tape, input_name, read_again
from .layout import layout
from .lost import full_gradient
from .summary import UNKNOWN, bytes_text, norm_shown, number_text, shown, text_of

MOST_EXPLAINED = 8  # sources
GLYPHS = {
    "multiply": "×", "add": "+", "subtract": "−", "divide": "÷", "truediv": "÷", "realdiv": "÷", "negative": "−x", "matmul": "@", "product": "@",
    "pow": "xⁿ", "square": "x²", "sqrt": "√", "reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "max", "reduce_min": "min",
    "reduce_prod": "prod", "equal": "=", "not_equal": "≠", "greater": ">", "less": "<", "greater_equal": "≥", "less_equal": "≤",
    "exp": "exp", "abs": "|x|", "stop_gradient": "stop", "read_value": "read", "transpose": "xᵀ", "matrix_transpose": "xᵀ",
}  # fmt: skip
SIGNS = {"multiply": "·", "add": " + ", "subtract": " − ", "divide": "/", "truediv": "/", "matmul": " @ ", "product": " @ "}
ELEMENTWISE = {
    "Mul", "AddV2", "Add", "Sub", "RealDiv", "DivNoNan", "Neg", "Exp", "Log", "Log1p", "Expm1", "Sin", "Cos", "Tan", "Tanh", "Sigmoid",
    "Sqrt", "Rsqrt", "Square", "Pow", "Abs", "Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign", "Maximum", "Minimum",
    "Sinh", "Cosh", "Asin", "Acos", "Atan", "Atan2", "Asinh", "Acosh", "Atanh", "Erf", "SquaredDifference", "Reciprocal", "Inv", "Identity",
    "ReadVariableOp", "Cast", "SelectV2", "Select", "ClipByValue", "Xdivy", "Xlogy", "MulNoNan",
}  # fmt: skip


class Model:
    """What is shown, as plain data, and what of it is folded away.

    Args:
        tape_or_trace: a GradientTape in any state, or the log of a trace (its last tape is shown).
        target, sources: as they were, or would be, given to `tape.gradient`; by default those of the last question.
        frame: the frame in which the user's names are.

    Attributes:
        data: the view model, ready for JSON.
        explanations: the number of a source -> its Explanation.
    """

    def __init__(self, tape_or_trace, target=None, sources=None, frame=None):
        frame = frame or user_frame()[0]
        before, listening.now = listening.now, ()  # looking is not heard
        try:
            with np.errstate(all="ignore"):
                self.look(tape_or_trace, target, sources, frame)
                self.data = self.draw()
        finally:
            listening.now = before

    # ---- looking -------------------------------------------------------------------------------------------------------

    def look(self, looked_at, target, sources, frame):
        here = things_in(frame)
        trace = looked_at if isinstance(looked_at, Trace) else trace_of(looked_at) if isinstance(looked_at, GradientTape) else None
        if trace is None and not isinstance(looked_at, GradientTape):
            raise TypeError(f"mg.inspect takes a GradientTape, or the log of a trace (with mg.trace() as log:), and was given {type(looked_at).__name__}.")
        tape = here.tape_of(trace) if looked_at is trace else looked_at
        if trace is not None and tape.number not in trace.tapes:
            trace = None
        every, asked = target is None, last_question(trace, tape)
        targets = here.objects(flatten(target) if target is not None else (), asked[0])
        sources = here.objects(flatten(sources) if sources is not None else (), asked[1])
        self.tape, self.trace = tape, trace
        self.names = Names(frame, trace, [*sources, *targets])
        self.tape_names = here.tape_names
        if trace is None:
            self.film = film_of_tape(tape)
            if targets and not sources:
                sources = here.objects((), sorted(tape.roots))
        else:
            self.film = film_of_log(trace, tape, targets, sources, every)
        self.targets, self.sources = targets, sources
        real = isinstance(tape, GradientTape)
        if targets and sources and real and not self.film.readings and tape.steps is not None:
            read_again(self.film, tape, targets, sources)
        self.explanations = self.explained(frame) if targets and sources and real else {}

    def explained(self, frame):
        """The Explanation of each source; of many, those that got nothing come first."""
        answers = self.film.readings[-1].answers if self.film.readings else {}
        first = sorted(self.sources, key=lambda one: answers.get(one.id, 0) is not None)[:MOST_EXPLAINED]
        return {one.id: explain(self.tape, self.targets, one, frame=frame) for one in first}

    # ---- drawing -------------------------------------------------------------------------------------------------------

    def draw(self) -> dict:
        film = self.film
        self.tape_ids = {number: f"t{k}" for k, number in enumerate(film.tapes, 1)}
        self.source_ids = {number: f"s{k}" for k, number in enumerate(self.all_sources())}
        places = [frame.place for frame in film.frames] + [one.place for one in (*film.readings, *film.marks)]
        self.code = Code([place for place in places if place is not None])
        self.texts, self.given, self.expressions = {}, {}, {}
        self.totals = self.accumulated()
        self.loops = self.folded()
        sent = self.sent()
        steps, sizes = self.timed()
        cuts = self.cuts()
        self.broken = {cut["edge"][1] for cut in cuts}
        self.full = full_gradient(film, [one.id for one in self.targets], self.value_of_node) if cuts else None
        return {
            "v": 1, "code": self.code.lines, "tapes": self.tapes(), "sources": [self.source(n) for n in self.source_ids],
            "frames": [self.frame(k) for k in sent], "readings": [self.reading(k, set(sent)) for k in range(len(film.readings))],
            "steps": with_cuts(steps, sizes, cuts, film), "bytes": sizes, "peak": max(sizes, default=0), "peakText": bytes_text(max(sizes, default=0)),
            "cuts": cuts, "marks": [self.mark(one) for one in film.marks], "verdict": self.verdict(), "folds": [self.fold(k) for k in range(len(self.loops))],
            "graph": self.graph(sent), "count": len(film.frames), "ghosts": sum(frame.ghost is not None for frame in film.frames), "notes": self.notes(),
        }  # fmt: skip

    def all_sources(self):
        """The sources that are asked about, and then all others that went into a frame."""
        used = {}
        for frame in self.film.frames:
            for node in frame.inputs:
                number = node[0] if isinstance(node, tuple) else node
                if isinstance(node, tuple) and node[0] != "left" or number in self.film.roots and node not in self.film.made:
                    used[number] = True
        asked = [one.id for one in self.sources]
        if not asked and self.film.readings:
            asked = list(self.film.readings[-1].sources)
        return list(dict.fromkeys([*asked, *used]))

    def node(self, node):
        """The id of what a node stands for; None for constants."""
        if node in self.film.made:
            return f"f{self.film.made[node]}"
        return self.source_ids.get(node[0] if isinstance(node, tuple) else node)

    def name(self, node) -> str:
        """What the user calls it."""
        if node in self.film.made:
            k = self.film.made[node]
            return self.frame_name(k) or self.names.known.get(node) or self.expression(k)
        return self.names.of(node, "")

    def expression(self, k) -> str:
        """A short expression for a value that has no name: `x·x`, `sin(x)`, or the op."""
        if k not in self.expressions:
            frame = self.film.frames[k]
            self.expressions[k] = frame.op
            parts = [self.argument(k, slot)["text"] for slot in range(len(frame.inputs))] if len(frame.inputs) in (1, 2) and frame.by is None else []
            sign = SIGNS.get(frame.op) if len(parts) == 2 else None
            parts = [f"({one})" if sign and " " in one else one for one in parts]
            text = sign.join(parts) if sign else f"{frame.op}({', '.join(parts)})"
            if parts and len(text) <= 12 and "constant" not in parts:
                self.expressions[k] = text
        return self.expressions[k]

    def frame_name(self, k):
        place = self.film.frames[k].place
        if place is None:
            return next((self.names.known[z] for z in self.film.frames[k].outputs if self.names.known.get(z)), None)
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
        return {"node": self.node(node), "text": self.name(node) or ("seed" if frame.by else "constant")}

    def frame(self, k) -> dict:
        """A frame of the film."""
        frame = self.film.frames[k]
        code, _, say = frame.ghost or (None, None, None)
        arguments = [self.argument(k, slot) for slot in range(min(len(frame.inputs), 16))]
        return {
            "id": k, "op": frame.op, "glyph": GLYPHS.get(frame.op, frame.op), "name": self.frame_name(k), "line": self.code.line(frame.place),
            "text": self.line_text(frame.place), "in": [one["node"] for one in arguments if one["node"]], "args": arguments,
            "tapes": [self.tape_ids[n] for n in frame.slots if n in self.tape_ids], "by": frame.by and frame.by[1], "byReading": frame.by and frame.by[0],
            "value": self.shown_value(k), "keeps": self.keeps(frame),
            "ghost": {"code": code, "why": self.ghost_words(k), "say": say, "on_way": frame.on_way} if frame.ghost else None,
        }  # fmt: skip

    def shown_value(self, k) -> dict:
        """The value of a frame; if nobody kept it, the form of its gradient, which is the same."""
        value = self.film.frames[k].value
        slope = next((read.upstream for reading in self.film.readings for read in reading.reads if read.frame == k), None) if value is None else None
        return shown(value) if slope is None else {**UNKNOWN, "shape": list(slope.shape), "dtype": slope.dtype.name}

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
        thing = next((one for one in self.sources if one.id == number), getattr(self.tape, "variables", {}).get(number))
        nodes = [node for frame in self.film.frames for node in frame.inputs if isinstance(node, tuple) and node[0] == number]
        version = nodes[0][1] if nodes else None
        value = self.value_of(number, version, thing)
        variable = hasattr(thing, "trainable") or version is not None
        watched = number in self.film.roots or number in getattr(self.tape, "live", ())
        return {
            "id": self.source_ids[number], "name": self.names.of(number, "value"), "kind": "Variable" if variable else "Tensor", "watched": watched,
            "asked": number in {one.id for one in self.sources} or bool(self.film.readings) and number in self.film.readings[-1].sources,
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
        thing = next((one for one in self.sources if one.id == number), getattr(self.tape, "variables", {}).get(number))
        return self.value_of(number, version, thing)

    def source_name(self, number) -> str:
        return self.names.of(number, "value")

    def tapes(self):
        found = []
        for number, (outer, persistent, event) in self.film.tapes.items():
            written = re.search(r"\bas (\w+)\s*:?$", self.line_text(event.place)) if event is not None else None
            name = self.tape_names.get(number) or (written[1] if written else "tape")
            found.append({"id": self.tape_ids[number], "name": name, "outer": self.tape_ids.get(outer), "persistent": bool(persistent)})
        return found

    # ---- readings ------------------------------------------------------------------------------------------------------

    def accumulated(self):
        """For each part of each read: what the gradient of its input has added up to, if that is known."""
        totals = {}
        for r, reading in enumerate(self.film.readings):
            so_far = {}
            for i, read in enumerate(reading.reads):
                for j, part in enumerate(read.parts):
                    before = so_far.get(part.to, ())
                    if before == ():
                        total = part.product
                    elif before is None or before.kept.shape != part.product.kept.shape or before.kept.shape != before.shape:
                        total = None
                    else:
                        total = Summary.of(before.kept + part.product.kept)
                    so_far[part.to] = totals[r, i, j] = total
        return totals

    def reading(self, k, sent) -> dict:
        reading = self.film.readings[k]
        answers = {self.source_ids[n]: None if dx is None else shown(dx) for n, dx in reading.answers.items() if n in self.source_ids}
        targets = [self.node(n if n in self.film.made else self.versioned(n)) for n in reading.targets]
        seed = reading.reads[0].upstream if reading.reads else None
        return {
            "id": k, "tape": self.tape_ids.get(reading.tape), "line": self.code.line(reading.place), "text": self.line_text(reading.place),
            "target": targets[0] if targets else None, "targets": targets, "targetName": ", ".join(self.name(n) or "target" for n in reading.targets),
            "seed": shown(seed) if seed is not None else {**UNKNOWN, "text": "1.0"}, "error": reading.error, "answers": answers,
            "asked": reading.place is not None, "reads": [self.read(k, i) for i, read in enumerate(reading.reads) if read.frame in sent],
        }  # fmt: skip

    def read(self, r, i) -> dict:
        read = self.film.readings[r].reads[i]
        return {"id": i, "frame": read.frame, "up": shown(read.upstream), "parts": [self.part(r, i, j) for j in range(len(read.parts))]}

    def part(self, r, i, j) -> dict:
        read = self.film.readings[r].reads[i]
        part, frame, total = read.parts[j], self.film.frames[read.frame], self.totals[r, i, j]
        node = frame.inputs[part.slot] if part.slot < len(frame.inputs) else part.to
        text, rule = self.rule(read.frame, part.slot)
        local = self.local(r, i, j)
        return {
            "slot": part.slot, "to": self.node(node), "name": self.name(node) or "value",
            "local": {"text": text, "rule": rule, "value": None if local is None else shown(local)},
            "product": shown(part.product), "total": None if total is None else shown(total), "lost": None,
        }  # fmt: skip

    def local(self, r, i, j):
        read = self.film.readings[r].reads[i]
        return local_of(self.film.frames[read.frame], read.upstream, read.parts[j])

    def rule(self, k, slot):
        """The local derivative in the user's names, and the rule as it is written."""
        frame = self.film.frames[k]
        rule = frame.rules[slot] if slot < len(frame.rules) else None
        if rule is None:
            return "", ""
        (upstream, *_), body = rule
        slope = factor(body, upstream)
        names = {}
        if frame.event is not None and hasattr(frame.event, "op"):
            op = frame.event.op
            for other in range(len(frame.inputs)):
                names.setdefault(input_name(op, other, len(frame.inputs)), self.argument(k, other)["text"])
        names.setdefault(upstream[1:], self.frame_name(k) or upstream[1:])
        names = {word: f"({text})" if " " in text and slope != word else text for word, text in names.items()}
        text = re.sub(r"\b[A-Za-z_]\w*\b(?!\s*\()", lambda m: names.get(m[0], m[0]), slope) if slope else ""
        return text or ast.unparse(body), f"{upstream} -> {ast.unparse(body)}"

    # ---- time ----------------------------------------------------------------------------------------------------------

    def timed(self):
        """The steps, and how many bytes the tapes keep after each."""
        film, kept, keepers, sizes, steps = self.film, 0, {}, [], []
        written = {}  # tape -> frames that it still has, in order

        def drop(tape, since):
            nonlocal kept
            while written.get(tape) and written[tape][-1] >= since:
                for number, _, count in film.frames[written[tape].pop()].keeps.get(tape, ()):
                    keepers[tape, number] -= 1
                    if not keepers[tape, number]:
                        kept -= count

        for step in film.steps:
            kind, *rest = step
            if kind == "write":
                for tape, keeps in film.frames[rest[0]].keeps.items():
                    written.setdefault(tape, []).append(rest[0])
                    for number, _, count in keeps:
                        keepers[tape, number] = keepers.get((tape, number), 0) + 1
                        kept += count if keepers[tape, number] == 1 else 0
            elif kind == "read" and self.frees(film.readings[rest[0]]):
                drop(film.readings[rest[0]].tape, film.readings[rest[0]].reads[rest[1]].frame)
            elif kind == "done" and self.frees(film.readings[rest[0]]):
                drop(film.readings[rest[0]].tape, 0)
            steps.append([kind, *(self.tape_ids[one] if kind == "release" else one for one in rest)])
            sizes.append(kept)
        return steps, sizes

    def frees(self, reading):
        """Does this reading use its tape up? (One that was not really asked is drawn as it would be.)"""
        return reading.released or (reading.place is None and not self.tape.persistent)

    # ---- folds ---------------------------------------------------------------------------------------------------------

    def folded(self):
        """(kind, first, per, turns) of each stretch that is drawn folded."""
        frames = self.film.frames
        if len(frames) <= folds.MANY:
            return []
        numbers = {}
        keys = [numbers.setdefault(frame.place and (frame.place.code, frame.place.instruction) or frame.op, len(numbers)) for frame in frames]
        found = folds.loops(keys)
        return sorted([("loop", *one) for one in found] + [("run", *one) for one in folds.stretches(len(frames), found)], key=lambda one: one[1])

    def sent(self):
        """The frames that are sent: all but those in turns that are neither the first, the last nor the open one."""
        hidden = set()
        for k, (_, first, per, turns) in enumerate(self.loops):
            shown_turns = {0, turns - 1, self.open_turn(k)} if per <= 60 else set()
            for turn in set(range(turns)) - shown_turns:
                hidden.update(range(first + turn * per, first + (turn + 1) * per))
        return [k for k in range(len(self.film.frames)) if k not in hidden]

    def open_turn(self, k):
        return self.loops[k][3] // 2

    def fold(self, k) -> dict:
        kind, first, per, turns = self.loops[k]
        frames = self.film.frames
        carry = self.carried(first, per)
        slopes = {}
        for reading in self.film.readings[-1:]:
            slopes = {read.frame: read.upstream for read in reading.reads}
        line = min((n for n in (self.code.line(frames[f].place) for f in range(first, first + per)) if n), default=None)
        head = self.loop_head(line)
        ends = [first + turn * per + carry for turn in range(turns)]
        return {
            "id": k, "kind": kind, "line": line, "first": first, "per": per, "turns": turns, "carry": carry, "open": self.open_turn(k),
            "label": head if kind == "loop" and head else f"frames {first} to {first + per * turns - 1}",
            "written": [norm_shown(frames[f].value) for f in ends], "read": [norm_shown(slopes.get(f)) for f in ends],
        }  # fmt: skip

    def carried(self, first, per):
        """The frame of a turn, counted in the turn, whose value the next turn uses."""
        frames, made = self.film.frames, self.film.made
        later = [node for f in range(first + per, min(first + 2 * per, len(frames))) for node in frames[f].inputs]
        return max((made[node] - first for node in later if node in made and first <= made[node] < first + per), default=per - 1)

    def loop_head(self, line):
        """`for i in range(50)`: the nearest head of a loop above a line, less indented than it."""
        texts = {one["n"]: one["text"] for one in self.code.lines}
        if line is None:
            return ""
        indent = len(texts[line]) - len(texts[line].lstrip())
        for n in range(line, 0, -1):
            text = texts.get(n, "")
            head = text.strip()
            if head.startswith(("for ", "while ")) and (len(text) - len(text.lstrip()) < indent or n == line):
                return head.rstrip(":") if n != line else head
        return ""

    def turn(self, fold, turn) -> dict:
        """The frames and reads of a turn that is folded away."""
        _, first, per, turns = self.loops[int(fold)]
        turn = min(max(int(turn), 0), turns - 1)
        ids = range(first + turn * per, first + (turn + 1) * per)
        readings = []
        for r, reading in enumerate(self.film.readings):
            readings.append([self.read(r, i) for i, read in enumerate(reading.reads) if read.frame in ids])
        return {"type": "turn", "fold": int(fold), "turn": turn, "frames": [self.frame(f) for f in ids], "reads": readings}

    # ---- graph ---------------------------------------------------------------------------------------------------------

    def graph(self, sent) -> dict:
        """Where the nodes stand: of all that is sent, and of the same folded to one node for each line."""
        frames, present = self.film.frames, set(sent)
        stacks = self.stacks(present)
        nodes, edges = [], []

        def node_of(k):
            return f"f{k}" if k in present else stacks[k]

        sources = {one: [] for one in self.source_ids.values()}
        for k, frame in enumerate(frames):
            end = node_of(k)
            if not nodes or nodes[-1] != end:
                nodes.append(end)
            for node in frame.inputs:
                if node in self.film.made:
                    edges.append((node_of(self.film.made[node]), end))
                elif self.node(node):
                    sources[self.node(node)].append(end)
                    edges.append((self.node(node), end))
        used = [one for one in sources if sources[one] or one not in {self.node(n) for n in self.film.made}]
        whole = layout(dict.fromkeys([*used, *nodes]), edges)
        lines = {f"f{k}": f"l{self.code.line(frames[k].place)}" if self.code.line(frames[k].place) and not frames[k].by else f"f{k}" for k in sent}
        by_line = folded_graph(dict.fromkeys([*used, *nodes]), edges, lines)
        return {**whole, "lines": by_line, "stacks": sorted(set(stacks.values()))}

    def stacks(self, present):
        """For each frame that is folded away, the stack of turns that it is in: before or after the open turn."""
        found = {}
        for k, (_, first, per, turns) in enumerate(self.loops):
            for f in range(first, first + per * turns):
                if f not in present:
                    found[f] = f"g{k}{'a' if (f - first) // per < self.open_turn(k) else 'b'}"
        return found

    # ---- what happened to the gradient ---------------------------------------------------------------------------------

    def cuts(self):
        """Where the log and the explanation agree that a way is broken."""
        history = self.film.history
        if history is None or not self.explanations:
            return []
        causes = [cause for one in self.explanations.values() for cause in one.causes]
        live = any(dx is not None for reading in self.film.readings[-1:] for dx in reading.answers.values())
        found = {}
        for edge in self.film.ways if causes else ():
            cause = next((one for one in causes if edge.code == one.code and edge.place.text == one.line), None) if edge.code else None
            if cause is None:
                continue
            start, end = self.node(edge.start), self.node(edge.end)
            if edge.by is not None and ("left", edge.by.number) in self.film.made:
                end = f"f{self.film.made['left', edge.by.number]}"
            found.setdefault((start, end), {
                "edge": [start, end], "whole": not live, "line": self.code.line(edge.place), "code": cause.code, "confidence": cause.confidence,
                "say": sentence(cause.sentence), "mend": mend(cause, self.code.line(edge.place)),
            })  # fmt: skip
        return sorted(found.values(), key=lambda cut: [int(node[1:]) if node else -1 for node in cut["edge"][::-1]])

    def verdict(self) -> dict:
        """The question, its answer, and one sentence about it."""
        reading = self.film.readings[-1] if self.film.readings else None
        names = [self.names.of(n, "x") for n in (reading.sources if reading else [one.id for one in self.sources])]
        targets = [self.name(n) or "target" for n in (reading.targets if reading else [one.id for one in self.targets])]
        if not targets or not names:
            say = "Nothing was asked of this tape yet." if self.film.frames else "This tape is empty." if self.tape.steps is not None else spent(self)
            return {"status": "", "meaning": "", "ask": "", "answer": "", "say": say, "mend": None, "code": None, "lost": None, "full": None, "each": []}
        ask = f"d{targets[0]}" if len(targets) == 1 and targets[0].isidentifier() else f"d({', '.join(targets)})"
        ask += f"/d{names[0]}" if len(names) == 1 else f"/d[{', '.join(names[:4])}{', ...' if len(names) > 4 else ''}]"
        each = [self.one_verdict(n, name) for n, name in zip(reading.sources if reading else [one.id for one in self.sources], names)]
        worst = min(each, key=lambda one: ORDER.index(one["status"]))
        answer = worst["answer"] if len(each) == 1 else ", ".join(one["answer"] for one in each[:4]) + (", ..." if len(each) > 4 else "")
        lost, full = self.lost(reading) if len(each) == 1 and reading else (None, None)
        return {**worst, "ask": ask, "answer": answer, "lost": lost, "full": full, "each": each}

    def lost(self, reading):
        """What the lost ways would carry, and what all of them together, as texts; None if that cannot be known."""
        (number,) = reading.sources
        found = [dx for node, dx in self.full[0].items() if (node[0] if isinstance(node, tuple) else node) == number] if self.full else []
        live = reading.answers[number]
        if len(found) != 1 or live is not None and live.kept.shape != found[0].shape:
            return None, None
        lost = found[0] if live is None else found[0] - live.kept
        return text_of(lost), text_of(found[0])

    def would_carry(self, k) -> "str | None":
        """`cut (would carry 3.0)` for a frame behind a cut; None for others."""
        frame = self.film.frames[k]
        if f"f{k}" not in self.broken or not frame.ghost and frame.slots:
            return None
        sent = [dx for slot, dx in self.full[1].get(k, {}).items() if frame.inputs[slot] not in self.film.made] if self.full else []
        return f"cut (would carry {text_of(sum(sent[1:], sent[0]))})" if sent else "cut"

    def one_verdict(self, number, name):
        told = self.explanations.get(number)
        reading = self.film.readings[-1] if self.film.readings else None
        slope = reading.answers.get(number) if reading else None
        if reading is not None and reading.error:
            answer = reading.error.partition(":")[0]
        else:
            answer = "None" if slope is None and reading is not None else text_of(slope) if slope is not None else given_text(self.tape, number)
        if told is None:
            status = "none" if answer == "None" else "nan" if slope is not None and not slope.finite else "complete"
            return {"name": name, "status": status, "meaning": "", "answer": answer, "say": "", "mend": None, "code": None}
        if reading is None and told.carries:
            answer = told.carries
        cause = told.causes[0] if told.causes else None
        head = HEADS[told.status]
        words = f" {sentence(cause.sentence)}" if cause else " Every path is on the tape." if told.status == "complete" else ""
        return {
            "name": name, "status": told.status, "meaning": told.meaning, "answer": answer, "say": f"{head}{': ' + told.meaning if told.meaning else ''}.{words}",
            "mend": mend(cause, None) if cause else None, "code": cause.code if cause else None, "headline": told.headline,
        }  # fmt: skip

    def mark(self, one) -> dict:
        name = self.names.of(one.number, "value")
        say = f"{name} is watched from here on" if one.kind == "watch" else f"{name} is version {one.version} now"
        return {
            "kind": one.kind, "at": one.at, "line": self.code.line(one.place), "text": self.line_text(one.place), "say": say,
            "source": self.source_ids.get(one.number), "value": None if one.value is None else shown(one.value), "version": one.version,
        }  # fmt: skip

    def notes(self):
        """What else there is to say about what is shown."""
        film = self.film
        found = []
        if not film.traced:
            found.append("No log was kept: mg.trace(True) before the forward pass shows lines and ghosts too.")
        if film.cut:
            found.append("The log was full, and has forgotten its first events.")
        if film.traced and not film.history.opened:
            found.append("The log began later than this tape, and does not know all of it.")
        if self.tape.steps is None and not film.frames and not film.traced:
            found.append("The tape is used up: what it had written is gone.")
        return found


# ---- helpers -----------------------------------------------------------------------------------------------------------

ORDER = ["none", "partial", "nan", "zero", "complete"]
HEADS = {"none": "None", "partial": "Partial", "nan": "Not finite", "zero": "Zero", "complete": "Complete"}


class Here:
    """What the user's code that asks can see: Tensors, Variables and tapes by number."""

    def __init__(self, frame):
        self.things, self.tapes, self.tape_names = {}, {}, {}
        for space in (frame.f_globals, frame.f_locals):
            for name, value in list(space.items()):
                if isinstance(value, GradientTape):
                    self.tapes[value.number] = value
                    if not name.startswith("_"):
                        self.tape_names[value.number] = name
                elif is_ours(value):
                    self.things[value.id] = value
                elif isinstance(value, (list, tuple)) and len(value) <= 200:
                    self.things.update({one.id: one for one in value if is_ours(one)})

    def objects(self, given, numbers):
        """What was given; otherwise what has these numbers, if all of it can be seen."""
        given = [one for one in given if is_ours(one)]
        found = [self.things.get(n) for n in numbers]
        return given or (found if all(one is not None for one in found) else [])

    def tape_of(self, trace):
        """The tape that a trace has heard last; if nobody has it any more, what stands for it."""
        asked = [e for e in trace.events if isinstance(e, Asked)]
        number = asked[-1].tape if asked else max(trace.tapes, default=0)
        if number in self.tapes:
            return self.tapes[number]
        persistent = any(e.tape == number and not e.released for e in asked)
        return SimpleNamespace(number=number, persistent=persistent, steps=None, given=None)


def things_in(frame) -> Here:
    return Here(frame)


def last_question(trace, tape):
    """The numbers of the targets and of the sources that the tape was asked about last."""
    if trace is not None:
        asked = [e for e in trace.events if isinstance(e, Asked) and e.tape == tape.number]
        return (asked[-1].targets, asked[-1].sources) if asked else ((), ())
    return (tuple(tape.given[0]), tuple(tape.given[1])) if tape.given else ((), ())


def given_text(tape, number) -> str:
    """The answer of a used-up tape, if the user still has it."""
    answer = tape.given[1].get(number) if tape.given else None
    thing = answer() if answer is not None else None
    return "None" if tape.given and number in tape.given[1] and answer is None else text_of(thing.value) if thing is not None else "?"


def spent(model) -> str:
    return "This tape is used up." if getattr(model.tape, "entered", True) else "This tape was never entered."


def local_of(frame, upstream, part: Part):
    """The op's own slope, where that is one number for each element: what was sent, divided by what arrived."""
    if part.local is not None and frame.kernel in ELEMENTWISE:
        return part.local
    up, sent = upstream.kept, part.product.kept
    whole = up.shape == upstream.shape and sent.shape == part.product.shape and upstream.dtype.kind == "f" == part.product.dtype.kind
    linear = upstream.size == 1 or (frame.kernel in ELEMENTWISE and up.shape == sent.shape)
    if not (whole and linear and up.size and np.all(up != 0) and np.all(np.isfinite(up))):
        return None
    return Summary(np.asarray(sent / up.reshape(()) if upstream.size == 1 else sent / up))


def factor(body, upstream) -> str:
    """What the upstream gradient is multiplied by, if the rule is no more than that."""
    def is_upstream(node):
        return isinstance(node, ast.Name) and node.id == upstream

    if is_upstream(body):
        return "1"
    if isinstance(body, ast.UnaryOp) and isinstance(body.op, ast.USub) and is_upstream(body.operand):
        return "-1"
    if isinstance(body, ast.BinOp) and isinstance(body.op, ast.Mult) and is_upstream(body.left):
        return ast.unparse(body.right)
    if isinstance(body, ast.BinOp) and isinstance(body.op, ast.Mult) and is_upstream(body.right):
        return ast.unparse(body.left)
    if isinstance(body, ast.BinOp) and isinstance(body.op, ast.Div) and is_upstream(body.left):
        right = ast.unparse(body.right)
        return f"1 / {right}" if isinstance(body.right, (ast.Name, ast.Call)) else f"1 / ({right})"
    return ""


def sentence(text) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def mend(cause, line):
    """The mend, with the code in it apart, if there is any."""
    words, colon, code = cause.mend.partition(": ")
    return {"line": line, "text": cause.mend, "code": code if colon else None}


def with_cuts(steps, sizes, cuts, film):
    """Put the cuts before the end of the last reading."""
    last = next((k for k in reversed(range(len(steps))) if steps[k][0] in ("done", "error")), None)
    if last is not None and cuts:
        before = sizes[last - 1] if last else 0
        steps[last:last] = [["cut", k] for k in range(len(cuts))]
        sizes[last:last] = [before] * len(cuts)
    return steps


def folded_graph(nodes, edges, names):
    """The graph with some of its nodes joined under one name. Where that would make circles, they stay apart."""
    groups = {}
    order = {node: k for k, node in enumerate(nodes)}
    run, last = {}, {}
    for node in nodes:
        name = names.get(node, node)
        groups[node] = name
        last[name] = order[node]
        run.setdefault(name, order[node])
    joined = [(groups[a], groups[b]) for a, b in edges if groups[a] != groups[b]]
    apart = {name for pair in joined for name in pair if (pair[1], pair[0]) in set(joined)} if len(joined) < 2000 else set()
    groups = {node: node if name in apart else name for node, name in groups.items()}
    joined = [(groups[a], groups[b]) for a, b in edges if groups[a] != groups[b]]
    placed = layout(list(dict.fromkeys(groups.values())), joined)
    return {**placed, "of": {node: name for node, name in groups.items() if node != name}}


__all__ = ["WHY", "Film", "Model", "sys"]
