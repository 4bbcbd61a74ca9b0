"""Metrics count as those of Keras 3 do."""

import re

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


def test_top_k_counts_the_first_five_unless_told_otherwise():
    scores = [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]
    for top, label in ((metrics.TopKCategoricalAccuracy, np.eye(7)), (metrics.SparseTopKCategoricalAccuracy, np.arange(7))):
        assert [float(top()(label[k : k + 1], scores)) for k in range(7)] == [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]


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


# ---- the confusion matrix --------------------------------------------------------------------------------------------

RNG = np.random.RandomState(0)
LABELS, SCORES, WEIGHTS = RNG.randint(0, 2, 40), np.round(RNG.rand(40), 2).astype(np.float32), RNG.rand(40).astype(np.float32)
MATRIX, COLUMNS, ROWS = RNG.randint(0, 2, (12, 5)), RNG.rand(12, 5).astype(np.float32), RNG.rand(12).astype(np.float32)
FLAT, WEIGHTED, TABLE, WEIGHTED_ROWS = (LABELS, SCORES), (LABELS, SCORES, WEIGHTS), (MATRIX, COLUMNS), (MATRIX, COLUMNS, ROWS)
CONFUSED = [  # what Keras 3.15 says after two equal batches
    ("TruePositives", {}, WEIGHTED, 5.83525),
    ("FalsePositives", {"thresholds": [0.3, 0.7]}, WEIGHTED_ROWS, [17.69983, 11.47712]),
    ("TrueNegatives", {}, TABLE, 26.0),
    ("FalseNegatives", {"thresholds": [0.25, 0.5, 0.75]}, WEIGHTED, [4.25494, 11.35101, 16.50771]),
    ("Precision", {}, WEIGHTED_ROWS, 0.5278),
    ("Precision", {"thresholds": [0.0, 0.5, 1.0]}, WEIGHTED, [0.52736, 0.52335, 0.0]),
    ("Precision", {"top_k": 2}, WEIGHTED_ROWS, 0.56452),
    ("Precision", {"top_k": 2, "class_id": 1}, TABLE, 0.33333),
    ("Precision", {"top_k": 3, "thresholds": 0.5}, TABLE, 0.48387),
    ("Recall", {}, TABLE, 0.6),
    ("Recall", {"thresholds": 0.2}, WEIGHTED, 0.84933),
    ("Recall", {"class_id": 0, "thresholds": [0.2, 0.4]}, WEIGHTED_ROWS, [0.90284, 0.76747]),
    ("AUC", {}, WEIGHTED, 0.50315),
    ("AUC", {"thresholds": [0.3, 0.7]}, TABLE, 0.45111),
    ("AUC", {"thresholds": [0.25, 0.5, 0.75]}, WEIGHTED_ROWS, 0.55655),
    ("AUC", {"summation_method": "minoring"}, FLAT, 0.45269),
    ("AUC", {"curve": "PR"}, FLAT, 0.56111),
    ("AUC", {"curve": "PR", "from_logits": True}, FLAT, 0.56166),
    ("AUC", {"curve": "PR", "summation_method": "majoring", "num_thresholds": 7}, FLAT, 0.55003),
    ("AUC", {"curve": "PRGAIN"}, FLAT, -0.05572),
]


@pytest.mark.parametrize(("name", "settings", "batch", "expected"), CONFUSED)
def test_entries_of_the_confusion_matrix_are_added_up_as_in_keras(name, settings, batch, expected):
    metric = getattr(metrics, name)(**settings)
    metric.update_state(*batch)
    np.testing.assert_allclose(metric(*batch).numpy(), expected, atol=2e-5)
    metric.reset_state()
    assert not any(np.any(one.value.numpy()) for one in metric.variables)


def test_predictions_at_a_threshold_are_negative_and_those_beyond_the_ends_count_as_the_ends():
    assert metrics.TruePositives()([1.0, 1.0], [0.5, 0.6]).numpy() == 1
    assert metrics.TruePositives(thresholds=[0.0, 0.5, 1.0])([1, 1, 1], [-2.0, 0.0, 3.0]).numpy().tolist() == [1, 1, 0]
    assert metrics.AUC()([0, 1], [-5.0, 5.0]).numpy() == 1


def test_the_documentation_of_a_mean_names_its_function():
    told = [re.match(r"The mean of `(mg\.keras\.\w+\.\w+)`", kind.__doc__) for kind in metrics.CLASSES]
    functions = [eval(one[1]) for one in told if one]
    assert len(functions) == 19 and all(map(callable, functions))


def test_counts_that_were_told_stay_when_more_is_counted():
    metric = metrics.TruePositives([0.2, 0.6])
    told = metric([1, 1], [0.5, 0.7])
    assert metric([1, 1], [0.5, 0.7]).numpy().tolist() == [4.0, 2.0] and told.numpy().tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: metrics.Precision(thresholds=[-1, 0.5]), ValueError, r"Threshold values must be in \[0, 1\]. Received: \[-1\]"),
        (lambda: metrics.Recall(class_id=0)([1, 0], [0.2, 0.8]), ValueError, "When class_id is provided, y_pred must be a 2D array"),
        (lambda: metrics.AUC(num_thresholds=1), ValueError, "must be an integer > 1. Received: num_thresholds=1"),
        (lambda: metrics.AUC(curve="xx"), ValueError, 'Invalid AUC curve value: "xx"'),
        (lambda: metrics.AUC(summation_method="zz"), ValueError, 'Invalid AUC summation method value: "zz"'),
        (lambda: metrics.AUC(multi_label=True), NotImplementedError, "AUC counts all labels together"),
    ],
)
def test_a_confusion_matrix_that_cannot_be_counted_is_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()
