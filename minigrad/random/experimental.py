"""tf.random.experimental: other names of what is in `tf.random`, and shuffling without a state."""

from .generator import Generator, create_rng_state, get_global_generator, set_global_generator
from .stateless import fold_in as stateless_fold_in
from .stateless import split as stateless_split
from .stateless import stateless_shuffle
from .streams import Algorithm

__all__ = ["Algorithm", "Generator", "create_rng_state", "get_global_generator", "set_global_generator",
           "stateless_fold_in", "stateless_shuffle", "stateless_split"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers
