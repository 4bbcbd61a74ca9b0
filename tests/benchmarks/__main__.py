"""The table: every workload, every library, in turn. It is printed, and written as Markdown and as a picture."""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from . import workloads

OURS = ("hand", "minigrad")  # what runs in the interpreter that runs this
PACKAGES = {"hand": "numpy", "jax_jit": "jax", "torch_compile": "torch", "tensorflow_function": "tensorflow",
            "minigrad_traced": "minigrad", "minigrad_function": "minigrad"}  # fmt: skip  # what W1 imports, if not its own name
COMPILED = "minigrad_function,tensorflow_function,jax_jit,torch_compile"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ALIKE = 2e-3  # float32, summed in different orders, over hundreds of ops
UNCOMPILED = "PYTHONDONTWRITEBYTECODE"  # an import would compile anew each time
PINNED = "OPENBLAS_CORETYPE"  # where it is set, NumPy's products may be half as fast as they could be; others' are not


class Peer:
    """A library, at work in a process of its own."""

    def __init__(self, library, python):
        self.library, self.python, self.package = library, python, PACKAGES.get(library, library)
        self.environment = {**{k: v for k, v in os.environ.items() if k not in (PINNED, UNCOMPILED)}, **ONE_THREAD}
        self.process = None

    def start(self):
        self.process = subprocess.Popen([self.python, "-m", f"{__package__}.worker", self.library], text=True, env=self.environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process = None

    def ask(self, **question):
        """The answer; {} if the library has no such workload or cannot be imported."""
        if self.process is None:
            self.start()
        try:
            print(json.dumps(question), file=self.process.stdin, flush=True)
            answer = json.loads(self.process.stdout.readline() or '{"error": "it ended"}')
        except BrokenPipeError:
            answer = {"error": "it ended"}
        if "error" in answer:
            print(f"{self.library}: {question['workload']}: {answer['error']}", file=sys.stderr)
        return answer

    def can_be_imported(self):
        return not subprocess.run(self.importing(), env=self.environment, capture_output=True, check=False).returncode

    def importing(self):
        peak = "print(*[line for line in open('/proc/self/status') if line.startswith('VmHWM')])"  # wait4 would count ours too
        return [self.python, "-c", f"import {self.package}; {peak}"]

    def import_cost(self):
        """Seconds and peak bytes of a process that imports the library and ends."""
        start = time.perf_counter()
        child = subprocess.run(self.importing(), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        seconds = time.perf_counter() - start
        return seconds, int(child.stdout.split()[-2]) * 1024


def main():
    options = parsed()
    pythons = dict(pair.split("=") for pair in options.python if "=" in pair)
    default = next((one for one in options.python if "=" not in one), sys.executable)
    libraries = ["hand", "minigrad", *options.peers]
    peers = [Peer(one, sys.executable if one.startswith(OURS) else pythons.get(one, default)) for one in libraries]
    peers = [peer for peer in peers if peer.can_be_imported() or print(f"{peer.library}: not installed", file=sys.stderr)]
    print(about := conditions(options, peers), end="\n\n")
    rows = {}
    for name in options.workloads:
        new = measured(name, peers, options)
        rows.update(new)
        print(*[f"{title}: {figures}" for title, figures in new.items()], sep="\n", file=sys.stderr)
    for peer in peers:
        if peer.process:
            peer.stop()
    text = table(rows, [peer.library for peer in peers])
    print(text)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "benchmarks.md").write_text(f"{about}\n\n{text}\n")
    draw(rows, [peer.library for peer in peers], options.out / "benchmarks.png")


def parsed():
    every = ["W1", *workloads.TITLES]
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    names = f"tensorflow,torch,jax,autograd,mygrad,micrograd,minigrad_traced,{COMPILED}"
    parser.add_argument("--peers", type=lambda text: text.split(","), default=[], help=f"some of {names}")
    parser.add_argument("--python", action="append", default=[], help="interpreter of the peers, or of one: torch=/path/to/python")
    parser.add_argument("--workloads", type=lambda text: text.split(","), default=every, help=f"some of {','.join(every)}")
    parser.add_argument("--rounds", type=int, default=7, help="how often each library has its turn")
    parser.add_argument("--seconds", type=float, default=0.2, help="how long a turn is")
    parser.add_argument("--cpu", action="store_true", help="the processor's time, not the clock's: for a machine that has other work")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"), help="folder for benchmarks.md and benchmarks.png")
    return parser.parse_args()


def conditions(options, peers):
    """Where and how it was measured."""
    ask = "import importlib.metadata as m, sys; p = m.packages_distributions(); print(*[f'{n} {m.version(p[n][0])}' for n in sys.argv[1:]])"
    clock = "processor time" if options.cpu else "time by the clock"
    lines = [f"{platform.machine()}, {os.cpu_count()} cores, one thread; {clock}, least of {options.rounds} rounds in turn."]
    pinned = f"was {os.environ[PINNED]!r}, and is unset here" if PINNED in os.environ else "is not set"
    lines += [f"Python {platform.python_version()}; {PINNED} {pinned}."]
    for peer in peers:
        packages = dict.fromkeys(["numpy", *([] if peer.library.startswith(OURS) else [peer.package])])
        found = subprocess.run([peer.python, "-c", ask, *packages], capture_output=True, text=True, check=False).stdout.strip()
        lines += [f"{peer.library}: {found or '?'}"]
    return "\n".join(lines)


def measured(name, peers, options):
    """One or two rows: {what: {library: figure}}."""
    if name == "W1":
        costs = {peer.library: [peer.import_cost() for _ in range(options.rounds)] for peer in peers}
        seconds, size = ({one: min(cost[k] for cost in found) for one, found in costs.items()} for k in (0, 1))
        return {("W1", "import", "s"): seconds, ("W1", "peak memory of importing", "B"): size}
    if name in workloads.MEMORY:
        return {(name, workloads.TITLES[name], "B"): {peer.library: fresh_peak(peer, name) for peer in peers}}
    compare({peer.library: peer.ask(workload=name, task="check").get("numbers") for peer in peers}, name)
    long = name == "W6"
    best = {}
    for _ in range(2 if long else options.rounds):
        for peer in peers:
            answer = peer.ask(workload=name, task="time", seconds=0.0 if long else options.seconds, cpu=options.cpu)
            best[peer.library] = min(best.get(peer.library, math.inf), answer.get("seconds", math.inf))
    return {(name, workloads.TITLES[name], "s"): best}


def fresh_peak(peer, name):
    """The least peak of two processes that do nothing else."""
    found = []
    for _ in range(2):
        if peer.process:
            peer.stop()
        found.append(peer.ask(workload=name, task="peak").get("bytes", math.inf))
    peer.stop()
    return min(found)


def compare(numbers, name):
    """Stop if two libraries did not compute the same."""
    given = {library: one for library, one in numbers.items() if one}
    first, expected = next(iter(given.items()))
    for library, found in given.items():
        close = len(found) == len(expected) and all(math.isclose(a, b, rel_tol=ALIKE, abs_tol=1e-6) for a, b in zip(found, expected))
        if not close:
            raise SystemExit(f"{name}: {library} computed {found[:4]}, but {first} {expected[:4]}")


def shown(figure, unit):
    if figure == math.inf:
        return "-"
    if unit == "B":
        return f"{figure / 2**20:.1f} MB"
    return f"{figure * 1e6:.3g} us" if figure < 1e-3 else f"{figure * 1e3:.3g} ms" if figure < 1 else f"{figure:.3g} s"


def table(rows, libraries):
    """Markdown: each figure, and in brackets how many times that of minigrad it is."""
    lines = [f"| | {' | '.join(libraries)} |", f"|---|{'---|' * len(libraries)}"]
    for (name, title, unit), figures in rows.items():
        ours = figures["minigrad"]
        cells = [
            shown(figures[one], unit) + (f" ({figures[one] / ours:.2f})" if one != "minigrad" and figures[one] < math.inf else "")
            for one in libraries
        ]
        lines += [f"| {name} {title} | {' | '.join(cells)} |"]
    return "\n".join([*lines, "", "In brackets: how many times the figure of minigrad."])


def draw(rows, libraries, file):
    """The same as a picture: minigrad is the line at 1, and what is to the right of it is slower or larger."""
    try:
        import matplotlib
    except ImportError:
        return print("matplotlib is not installed: no picture", file=sys.stderr)
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 1 + 0.4 * len(rows)), layout="constrained")
    labels = [f"{name} {title}" for name, title, _ in rows]
    markers = dict(zip([one for one in libraries if one != "minigrad"], "|osD^vP*X"))
    for library, marker in markers.items():
        points = [(figures[library] / figures["minigrad"], k) for k, figures in enumerate(rows.values()) if figures[library] < math.inf]
        if points:
            axes.plot(*zip(*points), marker, label=library, markersize=9 if marker == "|" else 6)
    axes.axvline(1, color="black", linewidth=1)
    axes.set(xscale="log", yticks=range(len(rows)), yticklabels=labels, xlabel="times minigrad's time or memory")
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=5)
    figure.savefig(file, dpi=150)
    return plt.close(figure)


if __name__ == "__main__":
    main()
