"""What the learner predicted and solved: kept in memory, and beside the lessons in one small file.

Several kernels may write at once: each writes while it holds a lock, and adds to what is there. What cannot be read is never
written over.
"""

import contextlib
import json
import os
import time
from pathlib import Path

from minigrad.errors import visible

COURSE = Path(__file__).resolve().parent.parent
FILE = Path(os.environ.get("MINIGRAD_PROGRESS") or COURSE / ".progress.json")
KINDS = "predictions", "solved"
MOST = 80  # letters of a note
STALE = 60.0  # seconds after which a temporary file was left over by somebody who was stopped


def empty():
    return {kind: {} for kind in KINDS}


memory = empty()
said = set()  # troubles that were told


def keep(kind, exercise, value):
    """Keep one note, a text, and return it as it is shown: on one line, not too long."""
    text = visible(" ".join(value.split()), MOST)
    memory[kind][exercise] = text
    change(lambda notes: None)
    return text


def forget(lesson):
    """Drop the notes on a lesson."""

    def drop(notes):
        for kind in KINDS:
            for exercise in [one for one in notes[kind] if one.partition(".")[0] == lesson]:
                del notes[kind][exercise]

    drop(memory)
    change(drop)


def kept(kind, exercise):
    """A note, from this session or an earlier one; None if there is none."""
    note = memory[kind].get(exercise) or all_kept(kind).get(exercise)
    return note and visible(note, MOST)


def all_kept(kind):
    """All notes of a kind, by exercise."""
    with trouble_told():
        return on_disk()[kind] | memory[kind]
    return dict(memory[kind])


# ---- the file ------------------------------------------------------------------------------------------------------


def change(edit):
    """Edit the notes in the file, and add what is in memory. If it cannot be read or written now, memory keeps its notes."""
    with trouble_told(), locked():
        notes = on_disk()
        edit(notes)
        for kind in KINDS:
            notes[kind] |= memory[kind]
        write(notes)


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
    """A block that no other process is in. The system takes the lock from a process that ends, however it ends."""
    with open(FILE.with_name(f"{FILE.name}.lock"), "a+b") as file:
        lock(file)
        yield  # closing the file gives the lock back


def lock(file):
    """Wait for the lock on an open file. Where the file system has no locks, go on without."""
    with contextlib.suppress(OSError):
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        except ImportError:  # Windows
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)


def on_disk():
    """The notes in the file, with whatever a newer version has put beside them. Only a missing file is empty.

    Raises:
        OSError: the file is there, and cannot be read now.
    """
    try:
        notes = json.loads(FILE.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return empty()
    except (ValueError, RecursionError):
        notes = None
    if makes_sense(notes):
        return empty() | notes
    set_aside()
    return empty()


def makes_sense(notes):
    """Are these notes as `keep` writes them?"""
    if not isinstance(notes, dict):
        return False
    kinds = [notes.get(kind, {}) for kind in KINDS]
    return all(isinstance(kind, dict) and all(isinstance(text, str) for text in kind.values()) for kind in kinds)


def set_aside():
    """Keep a file that makes no sense under another name, never over an older one."""
    names = (FILE.with_name(f"{FILE.name}.unreadable{n or ''}") for n in range(1000))
    aside = next(name for name in names if not name.exists())
    with contextlib.suppress(FileNotFoundError):  # another process was quicker
        FILE.rename(aside)
        name, kept = visible(FILE.name), visible(aside.name)
        print(f"(Your notes in {name} could not be read. They are kept in {kept}, and a new file is begun.)")


def write(notes):
    """Put notes in the place of the file, whole or not at all."""
    for old in FILE.parent.glob(f"{FILE.name}.*.new"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > STALE:
                old.unlink()
    fresh = FILE.with_name(f"{FILE.name}.{os.getpid()}.new")
    try:
        fresh.write_text(json.dumps(notes, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        put_in_place(fresh)
    finally:
        fresh.unlink(missing_ok=True)


def put_in_place(fresh):
    """Give the file its new content. On Windows it cannot be replaced while somebody reads it, which is soon over."""
    for _ in range(50):
        with contextlib.suppress(PermissionError):
            fresh.replace(FILE)
            return
        time.sleep(0.02)
    fresh.replace(FILE)
