"""Why a gradient is None, and when it is wrong: `tape.explain` asks here; `mg.explain.codes()` lists the causes.

The log of a trace becomes a graph of what depends on what (search). Replays of the tape's block (experiment) tell which
values came back in, and what they carry; trials tell which fix is right. answer says it in the words of the pages.
"""

from .answer import explain
from .causes import Cause, Code, codes
from .explanation import BrokenGradient, Explanation

__all__ = ["BrokenGradient", "Cause", "Code", "Explanation", "codes", "explain"]
