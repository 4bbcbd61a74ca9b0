"""What TensorFlow does, told to the listeners of this package: ops, Variables, tapes, what comes in and what leaves.

`install` puts a word of ours around some functions of TensorFlow, `remove` takes it away. TensorFlow itself tells of each
op; the rest are methods of its tensors, Variables and tapes.
"""

import contextlib
import functools
import os
import sys
import weakref
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, record
from tensorflow.python.framework import constant_op, op_callbacks, ops
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable, ResourceVariable

from ..engine.backward import INPUT, prune
from ..engine.custom import with_gradient
from ..engine.listening import coming, leaving, listening, storing, warn, without_tapes
from ..engine.tensor import Tensor, next_id
from ..errors import visible
from ..explain import names
from ..explain.names import FOREIGN
from ..tracing import checkpoint
from ..tracing.places import SKIPPED, USERS, user_frame
from .quiet import silence, unheard
from .tapes import array_of_gradient, gradient_function, tapes, twin_of_tape
from .twins import KEY, EagerTensor, Twin, VariableTwin, as_tensor, heard, holds_none, holds_others, met, number_of, run_again, twin_of

SKIPPED |= {  # functions of TensorFlow that stand between the user and what was called
    "error_handler", "op_dispatch_handler", "binary_op_wrapper", "r_binary_op_wrapper", "wrapper", "told", "wrapped",
    "tensor_equals", "converted",
}  # fmt: skip
CONVERTING = "convert_to_tensor", "convert_to_tensor_v2_with_dispatch", "convert_to_tensor_v1_with_dispatch"
ENTRANCES = "constant", *CONVERTING
names.ENTRANCES = (*names.ENTRANCES, *CONVERTING)
EXITS = {
    "numpy": "numpy()", "__float__": "float()", "__int__": "int()", "__bool__": "bool()", "__index__": "int()",
    "__complex__": "complex()", "__array__": "NumPy",
}  # fmt: skip
EXPLICIT = {"value", "read_value", *CONVERTING}  # calls that give a user the value of a Variable as a tensor
HELD = "_minigrad_held"  # the attribute of a resource that holds the tensors which went into it
OWN = {__file__}
placed: list = []  # what was put around something: the owner, the name, what stood there
failures: set = set()
asking: list = []  # the tapes that are being asked, innermost last


# ---- installing ------------------------------------------------------------------------------------------------------


def install() -> None:
    """Hear what TensorFlow does from here on, in this thread."""
    if placed:
        return
    for variable in checkpoint.instances(ResourceVariable):
        twin_of(variable)
    own = ops.EagerTensor.__mro__[1]
    for name, exit in EXITS.items():
        for owner in (own, BaseResourceVariable):
            if name in vars(owner):
                put_around(owner, name, functools.partial(exiting, exit))
    put_around(constant_op, "convert_to_eager_tensor", entering)
    put_around(BaseResourceVariable, "__init__", making)
    for name in ("__init__", "_push_tape", "_pop_tape", "watch", "reset", "stop_recording", "gradient", "jacobian", "batch_jacobian"):
        put_around(backprop.GradientTape, name, ON_TAPES[name])
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
    """Something could not be heard: say so once, and let answers say so."""
    text = visible(f"{type(problem).__name__}: {problem}")
    for listener in listening.now:
        if hasattr(listener, "incomplete"):
            listener.incomplete = f"a part of the trace is missing ({text}): the answer may be incomplete"
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
    handles = any(map(holds_others, inputs))
    if any(map(holds_others, outputs)):
        keep_in(outputs, inputs)
        if any(map(holds_none, outputs)):
            return
    if handles and kernel == "ReadVariableOp" and (variable := vars(inputs[0]).get(KEY)) is not None:
        read(variable)
        if user_frame()[1] not in EXPLICIT:
            stand_for(outputs[0], variable)
            return
    hear(kernel, inputs, attributes, outputs)
    if handles:
        stored(kernel, inputs, outputs)


def hear(kernel, inputs, attributes, outputs, function=None):
    one = heard(kernel, len(inputs))
    wanted = one.pick(inputs, attributes)
    twins = [vars(inputs[k]).get(KEY) for k in wanted]
    if any([twin.__class__ is not Twin for twin in twins]):
        twins = met_beside(inputs, wanted)
    if checkpoint.replay is not None:
        with_changes(kernel, inputs, attributes, outputs, dict(zip(wanted, twins)))
    own = [twin for twin in twins if twin is not None]
    told_to_all(one.op, own, [Twin(y, next_id()) for y in outputs], kernel, attributes, inputs, outputs, function)


