"""tf.random: the same seeds give the same numbers as in TensorFlow.

There are three steps: from seeds to a stream of random bits (`streams`); from bits to numbers (`numbers`, `rejection`);
and the functions that draw: from a global seed (`drawing`), from seeds passed to them (`stateless`), or from a state
that advances (`generator`).
"""

from typing import TYPE_CHECKING

from .. import later
from ..engine import tell_help
from .drawing import categorical, gamma, normal, poisson, shuffle, truncated_normal, uniform
from .stateless import (
    fold_in, split, stateless_binomial, stateless_categorical, stateless_gamma, stateless_normal, stateless_poisson,
    stateless_truncated_normal, stateless_uniform,
)  # fmt: skip
from .streams import Algorithm, set_seed

if TYPE_CHECKING:
    from . import experimental
    from .generator import Generator, create_rng_state, get_global_generator, set_global_generator

LATER = {  # what is loaded when it is first used
    "": ["experimental"],
    "generator": ["Generator", "create_rng_state", "get_global_generator", "set_global_generator"],
}
__getattr__ = later.loads(__name__, LATER)
__all__ = ["Algorithm", "Generator", "categorical", "create_rng_state", "experimental", "fold_in", "gamma",
           "get_global_generator", "normal", "poisson", "set_global_generator", "set_seed", "shuffle", "split",
           "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal", "stateless_poisson",
           "stateless_truncated_normal", "stateless_uniform", "truncated_normal", "uniform"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers

tell_help(__name__)
