"""A checkpoint: the program as it was when a tape was opened, asleep in a forked process.

To run a block again, all that it reads must be as it was: names, objects, generators, random states. A fork has all of
it, and copies only what changes. The sleeping process forks once more for each replay and so stays as it was. A replay
goes on from where the tape was opened, as the program itself did, until it answers or its time is over; what would
reach the world outside it (files, sockets, processes, what is typed) is refused.
"""

import contextlib
import functools
import gc
import importlib
import os
import signal
import stat
import sys
import threading
import time
import warnings
import weakref
from typing import Any

FORKS = hasattr(os, "fork") and sys.platform != "emscripten"  # in a browser it is there, and fails
if FORKS:
    import fcntl
    import resource
    from multiprocessing.connection import Connection, Pipe, wait
    from multiprocessing.reduction import recv_handle, send_handle


def wished_seconds() -> float:
    """1.8, or what MINIGRAD_SECONDS says: where a machine is slow, more can be tried."""
    wished = os.environ.get("MINIGRAD_SECONDS", "1.8")
    try:
        return float(wished)
    except ValueError:
        problem = f"MINIGRAD_SECONDS is {wished!r}, which is no number of seconds."
        raise ValueError(f"{problem} Write MINIGRAD_SECONDS=5") from None


SECONDS = wished_seconds()  # how long the replays for an answer may take
MOST = 4  # checkpoints that are kept
LARGEST = 4 << 30  # bytes: a larger process is not forked
RARELY = 40  # a fork may take one part of so many of the time, and its end as much
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
UNHEARD = {  # functions that no audit event tells of
    "os.mkfifo": "changes files", "os.mknod": "changes files", "_posixshmem.shm_open": "shares memory",
    "_gdbm.open": "opens a database", "_dbm.open": "opens a database",
    "_posixsubprocess.fork_exec": "starts a process", "builtins.input": "reads what is typed",
    **dict.fromkeys([f"os.{name}" for name in ("wait", "wait3", "wait4", "waitid", "waitpid")], "waits for a process"),
}  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class NotTried(Exception):
    """There is no replay; the text says why, as the rest of a sentence that begins with "it" or "the replay"."""


class Checkpoint:
    """A process that sleeps as the program was.

    Attributes:
        number: how many events the trace had heard by then.
    """

    def __init__(self, trace):
        self.number, self.owner, began = trace.count, os.getpid(), time.perf_counter()
        self.asking = threading.RLock()  # one thread after the other
        self.close: Any = None  # ends it
        (self.connection, there), files = Pipe(), positions()  # where they are read now: the program will read on
        alive.append(weakref.ref(self))
        random = sys.modules.get("random")
        state = random.getstate() if random else None  # which Python seeds anew in a forked process
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of threads: a replay has none
                self.pid = undisturbed_fork()
            if not self.pid:
                asleep(there, files, trace, lambda: state and random.setstate(state))
        finally:  # whatever happens in the forked process, the program must not go on in it, but in a replay
            if os.getpid() != self.owner and replay is None:
                os._exit(1)
        if self.pid:
            there.close()
            self.close = weakref.finalize(self, end, self.connection, self.pid, self.owner)
            self.cost = time.perf_counter() - began

    def run(self, prepare, begin, command, seconds) -> Any:
        """What a replay answers.

        Args:
            prepare: is called in the sleeping process, with the command.
            begin: is called in the replay, with the trace, the command, and what `prepare` returned.
            command: plain data.
            seconds: after so many the replay is ended.

        Raises:
            NotTried: it gave no answer.
        """
        if os.getpid() != self.owner:
            raise NotTried("this process was forked from the one that opened the tape")
        if not self.close.alive:
            raise NotTried("the program as it was then is not kept any more")
        (answers, there), sent, answer = Pipe(duplex=False), False, None
        try:
            with self.asking, answers, there:
                send_handle(self.connection, there.fileno(), self.pid)
                self.connection.send((prepare, begin, command, seconds))
                sent = True
                there.close()
                if answers.poll(seconds + 1.0):
                    answer = answers.recv()
        except (EOFError, OSError):
            pass
        finally:
            if not sent:  # it was interrupted: a part of a command must not be taken for the next one
                self.close()
        if answer is None or isinstance(answer, str):
            raise NotTried(answer or "the replay ended without an answer")
        return answer


