"""`compile`, `fit`, `evaluate` and `predict`: a training loop that uses a GradientTape, losses, metrics and optimizers.

The loop is `Trainer.fit`; one step of it is `Trainer.train_step`.
"""

import contextlib
import functools
import inspect
import operator
import warnings

from .. import math
from ..engine.tape import GradientTape
from ..errors import visible
from ..ops import concat
from . import losses, optimizers
from . import metrics as metrics_module
from .activations import as_dtype, as_float
from .batches import Batches, split, unpacked, weights_of_classes
from .callbacks import CallbackList, as_floats
from .utils import leaves, mapped, snake_case
from .variable import calls

STOPS = {"train": "stop_training", "test": "stop_evaluating", "predict": "stop_predicting"}


class Trainer:
    """The training part of a Model: `compile`, `fit`, `evaluate` and `predict`, and the same for single batches."""

    compiled, steps_per_execution = False, 1
    optimizer = loss = history = None
    _loss_tracker = _compile_loss = _compile_metrics = None

    def compile(self, optimizer="rmsprop", loss=None, loss_weights=None, metrics=None, weighted_metrics=None,
                run_eagerly=False, steps_per_execution=1, jit_compile="auto", auto_scale_loss=True):  # fmt: skip
        """Set the optimizer, the loss and the metrics for `fit`.

        Args:
            optimizer: a name or an optimizer.
            loss: a name, a loss, or a function of y_true and y_pred; for several outputs a nest of them, such as a list
                or a dict.
            loss_weights: a factor for each of several losses, in a nest like theirs or by place.
            metrics: a list of names, metrics or functions; a list or a dict of lists for several outputs. "accuracy"
                stands for the accuracy that fits the shapes.
            weighted_metrics: metrics that use `sample_weight`.
            steps_per_execution: how many batches to take between two calls of the callbacks.
            run_eagerly, jit_compile, auto_scale_loss: accepted as in Keras, without effect.

        Raises:
            ValueError: there is no such optimizer, or the metrics are not a list.
        """
        self.optimizer, self.loss, self.compiled, self.stop_training = optimizers.get(optimizer), loss, True, False
        self._compile_loss = None if loss is None else CompiledLoss(loss, loss_weights)
        self.steps_per_execution, wanted = steps_per_execution, metrics is not None or weighted_metrics is not None
        compiled_metrics = CompiledMetrics(metrics, weighted_metrics) if wanted else None
        own = {"_loss_tracker": metrics_module.Mean(name="loss"), "_compile_metrics": compiled_metrics}
        vars(self).update(own)  # a model that is built takes these metrics

    # ---- one step --------------------------------------------------------------------------------------------------

    def train_step(self, data):
        """One training step, which a subclass may override.

        Args:
            data: a batch: x, or a tuple (x, y) or (x, y, sample_weight).

        Returns:
            A dict: the name of each metric and its value so far.
        """
        x, y, sample_weight = unpacked(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self._loss_of(x, y, y_pred, sample_weight, True)
            self._loss_tracker.update_state(loss, sample_weight=len(leaves(x)[0]))
            scaled = loss if self.optimizer is None else self.optimizer.scale_loss(loss)
        if weights := self.trainable_weights:
            self.optimizer.apply_gradients(zip(tape.gradient(scaled, weights), weights))
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=2)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data):
        """One step of `evaluate`, with the arguments and the result of `train_step`."""
        x, y, sample_weight = unpacked(data)
        y_pred = self(x, training=False)
        loss = self._loss_of(x, y, y_pred, sample_weight, False)
        self._loss_tracker.update_state(loss, sample_weight=len(leaves(x)[0]))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data):
        """The predictions for a batch."""
        return self(unpacked(data)[0], training=False)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """The loss of `compile` plus the `losses` of the layers: a scalar.

        Raises:
            ValueError: there is no loss.
        """
        parts = [] if self._compile_loss is None else [self._compile_loss(y, y_pred, sample_weight)]
        parts += [math.reduce_sum(as_float(loss)) for loss in self.losses]
        if not parts:
            raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
        return math.add_n(parts)

    def _loss_of(self, *args):
        """Call `compute_loss`, which in older subclasses lacks the last argument, `training`."""
        takes_training = "training" in inspect.signature(self.compute_loss).parameters
        return self.compute_loss(*args) if takes_training else self.compute_loss(*args[:-1])

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        """Update the metrics of `compile`, and return a dict of all metrics."""
        if self._compile_metrics is not None:
            self._compile_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    # ---- the loops -------------------------------------------------------------------------------------------------

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None, validation_split=0.0,
            validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0,
            steps_per_epoch=None, validation_steps=None, validation_batch_size=None, validation_freq=1):  # fmt: skip
        """Train the model.

        Args:
            x: the inputs: an array, or a list or dict of arrays; or an iterable of batches (x, y), such as a Dataset.
            y: the true values; not with an iterable.
            batch_size: the number of examples per step; 32 by default.
            epochs: the number of passes over the data.
            verbose: 0 is silent, 1 a progress bar, 2 a line for each epoch.
            callbacks: a callback, or a list of them, which may be nested.
            validation_split: the fraction of the examples, taken from the end, to evaluate on after each epoch.
            validation_data: (x, y), (x, y, sample_weight), or an iterable of batches, to evaluate on after each epoch.
            shuffle: whether to shuffle the examples of arrays in each epoch.
            class_weight: a dict: the weight of each class in the loss.
            sample_weight: the weight of each example in the loss.
            initial_epoch: the number of the first epoch.
            steps_per_epoch: the number of batches of an epoch.
            validation_steps, validation_batch_size: those of the validation data.
            validation_freq: evaluate every `validation_freq` epochs; or a list of epochs, where the first epoch is 1.

        Returns:
            A `History`.

        Raises:
            ValueError: `compile` was not called, or arguments cannot be combined.

        >>> import minigrad as mg
        >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1, kernel_initializer="ones")])
        >>> model.compile(mg.keras.optimizers.SGD(0.25), loss="mse", metrics=["mae"])
        >>> x, y = mg.constant([[1.0], [1.0]]), mg.constant([[3.0], [3.0]])
        >>> model.fit(x, y, epochs=2, verbose=0).history
        {'loss': [4.0, 0.0], 'mae': [2.0, 0.0]}
        """
        self._check_compiled()
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = split((x, y, sample_weight), validation_split)
        batches = Batches(x, y, sample_weight, batch_size, steps_per_epoch, shuffle, class_weight)
        held_out = None
        if validation_data is not None:
            held_out = Batches(*unpacked(validation_data), validation_batch_size or batch_size, validation_steps)
        heard = CallbackList(callbacks, self, verbose, epochs, batches.steps, history=True)
        self.stop_training, logs = False, None
        heard.tell("on_train_begin")
        for epoch in range(initial_epoch, epochs):
            self.reset_metrics()
            heard.tell("on_epoch_begin", epoch)
            logs = self._measure("train", batches, heard)
            if held_out is not None and is_due(epoch, validation_freq):
                logs = logs | {f"val_{name}": value for name, value in self._evaluate(held_out, heard).items()}
            heard.tell("on_epoch_end", epoch, logs=logs)
            if self.stop_training:
                break
        if self.optimizer is not None and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        heard.tell("on_train_end", logs=logs)
        return self.history

    def _run(self, kind, batches, heard):
        """Take the steps of an epoch, and yield the result of each. `kind` is "train", "test" or "predict"."""
        take_step = getattr(self, f"{kind}_step")
        for step, group in batches.groups(self.steps_per_execution):
            heard.tell(f"on_{kind}_batch_begin", step)
            with of_any_batch_size(not batches.even):
                results = [take_step(batch) for batch in group]
            yield from results
            logs = {"outputs": results[-1]} if kind == "predict" else results[-1]
            heard.tell(f"on_{kind}_batch_end", step + self.steps_per_execution - 1, logs=logs)
            if getattr(self, STOPS[kind]):
                return

    def _measure(self, kind, batches, heard):
        """Take the steps of an epoch, and return the metrics at its end."""
        logs: dict = {}
        for told in self._run(kind, batches, heard):
            logs = told
        own = self.get_metrics_result()
        return own if own.keys() == logs.keys() else logs

    def _evaluate(self, batches, heard):
        self.stop_evaluating, batches.iterator = False, None
        heard.tell("on_test_begin")
        self.reset_metrics()
        logs = self._measure("test", batches, heard)
        heard.tell("on_test_end", logs=logs)
        return as_floats(logs)

    def evaluate(self, x=None, y=None, batch_size=None, verbose="auto", sample_weight=None, steps=None, callbacks=None,
                 return_dict=False, **kwargs):  # fmt: skip
        """The loss and the metrics on these data, with the arguments of `fit`.

        Args:
            steps: the number of batches; None for all.
            return_dict: return a dict instead of a list.

        Returns:
            The loss; if there are metrics, a list of the loss and the metrics.

        >>> import minigrad as mg
        >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1, kernel_initializer="ones")])
        >>> model.compile(loss="mse", metrics=["mae"])
        >>> model.evaluate(mg.constant([[1.0]]), mg.constant([[3.0]]), verbose=0)
        [4.0, 2.0]
        """
        self._check_compiled()
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        batches = Batches(x, y, sample_weight, batch_size, steps)
        logs = self._evaluate(batches, CallbackList(callbacks, self, verbose, 1, batches.steps))
        return logs if return_dict else self._in_order(logs)

    def predict(self, x, batch_size=None, verbose="auto", steps=None, callbacks=None):
        """The outputs for these inputs, batch by batch, as NumPy arrays.

        >>> import minigrad as mg
        >>> model = mg.keras.Sequential([mg.keras.layers.Dense(1, kernel_initializer="ones")])
        >>> model.predict(mg.constant([[1.0], [2.0]]), verbose=0)
        array([[1.],
               [2.]], dtype=float32)
        """
        batches = Batches(x, None, None, batch_size, steps)
        heard = CallbackList(callbacks, self, verbose, 1, batches.steps)
        self.stop_predicting = False
        heard.tell("on_predict_begin")
        outputs = list(self._run("predict", batches, heard))
        heard.tell("on_predict_end")
        columns = zip(*map(leaves, outputs))
        return mapped(lambda _: concat(list(next(columns)), 0).numpy(), outputs[0])

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, return_dict=False):
        """One step on this batch: its loss and metrics, as `evaluate` returns them."""
        if class_weight is not None:
            if sample_weight is not None:
                problem = "Arguments `sample_weight` and `class_weight` cannot be specified at the same time."
                raise ValueError(f"{problem} Received: sample_weight={sample_weight}, class_weight={class_weight}")
            sample_weight = weights_of_classes(y, class_weight)
        return self._on_batch("train", (x, y, sample_weight), return_dict)

    def test_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        """The loss and the metrics on this batch, as `evaluate` returns them."""
        return self._on_batch("test", (x, y, sample_weight), return_dict)

    def _on_batch(self, kind, batch, return_dict):
        self._check_compiled()
        self.reset_metrics()
        logs = as_floats(getattr(self, f"{kind}_step")(batch))
        return logs if return_dict else self._in_order(logs)

    def predict_on_batch(self, x):
        """The outputs for this batch, as NumPy arrays."""
        return mapped(lambda y: y.numpy(), self.predict_step((x,)))

    # ---- metrics ---------------------------------------------------------------------------------------------------

    @property
    def metrics(self) -> list:
        """The mean loss, the metrics of `compile`, and those in the attributes of the model and its layers."""
        own = [self._loss_tracker, self._compile_metrics, *(self._compile_loss.metrics if self._compile_loss else [])]
        inner = super().metrics  # type: ignore[misc]
        return list(dict.fromkeys(metric for metric in [*own, *inner] if metric is not None))

    @property
    def metrics_inside(self) -> list:
        """The metrics of `compile`, as a flat list."""
        return [] if self._compile_metrics is None else self._compile_metrics.metrics

    metrics_names = property(lambda self: [metric.name for metric in self.metrics], doc="The names of the `metrics`.")

    def get_metrics_result(self) -> dict:
        """The name of each metric and its value."""
        told = {}
        for metric in self.metrics:
            value = metric.result()
            told |= value if isinstance(value, dict) else {metric.name: value}
        return told

    def reset_metrics(self) -> None:
        """Set the state of all metrics to zero."""
        for metric in self.metrics:
            metric.reset_state()

    def _in_order(self, logs):
        """The values in the order of the metrics, then the others; a single value is returned alone."""
        inside = {self._compile_metrics: self.metrics_inside}
        names = [one.name for metric in self.metrics for one in inside.get(metric, [metric])]
        values = [logs[name] for name in names if name in logs] + [logs[name] for name in logs if name not in names]
        return values[0] if len(values) == 1 else values

    def _check_compiled(self):
        if not self.compiled:
            advice = "Write model.compile(optimizer, loss) before."
            raise ValueError(f"You must call `compile()` before using the model. {advice}")


