"""A replay leaves nothing behind: no name of the program, no file and no process is different after `tape.explain`.

Every block below ends with `y = x * seen`, where `seen` was a text on its way: only a replay can tell that it came from x.
"""

import os
import subprocess
import sys
import time
import types
import weakref

import pytest
from replaying import run_blocks, run_program

import minigrad as mg
from minigrad.tracing import checkpoint

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or not os.path.exists("/proc"), reason="this system has no fork, or no /proc")

REPLAYED = {  # what a block may use and change, as its replays do: what comes before it, and the block
    "a plain block": ("", ""),
    "random": ("", "seen += random.random() + np.random.rand()"),
    "a Generator of NumPy": ("generator = np.random.default_rng(1)", "seen += generator.normal()"),
    "random numbers of ours": ("mg.random.set_seed(1)", "seen += float(mg.random.normal([]))"),
    "a Generator of ours": ("generator = mg.random.Generator.from_seed(1)", "seen += float(generator.normal([]))"),
    "a global": ("count = 1.0", "globals()['count'] += 1.0\nseen += count"),
    "a list, a dict, a set, a deque": (
        "a, b, c, d = [1], {}, {1, 2}, collections.deque([1.0])",
        "a.append(4.0); b[1] = a.pop(0); c.pop(); d.append(d.popleft())\nseen += len(a) + len(b) + len(c) + d[0]",
    ),
    "an array": ("array = np.ones(3)", "array *= 2.0\nseen += array.sum()"),
    "an object and its class": (
        "class Model:\n    number, made = 0.0, []\nmodel = Model()",
        "model.number += 1.0; Model.number += 1.0; Model.made.append(1)\nseen += Model.number + len(Model.made)",
    ),
    "a closure": (
        "def counter():\n    n = 0.0\n    def step():\n        nonlocal n\n        n += 1.0\n        return n\n    return step\nstep = counter()",
        "seen += step()",
    ),
    "a generator, half consumed": ("numbers = (k * 1.5 for k in range(9))\nnext(numbers)", "seen += next(numbers)"),
    "iterators": ("count, pairs = itertools.count(), zip([1, 2], [3, 4])", "seen += next(count) + sum(next(pairs))"),
    "lru_cache": ("@functools.lru_cache\ndef half(n):\n    return n / 2", "seen += half(3.0) + half.cache_info().misses"),
    "a queue": ("q = queue.Queue(); q.put(2.0)", "q.put(5.0)\nseen += q.get() + q.qsize()"),
    "a queue of ours": ("q = mg.queue.FIFOQueue(3, [mg.float32]); q.enqueue(2.0)", "seen += float(q.dequeue())"),
    "a dataset": ("rows = iter(mg.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).shuffle(3).repeat())", "seen += float(next(rows))"),
    "a Variable": ("v = mg.Variable(1.0)", "v.assign_add(1.0)\nseen += float(v)"),
    "a Variable of Keras": ("v = mg.keras.Variable(1.0)", "v.assign(v + 1.0)\nseen += float(v)"),
    "an optimizer": (
        "v, adam = mg.Variable(1.0), mg.keras.optimizers.Adam(0.1)",
        "adam.apply_gradients([(mg.constant(1.0), v)])\nseen += float(v) + float(adam.iterations)",
    ),
    "environment and folder": ("here = os.getcwd()", "os.environ['SOME_NAME'] = 'x'; os.chdir('/'); os.umask(0o77)\nseen += len(os.environ)\nos.chdir(here)"),
    "a file that is read": ("with open('a', 'w') as f:\n    f.write('1\\n2\\n3\\n' * 9000)\nf = open('a')\nf.readline()", "seen += float(f.readline())"),
    "the lines of a file": (
        "with open('a', 'w') as f:\n    f.writelines(f'{k}\\n' for k in range(20000))\nlines = iter(open('a'))\nnext(lines)",
        "seen += sum(1e-6 * float(next(lines)) for _ in range(6000))",
    ),
    "a file that is read without a buffer": (
        "with open('a', 'w') as f:\n    f.write('12345678')\nf = os.open('a', os.O_RDONLY)\nos.read(f, 2)", "seen += float(os.read(f, 1))",
    ),
    "a file that was open to write": ("f = open('a', 'w')", "f.write('1')"),
    "a log": ("import logging\nlog_of_mine = logging.Logger('a')\nlog_of_mine.addHandler(logging.FileHandler('a'))", "log_of_mine.error('1')"),
    "an array that is read from a file": ("np.ones(4).tofile('a')\nm = np.memmap('a', mode='c')", "m[0] += 1\nseen += m[0]"),
    "no window in a replay": (
        "os.environ.update(DISPLAY=':9', WAYLAND_DISPLAY='wayland-9')",
        "assert os.getpid() == me or not {'DISPLAY', 'WAYLAND_DISPLAY'} & os.environ.keys()",
    ),
    "printing": ("", "print('PRINTED'); print('PRINTED', file=sys.stderr); os.write(1, b'PRINTED\\n')"),
    "an error that is caught": ("", "try:\n    raise ValueError\nexcept ValueError:\n    seen += 1.0"),
    "an exit that is caught": ("", "try:\n    sys.exit(1)\nexcept SystemExit:\n    seen += 1.0"),
    "a thread": ("", "found = []\nt = threading.Thread(target=lambda: found.append(1.0))\nt.start(); t.join()\nseen += found[0]"),
    "a pool of threads": ("import concurrent.futures as futures", "with futures.ThreadPoolExecutor(2) as pool:\n    seen += pool.submit(abs, -1).result()"),
    "a thread that runs": ("stop = threading.Event()\nthreading.Thread(target=stop.wait, daemon=True).start()", "seen += 1.0"),
    "a signal of its own": ("signal.signal(signal.SIGUSR1, lambda *_: None)", "signal.raise_signal(signal.SIGUSR1)"),
    "a coroutine": ("import asyncio\nasync def soon():\n    await asyncio.sleep(0)\n    return 1.0", "seen += asyncio.run(soon())"),
    "plots": (
        "import matplotlib.pyplot as plt", "plt.plot([1, 2])\nseen += len(plt.gcf().axes)",
    ),
}  # fmt: skip

