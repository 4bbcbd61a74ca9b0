"""Answers to the exercises of the course, for each: wrong ones that look right, and right ones in an unusual way.

`python tests/course_answers.py` stores the replies to the wrong ones and to those that a card knows by their number or
word, and says which differ: read those.

Each is a Python expression. `grad(f, *xs)` and `slopes(f, variables)` ask a tape, `nudged(f, x)` measures by a nudge.
"""

import functools
import json
import math
import sys
from pathlib import Path

import numpy as np

import minigrad as mg


def grad(f, *xs, order=1):
    """The gradient of f at Variables or constants, by a tape that watches them."""
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(xs)
        y = f(*xs) if order == 1 else grad(f, *xs, order=order - 1)
    return tape.gradient(y, xs if len(xs) > 1 else xs[0])


def slopes(f, variables):
    """The gradients of f() by what it reads."""
    with mg.GradientTape() as tape:
        y = f()
    return tape.gradient(y, variables)


def nudged(f, x, h=1e-3):
    """The slope of f at a number, measured in 64 bits."""
    x = float(x)
    return float(f(mg.constant(x + h, mg.float64)) - f(mg.constant(x - h, mg.float64))) / (2.0 * h)


def doing(*steps):
    """The last of several expressions."""
    return steps[-1]


def ticket(two, right, *wrong):
    """An exit ticket: texts for its 3, and a 2 that is off."""
    return [repr({"2": two, "3": text}) for text in wrong] + [repr({"2": two + 1.0, "3": right[0]})], [
        repr({"2": two, "3": text}) for text in right
    ]


SPACE = {"mg": mg, "np": np, "math": math, "functools": functools, "grad": grad, "slopes": slopes, "nudged": nudged, "doing": doing}

