"""Lazy names of a namespace: a module is loaded when one of its names is first used."""

import importlib
import sys

NAMESPACES = {}  # namespace with lazy names -> these names
ABSENT = {  # names of TensorFlow and Keras that stay away: what minigrad does not have, and what to write instead
    "GRU GRUCell LSTM LSTMCell RNN SimpleRNN SimpleRNNCell Bidirectional TimeDistributed":
        "layers over time. Write a Layer whose `call` loops over the steps: for x in mg.unstack(inputs, axis=1).",
    "Attention AdditiveAttention MultiHeadAttention":
        "attention layers. Write a Layer whose `call` has mg.nn.softmax(mg.matmul(q, k, transpose_b=True)) @ v.",
    "RaggedTensor RaggedTensorSpec ragged":
        "ragged Tensors. Pad the rows to one length, and multiply by a mask of ones and zeros.",
    "SparseTensor SparseTensorSpec sparse": "sparse Tensors. Make a dense one: mg.scatter_nd(indices, values, shape).",
    "Graph Session compat placeholder": "TensorFlow 1. Ops run at once; a graph is made by @mg.function.",
    "TFRecordDataset TextLineDataset gfile io":
        "readers of files. Read with Python: mg.constant(pathlib.Path('a.txt').read_text()).",
    "load_model model_from_json save_model saved_model":
        "saved models. Make the model anew and load its weights: model.load_weights('a.weights.h5').",
    "raw_ops": "raw ops. Call the function that users call: mg.add for tf.raw_ops.Add.",
    "applications datasets preprocessing":
        "data and trained models to download. Load your own with NumPy: np.load('a.npz').",
    "lookup": "tables. Look up with Python, a dict, or by number: mg.gather(table, ids).",
    "distribute tpu": "computing on several machines. Write the step for one: model.fit, or a loop over a Dataset.",
    "summary": "TensorBoard. Print what you want to see: mg.print(loss), or film it: mg.inspect(tape).",
}  # fmt: skip


def loads(namespace, later):
    """The `__getattr__` of a namespace, which Python calls for a name that is not loaded yet.

    Args:
        namespace: the `__name__` of the namespace.
        later: module of its package -> the names that come from it; `""` -> the names that are modules themselves.

    Raises:
        AttributeError: (raised by the returned function) the namespace has no such name.
    """
    NAMESPACES[namespace] = places = {name: module for module, names in later.items() for name in names}

    def find(name):
        space = sys.modules[namespace]
        if name not in places:
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}{advice(name, space)}")
        module = importlib.import_module(f"{space.__package__}.{places[name] or name}")
        if not places[name] and not hasattr(module, "__getattr__"):
            module.__getattr__ = loads(module.__name__, {})  # type: ignore[method-assign]
        vars(space)[name] = found = getattr(module, name) if places[name] else module
        return found

    return find


def load_all():
    """Load the lazy modules of all namespaces, so that each op is known by its TensorFlow name."""
    todo = [*NAMESPACES]
    while todo:
        namespace = todo.pop()
        for name in NAMESPACES[namespace]:
            known = len(NAMESPACES)
            getattr(sys.modules[namespace], name)
            todo += [*NAMESPACES][known:]


def advice(name, space):
    """A suggestion for a name that does not exist."""
    import difflib

    if (instead := next((text for names, text in ABSENT.items() if name in names.split()), None)) is not None:
        return f": minigrad has no {instead}"
    near = difflib.get_close_matches(name, space.__all__, n=1)
    return f". Did you mean {space.__name__.replace('minigrad', 'mg', 1)}.{near[0]}?" if near else ""
