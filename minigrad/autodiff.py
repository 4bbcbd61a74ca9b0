"""tf.autodiff: Jacobian-vector products, computed with two backward passes."""

from typing import Any

from . import nest
from .engine import dtypes, listeners_only, warn
from .engine.listening import Exit, listening
from .engine.questions import UnconnectedGradients, unconnected_mode
from .engine.tape import GradientTape
from .ops import convert_to_tensor, ones_like, zeros_like

__all__ = ["ForwardAccumulator", "GradientTape"]
__dir__ = __all__.copy  # what Tab offers


class ForwardAccumulator:
    """Computes Jacobian-vector products (JVPs): derivatives along one direction of the results computed in its block.

    For few inputs and many outputs, it needs fewer passes than the `jacobian` of a GradientTape. The tape computes a
    vector times the Jacobian (a VJP); this is linear in the vector, and its gradient with respect to the vector gives
    the JVP.

    Args:
        primals: the inputs: a Tensor or a Variable, or a nest of them.
        tangents: the direction: a Tensor for each primal, of its shape and dtype, in the same nest.

    Raises:
        ValueError: the structures or the dtypes differ, or a primal occurs twice.

    Note:
        For a function with a `custom_gradient`, that gradient is used; TensorFlow uses the ops of the function.

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
        self._around: tuple = ()  # the tapes and accumulators around its block
        self._tangents = [convert_to_tensor(dx, x.dtype) for x, dx in zip(self._primals, nest.flatten(tangents))]
        if len({x.id for x in self._primals}) < len(self._primals):
            problem = "Tensor {} was specified as a primal multiple times. This may indicate an error."
            raise ValueError(f"{problem} If it was intended, please sum the corresponding tangents.")
        for x in self._primals:
            if not dtypes.as_dtype(x.dtype).is_floating:
                warn("The dtype of the watched primal must be floating (e.g. tf.float32), got %r", x.dtype)

    def __enter__(self):
        if self._tape in listening.now:
            raise ValueError("Accumulator is already recording.")
        self._around = tuple(one for one in listening.now if one.tracked_ids is not None)
        self._tape.block = listening.blocks.get(self)
        self._tape.__enter__()
        self._tape.watch([x for x in self._primals if not dtypes.as_dtype(x.dtype).is_integer])
        return self

    @Exit
    def __exit__(self, here, *error):
        GradientTape.__exit__(self._tape, *error)
        here["blocks"].pop(self, None)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The Jacobian-vector products of outputs: their derivatives along the tangents.

        Args:
            primals: a Tensor computed in the block, or a nest of such Tensors.
            unconnected_gradients: the result for a Tensor that does not depend on the primals:
                `mg.UnconnectedGradients.NONE` (None) or `ZERO` (zeros).

        Returns:
            A Tensor of the same shape for each output, or None, in the same nest.

        Raises:
            ValueError: `unconnected_gradients` is neither NONE nor ZERO.
        """
        zeros = unconnected_mode(unconnected_gradients) is UnconnectedGradients.ZERO
        traces = [one for one in listening.now if one.tracked_ids is None]
        with listeners_only(*traces, *filter(still_records, self._around)):
            found = [self._jvp(y) for y in nest.flatten(primals)]
            found = [zeros_like(y) if zeros and dy is None else dy for y, dy in zip(nest.flatten(primals), found)]
        return nest.pack_sequence_as(primals, found)

    def _jvp(self, y):
        """The derivative of one output along the tangents, or None."""
        for x, tangent in zip(self._primals, self._tangents):
            if y.id == x.id:
                return tangent
        if y.id not in self._tape.tracked_ids:
            return None
        vector = ones_like(y)  # any value will do: the result does not depend on it
        with GradientTape() as tape:
            tape.watch(vector)
            vjps = self._tape.gradient(y, self._primals, output_gradients=vector)
            pairs = [(convert_to_tensor(dx), tangent) for dx, tangent in zip(vjps, self._tangents) if dx is not None]
        return tape.gradient([dx for dx, _ in pairs], vector, output_gradients=[tangent for _, tangent in pairs])


def still_records(tape) -> bool:
    """Whether the tape can still be asked. A JVP belongs to the block, so the tapes around the block record it."""
    try:
        return tape.steps is not None
    except ReferenceError:  # the tape no longer exists
        return False
