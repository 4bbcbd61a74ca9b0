"""tf.data: a Dataset produces its elements one by one, each on request.

An element is a Tensor, or a tuple or dict of Tensors, its components. No gradient flows through a Dataset.
"""

from .dataset import Dataset, DatasetSpec, Iterator
from .elements import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "Iterator"]
__dir__ = __all__.copy  # what Tab offers
