"""A checkpoint: the program as it was when a tape was opened, sleeping in a forked process.

To run a block again, everything that it reads must be as it was: names, objects, generators, random states. A fork has
all of it, and copies only the memory that changes. The sleeping process forks again for each replay, and so stays
unchanged itself. A replay continues from where the tape was opened, as the program did, until it answers or its time is
up. Tapes that are opened soon afterwards share the checkpoint: for such a tape, a replay runs up to where it is opened
and sleeps there, and further replays begin from it. Anything that would affect the outside world (files, sockets,
processes, typed input) is refused.
"""

import contextlib
import functools
import gc
import importlib
import itertools
import os
import signal
import stat
import sys
import threading
import time
import warnings
import weakref
from collections import deque
from typing import Any

import numpy.random  # noqa: F401 - seeds itself as it is imported: in the block, each replay would have other numbers

from ..engine.tensor import ids
from ..random import streams  # noqa: F401 - likewise

FORKS = hasattr(os, "fork") and sys.platform != "emscripten"  # in a browser it exists, but fails
if FORKS:
    import fcntl
    import resource
    from multiprocessing.connection import Connection, Pipe, wait
    from multiprocessing.reduction import recv_handle, send_handle


def wished_seconds() -> float:
    """1.8, or the value of MINIGRAD_SECONDS, which can allow more time on a slow machine."""
    wished = os.environ.get("MINIGRAD_SECONDS", "1.8")
    try:
        return float(wished)
    except ValueError:
        problem = f"MINIGRAD_SECONDS is {wished!r}, which is no number of seconds; 1.8 stand for it."
        warnings.warn(f"{problem} Write MINIGRAD_SECONDS=5", stacklevel=2)
        return 1.8


SECONDS = wished_seconds()  # the time limit for the replays of one answer
MOST = 4  # how many checkpoints are kept
DAY = 86400.0  # seconds, the most for one replay: no system waits for a month
MOST_TOLD = 1000  # questions whose answers are kept
LARGEST = 4 << 30  # bytes: a larger process is not forked
LONGEST = SECONDS / 2  # for how long tapes share a checkpoint: a replay must run up to its tape in time
RARELY = 200  # a fork may take 1/200 of the time, its end as much again, and copying pages some five times that
OUTSIDE = {
    "subprocess.Popen": "starts a process", "os.system": "starts a process", "os.exec": "starts a process",
    "os.posix_spawn": "starts a process", "os.spawn": "starts a process", "os.fork": "starts a process",
    "os.forkpty": "starts a process", "os.kill": "sends a signal", "os.killpg": "sends a signal",
    "socket.connect": "opens a socket", "socket.bind": "opens a socket", "socket.sendto": "opens a socket",
    "socket.sendmsg": "opens a socket", "socket.getaddrinfo": "asks the network",
    "socket.gethostbyname": "asks the network", "sqlite3.connect": "opens a database",
    "webbrowser.open": "opens a browser", "builtins.input": "reads what is typed",
    "ctypes.dlsym": "calls a function of C",
    "import multiprocessing.synchronize": "takes a lock that other processes share",
    **dict.fromkeys([f"os.{name}" for name in (
        "remove", "rename", "rmdir", "mkdir", "link", "symlink", "truncate", "chmod", "chown", "chflags", "utime",
        "setxattr", "removexattr",
    )], "changes files"),
}  # fmt: skip
UNHEARD = {  # functions without an audit event
    "os.mkfifo": "changes files", "os.mknod": "changes files", "_posixshmem.shm_open": "shares memory",
    "_gdbm.open": "opens a database", "_dbm.open": "opens a database",
    "_posixsubprocess.fork_exec": "starts a process", "builtins.input": "reads what is typed",
    **dict.fromkeys([f"os.{name}" for name in ("wait", "wait3", "wait4", "waitid", "waitpid")], "waits for a process"),
}  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class NotTried(Exception):
    """There is no replay. The text says why; it completes a sentence that begins with "it" or "the replay"."""


