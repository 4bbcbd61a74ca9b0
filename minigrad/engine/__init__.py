"""The engine: values, ops, tapes, and the backward pass. It imports only NumPy, `errors`, `nest` and `later`.

`CALLS` lists every minigrad function that runs, in order, for `y = x * x` inside a tape and for `tape.gradient(y, x)`,
where x is a Variable and the op has run before: `print(mg.engine.calls())`. To read the engine, follow it through
`tensor`, `operands`, `op`, `tape`, `backward` and `variable`; then read `writing` (the code generated from a
declaration) and `rules` (what a VJP receives).

What most ops and layers need from the engine is imported here; the rest comes from its own module.
"""

from ..errors import invalid
from . import dtypes, tidy
from .conversion import another_dtype, as_value, not_among, unsupported
from .custom import unregistered
from .listening import listeners_only, storing, warn, without_tapes
from .op import MADE, named, op, tell_help
from .operands import OPS, convert, tensor_of
from .rules import BATCHED_TWINS, accepts_sparse, twin
from .shape import TensorShape, bracketed
from .slices import IndexedSlices, SparseRows
from .tensor import Tensor, constant
from .variable import Variable

CALLS = (  # file, function, what it does
    ("engine/tape.py", "GradientTape.__init__", "a tape that has not begun"),
    ("engine/tape.py", "TapeExit.__get__", "`with` asks how its block will end, before it begins"),
    ("engine/tape.py", "GradientTape.__enter__", "from here on it listens"),
    ("<op multiply>", "multiply", "x * y: written from the declaration of the op; print(mg.Tensor.__mul__.source)"),
    ("engine/operands.py", "convert", "the first x is no Tensor yet"),
    ("engine/variable.py", "Variable.__tf_tensor__", "its present value; tells the tape that it was read"),
    ("engine/tape.py", "GradientTape.read", "the tape tracks the id of x"),
    ("engine/operands.py", "convert", "the second x"),
    ("engine/variable.py", "Variable.__tf_tensor__", "its present value; the tape has heard of it"),
    ("math/arithmetic.py", "multiply", "the NumPy function; then `multiply` writes two steps, one for each x"),
    ("engine/tape.py", "GradientTape.__exit__", "the tape listens no longer"),
    ("engine/tape.py", "GradientTape.gradient", "looks at target and sources, and begins with 1 at y"),
    ("engine/tape.py", "GradientTape._ask", "takes the steps"),
    ("engine/backward.py", "backward", "the backward pass: from the newest step to the oldest"),
    ("math/arithmetic.py", "<lambda>", "the VJP for the second x: dz * x"),
    ("math/arithmetic.py", "<lambda>", "the VJP for the first x: dz * y; the two are added, and become a Tensor"),
)


def calls() -> str:
    """The calls made by `y = x * x` and `tape.gradient(y, x)`, as a table with one call per line.

    >>> import minigrad as mg
    >>> print(mg.engine.calls().splitlines()[13])
    14  engine/backward.py  backward                the backward pass: from the newest step to the oldest
    """
    widths = [max(len(row[column]) for row in CALLS) for column in (0, 1)]
    rows = enumerate(CALLS, 1)
    return "\n".join(f"{k:2}  {file:{widths[0]}}  {name:{widths[1]}}  {what}" for k, (file, name, what) in rows)
