"""A trace of TensorFlow: what it hears is true, and nothing that TensorFlow does is different for it."""

import concurrent.futures
import gc
import threading
import weakref

import numpy as np
import pytest
from engine import mgt, tf

from minigrad.tensorflow import careful, datasets, ops, tapes
from minigrad.tracing.log import Asked, Ran, newest_trace


def network():
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(5, activation="tanh"), tf.keras.layers.Dense(2)])
    model(tf.ones((3, 4)))
    return model


def step(model):
    x = tf.constant(np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(3, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x) ** 2)
    return tape, loss, tape.gradient(loss, model.trainable_variables)


def test_results_and_random_numbers_are_the_same_with_a_trace():
    def numbers():
        tf.random.set_seed(7)
        _, loss, grads = step(network())
        return [loss.numpy(), *[one.numpy() for one in grads], tf.random.normal([3]).numpy(), str(loss)]

    before = numbers()
    with mgt.trace():
        during = numbers()
    assert all(np.array_equal(a, b) for a, b in zip(before, during))


def test_without_a_trace_tensorflow_is_as_it_was():
    kinds = tf.GradientTape, type(tf.constant(1.0)).__mro__[1], type(tf.Variable(1.0)), tf.keras.layers.Layer
    before = [dict(vars(kind)) for kind in kinds]
    with mgt.trace():
        step(network())
        assert vars(tf.GradientTape)["gradient"] is not before[0]["gradient"]
    assert [dict(vars(kind)) for kind in kinds] == before
    log = mgt.trace()
    step(network())
    assert not log.events


def test_a_log_keeps_no_tensor_alive():
    with mgt.trace() as log:
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            square = x * x
            y = tf.reduce_sum(square)
        tape.gradient(y, x)
        kept = weakref.ref(square)
        del square
        gc.collect()
        assert kept() is None
        twin = weakref.ref(tapes.tapes[tape])
        del tape
        gc.collect()
        assert twin() is None
    assert [event.name for event in log.events if isinstance(event, Ran)] == ["multiply", "reduce_sum"]


def test_a_backward_pass_is_heard_as_tensorflow_goes_it():
    x, w = tf.constant([[1.0, 2.0]]), tf.Variable([[3.0], [4.0]])
    with mgt.trace() as log:
        with tf.GradientTape() as tape:
            y = tf.tanh(tf.matmul(x, w) * 0.1)
        slope = tape.gradient(y, w)
    sent = {log.made[one.outputs[0]].name: one.sent for one in log.steps_of([e for e in log.events if isinstance(e, Asked)])}
    assert [*sent] == ["tanh", "multiply", "matmul"]
    assert np.array_equal(sent["matmul"].kept, slope.numpy())
    assert np.allclose(sent["tanh"].kept, 1 - np.tanh(1.1) ** 2)


def test_the_film_of_a_model_names_its_layers_and_shows_tensorflows_gradients():
    model = network()
    with mgt.trace() as log:
        tape, loss, grads = step(model)
    film = mgt.inspect(tape, loss, model.trainable_variables)
    assert {event.module for event in log.events if isinstance(event, Ran)} == {"", "sequential/dense", "sequential/dense_1"}
    rows = str(film).splitlines()
    assert [row.split()[1] for row in rows if "kept" in row][1:] == [
        "matmul",
        "bias_add",
        "tanh",
        "matmul",
        "bias_add",
        "pow",
        "reduce_mean",
    ]
    bias = next(row for row in rows if "bias_add" in row)
    assert f"{grads[1].numpy()[0]:.4g}" in bias.split(" to dense/bias")[0].split("kept")[1]
    assert mgt.explain(tape, loss, model.trainable_variables).lines()[0] == "4 gradients: 4 complete"