class SleepingProgram:
    """A process that sleeps in the state of the program at a certain time.

    Attributes:
        number: the number of events that the trace had heard by then.
        asked: the number of the last question that had been answered by then.
        trace: when that trace began, which no other has in common with it.
        made, until: the time when it was, and up to which later tapes share it.
    """

    def __init__(self, trace):
        self.number, self.owner, began = trace.count, os.getpid(), time.perf_counter()
        self.asked = next(reversed(told), 0)
        self.asking = threading.RLock()  # one thread at a time
        self.close: Any = None  # ends it
        (self.connection, there), files = Pipe(), positions()  # positions now: the program will read on
        alive.append(weakref.ref(self))
        restore = kept_random()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of threads; a replay has none
                self.pid = undisturbed_fork()
            if not self.pid:
                asleep(there, files, trace, restore)
        finally:  # the forked process must never continue the program, except in a replay
            if os.getpid() != self.owner and replay is None:
                os._exit(1)
        if self.pid:
            there.close()
            self.close = weakref.finalize(self, end, self.connection, self.pid, self.owner)
            self.trace, self.made = trace.began, time.perf_counter()
            self.until = self.made + min(RARELY * (self.made - began), LONGEST)

    def serves(self, trace) -> bool:
        """Whether later tapes of the same program share it: while its trace hears them, and for a while."""
        return self.close.alive and self.trace == trace.began and time.perf_counter() < self.until

    def run(self, prepare, begin, command, seconds, late="") -> Any:
        """Run a replay, and return its answer.

        Args:
            prepare: called in the sleeping process, with the command.
            begin: called in the replay, with the trace, the command, and the result of `prepare`.
            command: plain data.
            seconds, late: the time after which the replay is ended, and what is said then.

        Raises:
            NotTried: there was no answer.
        """
        answers, there = Pipe(duplex=False)
        with answers:
            return self.answer(answers, there, seconds, late, prepare, begin, command, "the block")

    def advance(self, tape, prepare, begin, command, seconds) -> "SleepingReplay":
        """The checkpoint that a replay becomes when it calls `rest` where this tape is opened. See `run`."""
        known = resting.get(tape)
        if known is not None and known.close.alive:
            return known
        connection, there = Pipe()
        try:
            task = prepare, begin, command, "the program before the block"
            number = self.answer(connection, there, seconds, "", *task)
        except BaseException:
            connection.close()
            raise
        with making:
            resting[tape] = one = SleepingReplay(connection, number, self)
            for older in [*resting][:-MOST]:
                del resting[older]
        return one

    def answer(self, answers, there, seconds, late, *task) -> Any:
        """What a replay answers by a pipe, of which it gets the other end."""
        if os.getpid() != self.owner:
            raise NotTried("this process was forked from the one that opened the tape")
        if not self.close.alive:
            raise NotTried("the program as it was then is not kept any more")
        sent, answer, seconds = False, None, min(DAY, seconds)
        try:
            with self.asking, there:
                send_handle(self.connection, there.fileno(), self.pid)
                self.connection.send((seconds, late, *task))
                sent = True
                there.close()
                if answers.poll(seconds + 1.0):
                    answer = answers.recv()
        except (EOFError, OSError):
            pass
        finally:
            if not sent:  # interrupted: a partial command must not be read as the start of the next one
                self.close()
        if answer is None or isinstance(answer, str):
            raise NotTried(answer or "the replay ended without an answer")
        return answer


class SleepingReplay(SleepingProgram):
    """A replay that sleeps where a later tape was opened, so that the replays of that tape need not come so far."""

    def __init__(self, connection, number, earlier):
        self.connection, self.number, self.owner, self.trace = connection, number, earlier.owner, earlier.trace
        self.asked = earlier.asked
        self.asking, self.pid, self.until = threading.RLock(), 0, 0.0
        self.close = weakref.finalize(self, connection.close)  # then it ends
        alive.append(weakref.ref(self))


