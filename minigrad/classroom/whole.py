"""Writes files completely or not at all, even on a full disk, an interrupt or a kill."""

import contextlib
import os
import re
import time

STALE = 60.0  # seconds after which a temporary file counts as left over from an interrupted process


def write(path, content, alone=False):
    """Replace the content of a file.

    Args:
        path: the file, as a Path.
        content: bytes.
        alone: whether no other process can be writing the file now, so that every temporary file is a leftover.
    """
    sweep(path, alone)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        fresh.unlink(missing_ok=True)
        with fresh.open("xb") as file:
            file.write(content)
        put_in_place(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def put_in_place(fresh, path):
    """Rename a file. On Windows a file cannot be replaced while another process reads it, so this waits a little."""
    for _ in range(50):
        with contextlib.suppress(PermissionError):
            fresh.replace(path)
            return
        time.sleep(0.02)
    fresh.replace(path)


def sweep(path, alone=False):
    """Delete the temporary files left over beside a file."""
    for old in leftovers(path):
        with contextlib.suppress(OSError):
            if alone or time.time() - old.lstat().st_mtime > STALE:
                old.unlink()


def leftovers(path):
    """The temporary files beside a file."""
    return [one for one in path.parent.glob("*.new") if re.fullmatch(rf"{re.escape(path.name)}\.\d+\.new", one.name)]
