"""Hand-written NumPy, forward and backward, in place where that is natural: what no tape can beat."""

import numpy as np

from .. import workloads as w

f32 = np.float32


def cross_entropy(z, labels):
    """The mean loss and its gradient."""
    rows = np.arange(len(labels))
    z = z - z.max(1, keepdims=True)
    p = np.exp(z)
    total = p.sum(1, keepdims=True)
    loss = (np.log(total[:, 0]) - z[rows, labels]).mean()
    p /= total
    p[rows, labels] -= 1
    p /= f32(len(labels))
    return loss, p


def network(name):
    def setup():
        x, labels, ws, bs = w.network(name)

        def step():
            h, inputs = x, [x]
            for weights, bias in zip(ws[:-1], bs[:-1]):
                h = h @ weights
                h += bias
                np.tanh(h, out=h) if name == "W3t" else np.maximum(h, 0, out=h)
                inputs.append(h)
            loss, d = cross_entropy(h @ ws[-1] + bs[-1], labels)
            dws, dbs = [], []
            for k in reversed(range(len(ws))):
                h = inputs.pop()
                dws.append(h.T @ d)
                dbs.append(d.sum(0))
                if k:
                    d = d @ ws[k].T
                    d *= (1 - h * h) if name == "W3t" else (h > 0)
            return loss, dws[::-1] + dbs[::-1]

        return step

    return setup


def tensor_chain():
    x = f32(0.7)

    def step():
        y, kept = x, []
        for _ in range(w.CHAIN // 3):
            inner = y * x + x
            kept.append((y, inner))
            y = np.sin(inner)
        dy, dx = f32(1), f32(0)
        for before, inner in reversed(kept):
            d = dy * np.cos(inner)
            dx = dx + d + d * before
            dy = d * x
        return y, [dx + dy]

    return step


def number_chain(ops):
    def setup():
        x = f32(0.7)

        def step():
            y, kept = x, []
            for _ in range(ops // 3):
                inner = y * 1.01 + 0.1
                kept.append(inner)
                y = np.sin(inner)
            dy = f32(1)
            for inner in reversed(kept):
                dy = dy * np.cos(inner) * 1.01
            return y, [dy]

        return step

    return setup


def million():
    x = w.million()

    def step():
        e = np.exp(-x)
        e += 1
        s = 1 / e
        value = (x * s).sum()
        g = 1 - s
        g *= x
        g += 1
        g *= s
        return value, [g]

    return step


def jacobian():
    x, weights, bias = w.layer()

    def step():
        y = np.tanh(x @ weights + bias)
        rows = (1 - y * y).T * weights.T
        return rows.sum(), [rows]

    return step


def second():
    x = w.thousand()

    def step():
        (x * x * x).sum(), 3 * (x * x)
        dx = 6 * x
        return dx.sum(), [dx]

    return step


def hessian():
    x, a = w.bent()

    def step():
        t = np.tanh(x @ a)
        rows = (a * (-2 * t * (1 - t * t))) @ a.T
        return rows.sum(), [rows]

    return step


def logistic():
    x, labels = w.classes()

    def step():
        weights, bias, n = np.zeros((30, 1), f32), np.zeros(1, f32), f32(len(x))
        for _ in range(w.STEPS):
            z = x @ weights + bias
            loss = (np.maximum(z, 0) - z * labels + np.log1p(np.exp(-np.abs(z)))).mean()
            d = 1 / (1 + np.exp(-z))
            d -= labels
            d /= n
            weights -= f32(w.RATE) * (x.T @ d)
            bias -= f32(w.RATE) * d.sum(0)
        return loss, [weights, bias]

    return step


setups = {
    **{name: network(name) for name in w.NETWORKS},
    "W2": tensor_chain, "W2f": number_chain(w.CHAIN), "W6": number_chain(w.LONG_CHAIN), "W5": million, "W7": jacobian,
    "W8": second, "W8h": hessian, "W10": logistic,
}  # fmt: skip
