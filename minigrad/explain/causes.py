"""One sentence and one mend for each cause, about the very line on which it happened."""

from dataclasses import dataclass

from .source import statement_at

INSTEAD = {  # NumPy's and Python's functions, and what stays on the tape
    "mean": "reduce_mean", "sum": "reduce_sum", "max": "reduce_max", "min": "reduce_min", "amax": "reduce_max", "amin": "reduce_min",
    "prod": "reduce_prod", "std": "math.reduce_std", "var": "math.reduce_variance", "dot": "tensordot", "matmul": "matmul",
    "exp": "exp", "log": "math.log", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan", "tanh": "tanh", "abs": "abs", "square": "square",
    "power": "pow", "pow": "pow", "maximum": "maximum", "minimum": "minimum", "where": "where", "concatenate": "concat", "stack": "stack",
    "reshape": "reshape", "transpose": "transpose", "clip": "clip_by_value", "array": "stack", "log1p": "math.log1p", "expm1": "math.expm1",
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "cumsum": "cumsum", "einsum": "einsum", "outer": "tensordot",
}  # fmt: skip
SMOOTH = {
    "argmax": "mg.nn.softmax, a smooth choice", "argmin": "mg.nn.softmax(-x), a smooth choice", "round": "mg.grad_pass_through(mg.round)",
    "floor": "mg.grad_pass_through(mg.floor)", "ceil": "mg.grad_pass_through(mg.math.ceil)", "rint": "mg.grad_pass_through(mg.math.rint)",
    "greater": "mg.sigmoid(k * (x - y)), a smooth step", "less": "mg.sigmoid(k * (y - x)), a smooth step", "one_hot": "mg.nn.softmax",
    "greater_equal": "mg.sigmoid(k * (x - y)), a smooth step", "less_equal": "mg.sigmoid(k * (y - x)), a smooth step",
}  # fmt: skip


@dataclass(frozen=True)
class Cause:
    """Why a gradient is as it is: the code, the op and the source line where it happened, one sentence, one mend, and how sure that is."""

    code: str
    op: str
    line: str
    sentence: str
    mend: str
    confidence: str = "proved"

    def to_dict(self) -> dict:
        """The same as plain data."""
        return dict(code=self.code, op=self.op, line=self.line, sentence=self.sentence, mend=self.mend, confidence=self.confidence)


ABOUT = {}  # code -> the function that tells what an edge with this code means: a sentence and a mend


def about(code):
    def put(function):
        ABOUT[code] = function
        return function

    return put


def cause_of(edge, names) -> Cause:
    """The cause that an edge without a gradient stands for."""
    sentence, mend = ABOUT[edge.code](edge, names)
    line = edge.by.line.text if edge.by is not None else edge.event.line.text
    return Cause(edge.code, op_name(edge), line, sentence, mend, "proved" if edge.sure else "likely")


def op_name(edge) -> str:
    event = edge.by if edge.by is not None else edge.event
    return event.op if event.what in ("left", "wrote", "stored") else event.name


def door_of(exit) -> str:
    """By which call a value left, as the user wrote it: `np.mean`, `math.exp`, or `x.numpy()`."""
    statement = statement_at(exit.line)
    for call in statement.calls if statement else ():
        if call.partition(".")[0] in ("np", "numpy", "math"):
            return call
    return exit.op


@about("LEFT_ENGINE")
def left_engine(edge, names):
    door, name = door_of(edge.by), names.of(edge.start)
    user = op_name_of(edge.event)
    function = door.rpartition(".")[2]
    if door == edge.by.op:  # no function of NumPy in sight: numpy(), float() ...
        return f"{name} left by {door}: {user} was given a plain value, not {name}", f"keep {name} a tensor on this line: leave out {door}"
    stay = INSTEAD.get(function)
    return f"{door} took {name} out of the engine; {user} was given a plain value", f"use mg.{stay} instead of {door}" if stay else (
        f"write {door} with mg's own functions"
    )  # fmt: skip


def op_name_of(event):
    return {"came": "the next op", "wrote": event.op}.get(event.what, event.name)


@about("STATE")
def state(edge, names):
    event = edge.event
    if event.what == "stored":
        return f"{names.of(edge.start)} went through a {event.op}: what comes out has a value, and no history", "use the tensor itself"
    target = names.of(event.outputs[0])
    return (
        f"{target}.{event.op} wrote {names.of(edge.start)} into a Variable, which keeps the value and not where it came from",
        f"compute with a tensor: new_{target} = ... instead of {target}.{event.op}(...)",
    )


@about("REBUILT")
def rebuilt(edge, names):
    return (
        f"a new Variable was made from {names.of(edge.start)}: it has the value, and not where it came from",
        "use the tensor itself, without mg.Variable(...)",
    )


@about("OUTSIDE_TAPE")
def outside_tape(edge, names):
    name = op_name(edge)
    return f"{name} ran outside the tape's block, so it was not recorded", f"indent this line into the `with` block of the tape ({name} must run there)"


@about("OTHER_TAPE")
def other_tape(edge, names):
    return f"{op_name(edge)} was recorded by another tape, not by the one that was asked", "ask the tape that was open on this line"


@about("SPENT_TAPE")
def spent_tape(edge, names):
    return (
        f"{op_name(edge)} is not on the tape any more: a gradient was asked for before, and that used it up",
        "ask once, for all sources together, or use mg.GradientTape(persistent=True)",
    )


@about("STOPPED")
def stopped(edge, names):
    if getattr(edge.event.op, "kernel", "") == "StopGradient":
        return "stop_gradient cuts the way here, on purpose", "leave out mg.stop_gradient, if the gradient is wanted"
    return f"{op_name(edge)} ran while recording was stopped, or before tape.reset()", "move the line out of stop_recording(), or below reset()"


@about("NO_DERIVATIVE")
def no_derivative(edge, names):
    name = op_name(edge)
    return f"{name} is flat with jumps: its derivative is 0 or does not exist", f"use {SMOOTH.get(name, 'an op that has a slope')}"


@about("INTEGER")
def integer(edge, names):
    if getattr(edge.event.op, "kernel", "") == "Cast":
        return f"{names.of(edge.start)} became an integer here, and no gradient flows along integers", "stay with floats: leave out this cast"
    return f"{names.of(edge.start)} holds integers, and no gradient flows along integers", "make it a float from the start: write 10.0, not 10"


@about("NOT_REGISTERED")
def not_registered(edge, names):
    return (
        f"{op_name(edge)} has no gradient registered: tape.gradient raises LookupError",
        f"register one with @mg.RegisterGradient({edge.event.op.kernel!r}), or write it with other ops",
    )


@about("FIRST_ORDER_ONLY")
def first_order_only(edge, names):
    return (
        "the first gradient was computed while this tape was not recording",
        "move the inner tape's gradient(...) into the `with` block of this tape",
    )


@about("UNWATCHED")
def unwatched(edge, names):
    name = names.of(edge.start)
    return (
        f"{name} was not watched when {op_name(edge)} used it",
        f"add tape.watch({name}) above this line, inside the `with` block",
    )
