"""Programs in processes of their own, for the tests of replays: a guard counts what they start, and none may be left."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import minigrad

MOST_PROCESSES = 30

RUNNER = '''
import collections, functools, gc, hashlib, io, itertools, json, linecache, multiprocessing.resource_tracker, os, pickle, queue, random
import signal, sys, threading, time, traceback
import numpy as np
import minigrad as mg
import minigrad.explain
from minigrad.random import streams
from minigrad.tracing import checkpoint

NAMES = dict(collections=collections, functools=functools, itertools=itertools, mg=mg, np=np, os=os, queue=queue, random=random,
    signal=signal, sys=sys, threading=threading, time=time)  # which every block knows
traces, checkpoint.RARELY = [], 1e9  # kept: another trace has another checkpoint, and the tapes of one share theirs


def content(value):
    """What differs when a value was changed."""
    if isinstance(value, mg.Variable):
        return value.id, value.version, value.numpy().tolist()
    if isinstance(value, type):
        return {name: content(one) for name, one in vars(value).items() if not name.startswith("__")}
    if hasattr(value, "variables"):
        return [content(one) for one in value.variables]
    try:
        return hashlib.sha256(pickle.dumps(value)).hexdigest()
    except Exception:
        return repr(value), content(getattr(value, "__dict__", 0))


def files():
    found = {}
    for folder, _, names in os.walk("."):
        for path in [folder, *[os.path.join(folder, name) for name in names]]:
            about = os.lstat(path)
            text = open(path, "rb").read() if os.path.isfile(path) else None
            found[path] = about.st_mode, about.st_size, about.st_mtime_ns, text
    return found


def world(space):
    """All that a replay might change. (A replay that sleeps takes the place of its tape's first checkpoint.)"""
    sleeping = {str(one.connection.fileno()) for one in [ref() for ref in checkpoint.alive] if one and one.close.alive}
    opened = [number for number in os.listdir("/proc/self/fd") if os.path.lexists("/proc/self/fd/" + number)]
    names = {name: content(value) for name, value in space.items() if name not in NAMES and name != "__builtins__"}
    return {
        **names, "random": random.getstate(), "np.random": repr(np.random.get_state()), "files": files(), "folder": os.getcwd(),
        "environment": dict(os.environ), "open files": sorted({*opened} - sleeping), "threads": threading.active_count(),
        "shared memory": [one for one in os.listdir("/dev/shm") if one.startswith("psm_")], "mg.random": content(streams.seeds),
        "signals": [repr(signal.getsignal(number)) for number in (2, 10, 15, 17)], "positions": [os.lseek(one.fileno(), 0, 1)
            for one in space.values() if isinstance(one, io.IOBase) and not one.closed],
    }


def run(name, before, block, seconds, ops):
    """What explain says of a block that comes so many ops after another tape, and what is different after it."""
    os.mkdir(name)
    os.chdir(name)
    traces.append(mg.trace())
    space = {"__name__": "__main__", "log": traces[-1], **NAMES}
    lines = ["with log:", "    with mg.GradientTape():", f"        for _ in range({ops}):", "            x * x"] if ops else ["with log:"]
    lines += ["    with mg.GradientTape() as tape:", "        seen = float(str(float(x)))", *["        " + line for line in block.splitlines()]]
    text = "\\n".join(["x, me = mg.Variable(3.0), os.getpid()", before, *lines, "        y = x * seen", ""])
    file = f"<block {name}>"
    linecache.cache[file] = 0, None, text.splitlines(True), file
    exec(compile(text, file, "exec"), space)
    tape, y, x = space.pop("tape"), space.pop("y"), space["x"]
    gc.collect()
    known, began = world(space), time.perf_counter()
    answer = tape.explain(y, x, seconds=seconds)
    took, now = time.perf_counter() - began, world(space)
    os.chdir("..")
    return dict(text=str(answer), status=answer.status, seconds=took, changed=[one for one in {*known, *now} if known.get(one) != now.get(one)])


for name, *how in json.loads(sys.stdin.read()):
    folder = os.getcwd()
    try:
        result = run(name, *how)
    except Exception:
        result = dict(text=traceback.format_exc(), status="error", seconds=0.0, changed=[])
    os.chdir(folder)
    print(json.dumps([name, result]), flush=True)
'''


def processes(mark) -> list:
    """The processes in whose environment this mark stands, but for those that have ended."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def run_program(folder, text, given="", seconds=60, ends=0) -> str:
    """What a program prints. It must end so, start few processes, and leave none."""
    mark, end, said = f"MARK_OF_TEST={os.getpid()}.{time.time_ns()}.", time.monotonic() + seconds, folder / "said"
    (folder / "program.py").write_text(text)
    (folder / "given").write_text(given)
    name, _, value = mark.partition("=")
    environment = {**os.environ, "PYTHONPATH": str(Path(minigrad.__file__).parents[1]), "MPLBACKEND": "agg", name: value}
    with said.open("w") as out, (folder / "given").open() as typed:
        command = [sys.executable, "program.py"]
        program = subprocess.Popen(command, cwd=folder, env=environment, stdin=typed, stdout=out, stderr=subprocess.STDOUT)
    try:
        while program.poll() is None:
            assert len(processes(mark)) < MOST_PROCESSES, "the program multiplies"
            assert time.monotonic() < end, f"the program does not end:\n{said.read_text()}"
            time.sleep(0.05)
        end = time.monotonic() + 5.0
        while processes(mark) and time.monotonic() < end:
            time.sleep(0.02)
        assert not processes(mark), "a process is left"
    finally:
        for number in processes(mark):
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        program.wait()
    assert program.returncode == ends, said.read_text()
    return said.read_text()


def run_blocks(folder, blocks) -> dict:
    """Name -> what came of a block; `blocks` has rows of a name, what comes before the block, the block, the seconds, and the ops before."""
    said = run_program(folder, RUNNER, json.dumps(blocks))
    return dict(json.loads(line) for line in said.splitlines() if line.startswith('["'))