def met_beside(inputs, wanted) -> list:
    """The twins of inputs of which some have come in beside the others: as what stands among the arguments."""
    given = plain_arguments(inputs)
    plain, twins = iter([x for x in given if not isinstance(x, EagerTensor)]), {}
    for k, x in enumerate(inputs):
        beside = KEY not in vars(x) and not any(x is other for other in given)
        argument = next(plain, None) if beside else None
        if k in wanted:
            twins[k] = input_twin(x, argument)
    return [twins[k] for k in wanted]


def with_changes(kernel, inputs, attributes, outputs, twins):
    """In a replay: run the op again if what came in beside its inputs is to have another value."""
    now = [*inputs]
    for k, twin in twins.items():
        if twin is not None and not twin.id and twin.value != inputs[k]._numpy():
            now[k] = as_tensor(twin.value, inputs[k])
    changed = any(getattr(twin, "changed", False) for twin in twins.values())
    if changed or any(x is not before for x, before in zip(now, inputs)):
        run_again(kernel, now, attributes, outputs)


def told_to_all(op, own, twins, kernel, attributes, inputs, outputs, function):
    """Tell tapes and traces of an op. (While TensorFlow's tapes are stopped, they hear nothing.)"""
    made = [y for y in twins if y is not None]
    output = made[0] if len(made) == 1 and not op.many else made
    with without_tapes() if pywrap_tfe.TFE_Py_TapeSetIsStopped() else contextlib.nullcontext():
        for listener in listening.now:
            if listener.tracked_ids is None:
                listener.hear(op, own, output, ())
            elif hasattr(listener, "record"):
                listener.record(kernel, attributes, inputs, outputs, twins, function)


def plain_arguments(inputs) -> list:
    """What was given to the function of TensorFlow that runs an op, and became a tensor only there, in order."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in OWN:
        frame = frame.f_back
    if frame is None or not os.path.basename(frame.f_code.co_filename).startswith("gen_"):
        return []
    code, here = frame.f_code, frame.f_locals
    given = [here.get(name) for name in code.co_varnames[: code.co_argcount]]
    return [one for part in given for one in (part if isinstance(part, (list, tuple)) else [part])]


def input_twin(x, given=None):
    """The twin of an input. One that nobody has heard of has come in beside the others, as this argument."""
    twin = vars(x).get(KEY)
    if isinstance(twin, VariableTwin):  # the handle of a Variable
        read(twin)
        return twin._now
    if twin is not None or holds_none(x):
        return twin
    if isinstance(given, BaseResourceVariable):
        variable = twin_of(given)
        read(variable)
        return stand_for(x, variable)
    if type(given) in (int, float, complex):
        return number_of(x)
    twin = twin_of(x)
    if given is not None and (x.dtype.is_floating or x.dtype.is_complex):
        coming(given, twin)
    return twin


def keep_in(resources, inputs):
    """Something went into what holds values, such as a Dataset or a queue, or a Variable that is being made."""
    kept = [one for x in inputs for one in vars(x).get(HELD, [])]
    kept += [x for x in inputs if x.dtype.is_floating or x.dtype.is_complex]
    for one in resources:
        vars(one).setdefault(HELD, []).extend(kept)


def stored(kernel, inputs, outputs):
    """Something came out of what holds values: it is what went in that has its dtype."""
    where = "Dataset" if "Iterator" in kernel else "FIFOQueue" if "Queue" in kernel else kernel
    kept = [one for x in inputs for one in vars(x).get(HELD, [])]
    for y in outputs:
        for one in [one for one in kept if one.dtype == y.dtype and y.dtype.is_floating]:
            storing(twin_of(one), twin_of(y), where)


def stand_for(tensor, variable):
    """A tensor is what a Variable holds: it goes by the Variable's number."""
    twin = twin_of(tensor)
    twin.id = variable.id
    return twin


def going_back(kernel, attributes, count, inputs, outputs, dys, skipped, scope):
    """TensorFlow's backward pass asks an op for its gradients."""
    found = gradient_function(kernel, attributes, count, inputs, outputs, dys, skipped, scope)
    if asking and not silence.depth:
        carefully(asking[-1].stepped_back)(attributes, dys, found)
    return found