@contextlib.contextmanager
def of_any_batch_size(so):
    """A block in which layers are built for any number of examples."""
    outer, calls.any_batch_size = calls.any_batch_size, so
    try:
        yield
    finally:
        calls.any_batch_size = outer


def is_due(epoch, frequency):
    """Whether a validation follows this epoch."""
    if isinstance(frequency, int):
        return (epoch + 1) % frequency == 0
    if isinstance(frequency, list):
        return epoch + 1 in frequency
    given = f"validation_freq={visible(frequency)} of the type {type(frequency)}"
    raise ValueError(f"Expected `validation_freq` to be a list or int. Received: {given}.")


# ---- several outputs ---------------------------------------------------------------------------------------------


def by_path(nest, path=()):
    """The values in nested lists, tuples and dicts by the keys and indices that lead to them; a single one by ()."""
    if not isinstance(nest, (list, tuple, dict)):
        return {path: nest}
    items = nest.items() if isinstance(nest, dict) else enumerate(nest)
    return {place: one for name, inner in items for place, one in by_path(inner, (*path, name)).items()}


def shown(paths):
    """Paths as in an error message."""
    return visible([path[0] if len(path) == 1 else path for path in paths])


def for_each(outputs, given, what):
    """What is given for each output: by name, by place in the sorted names, or the same for all.

    Raises:
        ValueError: there is one for no output, or (in a list) none for an output.
    """
    if () in outputs or not isinstance(given, (list, tuple, dict)):
        return dict.fromkeys(sorted(outputs), given)
    names = sorted({path[0] for path in outputs})
    each = given if isinstance(given, dict) else dict(zip(names, given))
    if not each.keys() <= set(names) or (not isinstance(given, dict) and len(given) != len(names)):
        kept = f"has {visible(list(given))}" if isinstance(given, dict) else f"has {len(given)} items"
        there = f"the outputs are {shown(outputs)}"
        raise ValueError(f"`{what}` should match the outputs of the model: it {kept}, and {there}.")
    found = {}
    for name in names:
        inner = for_each({path[1:]: y for path, y in outputs.items() if path[0] == name}, each.get(name), what)
        found |= {(name, *path): one for path, one in inner.items()}
    return found


