"""tf.keras.backend: the part of it that programs still call with Keras 3."""

from .utils import clear_session

__all__ = ["clear_session", "epsilon", "floatx"]


def epsilon() -> float:
    """The small number that Keras adds where it divides, or takes a logarithm.

    >>> import minigrad as mg
    >>> mg.keras.backend.epsilon()
    1e-07
    """
    return 1e-7


def floatx() -> str:
    """The dtype of weights when none is given.

    >>> import minigrad as mg
    >>> mg.keras.backend.floatx()
    'float32'
    """
    return "float32"
