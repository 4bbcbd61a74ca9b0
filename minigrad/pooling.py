"""tf.nn's pooling."""
__all__ = []
