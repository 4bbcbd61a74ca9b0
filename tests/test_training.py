"""compile, fit, evaluate and predict, the callbacks, and the summary of a model. (What TensorFlow answers stands in golden.json.)"""

import itertools
import json
import os
import re
import time
import types
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.keras.training import for_each

keras, layers, callbacks = mg.keras, mg.keras.layers, mg.keras.callbacks
X = np.linspace(-1.0, 1.0, 20, dtype=np.float32).reshape(10, 2)
Y = X.sum(1, keepdims=True)


def compiled(*inner, **settings):
    keras.utils.clear_session()
    keras.utils.set_random_seed(3)
    model = keras.Sequential(list(inner) or [layers.Dense(1)])
    model.compile(**{"optimizer": "sgd", "loss": "mse", **settings})
    return model


def test_fit_takes_the_steps_that_a_loop_takes():
    model, by_hand = compiled(), compiled()
    losses = model.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0).history["loss"]
    optimizer, told = keras.optimizers.SGD(0.01), []
    for _ in range(2):
        total = 0.0
        for i in range(0, 10, 4):
            with mg.GradientTape() as tape:
                loss = mg.reduce_mean(mg.square(by_hand(X[i : i + 4]) - Y[i : i + 4]))
            optimizer.apply_gradients(zip(tape.gradient(loss, by_hand.trainable_weights), by_hand.trainable_weights))
            total += float(loss) * len(X[i : i + 4])
        told.append(total / 10)
    np.testing.assert_allclose(losses, told, rtol=1e-5)
    for ours, theirs in zip(model.get_weights(), by_hand.get_weights()):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_each_example_is_drawn_once_in_an_epoch_and_the_seed_decides_the_order():
    def orders(seed):
        keras.utils.set_random_seed(seed) if seed is not None else mg.random.set_seed(None)
        seen = []

        class Seeing(keras.Sequential):
            def train_step(self, data):
                seen.extend(data[0].numpy().ravel().tolist())
                return {}

        model = Seeing([layers.Dense(1)])
        model.compile(loss="mse")
        model.fit(np.arange(40.0)[:, None], np.zeros([40, 1]), epochs=2, batch_size=7, verbose=0)
        return seen[:40], seen[40:]

    first, second = orders(1)
    assert sorted(first) == list(range(40)) and first != sorted(first)
    assert first == second == orders(1)[0] != orders(2)[0]  # with a seed, as in TensorFlow, each epoch is the same
    first, second = orders(None)
    assert sorted(first) == sorted(second) == list(range(40)) and first != second


@pytest.mark.parametrize("verbose", [1, 2])
def test_the_progress_bar(verbose, monkeypatch, capsys):
    clock = itertools.count(0.0, 0.25)
    monkeypatch.setattr(time, "time", lambda: next(clock))
    compiled(metrics=["mae"]).fit(X, Y, batch_size=5, epochs=2, verbose=verbose, shuffle=False)
    text = capsys.readouterr().out
    pictures = re.sub(r"\033\[\d*m|\b", "", text).replace("\x08", "")
    heads = ["Epoch 1/2", "Epoch 2/2"]
    assert [line for line in text.split("\n") if line.startswith("Epoch")] == heads
    numbers = r"loss: \d\.\d{4} - mae: \d\.\d{4}"
    if verbose == 2:
        assert re.fullmatch(rf"(Epoch \d/2\n2/2 - 1s - 500ms/step - {numbers}\n){{2}}", text)
    else:
        assert pictures.count("1/2 ━━━━━━━━━━━━━━━━━━━━ 0s") == 2
        assert len(re.findall(rf"2/2 ━{{20}} \ds \d+ms/step - {numbers} *\n", pictures)) == 2


def test_a_bar_tells_the_time_in_the_unit_that_fits():
    from minigrad.keras.callbacks import as_duration, numbers, per_step

    assert [per_step(seconds) for seconds in (0, 2.4, 0.0123, 0.00005)] == [" 0s/step", " 2s/step", " 12ms/step", " 50us/step"]
    assert [as_duration(seconds) for seconds in (5.9, 65, 3605)] == ["5s", "1:05", "1:00:05"]
    logs = {"loss": 0.5, "small": 1e-4, "edge": 1e-3, "less": -2.0}
    assert numbers(logs) == " - loss: 0.5000 - small: 1.0000e-04 - edge: 1.0000e-03 - less: -2.0000"
    assert numbers(logs, float).endswith(" - less: -2.0000e+00")  # as in Keras's lines with verbose=2


BARS = json.loads(Path(__file__).with_name("bars.json").read_text("utf-8"))  # verbose, steps, epochs, seconds a step: what Keras printed


