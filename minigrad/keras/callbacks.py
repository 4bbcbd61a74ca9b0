"""tf.keras.callbacks: objects that `fit`, `evaluate` and `predict` call as they go: to stop, to record, to show."""

import math as python_math
import sys
import time
import warnings

import numpy as np

from ..errors import visible
from .utils import leaves

__all__ = ["Callback", "EarlyStopping", "History", "LambdaCallback", "LearningRateScheduler", "ModelCheckpoint",
           "ProgbarLogger", "ReduceLROnPlateau", "TerminateOnNaN"]  # fmt: skip


class Callback:
    """The base class: a subclass defines the methods that it needs, each called at the moment in its name.

    `self.model` is the model, and `self.params` is a dict with "verbose", "epochs" and "steps". `logs` is a dict of
    floats: the loss and the metrics so far. `self.model.stop_training = True` ends the training after the current batch
    or epoch.

    >>> import minigrad as mg
    >>> class Told(mg.keras.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(epoch, logs)
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> model.compile(loss="mse")
    >>> _ = model.fit(mg.constant([[1.0]]), mg.constant([[3.0]]), verbose=0, callbacks=[Told()])
    0 {'loss': 4.0}
    """

    params = model = None

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self.model = model

    def on_train_begin(self, logs=None):
        """Called before the first epoch."""

    def on_train_end(self, logs=None):
        """Called after the last epoch, with its logs."""

    def on_epoch_begin(self, epoch, logs=None):
        """Called before each epoch; the first one is 0."""

    def on_epoch_end(self, epoch, logs=None):
        """Called after each epoch; the names of validation results begin with `val_`."""

    def on_batch_begin(self, batch, logs=None):
        """The older name of `on_train_batch_begin`."""

    def on_batch_end(self, batch, logs=None):
        """The older name of `on_train_batch_end`."""

    def on_train_batch_begin(self, batch, logs=None):
        """Called before each batch of `fit`."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        """Called after each batch of `fit`."""
        self.on_batch_end(batch, logs)

    def on_test_begin(self, logs=None):
        """Called before an evaluation, including that on the validation data in `fit`."""

    def on_test_end(self, logs=None):
        """Called after an evaluation."""

    def on_test_batch_begin(self, batch, logs=None):
        """Called before each batch of an evaluation."""

    def on_test_batch_end(self, batch, logs=None):
        """Called after each batch of an evaluation."""

    def on_predict_begin(self, logs=None):
        """Called before a prediction."""

    def on_predict_end(self, logs=None):
        """Called after a prediction."""

    def on_predict_batch_begin(self, batch, logs=None):
        """Called before each batch of a prediction."""

    def on_predict_batch_end(self, batch, logs=None):
        """Called after each batch of a prediction, with `logs["outputs"]`."""


class CallbackList:
    """The callbacks of one run: the given ones, a History, and the progress bar, which is silent if `verbose` is 0."""

    def __init__(self, callbacks, model, verbose, epochs, steps, history=False):
        self.callbacks = [*leaves(callbacks or []), History()]
        if not self.any(ProgbarLogger):
            self.callbacks.append(ProgbarLogger())
        if history:
            model.history = self.any(History)
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params({"verbose": verbose, "epochs": epochs, "steps": steps})

    def any(self, kind):
        """The first callback of this class, or None."""
        return next((one for one in self.callbacks if isinstance(one, kind)), None)

    def tell(self, moment, *place, logs=None):
        """Call this method of all callbacks; they share the logs."""
        logs = as_floats(logs or {})
        for callback in self.callbacks:
            method = getattr(callback, moment)
            method(*place, logs=logs) if "batch" in moment else method(*place, logs)


def as_floats(logs):
    """The logs with scalars as floats, sorted by name; nested dicts are flattened."""
    told = {}
    for name, value in sorted(logs.items()):
        if isinstance(value, dict):
            told |= as_floats(value)
        else:
            scalar = isinstance(value, (int, float)) or getattr(value, "shape", None) == ()
            told[name] = float(value) if scalar else value
    return told


class History(Callback):
    """What `fit` returns: `history` has a list for each name in the logs, and `epoch` the numbers of the epochs.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> model.compile(mg.keras.optimizers.SGD(0.25), loss="mse")
    >>> model.fit(mg.constant([[1.0]]), mg.constant([[3.0]]), epochs=2, verbose=0).history
    {'loss': [4.0, 0.0]}
    """

    def __init__(self):
        self.history = {}

    def on_train_begin(self, logs=None):
        self.epoch = []

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """A callback made of functions: `LambdaCallback(on_epoch_end=lambda epoch, logs: print(logs))`.

    Args:
        **functions: a function for each method of `Callback`, with the arguments of that method.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> model.compile(loss="mse")
    >>> told = mg.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch, logs))
    >>> _ = model.fit(mg.constant([[1.0]]), mg.constant([[3.0]]), verbose=0, callbacks=told)
    0 {'loss': 4.0}
    """

    def __init__(self, **functions):
        vars(self).update({name: function for name, function in functions.items() if function is not None})


class TerminateOnNaN(Callback):
    """Stops the training at a batch whose loss is nan or infinite.

    Args:
        raise_error: raise an error instead.

    Raises:
        RuntimeError: (in `fit`, with `raise_error`) the loss is nan or infinite.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1)])
    >>> model.compile(loss="mse")
    >>> stop = mg.keras.callbacks.TerminateOnNaN()
    >>> told = model.fit(mg.constant([[float("inf")]]), mg.constant([[3.0]]), epochs=9, verbose=0, callbacks=[stop])
    Batch 0: Invalid loss, terminating training
    >>> told.epoch
    [0]
    """

    def __init__(self, raise_error=False):
        self.raise_error = raise_error

    def on_batch_end(self, batch, logs=None):
        loss = (logs or {}).get("loss")
        if loss is None or python_math.isfinite(loss):
            return
        if self.raise_error:
            problem = f"NaN or Inf loss encountered at batch {batch}."
            raise RuntimeError(f"{problem} Loss value: {loss}. Terminating training immediately.")
        print(f"Batch {batch}: Invalid loss, terminating training")
        self.model.stop_training = True


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch.

    Args:
        schedule: a function of the epoch and the current learning rate that returns the new one, a float.
        verbose: 1 prints it.

    Raises:
        ValueError: (in `fit`) the function returns something else.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1)])
    >>> model.compile(mg.keras.optimizers.SGD(0.5), loss="mse")
    >>> halve = mg.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    >>> model.fit(mg.ones([1, 1]), mg.ones([1, 1]), epochs=2, verbose=0, callbacks=[halve]).history["learning_rate"]
    [0.25, 0.125]
    """

    def __init__(self, schedule, verbose=0):
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch, logs=None):
        optimizer = self.model.optimizer
        if not hasattr(optimizer, "learning_rate"):
            raise ValueError('Optimizer must have a "learning_rate" attribute.')
        try:
            rate = self.schedule(epoch, rate_of(optimizer))
        except TypeError:  # it takes only the epoch
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32)):
            raise ValueError(f"The output of the `schedule` function should be a float. Got: {visible(rate)}")
        optimizer.learning_rate = rate
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}.")

    def on_epoch_end(self, epoch, logs=None):
        logs["learning_rate"] = rate_of(self.model.optimizer)


def rate_of(optimizer) -> float:
    """The current learning rate."""
    return float(optimizer.learning_rate)


class Monitor(Callback):
    """The base class of callbacks that monitor one of the numbers in the logs."""

    lacking: str  # the warning about a missing number: its name, and those that there are

    def __init__(self, monitor="val_loss", mode="auto", baseline=None, min_delta=0):
        if mode not in ("auto", "min", "max"):
            problem = f"{type(self).__name__} mode '{visible(mode, None)}' is unknown, fallback to auto mode."
            warnings.warn(problem, stacklevel=3)
            mode = "auto"
        self.monitor, self.mode, self.best, self.min_delta = monitor, mode, baseline, abs(min_delta)

    def direction(self):
        """-1 if a smaller number is better, 1 if a larger one is.

        Raises:
            ValueError: the direction is not known.
        """
        name = self.monitor.removeprefix("val_")
        of_metrics = {metric.name: metric._direction for metric in getattr(self.model, "metrics_inside", ())}
        ways = {"min": -1, "max": 1, "down": -1, "up": 1}
        known = "min" if name == "loss" else of_metrics.get(name)
        if self.mode == "auto" and known not in ways:
            problem = f"{type(self).__name__} callback received monitor={visible(self.monitor, None)}, but Keras isn't"
            reason = "able to automatically determine whether that metric should be maximized or minimized."
            high, low = "Pass `mode='max'` in order to monitor based on the highest metric value", "`mode='min'`"
            raise ValueError(f"{problem} {reason} {high}, or pass {low} in order to use the lowest value.")
        return ways[known if self.mode == "auto" else self.mode]

    def better(self, value, than):
        """Whether the value is better by more than `min_delta`."""
        return than is None or self.direction() * (value - than) > self.min_delta

    def get_monitor_value(self, logs):
        """The number in the logs; None, with a warning, if it is not there."""
        if self.monitor not in logs:
            warnings.warn(self.lacking.format(self.monitor, ",".join(logs)), stacklevel=3)
        return logs.get(self.monitor)


