"""What a trace keeps of values: small ones whole, of large ones a few numbers. None of them is kept alive."""

import cmath
import math as python_math
import weakref
from typing import Any, NamedTuple

import numpy as np

from ..engine.listening import listeners_only
from ..errors import visible

SMALL = 64  # a value of up to so many elements is kept whole
SAMPLE = 8  # of a larger one, so many


class Large(NamedTuple):
    """What is known of a value that was too large to be kept."""

    shape: tuple
    finite: bool
    zero: bool


class Summary:
    """What is kept of a value: its form, its first numbers, whether all of them are finite, and whether all are 0.

    Attributes:
        kept: a small value itself; of a larger one its first numbers.
        large: what else is known of a larger one.
    """

    __slots__ = ("kept", "large")

    def __init__(self, array):
        if array.size <= SMALL:
            self.kept, self.large = array if array.base is None else array.copy(), None  # a view keeps its whole array
            return
        flat = array.ravel()
        if array.dtype.kind == "f":  # the sum of squares tells both quickly, unless it overflows or underflows
            total = float(flat.dot(flat))
            sound, zero = total - total == 0 or finite(flat), total == 0 and not flat.any()
        else:
            sound, zero = finite(flat), array.dtype.kind in "biuc" and not flat.any()
        self.kept, self.large = flat[:SAMPLE].copy(), Large(array.shape, sound, zero)

    @classmethod
    def of(cls, value) -> "Summary":
        """Of an array, a Tensor, or what a backward pass works on. (Of the gradients of many outputs, the first.)"""
        if isinstance(value, (np.ndarray, np.generic)):
            return cls(value)
        if isinstance(value, Summary):
            return value
        if isinstance(value, list):
            value = next((one for one in value if one is not None), 0.0)
        if hasattr(value, "indices"):  # the rows of a `gather`: the whole that they stand for, of which nobody hears
            with listeners_only():
                value = value.__tf_tensor__()
        value = getattr(value, "value", value)  # of a Tensor, or of a stack of arrays
        return cls(value if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value))

    @property
    def whole(self) -> bool:
        """Is all of it kept?"""
        return self.large is None

    @property
    def shape(self) -> tuple:
        return (self.large or self.kept).shape

    @property
    def dtype(self):
        return self.kept.dtype

    @property
    def finite(self) -> bool:
        return self.large.finite if self.large else finite(self.kept)

    @property
    def zero(self) -> bool:
        return self.large.zero if self.large else self.kept.dtype.kind in "biufc" and not np.any(self.kept)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def sample(self) -> list:
        """The first numbers, as Python's own."""
        return self.kept.ravel()[:SAMPLE].tolist()

    def __str__(self):
        if self.shape == ():
            return brief(self.sample[0])
        shown = [brief(x) for x in self.sample[:4]]
        return f"[{' '.join(shown)}{' ...' if self.size > 4 else ''}]"


def summary_or_scalar(value) -> Any:
    """What is kept of a value until somebody asks for its summary: a number as it is, and else the summary."""
    return value if isinstance(value, np.generic) else Summary.of(value)


def finite(value) -> bool:
    """Is there no inf and no nan, in an array or in what is kept of one? Quick, unless the sum of squares overflows."""
    if isinstance(value, np.floating):
        return python_math.isfinite(value)
    if isinstance(value, np.complexfloating):
        return cmath.isfinite(value)
    if value.__class__ is Summary:
        return value.finite
    if value.dtype.kind not in "fc":
        return True
    flat = value.ravel()
    total = flat.dot(flat)
    return bool(total - total == 0) or bool(np.isfinite(flat).all())


def brief(number) -> str:
    """A number in four digits; a whole float has a point, and no zero a sign."""
    if isinstance(number, float):
        text = f"{number + 0.0:.4g}"
        return text + ".0" if text.lstrip("-").isdigit() else text
    return visible(number.decode(errors="replace"), 20) if isinstance(number, bytes) else str(number)


class Given:
    """What it takes to know a value of Python or NumPy again: its content, and the object (a large one while alive)."""

    __slots__ = ("content", "object")

    def __init__(self, value):
        self.content = Summary.of(value.view() if isinstance(value, np.ndarray) else value)  # a copy: theirs may change
        self.object = weakref.ref(value) if isinstance(value, np.ndarray) and not self.content.whole else lambda: value

    @classmethod
    def of(cls, value) -> "Given | None":
        """Of floats and of arrays of them; of others None."""
        if isinstance(value, float) or (isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc"):
            return cls(value)
        return None
