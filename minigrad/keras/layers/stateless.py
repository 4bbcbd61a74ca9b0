"""Layers without weights: activations, functions and shapes of one input, and merges of several inputs."""

import functools
import inspect
import itertools
import warnings

import numpy as np

from ... import math
from ...engine import convert, dtypes, named
from ...engine.listening import failing
from ...errors import received, visible
from ...ops import creation, gathering, shaping
from .. import activations
from ..activations import as_dtype
from ..utils import mapped
from .base import Layer, check_format, check_rank, shape_of

# ---- activations ---------------------------------------------------------------------------------------------------


class Activation(Layer):
    """An activation function of the inputs.

    Args:
        activation: a name of `keras.activations`, or a function.
        **kwargs: those of `Layer`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Activation("relu")(mg.constant([-2.0, 3.0])).numpy())
    [0. 3.]
    """

    _weightless = supports_masking = True

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs):
        return self.activation(inputs)


class ReLU(Layer):
    """`keras.activations.relu` with these settings.

    Args:
        max_value: the largest output; None for no limit.
        negative_slope: the slope below the threshold.
        threshold: inputs up to here give `negative_slope * (x - threshold)`.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: a setting is negative, or one of the last two is None.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.ReLU(max_value=2.0)(mg.constant([-2.0, 1.0, 3.0])).numpy())
    [0. 1. 2.]
    """

    _weightless = supports_masking = True

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs):
        if max_value is not None and max_value < 0:
            raise received("max_value of a ReLU layer cannot be a negative value.", max_value=max_value)
        for name, value in (("negative_slope", negative_slope), ("threshold", threshold)):
            if value is None or value < 0:
                raise received(f"{name} of a ReLU layer cannot be None or a negative value.", **{name: value})
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs):
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(Layer):
    """`keras.activations.leaky_relu` with this slope for negative inputs.

    Raises:
        ValueError: the slope is negative or None.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.LeakyReLU(0.5)(mg.constant([-2.0, 3.0])).numpy())
    [-1.  3.]
    """

    _weightless = supports_masking = True

    def __init__(self, negative_slope=0.3, **kwargs):
        if "alpha" in kwargs:
            negative_slope = kwargs.pop("alpha")
            warnings.warn("Argument `alpha` is deprecated. Use `negative_slope` instead.", stacklevel=2)
        if negative_slope is None or negative_slope < 0:
            problem = "The negative_slope value of a Leaky ReLU layer cannot be None or negative value."
            raise ValueError(f"{problem} Expected a float. Received: negative_slope={negative_slope}")
        super().__init__(**kwargs)
        self.negative_slope = negative_slope

    def call(self, inputs):
        return activations.leaky_relu(inputs, self.negative_slope)


class ELU(Layer):
    """`keras.activations.elu` with this `alpha`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.ELU(2.0)(mg.constant([-100.0, 3.0])).numpy())
    [-2.  3.]
    """

    _weightless = supports_masking = True

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs):
        return activations.elu(inputs, self.alpha)


class Softmax(Layer):
    """exp(x) / sum(exp(x)) along an axis, or over several axes.

    In a call, a `mask` that broadcasts to the inputs can be passed: the output is 0 where it is False, or at most 0.5.

    Args:
        axis: an axis, or a list of axes.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: (in a call) the mask does not broadcast to the inputs.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Softmax()(mg.constant([0.0, 0.0])).numpy())
    [0.5 0.5]
    """

    _weightless = supports_masking = True

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs, mask=None):
        if mask is not None:
            return self.masked_softmax(inputs, mask)
        if not isinstance(self.axis, (list, tuple)):
            return activations.softmax(inputs, self.axis)
        if len(self.axis) > 1:
            return math.exp(inputs - math.reduce_logsumexp(inputs, self.axis, True))
        return activations.softmax(inputs, self.axis[0])

    def masked_softmax(self, inputs, mask):
        """The softmax of the inputs where the mask is True or greater than 0.5, elsewhere 0."""
        shapes = {"inputs.shape": inputs.shape, "mask.shape": mask.shape}
        if len(mask.shape) > len(inputs.shape):
            raise received("The `mask` must be broadcastable to `inputs` and must not have more dimensions.", **shapes)
        if not all(m in (1, n) for m, n in zip(mask.shape, inputs.shape[-len(mask.shape) :])):
            advice = "Each mask dimension must be 1 or match the corresponding input dimension."
            raise received(f"The `mask` must be broadcastable to `inputs`. {advice}", **shapes)
        mask = mask if mask.dtype == dtypes.bool else mask > creation.cast(0.5, mask.dtype)
        inputs = inputs if inputs.dtype.is_floating else creation.cast(inputs, dtypes.float32)
        lowest = -3e4 if inputs.dtype == dtypes.float16 else -1e9
        return gathering.where(mask, self.call(gathering.where(mask, inputs, lowest)), 0.0)


