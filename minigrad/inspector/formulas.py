"""Local derivatives as mathematics: the line that an op declares for an input, in the user's names, with the arrays in it."""

import re

from ..engine.writing import Declaration, parameters
from ..explain.search import input_name

WORD = r"[A-Za-z_]\w*(?:\^T)?"


def formula(model, k, slot) -> dict:
    """What a frame sends to one of its inputs.

    Returns:
        {"slot", "name", "to": the column of the input, "text": the line, "parts"}; of a part the text "t" and, if it is an
        array, the column "of" it ("upstream" for what arrives) and whether it is transposed "T". Where an op has no line,
        the text is empty.
    """
    frame = model.film.frames[k]
    op, count = frame.op_made, len(frame.inputs)
    argument = model.argument(k, slot)
    found = {"slot": slot, "name": argument["text"], "to": argument["node"], "text": "", "parts": []}
    if op is None:
        return found
    name = frame.names[slot] if slot < len(frame.names) else input_name(op, slot, count)
    line = op.math.get(name)
    if line:
        found["parts"] = parts_of(str(line), meanings(model, k, op, count))
        found["text"] = "".join(part["t"] for part in found["parts"])
    return found


def meanings(model, k, op, count) -> dict:
    """The names in a line -> (what the user calls it, its column)."""
    frame = model.film.frames[k]
    known = {"upstream": ("upstream", "upstream")}
    needs = Declaration(op)
    known[needs.output] = model.frame_name(k) or needs.output, f"f{k}"
    for slot in range(count):
        name = frame.names[slot] if slot < len(frame.names) else input_name(op, slot, count)
        argument = model.argument(k, slot)
        known.setdefault(name, (argument["text"], argument["node"]))
    return {name: meaning for name, meaning in known.items() if name in {"upstream", needs.output, *parameters(op.__wrapped__)}}


def parts_of(line, names) -> list:
    """A line cut at its names."""
    found, at = [], 0
    for word in re.finditer(WORD, line):
        name = word[0].removesuffix("^T")
        if name not in names or line[word.end() : word.end() + 1] == "(":
            continue
        if word.start() > at:
            found.append({"t": line[at : word.start()]})
        text, of = names[name]
        turned = word[0].endswith("^T")
        text = f"({text})" if " " in text else text
        found.append({"t": text + "ᵀ" * turned, **({"of": of} if of else {}), **({"T": True} if turned else {})})
        at = word.end()
    return [*found, *([{"t": line[at:]}] if line[at:] else [])]
