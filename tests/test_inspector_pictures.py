"""Films of every kind, as they were looked at: for each the picture, the table and the view model are stored in `tests/pictures`.

After a change of what films look like, `python tests/test_inspector_pictures.py` stores them anew, and says which differ:
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


def made(name):
    """The film of a program, made by its last line."""
    asked = {"unheard": "tape, y, [x, table]", "compared": "lost, tape"}.get(name, "tape")
    source = f"{FILMS[name].strip()}\nfilm = mg.inspect({asked})\n"
    file, space = f"<film {name}>", {"mg": mg, "np": np}
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    mg.trace(name != "unheard")
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