# ---- functions and shapes ------------------------------------------------------------------------------------------


class Lambda(Layer):
    """A Python function of the inputs.

    Args:
        function: takes the inputs, and, if it has a parameter of this name, their `mask`, and whether the model is in
            `training`.
        output_shape: accepted as in Keras, without effect.
        mask: the mask of the outputs, or a function of the inputs and their mask that returns it.
        arguments: a dict of further keyword arguments of the function.
        **kwargs: those of `Layer`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Lambda(lambda x: 2.0 * x)(mg.constant([1.0, 2.0])).numpy())
    [2. 4.]
    """

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        if not callable(function):
            raise TypeError(f"unsupported callable. Received: function={visible(function)}")
        self.function, self.arguments, self.mask = function, arguments or {}, mask
        self.supports_masking = mask is not None

    def compute_mask(self, inputs, mask=None):
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def call(self, inputs, mask=None, training=None):
        told, parameters = {"mask": mask, "training": training}, inspect.signature(self.function).parameters
        told = {name: one for name, one in told.items() if name in parameters}
        return self.function(inputs, **self.arguments, **told)


class Identity(Layer):
    """The inputs, unchanged.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Identity()(mg.constant([1.0, 2.0])).numpy())
    [1. 2.]
    """

    _weightless = supports_masking = True

    def call(self, inputs):
        return inputs


class Masking(Layer):
    """The inputs, with a mask for later layers and the loss: steps count unless all features equal the mask value.

    Args:
        mask_value: the value of all features of a step that does not count; the output there is 0.
        **kwargs: those of `Layer`.

    >>> import minigrad as mg
    >>> x = mg.constant([[[1.0, 2.0], [9.0, 9.0]]])
    >>> print(mg.keras.layers.Masking(9.0)(x).numpy(), mg.keras.layers.Masking(9.0).compute_mask(x).numpy())
    [[[1. 2.]
      [0. 0.]]] [[ True False]]
    """

    _weightless = True

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs, mask=None):
        return math.reduce_any(math.not_equal(inputs, self.mask_value), -1)

    def call(self, inputs):
        counted = shaping.expand_dims(self.compute_mask(inputs), -1)
        return gathering.where(counted, inputs, creation.zeros_like(inputs))


class Rescaling(Layer):
    """inputs * scale + offset, in the dtype of the layer.

    Args:
        scale, offset: numbers, or arrays that broadcast to the inputs.
        **kwargs: those of `Layer`.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Rescaling(0.5, 1.0)(mg.constant([0, 1, 4])).numpy())
    [1.  1.5 3. ]
    """

    supports_masking = True

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs):
        return as_dtype(inputs, self.dtype) * as_dtype(self.scale, self.dtype) + as_dtype(self.offset, self.dtype)


class Flatten(Layer):
    """Each example as a vector: inputs of shape (batch, ...) become (batch, n).

    Args:
        data_format: "channels_first" moves the second axis to the end first; "channels_last" or None does not.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: there is no such format; or (in a call) the input is not a Tensor or is a scalar.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Flatten()(mg.ones([2, 3, 4])).shape)
    (2, 12)
    """

    def __init__(self, data_format=None, **kwargs):
        self.data_format = check_format(data_format)
        super().__init__(**kwargs)

    def _check_input(self, inputs):
        check_rank(self, inputs, 1)

    def call(self, inputs):
        if self.data_format == "channels_first" and len(inputs.shape) > 2:
            inputs = shaping.transpose(inputs, [0, *range(2, len(inputs.shape)), 1])
        return shaping.reshape(inputs, (inputs.shape[0], int(np.prod(inputs.shape[1:]))))


