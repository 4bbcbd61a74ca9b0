"""The engine: a Tensor, an op, a tape, and the way back. It imports NumPy, `errors` and `nest`, and nothing above it."""
