"""The sources of Datasets: the rows of Tensors, and Python generators."""

import functools
import itertools

import numpy as np

from .. import errors
from ..engine import Tensor, convert, dtypes, invalid, storing
from ..ops import cast, convert_to_tensor
from ..ops.creation import zero_of
from ..program.specs import TensorSpec
from .elements import Failure, attempt, components, detached, map_components, spec_inference, with_components


def placeholder(element):
    """For an empty Dataset: an iterator over this one element while a spec is inferred, and over none otherwise."""
    return iter([element] if spec_inference.active else [])


# ---- rows of Tensors -----------------------------------------------------------------------------------------------


def row(i, x):
    """Row number i of a Tensor; listeners hear that x was stored in it."""
    value = x.value[i] if x.value.dtype.kind != "O" else np.array(x.value[i], object)
    return storing(x, Tensor.of(value), "Dataset")


def zero_row(element):
    """An element of the form of one row: zeros, or empty strings."""
    return map_components(lambda x: Tensor.of(np.full(x.shape[1:], zero_of(x.value.dtype), x.value.dtype)), element)


# ---- generators ----------------------------------------------------------------------------------------------------


def generator_signature(types, shapes, signature):
    """The spec of the elements of a generator: a TensorSpec, or a tuple or dict of them.

    Raises:
        TypeError: not exactly one of a signature and types is given, or the signature contains something else.
    """
    if signature is None:
        if types is None:
            need = "you need to provide either the `output_signature` argument or the `output_types` argument."
            advice = "Write output_signature=mg.TensorSpec(shape=(), dtype=mg.float32)."
            raise TypeError(f"To specify the output signature {need} {advice}")
        return specs_of(types, shapes)
    for name, value in (("output_types", types), ("output_shapes", shapes)):
        if value is not None:
            raise TypeError(f"The `{name}` argument can not be used together with the `output_signature` argument.")
    for spec in components(signature):
        if not isinstance(spec, TensorSpec):
            wanted = "`output_signature` must contain objects that are subclass of `tf.TypeSpec`"
            raise TypeError(f"{wanted} but found {type(spec)} which is not.")
    return signature


def specs_of(types, shapes):
    """A TensorSpec for each dtype and shape, in the structure of `types`."""
    if isinstance(types, dict):
        return {key: specs_of(types[key], shapes and shapes[key]) for key in types}
    if isinstance(types, tuple):
        pairs = zip(types, shapes or itertools.repeat(None), strict=shapes is not None)
        return tuple(specs_of(one, shape) for one, shape in pairs)
    return TensorSpec(shapes, types)


def yielded(generator, args, signature):
    """The elements that a generator yields, as Tensors that match the signature."""
    source = None
    while True:
        try:
            source = iter(generator(*args)) if source is None else source
            element = next(source)
        except StopIteration:
            return
        except Exception as problem:
            yield Failure(errors.from_python(problem))
        else:
            yield attempt(functools.partial(checked_element, signature), element)


def checked_element(signature, element):
    """Convert an element of a generator to Tensors that match the signature.

    Raises:
        InvalidArgumentError: it does not match the signature.
    """
    try:
        return converted(signature, element)
    except (TypeError, ValueError) as problem:
        wanted = with_components(signature, [spec.dtype for spec in components(signature)])
        text = "TypeError: `generator` yielded an element that did not match the expected structure. The expected"
        raise invalid(f"{text} structure was {wanted!r}, but the yielded element was {element}.") from problem


def converted(spec, element):
    """Convert an element to Tensors of its specs."""
    if isinstance(spec, dict):
        if not isinstance(element, dict) or spec.keys() != element.keys():
            raise TypeError("another dict")
        return {key: converted(spec[key], element[key]) for key in spec}
    if isinstance(spec, tuple):
        if not isinstance(element, tuple):
            raise TypeError("no tuple")
        return tuple(converted(one, x) for one, x in zip(spec, element, strict=True))
    tensor = detached(converted_component(spec, element), "Dataset")
    if not spec.shape.is_compatible_with(tensor.shape):
        text = f"TypeError: `generator` yielded an element of shape {tensor.shape}"
        raise invalid(f"{text} where an element of shape {spec.shape} was expected.")
    return tensor


def converted_component(spec, value):
    """Convert a component to a Tensor. If the rank is specified, numbers are cast as in NumPy, even if lossy."""
    if spec.shape.rank is None or spec.dtype == dtypes.string:
        return convert_to_tensor(value, spec.dtype)
    try:
        if hasattr(value, "__tf_tensor__"):
            return cast(convert(value), spec.dtype)
        return convert_to_tensor(np.asarray(value), spec.dtype)
    except (TypeError, ValueError, errors.UnimplementedError) as problem:
        text = "TypeError: `generator` yielded an element that could not be converted to the expected type. The"
        raise invalid(f"{text} expected type was {spec.dtype.name}, but the yielded element was {value}.") from problem
