"""The ops that TensorFlow has at its top level. Each file lists what is public."""

from . import creation, gathering, indexing, sequences, shaping, sorting
from .creation import *
from .gathering import *
from .indexing import *
from .sequences import *
from .shaping import *
from .sorting import *

parts = creation, gathering, indexing, sequences, shaping, sorting
__all__ = [name for part in parts for name in part.__all__]
