"""What the learner predicted and solved: kept in memory, and beside the lessons in one small file."""

import json
import os
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent
FILE = Path(os.environ.get("MINIGRAD_PROGRESS") or COURSE / ".progress.json")


def empty():
    return {"predictions": {}, "solved": {}}


memory = empty()


def keep(kind, exercise, value):
    """Keep one note, and return it as text."""
    text = " ".join(str(value).split())[:80]
    memory[kind][exercise] = text
    notes = on_disk()
    notes[kind][exercise] = text
    write(notes)
    return text


def write(notes):
    """Put notes in the place of the file, whole or not at all."""
    try:
        fresh = FILE.with_name(f"{FILE.name}.{os.getpid()}")
        fresh.write_text(json.dumps(notes, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        fresh.replace(FILE)
    except OSError:
        pass  # a folder that cannot be written: memory has it


def kept(kind, exercise):
    """A note, from this session or an earlier one; None if there is none."""
    return memory[kind].get(exercise) or on_disk()[kind].get(exercise)


def all_kept(kind):
    """All notes of a kind, by exercise."""
    return on_disk()[kind] | memory[kind]


def forget(lesson):
    """Drop the notes on a lesson."""
    notes = on_disk()
    for kept in (memory, notes):
        for kind in kept:
            kept[kind] = {exercise: text for exercise, text in kept[kind].items() if exercise.partition(".")[0] != lesson}
    write(notes)


def on_disk():
    """The notes in the file. A file that makes no sense is set aside under another name, and that is said."""
    try:
        notes = json.loads(FILE.read_text(encoding="utf-8"))
    except OSError:
        notes = empty()
    except (ValueError, RecursionError):
        notes = None
    if makes_sense(notes):
        return notes
    set_aside()
    return empty()


def makes_sense(notes):
    """Are these notes as `keep` writes them?"""
    if not isinstance(notes, dict) or notes.keys() != empty().keys():
        return False
    return all(isinstance(kind, dict) and all(isinstance(text, str) for text in kind.values()) for kind in notes.values())


def set_aside():
    """Keep an unreadable file, never over an older one."""
    names = (FILE.with_name(f"{FILE.name}.unreadable{n or ''}") for n in range(1000))
    try:
        aside = next(name for name in names if not name.exists())
        FILE.rename(aside)
        print(f"(Your notes in {FILE.name} could not be read. They are kept in {aside.name}, and a new file is begun.)")
    except (OSError, StopIteration):
        pass
