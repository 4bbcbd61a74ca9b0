"""The engine: values, ops, tapes, and the backward pass. It imports NumPy, `errors` and `nest`, and nothing above it.

What happens at `y = x * x` inside a tape, and at `tape.gradient(y, x)`, is `CALLS`: each call of a function of
minigrad, in order, for a Variable x, once the op is written out: `print(mg.engine.calls())`. To read the engine, follow
it; then read `op` (how an op is declared), `writing` (what is written of it) and `rules` (what a VJP is given).

What ops and layers need of the engine is imported here, so that they find it in one place.
"""

from ..errors import invalid
from . import attributes as tidy
from . import dtypes
from .conversion import another_dtype, as_value, not_among, unsupported
from .custom import unregistered
from .listening import listeners_only, storing, warn, without_tapes
from .op import MADE, OPS, convert, named, op, tensor_of
from .rules import BATCHED_TWINS, accepts_sparse, later, twin
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
    """The table of what `y = x * x` and `tape.gradient(y, x)` call, one call on a line.

    >>> import minigrad as mg
    >>> print(mg.engine.calls().splitlines()[13])
    14  engine/backward.py  backward                the backward pass: from the newest step to the oldest
    """
    widths = [max(len(row[column]) for row in CALLS) for column in (0, 1)]
    rows = enumerate(CALLS, 1)
    return "\n".join(f"{k:2}  {file:{widths[0]}}  {name:{widths[1]}}  {what}" for k, (file, name, what) in rows)