WRITES, CHANGES, STARTS = "writes a file", "changes files", "starts a process"
NEW = "str(time.perf_counter_ns())"
REFUSED = {  # ..., and why there is no replay
    "open": ("", "open('a', 'w').close()", WRITES),
    "os.open": ("", "os.close(os.open('a', os.O_CREAT))", WRITES),
    "write_text": ("from pathlib import Path", "Path('a').write_text('1')", WRITES),
    "unlink": ("from pathlib import Path", "Path('a').touch(); Path('a').unlink()", CHANGES),
    "remove": ("open('a', 'w').close(); open('b', 'w').close()", "os.remove('a' if os.path.exists('a') else 'b')", CHANGES),
    "rename": ("open('a', 'w').close()", "os.rename(*'ab' if os.path.exists('a') else 'ba')", CHANGES),
    "mkdir": ("", "os.makedirs(" + NEW + ")", CHANGES),
    "rmtree": ("import shutil\nos.makedirs('a/b'), os.makedirs('c/b')", "shutil.rmtree('a' if os.path.exists('a') else 'c')", CHANGES),
    "link": ("open('a', 'w').close()", "os.link('a', " + NEW + "); os.symlink('a', 's' + " + NEW + ")", CHANGES),
    "copy": ("import shutil\nopen('a', 'w').close()", "shutil.copy('a', 'b')", WRITES),
    "utime": ("open('a', 'w').close()", "os.utime('a')", CHANGES),
    "truncate": ("open('a', 'w').write('123')", "os.truncate('a', 1)", CHANGES),
    "mkfifo": ("", "os.mkfifo(" + NEW + ")", CHANGES),
    "mknod": ("", "os.mknod(" + NEW + ")", CHANGES),
    "np.save": ("", "np.save('a.npy', seen)\nseen = float(np.load('a.npy'))", WRITES),
    "np.memmap": ("", "np.memmap('a', mode='w+', shape=4)[0] = 1", WRITES),
    "tofile": ("", "np.ones(3).tofile('a')", WRITES),
    "json": ("import json", "with open('a', 'w') as f:\n    json.dump([1], f)", WRITES),
    "tempfile": ("import tempfile", "tempfile.TemporaryFile().close()", WRITES),
    "mkdtemp": ("import tempfile", "tempfile.TemporaryDirectory().cleanup()", CHANGES),
    "savefig": ("import matplotlib.pyplot as plt", "plt.savefig('a.png')", WRITES),
    "shelve": ("import shelve", "with shelve.open('a') as shelf:\n    shelf['a'] = 1", ""),
    "a database": ("import sqlite3", "sqlite3.connect('a').close()", "opens a database"),
    "an open database": ("import sqlite3\ndb = sqlite3.connect('a')\ndb.execute('create table t (a)')", "db.execute('insert into t values (1)'); db.commit()", "uses a database"),
    "fchmod": ("f = open('a', 'w')", "os.fchmod(f.fileno(), 0o600)", CHANGES),
    "new shared memory": ("from multiprocessing import shared_memory", "memory = shared_memory.SharedMemory(create=True, size=9)\nmemory.close(); memory.unlink()", "shares memory"),
    "shared memory": ("import mmap\nm = mmap.mmap(-1, 99)", "m[0] += 1", "shares memory"),
    "memory of a file": ("m = np.memmap('a', mode='w+', shape=4)", "m[0] += 1", "shares memory"),
    "a function of C": ("import ctypes", "ctypes.CDLL(None).mkdir(" + NEW + ".encode(), 0o777)", "calls a function of C"),
    "a socket": ("import socket", "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.close()", "opens a socket"),
    "the network": ("import urllib.request", "try:\n    urllib.request.urlopen('http://127.0.0.1:1')\nexcept OSError:\n    pass", "network"),
    "subprocess": ("import subprocess", "subprocess.run(['true'])", STARTS),
    "system": ("", "os.system('true')", STARTS),
    "popen": ("", "seen += float(os.popen('echo 1').read())", STARTS),
    "fork": ("", "one = os.fork()\nif not one:\n    os._exit(0)\nos.waitpid(one, 0)", STARTS),
    "a pool of processes": ("import multiprocessing as mp", "with mp.get_context('fork').Pool(1) as pool:\n    seen += pool.map(abs, [-1])[0]", "takes a lock"),
    "a lock that is shared": ("import multiprocessing as mp\nlock = mp.Lock()", "with lock:\n    seen += 1.0", "lock"),
    "a queue that is shared": ("import multiprocessing as mp\nq = mp.SimpleQueue()", "q.put(1.0)\nseen += q.get()", "lock"),
    "kill": ("", "if os.getpid() != me:\n    os.kill(os.getppid(), signal.SIGTERM)", "sends a signal"),
    "killpg": ("", "if os.getpid() != me:\n    os.killpg(0, signal.SIGKILL)", "sends a signal"),
    "wait": ("one = os.fork()\nif not one:\n    os._exit(0)", "os.wait()", "waits for a process"),
    "input": ("import builtins\nbuiltins.input = lambda *_: '1' if os.getpid() == me else old()", "seen += float(input())", "reads what is typed"),
    "an exit": ("", "if os.getpid() != me:\n    os._exit(0)", "ended without an answer"),
    "an exit of Python": ("", "if os.getpid() != me:\n    sys.exit()", "does not run the same way twice"),
    "an error": ("", "if os.getpid() != me:\n    raise ValueError", "does not run the same way twice"),
    "a crash": ("", "if os.getpid() != me:\n    signal.raise_signal(signal.SIGSEGV)", "ended without an answer"),
    "a write that nobody hears": ("", "f = os.memfd_create('a')\nos.write(f, b'1'), os.close(f)", "ended without an answer"),
    "time": ("", "seen += time.perf_counter()", "twice"),
}  # fmt: skip

