"""What can have happened to a gradient: the codes with their pages, and a Cause with sentence and fix for one case."""

import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from ..tracing.log import EnteredEngine, Ran, Stored, Wrote
from ..tracing.source import called_text, expression_text, operator_name
from ..tracing.values import brief
from .fixes import assigned_value
from .search import number_of


@dataclass(frozen=True)
class Cause:
    """Why a gradient is as it is.

    Attributes:
        code: such as "LEFT_ENGINE"; `mg.explain.codes(code)` is its page.
        op: where it happened.
        line: the user's statement; empty if it is not known.
        sentence, fix: what happened, and what to write instead.
        confidence: "proved" (by the log), "tried" (by replays) or "likely".
        facts: what to show in place of the line, as pairs of a word and a text.
        later: further lines that belong to the fix.
    """

    code: str
    op: str
    line: str
    sentence: str
    fix: str
    confidence: str = "proved"
    facts: "tuple[tuple[str, str], ...]" = ()
    later: "tuple[str, ...]" = ()

    def to_dict(self) -> dict:
        """The same as plain data."""
        return {**vars(self), "facts": [list(fact) for fact in self.facts], "later": [*self.later]}


@dataclass(frozen=True)
class Code:
    """The page of one code: what it means, the smallest program that has it, and the same program fixed."""

    name: str
    meaning: str
    broken: str
    fixed: str
    cases: dict = field(repr=False)  # a case -> the sentence and the fix for it

    @classmethod
    def of(cls, page):
        """Read a page: the meaning; a program, of which lines with a minus are in the broken one alone and lines with a
        plus in the fixed one; then pairs of a sentence and a fix, before the sentence the name of the case."""
        name, meaning, *lines = page.splitlines()
        program = [line for line in lines if line[:2] in ("  ", "- ", "+ ")]
        broken, fixed = ("\n".join(line[2:] for line in program if line[0] != other) for other in "+-")
        says = lines[len(program) :]
        pairs = zip([one.partition("= ") for one in says[::2]], says[1::2])
        cases = {case: (sentence, fix.removeprefix("> ")) for (case, _, sentence), fix in pairs}
        return cls(name, meaning, broken, fixed, cases)

    def __str__(self):
        broken, fixed = (textwrap.indent(program, "    ") for program in (self.broken, self.fixed))
        return f"{self.name}\n  {self.meaning}\n\n  broken\n{broken}\n\n  fixed\n{fixed}"


PAGES = Path(__file__).with_name("pages.txt").read_text(encoding="utf-8")
CODES = {code.name: code for code in map(Code.of, PAGES.split("\n\n"))}


def codes(name: "str | None" = None):
    """The page of one code, or all of them by name.

    Args:
        name: such as "LEFT_ENGINE"; None for all.

    Returns:
        A Code, whose text is its page; or a dict of them.

    Raises:
        KeyError: there is no such code.

    >>> import minigrad as mg
    >>> print(mg.explain.codes("INTEGER"))
    INTEGER
      Derivatives flow along float and complex numbers alone. A Python int makes an int32 Tensor.
    <BLANKLINE>
      broken
        x = tf.Variable(10)
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)           # None
    <BLANKLINE>
      fixed
        x = tf.Variable(10.0)
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)           # 20.0
    """
    return dict(CODES) if name is None else CODES[name]


def cause(code, q, case="", *, op="", line="", sure="proved", facts=(), **words) -> Cause:
    """The Cause with this code.

    Args:
        code, case: which sentence and fix of its page.
        q: the Question that is being answered.
        op, line: where it happened.
        sure: how sure that is.
        facts: what to show in place of the line.
        **words: what stands in the sentence and the fix, besides the name of the source.
    """
    if q is not None:
        words = {"name": q.source_name, "target": q.target_name, **words}
    sentence, fix = (text.format(**{"op": op, **words}) for text in CODES[code].cases[case])
    fixed = q.lines.get(line) if q is not None else None
    return Cause(code, op, line, sentence, fix, sure, tuple(facts), fixed.later if fixed else ())


def cause_on(q, edge, op="") -> Cause:
    """The Cause for an edge along which the derivative was lost."""
    op, line = op or op_of(edge), edge.place.text
    words = dict(name=q.names.of(edge.start), what=to_move(q, edge))
    case, more = CASES[edge.code](q, edge, op, line) if edge.code in CASES else ("", {})
    return cause(edge.code, q, case, op=op, line=line, sure=edge.sure, **{**words, **more})


def op_of(edge) -> str:
    """What was used where the derivative was lost."""
    if edge.by is not None:
        return called_text(edge.by.place) or edge.by.exit
    event = edge.event
    return next((getattr(event, part) for part in ("how", "where", "name") if hasattr(event, part)), "gradient")


THIS = "this line"


def to_move(q, edge) -> str:
    """What is to be moved, for the tape to hear it: the line, or the call of a function apart from the tape's block."""
    code = edge.place.code
    blocks = {place.code for event in q.history.tape_events for place in (event.place, *event.place.callers)}
    return THIS if code in blocks or not blocks or code.co_name.startswith("<") else f"the call of {code.co_name}"


def fixed_or(q, line, words):
    """The fixed line, if there is one that was tried; else words."""
    return f": {q.lines[line].text}" if line in q.lines else words


# ---- which case of a code an edge is, and the words for it -----------------------------------------------------------


def left_engine(q, edge, op, line):
    who = receiver(edge, q)
    if edge.by is None:
        return "unseen", dict(receiver=who)
    if op.rpartition(".")[2] == "numpy_function":
        return "numpy", {}
    value = expression_text(edge.by.place) or f"{q.names.of(edge.start)} through {edge.by.exit}"
    number, given = number_given(edge), edge.by.given
    single = (given is not None and given.content.shape == ()) or (number and edge.by.exit != "numpy()")
    words = dict(value=shortened(value), kind="number" if single else "array", receiver=who)
    words["number"] = f"the number {number}" if number else "numbers"
    return "", dict(words, how=fixed_or(q, line, f" here, without {op}"))