WRONG, RIGHT = {}, {}
for exercise, (wrong, right) in {
    "00.1": (
        ["lambda p, a: mg.reduce_sum(mg.abs(p * a))", "lambda p, a: p[0] * a[0]", "lambda p, a: mg.reduce_mean(p * a) * 3.0"],
        ["lambda p, a: mg.tensordot(p, a, 1)", "lambda p, a: float(np.dot(p, a))"],
    ),
    "00.2": (["'not a balloon'", "'balloons or not'", "'ball'"], ["' Balloon '", "'a balloon'"]),
    "00.3": (
        [
            '{"A": 12, "B": (3, 2), "C": None, "D": "no error", "E": None, "F": 3}',
            '{"A": 12, "B": (2, 3), "C": None, "D": "error", "E": None, "F": 3}',
            '{"A": 12, "B": (3, 2), "C": 0.0, "D": "error", "E": None, "F": 3}',
            '{"A": 12, "B": (3, 2), "C": None, "D": "number or error", "E": "not None", "F": 3}',
        ],
        [
            '{"A": 12, "B": [3, 2], "C": "None", "D": "RuntimeError", "E": None, "F": 3}',
            '{"A": "?", "B": "?", "C": "?", "D": "?", "E": "?", "F": "?"}',
            '{"A": 12, "B": "I do not know", "C": None, "D": "error", "E": None, "F": 3}',
        ],
    ),
    "01.1": (
        ["lambda f, x, h: (f(x + 0.01) - f(x - 0.01)) / 0.02", "lambda f, x, h: (f(x) - f(x - h)) / h", "lambda f, x, h: 2 * x"],
        ["lambda f, x, h: ((f(x + h) - f(x)) / h + (f(x) - f(x - h)) / h) / 2"],
    ),
    "01.2": (
        [
            "lambda x: [nudged(lambda t: 5.0 * t * t, x), nudged(lambda t: t * t * t - 4.0 * t, x), nudged(lambda t: 1.0 / t, x)]",
            "lambda x: [grad(lambda t: f(t), mg.Variable(x)) for f in (lambda t: 5.0 * t * t, lambda t: t ** 3 - 4.0 * t, lambda t: 1.0 / t)]",
            "lambda x: [10 * x, 3 * x ** 2 - 4, -x ** 2]",
            "lambda x: [10 * abs(x), 3 * x ** 2 - 4, -1 / x ** 2]",
        ],
        ["lambda x: [5 * 2 * x, 3 * x * x - 4, -(x ** -2)]"],
    ),
    "01.3": (
        ["nudged", "lambda f, x: 2.0 * x", "lambda f, x: doing(grad(f, mg.Variable(7.0)), nudged(f, x))"],
        ["lambda f, x: grad(f, mg.constant(x))", "lambda f, x: grad(lambda v: f(v[0]), mg.Variable([x]))[0]"],
    ),
    "01.4": (
        [
            "lambda f, x, truth, nudges: 0.01",
            "lambda f, x, truth, nudges: min(nudges, key=lambda h: abs((f(x + h) - f(x - h)) / (2 * h) - truth))",
            "lambda f, x, truth, nudges: sorted(nudges)[len(nudges) // 2]",
        ],
        [
            "lambda f, x, truth, nudges: sorted((abs(float(f(mg.constant(x + h)) - f(mg.constant(x))) / h - truth), h) for h in nudges)[0][1]"
        ],
    ),
    "01.exit": ticket(21.0, ["Secant", "the secant line", "a secant"], "not a secant", "secant or tangent", "cosecant", "tangent, never secant"),
    "02.1": (
        [
            "lambda r: 1.5 * mg.sqrt(2.0 * r)",
            "lambda r: nudged(lambda t: mg.sqrt(2.0 * t ** 3), r)",
            "lambda r: doing(grad(lambda t: t * t, r), 1.5 * (2.0 * float(r)) ** 0.5)",
        ],
        ["lambda r: grad(lambda t: (2.0 * t ** 3) ** 0.5, r)", "lambda r: grad(lambda t: mg.sqrt(2.0 * t ** 3), mg.constant(float(r)))"],
    ),
    "02.2": (
        [
            "lambda r: [nudged(lambda t: t ** 0.5, 2 * r ** 3), nudged(lambda t: (2.0 * t) ** 0.5, r ** 3), 1.5 * (2 * r) ** 0.5]",
            "lambda r: [grad(mg.sqrt, mg.Variable(2 * r ** 3)), grad(lambda t: mg.sqrt(2.0 * t), mg.Variable(r ** 3)), 1.5 * (2 * r) ** 0.5]",
            "lambda r: [0.125, 0.25, 1.5 * (2 * r) ** 0.5]",
        ],
        ["lambda r: np.cumprod([0.5 / math.sqrt(2 * r ** 3), 2, 3 * r ** 2])"],
    ),
    "02.3": (
        [
            '{"loss by w": (4, 3), "loss by b": (1,), "y by x": (1, 4)}',
            '{"loss by w": (4, 3), "loss by b": (3,), "y by x": (4,)}',
            '{"loss by w": (4, 3), "loss by b": (3,), "y by x": (3, 4)}',
            '{"loss by w": (4, 3), "loss by b": (3,), "y by x": (1, 3, 4)}',
            '{"loss by w": (4, 3), "loss by b": (3,), "y by x": (1, 3, 1, 4)}',
            '{"loss by w": (4, 3), "loss by b": (3,)}',
        ],
        ['{"loss by w": [4, 3], "loss by b": mg.TensorShape([3]), "y by x": (1, 4), "more": 0}'],
    ),
    "02.4": (
        [
            "lambda tape, t, vs: dict(zip([v.name for v in vs], [mg.reduce_sum(vs[1] ** 2), 2.0 * vs[0] * vs[1]]))",
            "lambda tape, t, vs: {v.name: g for v, g in zip(vs, reversed(tape.gradient(t, vs)))}",
            "lambda tape, t, vs: {v.name: tape.gradient(t, vs[:1])[0] for v in vs[:1]}",
        ],
        ["lambda tape, t, vs: {v.name: g for v, g in zip(vs, tape.gradient(t, vs))}"],
    ),
    "02.5": (
        [
            "lambda layer, x, rate: layer(x)[:0]",
            "lambda layer, x, rate: [v.assign_sub(rate * g) for v, g in zip(layer.trainable_variables, slopes(lambda: "
            "mg.reduce_sum(layer(x)), layer.trainable_variables))]",
            "lambda layer, x, rate: doing(layer(x), [layer.bias.assign_sub(rate * 2.0 * mg.reduce_sum(layer(x), 0) / layer(x).numpy().size)])",
        ],
        [
            "lambda layer, x, rate: mg.keras.optimizers.SGD(rate).apply_gradients(zip(slopes(lambda: "
            "mg.reduce_mean(layer(x) ** 2), layer.trainable_variables), layer.trainable_variables))"
        ],
    ),
    "02.exit": ticket(3.0, ["Upstream gradient", "the upstream"], "not upstream", "downstream", "upstream or local"),
    "03.1": (
        ["lambda t: hasattr(t, 'numpy') and not mg.is_tensor(t)", "lambda t: isinstance(t, mg.Variable)", "lambda t: bool(np.all(t))"],
        ["lambda t: bool(getattr(t, 'trainable', False))"],
    ),
    "03.2": (
        [
            "lambda f, ns: [nudged(f, n) for n in ns]",
            "lambda f, ns: [grad(f, mg.constant(ns[0]))] * len(ns)",
            "lambda f, ns: doing([grad(f, mg.constant(9.0)) for n in ns], [nudged(f, n) for n in ns])",
        ],
        ["lambda f, ns: list(grad(f, mg.constant(ns)))", "lambda f, ns: [grad(f, mg.Variable(n)) for n in ns]"],
    ),
    "03.3": (
        [
            "lambda f, vs, ch: [grad(lambda _: f(), v) if any(v is c for c in ch) else None for v in vs]",
            "lambda f, vs, ch: [None for v in vs]",
            "lambda f, vs, ch: [grad(lambda _: f(), c) for c in ch]",
        ],
        [],
    ),
    "03.4": (
        ["lambda tape, t: ['late:0', 'spare:0']", "lambda tape, t: tape.watched_variables()", "lambda tape, t: [v.name for v in tape.watched_variables()][::3][:1]"],
        ["lambda tape, t: [n for n, g in tape.gradient(t, {v.name: v for v in tape.watched_variables()}).items() if g is None]"],
    ),
    "03.5": (
        ["lambda n: 2.0 * n + 1.0", "lambda n: nudged(lambda c: c * c + c, n)", "lambda n: grad(lambda c: c * c + c, mg.constant(n))"],
        ["lambda n: grad(lambda c: c ** 2 + c, mg.Variable(float(n)))"],
    ),
    "03.exit": ticket(12.0, ["trainable=False", "`trainable`"], "not trainable", "untrainable", "trainable or watched"),
    "04.1": (
        ["lambda w: 2.0 * w ** 2", "lambda w: nudged(lambda p: p * p, w * w)", "lambda w: grad(lambda v: v ** 4, mg.Variable(w))"],
        ["lambda w: grad(lambda p: p * p, mg.constant(w) ** 2)"],
    ),
    "04.2": (
        [
            "lambda w, g: {'pressure': 2 * w * w * g, 'wind': 4 * w ** 3 * g ** 2, 'gust': 2 * w ** 4 * g}",
            "lambda w, g: dict(zip(('wind', 'gust', 'pressure'), (*grad(lambda a, b: (a * a * b) ** 2, mg.Variable(w), mg.Variable(g)), "
            "grad(lambda p: p * p, mg.Variable(w * w * g)))))",
            "lambda w, g: {'pressure': 2 * w * w * g}",
        ],
        [],
    ),
    "04.3": (
        [
            "lambda shared, ends, x: [grad(lambda v: end(shared(v)), mg.Variable(x)) for end in ends]",
            "lambda shared, ends, x: [nudged(lambda v: end(shared(v)), x) for end in ends]",
            "lambda shared, ends, x: grad(lambda v: sum(end(m) for m in [shared(v)] for end in ends), mg.Variable(x))",
        ],
        [],
    ),
    "04.4": (
        ['dict.fromkeys("ABCDE", "once")', 'dict.fromkeys("ABCDE", "persistent")', '{"A": "once", "B": "not once", "C": "once", "D": "once", "E": "once"}'],
        ['{"B": "persistent", "A": "once", "C": "once", "D": "once", "E": "once"}'],
    ),
    "04.exit": ticket(40.0, ["del tape", "`del tape`"], "do not del tape", "delete nothing", "model"),
    "05.1": (
        ["lambda f, x: nudged(lambda v: f(v)[0], x)", "lambda f, x: grad(lambda v: f(v)[1], x)", "lambda f, x: grad(f, x)"],
        ["lambda f, x: grad(lambda v: mg.reduce_sum(f(v)[:1]), x)"],
    ),
    "05.2": (
        [
            "lambda f, x: [grad(lambda v: f(v)[0], x)] * f(x).shape[0]",
            "lambda f, x: [grad(lambda v, i=i: f(v)[i], x) for i in reversed(range(f(x).shape[0]))]",
            "lambda f, x: mg.transpose(mg.stack([grad(lambda v, i=i: f(v)[i], x) for i in range(f(x).shape[0])]))",
        ],
        ["lambda f, x: [grad(lambda v, i=i: f(v)[i], x) for i in range(f(x).shape[0])]"],
    ),
    "05.3": (
        [
            "lambda f, xs: xs[int(mg.argmax(abs(xs)))]",
            "lambda f, xs: xs[int(mg.argmin(f(xs)))]",
            "lambda f, xs: xs[int(mg.argmax(f(xs + 0.01) - f(xs)))]",
            "lambda f, xs: xs[2]",
        ],
        ["lambda f, xs: max(xs, key=lambda x: float(grad(f, x)))"],
    ),
    "05.4": (
        [
            '{"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (2, 5, 2, 3)}',
            '{"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (2, 5, 2)}',
            '{"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (2, 5)}',
            '{"y (4,) by x (3,)": 3, "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (2, 5, 3, 2)}',
            '{"y (4,) by x (3,)": (12,), "loss () by w (3, 2)": (3, 2), "h (2, 5) by w (3, 2)": (2, 5, 3, 2)}',
            '{"y (4,) by x (3,)": (4, 3), "loss () by w (3, 2)": (), "h (2, 5) by w (3, 2)": (2, 5, 3, 2)}',
        ],
        ['{"y (4,) by x (3,)": [4, 3], "loss () by w (3, 2)": [3, 2], "h (2, 5) by w (3, 2)": [2, 5, 3, 2]}'],
    ),
    "05.5": (
        [
            "lambda f, x: bool(mg.reduce_any(f(x)[0] != f(mg.concat([x[:1], x[1:] + 1.0], 0))[0]))",
            "lambda f, x: any(bool(mg.reduce_any(grad(lambda v: f(v)[i, 0], x)[j] != 0.0)) for i in range(3) for j in range(3) if i != j)",
            "lambda f, x: any(bool(mg.reduce_any(grad(lambda v: f(v)[i], x)[i - 1] != 0.0)) for i in range(3))",
        ],
        ["lambda f, x: any(bool(mg.reduce_any(grad(lambda v: f(v)[i], x)[j] != 0.0)) for i in range(3) for j in range(3) if i != j)"],
    ),
    "05.6": (
        ["lambda f, x: [0, 2, 1]", "lambda f, x: [int(mg.argmax(abs(x)))] * f(x).shape[0]", "lambda f, x: [int(mg.argmax(grad(f, x)))] * f(x).shape[0]"],
        ["lambda f, x: [int(mg.argmax(abs(grad(lambda v: f(v)[i], x)))) for i in range(f(x).shape[0])]"],
    ),
    "05.exit": ticket(16.0, ["batch_jacobian", "tape.batch_jacobian"], "not batch_jacobian", "jacobian", "batch_jacobian or jacobian"),
    "06.1": (
        [
            "lambda x: x ** 2 if abs(float(x)) <= 1.5 else 2.0 * mg.abs(x) - 1.0",
            "lambda x: x ** 2 if abs(float(x)) <= 0.9 else 2.0 * mg.abs(x) - 1.0",
            "lambda x: mg.where(abs(x) < 1.0, x ** 2, 2.0 * mg.abs(x) - 1.0)",
            "lambda x: x ** 2",
        ],
        ["lambda x: x * x if -1.0 < x < 1.0 else 2.0 * x - 1.0 if x > 0.0 else -2.0 * x - 1.0"],
    ),
    "06.2": (
        [
            "lambda k, l: grad(lambda a, b: a ** 4 * 10.0 - b * (1.0 + a + a * a + a ** 3), mg.Variable(k), mg.Variable(l))",
            "lambda k, l: [0.0, -1.0]",
            "lambda k, l: grad(lambda a, b: __import__('functools').reduce(lambda h, _: a * h - b if h >= 1.0 else h, range(20), 10.0), "
            "mg.Variable(k), mg.Variable(l))",
        ],
        [
            "lambda k, l: grad(lambda a, b: __import__('functools').reduce(lambda h, _: a * h - b if h > 1.0 else h, range(20), 10.0), "
            "mg.Variable(k), mg.Variable(l))"
        ],
    ),
    "06.3": (
        [
            '{"p": 30, "q": 20, "r": 0, "s": None, "t": None}',
            '{"p": 30, "q": 20, "r": "None", "s": None, "t": 1}',
            '{"p": 20, "q": 30, "r": None, "s": None, "t": None}',
        ],
        ['{"p": 30, "q": np.float32(20), "r": None, "s": None, "t": None}'],
    ),
    "06.4": (
        [
            "lambda x, g, b, a, k: a if x > g else b",
            "lambda x, g, b, a, k: b + (a - b) * mg.sigmoid(k * (x - g.numpy()))",
            "lambda x, g, b, a, k: b + (a - b) * mg.clip_by_value(k * (x - g), 0.0, 1.0)",
        ],
        ["lambda x, g, b, a, k: (a + b) / 2.0 + (a - b) / 2.0 * mg.tanh(k * (x - g) / 2.0)"],
    ),
    "06.exit": ticket(32.0, ["unrolled", "unrolling the loop"], "not unrolled", "rolled", "unrolled or recorded"),
    "07.1": (
        [
            "lambda f, x: 'broken' if abs(f(x + 0.01) - f(x)) > 1e-3 else 'undefined' if f(x + 1.0) != f(x) else 'independent'",
            "lambda f, x: 'broken' if f(x + 0.01) > f(x) else 'undefined' if f(x + 1.0) > f(x) else 'independent'",
            "lambda f, x: 'independent'",
        ],
        ["lambda f, x: ('independent', 'undefined', 'broken')[(f(x) != f(x + 1.0)) + (f(x) != f(x + 0.01))]"],
    ),
    "07.2": (
        [
            "lambda w, xs: mg.constant(np.mean((w.numpy() * np.array(xs) - 1.0) ** 2))",
            "lambda w, xs: w * sum(xs) / len(xs)",
            "lambda w, xs: sum((w * x - 1.0) ** 2 for x in xs) / 3.0",
        ],
        ["lambda w, xs: sum((w * x - 1.0) ** 2 for x in xs) / len(xs)"],
    ),
    "07.3": (
        ["lambda f, x: 3.0 * x ** 2", "lambda f, x: grad(lambda v: mg.reduce_mean(f(v)), x)", "lambda f, x: (f(x + 0.01) - f(x - 0.01)) / 0.02"],
        ["lambda f, x: grad(f, x)"],
    ),
    "07.4": (
        ["lambda rate, ps: rate * sum(ps) * 1.001 ** 9", "lambda rate, ps: mg.constant(float(rate) * sum(ps))", "lambda rate, ps: rate * ps[0] * 3.0"],
        ["lambda rate, ps: mg.reduce_sum(rate * ps)"],
    ),
    "07.5": (
        [
            "lambda x, f, n, rate: x.assign(3.0 + (x - 3.0) * (1.0 - 2.0 * rate) ** n)",
            "lambda x, f, n, rate: [x.assign_sub(rate * nudged(f, x)) for _ in range(n)]",
            "lambda x, f, n, rate: x.assign(3.0)",
        ],
        ["lambda x, f, n, rate: [x.assign(x - rate * grad(f, x)) for _ in range(n)]"],
    ),
    "07.6": (
        [
            "lambda s, l, k: mg.reduce_sum(mg.cast(s > l, mg.float32))",
            "lambda s, l, k: mg.reduce_sum(mg.clip_by_value(k * (s - l), 0.0, 1.0))",
            "lambda s, l, k: mg.reduce_sum(mg.sigmoid(10.0 * (s - l)))",
        ],
        ["lambda s, l, k: mg.reduce_sum(1.0 / (1.0 + mg.exp(-k * (s - l))))"],
    ),
    "07.7": (
        [
            "lambda n: np.array(n) / np.linalg.norm(n)",
            "lambda n: mg.constant(n, mg.float32) / mg.norm(mg.constant(n, mg.float32))",
            "lambda n: grad(mg.reduce_sum, mg.Variable(n, dtype=mg.float32)) * n[0] / 5.0",
        ],
        ["lambda n: grad(mg.norm, mg.constant(n, mg.float32))"],
    ),
    "07.8": (
        [
            "lambda tape, t, s: [g if k != 2 else mg.zeros_like(s[2]) for k, g in enumerate(tape.gradient(t, s))]",
            "lambda tape, t, s: [mg.zeros_like(v) if v.name == 'idle:0' else g for v, g in zip(s, tape.gradient(t, s))]",
            "lambda tape, t, s: tape.gradient(t, s, unconnected_gradients='zero')",
        ],
        ["lambda tape, t, s: [v * 0.0 if str(tape.explain(t, v).meaning) == 'independent' else g for v, g in zip(s, tape.gradient(t, s))]"],
    ),
    "07.exit": ticket(0.5, ["OUTSIDE_TAPE (proved)", "outside tape"], "not OUTSIDE_TAPE", "LEFT_ENGINE", "OUTSIDE_TAPE or LEFT_ENGINE"),
    "08.1": (
        ["lambda x: mg.exp(x) * float(x)", "lambda x: mg.exp(x) * x.numpy() + x", "lambda x: (x + 1.0) * mg.exp(x)"],
        ["lambda x: x * math.e ** x"],
    ),
    "08.2": (
        [
            "lambda f, x, h=0.01: float(f(mg.constant(x + h)) - f(mg.constant(x))) / h",
            "lambda f, x, h=0.01: grad(f, mg.Variable(x))",
            "lambda f, x, h=0.01: nudged(f, x)",
        ],
        ["lambda f, x, h=0.01: (f(mg.constant(x + h)).numpy() - f(mg.constant(x - h)).numpy()) / h / 2"],
    ),
    "08.3": (
        ["lambda c: 2.0 * c + 1.0", "lambda c: nudged(lambda t: t * t + t, c)", "lambda c: grad(lambda t: t * t, c) + 1.0"],
        ["lambda c: grad(lambda t: t ** 2 + t, c)"],
    ),
    "08.4": (
        [
            "lambda start, n, rate=0.1: [2.0 * start * (1.0 - 2.0 * rate) ** k for k in range(n)]",
            "lambda start, n, rate=0.1: [grad(lambda t: t * t, mg.Variable(start))] * n",
            "lambda start, n, rate=0.1: [6.0, 4.8, 3.84]",
        ],
        ["lambda start, n, rate=0.1: [grad(lambda t: t * t, mg.Variable(start * (1.0 - 2.0 * rate) ** k)) for k in range(n)]"],
    ),
    "08.5": (
        [
            "lambda z: mg.where(z > 0.0, 1 / (z + 1e-9), 0.0)",
            "lambda z: mg.where(z > 1e-4, 1.0 / mg.where(z > 1e-4, z, 1.0), 0.0)",
            "lambda z: mg.where(z != 0.0, 1.0 / mg.where(z != 0.0, z, 1.0), 0.0)",
            "lambda z: mg.where(z > 0.0, 1.0 / mg.maximum(z, 0.01), 0.0)",
        ],
        ["lambda z: mg.math.divide_no_nan(mg.cast(z > 0.0, z.dtype), mg.where(z > 0.0, z, 1.0))"],
    ),
    "08.6": (
        [
            '{"A": "not right", "B": "right", "C": "right", "D": "lost path", "E": "old value"}',
            '{"A": "right", "B": "right", "C": "right", "D": "no lost path", "E": "old value"}',
            '{"A": "right", "B": "right", "C": "right", "D": "lost path", "E": "right or old value"}',
        ],
        ['{"A": "Right", "B": "correct", "C": "right", "D": "a lost path", "E": "stale"}'],
    ),
    "08.exit": ticket(0.909, ["stale", "STALE"], "not STALE", "PARTIAL", "STALE or PARTIAL"),
    "09.1": (
        [
            "lambda v, vs: 2.0 * sum(vs)",
            "lambda v, vs: sum(doing(v.assign(x), grad(lambda t: t * t, v)) for x in vs[-1:])",
            "lambda v, vs: grad(lambda t: t * (2.0 * sum(vs)), v)",
        ],
        ["lambda v, vs: grad(lambda t: sum(doing(t.assign(x), t ** 2) for x in vs), v)"],
    ),
    "09.2": (
        [
            "lambda account, amount: account.assign_add(amount)",
            "lambda account, amount: doing(account.assign_add(amount), account + amount * 0.0)",
            "lambda account, amount: account + amount",
        ],
        ["lambda account, amount: doing(new := amount + account, account.assign(new), new)"],
    ),
    "09.3": (
        [
            "lambda x, s, g: [x.assign_sub(0.1 * s), s.assign(0.9 * s + g)]",
            "lambda x, s, g: [s.assign(0.9 * s + g), x.assign_sub(0.01 * s)]",
            "lambda x, s, g: x.assign_sub(0.1 * (0.9 * s + g))",
        ],
        ["lambda x, s, g: [s.assign(s * 0.9), s.assign_add(g), x.assign_add(-0.1 * s)]"],
    ),
    "09.4": (
        ["lambda b, p: (b - p) ** 2", "lambda b, p: b ** 2 - p.numpy() ** 2", "lambda b, p: mg.abs(b - mg.stop_gradient(p)) * 8.0"],
        ["lambda b, p: (b - float(p)) ** 2", "lambda b, p: mg.math.squared_difference(b, p.numpy())"],
    ),
    "09.5": (
        ["lambda tape, ls: min(ls, key=lambda l: float(l()))()", "lambda tape, ls: ls[1]()", "lambda tape, ls: min(l() for l in ls)"],
        ["lambda tape, ls: doing(pause := tape.stop_recording(), pause.__enter__(), best := min(ls, key=lambda l: float(l())), "
         "pause.__exit__(None, None, None), best())"],
    ),
    "09.exit": ticket(7.0, ["tape.reset()", "reset"], "not reset", "stop_recording", "reset or stop_recording"),
    "10.1": (
        [
            "lambda i, f: (i - np.mean(i, (-3, -2), keepdims=True)) * f + np.mean(i, (-3, -2), keepdims=True)",
            "lambda i, f: (i - mg.stop_gradient(mg.reduce_mean(i, [-3, -2], keepdims=True))) * f + mg.reduce_mean(i, [-3, -2], keepdims=True)",
            "lambda i, f: (i - mg.reduce_mean(i, [-2], keepdims=True)) * f + mg.reduce_mean(i, [-2], keepdims=True)",
        ],
        ["lambda i, f: i * f + (1.0 - f) * mg.reduce_mean(i, [-3, -2], keepdims=True)"],
    ),
    "10.2": (
        [
            "lambda op, dy: [dy.numpy() * (1 - float(op.inputs[2])), dy.numpy() * float(op.inputs[2]), "
            "np.sum(dy.numpy() * (op.inputs[1] - op.inputs[0]).numpy())]",
            "lambda op, dy: [dy * (1.0 - op.inputs[2]), dy * op.inputs[2], mg.reduce_sum(op.inputs[1] - op.inputs[0])]",
            "lambda op, dy: [dy * (1.0 - op.inputs[2]), dy * op.inputs[2], dy * (op.inputs[1] - op.inputs[0])]",
        ],
        ["lambda op, dy: (dy - dy * op.inputs[2], op.inputs[2] * dy, mg.tensordot(mg.reshape(dy, [-1]), mg.reshape(op.inputs[1] - op.inputs[0], [-1]), 1))"],
    ),
    "10.3": (
        [
            "lambda x, y: mg.sqrt(x * x + y * y + 1e-12)",
            "lambda x, y: mg.sqrt(x * x + y * y + 1e-24)",
            "lambda x, y: mg.sqrt(mg.maximum(x * x + y * y, 1e-10))",
            "lambda x, y: mg.sqrt(x * x + y * y)",
        ],
        ["lambda x, y: mg.norm(mg.stack([x, y])) if x != 0.0 or y != 0.0 else 0.0 * (x + y)"],
    ),
    "10.4": (
        ['dict.fromkeys("ABCD", True)', '{"A": True, "B": False, "C": True, "D": True}', '{"A": "yes", "B": "no", "C": "no", "D": "yes"}'],
        ['{"A": np.True_, "B": False, "C": False, "D": True}', '{"A": "True", "B": "False", "C": "False", "D": " true"}'],
    ),
    "10.5": (
        [
            "mg.custom_gradient(lambda x: (mg.cast(x >= 0.0, mg.float32), lambda dy: mg.where(abs(x) <= 1.0, dy, 0.0)))",
            "mg.custom_gradient(lambda x: (mg.cast(x > 0.0, mg.float32), lambda dy: mg.where(abs(x) <= 1.2, dy, 0.0)))",
            "mg.custom_gradient(lambda x: (mg.cast(x > 0.0, mg.float32), lambda dy: mg.where((abs(x) <= 1.0) & (x != 0.0), dy, 0.0)))",
        ],
        ["lambda x: mg.cast(x > 0.0, mg.float32) + mg.clip_by_value(x, -1.0, 1.0) - mg.stop_gradient(mg.clip_by_value(x, -1.0, 1.0))"],
    ),
    "10.exit": ticket(15.0, ["LookupError", "a LookupError"], "not a LookupError", "KeyError", "LookupError or KeyError"),
    "11.1": (
        [
            "lambda ws, f, rate: f()",
            "lambda ws, f, rate: doing([w.assign_sub(rate * grad(lambda _: f(), w)) for w in ws], f())",
            "lambda ws, f, rate: doing(loss := f(), [w.assign_sub(0.1 * g) for w, g in zip(ws, grad(lambda *_: f(), *ws))], loss)",
        ],
        ["lambda ws, f, rate: doing(loss := f(), [w.assign(w - rate * g) for w, g in zip(ws, grad(lambda *_: f(), *ws))], loss)"],
    ),
    "11.2": (
        [
            "lambda gs: [None if w is None else mg.norm(w) + mg.norm(b) for w, b in zip(gs[::2], gs[1::2])]",
            "lambda gs: [mg.norm(w) for w in gs[::2] if w is not None]",
            "lambda gs: [13.0, None, 3.0]",
        ],
        ["lambda gs: [w if w is None else np.hypot(mg.norm(w), mg.norm(b)) for w, b in zip(gs[::2], gs[1::2])]"],
    ),
    "11.3": (
        [
            "lambda x, w, b: np.sum(np.all((x @ w + b).numpy() < 0.0, 0))",
            "lambda x, w, b: np.sum(mg.nn.relu(x @ w + b)[0].numpy() == 0.0)",
            "lambda x, w, b: 2",
        ],
        ["lambda x, w, b: np.sum(np.max((x @ w + b).numpy(), 0) <= 0.0)"],
    ),
    "11.4": (
        ["lambda h: h / np.std(h)", "lambda h: h / mg.stop_gradient(mg.math.reduce_std(h))", "lambda h: h / mg.sqrt(mg.reduce_mean(h * h))"],
        ["lambda h: h / mg.sqrt(mg.reduce_mean((h - mg.reduce_mean(h)) ** 2))"],
    ),
    "11.5": (
        [
            "lambda: lambda x: mg.Variable(0.0) * x + mg.Variable(0.0)",
            "lambda line=mg.keras.Sequential([mg.keras.layers.Dense(1)]): line",
            "lambda: type('L', (mg.Module,), {'w': mg.Variable(0.0), '__call__': lambda self, x: self.w * x})()",
        ],
        ["lambda: doing(m := type('L', (mg.Module,), {'__call__': lambda s, x: s.w * x + s.b})(), setattr(m, 'w', mg.Variable(0.0)), "
         "setattr(m, 'b', mg.Variable(0.0)), m)"],
    ),
    "11.exit": ticket(4.0, ["FLAT", "flat"], "not FLAT", "ZERO", "FLAT or ZERO"),
    "12.1": (
        [
            "lambda f, x: nudged(lambda t: grad(f, mg.Variable(t)), x)",
            "lambda f, x: doing(grad(f, x), float(f(x + 0.1) + f(x - 0.1) - 2.0 * f(x)) / 0.01)",
            "lambda f, x: 6.0 * x",
        ],
        ["lambda f, x: grad(f, x, order=2)"],
    ),
    "12.2": (
        [
            "lambda f, x: np.diag(np.ravel(grad(f, x, order=2)))",
            "lambda f, x: 2.0 * np.ones((x.numpy().size,) * 2)",
            "lambda f, x: mg.reshape(grad(f, x, order=2), [-1, 1])",
        ],
        [],
    ),
    "12.3": (
        [
            "lambda f, x, v: v * grad(f, x, order=2)",
            "lambda f, x, v: mg.fill(x.shape, 2.0 * mg.reduce_sum(v))",
            "lambda f, x, v: nudged(lambda h: mg.reduce_sum(f(mg.cast(x, mg.float64) + h * mg.cast(v, mg.float64))), 0.0)",
        ],
        [
            "lambda f, x, v: grad(lambda t: mg.reduce_sum(grad(f, t) * v), x)",
            "lambda f, x, v: [acc := mg.autodiff.ForwardAccumulator(x, v), acc.__enter__(), g := grad(f, x), acc.__exit__(None, None, None), "
            "acc.jvp(g)][-1]",
        ],
    ),
    "12.4": (
        ["lambda f, x: x - grad(f, x)", "lambda f, x: x - grad(f, x) / grad(f, x, order=2)", "lambda f, x: mg.constant([3.0, -1.0])"],
        [],
    ),
    "12.5": (
        [
            "lambda f, x, w: 8.0 * w * x ** 2",
            "lambda f, x, w: grad(lambda v: f(x, v), w)",
            "lambda f, x, w: grad(lambda v: mg.reduce_sum(grad(lambda t: f(t, v), x)) ** 2, w)",
        ],
        ["lambda f, x, w: grad(lambda v: mg.reduce_sum(grad(lambda t: f(t, v), x) ** 2), w)"],
    ),
    "12.exit": ticket(3.0, ["FIRST_ORDER_ONLY (proved)", "first order only"], "not FIRST_ORDER_ONLY", "first", "the first one"),
    "13.1": (
        ["lambda dy, x, y: [dy * x, dy * y]", "lambda dy, x, y: [y, x]", "lambda dy, x, y: [dy * abs(y), dy * x]"],
        ["lambda dy, x, y: (np.multiply(y, dy), np.multiply(x, dy))"],
    ),
    "13.2": (
        [
            "lambda dy, x, a: np.broadcast_to(dy if a == 0 else dy[:, None], x.shape)",
            "lambda dy, x, a: (np.ones_like(x.T) * dy).T if a == 1 else np.ones_like(x) * dy",
            "lambda dy, x, a: np.stack([dy] * x.shape[a], 1 if a else 0)",
        ],
        ["lambda dy, x, a: np.repeat(np.expand_dims(dy, a), x.shape[a], a)", "lambda dy, x, a: np.stack([dy] * x.shape[a], a)"],
    ),
    "13.3": (
        [
            "lambda dx, shape: dx.sum(axis=0) if dx.ndim > len(shape) else dx",
            "lambda dx, shape: dx[tuple(slice(n) for n in shape)] if len(shape) == dx.ndim else dx.sum(tuple(range(dx.ndim - len(shape))))",
            "lambda dx, shape: np.broadcast_to(dx.sum(), shape)",
        ],
        ["lambda dx, shape: dx.sum(tuple(k for k, n in enumerate((0,) * (dx.ndim - len(shape)) + shape) if n < 2)).reshape(shape)"],
    ),
    "13.4": (
        ["lambda dy, x, y: [dy @ y.T, x @ dy] if x.shape[0] == x.shape[1] else [dy @ y.T, x.T @ dy]", "lambda dy, x, y: [dy @ y.T]", "lambda dy, x, y: [y.T, x.T]"],
        ["lambda dy, x, y: [np.einsum('ij,kj->ik', dy, y), np.einsum('ij,ik->jk', x, dy)]"],
    ),
    "13.5": (
        [
            "lambda steps, target, source: {('z', 'x'): 7.0, ('c', 'x'): 42.0, ('a', 'x'): 2.0}.get((target, source))",
            "lambda steps, target, source: doing(d := {target: 1.0}, [d.update({n: d.get(n, 0.0) + s}) for o, i, v in reversed(steps) if o in d "
            "for n, s in zip(i, v(d[o]))], d.get('x' if source == 'a' else source))",
            "lambda steps, target, source: doing(d := {target: 1.0}, [d.update({n: d.get(n, 0.0) + s}) for o, i, v in reversed(steps) if o in d "
            "for n, s in zip(i, v(d[o]))], d.get(source) or None)",
        ],
        [
            "lambda steps, target, source: doing(d := {target: 1.0}, [d.update({n: d.get(n, 0.0) + s}) for o, i, v in reversed(steps) if o in d "
            "for n, s in zip(i, v(d[o]))], d.get(source))"
        ],
    ),
    "13.6": (
        [
            "lambda x: (np.tanh(x.array), [x], lambda dy: [dy])",
            "lambda x: (np.tanh(x.array), [x.array], lambda dy: [dy * (1.0 - np.tanh(x.array) ** 2)])",
            "lambda x: (np.tanh(x.array), [x])",
        ],
        ["lambda x: (np.tanh(x.array), [x], lambda dy: [dy / np.cosh(x.array) ** 2])"],
    ),
    "13.exit": ticket(-4.0, ["added up", "summed", "they are added"], "not added", "copied", "added or copied", "address"),
    "14.exit": ticket(4, ["STALE (proved)", "stale"], "not STALE", "STATE", "PARTIAL or STALE"),
    "15.1": (
        [
            "lambda d, h, W2: [d.T @ h, d.sum(0), d @ W2.T]",
            "lambda d, h, W2: [h.T @ d, d.sum(0), d @ W2.T / len(d)]",
            "lambda d, h, W2: {'W2': h.T @ d, 'b2': d.sum(0), 'h': d @ W2.T}",
        ],
        ["lambda d, h, W2: (np.einsum('ij,ik->jk', h, d), np.ones(len(d)) @ d, np.dot(d, W2.T))"],
    ),
    "15.2": (
        [
            "lambda dh, h, x: [x.T @ dh * (1.0 - h * h).sum(0), dh.sum(0)]",
            "lambda dh, h, x: [x.T @ (dh / np.cosh(h) ** 2), (dh / np.cosh(h) ** 2).sum(0)]",
            "lambda dh, h, x: [(dh * (1.0 - h * h)).sum(0), x.T @ (dh * (1.0 - h * h))]",
        ],
        ["lambda dh, h, x: (x.T @ (dh / np.cosh(np.arctanh(h)) ** 2), np.einsum('ij,ij->j', dh, (1.0 - h) * (1.0 + h)))"],
    ),
    "15.3": (
        [
            "{'line': 'A', 'mended': lambda dh, h: dh * (1.0 - h * h)}",
            "{'line': 'D or E', 'mended': lambda dh, h: dh * (1.0 - h * h)}",
            "{'line': 'E', 'mended': lambda dh, h: 1.0 - h * h}",
            "{'line': 'E', 'mended': 'dh * (1.0 - h * h)'}",
        ],
        ["{'line': 'e', 'mended': lambda dh, h: dh - dh * h ** 2}", "{'line': 'line E', 'mended': lambda dh, h: dh * (1.0 + h) * (1.0 - h)}"],
    ),
    "15.4": (
        ["dict.fromkeys(['derrors', 'dh', 'd', 'db1'], True)", "{'db1': True}",
         "dict(derrors=True, db2=True, dW2=True, dh=True, d=True, db1=True, dW1=False)"],
        ["dict(derrors=True, db2=False, dW2=False, dh=True, d=True, db1=True, dW1=False)",
         "{'derrors': 1 == 1, 'db2': 1 == 0, 'dW2': np.bool_(False), 'dh': True, 'd': True, 'db1': True, 'dW1': False}"],
    ),
    "15.5": (
        ["lambda d: d.sum(1)[None]", "lambda d: d[:, :1] * d.shape[1]", "lambda d: np.full((len(d), 1), d.sum())"],
        ["lambda d: np.sum(d, axis=-1)[:, None]", "lambda d: d @ np.ones((d.shape[1], 1))"],
    ),
    "15.6": (
        ["{'A': 3, 'B': 2, 'C': 1, 'D': 1}", "{'A': 2, 'B': 1, 'C': 2}", "[2, 1, 2, 3]"],
        ["{'A': 2.0, 'B': np.int64(1), 'C': 2, 'D': mg.constant(3)}"],
    ),
    "15.exit": ticket(12, ["Retracing", "to retrace"], "not retracing", "tracing", "tracing or retracing", "guard"),
    "16.1": (
        [
            "lambda network, loss_of, weights: [nudged(lambda t: loss_of(network(*[t if k == j else w for j, w in enumerate(weights)])), weights[k]) "
            "for k in range(len(weights))] if len(weights) == 2 else None",
            "lambda network, loss_of, weights: [0.0 * w for w in weights]",
            "lambda network, loss_of, weights: slopes(lambda: loss_of(mg.stop_gradient(network(*weights))), weights)",
            "lambda network, loss_of, weights: slopes(lambda: loss_of(network(*weights)), weights[::-1])",
            "lambda network, loss_of, weights: [-g for g in slopes(lambda: loss_of(network(*weights)), weights)]",
            "lambda network, loss_of, weights: [np.exp(2.0 * weights[0].numpy())]",
        ],
        [
            "lambda network, loss_of, weights: slopes(lambda: loss_of(network(*weights)), weights)",
            "lambda network, loss_of, weights: [slopes(lambda: loss_of(network(*weights)), w) for w in weights]",
            "lambda network, loss_of, weights: tuple(slopes(lambda: loss_of(network(*weights)), tuple(weights)))",
        ],
    ),
    "16.2": (
        [
            "lambda a, m: mg.reduce_mean(mg.where(mg.math.is_nan(m), 0.0, (a - m) ** 2))",
            "lambda a, m: mg.reduce_mean((a - mg.where(mg.math.is_nan(m), 0.0, m)) ** 2)",
            "lambda a, m: mg.reduce_mean((a - mg.where(mg.math.is_nan(m), 1.0, m)) ** 2)",
            "lambda a, m: mg.reduce_mean(mg.where(mg.math.is_nan(m) | (m == 0.0), 0.0, (a - mg.where(mg.math.is_nan(m), 0.0, m)) ** 2))",
            "lambda a, m: mg.constant(np.nanmean((a.numpy() - m.numpy()) ** 2))",
            "lambda a, m: mg.reduce_mean(abs(a - mg.where(mg.math.is_nan(m), a, m)))",
        ],
        [
            "lambda a, m: mg.reduce_mean((a - mg.where(mg.math.is_nan(m), a, m)) ** 2)",
            "lambda a, m: mg.reduce_sum((mg.gather(a, mg.where(m == m)[:, 0]) - mg.gather(m, mg.where(m == m)[:, 0])) ** 2) / a.shape[0]",
            "lambda a, m: mg.reduce_mean(mg.cast(m == m, m.dtype) * (a - mg.constant(np.nan_to_num(m.numpy()))) ** 2)",
        ],
    ),
    "16.3": (
        [
            '{"A": True, "B": True, "C": True, "D": True, "E": True}',
            '{"A": False, "B": False, "C": False, "D": False, "E": False}',
            '{"A": False, "B": True, "C": False, "D": False, "E": False}',
            '{"A": None, "B": True, "C": None, "D": True, "E": None}',
            '{"B": True, "D": True}',
        ],
        [
            'dict(zip("ABCDE", (False, True, False, True, False)))',
            '{"A": False, "B": True, "C": False, "D": True, "E": "False"}',
            '{"A": np.bool_(False), "B": np.bool_(True), "C": False, "D": True, "E": False, "F": None}',
        ],
    ),
    "16.4": (
        [
            "lambda v, f, rate, n: [float(f())] * n",
            "lambda v, f, rate, n: [doing(x := float(f()), [w.assign_sub(rate * g) for w, g in zip(v, slopes(f, v))], x) for _ in range(n + 1)]",
            "lambda v, f, rate, n: [doing(x := float(f()), [w.assign_sub(rate * slopes(f, w)) for w in v], x) for _ in range(n)]",
            "lambda v, f, rate, n: [doing([w.assign_sub(rate * g) for w, g in zip(v, slopes(f, v))], float(f())) for _ in range(n)]",
            "lambda v, f, rate, n: [doing(x := float(f()), v[0].assign_sub(rate * slopes(f, v[0])), x) for _ in range(n)]",
            "lambda v, f, rate, n: doing(g := slopes(f, v), [doing(x := float(f()), [w.assign_sub(rate * s) for w, s in zip(v, g)], x) for _ in range(n)])",
        ],
        [
            "lambda v, f, rate, n: [doing(x := f(), [w.assign_sub(rate * g) for w, g in zip(v, slopes(f, v))], x) for _ in range(n)]",
            "lambda v, f, rate, n: [doing(x := f().numpy(), [w.assign(w - rate * g) for w, g in zip(v, slopes(f, v))], x) for _ in range(n)]",
        ],
    ),
    "16.5": (
        [
            "lambda a, m: mg.reduce_mean((mg.reshape(a, [-1]) - mg.reshape(m, [-1])) ** 2)",
            "lambda a, m: mg.reduce_mean((mg.squeeze(a) - mg.squeeze(m)) ** 2)",
            "lambda a, m: mg.reduce_mean((a - mg.reshape(m, a.shape)) ** 2)",
            "lambda a, m: mg.reduce_mean((mg.ensure_shape(a, m.shape) - m) ** 2) if a.shape[0] == len(m.numpy().shape) else 0.0",
            "lambda a, m: mg.reduce_mean((a - m) ** 2) if a.shape == m.shape else None",
            "lambda a, m: mg.constant(np.mean((a.numpy() - m.numpy()) ** 2)) if a.shape == m.shape else int('x')",
            "lambda a, m: mg.reduce_mean((mg.ensure_shape(a, m.shape) - m) ** 2) / 2.0",
        ],
        [
            "lambda a, m: mg.reduce_mean((mg.ensure_shape(a, m.shape) - m) ** 2)",
            "lambda a, m: mg.reduce_mean((a - m) ** 2) if tuple(a.shape) == tuple(m.shape) else int('shapes')",
            "lambda a, m: mg.reduce_sum((a - m) * (a - m)) / a.numpy().size if a.shape == m.shape else int('shapes')",
        ],
    ),
    "16.6": (
        [
            "lambda names, s: [n for n, g in zip(names, s) if g is None]",
            "lambda names, s: [n for n, g in zip(names, s) if g is None or float(mg.norm(g)) == 0.0]",
            "lambda names, s: [n for n, g in zip(names, s) if g is None or np.isnan(np.sum(g))]",
            "lambda names, s: [n for n, g in zip(names, s) if g is None or np.max(g) == np.inf or np.isnan(np.max(g))]",
            "lambda names, s: any(g is None for g in s)",
            "lambda names, s: ['w', 'b'] if s[0] is None else []",
        ],
        [
            "lambda names, s: [n for n, g in zip(names, s) if g is None or not np.all(np.isfinite(g))]",
            "lambda names, s: tuple(n for n, g in zip(names, s) if g is None or not np.isfinite(np.sum(np.abs(g))))",
        ],
    ),
    "16.7": (
        [
            "lambda z: mg.exp(z) / mg.stop_gradient(mg.reduce_sum(mg.exp(z), axis=1, keepdims=True))",
            "lambda z: mg.exp(z) / mg.reduce_sum(mg.exp(z))",
            "lambda z: mg.nn.softmax(z, axis=0)",
            "lambda z: mg.constant(np.exp(z.numpy()) / np.exp(z.numpy()).sum(1, keepdims=True))",
            "lambda z: mg.exp(z) / np.exp(z.numpy()).sum(1, keepdims=True)",
            "lambda z: mg.sigmoid(z)",
            "lambda z: mg.nn.softmax(2.0 * z)",
        ],
        [
            "mg.nn.softmax",
            "lambda z: mg.exp(z - mg.reduce_logsumexp(z, axis=1, keepdims=True))",
            "lambda z: mg.transpose(mg.transpose(mg.exp(z)) / mg.reduce_sum(mg.exp(z), 1))",
            "lambda z: mg.exp(z - mg.reduce_max(z)) / mg.reduce_sum(mg.exp(z - mg.reduce_max(z)), -1, keepdims=True)",
        ],
    ),
    "16.8": (
        [
            "lambda h, layers: functools.reduce(lambda x, f: f(x), layers, h)",
            "lambda h, layers: h + functools.reduce(lambda x, f: f(x), layers, h)",
            "lambda h, layers: functools.reduce(lambda x, f: x + f(x), layers[::-1], h)",
            "lambda h, layers: functools.reduce(lambda x, f: x + f(x), layers[:2], h)",
            "lambda h, layers: mg.constant(functools.reduce(lambda x, f: x + f(x), layers, h).numpy())",
            "lambda h, layers: functools.reduce(lambda x, f: mg.stop_gradient(x) + f(x), layers, h)",
        ],
        [
            "lambda h, layers: functools.reduce(lambda x, f: x + f(x), layers, h)",
            "lambda h, layers: functools.reduce(lambda x, f: mg.add_n([f(x), x]), layers, mg.identity(h))",
        ],
    ),
    "16.exit": ticket(0.5**10, ["STALE (proved)", "stale"], "not STALE", "STATE", "STALE or REBOUND", "REBOUND"),
}.items():  # fmt: skip
    WRONG[exercise], RIGHT[exercise] = wrong, right