def by_output(y_true, outputs, wanted):
    """The true values by their output. Those of a list go by place: to all outputs, or to the `wanted` among them.

    Raises:
        ValueError: they are others, or more or fewer.
    """
    given = by_path(y_true)
    for paths in (outputs, wanted):
        if given.keys() == paths.keys():
            return given
        if not isinstance(y_true, dict) and len(given) == len(paths):
            return dict(zip(sorted(paths), given.values()))
    kinds = f"y_true has {shown(given)}, y_pred has {shown(outputs)}"
    raise ValueError(f"y_true and y_pred have different structures.\n{kinds}")


def within(values, path):
    """The value at a path, or the list of those that it leads to."""
    return values[path] if path in values else [one for place, one in values.items() if place[: len(path)] == path]


def with_factors(losses, weights):
    """The losses of `compile` by path, each with its weight.

    Raises:
        ValueError: there are more or fewer weights.
    """
    named, given = by_path(losses), by_path(weights)
    if weights is None:
        given = dict.fromkeys(named)
    elif given.keys() != named.keys():
        if len(given) != len(named):
            problem = "`loss_weights` must match the number of losses, got"
            raise ValueError(f"{problem} {len(named)} losses and {len(given)} weights.")
        given = dict(zip(sorted(named), [given[path] for path in sorted(given)]))
    return {path: (loss, given[path]) for path, loss in named.items()}


