"""The verdict on a gradient: the answer in one sentence, where it was cut, and what the lost paths would carry."""

from ..engine.tape import GradientTape
from ..errors import visible_lines
from ..explain.names import derivative
from ..explain.search import number_of
from ..tracing.source import parsed
from .arrays import size_text, text_of
from .film import Reading
from .units import trend

MEASURED = "Complete. The gradient is the slope that was measured."
ALL = " Every path is on the tape."
UNASKED = " Nobody has looked for a path that is missing."
HEADS = {  # with several sources, the first of these is reported
    "none": "None", "partial": "Partial", "nan": "Not finite", "zero": "Zero", "stale": "Stale", "untried": "Untried", "complete": "Complete",
}  # fmt: skip


def cuts(model):
    """The edges at which the log and the explanation agree that a path is broken."""
    causes = [(number, cause) for number, one in model.explanations.items() for cause in one.causes]
    found = {}
    for edge in model.film.ways:
        same = edge.code == "UNWATCHED" and number_of(edge.start)  # of a source that was not watched, the cause tells the first use
        cause = next((one for n, one in causes if edge.code == one.code and (edge.place.text == one.line or same == n)), None)
        if cause is None:
            continue
        tried = [one for one in model.experiments.values() if one is not None and edge.code == "OUTSIDE_TAPE"]
        moved = [edge.event.inputs[k] for one in tried for k in one.moved_in(edge.event).get("inputs", ())]  # made where nothing is heard
        start = next((model.data_ids[n] for n in moved if n in model.data_ids), model.node(edge.start))
        end = model.node(model.film.exit_of(edge) or edge.end)
        cut = {"edge": [start, end], "line": model.code.line(edge.place), "code": cause.code}
        found.setdefault((start, end), {**cut, "say": sentence(cause.sentence), "fix": fix(cause)})
    return sorted(found.values(), key=lambda cut: [int(node[1:]) if node else -1 for node in cut["edge"][::-1]])


def verdict(model) -> dict:
    """The gradient that was requested, the answer, and one sentence about it."""
    asked = [tuple([one.id for one in some]) for some in (model.targets, model.sources)]
    reading = model.film.last or Reading(model.tape.number, asked[0], asked[1], {})
    names, targets = [*map(model.source_name, reading.sources)], model.target_names(reading)
    if not targets or not names:
        nothing = {"head": "tape inspector", "ask": "", "lost": None, "full": None, "each": []}
        return {**told("", "", "", silence(model.tape, model.film)), **nothing}
    ask = derivative(targets, names[0] if len(names) == 1 else f"[{', '.join(names)}]" if len(names) <= 4 else f"{len(names)} sources")
    each = [{"id": model.source_ids.get(n), "name": name, **one_verdict(model, n, reading)} for n, name in zip(reading.sources, names)]
    worst = min(each, key=lambda one: [*HEADS].index(one["status"]))
    given = 0 if reading.error else sum(one["answer"] not in ("None", "error") for one in each)
    answer = worst["size"] if len(each) == 1 else f"{given} of {len(each)} gradients".removeprefix(f"{len(each)} of ")
    if worst["status"] == "complete" and (seen := trend(model)):
        worst["say"] = f"Complete, and {seen}."
    missing, full = lost(model, reading) if len(each) == 1 and reading.answers else (None, None)
    bad = model.first_bad() if worst["status"] == "nan" else None
    worst |= {"bad": None if bad is None else model.numbers[bad], "badFrame": None if bad is None else f"f{bad}"}
    if len(each) > 1 and worst["status"] != "complete":
        worst = {**worst, "say": f"{worst['name']}: {worst['say']}"}
    each = each[: len(model.source_ids)]
    return {**worst, "head": f"{ask} = {answer}", "ask": ask, "answer": answer, "lost": missing, "full": full, "each": each}


