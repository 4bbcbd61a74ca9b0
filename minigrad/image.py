"""tf.image: images as Tensors of shape `(height, width, channels)`, or batches of them."""

import numpy as np

from . import math
from .engine import Tensor, convert, dtypes, invalid, named, not_among, op, tell_help, unregistered
from .errors import UnimplementedError, visible
from .math import elementwise
from .ops import creation, gathering

__all__ = ["ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation",
           "convert_image_dtype", "flip_left_right", "flip_up_down", "resize", "rgb_to_grayscale"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers


def check_pixels(images, channels=None):
    """Raise InvalidArgumentError for fewer than three axes, or another number of channels."""
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{list(images.shape)}")
    if channels and images.shape[-1] != channels:
        raise invalid(f"input must have {channels} channels but instead has {images.shape[-1]} channels.")


@op("AdjustContrastv2", "f", **unregistered("AdjustContrastv2", "y", "images", "contrast_factor"))
def contrast(images, contrast_factor):
    """Op behind `mg.image.adjust_contrast`.

    >>> import minigrad as mg
    >>> print(mg.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel())
    [0. 4.]
    """
    check_pixels(images)
    if np.ndim(contrast_factor):
        raise invalid(f"contrast_factor must be scalar: {list(contrast_factor.shape)}")
    mean = images.mean(axis=(-3, -2), keepdims=True, dtype=images.dtype)
    return (images - mean) * contrast_factor + mean


@op("AdjustHue", "f", **unregistered("AdjustHue", "y", "images", "delta"))
def hue(images, delta):
    """Op behind `mg.image.adjust_hue`.

    >>> import minigrad as mg
    >>> print(mg.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy().ravel())
    [0. 1. 1.]
    """
    check_pixels(images, 3)
    h, chroma, v = to_hue(images)
    return from_hue(h + delta, chroma, v)


@op("AdjustSaturation", "f", **unregistered("AdjustSaturation", "y", "images", "scale"))
def saturation(images, scale):
    """Op behind `mg.image.adjust_saturation`.

    >>> import minigrad as mg
    >>> print(mg.image.adjust_saturation([[[1.0, 0.0, 0.5]]], 0.5).numpy().ravel())
    [1.   0.5  0.75]
    """
    check_pixels(images, 3)
    h, chroma, v = to_hue(images)
    return from_hue(h, np.clip(chroma * scale, 0, np.maximum(v, 0)), v)


def to_hue(rgb):
    """Hue (1 is a full circle), chroma and value of each pixel. Smith, "Color Gamut Transform Pairs" (1978)."""
    r, g, b = np.moveaxis(rgb, -1, 0)
    v = rgb.max(axis=-1)
    chroma = v - rgb.min(axis=-1)
    safe = np.maximum(chroma, np.finfo(rgb.dtype).tiny)
    h = np.where(v == r, (g - b) / safe, np.where(v == g, (b - r) / safe + 2, (r - g) / safe + 4)) / 6
    return h, chroma, v


def from_hue(h, chroma, v):
    """The way back. As functions of the hue, red, green and blue are one curve, shifted by thirds."""
    curves = [np.clip(np.abs((h * 6 + shift) % 6 - 3) - 1, 0, 1) for shift in (0, 4, 2)]
    return np.stack([v - chroma + chroma * share for share in curves], axis=-1)


# ---- public functions ----------------------------------------------------------------------------------------------


def in_float(adjust, image):
    """Adjust an image in float32, and return it in its own dtype; see `convert_image_dtype` for integers."""
    image = convert(image)
    if image.dtype in (dtypes.float32, dtypes.float16, dtypes.float64):
        return creation.cast(adjust(creation.cast(image, dtypes.float32)), image.dtype)
    return convert_image_dtype(adjust(convert_image_dtype(image, dtypes.float32)), image.dtype, saturate=True)


def adjust_contrast(images, contrast_factor) -> Tensor:
    """Adjust the contrast of each channel around its mean: `(x - mean) * contrast_factor + mean`.

    Args:
        images: shape `(..., height, width, channels)`.
        contrast_factor: a number; above 1 it increases the contrast.

    Raises:
        LookupError: (in `tape.gradient`) no gradient is registered for it, as in TensorFlow; see `mg.RegisterGradient`.
        InvalidArgumentError: there are fewer than three axes.

    >>> import minigrad as mg
    >>> print(mg.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel())
    [0. 4.]
    """
    return in_float(lambda x: contrast(x, contrast_factor), images)


def adjust_hue(image, delta, name=None) -> Tensor:
    """Adjust the hue of RGB images: rotate it by `delta`, where 1 is a full circle.

    Args:
        image: shape `(..., height, width, 3)`.
        delta: a number from -1 to 1.

    Raises:
        ValueError: `delta` is not between -1 and 1.
        InvalidArgumentError: there are fewer than three axes, or not three channels.
        LookupError: (in `tape.gradient`) no gradient is registered for it, as in TensorFlow.

    >>> import minigrad as mg
    >>> print(mg.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy().ravel())
    [0. 1. 1.]
    """
    if float(delta) < -1 or float(delta) > 1:
        raise ValueError("delta must be in the interval [-1, 1]")
    return in_float(lambda x: hue(x, delta), image)


def adjust_saturation(image, saturation_factor, name=None) -> Tensor:
    """Adjust the saturation of RGB images: multiply it by a factor.

    Args:
        image: shape `(..., height, width, 3)`.
        saturation_factor: a number; above 1 colours become more saturated, below 1 paler.

    Raises:
        InvalidArgumentError: there are fewer than three axes, or not three channels.
        LookupError: (in `tape.gradient`) no gradient is registered for it, as in TensorFlow.

    >>> import minigrad as mg
    >>> print(mg.image.adjust_saturation([[[1.0, 0.0, 0.5]]], 0.5).numpy().ravel())
    [1.   0.5  0.75]
    """
    return in_float(lambda x: saturation(x, saturation_factor), image)


def adjust_brightness(image, delta) -> Tensor:
    """Adjust the brightness: add `delta` to each element, as a float; see `convert_image_dtype` for integers.

    >>> import minigrad as mg
    >>> print(mg.image.adjust_brightness([[[0.5]]], 0.25).numpy().ravel())
    [0.75]
    """
    image = convert(image)
    if image.dtype.is_floating:
        return image + creation.cast(delta, image.dtype)
    return convert_image_dtype(convert_image_dtype(image, dtypes.float32) + delta, image.dtype, saturate=True)


def convert_image_dtype(image, dtype, saturate=False, name=None) -> Tensor:
    """Convert an image to another dtype and scale it: floats range from 0 to 1, integers from 0 to their maximum.

    Args:
        image: of any shape.
        dtype: the dtype of the result.
        saturate: clip numbers that are out of range before they become integers.

    >>> import minigrad as mg
    >>> print(mg.image.convert_image_dtype(mg.constant([[[255]]], mg.uint8), mg.float32).numpy().ravel())
    [1.]
    """
    image, dtype = convert(image), dtypes.as_dtype(dtype)
    if dtype == image.dtype:
        return image
    if image.dtype.is_floating and dtype.is_floating:
        return creation.cast(image, dtype)
    if image.dtype.is_integer and dtype.is_floating:
        return creation.cast(image, dtype) * (1.0 / int(image.dtype.max))
    if image.dtype.is_floating:
        scaled = image * (int(dtype.max) + 0.5)
        return creation.cast(np.clip(scaled.value, dtype.min, dtype.max) if saturate else scaled, dtype)
    fit = elementwise.saturate_cast if saturate else creation.cast
    steps = (int(dtype.max) + 1) / (int(image.dtype.max) + 1)
    return fit(image, dtype) * int(steps) if steps > 1 else fit(image // round(1 / steps), dtype)


def rgb_to_grayscale(images, name=None) -> Tensor:
    """Convert RGB images to grayscale, 0.2989 R + 0.587 G + 0.114 B: shape `(..., 3)` to `(..., 1)`.

    Raises:
        InvalidArgumentError: there are not three channels.

    >>> import minigrad as mg
    >>> print(mg.image.rgb_to_grayscale([[[1.0, 1.0, 0.0]]]).numpy().ravel())
    [0.8859]
    """
    images = convert(images)
    if images.shape[-1:] != [3]:
        raise invalid(f"input must have 3 channels but instead has shape {list(images.shape)}.")
    floats = images if images.dtype.is_floating else convert_image_dtype(images, dtypes.float32)
    gray = math.reduce_sum(floats * np.array([0.2989, 0.587, 0.114], floats.dtype.dtype), -1, True)
    return gray if images.dtype.is_floating else convert_image_dtype(gray, images.dtype)


def flip(name, way, lines, answer, places):
    """Make a function that reverses one axis of images; `places` are the elements of the result, as a slice."""

    def flip_images(image) -> Tensor:
        """Flip images {way}: the {lines} in reverse order.

        Args:
            image: shape `(..., height, width, channels)`.

        Raises:
            ValueError: there are fewer than three axes, or one of the last three is empty.

        >>> import minigrad as mg
        >>> print(mg.image.{name}([[[1.0], [2.0]], [[3.0], [4.0]]]).numpy().ravel())
        {answer}
        """
        return pixels(image)[places]

    return named(flip_images, name, way=way, lines=lines, answer=answer)


flip_left_right = flip("flip_left_right", "horizontally", "columns", "[2. 1. 4. 3.]", np.s_[..., ::-1, :])
flip_up_down = flip("flip_up_down", "vertically", "rows", "[3. 4. 1. 2.]", np.s_[..., ::-1, :, :])


def pixels(image):
    """An image as a Tensor. Raise ValueError for fewer than three axes, or if one of the last three is empty."""
    image = convert(image)
    if image.ndim < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if 0 in image.shape[-3:]:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    return image


# ---- another size --------------------------------------------------------------------------------------------------


class ResizeMethod:
    """The methods of `resize`.

    >>> import minigrad as mg
    >>> mg.image.ResizeMethod.NEAREST_NEIGHBOR
    'nearest'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"


def resize(images, size, method=ResizeMethod.BILINEAR, preserve_aspect_ratio=False, antialias=False,
           name=None) -> Tensor:  # fmt: skip
    """Resize images. The pixels have gradients of any order.

    Args:
        images: shape `(height, width, channels)`, or a batch of them; integers or floats.
        size: the new height and width.
        method: "bilinear": each pixel is a weighted mean of the four nearest; "nearest": it is the nearest one. The
            corners of the old and the new image coincide.
        preserve_aspect_ratio: keep the ratio of height and width, so that neither exceeds `size`.
        antialias: only False.

    Returns:
        float32, or for "nearest" the dtype of the images.

    Raises:
        ValueError: there are not three or four axes, `size` is not two integers, or there is no such method.
        InvalidArgumentError: a length is 0, or the pixels are not numbers.
        UnimplementedError: `antialias` is True.

    >>> import minigrad as mg
    >>> print(mg.image.resize([[[1.0], [3.0]]], [1, 4]).numpy().ravel())
    [1.  1.5 2.5 3. ]
    """
    images, size = convert(images), convert(size).value
    if images.ndim not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    if size.shape != (2,):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if size.dtype.kind != "i":
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if method not in METHODS:
        raise ValueError(f"Resize method is not implemented: {visible(method)}. Known are {', '.join(METHODS)}.")
    if antialias:
        raise UnimplementedError(None, None, "resize has no antialiasing here. Write antialias=False.")
    old = np.array(images.shape[-3:-1])
    if not (images.dtype.is_floating or images.dtype.is_integer):
        raise invalid(not_among("T", images.dtype.dtype, "those of integers and floats"))
    if min(old) < 1:
        raise invalid("input image must be of non-zero size")
    if preserve_aspect_ratio:
        size = np.round(old * (size / old).min()).astype(int)
    if min(size) < 1:
        raise invalid("output dimensions must be positive")
    for axis, length in ((-2, size[1]), (-3, size[0])):
        images = METHODS[method](images, images.ndim + axis, int(length))
    return images


def centers(old, new):
    """The centers of the new pixels along an axis, in coordinates where the first old pixel's center is 0.5."""
    return (np.arange(new, dtype=np.float32) + 0.5) * (old / new)


def bilinear(images, axis, length):
    """Linear interpolation along an axis, between the two pixels nearest to each new center."""
    old = images.shape[axis]
    place = centers(old, length) - 0.5
    low, high = np.maximum(np.floor(place), 0).astype(int), np.minimum(np.ceil(place), old - 1).astype(int)
    share = (place - np.floor(place)).reshape([-1] + [1] * (images.ndim - axis - 1))
    images = creation.cast(images, dtypes.float32)
    first, second = gathering.gather(images, low, axis=axis), gathering.gather(images, high, axis=axis)
    return first + (second - first) * share


def nearest(images, axis, length):
    """The pixels in which the centers of the new ones lie."""
    return gathering.gather(images, centers(images.shape[axis], length).astype(int), axis=axis)


METHODS = {ResizeMethod.BILINEAR: bilinear, ResizeMethod.NEAREST_NEIGHBOR: nearest}


tell_help(__name__)
