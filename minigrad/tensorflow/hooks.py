"""What TensorFlow does, told to the listeners of this package: ops, Variables, tapes, what comes in and what leaves.

`install` puts a word of ours around some functions of TensorFlow, `remove` takes it away. TensorFlow itself tells of each
op; the rest are methods of its tensors, Variables and tapes.
"""

import contextlib
import functools
import sys
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, record
from tensorflow.python.framework import constant_op, op_callbacks, ops
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

from ..engine.custom import with_gradient
from ..engine.listening import coming, leaving, listening, warn, without_tapes
from ..explain.names import ENTRANCES, FOREIGN
from ..tracing.places import SKIPPED, user_frame
from .quiet import silence, unheard
from .tapes import gradient_function, tapes, twin_of_tape
from .twins import KEY, EagerTensor, VariableTwin, heard, met, number_of, run_again, twin_of

SKIPPED |= {  # functions of TensorFlow that stand between the user and what was called
    "error_handler", "op_dispatch_handler", "binary_op_wrapper", "r_binary_op_wrapper", "wrapper", "told", "wrapped",
    "tensor_equals", "_run_op", "converted",
}  # fmt: skip
EXITS = {
    "numpy": "numpy()", "__float__": "float()", "__int__": "int()", "__bool__": "bool()", "__index__": "int()",
    "__complex__": "complex()", "__array__": "NumPy",
}  # fmt: skip
placed: list = []  # what was put around something: the owner, the name, what stood there
failures: set = set()
asking: list = []  # the tapes that are being asked, innermost last


# ---- installing ------------------------------------------------------------------------------------------------------


def install() -> None:
    """Hear what TensorFlow does from here on, in this thread."""
    if placed:
        return
    own = ops.EagerTensor.__mro__[1]
    for name, exit in EXITS.items():
        for owner in (own, BaseResourceVariable):
            if name in vars(owner):
                put_around(owner, name, functools.partial(exiting, exit))
    put_around(constant_op, "convert_to_eager_tensor", entering)
    put_around(BaseResourceVariable, "__init__", making)
    put_around(BaseResourceVariable, "handle", reading)
    for name in ("_push_tape", "_pop_tape", "watch", "reset", "stop_recording", "gradient"):
        put_around(backprop.GradientTape, name, ON_TAPES[name])
    put_around(record, "stop_recording", pausing)
    put_around(record, "record_operation", recording)
    put_around(record, "record_operation_backprop_only", recording)
    pywrap_tfe.TFE_Py_RegisterGradientFunction(going_back)
    op_callbacks.add_op_callback(op_ran)
    FOREIGN.append(known)


def remove() -> None:
    """Hear nothing any more, and leave TensorFlow as it was."""
    if not placed:
        return
    while placed:
        owner, name, before = placed.pop()
        setattr(owner, name, before) if before is not None else delattr(owner, name)
    pywrap_tfe.TFE_Py_RegisterGradientFunction(gradient_function)
    with contextlib.suppress(KeyError):  # another thread installed it
        op_callbacks.remove_op_callback(op_ran)
    FOREIGN.remove(known)


def put_around(owner, name, make):
    before = vars(owner).get(name)
    placed.append((owner, name, before))
    setattr(owner, name, make(before if before is not None else getattr(owner, name)))


def known(value):
    """What stands for a tensor, a Variable or a tape of TensorFlow."""
    if isinstance(value, backprop.GradientTape):
        return tapes.get(value)
    return twin_of(value)


def carefully(hear):
    """Decorates what hears: the user's program goes on whatever happens in it."""

    @functools.wraps(hear)
    def told(*args, **kwargs):
        if silence.depth:
            return
        try:
            hear(*args, **kwargs)
        except Exception as problem:
            failed(problem)

    return told


def failed(problem) -> None:
    """Something could not be heard: say so once, and call the logs incomplete."""
    for listener in listening.now:
        if hasattr(listener, "lost"):
            listener.lost = True
    text = f"{type(problem).__name__}: {problem}"
    if text not in failures:
        failures.add(text)
        warn("A part of the trace is missing: %s", text)


# ---- ops -------------------------------------------------------------------------------------------------------------


@carefully
def op_ran(kernel, inputs, attributes, outputs, op_name=None, graph=None):
    """TensorFlow ran an op."""
    now = listening.now
    if graph is not None or not now or (asking and not asking[-1]._is_recorded()):
        return
    kernel = kernel.decode() if isinstance(kernel, bytes) else kernel
    if kernel.startswith("__forward"):  # of a traced function; `recording` hears of it
        return
    if not outputs:
        wrote(kernel, inputs)
        return
    if kernel == "ReadVariableOp" and (variable := vars(inputs[0]).get(KEY)) is not None:
        read(variable)
        stand_for(outputs[0], variable)
        return
    hear(kernel, inputs, attributes, outputs)


