"""Reports the ops that TensorFlow runs, forward and backward, to tapes and traces."""

import contextlib
import functools
import itertools
import os
import re
import sys
import weakref
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

from ..engine.custom import with_gradient
from ..engine.listening import Call, coming, listening, without_tapes
from ..engine.tensor import next_id
from ..explain.names import ENTRANCES
from ..tracing import checkpoint
from ..tracing.places import user_frame
from .careful import carefully
from .quiet import silence
from .state import keep_in, read, stand_for, stored, wrote
from .tapes import asking, back_through_python, gradient_function
from .twins import (
    IN_PYTHON,
    KEY,
    NUMBER,
    EagerTensor,
    Twin,
    VariableTwin,
    as_tensor,
    heard,
    holds_none,
    holds_others,
    number_of,
    run_again,
    twin_of,
)

EXPLICIT = {"value", "read_value", *ENTRANCES}  # calls with which a user reads the value of a Variable as a tensor
OWN = {__file__, sys.modules[carefully.__module__].__file__}


@carefully
def op_ran(kernel, inputs, attributes, outputs, op_name=None, graph=None):
    """Hear an op that TensorFlow ran."""
    now = listening.now
    if graph is not None or not now or (asking and not asking[-1]._is_recorded()):
        return
    kernel = kernel.decode() if isinstance(kernel, bytes) else kernel
    if kernel.startswith("__forward"):  # of a traced function, which `recording` hears
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
    if kernel == "IteratorGetNext":  # its outputs are independent of each other
        for y in outputs:
            hear(kernel, inputs, attributes, [y])
    else:
        hear(kernel, inputs, attributes, outputs)
    if handles:
        stored(kernel, inputs, outputs)


def hear(kernel, inputs, attributes, outputs):
    one = heard(kernel, len(inputs))
    wanted = one.pick(inputs, attributes)
    twins = [vars(inputs[k]).get(KEY) for k in wanted]
    if any([twin.__class__ is not Twin for twin in twins]):
        twins = met_beside(inputs, wanted)
    if checkpoint.replay is not None:
        with_changes(kernel, inputs, attributes, outputs, dict(zip(wanted, twins)))
    own = [twin for twin in twins if twin is not None]
    back = back_through_python(attributes) if kernel == IN_PYTHON else None
    told_to_all(one.op, own, [Twin(y, next_id()) for y in outputs], kernel, attributes, inputs, outputs, back)


def met_beside(inputs, wanted) -> list:
    """The twins of inputs, some of which were no tensors in the call: those get the arguments they were made from."""
    given = plain_arguments(inputs)
    plain, twins = iter([x for x in given if not isinstance(x, EagerTensor)]), {}
    for k, x in enumerate(inputs):
        beside = KEY not in vars(x) and not any(x is other for other in given)
        argument = next(plain, None) if beside else None
        if k in wanted:
            twins[k] = input_twin(x, argument)
    return [twins[k] for k in wanted]


def with_changes(kernel, inputs, attributes, outputs, twins):
    """In a replay: run the op again if one of its constant inputs has been given another value."""
    now = [*inputs]
    for k, twin in twins.items():
        if twin is not None and not twin.id and twin.value != inputs[k]._numpy():
            now[k] = as_tensor(twin.value, inputs[k])
    changed = any(getattr(twin, "changed", False) for twin in twins.values())
    if changed or any(x is not before for x, before in zip(now, inputs)):
        run_again(kernel, now, attributes, outputs)


def told_to_all(op, own, twins, kernel, attributes, inputs, outputs, function=None):
    """Report an op to tapes and traces. (While TensorFlow's tapes are stopped, the tapes hear nothing.)"""
    made = [y for y in twins if y is not None]
    output = made[0] if len(made) == 1 and not op.many else made
    with without_tapes() if pywrap_tfe.TFE_Py_TapeSetIsStopped() else contextlib.nullcontext():
        for listener in listening.now:
            if listener.tracked_ids is None:
                listener.hear(op, own, output, ())
            elif hasattr(listener, "record"):
                listener.record(kernel, attributes, inputs, outputs, twins, function)


def plain_arguments(inputs) -> list:
    """The arguments of the TensorFlow function that runs the op, in order, before they were converted to tensors."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in OWN:
        frame = frame.f_back
    if frame is None or not os.path.basename(frame.f_code.co_filename).startswith("gen_"):
        return []
    code, here = frame.f_code, frame.f_locals
    given = [here.get(name) for name in code.co_varnames[: code.co_argcount]]
    return [one for part in given for one in (part if isinstance(part, (list, tuple)) else [part])]


def input_twin(x, given=None):
    """The twin of an input. An input without one was made from a value in the call, the argument `given`."""
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
    if type(given) in (int, float, complex) or NUMBER in vars(x):
        return number_of(x)
    twin = twin_of(x)
    if given is not None and (x.dtype.is_floating or x.dtype.is_complex):
        coming(given, twin)
    return twin


def going_back(kernel, attributes, count, inputs, outputs, dys, skipped, scope):
    """The function by which TensorFlow's backward pass asks an op for its gradients."""
    found = gradient_function(kernel, attributes, count, inputs, outputs, dys, skipped, scope)
    if asking and not silence.depth:
        carefully(asking[-1].stepped_back)(attributes, dys, found)
    return found


def recording(original):
    """Wrap TensorFlow's recording of a custom gradient or a traced function, which are not ops."""

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


def running_python(original):
    """Wrap the call of the function of a `tf.py_function`: its own tape hears it, and no other does."""

    def told(function, device, token, args):
        with without_tapes():
            return original(function, device, token, args)

    return told


def in_graph(original):
    """Wrap the call of a traced function. In a replay it would never end: a fork lacks the threads that run it."""

    def told(function, *args, **kwargs):
        if checkpoint.replay is not None:
            instead = "tf.config.run_functions_eagerly(True) at the top lets it be tried"
            checkpoint.finish(f"{function._name} runs in a graph; {instead}")
        found = original(function, *args, **kwargs)
        hide(function)
        return found

    return told


@carefully
def hide(function):
    """Note that values may leave unseen in a traced function that assigns Variables or calls Python."""
    taped = any(one.tracked_ids is not None for one in listening.now)
    if taped and any(map(loses_values, function._list_all_concrete_functions())):
        for one in listening.now:
            if hasattr(one, "unseen"):
                one.unseen = one.count


losing: Any = weakref.WeakKeyDictionary()  # a graph -> the result of `loses_values`


def loses_values(concrete) -> bool:
    """Whether a graph, or one inside it, assigns Variables or calls Python."""
    if concrete not in losing:
        whole = concrete.graph.as_graph_def()
        nodes = itertools.chain(whole.node, *[one.node_def for one in whole.library.function])
        losing[concrete] = any(re.match(r"Assign|Resource.*Scatter|(Eager)?PyFunc", node.op) for node in nodes)
    return losing[concrete]


def calling(original):
    """Wrap the call of a Keras layer: its name is noted for all that runs in it."""

    @functools.wraps(original)
    def told(layer, *args, **kwargs):
        outer = listening.module
        listening.module = Call(f"{outer}/{layer.name}".lstrip("/"), outer)
        try:
            return original(layer, *args, **kwargs)
        finally:
            listening.module = outer

    return told