@pytest.mark.parametrize(("settings", "printed"), BARS, ids=lambda one: str(one) if isinstance(one, list) else "")
def test_the_bar_is_that_of_keras(settings, printed, monkeypatch, capsys):
    verbose, steps, epochs, seconds, *validated = settings
    clock = types.SimpleNamespace(now=1000.0, time=lambda: clock.now)
    monkeypatch.setattr("minigrad.keras.callbacks.time", clock)

    def pass_time(batch, logs):
        clock.now += seconds

    slow = callbacks.LambdaCallback(on_train_batch_begin=pass_time)
    slow.on_test_batch_begin = slow.on_predict_batch_begin = lambda batch, logs=None: pass_time(batch, logs)
    model = keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.0), "mse", metrics=["mae"])
    x = np.ones((steps, 1), "float32")
    data = mg.data.Dataset.from_tensor_slices((x, 3 * x)).batch(1)
    model.fit(data, epochs=epochs, verbose=verbose, callbacks=[slow], validation_data=data if validated else None)
    model.evaluate(data, verbose=verbose, callbacks=[slow])
    model.predict(data.map(lambda x, y: x), verbose=verbose, callbacks=[slow])
    assert capsys.readouterr().out == printed


def test_silence_is_silent(capsys):
    model = compiled()
    model.fit(X, Y, verbose=0)
    model.evaluate(X, Y, verbose=0)
    model.predict(X, verbose=0)
    assert capsys.readouterr().out == ""