def hear(kernel, inputs, attributes, outputs, function=None):
    one = heard(kernel, len(inputs))
    pairs = dict(zip(attributes[::2], attributes[1::2])) if attributes else {}
    own, others = (inputs, ()) if one.plain else one.split(inputs, pairs)
    own = [input_twin(x) for x in own]
    changed = any(getattr(twin, "changed", False) for twin in own)
    for x in others:
        input_twin(x)
    own = [x for x in own if x is not None]
    if changed:
        run_again(kernel, [*inputs], attributes, outputs)
    twins = [twin_of(y) for y in outputs]
    told_to_all(one.op, own, twins, kernel, attributes, inputs, outputs, function)


def told_to_all(op, own, twins, kernel, attributes, inputs, outputs, function):
    """Tell tapes and traces of an op."""
    made = [y for y in twins if y is not None]
    if not made:
        return
    output = made[0] if len(made) == 1 and not op.many else made
    for listener in listening.now:
        if listener.tracked_ids is None:
            listener.hear(op, own, output, ())
        elif hasattr(listener, "record"):
            listener.record(kernel, attributes, inputs, outputs, twins, function)


def input_twin(x):
    """The twin of an input. One that nobody has heard of has come in beside the others."""
    twin = vars(x).get(KEY)
    if twin is not None:
        return twin
    variable = next((one for one in accessed if fits(one, x)), None)
    if variable is not None:
        accessed.remove(variable)
        twin = known(variable)
        read(twin)
        stand_for(x, twin)
        return vars(x)[KEY]
    if x.dtype in (tf.resource, tf.variant):
        return None
    if not x.shape.rank:
        return number_of(x)
    twin = twin_of(x)
    if x.dtype.is_floating or x.dtype.is_complex:
        coming(twin.value, twin)
    return twin


def fits(variable, x) -> bool:
    return variable.dtype == x.dtype and variable.shape.is_compatible_with(x.shape)


def stand_for(tensor, variable):
    """A tensor is what a Variable holds: it goes by the Variable's number."""
    twin = twin_of(tensor)
    twin.id = variable.id


def going_back(kernel, attributes, count, inputs, outputs, dys, skipped, scope):
    """TensorFlow's backward pass asks an op for its gradients."""
    found = gradient_function(kernel, attributes, count, inputs, outputs, dys, skipped, scope)
    if asking and not silence.depth:
        carefully(asking[-1].stepped_back)(attributes, dys, found)
    return found


def recording(original):
    """TensorFlow records something that is no op: a custom gradient, or a traced function."""

    def told(kind, outputs, inputs, backward, *more, **named):
        key: Any = ("function", kind, object())

        def going_back(*dys):
            found = backward(*dys)
            if asking and not silence.depth:
                carefully(asking[-1].stepped_back)(key, dys, found)
            return found

        heard_custom(kind, outputs, inputs, going_back, key)
        return original(kind, outputs, inputs, going_back, *more, **named)

    return told


@carefully
def heard_custom(kind, outputs, inputs, backward, key):
    name = kind.decode() if isinstance(kind, bytes) else kind
    if not all(isinstance(y, EagerTensor) for y in outputs) or not listening.now:
        return
    own = [twin for twin in map(input_twin, inputs) if twin is not None]
    op = heard(name, len(inputs)).op if name.startswith("__") else with_gradient
    told_to_all(op, own, [twin_of(y) for y in outputs], name, key, [*inputs], [*outputs], backward)


# ---- Variables -------------------------------------------------------------------------------------------------------

accessed: list = []  # the Variables whose handle was asked for since the last op


def making(original):
    def told(variable, *args, **kwargs):
        original(variable, *args, **kwargs)
        made(variable)

    return told


@carefully
def made(variable):
    if isinstance(variable.handle, EagerTensor) and variable.dtype not in (tf.resource, tf.variant):
        twin = met(variable)
        del accessed[:]
        for listener in listening.now:
            listener.wrote(twin, twin._now.value, "Variable")


def reading(original):
    """The property `handle` of Variables: what reads or writes one asks for it."""

    def handle(variable):
        found = original.fget(variable)
        if not silence.depth and isinstance(found, EagerTensor):
            if KEY not in vars(variable):
                carefully(met)(variable)
            accessed[:] = [*[one for one in accessed if one is not variable][-8:], variable]
        return found

    return property(handle)


def read(variable):
    for listener in listening.now:
        if listener.read_versions.get(variable.id) != variable.version:
            listener.read(variable)