def test_what_cannot_be_heard_ends_nothing_and_is_told(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("no such op")

    careful.failures.clear()
    x = tf.Variable(2.0)
    with mgt.trace(), tf.GradientTape(persistent=True) as tape:
        y = x * x
        monkeypatch.setattr(ops, "hear", broken)
        z = y * x
        monkeypatch.undo()
    assert tape.gradient(z, x).numpy() == 12.0
    answer = mgt.explain(tape, z, x)
    assert (answer.status, str(answer)) == ("untried", "UNTRIED  dz/dx: a part of the trace is missing (ZeroDivisionError: no such op)")


def in_a_thread(work):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def test_a_tape_of_another_thread_was_not_heard_and_that_is_said():
    x = tf.Variable(2.0)

    def work():
        with tf.GradientTape() as tape:
            y = x * x
        return tape, y, tape.gradient(y, x).numpy()

    with mgt.trace():
        tape, y, slope = in_a_thread(work)
        for ask in (mgt.explain, mgt.inspect):
            with pytest.raises(ValueError, match=r"in the thread that runs it"):
                ask(tape, y, x)
    assert slope == 4.0


def test_a_thread_may_have_a_trace_of_its_own():
    x = tf.Variable(2.0)

    def work():
        with mgt.trace(), tf.GradientTape() as tape:
            y = x * float(x)
        return mgt.explain(tape, y, x)

    with mgt.trace():
        assert in_a_thread(work).status == "partial"
        with tf.GradientTape() as tape:
            y = x * x
        assert mgt.explain(tape, y, x).status == "complete"
    assert "_push_tape" in vars(tf.GradientTape) and not hasattr(tf.GradientTape._push_tape, "__wrapped__")


def test_a_replica_of_a_strategy_is_a_thread():
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        w = tf.Variable([1.0, 2.0])

    def step():
        with mgt.trace(), tf.GradientTape() as tape:
            y = tf.reduce_sum(w * w)
        return mgt.explain(tape, y, w).status

    assert tf.distribute.get_strategy().run(step) == "complete"


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision(policy):
    tf.keras.mixed_precision.set_global_policy(policy)
    try:
        model = network()
        with mgt.trace():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.cast(model(tf.ones((3, 4))), tf.float32) ** 2)
            grads = tape.gradient(loss, model.trainable_variables)
        assert mgt.explain(tape, loss, model.trainable_variables).lines()[0] == "4 gradients: 4 complete"
        assert len(grads) == 4 and str(mgt.inspect(tape, loss, model.trainable_variables))
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")


def test_what_runs_in_a_graph_is_one_op_and_its_tensors_are_refused():
    caught = []

    @tf.function
    def square(x):
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        try:
            mgt.explain(inner, y, x)
        except TypeError as problem:
            caught.append(str(problem))
        return y

    x = tf.constant(3.0)
    with mgt.trace(), tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x) * 2.0
    assert "tf.config.run_functions_eagerly(True)" in caught[0]
    assert "x -> square -> multiply -> y" in str(mgt.explain(tape, y, x))
    assert tape.gradient(y, x).numpy() == 12.0


def test_models_that_are_fitted_eagerly_are_heard():
    model = network()
    model.compile(optimizer="sgd", loss="mse", run_eagerly=True)
    with mgt.trace() as log:
        model.fit(np.ones((4, 4), "f"), np.ones((4, 2), "f"), epochs=1, batch_size=2, verbose=0)
    assert sum(type(event).__name__ == "Asked" for event in log.events) == 2


def test_another_thread_and_a_strategy_do_no_harm():
    found = []

    def work():
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
        found.append(tape.gradient(y, v).numpy())

    with mgt.trace():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with strategy.scope():
            v = tf.Variable(3.0)
        strategy.run(work)
        with tf.GradientTape() as tape:
            y = v * v
        assert mgt.explain(tape, y, v).status == "complete"
    assert found == [4.0, 4.0] and newest_trace() is None


def test_a_tape_that_nobody_heard_is_refused_with_the_line_to_write():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(ValueError, match=r"mgt\.trace"):
        mgt.explain(tape, y, x)
    with pytest.raises(TypeError, match=r"no tf\.GradientTape"):
        mgt.explain("tape", y, x)


def test_jacobians_and_second_derivatives_are_whole():
    x = tf.constant([1.0, 2.0])
    with mgt.trace():
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(x**3)
            slope = inner.gradient(y, x)
        assert mgt.explain(outer, slope, x).status == "complete"
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        assert tape.jacobian(y, x).shape == (2, 2)
        assert mgt.explain(tape, y, x).status == "complete"
    assert np.array_equal(outer.gradient(slope, x), [6.0, 12.0])