def test_several_batches_between_two_calls_of_the_callbacks():
    seen = []

    class Seen(callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            seen.append(batch)

    compiled(steps_per_execution=2).fit(X, Y, batch_size=2, verbose=0, callbacks=[Seen()])
    assert seen == [1, 3, 5]


def test_the_callbacks_of_a_model_that_is_not_compiled_are_called_for_each_batch():
    seen = []
    each = callbacks.LambdaCallback(on_predict_batch_end=lambda batch, logs: seen.append(batch))
    keras.Sequential([layers.Dense(1)]).predict(X, batch_size=2, verbose=0, callbacks=[each])
    assert seen == [0, 1, 2, 3, 4]


def test_training_stops_when_a_callback_says_so():
    class Stop(callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            self.model.stop_training = batch == 1

    model = compiled()
    told = model.fit(X, Y, batch_size=2, epochs=5, verbose=0, callbacks=[Stop()])
    assert told.epoch == [0] and int(model.optimizer.iterations) == 2
    assert model.fit(X, Y, epochs=2, verbose=0).epoch == [0, 1]  # the next run begins anew


def test_best_weights_come_back():
    model = compiled(optimizer=keras.optimizers.SGD(3.0))  # it diverges
    model.build((None, 2))
    stop, kept = callbacks.EarlyStopping("loss", patience=2, restore_best_weights=True), {}
    keep = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: kept.update({epoch: model.get_weights()}))
    losses = model.fit(X, Y, epochs=9, verbose=0, callbacks=[stop, keep]).history["loss"]
    np.testing.assert_array_equal(model.get_weights()[0], kept[stop.best_epoch][0])
    assert stop.best_epoch == int(np.argmin(losses)) and len(losses) == stop.best_epoch + 3
    assert stop.stopped_epoch == len(losses) - 1


def fed(callback, values):
    """What a callback makes of these losses: the learning rates, and the last epoch."""
    model, rates = compiled(optimizer=keras.optimizers.SGD(1.0)), []
    callback.set_model(model)
    callback.on_train_begin()
    model.stop_training = False
    for epoch, value in enumerate(values):
        callback.on_epoch_end(epoch, {"loss": value})
        rates.append(float(model.optimizer.learning_rate))
        if model.stop_training:
            break
    return rates, epoch


def with_outputs(kind, loss, weights=None, **settings):
    """`fit` of a model whose outputs are of this kind, as a function of the true values that returns what is told."""

    class Outputs(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2, kernel_initializer="ones")

        def call(self, inputs):
            y = self.dense(inputs)
            return {"one": y, "[one]": [y], "[two]": [y, 2.0 * y], "dict": {"b": y, "a": 2.0 * y}}[kind]

    model = Outputs()
    model.compile("sgd", loss, **settings)
    return lambda y_true: model.fit(np.ones((4, 3), "float32"), y_true, sample_weight=weights, verbose=0).history


ZERO = np.zeros((4, 2), "float32")
OUTPUTS = [  # Keras's answers
    ("one", "mse", [[ZERO], (ZERO,)], {"loss": [9.0]}),
    ("[one]", "mse", [ZERO, [ZERO]], {"loss": [9.0]}),
    ("[two]", ["mse"], [ZERO, [ZERO], [ZERO, ZERO]], {"loss": [9.0]}),
    ("dict", "mse", [[ZERO, ZERO], {"b": ZERO, "a": ZERO}], {"a_loss": [36.0], "b_loss": [9.0], "loss": [45.0]}),
    ("dict", ["mse", "mae"], [(ZERO, ZERO)], {"a_loss": [36.0], "b_loss": [3.0], "loss": [39.0]}),
    ("dict", {"b": "mse"}, [ZERO, [ZERO], {"b": ZERO}, {"a": ZERO, "b": ZERO}], {"loss": [9.0]}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "loss", "some", "told"), OUTPUTS)
def test_true_values_go_to_the_outputs_that_have_a_loss_by_name_or_by_place(kind, loss, some, told):
    for y_true in some:
        assert with_outputs(kind, loss)(y_true) == told


@pytest.mark.parametrize(
    ("kind", "loss", "y_true", "error", "text"),
    [
        ("one", "mse", [ZERO, ZERO], ValueError, r"y_true and y_pred have different structures"),
        ("[two]", "mse", [ZERO], ValueError, r"y_true and y_pred have different structures"),
        ("dict", {"b": "mse"}, {"c": ZERO}, ValueError, r"y_true has \['c'\], y_pred has \['b', 'a'\]"),
        ("dict", {"a": "mse", "c": "mse"}, {"a": ZERO, "b": ZERO}, KeyError, r"The path: \('c',\) in the `loss` argument"),
        ("[one]", ["mse", "mae"], [ZERO], KeyError, r"The path: \(1,\) in the `loss` argument, can't be found"),
    ],
)
def test_true_values_and_losses_without_an_output_are_refused(kind, loss, y_true, error, text):
    with pytest.raises(error, match=text):
        with_outputs(kind, loss)(y_true)


@pytest.mark.parametrize(
    ("kind", "settings", "text"),
    [
        ("dict", {"metrics": {"c": "mae"}}, r"`metrics` should match the outputs of the model: it has \['c'\], and the outputs are \['b'"),
        ("[two]", {"weighted_metrics": ["mae"]}, r"`weighted_metrics` .* it has 1 items, and the outputs are \[0, 1\]"),
        ("dict", {"loss_weights": [2.0, 3.0]}, r"`loss_weights` must match the number of losses, got 1 losses and 2 weights\."),
        ("one", {"loss_weights": {"a": 2.0, "b": 3.0}}, r"`loss_weights` must match the number of losses, got 1 losses and 2 w"),
        ("dict", {"weights": {"c": np.ones(4)}}, r"`sample_weight` should match"),
        ("[two]", {"weights": [np.ones(4)]}, r"`sample_weight` should match"),
    ],
)
def test_metrics_and_weights_for_no_output_are_refused(kind, settings, text):
    with pytest.raises(ValueError, match=text):
        with_outputs(kind, "mse", **settings)({"one": ZERO, "[two]": [ZERO] * 2, "dict": {"a": ZERO, "b": ZERO}}[kind])


def test_the_weights_of_the_examples_of_a_single_output_may_be_a_list_of_numbers():
    model = compiled(layers.Dense(2, kernel_initializer="ones"), weighted_metrics=["mae"])
    ones = np.ones((4, 3), "float32")
    assert model.test_on_batch(ones, ZERO, sample_weight=[1.0, 0.0, 2.0, 3.0]) == [13.5, 3.0]
    with pytest.raises(ValueError, match=r"Unrecognized data type: sample_weight=\[1.0\] .* Give an array, as np.array\(sample_weight\)"):
        model.fit(ones, ZERO, sample_weight=[1.0])
    assert with_outputs("one", "mse", loss_weights={"any": 2.0})(ZERO) == {"loss": [18.0]}


def test_a_change_of_less_than_min_delta_is_none():
    losses = [1.0, 0.95, 0.9, 0.85]
    assert fed(callbacks.EarlyStopping("loss", patience=2), losses)[1] == 3
    assert fed(callbacks.EarlyStopping("loss", patience=2, min_delta=0.2), losses)[1] == 2
    assert fed(callbacks.EarlyStopping("loss", patience=1, mode="max", start_from_epoch=2), losses)[1] == 3


def test_a_plateau_waits_and_cools_down():
    assert fed(callbacks.ReduceLROnPlateau("loss", 0.5, patience=2), [1.0] * 7)[0] == [1, 1, 0.5, 0.5, 0.25, 0.25, 0.125]
    cooling = callbacks.ReduceLROnPlateau("loss", 0.5, patience=1, cooldown=3, min_lr=0.3)
    np.testing.assert_allclose(fed(cooling, [1.0] * 9)[0], [1, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3, 0.3, 0.3])
    cooling = callbacks.ReduceLROnPlateau("loss", 0.5, patience=2, cooldown=2)
    assert fed(cooling, [1.0] * 11)[0] == [1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125, 0.125]
    assert (cooling.cooldown_counter, cooling.wait) == (0, 1)


def test_what_is_frozen_before_it_is_built_stays_as_it_is():
    model = compiled(layers.Dense(2, trainable=False), layers.Dense(1))
    model.layers[1].trainable = True
    model.fit(X, Y, verbose=0)
    assert len(model.trainable_weights) == 2 and len(model.non_trainable_weights) == 2
    model = compiled(layers.Dense(1))
    model.layers[0].trainable = False
    with pytest.warns(UserWarning, match="does not have any trainable weights"):
        model.fit(X, Y, verbose=0)


def test_optimizers_leave_out_and_overwrite():
    v, bias, scale = keras.Variable([1.0], name="v"), keras.Variable([1.0], name="bias"), keras.Variable([1.0])
    optimizer = keras.optimizers.SGD(0.5, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_list=[scale], var_names=["bias"])
    optimizer.apply_gradients([(mg.constant([0.0]), one) for one in (v, bias, scale)])
    assert [one.numpy()[0] for one in (v, bias, scale)] == [0.75, 1.0, 1.0]
    with pytest.raises(ValueError, match="before the optimizer is built"):
        optimizer.exclude_from_weight_decay(var_names=["v"])
    v.overwrite_with_gradient = True
    optimizer.apply_gradients([(mg.constant([5.0]), v), (mg.constant([2.0]), scale)])
    assert [v.numpy()[0], scale.numpy()[0]] == [5.0, 0.0]
    with pytest.raises(TypeError, match=r"must be a boolean\. Received: 3"):
        v.overwrite_with_gradient = 3
    assert v.overwrite_with_gradient


def test_layers_refuse_at_once_what_they_could_not_call():
    for setting in ("momentum", "epsilon"):
        with pytest.raises(ValueError, match="could not convert string to float: 'a'"):
            layers.BatchNormalization(**{setting: "a"})
    with pytest.raises(TypeError, match=r"unsupported callable\. Received: function=3"):
        layers.Lambda(3)


def test_a_layer_is_found_by_name_or_place():
    first, last = layers.Dense(1, name="first"), layers.Dense(1, name="last")
    model = keras.Sequential([first, last])
    assert [model.get_layer("last"), model.get_layer(index=0), model.get_layer(index=-1)] == [last, first, last]
    with pytest.raises(ValueError, match=r"No such layer: other. Existing layers are: \['first', 'last'\]"):
        model.get_layer("other")
    with pytest.raises(ValueError, match="Provide either a layer name or layer index"):
        model.get_layer()


def test_a_metric_without_a_name_has_that_of_its_function():
    model = keras.Sequential([layers.Dense(1)])
    model.compile(loss="mse", metrics=[lambda y_true, y_pred: mg.reduce_mean(y_pred)])
    assert [*model.fit(mg.ones([1, 1]), mg.ones([1, 1]), verbose=0).history] == ["lambda", "loss"]


def test_an_activation_can_be_taken_away():
    dense = layers.Dense(1, activation="relu", kernel_initializer="ones")
    assert dense(mg.constant([[-1.0]])).numpy() == 0.0
    dense.activation = None
    assert dense(mg.constant([[-1.0]])).numpy() == -1.0


def test_a_monitor_asks_the_metric_which_way_is_better():
    def way(metric):
        model = compiled(metrics=[metric])
        model.fit(X, Y, verbose=0)
        monitor = callbacks.EarlyStopping(f"val_{model.metrics_inside[0].name}")
        monitor.set_model(model)
        return monitor.direction()

    assert [way("mae"), way(keras.metrics.CosineSimilarity()), way(keras.metrics.RootMeanSquaredError())] == [-1, 1, -1]
    with pytest.raises(ValueError, match="Pass `mode='max'`"):
        way(keras.metrics.MeanMetricWrapper(lambda y, p: y - p, name="own"))


def test_weights_are_saved_when_they_are_best(capsys):
    class Saving(keras.Sequential):
        def save_weights(self, path, overwrite):
            self.saved = [*getattr(self, "saved", []), path]

    def saved(path="{epoch}.weights.h5", **settings):
        model = Saving([layers.Dense(1)])
        model.compile(keras.optimizers.SGD(3.0), "mse")
        checkpoint = callbacks.ModelCheckpoint(path, "loss", save_weights_only=True, **settings)
        model.fit(X, Y, epochs=3, batch_size=5, verbose=0, callbacks=[checkpoint])
        return model.saved

    assert saved() == ["1.weights.h5", "2.weights.h5", "3.weights.h5"]
    assert saved(save_best_only=True, verbose=1) == ["1.weights.h5"]  # from there on it diverges
    assert "Epoch 1: loss improved from None to" in (told := capsys.readouterr().out) and "Epoch 3: loss did not improve" in told
    assert saved("{epoch}-{batch}.weights.h5", save_freq=3) == ["2-1.weights.h5", "3-2.weights.h5"]
    for settings, problem in [
        ({"save_weights_only": False}, "no whole models"),
        ({"filepath": "x.npz"}, r"must end in `\.weights\.h5`"),
        ({"save_freq": "x"}, "Unrecognized save_freq: x"),
    ]:
        with pytest.raises(ValueError, match=problem):
            callbacks.ModelCheckpoint(**{"filepath": "x.weights.h5", "save_weights_only": True, **settings})


def test_weights_cannot_be_best_without_their_number(tmp_path):
    keep = callbacks.ModelCheckpoint(tmp_path / "x.weights.h5", "val_far", save_best_only=True, save_weights_only=True, mode="max")
    with pytest.warns(UserWarning, match=r"^Can save best model only with val_far available\.$"):
        compiled().fit(X, Y, verbose=0, callbacks=[keep])


def test_data_that_runs_out_is_told_of():
    with pytest.warns(UserWarning, match="Your input ran out of data"):
        compiled().fit(((X, Y) for _ in range(3)), steps_per_epoch=2, epochs=2, verbose=0)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda m: m.fit([[1.0]], [[1.0]]), "Unrecognized data type: x=.* Give an array"),
        (lambda m: m.fit(verbose=0), "There is no data: give an array"),
        (lambda m: m.predict([], verbose=0), "There is no data: give an array"),
        (lambda m: m.fit(X, Y, batch_size=-1, verbose=0), "batch_size must be positive, and is -1"),
        (lambda m: m.fit(((X, Y, X, Y) for _ in range(1)), verbose=0), "Data is expected to be in format"),
        (lambda m: m.fit(X, Y, validation_split=0.1, class_weight={0: 1.0}, sample_weight=Y[:, 0]), "`class_weight` and `sample_weight`"),
        (lambda m: m.fit(X, verbose=0), "unsupported type"),
        (lambda m: keras.Sequential([layers.Dense(1)]).evaluate(X, Y), r"Write model\.compile\(optimizer, loss\) before"),
        (lambda m: m.compile(loss="mse", metrics="mae"), "Expected `metrics` argument to be a list"),
        (lambda m: m.evaluate(X, Y, bach_size=3), "Arguments not recognized: {'bach_size': 3}"),
    ],
)
def test_what_cannot_be_trained_is_refused(made, problem):
    with pytest.raises(ValueError, match=problem):
        made(compiled())


