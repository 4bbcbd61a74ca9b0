"""What a learner costs a server: `python -m tests.benchmarks.class_cost --learners 20`.

As many JupyterLab servers and kernels as there are learners run at once. Memory is PSS: a page that several processes share
counts for each by its share. Linux only, since that is where the figures come from (/proc).

With --tensorflow PYTHON (one that has TensorFlow and ipykernel) the same lesson also runs on it, with the import swapped.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager

ROOT = Path(__file__).parent.parent.parent
LESSON = ROOT / "course" / "02_the_tape.ipynb"
ONLY_OURS = re.compile(r"mg\.(trace|inspect|test)\b|\.source\b|\.explain\(")
HELPERS = "check = hint = predict = solution = lambda *answer: None"
FIRST = "import {library} as mg\nx = mg.Variable(3.0)\nwith mg.GradientTape() as tape:\n    y = x * x\nprint(tape.gradient(y, x))"


def main():
    options = parsed()
    started = time.monotonic()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; {options.learners} learners; lesson {LESSON.stem}")
    print(server_cost(options.learners))
    for library, python in [("minigrad", sys.executable), *([("tensorflow", options.tensorflow)] if options.tensorflow else [])]:
        print(asyncio.run(kernel_cost(library, python, options.learners)))
    print(f"all this took {time.monotonic() - started:.0f} s")


def parsed():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.class_cost", description=__doc__)
    parser.add_argument("--learners", type=int, default=20)
    parser.add_argument("--tensorflow", metavar="PYTHON", help="an interpreter that has TensorFlow and ipykernel")
    return parser.parse_args()


# ---- servers -------------------------------------------------------------------------------------------------------------


def server_cost(count):
    """One line on servers that nobody has opened a notebook in yet."""
    with tempfile.TemporaryDirectory() as folder:
        servers, waits = [], []
        try:
            for port in range(19000, 19000 + count):
                start = time.monotonic()
                servers.append(server(port, folder))
                wait_for(f"http://127.0.0.1:{port}/api?token=cost")
                waits.append(time.monotonic() - start)
            processes = [one.pid for one in servers]
            used = spread(map(processor_time, processes), "s")
            return f"JupyterLab server: {spread(map(pss, processes), 'MB')}; starts in {spread(waits, 's')}, of processor {used}"
        finally:
            for one in servers:
                one.kill()
                one.wait()


def server(port, folder):
    place = ["--ip=127.0.0.1", f"--port={port}", f"--ServerApp.root_dir={folder}"]
    options = [*place, "--no-browser", "--allow-root", "--IdentityProvider.token=cost"]
    return subprocess.Popen([sys.executable, "-m", "jupyterlab", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(address, seconds=60):
    for _ in range(seconds * 20):
        try:
            return urllib.request.urlopen(address, timeout=2).close()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)
    raise TimeoutError(address)


# ---- kernels -------------------------------------------------------------------------------------------------------------


async def kernel_cost(library, python, count):
    """Lines on the kernels of one library: bare, after a first gradient, and with a lesson run, all at once."""
    kernels, waits, firsts = [], [], []
    try:
        for _ in range(count):
            start = time.monotonic()
            kernels.append(await kernel(python))
            waits.append(time.monotonic() - start)
            await run(kernels[-1][1], FIRST.format(library=library))
            firsts.append(time.monotonic() - start)
        processes = [manager.provisioner.pid for manager, _ in kernels]
        idle, begun = [pss(one) for one in processes], sum(map(processor_time, processes)) / count
        start = time.monotonic()
        await asyncio.gather(*[lesson(client, library) for _, client in kernels])
        took, used = time.monotonic() - start, sum(map(processor_time, processes)) / count - begun
        most = max(map(peak, processes))
        return "\n".join([
            f"{library} kernel: starts in {spread(waits, 's')}; first gradient after {spread(firsts, 's')}",
            f"  after it, idle: {spread(idle, 'MB')}; {begun:.1f} s of processor",
            f"  lesson run: {spread(map(pss, processes), 'MB')}, at most {most:.0f} MB resident; {used:.1f} s of processor",
            f"  all {count} lessons at once: {took:.1f} s",
        ])  # fmt: skip
    finally:
        for manager, client in kernels:
            client.stop_channels()
            await manager.shutdown_kernel(now=True)


async def kernel(python):
    """A kernel of some Python's, as Jupyter starts it, in the folder of the lessons."""
    manager = AsyncKernelManager()
    manager.kernel_spec.argv[0] = python
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MINIGRAD_PROGRESS": os.devnull, "TF_CPP_MIN_LOG_LEVEL": "3"}
    await manager.start_kernel(cwd=str(LESSON.parent), env=env, **quiet)
    client = manager.client()
    client.start_channels()
    await client.wait_for_ready(timeout=120)
    return manager, client


async def lesson(client, library):
    for cell in json.loads(LESSON.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if library != "minigrad":
            source = re.sub(r"^from helpers import .*$", HELPERS, source, flags=re.MULTILINE)
            source = re.sub(r"^import minigrad as mg$", f"import {library} as mg", source, flags=re.MULTILINE)
        if cell["cell_type"] == "code" and (library == "minigrad" or not ONLY_OURS.search(source)):
            await run(client, source)


async def run(client, source):
    reply = await client.execute_interactive(source, timeout=300, output_hook=lambda message: None)
    if reply["content"]["status"] != "ok":
        raise SystemExit(f"{reply['content']['ename']}: {reply['content']['evalue']}\nin\n{source}")


# ---- what the system tells -----------------------------------------------------------------------------------------------


def pss(process):
    """MB, each shared page counted by its share."""
    return number(f"/proc/{process}/smaps_rollup", r"^Pss:\s+(\d+) kB") / 1024


def peak(process):
    """The most MB that ever were resident."""
    return number(f"/proc/{process}/status", r"^VmHWM:\s+(\d+) kB") / 1024


def number(file, pattern):
    return int(re.search(pattern, Path(file).read_text(), re.MULTILINE)[1])


def processor_time(process):
    """Seconds of processor, so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(values, unit):
    """Least and median."""
    values = sorted(values)
    return f"{values[0]:.3g} {unit} least, {statistics.median(values):.3g} {unit} median"


if __name__ == "__main__":
    main()
