"""What TensorFlow answers otherwise: the list in tests/agreement.py, with the function that each entry is about."""

import re
import sys

from .documents import ROOT


def differing():
    """(name of a function such as "mg.tile", expression, reason), for what the tests accept."""
    sys.path.append(str(ROOT))
    try:
        from tests.agreement import ACCEPTED
    finally:
        sys.path.remove(str(ROOT))
    found = []
    for (scenario, text), why in ACCEPTED.items():
        names = re.findall(r"\bmg(?:\.\w+)+", text) if scenario.startswith("corners.") else []
        called = [name for name in names if name not in ("mg.constant", "mg.Variable", "mg.int8", "mg.float64")]
        found += [(called[0], text, why)] if called else []
    return found