def test_what_stays_away_says_so():
    with pytest.raises(TypeError, match=r"no functional models.* Write Sequential"):
        keras.Model(keras.Input((2,)), None)
    with pytest.raises(ValueError, match=r"no functional models.* Write Sequential"):
        layers.Dense(1)(keras.Input((2,)))
    with pytest.raises(NotImplementedError, match="keeps no configurations, and so has no `get_config`"):
        layers.Dense(1).get_config()
    with pytest.raises(NotImplementedError, match=r"no `save` and no `load_model`.*save_weights"):
        keras.Sequential([layers.Dense(1)]).save("name.keras")
    with pytest.raises(NotImplementedError, match=r"Write Dense\(\.\.\.\)"):
        layers.Dense.from_config({})
    assert not hasattr(layers, "nothing")


def test_the_shape_of_the_output_is_found_without_a_trace():
    layer = layers.Dense(3)
    with mg.GradientTape() as tape:
        assert layer.compute_output_shape((None, None, 5)) == (None, None, 3)
    assert not layer.built and tape.watched_variables() == ()
    assert layers.Concatenate().compute_output_shape([(None, 2), (None, 3)]) == (None, 5)
    with pytest.raises(NotImplementedError, match="compute_output_shape"):
        layers.Layer().compute_output_shape((1,))

    class Nested(layers.Layer):
        def call(self, x):
            return {"c": x["a"], "d": (x["b"], [x["b"]])}

    nest = Nested().compute_output_shape({"a": (None, 2), "b": (None, 3)})
    assert nest == {"c": (None, 2), "d": ((None, 3), [(None, 3)])}


