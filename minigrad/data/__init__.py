"""tf.data: a Dataset gives its elements one after the other, and makes each when it is asked for.

An element is a Tensor, or a tuple or dict of such. No tape follows them: a Dataset cuts the path of gradients.
"""

# fmt: off
from .dataset import (
    Dataset, DatasetSpec, Iterator,
)
from .elements import (
    AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY,
)

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "Iterator",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers
