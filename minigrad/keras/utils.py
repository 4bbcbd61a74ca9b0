"""tf.keras.utils: seeds and small helpers."""

import random as python_random
import re

import numpy as np

from ..ops.creation import cast
from ..ops.sequences import one_hot
from ..ops.shaping import squeeze
from ..random import set_seed

__all__ = ["clear_session", "set_random_seed", "to_categorical"]
__dir__ = __all__.copy  # what Tab offers

names = {}  # how often each automatic name was given


def unique_name(name) -> str:
    """The name, then name_1, name_2 ..."""
    count = names[name] = names.get(name, -1) + 1
    return f"{name}_{count}" if count else name


def checked_name(name) -> str:
    """The name, if it can be a part of a path.

    Raises:
        ValueError: it is no string, or has a slash.
    """
    if not isinstance(name, str) or "/" in name:
        raise ValueError(f"Argument `name` must be a string and cannot contain character `/`. Received: name={name} (of type {type(name)})")
    return name


def snake_case(name) -> str:
    """'LayerNormalization' as 'layer_normalization'."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def clear_session() -> None:
    """Count automatic names from the beginning again."""
    names.clear()


def set_random_seed(seed: int) -> None:
    """Set the seeds of Python's `random`, of NumPy and of minigrad. New layers then have the weights that Keras gives them.

    >>> import minigrad as mg
    >>> mg.keras.utils.set_random_seed(1)
    >>> print(mg.keras.layers.Dense(2)(mg.ones([1, 3])).numpy())
    [[-0.59402996 -0.40306795]]
    """
    python_random.seed(seed)
    np.random.seed(seed)
    set_seed(seed)


def to_categorical(x, num_classes=None):
    """Class numbers as rows with a 1 in the place of the class: a NumPy array, or a Tensor if `x` is one.

    >>> import minigrad as mg
    >>> mg.keras.utils.to_categorical([0, 2], 3)
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    if hasattr(x, "__tf_tensor__"):
        if num_classes is None:
            raise ValueError(
                "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor: the classes of a Tensor "
                "are not counted. Write to_categorical(x, num_classes)."
            )
        x = cast(x, "int64")
        return one_hot(squeeze(x, -1) if len(x.shape) > 1 and x.shape[-1] == 1 else x, num_classes)
    classes = np.asarray(x, np.int64)
    if classes.ndim > 1 and classes.shape[-1] == 1:
        classes = classes[..., 0]
    return np.eye(num_classes or int(classes.max()) + 1)[classes]


def newly_made(identifier, by_name, base):
    """What a name, a class or a config dict stands for; None if it is none of them."""
    if isinstance(identifier, dict) and identifier.get("class_name") in by_name:
        return by_name[identifier["class_name"]](**identifier.get("config", {}))
    if isinstance(identifier, str) and identifier in by_name:
        return by_name[identifier]()
    return identifier() if isinstance(identifier, type) and issubclass(identifier, base) else None