def lost(model, reading):
    """The gradient along the lost paths, and along all paths, as texts; (None, None) if they cannot be known."""
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
    """The verdict for one source."""
    explanation, slope = model.explanations.get(number), reading.answers.get(number)
    nothing = reading.error.partition(":")[0] if reading.error else "None" if number in reading.answers else "?"
    answer = nothing if slope is None else text_of(slope)
    size = answer if slope is None else size_text(slope)
    if number in reading.sparse:
        size = f"{size} (IndexedSlices)"
    spent = explanation is not None and explanation.codes == ("SPENT_TAPE",)
    if reading.error and (spent or explanation is None or explanation.status != "none"):
        return told("none", "", answer, f"The question raised {sentence(reading.error)}", size=size)
    if explanation is None or (spent and slope is not None):  # or requested again after its answer
        whole = "complete" if model.whole else "untried"  # one of too many sources to explain each
        status = "none" if answer == "None" else "nan" if slope is not None and not slope.finite else whole
        return told(status, "", answer, f"{HEADS[status]}.{UNASKED if status == 'untried' else ''}", size=size)
    if not (reading.answers or reading.error) and explanation.status == "none":
        answer = "error" if spent else "None"
    if answer == "?" and explanation.status in ("complete", "untried", "zero"):
        return told("untried", "", answer, "Untried. The gradient was computed while no trace was on, and is gone.", size=size)
    if explanation.status == "untried" and (number in model.measured or model.whole):
        return told("complete", "", answer, MEASURED if number in model.measured else f"Complete.{ALL}", size=size)
    jacobian = slope is not None and slope.shape != tuple(model.thing(number).shape)  # then no sum was asked for
    cause = next((one for one in explanation.causes if not (jacobian and one.code == "SUMMED")), None)
    status = "stale" if explanation.status in ("complete", "untried") and cause and cause.code == "STALE" else explanation.status
    head = HEADS[status] + (f": {explanation.meaning}" if explanation.meaning else "")
    like = [one for one in explanation.causes if cause and one.code == cause.code]  # with the first of them goes the fix
    said = dict.fromkeys(sentence(one.sentence) for one in (like if status == "complete" else like[:1]))
    words = f" {' '.join(said)}" if said else ALL if status == "complete" else ""
    note = next(iter(explanation.notes), "")
    untold = not model.full or (len(reading.sources) > 1 and note.startswith("measured:"))  # by the numbers on arcs and in the head
    if note and (not cause or (status == "partial" and untold)):
        words = f"{words if cause else ''} {sentence(note)}"
    elif status == "none" and slope is not None:
        words = f" unconnected_gradients shows zeros in its place.{words}"
    return told(status, explanation.meaning, answer, f"{head}.{words}", cause, size, explanation.fixed)


def told(status, meaning, answer, say, cause=None, size="", fixed="") -> dict:
    code, change = (cause.code, fix(cause)) if cause else (None, None)
    return {
        "status": status, "meaning": meaning, "answer": answer, "say": say, "fix": change, "code": code,
        "size": answer if answer in ("None", "error") else size or answer, "fixed": visible_lines(fixed).splitlines(),
    }  # fmt: skip


def silence(tape, film) -> str:
    """The sentence for a tape of which no request and no answer is known."""
    if not tape.entered:
        return "This tape was never entered." if isinstance(tape, GradientTape) else "This log has heard of no tape."
    if tape.steps is None:
        return "This tape is used up, and no answer of it is known."
    raised = (f"{one.op} raised {one.event.error.rstrip()}" for one in film.frames if one.kind == "crash")
    return next(raised, "No gradient was computed.") if film.frames else "This tape is empty."


def sentence(text) -> str:
    """The text with a capital letter and a full stop; names and code at its beginning stay as they are."""
    if text.partition(" ")[0] in ("the", "this", "what", "a", "an", "no", "computed", "measured:"):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def fix(cause):
    """The text of a fix, and the code in it separately, if there is any."""
    code = cause.fix.partition(": ")[2]
    return {"text": cause.fix, "code": code if parsed((code,)) else None}
