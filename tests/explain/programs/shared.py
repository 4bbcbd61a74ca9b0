"""What programs of several codes call."""

import minigrad as mg


def squared_error(w):
    error = w * 2.0 - 1.0
    return mg.reduce_mean(error * error)


@mg.custom_gradient
def reversed_gradient(v):
    return v, lambda dy: -dy


def keras_weight(write):
    layer, X, a = mg.keras.layers.Dense(1), mg.constant([[1.0, 2.0]]), mg.Variable([[1.0], [2.0]])
    layer(X)
    with mg.GradientTape() as tape:
        write(layer, a)
        loss = mg.reduce_sum(layer(X) ** 2)
    return tape.explain(loss, a)