def kept_random():
    """A function that sets Python's random state to what it is now: Python reseeds it in a forked process."""
    random = sys.modules.get("random")
    state = random.getstate() if random else None
    return lambda: state and random.setstate(state)


def undisturbed_fork() -> int:
    """os.fork(), with signal handlers postponed until it is done.

    An interrupt within the functions that modules such as logging register to run around a fork would be lost, and one
    of their locks would stay held.
    """
    told = threading.current_thread() is threading.main_thread()  # only the main thread handles signals
    handlers = {one: signal.getsignal(one) for one in range(1, signal.NSIG if told else 1)}
    handlers, came, pid = {one: handler for one, handler in handlers.items() if callable(handler)}, [], 0
    try:
        for one in handlers:
            signal.signal(one, lambda number, frame: came.append(number))
        pid = os.fork()
    finally:
        if pid:
            sleeping.add(pid)
        for one, handler in handlers.items():
            signal.signal(one, handler)
        for number in came if pid else ():
            signal.raise_signal(number)
    return pid


def end(connection, pid, owner):
    """End the sleeping process and its replay, since no one listens any more."""
    connection.close()
    if os.getpid() == owner:
        kill(pid)
        with contextlib.suppress(OSError):
            os.waitpid(pid, 0)
        sleeping.discard(pid)


def kill(pid):
    """End a sleeping process and its replay."""
    for send in (os.killpg, os.kill):  # it may not have its own process group yet
        with contextlib.suppress(OSError):
            send(pid, signal.SIGKILL)


def reap():
    """End processes that have lost their owner because an interrupt came while they were being made or ended."""
    here = [one for one in (ref() for ref in alive) if one is not None]
    for pid in sleeping - {one.pid for one in here if one.close is not None and one.close.alive}:
        with contextlib.suppress(ChildProcessError):  # the program itself has already waited for it
            if not os.waitpid(pid, os.WNOHANG)[0]:
                kill(pid)
                os.waitpid(pid, 0)
        sleeping.discard(pid)


class Answering(threading.local):
    """A block that answers a question about a tape: it has a number, by which a replay finds what the program was told.

    Since a replay does not look for the answer, ids go on above the next multiple of 65,536 after it.
    """

    depth = 0

    def __enter__(self):
        self.depth += 1
        return next(questions)

    def __exit__(self, *error):
        self.depth -= 1
        if not self.depth:
            deque(itertools.islice(ids, -next(ids) % (1 << 16)), maxlen=0)


answering = Answering()
questions = itertools.count(1)
told: Any = {}  # the number of a question -> the answers; in a replay, of later ones too


def tell(question, answers):
    """Keep the answers to a question, since the program may go on by them: a replay needs them again."""
    told[question] = answers
    told.pop(question - MOST_TOLD, None)


def told_since(checkpoint) -> dict:
    """The answers that the program was given after a checkpoint."""
    return {question: answers for question, answers in [*told.items()] if question > checkpoint.asked}


# ---- when one is made ----------------------------------------------------------------------------------------------

alive = []  # weak references to the checkpoints, the oldest first
resting: Any = weakref.WeakKeyDictionary()  # tape -> the SleepingReplay where it was opened, the oldest first
sleeping = set()  # the processes that have not been waited for
making = threading.RLock()  # a process forked at the same time would keep a connection open
latest = None  # the last checkpoint, and the code and the frame's id of the program that it was made in
running = ""  # what a replay is running: the block, or what comes before it
replay = None  # in a replay: the pipe for its answer, and the pipe that announces the answer


