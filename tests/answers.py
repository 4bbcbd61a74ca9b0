"""What test files share: calls beside what TensorFlow answered."""

import numpy as np
import pytest

import minigrad as mg


def agrees_with_tensorflow(function, x, value, gradient):
    """Assert the value y, and the gradient of sum(y * y)."""
    x = mg.constant(x)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        total = mg.reduce_sum(y * y)
    np.testing.assert_allclose(y.numpy(), value, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(mg.convert_to_tensor(tape.gradient(total, x)).numpy(), gradient, rtol=2e-3, atol=2e-4)


def refused(call, text, error):
    """Assert that the call raises this error, and that its message holds this text."""
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
