"""Explain why a gradient is None or wrong: the code behind `tape.explain`; `mg.explain.codes()` lists the causes.

The log of a trace becomes a dependency graph (search). Replays of the tape's block (experiment) show which values came
back in, and what they carry; trials show which fix is right. The answer is worded with the texts of the pages (answer).
"""

from .answer import explain
from .causes import Cause, Code, codes
from .explanation import BrokenGradient, Explanation

__all__ = ["BrokenGradient", "Cause", "Code", "Explanation", "codes", "explain"]
