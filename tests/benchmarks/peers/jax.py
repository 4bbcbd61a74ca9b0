import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp

from .. import workloads as w


def setups_of(compiled, without):
    """The workloads; `compiled` is what is done to each function first."""

    def run(f, *inputs):
        both = compiled(jax.value_and_grad(f))

        def step():
            value, grads = jax.block_until_ready(both(*inputs))
            return float(value), grads if isinstance(grads, list) else [grads]

        return step

    def rows_of(f, x):
        f = compiled(f)

        def step():
            rows = f(x)
            return float(rows.sum()), [rows]

        return step

    def network(name):
        def setup():
            x, labels, ws, bs = w.network(name)
            x, labels, n = jnp.asarray(x), jnp.asarray(labels), len(ws)
            act = jnp.tanh if name == "W3t" else jax.nn.relu

            def loss(parameters, x, labels):
                h = x
                for weights, bias in zip(parameters[: n - 1], parameters[n:-1]):
                    h = act(h @ weights + bias)
                z = jax.nn.log_softmax(h @ parameters[n - 1] + parameters[-1])
                return -jnp.mean(jnp.take_along_axis(z, labels[:, None], 1))

            return run(loss, list(map(jnp.asarray, ws + bs)), x, labels)

        return setup

    def tensor_chain():
        def chain(x):
            y = x
            for _ in range(w.CHAIN // 3):
                y = jnp.sin(y * x + x)
            return y

        return run(chain, jnp.float32(0.7))

    def number_chain():
        def chain(x):
            y = x
            for _ in range(w.CHAIN // 3):
                y = jnp.sin(y * 1.01 + 0.1)
            return y

        return run(chain, jnp.float32(0.7))

    def million():
        return run(lambda x: jnp.sum(x * (1 / (1 + jnp.exp(-x)))), jnp.asarray(w.million()))

    def jacobian():
        x, weights, bias = map(jnp.asarray, w.layer())
        return rows_of(jax.jacrev(lambda x: jnp.tanh(x @ weights + bias)), x)

    def second():
        slope = jax.grad(lambda x: jnp.sum(x**3))
        return rows_of(jax.grad(lambda x: jnp.sum(slope(x))), jnp.asarray(w.thousand()))

    def hessian():
        x, a = map(jnp.asarray, w.bent())
        return rows_of(jax.jacrev(jax.jacrev(lambda x: jnp.sum(jnp.tanh(x @ a)))), x)

    def logistic():
        x, labels = map(jnp.asarray, w.classes())

        def loss(parameters, x, labels):
            z = x @ parameters[0] + parameters[1]
            return jnp.mean(jnp.logaddexp(z, 0) - z * labels)

        both = compiled(jax.value_and_grad(loss))

        def step():
            parameters = [jnp.zeros((30, 1)), jnp.zeros(1)]
            for _ in range(w.STEPS):
                value, grads = both(parameters, x, labels)
                parameters = [one - w.RATE * d for one, d in zip(parameters, grads)]
            return float(value), jax.block_until_ready(parameters)

        return step

    every = {
        **{name: network(name) for name in w.NETWORKS},
        "W2": tensor_chain, "W2f": number_chain, "W5": million, "W7": jacobian, "W8": second, "W8h": hessian, "W10": logistic,
    }  # fmt: skip
    return {name: setup for name, setup in every.items() if name not in without}


setups = setups_of(lambda f: f, without=())