def keep(tape, trace, program):
    """Make sure that a tape that is being opened has a checkpoint.

    Args:
        tape: keeps the checkpoint as long as it lives, as `tape.checkpoint`.
        trace: the trace that hears the tape.
        program: the frame of the cell, script or function that runs.

    The frame itself is not held, since that would keep its values alive. Its code is: a cell or a script is compiled
    anew each time it runs.
    """
    global latest
    if replay is not None or tape.checkpoint is not None:
        return
    known = latest  # another thread may reset it in the meantime
    same = known is not None and known[1] is program.f_code and known[2] == id(program)
    if not (same and known[0].serves(trace)):
        made = fork(trace)
        if made is None:
            return
        latest = known = made, program.f_code, id(program)
    tape.checkpoint = known[0]


def fork(trace):
    """A new checkpoint; None if there can be none. A replay starts by returning None from here."""
    if impossible():
        return None
    with making:
        reap()
        one = SleepingProgram(trace)
        if replay is not None:
            return None
        here = [one for one in [ref() for ref in alive] if one is not None and one.close.alive]
        for older in [each for each in here if type(each) is SleepingProgram][:-MOST]:
            older.close()
        alive[:] = [weakref.ref(each) for each in here if each.close.alive]
    return one


def impossible() -> str:
    """The reason why there can be no checkpoint; "" if there can be one."""
    if not FORKS:
        return "this system cannot fork a process"
    if peak_memory() > LARGEST:
        return f"the program is larger than {LARGEST >> 30} GB"
    return ""


def close_connections():
    """Run in each new child process: a sleeping process ends when nothing is connected to it any more."""
    global latest, making
    for ref in alive:
        one = ref()
        if one is not None:
            with contextlib.suppress(OSError):  # another thread was just closing it
                one.connection.close()
    alive.clear(), sleeping.clear()
    latest, making = None, threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=close_connections)


def forget():
    """Run when a trace ends: release all that no tape keeps."""
    global latest
    latest = None
    with making:
        reap()


def peak_memory() -> int:
    """The peak memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# ---- in the sleeping process ---------------------------------------------------------------------------------------


def asleep(connection, files, trace, restore):
    """Wait for commands, and fork for each. Only the forked process returns from this function."""
    global running
    sys.settrace(None), sys.setprofile(None)
    gc.set_threshold(*gc.get_threshold()[:2], 1 << 30)  # a full collection would touch, and so copy, every page
    os.setpgid(0, 0)  # keyboard interrupts are not meant for it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no one asks how a replay ended
    shared = shared_memory()
    apart_files(files, {connection.fileno()})  # so that no one waits for files that only this process still holds open
    while True:
        try:
            answers = Connection(recv_handle(connection))
            seconds, late, prepare, begin, command, running = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        if shared:
            answers.send("the program shares memory with other processes or with a file")
            continue
        refuse_unheard()
        prepared, (runs, kept) = prepare(command), os.pipe()
        pid = os.fork()
        if not pid:
            try:
                connection.close()
                apart(answers, kept)
                restore()
                begin(trace, command, prepared)
            except BaseException:
                os._exit(1)
            return
        os.close(kept)
        look_after(pid, runs, connection, answers, seconds, late)
        os.close(runs), answers.close()


def look_after(pid, runs, connection, answers, seconds, late):
    """Wait until a replay is about to answer. Answer for it if it has ended or is late, or if the caller is gone."""
    ready = wait([connection, runs], seconds)
    if runs in ready and os.read(runs, 1):
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        late = late or f"{running} takes longer than the {seconds:.2g} s left"
        answers.send("the replay ended without an answer" if ready else late)


def shared_memory() -> bool:
    """Whether a replay could write to memory that others read. (Shared locks of multiprocessing do not count.)"""
    try:
        with open("/proc/self/maps") as maps:
            return any(" rw-s " in line and "/sem." not in line for line in maps)
    except OSError:
        return False


# ---- in a replay ---------------------------------------------------------------------------------------------------


def apart(answers, kept):
    """Isolate a replay from the outside world, except for these two pipes."""
    global replay
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # any other attempt to write a file ends with this signal
    sys.dont_write_bytecode = True
    os.environ.pop("DISPLAY", None), os.environ.pop("WAYLAND_DISPLAY", None)  # no window
    nowhere = apart_files(positions(), {kept, answers.fileno()})
    sys.stdin = sys.stdout = sys.stderr = os.fdopen(nowhere, "w+", closefd=False)
    sys.addaudithook(refuse_outside)
    replay = answers, kept


@functools.cache
def refuse_unheard():
    """Refuse functions without audit events: once, in the sleeping process, for all objects that exist by then."""
    for name, what in UNHEARD.items():
        module, _, function = name.partition(".")
        with contextlib.suppress(ImportError):
            setattr(importlib.import_module(module), function, refusal(what))
    locks, databases = sys.modules.get("multiprocessing.synchronize"), sys.modules.get("sqlite3")
    if locks is not None:  # nobody would release them
        refused = refusal(OUTSIDE["import multiprocessing.synchronize"])
        locks.SemLock.__init__ = locks.SemLock.__enter__ = locks.SemLock.acquire = refused
        for one in instances(*locks.SemLock.__subclasses__()):
            one.acquire = refused
    for one in instances(databases.Connection, *databases.Connection.__subclasses__()) if databases else ():
        with contextlib.suppress(databases.ProgrammingError):  # it is closed, or belongs to another thread
            one.set_trace_callback(refusal("uses a database"))


def instances(*kinds) -> list:
    """All objects of exactly these classes, found by their references to the class, so that no other object is touched.

    Garbage collection is off meanwhile: it would move objects out of the list that is being traversed, and crash
    Python.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return [one for one in gc.get_referrers(*kinds) if type(one) in kinds]
    finally:
        if collects:
            gc.enable()