REPORTS = {  # of lesson 14: code, line, wrong functions, right ones
    "14.1": ("OUTSIDE_TAPE", "mean = mg.reduce_mean(price)",
             ["lambda x: mg.where(x > 2.0, 3.0, 2.0 * x) / len(x.numpy())", "lambda x: grad(mg.reduce_mean, x)", "lambda x: grad(lambda t: t ** 2 / 3.0, x)"],
             ["lambda x: grad(lambda t: mg.reduce_mean(mg.where(t > 2.0, 3.0 * t, t * t)), x)"]),
    "14.2": ("FIRST_ORDER_ONLY", "slope = inner.gradient(w, y)",
             ["lambda y, v: 2.0 * y", "lambda y, v: nudged(lambda t: 2.0 * float(y) * t, v)", "lambda y, v: grad(lambda t: t * t, v)"],
             ["lambda y, v: grad(lambda t: grad(lambda s: s * s * t, y), v)"]),
    "14.3": ("NOT_FINITE", "s = mg.where(x > 0.0, alpha * mg.math.log(x), 0.0)",
             ["lambda a, x: grad(lambda t: t * mg.math.log(mg.maximum(x, 1.0)), a)", "lambda a, x: sum(math.log(t) for t in x.numpy() if t > 0)",
              "lambda a, x: grad(lambda t: t * mg.reduce_sum(mg.math.log(abs(x) + 1e-9)), a)"],
             ["lambda a, x: grad(lambda t: t * mg.reduce_sum(mg.math.log(mg.where(x > 0.0, x, 1.0))), a)"]),
    "14.4": ("STALE", "w.assign_add(0.5)",
             ["lambda w, aside: 2 * (w + aside)", "lambda w, aside: doing(w.assign_add(aside), grad(lambda t: t * t, w))",
              "lambda w, aside: nudged(lambda t: t * t, w + aside)"],
             ["lambda w, aside: grad(lambda t: t * t, w + aside)"]),
    "14.5": ("UNWATCHED", "y = 2.0 * x + 3.0",
             ["lambda f, x: (f(x + 0.01) - f(x - 0.01)) / 0.02", "nudged", "lambda f, x: 2.0"],
             ["lambda f, x: grad(f, mg.Variable(x))"]),
}  # fmt: skip
for exercise, (code, line, wrong, right) in REPORTS.items():
    report = f'{{"code": {code!r}, "line": {line!r}, "fixed": %s}}'
    WRONG[exercise] = [report % one for one in wrong] + [f'{{"code": "not {code}", "line": {line!r}, "fixed": {right[0]}}}']
    RIGHT[exercise] = [report % one for one in right]