def test_a_mask_is_left_out_by_the_loss_and_told_of_where_it_ends():
    x = mg.constant([[[1.0], [0.0], [3.0]]])
    masked = layers.Masking()(x)
    assert keras.losses.MeanSquaredError()(mg.zeros([1, 3, 1]), masked).numpy() == 5.0  # (1 + 9) / 2

    class Own(layers.Layer):
        def call(self, x):
            return x + 0.0

    with pytest.warns(UserWarning, match="does not support masking"):
        Own()(masked)
    assert layers.Add()([masked, masked]) is not None and len(mg.keras.activations.MASKS.by_id) >= 1
    del masked
    assert layers.BatchNormalization()(x, mask=mg.constant([[True, False, True]]), training=True).shape == (1, 3, 1)
    with pytest.raises(ValueError, match="one dimension less"):
        layers.BatchNormalization()(x, mask=mg.constant([True]))


def test_a_loss_that_is_no_number_is_raised_if_one_wants_it():
    words = "NaN or Inf loss encountered at batch 0. Loss value: inf. Terminating training immediately."
    model = keras.Sequential([layers.Dense(1)])
    model.compile(loss="mse")
    with pytest.raises(RuntimeError, match=words):
        model.fit(mg.constant([[np.inf]]), mg.constant([[3.0]]), verbose=0, callbacks=[callbacks.TerminateOnNaN(raise_error=True)])


