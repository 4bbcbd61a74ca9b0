"""Why a gradient is None, and when it is a wrong number: `tape.explain` asks here. `mg.explain.codes()` lists the causes.

The log of a trace becomes a graph of what depends on what (search); the cheapest way through it says how many mends a
gradient needs (answer); each broken edge has a code (codes), a sentence and a mend (causes). source reads the user's lines.
"""

from .answer import BrokenGradient, explain
from .causes import Cause
from .codes import Code, codes
from .explanation import Explanation

__all__ = ["BrokenGradient", "Cause", "Code", "Explanation", "codes", "explain"]