PAUSES = {
    "15.pause1": (["-15", "8", "'15 or 120'", "None", "[3, 5]"], ["15", "np.float32(15)"]),
    "15.pause2": (["-8", "40", "'8 or 5'", "None", "[8] * 5"], ["8", "np.int64(8)"]),
    "16.pause1": (["40", "0.5", "'none or all'", "None", "[0, 1]"], ["0", "np.float32(0)"]),
    "16.pause2": (["10", "-6", "'6 or 10'", "None", "[6, 10]"], ["6", "np.int64(6)"]),
    "16.pause3": (["4", "8", "'(4, 4)'", "None", "(4, 4)"], ["16", "np.float32(16)"]),
    "16.pause4": (["7", "-3", "'3 or 4'", "None", "[3, 4]"], ["3", "np.int64(3)"]),
    "01.pause1": (["-20", "20.5", "'4 * x'", "None", "[4, 5]"], ["20", "np.float32(20)"]),
    "02.pause1": (["0", "2.5", "'a and b'", "None", "[1, 3]"], ["2.0", "np.int64(2)"]),
    "02.pause2": (["-30", "1.2", "'30 or 6'", "None", "[5, 6]"], ["30", "np.float32(30)"]),
    "03.pause1": (["-5", "0.0", "'5 or None'", "8", "[5, None]"], ["5", "np.float32(5)"]),
    "03.pause2": (["0", "1", "'three or four'", "None", "3.5"], ["3.0", "np.int64(3)"]),
    "04.pause1": (["-12", "'error'", "None", "6", "[3, 12]"], ["12", "np.float32(12)"]),
    "05.pause1": (["-25", "20", "'25 or 7'", "None", "[20, 5]"], ["25", "np.float32(25)"]),
    "05.pause2": (["1", "-6", "'6 or 4'", "None", "(6, 4)"], ["6.0", "np.int64(6)"]),
    "05.pause3": (["-120", "64", "'120 or 960'", "None", "[8, 3, 5]"], ["120.0", "8 * 3 * 5"]),
    "06.pause1": (["-1.5", "1.4", "'1.5 or 0.5'", "None", "[0.5, 0.5, 0.5]"], ["3 / 2", "np.float32(1.5)"]),
    "07.pause1": (["'not undefined'", "'undefined or broken'", "None", "0.0", "'defined'"], ["'Undefined'", "'it is undefined'"]),
    "07.pause2": (["'not LEFT_ENGINE'", "'LEFT_ENGINE or STATE'", "None", "'engine'", "'left'"], ["'LEFT_ENGINE (proved)'", "'Left Engine'"]),
    "07.pause3": (["'not REBOUND'", "'REBOUND or STATE'", "None", "'bound'", "2.0"], ["'REBOUND (proved)'", "'rebound'"]),
    "08.pause1": (["-6", "9", "'6 or 12'", "None", "[9.0601, 8.9401]"], ["6", "np.float32(6)"]),
    "08.pause2": (["-12", "0.0", "'12 or 75'", "'STALE'", "[12, 75]"], ["12", "np.float32(12)"]),
    "09.pause1": (["-11", "24", "'11 or 8'", "None", "[3, 8]"], ["11", "np.float32(11)"]),
    "09.pause2": (["-3", "6", "'3 or None'", "'STATE'", "[3, 3]"], ["3", "np.float32(3)"]),
    "10.pause1": (["-60", "16", "'60 or 150'", "None", "[150, 60]"], ["60", "np.float32(60)"]),
    "11.pause1": (["-9", "64", "'9 or 81'", "None", "[17 ** 0.5, 8]"], ["9", "81 ** 0.5"]),
    "11.pause2": (["0", "1", "'4 or 2'", "None", "5"], ["4.0", "np.int64(4)"]),
    "12.pause1": (["-6", "0.0", "'6 or 10'", "None", "[10, 6]"], ["6", "np.float32(6)"]),
    "12.pause2": (["-20", "4", "'2 or 6'", "None", "[4, 2]"], ["2", "np.float32(2)"]),
    "13.pause1": (["-2", "4", "'2 or 8'", "None", "[2, 2]"], ["2", "np.float32(2)"]),
    "13.pause2": (["-10", "7", "'10 or 5'", "None", "[5, 5]"], ["10", "np.float32(10)"]),
    "13.pause3": (["-12", "6", "'12 or 8'", "None", "[4, 8]"], ["12", "np.float32(12)"]),
    "14.pause1": (["'not OUTSIDE_TAPE'", "'OUTSIDE_TAPE or STALE'", "None", "'tape'", "0.0"], ["'OUTSIDE_TAPE (proved)'", "'outside'"]),
    "14.pause2": (["'not nan'", "'nan or zero'", "None", "0.0", "'NaN?! or inf'"], ["'NaN'", "'it is nan'"]),
}  # fmt: skip
for exercise, (wrong, right) in PAUSES.items():
    WRONG[exercise], RIGHT[exercise] = wrong, right

