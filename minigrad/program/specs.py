"""tf.TensorSpec, and the arguments and results of a tf.function described by specs (graph/function.py runs it)."""

import contextlib
import inspect
import itertools
from typing import Any

from .. import errors, nest
from ..engine import IndexedSlices, Tensor, TensorShape, constant, convert, dtypes, tensor_of


class TensorSpec:
    """The shape and dtype that a Tensor must have.

    Args:
        shape: the length of each axis, where None allows any length; or None for any shape.
        dtype: float32 by default.
        name: kept, as in TensorFlow.

    >>> import minigrad as mg
    >>> mg.TensorSpec([None, 2], mg.float32)
    TensorSpec(shape=(None, 2), dtype=mg.float32, name=None)
    """

    __module__ = "minigrad"  # where users find it, for pickles and messages

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None):
        self.shape, self.dtype, self.name = TensorShape(shape), dtypes.as_dtype(dtype), name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> "TensorSpec":
        """The spec of a Tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> "TensorSpec":
        """A copy, with another name if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether `other` is a Tensor or a spec, has the same dtype, and a matching shape."""
        known = isinstance(other, (Tensor, TensorSpec)) and self.dtype == other.dtype
        return known and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other):
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"

    def __reduce__(self):
        return TensorSpec, (self.shape, self.dtype, self.name)


# ---- the arguments and results of tf.function ---------------------------------------------------------------------


def has_spec(value):
    return any(isinstance(leaf, TensorSpec) for leaf in nest.flatten(value))


def matching(bound, given):
    """An argument that matches a nest of values and specs, with Tensors in place of the specs."""
    if isinstance(bound, TensorSpec) or given is bound:
        return matching_leaf(bound, given)
    return nest.map_structure(matching_leaf, bound, given)


def matching_leaf(bound, given):
    """The bound value itself, or a Tensor for a spec. A Tensor given for a spec may have any shape, as in TensorFlow.

    Raises:
        TypeError: it is a different value, or does not match the spec.
    """
    if isinstance(bound, TensorSpec):
        return convert(given) if hasattr(given, "__tf_tensor__") else as_specified(bound, given)
    if hasattr(bound, "assign"):
        return given
    if given is not bound and bound != given:
        raise TypeError(f"Can not cast {given!r} to Literal[{bound!r}]")
    return bound


def spec_of(value):
    """The spec of a Tensor or an array; Variables and other values unchanged."""
    is_array = hasattr(value, "dtype") and hasattr(value, "shape") and not hasattr(value, "assign")
    return TensorSpec.from_tensor(value) if is_array else value


@contextlib.contextmanager
def naming_arguments(parameters, args, kwargs):
    """A block that turns errors into TypeErrors that name the arguments of the call."""
    try:
        yield
    except (TypeError, ValueError, errors.OpError) as error:
        given = f"Received args: {args} and kwargs: {kwargs} for signature: {parameters}."
        raise TypeError(f"Binding inputs to tf.function failed due to `{error}`. {given}") from None


def check_signature(signature):
    if not isinstance(signature, (list, tuple)):
        problem = f"input_signature must be either a tuple or a list, got {type(signature)}."
        raise TypeError(f"{problem} Write [mg.TensorSpec(...)].")
    wrong = [one for one in nest.flatten(list(signature)) if not isinstance(one, TensorSpec)]
    if wrong:
        problem = "input_signature must be a possibly nested sequence of TensorSpec objects,"
        raise TypeError(f"{problem} got invalid args {wrong} with types {list(map(type, wrong))}.")


def parameters(func, specs):
    """The signature of a function, with specs as annotations."""
    specs = itertools.chain(specs, itertools.repeat(inspect.Parameter.empty))
    given = inspect.signature(func).parameters.values()
    return inspect.Signature([one.replace(annotation=spec) for one, spec in zip(given, specs)])


def converted_arguments(parameters, specs, args, kwargs):
    """The positional arguments, as Tensors where there is a spec; and the keyword arguments."""
    with naming_arguments(parameters, args, kwargs):
        bound = parameters.bind(*args, **kwargs)
        converted = [
            as_specified(spec, given) if isinstance(spec, TensorSpec) else nest.map_structure(as_specified, spec, given)
            for spec, given in zip(specs, bound.args)
        ]
    return converted + list(bound.args[len(specs) :]), bound.kwargs


def as_specified(spec, given):
    """Convert a value to a Tensor of this spec. It is cast to the dtype unless it is already a Tensor.

    Raises:
        TypeError: it does not match the spec.
    """
    tensor = convert(given) if hasattr(given, "__tf_tensor__") else tensor_of(given, spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise TypeError(f"Can not cast {TensorSpec.from_tensor(tensor)} to {spec}")
    return tensor


def as_tensor(func, value):
    """Convert a return value to a Tensor. None, IndexedSlices and Datasets are unchanged.

    Raises:
        TypeError: it cannot become a Tensor.
    """
    if value is None or isinstance(value, IndexedSlices) or hasattr(value, "element_spec"):
        return value
    try:
        return convert(value) if hasattr(value, "__tf_tensor__") else constant(value)
    except (TypeError, ValueError, errors.OpError):
        returned = "Python functions must return zero or more Tensors or ExtensionTypes or None values;"
        kind = f"return value of type {type(value).__name__}, which is not a Tensor or ExtensionType"
        problem = f"To be compatible with tf.function, {returned} in compilation of {func}, found {kind}."
        raise TypeError(f"{problem} Return numbers, arrays or Tensors, in lists and dicts if you like.") from None
