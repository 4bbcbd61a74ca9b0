"""Why a gradient is None, and when it is a wrong number: `tape.explain` asks here. `mg.explain.codes()` lists the causes.

The log of a trace becomes a graph of what depends on what (search); the cheapest way through it says how many mends a
gradient needs (answer). causes has a page, a sentence and a mend for each code. For values that left the engine and came
back, source reads the user's lines, and returns follows them; mends writes such a line anew.
"""

from .answer import explain
from .causes import Cause, Code, codes
from .explanation import BrokenGradient, Explanation

__all__ = ["BrokenGradient", "Cause", "Code", "Explanation", "codes", "explain"]
