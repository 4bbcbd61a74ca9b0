"""How cost grows: time and memory against the number of ops and against the size of the arrays; and the cost of watching.

python -m tests.benchmarks.curves [--most 1000000] [--out benchmarks]
"""

import argparse
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np

import minigrad as mg


def chain(x, ops):
    """A tape on which so many ops are written, and its result."""
    with mg.GradientTape() as tape:
        y = x
        for _ in range(ops // 2):
            y = mg.sin(y * 1.01)
    return tape, y


def in_turn(*actions, seconds=0.3):
    """The processor times of a few runs of each action, in turn: a slower moment of the machine meets them all."""
    rows, end = [], time.perf_counter() + seconds
    while not rows or time.perf_counter() < end:
        rows.append([spent(action) for action in actions])
    return zip(*rows)


def spent(action):
    start = time.process_time()
    action()
    return time.process_time() - start


def least(action, seconds=0.3):
    """The least processor time of a few runs."""
    (times,) = in_turn(action, seconds=seconds)
    return min(times)


def there_and_back(x, ops):
    tape, y = chain(x, ops)
    return tape.gradient(y, x)


def kept(x, ops):
    """The bytes that the tape holds before the backward pass."""
    tracemalloc.start()
    tape, _ = chain(x, ops)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size if tape.steps else 0


def by_ops(most):
    """(ops, seconds, bytes) for chains of scalars."""
    x, counts = mg.Variable(0.7), [10**k for k in range(2, 8) if 10**k <= most]
    return [(n, least(lambda n=n: there_and_back(x, n)), kept(x, n)) for n in counts]


def by_size(most):
    """(elements, seconds, bytes) for a chain of 10 ops."""
    sizes = [10**k for k in range(8) if 10**k <= 10 * most]
    variables = [(n, mg.Variable(np.linspace(0, 1, n, dtype=np.float32))) for n in sizes]
    return [(n, least(lambda x=x: there_and_back(x, 10)), kept(x, 10)) for n, x in variables]


def traced(x, ops):
    with mg.trace() as log:
        there_and_back(x, ops)
    return log


def watching():
    """What a trace and an inspector cost: [(what, least seconds, how many times the work alone)]."""
    rows = []
    for shape, ops in (((), 10_000), ((10,), 10_000), ((32, 64), 10_000), ((256, 256), 1000)):
        x = mg.Variable(np.full(shape, 0.7, np.float32))
        plain, more = map(min, in_turn(lambda: there_and_back(x, ops), lambda: traced(x, ops), seconds=8))
        rows += [(f"{ops:,} ops on arrays of shape {shape} and back", plain, 1), ("the same, traced", more, more / plain)]
    from minigrad.inspector import inspect

    log = traced(mg.Variable(0.7), 10_000)
    film = least(lambda: inspect(log), seconds=3)
    return [*rows, ("the inspector's film of 10,000 ops on numbers", film, film / rows[0][1])]


def slope(rows, column):
    """How the last figures grow: 1 where ten times as much costs ten times as much."""
    (n, *before), (m, *after) = rows[-2:]
    return np.log(after[column] / before[column]) / np.log(m / n)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.curves", description=__doc__)
    parser.add_argument("--most", type=int, default=10**6, help="the longest chain; arrays grow to ten times as many elements")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"), help="folder for curves.md and curves.png")
    options = parser.parse_args()
    found = {"ops": by_ops(options.most), "elements": by_size(options.most)}
    lines = []
    for what, rows in found.items():
        lines += [f"| {what} | time | kept by the tape |", "|---|---|---|"]
        lines += [f"| {n:,} | {seconds * 1e6:,.0f} us | {size / 1000:,.0f} kB |" for n, seconds, size in rows]
        lines += ["", f"Exponent at the end: time {slope(rows, 0):.2f}, memory {slope(rows, 1):.2f} (1 is linear).", ""]
    lines += ["| watching | time | times |", "|---|---|---|"]
    lines += [f"| {what} | {seconds * 1e3:,.0f} ms | {times:.2f} |" for what, seconds, times in watching()]
    print(text := "\n".join(lines))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "curves.md").write_text(text + "\n")
    draw(found, options.out / "curves.png")


def draw(found, file):
    """Both figures against both, on logarithmic axes, with a line of slope 1."""
    try:
        import matplotlib
    except ImportError:
        return print("matplotlib is not installed: no picture", file=sys.stderr)
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 2, figsize=(9, 6), layout="constrained", sharex="col")
    for column, (what, rows) in zip(panels.T, found.items()):
        counts, *figures = map(np.array, zip(*rows))
        for axes, y, label in zip(column, figures, ("seconds, forward and back", "bytes kept by the tape")):
            axes.loglog(counts, y, "o-")
            axes.loglog(counts, y[-1] * counts / counts[-1], ":", color="gray", label="linear")
            axes.set(ylabel=label)
            axes.grid(alpha=0.3)
            axes.legend()
        column[-1].set(xlabel=what)
    figure.savefig(file, dpi=150)
    return plt.close(figure)


if __name__ == "__main__":
    main()
