"""The twin of a tape of TensorFlow: it follows the same values, and goes back over the same gradient functions."""

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

gradient_function = backprop._gradient_function  # TensorFlow's own: what an op has to say of its derivatives


class Node:
    """An op that a tape has recorded, with what TensorFlow's gradient function wants to know of it.

    Attributes:
        ids: the numbers of the twins of its inputs; None where there is none.
        output: as in a step of a tape.
    """

    def __init__(self, kernel, attributes, inputs, outputs, ids, function=None):
        self.kernel, self.attributes, self.inputs, self.outputs = kernel, attributes, inputs, outputs
        self.ids, self.function, self.last = ids, function, (None, ())
        self.output: Any = None

    def gradients(self, dy) -> list:
        """The gradients for all inputs, as arrays, of what arrived at the outputs."""
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
    """A gradient as an array; None of what is no number."""
    if isinstance(one, tf.IndexedSlices):
        with quiet():
            one = tf.convert_to_tensor(one)
    if isinstance(one, EagerTensor) and one.dtype == tf.variant:  # for a list of tensors: as it is
        whole = np.empty((), object)
        whole[()] = one
        return whole
    return array_of(one) if isinstance(one, EagerTensor) else None


def tensor_of_gradient(array, y):
    if y.dtype == tf.variant:
        return array[()] if array.dtype == object else tf.zeros_like(y)
    return tf.constant(array, y.dtype)


class TapeTwin(GradientTape):
    """Stands for a tape of TensorFlow.

    Attributes:
        nodes: the attributes of an op, which are one object for one op -> its Node.
        wanted: during a question, the numbers through which a gradient can reach its sources.
        heard: whether a trace listened in its thread when it was opened.
    """

    wanted: Any = frozenset()
    heard = True

    def __init__(self, tape):
        super().__init__(tape._persistent, tape._watch_accessed_variables)
        self.tape, self.nodes = weakref.ref(tape), {}

    def _forget(self):
        super()._forget()
        self.nodes = {}

    def record(self, kernel, attributes, inputs, outputs, twins, function=None) -> None:
        """Write the steps of an op, if it depends on something watched."""
        tracked: set = self.tracked_ids
        ids = [getattr(vars(x).get(KEY), "id", None) for x in inputs]
        if self.steps is None or tracked.isdisjoint(ids):
            return
        node = Node(kernel, attributes, inputs, [*outputs], ids, function)  # TensorFlow empties its own list
        if attributes:  # all empty ones are one object
            self.nodes[id(attributes)] = node
        live = [one for one in twins if one is not None]
        if function is not None:  # it takes the place of the ops that made its outputs
            own = {one.id for one in live}
            self.steps = [step for step in self.steps if own.isdisjoint(output_ids(step))]
        before = {i for i in node.ids if i in tracked}
        many = track_outputs(live, tracked)
        node.output = many if len(outputs) > 1 else live[0].id if live else 0
        for k, i in enumerate(node.ids):
            if i in before:
                self.steps.append((node.output, i, node.vjp(k), (), (), tuple(vars(inputs[k])[KEY].shape)))

    def follow(self, one) -> None:
        """It was told to watch a twin."""
        if one.value.dtype.kind in "fc" if not hasattr(one, "trainable") else one.smooth:
            self.roots.add(one.id)
            self.tracked_ids.add(one.id)
        if hasattr(one, "trainable"):
            self.variables[one.id] = one
        for listener in listening.now:
            listener.watching(self, one)

    def stepped_back(self, attributes, dys, found) -> None:
        """TensorFlow's backward pass went through an op: tell the traces what arrived and what goes on."""
        node = self.nodes.get(id(attributes))
        if node is None or not all(isinstance(one, (EagerTensor, type(None))) for one in dys):
            return
        arrived = [None if one is None else array_of(one) for one in dys]
        if len(arrived) > 1:
            forms = [form for _, *form in node.output]
            arrived = [np.zeros(*form) if dy is None else dy for dy, form in zip(arrived, forms)]
        dy = arrived if len(arrived) > 1 else arrived[0]
        for k, one in reversed([*enumerate(in_list(found))]):  # as our own backward pass, from the last input
            dx = array_of_gradient(one)
            if dx is not None and node.ids[k] in self.wanted:
                step = node.output, node.ids[k], node.vjp(k), (), (), dx.shape
                for listener in listening.now:
                    if listener.tracked_ids is None:
                        listener.stepped_back(step, dy, dx)

    def gradient(self, target, sources, *more, **named) -> Any:
        """Ask TensorFlow's tape. (A trial of a fix does that.)"""
        target, sources = (nest.map_structure(tensor_of, one) for one in (target, sources))
        return self.tape().gradient(target, sources, *more, **named)


def tensor_of(one):
    """What a twin stands for."""
    return one.tensor() if isinstance(one, Twin) else one.variable() if isinstance(one, VariableTwin) else one


asking: list = []  # the twins of the tapes that are being asked, innermost last
tapes: Any = weakref.WeakKeyDictionary()  # a tape of TensorFlow -> its twin


def twin_of_tape(tape) -> TapeTwin:
    if tape not in tapes:
        tapes[tape] = TapeTwin(tape)
    return tapes[tape]


def back_through_python(attributes):
    """The gradients of a `tf.py_function` over the tape of its own, as often as one asks: TensorFlow's goes back once.

    None if it has no tape.
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
