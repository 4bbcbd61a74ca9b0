"""tf.linalg: matrices. Each op is a NumPy expression, and above it its derivatives."""

import numpy as np

from . import attributes as tidy
from .op import op

NUMERIC = "iufc"


@op("MatMul", NUMERIC, da=lambda dz, b: dz @ b.mT, db=lambda dz, a: a.mT @ dz)
def matmul(a, b):
    """The matrix product.

    >>> import minigrad as mg
    >>> print(mg.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy())
    [[11.]]
    """
    return a @ b
