"""What the learner predicted, solved and met, kept in memory and in a small file beside the lessons.

Several kernels may write at the same time: each applies its own changes to the current file while it holds a lock. A
file that cannot be read is never overwritten.
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
MOST = 80  # characters of a note
PATIENCE = 20.0  # seconds to wait for a session that holds the lock; normally it takes milliseconds


def empty():
    return {kind: {} for kind in KINDS}


memory = empty()  # the notes of this session
pending = []  # changes not yet in the file
said = set()  # problems already reported


def keep(kind, exercise, value):
    """Keep a note, a text, and return it as it is shown: on one line, and not too long."""
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
            change(lambda notes: None)  # this sets an invalid file aside
        return (notes or empty())[kind] | memory[kind]
    return dict(memory[kind])


# ---- the file ------------------------------------------------------------------------------------------------------


def change(edit):
    """Edit the notes in memory and in the file. If the file cannot be used now, the next call makes this change too."""
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
    """A block in which file errors may occur: each error is reported once, and the notes stay in memory."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in said:
            said.add(problem.errno)
            why = problem.strerror or type(problem).__name__
            print(f"(Your notes stay in this session alone: {visible(FILE.name or FILE)} cannot be used now. {visible(why)}.)")


@contextlib.contextmanager
def locked():
    """A block for one process at a time, and whether that is certain. A process that ends in any way leaves it."""
    with open(f"{FILE}.lock", "a+b") as file:
        yield lock(file)  # closing the file releases the lock


def lock(file):
    """Wait for the lock on an open file. Returns whether we have it: some file systems, and browsers, have no locks.

    Raises:
        TimeoutError: another session holds it.
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
    except ImportError:  # Windows; a browser has neither module
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)


def on_disk():
    """The notes in the file, with the additions of newer versions; {} if there is no file, None if it is invalid.

    Raises:
        OSError: the file exists, but cannot be read now.
    """
    try:
        if not stat.S_ISREG(FILE.stat().st_mode):
            raise OSError(errno.EINVAL, "It is not a file")  # reading from a pipe would wait
        notes = json.loads(FILE.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        return None
    return empty() | notes if makes_sense(notes) else None


def makes_sense(notes):
    """Whether these notes have the form that `keep` writes."""
    if not isinstance(notes, dict):
        return False
    kinds = [notes.get(kind, {}) for kind in KINDS]
    return all(isinstance(kind, dict) and all(isinstance(text, str) for text in kind.values()) for kind in kinds)


def set_aside():
    """Rename an invalid file, without overwriting an older one."""
    names = (FILE.with_name(f"{FILE.name}.unreadable{n or ''}") for n in itertools.count())
    aside = next(name for name in names if not name.exists())
    FILE.rename(aside)
    name, kept = visible(FILE.name), visible(aside.name)
    print(f"(Your notes in {name} could not be read. They are kept in {kept}, and a new file is begun.)")


with trouble_told():
    if whole.leftovers(FILE):
        with locked() as alone:
            whole.sweep(FILE, alone)