def test_a_metric_can_be_subclassed():
    class Own(keras.metrics.MeanSquaredError):
        def result(self):
            return 2.0 * super().result()

    assert float(Own()([1.0], [2.0])) == 2.0


def test_the_summary_folds_names_and_sizes(monkeypatch):
    keras.utils.clear_session()
    model = keras.Sequential([keras.Input((4,)), layers.Dense(300000, name="n" * 40)], name="big")
    told = []
    model.summary(line_length=60, print_fn=told.append)
    assert "…" in told[0] and "Total params: 1,500,000 (5.72 MB)" in told[0]
    assert {len(line) for line in told[0].split("\n")[1:-4]} == {60}
    with pytest.raises(ValueError, match="Insufficient console width"):
        model.summary(line_length=12)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((columns, 9)))
    for columns, trains, width in ((70, False, 66), (200, False, 88), (200, True, 100)):  # noqa: B007 - it is read above
        model.summary(show_trainable=trains, print_fn=told.append)
        assert {len(line) for line in told.pop().split("\n")[1:-4]} == {width}
    escaping = keras.Sequential([layers.Dense(1, name="n\x1b[2J")], name="m\x1b[2J")
    escaping.summary(print_fn=told.append)
    assert "\x1b" not in told[1] and told[1].count(r"\x1b[2J") == 2


def test_the_summary_of_a_model_tells_the_shapes_of_sequentials_in_it():
    class Outer(keras.Model):
        def __init__(self):
            super().__init__()
            self.called = keras.Sequential([layers.Dense(2), layers.Dense(1)], name="called")
            self.built_at_once = keras.Sequential([keras.Input((2,)), layers.Dense(2)], name="at_once")
            self.unknown = keras.Sequential([layers.Dense(1)], name="unknown")

        def call(self, x):
            return self.called(x)

    told, model = [], Outer()
    model(mg.ones([4, 3]))
    model.summary(line_length=70, expand_nested=True, print_fn=told.append)
    for name, shape in [("called", r"\(4, 1\)"), ("at_once", r"\(None, 2\)"), ("unknown", r"\?")]:
        assert re.search(rf"│ {name} \(Sequential\) +│ {shape} +│", told[0])
    assert re.search(r"└ dense\w* \(Dense\) +│ \(4, 2\) +│", told[0])


def test_callbacks_may_be_given_alone_or_in_a_nest():
    class Telling(callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            told.append(self)

    one, two = Telling(), Telling()
    for given, heard in [(one, [one]), ([[one], two], [one, two]), (((one,), {"named": [two]}), [one, two]), ([], [])]:
        told = []
        compiled().fit(X, Y, verbose=0, callbacks=given)
        assert told == heard


def test_every_epoch_counts_each_example_once_in_its_loss():
    model = compiled(optimizer=keras.optimizers.SGD(0.0))
    told = model.fit(X, Y, batch_size=3, verbose=0).history["loss"][0]
    np.testing.assert_allclose(told, model.evaluate(X, Y, batch_size=10, verbose=0), rtol=1e-6)


def test_losses_weights_and_metrics_by_place_are_those_of_the_outputs():
    class Two(keras.Model):
        def __init__(self):
            super().__init__()
            self.w = self.add_weight(shape=(), initializer="ones", name="w")

        def call(self, x):
            return [x * self.w, x + self.w]

    x, model = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32), Two()
    sgd = keras.optimizers.SGD(0.01)
    model.compile(sgd, loss=["mse", "mae"], loss_weights=[2.0, 0.5], metrics=[["mae"], ["mse"]])
    assert model.evaluate(x, [2 * x, x], verbose=0, batch_size=4) == [15.5, 2.5, 1.0, 7.5, 1.0]  # Keras's numbers
    weights = [np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.0])]
    told = model.fit(x, [2 * x, x], 4, 2, 0, shuffle=False, sample_weight=weights).history
    found = {"loss": [5.25, 4.34691], "mse_loss": [2.5, 2.03627], "mae_loss": [0.5, 0.54875]}
    assert {name: [round(one, 5) for one in told[name]] for name in found} == found


class Prices(keras.Model):
    def __init__(self):
        super().__init__()
        self.price, self.age = layers.Dense(1, kernel_initializer="ones"), layers.Dense(1, kernel_initializer="zeros")

    def call(self, x):
        return {"price": self.price(x), "age": self.age(x)}


