"""The twin of a TensorFlow tape: it tracks the same values, and its backward pass calls the same gradient functions."""

import weakref
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import backprop
from tensorflow.python.ops import script_ops

from .. import nest
from ..engine.backward import backward, output_ids, prune
from ..engine.listening import listening
from ..engine.tape import GradientTape
from ..engine.writing import track_outputs
from .quiet import quiet
from .twins import KEY, EagerTensor, Twin, VariableTwin, array_of

gradient_function = backprop._gradient_function  # TensorFlow's own gradient function of an op


class RecordedOp:
    """An op recorded by a tape, with all that TensorFlow's gradient function needs.

    Attributes:
        ids: the ids of the twins of its inputs; None for an input without one.
        output: as in a step of a tape.
    """

    def __init__(self, kernel, attributes, inputs, outputs, ids, function=None):
        self.kernel, self.attributes, self.inputs, self.outputs = kernel, attributes, inputs, outputs
        self.ids, self.function, self.last = ids, function, (None, ())
        self.output: Any = None

    def gradients(self, dy) -> list:
        """The gradients of all inputs, as arrays, for these gradients of the outputs."""
        if self.last[0] is not dy:
            dys = dy if isinstance(dy, list) else [dy]
            with quiet():
                dys = [tensor_of_gradient(one, y) for one, y in zip(dys, self.outputs)]
                found = self.function(*dys) if self.function else gradient_function(
                    self.kernel, self.attributes, len(self.inputs), self.inputs, self.outputs, dys, (), "")  # fmt: skip
                self.last = dy, [array_of_gradient(one) for one in in_list(found)]
        return self.last[1]

    def vjp(self, k):
        def vjp(dy):
            found = self.gradients(dy)
            return found[k] if k < len(found) else None

        vjp.no_unbroadcast = True
        return vjp


def in_list(found) -> list:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def array_of_gradient(one) -> Any:
    """A gradient as an array; None if it is not a tensor."""
    if isinstance(one, tf.IndexedSlices):
        with quiet():
            one = tf.convert_to_tensor(one)
    if isinstance(one, EagerTensor) and one.dtype == tf.variant:  # the gradient of a list of tensors, kept as it is
        whole = np.empty((), object)
        whole[()] = one
        return whole
    return array_of(one) if isinstance(one, EagerTensor) else None


def tensor_of_gradient(array, y):
    if y.dtype == tf.variant:
        return array[()] if array.dtype == object else tf.zeros_like(y)
    return tf.constant(array, y.dtype)


class TapeTwin(GradientTape):
    """Stands for a TensorFlow tape.

    Attributes:
        recorded: id of the attributes of an op, an object that no other op shares -> its RecordedOp.
        wanted: during a question, the ids through which a gradient can reach its sources.
        heard: whether a trace was listening in its thread when it was opened.
    """

    wanted: Any = frozenset()
    heard = True

    def __init__(self, tape):
        super().__init__(tape._persistent, tape._watch_accessed_variables)
        self.tape, self.recorded = weakref.ref(tape), {}

    def _forget(self):
        super()._forget()
        self.recorded = {}

    def record(self, kernel, attributes, inputs, outputs, twins, function=None) -> None:
        """Write the steps of an op if it depends on a watched value."""
        tracked: set = self.tracked_ids
        ids = [getattr(vars(x).get(KEY), "id", None) for x in inputs]
        if self.steps is None or tracked.isdisjoint(ids):
            return
        op = RecordedOp(kernel, attributes, inputs, [*outputs], ids, function)  # TensorFlow empties its own list
        if attributes:  # empty attributes are all one object
            self.recorded[id(attributes)] = op
        live = [one for one in twins if one is not None]
        if function is not None:  # it replaces the ops that made its outputs
            own = {one.id for one in live}
            self.steps = [step for step in self.steps if own.isdisjoint(output_ids(step))]
        before = {i for i in op.ids if i in tracked}
        many = track_outputs(live, tracked)
        op.output = many if len(outputs) > 1 else next((one.id for one in live), 0)
        for k, i in enumerate(op.ids):
            if i in before:
                self.steps.append((op.output, i, op.vjp(k), (), (), tuple(vars(inputs[k])[KEY].shape)))

    def follow(self, one) -> None:
        """Hear that the tape was told to watch a twin."""
        if one.value.dtype.kind in "fc" if not hasattr(one, "trainable") else one.smooth:
            self.roots.add(one.id)
            self.tracked_ids.add(one.id)
        if hasattr(one, "trainable"):
            self.variables[one.id] = one
        for listener in listening.now:
            listener.watching(self, one)

    def stepped_back(self, attributes, dys, found) -> None:
        """Report a step of TensorFlow's backward pass to the traces: what arrived at an op, and what it passes on."""
        op = self.recorded.get(id(attributes))
        if op is None or not all(isinstance(one, (EagerTensor, type(None))) for one in dys):
            return
        arrived = [None if one is None else array_of(one) for one in dys]
        if len(arrived) > 1:
            forms = [form for _, *form in op.output]
            arrived = [np.zeros(*form) if dy is None else dy for dy, form in zip(arrived, forms)]
        dy = arrived if len(arrived) > 1 else arrived[0]
        for k, one in reversed([*enumerate(in_list(found))]):  # in the order of minigrad's backward pass
            dx = array_of_gradient(one)
            if dx is not None and op.ids[k] in self.wanted:
                step = op.output, op.ids[k], op.vjp(k), (), (), dx.shape
                for listener in listening.now:
                    if listener.tracked_ids is None:
                        listener.stepped_back(step, dy, dx)

    def gradient(self, target, sources, *more, **named) -> Any:
        """Ask TensorFlow's tape for a list of arrays. (Used to try a fix.)"""
        target, sources = (nest.map_structure(tensor_of, one) for one in (target, sources))
        return [*map(array_of_gradient, nest.flatten(self.tape().gradient(target, sources, *more, **named)))]


def tensor_of(one):
    """The tensor or Variable that a twin stands for."""
    if isinstance(one, Twin):
        return one.tensor()
    return one.variable() if isinstance(one, VariableTwin) else one


asking: list = []  # the twins of the tapes that are being asked, innermost last
tapes: Any = weakref.WeakKeyDictionary()  # a tape of TensorFlow -> its twin


def twin_of_tape(tape) -> TapeTwin:
    if tape not in tapes:
        tapes[tape] = TapeTwin(tape)
    return tapes[tape]


def back_through_python(attributes):
    """A gradient function for a `tf.py_function` by its own tape; unlike TensorFlow's, it can be called many times.

    None if there is no such tape.
    """
    token = dict(zip(attributes[::2], attributes[1::2]))["token"]
    tape, given, made = script_ops.tape_cache.get(tf.compat.as_bytes(token), (None, (), ()))
    if tape is None or tape not in tapes:
        return None
    inner = tapes[tape]
    inner.persistent = True
    sources, targets = ([getattr(vars(x).get(KEY), "id", None) for x in some] for some in (given, in_list(made)))

    def back(*dys):
        seeds = {i: array_of_gradient(dy) for i, dy in zip(targets, dys)}
        found = backward(prune(inner.steps, sources), seeds, sources)
        return [tf.constant(found[i], x.dtype) if i in found else tf.zeros_like(x) for i, x in zip(sources, given)]

    return back
