"""An op on the path has no gradient."""

import minigrad as mg

from . import program


@program("none", "broken", "NOT_REGISTERED", "AdjustContrastv2", plain=("none", "broken", "NOT_REGISTERED"))
def _no_gradient_registered():
    """An op of images without a gradient: tape.gradient raises, and explain must name the op and must not raise itself."""
    image = mg.Variable([[[0.5, 0.0, 0.0]]])
    with mg.GradientTape() as tape:
        y = mg.image.adjust_contrast(image, 0.1)
    return tape.explain(y, image)
