"""The workloads: their sizes and their data, the same for every library.

W1 and W9 stand apart: W1 is the import, W9 is the memory of one training step.
"""

import itertools

import numpy as np

TITLES = {
    "W2": "chain of 999 scalar ops, Tensor by Tensor",
    "W2f": "chain of 999 scalar ops, Tensor by Python number",
    "W3": "small network, 32 x 64-64-64-10, relu",
    "W3t": "the same, tanh",
    "W4": "larger network, 128 x 784-256-128-10",
    "W5": "6 ops on a million numbers",
    "W6": "chain of a million scalar ops",
    "W7": "Jacobian 100 x 100 of tanh(x @ W + b)",
    "W8": "gradient of the gradient of sum(x**3), 1,000 numbers",
    "W8h": "Hessian 50 x 50 of sum(tanh(x @ A))",
    "W9": "peak memory of a step, 20 layers 1024 x 1024, batch 512",
    "W9b": "peak memory of a step, 20 layers 256 x 256, batch 8192",
    "W10": "logistic regression, 200 steps",
}
CHAIN, LONG_CHAIN = 999, 999_999
NETWORKS = {
    "W3": (32, (64, 64, 64, 10)),
    "W3t": (32, (64, 64, 64, 10)),
    "W4": (128, (784, 256, 128, 10)),
    "W9": (512, (1024,) * 21),
    "W9b": (8192, (256,) * 21),
    "warm-up": (4, (8,) * 21),  # of W9: what a library sets up once is not a step's
}
MEMORY = {"W9", "W9b"}
STEPS, RATE = 200, 0.1  # of W10


def network(name):
    """Inputs, labels, weights and biases."""
    random = np.random.default_rng(0)
    batch, sizes = NETWORKS[name]
    x = random.standard_normal((batch, sizes[0])).astype(np.float32)
    labels = random.integers(0, sizes[-1], batch)
    ws = [(random.standard_normal((n, m)) / np.sqrt(n)).astype(np.float32) for n, m in itertools.pairwise(sizes)]
    return x, labels, ws, [np.zeros(m, np.float32) for m in sizes[1:]]


def million():
    return np.random.default_rng(1).standard_normal(10**6).astype(np.float32)


def layer():
    """x, W and b of W7."""
    random = np.random.default_rng(2)
    x, w = random.standard_normal((1, 100)), random.standard_normal((100, 100)) / 10
    return x.astype(np.float32), w.astype(np.float32), np.zeros(100, np.float32)


def thousand():
    return np.random.default_rng(3).standard_normal(1000).astype(np.float32)


def bent():
    """x and A of W8h."""
    random = np.random.default_rng(4)
    return random.standard_normal((1, 50)).astype(np.float32), (random.standard_normal((50, 50)) / 7).astype(np.float32)


def classes():
    """Examples and labels of W10."""
    random = np.random.default_rng(5)
    x, w = random.standard_normal((569, 30)), random.standard_normal((30, 1))
    return x.astype(np.float32), (x @ w + 0.5 * random.standard_normal((569, 1)) > 0).astype(np.float32)
