import numpy as np
import torch
import torch.nn.functional as F

from .. import workloads as w

torch.set_num_threads(1)


def variable(array):
    return torch.from_numpy(np.array(array)).requires_grad_()


def as_it_is(function):
    return function


def network(name, compiled=as_it_is):
    def setup():
        x, labels, ws, bs = w.network(name)
        act = torch.tanh if name == "W3t" else torch.relu
        x, labels = torch.from_numpy(x), torch.from_numpy(labels)
        ws, bs = list(map(variable, ws)), list(map(variable, bs))

        @compiled
        def loss_of(h, ws, bs):
            for weights, bias in zip(ws[:-1], bs[:-1]):
                h = act(h @ weights + bias)
            return F.cross_entropy(h @ ws[-1] + bs[-1], labels)

        def step():
            loss = loss_of(x, ws, bs)
            return loss.item(), torch.autograd.grad(loss, ws + bs)

        return step

    return setup


def tensor_chain():
    x = torch.tensor(0.7, requires_grad=True)

    def step():
        y = x
        for _ in range(w.CHAIN // 3):
            y = torch.sin(y * x + x)
        return y.item(), torch.autograd.grad(y, x)

    return step


def number_chain(ops):
    def setup():
        x = torch.tensor(0.7, requires_grad=True)

        def step():
            y = x
            for _ in range(ops // 3):
                y = torch.sin(y * 1.01 + 0.1)
            return y.item(), torch.autograd.grad(y, x)

        return step

    return setup


def million(compiled=as_it_is):
    x = variable(w.million())
    value_of = compiled(lambda x: (x * (1 / (1 + torch.exp(-x)))).sum())

    def step():
        value = value_of(x)
        return value.item(), torch.autograd.grad(value, x)

    return step


def jacobian():
    x, weights, bias = map(torch.from_numpy, w.layer())
    rows_at = torch.func.jacrev(lambda x: torch.tanh(x @ weights + bias))

    def step():
        rows = rows_at(x)
        return rows.sum().item(), [rows]

    return step


def second():
    x = variable(w.thousand())

    def step():
        (dx,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        (ddx,) = torch.autograd.grad(dx.sum(), x)
        return ddx.sum().item(), [ddx]

    return step


def hessian():
    x, a = map(torch.from_numpy, w.bent())
    rows_at = torch.func.jacrev(torch.func.jacrev(lambda x: torch.tanh(x @ a).sum()))

    def step():
        rows = rows_at(x)
        return rows.sum().item(), [rows]

    return step


def logistic(compiled=as_it_is):
    x, labels = map(torch.from_numpy, w.classes())
    loss_of = compiled(lambda weights, bias: F.binary_cross_entropy_with_logits(x @ weights + bias, labels))

    def step():
        weights, bias = torch.zeros((30, 1), requires_grad=True), torch.zeros(1, requires_grad=True)
        for _ in range(w.STEPS):
            loss = loss_of(weights, bias)
            dweights, dbias = torch.autograd.grad(loss, [weights, bias])
            with torch.no_grad():
                weights -= w.RATE * dweights
                bias -= w.RATE * dbias
        return loss.item(), [weights.detach(), bias.detach()]

    return step


setups = {
    **{name: network(name) for name in w.NETWORKS},
    "W2": tensor_chain, "W2f": number_chain(w.CHAIN), "W6": number_chain(w.LONG_CHAIN), "W5": million, "W7": jacobian,
    "W8": second, "W8h": hessian, "W10": logistic,
}  # fmt: skip
