"""One library in a process of its own: it answers questions that come as lines of JSON.

python -m tests.benchmarks.worker torch
"""

import contextlib
import ctypes
import gc
import importlib
import json
import sys
import time

import numpy as np


def checked(step):
    """Run a step, and reduce what it computed to a few numbers that any library can be compared by."""
    value, grads = step()
    return [float(value), *[float(np.abs(np.asarray(g, np.float64)).sum()) for g in grads]]


def timed(step, seconds, cpu):
    """The least time of one step, by the clock or of the processor, in a turn of about so many seconds."""
    clock, least, start = time.process_time if cpu else time.perf_counter, float("inf"), time.perf_counter()
    step()
    end, at_once = start + seconds, 1
    if cpu:  # whose time is not counted finely
        at_once += int(0.002 / (time.perf_counter() - start))
    while True:
        start = clock()
        for _ in range(at_once):
            step()
        least = min(least, (clock() - start) / at_once)
        if time.perf_counter() > end:
            return {"seconds": least}


def status(field):
    """A figure that Linux keeps of this process, in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def peak(step):
    """How much memory a step takes at its peak, beyond what the process had before."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is free already is not there to be used again, uncounted
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # forget the peak so far
    before = status("VmRSS")
    step()
    return {"bytes": status("VmHWM") - before}


def main(library):
    setups, steps = importlib.import_module(f".peers.{library}", __package__).setups, {}

    def answer(workload, task, seconds=0.0, cpu=False):
        if workload not in setups:
            return {}
        if task == "peak":
            checked(setups["warm-up"]())
            return peak(setups[workload]())
        if workload not in steps:
            steps[workload] = setups[workload]()
        return timed(steps[workload], seconds, cpu) if task == "time" else {"numbers": checked(steps[workload])}

    with contextlib.redirect_stdout(sys.stderr):
        for question in sys.stdin:
            try:
                result = answer(**json.loads(question))
            except Exception as problem:
                result = {"error": repr(problem)[:200]}
            print(json.dumps(result), file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
