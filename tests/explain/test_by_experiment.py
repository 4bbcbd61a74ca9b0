"""Programs as learners write them, as a file and in cells: what explain says of them was tried, and the fix that it prints is right."""

import linecache
import math
import os
import re
import signal
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.explain import answer, experiment, replay
from minigrad.explain.experiment import Experiment
from minigrad.tracing import checkpoint

CELL = "# ---\n"  # between two cells
PROGRAMS = {  # the status, the first code, the line (or a note), and the program; `start` makes the Variable
    # ---- the classics ----------------------------------------------------------------------------------------------
    "a moving average in the loss": ("partial", "STATE", "ema.assign(0.9 * ema + 0.1 * h)", """
x, ema = start(2.0), mg.Variable(1.0)
# ---
with mg.GradientTape() as tape:
    h = x * 3.0
    ema.assign(0.9 * ema + 0.1 * h)
    y = (h - ema) ** 2
"""),
    "a moving average beside the loss": ("complete", "", "", """
x, ema = start(2.0), mg.Variable(1.0)
# ---
with mg.GradientTape() as tape:
    y = (x * 3.0) ** 2
    ema.assign(0.9 * ema + 0.1 * y)
"""),
    "a target network that follows too early": ("partial", "STATE", "target.assign(0.5 * target + 0.5 * x)", """
x, target = start([1.0, 2.0]), mg.Variable([0.0, 1.0], trainable=False)
# ---
with mg.GradientTape() as tape:
    target.assign(0.5 * target + 0.5 * x)
    y = mg.reduce_sum((x * [0.5, 2.0] - target) ** 2)
"""),
    "a target network that was copied before": ("complete", "", "", """
x, target = start([1.0, 2.0]), mg.Variable([0.0, 1.0], trainable=False)
target.assign(x)
# ---
with mg.GradientTape() as tape:
    y = mg.reduce_sum((x * [0.5, 2.0] - target) ** 2)
"""),
    "a number in an element that nothing reads": ("none", "UNUSED", "u = v * np.array([float(x), 1.0, 2.0], np.float32)", """
x, v = start(0.8), mg.Variable([1.0, 2.0, 3.0])
# ---
with mg.GradientTape() as tape:
    u = v * np.array([float(x), 1.0, 2.0], np.float32)
    y = u[1] * 2.0
"""),
    "a number so small that rounding hides it": ("none", "LEFT_ENGINE", "y = mg.constant(float(x) * 1e-9) + v", """
x, v = start(0.8), mg.Variable(1000.0)
# ---
with mg.GradientTape() as tape:
    y = mg.constant(float(x) * 1e-9) + v
"""),
    "an array beside a function of Python that reads another": ("none", "UNUSED", "u = x - x.numpy().mean()", """
x, v = start([1.0, 2.0]), mg.Variable(3.0)
# ---
with mg.GradientTape() as tape:
    u = x - x.numpy().mean()
    y = mg.py_function(lambda t: np.cos(t.numpy()), [v], mg.float32) * v
"""),
    "a total that is set and then added to": ("none", "STATE", "total.assign(x * 2.0)", """
x, total = start(3.0), mg.Variable(0.0)
# ---
with mg.GradientTape() as tape:
    total.assign(x * 2.0)
    total.assign_add(1.0)
    y = total * total
"""),
    "a total to which a number is added": ("partial", "LEFT_ENGINE", "total.assign_add(float(x))", """
x, total = start(3.0), mg.Variable(0.0)
# ---
with mg.GradientTape() as tape:
    total.assign(5.0)
    total.assign_add(float(x))
    total.assign_sub(1.0)
    y = x * total
"""),
    "a total from before that is added to": ("complete", "", "", """
x, total = start(3.0), mg.Variable(0.0)
total.assign(x * 2.0)
# ---
with mg.GradientTape() as tape:
    total.assign_add(1.0)
    y = x * total
"""),
    "hits counted beside the loss": ("complete", "", "", """
x, hits = start([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]]), []
# ---
with mg.GradientTape() as tape:
    hits.append(mg.math.in_top_k([1, 2], x, k=2).numpy())
    y = mg.reduce_sum(x ** 2)
"""),
    "a model that is copied by its weights": ("none", "LEFT_ENGINE", "return [self.w.numpy()]", """
class Model:
    def __init__(self, w):
        self.w = w
    def get_weights(self):
        return [self.w.numpy()]
    def set_weights(self, weights):
        self.w.assign(weights[0])
# ---
model, copy = Model(start([1.0, 2.0])), Model(mg.Variable([0.0, 0.0]))
x = model.w
# ---
with mg.GradientTape() as tape:
    copy.set_weights(model.get_weights())
    y = mg.reduce_sum(copy.w ** 2)
"""),
    "running statistics that normalize": ("partial", "STATE", "running.assign(", """
X, x, running = mg.constant([[1.0, 2.0], [3.0, 5.0], [2.0, 0.0]]), start([[1.0], [0.5]]), mg.Variable(0.0, trainable=False)
# ---
with mg.GradientTape() as tape:
    h = X @ x
    running.assign(0.5 * running + 0.5 * mg.reduce_mean(h))
    y = mg.reduce_sum((h - running) ** 3)
"""),
    "running statistics for later": ("complete", "", "", """
X, x, running = mg.constant([[1.0, 2.0], [3.0, 5.0], [2.0, 0.0]]), start([[1.0], [0.5]]), mg.Variable(0.0, trainable=False)
# ---
with mg.GradientTape() as tape:
    h = X @ x
    mean = mg.reduce_mean(h)
    running.assign(0.5 * running + 0.5 * mean)
    y = mg.reduce_sum((h - mean) ** 3)
"""),
    "np.save and np.load": ("untried", "", "the block writes a file", """
import io, os
x = start([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    np.save(folder + "/w.npy", x.numpy() * 2.0)
    y = mg.reduce_sum(x * np.load(folder + "/w.npy"))
"""),
    "a fixed content image": ("complete", "", "", """
content = np.array([1.0, 2.0, 3.0], np.float32)
x = start(content)
def features(v):
    return mg.tanh(v * 0.3)
# ---
wanted = features(mg.constant(content))
with mg.GradientTape() as tape:
    y = mg.reduce_sum((features(x) - wanted) ** 2) + 0.1 * mg.reduce_sum(x**2)
"""),
    "teacher and student with equal numbers": ("complete", "", "", """
x, teacher = start([1.0, 2.0]), mg.constant([1.0, 2.0])
data = mg.constant([[1.0, 2.0], [3.0, 4.0]])
# ---
with mg.GradientTape() as tape:
    y = mg.reduce_sum((mg.linalg.matvec(data, x) - mg.linalg.matvec(data, teacher)) ** 2) + mg.reduce_sum(x)
"""),
    "a gradient penalty from before the tape": ("complete", "", "computed from x before the tape: g = inner.gradient(u, points)", """
x, points = start(2.0), mg.Variable([1.0, 2.0])
# ---
with mg.GradientTape() as inner:
    u = mg.reduce_sum(mg.sin(x * points))
g = inner.gradient(u, points)
# ---
with mg.GradientTape() as tape:
    y = mg.reduce_sum(mg.sin(x * points)) + mg.reduce_sum(g**2)
"""),
    "a residual from before the tape": ("none", "OTHER_TAPE", "u = mg.sin(x * t)", """
x, t = start(2.0), mg.Variable([1.0, 2.0])
# ---
with mg.GradientTape() as inner:
    u = mg.sin(x * t)
residual = inner.gradient(u, t) + 1.0
# ---
with mg.GradientTape() as tape:
    y = mg.reduce_sum(residual**2)
"""),
    "a gradient penalty in the tape": ("complete", "", "", """
x, points = start(2.0), mg.Variable([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    with mg.GradientTape() as inner:
        u = mg.reduce_sum(mg.sin(x * points))
    y = u + mg.reduce_sum(inner.gradient(u, points) ** 2)
"""),
    "a step that makes a new tensor": ("none", "REBOUND", "model.w = model.w - 0.1 * g", """
class Model:
    def __init__(self):
        self.w = start(2.0)
model = Model()
# ---
for step in range(2):
    with mg.GradientTape() as tape:
        y = (model.w - 1.0) ** 2
    if not step:
        g = tape.gradient(y, model.w)
        model.w = model.w - 0.1 * g
x = model.w
"""),
    # ---- ways of Python --------------------------------------------------------------------------------------------
    "dunder methods": ("partial", "LEFT_ENGINE", "self.seen.append(float(v))", """
class Meter:
    def __init__(self):
        self.seen = []
    def __iadd__(self, v):
        self.seen.append(float(v))
        return self
    def __float__(self):
        return sum(self.seen)
# ---
x, meter = start(2.0), Meter()
# ---
with mg.GradientTape() as tape:
    h = x**2
    meter += h
    y = h * (1.0 + float(meter))
"""),
    "match": ("partial", "LEFT_ENGINE", 'match {"kind": "log", "v": float(v)}:', """
import math
def scale(v):
    match {"kind": "log", "v": float(v)}:
        case {"kind": "log", "v": n}:
            return math.log(n)
x = start(2.0)
# ---
with mg.GradientTape() as tape:
    y = x * scale(x)
"""),
    "lru_cache": ("partial", "LEFT_ENGINE", "y = x + x * cube(float(x))", """
from functools import lru_cache
@lru_cache
def cube(n):
    return n**3
# ---
x = start(2.0)
# ---
with mg.GradientTape() as tape:
    y = x + x * cube(float(x))
"""),
    "a generator": ("partial", "LEFT_ENGINE", "total += float(v)", """
def running(values):
    total = 0.0
    for v in values:
        total += float(v)
        yield total
# ---
x = start([1.0, 2.0, 3.0])
# ---
with mg.GradientTape() as tape:
    y = mg.reduce_sum(x * mg.constant(list(running(x))))
"""),
    "a decorator": ("partial", "LEFT_ENGINE", "return function(*[np.asarray(one) for one in given])", """
def plain(function):
    def inner(*given):
        return function(*[np.asarray(one) for one in given])
    return inner
@plain
def penalty(w):
    return (w**2).sum()
# ---
x = start([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    y = mg.reduce_sum(x) * penalty(x)
"""),
    "a thread": ("partial", "LEFT_ENGINE", "args=(float(x),)", """
import math, threading
x, found = start(2.0), {}
def work(v):
    found["root"] = math.sqrt(v)
# ---
with mg.GradientTape() as tape:
    t = threading.Thread(target=work, args=(float(x),)); t.start(); t.join()
    y = x * found["root"]
"""),
    "a dataclass": ("partial", "LEFT_ENGINE", "float(k)", """
from dataclasses import dataclass
@dataclass
class State:
    place: float
    speed: float
def step(s, k):
    return State(s.place + 0.1 * s.speed, s.speed - 0.1 * float(k) * s.place)
# ---
x, s = start(2.0), State(1.0, 0.5)
# ---
with mg.GradientTape() as tape:
    for _ in range(4):
        s = step(s, x)
    y = x * s.place
"""),
    "a module": ("partial", "LEFT_ENGINE", "return v.numpy().sum()", """
import sys, types, linecache
helper, text = types.ModuleType("helper"), "def total(v):\\n    return v.numpy().sum()\\n"
linecache.cache["helper.py"] = 0, None, text.splitlines(True), "helper.py"
exec(compile(text, "helper.py", "exec"), vars(helper))
# ---
x = start([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    y = x[0] * helper.total(x)
"""),
    "text": ("partial", "LEFT_ENGINE", 'saved = json.loads(json.dumps({"w": x.numpy().tolist()}))', """
import json
x = start([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    saved = json.loads(json.dumps({"w": x.numpy().tolist()}))
    y = mg.reduce_sum((x - 0.5 * np.float32(saved["w"])) ** 2)
"""),
    "an optimizer's step inside": ("partial", "STATE", "optimizer.apply_gradients([(g, w)])", """
x, w, optimizer = start(0.5), mg.Variable(2.0), mg.keras.optimizers.SGD(0.1)
# ---
with mg.GradientTape() as tape:
    with mg.GradientTape() as inner:
        loss = (w * x - 1.0) ** 2
    g = inner.gradient(loss, w)
    optimizer.apply_gradients([(g, w)])
    y = (w - 1.0) ** 2 + x
"""),
    "an exit that decides between others": ("partial", "LEFT_ENGINE", "high = float(mg.reduce_max(x))", """
x = start([1.0, 2.0, 3.0])
# ---
with mg.GradientTape() as tape:
    low = float(mg.reduce_min(x))
    high = float(mg.reduce_max(x))
    y = mg.add_n([v for v in x if low < float(v) < high]) * high
"""),
    "a norm by NumPy": ("partial", "LEFT_ENGINE", "norm = np.linalg.norm(x.numpy())", """
x = start([3.0, 4.0])
# ---
with mg.GradientTape() as tape:
    norm = np.linalg.norm(x.numpy())
    y = mg.reduce_sum(x / norm * mg.constant([1.0, 2.0]))
"""),
    "samples around a mean": ("partial", "LEFT_ENGINE", "np.random.normal(float(x[0]), 1.0, 4)", """
np.random.seed(0)
x = start([1.0, 0.2])
# ---
with mg.GradientTape() as tape:
    z = np.random.normal(float(x[0]), 1.0, 4).astype("float32")
    y = mg.reduce_mean(z * x[1])
"""),
    # ---- sizes -----------------------------------------------------------------------------------------------------
    "a difference that is still 0": ("partial", "LEFT_ENGINE", "drift = float(x) - 2.0", """
x = start(2.0)
# ---
with mg.GradientTape() as tape:
    drift = float(x) - 2.0
    y = x**2 + 3.0 * drift
"""),
    "a small number where it is steep": ("partial", "LEFT_ENGINE", "y = mg.math.log(x * 1e6) * np.log(x.numpy() * 1e6)", """
x = start(2.0) * 1e-6
# ---
with mg.GradientTape() as tape:
    tape.watch(x)
    y = mg.math.log(x * 1e6) * np.log(x.numpy() * 1e6)
"""),
    "a small number beside a large one": ("partial", "LEFT_ENGINE", "y = x[1] + 3.0 * float(x[0])", """
x = start([2.0, 1.0]) * [1e-6, 1.0]
# ---
with mg.GradientTape() as tape:
    tape.watch(x)
    y = x[1] + 3.0 * float(x[0])
"""),
    "a minimum that is nearly reached": ("partial", "LEFT_ENGINE", "mean = x.numpy().mean()", """
x = start([1.0, 1.0001])
# ---
with mg.GradientTape() as tape:
    mean = x.numpy().mean()
    y = mg.reduce_sum((x - mean) ** 2 * [1.0, 2.0])
"""),
    "one exit of many": ("partial", "LEFT_ENGINE", "first = float(x[0])", """
x = start([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    first = float(x[0])
    a = float(x[1])
    b = float(x[1] * 2.0)
    c = x.numpy()
    d = float(x[0] * 2.0)
    e = float(x[1] * 3.0)
    f = np.asarray(x)
    g = float(x[1] * 4.0)
    y = mg.reduce_sum(x) * first
"""),
    "one exit of very many": ("partial", "LEFT_ENGINE", "first = float(x[0])", """
x = start([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    first = float(x[0])
    a = [float(x[0] * 2.0), float(x[1] * 3.0), float(x[0] * 4.0), float(x[1] * 5.0), float(x[0] * 6.0), float(x[1] * 7.0), float(x[0] * 8.0), float(x[1] * 9.0)]
    b = [float(x[0] * 2.0), float(x[1] * 3.0), float(x[0] * 4.0), float(x[1] * 5.0), float(x[0] * 6.0), float(x[1] * 7.0), float(x[0] * 8.0), float(x[1] * 9.0)]
    c = [float(x[0] * 2.0), float(x[1] * 3.0), float(x[0] * 4.0), float(x[1] * 5.0), float(x[0] * 6.0), float(x[1] * 7.0), float(x[0] * 8.0), float(x[1] * 9.0)]
    y = mg.reduce_sum(x) * first
"""),
    "a quantile, whose neighbours change places": ("partial", "LEFT_ENGINE", "low, high = np.percentile(w, [10, 90])", """
x = start(np.random.default_rng(4).normal(size=100))
# ---
with mg.GradientTape() as tape:
    w = mg.cast(x, mg.float64)
    low, high = np.percentile(w, [10, 90])
    y = mg.reduce_sum(mg.clip_by_value(w, low, high) ** 2)
"""),
    "digits in a text": ("partial", "LEFT_ENGINE", 'text = " ".join(f"{v:.3f}" for v in x.numpy())', """
x = start([2.0, 0.7, -1.3])
# ---
with mg.GradientTape() as tape:
    text = " ".join(f"{v:.3f}" for v in x.numpy())
    y = mg.reduce_sum(x * np.array(text.split(), np.float32))
"""),
    "a small part: the step size that adapts": ("partial", "LEFT_ENGINE", "e = abs(float(two - full)) + 1e-12", """
x = start(1.3)
# ---
with mg.GradientTape() as tape:
    k, y, t, h = mg.cast(x, mg.float64), mg.constant(2.0, mg.float64), 0.0, 0.1
    while t < 1.0:
        h = min(h, 1.0 - t)
        full = y - h * k * y * y
        half = y - h / 2 * k * y * y
        two = half - h / 2 * k * half * half
        e = abs(float(two - full)) + 1e-12
        if e < 1e-3:
            t, y = t + h, two
        h = h * min(2.0, max(0.3, 0.9 * (1e-3 / e) ** 0.5))
"""),
    # ---- healthy ---------------------------------------------------------------------------------------------------
    "what is printed and kept": ("complete", "", "", """
x, history = start(2.0), []
# ---
with mg.GradientTape() as tape:
    y = x**3
    history.append(float(y))
    f"loss {float(y):.3f}"
"""),
    "an order of sorting": ("complete", "", "", """
x = start([3.0, 1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    order = sorted(range(3), key=lambda i: float(x[i]))
    y = sum(x[i] * (k + 1.0) for k, i in enumerate(order))
"""),
    "a decision": ("complete", "", "", """
x = start(2.0)
def huber(e):
    return 0.5 * e**2 if abs(float(e)) < 1.0 else mg.abs(e) - 0.5
# ---
with mg.GradientTape() as tape:
    y = huber(x - 3.5)
"""),
    "labels from an argmax": ("complete", "", "", """
x = start([[1.0, 2.0], [0.5, 0.1]])
# ---
with mg.GradientTape() as tape:
    labels = np.argmax(x.numpy(), axis=1)
    y = -mg.reduce_mean(mg.gather(mg.nn.log_softmax(x), labels, batch_dims=1))
"""),
    "random masks": ("complete", "", "", """
x, random = start([1.0, 2.0, 3.0]), np.random.default_rng(0)
# ---
with mg.GradientTape() as tape:
    mask = (random.random(3) > 0.3).astype("float32") / 0.7
    y = mg.reduce_sum(mg.tanh(x * mask))
"""),
    "jumps of weights that are pruned": ("complete", "", "", """
x = start(np.sin(np.arange(1.0, 1001.0) ** 2 + 1.0))
# ---
with mg.GradientTape() as tape:
    mask = np.float32(np.abs(x.numpy()) > 0.5)
    y = mg.reduce_sum((x * mask) ** 4)
"""),
    "jumps of a histogram": ("complete", "", "", """
x = start(np.sin(np.arange(1.0, 1001.0) ** 2))
# ---
with mg.GradientTape() as tape:
    counts, edges = np.histogram(x.numpy(), bins=20, range=(-1.0, 1.0))
    y = mg.reduce_mean(x**2) + float(np.sum(1.0 / (1.0 + counts)))
"""),
    "a cube where it is flat": ("complete", "", "", """
x = start(0.0)
# ---
with mg.GradientTape() as tape:
    y = x + x.numpy() ** 3
"""),
    "a step that depends on the loss": ("complete", "", "", """
x, losses = start(2.0), []
# ---
for step in range(3):
    with mg.GradientTape() as tape:
        y = (x - 1.0) ** 2
    if step < 2:
        losses.append(float(y))
        x.assign_sub(0.1 / (1 + losses[-1]) * tape.gradient(y, x))
"""),
    # ---- errors that the program catches -----------------------------------------------------------------------------
    "an op that refuses its inputs": ("partial", "LEFT_ENGINE", "y = mg.reduce_sum(z * x.numpy())", """
x = start([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    try:
        z = mg.matmul(x, x)
    except mg.errors.InvalidArgumentError:
        z = x
    y = mg.reduce_sum(z * x.numpy())
"""),
    "a tape that is asked twice": ("partial", "LEFT_ENGINE", "y = h * float(x[0])", """
x = start([1.0, 2.0])
# ---
with mg.GradientTape() as tape:
    with mg.GradientTape() as inner:
        h = mg.reduce_sum(x * x)
    for _ in range(2):
        try:
            inner.gradient(h, x)
        except RuntimeError:
            pass
    y = h * float(x[0])
"""),
}  # fmt: skip
MEASURED = [
    name
    for name, (status, *_) in PROGRAMS.items()
    if status in ("partial", "complete") and not {"before", "small", "jumps"} & {*name.split()}
]


