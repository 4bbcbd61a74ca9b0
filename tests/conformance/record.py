"""Keep what TensorFlow answers to every call of the examples, so that minigrad can be held against it where TensorFlow is not.

    python -m tests.conformance.record

Only what is new is asked; with `--all`, everything, though the last digits differ from one processor to the next.
"""

import gzip
import json
import logging
import os
import pathlib
import sys
import warnings

import numpy as np

import minigrad

from . import examples

FILE = pathlib.Path(__file__).with_name("recorded.json.gz")


def recorded():
    """{call: [(what, answer), ...]} as it was kept."""
    told = json.loads(gzip.decompress(FILE.read_bytes()))
    return {call: [(what, restored(answer)) for what, answer in answers] for call, answers in told.items()}


def plain(answer):
    """An answer of TensorFlow, as JSON can hold it."""
    if answer is None:
        return None
    if isinstance(answer, (list, tuple)):
        return [plain(one) for one in answer]
    if isinstance(answer, Exception):
        return {"error": type(answer).__name__, "text": str(answer)[:100]}
    if type(answer).__name__ == "IndexedSlices":
        return {"rows": plain(answer.values), "at": plain(answer.indices)}
    array = np.asarray(answer)
    flat = array.ravel()
    values = (
        [one.decode("latin-1") for one in flat] if array.dtype.kind == "O" else (flat.view(flat.real.dtype) if flat.size else flat).tolist()
    )
    return {"dtype": array.dtype.str, "shape": array.shape, "values": values}


def restored(kept):
    """The answer again: arrays, None, lists, errors of the same name."""
    if kept is None:
        return None
    if isinstance(kept, list):
        return [restored(one) for one in kept]
    if "error" in kept:
        return type(kept["error"], (Exception,), {})(kept["text"])
    if "rows" in kept:
        return type("IndexedSlices", (), {"values": restored(kept["rows"]), "indices": restored(kept["at"])})()
    dtype = np.dtype(kept["dtype"])
    if dtype.kind == "O":
        flat = np.array([one.encode("latin-1") for one in kept["values"]], object)
    else:
        flat = np.array(kept["values"], np.empty(0, dtype).real.dtype).view(dtype)
    return flat.reshape(kept["shape"])


def main():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # not every processor has that library, and its softmax of nan differs
    import tensorflow

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    calls = [call for call in examples.calls(minigrad) if examples.exists(call, tensorflow)]
    kept = {} if "--all" in sys.argv else json.loads(gzip.decompress(FILE.read_bytes()))
    told = {}
    for variant in [variant for call in calls for variant in examples.variants(call)]:
        name = str(variant)
        told[name] = kept.get(name) or [(what, plain(answer)) for what, answer in examples.run(variant, tensorflow)]
        if sys.stdout.isatty():
            print(f"\r{len(told)} calls", end="", flush=True)
    FILE.write_bytes(gzip.compress(json.dumps(told, separators=(",", ":")).encode(), mtime=0))
    print(f"\n{FILE.name}: {len(told)} calls, {len(told.keys() - kept.keys())} of them new")


if __name__ == "__main__":
    sys.exit(main())