def test_an_explanation_does_not_use_up_a_function_of_python():
    x = tf.Variable([1.0, 2.0])
    with mgt.trace(), tf.GradientTape(persistent=True) as tape:
        y = tf.py_function(lambda v: v * tf.sin(v), [x * 2.0], tf.float32)
    answers = [mgt.explain(tape, y, x) for _ in range(2)]
    slope = tape.gradient(y, x)
    assert np.allclose(slope, 2 * (np.sin([2, 4]) + [2, 4] * np.cos([2, 4])))
    assert [one.status for one in (*answers, mgt.explain(tape, y, x))] == ["complete"] * 3


def test_a_block_with_a_traced_function_is_not_waited_for():
    square = tf.function(lambda v: v * v)
    x = tf.Variable(3.0)
    with mgt.trace():
        with tf.GradientTape() as tape:
            y = square(x) * float(x)
        answer = str(mgt.explain(tape, y, x))
    assert answer.startswith("UNTRIED") and "tf.config.run_functions_eagerly(True) at the top lets it be tried" in answer
    assert "takes longer" not in answer


@pytest.mark.parametrize(("assigns", "status"), [(True, "untried"), (False, "complete")])
def test_of_a_traced_function_that_assigns_nobody_knows_what_left(assigns, status):
    x, state = tf.Variable(2.0), tf.Variable(0.0)

    @tf.function
    def kept(value):
        if assigns:
            state.assign(value)
        return value * 3.0

    with mgt.trace(), tf.GradientTape() as tape:
        y = kept(x * x) + state * x
    answer = mgt.explain(tape, y, x)
    assert answer.status == status
    assert ("tf.config.run_functions_eagerly(True)" in str(answer)) is assigns
    with mgt.trace():  # what was assigned before the block is no secret of it
        kept(x)
        with tf.GradientTape() as tape:
            y = x * x
    assert mgt.explain(tape, y, x).status == "complete"


def shuffled():
    return tf.data.Dataset.range(1, 5).shuffle(4).map(lambda k: tf.cast(k, tf.float32)).prefetch(1)


@pytest.mark.parametrize("out_of", [lambda x: x, float])
def test_a_replay_gets_from_a_dataset_what_the_program_got(out_of):
    w, data = tf.Variable(0.5), shuffled()
    with mgt.trace():
        for x in data:
            for factor in data:  # begun, ended and let go, again and again
                with tf.GradientTape() as tape:
                    y = tf.sin(w * x) * factor * out_of(w)
        with tf.GradientTape() as whole:
            total = tf.add_n([tf.sin(w * x) * out_of(w) for x in data])
        answers = mgt.explain(tape, y, w, seconds=30.0), mgt.explain(whole, total, w, seconds=30.0)
    assert [one.status for one in answers] == ["complete" if out_of(w) is w else "partial"] * 2


def test_what_a_replay_cannot_get_from_a_dataset_is_said(monkeypatch):
    w, ragged = tf.Variable(2.0), tf.data.Dataset.from_tensors(tf.ragged.constant([[1.0], [2.0, 3.0]]))
    with mgt.trace():
        with tf.GradientTape() as tape:
            y = tf.add_n([tf.reduce_sum(x.flat_values * float(w)) for x in ragged]) * w
        assert "a Dataset gives ragged or sparse tensors" in str(mgt.explain(tape, y, w))
        monkeypatch.setattr(datasets, "ROOM", 100)
        with tf.GradientTape() as tape:
            y = tf.add_n([x * float(w) for x in shuffled()]) * w
        assert "an element of a Dataset is not kept any more" in str(mgt.explain(tape, y, w))


def test_of_a_way_that_a_traced_function_hides_the_answer_says_what_to_switch_on():
    w, state = tf.Variable(2.0), tf.Variable(0.0)

    @tf.function
    def kept(x):
        state.assign(x * w)
        return state * 2.0

    with mgt.trace(), tf.GradientTape() as tape:
        y = kept(tf.constant(2.0)) * 1.0
    answer = mgt.explain(tape, y, w)
    assert answer.status == "none" and "tf.config.run_functions_eagerly(True)" in str(answer)


