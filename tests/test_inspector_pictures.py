"""Films of every kind, as they were looked at: for each the picture, the table and the view model are stored in `tests/pictures`.

After a change of what films look like, `MINIGRAD_SECONDS=30 python tests/test_inspector_pictures.py` stores them anew, and says which differ:
look at those. (The pictures open in a browser.)
"""

import json
import linecache
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg

STORED = Path(__file__).parent / "pictures"
FILMS = {
    "loop": """
x = mg.Variable(0.5, name="x")
with mg.GradientTape() as tape:
    y = x
    for i in range(9):
        y = mg.sin(y)
        y = y * 1.25 - 0.5
g = tape.gradient(y, x)
""",
    "vanishing": """
weights = [mg.Variable([0.5, -0.5 - 0.125 * (k % 3)], name=f"w{k}") for k in range(12)]
with mg.GradientTape() as tape:
    h = mg.constant([1.0, 2.0])
    for w in weights:
        h = mg.tanh(h * w)
    loss = mg.reduce_sum(h)
g = tape.gradient(loss, weights)
""",
    "layers": """
model = mg.keras.Sequential([mg.keras.layers.Dense(2 + k % 2, "sigmoid", kernel_initializer="ones", name=f"number_{k}_of_many") for k in range(13)])
x = mg.constant([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]])
with mg.GradientTape() as tape:
    loss = mg.reduce_mean(model(x) ** 2)
g = tape.gradient(loss, model.trainable_variables)
""",
    "powers": """
x, n = mg.Variable([0.5, 1.5], name="x"), mg.Variable(2.0, name="n")
with mg.GradientTape() as tape:
    a = x**2 + x**3.0 - x**0.5 + x**2.123456 + x**n + 2.0**x
    b = 3.0 * x + x * 3.0 - (1.0 - x) - (x - 1.0) + 4.0 / x + x / 4.0 + (x + 0.123456) + (7.0 + x)
    y = mg.reduce_sum((a * b)[None] @ mg.constant([[1.0], [0.5]]))
g = tape.gradient(y, [x, n])
""",
    "built": """
def halves(shape, dtype):
    return mg.ones(shape, dtype) * 0.5 + 0.0

model = mg.keras.Sequential([mg.keras.layers.Dense(2, "relu", kernel_initializer=halves, name="first"), mg.keras.layers.Dense(1, kernel_initializer="ones", name="last")], name="both")
with mg.GradientTape() as tape:
    loss = mg.reduce_mean((model(mg.constant([[0.5, -1.0], [2.0, 1.0]])) - 1.0) ** 2)
g = tape.gradient(loss, model.trainable_variables)
""",
    "far": """
x = mg.Variable(1.0, name="x")
with mg.GradientTape() as tape:
    y = x
    for _ in range(11):
        y = y * 2.0
        y = y - 0.5
g = tape.gradient(y, x)
""",
    "asked": """
w, b, n = mg.Variable([1.0, 2.0], name="w"), mg.Variable(0.5, name="b"), mg.Variable(3, name="n")
with mg.GradientTape(persistent=True) as tape:
    y = w * w + b
    z = mg.reduce_sum(y * mg.cast(n, mg.float32))
first = tape.gradient(y, w)
w.assign_sub(0.25 * first)
second = tape.gradient(z, [w, b, n])
rows = tape.jacobian(y, w)
""",
    "decided": """
@mg.custom_gradient
def clipped(x):
    return x * 1.0, lambda dy: mg.minimum(dy, 0.5)

x, c = mg.Variable([1.0, -2.0, 0.0], name="x"), mg.constant([1.0, 2.0, 3.0])
with mg.GradientTape() as tape:
    tape.watch(c)
    kept = mg.where(x > 0.0, mg.sqrt(mg.abs(x)), x * c)
    steps = mg.cast(x, mg.int32)
    fixed = mg.stop_gradient(x) * clipped(x) + mg.gather(c, [2, 0, 0])
    low, high = mg.split(kept + fixed, [1, 2])
    total = mg.reduce_sum(high) + low[0] + mg.reduce_max(c)
    if total > 1.0:
        total = total / float(x[0])
g = tape.gradient(total, [x, c])
""",
    "watched": """
c = mg.constant(3.0)
with mg.GradientTape() as tape:
    y = c * c
    tape.watch(c)
g = tape.gradient(y, c)
""",
    "infinite": """
x = mg.Variable([0.0, 1.0, -1.0], name="x")
with mg.GradientTape() as tape:
    root = mg.sqrt(x * x)
    y = mg.math.log(x + 1.0) + root
    loss = mg.reduce_mean(y)
g = tape.gradient(loss, x)
""",
    "calls": """
def block(x, k):
    y = x * x + k
    return mg.sqrt(y * 0.5)

x = mg.Variable([1.0, 2.0, 3.0], name="x")
with mg.GradientTape() as tape:
    h = block(x, 1.0)
    h = block(h, 2.0) + block(h, 3.0) * 0.5
    h = block(h, 4.0) / block(h, 5.0)
    y = mg.reduce_sum(block(h, 6.0) + x)
g = tape.gradient(y, x)
""",
    "wide": """
x = mg.Variable([1.0, -2.0], name="x")
with mg.GradientTape() as tape:
    parts = [x * 1.0, x + 2.0, x - 3.0, x / 4.0, x ** 2, mg.exp(x), mg.sin(x)]
    y = mg.add_n(parts)
    z = y + mg.concat([parts[k][:1] for k in (3, 5)], 0)
g = tape.gradient(z, x)
""",
    "arrays": """
a = mg.Variable([[1.0, -2.0, 0.0, 4.0, -0.5], [0.0, 0.0, 3.0, -4.0, 0.1], [2.5, 1.0, -1.0, 0.0, 0.0]], name="a")
b = mg.constant([[1.0, float("inf")], [float("nan"), -1.0], [0.0, 2.0], [1.0, 1.0], [0.5, -0.5]])
line = mg.constant([float(k % 7 - 3) for k in range(20)])
wide = mg.constant([[float((r * 7 + c * 3) % 11 - 5) for c in range(40)] for r in range(30)])
with mg.GradientTape() as tape:
    c = a @ b
    d = mg.reduce_sum(a, 1, keepdims=True) * line
    rows = mg.reduce_sum(a) * wide
    few = a[:2, :2] * 100.0
    y = mg.reduce_sum(c) + mg.reduce_sum(d) + mg.reduce_sum(rows) + mg.reduce_sum(few) + mg.reduce_max(mg.nn.relu(a[0] * -1.0))
g = tape.gradient(y, a)
""",
    "stops": """
v = mg.Variable(2.0, name="v")
w = mg.Variable(3.0, name="w", trainable=False)
c = mg.constant(5.0)
with mg.GradientTape(persistent=True) as tape:
    a = mg.stop_gradient(v * v) * v
    w.assign_add(a)
    with tape.stop_recording():
        size = mg.abs(a)
    tape.watch(c)
    y = a * w + c * float(v)
    n = mg.cast(mg.round(a), mg.int32)
first = tape.gradient(a, v)
second = tape.gradient(y, [v, c], output_gradients=mg.constant(2.0))
""",
    "crash": """
price = mg.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name="price & <cost>")
half = mg.constant([0.5, 0.25])
try:
    with mg.GradientTape() as tape:
        total_of_all_the_prices_of_the_week = mg.reduce_sum(price * 1234.5)
        値段 = total_of_all_the_prices_of_the_week * half
        y = price @ half
except mg.errors.InvalidArgumentError:
    pass
""",
    "notes": """
zeros = mg.Variable([0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, -2.0], name="zeros")
odd = mg.constant([[0.5, float("nan"), float("inf")], [float("-inf"), float("nan"), -1.0]])
with mg.GradientTape() as tape:
    y = mg.reduce_sum(zeros * 0.0) + odd
g = tape.gradient(y, zeros)
""",
    "words": """
the_first_of_all_prices_that_were_written_down = mg.Variable(2.0)
the_second_of_all_prices_that_were_written_down = mg.Variable([0.5, 0.25], name="値段" * 12)
with mg.GradientTape() as tape:
    the_sum_of_what_was_written_down = mg.reduce_sum(the_second_of_all_prices_that_were_written_down) * 1e-12
    the_value_that_leaves_and_does_not_come_back = float(the_sum_of_what_was_written_down) * 3e12
    部分 = the_first_of_all_prices_that_were_written_down * the_value_that_leaves_and_does_not_come_back
    y_of_all_prices_that_there_are = 部分 * 1e9 + mg.sqrt(the_sum_of_what_was_written_down * 0.0)
g = tape.gradient(y_of_all_prices_that_there_are, [the_first_of_all_prices_that_were_written_down, the_second_of_all_prices_that_were_written_down])
""",
    "sentence": """
値段_prices_of_the_first_week_of_the_year_that_is_over = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
with mg.GradientTape() as tape:
    means_of_all_the_rows_of_the_table = np.mean(値段_prices_of_the_first_week_of_the_year_that_is_over.numpy() ** 2, axis=0)
    y = mg.reduce_sum(値段_prices_of_the_first_week_of_the_year_that_is_over * means_of_all_the_rows_of_the_table)
g = tape.gradient(y, 値段_prices_of_the_first_week_of_the_year_that_is_over)
""",
    "crowd": """
many = [mg.Variable(float(k), name=f"v{k}") for k in range(27)]
with mg.GradientTape() as tape:
    y = mg.add_n(many[:20])
    z = mg.add_n(many[15:]) * y
g = tape.gradient(z, many)
""",
    "empty": """
x = mg.Variable(2.0, name="x")
with mg.GradientTape() as tape:
    pass
""",
    "unheard": """
x = mg.Variable([1.0, 2.0], name="x")
table = mg.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="table")
with mg.GradientTape(persistent=True) as tape:
    row = mg.gather(table, [2, 0, 2])
    y = mg.reduce_sum(row * x) + mg.reduce_max(x) * 3.0
g = tape.gradient(y, [x, table])
h = tape.gradient(y, x)
""",
    "compared": """
x = mg.Variable([1.0, 4.0], name="x")
with mg.GradientTape() as lost:
    root = np.sqrt(x)
    y = mg.reduce_sum(root * 2.0)
a = lost.gradient(y, x)
with mg.GradientTape() as tape:
    root = mg.sqrt(x)
    more = root + 1.0
    y = mg.reduce_sum(root * 2.0)
b = tape.gradient(y, x)
""",
    "cuts": """
x, z, n = mg.Variable(3.0, name="x"), mg.Variable([2.0, -1.0], name="z"), mg.Variable(0.75, name="n")
with mg.GradientTape() as tape:
    a = x * x.numpy()
    b = mg.reduce_sum(z * np.tanh(z.numpy()))
    c = mg.cast(mg.cast(n * 4.0, mg.int32), mg.float32)
    y = a + b * c + float(n)
g = tape.gradient(y, [x, z, n])
""",
    "many": """
many = [mg.Variable([float(k), 1.0], name=f"v{k}") for k in range(12)]
with mg.GradientTape() as tape:
    y = mg.add_n([mg.math.log(v - 11.0) for v in many[9:]] + many[1:9]) * float(many[3][1])
g = tape.gradient(y, many)
""",
    "state": """
v, w, count = mg.Variable(2.0, name="v"), mg.Variable(1.0, name="w"), mg.Variable(0.0, name="count")
with mg.GradientTape(persistent=True) as tape:
    y = v * v
    w.assign(y)
    v.assign_add(w * 0.5)
    new = mg.Variable(y * 2.0, name="new")
    count.assign_add(1.0)
    count.assign(float(y))
    z = y * w + v * 3.0 + count * new
    w.assign(0.0)
first = tape.gradient(z, [v, w])
v.assign(1.0)
second = tape.gradient(z, [v, count])
""",
    "tapes": """
x, y = mg.Variable(2.0, name="x"), mg.Variable(0.5, name="y")
with mg.GradientTape(persistent=True) as outer:
    a = x * y
    with mg.GradientTape(persistent=True, watch_accessed_variables=False) as inner:
        inner.watch(y)
        b = mg.exp(a) * y
        c = x * 2.0
    d = inner.gradient(b, y)
    with outer.stop_recording():
        e = d * x
    f = d * e + c
g = outer.gradient(f, [x, y])
tape = outer
""",
    "raised": """
x = mg.Variable([2.0, 3.0], name="x")
with mg.GradientTape() as tape:
    y = x * x
    z = y * 3.0 + mg.constant([1, 2], mg.float32)
g = tape.gradient(z, x)
try:
    tape.gradient(y, x)
except RuntimeError:
    pass
""",
    "sparse": """
table, pairs = mg.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], name="table"), mg.Variable([1.0, 2.0, 3.0], name="pairs")
with mg.GradientTape() as tape:
    rows = mg.gather(table, [1, 3, 1])
    y = mg.reduce_sum(rows, 1) * pairs + mg.gather(pairs, [0, 2, 2])
g = tape.gradient(y, [table, pairs])
""",
    "whole": """
w, x, labels = mg.Variable([[1.0, 2.0], [0.5, -1.0]], name="w"), mg.constant([1.0, -1.0]), mg.constant([1, 0])
with mg.GradientTape() as tape:
    h = mg.linalg.matvec(w, x, transpose_a=True)
    p = mg.nn.softmax(w * h, 0)
    q = mg.reduce_logsumexp(p, 1, keepdims=True) - mg.math.cumsum(p, exclusive=True)
    loss = mg.reduce_mean(mg.nn.sparse_softmax_cross_entropy_with_logits(labels, q @ w) + mg.nn.softmax_cross_entropy_with_logits(mg.one_hot(labels, 2), p))
g = tape.gradient(loss, w)
""",
    "kinds": """
z = mg.Variable([3 + 4j, -1j, 0j, 2, 1 + 1e-9j, 5], dtype=mg.complex128, name="z")
small, words, flags, none = mg.constant(1 - 2j), mg.constant(["a", "值"]), mg.constant([[True, False]] * 4), mg.zeros((0, 2))
with mg.GradientTape() as tape:
    s = mg.abs(z) ** 2 * mg.cast(mg.shape(z)[0], mg.float64)
    t = mg.cast(mg.math.real(z * mg.cast(small, mg.complex128)), mg.float16)
    u = mg.reduce_sum(mg.cast(flags, mg.float32)) + mg.reduce_sum(none) + mg.cast(mg.size(words), mg.float32)
    y = mg.reduce_sum(mg.cast(s, mg.float32) * u + mg.cast(t, mg.float32)) + mg.cast(mg.reduce_sum(mg.range(9)), mg.float32)
g = tape.gradient(y, z)
""",
    "inner": """
x = mg.Variable([0.75, -0.5], name="x")
with mg.GradientTape() as tape:
    y = x * 3.0
    for i in range(3):
        y = y * 0.25
        for k in range(12):
            y = mg.sin(y)
            y = y + 0.125
    z = mg.reduce_sum(y)
g = tape.gradient(z, x)
""",
    "long": """
x = mg.Variable(1.0, name="x")
with mg.GradientTape() as tape:
    y = x * 0.5
    for i in range(401):
        y = y * 1.03125
    z = y - 1.0
g = tape.gradient(z, x)
""",
    "heard": """
x = mg.Variable([1.0, 2.0], name="x")
mg.trace(False)
with mg.GradientTape() as tape:
    y = mg.sin(x)
    with mg.trace() as log:
        z = mg.exp(y) * x
        part = mg.cos(mg.constant(1.0))
        x.assign([0.5, 0.25])
        w = mg.round(z) * 2.0
g = tape.gradient(z, x)
""",
    "bare": """
@mg.custom_gradient
def halved(x):
    return x * 0.5, lambda dy: dy * 0.5

w, t = mg.Variable([[1.0, -2.0], [0.5, 4.0]], name="w"), mg.Variable(2.0, name="t")
with mg.GradientTape() as tape:
    h = mg.concat([halved(w) * 3.0, w ** 2, w @ w], 0)
    p = mg.nn.softmax(h) * t + mg.split(w, 2, 1)[1][0]
    loss = mg.reduce_sum(mg.nn.softmax_cross_entropy_with_logits(mg.nn.softmax(h), p)) * 2.0
""",
    "twice": """
x = mg.Variable(0.5, name="x")
with mg.GradientTape(persistent=True) as t2:
    with mg.GradientTape(persistent=True) as t1:
        y = mg.sin(x) * x ** 3
    dy = t1.gradient(y, x)
    again = t1.gradient(y, x, output_gradients=x)
both = dy + again
g = t2.gradient([dy, again], x)
h = t2.jacobian(dy, x)
tape = t2
""",
    "spent": """
x = mg.Variable(2.0, name="x")
with mg.GradientTape() as tape:
    y = x * x
    g = tape.gradient(y, x)
    z = y * g
try:
    tape.gradient(z, x)
except RuntimeError:
    pass
""",
    "often": """
x, w = mg.Variable([1.0, -2.0], name="x"), mg.Variable(0.5, name="w")
with mg.GradientTape(persistent=True) as tape:
    y = x * w
    z = mg.reduce_sum(y * y)
first = tape.gradient(z, x)
second = tape.gradient([y, z], w)
third = tape.gradient(y, [x, w], output_gradients=[2.0, 0.5])
fourth = tape.gradient(z, [y, w])
fifth = tape.gradient(z, x)
sixth = tape.gradient(y, w)
seventh = tape.gradient(y, x)
""",
    "gone": """
x = mg.Variable(2.0, name="x")
with mg.GradientTape() as tape:
    y = x * x
g = tape.gradient(y, x)
del y
""",
    "alone": """
dense = [mg.keras.layers.Dense(2, "tanh", kernel_initializer="ones", name=f"dense_{k}") for k in range(4)]
x, scale = mg.constant([[0.5, -1.0]]), mg.Variable(2.0, name="scale")
with mg.GradientTape() as tape:
    h = x * scale + 1.0
    for layer in dense:
        h = layer(h)
    out = mg.reduce_sum(h * h) / scale
g = tape.gradient(out, [scale, *[layer.kernel for layer in dense], *[layer.bias for layer in dense]])
""",
    "steep": """
x, w = mg.Variable(1.0, name="x"), mg.Variable(3.0, name="w")
with mg.GradientTape() as tape:
    y = x * w
    for k in range(11):
        y = y + w
        y = y * 2.0
g = tape.gradient(y, x)
""",
    "eight": """
v = [mg.Variable(1.0 + k, name=f"v{k}") for k in range(15)]
with mg.GradientTape() as tape:
    y = v[0] * v[1]
    y = mg.add_n([y, *v[2:6]])
    y = y / v[6]
    y = mg.add_n(v[7:12]) - y
    y = mg.exp(y * -0.125)
    y = y + v[12] * mg.sin(v[13])
g = tape.gradient(y, v[:13])
""",
    "listening": """
a, b, c = mg.constant(2.0), mg.constant(3.0), mg.constant([4.0, 5.0])
with mg.GradientTape() as tape:
    tape.watch([a, b])
    y = a * c
    tape.watch(y)
    with tape.stop_recording():
        z = y * b
    tape.watch(c)
    w = y + c
g = tape.gradient(w, [a, c])
""",
    "huge": """
x = mg.Variable([1.5e308, 1.25e308, -1.5e308, 0.5, 1.0, 0.0, 1.5e308], dtype=mg.float64, name="x")
with mg.GradientTape() as tape:
    y = mg.sin(mg.constant(2.0, mg.float64) * x[3:]) * x[:4]
    z = mg.reduce_sum(y * 1e-300)
g = tape.gradient(z, x)
h = mg.reduce_sum(x * x)
""",
    "within": """
x = mg.Variable([1.0, 2.0], name="x")
with mg.GradientTape(persistent=True) as tape:
    y = mg.sin(x)
    with tape.stop_recording():
        size = mg.abs(y)
    z = mg.exp(y) * x
    inside = mg.inspect(tape, z, x)
    assert str(inside).count("kept") == 4, inside
g = tape.gradient(z, x)
""",
    "zero": """
x, w = mg.Variable([1.0, -2.0], name="x"), mg.Variable([3.0, 0.5], name="w")
with mg.GradientTape() as tape:
    with mg.GradientTape() as inner:
        y = x * x
    dx, dw = inner.gradient(y, [x, w], unconnected_gradients="zero")
    z = dx * x + dw
g = tape.gradient(z, x)
""",
    "others": """
many = [mg.constant(float(k)) for k in range(26)]
with mg.GradientTape() as tape:
    tape.watch(many)
    y = mg.add_n(many)
g = tape.gradient(y, many[:2])
""",
    "nothing": """
x = mg.Variable(2.0, name="x")
with mg.GradientTape() as tape:
    y = x * x
g = tape.gradient(y, [])
""",
    "logged": """
with mg.trace() as tape:
    x = mg.sin(mg.constant(1.0))
""",
    "unasked": """
def price(x, share=0.5):
    low = mg.minimum(x * share, 2.0)
    return mg.where(low > 1.0, low, -low) * 2.0 - low / 3.0

amount, share = mg.Variable([1.0, 2.0, 3.0, 8.0], name="amount"), mg.constant(0.75)
with mg.GradientTape() as tape:
    total = mg.reduce_sum(price(amount) + price(amount, share) ** 0.5 - price(amount + share) * 1.5)
    size = mg.shape(total)
""",
    "nested": """
x = mg.Variable(2.0, name="x")
with mg.GradientTape() as outer:
    with mg.GradientTape() as inner:
        y = x ** 3 + mg.constant(1.0)
    slope = inner.gradient(y, x)
second = outer.gradient(slope, x)
tape = outer
""",
}
LINE = "; ".join([f"y = mg.{op}(y)" for op in ("negative", "identity", "abs", "negative", "identity")] * 4)
FILMS["stretch"] = f"""
x = mg.Variable(1.0, name="x")
with mg.GradientTape() as tape:
    y = x * 0.5
{f"    {LINE}{chr(10)}" * 67}
g = tape.gradient(y, x)
"""
FILMS["chosen"] = FILMS["often"]  # of these readings, one
ASKED = {"unheard": "tape, y, [x, table]", "compared": "lost, tape", "chosen": "tape, [y], [w]", "unasked": "tape, total, amount"}


