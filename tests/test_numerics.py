"""Numbers at the edges of what floats can hold: where TensorFlow does not overflow or cancel, neither does minigrad."""

import warnings

import numpy as np
import pytest

import minigrad as mg

nan, inf = np.nan, np.inf
ROUNDING = {"float16": (4e-3, 1e-3), "float32": (3e-5, 1e-7), "float64": (1e-7, 1e-12)}

# What TensorFlow gave: (function, dtype, x, value, gradient)
RECORDED = [
    (
        "mg.sigmoid(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [0.0, 0.0, 2.06115e-09, 0.49975, 0.5, 0.50025, 1.0, 1.0, 1.0],
        [0.0, 0.0, 2.06115e-09, 0.25, 0.25, 0.25, 0.0, 0.0, 0.0],
    ),
    (
        "mg.nn.softplus(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [0.0, 0.0, 2.06115e-09, 0.692647, 0.693147, 0.693647, 20.0, 100.0, 10000.0],
        [0.0, 0.0, 2.06115e-09, 0.49975, 0.5, 0.50025, 1.0, 1.0, 1.0],
    ),
    (
        "mg.math.log_sigmoid(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-10000.0, -100.0, -20.0, -0.693647, -0.693147, -0.692647, -2.06115e-09, -0.0, -0.0],
        [1.0, 1.0, 1.0, 0.50025, 0.5, 0.49975, 2.06115e-09, 0.0, 0.0],
    ),
    (
        "mg.tanh(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-1.0, -1.0, -1.0, -0.001, 0.0, 0.001, 1.0, 1.0, 1.0],
        [0.0, 0.0, 0.0, 0.999999, 1.0, 0.999999, 0.0, 0.0, 0.0],
    ),
    (
        "mg.nn.silu(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-0.0, -0.0, -4.12231e-08, -0.00049975, 0.0, 0.00050025, 20.0, 100.0, 10000.0],
        [-0.0, -0.0, -3.91619e-08, 0.4995, 0.5, 0.5005, 1.0, 1.0, 1.0],
    ),
    (
        "mg.nn.gelu(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-0.0, -0.0, -0.0, -0.000499601, 0.0, 0.000500399, 20.0, 100.0, 10000.0],
        [0.0, 0.0, 0.0, 0.499202, 0.5, 0.500798, 1.0, 1.0, 1.0],
    ),
    (
        "mg.nn.elu(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-1.0, -1.0, -1.0, -0.00099951, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [0.0, 0.0, 0.0, 0.999, 1.0, 1.0, 1.0, 1.0, 1.0],
    ),
    (
        "mg.nn.selu(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-1.7581, -1.7581, -1.7581, -0.00175724, 0.0, 0.0010507, 21.014, 105.07, 10507.0],
        [0.0, 0.0, 0.0, 1.75634, 1.0507, 1.0507, 1.0507, 1.0507, 1.0507],
    ),
    (
        "mg.math.erf(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-1.0, -1.0, -1.0, -0.00112838, 0.0, 0.00112838, 1.0, 1.0, 1.0],
        [0.0, 0.0, 0.0, 1.12838, 1.12838, 1.12838, 0.0, 0.0, 0.0],
    ),
    (
        "mg.math.erfc(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [2.0, 2.0, 2.0, 1.00113, 1.0, 0.998872, 0.0, 0.0, 0.0],
        [-0.0, -0.0, -0.0, -1.12838, -1.12838, -1.12838, -0.0, -0.0, -0.0],
    ),
    (
        "mg.nn.softsign(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-0.9999, -0.990099, -0.952381, -0.000999001, 0.0, 0.000999001, 0.952381, 0.990099, 0.9999],
        [9.998e-09, 9.80296e-05, 0.00226757, 0.998003, 1.0, 0.998003, 0.00226757, 9.80296e-05, 9.998e-09],
    ),
    (
        "mg.math.asinh(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-9.90349, -5.29834, -3.6895, -0.001, 0.0, 0.001, 3.6895, 5.29834, 9.90349],
        [0.0001, 0.0099995, 0.0499376, 1.0, 1.0, 1.0, 0.0499376, 0.0099995, 0.0001],
    ),
    (
        "mg.math.expm1(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-1.0, -1.0, -1.0, -0.0009995, 0.0, 0.0010005, 485165000.0, inf, inf],
        [0.0, 0.0, 2.06115e-09, 0.999, 1.0, 1.001, 485165000.0, inf, inf],
    ),
    (
        "mg.sinh(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-inf, -inf, -242583000.0, -0.001, 0.0, 0.001, 242583000.0, inf, inf],
        [inf, inf, 242583000.0, 1.0, 1.0, 1.0, 242583000.0, inf, inf],
    ),
    (
        "mg.atan(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [-1.5707, -1.5608, -1.52084, -0.001, 0.0, 0.001, 1.52084, 1.5608, 1.5707],
        [1e-08, 9.999e-05, 0.00249377, 0.999999, 1.0, 0.999999, 0.00249377, 9.999e-05, 1e-08],
    ),
    (
        "mg.nn.sigmoid_cross_entropy_with_logits(labels=mg.ones_like(x)*0.3, logits=x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [3000.0, 30.0, 6.0, 0.692947, 0.693147, 0.693347, 14.0, 70.0, 7000.0],
        [-0.3, -0.3, -0.3, 0.19975, 0.2, 0.20025, 0.7, 0.7, 0.7],
    ),
    (
        "mg.exp(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [0.0, 0.0, 2.06115e-09, 0.999, 1.0, 1.001, 485165000.0, inf, inf],
        [0.0, 0.0, 2.06115e-09, 0.999, 1.0, 1.001, 485165000.0, inf, inf],
    ),
    (
        "mg.nn.relu6(x)",
        "float32",
        [-10000.0, -100.0, -20.0, -0.001, 0.0, 0.001, 20.0, 100.0, 10000.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.001, 6.0, 6.0, 6.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    ),
    (
        "mg.math.log1p(x)",
        "float32",
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [-0.0010005, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.0009995],
        [1.001, 1.0, 1.0, 1.0, 1.0, 1.0, 0.999001],
    ),
    (
        "mg.math.expm1(x)",
        "float32",
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [-0.0009995, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.0010005],
        [0.999, 1.0, 1.0, 1.0, 1.0, 1.0, 1.001],
    ),
    (
        "mg.sinh(x)",
        "float32",
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    ),
    (
        "mg.tanh(x)",
        "float32",
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [0.999999, 1.0, 1.0, 1.0, 1.0, 1.0, 0.999999],
    ),
    (
        "mg.math.asinh(x)",
        "float32",
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    ),
    (
        "mg.math.atanh(x)",
        "float32",
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    ),
    (
        "mg.sin(x)",
        "float32",
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    ),
    (
        "mg.math.erf(x)",
        "float32",
        [-0.001, -1e-07, -1e-10, 1e-30, 1e-10, 1e-07, 0.001],
        [-0.00112838, -1.12838e-07, -1.12838e-10, 1.12838e-30, 1.12838e-10, 1.12838e-07, 0.00112838],
        [1.12838, 1.12838, 1.12838, 1.12838, 1.12838, 1.12838, 1.12838],
    ),
    ("mg.reduce_logsumexp(x)", "float32", [1000.0, 999.0, -1000.0], 1000.31, [0.731059, 0.268941, 0.0]),
    ("mg.reduce_logsumexp(x)", "float32", [-1e30, -1e30, -1e30], -1e30, [0.333333, 0.333333, 0.333333]),
    ("mg.reduce_logsumexp(x)", "float32", [88.0, 89.0, 90.0], 90.4076, [0.0900306, 0.244728, 0.665241]),
    ("mg.reduce_logsumexp(x)", "float32", [0.0001, 0.0, -0.0001], 1.09861, [0.333367, 0.333333, 0.3333]),
    ("mg.reduce_logsumexp(x)", "float32", [-inf, 0.0, 1.0], 1.31326, [0.0, 0.268941, 0.731059]),
    ("mg.nn.softmax(x)", "float32", [1000.0, 999.0, -1000.0], [0.731059, 0.268941, 0.0], [0.0, 0.0, 0.0]),
    ("mg.nn.softmax(x)", "float32", [-1e30, -1e30, -1e30], [0.333333, 0.333333, 0.333333], [0.0, 0.0, 0.0]),
    ("mg.nn.softmax(x)", "float32", [88.0, 89.0, 90.0], [0.0900306, 0.244728, 0.665241], [0.0, 0.0, 0.0]),
    ("mg.nn.softmax(x)", "float32", [0.0001, 0.0, -0.0001], [0.333367, 0.333333, 0.3333], [0.0, 0.0, 0.0]),
    ("mg.nn.softmax(x)", "float32", [-inf, 0.0, 1.0], [0.0, 0.268941, 0.731059], [0.0, 0.0, 0.0]),
    ("mg.nn.log_softmax(x)", "float32", [1000.0, 999.0, -1000.0], [-0.313262, -1.31326, -2000.31], [-1.19318, 0.193176, 1.0]),
    ("mg.nn.log_softmax(x)", "float32", [88.0, 89.0, 90.0], [-2.40761, -1.40761, -0.407606], [0.729908, 0.265815, -0.995723]),
    ("mg.nn.log_softmax(x)", "float32", [-inf, 0.0, 1.0], [-inf, -1.31326, -0.313262], [1.0, 0.193176, -1.19318]),
    (
        "mg.nn.softmax_cross_entropy_with_logits(labels=[0.0, 0.0, 1.0], logits=x)",
        "float32",
        [1000.0, 999.0, -1000.0],
        2000.31,
        [0.731059, 0.268941, -1.0],
    ),
    (
        "mg.nn.softmax_cross_entropy_with_logits(labels=[0.0, 0.0, 1.0], logits=x)",
        "float32",
        [-1e30, -1e30, -1e30],
        1.09861,
        [0.333333, 0.333333, -0.666667],
    ),
    (
        "mg.nn.softmax_cross_entropy_with_logits(labels=[0.0, 0.0, 1.0], logits=x)",
        "float32",
        [88.0, 89.0, 90.0],
        0.407606,
        [0.0900306, 0.244728, -0.334759],
    ),
    (
        "mg.nn.softmax_cross_entropy_with_logits(labels=[0.0, 0.0, 1.0], logits=x)",
        "float32",
        [0.0001, 0.0, -0.0001],
        1.09871,
        [0.333367, 0.333333, -0.6667],
    ),
    (
        "mg.nn.softmax_cross_entropy_with_logits(labels=[0.0, 0.0, 1.0], logits=x)",
        "float32",
        [-inf, 0.0, 1.0],
        nan,
        [0.0, 0.268941, -0.268941],
    ),
    (
        "mg.nn.sparse_softmax_cross_entropy_with_logits(labels=2, logits=x)",
        "float32",
        [1000.0, 999.0, -1000.0],
        2000.31,
        [0.731059, 0.268941, -1.0],
    ),
    (
        "mg.nn.sparse_softmax_cross_entropy_with_logits(labels=2, logits=x)",
        "float32",
        [-1e30, -1e30, -1e30],
        1.09861,
        [0.333333, 0.333333, -0.666667],
    ),
    (
        "mg.nn.sparse_softmax_cross_entropy_with_logits(labels=2, logits=x)",
        "float32",
        [88.0, 89.0, 90.0],
        0.407606,
        [0.0900306, 0.244728, -0.334759],
    ),
    (
        "mg.nn.sparse_softmax_cross_entropy_with_logits(labels=2, logits=x)",
        "float32",
        [0.0001, 0.0, -0.0001],
        1.09871,
        [0.333367, 0.333333, -0.6667],
    ),
    (
        "mg.nn.sparse_softmax_cross_entropy_with_logits(labels=2, logits=x)",
        "float32",
        [-inf, 0.0, 1.0],
        0.313262,
        [0.0, 0.268941, -0.268941],
    ),
    ("mg.math.cumulative_logsumexp(x)", "float32", [1000.0, 999.0, -1000.0], [1000.0, 1000.31, 1000.31], [2.46222, 0.537914, 0.0]),
    ("mg.math.cumulative_logsumexp(x)", "float32", [-1e30, -1e30, -1e30], [-1e30, -1e30, -1e30], [1.0, 1.0, 1.0]),
    ("mg.math.cumulative_logsumexp(x)", "float32", [88.0, 89.0, 90.0], [88.0, 89.3133, 90.4076], [1.35897, 0.975785, 0.66524]),
    ("mg.math.cumulative_logsumexp(x)", "float32", [0.0001, 0.0, -0.0001], [0.0001, 0.693197, 1.09861], [1.83339, 0.833308, 0.3333]),
    ("mg.math.cumulative_logsumexp(x)", "float32", [-inf, 0.0, 1.0], [-inf, 0.0, 1.31326], [nan, 1.26894, 0.731059]),
    ("mg.norm(x)", "float32", [0.0, 0.0], 0.0, [nan, nan]),
    ("mg.norm(x)", "float32", [3e18, 4e18], 5e18, [0.6, 0.8]),
    ("mg.norm(x)", "float32", [0.001, 0.0], 0.001, [1.0, 0.0]),
    ("mg.norm(x)", "float32", [5.0, 5.0], 7.07107, [0.707107, 0.707107]),
    ("mg.math.reduce_euclidean_norm(x)", "float32", [0.0, 0.0], 0.0, [nan, nan]),
    ("mg.math.reduce_euclidean_norm(x)", "float32", [3e18, 4e18], 5e18, [0.6, 0.8]),
    ("mg.math.reduce_euclidean_norm(x)", "float32", [0.001, 0.0], 0.001, [1.0, 0.0]),
    ("mg.math.reduce_euclidean_norm(x)", "float32", [5.0, 5.0], 7.07107, [0.707107, 0.707107]),
    ("mg.math.l2_normalize(x)", "float32", [0.0, 0.0], [0.0, 0.0], [1000000.0, 1000000.0]),
    ("mg.math.l2_normalize(x)", "float32", [3e18, 4e18], [0.6, 0.8], [3.2e-20, -2.4e-20]),
    ("mg.math.l2_normalize(x)", "float32", [0.001, 0.0], [1.0, 0.0], [0.0, 1000.0]),
    ("mg.math.l2_normalize(x)", "float32", [5.0, 5.0], [0.707107, 0.707107], [-1.49012e-08, -1.49012e-08]),
    ("mg.linalg.normalize(x)[0]", "float32", [0.0, 0.0], [nan, nan], [nan, nan]),
    ("mg.linalg.normalize(x)[0]", "float32", [3e18, 4e18], [0.6, 0.8], [3.2e-20, -2.4e-20]),
    ("mg.linalg.normalize(x)[0]", "float32", [0.001, 0.0], [1.0, 0.0], [0.0, 1000.0]),
    ("mg.linalg.normalize(x)[0]", "float32", [5.0, 5.0], [0.707107, 0.707107], [0.0, 0.0]),
    ("mg.sqrt(mg.reduce_sum(x * x))", "float32", [0.0, 0.0], 0.0, [nan, nan]),
    ("mg.sqrt(mg.reduce_sum(x * x))", "float32", [3e18, 4e18], 5e18, [0.6, 0.8]),
    ("mg.sqrt(mg.reduce_sum(x * x))", "float32", [0.001, 0.0], 0.001, [1.0, 0.0]),
    ("mg.sqrt(mg.reduce_sum(x * x))", "float32", [5.0, 5.0], 7.07107, [0.707107, 0.707107]),
    ("mg.clip_by_norm(x, 1.0)", "float32", [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]),
    ("mg.clip_by_norm(x, 1.0)", "float32", [3e18, 4e18], [0.6, 0.8], [3.2e-20, -2.4e-20]),
    ("mg.clip_by_norm(x, 1.0)", "float32", [0.001, 0.0], [0.001, 0.0], [1.0, 1.0]),
    ("mg.clip_by_norm(x, 1.0)", "float32", [5.0, 5.0], [0.707107, 0.707107], [0.0, 0.0]),
    ("mg.reduce_prod(x)", "float32", [0.0, 0.0], 0.0, [0.0, 0.0]),
    ("mg.reduce_prod(x)", "float32", [3e18, 4e18], 1.2e37, [4e18, 3e18]),
    ("mg.reduce_prod(x)", "float32", [0.001, 0.0], 0.0, [0.0, 0.001]),
    ("mg.reduce_prod(x)", "float32", [5.0, 5.0], 25.0, [5.0, 5.0]),
    ("mg.math.reduce_std(x)", "float32", [0.0, 0.0], 0.0, [nan, nan]),
    ("mg.math.reduce_std(x)", "float32", [3e18, 4e18], 5e17, [-0.5, 0.5]),
    ("mg.math.reduce_std(x)", "float32", [0.001, 0.0], 0.0005, [0.5, -0.5]),
    ("mg.math.reduce_std(x)", "float32", [5.0, 5.0], 0.0, [nan, nan]),
    ("mg.math.reduce_variance(x)", "float32", [0.0, 0.0], 0.0, [0.0, 0.0]),
    ("mg.math.reduce_variance(x)", "float32", [3e18, 4e18], 2.5e35, [-5e17, 5e17]),
    ("mg.math.reduce_variance(x)", "float32", [0.001, 0.0], 2.5e-07, [0.0005, -0.0005]),
    ("mg.math.reduce_variance(x)", "float32", [5.0, 5.0], 0.0, [0.0, 0.0]),
    ("mg.reduce_mean(x)", "float16", [60000.0, 60000.0, 60000.0], inf, [0.3333, 0.3333, 0.3333]),
    ("mg.reduce_sum(x)", "float16", [0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 1000.0], 1000.0, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
    ("mg.sigmoid(x)", "float16", [-12.0, -1.0, 0.0, 11.0], [6.139e-06, 0.2688, 0.5, 1.0], [6.139e-06, 0.1967, 0.25, 0.0]),
    ("mg.nn.softmax(x)", "float16", [11.0, 12.0, -12.0], [0.269, 0.731, 0.0], [0.0, 0.0, 0.0]),
    ("mg.nn.softplus(x)", "float16", [-9.0, 0.0, 12.0], [0.0001234, 0.6934, 12.0], [0.0001234, 0.5, 1.0]),
    ("x * x", "float16", [300.0, 0.0001], [inf, 0.0], [600.0, 0.0002]),
    ("mg.math.log1p(x)", "float16", [0.0001, 5.0], [0.0001, 1.792], [1.0, 0.1666]),
    ("mg.reduce_logsumexp(x)", "float16", [12.0, 12.0], 12.6953, [0.5, 0.5]),
    ("mg.sigmoid(x)", "float64", [-0.5, 1e-12, 30.0, 700.0], [0.37754067, 0.5, 1.0, 1.0], [0.23500371, 0.25, 9.3591801e-14, 0.0]),
    ("mg.nn.softplus(x)", "float64", [-0.5, 1e-12, 30.0, 700.0], [0.47407698, 0.69314718, 30.0, 700.0], [0.37754067, 0.5, 1.0, 1.0]),
    (
        "mg.math.log1p(x)",
        "float64",
        [-0.5, 1e-12, 30.0, 700.0],
        [-0.69314718, 1e-12, 3.4339872, 6.5525079],
        [2.0, 1.0, 0.032258065, 0.0014265335],
    ),
    (
        "mg.math.expm1(x)",
        "float64",
        [-0.5, 1e-12, 30.0, 700.0],
        [-0.39346934, 1e-12, 10686475000000.0, 1.0142321e304],
        [0.60653066, 1.0, 10686475000000.0, 1.0142321e304],
    ),
    (
        "mg.nn.softmax(x)",
        "float64",
        [-0.5, 1e-12, 30.0, 700.0],
        [5.9801961e-305, 9.8596765e-305, 1.0536518e-291, 1.0],
        [0.0, 0.0, 0.0, 0.0],
    ),
    ("mg.reduce_logsumexp(x)", "float64", [-0.5, 1e-12, 30.0, 700.0], 700.0, [5.9801961e-305, 9.8596765e-305, 1.0536518e-291, 1.0]),
    ("mg.norm(x)", "float64", [-0.5, 1e-12, 30.0, 700.0], 700.64274, [-0.00071363046, 1.4272609e-15, 0.042817827, 0.99908264]),
]


def close(found, expected, dtype):
    rtol, atol = ROUNDING[dtype]
    expected = np.asarray(expected, np.float64)
    size = np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)
    floor = 0.0 if expected.ndim == 0 or dtype == "float64" else atol * size
    np.testing.assert_allclose(np.asarray(found, np.float64), expected, rtol, max(floor, 2e-38))


@pytest.mark.parametrize(("text", "dtype", "x", "value", "gradient"), RECORDED, ids=lambda one: str(one)[:40])
def test_it_is_as_exact_as_tensorflow(text, dtype, x, value, gradient):
    x = mg.constant(x, dtype)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = eval(text, {"mg": mg, "x": x})
    dx = tape.gradient(y, x)
    assert y.dtype == dx.dtype == dtype
    close(y, value, dtype)
    close(dx, gradient, dtype)


# ---- arrays of every make ------------------------------------------------------------------------------------------


def strided(a):
    return np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3]


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