class EarlyStopping(Monitor):
    """Stops the training when a number in the logs has not improved for some epochs.

    Args:
        monitor: the name of the number.
        min_delta: a smaller change does not count as an improvement.
        patience: how many epochs without improvement are allowed.
        verbose: 1 prints when the training stops.
        mode: "min" or "max"; "auto" takes it from the metric.
        baseline: only values better than this count.
        restore_best_weights: restore the weights of the best epoch at the end.
        start_from_epoch: the number of epochs before monitoring starts.

    Raises:
        ValueError: (in `fit`, with "auto") the direction of the metric is not known.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> model.compile(mg.keras.optimizers.SGD(0.0), loss="mse")
    >>> stop = mg.keras.callbacks.EarlyStopping("loss", patience=2, verbose=1)
    >>> len(model.fit(mg.ones([1, 1]), mg.zeros([1, 1]), epochs=9, verbose=0, callbacks=[stop]).epoch)
    Epoch 3: early stopping
    3
    """

    lacking = "Early stopping conditioned on metric `{}` which is not available. Available metrics are: {}"

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto", baseline=None,
                 restore_best_weights=False, start_from_epoch=0):  # fmt: skip
        super().__init__(monitor, mode, min_delta=min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch
        self.on_train_begin()

    def on_train_begin(self, logs=None):
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best = self.best_weights = None

    def on_epoch_end(self, epoch, logs=None):
        self.direction()
        value = self.get_monitor_value(logs)
        if value is None or epoch < self.start_from_epoch:
            return
        self.wait += 1
        first = self.restore_best_weights and self.best_weights is None
        improved = self.better(value, self.best)
        if first or improved:
            self.best_epoch = epoch
            self.best_weights = self.model.get_weights() if self.restore_best_weights else None
        if improved:
            self.best = value
            if self.baseline is None or self.better(value, self.baseline):
                self.wait = 0
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch, self.model.stop_training = epoch, True

    def on_train_end(self, logs=None):
        if self.stopped_epoch and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.best_weights is not None:
            if self.verbose:
                print(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)


class ReduceLROnPlateau(Monitor):
    """Multiplies the learning rate by a factor when a number in the logs has not improved for some epochs.

    Args:
        monitor, patience, mode, min_delta: those of `EarlyStopping`.
        factor: a number below 1.
        verbose: 1 prints each change.
        cooldown: how many epochs to wait after a change.
        min_lr: the smallest learning rate.

    Raises:
        ValueError: the factor is not below 1; or (in `fit`, with "auto") the direction of the metric is not known.

    >>> import minigrad as mg
    >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1)])
    >>> model.compile(mg.keras.optimizers.SGD(0.5), loss="mse")
    >>> reduce = mg.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=9.0)
    >>> told = model.fit(mg.zeros([1, 1]), mg.zeros([1, 1]), epochs=4, verbose=0, callbacks=[reduce])
    >>> told.history["learning_rate"]
    [0.5, 0.5, 0.25, 0.125]
    """

    lacking = "Learning rate reduction is conditioned on metric `{}` which is not available. Available metrics are: {}."

    def __init__(self, monitor="val_loss", factor=0.1, patience=10, verbose=0, mode="auto", min_delta=1e-4, cooldown=0,
                 min_lr=0.0, **kwargs):  # fmt: skip
        super().__init__(monitor, mode, min_delta=min_delta)
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}")
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.on_train_begin()

    def on_train_begin(self, logs=None):
        self.best, self.cooldown_counter, self.wait = None, 0, 0

    def on_epoch_end(self, epoch, logs=None):
        self.direction()
        rate = logs["learning_rate"] = rate_of(self.model.optimizer)
        value = self.get_monitor_value(logs)
        if value is None:
            return
        if self.in_cooldown():
            self.cooldown_counter, self.wait = self.cooldown_counter - 1, 0
        if self.better(value, self.best):
            self.best, self.wait = value, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience and rate > np.float32(self.min_lr):
                self.reduce(epoch, max(rate * self.factor, self.min_lr))

    def reduce(self, epoch, rate):
        """Set the learning rate."""
        self.model.optimizer.learning_rate = rate
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {rate}.")
        self.cooldown_counter, self.wait = self.cooldown, 0

    def in_cooldown(self) -> bool:
        """Whether it is waiting after a change."""
        return self.cooldown_counter > 0


