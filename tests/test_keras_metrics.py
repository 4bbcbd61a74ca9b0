"""Metrics count as those of Keras 3 do."""

import numpy as np
import pytest

import minigrad as mg

metrics = mg.keras.metrics


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-6)


ONE_HOT, CLASSES = [[0, 0, 1], [0, 1, 0]], [[0.1, 0.9, 0.8], [0.05, 0.95, 0]]
TRUTH, GUESS = [[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]
COUNTED = [  # the metric, its settings, and batches with what it says after each
    ("Mean", {}, [(([1.0, 2.0, 3.0],), 2.0), ((5.0,), 2.75), (([1.0, 3.0], [1.0, 0.0]), 2.4), (([[1, 2], [3, 4]],), 17 / 7)]),
    ("Mean", {}, [(([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0]), 8.5 / 3), (([],), 8.5 / 3)]),
    ("Mean", {}, [(([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.5, 0.5]]), 2.25)]),
    ("Mean", {}, [(([],), 0.0)]),
    ("Sum", {}, [(([1.0, 2.0],), 3.0), ((4,), 7.0), (([1.0, 2.0], [0.0, 1.0]), 9.0)]),
    ("Accuracy", {}, [(([1, 2, 3, 4], [0, 2, 3, 4]), 0.75), (([1, 2], [1, 3], [1.0, 0.0]), 0.8)]),
    ("BinaryAccuracy", {}, [(([[1], [1], [0], [0]], [[0.98], [1], [0], [0.6]]), 0.75), (([1.0, 0.0], [0.7, 0.6]), 2 / 3)]),
    ("BinaryAccuracy", {"threshold": 0.65}, [(([1.0, 0.0], [0.7, 0.6]), 1.0)]),
    ("CategoricalAccuracy", {}, [((ONE_HOT, CLASSES), 0.5), ((ONE_HOT, CLASSES, [0.7, 0.3]), 0.43333331)]),
    ("SparseCategoricalAccuracy", {}, [(([[2], [1]], [[0.1, 0.6, 0.3], [0.05, 0.95, 0]]), 0.5)]),
    ("SparseCategoricalAccuracy", {}, [(([1, 0], [[0.1, 0.9], [0.2, 0.8]], [0.7, 0.3]), 0.7)]),
    ("MeanSquaredError", {}, [((TRUTH, GUESS), 0.25), (([1.0, 2.0], [2.0, 4.0]), 1.0), ((TRUTH, GUESS, [1.0, 0.0]), 0.875)]),
    ("MeanAbsoluteError", {}, [((TRUTH, GUESS), 0.25)]),
    ("RootMeanSquaredError", {}, [((TRUTH, GUESS), 0.5), (([0.0, 1.0], [1.0, 1.0], [1.0, 0.0]), 0.70710677)]),
    ("BinaryCrossentropy", {}, [((TRUTH, [[0.6, 0.4], [0.4, 0.6]]), 0.81492448)]),
    ("CategoricalCrossentropy", {}, [(([[0.0, 1, 0], [0, 0, 1]], [[0.05, 0.95, 0], [0.1, 0.8, 0.1]]), 1.17693925)]),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, [(([1, 2], [[0.05, 0.95, 0.0], [0.1, 0.8, 0.1]]), 0.98689508)]),
]


@pytest.mark.parametrize(("name", "settings", "batches"), COUNTED)
def test_metrics_count(name, settings, batches):
    metric = getattr(metrics, name)(**settings)
    close(metric.result(), 0.0)
    for given, expected in batches:
        assert metric.update_state(*given) is None
        close(metric.result(), expected)
    metric.reset_state()
    close(metric.result(), 0.0)


def test_metrics_are_called_and_tell_their_names():
    first, second, wide = metrics.Mean(), metrics.Mean("loss"), metrics.Mean(name="wide", dtype=mg.float64)
    close(first([1.0, 2.0]), 1.5)
    assert [repr(one) for one in (first, second)] == ["<Mean name=mean>", "<Mean name=loss>"]
    assert repr(first.variables) == (
        "[<Variable path=mean/total, shape=(), dtype=float32, value=3.0>, <Variable path=mean/count, shape=(), dtype=float32, value=2.0>]"
    )
    assert (wide.dtype, wide(3).dtype) == ("float64", mg.float64)
    assert metrics.RootMeanSquaredError().name == "root_mean_squared_error"
    assert mg.metrics is metrics


def test_metrics_of_ones_own():
    class Both(metrics.Metric):
        def __init__(self):
            super().__init__()
            self.calls = self.add_weight(name="calls", initializer="zeros")
            self.mean = metrics.Mean()

        def update_state(self, values):
            self.calls.assign_add(1.0)
            self.mean.update_state(values)

        def result(self):
            return {"calls": self.calls.value, "mean": self.mean.result()}

    both = Both()
    both([1.0, 3.0])
    assert {name: float(value) for name, value in both([5.0]).items()} == {"calls": 2.0, "mean": 3.0}
    assert [v.path for v in both.variables] == ["both/calls", "mean/total", "mean/count"]
    both.reset_state()
    assert [float(v) for v in both.variables] == [0.0, 0.0, 0.0]


def test_a_metric_that_does_nothing_is_no_metric():
    with pytest.raises(NotImplementedError):
        metrics.Metric()(1)
    with pytest.raises(NotImplementedError):
        metrics.Metric().result()


def test_no_gradient_goes_through_a_metric():
    v, metric = mg.Variable(2.0), metrics.Mean()
    with mg.GradientTape() as tape:
        metric.update_state(v * v)
        y = metric.result()
    assert tape.gradient(y, v) is None
    assert [one is v for one in tape.watched_variables()] == [True]