class CompiledLoss:
    """The loss of `compile`: a loss for each output, or list of outputs, and their sum."""

    def __init__(self, loss, weights):
        self.given, self.weights, self.losses, self.metrics = loss, weights, None, []

    def _wanted(self, outputs):
        """What was given as the loss of each output that has one, and its weight.

        They are in the order of the dict of losses, or else of the outputs.

        Raises:
            KeyError: a loss was given for an output that there is not.
        """
        given = with_factors(self.given, self.weights)
        if () in outputs or () in given:
            given = dict.fromkeys(outputs, next(iter(given.values())))
        elif not isinstance(self.given, dict) and len(given) == len(outputs) == len(self.given):
            each = dict(zip(sorted(outputs), given.values()))
            given = {path: each[path] for path in outputs}
        for path in given:
            if path not in outputs and within(outputs, path) == []:
                problem = f"The path: {path} in the `loss` argument, can't be found in either the model's output"
                there = f"The outputs are {shown(outputs)}."
                raise KeyError(f"{problem} (`y_pred`) or in the labels (`y_true`). {there}")
        return {path: one for path, one in given.items() if one[0] is not None}

    def _build(self, y_true, y_pred, outputs):
        wanted = self._wanted(outputs)
        y_true, self.losses = by_output(y_true, outputs, wanted), {}
        for path, (one, factor) in wanted.items():
            self.losses[path] = loss_for(one, within(y_true, path), at(y_pred, path)), factor
        if len(self.losses) > 1:
            self.metrics = [metrics_module.Mean(name=f"{loss_name(*one)}_loss") for one in self.losses.items()]

    def __call__(self, y_true, y_pred, sample_weight=None):
        outputs = by_path(y_pred)
        if self.losses is None:
            self._build(y_true, y_pred, outputs)
        y_true = by_output(y_true, outputs, self.losses)
        weights = for_each({**outputs, **self.losses}, sample_weight, "sample_weight")
        total = []
        for place, (path, (loss, factor)) in enumerate(self.losses.items()):
            value = as_dtype(loss(within(y_true, path), at(y_pred, path), weights[path]), "float32")
            if self.metrics:
                self.metrics[place].update_state(value, sample_weight=len(leaves(at(y_pred, path))[0]))
            total.append(value if factor is None else value * factor)
        return math.add_n(total)