def made(name):
    """The film of a program, made by its last line."""
    source = f"{FILMS[name].strip()}\nfilm = mg.inspect({ASKED.get(name, 'tape')})\n"
    file, space = f"<film {name}>", {"mg": mg, "np": np}
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    mg.trace(name not in ("unheard", "bare", "gone"))
    try:
        exec(compile(source, file, "exec"), space)
    finally:
        mg.trace(False)
    return space["film"]


def as_text(view):
    """A view model as JSON to read: short lists on one line."""
    lines = []
    for key, part in view.items():
        if isinstance(part, dict) and key in ("cols", "wires", "strips", "verdict", "fold", "memory"):
            inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in part.items())
            lines.append(f"{json.dumps(key)}: {{\n{inner}\n}}")
        elif isinstance(part, list) and part and isinstance(part[0], dict):
            inner = ",\n".join(f"  {json.dumps(one)}" for one in part)
            lines.append(f"{json.dumps(key)}: [\n{inner}\n]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(part)}")
    return "{" + ",\n".join(lines) + "}\n"


@pytest.mark.parametrize("name", FILMS)
def test_a_film_has_the_picture_the_table_and_the_view_model_that_are_stored(name):
    film = made(name)
    assert f"{film}\n" == (STORED / f"{name}.txt").read_text("utf-8")
    assert film.to_svg() == (STORED / f"{name}.svg").read_text("utf-8")
    assert json.loads(as_text(film.plain)) == json.loads((STORED / f"{name}.json").read_text("utf-8"))


if __name__ == "__main__":
    for name in FILMS:
        film = made(name)
        for end, text in ((".svg", film.to_svg()), (".txt", f"{film}\n"), (".json", as_text(film.plain))):
            path = STORED / f"{name}{end}"
            if not path.exists() or path.read_text("utf-8") != text:
                path.write_text(text, "utf-8")
                print(f"{path.name} differs")