PRICES = {"price": np.ones((2, 1), "float32"), "age": np.full((2, 1), 3.0, "float32")}


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        ("mse", [10.0, 1.0, 9.0]),
        (["mae", "mse"], [4.0, 1.0, 3.0]),  # by place in the sorted names, as in Keras
        ({"price": "mse", "age": "mse"}, [10.0, 1.0, 9.0]),
        ({"age": "mae", "price": "mse"}, [4.0, 3.0, 1.0]),
    ],
)
def test_losses_by_name_are_told_in_the_order_of_their_dict_or_else_of_the_outputs(loss, told):
    model, x = Prices(), np.ones((2, 2), "float32")
    model.compile(keras.optimizers.SGD(0.0), loss, metrics={"price": ["mae"], "age": ["mse"]})
    assert model.evaluate(x, PRICES, verbose=0) == model.train_on_batch(x, PRICES) == [*told, 9.0, 1.0]


class Nested(keras.Model):
    def __init__(self):
        super().__init__()
        self.one, self.zero = layers.Dense(1, kernel_initializer="ones"), layers.Dense(1, kernel_initializer="zeros")

    def call(self, x):
        return {"q": [self.one(x), self.zero(x)], "r": self.one(x)}


ONES = np.ones((2, 1), "float32")
NESTED = [  # Keras's answers
    ({"loss": "mse"}, {"q/mse_loss": 9.0, "r_loss": 1.0, "loss": 11.0}),
    ({"loss": ["mse", "mae", "mse"]}, {"q/mse_loss": 1.0, "q/mae_loss": 3.0, "r_loss": 1.0, "loss": 5.0}),
    ({"loss": {"q": "mse", "r": "mae"}}, {"q_loss": 5.0, "r_loss": 1.0, "loss": 6.0}),
    ({"loss": {"q": ["mse", None], "r": "mse"}}, {"q/mse_loss": 1.0, "r_loss": 1.0, "loss": 2.0}),
    (
        {"loss": {"q": ["mse", "mae"], "r": "mse"}, "loss_weights": {"q": [1.0, 2.0], "r": 3.0}},
        {"q/mse_loss": 1.0, "q/mae_loss": 3.0, "r_loss": 1.0, "loss": 10.0},
    ),
    (
        {"loss": {"r": "mse"}, "metrics": {"q": [["mse"], ["mae"]], "r": ["mse"]}},
        {"loss": 1.0, "mse": 1.0, "mae": 3.0, "mse_1": 1.0},
    ),
]


@pytest.mark.parametrize(("settings", "told"), NESTED)
def test_outputs_in_a_nest_have_losses_and_metrics_in_a_nest(settings, told):
    model, x = Nested(), np.ones((2, 2), "float32")
    model.compile(keras.optimizers.SGD(0.0), **settings)
    for y in ({"q": [ONES, 3 * ONES], "r": ONES}, [ONES, 3 * ONES, ONES]):
        assert model.evaluate(x, y, verbose=0, return_dict=True) == told
        assert model.test_on_batch(x, y, return_dict=True) == told


def test_outputs_in_a_nest_have_weights_in_a_nest_and_no_loss_has_no_output():
    model, x, y = Nested(), np.ones((2, 2), "float32"), {"q": [ONES, 3 * ONES], "r": ONES}
    model.compile("sgd", "mse")
    weights = {"q": [np.ones(2), np.zeros(2)], "r": 2 * np.ones(2)}
    assert model.evaluate(x, y, sample_weight=weights, verbose=0) == [3.0, 0.0, 0.0, 2.0]  # two of the same name, as in Keras
    assert model.evaluate(x, y, sample_weight=np.array([1.0, 0.0]), verbose=0, return_dict=True)["loss"] == 5.5
    model.compile("sgd", {"q": ["mse", "mae", "mse"]})
    with pytest.raises(KeyError, match=r"path: \('q', 2\) in the `loss` .* The outputs are \[\('q', 0\), \('q', 1\), 'r'\]"):
        model.evaluate(x, y, verbose=0)


def test_weights_of_losses_go_by_place_if_they_are_in_another_nest_and_one_is_for_all():
    x = np.ones((2, 2), "float32")
    for loss, weights, total in [
        (["mse", "mae"], {"a": 1.0, "b": 2.0}, 11.0),
        ({"age": "mae", "price": "mse"}, [1.0, 2.0], 5.0),
        ("mse", 2.0, 20.0),
        ("mse", {"any": 2.0}, 20.0),
    ]:
        model = Prices()
        model.compile("sgd", loss, loss_weights=weights)
        assert model.evaluate(x, PRICES, verbose=0)[0] == total
    model.compile("sgd", {"age": "mae", "price": "mse"}, loss_weights={"age": 2.0})
    with pytest.raises(ValueError, match="got 2 losses and 1 weights"):
        model.evaluate(x, PRICES, verbose=0)


def test_predictions_by_name_keep_their_names():
    class Two(keras.Model):
        def call(self, x):
            return {"b": x, "a": 10.0 * x}

    told = Two().predict(np.array([[1.0], [2.0], [3.0]], np.float32), batch_size=2, verbose=0)
    assert {name: value.ravel().tolist() for name, value in told.items()} == {"b": [1.0, 2.0, 3.0], "a": [10.0, 20.0, 30.0]}


