"""What the learner predicted, solved and met: kept in memory, and beside the lessons in one small file.

Several kernels may write at once: each makes its own changes to what is there, while it holds a lock. What cannot be read is
never written over.
"""

import contextlib
import errno
import itertools
import json
import os
import stat
import time
from pathlib import Path

from minigrad.classroom import whole
from minigrad.errors import visible

COURSE = Path(__file__).resolve().parent.parent
FILE = Path(os.path.realpath(os.environ.get("MINIGRAD_PROGRESS") or COURSE / ".progress.json"))
KINDS = "predictions", "solved", "mistakes"
MOST = 80  # letters of a note
PATIENCE = 20.0  # seconds to wait for a session that holds the lock, which takes it for milliseconds


def empty():
    return {kind: {} for kind in KINDS}


memory = empty()  # the notes of this session
pending = []  # changes that the file does not have yet
said = set()  # troubles that were told


def keep(kind, exercise, value):
    """Keep one note, a text, and return it as it is shown: on one line, not too long."""
    text = visible(" ".join(value.split()), MOST)
    change(lambda notes: notes[kind].update({exercise: text}))
    return text


def forget(lesson):
    """Drop the notes on a lesson."""

    def drop(notes):
        for kind in KINDS:
            for exercise in [one for one in notes[kind] if one.partition(".")[0] == lesson]:
                del notes[kind][exercise]

    change(drop)


def kept(kind, exercise):
    """A note, from this session or an earlier one; None if there is none."""
    note = memory[kind].get(exercise) or all_kept(kind).get(exercise)
    return note and visible(note, MOST)


def all_kept(kind):
    """All notes of a kind, by exercise."""
    with trouble_told():
        notes = on_disk()
        if notes is None:
            change(lambda notes: None)  # which sets the file aside
        return (notes or empty())[kind] | memory[kind]
    return dict(memory[kind])


# ---- the file ------------------------------------------------------------------------------------------------------


def change(edit):
    """Edit the notes in memory and in the file. If it cannot be read or written now, it has the change with the next one."""
    edit(memory)
    pending.append(edit)
    with trouble_told(), locked() as alone:
        edits = list(pending)
        notes = on_disk()
        if notes is None:
            set_aside()
        notes = notes or {kind: dict(memory[kind]) for kind in KINDS}
        for one in edits:
            one(notes)
        whole.write(FILE, json.dumps(notes, indent=1, sort_keys=True).encode() + b"\n", alone)
        del pending[: len(edits)]


@contextlib.contextmanager
def trouble_told():
    """A block that may fail as files do: each trouble is told once, and the notes stay in memory."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in said:
            said.add(problem.errno)
            why = problem.strerror or type(problem).__name__
            print(f"(Your notes stay in this session alone: {visible(FILE.name)} cannot be used now. {visible(why)}.)")


@contextlib.contextmanager
def locked():
    """A block that no other process is in, and whether that is certain. A process that ends, however it ends, is out of it."""
    with open(FILE.with_name(f"{FILE.name}.lock"), "a+b") as file:
        yield lock(file)  # closing the file gives the lock back


def lock(file):
    """Wait for the lock on an open file. Returns whether we have it: some file systems have no locks, nor has a browser.

    Raises:
        TimeoutError: another session keeps it.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            take(file)
            return True
        except (BlockingIOError, PermissionError):
            time.sleep(0.003)
        except (OSError, ImportError):
            return False
    raise TimeoutError(errno.ETIMEDOUT, "Another session keeps its lock")


def take(file):
    """Take the lock on an open file, or fail at once."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock

        flock(file, LOCK_EX | LOCK_NB)
    except ImportError:  # Windows, or a browser, which has neither
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)


def on_disk():
    """The notes in the file, with whatever a newer version has put beside them; {} if there is no file, None if it is nonsense.

    Raises:
        OSError: the file is there, and cannot be read now.
    """
    try:
        if not stat.S_ISREG(FILE.stat().st_mode):
            raise OSError(errno.EINVAL, "It is not a file")  # a pipe would be waited for
        notes = json.loads(FILE.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        return None
    return empty() | notes if makes_sense(notes) else None


def makes_sense(notes):
    """Are these notes as `keep` writes them?"""
    if not isinstance(notes, dict):
        return False
    kinds = [notes.get(kind, {}) for kind in KINDS]
    return all(isinstance(kind, dict) and all(isinstance(text, str) for text in kind.values()) for kind in kinds)


def set_aside():
    """Keep a file that makes no sense under another name, never over an older one."""
    names = (FILE.with_name(f"{FILE.name}.unreadable{n or ''}") for n in itertools.count())
    aside = next(name for name in names if not name.exists())
    FILE.rename(aside)
    name, kept = visible(FILE.name), visible(aside.name)
    print(f"(Your notes in {name} could not be read. They are kept in {kept}, and a new file is begun.)")


if whole.leftovers(FILE):
    with contextlib.suppress(OSError), locked() as alone:
        whole.sweep(FILE, alone)