def undisturbed_fork() -> int:
    """os.fork(); what signals do is done after it.

    An interrupt within the functions that modules such as logging have called around a fork would be lost, and a lock
    of theirs would stay taken.
    """
    told = threading.current_thread() is threading.main_thread()  # no other thread is told of signals
    handlers = {one: signal.getsignal(one) for one in (signal.valid_signals() if told else ())}
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
    """Nobody listens any more: the sleeping process and its replay end."""
    connection.close()
    if os.getpid() == owner:
        kill(pid)
        with contextlib.suppress(OSError):
            os.waitpid(pid, 0)
        sleeping.discard(pid)


def kill(pid):
    """End a sleeping process and its replay."""
    for send in (os.killpg, os.kill):  # it may have no group of its own yet
        with contextlib.suppress(OSError):
            send(pid, signal.SIGKILL)


def reap():
    """End the processes that nobody holds any more, because an interrupt came while they were made or ended."""
    here = [one for one in (ref() for ref in alive) if one is not None]
    for pid in sleeping - {one.pid for one in here if one.close is not None and one.close.alive}:
        with contextlib.suppress(ChildProcessError):  # the program itself has waited for it
            if not os.waitpid(pid, os.WNOHANG)[0]:
                kill(pid)
                os.waitpid(pid, 0)
        sleeping.discard(pid)


# ---- when one is made ----------------------------------------------------------------------------------------------

alive = []  # weak references to the checkpoints, the oldest first
sleeping = set()  # the processes that nobody has waited for
making = threading.RLock()  # a process that is forked meanwhile would hold a connection that nobody closes there
latest = None  # the last one, where it was made, and until when it serves others of the same program
replay = None  # in a replay: the pipe by which it answers, and the one by which it says that it is about to


def keep(tape, trace, program):
    """See that there is a checkpoint for a tape that is being opened.

    Args:
        tape: it keeps the checkpoint as long as it lives, as `tape.checkpoint`.
        trace: hears the tape.
        program: what is the same as long as the same cell, script or function runs.
    """
    global latest
    if replay is not None or tape.checkpoint is not None:
        return
    known = latest  # another thread may forget it meanwhile
    if known is None or not known[0].close.alive or known[1] != program or time.perf_counter() > known[2]:
        made = fork(trace)
        if made is None:
            return
        latest = known = made, program, time.perf_counter() + RARELY * made.cost
    tape.checkpoint = known[0]


def fork(trace):
    """A new checkpoint; None where there can be none, and in a replay, which begins by returning from here."""
    if impossible():
        return None
    with making:
        reap()
        one = Checkpoint(trace)
        if replay is not None:
            return None
        for ref in alive[:-MOST]:
            if ref() is not None:
                ref().close()
        alive[:] = [ref for ref in alive[-MOST:] if ref() is not None]
    return one


def impossible() -> str:
    """Why there can be no checkpoint; "" if there can be one."""
    if not FORKS:
        return "this system cannot fork a process"
    if peak_memory() > LARGEST:
        return f"the program is larger than {LARGEST >> 30} GB"
    return ""


def close_connections():
    """In a process that was just forked: a sleeping process ends when nobody is connected to it any more."""
    global latest, making
    for ref in alive:
        one = ref()
        if one is not None:
            with contextlib.suppress(OSError):  # another thread was closing it
                one.connection.close()
    alive.clear(), sleeping.clear()
    latest, making = None, threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=close_connections)


def forget():
    """Nobody traces any more: what no tape holds can go."""
    global latest
    latest = None
    with making:
        reap()


