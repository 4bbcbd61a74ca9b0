"""explain and the film for programs that run on TensorFlow itself: `import minigrad.tensorflow as mgt`.

    mgt.trace(True)                       # before the forward pass
    ...                                   # your own code, Keras models and all
    grads = tape.gradient(loss, variables)
    print(mgt.explain(tape, loss, variables))
    mgt.inspect(tape, loss, variables)

Each op that TensorFlow runs is written into the same kind of log as for minigrad's own programs, so the same explain
and the same film can read it. Your program computes and prints the same with a trace as without.
"""

import importlib.util

if importlib.util.find_spec("tensorflow") is None:
    raise ImportError("minigrad.tensorflow hears TensorFlow, which is not installed. Run: pip install tensorflow")

from .asking import explain, inspect, trace

__all__ = ["explain", "inspect", "trace"]
