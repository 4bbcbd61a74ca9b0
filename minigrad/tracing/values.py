"""What a trace keeps of values: small ones whole; of large ones a few numbers and a thumbnail. It keeps none alive."""

import cmath
import math as python_math
import weakref
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from ..engine.listening import listeners_only
from ..errors import unwarned, visible

SMALL = 256  # a value of up to so many elements is kept whole
SAMPLE = 8  # of a larger one, so many
ROWS, COLUMNS = 12, 16  # of a thumbnail, at most
LATER = 1 << 18  # bytes: a larger array is measured at once
MOST_LATER = 1 << 22  # bytes of the arrays that wait to be measured
STRIP = 256  # elements: NumPy compares longer rows quickly
# the types of single numbers
SCALARS = frozenset([np.dtype(letter).type for letter in np.typecodes["All"] if letter not in "SUVO"])


class Measures(NamedTuple):
    """Of an array's finite numbers the least, the greatest and the norm; how many of all are 0, nan, inf and -inf."""

    low: float
    high: float
    norm: float
    zeros: int
    nan: int
    inf: int
    minus_inf: int
    thumb: "np.ndarray | None"  # at most 12 x 16 numbers, each the largest in size of its block

    @property
    def finite(self) -> bool:
        return not (self.nan or self.inf or self.minus_inf)


def measured(array) -> "Measures | None":
    """The Measures of an array; None of strings."""
    if array.dtype.kind not in "biufc" or not array.size:
        return None
    return unwarned(measures_of, array)


def measures_of(array) -> Measures:
    flat = np.abs(array).ravel() if array.dtype.kind == "c" else array.ravel()
    flat = flat if flat.dtype.kind == "f" and flat.dtype.itemsize > 2 else flat.astype(float)
    zeros, squares = int(np.count_nonzero(flat == 0)), float(flat.dot(flat))
    thumb, low, high = thumbnail(flat, array.shape) if array.ndim else (None, flat[0], flat[0])
    if squares - squares == 0 and squares > 1e-30:  # every number is finite, and no square is lost
        return Measures(float(low), float(high), squares**0.5, zeros, 0, 0, 0, thumb)
    nan, inf, minus_inf = (int(np.count_nonzero(one)) for one in (np.isnan(flat), flat == np.inf, flat == -np.inf))
    numbers = flat[np.isfinite(flat)] if nan or inf or minus_inf else flat
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (python_math.nan, python_math.nan)
    top = max(abs(low), abs(high)) if numbers.size else 0.0
    norm = top * float(np.linalg.norm(numbers.astype(float) / top)) if top else 0.0
    return Measures(low, high, norm, zeros, nan, inf, minus_inf, thumb)