def recording(original):
    """TensorFlow records something that is no op: a custom gradient, or a traced function."""

    def told(op_type, output_tensors, input_tensors, backward_function, *more, **named):
        key: Any = ("function", op_type, object())

        def going_back(*dys):
            found = backward_function(*dys)
            if asking and not silence.depth:
                carefully(asking[-1].stepped_back)(key, dys, found)
            return found

        heard_custom(op_type, output_tensors, input_tensors, going_back, key)
        return original(op_type, output_tensors, input_tensors, going_back, *more, **named)

    return told


@carefully
def heard_custom(kind, outputs, inputs, backward, key):
    name = kind.decode() if isinstance(kind, bytes) else kind
    if not all(isinstance(y, EagerTensor) for y in outputs) or not listening.now:
        return
    own = [twin for twin in map(input_twin, inputs) if twin is not None]
    op = heard(name, len(inputs)).op if name.startswith("__") else with_gradient
    told_to_all(op, own, [twin_of(y) for y in outputs], name, key, [*inputs], [*outputs], backward)


def calling(original):
    """A layer of Keras is called: its name stands over what runs in it."""

    @functools.wraps(original)
    def told(layer, *args, **kwargs):
        outer = listening.module
        listening.module = f"{outer}/{layer.name}".lstrip("/")
        try:
            return original(layer, *args, **kwargs)
        finally:
            listening.module = outer

    return told


# ---- Variables -------------------------------------------------------------------------------------------------------

def making(original):
    def told(variable, *args, **kwargs):
        original(variable, *args, **kwargs)
        made(variable)

    return told


@carefully
def made(variable):
    if not isinstance(variable.handle, EagerTensor) or variable.dtype in (tf.resource, tf.variant):
        return
    twin = vars(variable.handle).get(KEY)
    if twin is not None:  # what `assign` returns is the Variable under another name
        vars(variable)[KEY] = twin
    else:
        given = [twin_of(one) for one in vars(variable.handle).pop(HELD, [])]
        twin = met(variable)
        for listener in listening.now:
            listener.wrote(twin, given[-1] if given else twin._now.value, "Variable")



def read(variable):
    for listener in listening.now:
        if listener.read_versions.get(variable.id) != variable.version:
            listener.read(variable)


def wrote(kernel, inputs):
    """An op that gives nothing has written what it was given the handle of."""
    if len(inputs) < 2:
        return
    handle, *given = inputs
    variable = vars(handle).get(KEY)
    if not isinstance(variable, VariableTwin):
        keep_in([x for x in inputs if holds_others(x)], inputs)
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
        return leaving(twin, "bool()" if decided_inside(result) else exit, result)

    return functools.wraps(original)(told)


def decided_inside(result) -> bool:
    """Does TensorFlow itself decide something with a truth value, as `tf.cond` does?"""
    return isinstance(result, (bool, np.bool_)) and not USERS[sys._getframe(2).f_code.co_filename]


# ---- tapes -----------------------------------------------------------------------------------------------------------


def opening(original):
    def told(tape):
        original(tape)
        opened(tape)

    return told


@carefully
def opened(tape):
    if "keras" in sys.modules and not any(owner is sys.modules["keras"].Layer for owner, *_ in placed):
        put_around(sys.modules["keras"].Layer, "__call__", calling)
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


def answering(original, whole=True):
    """A question to a tape. (What a Jacobian runs in between, in a graph, is not heard.)"""

    def gradient(tape, target, sources, *args, **kwargs):
        twin = tapes.get(tape)
        if twin is None or silence.depth or not listening.now:
            return original(tape, target, sources, *args, **kwargs)
        targets, leaves = ([twin_of(one) for one in tf.nest.flatten(given)] for given in (target, sources))
        if any(one is None for one in (*targets, *leaves)):  # in a graph, or no tensors
            return original(tape, target, sources, *args, **kwargs)
        spent, reached = tape._tape is None, {step[INPUT] for step in prune(twin.steps or [], [one.id for one in leaves])}
        twin.wanted = reached
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
        twin.steps, twin.nodes = None, {}
    real = [dx if one.id in reached else None for one, dx in zip(sources, found)]  # no zeros that stand for None
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


def beginning(original):
    def told(tape, *args, **kwargs):
        original(tape, *args, **kwargs)
        carefully(twin_of_tape)(tape)

    return told


ON_TAPES = {
    "__init__": beginning, "_push_tape": opening, "_pop_tape": closing, "watch": watching, "reset": clearing, "stop_recording": stopping,
    "gradient": answering, "jacobian": functools.partial(answering, whole=False),
    "batch_jacobian": functools.partial(answering, whole=False),
}  # fmt: skip