@pytest.mark.filterwarnings("ignore")  # NumPy's, of TensorFlow
def test_answers_are_in_words_of_tensorflow():
    w, one = tf.Variable([1.0, 2.0]), tf.constant(1.5)
    with mgt.trace(), tf.GradientTape(persistent=True) as tape:
        outside = tf.numpy_function(lambda v: v * v, [w], tf.float32) + w
        left = np.exp(w.numpy()) * one + w
    assert "write it with TensorFlow's own functions" in str(mgt.explain(tape, outside, w))
    assert "the operator was given numbers, not w" in str(mgt.explain(tape, left, w, seconds=30.0))


@pytest.mark.parametrize(("kind", "code"), [(tf.int32, "INTEGER"), (tf.bool, "NO_DERIVATIVE")])
def test_the_cast_to_integers_is_blamed_and_not_what_is_done_with_them(kind, code):
    x = tf.Variable(3.7)
    with mgt.trace(), tf.GradientTape() as tape:
        whole = tf.cast(x * 2.0, kind)
        y = tf.cast(whole, tf.float32) ** 2
    answer = mgt.explain(tape, y, x)
    assert (answer.codes[0], answer.causes[0].line) == (code, "whole = tf.cast(x * 2.0, kind)")


@pytest.mark.parametrize("kind", [tf.Module, tf.keras.layers.Layer])
def test_the_lists_and_dicts_of_a_module_are_answered_as_tables(kind):
    class Own(kind):
        def __init__(self):
            super().__init__()
            self.listed, self.named = [tf.Variable(1.0)], {"w": [tf.Variable(2.0)]}

    own = Own()
    with mgt.trace(), tf.GradientTape() as tape:
        y = own.listed[0] * own.named["w"][0]
    for sources in (own.listed, own.named):
        assert str(mgt.explain(tape, y, sources)).startswith("1 gradient: 1 complete")
        assert str(mgt.inspect(tape, y, sources))


def test_a_variable_that_is_made_while_a_function_is_traced_leaves_no_gap():
    kept, w = [], tf.Variable(2.0)

    @tf.function
    def count(x):
        if not kept:
            kept.append(tf.Variable(x * 1.0, trainable=False))
        return x

    with mgt.trace() as log:
        count(tf.constant(3.0))
        with tf.GradientTape() as tape:
            y = w * kept[0]
    assert not log.incomplete and mgt.explain(tape, y, w).status == "complete"


@pytest.mark.parametrize("out_of", [lambda h: h, lambda h: h.numpy()])
def test_a_dataset_made_of_what_the_block_computes_is_not_called_whole(out_of):
    w = tf.Variable([1.0, 2.0])
    with mgt.trace(), tf.GradientTape() as tape:
        h = w * w
        y = tf.reduce_sum(w) * tf.add_n([*tf.data.Dataset.from_tensor_slices(out_of(h))])
    answer = mgt.explain(tape, y, w, seconds=30.0)
    assert answer.status == "partial" and "a Dataset is made of what the block computes" in str(answer)


@pytest.mark.parametrize("combined", [lambda y, number: y + number, lambda y, number: y * (1.0 + number)])
def test_a_number_beside_any_operator_can_be_held_still(combined):
    """What it carries is then measured without the rest of the op: here its slope is 0."""
    w = tf.Variable([0.0, 0.0])
    with mgt.trace(), tf.GradientTape() as tape:
        y = combined(tf.reduce_sum(tf.exp(w)), float(tf.reduce_sum(w * w)))
    assert mgt.explain(tape, y, w, seconds=30.0).status == "complete"


def test_a_film_does_not_call_a_way_that_it_has_not_seen_a_zero():
    w = tf.Variable([1.0, 2.0])
    with mgt.trace(), tf.GradientTape() as tape:
        h = tf.sin(w)
        weights = np.asarray(h) / np.sum(h)
        y = tf.reduce_sum(weights * w)
    assert str(mgt.inspect(tape, y, w)).endswith("and one is lost: LEFT_ENGINE")