def at(nest, path):
    """The item of a nest that a path leads to."""
    return functools.reduce(operator.getitem, path, nest)


def loss_name(path, loss):
    """The name of the loss of one of several outputs in the logs."""
    last = path[-1] if isinstance(path[-1], str) else loss[0].name
    return "/".join([*map(str, path[:-1]), last])


class CompiledMetrics(metrics_module.Metric):
    """The metrics of `compile`, which appear in `model.metrics` as one metric."""

    def __init__(self, given, weighted):
        super().__init__(name="compile_metrics")
        for what, one in (("metrics", given), ("weighted_metrics", weighted)):
            if one and not isinstance(one, (list, tuple, dict)):
                problem = f"Expected `{what}` argument to be a list, tuple, or dict."
                raise ValueError(f"{problem} Received instead: {what}={visible(one)} of type {type(one)}")
        self.given, self.found = (given or [], weighted or []), None  # found: (path, prefix, metric, weighted) of each

    @property
    def metrics(self) -> list:
        """The metrics as a flat list, once they have been created by the first batch."""
        return [metric for _, _, metric, _ in self.found or []]

    variables = property(lambda self: [variable for metric in self.metrics for variable in metric.variables])

    def reset_state(self):
        for metric in self.metrics:
            metric.reset_state()

    def _build(self, y_true, outputs):
        self.found, flat = [], all(len(path) == 1 for path in outputs)
        for weighted, given in enumerate(self.given):
            what = "weighted_metrics" if weighted else "metrics"
            for path, some in for_each(outputs, given or None, what).items():
                prefix = f"{path[0]}_" if flat and isinstance(path[0], str) else ""
                for one in leaves(some):
                    if one is not None:
                        self.found.append((path, prefix, metric_for(one, y_true[path], outputs[path]), weighted))

    def update_state(self, y_true, y_pred, sample_weight=None):
        outputs = by_path(y_pred)
        y_true = by_output(y_true, outputs, outputs)
        if self.found is None:
            self._build(y_true, outputs)
        weights = for_each(outputs, sample_weight, "sample_weight")
        for path, _, metric, weighted in self.found:
            metric.update_state(y_true[path], outputs[path], sample_weight=weights[path] if weighted else None)

    def result(self):
        """The name of each metric and its value; a second metric of the same name is numbered."""
        told, counts = {}, {}
        for _, prefix, metric, weighted in self.found or []:
            name = f"{prefix}{metric.name}"
            if weighted and name in counts:
                name = f"{prefix}weighted_{metric.name}"
            same = counts[name] = counts.get(name, -1) + 1
            told[f"{name}_{same}" if same else name] = metric.result()
        return told


