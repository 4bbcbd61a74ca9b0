"""mg.inspect: an interactive film of a tape, from recording the ops to the backward pass.

`film` finds out what ran; `model` turns it into plain data: columns (arrays), wires between them, readings (backward
passes), folded units, memory. `text`, `still` and the front end draw it, `widget` shows it in a notebook, `html` saves it.
"""

import importlib.util

from ..engine.tape import GradientTape
from ..tracing import checkpoint
from .compare import film_fix
from .model import MOST_BYTES, Model

__all__ = ["inspect"]


def inspect(tape_or_trace, target=None, sources=None, predict=False):
    """Show a tape as a film: what it recorded, what it did not and why, and how gradients flow back.

    In a notebook it is an interactive widget; printed, it is a table. It is a snapshot: later events do not change it, and
    the tape is not used up. Under `mg.trace()` it also shows the source lines, and the ops that no tape has recorded.
    For a very long program it shows only the end, and says how much it leaves out.

    Args:
        tape_or_trace: a GradientTape in any state, or the log of a trace, whose last tape is shown.
        target, sources: as given to `tape.gradient`; by default those of the last call. If `target` is a second tape,
            the two are shown one above the other: `mg.inspect(broken, fixed)`.
        predict: open at the start, hide the gradients, and ask for them first, as films in the lessons do.

    Returns:
        A TapeInspector, with `step` and `selected`, `to_html()` and `to_svg()`, `save_html(path)`, `save_svg` and `save_png`;
        `written` is the same program in plain NumPy.

    Raises:
        TypeError: the first argument is neither a tape nor a log.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.trace(), mg.GradientTape() as tape:
    ...     y = x * x.numpy()
    >>> print(mg.inspect(tape, y, x))
    tape inspector   1 tape: 1 kept, 1 ghost
     #  op         line                value   on the tape              backward, to x
     1  numpy      y = x * x.numpy()   3.0     ghost: left the engine   cut (would carry 3.0)
     2  multiply   y = x * x.numpy()   9.0     kept                     3.0
     paths: live 3.0, lost 3.0, together 6.0
    """
    asked = [(tape_or_trace,), (target,)] if isinstance(target, GradientTape) else [(tape_or_trace, target, sources)]
    with checkpoint.answering:
        models = [Model(*one, most_bytes=MOST_BYTES // len(asked)) for one in asked]
        if len(models) == 1:
            film_fix(models[0])
            models[0].data |= {"predict": True} if predict else {}
    if importlib.util.find_spec("anywidget") is None:
        from .inspection import TextInspector as Inspector
    else:
        from .widget import TapeInspector as Inspector
    return Inspector(models, ("as written", "fixed"))
