"""What can have happened to a gradient. Here stands all that belongs to one cause: its code, what it means, the smallest
program that has it, the same program fixed (both in TensorFlow's words), and the sentence and the fix that `explain` prints.
"""

import textwrap
from dataclasses import dataclass
from typing import Any

from ..tracing.log import EnteredEngine, Ran, Stored, Wrote
from ..tracing.source import called_text, expression_text, operator_name
from ..tracing.values import brief
from .calling import gives_number, inside_where
from .fixes import NEW, Line, NoLine, safe_where, stateless
from .search import number_of


@dataclass(frozen=True)
class Cause:
    """Why a gradient is as it is.

    Attributes:
        code: such as "LEFT_ENGINE"; `mg.explain.codes(code)` is its page.
        op: where it happened.
        line: the user's statement; empty if it is not known.
        sentence, fix: what happened, and what to write instead.
        confidence: "proved" or "likely".
        facts: what to show in place of the line, as pairs of a word and a text.
    """

    code: str
    op: str
    line: str
    sentence: str
    fix: str
    confidence: str = "proved"
    facts: "tuple[tuple[str, str], ...]" = ()

    def to_dict(self) -> dict:
        """The same as plain data."""
        return {**vars(self), "facts": [list(fact) for fact in self.facts]}


@dataclass(frozen=True)
class Code:
    """The page of one code: what it means, the smallest program that has it, and the same program fixed."""

    name: str
    meaning: str
    broken: str
    fixed: str
    tell: Any

    def __str__(self):
        broken, fixed = (textwrap.indent(program, "    ") for program in (self.broken, self.fixed))
        return f"{self.name}\n  {self.meaning}\n\n  broken\n{broken}\n\n  fixed\n{fixed}"


CODES = {}  # by name


def code(name, meaning, broken, fixed):
    """Decorate the function that tells the sentence and the fix of a code."""

    def keep(tell):
        CODES[name] = Code(name, meaning, broken.strip("\n"), fixed.strip("\n"), tell)
        return tell

    return keep


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


def cause(code, q, edge=None, *, op=None, line=None, sure="proved", **facts) -> Cause:
    """The Cause with this code.

    Args:
        code: its name.
        q: the Question that is being answered.
        edge: where the derivative was lost, if it is on an edge.
        op, line: where it happened, if not there.
        sure: how sure that is.
        **facts: what the function of the code wants to know besides.
    """
    if edge is not None:
        op, line, sure = op or op_of(edge), edge.place.text if line is None else line, edge.sure
    sentence, fix, *shown = CODES[code].tell(q, edge, op=op or "", line=line or "", **facts)
    return Cause(code, op or "", line or "", sentence, fix, "proved" if sure == "proved" else "likely", tuple(*shown))


def op_of(edge) -> str:
    """What was used where the derivative was lost."""
    event = edge.event
    if edge.by is not None:
        return called_text(edge.by.place) or edge.by.exit
    return (
        event.how
        if isinstance(event, Wrote)
        else event.where
        if isinstance(event, Stored)
        else event.name
        if isinstance(event, Ran)
        else "gradient"
    )


THIS = "this line"


def to_move(q, edge) -> str:
    """What is to be moved, for the tape to hear it: the line, or the call of a function that stands apart from the tape's block."""
    code = edge.place.code
    blocks = {place.code for turn in q.history.turns for place in (turn.place, *turn.place.callers)}
    return THIS if code in blocks or not blocks or code.co_name.startswith("<") else f"the call of {code.co_name}"


# ---- values that went out of the engine's sight --------------------------------------------------------------------------


