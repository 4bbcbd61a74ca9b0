"""Layers without weights: activations, shapes, merging."""

import functools
import inspect
import warnings

import numpy as np

from ... import math
from ...engine import dtypes
from ...engine.op import convert
from ...keras import activations
from ...ops import creation, gathering, shaping
from ..activations import as_dtype
from .base import Layer, check_axes, mapped, shape_of

# ---- layers without weights ----------------------------------------------------------------------------------------


class Activation(Layer):
    """A function, by name or as it is."""

    _weightless = True

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs):
        return self.activation(inputs)


class ReLU(Layer):
    """`keras.activations.relu` with these settings."""

    _weightless = True

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs):
        if max_value is not None and max_value < 0:
            raise ValueError(f"max_value of a ReLU layer cannot be a negative value. Received: max_value={max_value}")
        for name, value in (("negative_slope", negative_slope), ("threshold", threshold)):
            if value is None or value < 0:
                raise ValueError(f"{name} of a ReLU layer cannot be None or a negative value. Received: {name}={value}")
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs):
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(Layer):
    """`keras.activations.leaky_relu` with this slope.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.LeakyReLU(0.5)(mg.constant([-2.0, 3.0])).numpy())
    [-1.  3.]
    """

    _weightless = True

    def __init__(self, negative_slope=0.3, **kwargs):
        if "alpha" in kwargs:
            negative_slope = kwargs.pop("alpha")
            warnings.warn("Argument `alpha` is deprecated. Use `negative_slope` instead.", stacklevel=2)
        if negative_slope is None or negative_slope < 0:
            raise ValueError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. Expected a float. "
                f"Received: negative_slope={negative_slope}"
            )
        super().__init__(**kwargs)
        self.negative_slope = negative_slope

    def call(self, inputs):
        return activations.leaky_relu(inputs, self.negative_slope)


class ELU(Layer):
    """`keras.activations.elu` with this factor.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.ELU(2.0)(mg.constant([-100.0, 3.0])).numpy())
    [-2.  3.]
    """

    _weightless = True

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs):
        return activations.elu(inputs, self.alpha)


class Softmax(Layer):
    """softmax along an axis, or over all those of a list together. What `mask` leaves out is 0, and does not count."""

    _weightless = True

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs, mask=None):
        if mask is not None:
            return self.masked(convert(inputs), convert(mask))
        if not isinstance(self.axis, (list, tuple)):
            return activations.softmax(inputs, self.axis)
        if len(self.axis) > 1:
            return math.exp(inputs - math.reduce_logsumexp(inputs, self.axis, True))
        return activations.softmax(inputs, self.axis[0])

    def masked(self, inputs, mask):
        """The same, where the mask is True, or more than a half."""
        if any(m not in (1, n) for m, n in zip(mask.shape[::-1], inputs.shape[::-1])) or len(mask.shape) > len(inputs.shape):
            raise ValueError(
                "The `mask` must be broadcastable to `inputs`. Each mask dimension must be 1 or match the corresponding input "
                f"dimension. Received: inputs.shape={inputs.shape}, mask.shape={mask.shape}"
            )
        mask = mask if mask.dtype == dtypes.bool else mask > creation.cast(0.5, mask.dtype)
        inputs = inputs if inputs.dtype.is_floating else creation.cast(inputs, dtypes.float32)
        low = -3e4 if inputs.dtype == dtypes.float16 else -1e9
        return gathering.where(mask, self.call(gathering.where(mask, inputs, low)), 0.0)


class Lambda(Layer):
    """Any function of the inputs.

    Args:
        function: of the inputs; if it has a parameter `training`, it is told whether the model is being trained.
        output_shape: accepted as in Keras, without effect: the function says.
        mask: only None; masks are not there.
        arguments: more arguments of the function, by name.
        **kwargs: those of `Layer`.
    """

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        if mask is not None:
            raise ValueError("`mask` is not there: multiply by it in the function.")
        super().__init__(**kwargs)
        self.function, self.arguments = function, arguments or {}

    def call(self, inputs, training=None):
        known = {"training": training} if "training" in inspect.signature(self.function).parameters else {}
        return self.function(inputs, **self.arguments, **known)


class Identity(Layer):
    """The inputs as they are.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Identity()(mg.constant([1.0, 2.0])).numpy())
    [1. 2.]
    """

    _weightless = True

    def call(self, inputs):
        return inputs


class Rescaling(Layer):
    """inputs * scale + offset, in floats.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Rescaling(0.5, 1.0)(mg.constant([0, 1, 4])).numpy())
    [1.  1.5 3. ]
    """

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs):
        return as_dtype(inputs, self.dtype) * as_dtype(self.scale, self.dtype) + as_dtype(self.offset, self.dtype)