def kind_of_labels(y_true, y_pred):
    """The kind of crossentropy or accuracy that fits the shapes: "binary", "sparse_categorical" or "categorical"."""
    if y_pred.shape[-1] == 1:
        return "binary"
    return "sparse_categorical" if y_true.ndim < y_pred.ndim or y_true.shape[-1] == 1 else "categorical"


def loss_for(identifier, y_true, y_pred):
    """The loss that an item of `compile(loss=...)` stands for."""
    if str(identifier).lower() in ("crossentropy", "ce"):
        identifier = f"{kind_of_labels(y_true, y_pred)}_crossentropy"
    found = losses.get(identifier)
    if isinstance(found, losses.Loss):
        return found
    return losses.LossFunctionWrapper(found, name=name_of(identifier, found))


def metric_for(identifier, y_true, y_pred):
    """The metric that an item of `compile(metrics=[...])` stands for."""
    found = identifier
    if str(identifier).lower() in ("accuracy", "acc"):
        found = f"{kind_of_labels(y_true, y_pred)}_accuracy"
    found = metrics_module.get(found)
    metric = found if isinstance(found, metrics_module.Metric) else metrics_module.MeanMetricWrapper(found)
    metric.name = name_of(identifier, found)
    return metric


def name_of(identifier, found):
    """The name in the logs: the given name, or that of the function or object."""
    if isinstance(identifier, str):
        return identifier
    return getattr(found, "name", None) or snake_case(getattr(found, "__name__", type(found).__name__))