def number_given(edge):
    """The plain number that came in; "" if it is not known or there were several."""
    event = edge.event
    numbers = [*event.numbers.values()] if isinstance(event, Ran) else [*event.value.sample] * (event.value.shape == ())
    return brief(*numbers) if len(numbers) == 1 else ""


HIDDEN = {"", "convert", "product"}  # functions of ours that no user calls


def receiver(edge, q):
    """Who was given the plain value."""
    event = edge.event
    if isinstance(event, Wrote) and event.called.startswith(("set_", "load_")):  # it gives values to several Variables
        return called_text(event.place) or event.called
    if isinstance(event, Wrote):
        return "a new Variable" if event.how == "Variable" else f"{q.names.of(edge.end)}.{event.how}"
    if isinstance(event, EnteredEngine) and (event.called.startswith("_") or event.called in HIDDEN):
        return called_text(event.place) or operator_name(event.place) or "the next op"
    return event.called if isinstance(event, EnteredEngine) else event.name


def shortened(text):
    return text if len(text) <= 60 else text[:56] + " ..."


def state(q, edge, op, line):
    if isinstance(edge.event, Stored):
        return "stored", {}
    variable, by = q.names.of(edge.end, "a Variable"), called_text(edge.place)
    by = by if by.rpartition(".")[2].startswith(("assign", "scatter")) else f"{variable}.{op}"
    value = assigned_value(edge.place) or q.names.of(edge.start)
    return "", dict(by=shortened(by), value=shortened(value), how=fixed_or(q, line, f" of {variable}"))


def outside_tape(q, edge, op, line):
    history, number = q.history, edge.event.number
    if number < history.opened:
        return "before", {}
    last = [e.what for e in history.tape_events if e.number < number][-1:]
    if last == ["opened"] or not (last or history.opened):
        return "silent", {}
    before = q.names.of(edge.start)
    ask = edge.end in [one.id for one in q.targets] and before != op
    return "", dict(instead=f", or ask for the gradient of {before}" if ask else "")


def no_derivative(q, edge, op, line):
    made = q.history.trace.made.get(number_of(edge.start))
    softmax = isinstance(made, Ran) and made.op.kernel in ("Softmax", "LogSoftmax")
    if softmax and op in ("argmax", "argmin", "one_hot"):
        return "", dict(instead=f"{q.names.of(edge.start)} itself, the smooth choice")
    return "", dict(instead=SMOOTH.get(op, "an op that has a slope"))


SMOOTH = {
    "argmax": "mg.nn.softmax, a smooth choice", "argmin": "mg.nn.softmax(-x), a smooth choice",
    "one_hot": "mg.nn.softmax, a smooth choice", "floordiv": "/ instead of //",
    "round": "mg.grad_pass_through(mg.round)", "floor": "mg.grad_pass_through(mg.floor)",
    "ceil": "mg.grad_pass_through(mg.math.ceil)", "rint": "mg.grad_pass_through(mg.math.rint)",
    **dict.fromkeys(("greater", "greater_equal"), "mg.sigmoid(k * (x - y)), a smooth step"),
    **dict.fromkeys(("less", "less_equal"), "mg.sigmoid(k * (y - x)), a smooth step"),
    **dict.fromkeys(("equal", "not_equal"), "a smooth loss, such as a cross-entropy"),
    "count_nonzero": "mg.reduce_sum of a smooth step",
}  # fmt: skip


def unwatched(q, edge=None, op="", line=""):
    name = q.source_name
    if hasattr(q.source, "trainable"):
        return "unasked" if q.source.trainable else "frozen", {}
    what = line if edge is None or to_move(q, edge) == THIS else to_move(q, edge)
    watches = [e.number for e in q.history.watches if e.source == q.source.id] if edge is not None else []
    later = any(number > edge.event.number for number in watches)
    where = f" above {what}" if what else " inside the block, before its first use"
    return "later" if later else "", dict(name=name, what=what, where=where)


def integer(q, edge, op, line):
    kind, name = edge.event.kinds[[*edge.event.inputs].index(number_of(edge.start))], q.names.of(edge.start)
    if kind in "fc":
        return "truths" if op == "multiply" else "cast", {}
    kind = {"b": "bool", "O": "string"}.get(kind, "an integer")
    return integers(kind), dict(name=name, kind=kind)


def integers(kind) -> str:
    """The case for a value of a dtype along which no gradient flows."""
    return kind if kind in ("bool", "string") else ""


def stopped(q, edge, op, line):
    if edge.event.op.kernel == "CustomGradient":
        captured = number_of(edge.start) not in edge.event.inputs
        return "captured" if captured else "custom", dict(by=called_text(edge.place) or op)
    reset = "reset" if edge.event.number <= q.history.forgot else ""
    return "stop_gradient" if op == "stop_gradient" else reset, {}


def only_decides(q, edge, op, line):
    return "where" if op == "where" else "", dict(name=q.source_name)


CASES = {
    "LEFT_ENGINE": left_engine, "STATE": state, "OUTSIDE_TAPE": outside_tape, "NO_DERIVATIVE": no_derivative,
    "UNWATCHED": unwatched, "INTEGER": integer, "STOPPED": stopped,
    "SPENT_TAPE": lambda q, edge, op, line: ("op", {}), "ONLY_DECIDES": only_decides,
    "NOT_REGISTERED": lambda q, edge, op, line: ("", dict(kernel=edge.event.op.kernel)),
}  # fmt: skip
