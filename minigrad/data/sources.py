""""""

import itertools

import numpy as np

from .. import errors
from ..engine import dtypes
from ..engine.op import convert
from ..errors import invalid
from ..ops.creation import cast, convert_to_tensor
from ..program.function import TensorSpec
from ..random import Stream
from .elements import UNKNOWN_CARDINALITY, cut_off, parts, rebuilt

# ---- from generators -----------------------------------------------------------------------------------------------


def promised(types, shapes, signature):
    """What the elements of a generator shall be: a TensorSpec, or a tuple or dict of them."""
    if signature is None:
        if types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` argument or the `output_types` "
                "argument. Write output_signature=mg.TensorSpec(shape=(), dtype=mg.float32)."
            )
        return specs_of(types, shapes)
    for name, value in (("output_types", types), ("output_shapes", shapes)):
        if value is not None:
            raise TypeError(f"The `{name}` argument can not be used together with the `output_signature` argument.")
    for spec in parts(signature):
        if not isinstance(spec, TensorSpec):
            text = f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found {type(spec)} which is not."
            raise TypeError(text)
    return signature


def specs_of(types, shapes):
    if isinstance(types, dict):
        return {key: specs_of(types[key], shapes and shapes[key]) for key in types}
    if isinstance(types, tuple):
        return tuple(specs_of(one, shape) for one, shape in zip(types, shapes or itertools.repeat(None), strict=shapes is not None))
    return TensorSpec(shapes, types)


def started(generator, args):
    """What the function gives, as an iterator."""
    try:
        return iter(generator(*args))
    except TypeError as problem:
        raise invalid(f"TypeError: {problem}") from problem


def kept(promise, element):
    """An element of a generator, as it was promised."""
    try:
        return fitting(promise, element)
    except (TypeError, ValueError) as problem:
        wanted = rebuilt(promise, [spec.dtype for spec in parts(promise)])
        raise invalid(
            "TypeError: `generator` yielded an element that did not match the expected structure. "
            f"The expected structure was {wanted!r}, but the yielded element was {element}.",
        ) from problem


def fitting(spec, element):
    if isinstance(spec, dict):
        if not isinstance(element, dict) or spec.keys() != element.keys():
            raise TypeError("another dict")
        return {key: fitting(spec[key], element[key]) for key in spec}
    if isinstance(spec, tuple):
        if not isinstance(element, tuple):
            raise TypeError("no tuple")
        return tuple(fitting(one, part) for one, part in zip(spec, element, strict=True))
    tensor = cut_off(yielded(spec, element), "Dataset")
    if not spec.shape.is_compatible_with(tensor.shape):
        text = f"TypeError: `generator` yielded an element of shape {tensor.shape} where an element of shape {spec.shape} was expected."
        raise invalid(text)
    return tensor


def yielded(spec, element):
    """A part of an element as a Tensor. Numbers of a promised rank are cast as NumPy casts, whatever that loses."""
    if spec.shape.rank is None or spec.dtype == dtypes.string:
        return convert_to_tensor(element, spec.dtype)
    try:
        if hasattr(element, "__tf_tensor__"):
            return cast(convert(element), spec.dtype)
        return convert_to_tensor(np.asarray(element), spec.dtype)
    except (TypeError, ValueError, errors.UnimplementedError) as problem:
        raise invalid(
            "TypeError: `generator` yielded an element that could not be converted to the expected type. "
            f"The expected type was {spec.dtype.name}, but the yielded element was {element}.",
        ) from problem


# ---- shuffling -----------------------------------------------------------------------------------------------------


def words_of(first, second):
    """Random bits from two seeds, word by word."""
    stream = Stream(first, second << 64)
    for start in itertools.count(0, 64):
        yield from stream.blocks(64, start).ravel().tolist()


def shuffled(elements, size, words):
    """Each element is drawn from the next `size`; the first of these takes its place."""
    ahead = list(itertools.islice(elements, None if size == UNKNOWN_CARDINALITY else size))
    first = 0
    while first < len(ahead):
        place = first + next(words) % (len(ahead) - first)
        yield ahead[place]
        ahead[place], ahead[first] = ahead[first], None
        ahead += itertools.islice(elements, 1)
        first += 1
        if first == 1000:  # these places are empty
            del ahead[:first]
            first = 0
