"""How notebooks are held against TensorFlow (conformance/guides.py), on a small one and without TensorFlow."""

import json

import pytest
from conformance.guides import alike, cells, plain, printed

CELLS = [
    "!pip install tensorflow\nimport tensorflow as tf\nx = tf.constant(2.0)",
    "print(x)\ntf.print(x, [x])\nx * 3",
    "def f():\n  return x.nothing\nf()",
    "x = 5;",
    "tf.__name__",
]


@pytest.fixture
def notebook(tmp_path):
    parts = [{"cell_type": "code", "source": [source]} for source in CELLS]
    parts.insert(1, {"cell_type": "markdown", "source": ["print(x)"]})
    path = tmp_path / "one.ipynb"
    path.write_text(json.dumps({"cells": parts}))
    return path


def test_each_cell_prints_what_a_notebook_shows(notebook):
    assert "pip" not in cells(notebook)[0]
    nothing, shown, error, assigned, library = printed("minigrad", notebook)
    assert (nothing, assigned, library) == ("", "", "'minigrad'")
    assert shown.splitlines() == [
        "Tensor(2.0, shape=(), dtype=float32)", "2 [2]", "<Tensor: shape=(), dtype=float32, numpy=6.0>",
    ]  # fmt: skip
    assert error.startswith("AttributeError: ") and "\n" not in error


def test_what_stands_in_a_report_of_tensorflow_alone_is_left_out():
    chain = "Caught\nTraceback (most recent call last):\nTypeError: one\n\nDuring handling of it, another:\n\n"
    chain += 'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    f(x)\n'
    chain += 'tensorflow.errors.ValueError: in user code:\n\n    File "b.py", line 3\n        g(x)\n\n    ValueError: tf.two\n'
    assert plain(chain) == "Caught\nTraceback (most recent call last):\nValueError: two"
    assert plain("WARNING:tensorflow:5 out of 5\n<tf.Variable at 0x7f3a>\n") == "<Variable at 0x>"
    assert plain("{{function_node __wrapped__X}} no [Op:X] name: ") == "no [Op:X]"


def test_only_what_tensorflow_prints_otherwise_each_time_may_differ_in_its_numbers():
    assert alike("a [1.25  2.]", "a [1.25  2.]", "a [1.25  2.]")
    assert not alike("a [1.25  2.]", "a [1.5  2.]", "a [1.5  2.]")
    assert alike("a [1.25  2.]", "a [-11.5 3. ]", "a [0.1 7.2]")
    assert not alike("a [1.25  2.]", "a [-11.5 3. 4.]", "a [0.1 7.2 1.]")
    assert alike("[1. 2.]\n[3. 4.]\n2.0", "[1. 2.]\n1.0", "[5. 2.]\n6.0")
    assert alike("no such name. Write it so.", "no such name", "no such name")
    assert not alike("no such name", "no such name of yours", "no such name of yours")
