"""tf.nn: activations, losses and what else networks are made of."""

import numpy as np

from . import attributes as tidy
from .op import op


@op("Relu", "iuf", dfeatures=lambda dy, y: dy * (y > 0))
def relu(features):
    """max(features, 0), element by element; its slope at 0 is taken as 0.

    >>> import minigrad as mg
    >>> print(mg.nn.relu([-1.0, 2.0]).numpy())
    [0. 2.]
    """
    return np.maximum(features, 0)


@op("Softmax", "f", dlogits=lambda dy, y: (dy - np.add.reduce(dy * y, axis=-1, keepdims=True)) * y)
def softmax(logits):
    """exp(logits) / sum(exp(logits)) along the last axis.

    >>> import minigrad as mg
    >>> print(mg.nn.softmax([[0.0, 0.0]]).numpy())
    [[0.5 0.5]]
    """
    e = np.exp(logits - np.maximum.reduce(logits, -1, keepdims=True))
    e /= np.add.reduce(e, -1, keepdims=True)
    return e


@op("SparseSoftmaxCrossEntropyWithLogits", "f", dlabels=None,
    dlogits=lambda dloss, labels, p: dloss[..., None] * (p - one_hot_like(labels, p)), p=lambda logits: softmax(logits))  # fmt: skip
def sparse_softmax_cross_entropy_with_logits(labels, logits):
    """-log of the probability p that softmax(logits) gives to each label.

    >>> import minigrad as mg
    >>> print(mg.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.5, 0.25]]).numpy())
    [0.8259394]
    """
    z = logits - np.maximum.reduce(logits, -1, keepdims=True)
    p = np.exp(z)
    total = np.add.reduce(p, -1, keepdims=True)
    return np.log(total[:, 0]) - z[np.arange(len(z)), labels], p / total


def one_hot_like(labels, p):
    """1 where a row's label is, elsewhere 0."""
    one = np.zeros(p.shape, p.dtype)
    one[np.arange(len(one)), np.asarray(labels)] = 1
    return one
