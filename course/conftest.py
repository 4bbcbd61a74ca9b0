"""Lessons are tested as nobody has begun them yet, whoever has."""

import os
from pathlib import Path

os.environ["MINIGRAD_PROGRESS"] = str(Path(__file__).parent / "nobody" / "progress.json")
collect_ignore = ["my_copies"]
