"""Readings as plain data: what arrived at each frame, its own slope, what it sent on, and what that adds up to."""

import ast
import copy
import re

import numpy as np

from ..explain.search import input_name, number_of, parameters
from ..tracing.values import Summary
from .film import Part, rule_of_slot
from .summary import UNKNOWN, shown

ELEMENTWISE = {  # TensorFlow's names of the ops whose slope is one number for each element
    "Mul", "AddV2", "Add", "Sub", "RealDiv", "DivNoNan", "Neg", "Exp", "Log", "Log1p", "Expm1", "Sin", "Cos", "Tan", "Tanh", "Sigmoid",
    "Sqrt", "Rsqrt", "Square", "Pow", "Abs", "Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign", "Maximum", "Minimum",
    "Sinh", "Cosh", "Asin", "Acos", "Atan", "Atan2", "Asinh", "Acosh", "Atanh", "Erf", "SquaredDifference", "Reciprocal", "Inv", "Identity",
    "ReadVariableOp", "Cast", "SelectV2", "Select", "ClipByValue", "Xdivy", "Xlogy", "MulNoNan",
}  # fmt: skip


MOST_PARTS = 100  # inputs of one op that are shown


def accumulated(model):
    """For each part of each read: what the gradient of its input has added up to, if that is known."""
    totals = {}
    for r, reading in enumerate(model.film.readings):
        so_far = {}
        for i, read in enumerate(reading.reads):
            for j, part in enumerate(read.parts):
                to = number_of(node_of(model, read, part))
                before = so_far.get(to, ())
                if before == ():
                    total = part.product
                elif before is None or before.kept.shape != part.product.kept.shape or not before.whole:
                    total = None
                else:
                    total = Summary.of(before.kept + part.product.kept)
                so_far[to] = totals[r, i, j] = total
    return totals


def reading_shown(model, k, sent) -> dict:
    """A reading, with the reads of the frames that are sent."""
    reading = model.film.readings[k]
    answers = {model.source_ids[n]: None if dx is None else shown(dx) for n, dx in reading.answers.items() if n in model.source_ids}
    targets = [model.node(n if n in model.film.made else model.versioned(n)) for n in reading.targets]
    seed = reading.reads[0].upstream if reading.reads else None
    reads = [read_shown(model, k, i) for i, read in enumerate(reading.reads) if read.frame in sent]
    return {
        "id": k, "tape": model.tape_ids.get(reading.tape), "line": model.code.line(reading.place), "text": model.line_text(reading.place),
        "target": targets[0] if targets else None, "targets": targets,
        "targetName": ", ".join(model.name(n) or "target" for n in reading.targets),
        "seed": shown(seed) if seed is not None else {**UNKNOWN, "text": "1.0"}, "error": reading.error, "answers": answers,
        "asked": reading.place is not None, "reads": reads,
    }  # fmt: skip


def read_shown(model, r, i) -> dict:
    """A frame that was read back."""
    read = model.film.readings[r].reads[i]
    parts = [part_shown(model, r, i, j) for j in range(min(len(read.parts), MOST_PARTS))]
    return {"frame": read.frame, "up": shown(read.upstream), "parts": parts}


def part_shown(model, r, i, j) -> dict:
    """What a read sent to one input: upstream times local is product, and what that adds up to."""
    read = model.film.readings[r].reads[i]
    part, total = read.parts[j], model.totals[r, i, j]
    node = node_of(model, read, part)
    text, rule = rule_shown(model, read.frame, part.slot)
    local = local_slope(model, r, i, j)
    return {
        "slot": part.slot, "to": model.node(node), "name": model.name(node) or "value",
        "local": {"text": text, "rule": rule, "value": None if local is None else shown(local)},
        "product": shown(part.product), "total": None if total is None else shown(total),
    }  # fmt: skip


def node_of(model, read, part):
    """The node that a read sent something to. (What is read of a Variable is the Variable.)"""
    inputs = model.film.frames[read.frame].inputs
    return inputs[part.slot] if part.slot < len(inputs) else part.to


def local_slope(model, r, i, j):
    read = model.film.readings[r].reads[i]
    return local_of(model.film.frames[read.frame], read.upstream, read.parts[j])


def rule_shown(model, k, slot):
    """The local derivative in the user's names, and the rule as it is written."""
    frame = model.film.frames[k]
    rule = rule_of_slot(frame, slot)
    if rule is None:
        return "", ""
    (upstream, *_), body = rule
    slope = factor(Fractions().visit(copy.deepcopy(body)), upstream)
    names = {}
    if frame.event is not None and hasattr(frame.event, "op"):
        op = frame.event.op
        for other in range(len(frame.inputs)):
            names.setdefault(input_name(op, other, len(frame.inputs)), model.argument(k, other)["text"])
            if len(names) == len(parameters(op)):  # of a list of inputs the first is enough
                break
    names.setdefault(upstream[1:], model.frame_name(k) or upstream[1:])
    names = {word: f"({text})" if " " in text and slope != word else text for word, text in names.items()}
    text = re.sub(r"\b[A-Za-z_]\w*\b(?!\s*\()", lambda m: names.get(m[0], m[0]), slope) if slope else ""
    return text or ast.unparse(body), f"{upstream} -> {ast.unparse(body)}"


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


class Fractions(ast.NodeTransformer):
    """Writes 1 / x for reciprocal.np(x)."""

    def visit_Call(self, node):
        self.generic_visit(node)
        if ast.unparse(node.func) == "reciprocal.np":
            return ast.BinOp(ast.Constant(1), ast.Div(), node.args[0])
        return node


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