MAKES = {
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "column by column": np.asfortranarray,
    "strided": strided,
    "read-only": read_only,
    "byte-swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "misaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    "of a subclass": lambda a: a.view(np.matrix),
    "memory-mapped": lambda a: a.view(np.memmap),
}
FUNCTIONS = {
    "arithmetic": lambda x: mg.reduce_sum(x * x - 2.0 * x / (x + 3.0)),
    "matrices": lambda x: mg.reduce_sum(mg.matmul(x, x, transpose_b=True) ** 2),
    "reductions": lambda x: mg.reduce_sum(mg.reduce_max(x, 0)) + mg.reduce_logsumexp(x) + mg.reduce_prod(x),
    "softmax": lambda x: mg.reduce_sum(mg.nn.softmax(x) * x),
    "shapes": lambda x: mg.reduce_sum(mg.concat([mg.transpose(x)[:2, :1], mg.reshape(x, [-1, 1])[::2]], 0) ** 2),
    "sorting": lambda x: mg.reduce_sum(mg.sort(x) * [1.0, 2.0, 3.0]),
    "rows": lambda x: mg.reduce_sum(mg.gather(x, [1, 0, 1]) ** 2),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_how_an_array_lies_in_memory_does_not_matter(make, function):
    plain = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])
    array = MAKES[make](plain)
    plain = np.array(array, np.float64)
    before = plain.tobytes()
    results = []
    for given in (plain, array, mg.Tensor.of(np.asarray(array)) if array.dtype.isnative else array):
        x = mg.convert_to_tensor(given)
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = FUNCTIONS[function](x)
        results.append([np.asarray(y), np.asarray(mg.convert_to_tensor(tape.gradient(y, x)))])
    for y, dx in results[1:]:
        np.testing.assert_allclose(y, results[0][0], rtol=1e-14)
        np.testing.assert_allclose(dx, results[0][1], rtol=1e-14, atol=1e-14)
    assert np.array(array, np.float64).tobytes() == before  # nothing writes into what it was given


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "i4", "i8", "u4", "c8", "c16"])
def test_byte_swapped_arrays_are_taken_in_the_machines_order(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    for x in (mg.constant(array.astype(array.dtype.newbyteorder())), mg.Variable(array.astype(array.dtype.newbyteorder()))):
        assert x.numpy().dtype == array.dtype and x.numpy().dtype.isnative
        assert np.array_equal(x.numpy(), array)


@pytest.mark.parametrize("make", [mg.constant, mg.convert_to_tensor, mg.Variable, mg.identity, lambda a: mg.Variable([0.0, 0.0]).assign(a)])
def test_an_array_that_the_caller_changes_afterwards_changes_nothing_here(make):
    array = np.array([1.0, 2.0], np.float32)
    x = make(array)
    array[:] = 99.0
    assert np.asarray(x).tolist() == [1.0, 2.0]


def test_an_array_that_met_a_tensor_may_be_changed_before_the_gradient_is_asked():
    array, x = np.array([3.0, 4.0], np.float32), mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x * array + array[np.newaxis] @ mg.reshape(x, [2, 1]))
    array[:] = 99.0
    assert tape.gradient(y, x).numpy().tolist() == [9.0, 12.0]  # 3 + 2 * 3: the product of matrices counts twice