def wrote(kernel, inputs):
    """An op that gives nothing has written what it was given the handle of."""
    handle, *given = inputs
    variable = vars(handle).get(KEY)
    if variable is None or not given:
        return
    how = "assign" if kernel == "AssignVariableOp" else {"AssignAddVariableOp": "assign_add", "AssignSubVariableOp": "assign_sub"}.get(kernel, "scatter")
    value = vars(given[-1]).get(KEY)
    value = value if value is not None else given[-1]._numpy()
    variable.version += 1
    for listener in listening.now:
        listener.wrote(variable, value, how)


# ---- what comes in, and what leaves ----------------------------------------------------------------------------------


def entering(original):
    def converted(value, ctx, dtype=None):
        found = original(value, ctx, dtype)
        if found is not value:
            came(value, found)
        return found

    return converted


@carefully
def came(value, tensor):
    if not listening.now or not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        return
    if type(value) in (int, float, complex) and user_frame()[1] not in ENTRANCES:
        return  # a number beside an operator
    twin = twin_of(tensor)
    coming(np.asarray(value) if isinstance(value, (list, tuple)) else value, twin)


def exiting(exit, original):
    def told(tensor, *args, **kwargs):
        twin = None if silence.depth or not listening.now else twin_of(tensor)
        if twin is None:
            return original(tensor, *args, **kwargs)
        with unheard():
            result = original(tensor, *args, **kwargs)
        if isinstance(twin, VariableTwin):
            read(twin)
            twin = twin._now
        return leaving(twin, exit, result)

    return functools.wraps(original)(told)


# ---- tapes -----------------------------------------------------------------------------------------------------------


def opening(original):
    def told(tape):
        original(tape)
        opened(tape)

    return told


@carefully
def opened(tape):
    twin = twin_of_tape(tape)
    if not resetting and listening.now:
        twin.__enter__()


def closing(original):
    def told(tape):
        original(tape)
        closed(tape)

    return told


@carefully
def closed(tape):
    twin = tapes.get(tape)
    if twin is not None and not resetting and twin.here is not None:
        twin.stop()


resetting: list = []


def clearing(original):
    def told(tape):
        resetting.append(tape)
        try:
            original(tape)
        finally:
            resetting.pop()
        cleared(tape)

    return told


@carefully
def cleared(tape):
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


def pausing(original):
    """No tape records: while a function with a gradient of its own runs."""

    @contextlib.contextmanager
    def told():
        with original(), without_tapes():
            yield

    return told


def watching(original):
    def told(tape, tensor):
        original(tape, tensor)
        watched(tape, tensor)

    return told


@carefully
def watched(tape, tensor):
    twin = twin_of_tape(tape)
    for one in map(twin_of, tf.nest.flatten(tensor, expand_composites=True)):
        if one is not None:
            twin.follow(one)


def answering(original):
    def gradient(tape, target, sources, *args, **kwargs):
        twin = tapes.get(tape)
        if twin is None or silence.depth or not listening.now:
            return original(tape, target, sources, *args, **kwargs)
        targets, leaves = ([twin_of(one) for one in tf.nest.flatten(given)] for given in (target, sources))
        if any(one is None for one in (*targets, *leaves)):  # in a graph, or no tensors
            return original(tape, target, sources, *args, **kwargs)
        spent = tape._tape is None
        for listener in listening.now:
            listener.asking(twin)
        asking.append(twin)
        try:
            results = original(tape, target, sources, *args, **kwargs)
        except Exception as problem:
            refused(twin, targets, leaves, problem, spent)
            raise
        finally:
            asking.pop()
        answered(twin, targets, leaves, results)
        return results

    return gradient


@carefully
def refused(twin, targets, sources, problem, spent):
    if spent:
        twin.refused, targets, sources = True, [], []
    for listener in listening.now:
        listener.raised(twin, targets, sources, problem)


@carefully
def answered(twin, targets, sources, results):
    found = [gradient_twin(one) for one in in_order(results)]
    if not twin.persistent:
        twin.steps, twin.nodes = None, {}
    twin.last_question = [one.id for one in targets], [one.id for one in sources], [lambda: None if one is None else one for one in found]
    for listener in listening.now:
        listener.asked(twin, targets, sources, found)


def in_order(results) -> list:
    return tf.nest.flatten(results) if not isinstance(results, tf.IndexedSlices) else [results]


def gradient_twin(one):
    if isinstance(one, tf.IndexedSlices):
        one = tf.convert_to_tensor(one)
    return None if one is None else twin_of(one)


ON_TAPES = {
    "_push_tape": opening, "_pop_tape": closing, "watch": watching, "reset": clearing, "stop_recording": stopping,
    "gradient": answering,
}  # fmt: skip