def peak_memory() -> int:
    """The most bytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# ---- in the sleeping process ---------------------------------------------------------------------------------------


def asleep(connection, files, trace, restore):
    """Wait for commands, and fork for each. Only the forked process returns from here."""
    sys.settrace(None), sys.setprofile(None)
    gc.set_threshold(*gc.get_threshold()[:2], 1 << 30)  # to look through all there is would copy every page of it
    os.setpgid(0, 0)  # no interrupt from the keyboard is meant for it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a replay ended
    shared = shared_memory()
    apart_files(files, {connection.fileno()})  # nobody waits for the end of what only this process holds open
    while True:
        try:
            answers = Connection(recv_handle(connection), readable=False)
            prepare, begin, command, seconds = connection.recv()
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
        look_after(pid, runs, connection, answers, seconds)
        os.close(runs), answers.close()


def look_after(pid, runs, connection, answers, seconds):
    """Wait until a replay is about to answer; answer for it if it ended before, or is late, or nobody waits for it."""
    ready = wait([connection, runs], seconds)
    if runs in ready and os.read(runs, 1):
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        answers.send("the replay ended without an answer" if ready else f"the block takes longer than {seconds:.2g} s")


def shared_memory() -> bool:
    """Could a replay write where others read? (Locks of multiprocessing are shared too, and tell nothing.)"""
    try:
        with open("/proc/self/maps") as maps:
            return any(" rw-s " in line and "/sem." not in line for line in maps)
    except OSError:
        return False


# ---- in a replay ---------------------------------------------------------------------------------------------------


def apart(answers, kept):
    """Let nothing that a replay does reach the world, but what it answers by these two."""
    global replay
    replay = answers, kept
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # whatever writes a file, unheard, ends with this signal
    sys.dont_write_bytecode = True
    os.environ.pop("DISPLAY", None), os.environ.pop("WAYLAND_DISPLAY", None)  # no window
    nowhere = apart_files(positions(), {kept, answers.fileno()})
    sys.stdin = sys.stdout = sys.stderr = os.fdopen(nowhere, "w+", closefd=False)
    sys.addaudithook(refuse_outside)


@functools.cache
def refuse_unheard():
    """Refuse what no audit event tells of. It is done once, in the sleeping process, for all that there is by then."""
    for name, what in UNHEARD.items():
        module, _, function = name.partition(".")
        with contextlib.suppress(ImportError):
            setattr(importlib.import_module(module), function, refusal(what))
    locks, databases = sys.modules.get("multiprocessing.synchronize"), sys.modules.get("sqlite3")
    if locks is not None:  # who would give it back?
        refused = refusal(OUTSIDE["import multiprocessing.synchronize"])
        locks.SemLock.__init__ = locks.SemLock.__enter__ = locks.SemLock.acquire = refused
        for one in instances(*locks.SemLock.__subclasses__()):
            one.acquire = refused
    for one in instances(databases.Connection, *databases.Connection.__subclasses__()) if databases else ():
        with contextlib.suppress(databases.ProgrammingError):  # it is closed, or another thread's
            one.set_trace_callback(refusal("uses a database"))


def instances(*kinds) -> list:
    """All objects of these very classes: they refer to them, and so no other object need be touched.

    No garbage is collected meanwhile: that would move the objects from the list that is walked along, and end Python.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return [one for one in gc.get_referrers(*kinds) if type(one) in kinds]
    finally:
        if collects:
            gc.enable()


def refusal(what):
    return lambda *_, **__: finish(f"the block {what}")


def positions() -> dict:
    """Each open file -> how far it is read, if it is a regular file that is only read; else None."""
    found = {}
    for number in [int(name) for name in os.listdir("/dev/fd")]:
        with contextlib.suppress(OSError):
            reads = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
            regular = reads and stat.S_ISREG(os.fstat(number).st_mode)
            found[number] = os.lseek(number, 0, os.SEEK_CUR) if regular else None
    return found


def apart_files(files, kept) -> int:
    """Files that are read get a position of their own; all others, and sockets, are closed, but those that are kept."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in files.keys() - kept:
        os.dup2(null, number) if files[number] is None else reopen(number, files[number], null)
    return null


def reopen(number, position, null):
    try:
        own = os.open(f"/proc/self/fd/{number}", os.O_RDONLY)
    except OSError:  # it may not be opened any more
        os.dup2(null, number)
    else:
        os.lseek(own, position, os.SEEK_SET)
        os.dup2(own, number)
        os.close(own)


def refuse_outside(event, arguments):
    """An audit hook: end the replay where the block would change the world."""
    if event == "open":
        path, _, flags = arguments
        what = "writes a file" if flags & WRITING and path != os.devnull else None
    else:
        what = OUTSIDE.get(f"import {arguments[0]}" if event == "import" else event)
    if what is not None:
        finish(f"the block {what}")


def finish(answer):
    """Answer, and end the replay: nothing of the program runs any more, no `finally` and no exit."""
    try:
        answers, about_to = replay
        os.write(about_to, b".")
        answers.send(answer)
    finally:
        os._exit(0)
