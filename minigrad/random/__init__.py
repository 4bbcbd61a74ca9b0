"""tf.random: from the same seeds the same numbers as in TensorFlow.

There are three steps: from seeds to a stream of random bits (`streams`); from bits to numbers (`numbers`, `rejection`);
and the functions that draw: from a global seed (`drawing`), from seeds that they are given (`stateless`), or from a
state that goes on (`generator`).
"""

import importlib

from .drawing import categorical, gamma, normal, poisson, shuffle, truncated_normal, uniform
from .stateless import (
    fold_in, split, stateless_binomial, stateless_categorical, stateless_gamma, stateless_normal, stateless_poisson,
    stateless_truncated_normal, stateless_uniform,
)  # fmt: skip
from .streams import Algorithm, set_seed

LATER = {"Generator", "create_rng_state", "get_global_generator", "set_global_generator"}  # loaded when first used


def __getattr__(name):
    if name in LATER:
        return getattr(importlib.import_module(f"{__name__}.generator"), name)
    if name == "experimental":
        return importlib.import_module(f"{__name__}.experimental")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Algorithm", "Generator", "categorical", "create_rng_state", "experimental", "fold_in", "gamma",
           "get_global_generator", "normal", "poisson", "set_global_generator", "set_seed", "shuffle", "split",
           "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal", "stateless_poisson",
           "stateless_truncated_normal", "stateless_uniform", "truncated_normal", "uniform"]  # fmt: skip