@pytest.mark.parametrize("older", [False, True])
def test_a_loss_of_ones_own_is_told_whether_the_model_trains(older):
    told = []

    class Own(keras.Sequential):
        def compute_loss(self, x, y, y_pred, sample_weight=None, training=True):
            told.append(training)
            return mg.reduce_mean(mg.square(y - y_pred))

    class Older(keras.Sequential):
        def compute_loss(self, x, y, y_pred, sample_weight):
            told.append("older")
            return mg.reduce_mean(mg.square(y - y_pred))

    model = (Older if older else Own)([layers.Dense(1)])
    model.compile("sgd")
    model.fit(X, Y, verbose=0)
    model.evaluate(X, Y, verbose=0)
    assert told == (["older"] * 2 if older else [True, False])


def test_an_error_in_a_layer_within_a_layer_is_explained_once():
    class Inner(layers.Layer):
        def call(self, x):
            raise ValueError("no such thing")

    class Outer(layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def call(self, x):
            return self.inner(x)

    with pytest.raises(ValueError, match=r"no such thing") as caught:
        keras.Sequential([Outer()])(mg.ones([1, 2]))
    assert re.findall(r"Exception encountered when calling (\w+)", str(caught.value)) == ["Inner"]


def test_a_class_has_its_weight_whether_it_is_a_number_a_column_or_a_row_of_zeros_and_a_one():
    classes, x = np.array([0, 2, 1, 2]), np.array([[1.0], [2.0], [3.0], [0.5]], "float32")
    for y in (classes, classes[:, None], np.eye(3, dtype="float32")[classes]):
        model = keras.Sequential([layers.Dense(3, kernel_initializer="zeros", activation="softmax")])
        model.compile(keras.optimizers.SGD(0.0), f"{'sparse_' if y.dtype.kind == 'i' else ''}categorical_crossentropy")
        told = model.fit(x, y, batch_size=4, verbose=0, class_weight={0: 1.0, 1: 0.0, 2: 3.0}).history["loss"]
        np.testing.assert_allclose(told, [np.log(3) * 7 / 4], rtol=1e-6)


def test_classes_have_weights_for_a_single_output_alone():
    model, x, weights = Prices(), np.ones((2, 2), "float32"), {0: 1.0, 1: 2.0}
    model.compile("sgd", "mse")
    dataset = mg.data.Dataset.from_tensor_slices((x, PRICES)).batch(2)
    for train in (
        lambda: model.fit(x, PRICES, class_weight=weights, verbose=0),
        lambda: model.fit(x, [*PRICES.values()], class_weight=weights, verbose=0),
        lambda: model.fit(dataset, class_weight=weights, verbose=0),
        lambda: model.train_on_batch(x, PRICES, class_weight=weights),
    ):
        with pytest.raises(ValueError, match=r"`class_weight` is only supported for Models with a single output\."):
            train()


@pytest.mark.parametrize("kind", [np.asarray, mg.constant, mg.Variable])
def test_the_floats_of_arrays_are_float32_for_a_model_and_those_of_datasets_and_single_batches_stay_as_they_are(kind):
    seen = []

    class Seeing(keras.Sequential):
        def train_step(self, data):
            seen.append([str(np.asarray(one).dtype) for one in data])
            return {}

        test_step = train_step

        def predict_step(self, data):
            return self.train_step([data]) or mg.constant([0.0])

    model, x, y, weight = Seeing([layers.Dense(1)]), *[kind(np.ones((2, 1), one)) for one in ("float64", "int64", "float16")]
    model.compile(loss="mse")
    model.fit(x, y, sample_weight=weight, validation_data=(weight, kind(np.ones((2, 1), bool))), verbose=0)
    model.evaluate(x, x, verbose=0)
    model.predict(x, verbose=0)
    assert seen == [["float32", "int64", "float32"], ["float32", "bool"], ["float32", "float32"], ["float32"]]
    seen.clear()
    model.train_on_batch(x, y, weight)
    model.fit(mg.data.Dataset.from_tensors((x, y)), verbose=0)
    model.fit(((x, y) for _ in range(1)), verbose=0)
    assert seen == [["float64", "int64", "float16"], ["float64", "int64"], ["float64", "int64"]]


def test_a_metric_of_ones_own_subtracts_predictions_from_float64():
    model = compiled(layers.Dense(1, kernel_initializer="zeros"), metrics=[lambda y, p: mg.reduce_mean(mg.abs(y - p))])
    assert model.evaluate(np.ones((2, 1)), np.ones((2, 1)), verbose=0) == [1.0, 1.0]


def test_what_is_given_in_a_list_goes_to_the_outputs_in_the_order_of_their_names():
    outputs = {(name,): None for name in "gfedcba"}
    assert for_each(outputs, [*range(7)], "loss") == {(name,): k for k, name in enumerate("abcdefg")}