# ---- ten checks under a second attack: with answers that share most of their text ------------------------------------

WATCHED = "[v.name for v in tape.watched_variables()]"
PAIRS = "zip(tape.watched_variables(), tape.gradient(t, tape.watched_variables()))"


def chain(slope, last="[{} for end in ends]"):
    """04.3 by the chain rule: `s` is the slope of the shared part `m`, at the end of which `slope` is computed."""
    begun = "v := mg.Variable(x), a := mg.GradientTape(persistent=True), a.__enter__(), m := shared(v), ys := [e(m) for e in ends]"
    return f"lambda shared, ends, x: doing({begun}, a.__exit__(None, None, None), s := a.gradient(m, v), {last.format(slope)})"


def table(test):
    """05.5 by a test of `w`, the whole Jacobian."""
    begun = "v := mg.Variable(x), a := mg.GradientTape(), a.__enter__(), y := f(v), a.__exit__(None, None, None)"
    own = "own := np.stack([w[i, :, i] for i in range(3)])"
    return f"lambda f, x: doing({begun}, w := a.jacobian(y, v).numpy(), {own}, {test.replace('PAIRS', 'for i in range(3) for j in range(3) if i != j')})"


def zeroed(entry):
    return f"lambda tape, t, s: [{entry} for v, g in zip(s, tape.gradient(t, s))]"


