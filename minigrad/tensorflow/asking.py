"""mgt.trace, mgt.explain and mgt.inspect: the functions of minigrad for tapes and tensors of TensorFlow."""

import re
import weakref
from dataclasses import fields, is_dataclass, replace
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import backprop

from .. import nest
from ..engine.listening import listening
from ..errors import visible
from ..explain import explain as explain_twins
from ..explain.explanation import Explanation
from ..inspector import inspect as inspect_twins
from ..tracing import checkpoint, log
from .datasets import Elements
from .hooks import install, leave_thread, remove
from .tapes import tapes, tensor_of
from .twins import twin_of

as_python = tf.autograph.experimental.do_not_convert  # in a traced function, too


class trace(log.trace):
    """Keep a log of all that TensorFlow does in this thread, for a block or as a switch. Works like `mg.trace`.

    Args:
        on, strict, limit: as for `mg.trace`.
    """

    hears_exits = False  # NumPy reads the memory of tensors

    def start(self):
        install()
        on.add(self)
        self.elements = Elements()
        super().start()

    def explaining(self, tape, targets, sources):
        asked = nest.map_structure(tensor_of, (targets, sources))  # kept alive until then
        return lambda: self.explained(tape, *nest.map_structure(twin_of, asked))

    def explained(self, tape, targets, sources) -> list:
        reports = self.judge is not log.raise_if_broken  # once for each line of user code that asks
        seconds = 3 * patience(sources) if reports or self.left_while(tape) else 0
        return renamed(tape.explain(targets[0] if len(targets) == 1 else targets, list(sources), seconds=seconds))

    def stop(self):
        super().stop()
        let_go(self)

    @log.TraceExit
    def __exit__(self, here, *error):
        log.Trace.__exit__.method(self, here, *error)
        let_go(self)


def patience(sources) -> float:
    """How many seconds replays may take, unless MINIGRAD_SECONDS says more: TensorFlow's processes fork slowly."""
    return max(6.0, min(20.0, 1.5 * len(nest.flatten(sources))), checkpoint.SECONDS)


on: weakref.WeakSet = weakref.WeakSet()  # the traces that listen, in any thread


def let_go(one):
    """Restore TensorFlow as soon as no trace listens any more."""
    on.discard(one)
    if not any(isinstance(one, trace) for one in listening.now):
        leave_thread()
    if not on:
        remove()


@as_python
def explain(tape, target, sources, output_gradients=None, unconnected_gradients="none", seconds=None) -> Any:
    """Why `tape.gradient(target, sources)` is None, or whether its number can be trusted; as `mg.GradientTape.explain`.

    Args:
        tape: a `tf.GradientTape` that was opened while `mgt.trace` listened.
        target, sources, output_gradients, unconnected_gradients: as given to `tape.gradient`.
        seconds: how long replays of the tape's block may take; by default 6 to 20, depending on the number of sources,
            or more if the environment variable MINIGRAD_SECONDS says so.

    Returns:
        An `Explanation` for each source, in the structure of `sources`.

    Raises:
        TypeError: it is not a TensorFlow tape, or the target is a tensor in a graph.
        ValueError: no trace has heard the tape.
    """
    seeds, seconds = twins(output_gradients), patience(sources) if seconds is None else seconds
    found = explain_twins(twin_tape(tape), twins(target), twins(sources), seeds, unconnected_gradients, seconds)
    return renamed(found)


@as_python
def inspect(tape, target=None, sources=None, predict=False) -> Any:
    """The film of a `tf.GradientTape`, or of the log of a trace; as `mg.inspect`.

    Raises:
        TypeError, ValueError: as `mgt.explain`.
    """
    looked_at = tape if isinstance(tape, log.Trace) else twin_tape(tape)
    second = twin_tape(target) if isinstance(target, backprop.GradientTape) else twins(target)
    return inspect_twins(looked_at, second, twins(sources), predict)


def twin_tape(tape):
    if not isinstance(tape, backprop.GradientTape):
        raise TypeError(f"{visible(repr(tape))} is no tf.GradientTape. Write mgt.explain(tape, target, sources).")
    if tape not in tapes or not tapes[tape].heard:
        instead = "mgt.trace(True) above `with tf.GradientTape() as tape:`, in the thread that runs it"
        raise ValueError(f"No trace has heard this tape. Write {instead}, and run both again.")
    return tapes[tape]


def twins(given):
    """Replace tensors and Variables by their twins; leave everything else."""
    if given is None:
        return None
    if any(isinstance(one, tf.Tensor) and twin_of(one) is None for one in nest.flatten(given)):
        problem = "This is a tensor in a graph, which holds no value."
        raise TypeError(f"{problem} Write tf.config.run_functions_eagerly(True) at the top, and run it again.")
    return nest.map_structure(lambda one: one if (twin := twin_of(one)) is None else twin, plain(given))


def plain(given):
    """A list or dict in place of one with which TensorFlow or Keras tracks the Variables of a module."""
    if not type(given).__module__.startswith(("tensorflow.", "keras.")):
        return given
    if isinstance(given, dict):
        return {key: plain(one) for key, one in given.items()}
    return [*map(plain, given)] if isinstance(given, (list, tuple)) else given


# ---- words -----------------------------------------------------------------------------------------------------------


def renamed(found):
    """An answer with TensorFlow's names."""
    if isinstance(found, str):
        return re.sub(r"\bmg\.(?!trace)", "tf.", found).replace("mg.trace", "mgt.trace").replace("mg's", "TensorFlow's")
    if isinstance(found, Explanation) or (is_dataclass(found) and not isinstance(found, type)):
        return replace(found, **{one.name: renamed(getattr(found, one.name)) for one in fields(found) if one.init})
    if isinstance(found, dict):
        return type(found)({key: renamed(one) for key, one in found.items()})
    return type(found)(map(renamed, found)) if isinstance(found, (list, tuple)) else found
