import autograd
import autograd.numpy as np
import numpy

from .. import workloads as w


def run(f, inputs):
    both = autograd.value_and_grad(f)

    def step():
        value, grads = both(inputs)
        return value, grads if isinstance(grads, list) else [grads]

    return step


def rows_of(f, x):
    def step():
        rows = f(x)
        return rows.sum(), [rows]

    return step


def network(name):
    def setup():
        x, labels, ws, bs = w.network(name)
        n, each = len(ws), numpy.arange(len(labels))

        def loss(parameters):
            h = x
            for weights, bias in zip(parameters[: n - 1], parameters[n:-1]):
                h = h @ weights + bias
                h = np.tanh(h) if name == "W3t" else np.maximum(h, 0)
            z = h @ parameters[n - 1] + parameters[-1]
            z = z - np.max(z, 1, keepdims=True)
            return np.mean(np.log(np.sum(np.exp(z), 1)) - z[each, labels])

        return run(loss, ws + bs)

    return setup


def tensor_chain():
    def chain(x):
        y = x
        for _ in range(w.CHAIN // 3):
            y = np.sin(y * x + x)
        return y

    return run(chain, numpy.float32(0.7))


def number_chain(ops):
    def setup():
        def chain(x):
            y = x
            for _ in range(ops // 3):
                y = np.sin(y * 1.01 + 0.1)
            return y

        return run(chain, numpy.float32(0.7))

    return setup


def million():
    return run(lambda x: np.sum(x * (1 / (1 + np.exp(-x)))), w.million())


def jacobian():
    x, weights, bias = w.layer()
    return rows_of(autograd.jacobian(lambda x: np.tanh(x @ weights + bias)), x)


def second():
    slope = autograd.grad(lambda x: np.sum(x**3))
    return rows_of(autograd.grad(lambda x: np.sum(slope(x))), w.thousand())


def hessian():
    x, a = w.bent()
    return rows_of(autograd.hessian(lambda x: np.sum(np.tanh(x @ a))), x)


def logistic():
    x, labels = w.classes()

    def loss(parameters):
        z = x @ parameters[0] + parameters[1]
        return np.mean(np.logaddexp(0, z) - labels * z)

    both, rate = autograd.value_and_grad(loss), numpy.float32(w.RATE)

    def step():
        parameters = [numpy.zeros((30, 1), numpy.float32), numpy.zeros(1, numpy.float32)]
        for _ in range(w.STEPS):
            value, grads = both(parameters)
            parameters = [one - rate * d for one, d in zip(parameters, grads)]
        return value, parameters

    return step


setups = {
    **{name: network(name) for name in w.NETWORKS},
    "W2": tensor_chain, "W2f": number_chain(w.CHAIN), "W6": number_chain(w.LONG_CHAIN), "W5": million, "W7": jacobian,
    "W8": second, "W8h": hessian, "W10": logistic,
}  # fmt: skip
