"""The places at which TensorFlow is heard: `install` wraps its functions, and `remove` unwraps them.

TensorFlow itself reports each op. The rest are methods of its tensors, Variables and tapes, and of Keras layers.
"""

import contextlib
import functools
import sys

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, record
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.framework import constant_op, op_callbacks, ops
from tensorflow.python.ops import gen_dataset_ops, script_ops
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable, ResourceVariable

from ..explain import names
from ..tracing import checkpoint
from ..tracing.places import PUBLIC, SKIPPED
from .careful import then
from .datasets import beginning, drawing
from .ops import calling, going_back, in_graph, op_ran, recording, running_python
from .questions import ON_TAPES
from .state import made
from .tapes import gradient_function, tapes
from .twins import twin_of
from .values import EXITS, entering, exiting

SKIPPED |= {  # functions of TensorFlow between the user and the function called
    "error_handler", "op_dispatch_handler", "binary_op_wrapper", "r_binary_op_wrapper", "wrapper", "told", "wrapped",
    "tensor_equals", "converted",
}  # fmt: skip
PUBLIC |= {"eager_py_func": "py_function", "maybe_promote_tensors": "the operator"}
placed: list = []  # each wrapped attribute: its owner, its name and the original


def install() -> None:
    """Listen to what TensorFlow does in this thread from now on."""
    op_callbacks.add_op_callback(op_ran)
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
    put_around(BaseResourceVariable, "__init__", then(made))
    for name, around in ON_TAPES.items():
        put_around(backprop.GradientTape, name, around)
    put_around(backprop.GradientTape, "_push_tape", then(hear_layers))
    put_around(script_ops.EagerFunc, "__call__", running_python)
    put_around(polymorphic_function.Function, "_call", in_graph)
    put_around(gen_dataset_ops, "iterator_get_next", drawing)
    put_around(gen_dataset_ops, "make_iterator", beginning)
    put_around(record, "record_operation", recording)
    put_around(record, "record_operation_backprop_only", recording)
    pywrap_tfe.TFE_Py_RegisterGradientFunction(going_back)


def hear_layers(tape) -> None:
    """Listen to Keras layers. Keras may be imported late, so this happens when a tape is opened."""
    keras = sys.modules.get("keras")
    if keras is not None and not any(owner is keras.Layer for owner, *_ in placed):
        put_around(keras.Layer, "__call__", calling)


def leave_thread() -> None:
    """Stop listening to the ops of this thread."""
    with contextlib.suppress(KeyError):  # there was no listener
        op_callbacks.remove_op_callback(op_ran)


def remove() -> None:
    """Stop listening, and restore TensorFlow as it was."""
    if not placed:
        return
    while placed:
        owner, name, before = placed.pop()
        setattr(owner, name, before) if before is not None else delattr(owner, name)
    pywrap_tfe.TFE_Py_RegisterGradientFunction(gradient_function)


def put_around(owner, name, make):
    before = vars(owner).get(name)
    placed.append((owner, name, before))
    setattr(owner, name, make(before if before is not None else getattr(owner, name)))


def known(value):
    """The twin of a tensor, a Variable or a tape of TensorFlow."""
    if isinstance(value, backprop.GradientTape):
        return tapes.get(value)
    return twin_of(value)


names.FOREIGN.append(known)
