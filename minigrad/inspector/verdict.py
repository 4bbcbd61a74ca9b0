"""What became of the gradient: the answer in one sentence, where it was cut, and what the lost ways would carry."""

from ..engine.tape import GradientTape
from ..errors import visible_lines
from ..explain.search import number_of
from .arrays import size_text, text_of
from .units import trend

MEASURED = "Complete. The gradient is the slope that was measured."
UNASKED = " Nobody has looked for a path that is missing."
HEADS = {  # of several sources the first of these is told
    "none": "None", "partial": "Partial", "nan": "Not finite", "zero": "Zero", "stale": "Stale", "untried": "Untried",
    "complete": "Complete",
}  # fmt: skip


def cuts(model):
    """Where the log and the explanation agree that a way is broken."""
    history = model.film.history
    if history is None or not model.explanations:
        return []
    causes = [cause for one in model.explanations.values() for cause in one.causes]
    live = any(dx is not None for dx in (model.film.last.answers.values() if model.film.last else ()))
    found = {}
    for edge in model.film.ways if causes else ():
        cause = next((one for one in causes if edge.code == one.code and edge.place.text == one.line), None) if edge.code else None
        if cause is None:
            continue
        start, end = model.node(edge.start), model.node(edge.end)
        if edge.by is not None and ("left", edge.by.number) in model.film.made:
            end = f"f{model.film.made['left', edge.by.number]}"
        line = model.code.line(edge.place)
        cut = {"edge": [start, end], "whole": not live, "line": line, "code": cause.code}
        found.setdefault((start, end), {**cut, "say": sentence(cause.sentence), "fix": fix(cause)})
    return sorted(found.values(), key=lambda cut: [int(node[1:]) if node else -1 for node in cut["edge"][::-1]])


def verdict(model) -> dict:
    """The question, its answer, and one sentence about it."""
    reading = model.film.last
    sources = reading.sources if reading else [one.id for one in model.sources]
    names = [model.source_name(n) for n in sources]
    targets = [model.name(n) or "target" for n in (reading.targets if reading else [one.id for one in model.targets])]
    if not targets or not names:
        nothing = {"head": "tape inspector", "ask": "", "lost": None, "full": None, "each": []}
        return {**told("", "", "", silence(model.tape, model.film)), **nothing}
    ask = f"d{targets[0]}" if len(targets) == 1 and targets[0].isidentifier() else f"d({', '.join(targets)})"
    ask += f"/d{names[0]}" if len(names) == 1 else f"/d[{', '.join(names)}]" if len(names) <= 4 else f"/d({len(names)} sources)"
    each = [{"name": name, **one_verdict(model, n, reading)} for n, name in zip(sources, names)]
    worst = min(each, key=lambda one: [*HEADS].index(one["status"]))
    given = sum(one["answer"] != "None" for one in each)
    answer = worst["size"] if len(each) == 1 else f"{len(each)} gradients" if given == len(each) else f"{given} of {len(each)} gradients"
    seen = trend(model) if worst["status"] == "complete" else ""
    if seen:
        worst["say"] = f"Complete, and {seen}."
    missing, full = lost(model, reading) if len(each) == 1 and reading else (None, None)
    bad = model.first_bad() if worst["status"] == "nan" else None
    worst |= {"bad": None if bad is None else model.number_of(bad), "badFrame": None if bad is None else f"f{bad}"}
    if len(each) > 1 and worst["status"] != "complete":
        worst = {**worst, "say": f"{worst['name']}: {worst['say']}"}
    return {**worst, "head": f"{ask} = {answer}", "ask": ask, "answer": answer, "lost": missing, "full": full, "each": each}


def lost(model, reading):
    """What the lost ways would carry, and what all of them together, as texts; None if that cannot be known."""
    (number,) = reading.sources
    found = [dx for node, dx in model.full[0].items() if number_of(node) == number] if model.full else []
    live = reading.answers.get(number)
    if len(found) != 1 or (live is not None and live.kept.shape != found[0].shape):
        return None, None
    return text_of(found[0] if live is None else found[0] - live.kept), text_of(found[0])


def would_carry(model, k) -> "str | None":
    """`cut (would carry 3.0)` for a frame behind a cut; None for others."""
    frame = model.film.frames[k]
    if all(end != f"f{k}" for _, end in model.broken) or (not frame.ghost and frame.slots):
        return None
    sent = [dx for slot, dx in model.full[1].get(k, {}).items() if frame.inputs[slot] not in model.film.made] if model.full else []
    return f"cut (would carry {text_of(sum(sent[1:], sent[0]))})" if sent else "cut"


def one_verdict(model, number, reading) -> dict:
    """The same for one source."""
    explanation, slope = model.explanations.get(number), reading.answers.get(number) if reading else None
    answer = answer_text(model, number, reading)
    if explanation is not None and explanation.codes == ("SPENT_TAPE",) and slope is not None:  # it was asked once more, after its answer
        explanation = None
    size = size_text(slope) if slope is not None and answer == text_of(slope) else answer
    if reading is not None and number in reading.sparse:
        size = f"{size} (IndexedSlices)"
    if explanation is None:
        known = "complete" if model.whole else "untried"  # one of very many sources, of which nobody was asked
        status = "none" if answer == "None" else "nan" if slope is not None and not slope.finite else known
        return told(status, "", answer, f"{HEADS[status]}.{UNASKED if status == 'untried' else ''}", size=size)
    if reading is None and explanation.status == "none":
        answer = "error" if explanation.codes == ("SPENT_TAPE",) else "None"
    if explanation.status == "untried" and number in model.measured:
        return told("complete", "", answer, MEASURED, size=size)
    cause = explanation.causes[0] if explanation.causes else None
    status = "stale" if explanation.status in ("complete", "untried") and cause and cause.code == "STALE" else explanation.status
    head = HEADS[status] + (f": {explanation.meaning}" if explanation.meaning else "")
    words = f" {sentence(cause.sentence)}" if cause else " Every path is on the tape." if status == "complete" else ""
    return told(status, explanation.meaning, answer, f"{head}.{words}", cause, size, explanation.fixed)


def told(status, meaning, answer, say, cause=None, size="", fixed="") -> dict:
    code, change = (cause.code, fix(cause)) if cause else (None, None)
    return {
        "status": status, "meaning": meaning, "answer": answer, "size": answer if answer in ("None", "error") else size or answer,
        "say": say,
        "fix": change, "code": code, "fixed": visible_lines(fixed).split("\n") if fixed else [],
    }  # fmt: skip


def answer_text(model, number, reading) -> str:
    """The gradient of one source, as text."""
    if reading is not None and reading.error:
        return reading.error.partition(":")[0]
    if reading is None or number not in reading.answers:
        return "?"
    slope = reading.answers[number]
    return "None" if slope is None else text_of(slope)


def silence(tape, film) -> str:
    """What there is to say where no question and no answer is known."""
    if not tape.entered:
        return "This tape was never entered." if isinstance(tape, GradientTape) else "This log has heard of no tape."
    if tape.steps is None:
        return "This tape is used up, and no answer of it is known."
    return "Nothing was asked of this tape yet." if film.frames else "This tape is empty."


def sentence(text) -> str:
    """With a full stop; names and code at the beginning stay as they are."""
    if text.partition(" ")[0] in ("the", "this", "what"):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def fix(cause):
    """The fix, with the code in it apart, if there is any."""
    _, colon, code = cause.fix.partition(": ")
    return {"text": cause.fix, "code": code if colon else None}
