"""Local derivatives as formulas: the line that an op declares for an input, with the user's names and arrays."""

import re

from .film import declaration_of


def formula(model, k, slot, known) -> dict:
    """The formula of the gradient that a frame sends to one of its inputs. (`known`: see `meanings`.)

    Returns:
        {"slot", "name", "to": the column of the input, "text": the line, "parts"}. A part has its text "t" and, for an array,
        its column "of" ("upstream" for the incoming gradient) and "T" if it is transposed. If an op declares no line,
        the text is empty.
    """
    frame, argument = model.film.frames[k], model.argument(k, slot)
    real = frame.value is None or frame.value.dtype.kind != "c"  # lines are for real numbers, but for those from complex to real
    line = real and frame.op_made and frame.op_made.math.get(frame.parameter(slot))
    place = next((one.index(slot) for one in known.values() if isinstance(one, list) and slot in one), 0)
    own = {name: meaning(model, k, one[place]) if isinstance(one, list) else one for name, one in known.items()}
    parts = parts_of(str(line), own) if line else []
    text = "".join(part["t"] for part in parts)
    return {"slot": slot, "name": argument["text"], "to": argument["node"], "text": text, "parts": parts}


def meanings(model, k) -> dict:
    """Map each name in a line to (the user's name, its column); that of a list, `x[k]`, to the slots of its elements."""
    frame = model.film.frames[k]
    name, output = model.name(frame.outputs[0]), declaration_of(frame.op_made).output
    upstream = "upstream" if len(frame.outputs) == 1 else None  # of several outputs the column shows one
    known: dict = {"upstream": ("upstream", upstream), output: ("output" if name == frame.op else name, f"f{k}")}
    for slot in range(len(frame.inputs)):
        parameter = frame.parameter(slot)
        if parameter in frame.op_made.lists:
            known.setdefault(f"{parameter}[k]", []).append(slot)
        else:
            known.setdefault(parameter, meaning(model, k, slot))
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
    pieces, found = re.split(rf"\b({'|'.join(map(re.escape, names))})(?!\w)(\^T)?(?!\()", line), []
    for before, name, turned, after in zip(pieces[::3], pieces[1::3], pieces[2::3], pieces[3::3]):
        text, of = names[name]
        text = (text if before[-1:] + after[:1] == "()" else grouped(text)) + "ᵀ" * bool(turned)
        found += [{"t": before}, {"t": text, **({"of": of} if of else {}), **({"T": True} if turned else {})}]
    return [part for part in (*found, {"t": pieces[-1]}) if part["t"]]
