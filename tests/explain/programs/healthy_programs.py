"""Programs with nothing wrong in them, as people write them: training, layers, masks, nested tapes. Nothing may be blamed."""

import numpy as np

import minigrad as mg

from . import healthy, program


@healthy
def _what_a_function_of_python_was_given():
    """A py_function that is given all that it uses: w has its gradient there, and must not be called left out."""
    x, w = mg.Variable(3.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.py_function(lambda v, w: mg.sin(v) * w, [x, w], mg.float32)
    return tape.explain(y, w)


@healthy
def _complex_numbers():
    """Complex numbers on the way: a factor 1j must not pass for one that came in from outside."""
    a, b = mg.Variable(0.5), mg.Variable(1.5)
    with mg.GradientTape() as tape:
        z = mg.complex(a, b)
        w = z * mg.math.conj(z) + mg.exp(1j * z)
        y = mg.math.real(w) + mg.abs(z) + mg.math.angle(z)
    return tape.explain(y, a)


@healthy
def _square():
    """The simplest program there is: nothing at all may be added to complete."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    return tape.explain(y, x)


@healthy
def _square_after_the_question():
    """A tape that has answered this very question: it must not be called used up."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    slope = tape.gradient(y, x)
    assert slope is not None
    return tape.explain(y, x)


@healthy
def _logging():
    """Losses kept as floats and shown with np.mean in a training loop: none of the logs may count as a lost path."""
    w, losses = mg.Variable(2.0), []
    for step in range(5):
        with mg.GradientTape() as tape:
            loss = (w - 1.0) ** 2
            losses.append(float(loss))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        assert f"{step} {float(w):.3f} {np.mean(losses):.3f}"
    return tape.explain(loss, w)


@healthy
def _rate_that_follows_the_loss():
    """A learning rate chosen by the loss outside the tape: it is not in the loss, so it must not make a path."""
    w, rate, best = mg.Variable(2.0), 0.1, 100.0
    for _ in range(4):
        with mg.GradientTape() as tape:
            loss = w * w * 0.5
        now = loss.numpy()
        rate, best = (rate, now) if now < best else (rate * 0.5, best)
        slope = tape.gradient(loss, w)
        w.assign_sub(rate * slope)
    return tape.explain(loss, w)


@healthy
def _index_from_argmax():
    """gather by argmax: that the index has no slope must not make the slope of the gathered value doubtful."""
    x = mg.Variable([1.0, 3.0, 2.0])
    with mg.GradientTape() as tape:
        best = mg.argmax(x)
        y = mg.gather(x, best) * 2.0
    return tape.explain(y, x)


@healthy
def _index_as_an_int():
    """An index made by int(argmax): an integer used as a place must not be called a number that left."""
    x = mg.Variable([1.0, 3.0, 2.0])
    with mg.GradientTape() as tape:
        y = x[int(mg.argmax(x))] ** 2
    return tape.explain(y, x)


@healthy
def _index_by_numpy():
    """An index found by np.argmax of x.numpy(): that x left for it must not make the derivative partial."""
    x = mg.Variable([1.0, 3.0, 2.0])
    with mg.GradientTape() as tape:
        place = np.argmax(x.numpy())
        y = x[place] ** 2
    return tape.explain(y, x)


@healthy
def _mask_by_comparison():
    """A mask of 0 and 1 made by a comparison: its jumps are no lost path beside the product."""
    x = mg.Variable([-1.0, 3.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.cast(x > 0.0, mg.float32) * x)
    return tape.explain(y, x)


@healthy
def _where_by_comparison():
    """where on x with branches of x: its condition must not be called a lost path, nor x be said only to decide."""
    x = mg.Variable([-1.0, 3.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.where(x > 0.0, x * x, -x))
    return tape.explain(y, x)


@healthy
def _boolean_mask():
    """x[x > 0.0]: the mask inside the brackets must not be called a path without a derivative."""
    x = mg.Variable([-1.0, 3.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x[x > 0.0])
    return tape.explain(y, x)


@healthy
def _branch_on_itself():
    """A conditional expression on x with branches of x: x does more than decide, which must not be named."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x if x > 0.0 else -x
    return tape.explain(y, x)


@healthy
def _while_on_itself():
    """A while loop until a norm is large: reading the norm to decide must not count as a number that left."""
    a = mg.Variable(1.5)
    with mg.GradientTape() as tape:
        b = a * 2.0
        while mg.norm(b) < 10.0:
            b = b * 2.0
    return tape.explain(b, a)


@healthy
def _dense_layers():
    """Two Keras layers and a mean square: nothing that they do inside may be blamed."""
    model = mg.keras.Sequential([mg.keras.layers.Dense(4, activation="tanh"), mg.keras.layers.Dense(1)])
    x, t = mg.constant(np.arange(6.0).reshape(3, 2), mg.float32), mg.constant([[1.0], [0.0], [2.0]])
    with mg.GradientTape() as tape:
        loss = mg.reduce_mean((model(x) - t) ** 2)
    return tape.explain(loss, model.trainable_variables[0])


@healthy
def _dense_trained_by_an_optimizer():
    """Three steps of an optimizer: its assignments must be called neither state on the path nor old values."""
    model, optimizer = mg.keras.Sequential([mg.keras.layers.Dense(1)]), mg.keras.optimizers.SGD(0.01)
    x, t = mg.constant([[1.0, 2.0], [3.0, 4.0]]), mg.constant([[1.0], [0.0]])
    for _ in range(3):
        with mg.GradientTape() as tape:
            loss = mg.reduce_mean((model(x) - t) ** 2)
        slopes = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(slopes, model.trainable_variables))
    return tape.explain(loss, model.trainable_variables[0])


@healthy
def _batch_normalization():
    """Batch normalization in training: the running averages that it assigns must not be called a lost path."""
    layer, w = mg.keras.layers.BatchNormalization(), mg.Variable([[1.0, -2.0], [0.5, 3.0]])
    x = mg.constant([[1.0, 2.0], [3.0, 5.0], [0.0, 1.0]])
    for _ in range(2):
        with mg.GradientTape() as tape:
            loss = mg.reduce_sum(layer(x @ w, training=True) ** 3)
        w.assign_sub(0.01 * tape.gradient(loss, w))
    return tape.explain(loss, w)


@healthy
def _batch_normalization_at_rest():
    """Averages from an earlier call are used at rest: what w once gave them must not be called a lost path."""
    layer, w = mg.keras.layers.BatchNormalization(), mg.Variable([[1.0, -2.0], [0.5, 3.0]])
    x = mg.constant([[1.0, 2.0], [3.0, 5.0]])
    with mg.GradientTape():
        layer(x @ w, training=True)
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum(layer(x @ w, training=False) ** 2)
    return tape.explain(loss, w)


@healthy
def _dropout():
    """dropout: its random mask must not be blamed, and the zeros in it must not be reported as a slope of 0."""
    mg.random.set_seed(1)
    w = mg.Variable([1.0, 2.0, 3.0])
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum(mg.nn.dropout(w * w, 0.3) + w)
    return tape.explain(loss, w)


@healthy
def _clipping_by_norm():
    """clip_by_norm in the loss and a clipped step after it: float(norm) of the step must not be called a lost path."""
    w = mg.Variable([3.0, 4.0])
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum(mg.clip_by_norm(w, 1.0) * [1.0, 2.0])
    clipped, norm = mg.clip_by_global_norm([tape.gradient(loss, w)], 0.1)
    w.assign_sub(clipped[0] * float(norm))
    return tape.explain(loss, w)


@healthy
def _moving_average_of_weights():
    """A slow copy of w assigned after each step and used in the loss: the past of w in it is meant and not lost."""
    w, slow = mg.Variable(2.0), mg.Variable(2.0)
    for _ in range(3):
        with mg.GradientTape() as tape:
            loss = (w - slow) ** 2 + w
        w.assign_sub(0.1 * tape.gradient(loss, w))
        slow.assign(0.9 * slow + 0.1 * w)
    return tape.explain(loss, w)


@healthy
def _start_kept_as_numbers():
    """x.numpy() taken before the block as a fixed start: a constant from before is meant, and must not be a lost path."""
    w = mg.Variable([1.0, 2.0])
    start = w.numpy()
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum((w - start) ** 2 + w)
    return tape.explain(loss, w)


@healthy
def _target_network():
    """A copy made of w.numpy() before the block: it is meant to be fixed, and must not be called rebuilt."""
    w = mg.Variable([1.0, 2.0])
    copy = mg.Variable(w.numpy(), trainable=False)
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum(w * 2.0 - copy * 0.9)
    return tape.explain(loss, w)


@healthy
def _reinforce():
    """An action drawn from probabilities as numbers, and its reward from a table: the draw must not be called a lost path."""
    mg.random.set_seed(3)
    logits, rewards = mg.Variable([0.1, 0.2]), {0: 1.0, 1: 0.25}
    with mg.GradientTape() as tape:
        chances = mg.nn.softmax(logits)
        action = int(np.random.default_rng(0).choice(2, p=chances.numpy() / chances.numpy().sum()))
        reward = rewards[action]
        loss = -mg.math.log(chances[action]) * reward
    return tape.explain(loss, logits)


@healthy
def _elementwise_plot():
    """An op for each element of a vector: each slope belongs to one element, so it must not be called a sum."""
    x = mg.linspace(-10.0, 10.0, 21)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.nn.sigmoid(x)
    return tape.explain(y, x)


@healthy
def _second_derivative():
    """A second derivative by nested tapes: the inner gradient was recorded, and must not be called first order."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = x**3
        slope = inner.gradient(y, x)
    return outer.explain(slope, x)


@healthy
def _gradient_penalty():
    """A penalty on an inner slope: ops that the inner tape recorded as well must not be called those of another tape."""
    x, w = mg.constant([1.0, 2.0]), mg.Variable([0.5, -1.0])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = mg.reduce_sum((w * x) ** 2)
        slope = inner.gradient(y, x)
        loss = y + mg.reduce_sum(slope**2)
    return outer.explain(loss, w)


@healthy
def _persistent_with_two_questions():
    """A persistent tape asked twice: it must not be called used up."""
    x = mg.Variable(3.0)
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    tape.gradient(y, x)
    tape.gradient(z, x)
    return tape.explain(z, x)


@healthy
def _assigned_after_the_question():
    """An ordinary step after the question: the slope was fresh when asked, so it must not be called old."""
    w = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        loss = w * w
    slope = tape.gradient(loss, w)
    w.assign_sub(0.1 * slope)
    return tape.explain(loss, w)


@healthy
def _momentum():
    """A velocity assigned from gradients outside the block: the steps of training must not be called state on the path."""
    w, velocity = mg.Variable(3.0), mg.Variable(0.0)
    for _ in range(3):
        with mg.GradientTape() as tape:
            loss = w * w
        velocity.assign(0.9 * velocity + tape.gradient(loss, w))
        w.assign_sub(0.1 * velocity)
    return tape.explain(loss, w)


@healthy
def _read_then_assigned_inside():
    """A counter assigned inside the block and used as a factor: it holds no x, so it must not be called state on the path."""
    x, count = mg.Variable(3.0), mg.Variable(0.0)
    with mg.GradientTape() as tape:
        count.assign_add(1.0)
        y = x * x * count
    return tape.explain(y, x)


@healthy
def _custom_gradient():
    """A custom gradient that computes in NumPy: its own rule gives the slope, so .numpy() inside must not be blamed."""

    @mg.custom_gradient
    def soft(x):
        e = np.exp(x.numpy())
        return mg.constant(np.log1p(e)), lambda dy: dy * mg.constant(e / (1.0 + e))

    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = soft(x) * 2.0
    return tape.explain(y, x)


@program("complete", "", "", "triple has a gradient of its own: with it this is 0.333 times the slope", plain=("untried", "", ""))
def _custom_gradient_with_another_factor():
    """A rule of its own that is not the derivative may be meant, and must not be accused; that it differs is told."""

    @mg.custom_gradient
    def triple(x):
        return x * 3.0, lambda dy: dy

    x = mg.Variable([3.0, 1.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(triple(x) ** 2)
    return tape.explain(y, x)


@healthy
def _log_sum_exp():
    """The largest element, which reduce_logsumexp subtracts and adds again: its two parts cancel, so none is lost."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_logsumexp(x * 2.0) + mg.reduce_sum(x**2)
    return tape.explain(y, x)


@healthy
def _jacobian():
    """A Jacobian that was asked for: it keeps the elements apart, so it must not be called a sum."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x * [3.0, 4.0]
    rows = tape.jacobian(y, x)
    assert rows.shape == (2,)
    return tape.explain(y, x)


@healthy
def _embedding():
    """A gradient of some rows only: that it is kept as rows and no whole array must not make the answer fail."""
    table = mg.Variable([[1.0], [2.0], [3.0]])
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum(mg.nn.embedding_lookup(table, [2, 0]) ** 2)
    return tape.explain(loss, table)


@healthy
def _early_stopping():
    """if float(loss) > best: a decision to stop must not be called a lost path."""
    w, best = mg.Variable(3.0), float("inf")
    for _ in range(5):
        with mg.GradientTape() as tape:
            loss = w * w
        if float(loss) > best:
            break
        best = float(loss)
        w.assign_sub(0.1 * tape.gradient(loss, w))
    return tape.explain(loss, w)


@healthy
def _truncated_memory():
    """A state carried from turn to turn, with a tape each: it comes from older values of w, which must not be called lost."""
    w, h = mg.Variable(0.5), mg.constant(1.0)
    for _ in range(3):
        with mg.GradientTape() as tape:
            h = mg.tanh(h * w)
            loss = h * h
        w.assign_sub(0.1 * tape.gradient(loss, w))
    return tape.explain(loss, w)


@healthy
def _reshaped_by_its_own_shape():
    """reshape and a factor by the shape and size of x: these do not depend on its numbers and must not be blamed."""
    x = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape() as tape:
        flat = mg.reshape(x, [mg.shape(x)[0] * mg.shape(x)[1]])
        y = mg.reduce_sum(flat * mg.cast(mg.size(x), mg.float32))
    return tape.explain(y, x)
