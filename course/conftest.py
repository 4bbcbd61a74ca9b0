"""Lessons are tested as nobody has begun them yet, whoever has."""

import os
from pathlib import Path

os.environ.setdefault("MINIGRAD_SECONDS", "30")  # on a busy machine an answer takes longer, and is the same
os.environ["MINIGRAD_PROGRESS"] = str(Path(__file__).parent / "nobody" / "progress.json")
collect_ignore = ["book", "my_copies"]


def pytest_collectstart(collector):
    """Of an output its text is compared; its page, which a film has besides, is long and not stored."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("text/html",)
