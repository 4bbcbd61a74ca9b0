"""The log of a trace: what happened, where in the source, with which values."""