def test_what_numpy_gets_is_its_own():
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = x * x
    for array in (x.numpy(), y.numpy(), np.array(y), np.array(x), tape.gradient(y, x).numpy()):
        array[:] = 99.0
    assert x.numpy().tolist() == [1.0, 2.0] and y.numpy().tolist() == [1.0, 4.0]
    for view in (np.asarray(y), np.asarray(mg.constant([1.0]))):
        with pytest.raises(ValueError, match="read-only"):
            view[:] = 99.0


def test_a_gradient_shares_no_memory_that_can_be_written():
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape(persistent=True) as tape:
        y = x + 0.0
    seed = np.array([1.0, 1.0], np.float32)
    dx = tape.gradient(y, x, output_gradients=seed)
    seed[:] = 99.0
    assert dx.numpy().tolist() == [1.0, 1.0]
    x.assign(dx)
    x.assign_add([1.0, 1.0])
    assert dx.numpy().tolist() == [1.0, 1.0]


# ---- empty arrays and numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * x, lambda x: mg.sin(x) + 1.0, mg.reduce_sum, mg.reduce_mean, mg.reduce_prod, mg.nn.relu, mg.square,
        lambda x: mg.reduce_sum(x, 0), lambda x: mg.reduce_sum(x, -1, keepdims=True), mg.transpose,
        lambda x: mg.reshape(x, [-1, 5]) if x.shape.num_elements() else x, lambda x: mg.concat([x, x], 0), lambda x: x[:0],
        lambda x: mg.cumsum(x, -1), lambda x: mg.stack([x, x]), mg.nn.softmax, lambda x: mg.broadcast_to(x, [2, *x.shape]),
        lambda x: mg.cast(x, mg.float64), lambda x: mg.where(x > 0.0, x, -x), lambda x: mg.pad(x, [[1, 1]] * x.shape.rank),
    ],
)  # fmt: skip
def test_empty_arrays_have_empty_gradients(shape, f):
    x = mg.constant(np.zeros(shape, np.float32))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    dx = tape.gradient(y, x)
    assert dx.shape == shape and dx.dtype == mg.float32


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_numbers_stay_numbers_of_their_dtype(dtype):
    x = mg.constant(2.0, dtype)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x + x / 2.0 - 1.0
        dy = tape.gradient(y, x)
    for one in (y, dy, tape.gradient(dy, x), tape.jacobian(y, x)):
        assert one.dtype == dtype and one.shape == ()
    assert [complex(one).real for one in (y, dy, tape.gradient(dy, x))] == [8.0, 12.5, 12.0]