def thumbnail(flat, shape):
    """Of each block of an array the number that is largest in size; and the least and the greatest of all."""
    if sum(n > 1 for n in shape) < 2:
        first = np.arange(0, flat.size, -(-flat.size // (ROWS * COLUMNS)))
        high, low = (f.reduceat(flat, first)[None] for f in (np.maximum, np.minimum))
    else:
        grid = flat.reshape(-1, shape[-1])
        high, low = (pooled(pooled(grid, ROWS, f).T, COLUMNS, f).T for f in (np.maximum, np.minimum))
    return np.where(high + low >= 0, high, low), low.min(), high.max()


def pooled(grid, most, f):
    """At most so many rows: of each block of rows what f (np.maximum or np.minimum) leaves, column by column."""
    count, width = grid.shape
    if count <= most:
        return grid
    strip = max(1, STRIP // width)  # rows that are compared as one: quicker where they are short
    per = -(-count // (most * strip)) * strip if count >= most * strip * 2 else -(-count // most)
    strip = strip if per % strip == 0 else 1
    whole = count // per
    best = f.reduce(grid[: whole * per].reshape(whole, per // strip, strip * width), 1)
    best = f.reduce(best.reshape(whole, strip, width), 1)
    return best if whole * per == count else np.concatenate([best, f.reduce(grid[whole * per :], 0, keepdims=True)])


class Waiting(deque):
    """The arrays that wait to be measured, the oldest first: references to their summaries, their bytes, their count.

    If there are too many, those are measured of which a film may still be made: since a living tape was opened.
    """

    def __init__(self):
        super().__init__()
        self.bytes, self.count, self.opened = 0, 0, {}  # a tape -> the count when it was opened first

    def open(self, tape):
        key = id(tape)
        if key not in self.opened:
            self.opened[key] = self.count, weakref.ref(tape, lambda _: self.opened.pop(key, None))

    def add(self, summary):
        size = summary.array.nbytes
        self.count += 1
        self.append((weakref.ref(summary), size, self.count))
        self.bytes += size
        if self.bytes > MOST_LATER:
            self.drop(next(iter(self.opened.values()), (self.count,))[0])

    def drop(self, opened):
        """Let many go at once. Since a living tape was opened four times as much may wait: many it keeps itself."""
        while self and self.bytes > MOST_LATER * 3 // 4 and (self[0][2] <= opened or self.bytes > 4 * MOST_LATER):
            reference, size, count = self.popleft()
            self.bytes -= size
            oldest = reference()
            if oldest is not None:
                oldest.measure() if count > opened else oldest.let_go()


waiting = Waiting()


class Summary:
    """What is kept of a value: a small one whole; of a larger one its form, its first numbers and its Measures.

    A larger one is measured when somebody asks, or when its array has to go.

    Attributes:
        whole: is all of it kept?
        array: the value itself, as long as it is there.
    """

    __slots__ = ("__weakref__", "array", "found", "head", "looked", "whole")

    def __init__(self, array):
        own = array.base is None  # a view keeps its whole array
        self.array, self.whole, self.looked = array, array.size <= SMALL, None
        if self.whole:
            self.array = array if own else array.copy()
        elif array.nbytes > LATER or (not own and is_view(array)):
            self.measure()
        else:
            self.array = array if own else array.copy()
            self.looked = finite_and_zero(self.array)  # now it lies in the cache
            waiting.add(self)

    def measure(self) -> "Measures | None":
        """The Measures; None if they are not known, as of strings. The array of a larger value goes."""
        if self.whole:
            return measured(self.array)
        if self.array is not None:
            self.let_go(measured(self.array))
        return self.found

    def let_go(self, found=None):
        """Keep of the array its first numbers, whether all are finite and whether all are 0; and its Measures."""
        array = self.array
        if array is not None:
            self.look()
            self.head, self.found, self.array = (array.shape, array.flat[:SAMPLE]), found, None

    def look(self) -> tuple:
        """Are all numbers finite, and are all 0?"""
        if self.looked is None:
            self.looked = finite_and_zero(self.array)
        return self.looked

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
    def kept(self):
        """A small value itself; of a larger one its first numbers."""
        if self.whole:
            return self.array
        return self.head[1] if self.array is None else self.array.ravel()[:SAMPLE]

    @property
    def shape(self) -> tuple:
        return self.head[0] if self.array is None else self.array.shape

    @property
    def dtype(self):
        return self.kept.dtype

    @property
    def measures(self) -> "Measures | None":
        return self.measure()

    @property
    def finite(self) -> bool:
        return self.look()[0]

    @property
    def zero(self) -> bool:
        return self.look()[1]

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


def is_view(array) -> bool:
    """Is it a part of another array? (What holds the numbers of another engine is none.)"""
    return isinstance(array.base, np.ndarray)


def kept_lightly(value) -> Any:
    """What is kept of a value until somebody asks for its summary: a small one as it is, and else the summary."""
    if value.__class__ is np.ndarray:
        return value if value.size <= SMALL and value.base is None else Summary(value)
    return value if isinstance(value, np.generic) else Summary.of(value)


def finite(value) -> bool:
    """Is there no inf and no nan, in an array or in what is kept of one?"""
    if isinstance(value, np.floating):
        return python_math.isfinite(value)
    if isinstance(value, np.complexfloating):
        return cmath.isfinite(value)
    return value.look()[0] if value.__class__ is Summary else finite_and_zero(value)[0]


def finite_and_zero(array) -> tuple:
    """Are all numbers finite, and are all 0? One look at the sum of squares tells, unless it overflows or is 0."""
    kind = array.dtype.kind
    if kind not in "fc":
        return True, kind in "biu" and not array.any()
    flat = array.ravel()
    total = flat.dot(flat).item()
    if total and total - total == 0:
        return True, False
    return bool(np.isfinite(flat).all()), not flat.any()


def brief(number, digits=4) -> str:
    """A number in so many digits; a whole float has a point, and no zero a sign."""
    if isinstance(number, float):
        text = f"{number + 0.0:.{digits}g}"
        return text + ".0" if text.lstrip("-").isdigit() else text
    if isinstance(number, complex):
        return f"{number:.{digits}g}"
    return visible(number.decode(errors="replace") if isinstance(number, bytes) else number, 20)


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