@code(
    "LEFT_ENGINE",
    "A value left for Python or NumPy and came back as a plain number: the tape sees the number, not where it came from.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x.numpy()
tape.gradient(y, x)           # 3.0, half of the truth
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
def left_engine(q, edge, op, line):
    name, plain = q.names.of(edge.start), expression_text(edge.by.place) or f"{q.names.of(edge.start)} through {edge.by.exit}"
    came = isinstance(edge.event, Ran) or (isinstance(edge.event, (EnteredEngine, Wrote)) and edge.event.value.shape == ())
    short = gives_number(edge.by, came)
    kind = "number" if short or (edge.by.given is not None and edge.by.given.content.shape == ()) else "array"
    number = number_given(edge) if short or (kind == "number" and plain.startswith(f"{name}.")) else ""
    value = f"the number {number}" if number else "numbers"
    sentence = f"{shortened(plain)} is a plain {kind}; {receiver(edge, q)} was given {value}, not {name}"
    function = op.rpartition(".")[2]
    if function == "numpy_function":
        fix = "write it with mg's own functions, or give it a rule by mg.custom_gradient"
        return f"{op} works in NumPy, where no tape follows {name}", fix
    if function == "predict":
        return sentence, f"call the model itself: {line.replace('.predict(', '(')}"
    at = edge.by.code, edge.by.instruction
    if at not in q.lines:
        q.lines[at] = fixed_line(q, edge.by)
    lead, text = q.lines[at]
    if not text:
        return sentence, lead or f"keep {name} a tensor here, without {op}"
    return sentence, f"{lead or f'keep {name} a tensor'}: {text}"


def fixed_line(q, exit):
    """What to do, in words, and the line; without a line the words alone."""
    line = Line(q.history.returns, exit, q.names)
    try:
        text = line.text()
    except NoLine as words:
        return str(words), ""
    return line.lead, text


def number_given(edge):
    """The plain number that came in where this one had left, perhaps computed further; "" if there were several."""
    event, left = edge.event, str(edge.by.given.content) if edge.by.given is not None else ""
    numbers = [brief(one) for one in (event.numbers.values() if isinstance(event, Ran) else event.value.sample)]
    return left if left in numbers else numbers[0] if len(numbers) == 1 else ""


def receiver(edge, q):
    """Who was given the plain value."""
    event = edge.event
    if isinstance(event, Wrote) and event.called.startswith(("set_", "load_")):  # it gives values to several Variables
        return called_text(event.place) or event.called
    if isinstance(event, Wrote):
        return "a new Variable" if event.how == "Variable" else f"{q.names.of(edge.end)}.{event.how}"
    if isinstance(event, EnteredEngine):
        hidden = event.called.startswith("_") or event.called in HIDDEN
        return called_text(event.place) or operator_name(event.place) or "the next op" if hidden else event.called
    return event.name


HIDDEN = {"", "convert", "product"}  # functions of ours that no user calls


def shortened(text):
    return text if len(text) <= 60 else text[:56] + " ..."


@code(
    "STATE",
    "A value was written into a Variable (or a dataset, or a queue) and read again: state has a value, and no history.",
    """
x = tf.Variable(3.0)
total = tf.Variable(0.0)
with tf.GradientTape() as tape:
    total.assign_add(x)
    y = total * total
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(3.0)
total = tf.Variable(0.0)
with tf.GradientTape() as tape:
    new_total = total + x
    y = new_total * new_total
tape.gradient(y, x)           # 6.0
""",
)
def state(q, edge, op, line):
    name = q.names.of(edge.start)
    if isinstance(edge.event, Stored):
        return f"{name} went through a {op}: what comes out has the value, and not where it came from", f"compute with {name} itself"
    state = q.names.of(edge.end, "a Variable")
    if edge.place not in q.lines:
        q.lines[edge.place] = stateless(edge.place, op == "slice assign")
    value, text = q.lines[edge.place]
    by = called_text(edge.place)
    by = by if by.rpartition(".")[2].startswith(("assign", "scatter")) else f"{state}.{op}"
    sentence = f"{shortened(by)} wrote {shortened(value or name)} into a Variable, which keeps the value and not where it came from"
    return sentence, f"{NEW}: {text}" if text else f"{NEW} of {state}"


@code(
    "OUTSIDE_TAPE",
    "An op on the way ran before the tape was opened, after it was closed, or where no tape hears it. A tape records its own block.",
    """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
loss = tf.reduce_sum(y)
tape.gradient(loss, x)        # None
""",
    """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
    loss = tf.reduce_sum(y)
tape.gradient(loss, x)        # [2. 4.]
""",
)
def outside_tape(q, edge, op, line, never=False, unknown=False, apart=False):
    if never:
        return "this tape was never entered, so it has recorded nothing", "compute inside `with mg.GradientTape() as tape:`"
    if unknown and q.history is not None and q.history.trace.left_out:
        return "the film leaves out how the target was made", "ask tape.explain, which reads all of the log"
    if unknown and q.history is not None and q.history.trace.cut:
        return (
            "the log was full, and has forgotten how the target was made",
            f"keep more events: mg.trace(limit={2 * q.history.trace.limit}), or more",
        )
    if unknown:
        return (
            "the log does not know how the target was made: before the trace began, in another thread, or out of thin air",
            "switch the trace on before the forward pass, and compute the target inside the block",
        )  # fmt: skip
    if apart:
        return (
            "the target was not computed, on this tape, from anything that it watches",
            "compute it inside the block, with mg's own functions",
        )
    if edge is None:
        return (
            "the target was computed after the tape's block had ended, so the tape has not recorded it",
            "indent that line into the `with` block",
        )
    history = q.history
    if history.opened and edge.event.number < history.opened:
        return f"{op} ran before the tape's block began, so the tape has not recorded it", f"move {to_move(q, edge)} into the `with` block"
    turns = [e.what for e in history.turns if e.number < edge.event.number]
    if turns[-1:] == ["opened"]:
        return (
            f"{op} ran where no tape hears it, as in a function given to a Dataset or to mg.Variable",
            f"call {op} in the `with` block itself, on tensors",
        )
    if not turns and not history.opened:
        return f"{op} ran outside this tape's block, or where no tape hears it", "compute it in the `with` block"
    before = q.names.of(edge.start)
    instead = f", or ask for the gradient of {before}" if edge.end in [one.id for one in q.targets] and before != op else ""
    return (
        f"{op} ran after the tape's block had ended, so the tape has not recorded it",
        f"indent {to_move(q, edge)} into the `with` block{instead}",
    )


@code(
    "NO_DERIVATIVE",
    "An op on the way is flat with jumps (argmax, round, a comparison): no derivative of it is of use.",
    """
x = tf.Variable([1.0, 3.0])
with tf.GradientTape() as tape:
    y = tf.round(x * 0.4)
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable([1.0, 3.0])
with tf.GradientTape() as tape:
    y = x * 0.4
tape.gradient(y, x)           # [0.4 0.4]
""",
)
def no_derivative(q, edge, op, line):
    made = q.history.trace.made.get(number_of(edge.start)) if edge is not None else None
    soft = op in ("argmax", "argmin", "one_hot") and isinstance(made, Ran) and made.op.kernel in ("Softmax", "LogSoftmax")
    instead = f"{q.names.of(edge.start)} itself, the smooth choice" if soft else SMOOTH.get(op, "an op that has a slope")
    return f"{op} is flat with jumps: its derivative is 0 or does not exist", f"use {instead}"


SMOOTH = {
    "argmax": "mg.nn.softmax, a smooth choice", "argmin": "mg.nn.softmax(-x), a smooth choice", "one_hot": "mg.nn.softmax, a smooth choice",
    "round": "mg.grad_pass_through(mg.round)", "floor": "mg.grad_pass_through(mg.floor)", "ceil": "mg.grad_pass_through(mg.math.ceil)",
    "rint": "mg.grad_pass_through(mg.math.rint)", "floordiv": "/ instead of //",
    "greater": "mg.sigmoid(k * (x - y)), a smooth step", "greater_equal": "mg.sigmoid(k * (x - y)), a smooth step",
    "less": "mg.sigmoid(k * (y - x)), a smooth step", "less_equal": "mg.sigmoid(k * (y - x)), a smooth step",
    "equal": "a smooth loss, such as a cross-entropy", "not_equal": "a smooth loss, such as a cross-entropy",
    "count_nonzero": "mg.reduce_sum of a smooth step",
}  # fmt: skip


@code(
    "UNUSED",
    "The target does not depend on the source: it was not read, or only for something else. The true derivative is 0.",
    """
x = tf.Variable(2.0)
w = tf.Variable(5.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, w)           # None
""",
    """
x = tf.Variable(2.0)
w = tf.Variable(5.0)
with tf.GradientTape() as tape:
    y = w * x * x
tape.gradient(y, w)           # 4.0
""",
)
def unused(q, edge, op, line, left=False):
    name = q.source_name
    if left:
        return (
            f"nothing was seen to lead from {name} to the target; but it left through {op} here, and may have come back unseen",
            f"leave this source out, or, if the target needs it, keep {name} a tensor here",
        )
    if op:
        return f"{name} is used here, and nothing that leads to the target uses the result", "use the result, or leave this source out"
    if q.history is None:
        return f"{name} was not used in what this tape recorded of the target", "use it, or leave this source out"
    if q.history.trace.left_out:
        return f"{name} was not used in what the film shows of the target", "ask tape.explain, which reads all of the log"
    if q.history.trace.cut:
        return f"{name} was not used in what the log still knows of the target", "keep more events: mg.trace(limit=...); or use it"
    if not q.history.opened:
        return f"{name} was not used in what the log knows of the target", "begin the trace before the tape; or use it"
    return f"{name} was never used in the computation of the target", "use it, or leave this source out"


@code(
    "UNWATCHED",
    "The source is no trainable Variable, and the tape was not told to watch it, or only after its first use.",
    """
side = tf.constant(2.5)
with tf.GradientTape() as tape:
    area = side**2
tape.gradient(area, side)     # None
""",
    """
side = tf.constant(2.5)
with tf.GradientTape() as tape:
    tape.watch(side)
    area = side**2
tape.gradient(area, side)     # 5.0
""",
)
def unwatched(q, edge, op, line):
    name = q.source_name
    if hasattr(q.source, "trainable"):
        why = (
            "this tape does not watch Variables by itself"
            if q.source.trainable
            else f"{name} is not trainable, and tapes do not watch such Variables by themselves"
        )
        return why, f"call tape.watch({name}) inside the block, before its first use"
    later = edge is not None and any(e.source == q.source.id and e.number > edge.event.number for e in q.history.watches)
    line = line if edge is None or to_move(q, edge) == THIS else to_move(q, edge)
    if later:
        return f"{name} was first used here, and watched later", f"move tape.watch({name}) above {line}"
    where = f" above {line}" if line else " inside the block, before its first use"
    return f"{name} is a Tensor that this tape was not told to watch", f"add tape.watch({name}){where}"


@code(
    "INTEGER",
    "Derivatives flow along float and complex numbers alone. A Python int makes an int32 Tensor.",
    """
x = tf.Variable(10)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(10.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 20.0
""",
)
def integer(q, edge, op, line, name=None, kind=None):
    if edge is not None and edge.event.kinds[list(edge.event.inputs).index(number_of(edge.start))] in "fc":
        if op == "multiply":
            one = q.names.of(edge.start)
            return (
                f"multiply met truth values, made integers of {one} too, and no gradient flows along integers",
                f"make floats of the truth values first: mg.cast(..., {one}.dtype)",
            )
        return (
            f"{op} made integers of {q.names.of(edge.start)} here, and no gradient flows along integers",
            "stay with floats: leave out this cast",
        )
    name = name or q.names.of(edge.start)
    kind = kind or q.kind_name(edge)
    floats = {"bool": "use floats: 1.0 and 0.0", "string": "use floats"}.get(kind, "make it a float from the start: write 10.0, not 10")
    return f"{name} is {kind}, and no gradient flows along {'integers' if 'int' in kind else f'{kind}s'}", floats


@code(
    "REBOUND",
    "The name of the source points to a new Tensor, computed from the Variable that it once was.",
    """
x = tf.Variable(2.0)
x = x + 1.0
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(2.0)
x.assign_add(1.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
def rebound(q, edge, op, line, copy=False, younger=False, unused=False, origin=""):
    name = q.source_name
    if younger:
        return f"{name} is a new Tensor, made after the target", "ask for what the target was computed from"
    if unused and origin != name:
        return (
            f"this {name} is the result of {op} on this line, and the target was not computed from it",
            f"ask for {origin or 'what it was computed from'} itself",
        )
    if copy:
        return (
            f"this {name} is made here, and it is not the {name} that the target was computed from",
            f"make {name} once, before the tape, and keep it",
        )
    assign = "assign_sub" if op == "subtract" else "assign_add"
    return (
        f"this {name} is the result of {op} on this line, not the Variable itself",
        f"change the Variable in place, as in {name}.{assign}(...), "
        + ("or ask for the Variable itself" if unused else f"ask for the Variable itself, or call tape.watch({name})"),
    )


@code(
    "REBUILT",
    "A new Variable was made from a Tensor. It starts with the value, and without the history.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    v = tf.Variable(x * x)
    y = v * 2.0
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    v = x * x
    y = v * 2.0
tape.gradient(y, x)           # 12.0
""",
)
def rebuilt(q, edge, op, line):
    name = q.names.of(edge.start)
    return (
        f"a new Variable was made from {name}: it has the value, and not where it came from",
        f"use {name} itself, without mg.Variable(...)",
    )


@code(
    "OTHER_TAPE",
    "The op was recorded by another tape than the one that was asked.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as first:
    y = x * x
with tf.GradientTape() as second:
    z = x * 2.0
second.gradient(y, x)         # None
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as first:
    y = x * x
first.gradient(y, x)          # 6.0
""",
)
def other_tape(q, edge, op, line, read=False):
    if read:
        return (
            f"{q.source_name} was read while another tape was open, and this one was not: here {op} works with the value alone",
            "open this tape first, around the other one",
        )
    return (
        f"{op} was recorded by another tape, not by the one that was asked",
        "ask the tape that was open on this line, or compute it inside this tape's block",
    )


@code(
    "FIRST_ORDER_ONLY",
    "The first derivative was computed while this tape was not recording (or it does not depend on the source any more).",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
slope = inner.gradient(y, x)
outer.gradient(slope, x)      # None
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)
outer.gradient(slope, x)      # 18.0
""",
)
def first_order_only(q, edge, op, line, linear=False):
    if linear:
        return (
            f"the first derivative does not depend on {q.source_name}: the function is linear in it",
            "nothing: the second derivative is 0",
        )
    return (
        "the first gradient was computed while this tape was not recording",
        "move the inner gradient(...) into the `with` block of this tape",
    )


@code(
    "SPENT_TAPE",
    "The tape was asked before, and used up. A tape answers once, unless it is persistent.",
    """
side = tf.Variable(2.5)
with tf.GradientTape() as tape:
    border, area = 4.0 * side, side**2
tape.gradient(border, side)   # 4.0
tape.gradient(area, side)     # RuntimeError
""",
    """
side = tf.Variable(2.5)
with tf.GradientTape(persistent=True) as tape:
    border, area = 4.0 * side, side**2
tape.gradient(border, side)   # 4.0
tape.gradient(area, side)     # 5.0
""",
)
def spent_tape(q, edge, op, line):
    if edge is not None:
        return (
            f"{op} is not on the tape: a gradient was asked for, and that used the tape up",
            "ask once, after the block, or use mg.GradientTape(persistent=True)",
        )
    return (
        "the tape was asked before, and that used it up",
        "ask once for all: tape.gradient(y, [a, b]); or use mg.GradientTape(persistent=True)",
    )


@code(
    "NOT_REGISTERED",
    "An op on the way could have a derivative, and nobody has written it: tape.gradient raises a LookupError.",
    """
image = tf.Variable([[[0.5, 0.0, 0.0]]])
with tf.GradientTape() as tape:
    y = tf.image.adjust_contrast(image, 0.1)
tape.gradient(y, image)       # LookupError
""",
    """
image = tf.Variable([[[0.5, 0.0, 0.0]]])
with tf.GradientTape() as tape:
    mean = tf.reduce_mean(image, axis=[0, 1], keepdims=True)
    y = (image - mean) * 0.1 + mean
tape.gradient(y, image)       # [[[1. 1. 1.]]]
""",
)
def not_registered(q, edge, op, line, kernel=None):
    kernel = kernel or edge.event.op.kernel
    return (
        f"{op} has no gradient registered: tape.gradient raises LookupError",
        f"register one with @mg.RegisterGradient({kernel!r}), or write it with other ops",
    )


@code(
    "SUMMED",
    "The target has several elements: this is the derivative of their sum. For each alone there is the Jacobian.",
    """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x * [3.0, 4.0]
tape.gradient(y, x)           # 7.0
""",
    """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x * [3.0, 4.0]
tape.jacobian(y, x)           # [3. 4.]
""",
)
def summed(q, edge, op, line):
    several = (
        f"{len(q.targets)} targets were given"
        if len(q.targets) > 1
        else f"{q.target_name} has {q.targets[0].shape.num_elements()} elements"
    )
    jacobian = (
        "tape.gradient of each alone keeps them apart"
        if len(q.targets) > 1
        else f"tape.jacobian({q.target_name}, {q.source_name}) keeps them apart"
    )
    return f"{several}: this is the derivative of their sum", jacobian


@code(
    "NOT_FINITE",
    "Somewhere a derivative became inf or nan: often 0 times infinity, in a branch that where() does not take.",
    """
x = tf.Variable(0.0)
with tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.math.log(x), 0.0)
tape.gradient(y, x)           # nan
""",
    """
x = tf.Variable(0.0)
with tf.GradientTape() as tape:
    safe = tf.where(x > 0.0, x, 1.0)
    y = tf.where(x > 0.0, tf.math.log(safe), 0.0)
tape.gradient(y, x)           # 0.0
""",
)
def not_finite(q, edge, op, line, step=(), place=None, discarded=False, value="", given=None, holder="", named=False, assigned=False):
    if holder:
        sentence = f"{holder} holds {value} already, before any slope is taken: what is computed from it cannot be finite"
        shown = holder if named else "x"
        fix = f"take it out before it is used, for example with mg.where(mg.math.is_finite({shown}), {shown}, 0.0)"
        return sentence, f"look at what {holder} was assigned here: a step before this one went wrong" if assigned else fix, step
    if not op:
        return "what arrives at the target, or the value of an op, is not finite already", "look at the values of the forward pass"
    if discarded and place is not None:
        inline = safe_where(place) if inside_where(place) else None
        yet = f"the value of {op} is {value} there, and 0 times that is nan" if value else f"{op} is still asked for its slope"
        return f"where discards this branch, yet {yet}", inline or f"give {op} a safe input by another mg.where", step
    if value:
        return f"the value of {op} is {value} already, before any slope is taken", away_from(op, given), step
    return f"{op} is where the gradient stops being finite: its slope there is inf or nan", away_from(op, given), step


def away_from(op, given=None):
    """The fix that keeps the input of an op where its value and slope are finite; `given` is the number that it had, if known."""
    example = AWAY.get(op, "")
    if given is not None and example == AWAY["log"] and abs(given) > 1e6:
        return f"keep the input of {op} smaller: it is too large for its dtype"
    if op in ("divide", "truediv"):
        return f"keep what {op} divides by away from 0, for example with {example}"
    return f"keep the input of {op} away from there" + (f", for example with {example}" if example else "")


AWAY = {
    **dict.fromkeys(("log", "sqrt", "rsqrt", "pow", "divide", "truediv", "reciprocal", "lgamma", "digamma"), "mg.maximum(x, 1e-6)"),
    **dict.fromkeys(("acos", "asin", "atanh"), "mg.clip_by_value(x, -0.999999, 0.999999)"),
    **dict.fromkeys(("exp", "expm1", "sinh", "cosh"), "mg.clip_by_value(x, -80.0, 80.0)"),
    **dict.fromkeys(("norm", "reduce_euclidean_norm"), "mg.sqrt(mg.reduce_sum(x * x) + 1e-12)"),
    "reduce_std": "mg.sqrt(mg.math.reduce_variance(x) + 1e-12)", "acosh": "mg.maximum(x, 1.000001)", "log1p": "mg.maximum(x, -0.999999)",
}  # fmt: skip


@code(
    "STALE",
    "The Variable was assigned after the tape read it: this is the derivative at the old value.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
x.assign(5.0)
tape.gradient(y, x)           # 6.0, the slope at 3
""",
    """
x = tf.Variable(3.0)
x.assign(5.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 10.0
""",
)
def stale(q, edge, op, line, shown=()):
    name = q.source_name
    return f"{name} was assigned after this tape read it", f"compute {q.target_name} on a new tape after each assignment", shown


@code(
    "STOPPED",
    "The way was cut on purpose: by stop_gradient, stop_recording or reset.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = tf.stop_gradient(x * x)
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
def stopped(q, edge, op, line):
    if edge.event.op.kernel == "CustomGradient":
        function, name = called_text(edge.place) or op, q.names.of(edge.start)
        if number_of(edge.start) not in edge.event.inputs:
            return f"{function} uses {name} without being given it, and no gradient leaves it for {name}", f"give {name} to {function}"
        return (
            f"the gradient function of {function} returned None",
            "return a gradient for this argument too, if it is wanted",
        )
    if op == "stop_gradient":
        return "stop_gradient cuts the way here, on purpose", "leave out mg.stop_gradient, if the gradient is wanted"
    if edge.event.number <= q.history.forgot:
        return f"tape.reset() made the tape forget that {op} ran", f"move {to_move(q, edge)} below tape.reset(), or leave the reset out"
    return f"{op} ran inside stop_recording()", f"move {to_move(q, edge)} out of stop_recording(), if the gradient is wanted"


@code(
    "NOT_A_TENSOR",
    "The target or the source is no Tensor: a Python number, an array, or None.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = float(x * x)
tape.gradient(y, x)           # AttributeError
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
def not_a_tensor(q, edge, op, line, role, what):
    fix = (
        "keep to mg's own functions, so that it stays a Tensor"
        if role == "target"
        else "give a Variable, or a Tensor that the tape watches"
    )
    return f"the {role} is {what}, not a Tensor: there is nothing to differentiate", fix


@code(
    "ONLY_DECIDES",
    "The source is used for a decision alone: which branch runs. The value does not depend on it smoothly.",
    """
x = tf.Variable(1.0)
w = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = w * 3.0 if x > 0.0 else w * 5.0
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(1.0)
w = tf.Variable(2.0)
with tf.GradientTape() as tape:
    gate = tf.sigmoid(10.0 * x)
    y = gate * (w * 3.0) + (1.0 - gate) * (w * 5.0)
tape.gradient(y, x)           # -0.00181589
""",
)
def only_decides(q, edge, op, line):
    what = "which elements are taken" if op == "where" else "which lines run"
    return (
        f"{q.source_name} only decides {what}; the value does not depend on it smoothly",
        "nothing, if that is meant; else a smooth gate, such as mg.sigmoid(k * x)",
    )


@code(
    "FLAT",
    "The way is whole, and an op on it has slope 0 here: a relu that is off, a saturated sigmoid, a clip.",
    """
x = tf.Variable(-2.0)
with tf.GradientTape() as tape:
    y = tf.nn.relu(x)
tape.gradient(y, x)           # 0.0
""",
    """
x = tf.Variable(-2.0)
with tf.GradientTape() as tape:
    y = tf.nn.leaky_relu(x)
tape.gradient(y, x)           # 0.2
""",
)
def flat(q, edge, op, line, cancel=False, factor="", variable=False):
    if cancel:
        return "the ways from it to the target cancel each other", "nothing: 0 is the derivative"
    if not op:
        return "the slope is 0 here", "nothing: 0 is the derivative"
    if variable:
        sentence = f"{op} takes it times {factor}"
        return sentence, "nothing, if that is meant to begin at 0; otherwise let it begin elsewhere, with small random numbers"
    if factor:
        return f"{op} takes it times {factor}", "nothing, if that is meant; otherwise look at what made the 0"
    sentence = f"the slope of {op} is 0 here, wherever a gradient reaches it"
    return sentence, f"nothing, if {op} is meant to be flat here; otherwise move its input"