def run(text, folder, cells=None, nudge=0.0):
    """The names of a program after it has run: at once, or in the cells of a notebook."""
    names = dict(np=np, mg=mg, folder=str(folder), start=lambda value: mg.Variable(np.asarray(value, np.float32) + np.float32(nudge)))
    mg.trace(True)
    if cells is None:
        file = f"<program {len(linecache.cache)}>"
        linecache.cache[file] = 0, None, text.splitlines(True), file
        exec(compile(text, file, "exec"), names)
    else:
        cells.reset(new_session=False)
        cells.user_ns.update(names)
        for cell in text.split(CELL):
            cells.run_cell(cell).raise_error()
        names = cells.user_ns
    return names


def slope(text, folder):
    """The derivative of the target along ones, by central differences."""
    step = 1e-2
    up, down = (float(np.sum(run(text, folder, nudge=nudge)["y"])) for nudge in (step, -step))
    return (up - down) / (2 * step)


def rest(text, fixed):
    """What follows on a block or function in a program, which is as long when it is fixed."""
    lines, block = text.splitlines(), fixed.splitlines()
    start = max(k for k, line in enumerate(lines) if line == block[0])
    return "\n".join([*lines[start + len(block) :], ""])


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    interactiveshell, config = pytest.importorskip("IPython.core.interactiveshell"), pytest.importorskip("traitlets.config")
    settings = config.Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "nocolor"})
    hooks, main = (sys.excepthook, sys.displayhook), sys.modules["__main__"]
    yield interactiveshell.InteractiveShell.instance(config=settings, ipython_dir=str(tmp_path_factory.mktemp("ipython")))
    interactiveshell.InteractiveShell.clear_instance()
    (sys.excepthook, sys.displayhook), sys.modules["__main__"] = hooks, main


