"""The log of a trace: what happened, where in the source, and with which values."""
