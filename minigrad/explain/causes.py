"""The causes of a missing or wrong gradient: codes with their pages, and a Cause with sentence and fix for one case."""

import ast
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import visible
from ..tracing.log import EnteredEngine, Ran, Stored, Wrote
from ..tracing.source import called_text, expression_text, is_tested, node_at, operator_name, statement_at
from ..tracing.values import brief
from .fixes import NEEDLESS, assigned_value, ours, root_of
from .names import ENTRANCES
from .search import number_of


@dataclass(frozen=True)
class Cause:
    """Why a gradient is None, wrong or surprising.

    Attributes:
        code: a code such as "LEFT_ENGINE"; `mg.explain.codes(code)` returns its page.
        op: the op or call where it happened.
        line: the user's statement; empty if unknown.
        sentence, fix: what happened, and what to write instead.
        confidence: "proved" (by the log), "tried" (by replays) or "likely".
        facts: (label, text) pairs to show in place of the line.
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


@dataclass(frozen=True)
class Code:
    """The page of one code: its meaning, a minimal program that shows it, and the same program fixed."""

    name: str
    meaning: str
    broken: str
    fixed: str
    cases: dict = field(repr=False)  # case -> its sentence and fix
    instead: dict = field(repr=False)  # op -> what to write instead
    unrecorded: tuple = field(repr=False)  # the name, and why a tape did not record an op: a few words, a sentence

    @classmethod
    def of(cls, page):
        """Parse a page: the name, and why a tape did not record an op; the meaning; a program, whose lines with a minus
        are only in the broken version and those with a plus only in the fixed one; pairs of a sentence, after the name
        of its case, and a fix; and what to write instead of some ops."""
        first, meaning, *lines = page.splitlines()
        name, _, unrecorded = first.partition(" ")
        program = [line for line in lines if line[:2] in ("  ", "- ", "+ ")]
        broken, fixed = ("\n".join(line[2:] for line in program if line[0] != other) for other in "+-")
        advice = [line[2:].partition(": ") for line in lines if line.startswith("~ ")]
        says = lines[len(program) : len(lines) - len(advice)]
        pairs = zip([one.partition("= ") for one in says[::2]], says[1::2])
        cases = {case: (sentence, fix.removeprefix("> ")) for (case, _, sentence), fix in pairs}
        instead = {op: text for ops, _, text in advice for op in ops.split()}
        return cls(name, meaning, broken, fixed, cases, instead, (name, *unrecorded.split(": ")))

    def __str__(self):
        broken, fixed = (textwrap.indent(program, "    ") for program in (self.broken, self.fixed))
        return f"{self.name}\n  {self.meaning}\n\n  broken\n{broken}\n\n  fixed\n{fixed}"


PAGES = Path(__file__).with_name("pages.txt").read_text(encoding="utf-8")
CODES = {code.name: code for code in map(Code.of, PAGES.split("\n\n"))}


def codes(name: "str | None" = None):
    """Return the page of one code, or a dict of all pages by name.

    Args:
        name: a code such as "LEFT_ENGINE"; None for all.

    Returns:
        A Code, which prints as its page, or a dict of all Codes by name.

    Raises:
        KeyError: there is no such code.

    >>> import minigrad as mg
    >>> print(mg.explain.codes("INTEGER").fixed)
    x = tf.Variable(10.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)           # 20.0
    """
    if name is not None and name not in CODES:
        raise KeyError(f"{visible(name)} is none of {', '.join(CODES)}")
    return dict(CODES) if name is None else CODES[name]


def cause(code, q, case="", *, op="", line="", sure="proved", facts=(), **words) -> Cause:
    """Make the Cause with this code.

    Args:
        code, case: select the sentence and the fix from the code's page.
        q: the Question being answered.
        op, line: where it happened.
        sure: the confidence.
        facts: (label, text) pairs to show in place of the line.
        **words: values for the placeholders in the sentence and the fix, besides the names of source and target.
    """
    if q is not None:
        words = {"name": q.source_name, "target": q.target_name, **words}
    sentence, fix = (text.format(**{"op": op, **words}) for text in CODES[code].cases[case])
    fixed = q.lines.get(line) if q is not None else None
    return Cause(code, op, line, sentence, fix, sure, tuple(facts), fixed.later if fixed else ())


def cause_on(q, edge) -> Cause:
    """The Cause for an edge along which the derivative was lost."""
    op, line = op_of(edge), edge.place.text
    together = [one.start for one in q.history.into(edge.end) if one.by and one.place == edge.place] if edge.by else ()
    names = dict.fromkeys(value_name(q, one) for one in (edge.start, *together))
    kept = "a tensor" if len(names) == 1 else "tensors"
    words = dict(op=op, line=line, name=" and ".join([*names][:3]), kept=kept, what=to_move(q, edge.place))
    case, more = CASES[edge.code](q, edge, op, line) if edge.code in CASES else ("", {})
    return cause(edge.code, q, case, sure=edge.sure, **{**words, **more})


def value_name(q, node) -> str:
    """The name of a value, or what it is the result of."""
    name, maker = q.names.of(node), q.history.maker(node)
    return f"the result of {name}" if isinstance(maker, Ran) and name == maker.name else name


NAMED_BY = {Ran: "name", Wrote: "how", Stored: "where"}  # an event -> its field with the name of the op or call


def op_of(edge) -> str:
    """The name of the op or call where the derivative was lost."""
    return op_of_event(edge.event) if edge.by is None else op_of_exit(edge.by)


def op_of_event(event) -> str:
    """The name of the op or call that an event is about."""
    return getattr(event, NAMED_BY.get(type(event), ""), "gradient")


def op_of_exit(exit) -> str:
    """The call by which a value left."""
    return called_text(exit.place) or exit.exit


THIS = "this line"


def to_move(q, place) -> str:
    """What to move so that the tape hears it: this line, or the call of the function that the line is in."""
    blocks = {one.code for event in q.history.tape_events for one in (event.place, *event.place.callers)}
    beside = place.code in blocks or not blocks or place.code.co_name.startswith("<")
    return THIS if beside else f"the call of {place.code.co_name}"


def named_to_move(q, place) -> str:
    """The same, with the line itself."""
    what = to_move(q, place)
    return place.text if what == THIS else what


def fixed_or(q, line, words):
    """The fixed line if a trial confirmed one; otherwise `words`."""
    if line not in q.lines:
        return words
    return f": {q.lines[line].text}" if q.lines[line].text != NEEDLESS else ": leave this line out"


# ---- the case of a code that fits an edge, and its words -------------------------------------------------------------


COLLECTIONS = ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
WITH_OPS = "write it with ops, which take and give Tensors"


def left_engine(q, edge, op, line):
    who = receiver(edge, q)
    taken = dict(receiver=who, how=fixed_or(q, line, ": write this with ops that take it as one"))
    if edge.by is None:
        hidden = isinstance(edge.event, Ran) and not q.experiment.moved_in(edge.event).keys() & {"inputs", "number"}
        return ("taken", taken) if hidden else ("unseen", dict(receiver=who))
    last = op.rpartition(".")[2]
    if last == "numpy_function":
        return "numpy", {}
    node, maker = node_at(edge.by.place)[1], q.history.maker(edge.start)
    if isinstance(node, ast.Call) and root_of(node.func) == ours(q.names.globals_of(edge.by.code)):
        return "taken", {**taken, "receiver": op}
    if isinstance(node, ast.Call) and maker is not None and node_at(maker.place)[1] is node:
        instead = CODES["LEFT_ENGINE"].instead.get(last)
        return "inside", dict(advice=f"use {instead} in place of {op}" if instead else WITH_OPS)
    if isinstance(node, COLLECTIONS):
        return "inside", dict(op=shortened(expression_text(edge.by.place)), advice=WITH_OPS)
    if is_tested(edge.by):
        return "decides", dict(value=shortened(expression_text(edge.by.place)) or "a truth value", receiver=who)
    value = expression_text(edge.by.place) or f"{q.names.of(edge.start)} through {edge.by.exit}"
    event, given = edge.event, edge.by.given
    numbers = [*event.numbers.values()] if isinstance(event, Ran) else [*event.value.sample] * (event.value.shape == ())
    number = brief(*numbers) if len(numbers) == 1 else ""
    own = last == edge.by.exit.removesuffix("()")
    alone = given is not None and given.content.shape == () and own
    single = alone or (number and edge.by.exit != "numpy()")
    kind = "number" if single else "array"
    apart = statement_at(edge.by.place)[1] is not statement_at(event.place)[1]
    kind = "value" if apart and not own else kind  # what the call gave may be a tuple of arrays, or bytes
    words = dict(value=shortened(value), kind=kind, receiver=who)
    words["number"] = f"{name_given(event)} {number}" if number else "numbers"
    return "", dict(words, how=fixed_or(q, line, how_to_keep(edge.by.place, op)))


def name_given(event):
    """What stands before a number that came in: its name, if it has one."""
    call = node_at(event.place)[1] if event.called in ENTRANCES else None
    named = isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Name)
    return f"{call.args[0].id} =" if named else "the number"


def how_to_keep(place, op):
    """Words on how to keep a tensor that left at this place, where no line is known."""
    module, node = node_at(place)
    method = module.parent.get(node) if module is not None else None
    if isinstance(method, ast.Attribute):
        return f" here, with mg's functions in place of {shortened(ast.unparse(method))}"
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return " in a list, and stack that"
    return f" here, without {op}" if isinstance(node, ast.Call) else " here"


def receiver(edge, q):
    """The name of the op, function or Variable that received the plain value."""
    event, called = edge.event, edge.event.called
    if isinstance(event, Ran):
        return event.name
    if isinstance(event, Wrote) and not called.startswith(("set_", "load_")):  # these assign several Variables
        return "a new Variable" if event.how == "Variable" else f"{q.names.of(edge.end)}.{event.how}"
    inner = called in ("", "convert", "product") or called.startswith("_")  # not called by users
    if not inner and isinstance(event, EnteredEngine):
        return called
    return called_text(event.place) or operator_name(event.place) or "the next op"


def shortened(text):
    return text if len(text) <= 60 else text[:56] + " ..."


def state(q, edge, op, line):
    if isinstance(edge.event, Stored):
        return "stored", {}
    variable, by = q.names.of(edge.end, "a Variable"), called_text(edge.place)
    by = by if by.rpartition(".")[2].startswith(("assign", "scatter")) else f"{variable}.{op}"
    made = q.history.maker(edge.start)
    inside = edge.sure == "tried" or (isinstance(made, Ran) and made.place[:2] == edge.place[:2])
    value = assigned_value(edge.place) or ("what it computed" if inside else value_name(q, edge.start))
    return "", dict(by=shortened(by), value=shortened(value), how=fixed_or(q, line, f" of {variable}"))


def outside_tape(q, edge, op, line):
    history, number, before = q.history, edge.event.number, q.names.of(edge.start)
    if number < history.opened:
        return "before", {}
    if edge.sure == "tried":
        return "unheard", dict(op=edge.event.name)
    last = [e for e in history.tape_events if e.number < number][-1:]
    if [e.what for e in last] in (["opened"], ["resumed"]) or not (last or history.opened):
        return "silent", {}
    since = last[0].number if last else history.opened
    led = [event for node in history.nodes(q.targets) for event in history.before(history.maker(node))]
    first = min([e for e in led if e.number > since], key=lambda e: e.number, default=edge.event)
    if named_to_move(q, first.place) != named_to_move(q, edge.place):
        around = first.place, *first.place.callers
        place = next((one for one in around if to_move(q, one) == THIS), first.place)
        what = f"the lines from `{shortened(place.text)}` on"
        return "", dict(op=getattr(first, "name", first.called), line=place.text, what=what, instead="")
    ask = edge.end in [one.id for one in q.targets] and before not in (op, q.source_name, q.target_name)
    return "", dict(instead=f", or ask for the gradient of {before}" if ask else "")


def unwatched(q, edge=None, op="", line=""):
    name = q.source_name
    if hasattr(q.source, "trainable"):
        return "unasked" if q.source.trainable else "frozen", {}
    what = named_to_move(q, edge.place) if edge is not None else line
    watches = [e.number for e in q.history.watches if e.source == q.source.id] if edge is not None else []
    later = any(number > edge.event.number for number in watches)
    where = f" above {what}" if what else " inside the block, before its first use"
    return "later" if later else "", dict(name=name, what=what, where=where)


def integer(q, edge, op, line):
    kind, name = edge.event.kinds[[*edge.event.inputs].index(number_of(edge.start))], q.names.of(edge.start)
    if kind in "fc":
        return "truths" if op == "multiply" else "cast", {}
    kind = {"b": "bool", "O": "string"}.get(kind, "an integer")
    return "" if kind == "an integer" else "other", dict(name=name, kind=kind)


def stopped(q, edge, op, line):
    if edge.event.op.kernel == "CustomGradient":
        captured = number_of(edge.start) not in edge.event.inputs
        return "captured" if captured else "custom", dict(by=called_text(edge.place) or op)
    reset = "reset" if edge.event.number <= q.history.forgot else ""
    return "stop_gradient" if op == "stop_gradient" else reset, {}


def no_derivative(q, edge, op, line):
    if edge.sure == "tried":
        return "smooth", {}
    instead = CODES["NO_DERIVATIVE"].instead.get(op, "an op that has a slope")
    return "", dict(instead=instead.format(difference=difference_in(node_at(edge.place)[1], op)))


def difference_in(node, op) -> str:
    """The difference that is positive where a comparison holds, in the user's words if both sides are found."""
    less, sides = op.startswith("less"), node.args if isinstance(node, ast.Call) else ()
    if isinstance(node, ast.Compare):
        less, sides = isinstance(node.ops[0], (ast.Lt, ast.LtE)), [node.left, *node.comparators]
    if len(sides) != 2:
        return "y - x" if less else "x - y"
    return ast.unparse(ast.BinOp(sides[less], ast.Sub(), sides[not less]))


CASES = {
    "LEFT_ENGINE": left_engine, "STATE": state, "OUTSIDE_TAPE": outside_tape, "UNWATCHED": unwatched,
    "INTEGER": integer, "STOPPED": stopped, "NO_DERIVATIVE": no_derivative,
    "SPENT_TAPE": lambda q, edge, op, line: ("op", {}),
    "ONLY_DECIDES": lambda q, edge, op, line: ("where" if op == "where" else "", dict(name=q.source_name)),
    "NOT_REGISTERED": lambda q, edge, op, line: ("", dict(kernel=edge.event.op.kernel)),
}  # fmt: skip