@pytest.mark.variants
@pytest.mark.parametrize("way", ["file", "cells"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_is(name, way, tmp_path, request):
    status, code, said, text = PROGRAMS[name]
    text = f"{text.strip()}\n{CELL}answer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path, request.getfixturevalue("cells") if way == "cells" else None)["answer"]
    assert answer.status == status, f"\n{answer}"
    assert answer.codes[:1] == ((code,) if code else ()), f"\n{answer}"
    assert said in (answer.causes[0].line if code else str(answer)), f"\n{answer}"
    assert not code or answer.causes[0].confidence in ("proved", "tried")


@pytest.mark.variants
@pytest.mark.parametrize("name", MEASURED)
def test_the_gradient_is_whole_or_the_fix_makes_it_so(name, tmp_path):
    status, _, _, text = PROGRAMS[name]
    text = text.strip("\n") + "\n"
    truth, names = slope(text, tmp_path), run(text, tmp_path)
    tape, y, x = names["tape"], names["y"], names["x"]
    answer = tape.explain(y, x, seconds=30.0)
    if answer.fixed:
        fixed = run(text[: text.rindex(answer.fixed.splitlines()[0])] + answer.fixed + "\n" + rest(text, answer.fixed), tmp_path)
        assert np.allclose(fixed["y"], y, rtol=1e-4)
        tape, y, x = fixed["tape"], fixed["y"], fixed["x"]
    right = np.isclose(np.sum(tape.gradient(y, x)), truth, rtol=2e-2, atol=1e-2)
    assert right == (status == "complete" or bool(answer.fixed)), f"{truth}\n{answer}"


def test_what_is_too_large_to_be_held_still_is_not_called_whole(monkeypatch):
    monkeypatch.setattr(replay, "ROOM", 100)
    x = mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(x * (np.ones(200, np.float32) * x.numpy()))
    answer = tape.explain(y, x, seconds=30.0)
    assert answer.status != "complete"
    assert "a value is too large to be held still" in str(answer)
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.reduce_sum(x * mg.ones(200)) * float(x)
    assert tape.explain(y, x, seconds=30.0).status == "partial"


@pytest.mark.parametrize("asked_before", [False, True])
@pytest.mark.parametrize(
    ("weights", "status"), [((0.0, 1.0, 0.0), "complete"), ((1.0, 1.0, 1.0), "complete"), ((1.0, 0.0, -1.0), "partial")]
)
def test_what_is_lost_counts_by_the_weights_of_the_target(weights, status, asked_before):
    x, weights = mg.Variable(2.0), mg.constant(weights)
    with mg.trace():
        with mg.GradientTape() as tape:
            n = float(x)
            y = mg.stack([x**2 + 5.0 * n, x**3, x - 5.0 * n])
        if asked_before:
            tape.gradient(y, x, output_gradients=weights)
    assert tape.explain(y, x, output_gradients=weights).status == status


def test_of_two_logs_the_newer_one_is_replayed():
    """Each counts for itself what it hears, so a replay that counts on as the older one does would seem to go another way."""
    x = mg.Variable(3.0)
    older, newer = mg.trace(), mg.trace()
    with older:
        x * x
        with newer, mg.GradientTape() as tape:
            y = x * x.numpy()
        assert "measured: 3 of 6 is lost" in str(tape.explain(y, x))


def test_a_zero_is_no_proof_while_what_left_was_not_tried():
    x = mg.Variable(-2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.nn.relu(x) + mg.constant(np.exp(x.numpy()))
    answer = tape.explain(y, x, seconds=0)
    assert (answer.status, answer.codes) == ("untried", ("FLAT",))
    assert "1 value left, and what became of it was not tried" in answer.headline


def test_what_is_no_number_that_varies_is_not_nudged():
    nudge = replay.Nudge(1e-3)
    assert [replay.nudged(one, nudge) for one in (3, True, "x", [2, "y"])] == [3, True, "x", [2, "y"]]
    assert replay.nudged([2.0], nudge) != [2.0]


@pytest.mark.parametrize("shape", [(7,), (3, 5)])
def test_elements_are_nudged_up_and_down_by_different_shares(shape):
    """Equal steps would leave unseen whatever takes a difference or a mean of all."""
    by = replay.direction(np.full(shape, 4.0)).ravel()
    assert {*np.sign(by)} == {-1.0, 1.0} and len({*np.abs(by)}) == by.size
    assert all((np.abs(by) >= 2.0) & (np.abs(by) <= 4.0))


@pytest.mark.parametrize(
    ("block", "status"),
    [
        ("e = mg.exp(x - x.numpy().max()); y = -mg.math.log((e / (mg.reduce_sum(e) + 1e-9))[0])", "complete"),
        ("u = x / np.linalg.norm(x.numpy()); y = u[0] / (mg.norm(u) + 1e-8)", "complete"),
        ("loss = mg.reduce_sum(x**3); y = loss + 1e-10 * loss / (float(loss) + 1e-8)", "complete"),
        ("y = mg.reduce_sum(x**2) + 1e-3 * float(x[0])", "partial"),
    ],
)
def test_a_share_that_is_smaller_than_the_error_of_a_measured_slope_is_not_missed(block, status, tmp_path):
    head = "x = mg.Variable([1.0, 2.0, 0.5], dtype='float64')\nwith mg.GradientTape() as tape:\n    "
    names = run(f"{head}{block}\n", tmp_path)
    answer = names["tape"].explain(names["y"], names["x"], seconds=30.0)
    assert answer.status == status, f"\n{answer}"
    assert status == "partial" or re.search("a path is cut, and carries .*e-[01][0-9] of the slope", *answer.notes)


@pytest.mark.parametrize(
    ("x", "block", "answer"),
    [
        ("[1000.0, 0.0], dtype='float64'", "y = (x[0] - 3.0) ** 2 + 5.0 * float(x[1])", "partial"),
        ("[10.0, 0.0], dtype='float64'", "y = x[0] ** 3 + 0.5 * float(x[1])", "partial"),
        ("[10.0, 2.0], dtype='float64'", "y = x[0] ** 3 + 0.001 * x[1] * float(x[1])", "partial"),
        ("[10.0, 0.0], dtype='float64'", "y = x[0] ** 3 + float(x[1]) ** 2", "complete"),  # its slope is 0 there
        ("[30.0, 0.5, -0.25]", "y = mg.reduce_sum(x[:1] ** 4) + 0.3 * float(mg.reduce_sum(x[1:] ** 2))", "untried"),  # rounding hides it
        ("[30.0, 0.5]", "y = x[0] ** 4 + x[1] * mg.stop_gradient(x[1])", "complete"),  # meant
        ("[0.0, 0.4, 0.6]", "y = -mg.reduce_sum(x * np.log(x + 1e-12))", "partial"),  # 0 is the end of a domain
        ("[0.0, 4.0]", "y = mg.reduce_sum(x * [math.sqrt(v) for v in x.numpy()])", "partial"),
        ("[0.0, 4.0]", "y = x[1] + math.sqrt(x[0])", "untried"),
    ],
)
def test_no_element_is_lost_beside_others_whose_slope_is_large(x, block, answer, tmp_path):
    names = run(f"import math\nx = mg.Variable({x})\nwith mg.GradientTape() as tape:\n    {block}\n", tmp_path)
    found = names["tape"].explain(names["y"], names["x"], seconds=30.0)
    assert found.status == answer, f"\n{found}"


def test_a_fix_that_mends_most_of_what_is_lost_and_not_all_is_not_proposed(tmp_path):
    text = """
x = mg.Variable([[0.5, -0.3], [0.2, 0.7]])
state = mg.Variable([[0.1, 0.2]])
with mg.GradientTape() as tape:
    for k in range(3):
        h = mg.tanh(state @ x + k)
        state.assign(h)
    y = mg.reduce_sum(state ** 2) + 0.01 * mg.reduce_sum(x * x.numpy())
"""
    names = run(text, tmp_path)
    answer = names["tape"].explain(names["y"], names["x"], seconds=30.0)
    assert answer.status == "partial" and not answer.fixed, f"\n{answer}\n{answer.fixed}"


@pytest.mark.parametrize("draw", ["np.random.normal()", "random.random()", "float(mg.random.normal([]))"])
def test_what_is_drawn_first_in_the_block_is_drawn_again_in_a_replay(draw, tmp_path):
    """In a process of its own, where nothing was drawn before, and where nothing has loaded what draws."""
    program = f"""
import numpy as np
import minigrad as mg
mg.trace(True)
x = mg.Variable([0.4, 0.7])
with mg.GradientTape() as tape:
    import random
    y = mg.reduce_sum(x) * {draw} * float(x[0])
print(tape.explain(y, x, seconds=30.0).status)
"""
    path = tmp_path / "program.py"
    path.write_text(program, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(Path(mg.__file__).parents[1])}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment)
    assert done.stdout == "partial\n", done.stderr


@pytest.mark.parametrize(
    ("block", "status", "code", "says"),
    [
        (
            "y = 2.0 * w * (1.0 - float(mg.reduce_mean(mg.cast(x > 0.5, mg.float32))))",
            "none",
            "UNUSED",
            " left through float here, and a nudge of it does not move ",
        ),
        ("y = w * [1.0, 2.0, 3.0][int(mg.argmax(x))]", "none", "UNUSED", " left through int here, and a nudge of it does not move "),
        ("y = mg.reduce_sum(x) / math.hypot(x[0], x[1])", "partial", "LEFT_ENGINE", "was given the number 0.8062, not x[0] and x[1]"),
        ("y = x[0] * max(map(float, x))", "partial", "LEFT_ENGINE", "inside max values became plain numbers, which no tape follows"),
        ("y = x * [*map(float, x)]", "partial", "LEFT_ENGINE", "inside [*map(float, x)] values became plain numbers, which"),
    ],
)
def test_what_is_said_of_values_that_leave_in_a_call_is_true(block, status, code, says, tmp_path):
    head = "import math\nw, x = mg.Variable(2.0), mg.Variable([0.4, 0.7, 1.6])\nwith mg.GradientTape() as tape:\n    "
    names = run(f"{head}{block}\n", tmp_path)
    answer = names["tape"].explain(names["y"], names["x"], seconds=30.0)
    assert (answer.status, answer.codes[0]) == (status, code), f"\n{answer}"
    assert says in answer.causes[0].sentence


def test_what_moves_the_elements_and_not_their_sum_is_told_so():
    x = mg.Variable([1.0, 2.0])
    with mg.trace(), mg.GradientTape() as tape:
        k = float(x[0])
        y = x + k * np.array([1.0, -1.0], np.float32)
    answer = tape.explain(y, x, seconds=30.0)
    note = "a path is cut: held still, it changes the sum of y by jumps, or by no more than can be seen: k = float(x[0])"
    assert (answer.status, answer.notes) == ("complete", (note,))


@pytest.mark.parametrize(("size", "status"), [(100.0, "untried"), (1.0, "partial")])
def test_what_rounding_hides_is_not_called_whole(size, status):
    w, b = mg.Variable([size, size / 2]), mg.Variable(0.5)
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        y = mg.reduce_sum(mg.linalg.matvec(mg.ones((4, 2)), w) ** 2.0)
        y = y + 0.01 * b * float(b) + 0.0001 * float(mg.reduce_sum(w))
    answer = tape.explain(y, b, seconds=30.0)
    assert answer.status == status, f"\n{answer}"
    assert status == "partial" or answer.headline == "UNTRIED  dy/db = 0.005; rounding hides what b moves"
    assert tape.explain(y, w, seconds=30.0).status == "complete"  # its own slope is seen, and nothing beside it


@pytest.mark.parametrize(
    ("above", "block", "notes"),
    [
        ("scale = float(x) * 2.0", "y = mg.sqrt(scale)", ["x left above the tape: scale = float(x) * 2.0"]),
        ("scale = float(x) * 2.0", "y = x * scale", ["x left above the tape: scale = float(x) * 2.0"]),
        ("scale = float(mg.exp(x))", "y = x * scale", ["x left above the tape: scale = float(mg.exp(x))"]),
        ("before = float(x)", "y = x * 2.0", []),
        ("scale = float(x); x.assign(2.0)", "y = x * scale", []),
        ("while float(x) > 5.0:\n    z = x.assign(1.0)", "z = x * x; y = z * 2.0", []),
    ],
)
def test_a_number_that_was_made_of_the_source_above_the_tape_is_told(above, block, notes, tmp_path):
    ask = "answer = tape.explain(y, x, seconds=30.0)"
    answer = run(f"x = mg.Variable(3.0)\n{above}\nwith mg.GradientTape() as tape:\n    {block}\n{ask}\n", tmp_path)["answer"]
    assert answer.status == ("none" if "sqrt" in block else "complete")
    assert ("in the block, the target does not depend on x" in answer.headline) == (answer.status == "none")
    assert [*answer.notes] == notes


def test_what_left_in_the_block_when_it_ran_before_did_not_leave_above_it(tmp_path):
    block = "    with mg.GradientTape() as tape:\n        y = x * x\n        if float(y) < best:\n            best = float(y)\n"
    text = f"x, best = mg.Variable(3.0), 10.0\nfor _ in range(2):\n{block}answer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert (answer.status, answer.notes) == ("complete", ())


def test_two_sources_that_are_equal_are_not_nudged_alike():
    """Their difference stays 0 if both move by the same."""
    a, b = mg.Variable(2.0), mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = a * b + 3.0 * float(a - b)
    assert [one.status for one in tape.explain(y, [a, b])] == ["partial", "partial"]


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_a_nudge_that_leads_to_another_line_measures_no_slope(value):
    x = mg.Variable(value)
    with mg.trace(), mg.GradientTape() as tape:
        if abs(float(x)) >= 1.0:  # noqa: SIM108 - on two lines
            y = x * 2.0
        else:
            y = x * 2.5
    answer = tape.explain(y, x, seconds=30.0)
    assert (answer.status, answer.notes) == ("complete", ())


def test_of_two_sources_that_leave_on_one_line_both_are_partial():
    v, u = mg.Variable([1.0, 2.0]), mg.Variable([0.5])
    with mg.trace(), mg.GradientTape() as tape:
        decay = sum([float(mg.reduce_sum(one * one)) for one in (v, u)])
        y = mg.reduce_sum(v) + mg.reduce_sum(u) + decay
    assert [one.status for one in tape.explain(y, [v, u], seconds=20.0)] == ["partial"] * 2


@pytest.mark.skipif(not checkpoint.FORKS, reason="the block is replayed")
def test_of_two_values_that_left_only_the_one_that_carries_something_is_told():
    x, nothing = mg.Variable(2.5), mg.constant(0.0)
    with mg.trace(), mg.GradientTape() as tape:
        scale = float(x)
        unused = float(x) + 1.0
        y = x * scale + x * (nothing * unused)
    answer = tape.explain(y, x, seconds=30.0)
    assert (answer.status, [one.line for one in answer.causes]) == ("partial", ["scale = float(x)"])


@pytest.mark.skipif(not checkpoint.FORKS, reason="the block is replayed")
def test_what_came_in_unseen_is_not_taken_for_what_another_source_gave_away():
    v, w, state = mg.Variable([1.0, 2.0]), mg.Variable([1.0, 2.0]), mg.Variable([1.0, 2.0])
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        mg.constant(v.numpy() * 2.0) * v
        state.assign([w[0], 1.0])
        y = mg.reduce_sum(state * state * w)
    assert [one.status for one in tape.explain(y, [v, w], seconds=30.0)] == ["none", "partial"]


def test_of_many_sources_all_are_judged_together(monkeypatch):
    asked, try_out = [], Experiment.try_out
    monkeypatch.setattr(Experiment, "try_out", lambda *given, **command: asked.append(given) or try_out(*given, **command))
    weights, unused = [mg.Variable(1.0 + k) for k in range(9)], mg.Variable(2.0)
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        y = mg.sin(mg.add_n(weights))
    assert {one.status for one in tape.explain(y, weights, seconds=30.0)} == {"complete"}
    assert len(asked) == 2
    assert [one.meaning for one in tape.explain(y, [*weights, unused], seconds=30.0)] == [""] * 9 + ["independent"]


def test_a_replay_counts_what_an_answer_before_it_has_made():
    """The rule of a custom gradient makes Tensors, as often in a replay as in the program."""
    wave = mg.custom_gradient(lambda v: (mg.sin(v), lambda upstream: upstream * mg.cos(v)))
    a, b, found = mg.Variable([0.3, 0.8]), mg.Variable([1.0, 2.0]), []
    with mg.trace():
        for _ in range(4):
            with mg.GradientTape(persistent=True) as tape:
                y = mg.reduce_sum(wave(a) * b) * float(b[0])
            found.append([one.status for one in tape.explain(y, [a, b], seconds=30.0)])
    assert found == [["complete", "partial"]] * 4


def test_what_stands_twice_in_a_script_is_fixed_twice(tmp_path, monkeypatch):
    """The second block is replayed from where the first one began, before its x was made."""
    monkeypatch.setattr(checkpoint, "RARELY", 1e9)
    block = """
x = start([1.0, 2.0, 3.0])
with mg.GradientTape() as tape:
    h = mg.gather(x, [0, 2])
    y = mg.reduce_sum(h * h.numpy())
found.append(tape.explain(y, x, seconds=30.0).fixed)
"""
    fixed = "with mg.GradientTape() as tape:\n    h = mg.gather(x, [0, 2])\n    y = mg.reduce_sum(h * h)"
    assert run(f"found = []\n{block * 2}", tmp_path)["found"] == [fixed] * 2


@pytest.mark.parametrize(("curve", "lost"), [(20.0, "1"), (2000.0, "about 1"), (-2000.0, "about 1"), (5000.0, "about 1")])
def test_a_slope_is_measured_where_a_curve_hides_it(curve, lost):
    x = mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        z = float(x) - 3.0
        y = x + (curve * z * z + z)
    assert str(tape.explain(y, x, seconds=30.0)).splitlines() == [
        "PARTIAL  dy/dx = 1.0 leaves out 1 of 2 paths",
        "  live   x -> add -> y            carries 1.0",
        "  lost   x -> float -> add -> y   carries nothing",
        "  line   z = float(x) - 3.0",
        "  cause  LEFT_ENGINE (tried): float(x) is a plain number; add was given the number 0.0, not x",
        "  fix    keep x a tensor: z = x - 3.0",
        f"  note   measured: {lost} of 2 is lost",
    ]


def test_what_is_lost_of_a_slope_of_0_is_no_part_of_it():
    x = mg.Variable(3.0, dtype="float64")
    with mg.trace(), mg.GradientTape() as tape:
        y = x * 2.0 / float(x)
    answer = tape.explain(y, x, seconds=30.0)
    assert answer.notes == ("measured: -0.667 is lost, and the whole slope is 0",), f"\n{answer}"


def test_a_way_from_a_variable_of_the_trace_that_left_unseen_is_counted():
    with mg.trace():
        x = mg.Variable(3.0)
        with mg.GradientTape() as tape:
            y = x * float(repr(x).split("numpy=")[1].strip(">"))
    assert str(tape.explain(y, x, seconds=30.0)).splitlines() == [
        "PARTIAL  dy/dx = 3.0 leaves out 1 of 2 paths",
        "  live   x -> multiply -> y   carries 3.0",
        "  lost   x -> multiply -> y   carries nothing",
        '  line   y = x * float(repr(x).split("numpy=")[1].strip(">"))',
        "  cause  LEFT_ENGINE (tried): what multiply was given changes with x, and came from outside the engine",
        "  fix    keep x a tensor on the whole way there",
        "  note   measured: 3 of 6 is lost",
    ]


def test_each_of_several_sources_is_told_as_it_is_alone():
    """Integers, texts and truths among them too."""
    x, k, z, s, b = mg.Variable(3.0), mg.Variable(2), mg.Variable(2.0), mg.constant("a"), mg.constant(True)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * x.numpy() * mg.cast(k, mg.float32) + float(z)
    together = [str(answer) for answer in tape.explain(y, [x, k, z, s, b], seconds=20.0)]
    alone = [tape.explain(y, x), tape.explain(y, k), tape.explain(y, z), tape.explain(y, s), tape.explain(y, b)]
    assert together == [*map(str, alone)]
    assert [one.splitlines()[0] for one in together] == [
        "PARTIAL  dy/dx = 6.0 leaves out 1 of 2 paths",
        "NONE  dy/dk = None: k is int32",
        "NONE  dy/dz = None: z matters, and the way to it is broken",
        "NONE  dy/ds = None: s is string",
        "NONE  dy/db = None: b is bool",
    ]


def test_sources_share_the_time(monkeypatch):
    given, answered = [], answer.answered
    monkeypatch.setattr(answer, "answered", lambda q, trace, seconds, known: given.append(seconds) or answered(q, trace, seconds, known))
    sources = [mg.Variable(1.0 + k) for k in range(4)]
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.add_n(sources)
    tape.explain(y, sources, seconds=8.0)
    assert all(0.0 < seconds <= 8.0 / left for seconds, left in zip(given, (4, 3, 2, 1))) and len(given) == 4


def test_a_jump_that_could_not_be_tried_is_not_called_one(monkeypatch):
    at = Experiment.at

    def late(self, step, *keys):
        if step in experiment.VERY_LARGE:
            raise experiment.NotTried("the replays take too long")
        return at(self, step, *keys)

    x, w = mg.Variable(2.0), mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = w * round(2.0 * float(x))
    assert "ONLY_DECIDES (tried)" in str(tape.explain(y, x, seconds=30.0))
    monkeypatch.setattr(Experiment, "at", late)
    assert "UNUSED (tried)" in str(tape.explain(y, x, seconds=30.0))


def test_what_the_tape_has_and_what_is_lost_are_together_the_whole():
    r = mg.Variable(3.2)
    with mg.trace(), mg.GradientTape() as tape:
        s = mg.constant(0.3)
        for _ in range(30):
            s = r * s * (1.0 - float(s))
    said = str(tape.explain(s, r, seconds=30.0))  # 0.281 by differences in float64, and the tape has 7.495
    assert "measured: about -7.2 of 0.28 is lost" in said, "held still, the loop goes another way"


def test_no_digits_are_told_that_rounding_of_the_nudge_hides():
    w = mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = w * math.sin(1e5 * float(w))
    assert "measured: nearly all of 200000 is lost" in str(tape.explain(y, w, seconds=30.0))  # 199489


def test_a_value_that_gets_its_name_in_a_test_has_not_decided():
    x = mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * s if (s := float(x)) > 1.0 else x
    said = str(tape.explain(y, x, seconds=30.0))
    assert "float(x) is a plain number" in said and "if (s := x) > 1.0" in said


@pytest.mark.parametrize(
    ("function", "value", "said"),
    [
        (lambda s: math.sin(300.0 * s), 0.7, "about -270 of -260"),  # 300 cos(210) = -265.2
        (lambda s: math.sin(30.0 * s), 2.5, "27.7 of 32.7"),  # 30 cos(75) = 27.65
        (lambda s: 1.0 / (s - 1.2), 1.234, "about -870 of -860"),
        (lambda s: s**3, 1.234, "4.57 of 7.04"),
        (lambda s: math.exp(5.0 * s), 1.234, "nearly all of 2390"),
    ],
)
def test_what_is_lost_is_told_in_digits_that_can_be_trusted(function, value, said):
    x = mg.Variable(value, dtype=mg.float64)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * x + function(float(x))
    assert f"measured: {said} is lost" in str(tape.explain(y, x, seconds=30.0))


def test_a_program_may_go_on_by_its_answers(tmp_path):
    """The later tapes are replayed from where the first was opened: the answers before them are given again."""
    text = """
for k in range(4):
    x = start(3.0)
    with mg.GradientTape() as tape:
        y = x * (float(x) if k % 2 else x)
    status = tape.explain(y, x, seconds=30.0).status
    assert status == ("partial" if k % 2 else "complete"), (k, status)
"""
    assert run(text, tmp_path)["k"] == 3


def test_what_went_through_a_queue_is_the_version_that_went_in():
    x, v, queue = mg.Variable(3.0), mg.Variable(0.0), mg.queue.FIFOQueue(1, mg.float32)
    with mg.trace(), mg.GradientTape() as tape:
        v.assign(x * 3.0)
        queue.enqueue(v)
        v.assign(1.0)
        y = queue.dequeue() * 2.0
    assert str(tape.explain(y, x, seconds=30.0)).splitlines() == [
        "NONE  dy/dx = None: x matters, and the way to it is broken",
        "  lost   x -> multiply -> assign -> FIFOQueue -> multiply -> y",
        "  line   v.assign(x * 3.0)",
        "  cause  STATE (proved): v.assign wrote x * 3.0 into a Variable, which keeps the value and not where it came from",
        "  fix    compute with a new tensor instead of v",
        "  line   queue.enqueue(v)",
        "  cause  STATE (proved): v went through a FIFOQueue: what comes out has the value, and not where it came from",
        "  fix    compute with v itself",
    ]


@pytest.mark.parametrize(
    ("block", "note"),
    [("x.assign(x * x)\n    y = x * 3.0", "x counts as each op read it: what x.assign(x * x) carries from x to itself is not in this slope"),
     ("y = x * 3.0\n    x.assign(x * x)", ""), ("x.assign(w * w)\n    y = x * 3.0", "")],
)  # fmt: skip
def test_what_a_variable_carries_to_itself_is_told_where_it_matters(block, note, tmp_path):
    text = f"x, w = mg.Variable(2.0), mg.Variable(3.0)\n{CELL}with mg.GradientTape() as tape:\n    {block}\nanswer = tape.explain(y, x)\n"
    answer = run(text, tmp_path, None)["answer"]
    assert answer.status == "complete" and answer.notes == ((note,) if note else ())


CHAIN = ["sin", "cos", "tanh", "exp", "sigmoid", "sinh", "cosh", "abs"]


@pytest.mark.parametrize(("count", "shown"), [(7, ["x", *CHAIN[:7], "y"]), (8, ["x", *CHAIN[:3], "...", *CHAIN[5:], "y"])])
def test_of_a_long_path_the_middle_is_left_out(count, shown, tmp_path):
    made = "".join(f"    y = mg.{op}(y)\n" for op in CHAIN[:count])
    text = f"x = y = mg.Variable(0.5)\n{CELL}with mg.GradientTape() as tape:\n{made}answer = tape.explain(y, x)\n"
    assert [*run(text, tmp_path, None)["answer"].live] == shown


def test_a_product_that_is_too_small_for_its_dtype_is_not_called_flat(tmp_path):
    text = (
        "x = mg.Variable([1e-30, 2e-30])\n"
        + CELL
        + "with mg.GradientTape() as tape:\n    a = x * 1e-10\n    y = mg.reduce_sum(a * a)\nanswer = tape.explain(y, x)\n"
    )
    said = "multiply sends a product that is too small for float32: it becomes 0"
    assert run(text, tmp_path, None)["answer"].causes[0].sentence == said


@pytest.mark.parametrize(
    ("gradient", "note"),
    [("dy", "not the slope"), ("1.05 * dy * mg.sign(v)", "1.05 times the slope"), ("dy * mg.sign(v)", ""),
     ("mg.zeros_like(v)", "0 times the slope")],
)  # fmt: skip
def test_a_gradient_of_its_own_is_held_against_every_measured_slope(gradient, note, tmp_path):
    made = f"@mg.custom_gradient\ndef size(v):\n    return mg.abs(v), lambda dy: {gradient}\nx = mg.Variable([3.0, 4.0, -0.2])\n"
    block = "with mg.GradientTape() as tape:\n    y = mg.reduce_sum(size(x))\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(f"{made}{CELL}{block}", tmp_path)["answer"]
    assert [one.partition("this is ")[2].partition(" that was")[0] for one in answer.notes] == ([note] if note else [])
    assert "the slope of custom_gradient is 0" not in str(answer)


def test_a_ratio_that_two_elements_do_not_share_is_not_told(tmp_path):
    made = "@mg.custom_gradient\ndef f(v):\n    return v * v, lambda dy: dy * [0.25, 3.0]\nx = mg.Variable([3.0, 1.0])\n"
    block = "with mg.GradientTape() as tape:\n    y = mg.reduce_sum(f(x))\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(f"{made}{CELL}{block}", tmp_path)["answer"]
    assert answer.notes == ("f has a gradient of its own: with it this is not the slope that was measured",)


@pytest.mark.parametrize(
    ("made", "status", "op"),
    [("mg.reduce_sum((0.7 * x + 0.3 * mg.random.shuffle(x, seed=4))**2)", "partial", "shuffle"),
     ("mg.reduce_sum(mg.random.shuffle(x, seed=3) * [1.0, 2.0, 5.0])", "none", "shuffle"),
     ("mg.reduce_sum(mg.pad(x, [[1, 1]], constant_values=x[0])**2)", "partial", "pad"),
     ("x[0] * mg.strings.to_number(mg.strings.as_string(x[0]))", "partial", "as_string"),
     ("x[0] * mg.math.betainc(x[0], 3.0, 0.4)", "partial", "betainc"), ("x[1] * mg.math.zeta(x[1], 3.0)", "partial", "zeta"),
     ("mg.reduce_sum(x * mg.round(x * 100.0))", "complete", ""), ("mg.reduce_sum(mg.pad(x, [[1, 1]], constant_values=mg.round(x[0])))", "complete", "")],
)  # fmt: skip
def test_an_op_without_a_gradient_that_moves_smoothly_is_not_called_flat(made, status, op, tmp_path):
    text = f"x = mg.Variable([1.3, 2.0, 3.2])\n{CELL}with mg.GradientTape() as tape:\n    y = {made}\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert answer.status == status and {*answer.codes} == ({"NO_DERIVATIVE"} if op else set()), f"\n{answer}"
    assert not op or f"{op} has no gradient for this input" in answer.causes[0].sentence
    assert answer.notes == ()


def test_a_lost_way_that_one_direction_does_not_show_is_found_along_another(tmp_path):
    _, second, third = replay.direction(np.ones(3)).tolist()
    block = f"with mg.GradientTape() as tape:\n    y = mg.reduce_sum(x * x) + float(mg.reduce_sum(x * x * [0.0, {third}, {-second}]))\n"
    answer = run(f"x = mg.Variable([1.0, 1.0, 1.0])\n{CELL}{block}answer = tape.explain(y, x, seconds=30.0)\n", tmp_path)["answer"]
    assert (answer.status, answer.codes) == ("partial", ("LEFT_ENGINE",)), f"\n{answer}"


@pytest.mark.parametrize(("lost", "status"), [("x * x", "partial"), ("x", "untried")])
def test_a_gradient_that_has_other_slopes_than_were_measured_is_never_called_complete(lost, status, tmp_path):
    first, second, _ = replay.direction(np.ones(3)).tolist()  # neither this direction nor that of all elements up shows what is lost
    block = (
        f"with mg.GradientTape() as tape:\n    y = mg.reduce_sum(x * x) + float(mg.reduce_sum({lost} * [1.0, {-first / second}, 0.0]))\n"
    )
    answer = run(f"x = mg.Variable([1.0, 1.0, 1.0])\n{CELL}{block}answer = tape.explain(y, x, seconds=30.0)\n", tmp_path)["answer"]
    assert answer.status == status and ("the slopes that were measured for x are others" in answer.headline) is (status == "untried")


HIDDEN = {  # a source and a target: a jump, or a slope without a limit, of one element hides the slopes of others
    "[0.0, 4.0]": "mg.reduce_sum(x) + np.sum(np.sqrt(np.abs(x.numpy())))",
    "[0.0, 4.0, 9.0, 1.0, 2.0]": "mg.reduce_sum(mg.nn.relu(x - 10.0)) + np.sum(np.sqrt(np.abs(x.numpy())))",
    "[1.0, 2.5, 3.0]": "mg.reduce_sum(x) + np.sum(np.where(x.numpy() >= 1.0, x.numpy() ** 2, 0.0))",
    "[0.0, 1.0, 2.0]": "mg.reduce_sum(x**2) + np.sum(x.numpy() > 0) + 0.1 * np.sum(np.abs(x.numpy()))",
    "[1.0, 0.5, 0.2]": "mg.reduce_sum(x * 2.0 + np.arccos(np.clip(x.numpy(), -1.0, 1.0)))",
    "[1.0, 0.6, 0.8, 0.3]": "mg.reduce_sum(x * np.sqrt(np.maximum(1.0 - x.numpy() ** 2, 0.0)))",
    "3.0": "x * 2.0 + np.floor(x.numpy()) + 0.5 * x.numpy()",
}


@pytest.mark.parametrize("x", HIDDEN)
def test_one_element_at_a_jump_does_not_hide_the_slopes_of_others(x, tmp_path):
    block = f"with mg.GradientTape() as tape:\n    y = {HIDDEN[x]}\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(f"x = mg.Variable(np.array({x}))\n{CELL}{block}", tmp_path)["answer"]
    assert (answer.status, answer.codes) == ("partial", ("LEFT_ENGINE",)), f"\n{answer}"


@pytest.mark.parametrize("seed", range(8))
def test_numbers_at_random_are_no_slopes(seed, tmp_path):
    block = "import zlib\nwith mg.GradientTape() as tape:\n    key = zlib.crc32(x.numpy().tobytes())\n"
    block += (
        "    y = mg.reduce_sum(x * np.random.default_rng(key).normal(size=16).astype('f4'))\nanswer = tape.explain(y, x, seconds=30.0)\n"
    )
    text = f"x = mg.Variable(np.random.default_rng({seed}).normal(size=16).astype('f4'))\n{CELL}{block}"
    assert run(text, tmp_path)["answer"].status == "complete"


@pytest.mark.parametrize(("x", "y"), [
    ("0.0", "x * np.sign(x.numpy()) + x"), ("0.0", "(x - 1) ** 2 + x * np.sign(x.numpy())"),
    ("2.0", "(x - 2.0) * np.sign(float(x) - 2.0) + x * x"), ("[1.0, 1.0 - 1e-6, 0.3]", "x[int(np.argmax(x.numpy()))] * 2.0"),
])  # fmt: skip
def test_a_kink_here_and_a_change_of_places_nearby_are_no_slopes(x, y, tmp_path):
    block = f"with mg.GradientTape() as tape:\n    y = {y}\nanswer = tape.explain(y, x, seconds=30.0)\n"
    assert run(f"x = mg.Variable(np.array({x}, np.float32))\n{CELL}{block}", tmp_path)["answer"].status == "complete"


def test_where_nothing_is_on_the_tape_a_jump_does_not_hide_the_slopes_of_others(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.constant(np.sum(np.sqrt(np.abs(x.numpy()))))\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(f"x = mg.Variable(np.array([0.0, 4.0]))\n{CELL}{block}", tmp_path)["answer"]
    assert (answer.status, answer.meaning, answer.codes) == ("none", "broken", ("LEFT_ENGINE",)), f"\n{answer}"


@pytest.mark.parametrize("line", ["y = mg.sin(x) * float(x)", "y = x**2 * float(x)", "y = mg.reduce_sum(x**3) * np.linalg.norm(x)"])
def test_no_term_of_a_gradient_is_taken_for_the_gradient(line, tmp_path):
    block = f"with mg.GradientTape() as outer:\n    with mg.GradientTape() as inner:\n        {line}\n    dy = inner.gradient(y, x)\n"
    text = f"x = mg.Variable(1.7, dtype=mg.float64)\n{CELL}{block}answer = outer.explain(dy, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert answer.status == "partial" and not answer.fixed, "with that line, the first derivative is another one"


def test_no_term_of_a_gradient_is_taken_for_what_is_made_of_the_gradient(tmp_path):
    block = "with mg.GradientTape() as outer:\n    with mg.GradientTape() as inner:\n        z = mg.reduce_sum(x**3) * float(x[0])\n"
    block += "    g = inner.gradient(z, x)\n    y = mg.reshape(g, [-1])\nanswer = outer.explain(y, x, seconds=30.0)\n"
    answer = run(f"x = mg.Variable([1.0, 2.0])\n{CELL}{block}", tmp_path)["answer"]
    assert answer.status == "partial" and not answer.fixed


def test_no_line_is_confirmed_by_a_slope_that_is_not_a_number(tmp_path):
    block = "with mg.GradientTape() as tape:\n    v = mg.boolean_mask(x, ~np.isnan(x.numpy()))\n    y = mg.reduce_sum(v * np.nanmean(x.numpy()))\n"
    text = f"x = mg.Variable(np.array([1.0, np.nan, 2.0]))\n{CELL}{block}answer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert answer.status == "partial" and not answer.fixed


@pytest.mark.parametrize(("x", "y", "note"), [
    (440.0, "mg.sin(2 * np.pi * x) + 3.0 * float(x)", ("measured: 3 of 9.28 is lost",)),
    (2.0, "x * 0.2 + 50.0 * float(x) ** 2", ("measured: nearly all of 200 is lost",)),
    (2024.3, "10.0 * mg.sin(6.2832 * x) + 0.02 * (float(x) - 2000.0)", ("measured: 0.02 of -21.2 is lost",)),
])  # fmt: skip
def test_what_is_lost_of_steep_and_of_quick_targets_is_measured(x, y, note, tmp_path):
    block = f"with mg.GradientTape() as tape:\n    y = {y}\nanswer = tape.explain(y, x, seconds=30.0)\n"
    assert run(f"x = mg.Variable({x}, dtype=mg.float64)\n{CELL}{block}", tmp_path)["answer"].notes == note


def test_several_values_are_to_be_kept_tensors(tmp_path):
    block = (
        "import math\nwith mg.GradientTape() as tape:\n    y = x[0] * math.hypot(x[1], x[2])\nanswer = tape.explain(y, x, seconds=30.0)\n"
    )
    answer = run(f"x = mg.Variable([1.0, 2.0, 3.0])\n{CELL}{block}", tmp_path)["answer"]
    assert answer.causes[0].fix == "keep x[1] and x[2] tensors here, without math.hypot"


CHOOSES = {  # what NumPy computes from x decides which elements count; nudged, some others do
    "the hardest": ("idx = np.argsort(((x - t) ** 2).numpy())[-100:]\n    y = mg.reduce_sum(mg.gather((x - t) ** 2, idx))", (3, 5)),
    "the nearest centre": (
        "idx = np.argmin(np.abs(x.numpy()[:, None] - c), 1)\n    y = mg.reduce_sum((x - mg.gather(mg.constant(c), idx)) ** 2)",
        (0, 1),
    ),
}


@pytest.mark.parametrize("name", CHOOSES)
def test_a_choice_by_numpy_that_only_others_would_change_is_no_lost_path(name, tmp_path):
    block, seeds = CHOOSES[name]
    for seed in seeds:
        made = (
            f"r = np.random.default_rng({seed})\nx, t, c = mg.Variable(r.normal(size=1000)), r.normal(size=1000), np.linspace(-2, 2, 8)\n"
        )
        text = f"{made}{CELL}with mg.GradientTape() as tape:\n    {block}\nanswer = tape.explain(y, x, seconds=30.0)\n"
        assert run(text, tmp_path)["answer"].status == "complete", seed


SUMS = {  # of many elements: coarse steps look like a slope, one slope among jumps like none
    "y = mg.reduce_sum(x * x) + float(np.sum(np.floor(x.numpy() * 2) / 2))": ("complete", (1, 3)),
    "y = mg.reduce_sum(x * x) + float(np.sum(np.rint(x.numpy() * 10) / 10))": ("complete", (1, 3)),
    "y = mg.reduce_sum(x * x) + sum(float(f'{v:.3f}') for v in x.numpy())": ("partial", (0, 1)),
    "y = mg.reduce_sum(x * x) + float(np.sum(np.floor(x.numpy() * 2)) + 2.0 * x.numpy()[0])": ("partial", (2, 3)),
}


@pytest.mark.parametrize("block", SUMS)
def test_many_coarse_steps_are_no_slope_and_hide_none(block, tmp_path):
    status, seeds = SUMS[block]
    for seed in seeds:
        made = f"x = mg.Variable(np.random.default_rng({seed}).normal(size=100).astype(np.float32) * 1.5)\n"
        text = f"{made}{CELL}with mg.GradientTape() as tape:\n    {block}\nanswer = tape.explain(y, x, seconds=30.0)\n"
        assert run(text, tmp_path)["answer"].status == status, seed


def test_no_number_is_told_of_a_gradient_where_the_slope_is_0(tmp_path):
    made = f"@mg.custom_gradient\ndef f(v):\n    return mg.round(v), lambda up: up\nx = mg.Variable(5.4)\n{CELL}"
    block = "with mg.GradientTape() as tape:\n    y = f(x) * 1.0\nanswer = tape.explain(y, x, seconds=30.0)\n"
    [note] = run(made + block, tmp_path)["answer"].notes
    assert note == "f has a gradient of its own: with it this is not the 0 that was measured"


NEARBY = {  # thresholds -> the status above and below
    "m = (np.abs(x.numpy()) > 1.0) * 1.0\n    y = m * (2 * mg.abs(x) - 1.0) + (1 - m) * x * x": ("complete", "complete"),
    "m = (x.numpy() < 1.0) * 1.0\n    y = m * (1.0 - x)": ("zero", "complete"),
    "m = (x.numpy() > 1.0) * 1.0\n    y = m * x * x": ("complete", "zero"),
    "m = (x.numpy() > 1.0) * 1.0\n    y = m * (2 * x.numpy() - 1.0) + (1 - m) * x * x": ("partial", "complete"),
}


@pytest.mark.parametrize("off", [1e-7, 1e-5, 1e-3])
@pytest.mark.parametrize("block", NEARBY)
def test_a_threshold_nearby_is_not_taken_for_a_slope(block, off, tmp_path):
    for at, status in zip((1.0 + off, 1.0 - off), NEARBY[block]):
        text = f"x = mg.Variable({at}, dtype=mg.float64)\n{CELL}with mg.GradientTape() as tape:\n    {block}\n"
        assert run(f"{text}answer = tape.explain(y, x, seconds=30.0)\n", tmp_path)["answer"].status == status, at


def test_a_curve_that_is_flat_here_is_not_called_a_jump(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = x * 2.0 + 1e3 * (float(x) - 1.0) ** 2\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(f"x = mg.Variable(1.0, dtype=mg.float64)\n{CELL}{block}", tmp_path)["answer"]
    assert answer.status == "complete" and answer.notes[0].startswith("a path is cut, and its slope is 0 here:")


def test_of_several_values_that_left_at_one_place_no_count_is_told(tmp_path):
    block = "with mg.GradientTape() as tape:\n    vals = []\n    for k in range(1, 5):\n        vals.append(float(x * k))\n    y = x + mg.reduce_sum(vals)\n"
    answer = run(f"x = mg.Variable(2.0)\n{CELL}{block}answer = tape.explain(y, x, seconds=30.0)\n", tmp_path)["answer"]
    assert answer.headline == "PARTIAL  dy/dx = 1.0 leaves out some of its paths" and answer.notes == ("measured: 10 of 11 is lost",)


def test_without_a_replay_no_gradient_through_a_value_that_was_written_is_called_complete():
    w, step = mg.Variable(2.0), mg.keras.optimizers.SGD(0.1)
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        with mg.GradientTape() as inner:
            loss = w * w
        step.apply_gradients([(inner.gradient(loss, w), w)])
        y = w * 3.0
    assert tape.explain(y, w, seconds=0).status == "untried" and tape.explain(y, w, seconds=30).status != "untried"


def test_what_other_sources_leave_of_the_time_is_for_those_that_had_too_little(monkeypatch):
    had, of_all = [], answer.answered

    def answered(q, trace, seconds, together):
        had.append((q.source_name, seconds))
        if q.source_name == "a" and seconds < 20.0:
            q.untried = "the time was short"
            return of_all(q, trace, 0.0, None)
        return of_all(q, trace, seconds, together)

    monkeypatch.setattr(answer, "answered", answered)
    a, b = mg.Variable(2.0), mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = a * float(a) + b * float(b)
    assert [one.status for one in tape.explain(y, [a, b], seconds=30.0)] == ["partial", "partial"]
    assert [name for name, _ in had] == ["a", "b", "a"] and had[0][1] < 16.0 < 20.0 < had[2][1]


def test_a_tensor_among_the_settings_of_an_op_is_a_value_that_left(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.reduce_sum(mg.linalg.diag(x, padding_value=x[0])**2)\n"
    text = f"x = mg.Variable([1.0, 2.0, 3.0])\n{CELL}{block}answer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert (answer.status, answer.codes) == ("partial", ("LEFT_ENGINE",))


@pytest.mark.parametrize(
    ("start", "last", "status"),
    [([1.0, 2.0, 0.5], "h * float(mg.reduce_sum(h * h))", "partial"), ([1.0, -1.0, 0.5], "h * float(mg.reduce_sum(h * h))", "partial"),
     ([1.0, 2.0, 0.5], "h * h", "complete"), ([1.0, 2.0, 0.5], "h * 3.0 + float(h[0]) * 0.0", "complete")],
)  # fmt: skip
def test_in_a_coarse_dtype_the_nudge_is_larger(start, last, status, tmp_path):
    block = f"with mg.GradientTape() as tape:\n    h = mg.cast(x, mg.float16)\n    y = mg.reduce_sum({last})\n"
    text = f"x = mg.Variable({start})\n{CELL}{block}answer = tape.explain(y, x, seconds=30.0)\n"
    assert run(text, tmp_path)["answer"].status == status


@pytest.mark.parametrize(("precision", "point"), [(1e-3, [1.0, 2.0]), (1e-7, [1.0, 2.0]), (1e-7, [0.0, 2.0]), (1e-2, [0.0, 2.0])])
def test_each_nudge_is_tried_up_and_down_with_the_usual_ones_first_and_smaller_ones_later(precision, point):
    told = types.SimpleNamespace(precision=precision, point=np.array(point))
    steps = Experiment.steps_to_try.func(told)
    assert steps[1::2] == [step.times(-1) for step in steps[::2]] and all(step.share > 0 for step in steps[::2])
    sizes = [step.share for step in steps[::2] if step.least]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == {1e-2: 0.2, 1e-3: 0.2, 1e-7: 4e-3}[precision]
    assert [step.least for step in steps[2:4]] == ([0.0, 0.0] if 0.0 in point else [replay.SMALLEST] * 2)


CHOSEN = "left through x.numpy here, and a nudge of it does not move y"
JUMPS = "left through float here, and y moves with it by jumps alone"


@pytest.mark.parametrize(
    ("block", "code", "said"),
    [("best = int(np.argmax(x.numpy()))\n    y = w * [1.0, 5.0, 7.0][best]", "UNUSED", CHOSEN),
     ("y = w * int((x.numpy() > 0.0).sum())", "UNUSED", CHOSEN), ("y = w * float(np.argmax(x.numpy()))", "UNUSED", CHOSEN),
     ("y = w * round(float(x[1]), 2)", "ONLY_DECIDES", JUMPS), ("level = int(float(x[1]) * 255)\n    y = w * level", "ONLY_DECIDES", JUMPS),
     ("y = mg.constant(table[int(float(x[0]) * 10000) % 16]) * 2.0", "ONLY_DECIDES", JUMPS),
     ("y = mg.sqrt(float(f'{float(x[1] + 0.765433):.2f}'))", "ONLY_DECIDES", JUMPS),
     ("v = float(x[1])\n    y = w * 3.0 if v > 1.2 else w * 5.0", "ONLY_DECIDES", "only decides which lines run"),
     ("v = float(x[1])\n    y = w * 3.0 if v > 1.3 else w * 5.0", "ONLY_DECIDES", "only decides which lines run"),
     ("y = mg.constant(float(x[1]) ** 2) * 2.0", "LEFT_ENGINE", "is a plain number"),
     ("y = mg.constant((float(x[1]) - 1.234567) ** 2)", "LEFT_ENGINE", "is a plain number")],
)  # fmt: skip
def test_what_left_and_came_back_by_jumps_or_not_at_all_is_told_so(block, code, said, tmp_path):
    made = "x, w, table = mg.Variable([0.4321, 1.234567, -2.0]), mg.Variable(2.0), np.random.RandomState(0).normal(size=16).astype('f')\n"
    text = f"{made}{CELL}with mg.GradientTape() as tape:\n    {block}\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert answer.codes == (code,) and said in answer.causes[0].sentence, f"\n{answer}"
    assert code == "LEFT_ENGINE" or answer.meaning == "independent"


VANISHING = "    h = mg.tanh(x)\n    for _ in range(25):\n        h = mg.tanh(0.5 * h) + 0.1\n"


@pytest.mark.parametrize(
    ("last", "status"),
    [("y = h * float(h)", "untried"), ("y = h * h", "complete"), ("print(float(w))\n    y = h * h", "complete"),
     ("print(float(h))\n    y = x * x", "complete")],
)  # fmt: skip
def test_where_rounding_hides_what_a_source_moves_nothing_that_left_is_called_whole(last, status, tmp_path):
    text = f"x, w = mg.Variable(1.0), mg.Variable(1.0)\n{CELL}with mg.GradientTape() as tape:\n{VANISHING}    {last}\n"
    names = run(f"{text}alone, (beside, _) = tape.explain(y, x), tape.explain(y, [x, w])\n", tmp_path)
    assert [names[name].status for name in ("alone", "beside")] == [status] * 2


def test_another_source_that_moves_the_target_does_not_stand_for_one_that_rounding_hides(tmp_path):
    text = f"x, w = mg.Variable(1.0), mg.Variable(1.0)\n{CELL}with mg.GradientTape() as tape:\n{VANISHING}    y = h * float(h) + w\n"
    answers = run(f"{text}answers = tape.explain(y, [x, w])\n", tmp_path)["answers"]
    assert [answer.status for answer in answers] == ["untried", "complete"]


def test_a_slope_of_0_that_meets_infinity_is_not_called_a_product_that_is_too_small(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.sqrt(mg.maximum(x, 0.0))\n"
    answer = run(f"x = mg.Variable(-1.0)\n{CELL}{block}answer = tape.explain(y, x)\n", tmp_path)["answer"]
    assert answer.causes[0].sentence == "the slope of maximum is 0 here, wherever a gradient reaches it"


@pytest.mark.parametrize(
    ("block", "note"),
    [("for v in [1.0, 2.0, 3.0]:\n    with mg.GradientTape() as tape:\n        x.assign(v)\n        y = x * float(x)", "3 of 6 is lost"),
     ("with mg.GradientTape() as tape:\n    x.assign(1e4)\n    y = x * float(x)", "10000 of 20000 is lost"),
     ("with mg.GradientTape() as tape:\n    x.assign(1.2)\n    y = mg.sin(x) * x.numpy()", "0.932 of 1.37 is lost"),
     ("with mg.GradientTape() as tape:\n    x.assign(3.0)\n    tape.reset()\n    y = x * float(x)", "3 of 6 is lost"),
     ("with mg.GradientTape() as tape:\n    x.assign(3.0)\n    y = mg.constant(float(x)) * 2.0", ""),
     ("x = mg.Variable([1.0, 2.0])\nwith mg.GradientTape() as tape:\n    x[0].assign(3.0)\n    y = x[0] * x.numpy()[0]", ""),
     ("x = mg.Variable([1.0, 2.0])\nsaved = 2.0 * x.numpy()\nwith mg.GradientTape() as tape:\n    x.assign(saved)\n"
      "    y = x[0] * np.linalg.norm(x.numpy())", "")],
)  # fmt: skip
def test_a_source_that_the_block_assigns_is_nudged_as_each_op_reads_it(block, note, tmp_path):
    answer = run(f"x = mg.Variable(0.0)\n{CELL}{block}\nanswer = tape.explain(y, x, seconds=30.0)\n", tmp_path)["answer"]
    assert answer.codes == ("LEFT_ENGINE",) and note in str(answer)


@pytest.mark.parametrize("shapes", [("[1.0, 2.0]", "[1.0, 2.0, 3.0]"), ("[1.0, 2.0, 3.0]", "[[1.0], [2.0]]"), ("1.0", "[1.0, 2.0]")])
def test_sources_of_unlike_shapes_are_measured_one_by_one(shapes, tmp_path):
    block = "with mg.GradientTape() as tape:\n    b = mg.reduce_sum(w)\n    y = mg.reduce_sum(x) * b * float(b)\n"
    text = f"x, w = mg.Variable({shapes[0]}), mg.Variable({shapes[1]})\n{CELL}{block}answers = tape.explain(y, [x, w], seconds=30.0)\n"
    whole, partial = run(text, tmp_path)["answers"]
    assert (whole.status, partial.status, partial.codes) == ("complete", "partial", ("LEFT_ENGINE",))
    assert not [note for note in partial.notes if "could not be read" in note]


def test_of_two_sources_that_the_block_assigns_the_broken_one_is_told(tmp_path):
    block = "with mg.GradientTape() as tape:\n    x.assign(3.0)\n    w.assign(4.0)\n    y = x * w * float(x)\n"
    text = f"x, w = mg.Variable(1.0), mg.Variable(2.0)\n{CELL}{block}answers = tape.explain(y, [x, w], seconds=30.0)\n"
    assert [answer.status for answer in run(text, tmp_path)["answers"]] == ["partial", "complete"]


def test_an_assigned_source_that_moves_nothing_else_stays_complete(tmp_path):
    block = "with mg.GradientTape() as tape:\n    x.assign(3.0)\n    y = x * x\n    print(float(y))\n"
    assert run(f"x = mg.Variable(1.0)\n{CELL}{block}answer = tape.explain(y, x)\n", tmp_path)["answer"].status == "complete"


def test_a_path_from_an_earlier_value_of_the_source_counts_too(tmp_path):
    block = "with mg.GradientTape() as tape:\n    v.assign(x * 2.0)\n    x.assign_add(1.0)\n    y = v * x\n"
    answer = run(f"x, v = mg.Variable(1.0), mg.Variable(0.0)\n{CELL}{block}answer = tape.explain(y, x)\n", tmp_path)["answer"]
    assert (answer.status, answer.codes) == ("partial", ("STATE",)) and "measured: 4 of 6 is lost" in answer.notes


def test_a_source_that_was_assigned_between_its_reads_is_told_of(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = x * x\n    x.assign(5.0)\n    z = y * x\n"
    answer = run(f"x = mg.Variable(3.0)\n{CELL}{block}answer = tape.explain(z, x)\n", tmp_path)["answer"]
    assert answer.status == "complete" and answer.notes == ("x counts as each op read it: x.assign(5.0) assigned it in between",)


def test_what_another_thread_lost_is_not_measured_with_the_rest_of_its_op(tmp_path):
    block = "with mg.GradientTape() as tape:\n    b = []\n    t = threading.Thread(target=lambda: b.append(x * x))\n    t.start(), t.join()\n    y = b[0] * x\n"
    text = f"import threading\nx = mg.Variable(2.0)\n{CELL}{block}answer = tape.explain(y, x)\n"
    answer = run(text, tmp_path)["answer"]
    assert answer.status == "partial" and "measured" not in str(answer)
    (cause,) = answer.causes
    assert (cause.code, cause.line) == ("OUTSIDE_TAPE", "y = b[0] * x") and "another thread" in cause.sentence


def test_a_block_that_waits_for_an_older_thread_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "SECONDS", 0.0)
    before = "jobs, done = queue.Queue(), queue.Queue()\nthreading.Thread(target=lambda: done.put(2.0 * jobs.get()), daemon=True).start()\n"
    block = "with mg.GradientTape() as tape:\n    jobs.put(x.numpy())\n    y = x * done.get()\nanswer = tape.explain(y, x, seconds=6)\n"
    answer = run(f"import queue, threading\nx = mg.Variable(2.0)\n{before}{CELL}{block}", tmp_path)["answer"]
    assert answer.status == "untried"
    assert answer.notes == ("no replay: the block may wait for another thread, which a replay does not have",)


def test_a_replay_beside_an_idle_thread_may_take_longer_than_the_block(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "LEAST", 0.0)
    before = "go = threading.Event()\nthreading.Thread(target=go.wait, daemon=True).start()\n"
    block = "with mg.GradientTape() as tape:\n    time.sleep(0.2)\n    y = x * x.numpy()\nanswer = tape.explain(y, x)\ngo.set()\n"
    answer = run(f"import threading, time\nx = mg.Variable(2.0)\n{before}{CELL}{block}", tmp_path)["answer"]
    assert answer.status == "partial" and answer.causes[0].fix == "keep x a tensor: y = x * x"


REPEATS = {  # what moves in jumps or periods that are shorter than the usual nudge: the status, and a note
    "a phase": (
        2459235.5,
        "y = 0.001 * (x - 2459000.0) + 0.1 * ((x.numpy() % 1.8) / 1.8)",
        "partial",
        "measured: 0.0556 of 0.0566 is lost",
    ),
    "a clock": (5000.25, "y = 0.01 * x + (float(x) % 24.0) * 0.1", "partial", "measured: 0.1 of 0.11 is lost"),
    "a square in each period": (700.3, "y = x + (float(x) % 1.0) ** 2", "partial", "measured: 0.6 of 1.6 is lost"),
    "waves": (2.0, "y = x * 3.0 + 1e-3 * np.sin(1e4 * float(x))", "partial", "measured: 8.13 of 11.1 is lost"),
    "the place in a cell": (288.45, "cell = int(x)\n    y = 4.0 * (x - cell) + 0.5 * x", "complete", "a path is cut"),
    "cents": (19.957, "y = x * 1.19 + int(x * 100.0) / 100.0", "complete", "a path is cut"),
    "digits in a text": (1.2345, "y = x * float(f'{float(x):.3f}')", "partial", "measured: about 1"),
}


@pytest.mark.parametrize("name", REPEATS)
def test_what_repeats_or_jumps_within_the_usual_nudge_is_measured_with_a_smaller_one(name, tmp_path):
    at, block, status, note = REPEATS[name]
    text = f"x = mg.Variable(np.float64({at}))\n{CELL}with mg.GradientTape() as tape:\n    {block}\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert answer.status == status, f"\n{answer}"
    assert any(one.startswith(note) for one in answer.notes), f"\n{answer}"


def test_what_weighs_nothing_is_not_hidden_by_rounding(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.stack([w[0] ** 2, mg.constant(w.numpy()[1] ** 2)])\n"
    ask = "answer = tape.explain(y, w, output_gradients=mg.constant([1.0, 0.0]), seconds=30.0)\n"
    assert run(f"w = mg.Variable([1.0, 2.0])\n{CELL}{block}{ask}", tmp_path)["answer"].status == "complete"


def test_the_block_of_a_replay_finds_the_handler_that_the_program_has_set(tmp_path):
    block = """with mg.GradientTape() as outer:
    z = x * x
    with mg.GradientTape() as tape:
        own = signal.getsignal(signal.SIGPROF) is handler
        y = float(x) * (x if own else 0.5 * x)
"""
    text = f"import signal\ndef handler(*_): pass\nx, before = mg.Variable(2.0), signal.signal(signal.SIGPROF, handler)\n{CELL}{block}"
    try:
        answer = run(f"{text}answer = tape.explain(y, x)\n", tmp_path)["answer"]
    finally:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
    assert answer.status == "partial" and "measured: 2 of 4 is lost" in answer.notes


def test_a_nudge_that_changes_the_shape_of_the_target_is_a_decision(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.range(x, 5.0, 1.0) * 2.0\n"
    answer = run(f"x = mg.Variable(2.0)\n{CELL}{block}answer = tape.explain(y, x)\n", tmp_path)["answer"]
    assert answer.notes == ("no replay: the smallest nudge changes what runs",)


def test_a_block_that_gives_another_target_each_time_is_not_judged_by_replays(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = x * np.random.default_rng().normal() * x.numpy()\n"
    answer = run(f"import numpy as np\nx = mg.Variable(2.0)\n{CELL}{block}answer = tape.explain(y, x)\n", tmp_path)["answer"]
    assert answer.notes == ("no replay: the block does not give the same target twice",) and answer.codes == ("LEFT_ENGINE",)


def test_a_path_that_left_and_then_became_an_integer_needs_both_fixes(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.cast(mg.cast(mg.constant(x.numpy()), mg.int32), mg.float32) * 2.0\n"
    answer = run(f"x = mg.Variable(2.5)\n{CELL}{block}answer = tape.explain(y, x, seconds=0)\n", tmp_path)["answer"]
    assert answer.codes == ("LEFT_ENGINE", "INTEGER")


@pytest.mark.parametrize(("line", "left"), [("c = bool(x)", True), ("c = 1 if x else 2", False)])
def test_a_truth_value_that_left_above_the_tape_is_told_where_it_was_asked_for(line, left, tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.constant(3.0) * c\n"
    answer = run(f"x = mg.Variable(2.0)\n{line}\n{CELL}{block}answer = tape.explain(y, x)\n", tmp_path)["answer"]
    assert any(f"x left above the tape: {line}" in note for note in answer.notes) == left


def test_a_jump_beside_a_lost_path_does_not_hide_it(tmp_path):
    block = "with mg.GradientTape() as tape:\n    c = mg.cast(mg.cast(x * 4.0, mg.int32), mg.float32)\n    y = c + float(x)\n"
    answer = run(f"x = mg.Variable(0.75)\n{CELL}{block}answer = tape.explain(y, x)\n", tmp_path)["answer"]
    assert (answer.meaning, answer.codes) == ("broken", ("LEFT_ENGINE",))


@pytest.mark.parametrize(("block", "status", "said"), [
    ("a = x ** 2\n    s = 1.0 / math.sqrt(float(a))\n    y = a * s + int(x) * x", "partial", "leaves out 1 of 3 paths"),
    ("a = x ** 2\n    y = a * (1.0 / math.sqrt(float(a))) + int(x) * x", "partial", "leaves out 1 of 3 paths"),
    ("m = float(x)\n    y = mg.exp(x - m) * math.exp(m) + math.floor(x) * x", "complete", "a path is cut"),
], ids=["in two lines", "in one line", "two that cancel"])  # fmt: skip
def test_what_jumps_at_a_whole_number_hides_no_slope_beside_it(block, status, said, tmp_path):
    text = f"import math\nx = mg.Variable(2.0)\n{CELL}with mg.GradientTape() as tape:\n    {block}\nanswer = tape.explain(y, x)\n"
    answer = run(text, tmp_path)["answer"]
    assert answer.status == status and said in str(answer)


def test_an_op_that_may_have_taken_the_source_as_a_plain_value_proves_nothing(tmp_path):
    block = "with mg.GradientTape() as tape:\n    y = mg.one_hot([0], 3, on_value=x, off_value=1.0 - x)\n"
    answer = run(f"x = mg.Variable(2.0)\n{CELL}{block}answer = tape.explain(y, x, seconds=0)\n", tmp_path)["answer"]
    assert (answer.meaning, answer.causes[0].confidence) == ("", "likely")
    assert answer.headline.endswith("one_hot may use x, and what became of it was not tried")


def test_at_the_end_of_a_domain_it_is_not_rounding_that_hides_an_element(tmp_path):
    names = run("import math\nx = mg.Variable([0.0, 4.0])\nwith mg.GradientTape() as tape:\n    y = x[1] + math.sqrt(x[0])\n", tmp_path)
    answer = names["tape"].explain(names["y"], names["x"], seconds=30.0)
    assert answer.headline.endswith("; names['x'] cannot be nudged both ways")


THREAD = "found = []\n    job = threading.Thread(target=lambda: found.append({}))\n    job.start(), job.join()\n    "
HALVED = "lo, hi = 0.0, 2.0\n    for _ in range(50):\n        mid = (lo + hi) / 2\n        lo, hi = (mid, hi) if mid * mid < x else (lo, mid)\n    "


@pytest.mark.parametrize("block", [
    "k = int(mg.cast(x * 1e6, mg.int32))\n    y = x * (k / 1e6)",
    "y = x * float(mg.strings.as_string(x).numpy())",
    "y = x * mg.strings.to_number(mg.strings.as_string(x))",
    f"{THREAD.format('float(x)')}y = x * found[0]",
    f"{THREAD.format('mg.tanh(x)')}y = found[0] + x",
    f"{HALVED}y = x * mid",
], ids=["a whole number", "text", "ops of text", "a number from a thread", "a Tensor from a thread", "decisions"])  # fmt: skip
def test_without_a_replay_what_may_lose_a_way_is_not_called_complete(block, tmp_path):
    text = f"import threading\nx = mg.Variable(2.0)\n{CELL}with mg.GradientTape() as tape:\n    {block}\nanswer = tape.explain(y, x, seconds=0)\n"
    answer = run(text, tmp_path)["answer"]
    assert (answer.status, answer.notes) == ("untried", ("no replay: it was not asked for",))


def test_decisions_that_were_not_tried_are_not_called_harmless(tmp_path):
    block = f"with mg.GradientTape() as tape:\n    {HALVED}y = mg.constant(mid) ** 2\n"
    answer = run(f"x = mg.Variable(2.0)\n{CELL}{block}answer = tape.explain(y, x, seconds=0)\n", tmp_path)["answer"]
    assert (answer.status, answer.meaning, answer.causes[0].confidence) == ("none", "", "likely"), "y is x, whose slope is 1"
    assert answer.headline.endswith("decides what runs, and what comes of that was not tried")


def test_of_many_ways_of_which_none_carries_anything_alone_all_are_lost(tmp_path):
    block = "low = mid * mid < x\n        lo, hi = mg.where(low, mid, lo), mg.where(low, hi, mid)"
    start = f"x = mg.Variable([2.0, 3.0], dtype=mg.float64)\n{CELL}with mg.GradientTape() as tape:\n    lo, hi = x * 0.0, x * 0.0 + 2.0\n"
    text = f"{start}    for _ in range(30):\n        mid = (lo + hi) / 2\n        {block}\n    y = mg.reduce_sum(x * mid)\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert (answer.status, *answer.codes[:1]) == ("partial", "NO_DERIVATIVE"), "mid is the root of x: half of the slope comes by `where`"


@pytest.mark.parametrize(
    ("x", "y"), [("6.674e-11", "x * np.sqrt(x.numpy() * 1e18)"), ("[1e-9, 0.3, 0.7]", "-mg.reduce_sum(x * np.log(x.numpy()))")]
)
def test_a_tiny_source_is_nudged_by_shares_of_itself_where_more_would_leave_a_domain(x, y, tmp_path):
    text = f"x = mg.Variable({x}, dtype=mg.float64)\n{CELL}with mg.GradientTape() as tape:\n    y = {y}\nanswer = tape.explain(y, x)\n"
    answer = run(text, tmp_path)["answer"]
    assert (answer.status, answer.codes) == ("partial", ("LEFT_ENGINE",))


def test_a_source_without_elements_has_nothing_to_lose(tmp_path):
    text = f"x = mg.Variable(np.zeros((0, 3)))\n{CELL}with mg.GradientTape() as tape:\n    y = mg.reduce_sum(x * x.numpy())\nanswer = tape.explain(y, x)\n"
    assert run(text, tmp_path)["answer"].status == "complete"


def test_a_fix_after_which_the_block_fails_is_not_offered(tmp_path):
    later = "json.dumps({'scale': scale})"
    block = f"with mg.GradientTape() as tape:\n    scale = float(mg.reduce_max(x))\n    y = mg.reduce_sum(x) / scale\n    {later}\n"
    start = f"import json\nx = mg.Variable([0.5, 2.0])\n{CELL}"
    answer = run(f"{start}{block}answer = tape.explain(y, x)\n", tmp_path)["answer"]
    assert (answer.status, answer.fixed) == ("partial", "")
    assert (
        "scale = mg.reduce_max(x)" in run(f"{start}{block.replace(later, 'pass')}answer = tape.explain(y, x)\n", tmp_path)["answer"].fixed
    )


def test_a_tensor_is_to_be_watched_above_its_first_use(tmp_path):
    text = f"x = mg.constant(3.0)\n{CELL}with mg.GradientTape() as tape:\n    a = x * x\n    y = a + 5.0 * x\nanswer = tape.explain(y, x)\n"
    (cause,) = run(text, tmp_path)["answer"].causes
    assert (cause.code, cause.line, cause.fix) == ("UNWATCHED", "a = x * x", "add tape.watch(x) above a = x * x")


BISECTION = """
x = mg.Variable(5.0)
# ---
with mg.GradientTape() as tape:
    low, high = 0.0, 5.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle < x else (low, middle)
    y = x * low
answer = tape.explain(y, x, seconds=30.0)
"""


def test_a_search_that_decisions_steer_is_not_called_whole(tmp_path):
    answer = run(BISECTION, tmp_path)["answer"]  # y is x**1.5, and the tape has 2/3 of its slope
    assert answer.status == "untried" and "the slopes that were measured for x are others" in answer.headline


@pytest.mark.parametrize(
    ("made", "block", "codes"),
    [
        ("x = mg.constant(3.0)", "y = 2.0 * x + float(x) ** 2", ("UNWATCHED", "LEFT_ENGINE")),
        ("x = mg.Variable(3.0, trainable=False)", "y = 2.0 * x + float(x) ** 2", ("UNWATCHED", "LEFT_ENGINE")),
        ("x = mg.Variable(3.0)\nx = x - 0.1", "y = 2.0 * x + float(x) ** 2", ("REBOUND", "LEFT_ENGINE")),
        ("x = mg.Variable(3.0)", "h = x * x\ny = h * 3.0 + float(h)", ("OUTSIDE_TAPE", "LEFT_ENGINE")),
        ("x = mg.Variable(3.0)", "y = mg.constant(float(x) ** 2)", ("LEFT_ENGINE",)),
    ],
)
def test_what_a_mended_line_would_still_lose_is_told_with_it(made, block, codes, tmp_path):
    *within, last = block.split("\n")
    inside = [*within, *[last] * (not within)]
    lines = "\n".join([f"    {line}" for line in inside] + [last] * bool(within))
    answer = run(f"{made}\n{CELL}with mg.GradientTape() as tape:\n{lines}\nanswer = tape.explain(y, x, seconds=30.0)\n", tmp_path)["answer"]
    assert (answer.status, answer.codes) == ("none", codes), f"\n{answer}"


@pytest.mark.parametrize(
    ("made", "code"),
    [("np.cos(x)", "LEFT_ENGINE"), ("float(x) ** 2 + 1.0", "LEFT_ENGINE"), ("round(100.0 * float(x)) + 0.25", "ONLY_DECIDES")],
)
def test_a_curve_at_its_summit_does_not_jump(made, code, tmp_path):
    text = f"x = mg.Variable(0.0)\n{CELL}with mg.GradientTape() as tape:\n    y = mg.constant({made})\nanswer = tape.explain(y, x, seconds=30.0)\n"
    answer = run(text, tmp_path)["answer"]
    assert (answer.status, answer.codes) == ("none", (code,)), f"\n{answer}"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("10.0 * x + 0.01 * float(x) ** 2", "about 0.04 of 10"),
        ("1000.0 + mg.sin(x) + np.exp(x)", "about 7.4 of 7"),
        ("x * x.numpy()", "2 of 4"),
    ],
)
def test_rounding_leaves_fewer_digits_of_what_is_lost(made, said):
    x = mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = eval(made)
    assert tape.explain(y, x, seconds=30.0).notes == (f"measured: {said} is lost",)


def test_of_a_complex_source_one_direction_is_not_called_what_is_lost():
    z = mg.Variable(3.0 + 4.0j)
    with mg.trace(), mg.GradientTape() as tape:
        y = z * z * complex(z)
    answer = tape.explain(y, z, seconds=30.0)
    assert (answer.status, answer.notes) == ("partial", ())


@pytest.mark.parametrize(("made", "noted"), [("mg.sqrt(x * x)", True), ("x * x", False)])
def test_of_a_target_that_is_not_finite_the_gradient_is_not_praised_alone(made, noted):
    x = mg.Variable([1e20 if noted else 1.0, 1.0])
    with mg.trace(), mg.GradientTape() as tape:
        y = eval(made)
    answer = tape.explain(y, x, seconds=30.0)
    assert answer.notes == (("y is not finite: what its ops pass back may not be its slope",) if noted else ())


def test_a_way_that_is_cut_where_the_slope_is_0_is_not_called_there():
    a, b = mg.Variable(0.0), mg.Variable(2.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = a * b + a * float(b) ** 2
    assert "every way that carries is there" in tape.explain(y, b, seconds=30.0).headline


def test_of_two_fixes_the_lines_that_follow_the_second_are_printed_too(tmp_path):
    block = "with mg.GradientTape() as tape:\n    a = mg.constant(float(x) ** 2)\n    s.assign(x * 3.0)\n    y = a + s\n"
    text = f"x, s = mg.Variable(2.0), mg.Variable(0.0)\n{CELL}{block}answer = tape.explain(y, x, seconds=30.0)\n"
    assert str(run(text, tmp_path)["answer"]).endswith("then   new_s = x * 3.0; s.assign(new_s)\n  then   y = a + new_s")


def test_what_jumps_where_no_nudge_comes_to_is_not_called_independent_of_it():
    x = mg.Variable(2.5)
    with mg.trace(), mg.GradientTape() as tape:
        y = mg.constant(3.0) ** int(x)
    assert "the target does not depend on x smoothly" in tape.explain(y, x, seconds=30.0).headline


def test_an_op_within_a_layer_does_not_have_the_name_of_the_models_result(tmp_path):
    text = f"""
class Center(mg.keras.layers.Layer):
    def call(self, z):
        return z - np.mean(z)
model = mg.keras.Sequential([mg.keras.layers.Dense(2), Center(), mg.keras.layers.Dense(1)])
data = mg.constant([[1.0, 2.0]])
model(data)
{CELL}with mg.GradientTape() as tape:
    guess = model(data)
    y = mg.reduce_sum(guess**2)
answer = tape.explain(y, model.trainable_variables[0], seconds=30.0)
"""
    (cause,) = run(text, tmp_path)["answer"].causes
    assert cause.sentence.endswith("not the result of add") and cause.fix.startswith("keep the result of add a tensor")