class ModelCheckpoint(Monitor):
    """Saves the weights of the model as it trains, with `model.save_weights`.

    Args:
        filepath: ends with `.weights.h5`; names in braces are replaced, as in "{epoch:02d}-{val_loss:.2f}.weights.h5".
        monitor, mode: those of `EarlyStopping`.
        verbose: 1 prints each save.
        save_best_only: save only when the number has improved.
        save_weights_only: must be True: a whole model cannot be saved.
        save_freq: "epoch", or a number of batches.
        initial_value_threshold: save only if the number is better than this.

    Raises:
        ValueError: `save_weights_only` is not True, the file has another ending, or `save_freq` is invalid.

    >>> import minigrad as mg
    >>> best = mg.keras.callbacks.ModelCheckpoint("best.weights.h5", save_best_only=True, save_weights_only=True)
    >>> best.monitor
    'val_loss'
    """

    def __init__(self, filepath, monitor="val_loss", verbose=0, save_best_only=False, save_weights_only=False,
                 mode="auto", save_freq="epoch", initial_value_threshold=None):  # fmt: skip
        super().__init__(monitor, mode, initial_value_threshold)
        self.filepath, self.verbose = str(filepath), verbose
        self.save_best_only, self.save_freq = save_best_only, save_freq
        if save_freq != "epoch" and not isinstance(save_freq, int):
            problem = f"Unrecognized save_freq: {visible(save_freq, None)}."
            raise ValueError(f"{problem} Expected save_freq are 'epoch' or integer values")
        if not save_weights_only:
            problem = "minigrad saves weights, and no whole models."
            raise ValueError(f"{problem} Write ModelCheckpoint('name.weights.h5', save_weights_only=True).")
        if not self.filepath.endswith(".weights.h5"):
            problem = "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided must end in"
            raise ValueError(f"{problem} `.weights.h5`. Received: filepath={visible(self.filepath, None)}")
        self.batches = 0  # since the last save

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch, self.seen = epoch, 0

    def on_train_batch_end(self, batch, logs=None):
        self.batches, self.seen = self.batches + batch + 1 - self.seen, batch + 1
        if self.save_freq != "epoch" and self.batches >= self.save_freq:
            self.save({"batch": batch + 1} | logs)

    def on_epoch_end(self, epoch, logs=None):
        self.direction()
        if self.save_freq == "epoch":
            self.save(logs)

    def save(self, logs):
        """Save the weights if required."""
        self.batches, path = 0, self.filepath.format(epoch=self.epoch + 1, **logs)
        value, told = logs.get(self.monitor), f"saving model to {path}"
        if self.save_best_only and value is None:
            warnings.warn(f"Can save best model only with {self.monitor} available.", stacklevel=3)
        elif self.save_best_only:
            best = "None" if self.best is None else f"{self.best:.5f}"
            if not self.better(value, self.best):
                self.tell(f"{self.monitor} did not improve from {best}")
                return
            self.best, told = value, f"{self.monitor} improved from {best} to {value:.5f}, {told}"
        self.tell(told)
        self.model.save_weights(path, overwrite=True)
        self.tell(f"finished saving model to {path}")

    def tell(self, text):
        if self.verbose > 0:
            print(f"\nEpoch {self.epoch + 1}: {text}")


