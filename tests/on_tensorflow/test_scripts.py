"""Whole programs on TensorFlow: none ends for being explained."""

import pytest
from engine import tf  # noqa: F401 - with its settings

from minigrad import report

LABELS = """
import tensorflow as tf
w = tf.Variable(tf.ones([4, 3]))
data = tf.data.Dataset.from_tensor_slices((tf.ones([10, 4]), tf.range(10) % 3)).batch(5)
for x, labels in data:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x @ w))
    w.assign_sub(tape.gradient(loss, w))
"""
WITHIN = """
import tensorflow as tf
w = tf.Variable(2.0)
def slope(x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.sin(x)
    return inner.gradient(y, x)
with tf.GradientTape() as tape:
    loss = slope(tf.constant(1.5)) * w
tape.gradient(loss, w)
"""


@pytest.mark.parametrize("program", [LABELS, WITHIN])
def test_what_a_healthy_program_asks_is_complete(program):
    told = report.examine(program, "<program>", {"__name__": "__main__"})
    assert (told.problem, told.broken) == ("", [])
    assert {answer.status for one in told.questions for answer in one.answers} == {"complete"}
    assert all(one.film is not None for one in told.questions)


def test_what_numpy_reads_in_a_program_unheard_is_found():
    program = "import numpy as np\nimport tensorflow as tf\nw = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as tape:\n"
    program += "    h = tf.sin(w)\n    loss = tf.reduce_sum(np.asarray(h) * w)\ntape.gradient(loss, w)\n"
    told = report.examine(program, "<program>", {"__name__": "__main__"})
    assert [answer.status for one in told.broken for answer in one.answers] == ["partial"]
