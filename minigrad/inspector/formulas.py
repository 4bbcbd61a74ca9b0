"""Local derivatives as formulas: the line that an op declares for an input, with the user's names and arrays."""

import contextlib
import re

import numpy as np

from ..engine.op import conjugated
from ..graph.retold import whole
from ..tracing.values import Summary
from .film import declaration_of

UFUNCS = {name: one for name, one in vars(np).items() if isinstance(one, np.ufunc)}


def formula(model, k, slot, known) -> dict:
    """The formula of the gradient that a frame sends to one of its inputs. (`known`: see `meanings`.)

    Returns:
        {"slot", "name", "to": the column of the input, "text": the line, "parts"}. A part has its text "t" and, for an array,
        its column "of" ("upstream" for the incoming gradient) and "T" if it is transposed. If an op declares no line,
        the text is empty.
    """
    frame, argument = model.film.frames[k], model.argument(k, slot)
    line = frame.op_made and frame.op_made.math.get(frame.parameter(slot))
    place = next((one.index(slot) for one in known.values() if isinstance(one, list) and slot in one), 0)
    own = {name: meaning(model, k, one[place]) if isinstance(one, list) else one for name, one in known.items()}
    arrays = "|".join(re.escape(name) for name, (_, of) in own.items() if of and name != "upstream")
    if line and arrays and frame.op_made.adapt is conjugated:  # its line is for real numbers
        line = re.sub(rf"\b({arrays})(\^T)?(?!\w)(?!\()", r"conj(\1\2)", line)
    parts = parts_of(f"{line}{guard(model, k, slot, line)}{summed_over(model, k, slot, line)}", own) if line else []
    text = "".join(part["t"] for part in parts)
    return {"slot": slot, "name": argument["text"], "to": argument["node"], "text": text, "parts": parts}


def summed_over(model, k, slot, line) -> str:
    """The end of a line that is for one element of a broadcast input: the axes over which the elements are added up."""
    frame, out, product = model.film.frames[k], model.shape_of(k), "@" in line
    shapes: list = [() if n in frame.numbers else getattr(model.value_of(node), "shape", None) for n, node in enumerate(frame.inputs)]
    own, shapes = shapes[slot], [shapes[slot]] if product else shapes
    if None in (out, *shapes) or len(frame.inputs) < 2 or frame.op_made.lists or re.search(r"sum|added|\w\(upstream", line):
        return ""
    extra = len(out) - len(own)
    axes = [n for n in range(len(out)) if n < extra or (own[n - extra] == 1 != out[n] and not product)]
    broadcast = product or all(one in (1, n) for shape in shapes for one, n in zip(shape[::-1], out[::-1]))
    return f", summed over ax{'i' if len(axes) == 1 else 'e'}s {', '.join(map(str, axes))}" if axes and broadcast else ""


def guard(model, k, slot, line) -> str:
    """The end of a line whose VJP takes 0 for what is nan or inf in the formula alone, on the numbers of this film."""
    frame, found = model.film.frames[k], {}
    known = {frame.parameter(n): frame.numbers.get(n, model.value_of(node)) for n, node in enumerate(frame.inputs)}
    known[declaration_of(frame.op_made).output] = frame.value
    for r, _, part in model.parts.get((k, slot), ()):
        known["upstream"] = next((total for which, _, total in reversed(model.totals[f"f{k}"]) if which == r), None)
        with contextlib.suppress(Exception):  # not a formula of functions of single elements, or some number is unknown
            numbers = {name: np.float64(whole(Summary.of(known[name]))) for name in known.keys() & re.findall(r"\w+", line)}
            alone = np.asarray(eval(line.replace("^", "**"), {"__builtins__": {}}, UFUNCS | numbers))
            odd, sent = ~np.isfinite(alone), whole(part.product)
            guarded = np.isclose(alone.sum(where=~odd), sent.sum(), rtol=1e-4, atol=1e-4 * np.abs(sent).max())
            found |= {str(np.abs(one)): True for one in alone[odd] if guarded}
    return f", but 0 where that is {' or '.join(found)}" if found else ""


def meanings(model, k) -> dict:
    """Map each name in a line to (the user's name, its column); that of a list, `x[k]`, to the slots of its elements."""
    frame = model.film.frames[k]
    upstream = "upstream" if len(frame.outputs) == 1 else None  # several outputs share a column
    name, output = model.name(frame.outputs[0]) if upstream else "outputs", declaration_of(frame.op_made).output
    known: dict = {f"{output}[{n}]": (model.name(one), None) for n, one in enumerate(frame.outputs) if upstream is None}
    taken = {frame.op, *(model.argument(k, slot)["text"] for slot in range(len(frame.inputs)))}
    known |= {"upstream": ("upstream", upstream), output: ("output" if name in taken else name, f"f{k}")}
    for slot in range(len(frame.inputs)):
        parameter = frame.parameter(slot)
        if parameter in frame.op_made.lists:
            known.setdefault(f"{parameter}[k]", []).append(slot)
        else:
            known.setdefault(parameter, meaning(model, k, slot))
    many = model.value_of(frame.inputs[0]) if frame.kernel == "Mean" else None
    if many is not None and frame.value is not None:
        known["count"] = str(many.size // max(frame.value.size, 1)), None
    return known


def meaning(model, k, slot):
    argument = model.argument(k, slot)
    return argument["text"], argument["node"] and model.shown_at(model.film.frames[k].inputs[slot])


def grouped(text, op="") -> str:
    """An expression as a part of another one: in parentheses if it has a sign. (A product within a product needs none.)"""
    outside = re.sub(r"\((?:[^()]|\([^()]*\))*\)|\[[^]]*\]", "", text)
    return f"({text})" if any(sign in outside for sign in (" ÷" if op == "multiply" else " ÷·")) else text


def parts_of(line, names) -> list:
    """Split a line at its names."""
    pieces, found = re.split(rf"(?<!the )\b({'|'.join(map(re.escape, names))})(?!\w)(\^T)?(?!\()", line), []
    for before, name, turned, after in zip(pieces[::3], pieces[1::3], pieces[2::3], pieces[3::3]):
        text, of = names[name]
        text = (text if before[-1:] + after[:1] == "()" else grouped(text)) + "ᵀ" * bool(turned)
        found += [{"t": before}, {"t": text, **({"of": of} if of else {}), **({"T": True} if turned else {})}]
    return [part for part in (*found, {"t": pieces[-1]}) if part["t"]]
