"""Variables, Datasets and queues of TensorFlow: which values were read from them, and which went in."""

from tensorflow.python.eager import context
from tensorflow.python.framework import ops

from ..engine.listening import listening, storing
from .twins import KEY, VariableTwin, holds_others, met, twin_of

HELD = "_minigrad_held"  # the attribute of a handle with the tensors that went into its resource
MOST = 64  # how many of them are kept, the last ones
STORES = {"Iterator": "Dataset", "Queue": "FIFOQueue"}  # word in a kernel's name -> where its values come from
HOW = {"AssignVariableOp": "assign", "AssignAddVariableOp": "assign_add", "AssignSubVariableOp": "assign_sub"}


def made(variable, *args, **kwargs):
    """Hear that a Variable was made. (`assign` returns the same Variable in a new object.)"""
    if not isinstance(variable.handle, ops.EagerTensor):
        return
    twin = vars(variable.handle).get(KEY)
    if twin is not None:
        vars(variable)[KEY] = twin
        return
    given = [twin_of(one) for one in vars(variable.handle).pop(HELD, [])]
    twin = met(variable)
    if not context.executing_eagerly():  # a function is being traced, and gives it its value later
        return
    for listener in listening.now:
        listener.wrote(twin, given[-1] if given else twin._now.value, "Variable")


def read(variable):
    for listener in listening.now:
        if listener.read_versions.get(variable.id) != variable.version:
            listener.read(variable)


def wrote(kernel, inputs):
    """Hear an op without outputs: it has written into the resource whose handle it was given."""
    if len(inputs) < 2:
        return
    handle, *given = inputs
    variable = vars(handle).get(KEY)
    if not isinstance(variable, VariableTwin):
        keep_in([x for x in inputs if holds_others(x)], inputs)
        return
    value = vars(given[-1]).get(KEY)
    value = given[-1]._numpy() if value is None else value
    variable.version += 1
    for listener in listening.now:
        listener.wrote(variable, value, HOW.get(kernel, "scatter"))


def keep_in(resources, inputs):
    """Note that tensors went into a resource: a Dataset, a queue, or a Variable that is being made."""
    kept = [one for x in inputs for one in vars(x).get(HELD, [])]
    kept += [x for x in inputs if x.dtype.is_floating or x.dtype.is_complex]
    for one in resources:
        vars(one)[HELD] = [*vars(one).get(HELD, []), *kept][-MOST:]


def stored(kernel, inputs, outputs):
    """Note that tensors came out of a resource: each comes from those that went in and have its dtype."""
    where = next((one for word, one in STORES.items() if word in kernel), kernel)
    kept = [one for x in inputs for one in vars(x).get(HELD, [])]
    for y in outputs:
        for one in [one for one in kept if one.dtype == y.dtype and y.dtype.is_floating]:
            storing(twin_of(one), twin_of(y), where)


def stand_for(tensor, variable):
    """Give a tensor that holds the value of a Variable the Variable's number."""
    twin = twin_of(tensor)
    twin.id = variable.id
    return twin
