"""What is here needs TensorFlow, and runs where it is installed: `.ci/run` has an environment for it."""

import importlib.util
import logging

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("tensorflow") else ["*"]


@pytest.fixture(autouse=True)
def tapes_explain_themselves(monkeypatch):
    """In programs of the other tests a tape is asked itself."""
    from engine import mgt, tf

    monkeypatch.setattr(tf.GradientTape, "explain", mgt.explain, raising=False)
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    yield
    mgt.trace(False)
