"""TensorFlow and minigrad: one text for both, which is the point of minigrad."""

from .. import workloads as w


def setups_of(tf):
    """The workloads for TensorFlow, or for whatever has its names."""

    def network(name):
        def setup():
            x, labels, ws, bs = w.network(name)
            act = tf.nn.tanh if name == "W3t" else tf.nn.relu
            x, labels = tf.constant(x), tf.constant(labels)
            ws, bs = [tf.Variable(one) for one in ws], [tf.Variable(one) for one in bs]

            def step():
                with tf.GradientTape() as tape:
                    h = x
                    for weights, bias in zip(ws[:-1], bs[:-1]):
                        h = act(h @ weights + bias)
                    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h @ ws[-1] + bs[-1])
                    loss = tf.reduce_mean(each)
                grads = tape.gradient(loss, ws + bs)
                return loss.numpy(), grads

            return step

        return setup

    def tensor_chain():
        x = tf.Variable(0.7)

        def step():
            with tf.GradientTape() as tape:
                y = x
                for _ in range(w.CHAIN // 3):
                    y = tf.sin(y * x + x)
            dx = tape.gradient(y, x)
            return y.numpy(), [dx]

        return step

    def number_chain(ops):
        def setup():
            x = tf.Variable(0.7)

            def step():
                with tf.GradientTape() as tape:
                    y = x
                    for _ in range(ops // 3):
                        y = tf.sin(y * 1.01 + 0.1)
                dx = tape.gradient(y, x)
                return y.numpy(), [dx]

            return step

        return setup

    def million():
        x = tf.Variable(w.million())

        def step():
            with tf.GradientTape() as tape:
                value = tf.reduce_sum(x * (1 / (1 + tf.exp(-x))))
            dx = tape.gradient(value, x)
            return value.numpy(), [dx]

        return step

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

        def step():
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    value = tf.reduce_sum(x**3)
                dx = inner.gradient(value, x)
            ddx = outer.gradient(dx, x)
            return tf.reduce_sum(ddx).numpy(), [ddx]

        return step

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

        def step():
            weights, bias = tf.Variable(tf.zeros((30, 1))), tf.Variable(tf.zeros(1))
            for _ in range(w.STEPS):
                with tf.GradientTape() as tape:
                    each = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x @ weights + bias)
                    loss = tf.reduce_mean(each)
                dweights, dbias = tape.gradient(loss, [weights, bias])
                weights.assign_sub(w.RATE * dweights)
                bias.assign_sub(w.RATE * dbias)
            return loss.numpy(), [weights, bias]

        return step

    return {
        **{name: network(name) for name in w.NETWORKS},
        "W2": tensor_chain, "W2f": number_chain(w.CHAIN), "W6": number_chain(w.LONG_CHAIN), "W5": million, "W7": jacobian,
        "W8": second, "W8h": hessian, "W10": logistic,
    }  # fmt: skip
