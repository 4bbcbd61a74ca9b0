"""TensorFlow and minigrad: one text for both, which is the point of minigrad."""

from .. import workloads as w


TRACED = "W2", "W2f", "W3", "W3t", "W4", "W5", "W8", "W10"  # what is worth tracing: it is done again and again


def setups_of(tf, function=None):
    """The workloads for TensorFlow, or for whatever has its names; with `tf.function` those of its parts that it traces."""
    traced = function or (lambda step: step)

    def ending(step):
        def ended():
            value, grads = step()
            return value.numpy(), grads

        return ended

    def network(name):
        def setup():
            x, labels, ws, bs = w.network(name)
            act = tf.nn.tanh if name == "W3t" else tf.nn.relu
            x, labels = tf.constant(x), tf.constant(labels)
            ws, bs = [tf.Variable(one) for one in ws], [tf.Variable(one) for one in bs]

            @traced
            def step():
                with tf.GradientTape() as tape:
                    h = x
                    for weights, bias in zip(ws[:-1], bs[:-1]):
                        h = act(h @ weights + bias)
                    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h @ ws[-1] + bs[-1])
                    loss = tf.reduce_mean(each)
                return loss, tape.gradient(loss, ws + bs)

            return ending(step)

        return setup

    def tensor_chain():
        x = tf.Variable(0.7)

        @traced
        def step():
            with tf.GradientTape() as tape:
                y = x
                for _ in range(w.CHAIN // 3):
                    y = tf.sin(y * x + x)
            return y, [tape.gradient(y, x)]

        return ending(step)

    def number_chain(ops):
        def setup():
            x = tf.Variable(0.7)

            @traced
            def step():
                with tf.GradientTape() as tape:
                    y = x
                    for _ in range(ops // 3):
                        y = tf.sin(y * 1.01 + 0.1)
                return y, [tape.gradient(y, x)]

            return ending(step)

        return setup

    def million():
        x = tf.Variable(w.million())

        @traced
        def step():
            with tf.GradientTape() as tape:
                value = tf.reduce_sum(x * (1 / (1 + tf.exp(-x))))
            return value, [tape.gradient(value, x)]

        return ending(step)

    def jacobian():
        x, weights, bias = map(tf.Variable, w.layer())

        def step():
            with tf.GradientTape() as tape:
                y = tf.tanh(x @ weights + bias)
            rows = tape.jacobian(y, x)
            return tf.reduce_sum(rows).numpy(), [rows]

        return step

    def second():
        x = tf.Variable(w.thousand())

        @traced
        def step():
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    value = tf.reduce_sum(x**3)
                dx = inner.gradient(value, x)
            ddx = outer.gradient(dx, x)
            return tf.reduce_sum(ddx), [ddx]

        return ending(step)

    def hessian():
        x, a = w.bent()
        x, a = tf.Variable(x), tf.constant(a)

        def step():
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    value = tf.reduce_sum(tf.tanh(x @ a))
                dx = inner.gradient(value, x)
            rows = outer.jacobian(dx, x)
            return tf.reduce_sum(rows).numpy(), [rows]

        return step

    def logistic():
        x, labels = map(tf.constant, w.classes())
        weights, bias = tf.Variable(tf.zeros((30, 1))), tf.Variable(tf.zeros(1))

        @traced
        def train():
            with tf.GradientTape() as tape:
                each = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x @ weights + bias)
                loss = tf.reduce_mean(each)
            dweights, dbias = tape.gradient(loss, [weights, bias])
            weights.assign_sub(w.RATE * dweights)
            bias.assign_sub(w.RATE * dbias)
            return loss

        def step():
            weights.assign(tf.zeros((30, 1)))
            bias.assign(tf.zeros(1))
            for _ in range(w.STEPS):
                loss = train()
            return loss.numpy(), [weights, bias]

        return step

    setups = {
        **{name: network(name) for name in w.NETWORKS},
        "W2": tensor_chain, "W2f": number_chain(w.CHAIN), "W6": number_chain(w.LONG_CHAIN), "W5": million, "W7": jacobian,
        "W8": second, "W8h": hessian, "W10": logistic,
    }  # fmt: skip
    return {name: setup for name, setup in setups.items() if name in TRACED} if function else setups
