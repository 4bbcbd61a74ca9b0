"""The life of TensorFlow's tapes, and the questions that they are asked."""

import contextlib
import functools
import weakref

import tensorflow as tf

from ..engine.backward import INPUT, prune
from ..engine.listening import listening
from ..engine.tensor import Tensor
from .careful import carefully, then
from .quiet import silence, unheard
from .tapes import array_of_gradient, asking, tapes, twin_of_tape
from .twins import twin_of


def begun(tape, *args, **kwargs):
    """A tape was made."""
    twin_of_tape(tape)


def opened(tape):
    twin = twin_of_tape(tape)
    twin.heard = bool(listening.now)  # there may be no listener in another thread
    if twin.heard:
        twin.__enter__()


def closed(tape):
    twin = tapes.get(tape)
    if twin is not None and twin.here is not None:
        twin.stop()


def cleared(tape):
    """A tape was reset."""
    twin = twin_of_tape(tape)
    twin._forget()
    for listener in listening.now:
        listener.forgot(twin)


def stopping(original):
    @contextlib.contextmanager
    def told(tape):
        paused(tape)
        with original(tape):
            yield

    return told


@carefully
def paused(tape):
    twin = tapes.get(tape)
    if twin is not None and twin in listening.now:
        for listener in listening.now:
            listener.paused(twin)


def watched(tape, tensor):
    twin = twin_of_tape(tape)
    for one in map(twin_of, tf.nest.flatten(tensor, expand_composites=True)):
        if one is not None:
            twin.follow(one)


def answering(original, whole=True):
    """Wrap a question to a tape. (What a Jacobian runs in between, in a graph, is not heard.)"""

    def gradient(tape, target, sources, *args, **kwargs):
        twin = tapes.get(tape)
        if twin is None or silence.depth or not listening.now:
            return original(tape, target, sources, *args, **kwargs)
        targets, leaves = ([twin_of(one) for one in tf.nest.flatten(given)] for given in (target, sources))
        if any(one is None for one in (*targets, *leaves)):  # in a graph, or not a tensor
            return original(tape, target, sources, *args, **kwargs)
        spent, steps = tape._tape is None, prune(twin.steps or [], [one.id for one in leaves])
        twin.wanted = reached = {step[INPUT] for step in steps}
        for listener in listening.now:
            listener.asking(twin)
        asking.append(twin)
        try:
            with contextlib.nullcontext() if whole else unheard():
                results = original(tape, target, sources, *args, **kwargs)
        except Exception as problem:
            refused(twin, targets, leaves, problem, spent)
            raise
        finally:
            asking.pop()
        answered(twin, targets, leaves, results, {*reached, *[one.id for one in targets]})
        return results

    return gradient


@carefully
def refused(twin, targets, sources, problem, spent):
    if spent:
        twin.refused, targets, sources = True, [], []
    for listener in listening.now:
        listener.raised(twin, targets, sources, problem)


@carefully
def answered(twin, targets, sources, results, reached):
    found = [gradient_twin(one) for one in in_order(results)]
    if not twin.persistent:
        twin.steps, twin.recorded = None, {}
    real = [dx if one.id in reached else None for one, dx in zip(sources, found)]  # zeros for None excluded
    references = [None if dx is None else weakref.ref(dx) for dx in real]
    twin.last_question = [one.id for one in targets], [one.id for one in sources], references
    for listener in listening.now:
        listener.asked(twin, targets, sources, found)


def in_order(results) -> list:
    return tf.nest.flatten(results) if not isinstance(results, tf.IndexedSlices) else [results]


def gradient_twin(one):
    if isinstance(one, tf.IndexedSlices):
        return Tensor.of(array_of_gradient(one))
    return None if one is None else twin_of(one)


ON_TAPES = {
    "__init__": then(begun), "_push_tape": then(opened), "_pop_tape": then(closed), "watch": then(watched),
    "reset": then(cleared, whole=False), "stop_recording": stopping, "gradient": answering,
    "jacobian": functools.partial(answering, whole=False),
    "batch_jacobian": functools.partial(answering, whole=False),
}  # fmt: skip
