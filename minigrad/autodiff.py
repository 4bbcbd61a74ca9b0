"""tf.autodiff: derivatives along one direction, by two walks backwards."""

from typing import Any

from . import nest
from .engine import dtypes
from .engine.listening import listeners_only, listening, warn
from .engine.questions import UnconnectedGradients, unconnected_mode
from .engine.tape import GradientTape
from .ops.creation import convert_to_tensor, ones_like, zeros_like

__all__ = ["ForwardAccumulator", "GradientTape"]
__dir__ = __all__.copy  # what Tab offers


class ForwardAccumulator:
    """Gives the derivative of what is computed in its block, along one direction: the Jacobian times a vector.

    Where a Jacobian has few columns, this is quicker than a GradientTape, which gives a vector times the Jacobian. (A
    tape's answer is linear in that vector, and its gradient with respect to the vector is what is wanted.)

    Args:
        primals: a Tensor or a Variable, or a nest of them: where to differentiate.
        tangents: the direction, in the form of `primals`: how fast each of them changes.

    Raises:
        ValueError: the two differ in form or dtype, or a primal comes twice.

    Note:
        The derivatives of a `custom_gradient` are those that it brings, whereas TensorFlow takes those of its ops.

    >>> import minigrad as mg
    >>> x = mg.Variable([1.0, 2.0])
    >>> with mg.autodiff.ForwardAccumulator(x, mg.constant([1.0, 0.0])) as acc:
    ...     y = x * x * x[::-1]
    >>> print(acc.jvp(y).numpy())
    [4. 4.]
    """

    def __init__(self, primals: Any, tangents: Any):
        nest.assert_same_structure(primals, tangents)
        self._primals, self._tape = nest.flatten(primals), GradientTape(persistent=True, watch_accessed_variables=False)
        self._tangents = [convert_to_tensor(dx, x.dtype) for x, dx in zip(self._primals, nest.flatten(tangents))]
        if len({x.id for x in self._primals}) < len(self._primals):
            raise ValueError(
                "Tensor {} was specified as a primal multiple times. This may indicate an error. If it was intended, please sum the "
                "corresponding tangents."
            )
        for x in self._primals:
            if not dtypes.as_dtype(x.dtype).is_floating:
                warn("The dtype of the watched primal must be floating (e.g. tf.float32), got %r", x.dtype)

    def __enter__(self):
        if self._tape in listening.now:
            raise ValueError("Accumulator is already recording.")
        self._tape.__enter__()
        self._tape.watch([x for x in self._primals if not dtypes.as_dtype(x.dtype).is_integer])
        return self

    def __exit__(self, *error):
        self._tape.__exit__(*error)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """How fast what was computed changes, when the primals change as the tangents say.

        Args:
            primals: a Tensor that was computed in the block, or a nest of them.
            unconnected_gradients: what to give for one that does not depend on the primals: None, or zeros.

        Returns:
            In the form of `primals`: a Tensor of the same shape for each.

        Raises:
            ValueError: `unconnected_gradients` is neither NONE nor ZERO.
        """
        zeros = unconnected_mode(unconnected_gradients) is UnconnectedGradients.ZERO
        with listeners_only(*[one for one in listening.now if one is not self._tape]):
            found = [self._along(y) for y in nest.flatten(primals)]
            found = [zeros_like(y) if zeros and dy is None else dy for y, dy in zip(nest.flatten(primals), found)]
        return nest.pack_sequence_as(primals, found)

    def _along(self, y):
        for x, tangent in zip(self._primals, self._tangents):
            if y.id == x.id:
                return tangent
        if y.id not in self._tape.tracked_ids:
            return None
        vector = ones_like(y)  # any would do
        with GradientTape() as linear:
            linear.watch(vector)
            slopes = self._tape.gradient(y, self._primals, output_gradients=vector)
            pairs = [(convert_to_tensor(dx), tangent) for dx, tangent in zip(slopes, self._tangents) if dx is not None]
        return linear.gradient([dx for dx, _ in pairs], vector, output_gradients=[tangent for _, tangent in pairs])