class Reshape(Layer):
    """Each example in a new shape: inputs of shape (batch, ...) become (batch, *target_shape).

    Args:
        target_shape: the shape of an example; one length may be -1, to be inferred from the others.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: two lengths are -1; or (in a call) an example has another number of elements.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Reshape([2, 3])(mg.ones([5, 6])).shape)
    (5, 2, 3)
    """

    _weightless = True

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        for length in self.target_shape:
            if not isinstance(length, (int, np.integer)) or isinstance(length, bool) or length < -1:
                problem = "Each dimension in `target_shape` must be a non-negative integer,"
                given = f"Received: target_shape={self.target_shape}."
                raise ValueError(f"{problem} or `-1` for a single unknown dimension. {given}")
        if self.target_shape.count(-1) > 1:
            problem = "There must be at most one unknown dimension (-1) in `target_shape`."
            raise ValueError(f"{problem} Received: target_shape={self.target_shape}.")

    def compute_output_shape(self, input_shape):
        batch, *lengths = input_shape
        if None in lengths:
            return (batch, *[None if n == -1 else n for n in self.target_shape])
        size, known = int(np.prod(lengths)), int(np.prod(self.target_shape))  # -1 only changes its sign
        fits = known and size % known == 0 if -1 in self.target_shape else size == known
        if not fits:
            given = f"input_shape={tuple(lengths)}, target_shape={self.target_shape}"
            raise ValueError(f"The total size of the tensor must be unchanged. Received: {given}")
        return (batch, *[size // -known if n == -1 else n for n in self.target_shape])

    def call(self, inputs):
        return shaping.reshape(inputs, self.compute_output_shape(inputs.shape))


# ---- merges --------------------------------------------------------------------------------------------------------


class Merge(Layer):
    """The base class of layers that compute one Tensor from a list of Tensors."""

    supports_masking = True
    needs = "A merge layer should be called on a list of inputs."

    def compute_mask(self, inputs, mask=None):
        if mask is None or any(one is None for one in mask):
            return None
        return functools.reduce(math.logical_or, mask)

    def _check_input(self, inputs):
        if not isinstance(inputs, (list, tuple)) or not inputs or any(x is None for x in inputs):
            given = mapped(shape_of, inputs)
            raise ValueError(f"{self.needs} Received: input_shape={given} (not a list of shapes). Write layer([x, y]).")
        if not self.built:
            self._check_shapes(mapped(shape_of, inputs), inputs)

    def build(self, input_shape):
        self._check_shapes(input_shape, input_shape)

    def _check_shapes(self, shapes, inputs):
        """Raise ValueError if inputs of these shapes cannot be merged."""


class ElementwiseMerge(Merge):
    """The base class of layers that merge element by element: the shapes of the examples must broadcast."""

    def _check_shapes(self, shapes, inputs):
        if len({shape[0] for shape in shapes if shape}) > 1:
            problem = "Cannot merge tensors with different batch sizes."
            raise self._unlike(f"{problem} Received tensors with shapes {shapes}", shapes, inputs)
        common = shapes[0][1:]
        for shape in shapes[1:]:
            try:
                common = np.broadcast_shapes(common, shape[1:])
            except ValueError:
                long, short = sorted((common, shape[1:]), key=len, reverse=True)
                problem = f"Inputs have incompatible shapes. Received shapes {long} and {short}"
                raise self._unlike(problem, shapes, inputs) from None

    def _unlike(self, problem, shapes, inputs):
        """The error for inputs that do not broadcast; the listeners hear of the first two with equally many axes."""
        for (x, one), (y, other) in itertools.combinations(zip(inputs, shapes), 2):
            fit = [a == b or (k > 0 and 1 in (a, b)) for k, (a, b) in enumerate(zip(one, other))]
            if len(one) == len(other) and not all(fit):
                wanted = tuple([None if fits else n for fits, n in zip(fit, one)])
                return failing(self.name, ValueError(problem), (x, wanted), (y, other))
        return ValueError(problem)


def with_common_dtype(inputs):
    """The inputs cast to the widest of their dtypes; if there are float or complex dtypes, to the widest of those."""
    inputs = [convert(x) for x in inputs]
    all_dtypes = [x.value.dtype for x in inputs]
    dtype = np.result_type(*([one for one in all_dtypes if one.kind in "fc"] or all_dtypes))
    return [creation.cast(x, dtype) for x in inputs]


def aligned(inputs):
    """The inputs with a common dtype and rank; axes of length 1 are inserted after the batch axis."""
    inputs = with_common_dtype(inputs)
    ndim = max(x.ndim for x in inputs)
    shapes = [[*x.shape[:1], *[1] * (ndim - x.ndim), *x.shape[1:]] for x in inputs]
    return [x if x.ndim == ndim else shaping.reshape(x, shape) for x, shape in zip(inputs, shapes)]


class Subtract(ElementwiseMerge):
    """The first of two Tensors minus the second; their examples broadcast.

    Raises:
        ValueError: (in a call) there are not two inputs.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Subtract()([mg.constant([[10.0, 20.0]]), mg.constant([[1.0, 2.0]])]).numpy())
    [[ 9. 18.]]
    """

    def build(self, input_shape):
        super().build(input_shape)
        if len(input_shape) != 2:
            raise received("A `Subtract` layer should be called on exactly 2 inputs.", input_shape=input_shape)

    def call(self, inputs):
        if len(inputs) != 2:
            raise received("A `Subtract` layer should be called on exactly 2 inputs.", inputs=inputs)
        return math.subtract(*aligned(inputs))


def merge(name, meaning, combine, answer):
    """Make the class of a layer that merges a list of Tensors."""

    class OfList(ElementwiseMerge):
        """{meaning} of a list of Tensors, element by element; their examples broadcast.

        >>> import minigrad as mg
        >>> print(mg.keras.layers.{name}()([mg.constant([[1.0, 20.0]]), mg.constant([[2.0, 4.0]])]).numpy())
        {answer}
        """

        def call(self, inputs):
            return combine(aligned(inputs))

    return named(OfList, name, meaning=meaning, answer=answer)


Add = merge("Add", "The sum", lambda inputs: functools.reduce(math.add, inputs), "[[ 3. 24.]]")
Multiply = merge("Multiply", "The product", lambda inputs: functools.reduce(math.multiply, inputs), "[[ 2. 80.]]")
Average = merge("Average", "The mean", lambda inputs: functools.reduce(math.add, inputs) / len(inputs), "[[ 1.5 12. ]]")
Maximum = merge("Maximum", "The largest", lambda inputs: functools.reduce(math.maximum, inputs), "[[ 2. 20.]]")
Minimum = merge("Minimum", "The smallest", lambda inputs: functools.reduce(math.minimum, inputs), "[[1. 4.]]")


class Concatenate(Merge):
    """A list of Tensors joined along an axis; all other axes must have equal lengths.

    Args:
        axis: the axis to join along.
        **kwargs: those of `Layer`.

    Raises:
        ValueError: (in a call) the input is not a list, or the other axes differ.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Concatenate()([mg.constant([[1.0, 2.0]]), mg.constant([[3.0]])]).numpy())
    [[1. 2. 3.]]
    """

    needs = "A `Concatenate` layer should be called on a list of at least 1 input."

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def _check_shapes(self, shapes, inputs):
        axes = [(self.axis, self.axis + len(shape)) for shape in shapes]
        first, *others = [[None if k in own else n for k, n in enumerate(shape)] for own, shape in zip(axes, shapes)]
        if others := [k for k, one in enumerate(others, 1) if one != first]:
            problem = "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis."
            error = ValueError(f"{problem} Received: input_shape={shapes}")
            raise failing(self.name, error, (inputs[0], first), (inputs[others[0]], shapes[others[0]]))

    def call(self, inputs):
        return shaping.concat(with_common_dtype(inputs), self.axis)