def paused(then, found="v := [float(l()) for l in ls]"):
    """09.5 with what is found in the pause, and what is done after it."""
    return f"lambda tape, ls: doing(p := tape.stop_recording(), p.__enter__(), {found}, p.__exit__(None, None, None), {then})"


def dead(count):
    """11.3 by a count of `z`, what goes into relu, and `h`, what comes out."""
    return f"lambda x, w, b: doing(z := (x @ w + b).numpy(), h := np.maximum(z, 0.0), {count})"


def back(steps="reversed(steps)", ask="o in d", sent="zip(i, v(d[o]))", result="d.get(source)"):
    """13.5, with another part."""
    passes = f"[d.update({{n: d.get(n, 0.0) + s}}) for o, i, v in {steps} if {ask} for n, s in {sent}]"
    return f"lambda steps, target, source: doing(d := {{target: 1.0}}, {passes}, {result})"


def bad(test):
    return f"lambda names, s: [n for n, g in zip(names, s) if g is None or {test}]"


def guarded(loss):
    """16.2, with the missing days in `no`, and readings of 0 for them in `full`."""
    return f"lambda a, m: doing(no := mg.math.is_nan(m), full := mg.where(no, 0.0, m), mg.reduce_mean({loss}))"


AGAIN = {
    "03.4": (
        [
            f"lambda tape, t: {WATCHED}[::3]",
            f"lambda tape, t: doing(tape.gradient(t, tape.watched_variables()), {WATCHED}[::3])",
            f"lambda tape, t: sorted({WATCHED})[:2]",
            f"lambda tape, t: {WATCHED}[2:]",
            f"lambda tape, t: {WATCHED}[-1:] + {WATCHED}[:1]",
            f"lambda tape, t: [v.name for v, g in {PAIRS} if not g]",
            f"lambda tape, t: [v.name[:-2] for v, g in {PAIRS} if g is None]",
            f"lambda tape, t: ', '.join(v.name for v, g in {PAIRS} if g is None)",
            f"lambda tape, t: sum(g is None for v, g in {PAIRS})",
            "lambda tape, t: [v.name for v in tape.watched_variables() if v.name[0] in 'ls']",
        ],
        [
            f"lambda tape, t: {{v.name for v, g in {PAIRS} if g is None}}",
            f"lambda tape, t: tuple(v.name for v, g in reversed([*{PAIRS}]) if g is None)",
            f"lambda tape, t: {{v.name: g for v, g in {PAIRS} if g is None}}.keys()",
            f"lambda tape, t: np.array([v.name for v, g in {PAIRS} if g is None])",
            "lambda tape, t: [v.name for v in tape.watched_variables() if tape.explain(t, v).meaning == 'independent']",
        ],
    ),
    "04.3": (
        [
            chain("s * nudged(end, m)"),
            chain("s * s * grad(end, mg.constant(float(m)))"),
            chain("grad(end, mg.constant(float(m)))"),
            chain("s + grad(end, mg.constant(float(m)))"),
            chain("s"),
            chain("end(m)"),
            chain("s * (end(m + 0.01) - end(m)) / 0.01"),
            chain("", "a.gradient(ys, v)"),
            chain("", "[a.gradient(y, v) for y in ys][::-1]"),
            chain("", "[a.gradient(y, v) for y in ys[:-1]]"),
        ],
        [
            chain("s * grad(end, mg.constant(float(m)))"),
            chain("float(s) * float(grad(end, mg.constant(float(m))))"),
            chain("", "tuple(a.gradient(y, v) for y in ys)"),
            chain("", "[float(a.gradient(y, v)) for y in ys]"),
            chain("", "[a.gradient(y, m, output_gradients=s) for y in ys]"),
        ],
    ),
    "05.5": (
        [
            table("not np.allclose(w.sum(0), own.transpose(1, 0, 2))"),
            table("not np.allclose(w.sum(2), own)"),
            table("any(np.any(w[i, :, j] > 0) PAIRS)"),
            table("any(np.any(w[i, :, j] < 0) PAIRS)"),
            table("any(np.any(w[i, :, j]) PAIRS and abs(i - j) == 1)"),
            table("any(np.any(w[i, :, j]) PAIRS and i > j)"),
            table("any(np.any(w[i, 0, j]) PAIRS)"),
            table("any(abs(w[i, :, j].sum()) > 1e-6 PAIRS)"),
            table("abs(sum(w[i, :, j].sum() PAIRS)) > 1e-6"),
            "lambda f, x: any(not np.allclose(f(x + mg.constant([[float(j != i)] for j in range(3)]))[i], f(x)[i]) for i in range(3))",
        ],
        [
            "lambda f, x: any(not np.allclose(f(x + mg.reshape(mg.one_hot(2 * j + k, 6), (3, 2)))[i], f(x)[i]) "
            "for i in range(3) for j in range(3) if i != j for k in range(2))",
            table("np.any([w[i, :, j] PAIRS])"),
            table("mg.reduce_any([bool(np.any(w[i, :, j])) PAIRS])"),
            table("np.count_nonzero(w) > np.count_nonzero(own)"),
            table("abs(w).sum() - abs(own).sum() > 1e-6"),
        ],
    ),
    "06.4": (
        [
            "lambda x, g, b, a, k: b + (a - b) * mg.sigmoid(k * x - g)",
            "lambda x, g, b, a, k: b * (1.0 - mg.sigmoid(k * (x - g)).numpy()) + a * mg.sigmoid(k * (x - g))",
            "lambda x, g, b, a, k: min(a, b) + abs(a - b) * mg.sigmoid(k * (x - g))",
            "lambda x, g, b, a, k: b + (a - b) * mg.sigmoid(k) * (x - g)",
            "lambda x, g, b, a, k: b + (a - b) * mg.stop_gradient(mg.sigmoid(k * (x - g)))",
            "lambda x, g, b, a, k: b + (a - b) * (0.5 + mg.math.atan(k * (x - g)) / math.pi)",
            "lambda x, g, b, a, k: b + (a - b) * (0.5 + 0.5 * mg.tanh(k * (x - g)))",
            "lambda x, g, b, a, k: b + (a - b) * mg.sigmoid(k * abs(x - g))",
            "lambda x, g, b, a, k: (b + (a - b) * mg.sigmoid(k * (x - g)), g)",
            "lambda x, g, b, a, k: mg.where(x > g, b + (a - b) * mg.sigmoid(k * (x - g)), b)",
        ],
        [
            "lambda x, g, b, a, k: b * (1.0 - mg.sigmoid(k * (x - g))) + a * mg.sigmoid(k * (x - g))",
            "lambda x, g, b, a, k: b + (a - b) / (1.0 + mg.exp(-k * (x - g)))",
            "lambda x, g, b, a, k: a + (b - a) * mg.sigmoid(k * (g - x))",
            "lambda x, g, b, a, k: mg.reduce_sum(mg.nn.softmax(mg.stack([k * (x - g), 0.0 * g])) * mg.constant([a, b]))",
            "lambda x, g, b, a, k: mg.reshape(b + (a - b) * mg.sigmoid(k * x - k * g), ())",
        ],
    ),
    "07.8": (
        [
            zeroed("mg.zeros_like(v) if g is None and all(v is not w for w in tape.watched_variables()) else g"),
            zeroed("mg.zeros_like(v) if g is None and tape.explain(t, v).meaning in ('independent', 'undefined') else g"),
            zeroed("mg.zeros_like(v) if g is None and tape.explain(t, v).meaning in ('independent', 'broken') else g"),
            zeroed("0.0 if g is None and tape.explain(t, v).meaning == 'independent' else g"),
            zeroed("mg.ones_like(v) if g is None and tape.explain(t, v).meaning == 'independent' else g"),
            zeroed("mg.zeros_like(v) if tape.explain(t, v).status == 'none' else g"),
            zeroed("None if tape.explain(t, v).meaning == 'independent' else mg.zeros_like(v) if g is None else g"),
            zeroed("g if g is not None else 'None'"),
            "lambda tape, t, s: {v.name: g for v, g in zip(s, tape.gradient(t, s))}",
            "lambda tape, t, s: [g for g in tape.gradient(t, s) if g is not None]",
        ],
        [
            zeroed("v - v if g is None and tape.explain(t, v).meaning == 'independent' else g"),
            zeroed("np.zeros(v.shape) if g is None and tape.explain(t, v).meaning == 'independent' else g"),
            zeroed("mg.zeros(v.shape) if tape.explain(t, v).meaning == 'independent' else g"),
            zeroed("mg.zeros_like(v) if g is None and 'UNUSED' in tape.explain(t, v).codes else g"),
            "lambda tape, t, s: tuple(mg.zeros_like(v) if tape.explain(t, v).meaning == 'independent' else g for v, g in zip(s, tape.gradient(t, s)))",
        ],
    ),
    "09.5": (
        [
            paused("best()", "best := min(ls, key=lambda l: abs(float(l())))"),
            paused("value", "value := min((l() for l in ls), key=float)"),
            paused("[l() for l in ls][v.index(min(v))]"),
            paused("mg.constant(min(v))"),
            paused("ls[v.index(sorted(v)[1])]()"),
            paused("ls[v.index(min(v))]()", "v := [float(l()) ** 2 for l in ls]"),
            paused("sum(l() * float(k == v.index(min(v))) for k, l in enumerate(ls))"),
            paused("2.0 * ls[v.index(min(v))]()"),
            "lambda tape, ls: ls[0]()",
            "lambda tape, ls: functools.reduce(mg.minimum, [l() for l in ls])",
        ],
        [
            paused("ls[int(np.argmin(v))]()", "v := [l().numpy() for l in ls]"),
            paused("ls[int(mg.argmin(mg.stack(v)))]()", "v := [l() for l in ls]"),
            paused("best()", "best := sorted(ls, key=lambda l: float(l()))[0]"),
            paused("v[min(v)]()", "v := {float(l()): l for l in ls}"),
            paused("ls.pop(v.index(min(v)))()"),
        ],
    ),
    "11.3": (
        [
            dead("np.sum(h.mean(0) < 0.01)"),
            dead("np.sum(np.round(h, 2).sum(0) == 0)"),
            dead("np.sum((h[0] == 0) & (h[-1] == 0))"),
            dead("np.sum(z.sum(0) <= 0)"),
            dead("np.sum(z.max(0) < 0)"),
            dead("np.sum(z.min(0) <= 0)"),
            dead("np.sum(h.any(0))"),
            dead("np.mean(~h.any(0))"),
            dead("np.sum(w.numpy().sum(0) + b.numpy() <= 0)"),
            dead("np.sum(x.numpy().mean(0) @ w.numpy() + b.numpy() <= 0)"),
        ],
        [
            dead("w.shape[1] - np.count_nonzero(h.any(0))"),
            dead("np.sum(grad(lambda c: mg.reduce_sum(mg.nn.relu(x @ w + c)), b).numpy() == 0)"),
            dead("mg.reduce_sum(mg.cast(mg.reduce_max(mg.constant(h), 0) == 0.0, mg.float32))"),
            dead("len([c for c in z.T if not any(v > 0 for v in c)])"),
            dead("mg.math.count_nonzero(h.sum(0) == 0.0)"),
        ],
    ),
    "13.5": (
        [
            back(sent="dict(zip(i, v(d[o]))).items()"),
            back(sent="zip(set(i), v(d[o]))"),
            back(sent="zip(i, v(1.0))"),
            back(ask="d.get(o)"),
            back(ask="o in d and target == steps[-1][0]"),
            back(result="d.get(source, 0.0)"),
            back(result="d.get('x')"),
            back(result="d.get(steps[0][1][0])"),
            back(result="d.get(source) if source != target else None"),
            back(steps="steps"),
        ],
        [
            back(steps="steps[::-1]"),
            back(steps="[steps.pop() for _ in list(steps)]"),
            back(steps="doing(steps.reverse(), steps)"),
            back(ask="o in d and o != source"),
            back(result="d[source] if source in d else None"),
        ],
    ),
    "16.6": (
        [
            bad("np.any(g != g)"),
            bad("not np.isfinite(np.ravel(g)[0])"),
            bad("not np.isfinite(np.max(g))"),
            bad("not np.isfinite(np.min(g))"),
            bad("not np.any(g)"),
            bad("not np.any(np.isfinite(g))"),
            bad("np.any(np.isinf(g))"),
            "lambda names, s: [k for k, g in enumerate(s) if g is None or not np.all(np.isfinite(g))]",
            "lambda names, s: [g is None or not np.all(np.isfinite(g)) for g in s]",
            "lambda names, s: names if any(g is None for g in s) else []",
        ],
        [
            bad("not mg.reduce_all(g - g == 0.0)"),
            bad("not g.numpy().ravel().tolist() == [v for v in g.numpy().ravel() if math.isfinite(v)]"),
            bad("not all(map(math.isfinite, np.ravel(g)))"),
            "lambda names, s: np.array(names)[[g is None or not np.all(np.isfinite(g)) for g in s]]",
            "lambda names, s: {n: g for n, g in zip(names, s) if g is None or not np.all(np.isfinite(g))}.keys()",
        ],
    ),
    "16.2": (
        [
            guarded("mg.where(no, 0.0, (a - m) ** 2)"),
            guarded("(a - full) ** 2"),
            guarded("mg.where(no, 0.0, abs(a - full))"),
            guarded("mg.stop_gradient(mg.where(no, 0.0, (a - full) ** 2))"),
            guarded("mg.math.multiply_no_nan((a - m) ** 2, mg.cast(~no, m.dtype))"),
            guarded("mg.where(full == 0.0, 0.0, (a - full) ** 2)"),
            guarded("0.5 * mg.where(no, 0.0, (a - full) ** 2)"),
            guarded("mg.where(no, 0.0, (a - full) * mg.stop_gradient(a - full))"),
            guarded("a.shape[0] / 3.0 * mg.where(no, 0.0, (a - full) ** 2)"),
            guarded("mg.where(no, 0.0, (a - full) ** 2)") + " ** 0.5",
        ],
        [
            guarded("mg.where(no, 0.0, a - full) ** 2"),
            guarded("(mg.where(no, 0.0, a) - full) ** 2"),
            guarded("mg.square(a - full) * mg.cast(mg.math.is_finite(m), m.dtype)"),
            guarded("mg.concat([mg.boolean_mask(a - m, ~no) ** 2, mg.zeros(np.sum(no))], 0)"),
            guarded("mg.maximum(mg.where(no, 0.0, a - full) ** 2, 0.0)"),
        ],
    ),
}
for exercise, (wrong, right) in AGAIN.items():
    assert (len(wrong), len(right)) == (10, 5)
    WRONG[exercise], RIGHT[exercise] = [*WRONG[exercise], *wrong], [*RIGHT[exercise], *right]

