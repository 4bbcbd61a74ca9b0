"""Keras's own tests, run on minigrad."""
