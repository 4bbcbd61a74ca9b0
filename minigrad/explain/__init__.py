"""Why a gradient is None, and when it is a wrong number: `tape.explain` asks here. `mg.explain.codes()` lists the causes.

The log of a trace becomes a graph of what depends on what (search); the cheapest way through it says how many fixes a
gradient needs (answer). causes has a page, a sentence and a fix for each code. For values that left the engine and came
back, source reads the user's lines, and returns follows them; fixes writes such a line anew.
"""

from .answer import explain
from .causes import Cause, Code, codes
from .explanation import BrokenGradient, Explanation

__all__ = ["BrokenGradient", "Cause", "Code", "Explanation", "codes", "explain"]
