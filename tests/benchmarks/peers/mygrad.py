"""MyGrad. (It has first derivatives only.)"""

import mygrad
import numpy as np
from mygrad.nnet.activations import relu
from mygrad.nnet.losses import softmax_crossentropy

from .. import workloads as w


def network(name):
    def setup():
        x, labels, ws, bs = w.network(name)
        act = mygrad.tanh if name == "W3t" else relu
        ws, bs = list(map(mygrad.tensor, ws)), list(map(mygrad.tensor, bs))

        def step():
            h = x
            for weights, bias in zip(ws[:-1], bs[:-1]):
                h = act(mygrad.matmul(h, weights) + bias)
            loss = softmax_crossentropy(mygrad.matmul(h, ws[-1]) + bs[-1], labels)
            loss.backward()
            return loss.item(), [one.grad for one in ws + bs]

        return step

    return setup


def tensor_chain():
    x = mygrad.tensor(np.float32(0.7))

    def step():
        y = x
        for _ in range(w.CHAIN // 3):
            y = mygrad.sin(y * x + x)
        y.backward()
        return y.item(), [x.grad]

    return step


def number_chain(ops):
    def setup():
        x = mygrad.tensor(np.float32(0.7))

        def step():
            y = x
            for _ in range(ops // 3):
                y = mygrad.sin(y * 1.01 + 0.1)
            y.backward()
            return y.item(), [x.grad]

        return step

    return setup


def million():
    x = mygrad.tensor(w.million())

    def step():
        value = (x * (1 / (1 + mygrad.exp(-x)))).sum()
        value.backward()
        return value.item(), [x.grad]

    return step


def logistic():
    x, labels = w.classes()
    rate = np.float32(w.RATE)

    def step():
        weights, bias = mygrad.tensor(np.zeros((30, 1), np.float32)), mygrad.tensor(np.zeros(1, np.float32))
        for _ in range(w.STEPS):
            z = mygrad.matmul(x, weights) + bias
            loss = mygrad.mean(mygrad.logaddexp(0, z) - labels * z)
            loss.backward()
            weights, bias = (mygrad.tensor(one.data - rate * one.grad) for one in (weights, bias))
        return loss.item(), [weights.data, bias.data]

    return step


setups = {
    **{name: network(name) for name in w.NETWORKS},
    "W2": tensor_chain, "W2f": number_chain(w.CHAIN), "W6": number_chain(w.LONG_CHAIN), "W5": million, "W10": logistic,
}  # fmt: skip
