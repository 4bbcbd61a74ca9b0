"""TensorFlow's top-level ops, and Python's operators."""