# ---- a third attack, by the texts of the tasks alone: what other numbers, names and spellings have told --------------

FURTHER = {
    "00.3": (
        ['{"A": 12, "B": "(2, 3)", "C": None, "D": "error", "E": None, "F": 3}'],
        ['{"A": "12", "B": "(3, 2)", "C": "none", "D": "an error", "E": "None", "F": "3.0"}'],
    ),
    "01.3": (["lambda f, x: grad(f, mg.Variable(float(round(x))))"], ["lambda f, x: (lambda v: slopes(lambda: f(v), v))(mg.Variable(x))"]),
    "01.4": (
        ["lambda f, x, truth, nudges: min(nudges, key=lambda h: abs(float(f(mg.constant(x)) - f(mg.constant(x - h))) / h - truth))"],
        ["lambda f, x, truth, nudges: min(nudges, key=lambda h: (float(f(mg.constant(x + h)) - f(mg.constant(x))) / h - truth) ** 2)"],
    ),
    "02.3": (
        ['{"loss by w": "(4, 3)", "loss by b": "(3)", "y by x": "(1, 4)"}'],
        ['{"loss by w": "(4, 3)", "loss by b": "(3,)", "y by x": "[1, 4]"}'],
    ),
    "02.4": (
        ["lambda tape, t, vs: dict(zip(sorted(v.name for v in vs), tape.gradient(t, vs)))"],
        ["lambda tape, t, vs: tape.gradient(t, {v.name: v for v in vs})"],
    ),
    "02.exit": (['{"2": 3, "3": "stream"}'], ['{"2": 3, "3": "upstream number"}']),
    "03.2": (
        [
            "lambda f, ns: [grad(f, mg.constant(float(int(n)))) for n in ns]",
            "lambda f, ns: [str(float(grad(f, mg.constant(n)))) for n in ns]",
        ],
        ["lambda f, ns: tuple(map(lambda n: grad(f, mg.constant(n)), ns))"],
    ),
    "04.4": (
        ['{"A": "once", "B": "not persistent", "C": "once", "D": "once", "E": "once"}'],
        ['{"A": "Once", "B": " Persistent", "C": "once", "D": "once", "E": "ONCE "}'],
    ),
    "04.exit": (['{"2": 40, "3": "del"}', '{"2": 40, "3": "tape = None"}'], ['{"2": "40", "3": "`del tape`"}']),
    "05.4": (
        ['{"y (4,) by x (3,)": "(3, 4)", "loss () by w (3, 2)": "(3, 2)", "h (2, 5) by w (3, 2)": "(2, 5, 3, 2)"}'],
        ['{"y (4,) by x (3,)": "(4, 3)", "loss () by w (3, 2)": "(3, 2)", "h (2, 5) by w (3, 2)": "(2, 5, 3, 2)"}'],
    ),
    "06.3": (
        ['{"p": 30, "q": 20, "r": "0", "s": "None", "t": None}'],
        ['{"p": mg.constant(30.0), "q": "20", "r": "None", "s": "none", "t": None}'],
    ),
    "08.2": (
        ["lambda f, x, h=0.01: abs((f(mg.constant(x + h)) - f(mg.constant(x - h))) / (2 * h))"],
        ["lambda f, x, h=0.01: mg.divide(mg.subtract(f(mg.constant(x + h)), f(mg.constant(x - h))), h + h)"],
    ),
    "08.5": (["mg.math.reciprocal_no_nan"], ["lambda z: mg.where(z > 0.0, 1.0 / mg.where(z > 0.0, z, 0.0), 0.0)"]),
    "09.4": (["lambda b, p: mg.abs(b - mg.stop_gradient(p))"], ["lambda b, p: (b - float(p)) ** 2"]),
    "13.4": (["lambda dy, x, y: dy @ y.T"], ["lambda dy, x, y: [(y @ dy.T).T, (dy.T @ x).T]"]),
    "14.5": (
        ['{"code": "UNWATCHED", "line": "y = 2.0 * x + 3.0", "fixed": lambda f, x: grad(f, mg.abs(x))}'],
        ['{"code": "unwatched", "line": "2.0 * x + 3.0", "fixed": lambda f, x: (lambda v: slopes(lambda: f(v), v))(mg.Variable(x))}'],
    ),
    "15.4": (
        ["dict(derrors=1, db2=0, dW2=0, dh=1, d=1, db1=1, dW1=0)"],
        ['dict(derrors=np.True_, db2="False", dW2=False, dh=True, d=True, db1=True, dW1=False)'],
    ),
}
for exercise, (wrong, right) in FURTHER.items():
    WRONG[exercise], RIGHT[exercise] = [*WRONG[exercise], *wrong], [*RIGHT[exercise], *right]


def known(exercise):
    """The numbers and words that a card knows as mistakes."""
    wrong = [reply.wrong for reply in exercise.replies]
    return [text.removeprefix("answer = ") for text in wrong if text.startswith("answer = ")]


def store():
    """Ask for the replies to the wrong answers, and store them."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "course"))
    from helpers import card

    stored = Path(__file__).parent / "course_replies.json"
    before = json.loads(stored.read_text("utf-8")) if stored.exists() else {}
    replies = {}
    for exercise, answers in WRONG.items():
        one = card.find(exercise)
        replies[exercise] = {answer: one.judge(eval(answer, SPACE)).removeprefix("not yet") for answer in [*answers, *known(one)]}
        if replies[exercise] != before.get(exercise):
            print(f"{exercise} differs")
    stored.write_text(json.dumps(replies, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    store()