# ---- inf, nan and denormals ----------------------------------------------------------------------------------------


def slope(f, x):
    x = mg.constant(x)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy().tolist()


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: 1.0 / x, [0.0, inf, -inf], [-inf, 0.0, 0.0]),
        (mg.sqrt, [0.0, -1.0, inf], [inf, nan, 0.0]),
        (mg.math.log, [0.0, inf], [inf, 0.0]),
        (lambda x: x * 0.0, [inf, nan], [0.0, 0.0]),
        (mg.nn.relu, [nan, inf, -inf, -0.0], [0.0, 1.0, 0.0, 0.0]),
        (lambda x: mg.where(x > 0.0, mg.math.log(x), 0.0), [0.0, 1.0], [nan, 1.0]),
        (mg.reduce_max, [nan, 1.0], [nan, nan]),
        (lambda x: mg.clip_by_value(x, -1.0, 1.0), [inf, nan, 1.0, -1.0], [0.0, 0.0, 1.0, 1.0]),
        (lambda x: x**2, [inf, nan], [inf, nan]),
        (mg.exp, [1e4, -1e4], [inf, 0.0]),
    ],
)
def test_what_is_not_finite_passes_as_in_tensorflow(f, x, expected):
    np.testing.assert_array_equal(slope(f, x), expected)


def test_nothing_is_printed_or_warned_of_however_strict_numpy_is():
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        x = mg.constant([0.0, -1.0, inf, nan, 1e-42, 3e38])
        with mg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            ys = [f(x) for f in (mg.sqrt, mg.math.log, mg.exp, mg.square, mg.tanh, mg.nn.softmax, lambda x: 1.0 / x, mg.acos)]
        assert all(y.shape == (6,) for y in ys)
        assert all(mg.nn.softplus(mg.constant(v)).dtype == mg.float32 for v in (-1e4, 1e4))


def test_denormal_numbers_are_numbers():
    tiny = np.float64(5e-324)
    assert slope(lambda x: x * 2.0, [tiny]) == [2.0]
    assert (mg.constant(tiny) * 2.0).numpy() == 1e-323
