"""tf.keras.utils: seeds, one-hot labels, and how names of objects are made and classes are found by name."""

import inspect
import random as python_random
import re

import numpy as np

from ..errors import visible
from ..ops import cast, one_hot, squeeze
from ..random import set_seed

__all__ = ["clear_session", "set_random_seed", "to_categorical"]

name_counts = {}  # automatic name -> the number of the last object that got it


def unique_name(name) -> str:
    """The name itself the first time, then name_1, name_2, ..."""
    count = name_counts[name] = name_counts.get(name, -1) + 1
    return f"{name}_{count}" if count else name


def checked_name(name) -> str:
    """Check a name, which becomes a part of the paths of Variables, and return it.

    Raises:
        ValueError: it is not a string, or contains a slash.
    """
    if not isinstance(name, str) or "/" in name:
        received = f"name={visible(name)} (of type {type(name)})"
        raise ValueError(f"Argument `name` must be a string and cannot contain character `/`. Received: {received}")
    return name


def snake_case(name) -> str:
    """'LayerNormalization' as 'layer_normalization'."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def leaves(value):
    """The values in lists, tuples and dicts, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    return [x for one in value for x in leaves(one)] if isinstance(value, (list, tuple)) else [value]


def mapped(function, value):
    """Apply `function` to each value in lists, tuples and dicts, except None."""
    if isinstance(value, dict):
        return {key: mapped(function, x) for key, x in value.items()}
    if type(value) in (list, tuple):
        return type(value)([mapped(function, x) for x in value])
    return None if value is None else function(value)


def clear_session() -> None:
    """Restart the numbering of automatic names.

    >>> import minigrad as mg
    >>> mg.keras.utils.clear_session()
    >>> mg.keras.layers.Dense(1).name, mg.keras.layers.Dense(1).name
    ('dense', 'dense_1')
    """
    name_counts.clear()


def set_random_seed(seed: int) -> None:
    """Set the seeds of Python's `random`, NumPy and minigrad; new layers then get the same initial weights as in Keras.

    >>> import minigrad as mg
    >>> mg.keras.utils.set_random_seed(1)
    >>> print(mg.keras.layers.Dense(2)(mg.ones([1, 3])).numpy())
    [[-0.59402996 -0.40306795]]
    """
    python_random.seed(seed)
    np.random.seed(seed)
    set_seed(seed)


def to_categorical(x, num_classes=None):
    """One-hot rows for class indices.

    Args:
        x: integers of shape (...) or (..., 1).
        num_classes: the number of classes; for a Tensor it must be given, otherwise it is the largest index plus 1.

    Returns:
        A float64 array of shape (..., num_classes), or for a Tensor a float32 Tensor.

    Raises:
        ValueError: `x` is a Tensor and `num_classes` is not given.

    >>> import minigrad as mg
    >>> mg.keras.utils.to_categorical([0, 2], 3)
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    if hasattr(x, "__tf_tensor__"):
        if num_classes is None:
            problem = "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor: the"
            raise ValueError(f"{problem} classes of a Tensor are not counted. Write to_categorical(x, num_classes).")
        x = cast(x, "int64")
        return one_hot(squeeze(x, -1) if len(x.shape) > 1 and x.shape[-1] == 1 else x, num_classes)
    classes = np.asarray(x, np.int64)
    if classes.ndim > 1 and classes.shape[-1] == 1:
        classes = classes[..., 0]
    return np.eye(num_classes or int(classes.max()) + 1)[classes]


def found(identifier, kind, by_name, known=""):
    """What an identifier stands for: a function, an object or None stands for itself, a class for a new object.

    Args:
        identifier: a name, a class, a dict {"class_name": name, "config": settings}, or the object itself.
        kind: the kind of object, as named in the error.
        by_name: name -> function or class.
        known: the end of the error: the known names.

    Raises:
        ValueError: nothing has this name.
    """
    config = identifier if isinstance(identifier, dict) else {"class_name": identifier}
    name = config.get("class_name")
    one = by_name.get(name) if isinstance(name, str) else identifier
    one = one(**config.get("config", {})) if isinstance(one, type) else one
    if not callable(one) and identifier is not None:
        raise ValueError(f"Could not interpret {kind} identifier: {visible(identifier)}{known}")
    return one


def class_for(base, name, function, order, defaults):
    """Make the subclass of a class whose objects wrap a function and its settings, for one function.

    Args:
        base: it takes the function, and all else by name.
        name: of the new class.
        function: of the true values, of the predictions, and of settings.
        order: the parameters of the new class; * stands for the settings of the function.
        defaults: of parameters that are no settings of the function, or have another default there.
    """
    own = {one.name: one.default for one in [*inspect.signature(function).parameters.values()][2:]}
    names = [one for word in order.split() for one in (own if word == "*" else [word])]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(one, kind, default={**own, **defaults}[one]) for one in names]
    signature = inspect.Signature(parameters)

    class Made(base):
        def __init__(self, *args, **kwargs):
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            super().__init__(function, **given.arguments)

        __init__.__signature__ = inspect.Signature([inspect.Parameter("self", kind), *parameters])

    Made.__name__ = Made.__qualname__ = name
    Made.__module__ = base.__module__
    return Made