def refusal(what):
    return lambda *_, **__: finish(f"{running} {what}")


def positions() -> dict:
    """Each open file -> the position in it, if it is a regular file open only for reading; else None."""
    found = {}
    for number in [int(name) for name in os.listdir("/dev/fd")]:
        with contextlib.suppress(OSError):
            reads = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
            regular = reads and stat.S_ISREG(os.fstat(number).st_mode)
            found[number] = os.lseek(number, 0, os.SEEK_CUR) if regular else None
    return found


def apart_files(files, kept) -> int:
    """Give files that are only read their own position; close all others, including sockets, except those in `kept`."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in files.keys() - kept:
        os.dup2(null, number) if files[number] is None else reopen(number, files[number], null)
    return null


def reopen(number, position, null):
    try:
        own = os.open(f"/proc/self/fd/{number}", os.O_RDONLY)
    except OSError:  # it may no longer be opened
        os.dup2(null, number)
    else:
        os.lseek(own, position, os.SEEK_SET)
        os.dup2(own, number)
        os.close(own)


def refuse_outside(event, arguments):
    """An audit hook that ends the replay if the block would change the outside world. (What sleeps is no replay.)"""
    if event == "open":
        path, _, flags = arguments
        what = "writes a file" if flags & WRITING and path != os.devnull else None
    else:
        what = OUTSIDE.get(f"import {arguments[0]}" if event == "import" else event)
    if what is not None and replay is not None:
        finish(f"{running} {what}")


def rest(trace):
    """Answer with the number of events so far, and sleep. Only replays from here return."""
    global replay
    (answers, about_to), replay = replay, None
    try:
        os.setpgid(0, 0)  # with the answer, the program that it was forked from may be ended
        refuse_unheard.cache_clear()  # there may be more objects now
        os.write(about_to, b".")
        answers.send(trace.count)
        asleep(answers, positions(), trace, kept_random())
    finally:
        if replay is None:
            os._exit(1)


def finish(answer):
    """Answer, and end the replay without running anything else of the program, neither `finally` nor exit functions."""
    try:
        answers, about_to = replay
        os.write(about_to, b".")
        answers.send(answer)
    finally:
        os._exit(0)
