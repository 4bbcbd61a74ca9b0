"""Writes files whole or not at all, whatever comes between: a full disk, an interrupt, a kill."""

import contextlib
import os
import time

STALE = 60.0  # seconds after which a temporary file was left over by somebody who was stopped


def write(path, content, alone=False):
    """Give a file new content.

    Args:
        path: the file, as a Path.
        content: bytes.
        alone: whether nobody else can be writing it now, so that each temporary file is left over.
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
    """Rename a file. On Windows none can be replaced while somebody reads it, which is soon over."""
    for _ in range(50):
        with contextlib.suppress(PermissionError):
            fresh.replace(path)
            return
        time.sleep(0.02)
    fresh.replace(path)


def sweep(path, alone=False):
    """Delete the temporary files that were left over beside a file."""
    for old in leftovers(path):
        with contextlib.suppress(OSError):
            if alone or time.time() - old.lstat().st_mtime > STALE:
                old.unlink()


def leftovers(path):
    """The temporary files beside a file."""
    return [one for one in path.parent.glob("*.new") if one.name.startswith(f"{path.name}.")]