class ProgbarLogger(Callback):
    """The progress bar: with `verbose=1` it grows with each batch, with `verbose=2` there is one line for each epoch.

    >>> import minigrad as mg
    >>> mg.keras.callbacks.ProgbarLogger().set_params({"verbose": 2, "epochs": 1, "steps": 3})
    """

    WIDTH = 20
    INTERVAL = 0.05  # seconds between two updates of the bar

    in_fit = False

    def set_params(self, params):
        self.verbose = 1 if params["verbose"] == "auto" else params["verbose"]
        self.epochs, self.steps = params["epochs"], params["steps"]

    def on_train_begin(self, logs=None):
        self.in_fit = True  # the evaluation inside `fit` prints nothing

    def on_epoch_begin(self, epoch, logs=None):
        self.start()
        if self.verbose and self.epochs > 1:
            print(f"Epoch {epoch + 1}/{self.epochs}")

    def on_test_begin(self, logs=None):
        if not self.in_fit:
            self.start()

    def on_train_batch_end(self, batch, logs=None):
        self.step(batch, logs)

    def on_test_batch_end(self, batch, logs=None):
        if not self.in_fit:
            self.step(batch, logs)

    def on_epoch_end(self, epoch, logs=None):
        self.end(logs)

    def on_test_end(self, logs=None):
        if not self.in_fit:
            self.end(logs)

    on_predict_begin, on_predict_batch_end, on_predict_end = on_test_begin, on_test_batch_end, on_test_end

    def start(self):
        self.seen, self.shown, self.width = 0, 0.0, 0
        self.began, self.after_first = time.time(), None

    def step(self, batch, logs):
        """Draw the bar, unless it has just been drawn."""
        self.seen, now = batch + 1, time.time()
        took = self.time_of_a_step(now)
        if self.verbose == 1 and now - self.shown >= self.INTERVAL:
            left = as_duration(took * (self.steps - self.seen)) if self.steps else f"{now - self.began:.0f}s"
            self.draw(logs, left, took)
            self.shown = now

    def end(self, logs):
        """Draw the bar one last time, or print the line of the epoch."""
        self.steps, now = self.steps or self.seen, time.time()
        self.seen = self.steps
        took, whole = self.time_of_a_step(now), f"{now - self.began:.0f}s"
        if self.verbose == 1:
            self.draw(logs, whole, took)
            print()
        elif self.verbose == 2 and self.steps:
            print(f"{self.steps}/{self.steps} - {whole} -{per_step(took)}{numbers(logs, float)}")

    def draw(self, logs, when, took):
        """Overwrite the previous bar."""
        plain = f"{self.seen:7}/Unknown"
        bar = plain
        if self.steps:
            plain = f"{self.seen:{len(str(self.steps))}}/{self.steps} {'━' * self.WIDTH}"
            done = int(self.WIDTH * self.seen / self.steps)
            green = f"\033[32m{'━' * done}\033[0m" if done else ""
            bar = f"\033[1m{plain.split(' ━')[0]}\033[0m {green}\033[37m{'━' * (self.WIDTH - done)}\033[0m"
        told = f"{per_step(took)}{numbers(logs)}"
        width = len(plain) + 1 + len(when) + len(told)
        back = "\b" * self.width + "\r"
        sys.stdout.write(f"{back}{bar} \033[1m{when}\033[0m{told}{' ' * (self.width - width)}")
        sys.stdout.flush()
        self.width = width

    def time_of_a_step(self, now):
        """Seconds per step. The first step, which creates the weights, is left out if there are others."""
        if not self.seen:
            return 0
        if self.after_first is not None and self.seen > 1:
            return (now - self.after_first) / (self.seen - 1)
        if self.seen == 1:
            self.after_first = now
        return (now - self.began) / self.seen


def as_duration(seconds):
    """The remaining time: 5s, 1:05 or 1:00:05."""
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{seconds:02}"
    return f"{minutes}:{seconds:02}" if minutes else f"{seconds}s"


def per_step(seconds):
    """The time per step, in a suitable unit."""
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1 or seconds == 0:
            return f" {seconds * factor:.0f}{unit}/step"
    return f" {seconds * 1e6:.0f}us/step"


def numbers(logs, size=abs):
    """The numbers from the logs, as shown after the bar; with an exponent if their size is small."""
    means = {name: np.mean(value) for name, value in (logs or {}).items() if name != "outputs"}
    return "".join(f" - {name}: {value:.{'4f' if size(value) > 1e-3 else '4e'}}" for name, value in means.items())