SLOW = {
    "sleep": ("", "if os.getpid() != me:\n    time.sleep(60)", "takes longer than"),
    "a loop for ever": ("", "while os.getpid() != me:\n    pass", "takes longer than"),
    "a loop that ignores signals": (
        "", "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile os.getpid() != me:\n    time.sleep(1)", "takes longer than",
    ),
    "a session of its own": ("", "if os.getpid() != me:\n    os.setsid(); time.sleep(60)", "takes longer than"),
    "a thread that waits": ("", "if os.getpid() != me:\n    threading.Thread(target=time.sleep, args=[60]).start(); time.sleep(60)", "takes longer than"),
    "a lock of a thread": (
        "lock, held, go = threading.Lock(), threading.Event(), threading.Event()\ndef hold():\n    with lock:\n"
        "        held.set()\n        go.wait()\nthreading.Thread(target=hold).start()\nheld.wait()",
        "if os.getpid() == me:\n    go.set()\nwith lock:\n    seen += 1.0", "takes longer than",
    ),
    "a pool that runs": ("import concurrent.futures\npool = concurrent.futures.ThreadPoolExecutor(1)\npool.submit(int).result()", "seen += pool.submit(abs, -1).result()", "takes longer than"),
}  # fmt: skip


@pytest.fixture(scope="module", params=[0, 250], ids=["first", "far from the first"])
def results(request, tmp_path_factory):
    """What came of the blocks that are asked for: those of one table run in one process. Far from the first tape, a replay sleeps on the way."""
    found, asked = {}, {item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")}
    for table, seconds in ((REPLAYED, 5.0), (REFUSED, 5.0), (SLOW, 0.5)):
        some = {name: row for name, row in table.items() if name in asked}
        rows = [[name, row[0].strip("\n"), row[1].strip("\n"), seconds, request.param] for name, row in some.items()]
        found.update(run_blocks(tmp_path_factory.mktemp("blocks"), rows))
    return found


@pytest.mark.variants
@pytest.mark.parametrize("name", REPLAYED)
def test_a_block_is_replayed_and_changes_nothing(results, name):
    result = results[name]
    assert result["status"] == "partial", result
    assert "(tried)" in result["text"]
    assert not result["changed"]


@pytest.mark.parametrize("name", [*REFUSED, *SLOW])
def test_a_block_is_refused_and_changes_nothing(results, name):
    result = results[name]
    assert result["status"] == "untried", result
    assert {**REFUSED, **SLOW}[name][2] in result["text"]
    assert "no replay: " in result["text"]
    assert not result["changed"]
    assert result["seconds"] < 30.0  # it ends


# ---- whole programs: they must end, and leave no process (run_program asserts that) ----------------------------------

BEGIN = """
import gc, os, signal, sys, threading, time
import minigrad as mg
from minigrad.tracing import checkpoint
import minigrad.explain
log, x, checkpoint.RARELY = mg.trace(True), mg.Variable(3.0), 0  # a checkpoint for each tape
def tape_and_target():
    with mg.GradientTape() as tape:
        y = x * float(str(float(x)))
    return tape, y
tape, y = tape_and_target()
def status():
    return tape.explain(y, x, seconds=20.0).status
"""


@pytest.mark.parametrize(
    ("last", "ends"),
    [
        ("", 0), ("sys.exit(3)", 3), ("os._exit(4)", 4), ("os.kill(os.getpid(), signal.SIGKILL)", -9), ("1 / 0", 1),
        ("threading.Timer(0.3, os.kill, [os.getpid(), 9]).start()\nwith mg.GradientTape() as tape:\n"
         "    y = x * float(str(float(x)))\n    time.sleep(60 * (os.getpid() != me))\nstatus()", -9),
    ],
    ids=["end", "exit", "_exit", "kill", "error", "killed while it asks"],
)  # fmt: skip
def test_no_process_is_left(tmp_path, last, ends):
    run_program(tmp_path, f"{BEGIN}\nme = os.getpid()\nassert status() == 'partial'\n{last}", ends=ends)


def test_what_the_program_did_before_the_block_is_not_blamed_on_the_block(tmp_path):
    text = """
checkpoint.RARELY = 10**6  # the second tape shares the checkpoint of the first
for turn in range(2):
    tape, y = tape_and_target()
    if turn == 0:
        open("notes", "w").close()
assert "no replay: the program before the block writes a file" in str(tape.explain(y, x)), tape.explain(y, x)
"""
    run_program(tmp_path, BEGIN + text)


def test_a_replay_that_goes_another_way_before_the_block_does_not_go_on_for_ever(tmp_path):
    text = """
checkpoint.RARELY, me = 1e9, os.getpid()  # the second tape shares the checkpoint of the first
tape_and_target()
if os.getpid() != me:
    x * x
tape, y = tape_and_target()
print(tape.explain(y, x, seconds=5.0))
while os.getpid() != me:
    x * x
"""
    assert "no replay: the program does not run the same way twice" in run_program(tmp_path, BEGIN + text)


@pytest.mark.parametrize("ask", ["mg.inspect(tape, y, x)", "status()", "tape.explain(y, x, seconds=0)", "tape.gradient(y, x)"])
def test_a_question_before_the_block_does_not_change_how_ids_are_counted(tmp_path, ask):
    text = f"""
checkpoint.RARELY = 1e9  # all these tapes share one checkpoint
with mg.trace(strict={"gradient" in ask}):
    for _ in range(3):
        c = mg.constant(2.0)
        with mg.GradientTape() as tape:
            y = c * x * x + float(str(float(c)))
        {ask}
print(status())
"""
    assert run_program(tmp_path, BEGIN + text) == "complete\n"


def test_what_takes_long_before_the_block_takes_long_once(tmp_path):
    text = """
checkpoint.RARELY = 1e9  # the second tape shares the checkpoint of the first
for wait, seconds in ((2.0, 12.0), (60.0, 1.5)):
    tape_and_target()
    if wait < 60.0 or os.getpid() != me:
        time.sleep(wait)
    tape, y = tape_and_target()
    tape.explain(y, [x, mg.Variable(1.0)], seconds=3.5)
    assert (tape in checkpoint.resting) == (wait < 60.0), "for several sources too, all the time is for coming there"
    print(tape.explain(y, x, seconds=seconds))
"""
    said = run_program(tmp_path, f"{BEGIN}me = os.getpid()\n" + text)
    assert said.startswith("PARTIAL") and "no replay: the program before the block takes longer than the 1." in said, said


def test_an_interrupted_question_can_be_asked_again(tmp_path):
    text = """
from multiprocessing.connection import Connection
with mg.GradientTape() as tape:
    time.sleep(0.05)
    y = x * float(str(float(x)))
poll = Connection.poll
def interrupted(answers, seconds):
    Connection.poll = poll
    poll(answers, wait)
    raise KeyboardInterrupt
for wait in (0.0, 0.02, 0.2):  # before the replay has begun, while it runs, and when it has answered
    Connection.poll = interrupted
    try:
        status()
    except KeyboardInterrupt:
        print("interrupted")
    print(status())
"""
    assert run_program(tmp_path, BEGIN + text).split() == ["interrupted", "partial"] * 3


def test_an_interrupt_while_a_process_is_ended_leaves_none(tmp_path):
    text = """
tape, y = tape_and_target()
kill, pid = checkpoint.kill, tape.checkpoint.pid
def interrupted(pid):
    checkpoint.kill = kill
    raise KeyboardInterrupt
checkpoint.kill = interrupted
try:
    tape.checkpoint.close()
except KeyboardInterrupt:
    print("interrupted", pid in checkpoint.sleeping)
mg.trace(False)
print(sorted(checkpoint.sleeping), os.path.exists(f"/proc/{pid}"))
"""
    assert run_program(tmp_path, BEGIN + text).splitlines() == ["interrupted True", "[] False"]


def test_a_tape_does_not_share_what_is_not_kept_any_more(tmp_path):
    text = """
checkpoint.RARELY = 1e9  # the last checkpoint would serve the next tape
tape, y = tape_and_target()
tape.checkpoint.close()
tape, y = tape_and_target()
print(tape.explain(y, x).status)
"""
    assert run_program(tmp_path, BEGIN + text) == "partial\n"


def test_many_tapes_leave_no_processes_and_no_files(tmp_path):
    text = """
def children():
    return open(f"/proc/self/task/{os.getpid()}/children").read().split()
tape_and_target()
files, most = len(os.listdir("/proc/self/fd")), 0
tapes = [tape_and_target()[0] for _ in range(5)]
for checkpoint.RARELY, count in ((0, 150), (50, 1000)):
    for _ in range(count):
        tape, y = tape_and_target()
        most = max(most, len(children()))
assert most <= checkpoint.MOST + 1, most
assert status() == "partial"
assert "not kept any more" in str(tapes[0].explain(y, x)) or not tapes[0].checkpoint.close.alive
del tape, tapes
mg.trace(False), gc.collect()
assert not children(), children()
assert len(os.listdir("/proc/self/fd")) <= files
"""
    run_program(tmp_path, BEGIN + text)


def test_many_answers_leave_few_replays_that_sleep(tmp_path):
    text = """
def children(pid):
    found = open(f"/proc/{pid}/task/{pid}/children").read().split()
    return sum(1 + children(one) for one in found)
checkpoint.RARELY = checkpoint.SECONDS = 1e9
tapes, files = [], len(os.listdir("/proc/self/fd"))
for _ in range(9):
    tapes.append(tape_and_target())
    for _ in range(250):
        x * x
for _ in range(2):
    assert {tape.explain(y, x, seconds=10.0).status for tape, y in tapes} == {"partial"}
    checkpoint.latest = None
    new = tape_and_target()  # this one has a checkpoint of its own, and takes the place of no other
del new
time.sleep(0.3)
assert children(os.getpid()) <= 3 + checkpoint.MOST, children(os.getpid())
del tapes, tape
time.sleep(0.3)
assert children(os.getpid()) <= 2, children(os.getpid())
assert len(os.listdir("/proc/self/fd")) <= files + 1  # of the checkpoint
"""
    run_program(tmp_path, BEGIN + text)


def test_threads_and_forks_do_not_disturb_each_other(tmp_path):
    text = """
said, end = [], time.monotonic() + 40
def seen():
    return len(said) > 10 and {"partial", 0} <= {*said} or time.monotonic() > end
def work():
    with mg.trace():
        while not seen():
            tape, y = tape_and_target()
            said.append(tape.explain(y, x).status)
def fork():
    while not seen():
        one = os.fork()
        if not one:
            try:
                answer = tape.explain(y, x)
                os._exit(0 if answer.status == "untried" and "forked" in str(answer) else 1)
            finally:
                os._exit(2)
        said.append(os.waitpid(one, 0)[1])
threads = [threading.Thread(target=one) for one in (work, work, fork)]
[one.start() for one in threads], [one.join() for one in threads]
print({*said} <= {"partial", "untried", 0}, {"partial", 0} <= {*said}, {*said})
"""
    assert run_program(tmp_path, BEGIN + text).startswith("True True")


def test_threads_can_ask_one_tape_at_the_same_time(tmp_path):
    text = """
said = []
threads = [threading.Thread(target=lambda: said.append(status())) for _ in range(5)]
[one.start() for one in threads], [one.join() for one in threads]
print(said)
"""
    assert run_program(tmp_path, BEGIN + text) == f"{['partial'] * 5}\n"


def test_a_log_can_be_read_while_a_checkpoint_is_made(tmp_path):
    text = """
from minigrad.tracing.log import log_lock
sys.setswitchinterval(1e-5)
def read():
    while not done:
        with log_lock:
            time.sleep(0.001)
said, done = set(), False
thread = threading.Thread(target=read)
thread.start()
for _ in range(20):
    tape, y = tape_and_target()
    said.add(status())
done = True
thread.join()
print(said)
"""
    assert run_program(tmp_path, BEGIN + text) == "{'partial'}\n"


def test_an_interrupt_within_a_fork_is_raised_after_it(tmp_path):
    text = """
import logging
sent = []
def interrupt():
    if not sent:
        sent.append(1)
        os.kill(os.getpid(), signal.SIGINT)
os.register_at_fork(before=interrupt)
try:
    tape_and_target()
except KeyboardInterrupt:
    print("interrupted")
thread = threading.Thread(target=lambda: logging.getLogger().debug(os.fork() or os._exit(0)))
thread.start(), thread.join(20)
print(thread.is_alive(), status(), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
tape = None
"""
    assert run_program(tmp_path, BEGIN + text) == "interrupted\nFalse partial True\n"


def test_a_replay_ends_where_an_exception_goes_back_to_a_library(tmp_path):
    text = """
import unittest
me = os.getpid()
class Both(unittest.TestCase):
    def test_1(self):
        with mg.GradientTape() as tape:
            v = float(x)
            self.assertEqual(v, 3.0)
            y = x * v * v * v * v
        print(tape.explain(y, x, seconds=20.0))
    def test_2(self):
        time.sleep(60 * (os.getpid() != me))
unittest.main(exit=False)
"""
    assert "the replay ended with AssertionError" in run_program(tmp_path, BEGIN + text)


def test_an_exception_that_is_caught_does_not_end_a_replay(tmp_path):
    text = """
def step():
    with mg.GradientTape() as tape:
        v = float(x)
        try:
            raise ValueError(v)
        except ValueError as problem:
            y = x * problem.args[0]
    return tape, y
tape, y = step()
print(status())
"""
    assert run_program(tmp_path, BEGIN + text) == "partial\n"


def test_a_forked_program_can_ask_its_own_tapes(tmp_path):
    text = """
checkpoint.RARELY = 1e9  # the last checkpoint would serve the next tape
tape, y = tape_and_target()
if not (one := os.fork()):
    tape, y = tape_and_target()
    sys.exit(status() != "partial")
assert os.waitpid(one, 0)[1] == 0
assert status() == "partial"
"""
    run_program(tmp_path, BEGIN + text)


def test_nobody_waits_for_what_a_sleeping_process_holds_open(tmp_path):
    text = """
import fcntl, socket, subprocess
cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
(read, write), (one, other), locked = os.pipe(), socket.socketpair(), open("locked", "w")
fcntl.flock(locked, fcntl.LOCK_EX)
tape, y = tape_and_target()
assert status() == "partial"
cat.stdin.close(), os.close(write), one.close(), locked.close()
assert cat.wait() == 0 and os.read(read, 1) == b"" and other.recv(1) == b""
fcntl.flock(open("locked"), fcntl.LOCK_EX | fcntl.LOCK_NB)
"""
    run_program(tmp_path, BEGIN + text)


def test_a_replay_replays_nothing_and_a_gradient_neither(tmp_path):
    text = """
runs, first = checkpoint.SleepingProgram.run, tape
def counted(one, *command):
    counts.append(os.getpid())
    if os.getpid() != me:
        os._exit(1)
    return runs(one, *command)
counts, me, checkpoint.SleepingProgram.run = [], os.getpid(), counted
first.gradient(y, x)
assert not counts
with mg.GradientTape() as tape:
    with mg.GradientTape() as inner:
        z = x * float(str(float(x)))
    inner.gradient(z, x)
    y = x * float(str(float(x))) * (1.0 if str(inner.explain(z, x)) else 2.0)
before = len(counts)
assert tape.explain(y, x).status == "partial", str(tape.explain(y, x))
print(len(counts) > before, {*counts} == {me})
"""
    assert run_program(tmp_path, BEGIN + text) == "True True\n"


def test_large_arrays_are_not_copied(tmp_path):
    text = """
import resource
import numpy as np
big, memory = np.ones(300 << 17), lambda: int(open("/proc/self/statm").read().split()[1]) * 4096 >> 20
before = memory()
with mg.GradientTape() as tape:
    big[0] += 1.0
    y = x * float(str(float(x))) * float(big[:2].sum())
answer = tape.explain(y, x)
assert answer.status == "partial", answer
assert memory() < before + 60, (before, memory())
"""
    run_program(tmp_path, BEGIN + text)


def test_a_very_large_program_is_not_forked(monkeypatch):
    monkeypatch.setattr(checkpoint, "LARGEST", 1)
    x = mg.Variable(3.0)
    with mg.trace(), mg.GradientTape() as tape:
        y = x * float(str(float(x)))
    answer = tape.explain(y, x)
    assert answer.status == "untried"
    assert "no replay: the program is larger than" in str(answer)


def test_cells_print_show_and_count_nothing_twice(tmp_path):
    pytest.importorskip("IPython")
    text = """
import os, sys
os.environ["IPYTHONDIR"] = os.getcwd()
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
shell = InteractiveShell.instance()
def cell(text):
    with capture_output() as said:
        assert shell.run_cell(text, store_history=True).success, said.stderr
    return said
cell("import minigrad as mg; import matplotlib.pyplot as plt; from IPython.display import display, HTML; log = mg.trace(True)")
cell("x = mg.Variable(3.0)\\ndef half(v):\\n    print('half')\\n    return v * float(str(float(v)))")
count = shell.execution_count
said = cell('''
display(HTML("one"))
with mg.GradientTape() as tape:
    print("inside")
    display(HTML("two"))
    plt.plot([1, 2]); plt.show()
    y = half(x)
answer = tape.explain(y, x)
print(answer.status)
''')
assert said.stdout.split() == ["inside", "half", "partial"], said.stdout
assert len(said.outputs) == 2, said.outputs
later = cell("answer = tape.explain(y, x)\\nprint(answer.status, '(tried)' in str(answer))")
assert later.stdout == "partial True\\n" and not later.outputs
assert shell.execution_count == count + 2
assert len(shell.user_ns["In"]) == shell.execution_count
"""
    run_program(tmp_path, text)


@pytest.mark.parametrize(
    ("wished", "said"), [(None, "1.8\n"), ("7", "7.0\n"), ("soon", "1.8\n"), ("soon", "MINIGRAD_SECONDS is 'soon', which is no")]
)
def test_how_long_an_answer_may_take_is_a_setting_of_the_environment(wished, said):
    environment = {name: value for name, value in os.environ.items() if name != "MINIGRAD_SECONDS"}
    asked = [sys.executable, "-c", "from minigrad.tracing import checkpoint; print(checkpoint.SECONDS)"]
    told = subprocess.run(asked, env=environment | ({"MINIGRAD_SECONDS": wished} if wished else {}), capture_output=True, text=True)
    assert said in told.stdout + told.stderr


@pytest.mark.parametrize("seconds", [0.9, 1e7, float("inf")])
@pytest.mark.parametrize("later", [False, True])
def test_an_answer_may_take_longer_than_a_system_waits(seconds, later):
    x = mg.Variable(3.0)
    with mg.trace():
        for _ in range(1 + later):
            with mg.GradientTape() as tape:
                y = x * x.numpy()
        assert tape.explain(y, x, seconds=seconds).status == "partial"


def test_a_checkpoint_serves_the_tapes_of_one_trace_while_one_program_runs(monkeypatch):
    def made(trace, code):
        tape = mg.GradientTape()
        checkpoint.keep(tape, trace, types.SimpleNamespace(f_code=code) if code else program)
        return tape.checkpoint

    monkeypatch.setattr(checkpoint, "RARELY", 10**6)
    monkeypatch.setattr(checkpoint, "SECONDS", 40.0)
    program, first, second = types.SimpleNamespace(f_code=compile("1", "cell", "exec")), mg.trace(), mg.trace()
    one = made(first, None)
    assert one.until < time.perf_counter() + 21.0, "a replay that began so long before its tape would not arrive in time"
    assert made(first, None) is one
    other = made(second, None)
    assert other is not one
    assert made(second, None) is other
    assert made(second, program.f_code) is not other, "another frame"
    other = made(second, None)
    program.f_code = compile("1", "cell", "exec")
    assert made(second, None) is not other, "the same cell again: equal code in a frame with the same id"
    checkpoint.forget()


def test_a_checkpoint_keeps_no_value_of_the_program_alive():
    class Value:
        pass

    def program():
        value = Value()
        with mg.GradientTape():
            return weakref.ref(value)

    with mg.trace():
        value = program()
        assert checkpoint.latest is not None
        assert value() is None


@pytest.mark.skipif(sys.platform != "linux", reason="about /proc")
def test_a_file_gets_a_position_of_its_own_and_no_descriptor_more(tmp_path):
    (tmp_path / "text").write_text("abcdef")
    number, null = os.open(tmp_path / "text", os.O_RDONLY), os.open(os.devnull, os.O_RDWR)
    shared, before = os.dup(number), len(os.listdir("/proc/self/fd"))
    checkpoint.reopen(number, 3, null)
    assert (os.read(number, 1), os.read(shared, 1), len(os.listdir("/proc/self/fd"))) == (b"d", b"a", before)
    for one in (number, null, shared):
        os.close(one)