class Flatten(Layer):
    """Each example as a vector: `(batch, ...)` becomes `(batch, n)`.

    Args:
        data_format: "channels_first" puts the second axis last before; "channels_last" or None does not.
        **kwargs: those of `Layer`.
    """

    def __init__(self, data_format=None, **kwargs):
        if data_format not in (None, "channels_last", "channels_first"):
            raise ValueError(
                f"The `data_format` argument must be one of {{'channels_first', 'channels_last'}}. Received: data_format={data_format}"
            )
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"

    def _build_for(self, args, kwargs):
        for x in [*args, *kwargs.values()][:1]:
            check_axes(self, x, 1)
        super()._build_for(args, kwargs)

    def call(self, inputs):
        if self.data_format == "channels_first" and len(inputs.shape) > 1:
            inputs = shaping.transpose(inputs, [0, *range(2, len(inputs.shape)), 1])
        return shaping.reshape(inputs, (inputs.shape[0], int(np.prod(inputs.shape[1:]))))


class Reshape(Layer):
    """Each example in a new shape."""

    _weightless = True

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        if self.target_shape.count(-1) > 1:
            raise ValueError(
                f"There must be at most one unknown dimension (-1) in `target_shape`. Received: target_shape={self.target_shape}."
            )

    def call(self, inputs):
        size, known = int(np.prod(inputs.shape[1:])), int(np.prod([n for n in self.target_shape if n != -1]))
        if not (known and size % known == 0 if -1 in self.target_shape else size == known):
            raise ValueError(
                "The total size of the tensor must be unchanged. "
                f"Received: input_shape={tuple(inputs.shape[1:])}, target_shape={self.target_shape}"
            )
        return shaping.reshape(inputs, (inputs.shape[0], *(size // known if n == -1 else n for n in self.target_shape)))


class Merging(Layer):
    """What the layers that make one Tensor of a list of them share."""

    needs = "A merge layer should be called on a list of inputs."

    def _build_for(self, args, kwargs):
        if args and (not isinstance(args[0], (list, tuple)) or not args[0] or any(x is None for x in args[0])):
            raise ValueError(f"{self.needs} Received: input_shape={mapped(shape_of, args[0])} (not a list of shapes). Write layer([x, y]).")
        super()._build_for(args, kwargs)


class MergingElements(Merging):
    """What the layers that merge element by element share."""

    def build(self, input_shape):
        if len({shape[0] for shape in input_shape if shape}) > 1:
            raise ValueError(f"Cannot merge tensors with different batch sizes. Received tensors with shapes {input_shape}")
        whole = input_shape[0][1:]
        for shape in input_shape[1:]:
            try:
                whole = np.broadcast_shapes(whole, shape[1:])
            except ValueError:
                long, short = sorted((whole, shape[1:]), key=len, reverse=True)
                raise ValueError(f"Inputs have incompatible shapes. Received shapes {long} and {short}") from None


def of_one_dtype(inputs):
    """Tensors of the dtype that holds all of them; floats hold whole numbers too."""
    inputs = [convert(x) for x in inputs]
    found = [x.value.dtype for x in inputs]
    dtype = np.result_type(*([one for one in found if one.kind in "fc"] or found))
    return [creation.cast(x, dtype) for x in inputs]


def aligned(inputs):
    """Tensors of one dtype and of as many axes: an example that has fewer gets axes of length 1 at its beginning."""
    inputs = of_one_dtype(inputs)
    ndim = max(x.ndim for x in inputs)
    return [x if x.ndim == ndim else shaping.reshape(x, [x.shape[0], *[1] * (ndim - x.ndim), *x.shape[1:]]) for x in inputs]


class Add(MergingElements):
    """The sum of Tensors.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Add()([mg.constant([[1.0, 2.0]]), mg.constant([[10.0, 20.0]])]).numpy())
    [[11. 22.]]
    """

    def call(self, inputs):
        return functools.reduce(math.add, aligned(inputs))


class Multiply(MergingElements):
    """The product of Tensors, element by element.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Multiply()([mg.constant([[1.0, 2.0]]), mg.constant([[10.0, 20.0]])]).numpy())
    [[10. 40.]]
    """

    def call(self, inputs):
        return functools.reduce(math.multiply, aligned(inputs))


class Concatenate(Merging):
    """Tensors side by side along an axis.

    >>> import minigrad as mg
    >>> print(mg.keras.layers.Concatenate()([mg.constant([[1.0, 2.0]]), mg.constant([[3.0]])]).numpy())
    [[1. 2. 3.]]
    """

    needs = "A `Concatenate` layer should be called on a list of at least 1 input."

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape):
        rest = [list(shape) for shape in input_shape]
        for shape in rest:
            del shape[self.axis : self.axis + 1 or None]
        if any(shape != rest[0] for shape in rest):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
                f"Received: input_shape={input_shape}"
            )

    def call(self, inputs):
        return shaping.concat(of_one_dtype(inputs), self.axis)
