"""The same programs on minigrad and on TensorFlow: `python -m tests.conformance` with TensorFlow 2.21 installed."""
